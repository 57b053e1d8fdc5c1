"""Row and column major, and the four fractal formats, against their definition."""

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tla
from tla import Int, LayoutError, LeafError, TlaError, _4, _16, col_major, nN, nZ, row_major, zN, zZ
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
    for bad in (-1, -20):
        with pytest.raises(LayoutError):
            FORMATS[name](bad, 48)
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
