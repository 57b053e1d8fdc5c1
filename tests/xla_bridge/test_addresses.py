"""Byte and bit addresses, and what lies in a byte."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, strategies as st

from tla import CoordinateError, UnsupportedError
from tla.xla_bridge import (
    XlaShape,
    bit_address,
    byte_address,
    offsets_in_byte,
    parse_shape,
    physical_bytes,
    physical_elements,
    physical_offset,
    storage_bits,
)

from .rows import array, indices
from .strategies import xla_shapes

if TYPE_CHECKING:
    from collections.abc import Sequence


def packed(values: Sequence[int], bits: int) -> bytes:
    """Values of so many bits each, the first in the lowest bits of the first byte."""
    whole = sum((value % (1 << bits)) << i * bits for i, value in enumerate(values))
    return whole.to_bytes(-(-len(values) * bits // 8), "little")


def test_packing_is_that_of_jaxlib() -> None:
    """Read off jaxlib 0.10.2 on the CPU: int4 1..5 and int2 0, 1, -2, -1, 1."""
    assert packed([1, 2, 3, 4, 5], 4) == bytes.fromhex("214305")
    assert packed([0, 1, -2, -1, 1], 2) == bytes.fromhex("e401")


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("s4[5]{0:E(4)}", [1, 2, 3, 4, 5]),
        ("s2[5]{0:E(2)}", [0, 1, 2, 3, 1]),
        ("u1[9]{0:E(1)}", [1, 0, 1, 1, 0, 0, 0, 1, 1]),
    ],
)
def test_an_element_is_read_at_its_address(text: str, values: list[int]) -> None:
    shape = array(text)
    bits = storage_bits(shape)
    memory = packed(values, bits)
    assert len(memory) == physical_bytes(shape)
    for (i,), value in zip(indices(shape.dimensions), values, strict=True):
        low = bit_address(shape, (i,)) - 8 * byte_address(shape, (i,))
        assert memory[byte_address(shape, (i,))] >> low & (1 << bits) - 1 == value


@given(xla_shapes(), st.sampled_from([0, 1, 2, 3, 4, 12, 32]))
def test_addresses_follow_the_offset(shape: XlaShape, bits: int) -> None:
    shape = XlaShape("u8", shape.dimensions, shape.minor_to_major, shape.tiles, 1, bits)
    size = bits or 8
    assert storage_bits(shape) == size
    for index in indices(shape.dimensions)[:50]:
        offset = physical_offset(shape, index)
        assert bit_address(shape, index) == offset * size
        assert byte_address(shape, index) == offset * size // 8 < physical_bytes(shape)
        assert offset in offsets_in_byte(shape, byte_address(shape, index))


@given(st.integers(1, 40), st.integers(1, 20))
def test_every_bit_of_a_byte_is_of_an_offset_in_it(count: int, bits: int) -> None:
    shape = XlaShape("u8", (count,), element_size_in_bits=bits)
    owners = [k for k in range(count) for _bit in range(bits)]
    for address in range(physical_bytes(shape)):
        inside = sorted(set(owners[8 * address : 8 * address + 8]))
        assert list(offsets_in_byte(shape, address)) == inside


@pytest.mark.parametrize(
    ("text", "bits"),
    [("f32[2]", 32), ("pred[2]", 8), ("s4[2]", 8), ("s4[2]{0:E(4)}", 4), ("pred[3]{0:E(32)}", 32)],
)
def test_storage_bits(text: str, bits: int) -> None:
    assert storage_bits(array(text)) == bits


def test_metadata_lies_in_front_of_address_0() -> None:
    with_prefix, without = array("s32[<=4]{0:M(64)}"), array("s32[<=4]{0}")
    assert byte_address(with_prefix, (3,)) == byte_address(without, (3,)) == 12
    assert physical_bytes(with_prefix) == physical_bytes(without)


@pytest.mark.parametrize("address", [-1, 96])
def test_bytes_beyond_the_memory(address: int) -> None:
    with pytest.raises(CoordinateError) as caught:
        offsets_in_byte(array("f32[3,5]{1,0:T(2,2)}"), address)
    assert caught.value.details == ("It has the bytes from 0 to 95.",)
    assert caught.value.address == address


def test_an_empty_array_has_no_byte() -> None:
    with pytest.raises(CoordinateError, match="no byte at all"):
        offsets_in_byte(array("f32[0]"), 0)


def test_what_has_no_addresses() -> None:
    with pytest.raises(UnsupportedError, match="unknown sizes"):
        offsets_in_byte(array("f32[?]"), 0)
    with pytest.raises(UnsupportedError, match="no layout"):
        storage_bits(parse_shape("token[]"))
    with pytest.raises(CoordinateError, match="not an element"):
        byte_address(array("f32[3]"), (3,))
    assert physical_elements(array("f32[3]")) == 3
