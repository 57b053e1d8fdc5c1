# SPDX-License-Identifier: Apache-2.0
"""The matrix instructions of AMD's GPUs and of Ascend's cube.

Lanes stand side by side along the rows of A and of B; where there are more lanes than rows, they go on
with the next columns. Instructions that multiply several separate blocks at once have no one tile, and
are left out.

CuTe has no names for these. Here ``CDNA3_32x32x8_F32F16F16_MFMA`` is ``v_mfma_f32_32x32x8_f16`` of
CDNA 3, and ``RDNA4_16x16x16_F32F16F16_WMMA`` is ``v_wmma_f32_16x16x16_f16`` of RDNA 4, with ``_W64`` for
waves of 64 lanes. ``ASCEND_16x16x16_F32F16F16_MMAD`` is one fractal of A times one of B.

Source: AMD Matrix Instruction Calculator 2ef91896 (CDNA 4: Composable Kernel, ``xdlops_gemm.hpp``);
AscendC, "Mmad".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from .catalogue import Family
from .fields import atom, static, types_of

if TYPE_CHECKING:
    from .fields import Modes


def _mfma(_name: str, m: int, k: int, t: str) -> dict[str, Any]:
    """64 lanes; results of 32 bits come in groups of four rows, those of 64 bits row by row."""
    types, groups = types_of(t), 64 // m
    rows = 1 if types.d == "double" else 4
    factor = static([(m, 1), (groups, k * m // groups)], [(k // groups, m)])
    c = static([(m, m), (groups, rows)], [(rows, 1), (m // (groups * rows), groups * rows)])
    return atom(m, m, k, static([(64, 1)]), a=factor, b=factor, c=c, types=types)


def _wmma(_name: str, gen: int, k: int, t: str, w: str) -> dict[str, Any]:
    """Lanes in groups of 16.

    On RDNA 3 each group holds all of A and of B, and the rows of C go round the groups. On RDNA 4 each
    group holds some columns of A and of B, and rows of C that follow each other.
    """
    groups, types = 4 if w else 2, types_of(t)
    lanes: Modes = [(16, 1), (groups, 0)]
    values: Modes = [(k, 16)]
    c = static([(16, 16), (groups, 1)], [(16 // groups, groups)])
    if gen == 4:
        c = static([(16, 16), (2, 8), (groups // 2, 4)], [(16 // groups, 1)])
        halves = [(2, 16 * k // 2), (groups // 2, 16 * k // 4)]
        if types.a in ("half_t", "bfloat16_t"):  # four columns, those of the other group, the next four
            halves = [(2, 64), (groups // 2, 128)]
            values = [(4, 16), (k // 4 // groups, 128)]
        else:
            values = [(k // groups, 16)]
        lanes = [(16, 1), *halves]
    factor = static(lanes, values)
    return atom(16, 16, k, static([(16 * groups, 1)]), a=factor, b=factor, c=c, types=types)


def _cube(_name: str, k: int, t: str) -> dict[str, Any]:
    """One core holds 16 rows of 32 bytes of A and of B, and 16 rows of 16 of C, row by row."""
    factor, c = static([], ((k, 16), (16, 1))), static([], ((16, 16), (16, 1)))
    return atom(16, 16, k, static([]), a=factor, b=factor, c=c, types=types_of(t))


# --- names ------------------------------------------------------------------------------------

_CALCULATOR: Final = "AMD Matrix Instruction Calculator 2ef91896"
_FP8: Final = "F32F8F8,F32F8BF8,F32BF8F8,F32BF8BF8"
_MFMA: Final = (  # the generations, the shapes and the types
    ("CDNA,CDNA2,CDNA3", ("32 2", "16 4"), "F32F32F32", ""),
    ("CDNA,CDNA2,CDNA3", ("32 8", "16 16"), "F32F16F16", ""),
    ("CDNA,CDNA2", ("32 8", "16 16"), "I32I8I8", ""),
    ("CDNA,CDNA2", ("32 4", "16 8"), "F32BF16BF16", ""),
    ("CDNA2;CDNA", ("32 8", "16 16"), "F32BF16BF16", "_1K"),
    ("CDNA2,CDNA3;CDNA", ("16 4",), "F64F64F64", ""),
    ("CDNA3", ("32 8", "16 16"), "F32BF16BF16", ""),
    ("CDNA3", ("32 4", "16 8"), "F32XF32XF32", ""),
    ("CDNA3", ("32 16", "16 32"), f"I32I8I8,{_FP8}", ""),
    ("CDNA4;CDNA3P", ("32 16", "16 32"), "F32F16F16,F32BF16BF16", ""),
    ("CDNA4;CDNA3P", ("32 32", "16 64"), "I32I8I8", ""),
)
_HALVES: Final = "F32F16F16,F16F16F16,F32BF16BF16,BF16BF16BF16"

FAMILIES: Final = (
    *(
        Family(f"{{{chips}}}_{{m:{m}}}x{m}x{{k:{k}}}_{{t:{types}}}{ending}_MFMA", _mfma, _CALCULATOR)
        for chips, shapes, types, ending in _MFMA
        for m, k in (shape.split() for shape in shapes)
    ),
    *(
        Family(f"RDNA{{gen:{gen}}}_16x16x{{k:{k}}}_{{t:{types}}}_WMMA{{w:{waves}}}", _wmma, _CALCULATOR)
        for gen, k, types, waves in (
            (3, 16, f"{_HALVES},I32I8I8,I32I4I4", ",_W64"),
            (4, 16, f"{_HALVES},I32I8I8,{_FP8}", ",_W64"),
            (4, 16, "I32I4I4", ""),
            (4, 32, "I32I4I4", ",_W64"),
        )
    ),
    Family("ASCEND_16x16x{k:16}_{t:F32F16F16,F32BF16BF16}_MMAD", _cube, "AscendC, Mmad"),
    Family("ASCEND_16x16x{k:8}_{t:F32F32F32}_MMAD", _cube, "AscendC, Mmad"),
    Family("ASCEND_16x16x{k:32}_{t:S32S8S8,F32E4M3E4M3,F32E5M2E5M2}_MMAD", _cube, "AscendC, Mmad"),
    Family("ASCEND_16x16x{k:64}_{t:S32S4S4}_MMAD", _cube, "AscendC, Mmad"),
)  # fmt: skip
