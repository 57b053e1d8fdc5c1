"""The maps of HLO ops, by their opcodes: `RULES`."""

from . import (
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
    random_bits,
    reduce,
    reduce_window,
    reshape,
    scan,
    scatter,
    triangular,
    whole_lines,
)
from .op import Leaf, Op, leaves
from .rules import RULES, Maps, Rule, rule

__all__ = ["MODULES", "RULES", "Leaf", "Maps", "Op", "Rule", "leaves", "rule"]

MODULES = (
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
    random_bits,
    reduce,
    reduce_window,
    reshape,
    scan,
    scatter,
    triangular,
    whole_lines,
)
"""The modules that enter their rules in the table."""
