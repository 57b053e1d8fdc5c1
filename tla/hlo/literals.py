# SPDX-License-Identifier: Apache-2.0
"""The text of a constant, as XLA prints it, from the literal of a protocol buffer.

Source: literal.cc ``PrintWithoutShapeOneline``; comparison_util.h and types for the digits of floats.
"""

from __future__ import annotations

import math
import re
import struct
from typing import TYPE_CHECKING, Any, Final

from ..ground import element_type
from .schema import ProtoError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .schema import Message

ELEMENT_TYPES: Final = (
    *("invalid", "pred", "s8", "s16", "s32", "s64", "u8", "u16", "u32", "u64", "f16", "f32", "f64"),
    *("tuple", "opaque", "c64", "bf16", "token", "c128", "f8e5m2", "f8e4m3fn", "s4", "u4"),
    *("f8e4m3b11fnuz", "f8e5m2fnuz", "f8e4m3fnuz", "s2", "u2", "f8e4m3", "f8e3m4", "s1", "u1"),
    *("f4e2m1fn", "f8e8m0fnu", "b", "f6e3m2fn", "f6e2m3fn"),
)
"""The names of element types by their numbers; ``b`` is a buffer."""

MOST_SHOWN: Final = 10
"""The elements of a constant that XLA writes out; of more it writes ``{...}``."""

_LONGEST: Final = 1000
"""The longest dim of a constant without elements that is written out."""

_SMALL: Final = re.compile(r"f([468])e(\d)m(\d)(fn|fnu)?(b11)?(fnuz)?")


def literal_text(literal: Message) -> str:
    """Return the text of a literal without its shape; ``{...}`` for more elements than XLA shows."""
    shape = literal.shape
    number: int = shape.element_type
    type_ = ELEMENT_TYPES[number]
    dims = list(literal.dynamic_sizes) or list(shape.dimensions)
    if type_ == "tuple" or math.prod(dims) > MOST_SHOWN or max(dims, default=0) > _LONGEST:
        return "{...}"
    values = _elements(literal, type_)
    if len(values) != math.prod(shape.dimensions):
        summary = f"a constant {type_}{list(shape.dimensions)} has {len(values)} elements"
        raise ProtoError(summary)
    strides = [0] * len(dims)
    step = 1
    for dim in shape.layout.minor_to_major or range(len(dims) - 1, -1, -1):
        strides[dim] = step
        step *= shape.dimensions[dim]
    show: Callable[[object], str] = str
    if type_ == "pred":
        words = ("0", "1") if dims else ("false", "true")
        show = lambda value: words[bool(value)]  # noqa: E731
    text = _nested(values, show, dims, strides, 0)
    return text if len(dims) != 1 else text.replace("{ ", "{").replace(" }", "}")


def _nested(
    values: Sequence[object], show: Callable[[object], str], dims: list[int], strides: list[int], at: int
) -> str:
    if not dims:
        return show(values[at])
    inner = [_nested(values, show, dims[1:], strides[1:], at + i * strides[0]) for i in range(dims[0])]
    return f"{{ {', '.join(inner)} }}" if inner else "{}"


def _elements(literal: Message, type_: str) -> Sequence[object]:
    """The elements in the order of memory, floats as texts."""
    stored: Any = getattr(literal, f"{type_}s", None)
    if stored is None:
        raise ProtoError(f"a constant has no elements of type {type_}")
    if type_ in ("pred", "s32", "s64", "u32", "u64"):
        return list(stored)
    if type_ in ("f32", "f64"):
        return [_float_text(value, type_) for value in stored]
    if type_ in ("c64", "c128"):
        parts = [_float_text(value, "f32" if type_ == "c64" else "f64") for value in stored]
        return [f"({real}, {imag})" for real, imag in zip(parts[::2], parts[1::2], strict=True)]
    data: bytes = stored
    bits = element_type(type_).bits or 8
    width = max(1, bits // 8)
    raw = [int.from_bytes(data[i : i + width], "little") for i in range(0, len(data), width)]
    if type_[0] == "u":
        return raw
    if type_[0] == "s":
        return [value - (value >> (bits - 1) << bits) for value in raw]
    return [_small_text(value, type_, bits) for value in raw]


def _float_text(value: float, type_: str) -> str:
    few, enough = (6, 9) if type_ == "f32" else (15, 17)
    if math.isnan(value) or math.isinf(value):
        return _special(value)
    text = f"{value:.{few}g}"
    again = float(text)
    if type_ == "f32":
        try:
            again = struct.unpack("<f", struct.pack("<f", again))[0]
        except OverflowError:
            again = math.inf
    return text if again == value else f"{value:.{enough}g}"


def _special(value: float) -> str:
    sign = "-" if math.copysign(1, value) < 0 else ""
    return sign + ("nan" if math.isnan(value) else "inf")


def _small_text(raw: int, type_: str, bits: int) -> str:
    """A float of at most 16 bits, with the digits that tell it from its neighbours."""
    if type_ in ("f16", "bf16"):
        exponent, mantissa, name = (5, 10, "") if type_ == "f16" else (8, 7, "")
    else:
        match = _SMALL.fullmatch(type_)
        if match is None:
            raise AssertionError(f"no float {type_}")
        exponent, mantissa, name = int(match[2]), int(match[3]), type_
    value = _small(raw, bits, exponent, mantissa, name)
    if math.isnan(value) or math.isinf(value):
        return _special(value)
    digits = math.ceil(1 + (mantissa + 1) * math.log10(2))
    return f"{value:.{digits}g}"


def _small(raw: int, bits: int, exponent: int, mantissa: int, name: str) -> float:
    unsigned = name.endswith("fnu")
    sign = -1.0 if not unsigned and raw >> (bits - 1) else 1.0
    field = raw >> mantissa & ((1 << exponent) - 1)
    fraction = raw & ((1 << mantissa) - 1)
    bias = (1 << (exponent - 1)) - 1 + name.endswith("fnuz")
    if "b11" in name:
        bias = 11
    last = field == (1 << exponent) - 1
    if name.endswith("fnuz"):
        if raw == 1 << (bits - 1):
            return -math.nan
    elif unsigned:
        return math.nan if last else math.ldexp(1.0, field - bias)
    elif name.endswith("fn"):
        if bits == 8 and last and fraction == (1 << mantissa) - 1:
            return math.copysign(math.nan, sign)
    elif last:
        return math.copysign(math.nan if fraction else math.inf, sign)
    if field == 0:
        return sign * math.ldexp(fraction, 1 - bias - mantissa)
    return sign * math.ldexp((1 << mantissa) + fraction, field - bias - mantissa)
