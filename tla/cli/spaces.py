# SPDX-License-Identifier: Apache-2.0
"""The names of memory spaces in reports, and a warning where a chip has no such memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..xla_bridge import CHIPS, chip_named
from .common import bytes_in_words
from .messages import complain

if TYPE_CHECKING:
    from collections.abc import Iterable


def unknown_spaces(spaces: Iterable[int], chip: str | None) -> list[str]:
    """Return a sentence on each memory space that the chip has no name for, and which chips have one.

    >>> unknown_spaces([0, 3, 9], "v5e")
    ['v5e has no known S(3): it is CMEM on v4', 'v5e has no known S(9)']

    Without a chip there is none: every number may be a memory space of some chip.
    """
    if chip is None:
        return []
    known = chip_named(chip).memory_spaces
    lines: list[str] = []
    for space in sorted({*spaces} - {*known}):
        named: dict[str, list[str]] = {}
        for each in CHIPS.values():
            if space in each.memory_spaces:
                named.setdefault(each.memory_spaces[space], []).append(each.name)
        others = " and ".join(f"{name} on {', '.join(chips)}" for name, chips in named.items())
        lines.append(f"{chip} has no known S({space})" + (f": it is {others}" if others else ""))
    return lines


def complain_of_spaces(spaces: Iterable[int], chip: str | None) -> None:
    """Warn on standard error of memory spaces that the chip has no name for."""
    for sentence in unknown_spaces(spaces, chip):
        complain(f"tla: {sentence}")


def room_line(name: str, used: int, chip: str | None) -> str:
    """Return how much of a chip's HBM or VMEM is left; "" for another memory, or if no chip is named.

    >>> room_line("VMEM", 1 << 20, "v5e")
    'a v5e has 134217728 bytes (128.00 MiB): 133169152 bytes (127.00 MiB) are left'
    """
    room = capacity(name, chip)
    if room is None:
        return ""
    left = f"{bytes_in_words(room - used)} are left" if used <= room else "it does not fit"
    return f"a {chip} has {bytes_in_words(room)}: {left}"


def capacity(name: str, chip: str | None) -> int | None:
    """Return the bytes of a chip's HBM or VMEM; None for another memory, or if no chip is named."""
    if chip is None:
        return None
    return {"HBM": chip_named(chip).hbm_bytes, "VMEM": chip_named(chip).vmem_bytes}.get(name)
