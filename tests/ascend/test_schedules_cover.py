"""The proof that blocks cover a product agrees with counting elements, whatever is wrong."""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, strategies as st

from tla.ascend import schedules
from tla.ascend.schedules import CoverError, prove
from tla.ascend.schedules.cover import box

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from random import Random

    from tla.ascend.schedules import Task

PROBLEM = (512, 768, 600)


def tasks() -> list[Task]:
    return list(schedules.splitk(PROBLEM, (128, 256, 128), 2, splitk=3).tasks)


def counted(boxes: Iterable[Task]) -> Counter[tuple[int, ...]]:
    """How many boxes each element lies in, element by element."""
    return Counter(
        point
        for task in boxes
        for point in product(*(range(a, b) for a, b in zip(task.start, task.end, strict=True)))
    )


def is_cover(problem: Sequence[int], boxes: Sequence[Task]) -> bool:
    counts = counted(boxes)
    return counts == Counter(product(*map(range, problem)))


starts = st.tuples(*[st.integers(-1, 4)] * 3)
shapes = st.tuples(*[st.integers(0, 4)] * 3)
problems = st.tuples(*[st.integers(1, 4)] * 3)


@given(problems, st.lists(st.tuples(starts, shapes), max_size=5))
def test_any_boxes(
    problem: tuple[int, int, int], found: list[tuple[tuple[int, ...], tuple[int, ...]]]
) -> None:
    """The proof holds for exactly the covers, and what it names is at fault."""
    boxes = [box(start, shape, i) for i, (start, shape) in enumerate(found)]
    check(problem, boxes)


def check(problem: Sequence[int], boxes: list[Task]) -> None:
    counts = counted(boxes)
    if is_cover(problem, boxes):
        prove(problem, boxes)
        return
    with pytest.raises(CoverError) as caught:
        prove(problem, boxes)
    point = tuple(caught.value.point)
    inside = all(0 <= x < size for x, size in zip(point, problem, strict=True))
    assert counts[point] != int(inside)
    assert caught.value.times == counts[point]
    assert len(caught.value.tasks) == min(counts[point], 4)


@given(st.randoms(use_true_random=False), problems)
def test_random_cuts_and_one_fault(rng: Random, problem: tuple[int, int, int]) -> None:
    """A cover cut at random, in no grid, is one; with one box changed it is none."""
    boxes = cut(rng, (0, 0, 0), problem)
    rng.shuffle(boxes)
    check(problem, boxes)
    assert is_cover(problem, boxes)
    at = rng.randrange(len(boxes))
    start, shape = list(boxes[at].start), list(boxes[at].shape)
    axis = rng.randrange(3)
    if rng.random() < 0.5:
        start[axis] += rng.choice((-1, 1))
    else:
        shape[axis] += rng.choice((-1, 1))
    check(problem, [*boxes[:at], box(start, shape), *boxes[at + 1 :]])
    with pytest.raises(CoverError):
        prove(problem, [*boxes[:at], box(start, shape), *boxes[at + 1 :]])


def cut(rng: Random, start: Sequence[int], shape: Sequence[int]) -> list[Task]:
    """A box cut in two again and again."""
    axis = rng.randrange(3)
    if shape[axis] < 2 or rng.random() < 0.2:
        return [box(start, shape)]
    at = rng.randrange(1, shape[axis])
    low, high, begin = list(shape), list(shape), list(start)
    low[axis], high[axis], begin[axis] = at, shape[axis] - at, start[axis] + at
    return cut(rng, start, low) + cut(rng, begin, high)


# --- corrupted schedules ---


def test_a_dropped_block() -> None:
    found = tasks()
    dropped = found.pop(7)
    with pytest.raises(CoverError) as caught:
        prove(PROBLEM, found)
    assert (caught.value.point, caught.value.times) == (dropped.start, 0)
    assert str(caught.value) == (
        f"no task computes the element {dropped.start} of the product (512,768,600)"
    )


def test_a_block_twice() -> None:
    found = tasks()
    with pytest.raises(CoverError) as caught:
        prove(PROBLEM, [*found, found[7]])
    assert caught.value.point == found[7].start
    assert str(caught.value).splitlines() == [
        f"2 tasks compute the element {found[7].start} of the product (512,768,600)",
        "  task 7 (core 7, round 0): [384:512,512:768,0:256]",
        "  task 7 (core 7, round 0): [384:512,512:768,0:256]",
    ]


def test_a_block_shifted_into_the_next() -> None:
    found = tasks()
    moved = found[1]._replace(start=found[1].start._replace(m=found[1].start.m + 1))
    with pytest.raises(CoverError) as caught:
        prove(PROBLEM, [found[0], moved, *found[2:]])
    assert (caught.value.point, caught.value.times) == (found[1].start, 0)


def test_a_shrunk_block() -> None:
    found = tasks()
    small = found[0]._replace(shape=found[0].shape._replace(k=255))
    with pytest.raises(CoverError, match=r"no task computes the element \(0,0,255\)"):
        prove(PROBLEM, [small, *found[1:]])


def test_a_dropped_and_a_repeated_block_of_one_size() -> None:
    """The sum of the sizes is right, and the cover is not."""
    found = tasks()
    assert found[0].shape == found[2].shape
    with pytest.raises(CoverError) as caught:
        prove(PROBLEM, [found[2], *found[1:]])
    assert (caught.value.point, caught.value.times) == ((0, 0, 0), 0)


def test_a_block_outside() -> None:
    with pytest.raises(
        CoverError, match=r"reaches the element \(8,0,0\), outside the product \(8,8,8\)"
    ):
        prove((8, 8, 8), [box((0, 0, 0), (9, 8, 8))])
    with pytest.raises(CoverError, match=r"reaches the element \(-1,0,0\), outside"):
        prove((8, 8, 8), [box((-1, 0, 0), (9, 8, 8))])


def test_a_negative_extent_does_not_cancel() -> None:
    """Counted with its sign, it would take away what is there twice."""
    boxes = [box((0, 0, 0), (8, 8, 8)), box((0, 0, 0), (4, 4, 4)), box((4, 0, 0), (-4, 4, 4), 9)]
    with pytest.raises(CoverError, match=r"task 9 .* has the extents \(-4,4,4\), a negative one"):
        prove((8, 8, 8), boxes)


def test_no_tasks() -> None:
    with pytest.raises(CoverError, match=r"no task computes the element \(0,0,0\)"):
        prove((1, 1, 1), [])


def test_tasks_that_are_read_once_are_kept() -> None:
    found = tasks()
    assert prove(PROBLEM, iter(found)).tasks == len(found)
    with pytest.raises(CoverError) as caught:
        prove(PROBLEM, iter([*found, found[0]]))
    assert len(caught.value.tasks) == 2


def test_progress_is_told() -> None:
    seen: list[int] = []
    schedule = schedules.identity((65536, 65536, 64), (256, 256, 64))
    assert schedule.proof(seen.append).tasks == 65536
    assert seen == list(range(8192, 65537, 8192))
