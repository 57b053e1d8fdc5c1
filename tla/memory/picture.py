# SPDX-License-Identifier: Apache-2.0
"""Arrays as bars: the data of each, and the padding after it.

>>> blocks = [Block("%a", 12, 16), Block("%b", 12, 16)]
>>> figure = in_one_row("live", 32, blocks)
>>> figure.length, [(bar.label, bar.start, bar.end, bar.reach) for bar in figure.bars]
(32, [('%a 16B', 0, 12, 16), ('%b 16B', 16, 28, 32)])
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from ..ground import Bar, Bars
from ..xla_bridge import memory_space_name
from .sizes import printed_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..xla_bridge import Chip

MOST_DRAWN: Final = 31
"""The most buffers in a picture."""


class Block(NamedTuple):
    """An array in a picture: its label, its data, its memory with padding, and its memory space."""

    label: str
    data_bytes: int
    padded_bytes: int
    memory_space: int = 0

    def bar(self, start: int = 0, space: str = "") -> Bar:
        """Return its bar; the label has its size in XLA's text."""
        label = f"{self.label} {printed_bytes(self.padded_bytes)}"
        end, reach = start + self.data_bytes, start + self.padded_bytes
        return Bar(label, start, end, reach, (), self.memory_space, space)


def bars_of(title: str, length: int, bars: Iterable[Bar]) -> Bars:
    """Return bars of arrays: data, and padding after it."""
    return Bars(title, length, tuple(bars), "data", "padding", "the end of the padding")


def one_below_the_other(title: str, blocks: Sequence[Block], chip: str | Chip | None = None) -> Bars:
    """Return bars of blocks that all begin at 0, in their order, as long as the longest.

    Each has the colour of its memory. If there are several memories, it also has the name of its memory.

    Args:
        chip: The chip, for the names of the memories.
    """
    memories = {block.memory_space for block in blocks}
    names = {n: memory_space_name(n, chip) if len(memories) > 1 else "" for n in memories}
    bars = [block.bar(space=names[block.memory_space]) for block in blocks]
    return bars_of(title, max((bar.reach for bar in bars), default=0), bars)


def in_one_row(title: str, length: int, blocks: Sequence[Block], most: int = MOST_DRAWN) -> Bars:
    """Return bars of blocks one after another, in their order.

    Args:
        most: The most blocks with a bar of their own; the others are one bar.
    """
    more = blocks[most:]
    shown = list(blocks[:most])
    if more:
        data, padded = (sum(sizes) for sizes in zip(*(block[1:3] for block in more), strict=True))
        shown.append(Block(f"{len(more)} more", data, padded, more[0].memory_space))
    at = 0
    bars: list[Bar] = []
    for block in shown:
        bars.append(block.bar(at))
        at += block.padded_bytes
    return bars_of(title, length, bars)
