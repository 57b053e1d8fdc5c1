"""The copies of modules: classes, sizes, and the layouts that make them needless."""

from __future__ import annotations

from collections import Counter
from itertools import product
from pathlib import Path

import pytest
from cases import shapes_as_written
from hypothesis import given, settings, strategies as st

from tla.errors import TlaError, UnsupportedError
from tla.hlo import Module, read_module
from tla.memory import (
    Advice,
    Copy,
    alias_bytes,
    argument_bytes,
    copies,
    copy_totals,
    output_bytes,
)
from tla.memory.origins import Origins, Value
from tla.xla_bridge import XlaShape, parse_array, physical_elements, physical_offset
from tla.xla_bridge.equivalence import equivalent

BOTH = "relayout and space move"
DATA = Path(__file__).parent.parent / "data"
MODULES = sorted((DATA / "tpu_hlo").glob("*.hlo"))
PAIRS = sorted(
    p.name.removesuffix(".hlo") for p in (DATA / "copies").glob("*.hlo") if ".adv" not in p.name
)


def module_at(path: Path) -> Module:
    return read_module(path.read_text("utf-8"))


def pair(name: str) -> tuple[Module, Module]:
    """A module as it stands, and with the advised layouts."""
    folder = DATA / "copies"
    return module_at(folder / f"{name}.hlo"), module_at(folder / f"{name}.advised.hlo")


def module_of(*lines: str) -> Module:
    return read_module("\n".join(["HloModule m", "ENTRY e {", *lines, "}"]))


def copies_of(*lines: str) -> dict[str, Copy]:
    return {copy.name: copy for copy in copies(module_of(*lines))}


def advice_of(module: Module) -> dict[str, list[Advice]]:
    found = {copy.name: list(copy.advice) for copy in copies(module)}
    return {name: advice for name, advice in found.items() if advice}


# --- real modules -----------------------------------------------------------------------------


def test_every_bitcast_of_the_real_modules_is_shown_to_be_free() -> None:
    """124 of them; four keep only the first elements of a dim."""
    proofs: Counter[str | None] = Counter()
    for path in MODULES:
        for copy in copies(module_at(path)):
            if copy.opcode == "bitcast":
                assert copy.kind == "free"
                assert (copy.read_bytes, copy.written_bytes) == (0, 0)
                proofs[copy.proof] += 1
    assert proofs == {"same layout": 43, "reshape": 57, "renamed": 20, "part": 4}


def test_nothing_in_the_real_modules_is_left_open() -> None:
    kinds: Counter[tuple[str, str]] = Counter()
    for path in MODULES:
        for copy in copies(module_at(path)):
            assert copy.kind != "undecided"
            if copy.opcode in ("copy", "copy-start", "slice-start"):
                kinds[copy.opcode, copy.kind] += 1
    assert kinds == {
        ("copy", "relayout"): kinds["copy", "relayout"],
        ("copy", BOTH): kinds["copy", BOTH],
        ("copy", "space move"): kinds["copy", "space move"],
        ("copy", "duplicate"): kinds["copy", "duplicate"],
        ("copy-start", "space move"): 23,
        ("slice-start", "space move"): 56,
    }
    assert sum(n for (opcode, _), n in kinds.items() if opcode == "copy") == 35


def test_a_copy_of_a_real_module() -> None:
    module = module_at(DATA / "tpu_hlo" / "v5e_embedding.hlo")
    copy = next(copy for copy in copies(module) if copy.name == "copy.4")
    assert (copy.kind, copy.run, copy.estimated_cycles) == (BOTH, 1, 221600)
    assert (copy.read_bytes, copy.written_bytes) == (61169664, 77205504)
    assert copy.padded_bytes == 77205504 - 50257 * 300 * 4
    (advice,) = copy.advice
    assert str(advice) == "parameter 0 (t) as f32[50257,300]{1,0:T(8,128)}"
    assert advice.stays == "space move"
    # what is left reads and writes the layout of the copy
    assert advice.saves_bytes == copy.read_bytes - copy.written_bytes == -advice.memory_change
    assert (advice.saves_cycles, advice.is_costly, copy.origin) == (221600, False, "t")


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("embedding", {"copy.4": "parameter 0 (t) as f32[5000,300]{1,0:T(8,128)}",
                       "copy.5": "result as f32[64,17,300]{2,1,0:T(8,128)}"}),
        ("transposed", {"copy.1": "result as f32[384,640]{0,1:T(8,128)}"}),
        ("shuffle", {"copy.1": "parameter 0 (x) as bf16[6000,7]{1,0:T(8,128)(2,1)}"}),
        ("fp8", {}),  # its copies are parts of a fusion
        ("update", {"copy.4": "donate parameter 0 (t)"}),
        ("gathers", {"copy.1": "parameter 0 (a) as f32[10000,50]{1,0:T(8,128)}",
                     "copy.2": "parameter 1 (b) as f32[10000,50]{1,0:T(8,128)}",
                     "copy.3": "result as f32[200,50]{1,0:T(8,128)}"}),
        ("cast", {"copy.3": "parameter 0 (t) as f32[50000,100]{1,0:T(8,128)}",
                  "copy.4": "result as bf16[1000,100]{1,0:T(8,128)(2,1)}"}),
        ("donated", {"copy.1": "parameter 0 (t) and result as f32[100000,64]{1,0:T(8,128)}",
                     "copy.2": "parameter 2 (g) as f32[4096,64]{1,0:T(8,128)}",
                     "copy.3": "parameter 0 (t) and result as f32[100000,64]{1,0:T(8,128)}"}),
        ("kept", {"copy.1": "parameter 0 (t) as f32[100000,64]{1,0:T(8,128)}",
                  "copy.2": "parameter 2 (g) as f32[4096,64]{1,0:T(8,128)}"}),
    ],
)  # fmt: skip
def test_the_compiler_drops_the_copy_that_the_advice_is_for(name: str, wanted: dict[str, str]) -> None:
    before, after = pair(name)
    advice = advice_of(before)
    assert {copy: str(each) for copy, (each,) in advice.items()} == wanted
    assert name == "kept" or advice_of(after) == {}
    for (each,) in advice.values():
        if each.for_parameter is not None:
            assert after.entry.parameters[each.for_parameter].shape == each.layout
        if each.for_result is not None:
            assert after.entry.root.shape == each.layout
        if each.what == "donation":
            aliases = [alias.parameter_number for alias in after.input_output_alias]
            assert aliases == [each.for_parameter]
    assert not _moved(before, set(advice)) & _moved(after, None) or name == "kept"
    saved, grown = _saved_and_grown(before)
    assert saved == _copy_cycles(before) - _copy_cycles(after)
    assert grown == _outside_bytes(after) - _outside_bytes(before)


def _saved_and_grown(module: Module) -> tuple[int, int]:
    """The cycles and the memory that the advice promises."""
    advice = copies(module).advice
    return sum(each.saves_cycles or 0 for each in advice), sum(each.memory_change for each in advice)


def _copy_cycles(module: Module) -> int:
    return sum(copy.cycles or 0 for copy in copies(module))


def _outside_bytes(module: Module) -> int:
    """The bytes of parameters and results, an alias counted once."""
    return argument_bytes(module) + output_bytes(module) - alias_bytes(module)


def _moved(module: Module, names: set[str] | None) -> set[tuple[tuple[int, ...], str]]:
    """The dims and class of each copy, or of the named ones."""
    found = (copy for copy in copies(module) if copy.opcode == "copy")
    return {(c.before.dimensions, c.kind) for c in found if names is None or c.name in names}


def test_the_pairs_are_all_tried() -> None:
    assert [name for name in PAIRS if name != "tied"] == [
        *("cast", "donated", "embedding", "fp8", "gathers", "kept", "shuffle", "transposed", "update")
    ]


def test_no_advice_where_several_readers_would_convert() -> None:
    """With the layout that the copy makes, the conversion stays, and costs more than the copy did."""
    module = module_at(DATA / "copies" / "tied.hlo")
    (copy,) = (copy for copy in copies(module) if copy.is_relayout)
    assert (copy.before.element_type.name, copy.after.element_type.name) == ("f32", "bf16")
    assert copies(module).advice == ()


# --- classes ----------------------------------------------------------------------------------


def test_the_classes() -> None:
    found = copies_of(
        "p = f32[16,256]{1,0:T(8,128)} parameter(0)",
        "relayout = f32[16,256]{0,1:T(8,128)} copy(p)",
        "both = f32[16,256]{0,1:T(8,128)S(1)} copy(p)",
        "move = f32[16,256]{1,0:T(8,128)S(1)} copy(p)",
        "twice = f32[16,256]{1,0:T(8,128)} copy(p)",
        "same = f32[16,256]{1,0:T(8,128)(1,128)} copy(p)",
        "transpose = f32[256,16]{1,0:T(8,128)} transpose(p), dimensions={1,0}",
        "turned = f32[256,16]{0,1:T(8,128)} transpose(p), dimensions={1,0}",
        "row = f32[4096]{0} reshape(p)",
        "rows = f32[2,8,256]{2,1,0:T(8,128)} reshape(p)",
        "bits = s32[16,256]{1,0:T(8,128)} bitcast-convert(p)",
        "halves = bf16[16,256,2]{2,1,0} bitcast-convert(p)",
        "start = (f32[16,256]{1,0:T(8,128)S(1)}, f32[16,256]{1,0:T(8,128)}, u32[]{:S(2)}) copy-start(p)",
        "ROOT done = f32[16,256]{1,0:T(8,128)S(1)} copy-done(start)",
    )
    assert {name: copy.kind for name, copy in found.items()} == {
        "relayout": "relayout",
        "both": BOTH,
        "move": "space move",
        "twice": "duplicate",
        "same": "duplicate",
        "transpose": "relayout",
        "turned": "duplicate",
        "row": "relayout",
        "rows": "duplicate",
        "bits": "duplicate",
        "halves": "undecided",
        "start": "space move",
    }
    assert (found["row"].run, found["rows"].run, found["halves"].run) == (128, 4096, None)


def test_proofs_of_bitcasts() -> None:
    found = copies_of(
        "p = f32[16,256]{1,0:T(8,128)} parameter(0)",
        "same = f32[16,256]{1,0:T(8,128)(1,128)} bitcast(p)",
        "ints = s32[16,256]{1,0:T(8,128)} bitcast(p)",
        "rows = f32[2,8,256]{2,1,0:T(8,128)} bitcast(p)",
        "turned = f32[256,16]{0,1:T(8,128)} bitcast(p)",
        "part = f32[13,256]{1,0:T(8,128)} bitcast(p)",
        "elsewhere = f32[16,256]{1,0:T(8,128)S(1)} bitcast(p)",
        "ROOT smaller = f32[16,200]{1,0} bitcast(p)",
    )
    assert {name: copy.proof for name, copy in found.items()} == {
        "same": "same layout",
        "ints": "same layout",
        "rows": "reshape",
        "turned": "renamed",
        "part": "part",
        "elsewhere": "none",
        "smaller": "none",
    }
    assert {copy.kind for copy in found.values()} == {"free"}


FUSED = """
HloModule m
f {
  q = f32[16,256]{1,0:T(8,128)S(1)} parameter(0)
  c = f32[16,256]{0,1:T(8,128)} copy(q)
  ROOT t = f32[256,16]{1,0:T(8,128)} transpose(c), dimensions={1,0}
}
ENTRY e {
  p = f32[16,256]{1,0:T(8,128)} parameter(0)
  ROOT only = f32[256,16]{1,0:T(8,128)S(1)} fusion(p), kind=kLoop, calls=f
}
"""


def test_within_a_fusion_nothing_is_moved_on_its_own() -> None:
    found = {copy.name: copy for copy in copies(read_module(FUSED))}
    assert {name: copy.kind for name, copy in found.items()} == {
        "c": "relayout",
        "t": "free",  # the copy has done it
        "only": BOTH,  # the fusion is a copy, and reads and writes
    }
    assert [copy.written_bytes for copy in found.values()] == [0, 0, 131072]
    assert found["only"].run == found["c"].run
    (relayout, both, free) = copy_totals(found.values())
    assert (relayout.copies, relayout.inside, both.copies, free.inside) == (0, 1, 1, 1)


def test_totals_are_of_their_own_kind() -> None:
    """Each sum of each kind differs from that of all kinds, and from every other sum."""
    found = copies(
        read_module(
            """
            ENTRY e {
              p = f32[5,100]{1,0:T(8,128)} parameter(0)
              a = f32[5,100]{0,1:T(8,128)} copy(p),
                backend_config={"window_config":{"estimated_cycles":7}}
              b = f32[5,100]{0,1:T(8,128)S(1)} copy(a),
                backend_config={"window_config":{"estimated_cycles":"11"}}
              ROOT c = f32[5,100]{0,1:T(8,128)} bitcast(a)
            }"""
        )
    )
    assert [tuple(total) for total in copy_totals(found)] == [
        ("relayout", 1, 0, 4096, 53248, 51248, 7),
        ("space move", 1, 0, 53248, 53248, 51248, 11),
        ("free", 1, 0, 0, 0, 0, 0),
    ]


TILINGS = st.sampled_from([(), ((2,),), ((2, 2),), ((2, 4),), ((2, 4), (2, 1)), ((4,), (2,))])


@st.composite
def arrays(draw: st.DrawFn, dims: tuple[int, ...]) -> XlaShape:
    return XlaShape("f32", dims, draw(st.permutations(range(len(dims)))), draw(TILINGS))


DIMS = st.lists(st.integers(1, 6), min_size=1, max_size=3).map(tuple)


def places(shape: XlaShape) -> list[int]:
    return [physical_offset(shape, index) for index in product(*map(range, shape.dimensions))]


@given(st.data(), DIMS)
def test_a_relayout_moves_an_element(data: st.DataObject, dims: tuple[int, ...]) -> None:
    a, b = data.draw(arrays(dims)), data.draw(arrays(dims))
    found = copies_of(f"p = {a} parameter(0)", f"ROOT c = {b} copy(p)")["c"]
    alike = places(a) == places(b) and physical_elements(a) == physical_elements(b)
    assert found.kind == ("duplicate" if alike else "relayout")
    assert found.written_bytes == 4 * physical_elements(b)


# --- advice -----------------------------------------------------------------------------------


@settings(deadline=None)
@given(st.data(), DIMS)
def test_the_advised_parameter_has_the_layout_that_the_copy_makes(
    data: st.DataObject, dims: tuple[int, ...]
) -> None:
    """Behind a bitcast that transposes, element by element."""
    present = data.draw(arrays(dims))
    order = data.draw(st.permutations(range(len(dims))))
    turned = tuple(dims[d] for d in order)
    place = {d: i for i, d in enumerate(order)}
    seen = XlaShape("f32", turned, [place[d] for d in present.minor_to_major], present.tiles)
    made = data.draw(arrays(turned))
    module = module_of(
        f"p = {present} parameter(0)",
        f"b = {seen} transpose(p), dimensions={{{','.join(map(str, order))}}}",
        f"c = {made} copy(b)",
        f"ROOT n = {made} negate(c)",
    )
    for advice in advice_of(module).get("c", []):
        assert physical_elements(advice.layout) == physical_elements(made)
        for index in product(*map(range, dims)):
            there = tuple(index[d] for d in order)
            assert physical_offset(advice.layout, index) == physical_offset(made, there)


@settings(deadline=None)
@given(st.data(), DIMS)
def test_the_advised_result_has_the_layout_before_the_copy(
    data: st.DataObject, dims: tuple[int, ...]
) -> None:
    there = data.draw(arrays(dims))
    made = data.draw(arrays(dims))
    module = module_of(
        "s = f32[] parameter(0)",
        f"b = {there} broadcast(s), dimensions={{}}",
        f"c = {made} copy(b)",
        f"ROOT t = ({made}, f32[]) tuple(c, s)",
    )
    for advice in advice_of(module).get("c", []):
        assert (advice.place, advice.for_result) == ("result 0", (0,))
        assert equivalent(advice.layout, there)


ROWS, COLUMNS = "f32[64,256]{1,0:T(8,128)}", "f32[64,256]{0,1:T(8,128)}"


@pytest.mark.parametrize("space", ["", "S(1)"], ids=["in place", "moved"])
@pytest.mark.parametrize("shapes", [(ROWS, COLUMNS), (COLUMNS, ROWS)], ids=["more", "less"])
@pytest.mark.parametrize("what", ["parameter", "result"])
def test_what_advice_saves_is_what_the_copies_move_less_with_it(
    what: str, shapes: tuple[str, str], space: str
) -> None:
    def module(outside: str, inside: str) -> Module:
        inside = inside.replace("}", f"{space}}}")
        if what == "parameter":
            return module_of(
                f"p = {outside} parameter(0)",
                f"c = {inside} copy(p)" if space or inside != outside else f"c = {inside} abs(p)",
                f"ROOT n = {inside} negate(c)",
            )
        return module_of(
            f"n = {inside} custom-call()",
            f"ROOT c = {outside} copy(n)" if space or inside != outside else f"ROOT c = {inside} abs(n)",
        )

    def moved(module: Module) -> int:
        return sum(copy.read_bytes + copy.written_bytes for copy in copies(module))

    before, after = module(*shapes), module(shapes[1], shapes[1])
    saved = moved(before) - moved(after)
    if saved <= 0:  # the space move that stays moves no less, and no cycles are known
        assert advice_of(before) == {}
        return
    (advice,) = advice_of(before)["c"]
    assert str(advice.layout) == shapes[1]
    assert advice.saves_bytes == saved
    assert advice.memory_change == -64 * 1024 * (1 if shapes[0] == COLUMNS else -1)


def test_a_parameter_reaches_a_copy_through_elementwise_instructions() -> None:
    lines = [
        f"p = {COLUMNS} parameter(0)",
        "k = f32[] constant(2)",
        f"b = {COLUMNS} broadcast(k), dimensions={{}}",
        f"m = {COLUMNS} multiply(p, b)",
        f"c = {ROWS} copy(m)",
        f"ROOT n = {ROWS} negate(c)",
    ]
    ((advice,),) = advice_of(module_of(*lines)).values()
    assert str(advice) == f"parameter 0 as {ROWS}"
    small, large = 64 * 256 * 4, 128 * 256 * 4
    # before: the product reads and writes columns, the copy makes rows of them; after: rows
    assert advice.saves_bytes == 2 * large + (large + small) - 2 * small
    assert advice.memory_change == small - large
    wrong = {
        "two readers": (4, f"c = {ROWS} copy(m), control-predecessors={{m}}", f"o = {COLUMNS} abs(m)"),
        "two arrays": (3, f"q = {COLUMNS} parameter(1)", f"m = {COLUMNS} multiply(p, q)"),
        "read elsewhere": (3, lines[3], f"o = {COLUMNS} abs(p)"),
    }
    for at, *others in wrong.values():
        assert advice_of(module_of(*lines[:at], *others, *lines[at + 1 :])) == {}
    converted = [
        line.replace("f32[64,256]", "bf16[64,256]") if i > 2 else line for i, line in enumerate(lines)
    ]
    converted[3] = "m = bf16[64,256]{0,1:T(8,128)} convert(p)"
    assert advice_of(module_of(*converted)) == {}


@pytest.mark.parametrize("is_late", [False, True])
def test_a_duplicate_that_hides_a_fetch_says_so(is_late: bool) -> None:
    """Without it the copy of what was fetched took 1924 cycles, not 100."""
    fetch = f"f = {ROWS} copy-done(s)"
    module = module_of(
        f"p = {ROWS} parameter(0)",
        f"q = {ROWS} parameter(1)",
        f"s = ({ROWS}, {ROWS}, u32[]) copy-start(q)",
        *(() if is_late else (fetch,)),
        f"c = {ROWS} copy(p)",
        *((fetch,) if is_late else ()),
        f"u = {COLUMNS} copy(f)",
        f"ROOT d = {ROWS} custom-call(c, u)",
    )
    (advice,) = advice_of(module)["c"]
    assert (advice.what, "while it runs" in advice.risk) == ("donation", is_late)


def test_the_last_of_several_parameters_saves_what_the_others_leave() -> None:
    """With one table alone the compiler fetches another ahead: 900 cycles, seen for each of four."""
    cycles = [25308, 900, 900, 800]
    lines: list[str] = []
    for n, each in enumerate(cycles):
        space = "S(1)" if n == 0 else ""
        lines += [
            f"p{n} = f32[{64 if n < 3 else 32},256]{{0,1:T(8,128)}} parameter({n})",
            f"c{n} = f32[{64 if n < 3 else 32},256]{{1,0:T(8,128){space}}} copy(p{n}),"
            f' backend_config={{"window_config":{{"estimated_cycles":{each}}}}}',
        ]
    lines.append("ROOT r = f32[64,256]{1,0:T(8,128)} custom-call(c0, c1, c2, c3)")
    advice = sorted(copies(module_of(*lines)).advice, key=lambda each: each.for_parameter or 0)
    assert [each.saves_cycles for each in advice] == [900, 900, 25308, 800]
    assert [each.stays for each in advice] == ["", "", "space move", ""]
    assert [each.together for each in advice] == [
        (), (), ("parameter 0", "parameter 1", "parameter 3"), (),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("relayout", "is_fetched", "wanted"),
    [("", 0, 1), ("reads", 0, 0), ("makes", 0, 0), ("fuses", 0, 0), ("", 1, 1), ("fuses", 1, 0)],
)
def test_no_advice_for_a_loop_that_moves_its_state(relayout: str, is_fetched: int, wanted: int) -> None:
    """Without the copies outside, such a loop read HBM in each turn: 14,684 cycles became 140,064.

    So did weights that the loop turns back within a fusion, fetched or not: 109,681 became 131,748.
    """
    fast, slow = (f"f32[64,256]{{{order}:T(8,128)S(1)}}" for order in ("1,0", "0,1"))
    made = {"reads": "copy(x)", "fuses": "fusion(x), kind=kLoop, calls=turn"}
    text = f"""
    turn {{
      q = {fast} parameter(0)
      ROOT u = {slow} copy(q) }}
    body {{
      s = ({fast}) parameter(0)
      x = {fast} get-tuple-element(s), index=0
      y = {slow} {made.get(relayout, "abs(x)")}
      {f"z = {fast} copy(y)" if relayout == "makes" else f"z = {fast} custom-call(y)"}
      ROOT t = ({fast}) tuple({"x" if is_fetched else "z"})
    }}
    less {{ s = ({fast}) parameter(0)
      ROOT r = pred[] custom-call(s) }}
    ENTRY e {{
      p = {COLUMNS} parameter(0)
      {f"f = {slow} copy(p)" if is_fetched else ""}
      c = {fast} copy({"f" if is_fetched else "p"})
      t = ({fast}) tuple(c)
      w = ({fast}) while(t), condition=less, body=body
      o = {fast} get-tuple-element(w), index=0
      ROOT n = {ROWS} negate(o)
    }}"""
    advice = copies(read_module(text)).advice
    assert len(advice) == wanted
    assert all("loop" in each.risk for each in advice)
    assert all(("fetched" in each.risk) == bool(is_fetched) for each in advice)


@pytest.mark.parametrize(
    ("kinds", "wanted"), [(("f32", "bf16"), 1), (("bf16", "f32"), 0)], ids=["narrower", "wider"]
)
def test_no_advice_where_a_conversion_to_a_wider_type_stays(kinds: tuple[str, str], wanted: int) -> None:
    """The program converted a table and took rows of it: 24,547 cycles became 52,037 on a v5e."""
    tiles = {"f32": "T(8,128)", "bf16": "T(8,128)(2,1)"}
    narrow, wide = (f"{kind}[64,256]{{{{{{}}:{tiles[kind]}}}}}" for kind in kinds)
    module = module_of(
        f"p = {narrow.format('0,1')} parameter(0)",
        f"c = {wide.format('1,0')} copy(p)",
        f"ROOT n = {wide.format('1,0')} custom-call(c)",
    )
    assert len(copies(module).advice) == wanted


PRODUCT = "o = f32[64,64] dot({0}, {0}), lhs_contracting_dims={{1}}, rhs_contracting_dims={{1}}"


@pytest.mark.parametrize(
    ("readers", "is_advised"),
    [
        ([PRODUCT.format("p")], True),
        (["o = f32[64,64] fusion(p), kind=kOutput, calls=product"], True),
        (["o = f32[64] fusion(p), kind=kLoop, calls=sums"], False),
        ([f"o = {COLUMNS} negate(p)"], False),
        (["s = (f32[64,256], f32[64,256], u32[]) copy-start(p)", "d = f32[64,256] copy-done(s)",
          PRODUCT.format("d")], True),
        (["s = (f32[64,256], f32[64,256], u32[]) copy-start(p)", "d = f32[64,256] copy-done(s)",
          PRODUCT.format("d"), "o2 = f32[64,256] abs(d)"], False),
        ([f"s = (({COLUMNS}), {COLUMNS}, u32[]) slice-start(p), slice={{[0:64],[0:256]}}",
          f"d = {COLUMNS} slice-done(s)",
          f'j = {COLUMNS} custom-call(d), custom_call_target="ConcatBitcast"',
          PRODUCT.format("j")], True),
    ],
)  # fmt: skip
def test_what_else_reads_a_parameter_has_to_be_matrix_products(
    readers: list[str], is_advised: bool
) -> None:
    """They work in any layout. Sums of a table do not: 25,575 cycles became 58,982."""
    lines = [f"p = {COLUMNS} parameter(0)", f"c = {ROWS} copy(p)", f"n = {ROWS} negate(c)", *readers]
    inner = """
    product { q = f32[64,256] parameter(0)
      ROOT r = f32[64,64] convolution(q, q) }
    sums { q = f32[64,256] parameter(0)
      ROOT r = f32[64] custom-call(q) }
    """
    text = "\n".join([inner, "ENTRY e {", *lines, f"ROOT t = ({ROWS}) tuple(n)", "}"])
    assert len(advice_of(read_module(text)).get("c", [])) == is_advised


@pytest.mark.parametrize(("columns", "costly"), [(64, False), (63, True), (65, False)])
def test_advice_is_costly_where_the_memory_is_more_than_doubled(columns: int, costly: bool) -> None:
    """By columns a row takes 128, by rows a column is as long as the rows are many."""
    module = module_of(
        f"p = f32[1024,{columns}]{{0,1:T(1,128)}} parameter(0)",
        f"c = f32[1024,{columns}]{{1,0:T(1,128)}} copy(p)",
        f"ROOT n = f32[1024,{columns}]{{1,0:T(1,128)}} negate(c)",
    )
    ((advice,),) = advice_of(module).values()
    assert advice.memory_change == 4 * 1024 * (128 - columns)
    assert advice.is_costly == costly


def test_the_origin_of_a_copy_is_its_line_or_else_its_name() -> None:
    found = copies_of(
        "p = f32[4]{0} parameter(0)",
        'a = f32[4]{0} copy(p), metadata={op_name="x" source_file="f.py" source_line=3}',
        'b = f32[4]{0} copy(a), metadata={op_name="x"}',
        "ROOT c = f32[4]{0} copy(b)",
    )
    assert [copy.origin for copy in found.values()] == ["f.py:3", "x", "of %p"]


LOOP = """
HloModule m
body {
  s = (s32[], f32[16,256]{1,0:T(8,128)}, f32[16,256]{0,1:T(8,128)}) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  w = f32[16,256]{1,0:T(8,128)} get-tuple-element(s), index=1
  acc = f32[16,256]{0,1:T(8,128)} get-tuple-element(s), index=2
  c = f32[16,256]{0,1:T(8,128)} copy(w)
  d = f32[16,256]{1,0:T(8,128)} copy(acc)
  e = f32[16,256]{0,1:T(8,128)} copy(d)
  ROOT r = (s32[], f32[16,256]{1,0:T(8,128)}, f32[16,256]{0,1:T(8,128)}) tuple(i, w, e)
}
cond {
  s.1 = (s32[], f32[16,256]{1,0:T(8,128)}, f32[16,256]{0,1:T(8,128)}) parameter(0)
  ROOT lt = pred[] custom-call(s.1), custom_call_target="x"
}
ENTRY main {
  n = s32[] parameter(0)
  weights = f32[16,256]{1,0:T(8,128)} parameter(1), metadata={op_name="w"}
  start = f32[16,256]{0,1:T(8,128)} parameter(2)
  state = (s32[], f32[16,256]{1,0:T(8,128)}, f32[16,256]{0,1:T(8,128)}) tuple(n, weights, start)
  loop = (s32[], f32[16,256]{1,0:T(8,128)}, f32[16,256]{0,1:T(8,128)}) while(state),
    condition=cond, body=body
  also = f32[16,16]{1,0:T(8,128)} dot(weights, weights),
    lhs_contracting_dims={1}, rhs_contracting_dims={1}
  ROOT out = f32[16,256]{0,1:T(8,128)} get-tuple-element(loop), index=2
}
"""


def test_a_parameter_that_a_loop_does_not_change() -> None:
    module = read_module(LOOP)
    found = advice_of(module)
    assert list(found) == ["c"]  # what the loop changes is no parameter any more
    (advice,) = found["c"]
    assert str(advice) == "parameter 1 (w) as f32[16,256]{0,1:T(8,128)}"
    assert advice.other_users == ("also",)
    origin = Origins(module).of(Value("body", "w"))
    assert origin.value == Value("main", "weights")
    assert Origins(module).of(Value("body", "acc")).value == Value("body", "s", (2,))


def test_advice_that_jax_has_no_words_for_says_why() -> None:
    module = module_of(
        "p = f32[32,8]{1,0:T(*,8)} parameter(0)",
        "c = f32[32,8]{0,1:T(*,8)} copy(p)",
        "ROOT n = f32[32,8]{0,1:T(*,8)} negate(c)",
    )
    ((advice,),) = advice_of(module).values()
    assert (advice.jax, str(advice.layout)) == ("", "f32[32,8]{0,1:T(*,8)}")
    assert advice.reason.startswith("a layout of jax cannot say the '*' in a tile")


def test_no_advice_where_other_tiles_would_be_needed() -> None:
    """The compiler takes f32[5120,256] in such tiles, but brings it back to its own: seen."""
    module = module_of(
        "p = f32[5120,256]{1,0:T(8,128)} parameter(0)",
        "b = f32[8,640,256]{2,1,0:T(8,128)} bitcast(p)",
        "c = f32[8,640,256]{2,0,1:T(8,128)} copy(b)",
        "ROOT n = f32[8,640,256]{2,0,1:T(8,128)} negate(c)",
    )
    assert advice_of(module) == {}


# --- what is odd ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "config",
    [
        "{}",
        "[1]",
        '"text"',
        '{"window_config":3}',
        '{"window_config":{"estimated_cycles":"x"}}',
        '{"window_config":{"estimated_cycles":"9223372036854775807"}}',  # seen on a tpu7x
        "{oops}",
    ],
)
def test_a_backend_config_without_an_estimate(config: str) -> None:
    line = f"ROOT c = f32[4]{{0}} copy(p), backend_config={config}"
    found = copies_of("p = f32[4]{0} parameter(0)", line)
    assert found["c"].estimated_cycles is None


def test_unknown_sizes_are_left_out_and_bounded_ones_are_not() -> None:
    found = copies_of(
        "p = f32[?,4]{1,0} parameter(0)",
        "c = f32[?,4]{0,1} copy(p)",
        "q = f32[<=8,4]{1,0} parameter(1)",
        "d = f32[<=8,4]{0,1} copy(q)",
        "ROOT e = f32[<=8,4]{1,0:T(8,128)} bitcast(q)",
    )
    assert {name: (copy.kind, copy.proof) for name, copy in found.items()} == {
        "d": ("relayout", None),
        "e": ("free", "none"),
    }


STRANGE = [
    "g = f32[4,2]{1,0} get-tuple-element(p), index=7",
    "g = f32[4,2]{1,0} get-tuple-element(p)",
    "g = f32[4,2]{1,0} get-tuple-element(p), index=-1",
    "g = f32[4,2]{1,0} while(p)",
    "g = f32[4,2]{1,0} tuple(p)",
    "g = f32[4,2]{1,0} bitcast()",
    "g = (f32[4,2]{1,0}) copy-start(p)",
    "g = f32[4,2]{1,0} copy-done(p)",
    "g = f32[2,4]{1,0} transpose(p), dimensions={3,x}",
    "g = f32[4,2]{1,0} async-done(p)",
    "g = f32[4,2]{1,0} fusion(p), kind=kLoop",
]


@pytest.mark.parametrize("line", STRANGE)
def test_strange_instructions_end_the_search(line: str) -> None:
    """What the reader lets through has an origin, or an error of ours."""
    after = "c = f32[4,2]{0,1} copy(g)", "ROOT n = f32[4,2]{0,1} negate(c)"
    try:
        module = module_of("p = f32[4,2]{1,0} parameter(0)", line, *after)
        found = advice_of(module)
    except TlaError:
        return
    assert set(found) <= {"c", "g"}
    assert {copy.name for copy in copies(module)} <= {"c", "g"}


def test_a_text_of_one_line() -> None:
    module = read_module("c = f32[16,256]{0,1:T(8,128)} copy(f32[16,256]{1,0:T(8,128)} p)")
    assert [copy.kind for copy in copies(module)] == ["relayout"]


def test_shapes_of_operands_that_are_not_known() -> None:
    module = read_module("c = f32[16,256]{0,1:T(8,128)} copy(p)")
    assert copies(module) == ()
    assert parse_array("f32[2]").rank == 1


@shapes_as_written
def test_a_copy_of_another_rank_is_none() -> None:
    module = read_module("ENTRY e { p = f32[8,128] parameter(0) ROOT c = f32[128] copy(p) }")
    with pytest.raises(UnsupportedError, match=r"the copy c of line 1 is no copy: .* differ in rank"):
        copies(module)


def test_a_copy_in_the_body_or_the_condition_of_a_loop() -> None:
    module = read_module(
        """
        HloModule m

        c { x = f32[8,8]{1,0} parameter(0)
          k = f32[8,8]{0,1} copy(x)
          ROOT r = pred[] custom-call(k) }
        b { y = f32[8,8]{1,0} parameter(0)
          ROOT n = f32[8,8]{1,0} copy(y) }
        ENTRY e { p = f32[8,8]{1,0} parameter(0)
          w = f32[8,8]{1,0} while(p), condition=c, body=b
          ROOT o = f32[8,8]{0,1} copy(w) }
        """
    )
    assert {copy.name: copy.is_in_loop for copy in copies(module)} == {
        "k": True,
        "n": True,
        "o": False,
    }


def test_advice_goes_back_through_a_bitcast() -> None:
    advice = advice_of(
        module_of(
            "p = f32[16,256]{1,0:T(8,128)} parameter(0)",
            "b = f32[256,16]{0,1:T(8,128)} bitcast(p)",
            "c = f32[256,16]{1,0:T(8,128)} copy(b)",
            "ROOT n = f32[256,16]{1,0:T(8,128)} negate(c)",
        )
    )
    assert {name: list(map(str, each)) for name, each in advice.items()} == {
        "c": ["parameter 0 as f32[16,256]{0,1:T(8,128)}"]
    }


def test_no_advice_for_a_copy_from_a_parameter_to_a_result() -> None:
    """A copy stays in any layout: cycles went from 47508 to 42802, not to 0."""
    lines = f"p = {ROWS} parameter(0)", f"ROOT c = {COLUMNS} copy(p)"
    assert advice_of(module_of(*lines)) == {}


def test_a_move_into_split_memory_is_no_relayout() -> None:
    """The cores of a v5p have halves of the array."""
    split = "f32[1024,256]{1,0:T(8,128)S(1)SC(0:512)}"
    lines = "p = f32[1024,256]{1,0:T(8,128)} parameter(0)", f"ROOT c = {split} copy(p)"
    copy = copies_of(*lines)["c"]
    assert (copy.kind, copy.run, copy.advice) == ("space move", 1024 * 256, ())


ALIAS = "HloModule m, input_output_alias={ {}: (0, {}, may-alias) }"


@pytest.mark.parametrize(
    ("rows", "last", "wanted"),
    [
        (64, "copy", ["parameter 0 and result as f32[64,256]{1,0:T(8,128)}"]),
        (64, "negate", []),
        (128, "negate", ["parameter 0 as f32[128,256]{1,0:T(8,128)}"]),
    ],
)
def test_a_donated_parameter_and_its_result_change_together(
    rows: int, last: str, wanted: list[str]
) -> None:
    """An end alone changes only where its size stays, because the alias would be lost."""
    one, other = (f"f32[{rows},256]{{{order}:T(8,128)}}" for order in ("1,0", "0,1"))
    lines = [ALIAS, "ENTRY e {", f"p = {other} parameter(0)", f"c = {one} copy(p)"]
    lines += [f"u = {one} negate(c)", f"ROOT d = {other} {last}(u)", "}"]
    found = copies(read_module("\n".join(lines))).advice
    assert [str(each) for each in found] == wanted
    assert all(each.memory_change == 4 * (rows - 128) * 256 for each in found)


def test_copies_in_a_loop_count_with_its_turns() -> None:
    module = read_module(COUNTED.replace("(N)", "(8)"))
    (copy,) = copies(module)
    assert (copy.name, copy.runs, copy.estimated_cycles, copy.cycles) == ("c", 8, 7, 56)
    (total,) = copy_totals([copy])
    assert (total.estimated_cycles, total.read_bytes) == (56, 8 * copy.read_bytes)


COUNTED = """
body {
  s = (s32[], f32[64,256]{1,0}) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  one = s32[] constant(1)
  next = s32[] add(i, one)
  x = f32[64,256]{1,0} get-tuple-element(s), index=1
  c = f32[64,256]{0,1} copy(x), backend_config={"window_config":{"estimated_cycles":7}}
  y = f32[64,256]{1,0} negate(c)
  ROOT t = (s32[], f32[64,256]{1,0}) tuple(next, y)
}
less {
  s = (s32[], f32[64,256]{1,0}) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(N)
  ROOT r = pred[] compare(i, n), direction=LT
}
ENTRY e {
  p = f32[64,256]{1,0} parameter(0)
  zero = s32[] constant(0)
  t = (s32[], f32[64,256]{1,0}) tuple(zero, p)
  w = (s32[], f32[64,256]{1,0}) while(t), condition=less, body=body
  ROOT o = f32[64,256]{1,0} get-tuple-element(w), index=1
}
"""
