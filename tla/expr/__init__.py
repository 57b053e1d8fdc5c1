"""Symbolic ints: quasi-affine expressions of named unknowns, with ranges and divisors.

>>> M = sym("M", divisible_by=16)
>>> x = (M + 5) // 16 * 4 + (M + 5) % 16
>>> print(x, x.bounds, x.divisor)
M{div=16}/4+5 (9, None) 1
"""

from .assumptions import Conditions, assume
from .evaluation import evaluate, free_symbols, substitute
from .nodes import Condition, Expr, Symbol, Value
from .printers import to_cpp, to_mlir, to_notation, to_python
from .rules import ceil_divided, floor_divided, greatest, least, remainder, simplify
from .symbols import sym

__all__ = [
    "Condition",
    "Conditions",
    "Expr",
    "Symbol",
    "Value",
    "assume",
    "ceil_divided",
    "evaluate",
    "floor_divided",
    "free_symbols",
    "greatest",
    "least",
    "remainder",
    "simplify",
    "substitute",
    "sym",
    "to_cpp",
    "to_mlir",
    "to_notation",
    "to_python",
]
