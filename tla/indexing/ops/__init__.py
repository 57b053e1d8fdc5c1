"""The maps of HLO ops, by their opcodes: `RULES`."""

from . import elementwise
from .op import Leaf, Op, leaves
from .rules import RULES, Maps, Rule, rule

__all__ = ["RULES", "Leaf", "Maps", "Op", "Rule", "elementwise", "leaves", "rule"]
