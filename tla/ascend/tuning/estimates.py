# SPDX-License-Identifier: Apache-2.0
"""The estimate of a tile of a product as a record: its time, the parts of it, and these in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from ...ground import plural

if TYPE_CHECKING:
    from ..schedules import BlockSwizzle
    from ..shapes import GemmShape

PIPES: Final = ("MTE2", "GM", "MTE1", "cube", "fixpipe")
"""The possible bounds of a block: the pipes of a core, and its share of global memory's bandwidth."""

_ROLES: Final = {
    "MTE2": "MTE2, copies into L1",
    "GM": "GM, the bandwidth of global memory",
    "MTE1": "MTE1, copies from L1 to L0A and L0B",
    "cube": "the cube, its products",
    "fixpipe": "the fixpipe, writing C",
}


def in_us(seconds: float) -> str:
    """Return a time in microseconds, with three significant digits.

    >>> in_us(26.68e-6), in_us(8.7e-6), in_us(0.312e-6), in_us(2e-3), in_us(1e6), in_us(0)
    ('26.7', '8.70', '0.312', '2000', '1.00e+12', '0')
    """
    time = seconds * 1e6
    if time >= 1e9:
        return f"{time:.2e}"
    exponent = int(f"{time:.2e}".partition("e")[2])
    return f"{time:.{max(0, 2 - exponent)}f}" if time else "0"


def _mib(size: float) -> str:
    return f"{size / 2**20:.1f} MiB"


class Estimate(NamedTuple):
    """The time of a tile, and its parts.

    >>> from tla.ascend import estimate, gemm
    >>> time = estimate(gemm("910B3", (1024, 576, 6144), "half", l1=(256, 128, 256)))
    >>> str(time.l1), time.bound, time.blocks, time.rounds
    ('GemmShape<256,128,256>', 'MTE2', 20, 1)
    """

    l1: GemmShape
    l0: GemmShape
    swizzle: BlockSwizzle
    seconds: float
    bound: str
    """The pipe of `PIPES` that works longest on the most loaded core."""
    blocks: int
    """The number of blocks of C, times the slices of k."""
    rounds: int
    balance: float
    """The mean time of a core, as a part of the time of the most loaded one."""
    l2_bytes: float
    """The bytes of all loads into L1. An unaligned byte counts as the aligned bytes of the same time."""
    gm_bytes: float
    """The part of these bytes that is not in L2."""
    written: float
    pipes: tuple[float, ...]
    """The seconds of each of `PIPES` on the most loaded core."""
    fill: float
    """The seconds that nothing hides: of the first load, or the last products, and of the last write."""
    reduction: float
    """The seconds to add up the slices of k."""
    efficiency: tuple[float, float]
    """The rates of the copies of A and of B from global memory, as parts of the full rate."""
    instructions: int
    """The number of instructions of all pipes, on the most loaded core."""

    @property
    def microseconds(self) -> float:
        return self.seconds * 1e6

    @property
    def waits(self) -> float:
        """The part of the time that cores wait for the most loaded one."""
        return 1 - self.balance

    def lines(self) -> list[str]:
        """The time and its parts, in words."""
        times = zip(PIPES, self.pipes, strict=True)
        busy = ", ".join(f"{pipe} {in_us(time)}" for pipe, time in times if pipe != self.bound)
        a, b = (f"{part:.0%}" for part in self.efficiency)
        lines = [
            f"{self.l1}, {self.l0}, {self.swizzle}: {in_us(self.seconds)} us",
            f"bound by {_ROLES[self.bound]}, {in_us(max(self.pipes))} us on the most loaded core",
            f"beside it {busy}",
            f"{plural(self.blocks, 'block')} in {plural(self.rounds, 'round')},"
            f" cores wait {self.waits:.0%} of the time",
            f"{_mib(self.l2_bytes)} loaded into L1, {_mib(self.gm_bytes)} of them from global memory,"
            f" {_mib(self.written)} written",
            f"copies from global memory at {a} of the full rate for A, {b} for B",
            f"{in_us(self.fill)} us that nothing hides",
        ]
        if self.reduction:
            lines.append(f"{in_us(self.reduction)} us of adding up slices of k")
        return lines
