# SPDX-License-Identifier: Apache-2.0
"""Questions on ints of every kind: answered, or refused with the one condition that would answer them.

`tla.numbers.ints` has the questions whose answer may be None: `known_eq`, `known_lt`, `known_divides`.
Those of this module return a bool. Where the answer is open they raise `UndecidedError` with the
obligation, a condition that can be assumed. The error of a question of `Questions` names its operation;
`asking` adds the name of an operation to an error that names none.

>>> less(sym("M", max=4), 5), divides(4, sym("M", divisible_by=8))
(True, True)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias, TypeVar

from ..errors import UndecidedError
from .ints import PLAIN_INTS, SymbolicInt, _0, known_divides, known_eq, known_lt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .ints import Leaf

_R = TypeVar("_R")


def undecided(
    operation: str, obligation: object, verb: str = "needs", summary: str = ""
) -> UndecidedError:
    """Return the error of an open question.

    Args:
        operation: What asks, in words; empty where no operation has said its name yet.
        obligation: A condition or a text; as ``error.obligation`` it can be assumed.
        summary: The first line, where it says more than that the question is open.
    """
    way_out = "." if isinstance(obligation, str) else f", or write `with assume({obligation}):`."
    if operation:
        summary = f"{operation} {verb} {obligation}"
    return UndecidedError(
        summary or f"cannot decide whether {obligation}",
        f"Its unknowns leave that open: give them a range or a divisor that settles it{way_out}",
        obligation=obligation,
        operation=operation,
    )


def comparison(a: Any, sign: str, b: Any) -> object:
    """Return the comparison of two leaves, one of them symbolic, as an obligation."""
    return a.comparison(sign, b) if isinstance(a, SymbolicInt) else b.comparison(_MIRRORED[sign], a)


_MIRRORED = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


# --- open questions ---------------------------------------------------------------------------

Question: TypeAlias = "tuple[bool | None, object]"
"""A known answer, or None and what is asked."""


def equality(a: Leaf, b: Leaf) -> Question:
    """The question whether ``a == b``."""
    answer = known_eq(a, b)
    return answer, comparison(a, "==", b) if answer is None else None


def order(a: Leaf, b: Leaf) -> Question:
    """The question whether ``a < b``."""
    answer = known_lt(a, b)
    return answer, comparison(a, "<", b) if answer is None else None


def division(a: Leaf, b: Leaf) -> Question:
    """The question whether ``a`` divides ``b``; that ``a`` is not 0 is asked first."""
    answer = known_divides(a, b)
    if answer is not None:
        return answer, None
    if known_eq(a, 0) is False:
        return None, comparison(b % a, "==", 0)  # type: ignore[operator]  # ty: ignore[unsupported-operator]
    return None, comparison(a, ">" if known_lt(a, 0) is False else "!=", 0)


# --- answers ----------------------------------------------------------------------------------


def decide(answer: bool | None, obligation: object, operation: Callable[[], str] = str) -> bool:
    """Return a known answer as a bool; raise `UndecidedError` naming the obligation otherwise."""
    if answer is None:
        raise undecided(operation(), obligation)
    return answer


def less(a: Leaf, b: Leaf) -> bool:
    """Whether ``a < b``; raise `UndecidedError` where that is open."""
    if type(a) in PLAIN_INTS and type(b) in PLAIN_INTS:
        return a < b  # type: ignore[operator]  # ty: ignore[unsupported-operator]
    return decide(*order(a, b))


def equal(a: Leaf, b: Leaf) -> bool:
    """Whether ``a == b``; raise `UndecidedError` where that is open."""
    return decide(*equality(a, b))


def at_least(a: Leaf, b: Leaf) -> bool:
    """Whether ``a >= b``, as what must hold; raise `UndecidedError` where that is open."""
    answer = known_lt(a, b)
    return decide(None, comparison(a, ">=", b)) if answer is None else not answer


def divides(a: Leaf, b: Leaf) -> bool:
    """Whether ``a`` divides ``b``; raise `UndecidedError` where that is open."""
    return decide(*division(a, b))


def differs(a: Leaf, b: Leaf) -> bool:
    """Whether ``a != b``; of an ``a`` that is never less, ``a > b`` is the obligation."""
    answer = known_eq(a, b)
    if answer is None:
        decide(None, comparison(a, ">" if known_lt(a, b) is False else "==", b))
    return not answer


def neither_divides(a: Leaf, b: Leaf) -> bool:
    """Whether neither of two ints divides the other; raise `UndecidedError` where that is open.

    Where both questions are open, the error asks one: whether the lesser int divides the greater, or
    whether the number divides the unknown.
    """
    answer, obligation = division(a, b)
    other, otherwise = division(b, a)
    if answer or other:
        return False
    if answer is None and other is None:
        is_lesser = known_lt(a, b)
        if is_lesser is False or (is_lesser is None and isinstance(b, int)):
            answer = False
    if answer is None or other is None:
        decide(None, otherwise if answer is False else obligation)
    return True


def decide_all(questions: Iterable[Question]) -> bool:
    """Whether all answers are True; undecided where one is open and none is False."""
    unsettled: Question | None = None
    for question in questions:
        answer, _obligation = question
        if answer is False:
            return False
        if answer is None and unsettled is None:
            unsettled = question
    return unsettled is None or decide(*unsettled)


class Questions:
    """The questions of one operation: an open one is an `UndecidedError` with the operation's name.

    Args:
        operation: The operation in words, made when an error needs it.
    """

    __slots__ = ("operation",)

    operation: Callable[[], str]

    def __init__(self, operation: Callable[[], str]) -> None:
        self.operation = operation

    def refuse(self, left: Any, sign: str, right: Any) -> NoReturn:
        """Raise the error of a comparison that is open."""
        raise undecided(self.operation(), comparison(left, sign, right))

    def less(self, a: Any, b: Any) -> bool:
        """Whether ``a < b``."""
        answer = known_lt(a, b)
        return self.refuse(a, "<", b) if answer is None else answer

    def positive(self, x: Any) -> bool:
        """Whether ``x > 0``."""
        answer = known_lt(_0, x)
        return self.refuse(x, ">", _0) if answer is None else answer

    def zero(self, x: Any) -> bool:
        """Whether ``x == 0``."""
        answer = known_eq(x, _0)
        return self.refuse(x, "==", _0) if answer is None else answer

    def divides(self, a: Any, b: Any) -> bool:
        """Whether ``a`` divides ``b``."""
        return decide(*division(a, b), self.operation)

    def moves(self, d: Any) -> bool:
        """Whether a stride is not 0."""
        answer = known_eq(d, _0)
        if answer is None:
            below, above = known_lt(d, _0), known_lt(_0, d)
            if below is None or above is None:
                self.refuse(d, ">" if below is False else "!=", _0)
            answer = not (below or above)
        return not answer


def asking(
    operation: Callable[[], str], run: Callable[..., _R], /, *args: Any, inner: bool = False
) -> _R:
    """Return ``run(*args)``; an open question without an operation's name gets the name of this one.

    Args:
        inner: Rename the questions of operations inside too.
    """
    try:
        return run(*args)
    except UndecidedError as error:
        if error.data.get("obligation") is None or (error.data.get("operation") and not inner):
            raise
        new = undecided(operation(), error.data["obligation"], "depends on whether")
        raise UndecidedError(new.summary, *new.details, **{**error.data, **new.data}) from None
