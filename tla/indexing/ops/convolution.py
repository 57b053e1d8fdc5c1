# SPDX-License-Identifier: Apache-2.0
"""Convolutions: a window of the input against a kernel.

Element ``b, o, d...`` sums over places ``s`` of the window and input features ``i``. Its output feature
``o`` decides the feature group, which has its own input features, and the batch group, which has its
own batch. XLA's maps treat all batch groups as one.

The kernel is read only where the window lies over an element of the input. A kernel element over the
padding, or over a gap between elements, is no term of the sum. XLA's maps to the kernel ignore this,
and they ignore ``rhs_reversal``, which reverses the kernel in the window.

The ranges are places of the window, then the input feature.

Source: XLA ``operation_semantics``, ConvWithGeneralPadding.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from .building import Ranges, at, simple_map
from .rules import rule
from .window import read_window

if TYPE_CHECKING:
    from ...numbers import Interval, Value
    from .op import Op
    from .rules import Maps


class Labels(NamedTuple):
    """The dims ``b``, ``f``, ``i``, ``o``, ``0``, ... of the input, the kernel and the result."""

    input: dict[str, int]
    kernel: dict[str, int]
    result: dict[str, int]
    spatial: tuple[str, ...]


def _labels(op: Op) -> Labels:
    parts = re.split("_|->", op.attribute("dim_labels", None))
    first, second, third = ({name: k for k, name in enumerate(part)} for part in parts)
    return Labels(first, second, third, tuple(map(str, range(len(parts[0]) - 2))))


@rule("convolution")
def _convolution(op: Op, output: int) -> Maps:
    op.expect_shape()
    labels, dims = _labels(op), op.dims(output)
    (feature_groups,), (batch_groups,) = (
        op.ints(f"{kind}_group_count", (1,)) for kind in ("feature", "batch")
    )
    sizes, kernel = (op.sizes(leaf.shape) for leaf in op.inputs)
    arrays = [sizes[labels.input[name]] for name in labels.spatial]
    window = read_window(op, len(arrays))

    ranges = Ranges()
    input_at: dict[str, Value] = {}
    kernel_at: dict[str, Value] = {}
    input_inside: list[tuple[Value, Interval]] = []
    kernel_inside: list[tuple[Value, Interval]] = []
    for name, w, size in zip(labels.spatial, window, arrays, strict=True):
        d, s = at(dims, labels.result[name]), ranges.new(w.size)
        input_at[name], inside = w.element(size, d, s)
        input_inside += inside
        kernel_at[name] = s
        kernel_inside += w.element(size, d, w.size - 1 - s)[1] if w.reversal else inside
    features, outputs = kernel[labels.kernel["i"]], kernel[labels.kernel["o"]]
    feature, o = ranges.new(features), at(dims, labels.result["f"])

    def group(groups: int) -> Value:
        """The group of an output feature; each group has equally many neighbouring features."""
        return o // max(1, outputs // groups) if groups > 1 else 0

    input_at["f"] = group(feature_groups) * features + feature
    input_at["b"] = group(batch_groups) * dims[labels.result["b"]] + at(dims, labels.result["b"])
    kernel_at["i"], kernel_at["o"] = feature, o
    return [
        [simple_map([input_at[name] for name in labels.input], dims, ranges.sizes, input_inside)],
        [simple_map([kernel_at[name] for name in labels.kernel], dims, ranges.sizes, kernel_inside)],
    ]
