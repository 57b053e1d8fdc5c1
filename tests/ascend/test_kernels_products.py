# SPDX-License-Identifier: Apache-2.0
"""Products of MX types and of sparse matrices, images with filters, scales: each against its formula."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from tla.ascend.kernels import Instruction, Operand, Run, run_program
from tla.ascend.kernels.numbers import decoded

Rows = list[Instruction]
ALL = Instruction("AIC0", "PipeBarrier", "ALL", {}, {})


def gm(name: str, dtype: str) -> Operand:
    return Operand("GM", name, 0, dtype)


def at(space: Any, dtype: str, address: int = 0) -> Operand:
    return Operand(space, "AIC0", address, dtype)


def row(op: str, pipe: str, operands: dict[str, Operand], **params: Any) -> Instruction:
    return Instruction("AIC0", op, pipe, operands, params)


def straight(rows: Rows) -> Rows:
    """The instructions with a barrier behind each."""
    both = [part for one in rows for part in (one, ALL)]
    return [one._replace(line=number) for number, one in enumerate(both, 1)]


def to_l1(name: str, dtype: str, address: int, count: int) -> Instruction:
    operands = {"dst": at("L1", dtype, address), "src": gm(name, dtype)}
    return row("DataCopy", "MTE2", operands, form="count", count=count)


def multiplied(op: str, dtype: str, m: int, n: int, k: int, **more: Any) -> Rows:
    out = "int32" if dtype == "int8" else "float32"
    operands = {"dst": at("L0C", out), "src": at("L0A", dtype), "src1": at("L0B", dtype)}
    fixpipe = {"mSize": m, "nSize": n, "srcStride": -(-m // 16) * 16, "dstStride": n}
    how = {"quantPre": "NoQuant", "format": "ROW_MAJOR", **more}
    return [
        row(op, "M", operands, m=m, n=n, k=k, cmatrixInitVal=True, disableGemv=True),
        row(
            "Fixpipe",
            "FIX",
            {"dst": gm("C", more.get("to", out)), "src": at("L0C", out)},
            **fixpipe,
            **how,
        ),
    ]


def fractals(x: Any, lanes: int) -> Any:
    """Rows as columns of fractals: 16 rows of `lanes` each, zN."""
    rows, width = x.shape
    padded = np.zeros((-(-rows // 16) * 16, -(-width // lanes) * lanes), x.dtype)
    padded[:rows, :width] = x
    return np.ascontiguousarray(padded.reshape(len(padded), -1, lanes).transpose(1, 0, 2))


def by_rows_of_squares(x: Any, across: int) -> Any:
    """Squares of 16 rows by `across`, those of 16 rows one behind the other."""
    rows, width = (-(-n // unit) * unit for n, unit in zip(x.shape, (16, across), strict=True))
    padded = np.zeros((rows, width), x.dtype)
    padded[: x.shape[0], : x.shape[1]] = x
    return np.ascontiguousarray(padded.reshape(rows // 16, 16, -1, across).transpose(0, 2, 1, 3))


@pytest.mark.parametrize("dtype", ["float8_e4m3", "float8_e5m2", "float4_e2m1"])
@pytest.mark.parametrize("extents", [(32, 48, 128), (20, 35, 96), (16, 16, 64)])
def test_a_product_of_scaled_elements(dtype: str, extents: tuple[int, int, int]) -> None:
    (m, n, k), rng = extents, np.random.default_rng(1)
    half = dtype == "float4_e2m1"
    codes = (
        rng.integers(0, 16, (m + n, k)) if half else rng.choice([0, 48, 56, 64, 184, 192], (m + n, k))
    )
    patterns = (codes[:, ::2] | codes[:, 1::2] << 4 if half else codes).astype(np.uint8)
    values = decoded(patterns, dtype).astype(np.float64)
    scales = rng.integers(124, 131, (m + n, -(-k // 64) * 2)).astype(np.uint8)
    scaled = values * (2.0 ** (scales.astype(int) - 127)).repeat(32, axis=1)[:, :k]
    memory: dict[str, Any] = {"C": np.zeros((m, n), np.float32)}
    wide, depth = "" if half else "mx_", -(-patterns.shape[1] // 32)
    rows: Rows = []
    for name, part, address in (("A", slice(m), 0), ("B", slice(m, m + n), 65536)):
        space = "L0" + name
        data, small = fractals(patterns[part], 32), by_rows_of_squares(scales[part], 2)
        memory |= {name: data.reshape(-1), f"S{name}": small.reshape(-1)}
        count = data.shape[1] // 16
        loaded = {"mStartPosition": 0, "kStartPosition": 0, "mStep": count, "kStep": depth}
        mx = {"xStartPosition": 0, "yStartPosition": 0, "xStep": count, "yStep": small.shape[1]}
        mx |= {"srcStride": small.shape[1], "dstStride": small.shape[1]}
        operands = {
            "dst": at(space, wide + dtype),
            "src": at("L1", dtype, address),
            "src1": at("L1", "float8_e8m0", address + 32768),
        }
        rows += [
            to_l1(name, "uint8", address, data.size),
            to_l1(f"S{name}", "uint8", address + 32768, small.size),
        ]
        how = {"srcStride": count, "dstStride": count, "ifTranspose": False, "mx": mx}
        rows.append(row("LoadData", "MTE1", operands, form="2dv2mx", **loaded, **how))
    rows = straight([*rows, *multiplied("Mmad", wide + dtype, m, n, k)])
    run = run_program(rows, memory, arch="Ascend950")
    assert np.array_equal(run["C"], scaled[:m] @ scaled[m:].T)
    assert not run.findings
    late = [one for one in rows if "SA" not in str(one.operands)]
    found = run_program(late, memory, arch="Ascend950", checks="init").findings
    assert [finding.kind for finding in found] == ["never written"]


def test_a_product_of_a_sparse_matrix() -> None:
    rng, (m, n, k) = np.random.default_rng(2), (48, 32, 128)
    a, whole = rng.integers(-9, 9, (m, k)).astype(np.int8), np.zeros((n, k), np.int8)
    stored, indices = np.zeros((n, k // 2), np.int8), np.zeros((n, k // 2), np.uint8)
    for line in range(n):
        for group in range(k // 4):
            first, second = sorted(rng.choice(4, 2, replace=False))
            stored[line, 2 * group : 2 * group + 2] = rng.integers(-9, 9, 2)
            whole[line, 4 * group + np.array([first, second])] = stored[line, 2 * group : 2 * group + 2]
            indices[line, 2 * group : 2 * group + 2] = first, second - 1
    words = np.bitwise_or.reduce([indices[:, part::4] << 2 * part for part in range(4)])
    memory = {
        "A": fractals(a, 32).reshape(-1),
        "B": fractals(stored, 32).reshape(-1),
        "I": fractals(words, 8).reshape(-1),
        "C": np.zeros((m, n), np.int32),
    }
    ab = {"startIndex": 0, "srcStride": 1, "dstGap": 0, "ifTranspose": False}
    sparse = {
        "dst": at("L0B", "int8"),
        "src": at("L1", "int8", 65536),
        "src1": at("L1", "uint8", 131072),
    }
    extents = k | m << 16
    pro = {"form": "3dv2pro", "extConfig": extents, "filterConfig": 0x010101010101}
    rows = straight(
        [
            *[
                to_l1(name, "uint8", place, memory[name].size)
                for name, place in (("A", 0), ("B", 65536), ("I", 131072))
            ],
            row("Load3DSetFMatrixCal", "MTE1", {}, l1H=1, l1W=m, padList=[0, 0, 0, 0]),
            row("LoadData", "MTE1", {"dst": at("L0A", "int8"), "src": at("L1", "int8")}, **pro),
            row("LoadDataWithSparse", "MTE1", sparse, repeatTimes=n // 16 * (k // 64), **ab),
            *multiplied("MmadWithSparse", "int8", m, n, k),
        ]
    )
    run = run_program(rows, memory, arch="AtlasA2")
    assert np.array_equal(run["C"], a.astype(int) @ whole.T.astype(int))
    assert not run.findings
    without = [one for one in rows if one.operands.get("src") != gm("I", "uint8")]
    assert "never written" in {f.kind for f in run_program(without, memory, arch="AtlasA2").findings}


@pytest.mark.parametrize("seed", range(8))
def test_an_image_as_a_filter_reads_it(seed: int) -> None:
    """Each row of the result is what the filter covers: blocks of channels, then the filter's places."""
    rng = random.Random(seed)
    high, wide, blocks = rng.randint(3, 7), rng.randint(3, 9), rng.randint(1, 3)
    taps, strides = (rng.randint(1, 3), rng.randint(1, 3)), (rng.randint(1, 2), rng.randint(1, 2))
    dilations, pads = (rng.randint(1, 2), rng.randint(1, 2)), [rng.randint(2, 3) for _ in range(4)]
    image = np.random.default_rng(seed).integers(1, 99, (blocks, high, wide, 16)).astype(np.float16)
    left, right, top, bottom = pads
    padded = np.pad(image, ((0, 0), (top, bottom), (left, right), (0, 0)))
    reach = [(tap - 1) * gap + 1 for tap, gap in zip(taps, dilations, strict=True)]
    lines = range(0, padded.shape[1] - reach[0] + 1, strides[0])
    places = range(0, padded.shape[2] - reach[1] + 1, strides[1])
    want = np.array(
        [
            [
                padded[c, y + i * dilations[0], x + j * dilations[1]]
                for c in range(blocks)
                for i in range(taps[0])
                for j in range(taps[1])
            ]
            for y in lines
            for x in places
        ]
    )
    m, k = want.shape[0], want.shape[1] * 16
    fields = {
        "l1H": high,
        "l1W": wide,
        "kExtension": k,
        "mExtension": m,
        "kStartPt": 0,
        "mStartPt": 0,
        "strideW": strides[1],
        "strideH": strides[0],
        "filterW": taps[1],
        "filterH": taps[0],
        "dilationFilterW": dilations[1],
        "dilationFilterH": dilations[0],
        "padList": pads,
    }
    up, across = -(-m // 16), k // 16
    for arch, op in (("AtlasA2", "LoadData"), ("Ascend950", "LoadDataWithStride")):
        operands = {"dst": at("L0A", "float16"), "src": at("L1", "float16")}
        rows = [
            to_l1("X", "float16", 0, image.size),
            row("SetLoadDataRepeatWithStride", "MTE1", {}, dstStride=up),
            row(op, "MTE1", operands, form="3dv2", **fields),
        ]
        run = run_program(straight(rows), {"X": image.reshape(-1)}, arch=arch)
        assert not run.findings
        held = _bytes(run, ("L0A", "AIC0"))[: up * across * 512].view(np.float16)
        order = (0, 2, 1, 3) if arch == "AtlasA2" else (1, 2, 0, 3)
        counts = (up, across, 16, 16) if arch == "AtlasA2" else (across, up, 16, 16)
        found = held.reshape(counts).transpose(order).reshape(up * 16, across, 16)
        assert np.array_equal(found[:m], want)


def _bytes(run: Run, memory: tuple[str, str]) -> Any:
    return run._memories.bytes[memory]


def test_the_fixpipe_takes_the_scales_that_a_call_before_it_names() -> None:
    scales = (2.0 ** np.arange(-9, 7)).astype(np.float32)
    words = scales.view(np.uint32).astype(np.uint64)
    ones = np.ones((16, 32), np.int8)
    memory: dict[str, Any] = {"A": ones, "B": ones, "S": words, "C": np.zeros((16, 16), np.float16)}
    to_fb = {"dst": at("FB", "uint64"), "src": at("L1", "uint64", 2048)}
    load = {
        "form": "2d",
        "startIndex": 0,
        "repeatTimes": 1,
        "srcStride": 1,
        "dstGap": 0,
        "ifTranspose": False,
    }
    rows = [
        *[
            to_l1(name, kind, place, memory[name].size)
            for name, kind, place in (("A", "int8", 0), ("B", "int8", 1024), ("S", "uint64", 2048))
        ],
        row("LoadData", "MTE1", {"dst": at("L0A", "int8"), "src": at("L1", "int8")}, **load),
        row("LoadData", "MTE1", {"dst": at("L0B", "int8"), "src": at("L1", "int8", 1024)}, **load),
        row(
            "DataCopy",
            "FIX",
            to_fb,
            form="block",
            blockCount=1,
            blockLen=1,
            srcStride=0,
            dstStride=0,
            unit="128B",
        ),
        row("SetFixPipeConfig", "FIX", {"src": at("FB", "uint64")}),
        *multiplied("Mmad", "int8", 16, 16, 32, quantPre="VDEQF16", to="float16"),
    ]
    run = run_program(straight(rows), memory, arch="AtlasA2")
    assert np.array_equal(run["C"], np.broadcast_to(32 * scales, (16, 16)))
    assert not run.findings
    unnamed = [one for one in straight(rows) if one.op != "SetFixPipeConfig"]
    assert "has no scales" in str(run_program(unnamed, memory, arch="AtlasA2").findings[0])


def test_flags_of_pipes_that_a_core_has_not_do_nothing() -> None:
    rows = [
        Instruction("AIC0", "WaitFlag", "MTE2", {}, {"event": "V_MTE2", "id": 0}, line=1),
        Instruction("AIV0", "SetFlag", "M", {}, {"event": "M_MTE1", "id": 0}, line=2),
        Instruction("AIC0", "CrossCoreSetFlag", "V", {}, {"mode": 4, "flag": 3}, line=3),
    ]
    assert not run_program(rows, arch="Ascend950").findings
    kinds = [(f.kind, f.at[0].line) for f in run_program(rows, arch="Ascend950", strict=True).findings]
    assert kinds == [("event", 1), ("event", 2), ("event", 3)]


@pytest.mark.parametrize(("arch", "bits"), [("AtlasA2", 11), ("Ascend950", 10)])
def test_floats_are_rounded_to_hf32_before_they_are_multiplied(arch: str, bits: int) -> None:
    unit = 2.0**-bits
    a = np.zeros((16, 16), np.float32)
    a[:4, 0] = 1 + unit / 2, 1 + 3 * unit / 2, 1 + 0.4 * unit, 1 + 0.6 * unit
    memory = {
        "A": fractals(a, 8).reshape(-1),
        "B": fractals(np.eye(16, dtype=np.float32), 8).reshape(-1),
    }
    load = {"startIndex": 0, "repeatTimes": 2, "srcStride": 1, "dstGap": 0, "ifTranspose": False}
    for to_zero, want in ((False, (0, 2, 0, 1)), (True, (0, 1, 0, 1)), (None, (0.5, 1.5, 0.4, 0.6))):
        rows = [
            row("SetHF32Mode", "S", {}, value=to_zero is not None),
            row("SetHF32TransMode", "S", {}, value=bool(to_zero)),
            *[to_l1(name, "float32", place, 256) for name, place in (("A", 0), ("B", 1024))],
        ]
        for space, place in (("L0A", 0), ("L0B", 1024)):
            operands = {"dst": at(space, "float32"), "src": at("L1", "float32", place)}
            rows.append(row("LoadData", "MTE1", operands, form="2d", **load))
        rows = straight([*rows, *multiplied("Mmad", "float32", 16, 16, 16)])
        c = run_program(rows, memory, arch=arch).c.view(np.float32).reshape(16, 16)
        assert ((c[:4, 0] - 1) / unit).tolist() == pytest.approx(want, abs=1e-3)


def test_registers_that_nothing_has_set_are_reported_in_the_strict_mode() -> None:
    ub = {name: Operand("UB", "AIV0", place, "float32") for name, place in (("dst", 0), ("src", 256))}
    fields = {"mask": 0, "repeat": 1, "isSetMask": False, "scalar": 1}
    rows = [
        Instruction("AIV0", "Duplicate", "V", {"dst": ub["src"]}, {"count": 64, "scalar": 2}, "", "", 1),
        Instruction("AIV0", "PipeBarrier", "ALL", {}, {}, "", "", 2),
        Instruction("AIV0", "Adds", "V", ub, fields, "", "", 3),
        Instruction("AIV0", "PipeBarrier", "ALL", {}, {}, "", "", 4),
        Instruction(
            "AIV0",
            "DataCopy",
            "MTE3",
            {"dst": gm("Y", "float32"), "src": ub["dst"]},
            {"form": "count", "count": 64},
            "",
            "",
            5,
        ),
    ]
    assert not run_program(rows).findings
    found = run_program(rows, strict=True, checks="init").findings
    assert [(f.kind, f.at[0].line) for f in found] == [("register", 3), ("register", 5)]
    reset = Instruction("AIV0", "ResetMask", "V", {}, {})
    none = Instruction("AIV0", "SetAtomicNone", "S", {}, {})
    assert not run_program([reset, none, *rows], strict=True, checks="init").findings


def test_what_an_unknown_instruction_writes_is_not_judged() -> None:
    fields = {"name": "Mine", "arguments": {"dst": {"space": "UB", "addr": 0, "dtype": "float32"}}}
    ub = {"dst": gm("Y", "float32"), "src": Operand("UB", "AIV0", 0, "float32")}
    copy = Instruction("AIV0", "DataCopy", "MTE3", ub, {"form": "count", "count": 64}, "", "", 3)
    rows = [
        Instruction("AIV0", "VectorFunction", "V", {}, fields, "", "", 1),
        Instruction("AIV0", "PipeBarrier", "ALL", {}, {}, "", "", 2),
        copy,
    ]
    assert [str(f.text) for f in run_program(rows).findings] == [
        "the machine does not know VectorFunction Mine; what it writes is not checked"
    ]
    assert [f.kind for f in run_program([copy]).findings] == ["never written"]
    assert run_program(rows).arch.name == "Ascend950"
