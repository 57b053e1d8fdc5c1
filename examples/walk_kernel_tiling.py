"""From a product to the tiles of a CATLASS kernel: a walk for those who write tilings for Ascend.

Each cell can be run by itself in an editor that knows `# %%`; or run the whole:
     python examples/walk_kernel_tiling.py
     python examples/walk_kernel_tiling.py pictures     (writes the figures there, as SVG)
"""

# %% What is asked: C = A * B in half, on a chip with 20 cores, as in CATLASS's guide to optimization
import sys
from pathlib import Path

import tla
from tla import ascend, layout_figure, show
from tla.ground.figure import AnyFigure

PICTURES = Path(sys.argv[1]) if len(sys.argv) > 1 else None
CHIP, PROBLEM, TAGS = "910B3", (1024, 576, 6144), "RowMajor,ColumnMajor"


def draw(name: str, figure: AnyFigure) -> None:
    """Print a figure, and write it where a directory is given."""
    print(show.render(figure, width=100))
    if PICTURES is not None:
        PICTURES.mkdir(parents=True, exist_ok=True)
        (PICTURES / f"{name}.svg").write_text(show.svg(figure), "utf-8")


# %% 1. Layouts in global memory are functions from (row, column) to an offset
a = tla.row_major(1024, 6144)
b = tla.col_major(6144, 576)
print("1. In global memory")
print(f"A {a}: element (3,100) at {a(3, 100)}")
print(f"B {b}: element (3,100) at {b(3, 100)}")

# %% 2. In L1 a tile lies in fractals: zN, here with small blocks of 4 by 4, as CATLASS's document has it
small = tla.zN(8, 12, block=(4, 4))
print(f"\n2. zN in small: {small}; (1,5) lies at {small(1, 5)}")
draw("zN", layout_figure(small))

# The real blocks are 16 rows of 32 bytes; which, the element type decides.
for element in ("half", "float", "int8_t"):
    print(f"   {element:7} {ascend.make_layout(element, 'zN', 128, 256)}")

# %% 3. The tail: the last tile holds less than it has room for
tile = tla.get_tile_layout(tla.zN(100, 60), (48, 32), (96, 32))
print(f"\n3. The last tile of 100 by 60 in tiles of 48 by 32: {tile}")
print(f"   shape {tile.shape}, data {tile.origin_shape}: {tile.valid_size} of {tile.size} elements")
draw("tail", layout_figure(tile, rows=6, columns=12))

# %% 4. Does a tile fit? Each buffer, each rule, and the nearest tile that does
print("\n4. A tile that does not fit")
plan = ascend.gemm(CHIP, PROBLEM, "half", TAGS, l1=(256, 256, 256))
report = plan.check()
for finding in report.errors:
    print(f"   {finding.buffer}: {finding.needed} bytes of {finding.available}. {finding.fix}")
assert report.nearest is not None
print(f"   nearest that fits: {report.nearest.l1}, {report.nearest.l0}")

# %% 5. Which core computes what, and what the order costs
print("\n5. Two tiles that fit")
for l1 in ((128, 256, 256), (256, 128, 256)):
    plan = ascend.gemm(CHIP, PROBLEM, "half", TAGS, l1=l1)
    schedule = plan.schedule()
    schedule.proof()  # each block of C once, or an error
    balance, found = schedule.balance(), ascend.estimate(plan)
    print(f"   {l1}: {len(schedule)} blocks, {balance.most} products on the busiest core,")
    print(f"   the mean core has {balance.efficiency:.0%} of that;")
    print(f"   {found.microseconds:.1f} us by estimate, bound by {found.bound}")
    draw(f"schedule_{l1[0]}_{l1[1]}", ascend.schedules.timeline(schedule))

# %% 6. The copies: with which instructions does a tile of A move from global memory to L1?
print("\n6. One tile of A into L1")
moved = ascend.copies.gm_to_l1(a, "zN", arch="AtlasA2", element="half", tile=(256, 256))
for call in moved.calls:
    print(f"   {call}")
print(f"   {moved.proof()}")

# %% 7. The C++ of the plan
print("\n7. In C++")
print(plan.emit_cpp())
