"""Kernels in Python as kernels in C++: numbers, what is refused with its line; slow: their traces."""
# ruff: noqa: N803 (tensors have the names of CATLASS)

from __future__ import annotations

import inspect
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tla import UnsupportedError, get_tile
from tla.ascend import record
from tla.ascend.kernels import kernel, simulate, translate
from tla.ascend.kernels.blocks import block_mmad, splitk_matmul
from tla.ascend.kernels.cpp_words import Number, least

from .programs import CATLASS, expect_equal, issued, needs_catlass
from .translated_kernels import TRANSLATED, double

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


# --- numbers


def _sum(x: Any, y: Any) -> Any:
    return x + y


_OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "+": _sum, "-": lambda x, y: x - y, "*": lambda x, y: x * y, "//": lambda x, y: x // y,
    "%": lambda x, y: x % y, "<": lambda x, y: x < y, "least": lambda x, y: _least(x, y),
}  # fmt: skip


def _least(x: Any, y: Any) -> Any:
    return least(x, y) if isinstance(x, Number) or isinstance(y, Number) else min(x, y)


def _trees(leaves: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.recursive(leaves, lambda x: st.tuples(st.sampled_from([*_OPERATIONS]), x, x), max_leaves=8)


_TREES = _trees(st.one_of(st.sampled_from("abc"), st.integers(0, 40)))


def _evaluated(tree: Any, names: dict[str, Any]) -> Any:
    if isinstance(tree, tuple):
        sign, left, right = tree
        return _OPERATIONS[sign](_evaluated(left, names), _evaluated(right, names))
    return names[tree] if isinstance(tree, str) else tree


@given(_TREES, st.tuples(*[st.integers(0, 50)] * 3))
def test_the_text_of_a_number_has_its_value(tree: Any, values: tuple[int, int, int]) -> None:
    """C++ reads brackets, precedence and quotients as Python computed them."""
    known = dict(zip("abc", values, strict=True))
    try:
        expected = _evaluated(tree, known)
    except ZeroDivisionError:
        return
    try:
        text = _evaluated(tree, {name: Number(name) for name in known})
    except ZeroDivisionError:
        return  # of known numbers alone
    if not isinstance(text, Number):
        assert text == expected
        return
    names = {
        **known,
        "int64_t": int,
        "Least": min,
        "Quotient": lambda x, y: x // y,
        "Remainder": lambda x, y: x % y,
        "true": True,
        "false": False,
    }
    found = eval(text.text.replace("/", "//"), {}, names)
    assert int(found) == int(expected), text
    assert not text.is_natural or expected >= 0


# --- texts


@pytest.mark.parametrize("name", TRANSLATED)
def test_a_program_of_each_kernel(name: str) -> None:
    written, arrays, options = TRANSLATED[name]
    program = translate(written, *arrays, name="my_kernel", **options)
    text = program.source
    assert all(
        text.count(opening) == text.count(closing) for opening, closing in (["{", "}"], ["(", ")"])
    )
    assert text.count("Load(&device") == len(written.tensors) + (name == "halves")
    kind = {"AIC": "cube", "AIV": "vec", "MIX": "mix"}[written.core]
    assert program.cmake.endswith(f"(my_kernel {kind} my_kernel.cpp)\n")
    assert text.count("if ASCEND_IS_AI") == 1 + (kind == "mix")


def test_a_loop_stays_a_loop() -> None:
    """The text of a kernel does not grow with its turns."""
    small, large = (np.ones((rows, 256), np.float32) for rows in (8, 80_000))
    texts = [translate(double, x, x).source for x in (small, large)]
    assert len(texts[0].splitlines()) == len(texts[1].splitlines())
    assert "row < 80000; row += AscendC::GetBlockNum(), ++turn) {" in texts[1]


# --- what is refused

X = np.ones((16, 64), np.float32)


def _tensor_in_turns(ctx: Any, A: Any) -> None:
    x = ctx.alloc("UB", A, (1, 64))
    other = [x]
    for row in range(ctx.block_idx, 16):  # here
        other = [get_tile(A, (row, 0), (1, 64))]
    ctx.copy_gm_to_ub(x, other[0])


def _read_behind(ctx: Any, A: Any) -> None:
    x = ctx.alloc("UB", A, (1, 64))
    for row in range(ctx.block_idx, 16):
        last = row
    ctx.copy_gm_to_ub(x, get_tile(A, (last, 0), (1, 64)))  # here # pyright: ignore


def _try(ctx: Any, A: Any) -> None:
    try:  # here
        ctx.alloc("UB", A, (1, 64))
    finally:
        pass


def _allocates(ctx: Any, A: Any) -> None:
    for _ in range(ctx.block_idx, 16):
        ctx.alloc("UB", A, (1, 64))  # here


def _returns(ctx: Any, A: Any) -> None:
    if ctx.block_idx > 3:
        return  # here
    ctx.alloc("UB", A, (1, 64))


def _counts(ctx: Any, A: Any) -> None:
    ctx.alloc("UB", A, (ctx.block_idx + 1, 64))  # here


def _unknown_word(ctx: Any, A: Any) -> None:
    x = ctx.alloc("UB", A, (1, 64))
    ctx.issue("Sort32", "V", {"dst": x, "src": x}, repeatTimes=2)  # here


def _tasks_at_once(ctx: Any, A: Any) -> None:
    for task in [*ctx.tasks("GemmIdentityBlockSwizzle<3,0>", (16, 64, 64), (16, 16, 16))]:  # here
        ctx.set_flag("MTE2_V", task.number)


def _other_tasks(ctx: Any, A: Any) -> None:
    for _ in ctx.tasks("BlockSchedulerAswt", (16, 64, 64), (16, 16, 16)):  # here
        ctx.pipe_barrier()


def _inside(ctx: Any, rows: Any) -> None:
    ctx.alloc("UB", "half", rows)  # here


def _in_a_function(ctx: Any, A: Any) -> None:
    for row in range(ctx.block_idx, 16):
        _inside(ctx, (row, 64))


def _of_numpy(ctx: Any, A: Any) -> None:
    ctx.set_flag("MTE2_V", np.gcd(ctx.block_idx, 2))  # here


def _product(ctx: Any, A: Any) -> None:
    with block_mmad(ctx, "MmadAtlasA2Preload<true,true>", A, A, A, (16, 16, 16), (16, 16, 16)):  # here
        pass


def _relu(ctx: Any, A: Any) -> None:
    sums = ctx.alloc("L0C", "float", (64, 64))
    ctx.copy_l0c_to_gm(A, sums, relu=True)  # here


def _by_zero(ctx: Any, A: Any) -> None:
    ctx.set_flag("MTE2_V", A.shape[0] // 0)  # here


def _file(ctx: Any, A: Any) -> None:
    ctx.set_flag("MTE2_V", np.load("no/such/file"))  # here


_REFUSED: dict[Any, str] = {
    _relu: "a copy L0C->GM with reluEn has no C++ here",
    _by_zero: "// 0)` has no C++ here",
    _file: "np.load('no/such/file')",
    _tensor_in_turns: "other, which is no number and is assigned again inside,",
    _read_behind: "last, which has no value here or got it inside a loop,",
    _try: "`try:` has no C++ here",
    _allocates: "a tile of UB inside a loop or a condition of the run has no C++ here",
    _returns: "a return inside a loop or a condition of the run has no C++ here",
    _counts: "a tile of UB has an extent that only the run knows",
    _unknown_word: "Sort32 has no C++ here",
    _tasks_at_once: "`for task in [*ctx.tasks(",
    _other_tasks: "the tasks of BlockSchedulerAswt have no loop in C++ here",
    _in_a_function: "a tile of UB inside a loop",
    _of_numpy: "AscendC::GetBlockIdx() is known when the kernel runs, and is asked for before",
    _product: "the block of MmadAtlasA2Preload has no C++ here",
}


@pytest.mark.parametrize("function", _REFUSED, ids=lambda x: x.__name__)
def test_what_is_refused_with_its_line(function: Any) -> None:
    is_cube = function in (_product, _relu)
    core: Any = "AIC" if is_cube else "AIV"
    arrays = [np.ones((64, 64), np.float16)] if is_cube else [X]
    with pytest.raises(UnsupportedError) as raised:
        translate(kernel("AtlasA2", core=core)(function), *arrays)
    said = raised.value.summary
    assert _REFUSED[function] in said
    where, _, line = said.partition(": ")[0].rpartition(":")
    assert where == "test_translation.py"
    module = sys.modules[function.__module__]
    shown = inspect.getsourcelines(module)[0][int(line) - 1]
    assert "# here" in shown, (line, shown)


def test_a_kernel_of_catlass_is_refused_by_its_line() -> None:
    a = np.ones((32, 32), np.float16)
    with pytest.raises(UnsupportedError, match=r"^splitk.py:\d+: .* has no C\+\+ here"):
        translate(splitk_matmul, a, a, a)


# --- traces


@pytest.mark.slow
@needs_catlass
@pytest.mark.parametrize("name", TRANSLATED)
def test_the_trace_of_a_program_is_that_of_the_kernel(name: str, tmp_path: Path) -> None:
    written, arrays, options = TRANSLATED[name]
    source = translate(written, *arrays, **options).write(tmp_path)
    for tensor, array in zip(written.tensors, arrays, strict=True):
        array.ravel(order="K").tofile(tmp_path / f"{tensor}.bin")
    for cores in (1, 3):
        ours = issued(record(source, [tmp_path], catlass=CATLASS, cores=cores))
        blocks = 2 * cores if written.core == "AIV" else cores
        expect_equal(ours, issued(simulate(written, *arrays, cores=blocks, checks=(), **options)))
