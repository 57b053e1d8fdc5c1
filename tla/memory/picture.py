"""Buffers as bars: what of each is data and what is padding.

>>> from ..hlo import read_module
>>> module = read_module("ENTRY e { a = f32[3]{0:T(4)} parameter(0) ROOT b = f32[3]{0:T(4)} negate(a) }")
>>> from .live import live
>>> figure = live(module).peaks[0].figure()
>>> figure.length, [(bar.label, bar.start, bar.end, bar.reach) for bar in figure.bars]
(32, [('%a 16B', 0, 12, 16), ('%b 16B', 16, 28, 32)])
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ..figure import Bar, Bars, Panels
from ..xla_bridge import largest_piece
from ..xla_bridge.tpu import memory_space_name
from .sizes import bytes_printed_as, printed_bytes
from .waste import array_waste

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..xla_bridge.tpu import Chip
    from .buffers import Buffer
    from .live import Liveness, Peak
    from .oom_report import Report
    from .tally import Row
    from .waste import Waste

__all__ = ["MOST_DRAWN", "liveness_figure", "oom_figure", "peak_figure", "rows_figure", "waste_figure"]

MOST_DRAWN: Final = 31
"""How many buffers are drawn."""


def bars_of(title: str, length: int, bars: Iterable[Bar]) -> Bars:
    """Return bars of arrays: data, and behind them padding."""
    return Bars(title, length, tuple(bars), "data", "padding", "the end of the padding")


def _bar(label: str, start: int, waste: Waste, memory: int, space: str = "") -> Bar:
    """The bar of an array, with its size as XLA prints it."""
    end, reach = start + waste.data_bytes, start + waste.padded_bytes
    size = printed_bytes(waste.padded_bytes)
    return Bar(f"{label} {size}", start, end, reach, (), memory, space)


def label_of(buffer: Buffer) -> str:
    """Return the name of a buffer as XLA writes it: ``%sort.3{1}``."""
    index = ",".join(map(str, buffer.shape_index))
    return f"%{buffer.name}" + (f"{{{index}}}" if index else "")


def waste_figure(waste: Waste, label: str = "array") -> Bars:
    """Return the data and the padding of one array; what pads it is in the title."""
    why = "; ".join(map(str, waste.factors))
    bar = _bar(label, 0, waste, 0)
    return bars_of(f"{label}: {why}" if why else label, waste.padded_bytes, [bar])


def rows_figure(
    rows: Sequence[Row],
    count: int | None = None,
    most: int = MOST_DRAWN,
    chip: str | Chip | None = None,
) -> Bars:
    """Return buffers below each other, each from 0 on, in the order given: the longest sets the length.

    Each has the colour of its memory, and where there are several, its name.

    Args:
        count: How many buffers there are; as many as rows where left out.
        most: How many are drawn.
        chip: For the names of the memories.
    """
    shown = rows[:most]
    memories = [buffer.shape.memory_space for buffer, _waste in shown]
    names = {n: memory_space_name(n, chip) if len(set(memories)) > 1 else "" for n in memories}
    bars = [
        _bar(label_of(buffer), 0, waste, n, names[n])
        for (buffer, waste), n in zip(shown, memories, strict=True)
    ]
    count = len(rows) if count is None else count
    what = (
        f"the {len(shown)} of {count} buffers with the most waste" if len(shown) < count else "buffers"
    )
    return bars_of(what, max((bar.reach for bar in bars), default=0), bars)


def peak_figure(peak: Peak, chip: str | Chip | None = None, most: int = MOST_DRAWN) -> Bars:
    """Return what is live at the peak of a memory, one behind the other, the largest first.

    Their places in the picture say nothing of their addresses.

    Args:
        chip: For the name of the memory.
        most: How many buffers are drawn; the others are one bar.
    """
    bars: list[Bar] = []
    at = rest = 0
    for number, buffer in enumerate(peak.buffers):
        waste = array_waste(largest_piece(buffer.shape))  # each core holds one piece
        if number < most:
            bars.append(_bar(label_of(buffer), at, waste, peak.memory_space))
        else:
            rest += waste.data_bytes
        at += waste.padded_bytes
    if len(peak.buffers) > most:
        start = bars[-1].reach
        label = f"{len(peak.buffers) - most} more {printed_bytes(at - start)}"
        bars.append(Bar(label, start, start + rest, at, (), peak.memory_space))
    name = memory_space_name(peak.memory_space, chip)
    where = f"%{peak.step.instruction.name}"
    return bars_of(f"{name}: live at step {peak.at + 1}, {where}", peak.bytes, bars)


def liveness_figure(found: Liveness, chip: str | Chip | None = None, most: int = MOST_DRAWN) -> Panels:
    """Return what is live at the peak of each memory."""
    return Panels("", tuple(peak_figure(peak, chip, most) for peak in found.peaks))


def oom_figure(report: Report, most: int = MOST_DRAWN) -> Bars:
    """Return the allocations that a report lists, one behind the other, in a memory of its capacity.

    Sizes are as printed, which may be rounded; what has none is left out.
    """
    bars: list[Bar] = []
    at = 0
    for each in report.allocations[:most]:
        taken = _bytes(each.size, each.size_bytes)
        if taken is None:
            continue
        data = _bytes(each.unpadded)
        name = each.label.partition(" ")[0] if each.label else each.kind
        number = f"#{each.number} " if each.number is not None else ""
        end = at + (taken if data is None else min(data, taken))
        bars.append(Bar(f"{number}{name or ''}".strip() or "?", at, end, at + taken, ()))
        at += taken
    capacity = _bytes(report.capacity) or at
    used = f"{report.used} used" if report.used else report.what
    space = f"{report.space}: " if report.space else ""
    of = f" of {report.capacity}" if report.capacity else ""
    return bars_of(f"{space}{used}{of}", capacity, bars)


def _bytes(text: str | None, exact: int | None = None) -> int | None:
    """A number of bytes as printed, the middle one of those that print so."""
    if exact is not None or text is None:
        return exact
    found = bytes_printed_as(text)
    return found[len(found) // 2] if found else None
