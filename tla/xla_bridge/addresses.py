# SPDX-License-Identifier: Apache-2.0
"""Addresses of elements in bytes and bits.

An element has the whole bytes of its type, or the bits of ``E``. Packed elements lie little-endian in
their bytes: element ``k`` of memory has the bits from ``k*E`` to below ``(k+1)*E``, and bit 0 of a byte
is its least significant one.

>>> shape = parse_shape("s4[5]{0:E(4)}")
>>> [(byte_address(shape, (i,)), bit_address(shape, (i,))) for i in range(5)]
[(0, 0), (0, 4), (1, 8), (1, 12), (2, 16)]

Addresses count from the first byte of the data. The metadata of ``M(n)`` lies in the n bytes before it.
Neither addresses nor `physical_bytes` contain them. So a buffer that begins with the metadata has an
element at ``n + byte_address(shape, index)``.

Source: XLA ``LayoutProto.element_size_in_bits``; the order in a byte is that of jaxlib 0.10 on the CPU
(int4 values 1, 2, 3 are the bytes 21 03). Old versions of XLA had the first element on top.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import CoordinateError, UnsupportedError
from ..numbers import SymbolicInt, leaf
from .tiling import array_shape, element_bytes, physical_bytes, physical_elements, physical_offset

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..numbers import IntLike
    from .shape import AnyShape


def storage_bits(shape: AnyShape) -> int:
    """Return the bits of memory of one element.

    >>> storage_bits(parse_shape("s4[5]{0}")), storage_bits(parse_shape("s4[5]{0:E(4)}"))
    (8, 4)
    """
    array = array_shape(shape)
    return array.element_size_in_bits or 8 * element_bytes(array)


def bit_address(shape: AnyShape, index: Sequence[IntLike]) -> int:
    """Return the address of the first bit of an element: ``physical_offset * storage_bits``.

    >>> bit_address(parse_shape("u2[3,5]{1,0:T(2,2)E(2)}"), (2, 3))
    34

    Raises:
        CoordinateError: the index is not one int for each dim, inside the dims.
        UndecidedError: it is not known to lie inside an unknown dim.
    """
    return physical_offset(shape, index) * storage_bits(shape)


def byte_address(shape: AnyShape, index: Sequence[IntLike]) -> int:
    """Return the address of the byte that holds the first bit of an element.

    >>> byte_address(parse_shape("bf16[3,5]{1,0:T(2,2)}"), (2, 3))
    34

    An element whose bits do not divide 8 may reach into the bytes after it.

    Raises:
        CoordinateError: the index is not one int for each dim, inside the dims.
        UndecidedError: it is not known to lie inside an unknown dim.
    """
    return bit_address(shape, index) // 8


def offsets_in_byte(shape: AnyShape, address: IntLike) -> range:
    """Return the offsets, in elements, of all elements and padding that have bits in a byte.

    >>> offsets_in_byte(parse_shape("s4[5]{0:E(4)}"), 1), offsets_in_byte(parse_shape("f32[5]"), 6)
    (range(2, 4), range(1, 2))

    Raises:
        CoordinateError: the address is negative, or beyond the memory of the shape.
        UnsupportedError: the memory of the shape depends on unknown sizes.
    """
    array = array_shape(shape)
    at, room, count = leaf(address), physical_bytes(array), physical_elements(array)
    if any(isinstance(n, SymbolicInt) for n in (at, room)):
        raise UnsupportedError(
            f"what lies in byte {at} of {array} depends on unknown sizes",
            "Write a number in place of '?', or a bound, '<=N'.",
            shape=array,
        )
    if not 0 <= at < room:
        raise CoordinateError(
            f"the byte address {at} lies outside the memory of {array}",
            f"It has {f'the bytes from 0 to {room - 1}' if room else 'no byte at all'}.",
            address=at,
            shape=array,
        )
    bits = storage_bits(array)
    first, last = 8 * int(at) // bits, (8 * int(at) + 7) // bits
    return range(first, min(last, count - 1) + 1)
