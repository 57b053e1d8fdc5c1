# SPDX-License-Identifier: Apache-2.0
"""A map as isl's text: its bounds, its constraints, a name for each quotient and minimum in it.

>>> from .. import parse_map
>>> from .reads import reads_of
>>> m = parse_map("(d0)[s0] -> (d0 floordiv 4 + s0, d0 mod 4), domain: d0 in [0, 7], s0 in [0, 1]")
>>> print(isl_text(m, [], False))
{ [d0] -> [e0, e1] : exists (s0, q0 : 0 <= d0 <= 7 and 0 <= s0 <= 1 and q0 = floor((d0)/4) and \
e0 = q0 + s0 and e1 = d0 - 4q0) }
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ...errors import UndecidedError, UnsupportedError
from ...numbers import Expr, Interval, Least, Remainder, Symbol, Value, inner_first, key_of
from ..variables import place_of
from .budget import BITS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...numbers import Atom
    from ..maps import IndexingMap
    from .reads import Read

_LETTERS: Final = "ds"


class _Linear:
    """A sum of names with coefficients and a constant."""

    __slots__ = ("constant", "terms")

    def __init__(self, constant: int = 0, terms: dict[str, int] | None = None) -> None:
        self.constant = constant
        self.terms: dict[str, int] = {} if terms is None else terms

    def add(self, other: _Linear, k: int) -> None:
        self.constant += other.constant * k
        for name, j in other.terms.items():
            j = j * k + self.terms.get(name, 0)
            if j:
                self.terms[name] = j
            else:
                self.terms.pop(name, None)

    def __str__(self) -> str:
        for number in (self.constant, *self.terms.values()):
            if number.bit_length() > BITS:
                raise UndecidedError(
                    f"a number of the map has {number.bit_length()} bits; relations take {BITS}",
                    budget="bits",
                )
        parts = [
            ("+ " if k > 0 else "- ") + ("" if abs(k) == 1 else str(abs(k))) + name
            for name, k in sorted(self.terms.items())
        ]
        if self.constant or not parts:
            parts.append(f"{'-' if self.constant < 0 else '+'} {abs(self.constant)}")
        return " ".join(parts).removeprefix("+ ")


def isl_text(map: IndexingMap, reads: Sequence[tuple[Read, tuple[Value, ...]]], replica: bool) -> str:
    """Return the relation of a map's pairs in isl's notation, with its runtime variables as parameters.

    Args:
        reads: The read of each of the map's runtime variables, and its indices that depend on the point;
            then the other parameters.
        replica: Whether the replica that is read is one more result, the last.

    Raises:
        UnsupportedError: the map has a product of two variables, or a division by one.
    """
    return _Builder(map, reads).text(replica)


def tuple_text(letter: str, count: int) -> str:
    """Return the names of some places: ``[d0, d1]``."""
    return f"[{', '.join(f'{letter}{i}' for i in range(count))}]"


class _Builder:
    def __init__(self, map: IndexingMap, reads: Sequence[tuple[Read, tuple[Value, ...]]]) -> None:
        self.map, self.reads = map, reads
        self.inner = [f"s{i}" for i in range(len(map.ranges))]
        self.facts: list[str] = []
        self._made: dict[Any, str] = {}
        self._done: dict[Atom, _Linear] = {}

    def text(self, replica: bool) -> str:
        map = self.map
        names = list(dict.fromkeys(name for read, _ in self.reads for name in read.parameters))
        count = len(map.results) + replica
        head = f"{tuple_text('d', len(map.dims))} -> {tuple_text('e', count)}"
        front = f"[{', '.join(names)}] -> " if names else ""
        if map.is_known_empty:
            return f"{front}{{ {head} : false }}"
        for kind, i, bounds in self._bounds():
            self.facts.append(_inside(self._name(kind, i), bounds))
        for x, bounds in map.constraints:
            self.facts.append(_inside(str(self.linear(x)), bounds))
        for read, indices in self.reads:
            for name, x in zip(read.parameters[1:], indices, strict=True):
                self.facts.append(f"{name} = {self.linear(x)}")
        results = [str(self.linear(x)) for x in map.results]
        if replica:
            results.append(self._own_replica() if map.replica is None else str(self.linear(map.replica)))
        self.facts += [f"e{i} = {x}" for i, x in enumerate(results)]
        body = " and ".join(self.facts)
        if self.inner:
            body = f"exists ({', '.join(self.inner)} : {body})"
        return f"{front}{{ {head}{' : ' if body else ''}{body} }}"

    def _own_replica(self) -> str:
        return next(read.name for read, _indices in self.reads if read.is_replica)

    def _bounds(self) -> list[tuple[int, int, Interval]]:
        kinds = self.map.kinds
        places = [(kind, i) for kind, variables in enumerate(kinds) for i in range(len(variables))]
        return [(*place, v.bounds) for place, v in zip(places, self.map.variables, strict=True)]

    def _name(self, kind: int, i: int) -> str:
        return self.reads[i][0].name if kind == 2 else f"{_LETTERS[kind]}{i}"

    def linear(self, x: Value) -> _Linear:
        """The value as a sum; quotients and minima become names of their own."""
        if type(x) is Expr:
            for atom in inner_first(x):  # an atom in many places is visited once
                if atom not in self._done:
                    self._done[atom] = self._atom(atom)
        return self._sum(x)

    def _sum(self, x: Value) -> _Linear:
        """The sum of a value whose atoms have names."""
        if type(x) is not Expr:
            return _Linear(x)
        out = _Linear(x.constant)
        for monomial, k in x.terms.items():
            product = _Linear(1)
            for atom in monomial:
                factor = self._done[atom]
                if product.terms and factor.terms:
                    raise UnsupportedError(
                        f"{x!r} has a product of two variables, which no relation of isl expresses",
                        "map.points() enumerates small maps of any kind.",
                        expr=x,
                    )
                if product.terms:
                    product, factor = factor, product
                scaled = _Linear()
                scaled.add(factor, product.constant)
                product = scaled
            out.add(product, k)
        return out

    def _atom(self, atom: Atom) -> _Linear:
        if type(atom) is Symbol:
            kind, i = place_of(atom)
            bounds = self.map.kinds[kind][i].bounds
            return _Linear(bounds.lower) if bounds.is_point else _Linear(0, {self._name(kind, i): 1})
        if type(atom) is Least:
            items = [str(self._sum(item)) for item in atom.parts]
            least = items[0]
            for item in items[1:]:
                least = f"min({least}, {item})"
            return self._new_name(("min", *items), least)
        division: Any = atom
        x, c = self._sum(division.dividend), self._sum(division.divisor)
        if c.terms or c.constant <= 0:
            raise UnsupportedError(
                f"{division.dividend} is divided by {division.divisor}, "
                "and isl divides by positive numbers alone",
                expr=division.dividend,
            )
        quotient = self._new_name(
            ("//", key_of(division.dividend), c.constant), f"floor(({x})/{c.constant})"
        )
        if type(atom) is Remainder:  # x mod c == x - c*(x floordiv c)
            x.add(quotient, -c.constant)
            return x
        return quotient

    def _new_name(self, key: object, value: str) -> _Linear:
        name = self._made.get(key)
        if name is None:
            name = self._made[key] = f"q{len(self._made)}"
            self.inner.append(name)
            self.facts.append(f"{name} = {value}")
        return _Linear(0, {name: 1})


def _inside(x: str, bounds: Interval) -> str:
    return f"{bounds.lower} <= {x} <= {bounds.upper}"
