# SPDX-License-Identifier: Apache-2.0
"""Terms: what a type tells of a value; and functions run on terms instead of values.

>>> from tla.layouts.layout import rank
>>> row = Items(tuple, (STATIC[4], OPEN))
>>> print(row, run(rank, (row,)).term, run(rank, (row, STATIC[2])).error)
(_4,int) _2 there is no mode 2 in (_4,int), of rank 2

A function is run on all values of a term. On unknown ints it is run in every case (`tla.numbers.cases`),
and its result is the part that all cases have in common. The result is an error if every case is one.
This module knows no checker; `tla.mypy_plugin` turns types into terms and back.
"""

from __future__ import annotations

import operator
import sys
from importlib import import_module
from importlib.util import find_spec
from types import BuiltinFunctionType
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple

from ..errors import TlaError, UndecidedError
from ..ground import check_of, is_constexpr, maker_of, opaques_of, types_of
from ..numbers import Int, is_asked, static_int

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

    from ..numbers import Unknown


class Term:
    """What a type tells of a value. Equal terms are one object, so that a table finds them fast."""

    __slots__ = ("is_opaque", "value")

    is_opaque: bool
    """Whether a part of it is `OPAQUE`."""
    value: Any
    """The value, if the type tells all of it; `NO_VALUE` if not."""


NO_VALUE: Final = object()


class Known(Term):
    """A known value: a static int, a literal (a dynamic int), a text, a bool, None, ``_``."""

    __slots__ = ()
    _every: ClassVar[dict[Any, Known]] = {}

    def __new__(cls, value: Any) -> Known:
        kind: Any = value.__class__
        key = kind, value
        term = cls._every.get(key)
        if term is None:
            term = cls._every[key] = super().__new__(cls)
            term.value, term.is_opaque = value, False
        return term

    def __str__(self) -> str:
        return str(self.value)


class _Named(Term):
    """A part without a known value."""

    __slots__ = ("name",)

    name: str

    def __init__(self, name: str) -> None:
        self.name = name
        self.value: Any = NO_VALUE
        self.is_opaque: bool = False

    def __str__(self) -> str:
        return self.name


OPEN: Final = _Named("int")
"""A dynamic int of unknown value."""
WHATEVER: Final = _Named("Any")
"""A part of unknown type and value."""
OPAQUE: Final = _Named("")
"""A part that functions pass on unread; it is its own value. See `tla.ground.constexpr.opaque`."""
OPAQUE.value, OPAQUE.is_opaque = OPAQUE, True


class _Parts(Term):
    """Types of tuples and records: one term for each part."""

    __slots__ = ("cls", "items")
    _every: ClassVar[dict[Any, Any]] = {}

    cls: type
    items: tuple[Term, ...]

    def __new__(cls, of: type, items: tuple[Term, ...]) -> Self:
        key = cls, of, items
        term: Self | None = _Parts._every.get(key)
        if term is None:
            term = _Parts._every[key] = super().__new__(cls)
            term.cls, term.items = of, items
            term.is_opaque = any(item.is_opaque for item in items)
            term.value = term._whole()
        return term

    def _whole(self) -> Any:
        """The value, where it is the same for all uses."""
        return NO_VALUE


class Items(_Parts):
    """A tuple, or a named tuple of the class ``cls``, by its items."""

    __slots__ = ()

    def _whole(self) -> Any:
        values = tuple([item.value for item in self.items])
        is_told = self.cls is tuple and all(value is not NO_VALUE for value in values)
        return values if is_told else NO_VALUE

    def __str__(self) -> str:
        return f"({','.join(map(str, self.items))})"


class Record(_Parts):
    """A value of a class by the attributes that its type tells; see `tla.ground.constexpr.typed_by`."""

    __slots__ = ()

    def __str__(self) -> str:
        return ":".join(filter(None, map(str, self.items)))


BITS: Final = 1024
"""The bits of the greatest int that a term holds: no memory has as many offsets."""

ITEMS: Final = 1024
"""The most items of a tuple that a term holds."""


class _Statics(dict[int, Term]):
    """The term of each static int."""

    def __missing__(self, value: int) -> Term:
        term = self[value] = OPEN if value.bit_length() > BITS else Known(static_int(value))
        return term


STATIC: Final = _Statics()


class OpenError(Exception):
    """A type or a value of which no term can be made."""


# --- terms and values ------------------------------------------------------------------------------


def build(term: Term, unknown: Callable[..., Unknown], least: int | None = None) -> Any:
    """Return a value of which only the facts of the term are known.

    Args:
        unknown: Makes an int of no known value, and of a least and a greatest value.
        least: Of the ints of this term.
    """
    if term.value is not NO_VALUE:
        return term.value
    if term is OPEN:
        return unknown(least)
    if isinstance(term, Items):
        parts = tuple([build(item, unknown, least) for item in term.items])
        return parts if term.cls is tuple else term.cls(*parts)
    if isinstance(term, Record):
        attributes = types_of(term.cls) or {}
        lows = zip(term.items, attributes.values(), strict=True)
        values = [build(item, unknown, low) for item, low in lows]
        some = maker_of(term.cls)
        if some is not None:
            return some(unknown, *values)
        value = term.cls(*values)
        if all(item.value is not NO_VALUE for item in term.items):
            term.value = value
        return value
    raise OpenError


def read(value: Any) -> Term:
    """Return the term of a value."""
    kind: Any = value.__class__
    if kind is Int:
        return STATIC[value]
    if kind is int:
        return OPEN
    if kind is tuple and len(value) <= ITEMS:
        return Items(tuple, tuple([read(item) for item in value]))
    if is_asked(value):
        return OPEN
    attributes = types_of(kind)
    if attributes is None:
        raise OpenError
    hidden = opaques_of(kind)
    parts = [OPAQUE if name in hidden else read(getattr(value, name)) for name in attributes]
    return Record(kind, tuple(parts))


def joined(a: Term, b: Term) -> Term:
    """Return the term of all facts that two terms share."""
    if a is b:
        return a
    if (a is OPEN or isinstance(a, Known)) and (b is OPEN or isinstance(b, Known)):
        return OPEN
    if (
        isinstance(a, _Parts)
        and isinstance(b, type(a))
        and (a.cls, len(a.items)) == (b.cls, len(b.items))
    ):
        return type(a)(a.cls, tuple(map(joined, a.items, b.items)))
    return WHATEVER


# --- running ----------------------------------------------------------------------------------------


class Result(NamedTuple):
    """The result of a function: a term, or the summary of its error, or neither if both are unknown."""

    term: Term | None = None
    error: str | None = None


NOTHING: Final = Result()


def run(function: Callable[..., Any], args: tuple[Term, ...], names: tuple[str, ...] = ()) -> Result:
    """Return the result of a function on all values of some terms.

    Args:
        names: The names of the last arguments, which are given by name.
    """
    if isinstance(function, Reflected):
        return run(function.forward, args[::-1])
    if check := check_of(function):
        return Result(error=run(check, args, names).error)
    first = len(args) - len(names)
    sign = function.__name__ if isinstance(function, BuiltinFunctionType) else ""
    if sign in ("lshift", "pow") and _is_endless(args):
        return NOTHING

    def call(unknown: Callable[..., Unknown]) -> Any:
        values = [build(arg, unknown) for arg in args]
        if not names:
            return function(*values)
        return function(*values[:first], **dict(zip(names, values[first:], strict=True)))

    try:
        return _result(call)
    except TypeError:
        if not sign and _takes(function, first, names):
            raise
        return NOTHING  # a checker says so itself
    except ValueError as error:
        if sign not in ("lshift", "rshift"):
            raise
        return Result(error=str(error))  # a shift is not negative


def _is_endless(args: tuple[Term, ...]) -> bool:
    """Whether a power or a shift may be too long; other results are about as long as their operands."""
    known = [arg.value for arg in args[1:] if isinstance(arg, Known)]  # there may be too few, or many
    return any(isinstance(by, int) and by > BITS for by in known)


def _result(call: Callable[..., Any]) -> Result:
    try:
        return Result(read(call(_none_is_open)))
    except (TlaError, ArithmeticError) as error:
        return NOTHING if isinstance(error, UndecidedError) else Result(error=_summary(error))
    except OpenError:
        return NOTHING
    except _OpenIntError:
        return _in_all_cases(call)


def _in_all_cases(call: Callable[..., Any]) -> Result:
    from ..numbers import cases

    whole: Term | None = None
    last: Exception | None = None
    try:
        for case in cases(call):
            if case.error is None:
                term = read(case.result)
                whole = term if whole is None else joined(whole, term)
            else:
                last = case.error  # the general case: no int is 0 or negative, no two are equal
    except (UndecidedError, OpenError):
        return NOTHING
    return Result(error=_summary(last)) if whole is None and last is not None else Result(whole)


class _OpenIntError(Exception):
    """There is an int of no known value."""


def _none_is_open(least: int | None = None, greatest: int | None = None) -> Any:
    raise _OpenIntError


def _summary(error: Exception) -> str:
    return error.summary if isinstance(error, TlaError) else str(error)


def _takes(function: Callable[..., Any], first: int, names: tuple[str, ...]) -> bool:
    """Whether a function takes this number of arguments, and these names."""
    from inspect import signature

    try:
        signature(function).bind(*[None] * first, **dict.fromkeys(names))
    except TypeError:
        return False
    return True


# --- what is marked ---------------------------------------------------------------------------------


def defined(fullname: str) -> Any:
    """Return the object of a name in the library, and load its module; None if there is none."""
    package, *parts = fullname.split(".")
    if package != "tla":
        return None
    value: Any = import_module(package)
    while parts and hasattr(value, "__path__"):
        name = f"{value.__name__}.{parts[0]}"
        if name not in sys.modules and find_spec(name) is None:
            break
        value = import_module(name)
        del parts[0]
    for name in parts:
        value = getattr(value, name, None)
    return value


def getter(fullname: str) -> Callable[..., Any] | None:
    """Return the function of an attribute; None unless it is a property marked `constexpr`."""
    value = defined(fullname)
    return value.fget if isinstance(value, property) and is_constexpr(value.fget) else None


def marked(fullname: str) -> Callable[..., Any] | None:
    """Return the function of a call; None unless it is marked `constexpr`."""
    owner, _dot, name = fullname.rpartition(".")
    value = defined(fullname)
    if name.startswith("__") and isinstance(cls := defined(owner), type):
        forward = _operator(name)
        if forward is not None:
            return forward if is_constexpr(vars(cls).get(name)) else None
        plain = f"__{name[3:]}"
        backward = _operator(plain)
        if name[:3] == "__r" and backward is not None and is_constexpr(vars(cls).get(plain)):
            return Reflected(backward)
    return value if is_constexpr(value) else None


class Reflected:
    """An operator asked of its right operand."""

    __slots__ = ("forward",)

    forward: Callable[..., Any]

    def __init__(self, forward: Callable[..., Any]) -> None:
        self.forward = forward

    def __call__(self, right: Any, left: Any) -> Any:
        return self.forward(left, right)


def _operator(name: str) -> Callable[..., Any] | None:
    """Return the function that asks both operands; a method alone fails on an int of unknown value."""
    ask: Callable[..., Any] | None = divmod if name == "__divmod__" else getattr(operator, name, None)
    return ask
