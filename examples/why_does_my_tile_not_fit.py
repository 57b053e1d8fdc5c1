"""Which bytes does a tile take, which rule does it break, and what would fit?

Run: python examples/why_does_my_tile_not_fit.py
"""

from tla import show
from tla.ascend import gemm

PROBLEM = (4096, 4096, 4096)
TILES = {
    "sums are more than L0C holds": ("AtlasA2", "half", (256, 256, 256)),
    "100 rows are padded to 112, and stages overlap": ("Ascend950", "half", (100, 256, 256)),
    "24 rows of float pass CATLASS's assertions": ("AtlasA2", "float", (24, 128, 256)),
}

for title, (arch, element, l1) in TILES.items():
    plan = gemm(arch, PROBLEM, element, l1=l1)
    report = plan.check()
    print(f"{title}: {arch}, {element}, {plan.l1}")
    for finding in report.errors:
        ((start, end),) = finding.ranges
        print(f"  {finding.rule}: bytes {start} to {end} of {finding.buffer}. {finding.fix}")
    print(f"  the compiler says: {', '.join(report.catlass) or 'nothing'}")
    assert report.nearest is not None
    print(f"  nearest that fits: {report.nearest.l1}, {report.nearest.l0}")
    broken = {finding.buffer for finding in report.errors}
    for footprint, figure in zip(report.buffers, report.figures(), strict=True):
        if footprint.buffer in broken:
            print(show.render(figure))
    print()
