# SPDX-License-Identifier: Apache-2.0
"""The matches between the instructions of two modules, by their operation and not by their numbers.

>>> one = [Item("e", f"copy.{i}", "copy", "jit(f)/dot", shape, 64, False, None, i)
...        for i, shape in enumerate(["f32[4,4]{1,0}", "f32[4,4]{0,1}"])]
>>> other = [one[1]._replace(name="copy.77"), one[0]._replace(name="copy.78", shape="f32[9]{0}")]
>>> for match in matched(one, other):
...     print(match.before.name, match.after.name, match.is_same)
copy.0 copy.78 False
copy.1 copy.77 True

The match of an instruction has the same opcode. These criteria follow in order: the same ``op_name``,
shape and name; the same ``op_name`` and shape; the same ``op_name``, type and dims in another layout;
the same ``op_name``; the same shape; the same type and dims. Of several candidates it is the first in
the text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from ..hlo import bare_shape
from ..xla_bridge import physical_bytes
from .buffers import module_buffers
from .copying import estimated_cycles, module_copies
from .roles import module_roles

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence

    from ..hlo import Instruction, Module
    from .copying import Copy

_NAMING: Final = frozenset({"parameter", "constant", "tuple", "get-tuple-element", "bitcast"})
_ENDS: Final = ("-done", "-update")


class Item(NamedTuple):
    """An instruction that does work: no parameter, constant, tuple, bitcast or ``-done``.

    Attributes:
        shape: The text of its shape.
        bytes: The bytes that it writes to memory of its own.
        is_inside: Whether it is part of a fusion, or applies to single elements.
    """

    computation: str
    name: str
    opcode: str
    op_name: str
    shape: str
    bytes: int
    is_inside: bool
    estimated_cycles: int | None
    line: int


class Match(NamedTuple):
    """An instruction of one module and its match in another; None in the module that has none."""

    before: Item | None
    after: Item | None

    @property
    def is_same(self) -> bool:
        """Whether both have the same ``op_name`` and shape."""
        if self.before is None or self.after is None:
            return False
        return (self.before.op_name, self.before.shape) == (self.after.op_name, self.after.shape)


def items_of(module: Module, copies: Iterable[Copy] | None = None) -> tuple[Item, ...]:
    """Return the instructions of a module that do work, in the order of the text.

    Args:
        copies: The copies of the module, if the caller knows them.
    """
    roles = module_roles(module)
    sizes: dict[tuple[str, str], int] = {}
    for computation in module_buffers(module):
        for buffer in computation.buffers:
            if not buffer.shape.is_unbounded_dynamic:
                key = computation.name, buffer.name
                sizes[key] = sizes.get(key, 0) + physical_bytes(buffer.shape)
    known = module_copies(module) if copies is None else copies
    sizes |= {(copy.computation, copy.name): copy.written_bytes for copy in known}
    return tuple(
        Item(
            computation.name,
            instruction.name,
            instruction.opcode,
            instruction.op_name,
            str(instruction.shape),
            sizes.get((computation.name, instruction.name), 0),
            roles.get(computation.name) in ("fused", "applied"),
            estimated_cycles(instruction),
            instruction.line,
        )
        for computation in module.computations
        for instruction in computation.instructions
        if _does_something(instruction)
    )


def _does_something(instruction: Instruction) -> bool:
    return instruction.opcode not in _NAMING and not instruction.opcode.endswith(_ENDS)


_KEYS: Final[tuple[Callable[[Item], Hashable], ...]] = (
    lambda item: (item.op_name, item.shape, item.name),
    lambda item: (item.op_name, item.shape),
    lambda item: (item.op_name, bare_shape(item.shape)),
    lambda item: item.op_name or None,
    lambda item: (item.shape,),
    lambda item: (bare_shape(item.shape),),
)


def matched(before: Sequence[Item], after: Sequence[Item]) -> tuple[Match, ...]:
    """Return each instruction with its match: those of the first module in order, then the new ones."""
    partner: dict[int, int] = {}
    left, right = list(range(len(before))), list(range(len(after)))
    for key in _KEYS:
        waiting: dict[Hashable, list[int]] = {}
        for j in reversed(right):
            waiting.setdefault(_full(key, after[j]), []).append(j)
        for i in left:
            mark = _full(key, before[i])
            if mark is not None and waiting.get(mark):
                partner[i] = waiting[mark].pop()
        left = [i for i in left if i not in partner]
        partners = set(partner.values())
        right = [j for j in right if j not in partners]
    pairs = [Match(item, after[partner[i]] if i in partner else None) for i, item in enumerate(before)]
    return (*pairs, *(Match(None, after[j]) for j in right))


def _full(key: Callable[[Item], Hashable], item: Item) -> Hashable:
    """A key of an instruction with the parts that must always agree; None if it has no such key."""
    own = key(item)
    return None if own is None else (item.is_inside, item.opcode, own)
