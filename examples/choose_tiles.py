"""Which tile is likely to be fast? Case 1 of CATLASS's docs/en/1_Practice/11_matmul_optimization.md.

Run: python examples/choose_tiles.py
"""

from tla.ascend import estimate, gemm, search

CHIP, PROBLEM, ELEMENT, TAGS = "910B3", (1024, 576, 6144), "half", "RowMajor,ColumnMajor"
MEASURED = {(128, 256, 256): 72.5, (256, 128, 256): 48.6}  # microseconds, by that guide

for l1, microseconds in MEASURED.items():
    plan = gemm(CHIP, PROBLEM, ELEMENT, TAGS, l1=l1)
    schedule = plan.schedule()
    schedule.proof()
    balance, found = schedule.balance(), estimate(plan)
    print(f"{plan.l1}: {len(schedule)} blocks, {balance.rounds} for the busiest core;")
    print(f"  the mean core has {balance.efficiency:.0%} of its work;")
    print(f"  estimated {found.microseconds:.1f} us, bound by {found.bound}; measured {microseconds} us")

print()
ranking = search(CHIP, PROBLEM, ELEMENT, TAGS, top=5, step=32)
print(f"the best of {ranking.legal} legal tiles, m and n multiples of 32:")
for rank, tile in enumerate(ranking.tiles, 1):
    print(f"  {rank}. {tile.l1}, {tile.l0}: {tile.microseconds:.1f} us, {tile.blocks} blocks")

print()
print(*ranking.best.lines(), sep="\n")
