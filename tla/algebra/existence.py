# SPDX-License-Identifier: Apache-2.0
"""Whether a composition exists, for every pair of layouts: the criterion of `tla.algebra.composition`.

`Search` splits each mode of the right side into the parts on which the left side is linear, then looks
for coordinates of the parts at which the carries of their sum do not cancel. It ends with the parts,
with an error that has such a coordinate as its witness, or with `LimitError` after the ``steps`` of
`limits`.
"""

from __future__ import annotations

from functools import partial
from itertools import chain, pairwise, product as cartesian
from math import gcd, isqrt, prod
from operator import index, itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TypeAlias

from ..errors import CoordinateError, DivisibilityError, LayoutError, UndecidedError
from ..ground import limit_error, limit_of, shortened
from ..layouts import AnyLayout, text_of
from ..numbers import _0, equal, is_asked, is_open, is_static, is_tuple, known_int, less, static_int
from .modes import Modes, can_grow, in_profile, leaf_names, nearest, of_modes, one_mode
from .steps import CompositionStep

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class _Part(NamedTuple):
    """A part ``m:e`` of a mode of ``b`` on which ``a`` is linear, with step ``t``.

    ``leaf`` is the number of the mode, ``weight`` what one step is in its coordinate.
    """

    leaf: int
    weight: Any
    m: Any
    e: Any
    t: Any


class Search:
    """The criterion of composition, with a budget, and the errors that it ends in."""

    a: AnyLayout
    b: AnyLayout
    left: Modes
    right: Modes
    one: Any
    hints: bool
    extend: bool
    work: int

    def __init__(
        self, a: AnyLayout, b: AnyLayout, left: Modes, right: Modes, extend: bool, hints: bool, one: Any
    ) -> None:
        self.a, self.b, self.left, self.right, self.one = a, b, left, right, one
        ints = chain((s for s, _d in left[:-1]), *right)
        self.unknown: Any = next(filter(is_asked, ints), None)
        """An int without a value, of those that decide where carries are; None if all have one."""
        asks = self.unknown is not None or any(is_asked(d) for _s, d in left)
        self.hints = hints and not asks and len(left) * len(right) <= 64  # each costs a search
        self.extend = extend and can_grow(a.shape)
        self.work = limit_of("steps")
        self.names: list[str] = []
        self.tangled: list[str] = []
        """The modes of ``b`` that carry into each other where the search stands."""
        self.deltas: list[tuple[Any, Any]] = []
        """``(P_k, delta_k)`` for each k but 0."""
        period: Any = 1
        for (s0, d0), (_s1, d1) in pairwise(left):
            period = period * s0
            self.deltas.append((period, d1 - s0 * d0))

    # --- the result ---

    def parts(
        self, walk: Callable[[Modes, Modes], list[Any] | None], steps: list[CompositionStep] | None
    ) -> list[Any]:
        """The shape and stride of each mode of ``b``.

        Args:
            walk: Gives the parts of modes that take whole digits of the left side.
            steps: Receives the stretches found.
        """
        zero = self.one - self.one
        if any(equal(s, 0) for s, _e in self.right):  # no coordinate, nothing to agree with
            if steps is not None:
                steps[:] = [
                    CompositionStep(i, s, zero, None, None, zero, "fit", of_modes([(s, zero)]))
                    for i, (s, _e) in enumerate(self.right)
                ]
            return [(s, zero) for s, _e in self.right]
        self.within_reach()
        if self.unknown is not None:
            return self.possible(walk)
        parts = self.runs()
        self.require_no_carry(parts)
        if steps is not None:
            steps[:] = [
                CompositionStep(p.leaf, p.m, p.e, None, None, None, "run", of_modes([(p.m, p.t)]))
                for p in parts
            ]
        return [one_mode([(p.m, p.t) for p in parts if p.leaf == i]) for i in range(len(self.right))]

    def possible(self, walk: Callable[[Modes, Modes], list[Any] | None]) -> list[Any]:
        """`parts` where ints are unknown: then only the sizes of the runs are known.

        A mode that takes whole digits, alone, has a run for each digit, and one of prime size has one
        run or no layout. Whether there is a layout is then a question like any other.
        """
        parts: list[Any] = []
        for s, e in self.right:
            if e < 0:  # of extent 1, or out of reach
                parts.append((s, 0))
                continue
            alone = walk(self.left, [(s, e)])
            if alone is None and not (_is_prime(s) or s == 1):
                raise UndecidedError(f"{self.what()} depends on its ints", a=self.a, b=self.b)
            digits = (s,) if alone is None or not is_tuple(alone[0][0]) else alone[0][0]
            runs: list[tuple[Any, Any]] = []
            for digit in digits[:-1]:
                m = self.counted(int(digit), e) if isinstance(digit, int) else digit
                runs.append((m, self.offset(e)))
                s, e = s // m, e * m
            runs.append((s, self.offset(e) if e > 0 else 0))
            parts.append(one_mode(runs))
        if not self.unknown.either():
            raise DivisibilityError(f"{self.what()} is not a layout", a=self.a, b=self.b)
        return parts

    def offset(self, x: Any) -> Any:
        """``A(x)``."""
        total: Any = _0
        for s, d in self.left[:-1]:
            x, digit = divmod(x, s)
            total = total + digit * d
        return total + x * self.left[-1][1]

    def spend(self, terms: int) -> None:
        """Count one evaluation, of so many terms; sixteen of them are a step."""
        self.work -= 1 + terms // 16
        if self.work < 0:
            who = f"Modes {', '.join(self.tangled)}" if self.tangled else "Modes"
            steps = limit_of("steps")
            raise limit_error(
                "steps",
                f"whether {self.what()} is a layout was not decided within {steps} steps",
                f"{who} of the right side carry between the modes of the left side, and wherever tried"
                " the carries cancelled each other.",
                "Split the modes so that fewer carry, or compose one mode at a time.",
                a=self.a,
                b=self.b,
                modes=tuple(self.tangled),
                work=steps,
            )

    # --- 0: b reaches coordinates of a ---

    def within_reach(self) -> None:
        if any(equal(s, 0) for s, _d in self.left[:-1]):
            raise LayoutError(
                f"{self.what()} is not defined: the left side has no coordinates", a=self.a, b=self.b
            )
        for leaf, (s, e) in enumerate(self.right):
            if less(1, s) and less(e, 0):
                why = "The left side has no coordinate below 0."
                raise self.out_of_reach("is not defined", {leaf: 1}, f"{e}. {why}")
        if self.extend:
            return
        size = prod([s for s, _d in self.left])
        most = sum([(s - 1) * e for s, e in self.right])
        if not less(most, size):
            hint = ["extend=True lets its last mode grow."] if can_grow(self.a.shape) else []
            last = {i: s - 1 for i, (s, _e) in enumerate(self.right)}
            what = f"reaches past the left side, of size {size}"
            raise self.out_of_reach(what, last, f"{most}.", *hint)

    # --- 1: each mode alone ---

    def runs(self) -> list[_Part]:
        """The parts of the modes, each as long as ``a`` is linear on it."""
        parts: list[_Part] = []
        for leaf, (whole, e) in enumerate(self.right):
            s, weight = whole, 1
            while True:
                step = self.offset(e) if less(0, e) else self.one - self.one
                m = self.linear(s, e, step)
                if m is not s:
                    m = self.counted(m, e)
                if s % m:
                    self.refuse_cut(leaf, whole, weight, m, step)
                parts.append(_Part(leaf, weight, m, e, step))
                s, e, weight = s // m, e * m, weight * m
                if not less(1, s):
                    break
        return parts

    def counted(self, m: Any, e: Any) -> Any:
        """A size that the search counted: static if the step and the left side are."""
        return static_int(m) if type(m) is int and is_static((e, *self.left)) else m

    def linear(self, s: Any, e: Any, step: Any) -> Any:
        """The greatest ``m <= s`` with ``A(e*c) == c*step`` for all ``c < m``.

        The difference only changes where some ``floor(c * (e mod P) / P)`` does, and is periodic
        once it is 0 at a common period.
        """
        rests = [(p, delta, e % p) for p, delta in self.deltas]
        levels = _merged([(p, delta, {0: r}) for p, delta, r in rests if r and _may_carry(s, r, p)])
        if not levels:
            return s
        period = max([p // gcd(p, rests[0]) for p, _delta, rests in levels])
        carries = _Carries(levels, {0: s}, self.spend)
        for c in carries.all_that_matter():
            if c[0] > period:
                break
            if carries.error(c):
                return c[0]
        return s

    # --- 2: the parts together ---

    def require_no_carry(self, parts: list[_Part]) -> None:
        """Refuse coordinates of parts at which carries do not cancel."""
        # floor(sum c*e / P) == sum c*floor(e / P) + floor(sum c*(e mod P) / P), so that A of the sum is
        # the sum of the A(c*e) plus delta times the last floor, for each P
        moving = [(i, p) for i, p in enumerate(parts) if less(1, p.m)]
        levels: list[_Level] = []
        for period, delta in self.deltas:
            rests = {i: p.e % period for i, p in moving if p.e % period}
            if rests and not less(sum([(parts[i].m - 1) * r for i, r in rests.items()]), period):
                levels.append((period, delta, rests))
        for group in _groups(_merged(levels)):
            tangled = {parts[i].leaf for _p, _d, rests in group for i in rests}
            self.tangled = [self.name(leaf) for leaf in sorted(tangled)]
            witness = _Carries(group, {i: p.m for i, p in moving}, self.spend).witness()
            if witness is not None:
                self.refuse_carry([(parts[i], c) for i, c in sorted(witness.items()) if c])

    # --- errors ---

    def name(self, leaf: int) -> str:
        """How errors name a leaf of ``b``."""
        self.names = self.names or leaf_names(self.b.shape)
        return self.names[leaf]

    def sizes_that_work(self, leaf: int) -> str:
        """The nearest sizes of one mode of ``b``, below and above, with which there is a layout."""
        size = self.right[leaf][0]
        if not self.hints or is_open(size):
            return ""
        return " or ".join(map(str, nearest(index(size), partial(self.would_work, leaf))))

    def what(self) -> str:
        return f"the composition of {shortened(str(self.a), 300)} with {shortened(str(self.b), 300)}"

    def coordinate(self, at: dict[int, Any]) -> Any:
        """The coordinate of ``b`` that is not 0 at some leaves alone."""
        return in_profile([at.get(i, 0) for i in range(len(self.right))], self.b.shape)

    def out_of_reach(self, what: str, at: dict[int, Any], image: str, *ways_out: str) -> CoordinateError:
        coord = self.coordinate(at)
        return CoordinateError(
            f"{self.what()} {what}",
            f"At coordinate {text_of(coord)} the right side is {image}",
            *ways_out,
            a=self.a,
            b=self.b,
            coord=coord,
        )

    def refuse_cut(self, leaf: int, whole: Any, weight: Any, m: Any, step: Any) -> NoReturn:
        """A mode whose image leaves its line at ``m``, which does not divide what is left of it."""
        block = weight * m
        every = f"every {weight} coordinates" if weight > 1 else "each coordinate"
        self.refuse(
            {leaf: block},
            f"Mode {self.name(leaf)} of the right side is {whole}:{self.right[leaf][1]}."
            f" With {every} the offset grows by {step}, but not from {block - weight} to {block}."
            f" A mode has one step, so the first {block} coordinates would be a mode of their own,"
            f" and {block} does not divide {whole}.",
            m * step,
            partial(self.hint_cut, leaf),
        )

    def hint_cut(self, leaf: int) -> str:
        sizes = self.sizes_that_work(leaf)
        return f"A mode of size {sizes} there gives a layout." if sizes else ""

    def refuse_carry(self, witness: list[tuple[_Part, Any]]) -> NoReturn:
        """Parts whose sum carries, though each of them alone does not."""
        at: dict[int, Any] = {}
        for part, c in witness:
            at[part.leaf] = at.get(part.leaf, 0) + c * part.weight
        modes = " and ".join(
            f"{self.name(leaf)} ({self.right[leaf][0]}:{self.right[leaf][1]})" for leaf in at
        )
        who = f"Modes {modes}" if len(at) > 1 else f"Coordinates of mode {modes}"
        terms = [c * part.e for part, c in witness]
        k, size, digits = self.overflow(terms)
        is_coalesced = len(self.left) < len(leaf_names(self.a.shape))  # whose modes are counted
        left_side = "A, coalesced," if is_coalesced else "the left side"
        self.refuse(
            at,
            f"{who} of the right side carry into each other: {' + '.join(map(str, terms))} ="
            f" {sum(terms)}, where {' + '.join(map(str, digits))} exceeds mode {k} of"
            f" {left_side} of size {size}.",
            sum([c * part.t for part, c in witness]),
            partial(self.hint_carry, list(at)[-4:]),  # hints enough
        )

    def hint_carry(self, leaves: list[int]) -> str:
        few = [(leaf, self.sizes_that_work(leaf)) for leaf in leaves]
        hints = [f"{sizes} as mode {self.name(leaf)}" for leaf, sizes in few if sizes]
        return f"A mode of size {', or '.join(hints)} of the right side gives a layout." if hints else ""

    def overflow(self, terms: list[Any]) -> tuple[int, Any, list[Any]]:
        """The first mode of ``a`` that indices, added up, leave: its number, size and coordinates."""
        for k, (size, _d) in enumerate(self.left[:-1]):
            digits = [x % size for x in terms]
            if sum(digits) >= size:
                return k, size, [d for d in digits if d]
            terms = [x // size for x in terms]
        raise AssertionError("indices without a carry add up")

    def refuse(self, at: dict[int, Any], why: str, wanted: Any, hint: Callable[[], str]) -> NoReturn:
        coord = self.coordinate(at)
        place = text_of(coord)
        call = place if place.startswith("(") else f"({place})"
        x = sum([c * self.right[leaf][1] for leaf, c in at.items()])
        raise DivisibilityError(
            f"{self.what()} is not a layout",
            why,
            f"At coordinate {place}: A(B{call}) = A({x}) = {self.offset(x)}, a layout would give"
            f" {wanted}.",
            a=self.a,
            b=self.b,
            coord=coord,
            modes=tuple([self.name(leaf) for leaf in at]),
            value=self.offset(x),
            layout_value=wanted,
        ).with_hint(hint)

    def would_work(self, leaf: int, size: Any) -> bool:
        """Whether the composition exists with another size in one mode of ``b``."""
        right = [(size if i == leaf else s, e) for i, (s, e) in enumerate(self.right)]
        other = Search(self.a, self.b, self.left, right, self.extend, False, self.one)
        other.work = limit_of("steps") // 1000  # a hint is worth no more
        try:
            other.within_reach()
            other.require_no_carry(other.runs())
        except (LayoutError, CoordinateError, UndecidedError):
            return False
        return True


def _is_prime(n: Any) -> bool:
    return isinstance(n, int) and n > 1 and all(n % d for d in range(2, isqrt(n) + 1))


# --- carries ----------------------------------------------------------------------------------

_Level: TypeAlias = "tuple[Any, Any, dict[int, Any]]"
"""A period of ``a``, its delta, and each part's step modulo the period, by the number of the part."""


def _merged(levels: list[_Level]) -> list[_Level]:
    """Levels with one carry together, each in lowest terms; none whose deltas cancel.

    ``floor(sum c * r / P)`` is the same with ``P`` and every ``r`` divided by a common divisor.
    """
    merged: dict[tuple[Any, ...], Any] = {}
    for p, delta, rests in levels:
        values = [known_int(r) for r in rests.values()]
        g = gcd(known_int(p), *values)
        key = (known_int(p) // g, *((i, r // g) for i, r in zip(rests, values, strict=True)))
        merged[key] = merged.get(key, 0) + delta
    return [(p, delta, dict(rests)) for (p, *rests), delta in merged.items() if delta]


def _may_carry(s: Any, r: Any, p: Any) -> bool:
    """Whether some ``c * r`` with ``c < s`` reaches ``p``, as far as plain ints tell at once."""
    return not (isinstance(s, int) and isinstance(r, int) and isinstance(p, int) and (s - 1) * r < p)


def _groups(levels: list[_Level]) -> list[list[_Level]]:
    """Levels that share parts, together: sums over different groups vary independently."""
    groups: list[list[_Level]] = []
    for level in levels:
        touching = [g for g in groups if any(level[2].keys() & other[2].keys() for other in g)]
        groups = [g for g in groups if g not in touching]
        groups.append([*(x for g in touching for x in g), level])
    return groups


class _Carries:
    """The sum of the deltas times the carries of one group, over the coordinates of its parts."""

    def __init__(
        self, levels: list[_Level], sizes: dict[int, Any], spend: Callable[[int], None]
    ) -> None:
        self.levels, self.spend = levels, spend
        self.terms = sum([len(rests) for _p, _d, rests in levels])
        self.sizes = {i: m for i, m in sizes.items() if any(i in rests for _p, _d, rests in levels)}

    def witness(self) -> dict[int, Any] | None:
        """Coordinates where the sum is not 0, or None where it is always 0."""
        for c in chain(self.likely(), self.all_that_matter()):
            if self.error(c):
                return self.least(c)
        return None

    def error(self, c: dict[int, Any]) -> Any:
        return sum(
            [
                delta * (sum([r * c.get(i, 0) for i, r in rests.items()]) // p)
                for p, delta, rests in self.levels
            ]
        )

    def likely(self) -> Iterator[dict[int, Any]]:
        """The greatest coordinates, and the least that reach each level."""
        yield {i: m - 1 for i, m in self.sizes.items()}
        for p, _delta, rests in self.levels:
            for backwards in (True, False):
                rest: Any = p
                c: dict[int, Any] = {}
                for i, r in sorted(rests.items(), key=itemgetter(1), reverse=backwards):
                    c[i] = min(self.sizes[i] - 1, -(-rest // r))
                    rest = rest - c[i] * r
                    if rest <= 0:
                        break
                yield c

    def all_that_matter(self) -> Iterator[dict[int, Any]]:
        """All coordinates, but of the largest part only those at which a carry is new."""
        largest = max(self.sizes, key=lambda i: self.sizes[i])
        others = [i for i in self.sizes if i != largest]
        levels = [(p, rests, rests[largest]) for p, _delta, rests in self.levels if largest in rests]
        for at in cartesian(*(range(known_int(self.sizes[i])) for i in others)):
            c = dict(zip(others, at, strict=True))
            bases = [
                sum([r * c[i] for i, r in rests.items() if i != largest]) for _p, rests, _r in levels
            ]
            c[largest] = 0
            while less(c[largest], self.sizes[largest]):
                self.spend(self.terms)
                yield c
                now = c[largest]
                c[largest] = min(
                    [
                        -(-(p * ((base + r * now) // p + 1) - base) // r)
                        for (p, _rests, r), base in zip(levels, bases, strict=True)
                    ]
                )

    def least(self, c: dict[int, Any]) -> dict[int, Any]:
        """Coordinates no single one of which can be less."""
        c = dict(c)
        totals = [sum([r * c.get(i, 0) for i, r in rests.items()]) for _p, _delta, rests in self.levels]
        error = self.error(c)
        for i in sorted(c):
            mine = [
                (k, p, delta, rests[i]) for k, (p, delta, rests) in enumerate(self.levels) if i in rests
            ]
            step = 1 << known_int(c[i]).bit_length()
            while step:
                change: Any = 0
                if c[i] >= step:
                    for k, p, delta, r in mine:
                        change = change + delta * ((totals[k] - r * step) // p - totals[k] // p)
                if c[i] >= step and error + change:
                    error, c[i] = error + change, c[i] - step
                    for k, _p, _delta, r in mine:
                        totals[k] -= r * step
                else:
                    step //= 2
        return c
