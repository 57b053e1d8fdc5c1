# SPDX-License-Identifier: Apache-2.0
"""The choices of TPU compilers for arrays: tiles, default layouts and memory spaces.

>>> from .parse import parse_array
>>> print(default_layout(parse_array("bf16[1000,20]"), "v5e"))
bf16[1000,20]{0,1:T(8,128)(2,1)}

A row of a tile is 128 elements of the most minor dim. Types below 32 bits are packed: elements of
``p = 32 / bits`` neighbouring rows share a 32-bit word. The second tile ``(p,1)`` expresses that.

Source: modules compiled by libtpu 0.0.42 for each chip, whose entry parameters are the rows of
``tests/data/tpu_default_layouts.jsonl``; XLA's tiled-layout document.
"""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from ..errors import UnsupportedError
from ..ground import dtypes
from .rules import Tile, check_order
from .shape import XlaShape, replaced
from .tiling import array_shape, physical_elements

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import SupportsIndex

    from ..ground import ElementType
    from .shape import AnyShape

Tiling: TypeAlias = tuple[Tile, ...]

_LANES: Final = 128
_SUBLANES: Final = 8
_LONGEST_VECTOR_TILE: Final = 1024


class Chip(NamedTuple):
    """A TPU core, as known to its compiler.

    >>> chip = chip_named("v5e")
    >>> chip.name, chip.generation, chip.hbm, chip.vmem_bytes
    ('v5e', 5, '15.75G', 134217728)
    """

    name: str
    generation: int
    memory_spaces: Mapping[int, str]
    """The known names of the memory spaces ``S(n)``, by number."""
    hbm: str
    """The main memory for a program, in the text of the compiler's out-of-memory reports."""
    vmem_bytes: int
    smem_bytes: int

    @property
    def hbm_bytes(self) -> int:
        """The main memory for a program in bytes, as exact as the compiler's text."""
        return int(float(self.hbm.removesuffix("G")) * (1 << 30))


# S(2) holds the flags of a copy-start, a send or a slice-start. S(6) holds single scalars that are the
# addresses of fusions. S(5) is XLA's own number of the host's memory.
_OLD: Final = {0: "HBM", 5: "host", 6: "SMEM"}
# On v4, S(3) is the memory between HBM and VMEM: it holds 64 MiB at once, four times a v4's VMEM.
_V4: Final = {**_OLD, 2: "sync flags", 3: "CMEM"}
_V5: Final = {**_OLD, 1: "VMEM", 2: "sync flags"}
_MIB: Final = 1 << 20

CHIPS: Final = {
    chip.name: chip
    for chip in (
        Chip("v2", 2, _OLD, "7.48G", 16 * _MIB, 16 << 10),
        Chip("v3", 3, _OLD, "15.48G", 16 * _MIB, 16 << 10),
        Chip("v4", 4, _V4, "15.25G", 16 * _MIB, _MIB),
        Chip("v5e", 5, _V5, "15.75G", 128 * _MIB, _MIB),
        Chip("v5p", 5, _V5, "95.74G", 64 * _MIB, _MIB),
        Chip("v6e", 6, _V5, "31.25G", 128 * _MIB, _MIB),
        Chip("tpu7x", 7, _V5, "94.75G", 64 * _MIB, _MIB),
    )
}
"""The chips whose compilers were observed, by name, oldest first.

The capacities are those of the compilers of the topologies 2x2 and 2x2x1, in their errors:
``exceeds available HBM (...)`` and ``would exceed memory (size=...)``.
"""

_OTHER_NAMES: Final = {
    "v5litepod": "v5e", "v5 lite": "v5e", "v5lite": "v5e", "v5": "v5p", "v6 lite": "v6e", "v6": "v6e",
    "trillium": "v6e", "ironwood": "tpu7x", "7x": "tpu7x", "v7x": "tpu7x", "v7": "tpu7x",
}  # fmt: skip


def chip_named(name: str | Chip) -> Chip:
    """Return the chip of a name; a chip stays as it is.

    >>> chip_named("TPU v5 lite").name, chip_named("Ironwood").name
    ('v5e', 'tpu7x')

    Raises:
        UnsupportedError: no chip has the name.
    """
    if isinstance(name, Chip):
        return name
    key = name.strip().lower()
    if key not in CHIPS:
        key = key.removeprefix("tpu").lstrip(" -_")
    found = CHIPS.get(_OTHER_NAMES.get(key, key))
    if found is None:
        raise UnsupportedError(f"there is no TPU {name!r}", f"Known: {', '.join(CHIPS)}.", chip=name)
    return found


def memory_space_name(n: int, chip: str | Chip | None = None) -> str:
    """Return the name of memory space ``S(n)`` on a chip, or the number itself if it is unknown.

    >>> memory_space_name(1, "v5e"), memory_space_name(3, "v4"), memory_space_name(1)
    ('VMEM', 'CMEM', 'S(1)')

    Without a chip only names that are the same on every chip count.
    """
    return (_OLD if chip is None else chip_named(chip).memory_spaces).get(n, f"S({n})")


def tpu_tilings(element_type: str | ElementType, rank: SupportsIndex) -> tuple[Tiling, ...]:
    """Return the tilings of arrays of a type and rank on TPUs, the most usual first.

    >>> tpu_tilings("bf16", 2)[:3]
    (((8, 128), (2, 1)), ((4, 128), (2, 1)), ((2, 128), (2, 1)))
    >>> tpu_tilings("f32", 0)
    (((128,),), ((256,),))

    Types below 8 bits have the tilings of their packed form, in which a shape also has ``E(bits)``, and
    then those with a whole byte for each element. Types above 32 bits have the tilings of 32 bits.

    Raises:
        UnsupportedError: the type has no data.
    """
    bits = _bits(element_type)
    rank = int(rank)
    # Only XLA's document has types of 1 bit. Types of 6 bits occur only in whole bytes.
    packings = [(_packing(bits), _packing(bits))] if bits != 6 else []
    packings += [(_packing(bits) if bits != 6 else 4, 4)] if bits < 8 else []
    found: dict[Tiling, None] = {}
    for p, stored in packings:
        if rank > 1:
            found |= dict.fromkeys(_matrix(p, stored))
        else:
            found |= dict.fromkeys(_vector(p, stored) if rank else _scalar(stored))
    return tuple(found)


def _bits(element_type: str | ElementType) -> int:
    named = dtypes.element_type(element_type)
    if named.bits is None:
        raise UnsupportedError(f"{named.name} carries no data: it has no tiles")
    return named.bits


def _packing(bits: int) -> int:
    """The number of elements that share a 32-bit word."""
    return max(1, 32 // bits)


def _sub(p: int) -> Tiling:
    return ((p, 1),) if p > 1 else ()


def _line(n: int, p: int) -> Tiling:
    return ((n,), (_LANES,), (p, 1)) if p > 1 else ((n,),)


def _scalar(p: int) -> Iterator[Tiling]:
    yield ((_LANES * p,),)
    if p < 8:  # before v4
        yield ((2 * _LANES * p,),)


def _vector(p: int, stored: int) -> Iterator[Tiling]:
    n = max(_LONGEST_VECTOR_TILE, _LANES * p)
    while n >= _LANES * stored:
        yield _line(n, stored)
        n //= 2


def _matrix(p: int, stored: int) -> Iterator[Tiling]:
    rows = max(_SUBLANES, p)
    while rows >= p:
        yield ((rows, _LANES), *_sub(stored))
        rows //= 2
    if stored == p > 1:
        yield ((_SUBLANES * p, _LANES), (p, 1))  # a large second minor
    if p == 2:
        yield ((_SUBLANES, _LANES), (2, 1, 1, 1))  # the document's: pairs of neighbouring tiles


# --- the compiler's own choice ---


def default_tiling(shape: AnyShape, chip: str | Chip = "v5e") -> Tiling:
    """Return the tiles of an array's `default_layout`.

    >>> default_tiling(XlaShape("f32", (5000,))), default_tiling(XlaShape("s8", (2, 300)))
    (((1024,),), ((4, 128), (4, 1)))
    """
    return default_layout(shape, chip).tiles


def default_layout(shape: AnyShape, chip: str | Chip = "v5e") -> XlaShape:
    """Return the shape in the layout that the compiler chooses for an entry parameter.

    >>> print(default_layout(XlaShape("s32", (8388608, 8, 4))))
    s32[8388608,8,4]{0,2,1:T(4,128)}

    The two most minor dims are those with the fewest elements in memory. On a tie the later dim comes
    first, in the most minor place and then in the second. The other dims keep their order. An array
    without elements is row-major and has no tiles. Only the memory space of the present layout stays.

    Raises:
        UnsupportedError: the shape is no array, or a dim is unknown; its type has 1 or 6 bits, of which
            no choice was observed; or there is no such chip.
    """
    shape = _observed(shape)
    generation = chip_named(chip).generation
    if shape.is_unbounded_dynamic:
        raise UnsupportedError(f"{shape} has a dim of unknown size: its padding cannot be compared")
    rank = shape.rank
    packed = packed_bits(shape.element_type, generation)
    if not shape.elements and rank:
        return laid_out(shape, range(rank)[::-1], (), packed)
    if rank < 2:
        return laid_out(shape, range(rank), _line_tiles(shape, generation), packed)
    order = min(minor_pairs(range(rank)[::-1]), key=lambda order: _cost(shape, order, generation))
    return laid_out(shape, order, _plane_tilings(shape, order[1], generation)[0], packed)


def packed_bits(element_type: str | ElementType, chip: str | Chip | int = "v5e") -> int:
    """Return the compiler's ``E(bits)`` for an array of a type: 0 if elements have whole bytes.

    >>> packed_bits("s4", "v5e"), packed_bits("s4", "v3"), packed_bits("s8", "v5e")
    (4, 0, 0)

    Args:
        chip: The chip, or just its generation.
    """
    generation = chip if isinstance(chip, int) else chip_named(chip).generation
    bits = _bits(element_type)
    return bits if bits < 8 and generation >= 4 else 0


def tilings_of_order(
    shape: AnyShape, minor_to_major: Sequence[int], chip: str | Chip = "v5e"
) -> tuple[Tiling, ...]:
    """Return the tilings that the compiler accepts for a given order of dims, its own choice first.

    >>> shape = XlaShape("bf16", (64, 3))
    >>> tilings_of_order(shape, (1, 0)), tilings_of_order(shape, (0, 1))
    ((((8, 128), (2, 1)), ((16, 128), (2, 1))), (((4, 128), (2, 1)),))

    There are two if tiles of 8 rows of 32-bit words pad nothing. The compiler refuses a layout with
    other tiles ("expected shape: ..."), except wasteful ones of 16-bit types.

    Raises:
        UnsupportedError: the shape is no array, or its type has 1 or 6 bits; or there is no such chip.
    """
    shape = _observed(shape)
    check_order(minor_to_major, shape.rank)
    generation = chip_named(chip).generation
    if not shape.elements and shape.rank:
        return ((),)
    if shape.rank < 2:
        return (_line_tiles(shape, generation),)
    return _plane_tilings(shape, minor_to_major[1], generation)


def _observed(shape: AnyShape) -> XlaShape:
    shape = array_shape(shape)
    if _bits(shape.element_type) in (1, 6):
        name = shape.element_type.name
        raise UnsupportedError(f"what TPU compilers choose for {name} is not known", shape=shape)
    return shape


def minor_pairs(order: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield each choice of the two most minor dims in an order of dims; the others stay above them."""
    for pair in permutations(order, 2):
        yield (*pair, *(i for i in order if i not in pair))


def _cost(shape: XlaShape, order: tuple[int, ...], generation: int) -> tuple[int, bool]:
    """The cost of an order: the elements in memory, with at most 8 rows in a tile.

    Tiles of 2-bit types have 16 rows; among equal costs an order without padding is cheaper.
    """
    rows = _rows(shape, shape.dimensions[order[1]], generation)
    counted, taken = (
        physical_elements(XlaShape(shape.element_type, shape.dimensions, order, [(n, _LANES)]))
        for n in (min(_SUBLANES, rows), rows)
    )
    return counted, taken > shape.elements


def _rows(shape: XlaShape, second: int, generation: int) -> int:
    """The rows of a tile over a second minor dim: a power of two up to 8, at least a whole word."""
    p = _packing(_bits(shape.element_type))
    rows = p if generation >= 4 else max(p, min(_SUBLANES, 2 * p))
    while rows < min(second, _SUBLANES):
        rows *= 2
    return rows


def _plane_tilings(shape: XlaShape, second_minor: int, generation: int) -> tuple[Tiling, ...]:
    p = _packing(_bits(shape.element_type))
    second = shape.dimensions[second_minor]
    sub = _sub(_stored_packing(shape, generation))
    usual: Tiling = ((_rows(shape, second, generation), _LANES), *sub)
    if generation < 4 or p == 1 or second % (_SUBLANES * p):
        return (usual,)
    large: Tiling = ((_SUBLANES * p, _LANES), *sub)
    return (usual, large) if p == 2 else (large, usual)  # types of a byte or less prefer the large one


def _line_tiles(shape: XlaShape, generation: int) -> Tiling:
    """The tiles of a vector, powers of two up to 1024, or of a scalar."""
    p = _stored_packing(shape, generation)
    n = _LANES * p * (1 if generation >= 4 else 2)
    if not shape.rank:
        return ((n,),)
    longest = max(_LONGEST_VECTOR_TILE, _LANES * _packing(_bits(shape.element_type)))
    while n < min(shape.dimensions[0], longest):
        n *= 2
    return _line(n, p)


def _stored_packing(shape: XlaShape, generation: int) -> int:
    """The number of elements that share a word in memory; chips before v4 store whole bytes."""
    bits = _bits(shape.element_type)
    return _packing(bits if generation >= 4 else max(bits, 8))


def laid_out(
    shape: XlaShape, minor_to_major: Iterable[int], tiles: Tiling, element_size_in_bits: int = 0
) -> XlaShape:
    """Return the data of a shape in another order, with other tiles, in the same memory space.

    >>> print(laid_out(XlaShape("f32", ("<=300", 3)), (0, 1), ((4, 128),)))
    f32[<=300,3]{0,1:T(4,128)}
    """
    return replaced(
        shape,
        minor_to_major=tuple(minor_to_major),
        tiles=tiles,
        tail_padding_alignment_in_elements=1,
        element_size_in_bits=element_size_in_bits,
        split_configs=(),
        dynamic_shape_metadata_prefix_bytes=0,
    )
