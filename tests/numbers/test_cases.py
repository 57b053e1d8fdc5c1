"""The cases of an operation hold every run on numbers, and a run on numbers is one of the cases."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import product
from operator import add, eq, floordiv, ge, gt, le, lt, mod, mul, ne, sub
from typing import Any, NamedTuple

import pytest
from cases import share
from hypothesis import assume, given, settings, strategies as st

import tla
from tla import (
    Int,
    Layout,
    TlaError,
    UndecidedError,
    blocked_product,
    coalesce,
    complement,
    composition,
    flatten_to_tuple,
    is_layout,
    left_inverse,
    logical_divide,
    logical_product,
    make_layout_like,
    make_layout_tile,
    product_each,
    raked_product,
    right_inverse,
    row_major,
    size,
    unflatten,
    upcast,
    zipped_divide,
    zipped_product,
)
from tla.numbers.cases import Case, Unknown, cases
from tla.numbers.ints import known_divides
from tla.testing import layouts, shapes

# --- what questions and answers are -------------------------------------------------------------

SMALL = range(-7, 8)
COMPARED = {"==": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge}
COMBINED = {"+": add, "-": sub, "*": mul, "//": floordiv, "%": mod}


class Asked(NamedTuple):
    """An expression of two ints that asks as it goes, as text: it runs on any ints."""

    text: str

    def __call__(self, n: Any, m: Any) -> Any:
        names = {"n": n, "m": m, "divides": known_divides, "min_": tla.min_, "max_": tla.max_}
        return eval(self.text, names)


def terms() -> st.SearchStrategy[str]:
    """Arithmetic in n and m."""
    leaves = st.sampled_from(["n", "m", "n", "m", "2", "3", "4", "-1", "0", "6"])
    return st.recursive(
        leaves,
        lambda parts: (
            st.builds(
                lambda sign, a, b: f"({a} {sign} {b})", st.sampled_from(list(COMBINED)), parts, parts
            )
            | st.builds(
                lambda name, a, b: f"{name}({a}, {b})", st.sampled_from(["min_", "max_"]), parts, parts
            )
            | parts.map(lambda a: f"abs({a})")
        ),
        max_leaves=4,
    )


def questions() -> st.SearchStrategy[str]:
    """Comparisons of such terms, and whether one divides another."""
    return st.builds(
        lambda sign, a, b: f"({a} {sign} {b})", st.sampled_from(list(COMPARED)), terms(), terms()
    ) | st.builds(lambda a, b: f"divides({a}, {b})", terms(), terms())


def operations() -> st.SearchStrategy[Asked]:
    """A tuple of answers, each to a question on the way."""
    return st.lists(questions(), min_size=1, max_size=3).map(lambda qs: Asked(f"({', '.join(qs)},)"))


def result(operation: Callable[[], Any]) -> Any:
    """What an operation gives: its value, or the kind of its error."""
    try:
        return operation()
    except (TlaError, ArithmeticError) as error:
        return type(error)


def of_case(case: Case) -> Any:
    return case.result if case.error is None else type(case.error)


@pytest.mark.slow
@settings(max_examples=share(200), deadline=None)
@given(operations(), st.sampled_from([None, 0, 1, -3]))
def test_every_run_is_a_case(asked: Asked, least: int | None) -> None:
    """The answers that some numbers give, all of them together, are those of a case."""

    def run(unknown: Callable[..., Unknown]) -> Any:
        return asked(unknown(least), unknown())

    try:
        found = {of_case(case) for case in cases(run)}
    except UndecidedError:  # too many cases
        assume(False)
        return
    for n, m in product([n for n in SMALL if least is None or n >= least], SMALL):
        assert result(partial(asked.__call__, n, m)) in found, (n, m, asked.text, found)


@settings(max_examples=share(100), deadline=None)
@given(
    st.sampled_from(list(COMPARED)),
    st.sampled_from(["n", "(n + 3)", "(2 * n)", "(3 - n)", "(n - n)"]),
    st.integers(-4, 4),
    st.integers(-3, 3),
)
def test_every_case_of_a_comparison_is_a_run(sign: str, term: str, k: int, least: int) -> None:
    """No answer is given that no number gives: of one int, compared with numbers."""
    asked = Asked(f"({term} {sign} {k}, {term} {sign} {k})")
    found = [of_case(case) for case in cases(lambda unknown: asked(unknown(least, 5), 0))]
    assert set(found) == {asked(n, 0) for n in range(least, 6)}
    assert len(found) == len(set(found))


@pytest.mark.parametrize("sign", COMBINED)
def test_arithmetic_is_that_of_numbers(sign: str) -> None:
    """An unknown that turns out to be a number behaves as that number does."""

    def of_one(asked: Asked, unknown: Callable[..., Unknown]) -> Any:
        return asked(unknown(), 0)

    for n, k in product(SMALL, SMALL):
        for text in (f"n {sign} ({k})", f"({k}) {sign} n"):
            asked = Asked(f"({text}) if n == {n} else None")
            found = [of_case(case) for case in cases(partial(of_one, asked))]
            assert found[1:] == [None]
            assert found[0] == result(partial(asked.__call__, n, 0)), text


@settings(max_examples=share(100), deadline=None)
@given(st.integers(-9, 9), st.integers(-9, 9), st.integers(0, 9), st.integers(0, 9))
def test_quotient_and_rest_have_the_ranges_of_numbers(x: int, a: int, more: int, up: int) -> None:
    """Of ints between bounds: where no case has an answer no number has it."""

    def run(unknown: Callable[..., Any]) -> Any:
        whole, rest = divmod(unknown(x, x + more), unknown(a, a + up))
        return whole < 0, whole > 2, whole == 1, rest < 0, rest > 3, rest == 2

    found = {of_case(case) for case in cases(run, 1000)}
    for n, m in product(range(x, x + more + 1), range(a, a + up + 1)):
        if m == 0:
            assert ZeroDivisionError in found
            continue
        whole, rest = divmod(n, m)
        assert (whole < 0, whole > 2, whole == 1, rest < 0, rest > 3, rest == 2) in found, (n, m)


def test_what_is_known_is_not_asked() -> None:
    def count(operation: Any, *bounds: int | None) -> int:
        return len(list(cases(lambda unknown: operation(unknown(*bounds)))))

    assert count(lambda n: n >= 0, 0) == 1
    assert count(lambda n: (n * n + n) > -1, 0) == 1
    assert count(lambda n: (n > 3, n > 3, n > 2)) == 3
    assert count(lambda n: (2 * n) == 7) == 1
    assert count(lambda n: 4 * n % 2 == 0) == 1
    assert count(lambda n: n // 4 > 2, 0, 11) == 1
    assert count(lambda n: n % 4 < 4) == 1
    assert count(lambda n: 12 // n < 13, 1) == 1


def test_an_operation_that_needs_a_value_has_no_cases() -> None:
    with pytest.raises(UndecidedError):
        list(cases(lambda unknown: range(unknown())))
    with pytest.raises(UndecidedError):
        list(cases(lambda unknown: [unknown().known_eq(1) for _i in range(10)]))


# --- the algebra --------------------------------------------------------------------------------


def tile(a: Any, b: Any) -> Any:
    sizes = product_each(a.shape)
    extents = flatten_to_tuple(b.shape)
    return make_layout_tile(a, tuple(extents[i % len(extents)] for i in range(len(sizes))))


OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "Layout": lambda a, b: Layout(a.shape, b.stride),
    "coalesce": lambda a, b: coalesce(a),
    "filter": lambda a, b: tla.filter(a),
    "composition": composition,
    "composition by mode": lambda a, b: composition(a, b.shape),
    "composition, not extended": lambda a, b: composition(a, b, extend=False),
    "complement": lambda a, b: complement(a),
    "complement in a size": lambda a, b: complement(b, size(a)),
    "logical_divide": logical_divide,
    "logical_divide by mode": lambda a, b: logical_divide(a, b.shape),
    "zipped_divide, exact": lambda a, b: zipped_divide(a, b, exact=True),
    "make_layout_tile": tile,
    "logical_product": logical_product,
    "zipped_product": lambda a, b: zipped_product(a, b.shape),
    "blocked_product": blocked_product,
    "raked_product": raked_product,
    "right_inverse": lambda a, b: right_inverse(a),
    "left_inverse": lambda a, b: left_inverse(a),
    "row_major": lambda a, b: row_major(a.shape),
    "make_layout_like": lambda a, b: make_layout_like(a),
    "upcast": lambda a, b: upcast(a, size(b)),
    "offset": lambda a, b: a(size(b) - 1),
}


class Mixed(NamedTuple):
    """Ints of a layout, static but for some that are dynamic."""

    layout: Any
    dynamic: tuple[bool, ...]

    def made(self, dynamic: Callable[[int, bool], Any]) -> Any:
        """The layout with its dynamic ints made from their value, and whether it is an extent."""
        x = self.layout
        extents, steps = flatten_to_tuple(x.shape), flatten_to_tuple(x.stride)
        which = iter(self.dynamic)
        parts = [
            tuple(dynamic(int(n), part is extents) if next(which) else Int(n) for n in part)
            for part in (extents, steps)
        ]
        return Layout(*(unflatten(part, x.shape) for part in parts))


@st.composite
def mixed(draw: st.DrawFn) -> Mixed:
    """Small layouts, a third of whose ints are dynamic."""
    of = shapes(max_size=32, min_rank=1, max_rank=3, max_depth=2)
    layout = draw(layouts(of, compact=True) | layouts(of, min_stride=0, max_stride=16))
    count = 2 * len(flatten_to_tuple(layout.shape))
    return Mixed(layout, tuple(draw(st.sampled_from([True, False, False])) for _i in range(count)))


def agrees(value: Any, case: Any) -> bool:
    """Whether a value is built like that of a case, with the same static ints where that has them."""
    if is_layout(case):
        return is_layout(value) and agrees((value.shape, value.stride), (case.shape, case.stride))
    if isinstance(case, tuple):
        return isinstance(value, tuple) and len(value) == len(case) and all(map(agrees, value, case))
    if type(case) is Int:
        return type(value) is Int and value == case
    return isinstance(value, int)


def numbers(x: Any) -> Iterator[Any]:
    if is_layout(x):
        yield from numbers((x.shape, x.stride))
    elif isinstance(x, tuple):
        for i in x:
            yield from numbers(i)
    else:
        yield x


@pytest.mark.parametrize("name", OPERATIONS)
@settings(max_examples=20, deadline=None)
@given(a=mixed(), b=mixed())
def test_the_run_is_one_of_the_cases(name: str, a: Mixed, b: Mixed) -> None:
    """Its result is built like that of a case; and it errs if all cases do."""
    operation = OPERATIONS[name]

    def run(unknown: Callable[..., Unknown]) -> Any:
        return operation(*(x.made(lambda _n, least: unknown(0 if least else None)) for x in (a, b)))

    try:
        found = list(cases(run))
    except UndecidedError:
        return
    value = result(lambda: operation(*(x.made(lambda n, _least: n) for x in (a, b))))
    if isinstance(value, type):  # of an error
        assert value is UndecidedError or any(case.error is not None for case in found)
        return
    assert any(case.error is None and agrees(value, case.result) for case in found), [
        str(case.result) for case in found
    ]


def is_among(operation: Callable[[Any], Any], values: Iterable[int]) -> int:
    """Say how many runs on numbers give a result, each of them a case; none if the cases are unknown."""
    try:
        found = list(cases(lambda unknown: operation(unknown(0))))
    except UndecidedError:
        return 0
    results = [value for n in values if not isinstance(value := result(partial(operation, n)), type)]
    for value in results:
        assert any(case.error is None and agrees(value, case.result) for case in found), str(value)
    return len(results)


def composed_at(place: int, s: int, d: int, extent: int, step: int, n: Any) -> Layout[Any, Any]:
    """``(s,9):(1,d) o (extent,2):(step,40*s)`` with another int at one of the four places."""
    at: list[Any] = [s, d, extent, step]
    at[place] = n
    return composition(Layout((at[0], 9), (1, at[1])), Layout((at[2], 2), (at[3], 40 * s)))


@pytest.mark.slow
def test_compositions_that_cut_unevenly() -> None:
    """Each int of ``(s,9):(1,d) o (size,2):(step,40)`` unknown in turn, where no digits are whole."""
    asked = 0
    for s, d, extent, step in product(range(2, 8), (8, 20), range(2, 9), range(1, 8)):
        if extent * step <= s or s % step == 0:
            continue
        asked += is_among(partial(composed_at, 0, s, d, extent, step), [s])
        asked += is_among(partial(composed_at, 1, s, d, extent, step), [d])
        asked += is_among(partial(composed_at, 2, s, d, extent, step), [extent])
        asked += is_among(partial(composed_at, 3, s, d, extent, step), [step])
    assert asked > 100


def composed_with(a: Layout[Any, Any], extent: int, step: Any) -> Layout[Any, Any]:
    return composition(a, Layout(Int(extent), step))


def test_compositions_with_one_unknown_size() -> None:
    """A size of two digits may be cut between them: ``(7,9):(1,20) o 4:4 == (2,2):(4,21)``."""
    a = Layout((Int(7), Int(9)), (Int(1), Int(20)))
    assert str(composition(a, Layout(4, 4))) == "(2,2):(4,21)"
    assert str(composition(a, Layout(4, Int(4)))) == "(_2,2):(_4,_21)"
    for extent in (2, 3, 4, 5, 6, 8, 9):
        is_among(partial(composed_with, a, extent), range(40))
    assert is_among(partial(composed_with, a, 2), range(40)) == 40


@pytest.mark.parametrize("name", OPERATIONS)
@settings(max_examples=10, deadline=None)
@given(a=mixed(), b=mixed())
def test_without_unknowns_there_is_one_case(name: str, a: Mixed, b: Mixed) -> None:
    """It is the run itself."""
    operands = [x.made(lambda n, _least: n) for x in (a, b)]
    try:
        expected: Any = OPERATIONS[name](*operands)
    except UndecidedError:
        return
    except TlaError as error:
        expected = error.summary
    [case] = cases(lambda _unknown: OPERATIONS[name](*operands))
    assert case.error is None or isinstance(case.error, TlaError)
    got = case.result if case.error is None else case.error.summary
    assert got == expected
    assert [type(n) for n in numbers(got)] == [type(n) for n in numbers(expected)]
