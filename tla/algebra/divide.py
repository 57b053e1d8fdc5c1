"""Division: a layout split into the tile that a tiler picks and the rest, ``a o (b, complement(b))``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import DivisibilityError
from ..ints import is_tuple
from ..layout import AnyLayout, as_layout, trusted
from .by_mode import Tiler, by_mode, is_left_alone, matched, tiler_text
from .complement import free
from .composition import composed, tiler_layout
from .modes import modes_of, row

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["flat_divide", "logical_divide", "tiled_divide", "unzipped", "zipped_divide"]


def logical_divide(layout: AnyLayout, tiler: Tiler, *, exact: bool = False) -> AnyLayout:
    """Return ``(tile, rest)``: the composition of ``layout`` with ``(tiler, complement(tiler))``.

    Mode 0 is ``layout o tiler``, mode 1 runs over the tiles. Each coordinate of ``layout`` is one of
    the result where ``tiler`` is injective and its size divides.

    >>> print(logical_divide(Layout((4, 2, 3), (2, 1, 8)), Layout(4, 2)))
    ((2,2),(2,3)):((4,1),(2,8))
    >>> print(logical_divide(Layout((8, 6), (1, 8)), (4, 3)))
    ((4,2),(3,2)):((1,4),(8,24))

    Args:
        tiler: A layout; an int ``n`` for ``n:1``; a tuple divides by mode, each part the mode at its
            place, `_` and None leave a mode as it is, as do places past the tuple.
        exact: Refuse a tile that does not divide. Without it the last mode grows and so does the
            size, as in CuTe: ``logical_divide(10:1, 4)`` has 12 coordinates.

    Raises:
        DivisibilityError: the tile cuts a mode unevenly; with ``exact`` also where the size grows.
        OverlapError: the modes of the tiler overlap or interleave.
        CongruenceError: there are more tilers than modes.
    Source: CuTe ``logical_divide``, layout.hpp.
    """
    as_layout(layout)
    if is_tuple(tiler):
        return by_mode(lambda mode, part: divided(mode, tiler_layout(part), exact), layout, tiler)
    return layout if is_left_alone(tiler) else divided(layout, tiler_layout(tiler), exact)


def divided(
    layout: AnyLayout, tiler: AnyLayout, exact: bool = False, steps: list[Any] | None = None
) -> AnyLayout:
    """`logical_divide` by a layout. ``steps`` receives the complement, and the layout composed with."""
    size = layout.size
    rest = free(tiler, size)
    if steps is not None:
        steps.append((tiler, rest))
    result = composed(layout, row((tiler, rest)))
    if exact and result.size != size:
        grown = result.size
        raise DivisibilityError(
            f"the tile {tiler} does not divide {layout}",
            f"Tiles cover {grown} coordinates, the layout has {size}; exact=False lets the last mode"
            f" grow to that.",
            layout=layout,
            tiler=tiler,
            padded_size=grown,
        )
    return result


def zipped_divide(layout: AnyLayout, tiler: Tiler, *, exact: bool = False) -> AnyLayout:
    """Return ``((tiles), (rests))``: `logical_divide` by mode, its tiles in mode 0, the rest in mode 1.

    >>> print(zipped_divide(Layout((8, 6), (1, 8)), (4, 3)))
    ((4,3),(2,2)):((1,8),(4,24))

    A mode left alone is a tile of one element: all of it is in the rest.
    Source: CuTe ``zipped_divide``, layout.hpp.
    """
    return unzipped(lambda mode, part: divided(mode, tiler_layout(part), exact), layout, tiler)


def tiled_divide(layout: AnyLayout, tiler: Tiler, *, exact: bool = False) -> AnyLayout:
    """Return ``((tiles), rest, rest, ...)``: `zipped_divide` with the modes of the rest at the top.

    >>> print(tiled_divide(Layout((8, 6), (1, 8)), (4, 3)))
    ((4,3),2,2):((1,8),4,24)

    Source: CuTe ``tiled_divide``, layout.hpp.
    """
    tile, rest = modes_of(zipped_divide(layout, tiler, exact=exact))
    return row((tile, *modes_of(rest)))


def flat_divide(layout: AnyLayout, tiler: Tiler, *, exact: bool = False) -> AnyLayout:
    """Return ``(tile, tile, ..., rest, rest, ...)``: `zipped_divide` with all its modes at the top.

    >>> print(flat_divide(Layout((8, 6), (1, 8)), (4, 3)))
    (4,3,2,2):(1,8,4,24)

    Source: CuTe ``flat_divide``, layout.hpp.
    """
    tile, rest = modes_of(zipped_divide(layout, tiler, exact=exact))
    return row((*modes_of(tile), *modes_of(rest)))


def unzipped(
    split: Callable[[AnyLayout, Any], AnyLayout], layout: AnyLayout, tiler: Tiler
) -> AnyLayout:
    """Return the two modes of a split by mode gathered: all first ones, then all second ones.

    Args:
        split: Makes a layout of two modes of a mode and its tiler.
    """
    if is_left_alone(tiler):
        return row((trusted(1, 0), layout))
    if not is_tuple(tiler):
        return split(layout, tiler)
    pairs, rest = matched(modes_of(as_layout(layout)), tiler)
    halves = [modes_of(unzipped(split, mode, part)) for mode, part in pairs]
    return row((row([first for first, _second in halves]), row([*(s for _f, s in halves), *rest])))
