"""What memory an array takes, what XLA counts, and the sentence where the two differ."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from tla import UnsupportedError
from tla.xla_bridge import (
    MemoryUse,
    XlaShape,
    logical_bytes,
    parse_shape,
    physical_bytes,
    size_of,
    xla_array_size_bytes,
)

from .rows import TILED, array
from .strategies import xla_shapes


@given(xla_shapes())
def test_both_counts_and_a_warning_where_they_differ(shape: XlaShape) -> None:
    use = size_of(shape)
    assert (use.data_bytes, use.physical_bytes) == (logical_bytes(shape), physical_bytes(shape))
    if use.xla_bytes is None:
        with pytest.raises(UnsupportedError):
            xla_array_size_bytes(shape)
    else:
        assert use.xla_bytes == xla_array_size_bytes(shape)
    assert use.differs == (use.xla_bytes != use.physical_bytes) == bool(use.warning)


def test_the_rows_that_differ() -> None:
    sized = [row for row in TILED if "xla_array_size_bytes" in row]
    assert sum(size_of(array(row["text"])).differs for row in sized) == 68


@pytest.mark.parametrize(
    ("text", "use"),
    [
        ("f32[3,5]{1,0:T(2,2)}", (60, 96, 96, "")),
        (
            "f32[3,5]{1,0:T(3,4)(2,3)}",
            (
                60,
                192,
                96,
                "XLA counts 96 bytes, the tiles take 192: XLA sees the first tile, (3,4), and no"
                " padding of later ones",
            ),
        ),
        (
            "f32[3]{0:L(8)}",
            (12, 32, 12, "XLA counts 12 bytes, the array takes 32: without tiles XLA overlooks L"),
        ),
        (
            "u8[100]{0:SC(0:30)}",
            (
                100,
                70,
                100,
                "XLA counts 100 bytes, the largest piece takes 70: without tiles XLA overlooks SC",
            ),
        ),
        (
            "u8[100]{0:L(16)SC(0:30)}",
            (
                100,
                80,
                100,
                "XLA counts 100 bytes, the largest piece takes 80: without tiles XLA overlooks L and SC",
            ),
        ),
        ("u8[100]{0:T(8)SC(0:30)}", (100, 72, 72, "")),
        ("u8[100,8]{1,0:T(8,4)L(100)SC(0:30)}", (800, 600, 600, "")),
        ("s4[5]{0:T(8)E(4)}", (3, 4, 4, "")),
        (
            "f32[2,3]{1,0:T(*,4)}",
            (
                24,
                32,
                None,
                "XLA's array size has no meaning for f32[2,3]{1,0:T(*,4)}: its first tile has a '*'",
            ),
        ),
    ],
)
def test_sizes(text: str, use: tuple[Any, ...]) -> None:
    assert size_of(array(text)) == MemoryUse(*use)


def test_split_dims_count_by_their_largest_piece() -> None:
    """ShapeUtil::ArraySize rounds LayoutUtil::MaxSplitSize up to the tile."""
    assert xla_array_size_bytes(array("f32[150,200,100]{0,1,2:T(128)SC(0:30)(1:40,130)}")) == (
        4 * 256 * 90 * 70
    )


def test_the_picture_says_the_three_counts() -> None:
    """Of a split array the memory is that of one piece: it may be less than the data of the whole."""
    use = size_of(array("u8[100]{0:SC(0:30)}"))
    figure = use.figure()
    assert [(bar.label, bar.end) for bar in figure.bars] == [
        ("data", use.data_bytes),
        ("memory", use.physical_bytes),
        ("XLA counts", use.xla_bytes),
    ]
    assert all(bar.start <= bar.end <= bar.reach <= figure.length for bar in figure.bars)


def test_unknown_sizes_count_as_symbolic_ints() -> None:
    use = size_of(array("f32[?,3]{1,0:T(8,128)}"))
    assert not use.differs
    assert str(use.physical_bytes) == str(use.xla_bytes)


def test_a_tuple_has_no_size_of_its_own() -> None:
    with pytest.raises(UnsupportedError, match="one by one"):
        size_of(parse_shape("(f32[2], f32[3])"))


@pytest.mark.parametrize(
    "text", ["f32[2305843009213693951]{0:T(1024)}", "s8[9]{0:T(8)L(9223372036854775807)E(64)}"]
)
def test_a_memory_beyond_64_bits_is_said(text: str) -> None:
    use = size_of(array(text))
    assert use.physical_bytes > 2**63 - 1
    assert use.xla_bytes is None
    assert "does not fit in 64 bits" in use.warning
    with pytest.raises(UnsupportedError, match="does not fit in 64 bits"):
        xla_array_size_bytes(array(text))
