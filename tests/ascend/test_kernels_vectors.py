# SPDX-License-Identifier: Apache-2.0
"""Vector instructions against a loop over lanes, and rounding against exact fractions."""

from __future__ import annotations

import random
from fractions import Fraction
from math import ceil, floor
from typing import Any

import numpy as np
import pytest

from tla.ascend.kernels.instructions import Instruction, Operand
from tla.ascend.kernels.memories import Memories
from tla.ascend.kernels.numbers import cast, code_of, decoded, encoded, size_of
from tla.ascend.kernels.programs import Program
from tla.ascend.kernels.traces import arch_of

SIZE = 1 << 14


def _ran(
    op: str, operands: dict[str, tuple[int, str]], params: dict[str, Any], mask: dict[str, Any] | None
) -> Any:
    """The bytes of UB before and after an instruction."""
    kinds = {name: Operand("UB", "AIV0", at, dtype) for name, (at, dtype) in operands.items()}
    lines = [Instruction("AIV0", op, "V", kinds, params)]
    if mask and "len" in mask:
        lines.insert(0, Instruction("AIV0", "SetVectorMask", "V", {}, mask))
        lines.insert(0, Instruction("AIV0", "SetMaskCount", "V", {}, {}))
    elif mask:
        lines.insert(0, Instruction("AIV0", "SetVectorMask", "V", {}, mask))
    program = Program(lines, arch_of(lines))
    assert not program.notes, program.notes
    memories = Memories(program)
    before = np.random.default_rng(5).integers(1, 9, SIZE // 2).astype(np.float16).view(np.uint8)
    array = memories.bytes["UB", "AIV0"] = before.copy()
    memories.run(program.operations[-1])
    return before, array


def _lane_bytes(lane: int, size: int, block: int, repeat: int, r: int) -> int:
    per = 32 // size
    return r * repeat * 32 + lane // per * block * 32 + lane % per * size


def _lanes(params: dict[str, Any], mask: dict[str, Any] | None, per: int) -> list[tuple[int, int]]:
    if "count" in params:
        return [divmod(n, per) for n in range(params["count"])]
    if mask and "len" in mask:
        return [divmod(n, per) for n in range(mask["len"])]
    bits = mask["maskLow"] | mask["maskHigh"] << 64 if mask else (1 << params["mask"]) - 1
    return [(r, lane) for r in range(params["repeat"]) for lane in range(per) if bits >> lane & 1]


@pytest.mark.parametrize("form", ["count", "mask", "bits", "counter"])
@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_lanes_repeats_and_strides(form: str, dtype: str) -> None:
    rng = random.Random(f"{form}{dtype}")
    size = size_of(dtype)
    per = 256 // size
    for _ in range(8):
        blocks = [rng.choice([1, 1, 2, 3]), rng.choice([0, 1, 2]), rng.choice([0, 1, 3])]
        repeats = [rng.choice([8, 24]), rng.choice([0, 8, 9]), rng.choice([0, 8, 1])]
        params: dict[str, Any] = {
            "repeat": rng.randint(1, 3),
            "isSetMask": form == "mask",
            "mask": rng.randint(1, per),
        }
        names = ("dst", "src0", "src1")
        params |= {f"{n}BlkStride": b for n, b in zip(names, blocks, strict=True)}
        params |= {f"{n}RepStride": b for n, b in zip(names, repeats, strict=True)}
        mask = None
        if form == "count":
            params = {"count": rng.randint(1, 300), "isSetMask": True}
            blocks, repeats = [1, 1, 1], [8, 8, 8]
        elif form == "bits":
            mask = {"mode": "NORMAL", "maskHigh": rng.getrandbits(64), "maskLow": rng.getrandbits(64)}
        elif form == "counter":
            mask = {"mode": "COUNTER", "len": rng.randint(1, 2 * per)}
        bases = (0, 6144, 10240)
        operands = {n: (b, dtype) for n, b in zip(("dst", "src", "src1"), bases, strict=True)}
        before, after = _ran("Add", operands, params, mask)
        wanted = before.copy()
        for r, lane in _lanes(params, mask, per):
            at = [
                b + _lane_bytes(lane, size, blk, rep, r)
                for b, blk, rep in zip(bases, blocks, repeats, strict=True)
            ]
            x, y = (before[a : a + size].view(code_of(dtype))[0] for a in at[1:])
            wanted[at[0] : at[0] + size] = np.array([x + y], code_of(dtype)).view(np.uint8)
        assert np.array_equal(after, wanted), (params, mask)


@pytest.mark.parametrize(
    "op", ["BlockReduceMax", "BlockReduceSum", "WholeReduceMax", "WholeReduceSum", "PairReduceSum"]
)
def test_reductions(op: str) -> None:
    rng = random.Random(op)
    per, size = 64, 4
    for _ in range(6):
        block, repeat, step = rng.choice([1, 2]), rng.choice([8, 16, 17]), rng.choice([1, 2])
        params = {
            "mask": 0,
            "repeat": 3,
            "isSetMask": False,
            "dstRepStride": step,
            "srcBlkStride": block,
            "srcRepStride": repeat,
            "order": "ORDER_ONLY_VALUE",
        }
        mask: dict[str, Any] = {
            "mode": "NORMAL",
            "maskHigh": 0,
            "maskLow": rng.choice([(1 << 64) - 1, rng.getrandbits(64) | 1, 255]),
        }
        before, after = _ran(op, {"dst": (8192, "float32"), "src": (0, "float32")}, params, mask)
        group = {"B": 8, "W": per, "P": 2}[op[0]]
        unit = {"B": 8, "W": 1, "P": 32}[op[0]] * step
        wanted = before.copy()
        for r in range(3):
            for g in range(per // group):
                lanes = [
                    lane for lane in range(g * group, (g + 1) * group) if mask["maskLow"] >> lane & 1
                ]
                places = [_lane_bytes(lane, size, block, repeat, r) for lane in lanes]
                values = [float(before[at : at + 4].view(np.float32)[0]) for at in places]
                if values:
                    made = max(values) if "Max" in op else sum(values)
                    at = 8192 + (r * unit + g) * 4
                    wanted[at : at + 4] = np.array([made], np.float32).view(np.uint8)
        assert np.allclose(after.view(np.float32), wanted.view(np.float32), equal_nan=True), (
            params,
            mask,
        )


def test_brcb_and_compare_and_select() -> None:
    params = {"repeat": 2, "dstBlkStride": 1, "dstRepStride": 8}
    before, after = _ran("Brcb", {"dst": (4096, "float32"), "src": (0, "float32")}, params, None)
    source = before[:64].view(np.float32)
    assert np.array_equal(after[4096 : 4096 + 512].view(np.float32), np.repeat(source, 8))
    x = before[:512].view(np.float16)
    operands = {"dst": (4096, "uint8"), "src": (0, "float16")}
    _, after = _ran("CompareScalar", operands, {"scalar": 4, "cmp": "GT", "count": 256}, None)
    assert np.array_equal(np.unpackbits(after[4096 : 4096 + 32], bitorder="little"), x > 4)


def test_to_5hd_transposes_16_by_16() -> None:
    rows = [n * 64 for n in range(16)]
    columns = [8192 + n * 32 for n in range(16)]
    params = {
        "srcList": rows,
        "dstList": columns,
        "dtype": "float16",
        "repeatTimes": 1,
        "dstRepStride": 0,
        "srcRepStride": 0,
        "dstHighHalf": False,
        "srcHighHalf": False,
    }
    operands = {"dst": (0, "float16"), "src": (0, "float16")}
    before, after = _ran("TransDataTo5HD", operands, params, None)
    source = np.stack([before[at : at + 32].view(np.float16) for at in rows])
    assert np.array_equal(after[8192 : 8192 + 512].view(np.float16).reshape(16, 16), source.T)


def _rounded(x: Fraction, mode: str) -> int:
    down = floor(x)
    if mode in ("CAST_RINT", "CAST_NONE"):
        return round(x)
    if mode == "CAST_ROUND":
        return floor(x + Fraction(1, 2)) if x >= 0 else ceil(x - Fraction(1, 2))
    if mode == "CAST_ODD":
        return int(x) if x == int(x) or int(x) % 2 else int(x) + (1 if x > 0 else -1)
    return {"CAST_FLOOR": down, "CAST_CEIL": ceil(x), "CAST_TRUNC": int(x)}[mode]


MODES = ["CAST_NONE", "CAST_RINT", "CAST_FLOOR", "CAST_CEIL", "CAST_ROUND", "CAST_TRUNC", "CAST_ODD"]


@pytest.mark.parametrize("mode", MODES)
def test_casts_round_as_the_mode_says(mode: str) -> None:
    numbers = [0.5, -0.5, 1.5, 2.5, -2.5, 0.3, -0.7, 126.5, 127.5, -128.5, 300, -300, 0, 7]
    values = np.array(numbers, np.float32)
    wanted = [min(max(_rounded(Fraction(float(x)), mode), -128), 127) for x in values]
    assert cast(values, "int8", mode).tolist() == wanted
    for dtype, fraction, least in (("float16", 10, -14), ("bfloat16", 7, -126)):
        numbers = [1 + 2**-11, 1 + 3 * 2**-11, -1 - 2**-12, 3.14159, -2.71828, 1e-5, 1234.567, 2.0**-20]
        x = np.array(numbers, np.float32)
        made = decoded(encoded(cast(x, dtype, mode), dtype), dtype)
        for value, found in zip(x, made, strict=True):
            exact = Fraction(float(value))
            unit = Fraction(2) ** (max(floor(np.log2(abs(float(value)))), least) - fraction)
            assert Fraction(float(found)) == _rounded(exact / unit, mode) * unit, (dtype, value, found)


def test_types_of_8_bits_and_4() -> None:
    e4m3 = decoded(np.array([0x38, 0x40, 0xC4, 0x01, 0x7E], np.uint8), "float8_e4m3")
    assert e4m3.tolist() == [1, 2, -3, 2**-9, 448]
    assert encoded(e4m3, "float8_e4m3").tolist() == [0x38, 0x40, 0xC4, 0x01, 0x7E]
    assert decoded(np.array([0x3C, 0xC2], np.uint8), "float8_e5m2").tolist() == [1, -3]
    assert decoded(np.array([0xF1, 0x87], np.uint8), "int4").tolist() == [1, -1, 7, -8]
    assert encoded(np.array([1, -1, 7, -8], np.int8), "int4").tolist() == [0xF1, 0x87]
