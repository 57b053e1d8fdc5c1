# SPDX-License-Identifier: Apache-2.0
"""Attention: cube cores multiply Q by K, vector cores weigh block by block, cube cores multiply P by V.

A step is a block of K and V for some rows of Q. The cube core is a step ahead: it multiplies Q by the
next block of K while vector cores have this one's scores. The online softmax keeps the greatest score
and the sum of each row so far. When a greater score comes, vector cores scale the result that they have.

CATLASS's ``FAInferKernel`` and ``MLAKernel`` have these stages, workspaces and flags; ``infer`` has the
first as it is. They differ here:

- The products are blocks of `MmadPingpong`. CATLASS has blocks of QK and PV of their own, which keep Q
  in L1 and read several blocks of K by a table of pages.
- One instruction reduces the folded rows. CATLASS reduces blocks twice.
- The causal mask is made in UB. CATLASS adds a tensor.
- The sums of the result stay in UB. CATLASS takes them out to ``oUpdate``.

Source: CATLASS examples/23_flash_attention_infer, 19_mla; epilogue/block/block_epilogue_online_softmax_
no_mask.hpp, block_epilogue_rescale_o_no_split_row.hpp.
"""
# ruff: noqa: N803, N806 (tensors have the names of CATLASS)

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from ....errors import CapacityError, CongruenceError, LayoutError, UnsupportedError
from ....layouts import Layout, get_tile
from ...plans import policy as policy_named
from ...schedules import positive
from ...shapes import GemmShape, rounded_up
from ..places import part_of, store_of
from ..simulation import kernel
from .epilogue import rows_of_core
from .grouped import rows_of
from .matmul import block_mmad
from .mmad import Flagged

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ...plans import Policy
    from ..contexts import Context
    from ..issuing import HardEvent
    from ..places import KernelTensor

_T = TypeVar("_T")
_LANES = 64
"""The floats of a repeat."""
_BLOCK = 8
"""The floats of a block."""
_LEAST = -3.0e38
"""The score of what a mask hides: its exponential is 0, and its difference to any score is finite."""
_QK_READY, _SOFTMAX_READY, _PV_READY = 0, 1, 2


class Step(NamedTuple):
    """Some rows of Q and a block of K and V."""

    q: KernelTensor
    k: KernelTensor
    v: KernelTensor
    o: KernelTensor
    number: int
    """How many steps the core had before."""
    tile: int
    """How many tiles of Q it had before."""
    is_first: bool
    is_last: bool
    """Whether it is the first, or the last, of the tile of Q."""
    hides_from: int | None
    """The first column that the first row does not see; each row below sees one more. None: no mask."""


def _steps(
    ctx: Context, tensors: tuple[KernelTensor, ...], tile: tuple[int, int], causal: bool
) -> list[Step]:
    """The steps of this core: tiles of Q, head by head, each with the blocks of K that it sees."""
    q, k, v, o = tensors
    heads, rows, _ = map(int, q.origin_shape)
    groups, columns, _ = map(int, k.origin_shape)
    found: list[Step] = []
    tiles = [(head, at) for head in range(heads) for at in range(0, rows, tile[0])]
    for turn, (head, at) in enumerate(tiles[ctx.group_idx :: ctx.block_num]):
        height, group = min(tile[0], rows - at), head * groups // heads
        seen = min(columns, at + height + columns - rows) if causal else columns
        for first in range(0, seen, tile[1]):
            width = min(tile[1], columns - first)
            hides = at + columns - rows - first + 1
            step = Step(
                rows_of(q[head, None, None], at, height), rows_of(k[group, None, None], first, width),
                rows_of(v[group, None, None], first, width), rows_of(o[head, None, None], at, height),
                len(found), turn, first == 0, first + tile[1] >= seen,
                hides if causal and hides < width else None,
            )  # fmt: skip
            found.append(step)
    return found


def ahead(steps: Sequence[_T], begin: Callable[[_T], object], by: int = 1) -> Iterator[_T]:
    """Yield each step; so many behind it have begun by then."""
    for step in steps[:by]:
        begin(step)
    for step, after in zip_longest(steps, steps[by:]):
        if after is not None:
            begin(after)
        yield step


def _transposed(ctx: Context, x: KernelTensor) -> KernelTensor:
    """A matrix of rows as that of columns which lies there."""
    rows, columns = map(int, x.origin_shape)
    return ctx.make_tensor(x, (columns, rows), tag="ColumnMajor")


def _require(
    tensors: tuple[KernelTensor, KernelTensor, KernelTensor, KernelTensor], causal: bool, policy: Policy
) -> None:
    """Require tensors that fit each other, and a policy whose block shares L0.

    Raises:
        CongruenceError: the extents differ.
        LayoutError: with a mask a row would see nothing.
        UnsupportedError: the policy is another.
    """
    (heads, rows, d), (groups, columns, depth), v, o = (tuple(map(int, x.origin_shape)) for x in tensors)
    if d != depth or heads % groups or v[:2] != (groups, columns) or o != (heads, rows, v[2]):
        q, k = (heads, rows, d), (groups, columns, depth)
        raise CongruenceError(
            f"Q is {q}, K {k}, V {v} and O {o}: heads, rows and columns of each",
            "Q and K have the same columns, V and O too; K and V the same heads and rows, Q and O too."
            " The heads of Q are a multiple of those of K.",
        )
    if causal and columns < rows:
        raise LayoutError(
            f"with a causal mask the first of {rows} rows of Q sees none of the {columns} of K",
            "The last row of Q sees all of K, each above it one less.",
        )
    if policy.name != "MmadPingpong":
        raise UnsupportedError(f"attention has no block of {policy.name}", "MmadPingpong has.")


class OnlineSoftmax(Flagged):
    """The softmax of scores that come block by block, and the result that it weighs, on a vector core.

    CATLASS's ``BlockEpilogue<EpilogueAtlasA2OnlineSoftmax>`` and ``EpilogueAtlasA2RescaleO``.

    Args:
        rows, columns: The rows of Q that a vector core has, and the columns of a block of scores.
        p, o: The weights and the result: their element types, and the columns of V.
        scale: What the scores are multiplied by.
    """

    s: KernelTensor
    o_new: KernelTensor
    o_sum: KernelTensor
    lanes: KernelTensor
    row: KernelTensor
    m: list[KernelTensor]
    l: list[KernelTensor]  # noqa: E741 - CATLASS's word
    factors: list[KernelTensor]

    def __init__(
        self, ctx: Context, rows: int, columns: int, p: KernelTensor, o: KernelTensor, scale: float
    ) -> None:
        self.ctx = ctx
        self.scale: float = scale
        self.pitch: int = rounded_up(columns, _LANES)
        self.depth: int = rounded_up(int(o.origin_shape[2]), _LANES)
        each = 4 * (self.pitch + 2 * self.depth + _LANES + 7)
        each += sum([store_of(x).element.bytes_of(n) for x, n in ((p, self.pitch), (o, self.depth))])
        if rows * each > ctx.arch.ub:
            most = ctx.arch.ub // each // _BLOCK * _BLOCK * ctx.sub_block_num
            raise CapacityError(
                f"{rows} rows of {columns} scores and {int(o.origin_shape[2])} columns of V take"
                f" {rows * each} bytes, and UB of {ctx.arch} has {ctx.arch.ub}",
                f"Take a tile of at most {most} rows of Q." if most else "Take fewer columns of V.",
                needed=rows * each, available=ctx.arch.ub,
            )  # fmt: skip
        tall = rounded_up(rows, _BLOCK)
        sizes = [rows * self.pitch, rows * self.depth, rows * self.depth, rows * _LANES, *[tall] * 7]
        floats = [ctx.alloc("UB", "float", (size,)) for size in sizes]
        self.s, self.o_new, self.o_sum, self.lanes, self.row = floats[:5]
        """The scores, the new result, the whole one, rows folded to 64 columns, a number of each row."""
        self.m, self.l, self.factors = (floats[at : at + 2] for at in (5, 7, 9))
        """Two each: the greatest scores before and after a step; the sums of two tiles of Q; the factors
        by which two steps scale the result."""
        self.p: KernelTensor = ctx.alloc("UB", p, (rows * self.pitch,))
        self.out: KernelTensor = ctx.alloc("UB", o, (rows * self.depth,))

    @property
    def flags(self) -> list[tuple[HardEvent, int]]:
        """The flags of the scores and of the new result, of the weights and of the whole result."""
        return [("V_MTE2", 0), ("V_MTE2", 1), ("MTE3_V", 0), ("MTE3_V", 1)]

    def softmax(self, step: Step, s: KernelTensor, p: KernelTensor) -> None:
        """Make weights of scores: exp(scale S - the greatest so far)."""
        ctx, extents = self.ctx, (int(s.origin_shape[0]), int(s.origin_shape[1]))
        layout, rows = Layout(extents, (self.pitch, 1)), extents[0]
        old, new = self.m[step.number % 2], self.m[1 - step.number % 2]
        total, factor = self.l[step.tile % 2], self.factors[step.number % 2]
        ctx.wait_flag("V_MTE2", 0)
        ctx.copy_gm_to_ub(ctx.make_tensor(self.s, layout), s)
        ctx.set_flag("MTE2_V", 0)
        ctx.wait_flag("MTE2_V", 0)
        self._each("muls", self.s, (self.s,), extents, self.pitch, self.scale)
        if step.hides_from is not None:
            half = -(-int(step.q.origin_shape[0]) // ctx.sub_block_num)
            self._hide(step.hides_from + ctx.sub_block_idx * half, extents)
        self._fold("max", _LEAST, "WholeReduceMax", new, extents)
        if not step.is_first:
            ctx.max(new, new, old, rows)
            ctx.pipe_barrier("V")
            ctx.sub(factor, old, new, rows)
            ctx.pipe_barrier("V")
            ctx.exp(factor, factor, rows)
            ctx.pipe_barrier("V")
        self._with_rows("sub", self.s, new, extents, self.pitch)
        self._each("exp", self.s, (self.s,), extents, self.pitch)
        ctx.wait_flag("MTE3_V", 0)
        self._convert(self.p, self.s, extents, self.pitch)
        ctx.set_flag("V_MTE3", 0)
        self._fold("add", 0, "WholeReduceSum", total if step.is_first else self.row, extents)
        if not step.is_first:
            ctx.mul(total, total, factor, rows)
            ctx.pipe_barrier("V")
            ctx.add(total, total, self.row, rows)
            ctx.pipe_barrier("V")
        ctx.set_flag("V_MTE2", 0)
        ctx.wait_flag("V_MTE3", 0)
        ctx.copy_ub_to_gm(p, ctx.make_tensor(self.p, layout))
        ctx.set_flag("MTE3_V", 0)

    def rescale(self, step: Step, o_new: KernelTensor, o: KernelTensor) -> None:
        """Add the result of a step to what the steps before made; take it out behind the last."""
        ctx, extents = self.ctx, (int(o.origin_shape[0]), int(o.origin_shape[1]))
        layout = Layout(extents, (self.depth, 1))
        ctx.wait_flag("V_MTE2", 1)
        ctx.copy_gm_to_ub(ctx.make_tensor(self.o_new, layout), o_new)
        ctx.set_flag("MTE2_V", 1)
        ctx.wait_flag("MTE2_V", 1)
        if step.is_first:
            self._each("adds", self.o_sum, (self.o_new,), extents, self.depth, 0)
        else:
            self._with_rows("mul", self.o_sum, self.factors[step.number % 2], extents, self.depth)
            self._each("add", self.o_sum, (self.o_sum, self.o_new), extents, self.depth)
        ctx.set_flag("V_MTE2", 1)
        if step.is_last:
            self._with_rows("div", self.o_sum, self.l[step.tile % 2], extents, self.depth)
            ctx.wait_flag("MTE3_V", 1)
            self._convert(self.out, self.o_sum, extents, self.depth)
            ctx.set_flag("V_MTE3", 1)
            ctx.wait_flag("V_MTE3", 1)
            ctx.copy_ub_to_gm(o, ctx.make_tensor(self.out, layout))
            ctx.set_flag("MTE3_V", 1)

    # --- rows of UB, 64 columns at a time

    def _each(
        self, word: str, to: KernelTensor, sources: tuple[KernelTensor, ...], extents: tuple[int, int],
        pitch: int, *scalars: float, **strides: int,
    ) -> None:  # fmt: skip
        """Issue an instruction on each 64 columns of rows that lie a pitch apart."""
        names = ["dst", *(["src"] if len(sources) == 1 else ["src0", "src1"])]
        lanes = {f"{name}RepStride": pitch // _BLOCK for name in names} | strides
        for first in range(0, extents[1], _LANES):
            mask = min(_LANES, extents[1] - first)
            parts = [x if x is self.lanes else part_of(x, (first,), (mask,)) for x in (to, *sources)]
            getattr(self.ctx, word)(*parts, *scalars, mask=mask, repeat=extents[0], **lanes)
            if to is self.lanes:
                self.ctx.pipe_barrier("V")
        self.ctx.pipe_barrier("V")

    def _with_rows(
        self, word: str, x: KernelTensor, numbers: KernelTensor, extents: tuple[int, int], pitch: int
    ) -> None:
        """Compute each row with its own number, which fills a block first."""
        self.ctx.brcb(self.lanes, numbers, rounded_up(extents[0], _BLOCK) // _BLOCK)
        self.ctx.pipe_barrier("V")
        self._each(word, x, (x, self.lanes), extents, pitch, src1BlkStride=0, src1RepStride=1)

    def _fold(
        self, word: str, start: float, reduce: str, to: KernelTensor, extents: tuple[int, int]
    ) -> None:
        """Fold the scores of each row to 64 lanes, and these to a number."""
        ctx, (rows, _), lanes = self.ctx, extents, self.lanes
        ctx.duplicate(lanes, start, rows * _LANES)
        ctx.pipe_barrier("V")
        strides = {"dstRepStride": _BLOCK, "src0RepStride": _BLOCK}
        self._each(word, lanes, (lanes, self.s), extents, self.pitch, **strides)
        fields = {"mask": _LANES, "repeat": rows, "isSetMask": True, "dstRepStride": 1}
        ctx.issue(reduce, "V", {"dst": to, "src": lanes}, **fields, srcBlkStride=1, srcRepStride=_BLOCK)
        ctx.pipe_barrier("V")

    def _convert(self, to: KernelTensor, x: KernelTensor, extents: tuple[int, int], pitch: int) -> None:
        """Round floats to the type of the result."""
        of = store_of(to).element
        if of.name == "float":
            self._each("adds", to, (x,), extents, pitch, 0)
            return
        mode = "CAST_NONE" if of.name == "half" else "CAST_RINT"
        for first in range(0, extents[1], _LANES):
            mask = min(_LANES, extents[1] - first)
            made, part = (part_of(tile, (first,), (mask,)) for tile in (to, x))
            strides = {"dstRepStride": pitch * of.bytes_of(1) // 32, "srcRepStride": pitch // _BLOCK}
            self.ctx.cast(made, part, mode, mask=mask, repeat=extents[0], **strides)
        self.ctx.pipe_barrier("V")

    def _hide(self, first_hidden: int, extents: tuple[int, int]) -> None:
        """Give the columns that a causal mask hides the least score: one less in each row."""
        for row in range(extents[0]):
            for first in range(0, extents[1], _LANES):
                lanes = min(_LANES, extents[1] - first)
                hidden = min(max(first_hidden + row - first, 0), lanes)
                bits = (1 << lanes) - (1 << hidden)
                if bits:
                    part = part_of(self.s, (row * self.pitch + first,), (lanes,))
                    self.ctx.duplicate(part, _LEAST, mask=(bits, 0), repeat=1)
        self.ctx.pipe_barrier("V")


def _attend(
    ctx: Context, tensors: tuple[KernelTensor, KernelTensor, KernelTensor, KernelTensor],
    how: tuple[float | None, bool, tuple[int, int], int], policy: str | Policy,
) -> None:  # fmt: skip
    """The body of every attention: its tensors; the scale, the mask, the tile and its depth in L1."""
    q, k, v, o = tensors
    scale, causal, tile, depth = how
    policy = policy_named(policy)
    tile = positive("tile m", tile[0]), positive("tile n", tile[1])
    _require(tensors, causal, policy)
    columns = int(o.origin_shape[2])
    steps = _steps(ctx, tensors, tile, causal)
    S, P, new = (
        ctx.workspace(name, of, (2 * ctx.block_num * tile[0], width))
        for name, of, width in (("S", "float", tile[1]), ("P", v, tile[1]), ("ONew", "float", columns))
    )

    def place(x: KernelTensor, step: Step, width: int) -> KernelTensor:
        first = (step.number % 2 * ctx.block_num + ctx.group_idx) * tile[0]
        return get_tile(x, (first, 0), (int(step.q.origin_shape[0]), width))

    if ctx.is_aic:
        l1 = GemmShape(*tile, depth)
        l0 = l1._replace(k=min(depth, 128))
        with (
            block_mmad(ctx, policy, q, _transposed(ctx, k[0, None, None]), S, l1, l0) as qk,
            block_mmad(ctx, policy, P, v, new, l1, l0, beside=qk) as pv,
        ):

            def multiply(step: Step) -> None:
                qk(step.q, _transposed(ctx, step.k), place(S, step, int(step.k.origin_shape[0])))
                ctx.cross_core_set_flag(_QK_READY, 2, "FIX")

            for step in ahead(steps, multiply):
                ctx.cross_core_wait_flag(_SOFTMAX_READY)
                p, c = place(P, step, int(step.v.origin_shape[0])), place(new, step, columns)
                for first in range(0, columns, tile[1]):
                    width = min(tile[1], columns - first)
                    rows, height = int(c.origin_shape[0]), int(step.v.origin_shape[0])
                    part = get_tile(step.v, (0, first), (height, width))
                    pv(p, part, get_tile(c, (0, first), (rows, width)))
                ctx.cross_core_set_flag(_PV_READY, 2, "FIX")
            ctx.pipe_barrier("ALL")
    else:
        rows = -(-tile[0] // ctx.sub_block_num)
        scale = int(q.origin_shape[2]) ** -0.5 if scale is None else scale
        with OnlineSoftmax(ctx, rows, tile[1], P, o, scale) as online:

            def weigh(step: Step) -> None:
                width = int(step.k.origin_shape[0])
                ctx.cross_core_wait_flag(_QK_READY)
                s, p = (rows_of_core(ctx, place(x, step, width)) for x in (S, P))
                if s is not None and p is not None:  # a single row is the first vector core's
                    online.softmax(step, s, p)
                ctx.cross_core_set_flag(_SOFTMAX_READY, 2, "MTE3")

            for step in ahead(steps, weigh):
                ctx.cross_core_wait_flag(_PV_READY)
                mine, out = (rows_of_core(ctx, x) for x in (place(new, step, columns), step.o))
                if mine is not None and out is not None:
                    online.rescale(step, mine, out)
            ctx.pipe_barrier("ALL")


@kernel("AtlasA2", core="MIX")
def flash_attention(
    ctx: Context, Q: KernelTensor, K: KernelTensor, V: KernelTensor, O: KernelTensor,  # noqa: E741
    scale: float | None = None, causal: bool = False, tile: tuple[int, int] = (128, 128),
    depth: int = 128, policy: str | Policy = "MmadPingpong<false>",
) -> None:  # fmt: skip
    """O = softmax(scale Q K^T) V for each head, with any tile.

    >>> import numpy as np
    >>> from tla.ascend.kernels import gm, simulate
    >>> q, k, v = (np.zeros((2, n, 16), np.float16) for n in (20, 64, 64))
    >>> v += np.arange(64, dtype=np.float16)[:, None]
    >>> tensors = [gm(x, f"RowMajor<half>({x.shape[1]},16,batch=2)") for x in (q, k, v, q)]
    >>> run = simulate(flash_attention, *tensors, tile=(16, 32), cores=2)
    >>> bool((run["O"] == 31.5).all()), run.findings
    (True, ())

    Args:
        Q, O: The queries and the result of each head, one behind the other.
        K, V: The keys and values; a head of them may be for several heads of Q.
        scale: What the scores are multiplied by; by default one by the root of the columns of Q.
        causal: Whether a row does not see the keys behind its own: the last row sees all.
        tile: The rows of Q, and of K and V, of a step.
        depth: The columns of Q and K, and the rows of V, of a tile in L1.

    Raises:
        CongruenceError: the tensors do not fit each other.
        LayoutError: with a mask a row would see nothing; or a tile does not fit.
        CapacityError: UB has no room for the rows of a step.
        UnsupportedError: the policy is not MmadPingpong.
    """
    _attend(ctx, (Q, K, V, O), (scale, causal, tile, depth), policy)


@kernel("AtlasA2", core="MIX")
def mla(
    ctx: Context, Q: KernelTensor, K: KernelTensor, O: KernelTensor, scale: float | None = None,  # noqa: E741
    tile: tuple[int, int] = (32, 128), depth: int = 128, policy: str | Policy = "MmadPingpong<false>",
) -> None:  # fmt: skip
    """Attention of many heads to one latent K, whose first columns are V. CATLASS's ``MLAKernel``.

    CATLASS has the columns of positions in tensors of their own; here they are the last of Q and K.

    >>> import numpy as np
    >>> from tla.ascend.kernels import gm, simulate
    >>> q, k, o = np.zeros((4, 1, 80)), np.zeros((1, 64, 80)), np.zeros((4, 1, 64))
    >>> k += np.arange(64)[:, None]
    >>> tensors = [
    ...     gm(x.astype(np.float16), f"RowMajor<half>({x.shape[1]},{x.shape[2]},batch={x.shape[0]})")
    ...     for x in (q, k, o)
    ... ]
    >>> run = simulate(mla, *tensors, tile=(16, 32))
    >>> bool((run["O"] == 31.5).all()), run.findings
    (True, ())

    Args:
        Q, O: The queries and the result, of each head.
        K: The latent keys, a single head; V is its first columns, as many as O has.
        scale, tile, depth: As for `flash_attention`.
    """
    groups, rows, _ = map(int, K.origin_shape)
    V = get_tile(K, (0, 0, 0), (groups, rows, int(O.origin_shape[2])))
    _attend(ctx, (Q, K, V, O), (scale, False, tile, depth), policy)
