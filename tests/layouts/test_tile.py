"""Tiles of a layout: the strides stay, the shape is the tile's, the origin is what holds data."""

from typing import Any

import pytest
from hypothesis import given, strategies as st

import tla
from tla import (
    CongruenceError,
    CoordinateError,
    DivisibilityError,
    Int,
    Layout,
    LayoutError,
    LeafError,
    _1,
    _8,
    get_tile_layout,
    make_layout_tile,
    parse,
    same_static,
)
from tla.layouts.tile import blocks_kept
from tla.numbers import sym
from tla.testing import layouts, naive_coords, naive_size, shapes

ZN: Any = parse("((4,2),(4,3)):((4,16),(1,32))")

tuples = shapes(max_depth=3).filter(lambda s: isinstance(s, tuple))


def block_of(mode: Any) -> int:
    """How many coordinates of a mode lie below its last leaf: what a tile's corner must divide."""
    if not isinstance(mode, tuple) or not mode:
        return 1
    return naive_size(mode[:-1]) * block_of(mode[-1])


def last_leaf(mode: Any) -> bool:
    """Whether a mode ends in a leaf, which can count how many blocks there are."""
    return last_leaf(mode[-1]) if isinstance(mode, tuple) and mode else mode != ()


def test_the_documents_example() -> None:
    static: Any = parse("((_4,_2),(_4,_3)):((_4,_16),(_1,_32))")
    assert str(make_layout_tile(static, tla.make_shape(4, 4))) == "((_4,1),(_4,1)):((_4,_16),(_1,_32))"
    assert str(make_layout_tile(ZN, (4, 4))) == "((4,1),(4,1)):((4,16),(1,32))"


# --- make_layout_tile ---


@given(layouts(tuples, min_stride=-64), st.data())
def test_a_tile_is_the_first_part_of_its_layout(layout: Any, data: st.DataObject) -> None:
    sizes = tuple(map(naive_size, layout.shape))
    tile = tuple(data.draw(st.sampled_from([t for t in range(1, n + 1) if n % t == 0])) for n in sizes)
    try:
        got = make_layout_tile(layout, tile)
    except DivisibilityError:  # no layout with the blocks of the mode has so many coordinates
        assert not all(map(cuts, layout.shape, tile))
        return
    assert got.stride == layout.stride
    assert tuple(map(naive_size, got.shape)) == got.origin_shape == tile
    assert not got.is_padded
    assert all(got(at) == layout(at) for at in naive_coords(tile))


def cuts(mode: Any, extent: int) -> bool:
    """Whether ``extent`` coordinates of a mode fill its leaves one by one, the last of them evenly."""
    for leaf in tla.flatten_to_tuple(mode):
        if extent % leaf == 0:
            extent //= leaf
        elif leaf % extent == 0:
            extent = 1
        else:
            return False
    return extent == 1


@given(layouts(tuples, min_stride=-64), st.data())
def test_an_inexact_tile_rounds_up_to_blocks(layout: Any, data: st.DataObject) -> None:
    sizes = tuple(map(naive_size, layout.shape))
    tile = tuple(data.draw(st.integers(1, n)) for n in sizes)
    got = make_layout_tile(layout, tile, exact=False)
    assert got.stride == layout.stride
    assert got.origin_shape == tile
    assert got.valid_size == naive_size(tile)
    for mode, size, t in zip(layout.shape, got.shape, tile, strict=True):
        assert naive_size(size) == -(-t // block_of(mode)) * block_of(mode)
    assert all(got(at) == layout(at) for at in naive_coords(tile))


@pytest.mark.parametrize(
    ("layout", "tile", "result"),
    [
        ("(8,6):(6,1)", (4, 3), "(4,3):(6,1)"),
        ("((4,2),(4,3)):((4,16),(1,32))", (8, 4), "((4,2),(4,1)):((4,16),(1,32))"),
        ("((4,2),(4,3)):((4,16),(1,32))", (2, 12), "((2,1),(4,3)):((4,16),(1,32))"),
        ("((4,4),6):((1,6),24)", (8, 3), "((4,2),3):((1,6),24)"),
        ("((_4,_4),_6):((_1,_6),_24)", (_8, Int(3)), "((_4,_2),_3):((_1,_6),_24)"),
        ("((2,(4,2)),6):((1,(2,8)),16)", (8, 6), "((2,(4,1)),6):((1,(2,8)),16)"),
        ("((2,(4,2)),6):((1,(2,8)),16)", (4, 6), "((2,(2,1)),6):((1,(2,8)),16)"),
    ],
)
def test_exact_tiles(layout: str, tile: Any, result: str) -> None:
    assert str(make_layout_tile(parse(layout), tile)) == result


def test_a_bare_int_layout_takes_a_bare_tile() -> None:
    assert str(make_layout_tile(parse("8:3"), 4)) == "4:3"
    assert str(get_tile_layout(parse("8:3"), 4, 6)) == "4:3:2"
    with pytest.raises(CongruenceError):
        make_layout_tile(parse("8:3"), (4,))


@pytest.mark.parametrize(
    ("layout", "tile", "reason"),
    [
        ("(8,6):(6,1)", (3, 3), "Neither of 3 and 8 divides the other."),
        ("(8,6):(6,1)", (8, 12), "12 exceeds the 6 coordinates of its mode."),
        ("((4,2),(4,3)):((4,16),(1,32))", (6, 4), "Neither of 6 and 4 divides the other."),
        ("((4,2),(4,3)):((4,16),(1,32))", (4, 8), "Neither of 2 and 3 divides the other."),
        ("((4,2),(4,3)):((4,16),(1,32))", (16, 4), "16 exceeds the 8 coordinates of its mode."),
    ],
)
def test_a_tile_that_does_not_divide(layout: str, tile: Any, reason: str) -> None:
    with pytest.raises(DivisibilityError) as caught:
        make_layout_tile(parse(layout), tile)
    error = caught.value
    assert "does not divide the shape" in error.summary
    assert reason in str(error)
    assert "exact=False" in str(error)
    assert (error.layout, error.tile) == (parse(layout), tile)


def test_tiles_of_nothing() -> None:
    for layout in (Layout((8, 6)), ZN):
        with pytest.raises(LayoutError):
            make_layout_tile(layout, (0, 4))
        assert get_tile_layout(layout, (0, 2), (0, 0)).size == 0
        assert make_layout_tile(layout, (0, 2), exact=False).size == 0
        with pytest.raises(LayoutError):
            make_layout_tile(layout, (-4, 2))
        with pytest.raises(LayoutError):
            get_tile_layout(layout, (-4, 2), (0, 0))


@pytest.mark.parametrize("shape", [(0, 4), ((0, 2), 4), ((2, 0), 4), ((), 4)])
def test_empty_layouts_have_empty_tiles(shape: Any) -> None:
    layout: Any = Layout(shape)
    height = 1 if shape[0] == () else 2
    tile = get_tile_layout(layout, (height, 2), (0, 0))
    assert tile.valid_size == min(height, naive_size(shape[0])) * 2
    assert tla.congruent(tile.shape, shape)


# --- get_tile_layout ---


FRACTALS = st.sampled_from(
    [
        tla.zN(40, 50, (4, 4)),
        tla.nZ(40, 50, (8, 4)),
        tla.fractal_layout(40, 50, "zNZ", ((4, 4), (2, 3))),
        tla.fractal_layout(40, 50, "nNN", ((2, 4), (3, 2))),
        tla.fractal_layout(40, 50, "zZNZ", ((2, 2), (2, 3), (3, 2))),
        tla.fractal_layout(40, 50, "zN", ((4, 4),), batch=3),
        tla.fractal_layout(20, 25, "nZZ", ((2, 4), (2, 2)), batch=(3, 2)),
        tla.zN(40, 50, (4, 4))[17, tla._],
        tla.fractal_layout(40, 50, "zNZ", ((4, 4), (2, 3)))[tla._, 33],
        tla.fractal_layout(40, 50, "nZ", ((4, 4),), batch=3)[tla._, 33, tla._],
    ]
)


def law_holds(layout: Any, tile: Any, corner: Any) -> bool:
    base = layout(corner)
    return all(base + tile(at) == layout(tla.add(corner, at)) for at in naive_coords(tile.origin_shape))


@given(FRACTALS, st.data())
def test_tiles_of_deep_and_batched_fractals(layout: Any, data: st.DataObject) -> None:
    blocks = tuple(map(block_of, layout.shape))
    sizes = tuple(map(naive_size, layout.shape))
    corner = tuple(data.draw(st.integers(0, n // b - 1)) * b for n, b in zip(sizes, blocks, strict=True))
    tile = tuple(data.draw(st.integers(1, n)) for n in sizes)
    got = get_tile_layout(layout, tile, corner)
    assert (got.rank, got.stride) == (layout.rank, layout.stride)
    assert law_holds(layout, got, corner)
    assert tuple(map(naive_size, got.shape)) == tuple(
        -(-t // b) * b for t, b in zip(tile, blocks, strict=True)
    )


@given(FRACTALS, st.data())
def test_a_tile_that_keeps_blocks_whole_has_their_layout(layout: Any, data: st.DataObject) -> None:
    sizes = layout.origin_shape
    corner = tuple(data.draw(st.integers(0, n - 1)) for n in sizes)
    tile = tuple(data.draw(st.integers(1, n)) for n in sizes)
    got = get_tile_layout(layout, tile, corner)
    kept = {
        (mode, block): answer
        for mode, block, (answer, _question) in blocks_kept(layout, corner, got.origin_shape)
    }
    if all(kept.values()):
        assert law_holds(layout, got, corner)
    for mode, shape in enumerate(layout.shape):
        fractal, block = (1, 1) if isinstance(shape, int) else (int(shape[0]), block_of(shape))
        if corner[mode] % fractal:
            assert not kept[mode, fractal]
        if corner[mode] % block == 0:
            assert all(answer for (m, _block), answer in kept.items() if m == mode)


def test_a_block_inside_a_block_of_blocks_is_whole() -> None:
    layout = tla.fractal_layout(40, 50, "zNZ", ((4, 4), (2, 3)))
    inner = list(blocks_kept(layout, (4, 8), (4, 4)))
    assert [(mode, block, answer) for mode, block, (answer, _none) in inner] == [
        (0, 4, True),
        (0, 8, True),
        (1, 4, True),
        (1, 12, True),
    ]
    across = [answer for _mode, _block, (answer, _none) in blocks_kept(layout, (4, 8), (5, 8))]
    assert across == [True, False, True, False]


def test_blocks_of_unknown_size_and_place() -> None:
    i = tla.sym("i", min=0)
    layout = tla.zN(tla.sym("M"), 64)

    def answers(at: Any, extent: Any = 16) -> list[Any]:
        return [answer for _m, _b, (answer, _q) in blocks_kept(layout, (at, 0), (extent, 16))]

    assert answers(16 * i) == answers(48 * i + 32) == [True, True]
    assert answers(16 * i + 5) == [False, True]
    assert answers(i) == [None, True]
    ((_mode, _block, (_answer, question)), _other) = blocks_kept(layout, (i, 0), (16, 16))
    assert str(question) == "i % 16 == 0"


@given(layouts(tuples, min_stride=-64, padded=True), st.data())
def test_a_tile_agrees_with_its_layout_from_its_corner_on(layout: Any, data: st.DataObject) -> None:
    sizes = tuple(map(naive_size, layout.shape))
    tile = tuple(data.draw(st.integers(1, n + 3)) for n in sizes)
    blocks = tuple(map(block_of, layout.shape))
    corner = tuple(data.draw(st.integers(0, n // b)) * b for n, b in zip(sizes, blocks, strict=True))
    got = get_tile_layout(layout, tile, corner)
    assert got.stride == layout.stride
    bounds = zip(tile, corner, layout.origin_shape, strict=True)
    assert got.origin_shape == tuple(min(t, max(0, n - c)) for t, c, n in bounds)
    if got.valid_size:
        base = layout(corner)
        for at in naive_coords(got.origin_shape):
            assert base + got(at) == layout(tla.add(corner, at))


@given(layouts(tuples), st.data())
def test_a_tile_has_whole_blocks(layout: Any, data: st.DataObject) -> None:
    tile = tuple(data.draw(st.integers(1, 20)) for _mode in layout.shape)
    got = get_tile_layout(layout, tile, (0,) * len(tile))
    assert tla.congruent(got.shape, layout.shape)
    for mode, made, extent in zip(layout.shape, got.shape, tile, strict=True):
        block = block_of(mode)
        if last_leaf(mode):
            assert naive_size(made) == -(-extent // block) * block
        assert tla.flatten_to_tuple(made)[:-1] == tla.flatten_to_tuple(mode)[:-1]


def test_tails_and_outside() -> None:
    matrix: Any = parse("(100,100):(100,_1)")
    assert str(get_tile_layout(matrix, (32, 48), coord=(96, 96))) == "(32,48):(100,_1):(4,4)"
    assert str(get_tile_layout(matrix, (32, 48), coord=(200, 0))) == "(32,48):(100,_1):(0,48)"
    assert get_tile_layout(matrix, (32, 48), (0, 0)).is_padded is False
    assert str(get_tile_layout(ZN, (6, 6), (0, 0))) == "((4,2),(4,2)):((4,16),(1,32)):(6,6)"


def test_a_tile_of_a_tile_is_cropped_to_it() -> None:
    first = get_tile_layout(parse("(100,100):(100,1)"), (32, 48), (96, 96))
    assert str(get_tile_layout(first, (16, 16), (0, 0))) == "(16,16):(100,1):(4,4)"
    assert get_tile_layout(first, (16, 16), (2, 8)).origin_shape == (2, 0)


@pytest.mark.parametrize(
    ("shape", "tile"), [("64", "_64"), ("_64", "64"), ("_64", "_64"), ("64", "_32")]
)
def test_what_is_static_of_a_tile_or_its_equal_mode_stays_static(shape: str, tile: str) -> None:
    taken = make_layout_tile(parse(f"{shape}:_1"), parse(tile))
    assert str(taken.shape) == f"_{tile.removeprefix('_')}"


def test_static_tiles_are_static() -> None:
    matrix: Any = parse("((_16,_8),(_16,_4)):((_16,_256),(_1,_2048))")
    tile: Any = get_tile_layout(matrix, (Int(64), Int(32)), (Int(64), Int(32)))
    assert same_static(tile, parse("((_16,_4),(_16,_2)):((_16,_256),(_1,_2048))"))
    exact: Any = make_layout_tile(matrix, (Int(64), Int(32)))
    assert same_static(exact, tile)
    mixed: Any = get_tile_layout(matrix, (64, Int(32)), (_1 - _1, _1 - _1))
    assert str(mixed) == "((_16,4),(_16,_2)):((_16,_256),(_1,_2048))"


@pytest.mark.parametrize("bad", [(4,), 4, (4, 4, 4), ((4, 1), 4), ()])
def test_tile_and_corner_are_one_int_for_each_mode(bad: Any) -> None:
    for f in (make_layout_tile, lambda layout, tile: get_tile_layout(layout, tile, (0, 0))):
        with pytest.raises(CongruenceError, match=r"tile .* does not fit the layout .*\n.*its 2 modes"):
            f(ZN, bad)
    with pytest.raises(CongruenceError, match="coordinate"):
        get_tile_layout(ZN, (4, 4), bad)


def test_bad_tiles() -> None:
    with pytest.raises(CoordinateError, match="cannot start at"):
        get_tile_layout(ZN, (4, 4), (-4, 0))
    for bad in [(4.0, 4), (True, 4), ("4", 4), [4, 4]]:
        with pytest.raises(LeafError):
            make_layout_tile(ZN, bad)  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]


@pytest.mark.parametrize("exact", [True, False])
def test_a_tile_of_a_padded_layout_is_padded(exact: bool) -> None:
    padded = Layout((4, 8), (8, 1), (3, 5))
    assert make_layout_tile(padded, (4, 8), exact).origin_shape == (3, 5)
    assert make_layout_tile(padded, (2, 4), exact).origin_shape == (2, 4)
    wider = tla.zN(20, 48)
    assert not make_layout_tile(wider, (32, 48), exact).is_valid((25, 0))
    if not exact:
        assert str(make_layout_tile(Layout((4, 8)), (5, 9), exact)) == "(5,9):(_1,4):(4,8)"


def test_no_tile_of_what_is_empty_or_of_no_extent() -> None:
    for layout, tile in ((Layout((0, 8)), (3, 4)), (Layout((4, (2, 0))), (4, 0)), (Layout(4), 0)):
        with pytest.raises(DivisibilityError):
            make_layout_tile(layout, tile)


def test_a_tile_of_unknowns_asks_whether_it_divides_the_leaf() -> None:
    with pytest.raises(tla.UndecidedError) as caught:
        tla.make_layout_tile(Layout(((sym("M"), 4), 8)), (sym("K"), 8))
    assert str(caught.value.obligation) == "M % K == 0"
