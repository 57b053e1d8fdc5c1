# SPDX-License-Identifier: Apache-2.0
"""Convolution: a load with a filter makes a matrix of an image, and the cube core multiplies that.

A row of the matrix is a place of the result, a column a channel and a place of the filter. No memory has
it as a whole: LoadData3D gathers parts of it from L1 into L0A, with zeros beside the image.

Source: CATLASS conv/kernel/basic_conv2d.hpp, conv/block/block_conv2d_pingpong.hpp.
"""
# ruff: noqa: N803 (tensors have the names of CATLASS)

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ....errors import CapacityError, CongruenceError, LayoutError, UnsupportedError
from ....layouts import get_tile
from ...plans import policy as policy_named
from ...schedules import convolution, positive
from ...shapes import GemmShape, rounded_up
from ..places import operand_of, store_of
from ..simulation import kernel
from .mmad import Job, Stages
from .pingpong import Pingpong

if TYPE_CHECKING:
    from ...arch import Position
    from ...elements import Element
    from ...plans import Policy
    from ...schedules import Task
    from ..contexts import Context
    from ..places import KernelTensor

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


class BlockConv2d(Pingpong):
    """Some places of the result and some of its channels, on a cube core. CATLASS's ``BlockConv2d``.

    Args:
        fmap: The image.
        windows: The filter along the height and along the width.
        tile: The rows and columns of places, and the channels of the result, of a block.
        channels: The groups of 16 channels in L1: of the image, and of the filter.
        l0: The channels of the result in L0 at a time, and the columns of the matrix.

    Raises:
        CapacityError: a stage has no room.
    """

    def __init__(
        self, ctx: Context, policy: Policy, fmap: KernelTensor, windows: tuple[Window, Window],
        tile: tuple[int, int, int], channels: tuple[int, int], l0: tuple[int, int],
    ) -> None:  # fmt: skip
        self.ctx: Context = ctx
        self.policy: Policy = policy
        self.windows: tuple[Window, Window] = windows
        self.channels: tuple[int, int] = channels
        self.taps: int = windows[0].taps * windows[1].taps
        depth = self.taps * _C0
        rows, of = rounded_up(tile[0] * tile[1], 16), store_of(fmap).element
        self.l1: GemmShape = GemmShape(rows, tile[2], channels[0] * depth)
        self.l0: GemmShape = GemmShape(
            rows, min(rounded_up(l0[0], 16), tile[2]), min(max(l0[1] // depth, 1), channels[0]) * depth
        )
        facts = policy.facts
        self.unit_flag: bool = facts.unit_flag
        self.l1_tags: tuple[str, str] = ("zN", "nZ")
        self.aligns_k: bool = False
        self.biases: tuple[Stages, Stages] | None = None
        image = [(n - 1) * w.stride + w.reach + 1 for n, w in zip(tile[:2], windows, strict=True)]
        # With a single tap a load takes 16 places at a time, so it may read behind the last one.
        room = (channels[0] * image[0] * image[1] + 15 * (self.taps == 1)) * _C0
        self.l1a: Stages = Stages(ctx.alloc("L1", of, (room,), facts.l1a))
        self.l1b: Stages = Stages(
            ctx.alloc("L1", of, (channels[1] * depth, tile[2]), facts.l1b, tag="nZ"), facts.l1a
        )
        self.l0a: Stages = Stages(self._half("L0A", (rows, self.l0.k), facts.l0a, of))
        self.l0b: Stages = Stages(self._half("L0B", (self.l0.k, self.l0.n), facts.l0b, of), facts.l0a)
        self.l0c: Stages = Stages(ctx.alloc("L0C", "float", (rows, tile[2]), facts.l0c))
        self.parts: list[tuple[int, int, tuple[int, int]]] = []
        """The part of the image in use along the height and the width."""

    def _half(
        self, position: Position, shape: tuple[int, int], stages: int, of: Element
    ) -> tuple[KernelTensor, ...]:
        step = self.ctx.arch.capacity(position) // stages
        if (needed := of.bytes_of(shape[0] * shape[1])) > step:
            words = f"a tile of {shape[0]} by {shape[1]} takes {needed} bytes of {step} in {position}"
            raise CapacityError(words, needed=needed, available=step)
        return tuple([self.ctx.alloc(position, of, shape, start=i * step) for i in range(stages)])

    def at(self, fmap: KernelTensor, filters: KernelTensor, output: KernelTensor, task: Task) -> None:
        """Compute a block: of a task's rows, counted over all batches, its columns and channels."""
        _, groups, height, width, _ = map(int, fmap.origin_shape)
        rows = int(output.origin_shape[2])
        (first, column, channel), extents = task.start, task.shape
        batch, row = divmod(first, rows)
        sizes = zip(self.windows, (height, width), (row, column), extents[:2], strict=True)
        self.parts = [window.cut(extent, start, count) for window, extent, start, count in sizes]
        self.place: tuple[int, ...] = batch, row, column, channel
        self.block: tuple[int, ...] = extents
        count = -(-groups // self.channels[0])
        image = fmap[batch, None, None, None, None]
        self.compute(Job(image, filters, output, None, None, (), list(range(count))))

    def sums(self, c: KernelTensor) -> KernelTensor:
        rows, columns, channels = self.block
        return self.ctx.make_tensor(self.l0c.tile, self.extents(rows * columns, channels))

    def extents(self, m: int, n: int) -> tuple[int, int]:
        return super().extents(m, n) if self.ctx.arch.code == 2201 else (m, n)

    def depth(self, job: Job, turn: int) -> int:
        return self._groups(job.a, turn, 0) * self.taps * _C0

    def rows_of_b(self, job: Job, turn: int) -> tuple[int, bool, bool]:
        within = turn % self._times
        return within * self.l1.k, within == 0, turn == len(job.tiles) - 1 or within == self._times - 1

    @property
    def _times(self) -> int:
        """The tiles of the image for each of the filter."""
        return self.channels[1] // self.channels[0]

    def turn_l1(self) -> None:
        self.l1a.turn()
        self.turns += 1
        if self.turns % self._times == 0:
            self.l1b.turn()

    def compute(self, job: Job) -> None:
        self.turns: int = 0
        super().compute(job)

    def _groups(self, x: KernelTensor, tile: int, which: int) -> int:
        """The groups of channels of a tile of the image, 0, or of the filter, 1."""
        each = self.channels[which]
        return min(each, int(x.origin_shape[0]) - tile * each)

    def load(self, a: KernelTensor, b: KernelTensor, tile: int, ahead: int = 0) -> None:
        """Load some groups of channels: their part of the image, and at times the filter."""
        (top, high, _), (left, wide, _) = self.parts
        width, whole = int(a.origin_shape[2]), int(b.origin_shape[3])

        def image(to: KernelTensor) -> None:
            for group in range(self._groups(a, tile, 0)):
                first = int(a.layout((tile * self.channels[0] + group, top, left, 0)))
                rows = {"blockCount": high, "blockLen": wide, "srcStride": width - wide, "dstStride": 0}
                self._copy(to, group * high * wide * _C0, a, first, rows)

        def filters(to: KernelTensor) -> None:
            turn, channels = tile // self._times, self.block[2]
            first = int(b.layout((turn * self.channels[1], 0, 0, self.place[3], 0)))
            rows = {"blockCount": self._groups(b, turn, 1) * self.taps, "blockLen": channels}
            rows |= {"srcStride": whole - channels, "dstStride": rounded_up(channels, 16) - channels}
            self._copy(to, 0, b, first, rows)

        self.load_to(self.l1a, image, ahead)
        if tile % self._times == 0:
            self.load_to(self.l1b, filters, ahead)

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
        group, places = k // (self.taps * _C0), rounded_up(extents[0], 16)
        fields = {
            "l1H": rows, "l1W": columns, "padList": [*beside, *above], "kStartPt": 0, "mStartPt": 0,
            "kExtension": extents[1], "mExtension": places, "channelSize": extents[1] // self.taps,
            "strideW": wide.stride, "strideH": high.stride, "filterW": wide.taps, "filterH": high.taps,
            "dilationFilterW": wide.dilation, "dilationFilterH": high.dilation, "enTranspose": False,
            "enSmallK": False, "fMatrixCtrl": False, "filterSizeW": False, "filterSizeH": False,
        }  # fmt: skip
        source = operand_of(self.l1a.tile, group * rows * columns * _C0 * 2)
        operands, op = {"dst": operand_of(l0a), "src": source}, "LoadData"
        if self.ctx.arch.l0a_tag == "zN":
            op, fields["count"] = "LoadDataWithStride", 1
            steps: dict[str, Any] = {
                "repeatStride": 0,
                "repeatTime": 1,
                "repeatMode": 0,
                "dstStride": places // 16,
            }
            self.ctx.issue("SetLoadDataRepeatWithStride", "MTE1", **steps)
        self.ctx.issue(op, "MTE1", operands, form="3dv2", **fields)

    def bring_b(self, l0b: KernelTensor, at: tuple[int, int], extents: tuple[int, int]) -> None:
        whole = rounded_up(self.block[2], 16)
        lines = self.ctx.make_tensor(self.l1b.tile, (int(self.l1b.tile.origin_shape[0]), whole))
        step = _C0 if self.ctx.arch.code == 2201 else extents[0]
        for k in range(0, extents[0], step):
            part = get_tile(lines, (at[0] + k, at[1]), (step, whole - at[1]))
            tile, to = self.ctx.make_tensor(part, part.layout), get_tile(l0b, (k, 0), (step, extents[1]))
            self.ctx.copy_l1_to_l0b(to, get_tile(tile, (0, 0), (step, extents[1])))

    def take_out(self, job: Job, sums: KernelTensor) -> None:
        """Take the sums out, a row of places at a time."""
        ctx, (batch, row, column, channel) = self.ctx, self.place
        rows, columns, channels = self.block
        if not self.unit_flag:
            ctx.set_flag("M_FIX", self.l0c.id)
            ctx.wait_flag("M_FIX", self.l0c.id)
        _, _, height, width, _ = map(int, job.c.origin_shape)
        at_once = rows if self.unit_flag else 1
        of, is_old = store_of(job.c).element, ctx.arch.code == 2201
        fields = {
            "format": "NZ", "nSize": rounded_up(channels, 16), "mSize": columns * at_once,
            "srcStride": rounded_up(rows * columns, 16),
            "dstStride": height * width * (1 if is_old else _C0), "deqScalar": 0, "ndNum": 1,
            "srcNdStride": 0, "dstNdStride": 0, "reluEn": False, "unitFlag": 3 if self.unit_flag else 0,
            "quantPre": _ROUNDING[of.name], "isChannelSplit": False,
        }  # fmt: skip
        if not is_old:
            fields |= {"dualDstCtl": 0, "subBlockId": False, "dnNum": 1, "srcNzMatrixStride": 0}
            fields |= {"dstDnMatrixStride": 0, "srcNzC0Stride": 0}
        for turn in range(0, rows, at_once):
            at = (batch, channel // _C0, row + turn, column, 0)
            dst = operand_of(job.c, int(job.c.layout(at)) * of.bytes_of(1))
            src = operand_of(sums, turn * columns * _C0 * 4)
            ctx.issue("Fixpipe", "FIX", {"dst": dst, "src": src}, **fields)
        if not self.unit_flag:
            ctx.set_flag("FIX_M", self.l0c.id)
        self.l0c.turn()


@kernel("AtlasA2", core="AIC")
def conv2d(
    ctx: Context, Fmap: KernelTensor, Filter: KernelTensor, Output: KernelTensor,
    strides: tuple[int, int] = (1, 1), dilations: tuple[int, int] = (1, 1),
    pads: tuple[int, int, int, int] = (0, 0, 0, 0), tile: tuple[int, int, int] = (8, 12, 96),
    channels: tuple[int, int] = (8, 8), l0: tuple[int, int] = (96, 16),
    policy: str | Policy = "MmadPingpong<false>", swizzle: tuple[int, int] = (3, 0),
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
        channels: The groups of 16 channels in L1: of the image, and of the filter, a multiple.
        l0: The channels of the result in L0 at a time, and the columns of the matrix: whole groups.
        policy: The stages, and the unit flag.
        swizzle: The offset and direction of the order of blocks.

    Raises:
        CongruenceError: the tensors do not fit each other.
        LayoutError: an extent is no multiple of 16, or a filter lies beside the image.
        CapacityError: a block has no room.
        UnsupportedError: the tensors are of other elements; or the policy has the unit flag, and a block
            is not as wide as the result, or has more channels than L0.
    """
    kinds = {store_of(x).element.name for x in (Fmap, Filter, Output)}
    if len(kinds) > 1 or not kinds <= _ROUNDING.keys():
        words = f"a convolution is of {' or '.join(_ROUNDING)}, not of {' and '.join(sorted(kinds))}"
        raise UnsupportedError(words, "All three tensors have one type.")
    given = {"strides": strides, "dilations": dilations, "tile": tile, "channels": channels, "l0": l0}
    for name, extents in given.items():
        for extent in extents:
            positive(name, extent)
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
    if cout % _C0 or tile[2] % _C0:
        words = f"the result has {cout} channels, and a block {tile[2]}"
        raise LayoutError(words, "Each is a multiple of 16.")
    if channels[1] % channels[0]:
        words = f"the filter has {channels[1]} groups of channels in L1, and the image {channels[0]}"
        raise LayoutError(words, "The filter has a multiple.")
    if any(max(window.pads) > window.reach for window in (high, wide)):
        words = f"with pads {pads} a filter of {kh} by {kw} lies beside the image"
        raise LayoutError(words, "A pad is at most dilation (taps - 1).")
    how = policy_named(policy)
    for is_apart, words, of in (
        (tile[1] < needed[3], f"a block of {tile[1]} of {needed[3]} columns", "the result"),
        (l0[0] < min(tile[2], cout), f"a block of {tile[2]} channels, {l0[0]} of them in L0,", "L0"),
    ):
        if how.facts.unit_flag and is_apart:
            words += " leaves L0C in parts, with no unit flag"
            raise UnsupportedError(words, f"Take MmadPingpong<false>, or a block as wide as {of}.")
    schedule = convolution(
        batch=batches, ho=needed[2], wo=needed[3], cout=cout, tile=tile, offset=swizzle[0],
        direction=swizzle[1], cores=ctx.block_num,
    )  # fmt: skip
    with BlockConv2d(ctx, how, Fmap, (high, wide), tile, channels, l0) as block:
        for task in schedule.of_core(ctx.block_idx):
            block.at(Fmap, Filter, Output, task)
        ctx.pipe_barrier("ALL")
