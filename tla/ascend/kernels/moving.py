# SPDX-License-Identifier: Apache-2.0
"""The instructions that move bytes: DataCopy, DataCopyPad, LoadData and their forms.

The meaning of each is that of `tla.ascend.copies`, element by element; a test holds the boxes here equal
to it. Boxes move whole runs, which is why they are fast.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ...errors import UnsupportedError
from ...numbers import ceil_div
from .boxes import Box
from .numbers import bits_of, size_of
from .works import Ref, Step, Work, copied, filled, line_box

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .instructions import Operand

    Params = Mapping[str, Any]
    Operands = Mapping[str, Operand]

BLOCK: Final = 32
FRACTAL: Final = 512
_MOST: Final = 65535
"""The most that a field of 16 bits holds."""


def bytes_of(count: int, dtype: str) -> int:
    """Return the bytes of elements; a type of 4 bits packs two in one."""
    return ceil_div(count * bits_of(dtype), 8)


def _to_nz(p: Params, operands: Operands, matrices: str, step: str, *, is_nd: bool) -> list[Step]:
    """Rows n of d elements go to columns of blocks; the last block of a row is filled with zeros."""
    size = size_of(operands["src"].dtype)
    rows, width = p["nValue"], p["dValue"]
    steps: list[Step] = []
    full, tail = divmod(width * size, BLOCK)
    across, down = p["dstNzC0Stride"] * BLOCK, p["dstNzNStride"] * BLOCK
    for matrix in range(min(p[matrices], _MOST)):
        src, dst = matrix * p[step] * size, matrix * p["dstNzMatrixStride"] * size
        pitch = p["srcDValue"] * size
        if is_nd:
            parts = [(0, full, BLOCK), (full, int(tail > 0), tail)]
            for first, blocks, run in parts:
                if blocks and rows:
                    steps.append(
                        copied(
                            Box(src + first * BLOCK, ((rows, pitch), (blocks, BLOCK)), run),
                            Box(dst + first * across, ((rows, down), (blocks, across)), run),
                        )
                    )
        else:
            lanes = BLOCK // size
            for first, blocks, run in ((0, full, lanes), (full, int(tail > 0), tail // size)):
                if blocks and rows:
                    dims = ((rows, size), (blocks, lanes * pitch), (run, pitch))
                    to = ((rows, down), (blocks, across), (run, size))
                    steps.append(
                        copied(
                            Box(src + first * lanes * pitch, dims, size),
                            Box(dst + first * across, to, size),
                        )
                    )
        if tail and rows:
            steps.append(filled(Box(dst + full * across + tail, ((rows, down),), BLOCK - tail)))
    return steps


def _nd2nz(p: Params, operands: Operands) -> list[Step]:
    return _to_nz(p, operands, "ndNum", "srcNdMatrixStride", is_nd=True)


def _dn2nz(p: Params, operands: Operands) -> list[Step]:
    return _to_nz(p, operands, "dnNum", "srcDnMatrixStride", is_nd=False)


def _block(p: Params, operands: Operands) -> list[Step]:
    """Runs of whole blocks, with gaps between them; into the bias table half becomes float."""
    src, dst = operands["src"], operands["dst"]
    unit = int(str(p.get("unit", "32B")).rstrip("B"))
    run, count = p["blockLen"] * unit, p["blockCount"]
    read = Box(0, ((count, run + p["srcStride"] * unit),), run)
    if dst.space != "BT" or size_of(src.dtype) == size_of(dst.dtype):
        return [copied(read, Box(0, ((count, run + p["dstStride"] * unit),), run))] if run else []
    small, large = size_of(src.dtype), size_of(dst.dtype)
    n = run // small
    reads = Box(0, (*read.dims, (n, small)), small)
    writes = Box(0, ((count, n * large + p["dstStride"] * unit), (n, large)), large)
    return [Step(Ref("dst", writes, dst.dtype), (Ref("src", reads, src.dtype),), _same)]


def _same(x: Any) -> Any:
    return x


def _count(p: Params, operands: Operands) -> list[Step]:
    """Elements that follow one another; a count that is no multiple of 32 bytes is rounded down."""
    length = bytes_of(p["count"], operands["src"].dtype)
    if operands["src"].space == "L1":
        length -= length % BLOCK
    return [copied(line_box(0, 1, length), line_box(0, 1, length))] if length else []


def _pad(p: Params, operands: Operands, *, compact: bool = False) -> list[Step]:
    """Runs of bytes; in a buffer each starts at a block, unless they are compact."""
    src, dst = operands["src"], operands["dst"]
    length, count = p["blockLen"], p["blockCount"]
    size = size_of(dst.dtype)
    left, right = p.get("leftPadding", 0) * size, p.get("rightPadding", 0) * size
    row = left + length + right
    local = (length if compact else ceil_div(row, BLOCK) * BLOCK) + BLOCK * (
        p["dstStride"] if src.space == "GM" else p["srcStride"]
    )
    pitch = length + (p["srcStride"] if src.space == "GM" else p["dstStride"])
    if not length or not count:
        return []
    if src.space != "GM":
        return [copied(Box(0, ((count, local),), length), Box(0, ((count, pitch),), length))]
    step = copied(Box(0, ((count, pitch),), length), Box(left, ((count, local),), length))
    end = ceil_div(row, BLOCK) * BLOCK
    if compact or end == length:
        return [step]
    if not p.get("isPad"):
        # what fills the last block is not defined
        rest = Ref("dst", Box(row, ((count, local),), end - row))
        return [step._replace(extra=(rest,) if end > row else ())]
    value = p.get("paddingValue", 0)
    steps = [step]
    for start, run in ((0, left), (left + length, end - left - length)):
        if run:
            box = Box(start, ((count, local), (run // size, size)), size)
            steps.append(Step(Ref("dst", box, dst.dtype), (), _constant(value), "clean"))
    return steps


def _constant(value: float) -> Callable[[], Any]:
    def compute() -> Any:
        import numpy as np

        return np.asarray(float(value) if isinstance(value, str) else value)

    return compute


def _fractals(p: Params, operands: Operands) -> list[Step]:
    """Whole fractals; those of 16 bits are transposed on request."""
    repeats = p["repeatTimes"]
    sign = -1 if p.get("addrMode") else 1
    first, pitch = p["startIndex"] * FRACTAL, sign * p["srcStride"] * FRACTAL
    step = (1 + p["dstGap"]) * FRACTAL
    if not repeats:
        return []
    if not p["ifTranspose"]:
        return [copied(Box(first, ((repeats, pitch),), FRACTAL), Box(0, ((repeats, step),), FRACTAL))]
    if bits_of(operands["src"].dtype) != 16:
        raise UnsupportedError("LoadData transposes fractals of elements of 16 bits alone")
    read = Box(first, ((repeats, pitch), (16, 2), (16, 32)), 2)
    return [copied(read, Box(0, ((repeats, step), (16, 32), (16, 2)), 2))]


def _squares(p: Params, operands: Operands) -> list[Step]:
    """Squares of fractals, each transposed: 4 fractals of 4 bits, 2 of 8 or 32 bits, 1 of 16."""
    bits = bits_of(operands["src"].dtype)
    c0 = BLOCK * 8 // bits
    count = max(c0, 16) // min(c0, 16)
    sign = -1 if p.get("addrMode") else 1
    repeats, gap = p["repeatTimes"], (1 + p["dstFracGap"]) * FRACTAL
    first, pitch = p["startIndex"] * count * FRACTAL, sign * p["srcStride"] * count * FRACTAL
    step = (1 + p["dstGap"]) * FRACTAL
    if not repeats:
        return []
    outer, to = (repeats, pitch), (repeats, step)
    if bits == 4:
        # nibbles have no address of their own, so a square is unpacked and packed again
        rows = Box(first, (outer, (64, BLOCK)), BLOCK)
        placed = Box(0, (to, (4, gap), (16, BLOCK)), BLOCK)
        return [_nibbles(rows, placed)]
    size = bits // 8
    across, down = min(16, c0), max(1, c0 // 16)
    # (fractal across, row, column) read; those of the columns become rows of fractals
    if c0 >= 16:
        read = ((down, 16 * size), (16, size), (down, FRACTAL), (16, BLOCK))
        write = ((down, gap), (16, BLOCK), (down, 16 * size), (16, size))
    else:
        read = ((2, FRACTAL), (across, size), (2, 8 * BLOCK), (8, BLOCK))
        write = ((2, 8 * BLOCK), (across, BLOCK), (2, gap), (8, size))
    return [copied(Box(first, (outer, *read), size), Box(0, (to, *write), size))]


def _nibbles(read: Box, write: Box) -> Step:
    """Transpose squares of 64 by 64 elements of 4 bits."""
    lanes = Box(read.start, (*read.dims, (BLOCK, 1)), 1)
    to = Box(write.start, (*write.dims, (BLOCK, 1)), 1)

    def turn(x: Any) -> Any:
        import numpy as np

        squares = np.swapaxes(x, -1, -2)
        return squares.reshape(squares.shape[0], 4, 16, 64)

    return Step(Ref("dst", to, "int4"), (Ref("src", lanes, "int4"),), turn, "all")


def _box(p: Params, operands: Operands) -> list[Step]:
    """A box of fractals of a matrix in zN; transposed, squares of fractals go to (k, m)."""
    bits = bits_of(operands["src"].dtype)
    c0 = BLOCK * 8 // bits
    ms, ks = p["mStep"], p["kStep"]
    pitch, step = p["srcStride"] * FRACTAL, p["dstStride"] * FRACTAL
    first = p["kStartPosition"] * pitch + p["mStartPosition"] * FRACTAL
    if not ms or not ks:
        return []
    if not p["ifTranspose"]:
        read = Box(first, ((ks, pitch),), ms * FRACTAL)
        return [copied(read, Box(0, ((ks, step),), ms * FRACTAL))]
    size = max(bits // 8, 1)
    if bits == 4:
        rows, cols = ms // 4, ks
        read = Box(first, ((cols, pitch), (rows, 4 * FRACTAL), (64, BLOCK)), BLOCK)
        write = Box(0, ((cols, 4 * FRACTAL), (rows, step), (4, FRACTAL), (16, BLOCK)), BLOCK)
        lanes = Box(read.start, (*read.dims, (BLOCK, 1)), 1)
        to = Box(write.start, (*write.dims, (BLOCK, 1)), 1)

        def turn(x: Any) -> Any:
            import numpy as np

            return np.swapaxes(x, -1, -2).reshape(cols, rows, 4, 16, 64)

        return [Step(Ref("dst", to, "int4"), (Ref("src", lanes, "int4"),), turn, "all")]
    if c0 >= 16:
        deep = c0 // 16
        squares = ceil_div(ms, deep)
        read = Box(first, (
            (ks, pitch), (squares, deep * FRACTAL), (deep, 16 * size), (16, size), (deep, FRACTAL),
            (16, BLOCK),
        ), size)  # fmt: skip
        write = Box(0, (
            (ks, deep * FRACTAL), (squares, step), (deep, FRACTAL), (16, BLOCK), (deep, 16 * size),
            (16, size),
        ), size)  # fmt: skip
        return [copied(read, write)]
    # 32 bits: a square is two fractals side by side, and becomes two below one another
    squares = ceil_div(ks, 2)
    read = Box(first, (
        (squares, 2 * pitch), (ms, FRACTAL), (2, pitch), (8, size), (2, 8 * BLOCK), (8, BLOCK)
    ), size)  # fmt: skip
    write = Box(0, (
        (squares, FRACTAL), (ms, 2 * step), (2, 8 * BLOCK), (8, BLOCK), (2, step), (8, size)
    ), size)  # fmt: skip
    return [copied(read, write)]


def _image(p: Params, operands: Operands, width: int | None) -> list[Step]:
    """Positions m by channels k of an image of one row, with a filter of 1 by 1."""
    if p.get("filterW", 1) > 1 or p.get("filterH", 1) > 1 or any(p.get("padList") or ()):
        raise UnsupportedError("LoadData3DV2 is modelled for a filter of 1 by 1 without padding")
    if p.get("strideW", 1) > 1 or p.get("strideH", 1) > 1:
        raise UnsupportedError("LoadData3DV2 is modelled for strides of 1")
    dst = operands["dst"]
    size = size_of(operands["src"].dtype)
    c0 = BLOCK // size
    m, k = p["mExtension"], p["kExtension"]
    ms, ks = ceil_div(m, 16), ceil_div(k, c0)
    pitch = (width or m) * BLOCK
    first = p.get("kStartPt", 0) // c0 * pitch + p.get("mStartPt", 0) * BLOCK
    if dst.space == "L0B" or p.get("fMatrixCtrl"):
        # nZ: blocks of c0 positions, each with columns of 16 channels; m counts positions along K
        rows = ceil_div(ms * 16, c0)
        cols = ceil_div(k, 16)
        per = 16 // c0 or 1
        if c0 > 16:
            raise UnsupportedError("LoadData3DV2 to L0B is modelled for elements of 16 and 32 bits")
        read = ((rows, c0 * BLOCK), (cols, per * pitch), (per, pitch), (c0, size), (c0, BLOCK))
        write = ((rows, cols * FRACTAL), (cols, FRACTAL), (per, c0 * BLOCK), (c0, BLOCK), (c0, size))
        return [copied(Box(first, read, size), Box(0, write, size))]
    if p.get("enTranspose"):
        rows, cols, per = ceil_div(ms * 16, c0), ceil_div(k, 16), 16 // c0 or 1
        read = ((cols, per * pitch), (rows, c0 * BLOCK), (per, pitch), (c0, size), (c0, BLOCK))
        write = ((cols, rows * FRACTAL), (rows, FRACTAL), (per, c0 * BLOCK), (c0, BLOCK), (c0, size))
        return [copied(Box(first, read, size), Box(0, write, size))]
    whole = Box(0, ((ms, ks * FRACTAL), (ks, FRACTAL)), FRACTAL)
    return [copied(Box(first, ((ms, FRACTAL), (ks, pitch)), FRACTAL), whole)]


def _fill(p: Params, operands: Operands) -> list[Step]:
    """A constant in blocks of 32 bytes of L1, or in fractals of L0A and L0B."""
    dst = operands["dst"]
    unit = BLOCK if dst.space == "L1" else FRACTAL
    size, run = size_of(dst.dtype), p["blockNum"] * unit
    dims = ((p["repeatTimes"], run + p["dstGap"] * unit), (run // size, size))
    return [
        Step(Ref("dst", Box(0, dims, size), dst.dtype), (), _constant(p.get("initValue", 0)), "clean")
    ]


def _compact(p: Params, operands: Operands) -> list[Step]:
    return _pad(p, operands, compact=True)


_FORMS: Final[dict[tuple[str, str | None], Callable[[Params, Operands], list[Step]]]] = {
    ("DataCopy", "nd2nz"): _nd2nz, ("DataCopy", "dn2nz"): _dn2nz, ("DataCopy", "block"): _block,
    ("DataCopy", "count"): _count, ("DataCopyPad", "ext"): _pad, ("DataCopyPad", "bytes"): _pad,
    ("DataCopyPad", "compact"): _compact, ("LoadData", "2d"): _fractals, ("LoadData", "2dv2"): _box,
    ("LoadDataWithTranspose", "2dtranspose"): _squares, ("InitConstValue", None): _fill,
    ("Fill", None): _fill,
}  # fmt: skip


def moving_work(op: str, p: Params, operands: Operands, state: Params) -> Work | None:
    """Return what a copy does, or None if the instruction is no copy.

    Raises:
        UnsupportedError: the machine does not model the form.
    """
    form = p.get("form")
    if (op, form) == ("LoadData", "3dv2"):
        return Work(_image(p, operands, state.get("width")))
    make = _FORMS.get((op, form))
    return None if make is None else Work(make(p, operands))
