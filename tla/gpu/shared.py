# SPDX-License-Identifier: Apache-2.0
"""Swizzle atoms of shared memory: the tiles that matrix instructions read, by CuTe's names.

A row of an atom has 16, 32, 64 or 128 bytes of elements next to each other, along M or N (``MN``) or
along K. CuTe swizzles the address in bytes; here the layout gives offsets in elements, so its swizzle
has a lower base for wider elements.

>>> atom = smem_atoms["GMMA::Layout_K_SW128_Atom<half_t>"]
>>> print(atom)
Sw<3,3,3> o _0 o (_8,_64):(_64,_1)
>>> print(tile_to_shape(atom, (128, 64)))
Sw<3,3,3> o _0 o ((_8,16),(_64,1)):((_64,_512),(_1,8192))

Source: CUTLASS 7107b055, ``cute/atom/mma_traits_sm90_gmma.hpp``, ``mma_traits_sm100.hpp``.
"""

from __future__ import annotations

from typing import Any, Final

from ..algebra import recast_layout
from ..layouts import ComposedLayout, Swizzle
from ..numbers import _0
from .catalogue import Catalogue, Family
from .fields import BITS, static

_ROWS: Final = {"INTER": 0, "SW32": 1, "SW64": 2, "SW128": 3}
"""How many bits the swizzle of a kind writes. A row has 16 bytes times 2 to that power."""


def _atom(_name: str, major: str, kind: str, element: str = "") -> dict[str, Any]:
    bits, width = _ROWS[kind], BITS.get(element, 1)
    row = (128 << bits) // width
    return _layout(Swizzle(bits, 4, 3), width, (row, 8) if major == "MN" else (8, row), major)


def _wide(_name: str, element: str = "") -> dict[str, Any]:
    """Rows of 128 bytes, swizzled by 32 bytes."""
    width = BITS.get(element, 1)
    return _layout(Swizzle(2, 5, 2), width, (1024 // width, 4), "MN")


def _layout(swizzle: Any, width: int, shape: tuple[int, int], major: str) -> dict[str, Any]:
    m, k = shape
    inner = static([(m, 1)], [(k, m)]) if major == "MN" else static([(m, k)], [(k, 1)])
    return {"layout": ComposedLayout(recast_layout(swizzle, 8, width), _0, inner)}


def _record(_name: str, source: str, layout: ComposedLayout) -> ComposedLayout:
    return layout


_NARROW: Final = ",".join([name for name, bits in BITS.items() if 4 <= bits <= 32 and "<" not in name])
_SOURCE: Final = "CUTLASS 7107b055, cute/atom/mma_traits_sm90_gmma.hpp, mma_traits_sm100.hpp"

smem_atoms: Final[Catalogue[ComposedLayout]] = Catalogue(
    "shared memory",
    _record,
    (
        Family(
            f"{{GMMA,UMMA}}::Layout_{{major:MN,K}}_{{kind:INTER,SW32,SW64,SW128}}_Atom<{{element:{_NARROW}}}>",
            _atom,
            _SOURCE,
        ),
        Family(
            "{GMMA,UMMA}::Layout_{major:MN,K}_{kind:INTER,SW32,SW64,SW128}_Atom_Bits", _atom, _SOURCE
        ),
        Family(f"UMMA::Layout_MN_SW128_32B_Atom<{{element:{_NARROW}}}>", _wide, _SOURCE),
        Family("UMMA::Layout_MN_SW128_32B_Atom_Bits", _wide, _SOURCE),
    ),
)
"""The layouts by CuTe's names."""
