# SPDX-License-Identifier: Apache-2.0
"""The rules of a shape, each with the sentence of its error.

They are the rules of XLA's validator, and one more: a tile does not end in ``*``, which would merge its
dim into nothing.

>>> check_tile((8, -1, 128))
(8, '*', 128)

Source: shape_util.cc ``ValidateShapeWithOptionalLayout``, layout_util.cc ``ValidateLayoutForShape``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias, Union

from ..errors import LayoutError, LeafError
from ..numbers import SymbolicInt
from .arguments import commas, integer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..ground import ElementType

COMBINE: Final = "*"
"""The tile entry that merges its dim into the next more minor one; -1 in the documents."""

INT64: Final = 2**63 - 1
"""The largest number of XLA."""

TileDim: TypeAlias = Union[int, Literal["*"]]
Tile: TypeAlias = tuple[TileDim, ...]
Split: TypeAlias = tuple[int, tuple[int, ...]]
"""A physical dim, 0 for the most major, and the indices of its splits."""


class Fields(NamedTuple):
    """The fields of an array shape, in XLA's order; `XlaShape` describes each."""

    element_type: ElementType
    dimensions: tuple[int, ...]
    dynamic_dimensions: tuple[bool, ...]
    minor_to_major: tuple[int, ...]
    tiles: tuple[Tile, ...] = ()
    tail_padding_alignment_in_elements: int = 1
    index_primitive_type: str | None = None
    pointer_primitive_type: str | None = None
    element_size_in_bits: int = 0
    memory_space: int = 0
    split_configs: tuple[Split, ...] = ()
    dynamic_shape_metadata_prefix_bytes: int = 0


# --- the rule of a part ---


def check_size(element: ElementType, dims: Sequence[int]) -> None:
    """Raise `LayoutError` unless elements and bytes stay below 2^63; unknown dims do not count."""
    count = 1
    for d in dims:
        if isinstance(d, SymbolicInt):
            continue
        if d < 0:
            raise LayoutError(f"dimension {d} is negative", dimensions=dims)
        count *= d
        if max(d, count) > INT64:  # from left to right, as XLA's validator multiplies
            raise LayoutError("the number of elements does not fit in 64 bits", dimensions=dims)
    if count * (element.bytes or 0) > INT64:
        raise LayoutError("the size in bytes does not fit in 64 bits", dimensions=dims)


def check_order(order: Sequence[int], rank: int) -> None:
    """Raise `LayoutError` unless ``order`` has each of the numbers below ``rank`` once."""
    if sorted(order) == list(range(rank)):
        return
    needs = {0: "none: a scalar has no dims", 1: "just the number 0"}
    raise LayoutError(
        f"minor_to_major {{{commas(order)}}} is not an order of {rank} dim{'' if rank == 1 else 's'}",
        f"It needs {needs.get(rank, f'each of the numbers 0 to {rank - 1} once')}.",
        minor_to_major=order,
    )


_WORDS: Final = {
    "L": "tail padding",
    "E": "element size",
    "S": "memory space",
    "M": "metadata prefix",
}


def check_attribute(letter: str, value: int) -> None:
    """Raise `LayoutError` unless the value of ``L``, ``E``, ``S`` or ``M`` is in XLA's range."""
    bits = 8 if letter == "S" else 64
    if letter == "L" and value < 1:
        fault = "is not positive"
    elif letter in "EM" and value < 0:
        fault = "is negative"
    elif not -(1 << bits - 1) <= value < 1 << bits - 1:
        fault = f"does not fit in {bits} bits"
    else:
        return
    raise LayoutError(f"{_WORDS[letter]} {letter}({value}) {fault}")


def tile_entries(entries: Iterable[object]) -> Tile:
    """Return the tile of some entries, where -1 may stand for ``*``, or raise `LayoutError`."""
    if isinstance(entries, (int, str)):
        raise LeafError(f"a tile is a tuple, not {entries!r}", "Write tiles=[(8, 128)].")
    tile: list[TileDim] = []
    for entry in entries:
        n = -1 if entry == COMBINE else integer("a tile entry", entry)
        if (n < 1 and n != -1) or n > INT64:
            fault = "is not positive" if n < 1 else "does not fit in 64 bits"
            raise LayoutError(f"tile entry {n} {fault}")
        tile.append(COMBINE if n == -1 else n)
    if not tile:
        raise LayoutError("a tile needs at least one entry")
    return tuple(tile)


def check_last_entry(tile: Tile) -> None:
    """Raise `LayoutError` if a tile ends in ``*``. XLA accepts it, and it has no effect there."""
    if tile and tile[-1] == COMBINE:
        raise LayoutError(
            f"tile ({commas(tile)}) ends in '*'",
            "'*' merges its dim into the next more minor one, and there is none.",
        )


def check_tile(entries: Iterable[object]) -> Tile:
    """Return the tile of some entries, or raise `LayoutError` for the rule that they break."""
    tile = tile_entries(entries)
    check_last_entry(tile)
    return tile


def check_dense(index_type: str | None, pointer_type: str | None) -> None:
    """Raise `LayoutError` if a layout has the types of a sparse array's indices and pointers."""
    for word, mark, name in (("index", "#", index_type), ("pointer", "*", pointer_type)):
        if name is not None:
            raise LayoutError(
                f"{word} type {mark}({name}) is of a sparse array",
                "XLA has no sparse arrays any more, and its validator refuses the layout.",
            )


def check_splits(splits: Sequence[Split], order: Sequence[int], dims: Sequence[int]) -> None:
    """Raise `LayoutError` unless each split cuts its own dim, at rising indices inside it.

    Args:
        order: minor_to_major, an order of the dims.
    """
    seen: set[int] = set()
    for number, indices in splits:
        written = f"split ({number}:{commas(indices)})"
        if not 0 <= number < len(dims):
            raise LayoutError(
                f"{written} is of physical dim {number}, which the shape does not have",
                f"It has {len(dims)}; number 0 is the most major one.",
            )
        if number in seen:
            raise LayoutError(f"{written} is the second of physical dim {number}")
        seen.add(number)
        size = dims[order[len(dims) - 1 - number]]
        if indices and isinstance(size, SymbolicInt):
            raise LayoutError(f"{written} cuts a dim of unknown size")
        bounds = (0, *indices)
        for low, high in zip(bounds, indices, strict=False):
            if not low < high < size:
                raise LayoutError(
                    f"{written} has an index out of place, {high}",
                    f"The indices rise, from 1 to {size - 1}: the dim has size {size}.",
                )


def check_data(fields: Fields) -> None:
    """Raise `LayoutError` if a type without data has dims or a layout."""
    name, bits = fields.element_type
    if bits is None and fields[1:] != Fields(fields.element_type, (), (), ())[1:]:
        raise LayoutError(f"{name} carries no data: it has no dims and no layout")


# --- all of them ---


def check(fields: Fields, stars: bool = True) -> None:
    """Raise `LayoutError` unless a shape follows all rules.

    Args:
        stars: Whether to check the rule that XLA's validator lacks: a tile does not end in ``*``.
    """
    check_size(fields.element_type, fields.dimensions)
    check_order(fields.minor_to_major, len(fields.dimensions))
    for tile in fields.tiles:
        tile_entries(tile)
    check_attribute("L", fields.tail_padding_alignment_in_elements)
    check_attribute("E", fields.element_size_in_bits)
    check_attribute("S", fields.memory_space)
    check_attribute("M", fields.dynamic_shape_metadata_prefix_bytes)
    check_dense(fields.index_primitive_type, fields.pointer_primitive_type)
    check_splits(fields.split_configs, fields.minor_to_major, fields.dimensions)
    check_data(fields)
    for tile in fields.tiles if stars else ():
        check_last_entry(tile)
