# SPDX-License-Identifier: Apache-2.0
"""Marks for the type checker: the functions that it may run, and the attributes that a type states.

C++ calls a function that the compiler may run `constexpr`. The mypy plugin (`tla.mypy_plugin`) runs the
functions marked so on values made from the types of the arguments, and so knows the type of the result,
or the error. A mark stands beside the definition; there is no other list.

>>> @constexpr
... def halves(n: int) -> tuple[int, int]:
...     return n // 2, n - n // 2
>>> is_constexpr(halves), halves(5)
(True, (2, 3))
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final, TypeVar

from ..errors import KindError
from .words import described

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_F = TypeVar("_F", bound="Callable[..., Any]")
_C = TypeVar("_C", bound="type[Any]")
_T = TypeVar("_T")

_MARK: Final = "__constexpr__"
_CHECK: Final = "__checked_by__"
_OPAQUE: Final = "__opaque__"
_BEYOND_TYPES: Final = "__beyond_types__"
_TYPES: Final = "__typed_by__"
_MAKER: Final = "__made_by__"


def constexpr(function: _F) -> _F:
    """Mark a function, a method or a class as one that the type checker may run, or make, on types.

    >>> @constexpr
    ... def twice(n: int) -> int:
    ...     return 2 * n
    >>> twice(4), is_constexpr(twice)
    (8, True)

    The function is pure. Its result does not depend on the origin shape of a layout, which no type
    states, unless a call gives a parameter that is marked `beyond_types`.
    """
    return _set(function, _MARK, True)


def _set(marked: _T, mark: str, value: object) -> _T:
    try:
        setattr(marked, mark, value)
    except (AttributeError, TypeError):  # of no function or class of Python's own
        raise KindError(f"a function or a class is marked, not {described(marked)}") from None
    return marked


def is_constexpr(x: object) -> bool:
    """Whether ``x`` itself has the mark; a class does not inherit it.

    >>> is_constexpr(composition), is_constexpr(print)
    (True, False)
    """
    return _MARK in getattr(x, "__dict__", {})


def checked_by(check: Callable[..., object]) -> Callable[[_F], _F]:
    """Mark a function in whose place the type checker runs another on its arguments, for the errors.

    >>> def require_text(*given: object) -> None:
    ...     if not isinstance(given[0], str):
    ...         raise KindError("no text")
    >>> @checked_by(require_text)
    ... def save(text: str) -> None: ...
    >>> is_constexpr(save), check_of(save) is require_text
    (True, True)

    What ``check`` finds holds whatever types do not tell, such as the origin shape of a layout.
    """

    def marked(function: _F) -> _F:
        return _set(_set(function, _MARK, True), _CHECK, check)

    return marked


def check_of(x: object) -> Callable[..., object] | None:
    """Return the function that ``x`` is `checked_by`; None for others.

    >>> check_of(composition)
    """
    check: Callable[..., object] | None = getattr(x, "__dict__", {}).get(_CHECK)
    return check


def opaque(*parameters: str) -> Callable[[_F], _F]:
    """Mark parameters that a function passes on unread, whatever their types.

    The checker gives the function a stand-in for such an argument. A part of the result that holds the
    stand-in keeps the type that the checker finds by itself. For a class, see `typed_by`.

    >>> @opaque("data")
    ... def labelled(data: object, label: str) -> tuple[str, object]:
    ...     return label, data
    >>> opaques_of(labelled)
    ('data',)
    """

    return _marking(_OPAQUE, parameters)


def opaques_of(x: object) -> tuple[str, ...]:
    """Return the parameters of ``x`` that are marked `opaque`.

    >>> @opaque("data")
    ... def labelled(data: object, label: str) -> str:
    ...     return label
    >>> opaques_of(labelled), opaques_of(len)
    (('data',), ())
    """
    return _marked(x, _OPAQUE)


def beyond_types(*parameters: str) -> Callable[[_F], _F]:
    """Mark parameters that make the result depend on facts beyond types, such as the origin shape.

    >>> @beyond_types("coord")
    ... def cropped(shape: int, coord: int = 0) -> int:
    ...     return shape - coord
    >>> beyond_types_of(cropped)
    ('coord',)

    A call that gives one is left to the checker.
    """

    return _marking(_BEYOND_TYPES, parameters)


def beyond_types_of(x: object) -> tuple[str, ...]:
    """Return the parameters of ``x`` that are marked `beyond_types`.

    >>> beyond_types_of(make_tensor), beyond_types_of(len)
    (('coord',), ())
    """
    return _marked(x, _BEYOND_TYPES)


def _marking(mark: str, parameters: tuple[str, ...]) -> Callable[[_F], _F]:
    def marked(function: _F) -> _F:
        return _set(function, mark, parameters)

    return marked


def _marked(x: object, mark: str) -> tuple[str, ...]:
    names: tuple[str, ...] = getattr(x, "__dict__", {}).get(mark, ())
    return names


def typed_by(some: Callable[..., Any] | None = None, /, **least: int | None) -> Callable[[_C], _C]:
    """Mark a generic class: the arguments of its type are the types of these attributes, in order.

    >>> @typed_by(rows=1, columns=None)
    ... class Matrix: ...
    >>> types_of(Matrix)
    {'rows': 1, 'columns': None}

    The class makes a value of the type from values of the attributes. If such a value would state more
    than the type does, ``some`` makes it.

    Args:
        some: ``some(unknown, *attributes)`` returns a value of which only the attributes are known;
            ``unknown(least, greatest)`` is an unknown int between the two.
        least: The least int that each attribute may hold; None for any.
    """

    def marked(cls: _C) -> _C:
        return _set(_set(cls, _TYPES, least), _MAKER, some)

    return marked


def types_of(cls: type) -> Mapping[str, int | None] | None:
    """Return the attributes that a class is `typed_by`, with their least ints; None for others.

    >>> types_of(Layout), types_of(dict)
    ({'shape': 0, 'stride': None}, None)
    """
    attributes: Mapping[str, int | None] | None = getattr(cls, "__dict__", {}).get(_TYPES)
    return attributes


def maker_of(cls: type) -> Callable[..., Any] | None:
    """Return the function that makes a value from attributes alone; None if the class itself does.

    >>> maker_of(Tensor) is not None, maker_of(dict)
    (True, None)
    """
    maker: Callable[..., Any] | None = getattr(cls, "__dict__", {}).get(_MAKER)
    return maker


def reveal(x: _T) -> _T:
    """Return ``x``, and report its type: mypy, with the plugin, notes it in notation.

    >>> reveal((4, 2))
    (4, 2)

    Run, it prints the value to stderr, as ``typing.reveal_type`` prints the type.
    """
    try:
        text = str(x)
    except (RecursionError, ValueError):  # too deep, or of too many digits
        text = described(x)
    print(text, file=sys.stderr)
    return x
