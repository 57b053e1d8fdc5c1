"""XLA's indexing analysis, exact and sound."""

from .maps import Constraint, IndexingMap, Point
from .text import parse_map, to_text
from .variables import REPLICA, Interval, RuntimeVariable, Source, Variable, dim, rng, rt

__all__ = [
    "REPLICA",
    "Constraint",
    "IndexingMap",
    "Interval",
    "Point",
    "RuntimeVariable",
    "Source",
    "Variable",
    "dim",
    "parse_map",
    "rng",
    "rt",
    "to_text",
]
