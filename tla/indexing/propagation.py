# SPDX-License-Identifier: Apache-2.0
"""Tiles through a whole computation: what a tile of the result needs of each array before it.

>>> from tla.hlo import read_module
>>> blur = read_module('''ENTRY e {
...   p = f32[32,256]{1,0:T(8,128)} parameter(0)
...   n = f32[32,256]{1,0:T(8,128)} negate(p)
...   up = f32[24,256]{1,0:T(8,128)} slice(n), slice={[8:32], [0:256]}
...   down = f32[24,256]{1,0:T(8,128)} slice(n), slice={[0:24], [0:256]}
...   ROOT sum = f32[24,256]{1,0:T(8,128)} add(up, down)
... }''').entry
>>> found = propagate_tile(blur, (8, 128))
>>> for part in found.inputs[0].tiles:
...     print(part)
offset (8 * d0, 128 * d1), size (8, 128), stride (1, 1)
offset (8 * d0 + 8, 128 * d1), size (8, 128), stride (1, 1)
>>> [(each.name, each.computed, each.elements) for each in found.recomputed]
[('n', 12288, 8192)]
"""

from __future__ import annotations

from itertools import pairwise, product
from math import ceil, prod
from typing import TYPE_CHECKING, Final, NamedTuple

from ..errors import CongruenceError, UndecidedError, UnsupportedError
from ..ground import plural
from ..hlo import Computation, Instruction
from ..numbers import Interval, symbols_in
from ..xla_bridge import COMBINE, XlaShape, storage_bits
from .compose import compose
from .fusion import maps_to, op_of
from .images import TooManyError, image_size, period
from .layouts import known_sizes
from .ops import leaves, maps_of
from .simplify import simplify
from .tiles import Tile, tile, tiled
from .traffic import block_bytes, blocks, count_blocks, numbered
from .variables import dim

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from .maps import IndexingMap
    from .ops import Devices, Leaf


class TiledArray(NamedTuple):
    """What all tiles of a result need of an array.

    >>> from tla.hlo import read_instruction
    >>> turn = read_instruction("t = f32[64,64] transpose(f32[64,64] x), dimensions={1,0}")
    >>> (x,) = propagate_tile(turn, (8, 64)).inputs
    >>> x.name, x.tiles[0].size, x.computed, x.elements, x.times
    ('x', (64, 8), 4096, 4096, 1.0)

    Attributes:
        name: The name of the array.
        shape: Its shape.
        tiles: The boxes whose union a tile needs, one for each map that leads there.
        computed: The elements that the tiles need, added up over all tiles.
        elements: The distinct elements that are needed.
        moved_bytes: The bytes of whole tiles of its layout, or of lines, added up over all tiles.
    """

    name: str
    shape: XlaShape
    tiles: tuple[Tile, ...]
    computed: int
    elements: int
    moved_bytes: int

    @property
    def times(self) -> float:
        """How often an element is needed, on average."""
        return self.computed / self.elements if self.elements else 0.0

    @property
    def tile_bytes(self) -> int:
        """The bytes of the boxes of one tile, each with whole tiles of the layout."""
        return sum(_box_bytes(self.shape, each) for each in self.tiles)

    @property
    def faults(self) -> tuple[str, ...]:
        """Why the boxes do not lie in whole tiles of the layout; () if they do."""
        return tuple(
            dict.fromkeys(why for each in self.tiles for why in tile_faults(self.shape, each.size))
        )


class Propagation(NamedTuple):
    """A tile of a result, and what it needs of every array before it.

    >>> from tla.hlo import read_instruction
    >>> found = propagate_tile(read_instruction("n = f32[64]{0} negate(f32[64]{0} x)"), (16,))
    >>> found.output.tile_bytes, found.tile_bytes, found.moved_bytes, found.refusal
    (64, 128, 1024, '')

    Attributes:
        sizes: The sizes of the tile.
        output: The result.
        inputs: The operands or parameters that are read.
        instructions: The instructions between them, in their order.
    """

    sizes: tuple[int, ...]
    output: TiledArray
    inputs: tuple[TiledArray, ...]
    instructions: tuple[TiledArray, ...]

    @property
    def recomputed(self) -> tuple[TiledArray, ...]:
        """The instructions of which elements are computed for more than one tile."""
        return tuple(each for each in self.instructions if each.computed > each.elements)

    @property
    def tile_bytes(self) -> int:
        """The bytes of one tile: of the output and of all inputs."""
        return sum(each.tile_bytes for each in (self.output, *self.inputs))

    @property
    def moved_bytes(self) -> int:
        """The bytes that all tiles move: what they read, and the output."""
        return sum(each.moved_bytes for each in (self.output, *self.inputs))

    @property
    def refusal(self) -> str:
        """Why a tile of an input is no box; "" if each is."""
        return next((f"%{a.name}: {t.refusal}" for a in self.inputs for t in a.tiles if t.refusal), "")

    @property
    def faults(self) -> tuple[str, ...]:
        """Why tiles do not lie in whole tiles of the layouts, with the names of the arrays."""
        return tuple(f"%{a.name}: {why}" for a in (self.output, *self.inputs) for why in a.faults)


def propagate_tile(
    of: Instruction | Computation, sizes: Sequence[int], output: int = 0, *, devices: Devices = None
) -> Propagation:
    """Return what a tile of an output needs of each input, and of the instructions between them.

    >>> from tla.hlo import read_instruction
    >>> columns = read_instruction("s = f32[64,8] slice(f32[64,512] x), slice={[0:64], [0:512:64]}")
    >>> for each in propagate_tile(columns, (8, 4)).inputs:
    ...     print(each.name, *each.tiles)
    x offset (8 * d0, 256 * d1), size (8, 4), stride (1, 64)

    An instruction of a computation, or of a fusion, is computed again in each tile that needs it.

    Args:
        sizes: The size of the tile in each dim of the output.
        output: The number of the output.
        devices: As for `output_to_input`.

    Raises:
        CongruenceError: there is not one size for each dim.
        UnsupportedError: an instruction has no maps.
        UndecidedError: a proof, or a count, has too many points.
    """
    root, *arrays = _arrays(of, output, devices)
    if len(sizes) != root[1].shape.rank:
        raise CongruenceError(
            f"{len(sizes)} sizes are no tile of {root[1].name}, which is {root[1].shape}"
        )
    all_ = [(kind, _tiled_array(leaf, maps, sizes)) for kind, leaf, maps in (root, *arrays)]
    return Propagation(
        tuple(sizes),
        all_[0][1],
        tuple(each for kind, each in all_ if kind == "input"),
        tuple(each for kind, each in all_ if kind == "inner"),
    )


def _arrays(
    of: Instruction | Computation, output: int, devices: Devices
) -> Iterator[tuple[str, Leaf, list[IndexingMap]]]:
    """Yield the output, then the other arrays, each with its maps."""
    if isinstance(of, Instruction):
        op = op_of(of, devices)
        yield "output", op.outputs[output], [op.identity(output)]
        inner = of.computations[0] if of.opcode == "fusion" and of.computations else None
        read: dict[str, tuple[Leaf, list[IndexingMap]]] = {}
        for leaf, maps in zip(op.inputs, maps_of(op, output), strict=True):
            read.setdefault(str(leaf), (leaf, []))[1].extend(maps)
        for leaf, maps in read.values():  # an operand that stands there twice is one array
            if maps:
                yield "input", leaf, list(dict.fromkeys(maps))
    else:
        inner = of
        leaf = [*leaves(of.root.name, of.root.shape)][output]
        yield "output", leaf, maps_to(of, of.root, output, devices=devices)[output]
    if inner is None:
        return
    for each in inner.instructions:
        is_input = each.parameter_number is not None
        if each is inner.root or (is_input and inner is not of) or each.opcode == "constant":
            continue
        found = maps_to(inner, each, output, devices=devices)
        for leaf, maps in zip(leaves(each.name, each.shape), found, strict=True):
            if maps:
                yield "input" if is_input else "inner", leaf, maps


def _tiled_array(leaf: Leaf, maps: Sequence[IndexingMap], sizes: Sequence[int]) -> TiledArray:
    """Return what tiles need of an array; numbers that are read at run time have their least value."""
    shape = leaf.shape
    found = tuple(tile(m, sizes) for m in maps)
    known = [_at_least(m) for m in maps if not m.is_undefined]
    each = [tiled(m, sizes) for m in known]
    elements = count_blocks(shape, known, 1, prod(known_sizes(shape)))
    line = 0 if shape.tiles else max(1, 1024 // storage_bits(shape))
    try:
        if elements.reason:
            raise TooManyError
        # each point reads an element of its own, or they are counted
        is_one_to_one = [m.box for m in known] == [elements.most]
        computed = elements.most if is_one_to_one else _pairs(each)
        moved = _pairs([compose(m, blocks(shape, line)) for m in each] if line != 1 else each)
    except TooManyError:
        why = f"what tiles need of {leaf} has too many points to count"
        raise UndecidedError(why, *filter(None, [elements.reason])) from None
    return TiledArray(str(leaf), shape, found, computed, elements.most, moved * block_bytes(shape, line))


def _at_least(m: IndexingMap) -> IndexingMap:
    """The map with the least value of each number that is read at run time, as one of its own."""
    least = [Interval(v.bounds.lower, v.bounds.lower) for v in m.runtime]
    return m.with_parts(runtime=least)


def _pairs(maps: Sequence[IndexingMap], ends: frozenset[int] = frozenset()) -> int:
    """Return the number of different pairs of a tile and a result.

    What all tiles have is counted at once if that is possible; otherwise the tiles at both ends of a dim
    by themselves, and of those between them one period.

    Args:
        ends: The dims whose ends are cut off.

    Raises:
        TooManyError: there are too many points.
    """
    maps = [m for m in (simplify(m, "replace") for m in maps) if not m.is_known_empty]
    if not maps:
        return 0
    with_tile = [m.with_parts(results=[*m.results, *map(dim, range(len(m.dims)))]) for m in maps]
    try:
        return image_size([numbered(m) for m in with_tile]).most
    except TooManyError:
        pass
    rows = [[m.dims[k].bounds for m in maps] for k in range(len(maps[0].dims))]
    for k, row in sorted(enumerate(rows), key=lambda each: -max(part.size for part in each[1])):
        low, high = min(part.lower for part in row), max(part.upper for part in row)
        is_same = {*row} == {row[0]} and not any(
            dim(k).symbols[0] in symbols_in(x) for m in maps for x, _bounds in m.constraints
        )
        if not is_same and k not in ends and low < high:
            cuts = sorted({at + n for part in row for at in (part.lower, part.upper) for n in (0, 1)})
            inner = [Interval(at, end - 1) for at, end in pairwise(cuts)]
            return sum(_pairs(_within(maps, k, part), ends | {k}) for part in inner)
        step = period([m.results for m in maps], dim(k), high - low) if is_same else 0
        if step:
            times, rest = divmod(high - low + 1, step)
            whole = _pairs(_within(maps, k, Interval(low, low + step - 1)), ends)
            return times * whole + _pairs(_within(maps, k, Interval(low, low + rest - 1)), ends)
    raise TooManyError


def _within(maps: Iterable[IndexingMap], k: int, part: Interval) -> list[IndexingMap]:
    """The maps on some values of a dim."""
    found: list[IndexingMap] = []
    for m in maps:
        dims = [v._replace(bounds=v.bounds & part) if i == k else v for i, v in enumerate(m.dims)]
        if dims[k].bounds.is_feasible:
            found.append(m.with_parts(dims=dims))
    return found


# --- legal tiles ------------------------------------------------------------------------------


def _units(shape: XlaShape) -> list[int]:
    """Return for each dim the size of the layout's tile in it; 1 where it has none."""
    units = [1] * shape.rank
    sizes = [n for n in shape.tiles[0] if n != COMBINE] if shape.tiles else []
    for axis, n in zip(shape.minor_to_major, reversed(sizes), strict=False):
        units[axis] = int(n)
    return units


def tile_faults(shape: XlaShape, sizes: Sequence[int]) -> tuple[str, ...]:
    """Return for each dim why tiles of these sizes do not fit the tiles of a layout; () if they do.

    >>> from tla.xla_bridge import parse_array
    >>> tile_faults(parse_array("f32[256,512]{1,0:T(8,128)}"), (12, 512))
    ('dim 0 of 256 has tiles of 12, no multiple of 8',)

    A size fits if it is a multiple of the layout's tile, or the whole dim.
    """
    return tuple(
        f"dim {k} of {n} has tiles of {size}, no multiple of {unit}"
        for k, (n, size, unit) in enumerate(zip(known_sizes(shape), sizes, _units(shape), strict=False))
        if size % unit and size < n
    )


def _box_bytes(shape: XlaShape, box: Tile) -> int:
    """The bytes of a box in whole tiles of the layout; of an array without a box, all."""
    sizes = known_sizes(shape)
    spans = [min(n, (k - 1) * by + 1) for n, k, by in zip(sizes, box.size, box.stride, strict=False)]
    units = _units(shape)
    full = [
        ceil(span / unit) * unit for span, unit in zip(spans if box.size else sizes, units, strict=False)
    ]
    return prod(full) * storage_bits(shape) // 8


# --- the search -------------------------------------------------------------------------------

_MOST_TILES: Final = 128
"""The most tiles that a search looks at."""


def tile_sizes(
    of: Instruction | Computation, memory: int, output: int = 0, *, devices: Devices = None
) -> list[Propagation]:
    """Return tiles of an output whose inputs and output fit into memory, those that move least first.

    >>> from tla.hlo import read_instruction
    >>> turn = read_instruction(
    ...     "t = f32[512,512]{1,0:T(8,128)} transpose(f32[512,512]{1,0:T(8,128)} x), dimensions={1,0}"
    ... )
    >>> best = tile_sizes(turn, memory=1 << 18)[0]
    >>> best.sizes, best.tile_bytes, best.moved_bytes
    ((128, 256), 262144, 2097152)

    The sizes are multiples of the layout's tile by powers of two, and whole dims. Tiles that are no
    boxes, or that do not fit the tiles of a layout, are left out.

    Args:
        memory: The bytes that one tile may have.

    Raises:
        UnsupportedError: no tile fits.
    """
    shape = next(_arrays(of, output, devices))[1].shape
    if not all(known_sizes(shape)):
        raise UnsupportedError(f"{of.name} is {shape}: there is no element to tile")
    choices: list[list[int]] = []
    for n, unit in zip(known_sizes(shape), _units(shape), strict=True):
        choices.append([n, *(unit << i for i in range(n.bit_length()) if unit << i < n)])
    while prod(map(len, choices)) > _MOST_TILES:
        longest = max(choices, key=len)
        longest[:] = [longest[0], *longest[1::2]]
    found = [propagate_tile(of, sizes, output, devices=devices) for sizes in product(*choices)]
    fit = [each for each in found if not each.refusal and not each.faults and each.tile_bytes <= memory]
    if not fit:
        least = min((each.tile_bytes for each in found if not each.refusal), default=0)
        raise UnsupportedError(
            f"no tile of {of.name} fits into {plural(memory, 'byte')}", f"The least has {least}."
        )
    return sorted(fit, key=lambda each: (each.moved_bytes, -prod(each.sizes)))
