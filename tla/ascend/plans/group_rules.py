# SPDX-License-Identifier: Apache-2.0
"""The rules of a plan of several products: their kernel, their places in memory, their schedule.

>>> from tla.ascend import grouped
>>> plan = grouped("AtlasA2", (512, 256, 1000), (600, 0, 400), "half", "ColumnMajor,zN", axis="k")
>>> for finding in group_rules(plan):
...     print(finding)
holds: groups: 3 groups of K: 600, 0, 400
holds: empty groups: C of group 1 is filled with zeros by the vector cores of GroupedMatmulSliceK
holds: group starts of A: A's slices start at whole elements
error: group starts of B: B of group 1 starts at row 600 of zN, inside a fractal of 16
holds: schedule of groups: 8 tasks

Source: CATLASS gemm/kernel/grouped_matmul_slice_m.hpp, grouped_matmul_slice_k.hpp, batched_matmul.hpp;
epilogue/block/block_epilogue_per_token_dequant.hpp.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ...errors import TlaError
from ..schedules import in_groups
from .findings import Finding
from .groups import SLICED
from .kernels import kernel, slices
from .tiling import LINES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..schedules import BlockSwizzle, Schedule
    from .groups import Groups
    from .tile import Operand
    from .tiling import Tiling


def schedule_of(plan: Tiling, order: BlockSwizzle) -> Schedule:
    """Return the schedule of a plan's products on its cores, in an order.

    Raises:
        LayoutError: no kernel takes groups in that order, or the order would lose tiles.
    """
    groups = plan.groups
    if groups is None:
        factor = slices(plan.policy, order, plan.problem, plan.l1, plan.cores) if order.splits else None
        return order.schedule(plan.problem, plan.l1, cores=plan.cores, splitk=factor)
    if order.grouped and groups.axis == "m":
        return order.schedule(plan.problem, plan.l1, cores=plan.cores, rows=groups.sizes)
    taker = kernel(plan)
    return in_groups(
        groups.problems, plan.l1, order, axis=groups.axis, cores=plan.cores,
        fills=taker is not None and taker.fills,
    )  # fmt: skip


def group_rules(plan: Tiling) -> Iterator[Finding]:
    """Yield the finding of each rule about several products; none for one product."""
    groups = plan.groups
    if groups is None:
        return
    yield _kernel(plan, groups)
    yield from _empty(plan, groups)
    for operand in SLICED[groups.axis]:
        yield from _slices(plan, groups, operand)
    try:
        schedule = schedule_of(plan, plan.swizzle)
    except TlaError as error:
        yield Finding("schedule of groups", "error", error.summary, fix=" ".join(error.details))
    else:
        yield Finding("schedule of groups", "holds", f"{schedule.count} tasks")


def _kernel(plan: Tiling, groups: Groups) -> Finding:
    taker = kernel(plan)
    sliced: tuple[Operand, ...] = SLICED[groups.axis]
    for operand in sliced:
        if taker is None or operand not in taker.dense or _is_dense(plan, operand):
            continue
        axis, other = ("rows", "columns") if _cut_by_rows(groups, operand) else ("columns", "rows")
        text = (
            f"{taker.name} takes each group of {operand} as {axis} that follow one another, and in "
            f"{plan.tag(operand)} the {other} do"
        )
        tag = "RowMajor" if _cut_by_rows(groups, operand) else "ColumnMajor"
        return Finding("groups", "error", text, "GM", fix=f"Take {tag} for {operand}.")
    return Finding("groups", "holds", str(groups))


def _cut_by_rows(groups: Groups, operand: Operand) -> bool:
    """Whether a group has some rows of an operand that the groups share; otherwise it has columns."""
    return (groups.axis, operand) != ("k", "A")


def _is_dense(plan: Tiling, operand: Operand) -> bool:
    """Whether the elements of a group follow one another, in lines that the groups cut between."""
    assert plan.groups is not None
    return plan.tag(operand) not in LINES or plan.tag(operand) == (
        "RowMajor" if _cut_by_rows(plan.groups, operand) else "ColumnMajor"
    )


_FILLS: Final = "MmadAtlasA2PreloadAsync"
"""The block that has no sums of a group without K to hand over."""


def _empty(plan: Tiling, groups: Groups) -> Iterator[Finding]:
    empty = [i for i, problem in enumerate(groups.problems) if min(problem) == 0]
    if not empty:
        return
    shown = ", ".join(map(str, empty[:8])) + (", ..." if len(empty) > 8 else "")
    which = f"group {shown}" if len(empty) == 1 else f"groups {shown}"
    taker, result = kernel(plan), "C" if plan.epilogue is None else "D"
    if taker is not None and taker.fills and plan.policy.name != _FILLS:
        text = (
            f"the cube cores of {taker.name} by {plan.policy.name} hand over the blocks of {which}, for "
            "which its vector cores do not wait: they read every later block too early"
        )
        fix = f"Take {_FILLS}, or leave {which} out."
        yield Finding("empty groups", "error", text, "GM", len(empty), 0, "groups", fix)
    elif groups.axis == "k" and taker is not None:
        text = f"{result} of {which} is filled with zeros by the vector cores of {taker.name}"
        yield Finding("empty groups", "holds", text, "GM", len(empty), None, "groups")
    elif groups.axis == "k":
        text = f"{result} of {which} is left as it is: a group without K is skipped"
        fix = f"Set {result} to zeros before."
        yield Finding("empty groups", "warning", text, "GM", len(empty), None, "groups", fix)
    else:
        text = f"{which}: no rows, and no tasks"
        yield Finding("empty groups", "holds", text, "GM", len(empty), None, "groups")


_FRACTAL: Final = 16


def _slices(plan: Tiling, groups: Groups, operand: Operand) -> Iterator[Finding]:
    """The rule of the places where the slices of a shared operand start."""
    rule, of, tag = f"group starts of {operand}", plan.element(operand), plan.tag(operand)
    by_rows = _cut_by_rows(groups, operand)
    line = "row" if by_rows else "column"
    starts = list(zip(range(1, len(groups.problems)), groups.ends, strict=False))
    if tag not in LINES:
        unit = of.c0 if (tag == "nZ") == by_rows else _FRACTAL
        inside = next(((i, start) for i, start in starts if start % unit), None)
        if inside is not None:
            i, start = inside
            text = (
                f"{operand} of group {i} starts at {line} {start} of {tag}, inside a fractal of {unit}"
            )
            fix = f"Take groups in multiples of {unit}."
            yield Finding(rule, "error", text, "GM", start % unit, 0, "elements", fix)
            return
    apart = plan.leading(operand) if (tag == "RowMajor") == by_rows else 1
    odd = next(((i, s) for i, s in starts if tag in LINES and s * apart * of.bits % 8), None)
    if odd is not None:
        text = f"{operand} of group {odd[0]} starts at {line} {odd[1]} of {of}, inside a byte"
        yield Finding(rule, "error", text, "GM", 4, 0, "bits", "Take even groups.")
        return
    yield Finding(rule, "holds", f"{operand}'s slices start at whole elements", "GM")
