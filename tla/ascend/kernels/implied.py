# SPDX-License-Identifier: Apache-2.0
"""Operands that a call does not name: AscendC derives them from others, or a call before has set them.

Beside L0A and L0B lie small buffers: the scales of MX types, 16 bits for a block of 32 bytes, and the
indices of a sparse matrix, 2 bits for an element. Their addresses follow from those of the elements.

>>> scales = beside(Operand("L0A", "AIC0", 4096, "mx_float8_e4m3"), "scales")
>>> scales.owner, scales.address, scales.dtype
('AIC0 scales', 256, 'float8_e8m0')

Source: AscendC, LoadData of MX types, LoadDataWithSparse, SetFixPipeConfig.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from .instructions import Operand, group_of

if TYPE_CHECKING:
    from .instructions import Instruction

_BESIDE: Final = {"scales": (16, "float8_e8m0"), "indices": (4, "uint8")}
"""The bytes of elements to a byte of the buffer beside them, and its type."""
BESIDE: Final = {"scale": 32, "scale1": 32, "index": 128}
"""The operands that lie beside L0A and L0B, and how they are aligned."""
_OPS: Final = ("Fixpipe", "DataCopy", "Mmad", "MmadWithSparse", "LoadData", "LoadDataWithSparse")

LOADS_OF_SCALES: Final = ("load_cbuf_to_ca_mx", "load_cbuf_to_cb_mx")
"""The loads of scales alone. Their destination is the place of the elements."""


def is_mx(dtype: str) -> bool:
    """Return whether the elements of a type have scales.

    >>> is_mx("mx_float8_e4m3"), is_mx("float4_e2m1"), is_mx("float8_e4m3")
    (True, True, False)
    """
    return dtype.startswith(("mx_", "float4"))


def beside(operand: Operand, what: Literal["scales", "indices"]) -> Operand:
    """Return the place of scales or indices beside elements of L0A or L0B."""
    part, dtype = _BESIDE[what]
    return Operand(operand.space, f"{operand.owner} {what}", operand.address // part, dtype)


def completed(i: Instruction, quant: Operand | None = None) -> Instruction:
    """Return an instruction with all operands.

    >>> from .instructions import Instruction
    >>> ub = {"dst": Operand("UB", "AIV2", 0, "float32")}
    >>> completed(Instruction("AIC1", "Fixpipe", "FIX", ub, {"dualDstCtl": 1})).operands["dst1"].owner
    'AIV3'

    Args:
        quant: The scales of columns that ``SetFixPipeConfig`` has named.
    """
    dst = i.operands.get("dst")
    if "code" in i.params:
        places = {"ub": i.core, "registers": f"{i.core} registers"}
        return i._replace(operands={k: Operand("UB", owner, 0, "uint8") for k, owner in places.items()})
    if i.op in LOADS_OF_SCALES and dst is not None:
        return i._replace(operands={"src": i.operands["src"], "scale": beside(dst, "scales")})
    if i.op not in _OPS or dst is None:
        return i
    more: dict[str, Operand] = {}
    if i.op == "Fixpipe" or i.form == "co12dst":
        if quant is not None and str(i.params.get("quantPre")).startswith("V"):
            more["quant"] = quant
        if dst.space == "UB" and i.core.startswith("AIC"):
            second = dst._replace(owner=f"AIV{2 * group_of(i.core) + 1}")
            if i.params.get("dualDstCtl"):
                more["dst1"] = second
            elif i.params.get("subBlockId"):
                more["dst"] = second
    elif i.form == "2dv2mx":
        more["scale"] = beside(dst, "scales")
    elif i.op == "LoadDataWithSparse":
        more["index"] = beside(dst, "indices")
    elif i.op.startswith("Mmad"):
        left, right = i.operands.get("src"), i.operands.get("src1")
        if i.op == "MmadWithSparse" and right is not None:
            more["index"] = beside(right, "indices")
        for name, operand in (("scale", left), ("scale1", right)):
            if operand is not None and is_mx(operand.dtype):
                more[name] = beside(operand, "scales")
    return i._replace(operands={**i.operands, **more}) if more else i
