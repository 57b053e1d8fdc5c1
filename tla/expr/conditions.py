"""Conditions on symbolic ints: what their comparisons give.

>>> M = sym("M")
>>> M % 48 == 0, (M % 48 == 0).known(), (M > 0).known()
(M % 48 == 0, None, True)
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, Final

from ..errors import UndecidedError
from .nodes import Expr, Remainder, Symbol, Value, key_of, term_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["Condition", "undecided"]


_COMPARE: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


_OPPOSITE: Final = {"==": "!=", "!=": "==", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}


class Condition:
    """A comparison of two values, as ``==`` and ``<`` of symbolic ints make it.

    >>> condition = sym("M") % 16 == 0
    >>> print(condition)
    M % 16 == 0
    >>> condition.left, condition.op, condition.right
    (M % 16, '==', 0)

    As a bool, ``==`` and ``!=`` tell whether both sides have one structure, so that expressions work
    in sets and tuples; an order decides, or raises `UndecidedError`.
    """

    __slots__ = ("left", "op", "right")

    left: Value
    op: str
    right: Value

    def __init__(self, left: Value, op: str, right: Value) -> None:
        self.left, self.op, self.right = left, op, right

    def __bool__(self) -> bool:
        if self.op in ("==", "!="):
            return (key_of(self.left) == key_of(self.right)) is (self.op == "==")
        return self.decided()

    def known(self) -> bool | None:
        """Whether it holds: True, False, or None where its symbols leave it open."""
        difference: Any = self.left - self.right
        if self.op in ("==", "!="):
            answer, wanted = proof.known_zero(difference), self.op == "=="
        elif self.op in ("<", ">="):
            answer, wanted = proof.known_negative(difference), self.op == "<"
        else:
            answer, wanted = proof.known_negative(-difference), self.op == ">"
        return None if answer is None else answer is wanted

    def decided(self) -> bool:
        """Whether it holds; raise `UndecidedError` where that is open."""
        answer = self.known()
        if answer is None:
            raise undecided(f"whether {self} is not known", self)
        return answer

    def normal(self) -> Condition:
        """The same condition as a reader says it: ``M % 64 == 0`` for ``(M + 63) // 64 * 64 == M``."""
        difference: Any = self.left - self.right
        if type(difference) is Expr and len(difference.terms) == 1:
            for simpler in (self._of_remainder(difference), self._of_factor(difference)):
                if simpler is not None:  # as a bool it would compare structures
                    return simpler
        x = self.left
        if type(x) is Expr and x.constant and max(x.terms.values()) > 0:
            if type(self.right) is not Expr:
                return Condition(x - x.constant, self.op, self.right - x.constant)
            if x.constant == -1 and self.op == "<" and not self.right.constant:
                return Condition(x + 1, "<=", self.right)
        return self

    def _of_remainder(self, difference: Expr) -> Condition | None:
        """``(y + a) % c == n`` without its constant: ``y % c == n - a``."""
        ((monomial, k),) = difference.terms.items()
        atom = monomial[0]
        if self.op != "==" or len(monomial) > 1 or type(atom) is not Remainder:
            return None
        x: Any = atom.dividend
        n, odd = divmod(-difference.constant, k)
        if odd or type(x) is not Expr or type(atom.divisor) is Expr or not 0 <= n < atom.divisor:
            return None
        scale = printers.denominator(x)
        bare = rules.remainder((x - x.constant) * scale, atom.divisor * scale)
        return Condition(bare, "==", (n - x.constant) % atom.divisor * scale)

    def _of_factor(self, difference: Expr) -> Condition | None:
        """A product against 0 by the one factor that may be 0: ``x > 0`` of ``x*x*y > 0``, ``y > 0``."""
        ((monomial, k),) = difference.terms.items()
        order = self.op == ">"
        if difference.constant or self.op not in ("==", "!=", ">") or (order and k < 0):
            return None
        with assumptions.nothing_assumed():
            factors = [term_of((x,), 1) for x in monomial]
            signs = [proof.is_nonnegative(x) for x in factors]
            rest = {x for x in factors if proof.known_negative(-x) is not True}
        if len(rest) != 1 or (k, len(monomial)) == (1, 1) or (order and not all(signs)):
            return None
        return Condition(rest.pop(), self.op, 0).normal()

    def holds(self, **values: int) -> bool:
        """Whether it holds for some values of its symbols."""
        left, right = (evaluation.evaluate(x, values) for x in (self.left, self.right))
        return bool(_COMPARE[self.op](left, right))

    def at(self, point: dict[Any, Any]) -> bool:
        """Whether it holds for some values of atoms."""
        left, right = (evaluation.evaluated(x, {}, {**point}) for x in (self.left, self.right))
        return bool(_COMPARE[self.op](left, right))

    def breaks(self, values: Mapping[str, Any]) -> Any:
        """Whether it fails for some values; for each of them where one is an array."""
        left, right = (evaluation.evaluate(x, values) for x in (self.left, self.right))
        return _COMPARE[_OPPOSITE[self.op]](left, right)

    def substitute(self, values: Mapping[str, Any]) -> Condition:
        """Return the condition with ints or expressions for some of its symbols."""
        left, right = (evaluation.substitute(x, values, True) for x in (self.left, self.right))
        return Condition(left, self.op, right).normal()

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """The unknowns of both sides, by name."""
        found = {s for x in (self.left, self.right) if type(x) is Expr for s in x.symbols}
        return tuple(sorted(found, key=lambda s: (s.name, s.order)))

    def _key(self) -> Any:
        return key_of(self.left), self.op, key_of(self.right)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Condition) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __str__(self) -> str:
        return f"{printers.to_python(self.left)} {self.op} {printers.to_python(self.right)}"

    __repr__ = __str__

    def __reduce__(self) -> tuple[Any, ...]:
        return Condition, (self.left, self.op, self.right)


def undecided(summary: str, obligation: Condition) -> UndecidedError:
    """Return the error of a question that needs a condition."""
    return UndecidedError(
        summary,
        f"It needs {obligation}.",
        f"Give its unknowns a range or a divisor, or write `with assume({obligation}):`.",
        obligation=obligation,
    )


from . import assumptions, evaluation, printers, proof, rules  # noqa: E402  (they speak of conditions)
