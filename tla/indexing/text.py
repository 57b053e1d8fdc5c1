# SPDX-License-Identifier: Apache-2.0
"""The writer of indexing maps in XLA's forms.

=========  ======================================================================================
form       text
=========  ======================================================================================
``2025``   ``(d0)[s0]{rt0} -> (d0 floordiv 2 + s0), domain: d0 in [0, 9], s0 in [0, 1], rt0 in ...``
``2026``   the same with ``/`` for ``floordiv``, and summands in the order of their kinds alone
``old``    a line for each bound; runtime variables stand among the ranges, each with the lines
           ``hlo: of = s32[] parameter(1)`` and ``(d0) -> ()``, its source
=========  ======================================================================================

`parse_map` reads all of them, also with the sources that `to_text` can write after a map::

    runtime variables:
      rt0: %of = s32[] parameter(1); (d0) -> (), clamp [0, 2], on (d0) -> (d0 floordiv 4)
    replica id: (d0) -> (d0 floordiv 4)

Source: XLA ``indexing_map_serialization.cc``; the order of summands ``indexing_map.cc``.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any, Final

from ..numbers import (
    Expr,
    Least,
    Quotient,
    Remainder,
    Style,
    Symbol,
    Terms,
    Value,
    bounds_of,
    expr_of,
    free_symbols,
    mlir_style,
    raw_sum,
    rebind,
    text_in,
)
from .variables import REPLICA, place_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..numbers import Interval, Monomial
    from .making import Constraint
    from .variables import Kinds, RuntimeVariable

FORMS: Final = ("2025", "2026", "old")


class MapWriter:
    """The texts of the parts of a map with some dims, ranges and runtime variables.

    Args:
        within: For each variable the unknown within its bounds.
    """

    def __init__(self, form: str, kinds: Kinds, within: dict[Symbol, Expr]) -> None:
        self.form: str = form
        self.within: dict[Symbol, Expr] = within
        self.bounds: list[Interval] = [v.bounds for vs in kinds for v in vs]
        self.runtime: tuple[RuntimeVariable, ...] = kinds[2]
        self.kinds: list[list[str]] = [[v.name for v in vs] for vs in kinds]
        if form == "old":  # the numbers of runtime variables follow those of the ranges
            names = (f"s{i}" for i in count(len(kinds[1])))
            free = (name for name in names if name not in self.kinds[0] + self.kinds[1])
            self.kinds[2] = [next(free) for _variable in kinds[2]]
        self.style: Style = mlir_style(
            "/" if form == "2026" else "floordiv",
            name=self._name,
            order=in_order if form == "2026" else in_mlir_order,
        )

    def _name(self, symbol: Symbol) -> str:
        kind, i = place_of(symbol)
        return self.kinds[kind][i]

    def expr(self, x: Value) -> str:
        return text_in(self._from_first_period(x), self.style).text

    def _from_first_period(self, x: Value) -> Value:
        """The value with dividends that begin in ``[0, divisor)``, as in XLA.

        The rules of `tla.numbers` bring the constant of a dividend into ``[0, divisor)``: a slice from 3
        by 7 is ``(d0 + 4) floordiv 7 - 1`` there. Here it is ``(d0 - 3) floordiv 7`` if ``d0`` begins at
        3.
        """
        if type(x) is not Expr or not x.kinds:
            return x
        terms: Terms = {}
        constant = x.constant
        for monomial, k in x.terms.items():
            atoms = [self._shift(atom) for atom in monomial]
            if len(atoms) == 1:  # k * ((y + n*c) // c) == k * (y // c) + k*n
                constant += k * atoms[0][1]
            elif any(periods for _atom, periods in atoms):
                atoms = [(atom, 0) for atom in monomial]
            terms[tuple(atom for atom, _periods in atoms)] = k
        return expr_of(terms, constant, x.kinds)

    def _shift(self, atom: Any) -> tuple[Any, int]:
        """A division with a dividend some periods lower, and the difference of its quotient."""
        if type(atom) not in (Quotient, Remainder) or type(atom.divisor) is Expr:
            return atom, 0
        y, c = atom.dividend, atom.divisor
        periods = 0
        if y.constant:
            low = bounds_of(rebind(y, self.within))[0]
            periods = 0 if low is None else low // c
        lower = raw_sum(self._from_first_period(y), 1, -periods * c, 1)
        return (
            (Quotient.make(lower, c), periods)
            if type(atom) is Quotient
            else (Remainder.make(lower, c), 0)
        )

    def head(self) -> str:
        """The variables: ``(d0, d1)[s0]{rt0}``."""
        dims, ranges, runtime = (", ".join(names) for names in self.kinds)
        if self.form == "old":
            ranges, runtime = ", ".join([*self.kinds[1], *self.kinds[2]]), ""
        return f"({dims})" + (f"[{ranges}]" if ranges else "") + (f"{{{runtime}}}" if runtime else "")

    def arrow(self, results: tuple[Value, ...]) -> str:
        return f"{self.head()} -> ({', '.join(map(self.expr, results))})"

    def place(self, index: tuple[Value, ...]) -> str:
        """A map to an element, from only the dims if it needs no other variables, as in XLA."""
        if any(place_of(symbol)[0] for x in index for symbol in free_symbols(x)):
            return self.arrow(index)
        return f"({', '.join(self.kinds[0])}) -> ({', '.join(map(self.expr, index))})"

    def text(self, results: tuple[Value, ...], constraints: Iterable[Constraint]) -> str:
        """The map itself."""
        names = [name for kind in self.kinds for name in kind]
        bounds = [f"{name} in {interval}" for name, interval in zip(names, self.bounds, strict=True)]
        conditions = sorted(f"{self.expr(x)} in {interval}" for x, interval in constraints)
        if self.form == "old":
            lines = bounds[: len(bounds) - len(self.runtime)]
            for bound, variable in zip(bounds[len(lines) :], self.runtime, strict=True):
                lines += [bound, *self._old_source(variable)]
            domain = "\ndomain:\n" + "\n".join(lines + conditions)
        else:
            domain = ", domain: " + ", ".join(bounds + conditions)
        return self.arrow(results) + (domain if names else "")

    def _old_source(self, variable: RuntimeVariable) -> list[str]:
        source = variable.source
        if source is None:
            return []
        return [f"hlo: {source.definition or source.instruction}", self.place(source.place)]

    def sources(self, replica: Value | None) -> str:
        """The lines after a map: its sources and its replica."""
        lines: list[str] = []
        for name, variable in zip(self.kinds[2], self.runtime, strict=True):
            source = variable.source
            if source is not None:
                clamp = f", clamp {source.clamp}" if source.clamp is not None else ""
                where = f", on {self.place(source.indices[:1])}" if source.elsewhere else ""
                of = source.definition or source.instruction
                if not of.startswith("%") and source.instruction != REPLICA:
                    of = f"%{of}"
                lines.append(f"  {name}: {of}; {self.place(source.place)}{clamp}{where}")
        text = "\nruntime variables:\n" + "\n".join(lines) if lines else ""
        if replica is not None:
            text += f"\nreplica id: {self.place((replica,))}"
        return text


# The kinds of MLIR's expressions, in the order in which XLA sorts summands.
_ADD, _MUL, _MOD, _FLOOR, _MIN, _NUMBER, _DIM, _SYMBOL = range(8)


def in_order(x: Expr) -> list[tuple[Monomial, int]]:
    """Return the terms of a sum by their kinds, then by their operands."""
    return sorted(x.terms.items(), key=_term_key)


def in_mlir_order(x: Expr) -> list[tuple[Monomial, int]]:
    """Return the terms as in `in_order`, but with a dim first: MLIR moves symbols to the right."""
    terms = in_order(x)
    for i, (monomial, _k) in enumerate(terms):
        if any(_has_dim(atom) for atom in monomial):
            return [terms[i], *terms[:i], *terms[i + 1 :]]
    return terms


def _has_dim(atom: Any) -> bool:
    if type(atom) is Symbol:
        return place_of(atom)[0] == 0
    return any(
        _has_dim(inner)
        for x in atom.parts
        if type(x) is Expr
        for monomial in x.terms
        for inner in monomial
    )


def _term_key(term: tuple[Monomial, int]) -> tuple[Any, ...]:
    monomial, k = term
    key = _atom_key(monomial[0])
    for atom in monomial[1:]:
        key = (_MUL, key, _atom_key(atom))
    return key if k == 1 else (_MUL, key, (_NUMBER, k))


def _atom_key(atom: Any) -> tuple[Any, ...]:
    if type(atom) is Symbol:
        kind, i = place_of(atom)
        return (_DIM, i) if kind == 0 else (_SYMBOL, kind, i)
    if type(atom) is Least:
        return (_MIN, *sorted(map(order_key, atom.parts)))
    kind = _MOD if type(atom) is Remainder else _FLOOR
    assert kind == _MOD or type(atom) is Quotient
    return (kind, order_key(atom.dividend), order_key(atom.divisor))


def order_key(x: Value) -> tuple[Any, ...]:
    """Return a key of expressions by their kinds, then by their operands."""
    if type(x) is not Expr:
        return (_NUMBER, x)
    key, *others = sorted(map(_term_key, x.terms.items()))  # each once: terms nest
    for other in others:
        key = (_ADD, key, other)
    return (_ADD, key, (_NUMBER, x.constant)) if x.constant else key
