# SPDX-License-Identifier: Apache-2.0
"""The shape of a result, as it follows from the operands and the attributes of an instruction.

>>> from ..xla_bridge import parse_shape
>>> source, start = parse_shape("s32[2,2,258]"), parse_shape("s32[]")
>>> sizes = {"dynamic_slice_sizes": "{1,2,32}"}
>>> print(infer_shape("dynamic-slice", [source, start, start, start], sizes))
s32[1,2,32]{2,1,0}

A result that is like an operand has its layout. Any other result has the default layout.

Source: XLA's ``ShapeInference``, checked against the parser of jaxlib.
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn

from ..errors import UnsupportedError
from ..ground import element_type, shortened
from ..xla_bridge import XlaShape, XlaTuple, remade
from .instruction import bare_shape, names_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ..xla_bridge import AnyShape


class Program(NamedTuple):
    """The shapes of a computation's parameters, by number, and of its result."""

    parameters: tuple[AnyShape, ...]
    result: AnyShape


class ShapeInferenceError(UnsupportedError):
    """The shape of a result does not follow from the operands and attributes, or these do not fit."""


# --- element types ---

_FLOATS: Final = (
    "f64", "f32", "bf16", "f8e8m0fnu", "f16", "f8e5m2", "f8e5m2fnuz", "f8e4m3fn", "f8e4m3", "f8e4m3fnuz",
    "f8e4m3b11fnuz", "f6e3m2fn", "f8e3m4", "f6e2m3fn", "f4e2m1fn",
)  # fmt: skip
"""The floating-point types: those with the larger range first, then those with more precision."""

_PARTS: Final = {"c64": "f32", "c128": "f64"}
_WHOLES: Final = {part: whole for whole, part in _PARTS.items()}
_WIDER: Final = frozenset(("dot", "ragged-dot", "scaled-dot", "convolution"))
"""The products. They may have another element type than their operands."""


def _kind(shape: XlaShape) -> str:
    """The kind of a shape's elements: p, s, u, f or c; "-" of one without numbers."""
    name = shape.element_type.name
    return "-" if shape.element_type.bits is None else "f" if name in _FLOATS else name[0]


def _family(shape: XlaShape) -> str:
    """The element type, but one word for all floating-point types, which may mix."""
    return "f" if shape.element_type.name in _FLOATS else shape.element_type.name


def _widest(*shapes: XlaShape) -> str:
    """The element type of a result: a complex one first, then the wider range, then more bits."""

    def order(shape: XlaShape) -> tuple[object, ...]:
        name = shape.element_type.name
        part = _PARTS.get(name, name)
        place = -_FLOATS.index(part) if part in _FLOATS else -len(_FLOATS)
        return name in _PARTS, place, shape.element_type.bits, name[0] == "s"

    return max(shapes, key=order).element_type.name


def _agree(a: AnyShape, b: AnyShape, mixed: bool = True, types: bool = True) -> bool:
    """Whether two shapes agree but for layouts and marks of dynamic dims.

    Args:
        mixed: Whether floating-point types of two precisions agree.
        types: Whether element types count.
    """
    if isinstance(a, XlaShape) and isinstance(b, XlaShape):
        same = _family(a) == _family(b) if mixed else a.element_type == b.element_type
        return a.dimensions == b.dimensions and (same or not types)
    if isinstance(a, XlaTuple) and isinstance(b, XlaTuple) and len(a.elements) == len(b.elements):
        return all(_agree(x, y, mixed, types) for x, y in zip(a.elements, b.elements, strict=True))
    return a == b


def _scalar(name: str) -> XlaShape:
    return XlaShape(name, ())


def _scalar_of(shape: XlaShape) -> XlaShape:
    return _scalar(shape.element_type.name)


def _like(shape: XlaShape, name: str, **changes: Any) -> XlaShape:
    """A shape with another element type, and other changes."""
    return remade(shape, element_type=element_type(name), **changes)


def _joined(shapes: Sequence[AnyShape]) -> AnyShape:
    """The one shape, or the tuple of several."""
    return shapes[0] if len(shapes) == 1 else XlaTuple(shapes)


# --- an instruction ---

_INT: Final = re.compile(r"-?\d+")


class _Call(NamedTuple):
    """An instruction whose result is not known yet."""

    opcode: str
    operands: Sequence[AnyShape]
    attributes: Mapping[str, str]
    programs: Mapping[str, Program | None]

    def fail(self, why: str, rule: str = "") -> NoReturn:
        summary = f"the shape of the result of {self.opcode} does not follow: {why}"
        raise ShapeInferenceError(summary, reason=why, rule=rule)

    def demand(self, rule: str, *holds: bool) -> None:
        if not all(holds):
            operands = shortened(", ".join(map(bare_shape, self.operands)))
            self.fail(f"{rule}, and the operands are {operands or 'none'}", rule)

    def arrays(self, *counts: int, dynamic: bool = False) -> list[XlaShape]:
        """The operands, which are arrays, so many of them if the numbers are given.

        Args:
            dynamic: Whether dims may be dynamic.
        """
        found = [x for x in self.operands if isinstance(x, XlaShape) and _kind(x) != "-"]
        right = len(found) in counts if counts else bool(found)
        words = f"{' or '.join(map(str, counts))} " if counts else ""
        self.demand(f"it takes {words}arrays", right, len(found) == len(self.operands))
        if any(x.is_unbounded_dynamic or not (dynamic or x.is_static) for x in found):
            self.fail("an operand has a dynamic dim")
        return found

    def ints(self, name: str, default: tuple[int, ...] | None = None) -> tuple[int, ...]:
        text = self.attributes.get(name)
        if text is None and default is None:
            self.fail(f"it has no attribute {name}")
        return (default or ()) if text is None else tuple(map(int, _INT.findall(text)))

    def dims(self, name: str, rank: int, default: tuple[int, ...] | None = None) -> tuple[int, ...]:
        """An attribute of different dims of an array."""
        found = self.ints(name, default)
        if len(set(found)) < len(found) or not all(0 <= dim < rank for dim in found):
            self.fail(f"{name}={shortened(self.attributes[name])} are not different dims of rank {rank}")
        return found

    def program(self, name: str, count: int) -> Program | None:
        """The computation that an attribute names; None if the text does not have it."""
        found = self.programs.get("".join(names_in(self.attributes.get(name, ""))))
        if found is not None and len(found.parameters) != count:
            self.fail(f"the computation of {name} has {len(found.parameters)} parameters, not {count}")
        return found

    def known(self, name: str, count: int) -> Program:
        """The computation that an attribute names."""
        return self.program(name, count) or self.fail("its computation is not in the text")

    def reducer(
        self, name: str, inputs: Sequence[XlaShape], inits: Sequence[AnyShape]
    ) -> list[XlaShape]:
        """The scalars that a reduction of some arrays makes, by the computation that reduces them."""
        program = self.program(name, 2 * len(inputs))
        scalars = [_scalar_of(x) for x in inputs]
        if program is None:
            return scalars
        result, parameters = program.result, program.parameters
        results = result.elements if isinstance(result, XlaTuple) else (result,)
        inner, outer = parameters[: len(inputs)], parameters[len(inputs) :]
        fits = len(results) == len(inputs) and all(
            _agree(x, a, mixed=False) and all(_agree(x, each) for each in others)
            for x, a, *others in zip(results, inner, outer, inits, scalars, strict=True)
        )
        self.demand(f"{name} reduces scalars of their types", fits)
        return [x for x in results if isinstance(x, XlaShape)]

    def windows(self, sizes: Sequence[int], kernel: Sequence[int] | None = None) -> list[int]:
        """The numbers of places of the window along some dims; of a convolution those of its kernel."""
        text = self.attributes.get("window", "{}")
        fields = dict(part.split("=", 1) for part in text[1:-1].split())

        def field(name: str, default: str) -> list[list[int]]:
            parts = fields[name].split("x") if name in fields else [default] * len(sizes)
            return [list(map(int, part.split("_"))) for part in parts]

        found: list[int] = []
        spans = field("size", "none") if sizes or fields else []
        rows = [
            field("stride", "1"),
            field("pad", "0_0"),
            field("lhs_dilate", "1"),
            field("rhs_dilate", "1"),
        ]
        for size, (span,), (stride,), (low, high), (base,), (gap,) in zip(
            sizes, spans, *rows, strict=True
        ):
            self.demand("its window has positive sizes and strides", min(span, stride, base, gap) > 0)
            extent = low + (base * (size - 1) + 1 if size else 0) + high
            room = extent - gap * (span - 1) - 1
            found.append(room // stride + 1 if room >= 0 else 0)
        if kernel is not None:
            self.demand(
                "its window has the size of the kernel", [span for (span,) in spans] == [*kernel]
            )
        return found


RULES: Final[dict[str, Callable[[_Call], AnyShape]]] = {}
"""The ops whose operands and attributes determine the shape of the result."""


def _rule(opcodes: str) -> Callable[[Any], Any]:
    def add(function: Any) -> Any:
        for opcode in opcodes.split():
            RULES[opcode] = function
        return function

    return add


def infer_shape(
    opcode: str,
    operands: Sequence[AnyShape],
    attributes: Mapping[str, str] = MappingProxyType({}),
    programs: Mapping[str, Program | None] = MappingProxyType({}),
) -> AnyShape:
    """Return the shape of the result of an instruction.

    Args:
        programs: The computations that the text has, by name. One that it lacks is not checked.

    Raises:
        ShapeInferenceError: the shape does not follow, as that of a reshape, or the operands do not fit.
    """
    call = _Call(opcode, operands, attributes, programs)
    rule = RULES.get(opcode)
    if rule is None:
        call.fail("operands and attributes do not determine it")
    try:
        return rule(call)
    except (LookupError, ValueError) as error:  # more or fewer numbers than the rule takes
        if isinstance(error, ShapeInferenceError):
            raise
    call.demand("its attributes have a number for each dim", False)
    raise AssertionError


def differs(opcode: str, written: AnyShape, inferred: AnyShape) -> bool:
    """Return whether a written shape contradicts the shape that follows from the operands."""
    return written is not inferred and not _agree(written, inferred, types=opcode not in _WIDER)


# --- elementwise ---

_TWO = (
    "add and atan2 compare complex divide maximum minimum mulhi multiply or power remainder shift-left"
    " shift-right-arithmetic shift-right-logical subtract xor"
)
_KINDS: Final[dict[str, str]] = {
    opcode: kinds
    for kinds, opcodes in {
        "f": "cbrt ceil complex erf floor is-finite reduce-precision round-nearest-afz"
        " round-nearest-even",
        "fc": "acos acosh asin asinh atan2 atanh cosh cosine exponential exponential-minus-one imag log"
        " log-plus-one logistic real rsqrt sine sinh sqrt tan tanh",
        "sfc": "abs sign",
        "su": "count-leading-zeros popcnt",
        "sufc": "negate subtract power divide remainder shift-left shift-right-arithmetic"
        " shift-right-logical",
        "psu": "not and or xor",
        "psufc": "add maximum minimum mulhi multiply compare",
    }.items()
    for opcode in opcodes.split()
}
"""The kinds of elements that an elementwise op takes."""


@_rule(" ".join(_KINDS.keys() - set(_TWO.split())))
def _unary(call: _Call) -> AnyShape:
    (x,) = call.arrays(1, dynamic=True)
    call.demand("it takes elements of another type", _kind(x) in _KINDS[call.opcode])
    name = x.element_type.name
    if call.opcode == "is-finite":
        return _like(x, "pred")
    return _like(x, _PARTS.get(name, name)) if call.opcode in ("abs", "real", "imag") else x


@_rule(_TWO)
def _binary(call: _Call) -> AnyShape:
    a, b = call.arrays(2, dynamic=True)
    call.demand("they have one element type", _family(a) == _family(b))
    call.demand("it takes elements of another type", _kind(a) in _KINDS[call.opcode])
    name = _widest(a, b)
    if call.opcode == "complex":
        call.demand("they are both f32 or f64", a.element_type == b.element_type, name in _WHOLES)
    name = {"compare": "pred", "complex": _WHOLES.get(name, "")}.get(call.opcode, name)
    if a.dimensions == b.dimensions:
        pairs = zip(a.dynamic_dimensions, b.dynamic_dimensions, strict=True)
        return _like(a, name, dynamic_dimensions=tuple(x or y for x, y in pairs))
    if not (a.rank and b.rank):  # a scalar is repeated, and so is a dim of size 1
        return _like(a if a.rank else b, name)
    sizes = [(x, y) for x, y in zip(a.dimensions, b.dimensions, strict=True)]
    fits = all(x == y or 1 in (x, y) for x, y in sizes)
    call.demand("they have the same dims", fits, a.is_static, b.is_static)
    return XlaShape(name, [y if x == 1 else x for x, y in sizes])


@_rule("select")
def _select(call: _Call) -> AnyShape:
    which, a, b = call.arrays(3, dynamic=True)
    fits = _kind(which) == "p", which.dimensions == a.dimensions, _agree(a, b)
    call.demand("it takes a pred and two arrays of the same shape", *fits)
    return _like(which, _widest(a, b))


@_rule("clamp")
def _clamp(call: _Call) -> AnyShape:
    low, x, high = call.arrays(3, dynamic=True)
    fits = (_agree(each, x) or _agree(each, _scalar_of(x)) for each in (low, high))
    call.demand("its bounds have the shape of the array, or are scalars", *fits)
    return x


@_rule("map")
def _map(call: _Call) -> AnyShape:
    arrays = call.arrays()
    program, dims = call.known("to_apply", len(arrays)), arrays[0].dimensions
    call.demand("they have the same dims", *(x.dimensions == dims for x in arrays))
    call.demand("it maps all dims in order", call.ints("dimensions") == tuple(range(len(dims))))
    fits = map(_agree, program.parameters, map(_scalar_of, arrays))
    result = program.result
    if not isinstance(result, XlaShape) or result.rank or not all(fits):
        call.fail("to_apply takes and returns scalars of their types")
    return XlaShape(result.element_type, dims)


# --- data that moves ---


@_rule("copy opt-barrier domain all-reduce-done send-done")
def _itself(call: _Call) -> AnyShape:
    (x,) = call.operands
    return x


@_rule("collective-permute collective-broadcast all-reduce all-reduce-start")
def _themselves(call: _Call) -> AnyShape:
    return _joined(call.arrays(dynamic=True))


@_rule("add-dependency")
def _add_dependency(call: _Call) -> AnyShape:
    x, _ = call.operands
    return x


@_rule("transpose")
def _transpose(call: _Call) -> AnyShape:
    (x,) = call.arrays(1, dynamic=True)
    dims = call.dims("dimensions", x.rank)
    call.demand("dimensions= is an order of all dims", len(dims) == x.rank)
    return remade(
        x,
        dimensions=tuple(x.dimensions[dim] for dim in dims),
        dynamic_dimensions=tuple(x.dynamic_dimensions[dim] for dim in dims),
        minor_to_major=tuple(dims.index(dim) for dim in x.minor_to_major),
    )


@_rule("reverse")
def _reverse(call: _Call) -> AnyShape:
    (x,) = call.arrays(1, dynamic=True)
    call.dims("dimensions", x.rank)
    return x


@_rule("slice")
def _slice(call: _Call) -> AnyShape:
    (x,) = call.arrays(1)
    texts = call.attributes.get("slice", "")[1:-1].replace("[", "").rstrip("] ").split("],")
    ranges = [tuple(map(int, text.split(":"))) for text in texts if text.strip()]
    sizes: list[int] = []
    for (start, end, *stride), size in zip(ranges, x.dimensions, strict=True):
        (step,) = stride or (1,)
        call.demand("slice= lies in the operand", 0 <= start <= end <= size, step > 0)
        sizes.append(-(-(end - start) // step))
    return XlaShape(x.element_type, sizes)


def _expect_starts(call: _Call, rank: int, starts: Sequence[XlaShape]) -> None:
    scalars = len(starts) == rank and not any(x.rank for x in starts)
    vector = len(starts) == 1 and starts[0].dimensions == (rank,)
    same = (x.element_type == starts[0].element_type and _kind(x) in "su" for x in starts)
    call.demand(f"it has {rank} starts, ints of one type", scalars or vector, *same)


def _within(inner: Iterable[int], outer: Iterable[int]) -> bool:
    return all(0 <= a <= b for a, b in zip(inner, outer, strict=True))


@_rule("dynamic-slice")
def _dynamic_slice(call: _Call) -> AnyShape:
    x, *starts = call.arrays()
    _expect_starts(call, x.rank, starts)
    sizes = call.ints("dynamic_slice_sizes")
    call.demand("the slice is no larger than its operand", _within(sizes, x.dimensions))
    return XlaShape(x.element_type, sizes)


@_rule("dynamic-update-slice")
def _dynamic_update_slice(call: _Call) -> AnyShape:
    x, update, *starts = call.arrays(dynamic=True)
    _expect_starts(call, x.rank, starts)
    fits = _family(update) == _family(x), _within(update.dimensions, x.dimensions)
    call.demand("the update is no larger than its operand, and has its type", *fits)
    return x


@_rule("concatenate")
def _concatenate(call: _Call) -> AnyShape:
    first, *_ = arrays = call.arrays()
    (dim,) = call.dims("dimensions", first.rank)
    apart = [(_family(x), x.dimensions[:dim], x.dimensions[dim + 1 :]) for x in arrays]
    fits = (x.rank == first.rank and each == apart[0] for x, each in zip(arrays, apart, strict=True))
    call.demand("they differ in the size of one dim alone", *fits)
    whole = sum(x.dimensions[dim] for x in arrays)
    return XlaShape(_widest(*arrays), [*first.dimensions[:dim], whole, *first.dimensions[dim + 1 :]])


@_rule("pad")
def _pad(call: _Call) -> AnyShape:
    x, value = call.arrays(2)
    call.demand("the value is a scalar of its type", _agree(value, _scalar_of(x)))
    parts = [tuple(map(int, part.split("_"))) for part in call.attributes["padding"].split("x") if part]
    sizes: list[int] = []
    for size, (low, high, *inner) in zip(x.dimensions, parts, strict=True):
        (gap,) = inner or (0,)
        sizes.append(size + low + high + gap * max(size - 1, 0))
        call.demand("padding= leaves no dim below 0", sizes[-1] >= 0, gap >= 0)
    return XlaShape(_widest(x, value), sizes)


def _batches(call: _Call, starts: XlaShape, to: tuple[int, ...]) -> list[int]:
    """The dims of start indices but for that of the vectors, which have a number for each of ``to``."""
    (vector,) = call.ints("index_vector_dim")
    sizes = [*starts.dimensions, 1][: max(starts.rank, vector + 1)]
    call.demand("the indices are ints", _kind(starts) in "su", 0 <= vector <= starts.rank)
    call.demand("an index has a number for each of its dims", sizes[vector : vector + 1] == [len(to)])
    return sizes[:vector] + sizes[vector + 1 :]


def _batch_alike(
    call: _Call, x: XlaShape, batching: tuple[int, ...], starts: XlaShape, dims: tuple[int, ...]
) -> bool:
    """Whether dims of an array are as long as those of the indices that batch with them."""
    sizes = [starts.dimensions[dim] for dim in dims if dim not in call.ints("index_vector_dim")]
    return [x.dimensions[dim] for dim in batching] == sizes and len(sizes) == len(dims)


def _ascends(*dims: tuple[int, ...]) -> bool:
    return all(list(each) == sorted(set(each)) for each in dims)


@_rule("gather")
def _gather(call: _Call) -> AnyShape:
    x, starts = call.arrays(2)
    to = call.dims("start_index_map", x.rank)
    batches = _batches(call, starts, to)
    batching = call.dims("operand_batching_dims", x.rank, ())
    collapsed = call.dims("collapsed_slice_dims", x.rank)
    sizes = call.ints("slice_sizes")
    kept = [size for dim, size in enumerate(sizes) if dim not in collapsed + batching]
    rank = len(kept) + len(batches)
    offset = call.dims("offset_dims", rank)
    start_dims = call.dims("start_indices_batching_dims", starts.rank, ())
    same = _batch_alike(call, x, batching, starts, start_dims)
    single = (sizes[dim] <= 1 for dim in collapsed + batching)
    fits = _within(sizes, x.dimensions), _ascends(offset, collapsed, batching), len(kept) == len(offset)
    apart = len({*collapsed, *batching}) == x.rank - len(kept) == len(collapsed) + len(batching)
    call.demand(
        "its slices lie in the operand", *fits, *single, same, apart, set(to).isdisjoint(batching)
    )
    inner, outer = iter(kept), iter(batches)
    return XlaShape(x.element_type, [next(inner if i in offset else outer) for i in range(rank)])


@_rule("scatter")
def _scatter(call: _Call) -> AnyShape:
    arrays = call.arrays()
    results, starts, updates = _thirds(call, arrays)
    window, inserted = call.ints("update_window_dims"), call.ints("inserted_window_dims")
    start_dims = call.dims("scatter_indices_batching_dims", starts.rank, ())
    for x, update in zip(results, updates, strict=True):
        to = call.dims("scatter_dims_to_operand_dims", x.rank)
        batching = call.dims("input_batching_dims", x.rank, ())
        batches = _batches(call, starts, to)
        call.dims("update_window_dims", update.rank)
        call.dims("inserted_window_dims", x.rank)
        kept = [size for dim, size in enumerate(x.dimensions) if dim not in inserted + batching]
        outer = [size for dim, size in enumerate(update.dimensions) if dim not in window]
        fits = _within([update.dimensions[dim] for dim in window], kept), outer == batches
        same = _batch_alike(call, x, batching, starts, start_dims), {*to}.isdisjoint(batching)
        call.demand("its updates lie in the operand", *fits, *same, _ascends(window, inserted, batching))
    call.reducer("to_apply", updates, [_scalar_of(x) for x in results])
    return _joined(results)


def _thirds(call: _Call, arrays: list[XlaShape]) -> tuple[list[XlaShape], XlaShape, list[XlaShape]]:
    half = len(arrays) // 2
    call.demand("it takes arrays, indices, and as many updates", len(arrays) == 2 * half + 1)
    return arrays[:half], arrays[half], arrays[half + 1 :]


@_rule("get-dimension-size set-dimension-size")
def _dimension_size(call: _Call) -> AnyShape:
    changes = call.opcode.startswith("set")
    x, *size = call.arrays(1 + changes, dynamic=True)
    (dim,) = call.dims("dimensions", x.rank)
    call.demand("the size is s32[]", *(_agree(each, _scalar("s32")) for each in size))
    dynamic = (*x.dynamic_dimensions[:dim], True, *x.dynamic_dimensions[dim + 1 :])
    return remade(x, dynamic_dimensions=dynamic) if changes else _scalar("s32")


# --- reductions and products ---


def _halves(call: _Call) -> tuple[list[XlaShape], list[XlaShape]]:
    """The arrays of a reduction, which have the same dims, and their first values."""
    arrays = call.arrays()
    half = len(arrays) // 2
    same = (x.dimensions == arrays[0].dimensions for x in arrays[:half])
    call.demand("it takes arrays of the same dims and as many values", len(arrays) == 2 * half, *same)
    return arrays[:half], arrays[half:]


@_rule("reduce")
def _reduce(call: _Call) -> AnyShape:
    arrays, inits = _halves(call)
    dims = call.dims("dimensions", arrays[0].rank)
    sizes = [size for dim, size in enumerate(arrays[0].dimensions) if dim not in dims]
    return _joined([XlaShape(x.element_type, sizes) for x in call.reducer("to_apply", arrays, inits)])


@_rule("reduce-window")
def _reduce_window(call: _Call) -> AnyShape:
    arrays, inits = _halves(call)
    call.reducer("to_apply", arrays, inits)
    places = call.windows(arrays[0].dimensions)
    return _joined([XlaShape(x.element_type, places) for x in inits])


@_rule("select-and-scatter")
def _select_and_scatter(call: _Call) -> AnyShape:
    x, source, init = call.arrays(3)
    select = call.program("select", 2)
    if select is not None:
        fits = (_agree(each, _scalar_of(x)) for each in select.parameters)
        call.demand("select compares two of its elements", _agree(select.result, _scalar("pred")), *fits)
    call.reducer("scatter", [source], [init])
    places = XlaShape(x.element_type, call.windows(x.dimensions))
    call.demand(f"its window has the places {bare_shape(places)}", _agree(source, places))
    return x


@_rule("dot ragged-dot scaled-dot")
def _dot(call: _Call) -> AnyShape:
    # operands after the second one are the sizes of groups, the scales, or facts of sparsity
    a, b, *more = call.arrays(*{"dot": (2, 3, 4), "scaled-dot": (4,), "ragged-dot": (3,)}[call.opcode])
    (left, lbatch), (right, rbatch) = (
        [call.dims(f"{side}_{kind}_dims", x.rank, ()) for kind in ("contracting", "batch")]
        for side, x in (("lhs", a), ("rhs", b))
    )
    pairs = (left, right), (lbatch, rbatch)
    same = ([a.dimensions[i] for i in x] == [b.dimensions[i] for i in y] for x, y in pairs)
    apart = set(left).isdisjoint(lbatch) and set(right).isdisjoint(rbatch)
    call.demand("contracted dims and batch dims have the same sizes", apart, *same)
    first: list[int] = []
    group: tuple[int, ...] = ()
    if call.opcode == "ragged-dot":
        (ragged,) = call.dims("lhs_ragged_dims", a.rank)
        group = call.dims("rhs_group_dims", b.rank, ())
        count = more[0].dimensions[-1:]
        fits = len(group) == (ragged not in left + lbatch) and set(group).isdisjoint(right + rbatch)
        fits = fits and all(b.dimensions[dim : dim + 1] == count for dim in group)
        call.demand("the right side has a group for each size", fits, len(count) == 1)
        first = [*count] if ragged in left else []
    first += [a.dimensions[dim] for dim in lbatch]
    free = [size for dim, size in enumerate(a.dimensions) if dim not in left + lbatch]
    free += [size for dim, size in enumerate(b.dimensions) if dim not in right + rbatch + group]
    return XlaShape(_widest(a, b), first + free)


@_rule("convolution")
def _convolution(call: _Call) -> AnyShape:
    x, kernel = call.arrays(2)
    left, right, out = re.split(r"_|->", call.attributes.get("dim_labels", ""))
    spatial = [str(i) for i in range(len(out) - 2)]
    labels = ((left, "bf"), (right, "io"), (out, "bf"))
    once = (sorted(each) == sorted([*spatial, *ends]) for each, ends in labels)
    call.demand("dim_labels= has each dim once", *once)
    sizes = dict(zip(left, x.dimensions, strict=True))
    inner = dict(zip(right, kernel.dimensions, strict=True))
    (g,), (n,) = call.ints("feature_group_count", (1,)), call.ints("batch_group_count", (1,))
    call.demand("one of its group counts is 1", g > 0, n > 0, 1 in (g, n))
    fits = sizes["f"] == inner["i"] * g, not inner["o"] % g, not inner["o"] % n, not sizes["b"] % n
    call.demand("features of groups fit the kernel", *fits)
    places = call.windows([sizes[i] for i in spatial], [inner[i] for i in spatial])
    sizes.update(zip(spatial, places, strict=True), f=inner["o"], b=sizes["b"] // n)
    return XlaShape(_widest(x, kernel), [sizes[label] for label in out])


# --- linear algebra, sorts, norms ---


@_rule("fft")
def _fft(call: _Call) -> AnyShape:
    (x,) = call.arrays(1)
    *others, last = call.ints("fft_length")
    kind, name, rank = call.attributes.get("fft_type", ""), x.element_type.name, len(others) + 1
    half = last // 2 + 1
    before = {"RFFT": last, "IRFFT": 0 if x.dimensions[-1:] == (0,) and not last else half}.get(kind)
    fits = before is None or list(x.dimensions[-rank:]) == [*others, before]
    right = name in (_WHOLES if kind == "RFFT" else _PARTS) and kind in ("FFT", "IFFT", "RFFT", "IRFFT")
    call.demand(f"{kind} takes fft_length elements of another type", right, rank <= min(3, x.rank), fits)
    if before is None:
        return x
    size = last if kind == "IRFFT" else half if last else 0
    return _like(x, {**_PARTS, **_WHOLES}[name], dimensions=(*x.dimensions[:-1], size))


@_rule("cholesky triangular-solve")
def _solve(call: _Call) -> AnyShape:
    a, *others = call.arrays(1 + (call.opcode != "cholesky"), dynamic=True)
    side = -2 if call.attributes.get("left_side") == "true" else -1
    fits = (
        (b.element_type, b.rank, b.dimensions[:-2], b.dimensions[side])
        == (a.element_type, a.rank, a.dimensions[:-2], a.dimensions[-1])
        for b in others
    )
    square = a.rank >= 2 and a.dimensions[-1] == a.dimensions[-2]
    call.demand("it takes square matrices of floats", square and all(fits), _kind(a) in "fc")
    return (a, *others)[-1]


@_rule("sort")
def _sort(call: _Call) -> AnyShape:
    arrays = call.arrays(dynamic=True)
    call.demand("they have the same dims", *(x.dimensions == arrays[0].dimensions for x in arrays))
    return _joined(arrays)


@_rule("topk")
def _topk(call: _Call) -> AnyShape:
    (x,) = call.arrays(1)
    (k,) = call.ints("k")
    call.demand(f"the last dim has {k} elements", x.rank > 0 and 0 <= k <= x.dimensions[-1])
    return XlaTuple([XlaShape(each, (*x.dimensions[:-1], k)) for each in (x.element_type, "s32")])


@_rule("batch-norm-training batch-norm-inference batch-norm-grad")
def _batch_norm(call: _Call) -> AnyShape:
    kind = call.opcode.rpartition("-")[2]
    x, *others = call.arrays({"training": 3}.get(kind, 5))
    (feature,) = call.dims("feature_index", x.rank)
    each = XlaShape(x.element_type, x.dimensions[feature : feature + 1])
    shapes = [each] * 3 + [x] if kind == "grad" else [each] * len(others)
    call.demand(f"the others are {bare_shape(each)}", _kind(x) == "f", *map(_agree, others, shapes))
    return x if kind == "inference" else XlaTuple([x, each, each])


# --- tuples, calls, tokens ---


@_rule("tuple")
def _tuple(call: _Call) -> AnyShape:
    return XlaTuple(call.operands)


_DONE = {"copy-done": 0, "all-gather-done": 1, "collective-permute-done": 1, "async-done": 1}


@_rule(" ".join(("get-tuple-element", *_DONE)))
def _element(call: _Call) -> AnyShape:
    (x,) = call.operands
    (index,) = (_DONE[call.opcode],) if call.opcode in _DONE else call.ints("index")
    elements = x.elements if isinstance(x, XlaTuple) else ()
    call.demand(f"it takes a tuple with an element {index}", 0 <= index < len(elements))
    return elements[index]


@_rule("call fusion")
def _call(call: _Call) -> AnyShape:
    program = call.known("to_apply" if call.opcode == "call" else "calls", len(call.operands))
    fits = (_agree(x, p, mixed=False) for x, p in zip(call.operands, program.parameters, strict=True))
    call.demand("its computation has parameters of their shapes", *fits)
    return program.result


@_rule("while")
def _while(call: _Call) -> AnyShape:
    (x,) = call.operands
    condition, body = call.program("condition", 1), call.program("body", 1)
    shapes = [shape for program in (condition, body) if program for shape in program.parameters]
    shapes += [body.result] if body else []
    holds = condition is None or _agree(condition.result, _scalar("pred"))
    call.demand(
        "condition and body take it, and body returns it", holds, *(_agree(x, s, False) for s in shapes)
    )
    return x


@_rule("conditional")
def _conditional(call: _Call) -> AnyShape:
    which, *operands = call.operands
    two = ("true_computation", "false_computation")
    keys = two if _agree(which, _scalar("pred")) else ("branch_computations",)
    names = [name for key in keys for name in names_in(call.attributes.get(key, ""))]
    known = [(call.programs.get(name), x) for name, x in zip(names, operands, strict=True)]
    branches = [(program, x) for program, x in known if program is not None]
    if not branches:
        call.fail("its branches are not in the text")
    result = branches[0][0].result
    fits = (
        _agree(program.result, result, False)
        and _agree(XlaTuple(program.parameters), XlaTuple([x]), False)
        for program, x in branches
    )
    number = keys is two or _agree(which, _scalar("s32"))
    call.demand("each branch takes its operand, and returns the same shape", number, *fits)
    return result


@_rule("after-all outfeed")
def _token(call: _Call) -> AnyShape:
    return _scalar("token")


@_rule("replica-id partition-id")
def _device(call: _Call) -> AnyShape:
    call.demand("it takes no operand", not call.operands)
    return _scalar("u32")
