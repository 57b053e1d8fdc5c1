"""Indexing maps as text: XLA's forms, written and read.

=========  ======================================================================================
form       what it writes
=========  ======================================================================================
``2025``   ``(d0)[s0]{rt0} -> (d0 floordiv 2 + s0), domain: d0 in [0, 9], s0 in [0, 1], rt0 in ...``
``2026``   the same with ``/`` for ``floordiv``, and summands in the order of their kinds alone
``old``    a line for each bound; runtime variables stand among the ranges, each with the lines
           ``hlo: of = s32[] parameter(1)`` and ``(d0) -> ()``, its source
=========  ======================================================================================

`parse_map` reads all of them, and what follows a map where `to_text` writes its sources::

    runtime variables:
      rt0: %of = s32[] parameter(1); (d0) -> (), clamp [0, 2], on (d0) -> (d0 floordiv 4)
    replica id: (d0) -> (d0 floordiv 4)

Source: XLA ``indexing_map_serialization.cc``; the order of summands ``indexing_map.cc``.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any, ClassVar, Final

from ..errors import ParseError, TlaError, UndecidedError, UnsupportedError
from ..expr import Expr, Symbol, Value, free_symbols
from ..expr.evaluation import replaced
from ..expr.nodes import Least, Quotient, Remainder, Terms, bounds_of, combined, made
from ..expr.printers import mlir_style, written
from ..expr.reading import Names, expr_at
from ..text import Scanner, did_you_mean, near_words, shortened
from .maps import Constraint, IndexingMap, require_map
from .variables import REPLICA, Interval, RuntimeVariable, Source, Variable, dim, place_of, rng, rt

if TYPE_CHECKING:
    from ..expr.nodes import Monomial

__all__ = ["FORMS", "parse_map", "to_text"]

FORMS: Final = ("2025", "2026", "old")


# --- writing ----------------------------------------------------------------------------------


def to_text(map: IndexingMap, form: str = "2025", sources: bool = False) -> str:
    """Return a map as XLA writes it; `parse_map` reads it back.

    >>> m = parse_map("(d0, d1) -> (d0 / 8 * 2 + d1), domain: d0 in [0, 63], d1 in [0, 1]")
    >>> print(to_text(m), to_text(m, "2026"), sep="\\n")
    (d0, d1) -> ((d0 floordiv 8) * 2 + d1), domain: d0 in [0, 63], d1 in [0, 1]
    (d0, d1) -> ((d0 / 8) * 2 + d1), domain: d0 in [0, 63], d1 in [0, 1]

    Args:
        form: ``"2025"``, ``"2026"`` or ``"old"``; see the head of this module.
        sources: Whether to write what the runtime variables are read from, and the replica; the old
            form always has the former.

    Raises:
        UnsupportedError: there is no such form.
    """
    require_map(map)
    if form not in FORMS:
        raise UnsupportedError(f"no form {form!r} of maps", did_you_mean([], FORMS), form=form)
    if map.is_undefined:
        return "UNDEFINED"
    if map.is_known_empty:
        return "KNOWN EMPTY"
    return _Writer(map, form).text(sources)


class _Writer:
    """The texts of one map's parts."""

    def __init__(self, map: IndexingMap, form: str) -> None:
        self.map, self.form = map, form
        kinds: list[list[str]] = [[v.name for v in vs] for vs in (map.dims, map.ranges, map.runtime)]
        if form == "old":  # runtime variables are numbered on behind the ranges
            names = (f"s{i}" for i in count(len(map.ranges)))
            free = (name for name in names if name not in kinds[0] + kinds[1])
            kinds[2] = [next(free) for _variable in map.runtime]
        self.kinds = kinds
        self.within = map.within()
        self.style = mlir_style(
            "/" if form == "2026" else "floordiv",
            name=self._name,
            order=in_order if form == "2026" else in_mlir_order,
        )

    def _name(self, symbol: Symbol) -> str:
        kind, i = place_of(symbol)
        return self.kinds[kind][i]

    def expr(self, x: Value) -> str:
        return written(self._from_first_period(x), self.style).text

    def _from_first_period(self, x: Value) -> Value:
        """The value with dividends that begin in ``[0, divisor)``, as the ops of XLA make them.

        The rules of `tla.expr` leave the constant of a dividend in ``[0, divisor)``: a slice from 3 by 7
        is ``(d0 + 4) floordiv 7 - 1`` to them, and ``(d0 - 3) floordiv 7`` where ``d0`` begins at 3.
        """
        if type(x) is not Expr or not x.kinds:
            return x
        terms: Terms = {}
        constant = x.constant
        for monomial, k in x.terms.items():
            atoms = [self._shifted(atom) for atom in monomial]
            if len(atoms) == 1:  # k * ((y + n*c) // c) == k * (y // c) + k*n
                constant += k * atoms[0][1]
            elif any(periods for _atom, periods in atoms):
                atoms = [(atom, 0) for atom in monomial]
            terms[tuple(atom for atom, _periods in atoms)] = k
        return made(terms, constant, x.kinds)

    def _shifted(self, atom: Any) -> tuple[Any, int]:
        """A division of a dividend some periods lower, and how many less its quotient is."""
        if type(atom) not in (Quotient, Remainder) or type(atom.divisor) is Expr:
            return atom, 0
        y, c = atom.dividend, atom.divisor
        periods = 0
        if y.constant:
            low = bounds_of(replaced(y, self.within))[0]
            periods = 0 if low is None else low // c
        lower = combined(self._from_first_period(y), 1, -periods * c, 1)
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
        """A map to an element, from the dims alone where it needs no others, as XLA writes it."""
        if any(place_of(symbol)[0] for x in index for symbol in free_symbols(x)):
            return self.arrow(index)
        return f"({', '.join(self.kinds[0])}) -> ({', '.join(map(self.expr, index))})"

    def text(self, sources: bool) -> str:
        map = self.map
        names = [name for kind in self.kinds for name in kind]
        bounds = [f"{name} in {v.bounds}" for name, v in zip(names, map.variables, strict=True)]
        constraints = sorted(f"{self.expr(x)} in {bounds}" for x, bounds in map.constraints)
        if self.form == "old":
            lines = bounds[: len(bounds) - len(map.runtime)]
            for bound, variable in zip(bounds[len(lines) :], map.runtime, strict=True):
                lines += [bound, *self._old_source(variable)]
            domain = "\ndomain:\n" + "\n".join(lines + constraints)
        else:
            domain = ", domain: " + ", ".join(bounds + constraints)
        text = self.arrow(map.results) + (domain if names else "")
        return text + (self.sources() if sources else "")

    def _old_source(self, variable: RuntimeVariable) -> list[str]:
        source = variable.source
        if source is None:
            return []
        return [f"hlo: {source.definition or source.instruction}", self.place(source.place)]

    def sources(self) -> str:
        """The lines that follow a map: what it reads, and where."""
        lines: list[str] = []
        for name, variable in zip(self.kinds[2], self.map.runtime, strict=True):
            source = variable.source
            if source is not None:
                clamp = f", clamp {source.clamp}" if source.clamp is not None else ""
                where = f", on {self.place(source.indices[:1])}" if source.elsewhere else ""
                said = source.definition or source.instruction
                of = said if said.startswith("%") or source.instruction == REPLICA else f"%{said}"
                lines.append(f"  {name}: {of}; {self.place(source.place)}{clamp}{where}")
        text = "\nruntime variables:\n" + "\n".join(lines) if lines else ""
        if self.map.replica is not None:
            text += f"\nreplica id: {self.place((self.map.replica,))}"
        return text


# The kinds of MLIR's expressions, in the order in which XLA sorts summands.
_ADD, _MUL, _MOD, _FLOOR, _MIN, _NUMBER, _DIM, _SYMBOL = range(8)


def in_order(x: Expr) -> list[tuple[Monomial, int]]:
    """Return the terms of a sum by their kinds, then by their operands."""
    return sorted(x.terms.items(), key=_term_key)


def in_mlir_order(x: Expr) -> list[tuple[Monomial, int]]:
    """Return the terms as `in_order`, but one with a dim first: MLIR moves symbols to the right."""
    terms = in_order(x)
    for i, (monomial, _k) in enumerate(terms):
        if any(_has_dim(atom) for atom in monomial):
            return [terms[i], *terms[:i], *terms[i + 1 :]]
    return terms


def _has_dim(atom: Any) -> bool:
    if type(atom) is Symbol:
        return place_of(atom)[0] == 0
    items = atom.items if type(atom) is Least else (atom.dividend, atom.divisor)
    return any(
        _has_dim(inner) for x in items if type(x) is Expr for monomial in x.terms for inner in monomial
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
        return (_MIN, *map(_key, atom.items))
    kind = _MOD if type(atom) is Remainder else _FLOOR
    assert kind == _MOD or type(atom) is Quotient
    return (kind, _key(atom.dividend), _key(atom.divisor))


def _key(x: Value) -> tuple[Any, ...]:
    if type(x) is not Expr:
        return (_NUMBER, x)
    key, *others = sorted(map(_term_key, x.terms.items()))  # each once: terms nest
    for other in others:
        key = (_ADD, key, other)
    return (_ADD, key, (_NUMBER, x.constant)) if x.constant else key


# --- reading ----------------------------------------------------------------------------------

_ROOM: Final = 200
"""How deep expressions may nest."""


def parse_map(text: str) -> IndexingMap:
    """Return the map that a text in any of XLA's forms writes.

    >>> print(parse_map('''(d0)[s0] -> (d0 + s0)
    ... domain:
    ... d0 in [0, 3]
    ... s0 in [0, 1]
    ... hlo: of1 = s32[] parameter(1)
    ... (d0) -> ()'''))
    (d0){rt0} -> (d0 + rt0), domain: d0 in [0, 3], rt0 in [0, 1]

    Raises:
        ParseError: the text is no map, a variable has no bounds, an expression names another one.
    """
    scan = Scanner(text)
    for word, value in (("KNOWN EMPTY", _known_empty), ("UNDEFINED", _undefined)):
        if scan.accept(word):
            scan.expect_end()
            return value()
    return _Reader(scan).map()


def _known_empty() -> IndexingMap:
    return IndexingMap((), is_known_empty=True)


def _undefined() -> IndexingMap:
    return IndexingMap.undefined("the text says so")


class _Names(Names):
    """The variables of a map by the names that its text gives them."""

    slash_rounds: ClassVar[bool] = True

    def cannot(self, error: TlaError) -> str:
        """A divisor that has a variable may be 0 or negative: the bounds are not read yet."""
        undecided = isinstance(error, UndecidedError)
        return "the divisors of a map are numbers" if undecided else error.summary

    @property
    def known(self) -> dict[str, Value]:
        """What the names stand for; more may be added."""
        return self._known

    def value_at(self, scan: Scanner, start: int, name: str, room: int) -> Value:
        value = self._known.get(name)
        if value is None:
            near = did_you_mean(near_words(name, self._known), self._known)
            here = near if self._known else "The map has no variables."
            raise ParseError(
                f"the map has no variable {shortened(name)!r}",
                scan.text,
                start,
                start + max(1, len(name)),
                here,
            )
        return value


class _Reader:
    """A map while it is read."""

    def __init__(self, scan: Scanner) -> None:
        self.scan = scan
        self.places: dict[str, int] = {}
        self.bounds: dict[str, Interval] = {}
        self.sources: dict[str, Source] = {}
        self.constraints: list[Constraint] = []
        self.replica: Value | None = None

    def map(self) -> IndexingMap:
        scan = self.scan
        kinds, names = self._head()
        scan.expect("->", "and the results")
        results = self._results(names)
        scan.accept(",")
        if scan.accept("domain:"):
            self._domain(kinds, names)
        elif any(kinds) and not self._is_behind_domain():
            scan.expect("domain:", "and the bounds of the variables")
        self._check_bounded(kinds)
        if scan.accept("runtime variables:"):
            self._runtime_variables(kinds)
        if scan.accept("replica id:"):
            (self.replica,) = self._arrow(kinds, 1)
        scan.expect_end()
        return self._made(kinds, results, names)

    # --- variables and results ---

    def _head(self) -> tuple[list[list[str]], _Names]:
        """``(d0, d1)[s0]{rt0}``: the names of each kind."""
        kinds: list[list[str]] = []
        known: dict[str, Value] = {}
        for of, opening, closing in ((dim, "(", ")"), (rng, "[", "]"), (rt, "{", "}")):
            names: list[str] = []
            if opening == "(":
                self.scan.expect("(", "and the dims of a map, as in '(d0, d1) -> (d1, d0)'")
            if opening == "(" or self.scan.accept(opening):
                while not self.scan.accept(closing):
                    if names:
                        self.scan.expect(",", f"or {closing!r} after a variable")
                    name = self._name(known)
                    known[name] = of(len(names))
                    names.append(name)
            kinds.append(names)
        return kinds, _Names(self.scan.text, known)

    def _name(self, known: dict[str, Value]) -> str:
        start = self.scan.at
        name = self.scan.word()
        if not name or not name[0].isalpha() or not name.isascii():
            self.scan.fail(
                f"expected the name of a variable, found {shortened(name) or self.scan.found()}", start
            )
        if name in known:
            self.scan.fail(f"there is a variable {shortened(name)} already", start, start + len(name))
        self.places[name] = start
        return name

    def _results(self, names: _Names) -> list[Value]:
        scan = self.scan
        scan.expect("(", "and the results of the map")
        results: list[Value] = []
        while not scan.accept(")"):
            if results:
                scan.expect(",", "or ')' after a result")
            results.append(expr_at(scan, names, _ROOM, "a result"))
        return results

    def _arrow(self, kinds: list[list[str]], results: int | None = None) -> tuple[Value, ...]:
        """Another map from the same variables, as sources have: its results."""
        scan, start = self.scan, self.scan.at
        inner = _Reader(scan)
        heads, names = inner._head()
        known = names.known
        if len(heads[0]) != len(kinds[0]):
            scan.fail(
                f"{len(heads[0])} dims here, {len(kinds[0])} in the map",
                start,
                max(scan.last, start + 1),
            )
        flat = [
            x for of, kind in zip((rng, rt), kinds[1:], strict=True) for x in map(of, range(len(kind)))
        ]
        others = [*heads[1], *heads[2]]
        if len(others) > len(flat):
            scan.fail(
                f"more symbols here than the map has, {len(flat)}", start, max(scan.last, start + 1)
            )
        known.update(dict(zip(others, flat, strict=False)))
        scan.expect("->", "and the index of an element")
        found = inner._results(names)
        if results is not None and len(found) != results:
            scan.fail(f"expected {results} result, found {len(found)}", start, max(scan.last, start + 1))
        return tuple(found)

    # --- the domain ---

    def _domain(self, kinds: list[list[str]], names: _Names) -> None:
        scan = self.scan
        last = ""
        while not self._is_behind_domain():
            if scan.text.startswith("hlo:", scan.at):
                self._old_source(kinds, last)
                continue
            start = scan.at
            x = expr_at(scan, names, _ROOM, "a bound such as 'd0 in [0, 9]'")
            written_as = scan.text[start : scan.last].strip()
            scan.expect("in", "and an interval after the expression")
            bounds = self._interval()
            scan.accept(",")
            if written_as in self.places and written_as not in self.bounds:
                self.bounds[written_as] = bounds
                last = written_as
            else:
                self.constraints.append(Constraint(x, bounds))

    def _is_behind_domain(self) -> bool:
        scan = self.scan
        return scan.done or scan.text.startswith(("runtime variables:", "replica id:"), scan.at)

    def _interval(self) -> Interval:
        scan = self.scan
        scan.expect("[", "and the least value of an interval")
        lower = scan.integer("the least value")
        scan.expect(",", "between the ends of an interval")
        upper = scan.integer("the greatest value")
        scan.expect("]", "after an interval")
        return Interval(lower, upper)

    def _old_source(self, kinds: list[list[str]], name: str) -> None:
        """``hlo: of = s32[] parameter(1)`` and a map, behind the bounds of a range of the old form."""
        scan, start = self.scan, self.scan.at
        if name not in kinds[1] + kinds[2]:
            scan.fail("'hlo:' follows the bounds of a runtime variable", start, start + 4)
        stop = scan.text.find("\n", start)
        stop = len(scan.text) if stop < 0 else stop
        definition = scan.text[start + 4 : stop].strip()
        scan.at = stop
        scan.accept("\n")
        index: tuple[Value, ...] = ()
        if scan.peek() == "(":
            index = self._arrow(kinds)
        scan.accept(",")
        self.sources[name] = _source(definition, index, None)

    def _runtime_variables(self, kinds: list[list[str]]) -> None:
        scan, symbols = self.scan, kinds[1] + kinds[2]
        while not scan.done and not scan.text.startswith("replica id:", scan.at):
            start = scan.at
            name = scan.word()
            if name not in symbols:
                what = f"{shortened(name)!r}" if name else scan.found()
                scan.fail(
                    f"expected a runtime variable of the map, found {what}",
                    start,
                    start + max(1, len(name)),
                )
            scan.expect(":", "after a runtime variable")
            stop = scan.text.find(";", scan.at)
            if stop < 0:
                scan.fail("expected an instruction, ';' and a map", scan.at)
            definition = scan.text[scan.at : stop].strip()
            scan.at = stop
            scan.expect(";")
            index = self._arrow(kinds)
            clamp: Interval | None = None
            replica: tuple[Value, ...] = ()
            scan.accept(",")
            if self._says("clamp"):
                clamp = self._interval()
                scan.accept(",")
            if self._says("on"):
                replica = self._arrow(kinds, 1)
                scan.accept(",")
            source = _source(definition, index, clamp)
            self.sources[name] = source.on(*replica) if replica else source

    def _says(self, word: str) -> bool:
        """Whether a word comes next, and is no name of a variable; pass it then."""
        scan, start = self.scan, self.scan.at
        if scan.word() == word and scan.peek() != ":":
            return True
        scan.at = start
        return False

    def _check_bounded(self, kinds: list[list[str]]) -> None:
        for name in (name for kind in kinds for name in kind):
            if name not in self.bounds:
                start = self.places[name]
                self.scan.fail(
                    f"{shortened(name)} has no bounds: the domain says 'd0 in [0, 9]' for each",
                    start,
                    start + len(name),
                )

    def _made(self, kinds: list[list[str]], results: list[Value], names: _Names) -> IndexingMap:
        dims = [Variable(name, self.bounds[name]) for name in kinds[0]]
        ranges = [Variable(name, self.bounds[name]) for name in kinds[1]]
        runtime = [RuntimeVariable(name, self.bounds[name], self.sources.get(name)) for name in kinds[2]]
        moved = [name for name in kinds[1] if name in self.sources]
        m = IndexingMap(results, dims, ranges, runtime, self.constraints, self.replica)
        return m if not moved else _ranges_to_runtime(m, {name: self.sources[name] for name in moved})


def _source(definition: str, index: tuple[Value, ...], clamp: Interval | None) -> Source:
    """The source that an instruction's text names, in full or by its name alone."""
    name = definition.split("=", 1)[0].split()[-1:] or [definition]
    instruction = name[0].removeprefix("%")
    whole = definition if "=" in definition else ""
    return Source(instruction, index, clamp, whole.removeprefix("%"))


def _ranges_to_runtime(m: IndexingMap, sources: dict[str, Source]) -> IndexingMap:
    """The map with the ranges that are read while the program runs as what they are."""
    kept: list[Variable] = []
    values: dict[Symbol, Value] = {}
    runtime: list[RuntimeVariable] = []
    for i, v in enumerate(m.ranges):
        symbol, is_numbered = rng(i).symbols[0], v.name == f"s{i}"
        if v.name in sources:
            name = f"rt{len(runtime)}" if is_numbered else v.name
            values[symbol] = rt(len(runtime))
            runtime.append(RuntimeVariable(name, v.bounds, sources[v.name]))
        else:
            values[symbol] = rng(len(kept))
            kept.append(v._replace(name=f"s{len(kept)}") if is_numbered else v)
    values |= {rt(i).symbols[0]: rt(len(runtime) + i) for i in range(len(m.runtime))}
    put = m.substituted(values)
    moved = [
        v._replace(source=v.source and v.source._replace(indices=tuple(map(put, v.source.indices))))
        for v in (*runtime, *m.runtime)
    ]
    return IndexingMap(
        map(put, m.results),
        m.dims,
        kept,
        moved,
        [(put(x), bounds) for x, bounds in m.constraints],
        None if m.replica is None else put(m.replica),
        m.is_known_empty,
    )
