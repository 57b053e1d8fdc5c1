"""Row and column major, and the fractal formats of every depth, against their definition."""

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from hypothesis import given, strategies as st

import tla
from tla import (
    Int,
    LayoutError,
    LeafError,
    TlaError,
    UndecidedError,
    _4,
    _16,
    col_major,
    fractal_layout,
    nN,
    nZ,
    row_major,
    same_static,
    sym,
    zN,
    zZ,
)
from tla.testing import naive_offsets, naive_table

Maker = Callable[..., Any]

FORMATS: dict[str, Maker] = {"zN": zN, "nZ": nZ, "zZ": zZ, "nN": nN}


def by_definition(name: str, rows: int, cols: int, high: int, wide: int) -> list[list[int]]:
    """Each element's place: blocks in the order of the capital, elements in that of the small letter."""
    down, across = -(-rows // high), -(-cols // wide)
    blocks = list(product(range(down), range(across)))
    cells = list(product(range(high), range(wide)))
    if name[1] == "N":
        blocks.sort(key=lambda at: at[::-1])
    if name[0] == "n":
        cells.sort(key=lambda at: at[::-1])
    table = [[0] * (across * wide) for _row in range(down * high)]
    for place, ((b, c), (i, j)) in enumerate(product(blocks, cells)):
        table[b * high + i][c * wide + j] = place
    return table


@pytest.mark.parametrize("name", FORMATS)
@given(st.integers(1, 20), st.integers(1, 20), st.integers(1, 6), st.integers(1, 6))
def test_formats_are_what_their_letters_say(
    name: str, rows: int, cols: int, high: int, wide: int
) -> None:
    layout = FORMATS[name](rows, cols, block=(high, wide))
    table = by_definition(name, rows, cols, high, wide)
    assert naive_table(layout) == table
    assert layout.origin_shape == (rows, cols)
    assert layout.size == layout.cosize == len(table) * len(table[0])
    assert layout.valid_size == rows * cols


@pytest.mark.parametrize("name", FORMATS)
def test_static_sizes_make_static_layouts(name: str) -> None:
    make = FORMATS[name]
    assert make(Int(20), Int(48)).is_static
    assert make(Int(20), Int(48), block=(_16, Int(32))).is_static
    dynamic = make(20, 48)
    assert not dynamic.is_static
    assert tla.is_static((tla.get(dynamic.shape, 0, 0), tla.get(dynamic.shape, 1, 0)))
    assert dynamic == make(Int(20), Int(48))


def test_the_documents_zN() -> None:  # noqa: N802
    assert str(zN(8, 12, block=(4, 4))) == "((4,2),(4,3)):((4,16),(_1,32))"
    assert zN(8, 12, block=(4, 4))(1, 5) == 37


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("zN", "((_16,2),(_16,3)):((_16,_256),(_1,512)):(20,48)"),
        ("nZ", "((_16,2),(_16,3)):((_1,768),(_16,_256)):(20,48)"),
        ("zZ", "((_16,2),(_16,3)):((_16,768),(_1,_256)):(20,48)"),
        ("nN", "((_16,2),(_16,3)):((_1,_256),(_16,512)):(20,48)"),
    ],
)
def test_the_default_block_is_16_by_16(name: str, text: str) -> None:
    assert str(FORMATS[name](20, 48)) == text


def test_transposed_formats_mirror_each_other() -> None:
    for one, other in ((zN, nZ), (zZ, nN)):
        a, b = one(20, 36, block=(4, 8)), other(36, 20, block=(8, 4))
        assert naive_table(a) == [list(row) for row in zip(*naive_table(b), strict=True)]


def test_an_empty_matrix() -> None:
    for make in FORMATS.values():
        layout = make(0, 48)
        assert (layout.size, layout.cosize, layout.valid_size) == (0, 0, 0)


@pytest.mark.parametrize("block", [16, (16,), (16, 16, 16), (0, 16), (16, -1), ((4, 4), 16), ()])
@pytest.mark.parametrize("name", FORMATS)
def test_a_block_is_two_positive_extents(name: str, block: Any) -> None:
    with pytest.raises(LayoutError, match="a block is two positive extents"):
        FORMATS[name](20, 48, block=block)


@pytest.mark.parametrize("name", FORMATS)
def test_sizes_are_ints_that_are_not_negative(name: str) -> None:
    for sizes in ((-1, 48), (-20, 48), (20, -1), (-1, -1)):
        with pytest.raises(LayoutError, match="a size is negative"):
            FORMATS[name](*sizes)
    for strange in (True, 20.0, "20", None, [20]):
        with pytest.raises(LeafError):
            FORMATS[name](strange, 48)


@pytest.mark.parametrize("nested", [(4, 5), (20,), ()])
@pytest.mark.parametrize("name", FORMATS)
def test_rows_and_columns_are_not_tuples(name: str, nested: Any) -> None:
    with pytest.raises(TlaError):
        FORMATS[name](nested, 48)
    with pytest.raises(TlaError):
        FORMATS[name](20, nested)


# --- blocks of blocks, batches ---


def cells(letter: str, high: int, wide: int) -> list[tuple[int, int]]:
    """The places of a grid in the order of a letter."""
    places = list(product(range(high), range(wide)))
    return sorted(places, key=lambda at: at[::-1]) if letter in "nN" else places


def counted_off(
    rows: int, cols: int, order: str, blocks: tuple[tuple[int, int], ...]
) -> list[tuple[int, int]]:
    """Every element of the padded matrix, in the order in which they lie in memory."""
    inside, high, wide = [(0, 0)], 1, 1
    for letter, (h, w) in zip(order, blocks, strict=False):
        inside = [(b * high + i, c * wide + j) for b, c in cells(letter, h, w) for i, j in inside]
        high, wide = high * h, wide * w
    grid = cells(order[-1], -(-rows // high), -(-cols // wide))
    return [(b * high + i, c * wide + j) for b, c in grid for i, j in inside]


@st.composite
def formats(draw: st.DrawFn) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The letters and blocks of a fractal format of up to three levels."""
    extents = st.integers(1, 4)
    blocks = tuple(draw(st.lists(st.tuples(extents, extents), max_size=3)))
    capitals = "".join(draw(st.sampled_from("ZN")) for _block in blocks)
    return draw(st.sampled_from("zn")) + capitals, blocks


@given(st.integers(1, 20), st.integers(1, 20), formats())
def test_a_format_is_what_its_letters_say(
    rows: int, cols: int, form: tuple[str, tuple[tuple[int, int], ...]]
) -> None:
    order, blocks = form
    layout = fractal_layout(rows, cols, order, blocks)
    memory = counted_off(rows, cols, order, blocks)
    assert [layout(i, j) for i, j in memory] == list(range(len(memory)))
    assert layout.size == layout.cosize == len(memory)
    assert layout.origin_shape == (rows, cols)
    assert not any(layout.is_valid(i, j) for i, j in memory if i >= rows or j >= cols)


@given(st.lists(st.integers(1, 3), min_size=1, max_size=3), formats(), st.integers(1, 9))
def test_a_batch_lies_matrix_after_matrix(
    batch: list[int], form: tuple[str, tuple[tuple[int, int], ...]], rows: int
) -> None:
    order, blocks = form
    one = fractal_layout(rows, 5, order, blocks)
    many = fractal_layout(rows, 5, order, blocks, batch=tuple(batch))
    assert many.origin_shape == (*batch, rows, 5)
    assert many.size == many.cosize
    for place, at in enumerate(product(*map(range, batch))):
        for i, j in product(range(rows), range(5)):
            assert many(*at, i, j) == place * one.size + one(i, j)


def test_the_named_formats_are_instances() -> None:
    for name, make in FORMATS.items():
        sizes: Any = ((20, 48), (Int(20), 48), (Int(20), Int(48)), (sym("M"), 7))
        for rows, cols in sizes:
            assert same_static(make(rows, cols), fractal_layout(rows, cols, name))
            by_four = make(rows, cols, block=(_4, 8))
            assert same_static(by_four, fractal_layout(rows, cols, name, ((_4, 8),)))
    assert fractal_layout(20, 48) == zN(20, 48)
    majors: Any = ((2, 3), (_4, _16), (sym("M"), sym("N")))
    for rows, cols in majors:
        assert same_static(fractal_layout(rows, cols, "z", ()), row_major(rows, cols))
        assert same_static(fractal_layout(rows, cols, "n", ()), col_major(rows, cols))


def test_one_extent_is_one_mode() -> None:
    assert fractal_layout(20, 48, batch=3) == fractal_layout(20, 48, batch=(3,))
    assert str(fractal_layout(20, 48, batch=3)) == (
        "(3,(_16,2),(_16,3)):(1536,(_16,_256),(_1,512)):(3,20,48)"
    )
    assert fractal_layout(20, 48, batch=()) == zN(20, 48)
    nested = fractal_layout(16, 16, batch=(2, (3, 4)))
    assert str(nested) == "(2,(3,4),(_16,1),(_16,1)):(3072,(1024,256),(_16,_256),(_1,256))"
    assert fractal_layout(20, 48, batch=0).size == 0


def test_static_formats_are_static() -> None:
    blocks = ((_16, _16), (Int(2), _4))
    assert fractal_layout(Int(100), Int(60), "nZN", blocks, batch=(Int(2), _4)).is_static
    dynamic: Any = fractal_layout(100, 60, "nZN", blocks, batch=2)
    assert tla.is_static((tla.get(dynamic.shape, 1)[:2], tla.get(dynamic.stride, 1)))
    assert dynamic == fractal_layout(Int(100), Int(60), "nZN", blocks, batch=Int(2))


@given(formats(), st.integers(1, 40), st.integers(1, 40), st.integers(1, 3))
def test_a_format_of_unknown_size(
    form: tuple[str, tuple[tuple[int, int], ...]], rows: int, cols: int, batch: int
) -> None:
    order, blocks = form
    unknown = fractal_layout(sym("M"), sym("N"), order, blocks, sym("B"))
    assert unknown.bind(M=rows, N=cols, B=batch) == fractal_layout(rows, cols, order, blocks, batch)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"order": "zNZ"}, r"the order 'zNZ' does not fit the blocks \(\(_16,_16\)\)\n.*small letter"),
        ({"order": "z"}, "the order 'z' does not fit"),
        ({"order": ""}, "the order '' does not fit"),
        ({"order": "ZN"}, "the order 'ZN' does not fit"),
        ({"order": "zn"}, "the order 'zn' does not fit"),
        ({"order": "xN"}, "the order 'xN' does not fit"),
        ({"blocks": ((4, 4), (2, 0))}, r"a block is two positive extents, not \(2,0\)"),
        ({"blocks": (16, 16)}, "a block is two positive extents, not 16"),
        ({"blocks": 16}, "blocks are a tuple, the innermost first"),
        ({"blocks": ((4, (2, 2)),)}, "a block is two positive extents"),
        ({"batch": -1}, "negative extent -1"),
        ({"batch": (2, -3)}, "negative extent -3"),
    ],
)
def test_what_is_no_format(arguments: Any, text: str) -> None:
    with pytest.raises(LayoutError, match=text):
        fractal_layout(20, 48, **arguments)


def test_arguments_of_another_kind() -> None:
    strange: Any = ({"batch": 2.0}, {"batch": [2]}, {"blocks": [(4, 4)]}, {"blocks": (("4", 4),)})
    for arguments in strange:
        with pytest.raises(LeafError):
            fractal_layout(20, 48, **arguments)
    with pytest.raises(TypeError, match="an order is letters"):
        fractal_layout(20, 48, 3)  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    with pytest.raises(UndecidedError):
        fractal_layout(20, 48, blocks=((sym("H", min=0), 4),))


# --- row and column major ---


@given(st.lists(st.integers(0, 4), max_size=4))
def test_majors(extents: list[int]) -> None:
    row, col = row_major(*extents), col_major(*extents)
    assert row.shape == col.shape == tuple(extents)
    assert naive_offsets(col) == list(range(col.size))
    places = sorted(product(*map(range, extents)))
    assert [row(at) for at in places] == list(range(len(places)))


def test_the_documents_majors() -> None:
    assert str(row_major(2, 3)) == "(2,3):(3,_1)"
    assert str(col_major(2, 3)) == "(2,3):(_1,2)"
    assert str(row_major(_4, (2, 3))) == "(_4,(2,3)):(6,(3,_1))"
    assert row_major(_4, _16).is_static
    assert str(row_major()) == "():()"
    assert str(row_major(5)) == "(5):(_1)"


def test_majors_check_their_extents() -> None:
    majors: list[Maker] = [row_major, col_major]
    for make in majors:
        with pytest.raises(LayoutError, match="negative extent"):
            make(2, -3)
        with pytest.raises(LeafError):
            make(2, 3.0)
