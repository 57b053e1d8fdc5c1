# SPDX-License-Identifier: Apache-2.0
"""Tables of values: those of expressions at all points of a box, and expressions with given values.

>>> from . import Interval, dim
>>> d0 = dim(0).symbols[0]
>>> columns([dim(0) * 3 % 4], {d0: Interval(0, 3)})
[[0, 3, 2, 1]]
>>> x = from_values([5, 7, 6, 6], {d0: Interval(0, 3)})
>>> columns([x], {d0: Interval(0, 3)})
[[5, 7, 6, 6]]

The map of a long chain of reshapes and transposes nests without end, though its array is small. If it
has more divisions than points, its values make the shorter expression, the same for equal functions.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from math import prod
from operator import add, mul
from typing import TYPE_CHECKING, Any, Final

from ..numbers import (
    Expr,
    Interval,
    Least,
    Quotient,
    Remainder,
    Symbol,
    Value,
    atom_expr,
    atoms_of,
    free_symbols,
    inner_first,
    operate,
    sum_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .maps import IndexingMap

    Bounded = Mapping[Symbol, Interval]

_MOST: Final = 512
"""The most points of a table."""

_MORE: Final = 256
"""How many more divisions than a table has are kept."""


def columns(exprs: Sequence[Value], variables: Bounded) -> list[list[int]]:
    """Return the values of expressions at all values of their variables, a list for each expression.

    >>> from . import Interval, dim
    >>> columns([dim(0) // 2, dim(0) % 2], {dim(0).symbols[0]: Interval(0, 3)})
    [[0, 0, 1, 1], [0, 1, 0, 1]]
    """
    count = prod(bounds.size for bounds in variables.values())
    done: dict[Any, list[int]] = {}
    outer, inner = 1, count
    for symbol, bounds in variables.items():
        inner //= bounds.size
        done[symbol] = [x for x in bounds for _ in range(inner)] * outer
        outer *= bounds.size

    def total(x: Value) -> list[int]:
        if type(x) is not Expr:
            return [x] * count
        out: list[int] | None = None
        for (first, *rest), k in x.terms.items():
            term = done[first] if k == 1 else [k * v for v in done[first]]
            for atom in rest:
                term = list(map(mul, term, done[atom]))
            out = term if out is None else list(map(add, out, term))
        constant = x.constant
        return [v + constant for v in out or ()] if constant else out or []

    for x in exprs:
        for atom in inner_first(x) if type(x) is Expr else ():
            if atom in done:
                continue
            if isinstance(atom, (Quotient, Remainder)):
                pairs = zip(total(atom.dividend), total(atom.divisor), strict=True)
                done[atom] = (
                    [a // b for a, b in pairs] if type(atom) is Quotient else [a % b for a, b in pairs]
                )
            elif isinstance(atom, Least):
                done[atom] = list(map(min, *map(total, atom.parts)))
    return [total(x) for x in exprs]


def from_values(values: Sequence[int], variables: Mapping[Symbol, Interval]) -> Value:
    """Return an expression with some values at the points of a box, the last variable fastest.

    With ``n`` points, ``(point + n - k) // n`` is 1 from point ``k`` on, and 0 before it. So the values
    are a sum of the differences from point to point, whose bounds a remainder keeps.
    """
    point: Any = 0
    for symbol, bounds in variables.items():
        if bounds.size > 1:
            point = point * bounds.size + atom_expr(symbol) - bounds.lower
    n, low = len(values), min(values)
    steps = [b - a for a, b in pairwise(values)]
    slope = Counter(steps).most_common(1)[0][0] if steps else 0
    jumps = [(point + n - k) // n * (step - slope) for k, step in enumerate(steps, 1) if step != slope]
    total = sum_of([point * slope, *jumps], values[0] - low)
    found: Value = operate(Remainder, total, max(values) - low + 1) + low
    return found


def with_tables(map: IndexingMap) -> IndexingMap:
    """Return the map with results made from their values, if these have far fewer divisions."""
    if map.is_known_empty or map.box > _MOST:
        return map
    divisions = {atom for x in map.results for atom in atoms_of(x)}
    is_static = all(type(getattr(atom, "divisor", 1)) is int for atom in divisions)
    if len(divisions) <= map.box + _MORE or not is_static:
        return map
    used = {symbol for x in map.results for symbol in free_symbols(x)}
    variables = {s: v.bounds for s, v in zip(map.within(), map.variables, strict=True) if s in used}
    return map.with_parts(results=[from_values(of, variables) for of in columns(map.results, variables)])
