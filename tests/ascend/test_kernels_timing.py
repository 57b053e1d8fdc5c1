# SPDX-License-Identifier: Apache-2.0
"""Timelines: pipes run side by side where nothing orders them, and what they wait for is named."""

from __future__ import annotations

import itertools
import json

import pytest

from tla import show
from tla.ascend.kernels import Instruction, Operand, replay, run_program
from tla.ascend.kernels.timing import START

from .kernels_oracle import HERE


def test_a_copy_and_a_load_with_and_without_a_flag() -> None:
    gm, l1, l0 = (
        Operand("GM", "A", 0, "float16"),
        Operand("L1", "AIC0", 0, "float16"),
        Operand("L0A", "AIC0", 0, "float16"),
    )
    copy = Instruction(
        "AIC0", "DataCopy", "MTE2", {"dst": l1, "src": gm}, {"form": "count", "count": 5120}
    )
    fractals = {
        "form": "2d",
        "startIndex": 0,
        "repeatTimes": 20,
        "srcStride": 1,
        "dstGap": 0,
        "ifTranspose": False,
    }
    load = Instruction("AIC0", "LoadData", "MTE1", {"dst": l0, "src": l1}, fractals)
    flag = {"event": "MTE2_MTE1", "id": 0}
    set_ = Instruction("AIC0", "SetFlag", "MTE2", {}, flag)
    wait = Instruction("AIC0", "WaitFlag", "MTE1", {}, flag)
    in_l1, in_l0 = START + 10240 / 110, START + 10240 / 512
    beside = run_program([copy, load], checks=()).timeline
    assert beside.total == max(in_l1, in_l0)
    behind = run_program([copy, set_, wait, load], checks=()).timeline
    assert behind.total == pytest.approx(in_l1 + in_l0)
    assert behind.stalls == {("AIC0", "MTE1", "WaitFlag<MTE2_MTE1>(0)"): pytest.approx(in_l1)}
    assert [span.number for span in behind.critical] == [0, 3]


def test_the_timeline_of_a_recorded_kernel() -> None:
    timeline = replay(HERE / "basic_unitflag.jsonl.gz", checks=()).timeline
    assert all(0 < cycles <= timeline.total for cycles in timeline.busy.values())
    path = timeline.critical
    assert all(a.end <= b.start for a, b in itertools.pairwise(path))
    assert path[-1].end == timeline.total
    events = json.loads(timeline.trace_events())["traceEvents"]
    assert {"X", "M", "s", "f"} == {event["ph"] for event in events}
    figure = timeline.figure(8)
    for lane in figure.lanes:
        assert 0 <= lane.work - sum(box.work for cell in lane.cells for box in cell) <= 400
    text = show.render(figure)
    assert "AIC0 MTE1 [LoadData" in text
    assert "AIC1 FIX" in show.svg(figure)
    lines = str(timeline).splitlines()
    assert lines[0].endswith("us of a model")
    assert "WaitFlag<MTE1_M>(0)" in next(line for line in lines if line.startswith("AIC0 M "))
