# SPDX-License-Identifier: Apache-2.0
"""Products of arrays: dot, and the form with scales.

The dims of the result are the batch dims, then the free dims of the left side, then those of the
right side. The contracted dims are ranges, in the order of ``lhs_contracting_dims``.

A scaled dot multiplies each side by its scale. A scale has one element for each block: element ``x`` of
a dim has scale ``x floordiv block``.

Source: XLA ``operation_semantics``, Dot; its BlockScalingRewriter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ...ground import plural
from ..maps import IndexingMap
from ..variables import dim, rng
from .building import expect
from .rules import rule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...numbers import Value
    from .op import Leaf, Op
    from .rules import Maps


class Side(NamedTuple):
    """One side of a dot: its sizes, and its dims of each kind."""

    sizes: tuple[int, ...]
    batch: tuple[int, ...]
    contracting: tuple[int, ...]
    group: tuple[int, ...] = ()

    @property
    def free(self) -> tuple[int, ...]:
        """Its dims that are neither batch dims nor contracted."""
        others = self.batch + self.contracting + self.group
        return tuple(k for k in range(len(self.sizes)) if k not in others)

    def size(self, dims: Sequence[int]) -> tuple[int, ...]:
        """Return the sizes of some of its dims."""
        return tuple(self.sizes[k] for k in dims)

    def results(self, first: int, free: int, group: Value = 0) -> list[Value]:
        """Return the element that the result at ``dim(first)``, ... depends on.

        Args:
            first: The result's first batch dim.
            free: The result's first dim for the free dims of this side.
        """
        places: dict[int, Value] = dict.fromkeys(self.group, group)
        places.update((k, dim(first + i)) for i, k in enumerate(self.batch))
        places.update((k, dim(free + i)) for i, k in enumerate(self.free))
        places.update((k, rng(i)) for i, k in enumerate(self.contracting))
        return [places[k] for k in range(len(self.sizes))]


def sides(op: Op, output: int, groups: tuple[int, ...] = ()) -> tuple[Side, Side]:
    """Return the two sides of a dot.

    Args:
        groups: The sizes of the first dims of the result that belong to neither side.

    Raises:
        MalformedError: the sides do not give the result.
    """
    found: list[Side] = []
    for name, leaf in zip(("lhs", "rhs"), op.inputs[:2], strict=True):
        kinds = [op.ints(f"{name}_{kind}_dims") for kind in ("batch", "contracting", "group")]
        found.append(Side(op.sizes(leaf.shape), *kinds))
        for k in (k for dims in kinds for k in dims):
            if not 0 <= k < len(leaf.shape.dimensions):
                op.fail(f"its {name} {leaf.shape} has no dim {k}")
    left, right = found
    batch, contracted = (left.batch, right.batch), (left.contracting, right.contracting)
    for kind, (a, b) in (("batch", batch), ("contracted", contracted)):
        if len(a) != len(b):
            op.fail(f"{plural(len(a), f'{kind} dim')} on the left, {len(b)} on the right")
        for i, j in zip(a, b, strict=True):
            n, m = left.sizes[i], right.sizes[j]
            if n != m:
                op.fail(
                    f"the {kind} dims differ, {n} on the left (dim {i}) and {m} on the right (dim {j})"
                )
    dims = groups + left.size(left.batch + left.free) + right.size(right.free)
    if dims != op.dims(output):
        written = ",".join(map(str, dims))
        op.fail(f"its sides make [{written}], and its result is {op.outputs[output].shape}")
    return left, right


def _product(op: Op, output: int) -> list[IndexingMap]:
    """The maps to both sides of a plain dot."""
    left, right = sides(op, output)
    dims, ranges = op.dims(output), left.size(left.contracting)
    batch = len(left.batch)
    return [
        IndexingMap(left.results(0, batch), dims, ranges),
        IndexingMap(right.results(0, batch + len(left.free)), dims, ranges),
    ]


@rule("dot")
def _dot(op: Op, output: int) -> Maps:
    expect(op, 2)
    return [[m] for m in _product(op, output)]


@rule("scaled-dot")
def _scaled_dot(op: Op, output: int) -> Maps:
    expect(op, 4)
    sides = _product(op, output)
    return [[m] for m in sides] + [
        [_scale(op, m, side, scale)]
        for m, side, scale in zip(sides, op.inputs[:2], op.inputs[2:], strict=True)
    ]


def _scale(op: Op, side: IndexingMap, of: Leaf, scale: Leaf) -> IndexingMap:
    """The map to the scales of a side."""
    sizes, blocks = op.sizes(of.shape), op.sizes(scale.shape)
    if not blocks:
        return side.with_parts(results=())
    if len(blocks) != len(sizes) or any(n % m if m else n for n, m in zip(sizes, blocks, strict=True)):
        op.fail(f"the scales {scale.shape} are not those of blocks of {of.shape}")
    results = [
        0 if m == 1 else x // max(n // max(m, 1), 1)
        for x, n, m in zip(side.results, sizes, blocks, strict=True)
    ]
    return side.with_parts(results=results)
