"""Each rewrite rule alone: by enumeration of small boxes, and by integer sets over all ints.

A rule's step is called directly, on inputs that an earlier rule of its table might have taken.
"""

from collections.abc import Iterator
from functools import cache
from math import gcd
from random import Random
from typing import Any, NamedTuple

import pytest
from cases import check_all, over
from integer_sets import is_affine, isl_domain, isl_function
from random_exprs import (
    Draw,
    Point,
    Unknown,
    box_of,
    build,
    cases,
    source_of_value,
    symbols_of,
    table_of,
    unknown_of,
    unknowns,
)

from tla.numbers import Expr, Symbol, Value, assume, least, sym
from tla.numbers.facts import known_negative, known_zero
from tla.numbers.nodes import Least, Quotient, Remainder, atoms_of, expr_of
from tla.numbers.rules import DIVISION, MINIMUM, REMAINDER, SUM, Rule

SEED = 3
LEAST = 60
"""How often at least each rule is tried with a result, for int and for symbolic divisors."""
FEW = 10

TABLES = {"//": DIVISION, "%": REMAINDER, "sum": SUM, "min": MINIMUM}
RULES = [(table, rule) for table, rules in TABLES.items() for rule in rules]
SYMBOLIC = {"P", "D1", "D2, D6", "D3", "D4", "D5", "N", "R1", "R2, R4", "R3", "R5", "S1", "S2"}
"""The rules that also take symbolic divisors."""
OF_INTS = {"L1", "L2", "L3"}
"""Those for int divisors alone."""


class Application(NamedTuple):
    """A rule applied: the value of its left side as Python, and the result."""

    left: str
    result: Value
    unknowns: tuple[Unknown, ...]
    symbolic: bool
    parts: tuple[Any, ...]


# --- inputs -------------------------------------------------------------------------------------


def expressions(rng: Random) -> Iterator[tuple[tuple[Unknown, ...], Any, Any, Draw]]:
    """Expressions with divisors of some relation to them, of every kind that a rule speaks of."""
    while True:
        found = unknowns(rng, rng.choice([2, 3, 3]))
        positive = unknown_of(rng, "m", "positive", 2, divisor=rng.choice([1, 1, 2, 4]))
        found.append(positive)
        if rng.random() < 0.5:
            found[-1] = positive = positive._replace(divisor=1, values=(1, 2, 5))
            found.append(unknown_of(rng, "d", "below", 3, positive))
        symbols = symbols_of(found)
        draw = Draw(rng, found, affine=rng.random() < 0.6)
        x = build(draw.tree(rng.choice([1, 2, 2, 3])), symbols)
        if rng.random() < 0.3:  # an outer digit and one below it
            n = rng.choice([symbols["m"], 2, 3, 4, 6])
            inner = symbols["d"] if "d" in symbols and n is symbols["m"] else x % n
            x = build(draw.tree(1), symbols) * n + inner
        if rng.random() < 0.2:
            x = -x - rng.randint(0, 3)
        if rng.random() < 0.1:
            x = x % (symbols["m"] * rng.choice([2, 3]))
        yield tuple(found), x, symbols, draw


def divisors(rng: Random, x: Expr, symbols: dict[str, Any], draw: Draw) -> Iterator[Any]:
    """Ints and expressions that are positive, some of which share something with the dividend."""
    numbers = [abs(k) for k in x.terms.values()]
    yield rng.choice([2, 3, 4, 5, 6, 8, 12])
    yield rng.choice(numbers) * rng.choice([1, 2, 3])
    yield gcd(*numbers) * rng.choice([2, 3])
    yield symbols["m"]
    yield symbols["m"] * rng.choice([2, 3, 4])
    yield symbols["m"] * gcd(*numbers)
    yield build(draw.divisor(), symbols)
    for monomial in x.terms:
        for atom in monomial:
            if isinstance(atom, (Quotient, Remainder)):
                yield atom.divisor
                yield atom.divisor * rng.choice([2, 3])
                if type(atom.divisor) is int and atom.divisor % 2 == 0:
                    yield atom.divisor // 2


def is_positive(c: Any) -> bool:
    if type(c) is int:
        return c > 1
    return known_negative(c) is False and known_zero(c) is False


def applications_of_divisions(table: str, rules: list[Rule]) -> Iterator[tuple[Rule, Application]]:
    rng = Random(SEED)
    for found, x, symbols, draw in expressions(rng):
        if type(x) is not Expr:
            continue
        for c in divisors(rng, x, symbols, draw):
            if not is_positive(c):
                continue
            left = f"{source_of_value(x)} {table} {source_of_value(c)}"
            for rule in rules:
                result = rule.step(x, c)
                if result is not None:
                    yield rule, Application(left, result, found, type(c) is Expr, (x, c))


def applications_of_sums() -> Iterator[tuple[Rule, Application]]:
    """Sums in which a quotient or a remainder meets what it may join, in terms that no rule has seen."""
    rng = Random(SEED)
    for found, x, symbols, draw in expressions(rng):
        if type(x) is not Expr:
            continue
        for c in divisors(rng, x, symbols, draw):
            if not is_positive(c):
                continue
            factor = rng.choice([1, 1, 2, -1, symbols["m"]])
            quotient, rest = x // c, x % c
            whole = quotient * c
            other = build(draw.tree(1), symbols)
            for left, right in ((rest, whole), (x, -whole)):
                terms, constant, kinds = unjoined([(left, factor), (right, factor), (other, 1)])
                if not terms:
                    continue
                source = source_of_value(expr_of(terms, constant, kinds))
                for monomial in terms:
                    for i in range(len(monomial)):
                        atom: Any = monomial[i]
                        if type(atom) not in (Remainder, Quotient):
                            continue
                        rule = SUM[type(atom) is Quotient]
                        result = rule.step(terms, constant, kinds, monomial, i)
                        if result is not None:
                            symbolic = type(atom.divisor) is Expr
                            parts = (expr_of(terms, constant, kinds),)
                            yield rule, Application(source, result, found, symbolic, parts)


def unjoined(summands: list[tuple[Any, Any]]) -> tuple[dict[Any, int], int, int]:
    """The terms of a sum, which no rule of sums has rewritten."""
    terms: dict[Any, int] = {}
    constant, kinds = 0, 0
    for x, factor in summands:
        product = x * factor
        if type(product) is not Expr:
            constant += product
            continue
        constant += product.constant
        kinds |= product.kinds
        for monomial, k in product.terms.items():
            terms[monomial] = terms.get(monomial, 0) + k
    return {m: k for m, k in terms.items() if k}, constant, kinds


def applications_of_minima() -> Iterator[tuple[Rule, Application]]:
    rng = Random(SEED)
    for found, x, symbols, draw in expressions(rng):
        g = rng.choice([1, 2, 3])
        others = [build(draw.tree(rng.choice([0, 1, 2])), symbols) for _ in range(rng.choice([1, 2]))]
        if rng.random() < 0.3:
            others.append(x + rng.randint(-2, 2))
        if rng.random() < 0.3 and type(x) is Expr:
            a, b = x, build(draw.tree(1), symbols)
            if type(b) is Expr and a.key != b.key:
                others.append(expr_of({(Least.make(a, b),): 1}, 0, 4))
        items = [y * g for y in (x, *others)]
        keys = {y.key if type(y) is Expr else "int" for y in items}
        if len(keys) < len(items):
            continue
        left = f"min({', '.join(map(source_of_value, items))})"
        for rule in MINIMUM:
            result = rule.step(items)
            if result is not None:
                yield rule, Application(left, result, found, False, tuple(items))


@cache
def applications(least: int) -> dict[tuple[str, str, bool], list[Application]]:
    """The inputs to which each rule of each table applies, enough of each kind."""
    found: dict[tuple[str, str, bool], dict[Any, Application]] = {
        (table, rule.name, symbolic): {}
        for table, rule in RULES
        for symbolic in (False, True)
        if not symbolic or rule.name in SYMBOLIC
    }
    sources = {
        "//": applications_of_divisions("//", DIVISION),
        "%": applications_of_divisions("%", REMAINDER),
        "sum": applications_of_sums(),
        "min": applications_of_minima(),
    }
    for table, source in sources.items():
        missing = {key for key in found if key[0] == table}
        for _tried, (rule, application) in zip(range(40_000), source, strict=False):
            key = (table, rule.name, application.symbolic)
            seen = found.setdefault(key, {})
            if len(seen) < 5 * least:
                seen[application.left, application.unknowns] = application
            if len(seen) >= least:
                missing.discard(key)
            if not missing:
                break
    return {key: list(seen.values()) for key, seen in found.items()}


# --- proofs -------------------------------------------------------------------------------------


def test_the_tables_name_each_rule_once() -> None:
    for rules in TABLES.values():
        names = [rule.name for rule in rules]
        assert len(set(names)) == len(names)
        assert all(rule.identity for rule in rules)
    assert {rule.name for _table, rule in RULES} == SYMBOLIC | OF_INTS


@pytest.mark.parametrize("least", [FEW, pytest.param(LEAST, marks=pytest.mark.slow)])
@over("table, rule", RULES)
def test_rules_by_enumeration(table: str, rule: Rule, least: int) -> None:
    for symbolic in (False, True):
        found = applications(least).get((table, rule.name, symbolic), [])
        if symbolic and rule.name not in SYMBOLIC:
            assert not found
            continue
        assert len(found) >= least, f"{rule.name} has applied {len(found)} times"
        for left, result, facts, _symbolic, parts in found:
            names = [u.name for u in facts]
            box: list[Point] = box_of(facts)
            want, got = table_of(left, names, box), table_of(source_of_value(result), names, box)
            assert got == want, f"{rule.name} of {parts} is {result!r}"


@pytest.mark.slow
def test_rules_by_integer_sets() -> None:
    """Over all ints that the symbols may be, where products and divisors are by ints."""
    pytest.importorskip("islpy")
    check_all(lambda row: prove_by_integer_sets(*row), RULES)


def prove_by_integer_sets(table: str, rule: Rule) -> None:
    proved = 0
    for left, result, facts, _symbolic, parts in applications(LEAST)[table, rule.name, False]:
        if not is_affine(result) or not all(map(is_affine, parts)):
            continue
        op = {"//": "//", "%": "%", "min": "min", "sum": ""}[table]
        domain = isl_domain(facts)
        same = isl_function(facts, op, *parts).eq_set(isl_function(facts, "", result))
        assert domain.is_subset(same), f"{rule.name} of {left} is {result!r}, on {domain}"
        proved += 1
        if proved == 150:
            break
    assert proved >= 20, f"{rule.name} is proved {proved} times"


def test_the_proof_sees_a_wrong_rule() -> None:
    isl = pytest.importorskip("islpy")
    i = Unknown("i", 1, 0, None, (0, 1, 2))
    x = symbols_of([i])["i"]
    domain = isl_domain((i,))
    assert not domain.is_subset(isl_function((i,), "//", x, 3).eq_set(isl_function((i,), "", x // 4)))
    assert domain.is_subset(isl_function((i,), "%", x, 3).eq_set(isl_function((i,), "", x - x // 3 * 3)))
    assert isinstance(domain, isl.Set)


# --- the operations, on what the rules are for ----------------------------------------------------

M, N, K = sym("M", divisible_by=16), sym("N"), sym("K")
SIX, EIGHT = sym("p", divisible_by=6), sym("q", divisible_by=8)
X, J = sym("i", min=0), sym("j", min=None)
DIGIT = sym("d", min=0, max=N - 1)


@pytest.mark.parametrize(
    ("got", "want"),
    [
        (M % 16, 0),
        (M // 4 * 4, M),
        ((M + X) // 16, M // 16 + X // 16),
        ((M + X) % 16, X % 16),
        (X % 48 // 16, X // 16 % 3),
        (X // 4 // 8, X // 32),
        ((X // 4 + 2) // 8, (X + 8) // 32),
        (X % 48 % 16, X % 16),
        (X % 4 + X // 4 * 4, X),
        (X - X // 4 * 4, X % 4),
        ((X * 4 + J % 4) // 4, X),
        ((X * 4 + J % 4) % 4, J % 4),
        ((X * 4 + J % 4) // 8, X // 2),
        ((X * 2 + J % 2) // 4, X // 2),
        ((X * N + DIGIT) // N, X),
        ((X * N + DIGIT) % N, DIGIT),
        ((EIGHT * SIX + EIGHT % SIX) // (SIX * 6), EIGHT // 6),
        ((K * N + K % N) // (N * 6), K // 6),
        ((K * N + K % N) % (N * 6), K % 6 * N + K % N),
        ((X * N + DIGIT) // (N * K), X // K),
        ((X * 2 + J % 2) // (N * 2), X // N),
        ((X * N + DIGIT) % (N * K), X % K * N + DIGIT),
        (DIGIT // N, 0),
        (DIGIT % N, DIGIT),
        (X % N % N, X % N),
        ((X * N) // N, X),
        ((X * N) % N, 0),
        ((J // N) * N + J % N, J),
        ((X * N * 2) // (N * 4), X // 2),
        ((X * N) // (K * N + N), X // (K + 1)),
        ((X * N) % (K * N + N), X % (K + 1) * N),
        ((SIX + EIGHT + 11) // 12, (SIX // 2 + EIGHT // 2 + 5) // 6),
        ((X * 2) // (K * 2 + 2), X // (K + 1)),
        ((X * 2) % (K * 2 + 2), X % (K + 1) * 2),
        (J // -1, -J),
        ((1 - J) // -1, J - 1),
        ((-(X % 7)) // -1, X % 7),
        ((J // 2 * 4 - J * 7 + J % 2) % 5, -(J % 2) % 5),
    ],
)
def test_worked_examples(got: Any, want: Any) -> None:
    assert type(got) is type(want)
    assert bool(got == want), f"{got!r} is not {want!r}"
    assert repr(got) == repr(want)


@pytest.mark.parametrize("factor", [J, sym("Z", min=0)], ids=str)
def test_a_factor_whose_sign_is_open_is_not_cancelled(factor: Any) -> None:
    """``(3*g) // (g*g)`` is ``3 // g``, whose divisor nobody knows to be above 0."""
    with assume(factor * factor > 0):
        for x in ((3 * factor) // (factor * factor), (3 * factor) % (factor * factor)):
            assert {type(atom) for m in x.terms for atom in m} <= {Quotient, Remainder}
            (atom,) = [atom for m in x.terms for atom in m]
            assert bool(atom.parts[1] == factor * factor)


def test_an_assumed_digit_is_dropped() -> None:
    a, b = sym("a", min=0), sym("b", min=0)
    assert str((8 * K + a + b) // 8) != str(K)
    with assume(a + b < 8):
        assert (8 * K + a + b) // 8 == K
        assert ((8 * K + a + b) // 16, (8 * K + a + b) % 8) == (K // 2, a + b)


def test_an_atom_that_is_made_where_nothing_is_assumed_is_final() -> None:
    """All but a symbol of one value, which `simplify` puts a number for."""
    for case in cases(33, 300):
        for atom in atoms_of(case.built()):
            low, high = atom.bounds
            assert atom.is_final == (type(atom) is not Symbol or low is None or low != high)
    y = sym("y", min=0, max=40)
    with assume(y < 20):
        x, minimum = (7 * y + 3) // 11, least(y, 15)
        assert sorted(atom.is_final for atom in atoms_of(x + minimum)) == [False, False, True]
    assert bool(x == (7 * y + 3) // 11)
    assert bool(minimum == least(y, 15))
    assert all(atom.is_final for atom in atoms_of(x + minimum))
