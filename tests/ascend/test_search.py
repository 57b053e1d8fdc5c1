"""The search of tiles: the whole space against brute force, executors, ties, bad input."""

from __future__ import annotations

import threading
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from math import lcm
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tla.ascend import AtlasA2, Estimate, Ranking, search
from tla.ascend.arch import arch as arch_named
from tla.ascend.plans.footprint import fits
from tla.ascend.plans.plan import Plan, gemm
from tla.ascend.shapes import GemmShape
from tla.ascend.tuning.cost import estimate, model
from tla.ascend.tuning.tiles import tiles
from tla.errors import LayoutError, UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Callable

CASE = ("910B3", (1024, 576, 6144), "half", "RowMajor,ColumnMajor")
SMALL = ("910B3", (200, 300, 200), "half")


def cover(extent: int, unit: int) -> int:
    return -(-extent // unit) * unit


def legal_tiles(plan: Plan, step: int) -> dict[tuple[int, int, int], list[int]]:
    """Of each m, n and k in L1 the k in L0 that fit, by asking for every combination."""
    c0 = max(plan.a.c0, plan.b.c0)
    whole = max(16, c0)
    found: dict[tuple[int, int, int], list[int]] = {}
    for m in range(step, cover(plan.problem.m, lcm(step, max(16, plan.a.c0))) + 1, step):
        for n in range(step, cover(plan.problem.n, lcm(step, max(16, plan.b.c0))) + 1, step):
            for k1 in range(c0, cover(plan.problem.k, whole) + 1, c0):
                for k0 in range(c0, k1 + 1, c0):
                    tile = GemmShape(m, n, k1), GemmShape(m, n, k0), plan.policy
                    if fits(plan.arch, plan.a, plan.b, *tile, tags=plan.tags, k=plan.problem.k):
                        found.setdefault((m, n, k1), []).append(k0)
    return found


@st.composite
def products(draw: st.DrawFn) -> Plan:
    """Small problems on small buffers, so that these limit the tiles."""
    name = draw(st.sampled_from(["AtlasA2", "Ascend950"]))
    elements = ["half", "float", "int8_t"]
    policies = [
        "MmadPingpong", "MmadPingpong(l1a_stages=3)", "MmadPingpong(l0c_stages=2)",
        "MmadPingpong(l0a_stages=1,l0b_stages=4)", "MmadPreloadAsyncWithCallback",
    ]  # fmt: skip
    if name == "AtlasA2":
        elements.append("int4b_t")
        policies.append("MmadAtlasA2Pingpong")
    arch = arch_named(name).replaced(
        l1=1024 * draw(st.sampled_from([16, 40, 128])),
        l0a=1024 * draw(st.sampled_from([2, 8, 64])),
        l0b=1024 * draw(st.sampled_from([4, 16])),
        l0c=1024 * draw(st.sampled_from([8, 32])),
    )
    extent = st.integers(1, 100)
    tags = draw(st.sampled_from(["RowMajor", "RowMajor,ColumnMajor", "ColumnMajor,RowMajor", "zN"]))
    problem = draw(extent), draw(extent), draw(st.integers(1, 200))
    return gemm(
        arch, problem, draw(st.sampled_from(elements)), tags, policy=draw(st.sampled_from(policies))
    )


@settings(max_examples=30)
@given(products(), st.sampled_from([16, 32, 48]))
def test_no_legal_tile_is_lost(plan: Plan, step: int) -> None:
    truth, product = legal_tiles(plan, step), model(plan)
    found = {tuple(l1): l0 for l1, l0 in tiles(plan, step)}
    assert set(found) == set(truth)
    for (m, n, k1), l0 in found.items():
        assert l0.k in truth[m, n, k1]
        times = {
            k0: product.estimate(GemmShape(m, n, k1), GemmShape(m, n, k0)).seconds
            for k0 in truth[m, n, k1]
        }
        assert times[l0.k] <= min(times.values()) * (1 + 1e-12)


@settings(max_examples=10)
@given(products())
def test_legal_tiles_are_counted(plan: Plan) -> None:
    truth = legal_tiles(plan, 32)
    product = plan.arch, plan.problem, (plan.a, plan.b, plan.c), plan.tags, plan.policy
    if truth:
        found = search(*product, step=32, top=1)
        assert found.legal == sum(map(len, truth.values()))
        assert found.ranked == len(truth)
    else:
        with pytest.raises(UnsupportedError, match="no tile of"):
            search(*product, step=32)


def test_the_ranking_is_the_whole_space_sorted() -> None:
    plan = gemm(*SMALL)
    product = model(plan)
    times = sorted(product.estimate(*tile).seconds for tile in tiles(plan, 48))
    found = search(*SMALL, top=20, step=48)
    assert found.ranked == len(times)
    assert [tile.seconds for tile in found.tiles] == pytest.approx(times[:20])
    assert found.best is found.tiles[0]
    assert found.legal > found.ranked


def test_a_tile_beyond_the_problem_is_as_fast_as_the_one_that_covers_it() -> None:
    """Why no larger one is in the space."""
    product = model(gemm("AtlasA2", (20, 6144, 512)))
    one, other = (product.estimate(GemmShape(m, 128, 128), GemmShape(m, 128, 64)) for m in (32, 64))
    assert one.seconds == other.seconds


def test_thousands_of_tiles() -> None:
    found = search(*CASE)
    assert found.ranked > 10_000
    assert found.default is not None
    assert found.best.seconds < found.default.seconds / 2
    assert (found.best.blocks, found.best.rounds) == (20, 1)
    plan = found.plan_of(found.best)
    assert estimate(plan).seconds == pytest.approx(found.best.seconds)
    assert plan.l1 == found.best.l1


def test_the_size_of_the_problem_does_not_matter() -> None:
    found = search("AtlasA2", (10**9, 10**9, 10**9), step=64, top=2)
    assert found.best.blocks > 10**13
    assert found.best.balance == pytest.approx(1)


def test_an_order_that_is_given_twice_is_tried_once() -> None:
    twice = search(*SMALL, step=64, swizzles=["GemmIdentityBlockSwizzle<2,0>", "identity<2,0>"])
    assert twice == search(*SMALL, step=64, swizzles=["GemmIdentityBlockSwizzle<2,0>"])


def _tiles(found: Ranking) -> tuple[Estimate, ...]:
    return found.tiles


@pytest.mark.parametrize("executor", [lambda: ThreadPoolExecutor(3), lambda: ProcessPoolExecutor(2)])
def test_an_executor_changes_nothing(executor: Callable[[], Executor]) -> None:
    alone = search(*SMALL, step=32)
    with executor() as pool:
        assert search(*SMALL, step=32, executor=pool) == alone


def test_ties_are_ordered() -> None:
    """Two orders of one band differ in name alone where there is one band."""
    orders = ["GemmIdentityBlockSwizzle<2,0>", "GemmIdentityBlockSwizzle<1,0>"]
    given_one_way = search("AtlasA2", (16, 64, 64), swizzles=orders, top=4)
    other_way = search("AtlasA2", (16, 64, 64), swizzles=orders[::-1], top=4)
    assert _tiles(given_one_way) == _tiles(other_way)
    pair = given_one_way.tiles[:2]
    assert pair[0].seconds == pair[1].seconds
    assert [str(tile.swizzle) for tile in pair] == [
        "GemmIdentityBlockSwizzle<1,0>",
        "GemmIdentityBlockSwizzle<2,0>",
    ]


def test_orders_are_compared() -> None:
    """Case swizzle of CATLASS's guide: bands of 4 are better than bands of 3 for the default tile."""
    product = ("910B3", (160, 6144, 2048), "half", "RowMajor,zN")
    times = {
        band: search(*product, top=1, step=128, swizzles=[f"GemmIdentityBlockSwizzle<{band},1>"]).default
        for band in (3, 4)
    }
    assert times[4] is not None
    assert times[3] is not None
    assert times[4].seconds < times[3].seconds


@pytest.mark.parametrize("swizzle", ["BlockSchedulerAswt", "SplitkGemmIdentityBlockSwizzle<1,0>"])
def test_other_orders(swizzle: str) -> None:
    found = search("Ascend950", (500, 300, 2000), "half", step=96, top=3, swizzles=[swizzle])
    assert [tile.seconds for tile in found.tiles] == sorted(tile.seconds for tile in found.tiles)
    assert {str(tile.swizzle).partition("<")[0] for tile in found.tiles} == {swizzle.partition("<")[0]}


def test_progress_reaches_its_end() -> None:
    seen: list[tuple[int, int]] = []
    search(*SMALL, step=32, progress=lambda done, total: seen.append((done, total)))
    assert seen == sorted(seen)
    assert len({total for _, total in seen}) == 1
    assert seen[-1][0] == seen[-1][1] > 16


class _Interrupted(Executor):
    """Runs the first piece; the second is interrupted, the others wait."""

    def __init__(self) -> None:
        self.futures: list[Future[Any]] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        if not self.futures:
            future.set_result(fn(*args, **kwargs))
        elif len(self.futures) == 1:
            future.set_exception(KeyboardInterrupt())
        self.futures.append(future)
        return future


def test_an_interruption_leaves_nothing_to_do() -> None:
    executor = _Interrupted()
    with pytest.raises(KeyboardInterrupt):
        search(*CASE, executor=executor)
    assert len(executor.futures) > 3
    assert all(future.done() for future in executor.futures)
    assert threading.active_count() < 20


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"top": 0}, LayoutError, "top is 0"),
        ({"step": 24}, LayoutError, "step is 24: m and n are multiples of 16"),
        ({"step": 0}, LayoutError, "step is 0"),
        ({"step": -16}, LayoutError, "step is -16"),
        ({"problem": (0, 5, 5)}, LayoutError, "m = 0"),
        ({"elements": "int3"}, UnsupportedError, "int3"),
        ({"elements": ("half", "int8_t")}, UnsupportedError, "multipl"),
        ({"tags": "Fmap"}, UnsupportedError, "Fmap"),
        ({"policy": "MmadSlow"}, UnsupportedError, "'MmadSlow' is not a dispatch policy"),
        ({"policy": "MmadAscend950FullLoadA"}, UnsupportedError, "no block"),
        ({"swizzles": ["StreamkGemmIdentityBlockSwizzle"]}, UnsupportedError, "does not speak"),
        ({"cores": 0}, LayoutError, "core"),
    ],
)
def test_bad_input_is_named(changes: dict[str, Any], error: type[Exception], words: str) -> None:
    given: dict[str, Any] = {"arch": "AtlasA2", "problem": (64, 64, 64), **changes}
    with pytest.raises(error, match=words):
        search(**given)


def test_where_nothing_fits_the_rule_is_named() -> None:
    with pytest.raises(UnsupportedError, match="no tile of half by half is legal on AtlasA2") as raised:
        search("AtlasA2", (64, 64, 64), policy="MmadPingpong(l1a_stages=7)")
    assert "EVENT(0~7)" in raised.value.details[0]
    with pytest.raises(UnsupportedError, match="L1") as raised:
        search(AtlasA2.replaced(l1=1024), (64, 64, 64))
    assert raised.value.tile == GemmShape(16, 16, 16)
