# SPDX-License-Identifier: Apache-2.0
"""Memory as numpy sees it, at any strides; boxes moved by numpy, in an order that suits the cache."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, Final

from ..errors import LayoutError
from ..layouts import Layout

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from ..layouts import AnyLayout
    from .loops import Box, Loop

_ITEM: Final = 64
"""The most bytes that move as one item."""
_ROWS: Final = 64
"""How many far rows of the source are read side by side, so that their lines stay in the cache."""
_BLOCK: Final = 1 << 19
"""The bytes of which every lane is moved in turn."""
_LANES: Final = 16
"""The most elements that lie side by side and come from far rows, to be moved one row at a time."""


def read_strided(array: Any) -> AnyLayout:
    """Return the layout of an array with strides in bytes, from its element 0 on.

    >>> import numpy as np
    >>> print(read_strided(np.zeros((3, 4), "f4").T[::2]))
    (2,3):(2,4)

    Raises:
        LayoutError: a stride is no multiple of the size of an element.
    """
    size: int = array.itemsize or 1
    strides: list[int] = []
    for axis, (n, step) in enumerate(zip(array.shape, array.strides, strict=True)):
        if step % size and n > 1:
            raise LayoutError(
                f"axis {axis} steps by {step} bytes, which is no multiple of an element of {size} bytes",
                "A layout counts in elements: view the array as smaller ones, such as bytes.",
                axis=axis,
                stride=step,
            )
        strides.append(step // size)
    return Layout(tuple(array.shape), tuple(strides))


class Memory:
    """Elements in memory: where offset 0 is, and how long an element is.

    ``owner`` keeps the bytes alive; every view is made of the address alone.
    """

    def __init__(self, array: NDArray[Any], start: int = 0, is_new: bool = False) -> None:
        """The memory of an array whose offset 0 is its element ``start``, counted from the first.

        Args:
            is_new: It was never written, so its pages are not there yet.
        """
        self.owner: NDArray[Any] = array
        self.bytes: int = array.dtype.itemsize
        address, is_readonly = array.__array_interface__["data"]
        self.address: int = address + start * self.bytes
        self.is_readonly: bool = is_readonly
        self.is_new: bool = is_new

    def at(self, offset: int) -> int:
        """The address of an offset."""
        return self.address + offset * self.bytes

    def view(self, offset: int, extents: list[int], strides: list[int], items: int = 1) -> NDArray[Any]:
        """The elements at an offset and strides, so many of them to an item."""
        steps = [step * self.bytes for step in strides]
        kind = f"|V{items * self.bytes}"
        return _view(self.owner, self.at(offset), kind, extents, steps, self.is_readonly)


def _view(
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


def move_box(box: Box, source: Memory, target: Memory) -> None:
    """Move the elements of a box; a common run is items of up to 64 bytes."""
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
    for part in _cuts(loops, source.bytes):
        np.copyto(ours[part], theirs[part])


def _cuts(loops: list[Loop], width: int) -> Iterator[Any]:
    """Indices that cut a copy into parts whose lines stay in the cache, in the order to move them."""
    extents = [loop.extent for loop in loops]
    if len(loops) < 2 or loops[-1].source * width < _ITEM:
        yield ...
    elif extents[-1] <= _LANES and loops[-2].source == 1:  # lanes of one line: one pass for each
        step = max(1, _BLOCK // (width * prod(extents[1:]))) if len(loops) > 2 else extents[0]
        for start in range(0, extents[0], step):
            for lane in range(extents[-1]):
                yield slice(start, start + step), ..., lane
    else:
        for start in range(0, extents[-1], _ROWS):
            yield ..., slice(start, start + _ROWS)
