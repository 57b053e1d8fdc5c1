"""What one array wastes: the factors explain the whole expansion, exactly."""

from __future__ import annotations

from fractions import Fraction
from math import prod

import pytest
from hypothesis import given, strategies as st

from tla.errors import UnsupportedError
from tla.memory import Factor, array_waste
from tla.xla_bridge import XlaShape, XlaTuple, logical_bytes, parse_array, physical_bytes

ENTRY = st.one_of(st.integers(1, 6), st.just("*"))


@st.composite
def shapes(draw: st.DrawFn) -> XlaShape:
    dims = draw(st.lists(st.integers(0, 9), max_size=4))
    last = st.integers(1, 6)
    tiles = draw(
        st.lists(st.tuples(st.lists(ENTRY, max_size=4), last).map(lambda t: (*t[0], t[1])), max_size=3)
    )
    return XlaShape(
        draw(st.sampled_from(["f32", "bf16", "u8", "s4", "pred", "c128"])),
        dims,
        draw(st.permutations(range(len(dims)))),
        tiles,
        tail_padding_alignment_in_elements=draw(st.sampled_from([1, 1, 5])),
        element_size_in_bits=draw(st.sampled_from([0, 0, 4, 2, 32])),
    )


@given(shapes())
def test_the_factors_are_the_whole_expansion(shape: XlaShape) -> None:
    waste = array_waste(shape)
    assert (waste.data_bytes, waste.padded_bytes) == (logical_bytes(shape), physical_bytes(shape))
    assert waste.waste_bytes == waste.padded_bytes - waste.data_bytes
    assert waste.expansion * (waste.data_bytes or 1) == (waste.padded_bytes or 1)
    assert prod((f.ratio for f in waste.factors), start=Fraction(1)) == waste.expansion
    assert all(factor.ratio != 1 for factor in waste.factors)


@given(shapes())
def test_a_factor_of_the_first_tile_is_a_dim_rounded_up(shape: XlaShape) -> None:
    """Where a tile has an entry for each of the last dims."""
    plain = [tile for tile in shape.tiles[:1] if "*" not in tile and len(tile) <= shape.rank]
    found = {f.dims[0]: f for f in array_waste(shape).factors if f.cause == "tile" and f.dims}
    for tile in plain:
        if shape.elements:
            last = [shape.major_to_minor[i - len(tile)] for i in range(len(tile))]
            wanted = {
                d: (shape.dimensions[d], -(-shape.dimensions[d] // int(t)) * int(t))
                for d, t in zip([*shape.major_to_minor][shape.rank - len(tile) :], tile, strict=True)
            }
            assert sorted(last) == sorted(wanted)
            assert {d: (f.size, f.padded) for d, f in found.items()} == {
                d: sizes for d, sizes in wanted.items() if sizes[0] != sizes[1]
            }


@pytest.mark.parametrize(
    ("text", "factors"),
    [
        ("f32[3,5]{1,0}", []),
        ("f32[3,5]{1,0:T(8,128)}", [("tile", (0,), 3, 8), ("tile", (1,), 5, 128)]),
        ("f32[3,5]{0,1:T(8,128)}", [("tile", (1,), 5, 8), ("tile", (0,), 3, 128)]),
        ("f32[5]{0:T(8,128)}", [("tile", (), 1, 8), ("tile", (0,), 5, 128)]),
        ("f32[]{:T(128)}", [("tile", (), 1, 128)]),
        ("f32[3,5]{1,0:T(*,8)}", [("tile", (0, 1), 15, 16)]),
        (
            "f32[3,5]{1,0:T(3,4)(2,3)}",
            [("tile", (1,), 5, 8), ("sub-tile", (0,), 3, 4), ("sub-tile", (1,), 4, 6)],
        ),
        ("f32[3,5]{1,0:T(1)L(16)}", [("tail", (), 15, 16)]),
        ("pred[8]{0:T(8)E(32)}", [("element", (), 8, 32)]),
        ("s4[3,3]{1,0:T(3,3)E(4)}", []),
        ("s4[3,3]{1,0:T(3,4)E(4)}", [("tile", (1,), 3, 4), ("byte", (), 10, 9)]),
        ("f32[0,5]{1,0:T(8,128)}", []),
    ],
)  # fmt: skip
def test_single_causes(text: str, factors: list[tuple[str, tuple[int, ...], int, int]]) -> None:
    assert [tuple(factor) for factor in array_waste(parse_array(text)).factors] == factors


@pytest.mark.parametrize(
    ("factor", "text"),
    [
        (Factor("tile", (1,), 3000, 3072), "dim 1: 3000 -> 3072 (1.02x)"),
        (Factor("tile", (0, 1), 15, 16), "dims 0*1: 15 -> 16 (1.07x)"),
        (Factor("tile", (), 1, 8), "an axis without a dim: 1 -> 8 (8.00x)"),
        (Factor("sub-tile", (0,), 3, 4), "dim 0 in a sub-tile: 3 -> 4 (1.33x)"),
        (Factor("tail", (), 15, 16), "L: elements 15 -> 16 (1.07x)"),
        (Factor("element", (), 8, 32), "E: bits of an element 8 -> 32 (4.00x)"),
        (Factor("byte", (), 10, 9), "whole bytes: bits 10 -> 9 (0.90x)"),
        (Factor("tile", (0,), 1, 10**400), f"dim 0: 1 -> {10**400} ({10**400}.00x)"),
    ],
)
def test_a_factor_in_words(factor: Factor, text: str) -> None:
    assert str(factor) == text


def test_a_bounded_dim_counts_as_its_bound() -> None:
    assert array_waste(parse_array("f32[<=3]{0:T(4)}")).factors == (Factor("tile", (0,), 3, 4),)


def test_what_has_no_size_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="not known: it has a dim"):
        array_waste(parse_array("f32[?]"))
    with pytest.raises(UnsupportedError, match="tuple"):
        array_waste(XlaTuple([XlaShape("f32", [2])]))
    with pytest.raises(UnsupportedError, match="no data"):
        array_waste(XlaShape("token", []))
