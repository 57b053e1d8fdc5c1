# SPDX-License-Identifier: Apache-2.0
"""The vector instructions: lanes, masks, repeats, and what each computes.

A repeat is 8 blocks of 32 bytes. A mask chooses lanes of a repeat; lanes that are not chosen keep what
they have. In counter mode the mask is the number of elements of the whole instruction.

Source: AscendC, the vector instructions on memory, masks and strides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ...errors import UnsupportedError
from ...numbers import ceil_div
from .boxes import Box
from .lazy_numpy import np
from .moving import BLOCK
from .numbers import cast, chosen, size_of
from .works import NOTHING, Ref, Step, Work, constant, line_box

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .instructions import Operand

    Params = Mapping[str, Any]
    Operands = Mapping[str, Operand]

REPEAT: Final = 256
"""The bytes of a repeat."""
MOST_REPEATS: Final = 255


class Mask(NamedTuple):
    """The mask of the vector unit: the bits of lanes, or the number of elements if it counts."""

    high: int = (1 << 64) - 1
    low: int = (1 << 64) - 1
    counts: bool = False


class Lanes(NamedTuple):
    """Lanes of some repeats: from the first repeat on, so many, lanes from `start` to `end`."""

    repeat: int
    repeats: int
    start: int
    end: int


class _Strides(NamedTuple):
    """How an operand lies: its element's bytes, from block to block, from repeat to repeat."""

    size: int
    block: int
    repeat: int


def _bit_runs(bits: int, lanes: int) -> list[tuple[int, int]]:
    """The runs of ones."""
    runs: list[tuple[int, int]] = []
    start: int | None = None
    for lane in range(lanes + 1):
        on = lane < lanes and bits >> lane & 1
        if on and start is None:
            start = lane
        elif not on and start is not None:
            runs.append((start, lane))
            start = None
    return runs


def lanes_of(p: Params, mask: Mask, per: int) -> list[Lanes]:
    """Return the lanes on which an instruction works, with `per` lanes in a repeat."""
    if "count" in p:
        return [Lanes(0, 1, 0, p["count"])] if p["count"] else []
    repeats = p["repeat"]
    if repeats > MOST_REPEATS:
        raise UnsupportedError(f"{repeats} repeats; an instruction has at most {MOST_REPEATS}")
    bits: int
    if p.get("isSetMask", True):
        given: int | list[int] = p["mask"]
        bits = (1 << min(given, per)) - 1 if isinstance(given, int) else given[0] | given[1] << 64
    elif mask.counts:
        full, tail = divmod(mask.low, per)
        found = [Lanes(0, full, 0, per)] if full else []
        return [*found, Lanes(full, 1, 0, tail)] if tail else found
    else:
        bits = mask.low | mask.high << 64
    return [Lanes(0, repeats, a, b) for a, b in _bit_runs(bits, per)] if repeats else []


class _Cut(NamedTuple):
    """Lanes that lie evenly in every operand: groups of whole blocks, or a part of one."""

    part: Lanes
    start: int
    groups: int
    end: int
    wide: int
    small: int
    """The lanes in the largest and in the smallest block."""


def _cuts(lanes: Sequence[Lanes], strides: Sequence[_Strides]) -> list[_Cut]:
    """Cut lanes where an operand's blocks have gaps."""
    gaps = [BLOCK // s.size for s in strides if s.block != 1]
    wide, small = (max(gaps), min(gaps)) if gaps else (0, 0)
    cuts: list[_Cut] = []
    for part in lanes:
        start = part.start
        while start < part.end:
            groups = (part.end - start) // wide if wide and start % wide == 0 else 0
            last = part.end if not wide else min(part.end, (start // small + 1) * small)
            stop = start + groups * wide if groups else last
            cuts.append(_Cut(part, start, groups, stop, wide, small))
            start = stop
    return cuts


def boxes_of(lanes: Sequence[Lanes], strides: Sequence[_Strides]) -> list[tuple[Box, ...]]:
    """Return the boxes of some operands, of equal shape, for each part of the lanes."""
    return [tuple([_lane_box(cut, s) for s in strides]) for cut in _cuts(lanes, strides)]


def _lane_box(cut: _Cut, s: _Strides) -> Box:
    part, start, groups, end, wide, small = cut
    per = BLOCK // s.size

    def place(lane: int) -> int:
        return lane // per * s.block * BLOCK + lane % per * s.size

    first = part.repeat * s.repeat * BLOCK + place(start)
    outer = (part.repeats, s.repeat * BLOCK)
    if not groups:
        return Box(first, (outer, (end - start, s.size)), s.size)
    return Box(
        first, (outer, (groups, place(wide)), (wide // small, place(small)), (small, s.size)), s.size
    )


_BINARY: Final = {
    "Add": "add", "Sub": "subtract", "Mul": "multiply", "Div": "divide", "Max": "maximum",
    "Min": "minimum", "And": "bitwise_and", "Or": "bitwise_or", "Xor": "bitwise_xor",
}  # fmt: skip
_SCALAR: Final = {
    "Adds": "add", "Subs": "subtract", "Muls": "multiply", "Divs": "divide", "Maxs": "maximum",
    "Mins": "minimum", "Ands": "bitwise_and", "Ors": "bitwise_or", "ShiftLeft": "left_shift",
    "ShiftRight": "right_shift",
}  # fmt: skip
_UNARY: Final = {
    "Exp": "exp", "Ln": "log", "Abs": "abs", "Sqrt": "sqrt", "Not": "invert", "Neg": "negative",
    "Sin": "sin", "Cos": "cos", "Tanh": "tanh", "Copy": "positive",
}  # fmt: skip
_RELU: Final = {"AddRelu": "add", "SubRelu": "subtract"}


def _scalar_of(value: Any, like: Any) -> Any:
    return np.asarray(float(value) if isinstance(value, str) else value).astype(like.dtype)


_OTHERS: Final = (
    "Relu", "Rsqrt", "Reciprocal", "Silu", "Sigmoid", "LeakyRelu", "Prelu", "Axpy", "MulAddDst",
    "FusedMulAdd", "FusedMulAddRelu",
)  # fmt: skip


def function_of(op: str, p: Params, dtype: str) -> Callable[..., Any] | None:
    """Return what an elementwise instruction computes of its sources; `dst` comes last if it is read."""
    value = p["scalar"] if op in WITH_SCALAR else 0

    def named(*xs: Any) -> Any:
        if op in _SCALAR:
            pair = (xs[0], _scalar_of(value, xs[0]))
            return getattr(np, _SCALAR[op])(*(pair[::-1] if p.get("scalarFirst") else pair))
        if op in _RELU:
            return np.maximum(getattr(np, _RELU[op])(*xs), 0)
        return getattr(np, _BINARY.get(op) or _UNARY[op])(*xs)

    def other(*xs: Any) -> Any:
        return _formula(op, value, *xs)

    def rounded(x: Any) -> Any:
        return cast(x, dtype, p.get("roundMode", "CAST_NONE"))

    if op in (*_OTHERS, "Cast"):
        return rounded if op == "Cast" else other
    return named if op in {**_BINARY, **_SCALAR, **_UNARY, **_RELU} else None


def _formula(op: str, value: Any, x: Any, y: Any = None, d: Any = None) -> Any:
    """What an instruction computes that numpy has no word for."""
    if op == "Relu":
        return np.maximum(x, 0)
    if op == "Rsqrt":
        return 1 / np.sqrt(x)
    if op == "Reciprocal":
        return 1 / x
    if op in ("Silu", "Sigmoid"):
        made: Any = 1 / (1 + np.exp(-x))
        return x * made if op == "Silu" else made
    if op in ("LeakyRelu", "Prelu"):
        slope: Any = x * (_scalar_of(value, x) if y is None else y)
        return chosen(x >= 0, x, slope)
    if op == "Axpy":
        return y + x * _scalar_of(value, y)
    if op == "MulAddDst":
        return d + x * y
    made = x * d + y
    return np.maximum(made, 0) if op.endswith("Relu") else made


ELEMENTWISE: Final = (*_BINARY, *_SCALAR, *_UNARY, *_RELU, *_OTHERS)
"""The instructions that compute lane by lane, besides Cast."""
WITH_SCALAR: Final = (*_SCALAR, "Axpy", "LeakyRelu")
"""Those that take a scalar behind their source."""
_READS_DST: Final = ("Axpy", "MulAddDst", "FusedMulAdd", "FusedMulAddRelu")


def _strides(p: Params, name: str, size: int) -> _Strides:
    """The strides of an operand, by the name that AscendC gives them."""
    if "count" in p:
        return _Strides(size, 1, 0)
    if "dstRepeatSize" in p:  # CopyRepeatParams
        kind = "dst" if name == "dst" else "src"
        return _Strides(size, p[f"{kind}Stride"], p[f"{kind}RepeatSize"])
    key = name if f"{name}RepStride" in p else "src"
    return _Strides(size, p.get(f"{key}BlkStride", 1), p.get(f"{key}RepStride", 8))


def _elementwise(op: str, p: Params, operands: Operands, mask: Mask) -> Work | None:
    compute = function_of(op, p, operands["dst"].dtype)
    if compute is None:
        return None
    names = ["dst", *[name for name in ("src", "src1") if name in operands]]
    sizes = [size_of(operands[name].dtype) for name in names]
    if operands["dst"].dtype == "int4" or operands.get("src", operands["dst"]).dtype == "int4":
        return _nibble_cast(p, operands, compute)
    fields = {"src": "src0", "src1": "src1", "dst": "dst"}
    strides = [_strides(p, fields[name], size) for name, size in zip(names, sizes, strict=True)]
    per = REPEAT // max(sizes)
    if op in _READS_DST:
        names, strides = [*names, "dst"], [*strides, strides[0]]
    steps: list[Step] = []
    for boxes in boxes_of(_sequential(lanes_of(p, mask, per), strides[0]), strides):
        out, *ins = [
            Ref(name, box, operands[name].dtype) for name, box in zip(names, boxes, strict=True)
        ]
        steps.append(Step(out, tuple(ins), compute))
    return Work(steps)


def _sequential(lanes: list[Lanes], dst: _Strides) -> list[Lanes]:
    """Repeats whose outputs overlap run one behind the other."""
    last = max([part.end for part in lanes], default=1) - 1
    per = BLOCK // dst.size
    end = last // per * dst.block * BLOCK + (last % per + 1) * dst.size
    if dst.repeat * BLOCK >= end:
        return lanes
    most = max([part.repeat + part.repeats for part in lanes], default=0)
    return [
        part._replace(repeat=r, repeats=1)
        for r in range(most)
        for part in lanes
        if part.repeat <= r < part.repeat + part.repeats
    ]


def _nibble_cast(p: Params, operands: Operands, compute: Callable[[Any], Any]) -> Work:
    """A cast from or to elements of 4 bits: contiguous, two in a byte."""
    if "count" in p:
        count = p["count"]
    elif p.get("dstBlkStride", 1) == p.get("srcBlkStride", 1) == 1 and not isinstance(p["mask"], list):
        count = p["repeat"] * p["mask"]
    else:
        raise UnsupportedError("a cast of 4 bits is modelled for elements that follow one another")
    boxes = {}
    for name in ("src", "dst"):
        dtype = operands[name].dtype
        n = count // 2 if dtype == "int4" else count
        boxes[name] = Ref(name, line_box(0, n, size_of(dtype)), dtype)
    halves = operands["dst"].dtype == "int4"

    def spread(marks: Any) -> Any:
        return marks.reshape(-1, 2).max(axis=1) if halves else np.repeat(marks, 2)

    return Work([Step(boxes["dst"], (boxes["src"],), compute, spread)])


def _duplicate(p: Params, operands: Operands, mask: Mask) -> Work:
    dst = operands["dst"]
    size = size_of(dst.dtype)
    boxes = boxes_of(lanes_of(p, mask, REPEAT // size), [_strides(p, "dst", size)])
    refs = [Ref("dst", box, dst.dtype) for (box,) in boxes]
    return Work([Step(ref, (), constant(p["scalar"]), "clean") for ref in refs])


def _broadcast(p: Params, operands: Operands) -> Work:
    """Brcb: each of 8 elements of a repeat fills a block."""
    size = size_of(operands["dst"].dtype)
    repeats, lanes = p["repeat"], BLOCK // size
    step, block = p["dstRepStride"] * BLOCK, p["dstBlkStride"] * BLOCK
    read = Box(0, ((repeats, 8 * size), (8, size), (lanes, 0)), size)
    write = Box(0, ((repeats, step), (8, block), (lanes, size)), size)
    return Work([Step(Ref("dst", write), (Ref("src", read),))])


def _tree(x: Any) -> Any:
    """Sum over the last axis as the chip does: pairs, then pairs of pairs."""
    while x.shape[-1] > 1:
        if x.shape[-1] % 2:
            x = np.concatenate([x, np.zeros_like(x[..., :1])], -1)
        x = x[..., ::2] + x[..., 1::2]
    return x[..., 0]


_REDUCTIONS: Final = {
    "BlockReduceSum": "sum", "BlockReduceMax": "max", "BlockReduceMin": "min", "PairReduceSum": "sum",
    "WholeReduceSum": "sum", "WholeReduceMax": "max", "WholeReduceMin": "min", "RepeatReduceSum": "sum",
}  # fmt: skip


def _neutral(kind: str, x: Any) -> Any:
    if kind == "sum":
        return x.dtype.type(0)
    worst = -1 if kind == "max" else 1
    return x.dtype.type(worst * np.inf) if x.dtype.kind == "f" else getattr(
        np.iinfo(x.dtype), "min" if worst < 0 else "max"
    )  # fmt: skip


def reduced(x: Any, kind: str) -> Any:
    """Return the ``sum``, ``max`` or ``min`` of the last axis."""
    return _tree(x) if kind == "sum" else getattr(x, kind)(axis=-1)


def _reduction(op: str, p: Params, operands: Operands, mask: Mask) -> Work:
    """Sums or extremes of blocks, of pairs or of whole repeats; lanes of no mask take no part."""
    kind, dtype = _REDUCTIONS[op], operands["dst"].dtype
    size = size_of(dtype)
    per = REPEAT // size
    if "elemsInOneRepeat" in p:
        p = {**p, "mask": p["elemsInOneRepeat"]}
    lanes, src = lanes_of(p, mask, per), _strides(p, "src", size)
    group = {"B": BLOCK // size, "P": 2}.get(op[0], per)
    groups = per // group
    order = p.get("order", _VALUE) if kind != "sum" and group == per else _VALUE
    width = 1 if order in (_VALUE, "ORDER_ONLY_INDEX") else 2
    pitch = p["dstRepStride"] * (groups * size if group < per else width * size)
    steps: list[Step] = []
    for repeat, repeats in dict.fromkeys([(part.repeat, part.repeats) for part in lanes]):
        cuts = _cuts([part for part in lanes if part.repeat == repeat], [src])
        ins = tuple([Ref("src", _lane_box(cut, src), dtype) for cut in cuts])
        columns = [(cut.start, cut.end) for cut in cuts]
        active = {lane // group for start, end in columns for lane in range(start, end)}
        for a, b in _bit_runs(sum([1 << g for g in active]), groups):
            box = Box(repeat * pitch + a * size, ((repeats, pitch), ((b - a) * width, size)), size)
            taken = (a, b) if width == 1 else (0, 2)
            made = _reduce(kind, columns, (repeats, per), group, order, taken)
            marks = _reduce("max", columns, (repeats, per), group, _VALUE, (a, b))
            steps.append(Step(Ref("dst", box, dtype), ins, made, marks))
    return Work(steps)


_VALUE: Final = "ORDER_ONLY_VALUE"


def _reduce(
    kind: str, columns: Sequence[tuple[int, int]], shape: tuple[int, int], group: int, order: str,
    taken: tuple[int, int],
) -> Callable[..., Any]:  # fmt: skip
    """A reduction of the lanes in some columns of each repeat."""

    def compute(*xs: Any) -> Any:
        whole = np.full(shape, _neutral(kind, xs[0]), xs[0].dtype)
        for (start, end), x in zip(columns, xs, strict=True):
            whole[:, start:end] = x.reshape(shape[0], -1)
        made = reduced(whole.reshape(shape[0], -1, group), kind)
        if order != _VALUE:
            # the bits of the index are stored as they are
            index = _as_bits((whole.argmax if kind == "max" else whole.argmin)(axis=1), group == 128)
            value = made[:, 0].astype(index.dtype)
            pair = (value, index) if order == "ORDER_VALUE_INDEX" else (index, value)
            made = index[:, None] if order == "ORDER_ONLY_INDEX" else np.stack(pair, -1)
        return made[:, taken[0] : taken[1]]

    return compute


def _as_bits(index: Any, halves: bool) -> Any:
    """Ints as floats that have their bits."""
    return index.astype("u2" if halves else "u4").view("f2" if halves else "f4")


def _reduce_all(op: str, p: Params, operands: Operands) -> Work:
    """ReduceSum, ReduceMax, ReduceMin of all elements; the extremes with their index on request."""
    kind = op.removeprefix("Reduce").lower()
    dtype = operands["dst"].dtype
    size, count = size_of(dtype), p["count"]
    index = bool(p.get("calIndex"))

    def compute(x: Any) -> Any:
        made = reduced(x.reshape(1, -1), kind)
        if not index:
            return made
        bits = _as_bits(np.asarray([x.argmax() if kind == "max" else x.argmin()]), size == 2)
        return np.concatenate([made.astype(bits.dtype), bits])

    work = Ref("work", line_box(0, ceil_div(count, REPEAT // size), size))
    extra = (work,) if "work" in operands else ()
    out = Ref("dst", line_box(0, 2 if index else 1, size), dtype)
    ins = (Ref("src", line_box(0, count, size), dtype),)
    return Work([Step(out, ins, compute, "all", extra=extra)])


_COMPARISONS: Final = {
    "LT": "less", "GT": "greater", "EQ": "equal", "LE": "less_equal", "GE": "greater_equal",
    "NE": "not_equal",
}  # fmt: skip


def _compare(p: Params, operands: Operands) -> Work:
    """One bit for each element; false if one is no number."""
    dtype = operands["src"].dtype
    size = size_of(dtype)
    count = p["count"] if "count" in p else p["repeat"] * (REPEAT // size)
    name = _COMPARISONS[p.get("cmp") or p["cmpMode"]]

    def compute(x: Any, y: Any = None) -> Any:
        other = _scalar_of(p.get("scalar", 0), x) if y is None else y
        with np.errstate(invalid="ignore"):
            held = getattr(np, name)(x, other) & ~(np.isnan(x) | np.isnan(other))
        return np.packbits(held, bitorder="little")

    def spread(x: Any, y: Any = None) -> Any:
        marks = x if y is None else np.maximum(x, y)
        return np.maximum.reduceat(marks, range(0, count, 8))

    ins = [Ref(key, line_box(0, count, size), dtype) for key in ("src", "src1") if key in operands]
    out = Ref("dst", line_box(0, ceil_div(count, 8), 1), "uint8")
    return Work([Step(out, tuple(ins), compute, spread)])


def _select(p: Params, operands: Operands) -> Work:
    """Elements of one source or of the other, by a bit of each."""
    dtype = operands["dst"].dtype
    size = size_of(dtype)
    count = p["count"] if "count" in p else p["repeat"] * (REPEAT // size)

    def compute(bits: Any, x: Any, y: Any = None) -> Any:
        lanes: Any = np.unpackbits(bits, bitorder="little")
        held: Any = lanes[:count].astype(bool)
        return chosen(held, x, _scalar_of(p.get("scalar", 0), x) if y is None else y)

    def spread(bits: Any, *marks: Any) -> Any:
        return np.maximum.reduce([np.repeat(bits, 8)[:count], *marks])

    ins = [Ref("sel", line_box(0, ceil_div(count, 8), 1), "uint8")]
    ins += [Ref(key, line_box(0, count, size), dtype) for key in ("src", "src1") if key in operands]
    return Work([Step(Ref("dst", line_box(0, count, size), dtype), tuple(ins), compute, spread)])


def _to_5hd(p: Params, operands: Operands) -> Work:
    """Sixteen rows of blocks become columns: element `lane` of row r goes to place r of row `lane`.

    Rows of 32 bits have 8 elements, so each column takes two of the 16 addresses. Of rows of 8 bits a
    half is taken.
    """
    size = size_of(operands["dst"].dtype)
    lanes, parts = min(BLOCK // size, 16), max(size // 2, 1)
    src, dst, repeats = p["srcList"], p["dstList"], p["repeatTimes"]
    steps_of = (p["srcRepStride"] * BLOCK, p["dstRepStride"] * BLOCK) if repeats > 1 else (0, 0)
    from_, to = (16 * bool(p.get(f"{name}HighHalf")) * (size == 1) for name in ("src", "dst"))
    steps: list[Step] = []
    per = 16 // parts
    for row in range(16):
        part, place = divmod(row, per)
        for lane in range(lanes):
            read = Box(src[row] + from_ + lane * size, ((repeats, steps_of[0]),), size)
            write = Box(dst[lane * parts + part] + to + place * size, ((repeats, steps_of[1]),), size)
            steps.append(Step(Ref("dst", write), (Ref("src", read),)))
    return Work(steps)


def vector_work(op: str, p: Params, operands: Operands, state: Params) -> Work | None:
    """Return what a vector instruction does, or None if the machine does not know it.

    Raises:
        UnsupportedError: the machine does not model the form.
    """
    mask: Mask = state.get("mask", Mask())
    if op in ("Brcb", "TransDataTo5HD"):
        return _broadcast(p, operands) if op == "Brcb" else _to_5hd(p, operands)
    if op == "Duplicate":
        return _duplicate(p, operands, mask)
    if op in _REDUCTIONS:
        return _reduction(op, p, operands, mask) if p["repeat"] else NOTHING
    if op in ("ReduceSum", "ReduceMax", "ReduceMin"):
        return _reduce_all(op, p, operands)
    if op in ("Compare", "CompareScalar"):
        return _compare(p, operands)
    if op == "Select":
        return _select(p, operands)
    return _elementwise(op, p, operands, mask) if "dst" in operands else None
