"""Composition: ``c(i) == a.extended(b(i))``, where such a layout ``c`` exists, and the proof where not.

Let ``a`` be coalesced, with extents ``M_k``, strides ``d_k`` and ``P_k = M_0 * ... * M_(k-1)``; the last
mode grows. Then ``a`` is a linear function with corrections where an index carries from mode to mode::

    A(x) = d_0 * x + sum_k delta_k * floor(x / P_k)        delta_k = d_k - M_(k-1) * d_(k-1) != 0

A layout whose shape refines that of ``b`` and that equals ``A(B(i))`` exists exactly if

1. each mode ``s:e`` of ``b`` alone has a mixed-radix image. Where ``c -> A(e*c)`` is linear up to, not
   including, ``c = L``, a layout must begin with a mode of size ``L``: so ``L`` divides ``s``, and the
   rest is the mode ``s/L : e*L``. This splits every mode of ``b`` into parts ``m_j : e_j``;
2. the parts add up: ``sum_k delta_k * floor(sum_j c_j * (e_j mod P_k) / P_k) == 0`` for all ``c``.

Without any carry (each floor is 0 at the greatest ``c``) the second holds, which settles what people
write in time linear in the modes; a carry that no other carry cancels refutes it. Carries can cancel,
as in ``(2,2,2):(1,3,5) o (2,2):(1,3) == (2,2):(1,4)``; whether they always do is a subset-sum problem
in the number of modes, so there a search decides within `WORK` steps, or raises `UndecidedError`.

Source: CuTe 02_layout_algebra.md, "Composition"; Shah, A Note on the Algebra of CuTe Layouts, whose
disjoint intervals of definition are "no carry".
"""

from __future__ import annotations

from functools import partial
from itertools import chain, pairwise
from itertools import product as cartesian
from math import gcd, prod
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias, overload

from ..errors import CoordinateError, DivisibilityError, LayoutError, UndecidedError
from ..int_tuple import as_shape, text_of
from ..ints import _0, is_tuple
from ..layout import AnyLayout, Layout, as_layout, make_layout, trusted
from ..swizzle import ComposedLayout, Swizzle
from ..text import shortened
from .by_mode import Tiler, by_mode, is_left_alone
from .modes import TUPLE, WORK, Modes, as_static, both_static, lifted, read_modes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

__all__ = ["can_grow", "composed", "composition", "extended_modes", "shaped", "tiler_layout", "walked"]


_LAYOUT: Any = Layout


@overload
def composition(a: Swizzle | ComposedLayout, b: Tiler, *, extend: bool = True) -> ComposedLayout: ...
@overload
def composition(a: AnyLayout, b: Tiler, *, extend: bool = True) -> AnyLayout: ...
def composition(a: Any, b: Any, *, extend: bool = True) -> AnyLayout | ComposedLayout:
    """Return the layout ``c`` with ``c(i) == a.extended(b(i))`` for every coordinate ``i`` of ``b``.

    >>> print(composition(parse("(6,2):(8,2)"), parse("(4,3):(3,1)")))
    ((2,2),3):((24,2),8)

    The shape of the result refines the shape of ``b``; its offsets are elements of ``a``'s memory.

    Args:
        a: A layout, or a `Swizzle`, for which the result is a `ComposedLayout`.
        b: A layout; an int ``n`` stands for ``n:1``. A tuple composes by mode, each part with the
            mode of ``a`` at its place; `_` and None keep the mode, and modes past the tuple go.
        extend: Let the last mode of ``a`` grow where ``b`` reaches past it, as CuTe always does.

    >>> print(composition(parse("(6,8):(1,6)"), (2, Layout(4, 2))))
    (2,4):(1,12)

    Raises:
        DivisibilityError: no layout has these offsets: a mode of ``b`` cuts a mode of ``a`` unevenly,
            or modes of ``b`` carry into each other. The error holds a coordinate where any layout
            that agrees below differs, and both values.
        CoordinateError: ``b`` reaches below 0, or past the end where ``a`` may not grow.
        UndecidedError: the search for carries that do not cancel exceeded its steps.
    Source: CuTe ``composition``, layout.hpp; by mode it drops modes as CuTe C++ does.
    """
    if type(b) is _LAYOUT and type(a) is _LAYOUT:
        return composed(a, b, extend)
    if isinstance(a, Swizzle):
        return ComposedLayout(a, _0, tiler_layout(b))
    if isinstance(a, ComposedLayout):
        return ComposedLayout(a.outer, a.offset, composition(a.inner, b, extend=extend))
    as_layout(a)
    if is_tuple(b):

        def one(mode: AnyLayout, tiler: Any) -> AnyLayout:
            return composed(mode, tiler_layout(tiler), extend)

        return by_mode(one, a, b, keep=False)
    whole: AnyLayout = a
    return whole if is_left_alone(b) else composed(a, tiler_layout(b), extend)


def tiler_layout(tiler: Any) -> AnyLayout:
    """Return the layout that a tiler stands for: an int ``n`` for ``n:1``."""
    if type(tiler) is _LAYOUT:
        layout: AnyLayout = tiler
        return layout
    if type(tiler) is int and tiler >= 0:
        return trusted(tiler, 1)
    return make_layout(as_shape(tiler))


def composed(
    a: AnyLayout, b: AnyLayout, extend: bool = True, steps: list[Any] | None = None
) -> AnyLayout:
    """`composition` of two layouts. ``steps`` receives what each mode of ``b`` takes of ``a``."""
    left, right = read_modes(a), read_modes(b)
    are_static = both_static(left, right)
    if left is None or right is None or are_static is None:
        result: AnyLayout = lifted(partial(composed, extend=extend, steps=steps), a, b)
        return result
    modes = extended_modes(left[0])
    parts = walked(modes, right[0], steps) if extend and can_grow(a.shape) else None
    if parts is None:
        parts = _Search(a, b, modes, right[0]).parts(extend, steps)
    return trusted(*shaped(parts, b.shape, are_static))


def shaped(parts: Sequence[Any], shape: Any, are_static: bool) -> tuple[Any, Any]:
    """Return shape and stride in the profile of ``shape``, of parts that stand for its ints."""
    if are_static:
        parts = [as_static(p) for p in parts]
    if type(shape) is not TUPLE:
        return parts[0]  # type: ignore[no-any-return]
    if not parts:
        return shape, shape
    shapes, strides = zip(*parts)  # noqa: B905 (pairs)
    if tuple in map(type, shape):
        return _nested(iter(shapes), shape), _nested(iter(strides), shape)
    return shapes, strides


def _nested(parts: Iterator[Any], profile: Any) -> Any:
    """The parts in the profile of a shape whose ints they stand for."""
    return tuple([_nested(parts, p) for p in profile]) if is_tuple(profile) else next(parts)


def can_grow(shape: Any) -> bool:
    """Return whether a shape has a last leaf, one that may grow."""
    while type(shape) is TUPLE:
        if not shape:
            return False
        shape = shape[-1]
    return True


# --- the walk, for modes that take whole digits -----------------------------------------------


def extended_modes(modes: Modes) -> Modes:
    """Return the coalesced modes of the function that grows: a last mode of size 1 keeps its stride."""
    out: Modes = []
    size, stride = 1, 0
    for s, d in modes[:-1]:
        if s == 1:
            continue
        if s == 0:  # no index lies in it, not even 0
            return [(0, 0), (1, 0)]
        if size == 1:
            size, stride = s, d
        elif size * stride == d:
            size = size * s
        else:
            out.append((size, stride))
            size, stride = s, d
    last, step = modes[-1] if modes else (1, 0)
    if size == 1:
        size, stride = last, step
    elif size * stride == step:
        size = size * last
    else:
        out.append((size, stride))
        size, stride = last, step
    out.append((size, stride))
    return out


def walked(modes: Modes, right: Modes, steps: list[Any] | None = None) -> list[Any] | None:
    """Return the shape and stride that each mode of ``b`` takes, where all take whole digits.

    ``modes`` are the `extended_modes` of ``a``. None where some mode does not, or where the greatest
    coordinates, added up, may carry: the search decides there.
    """
    last = len(modes) - 1
    if last and modes[0][0] == 0:
        return None
    used = [0] * last  # the greatest coordinate of each mode that does not grow
    parts: list[Any] = []
    for s, e in right:
        if e <= 0:
            if e == 0:
                parts.append((s, 0))
                if steps is not None:
                    steps.append(("fit", None, None, 0, s, 0, s))
                continue
            return None
        taken: Modes = []
        k = 0
        while k < last:
            size, d = modes[k]
            if e < size:
                reach = (s - 1) * e
                if reach < size:  # it ends within this mode
                    used[k] += reach
                    break
                n, rest = divmod(size, e)
                if rest or s % n:
                    return None
                used[k] += size - e
                taken.append((n, e * d))
                if steps is not None:
                    steps.append(("split", k, size, d, s, e, n))
                s, e = s // n, 1
            else:
                q, rest = divmod(e, size)
                if rest:
                    return None
                if steps is not None:
                    steps.append(("pass", k, size, d, s, e, q))
                e = q
            k += 1
        d = modes[k][1]
        if steps is not None:
            steps.append(("fit", k, modes[k][0] if k < last else None, d, s, e, s))
        if taken:
            taken.append((s, e * d))
            parts.append((tuple([m for m, _t in taken]), tuple([t for _m, t in taken])))
        else:
            parts.append((s, e * d))
    for k in range(last):
        if used[k] >= modes[k][0]:
            return None
    return parts


# --- the search, exact for every pair ---------------------------------------------------------


class _Part:
    """A part ``m:e`` of a mode of ``b`` on which ``a`` is linear, with step ``t``.

    ``leaf`` is the number of the mode, ``weight`` what one step is in its coordinate.
    """

    __slots__ = ("e", "leaf", "m", "t", "weight")

    def __init__(self, leaf: int, weight: Any, m: Any, e: Any, t: Any) -> None:
        self.leaf, self.weight, self.m, self.e, self.t = leaf, weight, m, e, t


class _Search:
    """The criterion of this module, with a budget, and the errors that it ends in."""

    __slots__ = ("a", "b", "deltas", "left", "right", "work")

    def __init__(self, a: AnyLayout, b: AnyLayout, left: Modes, right: Modes) -> None:
        self.a, self.b, self.left, self.right = a, b, left, right
        self.work = WORK
        self.deltas: list[tuple[Any, Any]] = []
        """``(P_k, delta_k)`` for each k but 0."""
        period: Any = 1
        for (s0, d0), (_s1, d1) in pairwise(left):
            period = period * s0
            self.deltas.append((period, d1 - s0 * d0))

    # --- the result ---

    def parts(self, extend: bool, steps: list[Any] | None) -> list[Any]:
        """The shape and stride of each mode of ``b``."""
        if any(s == 0 for s, _e in self.right):  # no coordinate, nothing to agree with
            if steps is not None:
                steps[:] = [("fit", None, None, 0, s, 0, s) for s, _e in self.right]
            return [(s, 0) for s, _e in self.right]
        self.within_reach(extend)
        try:
            found = [self.runs(leaf, s, e) for leaf, (s, e) in enumerate(self.right)]
        except _CutError as cut:
            self.refuse_cut(*cut.args)
        parts = [p for parts in found for p in parts]
        witness = self.carry(parts)
        if witness is not None:
            self.refuse_carry([(parts[i], c) for i, c in sorted(witness.items()) if c])
        if steps is not None:
            steps[:] = [("runs", [(p.m, p.e, p.t) for p in parts]) for parts in found]
        return [
            (parts[0].m, parts[0].t)
            if len(parts) == 1
            else (tuple([p.m for p in parts]), tuple([p.t for p in parts]))
            for parts in found
        ]

    def offset(self, x: Any) -> Any:
        """``A(x)``."""
        total: Any = 0
        for s, d in self.left[:-1]:
            x, digit = divmod(x, s)
            total = total + digit * d
        return total + x * self.left[-1][1]

    def spend(self, terms: int) -> None:
        """Count one evaluation, of so many terms; sixteen of them are a step."""
        self.work -= 1 + terms // 16
        if self.work < 0:
            raise UndecidedError(
                f"whether {self.what()} is a layout was not decided within {WORK} steps",
                "Sums of its modes carry between the modes of the left side, and wherever tried the"
                " carries cancelled each other.",
                "Split the modes so that fewer carry, or compose one mode at a time.",
                a=self.a,
                b=self.b,
                work=WORK,
            )

    # --- 0: b reaches coordinates of a ---

    def within_reach(self, extend: bool) -> None:
        if any(s == 0 for s, _d in self.left[:-1]):
            raise LayoutError(
                f"{self.what()} is not defined: the left side has no coordinates", a=self.a, b=self.b
            )
        for leaf, (s, e) in enumerate(self.right):
            if s > 1 and e < 0:
                self.refuse_reach(leaf, 1, e, "The left side has no coordinate below 0.")
        if extend and can_grow(self.a.shape):
            return
        size = prod([s for s, _d in self.left])
        most = sum([(s - 1) * e for s, e in self.right])
        if most >= size:
            why = "extend=True lets its last mode grow." if can_grow(self.a.shape) else ""
            coord = [s - 1 for s, _e in self.right]
            raise CoordinateError(
                f"{self.what()} reaches past the left side, of size {size}",
                f"At coordinate {self.coordinate(coord)} the right side is {most}.",
                *([why] if why else []),
                a=self.a,
                b=self.b,
                coord=self.coordinate_value(coord),
            )

    # --- 1: each mode alone ---

    def runs(self, leaf: int, s: Any, e: Any) -> list[_Part]:
        """The parts of one mode, each as long as ``a`` is linear on it."""
        parts: list[_Part] = []
        weight: Any = 1
        whole = s
        while not parts or s > 1:
            step = self.offset(e) if e > 0 else 0
            m = self.linear(s, e, step)
            if s % m:
                raise _CutError(leaf, whole, weight, m, step)
            parts.append(_Part(leaf, weight, m, e, step))
            s, e, weight = s // m, e * m, weight * m
        return parts

    def linear(self, s: Any, e: Any, step: Any) -> Any:
        """The greatest ``m <= s`` with ``A(e*c) == c*step`` for all ``c < m``.

        The difference only changes where some ``floor(c * (e mod P) / P)`` does, and is periodic
        once it is 0 at a common period.
        """
        carries = [(p, e % p, delta) for p, delta in self.deltas if e % p]
        if not carries:
            return s
        period = max([p // gcd(p, r) for p, r, _delta in carries])
        c: Any = 1
        while True:
            c = min([-(-p * (r * c // p + 1) // r) for p, r, _delta in carries])
            if c >= s or c > period:
                return s
            self.spend(len(carries))
            if sum([delta * (r * c // p) for p, r, delta in carries]):
                return c

    # --- 2: the parts together ---

    def carry(self, parts: list[_Part]) -> dict[int, Any] | None:
        """Coordinates of parts, by their number, at which carries do not cancel; None if none."""
        moving = [(i, p) for i, p in enumerate(parts) if p.m > 1]
        levels: list[_Level] = []
        for period, delta in self.deltas:
            rests = {i: p.e % period for i, p in moving if p.e % period}
            if sum([(parts[i].m - 1) * r for i, r in rests.items()]) >= period:
                levels.append((period, delta, rests))
        for group in _groups(levels):
            witness = _Carries(group, {i: p.m for i, p in moving}, self.spend).witness()
            if witness is not None:
                return witness
        return None

    # --- errors ---

    def what(self) -> str:
        return f"the composition of {shortened(str(self.a), 300)} with {shortened(str(self.b), 300)}"

    def coordinate_value(self, coords: Sequence[Any]) -> Any:
        return _nested(iter(list(coords)), self.b.shape)

    def coordinate(self, coords: Sequence[Any]) -> str:
        return text_of(self.coordinate_value(coords))

    def refuse_reach(self, leaf: int, c: Any, image: Any, why: str) -> NoReturn:
        coords = [c if i == leaf else 0 for i in range(len(self.right))]
        raise CoordinateError(
            f"{self.what()} is not defined",
            f"At coordinate {self.coordinate(coords)} the right side is {image}. {why}",
            a=self.a,
            b=self.b,
            coord=self.coordinate_value(coords),
        )

    def refuse_cut(self, leaf: int, whole: Any, weight: Any, m: Any, step: Any) -> NoReturn:
        """A mode whose image leaves its line at ``m``, which does not divide what is left of it."""
        block = weight * m
        sizes = [n for n in (whole // block * block, -(-whole // block) * block) if n]
        sizes = [n for n in sizes if self.would_work(leaf, n)]
        every = f"every {weight} coordinates" if weight > 1 else "each coordinate"
        self.refuse(
            {leaf: block},
            f"Mode {leaf} of the right side, {text_of(whole)}:{text_of(self.right[leaf][1])}, moves the"
            f" offset by {step} with {every}, but not from {block - weight} to {block}; so a layout"
            f" would have a block of {block} coordinates, which does not divide {whole}.",
            f"A mode of size {' or '.join(map(str, sizes))} there gives a layout." if sizes else "",
            m * step,
        )

    def refuse_carry(self, witness: list[tuple[_Part, Any]]) -> NoReturn:
        """Parts whose sum carries, though each of them alone does not."""
        at: dict[int, Any] = {}
        for part, c in witness:
            at[part.leaf] = at.get(part.leaf, 0) + c * part.weight
        modes = " and ".join(f"{leaf} ({self.right[leaf][0]}:{self.right[leaf][1]})" for leaf in at)
        who = f"Modes {modes}" if len(at) > 1 else f"Coordinates of mode {modes}"
        terms = [c * part.e for part, c in witness]
        k, size, digits = self.overflow(terms)
        cut = list(at.items())[-4:]  # a size that leaves the witness out; a few are hint enough
        smaller = [(leaf, c) for leaf, c in cut if c > 1 and self.would_work(leaf, c)]
        whole = prod([s for s, _e in self.right])
        leaf, c = max(smaller, key=lambda x: whole // self.right[x[0]][0] * x[1], default=(0, 0))
        self.refuse(
            at,
            f"{who} of the right side carry into each other: {' + '.join(map(str, terms))} ="
            f" {sum(terms)}, where the coordinates in mode {k} of the left side,"
            f" {' + '.join(map(str, digits))}, leave its size {size}.",
            f"A mode of size {c} as mode {leaf} of the right side gives a layout." if c else "",
            sum([c * part.t for part, c in witness]),
        )

    def overflow(self, terms: list[Any]) -> tuple[int, Any, list[Any]]:
        """The first mode of ``a`` that indices, added up, leave: its number, size and coordinates."""
        for k, (size, _d) in enumerate(self.left[:-1]):
            digits = [x % size for x in terms]
            if sum(digits) >= size:
                return k, size, [d for d in digits if d]
            terms = [x // size for x in terms]
        raise AssertionError("indices without a carry add up")

    def refuse(self, at: dict[int, Any], why: str, hint: str, wanted: Any) -> NoReturn:
        coords = [at.get(i, 0) for i in range(len(self.right))]
        x = sum([c * e for c, (_s, e) in zip(coords, self.right, strict=True)])
        raise DivisibilityError(
            f"{self.what()} is not a layout",
            why,
            f"At coordinate {self.coordinate(coords)}: A(B{_call(self.coordinate(coords))}) = A({x})"
            f" = {self.offset(x)}, a layout would give {wanted}.",
            *([hint] if hint else []),
            a=self.a,
            b=self.b,
            coord=self.coordinate_value(coords),
            value=self.offset(x),
            layout_value=wanted,
        )

    def would_work(self, leaf: int, size: Any) -> bool:
        """Whether the composition exists with another size in one mode of ``b``."""
        right = [(size if i == leaf else s, e) for i, (s, e) in enumerate(self.right)]
        other = _Search(self.a, self.b, self.left, right)
        other.work = WORK // 100  # a hint is worth no more
        try:
            return (
                other.carry([p for i, (s, e) in enumerate(right) for p in other.runs(i, s, e)]) is None
            )
        except (_CutError, UndecidedError):
            return False


def _call(coordinate: str) -> str:
    return coordinate if coordinate.startswith("(") else f"({coordinate})"


class _CutError(Exception):
    """A mode of ``b`` alone has no layout: its number, size, the weight, length and step of a run."""


# --- carries ----------------------------------------------------------------------------------

_Level: TypeAlias = "tuple[Any, Any, dict[int, Any]]"
"""A period of ``a``, its delta, and each part's step modulo the period, by the number of the part."""


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

    __slots__ = ("levels", "sizes", "spend", "terms")

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
                missing: Any = p
                c: dict[int, Any] = {}
                for i, r in sorted(rests.items(), key=itemgetter(1), reverse=backwards):
                    c[i] = min(self.sizes[i] - 1, -(-missing // r))
                    missing = missing - c[i] * r
                    if missing <= 0:
                        break
                yield c

    def all_that_matter(self) -> Iterator[dict[int, Any]]:
        """All coordinates, but of the largest part only those at which a carry is new."""
        largest = max(self.sizes, key=lambda i: self.sizes[i])
        others = [i for i in self.sizes if i != largest]
        levels = [(p, rests, rests[largest]) for p, _delta, rests in self.levels if largest in rests]
        for at in cartesian(*(range(self.sizes[i]) for i in others)):
            c = dict(zip(others, at, strict=True))
            bases = [
                sum([r * c[i] for i, r in rests.items() if i != largest]) for _p, rests, _r in levels
            ]
            c[largest] = 0
            while c[largest] < self.sizes[largest]:
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
        for i in sorted(c):
            step = 1 << int(c[i]).bit_length()
            while step:
                if c[i] >= step and self.error({**c, i: c[i] - step}):
                    c[i] = c[i] - step
                else:
                    step //= 2
        return c
