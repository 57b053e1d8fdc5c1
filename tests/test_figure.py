"""Figures of layouts as data, and their rendering as text."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tla
from tla import Layout, LayoutError, layout_figure, parse
from tla.explain import explain
from tla.figure import Steps
from tla.show import render
from tla.testing import layouts, naive_coords, naive_size, shapes

# The three matrices of the TLA document, as it prints them.
ROW_MAJOR = """\
+---+---+---+
0 | 0 | 1 | 2 |
+---+---+---+
1 | 3 | 4 | 5 |
+---+---+---+"""
COL_MAJOR = """\
+---+---+---+
0 | 0 | 2 | 4 |
+---+---+---+
1 | 1 | 3 | 5 |
+---+---+---+"""
ZN = """\
+----+----+----+----+----+----+----+----+----+----+----+----+
0 | 0 | 1 | 2 | 3 | 32 | 33 | 34 | 35 | 64 | 65 | 66 | 67 |
+----+----+----+----+----+----+----+----+----+----+----+----+
1 | 4 | 5 | 6 | 7 | 36 | 37 | 38 | 39 | 68 | 69 | 70 | 71 |
+----+----+----+----+----+----+----+----+----+----+----+----+
2 | 8 | 9 | 10 | 11 | 40 | 41 | 42 | 43 | 72 | 73 | 74 | 75 |
+----+----+----+----+----+----+----+----+----+----+----+----+
3 | 12 | 13 | 14 | 15 | 44 | 45 | 46 | 47 | 76 | 77 | 78 | 79 |
+----+----+----+----+----+----+----+----+----+----+----+----+
4 | 16 | 17 | 18 | 19 | 48 | 49 | 50 | 51 | 80 | 81 | 82 | 83 |
+----+----+----+----+----+----+----+----+----+----+----+----+
5 | 20 | 21 | 22 | 23 | 52 | 53 | 54 | 55 | 84 | 85 | 86 | 87 |
+----+----+----+----+----+----+----+----+----+----+----+----+
6 | 24 | 25 | 26 | 27 | 56 | 57 | 58 | 59 | 88 | 89 | 90 | 91 |
+----+----+----+----+----+----+----+----+----+----+----+----+
7 | 28 | 29 | 30 | 31 | 60 | 61 | 62 | 63 | 92 | 93 | 94 | 95 |
+----+----+----+----+----+----+----+----+----+----+----+----+"""


def drawn(text: str, **limits: int) -> str:
    return render(layout_figure(parse(text), **limits))


def squeezed(picture: str) -> list[str]:
    """The lines of a picture below its column numbers, each run of blanks made one."""
    return [re.sub(r" +", " ", line).strip() for line in picture.split("\n") if re.search(r"[|+]", line)]


@pytest.mark.parametrize(
    ("text", "matrix"),
    [
        ("(2,3):(3,1)", ROW_MAJOR),
        ("(2,3):(1,2)", COL_MAJOR),
        ("((4,2),(4,3)):((4,16),(1,32))", ZN),
    ],
)
def test_the_documents_matrices(text: str, matrix: str) -> None:
    picture = drawn(text)
    assert squeezed(picture) == squeezed(matrix)
    columns = matrix.split("\n")[0].count("+") - 1
    assert picture.split("\n")[0].split() == [str(i) for i in range(columns)]


def lines(*rows: str) -> str:
    return "\n".join(rows)


def test_a_matrix() -> None:
    assert drawn("(2,3):(3,1)") == lines(
        "      0   1   2",
        "    +---+---+---+",
        "  0 | 0 | 1 | 2 |",
        "    +---+---+---+",
        "  1 | 3 | 4 | 5 |",
        "    +---+---+---+",
    )


def test_padding_stands_in_brackets_and_is_counted() -> None:
    assert drawn("(2,4):(4,1):(2,3)") == lines(
        "      0   1   2   3",
        "    +---+---+---+---+",
        "  0 | 0 | 1 | 2 |(3)|",
        "    +---+---+---+---+",
        "  1 | 4 | 5 | 6 |(7)|",
        "    +---+---+---+---+",
        "(n) is padding: 6 of 8 hold data",
    )


@pytest.mark.parametrize("text", ["5:-2", "(5):(-2)"])
def test_a_vector_is_one_row_without_a_number(text: str) -> None:
    assert drawn(text) == lines(
        "       0    1    2    3    4",
        "    +----+----+----+----+----+",
        "    |  0 | -2 | -4 | -6 | -8 |",
        "    +----+----+----+----+----+",
    )


def test_higher_ranks_are_slices() -> None:
    assert drawn("(2,2,2):(4,2,1):(1,2,2)") == lines(
        "[0,_,_]",
        "      0   1",
        "    +---+---+",
        "  0 | 0 | 1 |",
        "    +---+---+",
        "  1 | 2 | 3 |",
        "    +---+---+",
        "[1,_,_]",
        "      0   1",
        "    +---+---+",
        "  0 |(4)|(5)|",
        "    +---+---+",
        "  1 |(6)|(7)|",
        "    +---+---+",
        "(n) is padding: 4 of 8 hold data",
    )
    titles = [grid.title for grid in layout_figure(parse("(2,2,1,1):(1,2,4,4)")).grids]
    assert titles == ["[0,0,_,_]", "[0,1,_,_]", "[1,0,_,_]", "[1,1,_,_]"]


def test_a_large_layout_is_a_corner_and_totals() -> None:
    assert drawn("(1000,1000):(1000,1)", rows=2, columns=3) == lines(
        "         0      1      2  ...",
        "    +------+------+------+",
        "  0 |    0 |    1 |    2 | ...",
        "    +------+------+------+",
        "  1 | 1000 | 1001 | 1002 | ...",
        "    +------+------+------+",
        "...",
        "a corner of 1000 x 1000: 1000000 coordinates, offsets that span 1000000",
    )
    assert drawn("1000:2", columns=2).endswith(
        "a corner of 1000: 1000 coordinates, offsets that span 1999"
    )


def test_slices_left_out_are_counted() -> None:
    picture = drawn("(6,2,3):(6,3,1)")
    assert picture.count("_,_]") == 4
    *_grids, total = picture.split("\n")
    assert "6 slices" in total
    assert "2 x 3" in total
    assert total.endswith(": 36 coordinates, offsets that span 36")


def test_a_huge_layout_is_drawn_at_once() -> None:
    figure = layout_figure(parse(f"({10**9},{10**9},{10**9}):({10**18},{10**9},1)"))
    assert len(figure.grids) == 4
    assert (figure.slices, figure.size) == (10**9, 10**27)
    assert len(render(figure)) < 200_000


def test_nothing_to_draw() -> None:
    assert drawn("(0,3):(1,1)") == drawn("(2,0,3):(1,1,1)") == drawn("0:1") == "(no elements)"
    assert drawn("():()") == "      0\n    +---+\n    | 0 |\n    +---+"


@given(st.integers(1, 12), st.integers(1, 40), st.integers(20, 120))
def test_no_line_is_wider_than_asked(rows: int, columns: int, width: int) -> None:
    picture = render(layout_figure(Layout((rows, columns), (columns, 1))), width).split("\n")
    assert max(map(len, [line for line in picture if not line.startswith("a corner")])) <= width
    assert ("..." in picture[0]) == (picture[1].count("+") - 1 < columns)


@given(layouts(shapes(min_extent=0), min_stride=-64, padded=True))
def test_a_figure_holds_every_offset(layout: Any) -> None:
    figure = layout_figure(layout, rows=64, columns=64, slices=64)
    assert (figure.size, figure.valid_size, figure.cosize) == (
        layout.size,
        layout.valid_size,
        layout.cosize,
    )
    cells = [cell for grid in figure.grids for row in grid.cells for cell in row]
    sizes = list(map(naive_size, layout.shape)) if isinstance(layout.shape, tuple) else [layout.size]
    places = sorted(naive_coords(tuple(sizes)))  # last mode fastest, as one reads
    coords = places if isinstance(layout.shape, tuple) else [at[0] for at in places]
    assert [(cell.offset, cell.valid) for cell in cells] == [
        (layout(at), layout.is_valid(at)) for at in coords
    ]
    assert not any(grid.is_cut for grid in figure.grids if cells)
    assert any(grid.has_padding for grid in figure.grids) == (not all(cell.valid for cell in cells))


@given(layouts(shapes(max_size=200)), st.integers(1, 3), st.integers(1, 3), st.integers(1, 3))
def test_a_cut_figure_is_the_corner_of_the_whole(
    layout: Any, rows: int, columns: int, some: int
) -> None:
    whole = layout_figure(layout, rows=200, columns=200, slices=200)
    corner = layout_figure(layout, rows=rows, columns=columns, slices=some)
    assert (corner.slices, corner.size) == (whole.slices, whole.size) == (len(whole.grids), layout.size)
    assert len(corner.grids) == min(some, whole.slices)
    for small, large in zip(corner.grids, whole.grids, strict=False):
        assert (small.title, small.rows, small.columns) == (large.title, large.rows, large.columns)
        assert small.cells == tuple(row[:columns] for row in large.cells[:rows])
        assert small.is_cut == (small.cells != large.cells)


def test_figures_are_plain_values() -> None:
    figure = layout_figure(tla.zN(8, 12, block=(4, 4)))
    assert figure == layout_figure(parse("((4,2),(4,3)):((4,16),(1,32))"))
    assert hash(figure) == hash(layout_figure(tla.zN(8, 12, block=(4, 4))))


@pytest.mark.parametrize("text", ["(200,3):(3,1):(199,3)", "(9,2,2):(1,9,18):(8,2,2)"])
def test_padding_outside_the_corner_is_told(text: str) -> None:
    layout: Any = parse(text)
    shown = render(layout_figure(layout, slices=1))
    assert f"{layout.valid_size} of {layout.size} hold data" in shown


def test_a_figure_of_nothing_is_refused() -> None:
    for limits in ({"rows": 0}, {"columns": -1}, {"slices": 0}):
        with pytest.raises(LayoutError, match="is empty"):
            layout_figure(parse("(2,3):(3,1)"), **limits)


# --- steps ---

TABLE = Steps(
    "f(x)", ("a note",), ("mode", "", "gives"), (("4:2", "fits", "4:1"), ("16", "", "-")), (), "r"
)


def test_steps_are_a_title_notes_a_table_and_the_result() -> None:
    assert render(TABLE) == lines(
        "f(x)",
        "  a note",
        "  mode        gives",
        "  4:2   fits  4:1",
        "  16          -",
        "  = r",
    )


def test_parts_stand_indented_between_the_notes_and_the_result() -> None:
    inner = Steps("h(z)", (), (), (), (), "2")
    middle = Steps("g(y)", ("first",), (), (), (inner, inner), "1")
    assert render(Steps("f(x)", (), (), (), (middle, TABLE), "0")) == lines(
        "f(x)",
        "  g(y)",
        "    first",
        "    h(z)",
        "      = 2",
        "    h(z)",
        "      = 2",
        "    = 1",
        "  f(x)",
        "    a note",
        "    mode        gives",
        "    4:2   fits  4:1",
        "    16          -",
        "    = r",
        "  = 0",
    )


def test_steps_of_nothing_are_a_title_and_a_result() -> None:
    assert render(Steps("f()", (), (), (), (), "():()")) == "f()\n  = ():()"
    assert render(Steps("f()", (), ("mode", "gives"), (), (), "1:0")) == "f()\n  = 1:0"


def test_steps_are_plain_values() -> None:
    assert hash(TABLE) == hash(TABLE._replace())
    assert TABLE._replace(notes=()) != TABLE
    with pytest.raises(AttributeError):
        TABLE.title = ""  # type: ignore[misc]  # ty: ignore[invalid-assignment]


CELLS = st.text("ab:1,() ", max_size=9).map(str.strip)
ROWS = [st.tuples(*[CELLS] * n) for n in range(1, 6)]


@given(st.sampled_from(ROWS).flatmap(lambda rows: st.lists(rows, min_size=2, max_size=6)))
def test_columns_stand_in_line(table: list[tuple[str, ...]]) -> None:
    """Each cell begins where its column does, two blanks past the longest cell before it."""
    columns, *rows = table
    drawn_lines = render(Steps("t", (), columns, tuple(rows), (), "r")).split("\n")
    assert (drawn_lines[0], drawn_lines[-1]) == ("t", "  = r")
    starts = [2]
    for column in zip(*table, strict=True):
        starts.append(starts[-1] + max(map(len, column)) + 2)
    for line, row in zip(drawn_lines[1:-1], table, strict=True):
        assert line == line.rstrip()
        for start, after, cell in zip(starts[:-1], starts[1:], row, strict=True):
            assert line[start:after].rstrip() == cell


def test_the_steps_of_a_division_are_drawn() -> None:
    figure = explain("logical_divide", parse("(4,2,3):(2,1,8)"), parse("4:2")).figure()
    assert render(figure) == lines(
        "logical_divide((4,2,3):(2,1,8), 4:2)",
        "  the tile 4:2, and the complement that runs over the tiles",
        "  complement(4:2, 24)",
        "    mode by stride  from  free below it",
        "    4:2             1     2:1",
        "    the rest        8     3:8",
        "    = (2,3):(1,8)",
        "  composition((4,2,3):(2,1,8), (4,(2,3)):(2,(1,8)))",
        "    mode of B  rest of it  mode of A                                             gives",
        "    0          4:2         4:2        takes 2 of 4, to the end of 4:2            2:4",
        "    0          2:1         2:1        fits                                       2:1",
        "    1          2:1         4:2        fits                                       2:2",
        "    2          3:8         4:2        8 is a multiple of 4: on to the next mode  -",
        "    2          3:2         2:1        2 is a multiple of 2: on to the next mode  -",
        "    2          3:1         ...:8      fits                                       3:8",
        "    = ((2,2),(2,3)):((4,1),(2,8))",
        "  = ((2,2),(2,3)):((4,1),(2,8))",
    )
