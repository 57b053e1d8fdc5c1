# SPDX-License-Identifier: Apache-2.0
"""The accesses of a warp: which lines of memory its lanes touch in one load.

A *schedule* says which thread has which point of the map that is read. It is a map to these points,
from a thread and its block, and from the loads that a thread does one after another.

>>> from tla.indexing import parse_map
>>> turned = parse_map("(d0, d1) -> (d1, d0), domain: d0 in [0, 63], d1 in [0, 127]")
>>> loop = loop_schedule("f32[64,128]", threads=64)
>>> print(loop)
(th_x, bl_x) -> (bl_x floordiv 2, (bl_x mod 2) * 64 + th_x), domain: th_x in [0, 63], bl_x in [0, 127]
>>> accesses(turned, "f32[128,64]", loop).lines_per_load
32.0
>>> tiles = transpose_schedule("f32[64,128]", 0)
>>> accesses(turned, "f32[128,64]", tiles).lines_per_load
1.0

Source: XLA ``coalescing_analysis.cc`` and its emitters for GPUs.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..errors import CongruenceError, CoordinateError, UnsupportedError
from ..hlo import ELEMENTWISE
from ..numbers import Interval, ceil_div, rebind
from ..xla_bridge import storage_bits
from .compose import compose
from .fusion import op_of
from .layouts import from_layout, known_sizes
from .maps import IndexingMap, require_map
from .ops import coordinates
from .rescale import ranges_to_dims
from .simplify import simplify
from .tables import columns
from .traffic import blocks, shape_of
from .variables import Variable, dim, rng, rt

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..hlo import Instruction
    from ..numbers import Symbol, Value
    from ..xla_bridge import XlaShape
    from .traffic import ShapeLike

LANES: Final = 32
"""The threads of a warp."""

_MOST_POINTS: Final = 1 << 15
"""The most reads that are looked at: a large grid is looked at in blocks at equal distances."""

_WIDEST: Final = 16
"""The bytes of the widest load of a thread."""

_VECTORS: Final = (1, 2, 4, 8, 16)


class Accesses(NamedTuple):
    """What the warps of a kernel read of an array. The counts are sums over the blocks looked at.

    >>> from tla.indexing import parse_map
    >>> column = parse_map("(d0) -> (d0, 0), domain: d0 in [0, 63]")
    >>> found = accesses(column, "f32[64,8]", loop_schedule("f32[64]", threads=32))
    >>> found.loads, found.lines, found.least_lines, found.coalesced
    (2, 16, 2, False)

    Attributes:
        addresses: The byte that each lane reads in the first load of a warp; None for a lane that reads
            nothing.
        loads: The loads of all warps, each of ``vector`` elements a lane.
        lines: The lines of memory that these loads touch, each load for itself.
        least_lines: The lines that would hold what these loads read.
        run_lines: The lines that each load would touch if each of its runs of bytes began with a line;
            at most those that it does touch.
        tiles: The tiles of the layout that these loads touch, each load for itself; 0 without tiles.
        bytes: The distinct bytes that these loads read, each load for itself.
        vector: The most elements that a lane may read in one load: they lie one behind the other, from
            a multiple of their size, and have 16 bytes at most.
        blocks: How many blocks were looked at, and how many there are.
        line: The bytes of a line.
    """

    addresses: tuple[int | None, ...]
    loads: int
    lines: int
    least_lines: int
    run_lines: int
    tiles: int
    bytes: int
    vector: int
    blocks: tuple[int, int]
    line: int

    @property
    def lines_per_load(self) -> float:
        """The lines that a load touches, on average."""
        return self.lines / self.loads if self.loads else 0.0

    @property
    def used(self) -> float:
        """The share of the bytes of these lines that is read."""
        return self.bytes / (self.lines * self.line) if self.lines else 1.0

    @property
    def coalesced(self) -> bool:
        """XLA's verdict, by its threshold: the least lines are at least 0.9 of those of the runs."""
        return self.least_lines >= 0.9 * self.run_lines


def accesses(
    map: IndexingMap, layout: ShapeLike, schedule: IndexingMap, *, lanes: int = LANES, line: int = 128
) -> Accesses:
    """Return what the warps of a schedule read of an array.

    >>> from tla.indexing import parse_map
    >>> rows = parse_map("(d0)[s0] -> (d0, s0), domain: d0 in [0, 99], s0 in [0, 511]")
    >>> serial = accesses(rows, "f32[100,512]", loop_schedule("f32[100]"))
    >>> shared = accesses(rows, "f32[100,512]", row_reduction_schedule(rows))
    >>> serial.lines_per_load, serial.vector, shared.lines_per_load, shared.vector
    (25.0, 4, 1.0, 1)

    A schedule leads to the dims of the map, and a thread then does its ranges one after another; or it
    leads to the dims and the ranges. The ranges of the schedule, and those left, are the loads. Loads
    whose elements lie one behind the other become one of ``vector`` elements. Numbers that are read at
    run time have their least value.

    Args:
        map: From the elements of the result to those of the array.
        layout: The shape of the array, or its text.
        schedule: Its first dim is the thread, and its second the block.
        lanes: The threads of a warp; 1024 for a vector register of (8,128) of a TPU.
        line: The bytes of a line.

    Raises:
        CongruenceError: the schedule does not lead to the map, or the map not to the array.
        UnsupportedError: the map is not known, or the elements have no whole bytes.
    """
    require_map(map)
    shape = shape_of(layout)
    if map.is_undefined:
        raise UnsupportedError(f"what is read is not known: {map.reason}")
    bits = storage_bits(shape)
    if bits % 8:
        raise UnsupportedError(f"the lanes of a warp read whole bytes, and {shape} has {bits} bits each")
    if len(schedule.results) == len(map.dims) + len(map.ranges) and map.ranges:
        map = ranges_to_dims(map, range(len(map.ranges)))
    if len(schedule.results) != len(map.dims):
        raise CongruenceError(
            f"a schedule of {len(schedule.results)} results is none for a map of {len(map.dims)} dims"
            + (f" and {len(map.ranges)} ranges" if map.ranges else ""),
            f"schedule: {schedule}",
            f"map: {map}",
        )
    read = simplify(compose(compose(schedule, map), _where(shape)))
    warps, looked_at = _warps(read, lanes)
    size = bits // 8
    vector = max(v for v in _VECTORS if v == 1 or all(_fits(lane, v, size) for w in warps for lane in w))
    totals = [0] * 6
    first: tuple[int | None, ...] = ()
    for warp in warps:
        for i in range(0, len(warp[0]), vector):
            parts = [lane[i : i + vector] for lane in warp]
            held = {place for part in parts for place in part if place is not None}
            if held:
                starts = (None if part[0] is None else part[0][0] * size for part in parts)
                first = first or tuple(starts)
                totals = [x + y for x, y in zip(totals, _load(held, size, line), strict=True)]
    loads, lines, least, runs, tiles, count = totals
    return Accesses(first, loads, lines, least, runs, tiles, count, vector, looked_at, line)


def _load(held: set[tuple[int, ...]], size: int, line: int) -> list[int]:
    """Return the counts of one load, which reads elements at these offsets, in these tiles."""
    at = {place[0] * size for place in held}
    lines = {x // line for start in at for x in (start, start + size - 1)}
    begins = sorted(x for x in at if x - size not in at)
    ends = sorted(x + size for x in at if x + size not in at)
    runs = sum(ceil_div(end - begin, line) for begin, end in zip(begins, ends, strict=True))
    tiles = {place[1:] for place in held if len(place) > 1}
    count = len(at) * size
    return [1, len(lines), ceil_div(count, line), min(len(lines), runs), len(tiles), count]


def _where(shape: XlaShape) -> IndexingMap:
    """The map from an index to its offset, and then to its tile."""
    memory = from_layout(shape)
    tiles = blocks(shape, 0).results if shape.tiles else ()
    return memory.with_parts(results=[*memory.results, *tiles])


def _warps(read: IndexingMap, lanes: int) -> tuple[list[list[list[Any]]], tuple[int, int]]:
    """Return what each warp reads: for each lane, for each load, the results of a map or None."""
    threads, grid = read.dims[0].bounds.upper + 1, read.dims[1].bounds.size
    ranges = [v.bounds for v in read.ranges]
    while threads * prod(each.size for each in ranges) > _MOST_POINTS and any(
        e.size > 16 for e in ranges
    ):
        longest = max(range(len(ranges)), key=lambda i: ranges[i].size)
        low, half = ranges[longest].lower, ranges[longest].size // 2
        ranges[longest] = Interval(low, low + half - half % 16 - 1)
    loads = prod(each.size for each in ranges)
    looked_at = max(1, min(grid, _MOST_POINTS // (threads * loads)))
    step = grid // looked_at
    put: dict[Symbol, Value] = {dim(1).symbols[0]: read.dims[1].bounds.lower + dim(1) * step}
    put.update({rt(i).symbols[0]: v.bounds.lower for i, v in enumerate(read.runtime)})
    variables = {
        dim(1).symbols[0]: Interval(0, looked_at - 1),
        dim(0).symbols[0]: Interval(0, threads - 1),
    }
    variables.update({rng(i).symbols[0]: bounds for i, bounds in enumerate(ranges)})
    inside = [*read.constraints, (dim(0), read.dims[0].bounds)]
    exprs = [*read.results, *(x for x, _bounds in inside)]
    values = columns([rebind(x, put) for x in exprs], variables)
    n = len(read.results)
    places: list[Any] = list(zip(*values[:n], strict=True))
    for column, (_x, bounds) in zip(values[n:], inside, strict=True):
        places = [at if x in bounds else None for at, x in zip(places, column, strict=True)]
    each = [places[i : i + loads] for i in range(0, len(places), loads)]  # of a thread
    warps = [
        each[i : min(i + lanes, start + threads)]
        for start in range(0, len(each), threads)
        for i in range(start, start + threads, lanes)
    ]
    return warps, (looked_at, grid)


def _fits(lane: list[Any], vector: int, size: int) -> bool:
    """Whether a lane's loads are loads of so many elements."""
    if vector * size > _WIDEST or len(lane) % vector:
        return False
    for i in range(0, len(lane), vector):
        part = lane[i : i + vector]
        if part[0] is None:
            if any(at is not None for at in part):
                return False
        elif part[0][0] % vector or any(
            at is None or at[0] != part[0][0] + k for k, at in enumerate(part)
        ):
            return False
    return True


# --- schedules --------------------------------------------------------------------------------


def loop_schedule(shape: ShapeLike, threads: int = 128, unroll: int = 1) -> IndexingMap:
    """Return XLA's schedule of a loop: thread after thread has ``unroll`` elements of the result, in the
    order of its memory.

    >>> loop_schedule("f32[64,128]", threads=64, unroll=4).results
    (2 * d1 + d0 // 32, 4 * (d0 % 32) + s0)
    """
    shape = shape_of(shape)
    sizes = known_sizes(shape)
    _check(threads, sizes, unroll)
    count = prod(sizes)
    linear: Any = (dim(1) * threads + dim(0)) * unroll + (rng(0) if unroll > 1 else 0)
    grid = ceil_div(count, threads * unroll)
    results = _split(linear, sizes, shape.minor_to_major)
    return _scheduled(results, threads, grid, unroll, [(linear, count)])


def row_reduction_schedule(map: IndexingMap, threads: int = 128) -> IndexingMap:
    """Return XLA's schedule of a reduction of rows: a warp shares a row, or has several short rows.

    >>> from tla.indexing import parse_map
    >>> m = parse_map("(d0)[s0] -> (d0, s0), domain: d0 in [0, 3], s0 in [0, 511]")
    >>> row_reduction_schedule(m).results
    (4 * d1 + d0 // 32, 32 * s0 + d0 % 32)

    It leads to the dims of the map, and to its ranges, which are the elements of a row.
    """
    rows, row = ([v.bounds.size for v in part] for part in (map.dims, map.ranges))
    _check(threads, [*rows, *row])
    width = min(LANES, threads, 1 << max(0, prod(row) - 1).bit_length())
    each = threads // width
    loads = ceil_div(prod(row), width)
    line: Any = dim(1) * each + dim(0) // width
    column: Any = rng(0) * width + dim(0) % width if loads > 1 else dim(0) % width
    return _scheduled(
        [*_split(line, rows), *_split(column, row)],
        threads,
        ceil_div(prod(rows), each),
        loads,
        [(line, prod(rows)), (column, prod(row))],
    )


def transpose_schedule(shape: ShapeLike, axis: int, threads: int = 128, tile: int = 32) -> IndexingMap:
    """Return XLA's schedule of a transpose, for its reads: a block has a tile of 32 by 32 elements, and
    lanes lie along the dim of the result that is minor in the operand.

    >>> transpose_schedule("f32[64,32]", 0).results
    (32 * d1 + d0 % 32, 4 * s0 + d0 // 32)

    Args:
        shape: The result.
        axis: The dim of the result that is minor in the operand.
    """
    shape = shape_of(shape)
    if not 0 <= axis < shape.rank:
        raise CoordinateError(f"{shape} has no dim {axis}", f"It has {shape.rank}.", axis=axis)
    minor = shape.minor_to_major[0]
    if axis == minor:
        raise UnsupportedError(f"dim {axis} of {shape} is the minor one: that is no transpose")
    return _by_tiles(shape, {minor: tile, axis: tile}, threads)


def register_schedule(shape: ShapeLike) -> IndexingMap:
    """Return the schedule of vector registers of a TPU: each has (8,128) of the minor two dims.

    >>> register_schedule("f32[64,128]{1,0:T(8,128)}").results
    (8 * d1 + d0 // 128, d0 % 128)

    For `accesses` with 1024 lanes. An array of one dim has 1024 elements in each.
    """
    shape = shape_of(shape)
    minor = shape.minor_to_major
    tile = {minor[1]: 8, minor[0]: 128} if shape.rank > 1 else dict.fromkeys(minor, 1024)
    return _by_tiles(shape, tile, 1024)


def _by_tiles(shape: XlaShape, tile: Mapping[int, int], threads: int) -> IndexingMap:
    """The schedule of blocks with a tile each: the threads go along its last dim first, then one by one
    through the others, and begin again where they end."""
    sizes = known_sizes(shape)
    _check(threads, [*sizes, *tile.values()])
    results = _split(dim(1), [ceil_div(n, tile.get(k, 1)) for k, n in enumerate(sizes)])
    loads = ceil_div(prod(tile.values()), threads)
    at: Any = dim(0) + (rng(0) * threads if loads > 1 else 0)
    for (k, n), x in zip(tile.items(), _split(at, [*tile.values()]), strict=True):
        results[k] = results[k] * n + x
    grid = prod(ceil_div(n, tile.get(k, 1)) for k, n in enumerate(sizes))
    ends = [(at, prod(tile.values())), *((results[k], sizes[k]) for k in tile)]
    return _scheduled(results, threads, grid, loads, ends)


def _check(threads: int, sizes: Sequence[int], loads: int = 1) -> None:
    if min(threads, loads, *sizes) < 1:
        raise UnsupportedError("a schedule has at least 1 thread, 1 load and 1 element")


class Schedule(NamedTuple):
    """A schedule with the name of its kind, and the lanes of a warp.

    >>> from tla.hlo import read_instruction
    >>> schedule_of(read_instruction("n = f32[8,8]{1,0:T(8,128)} negate(f32[8,8] x)")).kind
    'register'
    """

    kind: str
    map: IndexingMap
    lanes: int = LANES


def schedule_of(instruction: Instruction, map: IndexingMap | None = None, output: int = 0) -> Schedule:
    """Return the schedule that XLA would take for an instruction, or a fusion, and the reads of a map.

    >>> from tla.hlo import read_instruction
    >>> turn = read_instruction("t = f32[64,32] transpose(f32[32,64] x), dimensions={1,0}")
    >>> schedule_of(turn).kind
    'transpose'

    A result with tiles has vector registers of a TPU. Otherwise the last reduction or transpose behind
    elementwise ops decides. A reduction of the minor dim has rows, and a transpose that changes the
    minor dim has tiles. All else is a loop, with 4 elements a thread where it has more than 2**17.
    """
    leaf = op_of(instruction).outputs[output]
    sizes = known_sizes(leaf.shape)
    if not all(sizes):
        raise UnsupportedError(f"{leaf} is {leaf.shape}: no thread has an element of it")
    if leaf.shape.tiles:
        return Schedule("register", register_schedule(leaf.shape), 1024)
    fused = instruction.computations[0] if instruction.opcode == "fusion" else None
    hero = instruction if fused is None else fused.root
    while fused is not None and hero.opcode not in ("reduce", "transpose"):
        operands = hero.operands if hero.opcode in ELEMENTWISE else ()
        made = [fused.instruction(operand.name) for operand in operands]
        behind = [each for each in made if _dims(each) == _dims(hero)]
        if not behind or behind[0].parameter_number is not None:
            break
        hero = behind[0]
    if hero.opcode in ("reduce", "transpose"):
        op = op_of(hero)
        operand, dimensions = op.inputs[0].shape, op.ints("dimensions")
        minor = operand.minor_to_major[0] if operand.rank else -1
        if hero.opcode == "reduce" and minor in dimensions and map is not None and map.ranges:
            return Schedule("rows", row_reduction_schedule(map))
        axis = dimensions.index(minor) if hero.opcode == "transpose" else -1
        if axis >= 0 and axis != leaf.shape.minor_to_major[0]:
            return Schedule("transpose", transpose_schedule(leaf.shape, axis))
    unroll = 4 if prod(sizes) > 1 << 17 else 1
    return Schedule("loop", loop_schedule(leaf.shape, unroll=unroll))


def _dims(instruction: Instruction) -> Any:
    return getattr(instruction.shape, "dimensions", None)


def _split(linear: Any, sizes: Sequence[int], minor_to_major: Sequence[int] | None = None) -> list[Any]:
    """The indices of an element by its number."""
    order = [*range(len(sizes))] if minor_to_major is None else list(minor_to_major)[::-1]
    found = coordinates(linear, [sizes[k] for k in order])
    return [found[order.index(k)] for k in range(len(sizes))]


def _scheduled(
    results: Sequence[Value], threads: int, grid: int, loads: int, ends: Sequence[tuple[Value, int]]
) -> IndexingMap:
    """The map of a schedule: each of some values lies below its end."""
    names = [Variable("th_x", Interval(0, threads - 1)), Variable("bl_x", Interval(0, grid - 1))]
    inside = [(x, Interval(0, end - 1)) for x, end in ends]
    return simplify(IndexingMap(results, names, [loads] if loads > 1 else [], (), inside))
