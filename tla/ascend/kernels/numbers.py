# SPDX-License-Identifier: Apache-2.0
"""Numbers as the chip has them: element types in memory, rounding, casts.

Half, bfloat16 and the types of 8 bits are computed in float and rounded when they are stored.

>>> import numpy as np
>>> bits_of("float16"), bits_of("int4")
(16, 4)
>>> cast(np.float32([0.5, 1.5, -2.5]), "int32", "CAST_RINT")
array([ 0,  2, -2], dtype=int32)
>>> cast(np.float32([2.5]), "int8", "CAST_ROUND")
array([3], dtype=int8)

Source: AscendC, Cast and its table of rounding modes.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from ...errors import UnsupportedError
from .lazy_numpy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_CODES: Final = {
    "float16": "f2", "bfloat16": "u2", "float32": "f4", "float64": "f8",
    "int8": "i1", "uint8": "u1", "int16": "i2", "uint16": "u2", "int32": "i4", "uint32": "u4",
    "int64": "i8", "uint64": "u8", "bool": "u1", "int4": "u1",
    "float8_e4m3": "u1", "float8_e5m2": "u1", "float8_e8m0": "u1", "hifloat8": "u1",
    "mx_float8_e4m3": "u1", "mx_float8_e5m2": "u1", "float4_e2m1": "u1", "float4_e1m2": "u1",
}  # fmt: skip
"""The types of a trace, and how numpy holds their bytes; two of 4 bits share one."""
ROUND_MODES: Final = (
    "CAST_NONE", "CAST_RINT", "CAST_FLOOR", "CAST_CEIL", "CAST_ROUND", "CAST_TRUNC", "CAST_ODD",
)  # fmt: skip
"""How a cast rounds; NONE is RINT where something is lost."""
_FLOATS: Final = {
    "float16": (10, -14), "bfloat16": (7, -126), "float8_e4m3": (3, -6), "float8_e5m2": (2, -14),
    "mx_float8_e4m3": (3, -6), "mx_float8_e5m2": (2, -14), "float4_e2m1": (1, 0), "float4_e1m2": (2, 0),
}  # fmt: skip
"""The bits of the fraction and the least exponent of a normal number."""
_NIBBLES: Final = ("int4", "float4_e2m1", "float4_e1m2")
_ALIASES: Final = {"half": "float16", "float": "float32", "double": "float64", "int4b_t": "int4"}


def type_name(dtype: str) -> str:
    """Return the name that instructions have for an element type of AscendC.

    >>> type_name("half"), type_name("int8_t"), type_name("float4_e2m1x2_t")
    ('float16', 'int8', 'float4_e2m1')
    """
    return _ALIASES.get(dtype) or dtype.removesuffix("_t").removesuffix("x2")


def known_type(dtype: str) -> str:
    """Return a type by the name that instructions have for it.

    Raises:
        UnsupportedError: the machine has no such type.
    """
    name = type_name(dtype)
    if name not in _CODES:
        raise UnsupportedError(f"the machine has no element type {dtype!r}", dtype=dtype)
    return name


def bits_of(dtype: str) -> int:
    """Return the bits of an element."""
    return 4 if dtype in _NIBBLES else 8 * size_of(dtype)


def size_of(dtype: str) -> int:
    """Return the bytes of an element, 1 for a pair of 4 bits."""
    return int(code_of(dtype)[1])


def code_of(dtype: str) -> str:
    """Return the type of numpy that holds the bytes of an element."""
    return _CODES[known_type(dtype)]


def is_float(dtype: str) -> bool:
    """Return whether a type has a fraction."""
    return "float" in dtype


def decoded(stored: NDArray[Any], dtype: str) -> Any:
    """Return elements of memory as numbers: floats of up to 16 bits as float32."""
    if dtype == "float16":
        return stored.astype(np.float32)
    if dtype == "bfloat16":
        return (stored.astype(np.uint32) << 16).view(np.float32)
    if dtype in _NIBBLES:
        pairs = np.stack([stored & 15, stored >> 4], -1).reshape(*stored.shape[:-1], -1)
        return _table(dtype)[pairs]
    if dtype.startswith(("float8", "mx_float8")):
        return _table(dtype)[stored]
    return stored


@lru_cache
def _table(dtype: str) -> NDArray[Any]:
    """The values of the 16 or 256 patterns of a type."""
    if dtype == "int4":
        return np.array([*range(8), *range(-8, 0)], np.int8)
    if dtype == "float8_e8m0":
        return np.array([*[2.0 ** (e - 127) for e in range(255)], np.nan], np.float32)
    fraction, least = _FLOATS[dtype]
    width = bits_of(dtype)
    values = np.empty(1 << width, np.float32)
    for bits in range(1 << width):
        sign = -1.0 if bits >> (width - 1) else 1.0
        exponent, rest = (
            bits >> fraction & ((1 << (width - 1 - fraction)) - 1),
            bits & ((1 << fraction) - 1),
        )
        scaled = rest / (1 << fraction)
        values[bits] = sign * (
            scaled * 2.0**least if exponent == 0 else (1 + scaled) * 2.0 ** (exponent - 1 + least)
        )
        if dtype.endswith("e5m2") and exponent == 31:
            values[bits] = sign * np.inf if rest == 0 else np.nan
        if dtype.endswith("e4m3") and bits & 127 == 127:
            values[bits] = np.nan
    return values


def encoded(values: Any, dtype: str) -> Any:
    """Return numbers as elements of memory, rounded half to even."""
    if dtype == "bfloat16":
        bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
        rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
        return np.where(np.isnan(values), np.uint16(0x7FC0), rounded)
    if dtype == "int4":
        nibbles = np.asarray(values).astype(np.int8).view(np.uint8) & 15
        return nibbles[..., ::2] | nibbles[..., 1::2] << 4
    if dtype in _FLOATS and dtype != "float16":
        table = _table(dtype)
        finite = np.where(np.isfinite(table), table, 0)
        order = np.argsort(finite, kind="stable")
        rounded = _to_fraction(np.asarray(values, np.float32), dtype, "CAST_RINT")
        near = np.clip(rounded, finite[order[0]], finite[order[-1]])
        return order[np.searchsorted(finite[order], near)].astype(np.uint8)
    code = code_of(dtype)
    if values.dtype.str[1:] == code:
        return values
    return values.astype(code)


def rounded_to(x: NDArray[np.float32], fraction: int, to_zero: bool) -> Any:
    """Return floats with some bits of their fraction, the nearest ones; a half goes to zero or to even.

    >>> import numpy as np
    >>> halves = np.float32([1 + 2**-11, 1 + 3 * 2**-11])
    >>> [(rounded_to(halves, 10, to_zero) - 1) * 1024 for to_zero in (True, False)]
    [array([0., 1.], dtype=float32), array([0., 2.], dtype=float32)]
    """
    bits: Any = x.view(np.uint32)
    gone = np.uint32(23 - fraction)
    half = np.uint32((1 << int(gone) - 1) - 1)
    odd = 0 if to_zero else bits >> gone & 1
    near: Any = (bits + (half + odd).astype(np.uint32) >> gone << gone).view(np.float32)
    return chosen(np.isfinite(x), near, x)


def _whole(x: Any, mode: str) -> Any:
    """Round to ints."""
    if mode in ("CAST_NONE", "CAST_RINT"):
        return np.rint(x)
    if mode == "CAST_ROUND":
        return np.copysign(np.floor(np.abs(x) + 0.5), x)
    if mode == "CAST_ODD":
        low = np.trunc(x)
        return chosen((low == x) | (np.mod(low, 2) == 1), low, low + np.copysign(1, x))
    return {"CAST_FLOOR": np.floor, "CAST_CEIL": np.ceil, "CAST_TRUNC": np.trunc}[mode](x)


def _to_fraction(x: Any, dtype: str, mode: str) -> Any:
    """Round to the fraction of a float type."""
    fraction, least = _FLOATS[dtype]
    _, exponent = np.frexp(x)
    unit = np.ldexp(np.float64(1), np.maximum(exponent - 1, least) - fraction)
    return chosen(np.isfinite(x), _whole(np.asarray(x, np.float64) / unit, mode) * unit, x)


def require_round_mode(mode: object) -> None:
    """Require a rounding mode of AscendC.

    Raises:
        UnsupportedError: there is no such mode.
    """
    if mode not in ROUND_MODES:
        raise UnsupportedError(
            f"there is no rounding mode {mode!r}", f"There are {', '.join(ROUND_MODES)}."
        )


def cast(x: Any, dtype: str, mode: str) -> Any:
    """Return numbers rounded to a type, by a mode of AscendC; ints are saturated.

    >>> import numpy as np
    >>> cast(np.float32([300.7, -1.5]), "int8", "CAST_TRUNC").tolist()
    [127, -1]
    """
    require_round_mode(mode)
    if is_float(dtype):
        if dtype == "float32":
            same = x.dtype == np.float32 and mode != "CAST_NONE"
            return _whole(x, mode).astype(np.float32) if same else x.astype(np.float32)
        if mode not in ("CAST_NONE", "CAST_RINT"):
            x = _to_fraction(x, dtype, mode)
        return x
    low, high = (
        (-8, 7) if dtype == "int4" else (lambda i: (int(i.min), int(i.max)))(np.iinfo(code_of(dtype)))
    )
    if x.dtype.kind == "f":
        exact = np.nan_to_num(_whole(x.astype(np.float64), mode), nan=0, posinf=high, neginf=low)
        top = np.float64(high)
        clipped = np.clip(exact, low, top)
        made = np.where(clipped >= top, high, np.where(clipped >= top, 0, clipped).astype(np.int64))
    else:
        made = np.clip(x, low, high)
    return made.astype("i1" if dtype == "int4" else code_of(dtype))


def is_known(dtype: str) -> bool:
    """Return whether the machine has a type of this name."""
    return type_name(dtype) in _CODES


def is_memory_of(array: np.dtype[Any], dtype: str) -> bool:
    """Return whether an array of numpy's type holds elements of a type, as numbers or as bytes.

    >>> import numpy as np
    >>> [is_memory_of(np.dtype(x), "bfloat16") for x in ("uint16", "uint8", "float16", "float32")]
    [True, True, False, False]
    """
    if array.kind == "V" or array.str[1:] == "u1" or not is_known(dtype):
        return True
    code = code_of(dtype)
    same = array.itemsize == int(code[1])
    return array.str[1:] == code or (
        same and (array.kind == "u" or array.itemsize == 1 or not (is_float(dtype) or array.kind == "f"))
    )


def float_values(x: NDArray[Any]) -> NDArray[np.float32]:
    """Return numbers as float32."""
    return x if x.dtype == np.float32 else x.astype(np.float32)


def chosen(held: Any, x: Any, y: Any) -> Any:
    """Return x where `held` is true, else y.

    >>> import numpy as np
    >>> chosen(np.array([True, False]), 1, 2).tolist()
    [1, 2]
    """
    where: Any = np.where
    return where(held, x, y)
