# SPDX-License-Identifier: Apache-2.0
"""Division: a layout split into the tile that a tiler picks and the rest, ``a o (b, complement(b))``."""

from __future__ import annotations

from functools import partial
from math import prod
from typing import TYPE_CHECKING, Any

from ..errors import DivisibilityError
from ..layouts import AnyLayout, as_layout, as_static, is_layout, make_layout, trusted
from ..numbers import INT, _0, _1, divides, equal, is_static, is_tuple, known_eq, less, max_, of_domain
from .by_mode import Tiler, by_mode, is_left_alone, require_modes
from .complement import free, gaps
from .composition import composed, extended_modes, tiler_layout, walk_ints
from .modes import (
    can_grow,
    in_shape,
    is_symbolic,
    modes_of,
    nearest,
    one_mode,
    operation,
    read_both,
    row,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..numbers import Conditions
    from .steps import ComplementStep


@operation
@of_domain
def logical_divide(
    layout: AnyLayout, tiler: Tiler, *, exact: bool = False, assume: Conditions | None = None
) -> AnyLayout:
    """Return ``(tile, rest)``: the composition of ``layout`` with ``(tiler, complement(tiler))``.

    Mode 0 is ``layout o tiler``, mode 1 runs over the tiles. Each coordinate of ``layout`` is one of
    the result where tiler and complement fill ``range(size)``. They do so where each of the tiler's
    strides, and the size, is a multiple of the extent times stride before it.

    >>> print(logical_divide(Layout((4, 2, 3), (2, 1, 8)), Layout(4, 2)))
    ((2,2),(2,3)):((4,1),(2,8))
    >>> print(logical_divide(Layout((8, 6), (1, 8)), (4, 3)))
    ((4,2),(3,2)):((1,4),(8,24))

    Args:
        tiler: A layout; an int ``n`` for ``n:1``. A tuple divides by mode, each part the mode at its
            place. `_`, None and places past the tuple leave a mode as it is.
        exact: Refuse a tile that does not divide. Without it the last mode grows and so does the
            size, as in CuTe: ``logical_divide(10:1, 4)`` has 12 coordinates.

    Raises:
        DivisibilityError: the tile cuts a mode unevenly; with ``exact`` also where the size grows.
        OverlapError: the modes of the tiler overlap or interleave.
        CongruenceError: there are more tilers than modes.
    Source: CuTe ``logical_divide``, layout.hpp.
    """
    if is_layout(tiler):
        return trusted(*_divided(layout, tiler, exact))
    return by_mode(lambda x, part: trusted(*_split(x.shape, x.stride, part, exact)), layout, tiler)


def _divided(layout: AnyLayout, tiler: AnyLayout, exact: bool) -> tuple[Any, Any]:
    """Shape and stride of `logical_divide` by a layout."""
    parts = _walk_ints(layout, tiler)
    if parts is None:
        try:
            result = composed(layout, row((tiler, free(tiler, layout.size))), hints=False)
        except DivisibilityError as error:
            raise _not_divided(layout, tiler, error) from None
        parts = result.shape, result.stride
    if exact:
        _require_exact(layout, tiler, trusted(*parts))
    return parts


def _not_divided(layout: AnyLayout, tiler: AnyLayout, error: DivisibilityError) -> DivisibilityError:
    """The error of a composition as that of the division, with the nearest tiles that divide."""

    def hint() -> str:
        if not isinstance(tiler.shape, int) or not known_eq(tiler.stride, 1):
            return ""
        tiles = nearest(int(tiler.shape), lambda n: _walk_ints(layout, trusted(n, 1)) is not None)
        return f"A tile of {' or '.join(map(str, tiles))} gives a layout." if tiles else ""

    return DivisibilityError(
        f"dividing {layout} by {tiler} does not give a layout",
        f"It is {error.summary.removesuffix(' is not a layout')}.",
        *error.details,
        **{**error.data, "layout": layout, "tiler": tiler},
    ).with_hint(hint)


def _require_exact(layout: AnyLayout, tiler: AnyLayout, result: AnyLayout) -> None:
    """Refuse tiles that cover more than the layout, or reach past its end."""
    size, count = layout.size, result.size
    if is_symbolic(size, tiler.shape, tiler.stride) and _fills(tiler, size, count):
        return
    reach = composed(make_layout(size, 1), row((tiler, free(tiler, size)))).cosize
    # the indices are distinct: size of them below size are all of them
    if equal(count, size) and not less(size, reach):
        return
    covered = max_(count, reach)
    hints: list[str] = []
    padded: dict[str, Any] = {}
    if not less(size, reach) and less(count, size):
        why = f"Its tiles take {count} of the {size} coordinates and leave gaps between them."
    elif less(reach, count):
        why = f"Its tiles take {count} coordinates, of which some are the same: the last is {reach - 1}."
    else:
        why = f"Its tiles reach over {covered} coordinates, the layout has {size}."
        if known_eq(tiler.size * free(tiler, covered).size, covered) is True:
            padded = {"padded_size": covered}
            hints.append(f"Padded to {covered} it would be divided.")
        hints.append("With exact=False the last mode grows.")
    summary = f"the tile {tiler} does not divide {layout}"
    raise DivisibilityError(summary, why, *hints, layout=layout, tiler=tiler, **padded)


def _fills(tiler: AnyLayout, size: Any, count: Any) -> bool:
    """Whether tiles that leave no gaps between them, ``count`` coordinates in all, fill the size.

    The modes of a tile and the gaps between them take ``end`` coordinates.
    """
    steps: list[ComplementStep] = []
    free(tiler, size, steps)
    last = steps[-1]
    return known_eq(count, last.end * last.gap) is True and divides(last.end, size)


def _walk_ints(layout: AnyLayout, tiler: AnyLayout) -> tuple[Any, Any] | None:
    """Shape and stride in one pass; None where ints are symbolic, or the composition needs a search."""
    read = read_both(layout, tiler)
    if read is None or not can_grow(layout.shape):
        return None
    modes, right, are_static = read
    rest = gaps(right, prod([s for s, _d in modes]), tiler)
    parts = walk_ints(extended_modes(modes), right + rest)
    if parts is None:
        return None
    if are_static:
        parts = [as_static(part) for part in parts]
    shape, stride = in_shape(parts[: len(right)], tiler.shape)
    more, steps = one_mode(parts[len(right) :])
    return (shape, more), (stride, steps)


@operation
@of_domain
def zipped_divide(
    layout: AnyLayout, tiler: Tiler, *, exact: bool = False, assume: Conditions | None = None
) -> AnyLayout:
    """Return ``((tiles), (rests))``: `logical_divide` by mode, its tiles in mode 0, the rest in mode 1.

    >>> print(zipped_divide(Layout((8, 6), (1, 8)), (4, 3)))
    ((4,3),(2,2)):((1,8),(4,24))

    A mode left alone is a tile of one element: all of it is in the rest.
    Raises:
        DivisibilityError, OverlapError, CongruenceError: as `logical_divide`.
    Source: CuTe ``zipped_divide``, layout.hpp.
    """
    return unzipped(partial(_split, exact=True) if exact else _split, layout, tiler)


@operation
@of_domain
def tiled_divide(
    layout: AnyLayout, tiler: Tiler, *, exact: bool = False, assume: Conditions | None = None
) -> AnyLayout:
    """Return ``((tiles), rest, rest, ...)``: `zipped_divide` with the modes of the rest at the top.

    >>> print(tiled_divide(Layout((8, 6), (1, 8)), (4, 3)))
    ((4,3),2,2):((1,8),4,24)

    Raises:
        DivisibilityError, OverlapError, CongruenceError: as `logical_divide`.
    Source: CuTe ``tiled_divide``, layout.hpp.
    """
    tile, rest = modes_of(zipped_divide(layout, tiler, exact=exact))
    return row((tile, *modes_of(rest)))


@operation
@of_domain
def flat_divide(
    layout: AnyLayout, tiler: Tiler, *, exact: bool = False, assume: Conditions | None = None
) -> AnyLayout:
    """Return ``(tile, tile, ..., rest, rest, ...)``: `zipped_divide` with all its modes at the top.

    >>> print(flat_divide(Layout((8, 6), (1, 8)), (4, 3)))
    (4,3,2,2):(1,8,4,24)

    Raises:
        DivisibilityError, OverlapError, CongruenceError: as `logical_divide`.
    Source: CuTe ``flat_divide``, layout.hpp.
    """
    tile, rest = modes_of(zipped_divide(layout, tiler, exact=exact))
    return row((*modes_of(tile), *modes_of(rest)))


def _split(shape: Any, stride: Any, tiler: Any, exact: bool = False) -> tuple[Any, Any]:
    """Shape and stride of one mode divided."""
    are_ints = type(tiler) is INT and type(shape) is INT and type(stride) is INT
    if are_ints and tiler > 0 and not exact:
        rest = -(-shape // tiler)  # one mode divided by an int: what the composition comes to
        return (tiler, rest), (stride, tiler * stride if rest != 1 else 0)
    return _divided(trusted(shape, stride), tiler_layout(tiler), exact)


def unzipped(
    split: Callable[[Any, Any, Any], tuple[Any, Any]], layout: AnyLayout, tiler: Tiler
) -> AnyLayout:
    """Split each mode in two by its tiler; return all first ones as mode 0, all second ones as mode 1.

    Args:
        split: Takes shape, stride and tiler of a mode; returns shape and stride, of two modes each.
    """
    as_layout(layout)
    return trusted(*_unzipped(split, layout.shape, layout.stride, tiler))


def _unzipped(split: Any, shape: Any, stride: Any, tiler: Any) -> tuple[Any, Any]:
    if not is_tuple(tiler):
        if not is_left_alone(tiler):
            halves: tuple[Any, Any] = split(shape, stride, tiler)
            return halves
        one, none = (_1, _0) if is_static((shape, stride)) else (1, 0)
        return (one, shape), (none, stride)
    shapes, strides = (shape, stride) if is_tuple(shape) else ((shape,), (stride,))
    if len(tiler) > len(shapes):
        require_modes(trusted(shape, stride), len(shapes), tiler)
    first: tuple[list[Any], list[Any]] = [], []
    second: tuple[list[Any], list[Any]] = [], []
    for s, d, part in zip(shapes, strides, tiler):  # noqa: B905 (modes past the tiler follow)
        (s0, s1), (d0, d1) = _unzipped(split, s, d, part)
        first[0].append(s0)
        first[1].append(d0)
        second[0].append(s1)
        second[1].append(d1)
    sizes, steps = (*second[0], *shapes[len(tiler) :]), (*second[1], *strides[len(tiler) :])
    return (tuple(first[0]), sizes), (tuple(first[1]), steps)
