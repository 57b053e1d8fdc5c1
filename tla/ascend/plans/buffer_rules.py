"""The rules of a plan about buffers: capacity, overlaps of stages, starts.

>>> from tla.ascend.plans.plan import gemm
>>> plan = gemm("AtlasA2", (512, 512, 512), "float", l1=(24, 128, 256))
>>> for finding in buffer_rules(plan, plan.footprints):
...     if finding.severity == "error":
...         print(finding.rule, finding.needed, finding.available, finding.ranges)
L1 overlap 32512 24576 ((24576, 32512),)
L1 overlap 32512 24576 ((49152, 57088),)
L0A overlap 8192 6144 ((6144, 8192),)

Source: the constructors in CATLASS gemm/block/block_mmad_*.hpp; CANN Ascend C, "General Restrictions".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .asserts import ASSERTS, tile_of
from .findings import Finding
from .footprint import l1_tag

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .asserts import Tile
    from .footprint import Footprint
    from .plan import Plan

__all__ = ["asserted_tile", "buffer_rules", "said"]


def asserted_tile(plan: Plan) -> Tile:
    return tile_of(
        plan.arch, plan.a, plan.b, plan.l1, plan.l0, plan.policy, plan.bias, plan.c, plan.tags[2]
    )


def said(tile: Tile, rules: list[str]) -> tuple[str, ...]:
    """The texts of the assertions among these rules that fail."""
    found = (a.text for name in rules for a in ASSERTS[name] if not a.holds(tile))
    return tuple(sorted(set(found)))


_OF_BUFFER: Final = {
    "L1": ("L1", "bias L1"), "L0A": ("L0A",), "L0B": ("L0B",), "L0C": ("L0C",),
    "BT": ("bias BT", "bias BT legacy", "BT always"),
}  # fmt: skip
_SHORTER: Final = {
    "L1": "k of L1, or fewer stages", "L0A": "k of L0", "L0B": "k of L0", "L0C": "m or n", "BT": "n",
}  # fmt: skip


def buffer_rules(plan: Plan, buffers: tuple[Footprint, ...]) -> Iterator[Finding]:
    for footprint in buffers:
        yield _capacity(plan, footprint)
        yield from _overlaps(plan, footprint)
        yield _alignment(plan, footprint)
    if plan.bias is None and "BT always" in plan.policy.family.asserts:
        texts = said(asserted_tile(plan), ["BT always"])
        needed, room = plan.l0.n * plan.accumulator.sizeof, plan.arch.bt
        text = "asserted with a bias and without" if texts else ""
        yield Finding(
            "BT capacity", "error" if texts else "holds", text, "BT", needed, room, catlass=texts,
            fix="Take a smaller n." if texts else "",
        )  # fmt: skip


def _capacity(plan: Plan, footprint: Footprint) -> Finding:
    buffer = footprint.buffer
    rule = f"{buffer} capacity"
    asserted = [name for name in plan.policy.family.asserts if name in _OF_BUFFER[buffer]]
    texts = said(asserted_tile(plan), asserted)
    needed = max(footprint.needed, footprint.counted) if texts else footprint.needed
    if not texts and footprint.margin >= 0:
        return Finding(rule, "holds", "", buffer, needed, footprint.capacity)
    stages = ", ".join(f"{count} of {operand}" for operand, count in _stage_counts(footprint))
    text = f"the stages, {stages}, need {needed} of {footprint.capacity} bytes"
    if texts and footprint.margin >= 0:
        text += f"; CATLASS counts {_counted_as(plan, buffer)}, and {footprint.needed} are written"
    elif not texts and not asserted:
        text += f"; {plan.policy.name} asserts nothing of it"
    elif not texts:
        text += f" with padding, {footprint.counted} as CATLASS counts"
    return Finding(
        rule, "error", text, buffer, needed, footprint.capacity,
        fix=f"Take a smaller {_SHORTER[buffer]}.", catlass=texts, ranges=((0, needed),),
    )  # fmt: skip


def _counted_as(plan: Plan, buffer: str) -> str:
    """Why CATLASS counts more than is written."""
    if buffer == "L0C":
        return f"the tile in L1, {plan.l1.m} x {plan.l1.n}"
    return f"a whole byte for each {plan.a if plan.a.bits < 8 else plan.b}"


def _stage_counts(footprint: Footprint) -> list[tuple[str, int]]:
    operands = [stage.operand for stage in footprint.stages]
    return [(x, operands.count(x)) for x in dict.fromkeys(operands)]


def _overlaps(plan: Plan, footprint: Footprint) -> Iterator[Finding]:
    buffer, rule = footprint.buffer, f"{footprint.buffer} overlap"
    # of the stages of an operand each is written into the next alike: the first pair is told
    pairs = {(x.operand, y.operand): (x, y) for x, y in reversed(footprint.overlaps)}
    for x, y in sorted(pairs.values()):
        both = (max(x.start, y.start), min(x.end, y.end))
        text = (
            f"{x} is written into {y.operand} {y.number}, which starts at {y.start}: both hold "
            f"[{both[0]},{both[1]}). {_why_apart(plan, buffer, x.operand, x.slot)}"
        )
        fix = f"Take {_whole(plan, buffer, x.operand)}."
        yield Finding(
            rule, "error", text, buffer, x.end - x.start, y.start - x.start, fix=fix, ranges=(both,),
            stage=f"{x.operand} {x.number}",
        )  # fmt: skip
    if not footprint.overlaps:
        yield Finding(rule, "holds", "", buffer)


def _why_apart(plan: Plan, buffer: str, operand: str, slot: int) -> str:
    rows, cols = _extents(plan, buffer, operand)
    by_row, by_col = _units(plan, buffer, operand)
    if rows % by_row == 0 and cols % by_col == 0:
        return f"CATLASS gives a stage of {operand} {slot} bytes, whatever it holds."
    return (
        f"CATLASS places the stages of {operand} {slot} bytes apart, a tile without padding; in {buffer}"
        f" its extents {rows} x {cols} are padded to {_up(rows, by_row)} x {_up(cols, by_col)}."
    )


def _extents(plan: Plan, buffer: str, operand: str) -> tuple[int, int]:
    tile = plan.l1 if buffer == "L1" else plan.l0
    if operand == "bias":
        return 1, tile.n
    rows, cols = plan.extents("A" if operand == "A" else "B" if operand == "B" else "C", tile)
    return rows, cols


def _units(plan: Plan, buffer: str, operand: str) -> tuple[int, int]:
    """What the rows and columns of a tile are padded to multiples of."""
    c0 = {"A": plan.a, "B": plan.b}.get(operand, plan.accumulator).c0
    if operand in ("C", "bias"):
        return (16, 16) if operand == "C" else (1, 8)
    row_major = l1_tag(plan.tag("A" if operand == "A" else "B")) == "zN"
    if buffer == "L1":
        return (16, c0) if row_major else (c0, 16)
    square = max(16, c0)
    if operand == "A":
        return (16, c0) if row_major else (square, square)
    return (square, square) if row_major else (c0, 16)


def _whole(plan: Plan, buffer: str, operand: str) -> str:
    """What a fix says of extents that need no padding."""
    names = {"A": "mk", "B": "kn", "C": "mn"}.get(operand, "")
    pairs = zip(names, _extents(plan, buffer, operand), _units(plan, buffer, operand), strict=False)
    wrong = [f"{axis} a multiple of {unit}" for axis, x, unit in pairs if x % unit]
    return " and ".join(wrong) or "a smaller tile"


def _alignment(plan: Plan, footprint: Footprint) -> Finding:
    buffer = footprint.buffer
    unit = footprint.unit
    wrong = next((s for s in footprint.stages if s.start % unit), None)
    rule = f"{buffer} alignment"
    if wrong is None:
        return Finding(rule, "holds", f"starts are multiples of {unit}", buffer)
    text = f"{wrong.operand} {wrong.number} starts at {wrong.start}, not at a multiple of {unit} bytes"
    family = plan.policy.family
    shared = buffer != "L1" and "share" in (family.l0_slot, family.l0c_slot)
    fix = "Take m, n and k multiples of 16 and of C0."
    if shared:
        fix = f"Take stages that share {footprint.capacity} bytes in multiples of {unit}."
    return Finding(rule, "error", text, buffer, unit, wrong.start % unit, "bytes", fix)


def _up(n: int, unit: int) -> int:
    return -(-n // unit) * unit
