# SPDX-License-Identifier: Apache-2.0
"""The bytes of a tile in each buffer: the places of its stages, and the bytes written and read there.

>>> from tla.ascend import Ascend950, element
>>> from tla.ascend.plans.families import MmadPingpong
>>> from tla.ascend.plans.tile import Tile
>>> from tla.ascend.shapes import GemmShape
>>> half = element("half")
>>> tile = Tile(Ascend950, half, half, GemmShape(100, 256, 256), GemmShape(100, 256, 64), MmadPingpong())
>>> l1 = footprints(tile)[0]
>>> for stage in l1.stages:
...     print(stage)
A 0 [0,56960)
A 1 [51200,108160)
B 0 [102400,233472)
B 1 [233472,364544)
>>> [(str(x), str(y)) for x, y in l1.overlaps]
[('A 0 [0,56960)', 'A 1 [51200,108160)'), ('A 1 [51200,108160)', 'B 0 [102400,233472)')]

CATLASS places stages by the size of a tile without padding. But a tile in L1 is made of fractals: its
rows are padded to 16, its columns to C0. A copy writes up to the last row of the last column of
fractals. The copies out of L1 read whole fractals.

Source: the constructors in CATLASS gemm/block/block_mmad_*.hpp; the L1 tags, gemm/helper.hpp.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from ..buffers import l1_tag
from ..shapes import rounded_up
from .asserts import counts_of, holds
from .scales import SCALE_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..arch import Arch
    from ..elements import Element
    from ..shapes import GemmShape
    from .asserts import Counts
    from .tile import Operand, Tile

Buffer: TypeAlias = Literal["L1", "L0A", "L0B", "L0C", "BT", "FB", "UB"]

_FRACTAL_ROWS: Final = 16
_ROW_BYTES: Final = 32


class Stage(NamedTuple):
    """One stage of an operand in a buffer, in bytes."""

    operand: Operand | str
    number: int
    start: int
    end: int
    """The byte after the last one that a copy writes."""
    reach: int
    """The byte after the last one that a copy reads; it reads whole fractals."""
    slot: int
    """The bytes from the start of this stage to the start of the next, as CATLASS places them."""

    def shared(self, other: Stage) -> tuple[int, int]:
        """The start and end of the bytes to which both are written, if they overlap."""
        return max(self.start, other.start), min(self.end, other.end)

    def __str__(self) -> str:
        return f"{self.operand} {self.number} [{self.start},{self.end})"


class Group(NamedTuple):
    """The stages of one operand in a buffer: they are equal, and equally far apart."""

    operand: Operand | str
    number: int
    start: int
    slot: int
    written: int
    reach: int

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The stages one by one."""
        starts = (self.start + self.slot * i for i in range(self.number))
        return tuple(
            Stage(self.operand, i, at, at + self.written, at + self.reach, self.slot)
            for i, at in enumerate(starts)
        )


class Footprint(NamedTuple):
    """The stages of a tile in one buffer.

    >>> from tla.ascend import gemm
    >>> l1 = gemm("AtlasA2", (4096, 4096, 4096), "half").footprints[0]
    >>> l1.buffer, l1.counted, l1.capacity
    ('L1', 393216, 524288)
    """

    buffer: Buffer
    capacity: int
    counted: int
    """The bytes of all stages as CATLASS counts them: without padding, by ``sizeof``."""
    groups: tuple[Group, ...]
    """The stages of each operand, in the order of their places."""
    unit: int
    """The alignment of the start of a stage, in bytes."""

    @classmethod
    def of(
        cls, arch: Arch, buffer: Buffer, groups: Sequence[Group], counted: int | None = None
    ) -> Footprint:
        """Return the footprint of some stages in a buffer; by default CATLASS counts what is written."""
        if counted is None:
            counted = sum(group.written * group.number for group in groups)
        unit = arch.start_alignment(buffer)
        return cls(buffer, arch.capacity(buffer), counted, tuple(groups), unit)

    @property
    def stages(self) -> tuple[Stage, ...]:
        """All stages, in the order of their places."""
        return tuple(stage for group in self.groups for stage in group.stages)

    @property
    def words(self) -> str:
        """The number of stages of each operand, in words."""
        return ", ".join(f"{group.number} of {group.operand}" for group in self.groups)

    @property
    def padded(self) -> int:
        """The bytes of all stages with their padding, one after another."""
        return sum(group.reach * group.number for group in self.groups)

    @property
    def needed(self) -> int:
        """The bytes up to the last one that a copy writes or reads, as CATLASS places the stages."""
        return max(g.start + g.slot * (g.number - 1) + g.reach for g in self.groups)

    @property
    def margin(self) -> int:
        """The bytes that are left in the buffer; negative if it does not suffice."""
        return self.capacity - self.needed

    @property
    def overlaps(self) -> tuple[tuple[Stage, Stage], ...]:
        """The pairs of stages of which one is written into the other, in the order of their places."""
        stages = sorted(self.stages, key=lambda s: (s.start, s.end))
        starts = [s.start for s in stages]
        return tuple(
            (x, y) for i, x in enumerate(stages) for y in stages[i + 1 : bisect_left(starts, x.end)]
        )

    @property
    def sound(self) -> bool:
        """Whether every stage has bytes of its own inside the buffer, and an allowed start."""
        last, unit = self.groups[-1], self.unit
        for g in self.groups:
            # a stage that is larger than its slot is written into the next stage, if there is one
            has_next = g.number > 1 or g is not last
            if (has_next and g.written > g.slot) or g.start % unit or (g.number > 1 and g.slot % unit):
                return False
        return self.margin >= 0


def _in_l1(rows: int, columns: int, c0: int, tag: str) -> tuple[int, int]:
    """The bytes of a tile in L1 that a copy writes, and the bytes of its whole fractals."""
    if l1_tag(tag) == "nZ":  # the same with rows and columns exchanged
        rows, columns = columns, rows
    blocks = -(-columns // c0)
    whole = rounded_up(rows, _FRACTAL_ROWS)
    return ((blocks - 1) * whole + rows) * _ROW_BYTES, blocks * whole * _ROW_BYTES


def _in_l0(lines: int, k: int, element: Element, transposes: bool, tag: str) -> int:
    """The bytes that a load writes for a tile of `lines` rows of A, or columns of B.

    A transposing load writes squares, with as many lines as a row of a fractal has elements. Only in zZ
    do the lines of all k follow one another.
    """
    square = max(_FRACTAL_ROWS, element.c0) if transposes else _FRACTAL_ROWS
    blocks = rounded_up(k, square if transposes else element.c0) // element.c0
    wide = rounded_up(lines, square)
    apart = wide if tag == "zZ" else rounded_up(lines, _FRACTAL_ROWS)
    return ((blocks - 1) * apart + wide) * _ROW_BYTES


def _l1(tile: Tile, counts: Counts) -> Footprint:
    count, l1, arch, family, tags = counts.stages, tile.l1, tile.arch, tile.policy.family, tile.tags
    whole_a = family.a_slot == "half"
    a_slot, b_slot = counts.l1a, counts.l1b
    if family.sparse:
        b_slot = l1.n * l1.k // 2
    if family.a_slot == "share":
        a_slot, b_slot = arch.l1 // 2 // count.l1a, arch.l1 // 2 // count.l1b
    k_of_a = tile.k if whole_a and tile.k is not None else l1.k
    bias = l1.n * tile.bias.sizeof if tile.bias else 0
    a_all, b_all, bias_all = a_slot * count.l1a, b_slot * count.l1b, bias * counts.bias_count
    a_at, b_at, bias_at = 0, a_all, a_all + b_all
    if family.b_first:
        a_at, b_at, bias_at = b_all + bias_all, 0, b_all
    rows_of_b = l1.k // 2 if family.sparse else l1.k
    a = Group("A", 1 if whole_a else count.l1a, a_at, a_slot, *_in_l1(l1.m, k_of_a, tile.a.c0, tags[0]))
    b = Group("B", count.l1b, b_at, b_slot, *_in_l1(rows_of_b, l1.n, tile.b.c0, tags[1]))
    groups = [b, a] if family.b_first else [a, b]
    if tile.bias:
        whole = rounded_up(bias, _ROW_BYTES)
        at = 1 if family.b_first else 2
        groups.insert(at, Group("bias", counts.bias_count, bias_at, bias, bias, whole))
    scale_all = 0
    if counts.scale_count:
        each = l1.n * SCALE_BYTES
        scale_all = each * counts.scale_count
        groups.append(Group("scale", counts.scale_count, a_all + b_all + bias_all, each, each, each))
    for name, each, number in (
        ("scale of A", counts.mx_a, count.l1a),
        ("scale of B", counts.mx_b, count.l1b),
    ):
        if each:
            groups.append(Group(name, number, a_all + b_all + bias_all + scale_all, each, each, each))
            scale_all += each * number
    if family.sparse:
        each = l1.n * l1.k // 8
        groups.append(Group("index", 2, a_all + b_all, each, each, each))
        scale_all += 2 * each
    return Footprint.of(arch, "L1", groups, a_all + b_all + bias_all + scale_all)


def _l0(
    arch: Arch, buffer: Buffer, operand: Operand, count: int, slot_size: int, size: int, how: str
) -> Footprint:
    slot = arch.capacity(buffer) // count if how == "share" else slot_size
    return Footprint.of(arch, buffer, [Group(operand, count, 0, slot, size, size)], slot_size * count)


def _footprints(tile: Tile, counts: Counts) -> Iterator[Footprint]:
    yield _l1(tile, counts)
    arch, l0, count, tags, sums = tile.arch, tile.l0, counts.stages, tile.tags, counts.accumulator.sizeof
    how = tile.policy.family.l0_slot
    size = _in_l0(l0.m, l0.k, tile.a, l1_tag(tags[0]) == "nZ", arch.l0a_tag)
    yield _l0(arch, "L0A", "A", count.l0a, counts.l0a, size, how)
    size = _in_l0(l0.n, l0.k, tile.b, l1_tag(tags[1]) == "zN", "nZ")
    yield _l0(arch, "L0B", "B", count.l0b, counts.l0b, size, how)
    size = rounded_up(l0.m, _FRACTAL_ROWS) * rounded_up(l0.n, _FRACTAL_ROWS) * sums
    yield _l0(arch, "L0C", "C", count.l0c, counts.l0c, size, tile.policy.family.l0c_slot)
    if tile.bias is not None:
        bytes_ = l0.n * sums
        yield _l0(arch, "BT", "bias", 1, bytes_, bytes_, "tile")


def footprints(tile: Tile) -> tuple[Footprint, ...]:
    """Return the footprints of a tile in L1, L0A, L0B and L0C, and in BT if there is a bias.

    >>> from tla.ascend import AtlasA2, GemmShape, MmadPingpong, Tile, element
    >>> half, l1, l0 = element("half"), GemmShape(128, 256, 256), GemmShape(128, 256, 64)
    >>> for each in footprints(Tile(AtlasA2, half, half, l1, l0, MmadPingpong())):
    ...     print(each.buffer, each.counted, each.capacity)
    L1 393216 524288
    L0A 32768 65536
    L0B 65536 65536
    L0C 131072 131072
    """
    return tuple(_footprints(tile, counts_of(tile)))


def fits(tile: Tile) -> bool:
    """Whether a block accepts the tile, and every stage of it has bytes of its own.

    >>> from tla.ascend import AtlasA2, GemmShape, MmadPingpong, Tile, element
    >>> half, part = element("half"), GemmShape(128, 256, 64)
    >>> tile = Tile(AtlasA2, half, half, part, part, MmadPingpong())
    >>> [fits(tile._replace(l1=part._replace(k=k))) for k in (256, 512)]
    [True, False]

    That is: no assertion of the policy's block fails, and each stage has an event id. Each footprint is
    sound: no overlap, nothing past a buffer's end, and only allowed starts. One Mmad can multiply the
    tile in L0. A block that has one tile of k has all of the problem's k in it.

    Raises:
        UnsupportedError: no cube core multiplies the elements.
    """
    family, counts = tile.policy.family, counts_of(tile)
    if tile.arch.code not in family.codes or not holds(counts, family.asserts):
        return False
    if any(count > tile.arch.events for _, count in events(tile)):
        return False
    if family.one_tile and tile.k is not None and tile.k > tile.l1.k:
        return False
    if any(extent > most for _, extent, most in mmad_extents(tile.arch, tile.l0)):
        return False
    return all(each.sound for each in _footprints(tile, counts))


def mmad_extents(arch: Arch, l0: GemmShape) -> list[tuple[str, int, int]]:
    """Return the axis, the extent and the greatest allowed extent of a tile in L0, for one Mmad.

    >>> from tla.ascend import AtlasA2, GemmShape
    >>> mmad_extents(AtlasA2, GemmShape(16, 16, 4096))[2]
    ('k', 4096, 4095)
    """
    limits = ((axis, arch.limit("Mmad", axis)) for axis in l0._fields)
    return [(axis, getattr(l0, axis), limit.most) for axis, limit in limits if limit is not None]


def events(tile: Tile) -> tuple[tuple[str, int], ...]:
    """The number of event ids that the stages hold, for each pair of pipes; empty with mutexes.

    Each stage holds one id. A bias holds one more in L1 and one more in BT, and scales one more in L1.
    """
    if "mutexes" in tile.policy.family.asserts:
        return ()
    counts = counts_of(tile)
    stages = counts.stages
    own = (stages.l1a + stages.l1b) * (2 if "MX L1 events" in tile.policy.family.asserts else 1)
    return (
        ("L1", own + counts.bias_count + (1 if counts.scale_count else 0)),
        ("L0", stages.l0a + stages.l0b + (tile.bias is not None)),
        ("L0C", stages.l0c),
    )
