"""Dispatch policies: their text in both directions, their stages, and what they refuse."""

from typing import Any

import pytest
from hypothesis import given, strategies as st

from tla import LayoutError, ParseError, UnsupportedError
from tla.ascend import (
    FAMILIES,
    GemmAtlasA2,
    MmadAtlasA2FullLoadA,
    MmadAtlasA2Pingpong,
    MmadAtlasA2PreloadAsync,
    MmadAtlasA2SingleCoreSplitk,
    MmadAtlasA2Small,
    MmadFullLoadA,
    MmadPingpong,
    MmadPingpongMutex,
    MmadPingpongTlaV2,
    MmadPreloadAsyncWithCallback,
    Policy,
    policy,
)
from tla.ascend.plans.asserts import ASSERTS
from tla.ascend.plans.families import WITHOUT_BLOCK

ARCHES = (None, "AtlasA2", "Ascend950")


@st.composite
def policies(draw: Any) -> Policy:
    """A policy with any parameters, bound to an architecture or not."""
    family = draw(st.sampled_from(sorted(FAMILIES.values())))
    flags, stages = st.booleans(), st.integers(1, 9)
    values = {p.name: draw(flags if p.is_flag else stages) for p in family.parameters if draw(flags)}
    arch = draw(st.sampled_from(ARCHES)) if family.has_arch else None
    found: Policy = family(arch=arch, **values)
    return found


@given(policies())
def test_text_and_value_are_one(found: Policy) -> None:
    assert policy(str(found)) == found
    named = ", ".join(f"{name}={str(value).lower()}" for name, value in found.values.items())
    assert policy(f"{found.name}({named})") == found._replace(arch=None)


@given(policies(), st.sampled_from(["AtlasA2", "AtlasA3", "Ascend950"]))
def test_binding_changes_the_architecture_alone(found: Policy, arch: str) -> None:
    bound = found.bound(arch)
    assert bound.values == found.values
    if found.family.has_arch:
        assert bound.arch_code == (3510 if arch == "Ascend950" else 2201)
    else:
        assert bound == found


def test_default_arguments_at_the_end_are_left_out() -> None:
    assert str(MmadPingpong()) == "MmadPingpong<ArchTag>"
    assert str(MmadPingpong(arch="AtlasA2", l0c_stages=2)) == "MmadPingpong<Arch::AtlasA2,false,false,2>"
    assert str(MmadAtlasA2Pingpong()) == "MmadAtlasA2Pingpong<>"
    assert str(MmadAtlasA2Small()) == "MmadAtlasA2Small<2>"
    # what C++ has no default for is written always
    assert str(MmadAtlasA2PreloadAsync()) == "MmadAtlasA2PreloadAsync<1,2,2,2,1,false,true>"
    assert str(MmadAtlasA2SingleCoreSplitk()) == "MmadAtlasA2SingleCoreSplitk<2,2,1>"
    assert str(MmadPreloadAsyncWithCallback(arch="AtlasA3")) == (
        "MmadPreloadAsyncWithCallback<Arch::AtlasA2,1,2,2,2,2,1,false,true>"
    )


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("Gemm::MmadPingpong<Arch::AtlasA2, true>", MmadPingpong(arch="AtlasA2", unit_flag=True)),
        ("Catlass::Gemm::MmadPingpong<ArchTag, true, false, 1>", MmadPingpong(unit_flag=True)),
        ("MmadPingpong<true>", MmadPingpong(unit_flag=True)),
        ("MmadPingpong<>", MmadPingpong()),
        ("mmadpingpong", MmadPingpong()),
        ("MmadPingpong()", MmadPingpong()),
        ("MmadPingpong(unit_flag, l1a_stages=3)", MmadPingpong(unit_flag=True, l1a_stages=3)),
        ("MmadPingpong( arch = Ascend950 )", MmadPingpong(arch="Ascend950")),
        ("MmadAtlasA2Small<4u, false>", MmadAtlasA2Small(stages=4)),
        ("GemmAtlasA2<true,1,0>", GemmAtlasA2(unit_flag=True, shuffle_k=True)),
    ],
)
def test_texts_that_are_read(text: str, same: Policy) -> None:
    assert policy(text) == same
    assert policy(same) == same


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("Preload", "MmadAtlasA2Preload"),
        ("PreloadAsync", "MmadAtlasA2PreloadAsync"),
        ("Small", "MmadAtlasA2Small"),
        ("streamk", "MmadAtlasA2Streamk"),
        ("SingleCoreSplitk", "MmadAtlasA2SingleCoreSplitk"),
        ("Pingpong", "MmadPingpong"),  # which runs wherever MmadAtlasA2Pingpong does
        ("AtlasA2Pingpong", "MmadAtlasA2Pingpong"),
        ("AtlasA2FullLoadA", "MmadAtlasA2FullLoadA"),
        ("Gemm::PreloadAsyncWithCallback", "MmadPreloadAsyncWithCallback"),
    ],
)
def test_short_names(word: str, name: str) -> None:
    assert policy(word) == policy(name)
    unit = "unit_flag" in policy(name).values
    assert not unit or policy(f"{word}(unit_flag)") == policy(f"{name}(unit_flag)")


def test_a_short_name_of_several_is_asked_about() -> None:
    """Of those that keep A in L1 none runs on both architectures."""
    with pytest.raises(UnsupportedError, match="'FullLoadA' is short for 3 dispatch policies") as caught:
        policy("FullLoadA")
    for name in ("MmadFullLoadA (AtlasA2)", "MmadAscend950FullLoadA (Ascend950)"):
        assert name in str(caught.value)
    with pytest.raises(UnsupportedError, match="Did you mean MmadAtlasA2Small"):
        policy("Smal")


@pytest.mark.parametrize("name", FAMILIES)
def test_a_whole_name_is_no_other_policy(name: str) -> None:
    assert policy(name).name == policy(name.lower()).name == name


def test_a_family_is_its_policy_with_defaults() -> None:
    assert policy(MmadPingpong) == MmadPingpong()


@pytest.mark.parametrize(
    ("text", "column", "summary"),
    [
        ("", 0, "expected the name of a dispatch policy, found the end of text"),
        ("MmadPingpong<", 13, "expected a parameter of MmadPingpong or '>', found the end of text"),
        ("MmadPingpong<true,,3>", 18, "expected true or false for hf32, found ','"),
        ("MmadPingpong<true", 17, "expected ',' or '>', found the end of text"),
        ("MmadPingpong<true> x", 19, "expected the end of text, found 'x'"),
        ("MmadPingpong(unit_flag=maybe)", 23, "expected true or false for unit_flag, found 'maybe'"),
        ("MmadPingpong<true,false,true>", 24, "expected a number for l0c_stages, found 'true'"),
        ("MmadPingpong(l1a_stages=true)", 24, "expected a number for l1a_stages, found 'true'"),
        ("MmadPingpong(l1a_stages)", 23, "expected '=' and a number behind l1a_stages, found ')'"),
        ("MmadPingpong(arch)", 17, "expected '=', found ')'"),
        ("MmadPingpong(,)", 13, "expected a parameter of MmadPingpong, found ','"),
        ("MmadAtlasA2Pingpong<true,false>", 25, "MmadAtlasA2Pingpong has 1 parameters"),
    ],
)
def test_texts_that_are_not(text: str, column: int, summary: str) -> None:
    with pytest.raises(ParseError) as caught:
        policy(text)
    assert caught.value.summary == summary
    assert caught.value.start == column


def test_names_that_are_not_known() -> None:
    with pytest.raises(UnsupportedError, match="'MmadPingpng' is not a dispatch policy") as caught:
        policy("MmadPingpng")
    assert "MmadPingpong" in str(caught.value)
    with pytest.raises(UnsupportedError, match="MmadPingpong has no parameter stages"):
        MmadPingpong(stages=3)
    with pytest.raises(UnsupportedError, match="MmadAtlasA2Pingpong has no parameter arch"):
        MmadAtlasA2Pingpong(arch="AtlasA2")
    with pytest.raises(ParseError, match="there is no architecture 'Atlas'") as found:
        policy("MmadPingpong<Arch::Atlas>")
    assert found.value.text[found.value.start : found.value.end] == "Arch::Atlas"
    assert policy("MmadPingpong<910B3>") == policy("MmadPingpong<Arch::AtlasA2>")


@pytest.mark.parametrize("stages", [0, -1])
def test_a_tile_has_a_stage(stages: int) -> None:
    with pytest.raises(LayoutError, match=f"l1a_stages = {stages}, a tile has at least one stage"):
        MmadPingpong(l1a_stages=stages)
    with pytest.raises(LayoutError, match="a tile has at least one stage"):
        policy("MmadAtlasA2Small<0>")


def test_values_that_are_none() -> None:
    with pytest.raises(LayoutError, match="unit_flag = 2, a flag is true or false"):
        MmadPingpong(unit_flag=2)
    bad: Any = 2.0
    with pytest.raises(TypeError, match="l1a_stages is an int, not float"):
        MmadPingpong(l1a_stages=bad)
    with pytest.raises(TypeError, match="l1a_stages is an int, not bool"):
        MmadPingpong(l1a_stages=True)


def test_stages_by_whatever_parameter_says_them() -> None:
    def stages(found: Policy) -> tuple[int, ...]:
        return (
            found.l1a_stages,
            found.l1b_stages,
            found.l0a_stages,
            found.l0b_stages,
            found.l0c_stages,
        )

    assert stages(MmadPingpongTlaV2()) == (2, 2, 2, 2, 1)
    assert stages(MmadAtlasA2Small(stages=1)) == (1, 1, 1, 1, 1)
    assert stages(MmadAtlasA2PreloadAsync(l1_stages=3, l0a_stages=4)) == (3, 3, 4, 2, 1)
    assert stages(MmadAtlasA2SingleCoreSplitk(l1b_stages=4, l0c_stages=2)) == (2, 4, 2, 2, 2)
    assert stages(MmadAtlasA2FullLoadA()) == (1, 2, 2, 2, 1)
    assert stages(MmadFullLoadA(l1a_stages=2)) == (2, 2, 2, 2, 1)


def test_flags() -> None:
    found = MmadPingpong(unit_flag=True, hf32=True, l1_resident=True)
    assert (found.unit_flag, found.hf32, found.l1_resident, found.shuffle_k) == (True, True, True, False)
    assert GemmAtlasA2(shuffle_k=True).shuffle_k
    assert MmadAtlasA2PreloadAsync(preload_stages=2).preload == 2
    assert MmadPingpong().preload == 0
    assert found.replaced(hf32=False).hf32 is False


def test_what_runs_where() -> None:
    assert MmadPingpongMutex().arch_code == 3510
    assert MmadAtlasA2Pingpong().arch_code == 2201
    assert MmadPingpong().arch_code is None
    assert policy("MmadAtlasA2W8A16").arch_code is None
    assert MmadPingpong(arch="Ascend950").arch_code == 3510


def test_every_condition_of_the_table_is_one_that_is_known() -> None:
    assert {name for family in FAMILIES.values() for name in family.asserts} == set(ASSERTS)


@pytest.mark.parametrize("name", WITHOUT_BLOCK)
def test_names_of_the_headers_without_a_row_have_their_reason(name: str) -> None:
    assert name not in FAMILIES
    with pytest.raises(UnsupportedError, match=f"CATLASS's {name} is no dispatch policy") as caught:
        policy(f"Catlass::Gemm::{name}<Arch::AtlasA2>")
    assert caught.value.details == (f"It is {WITHOUT_BLOCK[name]}.",)
