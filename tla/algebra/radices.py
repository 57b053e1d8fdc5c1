# SPDX-License-Identifier: Apache-2.0
"""Whether any layout is a left inverse, on plain ints: a search over radices.

A layout ``R`` with the extents ``r_0, r_1, ...``, whose last mode grows, is a sum of floors:

    ``R(x) == sum_j c_j * (x // P_j)``  with ``P_j == r_0 * ... * r_(j-1)``,

for its coordinate j is ``x // P_j - r_j * (x // P_(j+1))``. Its strides are ``t_0 == c_0``
and ``t_j == c_j + r_(j-1) * t_(j-1)``, so ints ``c`` and ints ``t`` determine each other.

Once the extents are chosen, ``R(A(i)) == i`` are linear equations in ``c``, and are solved exactly over
the ints. It is enough to try primes: where an extent is split in two, ``R`` stays the same function,
with 0 as the new ``c``. Their product is at most the greatest offset of ``A``, beyond which a floor
is 0. So the search ends.

It ends early, since each extent is tested before the next is chosen. Offsets with one ``x // P`` differ
only in the floors by less than ``P``, so their equations hold whatever follows. Among them are the
offsets below ``P``. If their equations have no solution, no greater ``P`` has one.
"""

from __future__ import annotations

from itertools import accumulate, chain, count, islice, pairwise, takewhile
from math import isqrt, prod
from operator import mul
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from ..errors import DivisibilityError
from ..ground import limit_error, limit_of, shortened
from ..layouts import crd2idx
from .coalesce import coalesced
from .composition import composed
from .modes import Modes, of_modes, raw_modes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..layouts import AnyLayout

Factors: TypeAlias = "list[int]"
"""An int ``c`` for each floor of a sum."""

Solutions: TypeAlias = "tuple[Factors, list[Factors]]"
"""Factors that solve the equations so far, and a basis of what may be added to them."""

_FEW = 256
"""Of so many coordinates all are points from the start; of more, those that prove to be needed."""

_SOON = 60
"""So many choices of extents that are strides come first."""


class _Choice(NamedTuple):
    """Extents that are chosen, and what they leave to solve."""

    extents: list[int]
    floors: list[list[int]]
    """For each ``P`` the ``x // P`` of all points."""
    points: list[int]
    """A point for each of the last floors, by size."""
    solutions: Solutions
    most: int
    """No further extent is greater; 0 where all is solved."""


def inverse_modes(name: AnyLayout, moving: list[tuple[int, int, int]]) -> Modes | None:
    """Return the modes of a left inverse, or None if no layout is one.

    Args:
        name: The layout as an error names it.
        moving: The size of each of its modes, the stride, above 0, and how many coordinates lie below.

    Raises:
        LimitError: the ``steps`` of `limits` did not settle it.
    """
    layout, index = (of_modes([(mode[0], mode[k]) for mode in moving]) for k in (1, 2))
    search = _Search(name)
    chosen = _first([s for s, _d, _p in moving])
    while True:
        points = sorted([(layout(i), index(i)) for i in chosen])
        repeats = any(x == y for (x, _i), (y, _j) in pairwise(points))
        choice = None if repeats else search.run(points)
        if choice is None:
            return None
        modes = _modes(choice, layout.cosize)
        wrong = search.wrong(of_modes(coalesced(modes)), layout, index)
        if wrong is None:
            return modes
        chosen.add(wrong)


def _first(sizes: list[int]) -> set[int]:
    """The indices to start with: a box at the origin, or pairs of modes if it is too many, and ends."""
    *weights, size = accumulate(sizes, mul, initial=1)
    side = next(n for n in range(_FEW, 0, -1) if n == 1 or prod([min(s, n) for s in sizes]) <= _FEW)
    box = [0]
    for s, w in zip(sizes, weights, strict=True):
        box = [i + c * w for c in range(min(s, side)) for i in box]
    ends = [c * w for s, w in zip(sizes, weights, strict=True) for c in (1, min(2, s - 1), s - 1)]
    return {*box, *ends, *map(sum, pairwise(weights)), size - 1}


def _modes(choice: _Choice, cosize: int) -> Modes:
    """The modes of the inverse, the last one as long as the offsets reach."""
    extents = [*choice.extents, -(-cosize // prod(choice.extents))]
    factors = choice.solutions[0]
    strides = accumulate(zip([0, *extents], factors), lambda t, x: x[1] + x[0] * t, initial=0)  # noqa: B905
    return list(zip(extents, islice(strides, 1, None), strict=True))


class _Search:
    """The search, with a budget."""

    def __init__(self, name: AnyLayout) -> None:
        self.name, self.work = name, limit_of("steps")
        self.found = [2]
        """The first primes."""
        self.indices: list[int] = []
        """The index of each point."""

    def spend(self, work: int) -> None:
        self.work -= work
        if self.work < 0:
            steps, name = limit_of("steps"), shortened(str(self.name), 200)
            raise limit_error(
                "steps",
                f"whether {name} has a left inverse was not decided within {steps} steps",
                "Its strides do not divide each other, and the time grows with the greatest offset.",
                layout=self.name,
                work=steps,
            )

    def run(self, points: list[tuple[int, int]]) -> _Choice | None:
        """The extents and factors with which all points have their index; fewer extents first."""
        self.indices = [i for _x, i in points]
        start = self.with_floor([], [[x for x, _i in points]], list(range(len(points))), ([], []))
        if not start.most:
            return start
        for is_first in (True, False):  # with strides as extents first, which often do
            queue = [start]
            for choice in queue:
                strides = sorted({choice.floors[-1][k] for k in choice.points}) if is_first else []
                for r in strides or self.primes(choice.most):
                    further = self.chosen(choice, r) if 1 < r <= choice.most else None
                    if further is None:
                        continue
                    if not further.most:
                        return further
                    queue.append(further)
                if is_first and len(queue) > _SOON:
                    break
        return None

    def primes(self, most: int) -> Iterator[int]:
        """The primes up to a number."""
        for k in count():
            if k == len(self.found):
                n = self.found[-1] + 1
                while any(n % p == 0 for p in takewhile(isqrt(n).__ge__, self.found)):
                    n += 1
                self.found.append(n)
            if self.found[k] > most:
                return
            yield self.found[k]

    def chosen(self, choice: _Choice, r: int) -> _Choice | None:
        """A choice with one more extent; None if the points of a block have no solution."""
        self.spend(1 + len(choice.points) // 16)
        floors = [y // r for y in choice.floors[-1]]
        solutions, points = choice.solutions, choice.points[:1]
        for k in choice.points[1:]:
            if floors[k] != floors[points[-1]]:
                points.append(k)
                continue
            solved = self.solved(solutions, choice.floors, k, points[-1])
            if solved is None:
                return None
            solutions = solved
        return self.with_floor([*choice.extents, r], [*choice.floors, floors], points, solutions)

    def with_floor(
        self, extents: list[int], floors: list[list[int]], points: list[int], solutions: Solutions
    ) -> _Choice:
        """A choice whose last floor has a factor too, if that solves all."""
        factors, basis = solutions
        start = solutions = [*factors, 0], [*([*b, 0] for b in basis), [*([0] * len(extents)), 1]]
        for k in points[1:]:
            solved = self.solved(solutions, floors, k, points[0])
            if solved is None:
                return _Choice(extents, floors, points, start, floors[-1][k])
            solutions = solved
        return _Choice(extents, floors, points, solutions, 0)

    def solved(self, solutions: Solutions, floors: list[list[int]], k: int, m: int) -> Solutions | None:
        """The solutions of one more equation: points k and m differ by as much as their indices do.

        Euclid's algorithm leaves one factors of the basis that differ there; they take what is due.
        """
        factors, basis = solutions
        steps = [y[k] - y[m] for y in floors]
        due = self.indices[k] - self.indices[m] - sum(map(mul, factors, steps))
        differing: list[tuple[int, Factors]] = []
        rest: list[Factors] = []
        for b in basis:
            n = sum(map(mul, b, steps))
            if n:
                differing.append((n, b))
            else:
                rest.append(b)
        self.spend(len(differing))
        while len(differing) > 1:
            step, least = min(differing, key=lambda x: abs(x[0]))
            some, differing = differing, [(step, least)]
            for n, b in some:
                if b is not least:
                    q, n = divmod(n, step)
                    b = [x - q * y for x, y in zip(b, least, strict=True)]
                    if n:
                        differing.append((n, b))
                    else:
                        rest.append(b)
        if not differing:
            return None if due else solutions
        ((step, least),) = differing
        q, left = divmod(due, step)
        return None if left else ([x + q * y for x, y in zip(factors, least, strict=True)], rest)

    def wrong(self, inverse: AnyLayout, layout: AnyLayout, index: AnyLayout) -> int | None:
        """Where an inverse of some points is none; None if composition proves that it is one."""
        tries: Iterable[int]
        try:
            modes = raw_modes(composed(inverse, layout, hints=False))
        except DivisibilityError as error:  # linear it is not, as the index is
            coord: int = crd2idx(error.data["coord"], layout.shape)
            tries = chain([coord], range(layout.size))
        else:
            weights: Iterable[int] = accumulate([s for s, _d in modes], mul, initial=1)
            tries = [weight for weight, (s, _d) in zip(weights, modes) if s > 1]  # noqa: B905
        for i in tries:
            self.spend(1)
            if inverse.extended(layout(i)) != index(i):
                return i
        return None
