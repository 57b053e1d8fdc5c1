"""Which core computes which block of a product when, drawn; two orders compared.

Run: python examples/draw_a_schedule.py
     python examples/draw_a_schedule.py pictures
"""

import sys
from pathlib import Path

from tla import show
from tla.ascend import gemm
from tla.ascend.schedules import timeline

figures = {}
for swizzle in ("GemmIdentityBlockSwizzle<3,0>", "GemmIdentityBlockSwizzle<1,0>"):
    plan = gemm(
        "910B3",
        (1024, 576, 6144),
        "half",
        "RowMajor,ColumnMajor",
        l1=(128, 256, 256),
        swizzle=swizzle,
    )
    schedule = plan.schedule()
    schedule.proof()  # each block once, or an error
    balance = schedule.balance()
    print(f"{swizzle}: {len(schedule)} blocks, {balance.rounds} rounds, {balance.efficiency:.0%} busy")
    figure = timeline(schedule)
    figures[swizzle.partition("<")[2].partition(",")[0]] = figure
    print(show.render(figure), end="\n\n")

if len(sys.argv) > 1:
    directory = Path(sys.argv[1])
    directory.mkdir(parents=True, exist_ok=True)
    for name, figure in figures.items():
        path = directory / f"bands_of_{name}.svg"
        path.write_text(show.svg(figure), "utf-8")
        print("written:", path)
