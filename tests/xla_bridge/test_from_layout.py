"""From a nested layout to an XLA shape of the same function and size."""

from __future__ import annotations

import re
from itertools import product
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from cases import over
from hypothesis import given, strategies as st

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
from tla.ground import plural
from tla.xla_bridge import (
    COMBINE,
    XlaShape,
    canonicalize,
    from_layout,
    parse_shape,
    physical_elements,
    physical_offset,
    to_layout,
)

from .chains import chains
from .rows import TILED, array, indices, offsets
from .strategies import xla_shapes

if TYPE_CHECKING:
    from tla.layouts.layout import AnyLayout

NESTED = [row for row in TILED if row.get("nested")]
NOT_NESTED = [row for row in TILED if not row.get("nested")]
# rows with `*` that no other tiles give: the last has no chain, the others a size that is no multiple
ONLY_WITH_STARS = {
    "bf16[7,5]{0,1:T(*,1)(*,2)}": "bf16[7,5]{0,1:L(36)}",
    "f64[7,1]{0,1:T(2,4)(2,*,*,6)}": "f64[7,1]{0,1:T(4)(14)L(36)}",
    "s8[1,16,12]{2,1,0:T(*,5)(5,5)}": "s8[1,16,12]{2,1,0:L(200)}",
    "f32[3,8,9]{1,2,0:T(*,5)}": "f32[3,8,9]{1,2,0:T(*,75)}",
}


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


@over("row", NESTED, ids=lambda row: str(row["text"]))
def test_inverse_of_the_oracle(row: dict[str, Any]) -> None:
    shape = from_layout(nested(row), row["dtype"], row["cosize"])
    check(shape, row)
    starred = any(COMBINE in tile for tile in shape.tiles)
    rounded = shape.tail_padding_alignment_in_elements > 1
    assert ONLY_WITH_STARS.get(row["text"], str(shape)) == str(shape)
    assert (starred or rounded) == (row["text"] in ONLY_WITH_STARS)


@pytest.mark.parametrize(
    "row",
    [row for row in NESTED if row["physical_elements"] != row["cosize"]],
    ids=lambda row: str(row["text"]),
)
def test_sizes_that_an_l_rounds_up_to(row: dict[str, Any]) -> None:
    shape = from_layout(nested(row), row["dtype"], row["physical_elements"])
    assert physical_elements(shape) == row["physical_elements"]
    assert [physical_offset(shape, index) for index, _at in row["samples"]] == [
        at for _index, at in row["samples"]
    ]


@over("row", NESTED, ids=lambda row: str(row["text"]))
def test_inverse_of_to_layout(row: dict[str, Any]) -> None:
    layout = to_layout(array(row["text"]))
    check(from_layout(layout, row["dtype"], row["cosize"]), row)
    check(from_layout(layout.trimmed(), row["dtype"], row["cosize"]), row)


def test_every_row_with_a_nested_layout_has_an_inverse() -> None:
    assert (len(TILED), len(NESTED), len(NOT_NESTED)) == (280, 269, 11)
    assert sum("inverse" in row and row["inverse"] is not None for row in NOT_NESTED) == 0


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
        ("(5):(4)", None, "f32[5]{0:T(4,1)}"),
        ("5:4", 20, "f32[5]{0:T(4,1)}"),
        ("(5,1):(4,0)", 20, "f32[5,1]{1,0:T(4)}"),
        # a greater part of an index inside a smaller one
        ("((8,2,2),(128,2)):((256,1,4096),(2,2048))", None, "f32[32,256]{1,0:T(8,128)(2,1,1,1)}"),
        ("((2,2,2),(4,2)):((8,1,32),(2,16))", None, "f32[8,8]{1,0:T(2,4)(2,1,1,1)}"),
        ("(4,(2,2)):(4,(2,1))", None, "f32[4,4]{1,0:T(2)(2,1)}"),
        ("((2,2,2,2)):((8,4,2,1))", None, "f32[16]{0:T(8)(4)(2)(2,2,2,1)(2,2,1,1)(2,1,1,1)}"),
        # scalars and arrays of one element
        ("():()", None, "f32[]"),
        ("():()", 128, "f32[]{:T(128)}"),
        ("(1,1):(7,0)", None, "f32[1,1]{1,0}"),
        ("(1):(0)", 128, "f32[1]{0:T(128)}"),
        # any other size is rounded up to
        ("(2,3):(3,1)", 7, "f32[2,3]{1,0:L(7)}"),
        ("(3,5):(128,1)", 1000, "f32[3,5]{1,0:T(128)L(1000)}"),
        ("(4,8):(8,1)", 33, "f32[4,8]{1,0:L(33)}"),
        # no chain: padding of merged dims
        ("(3,8,9):(75,1,8)", None, "f32[3,8,9]{1,2,0:T(*,75)}"),
        ("(3,8,9):(75,1,8)", 226, "f32[3,8,9]{1,2,0:T(*,75)(*,*,226)}"),
        ("(2,2):(2,5)", None, "f32[2,2]{0,1:T(2,1,1)(*,*,*,5)}"),
        ("((2,3),2):((1,7),3)", None, "f32[6,2]{1,0:T(2,1)(3,1)(*,*,*,*,7)}"),
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
        ("(2,2):(1,1)", OverlapError, ["elements (0,1) and (1,0) both lie at offset 1"]),
        ("(3,2):(1,2)", OverlapError, ["elements (2,0) and (0,1) both lie at offset 2"]),
        ("(3,(3,4)):(6,(1,4))", OverlapError, ["(0,9) and (2,0)", "at offset 12"]),
        ("(2,2):(3,2)", OverlapError, ["2:2 of dim 1", "2:3 of dim 0", "takes 4 elements"]),
        ("(2,5,2):(6,5,1)", OverlapError, ["5:5 of dim 1", "2:6 of dim 0", "is not decided"]),
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
    ("layout", "physical", "open_"),
    [
        ("(2,3):(3,1)", 5, False),
        ("(2,3):(3,1)", 0, False),
        ("(2,3):(3,1)", -6, False),
        ("(3,5):(128,1)", 256, True),
        ("(3,5):(128,1)", 383, True),
        ("():()", 0, False),
    ],
)
def test_sizes_below_the_data(layout: str, physical: int, open_: bool) -> None:
    few = "" if open_ else f" has {plural(int(parse(layout).size), 'element')}, and"
    match = rf"^{re.escape(layout)}{few} cannot take {physical} elements in memory"
    with pytest.raises(LayoutError, match=match) as caught:
        from_layout(parse(layout), size=physical)
    assert caught.value.size == physical
    assert ("is not decided" in str(caught.value)) == open_


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


# --- the law ---


@given(xla_shapes())
def test_round_trip_of_a_shape(shape: XlaShape) -> None:
    starred = any(COMBINE in tile for tile in shape.tiles)
    try:
        layout = to_layout(shape)
    except UnsupportedError:
        return
    try:
        back = from_layout(layout, size=physical_elements(shape))
    except LayoutError:
        assert starred  # digits that interleave, or less room than they take
        return
    assert back.dimensions == shape.dimensions
    assert physical_elements(back) == physical_elements(shape)
    assert offsets(back) == offsets(shape)
    assert starred or all(COMBINE not in tile for tile in back.tiles)
    assert starred or back.tail_padding_alignment_in_elements == 1


@given(chains())
def test_every_chain_comes_back(chain: tuple[AnyLayout, int]) -> None:
    layout, physical = chain
    exact, least = from_layout(layout, size=physical), from_layout(layout)
    assert physical_elements(exact) == physical
    assert layout.cosize <= physical_elements(least) <= physical
    for shape in (exact, least):
        assert shape.tail_padding_alignment_in_elements == 1
        assert all(COMBINE not in tile for tile in shape.tiles)
        check_function(shape, layout)


@given(chains(torn=True))
def test_digits_that_do_not_overlap_come_back(torn: tuple[AnyLayout, int]) -> None:
    layout, physical = torn
    shape = from_layout(layout, size=physical)
    assert physical_elements(shape) == physical
    check_function(shape, layout)
    check_function(from_layout(layout), layout)


def check_function(shape: XlaShape, layout: AnyLayout) -> None:
    """Every element of few, and some of many, has the offset of the layout."""
    dims = [int(n) for n in layout.origin_shape]
    assert list(shape.dimensions) == dims
    if layout.valid_size <= 1000:
        every = indices(dims)
    else:
        places = [range(n) if n < 4 else {0, 1, n // 3, n - 2, n - 1} for n in dims]
        every = list(product(*places))
    for index in every:
        assert physical_offset(shape, index) == layout(*index)


@pytest.mark.parametrize("rank", [1, 2, 5, 12])
@pytest.mark.parametrize("seed", range(4))
def test_sixty_digits_come_back(rank: int, seed: int) -> None:
    """The tiles and their entries grow with the number of digits, not with a power of it."""
    rng = Random(seed)
    digits = [(rng.randrange(rank), 2, 2**i) for i in range(62)]
    rng.shuffle(digits)
    modes = [[(n, d) for dim, n, d in digits if dim == i] for i in range(rank)]
    layout: AnyLayout = Layout(
        tuple(tuple(n for n, _d in mode) or 1 for mode in modes),
        tuple(tuple(d for _n, d in mode) or 0 for mode in modes),
    )
    shape = from_layout(layout, "s8", 2**62)
    assert physical_elements(shape) == 2**62
    assert len(shape.tiles) <= 2 * 62
    for _sample in range(50):
        index = [rng.randrange(int(n)) for n in shape.dimensions]
        assert physical_offset(shape, index) == layout(*index)


@pytest.mark.parametrize(
    ("layout", "physical", "text"),
    [
        ("(4611686018427387904):(1)", None, "s8[4611686018427387904]{0}"),
        ("(2):(4611686018427387904)", None, None),
        ("(1,2):(0,2305843009213693952)", None, "s8[1,2]{0,1:T(2305843009213693952)}"),
        ("(3,5):(128,1)", 2**63 - 1, "s8[3,5]{1,0:T(128)L(9223372036854775807)}"),
        ("(3,5):(128,1)", 2**63, None),
        ("(2,2):(4611686018427387904,1)", None, None),
    ],
)
def test_huge_dims(layout: str, physical: int | None, text: str | None) -> None:
    if text is None:
        with pytest.raises(LayoutError, match="64 bits"):
            from_layout(parse(layout), "s8", physical)
    else:
        assert str(from_layout(parse(layout), "s8", physical)) == text


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
    with pytest.raises(OverlapError, match=r"is no XLA layout without '\*'"):
        from_layout(parse("(2,2):(3,2)"))


# --- unknown sizes, where the peel alone does not do ---


@pytest.mark.parametrize(
    ("text", "back"),
    [
        ("f32[?,256]{1,0:T(8,128)(2,1,1,1)}", "f32[?,256]{1,0:T(8,128)(2,1,1,1)}"),
        ("bf16[3,?]{1,0:T(8,128)(2,1,1,1)}", "bf16[3,?]{1,0:T(1,8,128)(2,1,1)}"),
        ("bf16[?]{0:T(1024)(128)(2,1)}", "bf16[?]{0:T(128)(8,128)(2,1)}"),
        ("bf16[?,<=130]{1,0:T(1024)(128)(2,1)}", "bf16[?,<=130]{1,0:T(128)(2,512)(2,1)}"),
    ],
)
def test_a_greater_part_inside_a_smaller_one_with_unknowns(text: str, back: str) -> None:
    shape = array(text)
    found = from_layout(to_layout(shape), shape.element_type, physical_elements(shape))
    assert str(found) == back
    for n in (1, 7, 17, 300):
        fixed, again = (array(t.replace("?", str(n)).replace("<=", "")) for t in (text, back))
        assert canonicalize(fixed) == canonicalize(again)
        assert physical_elements(fixed) == physical_elements(again)
        if n < 10:
            assert offsets(fixed) == offsets(again)


@pytest.mark.parametrize(
    ("layout", "size", "error", "text"),
    [
        ("(M,2):(7,2)", None, DivisibilityError, "2:2 of dim 1 and M:7 of dim 0 do not nest"),
        ("(M,8):(15,2)", None, OverlapError, "8:2 of dim 1 and M:15 of dim 0 overlap"),
        ("(3,M):(2*M,1)", None, UnsupportedError, "a tile would have the entry 2*M"),
        ("(4,(2,2),M):(4,(2,1),16)", "64*M", UnsupportedError, "lies inside the smaller one, 2:2"),
        ("(M,3):(3,1)", "3*M+1", DivisibilityError, "must be a multiple of 3"),
    ],
)
def test_unknowns_that_no_tiles_are_found_for(
    layout: str, size: str | None, error: type[TlaError], text: str
) -> None:
    wanted = None if size is None else parse(f"({size}):(1)").shape[0]
    with pytest.raises(error) as caught:
        from_layout(parse(layout), size=wanted)
    assert text in str(caught.value)


def test_a_type_is_a_name_or_a_type() -> None:
    shape = parse_shape("bf16[2,3]")
    assert isinstance(shape, XlaShape)
    assert from_layout(parse("(2,3):(3,1)"), shape.element_type) == shape
    assert XlaShape(shape.element_type, (2, 3)) == shape
