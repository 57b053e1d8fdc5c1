"""Work that grows with its input: counted in calls of functions, at two sizes."""

import sys
from collections.abc import Callable
from itertools import cycle

import pytest

from tla import coalesce, col_major, complement, left_inverse, parse, right_inverse, row_major, sym
from tla.cli.index_maps import Shown, instruction_facts
from tla.hlo import read_module
from tla.indexing import computation_maps
from tla.numbers.nodes import Expr


def calls(run: Callable[[], object]) -> int:
    """How many functions are called, those of Python itself included."""
    count = 0

    def step(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(step)
    try:
        run()
    finally:
        sys.setprofile(None)
    return count


def compact(operation: Callable[..., object], make: Callable[..., object]) -> Callable[[int], object]:
    return lambda n: operation(make(*[sym(f"M{i}") for i in range(n)]))


def digits(n: int) -> Expr:
    """A sum that is squared, and cut to a digit, again and again: its terms have many factors."""
    x = sym(f"x{n}", min=0)  # what is known of another is remembered
    for _time in range(n):
        x = x * x % 97 + x // 3
    return x


def through(n: int) -> object:
    """The maps through a computation with as many outputs as parameters."""
    lines = [f"p{i} = f32[8] parameter({i})\nq{i} = f32[8] negate(p{i})" for i in range(n)]
    root = f"ROOT t = ({', '.join(['f32[8]'] * n)}) tuple({', '.join(f'q{i}' for i in range(n))})"
    entry = read_module("\n".join(["ENTRY e {", *lines, root, "}"])).entry
    return instruction_facts(entry.root, Shown(), entry)


def alternating(n: int) -> object:
    """The map through reshapes and transposes in turns, which do not fold."""
    lines = ["x0 = f32[1,210] parameter(0)"]
    for i, (a, b) in zip(range(0, 2 * n, 2), cycle([(14, 15), (6, 35), (10, 21)]), strict=False):
        lines += [
            f"x{i + 1} = f32[{a},{b}] reshape(x{i})",
            f"x{i + 2} = f32[{b},{a}] transpose(x{i + 1}), dimensions={{1,0}}",
        ]
    entry = read_module("\n".join(["ENTRY e {", *lines[:-1], f"ROOT {lines[-1]}", "}"])).entry
    return computation_maps(entry)


WORK = {
    f"{operation.__name__} of {make.__name__}": (compact(operation, make), 6, 12, 10)
    for operation in (coalesce, left_inverse, right_inverse, complement)
    for make in (row_major, col_major)
} | {
    "a power of a sum": (lambda n: (sym("M") % 7 + sym("N")) ** n, 16, 32, 6),
    "a sum of many products": (digits, 4, 5, 8),
    "the text of a sum": (lambda n: parse("+".join([f"S{i}%3" for i in range(n)])), 40, 160, 6),
    "the maps through a computation": (through, 20, 80, 6),
    "the map through a chain": (alternating, 24, 96, 5),
}


@pytest.mark.parametrize("name", WORK)
def test_the_work_grows_slowly(name: str) -> None:
    """The ratio is that of a power of the size."""
    run, small, large, most = WORK[name]
    run(2)  # what is made once
    before = calls(lambda: run(small))
    assert calls(lambda: run(large)) <= most * before
