"""Plans of convolutions: extents against a count by hand, bytes, schedules, and what is refused."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from cases import share

from tla import LayoutError, TlaError, UnsupportedError
from tla.ascend import ConvPlan, conv


def random_plan(rng: Random) -> ConvPlan | None:
    """A plan, or None where the filter is larger than the image."""
    try:
        return conv(
            rng.choice(("AtlasA2", "Ascend950")),
            image=(rng.randint(1, 3), 16 * rng.randint(1, 8), rng.randint(1, 40), rng.randint(1, 40)),
            filter=(rng.randint(1, 200), rng.randint(1, 5), rng.randint(1, 5)),
            stride=(rng.randint(1, 3), rng.randint(1, 3)),
            dilation=(rng.randint(1, 2), rng.randint(1, 2)),
            pads=[rng.randint(0, 3) for _ in range(4)],
            block=(rng.randint(1, 12), rng.randint(1, 12), rng.choice((1, 2, 4))),
            filter_block=(16 * rng.randint(1, 6), 4),
            swizzle=(rng.randint(1, 4), rng.randint(0, 1)),
            cores=rng.choice((None, 3)),
        )
    except LayoutError:
        return None


def outputs(size: int, filter: int, stride: int, dilation: int, pad: int) -> int:
    """The places of an output along one axis, one by one."""
    reach = (filter - 1) * dilation + 1
    return sum(1 for at in range(0, size + pad, stride) if at + reach <= size + pad)


def needs_zeros_alone(plan: ConvPlan) -> bool:
    """Whether a block needs nothing of the image, block by block as BasicConv2d cuts it."""
    before = (plan.pads[2], plan.pads[0])
    for axis in (0, 1):
        extent, step, reach = (
            plan.image[2 + axis], plan.stride[axis], (plan.filter[1 + axis] - 1) * plan.dilation[axis],
        )  # fmt: skip
        for first in range(0, plan.out[axis], plan.block[axis]):
            count = min(plan.block[axis], plan.out[axis] - first)
            start = first * step - before[axis]
            end = start + (count - 1) * step + reach
            if min(end, extent - 1) < max(start, 0):
                return True
    return False


def test_extents_bytes_and_schedules() -> None:
    rng, legal, drawn = Random(6), 0, 0
    for _ in range(share(200)):
        plan = random_plan(rng)
        if plan is None:
            continue
        drawn += 1
        (_, _, hi, wi), (_, kh, kw) = plan.image, plan.filter
        left, right, top, bottom = plan.pads
        assert plan.out == (
            outputs(hi, kh, plan.stride[0], plan.dilation[0], top + bottom),
            outputs(wi, kw, plan.stride[1], plan.dilation[1], left + right),
        )
        report = plan.check()
        legal += report.ok
        if report.ok:
            assert all(not f.overlaps and f.needed <= f.capacity for f in plan.footprints)
        padded = [f for f in report.errors if f.rule.startswith("padding")]
        assert bool(padded) == needs_zeros_alone(plan)
        (whole,) = plan.problems
        assert plan.schedule().proof().points == whole.m * whole.n * whole.k
        assert eval(repr(plan), {"conv": conv}) == plan
    assert drawn // 4 < legal < drawn


GIVEN: dict[str, Any] = {"image": (1, 64, 32, 32), "filter": (64, 3, 3)}


@pytest.mark.parametrize(
    ("more", "error", "words"),
    [
        ({"image": (1, 64, 32)}, LayoutError, "image is 4 numbers of at least 1"),
        ({"image": (1, 64, 2, 32)}, LayoutError, "a filter of 3 x 3 is larger than the padded image"),
        ({"pads": (-1, 0, 0, 0)}, LayoutError, "pads is 4 numbers of at least 0"),
        ({"stride": (0, 1)}, LayoutError, "stride is 2 numbers of at least 1"),
        ({"cores": 0}, LayoutError, "at least 1 core"),
        ({"element": "fp7"}, UnsupportedError, "is not an element type"),
    ],
)
def test_bad_input(more: dict[str, Any], error: type[TlaError], words: str) -> None:
    with pytest.raises(error, match=words):
        conv("AtlasA2", **{**GIVEN, **more})


@pytest.mark.parametrize(
    ("more", "rule", "numbers"),
    [
        ({"block": (32, 32, 8)}, "L1 capacity", (1034240, 524288)),
        ({"block": (16, 12, 8)}, "L0A capacity", (88064, 65536)),
        ({"block": (8, 12, 8), "filter": (64, 7, 7), "image": (1, 64, 64, 64)}, "L0A capacity", None),
        ({"block": (16, 32, 1), "filter": (64, 1, 1)}, "L0C capacity", (196608, 131072)),
        ({"stride": (64, 1), "image": (1, 64, 256, 32)}, "LoadData3D stride", (64, 63)),
        ({"filter_block": (96, 6), "block": (8, 12, 4)}, "channels", None),
        ({"filter_block": (40, 8)}, "output channels", None),
        ({"filter_block": (40, 8)}, "L1 overlap", None),
        ({"pads": (0, 0, 9, 0), "block": (4, 12, 8)}, "padding of rows", None),
        ({"unit_flag": True}, "unit flag", None),
        ({"element": "float"}, "element types", None),
        ({"stages": (3, 2, 2, 2, 1)}, "stages", None),
    ],
)  # fmt: skip
def test_a_broken_rule_has_its_bytes(
    more: dict[str, Any], rule: str, numbers: tuple[int, int] | None
) -> None:
    plan = conv("AtlasA2", **{**GIVEN, **more})
    found = [f for f in plan.check().errors if f.rule == rule]
    assert len(found) == 1, str(plan.check())
    assert found[0].text
    assert numbers in (None, (found[0].needed, found[0].available))
