"""From a nested layout to an XLA shape of the same function and size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tla import (
    DivisibilityError,
    Layout,
    LayoutError,
    LeafError,
    OverlapError,
    TlaError,
    UnsupportedError,
    parse,
)
from tla.xla_bridge import (
    XlaShape,
    from_layout,
    parse_shape,
    physical_elements,
    physical_offset,
    to_layout,
)

from .rows import TILED, array, indices, offsets
from .strategies import xla_shapes
from .test_to_layout import BY_DIGITS

if TYPE_CHECKING:
    from tla.layout import AnyLayout

# The peel takes the parts of a dim from the greatest to the least. In these the greater part lies
# inside the smaller one. A shape exists: the rows have an inverse, or a longer search would find one.
NOT_PEELED = [
    "bf16[32,256]{1,0:T(8,128)(2,1,1,1)}",
    "bf16[1025]{0:T(1024)(128)(2,1)}",
    "s8[1,2,7,6]{1,3,0,2:T(*,4)(4,6,2)(8)}",
    "u8[3,16]{1,0:T(4,8,8)(4,6,6,6,1)}",
    "bf16[2,3,130]{2,1,0:T(1024)(128)(2,1)}",
    "s8[4,1]{0,1:T(4,2)(3,2,*,1)(2,2)}",
    "f32[8,8]{1,0:T(2,4)(2,1,1,1)}",
]

HAVE_INVERSE = [
    row
    for row in TILED
    if row.get("inverse") or row.get("inverse_reason", "").startswith("no solution within 3 tiles")
]
PEELED = [row for row in HAVE_INVERSE if row["text"] not in NOT_PEELED]
NO_INVERSE = [row for row in TILED if row.get("inverse_reason") and row not in HAVE_INVERSE]


def nested(row: dict[str, Any]) -> AnyLayout:
    """The oracle's own layout, which leaves the dims to the row."""
    layout = parse(row["nested"])
    return Layout(layout.shape, layout.stride, tuple(row["dims"]))


def check(shape: XlaShape, row: dict[str, Any]) -> None:
    """The same function and size as the row."""
    assert list(shape.dimensions) == row["dims"]
    assert shape.element_type.name == row["dtype"]
    assert physical_elements(shape) == row["cosize"]
    assert [physical_offset(shape, index) for index, _at in row["samples"]] == [
        at for _index, at in row["samples"]
    ]
    if "offsets_row_major" in row:
        assert offsets(shape) == row["offsets_row_major"]


# --- the oracle ---


@pytest.mark.parametrize("row", PEELED, ids=lambda row: str(row["text"]))
def test_inverse_of_the_oracle(row: dict[str, Any]) -> None:
    check(from_layout(nested(row), row["dtype"], row["cosize"]), row)


@pytest.mark.parametrize(
    "row", [row for row in PEELED if row in BY_DIGITS], ids=lambda row: str(row["text"])
)
def test_inverse_of_to_layout(row: dict[str, Any]) -> None:
    layout = to_layout(array(row["text"]))
    check(from_layout(layout, row["dtype"], row["cosize"]), row)
    check(from_layout(layout.trimmed(), row["dtype"], row["cosize"]), row)


@pytest.mark.parametrize("text", NOT_PEELED)
def test_what_the_peel_does_not_reach(text: str) -> None:
    row = next(row for row in HAVE_INVERSE if row["text"] == text)
    with pytest.raises(UnsupportedError, match=r"no XLA shape of .* is found"):
        from_layout(nested(row), row["dtype"], row["cosize"])


@pytest.mark.parametrize("row", NO_INVERSE, ids=lambda row: str(row["text"]))
def test_what_only_a_star_gives_is_refused(row: dict[str, Any]) -> None:
    """The rows come from tiles with ``*`` that pad; no tiles without one give them."""
    assert "*" in row["text"]
    with pytest.raises(DivisibilityError):
        from_layout(nested(row), row["dtype"], row["cosize"])


def test_every_inverse_has_its_place() -> None:
    assert (len(HAVE_INVERSE), len(PEELED), len(NO_INVERSE)) == (216, 209, 4)
    assert sum("inverse" in row for row in TILED) == 220


# --- known answers ---


@pytest.mark.parametrize(
    ("layout", "physical", "text"),
    [
        ("(2,3):(3,1)", None, "f32[2,3]{1,0}"),
        ("(2,3):(1,2)", None, "f32[2,3]{0,1}"),
        ("((2,2),(2,3)):((2,12),(1,4)):(3,5)", None, "f32[3,5]{1,0:T(2,2)}"),
        ("((2,2),8):((1,16),2)", None, "f32[4,8]{1,0:T(2,1)}"),
        # Morton order
        ("((2,2,2),(2,2,2)):((2,8,32),(1,4,16))", None, "f32[8,8]{1,0:T(4,4)(2,2)}"),
        # room: padding at the end, between, and below
        ("(3,5):(128,1)", 1024, "f32[3,5]{1,0:T(8,128)}"),
        ("(3,5):(128,1)", 384, "f32[3,5]{1,0:T(128)}"),
        ("(3,5):(128,1)", None, "f32[3,5]{1,0:T(128)}"),
        ("(8,128):(128,1):(3,5)", None, "f32[3,5]{1,0:T(8,128)}"),
        ("(5):(4)", None, "f32[5]{0:T(1)(4)}"),
        ("5:4", 20, "f32[5]{0:T(1)(4)}"),
        # scalars and arrays of one element
        ("():()", None, "f32[]"),
        ("():()", 128, "f32[]{:T(128)}"),
        ("(1,1):(7,0)", None, "f32[1,1]{1,0}"),
        ("(1):(0)", 128, "f32[1]{0:T(128)}"),
        # empty
        ("(0,3):(5,7)", None, "f32[0,3]{1,0}"),
        ("(4,3):(1,4):(0,3)", 0, "f32[0,3]{1,0}"),
    ],
)
def test_known_shapes(layout: str, physical: int | None, text: str) -> None:
    assert str(from_layout(parse(layout), size=physical)) == text


def test_the_layout_of_the_document_comes_back() -> None:
    """shapes.md; the static ints and the place of the dim of size 1 make no difference."""
    text = "(8,1,(2,4,160),(128,128)):(20971520,0,(1,256,131072),(2,1024))"
    shape = from_layout(parse(text), dtype="bf16")
    assert str(shape) == "bf16[8,1,1280,16384]{3,2,1,0:T(8,128)(2,1)}"
    given_ = parse_shape("bf16[8,1,1280,16384]{3,2,0,1:T(8,128)(2,1)}")
    assert from_layout(to_layout(given_), dtype="bf16") == shape
    assert physical_elements(shape) == physical_elements(given_)
    assert to_layout(shape) == to_layout(given_) == parse(text)


def test_the_least_size_holds_the_padding() -> None:
    padded = parse("(8,128):(128,1):(3,5)")
    assert physical_elements(from_layout(padded)) == padded.cosize == 1024
    assert physical_elements(from_layout(padded.trimmed())) == 384


def test_the_type_is_passed_on() -> None:
    assert from_layout(parse("(2):(1)"), "BF16") == XlaShape("bf16", (2,))
    with pytest.raises(UnsupportedError, match="'f33' is not an XLA element type"):
        from_layout(parse("(2):(1)"), "f33")
    with pytest.raises(LayoutError, match="token carries no data"):
        from_layout(parse("(2):(1)"), "token")


# --- what is refused, and by which digit ---


@pytest.mark.parametrize(
    ("layout", "error", "named"),
    [
        ("(2,2):(0,1)", LayoutError, ["the digit 2:0 of dim 0 broadcasts"]),
        ("(2,2):(2,-1)", LayoutError, ["the digit 2:-1 of dim 1 runs backwards"]),
        ("(2,2):(1,1)", OverlapError, ["2:1 of dim 0", "2:1 of dim 1", "overlap or interleave"]),
        ("(3,2):(1,2)", OverlapError, ["3:1 of dim 0", "2:2 of dim 1", "steps by only 2"]),
        ("(2,2):(3,2)", OverlapError, ["2:2 of dim 1", "2:3 of dim 0", "takes 4 elements"]),
        ("(2,2):(2,5)", DivisibilityError, ["2:2 of dim 0", "2:5 of dim 1", "5 is not a multiple of 2"]),
        ("((2,3),2):((1,7),3)", DivisibilityError, ["2:3 of dim 1", "3:7 of dim 0"]),
        ("(3,8,9):(75,1,8)", DivisibilityError, ["9:8 of dim 2", "3:75 of dim 0"]),
    ],
)
def test_layouts_that_no_tiles_give(layout: str, error: type[TlaError], named: list[str]) -> None:
    with pytest.raises(error) as caught:
        from_layout(parse(layout))
    assert type(caught.value) is error
    assert caught.value.layout == parse(layout)
    assert str(caught.value).startswith(layout)
    for part in named:
        assert part in str(caught.value)


@pytest.mark.parametrize(
    ("layout", "physical"),
    [
        ("(2,3):(3,1)", 7),
        ("(2,3):(3,1)", 3),
        ("(2,3):(3,1)", 0),
        ("(2,3):(3,1)", -6),
        ("(3,5):(128,1)", 1000),
        ("(3,5):(128,1)", 256),
        ("():()", 0),
    ],
)
def test_sizes_that_no_tiles_give(layout: str, physical: int) -> None:
    with pytest.raises(DivisibilityError, match=f"cannot take {physical} elements in memory") as caught:
        from_layout(parse(layout), size=physical)
    assert "The size must be a multiple of" in str(caught.value)
    assert caught.value.size == physical


def test_an_empty_layout_takes_no_memory() -> None:
    with pytest.raises(LayoutError, match="takes no memory, not 6 elements"):
        from_layout(parse("(0,3):(3,1)"), size=6)


@pytest.mark.parametrize("physical", [6.0, True, "6"])
def test_a_size_is_an_int(physical: Any) -> None:
    with pytest.raises(LeafError):
        from_layout(parse("(2,3):(3,1)"), size=physical)


@pytest.mark.parametrize(
    ("layout", "physical"), [("(2):(99999999999999999999)", None), ("(2):(1)", 2**70)]
)
def test_more_memory_than_64_bits_count_is_refused(layout: str, physical: int | None) -> None:
    """Every shape prints as text that is read again, and XLA counts in 64 bits."""
    with pytest.raises(LayoutError, match="64 bits"):
        from_layout(parse(layout), size=physical)


def test_the_peel_says_which_parts_lie_the_wrong_way_round() -> None:
    with pytest.raises(UnsupportedError) as caught:
        from_layout(parse("(4,(2,2)):(4,(2,1))"))
    assert "In dim 1 the greater part of the index, 2:1, lies inside the smaller one, 2:2" in str(
        caught.value
    )


# --- the law ---


@given(xla_shapes())
def test_round_trip_of_a_shape(shape: XlaShape) -> None:
    # tiles with `*` may give what no others give; the others come back, unless the peel stops
    starred = any("*" in tile for tile in shape.tiles)
    allowed = (UnsupportedError, DivisibilityError) if starred else UnsupportedError
    try:
        layout = to_layout(shape)
        back = from_layout(layout, size=physical_elements(shape))
    except allowed:
        return
    assert back.dimensions == shape.dimensions
    assert physical_elements(back) == physical_elements(shape)
    assert offsets(back) == offsets(shape)


@st.composite
def chains(draw: st.DrawFn) -> tuple[AnyLayout, int]:
    """A layout whose digits form a chain, greater parts of a dim at greater strides, and its size.

    Digits may be of size 1, spaced apart, and start above stride 1.
    """
    rank = draw(st.integers(1, 4))
    modes: list[list[tuple[int, int]]] = [[] for _dim in range(rank)]
    stride = draw(st.integers(1, 4))
    for _digit in range(draw(st.integers(0, 6))):
        extent = draw(st.integers(1, 5))
        modes[draw(st.integers(0, rank - 1))].append((extent, stride))
        stride *= extent * draw(st.sampled_from([1, 1, 1, 2, 3]))
    free = st.integers(-3, 9)  # the stride of a mode of size 1 is convention
    shape = tuple(tuple(n for n, _d in mode) or 1 for mode in modes)
    steps = tuple(tuple(d for _n, d in mode) or draw(free) for mode in modes)
    layout = Layout(shape, steps)
    if draw(st.booleans()):
        layout = Layout(shape, steps, tuple(draw(st.integers(1, int(mode.size))) for mode in layout))
    return layout, stride * draw(st.integers(1, 2))


@given(chains())
def test_every_chain_comes_back(chain: tuple[AnyLayout, int]) -> None:
    layout, physical = chain
    assume(layout.valid_size <= 2000)
    every = indices([int(n) for n in layout.origin_shape])
    wanted = [layout(*index) for index in every]
    exact, least = from_layout(layout, size=physical), from_layout(layout)
    assert physical_elements(exact) == physical
    assert layout.cosize <= physical_elements(least) <= physical
    for shape in (exact, least):
        assert shape.dimensions == layout.origin_shape
        assert offsets(shape) == wanted


@given(
    st.lists(st.tuples(st.integers(1, 4), st.integers(-2, 12)), min_size=1, max_size=4),
    st.none() | st.integers(0, 200),
)
def test_no_layout_gets_a_wrong_shape(modes: list[tuple[int, int]], physical: int | None) -> None:
    layout: AnyLayout = Layout(tuple(n for n, _d in modes), tuple(d for _n, d in modes))
    try:
        shape = from_layout(layout, size=physical)
    except (LayoutError, UnsupportedError):
        return
    assert offsets(shape) == [layout(*index) for index in indices([n for n, _d in modes])]
    assert physical is None or physical_elements(shape) == physical


@pytest.mark.parametrize(
    ("text", "size", "shape"),
    [
        ("((2,2),3):((1,2),3):(3,3)", 9, "f32[3,3]{0,1}"),
        ("((2,2)):((1,2)):(3)", 3, "f32[3]{0}"),
        ("((4,2),2):((1,4),7):(7,2)", 14, "f32[7,2]{0,1}"),
        ("((4,2)):((1,4))", None, "f32[8]{0}"),
        ("((2,2,2),4):((4,8,16),1)", None, "f32[8,4]{1,0}"),
        ("((2,2,2),(2,3)):((1,2,4),(9,18)):(7,5)", 54, "f32[7,5]{0,1:T(6,9)}"),
    ],
)
def test_leaves_in_line_are_one_digit(text: str, size: int | None, shape: str) -> None:
    """A leaf that goes on where the one below ends is no step of its own, also under an origin."""
    assert str(from_layout(parse(text), size=size)) == shape


def test_what_is_said_of_tiles_without_a_star_is_said_so() -> None:
    """`[4,8]:T(*,3)` takes 33 elements, and `[2,2]:L(5)` takes 5."""
    for text, size in (("(4,8):(8,1)", 33), ("(2,2):(2,1)", 5)):
        with pytest.raises(DivisibilityError, match=r"without '\*' and L"):
            from_layout(parse(text), size=size)
    with pytest.raises(OverlapError, match=r"is no XLA layout without '\*'"):
        from_layout(parse("(2,2):(3,2)"))


def test_a_type_is_a_name_or_a_type() -> None:
    shape = parse_shape("bf16[2,3]")
    assert isinstance(shape, XlaShape)
    assert from_layout(parse("(2,3):(3,1)"), shape.element_type) == shape
    assert XlaShape(shape.element_type, (2, 3)) == shape
