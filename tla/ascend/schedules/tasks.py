# SPDX-License-Identifier: Apache-2.0
"""The tasks of a product by number, each on its core in its turn.

A task is a block of the M x N x K space of a product, which one core computes in one turn of its
loop. A schedule computes each task from its number alone. So it stores none, however large the product
is.

>>> from tla.ascend.schedules import identity
>>> schedule = identity((65536, 65536, 65536), (128, 256, 256), offset=3)
>>> len(schedule), schedule[100_000]
(131072, Block(coord=GemmCoord(m=391, n=53, k=0), shape=GemmCoord(m=128, n=256, k=65536)))
"""

from __future__ import annotations

import operator
import sys
from itertools import chain
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple, SupportsIndex, overload

from ...errors import CoordinateError, LayoutError
from ...ground import limit_error, limit_of
from ..arch import AtlasA2
from ..shapes import GemmCoord, GemmShape, gemm_shape, index_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ..shapes import ShapeLike

CORES = AtlasA2.cores
"""The default number of cores."""

STEP: Final = 1 << 13
"""The number of tasks between two calls of a `progress`."""

_MOST_CORES: Final = 65535  # the number of blocks of a kernel is 16 bits wide


class Block(NamedTuple):
    """The part of the product in one task: its place in tiles, and its extents in elements.

    >>> from tla.ascend.schedules import identity
    >>> identity((96, 50, 32), (48, 32, 16), cores=4)[1].shape
    GemmCoord(m=48, n=18, k=32)
    """

    coord: GemmCoord
    shape: GemmCoord


class Task(NamedTuple):
    """A block, and the core and turn that compute it.

    >>> from tla.ascend.schedules import identity
    >>> task = identity((96, 64, 32), (48, 32, 16), cores=3).task(3)
    >>> task.core, task.round, task.coord, task.start
    (0, 1, GemmCoord(m=1, n=0, k=0), GemmCoord(m=48, n=0, k=0))
    """

    number: int
    core: int
    round: int
    """The turn of the core's loop."""
    coord: GemmCoord
    """The place of its tile, in tiles; in a group, counted from the group's first."""
    start: GemmCoord
    """The first element."""
    shape: GemmCoord
    """The extents, in elements."""
    slice: int = 0
    """The number of its slice of K, among those of its block."""
    adds: bool = False
    """Whether its core adds it to the sums of an earlier task."""
    partial: bool = False
    """Whether its result is a partial sum in the workspace, which a last step adds up."""
    group: int = 0

    @property
    def block(self) -> Block:
        return Block(self.coord, self.shape)

    @property
    def end(self) -> GemmCoord:
        """The start plus the extents."""
        return GemmCoord(*map(operator.add, self.start, self.shape))

    @property
    def macs(self) -> int:
        """The number of products of elements that it sums."""
        m, n, k = self.shape
        return m * n * k

    def __str__(self) -> str:
        at = ",".join(f"{a}:{b}" for a, b in zip(self.start, self.end, strict=True))
        return f"task {self.number} (core {self.core}, round {self.round}): [{at}]"


class Assignment:
    """The core and the turn of each task of a product; `Schedule` adds its costs and its proof."""

    __slots__ = ("cores", "loops", "problem", "swizzle", "tile")

    CPP: ClassVar[str]
    """The name of the C++ class."""
    STAYS: ClassVar[str] = ""
    """The operands, of A and B, that its kernel keeps in L1 if the core's next task reads them too."""
    IS_PRODUCT: ClassVar[bool] = True
    """Whether a task multiplies rows of A and columns of B. If not, its bytes are not counted."""

    problem: GemmCoord
    tile: GemmShape
    loops: GemmCoord
    """The number of tiles along each extent."""
    cores: int
    swizzle: str
    """The C++ text of the swizzle or scheduler."""

    def __init__(self, problem: ShapeLike, tile: ShapeLike, cores: int, swizzle: str) -> None:
        self.problem = GemmCoord(*gemm_shape(problem, "problem"))
        self.tile = gemm_shape(tile, "tile")
        self.loops = self.tile.tiles_of(self.problem)
        self.cores = positive("cores", cores)
        if self.cores > _MOST_CORES:
            raise LayoutError(
                f"cores = {self.cores}: a kernel is started on at most {_MOST_CORES}", cores=self.cores
            )
        self.swizzle = swizzle

    # --- defined by each scheduler ---

    @property
    def count(self) -> int:
        """The number of tasks, of any size; `len` ends at 63 bits. By default each block is one."""
        return self.blocks

    def task(self, number: int) -> Task:
        """The task of a number from 0 to `count` - 1. `tasks` also takes negative numbers and slices."""
        raise NotImplementedError

    def runs(self, core: int) -> tuple[range, ...]:
        """The numbers of the tasks of a core, range by range, in the order in which it runs them."""
        return (range(core, self.count, self.cores),)

    # --- the same for all ---

    @property
    def tasks(self) -> Tasks:
        """The tasks by number, each computed on access."""
        return Tasks(self)

    def of_core(self, core: SupportsIndex) -> list[Task]:
        """The tasks of a core in the order in which it runs them."""
        number = index_of("core", core)
        if not 0 <= number < self.cores:
            raise CoordinateError(f"there is no core {number}: there are {self.cores}", core=number)
        runs = self.runs(number)
        self.check_walk(sum(map(_length, runs)))
        return [self.task(i) for i in chain(*runs)]

    def walk(self, progress: Callable[[int], None] | None = None) -> Iterator[Task]:
        """All tasks in the order of their numbers.

        Args:
            progress: A function that gets the number of tasks so far, now and then.

        Raises:
            LimitError: there are more than the ``tasks`` of `tla.limits`.
        """
        self.check_walk(self.count)
        return with_progress(self.tasks, progress)

    def walk_by_core(self) -> list[Iterator[Task]]:
        """The tasks of each core, in the order in which it runs them; the errors are those of `walk`."""
        self.check_walk(self.count)
        return [map(self.task, chain(*self.runs(core))) for core in range(self.cores)]

    def check_walk(self, count: int) -> None:
        """Raise LimitError for a pass over more than the ``tasks`` of `tla.limits`."""
        most = limit_of("tasks")
        if count <= most:
            return
        slices = f", and so do fewer slices of K than {self.factor}" if self.empty else ""
        raise limit_error(
            "tasks",
            f"{count} tasks are too many to go through one by one: at most {most}",
            f"A tile larger than {self.tile} makes fewer{slices}.",
            needed=count,
            count=count,
        )

    @property
    def blocks(self) -> int:
        """The number of tiles of C."""
        return self.loops.m * self.loops.n

    @property
    def factor(self) -> int:
        """The greatest number of slices of K of a block."""
        return 1

    @property
    def empty(self) -> int:
        """The number of tasks without any of K, because K has more slices than tiles."""
        return 0

    @property
    def products(self) -> tuple[GemmCoord, ...]:
        """The extents of each product that has tasks; with groups there are several."""
        return (self.problem,)

    @property
    def groups(self) -> int:
        """The number of products, each with its own B."""
        return len(self.products)

    def __len__(self) -> int:
        if self.count > sys.maxsize:
            raise OverflowError(f"{self.count} tasks are more than len can say; count says it")
        return self.count

    def __iter__(self) -> Iterator[Block]:
        return (task.block for task in self.tasks)

    @overload
    def __getitem__(self, number: SupportsIndex) -> Block: ...
    @overload
    def __getitem__(self, number: slice) -> list[Block]: ...
    def __getitem__(self, number: SupportsIndex | slice) -> Block | list[Block]:
        if isinstance(number, slice):
            return [task.block for task in self.tasks[number]]
        return self.tasks[number].block

    def __repr__(self) -> str:
        problem = ",".join(map(str, self.problem))
        return f"<{self.swizzle}: ({problem}) by {self.tile}, {self.count} tasks on {self.cores} cores>"


class Tasks:
    """The tasks of a schedule as a sequence, each computed on access."""

    __slots__ = ("_schedule",)

    def __init__(self, schedule: Assignment) -> None:
        self._schedule = schedule

    def __len__(self) -> int:
        return len(self._schedule)

    def __iter__(self) -> Iterator[Task]:
        return map(self._schedule.task, range(self._schedule.count))

    @overload
    def __getitem__(self, number: SupportsIndex) -> Task: ...
    @overload
    def __getitem__(self, number: slice) -> list[Task]: ...
    def __getitem__(self, number: SupportsIndex | slice) -> Task | list[Task]:
        schedule = self._schedule
        if isinstance(number, slice):
            numbers = range(schedule.count)[number]
            schedule.check_walk(_length(numbers))
            return [schedule.task(i) for i in numbers]
        index = index_of("the number of a task", number)
        if not -schedule.count <= index < schedule.count:
            raise CoordinateError(f"there is no task {index}: there are {schedule.count}", number=index)
        return schedule.task(index % schedule.count)


def with_progress(tasks: Iterable[Task], progress: Callable[[int], None] | None) -> Iterator[Task]:
    """Yield tasks, and call `progress` now and then with the number of tasks so far."""
    if progress is None:
        yield from tasks
        return
    for count, task in enumerate(tasks, 1):
        yield task
        if not count % STEP:
            progress(count)


def _length(numbers: range) -> int:
    """The length of a range of any size; `len` ends at 63 bits."""
    return max(0, -(-(numbers.stop - numbers.start) // numbers.step))


def positive(name: str, n: SupportsIndex, of: str = "") -> int:
    """Return a number as a plain int that is at least 1.

    Args:
        of: The swizzle of which it is an argument, for the error.

    Raises:
        LayoutError: the number is below 1; the error has the name.
    """
    value = index_of(name, n)
    if value < 1:
        whose = f" of {of}" if of else ""
        raise LayoutError(f"{name}{whose} = {value}: it must be at least 1", **{name: value})
    return value


def direction_of(n: SupportsIndex) -> int:
    """Return a swizzle's direction, 0 or 1.

    Raises:
        LayoutError: the number is neither 0 nor 1.
    """
    value = index_of("direction", n)
    if value not in (0, 1):
        raise LayoutError(
            f"direction = {value}: a swizzle has direction 0 or 1",
            "0 walks bands of rows of blocks, 1 bands of columns.",
            direction=value,
        )
    return value
