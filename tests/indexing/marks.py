"""What an op reads, by running it: arrays whose elements are sets of marks.

A mark says of which operand and from which place a value comes. An op is written out in plain loops, as
its definition has it; whatever it makes from some values bears the marks of all of them. So the marks of
an element of the result are the elements that it depends on.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from tla.hlo import read_instruction
from tla.indexing import inverse, output_to_input

from .truth import pairs

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tla.hlo import Instruction

    from .truth import Read

NONE: frozenset[Any] = frozenset()


def marked(operand: int, shape: Sequence[int]) -> Any:
    """An operand: each element with its own mark."""
    out = blank(shape)
    for index in np.ndindex(*shape):
        out[index] = frozenset([(operand, index)])
    return out


def blank(shape: Sequence[int]) -> Any:
    """An array of elements that depend on nothing."""
    out = np.empty(tuple(shape), dtype=object)
    for index in np.ndindex(*shape):
        out[index] = NONE
    return out


def join(*parts: Any) -> Any:
    """What is made from some values, or from all elements of some arrays."""
    out: set[Any] = set()
    for part in parts:
        for marks in [part] if isinstance(part, frozenset) else part.flat:
            out |= marks
    return frozenset(out)


def indices(shape: Iterable[int]) -> Iterator[tuple[int, ...]]:
    return itertools.product(*map(range, shape))


def text(shape: Sequence[int], element: str = "f32") -> str:
    return f"{element}[{','.join(map(str, shape))}]"


def check(
    line: str | Instruction, outputs: Sequence[Any], operands: int, read: Read | None = None
) -> None:
    """Each output of an instruction depends on just what its marks say, in both directions."""
    instruction = read_instruction(line) if isinstance(line, str) else line
    for number, marks in enumerate(outputs):
        found = output_to_input(instruction, number)
        assert len(found) == operands, line
        for operand, maps in enumerate(found):
            truth = {
                (index, place)
                for index in np.ndindex(*marks.shape)
                for which, place in marks[index]
                if which == operand
            }
            assert pairs(maps, read) == truth, (line, number, operand, list(map(str, maps)))
            back = {(place, index) for index, place in truth}
            turned = [inverse(m) for m in maps]
            assert pairs(turned, read) == back, (line, number, operand, list(map(str, turned)))
