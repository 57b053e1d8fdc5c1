# SPDX-License-Identifier: Apache-2.0
"""The rules of a plan about scales and epilogues: the buffers FB and UB, their copies and events.

>>> from tla.ascend import epilogue, gemm
>>> plan = gemm("AtlasA2", (512, 512, 512), "int8_t,int8_t,bfloat16_t", scale="token")
>>> [str(found) for found in vector_rules(plan) if found.rule in ("UB capacity", "copy of D to GM")]
['holds: UB capacity: ', 'holds: copy of D to GM: 1 call for a tile']
>>> long = gemm("AtlasA2", (512, 512, 512), "half", epilogue=epilogue("add", 8192))
>>> [str(finding)[:67] for finding in vector_rules(long) if finding.severity == "error"]
['error: epilogue tile: half a block, 64 x 256, takes 16384 elements ']

Source: CATLASS epilogue/block/block_epilogue_*.hpp, epilogue/tile/copy_gm_to_ub.hpp, copy_ub_to_gm.hpp;
gemm/tile/*/copy_l0c_to_gm.hpp.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ...numbers import Int, round_up
from ..schedules import box, prove
from ..tags import make_layout
from .epilogues import BLOCK
from .findings import Finding, copy_rule
from .scales import SCALE_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..copies import Transfer
    from .epilogues import Epilogue, Slot
    from .footprint import Group
    from .tiling import Tiling


def vector_rules(plan: Tiling) -> Iterator[Finding]:
    """Yield the finding of each rule about scales and epilogues."""
    yield from _scale(plan)
    if plan.epilogue is not None:
        yield from _epilogue(plan, plan.epilogue)


def _scale(plan: Tiling) -> Iterator[Finding]:
    scale, family, here = plan.scale, plan.policy.family, plan.arch.code
    if scale is None or scale.kind == "token":
        return
    kinds = family.scales_on(here)
    if scale.kind not in kinds:
        ways = f"It scales by {' or '.join(kinds)}." if kinds else "Take scale='token', on vector cores."
        if here == 3510 and not kinds:
            ways = "Take MmadDequant."
        text = f"the block of {family.name} has no scale by {scale.kind} on {plan.arch}"
        yield Finding("scale", "error", text, "L0C", fix=ways)
    else:
        yield Finding("scale", "holds", str(scale), "L0C")
    if scale.kind == "channel":
        bytes_ = plan.l0.n * SCALE_BYTES
        text = f"{plan.l0.n} scales of {SCALE_BYTES} bytes, one for each column of a tile"
        fix = f"Take n <= {plan.arch.fb // SCALE_BYTES}."
        yield Finding.judge("FB capacity", text, "FB", bytes_, plan.arch.fb, fix=fix)


def _epilogue(plan: Tiling, how: Epilogue) -> Iterator[Finding]:
    family, here = how.family, plan.arch.code
    name = family.policy(here)
    if name is None:
        text = (
            f"the epilogue {family.name} is made for {' and '.join(str(c) for c, _ in family.policies)}"
        )
        yield Finding("epilogue", "error", f"{text}; {plan.arch} runs {here}", "UB")
        return
    yield Finding("epilogue", "holds", f"{name}: {family.about}", "UB")
    yield _types(plan, how)
    footprint, catlass = how.footprint(plan.arch), _asserted(how, plan.arch.ub)
    text = f"the slots, {footprint.words}, need {footprint.needed} of {footprint.capacity} bytes"
    if not catlass:
        text += f"; {name} asserts less"
    fix = "Take a smaller tile, or fewer stages."
    needed = max(footprint.needed, footprint.counted)
    yield Finding.judge("UB capacity", text, "UB", needed, footprint.capacity, "bytes", fix, catlass)
    yield _starts(footprint.groups)
    yield _tile(plan, how)
    for pipe, ids in how.events:
        text = f"{ids} slots and stages hold an event id each between {pipe} and V; there are 8: 0 to 7"
        fix = "Take fewer stages."
        yield Finding.judge(f"UB events {pipe}", text, "UB", ids, plan.arch.events, "events", fix)
    for slot in family.slots:
        if slot.moves and how.bytes_of(slot):
            yield _copy(plan, how, slot)
    yield _cover(plan, how)


def _types(plan: Tiling, how: Epilogue) -> Finding:
    rule, family, out = "epilogue types", how.family, how.out.name
    of = dict(how.elements)
    sums = of["C"].name
    if sums != plan.c.name:
        text = f"the product is written as {plan.c}, and the epilogue {family.name} reads {sums}"
        return Finding(rule, "error", text, "UB", fix=f"Take {sums} for C.")
    if family.c and sums not in family.c:
        fix = f"Take {' or '.join(family.c)}."
        return Finding(rule, "error", f"the epilogue {family.name} takes no C of {sums}", "UB", fix=fix)
    if family.out and out not in family.out:
        fix = f"Take {' or '.join(family.out)}."
        return Finding(rule, "error", f"the epilogue {family.name} makes no D of {out}", "UB", fix=fix)
    scales = {of["scale"].name, of["token"].name}
    if family.name == "per_token_dequant" and scales not in ({"float"}, {out}):
        text = f"scales of {of['scale']} and {of['token']}: both are of float, or of {out} as D is"
        return Finding(rule, "error", text, "UB", catlass=(_WRONG,))
    return Finding(rule, "holds", f"C {sums}, D {out}")


_WRONG: Final = "The element type template parameters of BlockEpilogue are wrong"
_TOO_LARGE: Final = "TileShape is too large to fit in UB"
_OUT: Final = "UB out of bounds"


def _asserted(how: Epilogue, capacity: int) -> tuple[str, ...]:
    """The compiler's error if CATLASS counts more bytes in UB than there are."""
    count, of = how.rows * how.columns, dict(how.elements)
    name = how.family.name
    if name == "add":
        counted, text = 3 * count * of["C"].sizeof, _OUT
    elif name in ("gelu", "silu"):
        counted, text = count * (2 * of["C"].sizeof + of["D"].sizeof), _OUT
    elif name in ("per_token_dequant", "w4a4_dequant"):
        counted, text = how.footprint("AtlasA2").counted, _TOO_LARGE
    else:
        return ()
    return (text,) if counted > capacity else ()


def _starts(groups: tuple[Group, ...]) -> Finding:
    wrong = [g for g in groups if g.start % BLOCK or (g.number > 1 and g.slot % BLOCK)]
    if not wrong:
        return Finding("UB alignment", "holds", f"starts are multiples of {BLOCK}", "UB")
    name, _, start, slot, *_ = wrong[0]
    text = f"{name} starts at {start}, its stages {slot} bytes apart"
    fix = "Take rows and columns that are multiples of 16."
    return Finding(
        "UB alignment", "error", text, "UB", BLOCK, start % BLOCK or slot % BLOCK, "bytes", fix
    )


def _tile(plan: Tiling, how: Epilogue) -> Finding:
    """The rule of the tile: rows of whole blocks, and in one line half a block of C."""
    rule, family = "epilogue tile", how.family
    rows, columns = how.part((plan.l1.m, plan.l1.n))
    if family.flat and family.name != "evg":
        wide = round_up(columns, max(1, BLOCK // min(how.out.sizeof, plan.c.sizeof)))
        taken, held = rows * wide, how.columns
        text = f"half a block, {rows} x {columns}, takes {taken} elements of the {held} in a slot"
        if family.name in ("gemm", "gemv"):  # they go over a block in tiles
            return Finding(rule, "holds", f"tiles of {held} elements", "UB")
        return Finding.judge(rule, text, "UB", taken, held, "elements", f"Take a tile of {taken}.")
    short = [e for e in (plan.c, how.out) if how.columns * e.bits % (8 * BLOCK)]
    if short:
        text = f"a row of {how.columns} {short[0]} is not whole blocks of {BLOCK} bytes"
        return Finding(rule, "error", text, "UB", fix=f"Take columns in multiples of {BLOCK}.")
    if family.name == "evg" and how.columns % BLOCK:
        text = f"a node has {how.columns} elements, not a multiple of {BLOCK}"
        asserted = ("COMPUTE_LENGTH must be divisible by BYTE_PER_C0",)
        fix = f"Take {round_up(how.columns, BLOCK)}."
        return Finding(rule, "error", text, "UB", fix=fix, catlass=asserted)
    if family.name == "w4a4_dequant" and how.rows % 16:
        text = f"a tile has {how.rows} rows, not a multiple of 16"
        asserted = ("Epilogue TileShape::ROW must be divisible by 16",)
        return Finding(rule, "error", text, "UB", fix="Take a multiple of 16.", catlass=asserted)
    return Finding(rule, "holds", f"{how.rows} x {how.columns}", "UB")


def _copy(plan: Tiling, how: Epilogue, slot: Slot) -> Finding:
    from ..copies import gm_to_ub, ub_to_gm

    of = how.element(slot)
    assert of is not None
    where = f"copy of {slot.name} to {'UB' if slot.moves == 'in' else 'GM'}"
    m, n, _ = plan.problem
    rows, columns = how.rows, how.columns
    if how.family.flat:
        rows, columns = how.part((min(plan.l1.m, m), min(plan.l1.n, n)))

    def make() -> Transfer:
        if slot.extent in ("row", "column"):
            whole, part = (n, min(columns, n)) if slot.extent == "row" else (m, min(rows, m))
            outside = make_layout(of, "VectorLayout", Int(whole))
            inside = make_layout(of, "VectorLayout", Int(round_up(part, of.c0)))
            extents: tuple[int, ...] = (part,)
        else:
            outside = make_layout(of, "RowMajor", m, n)
            wide = round_up(columns, of.c0)
            extents = (min(rows, m), min(columns, n))
            inside = make_layout(of, "RowMajor", extents[0], wide)
        copy = gm_to_ub if slot.moves == "in" else ub_to_gm
        ends = (outside, inside) if slot.moves == "in" else (inside, outside)
        return copy(*ends, arch=plan.arch, element=of, tile=extents)

    return copy_rule(where, "UB", make)


def _cover(plan: Tiling, how: Epilogue) -> Finding:
    """The proof that the two vector cores go over each element of a block once."""
    rows, columns = min(plan.l1.m, plan.problem.m), min(plan.l1.n, plan.problem.n)
    boxes = [box((*start, 0), (*shape, 1), core) for core, start, shape in how.boxes((rows, columns))]
    tasks = prove((rows, columns, 1), boxes).tasks
    return Finding("epilogue cover", "holds", f"{tasks} tiles of a block", "UB", tasks, None, "tiles")
