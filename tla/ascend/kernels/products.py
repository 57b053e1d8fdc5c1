# SPDX-License-Identifier: Apache-2.0
"""The cube core's own instructions: Mmad and Fixpipe.

Mmad reads L0A and L0B in the order of the chip, whatever a layout says: zZ or zN, and nZ; it sums in
columns of fractals of 16 by 16. Fixpipe takes the sums out, as rows or as columns of blocks, converts
them and applies relu and quantisation.

Source: AscendC, Mmad, Fixpipe and its quantisation; CATLASS gemm/tile/tile_mmad.hpp.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ...errors import UnsupportedError
from ...numbers import ceil_div
from .boxes import Box
from .lazy_numpy import np
from .moving import BLOCK, FRACTAL
from .numbers import bits_of, chosen, decoded, float_values, rounded_to, size_of
from .works import NOTHING, Ref, Step, Work, line_box

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .instructions import Operand

    Params = Mapping[str, Any]
    Operands = Mapping[str, Operand]

SUM: Final = 4
"""The bytes of an accumulator."""
TILE: Final = 16 * 16 * SUM
"""The bytes of a fractal of accumulators."""
_SLAB: Final = 1 << 18
LEAST_ORDERED: Final = 10
"""The fractals of a product from which on the pipe itself orders two that sum into the same place.

Source: AscendC, Mmad; CATLASS gemm/tile/tile_mmad.hpp, which has a barrier below it.
"""


def mmad_work(p: Params, operands: Operands, l0a_tag: str, hf32: tuple[int, bool] | None = None) -> Work:
    """Return what a product does: m x n sums over k.

    Elements of MX types are multiplied by the scales beside them, one for 32 of K. Of a sparse B, which
    has 2 of 4 elements along K, the indices beside it say which.

    Raises:
        UnsupportedError: the machine does not model scales of a product with a vector.
    """
    m, n, k = p["m"], p["n"], p["k"]
    if not (m and n and k):
        return NOTHING
    a, b, c = operands["src"], operands["src1"], operands["dst"]
    bits = bits_of(a.dtype)
    size, lanes = size_of(a.dtype), BLOCK // size_of(a.dtype)
    c0 = BLOCK * 8 // bits
    ms, ns, ks = ceil_div(m, 16), ceil_div(n, 16), ceil_div(k, c0)
    if bits == 32 and p.get("kDirectionAlign"):
        ks = ceil_div(k, 16) * 2
    deep = ceil_div(k // 2, c0) if "index" in operands else ks
    gemv = m == 1 and not p.get("disableGemv")
    if gemv:
        if "scale" in operands:
            raise UnsupportedError("the machine does not model scales of a product with a vector")
        left = Box(0, ((1, 0), (ks * lanes, size)), size)
    elif l0a_tag == "zN":
        left = Box(0, ((ms * 16, BLOCK), (ks, ms * FRACTAL), (lanes, size)), size)
    else:
        left = Box(0, ((ms, ks * FRACTAL), (16, BLOCK), (ks, FRACTAL), (lanes, size)), size)
    right = Box(0, ((deep, ns * FRACTAL), (ns * 16, BLOCK), (lanes, size)), size)
    rows = 1 if gemv else ms * 16
    sums = Box(0, ((rows, 16 * SUM), (ns, ms * TILE), (16, SUM)), SUM)
    ins = [Ref("src", left, a.dtype), Ref("src1", right, b.dtype)]
    adds = "bias" if "bias" in operands else "" if p.get("cmatrixInitVal", True) else "dst"
    if adds == "bias":
        ins.append(Ref("bias", line_box(0, n, size_of(operands["bias"].dtype)), operands["bias"].dtype))
    elif adds:
        ins.append(Ref("dst", sums, c.dtype))
    for name, count in (("scale", ms), ("scale1", ns)):
        if name in operands:  # squares of 16 rows by 2 scales
            fractals = ceil_div(k, 64)
            box = Box(0, ((count, fractals * BLOCK), (fractals, BLOCK), (16, 2), (2, 1)), 1)
            ins.append(Ref(name, box, operands[name].dtype))
    if "index" in operands:
        box = Box(0, ((deep, ns * FRACTAL // 4), (ns * 16, BLOCK // 4), (BLOCK // 4, 1)), 1)
        ins.append(Ref("index", box, operands["index"].dtype))
    names = [ref.operand for ref in ins[2:]]
    whole = c.dtype == "int32"
    # products of 8 bits are exact in float up to 2**24
    wide = whole and k * 2 ** (2 * bits - 2) > 1 << 24

    # rows at a time: so many that the library of numpy does not start threads, which wait for each other
    slab = (
        1
        if gemv
        else next(size for size in (16, 8, 4, 2, 1) if size * ns * 16 * k <= _SLAB or size == 1)
    )

    def compute(x: Any, y: Any, *more: Any) -> Any:
        given = dict(zip(names, more, strict=True))
        kind = np.float64 if wide else np.float32
        if hf32 is not None:
            x, y = rounded_to(x, *hf32), rounded_to(y, *hf32)
        left = x.reshape(rows // slab, slab, -1)[..., :k].astype(kind, copy=False)
        right = y.astype(kind, copy=False).transpose(0, 2, 1).reshape(-1, ns * 16)
        if "index" in given:
            right = _spread_out(right, given["index"])
        right = right[:k]
        if "scale" in given:
            left = left * along_k(given["scale"], 32)[:, :k].reshape(left.shape)
        if "scale1" in given:
            right = right * along_k(given["scale1"], 32).T[:k]
        made: Any = (left @ right).reshape(rows, ns * 16)
        if whole:
            made = made.astype(np.int32)
        if adds == "bias":
            made[:, :n] += decoded(given["bias"], operands["bias"].dtype)
        made = made.reshape(rows, ns, 16)
        return made + given["dst"] if adds == "dst" else made

    out = Ref("dst", sums, c.dtype)
    step = Step(out, tuple(ins), compute, "product", (rows, n, k))
    return Work([step], p.get("unitFlag", 0), (m // 16 * (n // 16) >= LEAST_ORDERED,))


def along_k(scales: Any, times: int) -> Any:
    """Return squares of scales as rows, each scale as often as it has elements along K."""
    rows = scales.transpose(0, 2, 1, 3).reshape(scales.shape[0] * 16, -1)
    return rows.repeat(times, axis=1)


def _spread_out(stored: Any, indices: Any) -> Any:
    """Return a sparse matrix with its zeros: of 4 along K, one is in the first 3, one in the last 3."""
    places = np.minimum(indices[..., None] >> np.arange(0, 8, 2, dtype=np.uint8) & 3, 2)
    places = places.reshape(*indices.shape[:2], -1).transpose(0, 2, 1).reshape(stored.shape)
    made = np.zeros((2 * stored.shape[0], stored.shape[1]), stored.dtype)
    arange: Any = np.arange
    columns, groups = arange(stored.shape[1]), 4 * arange(stored.shape[0] // 2)[:, None]
    for turn in (0, 1):
        made[groups + turn + places[turn::2], columns] += stored[turn::2]
    return made


class _Quant(NamedTuple):
    """How a Fixpipe converts: by one scale, by a scale of each column, or not at all."""

    dtype: str
    scale: bool = False
    by_column: bool = False


_MODES: Final = {
    "NoQuant": _Quant(""), "F322F16": _Quant("float16"), "F322BF16": _Quant("bfloat16"),
    **{
        f"{'V' if by_column else ''}{name}": _Quant(dtype, True, by_column)
        for by_column in (False, True)
        for name, dtype in {
            "DEQF16": "float16", "QF322B8_PRE": "int8", "REQ8": "int8", "QF322FP8_PRE": "float8_e4m3",
            "QF322F16_PRE": "float16", "QF322BF16_PRE": "bfloat16", "QF322F32_PRE": "float32",
            "QS322BF16_PRE": "bfloat16", "DEQS16": "int16",
        }.items()
    },
}  # fmt: skip


def _scaled(sums: Any, given: Any, dtype: str) -> Any:
    """Multiply sums by the scales of quantisation words, then round them to their type.

    A word has a float of 19 bits in bits 13 to 31, an offset of 9 bits in 37 to 45, and in bit 46
    whether the result has a sign. With bit 36 the sums are shifted first, by bits 32 to 35.
    """
    words: Any = np.asarray(given, np.uint64)
    x = sums
    scale = (words & np.uint64(0xFFFFE000)).astype(np.uint32).view(np.float32)
    shifts = words >> np.uint64(36) & np.uint64(1)
    if shifts.any():
        by: Any = chosen(shifts, words >> np.uint64(32) & np.uint64(15), 0).astype(np.int32)
        x = chosen(shifts != 0, np.clip(x.astype(np.int32) >> by, -32768, 32767), x)
    made: Any = float_values(x) * scale
    if dtype not in ("int8", "uint8"):
        return np.clip(np.rint(made), -32768, 32767).astype(np.int16) if dtype == "int16" else made
    offset: Any = (words >> np.uint64(37) & np.uint64(511)).astype(np.int32)
    offset = chosen(offset > 255, offset - 512, offset)
    shifted: Any = np.clip(np.rint(made), -256, 255).astype(np.int32) + offset
    low, high = (-128, 127) if dtype == "int8" else (0, 255)
    return np.clip(shifted, low, high).astype(dtype)


def fixpipe_work(p: Params, operands: Operands, state: Params) -> Work:
    """Return what a Fixpipe does, or the DataCopy from L0C that is its twin on Ascend950.

    Raises:
        UnsupportedError: the machine does not model the quantisation or the format.
    """
    m, n = p["mSize"], p["nSize"]
    if not (m and n):
        return NOTHING
    mode = _MODES.get(str(p["quantPre"]))
    if mode is None:
        raise UnsupportedError(f"the machine does not model Fixpipe with {p['quantPre']}")
    if mode.by_column and "quant" not in operands:
        raise UnsupportedError(f"Fixpipe with {p['quantPre']} has no scales: nothing names them before")
    form = p.get("format") or ("ROW_MAJOR" if p.get("nz2ndEn") else "NZ")
    relu = bool(p.get("reluEn") or p.get("reluPre"))
    dst = operands["dst"]
    matrices = (p.get("ndNum", 1), p.get("srcNdStride", 0), p.get("dstNdStride", 0))
    if p.get("form") == "co12dst":
        matrices = state.get("matrices", (1, 0, 0))
    if form == "COLUMN_MAJOR":
        matrices = (p.get("dnNum", 1), p.get("srcNzMatrixStride", 0), p.get("dstDnMatrixStride", 0))
    count, src_step, dst_step = matrices if form != "NZ" else (1, 0, 0)
    size = size_of(dst.dtype)
    steps: list[Step] = []
    for matrix in range(min(max(count, 1), 65535)):
        start, to = matrix * src_step * TILE, matrix * dst_step * size
        for target, row, rows, column, columns in _halves(p, m, n):
            at = start + row * 16 * SUM + column // 16 * p["srcStride"] * 16 * SUM
            steps += _part(p, operands, mode, form, (at, to), (rows, columns), target, relu, column)
    return Work(steps, p.get("unitFlag", 0))


def _halves(p: Params, m: int, n: int) -> list[tuple[str, int, int, int, int]]:
    """The parts that go to the vector cores of the group: one of them, or half to each."""
    dual = p.get("dualDstCtl", 0)
    if not dual:
        return [("dst", 0, m, 0, n)]
    if dual == 1:
        half = ceil_div(m, 2)
        return [("dst", 0, half, 0, n), ("dst1", half, m - half, 0, n)]
    half = n // 2
    return [("dst", 0, m, 0, half), ("dst1", 0, m, half, n - half)]


def _part(
    p: Params, operands: Operands, mode: _Quant, form: str, starts: tuple[int, int],
    extents: tuple[int, int], target: str, relu: bool, first: int,
) -> list[Step]:  # fmt: skip
    """The steps of one matrix: whole fractals of columns, then the rest."""
    (at, to), (m, n) = starts, extents
    dst, src = operands["dst"], operands["src"]
    size = size_of(dst.dtype)
    pitch = p["srcStride"] * 16 * SUM
    step = p["dstStride"]
    lanes = BLOCK // size
    if form == "NZ":
        if p.get("isChannelSplit") or p.get("channelSplit"):
            lanes = 8
        n = ceil_div(n, lanes) * lanes
        if "dualDstCtl" in p:  # on 3510 a Fixpipe counts elements
            step //= lanes
    steps: list[Step] = []
    full, tail = divmod(n, 16)
    for column, blocks, width in ((0, full, 16), (full * 16, int(tail > 0), tail)):
        if not blocks:
            continue
        read = Box(at + column // 16 * pitch, ((m, 16 * SUM), (blocks, pitch), (width, SUM)), SUM)
        if form == "ROW_MAJOR":
            write = Box(to + column * size, ((m, step * size), (blocks, 16 * size), (width, size)), size)
        elif form == "COLUMN_MAJOR":
            write = Box(
                to + column * step * size,
                ((m, size), (blocks, 16 * step * size), (width, step * size)),
                size,
            )
        else:
            write, read = _columns(read, to, column, lanes, step, size)
        ins = [Ref("src", read, src.dtype)]
        words = None
        if mode.by_column:
            by = Box((first + column) * 8, ((blocks, 128), (width, 8)), 8)
            ins.append(Ref("quant", by, "uint64"))
        elif mode.scale:
            words = p.get("deqScalar", 0)
        compute = _conversion(dst.dtype, relu, words)
        steps.append(Step(Ref(target, write, dst.dtype), tuple(ins), compute, "elements"))
    return steps


def _columns(read: Box, to: int, column: int, lanes: int, step: int, size: int) -> tuple[Box, Box]:
    """The boxes of an output in columns of blocks: `lanes` elements of a row, `step` rows apart."""
    (m, _), (blocks, pitch), (width, _) = read.dims
    inner = min(lanes, width)
    parts = max(width // inner, 1)
    block, apart = lanes * size, step * lanes * size
    if lanes <= 16:
        dims = ((m, block), (blocks, 16 // lanes * apart), (parts, apart), (inner, size))
        start = to + column // lanes * apart
        reads = ((m, 16 * SUM), (blocks, pitch), (parts, lanes * SUM), (inner, SUM))
        return Box(start, dims, size), Box(read.start, reads, SUM)
    # 32 elements of 8 bits: two columns of fractals to a block
    pairs = max(blocks // 2, 1)
    dims = ((m, block), (pairs, apart), (min(blocks, 2), 16 * size), (width, size))
    start = to + column // lanes * apart + column % lanes * size
    reads = ((m, 16 * SUM), (pairs, 2 * pitch), (min(blocks, 2), pitch), (width, SUM))
    return Box(start, dims, size), Box(read.start, reads, SUM)


def _conversion(dtype: str, relu: bool, word: int | None) -> Any:
    def compute(x: Any, words: Any = None) -> Any:
        if relu:
            x = np.maximum(x, 0)
        if words is not None:
            return _scaled(x, words.reshape(x.shape[1:]), dtype)
        return x if word is None else _scaled(x, word, dtype)

    return compute
