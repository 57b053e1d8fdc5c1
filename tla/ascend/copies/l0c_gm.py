# SPDX-License-Identifier: Apache-2.0
"""L0C to global memory: the fixpipe, which rounds sums to the output's type on the way.

>>> from tla.ascend import make_layout
>>> sums, c = make_layout("float", "L0C", 104, 9), make_layout("half", "RowMajor", 1000, 777)
>>> transfer = l0c_to_gm(sums, c, arch="AtlasA2", element="half", at=(896, 768))
>>> print(*transfer.calls)
Fixpipe(dst[696960], src[0], FixpipeParamsV220{nSize=9, mSize=104, srcStride=112, dstStride=777,
    quantPre=F322F16, isChannelSplit=false, nz2nd=true})

Source: CATLASS gemm/tile/atlasa2/copy_l0c_to_gm.hpp, ascend950/copy_l0c_to_gm.hpp, copy_l0c_to_dst.hpp:
CopyL0CToGmTla.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from ...errors import DivisibilityError, UnsupportedError
from ..elements import ELEMENTS
from ..tags import TaggedLayout
from .calls import Call
from .operands import Request, element_of, store_of, transfer_of, whole, whole_blocks
from .records import DataCopyCO12DstParams, FixpipeParamsC310, FixpipeParamsV220, Setting

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...numbers import IntTuple
    from ..arch import Arch
    from ..elements import Element, ElementLike
    from ..tags import Tag
    from .operands import Copy, Source
    from .transfer import Transfer

_PAIRS: Final[Mapping[str, tuple[str, ...]]] = {"RowMajor": ("L0C",), "zN": ("L0C",)}

_ROUNDING: Final[Mapping[str, Mapping[str, str]]] = {
    "float": {"float": "NoQuant", "half": "F322F16", "bfloat16_t": "F322BF16"},
    "int32_t": {"int32_t": "NoQuant"},
}
"""The ``quantPre`` with which the fixpipe turns a sum into an output, without a scale."""

_BOTH: Final[Mapping[tuple[str, str], tuple[str, str]]] = {
    ("float", "int8_t"): ("QF322B8_PRE", "VQF322B8_PRE"),
    ("float", "uint8_t"): ("QF322B8_PRE", "VQF322B8_PRE"),
    ("int32_t", "half"): ("DEQF16", "VDEQF16"),
    ("int32_t", "int8_t"): ("REQ8", "VREQ8"),
    ("int32_t", "uint8_t"): ("REQ8", "VREQ8"),
}
SCALED: Final[Mapping[int, Mapping[tuple[str, str], tuple[str, str]]]] = {
    2201: _BOTH,
    3510: {
        **_BOTH,
        ("float", "half"): ("QF322F16_PRE", "VQF322F16_PRE"),
        ("float", "bfloat16_t"): ("QF322BF16_PRE", "VQF322BF16_PRE"),
        ("float", "float"): ("QF322F32_PRE", "VQF322F32_PRE"),
        ("int32_t", "bfloat16_t"): ("QS322BF16_PRE", "VQS322BF16_PRE"),
    },
}
"""The ``quantPre`` of a sum and an output with a scale: of the whole tensor, or of each channel.

On 2201 CATLASS names F322F16 and F322BF16 for floats with a scale of the tensor, which ignore the scale.
Source: CATLASS CopyL0CToGmQuantMode, CopyL0CToDstQuantMode.
"""


def l0c_to_gm(
    src: Source,
    dst: Source,
    *,
    arch: str | Arch,
    element: ElementLike | None = None,
    accumulator: ElementLike | None = None,
    tile: IntTuple | None = None,
    at: IntTuple | None = None,
    dst_tag: str | Tag | None = None,
    scale: Literal["tensor", "channel"] | None = None,
) -> Transfer:
    """Return the calls that move sums from L0C to a matrix in global memory.

    >>> from tla.ascend import make_layout
    >>> sums, c = make_layout("float", "L0C", 32, 48), make_layout("float", "zN", 100, 100)
    >>> l0c_to_gm(sums, c, arch="AtlasA2", element="float", at=(64, 48)).calls[0].params.isChannelSplit
    True

    Args:
        src: The layout of the sums, L0C.
        element: The element type of the output; optional if ``dst`` has one, as those of `parse_tagged`
            do.
        accumulator: The type of the sums; by default that of ``src``, else ``float``, or ``int32_t`` for
            an output of ``int32_t``.
        tile: Rows and columns; by default those of ``src``. Sums outside the output are not written.
        at: The first element of the tile in the output; by default the first of all.
        dst_tag: The tag that decides, if the output is in several.
        scale: Whether the fixpipe scales the sums: all with one number, or each channel with its own.

    Raises:
        UnsupportedError: the output is neither RowMajor nor zN; its elements need a scale; or they
            cannot be made of the sums with the scale.
        CoordinateError: the tile lies outside the output.
        DivisibilityError: the tile starts within a 32-byte block of a zN output.
        LayoutError: a layout is not in its tag, the sums are larger than L0C, or a parameter does not
            fit its field.
        UndecidedError: a size is symbolic.
    """
    of = element_of(element, dst)
    is_said = accumulator is not None or isinstance(src, TaggedLayout)
    sums = element_of(accumulator, src, what="accumulator") if is_said else _sums_for(of)
    rounding = _rounding(sums, of) if scale is None else ""
    copy = store_of("L0C->GM", _PAIRS, src, dst, Request(arch, of, tile, at, "L0C", dst_tag))
    copy = copy._replace(src=copy.src._replace(element=sums))
    rows = copy.dst.tag == "RowMajor"
    if scale is not None:
        rounding = _scaling(copy.arch, sums, of, scale)
        if not rows:
            raise UnsupportedError(f"the fixpipe scales rows, not {copy.dst.tag}", "Take RowMajor.")
    if not rows and sums.name != "float":
        raise UnsupportedError(
            f"the fixpipe writes no zN of {of}",
            "Columns of blocks come out 16 wide; only float is split into blocks of 8.",
            element=of,
        )
    if not rows:
        whole_blocks(copy, copy.dst, (1, of.c0), "it writes blocks of 32 bytes,")
        _require_whole_end(copy)
    split = not rows and of.name == "float"
    m, n = copy.cut
    src_stride = whole(copy.step(copy.src, 1, 1), 16, f"a column of fractals of {copy.src}")
    dst_stride = copy.step(copy.dst, 0, 0) if rows else copy.blocks_apart(copy.dst, 1)
    if scale is not None and copy.arch.code == 3510:
        scaled = FixpipeParamsC310(n, m, src_stride, dst_stride, rounding)
        return transfer_of(copy, Call("Fixpipe", copy.dst.start, copy.src.start, scaled, of))
    kind = DataCopyCO12DstParams if copy.arch.code == 3510 else FixpipeParamsV220
    params = kind(n, m, src_stride, dst_stride, rounding, split, rows)
    is_set = rows and copy.arch.code == 3510
    setting = Setting("SetFixpipeNz2ndFlag", (1, 1, 1)) if is_set else None
    name = "DataCopy" if copy.arch.code == 3510 else "Fixpipe"
    return transfer_of(copy, Call(name, copy.dst.start, copy.src.start, params, of, setting=setting))


def _require_whole_end(copy: Copy) -> None:
    """Refuse a last block, which is written whole, that would reach into the next columns."""
    end, cols, c0 = copy.dst.at[1] + copy.cut[1], int(copy.dst.layout.origin_shape[1]), copy.element.c0
    if end % c0 and end < cols:
        raise DivisibilityError(
            f"the tile ends at column {end} of {cols}, within a block of {c0}",
            f"The fixpipe writes whole blocks of 32 bytes, and column {end} is not of the tile: give"
            f" it a multiple of {c0} columns.",
            end=end,
            block=c0,
        )


def _scaling(arch: Arch, sums: Element, of: Element, scale: str) -> str:
    """The mode in which the fixpipe turns a sum into an output with a scale."""
    table = SCALED[arch.code]
    modes = table.get((sums.name, of.name))
    if scale not in ("tensor", "channel") or modes is None:
        ways = ", ".join(f"{s} to {out}" for s, out in table)
        raise UnsupportedError(
            f"the fixpipe of {arch} makes no {of} of {sums} with a scale by {scale}",
            f"By tensor or channel it makes {ways}.",
            element=of, accumulator=sums, scale=scale,
        )  # fmt: skip
    return modes[scale == "channel"]


def _sums_for(of: Element) -> Element:
    """The default type of the sums of an output."""
    return ELEMENTS["int32_t" if of.name in ("int8_t", "uint8_t", "int32_t") else "float"]


def _rounding(sums: Element, of: Element) -> str:
    """The mode in which the fixpipe turns a sum into an output."""
    rounding = _ROUNDING.get(sums.name, {}).get(of.name)
    if rounding is None:
        ways = [f"{s} to {', '.join(outs)}" for s, outs in _ROUNDING.items()]
        raise UnsupportedError(
            f"the fixpipe makes no {of} of {sums} without a scale",
            f"It makes {'; '.join(ways)}. Others need a scale, per tensor or per channel.",
            element=of,
            accumulator=sums,
        )
    return rounding
