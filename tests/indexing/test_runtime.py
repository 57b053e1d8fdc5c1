"""Runtime variables that are known before the program runs: `fold` against numpy."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

from tla.hlo import read_module
from tla.indexing import IndexingMap, Interval, Source, compose, dim, rt
from tla.indexing.dependences import output_to_input
from tla.indexing.runtime import fold

from .agreement import reader
from .truth import pairs

if TYPE_CHECKING:
    from tla.hlo import Instruction

np = pytest.importorskip("numpy")


def named(text: str) -> dict[str, Instruction]:
    """The instructions of the entry of a text, by name."""
    return {each.name: each for each in read_module(text).entry.instructions}


def folded(text: str, operand: int = 0, name: str = "y") -> IndexingMap:
    """The one map of an operand of an instruction, folded."""
    program = named(text)
    (m,) = output_to_input(program[name])[operand]
    return fold(m, program.get)


def taken(size: int, shape: str, rows: int = 10, kind: str = "s32") -> str:
    """The text of a gather: for each index an element of ``rows``."""
    return (
        f"y = f32[{shape}] gather(f32[{rows}] data, {kind}[{shape}] i), offset_dims={{}}, "
        f"collapsed_slice_dims={{0}}, start_index_map={{0}}, index_vector_dim={size}, slice_sizes={{1}}"
    )


# --- what is known ----------------------------------------------------------------------------


_SLICED = "y = f32[4] dynamic-slice(f32[10] data, s32[] i), dynamic_slice_sizes={4}"

KNOWN = [
    ("i = s32[] constant(3)", _SLICED, "(d0) -> (d0 + 3), domain: d0 in [0, 3]"),
    ("i = s32[] constant(8)", _SLICED, "(d0) -> (d0 + 6), domain: d0 in [0, 3]"),
    ("i = s32[] constant(-8)", _SLICED, "(d0) -> (d0), domain: d0 in [0, 3]"),
    ("i = s32[6] iota(), iota_dimension=0", taken(1, "6"), "(d0) -> (d0), domain: d0 in [0, 5]"),
    (
        "i = s32[6] constant({1, 3, 5, 7, 9, 11})",
        taken(1, "6", 20),
        "(d0) -> (d0 * 2 + 1), domain: d0 in [0, 5]",
    ),
    (
        "i = s32[2,3] constant({ { /*i0=0*/ 9, 8, 7 }, { 6, 5, 4 } })",
        taken(2, "2,3"),
        "(d0, d1) -> (d0 * -3 - d1 + 9), domain: d0 in [0, 1], d1 in [0, 2]",
    ),
    (
        # the table is no line, the half that is read of it is
        "t = s32[6] constant({5, 0, 7, 1, 2, 3})\ni = s32[3] slice(t), slice={[3:6]}",
        taken(1, "3"),
        "(d0) -> (d0 + 1), domain: d0 in [0, 2]",
    ),
    (
        "a = s32[3] iota(), iota_dimension=0\nz = s32[] constant(4)\n"
        "b = s32[3] broadcast(z), dimensions={}\nc = s32[3] multiply(a, b)\n"
        "d = s32[3,1] reshape(c)\ne = s32[3,5] broadcast(c), dimensions={0}\n"
        "f = s32[3,5] iota(), iota_dimension=1\ni = s32[3,5] add(e, f)",
        taken(2, "3,5", 99),
        "(d0, d1) -> (d0 * 4 + d1), domain: d0 in [0, 2], d1 in [0, 4]",
    ),
    (
        # an index below 0 counts from the end, as jax writes it
        "a = s32[4] iota(), iota_dimension=0\nz = s32[] constant(0)\nn = s32[] constant(10)\n"
        "zs = s32[4] broadcast(z), dimensions={}\nns = s32[4] broadcast(n), dimensions={}\n"
        "below = pred[4] compare(a, zs), direction=LT\nup = s32[4] add(a, ns)\n"
        "i = s32[4] select(below, up, a)",
        taken(1, "4"),
        "(d0) -> (d0), domain: d0 in [0, 3]",
    ),
    (
        "a = u8[4] iota(), iota_dimension=0\nb = u8[] constant(2)\n"
        "c = u8[4] broadcast(b), dimensions={}\nd = u8[4] shift-left(a, c)\ni = s32[4] convert(d)",
        taken(1, "4", 99),
        "(d0) -> (d0 * 4), domain: d0 in [0, 3]",
    ),
    (
        "a = s32[12] iota(), iota_dimension=0\nb = s32[] constant(5)\n"
        "c = s32[12] broadcast(b), dimensions={}\ni = s32[12] divide(a, c)",
        taken(1, "12"),
        "(d0) -> (d0 floordiv 5), domain: d0 in [0, 11]",
    ),
    (
        "a = s32[12] iota(), iota_dimension=0\nb = s32[] constant(5)\n"
        "c = s32[12] broadcast(b), dimensions={}\ni = s32[12] remainder(a, c)",
        taken(1, "12"),
        "(d0) -> (d0 mod 5), domain: d0 in [0, 11]",
    ),
    (
        "a = s32[3] iota(), iota_dimension=0\nb = s32[] constant(5)\n"
        "t = (s32[3], s32[]) tuple(a, b)\nu = (s32[3], s32[]) opt-barrier(t)\n"
        "i = s32[3] get-tuple-element(u), index=0",
        taken(1, "3"),
        "(d0) -> (d0), domain: d0 in [0, 2]",
    ),
    (
        # what is looked up in a table at a place that is looked up itself
        "t = s32[5] constant({4, 3, 2, 1, 0})\nat = s32[] constant(7)\n"
        "i = s32[2] dynamic-slice(t, at), dynamic_slice_sizes={2}",
        taken(1, "2"),
        "(d0) -> (-d0 + 1), domain: d0 in [0, 1]",
    ),
]


@pytest.mark.parametrize(("indices", "reads", "text"), KNOWN)
def test_known_numbers_take_the_place_of_variables(indices: str, reads: str, text: str) -> None:
    m = folded(f"{indices}\nROOT {reads}")
    assert not m.runtime
    assert str(m) == text


def test_rows_beyond_the_last_are_moved_inside() -> None:
    """The maps of XLA read row ``d0`` of all 42; the op reads row 32 for the last ten."""
    text = """
      rows = s32[42,1] iota(), iota_dimension=0
      ROOT y = f32[42,8] gather(f32[33,8] x, rows), offset_dims={1}, collapsed_slice_dims={0},
          start_index_map={0}, index_vector_dim=1, slice_sizes={1,8}"""
    m = folded(text)
    assert str(m) == "(d0, d1) -> (min(32, d0), d1), domain: d0 in [0, 41], d1 in [0, 7]"
    assert pairs([m]) == {((i, k), (min(i, 32), k)) for i in range(42) for k in range(8)}


def test_two_numbers_of_a_vector() -> None:
    text = """
      row = s32[6,1] iota(), iota_dimension=0
      two = s32[6,1] constant({{2},{2},{2},{2},{2},{2}})
      i = s32[6,2] concatenate(row, two), dimensions={1}
      ROOT y = f32[6] gather(f32[8,4] x, i), offset_dims={}, collapsed_slice_dims={0,1},
          start_index_map={0,1}, index_vector_dim=1, slice_sizes={1,1}"""
    assert str(folded(text)) == "(d0) -> (d0, 2), domain: d0 in [0, 5]"


def test_a_window_that_fits_at_one_place_begins_there() -> None:
    """Nothing need be known of the number that is read."""
    m = folded(
        "ROOT y = f32[2,4] dynamic-slice(f32[5,4] x, s32[] a, s32[] b), dynamic_slice_sizes={2,4}"
    )
    assert m.text(sources=True) == (
        "(d0, d1){rt0} -> (d0 + rt0, d1), domain: d0 in [0, 1], d1 in [0, 3], rt0 in [0, 3]\n"
        "runtime variables:\n  rt0: %a; (d0, d1) -> (), clamp [0, 3]"
    )


def test_what_is_left_keeps_its_source_and_is_numbered_anew() -> None:
    text = """
      a = s32[] constant(99)
      ROOT y = f32[2,2,2] dynamic-slice(f32[5,6,7] x, a, s32[] b, s32[] c),
          dynamic_slice_sizes={2,2,2}"""
    m = folded(text)
    assert str(m).startswith("(d0, d1, d2){rt0, rt1} -> (d0 + 3, d1 + rt0, d2 + rt1), domain:")
    assert [v.source.instruction for v in m.runtime if v.source] == ["b", "c"]
    assert [v.name for v in m.runtime] == ["rt0", "rt1"]


def test_an_update_that_does_not_fit_is_left_out() -> None:
    """A start of a scatter is not moved: the map holds where it fits, and nowhere else."""
    start = "i = s32[2,1] constant({{%d},{%d}})\n"
    scatter = """ROOT y = f32[6] scatter(f32[6] x, i, f32[2,3] u), update_window_dims={1},
        inserted_window_dims={}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add"""
    for a in range(-2, 7):
        for b in range(-2, 7):
            m = folded(start % (a, b) + scatter, 2)
            assert not m.runtime
            true = {((s + k,), (j, k)) for j, s in enumerate((a, b)) if 0 <= s <= 3 for k in range(3)}
            assert pairs([m]) == true


def test_updates_at_known_starts() -> None:
    text = """
      a = s32[] constant(2)
      b = s32[] constant(9)
      ROOT y = f32[6,7] dynamic-update-slice(f32[6,7] x, f32[2,3] u, a, b)"""
    program = named(text)
    source, update, *_ = output_to_input(program["y"])
    inside = {(i, j) for i in (2, 3) for j in (4, 5, 6)}
    box = {(i, j) for i in range(6) for j in range(7)}
    pieces = [fold(m, program.get) for m in source]
    assert pairs(pieces) == {(o, o) for o in box - inside}
    assert sum(len(pairs([m])) for m in pieces) == len(box - inside)
    assert pairs([fold(m, program.get) for m in update]) == {((i, j), (i - 2, j - 4)) for i, j in inside}


def test_nested_slices_are_moved_level_by_level() -> None:
    """9 + 9 would be moved to 7 at once; the inner slice begins at 4, the outer one in it at 3."""
    text = """
      nine = s32[] constant(9)
      a = f32[6] dynamic-slice(f32[10] x, nine), dynamic_slice_sizes={6}
      ROOT y = f32[3] dynamic-slice(a, nine), dynamic_slice_sizes={3}"""
    program = named(text)
    ((outer,), _), ((inner,), _) = (output_to_input(program[name]) for name in "ya")
    m = fold(compose(outer, inner), program.get)
    assert str(m) == "(d0) -> (d0 + 7), domain: d0 in [0, 2]"
    low = {name: line for name, line in program.items() if name != "nine"}
    low["nine"] = named("ROOT nine = s32[] constant(2)")["nine"]
    m = fold(compose(outer, inner), low.get)
    assert pairs([m]) == {((k,), (2 + 2 + k,)) for k in range(3)}


def test_one_source_is_one_variable_when_its_indices_are_known() -> None:
    """Two elements of an array, at two numbers that turn out to be the same."""
    sources = [Source("i", (rt(1),)), Source("a"), Source("i", (rt(3),)), Source("b")]
    variables = [(f"rt{k}", Interval(0, 9), source) for k, source in enumerate(sources)]
    m = IndexingMap([rt(0) + rt(2)], [], [], variables)
    program = named("a = s32[] constant(4)\nb = s32[] constant(4)\nROOT c = s32[] add(a, b)")
    m = fold(m, program.get)
    assert str(m) == "(){rt0} -> (rt0 * 2), domain: rt0 in [0, 9]"


def test_numbers_within_what_is_called() -> None:
    text = """HloModule m
      inner { p = s32[] parameter(0)  q = s32[] parameter(1)  one = s32[] constant(1)
        ROOT s = s32[] add(q, one) }
      ENTRY e {
        two = s32[] constant(2)
        unknown = s32[] parameter(0)
        x = f32[10] parameter(1)
        i = s32[] fusion(unknown, two), kind=kLoop, calls=inner
        ROOT y = f32[4] dynamic-slice(x, i), dynamic_slice_sizes={4}
      }"""
    assert str(folded(text)) == "(d0) -> (d0 + 3), domain: d0 in [0, 3]"
    # by the names that the maps of a fusion give to what is read within it
    for source, number in (("i/one", 1), ("i/q", 2), ("i/s", 3), ("two", 2)):
        m = IndexingMap([dim(0) + rt(0)], [4], [], [("start", Interval(0, 6), Source(source))])
        assert str(fold(m, named(text).get)) == f"(d0) -> (d0 + {number}), domain: d0 in [0, 3]"
    for source in ("i/p", "unknown", "i/two", "two/one", "nothing", "i/"):
        m = IndexingMap([dim(0) + rt(0)], [4], [], [("start", Interval(0, 6), Source(source))])
        assert fold(m, named(text).get) == m


# --- what is not ------------------------------------------------------------------------------

UNKNOWN = [
    ("i = s32[6] parameter(0)", taken(1, "6")),
    ("i = s32[6] constant({...})", taken(1, "6")),
    ("i = s32[6] constant({0, 1, 0, 1, 0, 1})", taken(1, "6")),
    ("a = f32[6] iota(), iota_dimension=0\ni = s32[6] convert(a)", taken(1, "6")),
    # 128 and more are not numbers of the type
    ("i = s8[200] iota(), iota_dimension=0", taken(1, "200", 300, "s8")),
    (
        "a = s8[100] iota(), iota_dimension=0\nb = s8[] constant(100)\n"
        "c = s8[100] broadcast(b), dimensions={}\ni = s8[100] add(a, c)",
        taken(1, "100", 300, "s8"),
    ),
    (
        "a = u32[4] iota(), iota_dimension=0\nb = u32[] constant(1)\n"
        "c = u32[4] broadcast(b), dimensions={}\ni = u32[4] subtract(a, c)",
        taken(1, "4", 10, "u32"),
    ),
    # rounded towards 0
    (
        "a = s32[4] iota(), iota_dimension=0\nb = s32[] constant(2)\n"
        "c = s32[4] broadcast(b), dimensions={}\nd = s32[4] subtract(a, c)\ni = s32[4] divide(d, c)",
        taken(1, "4"),
    ),
    # the same bits are another number
    ("a = f32[] constant(1)\ni = s32[] bitcast(a)", _SLICED),
    ("a = s32[4] iota(), iota_dimension=0\ni = s32[4] multiply(a, a)", taken(1, "4")),
    (
        "a = s32[4] iota(), iota_dimension=0\ni = s32[4] sort(a), dimensions={0}",
        taken(1, "4"),
    ),
]


@pytest.mark.parametrize(("indices", "reads"), UNKNOWN)
def test_what_is_not_known_stays(indices: str, reads: str) -> None:
    program = named(f"{indices}\nROOT {reads}")
    ((m,), *_) = output_to_input(program["y"])
    assert fold(m, program.get) is m


def test_long_chains_end() -> None:
    """A number made in thousands of steps, or of as many sums of sums, takes no long time."""
    lines = ["i0 = s32[] constant(0)"] + [f"i{k + 1} = s32[] add(i{k}, i{k})" for k in range(3000)]
    for last, is_known in ((20, True), (3000, False)):
        program = named("\n".join([*lines, _SLICED.replace("s32[] i)", f"i{last})")]))
        ((m,), _) = output_to_input(program["y"])
        assert (not fold(m, program.get).runtime) is is_known


# --- programs at random -----------------------------------------------------------------------


_ARITHMETIC = ("add", "subtract", "multiply", "minimum", "maximum")


class Program:
    """Ints made at random, as text and as numpy makes them; narrow ones overflow."""

    def __init__(self, rng: random.Random, kind: str) -> None:
        self.rng, self.kind = rng, kind
        self.lines: list[str] = []
        self.values: dict[str, Any] = {}

    def add(self, value: Any, op: str, rest: str = "") -> str:
        name = f"v{len(self.lines)}"
        kind = "pred" if value.dtype == bool else self.kind
        shape = ",".join(map(str, value.shape))
        self.lines.append(f"{name} = {kind}[{shape}] {op}{rest}")
        self.values[name] = value if value.dtype == bool else value.astype(self.dtype)
        return name

    @property
    def dtype(self) -> Any:
        return {"s8": np.int8, "u8": np.uint8, "s32": np.int32}[self.kind]

    def shape(self) -> tuple[int, ...]:
        return tuple(self.rng.randint(1, 4) for _ in range(self.rng.randint(1, 2)))

    def made(self, shape: tuple[int, ...], depth: int) -> str:
        rng = self.rng
        choice = rng.random() if depth else 0.2 * rng.random()
        if choice < 0.1:
            k = rng.randrange(len(shape))
            ramp = np.arange(shape[k]).reshape([-1 if i == k else 1 for i in range(len(shape))])
            return self.add(np.array(np.broadcast_to(ramp, shape)), f"iota(), iota_dimension={k}")
        if choice < 0.2:
            return self.literal(shape)
        if choice < 0.6:
            return self.moved(shape, depth - 1)
        return self.computed(shape, depth - 1)

    def literal(self, shape: tuple[int, ...]) -> str:
        rng = self.rng
        value = np.full(shape, rng.randint(0, 5))
        for k, n in enumerate(shape):
            step = rng.randint(-2, 4)
            value = value + step * np.arange(n).reshape([-1 if i == k else 1 for i in range(len(shape))])
        if rng.random() < 0.2:
            value.flat[rng.randrange(value.size)] += 1
        value = np.clip(value, 0 if self.kind == "u8" else -99, 99)
        text = str(value.tolist()).replace("[", "{").replace("]", "}")
        return self.add(value, f"constant({text})")

    def moved(self, shape: tuple[int, ...], depth: int) -> str:
        rng = self.rng
        op = rng.choice(("broadcast", "reshape", "transpose", "slice", "reverse", "concatenate", "pad"))
        k = rng.randrange(len(shape))
        if op == "broadcast":
            a = self.made((shape[k],), depth)
            ramp = self.values[a].reshape([-1 if i == k else 1 for i in range(len(shape))])
            return self.add(
                np.array(np.broadcast_to(ramp, shape)), f"broadcast({a}), dimensions={{{k}}}"
            )
        if op == "reshape":
            a = self.made((int(np.prod(shape)),), depth)
            return self.add(self.values[a].reshape(shape), f"reshape({a})")
        if op == "transpose":
            order = tuple(reversed(range(len(shape))))
            a = self.made(tuple(reversed(shape)), depth)
            dims = ",".join(map(str, order))
            return self.add(self.values[a].transpose(order), f"transpose({a}), dimensions={{{dims}}}")
        if op == "reverse":
            a = self.made(shape, depth)
            return self.add(np.flip(self.values[a], k), f"reverse({a}), dimensions={{{k}}}")
        if op == "slice":
            cuts = [(rng.randint(0, 2), rng.randint(1, 2)) for _ in shape]
            inner = tuple(low + step * n for (low, step), n in zip(cuts, shape, strict=True))
            a = self.made(inner, depth)
            at = tuple(slice(low, n, step) for (low, step), n in zip(cuts, inner, strict=True))
            text = ", ".join(f"[{s.start}:{s.stop}:{s.step}]" for s in at)
            return self.add(self.values[a][at], f"slice({a}), slice={{{text}}}")
        if op == "concatenate":
            n = rng.randint(0, shape[k])
            sizes = [size for size in (n, shape[k] - n) if size]
            parts = [self.made((*shape[:k], size, *shape[k + 1 :]), depth) for size in sizes]
            value = np.concatenate([self.values[p] for p in parts], k)
            return self.add(value, f"concatenate({', '.join(parts)}), dimensions={{{k}}}")
        fill = self.add(np.array(rng.randint(0, 3)), f"constant({0})")
        self.lines[-1] = self.lines[-1].replace("constant(0)", f"constant({int(self.values[fill])})")
        edges = [(low := rng.randint(0, n - 1), rng.randint(0, n - 1 - low)) for n in shape]
        inner = tuple(n - low - high for n, (low, high) in zip(shape, edges, strict=True))
        a = self.made(inner, depth)
        value = np.pad(self.values[a], edges, constant_values=int(self.values[fill]))
        text = "x".join(f"{low}_{high}_0" for low, high in edges)
        return self.add(value, f"pad({a}, {fill}), padding={text}")

    def computed(self, shape: tuple[int, ...], depth: int) -> str:
        rng = self.rng
        op = rng.choice((*_ARITHMETIC, "clamp", "negate", "select", "convert"))
        a, b = self.made(shape, depth), self.made(shape, depth)
        x, y = self.values[a], self.values[b]
        if op == "negate":
            return self.add(-x, f"negate({a})")
        if op == "convert":
            return self.add(x, f"convert({a})")
        if op == "clamp":
            c = self.made(shape, depth)
            return self.add(np.minimum(np.maximum(x, y), self.values[c]), f"clamp({a}, {b}, {c})")
        if op == "select":
            sign = rng.choice(("LT", "GE", "EQ"))
            answer = {"LT": x < y, "GE": x >= y, "EQ": x == y}[sign]
            which = self.add(answer, f"compare({a}, {b})", f", direction={sign}")
            return self.add(np.where(answer, x, y), f"select({which}, {a}, {b})")
        return self.add(getattr(np, op)(x, y), f"{op}({a}, {b})")


@pytest.mark.parametrize("block", range(10))
def test_random_numbers_fold_to_themselves(block: int) -> None:
    known = 0
    for seed in range(40 * block, 40 * block + 40):
        rng = random.Random(seed)
        made = Program(rng, rng.choice(("s32", "s32", "s8", "u8")))
        shape = made.shape()
        last = made.made(shape, rng.randint(0, 3))
        text = ",".join(map(str, shape))
        rows = rng.randint(1, 12)
        gather = taken(len(shape), text, rows, made.kind).replace(f"{made.kind}[{text}] i)", f"{last})")
        program = named("\n".join([*made.lines, f"ROOT {gather}"]))
        ((m,), _) = output_to_input(program["y"])
        found = fold(m, program.get)
        read = reader(made.values)
        assert pairs([found], read) == pairs([m], read), "\n".join(made.lines)
        known += not found.runtime
    assert known >= 20  # the others are no lines, overflow, or choose element by element


def test_a_quotient_of_what_may_be_negative_is_not_known() -> None:
    """XLA rounds -1/2 to 0, and ``floordiv`` to -1."""
    module = read_module("""
i = s32[4] iota(), iota_dimension=0
one = s32[4] constant({1,1,1,1})
below = s32[4] subtract(i, one)
two = s32[4] constant({2,2,2,2})
half = s32[4] divide(below, two)
row = s32[4,1] reshape(half)
read = f32[4] gather(f32[9] x, row), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0},
    index_vector_dim=1, slice_sizes={1}""")
    named = {each.name: each for each in module.entry.instructions}
    (m,), _of_row = output_to_input(named["read"])
    assert fold(m, named.get) == m


@pytest.mark.parametrize(("places", "is_known"), [(0, True), (63, True), (64, False), (-1, False)])
def test_shifts_by_less_than_the_widest_type_are_known(places: int, is_known: bool) -> None:
    m = folded(
        "a = s64[4] iota(), iota_dimension=0\n"
        f"b = s64[] constant({places})\nc = s64[4] broadcast(b), dimensions={{}}\n"
        f"i = s64[4] shift-right-logical(a, c)\nROOT {taken(1, '4', kind='s64')}"
    )
    assert (not m.runtime) is is_known
