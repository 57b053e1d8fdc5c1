# SPDX-License-Identifier: Apache-2.0
"""The rules of a plan about global memory: leading dimensions, tails, workspace, L2 and others.

>>> from tla.ascend.plans.plan import gemm
>>> plan = gemm("AtlasA2", (512, 512, 1000), "half", l1="128,256,256")
>>> rules = {finding.rule: finding for finding in memory_rules(plan)}
>>> print(rules["leading dimension of A"])
warning: leading dimension of A: rows of A start every 2000 bytes, not a multiple of 512
>>> rules["k tail"].needed, rules["tile starts of A"].needed
(8, 512)

Source: CATLASS examples/common/helper.hpp IsNeedPadding; gemm/tile/*/copy_gm_to_l1.hpp;
layout/matrix.hpp.
"""

from __future__ import annotations

from functools import partial
from math import gcd
from typing import TYPE_CHECKING, Final

from ...numbers import round_up
from ..buffers import l1_tag
from ..decisions import padded, workspace
from .findings import Finding
from .kernels import kernel, shared_by, splits
from .tiling import LINES, OPERANDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..decisions import PaddingKind
    from .tile import Operand
    from .tiling import Tiling

_LINE: Final = 512
"""The bytes of a line of memory. A core reads rows at full speed if they start at multiples of it."""
_FRACTALS: Final = ("zN", "nZ")


def memory_rules(plan: Tiling) -> Iterator[Finding]:
    """Yield the finding of each rule about global memory."""
    yield from _words(plan)
    for operand in OPERANDS[:2]:
        if plan.tag(operand) in LINES:
            yield _leading(plan, operand)
            yield _stride_limit(plan, operand)
    yield from _ignored_leading(plan)
    yield _k_tail(plan)
    for operand in OPERANDS:
        yield _starts(plan, operand)
    yield from _one_tile_of_k(plan)
    yield from _swizzle(plan)
    yield from _workspace(plan)
    yield _l2(plan)


def _words(plan: Tiling) -> Iterator[Finding]:
    """The rules of 32-bit numbers: CATLASS counts extents, tiles and places in fractals in 32 bits."""
    m, n, k = plan.problem
    judge = partial(Finding.judge, buffer="GM", available=(1 << 32) - 1)
    text = f"an extent of {max(m, n, k)} does not fit into 32 bits"
    fix = "Split the problem."
    yield judge("32-bit extents", text, needed=max(m, n, k), unit="elements", fix=fix)
    tiles = [plan.l1.tiles_of(problem) for problem in plan.problems]
    blocks = sum(down * across for down, across, _ in tiles)
    text = f"{blocks} tiles of C do not fit into 32 bits, in which blocks are counted"
    larger = "Take larger tiles."
    yield judge("32-bit blocks", text, needed=blocks, unit="blocks", fix=larger)
    for operand in OPERANDS:
        tag = plan.tag(operand)
        if tag in _FRACTALS:
            rows, cols = plan.extents(operand)
            long = rows if tag == "zN" else cols
            place = round_up(long, 16) * plan.element(operand).c0
            text = f"a column of fractals of {operand} holds {place} elements, which wraps in 32 bits"
            yield judge(f"32-bit offsets in {operand}", text, needed=place, unit="elements", fix=fix)


def _leading(plan: Tiling, operand: Operand) -> Finding:
    rule = f"leading dimension of {operand}"
    tag, of, ld = plan.tag(operand), plan.element(operand), plan.leading(operand)
    rows, cols = plan.extents(operand)
    apart = of.bytes_of(ld)
    lines = "rows" if tag == "RowMajor" else "columns"
    text = f"{lines} start every {apart} bytes"
    if (rows if tag == "RowMajor" else cols) == 1:
        return Finding(rule, "holds", f"one of the {lines}", "GM", apart, None)
    if (of.bits * ld) % (_LINE * 8) == 0:
        return Finding(rule, "holds", text, "GM", apart, None)
    text = f"{lines} of {operand} start every {apart} bytes, not a multiple of {_LINE}"
    wide, limit = round_up(apart, _LINE) * 8 // of.bits, plan.arch.stride_limit
    in_lines = limit is None or wide < limit  # a copy moves rows one by one if they lie further apart
    kinds: tuple[PaddingKind, ...] = ("PADDING_ND" if in_lines else "PADDING_BLOCK_ND", "PADDING_NZ")
    ways: list[str] = []
    if of.bits % 8 == 0:
        block = plan.extents(operand, plan.l1)
        sizes = [(kind, padded(kind, tag, rows, cols, of, block=block).bytes) for kind in kinds]
        choices = " or ".join(f"{kind} ({bytes_} bytes of workspace)" for kind, bytes_ in sizes)
        ways.append(f"lay {operand} out anew before: {choices}")
    if in_lines:
        ways.append(f"store it with a leading dimension of {wide}")
    fix = f"{', or '.join(ways)}." if ways else ""
    return Finding(rule, "warning", text, "GM", apart, None, fix=fix[:1].upper() + fix[1:])


def _ignored_leading(plan: Tiling) -> Iterator[Finding]:
    """The rules of leading dimensions that a kernel ignores: it makes its layouts of the extents alone.

    Source: CATLASS gemm/kernel, ToUnderlyingArguments; multi_core_splitk_matmul_tla.hpp, ReduceAdd.
    """
    taker = kernel(plan)
    for operand in OPERANDS:
        ld = plan.ld["ABC".index(operand)]
        if ld is None:
            continue
        rule = f"given leading dimension of {operand}"
        rows, cols = plan.extents(operand)
        least, other = (cols, rows) if plan.tag(operand) == "RowMajor" else (rows, cols)
        if ld == least or other == 1 or taker is None or operand not in taker.dense:
            yield Finding(rule, "holds", "", "GM", ld, None, "elements")
            continue
        does = "writes" if operand == "C" else "reads"
        lines = "rows" if plan.tag(operand) == "RowMajor" else "columns"
        text = (
            f"{taker.name} takes no leading dimension: it {does} {operand} as if its {lines} were "
            f"{least} elements apart, not {ld}"
        )
        tla = plan.policy.family.api == "tla"
        fix = "Take another swizzle." if tla else "Take MmadPingpong: BasicMatmulTla takes layouts."
        yield Finding(rule, "warning", text, "GM", ld, None, "elements", fix)


def _stride_limit(plan: Tiling, operand: Operand) -> Finding:
    rule, limit = f"stride limit of {operand}", plan.arch.stride_limit
    ld, tag = plan.leading(operand), plan.tag(operand)
    rows, cols = plan.extents(operand, plan.l1)
    whole = plan.extents(operand)
    calls = min(rows, whole[0]) if tag == "RowMajor" else min(cols, whole[1])
    if limit is None or ld < limit or calls == 1:
        return Finding(rule, "holds", "", "GM", ld, None if limit is None else limit - 1, "elements")
    text = (
        f"a leading dimension of {ld} exceeds what one copy takes on {plan.arch}: a tile of {operand}"
        f" takes {calls} calls, one for each {'row' if tag == 'RowMajor' else 'column'}"
    )
    fix = f"Lay {operand} out anew before, in blocks or as {l1_tag(tag)}."
    return Finding(rule, "warning", text, "GM", ld, limit - 1, "elements", fix)


_STALE: Final = "what an earlier tile left"
_PADDING: Final = "what pads it in global memory"
_BEHIND: Final = {
    ("A", "RowMajor"): "zeros", ("A", "ColumnMajor"): _STALE,
    ("B", "RowMajor"): _STALE, ("B", "ColumnMajor"): "zeros",
}  # fmt: skip
"""The data after the end of k in L1, for copies from lines. Such a copy fills only rows of fractals."""


def _k_tail(plan: Tiling) -> Finding:
    """The rule of the last elements of k: the cube core multiplies whole rows of fractals.

    So it also multiplies the data after the end of k.

    Source: tilelang-ascend 1723.
    """
    c0 = max(plan.a.c0, plan.b.c0)
    k = next((problem.k for problem in plan.problems if problem.k % c0), plan.depth)
    tail = k % c0
    if not tail:
        return Finding("k tail", "holds", "", "L1", k, None, "elements")
    in_a, in_b = (_BEHIND.get((x, plan.tag(x)), _PADDING) for x in OPERANDS[:2])
    filling = f"{in_a} in A and B" if in_a == in_b else f"{in_a} in A and {in_b} in B"
    text = (
        f"the cube takes k in rows of {c0}, and the last has {tail} of data; the other {c0 - tail} are "
        f"{filling}"
    )
    fix = f"Pad k to {round_up(k, c0)} with zeros."
    stale = (in_a, in_b).count(_STALE)
    if stale == 2:
        text += ", and their products are added"
    elif stale and plan.accumulator.name != "int32_t":
        text += "; an infinity or a NaN there times zero is a NaN"
    else:  # zero times any integer is zero
        return Finding("k tail", "note", text, "L1", tail, None, "elements", fix)
    return Finding("k tail", "warning", text, "L1", tail, None, "elements", fix)


def _starts(plan: Tiling, operand: Operand) -> Finding:
    """The rule of the starts of tiles: multiples of the greatest common divisor of two steps."""
    rule = f"tile starts of {operand}"
    of, tag = plan.element(operand), plan.tag(operand)
    rows, cols = plan.extents(operand)
    tall, wide = plan.extents(operand, plan.l1)
    steps = [
        (step, at)
        for step, size, at in ((tall, rows, (tall, 0)), (wide, cols, (0, wide)))
        if step < size
    ]
    if tag in _FRACTALS:
        by_row, by_col = (16, of.c0) if tag == "zN" else (of.c0, 16)
        for step, unit, size, name in ((tall, by_row, rows, "rows"), (wide, by_col, cols, "columns")):
            if step < size and step % unit:
                text = f"tiles of {operand} start every {step} {name}, inside a fractal of {unit}"
                fix = f"Take a multiple of {unit}."
                return Finding(rule, "error", text, "GM", step, unit, "elements", fix)
    if not steps:
        return Finding(rule, "holds", "one tile", "GM", 0, None)
    layout = plan.layout(operand)
    bits = gcd(*(int(layout(at)) * of.bits for _, at in steps))
    if bits % 8:
        text = f"tiles of {operand} start inside a byte"
        return Finding(rule, "error", text, "GM", bits, 8, "bits", "Take an even extent.")
    start = bits // 8
    text = f"tiles start at multiples of {start} bytes"
    if start % _LINE and operand != "C":
        return Finding(rule, "note", f"{text}, not of {_LINE}", "GM", start, None)
    return Finding(rule, "holds", text, "GM", start, None)


def _one_tile_of_k(plan: Tiling) -> Iterator[Finding]:
    if not plan.policy.family.one_tile:
        return
    k, tile = plan.depth, plan.l1.k
    text = f"{plan.policy.name} takes one tile of k, {tile}, and the problem has {k}"
    fix = "Take MmadAtlasA2Preload."
    yield Finding.judge("one tile of k", text, "L1", k, tile, "elements", fix)


def _swizzle(plan: Tiling) -> Iterator[Finding]:
    kind = plan.policy.family.swizzle.partition("<")[0]
    if not kind:
        return
    if plan.swizzle.name == kind:
        yield Finding("swizzle", "holds", str(plan.swizzle))
    else:
        text = f"the kernel of {plan.policy.name} takes blocks in the order of {kind}"
        yield Finding("swizzle", "warning", text, fix=f"Take {kind}.")


def _workspace(plan: Tiling) -> Iterator[Finding]:
    """The note of the bytes for partial sums, with a swizzle that shares k."""
    name = plan.swizzle.name
    m, n, _ = plan.problem
    sharing = shared_by(plan.policy, plan.swizzle)
    if sharing is not None:
        bytes_ = workspace(sharing, plan.problem, plan.l1, plan.cores, (plan.a, plan.b))
        text = f"{sharing} keeps partial sums in {bytes_} bytes of workspace"
        if plan.swizzle.splits:
            factor = splits(plan.policy, plan.swizzle)(plan.problem, plan.l1, plan.cores)
            text += f"; it cuts k into {factor}"
        yield Finding("workspace", "note", text, "GM", bytes_, None)
    elif name.startswith("SingleCoreSplitk") and plan.c != plan.accumulator:
        bytes_ = m * n * plan.accumulator.sizeof
        text = (
            f"{bytes_} bytes of workspace hold the sums, in {plan.accumulator}, before they are {plan.c}"
        )
        yield Finding("workspace", "note", text, "GM", bytes_, None)
    else:
        yield Finding("workspace", "holds", "none", "GM", 0, None)


def _l2(plan: Tiling) -> Finding:
    bytes_ = sum(plan.element(operand).bytes_of(plan.elements_of(operand)) for operand in OPERANDS)
    if bytes_ <= plan.arch.l2:
        return Finding("L2", "holds", "A, B and C together", "L2", bytes_, plan.arch.l2)
    text = (
        f"A, B and C together take {bytes_} bytes, more than L2: the swizzle decides what is read again"
    )
    return Finding("L2", "note", text, "L2", bytes_, plan.arch.l2)
