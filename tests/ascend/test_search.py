"""The search of tiles: the whole space against brute force, executors, ties, bad input."""

from __future__ import annotations

import threading
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from math import lcm
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings, strategies as st

from tla.ascend import AtlasA2, Estimate, Ranking, search, search_many
from tla.ascend.arch import arch as arch_named
from tla.ascend.plans.footprint import fits
from tla.ascend.plans.memory_rules import memory_rules
from tla.ascend.plans.plan import Plan, gemm
from tla.ascend.shapes import GemmShape
from tla.ascend.tuning.cost import estimate, model
from tla.ascend.tuning.tiles import tiles
from tla.errors import LayoutError, ParseError, UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CASE = ("910B3", (1024, 576, 6144), "half", "RowMajor,ColumnMajor")
SMALL = ("910B3", (200, 300, 200), "half")


def cover(extent: int, unit: int) -> int:
    return -(-extent // unit) * unit


def starts_well(plan: Plan) -> bool:
    found = [rule for rule in memory_rules(plan) if rule.rule.startswith("tile starts")]
    return len(found) == 3 and all(rule.severity != "error" for rule in found)


def legal_tiles(plan: Plan, step: int) -> dict[tuple[int, int, int], list[int]]:
    """Of each m, n and k in L1 the k in L0 that fit, by asking for every combination."""
    c0 = max(plan.a.c0, plan.b.c0)
    whole = max(16, c0)
    found: dict[tuple[int, int, int], list[int]] = {}
    for m in range(step, cover(plan.problem.m, lcm(step, max(16, plan.a.c0))) + 1, step):
        for n in range(step, cover(plan.problem.n, lcm(step, max(16, plan.b.c0))) + 1, step):
            for k1 in range(c0, cover(plan.problem.k, whole) + 1, c0):
                for k0 in range(c0, k1 + 1, c0):
                    of = plan.replaced(l1=GemmShape(m, n, k1), l0=GemmShape(m, n, k0))
                    if not starts_well(of):
                        break
                    if fits(of.tile):
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
    try:
        found = search(*product, step=32, top=1)
    except UnsupportedError:  # then a rule beside the buffers is broken by every tile
        for (m, n, k1), parts in truth.items():
            assert not plan.replaced(l1=(m, n, k1), l0=(m, n, parts[0])).check().ok
    else:
        assert found.legal == sum(map(len, truth.values()))
        assert found.ranked == len(truth)


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
    for ld in (None, (600, 7000)):
        product = model(gemm("AtlasA2", (20, 6144, 500), ld=ld))
        times = {
            product.estimate(GemmShape(m, 128, k), GemmShape(m, 128, 64)).seconds
            for m in (32, 64)
            for k in (512, 1024)
        }
        assert len(times) == 1


@pytest.mark.slow
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
    found = search("AtlasA2", (4 * 10**6, 4 * 10**6, 10**5), step=64, top=2)
    assert found.best.blocks > 10**8
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


@pytest.mark.slow
@settings(max_examples=25)
@given(
    st.tuples(st.integers(1, 3000), st.integers(1, 700), st.integers(1, 2000)),
    st.sampled_from(["half", "float", "int8_t"]),
    st.sampled_from(["RowMajor", "ColumnMajor,RowMajor", "RowMajor,ColumnMajor", "RowMajor,zN"]),
    st.sampled_from([None, "GemmIdentityBlockSwizzle<5,0>", "SplitkGemmIdentityBlockSwizzle<1,0>"]),
    st.sampled_from([1, 24, 192]),
    st.sampled_from([0, 8, 200]),
)
def test_a_rank_does_not_depend_on_how_many_are_asked_for(
    problem: tuple[int, int, int], name: str, tags: str, order: str | None, l2: int, longer: int
) -> None:
    """Nor does another tile in the space, such as the default, take less than rank 1."""
    product: dict[str, Any] = {
        "arch": AtlasA2.replaced(l2=l2 << 20), "problem": problem, "elements": name, "tags": tags,
    }  # fmt: skip
    if longer and "zN" not in tags:
        product["ld"] = [gemm(**product).leading(operand) + longer for operand in ("A", "B", "C")]
    few, many = (search(**product, swizzles=order, step=64, top=top) for top in (2, 40))
    assert few.tiles == many.tiles[:2]
    assert few.default == many.default
    if few.default is not None:
        assert few.best.seconds <= few.default.seconds * (1 + 1e-12)
    for tile in few.tiles:
        assert estimate(few.plan_of(tile)) == tile


@pytest.mark.parametrize("order", ["aswt", "column", "iterate_k"])
def test_small_tiles_of_a_large_product_are_ranked(order: str) -> None:
    """Tiles of 16 x 16 make 10 million blocks, more than a pass may have."""
    found = search("Ascend950" if order == "aswt" else "AtlasA2", (51200, 51200, 16), swizzles=order)
    assert found.best.blocks < 1 << 21
    small = estimate(found.plan.replaced(l1="16,16,16", l0="16,16,16"))
    assert small.blocks >= 3200 * 3200


@pytest.mark.parametrize("order", ["BlockSchedulerAswt", "column", "iterate_k"])
def test_orders_without_an_offset(order: str) -> None:
    """Blocks are counted once for each m and n: k of a tile does not change them."""
    product = ("Ascend950", (2031, 256, 978), "half", "ColumnMajor,RowMajor")
    few, many = (search(*product, step=64, top=top, swizzles=order) for top in (2, 40))
    assert few.tiles == many.tiles[:2]
    for tile in many.tiles:
        assert estimate(many.plan_of(tile)) == tile


@settings(max_examples=20)
@given(products())
def test_what_is_ranked_is_legal(plan: Plan) -> None:
    product = plan.arch, plan.problem, (plan.a, plan.b, plan.c), plan.tags, plan.policy
    try:
        found = search(*product, step=32, top=5)
    except UnsupportedError:
        return
    for tile in found.tiles:
        assert found.plan_of(tile).check().errors == ()


@pytest.mark.parametrize("tags", ["ColumnMajor,RowMajor", "ColumnMajor,ColumnMajor", "ColumnMajor,zN"])
def test_a_transposed_a_of_float_lies_in_whole_squares(tags: str) -> None:
    """LoadData3DV2 writes squares of 16: k of 24 in L0 would put a second row of fractals elsewhere."""
    found = search("AtlasA2", (64, 64, 88), "float", tags, "MmadAtlasA2Pingpong", step=32, top=500)
    for tile in found.tiles:
        assert tile.l0.m <= 16 or tile.l0.k % 16 == 0
        assert found.plan_of(tile).check().errors == ()
    assert len(found.tiles) > 10


_REFUSED: list[tuple[str, str, dict[str, Any], str]] = [
    ("AtlasA2", "int4b_t", {"tags": "ColumnMajor,RowMajor"}, "copy of A to L0A"),
    ("AtlasA2", "half", {"policy": "MmadAtlasA2PreloadAsync(l1_stages=5)"}, "L1 events"),
    ("AtlasA2", "half", {"policy": "MmadAtlasA2PingpongBias"}, "bias"),
    ("AtlasA2", "half", {"policy": "MmadAtlasA2Small(stages=3)"}, "L0A alignment"),
    ("AtlasA2", "int8_t", {"tags": "RowMajor,RowMajor,zN"}, "layouts"),
    ("Ascend950", "half", {"tags": "PaddingRowMajor,PaddingColumnMajor"}, "layouts"),
    ("Ascend950", "float4_e2m1x2_t", {}, "element types"),
]


@pytest.mark.parametrize(("arch", "element", "others", "rule"), _REFUSED)
def test_a_rule_that_no_tile_meets_is_named(
    arch: str, element: str, others: dict[str, Any], rule: str
) -> None:
    with pytest.raises(UnsupportedError, match="no tile of") as raised:
        search(arch, (512, 512, 512), element, step=64, **others)
    assert f"{rule}: " in raised.value.details[0]


@pytest.mark.parametrize("orders", [None, ["<3,0>", "<1,0>"]])
def test_a_tile_is_told_its_rank(orders: list[str] | None) -> None:
    swizzles = orders and [f"GemmIdentityBlockSwizzle{text}" for text in orders]
    all_of_them = search(*SMALL, step=48, top=10**6, swizzles=swizzles)
    assert all_of_them.asked is None
    for rank in (1, 7, len(all_of_them.tiles)):
        tile = all_of_them.tiles[rank - 1]
        found = search(*SMALL, step=48, top=1, swizzles=swizzles, tile=(*tile.l1, tile.l0.k)).asked
        assert found is not None
        assert found.estimate is not None
        assert found.reasons == ()
        assert found.among == len(all_of_them.tiles)
        assert all_of_them.tiles[(found.rank or 0) - 1] == found.estimate
        assert found.rank == rank if orders is None else (found.rank or 0) <= rank
        assert estimate(found.plan) == found.estimate


def test_a_tile_beside_the_space_is_told_its_rank() -> None:
    """Of other steps, or larger than the problem; without k of L0 it has the best."""
    for tile in ("112,80,96", (128, 256, 256), "GemmShape<48,48,48>"):
        found = search(*SMALL, step=64, top=10**6, tile=tile)
        assert found.asked is not None
        assert found.asked.estimate is not None
        faster = [other for other in found.tiles if other.seconds < found.asked.estimate.seconds]
        assert found.asked.rank is not None
        assert len(faster) < found.asked.rank <= found.asked.among + 1
    with_default = search(*SMALL, step=64, tile="128,256,256,64")
    assert with_default.asked is not None
    assert with_default.asked.estimate == with_default.default


def test_a_tile_that_is_not_legal_is_told_why() -> None:
    found = search(*SMALL, step=64, tile="100,256,256")
    assert found.asked is not None
    assert (found.asked.estimate, found.asked.rank) == (None, None)
    assert found.asked.reasons[0].startswith("L1 overlap: ")
    of_l0 = search(*SMALL, step=64, tile=(128, 256, 256, 128)).asked
    assert of_l0 is not None
    assert of_l0.reasons[0].startswith("L0B capacity: ")


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
        ({"step": 24}, LayoutError, "step is 24: it must be 16 or a multiple of it"),
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
        ({"tile": (1, 2)}, LayoutError, "the tile in L1 has 2 extents, not three"),
        ({"tile": "0,16,16,16"}, ParseError, "the tile in L1 has m = 0"),
        ({"tile": "16,16,16,x"}, ParseError, "of the tile in L0"),
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


MANY = [(200, 300, 200), (64, 512, 96), (200, 300, 200), (48, 48, 48)]


class _Inline(Executor):
    """An executor of another library: it has `submit`, and gives futures."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


def test_many_problems(tmp_path: Path) -> None:
    """Each as by itself, in the order asked for; a file goes on, whatever of it was written."""
    path, steps = tmp_path / "tiles.jsonl", list[tuple[int, int]]()
    found = search_many("910B3", MANY, step=64, top=2, executor=_Inline(), results=path)
    for problem, each in zip(MANY, found, strict=True):
        alone = search("910B3", problem, step=64, top=2)
        assert (each.problem, each.tiles, each.legal) == (problem, alone.tiles, alone.legal)
        assert each.best == alone.best
    lines = path.read_text().splitlines(keepends=True)
    assert len(lines) == 3  # one of them is asked for twice
    for end in (0, len(lines[0]) - 1, len(lines[0]), len(path.read_text()) - 3):
        path.write_text("".join(lines)[:end])
        with ThreadPoolExecutor(2) as pool:
            again = search_many(
                "910B3", MANY, step=64, top=2, executor=pool, results=path,
                progress=lambda done, of: steps.append((done, of)),
            )  # fmt: skip
        assert again == found
        assert sorted(path.read_text().splitlines()) == sorted("".join(lines).splitlines())
        assert steps[-1] == (4, 4)
    before = path.read_text()
    assert search_many("910B3", MANY, step=64, top=2, results=str(path)) == found
    assert path.read_text() == before  # nothing was searched
    search_many("910B3", MANY[:1], step=64, top=1, results=path)  # other settings
    assert path.read_text().startswith(before)
    assert len(path.read_text().splitlines()) == 4
    assert search_many("910B3", []) == []


def test_many_problems_of_which_one_has_no_tile() -> None:
    some = AtlasA2.replaced(l0c=4 << 10)
    found = search_many(some, [(32, 16, 16), (16, 16, 16)], "half", "zN,zN,RowMajor", step=32)
    assert [each.best is None for each in found] == [not each.legal for each in found]
    assert all(each.reason for each in found if each.best is None)


def test_many_problems_of_nothing(tmp_path: Path) -> None:
    with pytest.raises(ParseError, match="the problem has n = 0"):
        search_many("910B3", ["64,0,64"])
    with pytest.raises(LayoutError, match="top is 0 and step 16"):
        search_many("910B3", MANY, top=0)
    with pytest.raises(LayoutError, match="top is 1 and step 24"):
        search_many("910B3", MANY, step=24)
    with pytest.raises(UnsupportedError, match="the cost model does not speak of MmadFullLoadA"):
        search_many("AtlasA2", MANY, policy="MmadFullLoadA")
    path = tmp_path / "notes"
    path.write_text('{"settings": "x"}\nof mine\n')
    with pytest.raises(ParseError, match="line 2 of notes is no result") as error:
        search_many("910B3", MANY, results=path)
    assert error.value.line == 2
    assert path.read_text() == '{"settings": "x"}\nof mine\n'
    with pytest.raises(FileNotFoundError):
        search_many("910B3", MANY, results=tmp_path / "no" / "file")


def test_groups_are_searched() -> None:
    """One group is the product itself; the order of groups and empty ones change nothing."""
    alone = search("910B3", (192, 512, 256), step=64, policy="MmadPingpong<true>", top=3)
    one = search("910B3", (192, 512, 256), step=64, policy="MmadPingpong<true>", top=3, groups=[192])
    assert one.tiles == alone.tiles
    some: Any = {"step": 64, "top": 3}
    groups = search("910B3", (1024, 512, 256), groups=[64, 0, 300, 660], **some)
    assert groups.plan.groups is not None
    assert groups.tiles == search("910B3", (1024, 512, 256), groups=[64, 300, 660], **some).tiles
    assert groups.best.blocks == groups.plan_of(groups.best).schedule().count
    assert groups.best.seconds > alone.best.seconds
    # a batch, as a list of equal products; and slices of K
    batch = search("910B3", None, groups=[(192, 512, 256)] * 3, **some)
    assert batch.best.blocks == 3 * -(-192 // batch.best.l1.m) * -(-512 // batch.best.l1.n)
    parts = search("910B3", (192, 512, 256), groups=[64, 192], axis="k", **some)
    assert parts.best.blocks == parts.plan_of(parts.best).schedule().count
    with pytest.raises(LayoutError, match="the groups, 64, 300, sum to 364: M is 1024"):
        search("910B3", (1024, 512, 256), groups=[64, 300])
    with pytest.raises(UnsupportedError, match="several products in the order of BlockSchedulerAswt"):
        search("Ascend950", (1024, 512, 256), groups=[64, 960], swizzles="aswt")
