"""The recorded facts of the layout algebra on which CuTe's implementations and brute force agree."""

import json
from typing import Any

import pytest
from cases import check_all
from differences import LAYOUT_ALGEBRA, Difference
from fuzz import OPS as TRUTHS, Expect
from oracle import DATA, rows, value

import tla
from tla import DivisibilityError, Int, Swizzle, TlaError, _
from tla.testing import naive_complement, naive_composition, naive_extended, naive_offset, naive_offsets

FILE = "layout_algebra.jsonl"


def slicer(coord: Any) -> Any:
    """A coordinate of a row, where null keeps the mode."""
    if isinstance(coord, list):
        return tuple(map(slicer, coord))
    return _ if coord is None else coord


def layout_of(pair: Any) -> Any:
    shape, stride = value(pair)
    return tla.Layout(shape, stride)


# --- operations on layouts --------------------------------------------------------------------

READERS = {
    "A": layout_of,
    "B": layout_of,
    "n": value,
    "profile": value,
    "tiler": value,
    "shape": value,
    "order": value,
}

# Each operation of the file: the function, and what the fuzz knows of it, if anything.
OPERATIONS: dict[str, tuple[Any, str]] = {
    "coalesce": (tla.coalesce, "coalesce"),
    "coalesce_bymode": (tla.coalesce, "coalesce by mode"),
    "filter": (tla.filter, ""),
    "nullspace": (tla.nullspace, ""),
    "composition": (tla.composition, "composition"),
    "composition_tuple": (tla.composition, "composition by mode"),
    "complement": (tla.complement, "complement"),
    "right_inverse": (tla.right_inverse, "right_inverse"),
    "left_inverse": (tla.left_inverse, "left_inverse"),
    "logical_divide": (tla.logical_divide, "logical_divide"),
    "logical_divide_int": (tla.logical_divide, "logical_divide"),
    "logical_divide_tuple": (tla.logical_divide, "logical_divide"),
    "zipped_divide": (tla.zipped_divide, "zipped_divide"),
    "tiled_divide": (tla.tiled_divide, "tiled_divide"),
    "flat_divide": (tla.flat_divide, "flat_divide"),
    "logical_product": (tla.logical_product, "logical_product"),
    "zipped_product": (tla.zipped_product, "zipped_product"),
    "tiled_product": (tla.tiled_product, "tiled_product"),
    "flat_product": (tla.flat_product, "flat_product"),
    "blocked_product": (tla.blocked_product, "blocked_product"),
    "raked_product": (tla.raked_product, "raked_product"),
    "tile_to_shape": (tla.tile_to_shape, ""),
    "upcast": (tla.upcast, ""),
    "downcast": (tla.downcast, ""),
}
OTHERS = {
    "compatible",
    "congruent",
    "cosize",
    "crd2idx",
    "depth",
    "idx2crd",
    "make_ordered_layout",
    "max_common_vector",
    "shape_div",
    "slice",
    "swizzle_table",
    "weakly_congruent",
}


def test_every_operation_of_the_file_is_tested() -> None:
    lines = [json.loads(line) for line in (DATA / FILE).read_text().splitlines()]
    assert len(lines) == 2800
    assert {row["op"] for row in lines} == OPERATIONS.keys() | OTHERS


def arguments(row: Any) -> list[Any]:
    return [read(row["inputs"][name]) for name, read in READERS.items() if name in row["inputs"]]


def case_of(row: Any) -> str:
    return " by ".join(tla.to_text(x) if not tla.is_layout(x) else str(x) for x in arguments(row))


DIFFERENT = {(d.op, d.case): d for d in LAYOUT_ALGEBRA}


@pytest.mark.parametrize("op", OPERATIONS)
def test_rows(op: str) -> None:
    check_all(check, [row for row in rows(FILE, op) if (op, case_of(row)) not in DIFFERENT], case_of)


def check(row: Any) -> None:
    operation, known = OPERATIONS[row["op"]]
    args = arguments(row)
    truth = TRUTHS[known].truth(*args) if known else None
    if row["expect"] == "error":
        assert truth is None or truth.expect is not Expect.YES
        for kind in (args, [as_static(x) for x in args]):
            with pytest.raises(TlaError):
                operation(*kind)
        return
    result = operation(*args)
    if truth is not None:
        assert truth.fault(result) == ""
    if "table" in row:
        assert naive_offsets(result) == row["table"]
    if "layout" in row:
        assert up_to_ones(result) == up_to_ones(layout_of(row["layout"]))
    if row["expect"] == "property":
        (a,) = args
        assert all(naive_extended(a, naive_extended(result, x)) == x for x in naive_offsets(a))
    static = operation(*(as_static(x) for x in args))
    assert static == result
    assert static.is_static


def as_static(x: Any) -> Any:
    if tla.is_layout(x):
        return tla.Layout(as_static(x.shape), as_static(x.stride))
    return tla.transform_leaf(Int, x)


def up_to_ones(layout: Any) -> Any:
    """Shape and stride, without the strides of modes of size 1, which are convention."""

    def strides(shape: Any, stride: Any) -> Any:
        if tla.is_tuple(shape):
            return tuple(strides(s, d) for s, d in zip(shape, stride, strict=True))
        return None if shape == 1 else stride

    return layout.shape, strides(layout.shape, layout.stride)


# --- rows that are no facts ---


@pytest.mark.parametrize("difference", LAYOUT_ALGEBRA, ids=lambda d: d.op)
def test_where_it_differs(difference: Difference) -> None:
    (row,) = [r for r in rows(FILE, difference.op) if case_of(r) == difference.case]
    operation, known = OPERATIONS[row["op"]]
    truth = TRUTHS[known].truth(*arguments(row))
    if row["expect"] == "error":
        result = operation(*arguments(row))
        assert (str(result), truth.fault(result)) == (difference.ours, "")
        return
    with pytest.raises(TlaError) as caught:
        operation(*arguments(row))
    assert type(caught.value).__name__ == difference.ours
    assert truth.expect is Expect.NO


def test_a_division_that_lets_an_inner_mode_grow() -> None:
    """The tile (0,1) of the rest (0,2) is index 5 of the mode, whose offset is 1 and not 40."""
    (row,) = (r for r in rows(FILE, "zipped_divide") if ("zipped_divide", case_of(r)) in DIFFERENT)
    layout, tiler = arguments(row)
    mode = tla.get(layout, 1)
    assert (str(mode), tiler, mode.size) == ("(5,(8)):(8,(1))", (1, 2), 40)
    rest: Any = naive_complement(tla.Layout(2, 1), mode.size)
    split = tla.Layout((2, rest.shape), (1, rest.stride))
    assert naive_offset(split, (1, 2)) == 5
    assert naive_offset(mode, 5) == 1
    assert row["table"][1 + 2 * (5 * 2)] == 40  # of the shape (tile of 2, (rest of 5, rest of 20))
    assert naive_composition(mode, split) is None


def test_a_product_whose_copies_hit_the_block() -> None:
    """Copy (3,1) has an offset that the block already has, where the complement goes on at 216."""
    (row,) = (r for r in rows(FILE, "zipped_product") if ("zipped_product", case_of(r)) in DIFFERENT)
    block, tiler = arguments(row)
    free: Any = naive_complement(block, block.size * tiler.cosize)
    assert str(free) == "(3,3,2):(1,9,216)"
    assert naive_offset(tiler, (3, 1)) == 9
    assert naive_extended(free, 9) == 216
    recorded = tla.get(layout_of(row["layout"]), 1)
    assert naive_offset(recorded, 3 + 6 * 1) == 27 == naive_offset(block, (0, 1))
    assert naive_composition(free, tiler) is None


# --- the rest ---------------------------------------------------------------------------------


def test_max_common_vector() -> None:
    for row in rows(FILE, "max_common_vector"):
        a, b = arguments(row)
        assert tla.max_common_vector(a, b) == row["value"], row


def test_swizzle_table() -> None:
    for row in rows(FILE, "swizzle_table"):
        (layout,) = arguments(row)
        swizzle = Swizzle(*row["inputs"]["sw"])
        assert [swizzle(x) for x in naive_offsets(layout)] == row["value"]
        seen = tla.composition(swizzle, layout)
        assert [seen(i) for i in range(layout.size)] == row["value"]


def test_idx2crd() -> None:
    for row in rows(FILE, "idx2crd"):
        shape, coord = value(row["inputs"]["shape"]), value(row["value"])
        assert tla.idx2crd(row["inputs"]["i"], shape) == coord
        assert tla.crd2idx(coord, shape) == row["inputs"]["i"]


def test_crd2idx() -> None:
    for row in rows(FILE, "crd2idx"):
        layout, coord = layout_of(row["inputs"]["A"]), value(row["inputs"]["crd"])
        assert layout(coord) == row["value"]
        assert tla.crd2idx(coord, layout.shape, layout.stride) == row["value"]
        assert tla.crd2offset(coord, layout.shape, layout.stride) == row["value"]


def test_cosize() -> None:
    for row in rows(FILE, "cosize"):
        assert layout_of(row["inputs"]["A"]).cosize == row["value"]


def test_depth() -> None:
    for row in rows(FILE, "depth"):
        layout = layout_of(row["inputs"]["A"])
        assert layout.depth == tla.depth(layout) == tla.depth(layout.shape) == row["value"]


@pytest.mark.parametrize("op", ["congruent", "weakly_congruent", "compatible"])
def test_predicates(op: str) -> None:
    for row in rows(FILE, op):
        a, b = value(row["inputs"]["a"]), value(row["inputs"]["b"])
        assert getattr(tla, op)(a, b) is row["value"], row


def test_shape_div() -> None:
    for row in rows(FILE, "shape_div"):
        a, b = value(row["inputs"]["a"]), value(row["inputs"]["b"])
        if row["expect"] == "error":
            with pytest.raises(DivisibilityError):
                tla.shape_div(a, b)
        else:
            assert tla.shape_div(a, b) == value(row["value"])


def test_slice() -> None:
    for row in rows(FILE, "slice"):
        layout, coord = layout_of(row["inputs"]["A"]), slicer(row["inputs"]["crd"])
        assert layout[coord] == layout_of(row["layout"])
        assert tla.slice_(coord, layout.shape) == value(row["layout"][0])


def test_make_ordered_layout() -> None:
    for row in rows(FILE, "make_ordered_layout"):
        layout = tla.make_ordered_layout(value(row["inputs"]["shape"]), value(row["inputs"]["order"]))
        if "layout" in row:
            assert layout == layout_of(row["layout"])
        else:
            assert [layout(i) for i in range(layout.size)] == row["table"]
