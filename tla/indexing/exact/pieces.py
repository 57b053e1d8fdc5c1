# SPDX-License-Identifier: Apache-2.0
"""A relation as maps again: a map for each conjunction of isl's.

A place of the results is an expression of the dims if the conjunction decides it, and otherwise a range:

============================  ==================================================================
isl has                       the result is
============================  ==================================================================
``0 <= x - c*e <= k``,        ``x floordiv c``, with ``x mod c in [0, k]``
``k < c``
``0 <= e - x <= k``           ``x + s``, with a range ``s in [0, k]``
any other                     a range within the least bounds, and constraints
============================  ==================================================================

Source: every quotient in a conjunction of isl has a definition once its ``compute_divs`` is done.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ...errors import UndecidedError, UnsupportedError
from ...numbers import Interval, Value, bounds_of, floor_divided, rebind
from ..maps import IndexingMap
from ..rewriting import rewritten
from ..variables import RuntimeVariable, Source, Variable, bounded, dim, rng, rt
from .counting import bounds_at, coefficients, divisions_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...numbers import Symbol
    from .parts import Part
    from .reads import Read


def maps_of(isl: Any, part: Part) -> list[IndexingMap]:
    """Return maps with the pairs of a part, one for each of its conjunctions."""
    kind = isl.dim_type
    pairs, reads, has_replica = part
    names = [name for read in reads for name in read.parameters[:1]]
    holes = [name for read in reads for name in read.parameters[1:]]
    n_dims, n_results = pairs.dim(kind.in_), pairs.dim(kind.out)
    for name in holes:  # indices that depend on the point are solved for like the results
        place = pairs.find_dim_by_name(kind.param, name)
        if place >= 0:
            pairs = pairs.move_dims(kind.out, pairs.dim(kind.out), kind.param, place, 1)
        else:
            pairs = pairs.add_dims(kind.out, 1)
    for i, name in enumerate(names):
        place = pairs.find_dim_by_name(kind.param, name)
        if place >= 0:
            pairs = pairs.move_dims(kind.in_, n_dims + i, kind.param, place, 1)
        else:
            pairs = pairs.insert_dims(kind.in_, n_dims + i, 1)
    known = pairs.dim(kind.in_)
    flat = pairs.move_dims(kind.in_, known, kind.out, 0, pairs.dim(kind.out)).domain()
    out: list[IndexingMap] = []
    for piece in flat.coalesce().compute_divs().get_basic_sets():
        if piece.is_empty():
            continue
        map = _Piece(isl, piece, n_dims, known).map(n_results, has_replica, reads)
        out.append(rewritten(map, replace=False))
    return sorted(out, key=_first_corner)


def _first_corner(map: IndexingMap) -> list[int]:
    return [v.bounds.lower for v in map.variables]


class _Fact(NamedTuple):
    """The fact that a sum of places, floors and a constant is at least 0."""

    terms: dict[int, int]
    constant: int


class _Piece:
    """One conjunction: the known places, dims, runtime variables, then the places to solve for."""

    def __init__(self, isl: Any, piece: Any, n_dims: int, known: int) -> None:
        self.isl, self.n_dims, self.n_known = isl, n_dims, known
        kind = isl.dim_type
        self.count = piece.dim(kind.set)
        self.points = isl.Set.from_basic_set(piece)
        self.facts = self._facts(piece)
        self.floors = [
            (c, {i: k for i, k in enumerate(x[:-1]) if k}, x[-1]) for c, x in divisions_of(isl, piece)
        ]
        self.ranges: list[Variable] = []
        self.values: dict[int, Value] = {i: dim(i) for i in range(n_dims)}
        self.values.update({i: rt(i - n_dims) for i in range(n_dims, known)})
        self.bounds = [bounds_at(self.points, i) for i in range(known)]

    def _facts(self, piece: Any) -> list[_Fact]:
        facts: list[_Fact] = []
        for c in piece.get_constraints():
            terms = coefficients(self.isl, c, self.count)
            constant = c.get_constant_val().to_python()
            facts.append(_Fact(terms, constant))
            if c.is_equality():
                facts.append(_Fact({i: -k for i, k in terms.items()}, -constant))
        return facts

    # --- solving ---

    def solve(self) -> None:
        """Give every place and every floor a value."""
        while True:
            self._settle_floors()
            open_ = [i for i in range(self.n_known, self.count) if i not in self.values]
            if not open_:
                return
            if not any(self._solved(i, self._quotient) for i in open_) and not any(
                self._solved(i, self._shifted) for i in open_
            ):
                bounds = bounds_at(self.points, open_[0])
                if bounds is None:
                    raise UndecidedError(f"result {open_[0] - self.n_known} has no bounds")
                self.values[open_[0]] = self._range(bounds)

    def _settle_floors(self) -> None:
        for k, (c, terms, constant) in enumerate(self.floors):
            place = self.count + k
            if place not in self.values and self.values.keys() >= terms.keys():
                self.values[place] = floor_divided(self._sum(terms, constant), c)

    def _sum(self, terms: dict[int, int], constant: int) -> Value:
        total: Any = constant
        for i, k in terms.items():
            total = total + self.values[i] * k
        value: Value = total
        return value

    def _solved(self, place: int, way: Any) -> bool:
        """Whether two facts, a lower and an upper bound, decide a place by known ones."""
        uppers = {_key(f.terms): f for f in self.facts if f.terms.get(place, 0) < 0}
        for fact in self.facts:
            c = fact.terms.get(place, 0)
            rest = {i: k for i, k in fact.terms.items() if i != place}
            if c <= 0 or not self.values.keys() >= rest.keys():
                continue
            other = uppers.get(_key({i: -k for i, k in fact.terms.items()}))
            if other is None:
                continue
            # fact: c*e + rest >= 0; other: -c*e - rest + gap >= 0
            low = self._sum({i: -k for i, k in rest.items()}, -fact.constant)
            value = way(c, low, fact.constant + other.constant, bool(rest))
            if value is not None:
                self.values[place] = value
                return True
        return False

    def _quotient(self, c: int, low: Any, gap: int, _depends: bool) -> Value | None:
        """The value of e with ``low <= c*e <= low + gap``, if at most one fits."""
        return floor_divided(low + gap, c) if gap < c else None

    def _shifted(self, c: int, low: Any, gap: int, depends: bool) -> Value | None:
        """The value of e with ``low <= e <= low + gap``."""
        if c != 1 or not depends:
            return None
        value: Value = low + self._range(Interval(0, gap))
        return value

    def _range(self, bounds: Interval) -> Value:
        self.ranges.append(Variable(f"s{len(self.ranges)}", bounds))
        return rng(len(self.ranges) - 1)

    # --- the map ---

    def map(self, n_results: int, has_replica: bool, reads: Sequence[Read]) -> IndexingMap:
        self.solve()
        dims = [self._required(i, f"dim {i}") for i in range(self.n_dims)]
        results = [self.values[i] for i in range(self.n_known, self.n_known + n_results)]
        replica = results.pop() if has_replica else None
        runtime, kept = self._runtime(
            reads, [self.values[i] for i in range(self.n_known + n_results, self.count)]
        )
        moved: dict[Symbol, Value] = {rt(old).symbols[0]: rt(new) for new, old in enumerate(kept)}

        def put(x: Value) -> Value:
            return rebind(x, moved)

        return IndexingMap(
            [put(x) for x in results],
            dims,
            self.ranges,
            [v.with_indices(put) for v in runtime],
            [(put(x), bounds) for x, bounds in self._constraints()],
            None if replica is None else put(replica),
        )

    def _required(self, place: int, what: str) -> Interval:
        bounds = self.bounds[place]
        if bounds is None:
            raise UnsupportedError(
                f"{what} has no bounds, and a map's variables have", "The relation itself may be used."
            )
        return bounds

    def _constraints(self) -> list[tuple[Value, Interval]]:
        """The facts as bounds of sums, without those that the bounds of the variables imply."""
        within = self._within()
        out: list[tuple[Value, Interval]] = []
        for terms, constant in self.facts:
            x = self._sum(terms, 0)
            low, high = bounds_of(rebind(x, within))
            if low is not None and low >= -constant:
                continue
            if high is None:
                raise UnsupportedError(f"{x} has no bounds, and a constraint of a map has")
            if terms[min(terms)] > 0:
                out.append((x, Interval(-constant, high)))
            else:  # a sum from both sides is one constraint
                out.append((self._sum({i: -k for i, k in terms.items()}, 0), Interval(-high, constant)))
        return out

    def _within(self) -> dict[Symbol, Value]:
        """The variables that have bounds, as unknowns within them."""
        all_bounds: list[tuple[int, int, Interval | None]] = [
            *((0, i, bounds) for i, bounds in enumerate(self.bounds[: self.n_dims])),
            *((1, i, v.bounds) for i, v in enumerate(self.ranges)),
            *((2, i, bounds) for i, bounds in enumerate(self.bounds[self.n_dims :])),
        ]
        return {
            (dim, rng, rt)[kind](i).symbols[0]: bounded(kind, i, bounds.lower, bounds.upper)
            for kind, i, bounds in all_bounds
            if bounds is not None
        }

    def _runtime(
        self, reads: Sequence[Read], indices: Sequence[Value]
    ) -> tuple[list[RuntimeVariable], list[int]]:
        """The runtime variables on which the piece depends, and their numbers among all."""
        out: list[RuntimeVariable] = []
        numbers: list[int] = []
        solved = iter(indices)
        for i, read in enumerate(reads):
            source = read.source
            if source is not None:
                at = list(source.indices)
                for k in read.holes:
                    at[k] = next(solved)
                source = source._replace(indices=tuple(at))
            if self._speaks_of(self.n_dims + i, source):
                bounds = self._required(self.n_dims + i, f"the runtime variable {read.name}")
                out.append(RuntimeVariable(read.label or read.name, bounds, source))
                numbers.append(i)
        return out, numbers

    def _speaks_of(self, place: int, source: Source | None) -> bool:
        """Whether the piece depends on a number that is read, beyond its clamp."""
        clamp = None if source is None else source.clamp
        facts = [terms for terms, _constant in self.facts] + [terms for _c, terms, _n in self.floors]
        about = [terms for terms in facts if place in terms]
        alone = clamp is not None and self.bounds[place] == clamp
        return any(len(terms) > 1 or not alone for terms in about)


def _key(terms: dict[int, int]) -> Any:
    return frozenset(terms.items())
