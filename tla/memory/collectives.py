# SPDX-License-Identifier: Apache-2.0
"""The collectives of a module: the devices of each, and the bytes that they move.

>>> from ..hlo import read_module
>>> module = read_module('''
...     HloModule m, num_partitions=4
...     ENTRY e {
...       p = f32[16,64] parameter(0)
...       ROOT g = f32[64,64] all-gather(p), replica_groups=[1,4]<=[4], dimensions={0}
...     }''')
>>> (found,) = collectives(module)
>>> found.opcode, found.groups, found.received_bytes, found.moved_bytes
('all-gather', ((0, 1, 2, 3),), 12288, 49152)

A collective changes the sharding of an array, and moves what `tla.xla_bridge.moves_to` says of that:

====================  ====================================  ======================================
opcode                of a group of n devices               each device receives
====================  ====================================  ======================================
all-gather            n tiles become the whole              the tiles of the others
all-to-all            tiles of a dim become those of        its tile of each of the others
                      another
collective-permute    tiles change their devices            a tile, if its own is not the source
collective-broadcast  the first device's array for all      the array, but for the first
reduce-scatter        n terms become tiles of their sum     its tile of the terms of the others
all-reduce            n terms become their sum              twice n - 1 of n parts of the array
====================  ====================================  ======================================

An all-reduce is the least that works: a reduce-scatter, and an all-gather of its tiles. A compiler may
move more. Bytes are those of the elements, without padding.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from ..errors import UnsupportedError
from ..hlo import read_groups
from ..xla_bridge import XlaTuple, logical_bytes
from .roles import module_roles
from .trips import module_runs

if TYPE_CHECKING:
    from ..hlo import Instruction, Module, SourceLine
    from ..xla_bridge import AnyShape

__all__ = ["Collective", "collectives"]

OPCODES: Final = frozenset(
    [
        "all-gather",
        "all-reduce",
        "all-to-all",
        "collective-broadcast",
        "collective-permute",
        "ragged-all-to-all",
        "reduce-scatter",
    ]
)
_PAIR: Final = re.compile(r"\{\s*(\d+)\s*,\s*(\d+)\s*\}")


class Collective(NamedTuple):
    """An instruction in which devices exchange data.

    >>> from tla.hlo import read_module
    >>> from tla.memory import collectives
    >>> (found,) = collectives(read_module('''ENTRY e {
    ...   p = f32[8] parameter(0)
    ...   ROOT c = f32[8] collective-permute(p), source_target_pairs={{0,1},{1,0},{2,2}} }'''))
    >>> found.groups, found.received_bytes, found.moved_bytes
    (((0, 1), (1, 0), (2, 2)), 32, 64)

    Attributes:
        computation, name, line: The instruction; the ``-start`` of an asynchronous one.
        opcode: Its opcode without ``-start``.
        groups: The devices of each group in the order of their tiles; of a permutation, source and
            target of each pair. They are positions in the mesh, or replicas. Empty if all devices are
            one group, and the module does not say how many there are.
        operand_bytes, result_bytes: The bytes of all operands and of the result on one device.
        received_bytes: The most bytes that one device receives when it runs once; None if unknown.
        moved_bytes: The bytes that all devices receive when it runs once; None if unknown.
        runs: How often it runs when the module runs once; None if that is unknown.
        op_name: The program's name of it.
        source: The lines of the program that made it, the innermost first.
    """

    computation: str
    name: str
    opcode: str
    line: int
    groups: tuple[tuple[int, ...], ...]
    operand_bytes: int
    result_bytes: int
    received_bytes: int | None
    moved_bytes: int | None
    runs: int | None
    op_name: str
    source: tuple[SourceLine, ...]


def collectives(module: Module) -> tuple[Collective, ...]:
    """Return the collectives of a module, in the order of its text.

    >>> from tla.hlo import read_module
    >>> module = read_module('''HloModule m, replica_count=2
    ... add { a = f32[] parameter(0)
    ...   b = f32[] parameter(1)
    ...   ROOT c = f32[] add(a, b) }
    ... ENTRY e { p = f32[100] parameter(0)
    ...   ROOT s = f32[100] all-reduce(p), replica_groups={}, to_apply=add }''')
    >>> [(each.name, each.groups, each.received_bytes) for each in collectives(module)]
    [('s', ((0, 1),), 400)]

    Raises:
        UnsupportedError: the groups of an instruction cannot be read.
    """
    roles, runs = module_roles(module), module_runs(module)
    count = 1
    for name in ("replica_count", "num_partitions"):
        text = module.attributes.get(name, "1")
        count *= int(text) if text.isdecimal() else 1
    return tuple(
        _collective(module, computation.name, each, opcode, count, runs.get(computation.name, 0))
        for computation in module.computations
        if roles.get(computation.name) not in ("fused", "applied")
        for each in computation.instructions
        if (opcode := each.opcode.removesuffix("-start")) in OPCODES
    )


def _collective(
    module: Module, computation: str, each: Instruction, opcode: str, count: int, runs: int | None
) -> Collective:
    groups = _groups(each, opcode, count)
    operands = sum(_bytes(operand.shape) for operand in each.operands if operand.shape is not None)
    result = each.shape
    if each.opcode.endswith("-start") and opcode != "all-reduce" and isinstance(result, XlaTuple):
        result = result.elements[1]
    received = [_received(opcode, group, operands, _bytes(result)) for group in groups]
    known = [each for each in received if each is not None]
    is_known = bool(groups) and len(known) == len(groups)
    return Collective(
        computation,
        each.name,
        opcode,
        each.line,
        groups,
        operands,
        _bytes(result),
        max(most for most, _ in known) if is_known else None,
        sum(moved for _, moved in known) if is_known else None,
        runs,
        each.op_name,
        module.source(each),
    )


def _groups(each: Instruction, opcode: str, count: int) -> tuple[tuple[int, ...], ...]:
    if opcode == "collective-permute":
        pairs = _PAIR.findall(each.attributes.get("source_target_pairs", ""))
        return tuple((int(source), int(target)) for source, target in pairs)
    try:
        ids = each.attributes.get("device_ids", "")
        groups = read_groups(each.attributes.get("replica_groups", "{}"), ids)
    except ValueError as error:
        raise UnsupportedError(
            f"the {each.opcode} {each.name} of line {each.line}: {error}", instruction=each.name
        ) from None
    if groups is None:
        return (tuple(range(count)),) if count > 1 else ()
    return tuple(map(tuple, groups))


def _received(opcode: str, group: tuple[int, ...], operand: int, result: int) -> tuple[int, int] | None:
    """The bytes that one device of a group receives at most, and those of all its devices."""
    n = len(group)
    if opcode == "collective-permute":
        moved = operand if group[0] != group[1] else 0
        return moved, moved
    if opcode == "collective-broadcast":
        return operand if n > 1 else 0, (n - 1) * operand
    if opcode == "all-gather":
        own = result - operand
    elif opcode == "reduce-scatter":
        own = (n - 1) * result
    elif opcode == "all-to-all":
        own = operand * (n - 1) // n
    elif opcode == "all-reduce":
        return -(-2 * (n - 1) * operand // n), 2 * (n - 1) * operand
    else:  # the sizes of a ragged one are known when it runs
        return None
    return own, n * own


def _bytes(shape: AnyShape) -> int:
    if isinstance(shape, XlaTuple):
        return sum(map(_bytes, shape.arrays()))
    return int(logical_bytes(shape))
