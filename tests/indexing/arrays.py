"""Small random arrays and shapes, and the comparison of an instruction's maps with its definition."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tla.errors import UnsupportedError
from tla.hlo import read_instruction
from tla.indexing import MalformedError, inverse, output_to_input
from tla.indexing.ops import Op

from .truth import pairs

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from random import Random

    from tla.indexing import IndexingMap

    from .truth import Index, Pairs

    Array = np.ndarray[Any, Any]


def sizes_of(random: Random, low: int = 0, high: int = 4, largest: int = 5) -> list[int]:
    """Dims of a random array; one in ten of them is 0."""
    rank = random.randint(low, high)
    return [random.choice([0, *[random.randint(1, largest) for _ in range(9)]]) for _ in range(rank)]


def shape(sizes: Sequence[int | str], dtype: str = "f32", layout: str = "") -> str:
    written = layout if layout != "{}" else ""
    return f"{dtype}[{','.join(map(str, sizes))}]{written}"


def numbered(sizes: Sequence[int], first: int = 0) -> Array:
    """An array whose elements are all different."""
    count = int(np.prod(sizes, dtype=int))
    return np.arange(first, first + count).reshape(tuple(sizes))


def indices(sizes: Sequence[int]) -> Iterator[Index]:
    return product(*map(range, sizes))


def moved(result: Array, *operands: Array) -> list[Pairs]:
    """Where the numbers of some operands stand in a result made of them."""
    found: list[Pairs] = []
    for operand in operands:
        places = {int(operand[at]): at for at in indices(operand.shape)}
        values = ((at, int(result[at])) for at in indices(result.shape))
        found.append({(at, places[value]) for at, value in values if value in places})
    return found


def everything(sizes: Sequence[int]) -> Pairs:
    """Each element of a result, made from a scalar."""
    return read_at(indices(sizes))


def read_at(places: Iterable[Index]) -> Pairs:
    """A scalar, read for some elements of a result."""
    return {(at, ()) for at in places}


def same(sizes: Sequence[int]) -> Pairs:
    return {(at, at) for at in indices(sizes)}


def checked(text: str, *truths: Pairs, output: int = 0) -> list[list[IndexingMap]]:
    """The maps of an instruction, which say what is true, in both directions, and nothing twice."""
    instruction = read_instruction(text)
    maps = output_to_input(instruction, output)
    assert len(maps) == len(truths) == len(Op(instruction).inputs), text
    for each, truth in zip(maps, truths, strict=True):
        written = [text, *map(str, each)]
        assert pairs(each) == truth, written
        back = [inverse(m) for m in each]
        assert pairs(back) == {(b, a) for a, b in truth}, [*written, *map(str, back)]
        for m in each:
            assert len(m.results) == len(Op(instruction).inputs[maps.index(each)].shape.dimensions)
            assert len(m.dims) == len(Op(instruction).dims(output))
        assert sum(len(pairs([m])) for m in each) == len(truth), written
    return maps


def refused(text: str, output: int = 0) -> str:
    """Why an instruction has no map."""
    with pytest.raises(UnsupportedError) as caught:
        output_to_input(read_instruction(text), output)
    why, known = str(caught.value.summary), vars(caught.value)
    name, opcode = known["instruction"], known["opcode"]
    start = f"instruction {name}: op {opcode} is not supported because "
    if isinstance(caught.value, MalformedError):
        start = f"{opcode} {name} is wrong: "
    assert why == start + known["reason"]
    return why.removeprefix(start)
