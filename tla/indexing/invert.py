# SPDX-License-Identifier: Apache-2.0
"""The inverse map: from an element to the points that read it, by solving the results for the dims.

>>> from . import parse_map
>>> m = parse_map("(d0, d1)[s0] -> (d0 * 8 + d1, s0), domain: d0 in [0, 3], d1 in [0, 7], s0 in [0, 4]")
>>> print(inverse(m))
(d0, d1) -> (d0 floordiv 8, d0 mod 8), domain: d0 in [0, 31], d1 in [0, 4]

Every step is an equivalence, so the result is exact. An equation that no step solves stays as a
constraint:

==========================  ============================================================================
an equation                 becomes
==========================  ============================================================================
``t = k*u``                 ``u = t floordiv k``, where ``t mod k = 0``
``t = g*x + y``             ``x = t floordiv g`` and ``y = t mod g``, if every ``y`` lies in ``[0, g)``
with ``x floordiv c``       the same with ``x = c*q + r``, new unknowns, ``r`` in ``[0, c)``, for ``x``
or ``x mod c`` in it        of an unknown with the coefficient 1 or -1
``t = u + y``               ``u = t - y``, which lies in the bounds of ``u``
any other                   a constraint ``y - t in [0, 0]``
==========================  ============================================================================
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import UnsupportedError
from ..numbers import (
    Expr,
    Interval,
    Quotient,
    Remainder,
    Symbol,
    Value,
    atom_expr,
    atoms_of,
    bounds_of,
    expr_of,
    free_symbols,
    rebind,
    sym,
    total,
)
from .making import Constraint
from .maps import IndexingMap, require_map
from .rewriting import rewritten
from .variables import Variable, bounded, dim, rng, rt

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..numbers import Terms


def inverse(map: IndexingMap) -> IndexingMap:
    """Return the map that goes from ``y`` to ``x`` if and only if the map goes from ``x`` to ``y``.

    It has a dim for each result of the map, within the least bounds found for it. Its ranges are the
    variables that the results leave open; none of them has a single value. Runtime variables stay. The
    map is simplified.

    >>> from . import parse_map
    >>> print(inverse(parse_map("(d0) -> (d0 * 7 + 3), domain: d0 in [0, 2]")))
    (d0) -> ((d0 - 3) floordiv 7), domain: d0 in [3, 17], (d0 - 3) mod 7 in [0, 0]

    Raises:
        UnsupportedError: the elements lie on another replica, and the map has no variable for the one
            that asks.
    """
    require_map(map)
    if map.is_undefined:
        return map
    if map.is_known_empty:
        empty = Interval(0, -1)
        return IndexingMap([0] * len(map.dims), [empty] * len(map.results), is_known_empty=True)
    return rewritten(_without_circles(_Solver(map).solve()))


class _Equation(NamedTuple):
    """``left == right``: the unknowns on the left, known values on the right."""

    left: Value
    right: Value


class _Solver:
    """The unknowns of a map, their values so far, and the remaining equations."""

    def __init__(self, map: IndexingMap) -> None:
        self.map = map
        self.made = 0
        self.bounds: dict[Symbol, Interval] = {}
        self.values: dict[Symbol, Value] = {}
        """The values of unknowns so far, in terms of the other unknowns and of known values."""
        self.constraints: list[tuple[Value, Interval]] = []
        into: dict[Symbol, Value] = {}
        self.dims = [self._unknown_for(dim(i), v.bounds, into) for i, v in enumerate(map.dims)]
        for i, v in enumerate(map.ranges):
            self._unknown_for(rng(i), v.bounds, into)
        self.asking = self._asking()
        self.replica: Value | None = None
        for i, variable in enumerate(map.runtime):
            bounds = variable.bounds
            if i == self.asking:
                self.replica = self._unknown_for(rt(i), bounds, into)
            else:
                into[rt(i).symbols[0]] = bounded(2, i, bounds.lower, bounds.upper)
        self.into = into
        self.results = [rebind(x, into) for x in map.results]
        self.hulls = [_hull(x) for x in self.results]
        self.constraints += [(rebind(x, into), b) for x, b in map.constraints]
        self.equations = [
            _Equation(x, bounded(0, j, hull.lower, hull.upper))
            for j, (x, hull) in enumerate(zip(self.results, self.hulls, strict=True))
        ]
        if map.replica is not None and self.asking is not None:
            other = rebind(map.replica, into)
            self.other = _hull(other)
            source = bounded(2, self.asking, self.other.lower, self.other.upper)
            self.equations.append(_Equation(other, source))

    def _unknown_for(self, x: Expr, bounds: Interval, into: dict[Symbol, Value]) -> Expr:
        fresh = self._unknown(bounds)
        into[x.symbols[0]] = fresh
        return fresh

    def _unknown(self, bounds: Interval) -> Expr:
        self.made += 1  # it never shrinks, so that names of solved unknowns are not used again
        fresh = sym(f"u{self.made}", min=bounds.lower, max=bounds.upper)
        self.bounds[fresh.symbols[0]] = bounds
        return fresh

    def _asking(self) -> int | None:
        """The number of the variable of the replica that asks, if the map leads to others."""
        if self.map.replica is None:
            return None
        for i, variable in enumerate(self.map.runtime):
            if variable.is_replica:
                return i
        raise UnsupportedError(
            "the map leads to another replica and has no variable for the one that asks",
            "A runtime variable with the source REPLICA says how many there are.",
        )

    # --- solving ---

    def solve(self) -> IndexingMap:
        """Solve the equations as far as the rules go, and return the map back."""
        while self.equations:
            for step in (self._settle, self._single, self._digits, self._cut, self._overlap):
                if step():
                    break
            else:
                for left, right in self.equations:
                    self.constraints.append((left - right, Interval(0, 0)))
                self.equations = []
        return self._map()

    def _unknowns(self, x: Value) -> set[Symbol]:
        return {atom for atom in atoms_of(x) if type(atom) is Symbol and atom in self.bounds}

    def _settle(self) -> bool:
        """Bring known values to the right; an equation without unknowns is a constraint."""
        changed = False
        equations: list[_Equation] = []
        for left, right in self.equations:
            known, unknown = self._split(left)
            if unknown is None:
                self.constraints.append((right - left, Interval(0, 0)))
                changed = True
                continue
            if known != 0:
                changed = True
            equations.append(_Equation(unknown, right - known))
        self.equations = equations
        return changed

    def _split(self, x: Value) -> tuple[Value, Value | None]:
        """The summands of an expression without unknowns, and those with."""
        if type(x) is not Expr:
            return x, None
        with_unknowns: Terms = {}
        known: Terms = {}
        for monomial, k in x.terms.items():
            parts = self._unknowns(expr_of({monomial: k}, 0, 7))
            (with_unknowns if parts else known)[monomial] = k
        unknown = total(with_unknowns, 0, x.kinds) if with_unknowns else None
        return total(known, x.constant, x.kinds), unknown

    def _single(self) -> bool:
        """``k*u = t``."""
        for i, (left, right) in enumerate(self.equations):
            found = _one_symbol(left)
            if found is not None:
                symbol, k = found
                del self.equations[i]
                if abs(k) > 1:
                    self.constraints.append((right % abs(k), Interval(0, 0)))
                self._put_value(symbol, right // k)
                return True
        return False

    def _digits(self) -> bool:
        """``g*x + y = t``, every ``y`` within ``g`` ints."""
        for i, (left, right) in enumerate(self.equations):
            if type(left) is not Expr or len(left.terms) < 2:
                continue
            for g in sorted({abs(k) for k in left.terms.values()}, reverse=True):
                high = {m: k for m, k in left.terms.items() if k % g == 0}
                low = {m: k for m, k in left.terms.items() if k % g}
                if not low or not high:
                    continue
                y = expr_of(low, 0, left.kinds)
                bounds = _hull(y)
                if bounds.size <= g:
                    x = expr_of({m: k // g for m, k in high.items()}, 0, left.kinds)
                    right = right - bounds.lower
                    self.equations[i] = _Equation(x, right // g)
                    self.equations.append(_Equation(y - bounds.lower, right % g))
                    return True
        return False

    def _cut(self) -> bool:
        """Put ``c*q + r`` for an unknown that is divided by ``c``."""
        for atom in self._divisions():
            x, c = atom.dividend, atom.divisor
            if type(c) is Expr or type(x) is not Expr:
                continue
            symbol = self._unit(x)
            if symbol is None:
                continue
            bounds = _hull(x)
            q = self._unknown(Interval(bounds.lower // c, bounds.upper // c))
            r = self._unknown(Interval(0, c - 1))
            self._put_value(symbol, self._without(x, symbol, q * c + r))
            return True
        return False

    def _divisions(self) -> Iterator[Any]:
        for left, _right in self.equations:
            for atom in atoms_of(left):
                if isinstance(atom, (Quotient, Remainder)) and self._unknowns(atom_expr(atom)):
                    yield atom

    def _unit(self, x: Expr) -> Symbol | None:
        """An unknown that occurs only once in ``x``: as a summand, itself or negated."""
        found: Symbol | None = None
        for symbol in self.bounds:  # the dims come first
            if abs(x.terms.get((symbol,), 0)) == 1:
                rest = {m: k for m, k in x.terms.items() if m != (symbol,)}
                if not rest or symbol not in self._unknowns(expr_of(rest, 0, 7)):
                    found = symbol
                    break
        return found

    def _without(self, x: Expr, symbol: Symbol, value: Value) -> Value:
        """The value of the symbol if ``x`` is ``value``."""
        k = x.terms[(symbol,)]
        alone: Any = expr_of({(symbol,): 1}, 0, 0)
        found: Value = (value - (x - alone * k)) * k  # k is 1 or -1
        return found

    def _overlap(self) -> bool:
        """``u + y = t``."""
        for i, (left, right) in enumerate(self.equations):
            symbol = self._unit(left) if type(left) is Expr else None
            if symbol is not None and type(left) is Expr:
                del self.equations[i]
                self._put_value(symbol, self._without(left, symbol, right))
                return True
        return False

    def _put_value(self, symbol: Symbol, value: Value) -> None:
        """Put a value for an unknown everywhere; it lies in the bounds of the unknown."""
        self.constraints.append((value, self.bounds.pop(symbol)))
        put = {symbol: value}
        self.values = {s: rebind(x, put) for s, x in self.values.items()}
        self.values[symbol] = value
        self.constraints = [(rebind(x, put), b) for x, b in self.constraints]
        self.equations = [
            _Equation(rebind(left, put), rebind(right, put)) for left, right in self.equations
        ]

    # --- the result ---

    def _tighten(self) -> None:
        """Move constraints on one unknown into its bounds, and replace an unknown with one value."""
        for x, bounds in self.constraints:
            found = _one_symbol(x)
            if found is not None and found[1] == 1 and found[0] in self.bounds:
                self.bounds[found[0]] &= bounds
        for symbol, bounds in list(self.bounds.items()):
            if bounds.is_point:
                self._put_value(symbol, bounds.lower)

    def _map(self) -> IndexingMap:
        self._tighten()
        map = self.map
        values = self.values
        results = [rebind(x, values) for x in self.dims]
        replica = None if self.replica is None else rebind(self.replica, values)
        asks = None if self.asking is None else rt(self.asking)

        def found(x: Value) -> Value:
            return rebind(rebind(x, self.into), values)

        here = [v._replace(source=v.source and v.source.on(asks)) for v in map.runtime]
        reads = [v.with_indices(found) for v in here]
        # an unknown that nothing depends on needs no variable
        parts = [*results, *(x for x, _b in self.constraints)]
        parts += [x for v in reads if v.source is not None for x in v.source.indices]
        parts += [] if replica is None else [replica]
        open_: dict[Symbol, None] = {}
        for x in parts:
            open_.update(dict.fromkeys(sorted(self._unknowns(x), key=list(self.bounds).index)))
        back: dict[Symbol, Value] = {symbol: rng(i) for i, symbol in enumerate(open_)}
        for j, hull in enumerate(self.hulls):
            back[bounded(0, j, hull.lower, hull.upper).symbols[0]] = dim(j)
        every = [self.other if i == self.asking else v.bounds for i, v in enumerate(map.runtime)]
        for i, bounds in enumerate(every):
            back[bounded(2, i, bounds.lower, bounds.upper).symbols[0]] = rt(i)

        def put(x: Value) -> Value:
            return rebind(x, back)

        return IndexingMap(
            [put(x) for x in results],
            [Variable(f"d{j}", hull) for j, hull in enumerate(self.hulls)],
            [Variable(f"s{i}", self.bounds[symbol]) for i, symbol in enumerate(open_)],
            [v._replace(bounds=b).with_indices(put) for v, b in zip(reads, every, strict=True)],
            [(put(x), b) for x, b in self.constraints],
            None if replica is None else put(replica),
        )


def _without_circles(map: IndexingMap) -> IndexingMap:
    """The map with a range for an index that depends on the number that is read at that index.

    For example ``y == d0 + rt0`` gives ``d0 = y - rt0``, where ``rt0`` may be read at element ``d0``.
    """
    places: dict[Symbol, int] = {rt(i).symbols[0]: i for i in range(len(map.runtime))}
    reads: list[set[int]] = [
        {places[a] for x in source.indices for a in free_symbols(x) if a in places} if source else set()
        for source in (v.source for v in map.runtime)
    ]
    for _step in reads:
        reads = [now.union(*(reads[j] for j in now)) for now in reads]
    knots = {i for i, now in enumerate(reads) if i in now}
    if map.is_known_empty or not knots:
        return map
    within = map.within()
    ranges, constraints = list(map.ranges), list(map.constraints)
    runtime = list(map.runtime)
    for i in knots:
        source = runtime[i].source
        assert source is not None
        indices = list(source.indices)
        for k, x in enumerate(indices):
            if any(places.get(a) in knots for a in free_symbols(x)):
                indices[k] = rng(len(ranges))
                ranges.append(Variable(f"s{len(ranges)}", _hull(rebind(x, within))))
                constraints.append(Constraint(x - indices[k], Interval(0, 0)))
        runtime[i] = runtime[i]._replace(source=source._replace(indices=tuple(indices)))
    return map.with_parts(ranges=ranges, runtime=runtime, constraints=constraints)


def _hull(x: Value) -> Interval:
    low, high = bounds_of(x)
    assert low is not None, x
    assert high is not None, x
    return Interval(low, high)


def _one_symbol(x: Value) -> tuple[Symbol, int] | None:
    if type(x) is not Expr or len(x.terms) > 1 or x.constant:
        return None
    ((monomial, k),) = x.terms.items()
    return (monomial[0], k) if len(monomial) == 1 and type(monomial[0]) is Symbol else None
