# SPDX-License-Identifier: Apache-2.0
"""What the records of instructions are made of: layouts of threads and values, element types."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from ..errors import KindError
from ..layouts import AnyLayout, as_static, make_layout

Operand: TypeAlias = Literal["a", "b", "c"]
Side: TypeAlias = Literal["src", "dst"]
Modes: TypeAlias = Sequence[tuple[int, int]]
"""Extents and steps, the first mode fastest. A tuple of them stays as written."""


class ValueTypes(NamedTuple):
    """The element types of an atom, in CuTe's words.

    >>> from tla import gpu
    >>> gpu.atoms["SM80_16x8x16_F32BF16BF16F32_TN"].types
    ValueTypes(d='float', a='bfloat16_t', b='bfloat16_t', c='float', e='', sf='')

    Attributes:
        d, a, b, c: Of the result, of the two factors, and of the tile that is added.
        e: Of the metadata of a sparse A; empty where A is dense.
        sf: Of the scale factors; empty without them.
    """

    d: str
    a: str
    b: str
    c: str
    e: str = ""
    sf: str = ""


def _written(modes: Modes) -> tuple[Any, Any]:
    """Shape and stride. Of a list, modes of extent 1 are left out, and one mode stands alone."""
    if isinstance(modes, list):
        modes = [mode for mode in modes if mode[0] > 1] or [(1, 0)]
        if len(modes) == 1:
            extent, step = modes[0]
            return extent, step
    return tuple([extent for extent, _step in modes]), tuple([step for _extent, step in modes])


def static(*modes: Modes) -> AnyLayout:
    """Return the static layout of modes, each of which may be several.

    >>> print(static([(4, 16), (8, 1)], [(2, 8), (1, 64)]), static([]))
    ((_4,_8),_2):((_16,_1),_8) _1:_0
    """
    written = [_written(mode) for mode in modes]
    shape, stride = written[0] if len(written) == 1 else zip(*written, strict=True)
    return make_layout(as_static(shape), stride=as_static(stride))


BITS: Final = {
    "double": 64, "float": 32, "tfloat32_t": 32, "xf32": 32, "half_t": 16, "bfloat16_t": 16,
    "float_e2m1_t": 4, "float_e4m3_t": 8, "float_e5m2_t": 8, "fp8": 8, "bf8": 8,
    "int64_t": 64, "int32_t": 32, "int": 32, "int16_t": 16, "int8_t": 8, "int4b_t": 4,
    "uint256_t": 256, "uint128_t": 128, "uint64_t": 64, "uint32_t": 32, "uint16_t": 16, "uint8_t": 8,
    "uint4b_t": 4, "uint1b_t": 1, "complex<double>": 128, "complex<float>": 64,
    "complex<tfloat32_t>": 64, "complex<half_t>": 32, "complex<bfloat16_t>": 32,
}  # fmt: skip
"""The bits of an element."""

_LETTERS: Final = {
    "GC64": "GaussComplex", "C64": "complex<double>", "F64": "double", "TF32": "tfloat32_t",
    "XF32": "xf32", "F32": "float", "BF16": "bfloat16_t", "F16": "half_t", "E4M3": "float_e4m3_t",
    "E5M2": "float_e5m2_t", "BF8": "bf8", "F8": "fp8", "S32": "int32_t", "I32": "int32_t",
    "S8": "int8_t", "I8": "int8_t", "U8": "uint8_t", "S4": "int4b_t", "I4": "int4b_t", "U4": "uint4b_t",
    "U1": "uint1b_t",
}  # fmt: skip
_LETTER: Final = re.compile("|".join(_LETTERS))


def types_of(letters: str) -> ValueTypes:
    """Return the types that letters name: of D, A, B and C; without C, that of D.

    >>> types_of("F32TF32TF32")
    ValueTypes(d='float', a='tfloat32_t', b='tfloat32_t', c='float', e='', sf='')
    """
    d, a, b, *c = (_LETTERS[word] for word in _LETTER.findall(letters))
    return ValueTypes(d, a, b, *(c or (d,)))


OPERANDS: Final = {"a": (0, 2), "b": (1, 2), "c": (0, 1)}
"""The two of M, N and K that an operand has."""


SIDES: Final = ("src", "dst")
"""The sides of a copy."""


def one_of(word: str, known: Iterable[str], what: str) -> None:
    """Raise `KindError` if a word is none of those known."""
    if word not in known:
        raise KindError(f"{what} is {' or '.join(map(repr, known))}, not {word!r}", value=word)


def atom(m: int, n: int, k: int, thr: AnyLayout, **fields: Any) -> dict[str, Any]:
    """The fields of the record of a matrix instruction."""
    return {"shape_mnk": as_static((m, n, k)), "thr": thr, **fields}
