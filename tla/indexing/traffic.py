# SPDX-License-Identifier: Apache-2.0
"""Traffic: how much memory an instruction or a computation reads and writes.

>>> from tla.hlo import read_instruction
>>> columns = read_instruction(
...     "s = f32[128,4] slice(f32[128,512]{1,0:T(8,128)} x), slice={[0:128:1], [0:512:128]}"
... )
>>> (x,) = traffic(columns).reads
>>> x.bytes, x.line_bytes, x.tile_bytes  # each element lies in a line of its own
(2048, 65536, 262144)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, Union

from ..errors import CongruenceError, KindError, UndecidedError, UnsupportedError
from ..ground import did_you_mean, near_words
from ..hlo import Computation, Instruction
from ..numbers import Expr, ceil_div, rebind
from ..xla_bridge import (
    COMBINE,
    XlaBuffer,
    XlaShape,
    logical_bytes,
    parse_shape,
    physical_bytes,
    physical_dimensions,
    storage_bits,
    tiled_axes,
)
from .compose import compose
from .deciding import union
from .exact import relation
from .fusion import computation_maps, op_of
from .images import Span, TooManyError, image_size, readers
from .layouts import known_sizes
from .maps import IndexingMap
from .ops import Leaf, leaves, maps_of
from .places import rearranged
from .simplify import simplify
from .unused import remove_unused_symbols
from .variables import bounded, dim

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..numbers import Symbol, Value
    from ..xla_bridge import AnyShape
    from .ops import Devices

ShapeLike: TypeAlias = Union["AnyShape", str]
"""An XLA shape or its text."""

Layouts: TypeAlias = "ShapeLike | Mapping[str, ShapeLike] | None"
"""Shapes with other layouts, by the names of the arrays; or of the only array."""


class Counts(NamedTuple):
    """Distinct things of an array that are read or written.

    >>> from tla.indexing import parse_map
    >>> column = parse_map("(d0) -> (d0, 0), domain: d0 in [0, 15]")
    >>> traffic(column, "f32[16,256]{1,0:T(8,128)}").reads[0].most
    Counts(elements=16, bytes=64, lines=16, tiles=2)

    Attributes:
        elements: Its elements.
        bytes: The bytes of these elements.
        lines: The lines of memory that hold them.
        tiles: The tiles of its layout that hold them; 0 if the layout has none.
    """

    elements: int
    bytes: int
    lines: int
    tiles: int


class ArrayTraffic(NamedTuple):
    """What is read of an array, or written to it.

    >>> from tla.hlo import read_instruction
    >>> window = "w = f32[4] reduce-window(f32[9] x, f32[] c), window={size=3 stride=2}, to_apply=m"
    >>> x, _ = traffic(read_instruction(window)).reads
    >>> x.elements, x.reuse, x.exact  # 3 of the 9 elements are read twice
    (9, {1: 6, 2: 3}, True)

    Attributes:
        name: The name of the array.
        shape: Its shape, with the layout.
        most: Its counts; if they are not exact, upper bounds.
        least: Lower bounds.
        reuse: How many elements are read for 1 element of the result, for 2, and so on; {} if that is
            not known.
        reason: Why the counts are not exact, or ``reuse`` is not known; "" otherwise.
        box_bytes: The bytes that XLA's model counts: for each map the product of the sizes of its
            variables; at most the array.
        line: The bytes of a line.
    """

    name: str
    shape: XlaShape
    most: Counts
    least: Counts
    reuse: dict[int, int]
    reason: str
    box_bytes: int
    line: int

    @property
    def elements(self) -> int:
        """The number of distinct elements."""
        return self.most.elements

    @property
    def bytes(self) -> int:
        """The bytes of the distinct elements."""
        return self.most.bytes

    @property
    def lines(self) -> int:
        """The number of lines of memory that hold them."""
        return self.most.lines

    @property
    def tiles(self) -> int:
        """The number of tiles of the layout that hold them; 0 if it has none."""
        return self.most.tiles

    @property
    def exact(self) -> bool:
        """Whether all numbers are exact."""
        return not self.reason

    @property
    def line_bytes(self) -> int:
        """The bytes of its lines."""
        return self.lines * self.line

    @property
    def tile_bytes(self) -> int:
        """The bytes of its tiles; 0 if the layout has none."""
        return self.tiles * block_bytes(self.shape, 0)

    @property
    def moved_bytes(self) -> int:
        """The bytes that move: those of whole tiles, or, without tiles, of whole lines."""
        return self.tile_bytes or self.line_bytes

    @property
    def wasted_bytes(self) -> int:
        """The bytes that move and hold none of the elements."""
        return self.moved_bytes - self.bytes


class Traffic(NamedTuple):
    """What an instruction or a computation reads and writes. Numbers are sums over the arrays.

    >>> from tla.hlo import read_instruction
    >>> sums = traffic(read_instruction("s = f32[8,512] add(f32[8,512] x, f32[8,512] y)"))
    >>> [array.name for array in sums.reads], sums.bytes, sums.reuse
    (['x', 'y'], 49152, {1: 8192})

    Attributes:
        name: Its name.
        reads: Its operands or parameters, each array once.
        writes: Its outputs.
        cycles: The cycles that the compiler estimates for it; None if the module does not say.
    """

    name: str
    reads: tuple[ArrayTraffic, ...]
    writes: tuple[ArrayTraffic, ...] = ()
    cycles: int | None = None

    @property
    def arrays(self) -> tuple[ArrayTraffic, ...]:
        """All arrays: those that are read, then those that are written."""
        return (*self.reads, *self.writes)

    @property
    def elements(self) -> int:
        """The number of distinct elements of all arrays."""
        return sum(each.elements for each in self.arrays)

    @property
    def bytes(self) -> int:
        """The bytes of these elements."""
        return sum(each.bytes for each in self.arrays)

    @property
    def lines(self) -> int:
        """The number of lines that hold them."""
        return sum(each.lines for each in self.arrays)

    @property
    def tiles(self) -> int:
        """The number of tiles that hold them."""
        return sum(each.tiles for each in self.arrays)

    @property
    def reuse(self) -> dict[int, int]:
        """How many elements of all operands are read for 1 element of the result, for 2, and so on."""
        found: Counter[int] = Counter()
        for each in self.reads:
            found.update(each.reuse)
        return dict(sorted(found.items()))

    @property
    def exact(self) -> bool:
        """Whether all numbers are exact."""
        return all(each.exact for each in self.arrays)

    @property
    def moved_bytes(self) -> int:
        """The bytes of whole tiles, or lines, that move."""
        return sum(each.moved_bytes for each in self.arrays)

    @property
    def box_bytes(self) -> int:
        """The bytes that XLA's model counts."""
        return sum(each.box_bytes for each in self.arrays)

    @property
    def wasted_bytes(self) -> int:
        """The bytes that move and hold none of the elements."""
        return sum(each.wasted_bytes for each in self.arrays)


def traffic(
    of: Instruction | Computation | IndexingMap | Iterable[IndexingMap],
    layouts: Layouts = None,
    *,
    line: int = 128,
    devices: Devices = None,
) -> Traffic:
    """Return what an instruction, a computation or some maps read of each array, and what they write.

    >>> from tla.indexing import parse_map
    >>> rows = parse_map("(d0)[s0] -> (d0 * 4, s0), domain: d0 in [0, 3], s0 in [0, 99]")
    >>> (x,) = traffic(rows, "bf16[16,100]{1,0:T(8,128)(2,1)}").reads
    >>> x.elements, x.bytes, x.lines, x.tiles, x.reuse
    (400, 800, 16, 2, {1: 400})

    An element counts once, however often it is read, and lines and tiles are those of the physical
    layout. Numbers are for one run: where they depend on numbers that the program reads, ``most`` and
    ``least`` are the bounds over all runs.

    Args:
        of: For an instruction the arrays are its operands and outputs, also of a fusion; for a
            computation its parameters and the arrays of its root. Maps lead to one array.
        layouts: Other layouts for the arrays, by name; for maps the shape of the array.
        line: The bytes of a line of memory.
        devices: As for `output_to_input`.

    Raises:
        CongruenceError: a layout is of other dims than its array.
        KindError: there is no array of a name in ``layouts``; or maps have no layout.
        UnsupportedError: an instruction has no maps, a size is unknown, or a line holds no elements.
    """
    if line < 1:
        raise UnsupportedError(f"a line has at least 1 byte, not {line}", line=line)
    if isinstance(of, Instruction):
        op = op_of(of, devices)
        found = [maps_of(op, output) for output in range(len(op.outputs))]
        return _between(of, op.inputs, op.outputs, found, layouts, line)
    if isinstance(of, Computation):
        inputs = [leaf for each in of.parameters for leaf in leaves(each.name, each.shape)]
        outputs = list(leaves(of.root.name, of.root.shape))
        found = [computation_maps(of, output, devices=devices) for output in range(len(outputs))]
        return _between(of, inputs, outputs, found, layouts, line)
    maps = [of] if isinstance(of, IndexingMap) else list(of)
    if layouts is None or isinstance(layouts, Mapping):
        raise KindError(
            "maps do not say of what array they are", "Give its shape: traffic(map, 'f32[8,128]')."
        )
    shape = shape_of(layouts)
    for m in maps:
        if not m.is_undefined and len(m.results) != shape.rank:
            raise CongruenceError(
                f"a map with {len(m.results)} results reads no array of {shape.rank} dims",
                f"map: {m}",
                f"array: {shape}",
            )
    return Traffic("", (_array("", shape, [(0, m) for m in maps], line),))


def _between(
    of: Instruction | Computation,
    inputs: Sequence[Leaf],
    outputs: Sequence[Leaf],
    found: Sequence[Sequence[Sequence[IndexingMap]]],
    layouts: Layouts,
    line: int,
) -> Traffic:
    """Return the traffic of maps from each output to each input."""
    shapes = _shapes([*inputs, *outputs], layouts)
    reads: list[ArrayTraffic] = []
    for name in dict.fromkeys(map(str, inputs)):  # an operand that stands there twice is one array
        maps = [
            (o, m)
            for o, to in enumerate(found)
            for leaf, each in zip(inputs, to, strict=True)
            if str(leaf) == name
            for m in each
        ]
        reads.append(_array(name, shapes[name], maps, line))
    writes: list[ArrayTraffic] = []
    for leaf in outputs:
        shape = shapes[str(leaf)]
        sizes = known_sizes(shape)
        same = IndexingMap([dim(k) for k in range(len(sizes))], sizes)
        writes.append(_array(str(leaf), shape, [(0, same)], line))
    return Traffic(of.name, tuple(reads), tuple(writes), _cycles(of))


def _cycles(of: Instruction | Computation) -> int | None:
    config: Any = getattr(of, "backend_config", None) or {}
    cycles = config.get("window_config", config).get("estimated_cycles")
    return None if cycles is None else int(cycles)


# --- shapes -----------------------------------------------------------------------------------


def shape_of(of: ShapeLike) -> XlaShape:
    """Return the shape of an array, or of its text."""
    shape = parse_shape(of) if isinstance(of, str) else of
    shape = shape.array if isinstance(shape, XlaBuffer) else shape
    if not isinstance(shape, XlaShape):
        raise UnsupportedError(f"{shape} is no array", shape=shape)
    return shape


def _shapes(arrays: Sequence[Leaf], layouts: Layouts) -> dict[str, XlaShape]:
    """Return the shape of each array by its name, with the layouts that are given."""
    shapes = {str(leaf): leaf.shape for leaf in arrays}
    if layouts is not None and not isinstance(layouts, Mapping):
        layouts = {str(arrays[0]): layouts}
    for name, given in (layouts or {}).items():
        shape, bare = shape_of(given), name.removeprefix("%")
        if bare not in shapes:
            raise KindError(
                f"there is no array {name!r}", did_you_mean(near_words(bare, shapes), shapes), name=name
            )
        if shape.dimensions != shapes[bare].dimensions:
            raise CongruenceError(
                f"the layout of {bare} is for dims {list(shape.dimensions)}, and it has"
                f" {list(shapes[bare].dimensions)}",
                f"layout: {shape}",
                f"array: {shapes[bare]}",
            )
        shapes[bare] = shape
    return shapes


def _tile_axes(shape: XlaShape, at: Sequence[Any]) -> list[tuple[Any, int]]:
    """Return the coordinate and the size of each axis that counts the tiles of a layout."""
    order, first = shape.minor_to_major, shape.tiles[0]
    tiled = XlaShape(shape.element_type, shape.dimensions, minor_to_major=order, tiles=[first])
    axes: list[tuple[Any, int]] = tiled_axes(tiled, at)
    return axes[: len(axes) - sum(size != COMBINE for size in first)]


def block_bytes(shape: XlaShape, elements: int) -> int:
    """Return the bytes of a block of so many elements; of 0 of a tile, if the layout has tiles."""
    if elements or not shape.tiles:
        return elements * storage_bits(shape) // 8
    count = prod(n for _x, n in _tile_axes(shape, [0] * shape.rank))
    return prod(physical_dimensions(shape)) * storage_bits(shape) // 8 // count if count else 0


@lru_cache(maxsize=1024)
def blocks(shape: XlaShape, count: int) -> IndexingMap:
    """Return the map from an index to the block of memory of ``count`` elements; of 0 to its tile.

    A block has several coordinates: as few axes as possible are put together in one.
    """
    sizes = known_sizes(shape)
    at: list[Any] = [bounded(0, i, 0, n - 1) if n > 1 else 0 for i, n in enumerate(sizes)]
    put: dict[Symbol, Value] = {x.symbols[0]: dim(i) for i, x in enumerate(at) if type(x) is Expr}
    axes: list[tuple[Any, int]] = tiled_axes(shape, at) if count else _tile_axes(shape, at)
    offset: Any = 0
    size = 1
    while count and axes and size % count:
        x, n = axes.pop()
        offset, size = offset + x * size, size * n
    results = [x for x, _n in axes] + ([offset // count] if count else [])
    return IndexingMap([rebind(x, put) if type(x) is Expr else int(x) for x in results], sizes)


# --- counts -----------------------------------------------------------------------------------


def _array(
    name: str, shape: XlaShape, maps: Sequence[tuple[int, IndexingMap]], line: int
) -> ArrayTraffic:
    """Return the traffic of an array that maps lead to, each from the output of a number."""
    size, bits = prod(known_sizes(shape)), storage_bits(shape)
    here = [m for _o, m in maps]
    unknown = next((m.reason for m in here if m.is_undefined), "")
    elements = Span(0, size, unknown) if unknown else count_blocks(shape, here, 1, size)

    def of_bytes(n: int) -> Span:
        """The number of blocks of so many bytes."""
        count, rest = divmod(8 * n, bits)
        if not count and bits % (8 * n) == 0:
            each = bits // (8 * n)
            return elements._replace(least=elements.least * each, most=elements.most * each)
        if rest:
            raise UnsupportedError(
                f"a line of {n} bytes does not hold a whole number of elements of {bits} bits", line=n
            )
        return counted(count, ceil_div(physical_bytes(shape), n))

    def counted(count: int, whole: int) -> Span:
        """The number of blocks of so many elements, of so many; 0 is a tile."""
        if unknown or not elements.most:
            return Span(0, min(whole, elements.most), unknown)
        if count and not shape.tiles and elements.least == size:
            return Span(whole, whole)
        return count_blocks(shape, here, count, min(whole, elements.most))

    tiles = counted(0, prod(n for _x, n in _tile_axes(shape, [0] * shape.rank))) if shape.tiles else None
    spans = (elements, of_bytes(1), of_bytes(line), tiles or Span(0, 0))
    reason = next((span.reason for span in spans if span.reason), "")
    reuse: dict[int, int] = {}
    if elements.most and not unknown:
        try:
            each = {o: union(numbered(m) for of, m in maps if of == o) for o, _m in maps}
            pairs = [(o, m) for o, found in each.items() for m in found]
            reuse = readers([m for _o, m in pairs], [o for o, _m in pairs])
        except TooManyError:
            reason = reason or "the results that read an element are too many to count"
        else:
            reason = reason or ("" if reuse else "the elements that are read often differ between runs")
    boxes = sum(m.box for m in here) * logical_bytes(shape) // max(1, size)
    return ArrayTraffic(
        name,
        shape,
        Counts(*(span.most for span in spans)),
        Counts(*(span.least for span in spans)),
        reuse,
        reason,
        logical_bytes(shape) if unknown else min(boxes, logical_bytes(shape)),
        line,
    )


def count_blocks(shape: XlaShape, maps: Sequence[IndexingMap], count: int, whole: int) -> Span:
    """Return how many blocks of elements maps reach, of so many: by groups, by isl, or within bounds.

    Args:
        count: The elements of a block; 0 is a tile of the layout.
        whole: The blocks that there are.
    """
    if count != 1:
        into = blocks(shape, count)
        maps = [compose(m, into) for m in maps]
    maps = [numbered(m, is_image=True) for m in maps]
    try:
        span = image_size(maps)
    except TooManyError:
        reason = "there are too many points to enumerate"
        names = [v.source.instruction for m in maps for v in m.runtime if v.source is not None]
        if names:
            reason = f"%{names[0]} is read at run time, and {reason}"
        if not any(m.runtime for m in maps):
            try:
                image, *images = [relation(m).image() for m in maps]
                for each in images:
                    image = image | each
                return Span(image.count(), image.count())
            except (UnsupportedError, UndecidedError) as error:
                reason = error.summary
        return Span(0, whole, reason)
    return span._replace(least=min(span.least, whole), most=min(span.most, whole))


def numbered(m: IndexingMap, is_image: bool = False) -> IndexingMap:
    """Return a map in the form that counts take, with the replica that is read as one more result.

    Args:
        is_image: Whether its image counts alone, so that dims may be ranges, which constraints decide.
    """
    if m.replica is not None:
        m = m.with_parts(results=[*m.results, m.replica], replica=None)
    if is_image:
        first, *others = ([(kind, i) for i in range(len(m.kinds[kind]))] for kind in range(3))
        m = rearranged(m, [[], first + others[0], others[1]])
    return remove_unused_symbols(simplify(m, "replace"))
