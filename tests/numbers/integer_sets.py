"""Expressions as isl's piecewise affine functions, for proofs over all ints. Needs islpy."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from random_exprs import Unknown

from tla.numbers import Expr, Symbol
from tla.numbers.nodes import Least, Quotient, Remainder


def is_affine(x: Any) -> bool:
    """Whether products and divisors are by ints throughout."""
    if type(x) is not Expr:
        return True
    return all(len(monomial) == 1 and _is_affine_atom(monomial[0]) for monomial in x.terms)


def _is_affine_atom(atom: Any) -> bool:
    if type(atom) is Least:
        return all(map(is_affine, atom.parts))
    if isinstance(atom, (Quotient, Remainder)):
        return type(atom.divisor) is int and is_affine(atom.dividend)
    return True


def isl_text(x: Any) -> str:
    """The text of a value in isl's notation; a symbol is its name over its divisor."""
    if type(x) is not Expr:
        return f"({x})"
    terms = [f"{k}*{_atom_text(monomial[0])}" for monomial, k in x.terms.items()]
    return f"({' + '.join([*terms, f'({x.constant})'])})"


def _atom_text(atom: Any) -> str:
    if type(atom) is Symbol:
        return atom.name
    if type(atom) is Least:
        return _least_text([isl_text(item) for item in atom.parts])
    if type(atom) is Quotient:
        return f"floor({isl_text(atom.dividend)}/{atom.divisor})"
    return f"({isl_text(atom.dividend)} mod {atom.divisor})"


def _least_text(texts: list[str]) -> str:
    *rest, last = texts
    for text in reversed(rest):
        last = f"min({text}, {last})"
    return last


def isl_function(unknowns: Sequence[Unknown], op: str, *parts: Any) -> Any:
    """The function of the unknowns over their divisors: of one part, a division, or a least value."""
    islpy: Any = import_module("islpy")
    texts = [isl_text(part) for part in parts]
    text = {
        "": lambda: texts[0],
        "//": lambda: f"floor({texts[0]}/{parts[1]})",
        "%": lambda: f"({texts[0]} mod {parts[1]})",
        "min": lambda: _least_text(texts),
    }[op]()
    return islpy.PwAff(f"{{ [{_names(unknowns)}] -> [{text}] }}")


def isl_domain(unknowns: Sequence[Unknown]) -> Any:
    """What is declared of the unknowns, without the ends that were put to them for trying."""
    islpy: Any = import_module("islpy")

    facts: list[str] = []
    divisors = {u.name: u.divisor for u in unknowns}
    for u in unknowns:
        if u.low is not None:
            facts.append(f"{u.divisor}*{u.name} >= {u.low}")
        if u.high is not None:
            facts.append(f"{u.divisor}*{u.name} <= {u.high}")
        if u.below:
            facts.append(f"{u.divisor}*{u.name} < {divisors[u.below]}*{u.below}")
    return islpy.Set(f"{{ [{_names(unknowns)}] : {' and '.join(facts) or 'true'} }}")


def _names(unknowns: Sequence[Unknown]) -> str:
    return ", ".join(u.name for u in unknowns)
