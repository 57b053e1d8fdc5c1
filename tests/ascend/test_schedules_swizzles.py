"""Swizzles as values: their C++ names, read and written, and the schedules that they make."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tla.ascend
from tla import LayoutError, ParseError, UnsupportedError
from tla.ascend import schedules, swizzle
from tla.ascend.schedules.swizzles import WORDS, Swizzle

PROBLEM, TILE = (1000, 777, 900), (128, 256, 256)


@pytest.mark.parametrize("word", WORDS)
def test_text_goes_both_ways(word: str) -> None:
    found = swizzle(word)
    assert found.name == WORDS[word]
    assert swizzle(str(found)) == found == getattr(tla.ascend, found.name)()
    assert swizzle(f"  typename Gemm::Block::{found} ;") == found
    assert swizzle(f"Catlass::Gemm::Block::{found}") == found
    assert swizzle(word.upper().replace("_", "-")) == found
    assert swizzle(found) is found


@pytest.mark.parametrize("word", WORDS)
def test_the_schedule_is_that_of_the_function(word: str) -> None:
    more: Any = {"splitk": 3} if word == "splitk" else {}
    direct = getattr(schedules, word)(PROBLEM, TILE, cores=20, **more)
    made = swizzle(word).schedule(PROBLEM, TILE, cores=20, **more)
    assert list(made.tasks) == list(direct.tasks)
    assert made.swizzle == str(swizzle(word)) == direct.swizzle


@given(st.integers(1, 99), st.integers(0, 1))
def test_arguments(offset: int, direction: int) -> None:
    made = tla.ascend.GemmIdentityBlockSwizzle(offset, direction)
    assert str(made) == f"GemmIdentityBlockSwizzle<{offset},{direction}>"
    assert swizzle(f"GemmIdentityBlockSwizzle<{offset},{direction}>") == made
    schedule = made.schedule(PROBLEM, TILE)
    assert list(schedule) == list(schedules.identity(PROBLEM, TILE, offset, direction))


def test_arguments_left_out_have_their_defaults() -> None:
    assert (
        swizzle("identity")
        == swizzle("identity<>")
        == swizzle("identity<1>")
        == swizzle("identity<1,0>")
    )
    assert swizzle("identity<3u, 1U>") == swizzle("identity<3,1>")
    assert str(swizzle("grouped_aswt<8>")) == "GemmGroupedAswtTailSplitSwizzle<8,false,true>"
    assert str(swizzle("grouped_aswt<4, true, 0>")) == "GemmGroupedAswtTailSplitSwizzle<4,true,false>"


@pytest.mark.parametrize("name", ["", "Splitk", "Streamk", "SingleCoreSplitk"])
def test_dynamic_classes_are_the_same_order(name: str) -> None:
    same = f"{name}GemmIdentityBlockSwizzle<3,1>"
    assert str(swizzle(f"Dynamic{same}")) == same


def test_shapes_by_name() -> None:
    found = swizzle("Gemm::Block::BlockSchedulerAswt<L1Shape,L0Shape,false>")
    assert str(found) == "BlockSchedulerAswt<L1Shape,L0Shape>"
    assert len(found.schedule(PROBLEM, TILE)) == len(schedules.aswt(PROBLEM, TILE))


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("identity<0>", LayoutError, "offset = 0: it is at least 1"),
        ("identity<3,2>", LayoutError, "direction = 2"),
        ("grouped_aswt<0>", LayoutError, "window = 0"),
        ("identity<1,2,3>", ParseError, "takes offset, direction in < >, not 3"),
        ("column<3>", ParseError, "ColumnBlockSwizzle takes none in < >, not 1"),
        ("identity<a>", ParseError, "offset of GemmIdentityBlockSwizzle is a number"),
        ("identity<-1>", ParseError, "offset of GemmIdentityBlockSwizzle is a number"),
        ("identity<3,>", ParseError, "direction of GemmIdentityBlockSwizzle is a number"),
        ("grouped_aswt<4, 7>", ParseError, "trans_a of .* is true or false"),
        ("aswt<3>", ParseError, "takes the names of 2 shapes"),
        ("BlockSchedulerAswt<A,B,true>", UnsupportedError, "grouped form of BlockSchedulerAswt"),
        ("DynamicColumnBlockSwizzle", UnsupportedError, "is no swizzle"),
        ("identity<3", UnsupportedError, "is no swizzle"),
        ("", UnsupportedError, "is no swizzle"),
        ("identiy", UnsupportedError, "Known: identity, splitk"),
    ],
)
def test_bad_texts(text: str, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        swizzle(text)


def test_the_caret_is_below_the_argument() -> None:
    with pytest.raises(ParseError) as caught:
        swizzle("GemmIdentityBlockSwizzle<3,x>")
    assert (caught.value.start, caught.value.end) == (27, 28)
    assert caught.value.text[caught.value.start : caught.value.end] == "x"


def test_what_only_some_take() -> None:
    with pytest.raises(LayoutError, match="GemmIdentityBlockSwizzle takes no splitk"):
        swizzle("identity").schedule(PROBLEM, TILE, splitk=2)
    with pytest.raises(LayoutError, match="SplitkGemmIdentityBlockSwizzle takes no rows"):
        swizzle("splitk").schedule(PROBLEM, TILE, rows=(1000,))
    assert [word for word in WORDS if swizzle(word).splits] == ["splitk"]
    assert [word for word in WORDS if swizzle(word).grouped] == ["grouped_aswt"]
    groups = swizzle("grouped_aswt").schedule(PROBLEM, TILE, rows=(300, 700))
    assert groups.groups == 2


def test_split_k_without_a_factor_takes_that_of_the_kernel() -> None:
    """And never more than K has tiles."""
    assert swizzle("splitk").schedule((512, 512, 4096), TILE, cores=24).factor > 1
    assert swizzle("splitk").schedule((4096, 4096, 4096), TILE, cores=24).factor == 1
    assert swizzle("splitk").schedule((128, 256, 16384), (128, 256, 16384), cores=24).empty == 0


def test_advice() -> None:
    """More rows than columns: bands of rows."""
    assert str(schedules.default_swizzle((4096, 4096, 1))) == "GemmIdentityBlockSwizzle<3,0>"
    assert str(schedules.default_swizzle((4095, 4096, 1))) == "GemmIdentityBlockSwizzle<3,1>"


def test_values_compare_and_hash() -> None:
    made = {swizzle("identity<3,0>"), tla.ascend.GemmIdentityBlockSwizzle(3), swizzle("identity<3,1>")}
    assert len(made) == 2
    assert isinstance(swizzle("column"), Swizzle)
