"""Element types and their bits, by the names XLA gives them.

>>> element_type("bf16").bits, element_type("s4").bits, element_type("s4").bytes
(16, 4, 1)
"""

from __future__ import annotations

from typing import Final

from .errors import UnsupportedError
from .text import shortened

__all__ = ["ELEMENT_TYPES", "ElementType", "element_type"]


class ElementType:
    """An element type: its name, the bits of a value, and the bytes XLA stores it in.

    ``bytes`` is XLA's ``ByteSizeOfPrimitiveType``: types below a byte take a whole one unless a
    layout packs them. ``token`` and ``opaque`` have no size: both are None.
    """

    __slots__ = ("bits", "bytes", "name")

    def __init__(self, name: str, bits: int | None) -> None:
        self.name: Final = name
        self.bits: Final = bits
        self.bytes: Final = None if bits is None else (bits + 7) // 8

    def __repr__(self) -> str:
        return f"ElementType({self.name!r}, {self.bits!r})"


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


def element_type(name: str) -> ElementType:
    """Return the element type of a name, upper or lower case.

    Raises:
        UnsupportedError: XLA has no such type; the nearest names are given.
    """
    found = ELEMENT_TYPES.get(name.lower())
    if found is None:
        from difflib import get_close_matches  # only an error needs it

        near = get_close_matches(shortened(name.lower()), ELEMENT_TYPES, n=3)
        hint = f"Did you mean {' or '.join(near)}?" if near else f"Known: {', '.join(ELEMENT_TYPES)}."
        raise UnsupportedError(f"{shortened(name)!r} is not an XLA element type", hint, name=name)
    return found
