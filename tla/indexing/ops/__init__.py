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

__all__ = ["RULES", "Leaf", "Maps", "Op", "Rule", "elementwise", "leaves", "rule"]
