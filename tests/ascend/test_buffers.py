"""Tiles in buffers: each rule at its boundary, everywhere, as a plan and as brute force see it."""

import copy
import pickle
from typing import Any, Literal

import pytest
from cases import share
from hypothesis import given, settings, strategies as st

from tla import (
    CapacityError,
    DivisibilityError,
    Layout,
    LayoutError,
    LeafError,
    NotALayoutError,
    Tensor,
    TlaError,
    UndecidedError,
    UnsupportedError,
    _1,
    _4,
    _16,
    _256,
    _1024,
    assume,
    get_tile,
    sym,
)
from tla.ascend import (
    ARCHES,
    CHIPS,
    ELEMENTS,
    TAGS,
    Arch,
    Ascend950,
    AtlasA2,
    AtlasA3,
    KnownArch,
    MmadPingpong,
    allocate,
    allocate_stages,
    element,
    gemm,
    make_layout,
    tags_of,
)
from tla.ascend.arch import Position
from tla.ascend.buffers import buffer_of
from tla.ascend.copies import gm_l1
from tla.numbers.cases import cases

ALL = [*ARCHES.values(), *CHIPS.values()]
POSITIONS: tuple[Position, ...] = ("L1", "L0A", "L0B", "L0C", "UB", "BT", "FB")
HELD = {
    "L1": "half",
    "L0A": "half",
    "L0B": "half",
    "L0C": "float",
    "UB": "half",
    "BT": "float",
    "FB": "uint64_t",
}


def tile(arch: Arch, position: Position, bytes_: int) -> Any:
    """A layout that a buffer takes, of so many bytes: a multiple of 1024."""
    of, tag = element(HELD[position]), (*buffer_of(arch, position).tags, "VectorLayout")[0]
    count = bytes_ * 8 // of.bits
    return (
        make_layout(of, tag, count) if tag == "VectorLayout" else make_layout(of, tag, 16, count // 16)
    )


def said(arch: str | Arch, position: str, layout: Any, of: Any, start: int = 0) -> str:
    """The result of an allocation in a line, or its error."""
    asked: Any = arch, position, layout, of
    try:
        found = allocate(*asked, start=start)
    except TlaError as error:
        return f"{type(error).__name__}: {error.summary}"
    return f"{found.position} from {found.data_offset} on: {found.shape}:{found.stride}"


def bare(layout: Any) -> Any:
    """A layout without its origin shape."""
    return Layout(layout.shape, layout.stride)


# --- capacity ---


@pytest.mark.parametrize("arch", ALL, ids=str)
@pytest.mark.parametrize("position", POSITIONS)
def test_what_fits_and_one_row_more(arch: Arch, position: Position) -> None:
    capacity, of = arch.capacity(position), HELD[position]
    unit, bits = buffer_of(arch, position).unit, element(of).bits
    whole = allocate(arch, position, tile(arch, position, capacity), of)
    assert (whole.position, whole.data_offset) == (position, 0)
    last = allocate(arch, position, tile(arch, position, 1024), of, start=capacity - 1024)
    assert int(last.layout.cosize) + last.data_offset == capacity * 8 // bits

    with pytest.raises(CapacityError) as error:
        allocate(arch, position, tile(arch, position, capacity + 1024), of)
    assert (error.value.needed, error.value.available) == (capacity + 1024, capacity)
    assert error.value.summary.endswith(
        f"takes {capacity + 1024} bytes, {position} of {arch} has {capacity}"
    )
    start = capacity - 1024 + unit
    with pytest.raises(CapacityError) as error:
        allocate(arch, position, tile(arch, position, 1024), of, start=start)
    assert (error.value.needed, error.value.available) == (1024, 1024 - unit)
    assert error.value.summary.endswith(f"{position} of {arch} has {1024 - unit} from byte {start} on")


def test_vectors_by_the_element() -> None:
    assert allocate("AtlasA2", "BT", make_layout("float", "VectorLayout", 256), "float")
    with pytest.raises(
        CapacityError, match="257 elements of float takes 1028 bytes, BT of AtlasA2 has 1024"
    ) as error:
        allocate("AtlasA2", "BT", make_layout("float", "VectorLayout", 257), "float")
    assert error.value.details == ("256 elements would fit.",)


@pytest.mark.parametrize(
    ("of", "cols"), [("int4b_t", 8192), ("int8_t", 4096), ("half", 2048), ("float", 1024)]
)
def test_elements_of_every_width(of: str, cols: int) -> None:
    """Two of four bits share a byte, though ``sizeof`` is 1."""
    assert allocate(AtlasA2, "L0A", make_layout(of, "zZ", 16, cols), of)
    with pytest.raises(CapacityError) as error:
        allocate(AtlasA2, "L0A", make_layout(of, "zZ", 16, cols + 1), of)
    assert error.value.needed == 65536 + 512
    odd = make_layout("int4b_t", "VectorLayout", 2 * 196608 - 1)
    assert allocate("AtlasA2", "UB", odd, "int4b_t")


def test_the_padding_of_a_tile_takes_room_whatever_holds_data() -> None:
    whole = allocate("AtlasA2", "L0A", make_layout("half", "zZ", 128, 241), "half")
    assert whole.origin_shape == (128, 241)
    with pytest.raises(CapacityError, match="128 x 272 of half takes 69632 bytes"):
        allocate("AtlasA2", "L0A", make_layout("half", "zZ", 120, 257), "half")


@pytest.mark.parametrize(("start", "left"), [(65536 - 512, 512), (65536, 0), (1 << 20, 0)])
def test_what_is_left_behind_a_start(start: int, left: int) -> None:
    with pytest.raises(CapacityError) as error:
        allocate("AtlasA2", "L0A", make_layout("half", "zZ", 16, 32), "half", start=start)
    assert error.value.available == left
    assert error.value.summary.endswith(f"L0A of AtlasA2 has {left} from byte {start} on")


def test_an_empty_tile_takes_nothing() -> None:
    empty = make_layout("half", "zZ", 0, 64)
    assert allocate("AtlasA2", "L0A", empty, "half", start=65536).data_offset == 32768


@given(
    st.sampled_from(["zZ", "L0C", "nZ"]), st.integers(1, 700), st.integers(1, 700), st.integers(0, 128)
)
def test_what_would_fit_does_and_no_more_does(tag: str, rows: int, cols: int, units: int) -> None:
    position: Position = {"zZ": "L0A", "L0C": "L0C", "nZ": "L0B"}[tag]  # type: ignore[assignment]
    of = "float" if tag == "L0C" else "half"

    def tried(sizes: tuple[int, int]) -> Any:
        return allocate("AtlasA2", position, make_layout(of, tag, *sizes), of, start=units * 512)

    try:
        tried((rows, cols))
    except CapacityError as error:
        found: Any = error.smaller
        for sizes in found:
            tried(sizes)
            (mode,) = [m for m in (0, 1) if sizes[m] != error_extents(error)[m]]
            more = (sizes[0] + (mode == 0), sizes[1] + (mode == 1))
            with pytest.raises(CapacityError):
                tried(more)
        elements = [a * b for a, b in found]
        assert elements == sorted(elements, reverse=True)


def error_extents(error: TlaError) -> tuple[int, int]:
    """The extents that an error speaks of."""
    rows, _x, cols = error.summary.split()[:3]
    return int(rows), int(cols)


def test_strides_that_leave_room() -> None:
    wide = get_tile(Tensor("A", make_layout("half", "zZ", 128, 4096), position="L1"), (0, 0), (128, 256))
    with pytest.raises(CapacityError) as error:
        allocate("AtlasA2", "L0A", wide.layout, "half")
    (detail,) = error.value.details
    assert (
        detail
        == "Its strides leave room between its parts; make_layout('half', 'zZ', 128, 256) would fit."
    )
    assert allocate("AtlasA2", "L0A", make_layout("half", "zZ", 128, 256), "half")


# --- starts ---


@pytest.mark.parametrize("arch", ALL, ids=str)
@pytest.mark.parametrize("position", POSITIONS)
def test_starts(arch: Arch, position: Position) -> None:
    of, small = HELD[position], tile(arch, position, 1024)
    small = small if position not in ("BT", "FB") else make_layout(of, "VectorLayout", 8)
    unit = {"UB": 32, "L1": 32, "L0A": 512, "L0B": 512, "L0C": 64, "BT": 64, "FB": arch.fixpipe_block}[
        position
    ]
    placed = allocate(arch, position, small, of, start=3 * unit)
    assert placed.data_offset == 3 * unit * 8 // element(of).bits
    for start in (1, 8, 3 * unit - 8, 3 * unit + 16):
        with pytest.raises(DivisibilityError, match=f"is not a multiple of {unit} bytes") as error:
            allocate(arch, position, small, of, start=start)
        found: Any = error.value.nearest
        below, above = found
        assert below < start < above == below + unit
        for nearest in (below, above):
            allocate(arch, position, small, of, start=nearest)


def test_a_start_before_the_buffer() -> None:
    with pytest.raises(LayoutError, match="start -512 lies before L0A of AtlasA2"):
        allocate("AtlasA2", "L0A", make_layout("half", "zZ", 16, 16), "half", start=-512)


# --- tags ---


@pytest.mark.parametrize("arch", ALL, ids=str)
def test_the_tags_of_l0(arch: Arch) -> None:
    own: dict[Position, str] = {"L0A": arch.l0a_tag, "L0B": "nZ", "L0C": "L0C"}
    for position, tag in own.items():
        of = HELD[position]
        for other in ("RowMajor", "ColumnMajor", "zN", "nZ", "zZ", "nN", "L0C"):
            layout = make_layout(of, other, 32, 64)
            if tag in tags_of(layout, of):
                assert allocate(arch, position, layout, of).layout is layout
            else:
                with pytest.raises(LayoutError) as error:
                    allocate(arch, position, layout, of)
                assert error.value.summary == (
                    f"32 x 64 of {of} is {tags_of(layout, of)[0]}, {position} of {arch} takes {tag}"
                )
                call = f"make_layout({of!r}, {tag!r}, 32, 64)"
                assert error.value.details[0] == f"{call} gives that."
                assert error.value.takes == (tag,)
                allocate(arch, position, eval(call), of)


def test_l1_takes_what_is_copied_there() -> None:
    for code, arch in ((2201, AtlasA2), (3510, Ascend950)):
        scales = {tag for tag in gm_l1.PAIRS if tag.startswith("MxScale")}
        taken = set(buffer_of(arch, "L1").tags)
        assert taken >= set(gm_l1.PAIRS) - scales
        assert (taken & scales) == (scales if code == 3510 else set())
    maps = make_layout("half", "NC1HWC0", 1, 2, 7, 9), make_layout("half", "NDC1HWC0", 1, 3, 2, 7, 9)
    filters = (
        make_layout("half", "CI1KHKWCOCI0", 2, 3, 3, 16),
        make_layout("half", "Filter", 2, 3, 3, 16),
    )
    for layout in (*maps, *filters, make_layout("half", "zN", 32, 48, batch=3)):
        assert allocate("AtlasA2", "L1", layout, "half").layout is layout


@pytest.mark.parametrize(
    ("tag", "hint"), [("RowMajor", "zN"), ("ColumnMajor", "nZ"), ("Weight4BitnZ", "zN")]
)
def test_the_way_out_in_l1(tag: str, hint: str) -> None:
    with pytest.raises(LayoutError) as error:
        allocate("AtlasA2", "L1", make_layout("half", tag, 128, 64), "half")
    assert error.value.summary == f"128 x 64 of half is {tag}, L1 of AtlasA2 takes zN, nZ, zZ or nN"
    assert error.value.details[0] == f"make_layout('half', {hint!r}, 128, 64) gives that."


def test_scales_lie_in_l1_of_3510() -> None:
    scales = make_layout("float8_e8m0_t", "MxScalezZ", 32, 8)
    assert allocate("Ascend950", "L1", scales, "float8_e8m0_t").layout is scales
    with pytest.raises(LayoutError, match="is MxScalezZ, L1 of AtlasA3 takes zN, nZ, zZ or nN"):
        allocate("AtlasA3", "L1", scales, "float8_e8m0_t")


def test_elements_of_another_width() -> None:
    with pytest.raises(LayoutError) as error:
        allocate("AtlasA2", "L0A", make_layout("half", "zZ", 128, 64), "int8_t")
    assert (
        error.value.summary == "128 x 64 of int8_t is zZ of 16 bits, L0A of AtlasA2 takes zZ of 8 bits"
    )
    assert "The size of the column block is _16; zZ of 8 bits has 32" in str(error.value)


def test_a_layout_of_no_tag() -> None:
    with pytest.raises(LayoutError) as error:
        allocate("AtlasA2", "L0B", Layout((128, 64), (3, 1000)), "half")
    assert error.value.summary == "128 x 64 of half is in no layout tag, L0B of AtlasA2 takes nZ"
    with pytest.raises(
        LayoutError, match="2 x 57 of float is RowMajor, BT of AtlasA2 takes VectorLayout"
    ):
        allocate("AtlasA2", "BT", make_layout("float", "RowMajor", 2, 57), "float")
    with pytest.raises(LayoutError, match="16 elements of float is in no layout tag"):
        allocate("AtlasA2", "BT", Layout(16, 1), "float")


def test_ub_takes_any_layout_that_starts_at_its_start() -> None:
    for layout in (
        Layout((5, 7), (9, 2)),
        Layout(16, 1),
        make_layout("half", "zN", 20, 40),
        Layout((4, 4), (0, 1)),
    ):
        assert allocate("AtlasA2", "UB", layout, "half").layout is layout
    assert allocate("AtlasA2", "UB", Layout((1, 4), (-3, 1)), "half")
    with pytest.raises(LayoutError, match="reaches before its start in UB of AtlasA2, by the stride -1"):
        allocate("AtlasA2", "UB", Layout((5, 7), (9, -1)), "half")


# --- bad input ---


def test_bad_input() -> None:
    good = make_layout("half", "zZ", 16, 16)
    for wrong, text in (
        (("AtlasA4", "L0A", good, "half"), "there is no architecture 'AtlasA4'"),
        (("AtlasA2", "L0D", good, "half"), "no core has a buffer 'L0D'"),
        (("AtlasA2", "GM", good, "half"), "no core has a buffer 'GM'"),
        (("AtlasA2", "L0A", good, "halv"), "'halv' is not an element type"),
        (("AtlasA2", "L0A", good, "float8_e4m3_t"), "L0A of AtlasA2 holds no float8_e4m3_t"),
        (("AtlasA2", "L0C", good, "half"), "L0C of AtlasA2 holds no half"),
        (("AtlasA2", "BT", good, "half"), "BT of AtlasA2 holds no half"),
    ):
        arguments: Any = wrong
        with pytest.raises(UnsupportedError) as error:
            allocate(*arguments)
        assert error.value.summary == text
    with pytest.raises(NotALayoutError):
        allocate("AtlasA2", "L0A", "zZ", "half")  # type: ignore[type-var]  # ty: ignore[invalid-argument-type]
    with pytest.raises(LeafError):
        allocate("AtlasA2", "L0A", good, "half", start=1.5)  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    with pytest.raises(LeafError):
        allocate("AtlasA2", "L0A", good, "half", start=True)
    with pytest.raises(TypeError, match="name of an architecture"):
        allocate(2201, "L0A", good, "half")  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    bare = AtlasA2.replaced(alignments=())
    with pytest.raises(UnsupportedError, match="AtlasA2 states no alignment of 'L0A'"):
        allocate(bare, "L0A", good, "half")


# --- stages ---


def test_stages_lie_behind_each_other() -> None:
    layout = make_layout("float", "VectorLayout", 20)
    stages = allocate_stages("AtlasA2", "BT", layout, "float", 3, start=64)
    assert [s.data_offset * 4 for s in stages] == [64, 64 + 128, 64 + 256]
    assert all(s.layout is layout and s.position == "BT" for s in stages)
    (alone,) = allocate_stages("AtlasA2", "BT", layout, "float", 1)
    assert alone == allocate("AtlasA2", "BT", layout, "float")


def test_stages_at_the_boundary() -> None:
    layout = make_layout("half", "zZ", 128, 64)
    assert len(allocate_stages("AtlasA2", "L0A", layout, "half", 4)) == 4
    with pytest.raises(CapacityError) as error:
        allocate_stages("AtlasA2", "L0A", layout, "half", 5)
    assert (
        error.value.summary == "5 stages of 128 x 64 of half take 81920 bytes, L0A of AtlasA2 has 65536"
    )
    assert error.value.details == ("96 x 64 would fit, or 128 x 48, or 4 stages.",)
    # the last one ends where it ends, without what would align another
    vector = make_layout("float", "VectorLayout", 120)
    assert len(allocate_stages("AtlasA2", "BT", vector, "float", 2)) == 2
    with pytest.raises(CapacityError, match="2 stages of 113 elements of float take 964 bytes"):
        allocate_stages("AtlasA2", "BT", make_layout("float", "VectorLayout", 113), "float", 2, start=64)


@pytest.mark.parametrize("stages", [0, -1])
def test_at_least_one_stage(stages: int) -> None:
    with pytest.raises(LayoutError, match="1 stage or more"):
        allocate_stages("AtlasA2", "L0A", make_layout("half", "zZ", 16, 16), "half", stages)


def test_stages_of_an_unknown_number() -> None:
    layout = make_layout("half", "zZ", 128, 64)
    with pytest.raises(UndecidedError):
        allocate_stages("AtlasA2", "L0A", layout, "half", sym("n"))
    with pytest.raises(CapacityError, match=r"n.* stages of 128 x 64"):
        allocate_stages("AtlasA2", "L0A", layout, "half", sym("n", min=5))


# --- the origin shape ---

SIZES = [(1, 1), (5, 3), (16, 16), (20, 48), (33, 17), (0, 8), (300, 1000)]


@pytest.mark.parametrize("tag", TAGS)
def test_the_origin_shape_has_no_say(tag: str) -> None:
    """A layout with its origin shape, and the one of the same shape and stride, get one answer."""
    made = 0
    for of in ("half", "int8_t", "int4b_t", "float", "float8_e8m0_t"):
        for pair in SIZES:
            sizes = (pair * 3)[: len(TAGS[tag].sizes)]
            options: Any = {"block": (16, 32)} if "block" in TAGS[tag].options else {}
            if TAGS[tag].elements not in (None, (of,)):
                continue
            layout = make_layout(of, tag, *sizes, **options)
            for arch in (AtlasA2, Ascend950):
                for position in ("L1", "L0A", "L0C", "UB", "BT"):
                    answer = said(arch, position, layout, of)
                    assert said(arch, position, bare(layout), of) == answer
                    made += answer.startswith(position)
    assert made


@given(st.integers(1, 90), st.integers(1, 90), st.integers(0, 5), st.integers(0, 5), st.integers(1, 90))
def test_tiles_at_the_end_of_a_matrix_too(rows: int, cols: int, i: int, j: int, high: int) -> None:
    whole = Tensor("A", make_layout("half", "zN", rows, cols), position="L1")
    at = (min(16 * i, (rows - 1) // 16 * 16), min(16 * j, (cols - 1) // 16 * 16))
    layout = get_tile(whole, at, (high, 32)).layout
    for position in ("L1", "UB"):
        assert said("AtlasA2", position, layout, "half") == said(
            "AtlasA2", position, bare(layout), "half"
        )


# --- brute force ---


@settings(max_examples=share(100))
@given(
    st.sampled_from(["zZ", "zN", "nZ", "RowMajor"]),
    st.sampled_from(["int4b_t", "int8_t", "half", "float"]),
    st.integers(1, 50), st.integers(1, 50), st.integers(0, 70),
)  # fmt: skip
def test_the_last_byte_and_the_first(tag: str, of: str, rows: int, cols: int, start: int) -> None:
    """A tile is allocated exactly where each bit of it lies in the buffer and its start is aligned."""
    small = AtlasA2.replaced(name="small", l0a=8192, ub=8192)
    layout, bits = make_layout(of, tag, rows, cols), element(of).bits
    last = max(layout(i) for i in range(layout.size))
    inside = start * 128 * 8 + (last + 1) * bits <= 8192 * 8
    for position, unit in (("UB", 32), ("L0A", 512)):
        legal = (
            inside
            and start * 128 % unit == 0
            and (position == "UB" or "zZ" in tags_of(bare(layout), of))
        )
        found = said(small, position, layout, of, start * 128)
        assert found.startswith(position) == legal, found


# --- as a plan is judged ---


@settings(max_examples=share(60))
@given(
    st.sampled_from([AtlasA2, AtlasA3, Ascend950]), st.sampled_from(["half", "float", "int8_t"]),
    st.sampled_from(["RowMajor", "ColumnMajor"]), st.sampled_from(["RowMajor", "ColumnMajor"]),
    st.tuples(*[st.integers(1, 12)] * 3), st.tuples(*[st.integers(1, 3)] * 4),
)  # fmt: skip
def test_a_plan_fits_where_its_tiles_are_allocated(
    arch: Arch, of: str, a: str, b: str, units: tuple[int, int, int], stages: tuple[int, int, int, int]
) -> None:
    """Of tiles without padding: those of a plan lie where CATLASS places them without."""
    m, n, k = (32 * x for x in units)
    l1a, l1b, l0a, l0b = stages
    policy = MmadPingpong(
        unit_flag=False, l1a_stages=l1a, l1b_stages=l1b, l0a_stages=l0a, l0b_stages=l0b
    )
    plan = gemm(arch, (4096, 4096, 4096), of, (a, b), (m, n, 2 * k), (m, n, k), policy, bias=None)
    rules = {f.rule: f.severity != "error" for f in plan.check().checks}
    sums = plan.accumulator.name

    def fits(*tiles: tuple[Position, Any, str, int]) -> bool:
        start = 0
        for position, layout, kind, number in tiles:
            try:
                found = allocate_stages(arch, position, layout, kind, number, start=start)
            except CapacityError:
                return False
            start += number * element(kind).bytes_of(int(found[0].layout.cosize))
        return True

    assert rules["L0A capacity"] == fits(("L0A", plan.layout("A", "L0A"), of, l0a))
    assert rules["L0B capacity"] == fits(("L0B", plan.layout("B", "L0B"), of, l0b))
    assert rules["L0C capacity"] == fits(("L0C", plan.layout("C", "L0C"), sums, 1))
    both = (("L1", plan.layout("A", "L1"), of, l1a), ("L1", plan.layout("B", "L1"), of, l1b))
    assert rules["L1 capacity"] == fits(*both)  # type: ignore[arg-type]
    assert all(rules[f"{buffer} alignment"] for buffer in ("L1", "L0A", "L0B", "L0C"))


def test_an_overflow_of_l0a_has_the_numbers_of_the_report() -> None:
    plan = gemm("AtlasA2", (4096, 4096, 4096), "half", l1=(128, 256, 512), l0=(128, 256, 256))
    (finding,) = [f for f in plan.check().errors if f.rule == "L0A capacity"]
    with pytest.raises(CapacityError) as error:
        allocate_stages("AtlasA2", "L0A", plan.layout("A", "L0A"), "half", 2)
    assert (
        (error.value.needed, error.value.available)
        == (finding.needed, finding.available)
        == (131072, 65536)
    )


def test_a_bias_fits_where_its_plan_says() -> None:
    for n, fits in ((256, True), (272, False)):
        plan = gemm(
            "AtlasA2", (64, 4096, 64), "half", l1=(16, n, 64), l0=(16, n, 64),
            policy="MmadAtlasA2PingpongBias", bias="float",
        )  # fmt: skip
        (finding,) = [f for f in plan.check().checks if f.rule == "BT capacity"]
        assert (finding.severity == "holds") == fits
        found = said("AtlasA2", "BT", plan.layout("bias", "BT"), "float")
        assert found.startswith("BT") == fits


@pytest.mark.parametrize("arch", ["AtlasA2", "Ascend950"])
def test_the_tiles_of_a_plan_are_in_tags_of_their_buffers(arch: str) -> None:
    plan = gemm(arch, (512, 512, 512), "half", "RowMajor,ColumnMajor", bias="float")
    for operand, position in (
        ("A", "L1"),
        ("A", "L0A"),
        ("B", "L1"),
        ("B", "L0B"),
        ("C", "L0C"),
        ("bias", "L1"),
        ("bias", "BT"),
    ):
        of = plan.accumulator if position in ("L0C", "BT") else plan.element(operand)  # type: ignore[arg-type]
        layout = plan.layout(operand, position)  # type: ignore[arg-type]
        assert allocate(arch, position, layout, of).layout is layout  # type: ignore[arg-type]


# --- unknowns ---


def test_what_is_known_of_symbolic_sizes() -> None:
    m = sym("M", min=1)
    with pytest.raises(UndecidedError) as error:
        allocate("AtlasA2", "L0A", make_layout("half", "zZ", m, 64), "half")
    assert str(error.value.obligation) == "2048 * ((M + 15) // 16) <= 65536"
    assert allocate("AtlasA2", "L0A", make_layout("half", "zZ", sym("M", max=512), 64), "half")
    with pytest.raises(CapacityError, match=r"of half takes .* bytes, L0A of AtlasA2 has"):
        allocate("AtlasA2", "L0A", make_layout("half", "zZ", sym("M", min=513), 64), "half")
    with assume(m <= 512):
        found = allocate("AtlasA2", "L0A", make_layout("half", "zZ", m, 64), "half")
    assert found.assumptions == (m <= 512,)
    again = allocate("AtlasA2", "L0A", make_layout("half", "zZ", m, 64), "half", assume=m <= 512)
    assert again == found
    assert found.bind(M=100).layout == make_layout("half", "zZ", 100, 64)


def test_symbolic_starts() -> None:
    layout = make_layout("half", "zZ", 128, 64)
    with pytest.raises(UndecidedError) as error:
        allocate("AtlasA2", "L0A", layout, "half", start=sym("s", min=0, max=512))
    assert str(error.value.obligation) == "s % 512 == 0"
    placed = allocate(
        "AtlasA2", "L0A", layout, "half", start=sym("s", min=0, max=49152, divisible_by=512)
    )
    assert placed.bind(s=1024).data_offset == 512
    with pytest.raises(DivisibilityError):
        allocate("AtlasA2", "L0A", layout, "half", start=512 * sym("s", min=0) + 64)


def test_an_error_for_all_values_is_told_before_a_question() -> None:
    """Of no more than 16 rows zN is zZ, which is open; that there is no room is not."""
    layout = make_layout("half", "zN", sym("M"), 32)
    with pytest.raises(UndecidedError):
        allocate("AtlasA2", "L0A", layout, "half")
    with pytest.raises(CapacityError):
        allocate("AtlasA2", "L0A", layout, "half", start=65536)


def test_the_tag_of_a_symbolic_layout() -> None:
    with pytest.raises(LayoutError, match="of half is not zZ, which L0A of AtlasA2 takes"):
        allocate("AtlasA2", "L0A", make_layout("half", "zN", 64, sym("K", min=17)), "half")
    d = sym("d", min=0)
    with pytest.raises(UndecidedError) as error:
        allocate("AtlasA2", "L0A", Layout(((_16, 4), (_16, _4)), ((_16, d), (_1, _256))), "half")
    assert str(error.value.obligation) == "d % 256 == 0"


@given(st.integers(0, 40), st.integers(0, 70), st.sampled_from([0, 512, 100, 32768]))
@settings(max_examples=20)
def test_cases_of_unknown_ints_have_the_run_among_them(count: int, units: int, start: int) -> None:
    """As the type checker runs it: what is common to all cases holds for the numbers too."""

    def run(n: Any, step: Any) -> Any:
        layout = Layout(((_16, n), (_16, _4)), ((_16, step), (_1, _256)))
        return allocate("AtlasA2", "L0A", layout, "half", start=start)

    kinds = {type(case.error) for case in cases(lambda unknown: run(unknown(0), unknown()))}
    error: TlaError | None = None
    try:
        run(count, 256 * units)
    except TlaError as raised:
        error = raised
    assert type(error) in kinds


def test_cases_prove_what_numbers_cannot_help() -> None:
    for operation in (
        lambda unknown: allocate("AtlasA2", "L0A", Layout((unknown(0), _256), (_256, _1)), "half"),
        lambda unknown: allocate(
            "AtlasA2", "L0A", Layout(((_16, unknown(1)), (_16, 512)), ((_16, 131072), (_1, 256))), "half"
        ),
        lambda unknown: allocate(
            "AtlasA2", "L0A", Layout(((_16, _4), (_16, _4)), ((_16, _1024), (_1, _256))), "half",
            start=512 * unknown(0) + 64,
        ),
    ):  # fmt: skip
        found = list(cases(operation))
        assert found
        assert len({type(case.error) for case in found}) == 1
        assert isinstance(found[0].error, LayoutError)


# --- the architecture in the type ---


@pytest.mark.parametrize("name", ARCHES)
def test_a_known_architecture_is_made_from_its_name(name: str) -> None:
    known = KnownArch(name)
    assert known == ARCHES[name]
    assert type(ARCHES[name]) is KnownArch
    assert repr(known) == f"arch({name!r})"
    for same in (copy.copy(known), copy.deepcopy(known), pickle.loads(pickle.dumps(known))):
        assert same == known
        assert type(same) is KnownArch


def test_a_changed_architecture_is_not_of_the_type() -> None:
    changed = [
        AtlasA2.replaced(ub=1024),
        AtlasA2._replace(ub=1024),
        AtlasA2.replaced(),
        CHIPS["Ascend910B3"],
    ]
    assert [type(x) for x in changed] == [Arch] * 4
    assert changed[2] == AtlasA2
    again = pickle.loads(pickle.dumps(changed[0]))
    assert (again, type(again)) == (changed[0], Arch)
    plain: Arch = AtlasA2
    exact: KnownArch[Literal["AtlasA2"]] = AtlasA2
    assert plain is exact


def test_no_other_name_is_known() -> None:
    for name in ("Ascend910B3", "atlasa2", ""):
        with pytest.raises(UnsupportedError, match="there is no architecture"):
            KnownArch(name)
    with pytest.raises(TypeError, match="name of an architecture, got int 4"):
        KnownArch(4)  # type: ignore[type-var]  # ty: ignore[invalid-argument-type]


def test_elements_that_buffers_hold_are_those_of_the_products() -> None:
    for arch in ALL:
        for product in arch.products:
            pairs = {
                "L0A": product.a,
                "L0B": product.b,
                "L0C": product.accumulator,
                "BT": product.accumulator,
            }
            for position, name in pairs.items():
                assert name in (buffer_of(arch, position).elements or ())  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
        assert buffer_of(arch, "L1").elements is None
    assert set(ELEMENTS) >= set(buffer_of(Ascend950, "L0A").elements or ())


def test_a_tensor_at_an_offset_of_its_data() -> None:
    moved = Tensor("A", Layout((4, 8), (8, 1)), data_offset=100)
    assert (moved(1, 2), moved.data_offset) == (110, 100)
    assert get_tile(moved, (2, 4), (2, 4))(1, 1) == 100 + 3 * 8 + 5
    assert moved == pickle.loads(pickle.dumps(moved)) != Tensor("A", Layout((4, 8), (8, 1)))
    with pytest.raises(LeafError):
        Tensor("A", Layout(4, 1), data_offset=0.5)  # type: ignore[call-overload]  # ty: ignore[invalid-argument-type]
