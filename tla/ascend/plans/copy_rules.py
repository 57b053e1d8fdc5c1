"""The rules of a plan about its copies: whether instructions bring each tile where the block wants it.

>>> from tla.ascend.plans.plan import gemm
>>> plan = gemm("AtlasA2", (512, 512, 512), "int4b_t", "ColumnMajor,ColumnMajor")
>>> [str(finding) for finding in copy_rules(plan) if finding.severity == "error"]
['error: copy of A to L0A: no instruction of L1->L0A moves nZ to zZ of int4b_t']

Which instructions these are, `tla.ascend.copies` says.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ...errors import TlaError
from .findings import Finding
from .plan import OPERANDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..copies import Transfer
    from ..shapes import GemmShape
    from .plan import Operand, Plan

__all__ = ["copy_rules"]


def copy_rules(plan: Plan) -> Iterator[Finding]:
    """Yield whether each tile can be copied: A and B to L1 and L0, C out of L0C."""
    from ..copies import gm_to_l1, l0c_to_gm, l1_to_l0a, l1_to_l0b

    here = plan.arch

    def load(operand: Operand) -> Transfer:
        tag, there = plan.tag(operand), plan.layout(operand, "L1")
        of, tile = plan.element(operand), _within(plan, operand, plan.tile_in(operand, "L1"))
        return gm_to_l1(plan.layout(operand), there, arch=here, element=of, tile=tile, src_tag=tag)

    def store() -> Transfer:
        sums, tile = plan.layout("C", "L0C"), _within(plan, "C", plan.l0)
        tag, acc = plan.tag("C"), plan.accumulator
        return l0c_to_gm(
            sums, plan.layout("C"), arch=here, element=plan.c, accumulator=acc, tile=tile, dst_tag=tag
        )

    def part(operand: Operand) -> Transfer:
        of, tile = plan.element(operand), plan.extents(operand, plan.l0)
        src = plan.layout(operand, "L1")
        if operand == "A":
            return l1_to_l0a(src, plan.layout("A", "L0A"), arch=here, element=of, tile=tile)
        return l1_to_l0b(src, plan.layout("B", "L0B"), arch=here, element=of, tile=tile)

    for operand in OPERANDS[:2]:
        yield _tried(f"copy of {operand} to L1", "L1", partial(load, operand))
        yield _tried(f"copy of {operand} to L0{operand}", f"L0{operand}", partial(part, operand))
    yield _tried("copy of C to GM", "L0C", store)


def _within(plan: Plan, operand: Operand, of: GemmShape) -> tuple[int, ...]:
    """The tile of an operand, no larger than the operand."""
    pairs = zip(plan.extents(operand, of), plan.extents(operand), strict=True)
    return tuple(min(tile, whole) for tile, whole in pairs)


def _tried(rule: str, buffer: str, make: Callable[[], Transfer]) -> Finding:
    try:
        transfer = make()
    except TlaError as error:
        if "available" in error.data:  # that a tile fits its buffer is a rule of its own
            return Finding(rule, "holds", "", buffer)
        return Finding(rule, "error", error.summary, buffer, fix=" ".join(error.details))
    return Finding(
        rule, "holds", f"{transfer.count} call{'s' * (transfer.count > 1)} for a tile", buffer
    )
