"""Marks: what is marked `constexpr` is found by its name, and what is public is marked, or listed.

What the plugin runs it runs on whatever a type can tell, right or wrong: it gives a result, or an error
of the library, or one of arithmetic. Anything else would be a crash of the checker.
"""

from __future__ import annotations

import inspect
import pkgutil
from importlib import import_module
from random import Random
from types import ModuleType
from typing import TYPE_CHECKING, Any

from cases import over

import tla
import tla.algebra
import tla.ascend
from tla import ComposedLayout, Int, Layout, Swizzle, _, _0, _1, _2, _4
from tla.ground.constexpr import is_constexpr, types_of
from tla.types.terms import BITS, ITEMS, NOTHING, OPEN, Items, Known, Record, Term, getter, marked, run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def marks() -> Iterator[tuple[str, Any]]:
    """Yield what is marked in the package, with the name that a checker has for it."""
    for info in pkgutil.walk_packages(tla.__path__, "tla."):
        if info.name.endswith((".__main__", ".mypy_plugin")):
            continue
        module = import_module(info.name)
        for name, value in sorted(vars(module).items()):
            if getattr(value, "__module__", None) != module.__name__:
                continue
            if is_constexpr(value) and value.__qualname__ == name:
                yield f"{module.__name__}.{name}", value
            if isinstance(value, type) and value.__qualname__ == name:
                for member, found in vars(value).items():
                    function: Any = found.fget if isinstance(found, property) else found
                    path = f"{name}.{member}"
                    if is_constexpr(function) and function.__qualname__ == path:
                        yield f"{module.__name__}.{path}", found


MARKS = dict(marks())


@over("name", MARKS)
def test_a_name_leads_to_what_is_marked(name: str) -> None:
    found = MARKS[name]
    if isinstance(found, property):
        assert getter(name) is found.fget
    elif name.endswith("__"):
        assert marked(name) is not None
    else:
        function: Any = marked(name)
        assert inspect.unwrap(function) is inspect.unwrap(found)  # the door guards it


# --- what is not marked -----------------------------------------------------------------------------

UNMARKED = {
    "a type, for annotations and isinstance": "IntTuple",
    "a bool, where a checker itself refuses the arguments that are wrong": (
        "compatible congruent evenly_divides has_underscore is_bijective is_composed is_contiguous"
        " is_injective is_layout is_major is_static is_surjective_onto is_swizzle"
        " known_divides known_eq known_lt same_function same_static static_mask weakly_congruent"
        " OfCoordinates.is_static"
    ),
    "depends on the origin shape, which no type tells": (
        "make_tensor_like Layout.is_padded Layout.is_valid Layout.origin_shape Layout.trimmed"
        " OfCoordinates.valid_size ComposedLayout.is_valid ComposedLayout.origin_shape"
        " ComposedLayout.trimmed"
    ),
    "of unknowns that have names, or of what is assumed of them": (
        "Condition Expr SymbolicInt assume sym Layout.assumptions Layout.bind Layout.with_assumptions"
        " OfCoordinates.assuming OfCoordinates.conditions OfCoordinates.symbols"
        " ComposedLayout.assumptions ComposedLayout.bind ComposedLayout.with_assumptions"
    ),
    "a table, a picture or a text": (
        "layout_figure offset_lists offsets strip_figure to_cpp to_text OfCoordinates.explain"
    ),
    "many values, one by one": "coords ComposedLayout.cosize",
    "bits, of which no type tells": "LinearLayout from_linear to_linear",
    "data, of which no type tells": "pack_bits unpack_bits",
    "takes a function": "filter_tuple fold_leaf transform_apply transform_leaf",
    "reads files, or a notation of its own": "evaluate from_cpp read",
    "has its own hook": "reveal",
    "a tensor of a tensor, else a layout and an offset": (
        "inner_partition local_partition local_tile outer_partition"
    ),
    "says what holds while the program runs": "limits",
    "an array, or an object of another library": (
        "from_array to_cute_dsl to_jax_format to_memref to_numpy_view to_pycute to_tensor_layouts"
        " to_torch to_zarr"
    ),
    "has one value": "Underscore",
}
"""What is public and not marked, by why."""

ERRORS = [name for name in tla.__all__ if name.endswith("Error")]


def test_what_is_public_is_marked_or_it_is_said_why_not() -> None:
    said = {name for names in UNMARKED.values() for name in names.split()}
    public: dict[str, Any] = {name: getattr(tla, name) for name in tla.__all__ if name not in ERRORS}
    for room in (tla.layouts, tla.algebra):
        public |= {name: getattr(room, name) for name in vars(room)["__all__"]}
    for cls in (Int, Layout, Swizzle, ComposedLayout, tla.layouts.OfCoordinates):
        public |= {
            f"{cls.__name__}.{name}": value
            for name, value in vars(cls).items()
            if callable(value) or isinstance(value, property)
            if not name.startswith("_") or name in OPERATORS
        }
    unmarked = {
        name
        for name, value in public.items()
        if callable(value) or isinstance(value, property)
        if not isinstance(value, (ModuleType, Int)) and value is not tla.AnyLayout
        if getattr(value, "__module__", None) != "typing"
        if not is_constexpr(value.fget if isinstance(value, property) else value)
    }
    assert unmarked == said


UNMARKED_OF_ASCEND = {
    "a search, too long for a checker": "choose_kernel dynamic_tile search search_attention search_many",
    "of a plan, an element or a policy, which no type tells": (
        "estimate estimate_attention fits footprints nearest Arch.replaced Tensor.bind"
    ),
    "depends on the origin shape, or on the data": (
        "Tensor.assumptions Tensor.element Tensor.is_aligned Tensor.is_valid Tensor.origin_shape"
        " Tensor.with_assumptions"
    ),
    "the layout of a tensor, whose start no type tells": "Tensor.inner Tensor.with_inner",
    "a number or a text of the table of architectures": (
        "Arch.gm_bandwidth Arch.l2_bandwidth Arch.source Arch.tag"
    ),
    "a picture": "Arch.figure",
    "a program that is compiled and run": "record",
    "a plan of keywords alone, whose errors are those of its check": "attention conv gemv",
}
"""The same of tags, plans, buffers and tensors; a predicate of a tag is marked where it is called."""


def test_what_is_public_of_ascend_is_marked_or_it_is_said_why_not() -> None:
    said = {name for names in UNMARKED_OF_ASCEND.values() for name in names.split()}
    public: dict[str, Any] = {
        name: value
        for name, value in ((name, getattr(tla.ascend, name)) for name in vars(tla.ascend)["__all__"])
        if inspect.isfunction(value) or isinstance(value, type(tla.ascend.is_zN))
    }
    for cls in (tla.ascend.Arch, tla.Tensor):
        public |= {
            f"{cls.__name__}.{name}": value
            for name, value in vars(cls).items()
            if inspect.isfunction(value) or isinstance(value, property)
            if not name.startswith("_") or name in OPERATORS
        }
    unmarked = {name for name, value in public.items() if not is_constexpr(_run_by(value))}
    assert unmarked == said


def _run_by(value: Any) -> Any:
    if isinstance(value, property):
        return value.fget
    return value if inspect.isfunction(value) else type(value).__call__


OPERATORS = {
    f"__{name}__"
    for name in (
        "call", "getitem", "neg", "pos", "abs", "invert", "add", "sub", "mul", "floordiv", "mod",
        "divmod", "pow", "and", "or", "xor", "lshift", "rshift",
    )
}  # fmt: skip


# --- whatever a type tells --------------------------------------------------------------------------


def nested(x: Any, levels: int) -> Any:
    for _level in range(levels):
        x = (x,)
    return x


VALUES: list[Any] = [
    0, 1, 3, 4, -1, -5, _0, _1, _2, Int(12), Int(-3), 2**70, True, None, _,
    "", "zN", "f32[2]", "(4,2):(2,1)", "(4,", "M",
    (), (4,), (_4, 2), (4, (2, 3)), (-1, 2), (0, 0), ((2, 2), (2, 2)), (1, 2, 3), ((), ()), (2, (1, ())),
    ("a", 2), (None,), (True, 1), (_, 0), (_, (0, _)), nested(1, 101), nested(_, 150),
    Layout((4, 2), (2, 1)), Layout((_4, _2)), Layout((4, (2, 3)), (1, (0, -4))), Layout(4, 0),
    Layout(()), Layout(0), Layout((3, 0), (1, 1)), Layout(((), 2), ((), 3)), Layout(((2, 2), (2, 2))),
    Layout((6, 4), (4, 1)), (Layout(4, 2), 3), (Layout(4, 2), (_, None)), (2, Layout(2, 1)),
    Swizzle(2, 0, 3), ComposedLayout(Swizzle(1, 0, 2), 0, Layout((4, 2))),
]  # fmt: skip


def term(value: Any) -> Term:
    """Return the term that tells a value whole."""
    if isinstance(value, tuple):
        return Items(tuple, tuple(map(term, value)))
    attributes = types_of(type(value))
    if attributes is None:
        return Known(value)
    return Record(type(value), tuple([term(getattr(value, name)) for name in attributes]))


UNKNOWN: list[Term] = [OPEN, OPEN, Items(tuple, (OPEN, Known(_2))), Record(Layout, (OPEN, OPEN))]

TERMS: list[Term] = [*map(term, VALUES), *UNKNOWN]

CALLS = 100
"""How many are tried with each number of arguments."""

OF_LAYOUTS = [name for name in MARKS if not name.startswith(("tla.ascend.", "tla.layouts.tensor."))]


def shapes_of_calls(function: Callable[..., Any]) -> tuple[range, list[str]]:
    """How many arguments a function takes by position, and which by name."""
    is_class = isinstance(function, type)
    parameters = list(inspect.signature(function.__new__ if is_class else function).parameters.values())
    kinds = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
    by_position = [p for p in parameters[is_class:] if p.kind in kinds]
    least = sum(p.default is p.empty for p in by_position)
    more = 3 if any(p.kind is p.VAR_POSITIONAL for p in parameters) else 0
    by_name = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]
    return range(least, len(by_position) + more + 1), by_name


@over("name", OF_LAYOUTS)
def test_nothing_but_errors_of_the_library_comes_out(name: str) -> None:
    found = MARKS[name]
    function: Any = found.fget if isinstance(found, property) else found
    arities, names = shapes_of_calls(function)
    owner = getattr(import_module(function.__module__), name.split(".")[-2], None)
    own: list[Term] = [t for t in TERMS if isinstance(t, Record) and t.cls is owner]
    if owner is Int:
        own = [Known(_0), Known(Int(-3)), Known(_4), OPEN]
    operation = (getter if isinstance(found, property) else marked)(name)
    assert operation is not None
    random = Random(name)
    for arity in arities:
        for _count in range(CALLS):
            args: list[Term] = [random.choice(TERMS) for _place in range(arity)]
            if own and arity:
                args[0] = random.choice(own)
            given = tuple(n for n in names if n != "assume" and random.random() < 0.5)
            args += [random.choice(TERMS) for _name in given]
            run(operation, tuple(args), given)


def test_what_is_too_long_for_a_type_is_not_told() -> None:
    def static(n: int) -> Term:
        return Known(Int(n))

    for name in ("tla.numbers.ints.Int.__pow__", "tla.numbers.ints.Int.__lshift__"):
        operation = marked(name)
        assert operation is not None
        assert run(operation, (static(2), static(10**9))) == NOTHING
        assert run(operation, (static(2), static(10**5000))) == NOTHING
        assert run(operation, (static(2), static(5000))).term is None
        assert run(operation, (static(2), static(70))).term is not None
        assert run(operation, (static(0), static(BITS))).term == static(0)
        assert run(operation, (static(2),)) == run(operation, ()) == NOTHING  # a checker says so itself
    reflected = marked("tla.numbers.ints.Int.__rpow__")
    assert reflected is not None
    assert run(reflected, (static(10**9), static(2))) == NOTHING
    assert run(tla.repeat, (static(2), static(ITEMS + 1))).term is None
    assert run(tla.repeat, (static(2), static(10**12))) == NOTHING  # beyond a limit


def test_a_case_that_no_ints_have_is_no_defect() -> None:
    """Where two answers contradict each other unseen an operation may find no divisor, or no period."""

    def layout(shape: Term, stride: Term) -> Term:
        return Record(Layout, (shape, stride))

    def parts(*items: Term | int) -> Term:
        return Items(tuple, tuple(Known(Int(x)) if isinstance(x, int) else x for x in items))

    two = Known(Int(2))
    tangled = layout(
        parts(OPEN, parts(2, 8, OPEN), parts(1)), parts(OPEN, parts(4, OPEN, OPEN), parts(1))
    )
    assert run(tla.tiled_product, (tangled, layout(two, Known(Int(1))))).error is None
    assert run(tla.domain_distribute, (parts(OPEN, parts(12, OPEN)), two)).error is None


def test_what_is_left_of_a_dynamic_size_is_dynamic() -> None:
    """One 1 of the two is dynamic, as in the run: ``domain_distribute(1, 3)`` is ``1:0``."""
    found = run(tla.domain_distribute, (Known(1), OPEN)).term
    assert found is Record(Layout, (OPEN, OPEN))


def test_a_vector_of_an_unknown_length_is_not_searched_for() -> None:
    """Halving an unknown length would go on until all questions are spent."""
    nested = Items(tuple, (Known(Int(12)), Known(Int(8)), Known(Int(8))))
    steps = Items(tuple, (Known(Int(1)), OPEN, Known(Int(2))))
    row = Record(Layout, (OPEN, Known(Int(1))))
    assert run(tla.max_common_vector, (row, Record(Layout, (nested, steps)))) == NOTHING
