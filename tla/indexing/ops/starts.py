# SPDX-License-Identifier: Apache-2.0
"""The start indices of slices as runtime variables.

A start index is an int that the program reads, from a scalar or from a vector in an array of indices.
`scalar_starts` and `IndexVectors` give the element for each of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ...numbers import Interval
from ..maps import IndexingMap
from ..variables import RuntimeVariable, Source, rng

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ...numbers import Value
    from .op import Leaf, Op


def scalar_starts(
    op: Op, starts: Sequence[Leaf], sizes: Sequence[int], window: Sequence[int]
) -> list[RuntimeVariable]:
    """Return the start of a window along each dim of an array, clamped so that the window fits.

    The starts are scalars, one for each dim, or one array of rank 1 that holds them all.
    """
    elements: list[tuple[str, tuple[Value, ...]]] = []
    for leaf in starts:
        shape = op.sizes(leaf.shape)
        elements += [(leaf.name, (k,)) for k in range(shape[0])] if shape else [(leaf.name, ())]
    variables: list[RuntimeVariable] = []
    for k, (name, at) in enumerate(elements):
        fits = Interval(0, sizes[k] - window[k])
        variables.append(RuntimeVariable(f"rt{k}", fits, Source(name, at, fits)))
    return variables


def starts_read(op: Op, starts: Iterable[Leaf], output: int) -> list[list[IndexingMap]]:
    """Return for each operand of `scalar_starts` the map from an output: the output reads it whole."""
    maps: list[list[IndexingMap]] = []
    for leaf in starts:
        shape = op.sizes(leaf.shape)
        whole = [rng(k) for k in range(len(shape))]
        maps.append(not_empty(IndexingMap(whole, op.dims(output), shape)))
    return maps


def not_empty(*maps: IndexingMap) -> list[IndexingMap]:
    """Return the maps that are not known to be empty."""
    return [m for m in maps if not m.is_known_empty]


class VectorDims(NamedTuple):
    """The dims that a gather or a scatter names.

    Attributes:
        targets: For each entry of a vector of indices, the dim of the array along which it is a start.
        left_out: The dims of the array that a slice lacks.
        batching: Pairs of a dim of the array and a dim of the indices that have the same coordinate.
        in_slice: The dims of the slices in the other array: the result or the updates.
        through: The dims of the array that a slice has, in order.
        along: The dim of the indices along which a vector lies.
    """

    targets: tuple[int, ...]
    left_out: tuple[int, ...]
    batching: tuple[tuple[int, int], ...]
    in_slice: tuple[int, ...]
    through: tuple[int, ...]
    along: int

    @property
    def of_array(self) -> tuple[int, ...]:
        """The dims of the array that batch."""
        return tuple(k for k, _i in self.batching)


def vector_dims(op: Op, rank: int, names: Sequence[str]) -> VectorDims:
    """Return the dims that a gather or a scatter names.

    Args:
        rank: The rank of the array that is read or updated.
        names: The attributes, in the order of `VectorDims`: two for ``batching``.
    """
    targets, left_out, of_array, of_indices, in_slice = map(op.ints, names)
    (along,) = op.ints("index_vector_dim", None)
    through = tuple(k for k in range(rank) if k not in left_out and k not in of_array)
    batching = tuple(zip(of_array, of_indices, strict=True))
    return VectorDims(targets, left_out, batching, in_slice, through, along)


class IndexVectors:
    """The vectors in an array of indices; each holds the start of one slice of another array.

    Args:
        leaf: The array of indices.
        dims: The dims that the op names.
        sizes, window: The dims of the other array, and of a slice of it.
    """

    def __init__(
        self, op: Op, leaf: Leaf, dims: VectorDims, sizes: Sequence[int], window: Sequence[int]
    ) -> None:
        targets, along = dims.targets, dims.along
        shape = op.sizes(leaf.shape)
        rank = len(shape)
        self.leaf = leaf
        self.along = along
        self.targets: tuple[int, ...] = targets
        self.fits: tuple[int, ...] = tuple(n - w for n, w in zip(sizes, window, strict=True))
        self.numbering: tuple[int, ...] = tuple(k for k in range(rank) if k != along)
        """The dims of the indices that number the vectors."""
        self.counts: tuple[int, ...] = tuple(shape[k] for k in self.numbering)
        """The number of vectors along each of these."""
        self.has_dim: bool = along < rank
        self.batching: dict[int, int] = {}
        """For a dim of the other array, the place in `numbering` that gives the place along it."""
        for target, k in dims.batching:
            self.batching[target] = self.numbering.index(k)

    def element(self, number: Sequence[Value], entry: Value) -> tuple[Value, ...]:
        """Return the indices of an entry of the vector with a number."""
        return (*number[: self.along], *((entry,) if self.has_dim else ()), *number[self.along :])

    def starts(self, number: Sequence[Value], is_clamped: bool) -> list[RuntimeVariable]:
        """Return the entries of the vector with a number, each in the bounds in which its slice fits.

        Args:
            is_clamped: Whether an entry outside the bounds is clamped; if not, its slice has no effect.
        """
        variables: list[RuntimeVariable] = []
        for j, target in enumerate(self.targets):
            fits = Interval(0, self.fits[target])
            source = Source(self.leaf.name, self.element(number, j), fits if is_clamped else None)
            variables.append(RuntimeVariable(f"rt{j}", fits, source))
        return variables
