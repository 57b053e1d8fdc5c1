# SPDX-License-Identifier: Apache-2.0
"""The rules of a plan about buffers: capacity, overlaps of stages, starts.

>>> from tla.ascend.plans.plan import gemm
>>> plan = gemm("AtlasA2", (512, 512, 512), "float", l1=(24, 128, 256))
>>> for finding in buffer_rules(plan, plan.footprints):
...     if finding.severity == "error":
...         print(finding.rule, finding.needed, finding.available, finding.ranges)
L1 overlap 32512 24576 ((24576, 32512),)
L1 overlap 32512 24576 ((49152, 57088),)
L0A overlap 8192 6144 ((6144, 8192),)

`tla.ascend.buffers` has the capacity of each buffer, and where a stage may start.

Source: the constructors in CATLASS gemm/block/block_mmad_*.hpp; CANN Ascend C, "General Restrictions".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from ...numbers import round_up
from ..buffers import buffer_of, l1_tag
from .asserts import failures
from .findings import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .footprint import Buffer, Footprint, Stage
    from .tile import Operand
    from .tiling import Level, Tiling

_OF_BUFFER: Final = {
    "L1": (
        "L1", "bias L1", "scale L1", "scale L1 each", "MX L1", "MX bias L1", "sparse L1", "complex L1",
    ),
    "L0A": ("L0A", "L0A once", "complex L0A"), "L0B": ("L0B", "L0B once", "complex L0B"),
    "L0C": ("L0C", "L0C once", "complex L0C"),
    "BT": ("bias BT", "bias BT legacy", "BT always"),
}  # fmt: skip
_SHORTER: Final = {
    "L1": "k of L1, or fewer stages", "L0A": "k of L0", "L0B": "k of L0", "L0C": "m or n", "BT": "n",
}  # fmt: skip


def buffer_rules(plan: Tiling, buffers: tuple[Footprint, ...]) -> Iterator[Finding]:
    """Yield the finding of each rule about buffers for a plan with these footprints."""
    for footprint in buffers:
        yield _capacity(plan, footprint)
        yield from _overlaps(plan, footprint)
        yield _alignment(plan, footprint)
    if plan.bias is None and "BT always" in plan.policy.family.asserts:
        yield Finding.judge(
            "BT capacity", "asserted with a bias and without", "BT",
            plan.l0.n * plan.accumulator.sizeof, plan.arch.bt,
            fix="Take a smaller n.", catlass=failures(plan.tile, ["BT always"]),
        )  # fmt: skip


def _capacity(plan: Tiling, footprint: Footprint) -> Finding:
    buffer = footprint.buffer
    rule = f"{buffer} capacity"
    names = [name for name in plan.policy.family.asserts if name in _OF_BUFFER[buffer]]
    texts = failures(plan.tile, names)
    needed = max(footprint.needed, footprint.counted) if texts else footprint.needed
    fits = buffer_of(plan.arch, buffer).holds(footprint.needed)
    if not texts and fits:
        return Finding(rule, "holds", "", buffer, needed, footprint.capacity)
    text = f"the stages, {footprint.words}, need {needed} of {footprint.capacity} bytes"
    if texts and fits:
        text += f"; CATLASS counts {_why_more(plan, buffer)}, and {footprint.needed} are written"
    elif not texts and not names:
        text += f"; {plan.policy.name} asserts nothing of it"
    elif not texts:
        text += f" with padding, {footprint.counted} as CATLASS counts"
    return Finding(
        rule, "error", text, buffer, needed, footprint.capacity,
        fix=f"Take a smaller {_SHORTER[buffer]}.", catlass=texts, ranges=((0, needed),),
    )  # fmt: skip


def _why_more(plan: Tiling, buffer: Buffer) -> str:
    """Why CATLASS counts more bytes than the copies write."""
    if buffer == "L0C":
        return f"the tile in L1, {plan.l1.m} x {plan.l1.n}"
    return f"a whole byte for each {plan.a if plan.a.bits < 8 else plan.b}"


def _overlaps(plan: Tiling, footprint: Footprint) -> Iterator[Finding]:
    buffer, rule = footprint.buffer, f"{footprint.buffer} overlap"
    # Each stage of an operand overlaps the next in the same way. The first pair gives the finding.
    pairs = {(x.operand, y.operand): (x, y) for x, y in reversed(footprint.overlaps)}
    for x, y in sorted(pairs.values()):
        both = x.shared(y)
        why, fix = _why(plan, buffer, x)
        text = (
            f"{x} is written into {y.operand} {y.number}, which starts at {y.start}: both hold "
            f"[{both[0]},{both[1]}). {why}"
        )
        yield Finding(
            rule, "error", text, buffer, x.end - x.start, y.start - x.start, fix=fix, ranges=(both,),
            stage=f"{x.operand} {x.number}",
        )  # fmt: skip
    if not footprint.overlaps:
        yield Finding(rule, "holds", "", buffer)


def _why(plan: Tiling, buffer: Buffer, stage: Stage) -> tuple[str, str]:
    """Why a stage is written into another, and a way out."""
    operand, slot = cast("Operand", stage.operand), stage.slot
    level = cast("Level", buffer)
    rows, cols = (1, *plan.extents(operand, plan.tile_in(operand, level)))[-2:]
    by_row, by_col = _units(plan, buffer, operand)
    of = plan.accumulator if buffer in ("L0C", "BT") else plan.element(operand)
    multiples = [
        f"{axis} a multiple of {unit}"
        for axis, extent, unit in zip(_AXES[operand], (rows, cols), (by_row, by_col), strict=True)
        if extent % unit
    ]
    padding = multiples and of.bytes_of(rows * cols) <= slot  # without padding the stage fits its slot
    fix = f"Take {' and '.join(multiples) if padding else 'a smaller tile'}."
    if not multiples or rows * cols * of.sizeof != slot:
        return f"CATLASS gives a stage of {operand} {slot} bytes, whatever it holds.", fix
    room = f"{round_up(rows, by_row)} x {round_up(cols, by_col)}"
    why = (
        f"CATLASS places the stages of {operand} {slot} bytes apart, a tile without padding; in {buffer}"
        f" its extents {rows} x {cols} are padded to {room}."
    )
    return why, fix


_AXES: Final[dict[str, str]] = {"A": "mk", "B": "kn", "C": "mn", "bias": "1n", "scale": "1n"}


def _units(plan: Tiling, buffer: Buffer, operand: Operand) -> tuple[int, int]:
    """The units to whose multiples the rows and columns of a tile are padded."""
    if operand in ("C", "bias"):
        return (16, 16) if operand == "C" else (1, 8)
    c0, row_major = plan.element(operand).c0, l1_tag(plan.tag(operand)) == "zN"
    if buffer == "L1":
        return (16, c0) if row_major else (c0, 16)
    square = max(16, c0)
    if operand == "A":
        return (16, c0) if row_major else (square, square)
    return (square, square) if row_major else (c0, 16)


def _alignment(plan: Tiling, footprint: Footprint) -> Finding:
    buffer, unit = footprint.buffer, footprint.unit
    here = buffer_of(plan.arch, buffer)
    wrong = next((s for s in footprint.stages if not here.starts(s.start)), None)
    rule = f"{buffer} alignment"
    if wrong is None:
        return Finding(rule, "holds", f"starts are multiples of {unit}", buffer)
    text = f"{wrong.operand} {wrong.number} starts at {wrong.start}, not at a multiple of {unit} bytes"
    family = plan.policy.family
    fix = "Take m, n and k multiples of 16 and of C0."
    if buffer != "L1" and "share" in (family.l0_slot, family.l0c_slot):
        fix = f"Take stages that share {footprint.capacity} bytes in multiples of {unit}."
    return Finding(rule, "error", text, buffer, unit, wrong.start % unit, "bytes", fix)
