"""What changed between two modules, whatever their numbers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from tla.hlo import Module, read_module
from tla.memory import output_bytes
from tla.memory.compare import Comparison, Total, compare
from tla.memory.matching import Item, Match, items_of, matched

DATA = Path(__file__).parent.parent / "data"
NAMES = ["v4_scan_rnn", "v5e_bools", "v5e_conv_net", "v5e_embedding", "v5e_x4_all_to_all"]


def module_at(*way: str) -> Module:
    return read_module(DATA.joinpath(*way).read_text("utf-8"))


def pair(name: str) -> Comparison:
    return compare(module_at("copies", f"{name}.hlo"), module_at("copies", f"{name}.advised.hlo"))


def total(found: Comparison, name: str, unit: str = "bytes") -> Total:
    (one,) = (total for total in found.totals if (total.name, total.unit) == (name, unit))
    return one


@pytest.mark.parametrize("name", NAMES)
def test_a_module_is_as_itself_whatever_its_numbers(name: str) -> None:
    """Every name gets another number."""
    text = DATA.joinpath("tpu_hlo", f"{name}.hlo").read_text("utf-8")
    head, _, body = text.partition("StackFrames")
    other = head + "StackFrames" + re.sub(r"(%[\w.-]+)", r"\1.77", body)
    assert other != text
    module, renumbered = read_module(text), read_module(other)
    for found in (compare(module, module), compare(module, renumbered), compare(renumbered, module)):
        assert (found.shapes, found.groups) == ((), ())
        assert found.unchanged == len(items_of(module)) > 0
        assert all(one.change == 0 for one in found.totals)


def test_copies_that_are_gone() -> None:
    found = pair("embedding")
    assert [str(change) for change in found.shapes] == [
        "parameter 0 (t) changed from {0,1:T(8,128)} to {1,0:T(8,128)}",
        "result changed from {2,0,1:T(8,128)} to {2,1,0:T(8,128)}",
    ]
    assert [str(group) for group in found.groups] == [
        "2 copies (8.92M) are gone: copy.4, copy.5",
        "1 copy-start (7.32M) is new: copy-start",
        "1 reshape (2.25M) changed: reshape.1",
    ]
    assert str(total(found, "estimated cycles", "cycles")) == "estimated cycles: 31455 -> 3775 cycles"
    assert total(found, "copies, relayout and space move", "").change == -1
    assert total(found, "copies, relayout").change == 40960 - 2400256
    assert total(found, "arguments").change == 7692288 - 6238208


def test_within_fusions() -> None:
    found = pair("fp8")
    inside = {
        (group.what, group.opcode): len(group.matches) for group in found.groups if group.is_inside
    }
    assert inside["gone", "copy"] == 2
    assert str(next(group for group in found.groups if group.opcode == "copy")) == (
        "2 copies within fusions are gone: copy.1, copy.2"
    )
    assert {change.what for change in found.shapes} == {"parameter"}
    assert [change.place for change in found.shapes] == [(0,), (1,)]


def test_both_ways() -> None:
    one, other = module_at("copies", "shuffle.hlo"), module_at("copies", "shuffle.advised.hlo")
    there, back = compare(one, other), compare(other, one)
    turned = {"gone": "new", "new": "gone", "changed": "changed"}
    assert sorted((turned[g.what], g.opcode, len(g.matches)) for g in there.groups) == sorted(
        (g.what, g.opcode, len(g.matches)) for g in back.groups
    )
    assert [(t.name, t.before, t.after) for t in there.totals] == [
        (t.name, t.after, t.before) for t in back.totals
    ]
    assert [(c.before, c.after) for c in there.shapes] == [(c.after, c.before) for c in back.shapes]
    assert there.unchanged == back.unchanged


def entry(*lines: str, header: str = "HloModule m") -> Module:
    return read_module("\n".join([header, "ENTRY e {", *lines, "}"]))


def test_parameters_and_results_that_come_and_go() -> None:
    one = entry("p = f32[4]{0} parameter(0)", "ROOT n = f32[4]{0} negate(p)")
    two = entry(
        "p = f32[4]{0:S(1)} parameter(0)",
        "q = (s32[], bf16[8]{0}) parameter(1), metadata={op_name=\"state\"}",
        "n = f32[4]{0} negate(p)",
        "ROOT t = (f32[4]{0}, f32[4]{0}) tuple(n, p)",
    )  # fmt: skip
    found = compare(one, two)
    assert [str(change) for change in found.shapes] == [
        "parameter 0 changed from {0} to {0:S(1)}",
        "parameter 1 0 (state) is new: s32[]",
        "parameter 1 1 (state) is new: bf16[8]{0}",
        "result, f32[4]{0}, is gone",
        "result 0 is new: f32[4]{0}",
        "result 1 is new: f32[4]{0}",
    ]
    assert found.shapes[0].differences == ("the memory space is 0 and 1",)
    assert [(group.what, group.opcode) for group in found.groups] == []
    back = compare(two, one)
    assert str(back.shapes[1]) == "parameter 1 0 (state), s32[], is gone"


def test_another_type_and_an_equal_placement() -> None:
    one = entry("p = f32[8,128]{1,0} parameter(0)", "ROOT n = f32[8,128]{1,0} negate(p)")
    two = entry("p = f32[8,128]{1,0:T(8,128)} parameter(0)", "ROOT n = s8[8,128]{1,0} convert(p)")
    tiles, kind = compare(one, two).shapes
    assert (str(tiles), tiles.differences) == (
        "parameter 0 changed from {1,0} to {1,0:T(8,128)}",
        (),
    )
    assert str(kind) == "result changed from f32[8,128]{1,0} to s8[8,128]{1,0}"
    assert kind.differences


def test_a_peak_without_a_schedule_is_not_known() -> None:
    lines = "p = f32[4]{0} parameter(0)", "ROOT n = f32[4]{0} negate(p)"
    found = compare(entry(*lines), entry(*lines, header="HloModule m, is_scheduled=true"))
    peak = total(found, "compiler's peak")
    assert (peak.before, peak.change) == (None, None)
    assert str(peak) == f"compiler's peak: unknown -> {peak.after} bytes"


def test_memory_spaces_have_the_names_of_the_chip() -> None:
    one = entry("p = f32[4]{0:S(3)} parameter(0)", "ROOT n = f32[4]{0} negate(p)")
    for chip, name in ((None, "S(3)"), ("v5e", "S(3)"), ("v4", "CMEM")):
        found = compare(one, one, chip)
        spaces = [(t.name, t.memory_space, t.after) for t in found.totals if t.memory_space is not None]
        assert spaces == [("buffers in HBM", 0, 16), (f"buffers in {name}", 3, 16)]


def test_the_spaces_stand_in_the_order_of_their_numbers() -> None:
    lines = [f"p{n} = f32[4]{{0:S({n})}} parameter({i})" for i, n in enumerate((10, 2, 1, 3))]
    module = entry(*lines, "ROOT n = f32[4]{0} negate(p10)", header="HloModule m, is_scheduled=true")
    totals = compare(module, module).totals
    for name in ("peak", "buffers"):
        found = [t.memory_space for t in totals if t.name.split()[0] == name]
        assert found == [0, 1, 2, 3, 10]


def test_results_are_counted_as_the_chip_lays_their_table_out() -> None:
    module = entry("p = f32[4]{0} parameter(0)", "ROOT t = (f32[4]{0}, f32[4]{0}) tuple(p, p)")
    for chip in (None, "v2", "v5e"):
        found = total(compare(module, module, chip), "results")
        assert found.after == output_bytes(module, chip)


def test_unknown_sizes_are_compared_by_their_text() -> None:
    one = entry("p = f32[?,4]{1,0} parameter(0)", "ROOT n = f32[4]{0} custom-call(p)")
    two = entry("p = f32[?,4]{0,1} parameter(0)", "ROOT n = f32[4]{0} custom-call(p)")
    found = compare(one, two)
    assert total(found, "arguments").before is None
    (change,) = found.shapes
    assert str(change) == "parameter 0 changed from {1,0} to {0,1}"
    assert change.differences


# --- matching ---------------------------------------------------------------------------------

ITEMS = st.builds(
    Item,
    computation=st.just("e"),
    name=st.sampled_from(["a.1", "a.2", "b.1"]),
    opcode=st.sampled_from(["copy", "fusion"]),
    op_name=st.sampled_from(["", "jit(f)/dot", "jit(f)/add"]),
    shape=st.sampled_from(["f32[4]{0}", "f32[4]{0:T(8)}", "f32[8]{0}"]),
    bytes=st.just(16),
    is_inside=st.booleans(),
    estimated_cycles=st.none(),
    line=st.integers(1, 9),
)
LISTS = st.lists(ITEMS, max_size=8)


@given(LISTS, LISTS)
def test_each_instruction_is_matched_once(before: list[Item], after: list[Item]) -> None:
    found = matched(before, after)
    assert [m.before for m in found if m.before is not None] == before
    assert sorted(m.after for m in found if m.after is not None) == sorted(after)
    for match in found:
        if match.before is not None and match.after is not None:
            assert match.before.opcode == match.after.opcode
            assert match.before.is_inside == match.after.is_inside


@given(LISTS, LISTS)
def test_as_many_as_possible_are_alike(before: list[Item], after: list[Item]) -> None:
    """Counted naively: of each kind as many as the shorter list has."""

    def kinds(items: list[Item]) -> list[tuple[str, str, str, bool]]:
        return [(i.opcode, i.op_name, i.shape, i.is_inside) for i in items]

    one, other = kinds(before), kinds(after)
    alike = sum(min(one.count(kind), other.count(kind)) for kind in {*one})
    assert sum(match.is_same for match in matched(before, after)) == alike


@given(LISTS)
def test_nothing_is_left_over_that_could_be_matched(items: list[Item]) -> None:
    found = matched(items, [item._replace(name="c.9", op_name="jit(g)/mul") for item in items])
    assert all(match.before is not None and match.after is not None for match in found)


def test_of_instructions_alike_the_first_goes_with_the_first() -> None:
    one = [Item("e", f"a.{i}", "copy", "x", "f32[4]{0}", 16, False, None, i) for i in range(3)]
    other = [item._replace(name=f"b.{i}") for i, item in enumerate(one)]
    assert list(matched(one, other)) == [Match(*both) for both in zip(one, other, strict=True)]


def test_what_lies_in_other_memory_has_no_bytes() -> None:
    module = entry(
        "p = f32[4]{0} parameter(0)",
        "i = s32[] constant(0)",
        "u = f32[4]{0} dynamic-update-slice(p, p, i)",
        "ROOT n = f32[4]{0} negate(u)",
    )
    assert {item.name: item.bytes for item in items_of(module)} == {"u": 0, "n": 16}
