# SPDX-License-Identifier: Apache-2.0
"""The context of a kernel: one core, and everything that a kernel can say to it.

>>> ctx = Context("AtlasA2", "AIV3", 2)
>>> ctx.is_aiv, ctx.block_idx, ctx.sub_block_idx, ctx.group_idx, ctx.block_num
(True, 3, 1, 1, 2)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..schedules import swizzle as swizzle_named
from .cube_words import CubeWords
from .vector_words import VectorWords

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..schedules import BlockSwizzle, Task
    from ..shapes import ShapeLike


class Context(CubeWords, VectorWords):
    """A core that runs a kernel; each core runs it from the first line on.

    >>> ctx = Context("AtlasA2", "AIC1", 2)
    >>> [str(task) for task in ctx.tasks("GemmIdentityBlockSwizzle<3,0>", (300, 300, 64), (128, 256, 64))]
    ['task 1 (core 1, round 0): [128:256,0:256,0:64]', 'task 3 (core 1, round 1): [256:300,256:300,0:64]', 'task 5 (core 1, round 2): [0:128,256:300,0:64]']
    """

    def tasks(
        self, swizzle: str | BlockSwizzle, problem: ShapeLike, tile: ShapeLike, splitk: int | None = None
    ) -> Iterator[Task]:
        """Yield the blocks of a product that this core computes, in its order.

        CATLASS's loop over ``GetBlockIdx()`` to ``GetCoreLoops()``, by ``GetBlockNum()``.
        """
        order = swizzle_named(swizzle)
        return iter(
            order.schedule(problem, tile, cores=self.block_num, splitk=splitk).of_core(self.group_idx)
        )
