# SPDX-License-Identifier: Apache-2.0
"""Selecting, grouping, adding and replacing the top-level modes of a layout or of an int tuple.

A layout is edited in its shape and its stride alike. The modes that stay keep their origin, and a
mode made of several holds the product of theirs, where its data are still its first coordinates.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, SupportsIndex, overload

from ..layouts import (
    AnyLayout,
    Layout,
    as_layout,
    data_of_one,
    int_tuple,
    is_layout,
    product_each,
    trusted,
)
from ..numbers import IntTuple, _0, _1, of_domain
from .modes import operation

if TYPE_CHECKING:
    from collections.abc import Callable


@overload
def select(x: AnyLayout, *modes: SupportsIndex) -> AnyLayout: ...
@overload
def select(x: IntTuple, *modes: SupportsIndex) -> tuple[Any, ...]: ...
@operation
@of_domain
def select(x: Any, *modes: SupportsIndex) -> Any:
    """Return the modes named, in the order named; a layout of a layout.

    >>> select((4, (2, 3), 8), 2, 0)
    (8, 4)
    >>> print(select(Layout((4, (2, 3), 8), (1, (4, 64), 8)), 2, 0))
    (8,4):(8,1)

    Raises:
        CoordinateError: there is no such mode.
    """
    return _edited(x, lambda part: int_tuple.select(part, *modes))


@overload
def take(x: AnyLayout, begin: SupportsIndex, end: SupportsIndex) -> AnyLayout: ...
@overload
def take(x: IntTuple, begin: SupportsIndex, end: SupportsIndex) -> tuple[Any, ...]: ...
@operation
@of_domain
def take(x: Any, begin: SupportsIndex, end: SupportsIndex) -> Any:
    """Return the modes ``begin`` up to but not including ``end``; a layout of a layout.

    >>> take((4, (2, 3), 8), 1, 3)
    ((2, 3), 8)
    >>> print(take(Layout((4, (2, 3), 8), (1, (4, 64), 8)), 1, 3))
    ((2,3),8):((4,64),8)

    Raises:
        CoordinateError: they are no range of modes.
    """
    return _edited(x, lambda part: int_tuple.take(part, begin, end))


@overload
def reverse(x: AnyLayout) -> AnyLayout: ...
@overload
def reverse(x: IntTuple) -> Any: ...
@operation
@of_domain
def reverse(x: Any) -> Any:
    """Return the modes in reverse, the last first; a layout of a layout. An int stays.

    >>> reverse((4, (2, 3), 8))
    (8, (2, 3), 4)
    >>> print(reverse(Layout((4, (2, 3)), (6, (3, 1)))))
    ((2,3),4):((3,1),6)

    Source: CuTe ``reverse``, tuple_algorithms.hpp, of tuples alone.
    """
    return _edited(x, int_tuple.reverse)


@overload
def group(x: AnyLayout, begin: SupportsIndex, end: SupportsIndex | None = None) -> AnyLayout: ...
@overload
def group(x: IntTuple, begin: SupportsIndex, end: SupportsIndex | None = None) -> tuple[Any, ...]: ...
@operation
@of_domain
def group(x: Any, begin: SupportsIndex, end: SupportsIndex | None = None) -> Any:
    """Return ``x`` with the modes ``begin`` to ``end`` made one mode; a layout keeps its offsets.

    Without ``end`` the last mode is the last of them. `group_modes` is another name of this function.

    ``group(layout, begin, end)(i) == layout(i)`` for every index ``i``.

    >>> group((4, 2, 3, 8), 1, 3)
    (4, (2, 3), 8)
    >>> print(group(Layout((4, 2, 3), (1, 4, 8), (4, 2, 2)), 0, 3))
    ((4,2,3)):((1,4,8)):(16)

    Raises:
        CoordinateError: they are no range of modes.
        UnsupportedError: the data of the modes are not the first coordinates of the one mode, since
            a padded mode stands below another.
    Source: CuTe ``group``, layout.hpp; ``group_modes`` of its Python DSL.
    """
    if not is_layout(x):
        return int_tuple.group(x, begin, end)
    shape, stride = (int_tuple.group(part, begin, end) for part in (x.shape, x.stride))
    if not x.is_padded:
        return trusted(shape, stride)
    data, sizes = int_tuple.wrap(x.origin_shape), product_each(x.shape)
    last = len(data) if end is None else end
    one = data_of_one(sizes[begin:last], data[begin:last], f"modes {begin} to {last} of", x)
    return Layout(shape, stride, (*data[:begin], one, *data[last:]))


group_modes = group


@overload
def append(
    x: AnyLayout, item: AnyLayout | None = None, upto: SupportsIndex | None = None
) -> AnyLayout: ...
@overload
def append(x: IntTuple, item: IntTuple, upto: SupportsIndex | None = None) -> tuple[Any, ...]: ...
@operation
@of_domain
def append(x: Any, item: Any = None, upto: SupportsIndex | None = None) -> Any:
    """Return ``x`` with ``item`` after its last mode; with ``upto``, as often as gives that rank.

    To a layout a layout is appended, as one mode: ``1:0``, which changes no offset, by default.

    >>> append((4, 2), 3), append(4, 1, upto=3)
    ((4, 2, 3), (4, 1, 1))
    >>> print(append(Layout(4), Layout((2, 3), (4, 8))), append(Layout(4), upto=3))
    (4,(2,3)):(_1,(4,8)) (4,_1,_1):(_1,_0,_0)

    Raises:
        UnsupportedError: the data of the item are not its first coordinates.
    Source: CuTe ``append``, layout.hpp.
    """
    new = _PAD if item is None and is_layout(x) else item
    return _joined(x, new, lambda part, new: int_tuple.append(part, new, upto))


@overload
def prepend(
    x: AnyLayout, item: AnyLayout | None = None, upto: SupportsIndex | None = None
) -> AnyLayout: ...
@overload
def prepend(x: IntTuple, item: IntTuple, upto: SupportsIndex | None = None) -> tuple[Any, ...]: ...
@operation
@of_domain
def prepend(x: Any, item: Any = None, upto: SupportsIndex | None = None) -> Any:
    """Return ``x`` with ``item`` before its first mode; with ``upto``, as often as gives that rank.

    To a layout a layout is prepended, as one mode: ``1:0``, which changes no offset, by default.

    >>> prepend((4, 2), 3), prepend(4, 1, upto=3)
    ((3, 4, 2), (1, 1, 4))
    >>> print(prepend(Layout((4, 2), (1, 4)), Layout(3, 8)))
    (3,4,2):(8,1,4)

    Raises:
        UnsupportedError: the data of the item are not its first coordinates.
    Source: CuTe ``prepend``, layout.hpp.
    """
    new = _PAD if item is None and is_layout(x) else item
    return _joined(x, new, lambda part, new: int_tuple.prepend(part, new, upto))


@overload
def replace(x: AnyLayout, mode: SupportsIndex, item: AnyLayout) -> AnyLayout: ...
@overload
def replace(x: IntTuple, mode: SupportsIndex, item: IntTuple) -> tuple[Any, ...]: ...
@operation
@of_domain
def replace(x: Any, mode: SupportsIndex, item: Any) -> Any:
    """Return ``x`` with one mode replaced, of a layout by a layout.

    >>> replace((4, 2, 3), 1, (5, 6))
    (4, (5, 6), 3)
    >>> print(replace(Layout((4, 2), (2, 1)), 0, Layout((2, 2), (2, 8))))
    ((2,2),2):((2,8),1)

    Raises:
        CoordinateError: there is no such mode.
        UnsupportedError: the data of the item are not its first coordinates.
    Source: CuTe ``replace``, layout.hpp.
    """
    return _joined(x, item, lambda part, new: int_tuple.replace(part, mode, new))


# --- shape, stride and origin alike -----------------------------------------------------------


_PAD: AnyLayout = Layout(_1, _0)


def _edited(x: Any, edit: Callable[[Any], Any]) -> Any:
    """An int tuple edited, or a layout in all its parts."""
    if not is_layout(x):
        return edit(x)
    shape, stride = edit(x.shape), edit(x.stride)
    return Layout(shape, stride, edit(x.origin_shape)) if x.is_padded else trusted(shape, stride)


def _joined(x: Any, item: Any, join: Callable[[Any, Any], Any]) -> Any:
    """``join`` of an int tuple with an item, or of the parts of a layout with those of one mode."""
    if not is_layout(x):
        return join(x, item)
    new = as_layout(item)
    shape, stride = join(x.shape, new.shape), join(x.stride, new.stride)
    if not (x.is_padded or new.is_padded):
        return trusted(shape, stride)
    one = data_of_one(product_each(new.shape), int_tuple.wrap(new.origin_shape), "the modes of", new)
    return Layout(shape, stride, join(x.origin_shape, one))
