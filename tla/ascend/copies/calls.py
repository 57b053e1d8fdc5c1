# SPDX-License-Identifier: Apache-2.0
"""The calls of a transfer; each is one instruction with its places and parameters.

>>> from tla.ascend import element
>>> from tla.ascend.copies import Nd2NzParams
>>> nd2nz = Nd2NzParams(nValue=32, dValue=48, srcDValue=100, dstNzC0Stride=32, dstNzNStride=1)
>>> call = Call("DataCopy", 0, 9696, nd2nz, element("half"))
>>> print(call)
DataCopy(dst[0], src[9696], Nd2NzParams{ndNum=1, nValue=32, dValue=48, srcNdMatrixStride=0,
    srcDValue=100, dstNzC0Stride=32, dstNzNStride=1, dstNzMatrixStride=0})

Offsets are elements from the first element of the tensor.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, NamedTuple, overload

from ...errors import CoordinateError
from ...ground import Record
from .moves import Move, meaning
from .records import LoadData2DParamsV2, cpp_text, fields_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..elements import Element
    from .records import Params, Setting


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
    """The element type that the offsets count; for a Fixpipe that of the destination."""
    unit: int = 1
    """The factor of a field's unit. It is 2 for elements of 4 bits, of which Nd2Nz counts two as a byte,
    and for a DataCopy to the bias table of 2201, whose blocks have 64 bytes. Else it is 1."""
    setting: Setting | None = None
    """The settings before the calls, once for all calls of a transfer."""

    def moves(self) -> Iterator[Move]:
        """Yield the moves of elements, in the order of the instruction.

        A later write to the same place replaces an earlier one.
        """
        image_width = int(self.setting.arguments[1]) if self.setting else None
        for src, dst in meaning(self.params, self.element, self.unit, image_width):
            yield Move(None if src is None else self.src + src, self.dst + dst)

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
        fields = ", ".join([f"{k}={cpp_text(v)}" for k, v in fields_of(self.params).items()])
        kind = type(self.params).__name__
        return _wrap(f"{self.name}(dst[{self.dst}], src[{self.src}], {kind}{{{fields}}})")


def _wrap(text: str, width: int = 100) -> str:
    """The text in lines that break behind commas."""
    lines = [""]
    for part in text.split(" "):
        if lines[-1] and len(lines[-1]) + 1 + len(part) > width:
            lines.append(f"    {part}")
        else:
            lines[-1] = f"{lines[-1]} {part}" if lines[-1] else part
    return "\n".join(lines)


class Calls(Record, Sequence[Call]):
    """The calls of a transfer, made on demand; each writes and reads one step further.

    >>> from tla.ascend import element
    >>> from tla.ascend.copies import Nd2NzParams
    >>> nd2nz = Nd2NzParams(1, 48, 0, 32, 0)
    >>> calls = Calls(Call("DataCopy", 0, 5, nd2nz, element("half")), 64, dst_step=16, src_step=70000)
    >>> len(calls), calls[-1].dst, calls[-1].src
    (64, 1008, 4410005)
    """

    parts_in_order: ClassVar[tuple[str, ...]] = (
        "first", "length", "dst_step", "src_step", "m_step", "tail",
    )  # fmt: skip
    __slots__ = parts_in_order

    first: Call
    length: int
    """The number of calls in steps, without the tail."""
    dst_step: int
    src_step: int
    m_step: int
    tail: Call | None
    """The last call, for the remainder."""

    def __init__(
        self,
        first: Call,
        length: int = 1,
        dst_step: int = 0,
        src_step: int = 0,
        m_step: int = 0,
        tail: Call | None = None,
    ) -> None:
        values = (first, length, dst_step, src_step, m_step, tail)
        for name, value in zip(self.parts_in_order, values, strict=True):
            object.__setattr__(self, name, value)

    def __len__(self) -> int:
        return self.length + (self.tail is not None)

    @overload
    def __getitem__(self, index: int) -> Call: ...
    @overload
    def __getitem__(self, index: slice) -> list[Call]: ...
    def __getitem__(self, index: int | slice) -> Call | list[Call]:
        if isinstance(index, slice):
            return [self._call(i) for i in range(len(self))[index]]
        try:
            return self._call(range(len(self))[index])
        except IndexError:
            raise CoordinateError(f"there is no call {index} among {len(self)}") from None

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

    def __repr__(self) -> str:
        return f"Calls(first={self.first!r}, length={self.length}, tail={self.tail!r})"
