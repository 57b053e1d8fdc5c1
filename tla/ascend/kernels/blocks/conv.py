# SPDX-License-Identifier: Apache-2.0
"""Convolution: a load with a filter makes a matrix of an image, and the cube core multiplies that.

A row of the matrix is a place of the result, a column a channel and a place of the filter. No memory has
it as a whole: LoadData3D gathers parts of it from L1 into L0A, with zeros beside the image.

CATLASS's ``BasicConv2d`` has the same loops. These differ: the filter has a step in L1 for each of the
image, and L0 cuts channels anywhere, where CATLASS takes whole groups of 16.

Source: CATLASS conv/kernel/basic_conv2d.hpp, conv/block/block_conv2d_pingpong.hpp.
"""
# ruff: noqa: N803 (tensors have the names of CATLASS)

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ....errors import CongruenceError, LayoutError, UnsupportedError
from ...plans import policy as policy_named
from ...schedules import positive
from ...shapes import GemmShape, rounded_up
from ..places import operand_of, store_of
from ..simulation import kernel
from .mmad import Job, Stages
from .pingpong import PingpongTla

if TYPE_CHECKING:
    from ...plans import Policy
    from ..contexts import Context
    from ..places import KernelTensor
    from .mmad import BlockMmad

_ROUNDING: Final = {"half": "F322F16", "bfloat16_t": "F322BF16"}
_C0 = 16
"""The channels of a group."""


class Window(NamedTuple):
    """A filter along one axis of an image.

    >>> Window(3, 2, 1, (1, 1)).places(9)
    5
    """

    taps: int
    stride: int
    dilation: int
    pads: tuple[int, int]
    """The zeros before the image and behind it."""

    @property
    def reach(self) -> int:
        """The places of the image that it covers, less one."""
        return self.dilation * (self.taps - 1)

    def places(self, extent: int) -> int:
        """Return how many places of the result an image has."""
        return (extent + sum(self.pads) - self.reach - 1) // self.stride + 1

    def cut(self, extent: int, first: int, count: int) -> tuple[int, int, tuple[int, int]]:
        """Return where the part of the image begins that some places need, its extent, and its zeros."""
        start = first * self.stride - self.pads[0]
        end = start + (count - 1) * self.stride + self.reach + 1
        low, high = max(start, 0), min(end, extent)
        return low, high - low, (low - start, end - high)


class BlockConv2d(PingpongTla):
    """Some places of the result and some of its channels, on a cube core. CATLASS's ``BlockConv2d``.

    Args:
        fmap, filters, output: The image, the filter and the result.
        windows: The filter along the height and along the width.
        tile: The rows and columns of places, and the channels of the result, of a block.
        channels: The groups of 16 channels of the image in L1.
        depth: The columns of a tile in L0, a multiple of 16.
    """

    def __init__(
        self, ctx: Context, policy: Policy, fmap: KernelTensor, filters: KernelTensor,
        windows: tuple[Window, Window], tile: tuple[int, int, int], channels: int, depth: int,
    ) -> None:  # fmt: skip
        self.ctx: Context = ctx
        self.policy: Policy = policy
        self.windows: tuple[Window, Window] = windows
        self.channels: int = channels
        taps = windows[0].taps * windows[1].taps
        rows, of = rounded_up(tile[0] * tile[1], 16), store_of(fmap).element
        self.l1: GemmShape = GemmShape(rows, tile[2], channels * taps * _C0)
        self.l0: GemmShape = GemmShape(rows, tile[2], depth)
        facts = policy.facts
        self.unit_flag: bool = facts.unit_flag
        self.by_rows: bool = False
        self.aligns_k: bool = False
        self.biases: tuple[Stages, Stages] | None = None
        self.beside: BlockMmad | None = None
        image = [(n - 1) * w.stride + w.reach + 1 for n, w in zip(tile[:2], windows, strict=True)]
        # A load takes 16 places at a time, so it may read behind the last one.
        room = (channels * image[0] * image[1] + 15) * _C0
        self.l1a: Stages = Stages(ctx.alloc("L1", of, (room,), facts.l1a))
        self.l1b: Stages = Stages(
            ctx.alloc("L1", of, (self.l1.k, tile[2]), facts.l1b, tag="nZ"), facts.l1a
        )
        self.l0a: Stages = Stages(ctx.alloc("L0A", of, (rows, depth), facts.l0a))
        self.l0b: Stages = Stages(ctx.alloc("L0B", of, (depth, tile[2]), facts.l0b), facts.l0a)
        self.l0c: Stages = Stages(ctx.alloc("L0C", "float", (rows, tile[2]), facts.l0c))
        self.parts: list[tuple[int, int, tuple[int, int]]] = []
        """The part of the image in use along the height and the width."""

    def at(
        self, fmap: KernelTensor, filters: KernelTensor, output: KernelTensor, batch: int,
        place: tuple[int, int, int], extents: tuple[int, int, int],
    ) -> None:  # fmt: skip
        """Compute a block.

        Args:
            place: Its first row and column of places, and its first channel.
            extents: How many of each.
        """
        _, groups, height, width, _ = map(int, fmap.origin_shape)
        sizes = zip(self.windows, (height, width), place[:2], extents[:2], strict=True)
        self.parts = [window.cut(extent, first, count) for window, extent, first, count in sizes]
        count = -(-groups // self.channels)
        image = fmap[batch, None, None, None, None]
        self.block: tuple[int, tuple[int, int, int], tuple[int, int, int]] = batch, place, extents
        self.compute(Job(image, filters, output, None, None, (), list(range(count))))

    def sums(self, c: KernelTensor) -> KernelTensor:
        _, _, (rows, columns, channels) = self.block
        return self.ctx.make_tensor(self.l0c.tile, self.extents(rows * columns, channels))

    def depth(self, job: Job, turn: int) -> int:
        return self._groups(job.a, turn) * self.windows[0].taps * self.windows[1].taps * _C0

    def _groups(self, fmap: KernelTensor, turn: int) -> int:
        """The groups of channels of one of a block's tiles."""
        return min(self.channels, int(fmap.origin_shape[0]) - turn * self.channels)

    def load(self, a: KernelTensor, b: KernelTensor, tile: int, ahead: int = 0) -> None:
        """Load some groups of channels: their part of the image, and their filter."""
        ctx, (_, place, extents) = self.ctx, self.block
        groups, taps = self._groups(a, tile), self.windows[0].taps * self.windows[1].taps
        (top, high, _), (left, wide, _) = self.parts
        slot, width = (self.l1a.at + ahead) % len(self.l1a.tiles), int(a.origin_shape[2])
        ctx.wait_flag("MTE1_MTE2", self.l1a.ids[slot])
        for group in range(groups):
            first = int(a.layout((tile * self.channels + group, top, left, 0)))
            rows = {"blockCount": high, "blockLen": wide, "srcStride": width - wide, "dstStride": 0}
            self._copy(self.l1a.tiles[slot], group * high * wide * _C0, a, first, rows)
        ctx.set_flag("MTE2_MTE1", self.l1a.ids[slot])
        slot, whole = (self.l1b.at + ahead) % len(self.l1b.tiles), int(b.origin_shape[3])
        ctx.wait_flag("MTE1_MTE2", self.l1b.ids[slot])
        first = int(b.layout((tile * self.channels, 0, 0, place[2], 0)))
        rows = {"blockCount": groups * taps, "blockLen": extents[2]}
        rows |= {"srcStride": whole - extents[2], "dstStride": self.l1.n - extents[2]}
        self._copy(self.l1b.tiles[slot], 0, b, first, rows)
        ctx.set_flag("MTE2_MTE1", self.l1b.ids[slot])

    def _copy(
        self, to: KernelTensor, at: int, x: KernelTensor, first: int, rows: dict[str, int]
    ) -> None:
        """Copy rows of channels to L1."""
        size = store_of(x).element.bytes_of(1)
        operands = {"dst": operand_of(to, at * size), "src": operand_of(x, first * size)}
        self.ctx.issue("DataCopy", "MTE2", operands, form="block", unit="32B", **rows)

    def bring_a(self, l0a: KernelTensor, k: int, extents: tuple[int, int]) -> None:
        """Gather rows of the matrix: ``LoadData3DV2``, to zN with a step from column to column."""
        high, wide = self.windows
        (_, rows, above), (_, columns, beside) = self.parts
        fields = {
            "l1H": rows, "l1W": columns, "padList": [*beside, *above], "kStartPt": k, "mStartPt": 0,
            "kExtension": extents[1], "mExtension": extents[0], "channelSize": self.channels * _C0,
            "strideW": wide.stride, "strideH": high.stride, "filterW": wide.taps, "filterH": high.taps,
            "dilationFilterW": wide.dilation, "dilationFilterH": high.dilation, "enTranspose": False,
            "enSmallK": False, "fMatrixCtrl": False, "filterSizeW": False, "filterSizeH": False,
        }  # fmt: skip
        operands, op = {"dst": l0a, "src": self.l1a.tile}, "LoadData"
        if self.ctx.arch.l0a_tag == "zN":
            op, down = "LoadDataWithStride", -(-extents[0] // 16)
            steps: dict[str, Any] = {
                "repeatStride": 0,
                "repeatTime": 1,
                "repeatMode": 0,
                "dstStride": down,
            }
            self.ctx.issue("SetLoadDataRepeatWithStride", "MTE1", **steps)
        self.ctx.issue(op, "MTE1", operands, form="3dv2", **fields)

    def take_out(self, job: Job, sums: KernelTensor) -> None:
        """Take the sums out, a row of places at a time."""
        ctx, (batch, place, extents) = self.ctx, self.block
        if not self.unit_flag:
            ctx.set_flag("M_FIX", self.l0c.id)
            ctx.wait_flag("M_FIX", self.l0c.id)
        _, _, height, width, _ = map(int, job.c.origin_shape)
        whole = extents[1] == width
        of = store_of(job.c).element
        fields = {
            "format": "NZ", "nSize": extents[2], "mSize": extents[1] * (extents[0] if whole else 1),
            "srcStride": rounded_up(extents[0] * extents[1], 16),
            "dstStride": height * width, "deqScalar": 0, "ndNum": 1,
            "srcNdStride": 0, "dstNdStride": 0, "reluEn": False, "unitFlag": 3 if self.unit_flag else 0,
            "quantPre": _ROUNDING[of.name],
        }  # fmt: skip
        for row in range(1 if whole else extents[0]):
            at = (batch, place[2] // _C0, place[0] + row, place[1], 0)
            dst = operand_of(job.c, int(job.c.layout(at)) * of.bytes_of(1))
            src = operand_of(sums, row * extents[1] * _C0 * 4)
            ctx.issue("Fixpipe", "FIX", {"dst": dst, "src": src}, **fields)
        if not self.unit_flag:
            ctx.set_flag("FIX_M", self.l0c.id)
        self.l0c.turn()


@kernel("AtlasA2", core="AIC")
def conv2d(
    ctx: Context, Fmap: KernelTensor, Filter: KernelTensor, Output: KernelTensor,
    strides: tuple[int, int] = (1, 1), dilations: tuple[int, int] = (1, 1),
    pads: tuple[int, int, int, int] = (0, 0, 0, 0), tile: tuple[int, int, int] = (8, 12, 64),
    channels: int = 2, depth: int = 96, policy: str | Policy = "MmadPingpong<false>",
) -> None:  # fmt: skip
    """Output[b, c, y, x] = sum of Fmap[b, i, y s + u d, x s + v d] Filter[i, u, v, c] over i, u, v.

    CATLASS's ``BasicConv2d``.

    >>> import numpy as np
    >>> from tla.ascend.kernels import gm, simulate
    >>> image, filters = np.ones((1, 1, 6, 7, 16), np.float16), np.ones((1, 3, 3, 16, 16), np.float16)
    >>> tensors = gm(image, "NC1HWC0<half>(1,1,6,7)"), gm(filters, "CI1KHKWCOCI0<half>(1,3,3,16)")
    >>> run = simulate(conv2d, *tensors, gm(image, "NC1HWC0<half>(1,1,6,7)"), pads=(1, 1, 1, 1))
    >>> run["Output"].reshape(6, 7, 16)[:, :, 0].astype(int).tolist()[:2], run.findings
    ([[64, 96, 96, 96, 96, 96, 64], [96, 144, 144, 144, 144, 144, 96]], ())

    Args:
        Fmap, Output: Images by groups of 16 channels, NC1HWC0, of half or bfloat16.
        Filter: CI1KHKWCOCI0, with a multiple of 16 channels of the result.
        strides, dilations: The steps from place to place, and from tap to tap, down and across.
        pads: The zeros left, right, above and below.
        tile: The rows and columns of places, and the channels of the result, of a block.
        channels: The groups of 16 channels of the image in L1.
        depth: The columns in L0, a multiple of 16.

    Raises:
        CongruenceError: the tensors do not fit each other.
        LayoutError: an extent is no multiple of 16, or a filter lies beside the image.
        UnsupportedError: the tensors are of other elements; or the policy has the unit flag, and a block
            is not as wide as the result.
    """
    kinds = {store_of(x).element.name for x in (Fmap, Filter, Output)}
    if len(kinds) > 1 or not kinds <= _ROUNDING.keys():
        words = f"a convolution is of {' or '.join(_ROUNDING)}, not of {' and '.join(sorted(kinds))}"
        raise UnsupportedError(words, "All three tensors have one type.")
    for name, extents in (("strides", strides), ("dilations", dilations), ("tile", tile)):
        for extent in extents:
            positive(name, extent)
    positive("channels", channels)
    batches, groups, height, width, _ = map(int, Fmap.origin_shape)
    cin1, kh, kw, cout, _ = map(int, Filter.origin_shape)
    high = Window(kh, strides[0], dilations[0], pads[2:])
    wide = Window(kw, strides[1], dilations[1], pads[:2])
    needed = (batches, cout // _C0, high.places(height), wide.places(width))
    found = tuple(map(int, Output.origin_shape[:4]))
    if groups != cin1 or found != needed:
        raise CongruenceError(
            f"the image has {groups} groups of channels, the filter {cin1}; the result is {found}",
            f"The result is {needed}: batches, groups of channels, height and width.",
        )
    if cout % _C0 or tile[2] % _C0 or depth % _C0:
        words = f"the result has {cout} channels, a block {tile[2]}, and L0 a depth of {depth}"
        raise LayoutError(words, "Each is a multiple of 16.")
    if any(max(window.pads) > window.reach for window in (high, wide)):
        words = f"with pads {pads} a filter of {kh} by {kw} lies beside the image"
        raise LayoutError(words, "A pad is at most dilation (taps - 1).")
    how = policy_named(policy)
    if how.facts.unit_flag and tile[1] < needed[3]:
        words = f"a block of {tile[1]} of {needed[3]} columns leaves L0C row by row, with no unit flag"
        raise UnsupportedError(words, "Take MmadPingpong<false>, or a block as wide as the result.")
    counts = [-(-extent // step) for extent, step in zip((*needed[2:], cout), tile, strict=True)]
    blocks = [
        (batch, row, column, channel)
        for batch in range(batches)
        for row in range(counts[0])
        for column in range(counts[1])
        for channel in range(counts[2])
    ]
    block = BlockConv2d(ctx, how, Fmap, Filter, (high, wide), tile, channels, depth)
    with block:
        for batch, *at in blocks[ctx.block_idx :: ctx.block_num]:
            row, column, channel = (i * step for i, step in zip(at, tile, strict=True))
            ends = (needed[2] - row, needed[3] - column, cout - channel)
            extents = (min(tile[0], ends[0]), min(tile[1], ends[1]), min(tile[2], ends[2]))
            block.at(Fmap, Filter, Output, batch, (row, column, channel), extents)
        ctx.pipe_barrier("ALL")
