# SPDX-License-Identifier: Apache-2.0
"""The element types of Ascend kernels, by their names in CATLASS.

>>> half = element("half")
>>> half.bits, half.c0, half.fractal, half.xla
(16, 16, 256, 'f16')
>>> element("bf16") is element("bfloat16_t")
True

A row of a fractal, C0, is 32 bytes. A fractal is 16 such rows, 512 bytes. So the width of an element
fixes the number of elements in both.

Source: CATLASS gemm/helper.hpp, numeric_size.hpp, catlass.hpp.
"""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

from ..errors import KindError, UnsupportedError
from ..ground import ElementType, constexpr, described, did_you_mean, near_words, shortened
from ..numbers import leaf
from .cube import PRODUCTS

C0_BITS: Final = 256
FRACTAL_BITS: Final = 4096


class Element(NamedTuple):
    """An element type: its CATLASS name, its bits, and XLA's name where XLA has the type.

    >>> kind = element("bfloat16_t")
    >>> kind.name, kind.bits, kind.xla
    ('bfloat16_t', 16, 'bf16')
    """

    name: str
    bits: int
    xla: str | None

    @property
    def c0(self) -> int:
        """The number of elements in a row of a fractal, 32 bytes."""
        return C0_BITS // self.bits

    @property
    def fractal(self) -> int:
        """The number of elements in a fractal, 512 bytes."""
        return FRACTAL_BITS // self.bits

    @property
    def sizeof(self) -> int:
        """The ``sizeof`` of C++: whole bytes, so 1 for a type of four bits."""
        return (self.bits + 7) // 8

    def bytes_of(self, count: int) -> int:
        """The bytes that `count` elements take, packed: two of four bits share a byte.

        Raises:
            LeafError: the count is no int.
        """
        if count.__class__ is not int:
            leaf(count)
        return (count * self.bits + 7) // 8

    def __str__(self) -> str:
        return self.name


ElementLike: TypeAlias = "str | Element | ElementType"
"""An element type of CATLASS or of XLA, or its name."""

ELEMENTS: Final = {
    e.name: e
    for e in (
        Element("int4b_t", 4, "s4"),
        Element("float4_e2m1x2_t", 4, "f4e2m1fn"),
        Element("float4_e1m2x2_t", 4, None),
        Element("int8_t", 8, "s8"),
        Element("uint8_t", 8, "u8"),
        Element("float8_e4m3_t", 8, "f8e4m3fn"),
        Element("float8_e5m2_t", 8, "f8e5m2"),
        Element("float8_e8m0_t", 8, "f8e8m0fnu"),
        Element("hifloat8_t", 8, None),
        Element("half", 16, "f16"),
        Element("bfloat16_t", 16, "bf16"),
        Element("int16_t", 16, "s16"),
        Element("uint16_t", 16, "u16"),
        Element("float", 32, "f32"),
        Element("int32_t", 32, "s32"),
        Element("uint32_t", 32, "u32"),
        Element("double", 64, "f64"),
        Element("int64_t", 64, "s64"),
        Element("uint64_t", 64, "u64"),
    )
}
"""Every element type by its CATLASS name."""

_OTHER_NAMES: Final = {
    **{e.xla: e.name for e in ELEMENTS.values() if e.xla},
    "fp4x2_e2m1_t": "float4_e2m1x2_t", "fp4x2_e1m2_t": "float4_e1m2x2_t",
    "int4": "int4b_t", "signed char": "int8_t", "int": "int32_t",
    "fp16_t": "half", "fp16": "half", "float16": "half", "float16_t": "half", "fp32": "float",
    "float32": "float", "fp64": "double", "float64": "double",
    "bfloat16": "bfloat16_t", "fp8_e4m3fn_t": "float8_e4m3_t", "fp8_e5m2_t": "float8_e5m2_t",
    "fp8_e8m0_t": "float8_e8m0_t", "e8m0": "float8_e8m0_t", "hif8": "hifloat8_t",
    "mx_fp8_e4m3_t": "float8_e4m3_t", "mx_fp8_e5m2_t": "float8_e5m2_t",
    **{f"{sign}int{n}": f"{sign}int{n}_t" for sign in ("", "u") for n in (8, 16, 32, 64)},
}  # fmt: skip


@constexpr
def element(name: ElementLike) -> Element:
    """Return the element type of a name, CATLASS's or XLA's; an element type stays as it is.

    >>> element("AscendC::int4b_t").bits, element("e8m0").name
    (4, 'float8_e8m0_t')

    Raises:
        UnsupportedError: no type has the name; the text suggests near names.
    """
    if isinstance(name, Element):
        return name
    if isinstance(name, ElementType):
        name = name.name
    if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise KindError(f"expected the name of an element type, got {described(name)}", value=name)
    key = name.strip().removeprefix("AscendC::")
    kind = ELEMENTS.get(key) or ELEMENTS.get(_OTHER_NAMES.get(key.lower(), key.lower()))
    if kind is None:
        of_name = [e for e in ELEMENTS if key and e.startswith(key.lower().replace("fp", "float"))]
        near = of_name or near_words(key.lower(), [*ELEMENTS, *_OTHER_NAMES])
        hint = did_you_mean(near, ELEMENTS)
        raise UnsupportedError(f"{shortened(name)!r} is not an element type", hint, name=name)
    return kind


def is_element(name: str) -> bool:
    """Return whether a text names an element type: it may stand in the place of another word.

    >>> is_element("half"), is_element("zN")
    (True, False)
    """
    try:
        return bool(element(name))
    except UnsupportedError:
        return False


@constexpr
def accumulator(a: str | Element, b: str | Element | None = None) -> Element:
    """Return the type in which the cube core sums products of two types: ``float`` or ``int32_t``.

    >>> accumulator("half").name, accumulator("int8_t").name, accumulator("fp4x2_e2m1_t").name
    ('float', 'int32_t', 'float')

    Raises:
        UnsupportedError: no core multiplies the two. `Arch.accumulator` is for one architecture.
    Source: CATLASS ElementAccumulatorSelector, gemm/helper.hpp.
    """
    left = element(a)
    right = left if b is None else element(b)
    sums = _SUMS.get((left.name, right.name))
    if sums is None:
        partners = [y for x, y in _SUMS if x == left.name]
        hint = f"A of {left} goes with B of {', '.join(partners)}." if partners else _FACTORS
        raise UnsupportedError(f"no cube core multiplies {left} by {right}", hint, a=left, b=right)
    return ELEMENTS[sums]


_SUMS: Final = {(p.a, p.b): p.accumulator for products in PRODUCTS.values() for p in products}
_FACTORS: Final = f"Cores multiply {', '.join(dict.fromkeys(a for a, _ in _SUMS))}."
