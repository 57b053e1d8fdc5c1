"""Every recorded fact of CATLASS's TLA headers: same values, and static wherever CATLASS is."""

from collections.abc import Callable
from typing import Any

import pytest
from differences import CATLASS
from oracle import rows, value

from tla import (
    CoordinateError,
    DivisibilityError,
    Int,
    Layout,
    Tensor,
    _,
    _0,
    _1,
    _2,
    _3,
    _4,
    _5,
    _6,
    _7,
    _16,
    add,
    ceil_div,
    crd2offset,
    depth,
    get_tile,
    get_tile_layout,
    is_static,
    make_coord,
    make_layout,
    make_tensor,
    make_tensor_like,
    make_tuple,
    max_,
    min_,
    nZ,
    product,
    rank,
    round_down,
    round_up,
    slice_and_offset,
    static_mask,
    tile_view,
    to_text,
    zN,
    zZ,
)

FILE = "catlass_tla.jsonl"


def differing(op: str) -> dict[str, str]:
    """What the table of differences lists for an operation: the case, and our answer."""
    return {d.case: d.ours for d in CATLASS if d.op == op}


def at_least_as_static(ours: Any, theirs: Any) -> bool:
    """Whether the values agree, and every int that is static in ``theirs`` is so in ``ours``."""

    def covers(a: Any, b: Any) -> bool:
        return all(map(covers, a, b)) if isinstance(b, tuple) else a or not b

    return bool(ours == theirs) and covers(static_mask(ours), static_mask(theirs))


def test_crd2offset() -> None:
    differ = {}
    for row in rows(FILE, "crd2offset"):
        coord, shape, stride = value(row["coord"]), value(row["shape"]), value(row["stride"])
        case = f"{to_text(coord)} in {to_text(shape)}"
        got = crd2offset(coord, shape, stride, extend=True)
        assert is_static(value(row["result"])) == bool(row["result_static"])
        if not at_least_as_static(got, value(row["result"])):
            differ[case] = str(got)
        try:
            assert at_least_as_static(crd2offset(coord, shape, stride), got)
        except CoordinateError:
            differ[case] = "CoordinateError"
    assert differ == differing("crd2offset")


i, u = 5, 7  # an int and a uint32 in the rows of type_rule

RULES: dict[str, Callable[[], Any]] = {
    "Int<3>{}+Int<4>{}": lambda: _3 + _4,
    "Int<3>{}+i": lambda: _3 + i,
    "Int<3>{}+u": lambda: _3 + u,
    "Int<3>{}-Int<5>{}": lambda: _3 - _5,
    "Int<3>{}*Int<4>{}": lambda: _3 * _4,
    "Int<7>{}/Int<2>{}": lambda: _7 // _2,
    "Int<7>{}%Int<2>{}": lambda: _7 % _2,
    "Int<3>{}<<Int<2>{}": lambda: _3 << _2,
    "Int<0>{}*i": lambda: _0 * i,
    "i*Int<0>{}": lambda: i * _0,
    "tla::max(Int<3>{},Int<4>{})": lambda: max_(_3, _4),
    "tla::max(Int<3>{},i)": lambda: max_(_3, i),
    "tla::max(1,2)": lambda: max_(1, 2),
    "tla::max(MakeTuple(Int<1>{},Int<7>{}))": lambda: max_((_1, _7)),
    "tla::min(Int<3>{},Int<4>{})": lambda: min_(_3, _4),
    "tla::min(i,Int<4>{})": lambda: min_(i, _4),
    "tla::add(Int<3>{},i)": lambda: add(_3, i),
    "Add(MakeCoord(_0{},_0{}),MakeCoord(3u,4u))": lambda: add(make_coord(_0, _0), make_coord(3, 4)),
    "Add(MakeCoord(_0{},_0{}),MakeCoord(Int<3>{},Int<4>{}))": lambda: add((_0, _0), (_3, _4)),
    "CeilDiv(Int<100>{},Int<16>{})": lambda: ceil_div(Int(100), _16),
    "CeilDiv(Int<100>{},u)": lambda: ceil_div(Int(100), u),
    "CeilDiv(u,Int<16>{})": lambda: ceil_div(u, _16),
    "CeilDiv(u,u)": lambda: ceil_div(u, u),
    "CeilDiv<16>(u)": lambda: ceil_div(u, 16),
    "RoundUp(Int<100>{},Int<16>{})": lambda: round_up(Int(100), _16),
    "RoundDown(Int<100>{},Int<16>{})": lambda: round_down(Int(100), _16),
    "RoundDown(u,Int<16>{})": lambda: round_down(u, _16),
    "rank(5)": lambda: rank(5),
    "rank(Int<5>{})": lambda: rank(_5),
    "rank(MakeTuple(1,2,3))": lambda: rank(make_tuple(1, 2, 3)),
    "rank(MakeTuple(MakeTuple(1,2),3))": lambda: rank(((1, 2), 3)),
    "rank<0>(MakeTuple(MakeTuple(1,2),3))": lambda: rank(((1, 2), 3), 0),
    "depth(5)": lambda: depth(5),
    "depth(MakeTuple(MakeTuple(1,2),3))": lambda: depth(((1, 2), 3)),
    "depth(MakeTuple(MakeTuple(MakeTuple(1,2),2),3))": lambda: depth((((1, 2), 2), 3)),
    "Product{}(MakeTuple(2u,3))": lambda: product((2, 3)),
    "Product{}(Int<6>{})": lambda: product(_6),
    "is_static<tuple<Int<1>,Int<2>>>": lambda: is_static((_1, _2)),
    "is_static<tuple<Int<1>,Int<1>>>": lambda: is_static((_1, _1)),
    "is_static<tuple<Int<1>,int>>": lambda: is_static((_1, 1)),
}

# what sizeof tells: an object of static ints alone has size 1
SIZES: dict[str, tuple[Layout[Any, Any], int]] = {
    "sizeof(Layout<Shape<Int<2>,Int<3>>,Stride<Int<3>,Int<1>>,Shape<Int<2>,Int<3>>>)": (
        Layout((_2, _3), (_3, _1), (_2, _3)),
        1,
    ),
    "sizeof(MakeLayout<half,zN>(100u,100u))": (zN(100, 100), 24),
}


def test_type_rules() -> None:
    seen, differ = set(), {}
    for row in rows(FILE, "type_rule"):
        expr = row["expr"]
        seen.add(expr)
        if expr in SIZES:
            layout, size = SIZES[expr]
            assert row["result"] == size
            assert layout.is_static == (size == 1)
            differ[expr] = str(layout.is_static)
        elif expr.startswith("is_static"):
            assert RULES[expr]() == bool(row["result"])
        else:
            got, wanted = RULES[expr](), value(row["result"])
            assert got == wanted, expr
            assert static_mask(got) == static_mask(wanted), expr
            assert is_static(got) == bool(row["static"]), expr
    assert seen == RULES.keys() | SIZES.keys()
    assert differ == differing("type_rule")


def test_make_layout() -> None:
    differ, prints = {}, {}
    for row in rows(FILE, "make_layout_raw"):
        layout = make_layout(value(row["shape"]), value(row["stride"]))
        assert at_least_as_static(
            (layout.shape, layout.stride), (value(row["shape"]), value(row["stride"]))
        )
        if not at_least_as_static(layout.origin_shape, value(row["origin_shape"])):
            differ[row["desc"]] = str(layout)
        for coord, offset in row.get("offsets", ()):
            assert layout(*coord) == offset
        if "rank" in row:
            assert (layout.rank, layout.depth) == (row["rank"], row["depth"])
        if "sizeof" in row:
            assert row["sizeof"] > 1
            assert layout.is_static
        if "print" in row:
            theirs = f"{layout} @{to_text(value(row['origin_shape']))}"
            assert row["print"] == theirs
            prints[row["desc"]] = str(layout)
    assert differ == differing("make_layout_raw")
    assert prints == differing("print")


def parent_of(row: Any) -> Layout[Any, Any]:
    """The layout that a row of get_tile_layout cuts: its stride, blocks and matrix are in the row."""
    vectors = {"vector": 100, "rank-3": (4, 100, 60), "tile not": ((_4, _2), (_4, _3))}
    for start, shape in vectors.items():
        if row.get("desc", "").startswith(start):
            return Layout((shape,) if isinstance(shape, int) else shape, value(row["stride"]))
    matrix = value([row["rows"], row["cols"]])
    shape = tuple(
        (mode[0], ceil_div(n, mode[0])) if isinstance(mode, tuple) else n
        for mode, n in zip(value(row["shape"]), matrix, strict=True)
    )
    parent = Layout(shape, value(row["stride"]), matrix)
    if row["tile_args"].startswith("tile of"):
        return get_tile_layout(parent, (32, 48), (96, 96))
    return parent


def test_get_tile_layout() -> None:
    differ = {}
    for row in rows(FILE, "get_tile_layout"):
        parent, coord = parent_of(row), value(row["coord"])
        tile = get_tile_layout(parent, value(row["tile"]), coord)
        for part in ("shape", "stride", "origin_shape"):
            if not at_least_as_static(getattr(tile, part), value(row[part])):
                differ[str(row)] = str(tile)
        if "base_offset" in row:
            assert parent.extended(coord) == row["base_offset"]
    assert differ == differing("get_tile_layout")


def test_slice_and_offset() -> None:
    for row in rows(FILE, "slice_and_offset"):
        coord = tuple(_ if c == "_" else value(c) for c in row["coord"])
        if "in_shape" in row:
            layout: Any = Layout(value(row["in_shape"]), value(row["in_stride"]))
        else:
            layout = zN(100, 100)
        kept, offset = slice_and_offset(coord, layout)
        for part in ("shape", "stride", "origin_shape"):
            assert at_least_as_static(getattr(kept, part), value(row[part])), row
        assert (kept.rank, kept.depth, offset) == (row["rank"], row["depth"], row["offset"])


MATRIX: Any = Tensor("t", Layout((8, 16), (16, _1)))
SUB: Any = make_tensor("t", MATRIX.layout, (1, 5))
TAIL: Any = get_tile(MATRIX, (6, 10), (4, 8))
BLOCKS: Any = Tensor("a1", zN(100, 100), position="L1")
CUBE: Any = Tensor("c", Layout((4, 100, 60), (6000, 60, _1)))
UNALIGNED = "zN GetTile at unaligned (5,3) - allowed, element index still right"

TENSORS: dict[str, Callable[[], Any]] = {
    "MakeTensor": lambda: MATRIX,
    "t(1,5) element": lambda: MATRIX(1, 5),
    "vector scalar index v(7)": lambda: Tensor("v", Layout((100,), (_1,)))(7),
    "t(_,3)": lambda: MATRIX[_, 3],
    "tail GetTile (6,10) (4,8)": lambda: TAIL,
    "TileView (1,1) (4,8)": lambda: tile_view(MATRIX, (1, 1), (4, 8)),
    "doc: GetTile(sub@(1,5),(2,4),(4,8)) -> coord (3,9); NOTE origin cropped with coord (2,4) of parent"
    " layout, not (3,9)": lambda: get_tile(SUB, (2, 4), (4, 8)),
    "sub@(1,5)(_,_)": lambda: SUB[_, _],
    "zN GetTile (32,48) (16,32)": lambda: get_tile(BLOCKS, (32, 48), (16, 32)),
    UNALIGNED: lambda: get_tile(BLOCKS, (5, 3), (16, 32), aligned=False),
    "rank3 GetTile": lambda: get_tile(CUBE, (1, 64, 32), (_1, Int(64), Int(32))),
    "3D (b,_,_) -> 2D": lambda: CUBE[2, _, _],
    "1D (11)": lambda: CUBE[2, 7, _](11),
    "MakeTensorLike<zN>(tail (2,6))": lambda: make_tensor_like("l1", TAIL, zN, "L1"),
    "MakeTensorLike<zN>(tail, layoutBase 128x64)": lambda: make_tensor_like(
        "l1", TAIL, base=zN(Int(128), Int(64)), position="L1"
    ),
}


def test_tensors() -> None:
    seen, differ = set(), {}
    for row in rows(FILE, "tensor"):
        case = row["desc"]
        seen.add(case)
        got = TENSORS[case]()
        if "shape" not in row:
            assert got == row["data_base"]
            continue
        parts = (got.shape, got.stride, got.origin_shape, got.coord, got.data_offset)
        theirs = ("shape", "stride", "origin_shape", "coord", "data_base")
        if not all(at_least_as_static(a, value(row[b])) for a, b in zip(parts, theirs, strict=True)):
            differ[case] = repr(got)
        if got.data == "t" and len(got.coord) == 2:  # the first element has the address it has there
            assert got(0, 0) == row["data_base"] + MATRIX.layout(value(row["coord"]))
        position = row["tensor_type"].rpartition("TPosition)")[2].removesuffix(">")
        assert got.position == {"0": "GM", "1": "L1"}[position]
        if "elem00" in row:
            assert (got(0, 0), got(5, 17)) == (row["elem00"], row["elem_5_17"])
    assert seen == TENSORS.keys()
    assert differ == differing("tensor")


def test_an_unaligned_tile_is_asked_for() -> None:
    """CATLASS cuts it without a word; its offsets are right there, too."""
    with pytest.raises(DivisibilityError, match="does not lie on the blocks"):
        get_tile(BLOCKS, (5, 3), (16, 32))
    assert TENSORS[UNALIGNED]().is_aligned is False


@pytest.mark.parametrize("tag", ["zN", "nZ", "zZ", "L0C", "Weight4BitnZ"])
def test_make_layout_of_a_tag(tag: str) -> None:
    """The block of a format holds 16 rows of 32 bytes; L0C and the 4-bit weights have their own."""
    for row in rows(FILE, "make_layout"):
        if row["tag"] != tag:
            continue
        wide = Int(256 // row["bits"])
        make, block = {
            "zN": (zN, (_16, wide)),
            "nZ": (nZ, (wide, _16)),
            "zZ": (zZ, (_16, wide)),
            "L0C": (zN, (_16, _16)),
            "Weight4BitnZ": (nZ, (Int(32), _16)),
        }[tag]
        height = Int(row["rows"]) if row["args"] == "static" else row["rows"]
        width = Int(row["cols"]) if "static" in row["args"] else row["cols"]
        layout = make(height, width, block=block)
        assert at_least_as_static(layout.shape, value(row["shape"]))
        assert at_least_as_static(layout.stride, value(row["stride"]))
        assert at_least_as_static(layout.origin_shape, value(row["origin_shape"]))
        assert layout.size == layout.cosize == row.get("padded_size", layout.size)
        for coord, offset in row.get("offsets", ()):
            assert layout(*coord) == offset
        for index, offset in row.get("int_offsets", ()):
            assert layout(index) == offset
