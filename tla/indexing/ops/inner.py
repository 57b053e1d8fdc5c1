# SPDX-License-Identifier: Apache-2.0
"""The maps of the computation of an op, if the computation is known.

If it is not known, as for an instruction without its program, an op depends on all its arguments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...errors import UnsupportedError
from .op import called

if TYPE_CHECKING:
    from .op import Op
    from .rules import Maps


def inner_maps(op: Op, parameters: int, outputs: int) -> list[Maps] | None:
    """Return for each output of the op's computation its maps to each of its parameters.

    Args:
        parameters: The number of arrays that are its parameters; a computation with another number
            counts as not known.
        outputs: The number of its outputs.
    """
    computation = called(op.instruction, "to_apply")
    if computation is None:
        return None
    try:
        found = [op.computation_maps(computation, i) for i in range(outputs)]
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
