# SPDX-License-Identifier: Apache-2.0
"""The reader of indexing maps: `parse_map`, for all the forms of `tla.indexing.text`.

Source: XLA ``indexing_map_serialization.cc``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar, Final, NoReturn

from ..errors import LimitError, ParseError, UndecidedError
from ..ground import Scanner, did_you_mean, near_words, read_typed, shortened
from ..numbers import (
    Interval,
    Names,
    Quotient,
    Remainder,
    bounds_of,
    expr_at,
    operate,
    rebind,
)
from .making import Constraint
from .maps import IndexingMap
from .places import placed
from .variables import RuntimeVariable, Source, Variable, dim, rng, rt

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..numbers import Symbol, Value

_WHERE: Final = re.compile(r"[,\n]\s*where\s+(?=\w+ = )")
"""The beginning of the parts that are written once."""

_ROOM: Final = 200
"""The greatest depth of expressions."""


def parse_map(text: str) -> IndexingMap:
    """Return the map of a text in any of XLA's forms.

    >>> print(parse_map('''(d0)[s0] -> (d0 + s0)
    ... domain:
    ... d0 in [0, 3]
    ... s0 in [0, 1]
    ... hlo: of1 = s32[] parameter(1)
    ... (d0) -> ()'''))
    (d0){rt0} -> (d0 + rt0), domain: d0 in [0, 3], rt0 in [0, 1]

    It may stand in ``#xla.indexing_map<"...">``, or in ``affine_map<...>``, with the bounds behind it:

    >>> print(parse_map("affine_map<(d0, d1) -> (d1, d0)>, domain: d0 in [0, 3], d1 in [0, 1]"))
    (d0, d1) -> (d1, d0), domain: d0 in [0, 3], d1 in [0, 1]

    A divisor may be an expression. It is positive: where it is not, the map has no result.

    >>> print(parse_map("(d0)[s0] -> (d0 floordiv s0), domain: d0 in [0, 9], s0 in [0, 3]"))
    (d0)[s0] -> (d0 floordiv s0), domain: d0 in [0, 9], s0 in [1, 3]

    Raises:
        ParseError: the text is no map, a variable has no bounds, an expression names another one.
    """
    return read_typed(_whole, text)


_IN_MLIR: Final = re.compile(
    r'\s*(?:#xla\.indexing_map<\s*"(.*)"\s*>|affine_map<(.*)>(\s*,.*)?)\s*', re.DOTALL
)
"""A map as an attribute of MLIR; an affine map has no bounds, which may follow."""


def _whole(text: str) -> IndexingMap:
    attribute = _IN_MLIR.fullmatch(text)
    scan = Scanner("".join(filter(None, attribute.groups())) if attribute else text)
    if scan.accept("KNOWN EMPTY"):
        scan.expect_end()
        return IndexingMap((), is_known_empty=True)
    if scan.accept("UNDEFINED"):
        scan.expect_end()
        return IndexingMap.undefined("the text says so")
    return _Reader(scan).map()


class _Names(Names):
    """The variables of a map, by their names in its text."""

    slash_rounds: ClassVar[bool] = True

    def __init__(self, text: str, given: Mapping[str, Value], divisors: list[Value]) -> None:
        super().__init__(text, given)
        self.divisors = divisors

    def operate(self, sign: str, left: Value, right: Value) -> Value:
        try:
            return super().operate(sign, left, right)
        except LimitError:
            raise
        except UndecidedError:
            self.divisors.append(right)
            k = -1 if sign == "ceildiv" else 1  # rounded up it is -(-x floordiv c)
            return operate(Remainder if sign in ("%", "mod") else Quotient, left * k, right) * k

    @property
    def known(self) -> dict[str, Value]:
        """The values of the names; more may be added."""
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
    """The reader of one map."""

    def __init__(self, scan: Scanner) -> None:
        self.scan = scan
        self.places: dict[str, int] = {}
        self.bounds: dict[str, Interval] = {}
        self.sources: dict[str, Source] = {}
        self.constraints: list[Constraint] = []
        self.divisors: list[Value] = []
        """Divisors with variables: the map has no result where one of them is not positive."""
        self.replica: Value | None = None

    def map(self) -> IndexingMap:
        scan = self.scan
        kinds, names = self._head()
        end = self._parts(names)
        scan.expect("->", "and the results")
        results = self._results(names)
        scan.accept(",")
        if scan.accept("domain:"):
            self._domain(kinds, names)
        elif any(kinds) and not self._is_behind_domain():
            scan.expect("domain:", "and the bounds of the variables")
        self._check_bounded(kinds)
        scan.at = end or scan.at
        if scan.accept("runtime variables:"):
            self._runtime_variables(kinds)
        if scan.accept("replica id:"):
            (self.replica,) = self._arrow(kinds, 1)
        scan.expect_end()
        return self._assemble(kinds, results, names)

    def _parts(self, names: _Names) -> int:
        """Read the parts that are written once, which come after the domain; return where they end."""
        scan, start = self.scan, self.scan.at
        begin = _WHERE.search(scan.text, start)
        if begin is None:
            return 0
        scan.at = begin.end()
        while not (scan.done or self._is_at("runtime variables:", "replica id:")):
            name = self._name(names.known)
            scan.expect("=", "and the part of that name")
            names.known[name] = expr_at(scan, names, _ROOM, "a part")
            scan.accept(",")
        end, scan.at = scan.at, start
        return end

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
        return kinds, _Names(self.scan.text, known, self.divisors)

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

        def fail(fault: str) -> NoReturn:
            scan.fail(fault, start, max(scan.last, start + 1))

        inner = _Reader(scan)
        inner.divisors = self.divisors
        heads, names = inner._head()
        known = names.known
        if len(heads[0]) != len(kinds[0]):
            fail(f"{len(heads[0])} dims here, {len(kinds[0])} in the map")
        flat = [
            x for of, kind in zip((rng, rt), kinds[1:], strict=True) for x in map(of, range(len(kind)))
        ]
        others = [*heads[1], *heads[2]]
        if len(others) > len(flat):
            fail(f"more symbols here than the map has, {len(flat)}")
        known.update(dict(zip(others, flat, strict=False)))
        scan.expect("->", "and the index of an element")
        found = inner._results(names)
        if results is not None and len(found) != results:
            fail(f"expected {results} result, found {len(found)}")
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
        return self.scan.done or self._is_at("where", "runtime variables:", "replica id:")

    def _is_at(self, *words: str) -> bool:
        return self.scan.text.startswith(words, self.scan.at)

    def _interval(self) -> Interval:
        scan = self.scan
        scan.expect("[", "and the least value of an interval")
        lower = scan.integer("the least value")
        scan.expect(",", "between the ends of an interval")
        upper = scan.integer("the greatest value")
        scan.expect("]", "after an interval")
        return Interval(lower, upper)

    def _old_source(self, kinds: list[list[str]], name: str) -> None:
        """``hlo: of = s32[] parameter(1)`` and a map, after the bounds of a range of the old form."""
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
        """Whether a word comes next that is no name of a variable; if so, go past it."""
        scan, start = self.scan, self.scan.at
        if scan.word() == word and scan.peek() != ":":
            return True
        scan.at = start
        return False

    def _check_bounded(self, kinds: list[list[str]]) -> None:
        for name in (name for kind in kinds for name in kind):
            if name not in self.bounds:
                start = self.places[name]
                bounds = ", ".join(f"{each} in [0, 9]" for kind in kinds for each in kind)
                body = shortened(
                    " ".join(self.scan.text.partition("domain")[0].rstrip(" ,").split()), 60
                )
                self.scan.fail(
                    f"{shortened(name)} has no bounds: the domain says 'd0 in [0, 9]' for each",
                    start,
                    start + len(name),
                    f"Write {body}, domain: {shortened(bounds, 60)}, with your bounds.",
                )

    def _assemble(self, kinds: list[list[str]], results: list[Value], names: _Names) -> IndexingMap:
        dims = [Variable(name, self.bounds[name]) for name in kinds[0]]
        ranges = [Variable(name, self.bounds[name]) for name in kinds[1]]
        runtime = [RuntimeVariable(name, self.bounds[name], self.sources.get(name)) for name in kinds[2]]
        moved = [name for name in kinds[1] if name in self.sources]
        m = IndexingMap(results, dims, ranges, runtime, self.constraints, self.replica)
        tops = [(x, bounds_of(rebind(x, m.within()))[1]) for x in self.divisors]
        positive = [(x, Interval(1, top)) for x, top in tops if top is not None]
        m = m.with_parts(constraints=[*positive, *m.constraints])  # no constraint divides by 0
        return m if not moved else _ranges_to_runtime(m, {name: self.sources[name] for name in moved})


def _source(definition: str, index: tuple[Value, ...], clamp: Interval | None) -> Source:
    """The source of an instruction's text, which is whole or only its name."""
    name = definition.split("=", 1)[0].split()[-1:] or [definition]
    instruction = name[0].removeprefix("%")
    whole = definition if "=" in definition else ""
    return Source(instruction, index, clamp, whole.removeprefix("%"))


def _ranges_to_runtime(m: IndexingMap, sources: dict[str, Source]) -> IndexingMap:
    """The map in which the ranges that are read while the program runs are runtime variables."""
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
    return placed(m, values, m.dims, kept, [*runtime, *m.runtime])
