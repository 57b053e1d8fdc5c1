# SPDX-License-Identifier: Apache-2.0
"""The writer of C++: the type that a library deduces for a value, or an expression that makes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

from ..errors import NotALayoutError, UnsupportedError
from ..layouts import default_origin, is_composed, is_layout, is_swizzle, is_underscore, text_of
from ..numbers import (
    Condition,
    Expr,
    Int,
    Symbol,
    SymbolicInt,
    ints,
    is_tuple,
    known_lt,
    leaf,
    limit_nesting,
    to_cpp as expression,
)
from .names import CATLASS, CUTE, Dialect, canonical_type, dialect_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..layouts import AnyLayout, ComposedLayout, Swizzle

_Place = Literal["extent", "stride", "any"]


def to_cpp(value: object, dialect: str = "catlass", kind: str = "type") -> str:
    """Return the C++ type of a value, or an expression that makes it: ``decltype(value) == type``.

    >>> from tla.numbers import sym
    >>> M = sym("M", divisible_by=16)
    >>> print(to_cpp((_64, 3)), to_cpp((_64, _2, 3), kind="value"), sep="\\n")
    tla::tuple<tla::C<64>, unsigned int>
    tla::MakeTuple(tla::_64{}, tla::Int<2>{}, 3u)
    >>> print(to_cpp(Layout((_16, M // 16), (M // 16, 1)), kind="value"))
    tla::MakeLayout(tla::MakeShape(tla::Int<16>{}, (uint32_t)(M / 16)), tla::MakeStride((int64_t)(M / 16), (int64_t)1))
    >>> print(to_cpp(Layout((_16, 4)), "cute"))
    cute::Layout<cute::tuple<cute::C<16>, int>, cute::tuple<cute::C<1>, cute::C<16> > >

    Dynamic ints have CATLASS's types: ``unsigned int`` for extents and origins, ``long`` for strides. In
    CuTe they are ``int``. A dynamic int that does not fit is ``long``. A symbolic int has the type that its
    symbol names, or else the type of its place. Types are spelled as g++ prints them.

    The text has no default origin shape, because ``tla::MakeLayout(shape, stride)`` makes one, with
    ``unsigned int`` for each size, also for a static one. There are two exceptions: the whole shape is
    static, so that the origin shape stays static, or CATLASS's own arithmetic would overflow.

    In an expression the symbols are variables of type ``int64_t``, or of the type that they name.
    `from_cpp` reads the expression back to the same value, with the same static ints. It needs the symbols,
    because C++ has no ranges and divisors: ``from_cpp(text, symbols={"M": M})``.

    Args:
        value: An int, an int tuple, a coordinate with `_`, a layout, an expression, a condition; for CuTe
            also a swizzle, a composed layout, or a tile with layouts in it.
        dialect: ``"catlass"`` or ``"cute"``.
        kind: ``"type"`` or ``"value"``.

    Raises:
        UnsupportedError: the library has no such value, or an int has more than 64 bits.
        LeafError: another value stands in the place of an int.
    Source: CATLASS include/tla; CuTe layout.hpp.
    """  # noqa: E501 (C++ types are long)
    if kind not in ("type", "value"):
        raise UnsupportedError(f"no kind {kind!r} of C++ text", "Write 'type' or 'value'.", kind=kind)
    library = dialect_of(dialect)
    if value is None:  # which stands for `_` only among the parts of a coordinate
        leaf(value)
    if isinstance(value, Condition):
        if kind == "type":
            raise UnsupportedError("a condition has no type of its own", "Write kind='value'.")
        return f"{expression(value.left)} {value.op} {expression(value.right)}"
    if kind == "type":
        return _type(value, library, "any")
    if isinstance(value, Expr):
        return expression(value)
    return _value(value, library, "any")


# --- types ------------------------------------------------------------------------------------


@limit_nesting
def _type(x: Any, to: Dialect, place: _Place) -> str:
    space = to.namespace
    if is_tuple(x):
        return _template(f"{space}::tuple", [_type(i, to, place) for i in x])
    if is_layout(x):
        parts = [_type(x.shape, to, "extent"), _type(x.stride, to, "stride")]
        if to is CATLASS:
            parts.append(_origin_type(x))
        else:
            _without_origin(x)
        return _template(f"{space}::Layout", parts)
    if is_underscore(x):
        return f"{space}::Underscore"
    if is_swizzle(x):
        return _swizzle(x, to)
    if is_composed(x):
        _only_cute(x, to)
        return _template(
            f"{space}::ComposedLayout", [_type(part, to, "any") for part in (x.outer, x.offset, x.inner)]
        )
    n = _leaf(x, to)
    return f"{space}::C<{n:d}>" if type(n) is Int else _int_type(n, to, place)


def _template(name: str, arguments: Iterable[str]) -> str:
    inside = ", ".join(arguments)
    return f"{name}<{inside}{' ' if inside.endswith('>') else ''}>"


def _int_type(n: Any, to: Dialect, place: _Place) -> str:
    """The type of a dynamic or symbolic int in a place."""
    if isinstance(n, Expr):
        symbol = _lone_symbol(n)
        if symbol is not None and symbol.cpp_type:
            return canonical_type(symbol.cpp_type) or symbol.cpp_type
        widest = (1 << (32 if place != "stride" and to is CATLASS else 31)) - 1
        if n.bounds[0] is not None and n.bounds[0] > widest:
            return "long"
        if to is CATLASS and place == "any":
            return "unsigned int" if known_lt(n, 0) is False else "long"
        return to.stride if place == "stride" else to.extent
    if to is CUTE:
        return "int" if abs(n) < 1 << 31 else "long"
    return "unsigned int" if place != "stride" and 0 <= n < 1 << 32 else "long"


def _origin_type(x: AnyLayout) -> str:
    if _leaves_origin_out(x):
        return _template("tla::tuple", ["unsigned int"] * int(x.rank))
    return _type(_as_tuple(x.origin_shape), CATLASS, "extent")


# --- expressions ------------------------------------------------------------------------------


@limit_nesting
def _value(x: Any, to: Dialect, place: _Place) -> str:
    space = to.namespace
    if is_tuple(x):
        return _call(_maker(x, to, place), [_value(i, to, place) for i in x])
    if is_layout(x):
        parts = [_value(x.shape, to, "extent"), _value(x.stride, to, "stride")]
        if to is CUTE:
            _without_origin(x)
        elif not _leaves_origin_out(x):
            parts.append(_value(_as_tuple(x.origin_shape), to, "extent"))
        return _call(to.make_layout, parts)
    if is_underscore(x):
        return f"{space}::_"
    if is_swizzle(x):
        return _swizzle(x, to) + "{}"
    if is_composed(x):
        _only_cute(x, to)
        parts = [_value(part, to, "any") for part in (x.outer, x.offset, x.inner)]
        return _call("cute::make_composed_layout", parts)
    n = _leaf(x, to)
    if type(n) is Int:
        return f"{space}::{_static_name(n, to)}{{}}"
    return _int_value(n, _int_type(n, to, place), to)


def _call(name: str, arguments: Iterable[str]) -> str:
    return f"{name}({', '.join(arguments)})"


def _maker(x: tuple[Any, ...], to: Dialect, place: _Place) -> str:
    if place == "extent":
        return to.make_shape
    if place == "stride":
        return to.make_stride
    if any(map(is_layout, x)):
        return "cute::make_tile"
    return to.make_coord if _holds_underscore(x) else to.make_tuple


def _holds_underscore(x: Any) -> bool:
    return any(map(_holds_underscore, x)) if is_tuple(x) else is_underscore(x)


def _int_value(n: Any, type_: str, to: Dialect) -> str:
    """A dynamic or symbolic int as an expression of a type."""
    if isinstance(n, Expr):
        symbol = _lone_symbol(n)
        if symbol is not None and symbol.cpp_type:
            return symbol.name
        text = expression(n)
        inside = text if symbol is not None else f"({text})"
        return f"({_CASTS.get(type_, type_)}){inside}"
    if type_ == "unsigned int":
        return f"{n}u"
    return f"(int64_t){n}" if to is CATLASS else str(n)


_CASTS: Final = {"unsigned int": "uint32_t", "long": "int64_t"}


# --- for both ----------------------------------------------------------------------------


def _lone_symbol(n: Expr) -> Symbol | None:
    """The symbol of an expression that is a single symbol, or None."""
    if n.constant or len(n.terms) != 1:
        return None
    ((monomial, k),) = n.terms.items()
    atom = monomial[0]
    return atom if len(monomial) == 1 and isinstance(atom, Symbol) and k == atom.divisor else None


def _leaf(x: Any, to: Dialect) -> Any:
    """A value as a leaf that C++ can write."""
    if hasattr(x, "element_type") or isinstance(x, str):
        raise NotALayoutError(
            f"expected a layout or ints, got {type(x).__name__}",
            "tla.read reads a text, tla.xla_bridge.to_layout converts an XLA shape.",
            value=x,
        )
    n = leaf(x)
    if isinstance(n, SymbolicInt):
        if not isinstance(n, Expr):
            raise UnsupportedError(f"{n} is no expression of tla.numbers", "It has no C++.", value=n)
    elif abs(n) >= 1 << 63:
        raise UnsupportedError(
            f"{to.title} has no int of more than 64 bits: {n:d}",
            "Its longest is int64_t, whose literals end at 2**63 - 1, of either sign.",
            value=n,
        )
    return n


def _static_name(n: Any, to: Dialect) -> str:
    """The type of a static int, by its shortest name."""
    if n in to.aliases:
        return f"_{'m' if n < 0 else ''}{abs(n):d}"
    return f"{'Int' if abs(n) < 1 << 31 else 'C'}<{n:d}>"


def _as_tuple(origin: Any) -> Any:
    """An origin shape as in CATLASS, where that of a layout of one int is a 1-tuple."""
    return origin if is_tuple(origin) else (origin,)


def _leaves_origin_out(x: AnyLayout) -> bool:
    """Whether the text leaves the origin shape to ``tla::MakeLayout(shape, stride)``."""
    sizes: Any = default_origin(x.shape)
    return (
        ints.same_static(x.origin_shape, sizes)
        and not ints.is_static(sizes)
        and not any(known_lt(_GREATEST[ints.is_static(n)], n) is True for n in _as_tuple(sizes))
    )


_GREATEST: Final = {True: (1 << 31) - 1, False: (1 << 32) - 1}
"""The greatest size of a mode: of an ``int`` if it is static, of a ``uint32_t`` if not."""


def _without_origin(x: AnyLayout) -> None:
    if not ints.same_static(x.origin_shape, default_origin(x.shape)):
        raise UnsupportedError(
            f"CuTe has no place for the origin shape {text_of(x.origin_shape)}",
            "Write Layout(layout.shape, layout.stride) for the padded box, or layout.trimmed().",
            layout=x,
        )


def _only_cute(x: Swizzle | ComposedLayout, to: Dialect) -> None:
    if to is CATLASS:
        raise UnsupportedError(
            f"CATLASS has no layout seen through a swizzle: {x}", "Write dialect='cute'.", value=x
        )


def _swizzle(x: Swizzle, to: Dialect) -> str:
    _only_cute(x, to)
    return f"cute::Swizzle<{x.bits:d}, {x.base:d}, {x.shift:d}>"
