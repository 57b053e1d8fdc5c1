"""Each operation on unknown ints, bound to numbers, is what the naive tables say.

An operation whose question stays open names an obligation. Under it the answer holds for the numbers
that fulfil it; the others are not promised anything. It asks only for what is open, and never twice
for the same. It refuses only what has no layout for any of the numbers.
"""

from typing import Any

import fuzz
import pytest
from cases import share
from hypothesis import example, given, settings, strategies as st

import tla
from tla import Layout, TlaError, UndecidedError, parse
from tla.numbers import Condition, assume, sym

from .test_symbolic import bound

M = sym("M", max=6)
N = sym("N", divisible_by=2, max=8)
K = sym("K")
ALL = [{"M": m, "N": n, "K": k} for m in (1, 2, 3, 6) for n in (2, 8) for k in (1, 3, 4)]
SOME = [*ALL[::3], {"M": 4, "N": 4, "K": 2}, {"M": 6, "N": 4, "K": 3}]
EXTENTS = st.sampled_from([1, 2, 2, 3, 4, 8, M, M, N, K, 2 * M, 4 * K])
STEPS = st.sampled_from([0, 1, 1, 2, 3, 4, 8, M, N, K, 2 * M, M * N, 100])
MOST_ASKED = 4


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


FEW = layouts(2)
TILERS = FEW | EXTENTS
PARTS = st.lists(TILERS | st.none(), min_size=1, max_size=2).map(tuple)


def answer(asked: list[Condition], operation: Any, *args: Any, **options: Any) -> Any:
    """What an operation gives under what it asks for; None if it refuses.

    ``asked`` receives what it asks for. Ends with a `TimeoutError` where it asks for nothing that
    could be assumed, or goes on asking.
    """
    while True:
        try:
            with assume(*asked):
                return operation(*args, **options)
        except UndecidedError as error:
            obligation = error.data.get("obligation")
        except TlaError:
            return None
        if not isinstance(obligation, Condition) or len(asked) == MOST_ASKED:
            raise TimeoutError
        assert obligation not in asked, f"asks again for {obligation}"
        with assume(*asked):
            assert obligation.known() is None, f"asks for {obligation}, which is settled"
        asked.append(obligation)
        if not any(fulfilled(asked)):
            return None


def fulfilled(asked: list[Condition]) -> list[dict[str, int]]:
    return [values for values in SOME if all(condition.holds(**values) for condition in asked)]


def check(name: str, *args: Any) -> None:
    """An operation of the fuzz, for the numbers that fulfil what it asks for."""
    operation = fuzz.OPS[name]
    asked: list[Condition] = []
    try:
        found = answer(asked, getattr(tla, operation.calls), *args, **dict(operation.options))
    except TimeoutError:
        return
    for values in fulfilled(asked):
        plain = bound(args, values)
        truth = operation.truth(*plain)
        told = f"{name} of {args} for {values}, given {asked}: {found}"
        if found is None:
            assert truth.expect is not fuzz.Expect.YES, told
        else:
            fault = fuzz.fault_of(bound(found, values), plain, truth)
            assert fault in ("", "it has more modes than needed"), f"{told}: {fault}"


def examples(count: int) -> settings:
    return settings(max_examples=share(2 * count), derandomize=True, database=None, deadline=None)


@examples(80)
@example(Layout((8, M), (1, 100)), parse("(8,2):(2,2)"))
@example(Layout((8, M), (2, 100)), parse("(8,2):(2,2)"))
@example(Layout((8, M), (4, 100)), parse("(8,2):(2,2)"))
@example(Layout((6, M), (1, 100)), parse("(2,3):(2,4)"))
@example(Layout((4 * M, N), (1, 100)), Layout(2 * M + 1 + K, 2))
@given(layouts(), layouts())
def test_composition(a: Any, b: Any) -> None:
    check("composition", a, b)


@pytest.mark.parametrize("name", ["coalesce", "right_inverse", "left_inverse"])
@examples(40)
@given(data=st.data())
def test_one_layout(name: str, data: Any) -> None:
    check(name, data.draw(layouts()))


@examples(60)
@given(layouts(), st.none() | st.sampled_from([24, 100, 8 * M, M * N]))
def test_complement(a: Any, cotarget: Any) -> None:
    check("complement", a, cotarget)


WITH_A_TILER = {
    **dict.fromkeys(
        ["logical_divide exact", "logical_divide", "logical_product", "composition inside"], 25
    ),
    **dict.fromkeys(["zipped_divide", "tiled_divide", "flat_divide"], 10),
    **dict.fromkeys(["zipped_product", "tiled_product", "flat_product"], 10),
}


@pytest.mark.parametrize("name", WITH_A_TILER)
def test_tilers(name: str) -> None:
    @examples(WITH_A_TILER[name])
    @given(FEW, TILERS)
    def run(a: Any, tiler: Any) -> None:
        check(name, a, tiler)

    run()


@pytest.mark.parametrize("name", ["composition by mode", "logical_divide", "logical_product"])
@examples(15)
@given(data=st.data())
def test_tilers_by_mode(name: str, data: Any) -> None:
    check(name, data.draw(FEW), data.draw(PARTS))


@pytest.mark.parametrize("name", ["blocked_product", "raked_product"])
@examples(20)
@given(data=st.data())
def test_blocks(name: str, data: Any) -> None:
    check(name, data.draw(FEW), data.draw(FEW))


PAIRS = st.tuples(EXTENTS, EXTENTS)


@examples(30)
@given(PAIRS, PAIRS, st.booleans())
def test_tiles(shape: Any, tile: Any, exact: bool) -> None:
    """The first tile of a matrix has its offsets; a tile that does not divide is refused."""
    asked: list[Condition] = []
    found = answer(asked, tla.make_layout_tile, tla.row_major(*shape), tile, exact=exact)
    for values in fulfilled(asked):
        (rows, columns), (height, width) = bound(shape, values), bound(tile, values)
        if found is None:
            assert exact
            assert rows % height or columns % width
            continue
        tiles = bound(found, values)
        assert tla.product_each(tiles.shape) == (height, width)
        for i, j in ((0, 0), (height - 1, width - 1), (height // 2, width // 2)):
            assert tiles(i, j) == i * columns + j


@examples(30)
@given(PAIRS, PAIRS)
def test_tiles_that_fill_a_shape(tile: Any, shape: Any) -> None:
    """Each tile lies dense, column by column; a tile that does not divide the shape is refused."""
    asked: list[Condition] = []
    found = answer(asked, tla.tile_to_shape, Layout(tile), shape)
    for values in fulfilled(asked):
        (rows, columns), (height, width) = bound(shape, values), bound(tile, values)
        if found is None:
            assert rows % height or columns % width
            continue
        filled = bound(found, values)
        assert tla.product_each(filled.shape) == (rows, columns)
        for i, j in ((0, 0), (rows - 1, columns - 1), (rows // 2, columns // 2)):
            before = i // height + j // width * (rows // height)
            assert filled(i, j) == before * height * width + i % height + j % width * height
