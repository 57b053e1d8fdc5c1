"""Values for symbols: exact on ints and arrays, checked against the facts; put in; simplified."""

import warnings
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest
from cases import share
from random_exprs import box_of, build, cases, source_of_tree, symbols_of, table_of

from tla import Int, Layout, LeafError, LimitError, UndecidedError
from tla.errors import BindingError
from tla.numbers import (
    Expr,
    assume,
    evaluate,
    free_symbols,
    greatest,
    least,
    open_conditions,
    simplify,
    substitute,
    sym,
)

M, N = sym("M", divisible_by=16), sym("N")
X, J, Z = sym("i", min=0), sym("j", min=None), sym("z", min=None)
DTYPES = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "object"]


# --- ints -----------------------------------------------------------------------------------------


def test_ints_of_every_kind() -> None:
    x = M // 16 + X % 4
    for n in (7, Int(7), np.int64(7), np.uint8(7)):
        value = evaluate(x, {"M": 96, "i": n})
        assert value == 9
        assert type(value) is int
    assert evaluate(5, {}) == 5
    assert evaluate(X + 1, {"i": 3, "other": 4}) == 4


def test_large_ints() -> None:
    n = 10**40 + 7
    assert evaluate(J * J + J // 3 + J % 10**20, {"j": n}) == n * n + n // 3 + n % 10**20


def test_a_divisor_that_comes_to_0() -> None:
    with assume(X > 0):
        x = N // X
    with pytest.raises(ZeroDivisionError, match=r"N divided by i.*, which is 0 here"):
        evaluate(x, {"N": 3, "i": 0})
    assert evaluate(x, {"N": 7, "i": 2}) == 3


# --- arrays ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
def test_arrays_of_every_dtype(dtype: str) -> None:
    values = np.arange(0, 100, 3).astype(dtype)
    x = 300 * X + X // 7 - X % 5 * 1000 + least(X, 50) - greatest(X * 2, 60)
    want = [300 * i + i // 7 - i % 5 * 1000 + min(i, 50) - max(i * 2, 60) for i in range(0, 100, 3)]
    assert evaluate(x, {"i": values}).tolist() == want
    assert values.dtype == dtype


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "object"])
def test_arrays_below_0(dtype: str) -> None:
    values = np.arange(-100, 28, 3).astype(dtype)
    got = evaluate(J // 7 * 100 + J % 7 + J * J, {"j": values}).tolist()
    assert got == [j // 7 * 100 + j % 7 + j * j for j in range(-100, 28, 3)]


EXTREMES = [
    *(n + d for n in (0, 2**31, 2**32, 2**61, 2**62, 2**63) for d in (-2, -1, 0, 1)),
    2**64 - 1,
    2**40 + 7,
]


@pytest.mark.parametrize("dtype", ["int64", "uint64", "object"])
@pytest.mark.parametrize(
    "source",
    [
        "j", "j + 1", "j * 2", "-j", "j * j", "j - 3 * j", "j * 4 - j * 3", "j // 3",
        "j % 1000", "j * 3 // 7", "1000000 - j", "j * 4611686018427387904",
        "(j + 4611686018427387904) // 2", "j + 9223372036854775807",
        "j % 9223372036854775809", "(j * 6) % 4611686018427387905", "j // 18446744073709551616",
    ],
)  # fmt: skip
def test_nothing_wraps_around(dtype: str, source: str) -> None:
    fits: Any = {
        "int64": lambda n: -(2**63) <= n < 2**63,
        "uint64": lambda n: 0 <= n < 2**64,
        "object": lambda n: True,
    }[dtype]
    numbers = [n for n in (*EXTREMES, *(-n for n in EXTREMES)) if fits(n)]
    x = eval(source, {"j": J})
    want = [eval(source, {"j": n}) for n in numbers]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert evaluate(x, {"j": np.array(numbers, dtype=dtype)}).tolist() == want
        for n, value in zip(numbers, want, strict=True):
            got = evaluate(x, {"j": np.array([n], dtype=dtype)})
            assert got.tolist() == [value]


@pytest.mark.parametrize("dtype", ["int64", "uint64", "int8"])
def test_nothing_wraps_around_with_several(dtype: str) -> None:
    rng = Random(2)
    info = np.iinfo(dtype)
    for _ in range(300):
        columns = {
            name: [
                int(rng.choice([info.min, info.max, 0, 1, rng.randint(info.min, info.max)]))
                for _ in range(4)
            ]
            for name in ("j", "z")
        }
        k, c = rng.choice([1, 2, -3, 2**31, 2**40, -(2**62)]), rng.choice([3, 7, 2**20, 2**62 + 1])
        source = rng.choice(
            [
                "j*k + z",
                "j*z",
                "(j*k + z) // c",
                "(j - z) % c * k",
                "min(j*k, z)",
                "j*j - z*z",
                "max(j, z*k) // c",
            ]
        )
        given = {"k": k, "c": c, "min": least, "max": greatest}
        x = eval(source, {**given, "j": J, "z": Z})
        want = [
            eval(source, {"k": k, "c": c, "j": j, "z": z})
            for j, z in zip(*columns.values(), strict=True)
        ]
        got = evaluate(x, {name: np.array(v, dtype=dtype) for name, v in columns.items()})
        assert got.tolist() == want, source


def test_an_int_beyond_64_bits_beside_an_array() -> None:
    got = evaluate(J + Z, {"j": np.array([1, 2]), "z": 2**70})
    assert got.tolist() == [1 + 2**70, 2 + 2**70]
    assert evaluate(J + 2**70, {"j": np.array([1])}).tolist() == [1 + 2**70]
    assert evaluate(least(J, 2**70), {"j": np.array([1])}).tolist() == [1]


def test_small_values_stay_in_64_bits() -> None:
    assert evaluate(X * 3 + 1, {"i": np.arange(5, dtype="uint8")}).dtype == "int64"


def test_broadcasting() -> None:
    rows, columns = np.arange(3)[:, None], np.arange(4)
    got = evaluate(X * 10 + J, {"i": rows, "j": columns})
    assert got.shape == (3, 4)
    assert got.tolist() == [[i * 10 + j for j in range(4)] for i in range(3)]
    assert evaluate(X * 10 + J, {"i": rows, "j": 5}).tolist() == [[5], [15], [25]]
    assert evaluate(X + J, {"i": np.array(3), "j": np.array([1])}).tolist() == [4]
    with pytest.raises(ValueError, match="broadcast"):
        evaluate(X + J, {"i": np.arange(3), "j": np.arange(4)})


@pytest.mark.parametrize("shape", [(0,), (0, 3), (2, 0)])
@pytest.mark.parametrize("dtype", ["int64", "uint8", "object"])
def test_empty_arrays(shape: tuple[int, ...], dtype: str) -> None:
    for x in (X, X * 2**70, X // 4 % 3, least(X, 3), X % N):
        got = evaluate(x, {"i": np.zeros(shape, dtype=dtype), "N": 5})
        assert got.shape == shape
        assert got.dtype.kind in "iO"


def test_arrays_of_divisors() -> None:
    n = np.array([1, 2, 3, 7])
    assert evaluate(X // N + X % N, {"i": 20, "N": n}).tolist() == [
        20 // v + 20 % v for v in (1, 2, 3, 7)
    ]
    with assume(X > 0):
        x = N // X
    with pytest.raises(ZeroDivisionError):
        evaluate(x, {"N": 3, "i": np.array([2, 0])})


@pytest.mark.parametrize(
    "bad",
    [np.array([1.0]), np.array([True]), np.array(["1"]), np.array([1j]), np.array(["2020"], "M8[D]")],
)
def test_arrays_that_hold_no_ints(bad: Any) -> None:
    with pytest.raises(BindingError, match=r"i is given ndarray .* which is no int") as caught:
        evaluate(X + 1, {"i": bad})
    assert caught.value.symbol == "i"


@pytest.mark.parametrize("item", [1.5, True, "1", None])
def test_arrays_of_objects_that_are_no_ints(item: Any) -> None:
    with pytest.raises(BindingError):
        evaluate(X + 1, {"i": np.array([1, item], dtype=object)})


# --- what a symbol may not be ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("x", "values", "summary"),
    [
        (M + X, {"i": 3}, "M is given no value"),
        (M, {"M": 17}, "M = 17 breaks M % 16 == 0"),
        (M, {"M": 0}, "M = 0 breaks M >= 1"),
        (X, {"i": -1}, "i = -1 breaks i >= 0"),
        (sym("k", max=7), {"k": 8}, "k = 8 breaks k <= 7"),
        (sym("d", min=0, max=N - 1), {"d": 4, "N": 4}, "d = 4 breaks d <= N - 1"),
        (X, {"i": np.array([3, -2, -5])}, "i = -2 breaks i >= 0"),
        (M, {"M": np.array([16, 20])}, "M = 20 breaks M % 16 == 0"),
        (X, {"i": N}, "i is given the symbolic N"),
        (X, {"i": 1.5}, "i is given float 1.5, which is no int"),
        (X, {"i": "3"}, "i is given str '3', which is no int"),
        (X, {"i": True}, "i is given bool True, which is no int"),
        (X, {"i": None}, "i is given NoneType None, which is no int"),
        (X, {"i": [1, 2]}, "i is given list [1, 2], which is no int"),
        (sym("d", min=0, max=N - 1), {"d": 4}, "N is given no value"),
    ],
)
def test_values_that_do_not_fit(x: Expr, values: dict[str, Any], summary: str) -> None:
    with pytest.raises(BindingError) as caught:
        evaluate(x, values)
    assert caught.value.summary == summary
    assert str(caught.value.symbol) in summary


def test_a_bound_that_is_symbolic_goes_by_place() -> None:
    d = sym("d", min=0, max=N - 1)
    assert evaluate(d, {"d": np.array([0, 3]), "N": np.array([1, 4])}).tolist() == [0, 3]
    with pytest.raises(BindingError, match="d = 3 breaks d <= N - 1"):
        evaluate(d, {"d": np.array([0, 3]), "N": np.array([4, 3])})


def test_two_symbols_of_one_name_have_one_value() -> None:
    x = sym("M", 16) // 16 + sym("M", 3) // 3
    assert evaluate(x, {"M": 48}) == 19
    with pytest.raises(BindingError, match="M = 16 breaks M % 3 == 0"):
        evaluate(x, {"M": 16})


# --- substitution ---------------------------------------------------------------------------------


def test_substitution() -> None:
    assert bool(substitute(M // 16 + X, {"i": M // 4}) == M // 16 * 5)
    assert substitute(M // 16 + X, {"i": 3, "M": 32}) == 5
    assert bool(substitute(X + J, {"i": 4}) == J + 4)
    assert bool(substitute(X + J, {}) == X + J)
    assert substitute(7, {"i": 4}) == 7
    assert bool(substitute(X % 4 + J, {"i": J * J * 4}) == J)
    assert bool(substitute(X + 2 * J, {"i": J + 100 - J, "j": X}) == 2 * X + 100)


@pytest.mark.parametrize("n", [Int(32), np.int64(32)])
def test_substitution_of_ints_of_every_kind(n: Any) -> None:
    got = substitute(M // 16 + X, {"M": n, "i": 0})
    assert got == 2
    assert type(got) is int


@pytest.mark.parametrize(
    ("x", "values", "summary"),
    [
        (X, {"i": -1}, "i = -1 breaks i >= 0"),
        (M, {"M": 20}, "M = 20 breaks M % 16 == 0"),
        (M, {"M": sym("k", 2) * 8 + 4}, "M = 8*k{div=2}+4 breaks M % 16 == 0"),
        (
            sym("k", max=7),
            {"k": sym("m", min=8)},
            "k = m{min=8} breaks k <= 7",
        ),
    ],
)
def test_substitutes_that_do_not_fit(x: Expr, values: dict[str, Any], summary: str) -> None:
    with pytest.raises(BindingError) as caught:
        substitute(x, values)
    assert caught.value.summary == summary
    assert str(caught.value.symbol) in summary


def test_a_substitute_outside_a_symbolic_range() -> None:
    with pytest.raises(BindingError, match=r"^M = N\+1 breaks M <= N\n?"):
        substitute(sym("M", max=N), {"M": N + 1})


def test_a_value_outside_the_range_of_an_assumption_s_symbol() -> None:
    k: Any = sym("k", max=7)
    with pytest.raises(BindingError, match=r"^k = 8 breaks k <= 7"):
        open_conditions([k % 2 == 0], (), {"k": 8})


def test_a_substitute_that_may_not_fit() -> None:
    with pytest.raises(UndecidedError) as caught:
        substitute(M, {"M": N})
    assert str(caught.value.obligation) == "N % 16 == 0"
    with assume(N % 16 == 0):
        assert bool(substitute(M, {"M": N}) == N)


@pytest.mark.parametrize("bad", [1.5, "3", True, None])
def test_substitutes_that_are_no_ints(bad: Any) -> None:
    with pytest.raises(LeafError):
        substitute(X, {"i": bad})


def test_random_substitution_is_evaluation() -> None:
    rng = Random(4)
    for case in cases(41, share(1500)):
        box = box_of(case.unknowns)
        if not box:
            continue
        k = rng.randrange(len(box))
        point = dict(zip(case.names, box[k], strict=True))
        x, want = case.built(), case.truth()[k]
        assert substitute(x, point) == want
        assert evaluate(x, point) == want
        part = {name: value for name, value in point.items() if rng.random() < 0.5}
        some = substitute(x, part, in_range=True)
        assert {s.name for s in free_symbols(some)} <= set(point) - set(part)
        assert evaluate(some, point) == want, f"{case} with {part}"


def test_random_substitution_of_expressions() -> None:
    """A symbol without facts becomes another tree."""
    rng = Random(6)
    tried = 0
    for case in cases(42, share(2500)):
        free = [u for u in case.unknowns if (u.divisor, u.low, u.high, u.below) == (1, None, None, "")]
        if not free or any(u.below for u in case.unknowns):
            continue
        tried += 1
        name, (other,) = rng.choice(free).name, [rng.choice(case.unknowns).name]
        tree = ("+", ("*", ("name", other), ("int", rng.randint(-2, 3))), ("int", rng.randint(-5, 5)))
        symbols = symbols_of(case.unknowns)
        got = substitute(build(case.tree, symbols), {name: build(tree, symbols)})
        box = box_of(case.unknowns)
        source = f"(lambda {name}: {source_of_tree(case.tree)})({source_of_tree(tree)})"
        want = table_of(source, case.names, box)
        arrays = {
            n: np.array(column) for n, column in zip(case.names, zip(*box, strict=True), strict=True)
        }
        values = evaluate(got, arrays)
        assert (values.tolist() if isinstance(values, np.ndarray) else [values] * len(box)) == want, str(
            case
        )
    assert tried > share(100)


# --- simplification -------------------------------------------------------------------------------


def test_simplify() -> None:
    one = sym("one", min=1, max=1)
    assert simplify(one * 3 + 1) == 4
    assert simplify(7) == 7
    assert bool(simplify(X + J) == X + J)
    x = X % 48 // 16
    with assume(X < 16):
        assert simplify(x) == 0
    assert bool(simplify(x) == x)
    with assume(N == M * 3):
        assert simplify(N // M) == 3 or bool(simplify(N) == M * 3)


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({"i": -1}, "i = -1 breaks i >= 0"),
        ({"M": 9}, "M = 9 breaks M <= 8"),
        ({"M": 2, "N": 3}, "N = 3, M = 2 breaks N <= M"),
    ],
)
def test_a_value_that_breaks_a_range_is_named(values: dict[str, int], text: str) -> None:
    m = sym("M", max=8)
    layout = Layout((m, sym("N", max=m), sym("i", min=0)), (1, 1, 1))
    with pytest.raises(BindingError, match=f"^{text}$"):
        layout.bind(**values)


@pytest.mark.parametrize(
    "run",
    [lambda: Layout((sym("M"), 4)).bind(M=-(10**5000)), lambda: evaluate(sym("M"), {"M": -(10**5000)})],
)
def test_a_value_of_too_many_digits(run: Callable[[], Any]) -> None:
    with pytest.raises(LimitError, match="an int of more than 4300 digits"):
        run()
