# SPDX-License-Identifier: Apache-2.0
"""The roles of the computations of a module: they decide whether values are buffers.

>>> from ..hlo import read_module
>>> text = "a = f32[] call(b), to_apply=%f\\nROOT c = f32[] fusion(a), kind=kLoop, calls=g\\n"
>>> module_roles(read_module(text))
{'f': 'callee', 'g': 'fused', '_': 'entry'}

A computation is the ``entry``, the ``body`` or ``condition`` of a loop, a ``callee`` whose root is the
caller's result, ``fused``, or ``applied`` to single elements.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from ..hlo import CALLING, names_in

if TYPE_CHECKING:
    from ..hlo import Instruction, Module

Role: TypeAlias = Literal["entry", "body", "condition", "callee", "fused", "applied"]

_BY_ATTRIBUTE: Final[dict[str, Role]] = {
    "body": "body",
    "condition": "condition",
    "branch_computations": "callee",
    "true_computation": "callee",
    "false_computation": "callee",
}
_CALLERS = ("call", "async")


def _role(opcode: str, attribute: str) -> Role:
    if attribute in _BY_ATTRIBUTE:
        return _BY_ATTRIBUTE[attribute]
    if opcode.removesuffix("-start") in _CALLERS:
        return "callee"
    return "fused" if opcode == "fusion" else "applied"


def called_in_order(instruction: Instruction) -> list[tuple[str, Role]]:
    """Return the computations that an instruction calls, with their roles, in the order of their runs.

    A loop tests its condition before it runs its body.
    """
    called: list[tuple[str, Role]] = [
        (name, _role(instruction.opcode, attribute))
        for attribute, text in instruction.attributes.items()
        if attribute in CALLING
        for name in names_in(text)
    ]
    return sorted(called, key=lambda each: each[1] == "body")


def module_roles(module: Module) -> dict[str, Role]:
    """Return the role of the entry and of each called computation, by name.

    >>> from tla.hlo import read_module
    >>> module = read_module('''ENTRY e {
    ...   p = f32[5,100]{1,0:T(8,128)} parameter(0)
    ...   ROOT c = f32[5,100]{0,1:T(8,128)} copy(p)
    ... }''')
    >>> module_roles(module)
    {'e': 'entry'}
    """
    roles: dict[str, Role] = {}
    for computation in module.computations:
        for instruction in computation.instructions:
            roles.update(called_in_order(instruction))
        if computation.is_entry:
            roles[computation.name] = "entry"
    return roles
