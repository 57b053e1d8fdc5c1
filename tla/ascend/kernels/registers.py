# SPDX-License-Identifier: Apache-2.0
"""Functions on vector registers of Ascend950: each call of their code, as the recorder writes it.

A register has 256 bytes. A call has its element type, the bytes of the lanes that its mask takes, the
registers that it writes and reads, and one value more: a scalar, or how memory is read. Lanes that the
mask leaves out become zero. The registers of a core are a memory of their own beside UB; the first two
are free for exchanges.

>>> from tla.ascend.kernels import Operand
>>> ub = Operand("UB", "AIV0", 0, "uint8")
>>> code = [["Load", "float32", 256, [2], [], ["DIST_BRC_B32", 64]]]
>>> work = register_work({"code": code}, {"ub": ub, "registers": ub})
>>> [box.ends for _, box in work.reads], [box.ends for _, box in work.writes]
([(64, 68)], [(512, 768)])

Source: AscendC, Reg: LoadAlign, StoreAlign, Cast and its layouts, Interleave, Reduce.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ...errors import UnsupportedError
from .boxes import Box
from .moving import BLOCK, moved
from .numbers import cast, size_of
from .vectors import REPEAT, function_of, reduced
from .works import Ref, Step, Work, constant, filled, line_box

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .instructions import Operand

_INTO: Final = ("ub", "registers")
_OUT: Final = ("registers", "ub")
_WITHIN: Final = ("registers", "registers")
_PACKED: Final = {"PACK_B16": 2, "PACK_B32": 2, "PACK4_B32": 4}
"""How many times as wide a lane is as what is stored of it."""
_UNPACKED: Final = {"UNPACK_B8": 2, "UNPACK_B16": 2, "UNPACK_B32": 2, "UNPACK4_B8": 4}
_LAYOUTS: Final = ("ZERO", "ONE", "TWO", "THREE")


def register_work(p: Mapping[str, Any], operands: Mapping[str, Operand]) -> Work:
    """Return what a function on registers does.

    Raises:
        UnsupportedError: the machine does not model a call of it.
    """
    steps: list[Step] = []
    for op, dtype, mask, dst, src, value in p["code"]:
        size = size_of(dtype)
        if op in _MEMORY:
            steps += _MEMORY[op](size, mask, [*dst, *src], value)
        elif op in _EXCHANGES:
            steps += _EXCHANGES[op](size, dst, src)
        elif op == "Cast":
            steps += _cast(dtype, mask, dst[0], src[0], value)
        else:
            steps += _lanes(op, dtype, mask, dst[0], src, value)
    return Work(steps)


def _lines(registers: Sequence[int], size: int, count: int) -> list[Box]:
    return [line_box(REPEAT * number, count, size) for number in registers]


def _rest(number: int, first: int) -> list[Step]:
    """The lanes that a mask leaves out."""
    box = Box(REPEAT * number + first, ((1, 0),), REPEAT - first)
    return [filled(box, "registers")] if first < REPEAT else []


# --- memory


def _load(size: int, _mask: int, registers: Sequence[int], value: Sequence[Any]) -> list[Step]:
    dist, address = value[0].removeprefix("DIST_"), value[1]
    to, lanes = REPEAT * registers[0], REPEAT // size
    if dist.startswith("NORM"):
        return [moved(REPEAT, address, to, (1, 0, 0), names=_INTO)]
    if dist.startswith("BRC"):
        return [moved(size, address, to, (lanes, 0, size), names=_INTO)]
    if dist.startswith("DINTLV"):
        axes = (lanes, 2 * size, size)
        places = enumerate(registers)
        return [moved(size, address + n * size, REPEAT * r, axes, names=_INTO) for n, r in places]
    if dist in _UNPACKED:
        wide = size * _UNPACKED[dist]
        step = moved(size, address, to, (REPEAT // wide, size, wide), names=_INTO)
        return [*_rest(registers[0], 0), step]
    raise UnsupportedError(f"the machine does not model a load of registers by {value[0]}")


def _store(size: int, mask: int, registers: Sequence[int], value: Sequence[Any]) -> list[Step]:
    dist, address = value[0].removeprefix("DIST_"), value[1]
    at = REPEAT * registers[0]
    if dist == "DATA_BLOCK_COPY":
        return [moved(BLOCK, at, address, (mask // BLOCK, BLOCK, value[2] * BLOCK), names=_OUT)]
    if dist.startswith(("NORM", "FIRST_ELEMENT")):
        return [moved(mask if dist[0] == "N" else size, at, address, (1, 0, 0), names=_OUT)]
    if dist in _PACKED:
        width = int(dist[-2:].lstrip("B")) // 8
        part = width // _PACKED[dist]
        return [moved(part, at, address, (mask // width, width, part), names=_OUT)]
    raise UnsupportedError(f"the machine does not model a store of registers by {value[0]}")


_MEMORY: Final = {"Load": _load, "Store": _store}


# --- between registers


def _interleave(size: int, dst: Sequence[int], src: Sequence[int]) -> list[Step]:
    """Lanes of two registers in turn: those of their first halves, then those of their second ones."""
    axes, half = (REPEAT // size // 2, size, 2 * size), REPEAT // 2
    return _copies(src) + [
        moved(size, REPEAT * source + part * half, REPEAT * to + source * size, axes, names=_WITHIN)
        for part, to in enumerate(dst)
        for source in (0, 1)
    ]


def _deinterleave(size: int, dst: Sequence[int], src: Sequence[int]) -> list[Step]:
    """The lanes of two registers: the even ones, and the odd ones."""
    axes, half = (REPEAT // size // 2, 2 * size, size), REPEAT // 2
    return _copies(src) + [
        moved(size, REPEAT * source + part * size, REPEAT * to + source * half, axes, names=_WITHIN)
        for part, to in enumerate(dst)
        for source in (0, 1)
    ]


def _copies(src: Sequence[int]) -> list[Step]:
    return [moved(REPEAT, REPEAT * r, REPEAT * n, (1, 0, 0), names=_WITHIN) for n, r in enumerate(src)]


_EXCHANGES: Final = {"Interleave": _interleave, "DeInterleave": _deinterleave}


def _cast(dtype: str, mask: int, dst: int, src: int, value: tuple[str, str, str]) -> list[Step]:
    """Convert lanes; between types of other widths one lane of the wider for each, by the layout."""
    source, mode, layout = value
    sizes, place = (size_of(source), size_of(dtype)), 0
    wide = max(sizes)
    lanes, parts = mask // wide, wide // sizes[1]
    if layout in _LAYOUTS:
        place = _LAYOUTS.index(layout)
    read, write = (
        Box(REPEAT * number + place * size % wide, ((lanes, wide),), size)
        for number, size in zip((src, dst), sizes, strict=True)
    )

    def compute(x: Any) -> Any:
        return cast(x, dtype, mode if mode.startswith("CAST") else "CAST_NONE")

    step = Step(Ref("registers", write, dtype), (Ref("registers", read, source),), compute)
    zeros = [
        filled(Box(REPEAT * dst + n * sizes[1], ((REPEAT // wide, wide),), sizes[1]), "registers")
        for n in range(parts)
        if n != place % parts
    ]
    return [step, *zeros, *_rest(dst, lanes * wide)]


def _lanes(op: str, dtype: str, mask: int, dst: int, src: Sequence[int], value: Any) -> list[Step]:
    """Compute lane by lane, or reduce to the first lane."""
    size, at = size_of(dtype), REPEAT * dst
    out, *ins = _lines([dst, *src], size, mask // size)
    if op == "Select":
        first, second = [REPEAT * number for number in src]
        parts = (moved(mask, first, at, (1, 0, 0), names=_WITHIN),)
        rest = moved(REPEAT - mask, second + mask, at + mask, (1, 0, 0), names=_WITHIN)
        return [*parts, rest] if mask < REPEAT else [*parts]
    if op == "Duplicate" and src:
        axes = (mask // size, 0, size)
        return [moved(size, REPEAT * src[0], at, axes, names=_WITHIN), *_rest(dst, mask)]
    refs = tuple([Ref("registers", box, dtype) for box in ins])
    if op.startswith("Reduce"):
        target = Ref("registers", line_box(REPEAT * dst, 1, size), dtype)
        kind = op.removeprefix("Reduce").lower()

        def reduce(x: Any) -> Any:
            return reduced(x.reshape(1, -1), kind)

        return [Step(target, refs, reduce, "all"), *_rest(dst, size)]
    compute = constant(value) if op == "Duplicate" else function_of(op, {"scalar": value}, dtype)
    if compute is None:
        raise UnsupportedError(f"the machine does not model {op} of registers")
    return [Step(Ref("registers", out, dtype), refs, compute), *_rest(dst, mask)]
