"""Each operation on unknown ints, bound to numbers, is what the naive tables say.

An operation whose question stays open names an obligation. Under it the answer holds for the numbers
that fulfil it; the others are not promised anything.
"""

from typing import Any

import fuzz
import pytest
from hypothesis import example, given, settings, strategies as st

import tla
from tla import Layout, TlaError, UndecidedError, parse
from tla.numbers import Condition, Expr, assume, evaluate, sym

M = sym("M", max=6)
N = sym("N", 2, max=8)
NUMBERS = [(m, n) for m in (1, 2, 3, 4, 6) for n in (2, 4, 8)]
EXTENTS = st.sampled_from([1, 2, 2, 3, 4, 8, M, M, N, 2 * M])
STEPS = st.sampled_from([0, 1, 1, 2, 3, 4, 8, M, N, 2 * M, 100])


@st.composite
def layouts(draw: Any, most: int = 3) -> Any:
    """A layout with unknown ints: compact, or in steps of the extents below, or of any other."""
    extents = [draw(EXTENTS) for _mode in range(draw(st.integers(1, most)))]
    strides: list[Any] = []
    below: Any = draw(st.sampled_from([1, 1, 1, 2, N]))
    for n in extents:
        free = draw(st.integers(0, 3)) == 0
        strides.append(draw(STEPS) if free else below)
        below = n * strides[-1] * draw(st.sampled_from([1, 1, 1, 2])) or 1
    pairs = draw(st.permutations(list(zip(extents, strides, strict=True))))
    if len(pairs) == 1:
        return Layout(*pairs[0])
    return Layout(*map(tuple, zip(*pairs, strict=True)))


TILERS = layouts(2) | EXTENTS
BLOCKS = layouts(2)


def bound(x: Any, values: dict[str, int]) -> Any:
    """An argument or a result with numbers for its unknowns."""
    if tla.is_layout(x):
        return x.bind(**{s.name: values[s.name] for s in x.symbols})
    if isinstance(x, tuple):
        return tuple(bound(i, values) for i in x)
    return evaluate(x, values) if isinstance(x, Expr) else x


def examined(name: str, args: tuple[Any, ...], numbers: list[dict[str, int]], asked: Any = ()) -> None:
    """Check what an operation gives for some numbers, each of which fulfils what was asked so far."""
    operation = fuzz.OPS[name]
    found: Any = None
    obligation: Any = None
    try:
        with assume(*asked):
            found = getattr(tla, operation.calls)(*args, **dict(operation.options))
    except UndecidedError as error:
        obligation = error.data.get("obligation")
        if not isinstance(obligation, Condition) or len(asked) == 3:
            return
        assert obligation not in asked, f"asks again for {obligation}"
        with assume(*asked):
            assert obligation.known() is not True, f"asks for {obligation}, which holds"
    except TlaError:
        pass
    if obligation is not None:
        those = [values for values in numbers if obligation.holds(**values)]
        if those:
            examined(name, args, those, (*asked, obligation))
        return
    for values in numbers:
        plain = bound(args, values)
        truth = operation.truth(*plain)
        if found is None:
            assert truth.expect is not fuzz.Expect.YES, f"refuses {args}, {values}, {asked}"
        else:
            result = bound(found, values)
            assert truth.expect is not fuzz.Expect.NO, f"{args}, {values}, {asked}: {found}"
            fault = fuzz.fault_of(result, plain, truth).removeprefix("it has more modes than needed")
            fault = fault if "fewe" not in fault else ""
            assert not fault, f"{args}, {values}, {asked}: {found}: {fault}"


ALL = [{"M": m, "N": n} for m, n in NUMBERS]
FEW = settings(max_examples=30, derandomize=True, database=None, deadline=None)


@settings(FEW, max_examples=150)
@example(Layout((8, M), (1, 100)), parse("(8,2):(2,2)"))
@given(layouts(), layouts())
def test_composition(a: Any, b: Any) -> None:
    examined("composition", (a, b), ALL[::2])


@pytest.mark.parametrize("name", ["coalesce", "right_inverse", "left_inverse"])
@FEW
@given(data=st.data())
def test_one_layout(name: str, data: Any) -> None:
    examined(name, (data.draw(layouts()),), ALL)


@settings(FEW, max_examples=60)
@given(layouts(), st.none() | st.sampled_from([24, 100, 8 * M, M * N]))
def test_complement(a: Any, cotarget: Any) -> None:
    examined("complement", (a, cotarget), ALL)


@pytest.mark.parametrize("name", ["logical_divide", "logical_divide exact", "zipped_divide"])
@FEW
@given(data=st.data())
def test_divides(name: str, data: Any) -> None:
    examined(name, (data.draw(layouts()), data.draw(TILERS)), ALL[::2])


@pytest.mark.parametrize("name", ["logical_product", "blocked_product"])
@FEW
@given(data=st.data())
def test_products(name: str, data: Any) -> None:
    examined(name, (data.draw(BLOCKS), data.draw(BLOCKS)), ALL[::2])


@FEW
@given(st.tuples(EXTENTS, EXTENTS), st.tuples(EXTENTS, EXTENTS), st.booleans())
def test_tiles(shape: Any, tile: Any, exact: bool) -> None:
    """The first tile of a matrix has its offsets; a tile that does not divide is refused."""
    matrix = tla.row_major(*shape)
    asked: list[Condition] = []
    while True:
        try:
            with assume(*asked):
                found = tla.make_layout_tile(matrix, tile, exact=exact)
            break
        except UndecidedError as error:
            obligation: Any = error.obligation
            asked.append(obligation)
        except TlaError:
            found = None
            break
    for values in ALL:
        if not all(condition.holds(**values) for condition in asked):
            continue
        (rows, columns), (height, width) = bound(shape, values), bound(tile, values)
        whole = rows % height == 0 and columns % width == 0
        if found is None:
            assert exact
            assert not whole
            continue
        tiles = bound(found, values)
        assert tla.product_each(tiles.shape) == (height, width)
        for i, j in ((0, 0), (height - 1, width - 1), (height // 2, width // 2)):
            assert tiles(i, j) == i * columns + j
