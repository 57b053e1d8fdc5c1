"""The copy instructions as values: each AscendC parameter record, a call, and the calls of a transfer.

>>> from tla.ascend import element
>>> nd2nz = Nd2NzParams(nValue=32, dValue=48, srcDValue=100, dstNzC0Stride=32, dstNzNStride=1)
>>> call = Call("DataCopy", 0, 9696, nd2nz, element("half"))
>>> print(call)
DataCopy(dst[0], src[9696], Nd2NzParams{ndNum=1, nValue=32, dValue=48, srcNdMatrixStride=0,
    srcDValue=100, dstNzC0Stride=32, dstNzNStride=1, dstNzMatrixStride=0})

Fields have the names of the vendor's structs; those that a copy never sets, ``sid`` and ``addrMode``,
stay 0 and are left out. Offsets are elements from the first element of the tensor.

Source: CANN, kernel_struct_data_copy.h, kernel_struct_mm.h, kernel_struct_fixpipe.h, whose field widths
are those of CATLASS's host stubs, tests/unittest/stub.
"""
# ruff: noqa: N815 (the fields have the vendor's names)

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias, Union, overload

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..elements import Element
    from .moves import Move

__all__ = [
    "Call",
    "Calls",
    "DataCopyCO12DstParams",
    "DataCopyParams",
    "Dn2NzParams",
    "FixpipeParamsV220",
    "LoadData2DMxParams",
    "LoadData2DParams",
    "LoadData2DParamsV2",
    "LoadData2dTransposeParams",
    "LoadData3DParamsV2",
    "Nd2NzParams",
    "Params",
    "Setting",
    "fields_of",
    "widths",
    "written",
]


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
    """Whether rows come out: ``CFG_ROW_MAJOR``, otherwise ``CFG_NZ``."""


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


Params: TypeAlias = Union[
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
    """What is set once before the calls, such as the image that LoadData3DV2 reads.

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
    "FixpipeParamsV220": {"dstStride": 32},
    "DataCopyCO12DstParams": {"dstStride": 32},
}  # fmt: skip
"""The fields that are not of 16 bits."""


def widths(params: Params | LoadData2DMxParams, code: int) -> dict[str, int]:
    """Return how many bits each number of a record has; in 2201 those of Nd2Nz are all 16.

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


class Call(NamedTuple):
    """One instruction: its AscendC name, where it writes and reads, and its parameters.

    >>> from tla.ascend.copies import gm_to_l1
    >>> (call,) = gm_to_l1(row_major(48, 32), "zN", arch="AtlasA2", element="half").calls
    >>> call.name, call.dst, call.src
    ('DataCopy', 0, 0)
    >>> call.params.nValue, call.params.dValue, call.params.dstNzC0Stride
    (48, 32, 48)
    """

    name: str
    dst: int
    """The first element written, from the first of the destination."""
    src: int
    """The first element read, from the first of the source; LoadData2DV2 adds its start positions."""
    params: Params
    element: Element
    """What the offsets count; of a Fixpipe the destination's."""
    unit: int = 1
    """How many times as much a field counts as elsewhere: 2 where two elements of 4 bits are a byte to
    Nd2Nz, and where a block of DataCopy, to the bias table of 2201, has 64 bytes."""
    setting: Setting | None = None
    """What is set beforehand, once for all calls of a transfer."""

    def moves(self) -> Iterator[Move]:
        """Yield which element goes where, in the order of the instruction; see `moves.moves`."""
        from .moves import moves

        return moves(self)

    def as_dict(self) -> dict[str, object]:
        """The call as plain data, the fields in the vendor's spelling and order."""
        return {
            "name": self.name,
            "dst": self.dst,
            "src": self.src,
            "struct": type(self.params).__name__,
            "params": fields_of(self.params),
        }

    def __str__(self) -> str:
        fields = ", ".join([f"{k}={written(v)}" for k, v in fields_of(self.params).items()])
        kind = type(self.params).__name__
        return _broken(f"{self.name}(dst[{self.dst}], src[{self.src}], {kind}{{{fields}}})")


def written(value: int | str | bool) -> str:
    """Return a value of a field as C++ writes it.

    >>> written(True), written(3)
    ('true', '3')
    """
    return str(value).lower() if isinstance(value, bool) else str(value)


def _broken(text: str, width: int = 100) -> str:
    """The text in lines no longer than need be, broken behind commas."""
    lines = [""]
    for part in text.split(" "):
        if lines[-1] and len(lines[-1]) + 1 + len(part) > width:
            lines.append(f"    {part}")
        else:
            lines[-1] = f"{lines[-1]} {part}" if lines[-1] else part
    return "\n".join(lines)


class Calls(Sequence[Call]):
    """The calls of a transfer, each made when it is asked for: the next writes and reads a step on.

    >>> from tla.ascend import element
    >>> nd2nz = Nd2NzParams(1, 48, 0, 32, 0)
    >>> calls = Calls(Call("DataCopy", 0, 5, nd2nz, element("half")), 64, dst_step=16, src_step=70000)
    >>> len(calls), calls[-1].dst, calls[-1].src
    (64, 1008, 4410005)
    """

    __slots__ = ("dst_step", "first", "length", "m_step", "src_step", "tail")

    first: Call
    length: int
    """How many there are in steps, without the tail."""
    dst_step: int
    src_step: int
    m_step: int
    tail: Call | None
    """A last call of its own, for what is left over."""

    def __init__(
        self,
        first: Call,
        length: int = 1,
        dst_step: int = 0,
        src_step: int = 0,
        m_step: int = 0,
        tail: Call | None = None,
    ) -> None:
        values = {
            "first": first,
            "length": length,
            "dst_step": dst_step,
            "src_step": src_step,
            "m_step": m_step,
            "tail": tail,
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"Calls is immutable: {name} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"Calls is immutable: {name} cannot be deleted")

    def __reduce__(self) -> tuple[type[Calls], tuple[object, ...]]:
        return Calls, self._key()

    def _key(self) -> tuple[Call, int, int, int, int, Call | None]:
        return self.first, self.length, self.dst_step, self.src_step, self.m_step, self.tail

    def __len__(self) -> int:
        return self.length + (self.tail is not None)

    @overload
    def __getitem__(self, index: int) -> Call: ...
    @overload
    def __getitem__(self, index: slice) -> list[Call]: ...
    def __getitem__(self, index: int | slice) -> Call | list[Call]:
        if isinstance(index, slice):
            return [self._call(i) for i in range(len(self))[index]]
        return self._call(range(len(self))[index])

    def __iter__(self) -> Iterator[Call]:
        return map(self._call, range(len(self)))

    def _call(self, i: int) -> Call:
        if self.tail is not None and i == self.length:
            return self.tail
        first, params = self.first, self.first.params
        if self.m_step and isinstance(params, LoadData2DParamsV2):
            params = params._replace(mStartPosition=params.mStartPosition + i * self.m_step)
        return first._replace(
            dst=first.dst + i * self.dst_step, src=first.src + i * self.src_step, params=params
        )

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Calls) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return f"Calls(first={self.first!r}, length={self.length}, tail={self.tail!r})"
