"""Marks for the type checker: what it may run, and what a type says of its values.

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

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_F = TypeVar("_F", bound="Callable[..., Any]")
_C = TypeVar("_C", bound="type[Any]")
_T = TypeVar("_T")

_MARK: Final = "__constexpr__"
_OPAQUE: Final = "__opaque__"
_UNTOLD: Final = "__untold__"
_TYPES: Final = "__typed_by__"
_MAKER: Final = "__made_by__"


def constexpr(function: _F) -> _F:
    """Mark a function, a method or a class as one that the type checker may run, or make, on types.

    >>> @constexpr
    ... def twice(n: int) -> int:
    ...     return 2 * n
    >>> twice(4), is_constexpr(twice)
    (8, True)

    It is pure, and what it does does not depend on the origin shape of a layout, which no type tells,
    unless a parameter that is `untold` is given.
    """
    setattr(function, _MARK, True)
    return function


def is_constexpr(x: object) -> bool:
    """Whether ``x`` itself bears the mark: a class does not bear that of its base.

    >>> is_constexpr(composition), is_constexpr(print)
    (True, False)
    """
    return _MARK in getattr(x, "__dict__", {})


def opaque(*parameters: str) -> Callable[[_F], _F]:
    """Mark parameters that a function hands on and does not look at, whatever their types.

    In place of such an argument the checker gives the function a stand-in; where that is in the result,
    it keeps the type that it finds by itself. Of a class these are attributes too; see `typed_by`.

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


def untold(*parameters: str) -> Callable[[_F], _F]:
    """Mark parameters with which a function depends on more than types tell, as on the origin shape.

    >>> @untold("coord")
    ... def cropped(shape: int, coord: int = 0) -> int:
    ...     return shape - coord
    >>> untold_of(cropped)
    ('coord',)

    A call that gives one is left to the checker.
    """

    return _marking(_UNTOLD, parameters)


def untold_of(x: object) -> tuple[str, ...]:
    """Return the parameters of ``x`` that are marked `untold`.

    >>> untold_of(make_tensor), untold_of(len)
    (('coord',), ())
    """
    return _marked(x, _UNTOLD)


def _marking(mark: str, parameters: tuple[str, ...]) -> Callable[[_F], _F]:
    def marked(function: _F) -> _F:
        setattr(function, mark, parameters)
        return function

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

    A value of the type is made by the class from values of the attributes. Where that would say more of
    it than its type does, ``some`` makes it.

    Args:
        some: Returns a value of which only the attributes are known, ``some(unknown, *attributes)``;
            ``unknown(least, greatest)`` is an int between the two, of which no more is known.
        least: For each attribute the least int that may stand in it, None for any.
    """

    def marked(cls: _C) -> _C:
        setattr(cls, _TYPES, least)
        setattr(cls, _MAKER, some)
        return cls

    return marked


def types_of(cls: type) -> Mapping[str, int | None] | None:
    """Return the attributes that a class is `typed_by`, with their least ints; None for others.

    >>> types_of(Layout), types_of(dict)
    ({'shape': 0, 'stride': None}, None)
    """
    attributes: Mapping[str, int | None] | None = vars(cls).get(_TYPES)
    return attributes


def maker_of(cls: type) -> Callable[..., Any] | None:
    """Return what makes a value of which only the attributes are known; None where the class does.

    >>> maker_of(Tensor) is not None, maker_of(dict)
    (True, None)
    """
    maker: Callable[..., Any] | None = vars(cls).get(_MAKER)
    return maker


def reveal(x: _T) -> _T:
    """Return ``x``, and say what is known of it: mypy, with the plugin, notes its type in notation.

    >>> reveal((4, 2))
    (4, 2)

    Run, it prints the value to stderr, as ``typing.reveal_type`` prints the type.
    """
    print(x, file=sys.stderr)
    return x
