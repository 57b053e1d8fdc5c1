# SPDX-License-Identifier: Apache-2.0
"""The rules of a plan about its copies: whether instructions can copy each tile to its buffer.

>>> from tla.ascend.plans.plan import gemm
>>> plan = gemm("AtlasA2", (512, 512, 512), "int4b_t", "ColumnMajor,ColumnMajor")
>>> [str(finding) for finding in copy_rules(plan) if finding.severity == "error"]
['error: copy of A to L0A: no instruction of L1->L0A moves nZ to zZ of int4b_t']

`tla.ascend.copies` has the instructions. A rule is broken if CATLASS's copy does something else: on 2201
most of its copies treat elements of 4 bits as longer ones.

Source: CATLASS gemm/tile/atlasa2/copy_gm_to_l1.hpp, copy_l1_to_l0b.hpp. CopyGmToL1 from RowMajor and
ColumnMajor, and CopyL1ToL0B from zN, know int4b_t. Copies from other layouts, and TileCopyTla, do not.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from ...errors import UnsupportedError
from ..buffers import l1_tag
from .findings import copy_rule
from .tiling import BLOCKS, LINES, OPERANDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..copies import Transfer
    from ..elements import Element
    from .findings import Finding
    from .tile import Operand
    from .tiling import Tiling


def copy_rules(plan: Tiling) -> Iterator[Finding]:
    """Yield the finding of each copy: A and B to L1 and L0, C out of L0C."""
    from ..copies import gm_to_l1, l0c_to_gm, l1_to_l0a, l1_to_l0b

    here = plan.arch

    def load(operand: Operand) -> Transfer:
        tag, there = plan.tag(operand), plan.layout(operand, "L1")
        of, tile = plan.element(operand), plan.extents(operand, plan.tile_in(operand, "L1"))
        if _is_short(plan, of) and (tag in BLOCKS or (tag in LINES and not _knows_short(plan))):
            text = (
                f"the copy of {plan.policy.name} reads each line of {operand} twice as long: it counts"
            )
            text += f" elements of {of} where the instruction counts bytes"
            raise UnsupportedError(text, _OTHERS)
        src, to = plan.layout(operand), l1_tag(tag)
        return gm_to_l1(src, there, arch=here, element=of, tile=tile, src_tag=tag, dst_tag=to)

    def store() -> Transfer:
        sums, tile = plan.layout("C", "L0C"), plan.extents("C", plan.l0)
        tag, acc = plan.tag("C"), plan.accumulator
        kind = plan.scale.kind if plan.scale else None
        return l0c_to_gm(
            sums, plan.layout("C"), arch=here, element=plan.c, accumulator=acc, tile=tile, dst_tag=tag,
            scale=None if kind == "token" else kind,
        )  # fmt: skip

    def part(operand: Operand) -> Transfer:
        of, tile = plan.element(operand), plan.extents(operand, plan.l0)
        src = plan.layout(operand, "L1")
        rows = operand == "B" and l1_tag(plan.tag("B")) == "zN"
        if rows and _is_short(plan, of) and not _knows_short(plan):
            text = f"the copy of {plan.policy.name} transposes B of {of} as if it had 16 bits"
            raise UnsupportedError(text, _OTHERS)
        if operand == "A":
            return l1_to_l0a(src, plan.layout("A", "L0A"), arch=here, element=of, tile=tile)
        return l1_to_l0b(src, plan.layout("B", "L0B"), arch=here, element=of, tile=tile)

    for operand in OPERANDS[:2]:
        yield copy_rule(f"copy of {operand} to L1", "L1", partial(load, operand))
        yield copy_rule(f"copy of {operand} to L0{operand}", f"L0{operand}", partial(part, operand))
    yield copy_rule("copy of C to GM", "L0C", store)


def _is_short(plan: Tiling, of: Element) -> bool:
    return (plan.arch.code, of.bits) == (2201, 4)


def _knows_short(plan: Tiling) -> bool:
    """Whether the copies of the block know elements of 4 bits."""
    family = plan.policy.family
    return family.api == "legacy" and not family.lines_alone


_OTHERS: Final = "Take MmadAtlasA2Pingpong, A as RowMajor or zN, B as RowMajor, ColumnMajor, zN or nZ."
