"""Figures as text: each golden is what a person sees; laws are of every figure and width."""

from __future__ import annotations

import itertools
import re
from typing import Any

import pytest
from hypothesis import given, strategies as st

from tla import Layout, layout_figure, parse, strip_figure
from tla.ground.figure import AnyFigure, Figure, Panels, Place, Steps, Strip
from tla.show import render
from tla.show.facts import borders, wrapped
from tla.show.palette import fill
from tla.show.texts import lines_of
from tla.show.texts.spans import plain
from tla.testing import layouts, shapes

from .figures import figures, grids, marked, said, steps, strips

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


def drawn(text: str, **limits: Any) -> str:
    return render(layout_figure(parse(text), **limits))


def squeezed(picture: str) -> list[str]:
    """The lines of a picture below its column numbers, each run of blanks made one."""
    return [re.sub(r" +", " ", line).strip() for line in picture.split("\n") if re.search(r"[|+]", line)]


@pytest.mark.parametrize(
    ("text", "matrix"),
    [
        ("(2,3):(3,1)", ROW_MAJOR),
        ("(2,3):(1,2)", COL_MAJOR),
    ],
)
def test_the_documents_matrices(text: str, matrix: str) -> None:
    picture = drawn(text)
    assert squeezed(picture) == squeezed(matrix)
    columns = matrix.split("\n")[0].count("+") - 1
    assert picture.split("\n")[0].split() == [str(i) for i in range(columns)]


def rows_of(picture: str) -> list[list[int]]:
    """The numbers in the rows of a picture, without those of its axes."""
    bars = [line.partition("|")[2] for line in picture.split("\n") if "|" in line]
    return [[int(number) for number in re.findall(r"-?\d+", bar)] for bar in bars]


def test_the_documents_tiles() -> None:
    """The same numbers in the same rows, with lines around tiles and not around cells."""
    picture = drawn("((4,2),(4,3)):((4,16),(1,32))")
    assert rows_of(picture) == rows_of(ZN)
    assert picture == lines(
        "             0                1                2",
        "        0   1   2   3    0   1   2   3    0   1   2   3",
        "     +----------------+----------------+----------------+",
        " 0 0 |  0   1   2   3 | 32  33  34  35 | 64  65  66  67 |",
        "   1 |  4   5   6   7 | 36  37  38  39 | 68  69  70  71 |",
        "   2 |  8   9  10  11 | 40  41  42  43 | 72  73  74  75 |",
        "   3 | 12  13  14  15 | 44  45  46  47 | 76  77  78  79 |",
        "     +----------------+----------------+----------------+",
        " 1 0 | 16  17  18  19 | 48  49  50  51 | 80  81  82  83 |",
        "   1 | 20  21  22  23 | 52  53  54  55 | 84  85  86  87 |",
        "   2 | 24  25  26  27 | 56  57  58  59 | 88  89  90  91 |",
        "   3 | 28  29  30  31 | 60  61  62  63 | 92  93  94  95 |",
        "     +----------------+----------------+----------------+",
    )


def test_tiles_of_tiles_have_a_level_and_a_border_each() -> None:
    assert drawn("((2,2,2),(2,2,2)):((1,4,16),(2,8,32))") == lines(
        "                0                  1",
        "           0        1         0        1",
        "          0   1    0   1     0   1    0   1",
        "       +--------+--------++--------+--------+",
        " 0 0 0 |  0   2 |  8  10 || 32  34 | 40  42 |",
        "     1 |  1   3 |  9  11 || 33  35 | 41  43 |",
        "       +--------+--------++--------+--------+",
        "   1 0 |  4   6 | 12  14 || 36  38 | 44  46 |",
        "     1 |  5   7 | 13  15 || 37  39 | 45  47 |",
        "       +========+========++========+========+",
        " 1 0 0 | 16  18 | 24  26 || 48  50 | 56  58 |",
        "     1 | 17  19 | 25  27 || 49  51 | 57  59 |",
        "       +--------+--------++--------+--------+",
        "   1 0 | 20  22 | 28  30 || 52  54 | 60  62 |",
        "     1 | 21  23 | 29  31 || 53  55 | 61  63 |",
        "       +--------+--------++--------+--------+",
    )


def test_padding_within_tiles() -> None:
    assert drawn("((2,2),3):((1,6),2):(3,3)") == lines(
        "        0   1   2",
        "     +------------+",
        " 0 0 |  0   2   4 |",
        "   1 |  1   3   5 |",
        "     +------------+",
        " 1 0 |  6   8  10 |",
        "   1 | (7) (9)(11)|",
        "     +------------+",
        "(n) is padding: 9 of 12 hold data",
    )


def test_a_vector_in_tiles() -> None:
    assert drawn("((3,2)):((1,4))") == lines(
        "         0         1",
        "      0  1  2   0  1  2",
        "    +---------+---------+",
        "    | 0  1  2 | 4  5  6 |",
        "    +---------+---------+",
    )


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


@pytest.mark.parametrize("text", ["(200,3):(3,1):(199,3)", "(9,2,2):(1,9,18):(8,2,2)"])
def test_padding_outside_the_corner_is_told(text: str) -> None:
    layout: Any = parse(text)
    shown = render(layout_figure(layout, slices=1))
    assert f"{layout.valid_size} of {layout.size} hold data" in shown


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


def marked_figure() -> Figure:
    figure = layout_figure(parse("(2,3):(3,1)"))
    grid = figure.grids[0]
    first, second = grid.cells
    first = (first[0], first[1]._replace(is_marked=True), first[2])
    second = (second[0], second[1], second[2]._replace(is_marked=True, valid=False))
    return figure._replace(grids=(grid._replace(cells=(first, second)),), valid_size=5)


def test_what_is_marked_is_told_without_colour() -> None:
    assert render(marked_figure()) == lines(
        "       0     1     2",
        "    +-----+-----+-----+",
        "  0 |  0  | [1] |  2  |",
        "    +-----+-----+-----+",
        "  1 |  3  |  4  |[(5)]|",
        "    +-----+-----+-----+",
        "[n] is marked",
        "(n) is padding: 5 of 6 hold data",
    )


@given(grids(40))
def test_every_cell_is_there_marked_and_padded_as_it_is(figure: Figure) -> None:
    picture = render(figure)
    for grid in figure.grids:
        for row in grid.cells:
            for cell in row:
                text = str(cell.offset) if cell.text is None else cell.text
                text = text if cell.valid else f"({text})"
                assert (f"[{text}]" if cell.is_marked else text) in picture
    assert ("[n] is marked" in picture) == (marked(figure) > 0)


@given(layouts(shapes(max_size=200), min_stride=-9, padded=True))
def test_the_numbers_are_those_of_the_cells(layout: Any) -> None:
    figure = layout_figure(layout, 64, 64, 4)
    cells = [[cell.offset for cell in row[:64]] for grid in figure.grids for row in grid.cells[:64]]
    assert rows_of(render(figure)) == cells


@given(layouts(shapes(max_size=100)))
def test_digits_stand_over_their_numbers(layout: Any) -> None:
    """Each number ends where the digit of its column does; borders stand where tiles end."""
    figure = layout_figure(layout, 64, 64, 1)
    grid = figure.grids[0]
    axis = grid.column_axis
    picture = render(figure).split("\n")[bool(grid.title) :]
    head = picture[len(axis.levels) - 1]
    row = next(line for line in picture if "|" in line)
    ends = [found.end() for found in re.finditer(r"\d+", row) if found.start() > row.index("|")]
    digits = [found.end() for found in re.finditer(r"\d+", head)]
    assert digits == ends
    assert [int(head[:end].split()[-1]) for end in digits] == list(axis.levels[-1])
    is_nested = len(axis.levels) > 1 or (grid.row_axis is not None and len(grid.row_axis.levels) > 1)
    bars = borders(axis) if is_nested else dict.fromkeys(range(1, len(ends)), 1)
    between = [row[a:b].count("|") for a, b in itertools.pairwise(ends)]
    assert between == [min(bars.get(i, 0), 2) for i in range(1, len(ends))]


@given(figures())
def test_spans_are_the_text(figure: AnyFigure) -> None:
    drawn_lines = lines_of(figure, 60)
    assert "\n".join(map(plain, drawn_lines)) == render(figure, 60)
    assert all(re.fullmatch("(#[0-9a-f]{6})?", span.fill) for line in drawn_lines for span in line)


def widest(figure: AnyFigure, width: int | None) -> int:
    return max(map(len, render(figure, width).split("\n")))


@given(grids())
def test_a_grid_as_wide_as_the_line_loses_nothing(figure: Figure) -> None:
    assert render(figure, widest(figure, None)) == render(figure)


@given(figures(), st.integers(8, 120))
def test_nothing_is_wider_than_asked_unless_one_cell_is(figure: AnyFigure, width: int) -> None:
    assert widest(figure, width) <= max(width, widest(figure, 1))


@given(st.one_of(grids(), steps()))
def test_what_has_room_is_whole(figure: AnyFigure) -> None:
    wide = widest(figure, 4000)
    assert render(figure, wide + 8) == render(figure, 4000)


@pytest.mark.parametrize("text", ["(64,64):(64,1)", "((4,8),(4,8)):((4,128),(1,16))", "1000:1"])
def test_a_terminal_of_40_columns_reads(text: str) -> None:
    layout: Any = parse(text)
    figure = layout_figure(layout, 16, 64)
    both = Panels("side by side?", (figure, strip_figure(layout)), ("=",), "a note of many words " * 3)
    for shown in (figure, strip_figure(layout), both):
        assert widest(shown, 40) <= 40
        assert len(rows_of(render(shown, 40))[0]) >= 3


@pytest.mark.parametrize("text", ["(100,3)", "(3,100)", "(100,100)"])
def test_above_64_a_side_there_is_a_corner(text: str) -> None:
    shape: Any = parse(f"{text}:(1,100)").shape
    picture = render(layout_figure(Layout(shape, (100, 1)), 100, 100))
    assert len(rows_of(picture)) == min(shape[0], 64)
    assert len(rows_of(picture)[0]) == min(shape[1], 64)
    assert f"a corner of {shape[0]} x {shape[1]}" in picture


# --- memory ---


def test_memory_is_offsets_over_coordinates() -> None:
    assert render(strip_figure(parse("((2,2),2):((0,1),4):(3,2)"))) == lines(
        "               0              1              2              3              4              5",
        "  +--------------+--------------+--------------+--------------+--------------+--------------+",
        "  | ((0,0),0) +1 | ((0,1),0) +1 |              |              | ((0,0),1) +1 | ((0,1),1) +1 |",
        "  +--------------+--------------+--------------+--------------+--------------+--------------+",
        "2 empty: no coordinate leads there",
        "4 of several coordinates: +n are n more",
    )


def test_a_place_that_is_marked() -> None:
    strip = Strip("", 3, 6, (Place(3, ("0",), 1, is_marked=True), Place(4, (), 0), Place(5, ("1",), 1)))
    assert render(strip) == lines(
        "    3   4   5",
        "  +---+---+---+",
        "  |[0]|   | 1 |",
        "  +---+---+---+",
        "[n] is marked",
        "1 empty: no coordinate leads there",
    )


@given(strips(), st.integers(12, 90))
def test_places_stand_in_their_order_in_any_width(strip: Strip, width: int) -> None:
    picture = render(strip, width)
    heads = [line for line in picture.split("\n") if re.fullmatch(r" +-?\d[-\d ]*", line)]
    assert [int(word) for line in heads for word in line.split()] == [p.offset for p in strip.places]
    cells = [line.strip().strip("|").split("|") for line in picture.split("\n") if "|" in line]
    assert [cell.strip(" ~[]") for row in cells for cell in row if cell.strip(" ~[]")] == [*said(strip)]


def test_a_place_that_holds_data_has_its_colour() -> None:
    strip = strip_figure(parse("(4,4):(1,4)"), colour="offset")
    fills = [span.fill for line in lines_of(strip, None) for span in line if span.text.strip(" |+-")]
    coloured = [each for each in fills if each]
    assert coloured == [fill("offset", place.colour) for place in strip.places]
    assert len(set(coloured)) > 1
    without = strip_figure(parse("(4,4):(1,4)"), colour="")
    assert not [span for line in lines_of(without, None) for span in line if span.fill]


def test_rows_of_memory_are_powers_of_two() -> None:
    """So that what lies below each other is a power of two apart."""
    heads = [
        line.split() for line in render(strip_figure(Layout(64, 1))).split("\n") if line[3:4].isspace()
    ]
    assert [head[0] for head in heads if head[0].isdigit()][:3] == ["0", "16", "32"]


# --- panels ---


def test_panels_stand_side_by_side() -> None:
    a, b = layout_figure(parse("(2,2):(2,1)")), layout_figure(parse("2:1"))
    figure = Panels("two", (a, b), ("=",), "a note")
    assert render(figure) == lines(
        "two",
        "(2,2):(2,1)       2:1",
        "      0   1             0   1",
        "    +---+---+  =      +---+---+",
        "  0 | 0 | 1 |         | 0 | 1 |",
        "    +---+---+         +---+---+",
        "  1 | 2 | 3 |",
        "    +---+---+",
        "a note",
    )
    assert render(figure, 20) == lines(
        "two",
        "(2,2):(2,1)",
        "      0   1",
        "    +---+---+",
        "  0 | 0 | 1 |",
        "    +---+---+",
        "  1 | 2 | 3 |",
        "    +---+---+",
        "  =",
        "2:1",
        "      0   1",
        "    +---+---+",
        "    | 0 | 1 |",
        "    +---+---+",
        "a note",
    )


def test_panels_without_figures_or_signs() -> None:
    assert render(Panels("t", (), (), "n")) == "t\nn"
    a = layout_figure(parse("1:1"))
    assert render(Panels("", (a, a))).split("\n")[1] == "      0          0"


# --- sentences, pictures and words ---


def test_sentences_are_numbered_and_pictures_stand_below() -> None:
    steps = Steps(
        "f(x)", (), (), (), (), "r", ("First of all.", "Then."), (layout_figure(parse("2:1")),)
    )
    assert render(steps) == lines(
        "f(x)",
        "  1. First of all.",
        "  2. Then.",
        "  = r",
        "",
        "  2:1",
        "        0   1",
        "      +---+---+",
        "      | 0 | 1 |",
        "      +---+---+",
    )
    assert render(steps, 12).split("\n")[:5] == [
        "f(x)", "  1. First", "     of all.", "  2. Then.", "  = r",
    ]  # fmt: skip


def test_a_table_that_is_too_wide_is_lines() -> None:
    assert render(TABLE, 14) == lines(
        "f(x)",
        "  a note",
        "  mode   4:2",
        "         fits",
        "  gives  4:1",
        "",
        "  mode   16",
        "  gives  -",
        "",
        "  = r",
    )


@given(st.text("ab ,:()", max_size=60), st.integers(1, 30), st.sampled_from(["", "  "]))
def test_wrapping_keeps_every_letter(text: str, letters: int, after: str) -> None:
    found = wrapped(text, letters, after)
    assert "".join(found).replace(" ", "") == text.replace(" ", "")
    assert all(len(line) <= max(letters, len(after) + 1) for line in found[1:])
    assert wrapped(text, None) == [text]
