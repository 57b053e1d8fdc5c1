"""The maps of HLO ops, by their opcodes: `RULES`."""

from .op import Leaf, Op, called, leaves
from .rules import Maps, Rule, rule
from .table import RULES, maps_of

__all__ = ["RULES", "Leaf", "Maps", "Op", "Rule", "called", "leaves", "maps_of", "rule"]
