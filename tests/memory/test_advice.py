"""What an array would cost in another order of its dims, or in another shape."""

from __future__ import annotations

import json
from itertools import permutations
from math import prod
from pathlib import Path

import pytest
from cases import share
from hypothesis import given, settings, strategies as st

from tla.errors import UnsupportedError
from tla.memory.advice import cheaper_layouts, cheaper_shapes
from tla.xla_bridge import XlaShape, XlaTuple, logical_bytes, parse_array, physical_bytes
from tla.xla_bridge.tpu import default_layout, tilings_of_order

DATA = Path(__file__).parent.parent / "data"
CHIPS = ["v3", "v5e"]
TYPES = ["f32", "bf16", "s8", "s4", "s2", "pred", "c64"]


@st.composite
def shapes(draw: st.DrawFn, most: int = 4) -> XlaShape:
    """Tiled shapes as a module may hold them: any order, tiles of the compiler for that order."""
    dims = draw(st.lists(st.sampled_from([0, 1, 2, 3, 5, 8, 9, 33, 128, 130]), max_size=most))
    order = draw(st.permutations(range(len(dims))))
    kind = draw(st.sampled_from(TYPES))
    chip = draw(st.sampled_from(CHIPS))
    plain = XlaShape(kind, dims, order)
    bits = default_layout(plain, chip).element_size_in_bits
    tiles = draw(st.sampled_from(tilings_of_order(plain, order, chip)))
    return XlaShape(kind, dims, order, tiles, element_size_in_bits=bits)


def every_cost(shape: XlaShape, chip: str) -> set[int]:
    """The bytes of every order with every tiling that the compiler accepts for it."""
    bits = default_layout(shape, chip).element_size_in_bits
    return {
        physical_bytes(
            XlaShape(shape.element_type, shape.dimensions, order, tiles, element_size_in_bits=bits)
        )
        for order in permutations(range(shape.rank))
        for tiles in tilings_of_order(shape, order, chip)
    }


@given(shapes(), st.sampled_from(CHIPS))
@settings(max_examples=share(100))
def test_the_first_is_the_best_of_all_orders(shape: XlaShape, chip: str) -> None:
    found = cheaper_layouts(shape, chip)
    best = min(every_cost(shape, chip))
    if found:
        assert found[0].bytes == best < physical_bytes(shape)
    else:
        assert physical_bytes(shape) <= best


@given(shapes(), st.sampled_from(CHIPS))
@settings(max_examples=share(100))
def test_the_facts_of_a_candidate(shape: XlaShape, chip: str) -> None:
    layouts, others = cheaper_layouts(shape, chip), cheaper_shapes(shape, chip)
    assert [c.bytes for c in layouts] == sorted(c.bytes for c in layouts)
    for c in (*layouts, *others):
        assert c.bytes == physical_bytes(c.shape) == physical_bytes(shape) - c.saved_bytes
        assert c.saved_bytes > 0
        assert c.data_bytes == logical_bytes(c.shape)
        assert c.shape.elements == shape.elements
        assert c.xla == str(c.shape)
        assert c.jax is not None
        assert c.shape.tiles in tilings_of_order(c.shape, c.shape.minor_to_major, chip)
    for c in layouts:
        assert (c.change, c.shape.dimensions) == ("order", shape.dimensions)
    for c in others:
        assert c.shape.minor_to_major == tuple(range(c.shape.rank))[::-1]
        if c.change == "transpose":
            assert sorted(c.shape.dimensions) == sorted(shape.dimensions)


def merges(dims: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Every way to merge neighbouring dims."""
    if len(dims) < 2:
        return [dims]
    rest = merges(dims[1:])
    return [(dims[0], *tail) for tail in rest] + [(dims[0] * tail[0], *tail[1:]) for tail in rest]


@given(shapes(5))
@settings(max_examples=50)
def test_the_last_merge_is_the_best_of_all(shape: XlaShape) -> None:
    costs = [
        min(
            physical_bytes(
                XlaShape(
                    shape.element_type,
                    dims,
                    tiles=tiles,
                    element_size_in_bits=default_layout(shape).element_size_in_bits,
                )
            )
            for tiles in tilings_of_order(XlaShape(shape.element_type, dims), order)
        )
        for dims in merges(shape.dimensions)
        if len(dims) < shape.rank
        for order in [tuple(range(len(dims)))[::-1]]
    ]
    found = [c for c in cheaper_shapes(shape) if c.change == "merge"]
    ranks = [c.shape.rank for c in found]
    assert ranks == sorted(set(ranks), reverse=True)
    assert [c.bytes for c in found] == sorted({c.bytes for c in found}, reverse=True)
    if found:
        assert found[-1].bytes == min(costs)
    else:
        assert not costs or min(costs) >= physical_bytes(shape)


@pytest.mark.parametrize(
    ("given", "best", "size"),
    [
        ("s32[8388608,8,4]{2,1,0:T(8,128)}", "s32[8388608,8,4]{0,2,1:T(4,128)}", 2**30),
        ("u32[12582912,1]{1,0:T(8,128)}", "u32[12582912,1]{0,1:T(1,128)}", 12582912 * 4),
        ("pred[64,512,2048]{2,1,0:T(8,128)E(32)}", "pred[64,512,2048]{2,1,0:T(32,128)(4,1)}", 2**26),
        ("f32[29184,1,2560]{2,1,0:T(2,128)}", "f32[29184,1,2560]{2,1,0:T(1,128)}", 29184 * 2560 * 4),
        ("bf16[5]{0:T(1024)(128)(2,1)}", "bf16[5]{0:T(256)(128)(2,1)}", 512),
        ("f32[<=300,3]{1,0:T(8,128)}", "f32[<=300,3]{0,1:T(4,128)}", 4 * 384 * 4),
    ],
)
def test_the_best_layout(given: str, best: str, size: int) -> None:
    found = cheaper_layouts(parse_array(given))[0]
    assert (found.xla, found.bytes) == (best, size)


def test_a_bounded_dim_is_not_merged_or_transposed() -> None:
    assert cheaper_shapes(parse_array("f32[<=300,3]{1,0:T(8,128)}")) == ()
    assert len(cheaper_shapes(parse_array("f32[300,3]{1,0:T(8,128)}"))) == 2


def test_old_chips_have_no_tiles_of_one_row() -> None:
    found = cheaper_layouts(parse_array("u32[12582912,1]{1,0:T(8,128)}"), "v3")[0]
    assert (found.xla, found.expansion) == ("u32[12582912,1]{0,1:T(2,128)}", 2.0)


def test_the_rows_of_real_reports_have_a_layout_with_less_padding() -> None:
    for line in (DATA / "xla_oom_rows.jsonl").read_text().splitlines():
        shape = parse_array(json.loads(line)["shape"])
        data = prod(shape.dimensions) * (shape.element_type.bytes or 0)
        found = cheaper_layouts(shape)
        if shape.tiles and physical_bytes(shape) > data:
            assert found[0].bytes <= 1.6 * data
        else:
            assert not found


def test_the_memory_space_stays_and_jax_has_no_word_for_it() -> None:
    found = cheaper_layouts(parse_array("f32[100,3]{1,0:T(8,128)S(1)}"))[0]
    assert (found.xla, found.jax) == ("f32[100,3]{0,1:T(4,128)S(1)}", None)


def test_eight_dims() -> None:
    shape = parse_array("bf16[3,5,7,9,2,4,6,11]{7,6,5,4,3,2,1,0:T(8,128)(2,1)}")
    best = cheaper_layouts(shape)[0]
    assert best.bytes == min(every_pair(shape))
    assert len(cheaper_shapes(shape)) > 1


def every_pair(shape: XlaShape) -> list[int]:
    """The bytes by the two most minor dims, the others being free of padding."""
    dims = shape.dimensions
    out: list[int] = []
    for second in dims:
        for minor in dims:
            rest = prod(dims) // (second * minor)
            rows = max(2, min(8, 1 << (second - 1).bit_length()))
            out.append(2 * rest * (-(-second // rows) * rows) * 128)
    return out


def test_nothing_to_save() -> None:
    for text in (
        "f32[8,128]{1,0:T(8,128)}",
        "f32[3,5]{1,0}",
        "f32[0,3]{1,0:T(8,128)}",
        "f32[]{:T(128)}",
    ):
        assert cheaper_layouts(parse_array(text)) == cheaper_shapes(parse_array(text)) == ()


def test_what_has_no_advice() -> None:
    with pytest.raises(UnsupportedError, match="a dim of unknown size: costs cannot be compared"):
        cheaper_layouts(parse_array("f32[?,3]"))
    with pytest.raises(UnsupportedError, match="a tuple of shapes"):
        cheaper_shapes(XlaTuple([]))
    with pytest.raises(UnsupportedError, match="there is no TPU 'cpu'"):
        cheaper_layouts(parse_array("f32[3]"), "cpu")
