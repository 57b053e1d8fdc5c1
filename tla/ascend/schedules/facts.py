"""What a schedule costs: the balance of the cores, the bytes read and written, the part of them from L2.

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

from ..elements import accumulator, element
from .schedule import count

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..elements import Element
    from .schedule import Schedule, Task

__all__ = ["Balance", "Reuse", "Traffic", "balance", "l2_reuse", "traffic"]


class Balance(NamedTuple):
    """How much each core does. Work is in MACs, so that a tile at an edge counts as what it is."""

    work: tuple[int, ...]
    """The MACs of each core."""
    tasks: tuple[int, ...]
    """The tasks of each core."""
    rounds: int
    """How many turns the core with the most of them takes."""

    @property
    def most(self) -> int:
        """The MACs of the busiest core."""
        return max(self.work)

    @property
    def mean(self) -> float:
        return sum(self.work) / len(self.work)

    @property
    def idle(self) -> int:
        """How many cores have nothing to do."""
        return self.work.count(0)

    @property
    def efficiency(self) -> float:
        """The mean over the most: the part of the cores' time that is work, if all MACs take alike."""
        return sum(self.work) / (len(self.work) * self.most)


def balance(schedule: Schedule) -> Balance:
    """Return how the work of a schedule is spread over its cores."""
    work, tasks = [0] * schedule.cores, [0] * schedule.cores
    rounds = 0
    for task in schedule.tasks:
        work[task.core] += task.macs
        tasks[task.core] += 1
        rounds = max(rounds, task.round + 1)
    return Balance(tuple(work), tuple(tasks), rounds)


class Traffic(NamedTuple):
    """The bytes that cores ask of memory and give to it, wherever they come from."""

    a: int
    """Of A read."""
    b: int
    """Of B read."""
    c: int
    """Of C written."""
    workspace_written: int
    """Partial sums written."""
    workspace_read: int
    """Partial sums read again, to be added up."""

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
    schedule: Schedule,
    element_a: str | Element,
    element_b: str | Element | None = None,
    element_c: str | Element | None = None,
) -> Traffic:
    """Return the bytes that the tasks of a schedule read and write.

    A task of m x n x k reads m*k elements of A and k*n of B, but for what its core has kept from the
    task before (`Schedule.STAYS`). It writes m*n of C; a partial sum goes to
    the workspace as accumulators, and a last step reads all of them and writes C once. Where a core adds
    to what it has written, each time writes m*n accumulators: to C, if its elements are accumulators,
    else to a workspace that a last step reads once.
    """
    of_a = element(element_a)
    of_b = of_a if element_b is None else element(element_b)
    of_c = of_a if element_c is None else element(element_c)
    sums = accumulator(of_a, of_b)
    a = b = direct = partial = added = finished = 0
    reads = _Reads(schedule)
    for task in schedule.tasks:
        m, n, k = task.shape
        of = reads.of(task)
        a += m * k if "A" in of else 0
        b += k * n if "B" in of else 0
        if task.partial:
            partial += m * n
            finished += m * n if task.start.k == 0 else 0
        else:
            direct += m * n
            added += m * n if task.adds else 0
    if not added:
        c, written, again = direct + finished, partial, partial
    elif of_c == sums:
        c, written, again = direct, 0, 0
    else:
        c, written, again = direct - added, direct, direct - added
    return Traffic(
        of_a.bytes_of(a),
        of_b.bytes_of(b),
        of_c.bytes_of(c),
        sums.bytes_of(written),
        sums.bytes_of(again),
    )


class Reuse(NamedTuple):
    """How many of the bytes of A and B that are read come from global memory, the rest from L2."""

    read: int
    """What the cores read."""
    per_round: int
    """From global memory, if nothing stays in L2 from one turn to the next."""
    from_gm: int
    """From global memory, with an L2 of the given capacity."""
    once: int
    """A and B, each byte once: the least there is."""
    capacity: int

    @property
    def from_l2(self) -> int:
        return self.read - self.from_gm

    @property
    def hits(self) -> float:
        """The part of the bytes read that comes from L2."""
        return self.from_l2 / self.read


class _Reads:
    """What each task reads, A and B or one of them: its core may have kept the other.

    The tasks of a core are to be asked for in the order of its turns.
    """

    def __init__(self, schedule: Schedule) -> None:
        self._stays = schedule.STAYS
        self._before: dict[int, Task] = {}

    def of(self, task: Task) -> str:
        """What the task reads: ``AB``, ``A`` or ``B``, or nothing."""
        before = self._before.get(task.core) if self._stays else None
        self._before[task.core] = task
        if before is None or (before.start.k, before.shape.k) != (task.start.k, task.shape.k):
            return "AB"
        same = ("A" if before.coord.m == task.coord.m else "") + (
            "B" if before.coord.n == task.coord.n else ""
        )
        return "".join(x for x in "AB" if x not in same or x not in self._stays)


_Panel: TypeAlias = "tuple[str, int, int, int, int]"
"""A or B, its group, the tile's rows or columns, and where it begins and ends in K."""


def l2_reuse(
    schedule: Schedule,
    element_a: str | Element,
    element_b: str | Element | None = None,
    capacity: int = 0,
) -> Reuse:
    """Estimate how many of the bytes read come from L2.

    The model: a panel is a tile's rows of A, or its columns of B, from one end of a task in K to the
    next. The cores take
    their turns together, and step through K together, so that a panel that several of them read in one
    turn comes from global memory once, whether or not it fits L2. At the end of a turn its panels are
    the youngest in L2, and the oldest leave until what is there fits the capacity; a panel still there
    is not read from global memory again. C passes by, and no two panels are in each other's way.

    Args:
        capacity: The bytes of L2.
    """
    of_a = element(element_a)
    of_b = of_a if element_b is None else element(element_b)
    bits = {"A": of_a.bits, "B": of_b.bits}
    count("capacity", capacity)

    def size(panel: _Panel, extent: int) -> int:
        return bits[panel[0]] * extent * (panel[4] - panel[3])

    read = per_round = from_gm = held = 0
    resident: OrderedDict[_Panel, tuple[int, int]] = OrderedDict()
    cuts, reads = _cuts(schedule), _Reads(schedule)
    for turn in _turns(schedule):
        wanted: dict[_Panel, tuple[int, int]] = {}
        for task in turn:
            of = reads.of(task)
            for panel, low, high in _panels(task, cuts):
                if panel[0] not in of:
                    continue
                read += size(panel, high - low)
                a, b = wanted.get(panel, (low, high))
                wanted[panel] = min(a, low), max(b, high)
        for panel, (low, high) in wanted.items():
            per_round += size(panel, high - low)
            a, b = resident.pop(panel, (low, low))
            new = size(panel, max(b, high) - min(a, low) - (b - a))
            from_gm += new
            held += new
            resident[panel] = min(a, low), max(b, high)
        while held > 8 * capacity:
            panel, (a, b) = resident.popitem(last=False)
            held -= size(panel, b - a)
    m, n, k = schedule.problem
    once = of_a.bits * m * k + of_b.bits * n * k * schedule.groups
    read, per_round, from_gm, once = (-(-x // 8) for x in (read, per_round, from_gm, once))
    return Reuse(read, per_round, from_gm, once, capacity)


def _turns(schedule: Schedule) -> Iterator[list[Task]]:
    """The tasks of each turn, all cores together."""
    cores = [map(schedule.task, schedule.numbers(core)) for core in range(schedule.cores)]
    ahead = [next(tasks, None) for tasks in cores]
    turn = 0
    while any(task is not None for task in ahead):
        together: list[Task] = []
        for core, tasks in enumerate(cores):
            task = ahead[core]
            while task is not None and task.round == turn:
                together.append(task)
                task = ahead[core] = next(tasks, None)
        yield together
        turn += 1


def _cuts(schedule: Schedule) -> dict[tuple[str, int, int], list[int]]:
    """Where in K the tasks begin and end, for each tile's rows of A and columns of B."""
    cuts: dict[tuple[str, int, int], set[int]] = {}
    for task in schedule.tasks if schedule.factor > 1 else ():
        for of in _operands(task):
            cuts.setdefault(of, set()).update((task.start.k, task.end.k))
    return {of: sorted(ends) for of, ends in cuts.items()}


def _operands(task: Task) -> tuple[tuple[str, int, int], tuple[str, int, int]]:
    return ("A", task.group, task.coord.m), ("B", task.group, task.coord.n)


def _panels(
    task: Task, cuts: dict[tuple[str, int, int], list[int]]
) -> Iterator[tuple[_Panel, int, int]]:
    """The panels that a task reads, cut where any task cuts them, and which rows or columns of each."""
    (i, j, k), (m, n, end) = task.start, task.end
    a, b = _operands(task)
    for of, low, high in ((a, i, m), (b, j, n)):
        ends = cuts.get(of, (k, end))
        for at in range(bisect_left(ends, k), bisect_left(ends, end)):
            yield (*of, ends[at], ends[at + 1]), low, high
