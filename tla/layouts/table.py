# SPDX-License-Identifier: Apache-2.0
"""Whole offset tables of a layout.

The table of a layout is a sum of one vector for each leaf, so it is built by outer sums: one pass
over the result, whatever the nesting.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from ..errors import LayoutError
from ..ground import guarded, limit_error, limit_of
from ..numbers import Basis, evaluated, known_int, leaf
from .int_tuple import flatten_to_tuple, leaves, transform_leaf
from .layout import Layout, as_layout
from .swizzle import is_composed, is_swizzle

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray

    from .layout import AnyLayout
    from .swizzle import ComposedLayout


@guarded
def offsets(layout: AnyLayout | ComposedLayout, limit: int | None = None) -> NDArray[np.int64]:
    """Return the offset of every coordinate, an array shaped like the top-level modes.

    ``offsets(layout)[i, j, ...] == layout(i, j, ...)``. A rank-0 layout, and one of a bare int
    shape, give arrays of rank 0 and 1. Coordinates as values lie along a last axis, leaf by leaf.
    Where numpy is absent the result is `offset_lists`.

    >>> offsets(Layout(((2, 2), 3), ((1, 6), 2)))
    array([[ 0,  2,  4],
           [ 1,  3,  5],
           [ 6,  8, 10],
           [ 7,  9, 11]])
    >>> offsets(make_identity_layout((4, 8)))[3, 5]
    array([3, 5])

    Args:
        limit: The most coordinates in a table, each of 8 bytes; by default the ``offsets`` of
            `tla.limits`.

    Raises:
        LayoutError: an offset does not fit in 64 bits, or there are more modes than numpy has axes
            for (64).
        LimitError: there are more coordinates than ``limit``.
    """
    if is_composed(layout):
        seen: NDArray[np.int64] = _through(layout, offsets(layout.inner, limit))
        return seen
    as_layout(layout)
    limit = None if limit is None else leaf(limit)
    try:
        import numpy as np
    except ModuleNotFoundError:
        stand_in: NDArray[np.int64] = offset_lists(layout)
        return stand_in
    modes = _modes(layout)
    if steps := [step for mode in modes for _n, step in mode if isinstance(step, Basis)]:
        return np.stack([offsets(part, limit) for part in _along(layout, steps)], axis=-1)
    sizes = [prod(n for n, _step in mode) for mode in modes]
    size = prod(sizes)
    # numpy counts the axes of an empty array as if the empty one were not there
    room = prod(n for n in sizes if n)
    most = limit_of("offsets") if limit is None else limit
    if size > most or len(sizes) > 64 or room >= 2**60:
        summary = f"the table of {layout} is too large: {size} offsets in {len(sizes)} modes"
        way = (
            f"At most {most} in 64 modes, with extents of a product below 2**60, are tabulated."
            " layout(coord) gives single offsets."
        )
        if size > most:
            raise limit_error("offsets", summary, way, needed=size, argument=limit, layout=layout)
        raise LayoutError(summary, way, layout=layout)
    if not size:
        return np.zeros(sizes, dtype=np.int64)
    reaches = [(n - 1) * step for mode in modes for n, step in mode]
    low, high = sum(r for r in reaches if r < 0), sum(r for r in reaches if r > 0)
    if not -(2**63) <= low <= high < 2**63:
        raise LayoutError(
            f"the offsets of {layout} do not fit in 64 bits",
            f"They run from {low} to {high}; offset_lists(layout) is exact.",
            layout=layout,
        )
    table: NDArray[np.int64] = np.zeros((), dtype=np.int64)
    for mode in modes:
        vector = np.zeros(1, dtype=np.int64)
        for extent, step in mode:  # the first leaf runs fastest: later ones go in front
            if extent != 1:  # no step is taken, and its stride may exceed 64 bits
                vector = np.add.outer(np.arange(extent) * step, vector).reshape(-1)
        table = np.add.outer(table, vector)
    return table


def offsets_between(
    layout: AnyLayout | ComposedLayout, ranges: Iterable[tuple[int, int]]
) -> NDArray[np.int64]:
    """Return the offsets of the coordinates whose mode ``i`` is in ``range(*ranges[i])``.

    >>> offsets_between(Layout(((2, 2), 3), ((1, 6), 2)), [(1, 3), (0, 2)])
    array([[1, 3],
           [6, 8]])
    """
    import numpy as np

    if is_composed(layout):
        seen: NDArray[np.int64] = _through(layout, offsets_between(layout.inner, ranges))
        return seen
    table: NDArray[np.int64] = np.zeros((), dtype=np.int64)
    for mode, (low, high) in zip(_modes(layout), ranges, strict=True):
        rest = np.arange(low, high)
        vector = np.zeros_like(rest)
        for extent, step in [digit for digit in mode if digit[0] != 1]:
            rest, digit = np.divmod(rest, extent)
            vector += digit * step
        table = np.add.outer(table, vector)
    return table


def offset_lists(layout: AnyLayout | ComposedLayout) -> Any:
    """Return the offset of every coordinate as nested lists; exact for any stride, without numpy.

    >>> offset_lists(Layout((2, 3), (3, 1)))
    [[0, 1, 2], [3, 4, 5]]
    >>> offset_lists(make_identity_layout((2, 2)))
    [[(0, 0), (0, 1)], [(1, 0), (1, 1)]]

    Raises:
        LimitError: there are more than the ``coordinates`` of `tla.limits`.
    """
    if is_composed(layout):
        return _through(layout, offset_lists(layout.inner))
    size, most = known_int(as_layout(layout).size), limit_of("coordinates")
    if size > most:
        summary = f"the table of {layout} is too large: {size} offsets; at most {most} are listed"
        raise limit_error("coordinates", summary, needed=size, layout=layout)

    steps = tuple(leaves(layout.stride))

    def rows(base: Any, modes: list[list[tuple[int, Any]]]) -> Any:
        if not modes:
            return evaluated(base, steps)
        return [rows(base + at, modes[1:]) for at in _vector(modes[0])]

    return rows(0, _modes(layout))


def _through(composed: ComposedLayout, table: Any) -> Any:
    """The table of the inner layout, seen through the outer function."""
    rows: Any = table
    if isinstance(table, list):
        return [_through(composed, row) for row in rows]
    if not hasattr(table, "shape"):
        return known_int(composed.through(table))
    import numpy as np

    outer, offset = composed.outer, known_int(composed.offset)
    if is_swizzle(outer) and known_int(outer.size) < 2**62 and table.size:
        low, high = offset + int(table.min()), offset + int(table.max())
        if 0 <= low <= high < 2**62:
            at = table + offset if offset else table
            shift = outer.shift.real
            moved = at & (((1 << outer.bits) - 1) << (outer.base + max(0, shift)))
            moved = moved >> shift if shift > 0 else moved << -shift
            moved ^= at
            return moved
    values, places = np.unique(table, return_inverse=True)
    seen = [known_int(composed.through(int(x))) for x in values]
    return np.array(seen, dtype=np.int64)[places].reshape(table.shape)


def _along(layout: AnyLayout, steps: list[Basis]) -> list[AnyLayout]:
    """Layouts of ints, one for each leaf of the coordinates that a layout has as values."""
    zero: Any = sum([d * 0 for d in steps])

    def part(i: int) -> AnyLayout:
        def along(d: Any) -> Any:
            return flatten_to_tuple((d + zero).coordinate())[i]

        return Layout(layout.shape, transform_leaf(along, layout.stride))

    return [part(i) for i in range(len(flatten_to_tuple(zero.coordinate())))]


def _vector(mode: list[tuple[int, Any]]) -> list[Any]:
    """The offsets of one mode, its first leaf fastest."""
    out: list[Any] = [0]
    for extent, step in mode:
        out = [i * step + base for i in range(extent) for base in out]
    return out


def _modes(layout: AnyLayout) -> list[list[tuple[int, Any]]]:
    """The (extent, stride) leaves of each top-level mode, as plain ints or sums of basis elements."""

    def known(d: Any) -> Any:
        return d.map(known_int) if isinstance(d, Basis) else known_int(d)

    return [
        [(known_int(n), known(d)) for n, d in zip(leaves(m.shape), leaves(m.stride), strict=True)]
        for m in layout
    ]
