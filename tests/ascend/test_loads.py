"""Blocks of each core counted in closed form: as many as walking through the order finds."""

from collections import Counter
from random import Random

import pytest
from cases import share
from hypothesis import given, strategies as st

from tla.ascend.schedules import (
    GemmIdentityBlockSwizzle,
    aswt,
    column,
    identity,
    in_groups,
    iterate_k,
)
from tla.ascend.shapes import GemmCoord, GemmShape
from tla.ascend.tuning.loads import (
    Loads,
    loads,
    loads_by_columns,
    loads_in_bands,
    loads_in_groups,
)

from .walked import loads_of

extents = st.integers(1, 700)
tile_extents = st.integers(1, 9).map(lambda n: 16 * n)


def place(task: int, rows: int, columns: int, offset: int) -> tuple[int, int]:
    """The block of a task in direction 0, from CATLASS's formula as it is written."""
    group, inner = divmod(task, offset * columns)
    groups = -(-rows // offset)
    height = offset if group < groups - 1 else rows - offset * group
    row, column = group * offset + inner % height, inner // height
    return row, columns - 1 - column if group % 2 else column


def walked(
    problem: GemmCoord, tile: GemmShape, cores: int, offset: int, direction: int, slices: list[int]
) -> Counter[tuple[tuple[tuple[GemmCoord, int], ...], GemmCoord | None]]:
    """How many cores have which blocks in the full rounds, and which in the last."""
    rows, columns = -(-problem.m // tile.m), -(-problem.n // tile.n)
    size = rows * columns
    tasks, found = (
        size * len(slices),
        Counter[tuple[tuple[tuple[GemmCoord, int], ...], GemmCoord | None]](),
    )
    for core in range(cores):
        mine: Counter[GemmCoord] = Counter()
        last = None
        for task in range(core, tasks, cores):
            number, inner = divmod(task, size)
            if direction == 0:
                m, n = place(inner, rows, columns, offset)
            else:
                n, m = place(inner, columns, rows, offset)
            shape = GemmCoord(
                min(tile.m, problem.m - m * tile.m), min(tile.n, problem.n - n * tile.n), slices[number]
            )
            if task >= tasks // cores * cores:
                last = shape
            else:
                mine[shape] += 1
        found[tuple(sorted(mine.items())), last] += 1
    return found


def by_shape(found: Loads) -> Counter[tuple[tuple[tuple[GemmCoord, int], ...], GemmCoord | None]]:
    counted = Counter[tuple[tuple[tuple[GemmCoord, int], ...], GemmCoord | None]]()
    for load in found.cores:
        mine: Counter[GemmCoord] = Counter()
        for shape, count in zip(found.shapes, load.counts, strict=True):
            mine[shape] += count
        blocks = tuple(sorted((shape, count) for shape, count in mine.items() if count))
        counted[blocks, None if load.last is None else found.shapes[load.last]] += load.times
    return counted


@given(
    st.tuples(extents, extents),
    st.tuples(tile_extents, tile_extents),
    st.integers(1, 40),
    st.integers(1, 9),
    st.sampled_from([0, 1]),
    st.lists(st.integers(1, 3), min_size=1, max_size=5),
)
def test_closed_forms_are_what_walking_finds(
    sizes: tuple[int, int],
    tile_sizes: tuple[int, int],
    cores: int,
    offset: int,
    direction: int,
    slices: list[int],
) -> None:
    problem, tile = GemmCoord(*sizes, sum(slices)), GemmShape(*tile_sizes, 16)
    found = loads(problem, tile, cores=cores, offset=offset, direction=direction, slices=slices)
    assert by_shape(found) == walked(problem, tile, cores, offset, direction, slices)
    assert sum(found.blocks()) == found.tasks
    assert sum(load.times for load in found.cores) == cores


@given(
    st.tuples(extents, extents),
    st.tuples(tile_extents, tile_extents),
    st.integers(1, 30),
    st.integers(1, 5),
)
def test_a_schedule_is_counted_as_its_closed_form(
    sizes: tuple[int, int], tile_sizes: tuple[int, int], cores: int, offset: int
) -> None:
    problem, tile = GemmCoord(*sizes, 64), GemmShape(*tile_sizes, 64)
    closed = loads(problem, tile, cores=cores, offset=offset, direction=1)
    schedule = identity(problem, tile, offset=offset, direction=1, cores=cores)
    found = loads_of(schedule)
    assert by_shape(found) == by_shape(closed)
    assert found[:3] == closed[:3]


@given(
    st.tuples(extents, extents),
    st.tuples(tile_extents, tile_extents),
    st.integers(1, 40),
    st.sampled_from(["aswt", "whole aswt", "iterate_k", "column"]),
)
def test_orders_without_an_offset_are_counted_as_walking_finds(
    sizes: tuple[int, int], tile_sizes: tuple[int, int], cores: int, order: str
) -> None:
    problem, tile = GemmCoord(*sizes, 64), GemmShape(*tile_sizes, 64)
    if order == "column":
        schedule = column(problem, tile, cores=cores)
        closed = loads_by_columns(problem, tile, cores=cores)
    else:
        if order == "iterate_k":
            schedule = iterate_k(problem, tile, cores=cores)
        else:
            schedule = aswt(problem, tile, cores=cores, split=order == "aswt")
        pieces = schedule.last_blocks or None
        closed = loads_in_bands(problem, tile, schedule.bands, cores=cores, pieces=pieces)
    found = loads_of(schedule)
    assert closed[:2] == found[:2]
    assert sum(closed.blocks()) == closed.tasks
    if len(schedule.last_blocks) < cores:  # pieces on all cores make one more round that is full
        assert closed.full_rounds == found.full_rounds
        assert by_shape(closed) == by_shape(found)
    assert Counter(dict(zip(closed.shapes, closed.blocks(), strict=True))) >= Counter(
        dict(zip(found.shapes, found.blocks(), strict=True))
    )


def test_many_blocks_take_no_longer_than_few() -> None:
    found = loads(GemmCoord(10**9, 10**9, 64), GemmShape(16, 48, 64), cores=24, offset=3, direction=0)
    assert found.tasks == 62_500_000 * 20_833_334
    assert sum(found.blocks()) == found.tasks


@pytest.mark.parametrize("seed", range(share(20)))
def test_several_products_are_counted(seed: int) -> None:
    """The closed form of a list of products equals a pass over its schedule, in whole fractals."""
    rng = Random(seed)
    order = GemmIdentityBlockSwizzle(rng.randint(1, 4), rng.randint(0, 1))
    tile = GemmShape(16 * rng.randint(1, 8), 16 * rng.randint(1, 8), 16)
    shapes = [
        GemmCoord(rng.randint(1, 400), rng.randint(1, 400), rng.choice([64, 96])) for _ in range(3)
    ]
    problems = [rng.choice(shapes) for _ in range(rng.randint(1, 9))]
    cores = rng.randint(1, 24)
    schedule = in_groups(problems, tile, order, axis="list", cores=cores)
    offset, direction = map(int, order.arguments)
    found = loads_in_groups(problems, tile, cores=cores, offset=offset, direction=direction)
    assert (found.tasks, found.rounds) == (schedule.count, -(-schedule.count // cores))
    mine: list[Counter[GemmCoord]] = [Counter() for _ in range(cores)]
    for task in schedule.tasks:
        m, n, k = task.shape
        mine[task.core][GemmCoord(-(-m // 16) * 16, -(-n // 16) * 16, k)] += 1
    ours: list[Counter[GemmCoord]] = []
    for load in found.cores:
        each = Counter({shape: n for shape, n in zip(found.shapes, load.counts, strict=True) if n})
        if load.last is not None:
            each[found.shapes[load.last]] += 1
        ours += [each] * load.times
    assert sorted(map(repr, map(sorted, (c.items() for c in ours)))) == sorted(
        map(repr, map(sorted, (c.items() for c in mine)))
    )
