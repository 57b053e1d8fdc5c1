"""Products: a block repeated in the offsets that it leaves free, in several arrangements."""

from functools import partial
from math import prod
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
    OverlapError,
    TlaError,
    UndecidedError,
    _,
    blocked_product,
    flat_product,
    get,
    logical_product,
    make_layout_tv,
    parse,
    raked_product,
    tile_to_shape,
    tiled_product,
    zipped_product,
)
from tla.numbers import evaluate, sym
from tla.testing import (
    layouts,
    naive_complement,
    naive_composition,
    naive_extended,
    naive_is_injective,
    naive_offset,
    naive_offsets,
    naive_refines,
    naive_size,
    shapes,
)

PRODUCTS = [logical_product, zipped_product, tiled_product, flat_product]
ALL = pytest.mark.parametrize("product", PRODUCTS)
GATHERED = [zipped_product, tiled_product, flat_product]
M = sym("M")
M16 = sym("M", divisible_by=16)


def tilers(max_size: int = 12) -> st.SearchStrategy[Any]:
    return layouts(shapes(max_size=max_size, min_rank=1, static=False), max_stride=8, static=False)


@st.composite
def blocks(draw: st.DrawFn) -> Any:
    """A layout that leaves offsets free: packed, with every stride times a number."""
    extents = shapes(max_size=12, min_rank=1, static=False)
    block = draw(layouts(extents, compact=draw(st.booleans()), max_stride=24, static=False))
    step = draw(st.sampled_from([1, 1, 2, 3, 4]))
    return Layout(block.shape, tla.transform_leaf(lambda d: d * step, block.stride))


def span(layout: Any) -> int:
    offsets = naive_offsets(layout)
    return max(offsets) - min(offsets) + 1


# --- by a layout ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("block", "tiler", "expected"),
    [
        # CuTe 02_layout_algebra.md, "Product"
        ("(2,2):(4,1)", "6:1", "((2,2),(2,3)):((4,1),(2,8))"),
        ("(2,2):(4,1)", "(4,2):(2,1)", "((2,2),(4,2)):((4,1),(8,2))"),
        ("(_2,_2):(_4,_1)", "_6:_1", "((_2,_2),(_2,_3)):((_4,_1),(_2,_8))"),
        ("4:1", "3:1", "(4,3):(1,4)"),
        # above the block it goes on
        ("4:1", "3:2", "(4,3):(1,8)"),
        ("4:2", "(2,3):(1,2)", "(4,(2,3)):(2,(1,8))"),
        # copies in one place, no copies, no modes
        ("(2,2):(0,1)", "3:0", "((2,2),3):((0,1),0)"),
        ("4:1", "0:1", "(4,0):(1,4)"),
        ("4:2", "():()", "(4,()):(2,())"),
        ("():()", "4:1", "((),4):((),1)"),
    ],
)
def test_logical_product(block: str, tiler: str, expected: str) -> None:
    assert str(logical_product(parse(block), parse(tiler))) == expected


@given(blocks(), tilers())
def test_the_copies_are_what_the_block_leaves_free(block: Any, tiler: Any) -> None:
    free = naive_complement(block, block.size * span(tiler))
    if free is None:
        with pytest.raises(OverlapError) as overlap:
            logical_product(block, tiler)
        assert overlap.value.layout == block
        return
    table = naive_composition(free, tiler)
    if table is None:
        with pytest.raises(DivisibilityError) as caught:
            logical_product(block, tiler)
        check_witness(caught.value)
        return
    result = logical_product(block, tiler)
    assert get(result, 0) == block
    assert naive_offsets(get(result, 1)) == table
    assert naive_refines(result.shape[1], tiler.shape)
    if naive_is_injective(block) and naive_is_injective(tiler):
        assert naive_is_injective(result)


def check_witness(error: Any) -> None:
    assert naive_extended(error.a, naive_offset(error.b, error.coord)) == error.value
    assert error.value != error.layout_value


def test_a_block_without_coordinates() -> None:
    with pytest.raises(LayoutError, match=r"^0:1 has no coordinate, and so no complement\n"):
        logical_product(Layout(0, 1), Layout(3))


# --- by mode ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tiler", "expected"),
    [
        (3, "(((4,2),5),3):(((1,4),8),40)"),
        ((2,), "(((4,2),2),5):(((1,4),8),8)"),
        ((_, 3), "((4,2),(5,3)):((1,4),(8,1))"),
        ((None, _), "((4,2),5):((1,4),8)"),
        ((), "((4,2),5):((1,4),8)"),
        (((2, 3), None), "(((4,2),(2,3)),5):(((1,4),(4,1)),8)"),
        ((Layout(2, 3), Layout((2, 2), (1, 8))), "(((4,2),2),(5,(2,2))):(((1,4),24),(8,(1,40)))"),
    ],
)
def test_tilers(tiler: Any, expected: str) -> None:
    assert str(logical_product(parse("((4,2),5):((1,4),8)"), tiler)) == expected


@pytest.mark.parametrize(
    ("product", "expected"),
    [
        (logical_product, "((4,2),(8,3)):((1,4),(4,1))"),
        (zipped_product, "((4,8),(2,3)):((1,4),(4,1))"),
        (tiled_product, "((4,8),2,3):((1,4),4,1)"),
        (flat_product, "(4,8,2,3):(1,4,4,1)"),
    ],
)
def test_arrangements(product: Any, expected: str) -> None:
    assert str(product(parse("(4,8):(1,4)"), (2, 3))) == expected
    assert product(parse("(_4,_8):(_1,_4)"), (tla._2, tla._3)).is_static


def test_what_is_left_alone() -> None:
    block = parse("(8,6):(1,8)")
    for alone in (None, _):
        assert logical_product(block, alone) == block
        assert str(zipped_product(block, alone)) == "(1,(8,6)):(0,(1,8))"
        assert str(tiled_product(block, alone)) == str(flat_product(block, alone)) == "(1,8,6):(0,1,8)"


def test_origins() -> None:
    padded = parse("(4,8):(1,4):(3,5)")
    assert str(logical_product(padded, (2, _))) == "((4,2),8):((1,4),4):(8,5)"
    assert str(logical_product(padded, 2)) == "((4,8),2):((1,4),32)"


@ALL
@pytest.mark.parametrize(
    ("tiler", "error", "summary"),
    [
        ((1, 2, 3), CongruenceError, "(1,2,3) has 3 parts, (8,6):(1,8) has 2 modes"),
        (-1, LayoutError, "shape -1 has the negative extent -1"),
        ("x", LeafError, "expected an int, got str 'x'"),
        ((2, True), LeafError, "expected an int, got bool True"),
        (
            Layout(3, -1),
            CoordinateError,
            "the composition of 3:48 with 3:-1 is not defined",
        ),
    ],
)
def test_tilers_that_are_none(product: Any, tiler: Any, error: type[TlaError], summary: str) -> None:
    with pytest.raises(error) as caught:
        product(parse("(8,6):(1,8)"), tiler)
    assert type(caught.value) is error
    assert caught.value.summary == summary


# --- products that keep the modes -------------------------------------------------------------


@pytest.mark.parametrize(
    ("block", "tiler", "blocked", "raked"),
    [
        # CuTe 02_layout_algebra.md, "Blocked and raked products"
        ("(2,5):(5,1)", "(3,4):(1,3)", "((2,3),(5,4)):((5,10),(1,30))", "((3,2),(4,5)):((10,5),(30,1))"),
        ("8:2", "4:1", "((8,(2,2))):((2,(1,16)))", "(((2,2),8)):(((1,16),2))"),
        ("(2,3):(1,2)", "4:1", "((2,4),(3,_1)):((1,6),(2,0))", "((4,2),(_1,3)):((6,1),(0,2))"),
        ("4:1", "(2,3):(1,2)", "((4,2),(_1,3)):((1,4),(_0,8))", "((2,4),(3,_1)):((4,1),(8,_0))"),
        ("_4:_1", "_3:_1", "((_4,_3)):((_1,_4))", "((_3,_4)):((_4,_1))"),
    ],
)
def test_blocked_and_raked(block: str, tiler: str, blocked: str, raked: str) -> None:
    assert str(blocked_product(parse(block), parse(tiler))) == blocked
    assert str(raked_product(parse(block), parse(tiler))) == raked


@given(blocks(), tilers())
def test_each_mode_has_its_block_and_its_copies(block: Any, tiler: Any) -> None:
    """The same pairs as in the logical product, of modes instead of wholes."""
    try:
        whole = logical_product(block, tiler)
    except TlaError as error:
        for product in (blocked_product, raked_product):
            with pytest.raises(type(error)):
                product(block, tiler)
        return
    copies = get(whole, 1)
    blocks_of, copies_of = list(block), list(copies) if tla.is_tuple(tiler.shape) else [copies]
    blocked, raked = blocked_product(block, tiler), raked_product(block, tiler)
    assert blocked.rank == raked.rank == max(len(blocks_of), len(copies_of))
    one = Layout(1, 0)
    for i in range(blocked.rank):
        inner = blocks_of[i] if i < len(blocks_of) else one
        outer = copies_of[i] if i < len(copies_of) else one
        for mode, pair in ((get(blocked, i), (inner, outer)), (get(raked, i), (outer, inner))):
            assert tla.product_each(mode.shape) == tuple(x.size for x in pair)
            assert [naive_offsets(get(mode, k)) for k in (0, 1)] == [naive_offsets(x) for x in pair]


# --- tiling of a shape ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("block", "shape", "order", "expected"),
    [
        ("(2,4):(4,1)", (8, 20), None, "((2,4),(4,5)):((4,8),(1,32))"),
        ("(2,4):(4,1)", (8, 20), (0, 1), "((2,4),(4,5)):((4,8),(1,32))"),
        ("(2,4):(4,1)", (8, 20), (1, 0), "((2,4),(4,5)):((4,40),(1,8))"),
        ("(2,4):(4,1)", ((4, 2), 20), None, "((2,4),(4,5)):((4,8),(1,32))"),
        ("(2,4):(4,1)", (8, 20, 3), None, "((2,4),(4,5),(_1,3)):((4,8),(1,32),(_0,160))"),
        ("(2,4):(4,1)", (8, 20, 3), (1, 2, 0), "((2,4),(4,5),(_1,3)):((4,24),(1,96),(_0,8))"),
        ("(_2,_4):(_4,_1)", (tla._8, Int(20)), None, "((_2,_4),(_4,_5)):((_4,_8),(_1,_32))"),
        ("4:1", 12, None, "((4,3)):((1,4))"),
        ("(2,4):(4,1)", (0, 4), None, "((2,0),(4,1)):((4,8),(1,0))"),
    ],
)
def test_tile_to_shape(block: str, shape: Any, order: Any, expected: str) -> None:
    assert str(tile_to_shape(parse(block), shape, order)) == expected


@given(
    layouts(shapes(max_size=12, min_rank=1, max_depth=1, static=False), compact=True, static=False),
    st.data(),
)
def test_a_shape_is_tiled_by_copies_of_the_block(block: Any, data: st.DataObject) -> None:
    sizes = tla.product_each(tla.wrap(block.shape))
    counts = tuple(data.draw(st.integers(1, 3)) for _size in sizes)
    order = data.draw(st.none() | st.permutations(range(len(counts))).map(tuple))
    shape = tuple(s * n for s, n in zip(sizes, counts, strict=True))
    result = tile_to_shape(block, shape, order)
    assert tla.product_each(result.shape) == shape
    assert sorted(naive_offsets(result)) == list(range(prod(shape)))
    ranks = range(len(counts)) if order is None else order
    first = sorted(range(len(counts)), key=lambda i: ranks[i])
    step = block.size
    for i in first:  # the copies of mode i follow those of the modes before it in the order
        assert naive_offsets(get(result, i, 0)) == naive_offsets(get(block, i))
        assert naive_offsets(get(result, i, 1)) == [step * k for k in range(counts[i])]
        step *= counts[i]


def test_shapes_that_are_not_tiled() -> None:
    block = parse("(2,4):(4,1)")
    with pytest.raises(DivisibilityError) as caught:
        tile_to_shape(block, (7, 18))
    assert str(caught.value) == (
        "(2,4):(4,1) does not tile the shape (7,18)\n"
        "  Its modes have the sizes (2,4); the padded shape (8,20) would do."
    )
    assert (caught.value.block, caught.value.shape) == (block, (7, 18))
    padded: Any = caught.value.padded_shape
    assert tla.product_each(tile_to_shape(block, padded).shape) == padded == (8, 20)
    with pytest.raises(LayoutError) as rank:
        tile_to_shape(block, 8)
    assert str(rank.value) == "cannot tile the shape 8, of rank 1, with (2,4):(4,1), of rank 2"
    with pytest.raises(CongruenceError, match=r"^the order \(1\) does not fit the shape \(4,5\)"):
        tile_to_shape(block, (8, 20), (1,))


def test_an_empty_block() -> None:
    block = parse("(2,0):(4,1)")
    with pytest.raises(LayoutError) as caught:
        tile_to_shape(block, (4, 0))
    assert str(caught.value) == "(2,0):(4,1) has no coordinate, and so tiles no shape"
    assert (caught.value.block, caught.value.shape) == (block, (4, 0))


# --- threads and values -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("threads", "values", "tile", "expected"),
    [
        ("(2,3):(3,1)", "(2,2):(2,1)", (4, 6), "((3,2),(2,2)):((8,2),(4,1))"),
        ("(4,8):(8,1)", "(2,2):(2,1)", (8, 16), "((8,4),(2,2)):((16,2),(8,1))"),
        ("32:1", "4:1", (128,), "(32,4):(4,1)"),
        ("(_2,_2):(_1,_2)", "_2:_1", (4, 2), "(_4,_2):(_2,_1)"),
    ],
)
def test_make_layout_tv(threads: str, values: str, tile: Any, expected: str) -> None:
    tiler, layout = make_layout_tv(parse(threads), parse(values))
    assert (tiler, str(layout)) == (tile, expected)


PACKED = layouts(shapes(max_size=8, min_rank=1, max_depth=1, static=False), compact=True, static=False)


@given(PACKED, PACKED)
def test_each_element_of_the_tile_has_a_thread_and_a_value(threads: Any, values: Any) -> None:
    tiler, layout = make_layout_tv(threads, values)
    assert tla.product_each(layout.shape) == (threads.size, values.size)
    assert sorted(naive_offsets(layout)) == list(range(naive_size(tiler)))
    raked = naive_offsets(raked_product(threads, values))
    for thread in range(threads.size):
        for value in range(values.size):
            index = naive_offset(layout, (thread, value))
            assert raked[index] == thread + value * threads.size


@pytest.mark.parametrize(
    ("threads", "values"),
    [("2:1", "2:3"), ("2:4", "2:1"), ("2:0", "2:1"), ("2:1", "2:0"), ("4:1", "2:2")],
)
def test_threads_or_values_with_gaps(threads: str, values: str) -> None:
    with pytest.raises(LayoutError) as caught:
        make_layout_tv(parse(threads), parse(values))
    assert caught.value.summary == f"threads {threads} with values {values} do not fill a tile"
    assert (caught.value.threads, caught.value.values) == (parse(threads), parse(values))


# --- large and symbolic -----------------------------------------------------------------------


def test_sixty_modes_and_large_ints() -> None:
    block = Layout((2,) * 60, tuple(4 ** (7 * i % 60) for i in range(60)))
    result = logical_product(block, Layout((2**20, 2**40), (2**40, 1)))
    assert result.size == 2**120
    assert tla.is_bijective(result)
    tall = blocked_product(Layout((10**20, 3), (3, 1)), Layout((7, 10**12), (10**12, 1)))
    assert tall == Layout(((10**20, 7), (3, 10**12)), ((3, 3 * 10**32), (1, 3 * 10**20)))


@pytest.mark.parametrize(
    ("product", "block", "tiler"),
    [
        (logical_product, Layout(4, 1), M),
        (logical_product, Layout((4, 2), (1, 4)), Layout((M, 2), (2, 1))),
        (zipped_product, Layout((4, 2), (1, 4)), Layout((2, M), (1, 2))),
        (flat_product, Layout((4, 2), (1, M16)), (_, _)),
        (blocked_product, Layout((4, 2), (1, 4)), Layout((2, M), (1, 2))),
        (raked_product, Layout((4, 2), (1, 4)), Layout((M, 3), (3, 1))),
        (tile_to_shape, Layout((2, 4), (4, 1)), (M16, 16)),
    ],
)
def test_unknown_extents(product: Any, block: Any, tiler: Any) -> None:
    result = product(block, tiler)
    for m in (16, 48):
        plain, found = (x.bind(M=m) for x in (block, result))
        over = tiler
        if tla.is_layout(tiler):
            over = tiler.bind(M=m)
        elif tiler != (_, _):
            over = tla.transform_leaf(partial(evaluate, values={"M": m}), tiler)
        assert naive_offsets(found) == naive_offsets(product(plain, over))


def test_what_an_unknown_leaves_open() -> None:
    with pytest.raises(UndecidedError, match=r"^the complement of .* needs M >= 4\n"):
        logical_product(Layout((4, 2), (1, M)), 3)
    with pytest.raises(OverlapError):
        logical_product(Layout((4, 2, 1), (1, 2, M)), 3)


def test_whether_a_block_divides_an_unknown_is_open() -> None:
    with pytest.raises(UndecidedError) as caught:
        tile_to_shape(Layout((2, 4), (4, 1)), (M, 16))
    assert caught.value.obligation == (M % 2 == 0)
