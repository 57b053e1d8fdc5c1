# SPDX-License-Identifier: Apache-2.0
"""The pairs of element types that the cube core multiplies: their sums, their rates, and the biases.

>>> [str(p) for p in PRODUCTS[2201]][:2]
['half * half -> float', 'bfloat16_t * bfloat16_t -> float']
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Product(NamedTuple):
    """A pair of element types that the cube core multiplies, with the type of the sums and the rate.

    >>> from tla.ascend import AtlasA2
    >>> product = AtlasA2.products[0]
    >>> product.a, product.b, product.accumulator, product.macs
    ('half', 'half', 'float', 4096)
    """

    a: str
    b: str
    accumulator: str
    macs: int
    """The most products that one core sums in one cycle."""
    scaled: bool
    """Whether A and B always have one scale for each 32 elements along k (MX)."""
    source: str

    def __str__(self) -> str:
        return f"{self.a} * {self.b} -> {self.accumulator}{' (MX)' if self.scaled else ''}"


_PAIRS: Final = "CATLASS gemm/helper.hpp ElementAccumulatorSelector"
_INI_2201: Final = f"{_PAIRS}; CANN platform_config 910PR_9363.ini [DtypeMKN]"
_INI_3510: Final = f"{_PAIRS}; CANN platform_config Ascend950PR_9589.ini [DtypeMKN]"
_ASSUMED: Final = f"{_PAIRS}; the rate is assumed, a quarter of half's: no source states it"

# The cube takes 16 rows, 16 columns and 32 bytes along k in a cycle: 16 * 16 * 16 halves.
_SIXTEEN: Final = 16 * 16 * 16
_EIGHT: Final = 16 * 16 * 32
_FOUR: Final = 16 * 16 * 64

FP8: Final = ("float8_e4m3_t", "float8_e5m2_t")
FP4: Final = ("float4_e2m1x2_t", "float4_e1m2x2_t")
"""Floats of four bits. Two share a byte, and each line of a matrix starts at a whole byte."""

PRODUCTS: Final[dict[int, tuple[Product, ...]]] = {
    2201: (
        Product("half", "half", "float", _SIXTEEN, False, _INI_2201),
        Product("bfloat16_t", "bfloat16_t", "float", _SIXTEEN, False, _INI_2201),
        Product("float", "float", "float", _SIXTEEN // 4, False, _ASSUMED),
        Product("int8_t", "int8_t", "int32_t", _EIGHT, False, _INI_2201),
        Product("int4b_t", "int4b_t", "int32_t", _FOUR, False, _INI_2201),
    ),
    # CATLASS has an accumulator for int4b_t here too, and the platform_config a row. But the core does
    # not multiply it: CATLASS .agents/skills/catlass-ascend950-migration, 09-hazards.md.
    3510: (
        Product("half", "half", "float", _SIXTEEN, False, _INI_3510),
        Product("bfloat16_t", "bfloat16_t", "float", _SIXTEEN, False, _INI_3510),
        Product("float", "float", "float", 16 * 16 * 8, False, _INI_3510),
        Product("int8_t", "int8_t", "int32_t", _EIGHT, False, _INI_3510),
        *(Product(a, b, "float", _EIGHT, False, _INI_3510) for a in FP8 for b in FP8),
        *(Product(a, b, "float", _FOUR, True, _INI_3510) for a in FP4 for b in FP4),
    ),
}
"""The pairs of each instruction set, by its CATLASS_ARCH."""

BIASES: Final[dict[int, tuple[tuple[str, str], ...]]] = {
    2201: (("float", "float"), ("float", "half"), ("int32_t", "int32_t")),
    3510: (("float", "float"), ("float", "half"), ("float", "bfloat16_t"), ("int32_t", "int32_t")),
}
"""The element types of a sum and of its bias, as pairs, for each instruction set.

The bias table holds the type of the sums. The copy from L1 converts a bias that has another type.

Source: CATLASS gemm/helper.hpp, L1BiasTypeSelector; gemm/tile/atlasa2 and ascend950, copy_l1_to_bt.hpp;
CANN asc-devkit, DataCopy of two element types from C1 to C2.
"""
