"""Fuzz of indexing maps: random ones, simplified and edited, compared point by point.

Run: python tests/fuzz_maps.py [--count 20000] [--seed N] [--only LAW] [--prove 2000]

A map has up to seven variables of all kinds with up to some thousand points together; bounds that begin
above or below 0, with one value or none; expressions that nest ``floordiv``, ``mod``, sums, products,
``min`` and ``max``; constraints of every form that a rule speaks of, as ``d0 floordiv -3 in [-11, -5]``.
Of each map the laws below are checked by evaluation at all points within the bounds; of as many as
``--prove`` says the first law is proved by integer sets too, where islpy is installed. A fault is made
small and printed, and the exit status is 1.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from functools import lru_cache
from itertools import permutations, product
from math import prod
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tla import UndecidedError
from tla.indexing import (
    IndexingMap,
    Interval,
    RuntimeVariable,
    Source,
    compose,
    dim,
    parse_map,
    relation,
    rng,
    rt,
    simplify,
    to_text,
)
from tla.indexing.places import rearranged
from tla.indexing.rescale import ranges_to_dims, rescale_symbols, symbols_to_dims
from tla.indexing.unused import remove_unused_symbols, remove_unused_vars
from tla.numbers import Expr, Value, evaluate, greatest, least
from tla.numbers.nodes import atoms_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

MANY = 4000
"""The most points of a map."""
SHOWN = 5
NUMBERS = (2, 3, 4, 5, 6, 7, 8, 12, 16)


# --- maps ---------------------------------------------------------------------------------------


class Draw:
    """Random choices for one map."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.variables: list[Expr] = []
        self.bounds: dict[Any, Interval] = {}

    def map(self) -> IndexingMap:
        choose = self.random.choice
        numbers = (choose((0, 1, 1, 2, 2, 3)), choose((0, 0, 1, 1, 2)), choose((0, 0, 0, 1, 2)))
        left, kinds = MANY, []
        for of, n in zip((dim, rng, rt), numbers, strict=True):
            kinds.append([self.interval(left := left // 2) for _ in range(n)])
            left = MANY // max(1, prod(b.size for kind in kinds for b in kind))
            self.variables += [of(i) for i in range(n)]
            self.bounds.update({of(i).key: b for i, b in enumerate(kinds[-1])})
        return IndexingMap(
            [self.expr(choose((0, 1, 2, 2, 3))) for _ in range(choose((0, 1, 1, 2, 3)))],
            kinds[0],
            kinds[1],
            [RuntimeVariable(f"rt{i}", bounds, self.source(i)) for i, bounds in enumerate(kinds[2])],
            [self.constraint() for _ in range(choose((0, 1, 1, 2, 2, 3)))],
            self.expr(1) if self.chance(0.03) else None,
        )

    def chance(self, p: float) -> bool:
        return self.random.random() < p

    def interval(self, most: int) -> Interval:
        if self.chance(0.005):
            return Interval(0, -self.random.randint(1, 3))
        size = min(self.random.choice((1, 2, 3, 4, 5, 7, 8, 10, 16, 30)), max(1, most))
        low = self.random.choice((0, 0, 0, 0, self.random.randint(-12, 12)))
        return Interval(low, low + size - 1)

    def source(self, i: int) -> Source | None:
        if self.chance(0.6):
            return None
        others = [x for x in self.variables if not str(x).startswith("rt")]
        index = (self.random.choice(others),) if others and self.chance(0.5) else ()
        return Source(f"of{i}", index, Interval(-12, 40) if self.chance(0.3) else None)

    # --- expressions ---

    def variable(self) -> Value:
        if not self.variables or self.chance(0.03):
            return self.number()
        return self.random.choice(self.variables)

    def number(self) -> int:
        return self.random.choice((0, 1, -1, *NUMBERS, -3, self.random.randint(-40, 120)))

    def expr(self, depth: int) -> Value:
        if depth == 0:
            return self.variable()
        x: Any = self.expr(depth - 1)
        kind = self.random.randrange(10)
        if kind < 2:
            return x + self.expr(depth - 1)  # type: ignore[no-any-return]
        if kind == 2:
            return x - self.random.choice((self.expr(depth - 1), self.number()))  # type: ignore[no-any-return]
        if kind == 3:
            return x * self.random.choice((-3, -1, *NUMBERS)) + self.expr(0)  # type: ignore[no-any-return]
        if kind == 4:
            return self.linear()
        c = self.random.choice(NUMBERS)
        if kind == 5:
            return x // (c if self.chance(0.8) else -c)  # type: ignore[no-any-return]
        if kind == 6:
            return x % c  # type: ignore[no-any-return]
        if kind == 7:  # the digits of a number
            y: Any = self.linear()
            return y // c * c * self.random.choice((1, 2)) + y % c  # type: ignore[no-any-return]
        if kind == 8:
            y = x - self.random.choice((1, c)) * (self.expr(depth - 1))
            return y % (c * self.random.choice(NUMBERS)) // c  # type: ignore[no-any-return]
        return self.random.choice((least, greatest))(
            x, self.random.choice((self.expr(0), self.number()))
        )

    def linear(self) -> Value:
        """A sum of variables with strides, as reshapes have."""
        total: Any = self.random.choice((0, 0, self.number()))
        stride = 1
        for x in self.random.sample(self.variables, len(self.variables)):
            total = total + x * stride * self.random.choice((1, 1, 1, -1))
            stride *= self.random.choice((self.bounds[x.key].size or 1, *NUMBERS[:5]))
        return total  # type: ignore[no-any-return]

    # --- constraints ---

    def constraint(self) -> tuple[Value, Interval]:
        x: Any = self.expr(self.random.choice((0, 0, 1, 1, 2)))
        y: Any = self.expr(0)
        c = self.random.choice(NUMBERS)
        kind = self.random.randrange(9)
        if kind < 3:  # a congruence, several of one expression among them
            x = x if self.chance(0.3) else self.variable()
            return self.near((x + self.random.choice((0, 0, self.number()))) % c, point=self.chance(0.8))
        if kind == 3:  # a quotient, negative ones among them
            return self.near(x // self.random.choice((c, -c)))
        if kind == 4:  # a*g + b in [0, u], where b fits in g and where it does not
            x = self.variable() * c + y
            return x, Interval(0, max(0, self.some_value(x)))
        if kind == 5:
            return self.near(x * self.random.choice((c, -c)) + self.number())
        if kind == 6:
            return self.near(self.random.choice((least, greatest))(x, y))
        return self.near(x if kind == 7 else x + y)

    def near(self, x: Value, point: bool = False) -> tuple[Value, Interval]:
        """Bounds for an expression, mostly about a value that it has."""
        low = self.some_value(x) if self.chance(0.95) else self.number()
        size = 0 if point else self.random.choice((0, 1, 2, 5, 12, 40))
        return x, Interval(low - self.random.randint(0, size), low + size)

    def some_value(self, x: Value) -> int:
        at = {v.symbols[0].name: self.inside(self.bounds[v.key]) for v in self.variables}
        value: int = evaluate(x, at)
        return value

    def inside(self, bounds: Interval) -> int:
        return self.random.randint(bounds.lower, bounds.upper) if bounds else bounds.lower


def random_map(random: Random) -> IndexingMap:
    """A map as the head of this module says."""
    return Draw(random).map()


# --- points -------------------------------------------------------------------------------------


class Table(NamedTuple):
    """A map at all points of some box: which lie in its domain, and what it goes to there."""

    inside: Any
    results: list[Any]


def table(m: IndexingMap, box: Sequence[Interval]) -> Table:
    """The map at all points of a box; results are 0 outside its domain."""
    names = [of(i).symbols[0].name for of, n in _counts(m) for i in range(n)]
    axes = np.meshgrid(*(np.arange(b.lower, b.upper + 1) for b in box), indexing="ij", sparse=True)
    at = dict(zip(names, axes, strict=True))
    shape = tuple(b.size for b in box)
    inside = np.full(shape, not m.is_known_empty)
    for name, v in zip(names, m.variables, strict=True):
        inside &= (at[name] >= v.bounds.lower) & (at[name] <= v.bounds.upper)
    for x, bounds in m.constraints:
        value = evaluate(x, at)
        inside &= (value >= bounds.lower) & (value <= bounds.upper)
    results = list(m.expressions)
    del results[len(m.results) : len(m.results) + len(m.constraints)]
    return Table(inside, [np.where(inside, evaluate(x, at), 0) for x in results])


def _counts(m: IndexingMap) -> Iterator[tuple[Any, int]]:
    return zip((dim, rng, rt), map(len, (m.dims, m.ranges, m.runtime)), strict=True)


def changed(before: IndexingMap, after: IndexingMap) -> str:
    """What tells two maps of the same variables apart: a point, or nothing.

    At each point replica and sources count as results do.
    """
    if [n for _of, n in _counts(before)] != [n for _of, n in _counts(after)]:
        return "it has other variables"
    box = [v.bounds | w.bounds for v, w in zip(before.variables, after.variables, strict=True)]
    a, b = table(before, box), table(after, box)
    wrong = a.inside != b.inside
    for x, y in zip(a.results, b.results, strict=True):
        wrong |= x != y
    if not wrong.any():
        return ""
    at = tuple(int(i[0]) for i in np.nonzero(np.atleast_1d(wrong)))[: len(box)]
    point = tuple(v.lower + i for v, i in zip(box, at, strict=True))
    said = [tuple(int(x[at]) for x in t.results) if t.inside[at] else "is outside" for t in (a, b)]
    return f"at {point}: {said[0]} before, {said[1]} after"


Rows = set[tuple[int, ...]]


def _told(m: IndexingMap) -> list[str]:
    return [*(v.name for v in m.dims), *(v.name for v in m.runtime)]


def rows(m: IndexingMap, names: Sequence[str] | None = None) -> Rows:
    """What a map says: the values of dims and runtime variables, and what it goes to for some ranges.

    Args:
        names: The variables whose values to tell, in this order; dims and runtime variables where
            nothing is given.
    """
    t = table(m, [v.bounds for v in m.variables])
    where = np.argwhere(t.inside) + np.array([v.bounds.lower for v in m.variables], dtype=int)
    own = [v.name for kind in (m.dims, m.ranges, m.runtime) for v in kind]
    told = _told(m) if names is None else names
    columns = [where[:, own.index(name)] for name in told]
    columns += [np.atleast_1d(np.broadcast_to(x, t.inside.shape)[t.inside]) for x in t.results]
    if not columns:
        return {()} if t.inside.any() else set()
    return set(map(tuple, np.stack(columns, axis=1).tolist()))


# --- laws ---------------------------------------------------------------------------------------


@lru_cache(maxsize=16)
def simplified(m: IndexingMap, single_values: str = "keep") -> IndexingMap:
    return simplify(m, single_values, exact=False)


def same_points(m: IndexingMap, single_values: str = "keep") -> str:
    """At each point, with the ranges in some order."""
    after = simplified(m, single_values)
    found = [changed(each, after) for each in in_all_orders(m)]
    return min(found)


def same_points_replaced(m: IndexingMap) -> str:
    return same_points(m, "replace")


def in_all_orders(m: IndexingMap) -> Iterator[IndexingMap]:
    """The map with its ranges in each order."""
    dims, ranges, runtime = ([(k, i) for i in range(len(vs))] for k, vs in enumerate(m.kinds))
    return (rearranged(m, [dims, order, runtime]) for order in permutations(ranges))


def any_order(m: IndexingMap) -> str:
    """The order of the ranges makes no difference, but where ranges are alike in each expression."""
    after = {simplified(each) for each in in_all_orders(m)}
    return "" if len(after) == 1 or simplified(m).is_known_empty else "\n  ".join(map(str, after))


def idempotent(m: IndexingMap) -> str:
    for single in ("keep", "replace"):
        once = simplified(m, single)
        twice = simplified(once, single)
        if once != twice or str(once) != str(twice):
            return f"{once}\n  simplified again: {twice}"
    return ""


def read_back(m: IndexingMap) -> str:
    """All forms say a map, and what it is read from, but for the names that they leave out."""
    for each in (m, simplified(m)):
        if each.is_known_empty:
            continue
        for form in ("2025", "2026"):
            text = to_text(each, form, sources=True)
            if parse_map(text) != each:
                return f"{text}\n  read back: {parse_map(text)}"
    return ""


def unused_symbols(m: IndexingMap) -> str:
    """Whatever the program reads, the dims that are left go where they went."""
    m = _labelled(m)
    return _left_out(m, remove_unused_symbols(m))


def unused_variables(m: IndexingMap) -> str:
    """The same, for some values of the dims that are left out."""
    m = _labelled(m)
    return _left_out(m, remove_unused_vars(m))


def _labelled(m: IndexingMap) -> IndexingMap:
    """The map with names that stay."""
    return m.with_parts(
        dims=[v._replace(name=f"x{i}") for i, v in enumerate(m.dims)],
        runtime=[v._replace(name=f"n{i}") for i, v in enumerate(m.runtime)],
    )


def _left_out(m: IndexingMap, after: IndexingMap) -> str:
    left = _told(after)
    forgotten = [v for v in m.runtime if v.name not in left]
    for v in forgotten:
        source = v.source
        if source is not None and (source.clamp is None or source.clamp not in v.bounds):
            return f"it holds for any {v.name}: {after}"
    read = [v for v in m.runtime if v.name in left]
    kept = m.with_parts(runtime=[v if v in read else v._replace(source=None) for v in m.runtime])
    before = rows(kept, [*left, *(v.name for v in forgotten)])
    n = len(left)
    values = list(product(*(v.bounds for v in forgotten)))
    expected = {(*row[:n], *each, *row[n:]) for row in rows(after, left) for each in values}
    return "" if before == expected else f"it goes elsewhere: {after}"


def rescaled(m: IndexingMap) -> str:
    after = rescale_symbols(m)
    return "" if rows(after) == rows(m) else f"it goes elsewhere: {after}"


def made_dims(m: IndexingMap) -> str:
    """With dims for all or some other variables, a map goes from each point where it went."""
    sourceless = m.with_parts(runtime=[v._replace(source=None) for v in m.runtime])
    for after in (symbols_to_dims(m), symbols_to_dims(ranges_to_dims(m, range(len(m.ranges))))):
        a, b = (table(x, [v.bounds for v in x.variables]) for x in (sourceless, after))
        same = zip([a.inside, *a.results], [b.inside, *b.results], strict=True)
        if not all(np.array_equal(x, y) for x, y in same):
            return f"it goes elsewhere: {after}"
    return ""


def simplified_before_composition(m: IndexingMap) -> str:
    """A map composed with another is what it is when simplified first."""
    shift = IndexingMap(
        [dim(i) % 5 + dim((i + 1) % len(m.results)) for i in range(len(m.results))],
        [Interval(-3, 40)] * len(m.results),
    )
    a, b = compose(m, shift), compose(simplified(m), shift)
    return min(changed(each, simplified(b)) for each in in_all_orders(a))


LAWS: dict[str, Callable[[IndexingMap], str]] = {
    "same points": same_points,
    "same points, single values replaced": same_points_replaced,
    "any order": any_order,
    "idempotent": idempotent,
    "read back": read_back,
    "unused symbols": unused_symbols,
    "unused variables": unused_variables,
    "rescaled": rescaled,
    "made dims": made_dims,
    "composed": simplified_before_composition,
}


def fault(law: Callable[[IndexingMap], str], m: IndexingMap) -> str:
    """What a law finds wrong, an exception too."""
    try:
        return law(m)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def proof(m: IndexingMap) -> bool | None:
    """The first law by integer sets; None where they take more than `LIMIT` operations."""
    try:
        return relation(m, LIMIT) == relation(simplify(m), LIMIT)
    except UndecidedError:
        return None


LIMIT = 20_000


# --- runs ---------------------------------------------------------------------------------------


def shrunk(m: IndexingMap, law: Callable[[IndexingMap], str]) -> IndexingMap:
    """A map with less in it that breaks the law too."""
    for smaller in _smaller(m):
        if fault(law, smaller):
            return shrunk(smaller, law)
    return m


def _smaller(m: IndexingMap) -> Iterator[IndexingMap]:
    for part in ("results", "constraints"):
        items = getattr(m, part)
        for i in range(len(items)):
            yield m.with_parts(**{part: (*items[:i], *items[i + 1 :])})
    if m.replica is not None:
        yield m.with_parts(replica=None)
    for i, x in enumerate(m.results):
        for inner in _inner(x):
            yield m.with_parts(results=(*m.results[:i], inner, *m.results[i + 1 :]))
    for part in ("dims", "ranges", "runtime"):
        variables = getattr(m, part)
        for i, v in enumerate(variables):
            middle = (v.bounds.lower + v.bounds.upper) // 2
            for bounds in (Interval(v.bounds.lower, middle), Interval(middle + 1, v.bounds.upper)):
                if bounds.size and bounds != v.bounds:
                    yield m.with_parts(
                        **{part: (*variables[:i], v._replace(bounds=bounds), *variables[i + 1 :])}
                    )


def _inner(x: Value) -> Iterator[Value]:
    """What an expression is made of, once."""
    if type(x) is not Expr:
        return
    if len(x.terms) > 1:
        for monomial, k in x.terms.items():
            yield from (sum((k * _alone(a) for a in monomial), 0),)
    for atom in atoms_of(x):
        yield from (y for y in (getattr(atom, "dividend", None),) if y is not None)


def _alone(atom: Any) -> Any:
    from tla.numbers.nodes import atom_expr

    return atom_expr(atom)


class Report(NamedTuple):
    """What a run has found."""

    maps: int
    empty: int
    shorter: int
    proved: int
    faults: Counter[str]
    found: list[str]

    @property
    def is_clean(self) -> bool:
        return not self.faults

    def __str__(self) -> str:
        lines = [
            f"{self.maps} maps, {self.empty} of them empty, {self.shorter} shorter when simplified,"
            f" {self.proved} proved"
        ]
        lines += [f"{name}: {n} faults" for name, n in self.faults.items()] or ["no faults"]
        return "\n".join([*lines, *self.found])


def run(
    maps: int,
    seed: int,
    laws: Mapping[str, Callable[[IndexingMap], str]] | None = None,
    prove: int = 0,
) -> Report:
    """Check laws of so many maps."""
    random = Random(seed)
    faults: Counter[str] = Counter()
    found: list[str] = []
    empty = shorter = proofs = 0

    def proved(m: IndexingMap) -> str:
        nonlocal proofs
        same = proof(m)
        proofs += same is True
        return "islpy tells them apart" if same is False else ""

    for i in range(maps):
        m = random_map(random)
        checked = dict(LAWS if laws is None else laws)
        if i < prove:
            checked["proved"] = proved
        for name, law in checked.items():
            if fault(law, m):
                faults[name] += 1
                if len(found) < SHOWN:
                    least_map = shrunk(m, law)
                    found.append(
                        f"{name}: {to_text(least_map, sources=True)}\n  {fault(law, least_map)}"
                    )
        simpler = simplified(m)
        empty += simpler.is_known_empty
        shorter += len(str(simpler)) < len(str(m))
    return Report(maps, empty, shorter, proofs, faults, found)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--count", type=int, default=20000, help="how many maps")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=LAWS, help="one law")
    parser.add_argument("--prove", type=int, default=0, help="how many to prove by islpy as well")
    options = parser.parse_args(arguments)
    laws = {options.only: LAWS[options.only]} if options.only else LAWS
    begun = time.perf_counter()
    report = run(options.count, options.seed, laws, options.prove)
    print(f"seed {options.seed}, {time.perf_counter() - begun:.1f} s: {report}")
    return 0 if report.is_clean else 1


if __name__ == "__main__":
    sys.exit(main())
