"""From a tiled layout to the nested layout of the same function."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from differences import XLA
from hypothesis import given

from tla import UnsupportedError
from tla.xla_bridge import XlaShape, parse_shape, physical_elements, physical_offset, to_layout

from .rows import TILED, array, indices, offsets
from .strategies import xla_shapes

if TYPE_CHECKING:
    from tla.layout import AnyLayout

BY_TEXT = {row["text"]: row for row in TILED}

# A nested layout exists, but a tile cuts a digit in a way that single digits do not decide: the parts
# merge again, or dims merged by `*` part where only the whole function shows it. A search on the
# function itself would find these.
FALL_BACK = [
    "f64[4,8,8,5]{2,3,1,0:T(*,2,2,5)(2)}",
    "f32[16,8]{1,0:T(3,6)(4)(4)}",
    "bf16[7,5]{0,1:T(*,1)(*,2)}",
    "f64[7,1]{0,1:T(2,4)(2,*,*,6)}",
    "f32[16,1,9]{2,0,1:T(5,4)(3)}",
    "f64[5,2,12]{2,1,0:T(5)(8,4,2,5)(4)}",
    "s8[1,16,12]{2,1,0:T(*,5)(5,5)}",
    "f32[3,8,9]{1,2,0:T(*,5)}",
    "bf16[8,1,7]{0,1,2:T(5)(6,*,*,3)L(7)}",
    "f64[12,6]{1,0:T(6)(5,1)(*,2,8)}",
]

# Deliberate differences from the oracle: an empty array has no element to place, so its strides are
# convention. Here they are those of the untiled array; the oracle follows the tiles with a size of 1
# in place of 0, or gives 0 for every stride.
EMPTY = {d.case: d.ours for d in XLA}

NOT_NESTED = [row for row in TILED if row["nested_verdict"] == "not"]
BY_DIGITS = [
    row for row in TILED if row["nested_verdict"] == "nested" and row["text"] not in {*FALL_BACK, *EMPTY}
]


def shape_and_stride(layout: Any) -> str:
    """A layout as the oracle writes it: no origin shape, no underscores."""
    return ":".join(str(layout).split(":")[:2]).replace("_", "")


@pytest.mark.parametrize("row", BY_DIGITS, ids=lambda row: str(row["text"]))
def test_trimmed_is_the_nested_form_of_the_oracle(row: dict[str, Any]) -> None:
    layout = to_layout(array(row["text"]))
    assert shape_and_stride(layout.trimmed()) == row["nested"]
    assert list(layout.origin_shape) == row["dims"]
    assert layout.is_static
    assert layout.cosize <= row["cosize"]
    for index, place in row["samples"]:
        assert layout(*index) == layout.trimmed()(*index) == place
    if "offsets_row_major" in row:
        assert [layout(*index) for index in indices(row["dims"])] == row["offsets_row_major"]


@pytest.mark.parametrize("row", NOT_NESTED, ids=lambda row: str(row["text"]))
def test_no_nested_layout_is_refused(row: dict[str, Any]) -> None:
    shape = array(row["text"])
    with pytest.raises(UnsupportedError) as caught:
        to_layout(shape)
    error = caught.value
    separable = not row["reason"].startswith("not separable")
    assert error.reason == ("broken-digit" if separable else "misaligned-combine")
    assert f"dim {error.dim}" in str(error)
    assert error.shape == shape
    assert error.summary == f"{shape} has no nested layout that its digits give"


@pytest.mark.parametrize("text", FALL_BACK)
def test_what_digits_do_not_decide_is_refused(text: str) -> None:
    assert BY_TEXT[text]["nested_verdict"] == "nested"
    with pytest.raises(UnsupportedError) as caught:
        to_layout(array(text))
    assert caught.value.reason in {"broken-digit", "misaligned-combine"}


@pytest.mark.parametrize("text", EMPTY)
def test_an_empty_array_keeps_its_untiled_strides(text: str) -> None:
    layout = to_layout(array(text))
    assert shape_and_stride(layout) == shape_and_stride(layout.trimmed()) == EMPTY[text]
    assert (layout.size, layout.valid_size, layout.cosize) == (0, 0, 0)
    assert EMPTY[text] != BY_TEXT[text]["nested"]  # a row that agrees is no difference
    untiled = text[: text.index(":")] + "}"
    assert to_layout(array(untiled)) == layout


def test_every_row_has_its_place() -> None:
    places = len(BY_DIGITS), len(NOT_NESTED), len(FALL_BACK), len(EMPTY)
    assert places == (254, 11, 10, 5)
    assert sum(places) == len(TILED)


# --- the documents, and layouts seen in practice ---


@pytest.mark.parametrize(
    ("text", "layout"),
    [
        # shapes.md: the two lines of HLO it explains
        (
            "bf16[8,1,1280,16384]{3,2,0,1:T(8,128)(2,1)}",
            "(_8,_1,(_2,_4,_160),(_128,_128)):(_20971520,_0,(_1,_256,_131072),(_2,_1024))",
        ),
        (
            "bf16[32,32,4096]{2,1,0:T(8,128)(2,1)S(1)}",
            "(_32,(_2,_4,_4),(_128,_32)):(_131072,(_1,_256,_32768),(_2,_1024))",
        ),
        (
            "bf16[32,32,8192]{2,1,0:T(8,128)(2,1)S(1)}",
            "(_32,(_2,_4,_4),(_128,_64)):(_262144,(_1,_256,_65536),(_2,_1024))",
        ),
        # tiled_layout.md: figure 1, figure 2, tiles that reach across tiles
        ("f32[3,5]{1,0:T(2,2)}", "((_2,_2),(_2,_3)):((_2,_12),(_1,_4)):(_3,_5)"),
        ("f32[4,8]{1,0:T(2,4)(2,1)}", "((_2,_2),_8):((_1,_16),_2)"),
        ("f32[8,8]{1,0:T(2,4)(2,1,1,1)}", "((_2,_2,_2),(_4,_2)):((_8,_1,_32),(_2,_16))"),
        (
            "bf16[32,256]{1,0:T(8,128)(2,1,1,1)}",
            "((_8,_2,_2),(_128,_2)):((_256,_1,_4096),(_2,_2048))",
        ),
        # dims merged by *, aligned
        (
            "f32[2,7,8,12,9]{4,3,2,1,0:T(*,*,2,*,3)}",
            "(_2,_7,(_2,_4),_12,(_3,_3)):(_6048,_864,(_3,_216),_18,(_1,_6))",
        ),
        ("f32[6,4]{1,0:T(*,8)}", "(_6,_4):(_4,_1)"),
        # shapes.md: minor_to_major; the older document's padding
        ("f32[2,3]{0,1}", "(_2,_3):(_1,_2)"),
        ("f32[2,3]{0,1:T(5,3)}", "(_3,_5):(_1,_3):(_2,_3)"),
        # gaps alone: the tile exceeds the dims
        ("f32[3,5]{1,0:T(8,128)}", "(_8,_128):(_128,_1):(_3,_5)"),
        ("f32[5]{0:T(8,128)}", "(_128):(_1):(_5)"),
        # TPU tiles
        ("bf16[4096]{0:T(1024)(128)(2,1)}", "((_128,_2,_16)):((_2,_1,_256))"),
        (
            "s8[9216,6144]{1,0:T(8,128)(4,1)}",
            "((_4,_2,_1152),(_128,_48)):((_1,_512,_49152),(_4,_1024))",
        ),
        (
            "s8[9216,6144]{1,0:T(32,128)(4,1)}",
            "((_4,_8,_288),(_128,_48)):((_1,_512,_196608),(_4,_4096))",
        ),
        ("f32[16,16]{1,0:T(4,4)(2,2)}", "((_2,_2,_4),(_2,_2,_4)):((_2,_8,_64),(_1,_4,_16))"),
        # what has no digit
        ("f32[]{:T(128)}", "():()"),
        ("f32[1,1]{1,0}", "(_1,_1):(_0,_0)"),
    ],
)
def test_known_layouts(text: str, layout: str) -> None:
    assert str(to_layout(array(text))) == layout


def test_strides_follow_the_tiles_not_what_stands_behind_them() -> None:
    """L, E and S place no element."""
    plain = to_layout(array("bf16[32,256]{1,0:T(8,128)(2,1)}"))
    assert to_layout(array("bf16[32,256]{1,0:T(8,128)(2,1)L(3)E(16)S(1)}")) == plain
    assert to_layout(array("s4[32,256]{1,0:T(8,128)(2,1)}")) == plain


def test_the_unaligned_example_of_the_document_is_refused() -> None:
    """tiled_layout.md: (2,7,8,11,10) under (*,*,2,*,3): 3 does not divide 10, nor 10 3."""
    with pytest.raises(UnsupportedError, match="A tile of 3 cuts across dims merged by '\\*'") as caught:
        to_layout(array("f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}"))
    assert (caught.value.reason, caught.value.tile) == ("misaligned-combine", 3)


def test_a_refusal_names_the_digit() -> None:
    with pytest.raises(UnsupportedError) as caught:
        to_layout(array("f32[3,5]{1,0:T(3,4)(2,3)}"))
    error = caught.value
    assert (error.reason, error.dim, error.digit, error.tile) == ("broken-digit", 1, 4, 3)
    assert "A tile of 3 cuts the digit of size 4 of dim 1 unevenly" in str(error)


@pytest.mark.parametrize("text", ["(f32[2])", "token[]"])
def test_no_layout_without_memory(text: str) -> None:
    with pytest.raises(UnsupportedError):
        to_layout(parse_shape(text))


# --- the law ---


def attempt(shape: XlaShape) -> tuple[AnyLayout | None, object]:
    """The layout, or None and the reason why there is none."""
    try:
        return to_layout(shape), None
    except UnsupportedError as error:
        return None, error.reason


@given(xla_shapes())
def test_refused_or_equal_everywhere(shape: XlaShape) -> None:
    layout, reason = attempt(shape)
    if layout is None:
        assert shape.tiles
        assert reason in {"broken-digit", "misaligned-combine"}
        return
    every = indices(shape.dimensions)
    assert [layout(*index) for index in every] == offsets(shape)
    assert [layout.trimmed()(*index) for index in every] == offsets(shape)
    assert layout.is_static
    assert layout.origin_shape == shape.dimensions
    assert layout.valid_size == shape.elements
    assert layout.cosize <= physical_elements(shape)


@given(xla_shapes())
def test_no_two_coordinates_of_the_box_share_a_place(shape: XlaShape) -> None:
    """The padding has places of its own."""
    layout, _reason = attempt(shape)
    if layout is not None:
        places = [layout(*index) for index in indices([int(mode.size) for mode in layout])]
        assert len(set(places)) == layout.size == len(places)


@given(xla_shapes(combine=False))
def test_misaligned_combine_needs_a_star(shape: XlaShape) -> None:
    _layout, reason = attempt(shape)
    assert reason != "misaligned-combine"


def test_tiles_that_divide_are_never_refused() -> None:
    tiles = ("(8,128)", "(8,128)(2,1)", "(8,128)(4,1)", "(8,128)(8,1)", "(8,128)(4,64)")
    for rows, columns, tile in product((8, 16, 24, 1280), (128, 256, 16384), tiles):
        shape = array(f"s4[{rows},{columns}]{{1,0:T{tile}}}")
        layout = to_layout(shape)
        assert layout.size == layout.cosize == shape.elements
        for index in [(0, 0), (rows - 1, columns - 1), (5, 77), (7, 127)]:
            assert layout(*index) == physical_offset(shape, index)


@pytest.mark.parametrize(
    ("text", "layout"),
    [("f32[1]{0:T(8)(6)(4)}", "(_1):(_0)"), ("s8[3]{0:T(4,8)(4,6)(2,4)}", "(_3):(_1)")],
)
def test_padding_alone_breaks_no_digit(text: str, layout: str) -> None:
    """The box of a dim is grown into its padding only where later tiles let it."""
    assert str(to_layout(array(text))) == layout
