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

from ...numbers import ceil_div
from ..elements import accumulator, element
from .tasks import STEP, positive

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..elements import Element
    from .tasks import Assignment, Task


class Balance(NamedTuple):
    """How much each core does. Work is in MACs, so that a tile at an edge counts as what it is.

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


def balance(schedule: Assignment) -> Balance:
    """Return how the work of a schedule is spread over its cores."""
    return tally(schedule)[0]


class Traffic(NamedTuple):
    """The bytes that cores read from memory and write to it, from L2 or not.

    >>> from tla.ascend.schedules import identity
    >>> traffic = identity((96, 64, 32), (48, 32, 16), cores=4).traffic("half")
    >>> traffic.a, traffic.b, traffic.c  # A is read once for each of 2 columns of tiles
    (12288, 8192, 12288)
    """

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
    schedule: Assignment,
    element_a: str | Element,
    element_b: str | Element | None = None,
    element_c: str | Element | None = None,
) -> Traffic:
    """Return the bytes that the tasks of a schedule read and write.

    A task of m x n x k reads m*k elements of A and k*n of B, but for what its core has kept from the
    task before (`Schedule.STAYS`). It writes m*n of C; a partial sum goes to the workspace as
    accumulators, and a last step reads all of them and writes C once. Where a core adds to what it has
    written, each time writes m*n accumulators: to C, if its elements are accumulators, else to a
    workspace that a last step reads once.
    """
    of_a = element(element_a)
    of_b = of_a if element_b is None else element(element_b)
    of_c = of_a if element_c is None else element(element_c)
    accumulator(of_a, of_b)  # raises before the walk over the tasks
    return tally(schedule)[1].traffic(of_a, of_b, of_c)


class Moved(NamedTuple):
    """The elements that the tasks of a schedule read and write, whatever their types."""

    a: int
    b: int
    direct: int
    """Of blocks that are no partial sums."""
    added: int
    """Of those among them that are added to what is there."""
    partial: int
    """Of partial sums."""
    finished: int
    """Of the blocks that partial sums make."""

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


def tally(schedule: Assignment, progress: Callable[[int], None] | None = None) -> tuple[Balance, Moved]:
    """Return the balance of a schedule, and the elements that it moves, in one walk over its tasks.

    Args:
        progress: Called now and then with the number of tasks seen.
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
    moved = Moved(a, b, direct, added, partial, finished)
    return Balance(tuple(work), tuple(tasks), rounds), moved


class Reuse(NamedTuple):
    """How many of the bytes of A and B that are read come from global memory, the rest from L2.

    >>> from tla.ascend.schedules import identity
    >>> reuse = identity((96, 64, 32), (48, 32, 16), cores=4).l2_reuse("half")
    >>> reuse.read, reuse.from_gm, reuse.once
    (20480, 10240, 10240)
    """

    read: int
    """What the cores read."""
    per_round: int
    """From global memory, if nothing stays in L2 from one turn to the next."""
    from_gm: int
    """From global memory, with an L2 of the given capacity."""
    once: int
    """A and B, each byte once: the least there is."""
    capacity: int
    a_from_gm: int
    """What of `from_gm` is of A; the rest is of B."""

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

    def __init__(self, schedule: Assignment) -> None:
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


class _L2:
    """The panels in L2, the oldest first, and which rows or columns of each are there."""

    def __init__(self, bits: dict[str, int]) -> None:
        self._bits = bits
        self._held = 0
        self._there: OrderedDict[_Panel, tuple[int, int]] = OrderedDict()

    def size(self, panel: _Panel, extent: int) -> int:
        """The bits of `extent` rows or columns of a panel."""
        of, _, _, begin, end = panel
        return self._bits[of] * extent * (end - begin)

    def take(self, panel: _Panel, low: int, high: int) -> int:
        """The bits of a panel that are not there; then they are, and it is the youngest."""
        a, b = self._there.pop(panel, (low, low))
        low, high = min(a, low), max(b, high)
        new = self.size(panel, high - low - (b - a))
        self._held += new
        self._there[panel] = low, high
        return new

    def keep(self, most: int) -> None:
        """Drop the oldest panels until the others take at most `most` bits."""
        while self._held > most:
            panel, (a, b) = self._there.popitem(last=False)
            self._held -= self.size(panel, b - a)


def l2_reuse(
    schedule: Assignment,
    element_a: str | Element,
    element_b: str | Element | None = None,
    *,
    capacity: int,
    progress: Callable[[int], None] | None = None,
) -> Reuse:
    """Estimate how many of the bytes read come from L2.

    The model: a panel is a tile's rows of A, or its columns of B, from one end of a task in K to the
    next. The cores take their turns together, and step through K together, so that a panel that several
    of them read in one turn comes from global memory once, whether or not it fits L2. At the end of a
    turn its panels are the youngest in L2, and the oldest leave until what is there fits the capacity; a
    panel still there is not read from global memory again. C passes by, and no two panels are in each
    other's way.

    Args:
        capacity: The bytes of L2.
        progress: Called now and then with the number of tasks seen; where K is cut all are seen twice.
    """
    of_a = element(element_a)
    of_b = of_a if element_b is None else element(element_b)
    positive("capacity", capacity)
    l2 = _L2({"A": of_a.bits, "B": of_b.bits})
    read = per_round = from_gm = a_from_gm = seen = 0
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
        seen += len(turn)
        if progress is not None and seen % STEP < len(turn):
            progress(seen)
    m, n, k = schedule.problem
    once = of_a.bits * m * k + of_b.bits * n * k * schedule.groups
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
    """Where in K the tasks begin and end, for each tile's rows of A and columns of B."""
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
    """The panels that a task reads, cut where any task cuts them, and which rows or columns of each."""
    (i, j, k), (m, n, end) = task.start, task.end
    a, b = _operands(task)
    for of, low, high in ((a, i, m), (b, j, n)):
        ends = cuts.get(of, (k, end))
        for at in range(bisect_left(ends, k), bisect_left(ends, end)):
            yield (*of, ends[at], ends[at + 1]), low, high
