# SPDX-License-Identifier: Apache-2.0
"""The costs of a schedule: the balance of the cores, the bytes read and written, and those from L2.

>>> from tla.ascend.schedules import identity
>>> schedule = identity((4096, 4096, 4096), (128, 256, 256), offset=3, direction=0)
>>> balance = schedule.balance()
>>> balance.rounds, balance.idle, round(balance.efficiency, 3)
(22, 0, 0.97)
>>> traffic = schedule.traffic("half")
>>> traffic.read >> 20, traffic.written >> 20
(1536, 32)
>>> in_rows = identity((4096, 4096, 4096), (128, 256, 256), offset=1)
>>> schedule.l2_reuse("half").per_round >> 20, in_rows.l2_reuse("half").per_round >> 20
(416, 731)
"""

from __future__ import annotations

from bisect import bisect_left
from collections import OrderedDict
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from ...errors import LayoutError
from ...numbers import ceil_div
from ..elements import accumulator, element
from .tasks import STEP, positive

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..elements import Element
    from .tasks import Assignment, Task


class Balance(NamedTuple):
    """The work of each core, in MACs, so that a cut tile at an edge counts only its own elements.

    >>> from tla.ascend.schedules import identity
    >>> balance = identity((100, 60, 32), (48, 32, 16), cores=4).balance()
    >>> balance.work, balance.tasks, balance.rounds
    ((53248, 46592, 43008, 49152), (2, 2, 1, 1), 2)
    """

    work: tuple[int, ...]
    """The MACs of each core."""
    tasks: tuple[int, ...]
    """The tasks of each core."""
    rounds: int
    """The greatest number of turns of a core."""

    @property
    def most(self) -> int:
        """The MACs of the busiest core."""
        return max(self.work)

    @property
    def mean(self) -> float:
        return sum(self.work) / len(self.work)

    @property
    def idle(self) -> int:
        """The number of cores without work."""
        return self.work.count(0)

    @property
    def efficiency(self) -> float:
        """The mean over the most: the part of the cores' time that is work, if all MACs are as fast."""
        return sum(self.work) / (len(self.work) * self.most)


def balance(schedule: Assignment) -> Balance:
    """Return the balance of the work of a schedule over its cores."""
    return tally(schedule)[0]


class Traffic(NamedTuple):
    """The bytes that cores read from memory, L2 or not, and write to it.

    >>> from tla.ascend.schedules import identity
    >>> traffic = identity((96, 64, 32), (48, 32, 16), cores=4).traffic("half")
    >>> traffic.a, traffic.b, traffic.c  # A is read once for each of 2 columns of tiles
    (12288, 8192, 12288)
    """

    a: int
    """The bytes read of A."""
    b: int
    """The bytes read of B."""
    c: int
    """The bytes written of C."""
    workspace_written: int
    """The bytes written of partial sums."""
    workspace_read: int
    """The bytes read of partial sums, to add them up."""

    @property
    def read(self) -> int:
        return self.a + self.b + self.workspace_read

    @property
    def written(self) -> int:
        return self.c + self.workspace_written

    @property
    def total(self) -> int:
        return self.read + self.written


def traffic(
    schedule: Assignment,
    element_a: str | Element,
    element_b: str | Element | None = None,
    element_c: str | Element | None = None,
) -> Traffic:
    """Return the bytes that the tasks of a schedule read and write.

    A task of m x n x k reads m*k elements of A and k*n of B, unless its core has kept them from the task
    before (`Schedule.STAYS`). It writes m*n elements of C. A partial sum goes to the workspace as
    accumulators, and a last step reads all of them and writes C once. If a core adds to its earlier
    sums, it writes m*n accumulators each time: to C if C has accumulators, otherwise to a workspace that
    a last step reads once.

    Raises:
        LayoutError: the tasks are no blocks of a product of matrices.
    """
    of_a = element(element_a)
    of_b = of_a if element_b is None else element(element_b)
    of_c = of_a if element_c is None else element(element_c)
    accumulator(of_a, of_b)  # raises before the walk over the tasks
    _require_product(schedule)
    return tally(schedule)[1].traffic(of_a, of_b, of_c)


def _require_product(schedule: Assignment) -> None:
    if not schedule.IS_PRODUCT:
        raise LayoutError(
            f"the bytes of {schedule.swizzle} are not counted: its tasks are no blocks of a product A B",
            "`balance` and `proof` take every schedule.",
            swizzle=schedule.swizzle,
        )


class Elements(NamedTuple):
    """The elements that the tasks of a schedule read and write, whatever their types."""

    a: int
    b: int
    direct: int
    """The elements of C in blocks that are no partial sums."""
    added: int
    """The elements among these that a core adds to earlier sums."""
    partial: int
    """The elements of partial sums."""
    finished: int
    """The elements of C that partial sums make."""

    def traffic(self, a: Element, b: Element, c: Element) -> Traffic:
        """The bytes, by the types of A, B and C."""
        sums, once = accumulator(a, b), self.direct - self.added
        if not self.added:
            to_c, to_workspace, read_again = self.direct + self.finished, self.partial, self.partial
        elif c == sums:
            to_c, to_workspace, read_again = self.direct, 0, 0
        else:
            to_c, to_workspace, read_again = once, self.direct, once
        return Traffic(
            a.bytes_of(self.a),
            b.bytes_of(self.b),
            c.bytes_of(to_c),
            sums.bytes_of(to_workspace),
            sums.bytes_of(read_again),
        )


def tally(
    schedule: Assignment, progress: Callable[[int], None] | None = None
) -> tuple[Balance, Elements]:
    """Return the balance of a schedule, and the elements that it moves, in one pass over its tasks.

    Args:
        progress: A function that gets the number of tasks so far, now and then.
    """
    work, tasks = [0] * schedule.cores, [0] * schedule.cores
    rounds = a = b = direct = added = partial = finished = 0
    reads = _Reads(schedule)
    for task in schedule.walk(progress):
        m, n, k = task.shape
        work[task.core] += m * n * k
        tasks[task.core] += 1
        rounds = max(rounds, task.round + 1)
        of = reads.of(task)
        a += m * k if "A" in of else 0
        b += k * n if "B" in of else 0
        if task.partial:
            partial += m * n
            finished += m * n if task.start.k == 0 else 0
        else:
            direct += m * n
            added += m * n if task.adds else 0
    elements = Elements(a, b, direct, added, partial, finished)
    return Balance(tuple(work), tuple(tasks), rounds), elements


class Reuse(NamedTuple):
    """The bytes of A and B that the cores read, and how many of them come from global memory.

    >>> from tla.ascend.schedules import identity
    >>> reuse = identity((96, 64, 32), (48, 32, 16), cores=4).l2_reuse("half")
    >>> reuse.read, reuse.from_gm, reuse.once
    (20480, 10240, 10240)
    """

    read: int
    """The bytes that the cores read."""
    per_round: int
    """The bytes from global memory if nothing stays in L2 from one turn to the next."""
    from_gm: int
    """The bytes from global memory with an L2 of this capacity."""
    once: int
    """The bytes of A and B, each once: the least possible."""
    capacity: int
    """The bytes of L2."""
    a_from_gm: int
    """The bytes of A in `from_gm`; the rest is of B."""

    @property
    def from_l2(self) -> int:
        return self.read - self.from_gm

    @property
    def hits(self) -> float:
        """The part of the bytes that comes from L2."""
        return self.from_l2 / self.read


class _Reads:
    """The operands that each task reads: A, B, both or neither, as its core may have kept some in L1.

    Call `of` for the tasks of a core in the order of its turns.
    """

    def __init__(self, schedule: Assignment) -> None:
        self._stays = schedule.STAYS
        self._before: dict[int, Task] = {}

    def of(self, task: Task) -> str:
        """The operands that the task reads: ``AB``, ``A``, ``B`` or ``""``."""
        before = self._before.get(task.core) if self._stays else None
        self._before[task.core] = task
        if before is None or (before.start.k, before.shape.k) != (task.start.k, task.shape.k):
            return "AB"
        same = ("A" if before.coord.m == task.coord.m else "") + (
            "B" if before.coord.n == task.coord.n else ""
        )
        return "".join(x for x in "AB" if x not in same or x not in self._stays)


_Panel: TypeAlias = "tuple[str, int, int, int, int]"
"""The name A or B, the group, the tile's row or column, and the begin and end in K."""


class _L2:
    """The panels in L2, the oldest first, each with its range of rows or columns."""

    def __init__(self, bits: dict[str, int]) -> None:
        self._bits = bits
        self._size = 0
        self._there: OrderedDict[_Panel, tuple[int, int]] = OrderedDict()

    def size(self, panel: _Panel, extent: int) -> int:
        """The bits of `extent` rows or columns of a panel."""
        of, _, _, begin, end = panel
        return self._bits[of] * extent * (end - begin)

    def take(self, panel: _Panel, low: int, high: int) -> int:
        """Put a panel into L2 as the youngest, and return the bits that were not there."""
        a, b = self._there.pop(panel, (low, low))
        low, high = min(a, low), max(b, high)
        new = self.size(panel, high - low - (b - a))
        self._size += new
        self._there[panel] = low, high
        return new

    def keep(self, most: int) -> None:
        """Drop the oldest panels until the others have at most `most` bits."""
        while self._size > most:
            panel, (a, b) = self._there.popitem(last=False)
            self._size -= self.size(panel, b - a)


def l2_reuse(
    schedule: Assignment,
    element_a: str | Element,
    element_b: str | Element | None = None,
    *,
    capacity: int,
    progress: Callable[[int], None] | None = None,
) -> Reuse:
    """Return an estimate of the bytes that the cores read from L2 and from global memory.

    The model: a panel is a tile's rows of A, or its columns of B, between two neighbouring cuts of K.
    All cores take their turns together, and go through K together. So a panel that several cores read in
    one turn comes from global memory once, even if it does not fit L2. At the end of a turn its panels
    are the youngest in L2, and the oldest leave until the rest fits the capacity. A panel that is still
    there is not read from global memory again. C takes no room in L2, and no two panels compete for one
    place.

    Args:
        capacity: The bytes of L2.
        progress: A function that gets the number of tasks so far, now and then. If K is cut, there are
            two passes over all tasks.

    Raises:
        LayoutError: the tasks are no blocks of a product of matrices; the capacity is below 1.
    """
    of_a = element(element_a)
    of_b = of_a if element_b is None else element(element_b)
    positive("capacity", capacity)
    _require_product(schedule)
    l2 = _L2({"A": of_a.bits, "B": of_b.bits})
    read = per_round = from_gm = a_from_gm = count = 0
    cuts, reads = _cuts(schedule, progress), _Reads(schedule)
    for turn in _turns(schedule):
        panels: dict[_Panel, tuple[int, int]] = {}
        for task in turn:
            of = reads.of(task)
            for panel, low, high in _panels(task, cuts):
                if panel[0] not in of:
                    continue
                read += l2.size(panel, high - low)
                a, b = panels.get(panel, (low, high))
                panels[panel] = min(a, low), max(b, high)
        for panel, (low, high) in panels.items():
            per_round += l2.size(panel, high - low)
            new = l2.take(panel, low, high)
            from_gm += new
            a_from_gm += new if panel[0] == "A" else 0
        l2.keep(8 * capacity)
        count += len(turn)
        if progress is not None and count % STEP < len(turn):
            progress(count)
    once = sum((of_a.bits * m + of_b.bits * n) * k for m, n, k in schedule.products)
    bits = (read, per_round, from_gm, once, a_from_gm)
    read, per_round, from_gm, once, a_from_gm = (ceil_div(x, 8) for x in bits)
    return Reuse(read, per_round, from_gm, once, capacity, a_from_gm)


def _turns(schedule: Assignment) -> Iterator[list[Task]]:
    """The tasks of each turn, all cores together."""
    ahead = [(next(tasks, None), tasks) for tasks in schedule.walk_by_core()]
    turn = 0
    while ahead := [(task, tasks) for task, tasks in ahead if task is not None]:
        together: list[Task] = []
        rest: list[tuple[Task | None, Iterator[Task]]] = []
        for first, tasks in ahead:
            task: Task | None = first
            while task is not None and task.round == turn:
                together.append(task)
                task = next(tasks, None)
            rest.append((task, tasks))
        yield together
        ahead = rest
        turn += 1


def _cuts(
    schedule: Assignment, progress: Callable[[int], None] | None
) -> dict[tuple[str, int, int], list[int]]:
    """The places in K where tasks begin and end, for each tile's rows of A and columns of B."""
    cuts: dict[tuple[str, int, int], set[int]] = {}
    for task in schedule.walk(progress) if schedule.factor > 1 else ():
        for of in _operands(task):
            cuts.setdefault(of, set()).update((task.start.k, task.end.k))
    return {of: sorted(ends) for of, ends in cuts.items()}


def _operands(task: Task) -> tuple[tuple[str, int, int], tuple[str, int, int]]:
    return ("A", task.group, task.coord.m), ("B", task.group, task.coord.n)


def _panels(
    task: Task, cuts: dict[tuple[str, int, int], list[int]]
) -> Iterator[tuple[_Panel, int, int]]:
    """The panels that a task reads, cut at all cuts of K, each with its range of rows or columns."""
    (i, j, k), (m, n, end) = task.start, task.end
    a, b = _operands(task)
    for of, low, high in ((a, i, m), (b, j, n)):
        ends = cuts.get(of, (k, end))
        for at in range(bisect_left(ends, k), bisect_left(ends, end)):
            yield (*of, ends[at], ends[at + 1]), low, high
