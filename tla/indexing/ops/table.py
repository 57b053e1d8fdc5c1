# SPDX-License-Identifier: Apache-2.0
"""The rules of all ops: each module that is imported here enters its own in `RULES`."""

# pyright: reportUnusedImport=false

from __future__ import annotations

from . import (  # noqa: F401
    asynchronous,
    batch_norm,
    bitcast,
    calls,
    collectives,
    convolution,
    custom_calls,
    dot,
    dynamic_slice,
    elementwise,
    gather,
    movement,
    pad,
    passing,
    ragged_dot,
    reduce,
    reduce_window,
    reshape,
    scan,
    scatter,
    triangular,
    whole_lines,
)
from .rules import RULES as RULES, maps_of as maps_of
