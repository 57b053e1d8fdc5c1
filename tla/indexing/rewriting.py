# SPDX-License-Identifier: Apache-2.0
"""The rules that simplify a map: its constraints, and then its expressions by the constraints.

The rules of expressions are those of `tla.numbers.rules`, with the bounds of the variables and the
constraints. The rules of constraints are in `tla.indexing.constraints`.
"""

from __future__ import annotations

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
    bounds_of,
    free_symbols,
    inner_first,
    least,
    operate,
    rebind,
    sum_of,
)
from .constraints import merged, reduced, tightened
from .making import Constraint
from .places import rearranged
from .text import order_key, shared_parts
from .variables import place_of, rng

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..numbers import Atom, Monomial
    from .maps import IndexingMap


def rewritten(map: IndexingMap, replace: bool = False) -> IndexingMap:
    """Return a map of the same points to which no rule applies any more.

    Args:
        replace: Whether a variable with a single value is replaced by it.
    """
    while not (map.is_undefined or map.is_known_empty):
        before = map
        map = _with_simpler_constraints(map)
        if not map.is_known_empty:
            map = _with_simpler_expressions(map, replace)
        if map == before:
            break
    return map


def with_ranges_in_order(map: IndexingMap) -> IndexingMap:
    """Return the map with its ranges in the order of their first use, in results and then constraints.

    >>> from . import parse_map
    >>> m = parse_map("()[s0, s1] -> (s1 * 3 + s0, s1), domain: s0 in [0, 2], s1 in [0, 9]")
    >>> print(with_ranges_in_order(m))
    ()[s0, s1] -> (s0 * 3 + s1, s0), domain: s0 in [0, 9], s1 in [0, 2]

    Ranges of one sum are ordered by their multiples. Two maps that differ in the order of their ranges
    alone become equal, unless ranges with the same uses are joined in different ways. Ranges of long
    expressions are ordered by the results that use them, and by their bounds.
    """
    n = len(map.ranges)
    if n < 2 or map.is_undefined or map.is_known_empty:
        return map
    uses: list[list[tuple[int, Value]]] = [[] for _ in range(n)]
    for k, x in enumerate(map.expressions):
        for kind, i in {place_of(symbol) for symbol in free_symbols(x)}:
            if kind == 1:
                uses[i].append((min(k, len(map.results)), x))
    is_long = shared_parts(map.expressions)

    def key(x: Value, values: dict[Symbol, Value]) -> Any:
        return () if is_long else order_key(rebind(x, values))

    ranks, count = [0] * n, 0
    while len(set(ranks)) > count:  # the rank of a range tells it apart where it is used by another
        count = len(set(ranks))
        same: dict[Symbol, Value] = {rng(i).symbols[0]: rng(ranks[i] + 1) for i in range(n)}
        keys = [
            (
                not uses[i],
                sorted((k, key(x, {**same, rng(i).symbols[0]: rng(0)})) for k, x in uses[i]),
                (map.ranges[i].bounds.lower, map.ranges[i].bounds.upper),
            )
            for i in range(n)
        ]
        places = sorted(keys)
        ranks = [places.index(key) for key in keys]
    order = sorted(range(n), key=lambda i: ranks[i])
    if order == [*range(n)]:
        return map
    dims, runtime = ([(kind, i) for i in range(len(map.kinds[kind]))] for kind in (0, 2))
    return rearranged(map, [dims, [(1, i) for i in order], runtime])


# --- constraints ------------------------------------------------------------------------------


def _with_simpler_constraints(map: IndexingMap) -> IndexingMap:
    """The map with its constraints simplified, each by the bounds alone, and merged."""
    while map.constraints:
        ways = _ways(map)
        found = [
            Constraint(ways.back(x), b)
            for c in map.constraints
            for x, b in reduced(ways.put(c.expr), c.bounds)
        ]
        found = merged(found)
        kinds = map.kinds

        def bounds(symbol: Symbol) -> Interval:
            kind, i = place_of(symbol)
            return kinds[kind][i].bounds  # noqa: B023 (called in this round alone)

        simpler = map.with_parts(constraints=[*found, *tightened(found, bounds)])
        if simpler == map:
            break
        map = simpler
    return map


class _Ways:
    """The ways of expressions to unknowns within bounds, and back; each atom goes once."""

    def __init__(self, within: dict[Symbol, Expr]) -> None:
        self._within: dict[Symbol, Value] = {**within}
        self._without = {x.symbols[0]: atom_expr(symbol) for symbol, x in within.items()}
        ends = [(x.symbols[0], *x.bounds) for x in within.values()]
        self._single: dict[Symbol, Value] = {
            x: low for x, low, high in ends if low is not None and low == high
        }
        self._put: dict[Atom, Value | None] = {}
        self._back: dict[Atom, Value | None] = {}
        self._replaced: dict[Atom, Value | None] = {}
        self.plain = _Rewriting(())

    def put(self, x: Value) -> Value:
        return self.plain(rebind(x, self._within, self._put))

    def back(self, x: Value) -> Value:
        return rebind(x, self._without, self._back)

    def replaced(self, x: Value) -> Value:
        """The expression with numbers for the unknowns that have one value."""
        return rebind(x, self._single, self._replaced)


def _ways(map: IndexingMap) -> _Ways:
    """The ways of a map's expressions; those of maps with the same bounds are shared."""
    bounds = tuple([tuple([v.bounds for v in kind]) for kind in map.kinds])
    ways = _known.pop(bounds, None) or _Ways(map.within())
    _known[bounds] = ways  # behind those that were used before
    for oldest in list(_known)[:-_MOST_KNOWN]:
        _known.pop(oldest, None)
    return ways


_known: Final[dict[Any, _Ways]] = {}
_MOST_KNOWN: Final = 16


# --- expressions ------------------------------------------------------------------------------


def _with_simpler_expressions(map: IndexingMap, replace: bool) -> IndexingMap:
    """The map with its results simplified, and the replica and the indices of its sources."""
    ways = _ways(map)
    put, back = ways.put, ways.back
    stated = [(put(x), bounds) for x, bounds in map.constraints]
    rewrite = _Rewriting(stated) if stated else ways.plain

    def inside(x: Value) -> Value:
        return ways.replaced(put(x)) if replace else put(x)

    def simpler(x: Value) -> Value:
        return back(rewrite(inside(x)))

    return map.with_parts(
        results=[simpler(x) for x in map.results],
        runtime=[v.with_indices(simpler) for v in map.runtime],
        constraints=[(back(inside(x)), b) for x, b in map.constraints],
        replica=None if map.replica is None else simpler(map.replica),
    )


class _Rewriting:
    """The rewriting of expressions by constraints on the same expressions.

    It also has a rule of XLA's, S2, with remainders instead of negative quotients:
    ``(x // c) * -(c*k) == (x % c)*k - x*k``.
    """

    def __init__(self, constraints: Iterable[tuple[Value, Interval]]) -> None:
        self._bounds: dict[Any, Interval] = {}
        for x, bounds in constraints:
            if type(x) is Expr:
                self._bounds[_key(x)] = bounds - x.constant
        self._done: dict[Atom, Value] = {}

    def __call__(self, x: Value) -> Value:
        if type(x) is not Expr or not (x.kinds or self._bounds):
            return x
        for atom in inner_first(x, self._done):
            self._done[atom] = self._simpler(atom)
        return self._sum(x)

    def _sum(self, x: Value) -> Value:
        """An expression whose atoms are rewritten."""
        if type(x) is not Expr or not (x.kinds or self._bounds):
            return x
        result = sum_of([self._term(monomial, k) for monomial, k in x.terms.items()], x.constant)
        low, high = self._range(result)
        return low if low is not None and low == high else result

    def _term(self, monomial: Monomial, k: int) -> Value:
        atom = monomial[0]
        if len(monomial) == 1 and type(atom) is Quotient and type(atom.divisor) is int:
            c = atom.divisor
            if k < 0 and k % c == 0:
                x: Any = self._sum(atom.dividend)
                negative: Value = (x - x % c) * (k // c)
                return negative
        term: Any = k
        for atom in monomial:
            term = term * self._done[atom]
        product: Value = term
        return product

    def _range(self, x: Value) -> tuple[int | None, int | None]:
        """The range of an expression, by the ranges of its variables and by the constraints."""
        low, high = bounds_of(x)
        stated = self._bounds.get(_key(x)) if type(x) is Expr and self._bounds else None
        if stated is None or type(x) is not Expr or low is None or high is None:
            return low, high
        return max(low, stated.lower + x.constant), min(high, stated.upper + x.constant)

    def _simpler(self, atom: Atom) -> Value:
        if type(atom) is Symbol:
            return atom_expr(atom)
        if type(atom) is Least:
            return least(*map(self._sum, atom.parts))
        division: Any = atom
        x, c = self._sum(division.dividend), self._sum(division.divisor)
        low, high = self._range(x)
        if type(c) is int and low is not None and high is not None and low // c == high // c:
            n = low // c
            return n if type(atom) is Quotient else x - n * c
        return operate(Quotient if type(atom) is Quotient else Remainder, x, c)


def _key(x: Expr) -> Any:
    """The key that expressions share if they differ by a constant."""
    return frozenset(x.terms.items())
