"""One shape for all shapes of the same function and size."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import pytest
from cases import over, share
from hypothesis import given, settings, strategies as st

from tla import TlaError, UnsupportedError
from tla.xla_bridge import (
    XlaShape,
    canonicalize,
    from_layout,
    parse_shape,
    physical_elements,
    to_layout,
)

from .chains import chains
from .rows import TILED, array, offsets
from .strategies import xla_shapes

if TYPE_CHECKING:
    from random import Random

    from tla.layouts.layout import AnyLayout

KEPT = (
    "dimensions",
    "dynamic_dimensions",
    "element_type",
    "tail_padding_alignment_in_elements",
    "element_size_in_bits",
    "memory_space",
    "dynamic_shape_metadata_prefix_bytes",
)


def check(shape: XlaShape) -> XlaShape:
    """The canonical shape, which has kept what it is to keep, and is its own canonical shape."""
    canonical = canonicalize(shape)
    assert physical_elements(canonical) == physical_elements(shape)
    assert all(getattr(canonical, name) == getattr(shape, name) for name in KEPT)
    assert canonicalize(canonical) == canonical
    assert str(canonicalize(array(str(canonical)))) == str(canonical)
    return canonical


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        # the ambiguities of tiled layouts: dims of size 1, tiles that the dims fill, leading ones
        ("f32[1,4]{0,1}", "f32[1,4]{1,0}"),
        ("f32[1,4]{1,0}", "f32[1,4]{1,0}"),
        ("f32[8,128]{1,0:T(8,128)}", "f32[8,128]{1,0}"),
        ("f32[64,8]{1,0:T(8,8)}", "f32[64,8]{1,0}"),
        ("f32[4,8]{1,0:T(2,4)(2,1)(1,1,1)}", "f32[4,8]{1,0:T(2,1)}"),
        ("f32[4,8]{1,0:T(1)}", "f32[4,8]{1,0}"),
        ("f32[4,8]{1,0:T(2,8)(2,1)}", "f32[4,8]{1,0:T(2,1)}"),
        ("bf16[4096]{0:T(1024)(128)(2,1)}", "bf16[4096]{0:T(128)(2,1)}"),
        ("f32[6,4]{1,0:T(*,2)}", "f32[6,4]{1,0}"),
        ("f32[6,4]{1,0:T(*,8)}", "f32[6,4]{1,0}"),
        ("pred[1,1]{1,0:T(4,128)(4,1)}", "pred[1,1]{1,0:T(512)}"),
        ("pred[1,1]{0,1:T(512)}", "pred[1,1]{1,0:T(512)}"),
        # what is kept
        ("f32[8,128]{0,1:T(128,8)L(4096)S(1)}", "f32[8,128]{0,1:L(4096)S(1)}"),
        ("s4[8]{0:T(8)E(4)S(3)M(16)}", "s4[8]{0:E(4)S(3)M(16)}"),
        # an index of SC follows its dim
        ("f32[1,8]{0,1:SC(0:3)}", "f32[1,8]{1,0:SC(1:3)}"),
        # of the sizes that L rounds up to one, the least
        ("f32[5,3]{1,0:T(4,4)(4)L(64)}", "f32[5,3]{1,0:T(4)L(64)}"),
        ("f32[5,3]{1,0:T(8,4)L(64)}", "f32[5,3]{1,0:T(4)L(64)}"),
        ("f32[2,3]{1,0:L(8)}", "f32[2,3]{1,0:L(8)}"),
        ("f32[4]{0:T(16)L(8)}", "f32[4]{0:T(9)L(8)}"),
        ("f32[2,3]{1,0:T(8)}", "f32[2,3]{1,0:T(8)}"),
        # tiles with `*` where no others do
        ("f32[3,8,9]{1,2,0:T(*,5)}", "f32[3,8,9]{1,2,0:T(*,75)}"),
        ("f32[3,8,9]{1,2,0:T(*,15)(3)}", "f32[3,8,9]{1,2,0:T(*,75)}"),
        ("f32[4,8]{1,0:T(*,3)}", "f32[4,8]{1,0:T(*,33)}"),
        # scalars, and arrays without elements
        ("f32[]", "f32[]"),
        ("f32[]{:T(8,128)}", "f32[]{:T(1024)}"),
        ("f32[0,3]{0,1:T(2,2)L(8)}", "f32[0,3]{1,0:L(8)}"),
        # dims of unknown size
        ("f32[?,<=3]{1,0:T(2,2)(2,1)}", "f32[?,<=3]{0,1:T(4,2)}"),
        ("f32[?,4]{1,0:T(2,4)L(8)}", "f32[?,4]{1,0:T(2,4)L(8)}"),
        ("f32[<=8,?]{1,0:T(1,4)}", "f32[<=8,?]{1,0:T(4)}"),
        # no nested layout, and digits that interleave: left as they are
        ("f32[7,5]{0,1:T(3)(4,2,2)}", "f32[7,5]{0,1:T(3)(4,2,2)}"),
        ("f32[5,9,1,9]{2,1,0,3:T(3,2,3)(6,*,4)}", "f32[5,9,1,9]{2,1,0,3:T(3,2,3)(6,*,4)}"),
    ],
)
def test_known_answers(text: str, canonical: str) -> None:
    assert str(check(array(text))) == canonical


def test_a_shape_without_a_layout_is_refused() -> None:
    for text in ("(f32[3], f32[])", "token[]"):
        with pytest.raises(UnsupportedError):
            canonicalize(parse_shape(text))


@over("row", TILED, ids=lambda row: str(row["text"]))
def test_rows_of_the_oracle(row: dict[str, object]) -> None:
    shape = array(str(row["text"]))
    canonical = check(shape)
    if shape.elements <= share(3000):
        assert offsets(canonical) == offsets(shape)


@over(
    "row",
    [row for row in TILED if row.get("inverse") and row["L"] == 1],
    ids=lambda row: str(row["text"]),
)
def test_the_inverses_of_the_oracle_have_the_same_canonical_shape(row: dict[str, object]) -> None:
    shape, inverse = array(str(row["text"])), row["inverse"]
    assert isinstance(inverse, dict)
    other = XlaShape(
        shape.element_type,
        shape.dimensions,
        inverse["minor_to_major"],
        inverse["tiles"],
        element_size_in_bits=shape.element_size_in_bits,
        memory_space=shape.memory_space,
    )
    assert canonicalize(other) == canonicalize(shape)


@given(xla_shapes())
def test_function_and_size_are_kept(shape: XlaShape) -> None:
    assert offsets(check(shape)) == offsets(shape)


@given(chains())
def test_every_way_to_a_function_has_one_canonical_shape(chain: tuple[AnyLayout, int]) -> None:
    """The TPU's tiles or the construction's, it is the same function."""
    layout, physical = chain
    shape = from_layout(layout, "bf16", physical)
    again = from_layout(to_layout(shape).trimmed(), "bf16", physical)
    assert check(shape) == canonicalize(again)


@settings(max_examples=40)
@given(st.randoms(use_true_random=False))
def test_equal_functions_have_equal_canonical_shapes(rng: Random) -> None:
    """Of small shapes with two dims many are equal: each is compared with all others."""
    dims = rng.choice([(2, 3), (4, 2), (1, 4), (3, 4)])
    known: dict[tuple[tuple[int, ...], int], XlaShape] = {}
    for _shape in range(12):
        tiles = [rng.choices((1, 2, 3, 4), k=rng.randint(1, 3)) for _tile in range(rng.randint(0, 2))]
        shape = XlaShape("f32", dims, rng.sample((0, 1), 2), tiles)
        function = tuple(offsets(shape)), physical_elements(shape)
        canonical = canonicalize(shape)
        try:
            to_layout(shape)
        except TlaError:
            assert canonical == shape
            continue
        assert known.setdefault(function, canonical) == canonical
    assert len(set(known.values())) == len(known)


def test_every_small_tiling_of_a_shape() -> None:
    """All tiles of one or two entries up to 3, under each order."""
    known: dict[tuple[tuple[int, ...], int], XlaShape] = {}
    tiles = [(1,), (2,), (3,), *product((1, 2, 3), repeat=2)]
    for order, first, second in product([(0, 1), (1, 0)], tiles, tiles):
        shape = XlaShape("f32", (2, 3), order, [first, second])
        function = tuple(offsets(shape)), physical_elements(shape)
        canonical = check(shape)
        assert known.setdefault(function, canonical) == canonical
        assert offsets(canonical) == offsets(shape)
    assert len(set(known.values())) == len(known) > 50


def test_a_shape_whose_canonical_tiles_exceed_64_bits_is_its_own() -> None:
    shape = array("f32[3,5]{0,1:T(1099511627776,1099511627776)(7,1)}")
    assert canonicalize(shape) == shape
