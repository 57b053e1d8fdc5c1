# SPDX-License-Identifier: Apache-2.0
"""The images of maps, counted: the elements that some maps reach together, and how often each.

The results of a map are cut into groups that share no variable. An image is the product of those of its
groups, so only the points of one group are enumerated at a time, and numbers multiply.

>>> from .reading import parse_map
>>> m = parse_map("(d0, d1)[s0] -> (d0 * 2 + s0, d1), domain: d0 in [0, 9], d1 in [0, 99], s0 in [0, 2]")
>>> image_size([m])
Span(least=2100, most=2100, reason='')
>>> readers([m])  # of 21 rows 12 are read by one result, 9 by two
{1: 1200, 2: 900}
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from itertools import combinations, compress, pairwise, product
from math import lcm, prod
from operator import mul
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..numbers import (
    Expr,
    Interval,
    Quotient,
    Remainder,
    Symbol,
    Value,
    compute,
    inner_first,
    rebind,
    symbols_in,
)
from .tables import columns
from .variables import dim, place_of, rng, rt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from .maps import IndexingMap
    from .tables import Bounded


class Span(NamedTuple):
    """A number that is known, or its bounds and the reason why it is not known."""

    least: int
    most: int
    reason: str = ""


class Line(NamedTuple):
    """A group's part of one map where it is a walk along a line: a variable leads, step by step, from
    result to result, and each constraint says where it begins or ends in a run."""

    first: int
    places: list[int]
    """The number of the result at each value of the variable, from ``first`` on."""
    ends: list[tuple[int, Value, Interval]]
    """For each constraint the sign of the variable in it, the rest, and the bounds."""
    reads: dict[Symbol, Any]
    variables: dict[Symbol, Interval]
    is_dim: bool
    """Whether the variable is a dim."""

    def part(self, run: Mapping[Any, int]) -> Interval:
        """Return the numbers of the results in a run."""
        known: dict[Any, Any] = {symbol: run[key] for symbol, key in self.reads.items()}
        inside = Interval(self.first, self.first + len(self.places) - 1)
        for sign, rest, bounds in self.ends:
            at = compute(rest, {}, known)
            inside &= (bounds - at) if sign > 0 else Interval(at - bounds.upper, at - bounds.lower)
        if not inside.is_feasible or any(x not in self.variables[s] for s, x in known.items()):
            return Interval(0, -1)
        return Interval(self.places[inside.lower - self.first], self.places[inside.upper - self.first])


class TooManyError(Exception):
    """More points than the limit, or ways to combine them."""


# --- groups -----------------------------------------------------------------------------------


class Own(NamedTuple):
    """A group's part of one map: some variables, the results made of them by number, the constraints."""

    variables: dict[Symbol, Interval]
    results: dict[int, Value]
    constraints: list[tuple[Value, Interval]]
    reads: dict[Symbol, Any]
    """The numbers read at run time among the variables, by what they are read from."""

    @property
    def values(self) -> int:
        """The number of values of its result, if that is a quotient of its only variable, or a multiple
        of one; 0 otherwise."""
        if len(self.variables) != 1 or len(self.results) != 1 or self.constraints or self.reads:
            return 0
        ((symbol, bounds),), (x,) = self.variables.items(), self.results.values()
        if type(x) is not Expr or len(x.terms) != 1:
            return 0
        ((monomial, _k),) = x.terms.items()
        if monomial == (symbol,):
            return bounds.size
        quotient = monomial[0] if len(monomial) == 1 else None
        if type(quotient) is Quotient and type(quotient.divisor) is int:
            of, c = quotient.dividend, quotient.divisor
            if type(of) is Expr and of.terms == {(symbol,): 1}:
                return (bounds.upper + of.constant) // c - (bounds.lower + of.constant) // c + 1
        return 0

    @property
    def related(self) -> list[Value]:
        """Its results, then its dims."""
        return [*self.results.values(), *(dim(place_of(s)[1]) for s in self.dims)]

    def free(self, run: Mapping[Any, int]) -> dict[Symbol, Interval]:
        """Return its variables, without the numbers of a run."""
        return {s: b for s, b in self.variables.items() if self.reads.get(s) not in run}

    @property
    def dims(self) -> dict[Symbol, Interval]:
        """The dims among its variables."""
        return {s: bounds for s, bounds in self.variables.items() if not place_of(s)[0]}

    def rows(self, wanted: Sequence[Value], run: Mapping[Any, int]) -> list[tuple[int, ...]]:
        """Return the values of expressions at each point of the domain, for given numbers that are
        read."""
        free = self.free(run)
        if _box(free) > MOST_POINTS:
            raise TooManyError
        put: dict[Symbol, Value] = {s: run[key] for s, key in self.reads.items() if key in run}
        if any(run[key] not in self.variables[s] for s, key in self.reads.items() if key in run):
            return []
        exprs = [*wanted, *(x for x, _bounds in self.constraints)]
        values = columns([rebind(x, put) for x in exprs] if put else exprs, free)
        n = len(wanted)
        rows: list[tuple[int, ...]] = list(zip(*values[:n], strict=True)) if n else [()] * _box(free)
        if not self.constraints:
            return rows
        tests = [
            [b.lower <= x <= b.upper for x in v]
            for v, (_, b) in zip(values[n:], self.constraints, strict=True)
        ]
        return list(compress(rows, map(all, zip(*tests, strict=True))))


def _box(variables: Bounded) -> int:
    return prod(bounds.size for bounds in variables.values())


def groups(maps: Sequence[IndexingMap], outputs: Sequence[int] = ()) -> list[list[Own]]:
    """Return groups that share no variable: for each the part of every map.

    Args:
        outputs: For each map the number of its output; maps of one output have the same dims.
    """
    parent: dict[Any, Any] = {}

    def root(node: Any) -> Any:
        while parent.setdefault(node, node) != node:
            node = parent[node]
        return node

    def node(i: int, symbol: Symbol) -> Any:
        kind, number = place_of(symbol)
        if kind == 2:
            source = maps[i].runtime[number].source
            return (i, number) if source is None else source.key
        return (i if kind or not outputs else ("of", outputs[i]), kind, number)

    items: list[tuple[int, Any, Any, Any]] = []
    for i, m in enumerate(maps):
        items += [(i, symbol, None, v.bounds) for symbol, v in zip(m.within(), m.variables, strict=True)]
        items += [(i, ("result", j), x, None) for j, x in enumerate(m.results)]
        items += [(i, x.symbols[0], x, bounds) for x, bounds in m.constraints if type(x) is Expr]
    for i, first, x, _bounds in items:
        own = node(i, first) if type(first) is Symbol else first
        for symbol in x.symbols if type(x) is Expr else ():
            parent[root(node(i, symbol))] = root(own)
    found: dict[Any, list[Own]] = {}
    for i, first, x, bounds in items:
        own = node(i, first) if type(first) is Symbol else first
        group = found.setdefault(root(own), [Own({}, {}, [], {}) for _ in maps])[i]
        if x is None:
            group.variables[first] = bounds
            if first.name.startswith("rt"):
                group.reads[first] = own
        elif bounds is None:
            group.results[own[1]] = x
        else:
            group.constraints.append((x, bounds))
    return list(found.values())


def _values(group: list[Own]) -> int:
    """Return the number of results of a group of one map, if that needs no enumeration; otherwise 0."""
    return group[0].values if len(group) == 1 else 0


def _runs(group: list[Own], maps: Sequence[IndexingMap]) -> tuple[list[dict[Any, int]], str]:
    """Return the numbers of each run that may differ, and the instruction whose numbers differ from
    point to point, ""  without one."""
    choices: dict[Any, set[int]] = {}
    loose = ""
    for own, m in zip(group, maps, strict=True):
        for symbol, key in own.reads.items():
            source = m.runtime[place_of(symbol)[1]].source
            if source is not None and any(type(x) is Expr for x in source.indices):
                loose = loose or source.instruction
                continue
            bounds = every = own.variables[symbol]
            if m.runtime[place_of(symbol)[1]].is_replica:
                every = Interval(0, bounds.upper)
            elif source is not None:  # without a clamp it may be any number, which no map takes
                every = source.clamp or Interval(bounds.lower - 1, bounds.upper)
            if len(maps) == 1 and every == bounds:
                every = Interval(
                    bounds.lower, min(bounds.upper, bounds.lower + _period(own, symbol) - 1)
                )
            choices.setdefault(key, set()).update(every)
    return [dict(zip(choices, values, strict=True)) for values in product(*choices.values())], loose


def _period(own: Own, symbol: Symbol) -> int:
    """Return a step of a number that moves all results, and changes nothing else; or its size."""
    size = own.variables[symbol].size
    if any(symbol in symbols_in(x) for x, _bounds in own.constraints):
        return size
    return period([[*own.results.values()]], rt(place_of(symbol)[1]), size) or size


def period(lists: Sequence[Sequence[Value]], variable: Expr, most: int) -> int:
    """Return the least step of a variable that shifts expressions by numbers, each list alike, or 0.

    >>> period([[dim(0) * 6 // 4, dim(0)]], dim(0), 100)
    2

    Args:
        most: The greatest step to try.
    """
    atoms = {atom for xs in lists for x in xs if type(x) is Expr for atom in inner_first(x)}
    divisors = [atom.divisor for atom in atoms if isinstance(atom, (Quotient, Remainder))]
    whole = lcm(*[n for n in divisors if type(n) is int])
    for step in (n for n in range(1, min(whole, most) + 1) if whole % n == 0):
        moved: dict[Symbol, Value] = {variable.symbols[0]: variable + step}
        shifts = [[rebind(x, moved) - x for x in xs] for xs in lists]
        if all(shift == shifts[0] for shift in shifts) and all(type(x) is int for x in shifts[0]):
            return step
    return 0


# --- counts -----------------------------------------------------------------------------------

MOST_POINTS: Final = 1 << 20
"""The most points of a group that are enumerated."""

_MOST_MAPS: Final = 6
"""The most maps of one output whose common points are counted."""

_WAYS: Final = 1 << 14
"""The most different entries in a table of a group, and the most kinds of runs."""


def _points(own: Own, m: IndexingMap) -> int:
    """Return the number of points that a group's results, and the numbers that it reads, depend on."""
    symbols = {s for s in own.variables if s not in own.reads}
    for symbol in own.reads:
        source = m.runtime[place_of(symbol)[1]].source
        symbols |= {s for x in source.indices if type(x) is Expr for s in x.symbols} if source else set()
    bounds = dict(zip(m.within(), m.variables, strict=True))
    return prod(bounds[s].bounds.size for s in symbols)


def _lines(group: list[Own], run: Mapping[Any, int]) -> list[Line] | None:
    """Return the parts of a group as lines, for runs like one; None if one is none.

    A number that moves all results of a single map alike changes nothing.
    """
    found: list[tuple[Own, Symbol, list[tuple[int, Value, Interval]], list[tuple[int, ...]]]] = []
    for own in group:
        free = [*own.free(run)]
        if len(free) != 1 or own.variables[free[0]].size > MOST_POINTS:
            return None
        (s,) = free
        zero: dict[Symbol, Value] = dict.fromkeys(own.reads, 0)
        results = [rebind(y, zero) for y in own.results.values()]
        moves = [y - z for y, z in zip(own.results.values(), results, strict=True)]
        if (len(group) > 1 and any(type(move) is Expr for move in moves)) or any(
            s in symbols_in(move) for move in moves
        ):
            return None
        x = dim(place_of(s)[1]) if not place_of(s)[0] else rng(place_of(s)[1])
        ends: list[tuple[int, Value, Interval]] = []
        for y, bounds in own.constraints:
            sign = next((k for k in (1, -1) if s not in symbols_in(y - x * k)), 0)
            ends.append((sign, y - x * sign, bounds))
        if not all(sign for sign, _rest, _bounds in ends):
            return None
        values = columns(results, {s: own.variables[s]})
        found.append((own, s, ends, list(zip(*values, strict=True))))
    number = {row: i for i, row in enumerate(sorted({row for *_, rows in found for row in rows}))}
    lines: list[Line] = []
    for own, s, ends, rows in found:
        places = [number[row] for row in rows]
        if not rows or any(b - a not in (0, 1) for a, b in pairwise(places)):
            return None
        is_dim = not place_of(s)[0]
        lines.append(Line(own.variables[s].lower, places, ends, own.reads, own.variables, is_dim))
    return lines


def _masks(lines: list[Line], run: Mapping[Any, int]) -> Counter[int]:
    """Return how many results of lines are reached by which maps, each a bit."""
    parts = [line.part(run) for line in lines]
    cuts = sorted({end for part in parts if part.is_feasible for end in (part.lower, part.upper + 1)})
    out: Counter[int] = Counter()
    for a, b in pairwise(cuts):
        mask = sum(1 << i for i, part in enumerate(parts) if a in part)
        if mask:
            out[mask] += b - a
    return out


def _by_run(
    maps: Sequence[IndexingMap], group: list[Own], table: Any, of_lines: Any
) -> tuple[list[Any], str]:
    """Return the different tables of a group over all runs, and what differs from point to point.

    Args:
        table: The table of a run, from all its points.
        of_lines: The same, from the lines of the group, or None if they do not say.
    """
    runs, loose = _runs(group, maps)
    lines = _lines(group, runs[0]) if len(runs) > 1 else None
    table = (of_lines(lines) if lines else None) or table
    if len(runs) * max(1 if lines else _box(own.free(runs[0])) for own in group) > MOST_POINTS:
        raise TooManyError
    return list(map(dict, dict.fromkeys(frozenset(table(run).items()) for run in runs))), loose


def _combined(tables: Iterable[Mapping[Any, int]], times: Any) -> Counter[Any]:
    """Return the product of tables: entries are multiplied by ``times``, their numbers as numbers."""
    total: Counter[Any] | None = None
    for table in tables:
        if total is None:
            total = Counter(table)
            continue
        both: Counter[Any] = Counter()
        for (a, n), (b, m) in product(total.items(), table.items()):
            both[times(a, b)] += n * m
        if len(both) > _WAYS:
            raise TooManyError
        total = both
    return total or Counter()


def _each_run(tables: list[list[Mapping[Any, int]]]) -> Iterable[tuple[Mapping[Any, int], ...]]:
    if prod(map(len, tables)) > _WAYS:
        raise TooManyError
    return product(*tables)


def image_size(maps: Sequence[IndexingMap]) -> Span:
    """Return the number of different results of some maps, in a run.

    >>> from .reading import parse_map
    >>> left = parse_map("(d0, d1) -> (d0, d1), domain: d0 in [0, 9], d1 in [0, 5]")
    >>> right = parse_map("(d0, d1) -> (d0, d1), domain: d0 in [0, 9], d1 in [4, 9]")
    >>> image_size([left, right]).most
    100

    Args:
        maps: Simplified, with as many results each, and single values replaced.

    Raises:
        TooManyError: a group has too many points.
    """
    maps = [m for m in maps if not m.is_known_empty]
    if not maps:
        return Span(0, 0)
    every = (1 << len(maps)) - 1
    # for each group, for each run: how many results some maps, a bit each, reach
    least: list[list[Mapping[int, int]]] = []
    most: list[list[Mapping[int, int]]] = []
    reason = ""
    for group in groups(maps):
        if not any(own.results or own.constraints or own.reads for own in group):
            continue

        tables: list[Mapping[int, int]] = [{1: _values(group)}]
        loose = ""
        if not _values(group):
            tables, loose = _by_run(maps, group, partial(_reached, group), partial(partial, _masks))
        if loose:
            reason = reason or f"%{loose} is read at run time for each element"
            least.append([_fewest(group, maps)])
            if len(maps) == 1:  # one number for each point
                most.append([{1: min(each[1], _points(group[0], maps[0]))} for each in tables])
                continue
        else:
            least.append(tables)
        most.append(tables)
    points = sum(prod(v.bounds.size for v in (*m.dims, *m.ranges)) for m in maps)

    def sizes(of: list[list[Mapping[int, int]]]) -> list[int]:
        totals = (_combined([{every: 1}, *tables], _both) for tables in _each_run(of))
        return [min(points, sum(n for mask, n in total.items() if mask)) for total in totals]

    low, high = min(sizes(least)), max(sizes(most))
    if low != high and not reason:
        names = (v.source.instruction for m in maps for v in m.runtime if v.source is not None)
        reason = f"%{next(names, 'a number')} is read at run time"
    return Span(low, high, reason)


def _fewest(group: list[Own], maps: Sequence[IndexingMap]) -> dict[int, int]:
    """Return the fewest results of a group where numbers may differ from point to point: one, if a map
    has a result for any number."""
    sure = 0
    for i, (own, m) in enumerate(zip(group, maps, strict=True)):
        sources = [(m.runtime[place_of(s)[1]].source, own.variables[s]) for s in own.reads]
        if not own.constraints and all(a is None or a.clamp == bounds for a, bounds in sources):
            sure |= 1 << i
    return {sure: 1}


def _reached(group: list[Own], run: Mapping[Any, int]) -> Counter[int]:
    """Return how many results of a group are reached by which maps, each a bit."""
    reached: dict[tuple[int, ...], int] = {}
    for i, own in enumerate(group):
        for row in set(own.rows([*own.results.values()], run)):
            reached[row] = reached.get(row, 0) | 1 << i
    return Counter(reached.values())


def readers(maps: Sequence[IndexingMap], outputs: Sequence[int] = ()) -> dict[int, int]:
    """Return how many results are reached from 1 point of the dims, from 2, and so on; {} if that
    differs between runs.

    Args:
        maps: As for `image_size`.
        outputs: For each map the number of its output; maps of one output have the same dims. By
            default there is one.

    Raises:
        TooManyError: a group has too many points, or the maps overlap in too many ways.
    """
    outputs = outputs or [0] * len(maps)
    kept = [i for i, m in enumerate(maps) if not m.is_known_empty]
    maps, outputs = [maps[i] for i in kept], [outputs[i] for i in kept]
    together = [[i for i, o in enumerate(outputs) if o == output] for output in {*outputs}]
    if max(map(len, together), default=0) > _MOST_MAPS:
        raise TooManyError
    parts = [part for of in together for n in range(len(of)) for part in combinations(of, n + 1)]
    tables: list[list[Mapping[Any, int]]] = []
    for group in groups(maps, outputs):
        if _values(group) == _box(group[0].variables):
            tables.append([{(1,): _values(group)}])
        elif any(own.results or own.constraints or own.reads for own in group):
            several, loose = _by_run(
                maps,
                group,
                partial(_readers_of, group, parts),
                partial(_readers_on, parts),
            )
            if loose:
                return {}
            tables.append(several)
        else:
            tables.append([{tuple(_common_box(group, part) for part in parts): 1}])
    signs = [1 if len(part) % 2 else -1 for part in parts]
    found: list[Counter[int]] = []
    for run in _each_run(tables) if maps else ():
        out: Counter[int] = Counter()
        total = _combined([{(1,) * len(parts): 1}, *run], _multiplied)
        for counts, n in total.items():
            out[sum(map(mul, signs, counts))] += n
        found.append(out)
    if any(out != found[0] for out in found[1:]):
        return {}
    return {times: n for times, n in sorted(found[0].items()) if times} if found else {}


def _readers_of(
    group: list[Own], parts: Sequence[tuple[int, ...]], run: Mapping[Any, int]
) -> Counter[tuple[int, ...]]:
    """Return for each result of a group from how many points all maps of a part reach it, and how many
    results have these numbers."""
    found: list[dict[Any, set[Any]]] = []
    for own in group:
        mine: dict[Any, set[Any]] = {}
        n = len(own.results)
        for row in own.rows(own.related, run):
            mine.setdefault(row[:n], set()).add(row[n:])
        found.append(mine)
    none: set[Any] = set()
    out: Counter[tuple[int, ...]] = Counter()
    for at in dict.fromkeys(at for mine in found for at in mine):
        sets = [mine.get(at, none) for mine in found]
        out[tuple(len(sets[i].intersection(*(sets[j] for j in more))) for i, *more in parts)] += 1
    return out


def _readers_on(
    parts: Sequence[tuple[int, ...]], lines: list[Line]
) -> Callable[[Mapping[Any, int]], Counter[tuple[int, ...]]] | None:
    """Return the same of lines in a run, if each result has one point in all maps; None otherwise."""
    points = {line.places[0] - line.first if line.is_dim else None for line in lines}
    if len(points) > 1 or any(a == b for line in lines for a, b in pairwise(line.places)):
        return None

    def table(run: Mapping[Any, int]) -> Counter[tuple[int, ...]]:
        out: Counter[tuple[int, ...]] = Counter()
        for mask, n in _masks(lines, run).items():
            out[tuple(int(all(mask >> i & 1 for i in part)) for part in parts)] += n
        return out

    return table


def _common_box(group: list[Own], part: Sequence[int]) -> int:
    """Return the number of points that the dims of some maps have in common."""
    common = group[part[0]].dims
    for i in part[1:]:
        common = {s: common[s] & bounds for s, bounds in group[i].dims.items()}
    return _box(common)


def _multiplied(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(map(mul, a, b))


def _both(a: int, b: int) -> int:
    return a & b
