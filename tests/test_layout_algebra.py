"""The recorded facts of the layout algebra on which CuTe's implementations and brute force agree."""

from typing import Any

import pytest
from oracle import rows, value

import tla
from tla import DivisibilityError, _

FILE = "layout_algebra.jsonl"


def slicer(coord: Any) -> Any:
    """A coordinate of a row, where null keeps the mode."""
    if isinstance(coord, list):
        return tuple(map(slicer, coord))
    return _ if coord is None else coord


def layout_of(pair: Any) -> Any:
    shape, stride = value(pair)
    return tla.Layout(shape, stride)


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
