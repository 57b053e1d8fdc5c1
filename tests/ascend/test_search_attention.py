"""The time of attention, pipe by pipe against the timeline of a kernel; the search of tiles."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from tla import LayoutError, UnsupportedError
from tla.ascend import attention, estimate_attention, search_attention
from tla.ascend.kernels import gm, simulate
from tla.ascend.kernels.blocks import flash_attention

_PIPES = {
    ("AIC0", "M"): "cube", ("AIC0", "FIX"): "fixpipe", ("AIV0", "V"): "vector",
    ("AIV0", "MTE3"): "vector MTE3", ("AIV0", "MTE2"): "vector MTE2",
}  # fmt: skip


@pytest.mark.parametrize("arch", ["AtlasA2", "Ascend950"])
def test_pipes_work_as_long_as_those_of_a_simulated_kernel(arch: str) -> None:
    q, kv, head = 128, 512, 64
    tensors = [
        gm(np.zeros(n * head, np.float16), f"RowMajor<half>({n},{head},batch=1)") for n in (q, kv)
    ]
    times = []
    for m, n in ((32, 64), (64, 64), (64, 128), (128, 128)):
        arrays = tensors[0], tensors[1], tensors[1], tensors[0]
        run = simulate(flash_attention.on(arch), *arrays, tile=(m, n), depth=head, cores=1, checks=())
        plan = attention(arch, heads=1, q=q, kv=kv, head=head, tile=(m, n, head), cores=1)
        found = estimate_attention(plan)
        cycles = {pipe: time * plan.arch.frequency for pipe, time in found.pipes.items()}
        for place, pipe in _PIPES.items():
            if cycles[pipe]:  # the kernel takes the way of AtlasA2, through global memory
                allowed = 0.08 + 0.06 * (pipe == "vector MTE3")
                assert cycles[pipe] == pytest.approx(run.timeline.busy[place], rel=allowed), (m, n, pipe)
        total = run.timeline.total
        assert found.seconds * plan.arch.frequency == pytest.approx(total, rel=0.2)
        times.append((total, found.seconds))
    for (one, mine), (other, theirs) in pairwise(sorted(times)):
        assert mine < theirs or other < 1.1 * one  # the order, but for what differs by less than 10 %


SHAPES: list[tuple[str, dict[str, Any]]] = [
    ("AtlasA2", {"heads": 16, "q": 1024, "kv": 2048, "head": 128}),
    ("AtlasA2", {"heads": 32, "kv_heads": 8, "batch": 4, "q": 1, "kv": 2048, "head": 128}),
    (
        "AtlasA2",
        {"kind": "mla", "batch": 4, "heads": 128, "kv_heads": 1, "q": 1, "kv": 300, "head": 576},
    ),
    ("Ascend950", {"heads": 3, "q": 100, "kv": 77, "head": 64, "kind": "chunk"}),
]


@pytest.mark.parametrize(("arch", "shape"), SHAPES)
def test_the_search_finds_the_fastest_legal_tile(arch: str, shape: dict[str, Any]) -> None:
    plan = attention(arch, **shape)
    found = search_attention(plan, top=10**6)
    tiles = {each.tile for each in found}
    assert all(x.seconds <= y.seconds for x, y in pairwise(found))
    assert found[:3] == search_attention(plan, top=3)
    for m in range(32, 290, 32):
        for n in range(16, min(-(-plan.kv // 16) * 16, 288) + 1, 16):
            tile = plan.tile._replace(m=m, n=n)
            assert (tile in tiles) == plan._replace(tile=tile).check().ok
    best = plan._replace(tile=found[0].tile)
    assert best.check().ok
    assert estimate_attention(best) == found[0]
    assert found[0].blocks == len(best.schedule())


def test_searches_that_are_not() -> None:
    plan = attention("AtlasA2", heads=16, q=64, kv=64, head=128)
    for more in ({"top": 0}, {"step": 8}, {"step": 0}):
        with pytest.raises(LayoutError, match="top is at least 1, step a multiple of 16"):
            search_attention(plan, **more)
    wide = attention("AtlasA2", heads=16, q=64, kv=64, head=200)
    with pytest.raises(
        UnsupportedError, match="no tile of flash attention of inference is legal"
    ) as raised:
        search_attention(wide)
    assert "a head of 200 elements: the tile takes multiples of 16 to 128" in str(raised.value)
