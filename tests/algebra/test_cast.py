"""Casts: vectors of elements, parts of elements, and the widest vector that memory allows."""

from math import gcd
from typing import Any

import pytest
from hypothesis import given, strategies as st
from oracle import rows, value

import tla
from tla import (
    DivisibilityError,
    Layout,
    LayoutError,
    LeafError,
    OverlapError,
    UndecidedError,
    UnsupportedError,
    _1,
    _2,
    _4,
    _8,
    _16,
    parse,
)
from tla.algebra.cast import downcast, max_alignment, recast_layout, upcast
from tla.algebra.coalesce import coalesce
from tla.ground.dtypes import element_type
from tla.numbers import sym
from tla.testing import layouts, naive_coords, naive_offset, shapes

FILE = "layout_algebra.jsonl"
SMALL = layouts(shapes(max_size=24), min_stride=-12, max_stride=24)
WIDTHS = st.sampled_from([1, 2, 3, 4, 6, 8, 12, 16])


def layout_of(pair: Any) -> Any:
    return Layout(*map(value, pair))


@pytest.mark.parametrize("cast", [upcast, downcast])
def test_oracle(cast: Any) -> None:
    for row in rows(FILE, cast.__name__):
        a, n = layout_of(row["inputs"]["A"]), row["inputs"]["n"]
        assert cast(a, n) == layout_of(row["layout"]), row


# --- upcast -----------------------------------------------------------------------------------


def leaves_of(layout: Any) -> list[tuple[int, int]]:
    flat = tla.flatten_to_tuple(layout.shape), tla.flatten_to_tuple(layout.stride)
    return list(zip(*flat, strict=True))


def factors(layout: Any, wide: Any) -> list[int]:
    """By how much each extent shrank; 1 where both are 0."""
    pairs = zip(leaves_of(layout), leaves_of(wide), strict=True)
    return [s // t if t else 1 for (s, _d), (t, _e) in pairs]


def naive_upcast_extents(layout: Any, n: int) -> list[int] | None:
    """The extents in vectors of n, by looking at where each coordinate of a mode alone lies."""
    out: list[int] = []
    for s, d in leaves_of(layout):
        if s < 2:
            out.append(s)
            continue
        # which vector each element of the mode is in, from the end that the mode runs away from
        at = [abs(d) * i // n for i in range(s)]
        k = n // abs(d) if d and n % d == 0 else 1
        if (d % n and n % d) or (s % k and k % s):
            return None
        assert at == [at[i // k * k] for i in range(s)]
        out.append(-(-s // k))
    return out


@given(SMALL, WIDTHS)
def test_laws_of_upcast(layout: Any, n: int) -> None:
    extents = naive_upcast_extents(layout, n)
    try:
        wide = upcast(layout, n)
    except DivisibilityError:
        assert extents is None
        return
    except OverlapError:
        assert extents is not None
        assert shared_vectors(layout, extents, n) is False
        return
    assert tla.congruent(layout.shape, wide.shape)
    assert [s for s, _d in leaves_of(wide)] == extents
    ks = factors(layout, wide)
    shift = sum(
        (k - 1) * -d for k, (_s, d) in zip(ks, leaves_of(layout), strict=True) if k > 1 and d < 0
    )
    for c in naive_coords(layout.shape):
        at = [i // k for i, k in zip(tla.flatten_to_tuple(c), ks, strict=True)]
        assert (
            naive_offset(wide, tla.unflatten(tuple(at), layout.shape))
            == (naive_offset(layout, c) + shift) // n
        )
    for c in naive_coords(wide.shape):
        at = [i * k for i, k in zip(tla.flatten_to_tuple(c), ks, strict=True)]
        first = tla.unflatten(tuple(at), layout.shape)
        assert n * naive_offset(wide, c) == naive_offset(layout, first)


def shared_vectors(layout: Any, extents: list[int], n: int) -> bool:
    """Whether elements with the same coordinate in vectors could lie in one vector of n."""
    groups: dict[tuple[int, ...], list[int]] = {}
    ks = [s // t if t else 1 for (s, _d), t in zip(leaves_of(layout), extents, strict=True)]
    for c in naive_coords(layout.shape):
        at = tuple(i // k for i, k in zip(tla.flatten_to_tuple(c), ks, strict=True))
        groups.setdefault(at, []).append(naive_offset(layout, c))
    return all(max(g) - min(g) < n for g in groups.values())


@pytest.mark.parametrize(
    ("layout", "n", "expected"),
    [
        ("(8,4):(1,8)", 1, "(8,4):(1,8)"),
        ("(8,4):(1,8)", 16, "(1,2):(1,1)"),
        ("8:-1", 2, "4:-1"),
        ("(4,2):(-1,8)", 4, "(1,2):(-1,2)"),
        ("(8,4):(1,0)", 2, "(4,4):(1,0)"),
        ("(1,8):(3,1)", 2, "(1,4):(2,1)"),
        ("(1,8):(-3,1)", 2, "(1,4):(-1,1)"),
        ("(0,8):(3,1)", 2, "(0,4):(3,1)"),
        ("(2,2,0):(1,1,5)", 2, "(1,1,0):(1,1,5)"),
        ("():()", 4, "():()"),
        ("4:1:3", 2, "2:1"),
        ("(2,2):(1,1)", 4, "(1,1):(1,1)"),
    ],
)
def test_upcast(layout: str, n: int, expected: str) -> None:
    assert str(upcast(parse(layout), n)) == expected


@pytest.mark.parametrize(
    ("layout", "n", "text"),
    [
        (
            "(6,4):(1,8)",
            4,
            "upcast of (6,4):(1,8) by 4 does not give whole vectors\n"
            "  Mode 0 is 6:1. A vector takes 4 of its coordinates; 4 does not divide 6.\n"
            "  The extent 8 works; so does upcast by 2, for this mode.",
        ),
        (
            "(8,(4,2)):(1,(-6,8))",
            4,
            "upcast of (8,(4,2)):(1,(-6,8)) by 4 does not give whole vectors\n"
            "  Mode 1.0 is 4:-6, and neither of the stride -6 and 4 divides the other.\n"
            "  A stride that is a multiple of 4 works, or one that divides it;"
            " so does upcast by 2, for this mode.",
        ),
        (
            "(_3,_4):(_1,_8)",
            4,
            "upcast of (_3,_4):(_1,_8) by 4 does not give whole vectors\n"
            "  Mode 0 is _3:_1. A vector takes 4 of its coordinates; 4 does not divide _3.\n"
            "  The extent 4 works.",
        ),
    ],
)
def test_upcast_names_the_mode_that_does_not_divide(layout: str, n: int, text: str) -> None:
    with pytest.raises(DivisibilityError) as error:
        upcast(parse(layout), n)
    assert str(error.value) == text


def test_upcast_names_the_modes_that_overlap() -> None:
    with pytest.raises(OverlapError) as error:
        upcast(parse("(2,(4,2)):(1,(8,1))"), 2)
    assert str(error.value) == (
        "upcast of (2,(4,2)):(1,(8,1)) by 2: modes reach, together, past one vector\n"
        "  A vector would hold 2 coordinates of mode 0, of stride 1,"
        " and 2 coordinates of mode 1.1, of stride 1: elements 2 apart, at most 1 in 2.\n"
        "  upcast(coalesce(layout), max_alignment(layout)) exists."
    )
    assert (error.value.modes, error.value.reach) == (("0", "1.1"), 2)
    with pytest.raises(OverlapError):  # injective, and yet its 12 elements span 18
        upcast(parse("(3,4):(4,3)"), 12)


@pytest.mark.parametrize("cast", [upcast, downcast])
def test_what_no_cast_takes(cast: Any) -> None:
    layout = Layout(8)
    for n in (0, -2):
        with pytest.raises(LayoutError, match=f"cannot number {n}\n  There is at least one"):
            cast(layout, n)
    for bad in (True, 2.0, "2", None, (2,)):
        with pytest.raises(LeafError):
            cast(layout, bad)
    with pytest.raises(TypeError, match="expected a layout"):
        cast((8, 4), 2)


# --- downcast ---------------------------------------------------------------------------------


@given(SMALL, WIDTHS)
def test_laws_of_downcast(layout: Any, n: int) -> None:
    try:
        narrow = downcast(layout, n)
    except OverlapError:
        assert sum(s > 1 and abs(d) == 1 for s, d in leaves_of(layout)) > 1
        return
    pairs = list(zip(leaves_of(layout), leaves_of(narrow), strict=True))
    ks = [t // s if s else 1 for (s, _d), (t, _e) in pairs]
    assert sorted({1, *ks}) in ([1], [1, n])
    assert ks.count(n) == any(abs(d) == 1 for _s, d in leaves_of(layout)) or n == 1
    for c in naive_coords(layout.shape):
        at = [i * k for i, k in zip(tla.flatten_to_tuple(c), ks, strict=True)]
        first = naive_offset(narrow, tla.unflatten(tuple(at), layout.shape))
        assert first == n * naive_offset(layout, c)
    if n in ks and n > 1:  # each element became all its parts
        i = ks.index(n)
        step = leaves_of(layout)[i][1]
        wide = [naive_offset(layout, c) for c in naive_coords(layout.shape)]
        parts = [n * w + step * p for w in wide for p in range(n)]
        assert sorted(parts) == sorted(naive_offset(narrow, c) for c in naive_coords(narrow.shape))


@given(SMALL, WIDTHS)
def test_upcast_undoes_downcast(layout: Any, n: int) -> None:
    try:
        narrow = downcast(layout, n)
    except OverlapError:
        return
    again = upcast(narrow, n)
    assert again.shape == layout.shape
    assert all(naive_offset(again, c) == naive_offset(layout, c) for c in naive_coords(layout.shape))


@pytest.mark.parametrize(
    ("layout", "n", "expected"),
    [
        ("4:3", 2, "4:6"),
        ("8:-1", 2, "16:-1"),
        ("(4,2):(1,0)", 2, "(8,2):(1,0)"),
        ("1:1", 4, "4:1"),
        ("1:0", 4, "1:0"),
        ("(1,1):(1,1)", 8, "(8,1):(1,8)"),  # the upcast of (2,4):(1,2) by 8
        ("(1,4):(1,1)", 2, "(1,8):(2,1)"),
        ("(2,2):(1,1)", 1, "(2,2):(1,1)"),
        ("(2,0,2):(1,1,1)", 2, "(4,0,2):(1,2,2)"),
        ("4:1:3", 2, "8:1"),
    ],
)
def test_downcast(layout: str, n: int, expected: str) -> None:
    assert str(downcast(parse(layout), n)) == expected


def test_downcast_lists_no_part_twice() -> None:
    with pytest.raises(OverlapError) as error:
        downcast(parse("(2,(4,2)):(1,(8,-1))"), 2)
    assert str(error.value) == (
        "downcast of (2,(4,2)):(1,(8,-1)) by 2 would list parts twice\n"
        "  Of the modes 0, 2:1, and 1.1, 2:-1, each holds neighbours,"
        " and one alone can grow to all their parts.\n"
        "  Elements are already reached twice; a layout that reaches each once works."
    )
    assert error.value.modes == ("0", "1.1")


# --- recast -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("layout", "old", "new", "expected"),
    [
        ("(8,4):(1,8)", "f16", "f32", "(4,4):(1,4)"),
        ("(8,4):(1,8)", "F32", "s8", "(32,4):(1,32)"),
        ("(8,4):(1,8)", "bf16", "f16", "(8,4):(1,8)"),
        ("(8,4):(1,8)", 16, 4, "(32,4):(1,32)"),
        ("8:1", "f6e2m3fn", "s8", "6:1"),
        ("(_8,_4):(_1,_8)", "f16", "f32", "(_4,_4):(_1,_4)"),
        ("(_8,_4):(_1,_8)", _16, _8, "(_16,_4):(_1,_16)"),
        ("(_8,_4):(_1,_8)", 16, 8, "(16,_4):(_1,16)"),
    ],
)
def test_recast_layout(layout: str, old: Any, new: Any, expected: str) -> None:
    assert str(recast_layout(parse(layout), old, new)) == expected
    assert recast_layout(parse(layout), element_type("f16"), 16) == parse(layout)


def test_what_recast_layout_does_not_take() -> None:
    with pytest.raises(UnsupportedError, match="the element type token has no width"):
        recast_layout(Layout(8), "f16", "token")
    with pytest.raises(UnsupportedError, match="is not an XLA element type"):
        recast_layout(Layout(8), "half", "f32")
    with pytest.raises(LayoutError, match="the bits of a type cannot number 0"):
        recast_layout(Layout(8), 8, 0)
    with pytest.raises(LeafError):
        recast_layout(Layout(8), 8, 1.5)  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    with pytest.raises(DivisibilityError, match="upcast of 6:_1 by _4"):
        recast_layout(Layout(6), "s8", "f32")
    with pytest.raises(TypeError, match="expected a layout"):
        recast_layout("8:1", "s8", "f32")  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    with pytest.raises(UndecidedError):
        recast_layout(Layout(8), 8, sym("B"))


# --- alignment --------------------------------------------------------------------------------


def naive_alignment(layout: Any) -> int:
    """The greatest n whose vectors the elements fill, by looking at all of them."""
    best = 1
    flat = coalesce(layout)
    for n in range(2, 64):
        try:
            wide = upcast(flat, n)
        except LayoutError:
            continue
        ks = factors(flat, wide)
        groups: dict[tuple[int, ...], list[int]] = {}
        for c in naive_coords(flat.shape):
            at = tuple(i // k for i, k in zip(tla.flatten_to_tuple(c), ks, strict=True))
            groups.setdefault(at, []).append(naive_offset(flat, c))
        if all(
            sorted(g) == list(range(min(g), min(g) + n)) and min(g) % n == 0 for g in groups.values()
        ):
            best = n
    return best


def cute_alignment(layout: Any) -> int:
    """CuTe's: the size of the part that is contiguous from 0, and all other strides, in common."""
    modes = [mode for mode in leaves_of(coalesce(layout)) if mode[0] != 1 and mode[1]]
    size = 1
    for s, d in sorted(modes, key=lambda mode: (mode[1] < 0, mode[1])):
        if d == size:
            size *= s
            modes.remove((s, d))
    return gcd(size, *(d for _s, d in modes))


@given(layouts(shapes(max_size=48), min_stride=-8, max_stride=48))
def test_max_alignment(layout: Any) -> None:
    n = max_alignment(layout)
    assert n == naive_alignment(layout)
    assert cute_alignment(layout) % n == 0


@given(st.data())
def test_divisors_of_max_alignment_work_among_powers_of_two(data: st.DataObject) -> None:
    powers = st.sampled_from([1, 2, 4, 8, 16])
    modes = data.draw(st.lists(st.tuples(powers, powers | st.just(0)), min_size=1, max_size=4))
    layout = Layout(*map(tuple, zip(*modes, strict=True)))
    n = max_alignment(layout)
    assert n == cute_alignment(layout)
    divisor = 1
    while divisor <= n:
        upcast(layout, divisor)
        divisor *= 2


@pytest.mark.parametrize(
    ("layout", "n"),
    [
        ("(8,4):(1,8)", 32),
        ("(8,4):(1,16)", 8),
        ("(8,4):(1,12)", 4),
        ("(8,4):(1,0)", 8),
        ("(8,4):(1,-8)", 8),
        ("(4,8):(8,1)", 32),
        ("((3,2),2):((1,3),8)", 2),  # coalesced (6,2):(1,8)
        ("(3,4,2):(4,1,18)", 2),  # CuTe: 6
        ("(2,2):(1,1)", 1),
        ("8:-1", 1),
        ("8:2", 1),
        ("1:0", 1),
        ("()", 1),
        ("(8,0):(1,8)", 1),
    ],
)
def test_max_alignment_of(layout: str, n: int) -> None:
    shape = parse(layout)
    assert max_alignment(shape if tla.is_layout(shape) else Layout(shape)) == n


def test_alignment_is_static_where_the_layout_is() -> None:
    assert tla.is_static(max_alignment(parse("(_8,_4):(_1,_16)")))
    assert not tla.is_static(max_alignment(parse("(8,4):(1,16)")))
    assert not tla.is_static(max_alignment(parse("(_8,4):(_1,16)")))


# --- static and unknown ints ------------------------------------------------------------------


@given(layouts(shapes(max_size=24, static=True), static=True), st.sampled_from([_1, _2, _4, _8]))
def test_static_ints_stay_static(layout: Any, n: Any) -> None:
    for cast in (upcast, downcast):
        try:
            result = cast(layout, n)
        except LayoutError:
            continue
        assert result.is_static
        assert result == cast(parse(str(layout).replace("_", "")), int(n))


def test_unknown_ints() -> None:
    m, many = sym("M", min=2), sym("M", divisible_by=64)
    assert str(upcast(Layout((64, m), (1, many)), 8)) == "(8,M{min=2}):(1,M{div=64}/8)"
    assert str(upcast(Layout((many, 4), (1, many)), 8)) == "(M{div=64}/8,4):(1,M/8)"
    one = upcast(Layout((1, 8), (m, 1)), 8)  # a stride that does not matter
    assert (one.shape, one.stride[1]) == ((1, 1), 1)
    with pytest.raises(UndecidedError, match="M % 8 == 0"):
        upcast(Layout((m, 4), (1, 8)), 8)
    assert downcast(Layout((m, 4), (1, many)), 8).bind(M=64).shape == (512, 4)
    with pytest.raises(UndecidedError, match="depends on whether M > 1\n"):
        downcast(Layout((4, 4), (1, sym("M"))), 8)
    assert max_alignment(Layout((64, m), (1, many * 2))) == 64
    assert max_alignment(Layout(many, 1)) == many
    with pytest.raises(UndecidedError, match="M == 64"):
        max_alignment(Layout((64, m), (1, m)))
