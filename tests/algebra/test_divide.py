"""Division: ``layout o (tiler, complement(tiler))``, whole and by mode, and when a tile divides."""

from collections.abc import Iterator
from re import escape
from typing import Any

import pytest
from cases import share
from hypothesis import given, settings, strategies as st

import tla
from tla import (
    CongruenceError,
    CoordinateError,
    DivisibilityError,
    Layout,
    LayoutError,
    LeafError,
    NotALayoutError,
    OverlapError,
    TlaError,
    UndecidedError,
    _,
    flat_divide,
    get,
    logical_divide,
    parse,
    tiled_divide,
    zipped_divide,
)
from tla.numbers import Condition, sym
from tla.testing import (
    layouts,
    naive_complement,
    naive_composition,
    naive_extended,
    naive_offsets,
    naive_refines,
    naive_size,
    shapes,
)

DIVIDES = [logical_divide, zipped_divide, tiled_divide, flat_divide]
ALL = pytest.mark.parametrize("divide", DIVIDES)
PRODUCTS = [tla.logical_product, tla.zipped_product, tla.tiled_product, tla.flat_product]
M = sym("M")
M16 = sym("M", divisible_by=16)
ODD = (Layout((M, 6), (1, M)), 4)


def paired(a: Any, b: Any) -> Any:
    return Layout((a.shape, b.shape), (a.stride, b.stride))


def tiles(size: int) -> st.SearchStrategy[Any]:
    """A tiler of so many coordinates: mostly of modes that divide, in steps that do."""
    steps = sorted({n for n in range(1, size + 1) if size % n == 0} | {1, 2, 3})
    one = st.builds(Layout, st.sampled_from(steps), st.sampled_from([0, 1, 1, 1, *steps]))
    return one | st.builds(paired, one, one)


@st.composite
def divisions(draw: st.DrawFn) -> tuple[Any, Any]:
    layout = draw(layouts(shapes(max_size=36, min_rank=1, static=False), min_stride=-3, static=False))
    return layout, draw(tiles(layout.size))


# --- by a layout ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("layout", "tiler", "expected"),
    [
        # CuTe 02_layout_algebra.md, "Division"
        ("(4,2,3):(2,1,8)", "4:2", "((2,2),(2,3)):((4,1),(2,8))"),
        ("24:3", "4:2", "(4,(2,3)):(6,(3,24))"),
        ("16:1", "(2,2):(4,1)", "((2,2),(2,2)):((4,1),(2,8))"),
        ("(8,6):(1,8)", "4:1", "(4,12):(1,4)"),
        # nothing left, or all of it
        ("4:1", "4:1", "(4,1):(1,0)"),
        ("6:5", "1:0", "(1,6):(0,5)"),
        # a tile that does not divide
        ("10:1", "4:1", "(4,3):(1,4)"),
        ("4:1", "8:1", "(8,1):(1,0)"),
        ("6:1", "2:2", "(2,(2,2)):(2,(1,4))"),
        # strides of 0 and below
        ("12:-1", "4:1", "(4,3):(-1,-4)"),
        ("(4,3):(0,1)", "4:1", "(4,3):(0,1)"),
        ("6:1", "4:0", "(4,6):(0,1)"),
        # no coordinates, or no modes
        ("0:1", "4:1", "(4,0):(1,4)"),
        ("4:2", "():()", "((),4):((),2)"),
        ("(_8,_6):(_1,_8)", "_4:_1", "(_4,_12):(_1,_4)"),
    ],
)
def test_logical_divide(layout: str, tiler: str, expected: str) -> None:
    assert str(logical_divide(parse(layout), parse(tiler))) == expected


@given(divisions())
def test_the_composition_with_the_tiler_and_what_it_leaves(case: tuple[Any, Any]) -> None:
    layout, tiler = case
    rest = naive_complement(tiler, layout.size)
    if rest is None:
        with pytest.raises(OverlapError) as overlap:
            logical_divide(layout, tiler)
        assert overlap.value.layout == tiler
        return
    table = naive_composition(layout, paired(tiler, rest))
    if table is None:
        with pytest.raises(DivisibilityError) as caught:
            logical_divide(layout, tiler)
        assert caught.value.a == layout
        check_witness(caught.value)
        return
    result = logical_divide(layout, tiler)
    assert naive_offsets(result) == table
    assert naive_refines(get(result, 0).shape, tiler.shape)
    assert tla.same_function(get(result, 0), tla.composition(layout, tiler))


def check_witness(error: Any) -> None:
    assert naive_extended(error.a, error.b(error.coord)) == error.value != error.layout_value


def test_an_exact_tile_of_an_unknown_size_asks_for_the_count_of_its_tiles() -> None:
    """Tiles ``(2,2):(1,3)`` take 4 coordinates for each 6 of the size."""
    with pytest.raises(UndecidedError) as caught:
        logical_divide(parse("A:1"), parse("(2,2):(1,3)"), exact=True)
    assert str(caught.value.obligation) == "4 * ((A + 5) // 6) == A"


@given(divisions())
def test_an_exact_tile_covers_each_element_once(case: tuple[Any, Any]) -> None:
    layout, tiler = case
    try:
        whole = logical_divide(layout, tiler)
    except TlaError as error:
        with pytest.raises(type(error)):
            logical_divide(layout, tiler, exact=True)
        return
    rest: Any = naive_complement(tiler, layout.size)
    indices = sorted(naive_offsets(paired(tiler, rest)))
    if indices == list(range(layout.size)):
        assert logical_divide(layout, tiler, exact=True) == whole
        assert sorted(naive_offsets(whole)) == sorted(naive_offsets(layout))
        return
    with pytest.raises(DivisibilityError) as caught:
        logical_divide(layout, tiler, exact=True)
    assert (caught.value.layout, caught.value.tiler) == (layout, tiler)
    padded = max(len(indices), indices[-1] + 1)
    whole = paired(tiler, naive_complement(tiler, padded))
    fills = padded > layout.size and naive_size(whole.shape) == padded
    works = fills and sorted(naive_offsets(whole)) == list(range(padded))
    assert caught.value.data.get("padded_size") == (padded if works else None)


@pytest.mark.parametrize("size", [5, 11, 17])
def test_a_tile_that_leaves_gaps_is_not_exact(size: int) -> None:
    """Tiles of the coordinates 0, 1, 3 and 4 of every 6 never reach coordinate 2."""
    layout, tiler = Layout(size, 1), parse("(2,2):(1,3)")
    assert naive_size(logical_divide(layout, tiler).shape) < size
    with pytest.raises(DivisibilityError) as caught:
        logical_divide(layout, tiler, exact=True)
    assert str(caught.value) == (
        f"the tile (2,2):(1,3) does not divide {size}:1\n"
        f"  Its tiles take {(size + 1) // 6 * 4} of the {size} coordinates and leave gaps between them."
    )
    assert "padded_size" not in caught.value.data


def test_a_tile_that_repeats_coordinates_is_not_exact() -> None:
    with pytest.raises(DivisibilityError) as caught:
        logical_divide(Layout(4, 1), Layout(2, 0), exact=True)
    assert str(caught.value) == (
        "the tile 2:0 does not divide 4:1\n"
        "  Its tiles take 8 coordinates, of which some are the same: the last is 3."
    )
    assert "padded_size" not in caught.value.data


@given(st.integers(0, 60), st.integers(1, 12))
def test_an_int_that_does_not_divide_lets_the_size_grow(size: int, tile: int) -> None:
    for divide in DIVIDES:
        result = divide(Layout(size, 3), tile)
        assert result.shape == (tile, -(-size // tile))
        assert naive_offsets(result) == [3 * i for i in range(naive_size(result.shape))]
        if size % tile:
            with pytest.raises(
                DivisibilityError, match=rf"^the tile {tile}:1 does not divide {size}:3\n"
            ):
                divide(Layout(size, 3), tile, exact=True)
        else:
            assert divide(Layout(size, 3), tile, exact=True) == result


# --- by mode ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tiler", "logical", "zipped"),
    [
        (2, "(2,(4,6)):(1,(2,8))", "(2,(4,6)):(1,(2,8))"),
        ((2,), "((2,(1,4)),6):((1,(0,2)),8)", "((2),((1,4),6)):((1),((0,2),8))"),
        ((_, 3), "((2,4),(3,2)):((1,2),(8,24))", "((1,3),((2,4),2)):((0,8),((1,2),24))"),
        ((None, None), "((2,4),6):((1,2),8)", "((1,1),((2,4),6)):((0,0),((1,2),8))"),
        ((), "((2,4),6):((1,2),8)", "((),((2,4),6)):((),((1,2),8))"),
        (
            ((_, 2), 3),
            "((2,(2,2)),(3,2)):((1,(2,4)),(8,24))",
            "(((1,2),3),((2,2),2)):(((0,2),8),((1,4),24))",
        ),
        (
            (parse("2:4"), parse("(1,2):(0,3)")),
            "((2,4),((1,2),3)):((4,1),((0,24),8))",
            "((2,(1,2)),(4,3)):((4,(0,24)),(1,8))",
        ),
    ],
)
def test_tilers(tiler: Any, logical: str, zipped: str) -> None:
    layout = parse("((2,4),6):((1,2),8)")
    for result, expected in (
        (logical_divide(layout, tiler), parse(logical)),
        (zipped_divide(layout, tiler), parse(zipped)),
    ):
        assert tla.coalesce(result) == tla.coalesce(expected)
        assert tla.product_each(result.shape) == tla.product_each(expected.shape)
        assert naive_offsets(result) == naive_offsets(expected)


@pytest.mark.parametrize(
    ("divide", "expected"),
    [
        (logical_divide, "((4,2),(3,2)):((1,4),(8,24))"),
        (zipped_divide, "((4,3),(2,2)):((1,8),(4,24))"),
        (tiled_divide, "((4,3),2,2):((1,8),4,24)"),
        (flat_divide, "(4,3,2,2):(1,8,4,24)"),
    ],
)
def test_arrangements(divide: Any, expected: str) -> None:
    assert str(divide(parse("(8,6):(1,8)"), (4, 3))) == expected
    assert divide(parse("(_8,_6):(_1,_8)"), (tla._4, tla._3)).is_static


def test_what_is_left_alone_is_in_the_rest() -> None:
    layout = parse("(8,6):(1,8)")
    for alone in (None, _):
        assert logical_divide(layout, alone) == layout
        assert str(zipped_divide(layout, alone)) == "(1,(8,6)):(0,(1,8))"
        assert str(tiled_divide(layout, alone)) == str(flat_divide(layout, alone)) == "(1,8,6):(0,1,8)"


@st.composite
def divisions_by_mode(draw: st.DrawFn) -> tuple[Any, tuple[Any, ...]]:
    extents = shapes(max_size=48, min_rank=1, max_depth=2, static=False).filter(tla.is_tuple)
    layout = draw(layouts(extents, static=False))
    return layout, draw(tilers_by_mode(layout))


@st.composite
def tilers_by_mode(draw: st.DrawFn, layout: Any) -> tuple[Any, ...]:
    """A tiler for each of the first modes: an int, a layout, a tuple for the modes of a mode, none."""
    out: list[Any] = []
    for mode in layout:
        kinds = [st.none(), st.just(_), st.integers(1, 4), tiles(mode.size)]
        if tla.is_tuple(mode.shape):
            kinds.append(tilers_by_mode(mode))
        out.append(draw(st.one_of(kinds)))
    return tuple(out[: draw(st.integers(0, len(out)))])


def halves(split: Any, layout: Any, tiler: Any) -> Iterator[tuple[Any, Any]]:
    """The two parts that each leaf of a tiler makes of its mode, in order, and the modes past it."""
    if tiler is None or tiler is _:
        yield Layout(1, 0), layout
        return
    if not tla.is_tuple(tiler):
        parts = split(layout, tiler)
        yield get(parts, 0), get(parts, 1)
        return
    for i, mode in enumerate(layout):
        if i < len(tiler):
            yield from halves(split, mode, tiler[i])
        else:
            yield Layout((), ()), mode


@pytest.mark.parametrize("family", [DIVIDES, PRODUCTS], ids=["divide", "product"])
@settings(max_examples=share(60))
@given(case=divisions_by_mode())
def test_by_mode(family: list[Any], case: tuple[Any, tuple[Any, ...]]) -> None:
    """Each mode is split on its own; the other forms gather all first parts, then all second ones."""
    layout, tiler = case
    split, *gathering = family
    try:
        logical = split(layout, tiler)
    except TlaError as error:
        for gather in gathering:
            with pytest.raises(type(error)):
                gather(layout, tiler)
        return
    for i, mode in enumerate(layout):
        assert get(logical, i) == (split(mode, tiler[i]) if i < len(tiler) else mode)
    parts = list(halves(split, layout, tiler))
    order = [*(first for first, _second in parts), *(second for _first, second in parts)]
    table = naive_offsets(Layout(tuple(x.shape for x in order), tuple(x.stride for x in order)))
    zipped, tiled, flat = (gather(layout, tiler) for gather in gathering)
    assert naive_offsets(zipped) == naive_offsets(tiled) == naive_offsets(flat) == table
    assert (zipped.rank, tla.rank(zipped.shape[0])) == (2, len(tiler))
    assert tiled.shape == (zipped.shape[0], *zipped.shape[1])
    assert flat.shape == (*zipped.shape[0], *zipped.shape[1])
    assert len(flat.shape) == len(tiler) + layout.rank


def test_origins() -> None:
    padded = parse("(8,6):(1,8):(7,5)")
    assert str(logical_divide(padded, (4, _))) == "((4,2),6):((1,4),8):(8,5)"
    assert str(zipped_divide(padded, (4, _))) == "((4,1),(2,6)):((1,0),(4,8))"
    assert str(logical_divide(padded, 4)) == "(4,12):(1,4)"


# --- errors -----------------------------------------------------------------------------------


def test_texts_of_tiles_that_do_not_divide() -> None:
    with pytest.raises(DivisibilityError) as caught:
        logical_divide(parse("10:1"), 4, exact=True)
    assert str(caught.value) == (
        "the tile 4:1 does not divide 10:1\n"
        "  Its tiles reach over 12 coordinates, the layout has 10.\n"
        "  Padded to 12 it would be divided.\n"
        "  With exact=False the last mode grows."
    )
    assert caught.value.padded_size == 12
    with pytest.raises(DivisibilityError) as by_mode:
        zipped_divide(parse("(8,10):(1,8)"), (4, 3), exact=True)
    assert by_mode.value.summary == "the tile 3:1 does not divide 10:8"
    assert (by_mode.value.layout, by_mode.value.padded_size) == (Layout(10, 8), 12)


@ALL
@pytest.mark.parametrize(
    ("tiler", "error", "summary"),
    [
        ((1, 2, 3), CongruenceError, "(1,2,3) has 3 parts, (8,6):(1,8) has 2 modes"),
        ((2, (1, 2)), CongruenceError, "(1,2) has 2 parts, 6:8 has 1 mode"),
        (0, LayoutError, "0:1 has no coordinate, and so no complement"),
        ((0,), LayoutError, "0:1 has no coordinate, and so no complement"),
        (-1, LayoutError, "shape -1 has the negative extent -1"),
        ((-1,), LayoutError, "shape -1 has the negative extent -1"),
        ("x", LeafError, "expected an int, got str 'x'"),
        ((2.0,), LeafError, "expected an int, got float 2.0"),
        ((2, True), LeafError, "expected an int, got bool True"),
        (
            parse("(2,2):(1,1)"),
            OverlapError,
            "(2,2):(1,1) has no complement: its modes 2:1 and 2:1 overlap or interleave",
        ),
        (
            parse("3:1"),
            DivisibilityError,
            "dividing (8,6):(1,9) by 3:1 does not give a layout",
        ),
    ],
)
def test_tilers_that_are_none(divide: Any, tiler: Any, error: type[TlaError], summary: str) -> None:
    layout = parse("(8,6):(1,8)") if tiler != parse("3:1") else parse("(8,6):(1,9)")
    with pytest.raises(error) as caught:
        divide(layout, tiler)
    assert type(caught.value) is error
    assert caught.value.summary == summary


def test_the_composition_of_a_division_is_told() -> None:
    layout = parse("(8,6):(1,9)")
    with pytest.raises(DivisibilityError) as caught:
        logical_divide(layout, 3)
    assert str(caught.value) == (
        "dividing (8,6):(1,9) by 3:1 does not give a layout\n"
        "  It is the composition of (8,6):(1,9) with (3,16):(1,3).\n"
        "  Mode 1 of the right side is 16:3. With each coordinate the offset grows by 3, but not from"
        " 2 to 3. A mode has one step, so the first 3 coordinates would be a mode of their own, and 3"
        " does not divide 16.\n"
        "  At coordinate (0,3): A(B(0,3)) = A(9) = 10, a layout would give 9.\n"
        "  A tile of 2 or 4 gives a layout."
    )
    assert (caught.value.layout, caught.value.tiler) == (layout, Layout(3, 1))
    assert (caught.value.a, caught.value.b) == (layout, parse("(3,16):(1,3)"))
    check_witness(caught.value)
    for tile in (2, 4):
        assert tla.is_layout(logical_divide(layout, tile, exact=True))


@ALL
def test_what_is_no_layout(divide: Any) -> None:
    for wrong in ((8, 6), "8:1", None):
        with pytest.raises(NotALayoutError, match=r"^expected a layout, got "):
            divide(wrong, 2)
    with pytest.raises(CoordinateError):
        divide(Layout((), ()), 4)


# --- large and symbolic -----------------------------------------------------------------------


def test_sixty_modes() -> None:
    layout = Layout((2,) * 60, tuple(2 ** (7 * i % 60) for i in range(60)))
    whole = logical_divide(layout, Layout((2**10, 2**10), (2**5, 2**40)), exact=True)
    assert whole.size == 2**60
    assert tla.is_bijective(whole)
    by_two = zipped_divide(layout, (2,) * 60)
    assert tla.get(by_two, 0) == layout
    assert tla.get(by_two, 1).size == 1


def test_ints_beyond_64_bits() -> None:
    layout = Layout((10**20, 10**12), (10**12, 1))
    result = zipped_divide(layout, (10**5, 10**6), exact=True)
    assert result == Layout(((10**5, 10**6), (10**15, 10**6)), ((10**12, 1), (10**17, 10**6)))
    with pytest.raises(DivisibilityError) as caught:
        flat_divide(layout, (7, 10**6), exact=True)
    assert caught.value.padded_size == 10**20 + 7 - 10**20 % 7


@pytest.mark.parametrize(
    ("layout", "tiler"),
    [
        (Layout(M, 1), 4),
        (Layout((8, M), (1, 8)), 4),
        (Layout((8, M), (1, 8)), (4, 2)),
        (Layout((8, M16), (M16, 1)), (4, 16)),
        (Layout((8, M), (M, 1)), (Layout(2, 4), _)),
        (Layout(16, 1), M),
        ODD,
    ],
)
def test_unknown_extents(layout: Any, tiler: Any) -> None:
    for divide in DIVIDES:
        result = divide(layout, tiler)
        for m in (16, 48, *((1, 2, 3, 5) if (layout, tiler) == ODD else ())):
            plain, found = (x.bind(M=m) for x in (layout, result))
            assert naive_offsets(found) == naive_offsets(divide(plain, m if tiler is M else tiler))


@pytest.mark.parametrize(
    ("divide", "layout", "tiler", "need"),
    [
        (logical_divide, Layout(M, 1), 4, M % 4 == 0),
        (zipped_divide, Layout((8, M), (1, 8)), (4, 2), M % 2 == 0),
    ],
)
def test_what_an_unknown_leaves_open(divide: Any, layout: Any, tiler: Any, need: Condition) -> None:
    exact = need.op == "=="
    with pytest.raises(UndecidedError, match=f" {escape(str(need))}\n") as caught:
        divide(layout, tiler, exact=exact)
    assert caught.value.obligation == need
    result = divide(layout, tiler, exact=exact, assume=need)
    assert result.assumptions == (need,)
    for m in (8, 12, 16):
        plain, found = layout.bind(M=m), result.bind(M=m)
        assert naive_offsets(found) == naive_offsets(divide(plain, tiler, exact=exact))


def test_a_mode_that_may_end_within_a_tile() -> None:
    layout = Layout((M, 6), (1, 7))
    with pytest.raises(UndecidedError, match=r" needs M % 4 == 0\n") as caught:
        tiled_divide(layout, 4)
    assert caught.value.obligation == (M % 4 == 0)
    result = tiled_divide(layout.bind(M=sym("M", divisible_by=4)), 4)
    for m in (4, 12):
        assert naive_offsets(result.bind(M=m)) == naive_offsets(tiled_divide(layout.bind(M=m), 4))
