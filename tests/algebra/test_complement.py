"""The complement: the offsets that a layout leaves free, in order, and errors where modes collide."""

from itertools import pairwise, product as tuples_of
from math import prod
from operator import itemgetter
from typing import Any

import pytest
from hypothesis import given, strategies as st

import tla
from tla import (
    Int,
    Layout,
    LayoutError,
    LeafError,
    OverlapError,
    TlaError,
    UndecidedError,
    complement,
    parse,
)
from tla.numbers import evaluate, sym
from tla.testing import (
    layouts,
    naive_complement,
    naive_covers,
    naive_is_complement,
    naive_offsets,
    naive_size,
    shapes,
)

EXTENTS = shapes(max_size=24, min_extent=0, min_rank=1, static=False)
ANY = layouts(EXTENTS, min_stride=-1, max_stride=24, static=False)
TARGETS = st.integers(0, 60) | st.sampled_from([24, 48, 64])
M, N = sym("M"), sym("N")


def moving(layout: Any) -> list[tuple[int, int]]:
    """The leaves that reach more than one offset, by growing stride."""
    flat = zip(*map(tla.flatten_to_tuple, (layout.shape, layout.stride)), strict=True)
    return sorted(((s, d) for s, d in flat if s != 1 and d), key=itemgetter(1))


def end_of(layout: Any) -> int:
    """Where the last mode that moves ends."""
    return prod((moving(layout) or [(1, 1)])[-1])


def is_chain(layout: Any) -> bool:
    """Whether all gaps are filled: each mode ends at a divisor of the stride above."""
    ends = [1, *(s * d for s, d in moving(layout))]
    return all(d % end == 0 for end, (_s, d) in zip(ends, moving(layout), strict=False))


# --- the law ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("layout", "cotarget", "expected"),
    [
        # CuTe 02_layout_algebra.md, "Complement"
        ("4:1", 24, "6:4"),
        ("6:4", 24, "4:1"),
        ("(4,6):(1,4)", 24, "1:0"),
        ("4:2", 24, "(2,3):(1,8)"),
        ("(2,4):(1,6)", 24, "3:2"),
        ("(2,2):(1,6)", 24, "(3,2):(2,12)"),
        # a range that is not filled, or not long enough, rounds up
        ("4:2", 25, "(2,4):(1,8)"),
        ("4:2", 1, "2:1"),
        ("4:2", 0, "(2,0):(1,8)"),
        ("(2,2):(1,5)", 20, "(2,2):(2,10)"),
        # what does not move takes up nothing
        ("1:3", 5, "5:1"),
        ("(4,1):(0,-7)", 5, "5:1"),
        ("(2,(3,4)):(0,(8,2))", 48, "(2,2):(1,24)"),
        # static only where all is
        ("(_2,_2):(_1,_6)", 24, "(_3,2):(_2,_12)"),
        ("(_2,_2):(_1,_6)", Int(24), "(_3,_2):(_2,_12)"),
        ("(_2,_2):(_1,_6)", None, "_3:_2"),
        # up to the cosize where no range is given
        ("(2,2):(1,6)", None, "3:2"),
        ("():()", None, "_1:_0"),
        ("4:2:3", 24, "(2,3):(1,8)"),
        # of a shape, each mode rounds up in turn
        ("4:2", (2, 3, 4), "(2,2):(1,8)"),
        ("4:2", (3, 8), "(2,3):(1,8)"),
        ("4:2", (0, 8), "(2,0):(1,8)"),
    ],
)
def test_complement(layout: str, cotarget: Any, expected: str) -> None:
    assert str(complement(parse(layout), cotarget)) == expected


@pytest.mark.parametrize(
    ("layout", "cotarget", "expected"),
    [
        ("():()", Int(5), "_5:_1"),
        ("():()", 5, "5:1"),
        ("4:2", (), "2:1"),
        ("_4:_2", (), "_2:_1"),
    ],
)
def test_shapes_without_modes(layout: str, cotarget: Any, expected: str) -> None:
    assert str(complement(parse(layout), cotarget)) == expected


def test_a_shape_is_its_compact_layout() -> None:
    assert complement(4, 16) == complement(Layout(4), 16) == Layout(4, 4)
    assert complement((2, 3), 16) == Layout(3, 6)


@given(ANY, TARGETS)
def test_laws(layout: Any, cotarget: int) -> None:
    check(layout, cotarget)


def check(layout: Any, cotarget: int) -> None:
    gaps = naive_complement(layout, cotarget)
    if gaps is None:
        with pytest.raises(LayoutError) as caught:
            complement(layout, cotarget)
        check_error(layout, caught.value)
        return
    result = complement(layout, cotarget)
    assert tla.depth(result.shape) <= 1
    assert naive_offsets(result) == naive_offsets(gaps)
    assert naive_is_complement(layout, result)
    if is_chain(layout):
        assert naive_covers(layout, result, cotarget)
        if cotarget % end_of(layout) == 0:  # each offset once: no overlap, no rest
            base = Layout(tuple(s for s, _d in moving(layout)), tuple(d for _s, d in moving(layout)))
            sums = sorted(i + j for i in naive_offsets(base) for j in naive_offsets(result))
            assert sums == list(range(cotarget))


def check_error(layout: Any, error: Any) -> None:
    """The error names the fault there is: no coordinate, a mode that runs back, two that collide."""
    kind: Any = type(error)
    assert error.layout == layout
    leaves = moving(layout)
    if naive_size(layout.shape) == 0:
        return  # where it has other faults too, any may be named
    if leaves[0][1] < 0:
        assert error.mode == leaves[0]
        assert kind is LayoutError
    else:
        assert kind is OverlapError
        (s, d), (t, e) = error.modes
        assert ((s, d), (t, e)) in set(pairwise(leaves))
        assert s * d > e >= d


def test_every_small_layout() -> None:
    for shape in tuples_of((1, 2, 3), (2, 3)):
        for stride in tuples_of(range(7), repeat=2):
            for cotarget in (1, 12, 13):
                check(Layout(shape, stride), cotarget)


@given(layouts(shapes(max_size=24, min_rank=1), max_stride=24))
def test_the_default_range_is_the_least_that_is_asked_for(layout: Any) -> None:
    """The cosize of the modes that move ends with the last of them, so nothing lies above."""
    try:
        result = complement(layout)
    except OverlapError:
        assert naive_complement(layout, 1) is None
    else:
        assert result == complement(layout, 1) == complement(layout, max(1, end_of(layout)))


@given(layouts(shapes(max_size=24, min_rank=1), compact=True), st.integers(1, 4))
def test_a_complement_is_complementary(layout: Any, count: int) -> None:
    """Where a layout and its complement fill a range, each is what the other leaves free."""
    spread = Layout(layout.shape, tla.transform_leaf(lambda d: d * 3, layout.stride))
    cotarget = 3 * layout.size * count
    rest = complement(spread, cotarget)
    assert sorted(naive_offsets(complement(rest, cotarget))) == sorted(set(naive_offsets(spread)))


@given(
    layouts(shapes(max_size=12, min_rank=1), max_stride=24),
    st.lists(st.sampled_from([1, 2, 3, 4, 6]), min_size=1, max_size=3),
)
def test_the_range_of_a_shape(layout: Any, cotarget: list[int]) -> None:
    """It rounds up mode by mode, as CuTe does, which falls short where sizes do not divide."""
    try:
        whole = complement(layout, prod(cotarget))
    except OverlapError:
        with pytest.raises(OverlapError):
            complement(layout, tuple(cotarget))
        return
    result = complement(layout, tuple(cotarget))
    assert naive_is_complement(layout, result)
    assert complement(layout, (prod(cotarget),)) == complement(layout, (1, (prod(cotarget), 1))) == whole
    blocks = [prod(cotarget[:i]) for i in range(len(cotarget) + 1)]
    if all(end_of(layout) % n == 0 or n % end_of(layout) == 0 for n in blocks):
        assert result == whole


# --- errors -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("layout", "error", "text"),
    [
        (
            "(4,4):(5,2)",
            OverlapError,
            "(4,4):(5,2) has no complement: its modes 4:2 and 4:5 overlap or interleave\n"
            "  The mode 4:2 takes up the offsets below 4 * 2 = 8; the next begins at 5.\n"
            "  A stride of at least 8 in place of 5 keeps the two apart.",
        ),
        (
            "(2,2):(3,3)",
            OverlapError,
            "(2,2):(3,3) has no complement: its modes 2:3 and 2:3 overlap or interleave\n"
            "  The mode 2:3 takes up the offsets below 2 * 3 = 6; the next begins at 3.\n"
            "  A stride of at least 6 in place of 3 keeps the two apart.",
        ),
        (
            "(2,4):(8,-1)",
            LayoutError,
            "(2,4):(8,-1) has no complement: the mode 4:-1 runs backwards\n"
            "  A complement needs strides that are not negative.",
        ),
        ("(0,2):(0,3)", LayoutError, "(0,2):(0,3) has no coordinate, and so no complement"),
        ("0:0", LayoutError, "0:0 has no coordinate, and so no complement"),
    ],
)
def test_errors(layout: str, error: type[TlaError], text: str) -> None:
    with pytest.raises(error) as caught:
        complement(parse(layout), 64)
    assert str(caught.value).partition("\n  Asked by complement(")[0] == text
    assert type(caught.value) is error


@pytest.mark.parametrize(
    ("layout", "cotarget", "error", "summary"),
    [
        (Layout(4), -3, LayoutError, "the cotarget -3 is negative"),
        (Layout(4), (2, -3), LayoutError, "shape (2,-3) has the negative extent -3"),
        (Layout(4), True, LeafError, "expected an int, got bool True"),
        (Layout(4), "24", LeafError, "expected an int, got str '24'"),
        (Layout(4), Layout(3), LeafError, "expected an int, got Layout Layout(3, _1)"),
        ("4:2", 24, LeafError, "expected an int, got str '4:2'"),
        (-4, 24, LayoutError, "shape -4 has the negative extent -4"),
    ],
)
def test_arguments_that_are_none(
    layout: Any, cotarget: Any, error: type[TlaError], summary: str
) -> None:
    with pytest.raises(error) as caught:
        complement(layout, cotarget)
    assert caught.value.summary == summary


# --- large and symbolic -----------------------------------------------------------------------


def test_sixty_modes_and_large_ints() -> None:
    steps = [4**i for i in range(60)]
    layout = Layout((2,) * 60, tuple(steps[7 * i % 60] for i in range(60)))
    result = complement(layout, 4**60)
    assert result == Layout((2,) * 60, tuple(2 * d for d in steps))
    far = Layout((10**12, 10**20), (1, 3 * 10**40))
    assert complement(far, 10**61) == Layout((3 * 10**28, 4), (10**12, 3 * 10**60))
    with pytest.raises(OverlapError) as caught:
        complement(Layout((2,) * 60, (*steps[:59], 4**58 + 1)), 4**60)
    assert caught.value.modes == ((2, 4**58), (2, 4**58 + 1))


@pytest.mark.parametrize(
    ("layout", "cotarget"),
    [
        (Layout(4, 2), M),
        (Layout(4, 2), M * 8),
        (Layout((2, 2), (1, 6)), N),
        (Layout((2, 2), (M * 4, 1)), None),
        (Layout((2, 1), (M * 4, N)), None),
    ],
)
def test_unknown_ints(layout: Any, cotarget: Any) -> None:
    """The same as with the numbers put in, up to modes of size 1."""
    result = complement(layout, cotarget)
    for m, n in ((1, 9), (2, 48), (24, 1)):
        plain = layout.bind(M=m, N=n)
        found = result.bind(M=m, N=n)
        target = cotarget and evaluate(cotarget, {"M": m, "N": n})
        assert naive_offsets(found) == naive_offsets(complement(plain, target))


def test_what_an_unknown_leaves_open() -> None:
    with pytest.raises(UndecidedError) as caught:
        complement(Layout((4, 2), (1, M)), 64)
    assert caught.value.obligation == (M >= 4)
    layout = Layout((4, 2), (1, M))
    result = complement(layout, 64, assume=M >= 4)
    assert result.assumptions == (M >= 4,)
    for m in (4, 5, 8, 16, 40):
        plain = complement(layout.bind(M=m), 64)
        assert naive_offsets(result.bind(M=m)) == naive_offsets(plain)
    with pytest.raises(tla.BindingError, match=r"^M = 3 breaks M >= 4$"):
        result.bind(M=3)
    with pytest.raises(OverlapError) as collision:
        complement(Layout((2, 2, sym("N", min=2)), (2, 1, 1)), 64)
    assert collision.value.layout == Layout((2, 2, sym("N", min=2)), (2, 1, 1))
