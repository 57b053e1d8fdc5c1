"""The maps of an instruction against a truth, in both directions, for given values of its operands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tla.hlo import read_instruction
from tla.indexing import inverse
from tla.indexing.dependences import output_to_input

from .truth import pairs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tla.indexing import IndexingMap

    from .truth import Index, Pairs, Read


def reader(values: Mapping[str, Any]) -> Read:
    """What a program reads in some arrays; an index outside of them is an error."""

    def read(name: str, at: Index) -> int:
        array = values[name]
        assert len(at) == array.ndim
        assert all(0 <= i < n for i, n in zip(at, array.shape, strict=True)), (name, at)
        return int(array[at])

    return read


def agree(line: str, values: Mapping[str, Any], truth: Sequence[Pairs], output: int = 0) -> None:
    """The maps of a line are its truth, operand by operand; so are their inverses, turned around."""
    maps = output_to_input(read_instruction(line), output)
    assert len(maps) == len(truth), line
    for operand, (found, true) in enumerate(zip(maps, truth, strict=True)):
        agree_both(found, values, true, f"operand {operand} of {line}")


def agree_both(found: list[IndexingMap], values: Mapping[str, Any], true: Pairs, what: str) -> None:
    read = reader(values)
    assert pairs(found, read) == true, what
    back = pairs(map(inverse, found), read)
    assert {(a, b) for b, a in back} == true, f"the inverse of {what}"
