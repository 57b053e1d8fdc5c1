# SPDX-License-Identifier: Apache-2.0
"""Kernels that use the chip as it is not: each fault has its finding, and its mended twin has none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import tla
from tla.ascend.kernels import Instruction, Operand, kernel, replay, run_program, simulate
from tla.errors import ArgumentError, KindError, LimitError, ParseError

from .kernels_oracle import HERE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tla.ascend.kernels import Context, KernelTensor, Run

    Body = Callable[[Context, KernelTensor, KernelTensor], None]

X = np.arange(256, dtype=np.float32)


def run_of(body: Any, *arrays: Any, arch: str = "AtlasA2", core: Any = "AIV", **options: Any) -> Run:
    return simulate(kernel(arch, core=core)(body), *(arrays or (X, np.zeros_like(X))), **options)


def kinds(run: Run) -> set[tuple[str, str]]:
    return {(finding.check, finding.kind) for finding in run.findings}


def tiles(second: int, size: int = 256) -> Body:
    """Two tiles of UB are loaded and added; the second one starts at a byte."""

    def body(ctx: Context, x: KernelTensor, y: KernelTensor) -> None:
        a, b = (ctx.alloc("UB", x, (size // 4,), start=start) for start in (0, second))
        for tile in (a, b):
            ctx.copy_gm_to_ub(tile, tla.get_tile(x, (0,), (size // 4,)))
            ctx.pipe_barrier()
        ctx.add(b, a, b, size // 4)
        ctx.pipe_barrier()
        ctx.copy_ub_to_gm(tla.get_tile(y, (0,), (size // 4,)), b)

    return body


def lanes(op: str, dst: int, src: int, **params: Any) -> Body:
    """An instruction on parts of one tile."""

    def body(ctx: Context, x: KernelTensor, y: KernelTensor) -> None:
        tile = ctx.alloc("UB", x, (1024,))
        ctx.duplicate(tile, 1.0, 1024)
        ctx.pipe_barrier()
        parts = {"dst": tla.get_tile(tile, (dst,), (64,)), "src": tla.get_tile(tile, (src,), (64,))}
        ctx.issue(op, "V", parts, **params)

    return body


def past_its_tile(count: int) -> Body:
    def body(ctx: Context, x: KernelTensor, y: KernelTensor) -> None:
        a, b = ctx.alloc("UB", x, (64,), 2)
        ctx.duplicate(b, 1.0, 64)
        ctx.pipe_barrier()
        ctx.duplicate(a, 2.0, count)
        ctx.pipe_barrier()
        ctx.copy_ub_to_gm(tla.get_tile(y, (0,), (64,)), b)

    return body


def product(spaces: tuple[Any, Any, Any], extents: tuple[Any, Any, Any] = (16, 16, 16)) -> Body:
    def body(ctx: Context, x: KernelTensor, y: KernelTensor) -> None:
        c, a, b = (
            ctx.alloc(space, of, (16, 16))
            for space, of in zip(spaces, ("float", "half", "half"), strict=True)
        )
        for tile, space in ((a, spaces[1]), (b, spaces[2])):
            if space != "UB":
                ctx.issue("InitConstValue", "MTE1", {"dst": tile}, initValue=1.0, repeatTimes=1,
                          blockNum=1, dstGap=0)  # fmt: skip
        ctx.pipe_barrier()
        ctx.mmad(c, a, b, *extents)

    return body


def on_global_memory(ctx: Context, x: KernelTensor, y: KernelTensor) -> None:
    ctx.add(y, x, x, 64)


def on_the_wrong_pipe(ctx: Context, x: KernelTensor, y: KernelTensor) -> None:
    ctx.issue("DataCopy", "MTE3", {"dst": ctx.alloc("UB", x, (64,)), "src": x}, form="count", count=64)


def atomic(of: str) -> Body:
    def body(ctx: Context, x: KernelTensor, y: KernelTensor) -> None:
        tile = ctx.alloc("UB", x, (64,))
        ctx.duplicate(tile, 1.0, 64)
        ctx.pipe_barrier()
        ctx.set_atomic_add(ctx.alloc("UB", of, (64,)))
        ctx.copy_ub_to_gm(tla.get_tile(y, (0,), (64,)), tile)
        ctx.set_atomic_none()

    return body


def atomic_of(of: str) -> Body:
    def body(ctx: Context, x: KernelTensor, y: KernelTensor) -> None:
        tile, sums = ctx.alloc("UB", of, (64,)), ctx.workspace("W", of, (64,))
        ctx.duplicate(tile, 1, 64)
        ctx.pipe_barrier()
        ctx.set_atomic_add(sums)
        ctx.copy_ub_to_gm(sums, tile)
        ctx.set_atomic_none()

    return body


def mixed(ctx: Context, x: KernelTensor, y: KernelTensor) -> None:
    """A function that both kinds of core run, each what it has."""
    cube = ctx.is_aic
    a = Operand("UB", "AIV0" if cube else ctx.core, 0, "float32")
    ctx.issue("Duplicate", "V", {"dst": a}, scalar=1, count=64)


def mask(reset: bool) -> Body:
    def body(ctx: Context, x: KernelTensor, y: KernelTensor) -> None:
        ctx.set_vector_mask(0, 255)
        if reset:
            ctx.reset_mask()

    return body


def barrier(pipe: Any) -> Body:
    return lambda ctx, x, y: ctx.pipe_barrier(pipe)


def cross(modes: tuple[int, ...], between: bool = False) -> Body:
    """Both vector cores of a cube core set one flag in some modes."""

    def body(ctx: Context, x: KernelTensor, y: KernelTensor) -> None:
        for turn, mode in enumerate(modes):
            if turn and between:
                ctx.issue("SyncAll", "S", isAIVOnly=False)
            if ctx.is_aiv:
                ctx.cross_core_set_flag(3, mode, "MTE3")
            if ctx.is_aiv == (mode != 2):
                ctx.cross_core_wait_flag(3)

    return body


def meet(ctx: Context, x: KernelTensor, y: KernelTensor) -> None:
    if ctx.is_aiv:
        ctx.cross_core_barrier(1, "MTE3")


def meet_alone(ctx: Context, x: KernelTensor, y: KernelTensor) -> None:
    if ctx.block_idx == 0:
        ctx.cross_core_barrier(0, "FIX")


CUBE: Any = {"core": "AIC"}
MIX: Any = {"core": "MIX"}
REDUCE: Any = {
    "mask": 64, "repeat": 2, "isSetMask": True, "dstRepStride": 1, "srcBlkStride": 1, "srcRepStride": 8,
}  # fmt: skip
FAULTS: dict[str, tuple[Any, Any, str, Any]] = {
    "tiles that overlap": (tiles(128), tiles(256), "memcheck overlap", {}),
    "shifted by a block": (
        lanes("Muls", 8, 0, count=64, scalar=1), lanes("Muls", 0, 0, count=64, scalar=1),
        "memcheck overlap", {},
    ),
    "shifted by a repeat": (
        lanes("Muls", 64, 0, count=256, scalar=1), lanes("Muls", 64, 128, count=256, scalar=1),
        "memcheck overlap", {},
    ),
    "reduced behind itself": (
        lanes("WholeReduceSum", 64, 0, **REDUCE), lanes("WholeReduceSum", 0, 0, **REDUCE),
        "memcheck overlap", {},
    ),
    "past its tile": (past_its_tile(65), past_its_tile(64), "memcheck bounds", {}),
    "bits of floats": (
        lanes("Not", 0, 0, count=64), lanes("Abs", 0, 0, count=64), "unknown not modelled", {},
    ),
    "a sum of one source": (
        lanes("Add", 0, 0, count=64), lanes("Abs", 0, 0, count=64), "unknown not modelled", {},
    ),
    "a vector on GM": (on_global_memory, past_its_tile(64), "memcheck space", {}),
    "a copy on another pipe": (on_the_wrong_pipe, past_its_tile(64), "memcheck space", {}),
    "L1 in a product": (
        product(("L0C", "L1", "L0B")), product(("L0C", "L0A", "L0B")), "memcheck space", CUBE,
    ),
    "a product on AIV": (product(("UB", "UB", "UB")), past_its_tile(64), "memcheck core", {}),
    "a product of nothing": (
        product(("L0C", "L0A", "L0B"), (0, 16, 16)), product(("L0C", "L0A", "L0B")), "memcheck extent",
        CUBE,
    ),
    "a product too large": (
        product(("L0C", "L0A", "L0B"), (4096, 1, 1)), product(("L0C", "L0A", "L0B")), "memcheck extent",
        CUBE,
    ),
    "extents that are no ints": (
        product(("L0C", "L0A", "L0B"), (16, 1.5, 16)), product(("L0C", "L0A", "L0B")),
        "memcheck extent", CUBE,
    ),
    "atomics of another type": (atomic("half"), atomic("float"), "memcheck atomic type", {}),
    "atomics of a type that has none": (
        atomic_of("uint32_t"), atomic_of("int32_t"), "memcheck atomic type", {},
    ),
    "a vector on a cube core": (mixed, barrier("ALL"), "memcheck core", CUBE),
    "a mask that stays": (mask(False), mask(True), "memcheck register", {}),
    "a barrier of no pipe": (barrier("M"), barrier("V"), "synccheck barrier", {}),
    "a barrier of the scalar unit": (barrier("S"), barrier("ALL"), "synccheck barrier", {}),
    "mode 4 of 2201": (cross((4,)), cross((1,)), "synccheck flag mode", MIX),
    "mode 9": (cross((9,)), cross((2,)), "synccheck flag mode", MIX),
    "two modes of a flag": (cross((1, 2)), cross((1, 2), True), "synccheck flag mode", MIX),
    "vector cores alone": (meet, meet, "synccheck cross-core flag", {}),
    "one core of two in a barrier of all": (
        meet_alone, lambda ctx, x, y: ctx.cross_core_barrier(0, "FIX") if ctx.is_aic else None,
        "synccheck deadlock", {"core": "MIX", "cores": 2},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_found_and_its_twin_is_clean(name: str) -> None:
    wrong, right, kind, options = FAULTS[name]
    assert tuple(kind.split(" ", 1)) in kinds(run_of(wrong, **options))
    if right is meet:
        options = MIX
    assert not run_of(right, **options).findings


def test_a_core_leaves_out_what_only_cores_of_the_other_kind_have() -> None:
    run = run_of(mixed, **MIX)
    assert run.findings == ()
    assert {op.instruction.core[:3] for op in run.program.operations if op.work.steps} == {"AIV"}


def test_what_an_overlap_says() -> None:
    one, two = run_of(tiles(128)).findings
    assert "dst at UB[128] and src at UB[0] overlap" in one.text
    assert one.bytes == two.bytes == (128, 256)
    assert [place.op for place in two.at] == ["DataCopyPad", "Add"]
    assert (
        "UB[0, 256), and DataCopyPad has written bytes of it as part of the tile UB[128, 384)"
        in two.text
    )
    (found,) = run_of(past_its_tile(65)).findings
    assert found.text == "Duplicate writes UB[0, 260), and its tile is UB[0, 256)"


def test_one_finding_for_all_cores() -> None:
    def body(ctx: Context, x: KernelTensor, y: KernelTensor) -> None:
        tile = ctx.alloc("UB", x, (64,))
        for _ in range(2):
            ctx.copy_gm_to_ub(tile, tla.get_tile(x, (0,), (64,)))
            ctx.muls(tile, tile, 2.0, 64)
        ctx.wait_flag("MTE2_V", 0)

    run = run_of(body, cores=5, checks="race,sync")
    assert {finding.kind for finding in run.findings} == {"RAW", "WAW", "deadlock"}
    assert len(run.findings) == len({(f.kind, *[p.site for p in f.at]) for f in run.findings})
    assert {finding.cores for finding in run.findings} == {5}
    assert any("(10 times on 5 cores)" in str(finding) for finding in run.findings)


def test_overlaps_by_brute_force() -> None:
    """A lane-wise instruction on a line: what it writes before it may have read it."""
    from tla.ascend.kernels.bounds import _overlap
    from tla.ascend.kernels.works import line_box

    def bad(count: int, out: int, ins: int, shift: int) -> Iterator[int]:
        per = 256 // max(out, ins)
        for w in range(count):
            for r in range(count):
                late = r // per > w // per or (r // per == w // per and shift)
                ends = max(shift + w * out, r * ins), min(shift + (w + 1) * out, (r + 1) * ins)
                start = shift + w // per * per * out != r // per * per * ins
                if ends[0] < ends[1] and late and (start or r // per > w // per):
                    yield from range(*ends)

    for count, out, ins, shift in [
        (8, 4, 4, 32), (100, 4, 4, 32), (100, 4, 4, -32), (130, 4, 4, 256), (130, 4, 4, 512),
        (100, 2, 4, 0), (100, 4, 2, 0), (200, 2, 4, 64), (64, 4, 4, 256),
    ]:  # fmt: skip
        found = _overlap(line_box(0, count, out), shift, line_box(0, count, ins), 0)
        byte = sorted(bad(count, out, ins, shift))
        assert found == ((byte[0], byte[-1] + 1) if byte else None), (count, out, ins, shift)


# --- bad input

TRACE = HERE / "batched.jsonl.gz"


def test_names_and_types_of_a_trace() -> None:
    half = np.zeros(45000, np.float16)
    with pytest.raises(ArgumentError, match="no tensor 'a'"):
        replay(TRACE, {"a": half}, checks=())
    with pytest.raises(ArgumentError, match="no tensor 'input'"):
        replay(TRACE, {"input": half}, checks=())
    unused = np.arange(3)
    assert replay(TRACE, {"A": half, "Tiling": unused}, checks=())["Tiling"] is unused
    with pytest.raises(ArgumentError, match="tensor 'A' is of float16, and the array of float64"):
        replay(TRACE, {"A": half.astype(float)}, checks=())
    with pytest.raises(KindError, match=r"tensor 'A' is no array of numpy: list \[1, 2\]"):
        replay(TRACE, {"A": [1, 2]}, checks=())
    for kind in (np.uint8, np.uint16):
        assert replay(TRACE, {"A": half.view(kind)}, checks=()).findings == ()


def test_arrays_by_columns_are_read_row_by_row() -> None:
    a = np.arange(45000).reshape(300, 150).astype(np.float16)
    by_rows, by_columns = (replay(TRACE, {"A": x}, checks=())["C"] for x in (a, np.asfortranarray(a)))
    assert np.array_equal(by_rows, by_columns)


def test_lines_and_orders_that_there_are_not() -> None:
    for drop in (300, [26, 300], "x.hpp:1", 0, ""):
        with pytest.raises(ArgumentError, match=r"no instruction .* to leave out\n.* 227;"):
            replay(TRACE, drop=drop, checks=())
    assert replay(TRACE, drop="copy_l1_to_l0b.hpp:418", checks=()).drop
    with pytest.raises(ArgumentError, match="orders = 0"):
        replay(TRACE, orders=0)
    with tla.limits(cores=3), pytest.raises(LimitError, match="cores = 4"):
        run_of(meet, cores=4)


def test_files_that_are_no_traces(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl.gz"
    for data in (TRACE.read_bytes()[:900], b"no gzip"):
        path.write_bytes(data)
        with pytest.raises(ParseError, match="is damaged, or no gzip file"):
            replay(path)
    (tmp_path / "x.jsonl").write_text("\n")
    with pytest.raises(ParseError, match="has no calls"):
        replay(tmp_path / "x.jsonl")


@pytest.mark.parametrize("zero", ["blockLen", "blockCount"])
@pytest.mark.parametrize(("op", "form"), [("DataCopy", "block"), ("DataCopyPad", "ext")])
def test_a_copy_of_nothing_moves_nothing(op: str, form: str, zero: str) -> None:
    def body(ctx: Context, x: KernelTensor, y: KernelTensor) -> None:
        ub = ctx.alloc("UB", x, (256,))
        fields: dict[str, Any] = {
            "form": form,
            "blockCount": 1,
            "blockLen": 1,
            "srcStride": 0,
            "dstStride": 0,
        }
        fields |= {"unit": "32B", "isPad": False, "leftPadding": 0, "rightPadding": 0, "paddingValue": 0}
        for pipe, dst, src in (("MTE2", ub, x), ("MTE3", y, ub)):
            ctx.issue(op, pipe, {"dst": dst, "src": src}, **{**fields, zero: 0})
        for dst, src in ((ub, x), (ub, ub), (y, ub)):
            ctx.data_copy(dst, src, 0)

    run = run_of(body)
    assert run.findings == ()
    assert not run["y"].any()
    assert run.timeline.total >= 0


def test_what_lies_behind_a_tensor_reaches_no_result() -> None:
    """A copy may read the rest of a block; only a result of it is a finding."""

    def body(ctx: Context, x: KernelTensor, y: KernelTensor) -> None:
        ub = ctx.alloc("UB", x, (256,))
        ctx.data_copy(ub, x, 256)
        ctx.pipe_barrier()
        ctx.data_copy(y, ub, y.shape[0])

    assert run_of(body, X[:200], np.zeros(200, np.float32)).findings == ()
    (found,) = run_of(body, X[:200], np.zeros_like(X)).findings
    assert (found.check, found.kind, found.bytes) == ("initcheck", "never written", (800, 1024))


def test_a_workspace_is_not_written_before_the_kernel_writes_it() -> None:
    def body(ctx: Context, x: KernelTensor, y: KernelTensor) -> None:
        ub = ctx.alloc("UB", x, (256,))
        ctx.data_copy(ub, ctx.workspace("W", x, (256,)), 256)
        ctx.pipe_barrier()
        ctx.data_copy(y, ub, 256)

    assert kinds(run_of(body)) == {("initcheck", "never written")}


def test_what_is_never_written() -> None:
    ub, c = Operand("UB", "AIV0", 0, "float32"), Operand("GM", "C", 64, "float32")
    copy = Instruction("AIV0", "DataCopy", "MTE3", {"dst": c, "src": ub}, {"form": "count", "count": 16})
    run = run_program([copy], {"C": np.zeros((5, 8), np.float32)}, checks=())
    assert run.unwritten["C"].bytes == ((0, 64), (128, 160))
    assert str(run.unwritten["C"]) == "rows 0 to 1, 4"
    assert str(run_program([copy], checks=()).unwritten["C"]) == "bytes 0 to 63"
