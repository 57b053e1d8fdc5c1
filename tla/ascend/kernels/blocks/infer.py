# SPDX-License-Identifier: Apache-2.0
"""Flash attention on pages of K and V, with the very blocks of CATLASS: its instructions, in its order.

A stack is four pages of K and V, of 128 keys each. The cube core multiplies Q by two stacks ahead of the
product with V; vector cores weigh each stack as in `attention`, with the reductions of CATLASS.

Source: CATLASS examples/23_flash_attention_infer, 40_flash_attention_infer_tla; gemm/block/
block_mmad_fai_qk_normal.hpp, block_mmad_fai_pv_normal.hpp; epilogue/block/
block_epilogue_online_softmax_no_mask.hpp, block_epilogue_rescale_o_no_split_row.hpp.
"""
# ruff: noqa: N803 (tensors have the names of CATLASS)

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from ....errors import CongruenceError, LayoutError
from ....layouts import Layout, get_tile
from ...shapes import rounded_up
from ..places import part_of, store_of
from ..simulation import kernel
from .attention import ahead
from .matmul import joined
from .mmad import Flagged, Stages

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..contexts import Context
    from ..issuing import HardEvent
    from ..places import KernelTensor

_PAGE: Final = 128
"""The keys of a page, and the most rows of Q and columns of a head that a block takes."""
_STACK: Final = 4 * _PAGE
_AHEAD: Final = 2
"""How many stacks Q is multiplied by before the first product with V."""
_SPACE: Final = 256
"""The rows of a stack's workspace."""
_LANES: Final = 64
_BLOCK: Final = 8
_UB: Final = 8192
"""The elements of a tile in UB."""
_QK_READY, _SOFTMAX_READY, _PV_READY = 1, 2, 3


class Task(NamedTuple):
    """Some rows of Q of some heads that share a head of K and V; a row of a block is of one head."""

    batch: int
    token: int
    """The first row of Q."""
    tokens: int
    head: int
    """The first head."""
    heads: int
    group: int
    """The head of K and V."""
    keys: int

    @property
    def rows(self) -> int:
        """The rows of the block: those of one head behind those of the other."""
        return self.tokens * self.heads

    @property
    def stacks(self) -> list[Stack]:
        """The stacks of its keys."""
        return [
            Stack(self, number, min(_STACK, self.keys - first))
            for number, first in enumerate(range(0, self.keys, _STACK))
        ]


class Stack(NamedTuple):
    """Some pages of a task's keys, one behind the other."""

    task: Task
    number: int
    keys: int

    @property
    def pages(self) -> range:
        """Its pages, among those of the task."""
        first = self.number * _STACK // _PAGE
        return range(first, first - (-self.keys // _PAGE))

    def place(self, ctx: Context, x: KernelTensor, columns: int, pitch: int) -> KernelTensor:
        """Its place in a workspace of elements: rows that lie a pitch apart."""
        at = (ctx.group_idx * (_AHEAD + 1) + self.number % (_AHEAD + 1)) * _SPACE * _STACK
        tile = get_tile(x, (at,), (self.task.rows * pitch,))
        return ctx.make_tensor(tile, Layout((self.task.rows, columns), (pitch, 1)), tag="RowMajor")


class _Given(NamedTuple):
    q: KernelTensor
    k: KernelTensor
    v: KernelTensor
    table: KernelTensor
    q_ends: KernelTensor
    kv_ends: KernelTensor
    o: KernelTensor
    head: int

    def check(self, lengths: list[tuple[int, int]]) -> None:
        """Require tensors that fit each other and the blocks.

        Raises:
            CongruenceError: the extents differ.
            LayoutError: the blocks do not take the heads, or a batch has no rows or keys.
        """
        (rows, width), (keys, columns), v, o = (
            tuple(map(int, x.origin_shape)) for x in (self.q, self.k, self.v, self.o)
        )
        if self.head % 16 or not 0 < self.head <= _PAGE:
            words = f"a head of {self.head} columns: a block takes a multiple of 16, at most {_PAGE}"
            raise LayoutError(words, "flash_attention takes any.", head=self.head)
        if keys % _PAGE or v != (keys, columns) or o != (rows, width):
            raise CongruenceError(
                f"Q is {rows} by {width}, K {keys} by {columns}, V {joined(v)} and O {joined(o)}",
                f"K and V are alike, Q and O too; K has pages of {_PAGE} rows.",
            )
        if columns % self.head or width % columns:
            words = f"Q has {width} columns and K {columns}: heads of {self.head}"
            raise CongruenceError(words, "The heads of Q are a multiple of those of K.")
        if min(min(pair) for pair in lengths) < 1 or sum(q for q, _ in lengths) != rows:
            words = f"batches of {lengths} rows and keys, and Q has {rows} rows"
            raise CongruenceError(words, "Each has some, and the rows of all are those of Q.")

    def tasks(self, ctx: Context) -> Iterator[Task]:
        """Yield the tasks of this core, and read the lengths of their batches as it comes to them."""
        rows, keys = (ctx.host_values(x) for x in (self.q_ends, self.kv_ends))
        if len(rows) != len(keys):
            raise CongruenceError(f"{len(rows)} batches have rows and {len(keys)} keys")
        lengths = list(zip(rows, keys, strict=True))
        self.check(lengths)
        groups = int(self.k.origin_shape[1]) // self.head
        repeats = int(self.q.origin_shape[1]) // self.head // groups
        found: list[Task] = []
        first = 0
        for batch, (tokens, keys) in enumerate(lengths):
            heads = max(min(_PAGE // tokens // 2 * 2, repeats), 1)
            found += [
                Task(
                    batch, first + at, min(_PAGE, tokens - at), group * repeats + head,
                    min(heads, repeats - head), group, keys,
                )
                for at in range(0, tokens, _PAGE)
                for group in range(groups)
                for head in range(0, repeats, heads)
            ]  # fmt: skip
            first += tokens
        known = 0
        for task in [None, *found[ctx.group_idx :: ctx.block_num]]:
            for batch in range(known, 1 if task is None else task.batch + 1):
                for x in (self.q_ends, self.kv_ends):
                    ctx.get_value(x, batch)
                known = batch + 1
            if task is not None:
                yield task

    def page(self, ctx: Context, x: KernelTensor, task: Task, page: int) -> KernelTensor | None:
        """The rows of K or V of a page, where the table says; None if no keys are left.

        Raises:
            LayoutError: the table names a page that K does not have.
        """
        number = ctx.get_value(self.table, task.batch * int(self.table.origin_shape[1]) + page)
        rows = min(_PAGE, task.keys - page * _PAGE)
        if rows <= 0:
            return None
        if not 0 <= number < (count := int(x.origin_shape[0]) // _PAGE):
            words = f"page {page} of batch {task.batch} is number {number}, and K has {count}"
            raise LayoutError(words, page=page, number=number)
        return get_tile(x, (number * _PAGE, task.group * self.head), (rows, self.head))


class InferMmad(Flagged):
    """S = Q K^T and O = P V of stacks, on a cube core.

    CATLASS's ``BlockMmad`` of ``MmadAtlasA2FAIQK`` and of ``MmadAtlasA2FAIPV``.
    """

    def __init__(self, ctx: Context, given: _Given) -> None:
        self.ctx = ctx
        self.given: _Given = given
        self.q: KernelTensor = ctx.alloc("L1", given.q, (_PAGE, _PAGE))
        self.k: Stages = Stages(ctx.alloc("L1", given.k, (_PAGE, _PAGE), 2, tag="nZ"))
        self.p: KernelTensor = ctx.alloc("L1", given.v, (_PAGE, _STACK))
        self.v: Stages = Stages(ctx.alloc("L1", given.v, (_PAGE, _PAGE), 2), 2)
        self.l0a: Stages = Stages(ctx.alloc("L0A", given.q, (_PAGE, _PAGE), 2))
        self.l0b: Stages = Stages(ctx.alloc("L0B", given.q, (_PAGE, _PAGE), 2), 2)
        self.sums: KernelTensor = ctx.alloc("L0C", "float", (_PAGE, 2 * _PAGE))

    @property
    def flags(self) -> list[tuple[HardEvent, int]]:
        """Those of L0A and L0B, of the sums, and of L1: not all have a buffer."""
        events: tuple[tuple[HardEvent, int], ...] = ("M_MTE1", 8), ("FIX_M", 2), ("MTE1_MTE2", 8)
        return [(event, number) for event, count in events for number in range(count)]

    def load_q(self, task: Task) -> None:
        """Load the rows of Q, head by head."""
        ctx, (q, head) = self.ctx, (self.given.q, self.given.head)
        tile = get_tile(q, (task.token, task.head * head), (task.tokens, task.heads * head))
        ctx.issue(
            "DataCopy", "MTE2", {"dst": self.q, "src": tile}, form="nd2nz", ndNum=task.tokens,
            nValue=task.heads, dValue=head, srcNdMatrixStride=int(q.origin_shape[1]), srcDValue=head,
            dstNzC0Stride=rounded_up(task.rows, 16), dstNzNStride=task.tokens, dstNzMatrixStride=16,
        )  # fmt: skip
        ctx.set_flag("MTE2_MTE1", 3)
        ctx.wait_flag("MTE2_MTE1", 3)

    def multiply_q(self, stack: Stack, s: KernelTensor) -> None:
        """Multiply Q by the pages of a stack; two of them leave L0C at once."""
        ctx, rows = self.ctx, rounded_up(stack.task.rows, 16)
        for turn, page in enumerate(stack.pages):
            here, after = self._pages(self.given.k, stack.task, page, self.k)
            is_last = page == stack.pages[-1]
            self._load(self.k, page + 1, after)
            if turn == 0:
                ctx.wait_flag("M_MTE1", 0)
                ctx.wait_flag("M_MTE1", 1)
                extents = rows, self.given.head
                a, l1 = (ctx.make_tensor(x, extents) for x in (self.l0a.tiles[0], self.q))
                ctx.copy_l1_to_l0a(a, l1)
            at, keys = self.k.at, int(here.origin_shape[0])
            b = self._bring_b(self.k, here)
            ctx.set_flag("MTE1_M", at)
            ctx.wait_flag("MTE1_M", at)
            if turn % 2 == 0:
                self._wait_sums()
            sums = ctx.make_tensor(self.sums, (rows, 2 * _PAGE))
            part = part_of(sums, (0, turn % 2 * _PAGE), (rows, keys))
            ctx.tile_mmad(part, self.l0a.tiles[0], b, rows, keys, self.given.head)
            if is_last:
                ctx.set_flag("M_MTE1", 0)
                ctx.set_flag("M_MTE1", 1)
            ctx.set_flag("M_MTE1", 2 + at)
            if turn % 2 or is_last:
                first = turn // 2 * 2 * _PAGE
                width = turn % 2 * _PAGE + keys
                self._take_out(get_tile(s, (0, first), (stack.task.rows, width)), sums, at)

    def multiply_v(self, stack: Stack, p: KernelTensor, o: KernelTensor) -> None:
        """Multiply the weights of a stack by its pages of V."""
        ctx, rows, head = self.ctx, rounded_up(stack.task.rows, 16), self.given.head
        for turn, page in enumerate(stack.pages):
            here, after = self._pages(self.given.v, stack.task, page, self.v)
            is_last = page == stack.pages[-1]
            at, keys = self.v.at, int(here.origin_shape[0])
            b = self._bring_b(self.v, here)
            l1 = ctx.make_tensor(self.p, (rows, _STACK))
            if turn == 0:
                ctx.cross_core_wait_flag(_SOFTMAX_READY)
                ctx.wait_flag("MTE1_MTE2", 4)
                ctx.wait_flag("MTE1_MTE2", 5)
                ctx.copy_gm_to_l1(l1, p)
                ctx.set_flag("MTE2_MTE1", 4)
                ctx.wait_flag("MTE2_MTE1", 4)
            self._load(self.v, page + 1, after)
            a = ctx.make_tensor(self.l0a.tiles[at], (rows, keys))
            ctx.wait_flag("M_MTE1", at)
            ctx.copy_l1_to_l0a(a, part_of(l1, (0, turn * _PAGE), (rows, keys)))
            ctx.set_flag("MTE1_M", at)
            ctx.wait_flag("MTE1_M", at)
            if turn == 0:
                self._wait_sums()
            sums = ctx.make_tensor(self.sums, (rows, head))
            ctx.tile_mmad(sums, a, b, rows, head, keys, turn == 0)
            ctx.set_flag("M_MTE1", at)
            ctx.set_flag("M_MTE1", 2 + at)
            if is_last:
                ctx.set_flag("MTE1_MTE2", 4)
                ctx.set_flag("MTE1_MTE2", 5)
                self._take_out(o, sums, 0)

    def _pages(
        self, x: KernelTensor, task: Task, page: int, l1: Stages
    ) -> tuple[KernelTensor, KernelTensor | None]:
        """The rows of a page and of the one behind it; a task's first page is loaded at once."""
        here, after = (self.given.page(self.ctx, x, task, page + more) for more in (0, 1))
        assert here is not None
        if page == 0:
            self._load(l1, page, here)
        l1.at = (page + 1) % 2
        return here, after

    def _load(self, l1: Stages, page: int, rows: KernelTensor | None) -> None:
        """Load a page, if there are keys left."""
        if rows is not None:
            stage = (page + 1) % 2
            self.ctx.wait_flag("MTE1_MTE2", l1.ids[stage])
            self.ctx.copy_gm_to_l1(*self._b(l1, l1.tiles[stage], rows))
            self.ctx.set_flag("MTE2_MTE1", l1.ids[stage])

    def _b(self, l1: Stages, x: KernelTensor, rows: KernelTensor) -> tuple[KernelTensor, KernelTensor]:
        """A buffer as a page, and the page: of K as columns."""
        extents = int(rows.origin_shape[0]), self.given.head
        if l1 is self.v:
            return self.ctx.make_tensor(x, extents), rows
        columns = Layout(extents[::-1], (1, int(self.given.k.origin_shape[1])))
        return (
            self.ctx.make_tensor(x, extents[::-1]),
            self.ctx.make_tensor(rows, columns, tag="ColumnMajor"),
        )

    def _bring_b(self, l1: Stages, rows: KernelTensor) -> KernelTensor:
        """Bring the page in use to L0B."""
        ctx, at = self.ctx, l1.at
        ctx.wait_flag("MTE2_MTE1", l1.id)
        ctx.wait_flag("M_MTE1", self.l0b.ids[at])
        b, source = (self._b(l1, x, rows)[0] for x in (self.l0b.tiles[at], l1.tile))
        ctx.copy_l1_to_l0b(b, source)
        ctx.set_flag("MTE1_MTE2", l1.id)
        return b

    def _wait_sums(self) -> None:
        self.ctx.wait_flag("FIX_M", 0)
        self.ctx.wait_flag("FIX_M", 1)

    def _take_out(self, to: KernelTensor, sums: KernelTensor, number: int) -> None:
        """Take sums out, with both flags of L0C."""
        ctx = self.ctx
        ctx.set_flag("M_FIX", number)
        ctx.wait_flag("M_FIX", number)
        ctx.copy_l0c_to_gm(to, sums)
        ctx.set_flag("FIX_M", 0)
        ctx.set_flag("FIX_M", 1)


class InferSoftmax(Flagged):
    """The weights of stacks of scores, and the result that they scale, on a vector core.

    CATLASS's ``BlockEpilogue`` of ``EpilogueAtlasA2OnlineSoftmax`` and of ``EpilogueAtlasA2RescaleO``.
    """

    o_new: KernelTensor
    o: KernelTensor
    m_new: KernelTensor
    m_next: KernelTensor
    m_last: KernelTensor
    """Of each row the greatest score of a stack, that with it, and that before."""
    l_new: KernelTensor
    l_last: KernelTensor
    """Of each row the sum of a stack, and that before."""

    def __init__(self, ctx: Context, given: _Given, scale: float) -> None:
        self.ctx = ctx
        self.given: _Given = given
        self.scale: float = scale
        self.s: tuple[KernelTensor, ...] = ctx.alloc("UB", "float", (_UB,), 2)
        self.p: tuple[KernelTensor, ...] = ctx.alloc("UB", given.v, (_UB,), 2)
        self.o_new, self.o = ctx.alloc("UB", "float", (_UB,), 2)
        self.folded: tuple[KernelTensor, ...] = ctx.alloc("UB", "float", (1024,), 2)
        """Numbers of the blocks of rows, and these folded again; or a block of each number of a row."""
        self.m_new, self.m_next, self.m_last, self.l_new, self.l_last = ctx.alloc(
            "UB", "float", (256,), 5
        )
        self.factors: tuple[KernelTensor, ...] = ctx.alloc("UB", "float", (_PAGE,), _AHEAD + 1)
        """By which stacks scale the result."""

    @property
    def flags(self) -> list[tuple[HardEvent, int]]:
        """Those of the weights and the scores, of the result, and some that have no buffer."""
        stores: list[tuple[HardEvent, int]] = [("MTE3_MTE2", number) for number in range(2, 6)]
        loads: list[tuple[HardEvent, int]] = [("V_MTE2", number) for number in (0, 1, 3)]
        return [("MTE3_V", 0), ("MTE3_V", 1), *stores, *loads, ("MTE3_V", 2), ("V_MTE2", 2)]

    def end(self) -> None:
        """Wait until all buffers are free."""
        for event, number in sorted(self.flags):
            self.ctx.wait_flag(event, number)

    def _rows(self, task: Task) -> range:
        """The rows of this vector core: half of the heads, or of the rows of a single one."""
        half = task.tokens // 2 if task.heads == 1 else task.heads // 2 * task.tokens
        return range(half, task.rows) if self.ctx.sub_block_idx else range(half)

    def softmax(self, stack: Stack, s: KernelTensor, p: KernelTensor) -> None:
        """Make weights of scores, some rows at a time: exp(scale S - the greatest so far)."""
        ctx, mine, pitch = self.ctx, self._rows(stack.task), rounded_up(stack.keys, 16)
        step = _UB // pitch // _BLOCK * _BLOCK
        parts = [
            (turn % 2, first, min(step, len(mine) - first))
            for turn, first in enumerate(range(0, len(mine), step))
        ]

        def load(part: tuple[int, int, int]) -> None:
            at, first, rows = part
            ctx.wait_flag("V_MTE2", at)
            tile = get_tile(s, (mine[first], 0), (rows, pitch))
            self._copy(self.s[at], tile, "MTE2", rows, pitch // _BLOCK, (_STACK - pitch) // _BLOCK)
            ctx.set_flag("MTE2_V", at)

        for at, first, rows in ahead(parts, load):
            ctx.wait_flag("MTE2_V", at)
            x, extents, count = self.s[at], (rows, stack.keys), -(-rows * pitch // _LANES)
            is_first, factor = stack.number == 0, self._factor(stack, first)
            greatest, sums = (
                [part_of(t, (first,), (_LANES,)) for t in tensors]
                for tensors in ((self.m_new, self.m_next, self.m_last), (self.l_new, self.l_last))
            )
            ctx.muls(x, x, self.scale, repeat=count)
            ctx.pipe_barrier("V")
            self._fold("Max", "max", x, greatest[0], extents, pitch)
            self._update_greatest(is_first, greatest, factor, rows)
            self._with_rows("sub", x, greatest[1], extents, pitch)
            ctx.exp(x, x, repeat=count)
            ctx.pipe_barrier("V")
            ctx.wait_flag("MTE3_V", at)
            self._convert(self.p[at], x, count)
            ctx.set_flag("V_MTE3", at)
            self._fold("Sum", "add", x, sums[0], extents, pitch)
            ctx.set_flag("V_MTE2", at)
            ctx.wait_flag("V_MTE3", at)
            gap = (_STACK - pitch) // 16
            blocks = (rows, pitch // 16) if gap else (1, rows * pitch // 16)
            tile = get_tile(p, (mine[first], 0), (rows, pitch))
            self._copy(tile, self.p[at], "MTE3", *blocks, after=gap)
            ctx.set_flag("MTE3_V", at)
            self._update_sum(is_first, sums, factor, rows)

    def rescale(self, stack: Stack, o_new: KernelTensor) -> None:
        """Add the result of a stack to what those before made; take it out behind the last."""
        ctx, task, head = self.ctx, stack.task, self.given.head
        mine, is_first = self._rows(task), stack.number == 0
        if not mine:
            return
        extents, count = (len(mine), head), -(-len(mine) * head // _LANES)
        ctx.wait_flag("V_MTE2", 3)
        tile = get_tile(o_new, (mine[0], 0), extents)
        to = self.o if is_first else self.o_new
        self._copy(to, tile, "MTE2", 1, len(mine) * head // _BLOCK)
        ctx.set_flag("MTE2_V", 0)
        ctx.wait_flag("MTE2_V", 0)
        if not is_first:
            self._mask()
            self._with_rows("mul", self.o, self._factor(stack, 0), extents, head, mask=True)
            ctx.add(self.o, self.o, self.o_new, repeat=count)
            ctx.pipe_barrier("V")
        ctx.set_flag("V_MTE2", 3)
        if stack.number < len(task.stacks) - 1:
            return
        self._with_rows("div", self.o, self.l_last, extents, head, mask=True)
        out = ctx.make_tensor(self.o, (_UB,), like=self.given.o)
        self._convert(out, self.o, count)
        ctx.set_flag("V_MTE3", 0)
        ctx.wait_flag("V_MTE3", 0)
        tokens = len(mine) if task.heads == 1 else task.tokens
        for first in range(0, len(mine), tokens):
            number, token = divmod(mine[first], task.tokens)
            at = task.token + token, (task.head + number) * head
            rows = ctx.make_tensor(part_of(out, (first * head,), (tokens * head,)), (tokens, head))
            ctx.copy_ub_to_gm(get_tile(self.given.o, at, (tokens, head)), rows)

    # --- rows of UB, under the mask of the core

    def _factor(self, stack: Stack, row: int) -> KernelTensor:
        return part_of(self.factors[stack.number % len(self.factors)], (row,), (_LANES,))

    def _mask(self, lanes: int = 2 * _LANES) -> None:
        """Choose the first lanes of a repeat, by default all."""
        bits = (1 << lanes) - 1
        self.ctx.set_vector_mask(bits >> 64, bits & (1 << 64) - 1)

    def _copy(
        self, dst: KernelTensor, src: KernelTensor, pipe: str, count: int, blocks: int,
        before: int = 0, after: int = 0,
    ) -> None:  # fmt: skip
        """Copy rows of blocks, with gaps before those of the source and behind those of the result."""
        self.ctx.issue(
            "DataCopy", pipe, {"dst": dst, "src": src}, form="block", blockCount=count, blockLen=blocks,
            srcStride=before, dstStride=after, unit="32B",
        )  # fmt: skip

    def _copy_numbers(self, dst: KernelTensor, src: KernelTensor, rows: int) -> None:
        self._copy(dst, src, "V", 1, -(-rows // _BLOCK))
        self.ctx.pipe_barrier("V")

    def _fold(
        self, word: str, combine: str, x: KernelTensor, to: KernelTensor, extents: tuple[int, int],
        pitch: int,
    ) -> None:  # fmt: skip
        """Reduce each row to a number: blocks of eight, and these; rows of 256 and 512 all at once."""
        ctx, (rows, columns), (few, fewer) = self.ctx, extents, self.folded
        tall = rounded_up(rows, _BLOCK)
        least = -(-tall // _BLOCK)

        def fold(dst: KernelTensor, src: KernelTensor, repeat: int, stride: int = _BLOCK) -> None:
            strides = {"dstRepStride": 1, "srcBlkStride": 1, "srcRepStride": stride}
            fields = {"mask": 0, "repeat": repeat, "isSetMask": False, **strides}
            ctx.issue(f"BlockReduce{word}", "V", {"dst": dst, "src": src}, **fields)
            ctx.pipe_barrier("V")

        if columns == _STACK:
            fold(few, x, tall * columns // _LANES)
            fold(fewer, few, tall * columns // _BLOCK // _LANES)
            fold(to, fewer, least)
        elif columns == _STACK // 2:
            fold(few, x, tall * columns // _LANES)
            self._mask(columns // _BLOCK)
            fold(fewer, few, tall, columns // _LANES)
            self._mask_blocks(columns // _LANES)
            fold(to, fewer, least)
            self._mask()
        else:
            for first in range(0, columns, _LANES):
                lanes, part = min(_LANES, columns - first), part_of(x, (first,), (_LANES,))
                if lanes < _LANES:
                    self._mask(lanes)
                fold(few, part, tall, pitch // _BLOCK)
                if lanes < _LANES:
                    self._mask_blocks(-(-lanes // _BLOCK))
                fold(fewer if first else to, few, least)
                if first:
                    self._mask(tall)
                    getattr(ctx, combine)(to, to, fewer)
                    ctx.pipe_barrier("V")
                if first or lanes < _LANES:
                    self._mask()

    def _mask_blocks(self, count: int) -> None:
        """Choose the first lanes of each block."""
        bits = ((1 << count) - 1) * 0x0101010101010101
        self.ctx.set_vector_mask(bits, bits)

    def _with_rows(
        self, word: str, x: KernelTensor, numbers: KernelTensor, extents: tuple[int, int], pitch: int,
        *, mask: bool = False,
    ) -> None:  # fmt: skip
        """Compute each row with its own number, which fills a block first."""
        ctx, (rows, columns), of = self.ctx, extents, "uint32_t"
        blocks, source = (ctx.make_tensor(t, (_LANES,), like=of) for t in (self.folded[0], numbers))
        ctx.brcb(blocks, source, -(-rows // _BLOCK))
        ctx.pipe_barrier("V")
        if mask:
            self._mask()
        apart = pitch // _BLOCK
        strides = {"dstRepStride": apart, "src0RepStride": apart, "src1RepStride": 1, "src1BlkStride": 0}
        for first in range(0, columns, _LANES):
            part, lanes = part_of(x, (first,), (_LANES,)), min(_LANES, columns - first)
            if lanes < _LANES:
                self._mask(lanes)
            getattr(ctx, word)(part, part, self.folded[0], repeat=rows, **strides)
            if lanes < _LANES:
                self._mask()
        ctx.pipe_barrier("V")

    def _update_greatest(
        self, is_first: bool, numbers: list[KernelTensor], factor: KernelTensor, rows: int
    ) -> None:
        """Make the greatest score so far of each row, and the factor of the change."""
        ctx, (new, greater, old) = self.ctx, numbers
        if is_first:
            self._copy_numbers(greater, new, rows)
        else:
            self._mask(rows)
            ctx.max(greater, new, old)
            ctx.pipe_barrier("V")
            ctx.sub(factor, old, greater)
            ctx.pipe_barrier("V")
            ctx.exp(factor, factor)
        self._mask()
        ctx.pipe_barrier("V")
        self._copy_numbers(old, greater, rows)

    def _update_sum(
        self, is_first: bool, sums: list[KernelTensor], factor: KernelTensor, rows: int
    ) -> None:
        """Add the sums of a stack to those so far."""
        ctx, (new, total) = self.ctx, sums
        if is_first:
            self._copy_numbers(total, new, rows)
            return
        self._mask(rows)
        ctx.mul(total, factor, total)
        ctx.pipe_barrier("V")
        ctx.add(total, total, new)
        ctx.pipe_barrier("V")
        self._mask()

    def _convert(self, to: KernelTensor, x: KernelTensor, repeat: int) -> None:
        mode = "CAST_NONE" if store_of(to).element.name == "half" else "CAST_RINT"
        self.ctx.cast(to, x, mode, repeat=repeat)


@kernel("AtlasA2", core="MIX")
def flash_attention_infer(
    ctx: Context, Q: KernelTensor, K: KernelTensor, V: KernelTensor, BlockTable: KernelTensor,
    QSeq: KernelTensor, KvSeq: KernelTensor, O: KernelTensor, head: int = 128,  # noqa: E741
    scale: float | None = None,
) -> None:  # fmt: skip
    """O = softmax(scale Q K^T) V of batches whose K and V lie in pages. CATLASS's ``FAInferKernel``.

    >>> import numpy as np
    >>> from tla.ascend.kernels import simulate
    >>> q, k, o = np.zeros((20, 32)), np.zeros((256, 16)), np.zeros((20, 32))
    >>> v = np.arange(256)[:, None] + k
    >>> q, k, v, o = (x.astype(np.float16) for x in (q, k, v, o))
    >>> table, lengths = np.array([[1, 0, 0]], np.int32), (np.array([20]), np.array([200]))
    >>> run = simulate(flash_attention_infer, q, k, v, table, *lengths, o, head=16)
    >>> keys = [*range(128, 256), *range(72)]
    >>> bool((run["O"] == np.float16(np.mean(keys))).all()), run.findings
    (True, ())

    Args:
        Q, O: The rows of all batches, with the heads beside each other.
        K, V: Pages of 128 rows, with the heads beside each other; each is for several heads of Q.
        BlockTable: The pages of each batch, in a row. CATLASS reads the entry behind a batch's last
            page too, and does not use it.
        QSeq, KvSeq: The rows of Q, and of K and V, of each batch.
        head: The columns of a head.
        scale: What the scores are multiplied by; by default one by the root of `head`.

    Raises:
        CongruenceError: the tensors do not fit each other.
        LayoutError: the blocks do not take the heads; a batch is empty; K has no page of a number.
    """
    given = _Given(Q, K, V, BlockTable, QSeq, KvSeq, O, head)
    size = ctx.block_num * (_AHEAD + 1) * _SPACE * _STACK
    S, P, new = (  # noqa: N806
        ctx.workspace(name, of, (size,)) for name, of in (("S", "float"), ("P", V), ("OTemp", "float"))
    )

    def place(stack: Stack) -> tuple[KernelTensor, KernelTensor, KernelTensor]:
        pitches = (S, stack.keys, _STACK), (P, _STACK, _STACK), (new, head, head)
        s, p, o = (stack.place(ctx, *x) for x in pitches)
        return s, p, o

    if ctx.is_aic:
        with InferMmad(ctx, given) as mmad:

            def multiply(stack: Stack) -> None:
                mmad.multiply_q(stack, place(stack)[0])
                ctx.cross_core_set_flag(_QK_READY, 2, "FIX")

            for task in given.tasks(ctx):
                mmad.load_q(task)
                for stack in ahead(task.stacks, multiply, _AHEAD):
                    mmad.multiply_v(stack, *place(stack)[1:])
                    ctx.cross_core_set_flag(_PV_READY, 2, "FIX")
    else:
        with InferSoftmax(ctx, given, head**-0.5 if scale is None else scale) as online:

            def weigh(stack: Stack) -> None:
                ctx.cross_core_wait_flag(_QK_READY)
                online.softmax(stack, *place(stack)[:2])
                ctx.cross_core_set_flag(_SOFTMAX_READY, 2, "MTE3")

            for task in given.tasks(ctx):
                for stack in ahead(task.stacks, weigh, _AHEAD):
                    ctx.cross_core_wait_flag(_PV_READY)
                    online.rescale(stack, place(stack)[2])
