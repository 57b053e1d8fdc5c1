"""The layout of an indexing map: an exact answer, or `UndecidedError`.

First come the rules of ints. Each variable becomes digits between the weights at which its divisions
step. If the result is then a sum of multiples of digits, these are sizes and strides, for a map of any
size. If no rule applies, points are checked, up to the ``indices`` of `limits`. The offsets of one
variable, while the others are 0, decide the digits of a layout. The other offsets must be their sums.

Of a larger box, only the points with digits at their ends are checked. A division of a sum of variables
that carries from one into another does so there. The answer is then a refusal, or undecided.

Source: our own derivation.
"""

from __future__ import annotations

from functools import cache, reduce
from itertools import accumulate, islice, pairwise, product, starmap
from math import gcd, prod
from operator import mul
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from ..errors import UnsupportedError
from ..ground import limit_error, limit_of
from ..numbers import Expr, Int, Least, Quotient, Remainder, Symbol, Value, compute, rebind, sym
from ..xla_bridge import Break, Digits, digits_of, layout_of_digits, read_digits
from .constraints import lies_in
from .variables import dim, place_of, rng

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..layouts import AnyLayout
    from .maps import IndexingMap
    from .variables import Variable


class _Fault(NamedTuple):
    """A point where no layout agrees with a map, and the value that the points below it require."""

    point: tuple[int, ...]
    value: int
    expected: int


class Recognition:
    """The result of a map as a function of its dims and ranges, minus its value where they are 0."""

    def __init__(self, map: IndexingMap) -> None:
        self.map = map
        variables = [*map.dims, *map.ranges]
        self.sizes: list[int] = [v.bounds.size for v in variables]
        self.names: list[str] = [v.name for v in variables]
        atoms = [dim(i) for i in range(len(map.dims))] + [rng(i) for i in range(len(map.ranges))]
        self.symbols: list[Symbol] = [x.symbols[0] for x in atoms]
        for v in variables:
            self._check_begin(v)
        zero: dict[Symbol, Value] = dict.fromkeys(self.symbols, 0)
        (result,) = map.results
        self.offset: Value = rebind(result, zero)
        self.rest: Value = result - self.offset
        if type(self.rest) is Expr:
            self._check_runtime(self.rest)

    def _check_begin(self, v: Variable) -> None:
        if v.bounds.lower:
            raise UnsupportedError(
                f"the map is no layout: {v.name} begins at {v.bounds.lower}",
                "The coordinates of a mode begin at 0.",
                f"map: {self.map}",
            )

    def _check_runtime(self, x: Expr) -> None:
        mixed = [s for s in x.symbols if s not in self.symbols]
        if mixed:
            name = self.map.runtime[place_of(mixed[0])[1]].name
            raise UnsupportedError(
                f"the map is no layout: what {name} is changes more than where it begins",
                f"map: {self.map}",
            )

    def layout_and_offset(self) -> tuple[AnyLayout, Value]:
        """Return the layout, and the offset before it; raise the errors of `to_layout`."""
        self._check_domain()
        modes = self._by_rules() or self._by_values()
        return layout_of_digits(modes, tuple(map(Int, self.sizes))), self.offset

    # --- the domain ---

    def _check_domain(self) -> None:
        """Raise an error if constraints remove a point of the box."""
        within = self.map.within()
        open_ = [c for c in self.map.constraints if not lies_in(rebind(c.expr, within), c.bounds)]
        if not open_:
            return
        for x, _bounds in open_:
            if type(x) is Expr:
                self._check_runtime(x)
        for point in islice(self._box(), limit_of("indices")):
            for x, bounds in open_:
                value = compute(x, {}, self._at(point))
                if type(value) is Expr or value not in bounds:
                    raise UnsupportedError(
                        "the map is no layout: its domain is no box",
                        f"{self._text(point)} lies in its bounds and not in its domain.",
                        f"map: {self.map}",
                        point=point,
                    )
        count = prod(self.sizes)
        if count > limit_of("indices"):
            raise limit_error(
                "indices",
                "cannot decide whether the constraints of the map leave its domain a box",
                f"It has {count} points; the first {limit_of('indices')} lie in it.",
                f"map: {self.map}",
                needed=count,
            )

    # --- a proof by the rules of ints ---

    def _by_rules(self) -> list[Digits] | None:
        """The digits of each variable, if the map is a sum over them by the rules of ints.

        Each variable becomes digits between the weights at which its divisions step. The result is then
        a sum of multiples of digits, at every point.
        """
        put: dict[Symbol, Value] = {}
        parts: list[list[tuple[int, Symbol]]] = []
        for i, (symbol, n) in enumerate(zip(self.symbols, self.sizes, strict=True)):
            weights = _chain(_steps(self.rest, symbol), n)
            if weights is None:
                return None
            total: Value = 0
            digits: list[tuple[int, Symbol]] = []
            for j, w in enumerate(weights):
                top = weights[j + 1] if j + 1 < len(weights) else n
                size = -(-top // w)
                x = sym(f"x{i}_{j}", min=0, max=size - 1)
                digits.append((size, x.symbols[0]))
                total = total + x * w
            put[symbol] = total
            parts.append(digits)
        linear = rebind(self.rest, put)
        strides: dict[Symbol, int] = {}
        if type(linear) is Expr:
            for monomial, k in linear.terms.items():
                if len(monomial) != 1 or type(monomial[0]) is not Symbol:
                    return None
                strides[monomial[0]] = k
        return [
            digits_of([(size, strides.get(x, 0)) for size, x in digits], n)
            for digits, n in zip(parts, self.sizes, strict=True)
        ]

    # --- a check of values ---

    def _by_values(self) -> list[Digits]:
        most = limit_of("indices")

        @cache
        def alone(i: int, x: int) -> int:
            return self._value(self._only({i: x}))

        found: list[Digits] = []
        for i, n in enumerate(self.sizes):
            digits = read_digits([alone(i, x) for x in range(min(n, most))])
            if isinstance(digits, Break):
                self._refuse(self._no_sum(i, digits))
            else:
                found.append(digits_of(digits, n))
        box = prod(self.sizes)
        is_open = box > most
        tops = islice(product(*map(_tops, found, self.sizes)), most)
        for point in tops if is_open else self._box():
            expected = sum(starmap(alone, enumerate(point)))
            value = self._value(point)
            if value != expected:
                self._refuse(_Fault(point, value, expected))
        if is_open:
            raise limit_error(
                "indices",
                "cannot decide whether the map is a layout",
                f"It has {box} points; at most {most} are looked at, and no rule of ints proves it.",
                f"map: {self.map}",
                needed=box,
            )
        return found

    def _no_sum(self, i: int, at: Break) -> _Fault:
        low, high = self._value(self._only({i: at.low})), self._value(self._only({i: at.high}))
        point = self._only({i: at.at})
        return _Fault(point, self._value(point), low + high)

    def _refuse(self, fault: _Fault) -> NoReturn:
        raise UnsupportedError(
            "the map is no layout",
            f"At {self._text(fault.point)} it gives {fault.value} more than at 0; a layout would give"
            f" {fault.expected}.",
            f"map: {self.map}",
            **fault._asdict(),
        )

    def _box(self) -> Iterator[tuple[int, ...]]:
        """All points, one at a time; `itertools.product` would store each of the ranges."""

        def longer(points: Iterable[tuple[int, ...]], n: int) -> Iterator[tuple[int, ...]]:
            return ((*point, i) for point in points for i in range(n))

        return reduce(longer, self.sizes, iter([()]))

    def _only(self, values: dict[int, int]) -> tuple[int, ...]:
        return tuple(values.get(i, 0) for i in range(len(self.sizes)))

    def _at(self, point: Iterable[int]) -> dict[Any, Any]:
        return dict(zip(self.symbols, point, strict=True))

    def _value(self, point: Iterable[int]) -> int:
        return int(compute(self.rest, {}, self._at(point)))

    def _text(self, point: tuple[int, ...]) -> str:
        return ", ".join(f"{name} = {x}" for name, x in zip(self.names, point, strict=True))


def _tops(digits: Digits, n: int) -> list[int]:
    """Coordinates below ``n``, greatest first: the lowest digits are at their ends, the others 0."""
    weights = accumulate([size for size, _stride in digits[:-1]], mul, initial=1)
    return sorted({n - 1, *(w - 1 for w in weights)}, reverse=True)


def _chain(steps: Iterable[int], n: int) -> list[int] | None:
    """The steps below a size, each a multiple of the one before it; None if they are not."""
    weights = [1, *sorted(w for w in steps if 1 < w < n)]
    return weights if all(b % a == 0 for a, b in pairwise(weights)) else None


def _steps(x: Value, symbol: Symbol) -> set[int]:
    """The distances of a symbol between the steps of the divisions that contain it."""
    out: set[int] = set()
    if type(x) is Expr:
        for monomial in x.terms:
            for atom in monomial:
                out |= _atom_steps(atom, symbol)
    return out


def _atom_steps(atom: Any, symbol: Symbol) -> set[int]:
    """The same for an atom; 1 is the step of the symbol itself."""
    if type(atom) is Symbol:
        return {1} if atom is symbol else set()
    if type(atom) is Least:
        return {w for item in atom.parts for w in _steps(item, symbol)}
    out: set[int] = set()
    if type(atom) in (Quotient, Remainder) and type(atom.dividend) is Expr:
        for monomial, k in atom.dividend.terms.items():
            inner = {w for each in monomial for w in _atom_steps(each, symbol)}
            out |= inner
            if type(atom.divisor) is int:  # k*x steps over a multiple of c with every c/gcd(k,c) of x
                out |= {w * (atom.divisor // gcd(k, atom.divisor)) for w in inner}
    return out
