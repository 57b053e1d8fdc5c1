# SPDX-License-Identifier: Apache-2.0
"""What the encodings of Triton mean: how each covers a tensor with registers and lanes, or with memory.

Most are a list of factors: a number of lanes, say, moves along one dim of the tensor, in steps of what
the factors before it cover. A larger tensor is covered by more registers, or offsets. In a smaller one
the bits that lead outside move nothing, so several lanes hold one element. The blocks of a group come
last: each has a part of the tensor.

Source: Triton 3.9, LinearLayoutConversions.cpp, LayoutUtils.cpp and TritonGPUAttrDefs.td.
"""

from __future__ import annotations

from itertools import chain
from math import prod
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn, TypeAlias

from ..algebra import split
from ..ground import Scanner, plural, shortened, written

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

_Basis: TypeAlias = dict[int, int]
"""By how much a bit of an in dim moves each dim of the tensor; a dim that stays is left out."""

R, L, W = _THREADS = ("register", "lane", "warp")


class _Cover:
    """A linear layout that grows by factors, as far as it covers a tensor.

    Args:
        ins: The in dims.
        order: The order in which the first in dim goes on along the dims of the tensor.
    """

    __slots__ = ("bases", "bits", "order")

    def __init__(self, ins: Iterable[str], order: Iterable[int]) -> None:
        self.bases: dict[str, list[_Basis]] = {name: [] for name in ins}
        self.order: list[int] = [*order]
        self.bits: list[int] = [0] * len(self.order)

    def add(self, name: str, dim: int, size: int, moves: bool = True) -> None:
        """Let a number of values of an in dim move along a dim of the tensor, or nowhere."""
        for _bit in range(size.bit_length() - 1):
            self.bases[name].append({dim: 1 << self.bits[dim]} if moves else {})
            self.bits[dim] += moves

    def grow(self, *factors: tuple[str, int, int]) -> None:
        """Add several factors: an in dim, a dim of the tensor, a size."""
        for factor in factors:
            self.add(*factor)

    def repeat(self, by: Mapping[str, Iterable[_Basis]]) -> None:
        """Let bits of in dims move all that is covered, as many times as their bases say."""
        for name, bases in by.items():
            more = [{dim: n << self.bits[dim] for dim, n in basis.items()} for basis in bases]
            self.bases[name] = [*self.bases.get(name, []), *more]
        self.bits = _bits_moved(chain(*self.bases.values()), len(self.bits))

    def fit(self, shape: Sequence[int]) -> set[int]:
        """Cover a shape and nothing outside; return the ids of the bases that led outside."""
        first, outside = next(iter(self.bases)), set[int]()
        for dim in self.order:
            self.add(first, dim, shape[dim] >> self.bits[dim])
        for basis in chain(*self.bases.values()):
            for dim in [dim for dim, n in basis.items() if n >= shape[dim]]:
                del basis[dim]
                outside.add(id(basis))
        self.bits = [size.bit_length() - 1 for size in shape]
        return outside

    def over_blocks(self, cga: Iterable[_Basis], shape: Sequence[int]) -> _Cover:
        """Return the layout of a tensor of which each block covers its part."""
        blocks, part = _blocks(cga, shape)
        self.fit(part)
        self.repeat({"block": blocks})
        return self


def _bits_moved(bases: Iterable[_Basis], rank: int) -> list[int]:
    """The bits of each dim up to the highest that is moved."""
    bits = [0] * rank
    for basis in bases:
        for dim, n in basis.items():
            bits[dim] = max(bits[dim], n.bit_length())
    return bits


def _blocks(cga: Iterable[_Basis], shape: Sequence[int]) -> tuple[list[_Basis], list[int]]:
    """By how many parts of a tensor the bits of a block move, and the shape of a part."""
    inside = [{dim: n for dim, n in basis.items() if n < shape[dim]} for basis in cga]
    bits = _bits_moved(inside, len(shape))
    return inside, [size >> low for size, low in zip(shape, bits, strict=True)]


def _sparse(rows: Iterable[Sequence[int]]) -> list[_Basis]:
    return [{dim: n for dim, n in enumerate(row) if n} for row in rows]


def times(sizes: Iterable[int]) -> str:
    return "x".join(map(written, sizes))


# --- the encodings -----------------------------------------------------------------------------


class Operand(NamedTuple):
    """An operand of a product.

    Attributes:
        k: The dim that is summed over.
        width: How many values along it lie side by side in a thread.
    """

    k: int
    width: int


class Encoding(NamedTuple):
    """An attribute as it is written, with the places of its fields."""

    kind: str
    fields: dict[str, Any]
    places: dict[str, tuple[int, int]]
    scan: Scanner

    def __str__(self) -> str:
        return f"#ttg.{self.kind}"

    def fail(self, key: str, summary: str) -> NoReturn:
        """Raise the error of a field, or of all with the key ``""``."""
        self.scan.fail(summary, *self.places.get(key, self.places[""]))

    def get(self, key: str) -> Any:
        """Return a field, which must be there."""
        if key not in self.fields:
            self.fail("", f"{self} lacks the field {key}")
        return self.fields[key]

    def choice(self, key: str, *choices: Any) -> Any:
        """Return a field, which has few values."""
        if self.get(key) not in choices:
            known = " or ".join(map(str, choices))
            self.fail(key, f"{key} of {self} is {known}, not {shortened(str(self.get(key)))}")
        return self.get(key)

    def rows(self, *keys: str) -> list[Sequence[int]]:
        """Return the bases of fields, an int for each dim; none of a field of another sort."""
        if keys == ("ctaLayout",):
            return [*chain(*self.fields["ctaLayout"].values())]
        return [row for key in keys if key in BASES for row in self.fields.get(key, ())]

    def cga(self, rank: int, summed: int = -1) -> list[_Basis]:
        """Return the bases of the blocks that share a tensor, without those along a dim."""
        cover = _Cover(("block",), range(rank))
        if "CTAsPerCGA" in self.fields:
            for dim in self.get("CTAOrder"):
                ctas, parts = self.get("CTAsPerCGA")[dim], self.get("CTASplitNum")[dim]
                if parts > ctas:
                    self.fail("CTASplitNum", f"CTASplitNum of {self} parts {ctas} blocks by {parts}")
                cover.add("block", dim, parts)
                cover.add("block", dim, ctas // parts, moves=False)
        else:
            cover.repeat({"block": _sparse(self.rows("CGALayout"))})
            self.check_permutation("CGALayout", cover)
        return [{dim: n for dim, n in b.items() if dim != summed} for b in cover.bases["block"]]

    def own_shape(self) -> list[int]:
        """Return the sizes that the bases cover; none where there are no bases."""
        rows = self.rows(*BASES - {"CGALayout"})
        return [1 << max(column).bit_length() for column in zip(*rows, strict=False)]

    def check_permutation(self, key: str, cover: _Cover) -> None:
        moved = sorted([item for basis in chain(*cover.bases.values()) for item in basis.items()])
        if moved != [(dim, 1 << bit) for dim, bits in enumerate(cover.bits) for bit in range(bits)]:
            self.fail(key, f"the bases of {self} must move each dim by 1, 2, 4, ..., each of these once")

    def cover(self, shape: Sequence[int], operand: Operand | None = None) -> _Cover:
        """Return the linear layout of a tensor whose sizes are powers of 2."""
        rank = len(shape)
        for key in self.fields:
            for row in self.rows(key) or [self.fields[key]] * (key in EXTENTS + ORDERS):
                if len(row) != rank:
                    has = f"{key} of {self} has {plural(len(row), 'entry')}"
                    self.fail(key, f"{has}, but the tensor has {plural(rank, 'dim')}")
        if rank < 2 and self.kind in ("dot_op", *_PRODUCTS[1:]):
            self.fail("", f"{self} is of a tensor of 2 dims or more, not {rank}")
        return KINDS[self.kind].cover(self, shape, operand)


def _from(first: int, rank: int) -> list[int]:
    """The dims of a product: one of the last two, the other, then those of a batch."""
    return [first, 2 * rank - 3 - first, *range(rank - 3, -1, -1)]


def _blocked(e: Encoding, shape: Sequence[int], operand: Operand | None) -> _Cover:
    cover, k = _Cover(_THREADS, e.get("order")), operand.k if operand else -1
    for name, key in zip(_THREADS, ("sizePerThread", "threadsPerWarp", "warpsPerCTA"), strict=True):
        for dim in cover.order:
            whole = dim == k and name == R
            cover.add(name, dim, shape[k] if whole else e.get(key)[dim], moves=whole or dim != k)
    cover.over_blocks(e.cga(len(shape), k), shape)
    if not operand:  # its copies of an element are left out
        cover.bases[R] = [basis for basis in cover.bases[R] if basis]
    return cover


def _nvidia_mma(e: Encoding, shape: Sequence[int], operand: Operand | None) -> _Cover:
    rank, version, instruction = len(shape), e.choice("versionMajor", 2, 3), e.get("instrShape")
    inner, width = operand or (rank - 1, 2)
    if len(instruction) != (rank if version == 2 else 3) or (version == 3 and rank != 2):
        shape_of = f"instrShape {times(instruction)} of {e} version {version}"
        e.fail("instrShape", f"{shape_of} does not fit a tensor of {rank} dims")
    if operand and version == 3 and inner != rank - 1:
        e.fail("versionMajor", f"{e} of version 3 has only operand 0 in registers")
    m, n = instruction[:2] if version == 3 else instruction[-2:]
    if min(m, n) < 8:
        e.fail("instrShape", f"instrShape of {e} is 8x8 or more, not {m}x{n}")
    if operand:
        m, n = 16 if inner == rank - 1 else 8, 8 * width
    cover = _Cover(_THREADS, _from(inner, rank))
    outer = cover.order[1]
    cover.grow(
        (R, inner, width), (L, inner, 4), (L, outer, 8), (R, outer, m // 8), (R, inner, n // (4 * width))
    )
    for dim in _from(rank + 1 - version, rank):
        cover.add(W, dim, e.get("warpsPerCTA")[dim], moves=not operand or dim != inner)
    return cover.over_blocks(e.cga(rank, inner if operand else -1), shape)


def _amd_mfma(e: Encoding, shape: Sequence[int], operand: Operand | None) -> _Cover:
    rank = len(shape)
    sides = times(e.get("instrShape")[:2])
    warps, tiles = e.get("warpsPerCTA"), e.fields.get("tilesPerWarp", [1] * rank)
    cover = _Cover(_THREADS, _from(operand.k if operand else rank - 1, rank))
    if sides not in ("32x32", "16x16", "4x64", "64x4") or (
        sides == "64x4" and not e.get("isTransposed")
    ):
        e.fail("instrShape", f"instrShape of {e} is 32x32, 16x16, 4x64 or 64x4 transposed, not {sides}")
    m, n = e.get("instrShape")[:2]
    if operand:
        k, free = cover.order[:2]
        lanes = m if k == rank - 1 else n
        cover.grow((R, k, operand.width), (L, free, lanes), (L, k, 64 // lanes))
        cover.add(R, k, 16 if lanes == 64 else 1)
        cover.grow((R, k, shape[k] >> cover.bits[k]), (R, free, tiles[free]))
        later = _from(rank - 1, rank)
    else:
        column, row, *later = cover.order
        along, across, lanes = (column, row, m) if e.get("isTransposed") else (row, column, n)
        height = 1 if e.fields.get("elementBitWidth") == 64 else 4
        cover.grow(
            (R, along, height),
            (L, across, lanes),
            (L, along, 64 // lanes),
            (R, along, m * n // (64 * height)),
            (R, column, tiles[column]),
            (W, column, warps[column]),
            (R, column, shape[column] // (n * warps[column] * tiles[column])),
            (R, row, tiles[row]),
        )
        later = [row, *later]
    for dim in later:
        cover.add(W, dim, warps[dim])
    return cover.over_blocks(e.cga(rank), shape)


def _amd_wmma(e: Encoding, shape: Sequence[int], operand: Operand | None) -> _Cover:
    rank, version = len(shape), e.choice("version", 1, 2, 3)
    instruction = e.fields.get("instrShape", [16, 16, 16])
    transposed = e.fields.get("isTranspose")
    if (sides := instruction[:2]) != [16, 16] and (sides, version) != ([32, 16], 3):
        e.fail("instrShape", f"instrShape of {e} is 16x16, or 32x16 of version 3, not {times(sides)}")
    m, n = sides[::-1] if transposed else sides
    cover, warps = (
        _Cover(_THREADS, _from(x, rank)) for x in (operand.k if operand else rank - 1, rank - 1)
    )
    k, free = cover.order[:2]
    warps.repeat({name: _sparse(rows) for name, rows in e.fields.get("ctaLayout", {}).items()})
    e.check_permutation("ctaLayout", warps)
    for dim in warps.order if "warpsPerCTA" in e.fields else ():
        warps.add(R, dim, e.fields.get("tilesPerWarp", [1] * rank)[dim])
        warps.add(W, dim, e.get("warpsPerCTA")[dim])
    if operand:
        cover.grow((R, k, operand.width), (L, free, 16))
        cover.add(L, k, 2, moves=version != 1)
        cover.add(R, k, instruction[-1] // (2 * operand.width))
        cover.add(R, free, (m if k == rank - 1 else n) // 16)
        for basis in chain(*warps.bases.values()):
            basis.pop(k, None)
        warps.bases[R] = [basis for basis in warps.bases[R] if basis]
    else:
        across, along = (free, k) if transposed else (k, free)
        cover.grow((R, along, 8 if version > 1 else 1), (L, across, 16), (L, along, 2))
        cover.add(R, along, 8 if version == 1 else 1)
        cover.grow((R, free, m // 16), (R, k, n // 16))
    cover.repeat(warps.bases)
    return cover.over_blocks(e.cga(rank, operand.k if operand else -1), shape)


def _dot_op(e: Encoding, shape: Sequence[int], _operand: object) -> _Cover:
    parent: Encoding = e.get("parent")
    if parent.kind not in _PRODUCTS:
        e.fail("parent", f"the parent of {e} is the layout of a product, not {parent}")
    k = len(shape) - 1 - e.choice("opIdx", 0, 1)
    return parent.cover(shape, Operand(k, 1 if parent.kind == "blocked" else e.get("kWidth")))


def _slice(e: Encoding, shape: Sequence[int], _operand: object) -> _Cover:
    gone, cover = e.choice("dim", *range(len(shape) + 1)), _Cover((), range(len(shape)))
    parent: _Cover = e.get("parent").cover([*shape[:gone], 1, *shape[gone:]])
    for name, bases in parent.bases.items():
        kept = [{dim - (dim > gone): n for dim, n in basis.items()} for basis in bases]
        cover.bases[name] = [basis for basis in kept if basis or name != R]
    cover.bits = parent.bits[:gone] + parent.bits[gone + 1 :]
    return cover


def _linear(e: Encoding, shape: Sequence[int], _operand: object) -> _Cover:
    ins = _THREADS if e.kind == "linear" else ("offset",)
    rows = {name: _sparse(e.rows(name)) for name in (*ins, "block")}
    order = [min(basis) for basis in rows[ins[0]] if basis] + [*range(len(shape) - 1, -1, -1)]
    cover = _Cover(rows, dict.fromkeys(order))
    cover.repeat(rows)
    if e.kind == "linear":
        e.check_permutation("", cover)
        outside = cover.fit(shape)
        cover.bases[R] = [basis for basis in cover.bases[R] if id(basis) not in outside]
    elif e.own_shape() != [*shape]:
        e.fail("", f"the bases of {e} are of a tensor of {times(e.own_shape())}, not {times(shape)}")
    return cover


def _swizzled_shared(e: Encoding, shape: Sequence[int], _operand: object) -> _Cover:
    if e.fields.get("hasLeadingOffset"):
        e.fail("hasLeadingOffset", f"{e} with hasLeadingOffset is not read; #ttg.nvmma_shared is")
    blocks, part = _blocks(e.cga(len(shape)), shape)
    cover = _Cover(("offset",), e.get("order"))
    column, *rows = cover.order
    for dim in cover.order:
        cover.add("offset", dim, part[dim])
    for basis in cover.bases["offset"]:
        phase = (
            basis[rows[0]] // e.get("perPhase") % e.get("maxPhase") if rows and rows[0] in basis else 0
        )
        if moved := e.get("vec") * phase % part[column]:
            basis[column] = moved
    cover.repeat({"block": blocks})
    return cover


def _nvmma_shared(e: Encoding, shape: Sequence[int], _operand: object) -> _Cover:
    """TMA copies boxes: of at most 256 along each dim, and of one swizzled row along the fastest."""
    rank, swizzled, padded = (
        len(shape),
        e.choice("swizzlingByteWidth", 0, 32, 64, 128),
        e.fields.get("fp4Padded"),
    )
    _inside, part = _blocks(e.cga(rank), shape)
    last = 0 if e.get("transposed") else rank - 1
    minor = [last, *[dim for dim in range(rank - 1, -1, -1) if dim != last]]
    box = [min(size, 256) for size in part]
    element = e.choice("elementBitWidth", 8, 16, 32, 64)
    width = 8 * swizzled // element
    cover = _Cover(("offset",), range(rank) if swizzled else minor[::-1])
    if swizzled:
        box[last] = width // 2 if padded else width
    columns = prod(box[:-1]) if e.get("transposed") else box[-1]
    rows = prod(box) // columns
    if not swizzled and e.get("transposed") and rank > 2:  # Triton gives one element several offsets
        e.fail("transposed", f"{e} that is transposed without a swizzle is of 2 dims, not {rank}")
    if box[last] > part[last] or (swizzled and rows < 8):
        e.fail("", f"{e} covers 8 rows of {box[last]} elements, more than the {times(part)} of a block")

    def place(column: int, row: int = 0) -> int:  # half of each 16 places is padding
        return row * columns + (column // 16 * 8 + column % 8 if padded else column)

    tile = [place(1 << i) for i in range(width.bit_length() - 1)]
    for row in (1, 2, 4) if swizzled else ():
        phase = row * swizzled // 128 % (swizzled // 16)
        tile.append(place(phase * 128 // element, row))
    if swizzled:
        tile += [place(0, row) for row in _powers(8, rows)] + _powers(box[last], columns)
        sizes = tuple([(str(dim), box[dim].bit_length() - 1) for dim in minor])
        for number in tile:
            moved = zip(minor, split(number, sizes), strict=True)
            cover.bases["offset"].append({dim: n for dim, n in moved if n})
        cover.bits = [size.bit_length() - 1 for size in box]
    else:
        for dim in minor:
            cover.add("offset", dim, box[dim])
    return cover.over_blocks(e.cga(rank), shape)


def _powers(first: int, end: int) -> list[int]:
    """The powers of 2 from one to another, which is left out."""
    return [1 << i for i in range(first.bit_length() - 1, end.bit_length() - 1)]


class Kind(NamedTuple):
    """How a kind of attribute covers a tensor, and its fields."""

    cover: Callable[[Encoding, Sequence[int], Operand | None], _Cover]
    required: str
    optional: str = ""


_CGA: Final = " CTAsPerCGA CTASplitNum CTAOrder CGALayout"
KINDS: Final = {
    "blocked": Kind(_blocked, "sizePerThread threadsPerWarp warpsPerCTA order", _CGA),
    "slice": Kind(_slice, "dim parent"),
    "dot_op": Kind(_dot_op, "opIdx parent", "kWidth"),
    "nvidia_mma": Kind(_nvidia_mma, "versionMajor warpsPerCTA instrShape", "versionMinor" + _CGA),
    "amd_mfma": Kind(
        _amd_mfma,
        "warpsPerCTA instrShape isTransposed",
        "version versionMajor versionMinor tilesPerWarp elementBitWidth" + _CGA,
    ),
    "amd_wmma": Kind(
        _amd_wmma, "version", "isTranspose ctaLayout warpsPerCTA tilesPerWarp instrShape" + _CGA
    ),
    "linear": Kind(_linear, "register lane warp block"),
    "shared_linear": Kind(_linear, "offset", "block alignment"),
    "swizzled_shared": Kind(_swizzled_shared, "vec perPhase maxPhase order", _CGA),
    "shared": Kind(_swizzled_shared, "vec perPhase maxPhase order", "hasLeadingOffset" + _CGA),
    "nvmma_shared": Kind(
        _nvmma_shared, "swizzlingByteWidth transposed elementBitWidth", "fp4Padded rank" + _CGA
    ),
}
_PRODUCTS: Final = ("blocked", "nvidia_mma", "amd_mfma", "amd_wmma")
BASES: Final = frozenset(("register", "lane", "warp", "block", "offset", "CGALayout"))
EXTENTS: Final = (
    "sizePerThread",
    "threadsPerWarp",
    "warpsPerCTA",
    "tilesPerWarp",
    "CTAsPerCGA",
    "CTASplitNum",
)
ORDERS: Final = ("order", "CTAOrder")
"""Fields with an entry for each dim, as each base has."""
