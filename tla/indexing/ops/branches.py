# SPDX-License-Identifier: Apache-2.0
"""The branch that a conditional takes, as runtime variables.

A conditional on a pred has two branches, the first for true. A conditional on an int has any number of
branches. The int is the number of the branch; an int that is negative or too large means the last one.

>>> from tla.hlo import read_instruction
>>> from .op import Op
>>> op = Op(read_instruction("%c = f32[] conditional(s32[] %i, f32[] %x, f32[] %y),"
...     " branch_computations={%a, %b}"))
>>> for branch in (0, 1):
...     print([str(variable.bounds) for variable in branch_values(op, branch)])
['[0, 0]']
['[1, 2147483647]', '[-2147483648, -1]']

Source: XLA operation semantics, Conditional.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...numbers import Interval
from ..variables import RuntimeVariable, Source

if TYPE_CHECKING:
    from .op import Op

_INT = Interval(-(2**31), 2**31 - 1)


def branch_values(op: Op, branch: int) -> list[RuntimeVariable]:
    """Return the number that the program reads, with the values for which it takes a branch.

    There is one variable for each run of such values, and the branch has a map for each of them.

    Args:
        branch: The number of the branch, in the order of ``op.instruction.called``.
    """
    leaf, last = op.inputs[0], len(op.instruction.called) - 1
    if op.sizes(leaf.shape):
        op.fail(f"its branch is chosen by {leaf.shape}")
    if leaf.shape.element_type.name == "pred":
        bounds = [Interval(1 - branch, 1 - branch)]
    elif branch < last:
        bounds = [Interval(branch, branch)]
    elif last:
        bounds = [Interval(last, _INT.upper), Interval(_INT.lower, -1)]
    else:
        bounds = [_INT]
    return [RuntimeVariable("rt0", values, Source(leaf.name)) for values in bounds]
