# SPDX-License-Identifier: Apache-2.0
"""The static assertions of CATLASS's blocks about a tile, with the same arithmetic and words.

>>> from tla.ascend import Ascend950, AtlasA2, GemmShape, element
>>> from tla.ascend.plans.families import MmadPingpong
>>> from tla.ascend.plans.tile import Tile
>>> half = element("half")
>>> tile = Tile(AtlasA2, half, half, GemmShape(100, 256, 256), GemmShape(100, 256, 64), MmadPingpong())
>>> failures_of_block(tile), failures_of_block(tile._replace(arch=Ascend950))
(('L1TileShape::M must be 32B aligned.',), ())

This is CATLASS's verdict alone, with its holes: it counts a tile's bytes by ``sizeof`` and without
padding, in 32 bits that wrap. Whether the tile is sound is the subject of `footprint` and `legality`.

Source: CATLASS gemm/block/block_mmad_*.hpp; TileShapeAlignChecker, gemm/helper.hpp.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from ..elements import accumulator
from .scales import MX_GROUP, SCALE_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ..arch import Arch
    from ..elements import Element
    from ..shapes import GemmShape
    from .dispatch import Facts
    from .tile import Tile

_WORD: Final = 0xFFFFFFFF


class Counts(NamedTuple):
    """The values that assertions read: shapes, and the bytes and stages as CATLASS counts them."""

    l1: GemmShape
    l0: GemmShape
    arch: Arch
    a: Element
    b: Element
    c: Element
    c_tag: str
    bias: Element | None
    accumulator: Element
    stages: Facts
    """The stages and flags of the policy."""
    l1a: int
    l1b: int
    l0a: int
    l0b: int
    l0c: int
    bias_count: int
    """The number of stages of a bias in L1."""
    scale_count: int = 0
    """The number of stages of the scales of channels in L1."""
    mx_a: int = 0
    mx_b: int = 0
    """The bytes of the MX scales of a stage of A and of B in L1."""
    b_tag: str = "RowMajor"

    @property
    def l1_bytes(self) -> int:
        return (self.l1a * self.stages.l1a + self.l1b * self.stages.l1b) & _WORD

    @property
    def mx_bytes(self) -> int:
        return self.mx_a * self.stages.l1a + self.mx_b * self.stages.l1b

    @property
    def scale_bytes(self) -> int:
        return self.l1.n * self.scale_count * SCALE_BYTES

    @property
    def bias_bytes(self) -> int:
        return self.l1.n * self.bias_count * self.bias.sizeof if self.bias else 0


class Assertion(NamedTuple):
    """A condition, and the compiler's error if it does not hold."""

    text: str
    holds: Callable[[Counts], bool]


def _aligned(text: str, bits: Callable[[Counts], int]) -> Assertion:
    """Require whole rows of a fractal, 32 bytes; CATLASS's wrap at 32 bits does not matter."""

    def holds(t: Counts) -> bool:
        return bits(t) % 256 == 0

    return Assertion(text, holds)


def _on_2201(assertion: Assertion) -> Assertion:
    """The same assertion for the instruction set 2201 alone."""

    def holds(t: Counts) -> bool:
        return t.arch.code != 2201 or assertion.holds(t)

    return Assertion(assertion.text, holds)


_L1 = "L1TileShape exceeding the L1 space!"
_L0 = "L0TileShape exceeding the {} space!"
_FLOATS: Final = ("half", "bfloat16_t", "float")
_NO_ROW = "LayoutC only support RowMajor yet!"
_ALIGNED_TLA: Final = (
    _aligned("L1TileShape::M must be 32B aligned.", lambda t: t.l1.m * t.a.bits),
    _aligned("L1TileShape::K must be 32B aligned.", lambda t: t.l1.k * t.a.bits),
    _aligned("L1TileShape::K must be 32B aligned.", lambda t: t.l1.k * t.b.bits),
    _aligned("L1TileShape::N must be 32B aligned.", lambda t: t.l1.n * t.b.bits),
    _aligned("L0TileShape::K must be 32B aligned.", lambda t: t.l0.k * t.b.bits),
)
_BT = "BIAS_BUF_SIZE exceeding the BT space! Reduce L0"

_ONE: Final[dict[str, tuple[str, Callable[[Counts], bool]]]] = {
    "HF32": (
        "HF32 MODE only supports in float!",
        lambda t: not t.stages.hf32 or (t.a.name == t.b.name == "float"),
    ),
    "unit flag": (
        "L0C_STAGES must be 1 when UnitFlag is true!",
        lambda t: not t.stages.unit_flag or t.stages.l0c == 1,
    ),
    "split-K unit flag": (
        "When L0C_STAGES > 1, can not enable unitflag",
        lambda t: not t.stages.unit_flag or t.stages.l0c == 1,
    ),
    "layout C": (
        "LayoutC only supports zN in half or bfloat16 or float, RowMajor in all dtype yet!",
        lambda t: t.c_tag == "RowMajor" or (t.c_tag == "zN" and t.c.name in _FLOATS),
    ),
    "layout C row major": (_NO_ROW, lambda t: t.c_tag == "RowMajor"),
    "layout C row major tla": ("LayoutC only supports RowMajor!", lambda t: t.c_tag == "RowMajor"),
    "L1": (_L1, lambda t: t.l1_bytes <= t.arch.l1),
    "L0A": (_L0.format("L0A"), lambda t: t.l0a * t.stages.l0a & _WORD <= t.arch.l0a),
    "L0B": (_L0.format("L0B"), lambda t: t.l0b * t.stages.l0b & _WORD <= t.arch.l0b),
    "L0C": (_L0.format("L0C"), lambda t: t.l0c * t.stages.l0c & _WORD <= t.arch.l0c),
    "L0 M,N": (
        "The situation where the basic blocks of L1 and L0 differ on the m and n axes"
        " is not supported yet",
        lambda t: t.l1.m == t.l0.m and t.l1.n == t.l0.n,
    ),
    "L0 K": ("L0TileShape::K cannot exceed L1TileShape::K", lambda t: t.l0.k <= t.l1.k),
    "L0 M": ("L0TileShape::M cannot exceed L1TileShape::M", lambda t: t.l0.m <= t.l1.m),
    "L0 N": ("L0TileShape::N cannot exceed L1TileShape::N", lambda t: t.l0.n <= t.l1.n),
    "L1 events": (
        "L1 Buffer overflow: Exceeds the supported range of EVENT(0~7)",
        lambda t: t.stages.l1a + t.stages.l1b <= t.arch.events - (t.bias is not None),
    ),
    "L1 events with bias": (
        "L1 Buffer overflow: Exceeds the supported range of EVENT(0~7)",
        lambda t: t.stages.l1a + t.stages.l1b + t.bias_count <= t.arch.events,
    ),
    "L1 events with scale": (
        "L1 Buffer overflow: Exceeds the supported range of EVENT(0~7)",
        lambda t: t.stages.l1a + t.stages.l1b <= (6 if t.scale_count else 8 - (t.bias is not None)),
    ),
    "scale L1": (
        _L1,
        lambda t: not t.scale_count or (t.l1_bytes + t.bias_bytes + t.scale_bytes) & _WORD <= t.arch.l1,
    ),
    "scale L1 each": (_L1, lambda t: t.l1_bytes + t.scale_bytes <= t.arch.l1),
    "MX L1": (_L1, lambda t: t.l1_bytes + t.mx_bytes <= t.arch.l1),
    "MX bias L1": (_L1, lambda t: t.bias is None or t.l1_bytes + t.mx_bytes + t.bias_bytes <= t.arch.l1),
    "MX k": (
        "L1TileShape::K and L0TileShape::K must be multiples of 64!",
        lambda t: t.l1.k % 64 == 0 and t.l0.k % 64 == 0,
    ),
    "MX L0 M,N": (
        "L1 and L0 basic blocks must match on m and n axes",
        lambda t: t.l1.m == t.l0.m and t.l1.n == t.l0.n,
    ),
    "MX no bias": (
        "BlockMmadMxPreloadTla does not support bias (event-id budget is full).",
        lambda t: t.bias is None,
    ),
    "MX preload": (
        "PRELOAD_STAGES must be in [1, min(L1A_STAGES, L1B_STAGES) - 1]",
        lambda t: 1 <= t.stages.preload < min(t.stages.l1a, t.stages.l1b),
    ),
    "MX L1 events": (
        "L1 buffer event ids exceed 0..7",
        lambda t: 2 * (t.stages.l1a + t.stages.l1b) <= 8,
    ),
    "MX L0 events": ("L0 buffer event ids exceed 0..7", lambda t: t.stages.l0a + t.stages.l0b <= 8),
    "L0 M,N,K": (
        "The situation where the basic blocks of L1 and L0 differ is not supported yet",
        lambda t: t.l1 == t.l0,
    ),
    "sparse L1": (_L1, lambda t: (t.l1a + t.l1.n * t.l1.k // 2 + t.l1.n * t.l1.k // 8) * 2 <= t.arch.l1),
    "L0A once": (_L0.format("L0A"), lambda t: t.l0a <= t.arch.l0a),
    "L0B once": (_L0.format("L0B"), lambda t: t.l0b <= t.arch.l0b),
    "L0C once": (_L0.format("L0C"), lambda t: t.l0c <= t.arch.l0c),
    "sparse types": (
        "Unsupported dtype",
        lambda t: (t.a.name, t.b.name, t.c.name) == ("int8_t", "int8_t", "int32_t"),
    ),
    "sparse layout B": ("Only support MatrixB transpose", lambda t: t.b_tag == "ColumnMajor"),
    "complex layout C": ("LayoutC must be RowMajor", lambda t: t.c_tag == "RowMajor"),
    "complex L1": ("L1 exceeds limit for A + B K-pingpong", lambda t: t.l1_bytes <= t.arch.l1),
    "complex L0C": ("L0C tile doesn't fit in L0C", lambda t: t.l0c <= t.arch.l0c),
    "complex L0A": ("L0A pingpong tiles don't fit in L0A", lambda t: 2 * t.l0a <= t.arch.l0a),
    "complex L0B": ("L0B pingpong tiles don't fit in L0B", lambda t: 2 * t.l0b <= t.arch.l0b),
    "complex L0 M,N": ("L1 and L0 must share M and N", lambda t: t.l1.m == t.l0.m and t.l1.n == t.l0.n),
    "complex L0 K": ("L0TileShape::K > L1TileShape::K", lambda t: t.l0.k <= t.l1.k),
    "L0 events": (
        "L0 Buffer overflow: Exceeds the supported range of EVENT_ID(0~7)",
        lambda t: t.stages.l0a + t.stages.l0b <= t.arch.events - (t.bias is not None),
    ),
    "mutexes": (
        "MutexID overflow: Exceeds the supported range of MutexID(0~27)",
        lambda t: sum(t.stages[:5]) + 2 * (t.bias is not None) <= MUTEXES,
    ),
    "bias BT": (f"{_BT}_TILE_N", lambda t: t.bias is None or t.l0.n * t.accumulator.sizeof <= t.arch.bt),
    "BT always": (f"{_BT}_TILE_N", lambda t: t.l0.n * t.accumulator.sizeof <= t.arch.bt),
    "bias BT legacy": (
        f"{_BT}TileShape::N",
        lambda t: t.bias is None or t.l0.n * t.accumulator.sizeof <= t.arch.bt,
    ),
    "bias L1": (_L1, lambda t: t.bias is None or (t.l1_bytes + t.bias_bytes) & _WORD <= t.arch.l1),
    "bias not bfloat16": (
        "Bias does not support bfloat16 yet",
        lambda t: t.bias is None or t.bias.name != "bfloat16_t",
    ),
    "no bias": ("Dynamic tile only supports in bias-free mode!", lambda t: t.bias is None),
    "preload": (
        "PRELOAD_STAGES must not exceed the smaller of L1A_STAGES and L1B_STAGES!",
        lambda t: t.stages.preload <= min(t.stages.l1a, t.stages.l1b),
    ),
    "equal L1 stages": (
        "Dynamic tile only supports in L1A_STAGES == L1B_STAGES!",
        lambda t: t.stages.l1a == t.stages.l1b,
    ),
    "one stage of A": ("L1A_STAGES only supports 1!", lambda t: t.stages.l1a == 1),
    "square M,K": ("Left-symm path requires square M/K tiles.", lambda t: t.l1.m == t.l1.k),
    "square K,N": ("Right-symm path requires square K/N tiles.", lambda t: t.l1.k == t.l1.n),
}
"""The conditions of one assertion."""

ASSERTS: Final[dict[str, tuple[Assertion, ...]]] = {
    **{name: (Assertion(*one),) for name, one in _ONE.items()},
    "aligned tiles": _ALIGNED_TLA,
    "aligned on 2201": tuple(_on_2201(a) for a in _ALIGNED_TLA),
    "aligned": (
        _aligned("L1TileShape::M is not aligned.", lambda t: t.l1.m * t.a.bits),
        _aligned("L0TileShape::M is not aligned.", lambda t: t.l0.m * t.a.bits),
        _aligned("L1TileShape::K is not aligned.", lambda t: t.l1.k * t.a.bits),
        _aligned("L1TileShape::K is not aligned.", lambda t: t.l1.k * t.b.bits),
        _aligned("L0TileShape::K is not aligned.", lambda t: t.l0.k * t.a.bits),
        _aligned("L0TileShape::K is not aligned.", lambda t: t.l0.k * t.b.bits),
        _aligned("L1TileShape::N is not aligned.", lambda t: t.l1.n * t.b.bits),
        _aligned("L0TileShape::N is not aligned.", lambda t: t.l0.n * t.b.bits),
    ),
}
"""Every condition that a block asserts, by our name for it."""

MUTEXES: Final = 28
"""The number of mutexes of a core. Source: block_mmad_pingpong_mutex_tla.hpp."""


def counts_of(tile: Tile) -> Counts:
    """Return the values that the assertions read; a stage has the bytes that CATLASS counts."""
    arch, a, b, l1, l0, policy, bias, tags, _, c, scale = tile
    acc = accumulator(a, b)
    family, stages = policy.family, policy.facts
    half = family.a_slot == "half"
    factor = policy.scale_factor if family.mx else 0

    def size(rows: int, columns: int, of: Element) -> int:
        return rows * columns * of.bits // 8 if family.packed else rows * columns * of.sizeof & _WORD

    each = family.bias_stages == "each"
    return Counts(
        l1, l0, arch, a, b, c or a, tags[2], bias, acc, stages,
        l1a=arch.l1 // 2 if half else size(l1.m, l1.k, a),
        l1b=size(l1.k, l1.n, b),
        l0a=size(l0.m, l0.k, a),
        l0b=size(l0.k, l0.n, b),
        l0c=(l1.m * l1.n if family.sums_of_l1 else l0.m * l0.n) * acc.sizeof & _WORD,
        bias_count=0 if bias is None else min(stages.l1a, stages.l1b) if each else 1,
        scale_count=0 if scale != "channel" else stages.l1a if family.scale_stages == "each" else 1,
        mx_a=l1.m * l1.k // MX_GROUP * factor,
        mx_b=l1.n * l1.k // MX_GROUP * factor,
        b_tag=tags[1],
    )  # fmt: skip


def holds(counts: Counts, rules: Iterable[str]) -> bool:
    """Whether a tile meets the named conditions."""
    return all(a.holds(counts) for name in rules for a in ASSERTS[name])


def failures(tile: Tile, rules: Iterable[str]) -> tuple[str, ...]:
    """Return the texts of the named assertions that fail, each once, sorted."""
    counts = counts_of(tile)
    return tuple(sorted({a.text for name in rules for a in ASSERTS[name] if not a.holds(counts)}))


def failures_of_block(tile: Tile) -> tuple[str, ...]:
    """Return the compiler's errors for a tile: the texts of the block's assertions that fail."""
    return failures(tile, tile.policy.family.asserts)
