# SPDX-License-Identifier: Apache-2.0
"""Nested loops over two memories: what a copy is made of.

>>> box = Box(0, 0, (Loop(3, 1, 4), Loop(4, 3, 1)))
>>> box.span(0), box.span(1)
((0, 11), (0, 11))
"""

from __future__ import annotations

from typing import NamedTuple

from ..errors import KindError
from ..ground import described


class Loop(NamedTuple):
    """A loop of a copy: how often it runs, and what a step adds to either offset.

    >>> Loop(3, 1, 4).steps
    (1, 4)
    """

    extent: int
    source: int
    target: int

    @property
    def steps(self) -> tuple[int, int]:
        """What a step adds to the offset of the source, side 0, and of the target, side 1."""
        return self.source, self.target

    def __repr__(self) -> str:
        return f"Loop({self.extent}, {self.source}, {self.target})"


class Box(NamedTuple):
    """Some nested loops, the outermost first, and the offsets at which they begin.

    >>> box = Box(5, 0, (Loop(3, 1, 4), Loop(2, 10, -1)))
    >>> box.starts, box.span(0), box.span(1)
    ((5, 0), (5, 17), (-1, 8))
    """

    source: int
    target: int
    loops: tuple[Loop, ...]

    @property
    def starts(self) -> tuple[int, int]:
        """The first offset of the source, side 0, and of the target, side 1."""
        return self.source, self.target

    def span(self, side: int) -> tuple[int, int]:
        """The least and the greatest offset of the source, side 0, or of the target, side 1."""
        if side not in (0, 1):
            what = f"side is 0, the source, or 1, the target, not {described(side)}"
            raise KindError(what, value=side)
        reaches = [(loop.extent - 1) * loop.steps[side] for loop in self.loops]
        base = self.starts[side]
        return base + sum(r for r in reaches if r < 0), base + sum(r for r in reaches if r > 0)
