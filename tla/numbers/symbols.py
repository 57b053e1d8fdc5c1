# SPDX-License-Identifier: Apache-2.0
"""Named unknowns: `sym`; and what their operators do, which the modules above `nodes` know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, SupportsIndex

from ..errors import LayoutError
from ..ground import guarded
from . import assumptions, evaluation, facts, printers, rules
from .nodes import (
    Expr,
    Symbol,
    Value,
    expr_of,
    operators,
    product_in_order,
    required,
    symbol_of,
)

if TYPE_CHECKING:
    from .ints import IntLike
    from .nodes import Monomial

RESERVED: Final = frozenset(
    (
        *("False", "None", "True", "false", "none", "true"),
        *("ceildiv", "floordiv", "max", "min", "mod", "o"),
    )
)
"""Words of the notation, which name no symbol."""


def is_name(text: str) -> bool:
    """Return whether a text may name a symbol: a letter, then letters, digits and ``_``."""
    return text.isascii() and text.isidentifier() and text[0] != "_" and text not in RESERVED


@guarded
def sym(
    name: str,
    divisible_by: SupportsIndex = 1,
    min: IntLike | None = 1,
    max: IntLike | None = None,
    *,
    cpp_type: str = "",
) -> Expr:
    """Return the unknown int of a name, a multiple of ``divisible_by`` between ``min`` and ``max``.

    It may replace any int of a layout. By default it is 1 or more, as an extent is.

    >>> M, i = sym("M", divisible_by=16), sym("i", min=0, max=15)
    >>> print(M % 16, (M + i) // 16, (M + i) % 16)
    0 M/16 i{min=0,max=15}

    Args:
        name: A letter, then letters, digits and ``_``.
        min, max: The range, inclusive: ints, other symbolic ints, or None for no end.
        cpp_type: The C++ type of the variable, for text that goes back to C++.

    Two symbols of one name stand for one unknown: `Layout.bind` gives both one value, which must fit
    the facts of both. They are equal if all their facts are.

    Raises:
        LayoutError: the text is no name, the divisor is not positive, or no int lies in the range.
        LeafError: a bound is not an int.
    """
    if not isinstance(name, str) or not is_name(name):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise LayoutError(
            f"{name!r} does not name a symbol",
            "A name is a letter, then letters, digits and '_', and none of"
            f" {', '.join(sorted(RESERVED))}.",
            name=name,
        )
    divisor: Any = required(divisible_by)
    if type(divisor) is Expr or divisor < 1:
        raise LayoutError(f"{name} cannot be divisible by {divisor}", "A divisor is a positive int.")
    least: Value | None = None if min is None else required(min)
    greatest: Value | None = None if max is None else required(max)
    symbol = symbol_of(name, divisor, least, greatest, cpp_type)
    low, high = symbol.bounds
    if low is not None and high is not None and low > high:
        among = f" among the multiples of {divisor}" if divisor > 1 else ""
        raise LayoutError(f"no {name} lies between {least} and {greatest}{among}", name=name)
    return value_of_symbol(symbol)


def value_of_symbol(symbol: Symbol) -> Expr:
    """Return the expression of a symbol: its atom times its divisor."""
    return expr_of({(symbol,): symbol.divisor}, 0, 0)


def _restore(terms: tuple[tuple[Monomial, int], ...], constant: int) -> Value:
    """The value of a pickle. Its factors are sorted anew: each process orders atoms in its own way."""
    kinds = sum({atom.kind for monomial, _k in terms for atom in monomial})  # each a bit of its own
    return expr_of({product_in_order(monomial): k for monomial, k in terms}, constant, kinds)


operators.floor_divided, operators.remainder = rules.floor_divided, rules.remainder
operators.least, operators.summed = rules.least, rules.summed
operators.known_zero, operators.known_negative = facts.known_zero, facts.known_negative
operators.known_divides = facts.known_divides
operators.normal, operators.evaluate = assumptions.normal, evaluation.evaluate
operators.to_notation, operators.to_python = printers.to_notation, printers.to_python
operators.restore = _restore
