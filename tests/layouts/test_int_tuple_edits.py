"""Int tuples: selecting, grouping, inserting and removing modes."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, strategies as st

import tla
from tla import CoordinateError, LayoutError, LeafError, _2, _8
from tla.testing import int_tuples

NESTED = ((4, 2), (8, (3, 5)), 7)


def test_selection() -> None:
    assert tla.select(NESTED, 2, 0) == (7, (4, 2))
    assert tla.take(NESTED, 1, 3) == ((8, (3, 5)), 7)
    assert tla.take(NESTED, 1, 1) == ()
    assert tla.group(NESTED, 0, 2) == (((4, 2), (8, (3, 5))), 7)
    assert tla.group((4, 2), 1, 1) == (4, (), 2)


def test_insertion() -> None:
    assert tla.append((4, 2), (3, 5)) == (4, 2, (3, 5))
    assert tla.prepend(4, _8) == (_8, 4)
    assert tla.append((4, 2), 1, upto=4) == (4, 2, 1, 1)
    assert tla.prepend((4, 2), 1, upto=2) == (4, 2)
    assert tla.replace((4, 2, 3), 1, ()) == (4, (), 3)
    assert tla.insert((4, 2), 0, 7) == (7, 4, 2)
    assert tla.insert((4, 2), 2, 7) == (4, 2, 7)
    assert tla.remove(NESTED, 1) == ((4, 2), 7)
    assert tla.repeat(5, 0) == ()
    assert tla.repeat_like(NESTED, _2) == ((_2, _2), (_2, (_2, _2)), _2)


def test_wrapping() -> None:
    assert (tla.wrap(5), tla.wrap((5,)), tla.unwrap((((5,),),)), tla.unwrap(())) == ((5,), (5,), 5, ())


@given(int_tuples().filter(lambda x: isinstance(x, tuple)), st.data())
def test_edits_undo_each_other(x: Any, data: st.DataObject) -> None:
    i = data.draw(st.integers(0, len(x)))
    assert tla.remove(tla.insert(x, i, 9), i) == x
    assert tla.take(tla.append(x, 9), 0, len(x)) == x
    begin, end = sorted(data.draw(st.lists(st.integers(0, len(x)), min_size=2, max_size=2)))
    grouped = tla.group(x, begin, end)
    assert (*grouped[:begin], *grouped[begin], *grouped[begin + 1 :]) == x


@pytest.mark.parametrize(
    "edit",
    [
        lambda x: tla.select(x, 3),
        lambda x: tla.select(x, -1),
        lambda x: tla.take(x, 1, 4),
        lambda x: tla.take(x, 2, 1),
        lambda x: tla.take(x, -1, 1),
        lambda x: tla.group(x, 0, 4),
        lambda x: tla.replace(x, 3, 1),
        lambda x: tla.replace(x, -1, 1),
        lambda x: tla.insert(x, 4, 1),
        lambda x: tla.remove(x, 3),
    ],
)
def test_edits_outside_the_tuple(edit: Callable[[Any], Any]) -> None:
    with pytest.raises(CoordinateError, match="of rank 3"):
        edit(NESTED)
    with pytest.raises(LayoutError):
        tla.repeat(NESTED, -1)


EDITS: dict[str, Callable[[Any], Any]] = {
    "append": lambda item: tla.append((4, 2), item),
    "prepend": lambda item: tla.prepend((4, 2), item),
    "replace": lambda item: tla.replace((4, 2), 0, item),
    "insert": lambda item: tla.insert((4, 2), 0, item),
    "repeat": lambda item: tla.repeat(item, 2),
    "to_text": lambda item: tla.to_text((4, item)),
}


@pytest.mark.parametrize("edit", EDITS)
def test_what_is_put_in_is_an_int_tuple(edit: str) -> None:
    for bad in (True, 1.5, "4", None, [4], (4, True)):
        with pytest.raises(LeafError, match="expected an int, got"):
            EDITS[edit](bad)
