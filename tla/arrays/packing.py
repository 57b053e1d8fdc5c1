# SPDX-License-Identifier: Apache-2.0
"""Arrays packed into memory by a layout, unpacked, viewed in place, and moved to another layout.

>>> import numpy as np
>>> memory = pack(np.arange(6).reshape(2, 3), Layout((2, (2, 2)), (1, (4, 2)), (2, 3)), fill=-1)
>>> memory
array([ 0,  3,  2,  5,  1,  4, -1, -1])
>>> unpack(memory, Layout((2, (2, 2)), (1, (4, 2)), (2, 3)))
array([[0, 1, 2],
       [3, 4, 5]])

The array has one axis for each top-level mode, as long as its data: ``layout.origin_shape``. Element
``array[i, j]`` lies at ``memory[layout(i, j)]``; memory of negative strides begins at the least offset.
"""

from __future__ import annotations

from itertools import pairwise
from math import gcd
from typing import TYPE_CHECKING, Any

from ..algebra import collision
from ..errors import KindError, LayoutError, OverlapError, UndecidedError, UnsupportedError
from ..ground import described, guarded, plural
from ..layouts import crd2idx, is_composed, is_swizzle, text_of
from ..numbers import is_tuple
from .elements import as_array, as_type
from .moving import move
from .plan import axis_boxes, copy_plan, data_shape, joined, opened, span_of
from .strided import Memory, read_strided
from .tables import shared_offset

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    from ..layouts import AnyLayout, ComposedLayout


@guarded
def pack(
    array: ArrayLike,
    layout: AnyLayout | ComposedLayout,
    fill: Any = 0,
    out: NDArray[Any] | None = None,
    progress: Callable[[int, int], object] | None = None,
    threads: int | None = None,
) -> NDArray[Any]:
    """Return the memory that holds an array by a layout: ``memory[layout(c)] == array[c]``.

    >>> pack([[0, 1, 2], [3, 4, 5]], Layout((2, 3), (1, 3)), fill=9)
    array([0, 3, 9, 1, 4, 9, 2, 5])

    Args:
        array: Of the shape of the data, ``layout.origin_shape``.
        fill: What padding holds, and offsets that no coordinate has; None leaves that of ``out``,
            and 0 is no bit set.
        out: The memory to write, of the array's type and at least as long as the layout spans.
        progress: Called between parts of the work, with the elements moved so far and all of them.
        threads: How many move large memory; None for those of this machine, 4 at most.

    Raises:
        LayoutError: the shape or the type does not fit, the memory is too short, or an int of the layout
            is symbolic.
        OverlapError: two coordinates share an offset.
    """
    import numpy as np

    given: NDArray[Any] = as_array(array)
    require_shape(given, layout)
    memory: NDArray[Any]
    memory, start = _memory_for(layout, given.dtype, fill, out)
    _require_injective(layout)
    if out is not None and np.may_share_memory(out, given):
        given = given.copy()
    given = _plain(given)
    plan = copy_plan(read_strided(given), layout)
    if out is not None and plan.size < len(out):
        _fill(out, fill)
    move(plan, Memory(given), Memory(memory, start, is_new=out is None), progress, threads)
    return memory


@guarded
def unpack(
    memory: ArrayLike,
    layout: AnyLayout | ComposedLayout,
    out: NDArray[Any] | None = None,
    progress: Callable[[int, int], object] | None = None,
    threads: int | None = None,
) -> NDArray[Any]:
    """Return the array that memory holds by a layout: ``array[c] == memory[layout(c)]``.

    >>> unpack([0, 3, 1, 4, 2, 5], Layout((2, 3)))
    array([[0, 1, 2],
           [3, 4, 5]])

    Raises:
        LayoutError: the memory is too short, ``out`` does not fit, or an int of the layout is symbolic.
    """
    import numpy as np

    held, start = _held(memory, layout)
    sizes = data_shape(layout)
    is_new = out is None
    if out is None:
        out = np.empty(sizes, held.dtype)
    else:
        require_shape(out, layout)
        _require_type(out, held.dtype)
        if not out.flags.writeable:
            raise LayoutError("out cannot be written", value=out)
        held = held.copy() if np.may_share_memory(out, held) else held
    made = _plain(out)
    plan = copy_plan(layout, read_strided(made))
    move(plan, Memory(held, start), Memory(made, is_new=is_new), progress, threads)
    if made is not out:
        out[...] = made
    return out


@guarded
def relayout(
    memory: ArrayLike,
    source: AnyLayout | ComposedLayout,
    target: AnyLayout | ComposedLayout,
    fill: Any = 0,
    out: NDArray[Any] | None = None,
    progress: Callable[[int, int], object] | None = None,
    threads: int | None = None,
) -> NDArray[Any]:
    """Return memory by another layout: ``pack(unpack(memory, source), target)``, in one pass.

    >>> relayout([0, 3, 1, 4, 2, 5], col_major(2, 3), row_major(2, 3))
    array([0, 1, 2, 3, 4, 5])

    Raises:
        CongruenceError: the two layouts hold data of different shapes.
        LayoutError: memory is too short, or an int of a layout is symbolic.
        OverlapError: two coordinates share an offset of ``target``.
    """
    import numpy as np

    held, start = _held(memory, source)
    plan = copy_plan(source, target)
    made: NDArray[Any]
    made, made_start = _memory_for(target, held.dtype, fill, out)
    _require_injective(target)
    if out is not None:
        held = held.copy() if np.may_share_memory(out, held) else held
        if plan.size < len(out):
            _fill(out, fill)
    to = Memory(made, made_start, is_new=out is None)
    move(plan, Memory(held, start), to, progress, threads)
    return made


@guarded
def view(memory: ArrayLike, layout: AnyLayout) -> NDArray[Any]:
    """Return the array that memory holds by a layout, without a copy: a write to either is to both.

    >>> import numpy as np
    >>> view(np.arange(12), Layout((2, 3), (6, 2)))
    array([[ 0,  2,  4],
           [ 6,  8, 10]])

    Raises:
        UnsupportedError: a mode has no single stride, or memory is not in one piece; `unpack` copies.
        LayoutError: memory is too short, or an int of the layout is symbolic.
    """
    import numpy as np

    given: NDArray[Any] = as_array(memory)
    if not given.flags.c_contiguous:
        raise UnsupportedError("view needs memory in one piece", "unpack copies it into an array.")
    held, start = _held(given, layout)
    sizes, strides = view_strides(layout)
    if not all(sizes):
        return np.empty(sizes, held.dtype)
    width = held.itemsize
    raw = held.view(f"V{width}")[start:]  # as_strided knows no type of ml_dtypes
    steps = [d * width for d in strides]
    seen: NDArray[Any] = np.lib.stride_tricks.as_strided(raw, sizes, steps).view(held.dtype)
    if 0 in [d for d, n in zip(strides, sizes, strict=True) if n > 1]:
        seen.flags.writeable = False  # many coordinates are one element
    return seen


def view_strides(layout: AnyLayout | ComposedLayout) -> tuple[tuple[int, ...], list[int]]:
    """Return the shape of the array that shows memory in place, and its strides in elements.

    >>> view_strides(Layout(((2, 3), 4), ((4, 8), 1)))
    ((6, 4), [4, 1])

    Raises:
        UnsupportedError: a mode has no single stride.
        LayoutError: an int of the layout is symbolic.
    """
    sizes = data_shape(layout)
    way = "unpack copies it into an array."
    if is_composed(layout):
        raise UnsupportedError(f"the offsets of {layout} have no strides", way, layout=layout)
    strides: list[int] = []
    for i, n in enumerate(sizes if all(sizes) else ()):
        boxes = axis_boxes(n, [_mode(layout, i), (n, 1)])
        loops = joined(boxes[0].loops)
        if len(boxes) > 1 or len(loops) > 1:
            summary = f"mode {i} of {layout} has no single stride for its {n} coordinates"
            raise UnsupportedError(summary, way, layout=layout, mode=i)
        strides += [loop.source for loop in loops] or [0]
    return sizes, strides or [0] * len(sizes)


@guarded
def mask(layout: AnyLayout | ComposedLayout) -> NDArray[Any]:
    """Return which elements of memory hold data: bools, as many as the layout spans.

    >>> mask(Layout((2, 3), (1, 3)))
    array([ True,  True, False,  True,  True, False,  True,  True])
    """
    import numpy as np

    made = _zeros(layout, np.dtype(bool))
    every = np.broadcast_to(np.True_, data_shape(layout))
    move(copy_plan(read_strided(every), layout), Memory(every), Memory(made, -span_of(layout)[0], True))
    return made


def _zeros(layout: Any, dtype: Any) -> NDArray[Any]:
    """Memory for all offsets of a layout."""
    import numpy as np

    start, last = span_of(layout)
    try:
        return np.zeros(last + 1 - start, dtype)
    except (MemoryError, ValueError):  # more than there is, or than numpy counts
        what = f"{layout} spans {last + 1 - start} elements of {dtype}, more than there is memory for"
        raise LayoutError(what, layout=layout, needed=last + 1 - start) from None


def _plain(array: NDArray[Any]) -> NDArray[Any]:
    """The array, or a copy where its strides are no whole elements, as of a field of records."""
    import numpy as np

    return np.ascontiguousarray(array) if any(d % array.itemsize for d in array.strides) else array


def _mode(layout: AnyLayout, i: int) -> tuple[Any, Any]:
    is_one = not isinstance(layout.shape, tuple)
    return (layout.shape, layout.stride) if is_one else (layout.shape[i], layout.stride[i])


def _held(memory: Any, layout: Any) -> tuple[Any, int]:
    """Memory as an array of one axis that spans the layout, and which of its elements is offset 0."""
    import numpy as np

    held = np.ascontiguousarray(as_array(memory)).reshape(-1)
    return held, _start_in(held, layout)


def _start_in(memory: NDArray[Any], layout: Any) -> int:
    """Which element is offset 0, of memory that has all offsets of a layout."""
    start, last = span_of(layout)
    needed = last + 1 - start
    if len(memory) < needed:
        what = f"memory of {plural(len(memory), 'element')} is too short for {layout}"
        raise LayoutError(f"{what}, which spans {needed}", layout=layout, needed=needed)
    return -start


def _memory_for(layout: Any, dtype: Any, fill: Any, out: Any) -> tuple[Any, int]:
    """New memory for a layout, or what was given, and which element is offset 0."""
    if out is None and fill is None:
        raise LayoutError("fill=None keeps what out holds in its padding, and there is no out")
    if out is None:
        out = _zeros(layout, dtype)
        _fill(out, fill)
    _require_type(out, dtype)
    if out.ndim != 1 or not out.flags.c_contiguous or not out.flags.writeable:
        what = f"out has shape {text_of(out.shape)} and strides {text_of(out.strides)} in bytes"
        raise LayoutError(
            what if out.flags.writeable else f"{what}, and cannot be written",
            "Memory is an array of one axis, in one piece, that can be written.",
            value=out,
        )
    return out, _start_in(out, layout)


def require_shape(array: NDArray[Any], layout: AnyLayout | ComposedLayout) -> None:
    """Raise LayoutError if an array does not have the shape of a layout's data.

    >>> require_shape(as_array([1, 2, 3]), Layout(4))
    Traceback (most recent call last):
        ...
    tla.errors.LayoutError: an array of shape (3) does not fit 4:_1
      Its modes hold data of shape (4).
    """
    sizes = data_shape(layout)
    if array.shape != sizes:
        raise LayoutError(
            f"an array of shape {text_of(array.shape)} does not fit {layout}",
            f"Its modes hold data of shape {text_of(sizes)}.",
            layout=layout,
            shape=array.shape,
        )


def _is_zero(fill: Any) -> bool:
    """Whether padding has no bit set: an int 0, though the type has no zero."""
    return isinstance(fill, int) and not fill


def _fill(out: NDArray[Any], fill: Any) -> None:
    """Fill memory with one element; None leaves it as it is."""
    if _is_zero(fill):
        out.view("u1")[...] = 0
    elif fill is not None:
        if as_array(fill).ndim:
            raise LayoutError(f"fill is one element, not {described(fill)}", value=fill)
        out[...] = as_type(fill, out.dtype, "fill")


def _require_type(array: Any, dtype: Any) -> None:
    import numpy as np

    if not issubclass(type(array), np.ndarray):
        raise KindError(f"out must be a numpy array, not {described(array)}", value=array)
    if array.dtype != dtype:
        raise LayoutError(f"out has elements of type {array.dtype}, not {dtype}", value=array)


def _require_injective(layout: Any) -> None:
    """Raise OverlapError, with two coordinates, if data would share an offset."""
    sizes = data_shape(layout)
    inner, outers = opened(layout)
    found: Any = None
    if not all(sizes):
        return
    if all(is_swizzle(outer) for outer, _offset in outers):  # they keep different offsets different
        pair: Any
        try:
            pair = collision(inner)
        except UndecidedError:
            pair = ()
        if pair is None or _nests(inner, sizes):
            return
        if pair and all(inner.is_valid(c) for c in pair):
            found = [_by_mode(c, inner.shape) for c in pair]
    found = found or shared_offset(layout)
    if found is not None:
        raise OverlapError(
            f"two elements would lie at one offset of {layout}",
            f"Its coordinates {text_of(found[0])} and {text_of(found[1])} share an offset.",
            layout=layout,
            coordinates=found,
        )


def _nests(layout: AnyLayout, sizes: tuple[int, ...]) -> bool:
    """Whether each step over the data exceeds all that the smaller steps reach together."""
    steps: list[tuple[int, int]] = []
    for i, n in enumerate(sizes):
        boxes = axis_boxes(n, [_mode(layout, i), (n, 1)])
        parts = [[(abs(d), abs(d) * (extent - 1)) for extent, d, _at in box.loops] for box in boxes]
        if len(boxes) == 1:
            steps += parts[0]
            continue
        spans = sorted([box.span(0) for box in boxes])
        if not all(map(_exceed, parts)) or any(b[0] <= a[1] for a, b in pairwise(spans)):
            return False
        unit = gcd(*[d for part in parts for d, _reach in part], *[box.source for box in boxes])
        steps.append((unit, spans[-1][1] - spans[0][0]))
    return _exceed(steps)


def _exceed(steps: list[tuple[int, int]]) -> bool:
    reach = 0
    for step, reached in sorted(steps):
        if step <= reach:
            return False
        reach += reached
    return True


def _by_mode(coord: Any, shape: Any) -> tuple[int, ...]:
    """One index for each mode of a coordinate."""
    if not is_tuple(shape):
        return (int(crd2idx(coord, shape)),)
    return tuple([int(crd2idx(c, s)) for c, s in zip(coord, shape, strict=True)])
