# SPDX-License-Identifier: Apache-2.0
"""Partitions: what a block of threads, or one thread, has of a layout or a tensor.

A tiler divides it into tiles. The inner partition is one whole tile; the outer partition is one place in
each tile. CuTe's ``local_tile`` gives a block its tile, ``local_partition`` a thread its elements.

>>> gemm_a = Layout((512, 64), (64, 1))
>>> tile, offset = local_tile(gemm_a, (128, 8), (3, _))
>>> print(tile, offset)
(128,8,8):(64,1,8) 24576
>>> mine, offset = local_partition(tile[_, _, 0], Layout((32, 8), (8, 1)), 70)
>>> print(mine, offset)
(4,1):(2048,0) 518

Source: CuTe ``local_tile``, ``local_partition``, tensor_impl.hpp.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from ..errors import CongruenceError, CoordinateError, LayoutError
from ..ground import shown, written
from ..layouts import (
    AnyLayout,
    ComposedLayout,
    Coord,
    Tensor,
    Underscore,
    _,
    as_layout,
    as_static,
    compact_col_major,
    crd2idx,
    has_underscore,
    is_composed,
    is_tensor,
    is_underscore,
    make_layout,
    map_parts,
    of_coordinates,
    product_each,
    slice_and_offset,
    text_of,
    wrap,
)
from ..numbers import _0, equal, is_static, is_tuple, known_eq, known_lt, leaf
from .composition import composition
from .divide import zipped_divide
from .facts import is_bijective
from .inverse import right_inverse
from .modes import is_symbolic, modes_of, row
from .preimage import preimage

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..numbers import IntLike
    from .by_mode import Tiler

AnyView: TypeAlias = "AnyLayout | ComposedLayout | Tensor[Any, AnyLayout]"


def cut(x: Any, divided: Callable[[Any], Any], coord: Coord) -> Any:
    """Return what lies at a coordinate of a layout divided, and the offset of its first element.

    Of a layout behind a swizzle the offset stays inside and is 0; of a tensor it is a tensor.
    """
    found = slice_and_offset(coord, divided(x.inner if is_tensor(x) else x))
    return x.with_inner(found) if is_tensor(x) else found


def inner_partition(x: AnyView, tiler: Tiler, coord: Coord) -> Any:
    """Return the tile of ``x`` at a coordinate among the tiles, and the offset of its first element.

    ``tile(c) == zipped_divide(x, tiler)(c, coord)`` less the offset. A tensor gives a tensor alone.

    >>> tile, offset = inner_partition(Layout((8, 6), (6, 1)), (4, 2), (1, 2))
    >>> print(tile, offset)
    (4,2):(6,1) 28

    Args:
        tiler: A tile for each of the first modes of ``x``.
        coord: An int, or one for each mode; `_`, and a mode past the end, keeps all tiles along it.

    Raises:
        CoordinateError: there is no such tile.
    Source: CuTe ``inner_partition``, tensor_impl.hpp.
    """
    return _partition(x, tiler, coord, 1)


def outer_partition(x: AnyView, tiler: Tiler, coord: Coord) -> Any:
    """Return of each tile of ``x`` what lies at a coordinate of the tile, and the offset of the first.

    ``part(c) == zipped_divide(x, tiler)(coord, c)`` less the offset. A tensor gives a tensor alone.

    >>> part, offset = outer_partition(Layout((8, 6), (6, 1)), (4, 2), (1, 1))
    >>> print(part, offset)
    (2,3):(24,2) 7

    Raises:
        CoordinateError: the tile has no such coordinate.
    Source: CuTe ``outer_partition``, tensor_impl.hpp.
    """
    return _partition(x, tiler, coord, 0)


def _partition(x: AnyView, tiler: Any, coord: Any, fixed: int) -> Any:
    """What lies at a coordinate of one of the two modes of the tiles."""
    whole: Any = x.inner if is_tensor(x) else x
    tiles = zipped_divide(whole, tiler)
    at: list[Any] = [(_,) * len(wrap(mode)) for mode in tiles.shape]
    at[fixed] = (*coord, *at[fixed][len(coord) :]) if is_tuple(coord) else coord
    try:
        return cut(x, lambda _x: tiles, tuple(at))
    except CoordinateError:
        raise _not_there(make_layout(tiles.shape[fixed]), at[fixed], fixed) from None


def _not_there(places: Any, coord: Any, fixed: int) -> CoordinateError:
    """The error of a coordinate among the tiles, or inside of them."""
    what = ("tile", "the tiles have") if fixed else ("element", "a tile has")
    details: tuple[str, ...] = ()
    try:
        places[coord] if has_underscore(coord) else places(coord)
    except CoordinateError as error:
        details = error.details
    return CoordinateError(
        f"there is no {what[0]} {text_of(coord)}: {what[1]} the shape {text_of(places.shape)}",
        *details,
        coord=coord,
        shape=places.shape,
    )


def local_tile(x: AnyView, tiler: Tiler, coord: Coord, proj: Coord | None = None) -> Any:
    """Return the tile that a block has, and its offset: `inner_partition`.

    >>> M = sym("M")
    >>> bx = sym("bx", min=0, max=ceil_div(M, 128) - 1)
    >>> tile, offset = local_tile(row_major(M, 64), (128, 32), (bx, 1))
    >>> print(tile, offset)
    (128,32):(64,1) 8192*bx{min=0,max=(M+127)//128-1}+32

    Args:
        proj: Which modes of the tiler and the coordinate to use: an int for one that is used, `_` for
            one that is not. CuTe's ``Step<_1, X, _1>`` is ``(1, _, 1)``.

    Source: CuTe ``local_tile``, tensor_impl.hpp.
    """
    if proj is not None:
        tiler, coord = (_projected(proj, part) for part in (tiler, coord))
    return inner_partition(x, tiler, coord)


def local_partition(
    x: AnyView, threads: AnyLayout, index: IntLike | Underscore | None, proj: Coord | None = None
) -> Any:
    """Return what a thread has of ``x``, and its offset: one place in each tile of the threads.

    >>> part, offset = local_partition(Layout((128, 8), (8, 1)), Layout((32, 8), (8, 1)), 70)
    >>> print(part, offset)
    (4,1):(256,0) 70
    >>> every, _offset = local_partition(Layout((128, 8), (8, 1)), Layout((32, 8), (8, 1)), _)
    >>> print(every, every(70, 3, 0) == offset + part(3, 0))
    ((8,32),4,1):((1,8),256,0) True

    Args:
        threads: The layout of the threads over a tile; its value is the number of the thread.
        index: The number of the thread; `_` keeps all of them, as a mode in front.
        proj: Which modes of ``threads`` to use, as in `local_tile`.

    Raises:
        CoordinateError: no coordinate of ``threads`` has this number.
        LayoutError: all threads are asked for, and they are not numbered from 0 without gaps.
    Source: CuTe ``local_partition``, tensor_impl.hpp, which takes any number and any layout.
    """
    shape = wrap(as_layout(threads).shape)
    if is_underscore(index):
        return _of_all(x, threads, shape if proj is None else _projected(proj, shape), proj)
    place = _place(threads, leaf(index))
    tile: Any = product_each(shape)
    at: Any = tuple([crd2idx(c, n) for c, n in zip(wrap(place), shape, strict=True)])
    if proj is not None:
        tile, at = (_projected(proj, part) for part in (tile, at))
    return outer_partition(x, tile, at)


def _of_all(x: AnyView, threads: AnyLayout, kept: Any, proj: Any) -> Any:
    """What every thread has, by its number and then as `local_partition` has it."""
    if not is_bijective(threads):
        raise LayoutError(
            f"the threads {threads} are not numbered 0 to {threads.size - 1}, each once",
            "Ask for one of them: local_partition(x, threads, number).",
            threads=threads,
        )
    steps = compact_col_major(product_each(kept))
    if proj is not None:  # threads that differ in another mode share a place
        used = iter(steps)
        steps = tuple([_0 if is_underscore(keep) else next(used) for keep in proj])
    numbers = make_layout(product_each(wrap(threads.shape)), steps)
    place = composition(numbers, right_inverse(threads))

    def by_thread(of: Any) -> Any:
        if is_composed(of):
            return of.with_inner(by_thread(of.inner))
        tile, rest = modes_of(zipped_divide(of, product_each(kept)))
        return row([composition(tile, place), *modes_of(rest)])

    shape: Any = (x if is_tensor(x) else of_coordinates(x)).shape
    return cut(x, by_thread, (_, *[_] * len(wrap(shape))))


def _place(threads: AnyLayout, number: Any) -> Any:
    """The coordinate of a thread: the digits of its number, and a search where strides do not nest."""
    ints = number, threads.shape, threads.stride
    if known_lt(number, threads.cosize) is not False and known_lt(number, 0) is not True:
        place: Any = map_parts(partial(_digit, number), threads.shape, threads.stride)
        if equal(threads.extended(place), number):
            return place
        found = None if is_symbolic(*ints) else next(preimage(threads, number), None)
        if found is not None:
            return as_static(found) if is_static(ints) else found
    raise CoordinateError(
        f"there is no thread {written(number)} in {threads}",
        f"The numbers of the threads are its offsets, from 0 to {threads.cosize - 1}.",
        thread=number,
    )


def _digit(number: Any, size: Any, step: Any) -> Any:
    """The digit that a mode has in a number."""
    return 0 if known_eq(size, 1) or known_eq(step, 0) else number // step % size


def _projected(proj: Any, x: Any) -> Any:
    if not is_tuple(proj) or not is_tuple(x) or len(proj) != len(x):
        raise CongruenceError(
            f"the projection {shown(proj)} does not fit {shown(x)}",
            "It has an int for each mode that is used, and `_` for each that is not.",
        )
    return tuple([part for keep, part in zip(proj, x, strict=True) if not is_underscore(keep)])
