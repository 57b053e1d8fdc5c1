# SPDX-License-Identifier: Apache-2.0
"""Element types and their bits, by the names XLA gives them.

>>> element_type("bf16").bits, element_type("s4").bits, element_type("s4").bytes
(16, 4, 1)
"""

from __future__ import annotations

from typing import Final, NamedTuple

from ..errors import KindError, UnsupportedError
from .words import described, did_you_mean, near_words, shortened


class ElementType(NamedTuple):
    """An element type: its name and the bits of a value; ``token`` and ``opaque`` have none.

    >>> element_type("bf16"), element_type("bf16").bytes, ElementType("s4", 4).bytes
    (ElementType(name='bf16', bits=16), 2, 1)
    """

    name: str
    bits: int | None

    @property
    def bytes(self) -> int | None:
        """The whole bytes that XLA stores a value in, ``ByteSizeOfPrimitiveType``, without packing."""
        return None if self.bits is None else (self.bits + 7) // 8


# A pred holds one bit of meaning in eight of storage, and f8, f6, f4 keep their parameters in
# their names. Source: xla_data.proto PrimitiveType, primitive_util.h.
_BITS: Final = {
    1: "s1 u1",
    2: "s2 u2",
    4: "s4 u4 f4e2m1fn",
    6: "f6e2m3fn f6e3m2fn",
    8: "pred s8 u8 f8e3m4 f8e4m3 f8e4m3fn f8e4m3b11fnuz f8e4m3fnuz f8e5m2 f8e5m2fnuz f8e8m0fnu",
    16: "s16 u16 f16 bf16",
    32: "s32 u32 f32",
    64: "s64 u64 f64 c64",
    128: "c128",
    None: "token opaque",
}

ELEMENT_TYPES: Final = {
    name: ElementType(name, bits) for bits, names in _BITS.items() for name in names.split()
}
"""Every XLA element type of an array, by name, and the two that carry no data."""


# The names of other systems, for a hint in an error.
_ELSEWHERE: Final = {
    "bool": "pred", "half": "f16", "float": "f32", "double": "f64", "char": "s8", "short": "s16",
    "int": "s32", "long": "s64", "complex64": "c64", "complex128": "c128", "bfloat16": "bf16",
    **{f"float{n}": f"f{n}" for n in (16, 32, 64)},
    **{f"int{n}": f"s{n}" for n in (4, 8, 16, 32, 64)},
    **{f"uint{n}": f"u{n}" for n in (4, 8, 16, 32, 64)},
}  # fmt: skip


def element_type(name: str | ElementType) -> ElementType:
    """Return the element type of a name, upper or lower case; an element type is its own.

    >>> element_type("F8E4M3FN")
    ElementType(name='f8e4m3fn', bits=8)

    Raises:
        UnsupportedError: XLA has no such type; the nearest names are given.
    """
    if isinstance(name, ElementType):
        return name
    if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        what = getattr(name, "__name__", name)  # a dtype of numpy, or its class
        try:
            word = str(what).lower()
        except (RecursionError, ValueError):  # too deep, or too long
            word = ""
        known = _ELSEWHERE.get(word, word)
        ways = [f"Write {known!r}."] if known in ELEMENT_TYPES else []
        summary = f"expected the name of an element type, got {described(name)}"
        raise KindError(summary, *ways, value=name)
    type_ = ELEMENT_TYPES.get(name.lower())
    if type_ is None:
        lower = shortened(name.lower())
        known = _ELSEWHERE.get(lower.removesuffix("_t"))
        near = [known] if known else near_words(lower, ELEMENT_TYPES)
        hint = did_you_mean(near, ELEMENT_TYPES)
        raise UnsupportedError(f"{shortened(name)!r} is not an XLA element type", hint, name=name)
    return type_
