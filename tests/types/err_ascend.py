"""Mistakes with tags, plans and buffers: names, sizes, room."""

from tla import Int, Layout, _1, _16, _48, _64, _128, _256
from tla.ascend import (
    Ascend950,
    AtlasA2,
    allocate,
    allocate_stages,
    balance_workload,
    element,
    gemm,
    gemm_shape,
    is_nZ,
    make_layout,
    make_layout_filter,
    make_layout_fmap,
    make_layout_in_ub,
    make_mx_scale_layout,
    needs_padding,
    padded,
    parse_tagged,
    policy,
    splitk_factor,
    swizzle,
    tag_of,
    workspace,
)

# --- tags ---

make_layout("haff", "zN", 20, 48)  # E: 'haff' is not an element type
make_layout("half", "zM", 20, 48)  # E: 'zM' is not a layout tag
make_layout("half", "zN", 20)  # E: zN takes 2 sizes, not one size
make_layout("half", "zN", -20, 48)  # E: zN has rows = -20: a size is 0 or more
make_layout("half", "zN", 20, 48, ld=64)  # E: zN takes no ld
make_layout("half", "RowMajor", 20, 48, ld=_16)  # E: RowMajor of 20 by 48 has ld = _16: it must be at least 48
make_layout("half", "VectorLayout", 4, 48)  # E: VectorLayout holds one row of 48 elements, not 4 rows
make_layout("half", "MxScalezZ", 4, 4)  # E: MxScalezZ is a layout of float8_e8m0_t, not of half
make_layout("half", "zN", 4, "4")  # E: the cols of zN: expected an int, got str '4' # E[arg-type]: Argument 4...
make_layout("half", 5, 4, 4)  # E: expected the name of a layout tag, got int 5 # E[arg-type]: Argument 2...
make_layout_in_ub("half", "zN", 20, 48)  # E: no matrix lies as zN in the unified buffer
make_layout_fmap("half", 1, 1, -1, 4)  # E: Fmap has h = -1: a size is 0 or more
make_layout_filter("half", 1, 3, 3, 20, "L0A")  # E: a Filter lies in GM or in L1, not in 'L0A'
make_mx_scale_layout("half", "zZ", 4, 4, is_b=False)  # E: an MX scale is a float8_e8m0_t, not half
tag_of(Layout(_16, _1), "halv")  # E: 'halv' is not an element type
is_nZ(make_layout("half", "nZ", _16, _16), "f17")  # E: 'f17' is not an element type
parse_tagged("zN<half>(20,48")  # E: expected ',' or ')' of the '(' in column 9, found the end of text
element("half_t")  # E: 'half_t' is not an element type


def of_run(rows: int = 20) -> None:
    make_layout("half", "zM", rows, 48)  # E: 'zM' is not a layout tag
    make_layout("half", "zN", rows, 48, 1)  # E: zN takes 2 sizes, not 3 sizes
    gemm(AtlasA2, (rows, rows, rows), "haff")  # E: 'haff' is not an element type
    allocate(AtlasA2, "L0C", make_layout("half", "nZ", rows, _64), "half")  # E: L0C of AtlasA2 holds no half


# --- plans ---

gemm("AtlasA5", (64, 64, 64))  # E: there is no architecture 'AtlasA5'
gemm(AtlasA2, (64, 64, 0))  # E: the problem has k = 0: an extent is at least 1
gemm(AtlasA2, (64, 64))  # E: the problem has 2 extents, not three: m, n, k
gemm(AtlasA2, "64,64")  # E: expected three extents m,n,k of the problem, found '64,64'
gemm(AtlasA2, (64, 64, 64), "half,int8_t")  # E: no cube core multiplies half by int8_t
gemm(AtlasA2, (64, 64, 64), "half", "VectorLayout")  # E: A cannot be VectorLayout: a matrix has rows and columns, this is contiguous
gemm(AtlasA2, (64, 64, 64), l1=(128, 256))  # E: the tile in L1 has 2 extents, not three: m, n, k
gemm(AtlasA2, (64, 64, 64), policy="Pongping")  # E: 'Pongping' is not a dispatch policy
gemm(AtlasA2, (64, 64, 64), policy="Pingpong(stages=2)")  # E: MmadPingpong has no parameter stages
gemm(AtlasA2, (64, 64, 64), swizzle="identity<3,2>")  # E: direction = 2: a swizzle has direction 0 or 1
gemm(AtlasA2, (64, 64, 64), cores=0)  # E: there is at least 1 core, not 0
gemm(AtlasA2, (64, 64, 64), ld=(32,))  # E: A, RowMajor of 64 by 64 has ld = 32: it must be at least 64
gemm_shape((128, 0, 64))  # E: the tile has n = 0: an extent is at least 1
policy("MmadPingpong<Arch::AtlasA2, 3>")  # E: MmadPingpong: unit_flag = 3, a flag is true or false
swizzle("identitty")  # E: 'identitty' is no swizzle
splitk_factor((4096, 4096, 4096), (128, 256, 256), cores=0)  # E: there is at least 1 core, not 0
padded("PADDING_ND", "zN", 100, 100, "half")  # E: PADDING_ND takes RowMajor or ColumnMajor, not zN
needs_padding("zZ", 100, 100, "half")  # E: CATLASS pads no matrix of tag zZ
workspace("SplitkMatmul", (128, 256, -1), (128, 256, 256), cores=24)  # E: the problem has k = -1: an extent is at least 1
balance_workload(1000, 4096, 128, 256, cores=24, threshold=8)  # E: the threshold 8 is below 16 rows
AtlasA2.product("half", "int8_t")  # E: the cube core of AtlasA2 does not multiply half by int8_t
AtlasA2.accumulator("float8_e4m3_t")  # E: the cube core of AtlasA2 does not multiply float8_e4m3_t by float8_e4m3_t
Ascend950.start_alignment("FB")  # E: Ascend950 states no alignment of 'FB'

# --- buffers ---

zz = make_layout("half", "zZ", _128, Int(512))
allocate(AtlasA2, "L0A", zz, "half")  # E: 128 x 512 of half takes 131072 bytes, L0A of AtlasA2 has 65536
allocate("AtlasA2", "L0A", make_layout("half", "zZ", _128, _256), "half", start=512)  # E: 128 x 256 of half takes 65536 bytes, L0A of AtlasA2 has 65024 from byte 512 on
allocate(AtlasA2, "L0A", make_layout("half", "zZ", _16, _16), "half", start=100)  # E: start 100 in L0A of AtlasA2 is not a multiple of 512 bytes
allocate(AtlasA2, "L0A", make_layout("half", "zN", _128, _64), "half")  # E: 128 x 64 of half is zN, L0A of AtlasA2 takes zZ
allocate(Ascend950, "L0A", make_layout("half", "zZ", _128, _64), "half")  # E: 128 x 64 of half is zZ, L0A of Ascend950 takes zN
allocate(AtlasA2, "L0C", make_layout("half", "L0C", _128, _64), "half")  # E: L0C of AtlasA2 holds no half
allocate(AtlasA2, "UB", Layout((_64, _48), (_48, _1)), "half", start=-32)  # E: start -32 lies before UB of AtlasA2
allocate_stages(AtlasA2, "L0A", make_layout("half", "zZ", _128, _128), "half", 3)  # E: 3 stages of 128 x 128 of half take 98304 bytes, L0A of AtlasA2 has 65536
allocate_stages(AtlasA2, "L1", make_layout("half", "zN", _128, _128), "half", 0)  # E: a tile has 1 stage or more, not 0
