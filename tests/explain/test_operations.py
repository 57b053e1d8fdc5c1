"""The steps of operations: they add up to the result, which is that of the operation; plain values."""

import pickle
import random
from collections.abc import Callable, Iterator
from itertools import groupby, pairwise
from math import prod
from typing import Any

import pytest
from cases import share
from hypothesis import assume, given, settings, strategies as st

import tla
from tla import Int, Layout, TlaError, UnsupportedError, _, algebra, parse, same_static
from tla.explain import (
    EXPLAINED,
    CoalesceStep,
    ComplementStep,
    CompositionStep,
    Explanation,
    InverseStep,
    explain,
)
from tla.explain.sentences import _LAWS
from tla.layouts.int_tuple import flatten_to_tuple
from tla.layouts.layout import AnyLayout
from tla.layouts.swizzle import ComposedLayout, Swizzle
from tla.numbers import sym
from tla.testing import int_tuples, layouts, naive_extended, naive_offsets

DIVISIONS = ["logical_divide", "zipped_divide", "tiled_divide", "flat_divide"]
GATHERED_PRODUCTS = ["logical_product", "zipped_product", "tiled_product", "flat_product"]
OPERATIONS = [
    "coalesce",
    "composition",
    "complement",
    "right_inverse",
    "left_inverse",
    *DIVISIONS,
    *GATHERED_PRODUCTS,
    "blocked_product",
    "raked_product",
]


def steps_of(operation: str, *texts: str) -> tuple[Any, ...]:
    """The steps of an operation on layouts in notation."""
    return explain(operation, *map(parse, texts)).steps


# --- worked examples --------------------------------------------------------------------------


def test_a_composition() -> None:
    """CuTe 02_layout_algebra.md, "Composition", the first example."""
    found = explain("composition", parse("(6,2):(8,2)"), parse("(4,3):(3,1)"))
    assert str(found.result) == "((2,2),3):((24,2),8)"
    assert found.steps == (
        CompositionStep(0, 4, 3, 0, 6, 8, "split", parse("2:24")),
        CompositionStep(0, 2, 1, 1, None, 2, "fit", parse("2:2")),
        CompositionStep(1, 3, 1, 0, 6, 8, "fit", parse("3:8")),
    )
    assert (found.parts, found.notes) == ((), ())


def test_a_composition_passes_modes_that_the_stride_covers() -> None:
    assert steps_of("composition", "(4,2,3):(2,1,8)", "3:8") == (
        CompositionStep(0, 3, 8, 0, 4, 2, "pass", None),
        CompositionStep(0, 3, 2, 1, 2, 1, "pass", None),
        CompositionStep(0, 3, 1, 2, None, 8, "fit", parse("3:8")),
    )


def test_a_mode_that_stays_takes_no_mode_of_the_left_side() -> None:
    assert steps_of("composition", "(6,2):(8,2)", "(2,3):(0,1)") == (
        CompositionStep(0, 2, 0, None, None, 0, "fit", parse("2:0")),
        CompositionStep(1, 3, 1, 0, 6, 8, "fit", parse("3:8")),
    )


def test_modes_of_size_1_are_steps_too() -> None:
    assert steps_of("composition", "(6,2):(8,2)", "(1,1):(1,6)") == (
        CompositionStep(0, 1, 1, 0, 6, 8, "fit", parse("1:8")),
        CompositionStep(1, 1, 6, 0, 6, 8, "pass", None),
        CompositionStep(1, 1, 1, 1, None, 2, "fit", parse("1:2")),
    )


def test_the_left_side_is_coalesced_first_and_that_is_said() -> None:
    found = explain("composition", parse("(2,3,4):(1,2,100)"), parse("6:1"))
    assert found.notes == ("A coalesces to (6,4):(1,100)",)
    assert found.steps == (CompositionStep(0, 6, 1, 0, 6, 1, "fit", parse("6:1")),)


def test_a_search_leaves_stretches_on_which_the_left_side_is_linear() -> None:
    """Carries that cancel each other: the walk over whole digits does not decide this one."""
    found = explain("composition", parse("(2,2,2):(1,3,5)"), parse("(2,2):(1,3)"))
    assert str(found.result) == "(2,2):(1,4)"
    assert [(s.mode, s.shape, s.stride, s.action, str(s.taken)) for s in found.steps] == [
        (0, 2, 1, "run", "2:1"),
        (1, 2, 3, "run", "2:4"),
    ]
    assert all(s.left is s.left_shape is s.left_stride is None for s in found.steps)
    (note,) = found.notes
    assert "A is linear" in note


def test_a_complement() -> None:
    """CuTe 02_layout_algebra.md, "Complement"."""
    assert explain("complement", parse("(2,2):(1,6)"), 24).steps == (
        ComplementStep(2, 1, 1, 1, None),
        ComplementStep(2, 6, 2, 3, parse("3:2")),
        ComplementStep(None, None, 12, 2, parse("2:12")),
    )


def test_a_complement_without_a_target_has_nothing_above_the_last_mode() -> None:
    found = explain("complement", parse("4:2"))
    assert found.steps == (
        ComplementStep(4, 2, 1, 2, parse("2:1")),
        ComplementStep(None, None, 8, 1, None),
    )
    assert found.arguments == (parse("4:2"),)


def test_a_gap_that_is_no_whole_block_is_no_mode() -> None:
    """The offset 4 stays free: a block of 4 does not fit below 5."""
    assert explain("complement", parse("(4,2):(1,5)"), 24).steps == (
        ComplementStep(4, 1, 1, 1, None),
        ComplementStep(2, 5, 4, 1, None),
        ComplementStep(None, None, 10, 3, parse("3:10")),
    )


def test_a_coalescing() -> None:
    """CuTe 02_layout_algebra.md, "Coalesce"."""
    assert steps_of("coalesce", "(2,(1,6)):(1,(7,2))") == (
        CoalesceStep(2, 1, "keep", parse("2:1")),
        CoalesceStep(1, 7, "skip", parse("2:1")),
        CoalesceStep(6, 2, "merge", parse("12:1")),
    )


def test_a_mode_of_size_1_at_the_start_is_skipped() -> None:
    assert steps_of("coalesce", "(1,2,3):(5,1,7)") == (
        CoalesceStep(1, 5, "skip", parse("1:0")),
        CoalesceStep(2, 1, "keep", parse("2:1")),
        CoalesceStep(3, 7, "keep", parse("(2,3):(1,7)")),
    )


def test_coalescing_by_mode_has_a_part_for_each_mode() -> None:
    layout: Any = parse("((4,2),(4,3),5):((1,4),(8,32),1)")
    found = explain("coalesce", layout, (1, 1))
    assert str(found.result) == "(8,12,5):(1,8,1)"
    assert [str(part.result) for part in found.parts] == ["8:1", "12:8"]
    assert (found.steps, found.arguments) == ((), (layout, (1, 1)))


def test_a_right_inverse() -> None:
    assert steps_of("right_inverse", "(4,8):(8,1)") == (
        InverseStep(8, 1, 4, 1, parse("8:4")),
        InverseStep(4, 8, 1, 8, parse("4:1")),
    )


def test_a_right_inverse_leaves_out_what_is_beyond_the_first_gap() -> None:
    assert steps_of("right_inverse", "(4,8):(1,5)") == (
        InverseStep(4, 1, 1, 1, parse("4:1")),
        InverseStep(8, 5, 4, 4, None),
    )


def test_a_right_inverse_cuts_modes_that_overlap() -> None:
    assert steps_of("right_inverse", "(4,4):(1,2)") == (
        InverseStep(4, 1, 1, 1, parse("2:1")),
        InverseStep(4, 2, 4, 2, parse("4:4")),
    )


def test_a_left_inverse() -> None:
    assert steps_of("left_inverse", "(4,8):(1,5)") == (
        InverseStep(4, 1, 1, None, parse("5:1")),
        InverseStep(8, 5, 4, None, parse("8:4")),
    )


def test_a_left_inverse_begins_with_what_lies_below_all_strides() -> None:
    assert steps_of("left_inverse", "(4,2):(6,59)") == (
        InverseStep(None, None, 0, None, parse("6:0")),
        InverseStep(4, 6, 1, None, parse("9:1")),
        InverseStep(2, 59, 4, None, parse("2:4")),
    )
    assert steps_of("left_inverse", "(2,4):(0,3)") == (
        InverseStep(None, None, 0, None, parse("3:0")),
        InverseStep(4, 3, 2, None, parse("4:2")),
    )


SEARCHED = "its strides do not divide each other: a search found these extents"


def test_a_left_inverse_that_a_search_found_has_no_steps_by_mode() -> None:
    found = explain("left_inverse", parse("(7,2):(3,5)"))
    assert (found.result, found.steps, found.notes) == (Layout((3, 8), (3, 1)), (), (SEARCHED,))


@pytest.mark.parametrize("operation", ["right_inverse", "left_inverse"])
def test_an_inverse_is_that_of_the_coalesced_layout_and_that_is_said(operation: str) -> None:
    found = explain(operation, parse("(2,2,3):(1,2,7)"))
    assert found.notes == ("it coalesces to (4,3):(1,7)",)
    assert [(step.shape, step.stride) for step in found.steps] == [(4, 1), (3, 7)]
    assert explain(operation, parse("(4,3):(1,7)")).notes == ()
    assert explain(operation, parse("():()")).notes == ()


def test_a_division_is_a_complement_and_a_composition() -> None:
    """CuTe 02_layout_algebra.md, "Logical divide 1-D example"."""
    found = explain("logical_divide", parse("(4,2,3):(2,1,8)"), parse("4:2"))
    assert str(found.result) == "((2,2),(2,3)):((4,1),(2,8))"
    rest, both = found.parts
    assert (rest.operation, rest.arguments, str(rest.result)) == (
        "complement",
        (parse("4:2"), 24),
        "(2,3):(1,8)",
    )
    assert (both.operation, *map(str, both.arguments)) == (
        "composition",
        "(4,2,3):(2,1,8)",
        "(4,(2,3)):(2,(1,8))",
    )
    assert found.steps == ()


def test_a_product_is_a_complement_and_a_composition() -> None:
    """CuTe 02_layout_algebra.md, "Logical product 1-D example"."""
    found = explain("logical_product", parse("(2,2):(4,1)"), parse("6:1"))
    assert str(found.result) == "((2,2),(2,3)):((4,1),(2,8))"
    rest, copies = found.parts
    assert (rest.operation, rest.arguments) == ("complement", (parse("(2,2):(4,1)"), 24))
    assert (copies.operation, *map(str, copies.arguments)) == ("composition", "(2,3):(2,8)", "6:1")
    assert (rest.notes, copies.notes) == ((), ())


def test_the_last_mode_of_what_is_free_stays_where_a_product_goes_on_from_it() -> None:
    rest, copies = explain("logical_product", parse("(2,2,2):(1,3,9)"), 2).parts
    assert rest.steps[-1] == ComplementStep(None, None, 18, 1, parse("1:18"))
    assert rest.notes == ("its last mode stays, to go on from there",)
    assert (str(rest.result), str(copies.result)) == ("1:18", "2:18")


# --- which operations there are ---------------------------------------------------------------


@pytest.mark.parametrize("name", ["composition", "compose", algebra.composition, tla.composition])
def test_an_operation_is_named_or_given_itself(name: Any) -> None:
    a, b = parse("(6,2):(8,2)"), parse("(4,3):(3,1)")
    assert explain(name, a, b) == explain("composition", a, b)


def test_the_operations_with_steps() -> None:
    assert set(EXPLAINED) == set(OPERATIONS) == set(_LAWS)


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        ("composition", {"a": parse("(6,2):(8,2)"), "b": parse("(4,3):(3,1)")}),
        ("complement", {"layout": parse("4:2"), "cotarget": 24}),
        ("right_inverse", {"layout": parse("(4,8):(8,1)")}),
        ("logical_divide", {"layout": parse("8:1"), "tiler": 2}),
        ("coalesce", {"layout": parse("(2,4):(1,2)")}),
        ("coalesce", {"layout": parse("(2,4):(1,2)"), "profile": (1, 1)}),
        ("logical_divide", {"layout": parse("8:1"), "tiler": (2,)}),
        ("zipped_divide", {"layout": parse("8:1"), "tiler": 2}),
        ("raked_product", {"block": parse("2:1"), "tiler": parse("3:1")}),
    ],
)
def test_arguments_may_be_given_by_name(operation: str, arguments: dict[str, Any]) -> None:
    """In any order, and the first ones by place."""
    first, *_rest = arguments.values()
    rest = {name: x for name, x in arguments.items() if x is not first}
    plain = explain(operation, *arguments.values())
    assert explain(operation, **arguments) == plain
    assert explain(operation, **dict(reversed(arguments.items()))) == plain
    assert explain(operation, first, **rest) == plain
    assert plain.options == ()


@pytest.mark.parametrize(
    ("operation", "more", "option"),
    [
        ("composition", [8], {"extend": False}),
        ("composition", [8], {"extend": True}),
        ("composition", [(2,)], {"extend": False}),
        *[(operation, [4], {"exact": True}) for operation in DIVISIONS],
        *[(operation, [(4,)], {"exact": True}) for operation in DIVISIONS],
    ],
)
def test_options_are_kept_and_reach_the_parts(
    operation: str, more: list[Any], option: dict[str, bool]
) -> None:
    found = explain(operation, parse("8:1"), *more, **option)
    assert found.options == tuple(option.items())
    ((name, value),) = option.items()
    assert found.figure().title.endswith(f", {name}={str(value).lower()})")
    for one in all_of(found):
        taken = "extend" if one.operation == "composition" else "exact"
        assert one.options in ((), ((taken, option.get(taken)),))


@pytest.mark.parametrize(
    "unknown_name", ["", "compos", "_coalesce", "tile_to_shape", "explain", tla.size, print, 3, None]
)
def test_what_has_no_steps_is_refused_with_what_has(unknown_name: Any) -> None:
    with pytest.raises(UnsupportedError) as caught:
        explain(unknown_name, parse("4:2"))
    name = getattr(unknown_name, "__name__", unknown_name)
    assert caught.value.summary == f"there are no steps of {str(name)!r} to show"
    assert all(operation in str(caught.value) for operation in OPERATIONS)


# --- the result is that of the operation ------------------------------------------------------


def leaf_like(rng: random.Random, kind: str, n: int) -> int:
    return Int(n) if kind == "static" or (kind == "mixed" and rng.random() < 0.5) else n


def a_shape(rng: random.Random, kind: str, depth: int = 2) -> Any:
    if depth and rng.random() < 0.7:
        return tuple([a_shape(rng, kind, depth - 1) for _mode in range(rng.choice((1, 2, 2, 3)))])
    return leaf_like(rng, kind, rng.choice((0, 1, 1, 2, 2, 2, 3, 4, 4, 6, 8)))


def a_stride(rng: random.Random, kind: str, shape: Any, packed: Iterator[int] | None) -> Any:
    if isinstance(shape, tuple):
        return tuple([a_stride(rng, kind, s, packed) for s in shape])
    return leaf_like(rng, kind, rng.randint(-2, 12) if packed is None else next(packed))


def a_layout(rng: random.Random, kind: str = "dynamic") -> AnyLayout:
    """Half of them packed in some order, so that much of the algebra has an answer."""
    shape = a_shape(rng, kind)
    leaves = [int(s) for s in flatten_to_tuple(shape)]
    order = sorted(range(len(leaves)), key=lambda _i: rng.random())
    steps = [0] * len(leaves)
    for place, i in enumerate(order):
        steps[i] = prod(leaves[j] for j in order[:place])
    return Layout(shape, a_stride(rng, kind, shape, iter(steps) if rng.random() < 0.6 else None))


def a_tiler(rng: random.Random, kind: str, layout: AnyLayout, depth: int = 2) -> Any:
    """A tiler for a layout: an int, a layout, or a tuple with `_` and None in it."""
    if depth and isinstance(layout.shape, tuple) and rng.random() < 0.5:
        modes = [Layout(s, d) for s, d in zip(layout.shape, layout.stride, strict=True)]
        some = modes[: rng.randint(0, len(modes))]
        return tuple([rng.choice((_, None, *[a_tiler(rng, kind, m, depth - 1)] * 4)) for m in some])
    if rng.random() < 0.5:
        return leaf_like(rng, kind, rng.choice((1, 2, 2, 3, 4, 6)))
    return a_layout(rng, kind)


def arguments_of(rng: random.Random, operation: str) -> list[Any]:
    kinds = rng.choice(("dynamic", "dynamic", "static", "mixed", "both"))
    kind, other = ("static", "dynamic") if kinds == "both" else (kinds, kinds)
    layout = a_layout(rng, kind)
    if operation == "coalesce":
        rank = len(layout.shape) if isinstance(layout.shape, tuple) else 1
        return [layout, rng.choice((None, None, (1,) * rank, (1,) * (rank // 2), (_, 1)))]
    if operation == "complement":
        return [layout, rng.choice((None, 1, 24, 36, 64, (6, 4), Int(48)))]
    if operation.endswith("inverse"):
        return [layout]
    if operation in ("blocked_product", "raked_product"):
        return [layout, a_layout(rng, other)]
    return [layout, a_tiler(rng, other, layout)]


Outcome = tuple[Any, str]


def outcome(f: Callable[..., Any], *arguments: Any, **options: Any) -> Outcome:
    """The value of an operation, or the type and text of its error."""
    try:
        return f(*arguments, **options), ""
    except TlaError as error:
        return type(error), str(error)


@pytest.mark.parametrize("count", [60, pytest.param(500, marks=pytest.mark.slow)])
@pytest.mark.parametrize("operation", OPERATIONS)
def test_explaining_does_not_change_the_answer(operation: str, count: int) -> None:
    """Thousands of inputs: the operation, which takes its fast paths, and the explanation agree."""
    rng = random.Random(operation)
    answers = 0
    for _case in range(count):
        arguments = arguments_of(rng, operation)
        plain, text = outcome(getattr(algebra, operation), *arguments)
        explained, explained_text = outcome(explain, operation, *arguments)
        if text:
            assert (explained, explained_text) == (plain, text), arguments
            continue
        answers += 1
        assert isinstance(explained, Explanation)
        assert same_static(explained.result, plain), arguments
        assert explained.operation == operation
        assert explained.figure().result == str(plain)
    assert answers > count / 5


@pytest.mark.parametrize("operation", ["composition", *DIVISIONS])
def test_options_are_those_of_the_operation(operation: str) -> None:
    """The random layouts again, with a last mode that may not grow."""
    options = {"extend": False} if operation == "composition" else {"exact": True}
    rng = random.Random(operation)
    kinds = set()
    for _case in range(300):
        layout = a_layout(rng)
        tiler = rng.choice((a_layout(rng), rng.choice((1, 2, 3, 4))))
        plain = outcome(getattr(algebra, operation), layout, tiler, **options)
        explained, text = outcome(explain, operation, layout, tiler, **options)
        same = explained if text else explained.result
        assert (same, text) == plain, (layout, tiler)
        kinds.add(plain[0] if plain[1] else "answer")
    assert len(kinds) > 2


# --- steps that add up ------------------------------------------------------------------------

SHAPES = int_tuples(st.sampled_from([1, 2, 2, 2, 3, 4, 6]), max_rank=3)
LAYOUTS = layouts(SHAPES, max_stride=12)
BACKWARDS = layouts(SHAPES, min_stride=-6, max_stride=12)


def explained(operation: str, *arguments: Any, **options: Any) -> Explanation:
    """The explanation of an operation that has an answer; other arguments are drawn anew."""
    try:
        return explain(operation, *arguments, **options)
    except TlaError:
        assume(False)
        raise


def all_of(found: Explanation) -> list[Explanation]:
    """An explanation and all those that it is made of."""
    return [found, *(x for part in found.parts for x in all_of(part))]


def modes(layout: AnyLayout) -> list[AnyLayout]:
    """The modes at the top, each a layout; a layout of an int is its only mode."""
    if not isinstance(layout.shape, tuple):
        return [layout]
    return [Layout(s, d) for s, d in zip(layout.shape, layout.stride, strict=True)]


def row(parts: list[AnyLayout]) -> AnyLayout:
    return Layout(tuple(x.shape for x in parts), tuple(x.stride for x in parts))


def leaves(layout: AnyLayout) -> list[tuple[int, int]]:
    flat = zip(flatten_to_tuple(layout.shape), flatten_to_tuple(layout.stride), strict=True)
    return [(int(s), int(d)) for s, d in flat]


def parts_by_leaf(profile: Any, result: AnyLayout) -> list[list[tuple[int, int]]]:
    """The modes of a result that stand for each leaf of a profile that it refines."""
    if not isinstance(profile, tuple):
        return [leaves(result)]
    parts = modes(result)
    assert len(parts) == len(profile)
    return [x for p, part in zip(profile, parts, strict=True) for x in parts_by_leaf(p, part)]


def can_grow(a: AnyLayout) -> bool:
    """Whether every index has an offset: a last leaf there is, and no mode before it is empty."""
    try:
        naive_extended(a, 10**6)
    except IndexError:
        return False
    return True


def check_composition(found: Explanation) -> None:
    """Read the steps as a calculation on paper, each from the one before."""
    a, b = found.arguments
    assert found.operation == "composition"
    prefix = "A coalesces to "
    said = [note.removeprefix(prefix) for note in found.notes if note.startswith(prefix)]
    cut = [note for note in found.notes if "A is linear" in note]
    assert len(found.notes) == len(said) + len(cut)
    assert len(cut) <= any(step.action == "run" for step in found.steps)
    left: Any = parse(said[0]) if said else a
    for i in range(30 if can_grow(a) else a.size):  # what the steps call the left side is `a`
        assert naive_extended(left, i) == naive_extended(a, i)
    of_leaves = {mode: list(steps) for mode, steps in groupby(found.steps, key=lambda s: s.mode)}
    assert list(of_leaves) == list(range(len(leaves(b))))
    results = parts_by_leaf(b.shape, found.result)
    for leaf, (size, stride) in enumerate(leaves(b)):
        steps = of_leaves[leaf]
        if steps[0].action == "run":
            check_runs(steps, size, stride)
        else:
            check_digits(steps, size, stride, leaves(left))
        taken = [leaves(s.taken)[0] for s in steps if s.taken is not None]
        assert taken == results[leaf]
        check_offsets(taken, stride, a)


def check_digits(
    steps: list[CompositionStep], size: int, stride: int, left: list[tuple[int, int]]
) -> None:
    """The steps of one leaf, each over the next mode of the left side."""
    for i, step in enumerate(steps):
        assert (step.shape, step.stride) == (size, stride)
        if step.left is None:  # it stays
            assert (stride, step.left_shape, step.left_stride) == (0, None, 0)
        else:
            s, d = left[step.left]
            assert step.left == i
            assert step.left_shape == (None if i == len(left) - 1 else s)
            assert step.left_stride == d
        if step.action == "pass":
            assert step.taken is None
            assert stride % step.left_shape == 0
            stride //= step.left_shape
        elif step.action == "split":
            count = step.left_shape // stride
            assert (count * stride, size % count) == (step.left_shape, 0)
            assert step.taken == Layout(count, stride * step.left_stride)
            size, stride = size // count, 1
        else:
            assert step.action == "fit"
            assert step.taken == Layout(size, stride * step.left_stride)
            assert step.left_shape is None or (size - 1) * stride < step.left_shape
        assert (step.action == "fit") == (i == len(steps) - 1)


def check_runs(steps: list[CompositionStep], size: int, stride: int) -> None:
    """The stretches of one leaf: each begins where the one before ends."""
    for step in steps:
        assert step.action == "run"
        assert step.stride == stride
        assert step.taken is not None
        assert step.taken.shape == step.shape
        stride *= step.taken.size
    assert prod(step.taken.size for step in steps if step.taken is not None) == size


def check_offsets(taken: list[tuple[int, int]], stride: int, a: AnyLayout) -> None:
    """Each mode taken gives the offsets of the left side at the indices of the leaf."""
    weight = 1
    for size, step in taken:
        for c in range(size):
            assert naive_extended(a, c * weight * stride) == c * step
        weight *= size


@settings(max_examples=share(200))
@given(LAYOUTS, LAYOUTS)
def test_what_a_composition_takes_makes_its_result(a: Any, b: Any) -> None:
    check_composition(explained("composition", a, b))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("(2,2,2):(1,3,5)", "(2,2):(1,3)"),
        ("(2,2,2):(1,3,5)", "4:1"),
        ("(2,2,2):(1,3,4)", "2:3"),
        ("(6,4):(1,7)", "(2,1):(4,-3)"),  # a stride that is never stepped
        ("(4,2,3):(2,1,8)", "(4,(2,3)):(2,(1,8))"),
        ("(10,2):(16,4)", "(5,4):(1,5)"),
        ("20:2", "(5,4):(4,1)"),
        ("(2,6):(0,1)", "(2,3):(2,4)"),
        ("(4,1):(1,9)", "(4,3):(1,4)"),  # the last mode has size 1 and grows
        ("():()", "():()"),
        ("(6,2):(8,2)", "():()"),
    ],
)
def test_steps_of_searches_and_of_edges_add_up(a: str, b: str) -> None:
    found = outcome(explain, "composition", parse(a), parse(b))
    assert not found[1]
    check_composition(found[0])


def test_a_search_of_many_stretches_is_drawn_and_adds_up() -> None:
    """Random pairs that only the search decides: without them the property above may see none."""
    rng = random.Random(2)
    runs = 0
    while runs < share(15):
        a = Layout((2, 2, rng.choice((2, 4))), tuple(rng.randint(1, 6) for _mode in range(3)))
        b = Layout((2, 2), (rng.randint(1, 3), rng.randint(1, 7)))
        found, error = outcome(explain, "composition", a, b)
        if not error and any(step.action == "run" for step in found.steps):
            check_composition(found)
            runs += 1


@given(BACKWARDS, st.none() | st.integers(0, 100))
def test_the_gaps_are_the_modes_of_a_complement(layout: Any, target: int | None) -> None:
    found = explained("complement", layout, target)
    assert found.arguments == ((layout,) if target is None else (layout, target))
    *below, above = found.steps
    moving = [(s, d) for s, d in leaves(layout) if s != 1 and d != 0]
    assert [(step.shape, step.stride) for step in below] == sorted(moving, key=lambda mode: mode[1])
    end = 1
    for step in below:
        assert (step.end, step.gap) == (end, step.stride // end)
        end = step.shape * step.stride
    rest = 1 if target is None else -(-target // end)
    assert above[:-1] == (None, None, end, rest)
    for step in found.steps:
        assert step.taken == (None if step.gap == 1 else Layout(step.gap, step.end))
    taken = [leaves(step.taken)[0] for step in found.steps if step.taken is not None]
    assert leaves(found.result) == (taken or [(1, 0)])


@given(BACKWARDS)
def test_coalescing_reads_the_modes_from_left_to_right(layout: Any) -> None:
    found = explain("coalesce", layout)
    assert [(step.shape, step.stride) for step in found.steps] == leaves(layout)
    before: AnyLayout = Layout(1, 0)
    for i, step in enumerate(found.steps):
        read = Layout(*zip(*leaves(layout)[: i + 1], strict=True))
        now = step.so_far
        assert naive_offsets(now) == naive_offsets(read)
        assert not any(s * d == e for (s, d), (_s, e) in pairwise(leaves(now)))
        if step.action == "skip":
            assert step.shape == 1
            assert now == before
        elif step.action == "merge":
            assert leaves(now)[:-1] == leaves(before)[:-1]
            assert leaves(now)[-1] == (leaves(before)[-1][0] * step.shape, leaves(before)[-1][1])
        else:
            assert step.action == "keep"
            kept = leaves(before) if before.size != 1 else []
            assert leaves(now) == [*kept, (step.shape, step.stride)]
        before = now
    assert found.result == before


def check_indices(found: Explanation) -> list[InverseStep]:
    """The modes of the coalesced layout by stride, each with the index below it; return their steps."""
    (layout,) = found.arguments
    coalesced = algebra.coalesce(layout)
    note = f"it coalesces to {coalesced}"
    assert found.notes == (() if coalesced == layout or not leaves(layout) else (note,))
    flat = leaves(coalesced)
    index = {mode: prod(s for s, _d in flat[:i]) for i, mode in enumerate(flat)}
    moving = [(s, d) for s, d in flat if s != 1 and d != 0]
    steps = [step for step in found.steps if step.shape is not None]
    assert [(step.shape, step.stride) for step in steps] == sorted(moving, key=lambda mode: mode[1])
    if len(index) == len(flat):  # else two modes are the same
        assert [step.index for step in steps] == [index[step.shape, step.stride] for step in steps]
    taken = [step.taken for step in found.steps if step.taken is not None]
    assert [leaves(x)[0][1] for x in taken] == [s.index for s in found.steps if s.taken is not None]
    assert found.result == algebra.coalesce(row(taken))
    return steps


@given(BACKWARDS)
def test_the_modes_of_a_right_inverse(layout: Any) -> None:
    found = explain("right_inverse", layout)
    steps = check_indices(found)
    assert len(steps) == len(found.steps)
    end = 1
    for step in steps:
        assert step.end == end
        if step.taken is not None:
            assert step.stride == end  # it begins where the one before ends
            assert 1 <= step.taken.size <= step.shape
            end *= step.taken.size


@given(BACKWARDS)
def test_the_modes_of_a_left_inverse(layout: Any) -> None:
    found = explained("left_inverse", layout)
    if SEARCHED in found.notes:
        assert not found.steps
        return
    steps = check_indices(found)
    strides = [step.stride for step in steps if step.taken is not None]
    block = strides[0] if strides else 1  # offsets below the first stride count as 0
    below = (InverseStep(None, None, 0, None, Layout(block, 0)),) if block != 1 else ()
    assert found.steps == (*below, *steps)
    for step in steps:
        assert step.end is None
        if step.taken is not None:
            strides.pop(0)
            if strides:
                assert step.taken.shape == strides[0] // block
            block *= step.taken.shape


# --- parts that make the whole ----------------------------------------------------------------


def check_division(found: Explanation) -> None:
    layout, tiler = found.arguments
    rest, both = found.parts
    assert (rest.operation, rest.arguments) == ("complement", (tiler, layout.size))
    assert (both.operation, both.arguments) == ("composition", (layout, row([tiler, rest.result])))
    assert both.result == found.result
    check_composition(both)


def check_product(found: Explanation) -> None:
    block, tiler = found.arguments
    rest, copies = found.parts
    assert rest.operation == "complement"
    assert rest.arguments == (block, block.size * tiler.cosize)
    assert (copies.operation, copies.arguments) == ("composition", (rest.result, tiler))
    assert row([block, copies.result]) == found.result
    check_composition(copies)


CHECKS = {
    "composition": check_composition,
    "logical_divide": check_division,
    "logical_product": check_product,
}


def is_alone(tiler: object) -> bool:
    return tiler is None or tiler is _


def check_logical(found: Explanation) -> None:
    """A composition, division or product, by mode at any depth."""
    layout, tiler = found.arguments
    if not isinstance(tiler, tuple):
        CHECKS[found.operation](found)
        return
    parts = iter(found.parts)
    expected = []
    for mode, one in zip(modes(layout), tiler, strict=False):
        if is_alone(one):
            expected.append(mode)
            continue
        part = next(parts)
        assert (part.operation, part.arguments[0]) == (found.operation, mode)
        check_logical(part)
        expected.append(part.result)
    assert next(parts, None) is None
    if found.operation != "composition":  # which drops the modes past the tiler
        expected += modes(layout)[len(tiler) :]
    assert found.result == row(expected)


def gathered(found: Explanation) -> tuple[AnyLayout, AnyLayout]:
    """The tiles and the rests of a logical division or product, put together from its parts."""
    layout, tiler = found.arguments
    if not isinstance(tiler, tuple):
        first, second = modes(found.result)
        return first, second
    parts = iter(found.parts)
    both = [
        (Layout(1, 0), mode) if is_alone(one) else gathered(next(parts))
        for mode, one in zip(modes(layout), tiler, strict=False)
    ]
    rests = [second for _first, second in both] + modes(layout)[len(tiler) :]
    return row([first for first, _second in both]), row(rests)


def check_gathered(found: Explanation) -> None:
    (logical,) = found.parts
    form, kind = found.operation.split("_")
    assert logical.operation == f"logical_{kind}"
    check_logical(logical)
    tile, rest = gathered(logical)
    assert found.result == row(
        {
            "zipped": [tile, rest],
            "tiled": [tile, *modes(rest)],
            "flat": [*modes(tile), *modes(rest)],
        }[form]
    )


@st.composite
def layouts_with_tilers(draw: st.DrawFn) -> tuple[AnyLayout, Any]:
    """A layout and a tiler for it: by mode and by mode of a mode, or for the whole of it."""
    layout = draw(layouts(SHAPES, max_stride=12, compact=draw(st.booleans())))

    def tiler(mode: AnyLayout, depth: int) -> Any:
        if depth and isinstance(mode.shape, tuple) and draw(st.booleans()):
            count = draw(st.integers(0, len(mode.shape)))
            return tuple(
                [
                    draw(st.sampled_from([_, None]))
                    if draw(st.integers(0, 3)) == 0
                    else tiler(m, depth - 1)
                    for m in modes(mode)[:count]
                ]
            )
        return draw(st.sampled_from([1, 2, 2, 3, 4]) | layouts(SHAPES, max_stride=8))

    return layout, tiler(layout, 2)


@settings(max_examples=share(80))
@pytest.mark.parametrize(
    "operation",
    ["composition", "logical_divide", "logical_product"],
)
@given(case=layouts_with_tilers())
def test_the_parts_by_mode_make_the_whole(operation: str, case: tuple[Any, Any]) -> None:
    check_logical(explained(operation, *case))


@settings(max_examples=40)
@pytest.mark.parametrize(
    "operation",
    [*DIVISIONS[1:], *GATHERED_PRODUCTS[1:]],
)
@given(case=layouts_with_tilers())
def test_gathered_modes_are_those_of_the_logical_form(operation: str, case: tuple[Any, Any]) -> None:
    check_gathered(explained(operation, *case))


@pytest.mark.parametrize("operation", ["blocked_product", "raked_product"])
@given(block=layouts(SHAPES, compact=True), tiler=LAYOUTS)
def test_products_mode_by_mode_pair_block_and_copies(operation: str, block: Any, tiler: Any) -> None:
    found = explained(operation, block, tiler)
    (logical,) = found.parts
    check_logical(logical)
    pairs = list(zip(*map(modes, modes(logical.result)), strict=True))
    first = operation == "blocked_product"
    assert found.result == row([row([b, c] if first else [c, b]) for b, c in pairs])


def test_copies_lie_above_a_block_that_leaves_gaps() -> None:
    """The offsets 0 to 13 of the block; its copy begins at 18, though 16 would be size times cosize."""
    found = explain("logical_product", parse("(2,2,2):(1,3,9)"), 2)
    assert str(found.result) == "((2,2,2),2):((1,3,9),18)"
    assert str(found.parts[-1].result) == "2:18"
    check_product(found)


@pytest.mark.parametrize("tiler", [_, None], ids=str)
@pytest.mark.parametrize("operation", ["composition", *DIVISIONS, *GATHERED_PRODUCTS])
def test_a_whole_layout_that_is_left_alone(operation: str, tiler: Any) -> None:
    layout: Any = parse("(8,6):(1,8)")
    found = explain(operation, layout, tiler)
    assert found.result == getattr(algebra, operation)(layout, tiler)
    assert all(not one.steps for one in all_of(found))


SWIZZLE = Swizzle(2, 0, 3)
SWIZZLED = ComposedLayout(SWIZZLE, 0, Layout((8, 8), (8, 1)))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (SWIZZLE, Layout((8, 8), (8, 1))),
        (SWIZZLE, 8),
        (SWIZZLED, Layout(4, 2)),
        (SWIZZLED, 4),
        (SWIZZLED, _),
        (SWIZZLE, (8, 8)),
        (SWIZZLED, (2, Layout(4, 2))),
    ],
    ids=str,
)
def test_a_swizzle_has_no_modes_and_so_no_steps(a: Any, b: Any) -> None:
    found = explain("composition", a, b)
    assert found.result == algebra.composition(a, b)
    assert (found.arguments, found.steps, found.parts, found.notes) == ((a, b), (), (), ())
    figure = found.figure()
    assert (figure.rows, figure.columns, figure.result) == ((), (), str(found.result))


def test_modes_that_are_left_alone_have_no_part() -> None:
    layout: Any = parse("(8,6,4):(1,8,48)")
    for alone in (_, None):
        found = explain("logical_divide", layout, (alone, 3))
        assert str(found.result) == "(8,(3,2),4):(1,(8,24),48)"
        assert [str(part.arguments[0]) for part in found.parts] == ["6:8"]
        assert explain("logical_divide", layout, (alone, alone)).parts == ()
        assert str(explain("composition", layout, (alone, 2)).result) == "(8,2):(1,8)"


@pytest.mark.parametrize(
    ("operation", "option"),
    [
        ("composition", {"extend": False}),
        ("logical_divide", {"exact": True}),
        ("logical_product", {}),
        ("composition", {}),
        ("logical_divide", {}),
    ],
)
def test_a_part_by_mode_is_the_explanation_of_that_mode(operation: str, option: dict[str, bool]) -> None:
    found = explain(operation, parse("(8,6):(1,8)"), (4, 2), **option)
    assert found.parts == tuple(
        [explain(operation, parse(mode), n, **option) for mode, n in (("8:1", 4), ("6:8", 2))]
    )


# --- kinds of ints ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("operation", "texts"),
    [
        ("composition", ["(_6,_2):(_8,_2)", "(_4,_3):(_3,_1)"]),
        ("coalesce", ["(_2,(_1,_6)):(_1,(_7,_2))"]),
        ("complement", ["(_2,_2):(_1,_6)"]),
        ("right_inverse", ["(_4,_8):(_8,_1)"]),
        ("left_inverse", ["(_4,_8):(_1,_5)"]),
        ("logical_divide", ["(_4,_2,_3):(_2,_1,_8)", "_4:_2"]),
        ("logical_product", ["(_2,_2):(_4,_1)", "_6:_1"]),
        ("raked_product", ["(_2,_5):(_5,_1)", "(_3,_4):(_1,_3)"]),
    ],
)
def test_static_layouts_have_static_results_and_the_same_steps(operation: str, texts: list[str]) -> None:
    static = [parse(text) for text in texts]
    dynamic = [parse(text.replace("_", "")) for text in texts]
    found, plain = explain(operation, *static), explain(operation, *dynamic)
    assert [one.steps for one in all_of(found)] == [one.steps for one in all_of(plain)]
    assert [one.result for one in all_of(found)] == [one.result for one in all_of(plain)]
    for one in all_of(found):
        assert tla.is_static(one.result)
        for step in one.steps:
            assert all(tla.is_static(x) for x in (step.shape, step.stride) if x is not None)
            assert getattr(step, "taken", None) is None or tla.is_static(step.taken)
    assert same_static(found.result, getattr(algebra, operation)(*static))


def ints_of(x: Any) -> list[Any]:
    """Every leaf of a record, and of what it holds."""
    if isinstance(x, Layout):
        return ints_of((x.shape, x.stride))
    return [leaf for part in x for leaf in ints_of(part)] if isinstance(x, tuple) else [x]


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        ("coalesce", [parse("(_4,2):(1,4)")]),
        ("right_inverse", [parse("(_4,2):(1,4)")]),
        ("composition", [parse("(_6,_2):(_8,_2)"), parse("(4,3):(3,1)")]),
        ("complement", [parse("_4:_2"), 24]),
        ("complement", [parse("4:2"), Int(24)]),
        ("logical_divide", [parse("8:1"), Int(4)]),
        ("logical_product", [parse("_4:_1"), 2]),
    ],
)
def test_records_hold_ints_where_static_meets_dynamic(operation: str, arguments: list[Any]) -> None:
    for one in all_of(explain(operation, *arguments)):
        assert {type(x) for step in one.steps for x in ints_of(step)} <= {int, Int, str, type(None)}
        assert hash(one) == hash(one._replace())


N = sym("N", divisible_by=4)


@pytest.mark.parametrize(
    ("operation", "more"),
    [
        ("coalesce", []),
        ("composition", [Layout(2, 2)]),
        ("complement", []),
        ("complement", [64]),
        ("right_inverse", []),
        ("left_inverse", []),
        ("logical_divide", [2]),
        ("logical_product", [2]),
        ("zipped_divide", [2]),
    ],
)
def test_symbolic_layouts_have_the_result_of_the_operation(operation: str, more: list[Any]) -> None:
    answers = 0
    for layout in (
        Layout((4, N), (1, 4)),
        Layout((N, 2), (1, N)),
        Layout((4, 2), (N, 1)),
        Layout((2, 3), (1, N * 4)),
    ):
        found, error = outcome(explain, operation, layout, *more)
        plain = outcome(getattr(algebra, operation), layout, *more)
        assert (found if error else found.result, error) == plain
        assert error or found.figure().result == str(plain[0])
        answers += not error
    assert answers


# --- edges ------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["():()", "((),()):((),())", "1:0", "1:7", "(1,1):(3,5)", "5:0", "0:1"])
def test_layouts_of_no_mode_no_step_and_no_coordinate(text: str) -> None:
    layout: Any = parse(text)
    found = explain("coalesce", layout)
    assert found.result == algebra.coalesce(layout)
    assert [(step.shape, step.stride) for step in found.steps] == leaves(layout)
    if layout.size:
        for operation in ("complement", "right_inverse", "left_inverse"):
            assert explain(operation, layout).result == Layout(1, 0)
            assert all(getattr(step, "taken", None) is None for step in explain(operation, layout).steps)


def test_an_empty_right_side_is_walked_like_any_other() -> None:
    check_composition(explain("composition", parse("(6,2):(8,2)"), parse("(0,3):(3,1)")))
    found = explain("logical_divide", parse("0:1"), 4)
    assert str(found.result) == "(4,0):(1,4)"
    check_division(found)


def test_steps_towards_an_empty_result_are_not_left_behind() -> None:
    found = explain("composition", parse("(6,2):(8,2)"), parse("(2,4,0):(1,5,1)"))
    assert str(found.result) == "(2,4,0):(0,0,0)"
    assert all(leaves(step.taken)[0] in leaves(found.result) for step in found.steps)


def test_only_modes_of_size_1_are_skipped() -> None:
    assert [step.action for step in steps_of("coalesce", "(0,3):(1,0)")] == ["keep", "merge"]


@pytest.mark.parametrize(
    ("operation", "layout", "tiler"),
    [
        ("logical_divide", "2:1", "():()"),
        ("logical_divide", "(2,()):(5,())", "3:1"),  # a last mode that cannot grow
        ("logical_product", "():()", "3:1"),
    ],
)
def test_operands_without_ints(operation: str, layout: str, tiler: str) -> None:
    plain = outcome(getattr(algebra, operation), parse(layout), parse(tiler))
    found, error = outcome(explain, operation, parse(layout), parse(tiler))
    assert (found if error else found.result, error) == plain


# --- errors -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        ("composition", [parse("(6,2):(1,7)"), parse("(3,2):(2,3)")]),
        ("composition", [parse("8:1"), parse("9:-1")]),
        ("composition", [parse("(8,6):(1,8)"), (4, 3, 2)]),
        ("composition", [(4, 2), 2]),
        ("coalesce", [parse("8:1"), (1, 1)]),
        ("coalesce", ["8:1"]),
        ("coalesce", [parse("8:1"), [1]]),
        ("coalesce", [parse("8:1"), parse("2:1")]),
        ("complement", [parse("(2,2):(1,1)"), 24]),
        ("complement", [parse("4:-2")]),
        ("complement", [parse("0:1")]),
        ("complement", [parse("4:2"), -5]),
        ("complement", [parse("4:2"), "24"]),
        ("right_inverse", [parse("(0,3):(1,1)")]),
        ("left_inverse", [parse("4:-1")]),
        ("left_inverse", [parse("(4,4,2):(1,3,5)")]),
        ("logical_divide", [parse("8:1"), parse("(2,2):(1,1)")]),
        ("logical_divide", [parse("8:1"), 1.5]),
        ("zipped_divide", [parse("(8,6):(1,8)"), (4, 3, 2)]),
        ("logical_product", [parse("(2,2):(1,1)"), 3]),
        ("blocked_product", [parse("(2,2):(1,1)"), 3]),
    ],
)
def test_errors_of_the_operation_pass_through(operation: str, arguments: list[Any]) -> None:
    with pytest.raises((TlaError, TypeError)) as plain:
        getattr(algebra, operation)(*arguments)
    with pytest.raises(type(plain.value)) as caught:
        explain(operation, *arguments)
    assert str(caught.value) == str(plain.value)


@pytest.mark.parametrize(
    ("operation", "layout", "tilers", "option"),
    [
        ("composition", "(4,(6,2)):(1,(1,7))", (5, parse("(3,2):(2,3)")), {"extend": False}),
        ("logical_divide", "(10,8):(1,10)", (4, parse("(2,2):(1,1)")), {"exact": True}),
    ],
)
def test_the_first_mode_that_fails_is_the_one_named(
    operation: str, layout: str, tilers: Any, option: dict[str, bool]
) -> None:
    plain = outcome(getattr(algebra, operation), parse(layout), tilers, **option)
    assert outcome(explain, operation, parse(layout), tilers, **option) == plain


def test_options_reach_the_operation() -> None:
    with pytest.raises(tla.DivisibilityError, match="does not divide"):
        explain("logical_divide", parse("10:1"), 4, exact=True)
    with pytest.raises(tla.DivisibilityError, match="does not divide"):
        explain("flat_divide", parse("(10,4):(1,10)"), (4, 2), exact=True)
    with pytest.raises(tla.CoordinateError, match="reaches past"):
        explain("composition", parse("8:1"), 9, extend=False)
    with pytest.raises(tla.CoordinateError, match="reaches past"):
        explain("composition", parse("(8,2):(1,8)"), (9, 2), extend=False)
    with pytest.raises(TypeError, match="exact"):
        explain("coalesce", parse("8:1"), exact=True)


# --- records are values -----------------------------------------------------------------------

EXAMPLES = [
    explain("coalesce", parse("(2,(1,6)):(1,(7,2))")),
    explain("composition", parse("(6,2):(8,2)"), parse("(4,3):(3,1)")),
    explain("complement", parse("(2,2):(1,6)"), 24),
    explain("left_inverse", parse("(4,8):(1,5)")),
    explain("zipped_divide", parse("(8,6):(1,8)"), (4, _)),
    explain("raked_product", parse("(2,5):(5,1)"), parse("(3,4):(1,3)")),
]


@pytest.mark.parametrize("found", EXAMPLES, ids=lambda found: found.operation)
def test_explanations_are_immutable_values(found: Explanation) -> None:
    assert hash(found) == hash(found._replace())
    assert pickle.loads(pickle.dumps(found)) == found
    for record in (found, *found.steps):
        for name in record._fields:
            with pytest.raises(AttributeError):
                setattr(record, name, None)
    assert all(isinstance(x, tuple) for x in (found.arguments, found.steps, found.parts, found.notes))


@pytest.mark.parametrize("found", EXAMPLES, ids=lambda found: found.operation)
def test_steps_are_documented_records_of_one_kind(found: Explanation) -> None:
    kinds = {
        "coalesce": CoalesceStep,
        "composition": CompositionStep,
        "complement": ComplementStep,
        "left_inverse": InverseStep,
    }
    for one in all_of(found):
        assert {type(step) for step in one.steps} <= {kinds.get(one.operation)}
        assert bool(one.steps) == (not one.parts)


# --- as figures -------------------------------------------------------------------------------


@pytest.mark.parametrize("found", EXAMPLES, ids=lambda found: found.operation)
def test_a_figure_has_a_row_for_each_step_and_a_part_for_each_part(found: Explanation) -> None:
    for one in all_of(found):
        figure = one.figure()
        assert figure.title.startswith(f"{one.operation}({one.arguments[0]}")
        assert figure.notes[1:] == one.notes == one.figure(pictures=False).notes
        assert figure.result == str(one.result)
        assert len(figure.rows) == len(one.steps)
        assert {len(cells) for cells in figure.rows} <= {len(figure.columns)}
        assert all(isinstance(text, str) for cells in figure.rows for text in cells)
        assert figure.parts == tuple(part.figure(pictures=False) for part in one.parts)
        assert hash(figure) == hash(one.figure())


def test_titles_write_arguments_in_notation() -> None:
    layout: Any = parse("(8,6):(1,8)")
    title = explain("zipped_divide", layout, (4, (_, None))[:1]).figure().title
    assert title == "zipped_divide((8,6):(1,8), (4))"
    assert explain("logical_divide", layout, (_, parse("2:3"))).figure().title == (
        "logical_divide((8,6):(1,8), (_,2:3))"
    )
    assert explain("complement", parse("_4:_2"), Int(24)).figure().title == "complement(_4:_2, _24)"
    assert explain("complement", parse("4:2"), (6, 4)).figure().title == "complement(4:2, (6,4))"
    for more in ((), (None,)):
        assert explain("complement", parse("4:2"), *more).figure().title == "complement(4:2)"
    assert explain("coalesce", layout, (1, 1)).figure().title == "coalesce((8,6):(1,8), (1,1))"
    assert explain("coalesce", layout=layout).figure().title == "coalesce((8,6):(1,8))"
    assert explain("composition", layout, 4, extend=False).figure().title == (
        "composition((8,6):(1,8), 4:1, extend=false)"
    )
    assert explain("zipped_divide", layout, 4, exact=True).figure().title == (
        "zipped_divide((8,6):(1,8), 4, exact=true)"
    )


def cells(operation: str, *texts: str) -> list[str]:
    return ["|".join(row) for row in explain(operation, *map(parse, texts)).figure().rows]


def test_cells_of_a_composition() -> None:
    assert cells("composition", "(4,2,3):(2,1,8)", "(4,3):(2,8)") == [
        "0|4:2|4:2|takes 2 of 4, to the end of 4:2|2:4",
        "0|2:1|2:1|fits|2:1",
        "1|3:8|4:2|8 is a multiple of 4: on to the next mode|-",
        "1|3:2|2:1|2 is a multiple of 2: on to the next mode|-",
        "1|3:1|...:8|fits|3:8",
    ]
    assert cells("composition", "(6,2):(8,2)", "2:0") == ["0|2:0|-|stays at 0|2:0"]
    assert cells("composition", "(2,2,2):(1,3,5)", "(2,2):(1,3)")[1] == "1|2:3|-|linear|2:4"


def test_cells_of_a_complement() -> None:
    assert cells("complement", "(2,2):(1,6)") == ["2:1|1|none", "2:6|2|3:2", "the rest|12|none"]
    assert cells("complement", "(4,2):(1,5)")[1] == "2:5|4|none, 5 // 4 = 1"
    assert explain("complement", parse("4:2"), 24).figure().rows[-1] == ("the rest", "8", "3:8")


def test_cells_of_a_coalescing() -> None:
    assert cells("coalesce", "(2,1,3):(1,7,2)") == [
        "2:1|keep|2:1",
        "1:7|skip|2:1",
        "3:2|merge|6:1",
    ]


def test_cells_of_an_inverse() -> None:
    assert cells("right_inverse", "(4,8):(1,5)") == [
        "4:1|1|4:1",
        "8:5|4|left out: it begins at 5, those before end at 4",
    ]
    for operation, last in (("right_inverse", "4:4"), ("left_inverse", "5:4")):
        assert cells(operation, "(4,4):(1,2)") == [
            "4:1|1|2:1, cut where the next begins",
            f"4:2|4|{last}",
        ]
    assert cells("left_inverse", "(4,2):(6,59)") == ["below them|-|6:0", "4:6|1|9:1", "2:59|4|2:4"]


def test_a_mode_is_left_out_because_it_does_not_begin_where_those_before_end() -> None:
    shorter, _longer = cells("right_inverse", "(2,3):(1,1)")
    assert shorter == "2:1|1|left out: others reach its offsets"
    assert cells("right_inverse", "4:-1") == ["4:-1|1|left out: its stride is negative"]


def test_a_mode_that_fits_is_not_said_to_take_no_whole_mode() -> None:
    assert explain("composition", parse("8:1"), 8, extend=False).notes == ()
