"""The number of points of a set, piece by piece, and within a piece by independent groups of places.

A box of any size needs one step. In other pieces isl goes through all places but one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...errors import UndecidedError
from ...numbers import Interval

if TYPE_CHECKING:
    from collections.abc import Iterable


def count_of(module: Any, points: Any) -> int:
    """Return the number of points of an isl set without parameters.

    Raises:
        UndecidedError: the set is infinite; `within_budget` bounds the work.
    """
    if not points.is_bounded():
        raise UndecidedError("there are infinitely many points", "A parameter or a dim has no bounds.")
    pieces = points.coalesce().make_disjoint().compute_divs().make_disjoint()
    return sum(_count(module, piece) for piece in pieces.get_basic_sets())


def _count(module: Any, piece: Any) -> int:
    kind = module.dim_type
    total = 1
    for group in _groups(module, piece):
        part = piece
        for i in range(piece.dim(kind.set) - 1, -1, -1):
            if i not in group:
                part = part.project_out(kind.set, i, 1)
        total *= module.Set.from_basic_set(part).count_val().to_python()
    return total


def _groups(module: Any, piece: Any) -> list[set[int]]:
    """The groups of places, and of floors, such that each constraint is on one group.

    A floor has its group by the constraints alone: they bound it by its dividend, or imply that.
    """
    count = piece.dim(module.dim_type.set)
    groups: list[set[int]] = [{i} for i in range(count)]
    for constraint in piece.get_constraints():
        tie = set(coefficients(module, constraint, count))
        apart = [group for group in groups if not group & tie]
        groups = [*apart, tie.union(*(group for group in groups if group & tie))]
    return groups


def coefficients(module: Any, constraint: Any, count: int) -> dict[int, int]:
    """Return the coefficients of places, and of floors, whose numbers follow those of the places."""
    kind = module.dim_type
    places = [(of, i) for of in (kind.set, kind.div) for i in range(constraint.dim(of))]
    found = {
        i + (count if of == kind.div else 0): constraint.get_coefficient_val(of, i).to_python()
        for of, i in places
    }
    return {i: k for i, k in found.items() if k}


def bounds_at(points: Any, place: int) -> Interval | None:
    """Return the least interval of a place of a set that is not empty; None if it has no end."""
    low, high = points.dim_min_val(place), points.dim_max_val(place)
    return Interval(low.to_python(), high.to_python()) if low.is_int() and high.is_int() else None


def divisions_of(module: Any, piece: Any) -> Iterable[tuple[int, list[int]]]:
    """Yield the divisor and the dividend of each floor in an isl basic set with known floors.

    A dividend is the coefficients of the places and of the floors, and the constant.
    """
    kind = module.dim_type
    for k in range(piece.dim(kind.div)):
        floor = piece.get_div(k)
        divisor = floor.get_denominator_val().to_python()
        parts = [
            floor.get_coefficient_val(of, i)
            for of, n in ((kind.in_, piece.dim(kind.set)), (kind.div, piece.dim(kind.div)))
            for i in range(n)
        ]
        parts.append(floor.get_constant_val())
        scale = module.Val.int_from_si(piece.get_ctx(), divisor)
        yield divisor, [part.mul(scale).to_python() for part in parts]
