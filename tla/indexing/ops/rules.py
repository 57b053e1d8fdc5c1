# SPDX-License-Identifier: Apache-2.0
"""The table of rules: for each opcode, the maps from an output to the operands.

A rule is a function of an `Op` and the number of an output. It returns for each operand, in the order
of ``op.inputs``, a list of maps. Their union is exact: an element of the output depends on exactly the
elements to which one of them leads. An operand that is not read has no maps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..maps import IndexingMap
    from .op import Op

Maps: TypeAlias = "list[list[IndexingMap]]"
Rule: TypeAlias = "Callable[[Op, int], Maps]"

RULES: Final[dict[str, Rule]] = {}
"""The rule of each opcode that has one."""


def maps_of(op: Op, output: int) -> Maps:
    """Return the maps from an output to the operands; an op without a rule refuses."""
    found = RULES.get(op.opcode)
    if found is None:
        op.refuse("what it reads is not described")
    maps = found(op, output)
    op.expect_no_misspelt()
    return maps


def rule(*opcodes: str) -> Callable[[Rule], Rule]:
    """Enter a function in the table under some opcodes."""

    def enter(function: Rule) -> Rule:
        for opcode in opcodes:
            assert opcode not in RULES, opcode
            RULES[opcode] = function
        return function

    return enter
