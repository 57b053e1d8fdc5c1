# SPDX-License-Identifier: Apache-2.0
"""How do I write a kernel for Ascend, and does it run right?

It doubles rows, two of them on their way at once, and runs without an NPU.

Run: python examples/ascend_kernel.py
"""

from typing import Any

import numpy as np

from tla import tile_view
from tla.ascend.kernels import Context, kernel, simulate


@kernel("AtlasA2", core="AIV")
def double(ctx: Context, X: Any, Y: Any) -> None:  # noqa: N803
    rows = ctx.alloc("UB", X, (1, 256), 2)
    for stage in range(2):
        ctx.set_flag("MTE3_MTE2", stage)
    for turn, row in enumerate(range(ctx.block_idx, X.shape[0], ctx.block_num)):
        stage = turn % 2
        x = rows[stage]
        ctx.wait_flag("MTE3_MTE2", stage)
        ctx.copy_gm_to_ub(x, tile_view(X, (row, 0), (1, 256)))
        ctx.set_flag("MTE2_V", stage)
        ctx.wait_flag("MTE2_V", stage)
        ctx.muls(x, x, 2.0, 256)
        ctx.set_flag("V_MTE3", stage)
        ctx.wait_flag("V_MTE3", stage)
        ctx.copy_ub_to_gm(tile_view(Y, (row, 0), (1, 256)), x)
        ctx.set_flag("MTE3_MTE2", stage)
    for stage in range(2):
        ctx.wait_flag("MTE3_MTE2", stage)


if __name__ == "__main__":
    x = np.arange(8 * 256, dtype=np.float32).reshape(8, 256)
    run = simulate(double, x, np.zeros_like(x), cores=2)
    run.raise_findings()
    print("doubled:", bool((run["Y"] == 2 * x).all()))

    print("\nline  without it")
    lines = dict.fromkeys([i.site for i in run.program.instructions if i.op.endswith("Flag")])
    for line in lines:
        without = simulate(double, x, np.zeros_like(x), cores=2, drop=line)
        print(f"{line.rpartition(':')[2]:>4}  {', '.join(sorted({f.kind for f in without.findings}))}")
