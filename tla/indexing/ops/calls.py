# SPDX-License-Identifier: Apache-2.0
"""Ops that run a computation: fusion, call, conditional, while.

A fusion or a call has the maps of its computation. A conditional has the maps of each of its branches,
under the condition of that branch, and reads its index whole. A loop has the maps of one iteration:
from an array of the state that the body returns to the arrays of the state before it.

>>> from tla.hlo import read_module
>>> from tla.indexing import output_to_input
>>> module = read_module('''HloModule m
... yes { p = f32[4] parameter(0)  ROOT n = f32[4] negate(p) }
... no { p = f32[4] parameter(0)  ROOT r = f32[4] reverse(p), dimensions={0} }
... ENTRY e {
...   x = f32[4] parameter(0)
...   q = pred[] parameter(1)
...   ROOT c = f32[4] conditional(q, x, x), true_computation=yes, false_computation=no
... }''')
>>> for maps in output_to_input(module.entry.root):
...     print(*maps)
(d0) -> (), domain: d0 in [0, 3]
(d0){rt0} -> (d0), domain: d0 in [0, 3], rt0 in [1, 1]
(d0){rt0} -> (-d0 + 3), domain: d0 in [0, 3], rt0 in [0, 0]
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...errors import UnsupportedError
from ...ground import plural
from ...numbers import Interval
from ..compose import merged_sources, with_names
from ..variables import REPLICA, RuntimeVariable, Source
from .op import called
from .rules import rule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...hlo import Computation
    from ..maps import IndexingMap
    from .op import Op
    from .rules import Maps


def computation_of(op: Op, attribute: str = "") -> Computation:
    """Return the computation that an attribute names; without an attribute, the first computation."""
    found = called(op.instruction, attribute)
    return found or op.refuse(f"the computation it calls is not known: {_named(op)}")


def _named(op: Op) -> str:
    return ", ".join(op.instruction.called) or "it names none"


def called_maps(op: Op, computation: Computation, names: Sequence[str], output: int) -> Maps:
    """Return the maps of a call of a computation with some operands.

    A number that it reads at run time has the name of the operand if it is a parameter. Otherwise its
    name begins with that of the call, as in ``fusion.3/start``, because another call may read another
    number. If an instruction calls several computations, the name of the computation is between them.
    """
    if len(computation.parameters) != len(names):
        op.fail(
            f"computation {computation.name} has {plural(len(computation.parameters), 'parameter')},"
            f" the call {plural(len(names), 'operand')}"
        )
    it = op.instruction
    within = it.name if len(it.computations) == 1 else f"{it.name}/{computation.name}"
    outer = {p.name: name for p, name in zip(computation.parameters, names, strict=True)}

    def named(variable: RuntimeVariable) -> RuntimeVariable:
        source = variable.source
        if source is None or source.instruction == REPLICA:
            return variable
        name = outer.get(source.instruction, f"{within}/{source.instruction}")
        definition = "" if source.instruction in outer else source.definition
        return variable._replace(source=source._replace(instruction=name, definition=definition))

    def put(m: IndexingMap) -> IndexingMap:
        if not m.runtime:
            return m
        return merged_sources(m.with_parts(runtime=[named(v) for v in m.runtime]))

    maps = op.computation_maps(computation, output)
    return [list(dict.fromkeys(map(put, each))) for each in maps]


def operand_names(op: Op) -> list[str]:
    """Return the names of the operands, tuples and arrays."""
    return [operand.name for operand in op.instruction.operands]


@rule("fusion", "call")
def _call(op: Op, output: int) -> Maps:
    return called_maps(op, computation_of(op), operand_names(op), output)


@rule("while")
def _iteration(op: Op, output: int) -> Maps:
    return called_maps(op, computation_of(op, "body"), operand_names(op), output)


@rule("conditional")
def _conditional(op: Op, output: int) -> Maps:
    it = op.instruction
    arguments = operand_names(op)[1:]
    computation_of(op)  # it refuses an instruction without its program: the computation is not known
    if len(it.computations) != len(arguments):
        op.fail(f"it does not have one operand for each of its branches: {_named(op)}")
    maps: Maps = [[op.to_scalar(output)]]
    for i, (branch, argument) in enumerate(zip(it.computations, arguments, strict=True)):
        conditions = branch_values(op, i) if len(arguments) > 1 else [None]
        for each in called_maps(op, branch, [argument], output):
            where = [_where(m, condition) for m in each for condition in conditions]
            maps.append(list(dict.fromkeys(where)))
    return maps


def _where(m: IndexingMap, condition: RuntimeVariable | None) -> IndexingMap:
    """A map only for the values of a runtime variable within its bounds."""
    if m.is_undefined or condition is None:
        return m
    return merged_sources(m.with_parts(runtime=with_names([*m.runtime, condition], "rt")))


_INT = Interval(-(2**31), 2**31 - 1)


def branch_values(op: Op, branch: int) -> list[RuntimeVariable]:
    """Return the number that the program reads, with the values for which it takes a branch.

    A conditional on a pred has two branches, the first for true. A conditional on an int has any number
    of branches; an int that is negative or too large means the last one. There is one variable for each
    run of such values, and the branch has a map for each of them.

    Args:
        branch: The number of the branch, in the order of ``op.instruction.called``.

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


# --- the computation of an op on elements -----------------------------------------------------
#
# If it is not known, as for an instruction without its program, an op depends on all its arguments.


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
