# SPDX-License-Identifier: Apache-2.0
"""The check of an out-of-memory report: the sizes of each allocation from its shape, and cheaper
layouts.

>>> from .oom import Allocation
>>> from tla.xla_bridge import parse_array
>>> line = Allocation(1, size="32.00G", shape=parse_array("s32[8388608,8,4]{2,1,0:T(8,128)}"))
>>> found = check(line)
>>> print(found.padding.size, found.padding.extra, found.padding.expansion, found.differences)
32.00G 31.00G 32.0x ()
>>> print(found.layouts[0].xla)
s32[8388608,8,4]{0,2,1:T(4,128)}
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from ..errors import ParseError, UnsupportedError
from ..ground import guarded
from ..xla_bridge import CHIPS, XlaShape, laid_out, tilings_of_order, xla_array_size_bytes
from .advice import cheaper_layouts, cheaper_shapes
from .sizes import bytes_printed_as, printed_bytes, printed_expansion
from .waste import array_waste, sized_array

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..xla_bridge import AnyShape, Chip
    from .advice import Candidate
    from .oom_report import Allocation, Report

__all__ = ["ASSUMED", "Checked", "Padding", "check", "chip_of", "padding_of"]

ASSUMED: Final = "layout has no tiles; the TPU default tile is assumed"


class Padding(NamedTuple):
    """The sizes of a shape in XLA's memory reports.

    >>> from tla.xla_bridge import parse_array
    >>> found = padding_of(parse_array("s32[8388608,8,4]{2,1,0:T(8,128)}"))
    >>> found.size, found.unpadded
    ('32.00G', '1.00G')
    """

    shape: XlaShape
    """The shape; without a tile in the report it has the assumed tile."""
    size_bytes: int
    """XLA's ``ArraySize``: the data with the padding of the first tile."""
    unpadded_bytes: int
    """The elements, each with the whole bytes of its type."""
    assumed: bool = False
    """Whether the tile is assumed."""

    @property
    def size(self) -> str:
        return printed_bytes(self.size_bytes)

    @property
    def unpadded(self) -> str:
        return printed_bytes(self.unpadded_bytes)

    @property
    def extra_bytes(self) -> int:
        """The bytes of padding; negative if ``E`` packs elements, as a report counts whole bytes."""
        return self.size_bytes - self.unpadded_bytes

    @property
    def extra(self) -> str:
        return printed_bytes(max(0, self.extra_bytes))

    @property
    def expansion(self) -> str:
        return printed_expansion(self.size_bytes, self.unpadded_bytes)


@guarded
def padding_of(shape: AnyShape, chip: str | Chip = "v5e") -> Padding:
    """Return the sizes that an out-of-memory report states for a shape.

    >>> from tla.xla_bridge import parse_array
    >>> found = padding_of(parse_array("f32[32,128,32,64]{3,0,2,1}"))
    >>> print(found.size, found.unpadded, found.extra, found.expansion, found.assumed, found.shape)
    64.00M 32.00M 32.00M 2.0x True f32[32,128,32,64]{3,0,2,1:T(8,128)}

    Reports of 2019 did not print tiles. A shape without tiles counts with the tiles that the chip's
    compiler chooses for its order of dims, and ``assumed`` is true.

    Raises:
        UnsupportedError: the shape is no array, or its size has no meaning in XLA, or is unknown.
    """
    shape = sized_array(shape)
    assumed = not shape.tiles and shape.elements > 0
    if assumed:
        tiles = tilings_of_order(shape, shape.minor_to_major, chip)[0]
        shape = laid_out(shape, shape.minor_to_major, tiles, shape.element_size_in_bits)
    data = shape.elements * (shape.element_type.bytes or 0)
    return Padding(shape, xla_array_size_bytes(shape), data, assumed)


class Checked(NamedTuple):
    """One allocation of a report, with the sizes of its shape if the shape is known.

    >>> from tla.memory.oom import read_reports
    >>> (report,) = read_reports('''Ran out of memory in memory space hbm. Used 41.74G of 16.00G hbm.
    ...   1. Size: 32.00G
    ...      Shape: s32[8388608,8,4]{2,1,0:T(8,128)}''')
    >>> checked = check(report.allocations[0])
    >>> checked.factors, checked.differences, checked.layouts[0].xla
    (('dim 2: 4 -> 128 (32.00x)',), (), 's32[8388608,8,4]{0,2,1:T(4,128)}')
    """

    allocation: Allocation
    padding: Padding | None
    differences: tuple[str, ...]
    """The differences between the report and the recomputation, with the reason if it is known."""
    factors: tuple[str, ...]
    """The padding in words: each dim with padding, both sizes, and their ratio."""
    notes: tuple[str, ...]
    """The assumptions, and the sizes that could not be computed."""
    layouts: tuple[Candidate, ...]
    """Cheaper orders of the dims, the cheapest first."""
    shapes: tuple[Candidate, ...]
    """Cheaper shapes."""

    @property
    def saved_bytes(self) -> int:
        """The bytes that the cheapest layout saves."""
        return self.layouts[0].saved_bytes if self.layouts else 0


@guarded
def chip_of(report: Report) -> Chip | None:
    """Return the chip whose compiler gives a program the main memory in the report, if there is one.

    >>> from .oom import Report
    >>> found = chip_of(Report(1, "out of memory", "hbm", "41.74G", "15.75G"))
    >>> found.name if found else None
    'v5e'
    """
    if (report.space or "").lower() != "hbm":
        return None
    return next((chip for chip in CHIPS.values() if chip.hbm == report.capacity), None)


@guarded
def check(allocation: Allocation, chip: str | Chip = "v5e") -> Checked:
    """Return an allocation with the sizes of its shape and with cheaper layouts.

    >>> from tla.memory.oom import read_reports
    >>> (report,) = read_reports('''Ran out of memory in memory space hbm. Used 41.74G of 16.00G hbm.
    ...   1. Size: 32.00G
    ...      Shape: s32[8388608,8,4]{2,1,0:T(8,128)}''')
    >>> checked = check(report.allocations[0])
    >>> checked.padding.size_bytes, checked.padding.unpadded_bytes, checked.layouts[0].how
    (34359738368, 1073741824, 'order the dims in memory as {0,2,1}')

    There is advice if the shape itself has padding, and if the advice changes the printed expansion.
    """
    shape = allocation.shape
    if shape is None:
        return Checked(allocation, None, (), (), (_unknown_shape(allocation),), (), ())
    try:
        padding = padding_of(shape, chip)
    except UnsupportedError as error:
        return Checked(allocation, None, (), (), (error.summary,), (), ())
    notes = [ASSUMED] if padding.assumed else []
    if padding.assumed and not _size_is(allocation, padding.size_bytes):
        bare = Padding(shape, xla_array_size_bytes(shape), padding.unpadded_bytes)
        if _size_is(allocation, bare.size_bytes):
            padding, notes = bare, ["layout has no tiles, and the size is that without tiles"]
    if allocation.kind == "scoped" and not _size_is(allocation, padding.size_bytes):
        return Checked(allocation, None, (), (), tuple(_of_scratch(allocation)), (), ())
    differences = _differences(allocation, padding)
    factors = tuple(map(str, array_waste(padding.shape).factors))
    layouts, shapes = _advice(padding, chip)
    return Checked(allocation, padding, differences, factors, tuple(notes), layouts, shapes)


def _unknown_shape(allocation: Allocation) -> str:
    if allocation.not_read:
        return f"shape {allocation.shape_text or ''} not read: {allocation.not_read}".replace("  ", " ")
    return "the report gives no shape for it"


def _of_scratch(allocation: Allocation) -> Iterator[str]:
    yield "the instruction takes it while it runs; the shape is that of its result, not of it"
    if "tpu_custom_call" in (allocation.label or ""):
        yield "it is a Pallas kernel, which takes its blocks and its scratch: 'tla pallas' sizes them"


def _advice(padding: Padding, chip: str | Chip) -> tuple[tuple[Candidate, ...], tuple[Candidate, ...]]:
    if padding.extra_bytes <= 0:
        return (), ()
    now = printed_expansion(padding.size_bytes, padding.unpadded_bytes)
    candidates = (cheaper_layouts(padding.shape, chip), cheaper_shapes(padding.shape, chip))
    layouts, shapes = (
        tuple(c for c in kind if printed_expansion(c.bytes, padding.unpadded_bytes) != now)
        for kind in candidates
    )
    return layouts, shapes


def _size_is(allocation: Allocation, count: int) -> bool:
    if allocation.size_bytes is not None:
        return allocation.size_bytes == count
    return _says(allocation.size, count)


def _says(text: str | None, count: int) -> bool:
    """Whether a number of bytes may print as a size; a missing size fits any number."""
    if text is None:
        return True
    try:
        return count in bytes_printed_as(text)
    except ParseError:
        return False


def _differences(allocation: Allocation, padding: Padding) -> tuple[str, ...]:
    """The figures of the report that differ from the computed ones, in the order of its lines."""
    out: list[str] = []
    why = "; the tile is assumed" if padding.assumed else ""
    if not _size_is(allocation, padding.size_bytes):
        exact = allocation.size_bytes
        printed = allocation.size if exact is None else f"{exact}B"
        computed = padding.size if exact is None else f"{padding.size_bytes}B"
        out.append(f"size: the report says {printed}, {computed} is computed{why}")
        why = ""
    for name, printed, count in (
        ("unpadded size", allocation.unpadded, padding.unpadded_bytes),
        ("padding", allocation.extra, padding.extra_bytes),
    ):
        if printed is not None and not _says(printed, count):
            computed = printed_bytes(max(0, count))
            out.append(f"{name}: the report says {printed}, {computed} is computed{why}")
            why = ""
    if allocation.expansion is not None and allocation.expansion != padding.expansion:
        out.append(f"expansion: the report says {allocation.expansion}, {padding.expansion} is computed")
    no_line = allocation.whole and allocation.extra is None and allocation.unpadded is not None
    if no_line and padding.extra_bytes > 0:
        out.append(f"padding: the report has no line for it, {padding.extra} is computed")
    return tuple(out)
