"""Inverses: ``a(r(i)) == i`` on the right, ``r(a(i)) == i`` on the left."""

from itertools import pairwise, product as tuples_of
from operator import itemgetter
from random import Random
from typing import Any

import pytest
from hypothesis import given

import tla
from tla import (
    DivisibilityError,
    Layout,
    LayoutError,
    LeafError,
    LimitError,
    OverlapError,
    TlaError,
    UndecidedError,
    left_inverse,
    parse,
    right_inverse,
)
from tla.numbers import sym
from tla.testing import (
    layouts,
    naive_extended,
    naive_is_injective,
    naive_is_left_inverse,
    naive_is_right_inverse,
    naive_offset,
    naive_offsets,
    naive_reach,
    shapes,
)

SHAPES = shapes(max_size=48, min_rank=1, static=False)
ANY = layouts(SHAPES, min_stride=-3, max_stride=24, static=False)
FORWARD = layouts(shapes(max_size=48), max_stride=24)
PACKED = layouts(shapes(max_size=48), compact=True)
BOTH = pytest.mark.parametrize("inverse", [right_inverse, left_inverse])
M, LONG = sym("M"), sym("M", min=2)


def moving(layout: Any) -> list[tuple[int, int]]:
    """The modes of the coalesced layout that reach more than one offset, by growing stride."""
    whole = tla.coalesce(layout)
    flat = zip(*map(tla.flatten_to_tuple, (whole.shape, whole.stride)), strict=True)
    return sorted(((s, d) for s, d in flat if s != 1 and d), key=itemgetter(1))


# --- right ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("layout", "expected"),
    [
        ("(4,8):(8,1)", "(8,4):(4,1)"),
        ("(_4,_8):(_8,_1)", "(_8,_4):(_4,_1)"),
        ("(4,8):(1,4)", "32:1"),
        ("((2,2),(2,4)):((1,4),(2,8))", "(2,2,2,4):(1,4,2,8)"),
        # as far as offsets follow each other
        ("(4,8):(1,5)", "4:1"),
        ("(4,8):(2,16)", "1:0"),
        ("(2,3,4):(1,20,2)", "(2,4):(1,6)"),
        # what does not move is passed over, what runs back is not used
        ("(2,4):(1,0)", "2:1"),
        ("(2,4,3):(0,1,4)", "12:2"),
        ("(2,4):(-1,1)", "4:2"),
        ("4:-1", "1:0"),
        # modes that overlap: each may be cut short
        ("(3,2):(1,2)", "(2,2):(1,3)"),
        ("(6,4):(1,3)", "(3,4):(1,6)"),
        ("(4,2,3):(1,3,5)", "(3,2):(1,4)"),
        ("1:7", "1:0"),
        ("():()", "_1:_0"),
        ("4:1:3", "4:1"),
    ],
)
def test_right_inverse(layout: str, expected: str) -> None:
    assert str(right_inverse(parse(layout))) == expected


@given(ANY)
def test_law_of_the_right_inverse(layout: Any) -> None:
    inverse = right_inverse(layout)
    assert naive_is_right_inverse(layout, inverse)
    assert tla.coalesce(inverse) == inverse
    base = (
        Layout(*(tuple(x) for x in zip(*moving(layout), strict=True))) if moving(layout) else Layout(1)
    )
    if all(d > 0 for _s, d in moving(layout)) and naive_is_injective(base):
        assert inverse.size == naive_reach(layout)


# --- left -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("layout", "expected"),
    [
        ("(4,8):(8,1)", "(8,4):(4,1)"),
        ("(_4,_8):(_8,_1)", "(_8,_4):(_4,_1)"),
        ("(4,8):(1,5)", "(5,8):(1,4)"),
        ("4:3", "(3,4):(0,1)"),
        ("(2,4):(0,3)", "(3,4):(0,2)"),
        ("(2,4):(1,0)", "2:1"),
        # several indices of one offset
        ("(2,4):(2,1)", "6:2"),
        ("(4,4):(2,4)", "(2,2,5):(0,1,4)"),
        ("6:0", "1:0"),
        # strides that do not divide each other, but whose digits are told apart
        ("(4,2):(6,59)", "(6,9,2):(0,1,4)"),
        ("(2,3):(4,9)", "(4,6):(0,1)"),
        # found by the search
        ("(7,2):(3,5)", "(3,8):(3,1)"),
        ("(4,2):(8,5)", "(5,3,2):(-1,4,3)"),
        ("(_4,_2):(_8,_5)", "(_5,_3,_2):(_-1,_4,_3)"),
        ("(1024,2):(7,5000)", "(7,1738):(155,1)"),
        ("(7,2):(3,5000001)", "(3,1666667,2):(0,1,7)"),
        ("(3,2,2):(7,0,5)", "(2,5,2):(16,-5,12)"),
        ("1:7", "1:0"),
        ("():()", "_1:_0"),
        ("4:1:3", "4:1"),
    ],
)
def test_left_inverse(layout: str, expected: str) -> None:
    assert str(left_inverse(parse(layout))) == expected


@given(ANY)
def test_law_of_the_left_inverse(layout: Any) -> None:
    check_left(layout)


def check_left(layout: Any) -> None:
    leaves = moving(layout)
    fits = all(s * d <= e and e % d == 0 for (s, d), (_t, e) in pairwise(leaves))
    try:
        inverse = left_inverse(layout)
    except (LayoutError, OverlapError, DivisibilityError) as error:
        assert not fits or any(d < 0 for _s, d in leaves)
        check_refusal(layout, error)
    else:
        assert naive_is_left_inverse(layout, inverse)
        assert tla.coalesce(inverse) == inverse


def check_refusal(layout: Any, error: Any) -> None:
    """The error names two neighbouring modes that overlap, or of which one does not divide."""
    kind: Any = type(error)
    leaves = moving(layout)
    assert error.layout == layout
    if leaves[0][1] < 0:
        s, d = leaves[0]
        assert str(error) == f"{layout} has no left inverse: its mode {s}:{d} reaches offsets below 0"
        return
    (s, d), (t, e) = error.modes
    assert ((s, d), (t, e)) in set(pairwise(leaves))
    assert s * d > e if kind is OverlapError else e % d and kind is DivisibilityError


def test_every_small_layout() -> None:
    for shape in tuples_of((2, 3), (1, 2, 4)):
        for stride in tuples_of(range(10), repeat=2):
            check_left(Layout(shape, stride))


@pytest.mark.parametrize(
    ("layout", "error", "text"),
    [
        (
            "(4,3):(3,5)",
            OverlapError,
            "no layout is a left inverse of (4,3):(3,5): its modes 4:3 and 3:5 overlap or interleave\n"
            "  The mode 4:3 takes up the offsets below 4 * 3 = 12; the next begins at 5.\n"
            "  A stride of at least 12 in place of 5 keeps the two apart.",
        ),
        (
            "(2,2,2):(1,5,2)",
            DivisibilityError,
            "no layout is a left inverse of (2,2,2):(1,5,2): the stride 2 of its mode 2:2 does not"
            " divide the next stride 5\n"
            "  A stride of 6 in place of 5 is a multiple of it.",
        ),
        (
            "(2,2,2):(4,5,4)",  # several indices of one offset
            OverlapError,
            "no left inverse of (2,2,2):(4,5,4) was found: its modes 2:4 and 2:4 overlap or interleave\n"
            "  The mode 2:4 takes up the offsets below 2 * 4 = 8; the next begins at 4.\n"
            "  A stride of at least 8 in place of 4 keeps the two apart.",
        ),
        (
            "(64,64):(65,12301)",
            LimitError,
            "whether (64,64):(65,12301) has a left inverse was not decided within 1000 steps\n"
            "  Its strides do not divide each other, and the time grows with the greatest offset.\n"
            "  The limit 'steps' is 1000. `with tla.limits(steps=2000):` raises it, so does"
            " --limit steps=2000.",
        ),
        (
            "(4,2):(1,-5)",
            LayoutError,
            "(4,2):(1,-5) has no left inverse: its mode 2:-5 reaches offsets below 0",
        ),
    ],
)
def test_texts_of_refusals(layout: str, error: type[TlaError], text: str) -> None:
    with tla.limits(steps=1000), pytest.raises(error) as caught:
        left_inverse(parse(layout))
    assert str(caught.value) == text
    assert type(caught.value) is error


def naive_has_left_inverse(layout: Any) -> bool:
    """Whether any layout gives back the index: all extents, and for each the equations of all offsets.

    The coordinates of an offset x are floors of it, ``x // P``, so the index is a sum of multiples of
    floors. An extent that is no prime leaves fewer of them.
    """
    offsets = naive_offsets(layout)
    primes = [n for n in range(2, max(offsets) + 1) if all(n % d for d in range(2, n))]
    open_ones: list[tuple[int, ...]] = [(1,)]
    for periods in open_ones:
        longer = [(*periods, periods[-1] * p) for p in primes if periods[-1] * p <= max(offsets)]
        open_ones += longer
        if not longer and adds_up([[x // p for x in offsets] for p in periods], len(offsets)):
            return True
    return False


def adds_up(columns: list[list[int]], size: int) -> bool:
    """Whether multiples of the columns add up to 0, 1, 2, ...: Gauss over the ints, row by row."""
    rest = list(range(size))
    for i in range(size):
        while len(here := [c for c in columns if c[i]]) > 1:
            least = min(here, key=lambda c: abs(c[i]))
            for c in here:
                if c is not least:
                    c[:] = [x - c[i] // least[i] * y for x, y in zip(c, least, strict=True)]
        if rest[i] and not (here and rest[i] % here[0][i] == 0):
            return False
        if here:
            rest = [x - rest[i] // here[0][i] * y for x, y in zip(rest, here[0], strict=True)]
            columns.remove(here[0])
    return True


def check_exists(layout: Any) -> None:
    """A left inverse is found exactly where any layout is one."""
    try:
        inverse = left_inverse(layout)
    except (OverlapError, DivisibilityError) as error:
        check_refusal(layout, error)
        assert not naive_has_left_inverse(layout)
    else:
        assert naive_is_left_inverse(layout, inverse)


def small_layouts() -> list[Any]:
    two = [*tuples_of(range(2, 7), range(2, 7), range(1, 13), range(1, 13))]
    three = [*tuples_of(*[(2, 3)] * 3, *[range(1, 11)] * 3)]
    every = [Layout(x[: len(x) // 2], x[len(x) // 2 :]) for x in (*two, *three)]
    return [layout for layout in every if naive_is_injective(layout)]


def test_a_left_inverse_is_found_where_there_is_one() -> None:
    rng = Random(7)
    for _ in range(60):
        rank = rng.choice((2, 3))
        layout = Layout(
            tuple(rng.randint(2, 8 - 2 * rank + 1) for _ in range(rank)),
            tuple(rng.randint(1, 9) for _ in range(rank)),
        )
        if naive_is_injective(layout):
            check_exists(layout)


@pytest.mark.slow
def test_a_left_inverse_of_every_small_layout() -> None:
    for layout in small_layouts():
        check_exists(layout)


def test_a_left_inverse_of_many_coordinates() -> None:
    """The search looks at a few coordinates, and composition proves that the others follow."""
    for text in ("(1024,3,1024):(5,2,5150)", "(512,512):(3,1540)", "(1000,2):(2,1001)"):
        layout = parse(text)
        inverse = left_inverse(layout)
        index = tla.composition(inverse, layout)
        assert tla.same_function(index, Layout(layout.size))
    with pytest.raises(OverlapError, match="no layout is"):
        left_inverse(parse("(1000000,7):(8,3)"))


# --- both -------------------------------------------------------------------------------------


@given(PACKED)
def test_inverses_of_a_permutation(layout: Any) -> None:
    """Of a layout that reaches each offset once both are the inverse, and back again."""
    inverse = right_inverse(layout)
    assert inverse == left_inverse(layout)
    assert tla.same_function(right_inverse(inverse), layout)
    assert sorted(naive_offsets(inverse)) == list(range(layout.size))


@given(FORWARD)
def test_the_right_inverse_begins_the_left_one(layout: Any) -> None:
    try:
        left, right = left_inverse(layout), right_inverse(layout)
    except TlaError:
        return
    if naive_is_injective(layout):
        assert naive_offsets(left)[: right.size] == naive_offsets(right)


@BOTH
def test_arguments(inverse: Any) -> None:
    assert inverse((4, 8)) == inverse(32) == Layout(32, 1)
    with pytest.raises(LayoutError, match=r"^\(4,0\):\(8,1\) has no coordinate, and so no inverse$"):
        inverse(parse("(4,0):(8,1)"))
    with pytest.raises(LayoutError, match=r"^shape -2 has the negative extent -2$"):
        inverse(-2)
    for wrong in ("(4,8):(8,1)", True, 2.5, None):
        with pytest.raises(LeafError, match=r"^expected an int, got "):
            inverse(wrong)


@BOTH
def test_sixty_modes_and_large_ints(inverse: Any) -> None:
    steps = tuple(2 ** (7 * i % 60) for i in range(60))
    layout = Layout((2,) * 60, steps)
    result = inverse(layout)
    assert result.size == 2**60
    for i in (0, 1, 2**59 + 5, 2**60 - 1, 0x5A5A5A5A5A5A5A5):
        assert naive_offset(layout, tla.idx2crd(naive_extended(result, i), layout.shape)) == i
    tall = Layout((10**20, 10**12), (10**12, 1))
    assert inverse(tall) == Layout((10**12, 10**20), (10**20, 1))


# --- symbolic ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("inverse", "layout", "expected"),
    [
        (right_inverse, Layout((4, LONG), (1, 4)), "4*M{min=2}:_1"),
        (right_inverse, Layout((LONG, 4), (4, 1)), "(4,M{min=2}):(M,_1)"),
        (right_inverse, Layout((4, LONG), (1, 0)), "4:_1"),
        (left_inverse, Layout((4, LONG), (1, 5)), "(5,M{min=2}):(_1,4)"),
        (left_inverse, Layout((4, LONG), (1, LONG)), None),
    ],
)
def test_unknown_ints(inverse: Any, layout: Any, expected: str | None) -> None:
    if expected is None:
        with pytest.raises(UndecidedError, match=r"^the left inverse of .* needs M >= 4\n"):
            inverse(layout)
        return
    result = inverse(layout)
    assert str(result) == expected
    for m in (2, 3, 16):
        plain, found = (x.bind(M=m) for x in (layout, result))
        assert naive_offsets(found) == naive_offsets(inverse(plain))


def test_what_does_not_depend_on_an_unknown() -> None:
    assert right_inverse(Layout((4, 1, 2), (1, M, 4))) == Layout(8, 1)
    with pytest.raises(LayoutError, match=r"^\(M\{min=2\},0\):\(8,1\) has no coordinate"):
        right_inverse(Layout((LONG, 0), (8, 1)))


def test_a_proof_that_is_open_is_no_refusal() -> None:
    long = sym("M", min=8)
    with pytest.raises(UndecidedError, match="M % 2 == 0"):
        left_inverse(Layout((3, long), (2, 1)))
    assert left_inverse(Layout((3, 8), (2, 1))) == Layout(12, 3)


def test_a_layout_that_cannot_grow() -> None:
    """The inverse 3:2 of (2,2):(1,1) sends offset 2 to index 4, which is there only if it grows."""
    assert left_inverse(parse("(2,2):(1,1)")) == Layout(3, 2)
    with pytest.raises(OverlapError):
        left_inverse(parse("(2,2,()):(1,1,())"))
