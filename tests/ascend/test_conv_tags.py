"""Layouts of convolutions: what is recorded, the definition of each name, bad input."""

from itertools import product
from typing import Any

import pytest
from hypothesis import given, strategies as st
from oracle import rows, value
from test_catlass import at_least_as_static

from tla import CongruenceError, Int, LayoutError, LeafError, TlaError, UnsupportedError, sym
from tla.ascend import ELEMENTS, element, make_layout, make_layout_filter, make_layout_fmap
from tla.ascend.tags.conv import CHANNELS

FILE = "catlass_tla.jsonl"

names = st.sampled_from([*ELEMENTS])
extent = st.integers(0, 5)


def require_as_recorded(layout: Any, row: Any) -> None:
    for part in ("shape", "stride", "origin_shape"):
        assert at_least_as_static(getattr(layout, part), value(row[part]))
    assert (layout.rank, layout.depth) == (row["rank"], row["depth"])


def test_fmap_as_recorded() -> None:
    for row in rows(FILE, "make_layout_fmap"):
        assert element(row["element"]).bits == row["bits"]
        require_as_recorded(make_layout_fmap(row["element"], *row["args"]), row)
        require_as_recorded(make_layout(row["element"], "Fmap", *row["args"]), row)


def test_filter_as_recorded() -> None:
    for row in rows(FILE, "make_layout_filter"):
        position = row["position"]
        cin1, kh, kw, cout = row["args"]
        require_as_recorded(make_layout_filter(row["element"], cin1, kh, kw, cout, position), row)
        layout = make_layout(row["element"], "Filter", *row["args"], position=position)
        require_as_recorded(layout, row)


def in_order(layout: Any) -> bool:
    """Whether the coordinates in row-major order have the offsets 0, 1, 2 ..."""
    coords = product(*map(range, layout.shape))
    return all(layout(*at) == place for place, at in enumerate(coords))


@given(names, st.tuples(extent, extent, extent, extent), st.sampled_from(["GM", "L1"]))
def test_the_last_axis_is_fastest(name: str, sizes: tuple[int, int, int, int], position: str) -> None:
    c0 = element(name).c0
    fmap = make_layout_fmap(name, *sizes)
    assert fmap.shape == (*sizes, c0)
    assert in_order(fmap)
    filters = make_layout_filter(name, *sizes, position=position)
    cout = sizes[3] if position == "GM" else -(-sizes[3] // 16) * 16
    assert filters.shape == filters.origin_shape == (*sizes[:3], cout, c0)
    assert in_order(filters)


@pytest.mark.parametrize("tag", CHANNELS)
@given(name=names, sizes=st.tuples(extent, extent, extent, extent, extent), c0=st.integers(1, 5))
def test_the_axes_are_those_of_the_name(tag: str, name: str, sizes: tuple[int, ...], c0: int) -> None:
    sizes = sizes[: len(CHANNELS[tag])]
    layout = make_layout(name, tag, *sizes, c0=c0)
    assert layout.shape == layout.origin_shape == (*sizes, c0)
    assert in_order(layout)
    assert make_layout(name, tag, *sizes).shape[-1] == element(name).c0


def test_3d_maps_and_filters_have_the_offsets_of_catlass() -> None:
    """GetOffset of the two, written out; that of a filter wants the output channel for its n1."""
    n, d, c1, h, w, c0 = 2, 3, 4, 5, 6, 16
    layout = make_layout("half", "NDC1HWC0", n, d, c1, h, w)
    for at in product(range(n), range(d), range(c1), range(h), range(w)):
        hw = at[3] * w + at[4]
        offset = (((at[0] * d + at[1]) * c1 + at[2]) * h * w + hw) * c0
        assert layout(*at, 0) == offset
    k, n1, n0 = 18, 3, 16
    layout = make_layout("half", "KDC1KHKWN1N0C0", k, n1, n0)
    for i, j1, j0 in product(range(k), range(n1), range(n0)):
        cout = j1 * n0 + j0
        assert layout(i, j1, j0, 0) == i * c0 * n0 * n1 + cout * c0


def test_symbolic_sizes_agree() -> None:
    unknown: Any = [sym(name, min=0) for name in ("A", "B", "C", "D", "E")]
    bound = dict(zip("ABCDE", (2, 3, 4, 5, 6), strict=True))
    for tag, axes in {**CHANNELS, "Fmap": (), "Filter": ()}.items():
        count = len(axes) or 4
        layout = make_layout("int8_t", tag, *unknown[:count])
        assert layout.bind(**bound) == make_layout("int8_t", tag, *range(2, 2 + count))
    cin1, kh, kw, cout, _other = unknown
    layout = make_layout_filter("half", cin1, kh, kw, cout, "L1")
    assert layout.bind(**bound) == make_layout_filter("half", 2, 3, 4, 5, "L1")


def test_static_sizes_make_static_layouts() -> None:
    static = Int(2), Int(3), Int(4), Int(5)
    assert make_layout_fmap("half", *static).is_static
    assert make_layout_filter("half", *static, "L1").is_static
    assert make_layout("half", "NDC1HWC0", *static, Int(7)).is_static


def test_a_batch() -> None:
    layout = make_layout("half", "NC1HWC0", 1, 2, 7, 9, batch=3)
    assert str(layout) == "(3,1,2,7,9,_16):(2016,2016,1008,144,_16,_1)"


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: make_layout_fmap("half", 1, 2, -7, 9), LayoutError, "Fmap has h = -7: a size is 0 or"),
        (
            lambda: make_layout_fmap("half", 1, 2, 7, 9.0),  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
            LeafError,
            "the w of Fmap: expected an int, got float 9.0",
        ),
        (
            lambda: make_layout_filter("half", True, 2, 7, 9),
            LeafError,
            "the cin1 of Filter: expected an int, got bool True",
        ),
        (
            lambda: make_layout_filter("half", 1, 2, 7, 9, "UB"),
            UnsupportedError,
            "a Filter lies in GM or in L1, not in 'UB'",
        ),
        (
            lambda: make_layout("half", "Fmap", 1, 2, 7, 9, position="L1"),
            UnsupportedError,
            "Fmap takes no position",
        ),
        (
            lambda: make_layout("half", "NC1HWC0", 1, 2, 7, 9, c0=0),
            LayoutError,
            "NC1HWC0 has c0 = 0: it must be at least 1",
        ),
        (
            lambda: make_layout("half", "KDC1KHKWN1N0C0", 1, 2),
            CongruenceError,
            "KDC1KHKWN1N0C0 takes 3 sizes, not 2 sizes",
        ),
    ],
)
def test_bad_input(make: Any, error: type[TlaError], text: str) -> None:
    with pytest.raises(error) as caught:
        make()
    assert text in str(caught.value)
