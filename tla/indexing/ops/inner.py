"""What the computation of an op makes its results from, where the computation is known.

Where it is not, as to an instruction read by itself, an op depends on all that it hands to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...errors import UnsupportedError
from ...hlo.instruction import names_in
from ..fusion import computation_maps

if TYPE_CHECKING:
    from .op import Op
    from .rules import Maps

__all__ = ["inner_maps", "read_parameters"]


def inner_maps(op: Op, parameters: int, outputs: int, attribute: str = "to_apply") -> list[Maps] | None:
    """Return for each output of a computation its maps to each of its parameters.

    Args:
        parameters: How many arrays it takes; a computation that takes others counts as not known.
        outputs: How many it makes.
    """
    called = dict(zip(op.instruction.called, op.instruction.computations, strict=False))
    names = names_in(op.attribute(attribute))
    computation = called.get(names[0]) if names else None
    if computation is None:
        return None
    try:
        found = [computation_maps(computation, i, devices=op.devices) for i in range(outputs)]
    except (UnsupportedError, IndexError):
        return None
    return found if all(len(maps) == parameters for maps in found) else None


def read_parameters(op: Op, parameters: int, outputs: int) -> list[set[int]] | None:
    """Return for each output of its computation the numbers of the parameters that it depends on."""
    found = inner_maps(op, parameters, outputs)
    if found is None:
        return None
    return [
        {i for i, each in enumerate(maps) if any(not m.is_known_empty for m in each)} for maps in found
    ]
