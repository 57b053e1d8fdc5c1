"""The first tile of a layout, told and drawn."""

from __future__ import annotations

from typing import Any

import pytest
from seeing import cells

from tla import DivisibilityError, make_layout_tile, parse
from tla.explain import explain_tile

ZN: Any = parse("((4,2),(4,3)):((4,16),(1,32))")


@pytest.mark.parametrize(
    ("layout", "tile"),
    [
        ("((4,2),(4,3)):((4,16),(1,32))", (4, 4)),
        ("(8,6):(6,1)", (4, 3)),
        ("12:2", 4),
        ("(2,4,6):(24,6,1)", (1, 2, 3)),
    ],
)
def test_the_tile_is_the_cells_of_the_first_colour(layout: str, tile: Any) -> None:
    whole: Any = parse(layout)
    found = explain_tile(whole, tile)
    result = make_layout_tile(whole, tile)
    assert found.result == str(result)
    pictures: tuple[Any, ...] = found.pictures
    before, after = pictures[0].figures
    tiles = {cell.offset for cell in cells(after, result).values()}
    shown = {cell.offset: cell.colour for cell in cells(before, whole).values()}
    assert {x for x, colour in shown.items() if x in tiles and colour != 0} == set()
    assert len(found.sentences) == (len(tile) if isinstance(tile, tuple) else 1)


def test_a_tile_rounded_up_to_whole_blocks() -> None:
    found = explain_tile(ZN, (3, 4), exact=False)
    assert found.title.endswith(", (3,4), exact=false)")
    assert found.sentences[0] == (
        "Mode 0, (4,2): a tile of 3 of its 8 coordinates has the shape (4,1), 4 in whole blocks."
    )


def test_what_does_not_divide_is_refused() -> None:
    with pytest.raises(DivisibilityError):
        explain_tile(ZN, (3, 4))


def test_with_unknowns_there_are_words_alone() -> None:
    found = explain_tile(parse("((16,M),8):((8,128),1)"), (16, 8))
    assert found.pictures == ()
    assert found.sentences[1] == "Mode 1, 8: a tile of 8 of its 8 coordinates has the shape 8."
