# SPDX-License-Identifier: Apache-2.0
"""Arrays and memory by any layout, or by the text of one: `tla.arrays` behind `read`.

>>> import numpy as np
>>> pack(np.arange(15, dtype=np.float32).reshape(3, 5), "f32[3,5]{1,0:T(2,2)}")
array([ 0.,  1.,  5.,  6.,  2.,  3.,  7.,  8.,  4.,  0.,  9.,  0., 10.,
       11.,  0.,  0., 12., 13.,  0.,  0., 14.,  0.,  0.,  0.],
      dtype=float32)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, Union

from . import arrays
from .errors import KindError
from .ground import described, guarded
from .layouts import is_composed, is_layout
from .read import read
from .xla_bridge import XlaBuffer, XlaShape, XlaTuple, to_layout

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from .arrays import CopyPlan
    from .ascend import TaggedLayout
    from .layouts import AnyLayout, ComposedLayout

    LayoutLike: TypeAlias = Union[AnyLayout, ComposedLayout, XlaShape, TaggedLayout, str]

__all__ = ["copy_plan", "layout_of", "mask", "pack", "relayout", "unpack", "view"]


def pack(
    array: ArrayLike, layout: LayoutLike, fill: Any = 0, out: NDArray[Any] | None = None
) -> NDArray[Any]:
    """Return the memory that holds an array by a layout, `tla.arrays.pack`.

    >>> pack([[0, 1, 2], [3, 4, 5]], "(2,3):(1,3)", fill=9)
    array([0, 3, 9, 1, 4, 9, 2, 5])
    """
    return arrays.pack(array, layout_of(layout), fill, out)


def unpack(memory: ArrayLike, layout: LayoutLike, out: NDArray[Any] | None = None) -> NDArray[Any]:
    """Return the array that memory holds by a layout, `tla.arrays.unpack`.

    >>> unpack(range(12), "s8[2,3]{0,1:T(4)}")
    array([[0, 4, 8],
           [1, 5, 9]])
    """
    return arrays.unpack(memory, layout_of(layout), out)


def view(memory: ArrayLike, layout: LayoutLike) -> NDArray[Any]:
    """Return the array that memory holds by a layout, in place, `tla.arrays.view`.

    >>> import numpy as np
    >>> view(np.arange(6), "(2,3):(3,1)").tolist()
    [[0, 1, 2], [3, 4, 5]]
    """
    return arrays.view(memory, layout_of(layout))


def relayout(
    memory: ArrayLike,
    source: LayoutLike,
    target: LayoutLike,
    fill: Any = 0,
    out: NDArray[Any] | None = None,
) -> NDArray[Any]:
    """Return memory by another layout, `tla.arrays.relayout`.

    >>> relayout(range(6), "s8[2,3]{1,0}", "s8[2,3]{0,1}")
    array([0, 3, 1, 4, 2, 5])
    """
    return arrays.relayout(memory, layout_of(source), layout_of(target), fill, out)


def mask(layout: LayoutLike) -> NDArray[Any]:
    """Return which elements of memory hold data, `tla.arrays.mask`.

    >>> mask("f32[3]{0:T(4)}").tolist()
    [True, True, True, False]
    """
    return arrays.mask(layout_of(layout))


def copy_plan(source: LayoutLike, target: LayoutLike) -> CopyPlan:
    """Return the loops that move data from one layout to another, `tla.arrays.copy_plan`.

    >>> len(copy_plan("f32[3,5]{1,0}", "f32[3,5]{1,0:T(2,2)}").boxes)
    4
    """
    return arrays.copy_plan(layout_of(source), layout_of(target))


@guarded
def layout_of(value: LayoutLike) -> Any:
    """Return the layout of a value, of the text of one, or of an object of another library.

    >>> print(layout_of("f32[3,5]{1,0:T(2,2)}"), layout_of(Layout(4)))
    ((_2,_2),(_2,_3)):((_2,_12),(_1,_4)):(_3,_5) 4:_1

    Raises:
        KindError: it is, or names, no layout.
        ParseError: the text is in no notation known.
    """
    given: Any = read(value) if isinstance(value, str) else value
    if is_layout(given) or is_composed(given):
        return given
    if hasattr(given, "layout") and is_layout(given.layout):  # with a tag
        return given.layout
    if isinstance(given, (XlaShape, XlaTuple, XlaBuffer)):
        return to_layout(given)
    from .objects import is_known

    if is_known(given):
        return layout_of(read(given))
    raise KindError(
        f"expected a layout, an XLA shape or the text of one, got {described(value)}", value=value
    )
