"""The four forms of a division side by side."""

from __future__ import annotations

from typing import Any

import pytest
from seeing import cells

from tla import DivisibilityError, TlaError, _, algebra, parse
from tla.explain import divide_table


def test_a_shape_and_a_layout_divide_otherwise() -> None:
    """https://github.com/NVIDIA/cutlass/issues/2545: tiles of (4,8) of a layout of (12,32)."""
    found = divide_table(parse("(12,32):(1,12)"), (4, 8))
    by_mode, by_layout = found.parts
    assert [row[2] for row in by_mode.rows] == [
        "((4,3),(8,4)):((1,4),(12,96))",
        "((4,8),(3,4)):((1,12),(4,96))",
        "((4,8),3,4):((1,12),4,96)",
        "(4,8,3,4):(1,12,4,96)",
    ]
    assert by_layout.title == "by a layout: (4,8):(1,4)"
    assert by_layout.rows[0][2] == "((4,8),12):((1,4),32)"
    assert by_mode.sentences == (
        "Mode 0, 12:1: 4 at a time, 3 times (4 * 3 = 12).",
        "Mode 1, 32:12: 8 at a time, 4 times (8 * 4 = 32).",
        "In all 12 tiles of 32.",
    )
    assert by_layout.sentences == (
        "(4,8):(1,4) picks 32 of the 384 indices of A, counted through all modes: 12 tiles of 32.",
    )
    assert found.notes
    assert "by a layout: (4,8):(1,4): ((4,8),12):((1,4),32)" in found.result


def test_a_layout_is_shown_as_a_shape_too() -> None:
    found = divide_table(parse("(12,6):(1,12)"), parse("(4,2):(1,4)"))
    assert [part.title for part in found.parts] == ["by a layout: (4,2):(1,4)", "by mode: (4,2)"]


@pytest.mark.parametrize("tiler", [4, parse("4:2"), (4, _), (parse("2:4"), 3)])
def test_where_there_is_one_reading_there_is_one_table(tiler: Any) -> None:
    found = divide_table(parse("(8,6):(1,8)"), tiler)
    assert found.parts == ()
    assert [row[0] for row in found.rows] == ["logical", "zipped", "tiled", "flat"]


def test_two_readings_that_agree_are_one() -> None:
    assert divide_table(parse("(8,6):(1,8)"), (8,)).parts == ()
    assert divide_table(parse("(8):(1)"), (4,)).parts == ()


def test_a_reading_that_is_none_is_said() -> None:
    refused = divide_table(parse("(6,5):(1,7)"), (4, 5))
    (note,) = refused.notes
    assert note.startswith("by a layout: (4,5):(1,4) there is none: dividing (6,5):(1,7) by ")


@pytest.mark.parametrize(
    "layout", ["(8,6):(1,8)", "(8,6):(6,1)", "((4,2),(2,3)):((6,24),(3,1))", "24:2"]
)
@pytest.mark.parametrize("tiler", [4, (4,), parse("2:4"), parse("(2,2):(1,4)"), (4, 3), (2, 2)])
def test_the_element_followed_is_at_its_coordinates(layout: str, tiler: Any) -> None:
    """The last column: a coordinate of each result whose offset is that of the element."""
    whole: Any = parse(layout)
    try:
        found = divide_table(whole, tiler)
    except TlaError:
        with pytest.raises(TlaError):
            algebra.logical_divide(whole, tiler)
        return
    for table in found.parts or (found,):
        element, rest = table.columns[-1].split(", offset ")
        offset = int(rest.partition(",")[0])
        assert whole.extended(parse(element)) == offset
        for _form, _modes, text, at in table.rows:
            result: Any = parse(text)
            assert result(parse(at)) == offset


def test_past_the_end_of_a_mode_an_element_has_the_offset_of_its_coordinate() -> None:
    """Tiles of 4 take two for the 6 of the middle mode, which goes on to 8; those after it stay."""
    layout: Any = parse("(4,6,4):(1,16,4)")
    found = divide_table(layout, (4, 4, 5))
    table = found.parts[0] if found.parts else found
    element, rest = table.columns[-1].split(", offset ")
    coordinate: Any = parse(element)
    offset = int(rest.partition(",")[0])
    assert layout(coordinate) == offset
    assert [parse(row[2])(parse(row[3])) for row in table.rows] == [offset] * 4


def test_pictures_show_the_same_cells() -> None:
    found = divide_table(parse("(8,6):(1,8)"), (4, 3))
    pictures: list[Any] = [*found.pictures[:5]]
    first, *forms = pictures
    colours = {c.offset: c.colour for g in first.grids for r in g.cells for c in r}
    assert [form.title.partition(":")[0] for form in forms] == ["logical", "zipped", "tiled", "flat"]
    for form in forms:
        for cell in cells(form, parse(form.title.partition(": ")[2])).values():
            assert colours[cell.offset] == cell.colour


def test_exactly_and_refused() -> None:
    assert divide_table(parse("8:1"), 4, exact=True).title == "divide(8:1, 4, exact=true)"
    with pytest.raises(DivisibilityError):
        divide_table(parse("8:1"), 3, exact=True)


def test_what_is_symbolic_has_a_table_without_pictures() -> None:
    found = divide_table(parse("(M,8):(8,1)"), (4, 4))
    table = found.parts[0] if found.parts else found
    assert found.pictures == ()
    assert len(table.columns) == 3
    assert table.sentences[1] == "Mode 1, 8:1: 4 at a time, 2 times (4 * 2 = 8)."


def test_an_empty_layout_and_nothing_to_divide_by() -> None:
    assert divide_table(parse("(0,4):(4,1)"), (2, 2)).pictures == ()
    assert divide_table(parse("(8,6):(1,8)"), _).rows[0][2] == "(8,6):(1,8)"
