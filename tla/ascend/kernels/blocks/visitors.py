# SPDX-License-Identifier: Apache-2.0
"""Epilogues that are composed: trees of loads, sums and casts, which vector cores evaluate tile by tile.

>>> import numpy as np
>>> from tla.ascend.kernels import kernel, simulate
>>> @kernel("Ascend950", core="MIX")
... def scaled_sum(ctx, A, B, X, D):
...     tree = compute("muls", compute("add", acc(), aux(X)), 0.5)
...     matmul_visitor(ctx, A, B, D, tree, l1=(32, 32, 32), l0=(32, 32, 32))
>>> a, b, x = (np.full(shape, 2, np.float32) for shape in ((40, 32), (32, 48), (40, 48)))
>>> run = simulate(scaled_sum, a, b, x, np.zeros((40, 48), np.float32), cores=2)
>>> bool((run["D"] == 65).all()), run.findings
(True, ())

Source: CATLASS epilogue/fusion, epilogue/block/block_epilogue_visitor.hpp, gemm/kernel/
basic_matmul_tla_visitor.hpp.
"""
# ruff: noqa: N803 (tensors have the names of CATLASS)

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ....errors import CapacityError, UnsupportedError
from ....layouts import Layout, get_tile
from ...elements import element
from ...schedules import positive
from ...shapes import rounded_up
from ..places import part_of, store_of
from ..simulation import kernel
from .epilogue import Epilogue, compute as issue, rows_of_core, with_epilogue
from .matmul import L0_TILE, L1_TILE, Part, deal, problem_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...elements import Element, ElementLike
    from ...plans import Policy
    from ...schedules import BlockSwizzle
    from ...shapes import ShapeLike
    from ..contexts import Context
    from ..issuing import HardEvent
    from ..places import KernelTensor
    from .epilogue import Computing
    from .matmul import Block

_COLUMNS = 32
"""A row of UB has a multiple of so many elements, ``BYTE_PER_C0``."""


class Visitor(NamedTuple):
    """A node of a tree: what it computes in a tile of UB of its own, of those that come before it."""

    kind: str
    """``acc``, ``aux``, ``row``, ``compute`` or ``cast``."""
    inputs: tuple[Visitor, ...] = ()
    tensor: KernelTensor | None = None
    """What it loads."""
    what: Any = None
    """What it computes, or the element type that it casts to."""
    scalars: tuple[float, ...] = ()

    def nodes(self) -> Iterator[Visitor]:
        """Yield the nodes below it and itself, in the order in which they are evaluated."""
        for node in self.inputs:
            yield from node.nodes()
        yield self


def acc() -> Visitor:
    """Return the sums of the block. ``VisitorAccLoad``."""
    return Visitor("acc")


def aux(tensor: KernelTensor) -> Visitor:
    """Return the tile of a matrix as large as the result. ``VisitorAuxLoad``."""
    return Visitor("aux", tensor=tensor)


def row(tensor: KernelTensor) -> Visitor:
    """Return a vector in each row. ``VisitorRowBroadcast``."""
    return Visitor("row", tensor=tensor)


def compute(what: Computing, *given: Visitor | float) -> Visitor:
    """Return what an instruction, or a function as `gelu`, makes of nodes. ``VisitorCompute``.

    >>> compute("muls", acc(), 0.5).scalars
    (0.5,)
    """
    inputs = tuple([x for x in given if isinstance(x, Visitor)])
    return Visitor(
        "compute", inputs, None, what, tuple([x for x in given if not isinstance(x, Visitor)])
    )


def cast(node: Visitor, to: ElementLike, mode: str = "CAST_NONE") -> Visitor:
    """Return a node as another element type. ``VisitorCast``.

    Args:
        mode: How it rounds, an AscendC ``RoundMode``.
    """
    return Visitor("cast", (node,), None, (element(to), mode))


class TreeVisitor(Epilogue):
    """A tree on a vector core, half of the rows of a block, in tiles of as many rows as UB has room for.

    CATLASS's ``BlockEpilogue<EpilogueVisitor<>, ArchTag, Int<length>, TreeVisitor<...>>``.

    Args:
        tree: What the result is.
        like: The tensors, `Part.c` the sums.
        d: The result.
        length: The elements of a tile in UB; by default as many as two of each node have room for.

    Raises:
        UnsupportedError: an instruction has inputs of several element types, or the result has another.
        CapacityError: a row has more elements than a tile.
    """

    def __init__(
        self, ctx: Context, tree: Visitor, like: Part, d: KernelTensor, length: int | None = None
    ) -> None:
        self.ctx = ctx
        self.d: KernelTensor = d
        self.nodes: dict[Visitor, Element] = {}
        for node in tree.nodes():
            self.nodes.setdefault(node, self._element(node, like))
        if self.nodes[tree] != store_of(d).element:
            words = f"the tree is of {self.nodes[tree]}, and the result of {store_of(d).element}"
            raise UnsupportedError(words, "cast(tree, element) converts.")
        if length is None:
            widest = sum([of.bytes_of(1) for of in self.nodes.values()])
            length = ctx.arch.ub // 2 // widest // _COLUMNS * _COLUMNS
        self.length: int = positive("length", length)
        self.stages: list[dict[Visitor, KernelTensor]] = [
            {node: ctx.alloc("UB", of, (length,)) for node, of in self.nodes.items()} for _ in range(2)
        ]
        self.tree: Visitor = tree

    def _element(self, node: Visitor, like: Part) -> Element:
        if node.kind == "cast":
            return element(node.what[0])
        loaded = like.c if node.kind == "acc" else node.tensor
        if loaded is not None:
            return store_of(loaded).element
        kinds = list(dict.fromkeys([self.nodes[x] for x in node.inputs]))
        if len(kinds) != 1:
            words = f"{node.what} takes inputs of one element type, not {' and '.join(map(str, kinds))}"
            raise UnsupportedError(words, "cast(node, element) converts.")
        return kinds[0]

    @property
    def flags(self) -> list[tuple[HardEvent, int]]:
        """The flags of the loads and of the result, for both stages."""
        return [("V_MTE2", 0), ("V_MTE2", 1), ("MTE3_V", 0), ("MTE3_V", 1)]

    def __call__(self, block: Block) -> None:
        c = rows_of_core(self.ctx, block.of(block.part.c))
        if c is None:
            return
        rows, columns = map(int, c.origin_shape)
        pitch = rounded_up(columns, _COLUMNS)
        if pitch > self.length:
            raise CapacityError(
                f"a row of {columns} elements takes {pitch}, and a tile of UB has {self.length}",
                needed=pitch, available=self.length,
            )  # fmt: skip
        each = self.length // pitch
        for turn, first in enumerate(range(0, rows, each)):
            self._tile(block, (first, min(each, rows - first)), pitch, turn % 2)

    def _tile(self, block: Block, rows: tuple[int, int], pitch: int, at: int) -> None:
        """Load a tile of rows, evaluate the tree, and store the result."""
        ctx, tiles = self.ctx, self.stages[at]

        def of(x: KernelTensor) -> KernelTensor:
            tile = rows_of_core(ctx, block.of(x))
            assert tile is not None
            return get_tile(tile, (rows[0], 0), (rows[1], int(tile.origin_shape[1])))

        layout = Layout((rows[1], int(block.task.shape[1])), (pitch, 1))
        ctx.wait_flag("V_MTE2", at)
        for node, to in tiles.items():
            if node.kind == "row" and node.tensor is not None:
                ctx.copy_gm_to_ub(ctx.make_tensor(to, layout.shape[1:]), block.of(node.tensor))
            elif node.kind in ("acc", "aux"):
                source = block.part.c if node.tensor is None else node.tensor
                ctx.copy_gm_to_ub(ctx.make_tensor(to, layout), of(source))
        ctx.set_flag("MTE2_V", at)
        ctx.wait_flag("MTE2_V", at)
        ctx.wait_flag("MTE3_V", at)
        for node, to in tiles.items():
            self._evaluate(node, to, [tiles[x] for x in node.inputs], rows[1], pitch)
        ctx.set_flag("V_MTE2", at)
        ctx.set_flag("V_MTE3", at)
        ctx.wait_flag("V_MTE3", at)
        ctx.copy_ub_to_gm(of(self.d), ctx.make_tensor(tiles[self.tree], layout))
        ctx.set_flag("MTE3_V", at)

    def _evaluate(
        self, node: Visitor, to: KernelTensor, inputs: Sequence[KernelTensor], rows: int, pitch: int
    ) -> None:
        ctx = self.ctx
        if node.kind == "row":
            for each in range(1, rows):
                ctx.data_copy(part_of(to, (each * pitch,), (pitch,)), to, pitch)
            ctx.pipe_barrier("V")  # CATLASS has none; the copies are not done in order with what follows
        elif node.kind == "compute":
            issue(ctx, node.what, to, *inputs, *node.scalars, self.length)
            ctx.pipe_barrier("V")
        elif node.kind == "cast":
            ctx.cast(to, inputs[0], node.what[1], self.length)
            ctx.pipe_barrier("V")


def matmul_visitor(
    ctx: Context, a: KernelTensor, b: KernelTensor, d: KernelTensor, tree: Visitor,
    policy: str | Policy = "MmadPingpong<true>", l1: ShapeLike = L1_TILE, l0: ShapeLike = L0_TILE,
    swizzle: str | BlockSwizzle = "GemmIdentityBlockSwizzle<3,1>", length: int | None = None,
) -> None:  # fmt: skip
    """D = tree(A B): the body of a kernel. CATLASS's ``BasicMatmulTlaVisitor``."""
    problem = problem_of(a, b, d)
    sums = ctx.arch.accumulator(store_of(a).element, store_of(b).element)
    part = Part(a, b, ctx.workspace("Workspace", sums, (problem.m, problem.n)))
    with_epilogue(
        ctx, part, deal(ctx, swizzle, l1, [part]), (policy, l1, l0),
        lambda: TreeVisitor(ctx, tree, part, d, length), pipe="MTE2",
    )  # fmt: skip


@kernel("Ascend950", core="MIX")
def matmul_evg_add(
    ctx: Context, A: KernelTensor, B: KernelTensor, D: KernelTensor,
    policy: str | Policy = "MmadPingpong<true>", l1: ShapeLike = (256, 256, 128),
    l0: ShapeLike = (256, 256, 32), swizzle: str | BlockSwizzle = "GemmIdentityBlockSwizzle<3,1>",
) -> None:  # fmt: skip
    """D = A B + D, as CATLASS's example 64 composes it."""
    matmul_visitor(ctx, A, B, D, compute("add", acc(), aux(D)), policy, l1, l0, swizzle)
