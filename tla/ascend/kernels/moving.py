# SPDX-License-Identifier: Apache-2.0
"""The instructions that move bytes: DataCopy, DataCopyPad, LoadData and their forms.

The meaning of each is that of `tla.ascend.copies`, element by element; a test holds the boxes here equal
to it. Boxes move whole runs, which is why they are fast.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from ...errors import UnsupportedError
from ...numbers import ceil_div
from .boxes import Box
from .lazy_numpy import np
from .numbers import bits_of, size_of
from .works import Ref, Step, Work, constant, copied, filled

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from .instructions import Operand

    Params = Mapping[str, Any]
    Operands = Mapping[str, Operand]

BLOCK: Final = 32
FRACTAL: Final = 512
_MOST: Final = 65535
"""The most that a field of 16 bits holds."""


def moved(
    item: int, src: int, dst: int, *axes: tuple[int, int, int], names: tuple[str, str] = ("src", "dst")
) -> Step:
    """Return the step that moves items: each axis has a count, a step of the source, one of the target.

    >>> moved(32, 0, 64, (4, 100, 32)).out.box
    Box(start=64, dims=((4, 32),), item=32)
    """
    read = Box(src, tuple([(n, step) for n, step, _ in axes]), item)
    return copied(read, Box(dst, tuple([(n, step) for n, _, step in axes]), item), *names)


def _to_nz(p: Params, operands: Operands) -> list[Step]:
    """Rows n of d elements go to columns of blocks; the last block of a row is filled with zeros."""
    is_nd = p["form"] == "nd2nz"
    size = size_of(operands["src"].dtype)
    rows, pitch, lanes = p["nValue"], p["srcDValue"] * size, BLOCK // size
    full, tail = divmod(p["dValue"], lanes)
    across, down = p["dstNzC0Stride"] * BLOCK, p["dstNzNStride"] * BLOCK
    matrix_step = p["srcNdMatrixStride" if is_nd else "srcDnMatrixStride"] * size
    steps: list[Step] = []
    for matrix in range(min(p["ndNum" if is_nd else "dnNum"], _MOST)):
        src, dst = matrix * matrix_step, matrix * p["dstNzMatrixStride"] * size
        for first, blocks, run in ((0, full, lanes), (full, int(tail > 0), tail)):
            to = dst + first * across
            if is_nd:
                axes = (rows, pitch, down), (blocks, BLOCK, across)
                steps.append(moved(run * size, src + first * BLOCK, to, *axes))
            else:
                rest = (blocks, lanes * pitch, across), (run, pitch, size)
                steps.append(moved(size, src + first * lanes * pitch, to, (rows, size, down), *rest))
        if tail:
            zeros = Box(dst + full * across + tail * size, ((rows, down),), BLOCK - tail * size)
            steps.append(filled(zeros))
    return steps


def _block(p: Params, operands: Operands) -> list[Step]:
    """Runs of whole blocks, with gaps between them; into the bias table half becomes float."""
    src, dst = operands["src"], operands["dst"]
    unit = int(str(p.get("unit", "32B")).rstrip("B"))
    run, count = p["blockLen"] * unit, p["blockCount"]
    small, large = size_of(src.dtype), size_of(dst.dtype)
    from_, to = run + p["srcStride"] * unit, run + p["dstStride"] * unit
    if dst.space != "BT" or small == large:
        return [moved(run, 0, 0, (count, from_, to))]
    n = run // small
    reads = Box(0, ((count, from_), (n, small)), small)
    writes = Box(0, ((count, to + n * large - run), (n, large)), large)
    return [Step(Ref("dst", writes, dst.dtype), (Ref("src", reads, src.dtype),), _same)]


def _same(x: Any) -> Any:
    return x


def _count(p: Params, operands: Operands) -> list[Step]:
    """Elements that follow one another; a count that is no multiple of 32 bytes is rounded down."""
    length = ceil_div(p["count"] * bits_of(operands["src"].dtype), 8)
    return [moved(length - length % BLOCK if operands["src"].space == "L1" else length, 0, 0, (1, 0, 0))]


def _pad(p: Params, operands: Operands) -> list[Step]:
    """Runs of bytes; in a buffer each starts at a block, unless they are compact."""
    src, dst = operands["src"], operands["dst"]
    length, count, compact = p["blockLen"], p["blockCount"], p["form"] == "compact"
    size = size_of(dst.dtype)
    left, right = p.get("leftPadding", 0) * size, p.get("rightPadding", 0) * size
    row = left + length + right
    end = ceil_div(row, BLOCK) * BLOCK
    pitch = length if compact else end
    if src.space != "GM":
        return [moved(length, 0, 0, (count, pitch + p["srcStride"] * BLOCK, length + p["dstStride"]))]
    local = pitch + p["dstStride"] * BLOCK
    step = moved(length, 0, left, (count, length + p["srcStride"], local))
    if compact or end == length or not length:
        return [step]
    if not p.get("isPad"):
        # what fills the last block is not defined
        rest = Ref("dst", Box(row, ((count, local),), end - row))
        return [step._replace(extra=(rest,) if end > row else ())]
    value = constant(p.get("paddingValue", 0))
    steps = [step]
    for start, run in ((0, left), (left + length, end - left - length)):
        box = Box(start, ((count, local), (run // size, size)), size)
        steps.append(Step(Ref("dst", box, dst.dtype), (), value, "clean"))
    return steps


def _fractals(p: Params, operands: Operands) -> list[Step]:
    """Whole fractals; those of 16 bits are transposed on request."""
    pitch = p["srcStride"] * (-FRACTAL if p.get("addrMode") else FRACTAL)
    first, outer = p["startIndex"] * FRACTAL, (p["repeatTimes"], pitch, (1 + p["dstGap"]) * FRACTAL)
    if not p["ifTranspose"]:
        return [moved(FRACTAL, first, 0, outer)]
    if bits_of(operands["src"].dtype) != 16:
        raise UnsupportedError("LoadData transposes fractals of elements of 16 bits alone")
    return [moved(2, first, 0, outer, (16, 2, BLOCK), (16, BLOCK, 2))]


_Axes: TypeAlias = "tuple[tuple[int, int, int], ...]"


def _turned(bits: int, first: int, outer: _Axes, across: int, gap: int) -> Step:
    """Transpose squares: 4 fractals of 4 bits, 2 of 8 or 32 bits, 1 of 16.

    Up to 16 bits the fractals of a square are below one another, those of 32 bits are `across` bytes
    apart. Those of the result are `gap` bytes apart.
    """
    size = bits // 8
    if bits == 32:
        square: _Axes = (2, across, 8 * BLOCK), (8, size, BLOCK), (2, 8 * BLOCK, gap), (8, BLOCK, size)
    else:
        deep = max(16 // bits, 1)
        square = (deep, 16 * size, gap), (16, size, BLOCK), (deep, FRACTAL, 16 * size), (16, BLOCK, size)
    if bits > 4:
        return moved(size, first, 0, *outer, *square)
    # nibbles have no address of their own, so a square is unpacked and packed again
    counts = [n for n, _, _ in outer]
    reads = Box(first, (*[(n, step) for n, step, _ in outer], (64, BLOCK), (BLOCK, 1)), 1)
    writes = Box(0, (*[(n, step) for n, _, step in outer], (4, gap), (16, BLOCK), (BLOCK, 1)), 1)

    def turn(x: Any) -> Any:
        return np.swapaxes(x, -1, -2).reshape(*counts, 4, 16, 64)

    def spread(marks: Any) -> Any:
        return turn(marks.repeat(2, axis=-1)).reshape(*counts, 4, 16, 32, 2).max(axis=-1)

    return Step(Ref("dst", writes, "int4"), (Ref("src", reads, "int4"),), turn, spread)


def _squares(p: Params, operands: Operands) -> list[Step]:
    """Squares of fractals that follow one another, each transposed."""
    bits = bits_of(operands["src"].dtype)
    square = FRACTAL * (2 if bits == 32 else max(16 // bits, 1))
    pitch = p["srcStride"] * (-square if p.get("addrMode") else square)
    outer = (p["repeatTimes"], pitch, (1 + p["dstGap"]) * FRACTAL)
    return [_turned(bits, p["startIndex"] * square, (outer,), FRACTAL, (1 + p["dstFracGap"]) * FRACTAL)]


def _box(p: Params, operands: Operands) -> list[Step]:
    """A box of fractals of a matrix in zN; transposed, squares of fractals go to (k, m)."""
    bits = bits_of(operands["src"].dtype)
    ms, ks = p["mStep"], p["kStep"]
    pitch, step = p["srcStride"] * FRACTAL, p["dstStride"] * FRACTAL
    first = p["kStartPosition"] * pitch + p["mStartPosition"] * FRACTAL
    if not p["ifTranspose"]:
        return [moved(ms * FRACTAL, first, 0, (ks, pitch, step))]
    if bits == 32:
        outer = (ceil_div(ks, 2), 2 * pitch, FRACTAL), (ms, FRACTAL, 2 * step)
        return [_turned(bits, first, outer, pitch, step)]
    deep = max(16 // bits, 1)
    outer = (ks, pitch, deep * FRACTAL), (ceil_div(ms, deep), deep * FRACTAL, step)
    return [_turned(bits, first, outer, 0, FRACTAL)]


def _scales(mx: Params, _operands: Operands, source: str = "src") -> list[Step]:
    """Squares of 16 by 2 scales for the buffer beside L0."""
    pitch, step = mx["srcStride"] * BLOCK, mx["dstStride"] * BLOCK
    first = mx["xStartPosition"] * pitch + mx["yStartPosition"] * BLOCK
    axes = (mx["xStep"], pitch, step), (mx["yStep"], BLOCK, BLOCK)
    return [moved(BLOCK, first, 0, *axes, names=(source, "scale"))]


def _with_scales(p: Params, operands: Operands) -> list[Step]:
    """A box of fractals, and their scales."""
    return [*_box(p, operands), *_scales(p["mx"], operands, "src1")]


def _with_indices(p: Params, operands: Operands) -> list[Step]:
    """Whole fractals of a sparse matrix, and the indices of each for the buffer beside L0B."""
    size, gap = FRACTAL // 4, 1 + p["dstGap"]
    indices = moved(
        size, p["startIndex"] * size, 0, (p["repeatTimes"], p["srcStride"] * size, gap * size),
        names=("src1", "index"),
    )  # fmt: skip
    return [*_fractals(p, operands), indices]


class _Image(NamedTuple):
    """The image of a LoadData3D, its filter, and how far the filter goes each time."""

    height: int
    width: int
    pads: tuple[int, int, int, int]
    """Of the left, right, top and bottom."""
    filter: tuple[int, int]
    """Its height and width."""
    strides: tuple[int, int]
    dilations: tuple[int, int]

    @property
    def is_matrix(self) -> bool:
        """Whether each position is read once, as it lies: m by k as in a product."""
        return self.filter == self.strides == (1, 1) and not any(self.pads)

    def positions(self, m: NDArray[Any], tap: NDArray[Any]) -> tuple[Any, Any, Any]:
        """Return the row and the column that output m reads at a tap, and whether the image has it."""
        left, right, _, _ = self.pads
        reach = (self.filter[1] - 1) * self.dilations[1] + 1
        across = max((self.width + left + right - reach) // self.strides[1] + 1, 1)
        row = m // across * self.strides[0] - self.pads[2] + tap // self.filter[1] * self.dilations[0]
        column = m % across * self.strides[1] - left + tap % self.filter[1] * self.dilations[1]
        held = (row >= 0) & (row < self.height) & (column >= 0) & (column < self.width)
        return row * held, column * held, held


def _image_of(p: Params, extents: tuple[int, int] | None) -> _Image:
    def pair(name: str, least: int) -> tuple[int, int]:
        return max(p.get(f"{name}H", 1), least), max(p.get(f"{name}W", 1), least)

    larger = 256 * bool(p.get("filterSizeH")), 256 * bool(p.get("filterSizeW"))
    high, wide = pair("filter", 1)
    left, right, top, bottom = p.get("padList") or (0, 0, 0, 0)
    height, width = (p["l1H"], p["l1W"]) if p.get("l1W") else extents or (1, p["mExtension"])
    return _Image(
        max(height, 1), width, (left, right, top, bottom), (high + larger[0], wide + larger[1]),
        pair("stride", 1), pair("dilationFilter", 1),
    )  # fmt: skip


def _unpacked(p: Params) -> dict[str, Any]:
    """The parameters of a LoadData3DV2 from the words of its form with words."""
    extents, taps = p["extConfig"], p["filterConfig"]
    names = ("kExtension", "mExtension", "kStartPt", "mStartPt")
    found = {name: extents >> 16 * n & 0xFFFF for n, name in enumerate(names)}
    bytes_ = ("strideW", "strideH", "filterW", "filterH", "dilationFilterW", "dilationFilterH")
    return {**p, **found, **{name: taps >> 8 * n & 0xFF for n, name in enumerate(bytes_)}}


def _load_3d(
    p: Params, operands: Operands, extents: tuple[int, int] | None, columns: int | None
) -> list[Step]:
    """Positions m by channels k of an image: fractals, in columns `columns` fractals apart if given."""
    image = _image_of(p, extents)
    size = size_of(operands["src"].dtype)
    c0 = BLOCK // size
    m, k = p["mExtension"], p["kExtension"]
    ms, ks, pitch = ceil_div(m, 16), ceil_div(k, c0), image.width * BLOCK
    to_b = operands["dst"].space == "L0B" or p.get("fMatrixCtrl")
    is_plain = not to_b and not p.get("enTranspose")
    axes = (ms, ks * FRACTAL), (ks, FRACTAL)
    if columns is not None:
        axes = (ms, FRACTAL), (ks, columns * FRACTAL)
    if not image.is_matrix:
        if not is_plain:
            raise UnsupportedError("LoadData3DV2 with a filter is modelled for L0A, not transposed")
        return [_gathered(image, (p.get("mStartPt", 0), ms), (p.get("kStartPt", 0) // c0, ks), axes)]
    first = p.get("kStartPt", 0) // c0 * pitch * image.height + p.get("mStartPt", 0) * BLOCK
    pitch *= image.height
    if is_plain:
        (_, down), (_, across) = axes
        return [moved(FRACTAL, first, 0, (ms, FRACTAL, down), (ks, pitch, across))]
    if c0 > 16:
        raise UnsupportedError("LoadData3DV2 transposes elements of 16 and 32 bits")
    # blocks of c0 positions by 16 channels: in nZ by rows of blocks, else by columns
    rows, cols, per = ms * 16 // c0, ceil_div(k, 16), 16 // c0
    down, across = (cols, 1) if to_b else (1, rows)
    outer = (rows, c0 * BLOCK, down * FRACTAL), (cols, per * pitch, across * FRACTAL)
    return [
        moved(size, first, 0, *outer, (per, pitch, c0 * BLOCK), (c0, size, BLOCK), (c0, BLOCK, size))
    ]


def _gathered(
    image: _Image, m: tuple[int, int], k: tuple[int, int], axes: tuple[tuple[int, int], ...]
) -> Step:
    """Blocks of an image, each as often as the filter meets it; zeros outside.

    K runs over blocks of channels, then over the filter. `m` and `k` have the first position and the
    fractals, the first block and the blocks.
    """
    taps = image.filter[0] * image.filter[1]
    first, last = k[0] // taps, (k[0] + k[1] - 1) // taps
    plane = image.height * image.width * BLOCK
    dims = ((last - first + 1, plane), (image.height, image.width * BLOCK), (image.width, BLOCK))
    read = Box(first * plane, (*dims, (BLOCK, 1)), 1)
    write = Box(0, (*axes, (16, BLOCK), (BLOCK, 1)), 1)
    at = (m[0] + np.arange(m[1] * 16)).reshape(m[1], 1, 16)
    blocks = (k[0] + np.arange(k[1])).reshape(1, -1, 1)
    rows, columns, held = image.positions(at, blocks % taps)

    def gather(x: Any) -> Any:
        return x[blocks // taps - first, rows, columns] * held[..., None]

    return Step(Ref("dst", write, "uint8"), (Ref("src", read, "uint8"),), gather, gather)


def _fill(p: Params, operands: Operands) -> list[Step]:
    """A constant in blocks of 32 bytes of L1, or in fractals of L0A and L0B."""
    dst = operands["dst"]
    unit = BLOCK if dst.space == "L1" else FRACTAL
    size, run = size_of(dst.dtype), p["blockNum"] * unit
    dims = ((p["repeatTimes"], run + p["dstGap"] * unit), (run // size, size))
    return [
        Step(Ref("dst", Box(0, dims, size), dst.dtype), (), constant(p.get("initValue", 0)), "clean")
    ]


_FORMS: Final[dict[tuple[str, str | None], Callable[[Params, Operands], list[Step]]]] = {
    ("DataCopy", "nd2nz"): _to_nz, ("DataCopy", "dn2nz"): _to_nz, ("DataCopy", "block"): _block,
    ("DataCopy", "count"): _count, ("DataCopyPad", "ext"): _pad, ("DataCopyPad", "bytes"): _pad,
    ("DataCopyPad", "compact"): _pad, ("LoadData", "2d"): _fractals, ("LoadData", "2dv2"): _box,
    ("LoadData", "2dv2mx"): _with_scales, ("LoadDataWithSparse", None): _with_indices,
    ("LoadDataWithTranspose", "2dtranspose"): _squares, ("InitConstValue", None): _fill,
    ("load_cbuf_to_ca_s4", None): _box, ("load_cbuf_to_cb_s4", None): _box,
    ("load_cbuf_to_ca_mx", None): _scales, ("load_cbuf_to_cb_mx", None): _scales,
}  # fmt: skip


def moving_work(op: str, p: Params, operands: Operands, state: Any) -> Work | None:
    """Return what a copy does, or None if the instruction is no copy.

    Args:
        state: Of a LoadData3D the image's extents and the step of columns that calls before have set.

    Raises:
        UnsupportedError: the machine does not model the form.
    """
    form = p.get("form")
    if op in ("LoadData", "LoadDataWithStride") and form in ("3dv2", "3dv2pro"):
        return Work(_load_3d(_unpacked(p) if form == "3dv2pro" else p, operands, *state))
    make = _FORMS.get((op, form))
    return None if make is None else Work(make(p, operands))
