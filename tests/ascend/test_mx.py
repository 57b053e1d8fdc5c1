"""Layouts of MX scales: what is recorded, pairs along K, bad input."""

from itertools import product
from typing import Any

import pytest
from hypothesis import given, strategies as st
from oracle import rows, value
from test_catlass import at_least_as_static

from tla import Int, Layout, LayoutError, LeafError, TlaError, UnsupportedError, sym, to_text
from tla.ascend import MX_GROUP, MX_K, make_layout, make_mx_scale_layout, mx_aligned_k, mx_scales
from tla.ascend.tags.mx import MX_SCALES

FILE = "catlass_tla.jsonl"
E8M0 = "float8_e8m0_t"


def test_scales_as_recorded() -> None:
    seen = set()
    for row in rows(FILE, "make_mx_scale_layout"):
        tag, is_b = row["tag"], bool(row["isMxScaleB"])
        seen.add((tag, is_b))
        layout = make_mx_scale_layout(row["element"], tag, value(row["rows"]), value(row["cols"]), is_b)
        for part in ("shape", "stride", "origin_shape"):
            assert at_least_as_static(getattr(layout, part), value(row[part])), (part, row)
        assert (layout.rank, layout.depth) == (row["rank"], row["depth"])
        for coord, offset in row["offsets"]:
            assert layout(*coord) == offset
        padded = Layout(layout.shape, layout.stride)
        assert row["print"] == f"{padded} @{to_text(layout.origin_shape)}"
    assert {tag for tag, _b in seen} == {"RowMajor", "ColumnMajor", "zZ", "nN"}


# what is written down first to last, slowest to fastest: (outer, inner) of each element of A (i, k)
ORDERS: dict[str, Any] = {
    "RowMajor": lambda i, k: (i, k // 2, k % 2),
    "ColumnMajor": lambda i, k: (k // 2, i, k % 2),
    "zZ": lambda i, k: (i // 16, k // 2, i % 16, k % 2),
}
sizes = st.integers(0, 40)


@pytest.mark.parametrize("tag", ORDERS)
@given(sizes, sizes)
def test_pairs_along_k_stay_together(tag: str, m: int, k: int) -> None:
    """Of A as written down; B is the transpose, nN that of zZ."""
    high = -(-m // 16) * 16 if tag == "zZ" else m
    order = sorted(product(range(high), range(-(-k // 2) * 2)), key=lambda at: ORDERS[tag](*at))
    layout = make_mx_scale_layout(E8M0, tag, m, k, is_b=False)
    assert [layout(*at) for at in order] == [*range(len(order))]
    assert layout.origin_shape == (m, k)
    assert layout.size == len(order)
    other = {"RowMajor": "ColumnMajor", "ColumnMajor": "RowMajor", "zZ": "nN"}[tag]
    transpose = make_mx_scale_layout(E8M0, other, k, m, is_b=True)
    assert [transpose(*at[::-1]) for at in order] == [*range(len(order))]
    assert transpose.origin_shape == (k, m)


@given(st.integers(0, 500), st.integers(0, 40))
def test_scales_of_a_length(k: int, m: int) -> None:
    """A whole pair belongs to what data are aligned to, so a row of scales is that over 32."""
    assert mx_scales(k) * MX_GROUP in range(k, k + MX_GROUP)
    aligned = mx_aligned_k(k)
    assert aligned in range(k, k + MX_K)
    assert aligned % MX_K == 0
    for tag in ("RowMajor", "ColumnMajor"):
        scales = make_mx_scale_layout(E8M0, tag, m, mx_scales(k), is_b=False)
        assert scales.size == m * aligned // MX_GROUP


@pytest.mark.parametrize("name", MX_SCALES)
def test_every_layout_of_scales_is_a_tag(name: str) -> None:
    kind = name.removeprefix("MxScale")
    is_b = kind == "nN" or kind.endswith("B")
    tag = kind if kind in ("zZ", "nN") else kind[:-1]
    layout = make_layout(E8M0, name, 33, 7)
    assert layout == make_mx_scale_layout(E8M0, tag, 33, 7, is_b)
    assert make_layout(E8M0, name, 33, 7, batch=4).stride[0] == layout.size
    assert make_layout(E8M0, name, Int(33), Int(7)).is_static
    unknown = make_layout(E8M0, name, sym("M"), sym("K"))
    assert unknown.bind(M=33, K=7) == layout


def test_zZ_and_nN_say_themselves_where_k_runs() -> None:  # noqa: N802
    for tag in ("zZ", "nN"):
        a, b = (make_mx_scale_layout(E8M0, tag, 33, 7, is_b) for is_b in (False, True))
        assert a == b


@pytest.mark.parametrize(
    ("args", "error", "text"),
    [
        (("half", "zZ", 3, 4), UnsupportedError, "an MX scale is a float8_e8m0_t, not half"),
        (
            (E8M0, "zN", 3, 4),
            UnsupportedError,
            "'zN' is not a layout of MX scales\n  They lie as RowMajor, ColumnMajor, zZ or nN.",
        ),
        ((E8M0, "RowMajorA", 3, 4), UnsupportedError, "'RowMajorA' is not a layout of MX scales"),
        (("e8m1", "zZ", 3, 4), UnsupportedError, "'e8m1' is not an element type"),
        ((E8M0, "zZ", -3, 4), LayoutError, "MxScalezZ has rows = -3: a size is 0 or more"),
        ((E8M0, "RowMajor", 3, True), LeafError, "the cols of MxScaleRowMajorA: expected an int"),
    ],
)
def test_bad_input(args: Any, error: type[TlaError], text: str) -> None:
    element, tag, m, k = args
    with pytest.raises(error) as caught:
        make_mx_scale_layout(element, tag, m, k, is_b=False)
    assert text in str(caught.value)


def test_a_bad_length() -> None:
    with pytest.raises(LayoutError, match="a matrix with MX scales has k = -1"):
        mx_scales(-1)
    with pytest.raises(LeafError, match="expected an int, got float"):
        mx_aligned_k(64.0)  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
