# SPDX-License-Identifier: Apache-2.0
"""The names of the C++ libraries, and C++'s own names of integer types.

>>> canonical_type("uint32_t"), canonical_type("long unsigned int"), canonical_type("T")
('unsigned int', 'unsigned long', None)
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from ..errors import UnsupportedError


class Dialect(NamedTuple):
    """The spelling of values in a library.

    Attributes:
        aliases: The static ints with a name of their own, such as ``_64``.
        extent, stride: The types of dynamic ints in extents and strides, if they fit.
        make_layout, make_shape, make_stride, make_coord, make_tuple: The functions that make values.
    """

    namespace: str
    title: str
    aliases: frozenset[int]
    extent: str
    stride: str
    make_layout: str
    make_shape: str
    make_stride: str
    make_coord: str
    make_tuple: str


CATLASS: Final = Dialect(
    "tla",
    "CATLASS",
    frozenset((0, 64, 128, 256, 512)),
    "unsigned int",
    "long",
    "tla::MakeLayout",
    "tla::MakeShape",
    "tla::MakeStride",
    "tla::MakeCoord",
    "tla::MakeTuple",
)
"""Source: CATLASS include/tla, integral_constant.hpp, layout.hpp."""

CUTE: Final = Dialect(
    "cute",
    "CuTe",
    frozenset(
        [
            *(-32, -24, -16, -12, *range(-10, 11), 12, 16, 24),
            *(*range(32, 257, 8), 384, 512, 768),
            *(1 << bits for bits in range(10, 20)),
        ]
    ),
    "int",
    "int",
    "cute::make_layout",
    "cute::make_shape",
    "cute::make_stride",
    "cute::make_coord",
    "cute::make_tuple",
)
"""Source: CuTe numeric/integral_constant.hpp, layout.hpp."""


def dialect_of(name: str) -> Dialect:
    """Return the dialect of a name.

    Raises:
        UnsupportedError: the name is neither ``"catlass"`` nor ``"cute"``.
    """
    if name not in ("catlass", "cute"):
        raise UnsupportedError(f"no dialect {name!r}", "Write 'catlass' or 'cute'.", dialect=name)
    return CATLASS if name == "catlass" else CUTE


# --- for the reader -----------------------------------------------------------------------------

NAMESPACES: Final = frozenset(("", "tla", "cute", "cutlass", "Catlass"))
"""The namespaces of the names below; "" is a name without a namespace."""

STATIC_INTS: Final = frozenset(("C", "Int"))
STATIC_SPACES: Final = re.compile(r"(?:std|cuda::std)(?:::__\w+)?")
"""Other namespaces of ``integral_constant``; some libraries add a namespace for their version."""
TUPLES: Final = frozenset(("tuple", "Shape", "Stride", "Coord", "Tile", "Step", "IntTuple"))
LAYOUTS: Final = frozenset(("Layout",))

INTEGER_WORDS: Final = frozenset(("char", "int", "long", "short", "signed", "unsigned", "__int128"))
"""The words in C++'s names of integer types."""

KEYWORDS: Final = frozenset(
    (
        *("auto", "bool", "double", "false", "float", "void", "true", "nullptr", "this", "sizeof"),
        *("if", "else", "for", "while", "do", "switch", "case", "break", "continue", "goto", "default"),
        *("return", "new", "delete", "operator", "template", "typedef", "using", "half", "static"),
    )
)
"""Words that name no variable."""

_TYPEDEFS: Final = {
    "int8_t": "signed char",
    "uint8_t": "unsigned char",
    "int16_t": "short",
    "uint16_t": "unsigned short",
    "int32_t": "int",
    "uint32_t": "unsigned int",
    "int64_t": "long",
    "uint64_t": "unsigned long",
    "size_t": "unsigned long",
    "ptrdiff_t": "long",
    "uintptr_t": "unsigned long",
    "intptr_t": "long",
}


def canonical_type(text: str) -> str | None:
    """Return the name of an integer type as g++ prints it in a template; None if the text is no such
    type.

    ``int64_t`` is ``long``, as on Linux.
    """
    words = text.split()
    if len(words) == 1:
        name = _TYPEDEFS.get(words[0].removeprefix("::").removeprefix("std::"))
        if name:
            return name
    if not words or not INTEGER_WORDS.issuperset(words):
        return None
    base = sorted(word for word in words if word not in ("signed", "unsigned", "int"))
    ints, signs = words.count("int"), words.count("signed") + words.count("unsigned")
    if ints > 1 or signs > 1 or base not in _BASES or (ints and base in (["__int128"], ["char"])):
        return None
    if base == ["char"] and "signed" in words:
        return "signed char"
    return ("unsigned " if "unsigned" in words else "") + (" ".join(base) or "int")


_BASES: Final = tuple(map(str.split, ("", "long", "long long", "short", "char", "__int128")))


def is_unsigned(name: str) -> bool:
    """Whether a canonical name is that of an unsigned type."""
    return name.startswith("unsigned")
