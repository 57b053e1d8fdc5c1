# SPDX-License-Identifier: Apache-2.0
"""Plans of convolutions of two dimensions: tiles of the image and of the filter through L1 and L0.

>>> plan = conv("AtlasA2", image=(2, 112, 33, 43), filter=(80, 3, 3), pads=(2, 2, 2, 2))
>>> print(plan)
AtlasA2, 24 cores: O[2,80,35,45] half = I[2,112,33,43] * F[80,112,3,3], pads 2,2,2,2
  tile      8 x 12 x 8 of the image, 96 x 8 of the filter, L0 GemmShape<16,96,16>
  policy    ConvAtlasA2Pingpong<2,2,2,2,1,false>
>>> plan.check().ok, plan.schedule().proof().tasks
(True, 40)
>>> [(f.buffer, f.needed) for f in plan.footprints]
[('L1', 514048), ('L0A', 60416), ('L0B', 60416), ('L0C', 36864)]

The image lies as NC1HWC0 and the filter as CI1KHKWCOCI0: C0 channels, 32 bytes, follow one another. A
block of the output is a product: M its places, K the channels and the places of the filter, N the output
channels. LoadData3D makes A of the image on the way to L0A.

Source: CATLASS conv/block/block_conv2d_pingpong.hpp, with CanImplement; examples 33 and 56.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from ...errors import LayoutError
from ...ground import html_of
from ...numbers import round_up
from ..arch import arch as arch_named
from ..copies import LoadData3DParamsV2
from ..elements import element as element_named
from ..schedules import convolution
from ..shapes import GemmCoord, GemmShape, flag, gemm_shape, indices_of
from .defaults import default_cores
from .examples import emit_as
from .findings import Finding, Report, stage_rules
from .footprint import Footprint, Group, mmad_extents

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from typing import SupportsIndex

    from ...ground import Steps
    from ..arch import Arch
    from ..elements import Element
    from ..schedules import Schedule
    from ..shapes import ShapeLike
    from .footprint import Buffer
    from .programs import CppProgram

_C0_BYTES: Final = 32
_LOAD_LIMITS: Final = {"filter": 255, "stride": 63, "dilation": 255, "pad": 255}
"""The greatest numbers of LoadData3DV2. Source: CANN Ascend C, LoadData3DParamsV2."""


class ConvPlan(NamedTuple):
    """A plan of a convolution. `conv` makes one.

    >>> plan = conv("AtlasA2", image=(1, 32, 16, 16), filter=(64, 1, 1))
    >>> plan.out, plan.product
    ((16, 16), GemmCoord(m=256, n=64, k=32))
    """

    arch: Arch
    image: tuple[int, int, int, int]
    """Batch, channels, rows and columns."""
    filter: tuple[int, int, int]
    """Output channels, rows and columns."""
    stride: tuple[int, int]
    dilation: tuple[int, int]
    pads: tuple[int, int, int, int]
    """Left, right, top and bottom."""
    element: Element
    block: GemmShape
    """Rows and columns of the output, and blocks of C0 channels, of a tile of the image in L1."""
    filter_block: tuple[int, int]
    """Output channels and blocks of C0 channels of a tile of the filter in L1."""
    l0: GemmShape
    stages: tuple[int, int, int, int, int]
    """In L1 of the image and of the filter, in L0A, L0B and L0C."""
    unit_flag: bool
    swizzle: tuple[int, int]
    """The offset and the direction of Conv2dIdentityBlockSwizzle."""
    cores: int

    @property
    def out(self) -> tuple[int, int]:
        """The rows and columns of the output."""
        (_, _, hi, wi), (_, kh, kw) = self.image, self.filter
        left, right, top, bottom = self.pads
        tall, wide = (kh - 1) * self.dilation[0] + 1, (kw - 1) * self.dilation[1] + 1
        return (
            (hi + top + bottom - tall) // self.stride[0] + 1,
            (wi + left + right - wide) // self.stride[1] + 1,
        )

    @property
    def product(self) -> GemmCoord:
        """The extents of the product that it is, for one batch."""
        ho, wo = self.out
        return GemmCoord(ho * wo, self.filter[0], self.image[1] * self.filter[1] * self.filter[2])

    @property
    def problems(self) -> tuple[GemmCoord, ...]:
        """What `schedule` covers: rows of all batches, columns and channels of the output."""
        ho, wo = self.out
        return (GemmCoord(self.image[0] * ho, wo, self.filter[0]),)

    @property
    def patch(self) -> tuple[int, int]:
        """The rows and columns of the image that a tile of the output reads."""
        return (
            (self.block.m - 1) * self.stride[0] + (self.filter[1] - 1) * self.dilation[0] + 1,
            (self.block.n - 1) * self.stride[1] + (self.filter[2] - 1) * self.dilation[1] + 1,
        )

    @property
    def load(self) -> LoadData3DParamsV2:
        """The parameters of the LoadData3D that makes a tile of A in L0A."""
        channels = min(self._channels_in_l0, self.block.k) * self.element.c0
        deep = channels * self.filter[1] * self.filter[2]
        return LoadData3DParamsV2(deep, round_up(self.block.m * self.block.n, 16), channels)

    @property
    def _channels_in_l0(self) -> int:
        """The blocks of C0 channels in L0, at least one."""
        return max(1, self.l0.k // (self.filter[1] * self.filter[2] * self.element.c0))

    @property
    def footprints(self) -> tuple[Footprint, ...]:
        """The stages of the image, the filter and the sums, as CanImplement counts them."""
        here, (l1a, l1b, l0a, l0b, l0c) = self.arch, self.stages
        places = self.filter[1] * self.filter[2]
        image = self.block.k * self.patch[0] * self.patch[1] * _C0_BYTES
        cout, lines = self.filter_block[0], self.filter_block[1] * places
        weights = lines * cout * _C0_BYTES
        whole = lines * round_up(cout, 16) * _C0_BYTES  # where the channels of all lines lie
        deep = self._channels_in_l0 * places * _C0_BYTES
        rows, columns = round_up(self.block.m * self.block.n, 16), round_up(self.l0.n, 16)
        sums = rows * round_up(self.filter_block[0], 16) * 4
        groups = (Group("image", l1a, 0, image, image, image),
                  Group("filter", l1b, l1a * image, weights, whole, whole))  # fmt: skip
        return (
            Footprint.of(here, "L1", groups, l1a * image + l1b * weights),
            _stages(here, "L0A", "A", l0a, rows * deep),
            _stages(here, "L0B", "B", l0b, columns * deep),
            _stages(here, "L0C", "C", l0c, sums),
        )

    def check(self) -> Report:
        """Return the report of every rule."""
        return Report(self, tuple(_rules(self)), self.footprints, None)

    def schedule(self) -> Schedule:
        """Return the schedule of the blocks of the output on the cores."""
        ho, wo = self.out
        offset, direction = self.swizzle
        return convolution(
            batch=self.image[0], ho=ho, wo=wo, cout=self.filter[0],
            tile=(self.block.m, self.block.n, self.filter_block[0]), offset=offset,
            direction=direction, cores=self.cores,
        )  # fmt: skip

    @property
    def policy(self) -> str:
        """The dispatch policy of the block."""
        old = self.arch.code == 2201
        flags = ",".join([*map(str, self.stages), str(self.unit_flag).lower()])
        return f"ConvAtlasA2Pingpong<{flags}>" if old else f"ConvPingpong<Arch::Ascend950,{flags}>"

    def emit(self, into: str, catlass: str | Path | None = None) -> CppProgram:
        """Return an example of CATLASS with the plan's policy, tiles and order of blocks.

        Its arguments are the words that start it with the plan's image and filter.

        Args:
            into: The name of an example, as ``33_basic_conv2d``, or the path of a source.
            catlass: The folder of CATLASS; by default that of the environment's ``CATLASS``.

        Raises:
            ArgumentError: there is no such example, or no folder of CATLASS.
            UnsupportedError: the plan breaks a rule, or the example is of another architecture, element
                type or policy.
        """
        self.check().expect_legal()
        (n, c, hi, wi), l0 = self.image, self.l0
        m, columns, k = self.block
        words = (n, hi, wi, c, *self.filter, *self.pads, *self.stride, *self.dilation)
        values = {
            "DispatchPolicy": f"Conv::{self.policy}",
            "FmapL1TileShape": f"Catlass::Conv2dFmapL1Shape<{m}, {columns}, {k}>",
            "FilterL1TileShape": "Catlass::Conv2dFilterL1Shape<{}, {}>".format(*self.filter_block),
            "L0TileShape": f"Catlass::Conv2dL0Shape<{l0.m}, {l0.n}, {l0.k}>",
            "BlockScheduler": "Conv::Block::Conv2dIdentityBlockSwizzle<{}, {}>".format(*self.swizzle),
        }
        family = self.policy.partition("<")[0]
        return emit_as(
            words, (f"Arch::{self.arch.tag}", self.element.name, family), values, into, catlass
        )

    def figure(self) -> Steps:
        """Return the picture of the plan, as data: the stages in each buffer."""
        return self.check().figure()

    def _repr_html_(self) -> str | None:
        return html_of(self)

    def __repr__(self) -> str:
        return (
            f"conv({self.arch.name!r}, image={self.image}, filter={self.filter}, stride={self.stride}, "
            f"dilation={self.dilation}, pads={self.pads}, element={self.element.name!r}, "
            f"block={tuple(self.block)}, filter_block={self.filter_block}, l0={tuple(self.l0)}, "
            f"stages={self.stages}, unit_flag={self.unit_flag}, swizzle={self.swizzle}, "
            f"cores={self.cores})"
        )

    def __str__(self) -> str:
        (n, c, hi, wi), (cout, kh, kw), (ho, wo) = self.image, self.filter, self.out
        more = f", strides {self.stride[0]},{self.stride[1]}" if self.stride != (1, 1) else ""
        more += f", dilations {self.dilation[0]},{self.dilation[1]}" if self.dilation != (1, 1) else ""
        more += f", pads {','.join(map(str, self.pads))}" if any(self.pads) else ""
        return (
            f"{self.arch}, {self.cores} cores: O[{n},{cout},{ho},{wo}] {self.element} = "
            f"I[{n},{c},{hi},{wi}] * F[{cout},{c},{kh},{kw}]{more}\n"
            f"  tile      {self.block.m} x {self.block.n} x {self.block.k} of the image, "
            f"{self.filter_block[0]} x {self.filter_block[1]} of the filter, L0 {self.l0}\n"
            f"  policy    {self.policy}"
        )


def _stages(arch: Arch, buffer: Buffer, operand: str, count: int, size: int) -> Footprint:
    """The stages of an operand that share a buffer."""
    return Footprint.of(
        arch, buffer, [Group(operand, count, 0, arch.capacity(buffer) // count, size, size)]
    )


# --- rules ---


def _rules(plan: ConvPlan) -> Iterator[Finding]:
    is_known = plan.element.sizeof == 2 and plan.element.name in ("half", "bfloat16_t")
    text = f"the blocks of convolutions take half and bfloat16_t, not {plan.element}"
    asserted = "ElementFmap and ElementFilter must be the same."
    yield Finding.require(is_known, "element types", text, fix="Take half.", catlass=(asserted,))
    image, weights = plan.block.k, plan.filter_block[1]
    text = f"a tile of the filter has {weights} blocks of channels, one of the image {image}"
    fix = f"Take {max(1, round(weights / image)) * image} for the filter."
    asserted = "FilterL1TileShape::Cin1 must be a multiple of FmapL1TileShape::Cin1"
    even = weights >= image and not weights % image
    yield Finding.require(even, "channels", text, "L1", fix, (asserted,))
    bytes_ = plan.l0.k * plan.l0.n * plan.element.sizeof * min(plan.stages[3], 2)
    over = ("L0TileShape exceeding the L0B space!",) if bytes_ > plan.arch.l0b else ()
    text = f"the tile in L0, {plan.l0}, takes {bytes_} bytes in L0B"
    yield Finding.judge("L0 tile", text, "L0B", bytes_, plan.arch.l0b, fix="Take fewer k.", catlass=over)
    if max(plan.stages[:4]) > 2 or plan.stages[4] > 1:
        text = f"the block has at most 2 stages, and 1 in L0C, not {plan.stages}"
        yield Finding("stages", "error", text, fix="Take 2,2,2,2,1.")
    yield from _of_buffers(plan)
    load = plan.load
    product = GemmShape(load.mExtension, round_up(plan.l0.n, 16), load.kExtension)
    for axis, extent, most in mmad_extents(plan.arch, product):
        yield Finding.judge(f"Mmad {axis}", f"{axis} is {extent}", "", extent, most, "elements")
    yield from _load(plan)
    yield from _of_blocks(plan)
    yield _unit_flag(plan)


def _of_buffers(plan: ConvPlan) -> Iterator[Finding]:
    shorter = {
        "L1": "a smaller tile of the image", "L0A": "fewer places of the image",
        "L0B": "fewer output channels", "L0C": "fewer places, or output channels",
    }  # fmt: skip
    for found in plan.footprints:
        halved = found.buffer == "L0C" and found.needed > found.capacity >= found.needed // 2
        more = "; CanImplement counts the bytes of the output, and the sums are float" if halved else ""
        yield from stage_rules(found, f"Take {shorter[found.buffer]}.", more=more)


def _load(plan: ConvPlan) -> Iterator[Finding]:
    given = {
        "filter": max(plan.filter[1:]), "stride": max(plan.stride),
        "dilation": max(plan.dilation), "pad": max(plan.pads),
    }  # fmt: skip
    for name, number in given.items():
        most = _LOAD_LIMITS[name]
        text = f"a {name} of {number}, and LoadData3D takes {most} at most"
        yield Finding.judge(f"LoadData3D {name}", text, "L0A", number, most, "elements")
    size = max(*plan.patch, plan.load.kExtension, plan.load.mExtension)
    text = f"it takes {plan.load.kExtension} along k, of a part of {plan.patch[0]} x {plan.patch[1]}"
    yield Finding.judge("LoadData3D extents", text, "L0A", size, 0x7FFF, "elements")


def _of_blocks(plan: ConvPlan) -> Iterator[Finding]:
    """A block needs some of the image, and begins with a group of channels."""
    left, right, top, bottom = plan.pads
    axes = (("rows", top, bottom, 0), ("columns", left, right, 1))
    for name, before, behind, axis in axes:
        extent, step = plan.image[2 + axis], plan.stride[axis]
        reach = (plan.filter[1 + axis] - 1) * plan.dilation[axis]
        of_block, out = plan.block[axis], plan.out[axis]
        first = (min(of_block, out) - 1) * step + reach - before  # the last place that it needs
        last = (out - 1) // of_block * of_block * step - before  # the first place that it needs
        beside = "before" if first < 0 else "behind" if last >= extent else ""
        text = f"pads of {before} and {behind}: a block needs only zeros {beside} the {extent} {name}"
        fix = "Take smaller pads, or a larger tile of the image."
        yield Finding.require(not beside, f"padding of {name}", text, fix=fix)
    cout = plan.filter_block[0]
    odd = cout % 16 and cout < plan.filter[0]
    text = f"the next block begins at output channel {cout}, within a group of 16"
    yield Finding.require(not odd, "output channels", text, "GM", f"Take {round_up(cout, 16)}.")


def _unit_flag(plan: ConvPlan) -> Finding:
    """CopyL0CToGm of 2201 does not pass the flag on; that of 3510 takes rows of places one by one."""
    fix = "Take unit_flag=False."
    if plan.unit_flag and plan.arch.code == 2201:
        text = "the fixpipe of a convolution does not take the unit flag: it does not wait for the sums"
        return Finding("unit flag", "error", text, "L0C", fix=fix)
    if plan.unit_flag and plan.block.n % 16 and plan.block.m > 1:
        text = f"the fixpipe takes {plan.block.n} places at a time, and the unit flag is of 16"
        return Finding("unit flag", "warning", text, "L0C", fix=fix)
    return Finding("unit flag", "holds", "on" if plan.unit_flag else "off")


# --- the arguments ---


def conv(
    arch: str | Arch,
    *,
    image: Sequence[SupportsIndex],
    filter: Sequence[SupportsIndex],
    stride: Sequence[SupportsIndex] = (1, 1),
    dilation: Sequence[SupportsIndex] = (1, 1),
    pads: Sequence[SupportsIndex] = (0, 0, 0, 0),
    element: str | Element = "half",
    block: ShapeLike = (8, 12, 8),
    filter_block: Sequence[SupportsIndex] = (96, 8),
    l0: ShapeLike = (16, 96, 16),
    stages: Sequence[SupportsIndex] = (2, 2, 2, 2, 1),
    unit_flag: bool = False,
    swizzle: Sequence[SupportsIndex] = (3, 0),
    cores: SupportsIndex | None = None,
) -> ConvPlan:
    """Return the plan of a convolution.

    >>> plan = conv("AtlasA2", image=(1, 64, 64, 64), filter=(64, 7, 7), block=(16, 16, 8))
    >>> for finding in plan.check().errors[:2]:
    ...     print(finding.rule, finding.buffer, finding.needed, finding.available)
    L1 capacity L1 2656256 524288
    L0A capacity L0A 434176 65536

    Args:
        image: Batch, channels, rows and columns.
        filter: Output channels, rows and columns.
        pads: Left, right, top and bottom.
        block: Rows and columns of the output and blocks of C0 channels in a tile of the image.
        filter_block: Output channels and blocks of C0 channels in a tile of the filter.
        l0: Places, output channels and K of a tile in L0.
        stages: In L1 of the image and the filter, in L0A, L0B and L0C.
        swizzle: The offset and the direction of the order of blocks.

    Raises:
        UnsupportedError: no core or element type has the name.
        LayoutError: a number is below its least, or the filter is larger than the padded image.
    """
    core = arch_named(arch)
    n, c, hi, wi = indices_of("image", image, 4)
    cout, kh, kw = indices_of("filter", filter, 3)
    s, d, p = (
        indices_of("stride", stride, 2),
        indices_of("dilation", dilation, 2),
        indices_of("pads", pads, 4, 0),
    )
    fb, st, order = (
        indices_of("filter_block", filter_block, 2), indices_of("stages", stages, 5),
        indices_of("swizzle", swizzle, 2, 0),
    )  # fmt: skip
    plan = ConvPlan(
        core, (n, c, hi, wi), (cout, kh, kw), (s[0], s[1]), (d[0], d[1]), (p[0], p[1], p[2], p[3]),
        element_named(element), gemm_shape(block, "block"), (fb[0], fb[1]), gemm_shape(l0, "tile in L0"),
        (st[0], st[1], st[2], st[3], st[4]), flag("unit_flag", unit_flag),
        (order[0], order[1]), default_cores(core, cores),
    )  # fmt: skip
    if min(plan.out) < 1:
        raise LayoutError(
            f"a filter of {kh} x {kw} is larger than the padded image, {hi} x {wi}: no output is left",
            out=plan.out,
        )
    return plan
