"""Buffer assignments: sizes, places, and what is live at once."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from tla.errors import ParseError
from tla.memory import Allocation, LiveRanges, PlacedValue, read_assignment, read_live_ranges

DUMP = Path(__file__).parent.parent / "data" / "tpu_dumps"
_TOTAL = re.compile(r"\(color=(\d+)\)\nTotal bytes: (\d+)")


@pytest.mark.parametrize("name", ["module_0001.jit_mlp.cl_1", "module_0004.jit_top.cl_1"])
def test_the_totals_of_the_compiler(name: str) -> None:
    """As in the memory usage report; each value lies inside its allocation."""
    text = (DUMP / f"{name}.after_optimizations-buffer-assignment.txt").read_text("utf-8")
    report = (DUMP / f"{name}.after_optimizations-memory-usage-report.txt").read_text("utf-8")
    found = read_assignment(text)
    assert found.totals == {int(color): int(size) for color, size in _TOTAL.findall(report)}
    assert len(found.allocations) == text.count("\nallocation ")
    for each in found.allocations:
        assert all(value.offset + value.bytes <= each.bytes for value in each.values)
        assert all(value.shape is not None for value in each.values)
    ranges = read_live_ranges((DUMP / f"{name}.after_optimizations-live-range.txt").read_text("utf-8"))
    for each in found.allocations:
        most = each.most_live_bytes(ranges)
        assert most is None or most <= each.bytes


VALUES = st.lists(
    st.tuples(st.integers(0, 20), st.integers(1, 9), st.integers(0, 9), st.integers(0, 4)), max_size=6
)


@given(VALUES)
def test_what_is_live_at_once_counts_each_byte_once(values: list[tuple[int, int, int, int]]) -> None:
    placed = [PlacedValue(f"v{i}", (), size, at, None) for i, (at, size, _, _) in enumerate(values)]
    ranges: LiveRanges = {(f"v{i}", ()): (first, first + n) for i, (_, _, first, n) in enumerate(values)}
    live = [
        {
            byte
            for at, size, first, n in values
            if first <= step <= first + n
            for byte in range(at, at + size)
        }
        for step in range(15)
    ]
    found = Allocation(0, 30, 0, "temp", tuple(placed))
    assert found.most_live_bytes(ranges) == max(map(len, live))
    if values:
        assert found.most_live_bytes({}) is None


@pytest.mark.parametrize(
    "text", ["", "HloModule m", "BufferAssignment:\n value: <1 a @0> (size=4,offset=0): f32[]"]
)
def test_texts_that_are_no_assignment(text: str) -> None:
    with pytest.raises(ParseError, match="buffer assignment"):
        read_assignment(text)
    with pytest.raises(ParseError, match="not a text of live ranges"):
        read_live_ranges(text)
