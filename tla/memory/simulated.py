# SPDX-License-Identifier: Apache-2.0
"""The steps at which the TPU compiler counts a value outside main memory in its peak.

>>> spans = {"e": (0, 9), "f": (3, 5), "g": (6, 7)}
>>> reads = [Use(4, "f"), Use(7, "g"), Use(8, "e", ("f", "g"))]
>>> counted_pieces(ValueSteps(1, 9, reads), spans)
[(1, 2), (3, 4), (6, 7)]

A value counts from the step that makes it to the last step that reads it. A value that nothing reads
does not count. If the last reader is a conditional, the value counts until the first branch begins, and
in each branch from its beginning to the last reader there.

A piece ends earlier if an instruction writes over the value's memory before, such as a loop in an
earlier branch:

>>> counted_pieces(ValueSteps(1, 4, reads), spans)
[(1, 2), (3, 4), (6, None)]

There the compiler has one end at step 4 for two pieces, so the last piece has no end. This module counts
in the same way, and `None` means no end. We compared the pieces with the heap simulations that the
compiler (libtpu 0.0.42) writes under ``xla_dump_to``, for eight programs with conditionals.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Use(NamedTuple):
    """A step that reads a value, or the end of the computation whose root the value is."""

    at: int
    computation: str
    branches: tuple[str, ...] = ()
    """The computations that the reader runs, if it is a conditional."""


class ValueSteps(NamedTuple):
    """The steps of a value: its first one, those that free or overwrite its memory, and its readers."""

    first: int
    last: int
    uses: Sequence[Use]


def counted_pieces(
    value: ValueSteps, spans: Mapping[str, tuple[int, int]]
) -> list[tuple[int, int | None]]:
    """Return the pieces of a value that the compiler counts, as first and last steps, in order.

    Args:
        spans: The first and last step of each computation.
    """
    if not value.uses:
        return []
    last_of: dict[str, Use] = {}
    for use in value.uses:
        if use.computation not in last_of or use.at >= last_of[use.computation].at:
            last_of[use.computation] = use
    pieces: list[tuple[int, int]] = []
    todo = [(max(last_of.values(), key=lambda use: use.at), value.first, value.last)]
    while todo:
        use, first, last = todo.pop()
        begins = last
        for name in use.branches:
            begins = min(begins, spans[name][0])
            if name in last_of:
                inner = last_of[name]
                todo.append((inner, spans[name][0], inner.at if inner.branches else last))
        pieces.append((first, begins - 1 if use.branches else min(use.at, last)))
    starts, ends = sorted({first for first, _ in pieces}), sorted({last for _, last in pieces})
    return list(zip_longest(starts, ends))
