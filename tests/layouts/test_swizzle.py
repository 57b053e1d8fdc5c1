"""Swizzles: xor of bits, checked bit by bit, and layouts composed with one."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from oracle import rows, value

import tla
from tla import CoordinateError, Int, Layout, LayoutError, LeafError, UndecidedError, _
from tla.layouts.swizzle import MAX_BITS, ComposedLayout, Swizzle
from tla.numbers import sym
from tla.testing import coords_of, layouts, naive_coords, naive_offsets, shapes

NAMES = {
    **{name: getattr(tla, name) for name in tla.__all__},
    "Swizzle": Swizzle,
    "ComposedLayout": ComposedLayout,
}


@st.composite
def drawn_swizzles(draw: st.DrawFn, most: int = 4) -> Swizzle:
    bits = draw(st.integers(0, most))
    shift = draw(st.integers(bits, most + 1)) * draw(st.sampled_from([1, -1]))
    return Swizzle(bits, draw(st.integers(0, most)), shift)


def naive_swizzle(swizzle: Swizzle, offset: int) -> int:
    """Bit by bit: bit ``base + k`` of the lower run and its partner ``abs(shift)`` above it."""
    bits = [offset >> i & 1 for i in range(64)]
    out = list(bits)
    for k in range(swizzle.bits):
        lower, upper = swizzle.base + k, swizzle.base + k + abs(swizzle.shift)
        if swizzle.shift > 0:
            out[lower] = int(bits[lower] != bits[upper])
        else:
            out[upper] = int(bits[lower] != bits[upper])
    return sum(bit << i for i, bit in enumerate(out))


# --- the function ---


@given(drawn_swizzles(), st.integers(0, 2**40))
def test_it_xors_bits_with_bits(swizzle: Swizzle, offset: int) -> None:
    assert swizzle(offset) == naive_swizzle(swizzle, offset)


@given(drawn_swizzles(), st.integers(0, 10**40))
def test_twice_is_the_identity(swizzle: Swizzle, offset: int) -> None:
    assert swizzle(swizzle(offset)) == offset


@given(drawn_swizzles(most=3))
def test_it_permutes_the_range_of_its_size(swizzle: Swizzle) -> None:
    size = swizzle.size
    assert size == swizzle.cosize == 2 ** (swizzle.bits + swizzle.base + abs(swizzle.shift))
    assert sorted(map(swizzle, range(size))) == list(range(size))


@given(drawn_swizzles(), st.integers(0, 2**20), st.integers(0, 100))
def test_it_keeps_what_lies_outside_its_bits(swizzle: Swizzle, offset: int, block: int) -> None:
    assert swizzle(offset + block * swizzle.size) == swizzle(offset) + block * swizzle.size
    assert swizzle(offset) % 2**swizzle.base == offset % 2**swizzle.base


@pytest.mark.parametrize("shift", [-3, 0, 3])
def test_no_bits_make_the_identity(shift: int) -> None:
    assert list(map(Swizzle(0, 2, shift), range(100))) == list(range(100))


def test_bank_swizzle_of_128_bytes() -> None:
    """CuTe's ``Swizzle<3,4,3>``: within 8 rows of 128 bytes, row r xors its 16-byte column with r."""
    swizzle = Swizzle(3, 4, 3)
    for row in range(16):
        for column in range(8):
            assert swizzle(128 * row + 16 * column) == 128 * row + 16 * (column ^ (row % 8))


def test_recorded_tables() -> None:
    found = rows("layout_algebra.jsonl", "swizzle_table")
    assert len(found) == 14
    for row in found:
        swizzle = Swizzle(*row["inputs"]["sw"])
        layout: Any = Layout(*value(row["inputs"]["A"]))
        composed = ComposedLayout(swizzle, 0, layout)
        assert [swizzle(layout(i)) for i in range(layout.size)] == row["value"]
        assert [composed(i) for i in range(composed.size)] == row["value"]


@given(drawn_swizzles().filter(lambda s: s.shift != 0), st.integers(0, 2**40))
def test_pycute_agrees(swizzle: Swizzle, offset: int) -> None:
    """Where it has a value: a shift of 0 recurses without end there."""
    pytest.importorskip("pycute.layout", reason="pycute comes with nvidia-cutlass")
    pycute: Any = pytest.importorskip("pycute")
    theirs = pycute.Swizzle(swizzle.bits, swizzle.base, swizzle.shift)
    assert swizzle(offset) == theirs(offset)
    assert swizzle.size == theirs.size()


def test_static_offsets_stay_static() -> None:
    swizzle = Swizzle(2, 0, 3)
    assert type(swizzle(Int(8))) is Int
    assert type(swizzle(8)) is type(swizzle(np.int32(8))) is int
    assert swizzle(Int(8)) == swizzle(8) == swizzle(np.int32(8)) == 9
    assert type(swizzle.size) is Int


# --- what is refused ---


@pytest.mark.parametrize(
    ("numbers", "summary"),
    [
        ((-1, 0, 3), "a swizzle has no negative bits, got -1"),
        ((2, -1, 3), "a swizzle has no negative base, got -1"),
        ((2, 0, 1), "a swizzle of 2 bits needs a shift of at least 2, got 1"),
        ((2, 0, -1), "a swizzle of 2 bits needs a shift of at least 2, got -1"),
        ((1, 10**30, 1), f"a swizzle reaches above bit {MAX_BITS}"),
        ((1, 0, 1024), "a swizzle reaches above bit 1024"),
        ((1, 0, -1024), "a swizzle reaches above bit 1024"),
    ],
)
def test_numbers_out_of_range(numbers: Any, summary: str) -> None:
    with pytest.raises(LayoutError) as caught:
        Swizzle(*numbers)
    assert caught.value.summary == summary


def test_the_largest_swizzle() -> None:
    top = Swizzle(1, 0, MAX_BITS - 1)
    assert top(1 << MAX_BITS - 1) == (1 << MAX_BITS - 1) + 1


@pytest.mark.parametrize("bad", [True, 2.0, "2", None, (2,), [2]])
def test_arguments_are_ints(bad: Any) -> None:
    for numbers in ((bad, 0, 3), (2, bad, 3), (2, 0, bad)):
        with pytest.raises(LeafError):
            Swizzle(*numbers)
    with pytest.raises(LeafError):
        Swizzle(2, 0, 3)(bad)
    with pytest.raises(LeafError):
        ComposedLayout(Swizzle(2, 0, 3), bad, Layout(4))


def test_offsets_are_known_and_not_negative() -> None:
    with pytest.raises(CoordinateError, match=r"^Sw<2,0,3> has no value at -1\n") as caught:
        Swizzle(2, 0, 3)(-1)
    assert caught.value.offset == -1
    with pytest.raises(UndecidedError, match="the value of M is not known"):
        Swizzle(2, 0, 3)(sym("M"))
    with pytest.raises(CoordinateError, match="has no value at -2"):
        ComposedLayout(Swizzle(2, 0, 3), 1, Layout(4, -1))(3)


# --- composed layouts ---

PARTS = st.tuples(
    drawn_swizzles(), st.integers(0, 40), layouts(shapes(min_extent=0), max_stride=40, padded=True)
)


@given(PARTS)
def test_composed_is_the_composition_of_functions(parts: Any) -> None:
    swizzle, offset, layout = parts
    composed = ComposedLayout(*parts)
    assert (composed.shape, composed.size, composed.rank) == (layout.shape, layout.size, layout.rank)
    assert [composed(c) for c in naive_coords(layout.shape)] == [
        swizzle(offset + n) for n in naive_offsets(layout)
    ]


@given(layouts(shapes(min_rank=1), min_stride=0), st.integers(0, 9), layouts())
def test_a_layout_outside_is_extended(outer: Any, offset: int, inner: Any) -> None:
    if outer.shape == ():
        return
    composed = ComposedLayout(outer, offset, inner)
    for c in naive_coords(inner.shape):
        assert composed(c) == outer.extended(offset + inner(c))


@given(drawn_swizzles(), st.integers(0, 40), layouts(shapes(min_rank=1).filter(tla.is_tuple)), st.data())
def test_a_slice_is_the_function_with_a_coordinate_fixed(
    swizzle: Swizzle, offset: int, layout: Any, data: st.DataObject
) -> None:
    composed = ComposedLayout(swizzle, offset, layout)
    kept = data.draw(st.integers(0, layout.rank - 1))
    fixed = [data.draw(coords_of(mode)) for mode in layout.shape]
    sliced = composed[tuple(_ if i == kept else c for i, c in enumerate(fixed))]
    for c in naive_coords(layout.shape[kept]):
        assert sliced((c,)) == composed(tuple(c if i == kept else f for i, f in enumerate(fixed)))
    assert composed[_] == composed


def test_a_slice_moves_the_offset() -> None:
    composed = ComposedLayout(Swizzle(2, 0, 3), 0, Layout((8, 8), (8, 1)))
    assert composed[_, 3] == ComposedLayout(Swizzle(2, 0, 3), 3, Layout((8,), (8,)))
    assert [composed[_, 3](i) for i in range(8)] == [composed(i, 3) for i in range(8)]
    with pytest.raises(CoordinateError, match=r"layout\[3\] keeps no mode"):
        composed[3]
    with pytest.raises(CoordinateError, match="lies outside the shape"):
        composed[_, 8]
    with pytest.raises(CoordinateError, match="keeps modes"):
        composed(_, 3)  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]


def test_its_modes_are_composed() -> None:
    composed = ComposedLayout(Swizzle(2, 0, 3), 1, Layout((8, (2, 4)), (8, (1, 2))))
    rows_, columns = composed
    assert [rows_(i) for i in range(8)] == [composed(i, 0) for i in range(8)]
    assert [columns(i) for i in range(8)] == [composed(0, i) for i in range(8)]


def test_static_where_all_parts_are() -> None:
    static = ComposedLayout(Swizzle(2, 0, 3), Int(0), Layout((Int(8), Int(8))))
    assert type(static(Int(9))) is Int
    assert type(static[_, Int(3)].offset) is Int
    assert type(static(9)) is int


def test_a_composition_with_a_swizzle_has_a_static_offset() -> None:
    swizzle = Swizzle(2, 0, 3)
    composed = tla.composition(swizzle, Layout((8, 8), (8, 1)))
    assert composed == ComposedLayout(swizzle, 0, Layout((8, 8), (8, 1)))
    assert type(composed.offset) is Int
    assert str(composed) == "Sw<2,0,3> o _0 o (8,8):(8,1)"
    static = tla.composition(swizzle, Layout((Int(8), Int(8))))
    assert type(static(Int(9))) is Int
    assert type(tla.composition(composed, Layout(4, 2)).offset) is Int


def test_parts_are_functions() -> None:
    bad: Any
    for bad in (4, (4, 2), None, "4:1"):
        with pytest.raises(LayoutError, match="the outer part is a swizzle or a layout, not"):
            ComposedLayout(bad, 0, Layout(4))  # ty: ignore[invalid-argument-type]
        with pytest.raises(LayoutError, match="the inner part is a layout, not"):
            ComposedLayout(Swizzle(2, 0, 3), 0, bad)  # ty: ignore[invalid-argument-type]


# --- values ---


def test_printing() -> None:
    swizzle = Swizzle(2, 0, 3)
    composed = ComposedLayout(swizzle, 0, Layout((8, 8), (8, 1)))
    assert (str(swizzle), repr(swizzle)) == ("Sw<2,0,3>", "Swizzle(2, 0, 3)")
    assert repr(Swizzle(Int(2), Int(0), Int(-3))) == "Swizzle(2, 0, -3)"
    assert str(composed) == "Sw<2,0,3> o 0 o (8,8):(8,1)"
    assert repr(composed) == "ComposedLayout(Swizzle(2, 0, 3), 0, Layout((8, 8), (8, 1)))"
    assert str(ComposedLayout(swizzle, Int(4), Layout(Int(4)))) == "Sw<2,0,3> o _4 o _4:_1"


@given(PARTS)
def test_they_are_values(parts: Any) -> None:
    composed = ComposedLayout(*parts)
    for x in (parts[0], composed):
        same = eval(repr(x), NAMES)
        assert same == x
        assert hash(same) == hash(x)
        assert repr(same) == repr(x)
        assert copy.copy(x) is copy.deepcopy(x) is x
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
            assert pickle.loads(pickle.dumps(x, protocol)) == x


def test_equality_tells_apart() -> None:
    swizzle, layout = Swizzle(2, 0, 3), Layout((8, 8))
    different: list[Any] = [Swizzle(1, 0, 3), Swizzle(2, 1, 3), Swizzle(2, 0, -3), (2, 0, 3), None]
    for other in different:
        assert swizzle != other
    composed = ComposedLayout(swizzle, 0, layout)
    others: list[Any] = [
        ComposedLayout(Swizzle(1, 0, 3), 0, layout),
        ComposedLayout(swizzle, 1, layout),
        ComposedLayout(swizzle, 0, Layout((8, 4))),
        layout,
        (swizzle, 0, layout),
    ]
    for other in others:
        assert composed != other


@pytest.mark.parametrize("x", [Swizzle(2, 0, 3), ComposedLayout(Swizzle(2, 0, 3), 0, Layout(4))])
def test_they_are_immutable(x: Any) -> None:
    for name in ("bits", "base", "shift", "outer", "offset", "inner", "other"):
        with pytest.raises(AttributeError, match=f"a {type(x).__name__} is immutable"):
            setattr(x, name, 1)
        with pytest.raises(AttributeError, match=f"a {type(x).__name__} is immutable"):
            delattr(x, name)
    assert not hasattr(x, "__dict__")
