# SPDX-License-Identifier: Apache-2.0
"""Strided boxes of bytes: which bytes of a memory an instruction reads or writes, and in which order.

A box is a view that numpy makes without copying. The same box gives the values of an instruction, its
footprint and its bounds, so these cannot differ.

>>> rows = Box(64, ((3, 100), (2, 32)), 32)  # 3 rows of 2 blocks of 32 bytes
>>> rows.runs
Runs(start=64, length=64, dims=((3, 100),))
>>> rows.ends
(64, 328)
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from math import gcd, prod
from typing import TYPE_CHECKING, Any, NamedTuple

from .lazy_numpy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Dims = tuple[tuple[int, int], ...]


class Runs(NamedTuple):
    """A box as runs of bytes without a gap: the first, its length, and the counts and steps of all."""

    start: int
    length: int
    dims: Dims

    @property
    def unit(self) -> int:
        """The greatest size that divides the length and every step."""
        return gcd(self.length, *[step for _, step in self.dims])

    @property
    def bytes(self) -> int:
        """How many bytes they are, if no two overlap."""
        return self.length * prod([n for n, _ in self.dims])


class _Box(NamedTuple):
    start: int
    dims: Dims
    item: int


class Box(_Box):
    """Items of `item` bytes: the first at byte `start` of an operand, the others by counts and steps."""

    def view(self, memory: NDArray[np.uint8], base: int, dtype: Any) -> NDArray[Any]:
        """Return the items of a memory, for an operand at byte `base`."""
        shape = tuple([n for n, _ in self.dims])
        steps = tuple([step for _, step in self.dims])
        return np.ndarray(shape, dtype, memory, base + self.start, steps)

    def bytes_view(self, marks: NDArray[Any], base: int) -> NDArray[Any]:
        """Return the marks of the bytes of each item, from an array with a mark for each byte."""
        size = marks.itemsize
        shape = (*[n for n, _ in self.dims], self.item)
        steps = (*[step * size for _, step in self.dims], size)
        return np.ndarray(shape, marks.dtype, marks, (base + self.start) * size, steps)

    def split(self, size: int) -> Box:
        """Return the box in items of `size` bytes."""
        if self.item == size:
            return self
        return Box(self.start, (*self.dims, (self.item // size, size)), size)

    @cached_property
    def runs(self) -> Runs:
        """The bytes of the box, each once, as long runs."""
        return _runs(self)

    @cached_property
    def ends(self) -> tuple[int, int]:
        """The first byte, and the first behind the last."""
        start, length, dims = self.runs
        return start, start + length + sum([(n - 1) * step for n, step in dims])

    @property
    def empty(self) -> bool:
        """Whether it has no byte."""
        return self.item == 0 or any(n == 0 for n, _ in self.dims)


@lru_cache(1 << 14)
def _runs(box: Box) -> Runs:
    start, length = box.start, box.item
    steps: list[tuple[int, int]] = []
    for n, step in box.dims:
        if step < 0:
            start += (n - 1) * step
        if n > 1 and step:
            steps.append((abs(step), n))
    dims: list[tuple[int, int]] = []
    for step, n in sorted(steps):
        if not dims and step <= length:
            length += (n - 1) * step
        else:
            dims.append((n, step))
    return Runs(start, length, tuple(dims[::-1]))


@lru_cache(1 << 14)
def marks_shape(runs: Runs, unit: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the shape and the steps of the marks of some runs, with one mark for each `unit` bytes."""
    shape = (*[n for n, _ in runs.dims], runs.length // unit)
    return shape, (*[step // unit for _, step in runs.dims], 1)


def marks_view(marks: NDArray[Any], runs: Runs, base: int, unit: int) -> NDArray[Any]:
    """Return the marks of some runs, for an operand at byte `base`."""
    shape, steps = marks_shape(runs, unit)
    size = marks.itemsize
    first = (base + runs.start) // unit * size
    return np.ndarray(shape, marks.dtype, marks, first, tuple([step * size for step in steps]))
