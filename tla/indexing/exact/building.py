# SPDX-License-Identifier: Apache-2.0
"""A map as isl's text: its bounds, its constraints, a name for each quotient and minimum in it.

>>> from .. import parse_map
>>> from .reads import reads_of
>>> m = parse_map("(d0)[s0] -> (d0 floordiv 4 + s0, d0 mod 4), domain: d0 in [0, 7], s0 in [0, 1]")
>>> print(isl_text(m, [], False))
{ [d0] -> [e0, e1] : exists (s0, q0 : 0 <= d0 <= 7 and 0 <= s0 <= 1 and q0 = floor((d0)/4) and \
e0 = q0 + s0 and e1 = q0 * -4 + d0) }
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any, Final

from ...errors import UndecidedError, UnsupportedError
from ...numbers import (
    Expr,
    Interval,
    Least,
    Remainder,
    Symbol,
    Value,
    inner_first,
    key_of,
    mlir_style,
    rebuild,
    sym,
    text_in,
)
from ..variables import place_of
from .budget import BITS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...numbers import Atom
    from ..maps import IndexingMap
    from .reads import Read

_LETTERS: Final = "ds"
_STYLE: Final = mlir_style(name=lambda symbol: symbol.name)
_NO_VALUES: Final[dict[Symbol, Value]] = {}


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
        self._made: dict[Any, Value] = {}
        self._done: dict[Atom, Value | None] = {}

    def text(self, replica: bool) -> str:
        map = self.map
        names = list(dict.fromkeys(name for read, _ in self.reads for name in read.parameters))
        count = len(map.results) + replica
        head = f"{tuple_text('d', len(map.dims))} -> {tuple_text('e', count)}"
        front = f"[{', '.join(names)}] -> " if names else ""
        if map.is_known_empty:
            return f"{front}{{ {head} : false }}"
        variables = zip(map.within(), map.variables, strict=True)
        self.facts += [_inside(self._name(*place_of(s)), v.bounds) for s, v in variables]
        for x, bounds in map.constraints:
            self.facts.append(_inside(self.linear(x), bounds))
        for read, indices in self.reads:
            for name, x in zip(read.parameters[1:], indices, strict=True):
                self.facts.append(f"{name} = {self.linear(x)}")
        results = [self.linear(x) for x in map.results]
        if replica:
            own = next(read.name for read, _indices in self.reads if read.is_replica)
            results.append(own if map.replica is None else self.linear(map.replica))
        self.facts += [f"e{i} = {x}" for i, x in enumerate(results)]
        body = " and ".join(self.facts)
        if self.inner:
            body = f"exists ({', '.join(self.inner)} : {body})"
        return f"{front}{{ {head}{' : ' if body else ''}{body} }}"

    def _name(self, kind: int, i: int) -> str:
        return self.reads[i][0].name if kind == 2 else f"{_LETTERS[kind]}{i}"

    def linear(self, x: Value) -> str:
        """The text of a value as a sum; quotients and minima become names of their own."""
        for atom in inner_first(x, self._done):  # an atom in many places is visited once
            self._done[atom] = self._atom(atom)
        return self._written(self._sum(x))

    def _sum(self, x: Value) -> Any:
        """The sum of a value whose atoms have names."""
        total = rebuild(x, _NO_VALUES.get, self._done)
        if type(total) is Expr and any(len(monomial) > 1 for monomial in total.terms):
            raise UnsupportedError(
                f"{x!r} has a product of two variables, which no relation of isl expresses",
                "map.points() enumerates small maps of any kind.",
                expr=x,
            )
        return total

    def _written(self, x: Value) -> str:
        for number in (x.constant, *x.terms.values()) if type(x) is Expr else (x,):
            if number.bit_length() > BITS:
                raise UndecidedError(
                    f"a number of the map has {number.bit_length()} bits; relations take {BITS}",
                    budget="bits",
                )
        return text_in(x, _STYLE).text

    def _atom(self, atom: Any) -> Any:
        if type(atom) is Symbol:
            kind, i = place_of(atom)
            bounds = self.map.kinds[kind][i].bounds
            return bounds.lower if bounds.is_point else sym(self._name(kind, i), min=None)
        if type(atom) is Least:
            items = [self._written(self._sum(item)) for item in atom.parts]
            return self._new_name(
                ("min", *items), reduce(lambda least, item: f"min({least}, {item})", items)
            )
        x, c = self._sum(atom.dividend), self._sum(atom.divisor)
        if type(c) is Expr or c <= 0:
            raise UnsupportedError(
                f"{atom.dividend} is divided by {atom.divisor}, "
                "and isl divides by positive numbers alone",
                expr=atom.dividend,
            )
        quotient = self._new_name(
            ("//", key_of(atom.dividend), c), f"floor(({self._written(x)})/{self._written(c)})"
        )
        return x - quotient * c if type(atom) is Remainder else quotient

    def _new_name(self, key: object, value: str) -> Any:
        if key not in self._made:
            name = f"q{len(self._made)}"
            self._made[key] = sym(name, min=None)
            self.inner.append(name)
            self.facts.append(f"{name} = {value}")
        return self._made[key]


def _inside(x: str, bounds: Interval) -> str:
    return f"{bounds.lower} <= {x} <= {bounds.upper}"
