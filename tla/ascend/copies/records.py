# SPDX-License-Identifier: Apache-2.0
"""The parameters of the copy instructions as values: a record for each struct of AscendC.

>>> nd2nz = Nd2NzParams(nValue=32, dValue=48, srcDValue=100, dstNzC0Stride=32, dstNzNStride=1)
>>> fields_of(nd2nz)["ndNum"], widths(nd2nz, 3510)["srcDValue"]
(1, 64)

Fields have the names of the vendor's structs. A copy never sets ``sid`` and ``addrMode``: they stay 0
and are left out.

Source: CANN, kernel_struct_data_copy.h, kernel_struct_mm.h, kernel_struct_fixpipe.h, whose field widths
are those of CATLASS's host stubs, tests/unittest/stub.
"""
# ruff: noqa: N815 (the fields have the vendor's names)

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias, Union

if TYPE_CHECKING:
    from collections.abc import Mapping


class Nd2NzParams(NamedTuple):
    """Rows, n, of contiguous elements, d, go to columns of 32-byte blocks.

    >>> from tla.ascend.copies import gm_to_l1
    >>> call = gm_to_l1(row_major(64, 48), "zN", arch="AtlasA2", element="half").calls[0]
    >>> call.params.nValue, call.params.dValue, call.params.srcDValue, call.params.dstNzC0Stride
    (64, 48, 48, 64)
    """

    nValue: int
    dValue: int
    srcDValue: int
    """From one row to the next, in elements."""
    dstNzC0Stride: int
    """From a block of a row to the next of the same row, in blocks of 32 bytes."""
    dstNzNStride: int
    """From a block to the one of the next row, in blocks of 32 bytes."""
    ndNum: int = 1
    srcNdMatrixStride: int = 0
    dstNzMatrixStride: int = 0


class Dn2NzParams(NamedTuple):
    """As `Nd2NzParams`, where n is contiguous in the source and d is strided.

    >>> from tla.ascend import make_mx_scale_layout
    >>> from tla.ascend.copies import gm_to_l1
    >>> scales = make_mx_scale_layout("e8m0", "RowMajor", 64, 8, is_b=False)
    >>> call = gm_to_l1(scales, "MxScalezZ", arch="Ascend950", element="float8_e8m0_t").calls[0]
    >>> call.params.nValue, call.params.dValue, call.params.srcDValue
    (4, 64, 4)
    >>> type(call.params).__name__
    'Dn2NzParams'
    """

    nValue: int
    dValue: int
    srcDValue: int
    dstNzC0Stride: int
    dstNzNStride: int
    dnNum: int = 1
    srcDnMatrixStride: int = 0
    dstNzMatrixStride: int = 0


class DataCopyParams(NamedTuple):
    """Runs of blocks of 32 bytes, times `Call.unit`; the strides are gaps between them.

    >>> from tla.ascend import make_layout
    >>> from tla.ascend.copies import gm_to_l1
    >>> blocks = make_layout("half", "zN", 64, 64)
    >>> gm_to_l1(blocks, "zN", arch="AtlasA2", element="half", tile=(32, 64)).calls[0].params
    DataCopyParams(blockCount=4, blockLen=32, srcStride=32, dstStride=0)
    """

    blockCount: int
    blockLen: int
    srcStride: int = 0
    dstStride: int = 0


class DataCopyExtParams(NamedTuple):
    """Rows of ``blockLen`` bytes; a row in UB ends with whole blocks of 32 bytes.

    >>> from tla.ascend import make_layout
    >>> from tla.ascend.copies import gm_to_ub
    >>> rows = make_layout("float", "RowMajor", 8, 16)
    >>> gm_to_ub(rows, rows, arch="AtlasA2", element="float").calls[0].params.blockLen
    64
    """

    blockCount: int
    blockLen: int
    srcStride: int
    """The gap between rows of the source: bytes in global memory, blocks of 32 bytes in UB."""
    dstStride: int
    to_gm: bool = False
    """Whether the destination is in global memory; AscendC has it from the tensors."""


class LoadData2DParams(NamedTuple):
    """Fractals, ``srcStride`` from head to head, ``dstGap`` from tail to head.

    >>> from tla.ascend import make_layout
    >>> from tla.ascend.copies import l1_to_l0a
    >>> l1 = make_layout("half", "zN", 64, 32)
    >>> l1_to_l0a(l1, "zZ", arch="AtlasA2", element="half").calls[0].params
    LoadData2DParams(startIndex=0, repeatTimes=2, srcStride=4, dstGap=0, ifTranspose=False)
    """

    startIndex: int
    repeatTimes: int
    srcStride: int
    dstGap: int
    ifTranspose: bool


class LoadData2dTransposeParams(NamedTuple):
    """Squares of 1, 2 or 4 fractals, transposed; ``srcStride`` counts squares, the gaps fractals.

    >>> from tla.ascend import make_layout
    >>> from tla.ascend.copies import l1_to_l0b
    >>> l1 = make_layout("int8_t", "zN", 64, 64)
    >>> l1_to_l0b(l1, "nZ", arch="AtlasA2", element="int8_t").calls[0].params
    LoadData2dTransposeParams(startIndex=0, repeatTimes=2, srcStride=2, dstGap=1, dstFracGap=0)
    """

    startIndex: int
    repeatTimes: int
    srcStride: int
    dstGap: int
    dstFracGap: int


class LoadData2DParamsV2(NamedTuple):
    """A box of fractals of a matrix whose columns of fractals are ``srcStride`` fractals apart.

    >>> from tla.ascend import make_layout
    >>> from tla.ascend.copies import l1_to_l0a
    >>> l1 = make_layout("half", "zN", 64, 32)
    >>> params = l1_to_l0a(l1, "zN", arch="Ascend950", element="half").calls[0].params
    >>> params.mStep, params.kStep, params.srcStride, params.dstStride
    (4, 2, 4, 4)
    """

    mStartPosition: int
    kStartPosition: int
    mStep: int
    kStep: int
    srcStride: int
    dstStride: int
    ifTranspose: bool


class LoadData2DMxParams(NamedTuple):
    """A box of fractals of MX scales, each of 16 lines by 2: x counts lines, y pairs along K.

    >>> from tla.ascend import make_layout, make_mx_scale_layout
    >>> from tla.ascend.copies import l1_to_l0a
    >>> a = make_layout("float4_e2m1x2_t", "zN", 64, 256)
    >>> scales = make_mx_scale_layout("e8m0", "zZ", 64, 8, is_b=False)
    >>> moved = l1_to_l0a(a, arch="Ascend950", element="float4_e2m1x2_t", tile=(32, 128), scales=scales)
    >>> moved.scales.xStep, moved.scales.yStep
    (2, 2)
    """

    xStartPosition: int
    yStartPosition: int
    xStep: int
    yStep: int
    srcStride: int
    dstStride: int


class LoadData3DParamsV2(NamedTuple):
    """A matrix read as an image of 1 by ``SetFmatrix``'s width with ``channelSize`` channels.

    >>> from tla.ascend import make_layout
    >>> from tla.ascend.copies import l1_to_l0a
    >>> l1 = make_layout("float", "nZ", 64, 32)
    >>> moved = l1_to_l0a(l1, "zZ", arch="AtlasA2", element="float")
    >>> moved.calls[0].params
    LoadData3DParamsV2(kExtension=64, mExtension=32, channelSize=64, enTranspose=True, fMatrixCtrl=False)
    """

    kExtension: int
    mExtension: int
    channelSize: int
    enTranspose: bool = False
    fMatrixCtrl: bool = False


class FixpipeParamsV220(NamedTuple):
    """Accumulators out of L0C: ``srcStride`` in 16 elements, ``dstStride`` in elements or 32 bytes.

    >>> from tla.ascend import make_layout
    >>> from tla.ascend.copies import l0c_to_gm
    >>> l0c = make_layout("float", "L0C", 64, 32)
    >>> params = l0c_to_gm(l0c, row_major(64, 32), arch="AtlasA2", element="float").calls[0].params
    >>> params.nSize, params.mSize, params.srcStride, params.dstStride
    (32, 64, 64, 32)
    """

    nSize: int
    mSize: int
    srcStride: int
    dstStride: int
    quantPre: str = "NoQuant"
    isChannelSplit: bool = False
    nz2nd: bool = True
    """Whether rows come out: ``CFG_ROW_MAJOR`` if so, ``CFG_NZ`` if not."""


class DataCopyCO12DstParams(NamedTuple):
    """As `FixpipeParamsV220`, for 3510.

    >>> from tla.ascend import make_layout
    >>> from tla.ascend.copies import l0c_to_gm
    >>> l0c = make_layout("float", "L0C", 64, 32)
    >>> params = l0c_to_gm(l0c, row_major(64, 32), arch="Ascend950", element="float").calls[0].params
    >>> params.nSize, params.mSize, params.srcStride, params.nz2ndEn
    (32, 64, 64, True)
    """

    nSize: int
    mSize: int
    srcStride: int
    dstStride: int
    quantPre: str = "NoQuant"
    channelSplit: bool = False
    nz2ndEn: bool = True


class FixpipeParamsC310(NamedTuple):
    """As `FixpipeParamsV220`, for 3510, where sums are scaled on their way.

    >>> from tla.ascend import make_layout
    >>> from tla.ascend.copies import l0c_to_gm
    >>> l0c, c = make_layout("int32_t", "L0C", 64, 32), make_layout("half", "RowMajor", 64, 32)
    >>> types = {"element": "half", "accumulator": "int32_t"}
    >>> l0c_to_gm(l0c, c, arch="Ascend950", scale="channel", **types).calls[0].params.quantPre
    'VDEQF16'
    """

    nSize: int
    mSize: int
    srcStride: int
    dstStride: int
    quantPre: str
    nz2nd: bool = True


Params: TypeAlias = Union[
    DataCopyExtParams,
    FixpipeParamsC310,
    Nd2NzParams,
    Dn2NzParams,
    DataCopyParams,
    LoadData2DParams,
    LoadData2dTransposeParams,
    LoadData2DParamsV2,
    LoadData3DParamsV2,
    FixpipeParamsV220,
    DataCopyCO12DstParams,
]
"""The parameters of one instruction."""


class Setting(NamedTuple):
    """A setting made once before the calls, such as the image that LoadData3DV2 reads.

    >>> from tla.ascend import make_layout
    >>> from tla.ascend.copies import l1_to_l0a
    >>> l1 = make_layout("float", "nZ", 64, 32)
    >>> l1_to_l0a(l1, "zZ", arch="AtlasA2", element="float").setting
    Setting(name='SetFmatrix', arguments=(1, 32, '{0,0,0,0}', 'FMATRIX_LEFT'))
    """

    name: str
    arguments: tuple[int | str, ...]

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(str, self.arguments))})"


_BITS: Final[Mapping[str, Mapping[str, int]]] = {
    "Nd2NzParams": {"dValue": 32, "srcDValue": 64, "srcNdMatrixStride": 64, "dstNzMatrixStride": 32},
    "Dn2NzParams": {"dValue": 32, "srcDValue": 64, "srcDnMatrixStride": 64, "dstNzMatrixStride": 32},
    "LoadData2DParams": {"repeatTimes": 8},
    "LoadData2dTransposeParams": {"repeatTimes": 8},
    "LoadData2DParamsV2": {"mStartPosition": 32, "kStartPosition": 32, "srcStride": 31},
    "LoadData2DMxParams": {"xStep": 8, "yStep": 8},
    "DataCopyExtParams": {"blockLen": 32, "srcStride": 32, "dstStride": 32},
    "FixpipeParamsV220": {"dstStride": 32},
    "FixpipeParamsC310": {"dstStride": 32},
    "DataCopyCO12DstParams": {"dstStride": 32},
}  # fmt: skip
"""The fields that are not of 16 bits."""


def widths(params: Params | LoadData2DMxParams, code: int) -> dict[str, int]:
    """Return the bits of each field of a record; on 2201 all fields of Nd2Nz have 16.

    >>> widths(LoadData2DParams(0, 4, 8, 0, False), 2201)
    {'startIndex': 16, 'repeatTimes': 8, 'srcStride': 16, 'dstGap': 16}
    """
    kind = type(params).__name__
    wide = {} if kind == "Nd2NzParams" and code == 2201 else _BITS.get(kind, {})
    fields = zip(params._fields, params, strict=True)
    return {name: wide.get(name, 16) for name, value in fields if type(value) is int}


def fields_of(params: Params | LoadData2DMxParams) -> dict[str, int | str | bool]:
    """Return the fields in the vendor's order."""
    named: dict[str, int | str | bool] = params._asdict()
    order = {
        "Nd2NzParams": "ndNum nValue dValue srcNdMatrixStride",
        "Dn2NzParams": "dnNum nValue dValue srcDnMatrixStride",
    }.get(type(params).__name__, "")
    return {**{name: named[name] for name in order.split()}, **named}


def cpp_text(value: int | str | bool) -> str:
    """Return a value of a field as C++ writes it.

    >>> cpp_text(True), cpp_text(3)
    ('true', '3')
    """
    return str(value).lower() if isinstance(value, bool) else str(value)
