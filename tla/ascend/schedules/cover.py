# SPDX-License-Identifier: Apache-2.0
"""The proof that blocks cover a product: every element of M x N x K lies in exactly one block.

>>> prove((8, 8, 8), [box((0, 0, 0), (8, 4, 8)), box((0, 4, 0), (8, 4, 8))]).points
512
>>> prove((8, 8, 8), [box((0, 0, 0), (8, 4, 8)), box((0, 5, 0), (8, 3, 8))])
Traceback (most recent call last):
    ...
tla.ascend.schedules.cover.CoverError: no task computes the element (0,4,0) of the product (8,8,8)

Let f be the number of blocks in which an element lies. A block changes f at its eight corners only. The
change is +1 or -1: the sign is -1 if the corner has an odd number of ends among its three coordinates.
At any element f is the sum of the changes at all corners below it. So f is 1 on the product and 0 around
it if and only if the changes of all blocks are those of the product itself.

The proof counts the changes corner by corner, in time proportional to the number of blocks. It does not
use how a schedule is made. Take the least corner, in the order of m, n and k, at which the counts
differ. No other such corner lies below it, so f is wrong at that element.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ...errors import LayoutError
from ..shapes import GemmCoord, gemm_shape
from .tasks import Task, with_progress

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ..shapes import ShapeLike


class CoverError(LayoutError):
    """Blocks do not cover a product: an element lies in no block, in several, or outside the product.

    Attributes:
        point: The element.
        times: The number of blocks in which it lies.
        tasks: The first of these blocks.
    """

    point: GemmCoord
    times: int
    tasks: tuple[Task, ...]


class Proof(NamedTuple):
    """A proven cover: each element of the problem lies in exactly one of the tasks.

    >>> from tla.ascend.schedules import identity
    >>> proof = identity((96, 64, 32), (48, 32, 16), cores=4).proof()
    >>> print(proof)
    Proof(problem=GemmCoord(m=96, n=64, k=32), tasks=4)
    >>> proof.points == 96 * 64 * 32
    True
    """

    problem: GemmCoord
    tasks: int
    groups: tuple[GemmCoord, ...] = ()
    """The extents of each product, if there are several."""

    @property
    def points(self) -> int:
        """The number of elements of M x N x K, of all products together."""
        return sum(m * n * k for m, n, k in self.groups or (self.problem,))

    def __repr__(self) -> str:
        return f"Proof(problem={self.problem!r}, tasks={self.tasks})"


def box(start: Sequence[int], shape: Sequence[int], number: int = 0) -> Task:
    """Return a task that is only a block: its first element and its extents.

    >>> print(box((0, 4, 0), (8, 4, 8)).end)
    (8,8,8)
    """
    zero = GemmCoord(0, 0, 0)
    return Task(number, 0, 0, zero, GemmCoord(*start), GemmCoord(*shape))


def prove(
    problem: ShapeLike, tasks: Iterable[Task], progress: Callable[[int], None] | None = None
) -> Proof:
    """Prove that every element of a product lies in exactly one of some tasks.

    >>> from tla.ascend.schedules import identity
    >>> schedule = identity((100, 60, 32), (48, 32, 16), cores=4)
    >>> prove((100, 60, 32), schedule.tasks)
    Proof(problem=GemmCoord(m=100, n=60, k=32), tasks=6)

    Args:
        tasks: The tasks. If the proof fails, it reads them a second time for the tasks at fault.
        progress: A function that gets the number of tasks so far, now and then.

    Raises:
        CoverError: an element of the product lies in no task or in more than one, an element outside
            lies in one, or a task has a negative extent.
    """
    whole = GemmCoord(*gemm_shape(problem, "problem"))
    if iter(tasks) is tasks:  # an iterator can be read only once
        tasks = list(tasks)
    changes: dict[tuple[int, int, int], int] = {}
    count = 0
    for task in with_progress(tasks, progress):
        if min(task.shape) < 0:
            raise CoverError(
                f"{task} has the extents {task.shape}, a negative one",
                point=task.start, times=0, tasks=(task,),
            )  # fmt: skip
        _change(changes, task.start, task.end, 1)
        count += 1
    _change(changes, GemmCoord(0, 0, 0), whole, -1)
    if changes:
        raise _fault(whole, min(changes), tasks)
    return Proof(whole, count)


def _change(
    changes: dict[tuple[int, int, int], int], start: GemmCoord, end: GemmCoord, sign: int
) -> None:
    """Add the changes at the corners of a block, and drop the corners whose changes cancel."""
    (i, j, k), (di, dj, dk) = start, end
    for m, s in ((i, sign), (di, -sign)):
        for n, t in ((j, s), (dj, -s)):
            for corner, change in (((m, n, k), t), ((m, n, dk), -t)):
                total = changes.get(corner, 0) + change
                if total:
                    changes[corner] = total
                else:
                    changes.pop(corner, None)


def _fault(whole: GemmCoord, point: tuple[int, int, int], tasks: Iterable[Task]) -> CoverError:
    at = GemmCoord(*point)
    around = [
        task
        for task in tasks
        if all(a <= x < b for a, x, b in zip(task.start, at, task.end, strict=True))
    ]
    inside = all(0 <= x < size for x, size in zip(at, whole, strict=True))
    if not inside:
        summary = f"{around[0]} reaches the element {at}, outside the product {whole}"
    elif not around:
        summary = f"no task computes the element {at} of the product {whole}"
    else:
        summary = f"{len(around)} tasks compute the element {at} of the product {whole}"
    details = [str(task) for task in around[:4]] if inside else []
    return CoverError(summary, *details, point=at, times=len(around), tasks=tuple(around[:4]))
