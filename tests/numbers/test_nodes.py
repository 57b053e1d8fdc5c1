"""Expressions as values: one form, immutable, equal and hashed by structure; and the fuzz."""

import copy
import gc
import operator
import pickle
import subprocess
import sys
import threading
from itertools import permutations
from typing import Any

import fuzz_exprs
import numpy as np
import pytest
from random_exprs import build, cases, symbols_of

import tla
from tla import Int, LeafError, UndecidedError
from tla.numbers import Expr, Symbol, greatest, least, sym
from tla.numbers.nodes import Least, Quotient, Remainder, atoms_of, key_of, size_of

SEED, COUNT, MANY = 20, 200, 5_000

M, N = sym("M", divisible_by=16), sym("N")
X, J = sym("i", min=0), sym("j", min=None)


# --- the fuzz -------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [COUNT, pytest.param(MANY, marks=pytest.mark.slow)])
def test_fuzz(capsys: pytest.CaptureFixture[str], count: int) -> None:
    report = fuzz_exprs.run(SEED, count)
    with capsys.disabled():
        print(f"\n{report.cases} symbolic ints of the fuzz, seed {SEED}, {report.seconds:.0f} s")
    assert not report.counts, str(report)
    assert report.points > 50 * count


@pytest.mark.parametrize(
    ("name", "plant"),
    [
        ("value as built", lambda s: setattr(s, "built", s.built + 1)),
        ("value simplified", lambda s: setattr(s, "simple", s.simple * 2 + 1)),
        ("simplify twice", lambda s: setattr(s, "simple", unsimplified(s))),
        ("bounds", lambda s: setattr(s, "truth", [10**9 for _ in s.truth])),
        ("divisor", lambda s: setattr(s, "built", s.built * 7)),
        ("known", lambda s: setattr(s, "built", s.built + 1)),
        ("Python text", lambda s: setattr(s, "simple", s.simple + 1)),
        ("MLIR text", lambda s: setattr(s, "built", s.built + 1)),
        ("evaluate", lambda s: setattr(s, "simple", s.simple + 1)),
        ("order", lambda s: setattr(s, "built", s.built + 1)),
        ("size", lambda s: setattr(s, "simple", s.simple * sum_of_many(s))),
    ],
)
def test_the_fuzz_sees_a_planted_fault(name: str, plant: Any) -> None:
    seen = False
    for case in cases(SEED, 60):
        subject = fuzz_exprs.Subject(case)
        if type(subject.built) is not Expr or not subject.box:
            continue
        plant(subject)
        seen = seen or bool(fuzz_exprs.CHECKS[name](subject))
    assert seen


def unsimplified(subject: Any) -> Any:
    """An expression that a rule rewrites, made without the rules."""
    (*_rest, x) = subject.symbols.values()
    from tla.numbers.nodes import atom_expr

    return atom_expr(Quotient.make(x * 4, 2))


def sum_of_many(subject: Any) -> Any:
    return sum((n + x**n for n in range(1, 9) for x in subject.symbols.values()), 0)


# --- one form -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (lambda: X + J, lambda: J + X),
        (lambda: X * J, lambda: J * X),
        (lambda: X - J, lambda: -(J - X)),
        (lambda: (X + J) * 3, lambda: 3 * X + J * 3),
        (lambda: (X + 1) * (X - 1), lambda: X * X - 1),
        (lambda: X * (J + N), lambda: X * J + N * X),
        (lambda: least(X, J, 3), lambda: least(3, least(J, X))),
        (lambda: greatest(X, J), lambda: -least(-X, -J)),
        (lambda: X // 4 + 1, lambda: (X + 4) // 4),
        (lambda: M // 16 * 16, lambda: M),
        (lambda: +X, lambda: X),
        (lambda: X**2, lambda: X * X),
        (lambda: abs(X), lambda: X),
        (lambda: (J + J % 4) - J % 4, lambda: J),
    ],
)
def test_equal_structures(a: Any, b: Any) -> None:
    x, y = a(), b()
    assert bool(x == y)
    assert hash(x) == hash(y)
    assert x.key == y.key
    assert len({x, y}) == 1
    assert (str(x), repr(x)) == (str(y), repr(y))


def test_sums_in_any_order_are_one() -> None:
    parts: list[Any] = [X // 4, J % 3, N * X, least(X, J), 7]
    made = {key_of(sum(order)) for order in permutations(parts)}
    assert len(made) == 1
    assert len({repr(sum(order)) for order in permutations(parts)}) == 1


@pytest.mark.parametrize(
    "x",
    [lambda: X - X, lambda: X * 0, lambda: M % 16, lambda: X**0, lambda: X % 1, lambda: least(X, -1)],
)
def test_without_unknowns_it_is_a_plain_int(x: Any) -> None:
    assert type(x()) is int


@pytest.mark.parametrize("n", [4, Int(4), np.int64(4), np.uint8(4)], ids=lambda n: type(n).__name__)
def test_ints_of_every_kind(n: Any) -> None:
    for got, want in (
        (X + n, X + 4),
        (n + X, X + 4),
        (X - n, X - 4),
        (n - X, 4 - X),
        (X * n, X * 4),
        (n * X, X * 4),
        (X // n, X // 4),
        (X % n, X % 4),
        (n // N, 4 // N),
        (n % N, 4 % N),
        (divmod(X, n)[0], X // 4),
        (divmod(n, N)[1], 4 % N),
        (least(X, int(n)), least(X, 4)),
    ):
        assert type(got) is Expr
        assert bool(got == want)
        assert type(got.constant) is int
        assert all(type(k) is int for k in got.terms.values())
    for condition in (n == X, n != X, n > X, n >= X, n < X, n <= X):
        assert type(condition.right) is int


@pytest.mark.parametrize("bad", [1.5, "4", None, [4], (4,), 4j, b"4"])
@pytest.mark.parametrize("op", ["+", "-", "*", "//", "%", "<"])
def test_operands_that_are_no_ints(op: str, bad: Any) -> None:
    for source in (f"x {op} y", f"y {op} x"):
        if op == "%" and source == "y % x" and isinstance(bad, (str, bytes)):
            continue  # formatting of text
        if op == "*" and isinstance(bad, (str, list, tuple, bytes)):
            with pytest.raises((TypeError, LeafError, UndecidedError)):
                eval(source, {"x": X, "y": bad})
            continue
        with pytest.raises(TypeError):
            eval(source, {"x": X, "y": bad})


@pytest.mark.parametrize("bad", [True, False])
def test_a_bool_is_no_operand(bad: bool) -> None:
    for source in ("x + y", "y + x", "x * y", "x // y", "y - x", "x < y"):
        with pytest.raises(TypeError):
            eval(source, {"x": X, "y": bad})


def test_equality_with_anything_else_is_python_s() -> None:
    other: Any
    for other in ("i", None, 1.5, [1], object(), True):
        assert (other == X) is False
        assert (other != X) is True


def test_powers() -> None:
    assert type(X**3) is Expr
    assert repr(X**3) == "i * i * i"
    with pytest.raises(ValueError, match="an int to a negative power is no int"):
        X**-1  # pyright: ignore[reportUnusedExpression]
    bad: Any
    for bad in (0.5, "2", X):
        with pytest.raises(TypeError):
            X**bad  # pyright: ignore[reportUnusedExpression]  # ty: ignore[unsupported-operator]


# --- division by what may be 0 ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("divide", "summary", "obligation"),
    [
        (lambda: N // X, "cannot divide N by i: it may be 0", X > 0),
        (lambda: N % X, "cannot divide N by i: it may be 0", X > 0),
        (lambda: 7 // X, "cannot divide 7 by i: it may be 0", X > 0),
        (lambda: N // J, "cannot divide N by j: it may be 0 or negative", J > 0),
        (lambda: N // (N - 1), "cannot divide N by N-1: it may be 0", N - 1 > 0),
        (lambda: tla.numbers.ceil_divided(N, X), "cannot divide -N by i: it may be 0", X > 0),
        (lambda: divmod(N, J), "cannot divide N by j: it may be 0 or negative", J > 0),
    ],
)
def test_a_divisor_that_may_be_0(divide: Any, summary: str, obligation: Any) -> None:
    with pytest.raises(UndecidedError) as caught:
        divide()
    assert facts_left_out(caught.value.summary) == summary
    assert caught.value.obligation == obligation
    assert f"with assume({obligation})" in str(caught.value)
    with tla.numbers.assume(obligation):
        divide()


def facts_left_out(text: str) -> str:
    """A summary without the facts in braces."""
    return "".join(part.partition("}")[2] if k else part for k, part in enumerate(text.split("{")))


def test_a_divisor_that_is_0() -> None:
    zero = sym("z", min=0, max=0)
    for divide in (lambda: X // 0, lambda: X % 0, lambda: divmod(X, 0)):
        with pytest.raises(ZeroDivisionError, match=r"divided by 0|modulo by zero"):
            divide()
    for op in (operator.floordiv, operator.mod):
        for x in (X, 3):
            with pytest.raises(ZeroDivisionError, match="which is 0"):
                op(x, zero)


def test_division_by_what_is_below_0() -> None:
    below = sym("n", min=None, max=-1)
    for x, want in (
        (X // below, 7 // -3),
        (X % below, 7 % -3),
        (7 // below, 7 // -3),
        (X % -4, 7 % -4),
        (X // -4, 7 // -4),
        (below // (below * 2), 0),
        (below % (below * 2), -3),
    ):
        assert tla.numbers.evaluate(x, {"i": 7, "n": -3}) == want


# --- values -----------------------------------------------------------------------------------------


def test_nothing_can_be_changed() -> None:
    x: Any = X + 1
    for name in ("terms", "constant", "other"):
        with pytest.raises(AttributeError, match="an Expr is immutable"):
            setattr(x, name, 0)


def test_as_a_bool() -> None:
    assert bool(N)
    assert bool(N + X)
    assert not bool(sym("z", min=0, max=0))
    with pytest.raises(UndecidedError, match="cannot decide whether i == 0") as caught:
        bool(X)
    assert caught.value.obligation == (X == 0)


def test_it_is_an_int_only_where_it_has_a_value() -> None:
    converters: list[Any] = [int, float, range, list(range(9)).__getitem__]
    for convert in converters:
        with pytest.raises((TypeError, UndecidedError)):
            convert(X)


def test_copies_and_pickles_in_another_process() -> None:
    x = M // 16 * (X % 3) + least(X, J * N, 7) + sym("d", min=0, max=N - 1) // 5
    for other in (copy.copy(x), copy.deepcopy(x), copy.deepcopy([x, (x,)])[0]):
        assert other is x
    code = (
        "import pickle, sys; from tla.numbers import sym; j = sym('j', min=None); z = j * sym('N');"
        "sys.stdout.buffer.write(pickle.dumps(pickle.loads(sys.stdin.buffer.read())))"
    )
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        back = subprocess.run(
            [sys.executable, "-c", code],
            input=pickle.dumps(x, protocol),
            capture_output=True,
            check=True,
        ).stdout
        assert bool(pickle.loads(back) == x)


def test_atoms_are_one_object_and_go_when_unused() -> None:
    def atom(x: Any) -> Any:
        ((monomial, _k),) = x.terms.items()
        return monomial[0]

    assert atom(X // 7) is atom(sym("i", min=0) // 7)
    assert atom(X % 7) is not atom(X // 7)
    assert atom(least(X, J)) is atom(least(J, X))
    assert [type(atom(x)) for x in (X, X // 7, X % 7, least(X, J))] == [
        Symbol,
        Quotient,
        Remainder,
        Least,
    ]
    gc.collect()


def test_threads_share_atoms() -> None:
    made: list[Any] = []

    def work() -> None:
        for n in range(2, 200):
            x = sym(f"thread{n}", min=0)
            made.append((n, key_of(x // n + x % (n + 1))))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(made)) == 198


def test_symbols_and_atoms() -> None:
    d = sym("d", min=0, max=N - 1)
    x = M // 3 * d + least(J, 4)
    assert [s.name for s in x.symbols] == ["M", "d", "j"]
    assert {type(a) for a in atoms_of(x)} == {Symbol, Quotient, Least}
    assert tla.numbers.free_symbols(3) == ()
    assert [s.name for s in tla.numbers.free_symbols(d)] == ["d"]


@pytest.mark.parametrize(
    ("x", "size"),
    [
        (3, 1),
        (X, 1),
        (X + 3, 3),
        (X * 4, 3),
        (X // 4, 3),
        (X * 4 + 3, 5),
        (X * J, 3),
        (least(X, J, 3), 5),
        (-X, 1),
    ],
)
def test_sizes(x: Any, size: int) -> None:
    assert size_of(x) == size
    if type(x) is Expr:
        assert x.size == size


def test_each_case_can_be_built_again() -> None:
    """The shrinker and the reports of the fuzz stand on this."""
    for case in cases(SEED, 200):
        assert bool(build(case.tree, symbols_of(case.unknowns)) == case.built())
