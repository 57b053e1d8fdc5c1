"""Fuzz of symbolic ints: what the engine says of random expressions, compared with plain Python.

Run: python tests/numbers/fuzz_exprs.py [--count 20000] [--seed N] [--shrunk N]

A case is a tree of operators over unknowns with small boxes. A fault is

- a changed value: the expression as built, or simplified, or read back from one of its texts, gives
  another int than the tree at a point of the box;
- a wrong fact: a value outside ``bounds``, no multiple of ``divisor``, a `known_*` answer that a point
  refutes;
- a wrong form: ``simplify`` twice is not ``simplify`` once, a copy is not equal, the order of operands
  shows, the size is above its bound;
- a crash: any exception.

Each fault is shrunk and printed, and the exit status is 1.
"""

import argparse
import copy
import pickle
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from mlir import value_of_mlir
from random_exprs import (
    Case,
    Point,
    Tree,
    box_of,
    build,
    cases,
    shrunk,
    source_of_value,
    symbols_of,
    table_of,
)

from tla.numbers import Expr, evaluate, simplify, to_mlir, to_python
from tla.numbers.nodes import size_of

# --- the bound of sizes ---------------------------------------------------------------------------

_OPERATORS = {"ceil": 3}  # -(-x // y)


def written(tree: Tree, wide: frozenset[str]) -> tuple[int, int]:
    """The terms and the size of a tree with its products multiplied out.

    The size counts operators, names and numbers. A name with a divisor is ``16 * name``. A product has
    each factor once for each term of the other; a quotient by ints may come to one term more.
    """
    op, *parts = tree
    if op == "int":
        return 1, 1
    if op == "name":
        return 1, 3 if parts[0] in wide else 1
    terms, sizes = zip(*(written(part, wide) for part in parts), strict=True)
    if op == "*":
        return terms[0] * terms[1], terms[1] * sizes[0] + terms[0] * sizes[1] + terms[0] * terms[1]
    size = sum(sizes) + _OPERATORS.get(op, max(1, len(parts) - 1))
    if op in ("min", "max"):
        return max(terms), size
    return (sum(terms) if op in ("+", "-") else terms[0] + (op != "neg")), size


def most_size(case: Case) -> int:
    """The bound of a size: twice what is written; three times where divisors are symbolic."""
    wide = frozenset(u.name for u in case.unknowns if u.divisor != 1)
    return (2 if case.affine else 3) * written(case.tree, wide)[1]


# --- faults ---------------------------------------------------------------------------------------


class Subject:
    """One case: what the engine made of it, and the truth."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.names = case.names
        self.box = box_of(case.unknowns)
        self.truth = case.truth()
        self.symbols = symbols_of(case.unknowns)
        self.built = build(case.tree, self.symbols)
        self.simple = simplify(self.built)

    def changed(self, source: str) -> str:
        """Where some Python source differs from the truth."""
        got = table_of(source, self.names, self.box)
        if got == self.truth:
            return ""
        return next(
            f"{dict(zip(self.names, point, strict=True))}: {x} instead of {y}"
            for point, x, y in zip(self.box, got, self.truth, strict=True)
            if x != y
        )


def built_value(s: Subject) -> str:
    return s.changed(source_of_value(s.built))


def simple_value(s: Subject) -> str:
    return s.changed(source_of_value(s.simple))


def idempotent(s: Subject) -> str:
    again = simplify(s.simple)
    return "" if same(again, s.simple) else f"{s.simple!r} becomes {again!r}"


def same(a: Any, b: Any) -> bool:
    return type(a) is type(b) and bool(a == b) and hash(a) == hash(b)


def bounds(s: Subject) -> str:
    for x in (s.built, s.simple):
        if type(x) is not Expr:
            continue
        low, high = x.bounds
        for value in s.truth:
            if not (low is None or low <= value) or not (high is None or value <= high):
                return f"{value} is outside {x.bounds} of {x!r}"
    return ""


def divisor(s: Subject) -> str:
    for x in (s.built, s.simple):
        if type(x) is Expr and any(value % x.divisor for value in s.truth):
            return f"{x.divisor} does not divide all of {x!r}"
    return ""


def known(s: Subject) -> str:
    """Answers about the expression and numbers near its values; which ones goes by the case."""
    x = s.built
    if type(x) is not Expr or not s.truth:
        return ""
    values = s.truth
    low, high = min(values), max(values)
    rng = random.Random(low * 31 + high)
    if rng.random() < 0.4:
        return ""
    for n in rng.sample((low, low - 1, high, high + 1, 0), 2):
        for text, answer, at in (
            ("==", x.known_eq(n), {v == n for v in values}),
            ("<", x.known_lt(n), {v < n for v in values}),
            (">", x.known_gt(n), {v > n for v in values}),
        ):
            if answer is not None and at != {answer}:
                return f"{x!r} {text} {n} is said to be {answer}"
    for n in rng.sample((2, 3, 4, 6, 8), 2):
        answer = x.known_multiple(n)
        if answer is not None and {v % n == 0 for v in values} != {answer}:
            return f"{x!r} is said to be {'a' if answer else 'no'} multiple of {n}"
    for name in rng.sample(s.names, 1):
        other = s.symbols[name]
        index = s.names.index(name)
        others = [point[index] for point in s.box]
        answer = other.known_lt(x)
        if answer is not None and {a < b for a, b in zip(others, values, strict=True)} != {answer}:
            return f"{name} < {x!r} is said to be {answer}"
        answer = other.known_divides(x)
        if answer is not None:
            at = {b % a == 0 if a else b == 0 for a, b in zip(others, values, strict=True)}
            if at != {answer}:
                return f"{name} divides {x!r} is said to be {answer}"
    return ""


def python_text(s: Subject) -> str:
    for x in (s.built, s.simple):
        found = s.changed(to_python(x))
        if found:
            return f"{to_python(x)}: {found}"
    return ""


def mlir_text(s: Subject) -> str:
    for division in ("floordiv", "/"):
        text = to_mlir(s.built, division)
        for point, truth in list(zip(s.box, s.truth, strict=True))[:: max(1, len(s.box) // 8)]:
            got = value_of_mlir(text, dict(zip(s.names, point, strict=True)))
            if got != truth:
                return f"{text} at {point}: {got} instead of {truth}"
    return ""


def evaluated(s: Subject) -> str:
    """On arrays of the whole box, and on the ints of one point."""
    import numpy as np

    if not s.box:
        return ""
    arrays = {
        name: np.array(column) for name, column in zip(s.names, zip(*s.box, strict=True), strict=True)
    }
    got = evaluate(s.simple, arrays)
    values = got.tolist() if isinstance(got, np.ndarray) else [got] * len(s.box)
    if values != s.truth:
        return f"evaluate of {s.simple!r} on arrays differs"
    middle = len(s.box) // 2
    point = dict(zip(s.names, s.box[middle], strict=True))
    one = evaluate(s.built, point)
    return "" if one == s.truth[middle] and type(one) is int else f"evaluate at {point} is {one!r}"


def copies(s: Subject) -> str:
    for x in (s.built, s.simple):
        other: Any
        for text, other in (
            ("pickle", pickle.loads(pickle.dumps(x))),
            ("copy", copy.copy(x)),
            ("deepcopy", copy.deepcopy([x])[0]),
        ):
            if not same(other, x):
                return f"{text} of {x!r} is {other!r}"
            if type(x) is Expr and not (other.bounds == x.bounds and not other.kinds & ~x.kinds):  # ty: ignore[missing-union-attribute]
                return f"{text} of {x!r} has other facts"
    return ""


def order(s: Subject) -> str:
    """Commuted sums and products, and one built a second time, have one structure."""
    again = build(s.case.tree, s.symbols)
    if not same(again, s.built):
        return f"built twice: {s.built!r} and {again!r}"
    op, *parts = s.case.tree
    if op in ("+", "*", "min", "max"):
        other = build((op, *reversed(parts)), s.symbols)
        if not same(other, s.built):
            return f"{s.built!r} and, the other way round, {other!r}"
    return ""


def small(s: Subject) -> str:
    size, most = size_of(s.simple), most_size(s.case)
    if size > most:
        return f"{s.simple!r} has size {size}, above {most}"
    return ""


CHECKS: dict[str, Callable[[Subject], str]] = {
    "value as built": built_value,
    "value simplified": simple_value,
    "simplify twice": idempotent,
    "bounds": bounds,
    "divisor": divisor,
    "known": known,
    "Python text": python_text,
    "MLIR text": mlir_text,
    "evaluate": evaluated,
    "copies": copies,
    "order": order,
    "size": small,
}


def faults_of(case: Case) -> Iterator[tuple[str, str]]:
    """The checks that a case fails, each with what is wrong."""
    try:
        subject = Subject(case)
    except Exception as error:
        yield "crash", f"{type(error).__name__}: {error}"
        return
    for name, check in CHECKS.items():
        try:
            text = check(subject)
        except Exception as error:
            text = f"{type(error).__name__}: {error}"
        if text:
            yield name, text


class Found(NamedTuple):
    """A fault: its kind, a smallest case, what is wrong there."""

    kind: str
    case: Case
    note: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.case}\n    {self.note}"


class Report(NamedTuple):
    seconds: float
    cases: int
    points: int
    counts: Counter[str]
    found: list[Found]

    def __str__(self) -> str:
        head = f"{self.cases} expressions at {self.points} points in {self.seconds:.1f} s"
        counts = [f"{n} x {kind}" for kind, n in self.counts.items()] or ["no faults"]
        return "\n".join([head, *counts, *map(str, self.found)])


SHRUNK = 3  # faults of one kind that are shrunk; all are counted


def run(seed: int, count: int, most_shrunk: int = SHRUNK) -> Report:
    start = time.monotonic()
    counts: Counter[str] = Counter()
    found: list[Found] = []
    points = 0
    for case in cases(seed, count):
        points += len(box_of(case.unknowns))
        for kind, note in faults_of(case):
            counts[kind] += 1
            if counts[kind] <= most_shrunk:
                found.append(smallest(kind, case, note))
    return Report(time.monotonic() - start, count, points, counts, found)


def smallest(kind: str, case: Case, note: str) -> Found:
    sort = note.partition(":")[0] if kind == "crash" else ""

    def fails(other: Case) -> bool:
        return any(k == kind and text.startswith(sort) for k, text in faults_of(other))

    less = shrunk(case, fails)
    return Found(kind, less, next(text for k, text in faults_of(less) if k == kind))


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Fuzz symbolic ints against plain Python.")
    parser.add_argument("--count", type=int, default=20_000, help="how many expressions")
    parser.add_argument("--seed", type=int, help="the seed of the random cases (default: a new one)")
    parser.add_argument("--shrunk", type=int, default=SHRUNK, help="faults of a kind that are shrunk")
    args = parser.parse_args(argv)
    seed = random.randrange(2**32) if args.seed is None else args.seed
    print(f"seed {seed}")
    report = run(seed, args.count, args.shrunk)
    print(report)
    return 1 if report.counts else 0


__all__ = ["Point", "Report", "faults_of", "run"]

if __name__ == "__main__":
    sys.exit(main())
