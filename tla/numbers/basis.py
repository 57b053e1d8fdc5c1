# SPDX-License-Identifier: Apache-2.0
"""Basis elements: strides that count along the modes of a coordinate, not in memory.

``E(i)`` is one step along mode i, ``E(i, j)`` one along mode j of mode i. Ints scale them, and they add
up; the text of ``2 * E(0, 1)`` is ``2@1@0``, the outermost mode last. A layout with such strides has
coordinates as values, which are tuples that add up leaf by leaf.

>>> print(2 * E(0) + E(1), 4 * E(0, 1))
2@0+_1@1 4@1@0
>>> identity = Layout((4, 8), (E(0), E(1)))
>>> identity(1, 5), identity(1, 5) + identity(2, 1)
((1, 5), (3, 6))

Source: CuTe ``ScaledBasis`` and ``ArithmeticTuple``, arithmetic_tuple.hpp.
"""

from __future__ import annotations

from itertools import pairwise, zip_longest
from operator import index, mod, mul, neg
from typing import TYPE_CHECKING, Any, NoReturn, SupportsIndex, TypeAlias

from ..errors import LayoutError, UnsupportedError
from ..ground import Immutable, constexpr, described, guarded, limit_error, limit_of, written
from .ints import STATIC, Int, SymbolicInt, _0, is_tuple, known_divides, known_eq, leaf, no_int

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .ints import Leaf
    from .nodes import Symbol

Path: TypeAlias = "tuple[int, ...]"

_MINUS_ONE = Int(-1)


@constexpr
def E(*path: SupportsIndex) -> Any:  # noqa: N802 (CuTe's name)
    """Return the basis element of a mode of a coordinate: a step of 1 along it; ``_1`` for no mode.

    >>> E(1), print(E(1, 0))
    _1@0@1
    (E(1), None)

    Raises:
        LayoutError: a mode is no int from 0 on.
    Source: CuTe ``E<...>``, arithmetic_tuple.hpp.
    """
    modes: list[int] = []
    for i in path:
        mode = leaf(i)
        if isinstance(mode, SymbolicInt) or mode < 0:
            raise LayoutError(f"a mode counts from 0, not {written(mode)}", mode=mode)
        if mode > limit_of("rank"):
            raise limit_error("rank", f"a basis element of mode {written(mode)}", needed=int(mode))
        modes.append(index(mode))
    return Basis({tuple(modes): Int(1)}) if modes else Int(1)


class Basis(Immutable, SymbolicInt):
    """A sum of basis elements, each times an int: what `E` returns, and what is made of that.

    >>> x = 2 * E(0) + 3 * E(1)
    >>> x * 2 == 4 * E(0) + 6 * E(1), x.coordinate()
    (True, (2, 3))

    It has no order. Where it stands as a stride, every other stride of the layout is one too, or 0.
    """

    __slots__ = ("terms",)

    terms: dict[Path, Any]
    """The int of each path, in the order of the paths. One that is 0 stays."""

    @guarded
    def __init__(self, terms: dict[Path, Any]) -> None:
        object.__setattr__(self, "terms", dict(sorted(terms.items())))
        for a, b in pairwise(self.terms):
            if b[: len(a)] == a:
                x, y = (Basis({path: self.terms[path]}) for path in (a, b))
                raise LayoutError(f"{x} and {y} do not add up: one is a mode of the other", a=x, b=y)

    @guarded
    def map(self, f: Callable[..., Any], *arguments: Any) -> Basis:
        """Return the sum with ``f`` of each int, and of some arguments, in its place."""
        return Basis({path: f(n, *arguments) for path, n in self.terms.items()})

    def coordinate(self) -> Any:
        """Return the coordinate that the sum is: an int for each path, 0 at modes that have none.

        >>> (3 * E(1, 0)).coordinate()
        (_0, (3,))
        """
        return nested(list(self.terms.items()), _0)

    @property
    def is_static(self) -> bool:
        """Whether every int is static."""
        return all(type(n) is STATIC for n in self.terms.values())

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """The unknowns of its ints."""
        return tuple({s: None for n in self.terms.values() for s in getattr(n, "symbols", ())})

    # --- questions ---

    def known_eq(self, other: Leaf) -> bool | None:
        others = _terms(other)
        if others is None:
            return False
        pairs = [(self.terms.get(p, _0), others.get(p, _0)) for p in {**self.terms, **others}]
        answers = {known_eq(a, b) for a, b in pairs}
        return False if False in answers else None if None in answers else True

    def known_divides(self, other: Leaf) -> bool | None:
        others = _terms(other)
        if others is None:
            return False
        for path, n in self.terms.items():
            if known_eq(n, 0) is not True:
                m = others.get(path, _0)
                answer = known_divides(n, m)
                return (self * (m // n)).known_eq(other) if answer else answer
        return known_eq(other, 0)

    def known_multiple(self, other: Leaf) -> bool | None:
        if isinstance(other, Basis):
            return other.known_divides(self)
        answers = {known_divides(other, n) for n in self.terms.values()}
        return False if False in answers else None if None in answers else True

    def has_no_value(self) -> UnsupportedError:
        return no_int(self)

    def known_lt(self, other: Leaf) -> NoReturn:
        x = written(leaf(other))
        raise LayoutError(
            f"coordinates have no order: cannot compare {self} and {x}",
            "What depends on memory needs offsets: composition(layout, coordinates) has them.",
            a=self,
            b=other,
        )

    def known_gt(self, other: Leaf) -> NoReturn:
        self.known_lt(other)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, int | SymbolicInt):
            return NotImplemented
        return self.known_eq(other) is True

    def __bool__(self) -> bool:
        return self.known_eq(0) is not True

    def __hash__(self) -> int:
        moving = frozenset((path, n) for path, n in self.terms.items() if n != 0)
        return hash(moving) if moving else hash(0)

    # --- arithmetic ---

    @constexpr
    def __add__(self, other: Any) -> Any:
        if isinstance(other, ArithmeticTuple):
            return NotImplemented
        others = _terms(leaf(other))
        if others is None:
            raise LayoutError(
                f"{self} and {written(other)} do not add up: one is a coordinate, the other an int",
                a=self,
                b=other,
            )
        terms = dict(self.terms)
        for path, n in others.items():
            terms[path] = terms[path] + n if path in terms else n
        return Basis(terms)

    __radd__ = __add__

    @constexpr
    def __sub__(self, other: Any) -> Any:
        return self + -leaf(other)

    @constexpr
    def __rsub__(self, other: Any) -> Any:
        return -self + other

    @constexpr
    def __neg__(self) -> Any:
        return self.map(neg)

    @constexpr
    def __abs__(self) -> Any:
        return self.map(abs)

    @constexpr
    def __mul__(self, other: Any) -> Any:
        k = leaf(other)
        if isinstance(k, Basis):
            raise LayoutError(f"{self} and {k} have no product: both are coordinates", a=self, b=k)
        return self.map(mul, k)

    __rmul__ = __mul__

    @constexpr
    def __floordiv__(self, other: Any) -> Any:
        k = _divisor(self, other)
        return self.map(_quotient, k)

    @constexpr
    def __mod__(self, other: Any) -> Any:
        k = _divisor(self, other)
        return self.map(mod, k)

    # --- the value ---

    @guarded
    def text(self, text: Callable[[Any], str]) -> str:
        """Return the notation, with ``text`` for its ints."""
        return "+".join(
            [
                "@".join([_factor(str(text(n))), *[str(i) for i in reversed(path)]])
                for path, n in self.terms.items()
            ]
        )

    def __str__(self) -> str:
        return self.text(str)

    def __repr__(self) -> str:
        units = [
            f"E({', '.join(map(str, path))})"
            if n is Int(1)
            else f"{n!r} * E({', '.join(map(str, path))})"
            for path, n in self.terms.items()
        ]
        return " + ".join(units)

    def __reduce__(self) -> tuple[Any, ...]:
        return Basis, (self.terms,)


def _divisor(of: Basis, other: Any) -> Any:
    k = leaf(other)
    if isinstance(k, Basis):
        raise LayoutError(f"{of} and {k} have no quotient: both are coordinates", a=of, b=k)
    return k


def _quotient(n: Any, k: Any) -> Any:
    return n // k


def _factor(text: str) -> str:
    return text if text.lstrip("_-").isalnum() else f"({text})"


def _terms(x: Any) -> dict[Path, Any] | None:
    """The terms of a sum, those of 0 too; None of another int."""
    if isinstance(x, Basis):
        return x.terms
    return {} if known_eq(x, 0) is True else None


def nested(terms: list[tuple[Path, Any]], other: Any, depth: int = 0) -> Any:
    """Return the tuple that has each value at its path, and another at modes that have none.

    Args:
        terms: In the order of their paths, which are the same up to the depth.
    """
    if len(terms[0][0]) == depth:
        return terms[0][1]
    modes: list[list[tuple[Path, Any]]] = [[] for _mode in range(1 + terms[-1][0][depth])]
    for term in terms:
        modes[term[0][depth]].append(term)
    return ArithmeticTuple([nested(mode, other, depth + 1) if mode else other for mode in modes])


class ArithmeticTuple(tuple[Any, ...]):
    """A coordinate that adds up leaf by leaf: a value of a layout with basis elements as strides.

    >>> x = ArithmeticTuple((1, (2, 3)))
    >>> x + (1, (0, 1)), x * 2, x - x, 0 + x
    ((2, (2, 4)), (2, (4, 6)), (0, (0, 0)), (1, (2, 3)))

    A mode that one of two lacks counts as 0; so does an int 0 that stands for a whole.

    Raises:
        LayoutError: an int other than 0 is added to a tuple.
    Source: CuTe ``ArithmeticTuple``, arithmetic_tuple.hpp.
    """

    __slots__ = ()

    def __add__(self, other: Any) -> Any:
        return _added(self, other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return _added(self, _scaled(other, _MINUS_ONE))

    def __rsub__(self, other: Any) -> Any:
        return _added(_scaled(self, _MINUS_ONE), other)

    def __neg__(self) -> Any:
        return _scaled(self, _MINUS_ONE)

    def __mul__(self, other: Any) -> Any:
        return _scaled(self, leaf(other))

    def __rmul__(self, other: Any) -> Any:
        return _scaled(self, leaf(other))


def _added(a: Any, b: Any) -> Any:
    a, b = (x.coordinate() if isinstance(x, Basis) else x for x in (a, b))
    if is_tuple(a) and is_tuple(b):
        return ArithmeticTuple([_added(x, y) for x, y in zip_longest(a, b, fillvalue=_0)])
    for x, y in ((a, b), (b, a)):
        if is_tuple(x):
            if known_eq(leaf(y), 0) is not True:
                raise LayoutError(f"{x} and {described(y)} do not add up: one is a tuple", a=a, b=b)
            return ArithmeticTuple(x)
    return leaf(a) + leaf(b)


def _scaled(x: Any, k: Any) -> Any:
    if isinstance(x, Basis):
        return x * k
    return ArithmeticTuple([_scaled(i, k) for i in x]) if is_tuple(x) else leaf(x) * k


def evaluated(offset: Any, strides: Iterable[Any]) -> Any:
    """Return the value of a layout: the coordinate that a sum of basis elements is, of all modes.

    Args:
        strides: The leaves of the layout's stride, which say what modes there are.
    """
    if not isinstance(offset, Basis):
        return offset
    return sum([d * 0 for d in strides if isinstance(d, Basis)], offset).coordinate()
