"""What layouts stand on: carried on by operations, checked when values are bound, and nothing leaks."""

import asyncio
import pickle
import subprocess
import sys
from collections.abc import Iterator
from threading import Thread
from typing import Any

import pytest

import tla
from tla import (
    BindingError,
    ContradictionError,
    Layout,
    UndecidedError,
    _,
    coalesce,
    complement,
    composition,
    get_tile_layout,
    known_eq,
    logical_divide,
    make_layout_tile,
    parse,
    right_inverse,
    row_major,
    zipped_divide,
    zN,
)
from tla.numbers import Condition, assume, sym

M, N, K = sym("M"), sym("N"), sym("K")
EVEN: Any = M % 48 == 0


def tiled() -> Any:
    return zipped_divide(Layout((M, 8), (8, 1)), (48, 8), exact=True, assume=EVEN)


def test_an_assumption_used_travels_and_is_checked() -> None:
    layout = tiled()
    assert layout.assumptions == (EVEN,)
    assert str(layout.conditions) == "(M >= 1, M % 48 == 0)"
    concrete = zipped_divide(Layout((96, 8), (8, 1)), (48, 8), exact=True)
    bound = layout.bind(M=96)
    assert tla.same_function(bound, concrete)
    assert bound.assumptions == ()
    assert [bound(i) for i in range(bound.size)] == [concrete(i) for i in range(concrete.size)]
    with pytest.raises(BindingError, match="M = 100 breaks M % 48 == 0"):
        layout.bind(M=100)


def test_what_is_not_used_stays_behind() -> None:
    with assume(EVEN, K <= 4):
        first = composition(Layout((M, 8), (8, 1)), 16)
        second = composition(Layout((16, 8), (8, 1)), 16)
    assert first.assumptions == (EVEN,)
    assert second.assumptions == ()


@pytest.mark.parametrize(
    "operation",
    [
        coalesce,
        right_inverse,
        lambda x: complement(x, 9 * M),
        lambda x: logical_divide(x, (3, 8)),
        lambda x: composition(x, (3, _)),
        lambda x: get_tile_layout(x, (3, 4), (0, 0)),
        lambda x: make_layout_tile(x, (3, 4)),
        lambda x: tla.group(x, 0, 2),
        lambda x: tla.append(x, Layout(2, 1)),
        lambda x: tla.make_layout_like(x),
        lambda x: tla.get(x, 0),
        lambda x: x[_, 1],
        lambda x: x.trimmed(),
        lambda x: pickle.loads(pickle.dumps(x)),
    ],
)
def test_every_operation_carries_it_on(operation: Any) -> None:
    condition: Any = M % 3 == 0
    layout = Layout((M, 8), (8, 1)).assuming(condition)
    assert condition in operation(layout).assumptions


def test_a_layout_made_in_a_block_carries_what_its_ints_used() -> None:
    with assume(EVEN):
        layout = row_major(M // 48 * 48, 8)
    assert layout.assumptions == (EVEN,)
    below: Any = N <= M
    with assume(below):
        padded = Layout((M, 8), (8, 1), (N, 8))
    assert padded.assumptions == (below,)
    assert pickle.loads(pickle.dumps(padded)) == padded
    with pytest.raises(BindingError, match="N = 5 breaks N <= M"):
        padded.bind(M=3, N=5)
    assert str(padded.bind(M=3).assumptions) == "(N <= 3,)"


def test_its_questions_are_settled_by_what_it_stands_on() -> None:
    layout = tiled()
    assert str(layout[_, (0, 0)]) == "((48,8)):((8,1))"
    assert layout((0, 0), (0, 0)) == 0
    with pytest.raises(UndecidedError):
        parse("((48,8),(M//48,1)):((8,1),(384,0))")[_, (0, 0)]


def test_conditions_that_cannot_hold_are_refused() -> None:
    for conditions in ([M < 0], [M % 3 == 0, M % 3 == 1], [False]):
        with pytest.raises(ContradictionError):
            Layout((M, 8)).assuming(*conditions)
    with pytest.raises(TypeError, match="expected a condition"):
        Layout((M, 8)).assuming("M > 3")  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]


# --- binding --------------------------------------------------------------------------------------


def test_a_symbolic_value_keeps_the_range() -> None:
    layout = Layout((sym("M", max=10),)).bind(M=N)
    assert str(layout.assumptions) == "(N <= 10,)"
    with pytest.raises(BindingError, match="N = 100 breaks N <= 10"):
        layout.bind(N=100)


def test_the_order_of_binding_does_not_matter() -> None:
    i = sym("i", min=0, max=M - 1)
    layout = Layout((3,), (i,))
    with pytest.raises(BindingError):
        layout.bind(M=5).bind(i=7)
    with pytest.raises(BindingError):
        layout.bind(i=7).bind(M=5)
    assert str(layout.bind(M=5)) == "(3):(i{min=0,max=4})"


def test_any_name_can_be_bound() -> None:
    assert Layout((sym("self"), sym("values"))).bind(self=3, values=4).shape == (3, 4)


# --- blocks ---------------------------------------------------------------------------------------


def block(*conditions: Any) -> Iterator[None]:
    with assume(*conditions):
        yield


def test_blocks_of_generators_end_in_any_order() -> None:
    first, second = block(M % 48 == 0), block(M % 5 == 0)
    next(first)
    next(second)
    first.close()  # type: ignore[attr-defined]  # ty: ignore[missing-attribute]
    assert known_eq(M % 5, 0) is True
    assert known_eq(M % 48, 0) is None
    second.close()  # type: ignore[attr-defined]  # ty: ignore[missing-attribute]
    assert known_eq(M % 5, 0) is None


def test_one_object_serves_threads_and_tasks() -> None:
    shared = assume(M % 7 == 0)
    seen: list[bool | None] = []

    def work() -> None:
        with shared:
            seen.append(known_eq(M % 7, 0))
        seen.append(known_eq(M % 7, 0))

    async def task() -> bool | None:
        with shared:
            await asyncio.sleep(0)
            return known_eq(M % 7, 0)

    async def tasks() -> list[bool | None]:
        return await asyncio.gather(*(task() for _task in range(5)))

    with shared:
        thread = Thread(target=work)
        thread.start()
        thread.join()
        assert known_eq(M % 7, 0) is True
    assert seen == [True, None]
    assert asyncio.run(tasks()) == [True] * 5
    assert known_eq(M % 7, 0) is None


def test_an_error_ends_a_block() -> None:
    with pytest.raises(KeyError), assume(M % 7 == 0):
        raise KeyError
    with pytest.raises(ContradictionError), assume(M % 7 == 0, M == 8):
        pass
    assert known_eq(M % 7, 0) is None


@pytest.mark.parametrize(
    "conditions",
    [
        (M == N, N == M),
        (M == N, N == K, K == M),
        (M == N + 1, N == M - 1),
        (M == N // 2 + K, K == M - N // 2),
    ],
)
def test_equalities_that_follow_from_each_other(conditions: tuple[Condition, ...]) -> None:
    with assume(*conditions):
        assert known_eq(M * 2, N + K) in (None, True)
        assert all(c.known() is True for c in conditions)


def test_a_pickle_carries_it_into_another_process() -> None:
    text = pickle.dumps(tiled()).hex()
    code = (
        "import pickle, tla\n"
        f"t = pickle.loads(bytes.fromhex('{text}'))\n"
        "print(tla.coalesce(t).assumptions, t[tla._, (0, 0)])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "(M % 48 == 0,) ((48,8)):((8,1))\n"


def test_a_trimmed_layout_is_read_back() -> None:
    trimmed = zN(M, N).trimmed()
    assert parse(str(trimmed)) == trimmed


def test_what_decides_an_order_or_an_extent_is_carried() -> None:
    size = sym("K", min=0)
    more: Any = M > 1
    positive: Any = size > 0
    with assume(more, positive):
        ordered = tla.make_ordered_layout((4, 4), (M, 1))
    with assume(more, positive):
        moving = tla.filter_zeros(Layout(M, size))
    assert ordered.assumptions == (more,)
    assert positive in moving.assumptions
    assert tla.filter_zeros(Layout(M, size), assume=positive).assumptions == (positive,)
    with pytest.raises(BindingError, match="K = 0 breaks K > 0"):
        moving.bind(K=0)


def test_a_divisor_of_0_is_a_broken_condition() -> None:
    size = sym("K", min=0)
    with pytest.raises(BindingError, match="K = 0 breaks K > 0"):
        complement(Layout(size), 48, assume=size > 0).bind(K=0)


def test_a_stride_of_0_asks_for_one_coordinate() -> None:
    with pytest.raises(UndecidedError) as caught:
        tla.is_injective(Layout((M,), (0,)))
    assert str(caught.value.obligation) == "M == 1"
    for condition, answer in ((M == 1, True), (M > 1, False)):
        with assume(condition):
            assert tla.is_injective(Layout((M,), (0,))) is answer
