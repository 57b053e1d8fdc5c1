# SPDX-License-Identifier: Apache-2.0
"""Shardings: which device has which slice of an array.

XLA writes ``{devices=[2,2]<=[2,2]T(1,0)}``, Shardy ``#sdy.sharding<@mesh, [{"y"}, {"x"}]>``. Both cut
each dim into equal tiles and give each tile to a device, or to several devices that have the same data.

>>> sharding = parse_sharding("{devices=[2,1,2]<=[4] last_tile_dim_replicate}")
>>> sharding.slices(3, (100, 8)), sharding.layout
(((50, 100), (0, 8)), Layout((2, 2), (0, 1)))

The numbers of devices are positions in the mesh of the program, row by row. They are no device ids. But
where Shardy's mesh has ``device_ids``, XLA's text has these.

Source: the texts and slices of jax 0.10.2 and its Shardy importer, for 600 shardings.
"""

from __future__ import annotations

import re
from itertools import pairwise
from math import prod
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias, Union

from ..errors import CoordinateError, LayoutError, ParseError, UnsupportedError
from ..ground import drawn_by, figure_of, html_of, plural
from ..layouts import AnyLayout, Layout
from ..numbers import ceil_div
from .shape import XlaShape

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ..ground import Figure

__all__ = ["Iota", "Sharding", "parse_sharding"]

Slice: TypeAlias = tuple[int, int]
Kind: TypeAlias = Literal["tiled", "replicated", "manual", "unreduced", "unknown", "maximal", "tuple"]


class Iota(NamedTuple):
    """The devices ``0, 1, 2, ...`` in an array of some dims, transposed: ``[2,4]T(1,0)``.

    >>> devices = Iota((2, 4), (1, 0))
    >>> print(devices, [devices.device(tile) for tile in range(8)], devices.tile(5))
    [2,4]T(1,0) [0, 4, 1, 5, 2, 6, 3, 7] 3
    """

    dims: tuple[int, ...]
    order: tuple[int, ...]
    """The dim of the untransposed array for each dim, as in ``T(...)``."""

    @property
    def size(self) -> int:
        """The number of devices."""
        return prod(self.dims)

    def device(self, tile: int) -> int:
        """Return the device of a tile, which is counted row by row."""
        index = digits_of(tile, [self.dims[d] for d in self.order])
        at = dict(zip(self.order, index, strict=True))
        return _number([at[d] for d in range(len(self.dims))], self.dims)

    def tile(self, device: int) -> int:
        """Return the tile of a device."""
        index = digits_of(device, self.dims)
        return _number([index[d] for d in self.order], [self.dims[d] for d in self.order])

    @property
    def canonical(self) -> Iota:
        """The same devices with the fewest dims, as XLA prints them."""
        runs: list[list[int]] = []
        for d in (d for d in self.order if self.dims[d] != 1):
            between = range(runs[-1][-1] + 1, d) if runs and d > runs[-1][-1] else None
            if between is not None and all(self.dims[e] == 1 for e in between):
                runs[-1].append(d)
            else:
                runs.append([d])
        by_place = sorted(runs)
        dims = tuple(prod(self.dims[d] for d in run) for run in by_place) or (1,)
        return Iota(dims, tuple(by_place.index(run) for run in runs) or (0,))

    def __str__(self) -> str:
        text = f"[{','.join(map(str, self.dims))}]"
        if self.order == tuple(range(len(self.dims))):
            return text
        return f"{text}T({','.join(map(str, self.order))})"


Devices: TypeAlias = Union[Iota, tuple[int, ...]]


@drawn_by("tla.xla_bridge.reshard", "sharding_figure")
class Sharding(NamedTuple):
    """The way an array is divided among devices.

    >>> from tla.xla_bridge.sharding import parse_sharding
    >>> sharding = parse_sharding("{devices=[4,2]<=[4,2]T(1,0)}")
    >>> sharding.tile_dims, sharding.size, sharding.shard_shape((64, 30)), str(sharding)
    ((4, 2), 8, (16, 15), '{devices=[4,2]<=[4,2]T(1,0)}')
    """

    kind: Kind
    tile_dims: tuple[int, ...] = ()
    """The number of tiles in each dim of the array, and then the sizes of the subgroups."""
    subgroups: tuple[str, ...] = ()
    """What the devices of a tile have, for each dim behind those of the array: ``"replicated"`` for the
    same data, ``"manual"`` for what the program says."""
    devices: Devices | None = None
    """The devices of the tiles, row by row; None if the kind is not ``"tiled"``."""
    device: int | None = None
    """The only device of a ``"maximal"`` sharding."""
    elements: tuple[Sharding, ...] = ()
    """The shardings of the elements of a ``"tuple"``."""

    @property
    def dims(self) -> tuple[int, ...]:
        """The number of tiles in each dim of the array."""
        return self.tile_dims[: len(self.tile_dims) - len(self.subgroups)]

    @property
    def size(self) -> int:
        """The number of devices; 1 if the sharding does not say."""
        return prod(self.tile_dims)

    @property
    def device_list(self) -> tuple[int, ...]:
        """The devices of all tiles, row by row."""
        if isinstance(self.devices, Iota):
            return tuple(map(self.devices.device, range(self.size)))
        return self.devices or ()

    @property
    def layout(self) -> AnyLayout:
        """The number of each device's slice, row by row over the dims of the array, as a layout.

        Devices with the same slice differ in modes of stride 0.

        Raises:
            UnsupportedError: the sharding has no tiles, or a list of devices, or the devices of a tile
                are no mode of the mesh.
        """
        if not isinstance(self.devices, Iota):
            raise UnsupportedError(
                f"{self} has no layout: its devices are not an iota", sharding=str(self)
            )
        dims, order = self.devices.dims, self.devices.order
        same = prod(self.tile_dims[len(self.dims) :])
        sizes: list[int] = []
        strides: list[int] = []
        for d in range(len(dims))[::-1]:
            stride = prod(dims[e] for e in order[order.index(d) + 1 :])
            for n, s in _behind(dims[d], stride, same):
                sizes.append(n)
                strides.append(s)
        return Layout(tuple(sizes), tuple(strides)) if len(sizes) > 1 else Layout(sizes[0], strides[0])

    def tile(self, device: int) -> tuple[int, ...]:
        """Return the place of a device's slice among the tiles, a coordinate for each dim.

        >>> parse_sharding("{devices=[2,2]<=[2,2]T(1,0)}").tile(1)
        (1, 0)

        Raises:
            CoordinateError: there is no such device.
            UnsupportedError: the sharding has no tiles.
        """
        if self.devices is None:
            raise UnsupportedError(f"{self} has no tiles", sharding=str(self))
        if isinstance(self.devices, Iota):
            at = self.devices.tile(device) if 0 <= device < self.size else None
        else:
            at = self.devices.index(device) if device in self.devices else None
        if at is None:
            raise CoordinateError(
                f"device {device} has no slice in {self}", f"It has {self.size} tiles.", device=device
            )
        return digits_of(at, self.tile_dims)[: len(self.dims)]

    def holders(self, tile: Sequence[int]) -> tuple[int, ...]:
        """Return the devices that have a tile, by its place among the tiles.

        >>> parse_sharding("{devices=[2,2]<=[2,2]T(1,0) last_tile_dim_replicate}").holders((1,))
        (1, 3)

        Raises:
            CoordinateError: there is no such tile.
            UnsupportedError: the sharding has no tiles.
        """
        if self.devices is None:
            raise UnsupportedError(f"{self} has no tiles", sharding=str(self))
        if len(tile) != len(self.dims) or not all(
            0 <= i < n for i, n in zip(tile, self.dims, strict=True)
        ):
            raise CoordinateError(f"{self} has no tile {tuple(tile)}", sharding=str(self))
        same = prod(self.tile_dims[len(self.dims) :])
        first = _number(tile, self.dims) * same
        places = range(first, first + same)
        if isinstance(self.devices, Iota):
            return tuple(map(self.devices.device, places))
        return tuple(self.devices[place] for place in places)

    def slices(self, device: int, shape: XlaShape | Sequence[int]) -> tuple[Slice, ...]:
        """Return the slice of an array that a device has: the start and stop in each dim.

        >>> parse_sharding("{devices=[1,4]<=[4]}").slices(3, (5, 10))
        ((0, 5), (9, 10))

        Where the tiles do not divide a dim, the last ones are shorter or empty, and XLA pads them.

        Args:
            device: Its position in the mesh.

        Raises:
            CoordinateError: there is no such device.
            LayoutError: the shape has another rank than the sharding.
            UnsupportedError: the sharding does not say, as ``{manual}``.
        """
        extents = _extents(shape)
        if self.kind == "replicated" or (self.kind == "maximal" and device == self.device):
            return tuple((0, n) for n in extents)
        if self.kind == "maximal":
            raise CoordinateError(f"device {device} has nothing: {self}", device=device)
        tiles = self.tile(device)
        sizes = self.shard_shape(extents)
        return tuple(
            (min(i * size, n), min((i + 1) * size, n))
            for i, size, n in zip(tiles, sizes, extents, strict=True)
        )

    def shard_shape(self, shape: XlaShape | Sequence[int]) -> tuple[int, ...]:
        """Return the dims of the array on each device, padding included.

        >>> parse_sharding("{devices=[1,4]<=[4]}").shard_shape((5, 10))
        (5, 3)

        Raises:
            LayoutError: the shape has another rank than the sharding.
            UnsupportedError: the sharding does not say, as ``{manual}``.
        """
        extents = _extents(shape)
        if self.kind in ("replicated", "maximal"):
            return extents
        if self.devices is None:
            raise UnsupportedError(f"{self} does not say what a device has", sharding=str(self))
        if len(extents) != len(self.dims):
            raise LayoutError(
                f"{self} divides {plural(len(self.dims), 'dim')}, and the array has {len(extents)}",
                sharding=str(self),
            )
        return tuple(ceil_div(n, tiles) for n, tiles in zip(extents, self.dims, strict=True))

    def padding(self, shape: XlaShape | Sequence[int]) -> tuple[int, ...]:
        """Return the places that XLA adds to each dim, so that the tiles divide it.

        >>> parse_sharding("{devices=[1,4]<=[4]}").padding((5, 10))
        (0, 2)

        Raises:
            LayoutError: the shape has another rank than the sharding.
            UnsupportedError: the sharding does not say, as ``{manual}``.
        """
        extents = _extents(shape)
        sizes = self.shard_shape(extents)
        dims = self.dims or (1,) * len(extents)
        return tuple(m * tiles - n for m, tiles, n in zip(sizes, dims, extents, strict=True))

    def figure(self) -> Figure:
        """Return the picture of the tiles, each with its devices.

        Raises:
            UnsupportedError: the sharding has no tiles.
        """
        found: Figure = figure_of(self)
        return found

    def _repr_html_(self) -> str | None:
        return html_of(self)

    def __str__(self) -> str:
        if self.kind == "tuple":
            return f"{{{', '.join(map(str, self.elements))}}}"
        if self.kind == "maximal":
            return f"{{maximal device={self.device}}}"
        if self.devices is None:
            return f"{{{self.kind}}}"
        dims = ",".join(map(str, self.tile_dims))
        which = f"<={self.devices.canonical}" if isinstance(self.devices, Iota) else _list(self.devices)
        if self.subgroups == ("replicated",):
            return f"{{devices=[{dims}]{which} last_tile_dim_replicate}}"
        groups = f" last_tile_dims={{{', '.join(self.subgroups)}}}" if self.subgroups else ""
        return f"{{devices=[{dims}]{which}{groups}}}"


def _list(devices: Sequence[int]) -> str:
    return ",".join(map(str, devices))


def _behind(size: int, stride: int, same: int) -> Iterator[tuple[int, int]]:
    """The modes of ``i * stride // same`` for ``i`` below a size, minor first."""
    if size * stride <= same:
        yield size, 0
    elif stride % same == 0:
        yield size, stride // same
    elif same % stride or size * stride % same:
        raise UnsupportedError("the devices of a tile are no mode of the mesh: no layout has them")
    else:
        yield same // stride, 0
        yield size * stride // same, 1


def _extents(shape: XlaShape | Sequence[int]) -> tuple[int, ...]:
    return tuple(shape.dimensions if isinstance(shape, XlaShape) else shape)


def digits_of(number: int, sizes: Sequence[int]) -> tuple[int, ...]:
    """Return the coordinates of a number, row by row."""
    out: list[int] = []
    for size in reversed(sizes):
        out.append(number % size)
        number //= size
    return tuple(reversed(out))


def _number(index: Sequence[int], sizes: Sequence[int]) -> int:
    number = 0
    for i, size in zip(index, sizes, strict=True):
        number = number * size + i
    return number


# --- texts ------------------------------------------------------------------------------------

_INT: Final = r"\d{1,9}"
_INTS: Final = rf"{_INT}(?:,{_INT})*"
_META: Final = re.compile(r"\s*metadata=\{(?:[^{}]|\{[^{}]*\})*\}")
_TILED: Final = re.compile(
    rf"devices=\[({_INTS})\](?:<=\[({_INTS})\](?:T\(({_INTS})\))?|({_INTS}))"
    r"(?:\s+(last_tile_dim_replicate)|\s+last_tile_dims=\{([a-z, ]*)\})?\s*"
)
_MAXIMAL: Final = re.compile(r"maximal device=(-?\d{1,9})")
_WORDS: Final[dict[str, Kind]] = {
    "replicated": "replicated",
    "manual": "manual",
    "unreduced": "unreduced",
    "unknown": "unknown",
}
_GROUPS: Final = ("replicated", "manual", "unreduced")


def parse_sharding(text: str, mesh: str | None = None) -> Sharding:
    """Return the sharding in XLA's text, or in Shardy's.

    >>> print(parse_sharding("{devices=[4,2]<=[1,4,2]T(0,2,1)}"))
    {devices=[4,2]<=[4,2]T(1,0)}
    >>> print(parse_sharding('#sdy.sharding<@mesh, [{"y"}, {"x":(1)2}]>', '<["x"=4, "y"=2]>'))
    {devices=[2,2,2]<=[4,2]T(1,0) last_tile_dim_replicate}

    Args:
        text: An HLO sharding, or ``#sdy.sharding<...>``.
        mesh: The mesh that Shardy's text names, if it does not hold it itself: ``<["x"=4, "y"=2]>``.

    Raises:
        ParseError: the text is no sharding, or its tiles and devices are not as many.
    """
    if text.lstrip().startswith("#sdy.sharding"):
        return _shardy(text, mesh)
    stripped = _META.sub("", text).strip()
    if not (stripped.startswith("{") and stripped.endswith("}")):
        raise ParseError("expected a sharding in braces, such as {devices=[2,2]<=[4]}", text, 0)
    inside = stripped[1:-1].strip()
    if not inside or inside.startswith("{"):
        return Sharding(
            "tuple", elements=tuple(parse_sharding(each) for each in _elements(inside, text))
        )
    if inside in _WORDS:
        return Sharding(_WORDS[inside])
    maximal = _MAXIMAL.fullmatch(inside)
    if maximal is not None:
        return Sharding("maximal", device=int(maximal[1]))
    tiled = _TILED.fullmatch(inside)
    if tiled is None:
        raise ParseError("expected a sharding such as {devices=[2,2]<=[4]}", text, text.find(inside))
    return _tiled(tiled, text)


def _elements(inside: str, text: str) -> Iterator[str]:
    depth = start = 0
    for i, char in enumerate(inside):
        if char == "{":
            start = i if not depth else start
            depth += 1
        elif char == "}":
            depth -= 1
            if not depth:
                yield inside[start : i + 1]
        elif not depth and char not in ", ":
            raise ParseError("expected the shardings of a tuple, with commas between them", text, 0)
    if depth:
        raise ParseError("a brace is not closed", text, 0)


def _tiled(match: re.Match[str], text: str) -> Sharding:
    dims = _ints(match[1])
    groups = ("replicated",) if match[5] else tuple(re.findall("[a-z]+", match[6] or ""))
    unknown = next((each for each in groups if each not in _GROUPS), None)
    if unknown is not None or len(groups) > len(dims):
        raise ParseError("expected a type for each of the last tile dims: replicated or manual", text, 0)
    devices: Devices
    if match[2]:
        reshaped = _ints(match[2])
        order = _ints(match[3]) if match[3] else tuple(range(len(reshaped)))
        if sorted(order) != list(range(len(reshaped))):
            raise ParseError(
                f"T({_list(order)}) is no order of {len(reshaped)} dims", text, text.find("T(")
            )
        devices = Iota(reshaped, order)
        count = devices.size
    else:
        devices = _ints(match[4])
        count = len(devices)
    if prod(dims) != count or not count:
        summary = f"{prod(dims)} tiles for {count} devices: [{_list(dims)}] has to have as many"
        raise ParseError(summary, text, text.find("["))
    if groups == ("replicated",):
        return _replicating(dims, devices)
    return Sharding("tiled", dims, groups, devices)


def _replicating(dims: tuple[int, ...], devices: Devices) -> Sharding:
    """A sharding whose last tile dim replicates. As in XLA a list has the devices of a tile in order."""
    same = dims[-1]
    if not isinstance(devices, Iota):
        groups = [sorted(devices[i : i + same]) for i in range(0, len(devices), same)]
        devices = tuple(device for group in groups for device in group)
    if same == 1:
        return Sharding("tiled", dims[:-1], (), devices)
    return Sharding("tiled", dims, ("replicated",), devices)


def _ints(text: str) -> tuple[int, ...]:
    return tuple(int(each) for each in text.split(","))


# --- Shardy -----------------------------------------------------------------------------------

_NAME: Final = r'"(?:[^"\\]|\\.)*"'
_MESH: Final = re.compile(rf"<\[((?:{_NAME}=\d{{1,9}}(?:,\s*)?)*)\](?:,\s*device_ids=\[([\d,\s]*)\])?>")
_AXIS: Final = re.compile(rf"({_NAME})(?::\((\d{{1,9}})\)(\d{{1,9}}))?")
_SHARDY: Final = re.compile(
    r"#sdy\.sharding<\s*(?:mesh(<\[.*?\](?:,\s*device_ids=\[[\d,\s]*\])?>)|@[\w.\"-]+),\s*\[(.*?)\]"
    r"((?:,\s*(?:replicated|unreduced)=\{[^{}]*\})*)\s*>\s*"
)


class _Axis(NamedTuple):
    """A part of an axis of a mesh: the indices ``i // below % size``."""

    name: str
    size: int
    below: int


def _shardy(text: str, mesh: str | None) -> Sharding:
    match = _SHARDY.fullmatch(text.strip())
    if match is None:
        raise ParseError('expected #sdy.sharding<@mesh, [{"x"}, {}]>', text, 0)
    given = match[1] or mesh
    if given is None:
        raise ParseError("the text names a mesh and does not hold it: give mesh='<[\"x\"=4]>'", text, 0)
    sizes, ids = _mesh(given)
    if not sizes and len(ids) == 1:
        return Sharding("maximal", device=ids[0])
    dims = [
        [_axis(axis, sizes, text) for axis in _AXIS.findall(dim)]
        for dim in re.findall(r"\{([^{}]*)\}", match[2])
    ]
    used = [axis for dim in dims for axis in dim]
    parts = _parts(sizes, used, text)
    tiles = [prod(axis.size for axis in dim) for dim in dims]
    if prod(tiles) == 1:
        return Sharding("replicated")
    order = [parts.index(part) for axis in used for part in parts if _is_of(part, axis)]
    rest = [i for i in range(len(parts)) if i not in order]
    same = prod(parts[i].size for i in rest)
    iota = Iota(tuple(part.size for part in parts), (*order, *rest)).canonical
    devices: Devices = iota
    if ids and ids != tuple(range(len(ids))):
        devices = tuple(ids[iota.device(tile)] for tile in range(iota.size))
    return _replicating((*tiles, same), devices)


def _mesh(text: str) -> tuple[dict[str, int], tuple[int, ...]]:
    """The axes of a mesh, and its device ids, empty if they are 0, 1, 2, ..."""
    match = _MESH.fullmatch(text.strip().removeprefix("mesh"))
    if match is None:
        raise ParseError('expected a mesh such as <["x"=4, "y"=2]>', text, 0)
    sizes = {name: int(size) for name, size in re.findall(rf"({_NAME})=(\d+)", match[1])}
    ids = tuple(int(each) for each in (match[2] or "").split(",") if each.strip())
    if ids and len(ids) != prod(sizes.values()):
        raise ParseError(f"the mesh has {prod(sizes.values())} devices, and {len(ids)} ids", text, 0)
    return sizes, ids


def _axis(found: tuple[str, str, str], sizes: Mapping[str, int], text: str) -> _Axis:
    name, before, size = found
    if name not in sizes:
        raise ParseError(f"the mesh has no axis {name}", text, text.find(name))
    whole = sizes[name]
    if not size:
        return _Axis(name, whole, 1)
    above, own = int(before), int(size)
    if not above or not own or whole % (above * own):
        raise ParseError(f"axis {name} of {whole} has no part ({above}){own}", text, text.find(name))
    return _Axis(name, own, whole // (above * own))


def _parts(sizes: Mapping[str, int], used: Sequence[_Axis], text: str) -> list[_Axis]:
    """All axes in order, cut where an axis in use begins or ends, the major part first."""
    parts: list[_Axis] = []
    for name, whole in sizes.items():
        own = [axis for axis in used if axis.name == name]
        edges = sorted({1, whole, *(e for axis in own for e in (axis.below, axis.below * axis.size))})
        if any(b % a for a, b in pairwise(edges)):
            raise ParseError(f"the parts of axis {name} overlap", text, text.find(name))
        cut = [_Axis(name, b // a, a) for a, b in pairwise(edges)]
        parts += cut[::-1] or [_Axis(name, 1, 1)]
    covered = [part for axis in used for part in parts if _is_of(part, axis) and part.size > 1]
    if len(covered) != len(set(covered)):
        raise ParseError("an axis of the mesh divides two dims", text, 0)
    return parts


def _is_of(part: _Axis, axis: _Axis) -> bool:
    """Whether a part lies inside an axis that is in use."""
    inside = axis.below <= part.below and part.below * part.size <= axis.below * axis.size
    return part.name == axis.name and inside
