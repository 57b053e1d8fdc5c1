"""From a tiled layout to the nested layout of the same function."""

from __future__ import annotations

from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

import pytest
from cases import over
from differences import XLA
from hypothesis import given

from tla import UndecidedError, UnsupportedError, sym
from tla.xla_bridge import (
    XlaShape,
    coverage,
    parse_shape,
    physical_elements,
    physical_offset,
    to_layout,
)

from .rows import TILED, array, indices, offsets
from .strategies import xla_shapes

if TYPE_CHECKING:
    from tla.layouts.layout import AnyLayout

BY_TEXT = {row["text"]: row for row in TILED}

# A nested layout exists, but a tile cuts a digit in a way that single digits do not decide: the parts
# merge again, or dims merged by `*` part where only the whole function shows it.
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
NESTED = [row for row in TILED if row["nested_verdict"] == "nested" and row["text"] not in EMPTY]


def shape_and_stride(layout: Any) -> str:
    """A layout as the oracle writes it: no origin shape, no underscores."""
    return ":".join(str(layout).split(":")[:2]).replace("_", "")


@over("row", NESTED, ids=lambda row: str(row["text"]))
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
    assert error.summary == f"{shape} has no nested layout with one mode for each dim"
    check_proof(shape, error)


def check_proof(shape: XlaShape, error: Any) -> None:
    """The parts add up to the index, the offsets do not; and there is a layout elsewhere."""
    one, other = error.parts
    assert tuple(x + y for x, y in zip(one, other, strict=True)) == error.index
    sum_ = physical_offset(shape, one) + physical_offset(shape, other)
    assert sum_ != physical_offset(shape, error.index)
    assert f"= {sum_}." in str(error)
    for index in indices(shape.dimensions):
        assert error.combined(index) == physical_offset(shape, index)


@pytest.mark.parametrize("text", FALL_BACK)
def test_what_digits_do_not_decide_is_decided_on_the_function(text: str) -> None:
    row = BY_TEXT[text]
    assert shape_and_stride(to_layout(array(text)).trimmed()) == row["nested"]


@pytest.mark.parametrize("text", EMPTY)
def test_an_empty_array_keeps_its_untiled_strides(text: str) -> None:
    layout = to_layout(array(text))
    assert shape_and_stride(layout) == shape_and_stride(layout.trimmed()) == EMPTY[text]
    assert (layout.size, layout.valid_size, layout.cosize) == (0, 0, 0)
    assert EMPTY[text] != BY_TEXT[text]["nested"]  # a row that agrees is no difference
    untiled = text[: text.index(":")] + "}"
    assert to_layout(array(untiled)) == layout


def test_every_row_has_its_place() -> None:
    places = len(NESTED), len(NOT_NESTED), len(EMPTY)
    assert places == (264, 11, 5)
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
    assert str(caught.value) == (
        "f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)} has no nested layout with one mode for each dim\n"
        "  A tile of 3 cuts across dims merged by '*': dim 3 counts by 10 there, and carries into the"
        " digits above it.\n"
        "  Index (0,0,0,1,2) lies at 24; a layout would place it at 19 + 2 = 21.\n"
        "  There is ((_2,_56),(_3,_37)):((_3,_222),(_1,_6)):(_112,_110) over dims (0,1,2) and (3,4)."
    )


def test_a_refusal_names_the_digit() -> None:
    with pytest.raises(UnsupportedError) as caught:
        to_layout(array("f32[3,5]{1,0:T(3,4)(2,3)}"))
    error = caught.value
    assert (error.reason, error.dim, error.digit, error.tile) == ("broken-digit", 1, 4, 3)
    assert "A tile of 3 cuts the digit of size 4 of dim 1 unevenly" in str(error)


def test_a_refusal_names_the_tile_that_breaks_the_digit_first() -> None:
    with pytest.raises(UnsupportedError, match="A tile of 4 cuts the digit of size 6") as caught:
        to_layout(array("f32[9]{0:T(6)(2)(4,3,2)(2,2,2)}"))
    error: Any = caught.value
    assert (error.index, error.digit, error.tile) == ((6,), 6, 4)


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
def test_refused_with_a_proof_or_equal_everywhere(shape: XlaShape) -> None:
    layout, reason = attempt(shape)
    if layout is None:
        assert shape.tiles
        assert reason in {"broken-digit", "misaligned-combine"}
        with pytest.raises(UnsupportedError) as caught:
            to_layout(shape)
        check_proof(shape, caught.value)
        return
    every = indices(shape.dimensions)
    assert [layout(*index) for index in every] == offsets(shape)
    assert [layout.trimmed()(*index) for index in every] == offsets(shape)
    assert layout.is_static
    assert layout.origin_shape == shape.dimensions
    assert layout.valid_size == shape.elements


@given(xla_shapes())
def test_refused_only_where_no_layout_exists(shape: XlaShape) -> None:
    """Every choice of digits is tried: those of a dim, and the sum over the dims."""
    _layout, reason = attempt(shape)
    assert (reason is None) == has_layout(shape)


def has_layout(shape: XlaShape) -> bool:
    """Whether some nested layout with one mode for each dim has the offsets of a shape."""
    every = indices(shape.dimensions)
    place = dict(zip(every, offsets(shape), strict=True))
    zero = (0,) * shape.rank
    alone = [
        [place[(*zero[:d], x, *zero[d + 1 :])] for x in range(n)] if every else []
        for d, n in enumerate(shape.dimensions)
    ]
    is_sum = all(sum(alone[d][x] for d, x in enumerate(at)) == place[at] for at in every)
    return is_sum and all(has_digits(values, 1, ()) for values in alone)


def has_digits(values: list[int], weight: int, digits: tuple[tuple[int, int, int], ...]) -> bool:
    """Whether digits that begin with some of (weight, size, stride) give these values."""
    if weight >= len(values):
        return True
    for size in range(2, len(values) + 2):
        longer = (*digits, (weight, size, values[weight]))
        reached = values[: weight * size]
        given_ = [sum(i // w % n * d for w, n, d in longer) for i in range(len(reached))]
        if given_ != reached:
            return False  # nor does a greater size: its first values are these
        if has_digits(values, weight * size, longer):
            return True
    return False


@given(xla_shapes(combine=False))
def test_no_two_coordinates_of_a_whole_box_share_a_place(shape: XlaShape) -> None:
    """Where tiles divide what they cut, the padding of the box is padding of the array."""
    layout, _reason = attempt(shape)
    if layout is None or physical_elements(shape) != layout.size:
        return
    places = [layout(*index) for index in indices([int(mode.size) for mode in layout])]
    assert sorted(places) == list(range(physical_elements(shape)))


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
    [
        ("f32[1]{0:T(8)(6)(4)}", "(_1):(_0)"),
        ("s8[3]{0:T(4,8)(4,6)(2,4)}", "(_3):(_1)"),
        ("f32[1,4]{0,1:T(2,6)(1,*,4)(6,3)}", "(_1,(_2,_2)):(_0,(_38,_108))"),
    ],
)
def test_padding_alone_breaks_no_digit(text: str, layout: str) -> None:
    """The box of a dim is grown into its padding only where later tiles let it."""
    assert str(to_layout(array(text))) == layout


# --- large dims: nothing is enumerated ---


@pytest.mark.parametrize(
    ("text", "layout"),
    [
        ("f32[1099511627776]{0:T(4)(3)}", "((_4,_274877906944)):((_1,_6))"),
        ("f32[1099511627776]{0:T(1073741824)(3)}", "((_1073741824,_1024)):((_1,_1073741826))"),
        ("f32[1048576,1048577]{1,0:T(*,3)}", "(_1048576,_1048577):(_1048577,_1)"),
        ("f32[<=1099511627776]{0:T(4)(3)}", "((_4,_274877906944)):((_1,_6))"),
    ],
)
def test_parts_that_merge_again_in_large_dims(text: str, layout: str) -> None:
    assert shape_and_stride(to_layout(array(text))) == shape_and_stride(layout)


def test_a_dim_of_unknown_size_that_is_given_is_decided_too() -> None:
    assert str(to_layout(array("f32[?]{0:T(4)(3)}"), dims={0: 6})) == "((_4,_2)):((_1,_6)):(6)"


def test_dims_are_a_mapping() -> None:
    given: list[Any] = [[sym("M")], [], "M", 5]
    for dims in given:
        with pytest.raises(TypeError, match="dims needs a mapping of the numbers of dims to sizes, not"):
            to_layout(array("f32[<=5]"), dims=dims)


def test_what_to_assume_of_a_bounded_dim_makes_it_work() -> None:
    m = sym("M")
    with pytest.raises(UndecidedError, match="cannot decide whether M <= 5\n"):
        to_layout(array("f32[<=5]"), dims={0: m})
    assert str(to_layout(array("f32[<=5]"), dims={0: m}, assume=m <= 5)) == "(_5):(_1):(M)"
    with pytest.raises(UndecidedError, match="cannot decide whether M >= 0\n"):
        to_layout(array("f32[?]"), dims={0: sym("M", min=None)})


@pytest.mark.parametrize(
    ("text", "reason", "index"),
    [
        ("f32[1099511627776]{0:T(1073741824)(7)(2)}", "broken-digit", (1073741824,)),
        ("f32[1048576,1048577]{1,0:T(*,3)(2)}", "misaligned-combine", (1, 1)),
        ("f32[<=7,2]{0,1:T(3,4)(*,*,5)(6)}", "misaligned-combine", (1, 1)),
        # of two parts of a dim that break, at 6 and at 60, the first
        ("f32[70]{0:T(10)(6,6)(4,4)}", "broken-digit", (6,)),
    ],
)
def test_large_dims_are_refused_with_a_proof(text: str, reason: str, index: tuple[int, ...]) -> None:
    shape = array(text)
    with pytest.raises(UnsupportedError) as caught:
        to_layout(shape)
    error: Any = caught.value
    assert (error.reason, error.index) == (reason, index)
    one, other = error.parts
    assert physical_offset(shape, index) != physical_offset(shape, one) + physical_offset(shape, other)
    assert error.combined(index) == physical_offset(shape, index)


# --- how the layout covers the memory ---


@given(xla_shapes())
def test_coverage_is_what_the_box_reaches(shape: XlaShape) -> None:
    try:
        found = coverage(shape)
    except UnsupportedError:
        return
    memory = list(range(physical_elements(shape)))
    assert found.is_bijective == (sorted(offsets(shape)) == memory)
    box = [int(mode.size) for mode in to_layout(shape).trimmed()]
    wider = [d for d, (n, m) in enumerate(zip(box, shape.dimensions, strict=True)) if n > m]
    assert list(found.over_covering_dims) == wider
    assert found.gaps == len(memory) - prod(box)


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("f32[4,8]{1,0:T(2,4)(2,1)}", (True, (), 0)),
        ("f32[3,5]{1,0:T(2,2)}", (False, (0, 1), 0)),
        ("f32[3,5]{1,0:T(8,128)}", (False, (), 1009)),
        ("f32[3]{0:L(8)}", (False, (), 5)),
        ("f32[0,3]{1,0:T(2,2)}", (True, (), 0)),
    ],
)
def test_known_coverage(text: str, facts: tuple[object, ...]) -> None:
    assert coverage(array(text)) == facts


def test_a_bounded_dim_counts_by_its_bound() -> None:
    assert coverage(array("f32[<=5,3]{1,0:T(2,2)}")) == coverage(array("f32[5,3]{1,0:T(2,2)}"))


def test_no_coverage_without_a_layout() -> None:
    with pytest.raises(UnsupportedError):
        coverage(array("f32[3,5]{1,0:T(3,4)(2,3)}"))
    with pytest.raises(UndecidedError, match="unknown size"):
        coverage(array("f32[?,5]{1,0:T(2,2)}"))
