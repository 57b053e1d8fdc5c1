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
from .moving import BLOCK
from .numbers import cast, chosen, size_of
from .works import NOTHING, Ref, Step, Work, line_box

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
    given: int | list[int] = p.get("mask", 0)
    bits: int
    if p.get("isSetMask", True):
        bits = (1 << min(given, per)) - 1 if isinstance(given, int) else given[0] | given[1] << 64
    elif mask.counts:
        full, tail = divmod(mask.low, per)
        found = [Lanes(0, full, 0, per)] if full else []
        return [*found, Lanes(full, 1, 0, tail)] if tail else found
    else:
        bits = mask.low | mask.high << 64
    return [Lanes(0, repeats, a, b) for a, b in _bit_runs(bits, per)] if repeats else []


def boxes_of(lanes: Sequence[Lanes], strides: Sequence[_Strides]) -> list[tuple[Box, ...]]:
    """Return the boxes of some operands, of equal shape, for each part of the lanes."""
    gaps = [BLOCK // s.size for s in strides if s.block != 1]
    wide, small = (max(gaps), min(gaps)) if gaps else (0, 0)
    made: list[tuple[Box, ...]] = []
    for part in lanes:
        for start, groups, end in _cuts(part.start, part.end, wide, small):
            made.append(tuple([_lane_box(part, s, start, groups, end, wide, small) for s in strides]))
    return made


def _cuts(start: int, end: int, wide: int, small: int) -> list[tuple[int, int, int]]:
    """Parts of lanes that lie evenly: where blocks have gaps, whole blocks and what is left."""
    if not wide:
        return [(start, 0, end)]
    cuts: list[tuple[int, int, int]] = []
    while start < end:
        groups = (end - start) // wide if start % wide == 0 else 0
        stop = start + groups * wide if groups else min(end, (start // small + 1) * small)
        cuts.append((start, groups, stop))
        start = stop
    return cuts


def _lane_box(part: Lanes, s: _Strides, start: int, groups: int, end: int, wide: int, small: int) -> Box:
    per = BLOCK // s.size
    pitch = s.block * BLOCK

    def place(lane: int) -> int:
        return lane * s.size if s.block == 1 else lane // per * pitch + lane % per * s.size

    first = part.repeat * s.repeat * BLOCK + place(start)
    outer = (part.repeats, s.repeat * BLOCK)
    if not groups:
        return Box(first, (outer, (end - start, s.size)), s.size)
    whole = place(wide) if s.block != 1 else wide * s.size
    inner = place(small) if s.block != 1 else small * s.size
    return Box(first, (outer, (groups, whole), (wide // small, inner), (small, s.size)), s.size)


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
    import numpy as np

    return np.asarray(float(value) if isinstance(value, str) else value).astype(like.dtype)


_OTHERS: Final = (
    "Relu", "Rsqrt", "Reciprocal", "Silu", "Sigmoid", "LeakyRelu", "Prelu", "Axpy", "MulAddDst",
    "FusedMulAdd", "FusedMulAddRelu",
)  # fmt: skip


def _function(op: str, p: Params) -> Callable[..., Any] | None:
    """What an elementwise instruction computes, from its sources; `dst` comes last where it is read."""
    value = p.get("scalar", 0)

    def named(*xs: Any) -> Any:
        import numpy as np

        if op in _SCALAR:
            pair = (xs[0], _scalar_of(value, xs[0]))
            return getattr(np, _SCALAR[op])(*(pair[::-1] if p.get("scalarFirst") else pair))
        if op in _RELU:
            return np.maximum(getattr(np, _RELU[op])(*xs), 0)
        return getattr(np, _BINARY.get(op) or _UNARY[op])(*xs)

    def other(*xs: Any) -> Any:
        return _formula(op, value, *xs)

    if op in _OTHERS:
        return other
    return named if op in {**_BINARY, **_SCALAR, **_UNARY, **_RELU} else None


def _formula(op: str, value: Any, x: Any, y: Any = None, d: Any = None) -> Any:
    """What an instruction computes that numpy has no word for."""
    import numpy as np

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


_READS_DST: Final = ("Axpy", "MulAddDst", "FusedMulAdd", "FusedMulAddRelu")


def _strides(p: Params, name: str, size: int, dtype_ratio: int = 1) -> _Strides:
    """The strides of an operand, by the name that AscendC gives them."""
    if "count" in p:
        return _Strides(size, 1, 0)
    if "dstRepeatSize" in p:  # CopyRepeatParams
        kind = "dst" if name == "dst" else "src"
        return _Strides(size, p[f"{kind}Stride"], p[f"{kind}RepeatSize"])
    names = (name, "src") if name == "src0" else (name,)
    for key in names:
        if f"{key}RepStride" in p:
            return _Strides(size, p.get(f"{key}BlkStride", 1), p[f"{key}RepStride"])
    return _Strides(size, 1, 8 // dtype_ratio)


def _elementwise(op: str, p: Params, operands: Operands, mask: Mask) -> Work | None:
    compute = _cast_of(p, operands["dst"].dtype) if op == "Cast" else _function(op, p)
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


def _cast_of(p: Params, dtype: str) -> Callable[[Any], Any]:
    mode = p.get("roundMode", "CAST_NONE")
    return lambda x: cast(x, dtype, mode)


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
        import numpy as np

        return marks.reshape(-1, 2).max(axis=1) if halves else np.repeat(marks, 2)

    return Work([Step(boxes["dst"], (boxes["src"],), compute, spread)])


def _duplicate(p: Params, operands: Operands, mask: Mask) -> Work:
    dst = operands["dst"]
    size = size_of(dst.dtype)
    value = p["scalar"]

    def compute() -> Any:
        import numpy as np

        return np.asarray(float(value) if isinstance(value, str) else value)

    lanes = lanes_of(p, mask, REPEAT // size)
    boxes = boxes_of(lanes, [_strides(p, "dst", size)])
    return Work([Step(Ref("dst", box, dst.dtype), (), compute, "clean") for (box,) in boxes])


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
    import numpy as np

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
    import numpy as np

    if kind == "sum":
        return x.dtype.type(0)
    worst = -1 if kind == "max" else 1
    return x.dtype.type(worst * np.inf) if x.dtype.kind == "f" else getattr(
        np.iinfo(x.dtype), "min" if worst < 0 else "max"
    )  # fmt: skip


def _reduced(x: Any, kind: str) -> Any:
    return _tree(x) if kind == "sum" else getattr(x, kind)(axis=-1)


def _reduction(op: str, p: Params, operands: Operands, mask: Mask) -> Work:
    """Sums or extremes of blocks, of pairs or of whole repeats; lanes of no mask take no part."""
    kind = _REDUCTIONS[op]
    dtype = operands["dst"].dtype
    size = size_of(dtype)
    per = REPEAT // size
    if "elemsInOneRepeat" in p:
        p = {**p, "mask": p["elemsInOneRepeat"]}
    lanes = lanes_of(p, mask, per)
    src = _strides(p, "src", size)
    group = {"B": BLOCK // size, "P": 2}.get(op[0], per)
    groups = per // group
    order = p.get("order", "ORDER_ONLY_VALUE") if kind != "sum" and op[0] == "W" else "ORDER_ONLY_VALUE"
    steps: list[Step] = []
    for part_repeat, repeats in dict.fromkeys([(part.repeat, part.repeats) for part in lanes]):
        parts = [part for part in lanes if part.repeat == part_repeat]
        on = [any(part.start <= lane < part.end for part in parts) for lane in range(per)]
        active = [g for g in range(groups) if any(on[g * group : (g + 1) * group])]
        whole = Lanes(part_repeat, repeats, 0, per)
        pieces = [whole] if all(on) else parts
        boxes = [box for (box,) in boxes_of(pieces, [src])]
        ins = tuple([Ref("src", box, dtype) for box in boxes])
        compute = _reduce(kind, pieces, repeats, per, group, active, order)
        width = {"ORDER_ONLY_VALUE": 1, "ORDER_ONLY_INDEX": 1}.get(order, 2)
        unit = groups * size if group < per else width * size
        pitch = p["dstRepStride"] * unit
        at = part_repeat * pitch
        for first, count in _runs_of(active):
            take = slice(active.index(first), active.index(first) + count)
            box = Box(at + first * size, ((repeats, pitch), (count * width, size)), size)
            spread = _reduce("max", pieces, repeats, per, group, active, "ORDER_ONLY_VALUE")
            made, marks = (_taken(f, take, n) for f, n in ((compute, width), (spread, 1)))
            steps.append(Step(Ref("dst", box, dtype), ins, made, marks))
    return Work(steps)


def _runs_of(active: Sequence[int]) -> list[tuple[int, int]]:
    return [(a, b - a) for a, b in _bit_runs(sum([1 << g for g in active]), max(active, default=-1) + 1)]


def _taken(compute: Callable[..., Any], take: slice, width: int) -> Callable[..., Any]:
    return (lambda *xs: compute(*xs)) if width == 2 else lambda *xs: compute(*xs)[:, take]


def _reduce(
    kind: str,
    pieces: Sequence[Lanes],
    repeats: int,
    per: int,
    group: int,
    active: Sequence[int],
    order: str,
) -> Callable[..., Any]:
    def compute(*xs: Any) -> Any:
        import numpy as np

        whole = np.full((repeats, per), _neutral(kind, xs[0]), xs[0].dtype)
        place = _places(pieces, xs)
        for (start, end), x in zip(place, xs, strict=True):
            whole[:, start:end] = x.reshape(repeats, -1)
        made = _reduced(whole.reshape(repeats, -1, group), kind)
        if order == "ORDER_ONLY_VALUE":
            return made[:, list(active)] if len(active) < made.shape[1] else made
        # the bits of the index are stored as they are
        found = (whole.argmax if kind == "max" else whole.argmin)(axis=1)
        words = np.uint16 if group == 128 else np.uint32
        index = found.astype(words).view(np.float16 if group == 128 else np.float32)
        value = made[:, 0].astype(index.dtype)
        if order == "ORDER_ONLY_INDEX":
            return index[:, None]
        pair = (value, index) if order == "ORDER_VALUE_INDEX" else (index, value)
        return np.stack(pair, -1)

    return compute


def _places(pieces: Sequence[Lanes], xs: Sequence[Any]) -> list[tuple[int, int]]:
    """The lanes of each box; a part whose blocks have gaps has several."""
    places: list[tuple[int, int]] = []
    start = left = 0
    rest = iter(pieces)
    for x in xs:
        if not left:
            part = next(rest)
            start, left = part.start, part.end - part.start
        width = x.size // x.shape[0]
        places.append((start, start + width))
        start, left = start + width, left - width
    return places


def _reduce_all(op: str, p: Params, operands: Operands) -> Work:
    """ReduceSum, ReduceMax, ReduceMin of all elements; the extremes with their index on request."""
    kind = op.removeprefix("Reduce").lower()
    dtype = operands["dst"].dtype
    size, count = size_of(dtype), p["count"]
    index = bool(p.get("calIndex"))

    def compute(x: Any) -> Any:
        import numpy as np

        made = _reduced(x.reshape(1, -1), kind)
        if not index:
            return made
        found = np.asarray([x.argmax() if kind == "max" else x.argmin()])
        bits = found.astype(f"u{size}").view("f2" if size == 2 else "f4")
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
        import numpy as np

        other = _scalar_of(p.get("scalar", 0), x) if y is None else y
        with np.errstate(invalid="ignore"):
            held = getattr(np, name)(x, other) & ~(np.isnan(x) | np.isnan(other))
        return np.packbits(held, bitorder="little")

    def spread(x: Any, y: Any = None) -> Any:
        import numpy as np

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
        import numpy as np

        lanes: Any = np.unpackbits(bits, bitorder="little")
        held: Any = lanes[:count].astype(bool)
        return chosen(held, x, _scalar_of(p.get("scalar", 0), x) if y is None else y)

    def spread(bits: Any, *marks: Any) -> Any:
        import numpy as np

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
