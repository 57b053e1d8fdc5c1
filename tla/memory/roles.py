"""What the computations of a module are for: whether their values are buffers depends on it.

>>> text = "a = f32[] call(b), to_apply=%f\\nc = f32[] fusion(a), kind=kLoop, calls=g\\n"
>>> roles_in_text(text.splitlines())
{'f': 'callee', 'g': 'fused'}

A computation is ``entry``, the ``body`` or ``condition`` of a loop, a ``callee`` whose root is what
the caller gives, ``fused``, or ``applied`` to single elements.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from ..hlo.instruction import CALLING, names_in

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..hlo import Instruction, Module

__all__ = ["Role", "called_in_order", "module_roles", "roles_in_text"]

Role: TypeAlias = Literal["entry", "body", "condition", "callee", "fused", "applied"]

_BY_ATTRIBUTE: Final[dict[str, Role]] = {
    "body": "body",
    "condition": "condition",
    "branch_computations": "callee",
    "true_computation": "callee",
    "false_computation": "callee",
}
_CALLERS = ("call", "async")

_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"')
_BEGINS = re.compile(r"\s*(?:ROOT\s+)?%?[A-Za-z_][\w.-]*\s*=")
_OPCODE = re.compile(r"[\]})\s]\s*([a-z][a-z0-9-]*)\(")
_MAY_CALL = re.compile(rf"\b(?:{'|'.join(CALLING)})=")
_CALL = re.compile(rf"\b({'|'.join(CALLING)})=(\{{[^{{}}]*\}}|%?[A-Za-z_][\w.-]*)")


def _role(opcode: str, attribute: str) -> Role:
    if attribute in _BY_ATTRIBUTE:
        return _BY_ATTRIBUTE[attribute]
    if opcode.removesuffix("-start") in _CALLERS:
        return "callee"
    return "fused" if opcode == "fusion" else "applied"


def called_in_order(instruction: Instruction) -> list[tuple[str, Role]]:
    """Return the computations that an instruction calls and their roles, in the order they run.

    A loop tests its condition before it runs its body.
    """
    found: list[tuple[str, Role]] = [
        (name, _role(instruction.opcode, attribute))
        for attribute, text in instruction.attributes.items()
        if attribute in CALLING
        for name in names_in(text)
    ]
    return sorted(found, key=lambda each: each[1] == "body")


def module_roles(module: Module) -> dict[str, Role]:
    """Return the role of each computation that is the entry or is called, by name."""
    roles: dict[str, Role] = {}
    for computation in module.computations:
        for instruction in computation.instructions:
            roles.update(called_in_order(instruction))
        if computation.is_entry:
            roles[computation.name] = "entry"
    return roles


def roles_in_text(lines: Iterable[str]) -> dict[str, Role]:
    """Return the roles of the computations that are called, from the lines of a module's text.

    A computation stands before its callers, so a reader of the text that is to forget what it has
    read needs them first. Only what calls is looked at, and nothing is checked.
    """
    roles: dict[str, Role] = {}
    begun = ""
    for line in lines:
        if _BEGINS.match(line) is not None:
            begun = line
        if _MAY_CALL.search(line) is None:
            continue
        bare = _STRING.sub('""', line)
        for call in _CALL.finditer(bare):
            opcode = _OPCODE.search(_STRING.sub('""', begun))
            role: Role = _role(opcode[1] if opcode else "", call[1])
            for name in names_in(call[2]):
                roles[name] = role
    return roles
