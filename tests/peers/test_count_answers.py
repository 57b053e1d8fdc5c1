"""The counts of wrong answers that the documents show: none here, some of each library beside it."""

import re
from pathlib import Path

import count_answers
import pytest

PAGE = Path(__file__).parents[2] / "docs" / "peers.md"


@pytest.mark.parametrize("name", count_answers.OPERATIONS)
def test_none_of_ours_is_wrong(name: str) -> None:
    ours = next(count_answers.libraries())
    assert (ours.name, count_answers.counted(ours, name, 100)) == ("tla", (100, 0, 0, 0))


@pytest.mark.parametrize("name", ["composition", "complement", "logical_divide", "logical_product"])
def test_each_other_library_is_sometimes_wrong(name: str) -> None:
    """If not, the table in docs/peers.md is out of date."""
    _tla, *others = count_answers.libraries()
    for library in others:
        count = count_answers.counted(library, name, 200)
        assert count.wrong + count.no_answer > 0, library.name


def test_coalesce_is_right_everywhere() -> None:
    for library in count_answers.libraries():
        assert count_answers.counted(library, "coalesce", 100) == (100, 0, 0, 0)


@pytest.mark.skipif(not PAGE.exists(), reason="the wheel has no documents")
@pytest.mark.parametrize("name", ["complement", "right_inverse"])
def test_the_counts_on_the_page(name: str) -> None:
    """Of two operations, which take a second; the page says how all of them are counted."""
    text = PAGE.read_text("utf-8")
    (columns,) = re.findall(r"^\| operation \| (.*) \|$", text, re.M)
    (row,) = re.findall(rf"^\| `{name}` \| (\d.*) \|$", text, re.M)
    shown = dict(zip(columns.split(" | "), row.split(" | "), strict=True))
    for library in count_answers.libraries():
        cases, *counts = count_answers.counted(library, name, 1000)
        assert (cases, " / ".join(map(str, counts))) == (1000, shown[library.name])
