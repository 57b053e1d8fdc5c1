"""Layout tags: every recorded layout, the definition of each format, symbolic sizes, bad input."""

from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest
from hypothesis import assume, given, strategies as st
from oracle import rows, value
from test_catlass import at_least_as_static, differing

from tla import (
    CongruenceError,
    DivisibilityError,
    Int,
    LayoutError,
    LeafError,
    TlaError,
    UndecidedError,
    UnsupportedError,
    ceil_div,
    flatten,
    get_tile_layout,
    round_up,
    sym,
    to_text,
)
from tla.ascend import ELEMENTS, TAGS, element, make_layout, make_layout_in_ub
from tla.ascend.tags.table import tag_named
from tla.layouts.fractal import fractal_layout

FILE = "catlass_tla.jsonl"

FP4 = ("float4_e2m1x2_t", "float4_e1m2x2_t")
FRACTALS = ("zN", "nZ", "zZ", "nN", "L0C", "Weight4BitnZ")
LINES = ("RowMajor", "ColumnMajor")
PADDED = ("PaddingRowMajor", "PaddingColumnMajor")
MATRICES = (*LINES, *FRACTALS, *PADDED)


def sizes_of(row: Any) -> tuple[Any, ...]:
    """The sizes of a row, as static as they were in C++."""
    height = Int(row["rows"]) if row["args"] == "static" else row["rows"]
    return height, Int(row["cols"]) if "static" in row["args"] else row["cols"]


def require_as_recorded(layout: Any, row: Any) -> None:
    """The three parts by value and staticness, and every offset."""
    for part in ("shape", "stride", "origin_shape"):
        assert at_least_as_static(getattr(layout, part), value(row[part])), (part, row)
    assert (layout.rank, layout.depth) == (row["rank"], row["depth"])
    for coord, offset in row.get("offsets", ()):
        assert layout(*coord) == offset
    for index, offset in row.get("int_offsets", ()):
        assert layout.extended(index) == offset


# --- what is recorded ---


def test_make_layout_as_recorded() -> None:
    seen, differ = set(), {}
    for row in rows(FILE, "make_layout"):
        sizes = sizes_of(row)
        if row["tag"] == "VectorLayout" and row["rows"] != 1:
            with pytest.raises(CongruenceError) as caught:
                make_layout(row["element"], row["tag"], *sizes)
            differ["VectorLayout of several rows"] = type(caught.value).__name__
            sizes = sizes[1:]
        seen.add((row["tag"], row["bits"]))
        assert element(row["element"]).bits == row["bits"]
        layout = make_layout(row["element"], row["tag"], *sizes)
        require_as_recorded(layout, row)
        assert layout.size == row.get("padded_size", layout.size)
        if row["args"] == "static":
            assert layout.is_static
    assert differ == differing("make_layout")
    assert {tag for tag, _bits in seen} == {*LINES, "VectorLayout", *FRACTALS} - {"nN"}
    assert {bits for _tag, bits in seen} == {4, 8, 16, 32, 64}


def test_make_layout_l0c_as_recorded() -> None:
    for row in rows(FILE, "make_layout_l0c"):
        for name in ("float", "int32_t"):
            layout = make_layout(name, "L0C", value(row["rows"]), value(row["cols"]))
            require_as_recorded(layout, row)


def test_make_layout_from_tag_as_recorded() -> None:
    """The tag object's numbers are the same; here those of a fractal stay static."""
    differ = {}
    for row in rows(FILE, "make_layout_from_tag"):
        name = row["desc"].partition("<")[2].partition(">")[0] or "half"
        ld = {"ld": row["stride"][1]} if "ldm" in row["desc"] else {}
        layout = make_layout(name, row["tag"], *row["origin_shape"], **ld)
        require_as_recorded(layout, row)
        if f"{layout} @{to_text(layout.origin_shape)}" != row["print"]:
            differ[row["desc"].partition(":")[0]] = str(layout)
    assert differ == differing("make_layout_from_tag")


def test_make_batched_layout_as_recorded() -> None:
    for row in rows(FILE, "make_batched_layout"):
        if "shape" not in row:  # there the layout is a type only
            assert (row["rank"], row["depth"]) == (3, 2)
            batched = make_layout("half", "zN", 8, 16, batch=4)
            assert (batched.rank, batched.depth) == (3, 2)
            continue
        count, *sizes = row["shape"]
        require_as_recorded(make_layout("half", "RowMajor", *sizes, batch=count), row)


def test_padding_tags_as_recorded() -> None:
    """All but a tile's strides: CATLASS computes those anew, as of a matrix of the tile's size."""
    differ = {}
    for row in rows(FILE, "padding_tag"):
        tag, block, sizes = row["tag"], tuple(row["block"]), (row["rows"], row["cols"])
        layout = make_layout("half", tag, *sizes, block=block)
        assert flatten(layout.shape) == tuple(row["shape"])
        assert flatten(layout.stride) == tuple(row["stride"])
        assert layout.origin_shape == sizes
        for coord, offset in row["get_offset"]:
            assert layout(*coord) == offset
        tile = get_tile_layout(layout, (33, 20), (0, 0))
        assert flatten(tile.shape) == tuple(row["tile33x20_shape"])
        assert tile.stride == layout.stride
        if flatten(tile.stride) != tuple(row["tile33x20_stride"]):
            differ[f"{tag} {sizes[0]}x{sizes[1]}"] = to_text(tile.stride)
        alone = make_layout("half", tag, 33, 20, block=block)
        assert flatten(alone.stride) == tuple(row["tile33x20_stride"])
    assert differ == differing("padding_tag")


def test_legacy_tags_as_recorded() -> None:
    """The objects that CATLASS calls by the same names: four numbers there are two modes here."""
    differ = {}
    for row in rows(FILE, "legacy_tag"):
        tag = row["tag"]
        if tag in MATRICES:
            case = f"{tag}<{row['element']}>({row['rows']},{row['cols']})"
            layout = make_layout(row["element"], tag, row["rows"], row["cols"])
        elif tag.startswith("VectorLayout::MakeLayoutInUb"):
            case, layout = (
                "VectorLayout::MakeLayoutInUb<half>(100)",
                make_layout_in_ub("half", "VectorLayout", 100),
            )
        else:
            *axes, c0 = row["args"]
            case, layout = (
                f"{tag}({to_text(tuple(row['args']))[1:-1]})",
                make_layout("half", tag, *axes, c0=c0),
            )
        if flatten(layout.shape) != tuple(row["shape"]) or (
            "stride" in row and flatten(layout.stride) != tuple(row["stride"])
        ):
            differ[case] = str(layout)
            continue
        assert layout.origin_shape == tuple(row.get("org_shape", layout.origin_shape))
        if "capacity" in row:
            capacity = make_layout(row["element"], tag, row["rows"], row["cols"], batch=1).stride[0]
            assert capacity == row["capacity"]
        if "tile33x20_shape" in row:
            tile = get_tile_layout(layout, (33, 20), (0, 0))
            assert flatten(tile.shape) == tuple(row["tile33x20_shape"])
            assert flatten(tile.stride) == tuple(row["tile33x20_stride"])
        offsets = [layout(*coord) for coord, _offset in row.get("get_offset", ())]
        if offsets != [offset for _coord, offset in row.get("get_offset", ())]:
            differ[case] = " ".join(map(str, offsets))
    assert differ == differing("legacy_tag")


# --- what the names say ---

BLOCKS = {"L0C": (16, 16), "Weight4BitnZ": (32, 16)}


def block_of(name: str, tag: str, block: tuple[int, int]) -> tuple[int, int]:
    """The rows and columns of a block: of 16 and of 32 bytes, along what is contiguous."""
    if tag in PADDED:
        return block
    row = 256 // element(name).bits
    return BLOCKS.get(tag) or ((16, row) if tag[0] == "z" else (row, 16))


BLOCKS_BY_ROWS, WITHIN_BY_ROWS = (
    {"nZ", "zZ", "Weight4BitnZ", "PaddingRowMajor"},
    {"zN", "zZ", "L0C", "PaddingRowMajor"},
)


def by_definition(tag: str, sizes: tuple[int, int], block: tuple[int, int]) -> dict[Any, int]:
    """The place of each element of the padded matrix, by writing them down block after block."""
    (high, wide), (height, width) = block, sizes
    down, across = range(-(-height // high)), range(-(-width // wide))
    by_rows = product(down, across) if tag in BLOCKS_BY_ROWS else _by_columns(down, across)
    order = []
    for b, c in by_rows:
        cells = product(range(high), range(wide))
        within = cells if tag in WITHIN_BY_ROWS else _by_columns(range(high), range(wide))
        order += [(b * high + i, c * wide + j) for i, j in within]
    return {at: place for place, at in enumerate(order)}


def _by_columns(down: range, across: range) -> Iterator[tuple[int, int]]:
    return ((i, j) for j in across for i in down)


names = st.sampled_from([*ELEMENTS])
sizes = st.tuples(st.integers(0, 70), st.integers(0, 70))
blocks = st.tuples(st.integers(1, 20), st.integers(1, 20))


@given(names, st.sampled_from([*FRACTALS, *PADDED]), sizes, blocks)
def test_fractals_are_what_their_letters_say(
    name: str, tag: str, sizes: tuple[int, int], block: tuple[int, int]
) -> None:
    options: dict[str, Any] = {"block": block} if tag in PADDED else {}
    layout = make_layout(name, tag, *sizes, **options)
    places = by_definition(tag, sizes, block_of(name, tag, block))
    assert {at: layout(*at) for at in places} == places
    assert layout.origin_shape == sizes
    assert layout.valid_size == sizes[0] * sizes[1]
    assert layout.size == len(places)


@given(names, st.sampled_from(LINES), sizes, st.none() | st.integers(0, 80))
def test_lines_lie_a_leading_dimension_apart(
    name: str, tag: str, sizes: tuple[int, int], ld: int | None
) -> None:
    length = sizes[tag == "RowMajor"]
    even = 2 if name in FP4 else 1
    assume(ld is None or (ld >= length and ld % even == 0))
    layout = make_layout(name, tag, *sizes, ld=ld)
    step = -(-length // even) * even if ld is None else ld
    for i, j in product(range(sizes[0]), range(sizes[1])):
        assert layout(i, j) == (i * step + j if tag == "RowMajor" else i + j * step)
    assert make_layout(name, tag, *sizes, ld=ld, batch=3).stride[0] == step * sizes[tag != "RowMajor"]


@given(names, st.sampled_from(MATRICES), sizes, blocks, st.integers(0, 4))
def test_a_batch_is_a_matrix_after_another(
    name: str, tag: str, sizes: tuple[int, int], block: tuple[int, int], batch: int
) -> None:
    options: dict[str, Any] = {"block": block} if tag in PADDED else {}
    one = make_layout(name, tag, *sizes, **options)
    many = make_layout(name, tag, *sizes, **options, batch=batch)
    assert many.shape == (batch, *one.shape)
    assert many.origin_shape == (batch, *sizes)
    assert many.stride[1:] == one.stride
    offsets = [many.stride[0] * b + one(i) for b in range(batch) for i in range(one.size)]
    assert len(set(offsets)) == len(offsets), "two matrices share memory"
    for b in range(batch):
        for at in ((0, 0), (sizes[0] - 1, sizes[1] - 1)):
            if one.valid_size:
                assert many(b, *at) == many.stride[0] * b + one(*at)


def test_batches_of_batches() -> None:
    layout = make_layout("half", "nZ", 20, 48, batch=(3, 4))
    assert str(layout) == "(3,4,(_16,2),(_16,3)):(6144,1536,(_1,768),(_16,_256)):(3,4,20,48)"
    assert layout == fractal_layout(20, 48, "nZ", ((16, 16),), batch=(3, 4))
    assert make_layout("half", "nZ", 20, 48, batch=()) == make_layout("half", "nZ", 20, 48)


@given(names, st.sampled_from(MATRICES), sizes)
def test_static_sizes_make_static_layouts(name: str, tag: str, sizes: tuple[int, int]) -> None:
    options: dict[str, Any] = {"block": (Int(8), Int(12))} if tag in PADDED else {}
    static = make_layout(name, tag, *map(Int, sizes), **options)
    assert static.is_static
    assert static == make_layout(name, tag, *sizes, **options)
    assert make_layout(name, tag, *map(Int, sizes), **options, batch=Int(3)).is_static


# --- sizes that are not known ---


@given(names, st.sampled_from(MATRICES), sizes, blocks, st.integers(0, 3))
def test_symbolic_sizes_agree(
    name: str, tag: str, sizes: tuple[int, int], block: tuple[int, int], batch: int
) -> None:
    options: dict[str, Any] = {"block": block} if tag in PADDED else {}
    unknown = sym("M", min=0), sym("N", min=0)
    layout = make_layout(name, tag, *unknown, **options, batch=sym("B", min=0))
    bound = layout.bind(M=sizes[0], N=sizes[1], B=batch)
    assert bound == make_layout(name, tag, *sizes, **options, batch=batch)


def test_what_depends_on_an_unknown() -> None:
    M, N, ld = sym("M"), sym("N"), sym("ld")  # noqa: N806
    assert str(make_layout("half", "zN", M, N)) == (
        "((_16,(M+15)//16),(_16,(N+15)//16)):((_16,_256),(_1,256*((M+15)//16))):(M,N)"
    )
    assert str(make_layout("half", "RowMajor", M, 48, ld=sym("ld", min=48))) == (
        "(M,48):(ld{min=48},_1)"
    )
    with pytest.raises(UndecidedError, match="ld >= N"):
        make_layout("half", "RowMajor", M, N, ld=ld)
    assert make_layout("half", "RowMajor", M, N, ld=ld, assume=ld >= N).stride == (ld, 1)
    with pytest.raises(UndecidedError, match="ld % 2 == 0"):
        make_layout("float4_e2m1x2_t", "RowMajor", M, 6, ld=sym("ld", min=6))
    even = sym("ld", min=6, divisible_by=2)
    assert make_layout("float4_e2m1x2_t", "RowMajor", M, 6, ld=even).stride[0] is even
    with pytest.raises(UndecidedError, match="M >= 0"):
        make_layout("half", "nZ", sym("M", min=None), 3)


# --- vectors, the unified buffer ---


def test_a_vector_has_one_row() -> None:
    assert str(make_layout("half", "VectorLayout", 20)) == "(20):(_1)"
    assert make_layout("half", "VectorLayout", 1, 20) == make_layout("half", "VectorLayout", 20)
    assert str(make_layout("half", "VectorLayout", 20, batch=3)) == "(3,20):(20,_1)"
    with pytest.raises(CongruenceError, match="one row of 20 elements, not 2 rows") as caught:
        make_layout("half", "VectorLayout", 2, 20)
    assert "Write VectorLayout<half>(20) for one row, or RowMajor<half>(2,20)" in str(caught.value)
    with pytest.raises(CongruenceError, match="not M rows"):
        make_layout("half", "VectorLayout", sym("M"), 20)
    with pytest.raises(CongruenceError, match="takes one size, not 3 sizes"):
        make_layout("half", "VectorLayout", 1, 2, 20)


@given(names, sizes)
def test_rows_of_the_unified_buffer_are_of_32_bytes(name: str, sizes: tuple[int, int]) -> None:
    of = element(name)
    by_rows = make_layout_in_ub(name, "RowMajor", *sizes)
    by_columns = make_layout_in_ub(name, "ColumnMajor", *sizes)
    assert by_rows == make_layout(name, "RowMajor", *sizes, ld=round_up(sizes[1], of.c0))
    assert by_columns == make_layout(name, "ColumnMajor", *sizes, ld=round_up(sizes[0], of.c0))
    assert of.bytes_of(by_rows.stride[0]) % 32 == 0
    assert by_rows.stride[0] - sizes[1] in range(of.c0)
    vector = make_layout_in_ub(name, "VectorLayout", sizes[1])
    assert vector.origin_shape == (sizes[1],)
    assert vector.shape == (ceil_div(sizes[1], of.c0) * of.c0,)


# --- the table, and what is wrong ---


def test_the_tags_of_matrices_are_tested() -> None:
    """Those of scales are in `test_mx`."""
    of_matrices = {name for name, tag in TAGS.items() if tag.sizes == ("rows", "cols")}
    assert {name for name in of_matrices if not name.startswith("MxScale")} == set(MATRICES)


def test_the_table_says_what_its_tags_take() -> None:
    for name, tag in TAGS.items():
        assert tag.name == str(tag) == name
        assert tag_named(f"Catlass::layout::{name}") is tag_named(tag) is tag
        of = tag.elements[0] if tag.elements else "half"
        options: dict[str, Any] = {"block": (4, 5)} if "block" in tag.options else {}
        layout = make_layout(of, tag, *range(2, 2 + len(tag.sizes)), **options)
        assert layout.origin_shape[: len(tag.sizes)] == tuple(range(2, 2 + len(tag.sizes)))
        assert make_layout(of, tag, *[0] * len(tag.sizes), **options).size == 0


def message(error: type[TlaError], *args: Any, **options: Any) -> str:
    with pytest.raises(error) as caught:
        make_layout(*args, **options)
    return str(caught.value)


@pytest.mark.parametrize(
    ("tag", "near"),
    [
        ("zn", "Did you mean zN?"),
        ("zm", "Did you mean zZ or zN"),
        ("NZ", "\n  NZ of CANN, which names the order of the fractals first, is zN."),
        ("ACL_FORMAT_FRACTAL_NZ", "is zN."),
        ("Zn", "\n  ZN of CANN, which names the order of the fractals first, is nZ."),
        ("nz", "Did you mean nZ? NZ of CANN, which names the order of the fractals first, is zN."),
        ("rowmajor", "Did you mean RowMajor?"),
        ("RowMajr", "Did you mean RowMajor"),
        ("PaddingRow", "PaddingRowMajor"),
        ("banana", "Known: RowMajor, ColumnMajor, VectorLayout, zN"),
        ("", "Known: RowMajor"),
    ],
)
def test_an_unknown_tag(tag: str, near: str) -> None:
    text = message(UnsupportedError, "half", tag, 3, 4)
    assert text.startswith(f"{tag!r} is not a layout tag")
    assert near in text


def test_a_tag_is_text() -> None:
    with pytest.raises(TypeError, match="expected the name of a layout tag, got int 3"):
        make_layout("half", 3, 3, 4)  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]


def test_an_unknown_element() -> None:
    assert "'hlf' is not an element type" in message(UnsupportedError, "hlf", "zN", 3, 4)


@pytest.mark.parametrize("tag", [*LINES, *FRACTALS])
@pytest.mark.parametrize(
    ("bad", "error", "text"),
    [
        (-1, LayoutError, "has rows = -1: a size is 0 or more"),
        (Int(-1), LayoutError, "has rows = _-1: a size is 0 or more"),
        (True, LeafError, "expected an int, got bool True"),
        (2.0, LeafError, "expected an int, got float 2.0"),
        ("2", LeafError, "expected an int, got str '2'"),
        (None, LeafError, "expected an int, got NoneType None"),
        ((2, 3), LeafError, "expected an int, got tuple (2, 3)"),
    ],
)
def test_a_size_that_is_none(tag: str, bad: Any, error: type[TlaError], text: str) -> None:
    assert text in message(error, "half", tag, bad, 4)
    assert text.replace("rows", "cols") in message(error, "half", tag, 4, bad)
    assert text.replace("rows", "batch") in message(error, "half", tag, 4, 4, batch=(2, bad))


@pytest.mark.parametrize("count", [0, 1, 3])
def test_the_number_of_sizes(count: int) -> None:
    text = message(CongruenceError, "half", "zN", *[4] * count)
    sizes = {0: "none", 1: "one size"}.get(count, f"{count} sizes")
    assert text == f"zN takes 2 sizes, not {sizes}\n  Its sizes are (rows, cols)."


def test_a_leading_dimension_that_is_none() -> None:
    assert message(LayoutError, "half", "RowMajor", 5, 7, ld=6) == (
        "RowMajor of 5 by 7 has ld = 6: it must be at least 7\n  A row holds 7 elements."
    )
    assert message(LayoutError, "half", "ColumnMajor", 5, 7, ld=4) == (
        "ColumnMajor of 5 by 7 has ld = 4: it must be at least 5\n  A column holds 5 elements."
    )
    for fp4 in FP4:
        assert message(DivisibilityError, fp4, "RowMajor", 5, 7, ld=9) == (
            f"RowMajor of {fp4} has ld = 9: it must be even\n"
            "  Two elements share a byte, and each row starts at one. The least is 8."
        )
        with pytest.raises(DivisibilityError, match="each column starts at one"):
            make_layout(fp4, "ColumnMajor", 5, 7, ld=7)
    assert make_layout("int4b_t", "RowMajor", 5, 7, ld=9).stride[0] == 9
    assert "the ld of RowMajor: expected an int, got bool True" in message(
        LeafError, "half", "RowMajor", 1, 1, ld=True
    )
    assert message(UnsupportedError, "half", "zN", 5, 7, ld=8) == "zN takes no ld\n  It takes batch."


def test_a_block_that_is_none() -> None:
    tag = "PaddingRowMajor"
    assert message(LayoutError, "half", tag, 5, 7) == (
        "PaddingRowMajor needs block=(rows, cols): how the matrix is cut"
    )
    for bad, text in (
        ((0, 4), "the block of PaddingRowMajor has rows = 0: it must be at least 1"),
        ((4, -1), "the block of PaddingRowMajor has cols = -1: it must be at least 1"),
        ((4,), "the block of PaddingRowMajor is two extents, not (4)"),
        (4, "the block of PaddingRowMajor is two extents, not 4"),
        ((4, (2, 2)), "the block of PaddingRowMajor is two extents, not (4,(2,2))"),
    ):
        assert message(LayoutError, "half", tag, 5, 7, block=bad) == text
    assert "expected an int, got bool True" in message(LeafError, "half", tag, 5, 7, block=(True, 4))
    assert message(UnsupportedError, "half", "RowMajor", 5, 7, block=(4, 4)) == (
        "RowMajor takes no block\n  It takes ld and batch."
    )


def test_a_layout_of_another_element() -> None:
    assert message(UnsupportedError, "half", "MxScalezZ", 5, 7) == (
        "MxScalezZ is a layout of float8_e8m0_t, not of half"
    )


def test_what_does_not_lie_in_the_unified_buffer() -> None:
    with pytest.raises(UnsupportedError, match="no matrix lies as zN in the unified buffer"):
        make_layout_in_ub("half", "zN", 5, 7)
