"""The bytes of an array in other orders of its dims, and in other shapes.

>>> from tla.xla_bridge import parse_array
>>> best, *_ = cheaper_layouts(parse_array("s32[8388608,8,4]{2,1,0:T(8,128)}"))
>>> print(best.shape, best.expansion)
s32[8388608,8,4]{0,2,1:T(4,128)} 1.0

Only the two most minor dims have padding, because a tile covers them. The tile rounds one of them up to
128, and the other to its rows. So it is enough to try each pair of dims.
"""

from __future__ import annotations

from itertools import combinations, pairwise
from math import prod
from typing import TYPE_CHECKING, Literal, NamedTuple

from ..errors import UnsupportedError
from ..ground import guarded
from ..xla_bridge import (
    XlaShape,
    array_shape,
    jax_format,
    laid_out,
    logical_bytes,
    minor_pairs,
    packed_bits,
    physical_bytes,
    tilings_of_order,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..xla_bridge import AnyShape, Chip

__all__ = ["Candidate", "cheaper_layouts", "cheaper_shapes"]

_MOST_DIMS = 16  # there are 2**15 ways to merge 16 dims; orders are few at any rank


class Candidate(NamedTuple):
    """Another layout or shape for the data of an array, and its bytes.

    >>> from tla.xla_bridge import parse_array
    >>> found = cheaper_layouts(parse_array("f32[100,3,5]{2,1,0:T(4,128)}"))[0]
    >>> found.bytes, found.saved_bytes, found.how
    (10240, 194560, 'order the dims in memory as {0,1,2}')
    >>> print(found.jax)
    Format(Layout(major_to_minor=(2, 1, 0), tiling=((4, 128),)), sharding)
    """

    change: Literal["order", "transpose", "merge"]
    """The change: of the order in memory, of the order of the logical dims, or of the list of dims."""
    shape: XlaShape
    bytes: int
    """The bytes of the array in memory, padding included."""
    data_bytes: int
    saved_bytes: int
    how: str
    """The change in words."""

    @property
    def expansion(self) -> float:
        """The bytes in memory divided by the bytes of data; 1.0 for an array that has neither."""
        return self.bytes / self.data_bytes if self.data_bytes else 1.0

    @property
    def xla(self) -> str:
        """The shape in XLA's text."""
        return str(self.shape)

    @property
    def jax(self) -> str | None:
        """The layout in jax's text; None if jax has no word for a part, such as a memory space."""
        try:
            return jax_format(self.shape)
        except UnsupportedError:
            return None


@guarded
def cheaper_layouts(shape: AnyShape, chip: str | Chip = "v5e") -> tuple[Candidate, ...]:
    """Return every cheaper pair of most minor dims with its best tiles, the cheapest first.

    >>> from tla.xla_bridge import parse_array
    >>> for found in cheaper_layouts(parse_array("f32[100,3,5]{2,1,0:T(4,128)}"))[:2]:
    ...     print(found.bytes, found.xla)
    10240 f32[100,3,5]{0,1,2:T(4,128)}
    12288 f32[100,3,5]{0,2,1:T(8,128)}
    >>> print(found.jax)
    Format(Layout(major_to_minor=(1, 2, 0), tiling=((8, 128),)), sharding)

    The first is the best of all orders, with the tiles that the chip's compiler accepts for them. Among
    equals the order nearest to the present one comes first: the fewest pairs of dims change places. The
    memory space stays.

    Raises:
        UnsupportedError: the shape is no array, or has a dim of unknown size; its type has 1 or 6 bits;
            or there is no such chip.
    """
    shape = _sized_array(shape)
    cost = physical_bytes(shape)
    ranked: list[tuple[tuple[int, int], XlaShape]] = []
    order_now = shape.minor_to_major
    for order in minor_pairs(order_now) if shape.rank > 1 else (order_now,):
        best = _of_order(shape, order, chip)
        if physical_bytes(best) < cost:
            ranked.append(((physical_bytes(best), _inversions(shape.minor_to_major, order)), best))
    ranked.sort(key=lambda entry: entry[0])
    return tuple(_candidate("order", shape, best, _order_words(shape, best)) for _key, best in ranked)


@guarded
def cheaper_shapes(shape: AnyShape, chip: str | Chip = "v5e") -> tuple[Candidate, ...]:
    """Return cheaper row-major shapes of the same data: the best transpose, then merges of dims.

    >>> from tla.xla_bridge import parse_array
    >>> for found in cheaper_shapes(parse_array("s32[8388608,8,4]{2,1,0:T(8,128)}")):
    ...     print(found.xla, found.expansion, found.how)
    s32[8,4,8388608]{2,1,0:T(4,128)} 1.0 transpose the dims to (1,2,0)
    s32[8388608,32]{1,0:T(8,128)} 4.0 merge dims 1 and 2 (8*4) into one of 32
    s32[268435456]{0:T(1024)} 1.0 merge dims 0 to 2 (8388608*8*4) into one of 268435456

    Each merge has fewer dims and fewer bytes than the merge before it. A shape with a bounded dim has no
    such changes, because the places of its elements would depend on the size.

    Raises:
        UnsupportedError: the same as for `cheaper_layouts`.
    """
    shape = _sized_array(shape)
    if not shape.is_static:
        return ()
    cost = physical_bytes(shape)
    out: list[Candidate] = []
    orders = cheaper_layouts(shape, chip)
    if orders:
        best = orders[0].shape
        dims = best.major_to_minor
        turned = _row_major(shape, [shape.dimensions[i] for i in dims], chip)
        if dims != tuple(range(shape.rank)) and physical_bytes(turned) < cost:
            order = ",".join(map(str, dims))
            out.append(_candidate("transpose", shape, turned, f"transpose the dims to ({order})"))
    if shape.rank > _MOST_DIMS:
        return tuple(out)
    for cuts in range(shape.rank - 2, -1, -1):
        merges = [
            (_row_major(shape, _merge_dims(shape, runs), chip), runs) for runs in _runs(shape.rank, cuts)
        ]
        merged, runs = min(merges, key=lambda entry: physical_bytes(entry[0]))
        if physical_bytes(merged) < cost:
            cost = physical_bytes(merged)
            out.append(_candidate("merge", shape, merged, _merge_words(shape, runs)))
    return tuple(out)


def _sized_array(shape: AnyShape) -> XlaShape:
    shape = array_shape(shape)
    if shape.is_unbounded_dynamic:
        raise UnsupportedError(f"{shape} has a dim of unknown size: costs cannot be compared")
    return shape


def _candidate(
    change: Literal["order", "transpose", "merge"], before: XlaShape, shape: XlaShape, how: str
) -> Candidate:
    cost = physical_bytes(shape)
    return Candidate(change, shape, cost, logical_bytes(shape), physical_bytes(before) - cost, how)


def _of_order(shape: XlaShape, order: tuple[int, ...], chip: str | Chip) -> XlaShape:
    """The shape in an order of dims, with the tiles that need the fewest bytes."""
    packed = packed_bits(shape.element_type, chip)
    rated = [laid_out(shape, order, tiling, packed) for tiling in tilings_of_order(shape, order, chip)]
    return min(rated, key=physical_bytes)


def _row_major(shape: XlaShape, dims: list[int], chip: str | Chip) -> XlaShape:
    plain = XlaShape(shape.element_type, dims, memory_space=shape.memory_space)
    return _of_order(plain, plain.minor_to_major, chip)


def _inversions(one: tuple[int, ...], other: tuple[int, ...]) -> int:
    """The number of pairs of dims whose order differs."""
    place = {dim: at for at, dim in enumerate(other)}
    return sum(place[a] > place[b] for a, b in combinations(one, 2))


def _runs(rank: int, cuts: int) -> Iterator[list[range]]:
    """The ways to cut the dims into runs of neighbours at ``cuts`` places, later cuts first."""
    for places in combinations(range(rank - 1, 0, -1), cuts):
        edges = [0, *reversed(places), rank]
        yield [range(a, b) for a, b in pairwise(edges)]


def _merge_dims(shape: XlaShape, runs: list[range]) -> list[int]:
    return [prod(shape.dimensions[i] for i in run) for run in runs]


def _order_words(shape: XlaShape, best: XlaShape) -> str:
    if best.minor_to_major == shape.minor_to_major:
        tiles = "".join(f"({','.join(map(str, tile))})" for tile in best.tiles)
        return f"keep the order of the dims, with the tiles T{tiles}"
    order = ",".join(map(str, best.minor_to_major))
    return f"order the dims in memory as {{{order}}}"


def _merge_words(shape: XlaShape, runs: list[range]) -> str:
    parts: list[str] = []
    for run in runs:
        if len(run) > 1:
            sizes = [shape.dimensions[i] for i in run]
            names = f"{run[0]} {'and' if len(run) == 2 else 'to'} {run[-1]}"
            parts.append(f"dims {names} ({'*'.join(map(str, sizes))}) into one of {prod(sizes)}")
    return f"merge {', and '.join(parts)}"
