"""What a layout is: recognised from its numbers, refused with the part that differs."""

from __future__ import annotations

from math import prod
from typing import Any

import pytest
from hypothesis import example, given, strategies as st
from oracle import rows, value

from tla import (
    Int,
    Layout,
    NotALayoutError,
    UndecidedError,
    UnsupportedError,
    ascend,
    assume,
    coalesce,
    get_tile_layout,
    parse,
    sym,
)
from tla.ascend import (
    ELEMENTS,
    TAGS,
    is_column_major,
    is_L0C,
    is_mx_scale_column_major_a,
    is_mx_scale_column_major_b,
    is_mx_scale_nN,
    is_mx_scale_row_major_a,
    is_mx_scale_row_major_b,
    is_mx_scale_zZ,
    is_nN,
    is_nZ,
    is_row_major,
    is_vector,
    is_zN,
    is_zN_unaligned,
    is_zZ,
    make_layout,
    make_mx_scale_layout,
    recognition,
    tag_of,
    tags_of,
    why_not,
)
from tla.testing import layouts

WIDTHS = {4: "int4b_t", 8: "int8_t", 16: "half", 32: "float", 64: "double"}
ANY = [tag for tag in TAGS if TAGS[tag].elements is None]
MATRICES = [tag for tag in TAGS if TAGS[tag].sizes == ("rows", "cols")]


def elements_of(tag: str) -> list[str]:
    return list(TAGS[tag].elements or ELEMENTS)


# --- what a tag makes, and every tile of it, is recognised -------------------------------------


def as_some(n: int, static: bool) -> Any:
    return Int(n) if static else n


@st.composite
def made(draw: st.DrawFn) -> tuple[str, str, Any]:
    """A tag, an element type and a layout of the tag, with any of the options that it takes."""
    tag = draw(st.sampled_from(sorted(TAGS)))
    element = draw(st.sampled_from(elements_of(tag)))
    names, taken = TAGS[tag].sizes, TAGS[tag].options
    most = 100 if len(names) <= 2 else 6
    sizes = [as_some(draw(st.integers(0, most)), draw(st.booleans())) for _name in names]
    options: dict[str, Any] = {}
    if "ld" in taken and draw(st.booleans()):
        options["ld"] = 2 * draw(st.integers(50, 80))
    if "block" in taken:
        options["block"] = (
            draw(st.integers(1, 40)),
            as_some(draw(st.integers(1, 40)), draw(st.booleans())),
        )
    if "c0" in taken and draw(st.booleans()):
        options["c0"] = draw(st.integers(1, 40))
    if "position" in taken:
        options["position"] = draw(st.sampled_from(["GM", "L1"]))
    if draw(st.booleans()) and tag != "VectorLayout":
        several = st.lists(st.integers(0, 4), max_size=3).map(tuple)
        options["batch"] = draw(st.integers(0, 4) | several)
    return tag, element, make_layout(element, tag, *sizes, **options)


@given(made())
def test_what_a_tag_makes_is_in_it(case: tuple[str, str, Any]) -> None:
    tag, element, layout = case
    assert why_not(layout, tag, element) == ()
    assert tag in tags_of(layout, element)
    assert tag in tags_of(layout)
    assert tag_of(layout, element) == tags_of(layout, element)[0]


@given(made(), st.data())
def test_so_is_every_tile_of_it_and_of_the_tile(case: tuple[str, str, Any], data: st.DataObject) -> None:
    tag, element, layout = case
    for _time in range(2):
        sizes = [int(n) for n in layout.origin_shape]
        keeps = [False] * len(sizes)
        keeps[-1] = TAGS[tag].sizes not in (("rows", "cols"), ("length",))  # rows of C0 are whole
        tile = [
            n if keep else as_some(data.draw(st.integers(1, max(1, 2 * n))), data.draw(st.booleans()))
            for n, keep in zip(sizes, keeps, strict=True)
        ]
        coord = [
            0 if keep else data.draw(st.integers(0, n + 5)) for n, keep in zip(sizes, keeps, strict=True)
        ]
        layout = get_tile_layout(layout, tuple(tile), tuple(coord))
        assert why_not(layout, tag, element) == ()


@pytest.mark.parametrize("tag", sorted(TAGS))
@pytest.mark.parametrize("batch", [None, 3])
def test_symbolic_sizes(tag: str, batch: int | None) -> None:
    """The numbers of a layout of unknown sizes are the tag's, whatever they are."""
    names = TAGS[tag].sizes
    options: dict[str, Any] = {"block": (32, 16)} if "block" in TAGS[tag].options else {}
    if tag == "VectorLayout":
        batch = None
    for element in elements_of(tag):
        sizes = [sym(f"n{i}") for i in range(len(names))]
        layout = make_layout(element, tag, *sizes, batch=batch, **options)
        assert why_not(layout, tag, element) == ()
        origin = layout.origin_shape
        tile = tuple(16 if i < len(origin) - 1 or len(origin) == 2 else n for i, n in enumerate(origin))
        at = tuple(sym(f"at{i}", min=0) if t == 16 else 0 for i, t in enumerate(tile))
        if len(origin) <= 3:
            assert why_not(get_tile_layout(layout, tile, at), tag, element) == ()


# --- the law, by brute force -------------------------------------------------------------------

FORMULAS: dict[str, Any] = {
    # tag: block, offset of (i, j) by the outer stride s, least s of so many rows and columns, its grain
    "zN": lambda e: (
        (16, e),
        lambda i, j, s: i * e + j % e + j // e * s,
        lambda m, n: -(-m // 16) * 16 * e,
    ),
    "nZ": lambda e: (
        (e, 16),
        lambda i, j, s: j * e + i % e + i // e * s,
        lambda m, n: -(-n // 16) * 16 * e,
    ),
    "zZ": lambda e: (
        (16, e),
        lambda i, j, s: i % 16 * e + i // 16 * s + j % e + j // e * 16 * e,
        lambda m, n: -(-n // e) * 16 * e,
    ),
    "nN": lambda e: (
        (e, 16),
        lambda i, j, s: j % 16 * e + j // 16 * s + i % e + i // e * 16 * e,
        lambda m, n: -(-m // e) * 16 * e,
    ),
}
OUTER = {"zN": (1, 1), "nZ": (0, 1), "zZ": (0, 1), "nN": (1, 1)}


def naively(layout: Any, tag: str, e: int) -> bool:
    """Whether the offsets are the tag's at every coordinate, for the layout's own outer stride."""
    block, offset, least = FORMULAS[tag](e)
    shape, stride = layout.shape, layout.stride
    if tuple(mode[0] for mode in shape) != block:
        return False
    mode, level = OUTER[tag]
    s, (m, n) = stride[mode][level], layout.origin_shape
    if shape[mode][level] != 1 and (s % (16 * e) or s < least(m, n)):
        return False
    return all(
        layout(i, j) == offset(i, j, s) for i in range(prod(shape[0])) for j in range(prod(shape[1]))
    )


@given(
    st.sampled_from(sorted(FORMULAS)),
    st.sampled_from([4, 8]),
    st.integers(1, 40),
    st.integers(1, 20),
    st.lists(
        st.tuples(
            st.integers(0, 1), st.integers(0, 1), st.booleans(), st.sampled_from([1, 3, 64, 128, 256])
        ),
        max_size=2,
    ),
    st.booleans(),
)
def test_the_law_by_brute_force(
    tag: str, e: int, m: int, n: int, changes: list[tuple[int, int, bool, int]], cut: bool
) -> None:
    layout = make_layout("double" if e == 4 else "float", tag, m, n)
    shape, stride = ([list(mode) for mode in x] for x in (layout.shape, layout.stride))
    for mode, level, of_shape, number in changes:
        if of_shape:
            shape[mode][level] = min(number, 7)
        else:
            stride[mode][level] = number
    full = tuple(int(prod(mode)) for mode in shape)
    origin = (min(m, full[0]), min(n, full[1])) if cut else full
    changed = Layout(tuple(map(tuple, shape)), tuple(map(tuple, stride)), origin)
    answer = recognition(changed, tag, WIDTHS[256 // e]).answer
    assert answer is naively(changed, tag, e)
    if answer:  # and what holds data does not overlap
        offsets = [changed(i, j) for i in range(origin[0]) for j in range(origin[1])]
        assert len(set(offsets)) == len(offsets)


# The tile that a layout is: of the matrix that its outer stride tells. By tag: the mode and leaf of
# that stride; the mode it reaches over; how many of its coordinates, for how many elements of stride.
PARENTS: dict[str, Any] = {
    "RowMajor": lambda e, b: ((0, None), 1, 1, 1),
    "ColumnMajor": lambda e, b: ((1, None), 0, 1, 1),
    "zN": lambda e, b: ((1, 1), 0, 16, 16 * e),
    "nZ": lambda e, b: ((0, 1), 1, 16, 16 * e),
    "zZ": lambda e, b: ((0, 1), 1, e, 16 * e),
    "nN": lambda e, b: ((1, 1), 0, e, 16 * e),
    "L0C": lambda e, b: ((1, 1), 0, 16, 256),
    "Weight4BitnZ": lambda e, b: ((0, 1), 1, 16, 512),
    "PaddingRowMajor": lambda e, b: ((0, 1), 1, b[1], b[0] * b[1]),
    "PaddingColumnMajor": lambda e, b: ((1, 1), 0, b[0], b[0] * b[1]),
    "MxScaleRowMajorA": lambda e, b: ((0, None), 1, 2, 2),
    "MxScaleColumnMajorA": lambda e, b: ((1, 1), 0, 1, 2),
    "MxScaleRowMajorB": lambda e, b: ((0, 1), 1, 1, 2),
    "MxScaleColumnMajorB": lambda e, b: ((1, None), 0, 2, 2),
    "MxScalezZ": lambda e, b: ((0, 1), 1, 2, 32),
    "MxScalenN": lambda e, b: ((1, 1), 0, 2, 32),
}


def test_every_tag_of_a_matrix_has_its_parent_and_a_public_predicate() -> None:
    assert set(PARENTS) == set(MATRICES)
    public = [getattr(ascend, name) for name in vars(ascend)["__all__"]]
    tags = {value.tag for value in public if isinstance(value, type(is_zN))}
    assert tags == {*MATRICES, "VectorLayout", "zNUnAlign"}


@given(st.data())
def test_a_layout_is_in_a_tag_just_where_it_is_a_tile_of_what_the_tag_makes(data: st.DataObject) -> None:
    tag = data.draw(st.sampled_from(sorted(PARENTS)))
    element = data.draw(st.sampled_from([e for e in elements_of(tag) if not e.startswith("float4")]))
    block = (data.draw(st.integers(1, 6)), data.draw(st.integers(1, 6)))
    options: dict[str, Any] = {"block": block} if "block" in TAGS[tag].options else {}
    rows_, cols = data.draw(st.integers(1, 80)), data.draw(st.integers(1, 80))
    layout = make_layout(element, tag, rows_, cols, **options)
    (mode, level), over, count, grain = PARENTS[tag](ELEMENTS[element].c0, block)
    # another outer stride, and data that fill not all of the shape
    outer = data.draw(st.one_of(st.integers(0, 8).map(lambda k: k * grain), st.integers(0, 2000)))
    stride = [list(part) if isinstance(part, tuple) else part for part in layout.stride]
    if level is None:
        stride[mode] = outer
    else:
        stride[mode][level] = outer
    origin = tuple(data.draw(st.integers(0, n)) for n in layout.origin_shape)
    changed = Layout(layout.shape, tuple(tuple(x) if isinstance(x, list) else x for x in stride), origin)

    size = layout.shape[mode] if level is None else layout.shape[mode][level]
    sizes = list(layout.origin_shape)
    sizes[over] = outer // grain * count
    parent = make_layout(element, tag, *sizes, **options)
    tile = get_tile_layout(parent, tuple(int(prod(as_tuple(n))) for n in layout.shape), (0, 0))
    is_tile = size == 1 or (
        (tile.shape, tile.stride) == (changed.shape, changed.stride) and origin[over] <= sizes[over]
    )
    assert recognition(changed, tag, element).answer is is_tile


def as_tuple(x: Any) -> tuple[Any, ...]:
    return x if isinstance(x, tuple) else (x,)


@given(layouts(), st.sampled_from([*TAGS, "zNUnAlign"]))
@example(Layout((1, (1, 13), 1), (1, (1, 1), 13)), "MxScaleRowMajorB")
def test_any_layout_gets_an_answer_and_true_witnesses(layout: Any, tag: str) -> None:
    for reason in why_not(layout, tag):
        assert not reason.is_open
        if reason.at is not None:
            assert layout(reason.at) == reason.offset
            if isinstance(reason.instead, tuple):
                assert layout(reason.instead) == reason.offset
                assert reason.at != reason.instead
            else:
                assert reason.instead != reason.offset


# --- unknowns ----------------------------------------------------------------------------------

M, K = sym("M"), sym("K")
SIZES = [M, K, M + 15, 2 * M, 16 * K, 1, 20]
LEAVES = [M, K, 16 * M, 256 * M, 256 * ((M + 15) // 16), 16 * K, M * K, 1, 2, 16, 256, 512]


@st.composite
def with_unknowns(draw: st.DrawFn) -> tuple[str, str, Any]:
    """A tag, an element type and a layout like one of the tag's, some of whose leaves are changed."""
    tag = draw(st.sampled_from(MATRICES))
    element = draw(st.sampled_from(elements_of(tag)))
    options: dict[str, Any] = {"block": (4, 2)} if "block" in TAGS[tag].options else {}
    sizes = [draw(st.sampled_from(SIZES)) for _name in range(2)]
    layout = make_layout(element, tag, *sizes, **options)
    shape, stride = layout.shape, layout.stride
    for _time in range(draw(st.integers(0, 2))):
        mode, level, new = (
            draw(st.integers(0, 1)),
            draw(st.integers(0, 1)),
            draw(st.sampled_from(LEAVES)),
        )
        if draw(st.booleans()):
            shape = exchanged(shape, mode, level, new)
        else:
            stride = exchanged(stride, mode, level, new)
    return tag, element, Layout(shape, stride, layout.origin_shape if shape == layout.shape else None)


def exchanged(x: Any, mode: int, level: int, new: Any) -> Any:
    """The int tuple with another leaf."""
    parts = list(x)
    if isinstance(parts[mode], tuple):
        inner = list(parts[mode])
        inner[level] = new
        parts[mode] = tuple(inner)
    else:
        parts[mode] = new
    return tuple(parts)


@given(
    with_unknowns(), st.lists(st.tuples(st.integers(1, 40), st.integers(1, 40)), min_size=1, max_size=6)
)
def test_an_answer_about_unknowns_holds_of_every_value(
    case: tuple[str, str, Any], values: list[tuple[int, int]]
) -> None:
    tag, element, layout = case
    for asked in (tag, "zN", "RowMajor"):
        found = recognition(layout, asked, element)
        if found.answer is None:
            assert all(reason.is_open for reason in found.reasons)
            continue
        for m, k in [*values, (1, 1), (16, 16)]:
            bound = layout.bind(M=m, K=k)
            assert recognition(bound, asked, element).answer is found.answer


# --- what is not a tag's, and why --------------------------------------------------------------


@pytest.mark.parametrize("tag", ["zN", "nZ", "zZ", "nN", "L0C", "Weight4BitnZ"])
@pytest.mark.parametrize("bits", sorted(WIDTHS))
def test_a_changed_number_is_named(tag: str, bits: int) -> None:
    layout = make_layout(WIDTHS[bits], tag, 200, 200)
    for mode, name in enumerate(("row", "column")):
        for level in range(2):
            stride = [list(part) for part in layout.stride]
            stride[mode][level] += 1
            changed = Layout(layout.shape, tuple(map(tuple, stride)), layout.origin_shape)
            reasons = why_not(changed, tag, WIDTHS[bits])
            wanted = f"stride {'inside' if not level else 'of'} the {name} block{'s' if level else ''}"
            assert [reason.part for reason in reasons] == [wanted]
            (reason,) = reasons
            assert reason.found == layout.stride[mode][level] + 1
            if reason.at is not None:
                assert changed(reason.at) == reason.offset != reason.instead == layout(reason.at)
        shape = [list(part) for part in layout.shape]
        shape[mode][0] -= 1
        changed = Layout(tuple(map(tuple, shape)), layout.stride)
        parts = {reason.part: reason for reason in why_not(changed, tag, WIDTHS[bits])}
        reason = parts[f"size of the {name} block"]
        assert (reason.found, reason.wanted) == (shape[mode][0], layout.shape[mode][0])
        assert reason.at is not None
        assert changed(reason.at) == reason.offset != reason.instead


@pytest.mark.parametrize(
    ("layout", "tag", "element", "reasons"),
    [
        (
            "((16,2),(16,3)):((16,256),(1,256))", "zN", "half",
            ["the stride of the column blocks is 256; zN of 16 bits has a multiple of 256, at least 512:"
             " (16,0) and (0,16) both lie at 256"],
        ),
        ("(20,48):(47,1)", "RowMajor", None,
         ["the stride of the rows is 47; RowMajor has at least 48: (0,47) and (1,0) both lie at 47"]),
        ("(20,48):(48,2)", "RowMajor", None,
         ["the stride of the columns is 2; RowMajor has 1: (0,1) lies at 2, not at 1"]),
        ("(20,47):(47,1)", "RowMajor", "fp4x2_e2m1_t",
         ["the stride of the rows is 47; RowMajor of 4 bits has a multiple of 2, at least 47"]),
        ("(20,48):(48,1)", "zN", "half",
         ["the shape of the rows is 20; zN of 16 bits has (16,count): (0,16) lies at 16, not at 512",
          "the shape of the columns is 48; zN of 16 bits has (16,count):"
          " (0,16) lies at 16, not at 512"]),
        ("(20):(1)", "zN", "half", ["the number of modes is 1; zN of 16 bits has 2: row, column"]),
        ("20:1", "VectorLayout", None,
         ["the number of modes is 0, as the shape is one int; VectorLayout has 1: element"]),
        ("((16,2),(2,3)):((2,96),(1,32))", "MxScalezZ", "half",
         ["the element type is half; MxScalezZ of 16 bits has float8_e8m0_t"]),
        ("(2,3,4,5,8):(480,160,40,8,1)", "Fmap", "half",
         ["the size of C0 is 8; Fmap of 16 bits has 16"]),
        ("((16,2),(16,C)):((16,256),(1,M))", "zN", "half",
         ["the stride of the column blocks is M; zN of 16 bits has a multiple of 256, at least 512,"
          " which needs M % 256 == 0"]),
    ],
)  # fmt: skip
def test_the_reasons(layout: str, tag: str, element: str | None, reasons: list[str]) -> None:
    found = [str(reason) for reason in why_not(parse(layout), tag, element)]
    assert [text for text in found if text in reasons] == reasons


def test_a_witness_of_two_coordinates_is_one() -> None:
    layout = parse("((16,2),(16,3)):((16,256),(1,256))")
    (reason,) = why_not(layout, "zN")
    assert layout(reason.at) == layout(reason.instead) == reason.offset == 256


# --- decisions ---------------------------------------------------------------------------------


def test_several_tags_in_the_order_of_the_table() -> None:
    assert tags_of(make_layout("half", "L0C", 20, 48), "half") == ("zN", "L0C")
    assert tags_of(make_layout("float", "L0C", 20, 48), "float") == ("L0C",)
    assert tags_of(parse("(20,1):(1,1)")) == ("RowMajor", "ColumnMajor")
    assert tags_of(make_layout("half", "zN", 16, 16)) == ("zN", "zZ", "L0C", "PaddingRowMajor")
    for tags in (tags_of(make_layout(e, t, 50, 50)) for t in MATRICES[:4] for e in ("half",)):
        assert list(tags) == sorted(tags, key=list(TAGS).index)


def test_the_stride_of_a_size_of_one_is_convention() -> None:
    assert is_zN(parse("((16,2),(16,1)):((16,256),(1,7))"), "half")
    assert is_row_major(parse("(1,48):(0,1)"))
    assert is_column_major(parse("(20,1):(1,0)"))


def test_coalescing_leaves_the_tag() -> None:
    """The profile is the tag's: what the same offsets are, but in other modes, is another layout."""
    layout = make_layout("half", "zN", 16, 48)
    assert is_zN(layout)
    assert not is_zN(coalesce(layout))
    assert is_vector(parse("(48):(1)"))
    assert not is_vector(parse("48:1"))


def test_zN_of_rows_that_fill_no_block() -> None:  # noqa: N802
    assert is_zN_unaligned(parse("((20,1),(16,3)):((16,320),(1,320))"), "half")
    assert is_zN_unaligned(parse("((20,1),(16,3)):((16,0),(1,336))"), "half")
    assert not is_zN_unaligned(parse("((20,2),(16,3)):((16,320),(1,640))"), "half")
    assert not is_zN_unaligned(parse("((20,1),(16,3)):((16,320),(1,304))"), "half")
    assert tag_of(parse("((20,1),(16,3)):((16,320),(1,336))")) is None


def test_unknowns_decide() -> None:
    layout = parse("((16,R),(16,C)):((16,256),(1,M))")
    assert is_zN(layout, "half") is None
    assert is_zN(layout, "float") is False
    with pytest.raises(UndecidedError, match="M % 256 == 0") as caught:
        tag_of(layout, "half")
    assert caught.value.tag == "zN"
    m, r = sym("M"), sym("R")
    with assume(m % 256 == 0, m >= 256 * r):
        assert is_zN(layout, "half") is True
    half = make_layout("half", "zN", m, 48)
    assert tag_of(half) == "zN"
    with pytest.raises(UndecidedError) as open_:
        tags_of(half)
    assert open_.value.known == ("zN", "L0C")
    assert is_row_major(parse("(M,K):(K,1)")) is True
    assert is_column_major(parse("(M,K):(K,1)")) is None
    assert is_column_major(parse("(M{min=2},K{min=2}):(K,1)")) is False


@pytest.mark.parametrize("tag", ["RowMajor", "ColumnMajor", "VectorLayout", "zN", "nZ", "zZ", "nN"])
@pytest.mark.parametrize("name", WIDTHS.values())
def test_the_tag_of_unknown_sizes_is_the_one_that_is_proved(tag: str, name: str) -> None:
    """Other tags are those of some values; the first for all values is the answer."""
    sizes = [sym("M"), sym("K")][: len(TAGS[tag].sizes)]
    layout = make_layout(name, tag, *sizes)
    assert tag_of(layout, name) == tag
    assert recognition(layout, tag, name).answer is True


def test_no_tag_that_is_proved() -> None:
    """The first open one says what would settle it; none that is open is none at all."""
    with pytest.raises(UndecidedError) as caught:
        tag_of(parse("(M,K):(N,1)"))
    assert caught.value.tag == "RowMajor"
    assert tag_of(parse("(M{min=2},K{min=2}):(2,2)")) is None


@pytest.mark.parametrize("tag", [tag for tag in TAGS if TAGS[tag].elements])
@given(st.integers(1, 99), st.integers(1, 99))
def test_scales_that_say_their_element_are_scales(tag: str, rows: int, cols: int) -> None:
    """zZ and nN of pairs have the form of a padded matrix, too, which comes after."""
    layout = make_layout("e8m0", tag, rows, cols)
    found = tags_of(layout, "e8m0")
    assert found[0] == tag_of(layout, "e8m0")
    assert found[0].startswith("MxScale")
    assert tag in found
    if tag in ("MxScalezZ", "MxScalenN"):
        assert found[0] == tag
        padded = f"Padding{'RowMajor' if tag == 'MxScalezZ' else 'ColumnMajor'}"
        assert padded in found
        assert tag_of(layout, "int8_t") == padded


def test_bad_arguments() -> None:
    with pytest.raises(UnsupportedError, match="Did you mean zN"):
        why_not(parse("(2,3):(3,1)"), "zn")
    with pytest.raises(UnsupportedError, match="'hlaf' is not an element type"):
        is_zN(parse("(2,3):(3,1)"), "hlaf")
    with pytest.raises(NotALayoutError):
        tag_of((2, 3))  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    assert is_zN(make_layout("half", "zN", 3, 4), "half")
    assert why_not(make_layout("half", "zN", 3, 4), "Catlass::layout::zN") == ()
    assert recognition(make_layout("half", "zN", 3, 4), "Catlass::layout::zN").tag == "zN"
    assert why_not(make_layout("half", "zN", 3, 4), TAGS["zN"]) == ()
    with pytest.raises(TypeError, match="expected the name of a layout tag, got int 5"):
        why_not(make_layout("half", "zN", 3, 4), 5)  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]


def test_copies_of_copies() -> None:
    layout = make_layout("half", "zN", 20, 48, batch=(2, 3))
    assert tag_of(layout, "half") == "zN"
    assert recognition(layout, "zN").sizes[:2] == (("batches", 2), ("batches", 3))
    (reason,) = why_not(parse("(2,3,4,5):(120,24,5,1)"), "RowMajor")
    assert str(reason).startswith("the stride of the batches is 24; RowMajor has a multiple of 5, at")


def test_a_tag_of_more_modes_is_asked_first() -> None:
    layout = make_layout("half", "Fmap", 2, 3, 4, 5)
    assert tag_of(layout) == "Fmap"
    assert tags_of(layout)[-1] == "RowMajor"


def test_a_count_that_the_tag_fixes_is_called_one() -> None:
    layout = make_layout("half", "zN", 20, 48)
    (reason, *_) = why_not(layout, "zNUnAlign")
    assert str(reason).startswith("the count of the row blocks is 2; zNUnAlign of 16 bits has 1")


# --- the recorded rows -------------------------------------------------------------------------

PREDICATES: dict[str, Any] = {
    "isVector": is_vector, "isRowMajor": is_row_major, "isColumnMajor": is_column_major,
    "iszN": is_zN, "isnZ": is_nZ, "iszZ": is_zZ, "iszNUnAlign": is_zN_unaligned,
}  # fmt: skip
MX: dict[str, Any] = {
    "RowMajorA": is_mx_scale_row_major_a, "ColumnMajorA": is_mx_scale_column_major_a,
    "RowMajorB": is_mx_scale_row_major_b, "ColumnMajorB": is_mx_scale_column_major_b,
    "zZ": is_mx_scale_zZ, "nN": is_mx_scale_nN,
}  # fmt: skip


def differences(
    op: str, key: str, predicates: dict[str, Any]
) -> dict[tuple[str, bool, bool], list[Any]]:
    """The rows by predicate, recorded answer and ours, where the two are not the same."""
    found: dict[tuple[str, bool, bool], list[Any]] = {}
    for row in rows("catlass_tla.jsonl", op):
        if key not in row:
            continue
        layout = Layout(*(value(row[part]) for part in ("shape", "stride", "origin_shape")))
        element = {"signed char": "int8_t"}.get(row.get("element", ""), row.get("element", "half"))
        for name, theirs in row[key].items():
            ours = predicates[name](layout, element)
            if ours is not bool(theirs):
                found.setdefault((name, bool(theirs), ours), []).append((row, layout))
    return found


STATIC_ONLY = "CATLASS reads the ints of a default-constructed type: dynamic ones are 0 there"
ONE = "the stride of a leaf of size 1 places nothing: one row of fractals lies as zN and as zZ"
SAME = "CATLASS asks of zZ and of nN the same, the ranks alone: both are true of either"


def as_catlass(name: str, layout: Any, e: int) -> bool:
    """What CATLASS asks, of the values of all ints."""
    shape, stride = layout.shape, layout.stride
    if name == "isVector":
        return len(shape) == 1 and not isinstance(shape[0], tuple) and bool(stride[0] == 1)
    if len(shape) != 2:
        return False
    if name in ("isRowMajor", "isColumnMajor"):
        return not isinstance(shape[0], tuple) and bool(stride[name == "isRowMajor"] == 1)
    if not all(isinstance(mode, tuple) for mode in shape):
        return False
    block, f = (shape[0][0], shape[1][0]), 16 * e
    asked: dict[str, Any] = {
        "iszN": block == (16, e) and stride[1][0] == 1 and stride[0][1] == f,
        "iszZ": block == (16, e) and stride[1][0] == 1 and stride[1][1] == f,
        "isnZ": block == (e, 16) and stride[0][0] == 1 and stride[1][1] == f,
        "iszNUnAlign": shape[0][1] == 1 and shape[1][0] == e and stride[0][0] == e and stride[1][0] == 1,
    }
    return bool(asked[name])


@pytest.mark.parametrize("op", ["make_layout", "get_tile_layout", "make_layout_from_tag"])
def test_recorded_predicates(op: str) -> None:
    reasons: dict[str, int] = {}
    for (name, theirs, ours), cases in differences(op, "predicates", PREDICATES).items():
        for row, layout in cases:
            assert (theirs, ours) == (False, True), (name, layout)
            if as_catlass(name, layout, 256 // row.get("bits", 16)):
                reason = STATIC_ONLY
            else:
                assert any(1 in mode if isinstance(mode, tuple) else mode == 1 for mode in layout.shape)
                reason = ONE
            reasons[reason] = reasons.get(reason, 0) + 1
    assert set(reasons) == ({STATIC_ONLY, ONE} if op != "make_layout_from_tag" else {STATIC_ONLY})


def test_recorded_predicates_of_scales() -> None:
    """Ours row by row: what the row is made as is in its tag, and no row of other modes is."""
    found = differences("make_mx_scale_layout", "mx_predicates", MX)
    differ = {
        (row["tag"], row["isMxScaleB"], row["rows"], row["cols"], name): ours
        for (name, _theirs, ours), cases in found.items()
        for row, _layout in cases
    }
    expected: dict[tuple[Any, ...], bool] = {}
    for row in rows("catlass_tla.jsonl", "make_mx_scale_layout"):
        tag, side = row["tag"], "AB"[row["isMxScaleB"]]
        own = tag if tag in ("zZ", "nN") else f"{tag}{side}"
        case = (tag, row["isMxScaleB"], row["rows"], row["cols"])
        for name, theirs in row["mx_predicates"].items():
            other = {"zZ": "nN", "nN": "zZ"}.get(name)
            if other == tag:
                assert theirs == 1, SAME
                expected[*case, name] = False
            elif {name, own} == {"RowMajorA", "ColumnMajorA"} and row["cols"] in (1, 2):
                assert theirs == 0, ONE
                expected[*case, name] = True
            else:
                assert theirs == (name == own), row
    assert differ == expected


@pytest.mark.parametrize("tag", ["zZ", "nN"])
def test_scales_of_zZ_and_nN_are_told_apart(tag: str) -> None:  # noqa: N802
    layout = make_mx_scale_layout("e8m0", tag, 33, 64, is_b=tag == "nN")
    assert is_mx_scale_zZ(layout) is (tag == "zZ")
    assert is_mx_scale_nN(layout) is (tag == "nN")
    assert is_nN(layout, "e8m0") is False
    assert is_L0C(layout) is False
