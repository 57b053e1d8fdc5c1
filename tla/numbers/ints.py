# SPDX-License-Identifier: Apache-2.0
"""Integers of a layout: static `Int`, dynamic `int`, and the protocol that a symbolic int follows.

A static int is known to the type checker, a dynamic one to the run. Arithmetic follows C++ TLA:
static op static is static, anything else is dynamic. So ``_0 * n`` is dynamic, unlike in CuTe.

>>> _2 * _12, _2 * 12, Int(4) is _4
(_24, 24, True)

An `Int` is an `int` and works wherever one does. These traps remain, each with its way out:

- ``max`` and ``min`` return one of their arguments, so ``max(_2, 1)`` is static: use `max_`, `min_`.
- ``sum`` starts from a dynamic 0 and ``math.prod`` from a dynamic 1: pass ``start=_0``, ``start=_1``.
- ``str(_2)`` and ``f"{_2}"`` print the notation, ``_2``; ``f"{_2:d}"`` prints the digits.
- ``_7 / _2`` is Python's true division, a float; ``//`` is the floor (C++ truncates towards zero).
- ``_2 == 2``, with equal hashes: a cache keyed by a layout must key on `static_mask` too.
- A numpy int is dynamic, and numpy arithmetic with an `Int` gives a numpy int.
"""

from __future__ import annotations

from functools import wraps
from operator import index
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Generic,
    Literal,
    ParamSpec,
    SupportsIndex,
    TypeAlias,
    TypeVar,
    Union,
    overload,
)

from ..errors import (
    ArgumentError,
    CongruenceError,
    DivisibilityError,
    LayoutError,
    LeafError,
    StaticIntError,
    TlaError,
    UndecidedError,
    UnsupportedError,
    ZeroDivisorError,
)
from ..ground import (
    SMALL,
    constexpr,
    described,
    limit_error,
    limit_of,
    naming_argument,
    naming_call,
    refuse,
    refused_digits,
    shown,
    way_out,
    written,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from typing_extensions import TypeIs

# The bound admits what `int` admits; naming a Literal in it makes mypy keep the literal of an
# argument, so that Int(70000) is an Int[Literal[70000]].
_N = TypeVar("_N", bound=Union[int, Literal[True]], covariant=True)
# pyright keeps a literal only under a bound of literals alone: the values that layouts use most.
if TYPE_CHECKING:  # a long literal takes a while to build
    _Usual = Literal[
        0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25,
        26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49,
        50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73,
        74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97,
        98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116,
        117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 160, 192, 224, 256, 384, 512, 768,
        1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072,
    ]  # fmt: skip
_K = TypeVar("_K", bound="_Usual")
# The other operand, and so the result: of no other type than these two.
_Other = TypeVar("_Other", "Int[int]", int)


def plain_int(x: Any) -> int | None:
    """Return the plain value of an int of any kind; None of anything else, bools and floats included."""
    if type(x) is int:
        return x
    try:
        return None if type(x) is bool else int(index(x))
    except TypeError:  # an array of several has an __index__ too
        return None


class _Interned(dict[int, Any]):
    """The one `Int` of each value, made when it is first asked for."""

    def __missing__(self, value: int) -> Any:
        return self.setdefault(int(value), int.__new__(Int, value))


_interned = _Interned()

static_int: Callable[[int], Any] = _interned.__getitem__
"""Return the one `Int` of an exact int's value."""


@constexpr
class Int(int, Generic[_N]):
    """A static integer: an `int` whose value is part of its type. Equal values are one object.

    >>> Int(4) + Int(3), Int(4) + 3, -Int(4), Int(-4)
    (_7, 7, Int(-4), Int(-4))

    Annotate with ``Int[Literal[4]]``. ``str`` is the notation of layouts, ``repr`` is Python:

    >>> str(Int(-4)), str(Int(70000)), repr(Int(70000))
    ('_-4', '_70000', 'Int(70000)')

    Raises:
        StaticIntError: the value is a bool, a float, or has no ``__index__``.
    Source: CATLASS ``tla::C`` and ``tla::Int``, integral_constant.hpp.
    """

    __slots__ = ()

    @overload
    def __new__(cls, value: _K, /) -> Int[_K]: ...
    @overload
    def __new__(cls, value: _N, /) -> Int[_N]: ...
    @overload
    def __new__(cls, value: SupportsIndex, /) -> Int[int]: ...
    def __new__(cls, value: Any, /) -> Any:
        plain = plain_int(value)
        if plain is None:
            raise StaticIntError(f"a static int needs an int, not {described(value)}", value=value)
        return static_int(plain)

    if not TYPE_CHECKING:

        def __class_getitem__(cls, key):
            """Accept ``Int[4]`` and ``Int[_4]`` as well as ``Int[Literal[4]]`` at run time."""
            return super().__class_getitem__(Literal[int(key)] if isinstance(key, int) else key)

    def __str__(self) -> str:
        try:
            return f"_{self:d}"
        except ValueError as error:
            raise refused_digits(error) from None

    def __repr__(self) -> str:
        return f"_{self:d}" if self in _NAMED else f"Int({str(self)[1:]})"

    def __reduce__(self) -> tuple[type[Int[int]], tuple[int]]:
        return Int, (int(self),)

    @constexpr
    def __pow__(self, other: int, mod: int | None = None, /) -> Any:  # a negative power is a float
        try:
            if mod is None and plain_int(other) is not None and self.bit_length() * other > _MOST_BITS:
                raise OverflowError(f"a power of more than {_MOST_BITS} bits")
            r = int.__pow__(self, other, mod)
        except (ArithmeticError, ValueError) as error:
            raise _no_result(error) from None
        static = type(r) is int and type(other) is Int and (mod is None or type(mod) is Int)
        return static_int(r) if static else r

    @constexpr
    def __divmod__(self, other: int, /) -> tuple[int, int]:
        try:
            r = int.__divmod__(self, other)
        except ZeroDivisionError as error:
            raise _no_result(error) from None
        return (static_int(r[0]), static_int(r[1])) if type(other) is Int else r

    @constexpr
    def __neg__(self) -> Int[int]:
        r: Int[int] = static_int(int.__neg__(self))
        return r

    @constexpr
    def __pos__(self) -> Int[_N]:
        return self

    @constexpr
    def __abs__(self) -> Int[int]:
        r: Int[int] = static_int(int.__abs__(self))
        return r

    @constexpr
    def __invert__(self) -> Int[int]:
        r: Int[int] = static_int(int.__invert__(self))
        return r

    if TYPE_CHECKING:
        # One signature each, no overloads: the checker's plugin is asked once, and its errors come out.
        def __add__(self, other: _Other, /) -> _Other: ...
        def __sub__(self, other: _Other, /) -> _Other: ...
        def __mul__(self, other: _Other, /) -> _Other: ...
        def __floordiv__(self, other: _Other, /) -> _Other: ...
        def __mod__(self, other: _Other, /) -> _Other: ...
        def __and__(self, other: _Other, /) -> _Other: ...
        def __or__(self, other: _Other, /) -> _Other: ...
        def __xor__(self, other: _Other, /) -> _Other: ...
        def __lshift__(self, other: _Other, /) -> _Other: ...
        def __rshift__(self, other: _Other, /) -> _Other: ...
        # mypy may ask the right operand first; in the run those of int serve
        def __radd__(self, other: _Other, /) -> _Other: ...
        def __rsub__(self, other: _Other, /) -> _Other: ...
        def __rmul__(self, other: _Other, /) -> _Other: ...
        def __rfloordiv__(self, other: _Other, /) -> _Other: ...
        def __rmod__(self, other: _Other, /) -> _Other: ...
        def __rand__(self, other: _Other, /) -> _Other: ...
        def __ror__(self, other: _Other, /) -> _Other: ...
        def __rxor__(self, other: _Other, /) -> _Other: ...
        def __rlshift__(self, other: _Other, /) -> _Other: ...
        def __rrshift__(self, other: _Other, /) -> _Other: ...
        def __rpow__(self, other: int, mod: int | None = None, /) -> Any: ...
        def __rdivmod__(self, other: int, /) -> tuple[int, int]: ...


_MOST_BITS = 1 << 24
"""Of a power: Python would go on until there is no memory."""


def _no_result(error: Exception) -> ArgumentError | ZeroDivisorError:
    """The error of an operator of int: a division by 0, a negative shift, a result without end."""
    kind = ZeroDivisorError if isinstance(error, ZeroDivisionError) else ArgumentError
    return kind(str(error) or "an int that does not fit in memory")


def _static(operation: Callable[[int, Any], Any]) -> Callable[[Int[int], Any], Any]:
    """An operator of int that gives an `Int` for two of them.

    The builtin one answers first, so what it refuses (a float) falls to the other operand.
    """

    @constexpr
    @wraps(operation)
    def operate(self: Int[int], other: Any, /) -> Any:
        try:
            r = operation(self, other)
        except (ArithmeticError, MemoryError, ValueError) as error:
            raise _no_result(error) from None
        return _interned[r] if type(other) is Int else r

    return operate


for _name in ("add", "sub", "mul", "floordiv", "mod", "and", "or", "xor", "lshift", "rshift"):
    setattr(Int, f"__{_name}__", _static(getattr(int, f"__{_name}__")))


_0, _1, _2, _3, _4, _5, _6, _7 = Int(0), Int(1), Int(2), Int(3), Int(4), Int(5), Int(6), Int(7)
_8, _9, _10, _11, _12, _13, _14 = Int(8), Int(9), Int(10), Int(11), Int(12), Int(13), Int(14)
_15, _16, _17, _18, _19, _20, _21 = Int(15), Int(16), Int(17), Int(18), Int(19), Int(20), Int(21)
_22, _23, _24, _25, _26, _27, _28 = Int(22), Int(23), Int(24), Int(25), Int(26), Int(27), Int(28)
_29, _30, _31, _32, _33, _34, _35 = Int(29), Int(30), Int(31), Int(32), Int(33), Int(34), Int(35)
_36, _37, _38, _39, _40, _41, _42 = Int(36), Int(37), Int(38), Int(39), Int(40), Int(41), Int(42)
_43, _44, _45, _46, _47, _48, _49 = Int(43), Int(44), Int(45), Int(46), Int(47), Int(48), Int(49)
_50, _51, _52, _53, _54, _55, _56 = Int(50), Int(51), Int(52), Int(53), Int(54), Int(55), Int(56)
_57, _58, _59, _60, _61, _62, _63 = Int(57), Int(58), Int(59), Int(60), Int(61), Int(62), Int(63)
_64, _65, _66, _67, _68, _69, _70 = Int(64), Int(65), Int(66), Int(67), Int(68), Int(69), Int(70)
_71, _72, _73, _74, _75, _76, _77 = Int(71), Int(72), Int(73), Int(74), Int(75), Int(76), Int(77)
_78, _79, _80, _81, _82, _83, _84 = Int(78), Int(79), Int(80), Int(81), Int(82), Int(83), Int(84)
_85, _86, _87, _88, _89, _90, _91 = Int(85), Int(86), Int(87), Int(88), Int(89), Int(90), Int(91)
_92, _93, _94, _95, _96, _97, _98 = Int(92), Int(93), Int(94), Int(95), Int(96), Int(97), Int(98)
_99, _100, _101, _102, _103, _104 = Int(99), Int(100), Int(101), Int(102), Int(103), Int(104)
_105, _106, _107, _108, _109, _110 = Int(105), Int(106), Int(107), Int(108), Int(109), Int(110)
_111, _112, _113, _114, _115, _116 = Int(111), Int(112), Int(113), Int(114), Int(115), Int(116)
_117, _118, _119, _120, _121, _122 = Int(117), Int(118), Int(119), Int(120), Int(121), Int(122)
_123, _124, _125, _126, _127, _128 = Int(123), Int(124), Int(125), Int(126), Int(127), Int(128)
_160, _192, _224, _256, _384, _512 = Int(160), Int(192), Int(224), Int(256), Int(384), Int(512)
_768, _1024, _2048, _4096, _8192 = Int(768), Int(1024), Int(2048), Int(4096), Int(8192)
_16384, _32768, _65536, _131072 = Int(16384), Int(32768), Int(65536), Int(131072)

_NAMED = frozenset(_interned)

__all__ = [
    "Int", "IntLike", "IntTuple", "SymbolicInt",
    "_0", "_1", "_2", "_3", "_4", "_5", "_6", "_7", "_8", "_9", "_10", "_11", "_12", "_13", "_14",
    "_15", "_16", "_17", "_18", "_19", "_20", "_21", "_22", "_23", "_24", "_25", "_26", "_27", "_28",
    "_29", "_30", "_31", "_32", "_33", "_34", "_35", "_36", "_37", "_38", "_39", "_40", "_41", "_42",
    "_43", "_44", "_45", "_46", "_47", "_48", "_49", "_50", "_51", "_52", "_53", "_54", "_55", "_56",
    "_57", "_58", "_59", "_60", "_61", "_62", "_63", "_64", "_65", "_66", "_67", "_68", "_69", "_70",
    "_71", "_72", "_73", "_74", "_75", "_76", "_77", "_78", "_79", "_80", "_81", "_82", "_83", "_84",
    "_85", "_86", "_87", "_88", "_89", "_90", "_91", "_92", "_93", "_94", "_95", "_96", "_97", "_98",
    "_99", "_100", "_101", "_102", "_103", "_104", "_105", "_106", "_107", "_108", "_109", "_110",
    "_111", "_112", "_113", "_114", "_115", "_116", "_117", "_118", "_119", "_120", "_121", "_122",
    "_123", "_124", "_125", "_126", "_127", "_128", "_160", "_192", "_224", "_256", "_384", "_512",
    "_768", "_1024", "_2048", "_4096", "_8192", "_16384", "_32768", "_65536", "_131072",
    "add", "ceil_div", "is_tuple", "known_divides", "known_eq", "known_lt", "max_", "min_",
    "round_down", "round_up",
]  # fmt: skip


# --- the leaf protocol ------------------------------------------------------------------------


class SymbolicInt:
    """Base of leaves whose value is not known: what an algorithm may ask of them.

    >>> M = sym("M", divisible_by=4)
    >>> isinstance(M, SymbolicInt), known_eq(M, 8), known_divides(4, M)
    (True, None, True)

    A subclass supports the operators of `int` and answers each question with True, False, or None
    for "not known". Algorithms ask `known_eq`, `known_lt` and `known_divides`, never ``==`` or
    ``<``, and so work unchanged on any leaf.
    """

    __slots__ = ()

    is_open: ClassVar[bool] = True
    """Whether a question may stay open. An operation then takes a path that is right for all values.

    An int that answers every question, case by case (`tla.numbers.cases`), takes the path of plain ints.
    """

    beside: ClassVar[None] = None
    """Conditions that come with it: none, unlike those of a layout."""

    @property
    def is_static(self) -> bool:
        """Whether its value is part of its type."""
        return False

    def known_eq(self, other: Leaf) -> bool | None:
        """Whether ``self == other``."""

    def known_lt(self, other: Leaf) -> bool | None:
        """Whether ``self < other``."""

    def known_gt(self, other: Leaf) -> bool | None:
        """Whether ``self > other``."""

    def known_divides(self, other: Leaf) -> bool | None:
        """Whether ``self`` divides ``other``."""

    def known_multiple(self, other: Leaf) -> bool | None:
        """Whether ``other`` divides ``self``."""

    def either(self) -> bool:
        """Whether a fact holds that no question of ints expresses: True in one case, False in another.

        Only ints with `is_open` False have cases (`tla.numbers.cases`).
        """
        raise UnsupportedError("only an int of `tla.numbers.cases` has cases")

    def comparison(self, sign: str, other: Leaf) -> object:
        """The comparison ``self sign other``, as an obligation to print or to assume."""
        return f"{self} {sign} {other}"

    if not TYPE_CHECKING:  # for checkers it has none

        def __index__(self) -> int:
            """What `range` and `int` ask for: refused, as a `TypeError` that says why."""
            why = self.has_no_value()
            raise LeafError(why.summary, *why.details, value=self)

    def has_no_value(self) -> TlaError:
        """The error where a plain int is needed."""
        names = ", ".join(f"{s.name}=..." for s in getattr(self, "symbols", ()))
        bind = f"Bind it to a number first: layout.bind({names})."
        error = UndecidedError(f"the value of {self} is not known", bind, leaf=self)
        return naming_call(error, "{} needs it.")

    def lesser(self, other: Leaf) -> Any:
        """The lesser of both, where it is not known which that is."""
        raise UndecidedError(
            f"cannot decide whether {self} < {other}",
            "Its unknowns leave that open: give them a range or a divisor that settles it.",
            obligation=f"{self} < {other}",
        )

    def greater(self, other: Leaf) -> Any:
        """The greater of both, where it is not known which that is."""
        return self.lesser(other)


Leaf: TypeAlias = Union[int, SymbolicInt]

IntLike: TypeAlias = Union[SupportsIndex, SymbolicInt]
"""What is read as one int: ints of every kind, numpy's included."""

if TYPE_CHECKING:
    IntTuple: TypeAlias = Union[IntLike, "tuple[IntTuple, ...]"]
else:

    class _Nested(type):
        __args__ = (SupportsIndex, SymbolicInt, tuple)

        def __instancecheck__(cls, x):
            todo = [x]
            for each in todo:  # it grows: a walk of its own is as deep as the tuple
                if isinstance(each, tuple):
                    todo += each
                elif not isinstance(each, SymbolicInt) and plain_int(each) is None:
                    return False
            return True

    class IntTuple(metaclass=_Nested):
        """An int of any kind, numpy's included, or a tuple of int tuples: what functions here take.

        >>> isinstance((2, (Int(3), 4)), IntTuple), isinstance((2, 3.0), IntTuple)
        (True, False)

        Results whose nesting depends on the arguments are typed `Any`, so that they need no narrowing.
        """


_P = ParamSpec("_P")
_R = TypeVar("_R")


def limit_nesting(recursive: Callable[_P, _R]) -> Callable[_P, _R]:
    """Let a function that walks tuples refuse too many leaves, and too deep a nesting for Python."""

    @wraps(recursive)
    def refusing(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        given: Any = (*args, *kwargs.values()) if kwargs else args
        for x in given:
            if type(x) is not int and isinstance(x, TUPLE) and not is_small(x, SMALL):
                limit_leaves(x)
        try:
            return recursive(*args, **kwargs)
        except RecursionError:
            raise too_deep() from None
        except Exception as error:
            refuse(recursive, args, kwargs, error)
            raise

    return refusing


class ManyLeavesError(Exception):
    """A walk over a tuple met more than `SMALL`; who called it asks `limit_leaves`, and walks on."""


def limit_leaves(x: object) -> None:
    """Refuse a tuple of too many leaves before anything walks it: its parts may be shared.

    Raises:
        LimitError: its leaves, counted as often as they occur, are more than `tla.limits` allows.
    """
    if not is_tuple(x) or is_small(x, SMALL):
        return
    counts: dict[int, int] = {}  # by identity: each part is looked at once
    todo = [x]
    while todo:
        part = todo[-1]
        inner = [i for i in part if is_tuple(i)]
        missing = {id(i): i for i in inner if id(i) not in counts}
        if missing and id(part) not in counts:
            todo += missing.values()
        else:
            counts[id(part)] = max(1, len(part) - len(inner) + sum([counts[id(i)] for i in inner]))
            todo.pop()
    n, most = counts[id(x)], limit_of("leaves")
    if n > most:
        summary = f"an int tuple of {shown(n)} ints, counted as often as they occur"
        raise limit_error("leaves", f"{summary}; at most {most} are taken", needed=n)


def is_small(x: tuple[Any, ...], room: int) -> bool:
    """Whether the lengths of tuples inside each other, each plus 1, multiply to at most ``room``.

    A tuple of one part takes less, so that those around one int may be many.
    """
    n = len(x)
    room = room // (n + 1) if n > 1 else room - room // 64 - 1
    for i in x:  # noqa: SIM110 (every walk waits for it; a generator takes twice as long)
        if isinstance(i, TUPLE) and not (room > 0 and is_small(i, room)):
            return False
    return True


def too_deep() -> LayoutError:
    """Return the error of a nesting that Python cannot follow."""
    summary = f"an int tuple is nested too deeply; at most {limit_of('nesting')} levels are supported"
    return LayoutError(summary, way_out("nesting"))


PLAIN_INTS: frozenset[type] = frozenset((int, Int))
"""The types of leaves that need no conversion and no protocol: what a fast path takes."""

# The types to compare with on a hot path, as values that tell a checker nothing.
TUPLE: Any = tuple
INT: Any = int
STATIC: Any = Int


def is_plain_tuple(x: object) -> TypeIs[tuple[Any, ...]]:
    """Whether ``x`` is a tuple and of no subclass, such as a named tuple."""
    return type(x) is tuple


def is_tuple(x: object) -> TypeIs[tuple[Any, ...]]:
    """Whether ``x`` is a tuple rather than a leaf.

    >>> is_tuple((2, 3)), is_tuple(2)
    (True, False)
    """
    return isinstance(x, tuple)


def is_open(x: object) -> TypeIs[SymbolicInt]:
    """Whether ``x`` is a symbolic int that may leave a question open."""
    return isinstance(x, SymbolicInt) and x.is_open


def is_asked(x: object) -> TypeIs[SymbolicInt]:
    """Whether ``x`` is a symbolic int that answers every question, as a dynamic int does."""
    return isinstance(x, SymbolicInt) and not x.is_open


def is_dynamic(x: object) -> bool:
    """Whether ``x`` is a dynamic int, or a symbolic one that is treated like it."""
    return type(x) is int or is_asked(x)


def leaf(x: object) -> Any:
    """Return ``x`` as a leaf: an `Int`, an exact `int` (numpy ints converted), or a `SymbolicInt`.

    Raises:
        LeafError: ``x`` is no integer; bools and floats are refused.
    """
    if type(x) in (int, Int) or isinstance(x, SymbolicInt):
        return x
    value = plain_int(x)
    if value is None:
        raise naming_argument(LeafError(f"expected an int, got {described(x)}", *_as_int(x), value=x))
    return value


OF_SWIZZLE = "A swizzle has no shape: composition(swizzle, layout) is a layout seen through it."
"""The way out where a swizzle stands for a shape or a layout."""


def _as_int(x: Any) -> list[str]:
    """How to write what is no int, where that is known."""
    ways = {
        "str": "tla.parse reads a text, as '(4,8)' or '(4,8):(8,1)'.",
        "list": "Write a tuple, not a list.",
        "ndarray": "Write a tuple, tuple(array.tolist()), not an array.",
        "Swizzle": OF_SWIZZLE,
        "slice": "`_` keeps a mode whole, and get_tile_layout cuts a range out of a layout.",
    }
    is_digits = isinstance(x, str) and len(x) < 20 and x.isdecimal()
    if is_digits or (isinstance(x, bool | float) and x == x // 1):
        return [f"Write {int(x)}."]
    return [ways[type(x).__name__]] if type(x).__name__ in ways else []


def known_eq(a: Leaf, b: Leaf) -> bool | None:
    """Whether ``a == b``: True, False, or None where a symbolic int leaves it open.

    >>> known_eq(_4, 4), known_eq(sym("M", min=5), 4), known_eq(sym("M"), 4)
    (True, False, None)
    """
    if type(a) in PLAIN_INTS and type(b) in PLAIN_INTS:
        return a == b
    if isinstance(a, SymbolicInt):
        return a.known_eq(b)
    return b.known_eq(a) if isinstance(b, SymbolicInt) else known_eq(leaf(a), leaf(b))


def known_lt(a: Leaf, b: Leaf) -> bool | None:
    """Whether ``a < b``: True, False, or None where a symbolic int leaves it open.

    >>> known_lt(3, _4), known_lt(sym("M", min=5), 4), known_lt(sym("M"), 4)
    (True, False, None)
    """
    x: Any = a
    y: Any = b
    if type(x) in PLAIN_INTS and type(y) in PLAIN_INTS:
        return x < y  # type: ignore[no-any-return]
    if isinstance(a, SymbolicInt):
        return a.known_lt(b)
    return b.known_gt(a) if isinstance(b, SymbolicInt) else known_lt(leaf(a), leaf(b))


def known_divides(a: Leaf, b: Leaf) -> bool | None:
    """Whether ``a`` divides ``b``, that is ``b == k * a`` for some int ``k``; None if open.

    >>> known_divides(3, 12), known_divides(5, 12), known_divides(0, 0), known_divides(0, 3)
    (True, False, True, False)
    """
    if type(a) not in PLAIN_INTS or type(b) not in PLAIN_INTS:
        if isinstance(a, SymbolicInt):
            return a.known_divides(b)
        if isinstance(b, SymbolicInt):
            return b.known_multiple(a)
        a, b = leaf(a), leaf(b)
    x: Any = a
    y: Any = b
    return y % x == 0 if x else y == 0  # type: ignore[no-any-return]


def known_int(x: Leaf) -> int:
    """Return the value of a leaf as a plain int; raise `UndecidedError` where it has none.

    Raises:
        UnsupportedError: it is a coordinate.
    """
    if isinstance(x, SymbolicInt):
        raise x.has_no_value()
    if is_tuple(x):
        raise no_int(x)
    return int(x)


def no_int(coordinate: object) -> UnsupportedError:
    """Return the error of a coordinate where an int is needed."""
    return UnsupportedError(
        f"{written(coordinate)} is a coordinate, and here only an int will do",
        "A layout whose strides are basis elements has coordinates as values;"
        " composition(layout, coordinates) has the offsets of another layout there.",
        value=coordinate,
    )


# --- CATLASS's arithmetic, on leaves and leaf by leaf on tuples -------------------------------


@constexpr
def ceil_div(a: IntLike, b: IntLike) -> int:
    """Return ``a / b`` rounded up. CATLASS ``CeilDiv``.

    >>> ceil_div(100, 16), ceil_div(Int(100), _16)
    (7, _7)

    Raises:
        DivisibilityError: ``b`` is not positive.
    """
    quotient: int = -(-leaf(a) // _divisor(b))
    return quotient


@constexpr
def round_up(a: IntLike, b: IntLike) -> int:
    """Return the least multiple of ``b`` that is at least ``a``. CATLASS ``RoundUp``.

    >>> round_up(100, 16), round_up(Int(100), _16)
    (112, _112)

    Raises:
        DivisibilityError: ``b`` is not positive.
    """
    multiple: int = ceil_div(a, b) * leaf(b)
    return multiple


@constexpr
def round_down(a: IntLike, b: IntLike) -> int:
    """Return the greatest multiple of ``b`` that is at most ``a``. CATLASS ``RoundDown``.

    >>> round_down(100, 16), round_down(Int(100), _16)
    (96, _96)

    Raises:
        DivisibilityError: ``b`` is not positive.
    """
    divisor = _divisor(b)
    multiple: int = leaf(a) // divisor * divisor
    return multiple


def _divisor(b: IntLike) -> Any:
    divisor: Any = leaf(b)
    if known_lt(divisor, 1) is True:
        summary = f"cannot round to multiples of {written(divisor)}: it is not positive"
        raise naming_call(DivisibilityError(summary))
    return divisor


@constexpr
def max_(*xs: IntTuple) -> int:
    """Return the greatest leaf of all arguments; static where every leaf is. CATLASS ``max``.

    >>> max_(_3, _4), max_(_3, 5), max_((_1, (_7, _2)))
    (_4, 5, _7)
    """
    greatest: int = _extreme("greatest", xs, lambda a, b: known_lt(b, a), "greater")
    return greatest


@constexpr
def min_(*xs: IntTuple) -> int:
    """Return the least leaf of all arguments; static where every leaf is. CATLASS ``min``.

    >>> min_(_3, _4), min_(3, _4)
    (_3, 3)
    """
    least: int = _extreme("least", xs, known_lt, "lesser")
    return least


@limit_nesting
def _extreme(
    which: str,
    xs: Sequence[Any],
    better: Callable[[Leaf, Leaf], bool | None],
    open_one: str,
) -> Any:
    found: list[Any] = []

    def collect(x: Any) -> None:
        if is_tuple(x):
            for i in x:
                collect(i)
        else:
            found.append(leaf(x))

    collect(xs)
    if not found:
        raise LeafError(f"the {which} of no ints does not exist")
    best: Any = found[0]
    for x in found[1:]:
        answer = better(x, best)
        if answer is None:  # that best is not better settles it too: then x is at least as good
            worse = better(best, x)
            answer = None if worse is None else not worse
        if answer is None:
            best = (
                getattr(x, open_one)(best) if isinstance(x, SymbolicInt) else getattr(best, open_one)(x)
            )
        elif answer:
            best = x
    # a static int that won over a dynamic one is dynamic
    return int(best) if isinstance(best, int) and not is_static(tuple(found)) else best


@constexpr
@limit_nesting
def add(a: IntTuple, b: IntTuple) -> Any:
    """Return the sum, leaf by leaf for tuples of one profile. CATLASS ``add`` and ``Add``.

    >>> add(_3, _4), add((_0, _0), (3, _4)), add((1, (2, 3)), (10, (20, 30)))
    (_7, (3, _4), (11, (22, 33)))
    """
    return _sum(a, b)


def _sum(a: Any, b: Any) -> Any:
    if is_tuple(a) and is_tuple(b) and len(a) == len(b):
        return tuple(map(_sum, a, b))
    if is_tuple(a) or is_tuple(b):
        raise CongruenceError(f"cannot add {shown(a)} and {shown(b)}: their profiles differ", a=a, b=b)
    return leaf(a) + leaf(b)


@limit_nesting
def is_static(x: IntTuple) -> bool:
    """Whether every leaf is an `Int`; true of the empty tuple.

    >>> is_static(_4), is_static((_4, (_8, _2))), is_static((_4, 8))
    (True, True, False)
    """
    return _is_static(x)


def _is_static(x: Any) -> bool:
    if type(x) is INT or type(x) is STATIC:
        return type(x) is STATIC
    if is_tuple(x):
        return all(map(_is_static, x))
    n = leaf(x)
    return isinstance(n, SymbolicInt) and n.is_static


def same_static(a: IntTuple, b: IntTuple) -> bool:
    """Whether ``a == b`` and the same leaves are static; ``==`` alone compares values.

    >>> (_4, 8) == (4, _8), same_static((_4, 8), (4, _8)), same_static((_4, 8), (_4, 8))
    (True, False, True)
    """
    return static_mask(a) == static_mask(b) and bool(a == b)


@limit_nesting
def static_mask(x: IntTuple) -> Any:
    """Return the profile of ``x`` with True at static leaves: what a cache keys on beside values.

    >>> static_mask((_4, (8, _2)))
    (True, (False, True))
    """
    return _static_mask(x)


def _static_mask(x: Any) -> Any:
    return tuple(map(_static_mask, x)) if is_tuple(x) else _is_static(x)
