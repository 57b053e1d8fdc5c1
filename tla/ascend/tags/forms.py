# SPDX-License-Identifier: Apache-2.0
"""Forms of layout tags: the modes, leaves and order that all layouts of a tag share.

A form has the leaves of each mode with their sizes, and the order of the leaves in memory. The strides
follow from these: a leaf steps over all leaves before it. A tile has fewer blocks than its matrix but
the same strides. So after a count of blocks that stride is only the least one.

>>> zN = FORMS["zN"]
>>> zN.modes, zN.sizes
(('row', 'column'), ((16, 'count'), ('C0', 'count')))
>>> [zN.modes[leaf.mode] for leaf in zN.leaves()]  # the fastest first
['column', 'row', 'row', 'column']
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

from .conv import CHANNELS, FILTER, FMAP
from .mx import SCALE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Size: TypeAlias = "int | Literal['C0', 'count', 'block']"
"""A number; ``C0``, 32 bytes of elements; ``count``, which a tile cuts; ``block``, which it keeps."""


class Leaf(NamedTuple):
    """A leaf of a form: its mode, its place in the mode, and its size."""

    mode: int
    level: int
    size: Size

    def fixed_size(self, bits: int | None) -> int | None:
        """The size that the tag fixes for elements of `bits` bits; None if it fixes none."""
        if self.size == "C0":
            return None if bits is None else 256 // bits
        return self.size if isinstance(self.size, int) else None


class Form(NamedTuple):
    """The modes of a tag with their leaves, and the order of the leaves in memory."""

    modes: tuple[str, ...]
    """The names of the modes, in the singular."""
    sizes: tuple[tuple[Size, ...], ...]
    """The sizes of the leaves of each mode; a single leaf is the mode itself."""
    order: tuple[tuple[int, int], ...]
    """The leaves as (mode, level), the fastest first."""
    elements: tuple[str, ...] | None = None
    """The element types that the tag is for; None for all."""
    pairs: bool = False
    """Whether a line of fp4 elements holds whole pairs of them."""

    def leaves(self) -> Iterator[Leaf]:
        """The leaves, the fastest first."""
        for mode, level in self.order:
            yield Leaf(mode, level, self.sizes[mode][level])

    @property
    def has_c0(self) -> bool:
        """Whether the layout depends on the width of the elements."""
        return any(size == "C0" for mode in self.sizes for size in mode)

    def is_nested(self, mode: int) -> bool:
        """Whether a mode has leaves of its own."""
        return len(self.sizes[mode]) > 1

    def with_batch(self, count: int) -> Form:
        """The form with `count` modes before the others, which count copies; the last is fastest."""
        order = [(mode + count, level) for mode, level in self.order]
        order += [(mode, 0) for mode in reversed(range(count))]
        return self._replace(
            modes=("batch",) * count + self.modes,
            sizes=(("count",),) * count + self.sizes,
            order=tuple(order),
        )

    def batches_of(self, rank: int) -> int:
        """The number of modes that count copies in a layout of `rank` modes; for a vector 0.

        Copies of a vector are RowMajor.
        """
        return max(0, rank - len(self.modes)) if len(self.modes) > 1 else 0


def _form(modes: str, sizes: str, order: str, **more: Any) -> Form:
    """The form of three texts: the modes, the sizes of each, the order as digits of mode and level."""
    leaves: list[tuple[Any, ...]] = [
        tuple([int(size) if size.isdigit() else size for size in mode.split(",")])
        for mode in sizes.split()
    ]
    places = tuple([(int(at[0]), int(at[1])) for at in order.split()])
    return Form(tuple(modes.split()), tuple(leaves), places, **more)


_MATRIX = "row column"
_E8M0 = (SCALE,)


def _rows_of_channels(axes: tuple[str, ...], size: Size = "block") -> Form:
    """Axes and C0, the last fastest."""
    counts: list[tuple[Size, ...]] = [("count",)] * len(axes)
    order = tuple([(mode, 0) for mode in range(len(axes), -1, -1)])
    return Form((*axes, "C0"), (*counts, (size,)), order)


FORMS: Final[Mapping[str, Form]] = {
    "RowMajor": _form(_MATRIX, "count count", "10 00", pairs=True),
    "ColumnMajor": _form(_MATRIX, "count count", "00 10", pairs=True),
    "VectorLayout": _form("element", "count", "00"),
    "zN": _form(_MATRIX, "16,count C0,count", "10 00 01 11"),
    "nZ": _form(_MATRIX, "C0,count 16,count", "00 10 11 01"),
    "zZ": _form(_MATRIX, "16,count C0,count", "10 00 11 01"),
    "nN": _form(_MATRIX, "C0,count 16,count", "00 10 01 11"),
    "L0C": _form(_MATRIX, "16,count 16,count", "10 00 01 11"),
    "Weight4BitnZ": _form(_MATRIX, "32,count 16,count", "00 10 11 01"),
    "PaddingRowMajor": _form(_MATRIX, "block,count block,count", "10 00 11 01"),
    "PaddingColumnMajor": _form(_MATRIX, "block,count block,count", "00 10 01 11"),
    "Fmap": _rows_of_channels(FMAP, "C0"),
    "Filter": _rows_of_channels(FILTER, "C0"),
    **{name: _rows_of_channels(axes) for name, axes in CHANNELS.items()},
    "MxScaleRowMajorA": _form(_MATRIX, "count 2,count", "10 11 00", elements=_E8M0),
    "MxScaleColumnMajorA": _form(_MATRIX, "count 2,count", "10 00 11", elements=_E8M0),
    "MxScaleRowMajorB": _form(_MATRIX, "2,count count", "00 10 01", elements=_E8M0),
    "MxScaleColumnMajorB": _form(_MATRIX, "2,count count", "00 01 10", elements=_E8M0),
    "MxScalezZ": _form(_MATRIX, "16,count 2,count", "10 00 11 01", elements=_E8M0),
    "MxScalenN": _form(_MATRIX, "2,count 16,count", "00 10 01 11", elements=_E8M0),
}
"""The form of each tag, by its name. `tag_of` tries them in this order, tags of one element first."""

UNALIGNED: Final = {"zNUnAlign": _form(_MATRIX, "count,1 C0,count", "10 00 01 11")}
"""zN with one block of all rows, which no tag makes."""


# --- in words ---------------------------------------------------------------------------------


def leaf_name(form: Form, leaf: Leaf, many: bool = False) -> str:
    """Return a leaf in words: ``the row block``, ``the rows``, ``h``."""
    name = form.modes[leaf.mode]
    if form.is_nested(leaf.mode):
        name = f"{name} block"
    elif not name.startswith(_WORDS):
        return name
    return f"the {plural(name) if many else name}"


def leaf_place(form: Form, leaf: Leaf) -> str:
    """Return the place of a leaf: ``inside the row block``, ``the row blocks``, ``the rows``."""
    if form.is_nested(leaf.mode) and not leaf.level:
        return f"inside {leaf_name(form, leaf)}"
    return leaf_name(form, leaf, many=True)


def plural(name: str) -> str:
    """Return the plural of a word; a name of CATLASS, such as ``h``, stays."""
    if name == "batch":
        return "batches"
    return f"{name}s" if name.startswith(_WORDS) else name


_WORDS: Final = ("row", "column", "element", "batch")
