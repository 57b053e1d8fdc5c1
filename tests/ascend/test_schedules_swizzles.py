"""Swizzles as values: their C++ names, read and written, and the schedules that they make."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from fuzz_schedules import SCHEDULERS
from hypothesis import given, strategies as st

import tla
import tla.ascend
from tla import LayoutError, LeafError, ParseError, UnsupportedError
from tla.ascend import schedules, swizzle
from tla.ascend.schedules.swizzles import WORDS, BlockSwizzle

if TYPE_CHECKING:
    from collections.abc import Callable

PROBLEM, TILE = (1000, 777, 900), (128, 256, 256)


def test_every_schedule_is_fuzzed() -> None:
    """Every function of the door that returns a schedule; those of classes have words too."""
    door = {name: getattr(schedules, name) for name in vars(schedules)["__all__"]}
    makers = {
        name
        for name, made in door.items()
        if getattr(made, "__annotations__", {}).get("return") in ("Schedule", "InGroups")
    }
    assert set(SCHEDULERS) == makers
    assert makers - set(WORDS) == {"in_groups", "heads", "convolution", "rows"}


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


def test_a_factor_left_out_is_that_of_the_kernel_and_zero_is_refused() -> None:
    order = swizzle("splitk")
    assert order.schedule((128, 256, 4096), (128, 256, 256), cores=20).factor == 8
    one_tile = order.schedule((128, 256, 9000), (128, 256, 10000), cores=20)
    assert one_tile.factor == 1  # the kernel would cut two slices, of one tile
    with pytest.raises(LayoutError, match=r"^splitk = 0: it must be at least 1"):
        order.schedule(PROBLEM, TILE, splitk=0)


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
    assert swizzle("identity<3u, 1U>") == swizzle("identity<3,1>") == swizzle(" <3, 1>")
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
        ("identity<0>", LayoutError, "^offset of GemmIdentityBlockSwizzle = 0: it must be at least 1"),
        ("identity<3,2>", LayoutError, "direction = 2"),
        ("grouped_aswt<0>", LayoutError, "^window of GemmGroupedAswtTailSplitSwizzle = 0: it must"),
        ("identity<1,2,3>", ParseError, "takes offset, direction in < >; the text has 3"),
        ("column<3>", ParseError, "ColumnBlockSwizzle takes no arguments in < >; the text has 1"),
        ("identity<a>", ParseError, "offset of GemmIdentityBlockSwizzle is a number"),
        ("identity<-1>", ParseError, "offset of GemmIdentityBlockSwizzle is a number"),
        ("identity<3,>", ParseError, "direction of GemmIdentityBlockSwizzle is a number"),
        ("grouped_aswt<4, 7>", ParseError, "trans_a of .* is true or false"),
        ("aswt<3>", ParseError, "takes the names of 2 shapes"),
        ("DynamicColumnBlockSwizzle", UnsupportedError, "is no swizzle"),
        ("identity<3", ParseError, "'<' is not closed behind identity"),
        ("identity 3,0>", ParseError, "expected '<' or the end behind identity"),
        ("identity<" + "9" * 5000 + ">", ParseError, "an int of 5000 digits"),
        ("identty", UnsupportedError, "Did you mean identity"),
        ("GemmIdentityBlockSwizle<3,0>", UnsupportedError, "Did you mean GemmIdentityBlockSwizzle or"),
        ("DynamicColumnBlockSwizzle<", UnsupportedError, "Did you mean ColumnBlockSwizzle"),
        ("zigzag", UnsupportedError, "Known: identity, splitk"),
        ("", UnsupportedError, "is no swizzle"),
        ("Identiy<3,1>", UnsupportedError, "Did you mean identity"),
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


def test_the_caret_is_at_the_bracket_that_is_open() -> None:
    with pytest.raises(ParseError) as caught:
        swizzle(" Block::GemmIdentityBlockSwizzle<3,0")
    assert caught.value.text[caught.value.start : caught.value.end] == "<3,0"


@pytest.mark.parametrize("bad", [None, 3, ("identity",), tla.Swizzle(3, 0, 3)])
def test_what_is_no_text(bad: object) -> None:
    with pytest.raises(TypeError, match=r"^expected the text of a swizzle, as 'Gemm.*, got"):
        swizzle(bad)  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]


def test_a_swizzle_of_blocks_has_a_name_of_its_own() -> None:
    assert type(swizzle("identity")).__name__ == "BlockSwizzle"
    assert tla.ascend.BlockSwizzle is schedules.BlockSwizzle is BlockSwizzle
    assert not hasattr(tla.ascend, "Swizzle")


def test_the_instruction_set_of_its_kernels() -> None:
    assert {word: swizzle(word).code for word in WORDS if swizzle(word).code} == {
        "single_core_splitk": 2201, "iterate_k": 2201, "aswt": 3510, "grouped_aswt": 3510,
    }  # fmt: skip


def test_what_only_some_take() -> None:
    with pytest.raises(LayoutError, match="GemmIdentityBlockSwizzle takes no splitk"):
        swizzle("identity").schedule(PROBLEM, TILE, splitk=2)
    with pytest.raises(LayoutError, match="SplitkGemmIdentityBlockSwizzle takes no rows"):
        swizzle("splitk").schedule(PROBLEM, TILE, rows=(1000,))
    assert [word for word in WORDS if swizzle(word).splits] == ["splitk"]
    assert [word for word in WORDS if swizzle(word).grouped] == ["identity", "aswt", "grouped_aswt"]
    m = PROBLEM[0]
    for word in ("identity<3,1>", "aswt", "grouped_aswt"):
        order = swizzle(word)
        groups = order.schedule(PROBLEM, TILE, rows=(0, 300, m - 300))
        assert (groups.groups, groups.proof().points) == (2, PROBLEM[0] * PROBLEM[1] * PROBLEM[2])
        with pytest.raises(LayoutError, match=f"sum to 7: M is {m}"):
            order.schedule(PROBLEM, TILE, rows=(3, 4))


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
    assert isinstance(swizzle("column"), BlockSwizzle)


def test_what_is_no_flag_and_no_number() -> None:
    """A text is not taken as true, nor an array as a number; what is taken can be printed."""
    problem, tile = (256, 256, 256), (128, 128, 64)
    grouped: Any = tla.ascend.GemmGroupedAswtTailSplitSwizzle
    assert grouped(4, np.True_, 0) == grouped(4, True, False)
    calls: list[Callable[[Any], object]] = [
        lambda x: grouped(4, x),
        lambda x: grouped(4, trans_b=x),
        lambda x: schedules.aswt(problem, tile, split=x),
        lambda x: schedules.grouped_aswt(problem, tile, trans_a=x),
        lambda x: schedules.grouped_aswt(problem, tile, balanced=x),
        lambda x: tla.ascend.MmadPingpong(unit_flag=x),
    ]
    bad: list[Any] = ["no", "true", None, 2, [], np.array([1, 0])]
    for call in calls:
        for wrong in bad:
            with pytest.raises(LayoutError, match="a flag is true or false"):
                call(wrong)
    bands: Any = tla.ascend.GemmIdentityBlockSwizzle
    with pytest.raises(LeafError, match="offset is an int, not ndarray"):
        bands(np.array([1, 2]))
    with pytest.raises(LayoutError, match="offset has more than 4300 digits"):
        bands(10**5000)
    with pytest.raises(UnsupportedError, match="'x' is no swizzle"):
        tla.ascend.BlockSwizzle("x").schedule(problem, tile)
