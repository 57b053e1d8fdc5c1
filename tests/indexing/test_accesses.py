"""What the lanes of a warp touch: XLA's cases, and every schedule by enumeration."""

from __future__ import annotations

from collections import defaultdict
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from cases import over, share

from tla.errors import TlaError
from tla.hlo import read_module
from tla.indexing import (
    IndexingMap,
    accesses,
    computation_maps,
    dim,
    leaves,
    loop_schedule,
    parse_map,
    register_schedule,
    row_reduction_schedule,
    traffic,
    transpose_schedule,
)
from tla.xla_bridge import physical_offset, storage_bits

from .test_traffic import random_shape

if TYPE_CHECKING:
    from tla.hlo import Computation

SIX = ", ".join(f"p{k}" for k in range(6))
JOINED = "\n".join(f"p{k} = bf16[{n}] parameter({k})" for k, n in enumerate((42, 42, 42, 42, 44, 44)))
JOINED += f"\nj = bf16[256] concatenate({SIX}), dimensions={{0}}\n"
ADD = "add { a = s32[] parameter(0)  b = s32[] parameter(1)  ROOT r = s32[] add(a, b) }"
PAIR = "two { a = s32[] parameter(0)  b = s32[] parameter(1)  c = s32[] parameter(2)"
PAIR += "  d = s32[] parameter(3)  e = s32[] add(a, c)  f = s32[] add(b, d)"
PAIR += "  ROOT r = (s32[], s32[]) tuple(e, f) }"


def sums(shape: str, result: str, dim: int) -> str:
    return (
        f"x = s32[{shape}] parameter(0)\nc = s32[] parameter(1)\n"
        f"ROOT r = s32[{result}] reduce(x, c), dimensions={{{dim}}}, to_apply=add"
    )


def pairs(shape: str, result: str) -> str:
    inputs = "\n".join(f"p{k} = s32[{of}] parameter({k})" for k, of in enumerate((shape, shape, "", "")))
    out = f"(s32[{result}], s32[{result}])"
    return f"{inputs}\nROOT r = {out} reduce(p0, p1, p2, p3), dimensions={{1}}, to_apply=two"


def added(result: str, left: str, right: str) -> str:
    x, y, z = (f"f32[100,200]{{{order}}}" for order in (result, left, right))
    return f"x = {y} parameter(0)\ny = {z} parameter(1)\nROOT r = {x} add(x, y)"


T, F = True, False
CASES: list[tuple[str, str, str, list[bool]]] = [
    # XLA's name, the computation, the schedule, and XLA's verdict on each operand
    ("IdentityLayout", added("1,0", "1,0", "1,0"), "loop", [T, T]),
    ("RhsTransposedLayout", added("1,0", "1,0", "0,1"), "loop", [T, F]),
    ("OutputTransposedLayout", added("0,1", "1,0", "1,0"), "loop", [F, F]),
    ("OutputAndLhsTransposedLayout", added("0,1", "0,1", "1,0"), "loop", [T, F]),
    (
        "Transpose",
        "x = f32[100,64,32] parameter(0)\nROOT r = f32[32,100,64] transpose(x), dimensions={2,0,1}",
        "transpose 0",
        [T],
    ),
    (
        "ConcatenateInLoopEmitter",
        JOINED + "p6 = bf16[256] parameter(6)\nROOT r = bf16[256] multiply(j, p6)",
        "loop",
        [T] * 7,
    ),
    (
        "ConcatenateWitBitcastInLoopEmitter",
        JOINED
        + "p6 = bf16[256] parameter(6)\nm = bf16[256] multiply(j, p6)\nROOT r = bf16[16,16] bitcast(m)",
        "loop",
        [T] * 7,
    ),
    (
        "TransposeOfBroadcastHeuristic",
        "x = f32[32] parameter(0)\nb = f32[100,64,32] broadcast(x), dimensions={2}\n"
        "t = f32[32,100,64] transpose(b), dimensions={2,0,1}\n"
        "ROOT r = f32[32,100,1] slice(t), slice={[0:32], [0:100], [0:1]}",
        "loop",
        [T],
    ),
    (
        "TransposeOfIotaHeuristic",  # nothing is read
        "i = f32[100,64,32] iota(), iota_dimension=1\nt = f32[32,100,64] transpose(i), "
        "dimensions={2,0,1}\n"
        "ROOT r = f32[32,100,1] slice(t), slice={[0:32], [0:100], [0:1]}",
        "loop",
        [],
    ),
    (
        "TransposeOfAddHeuristic",
        "x = f32[100,64,32] parameter(0)\nb = f32[100,64,32] add(x, x)\n"
        "t = f32[32,100,64] transpose(b), dimensions={2,0,1}\n"
        "ROOT r = f32[32,100,1] slice(t), slice={[0:32], [0:100], [0:1]}",
        "loop",
        [F],
    ),
    (
        "TransposeOnlyOuterDims",
        "x = f32[100,32,64] parameter(0)\nROOT r = f32[32,100,64] transpose(x), dimensions={1,0,2}",
        "loop 4",
        [T],
    ),
    (
        "PadOp",
        "x = f32[997,436] parameter(0)\nc = f32[] parameter(1)\n"
        "ROOT r = f32[1024,512] pad(x, c), padding=10_17x24_52",
        "loop 4",
        [T, T],
    ),
    ("RowReduction", sums("100,64,512", "100,64", 2), "rows", [T, T]),
    ("MultiRowReduction", sums("100,64,4", "100,64", 2), "rows", [T, T]),
    ("ColumnReduction", sums("100,64,32", "100,32", 1), "loop", [T, T]),
    ("VariadicReduceViaLoopEmitter", pairs("5696,10,4", "5696,4"), "loop", [F, F, T, T]),
    ("VariadicReduceViaReductionEmitter", pairs("32,40", "32"), "rows", [T, T, T, T]),
    (
        "UnusedParameter",
        "x = f32[100000] parameter(0)\ny = f32[100000] parameter(1)\nROOT r = f32[100000] negate(x)",
        "loop",
        [T, T],
    ),
    (
        "Gather",
        "x = f32[33,76,70] parameter(0)\ni = s32[1806,2] parameter(1)\n"
        "ROOT r = f32[1806,7,8,4] gather(x, i), offset_dims={1,2,3}, collapsed_slice_dims={},"
        " start_index_map={0,1}, index_vector_dim=1, slice_sizes={7,8,4}",
        "loop 4",
        [F, T],
    ),
    (
        "DynamicSlice",
        "x = s32[2,2,258] parameter(0)\ni = s32[] parameter(1)\nj = s32[] parameter(2)\n"
        "k = s32[] parameter(3)\n"
        "ROOT r = s32[1,2,32] dynamic-slice(x, i, j, k), dynamic_slice_sizes={1,2,32}",
        "loop",
        [T, T, T, T],
    ),
    (
        "Param",
        "x = u32[48,2,1280] parameter(0)\ny = u32[48,1,1280] parameter(1)\n"
        "z = u32[48,1,1280] parameter(2)\nc = u32[48,2,1280] concatenate(y, z), dimensions={1}\n"
        "ROOT r = u32[48,2,1280] shift-right-logical(c, x)",
        "loop",
        [T, T, T],
    ),
]


def entry(body: str) -> Computation:
    return read_module(f"HloModule m\n{ADD}\n{PAIR}\nENTRY e {{\n{body}\n}}").entry


def schedule_of(kind: str, shape: Any, m: IndexingMap) -> IndexingMap:
    name, _, number = kind.partition(" ")
    if name == "rows" and m.ranges:
        return row_reduction_schedule(m)
    if name == "transpose":
        return transpose_schedule(shape, int(number))
    return loop_schedule(shape, unroll=int(number or 1))


@over("name, body, kind, verdicts", CASES, ids=lambda row: row[0])
def test_verdicts_of_xla(name: str, body: str, kind: str, verdicts: list[bool]) -> None:
    computation = entry(body)
    outputs = [leaf.shape for leaf in leaves("r", computation.root.shape)]
    found = [True] * len(computation.parameters)
    for o, shape in enumerate(outputs):
        for k, maps in enumerate(computation_maps(computation, o)):
            layout = computation.parameters[k].shape
            for m in maps:
                found[k] &= accesses(m, layout, schedule_of(kind, shape, m)).coalesced
    assert found == verdicts, name


@pytest.mark.parametrize(
    ("sizes", "used"), [((1, 1), 1 / 64), ((1, 16), 1 / 4), ((4, 16), 1), ((8, 16), 1), ((6, 16), 3 / 4)]
)
def test_the_bandwidth_of_a_tile(sizes: tuple[int, int], used: float) -> None:
    """XLA's rates for tiled accesses of an A6000, in transactions of 64 bytes."""
    m = IndexingMap([dim(0), dim(1)], sizes)
    (x,) = traffic(m, "s8[256,16]", line=64).reads
    assert x.bytes / x.line_bytes == used


def test_random_schedules() -> None:
    """Each point of a schedule is there once, and the counts are those of one load after another."""
    for number in range(share(100)):
        random = Random(number)
        sizes = tuple(random.randint(1, 9) for _ in range(random.randint(1, 3)))
        shape, result = random_shape(random, sizes), random_shape(random, sizes)
        if storage_bits(shape) % 8:
            continue
        threads, unroll = random.choice([4, 8, 32]), random.choice([1, 2, 4])
        minor, axis = result.minor_to_major[0], random.randrange(len(sizes))
        schedules = [loop_schedule(result, threads, unroll), register_schedule(result)]
        schedules += [transpose_schedule(result, axis, threads, 4)] if axis != minor else []
        same = IndexingMap([dim(k) for k in range(len(sizes))], sizes)
        for schedule in schedules:
            reads = [(point, at) for point, at in schedule.points(1 << 20)]
            assert sorted(at for _point, at in reads) == sorted(at for _point, at in same.points())
            lanes = random.choice([2, 4, 32])
            loads: dict[Any, set[int]] = defaultdict(set)
            found = accesses(same, shape, schedule, lanes=lanes, line=16)
            size = storage_bits(shape) // 8
            for point, at in reads:
                thread, block = point.dims
                load = sum(point.ranges) // found.vector
                loads[block, thread // lanes, load].add(physical_offset(shape, at) * size)
            assert found.blocks[0] == found.blocks[1]
            assert found.loads == len(loads)
            assert found.bytes == sum(len(each) * size for each in loads.values())
            lines = [{(at + k) // 16 for at in each for k in range(size)} for each in loads.values()]
            assert found.lines == sum(map(len, lines))


def test_a_register_of_a_tpu() -> None:
    """A transpose of f32 reads a register from one tile of (8,128); of its result it needs 16."""
    turn = parse_map("(d0, d1) -> (d1, d0), domain: d0 in [0, 255], d1 in [0, 255]")
    result = "f32[256,256]{1,0:T(8,128)}"
    same = parse_map("(d0, d1) -> (d0, d1), domain: d0 in [0, 255], d1 in [0, 255]")
    registers = register_schedule(result)
    found = [accesses(m, result, registers, lanes=1024) for m in (same, turn)]
    assert [each.tiles / each.loads for each in found] == [1, 16]
    assert [each.lines_per_load for each in found] == [32, 128]


ROWS = parse_map("(d0)[s0] -> (d0, s0), domain: d0 in [0, 7], s0 in [0, 7]")
LOOP = loop_schedule("f32[8]")
UNKNOWN = IndexingMap.undefined("a loop")

NO_ELEMENT = "a schedule has at least 1 thread, 1 load and 1 element"
BAD: list[tuple[Any, str]] = [
    (
        lambda: accesses(ROWS, "f32[8,8]", loop_schedule("f32[2,2,2]")),
        "a schedule of 3 results is none for a map of 1 dims and 1 ranges",
    ),
    (
        lambda: accesses(ROWS, "f32[8]", LOOP),
        "a map with 2 results cannot go before one with 1 dims",
    ),
    (
        lambda: accesses(ROWS, "s4[8,8]{1,0:E(4)}", LOOP),
        "the lanes of a warp read whole bytes, and s4[8,8]{1,0:E(4)} has 4 bits each",
    ),
    (lambda: accesses(UNKNOWN, "f32[8,8]", LOOP), "what is read is not known: a loop"),
    (
        lambda: transpose_schedule("f32[8,8]", 1),
        "dim 1 of f32[8,8]{1,0} is the minor one: that is no transpose",
    ),
    (lambda: transpose_schedule("f32[8,8]", 2), "f32[8,8]{1,0} has no dim 2"),
    (lambda: loop_schedule("f32[8]", threads=0), NO_ELEMENT),
    (lambda: loop_schedule("f32[0]"), NO_ELEMENT),
]


@over("call, said", BAD, ids=lambda row: row[1])
def test_bad_input(call: Any, said: str) -> None:
    with pytest.raises(TlaError) as caught:
        call()
    assert str(caught.value).splitlines()[0] == said
