"""Tags, plans and buffers: layouts by their tags are exact; what else there is keeps its declared type."""

from typing import Literal, assert_type

from tla import Int, _1, _2, _3, _4, _16, _20, _32, _48, _64, _128, reveal, tile_view
from tla.ascend import (
    Arch,
    Ascend950,
    AtlasA2,
    Element,
    GemmCoord,
    GemmShape,
    Padded,
    Plan,
    Policy,
    accumulator,
    allocate,
    balance_workload,
    default_swizzle,
    element,
    gemm,
    gemm_shape,
    is_zN,
    make_layout,
    make_layout_filter,
    make_layout_fmap,
    make_layout_in_ub,
    make_mx_scale_layout,
    mx_scales,
    needs_padding,
    padded,
    parse_tagged,
    policy,
    splitk_factor,
    tag_of,
    workspace,
)
from tla.ascend.arch import KnownArch

# fmt: off
# --- layouts by their tags ---

matrix = make_layout("half", "zN", _20, _48)
assert_type(matrix.shape, tuple[tuple[Int[16], Int[2]], tuple[Int[16], Int[3]]])
assert_type(matrix.stride, tuple[tuple[Int[16], Int[256]], tuple[Int[1], Int[512]]])
reveal(make_layout("int8_t", "nZ", _20, 48))  # N: ((_32,_1),(_16,int)):((_1,int),(_32,_512))
reveal(make_layout("half", "RowMajor", 5, _16))  # N: (int,_16):(_16,_1)
reveal(make_layout("half", "RowMajor", _4, _16, ld=_32))  # N: (_4,_16):(_32,_1)
reveal(make_layout("half", "zN", _20, _48, batch=_4))  # N: (_4,(_16,_2),(_16,_3)):(_1536,(_16,_256),(_1,_512))
reveal(make_layout("half", "PaddingRowMajor", _16, _16, block=(_4, 2)))  # N: ((_4,_4),(int,int)):((int,int),(_1,int))
reveal(make_layout("half", "VectorLayout", _20))  # N: (_20):(_1)
reveal(make_layout_in_ub("half", "RowMajor", 5, _20))  # N: (int,_20):(_32,_1)
reveal(make_layout_fmap("half", 1, _2, _4, _4))  # N: (int,_2,_4,_4,_16):(_512,_256,_64,_16,_1)
reveal(make_layout_filter("half", _1, _3, _3, _20, "L1"))  # N: (_1,_3,_3,_32,_16):(_4608,_1536,_512,_16,_1)
reveal(make_mx_scale_layout("e8m0", "zZ", _32, _4, is_b=False))  # N: ((_16,_2),(_2,_2)):((_2,_64),(_1,_32))
assert_type(mx_scales(_64), Int[2] | int)
assert_type(tag_of(matrix), str | None)
assert_type(is_zN(matrix, "half"), bool | None)


def of_run(rows: int = 20, name: str = "half", tag: str = "zN") -> None:
    reveal(make_layout("half", "zN", rows, _48))  # N: ((_16,int),(_16,_3)):((_16,_256),(_1,int))
    reveal(make_layout("float", "L0C", rows, rows))  # N: ((_16,int),(_16,int)):((_16,_256),(_1,int))
    make_layout(name, "zN", rows, 48)
    make_layout("half", tag, rows, 48)
    assert_type(gemm("AtlasA2", (rows, rows, rows), name), Plan)
    allocate(AtlasA2, "L0A", make_layout("half", "zZ", rows, _64), "half")


# --- plans, and what they are made of ---

assert_type(AtlasA2, KnownArch[Literal["AtlasA2"]])
assert_type(AtlasA2.capacity("L0A"), int)
half: Element = element("half")
assert_type(accumulator("half"), Element)
assert_type(gemm_shape("128,256,64"), GemmShape)
assert_type(GemmShape(128, 256, 64).tiles_of(GemmCoord(300, 300, 300)), GemmCoord)
plan = gemm(AtlasA2, (1024, 1024, 1024), "half", l1=(128, 256, 256), policy="Pingpong(unit_flag)")
plan = gemm(Ascend950, "64,64,64", "half,half,float", "RowMajor,nZ")
assert_type(plan, Plan)
chosen: Policy = policy("Preload")
assert_type(padded("PADDING_NZ", "RowMajor", 100, 100, "half"), Padded)
assert_type(needs_padding("RowMajor", 100, 100, "half"), bool | None)
slices: int = splitk_factor((4096, 4096, 4096), (128, 256, 256), cores=24)
room: int = workspace("SplitkMatmul", (128, 256, 8192), GemmShape(128, 256, 256), cores=24)
assert_type(balance_workload(1000, 4096, 128, 256, cores=24), tuple[int, int])
order = default_swizzle((1024, 4096, 512))
made = parse_tagged("zN<half>(20,48)")

# --- buffers ---

tile = allocate(AtlasA2, "L0A", make_layout("half", "zZ", _128, _64), "half", start=16384)
assert_type(tile.shape, tuple[tuple[Int[16], Int[8]], tuple[Int[16], Int[4]]])
assert_type(tile.data, str)
assert_type(
    tile_view(tile, (1, 0), (_16, _64)).shape, tuple[tuple[Int[16], Int[1]], tuple[Int[16], Int[4]]]
)
custom: Arch = AtlasA2.replaced(l0a=1 << 20)
reveal(allocate(custom, "L0A", make_layout("half", "zZ", _128, Int(512)), "half"))
