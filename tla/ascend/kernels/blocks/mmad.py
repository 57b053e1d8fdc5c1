# SPDX-License-Identifier: Apache-2.0
"""What the blocks of a product share: their buffers, the product of two tiles in L1, the way out.

The instructions are those of CATLASS, in its order and with its parameters. Source: CATLASS
gemm/block/block_mmad_*.hpp.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple, TypeVar

from ....errors import LayoutError, UnsupportedError
from ....layouts import get_tile
from ....numbers import ceil_div, round_up
from ...buffers import l1_tag
from ...plans import Tile, failures_of_block
from ..places import part_of, store_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import TracebackType
    from typing import Self, TypeAlias

    from ...arch import Position
    from ...elements import Element
    from ...plans import Policy
    from ...shapes import GemmShape
    from ..contexts import Context
    from ..issuing import HardEvent
    from ..places import KernelTensor

    Pair: TypeAlias = tuple[KernelTensor, KernelTensor]
    Around: TypeAlias = tuple[()] | tuple[Callable[[], object], Callable[[], object]]


_T = TypeVar("_T")


class Stages:
    """The tiles of a buffer in turn, each with the id of its flag."""

    def __init__(self, tiles: tuple[KernelTensor, ...], first_id: int = 0) -> None:
        self.tiles: tuple[KernelTensor, ...] = tiles
        self.ids: tuple[int, ...] = tuple(range(first_id, first_id + len(tiles)))
        self.at: int = 0

    @property
    def tile(self) -> KernelTensor:
        """The tile in use."""
        return self.tiles[self.at]

    @property
    def id(self) -> int:
        """The id of its flag."""
        return self.ids[self.at]

    def turn(self) -> None:
        """Go on to the next tile."""
        self.at = (self.at + 1) % len(self.tiles)


class Flagged:
    """What holds buffers of a core: each has a flag that says that it is free.

    ``with`` is its life: the flags are set at its start, and waited for at its end.
    """

    ctx: Context

    @property
    def flags(self) -> list[tuple[HardEvent, int]]:
        """The events and ids."""
        raise NotImplementedError

    def begin(self) -> None:
        """Set the flags of all buffers: they are free."""
        for event, number in self.flags:
            self.ctx.set_flag(event, number)

    def end(self) -> None:
        """Wait until all buffers are free."""
        for event, number in self.flags:
            self.ctx.wait_flag(event, number)

    def __enter__(self) -> Self:
        self.begin()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, _error: object, _traceback: TracebackType | None
    ) -> None:
        if kind is None:
            self.end()


def flags_of(l1: Iterable[int], l0: Iterable[int], sums: Iterable[int]) -> list[tuple[HardEvent, int]]:
    """Return the flags that say that tiles are free: in L1, in L0A and L0B, and in L0C."""
    events: tuple[tuple[HardEvent, Iterable[int]], ...] = (
        ("MTE1_MTE2", l1), ("M_MTE1", l0), ("FIX_M", sums)
    )  # fmt: skip
    return [(event, number) for event, numbers in events for number in numbers]


def behind(call: Callable[[], object]) -> Around:
    """Return a call as what is done after Fixpipe, with nothing before it."""
    return (lambda: None), call


class Job(NamedTuple):
    """A block: what `BlockMmad.__call__` takes, and its tiles along K in their order."""

    a: KernelTensor
    b: KernelTensor
    c: KernelTensor
    following: Pair | None
    bias: KernelTensor | None
    around: Around
    tiles: list[int]
    scales: tuple[KernelTensor, ...] = ()


class BlockMmad(Flagged):
    """A block of a product on a cube core, by a dispatch policy.

    Args:
        ctx: The cube core.
        policy: How the tiles go through the buffers.
        a, b, c: The matrices: their element types and tags decide.
        l1, l0: The tiles in L1 and in L0.
        bias: A vector that is added to each row of C.
        beside: A block that the core computes too: this one has tiles of its own in L1 and L0C, and
            those of the other in L0, which are as large.

    Raises:
        UnsupportedError: CATLASS's block of the policy adds no bias.
        LayoutError: CATLASS does not compile the block; the text has its words.
    """

    KEEPS_A: ClassVar[bool] = False
    """Whether all of K of A lies in L1 while a block is computed."""
    HAS_ONE_FLAG: ClassVar[bool] = False
    """Whether sums that have a unit flag have no other."""
    TAKES_BIAS: ClassVar[bool] = False
    SCALES: ClassVar[int] = 0
    """How many tensors of scales a product has."""
    K_UNIT: ClassVar[int] = 1
    """What a product takes of K is a multiple of it."""
    relu: bool = False
    """Whether negative sums become 0 on their way out."""
    LOOKS_AHEAD: ClassVar[bool] = False
    """Whether the first tiles of the next block are loaded during this one."""

    def __init__(
        self, ctx: Context, policy: Policy, a: KernelTensor, b: KernelTensor, c: KernelTensor,
        l1: GemmShape, l0: GemmShape, bias: KernelTensor | None = None, beside: BlockMmad | None = None,
    ) -> None:  # fmt: skip
        self.ctx: Context = ctx
        self.policy: Policy = policy
        self.l1: GemmShape = l1
        self.l0: GemmShape = l0
        stores = store_of(a), store_of(b), store_of(c)
        kinds = [store.element for store in stores]
        tags = [store.tag or "RowMajor" for store in stores]
        tile = Tile(
            ctx.arch, kinds[0], kinds[1], l1, l0, policy, tags=(tags[0], tags[1], tags[2]), c=kinds[2]
        )
        if failures := failures_of_block(tile):
            words = f"{policy} does not take {l1} in L1 and {l0} in L0 for {kinds[0]}"
            raise LayoutError(words, *failures, l1=l1, l0=l0)
        facts = policy.facts
        l0 = self.l0 = self.l0_tile(kinds[0], kinds[1])
        self.unit_flag: bool = facts.unit_flag
        self.by_rows: bool = facts.unit_flag and tags[2] == "RowMajor"
        self.l1_tags: tuple[str, str] = l1_tag(tags[0]), l1_tag(tags[1])
        self.aligns_k: bool = (
            ctx.arch.code == 2201 and kinds[0].name == "float" and self.l1_tags[0] == "nZ"
        )
        sums = ctx.arch.accumulator(kinds[0], kinds[1])
        self.beside: BlockMmad | None = beside
        first = (0, 0) if beside is None else (beside.l1b.ids[-1] + 1, beside.l0c.ids[-1] + 1)
        self.l1a: Stages
        self.l1b: Stages
        self.l1a, self.l1b = self.l1_stages(a, b, first[0])
        if beside is None:
            self.l0a: Stages = Stages(self._l0("L0A", kinds[0], (l0.m, l0.k), facts.l0a))
            self.l0b: Stages = Stages(self._l0("L0B", kinds[1], (l0.k, l0.n), facts.l0b), facts.l0a)
        else:
            self.l0a, self.l0b = beside.l0a, beside.l0b
        self.l0c: Stages = Stages(ctx.alloc("L0C", sums, (l1.m, l1.n), facts.l0c), first[1])
        self.biases: tuple[Stages, Stages] | None = None
        """The bias in L1 and in the bias table."""
        if bias is not None:
            if not self.TAKES_BIAS:
                raise UnsupportedError(f"the block of {policy} adds no bias", "MmadPingpong's does.")
            ids = facts.l1a + facts.l1b, facts.l0a + facts.l0b
            tiles = ctx.alloc("L1", bias, (l1.n,), 1), ctx.alloc("BT", sums, (l0.n,), 1)
            self.biases = Stages(tiles[0], ids[0]), Stages(tiles[1], ids[1])

    def l1_stages(self, a: KernelTensor, b: KernelTensor, first_id: int) -> tuple[Stages, Stages]:
        """The tiles of A and of B in L1."""
        (m, n, k), facts = self.l1, self.policy.facts
        l1a = Stages(self.ctx.alloc("L1", a, (m, k), facts.l1a), first_id)
        return l1a, Stages(self.ctx.alloc("L1", b, (k, n), facts.l1b), first_id + facts.l1a)

    def _l0(
        self, position: Position, of: Element, shape: tuple[int, int], stages: int
    ) -> tuple[KernelTensor, ...]:
        if self.policy.family.l0_slot == "share":
            step = self.ctx.arch.capacity(position) // stages
            return tuple([self.ctx.alloc(position, of, shape, start=i * step) for i in range(stages)])
        tiles: tuple[KernelTensor, ...] = self.ctx.alloc(position, of, shape, stages)
        return tiles

    def l0_tile(self, a: Element, b: Element) -> GemmShape:
        """The tile in L0, for two element types."""
        return self.l0

    @property
    def flags(self) -> list[tuple[HardEvent, int]]:
        """The flags that say that a buffer is free: they are set before the first block."""
        parts: list[tuple[HardEvent, Stages]] = [
            ("MTE1_MTE2", self.l1b), ("M_MTE1", self.l0a), ("M_MTE1", self.l0b),
        ]  # fmt: skip
        if not self.KEEPS_A:
            parts.insert(0, ("MTE1_MTE2", self.l1a))
        found: list[tuple[HardEvent, int]] = [
            (event, x.ids[stage])
            for stage in range(max(len(x.ids) for _, x in parts))
            for event, x in parts
            if stage < len(x.ids)
        ]
        if not (self.unit_flag and self.HAS_ONE_FLAG):
            found.append(("FIX_M", 0))
        return found + self.bias_flags

    @property
    def bias_flags(self) -> list[tuple[HardEvent, int]]:
        """Those of the bias, if there is one."""
        return [] if self.biases is None else flags_of(self.biases[0].ids, self.biases[1].ids, ())

    @property
    def mmad_id(self) -> int:
        """The id of the flag between a load of L0 and its product."""
        return 0

    def extents(self, m: int, n: int) -> tuple[int, int]:
        """The rows and columns that are multiplied: whole fractals."""
        c0 = store_of(self.l1a.tile).element.c0
        rows = 16 if self.l1_tags[0] == "zN" else c0
        columns = 16 if self.l1_tags[1] == "nZ" else c0
        return int(round_up(m, rows)), int(round_up(n, columns))

    def __call__(
        self, a: KernelTensor, b: KernelTensor, c: KernelTensor, following: Pair | None = None,
        bias: KernelTensor | None = None, around: Around = (),
        scales: tuple[KernelTensor, ...] = (),
    ) -> None:  # fmt: skip
        """Multiply a block: rows of A by columns of B into a tile of C.

        Args:
            following: The tiles of A and B of the core's next block, if there is one.
            bias: The part of the bias for the columns.
            around: What is done before Fixpipe and after it: CATLASS's callbacks.
            scales: The MX scales of the rows and of the columns, or scales of columns for Fixpipe.

        Raises:
            UnsupportedError: the block has other scales.
        """
        if len(scales) != self.SCALES:
            words = (
                f"the block of {self.policy} takes {self.SCALES} tensors of scales, not {len(scales)}"
            )
            raise UnsupportedError(words, "mx_matmul and w4a4_matmul have scales.", policy=self.policy)
        count = self.k_tiles(a)
        tiles = [(self.start + turn) % count for turn in range(count)]
        self.compute(Job(a, b, c, following, bias, around, tiles, scales))

    @property
    def start(self) -> int:
        """The tile along K that the core begins with, modulo their number."""
        return self.ctx.block_idx if self.policy.values.get("shuffle_k") else 0

    def compute(self, job: Job) -> None:
        """Multiply a block, in the order of the policy."""
        raise NotImplementedError

    def finish(self) -> None:
        """Compute what is left of the blocks so far."""

    def with_next(self, blocks: Iterable[_T]) -> Iterator[tuple[_T, _T | None]]:
        """Pair each block with the one behind it where the policy loads that ahead, else with None."""
        if not self.LOOKS_AHEAD:
            yield from ((block, None) for block in blocks)
            return
        found = [*blocks]
        yield from zip(found, [*found[1:], None], strict=False)

    def depth(self, job: Job, turn: int) -> int:
        """The extent along K of one of a block's tiles."""
        return min(self.l1.k, int(job.a.origin_shape[1]) - job.tiles[turn] * self.l1.k)

    def column(self, job: Job, turn: int) -> int:
        """The first column of one of a block's tiles, in the tile of A in L1."""
        return job.tiles[turn] * self.l1.k if self.KEEPS_A else 0

    def rows_of_b(self, job: Job, turn: int) -> tuple[int, bool, bool]:
        """The first row in the tile of B in L1; whether the turn is the tile's first, and its last."""
        return 0, True, True

    def k_tiles(self, a: KernelTensor) -> int:
        """How many tiles of L1 a block has along K."""
        return int(ceil_div(int(a.origin_shape[1]), self.l1.k))

    def sums(self, c: KernelTensor) -> KernelTensor:
        """The tile of sums in use, with the layout of a block."""
        m, n = self.extents(*map(int, c.origin_shape))
        return self.ctx.make_tensor(self.l0c.tile, (m, n))

    def load(self, a: KernelTensor, b: KernelTensor, tile: int, ahead: int = 0) -> None:
        """Load a tile of A and one of B to L1: to the stage in use, or to one ahead of it."""
        at, (m, n, k) = tile * self.l1.k, self.l1
        if not self.KEEPS_A:
            self.load_to(self.l1a, self.tile_from(get_tile(a, (0, at), (m, k))), ahead)
        self.load_to(self.l1b, self.tile_from(get_tile(b, (at, 0), (k, n))), ahead)

    def tile_from(self, x: KernelTensor) -> Callable[[KernelTensor], None]:
        """Return the copy of a tile of global memory to L1."""
        return lambda to: self.ctx.copy_gm_to_l1(to, x)

    def load_to(self, stages: Stages, copy: Callable[[KernelTensor], None], ahead: int = 0) -> None:
        """Copy to a tile of L1 when it is free, and say that it is there."""
        slot = (stages.at + ahead) % len(stages.tiles)
        self.ctx.wait_flag("MTE1_MTE2", stages.ids[slot])
        copy(stages.tiles[slot])
        self.ctx.set_flag("MTE2_MTE1", stages.ids[slot])

    def turn_l1(self) -> None:
        """Go on to the next tiles in L1."""
        self.l1a.turn()
        self.l1b.turn()

    def load_bias(self, bias: KernelTensor | None) -> None:
        """Load the part of the bias that a block needs to L1."""
        if bias is not None and self.biases is not None:
            l1, _ = self.biases
            self.ctx.wait_flag("MTE1_MTE2", l1.id)
            self.ctx.copy_gm_to_l1(l1.tile, bias)
            self.ctx.set_flag("MTE2_MTE1", l1.id)

    def _bias_table(self, n: int) -> KernelTensor | None:
        """Bring the bias in L1 to the bias table."""
        if self.biases is None:
            return None
        l1, table = self.biases
        self.ctx.wait_flag("MTE2_MTE1", l1.id)
        self.ctx.wait_flag("M_MTE1", table.id)
        self.ctx.copy_l1_to_bt(part_of(table.tile, (0,), (n,)), part_of(l1.tile, (0,), (n,)))
        self.ctx.set_flag("MTE1_MTE2", l1.id)
        return table.tile

    def multiply(self, sums: KernelTensor, job: Job, turn: int) -> None:
        """Multiply the tiles in use in L1, a block's at its turn, K by K onto the sums."""
        ctx, l0, k = self.ctx, self.l0, self.depth(job, turn)
        first, is_last = self.column(job, turn), turn == len(job.tiles) - 1
        row, opens, closes = self.rows_of_b(job, turn)
        m, n = map(int, sums.origin_shape)
        steps = int(ceil_div(k, l0.k))
        for step in range(steps):
            depth = int(round_up(min(l0.k, k - step * l0.k), self.K_UNIT))
            ends = step == steps - 1
            l0a = ctx.make_tensor(self.l0a.tile, (m, round_up(depth, 16) if self.aligns_k else depth))
            ctx.wait_flag("M_MTE1", self.l0a.id)
            if step == 0 and not self.KEEPS_A:
                ctx.wait_flag("MTE2_MTE1", self.l1a.id)
            self.bring_a(l0a, first + step * l0.k, (m, depth))
            if ends and not self.KEEPS_A:
                ctx.set_flag("MTE1_MTE2", self.l1a.id)
            for column in range(0, n, l0.n):
                columns = min(l0.n, n - column)
                l0b = ctx.make_tensor(self.l0b.tile, (depth, columns))
                ctx.wait_flag("M_MTE1", self.l0b.id)
                if step == column == 0 and opens:
                    ctx.wait_flag("MTE2_MTE1", self.l1b.id)
                self.bring_b(l0b, (row + step * l0.k, column), (depth, columns))
                if ends and closes and column + columns == n:
                    ctx.set_flag("MTE1_MTE2", self.l1b.id)
                init_c = turn == step == 0
                bias = self._bias_table(n) if init_c else None
                ctx.set_flag("MTE1_M", self.mmad_id)
                ctx.wait_flag("MTE1_M", self.mmad_id)
                unit_flag = (3 if is_last and ends else 2) if self.unit_flag else 0
                aligned = {"bias": bias, "k_direction_align": self.aligns_k}
                aligned["scaled"] = self.policy.family.mx
                part = sums if columns == n else get_tile(sums, (0, column), (m, columns))
                ctx.tile_mmad(part, l0a, l0b, m, columns, depth, init_c, unit_flag, **aligned)
                if bias is not None and self.biases is not None:
                    ctx.set_flag("M_MTE1", self.biases[1].id)
                ctx.set_flag("M_MTE1", self.l0b.id)
                self.l0b.turn()
            ctx.set_flag("M_MTE1", self.l0a.id)
            self.l0a.turn()

    def bring_a(self, l0a: KernelTensor, k: int, extents: tuple[int, int]) -> None:
        """Bring a part of the tile of A in use from L1 to L0A.

        Args:
            k: Its first column.
            extents: Its rows and columns.
        """
        self.ctx.copy_l1_to_l0a(l0a, part_of(self.l1a.tile, (0, k), extents))

    def bring_b(self, l0b: KernelTensor, at: tuple[int, int], extents: tuple[int, int]) -> None:
        """Bring a part of the tile of B in use from L1 to L0B, from a row and a column on."""
        self.ctx.copy_l1_to_l0b(l0b, part_of(self.l1b.tile, at, extents))

    def _to_gm(self, c: KernelTensor, sums: KernelTensor, unit_flag: int = 0) -> None:
        self.ctx.copy_l0c_to_gm(c, sums, unit_flag, self.relu)

    def take_out(self, job: Job, sums: KernelTensor) -> None:
        """Take the sums out to C."""
        ctx, c = self.ctx, job.c
        write = ctx.copy_l0c_to_ub if store_of(c).space == "UB" else self._to_gm
        for call in job.around[:1]:
            call()
        if self.unit_flag:
            write(c, sums, 3)
        else:
            ctx.set_flag("M_FIX", self.l0c.id)
            ctx.wait_flag("M_FIX", self.l0c.id)
            write(c, sums)
            ctx.set_flag("FIX_M", self.l0c.id)
        self.l0c.turn()
        for call in job.around[1:]:
            call()
