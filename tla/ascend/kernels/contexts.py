# SPDX-License-Identifier: Apache-2.0
"""The context of a kernel: one core, and everything that a kernel can say to it.

>>> ctx = Context("AtlasA2", "AIV3", 2)
>>> ctx.is_aiv, ctx.block_idx, ctx.sub_block_idx, ctx.group_idx, ctx.block_num
(True, 3, 1, 1, 2)
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from ...errors import LayoutError
from ...layouts import Tensor, is_tensor, row_major
from ..elements import element
from ..schedules import swizzle as swizzle_named
from .cube_words import CubeWords
from .places import Store, store_of
from .vector_words import VectorWords

if TYPE_CHECKING:
    from ..elements import ElementLike
    from ..schedules import BlockSwizzle, Schedule, Task
    from ..shapes import ShapeLike
    from .places import KernelTensor


class Context(CubeWords, VectorWords):
    """A core that runs a kernel; each core runs it from the first line on.

    >>> ctx = Context("AtlasA2", "AIC1", 2)
    >>> for task in ctx.tasks("GemmIdentityBlockSwizzle<3,0>", (300, 300, 64), (128, 256, 64)):
    ...     print(task)
    task 1 (core 1, round 0): [128:256,0:256,0:64]
    task 3 (core 1, round 1): [0:128,256:300,0:64]
    task 5 (core 1, round 2): [256:300,256:300,0:64]
    """

    def schedule(
        self, swizzle: str | BlockSwizzle, problem: ShapeLike, tile: ShapeLike, splitk: int | None = None
    ) -> Schedule:
        """Return the order of a product's blocks on the cores of this start."""
        return swizzle_named(swizzle).schedule(problem, tile, cores=self.block_num, splitk=splitk)

    def tasks(self, swizzle: str | BlockSwizzle, problem: ShapeLike, tile: ShapeLike) -> list[Task]:
        """Return the blocks of a product that this core computes, in its order.

        CATLASS's loop from ``GetBlockIdx()`` to ``GetCoreLoops()`` by ``GetBlockNum()``.
        """
        return self.schedule(swizzle, problem, tile).of_core(self.group_idx)

    def workspace(
        self, name: str, like: KernelTensor | ElementLike, shape: tuple[int, ...]
    ) -> KernelTensor:
        """Return memory for what cores hand each other: rows in global memory, not written yet.

        >>> ctx = Context("AtlasA2", "AIC0", 1)
        >>> ctx.workspace("W", "float", (4, 100)).origin_shape
        (4, 100)

        Raises:
            LayoutError: a tensor has the name, or another core's workspace of another size.
        """
        of = store_of(like).element if is_tensor(like) else element(like)
        size = of.bytes_of(prod(shape))
        if name in self._inputs or self.workspaces.setdefault(name, size) != size:
            raise LayoutError(
                f"the kernel has another tensor {name!r}, or one of another size", name=name
            )
        return Tensor(
            Store("GM", name, of, "RowMajor" if len(shape) == 2 else "VectorLayout"), row_major(*shape)
        )
