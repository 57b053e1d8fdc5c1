# SPDX-License-Identifier: Apache-2.0
"""What moves between devices when the sharding of an array changes, and the picture of a sharding.

>>> by_rows, by_columns = parse_sharding("{devices=[4,1]<=[4]}"), parse_sharding("{devices=[1,4]<=[4]}")
>>> for move in moves_to(0, by_rows, by_columns, (8, 16)):
...     print(move.sources, move.slices, move.elements)
(1,) ((2, 4), (0, 4)) 8
(2,) ((4, 6), (0, 4)) 8
(3,) ((6, 8), (0, 4)) 8
>>> moved_elements(by_rows, by_columns, (8, 16))
96
"""

from __future__ import annotations

from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..errors import LayoutError, UnsupportedError
from ..figures import layout_figure
from ..layouts import Layout
from .shape import XlaShape
from .sharding import Sharding, digits_of, parse_sharding

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..ground import Cell, Figure, Grid, Scheme

__all__ = ["Move", "moved_elements", "moves_to", "parse_sharding", "sharding_figure"]

_NAMED: Final = 8
"""The most devices that a cell of a picture names."""


class Move(NamedTuple):
    """A part of an array that a device needs and does not have.

    >>> Move((1, 3), 0, ((2, 4), (0, 4))).elements
    8

    Attributes:
        sources: The devices that have it; one of them sends it.
        target: The device that needs it.
        slices: Its start and stop in each dim.
    """

    sources: tuple[int, ...]
    target: int
    slices: tuple[tuple[int, int], ...]

    @property
    def elements(self) -> int:
        """The number of its elements."""
        return _elements(self.slices)


def moves_to(
    target: int, before: Sharding, after: Sharding, shape: XlaShape | Sequence[int]
) -> tuple[Move, ...]:
    """Return what one device has to receive when the sharding of an array changes.

    >>> halves, whole = parse_sharding("{devices=[2]<=[2]}"), parse_sharding("{replicated}")
    >>> moves_to(1, halves, whole, (10,))
    (Move(sources=(0,), target=1, slices=((0, 5),)),)

    The cost is that of the tiles which the device receives. The other devices are not looked at.

    Args:
        target: The position of the device in the mesh.
        before, after: Shardings over the same mesh.

    Raises:
        CoordinateError: there is no such device.
        LayoutError: the meshes do not have as many devices, or the shape has another rank.
        UnsupportedError: a sharding does not say what a device has, as ``{manual}``.
    """
    _same_mesh(before, after)
    extents = tuple(shape.dimensions if isinstance(shape, XlaShape) else shape)
    if after.kind == "maximal" and target != after.device:
        return ()
    wanted = after.slices(target, extents)
    if before.kind == "replicated" or (before.kind == "maximal" and target == before.device):
        return ()
    if before.kind == "maximal":
        sources = () if before.device is None else (before.device,)
        return (Move(sources, target, wanted),)
    sizes, own = before.shard_shape(extents), before.tile(target)
    tiles = [
        range(start // size, -(-stop // size)) if stop > start else range(0)
        for (start, stop), size in zip(wanted, sizes, strict=True)
    ]
    return tuple(
        Move(before.holders(tile), target, _overlap(wanted, tile, sizes))
        for tile in product(*tiles)
        if tile != own
    )


def moved_elements(before: Sharding, after: Sharding, shape: XlaShape | Sequence[int]) -> int:
    """Return how many elements all devices together receive when the sharding of an array changes.

    >>> whole, halves = parse_sharding("{replicated}"), parse_sharding("{devices=[2]<=[2]}")
    >>> moved_elements(halves, whole, (10,)), moved_elements(whole, halves, (10,))
    (10, 0)

    Raises:
        LayoutError: the meshes do not have as many devices, or the shape has another rank.
        UnsupportedError: a sharding does not say what a device has, as ``{manual}``.
    """
    _same_mesh(before, after)
    extents = tuple(shape.dimensions if isinstance(shape, XlaShape) else shape)
    devices = {device for each in (before, after) for device in (*each.device_list, each.device)}
    moved = 0
    for device in devices - {None}:
        wanted, own = _slices(after, device, extents), _slices(before, device, extents)
        kept = [(max(a, c), min(b, d)) for (a, b), (c, d) in zip(wanted, own, strict=True)]
        moved += _elements(wanted) - _elements(kept)
    return moved


def _elements(slices: Iterable[tuple[int, int]]) -> int:
    return prod(max(0, stop - start) for start, stop in slices)


def _slices(sharding: Sharding, device: Any, extents: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
    """The slice of a device; empty if all is on another device."""
    if sharding.kind == "maximal" and device != sharding.device:
        return ((0, 0), *((0, n) for n in extents[1:]))
    return sharding.slices(device, extents)


def _same_mesh(before: Sharding, after: Sharding) -> None:
    tiled = [each for each in (before, after) if each.devices is not None]
    if len(tiled) == 2 and before.size != after.size:
        raise LayoutError(
            f"{before} has {before.size} devices, and {after} has {after.size}",
            "A change of the sharding needs one mesh.",
        )


def _overlap(
    wanted: Sequence[tuple[int, int]], tile: Sequence[int], sizes: Sequence[int]
) -> tuple[tuple[int, int], ...]:
    return tuple(
        (max(start, i * size), min(stop, (i + 1) * size))
        for (start, stop), i, size in zip(wanted, tile, sizes, strict=True)
    )


def sharding_figure(
    sharding: Sharding,
    rows: int = 16,
    columns: int = 64,
    slices: int = 4,
    colour: Scheme | None = None,
) -> Figure:
    """Return the picture of a sharding: a cell for each tile of the array, with its devices.

    Dims that are not divided are left out.

    >>> sharding = parse_sharding("{devices=[2,1,2]<=[2,2]T(1,0)}")
    >>> figure = sharding_figure(sharding)
    >>> [[cell.text for cell in row] for row in figure.grids[0].cells], figure.title
    ([['0', '2'], ['1', '3']], '{devices=[2,1,2]<=[2,2]T(1,0)}: tiles of dims 0, 2')

    Raises:
        UnsupportedError: the sharding has no tiles.
    """
    if sharding.devices is None:
        raise UnsupportedError(f"{sharding} has no tiles to draw", sharding=str(sharding))
    cut = [d for d, n in enumerate(sharding.dims) if n > 1]
    counts = tuple(sharding.dims[d] for d in cut) or (1,)
    strides = tuple(prod(counts[d + 1 :]) for d in range(len(counts)))
    figure = layout_figure(Layout(counts, strides), rows, columns, slices, colour)
    what = f"tiles of dim{'s' * (len(cut) > 1)} {', '.join(map(str, cut))}" if cut else "one tile"
    return figure._replace(
        grids=tuple(_with_devices(grid, sharding) for grid in figure.grids),
        title=f"{sharding}: {what}",
    )


def _with_devices(grid: Grid, sharding: Sharding) -> Grid:
    def named(cell: Cell) -> Cell:
        devices = sharding.holders(digits_of(cell.offset, sharding.dims))
        more = "" if len(devices) <= _NAMED else f",... ({len(devices)})"
        return cell._replace(text=",".join(map(str, devices[:_NAMED])) + more)

    return grid._replace(cells=tuple(tuple(map(named, row)) for row in grid.cells))
