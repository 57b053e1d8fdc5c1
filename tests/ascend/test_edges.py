"""Limits from both sides: each case here is one that a change by one, or a dropped bound, gets wrong."""

from __future__ import annotations

import pytest

from tla import CoordinateError, LayoutError
from tla.ascend import (
    FAMILIES,
    Ascend950,
    AtlasA2,
    Finding,
    GemmShape,
    MmadPingpong,
    Plan,
    Tile,
    choose_kernel,
    default_swizzle,
    element,
    fits,
    footprints,
    gemm,
    make_layout,
    nearest,
    policy,
    swizzle,
)
from tla.ascend.copies import gm_to_l1
from tla.ascend.plans.asserts import failures_of_block
from tla.ascend.plans.defaults import default_l0
from tla.ascend.plans.kernels import slices
from tla.ascend.schedules import CoverError, grouped_aswt, identity, prove, single_core_splitk
from tla.ascend.schedules.cover import box
from tla.ascend.schedules.facts import _L2  # pyright: ignore[reportPrivateUsage]

half, single = element("half"), element("float")
SMALL = GemmShape(32, 32, 32)


def finding(plan: Plan, rule: str) -> Finding:
    (found,) = (each for each in plan.check().checks if each.rule == rule)
    return found


@pytest.mark.parametrize(
    ("name", "most", "over", "text"),
    [
        ("MmadPingpongMutex<Arch::Ascend950,false,false,%d,false,6,6,6,6>", 4, 5, "Mutex"),
        ("MmadPingpong(l1a_stages=4,l1b_stages=%d)", 3, 4, "L1 Buffer overflow"),
        ("MmadPingpong(l0a_stages=4,l0b_stages=%d)", 3, 4, "L0 Buffer overflow"),
    ],
)
def test_as_many_stages_as_there_are_ids(name: str, most: int, over: int, text: str) -> None:
    """Of events a bias holds one; of mutexes the stages of L0C hold some."""
    bias = None if "Mutex" in name else single
    for stages, says in ((most, False), (over, True)):
        tile = Tile(Ascend950, half, half, SMALL, SMALL, policy(name % stages), bias)
        assert any(text in each for each in failures_of_block(tile)) == says


def test_tiles_at_run_time_take_no_bias() -> None:
    tile = Tile(Ascend950, half, half, SMALL, SMALL, policy("MmadPreloadAsyncWithCallbackL0CToUB"))
    text = "Dynamic tile only supports in bias-free mode!"
    assert text not in failures_of_block(tile)
    assert text in failures_of_block(tile._replace(bias=single))


def test_a_stage_may_reach_over_the_next_where_it_is_not_written() -> None:
    shape = GemmShape(100, 256, 16)  # one column of fractals: 100 rows of 32 bytes, read as 112
    tile = Tile(Ascend950, half, half, shape, shape, MmadPingpong(l0a_stages=1))
    first, second = footprints(tile)[0].stages[:2]
    assert first.end == second.start < first.reach
    assert fits(tile)


def test_a_bias_is_read_in_whole_blocks() -> None:
    shape = GemmShape(32, 250, 32)
    tile = Tile(Ascend950, half, half, shape, shape, MmadPingpong(), single)
    stage = next(each for each in footprints(tile)[0].stages if each.operand == "bias")
    assert (stage.end - stage.start, stage.reach - stage.start) == (1000, 1024)


def test_one_tile_of_k_may_be_all_of_it() -> None:
    tile = Tile(AtlasA2, half, half, SMALL, SMALL, policy("MmadAtlasA2Small"), k=32)
    assert fits(tile)
    assert not fits(tile._replace(k=33))


@pytest.mark.parametrize(("side", "shape"), [("Left", (64, 128, 64)), ("Right", (128, 64, 64))])
def test_a_symmetric_tile_is_its_own_nearest(side: str, shape: tuple[int, int, int]) -> None:
    l1 = GemmShape(*shape)
    found = nearest(Tile(AtlasA2, half, half, l1, l1, FAMILIES[f"MmadPingpongSymm{side}"]()))
    assert found is not None
    assert (found.l1, found.distance) == (l1, 0)


def test_each_operand_has_its_own_stages_in_l0() -> None:
    how = MmadPingpong(l0a_stages=1, l0b_stages=4)
    assert default_l0(AtlasA2, half, half, GemmShape(16, 256, 256), how).k == 32
    assert default_l0(AtlasA2, half, half, GemmShape(256, 16, 256), how).k == 128


def test_no_slice_of_k_is_less_than_a_tile() -> None:
    plan = gemm("AtlasA2", (128, 256, 9000), l1="128,256,9008", swizzle="splitk")
    old = policy("MmadAtlasA2Pingpong")
    assert slices(old, plan.swizzle, plan.problem, plan.l1, plan.cores) == 1
    assert slices(old, swizzle("splitk"), plan.problem, plan.l1._replace(k=4512), plan.cores) == 2


def test_lines_of_fp4_are_even() -> None:
    plan = gemm("Ascend950", (64, 64, 65), "float4_e2m1x2_t", "RowMajor,ColumnMajor")
    assert (plan.leading("A"), plan.leading("B")) == (66, 66)
    assert gemm("Ascend950", (64, 64, 65), "half").leading("A") == 65


def test_one_tag_is_that_of_a_and_b() -> None:
    assert gemm("AtlasA2", SMALL, tags="ColumnMajor").tags == ("ColumnMajor", "ColumnMajor", "RowMajor")


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_each_extent_is_counted_in_32_bits(axis: int) -> None:
    for extent, severity in (((1 << 32) - 1, "holds"), (1 << 32, "error")):
        problem = [1, 1, 1]
        problem[axis] = extent
        plan = gemm("AtlasA2", problem, l1="128,256,256", l0="128,256,64")
        assert finding(plan, "32-bit extents").severity == severity


def test_lines_as_far_apart_as_one_copy_steps() -> None:
    for k, wide in (
        (65000, 65024),
        (65200, 65280),
        (65500, None),
    ):  # that would be 65536, a call for a line
        fix = finding(gemm("AtlasA2", (64, 64, k)), "leading dimension of A").fix
        assert ("store it with a leading dimension of" in fix) == (wide is not None)
        assert wide is None or f"dimension of {wide}." in fix
        assert ("PADDING_BLOCK_ND" in fix) == (wide is None)
    for k, severity in ((65535, "holds"), (65536, "warning")):
        assert finding(gemm("AtlasA2", (64, 64, k)), "stride limit of A").severity == severity


def test_what_an_assertion_counts_is_needed() -> None:
    plan = gemm("AtlasA2", (512, 512, 512), "int4b_t", l1="256,256,1024", l0="256,256,128")
    assert finding(plan, "L1 capacity").needed == plan.footprints[0].counted == 1 << 20


def test_a_bias_holds_two_mutexes() -> None:
    plan = gemm("Ascend950", SMALL, policy="MmadPingpongMutex", bias="float")
    assert finding(plan, "mutexes").needed == 2 + sum(plan.policy.facts[:5]) == 11


def test_a_square_product_goes_in_bands_of_columns() -> None:
    assert choose_kernel((1024, 1024, 1024)).swizzle == "GemmIdentityBlockSwizzle<3,1>"
    assert str(default_swizzle((1024, 1024, 1024))) == "GemmIdentityBlockSwizzle<3,0>"


def test_half_a_band_of_rows_is_walked_with_the_band_before_and_half_of_columns_is_not() -> None:
    tile = (128, 256, 256)
    rows = single_core_splitk((384, 512, 256), tile, 2, 0, cores=1)
    assert [(c.m, c.n) for c, _ in rows] == [(0, 0), (1, 0), (2, 0), (2, 1), (1, 1), (0, 1)]
    columns = single_core_splitk((256, 768, 256), tile, 2, 1, cores=1)
    assert [(c.m, c.n) for c, _ in columns] == [(0, 0), (0, 1), (1, 1), (1, 0), (1, 2), (0, 2)]


def test_an_extent_of_minus_one_is_negative() -> None:
    with pytest.raises(CoverError, match="a negative one"):
        prove((8, 8, 8), [box((1, 0, 0), (-1, 8, 8)), box((0, 0, 0), (8, 8, 8))])


def test_pieces_of_the_last_tiles_stay_on_the_cores_that_are_idle() -> None:
    """Three tiles on nine cores, the last of a group of its own: it has seven cores, and 2 x 3 parts."""
    schedule = grouped_aswt((384, 256, 64), (128, 256, 64), (256, 128), cores=9)
    assert sorted(task.core for task in schedule.tasks) == list(range(8))
    assert schedule.proof().tasks == 8


def test_an_even_tile_is_no_higher_than_the_tile() -> None:
    schedule = grouped_aswt((200, 256, 64), (100, 256, 64), (200,), cores=4, balanced=True)
    assert {task.shape.m for task in schedule.tasks} == {100}


def test_l2_holds_of_a_panel_what_it_held_before() -> None:
    cache = _L2({"A": 8, "B": 8})
    panel = ("A", 0, 0, 0, 10)
    assert cache.take(panel, 0, 10) == 8 * 10 * 10
    assert cache.take(panel, 5, 12) == 8 * 2 * 10
    assert cache.take(panel, 0, 12) == 0


def test_the_first_task_is_the_last_from_behind() -> None:
    tasks = single_core_splitk((384, 512, 256), (128, 256, 256), cores=1).tasks
    assert tasks[-len(tasks)] == tasks[0]
    with pytest.raises(CoordinateError, match="there is no task -7: there are 6"):
        tasks[-len(tasks) - 1]


def test_sixteen_lines_go_one_by_one_and_no_more() -> None:
    wide = make_layout("half", "RowMajor", 32, 64, ld=65536)
    assert gm_to_l1(wide, "zZ", arch="AtlasA2", element="half", tile=(16, 64)).count == 16
    with pytest.raises(LayoutError, match="leading dimension 65536 >= 65536: rows to zZ go one by one"):
        gm_to_l1(wide, "zZ", arch="AtlasA2", element="half", tile=(17, 64))


def test_lines_as_far_apart_as_one_nd2nz_steps() -> None:
    for ld, calls in ((65535, 1), (65536, 32)):
        wide = make_layout("half", "RowMajor", 32, 64, ld=ld)
        assert gm_to_l1(wide, "zN", arch="AtlasA2", element="half").count == calls


def test_zeros_fill_the_last_block_of_a_row() -> None:
    moved = gm_to_l1(make_layout("half", "RowMajor", 16, 10), "zN", arch="AtlasA2", element="half")
    assert moved.proof().zeros == 16 * 6


def test_as_many_cores_as_a_kernel_is_started_on() -> None:
    assert identity((128, 256, 256), (128, 256, 256), cores=65535).cores == 65535
    with pytest.raises(LayoutError, match="started on at most 65535"):
        identity((128, 256, 256), (128, 256, 256), cores=65536)
