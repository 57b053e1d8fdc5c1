# SPDX-License-Identifier: Apache-2.0
"""Functions on vector registers: each call against what it says, element by element."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from tla.ascend.kernels import Instruction, Operand, Run, replay, run_program

from .kernels_oracle import HERE

UB = 4096
"""The bytes of UB that the functions see."""
DTYPES: dict[str, Any] = {"float32": "f4", "float16": "f2", "int32": "i4", "uint16": "u2", "int16": "i2"}


def function(code: list[Any], memory: Any) -> Run:
    """Load memory to UB, run a function, and store UB."""

    def copy(pipe: str, line: int, **operands: Operand) -> Instruction:
        return Instruction(
            "AIV0", "DataCopy", pipe, operands, {"form": "count", "count": UB}, "", "", line
        )

    ub, x, y = (Operand(s, n, 0, "uint8") for s, n in (("UB", "AIV0"), ("GM", "X"), ("GM", "Y")))  # type: ignore[arg-type]
    barrier = Instruction("AIV0", "PipeBarrier", "ALL", {}, {}, "", "", 2)
    call = Instruction("AIV0", "VectorFunction", "V", {}, {"name": "F", "code": code}, "", "", 3)
    rows = [copy("MTE2", 1, dst=ub, src=x), barrier, call, barrier, copy("MTE3", 4, dst=y, src=ub)]
    return run_program(rows, {"X": memory, "Y": np.zeros(UB, np.uint8)}, arch="Ascend950")


def in_registers(code: list[Any], memory: Any, *numbers: int) -> list[Any]:
    """The bytes of some registers after a function, stored behind 2048."""
    ends = [
        ["Store", "uint8", 256, [], [r], ["DIST_NORM", 2048 + 256 * n]] for n, r in enumerate(numbers)
    ]
    run = function([*code, *ends], memory)
    assert run.findings == ()
    return [run.y[2048 + 256 * n :][:256] for n in range(len(numbers))]


def some_memory(seed: int) -> Any:
    return np.random.default_rng(seed).integers(1, 100, UB).astype(np.uint8)


def load(number: int, address: int, dist: str = "NORM", dtype: str = "uint8") -> list[Any]:
    return ["Load", dtype, 256, [number], [], [f"DIST_{dist}", address]]


def zeroed(values: Any, mask: int) -> Any:
    """What a mask leaves: zeros behind its lanes."""
    made = np.ascontiguousarray(values).view(np.uint8).copy()
    made[mask:] = 0
    return made


@pytest.mark.parametrize("dtype", DTYPES)
def test_lanes(dtype: str) -> None:
    code, size = DTYPES[dtype], int(DTYPES[dtype][1])
    rng = random.Random(dtype)
    memory = np.zeros(UB, np.uint8)
    memory[:512] = np.arange(1, 512 // size + 1).astype(code).view(np.uint8)
    a, b = memory[:256].view(code), memory[256:512].view(code)
    for op, want in {
        "Add": a + b, "Sub": b - a, "Mul": a * b, "Max": b, "Min": a, "Adds": a + a.dtype.type(3),
        "Muls": a * a.dtype.type(3), "Duplicate": np.full_like(a, 3), "Axpy": b + a * a.dtype.type(3),
    }.items():  # fmt: skip
        mask = size * rng.randint(1, 256 // size)
        src = {"Sub": [3, 2], "Adds": [2], "Muls": [2], "Duplicate": []}.get(op, [2, 3])
        call = [op, dtype, mask, [4], src, 3 if op[-1] == "s" or op in ("Axpy", "Duplicate") else None]
        (found,) = in_registers([load(2, 0), load(3, 256), call], memory, 4)
        assert np.array_equal(found, zeroed(want, mask)), (op, mask)
    for op, want in {"ReduceSum": a.sum(), "ReduceMax": a[-1], "ReduceMin": a[0]}.items():
        (found,) = in_registers([load(2, 0), [op, dtype, 256, [2], [2], None]], memory, 2)
        assert np.array_equal(found, zeroed(np.full(256 // size, want, code), size)), op


def test_a_selection_and_a_broadcast() -> None:
    memory = some_memory(1)
    code = [load(2, 0), load(3, 256), ["Select", "uint16", 100, [4], [2, 3], None]]
    code += [["Select", "uint16", 100, [3], [2, 3], None], ["Duplicate", "uint16", 60, [5], [2], None]]
    selected, again, spread = in_registers(code, memory, 4, 3, 5)
    want = np.concatenate([memory[:100], memory[356:512]])
    assert np.array_equal(selected, want)
    assert np.array_equal(again, want)
    assert np.array_equal(spread, zeroed(np.tile(memory[:2], 128), 60))


def test_memory_is_read_and_written_by_its_distribution() -> None:
    memory = some_memory(2)
    words, doubles = memory.view("u2"), memory.view("u4")
    code = [
        load(2, 64, "BRC_B32", "uint32"),
        load(3, 64, "UNPACK_B16", "uint16"),
        load(4, 64, "UNPACK4_B8"),
    ]
    spread, wide, wider = in_registers(code, memory, 2, 3, 4)
    assert (spread.view("u4") == doubles[16]).all()
    assert np.array_equal(wide.view("u4"), words[32:96])
    assert np.array_equal(wider.view("u4"), memory[64:128])
    apart: list[Any] = ["Load", "uint16", 256, [2, 3], [], ["DIST_DINTLV_B16", 0]]
    even, odd = in_registers([apart], memory, 2, 3)
    assert np.array_equal(even.view("u2"), words[:256:2])
    assert np.array_equal(odd.view("u2"), words[1:256:2])
    stores: list[Any] = [
        load(2, 0), ["Store", "uint16", 80, [], [2], ["DIST_PACK_B32", 1024]],
        ["Store", "uint8", 80, [], [2], ["DIST_PACK4_B32", 1152]],
        ["Store", "uint32", 256, [], [2], ["DIST_FIRST_ELEMENT_B32", 1280]],
        ["Store", "uint16", 96, [], [2], ["DATA_BLOCK_COPY", 1408, 2]],
    ]  # fmt: skip
    want = memory.copy()
    want[1024:1064] = words[:40:2].copy().view("u1")
    want[1152:1172] = memory[:80:4]
    want[1280:1284] = memory[:4]
    for block in range(3):
        want[1408 + 64 * block :][:32] = memory[32 * block :][:32]
    assert np.array_equal(function(stores, memory).y, want)


def test_lanes_of_two_registers_in_turn() -> None:
    memory = some_memory(3)
    both = memory[:512].view("u2").reshape(2, 128)
    for dst in ([4, 5], [2, 3], [3, 2]):
        code = [load(2, 0), load(3, 256), ["Interleave", "uint16", 256, dst, [2, 3], None]]
        assert np.array_equal(
            np.concatenate(in_registers(code, memory, *dst)).view("u2"), both.T.ravel()
        )
        code.append(["DeInterleave", "uint16", 256, dst, dst, None])
        assert np.array_equal(np.concatenate(in_registers(code, memory, *dst)).view("u2"), both.ravel())


def test_casts_between_widths() -> None:
    memory = np.zeros(UB, np.uint8)
    memory[:256] = np.arange(128).astype("f2").view(np.uint8)
    halves = memory[:256].view("f2")
    for place, layout in enumerate(("ZERO", "ONE")):
        code = [load(2, 0), ["Cast", "float32", 200, [3], [2], ["float16", "UNKNOWN", layout]]]
        code += [["Cast", "float16", 200, [4], [3], ["float32", "CAST_RINT", layout]]]
        wide, narrow = in_registers(code, memory, 3, 4)
        assert np.array_equal(wide, zeroed(halves[place::2].astype("f4"), 200))
        want = np.zeros(128, "f2")
        want[place::2] = halves[place::2]
        assert np.array_equal(narrow, zeroed(want, 200))


def test_registers_that_nothing_wrote_are_found() -> None:
    code = [
        ["Add", "float32", 256, [3], [2, 2], None],
        ["Store", "float32", 256, [], [3], ["DIST_NORM", 0]],
    ]
    assert [f.kind for f in function(code, np.zeros(UB, np.uint8)).findings] == ["never written"]
    far = function([load(2, 1 << 18)], np.zeros(UB, np.uint8)).findings
    assert [(f.check, f.kind) for f in far] == [("memcheck", "bounds")]
    unknown = function([load(2, 0, "US_B8")], np.zeros(UB, np.uint8)).findings
    assert "does not model a load of registers by DIST_US_B8" in unknown[0].text


def test_a_recorded_kernel_that_scales_rows_and_columns() -> None:
    """CATLASS's GroupedMatmulSliceMPerTokenDequant of Ascend950; its groups end at rows 10 and 20."""
    rng = np.random.default_rng(0)
    a, b = (
        rng.integers(-3, 4, (20, 64)).astype(np.int8),
        rng.integers(-3, 4, (2, 64, 90)).astype(np.int8),
    )
    scale, tokens = (2.0 ** rng.integers(-3, 2, n).astype(np.float32) for n in ((2, 90), (20,)))
    memory = {"A": a, "B": b, "Scale": scale, "PerToken": tokens, "D": np.zeros((20, 90), np.float16)}
    run = replay(HERE / "a950_grouped_per_token.jsonl.gz", memory)
    sums = np.concatenate([a[part].astype(int) @ b[g] * scale[g] for g, part in enumerate(
        (slice(10), slice(10, 20)))])  # fmt: skip
    assert np.array_equal(run["D"], (sums * tokens[:, None]).astype(np.float16))
    assert {finding.kind for finding in run.findings} == {"event id"}
    assert run.differing(5) is None
