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

If the expressions are long, each division that they share is written once, after the domain::

    (d0) -> (t1 * 15 + t0), domain: d0 in [0, 209], where t0 = d0 floordiv 6, t1 = (d0 + t0) mod 14

Source: XLA ``indexing_map_serialization.cc``; the order of summands ``indexing_map.cc``. The part after
``where`` is ours.
"""

from __future__ import annotations

from collections import Counter
from itertools import count
from operator import attrgetter
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
    atoms_of,
    bounds_of,
    expr_of,
    free_symbols,
    mlir_style,
    raw_sum,
    rebind,
    sym,
    text_in,
)
from .variables import REPLICA, place_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..numbers import Atom, Interval, Monomial
    from .making import Constraint
    from .variables import Kinds, RuntimeVariable

FORMS: Final = ("2025", "2026", "old")


class MapWriter:
    """The texts of the parts of a map with some dims, ranges and runtime variables.

    Args:
        within: For each variable the unknown within its bounds.
        expressions: All expressions of the map.
    """

    def __init__(
        self, form: str, kinds: Kinds, within: dict[Symbol, Expr], expressions: Iterable[Value] = ()
    ) -> None:
        self.form: str = form
        self.within: dict[Symbol, Value] = {**within}
        self._bound: dict[Atom, Value | None] = {}  # the atoms within the bounds
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

        names = (name for i in count() if not any((name := f"t{i}") in kind for kind in self.kinds))
        self.parts: dict[Atom, Symbol] = {
            atom: sym(f"t{i}", min=None).symbols[0] for i, atom in enumerate(shared_parts(expressions))
        }
        self.part_names: list[str] = [next(names) for _atom in self.parts]

    def _name(self, symbol: Symbol) -> str:
        kind, i = _place(symbol)
        return self.part_names[i] if kind == _PART else self.kinds[kind][i]

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
        periods = self._periods(atom)
        new = self.parts.get(atom) or self._lower(atom, periods)
        return new, periods if type(atom) is Quotient else 0

    def _periods(self, atom: Any) -> int:
        if type(atom) not in (Quotient, Remainder) or type(atom.divisor) is Expr:
            return 0
        if not atom.dividend.constant:
            return 0
        low = bounds_of(rebind(atom.dividend, self.within, self._bound))[0]
        return 0 if low is None else low // atom.divisor

    def _lower(self, atom: Any, periods: int) -> Any:
        """The atom with such a dividend, and with symbols for the parts that are written once."""
        if not atom.parts or (atom.kind == Least.kind and not self.parts):
            return atom
        first, *others = map(self._from_first_period, atom.parts)
        lower = raw_sum(first, 1, -periods * atom.divisor, 1) if periods else first
        return atom.make(lower, *others)

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
        return self.arrow(results) + (domain if names else "") + self._where()

    def _where(self) -> str:
        """The parts that are written once."""
        lower = [expr_of({(self._lower(atom, self._periods(atom)),): 1}, 0, 7) for atom in self.parts]
        named = zip(self.part_names, lower, strict=True)
        parts = [f"{name} = {text_in(x, self.style).text}" for name, x in named]
        if not parts:
            return ""
        return "\nwhere\n" + "\n".join(parts) if self.form == "old" else ", where " + ", ".join(parts)

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


# --- parts that are written once --------------------------------------------------------------

_MOST_PARTS: Final = 256
"""The most operators of the expressions of a map that are written in full."""

_DEEPEST: Final = 16
"""The depth of an expression from which on its parts are written by themselves."""


def shared_parts(expressions: Iterable[Value]) -> list[Atom]:
    """Return the divisions and minima with more than one use if there are many, each after its parts."""
    values = list(expressions)
    made: dict[Atom, list[Atom]] = {  # an atom, and the atoms of its parts
        atom: [each for x in atom.parts for each in _atoms(x)]
        for atom in sorted({atom for x in values for atom in atoms_of(x)}, key=attrgetter("order"))
    }
    sizes: dict[Atom, int] = {}
    for atom, inner in made.items():
        sizes[atom] = 1 + sum(sizes[each] for each in inner)
    used = Counter(each for x in values for each in _atoms(x))
    if sum(n * sizes[atom] for atom, n in used.items()) <= _MOST_PARTS:
        return []
    used.update(each for inner in made.values() for each in inner)
    depths: dict[Atom, int] = {}
    for atom, inner in made.items():
        depths[atom] = 1 + max([depths[each] for each in inner], default=0)
        if inner and (used[atom] > 1 or depths[atom] > _DEEPEST):
            depths[atom] = 0
    return [atom for atom, depth in depths.items() if not depth]


def _atoms(x: Value) -> Iterator[Atom]:
    """The atoms of an expression, without those of their parts."""
    return (atom for monomial in x.terms for atom in monomial) if type(x) is Expr else iter(())


_PART: Final = 3


def _place(symbol: Symbol) -> tuple[int, int]:
    """The kind and number of a variable, or of a part that is written once."""
    return (_PART, int(symbol.name[1:])) if symbol.name[0] == "t" else place_of(symbol)


# --- the order of summands --------------------------------------------------------------------

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
        return _place(atom)[0] == 0
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
        kind, i = _place(atom)
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
