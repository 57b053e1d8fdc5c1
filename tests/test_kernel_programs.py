"""What kernels do with layouts, over sizes that only the run knows: `tests/kernel_programs.py`.

Run once with symbolic ints and bound to many values, each program gives what it gives for these values.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any, Final

import pytest
from kernel_programs import LACKING, PROGRAMS, Lacking, Program

import tla
from tla import ComposedLayout, Int, SymbolicInt, UndecidedError, is_layout, is_tuple, same_function
from tla.errors import BindingError
from tla.numbers import Condition, assume, evaluate, sym, to_python

if TYPE_CHECKING:
    from collections.abc import Iterator

VALUES: Final = 60
SAMPLES: Final = 8
"""Indices of a layout that are looked at one by one, beside the comparison as functions."""

MOST_OBLIGATIONS: Final = 4

each_program = pytest.mark.parametrize("program", PROGRAMS, ids=[p.name for p in PROGRAMS])

each_lacking = pytest.mark.parametrize("lacking", LACKING, ids=[x.name for x in LACKING])


def bound(x: Any, values: dict[str, int]) -> Any:
    """A result with its unknowns given their values."""
    if is_layout(x):
        return x.bind(**values)
    if isinstance(x, ComposedLayout):
        return ComposedLayout(x.outer, bound(x.offset, values), bound(x.inner, values))
    if isinstance(x, (tuple, list)):
        return tuple(bound(item, values) for item in x)
    return evaluate(x, values) if isinstance(x, SymbolicInt) else x  # type: ignore[arg-type]


def differences(got: Any, expected: Any, random: Random, at: str = "result") -> list[str]:
    """What two results do not agree in: ints by value, layouts as functions with their data."""
    if isinstance(expected, (tuple, list)):
        if not isinstance(got, (tuple, list)) or len(got) != len(expected):
            return [f"{at}: {got} is not {expected}"]
        return [
            text
            for i, (a, b) in enumerate(zip(got, expected, strict=True))
            for text in differences(a, b, random, f"{at}[{i}]")
        ]
    if isinstance(expected, ComposedLayout):
        if got.outer != expected.outer or got.offset != expected.offset:
            return [f"{at}: {got} is not {expected}"]
        return differences(got.inner, expected.inner, random, at)
    if not is_layout(expected):
        return [] if got == expected else [f"{at}: {got} is not {expected}"]
    if not same_function(got, expected) or not same_offsets(got, expected, random):
        return [f"{at}: {got} is not {expected}"]
    # without padding the rank of a flat result may differ, as sizes of 1 are modes or not
    if (got.is_padded or expected.is_padded) and got.origin_shape != expected.origin_shape:
        return [f"{at}: {got} holds other data than {expected}"]
    if is_tuple(got.shape) and is_tuple(expected.shape) and got.rank == expected.rank:
        return [] if got.origin_shape == expected.origin_shape else [f"{at}: {got}, {expected}"]
    return []


def same_offsets(a: Any, b: Any, random: Random) -> bool:
    """Whether two layouts of plain ints agree in size, at both ends and somewhere between."""
    size = int(b.size)
    if a.size != size:
        return False
    some = {0, size - 1, *(random.randrange(size) for _i in range(SAMPLES))} if size else set()
    return all(a(i) == b(i) for i in some)


@each_program
def test_symbolic_result_is_the_concrete_one(program: Program) -> None:
    result = program.run(**program.symbols())
    random = Random(program.name)
    for values in program.values(VALUES):
        assert differences(bound(result, values), program.run(**values), random) == [], values


def parts(x: Any) -> Iterator[Any]:
    """The layouts and ints of a result."""
    if isinstance(x, (tuple, list)):
        for item in x:
            yield from parts(item)
    else:
        yield x


@each_program
def test_symbolic_result_as_text(program: Program) -> None:
    """Layouts are read back from their notation, offsets from Python."""
    result = program.run(**program.symbols())
    some = program.values(5, seed=2)
    for x in parts(result):
        if is_layout(x):
            assert tla.parse(str(x)) == x
        elif isinstance(x, SymbolicInt):
            text = to_python(x)  # type: ignore[arg-type]
            assert all(eval(text, dict(values)) == bound(x, values) for values in some), text


@each_program
def test_static_result_is_the_concrete_one(program: Program) -> None:
    random = Random(program.name)
    for values in program.values(5, seed=1):
        static = program.run(**{name: Int(n) for name, n in values.items()})
        assert differences(static, program.run(**values), random) == [], values


def test_values_of_a_program_keep_its_facts() -> None:
    """The least values come first, and enough are tried."""
    for program in PROGRAMS:
        found = program.values(VALUES)
        assert len(found) >= min(VALUES, 20), program.name
        assert all(n % program.sizes[name].divisor == 0 for v in found for name, n in v.items())
        for name, n in found[0].items():
            assert n == program.sizes[name].ends(found[0])[0] * program.sizes[name].divisor


def test_there_are_many_programs() -> None:
    assert len({program.name for program in PROGRAMS}) == len(PROGRAMS) >= 60


# --- what is lacking is said, and can be assumed ----------------------------------------------


def obligations(lacking: Lacking, sizes: dict[str, Any]) -> tuple[list[Condition], Any]:
    """What a program asks for in turn, each assumed as it is said, and what it then gives."""
    found: list[Condition] = []
    while True:
        try:
            with assume(*found):
                return found, lacking.run(**sizes)
        except UndecidedError as error:
            condition, text = error.obligation, str(error)
        assert isinstance(condition, Condition), text
        assert str(condition) in text
        assert condition not in found
        found.append(condition)
        assert len(found) <= MOST_OBLIGATIONS


def as_program(lacking: Lacking) -> Program:
    return Program(lacking.name, lacking.run, {**lacking.sizes, **lacking.kept})


@each_lacking
def test_what_is_lacking_is_named(lacking: Lacking) -> None:
    sizes = as_program(lacking)._replace(sizes=lacking.sizes).symbols()
    with pytest.raises(UndecidedError) as caught:
        lacking.run(**sizes)
    assert str(caught.value.obligation) == lacking.needs[0]
    assert lacking.needs[0] in str(caught.value)
    assert tuple(map(str, obligations(lacking, sizes)[0])) == lacking.needs


@each_lacking
def test_what_is_lacking_can_be_assumed(lacking: Lacking) -> None:
    sizes = as_program(lacking)._replace(sizes=lacking.sizes).symbols()
    needed, result = obligations(lacking, sizes)
    assert set(needed) == set(result.assumptions)
    random = Random(lacking.name)
    for values in as_program(lacking).values(VALUES):
        assert differences(result.bind(**values), lacking.run(**values), random) == [], values
    with pytest.raises(BindingError):
        result.bind(**{**as_program(lacking).values(1)[0], **lacking.broken})


@pytest.mark.parametrize("lacking", [x for x in LACKING if x.declarable], ids=lambda x: x.name)
def test_what_is_declared_need_not_be_assumed(lacking: Lacking) -> None:
    program = as_program(lacking)
    result = program.run(**program.symbols())
    assert result.assumptions == ()
    random = Random(program.name)
    for values in program.values(10):
        assert differences(result.bind(**values), program.run(**values), random) == [], values


def test_an_obligation_as_an_argument() -> None:
    m = sym("m")
    with pytest.raises(UndecidedError) as caught:
        tla.make_layout_tile(tla.row_major(m, 64), (48, 64))
    condition: Any = caught.value.obligation
    tile = tla.make_layout_tile(tla.row_major(m, 64), (48, 64), assume=condition)
    assert tile.assumptions == (m % 48 == 0,)
    assert tile.bind(m=96) == tla.make_layout_tile(tla.row_major(96, 64), (48, 64))
    with pytest.raises(BindingError, match="m = 100 breaks m % 48 == 0"):
        tile.bind(m=100)


def test_there_are_many_obligations() -> None:
    assert len(LACKING) >= 18
