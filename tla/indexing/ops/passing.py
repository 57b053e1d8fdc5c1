# SPDX-License-Identifier: Apache-2.0
"""Ops that return their operands unchanged, and ops that read no operand.

======================================  ========================================================
op                                      element of an output
======================================  ========================================================
copy, domain, opt-barrier, tuple        the one at its place in the array at its place, through all
                                        tuples
get-tuple-element                       the one at its place in that element of the tuple
add-dependency, set-dimension-size      the one at its place in operand 0
rng                                     made from its scalars, the parameters of the distribution
what makes numbers, tokens              made from nothing
get-dimension-size                      made from a shape, and not from data
======================================  ========================================================

A token has no data: no op reads it, and it depends on nothing. A size decides which elements there are
and not their values, so it is not read either.

Source: XLA operation semantics.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ...ground import plural
from .rules import rule

if TYPE_CHECKING:
    from ..maps import IndexingMap
    from .op import Leaf, Op
    from .rules import Maps

# fmt: off
NO_DATA: Final[tuple[str, ...]] = (
    "after-all", "constant", "get-dimension-size", "infeed", "iota", "outfeed", "parameter",
    "partition-id", "replica-id", "rng-get-and-update-state",
)
# fmt: on
"""Ops whose results depend on no element of an operand."""


@rule(*NO_DATA)
def _from_nothing(op: Op, output: int) -> Maps:
    return [[] for _leaf in op.inputs]


@rule("rng")
def _from_scalars(op: Op, output: int) -> Maps:
    if any(op.sizes(leaf.shape) for leaf in op.inputs):
        op.fail("a parameter of a distribution is a scalar")
    return [[op.to_scalar(output)] for _leaf in op.inputs]


_ALL_IN_ORDER: Final = ("copy", "domain", "opt-barrier", "tuple")


@rule(*_ALL_IN_ORDER)
def _in_order(op: Op, output: int) -> Maps:
    if len(op.inputs) != len(op.outputs):
        op.fail(f"it makes {plural(len(op.outputs), 'array')} of {plural(len(op.inputs), 'operand')}")
    return from_input(op, output, output)


@rule("add-dependency", "set-dimension-size")
def from_same(op: Op, output: int) -> Maps:
    """Return the maps of an output that is the input of its number; no other input is read."""
    return from_input(op, output, output)


@rule("get-tuple-element")
def _element(op: Op, output: int) -> Maps:
    index = op.ints("index", None)
    inside = [i for i, leaf in enumerate(op.inputs) if leaf.path[:1] == index]
    if len(index) != 1 or len(inside) != len(op.outputs):
        op.fail(f"its operand has no such element {op.attribute('index')}")
    return from_input(op, output, inside[output])


def from_input(op: Op, output: int, source: int) -> Maps:
    """Return the maps of an output whose elements are those of one of the inputs, at their places."""
    maps: Maps = [[] for _leaf in op.inputs]
    one = _from_one(op, output, source)
    if one:
        maps[source] = one
    return maps


def _from_one(op: Op, output: int, source: int) -> list[IndexingMap]:
    """The maps of such an output to that input; none of an array without elements, as a token."""
    made: Leaf = op.outputs[output]
    if made.shape.element_type.bits is None:
        return []
    if source >= len(op.inputs) or op.sizes(op.inputs[source].shape) != op.dims(output):
        op.fail(f"{made.shape} is no array of its operands")
    return [op.identity(output)]


def of_one_input(op: Op, output: int) -> tuple[int, list[IndexingMap]] | None:
    """Return the one input that an output is, with its maps; None of an op that may read several.

    A tuple may have very many operands, and `maps_of` returns a list for each.
    """
    if op.opcode not in _ALL_IN_ORDER or len(op.inputs) != len(op.outputs):
        return None
    return output, _from_one(op, output, output)
