# SPDX-License-Identifier: Apache-2.0
"""Schedules of several products on the same cores: groups of M or of K, batches, lists.

The tasks of one product follow those of another without a gap: task t of all of them is on core
``t % cores`` in turn ``t // cores``. So a product starts on the core after the last one of the product
before. Inside a product the order is that of a swizzle.

>>> from tla.ascend.schedules import in_groups
>>> schedule = in_groups([(300, 256, 64), (0, 256, 64), (212, 256, 64)], (128, 256, 64), cores=4)
>>> [(task.core, task.group, task.start.m, task.shape.m) for task in schedule.tasks]
[(0, 0, 0, 128), (1, 0, 128, 128), (2, 0, 256, 44), (3, 2, 300, 128), (0, 2, 428, 84)]
>>> schedule.proof().points == 512 * 256 * 64
True

Source: CATLASS gemm/kernel/grouped_matmul_slice_m.hpp, grouped_matmul_slice_k.hpp, grouped_matmul.hpp,
batched_matmul.hpp and their TLA forms; block_scheduler_aswt.hpp, with ``isGmm_``.
"""

from __future__ import annotations

import operator
from bisect import bisect_right
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING, Literal, TypeAlias

from ...errors import LayoutError
from ..shapes import GemmCoord
from .by_tile import identity
from .cover import CoverError, Proof, prove
from .schedule import Schedule
from .window import aswt

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..shapes import ShapeLike
    from .order import Bands
    from .tasks import Task

Axis: TypeAlias = Literal["m", "k", "batch", "list"]
"""How products lie in A, B and C: as rows of one A and C, as slices of K, or each on its own, all with
the same extents or with any."""


def _along(axis: Axis, extents: Sequence[int]) -> GemmCoord:
    """A vector along the axis on which products are laid end to end."""
    end = sum(extents)
    return GemmCoord(0, 0, end) if axis == "k" else GemmCoord(end, 0, 0)


class InGroups(Schedule):
    """The tasks of several products, one product after another."""

    __slots__ = ("_covered", "_ends", "_origins", "_parts", "_used", "bands", "problems")

    problems: tuple[GemmCoord, ...]
    """The extents of each product; one may be empty."""

    def __init__(
        self,
        problems: Sequence[GemmCoord],
        tile: ShapeLike,
        axis: Axis,
        cores: int,
        swizzle: str,
        order: Callable[[GemmCoord, bool], Schedule],
        fills: bool = False,
    ) -> None:
        index = "mnk".index("k" if axis == "k" else "m")
        lengths = [problem[index] for problem in problems]
        most = [max((problem[i] for problem in problems), default=0) for i in range(3)]
        most[index] = sum(lengths)
        super().__init__(most, tile, cores, swizzle)
        self.problems = tuple(problems)
        starts = [end - length for end, length in zip(accumulate(lengths), lengths, strict=True)]
        self._covered = [
            problem._replace(k=1) if fills and not problem.k else problem for problem in problems
        ]
        self._used = [i for i, problem in enumerate(self._covered) if min(problem) > 0]
        self._origins = [_along(axis, [starts[i]]) for i in self._used]
        self._parts: list[Schedule] = []
        self._ends: list[int] = []
        for i in self._used:
            is_last = i == len(problems) - 1
            part = order(self._covered[i], is_last)
            start = self._ends[-1] if self._ends else 0
            if part.last_blocks and start % self.cores:
                raise LayoutError(
                    f"{swizzle} cuts the last turn as if group {i} began at core 0, and it begins at "
                    f"core {start % self.cores}: tiles of C are lost",
                    "GemmGroupedAswtTailSplitSwizzle is right there.",
                    group=i, core=start % self.cores,
                )  # fmt: skip
            self._parts.append(part)
            self._ends.append(start + part.count)
        if self._parts:
            self.bands: Bands = self._parts[-1].bands
        down = sum(part.blocks // part.loops.n for part in self._parts)
        self.loops: GemmCoord = self.loops._replace(
            m=down, n=max((p.loops.n for p in self._parts), default=0)
        )

    @property
    def count(self) -> int:
        return self._ends[-1] if self._ends else 0

    @property
    def blocks(self) -> int:
        return sum(part.blocks for part in self._parts)

    @property
    def products(self) -> tuple[GemmCoord, ...]:
        return tuple(problem for problem in self.problems if min(problem) > 0)

    @property
    def last_blocks(self) -> dict[int, GemmCoord]:
        return self._parts[-1].last_blocks if self._parts else {}

    def task(self, number: int) -> Task:
        at = bisect_right(self._ends, number)
        part, begin = self._parts[at], self._ends[at - 1] if at else 0
        task = part.task(number - begin)
        turn, core = divmod(number, self.cores)
        if part.last_blocks:  # its pieces have cores of their own
            turn, core = begin // self.cores + task.round, task.core
        start = GemmCoord(*map(operator.add, self._origins[at], task.start))
        group = self._used[at]
        shape = task.shape._replace(k=min(task.shape.k, self.problems[group].k))
        return task._replace(number=number, core=core, round=turn, start=start, shape=shape, group=group)

    def runs(self, core: int) -> tuple[range, ...]:
        if not self.last_blocks:
            return super().runs(core)
        begin = self._ends[-2] if len(self._ends) > 1 else 0
        last = [range(begin + r.start, begin + r.stop, r.step) for r in self._parts[-1].runs(core)]
        return (range(core, begin, self.cores), *last)

    def proof(self, progress: Callable[[int], None] | None = None) -> Proof:
        """Prove that every element of each product lies in exactly one task of that product.

        Without K it is every element of C.
        """
        origins = dict(zip(self._used, self._origins, strict=True))
        tasks: dict[int, list[Task]] = {i: [] for i in origins}
        for task in self.walk(progress):
            start = GemmCoord(*map(operator.sub, task.start, origins[task.group]))
            shape = task.shape._replace(k=max(task.shape.k, 1))
            tasks[task.group].append(task._replace(start=start, shape=shape))
        for i, own in tasks.items():
            try:
                prove(self._covered[i], own)
            except CoverError as error:
                summary = f"group {i}: {error.summary}"
                raise CoverError(summary, *error.details, **error.data) from None
        return Proof(self.problem, self.count, self.problems)


def in_bands(
    problems: Sequence[GemmCoord], tile: ShapeLike, axis: Axis, cores: int, fills: bool,
    offset: int = 1, direction: int = 0,
) -> InGroups:  # fmt: skip
    """Return the schedule of products, each in the order of `identity`."""

    @cache
    def bands(problem: GemmCoord, is_last: bool) -> Schedule:
        return identity(problem, tile, offset, direction, cores=cores)

    swizzle = f"GemmIdentityBlockSwizzle<{offset},{direction}>"
    return InGroups(problems, tile, axis, cores, swizzle, bands, fills)


def in_windows(
    problems: Sequence[GemmCoord], tile: ShapeLike, axis: Axis, cores: int, fills: bool, *_shapes: str
) -> InGroups:
    """Return the schedule of products, each in the order of `aswt`.

    Raises:
        LayoutError: it would lose tiles: it cuts those of a last group that does not begin at core 0.
    """
    ends = accumulate(aswt(p, tile, cores=cores, split=False).count for p in problems if min(p) > 0)
    busy = [(end - 1) % cores + 1 for end in ends][-1]
    cuts = 2 * busy <= cores
    swizzle = "BlockSchedulerAswt<L1TileShape,L0TileShape,true>"
    if cuts and min(problems[-1]) == 0:
        raise LayoutError(
            f"{swizzle} gives idle cores tiles of the last group, which is empty: they write past C",
            "GemmGroupedAswtTailSplitSwizzle is right there.",
            group=len(problems) - 1,
        )

    def windows(problem: GemmCoord, is_last: bool) -> Schedule:
        return aswt(problem, tile, cores=cores, split=is_last and cuts)

    return InGroups(problems, tile, axis, cores, swizzle, windows, fills)
