"""A schedule: the core and the turn of each block of a product, with its costs and its proof.

>>> from tla.ascend.schedules import identity
>>> schedule = identity((1024, 1024, 1024), (128, 256, 256), cores=20)
>>> schedule.proof().tasks, schedule.balance().rounds, schedule.traffic("half").read >> 20
(32, 2, 24)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ...ground import html_of
from ..arch import AtlasA2
from .cover import prove
from .facts import balance, l2_reuse, traffic
from .picture import timeline
from .tasks import Assignment

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import SupportsIndex

    from ...ground import Timeline
    from ..elements import Element
    from ..shapes import GemmCoord
    from .cover import Proof
    from .facts import Balance, Reuse, Traffic
    from .order import Bands

_MOST_SHOWN: Final = 1 << 17
"""The most tasks of a schedule that a notebook draws. The picture counts the work of all tasks."""


class Schedule(Assignment):
    """The tasks of a product, each on its core in its turn.

    >>> from tla.ascend.schedules import identity
    >>> schedule = identity((96, 64, 32), (48, 32, 16), cores=4)
    >>> schedule
    <GemmIdentityBlockSwizzle<1,0>: (96,64,32) by GemmShape<48,32,16>, 4 tasks on 4 cores>
    >>> schedule[1]
    Block(coord=GemmCoord(m=0, n=1, k=0), shape=GemmCoord(m=48, n=32, k=32))

    Iteration gives blocks in the order of their numbers. `tasks` also has the cores and turns.
    """

    __slots__ = ()

    bands: Bands
    """The order of the blocks, of a schedule that has bands; with groups of rows, that of the last."""

    @property
    def last_blocks(self) -> dict[int, GemmCoord]:
        """The extents of the blocks of a last turn that are cut for idle cores, by their cores."""
        return {}

    def proof(self, progress: Callable[[int], None] | None = None) -> Proof:
        """Prove that every element of M x N x K lies in exactly one task, or raise `CoverError`.

        Args:
            progress: A function that gets the number of tasks so far, now and then.
        """
        self.check_walk(self.count)
        return prove(self.problem, self.tasks, progress)

    def balance(self) -> Balance:
        """The balance of the work over the cores."""
        return balance(self)

    def traffic(
        self,
        element_a: str | Element,
        element_b: str | Element | None = None,
        element_c: str | Element | None = None,
    ) -> Traffic:
        """The bytes that the tasks read and write. By default B and C have the type of A."""
        return traffic(self, element_a, element_b, element_c)

    def l2_reuse(
        self,
        element_a: str | Element,
        element_b: str | Element | None = None,
        capacity: int = AtlasA2.l2,
        progress: Callable[[int], None] | None = None,
    ) -> Reuse:
        """An estimate of the bytes that the cores read from L2; `facts.l2_reuse` states its model."""
        return l2_reuse(self, element_a, element_b, capacity=capacity, progress=progress)

    def _repr_html_(self) -> str | None:
        return html_of(self) if self.count <= _MOST_SHOWN else None

    def figure(self, cores: SupportsIndex = 32, rounds: SupportsIndex = 16) -> Timeline:
        """Return the picture of the schedule, as data; the same as `timeline`."""
        return self.timeline(cores, rounds)

    def timeline(self, cores: SupportsIndex = 32, rounds: SupportsIndex = 16) -> Timeline:
        """The figure of cores by turns: at most `cores` rows by `rounds` columns."""
        return timeline(self, cores, rounds)
