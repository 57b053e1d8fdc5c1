# SPDX-License-Identifier: Apache-2.0
"""Refinements: shapes cut into smaller extents until they agree.

A shape refines another where each int of the other became a mode of its size; see `compatible`.
"""

from __future__ import annotations

from typing import Any

from ..errors import DivisibilityError
from ..ground import constexpr
from ..layouts import as_shape, leaves, text_of
from ..numbers import IntTuple, known_divides, known_eq, neither_divides
from .modes import in_profile, leaf_names


@constexpr
def mutual_refinement(a: IntTuple, b: IntTuple) -> tuple[Any, Any]:
    """Return refinements of ``a`` and of ``b`` whose ints, read from left to right, agree.

    ``compatible(a, result[0])``, ``compatible(b, result[1])``, and flattened, one result begins with
    the other; of all such pairs it is the one with the fewest ints, but for an int that an unknown
    makes 1.

    >>> mutual_refinement((6, 6), (2, 6, 3))
    (((2, 3), (2, 3)), (2, (3, 2), 3))
    >>> mutual_refinement(12, (3, 2)), mutual_refinement((6, 6), (2, 6, 6))
    (((3, 2, 2), (3, 2)), (((2, 3), (2, 3)), (2, (3, 2), (3, 2))))

    Their sizes need not be equal: the larger one keeps what is left of it, as the last 2 of the second
    example and the 2 at the end of the third. With positive extents a pair exists exactly where the
    sizes of the beginnings of both flat shapes, sorted and up to the first past the smaller size,
    divide each the next.

    Raises:
        DivisibilityError: a cut of one falls within an int of the other that it does not divide.
            ``extents`` holds what was left of the two ints, ``modes`` where they stand.
    Source: Colfax, Categorical Foundations for CuTe Layouts, arXiv 2601.05972, and its code,
    ``tract``: there the second must be the larger one.
    """
    shapes = as_shape(a), as_shape(b)
    left, right = ([[n] for n in leaves(x)] for x in shapes)  # the last piece of each is still to cut
    i = j = 0
    while i < len(left) and j < len(right):
        x, y = left[i][-1], right[j][-1]
        if known_eq(x, y) is True:
            i, j = i + 1, j + 1
        elif known_divides(x, y) is True:
            right[j][-1:] = [x, y // x]
            i += 1
        elif known_divides(y, x) is True:
            left[i][-1:] = [y, x // y]
            j += 1
        else:
            neither_divides(x, y)
            raise _no_refinement(shapes, (i, j), (x, y))
    return _refined(shapes[0], left), _refined(shapes[1], right)


def _refined(shape: Any, pieces: list[list[Any]]) -> Any:
    """The shape with each int replaced by its pieces."""
    return in_profile((p[0] if len(p) == 1 else tuple(p) for p in pieces), shape)


def _no_refinement(shapes: Any, at: tuple[int, int], extents: tuple[Any, Any]) -> DivisibilityError:
    a, b = map(text_of, shapes)
    modes = tuple(leaf_names(shape)[i] for shape, i in zip(shapes, at, strict=True))
    whole = [list(leaves(shape))[i] for shape, i in zip(shapes, at, strict=True)]
    parts = [
        f"{w} of mode {m}" if known_eq(w, x) else f"{x}, left of the {w} of mode {m},"
        for w, m, x in zip(whole, modes, extents, strict=True)
    ]
    return DivisibilityError(
        f"{a} and {b} have no mutual refinement",
        f"On the left {parts[0]} meets {parts[1]} on the right: neither of {extents[0]} and {extents[1]}"
        " divides the other.",
        "Pad one of them to a multiple of the other, or split both where their products agree.",
        a=shapes[0],
        b=shapes[1],
        modes=modes,
        extents=extents,
    )
