"""Is the tiling of a CATLASS kernel legal here, and what do the cores do?

The tiling is that of CATLASS's examples/43_ascend950_basic_matmul; then it is tried on AtlasA2.

Run: python examples/port_a_catlass_kernel.py
"""

from tla.ascend import Ascend950, AtlasA2, MmadPingpong, gemm

plan = gemm(
    Ascend950,
    problem=(256, 512, 1024),
    elements="float",
    tags="RowMajor",
    l1=(256, 256, 128),
    l0=(256, 256, 32),
    policy=MmadPingpong(unit_flag=True),
    swizzle="GemmIdentityBlockSwizzle<3,1>",
)
report = plan.check()
print(plan)
print(report)
print("  bytes free: ", {f.buffer: f.margin for f in report.checks if f.rule.endswith("capacity")})
print(f"  {len(plan.schedule())} blocks, {plan.schedule().balance().idle} of {plan.cores} cores idle")

print()
there = plan.replaced(arch=AtlasA2)
report = there.check()
print(report)
assert report.nearest is not None
fitting = there.replaced(l1=report.nearest.l1, l0=report.nearest.l0)
print(f"With {fitting.l1}:", fitting.check())

print()
print(fitting.emit_cpp())
