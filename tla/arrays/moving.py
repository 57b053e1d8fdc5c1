# SPDX-License-Identifier: Apache-2.0
"""Bytes moved by the boxes of a plan, with numpy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ..layouts import offsets
from .plan import data_shape

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

    from .loops import Box, Loop
    from .plan import CopyPlan

_ITEM: Final = 64
"""The most bytes that move as one item."""
_ROWS: Final = 64
"""How many far rows of the source are read side by side, so that their lines stay in the cache."""

_LANES: Final = 16
"""The most elements that lie side by side and come from far rows, to be moved one row at a time."""


class Memory:
    """Elements in memory: where offset 0 is, and how long an element is.

    ``owner`` keeps the bytes alive; every view is made of the address alone.
    """

    def __init__(self, array: NDArray[Any], start: int = 0) -> None:
        """The memory of an array whose offset 0 is its element ``start``, counted from the first."""
        self.owner: NDArray[Any] = array
        self.bytes: int = array.dtype.itemsize
        address, is_readonly = array.__array_interface__["data"]
        self.address: int = address + start * self.bytes
        self.is_readonly: bool = is_readonly

    def view(self, offset: int, extents: list[int], strides: list[int], items: int = 1) -> NDArray[Any]:
        """The elements at an offset and strides, so many of them to an item."""
        return view_of(
            self.owner,
            self.address + offset * self.bytes,
            f"|V{items * self.bytes}",
            extents,
            [step * self.bytes for step in strides],
            self.is_readonly,
        )


def view_of(
    owner: Any, address: int, type_: str, extents: list[int], strides: list[int], is_readonly: bool
) -> NDArray[Any]:
    """Return the array of an address; strides count bytes. It keeps ``owner`` alive."""
    import numpy as np

    return np.asarray(
        _Address(
            owner,
            {
                "shape": tuple(extents),
                "typestr": type_,
                "data": (address, is_readonly),
                "strides": tuple(strides),
                "version": 3,
            },
        )
    )


class _Address:
    """What numpy makes an array of, as its own ``as_strided`` does; here the address is any."""

    def __init__(self, owner: Any, interface: dict[str, Any]) -> None:
        self.owner, self.__array_interface__ = owner, interface


def move(plan: CopyPlan, source: Memory, target: Memory) -> None:
    """Move the elements of a plan; both memories must hold all offsets that its layouts give."""
    if plan.boxes is None:
        _move_by_tables(plan, source, target)
        return
    for box in plan.boxes:
        _move_box(box, source, target)


def _move_box(box: Box, source: Memory, target: Memory) -> None:
    import numpy as np

    loops = list(box.loops)
    items = 1
    if loops and loops[-1][1:] == (1, 1):
        run = loops.pop()
        items = max(n for n in range(1, max(1, _ITEM // source.bytes) + 1) if run.extent % n == 0)
        if run.extent > items:
            loops.append(run._replace(extent=run.extent // items, source=items, target=items))
    extents = [loop.extent for loop in loops]
    ours = target.view(box.target, extents, [loop.target for loop in loops], items)
    theirs = source.view(box.source, extents, [loop.source for loop in loops], items)
    for part in _parts(loops, source.bytes):
        np.copyto(ours[part], theirs[part])


def _parts(loops: list[Loop], width: int) -> Iterator[Any]:
    """Indices that cut a copy into parts whose lines stay in the cache, in the order to move them."""
    extents = [loop.extent for loop in loops]
    if len(loops) < 2 or loops[-1].source * width < _ITEM:
        yield ...
    elif extents[-1] <= _LANES and loops[-2].source == 1:  # lanes of one line: one pass for each
        for at in range(extents[0]) if len(loops) > 2 else [slice(None)]:
            for lane in range(extents[-1]):
                yield at, ..., lane
    else:
        for start in range(0, extents[-1], _ROWS):
            yield ..., slice(start, start + _ROWS)


def _move_by_tables(plan: CopyPlan, source: Memory, target: Memory) -> None:
    read, written = (offsets_in_data(side) for side in (plan.source, plan.target))
    low, high = int(written.min()), int(written.max())
    ours = target.view(low, [high - low + 1], [1])
    first, last = int(read.min()), int(read.max())
    ours[written - low] = source.view(first, [last - first + 1], [1])[read - first]


def offsets_in_data(layout: Any) -> NDArray[np.int64]:
    """Return the offsets of the coordinates that hold data, an axis for each mode."""
    return offsets(layout)[tuple([slice(n) for n in data_shape(layout)])]
