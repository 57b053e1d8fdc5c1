# SPDX-License-Identifier: Apache-2.0
"""Normalisation over a batch: all dims but the one of the features.

``all`` means every element of a feature, and ``own`` the element at the same place. The other operands
give the value of the feature.

=================  ===============  ==================================================================
op                 output           made from
=================  ===============  ==================================================================
training           0, normalised    operand all; scale; offset
\\                  1, 2, statistics operand all
inference          0                operand own; scale; offset; mean; variance
grad               0, of operand    operand all; scale; mean; variance; gradient all
\\                  1, of scale      operand all; mean; variance; gradient all
\\                  2, of offset     gradient all
=================  ===============  ==================================================================

Source: XLA ``operation_semantics``, BatchNormTraining, BatchNormInference, BatchNormGrad.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .building import lines
from .rules import rule

if TYPE_CHECKING:
    from .op import Op
    from .rules import Maps

_READ: Final = {
    "batch-norm-training": (
        ("all", "feature", "feature"),
        ("all", "", ""),
        ("all", "", ""),
    ),
    "batch-norm-inference": (("own", "feature", "feature", "feature", "feature"),),
    "batch-norm-grad": (
        ("all", "feature", "feature", "feature", "all"),
        ("all", "", "feature", "feature", "all"),
        ("", "", "", "", "all"),
    ),
}
"""For each output the elements that it reads of each operand; "" means that it reads none."""


@rule(*_READ)
def _batch_norm(op: Op, output: int) -> Maps:
    op.expect_shape()
    sizes, dims = op.sizes(op.inputs[0].shape), op.dims(output)
    (feature,) = op.ints("feature_index", None)
    place = feature if output == 0 else 0
    maps: Maps = []
    for read, leaf in zip(_READ[op.opcode][output], op.inputs, strict=True):
        shape = op.sizes(leaf.shape)
        if read == "all":
            whole = [place if k == feature else None for k in range(len(sizes))]
            maps.append([lines(dims, shape, whole)])
        elif read == "own":
            maps.append([op.identity(output)])
        else:
            maps.append([lines(dims, shape, [place])] if read else [])
    return maps
