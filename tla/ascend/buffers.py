# SPDX-License-Identifier: Apache-2.0
"""The buffers of a core: their sizes, the allowed starts of a tile, and its allowed tags.

>>> here = buffer_of("AtlasA2", "L0A")
>>> here.capacity, here.unit, here.tags
(65536, 512, ('zZ',))
>>> here.holds(65536), here.starts(100)
(True, False)

`tla.ascend.allocate` checks a tile by these rules, and `Plan.check` the stages of a plan.

Source: CATLASS arch/arch.hpp, gemm/helper.hpp, the tile copies; CANN Ascend C, "General Restrictions".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from ..numbers import known_divides, known_lt
from .arch import arch as arch_named
from .cube import BIASES
from .tags import FORMS, TAGS

if TYPE_CHECKING:
    from .arch import Arch, Position
    from .elements import Element


class Buffer(NamedTuple):
    """A buffer of an architecture, with its rules for a tile.

    >>> buffer_of("AtlasA2", "L0A")[1:5]
    ('L0A', 65536, 512, ('zZ',))
    """

    arch: Arch
    position: Position
    capacity: int
    """The size in bytes."""
    unit: int
    """The alignment of the start of a tile, in bytes."""
    tags: tuple[str, ...]
    """The allowed tags of a tile; empty if any layout is allowed."""
    elements: tuple[str, ...] | None
    """The element types that it holds; None for all."""

    def holds(self, end: int) -> bool | None:
        """Whether the buffer has room up to the end of a tile; None if unknowns decide."""
        past = known_lt(self.capacity, end)
        return None if past is None else not past

    def starts(self, start: int) -> bool | None:
        """Whether a tile may start at a byte; None if unknowns decide."""
        return known_divides(self.unit, start)

    def tags_of(self, of: Element, rank: int) -> tuple[str, ...]:
        """Return its tags for an element type and `rank` modes; all tags if none has that many modes.

        >>> from tla.ascend import element
        >>> half, scale = element("half"), element("float8_e8m0_t")
        >>> [buffer_of("Ascend950", "L1").tags_of(of, 2)[3:] for of in (half, scale)]
        [('nN',), ('nN', 'MxScalezZ', 'MxScalenN')]
        """
        tags = tuple([tag for tag in self.tags if of.name in (TAGS[tag].elements or (of.name,))])
        return tuple([tag for tag in tags if len(FORMS[tag].modes) == rank]) or tags

    def __str__(self) -> str:
        return f"{self.position} of {self.arch}"


def buffer_of(arch: str | Arch, position: Position) -> Buffer:
    """Return a buffer of an architecture, with its rules for a tile.

    No source states the starts in FB. A copy to FB writes whole blocks, so a start is assumed to be a
    multiple of a block.

    Raises:
        UnsupportedError: there is no such architecture or buffer, or no alignment is stated for it.
    """
    core = arch_named(arch)
    capacity = core.capacity(position)
    unit = core.fixpipe_block if position == "FB" else core.start_alignment(position)
    elements = _elements(core, position)
    return Buffer(core, position, capacity, unit, _tags(core, position), elements)


def l1_tag(tag: str) -> str:
    """The tag of a tile in L1, from its tag in global memory: rows stay rows.

    >>> l1_tag("RowMajor"), l1_tag("PaddingColumnMajor")
    ('zN', 'nZ')

    Source: CATLASS L1ATypeSelector, L1BTypeSelector, gemm/helper.hpp.
    """
    return "nZ" if tag in ("ColumnMajor", "nZ", "PaddingColumnMajor") else "zN"


_IN_L1: Final = ("zN", "nZ", "zZ", "nN", "VectorLayout", "Fmap", "Filter", "NDC1HWC0")
"""The tags that CATLASS copies from global memory to L1: products, biases, convolutions."""
_SCALES: Final = ("MxScalezZ", "MxScalenN")


def _tags(arch: Arch, position: Position) -> tuple[str, ...]:
    if position == "L1":
        return (*_IN_L1, *_SCALES) if arch.code == 3510 else _IN_L1
    alone = {"L0A": arch.l0a_tag, "L0B": "nZ", "L0C": "L0C", "BT": "VectorLayout", "FB": "VectorLayout"}
    return (alone[position],) if position in alone else ()


def _elements(arch: Arch, position: Position) -> tuple[str, ...] | None:
    """The element types that the cube core reads as A and B, sums in, and has in the bias table."""
    if position == "BT":
        return tuple(dict.fromkeys([sums for sums, _bias in BIASES[arch.code]]))
    field = {"L0A": "a", "L0B": "b", "L0C": "accumulator"}.get(position)
    if field is None:
        return None
    return tuple(dict.fromkeys([getattr(pair, field) for pair in arch.products]))
