# SPDX-License-Identifier: Apache-2.0
"""The variables of indexing maps: dims, ranges, runtime variables.

==================  ===============  ==========================================================
kind                in expressions   meaning
==================  ===============  ==========================================================
dim                 ``dim(0)``       a coordinate of the point
range               ``rng(0)``       a variable with all of its values: the map has a result for each
runtime variable    ``rt(0)``        a number read while the program runs, from its `Source`
==================  ===============  ==========================================================

In the expressions of a map a variable is any int, with a name of its kind and number. The map has its
bounds and its own name beside the expressions. So equal expressions are one value, and only functions
that use the bounds, such as `simplify`, may rewrite by them.

Source: XLA ``hlo/analysis/indexing_map.h``, IndexingMap::Variable.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from ..errors import LayoutError
from ..numbers import Expr, Interval, Symbol, Value, sym

if TYPE_CHECKING:
    from collections.abc import Callable


class Variable(NamedTuple):
    """A dim or a range: its name and its bounds.

    >>> from tla.indexing import parse_map
    >>> parse_map("(row) -> (row), domain: row in [0, 3]").dims
    (Variable(name='row', bounds=Interval(0, 3)),)
    """

    name: str
    bounds: Interval


REPLICA: Final = "@replica"
"""The instruction of a `Source` for the device that runs the program; no instruction has this name.

An instruction of the name ``replica-id`` may be anything, and a device is more than its replica.
"""


class Source(NamedTuple):
    """The source of a runtime variable.

    >>> from tla.hlo import read_instruction
    >>> from tla.indexing import output_to_input
    >>> line = read_instruction("ds = f32[2] dynamic-slice(f32[9] x, s32[] i), dynamic_slice_sizes={2}")
    >>> source = output_to_input(line)[0][0].runtime[0].source
    >>> source.instruction, source.indices, source.clamp
    ('i', (), Interval(0, 7))

    Its value at a point is element ``indices`` of the result of ``instruction``, clamped to ``clamp`` if
    there is one.

    Attributes:
        instruction: The name of the instruction; `REPLICA` for the number of the replica.
        indices: An expression of the map's variables for each dim of that result.
        clamp: The interval to which a start index is clamped before its use; None without a clamp.
        definition: The instruction as text, "" if it is unknown; only for readers.
        elsewhere: Whether the first of the indices is the replica of the read; if not, that is the one
            that asks.
    """

    instruction: str
    indices: tuple[Value, ...] = ()
    clamp: Interval | None = None
    definition: str = ""
    elsewhere: bool = False

    @property
    def key(self) -> tuple[object, ...]:
        """The key that sources of the same number share."""
        return self.instruction, self.indices, self.clamp, self.elsewhere

    @property
    def place(self) -> tuple[Value, ...]:
        """The indices of the element, without the replica."""
        return self.indices[1:] if self.elsewhere else self.indices

    def on(self, replica: Value | None) -> Source:
        """Return the source for reads on a replica; None changes nothing."""
        if replica is None or self.elsewhere or self.instruction == REPLICA:
            return self
        return self._replace(indices=(replica, *self.indices), elsewhere=True)


class RuntimeVariable(NamedTuple):
    """A number read while the program runs: its name, the values for which the map holds, its source.

    If the number lies outside the bounds, the map has no result. A clamped number lies outside only if
    the bounds are narrower than the clamp.
    """

    name: str
    bounds: Interval
    source: Source | None = None

    @property
    def is_replica(self) -> bool:
        """Whether it is the number of the replica that asks."""
        return self.source is not None and self.source.instruction == REPLICA

    def with_indices(self, put: Callable[[Value], Value]) -> RuntimeVariable:
        """Return the variable with a function applied to each index of its source.

        >>> start = RuntimeVariable("rt0", Interval(0, 2), Source("start", (dim(0),)))
        >>> start.with_indices(lambda x: x * 4).source.indices
        (4 * d0,)
        """
        if self.source is None:
            return self
        return self._replace(source=self.source._replace(indices=tuple(map(put, self.source.indices))))


Kinds: TypeAlias = "tuple[tuple[Variable, ...], tuple[Variable, ...], tuple[RuntimeVariable, ...]]"
"""Dims, ranges, runtime variables, each kind by itself."""


# --- the places of variables in expressions ---------------------------------------------------


_KINDS: Final = ("d", "s", "rt")


@cache
def _unknown(kind: str, i: int) -> Expr:
    return sym(f"{kind}{i}", min=None)


def dim(i: int) -> Expr:
    """Return dim number ``i`` of a map, as an expression.

    >>> dim(0) * 8 + rng(0) + rt(1)
    8 * d0 + rt1 + s0
    """
    return _unknown("d", i)


def rng(i: int) -> Expr:
    """Return range number ``i`` of a map, as an expression.

    >>> from tla.indexing import IndexingMap
    >>> print(IndexingMap([dim(0), rng(0)], dims=[4], ranges=[8]))
    (d0)[s0] -> (d0, s0), domain: d0 in [0, 3], s0 in [0, 7]
    """
    return _unknown("s", i)


def rt(i: int) -> Expr:
    """Return runtime variable number ``i`` of a map, as an expression.

    >>> from tla.indexing import IndexingMap
    >>> print(IndexingMap([dim(0) + rt(0)], dims=[4], runtime=[(0, 5)]))
    (d0){rt0} -> (d0 + rt0), domain: d0 in [0, 3], rt0 in [0, 5]
    """
    return _unknown("rt", i)


@cache
def place_of(symbol: Symbol) -> tuple[int, int]:
    """Return the kind and the number of the variable of a symbol.

    The kind is 0 for a dim, 1 for a range, 2 for a runtime variable.

    Raises:
        LayoutError: the symbol is no variable of a map.
    """
    kind = symbol.name.rstrip("0123456789")
    number = symbol.name[len(kind) :]
    if kind not in _KINDS or not number:
        raise LayoutError(
            f"{symbol.name} is no variable of an indexing map",
            "An expression of a map is made of dim(i), rng(i) and rt(i).",
            name=symbol.name,
        )
    return _KINDS.index(kind), int(number)


@cache
def bounded(kind: int, i: int, lower: int, upper: int) -> Expr:
    """Return a variable as an unknown within its bounds, for the rules of ints."""
    return sym(f"{_KINDS[kind]}{i}", min=lower, max=upper)
