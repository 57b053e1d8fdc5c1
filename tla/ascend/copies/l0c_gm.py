# SPDX-License-Identifier: Apache-2.0
"""L0C to global memory: the fixpipe, which rounds sums to the output's type on the way.

>>> from tla.ascend import make_layout
>>> sums, c = make_layout("float", "L0C", 104, 9), make_layout("half", "RowMajor", 1000, 777)
>>> transfer = l0c_to_gm(sums, c, arch="AtlasA2", element="half", at=(896, 768))
>>> print(*transfer.calls)
Fixpipe(dst[696960], src[0], FixpipeParamsV220{nSize=9, mSize=104, srcStride=112, dstStride=777,
    quantPre=F322F16, isChannelSplit=false, nz2nd=true})

Source: CATLASS gemm/tile/atlasa2/copy_l0c_to_gm.hpp, ascend950/copy_l0c_to_gm.hpp, copy_l0c_to_dst.hpp:
CopyL0CToGmTla without scales.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ...errors import DivisibilityError, UnsupportedError
from ..elements import ELEMENTS
from ..tags import TaggedLayout
from .calls import Call
from .operands import Request, element_of, store_of, transfer_of, whole, whole_blocks
from .records import DataCopyCO12DstParams, FixpipeParamsV220, Setting

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

    Raises:
        UnsupportedError: the output is neither RowMajor nor zN, or its elements need a scale.
        CoordinateError: the tile lies outside the output.
        DivisibilityError: the tile starts within a 32-byte block of a zN output.
        LayoutError: a layout is not in its tag, the sums are larger than L0C, or a parameter does not
            fit its field.
        UndecidedError: a size is symbolic.
    """
    of = element_of(element, dst)
    is_said = accumulator is not None or isinstance(src, TaggedLayout)
    sums = element_of(accumulator, src, what="accumulator") if is_said else _sums_for(of)
    rounding = _rounding(sums, of)
    copy = store_of("L0C->GM", _PAIRS, src, dst, Request(arch, of, tile, at, "L0C", dst_tag))
    copy = copy._replace(src=copy.src._replace(element=sums))
    rows = copy.dst.tag == "RowMajor"
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
