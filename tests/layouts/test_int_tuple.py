"""Int tuples: access, profile, maps over leaves, products, division, editing."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, strategies as st

import tla
from tla import (
    CongruenceError,
    CoordinateError,
    DivisibilityError,
    Int,
    LayoutError,
    LeafError,
    _1,
    _2,
    _3,
    _4,
    _8,
    compatible,
    congruent,
    flatten,
    flatten_to_tuple,
    get,
    same_static,
    shape_div,
    unflatten,
    weakly_congruent,
)
from tla.ground import MAX_DEPTH
from tla.layouts.int_tuple import as_int_tuple
from tla.testing import int_tuples, naive_coords, naive_size, shapes

M, N = tla.sym("M"), tla.sym("N")
NESTED = ((4, 2), (8, (3, 5)), 7)
DEEP = 20_000


def nest(levels: int, core: Any = 4) -> Any:
    for _level in range(levels):
        core = (core,)
    return core


# --- construction and access ---


def test_make_tuple_checks_its_leaves() -> None:
    assert tla.make_tuple() == ()
    assert same_static(tla.make_tuple(_4, (2, ())), (_4, (2, ())))
    for bad in (True, 4.0, "4", None, [4], {4}):
        with pytest.raises(LeafError, match="expected an int, got"):
            tla.make_tuple(2, (bad,))


def test_a_list_is_told_what_to_be() -> None:
    with pytest.raises(LeafError, match=r"list \[2, 3\]\n  Write a tuple, not a list\."):
        tla.make_tuple([2, 3])


def test_numpy_ints_become_ints() -> None:
    np = pytest.importorskip("numpy")
    x = tla.make_tuple(np.int32(4), (np.uint64(2**63),))
    assert x == (4, (2**63,))
    assert [type(i) for i in flatten(x)] == [int, int]
    with pytest.raises(LeafError):
        tla.make_tuple(np.bool_(True))


def test_nesting_has_a_limit() -> None:
    assert as_int_tuple(nest(MAX_DEPTH)) == nest(MAX_DEPTH)
    with pytest.raises(LayoutError, match="nested deeper than 100 levels"):
        as_int_tuple(nest(MAX_DEPTH + 1))
    with pytest.raises(LayoutError):
        tla.make_tuple(nest(DEEP))


@pytest.mark.parametrize(
    "f",
    [
        tla.product,
        tla.rank,
        tla.depth,
        tla.size,
        flatten,
        tla.to_text,
        tla.is_static,
        tla.static_mask,
        tla.product_each,
        tla.max_,
        tla.unwrap,
        tla.compact_col_major,
        lambda x: get(x, 0, 0),
        lambda x: congruent(x, x),
        lambda x: weakly_congruent(x, x),
        lambda x: compatible(x, x),
        lambda x: shape_div(x, 2),
        lambda x: tla.add(x, x),
        lambda x: tla.inner_product(x, x),
        lambda x: tla.unflatten((1,), x),
        lambda x: tla.transform_leaf(abs, x),
    ],
)
def test_no_function_runs_out_of_stack(f: Callable[[Any], Any]) -> None:
    """A tuple deeper than the limit gives an answer or an error of the library, at any depth."""
    try:
        f(nest(DEEP))
    except tla.TlaError as error:
        assert len(str(error)) < 1000  # noqa: PT017


@given(int_tuples())
def test_rank_and_depth(x: Any) -> None:
    is_tuple = isinstance(x, tuple)
    assert same_static(tla.rank(x), Int(len(x) if is_tuple else 1))
    assert same_static(tla.depth(x), Int(1 + max(map(tla.depth, x), default=0) if is_tuple else 0))


def test_paths() -> None:
    assert (get(NESTED, 0), get(NESTED, 1, 1, 0), get(NESTED, 2, 0, 0)) == ((4, 2), 3, 7)
    assert (tla.rank(NESTED, 1), tla.depth(NESTED, 1), tla.size(NESTED, 1)) == (2, 2, 120)
    assert get(_4, 0) is _4


@pytest.mark.parametrize("path", [(3,), (-1,), (1, 2), (2, 1), (1, 1, -1)])
def test_there_is_no_such_mode(path: tuple[int, ...]) -> None:
    with pytest.raises(CoordinateError, match=rf"there is no mode {path[-1]} in .*\n.*modes count") as e:
        get(NESTED, *path)
    assert isinstance(e.value, IndexError)
    assert e.value.path == path


# --- profile ---


@given(int_tuples(), st.data())
def test_unflatten_is_the_inverse_of_flatten(x: Any, data: st.DataObject) -> None:
    assert same_static(unflatten(flatten(x), x), x)
    leaves = data.draw(st.lists(st.integers(), min_size=(n := len(flatten_to_tuple(x))), max_size=n))
    assert flatten_to_tuple(unflatten(tuple(leaves), x)) == tuple(leaves)
    assert congruent(unflatten(tuple(leaves), x), x)


def test_flatten_of_an_int_is_the_int() -> None:
    assert (flatten(7), flatten_to_tuple(7), flatten(()), flatten(((), (7,)))) == (7, (7,), (), (7,))


@pytest.mark.parametrize(("flat", "profile"), [((1, 2), 0), ((1,), (0, 0)), ((), 0), ((1, 2), ((0,),))])
def test_unflatten_needs_as_many_leaves(flat: Any, profile: Any) -> None:
    with pytest.raises(CongruenceError, match=r"has \d leaves, the profile"):
        unflatten(flat, profile)


@given(int_tuples(), int_tuples(), int_tuples())
def test_congruence_is_an_equivalence(a: Any, b: Any, c: Any) -> None:
    assert congruent(a, a)
    assert congruent(a, b) is congruent(b, a)
    assert not (congruent(a, b) and congruent(b, c)) or congruent(a, c)
    assert congruent(a, b) is (tla.repeat_like(a, 0) == tla.repeat_like(b, 0))


@given(int_tuples(), int_tuples(), int_tuples())
def test_weak_congruence_is_an_order_of_profiles(a: Any, b: Any, c: Any) -> None:
    assert weakly_congruent(a, a)
    assert weakly_congruent(0, a)
    assert (weakly_congruent(a, b) and weakly_congruent(b, a)) is congruent(a, b)
    assert not (weakly_congruent(a, b) and weakly_congruent(b, c)) or weakly_congruent(a, c)


few = shapes(max_size=6, max_rank=2, min_extent=1, static=False)


@given(few, few, few)
def test_compatible_is_an_order_that_refines_size(a: Any, b: Any, c: Any) -> None:
    assert compatible(a, a)
    assert not compatible(a, b) or naive_size(a) == naive_size(b)
    assert not compatible(a, b) or weakly_congruent(a, b)
    assert not (compatible(a, b) and compatible(b, a)) or a == b
    assert not (compatible(a, b) and compatible(b, c)) or compatible(a, c)
    assert compatible(naive_size(a), a)


@given(few, few)
def test_coordinates_of_a_compatible_shape_are_coordinates(a: Any, b: Any) -> None:
    if compatible(a, b):
        assert [tla.crd2idx(c, b) for c in naive_coords(a)] == list(range(naive_size(b)))


@pytest.mark.parametrize(
    ("a", "b"), [((2, 8, 4), (2, (8, 4))), ((5, 8), ((5, 8),)), ((4,), 4), ((2, 2), 4), ((6, 4), (4, 6))]
)
def test_not_compatible(a: Any, b: Any) -> None:
    assert not compatible(a, b)


# --- maps, folds, products ---


@given(int_tuples())
def test_folds_read_from_left_to_right(x: Any) -> None:
    assert tla.fold_leaf(lambda seen, i: (*seen, i), (), x) == flatten_to_tuple(x)
    assert tla.transform_leaf(lambda i: i, x) == x


def test_transform_takes_several_tuples() -> None:
    assert tla.transform_leaf(lambda a, b, c: a + b * c, (1, (2,)), (10, (20,)), (2, (3,))) == (
        21,
        (62,),
    )
    for other in ((1, 2), 5, (1, (2, 3))):
        with pytest.raises(CongruenceError, match="different profiles"):
            tla.transform_leaf(max, (1, (2,)), other)
    with pytest.raises(CongruenceError):
        tla.transform_leaf(max, 1, (2,))


@given(shapes(min_extent=0))
def test_sizes(x: Any) -> None:
    assert tla.size(x) == tla.product(x) == naive_size(x) == len(naive_coords(x))
    assert tla.is_static(tla.product(x)) == tla.is_static(x)
    assert tla.product(tla.product_each(x)) == tla.product(x)
    assert tla.product_like(x, x) == x
    assert tla.product_like(x, 0) == tla.product(x)


def test_product_like_needs_a_coarser_profile() -> None:
    for profile in ((0, 0, 0), ((0, 0), 0)):
        with pytest.raises(CongruenceError):
            tla.product_like((4, (2, 3)), profile)


@given(int_tuples(), st.data())
def test_inner_product_is_a_sum_of_products(a: Any, data: st.DataObject) -> None:
    b = tla.transform_leaf(lambda _i: data.draw(st.integers(-9, 9)), a)
    pairs = zip(flatten_to_tuple(a), flatten_to_tuple(b), strict=True)
    assert tla.inner_product(a, b) == sum(x * y for x, y in pairs)
    assert tla.is_static(tla.inner_product(_2, _3))
    assert same_static(tla.inner_product((_2, (_3,)), (_4, (_1,))), Int(11))


def test_elem_scale_multiplies_by_products() -> None:
    assert tla.elem_scale((2, (3, 4)), ((4, 5), (6, 7))) == (40, (18, 28))
    bad: list[Any] = [((2, 3), 4), ((2, 3), (4, 5, 6)), ((2,), ())]
    for a, b in bad:
        with pytest.raises(CongruenceError):
            tla.elem_scale(a, b)


# --- division ---


@given(st.integers(1, 60), st.integers(1, 60))
def test_shape_div_of_ints(a: int, b: int) -> None:
    if a % b == 0 or b % a == 0:
        assert shape_div(a, b) == max(1, a // b)
        assert same_static(shape_div(Int(a), Int(b)), Int(max(1, a // b)))
        assert not tla.is_static(shape_div(Int(a), b))
        assert not tla.is_static(shape_div(a, Int(b)))
    else:
        with pytest.raises(DivisibilityError, match=r"neither of .* divides the other"):
            shape_div(a, b)


@given(shapes(max_size=24), st.integers(1, 24))
def test_shape_div_takes_elements_off_the_front(a: Any, b: int) -> None:
    try:
        got = shape_div(a, b)
    except DivisibilityError:
        return
    assert congruent(got, a)
    assert b % naive_size(a) == 0 or naive_size(got) * b == naive_size(a)


def test_shape_div_by_shapes() -> None:
    assert shape_div((8, (6, 4)), (2, (3, 8))) == (4, (2, 1))
    assert shape_div((8, (6, 4)), (2, 12)) == (4, (1, 2))
    assert shape_div(24, (2, (3, 2))) == 2
    assert same_static(shape_div((_4, _2), _8), (_1, _1))
    with pytest.raises(CongruenceError):
        shape_div((8, 6), (2, 3, 1))
    for zero in (0, Int(0)):
        with pytest.raises(DivisibilityError):
            shape_div(4, zero)


def test_shape_div_of_nothing_is_nothing() -> None:
    assert shape_div(0, 4) == 0  # 4 divides 0
    assert shape_div((0, 6), (4, 2)) == (0, 3)
    assert same_static(shape_div(Int(0), _4), Int(0))


def test_evenly_divides() -> None:
    assert tla.evenly_divides(((4, 2), 6), (8, 3))
    assert not tla.evenly_divides(((4, 2), 6), (3, 3))
    assert not tla.evenly_divides((8, 6), (2, 3, 1))
    assert not tla.evenly_divides(8, (2, 4))
    assert tla.evenly_divides((0, 4), (2, 4))


def test_shapes_of_many_modes_are_no_deeper_for_it() -> None:
    wide = tuple(range(1, 2000))
    assert unflatten(flatten(wide), wide) == wide
    assert congruent(wide, wide)
    assert tla.size(tla.repeat(1, 5000)) == 1


@pytest.mark.parametrize(
    ("call", "a", "b"),
    [
        (tla.shape_div, (2, 3), (2, 3, 4)),
        (tla.elem_scale, (2, 3), (2, 3, 4)),
        (tla.elem_scale, (2, 3), 4),
        (tla.inner_product, (2, 3), (2, 3, 4)),
        (tla.product_like, (2, 3), (2, 3, 4)),
    ],
)
def test_profiles_that_differ_are_named_in_the_order_of_the_arguments(call: Any, a: Any, b: Any) -> None:
    with pytest.raises(tla.CongruenceError) as caught:
        call(a, b)
    text = f"{tla.to_text(a)} and {tla.to_text(b)} have different profiles"
    assert (caught.value.a, caught.value.b, caught.value.summary) == (a, b, text)


# --- search, and maps over modes ---


def paths(x: Any) -> list[tuple[Any, Any]]:
    """Each leaf with the path to it."""
    if not isinstance(x, tuple):
        return [((), x)]
    return [((i, *path), leaf) for i, part in enumerate(x) for path, leaf in paths(part)]


@given(int_tuples(), st.data())
def test_the_first_place_of_an_int(x: Any, data: st.DataObject) -> None:
    leaves = flatten_to_tuple(x)
    for wanted in {*leaves, 10**6}:
        at = tla.find(x, wanted)
        first = next((path or (0,) for path, leaf in paths(x) if leaf == wanted), None)
        assert at == (first[0] if first and len(first) == 1 else first)


@pytest.mark.parametrize(
    ("shape", "stride", "leading"),
    [
        ((8, 4), (4, 1), 1),
        (8, 1, 0),
        (8, 2, None),
        ((1, 8), (1, 1), 1),
        ((8, (2, 2)), (4, (2, 1)), (1, 1)),
        ((M, N), (N, 1), 1),
        ((M, N), (1, M), 0),
        ((8, 4), (tla.E(0), tla.E(1)), None),
        ((), (), None),
    ],
)
def test_the_leading_mode(shape: Any, stride: Any, leading: Any) -> None:
    assert tla.leading_dim(shape, stride) == leading
    for mode in range(int(tla.rank(stride))):
        first = next(iter(flatten_to_tuple(get(stride, mode))))
        assert tla.is_major(mode, stride) is (type(first) is int and first == 1)


def test_what_leads_fits_the_shape() -> None:
    with pytest.raises(CongruenceError, match="not congruent"):
        tla.leading_dim((8, 4), (8, (4, 1)))
    with pytest.raises(CoordinateError):
        tla.is_major(2, (8, 1))
    assert not tla.is_major(0, ((), 1))


def test_functions_of_modes() -> None:
    """The modes, not the leaves, as in C++."""
    x, y = (4, (2, 3), 8), (1, (0, 4), 16)
    assert tla.transform_apply(x, y, f=lambda *at: at, g=lambda *every: every) == tuple(
        zip(x, y, strict=True)
    )
    assert tla.transform_apply(5, 7, f=lambda a, b: a * b, g=lambda n: n + 1) == 36
    assert tla.filter_tuple(x, f=lambda mode: mode if isinstance(mode, tuple) else ()) == (2, 3)
    assert tla.filter_tuple(x, y, f=lambda a, b: (a,) if b == 1 else ()) == (4,)
    assert tla.filter_tuple(x, f=lambda mode: mode) == (4, 2, 3, 8)
    for other in ((1, 2), 3):
        with pytest.raises(CongruenceError, match=r"differ in the number of modes"):
            tla.filter_tuple(x, other, f=lambda a, b: ())
