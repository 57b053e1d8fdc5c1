# SPDX-License-Identifier: Apache-2.0
"""The machine's copies are the copies of `tla.ascend.copies`: every byte goes where a move says."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tla.ascend import Element, element
from tla.ascend.copies import (
    Call,
    DataCopyParams,
    Dn2NzParams,
    LoadData2DParams,
    LoadData2DParamsV2,
    LoadData2dTransposeParams,
    LoadData3DParamsV2,
    Nd2NzParams,
    Setting,
)
from tla.ascend.copies.records import FixpipeParamsV220
from tla.ascend.kernels.instructions import Instruction, Operand
from tla.ascend.kernels.memories import Memories
from tla.ascend.kernels.programs import Program
from tla.ascend.kernels.traces import arch_of

if TYPE_CHECKING:
    from collections.abc import Callable

SIZE = 1 << 16


def _ran(
    op: str, form: str | None, params: dict[str, Any], kind: Element, dst: Any, setting: int = 0
) -> Any:
    """The bytes of a buffer after one instruction, and those that it read from."""
    name = {"half": "float16", "float": "float32", "int8_t": "int8", "int4b_t": "int4"}[kind.name]
    operands = {"dst": Operand(dst, "AIC0", 0, name), "src": Operand("GM", "source", 0, name)}
    fields = {"form": form, **params} if form else params
    program_ = [Instruction("AIC0", op, "MTE1", operands, fields)]
    if setting:
        mode = {"l1H": 1, "l1W": setting, "mode": "RIGHT" if params.get("fMatrixCtrl") else "LEFT"}
        program_.insert(0, Instruction("AIC0", "SetFmatrix", "MTE1", {}, mode))
    program = Program(program_, arch_of(program_))
    assert not program.notes, program.notes
    source = np.frombuffer(random.Random(1).randbytes(SIZE), np.uint8)
    memories = Memories(program, {"source": source})
    memories.run(program.operations[-1])
    return memories.bytes.get((dst, "AIC0"), np.zeros(0, np.uint8)), source


def _moved(call: Call, source: Any, target: Any) -> Any:
    """What the moves of a call make of a buffer that holds 0xFF."""
    bits = call.element.bits
    bits_in = np.unpackbits(source, bitorder="little").reshape(-1, bits)
    out = np.ones((target.size * 8 // bits, bits), np.uint8)
    for src, dst in call.moves():
        out[dst] = 0 if src is None else bits_in[src]
    return np.packbits(out.reshape(-1), bitorder="little")


def _nd2nz(rng: random.Random, kind: Element) -> tuple[str, Any]:
    rows, width = rng.randint(1, 20), rng.randint(1, 3 * kind.c0)
    pitch = rng.randint(rows, rows + 5)
    return "nd2nz", Nd2NzParams(
        rows, width, width + rng.randint(0, 9), pitch, 1, rng.randint(1, 2), rng.choice([0, 2000]),
        (width + kind.c0) // kind.c0 * pitch * kind.c0,
    )  # fmt: skip


def _dn2nz(rng: random.Random, kind: Element) -> tuple[str, Any]:
    rows, width = rng.randint(1, 20), rng.randint(1, 3 * kind.c0)
    return "dn2nz", Dn2NzParams(rows, width, rows + rng.randint(0, 3), rows + rng.randint(0, 5), 1)


def _block(rng: random.Random, kind: Element) -> tuple[str, Any]:
    return "block", DataCopyParams(
        rng.randint(1, 5), rng.randint(1, 6), rng.randint(0, 4), rng.randint(0, 4)
    )


def _fractals(rng: random.Random, kind: Element) -> tuple[str, Any]:
    turned = kind.bits == 16 and rng.random() < 0.5
    return "2d", LoadData2DParams(
        rng.randint(0, 4), rng.randint(1, 5), rng.randint(1, 4), rng.randint(0, 3), turned
    )


def _squares(rng: random.Random, kind: Element) -> tuple[str, Any]:
    gaps = {8: (1, 0), 32: (0, rng.randint(1, 5)), 16: (0, 0), 4: (3, 0)}[kind.bits]
    repeats = rng.randint(1, 1 + gaps[1] if kind.bits == 32 else 4)
    return "2dtranspose", LoadData2dTransposeParams(rng.randint(0, 2), repeats, rng.randint(1, 3), *gaps)


def _box(rng: random.Random, kind: Element) -> tuple[str, Any]:
    turned = rng.random() < 0.6
    deep, wide = (max(1, kind.c0 // 16), max(1, 16 // kind.c0)) if turned else (1, 1)
    m, k = rng.randint(1, 3) * deep, rng.randint(1, 3) * wide
    to = (k * deep // wide if turned else m) + rng.randint(0, 3)
    return "2dv2", LoadData2DParamsV2(
        rng.randint(0, 2), rng.randint(0, 2), m, k, m + rng.randint(2, 5), to, turned
    )


def _image(rng: random.Random, kind: Element) -> tuple[str, Any]:
    turned = rng.choice(["", "enTranspose", "fMatrixCtrl"])
    m, k = rng.randint(1, 3) * 16, rng.randint(1, 3) * 16
    return "3dv2", LoadData3DParamsV2(k, m, k, turned == "enTranspose", turned == "fMatrixCtrl")


CASES: list[tuple[str, Callable[..., tuple[str, Any]], str, str]] = [
    ("DataCopy", _nd2nz, "half float int8_t", "L1"),
    ("DataCopy", _dn2nz, "half float", "L1"),
    ("DataCopy", _block, "half float int8_t int4b_t", "L1"),
    ("LoadData", _fractals, "half float int8_t int4b_t", "L0A"),
    ("LoadDataWithTranspose", _squares, "half float int8_t int4b_t", "L0B"),
    ("LoadData", _box, "half float int8_t int4b_t", "L0B"),
    ("LoadData", _image, "half float", "L0A"),
]


@pytest.mark.parametrize(
    ("op", "make", "kinds", "dst"),
    CASES,
    ids=[str(getattr(case[1], "__name__", case[0])) for case in CASES],
)
def test_a_copy_moves_what_its_moves_say(op: str, make: Any, kinds: str, dst: str) -> None:
    rng = random.Random(7)
    for name in kinds.split():
        kind = element(name)
        for _ in range(6):
            form, params = make(rng, kind)
            width = params.mExtension + 16 if form == "3dv2" else 0
            target, source = _ran(op, form, params._asdict(), kind, dst, width)
            call = Call(op, 0, 0, params, kind)
            if width:
                call = call._replace(setting=Setting("SetFmatrix", (1, width, "", "")))
            assert np.array_equal(_moved(call, source, target), target), (name, params)


def test_a_fixpipe_moves_what_its_moves_say() -> None:
    rng = random.Random(3)
    for _ in range(40):
        rows = rng.random() < 0.5
        n = rng.randint(1, 40) if rows else rng.randint(1, 3) * 16
        m = rng.randint(1, 20)
        params = FixpipeParamsV220(
            n, m, m + rng.randint(0, 9), (n if rows else m) + rng.randint(0, 3), nz2nd=rows
        )
        fields = {**params._asdict(), "format": "ROW_MAJOR" if rows else "NZ"}
        operands = {
            "dst": Operand("GM", "C", 0, "float32"),
            "src": Operand("GM", "source", 0, "float32"),
        }
        lines = [Instruction("AIC0", "Fixpipe", "FIX", operands, fields)]
        program = Program(lines, arch_of(lines))
        source = np.arange(SIZE, dtype=np.float32)
        memories = Memories(program, {"source": source})
        memories.run(program.operations[0])
        made = memories.tensors()["C"].view(np.float32)
        wanted = np.zeros_like(made)
        # a block of 32 bytes of float has 8 lanes
        for src, dst in Call("Fixpipe", 0, 0, params, element("float")).moves():
            wanted[dst] = source[src]
        assert np.array_equal(made, wanted), params


def _word(scale: float, offset: int = 0, shift: int | None = None) -> int:
    """A quantisation word: the scale, an offset of 9 bits, and by how much sums are shifted first."""
    bits = int(np.float32(scale).view(np.uint32)) | (offset & 511) << 37
    return bits if shift is None else bits | 1 << 36 | shift << 32


@pytest.mark.parametrize("rows", [True, False])
@pytest.mark.parametrize("by_column", [False, True])
def test_a_fixpipe_quantises(by_column: bool, rows: bool) -> None:
    rng = np.random.default_rng(4)
    m, n = 20, 64
    sums = rng.integers(-2000, 2000, (m, n)).astype(np.int32)
    lying = np.zeros((n // 16, 32, 16), np.int32)  # columns of fractals, 32 rows each
    lying[:, :m] = sums.reshape(m, n // 16, 16).transpose(1, 0, 2)
    scales = 2.0 ** -rng.integers(2, 6, n) if by_column else np.full(n, 0.125)
    words = np.array([_word(float(scale), 3) for scale in scales], np.uint64)
    operands = {"dst": Operand("GM", "C", 0, "int8"), "src": Operand("GM", "sums", 0, "int32")}
    params: dict[str, Any] = {
        "format": "ROW_MAJOR" if rows else "NZ", "nSize": n, "mSize": m, "srcStride": 32, "reluEn": True,
        "dstStride": n if rows else m, "deqScalar": int(words[0]),
        "quantPre": "VREQ8" if by_column else "REQ8",
    }  # fmt: skip
    tensors: dict[str, Any] = {"sums": lying}
    if by_column:
        operands["quant"] = Operand("GM", "words", 0, "uint64")
        tensors["words"] = words
    lines = [Instruction("AIC0", "Fixpipe", "FIX", operands, params)]
    program = Program(lines, arch_of(lines))
    memories = Memories(program, tensors)
    memories.run(program.operations[0])
    scaled = np.clip(np.rint(np.maximum(sums, 0) * scales), -256, 255) + 3
    wanted = np.clip(scaled, -128, 127).astype(np.int8)
    made = memories.tensors()["C"].view(np.int8)
    if not rows:
        made = made.reshape(n // 32, m, 32).transpose(1, 0, 2)
    assert np.array_equal(made.reshape(m, n), wanted)
