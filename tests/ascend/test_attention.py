"""Plans of attention: the stages of products and epilogues, heads that do not fit, schedules."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest
from cases import share

from tla import LayoutError, TlaError, UnsupportedError
from tla.ascend import AttentionPlan, attention
from tla.ascend.plans.attention import KINDS

_SHAPE: dict[str, Any] = {"heads": 8, "q": 128, "kv": 128, "head": 128}
ARCH = {2201: "AtlasA2", 3510: "Ascend950"}


def random_plan(rng: Random) -> AttentionPlan:
    name, code = rng.choice(sorted(KINDS))
    head = rng.choice((576,) if name == "mla" else (16, 64, 96, 128, rng.randint(1, 300)))
    tile = None if rng.random() < 0.5 else (32 * rng.randint(1, 8), 16 * rng.randint(1, 16), head)
    group, kv_heads = rng.randint(1, 9), rng.randint(1, 5)
    return attention(
        ARCH[code], kind=name, batch=rng.randint(1, 4), heads=group * kv_heads, kv_heads=kv_heads,
        q=rng.choice((1, 7, 128, rng.randint(1, 700))), kv=rng.randint(1, 900), head=head, tile=tile,
        cores=rng.choice((None, 3)), masked=rng.random() < 0.5,
    )  # fmt: skip


def test_a_legal_plan_has_stages_of_its_own_and_a_proven_schedule() -> None:
    rng, legal = Random(5), Counter[str]()
    for _ in range(share(200)):
        plan = random_plan(rng)
        report = plan.check()
        if report.ok:
            legal[plan.kind.name] += 1
            assert all(not f.overlaps and f.needed <= f.capacity for f in plan.footprints)
        else:
            assert all(finding.text for finding in report.errors)
            assert str(report).startswith("illegal")
        proof = plan.schedule().proof()
        assert proof.points == plan.batch * plan.heads * plan.q * plan.kv
        for task in plan.schedule().tasks:
            group = plan.heads // plan.kv_heads
            heads = range(task.start.m, task.end.m)  # they share one head of K and V
            assert len({head // group for head in heads}) == 1
        assert eval(repr(plan), {"attention": attention}) == plan
    assert len(legal) == 3


@pytest.mark.parametrize(
    ("more", "error", "words"),
    [
        ({"kind": "mlla"}, UnsupportedError, "AtlasA2 has no attention 'mlla'"),
        ({"kind": "chunk"}, UnsupportedError, "AtlasA2 has no attention 'chunk'"),
        ({"heads": 0}, LayoutError, "heads = 0: it must be at least 1"),
        ({"head": -1}, LayoutError, "head = -1: it must be at least 1"),
        ({"tile": (0, 1, 1)}, LayoutError, "m = 0"),
        ({"element": "fp7"}, UnsupportedError, "is not an element type"),
    ],
)
def test_bad_input(more: dict[str, Any], error: type[TlaError], words: str) -> None:
    with pytest.raises(error, match=words):
        attention("AtlasA2", **_SHAPE | more)


@pytest.mark.parametrize(
    ("more", "rule", "words"),
    [
        ({"head": 200}, "head size", "the nearest is 128"),
        ({"head": 90}, "head size", "takes multiples of 16 to 128; the nearest is 96"),
        ({"head": 200}, "L1 overlap", "Q 0 [0,53248) is written into K 0 [32768,65536)"),
        ({"heads": 10, "kv_heads": 4}, "heads", "10 heads of Q do not share 4 heads of K and V evenly"),
        ({"element": "float"}, "element types", "CATLASS's blocks take half and bfloat16_t"),
        ({"tile": (256, 128, 128)}, "L0C capacity", "2 of S, O, need 196608 of 131072 bytes"),
        ({"tile": (128, 128, 120)}, "tile", "n and k of 16"),
        ({"kind": "mla", "head": 512}, "head size", "the tile takes 576, of which 512 are of V"),
    ],
)  # fmt: skip
def test_a_broken_rule_has_its_words(more: dict[str, Any], rule: str, words: str) -> None:
    plan = attention("AtlasA2", **_SHAPE | more)
    found = [finding.text for finding in plan.check().errors if finding.rule == rule]
    assert len(found) == 1
    assert words in found[0]
    if rule == "heads":
        with pytest.raises(LayoutError, match=words):
            plan.schedule()
