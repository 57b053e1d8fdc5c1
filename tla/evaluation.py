# SPDX-License-Identifier: Apache-2.0
"""Expressions over layouts, in the notation and with the names of the operations.

>>> print(evaluate("make_layout_tile((8,6):(6,1), (4,3))"))
(4,3):(6,1)
>>> evaluate("(4,2):(2,1) (3,1)"), evaluate("size(get((4,(2,3)):(1,(4,8)), 1))")
(7, 6)
>>> print(evaluate("(4,2):(2,1) (_,1)"), evaluate("Swizzle(2,0,3)(8)"))
(4):(2) 9

=========================== ====================================================================
expression                  value
=========================== ====================================================================
``4``, ``_4``, ``(4,(2))``  an int, a static one, an int tuple, as in `tla.layouts.notation`
``M{div=16}``, ``M/16+1``   a symbolic int, as in `tla.numbers.reading`
``s:d``, ``s:d:o``          the layout of a shape, a stride and an origin shape
``Sw<2,0,3>``               a swizzle; ``Sw<2,0,3> o 0 o (8,8):(8,1)`` is a composed layout
``name(x, y, key=z)``       the value of an operation, `OPERATIONS`
``size(4:2) * 2 + 1``       a sum of ints and names, of values of operations too
``get<0,1>(x)``, ``tla::MakeShape(4,2)``: C++'s spelling of some, ``get(x, 0, 1)``
``Int<4>{}``, ``int{2}``, ``Shape<_4,_2>{}``: what `from_cpp` reads, a type or a value of one
``auto a = 4:2; print(size(a));``: the value of the last statement; ``//`` behind one is a comment
``layout(c)``               its offset at a coordinate; the layout of the modes kept if ``c`` has `_`
``(x,y)``, ``_``            a tuple, as a tiler or a coordinate; the mode left alone, or kept
``true``, ``false``         the answers of a predicate, and options; ``True``, ``False`` too
``zN<half>(20,48)``         what the caller has for it: a layout by its tag, in `tla.cli`
``f32[3,5]{1,0:T(2,2)}``    the same, of an XLA shape
=========================== ====================================================================

Where an expression may stand for an int tuple it may be any that has such a value: ``size(4:2):1``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, ClassVar, Final, NoReturn, TypeAlias

from . import algebra, layouts, numbers
from .errors import LeafError, ParseError, TlaError
from .ground import (
    MAX_DEPTH,
    guarded,
    is_too_long,
    limit_of,
    most_digits,
    near_words,
    read_typed,
    shortened,
    way_out,
)
from .layouts import (
    ComposedLayout,
    Layout,
    NamingScanner,
    _,
    accept_o,
    blame_brackets,
    has_underscore,
    is_composed,
    is_layout,
    is_swizzle,
    items_at,
    leaf_at,
    swizzle_at,
    swizzle_follows,
    text_of,
    tuple_or_expr,
    value_at,
)
from .numbers import SymbolicInt, expr_at, goes_on, is_tuple, limit_nesting

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from inspect import Parameter

    from .numbers import Names

__all__ = ["OPERATIONS", "Call", "evaluate", "text_of_value"]

_ROOMS: Final[dict[str, Any]] = {
    name: room
    for room, names in (
        (numbers, "Int ceil_div round_up"),
        (layouts, "compatible congruent flatten product shape_div unflatten weakly_congruent"),
        (layouts, "compact_col_major compact_row_major crd2crd crd2idx crd2offset idx2crd"),
        (layouts, "linear_index linear_index_with_tile make_coord make_shape make_stride make_tile"),
        (layouts, "make_tuple"),
        (layouts, "Layout make_layout make_layout_like make_ordered_layout"),
        (layouts, "cosize depth dice get rank shape size slice_ slice_and_offset stride"),
        (layouts, "col_major nN nZ row_major zN zZ"),
        (layouts, "ComposedLayout Swizzle get_tile_layout make_layout_tile"),
        (algebra, "coalesce filter filter_zeros composition complement"),
        (algebra, "right_inverse left_inverse nullspace"),
        (algebra, "logical_divide zipped_divide tiled_divide flat_divide"),
        (algebra, "logical_product zipped_product tiled_product flat_product"),
        (algebra, "blocked_product raked_product tile_to_shape make_layout_tv"),
        (algebra, "max_common_layout max_common_vector max_alignment"),
        (algebra, "upcast downcast recast_layout domain_offset domain_distribute"),
        (algebra, "group group_modes append prepend replace reverse select take mutual_refinement"),
        (algebra, "is_injective is_surjective_onto is_bijective is_contiguous same_function"),
    )
    for name in names.split()
}
"""The room of each operation."""
_ALIASES: Final = {"compose": "composition"}
_TRUTH: Final = {"true": True, "True": True, "false": False, "False": False}

Call: TypeAlias = "tuple[str, tuple[Any, ...], dict[str, Any]]"
"""A call of an operation: its name, its arguments and its options."""

Tagged: TypeAlias = "Callable[[NamingScanner], Any]"
"""A reader of values that begin with a name and ``<`` or ``[``, at a scanner that has come to one."""

OPERATIONS: Final = tuple(sorted([*_ROOMS, *_ALIASES]))
"""The names that may be called."""


class _Reader(NamingScanner):
    """A scanner that also notes each call of an operation, with its arguments."""

    __slots__ = ("calls", "tagged", "variables")

    operations: ClassVar[frozenset[str]] = frozenset(OPERATIONS)

    def typed_at(self) -> Any:
        start, typed = self.at, _CPP.match(self.text, self.at)
        return typed and self._int(start, _cpp_at(self, typed))

    def call_at(self, start: int, name: str, room: int) -> Any:
        self.at = start
        return self._int(start, _named(self, room, ""))

    def _int(self, start: int, value: Any) -> Any:
        if not isinstance(value, int | SymbolicInt) or isinstance(value, bool):
            self.fail(f"an operator takes ints, not {_in_words(value)}", start, self.last)
        return value

    def __init__(self, text: str, calls: list[Call] | None, symbols: Any, tagged: Tagged | None) -> None:
        super().__init__(text, symbols)
        self.calls = calls
        self.tagged = tagged
        self.place = "s"
        self.variables: dict[str, Any] = {}


@limit_nesting
@guarded
def evaluate(
    text: str,
    calls: list[Call] | None = None,
    symbols: Mapping[str, Any] | Names | None = None,
    tagged: Tagged | None = None,
) -> Any:
    """Return the value of an expression: a layout, an int or int tuple, a bool, or a tuple of values.

    ``evaluate(text_of_value(x)) == x`` for each such value.

    >>> evaluate("congruent((4,(2,3)), shape((1,(7,7)):(0,(0,0))))")
    True
    >>> evaluate("make_layout((4,2), strid=(2,1))")
    Traceback (most recent call last):
        ...
    tla.errors.ParseError: make_layout has no argument 'strid'; did you mean stride?
      It is called as make_layout(shape, [stride], [origin_shape], *layouts).
      line 1, column 20
        make_layout((4,2), strid=(2,1))
                           ^^^^^

    Args:
        calls: Receives each call of an operation, with its arguments, in order.
        symbols: What names stand for, as in `tla.parse`.
        tagged: What reads a value that begins with a name and ``<`` or ``[``, as ``zN<half>(20,48)``.

    Raises:
        ParseError: the text is no expression, an operation is not known or is given arguments that
            it does not take; the error points at the character.
        TlaError: an operation has no value; its own error.
    """
    try:
        return read_typed(_whole, text, calls, symbols, tagged)
    except ParseError as error:
        blame_brackets(text, error)
        raise


def _whole(text: str, calls: list[Call] | None, symbols: Any, tagged: Tagged | None) -> Any:
    scan = _Reader(text, calls, symbols, tagged)
    value = _statement(scan)
    while scan.accept(";"):
        if comment := _COMMENT.match(scan.text, scan.at):
            scan.pass_to(comment.end())
        if not scan.peek():
            break
        value = _statement(scan)
    if scan.peek() == "[":
        scan.fail("a coordinate stands in ( ), as (4,8):(8,1)(1,2); `_` there keeps a mode")
    if goes_on(scan):
        scan.fail(f"{scan.found()} stands between ints, not behind {_in_words(value)}")
    scan.expect_end()
    return value


def _statement(scan: _Reader) -> Any:
    """``[[type] name =] expression``, or ``print(expression)``."""
    declared = _DECLARED.match(scan.text, scan.at)
    if declared is not None:
        scan.pass_to(declared.end())
    if printed := _PRINT.match(scan.text, scan.at):
        scan.pass_to(printed.end())
    value = _expression(scan, MAX_DEPTH)
    if printed:
        scan.expect(")", "after what is printed")
    if declared is not None:
        scan.variables[declared[1]] = value
        if isinstance(value, int | SymbolicInt):
            scan.names.define(declared[1], value)
    return value


_DECLARED: Final = re.compile(r"(?:(?:const\s+)?(?:auto|(?:\w+::)*[A-Z]\w*)\s+)?([A-Za-z]\w*)\s*=(?!=)")
"""The beginning of a statement that defines a name."""
_PRINT: Final = re.compile(r"(?:\w+::)*print\s*\(")
_COMMENT: Final = re.compile(r"(?://[^\n]*\s*)+")


@limit_nesting
def text_of_value(value: Any) -> str:
    """Return the expression of a value: its notation, with ``true`` and ``false`` for bools.

    >>> text_of_value((Layout((_4, 2)), (3,), True, _))
    '((_4,2):(_1,_4),(3),true,_)'

    Raises:
        LeafError: it is no value of an expression.
    """
    if is_tuple(value):
        return f"({','.join(map(text_of_value, value))})"
    if isinstance(value, bool):
        return "true" if value else "false"
    if _is_function(value) or value is _ or isinstance(value, int | SymbolicInt):
        return text_of(value) if isinstance(value, int) else str(value)
    raise LeafError(f"expected a layout, an int, a bool or a tuple of them, got {type(value).__name__}")


# --- the grammar ------------------------------------------------------------------------------


def _expression(scan: _Reader, room: int) -> Any:
    """``part ['o' offset 'o' part] ['(' coordinate ')']*``"""
    start = scan.at
    value = _part(scan, room)
    if accept_o(scan):
        value = _composed(scan, room, start, value)
    while scan.peek() == "(":
        value = _at_coordinate(scan, room, start, value)
    return _with_operators(scan, room, value)


def _with_operators(scan: _Reader, room: int, left: Any) -> Any:
    """The value of an expression, of which the first factor has been passed."""
    is_int = isinstance(left, int | SymbolicInt) and not isinstance(left, bool)
    return expr_at(scan, scan.names, room, "", left) if is_int and goes_on(scan) else left


def _part(scan: _Reader, room: int) -> Any:
    """``operand [':' stride [':' origin]]``"""
    start = scan.at
    value = _operand(scan, room, "an expression")
    if scan.peek() != ":":
        return value
    _demand_ints(scan, start, value, "a shape")
    scan.accept(":")
    scan.place = "d"
    steps = _ints(scan, room, "a stride")
    scan.place = "s"
    origin = _ints(scan, room, "an origin shape") if scan.accept(":") else None
    return _result(scan, start, "the layout", value_at, scan, start, Layout, value, steps, origin)


def _operand(scan: _Reader, room: int, what: str) -> Any:
    """A leaf, `_`, a tuple, or what begins with a name."""
    start, char = scan.at, scan.peek()
    if char == "(":
        items = [_expression(scan, room - 1) for _place in items_at(scan, room)]
        return tuple_or_expr(scan, tuple(items), what)
    if typed := _CPP.match(scan.text, start):
        return _with_operators(scan, room, _cpp_at(scan, typed))
    if char.isalpha():
        return _with_operators(scan, room, _named(scan, room, what))
    if char == "_":
        after = scan.text[scan.at + 1 : scan.at + 2]
        if not (after.isalnum() or (after and after in "_-.")):  # else a static int, or none
            scan.accept("_")
            return _
    return _with_operators(scan, room, leaf_at(scan, what))


def _ints(scan: _Reader, room: int, what: str) -> Any:
    """An operand whose value is an int tuple."""
    start = scan.at
    value = _operand(scan, room, what)
    _demand_ints(scan, start, value, what)
    return value


def _demand_ints(scan: _Reader, start: int, value: Any, what: str) -> None:
    if not _is_coordinate(value) or has_underscore(value):
        scan.fail(f"{what} is an int tuple, not {_in_words(value)}", start, scan.last)


def _named(scan: _Reader, room: int, what: str) -> Any:
    """A bool, a swizzle ``Sw<2,0,3>``, an operation with its arguments, or a symbolic int."""
    if swizzle_follows(scan):
        return swizzle_at(scan)
    start = scan.at
    name = scan.word()
    if name in ("tla", "cute") and scan.accept("::"):
        name = scan.word()
    if name in scan.variables and (name not in OPERATIONS or scan.peek() != "("):
        return scan.variables[name]
    name = _snake(name) if scan.peek() in ("(", "<") else name
    if name in _TRUTH:
        return _TRUTH[name]
    is_path = name in OPERATIONS and re.match(r"<\s*_?-?[0-9]", scan.text[scan.at :])
    if scan.tagged is not None and not is_path and scan.text.startswith(("<", "::", "["), scan.at):
        scan.at = start
        return scan.tagged(scan)
    if name not in OPERATIONS and (scan.peek() not in ("(", "[") or name in ("min", "max")):
        scan.at = start
        return leaf_at(scan, what)
    operation = _operation(scan, start, name)
    path: list[_Argument] = []
    if is_path and scan.accept("<"):  # get<0,1>(x) is get(x, 0, 1)
        while not scan.accept(">"):
            begin = scan.at
            path.append((begin, scan.last, "", leaf_at(scan, "an int")))
            if not scan.accept(",") and scan.peek() != ">":
                scan.fail(f"expected ',' or '>', found {scan.found()}")
    if scan.peek() != "(":
        scan.fail(f"expected '(' and the arguments of {name}, found {scan.found()}")
    arguments: list[_Argument] = []
    for _place in items_at(scan, room):
        begin, key = scan.at, _key(scan)
        value = _expression(scan, room - 1)
        arguments.append((begin, scan.last, key, value))
    arguments += path
    positional, named = _bind(scan, name, operation, arguments)
    value = _result(scan, start, name, operation, *positional, **named)
    if scan.calls is not None:
        scan.calls.append((name, tuple(positional), named))
    return value


_CPP: Final = re.compile(
    r"(?:\w+::)*(?:(?:Shape|Stride|Coord|Tile|Layout|tuple|C|Int|integral_constant)\s*(?=<)"
    r"|(?:u?int(?:\d+_t)?|size_t|long|unsigned)\s*(?=[{(])|_\d+\s*(?=\{))"
)
"""The beginning of a type of C++ that is a value, or of a value with its type."""
_EMPTY: Final = re.compile(r"\s*(?:\{\s*\}|\(\s*\))")


def _cpp_at(scan: _Reader, typed: re.Match[str]) -> Any:
    """The value of a type of C++, with the brackets that follow it."""
    from .cpp import from_cpp

    start, end = typed.start(), _end_of_bracket(scan.text, typed.end())
    if empty := _EMPTY.match(scan.text, end):
        end = empty.end()
    try:
        value = from_cpp(scan.text[start:end])
    except ParseError as error:
        raise ParseError(
            error.summary, scan.text, start + error.start, start + error.end, *error.details
        ) from None
    scan.pass_to(end)
    return value


def _end_of_bracket(text: str, start: int) -> int:
    """The place behind the bracket that is closed again; the end of the text if none is."""
    pair = text[start] + {"<": ">", "{": "}", "(": ")"}[text[start]]
    depth = 0
    for at in range(start, len(text)):
        depth += (1, -1, 0)[pair.find(text[at])]
        if not depth:
            return at + 1
    return len(text)


def _snake(name: str) -> str:
    """The operation that CATLASS spells so: ``MakeLayout`` is ``make_layout``; else the name itself."""
    snake = re.sub("(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    return snake if name not in OPERATIONS and snake in OPERATIONS else name


def _key(scan: _Reader) -> str:
    """The ``key`` of an argument ``key=value``, or "" where it has none."""
    start = scan.at
    if scan.peek().isalpha():
        key = scan.word()
        if scan.accept("="):
            return key
        scan.at = start
    return ""


def _composed(scan: _Reader, room: int, start: int, outer: Any) -> Any:
    """``outer o offset o inner``, of which the first ``o`` has been passed."""
    at = scan.at
    offset = _operand(scan, room, "an offset")
    if not isinstance(offset, int | SymbolicInt) or isinstance(offset, bool):
        scan.fail(f"an offset is an int, not {_in_words(offset)}", at, scan.last)
    if not accept_o(scan):
        scan.fail(f"expected 'o' and the inner layout, found {scan.found()}")
    at, inner = scan.at, _part(scan, room)
    if accept_o(scan):
        inner = _composed(scan, room - 1, at, inner)
    return value_at(scan, start, ComposedLayout, outer, offset, inner)


def _at_coordinate(scan: _Reader, room: int, start: int, function: Any) -> Any:
    """The offset of a coordinate in parentheses, or the layout of the modes that it keeps."""
    opened = scan.at
    if not _is_function(function):
        is_one = is_tuple(function) and len(function) == 1 and not _is_coordinate(function)
        hint = ["Parentheses make a tuple of one: leave them out."] if is_one else []
        raise ParseError(
            f"only a layout takes a coordinate, not {_in_words(function)}",
            scan.text,
            opened,
            None,
            *hint,
        )
    parts: list[Any] = []
    for _place in items_at(scan, room):
        at = scan.at
        part = _expression(scan, room - 1)
        if not _is_coordinate(part):
            scan.fail(f"a coordinate is made of ints and '_', not {_in_words(part)}", at, scan.last)
        parts.append(part)
    coord = parts[0] if len(parts) == 1 else tuple(parts)
    if not has_underscore(coord):
        return _result(scan, start, "the layout", function, coord)
    if is_swizzle(function):
        scan.fail("a swizzle takes an int; it has no modes to keep", opened, scan.last)
    return _result(scan, start, "the layout", function.__getitem__, coord)


# --- operations and their arguments -----------------------------------------------------------


def _operation(scan: _Reader, start: int, name: str) -> Any:
    """The operation of a name; the error suggests those that look alike."""
    known = _ALIASES.get(name, name)
    if known not in _ROOMS:
        is_of_python = any(name in room.__all__ for room in _ROOMS.values())
        why = f": tla.{name} is for Python" if is_of_python else _nearest(name, OPERATIONS)
        listed = ["'tla eval --help' lists the operations."] if is_of_python else []
        summary = f"there is no operation {shortened(name)!r}{why}"
        scan.fail(summary, start, start + len(name), *listed)
    return getattr(_ROOMS[known], known)


def _nearest(name: str, names: tuple[str, ...]) -> str:
    """The end of an error: which name may be meant."""
    near = near_words(name, names)
    return f"; did you mean {near[0]}?" if near else ""


_Argument: TypeAlias = "tuple[int, int, str, Any]"
"""The span of an argument in the text, its key or "", and its value."""


def _bind(
    scan: _Reader, name: str, operation: Callable[..., Any], arguments: list[_Argument]
) -> tuple[list[Any], dict[str, Any]]:
    """Return the arguments by place and by key, if the operation takes them."""
    from inspect import signature  # slow to load

    parameters = [p for p in signature(operation).parameters.values() if p.kind is not p.VAR_KEYWORD]
    by_place = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    by_key = {p.name: p for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
    places, rest = iter(by_place), next((p for p in parameters if p.kind is p.VAR_POSITIONAL), None)

    def refuse(summary: str, start: int, stop: int, *details: str) -> NoReturn:
        usage = f"It is called as {name}({', '.join(map(_usage, parameters))})."
        raise ParseError(summary, scan.text, start, stop, usage, *details)

    taken: set[str] = set()
    positional: list[Any] = []
    named: dict[str, Any] = {}
    for start, stop, key, value in arguments:
        if key:
            parameter = by_key.get(key)
            if parameter is None:
                near = _nearest(key, tuple(by_key))
                refuse(f"{name} has no argument {shortened(key)!r}{near}", start, start + len(key))
            if key in taken:
                refuse(f"{name} is given {key!r} twice", start, start + len(key))
            named[key] = value
        elif named:
            refuse("an argument without a key stands after one with a key", start, stop)
        else:
            parameter = next(places, rest)
            if parameter is None:
                count = f"{len(by_place)} argument{'' if len(by_place) == 1 else 's'}"
                refuse(f"{name} takes {count} in place, and this is one more", start, stop)
            positional.append(value)
        taken.add(parameter.name)
        if parameter.name == "upto" and isinstance(value, int) and value > limit_of("rank"):
            summary = f"{name} takes at most {limit_of('rank')} as 'upto', not {_in_words(value)}"
            refuse(summary, start, stop, way_out("rank", value))
        wanted = _wanted(parameter, value)
        if wanted:
            refuse(f"{name} takes {wanted} as {parameter.name!r}, not {_in_words(value)}", start, stop)
    for p in (*by_place, *by_key.values()):
        if p.default is p.empty and p.name not in taken:
            refuse(f"{name} is not given {p.name!r}", scan.last - 1, scan.last)
    return positional, named


def _usage(parameter: Parameter) -> str:
    """A parameter in words: in brackets if it can be left out."""
    if parameter.kind is parameter.VAR_POSITIONAL:
        return f"*{parameter.name}"
    return parameter.name if parameter.default is parameter.empty else f"[{parameter.name}]"


def _wanted(parameter: Parameter, value: Any) -> str:
    """What a parameter takes, as far as it tells, where the value is something else."""
    annotation = str(parameter.annotation)
    if annotation == "bool" and not isinstance(value, bool):
        return "true or false"
    wants_layout = annotation.startswith(("AnyLayout", "Layout[")) and "|" not in annotation
    return "a layout" if wants_layout and not _is_function(value) else ""


def _result(
    scan: _Reader,
    start: int,
    name: str,
    operation: Callable[..., Any],
    /,
    *given: Any,
    **named: Any,
) -> Any:
    """The value of an operation written from ``start`` on; its own errors as they are."""
    try:
        value = operation(*given, **named)
    except TlaError:
        raise
    except (AttributeError, TypeError) as error:  # an argument of a kind that it does not expect
        why = shortened(" ".join(str(error).split()), 100)
        scan.fail(f"{name} does not take such arguments: {why}", start, scan.last)
    except (MemoryError, OverflowError, ValueError):  # ValueError: an int too long to print
        scan.fail(f"{name} leads to ints or tuples that are too large", start, scan.last)
    if _is_too_long(value):
        summary = f"{name} has an int of more than {most_digits()} digits"
        scan.fail(summary, start, scan.last, way_out("digits"))
    return value


# --- kinds of values --------------------------------------------------------------------------


def _is_coordinate(value: Any) -> bool:
    """Whether a value is made of ints and `_` alone."""
    if is_tuple(value):
        return all(map(_is_coordinate, value))
    return value is _ or (isinstance(value, int | SymbolicInt) and not isinstance(value, bool))


def _is_function(value: Any) -> bool:
    """Whether a value takes a coordinate."""
    return is_layout(value) or is_composed(value) or is_swizzle(value)


def _is_too_long(value: Any) -> bool:
    """Whether an int of a value has more digits than are read or printed."""
    if is_tuple(value):
        return any(map(_is_too_long, value))
    if is_layout(value):
        return _is_too_long((value.shape, value.stride, value.origin_shape))
    if is_composed(value):
        return _is_too_long((value.outer, value.offset, value.inner))
    return isinstance(value, int) and is_too_long(value)


def _in_words(value: Any) -> str:
    """A value with its kind, for an error."""
    if is_tuple(value):
        kind = "the int tuple" if _is_coordinate(value) and not has_underscore(value) else "the tuple"
    elif is_layout(value):
        kind = "the layout"
    elif isinstance(value, int | SymbolicInt) and not isinstance(value, bool):
        kind = "the int"
    else:
        kind = "the composed layout" if isinstance(value, ComposedLayout) else ""
    return f"{kind} {shortened(text_of_value(value))}".strip()
