"""A small symbolic int for tests: a name or an operation, with a divisor and a least value."""

import operator
from collections.abc import Callable
from math import gcd
from typing import Any

from tla import SymbolicInt, is_tuple

_OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
}


class Unknown(SymbolicInt):
    """An int of which only a divisor, and often a least value, are known. Equal by structure."""

    __slots__ = ("divisor", "least", "parts")

    def __init__(self, *parts: Any, divisor: int = 1, least: int | None = None) -> None:
        self.parts = parts  # a name, or left, operator, right
        self.divisor = divisor
        self.least = least

    def __repr__(self) -> str:
        return self.parts[0] if len(self.parts) == 1 else "({!r}{}{!r})".format(*self.parts)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Unknown) and self.parts == other.parts

    def __hash__(self) -> int:
        return hash(self.parts)

    # --- what is known ---

    def known_eq(self, other: Any) -> bool | None:
        if self == other:
            return True
        if isinstance(other, Unknown):
            return None
        return False if other % self.divisor or self.known_gt(other) else None

    def known_lt(self, other: Any) -> bool | None:
        if self == other:
            return False
        below = not isinstance(other, Unknown) and self.least is not None and other <= self.least
        return False if below else None

    def known_gt(self, other: Any) -> bool | None:
        if self == other:
            return False
        if isinstance(other, Unknown) or self.least is None:
            return None
        return True if other < self.least else None

    def known_divides(self, other: Any) -> bool | None:
        if self == other or (isinstance(other, Unknown) and self in other.factors()):
            return True
        if isinstance(other, Unknown):
            return None
        if other == 0:
            return True
        return False if self.least is not None and abs(other) < self.least else None

    def known_multiple(self, other: Any) -> bool | None:
        if other == 0:
            return self.known_eq(0)
        return True if self.divisor % other == 0 else None

    def factors(self) -> list[Any]:
        if self.parts[1:2] != ("*",):
            return [self]
        left, _times, right = self.parts
        return [f for x in (left, right) for f in (x.factors() if isinstance(x, Unknown) else [x])]

    # --- arithmetic ---

    def __add__(self, other: Any) -> Any:
        if _is_int(other, 0):
            return self
        a, b = _least(self), _least(other)
        least = None if a is None or b is None else a + b
        return Unknown(self, "+", other, divisor=gcd(self.divisor, _divisor(other)), least=least)

    def __radd__(self, other: int) -> Any:
        return self + other

    def __sub__(self, other: Any) -> Any:
        if self == other:
            return 0
        if isinstance(other, Unknown):
            if other.parts[:-1] == (self, "-"):  # a - (a - b) == b
                return other.parts[-1]
            return Unknown(self, "-", other, divisor=gcd(self.divisor, other.divisor))
        least = None if self.least is None else self.least - other
        return (
            Unknown(self, "-", other, divisor=gcd(self.divisor, other), least=least) if other else self
        )

    def __rsub__(self, other: int) -> Any:
        return Unknown(other, "-", self, divisor=gcd(self.divisor, other))

    def __neg__(self) -> Any:
        return 0 - self

    def __abs__(self) -> Any:
        assert self.least is not None
        assert self.least >= 0
        return self

    def __mul__(self, other: Any) -> Any:
        if _is_int(other, 1):
            return self
        if _is_int(other, 0):
            return 0
        a, b = _least(self), _least(other)
        least = a * b if a is not None and b is not None and a >= 0 and b >= 0 else None
        return Unknown(self, "*", other, divisor=self.divisor * _divisor(other), least=least)

    def __rmul__(self, other: int) -> Any:
        return self * other

    def __floordiv__(self, other: Any) -> Any:
        if _is_int(other, 1):
            return self
        if self == other and self.known_gt(0):
            return 1
        if self.parts[1:] == ("*", other):  # (a*b) // b == a
            return self.parts[0]
        if isinstance(other, Unknown):
            return Unknown(self, "//", other)
        divisor = self.divisor // other if self.divisor % other == 0 else 1
        least = None if self.least is None or other < 0 else self.least // other
        return Unknown(self, "//", other, divisor=abs(divisor), least=least)

    def __rfloordiv__(self, other: int) -> Any:
        return Unknown(other, "//", self, least=0 if other >= 0 and self.known_gt(0) else None)

    def __mod__(self, other: Any) -> Any:
        if not isinstance(other, Unknown) and self.divisor % other == 0:
            return 0
        return Unknown(self, "%", other, least=0)

    def __rmod__(self, other: int) -> Any:
        return Unknown(other, "%", self, least=0)


def _is_int(x: Any, n: int) -> bool:
    return not isinstance(x, Unknown) and x == n


def _divisor(x: Any) -> int:
    return x.divisor if isinstance(x, Unknown) else abs(x)


def _least(x: Any) -> int | None:
    return x.least if isinstance(x, Unknown) else x


def unknown(name: str, divisor: int = 1, least: int | None = 1) -> Any:
    """An unknown extent, at least 1 unless said otherwise."""
    return Unknown(name, divisor=divisor, least=least)


def put(x: Any, **values: int) -> Any:
    """``x`` with the unknowns given their values."""
    if is_tuple(x):
        return tuple(put(i, **values) for i in x)
    if not isinstance(x, Unknown):
        return x
    if len(x.parts) == 1:
        return values[x.parts[0]]
    left, sign, right = x.parts
    return _OPERATIONS[sign](put(left, **values), put(right, **values))
