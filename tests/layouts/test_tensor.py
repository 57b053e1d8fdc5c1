"""Tensors: tiles and slices of a view are views of the same data, each element where it was."""

from __future__ import annotations

import copy
import pickle
from itertools import product
from typing import Any

import pytest
from hypothesis import given, strategies as st

import tla
from tla import (
    BindingError,
    CongruenceError,
    CoordinateError,
    DivisibilityError,
    Int,
    Layout,
    LayoutError,
    LeafError,
    NotALayoutError,
    UndecidedError,
    UnsupportedError,
    _,
    _1,
    _16,
    fractal_layout,
    get_tile,
    make_tensor,
    make_tensor_like,
    row_major,
    same_static,
    sym,
    tile_view,
    zN,
)
from tla.layouts.tensor import POSITIONS
from tla.numbers import assume, evaluate
from tla.testing import layouts, naive_coords, naive_offset, naive_size, shapes

MATRIX: Any = make_tensor("A", row_major(8, 16))
BLOCKS: Any = make_tensor("A1", zN(100, 60), position="L1")

ROOTS: Any = st.one_of(
    layouts(shapes(max_depth=1, min_extent=1).filter(lambda s: isinstance(s, tuple)), padded=True),
    st.sampled_from(
        [
            row_major(10, 12),
            zN(10, 11, (4, 4)),
            fractal_layout(10, 11, "nZ", ((2, 4),), batch=2),
            fractal_layout(13, 11, "zNZ", ((2, 2), (2, 3))),
            Layout((7, 9), (-9, 2), (5, 8)),
        ]
    ),
)


def is_data(root: Any, coord: tuple[int, ...]) -> bool:
    return all(0 <= c < n for c, n in zip(coord, root.origin_shape, strict=True))


# --- the laws ---


@given(ROOTS, st.data())
def test_a_chain_of_tiles_and_slices_leaves_every_element_where_it_was(
    root: Any, data: st.DataObject
) -> None:
    """A view is tracked beside it as a map from its coordinates to those of the root, and a box."""
    tensor: Any = make_tensor("A", root)
    axes = list(range(len(root.shape)))  # of the root, that the view still has
    fixed = dict.fromkeys(axes, 0)
    extent = dict(zip(axes, root.origin_shape, strict=True))  # of the data from there on
    for _step in range(data.draw(st.integers(0, 4))):
        sizes = [naive_size(s) for s in tensor.shape]
        if not all(sizes):
            break
        if len(axes) > 1 and data.draw(st.booleans()):
            cut: list[Any] = [data.draw(st.one_of(st.just(_), st.integers(0, n - 1))) for n in sizes]
            if _ not in cut:
                continue
            tensor = tensor[tuple(cut)]
            inside = all(c < extent[a] for a, c in zip(axes, cut, strict=True) if c is not _)
            fixed.update({a: fixed[a] + c for a, c in zip(axes, cut, strict=True) if c is not _})
            axes = [a for a, c in zip(axes, cut, strict=True) if c is _]
            extent = {a: extent[a] if inside else 0 for a in axes}
        else:
            start = tuple(data.draw(st.integers(0, n - 1)) for n in sizes)
            tile = tuple(data.draw(st.integers(1, n + 2)) for n in sizes)
            tensor = get_tile(tensor, start, tile, aligned=False)
            for a, c, n in zip(axes, start, tile, strict=True):
                fixed[a] += c
                extent[a] = min(n, max(0, extent[a] - c))
    assert tensor.layout.valid_size == naive_size(tuple(extent[a] for a in axes))
    assert tensor.coord == tuple(fixed[a] for a in axes)
    for at in naive_coords(tuple(naive_size(s) for s in tensor.shape)):
        place = {**fixed, **{a: fixed[a] + c for a, c in zip(axes, at, strict=True)}}
        where = tuple(place[a] for a in sorted(place))
        assert tensor.is_valid(at) == all(c < extent[a] for a, c in zip(axes, at, strict=True))
        if tensor.is_valid(at):
            assert is_data(root, where)
            assert tensor(at) == tensor.offset(*at) == naive_offset(root, where)


@given(ROOTS, st.data())
def test_an_aligned_tile_has_the_layout_of_its_elements(root: Any, data: st.DataObject) -> None:
    sizes = [naive_size(s) for s in root.shape]
    if not all(sizes):
        return
    tensor = make_tensor("A", root)
    start = tuple(data.draw(st.integers(0, n - 1)) for n in sizes)
    tile = tuple(data.draw(st.integers(1, n)) for n in sizes)
    view = get_tile(tensor, start, tile, aligned=False)
    if view.is_aligned:
        assert get_tile(tensor, start, tile) == view
        for at in naive_coords(view.origin_shape):
            assert view(at) == tensor(start) + view.layout(at)
    else:
        with pytest.raises(DivisibilityError):
            get_tile(tensor, start, tile)


@given(ROOTS, st.data())
def test_the_view_from_a_coordinate_is_the_tile_to_the_end(root: Any, data: st.DataObject) -> None:
    sizes = [naive_size(s) for s in root.shape]
    if not all(sizes):
        return
    start = tuple(data.draw(st.integers(0, n - 1)) for n in sizes)
    try:
        view = make_tensor("A", root, start)
    except DivisibilityError:
        with pytest.raises(DivisibilityError):
            get_tile(make_tensor("A", root), start, tuple(sizes))
        return
    assert view.coord == start
    for at in naive_coords(tuple(n - c for n, c in zip(sizes, start, strict=True))):
        where = tuple(c + i for c, i in zip(start, at, strict=True))
        assert view.is_valid(at) == is_data(root, where)
        assert view(at) == naive_offset(root, where)


@given(st.integers(1, 40), st.integers(1, 40), st.integers(1, 17), st.integers(1, 17), st.booleans())
def test_tiles_of_a_grid_cover_a_matrix_once(
    rows: int, cols: int, high: int, wide: int, in_blocks: bool
) -> None:
    layout = zN(rows, cols, (4, 4)) if in_blocks else row_major(rows, cols)
    high, wide = (4 * high, 4 * wide) if in_blocks else (high, wide)
    data = list(range(int(layout.cosize)))
    whole = make_tensor(data, layout)
    seen: list[object] = []
    for at in product(range(-(-rows // high)), range(-(-cols // wide))):
        tile = tile_view(whole, at, (high, wide))
        assert tile == get_tile(whole, (at[0] * high, at[1] * wide), (high, wide))
        assert tile.is_aligned
        seen += [tile.element(c) for c in naive_coords(tile.origin_shape)]
    assert len(seen) == rows * cols
    assert sorted(map(str, seen)) == sorted(str(layout(i, j)) for i in range(rows) for j in range(cols))


# --- what it is ---


def test_a_tensor_made_at_a_coordinate_ends_with_the_data() -> None:
    sub = make_tensor("A", row_major(8, 16), (1, 5))
    assert (sub.shape, sub.stride, sub.origin_shape, sub.coord) == ((7, 11), (16, 1), (7, 11), (1, 5))
    assert get_tile(sub, (2, 4), (4, 8)).origin_shape == (4, 7)
    assert sub[_, _] == sub
    assert (sub[6, _].shape, sub[6, _](10)) == ((11,), 7 * 16 + 15)
    with pytest.raises(CoordinateError):
        sub(7, 0)
    with pytest.raises(CoordinateError):
        sub[7, _]
    padded = make_tensor("A1", zN(100, 60), (32, 48))
    assert padded.origin_shape == (68, 12)
    assert str(padded.shape) == "((_16, 5), (_16, 1))"


def test_the_data_stay() -> None:
    data = list(range(128))
    tile = get_tile(make_tensor(data, row_major(8, 16)), (6, 10), (4, 8))
    assert tile.data is data
    assert tile[1, _].data is data
    assert tile.element(1, 5) == tile[1, _].element(5) == tile[_, 5].element(1) == 127
    assert make_tensor(bytes(data), row_major(8, 16)).element(0, 1) == 1
    assert make_tensor(range(128), row_major(8, 16)).element((7, 15)) == 127


def test_numpy_data() -> None:
    numpy = pytest.importorskip("numpy")
    data = numpy.arange(128)
    assert make_tensor(data, row_major(8, 16)).element(3, 2) == 50
    with pytest.raises(UnsupportedError, match=r"the data are 2-D\n.*reshape"):
        make_tensor(data.reshape(8, 16), row_major(8, 16)).element(3, 2)
    at = tuple(numpy.array([4, 8]))
    assert get_tile(MATRIX, at, at) == get_tile(MATRIX, (4, 8), (4, 8))


@pytest.mark.parametrize("name", ["A", None])
def test_data_may_be_a_name_or_nothing(name: Any) -> None:
    tensor = make_tensor(name, row_major(8, 16))
    assert tensor(1, 5) == 21
    with pytest.raises(UnsupportedError, match=f"the data are {name!r}"):
        tensor.element(1, 5)


def test_an_element_that_is_not_there() -> None:
    tensor = make_tensor(list(range(20)), row_major(8, 16))
    with pytest.raises(CoordinateError, match=r"\(1,5\) has the offset 21, outside the 20 elements"):
        tensor.element(1, 5)
    backwards = make_tensor([1, 2, 3], Layout((3,), (-1,)))
    with pytest.raises(CoordinateError, match="has the offset -1, outside"):
        backwards.element(1)
    tail = get_tile(make_tensor(list(range(128)), row_major(8, 16)), (6, 10), (4, 8))
    with pytest.raises(CoordinateError, match=r"\(2,0\) holds no data\n.*reach to \(2,6\)"):
        tail.element(2, 0)


def test_coordinates_of_every_profile() -> None:
    tile = get_tile(BLOCKS, (32, 48), (20, 12))
    assert tile(21) == tile(21, 0) == tile((5, 1), 0) == zN(100, 60)(53, 48)
    assert tile((21, (3, 0))) == zN(100, 60)(53, 51)
    vector = make_tensor("v", Layout((100,)))
    assert vector(7) == vector((7,)) == 7
    bare = make_tensor("v", Layout(8, 3), 2)
    assert (bare.coord, bare(5), get_tile(bare, 4, 6)(1)) == (2, 21, 21)
    assert get_tile(bare, 4, 6).origin_shape == 2


def test_positions() -> None:
    for position in POSITIONS:
        tensor = make_tensor("A", row_major(8, 16), position=position)
        assert get_tile(tensor, (0, 0), (4, 4))[_, 3].position == position
    strange: Any = ("L3", "gm", "", None, 3)
    for position in strange:
        with pytest.raises(
            UnsupportedError, match=r"no position .*\n.*GM, L1, L0A, L0B, L0C, UB, BT, FB"
        ):
            make_tensor("A", row_major(8, 16), position=position)


def test_static_tensors() -> None:
    assert same_static(MATRIX.coord, (tla._0, tla._0))
    blocks = make_tensor("A1", zN(Int(128), Int(64)))
    tile = get_tile(blocks, (_16, Int(32)), (Int(32), _16))
    assert tile.layout.is_static
    assert same_static(tile.coord, (_16, Int(32)))
    assert isinstance(tile(_1, _1), Int)


def test_a_tensor_is_a_value() -> None:
    tile = get_tile(MATRIX, (4, 8), (4, 8))
    again = get_tile(make_tensor("A", row_major(8, 16)), (4, 8), (4, 8))
    assert tile == again
    assert hash(tile) == hash(again)
    assert tile == pickle.loads(pickle.dumps(tile)) == copy.deepcopy(tile) == copy.copy(tile)
    assert tile != get_tile(MATRIX, (4, 0), (4, 8))
    assert tile != get_tile(make_tensor("B", row_major(8, 16)), (4, 8), (4, 8))
    assert tile != tile.layout
    assert MATRIX[_, 3] != MATRIX[_, 4]
    one, other = [1, 2], [1, 2]
    assert make_tensor(one, Layout((2,))) == make_tensor(one, Layout((2,)))
    assert make_tensor(one, Layout((2,))) != make_tensor(other, Layout((2,)))
    value: Any = tile
    with pytest.raises(AttributeError, match="immutable"):
        value.coord = (0, 0)
    with pytest.raises(AttributeError, match="immutable"):
        value.colour = 3
    with pytest.raises(AttributeError, match="immutable"):
        del value.data


def test_its_text() -> None:
    assert repr(MATRIX) == "<Tensor 'A' in GM at (_0,_0): (8,16):(16,_1)>"
    assert repr(MATRIX[_, 3]) == "<Tensor 'A'[3:] in GM at (_0): (8):(16)>"
    assert repr(make_tensor([1, 2], Layout((2,)))) == "<Tensor list in GM at (_0): (2):(_1)>"
    assert repr(make_tensor(None, Layout((2,)), 1 * (1,))) == "<Tensor None in GM at (1): (1):(_1)>"


# --- slices ---


def test_tiles_of_a_sliced_row() -> None:
    """CATLASS slices such a row, of one mode in blocks, and cannot cut a tile of it."""
    row = BLOCKS[17, _]
    assert (int(row.layout.rank), int(row.layout.depth)) == (1, 2)
    tile = get_tile(row, (32,), (20,))
    assert (str(tile.shape), tile.origin_shape) == ("((_16, 2),)", (20,))
    assert [tile(j) for j in range(20)] == [zN(100, 60)(17, 32 + j) for j in range(20)]
    with pytest.raises(DivisibilityError):
        get_tile(row, (5,), (20,))


def test_a_slice_keeps_its_place_in_a_block() -> None:
    """CATLASS counts from 0 again: from column 3 of a block as if a block began there."""
    view = get_tile(BLOCKS, (5, 3), (16, 32), aligned=False)
    row = view[1, _]
    assert row.coord == (3,)
    assert [row(j) for j in range(32)] == [zN(100, 60)(6, 3 + j) for j in range(32)]
    assert get_tile(row, (13,), (16,)).is_aligned


def test_a_slice_at_padding_holds_nothing() -> None:
    assert BLOCKS[_, 60].origin_shape == (0,)
    assert not BLOCKS[_, 60].is_valid(0)


@pytest.mark.parametrize(
    ("coord", "text"),
    [
        ((1, 5), r"keeps no mode\n.*tensor\(...\) for the offset"),
        ((slice(None), 5), "keeps no mode\n.*':' does not stand for it"),
        (3, "keeps no mode"),
        ((), "keeps no mode"),
        (((_, 0), 5), "cut by whole modes"),
        ((_, 16), r"\(_,16\) lies outside the shape \(8,16\)"),
        ((-1, _), "lies outside the shape"),
        ((_,), "does not fit the shape"),
        ((_, _, 1), "does not fit the shape"),
    ],
)
def test_what_is_no_slice(coord: Any, text: str) -> None:
    with pytest.raises(CoordinateError, match=text):
        MATRIX[coord]


def test_offsets_are_not_slices() -> None:
    with pytest.raises(CoordinateError, match=r"keeps modes.*\n.*tensor\[...\]"):
        MATRIX(_, 3)
    for coord in ((8, 0), (0, 16), (-1, 0), (1, 2, 3), 128, ((1, 0), 3)):
        with pytest.raises(CoordinateError):
            MATRIX(coord)
    with pytest.raises(LeafError):
        MATRIX(1.0, 2)


# --- what is refused ---


def test_an_unaligned_tile_names_the_mode_the_block_and_the_way_out() -> None:
    with pytest.raises(DivisibilityError) as caught:
        get_tile(BLOCKS, (16, 19), (16, 16))
    error = caught.value
    assert str(error) == (
        "a tile at (16,19) does not lie on the blocks of ((_16,7),(_16,4))\n"
        "  In mode 1 the 16 coordinates from 19 on start 3 past the edge of a block of _16;"
        " 16 and 32 lie on an edge.\n"
        "  With get_tile(..., aligned=False) its offsets are right; its layout need not be."
    )
    assert (error.coord, error.mode, error.block, error.nearest) == ((16, 19), 1, 16, (16, 32))
    with pytest.raises(DivisibilityError) as caught:  # from a view off the blocks there is none below
        get_tile(get_tile(BLOCKS, (5, 0), (32, 16), aligned=False), (3, 0), (16, 16))
    assert caught.value.nearest == (11,)
    for start in ((5, 0), (0, 3)):
        with pytest.raises(DivisibilityError):
            make_tensor("A1", zN(100, 60), start)


def test_alignment_is_counted_from_the_root() -> None:
    off = get_tile(BLOCKS, (5, 3), (64, 48), aligned=False)
    assert off.is_aligned is False
    assert get_tile(off, (11, 13), (16, 16)).is_aligned is True
    assert get_tile(off, (11, 13), (16, 16)).coord == (16, 16)


def test_a_block_of_a_block_of_blocks_is_aligned() -> None:
    deep = make_tensor("A", fractal_layout(64, 64, "zNZ", ((4, 4), (2, 4))))
    inner = get_tile(deep, (4, 8), (4, 4))
    assert inner.is_aligned is True
    assert [inner(c) for c in naive_coords((4, 4))] == [
        deep(4 + i, 8 + j) for i, j in naive_coords((4, 4))
    ]
    with pytest.raises(DivisibilityError, match="block of 8"):
        get_tile(deep, (4, 8), (8, 4))
    with pytest.raises(DivisibilityError, match="block of 4"):
        get_tile(deep, (2, 8), (2, 4))


@pytest.mark.parametrize(
    ("error", "coord", "tile", "text"),
    [
        (CoordinateError, (-4, 0), (4, 4), r"the tile cannot start at \(-4,0\)"),
        (CoordinateError, (8, 0), (4, 4), r"\(8,0\) lies outside the shape \(8,16\)\n.*Mode 0 has no"),
        (CoordinateError, (0, 99), (4, 4), "Mode 1 has no coordinate 99"),
        (LayoutError, (0, 0), (0, 4), r"tile \(0,4\) has the extent 0"),
        (LayoutError, (0, 0), (4, -4), "has the extent -4"),
        (CongruenceError, (0, 0), (4,), r"tile \(4\) does not fit"),
        (CongruenceError, (0, 0), 4, "tile 4 does not fit"),
        (CongruenceError, (0, 0), ((4, 1), 4), "does not fit"),
        (CongruenceError, (0,), (4, 4), r"coordinate \(0\) does not fit"),
        (CongruenceError, (0, 0, 0), (4, 4), "coordinate .* does not fit"),
        (LeafError, (0.0, 0), (4, 4), "expected an int"),
        (LeafError, (0, 0), (4, "4"), "expected an int"),
    ],
)
def test_bad_tiles(error: Any, coord: Any, tile: Any, text: str) -> None:
    with pytest.raises(error, match=text):
        get_tile(MATRIX, coord, tile)
    if error is CongruenceError:
        with pytest.raises(error, match=text.replace("coordinate", "tile coordinate")):
            tile_view(MATRIX, coord, tile)


def test_a_tile_past_the_data_but_in_the_padding_is_empty() -> None:
    tail = get_tile(MATRIX, (6, 10), (4, 8))
    assert get_tile(tail, (2, 0), (2, 8)).origin_shape == (0, 6)
    empty = make_tensor("A", Layout((0, 4)))
    assert get_tile(empty, (0, 0), (2, 2)).origin_shape == (0, 2)


def test_other_things_are_no_tensors() -> None:
    strange: Any = (row_major(8, 16), "A", None)
    for x in strange:
        for call in (
            lambda x: get_tile(x, (0, 0), (4, 4)),
            lambda x: tile_view(x, (0, 0), (4, 4)),
            lambda x: make_tensor_like("B", x, zN),
        ):
            with pytest.raises(TypeError, match="expected a tensor, got"):
                call(x)
    with pytest.raises(NotALayoutError):
        make_tensor("A", (8, 16))  # type: ignore[call-overload]  # ty: ignore[invalid-argument-type]
    with pytest.raises(NotALayoutError):
        make_tensor_like("B", MATRIX, lambda rows, cols: (rows, cols))  # type: ignore[type-var]  # ty: ignore[invalid-argument-type]


# --- a tensor like another ---


def test_like_another() -> None:
    tail = get_tile(MATRIX, (6, 10), (4, 8))
    made = make_tensor_like("A1", tail, zN, "L1")
    assert made == make_tensor("A1", zN(2, 6), position="L1")
    based = make_tensor_like("A1", tail, base=zN(128, 64))
    assert (based.position, based.origin_shape) == ("GM", (2, 6))
    assert (based.shape, based.stride) == (zN(128, 64).shape, zN(128, 64).stride)
    vector = make_tensor_like("v", get_tile(MATRIX, (6, 10), (4, 8))[1, _], row_major, "UB")
    assert vector == make_tensor("v", row_major(6), position="UB")
    assert make_tensor_like("v", make_tensor("w", Layout(8, 3)), Layout).layout == Layout(8)
    batched = make_tensor("B", fractal_layout(20, 48, batch=3))
    assert make_tensor_like("C", batched, row_major).shape == (3, 20, 48)


def test_like_another_with_what_does_not_fit() -> None:
    with pytest.raises(LayoutError, match="one of make= and base="):
        make_tensor_like("B", MATRIX)
    with pytest.raises(LayoutError, match="one of make= and base="):
        make_tensor_like("B", MATRIX, zN, base=zN(8, 16))
    with pytest.raises(LayoutError, match="does not lie in the shape"):
        make_tensor_like("B", MATRIX, base=row_major(4, 16))
    with pytest.raises(CongruenceError):
        make_tensor_like("B", MATRIX[3, _], base=zN(8, 16))
    strange: Any = int, (row_major(8), {}), (row_major(8),)
    with pytest.raises(CongruenceError, match="int does not take the 2 extents"):
        make_tensor_like("B", MATRIX, strange[0])
    for inner in strange[1:]:
        with pytest.raises(tla.TlaError):
            MATRIX.with_inner(inner)


# --- unknown sizes and places ---

M, N = sym("M"), sym("N")
ROW, COL = sym("i", min=0), sym("j", min=0)


@given(st.integers(1, 200), st.integers(1, 100), st.integers(0, 3), st.integers(0, 3), st.booleans())
def test_a_tile_of_unknown_place_in_a_matrix_of_unknown_size(
    rows: int, cols: int, i: int, j: int, in_blocks: bool
) -> None:
    make = zN if in_blocks else row_major
    unknown = tile_view(make_tensor("A", make(M, N)), (ROW, COL), (48, 32))
    if i * 48 >= rows or j * 32 >= cols:
        assert 0 in unknown.bind(M=rows, N=cols, i=i, j=j).origin_shape
        return
    bound = unknown.bind(M=rows, N=cols, i=i, j=j)
    plain = tile_view(make_tensor("A", make(rows, cols)), (i, j), (48, 32))
    assert bound == plain
    if rows > i * 48 + 1:
        with assume(M > ROW * 48 + 1, N > COL * 32):
            row = unknown[1, _]
        assert row.bind(M=rows, N=cols, i=i, j=j) == plain[1, _]
    tail = get_tile(unknown, (16, 0), (32, 16)).bind(M=rows, N=cols, i=i, j=j)
    assert tail == get_tile(plain, (16, 0), (32, 16))
    assert evaluate(unknown(1, 2), {"M": rows, "N": cols, "i": i, "j": j}) == plain(1, 2)


def test_an_open_alignment_is_asked_for() -> None:
    fractal = make_tensor("A1", zN(M, 64), position="L1")
    place = sym("p", min=0)
    with pytest.raises(UndecidedError, match=r"p % 16 == 0"):
        get_tile(fractal, (place, 0), (16, 16))
    view = get_tile(fractal, (place, 0), (16, 16), aligned=False)
    assert view.is_aligned is None
    assert view.bind(p=16).is_aligned is True
    assert view.bind(p=5, M=100).is_aligned is False
    tile = get_tile(fractal, (place, 0), (16, 16), assume=place % 16 == 0)
    assert [str(c) for c in tile.assumptions] == ["p % 16 == 0"]
    assert tile.is_aligned is True
    assert tile[_, 3].assumptions == tile.assumptions
    assert tile.bind(p=32, M=100) == get_tile(
        make_tensor("A1", zN(100, 64), position="L1"), (32, 0), (16, 16)
    )
    with pytest.raises(BindingError, match="breaks p % 16 == 0"):
        tile.bind(p=5)


def test_a_base_of_unknown_place() -> None:
    rest = make_tensor("A", row_major(M, 16), (ROW, 5))
    for rows, start in ((8, 3), (8, 0), (8, 7)):
        assert rest.bind(M=rows, i=start) == make_tensor("A", row_major(rows, 16), (start, 5))
    with pytest.raises(UndecidedError):
        rest(3, 0)
    with pytest.raises(UndecidedError, match="the value of"):
        make_tensor([1, 2], Layout((sym("K", min=2, max=4), 4), (N, 1))).element(1, 0)


def test_a_tensor_is_no_sequence() -> None:
    """Python would iterate by tensor[0], whose error says that there are no more elements."""
    tensor: Any = make_tensor([1, 2, 3, 4], row_major(2, 2))
    for ask in (list, tuple, iter):
        with pytest.raises(TypeError, match="'Tensor' object is not iterable"):
            ask(tensor)
    with pytest.raises(TypeError, match="'Tensor'"):
        _ = 1 in tensor


def test_what_makes_no_layout() -> None:
    tile: Any = make_tensor("A", row_major(4, 4))
    make: Any = "zN"
    with pytest.raises(TypeError, match=r"expected a function that makes a layout, .* got str 'zN'"):
        make_tensor_like("B", tile, make)


def test_a_tile_that_turns_out_to_lie_outside_holds_no_data() -> None:
    """As the docs say: with ints at once it is an error, of unknowns it is seen in the origin shape."""
    whole = make_tensor("A", row_major(20, 5))
    tile = tile_view(whole, (sym("i", min=0), 0), (4, 5)).bind(i=7)
    assert tile.origin_shape == (0, 5)
    assert not tile.is_valid(0, 0)
    with pytest.raises(CoordinateError):
        tile_view(whole, (7, 0), (4, 5))
