"""Every example of CATLASS as a plan with its own policy, tiles, layouts and element types."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cases import check_all

import tla.ascend

ROWS: list[dict[str, Any]] = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "data" / "catlass_examples.jsonl").read_text().splitlines()
]

NOT_PLANNED = {
    "35": "its folder has a script for data and no kernel",
    "36": "its folder has a script for data and no kernel",
    "50": "A is a VectorLayout in global memory, of which no copy to L1 is known",
    "24": "a convolution of three dimensions; `conv` plans those of two",
}
"""Examples without a plan, and why."""

EXAMPLES = 72


def planned(row: dict[str, Any]) -> Any:
    """The plan of a row."""
    values = {name: value for name, value in row.items() if name not in ("example", "call")}
    if "epilogue" in values:
        of = dict(values["epilogue"])
        tile = of.pop("tile")
        values["epilogue"] = tla.ascend.epilogue(of.pop("name"), tile, **of)
    return getattr(tla.ascend, row["call"])(**values)


def test_all_examples_are_planned_or_it_is_said_why_not() -> None:
    names = {row["example"] for row in ROWS}
    assert not names & NOT_PLANNED.keys()
    assert len(names) + len(NOT_PLANNED) == EXAMPLES
    page = (Path(__file__).parents[2] / "docs" / "ascend.md").read_text("utf-8")
    assert f"Of the {EXAMPLES} examples of CATLASS {len(names)} are plans" in page
    assert all(f"| {why} |" in page for why in NOT_PLANNED.values())


def check(row: dict[str, Any]) -> None:
    plan = planned(row)
    report = plan.check()
    assert report.ok, str(report)
    assert report.catlass == ()
    problems = plan.problems
    proof = plan.schedule().proof()
    assert proof.points == sum(m * n * k for m, n, k in problems)
    assert all(
        f.needed is None or f.needed <= f.available for f in report.checks if "capacity" in f.rule
    )


def test_each_is_legal_and_its_schedule_is_proved() -> None:
    check_all(check, ROWS, lambda row: f"{row['example']} {row['call']} {row.get('policy')}")


@pytest.mark.parametrize("example", ["12", "48", "52"])
def test_one_byte_less_is_refused(example: str) -> None:
    """The rule, the buffer and the bytes: the example's tile does not fit a smaller buffer."""
    plan = planned(next(row for row in ROWS if row["example"] == example))
    needed = {f.buffer: f.needed for f in plan.check().checks if f.rule == "L1 capacity"}["L1"]
    small = plan._replace(arch=plan.arch.replaced(l1=needed - 32))
    broken = [f for f in small.check().errors if f.rule == "L1 capacity"]
    assert [(f.buffer, f.needed, f.available) for f in broken] == [("L1", needed, needed - 32)]
