# SPDX-License-Identifier: Apache-2.0
"""A tile on its way from one layout to another: the calls that move it, and the proof that they do.

>>> from tla.ascend import make_layout
>>> from tla.ascend.copies import gm_to_l1
>>> wide = make_layout("half", "RowMajor", 64, 70000)
>>> transfer = gm_to_l1(wide, "zN", arch="AtlasA2", element="half", tile=(64, 32))
>>> transfer.count, transfer.why_many
(64, 'leading dimension 70000 >= 65536: one call per row')
>>> print(transfer.proof())
2048 elements moved, each to its place; nothing else written
"""

from __future__ import annotations

from itertools import product
from math import prod
from typing import TYPE_CHECKING, NamedTuple

from ...errors import LayoutError
from ...ground import html_of
from .picture import picture

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import SupportsIndex

    from ...ground import Panels
    from .calls import Calls
    from .matrix import Matrix
    from .moves import Move
    from .records import LoadData2DMxParams, Setting


class Proof(NamedTuple):
    """The proof of a transfer: the number of elements that its calls move, by kind.

    >>> from tla.ascend.copies import gm_to_l1
    >>> moved = gm_to_l1(row_major(100, 60), "zN", arch="AtlasA2", element="half", tile=(48, 32))
    >>> moved.proof()
    Proof(elements=1536, zeros=0, padding=0, spill=0)
    """

    elements: int
    """The elements of the tile, each of which arrives at its place."""
    zeros: int
    """The zeros written behind rows that do not fill their last 32 bytes."""
    padding: int
    """Other writes within the destination's padded shape: the remainder of whole fractals."""
    spill: int
    """Writes past the destination's footprint."""

    def __str__(self) -> str:
        rest = [
            f"{count} {words}"
            for count, words in (
                (self.zeros, "zeros"),
                (self.padding, "other elements of whole blocks"),
                (self.spill, "past the destination's footprint"),
            )
            if count
        ]
        others = f"besides written: {', '.join(rest)}" if rest else "nothing else written"
        return f"{self.elements} elements moved, each to its place; {others}"


class Transfer(NamedTuple):
    """The calls that move a tile.

    >>> from tla.ascend.copies import gm_to_l1
    >>> moved = gm_to_l1(row_major(100, 60), "zN", arch="AtlasA2", element="half", tile=(48, 32))
    >>> moved.route, moved.count, moved.elements, moved.bytes
    ('GM->L1', 1, 1536, 3072)
    >>> print(moved.calls[0])
    DataCopy(dst[0], src[0], Nd2NzParams{ndNum=1, nValue=48, dValue=32, srcNdMatrixStride=0,
        srcDValue=60, dstNzC0Stride=48, dstNzNStride=1, dstNzMatrixStride=0})
    >>> moved.src.tag, moved.dst.tag, str(moved.dst.layout)
    ('RowMajor', 'zN', '((_16,3),(_16,2)):((_16,_256),(_1,768))')

    Attributes:
        route: ``GM->L1`` and the like.
        calls: The instructions in order, made on demand.
        why_many: Why the transfer needs more than one call, or None.
        src, dst: The matrices read and written.
        scales: The MX scales that a load moves as well: in its one call, or by a separate instruction
            behind several calls.
        tile: The rows and columns of data that are moved: the part of the tile inside the matrix.
    """

    route: str
    calls: Calls
    why_many: str | None
    src: Matrix
    dst: Matrix
    tile: tuple[int, ...]
    scales: LoadData2DMxParams | None = None

    @property
    def count(self) -> int:  # type: ignore[override]  # ty: ignore[incompatible-property-override]
        """How many calls there are."""
        return len(self.calls)

    @property
    def setting(self) -> Setting | None:
        """The settings before the calls."""
        return self.calls.first.setting

    @property
    def elements(self) -> int:
        """The elements of data that are moved."""
        return prod(self.tile)

    @property
    def bytes(self) -> int:
        """The bytes of data that are read."""
        return self.src.element.bytes_of(self.elements)

    def _repr_html_(self) -> str | None:
        return html_of(self)

    def figure(
        self, rows: SupportsIndex = 32, columns: SupportsIndex = 32, slices: SupportsIndex = 4
    ) -> Panels:
        """Return the picture of the copy, as data: a tile's elements where they are read and written."""
        ends = self.src, self.dst
        return picture(self.route, self.calls, *ends, self.tile, rows, columns, slices)

    def moves(self) -> Iterator[Move]:
        """Yield the moves of elements, call by call."""
        for call in self.calls:
            yield from call.moves()

    def proof(self) -> Proof:
        """Expand every call, and show that each element of the tile arrives at its place.

        In global memory, a copy may write only the tile and the padding of the destination's own shape.
        In a buffer, it writes whole fractals; writes to the padding and past the shape are counted.

        Raises:
            LayoutError: an element does not arrive; the error names its place, and the element there
                instead.
        """
        writes = {move.dst: move.src for move in self.moves()}
        for coordinate in _coordinates(self.tile):
            place, source = self.dst.offset(coordinate), self.src.offset(coordinate)
            if writes.pop(place, -1) != source:
                raise LayoutError(
                    f"element {coordinate} of the tile does not arrive at {place} of {self.dst}",
                    f"It is {source} of {self.src}; its place gets another, or nothing.",
                    transfer=self,
                    coordinate=coordinate,
                )
        zeros = sum(src is None for src in writes.values())
        inside = int(self.dst.layout.cosize)
        spill = sum(dst >= inside for dst in writes)
        padding = len(writes) - zeros - spill
        if self.route.endswith("GM"):
            self._require_padding(writes)
        return Proof(self.elements, zeros, padding, spill)

    def _require_padding(self, writes: dict[int, int | None]) -> None:
        """Require that no element of the matrix outside the tile is written in global memory."""
        layout = self.dst.layout
        data = {int(layout(c)) for c in _coordinates(tuple(map(int, layout.origin_shape)))}
        stray = sorted((data & writes.keys()) | {w for w in writes if w >= int(layout.cosize)})
        if stray:
            raise LayoutError(
                f"offset {stray[0]} of {self.dst} is written, which is not of the tile", offset=stray[0]
            )


def _coordinates(extents: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    return product(*map(range, extents))
