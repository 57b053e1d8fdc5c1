"""Plans of products with a vector: bytes, schedules, the rules of their instructions, bad input."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from cases import share

from tla import LayoutError, TlaError, UnsupportedError
from tla.ascend import GemvPlan, gemv

GIVEN: dict[str, Any] = {"arch": "AtlasA2", "problem": (4096, 2048)}


def random_plan(rng: Random) -> GemvPlan:
    kind: Any = rng.choice(("aiv", "aic"))
    tag: Any = rng.choice(("RowMajor", "ColumnMajor"))
    tile = (
        rng.choice((rng.randint(1, 100), 16 * rng.randint(1, 6))),
        rng.choice((32, 64, 128, 256, 500)),
    )
    n = rng.randint(3, 3000)
    return gemv(
        "AtlasA2", (rng.randint(1, 5000), n), rng.choice(("half", "float")), tag, kind=kind,
        tile=tile, l0=(tile[0], min(tile[1], 16 * rng.randint(1, 16))),
        split=rng.choice((1, 1, 3)), cores=rng.choice((None, 3)),
    )  # fmt: skip


def test_a_legal_plan_has_bytes_of_its_own_and_a_proven_schedule() -> None:
    rng, legal = Random(8), {"aiv": 0, "aic": 0}
    for _ in range(share(200)):
        plan = random_plan(rng)
        report = plan.check()
        if report.ok:
            legal[plan.kind] += 1
            assert all(not f.overlaps and f.needed <= f.capacity for f in plan.footprints)
        whole = plan.problem
        proof = plan.schedule().proof()
        assert proof.points == whole.m * whole.k
        blocks = {task.start.m for task in plan.schedule().tasks}
        assert proof.tasks == len(blocks) * plan.split
        assert eval(repr(plan), {"gemv": gemv}) == plan
    assert min(legal.values()) > 2


@pytest.mark.parametrize(
    ("more", "rule", "numbers"),
    [
        ({"tile": (80, 128)}, "UB overlap", (20480, 16384)),
        ({"tile": (32, 1024)}, "UB overlap", (131072, 65536)),
        ({"tile": (32, 500)}, "tile columns", None),
        ({"tile": (32, 64), "element": "half"}, "tile columns", None),
        ({"tile": (512, 40), "tag": "ColumnMajor"}, "tile columns", (40, 32)),
        ({"split": 2}, "slices", (2, 1)),
        ({"split": 2, "kind": "aic"}, "slices", (2, 1)),
        ({"kind": "aic", "tile": (64, 1024)}, "L1 capacity", (655360, 524288)),
        ({"kind": "aic", "l0": (32, 512)}, "L0B capacity", None),
        ({"kind": "aic", "l0": (16, 128), "tile": (16, 256)}, "L0C events", (16, 8)),
        ({"element": "int8_t"}, "element types", None),
        ({"arch": "Ascend950"}, "architecture", None),
    ],
)  # fmt: skip
def test_a_broken_rule_has_its_numbers(
    more: dict[str, Any], rule: str, numbers: tuple[int, int] | None
) -> None:
    plan = gemv(**GIVEN | more)
    found = [f for f in plan.check().errors if f.rule == rule]
    assert found, str(plan.check())
    assert found[0].text
    assert numbers in (None, (found[0].needed, found[0].available))


@pytest.mark.parametrize(
    ("more", "error", "words"),
    [
        ({"problem": (0, 5)}, LayoutError, "the problem is 2 numbers of at least 1"),
        ({"problem": (5,)}, LayoutError, "the problem is 2 numbers"),
        ({"split": 3000}, LayoutError, "2048 columns are cut into 1 to 2048 slices, not 3000"),
        ({"kind": "aicc"}, UnsupportedError, "has no 'aicc'"),
        ({"tag": "zN"}, UnsupportedError, "has no 'zN'"),
        ({"element": "fp7"}, UnsupportedError, "is not an element type"),
    ],
)
def test_bad_input(more: dict[str, Any], error: type[TlaError], words: str) -> None:
    with pytest.raises(error, match=words):
        gemv(**GIVEN | more)
