# SPDX-License-Identifier: Apache-2.0
"""Facts about the offsets of a layout: whether each is reached once, and whether none is left out.

All are exact, and none looks at the offsets one by one. Order and nesting of the modes do not matter
to them, nor the sign of a stride: running a mode backwards mirrors and shifts the offsets.

Whether the offsets fill an interval is decided in polynomial time. Whether two coordinates share an
offset is NP-hard in the number of modes (subset sum is a case of it). It is reduced here, in polynomial
time, to those modes that are tangled in one another; for the layouts of practice, whatever their size,
none is left. A search over the rest takes at most the ``steps`` of `limits`, then raises `LimitError`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from ..errors import UndecidedError
from ..ground import constexpr, shortened
from ..layouts import (
    AnyLayout,
    ComposedLayout,
    as_layout,
    idx2crd,
    is_composed,
    is_swizzle,
    static_as,
)
from ..numbers import (
    IntLike,
    comparison,
    decide,
    equal,
    is_static,
    known_divides,
    known_eq,
    known_int,
    known_lt,
    leaf,
    less,
    static_int,
)
from .cancelling import cancelling
from .coalesce import filter_zeros
from .coordinates import numbered
from .modes import Modes, in_profile, is_symbolic, listed, magnitude, raw_modes
from .preimage import preimage

if TYPE_CHECKING:
    from collections.abc import Iterator


def is_injective(layout: AnyLayout) -> bool:
    """Whether no two coordinates of ``layout`` share an offset.

    >>> is_injective(Layout((3, 2), (2, 3))), is_injective(Layout((4, 3), (2, 3)))
    (True, False)

    An empty layout is injective. `collision` has the two coordinates.

    Raises:
        UndecidedError: the answer depends on a symbolic int, or the modes are so tangled that a
            search of 100,000 steps did not settle it; see `collision`.
    """
    inner = _unswizzled(layout)
    return (_listed_twice(inner) if is_composed(inner) else _shared(inner, witness=False)) is None


@constexpr
def collision(layout: AnyLayout) -> tuple[Any, Any] | None:
    """Return two coordinates ``a`` and ``b`` with ``layout(a) == layout(b)``, or None if there are none.

    >>> collision(Layout((4, 3), (2, 3))), collision(Layout((2, (2, 3)), (1, (0, 2))))
    (((3, 0), (0, 2)), ((0, (0, 0)), (0, (1, 0))))

    Both are congruent to the shape, and ``a`` comes before ``b`` in colexicographic order. They are
    static where the layout is. No leaf is positive in both, except of a layout behind another: there all
    coordinates are tried.

    Raises:
        UndecidedError: the answer depends on a symbolic int, or the modes are so tangled that a
            search of 100,000 steps found nothing and left some out. Then ``modes`` are the leaves that
            it could not settle, counted from 0, and ``steps`` what it did.
    """
    layout = _unswizzled(layout)
    if is_composed(layout):
        return _listed_twice(layout)
    pair = _shared(layout, witness=True)
    if pair is None:
        return None
    # the coordinate that holds the last leaf in which they differ is the later one
    a, b = sorted(pair, key=lambda place: max(place, default=-1))
    return _coordinate(a, layout), _coordinate(b, layout)


def is_contiguous(layout: AnyLayout) -> bool:
    """Whether ``layout`` reaches each offset of one interval exactly once.

    >>> is_contiguous(Layout((4, 2), (-1, 4))), is_contiguous(Layout((3, 2), (2, 3)))
    (True, False)

    The interval begins below 0 where a stride is negative, and is empty for an empty layout. The same
    as ``size == cosize`` and injective, yet never hard: sorted, each stride must be the product of
    the sizes before it.
    """
    if is_composed(layout):
        return is_injective(layout) and known_int(layout.cosize) == known_int(layout.size)
    modes = _real(layout)
    return modes is None or _end([(s, magnitude(d)) for s, d in modes], once=True) is not None


def is_bijective(layout: AnyLayout) -> bool:
    """Whether ``layout`` reaches each of ``range(size)`` exactly once, and no other offset.

    >>> is_bijective(Layout((4, (2, 3)), (6, (3, 1)))), is_bijective(Layout((4, 2), (-1, 4)))
    (True, False)
    """
    if is_composed(layout):
        return is_contiguous(layout) and (not known_int(layout.size) or reaches(layout, 0))
    modes = _real(layout)
    return modes is None or (not _descends(modes) and _end(modes, once=True) is not None)


def is_surjective_onto(layout: AnyLayout, n: IntLike) -> bool:
    """Whether the offsets of ``layout`` are all of ``0 .. n-1``, each at least once, and no other.

    >>> is_surjective_onto(Layout((3, 2), (1, 2)), 5), is_surjective_onto(Layout((3, 2), (1, 4)), 7)
    (True, False)

    An empty layout is onto 0 offsets and no other layout is; nothing is onto a negative number.
    """
    size: Any = leaf(n)
    if is_composed(layout):
        moving = filter_zeros(_unswizzled(layout))
        if not is_injective(moving):  # some are reached twice, so they are looked at one by one
            return {*listed(layout)} == {*range(known_int(size))}
        is_whole = known_int(layout.cosize) == known_int(moving.size)
        return is_whole and bool(known_int(moving.size) == size and (not size or reaches(layout, 0)))
    modes = _real(layout)
    if modes is None:
        return equal(size, 0)
    for s, _d in modes:
        less(0, s)
    if _descends(modes):
        return False
    end = _end(modes, once=False)
    return end is not None and equal(end, size)


# --- modes ------------------------------------------------------------------------------------


Numbered: TypeAlias = "list[tuple[int, Any, Any]]"
"""Modes with the index of their leaf: plain ints, and symbolic ints as they are."""


def _unswizzled(layout: Any) -> Any:
    """What lies behind swizzles: each offset of it goes to one of theirs, and no two to the same."""
    while is_composed(layout) and is_swizzle(layout.outer):
        layout = layout.inner
    return layout if is_composed(layout) else as_layout(layout)


def _listed_twice(layout: ComposedLayout) -> tuple[Any, Any] | None:
    """The first two coordinates of a layout behind another that share an offset."""
    first: dict[int, int] = {}
    for i, offset in enumerate(listed(layout)):
        if offset in first:
            a, b = (idx2crd(n, layout.shape) for n in (first[offset], i))
            return static_as(layout, a), static_as(layout, b)
        first[offset] = i
    return None


def reaches(layout: Any, offset: int) -> bool:
    """Whether an offset is one of a layout behind swizzles, each of which is its own inverse."""
    return next(iter(preimage(layout, offset)), None) is not None


def _numbered(layout: AnyLayout) -> Numbered | None:
    """The modes that may have two coordinates; None for a layout known to be empty."""
    given = numbered(raw_modes(as_layout(layout)))
    modes = [(i, _bare(s), _bare(d)) for i, (s, d) in enumerate(given)]
    if any(known_eq(s, 0) for _i, s, _d in modes):
        return None
    return [mode for mode in modes if not known_eq(mode[1], 1)]


def _bare(x: Any) -> Any:
    return int(x) if isinstance(x, int) else x


def _real(layout: AnyLayout) -> Modes | None:
    """`_numbered` without the numbers, sorted if plain."""
    modes = _numbered(layout)
    if modes is None:
        return None
    if not is_symbolic(*modes):
        modes.sort(key=lambda mode: abs(mode[2]))
    return [(s, d) for _i, s, d in modes]


def _descends(modes: Modes) -> bool:
    """Whether an offset is negative: then some mode of two coordinates has a negative stride."""
    descending = [s for s, d in modes if less(d, 0)]
    return bool(descending) and _exist(modes, descending)


def _exist(modes: Modes, some: list[Any]) -> bool:
    """True where there are coordinates and one of ``some`` extents is above 1; else it is open."""
    for s, _d in modes:
        less(0, s)
    return any(known_lt(1, s) for s in some) or decide(None, comparison(some[0], ">", 1))


def _end(modes: Modes, once: bool) -> Any:
    """Return the ``n`` for which modes of no negative stride fill ``range(n)``; None if they do not.

    ``once`` asks that only one coordinate reach each offset. If modes fill ``range(n)``, one more mode
    ``s:d`` fills ``range(n + (s-1)*d)`` where d <= n, and does so once where d == n. If no mode is left
    with such a stride, there is no answer. Where all strides are above n, no coordinate reaches n,
    though the last offset is above it. With ``once``, a stride below n reaches an offset again.
    """
    n: Any = 1
    left = list(modes)
    while left:
        at = next((k for k, (_s, d) in enumerate(left) if _continues(d, n, once)), None)
        if at is None:
            for _s, d in left:
                if _continues(d, n, once) is None:
                    decide(None, comparison(d, "==" if once else "<=", n))
            _exist(modes, [s for s, _d in left])
            return None
        s, d = left.pop(at)
        # n + (s-1)*n == n*s: written as a symbolic stride is
        n = n * s if known_eq(d, n) else n + (s - 1) * d
    return n


def _continues(d: Any, n: Any, once: bool) -> bool | None:
    if once:
        return known_eq(d, n)
    above = known_lt(n, d)
    return None if above is None else not above


# --- two coordinates of one offset ------------------------------------------------------------

Place: TypeAlias = "dict[int, Any]"
"""A coordinate: the leaves that are not 0, by index."""


def _coordinate(place: Place, layout: AnyLayout) -> Any:
    steps = [place.get(i, 0) for i, _mode in enumerate(raw_modes(layout))]
    is_fixed = is_static((layout.shape, layout.stride))
    return in_profile(map(static_int, steps) if is_fixed else steps, layout.shape)


def _shared(layout: AnyLayout, witness: bool) -> tuple[Place, Place] | None:
    """Two coordinates of one offset, or None. Without ``witness``, two empty ones if there are some."""
    modes = _numbered(layout)
    if modes is None:
        return None
    plain = [mode for mode in modes if not is_symbolic(mode)]
    if len(plain) < len(modes):
        return _shared_symbolic(modes, plain, witness, layout)
    return _shared_plain(modes, witness, layout)


def _shared_plain(modes: Numbered, witness: bool, layout: AnyLayout) -> tuple[Place, Place] | None:
    terms = sorted([(abs(d), s - 1, i) for i, s, d in modes])
    reach = 0
    for d, b, _i in terms:
        if d <= reach:
            break
        reach += d * b
    else:  # each stride exceeds all that the smaller ones reach together: a positional notation
        return None
    steps = cancelling(terms, witness, layout)
    if steps is None:
        return None
    forward = {i for i, _s, d in modes if d >= 0}
    signed = {i: z if i in forward else -z for i, z in steps.items()}
    return ({i: z for i, z in signed.items() if z > 0}, {i: -z for i, z in signed.items() if z < 0})


def _shared_symbolic(
    modes: Numbered, plain: Numbered, witness: bool, layout: AnyLayout
) -> tuple[Place, Place] | None:
    """`_shared` where some ints are symbolic: what holds whatever they are, or `UndecidedError`."""
    if not _tangled(modes, 1)[0]:
        return None
    pair = _shared_plain(plain, witness, layout)
    if pair is None:
        end = 1 + sum((s - 1) * abs(d) for _i, s, d in plain)
        if not _tangled([mode for mode in modes if is_symbolic(mode)], end)[0]:
            return None
    if all(known_lt(0, s) for _i, s, _d in modes):  # else it may be empty
        pair = pair or next(_overlaps(modes), None)
        if pair is not None:
            return pair
    obligation = _what_nests(modes)
    raise UndecidedError(
        f"cannot decide whether {shortened(str(layout), 200)} is injective",
        "The sizes are symbolic; give them a range or a divisor that settles it.",
        *([f"Where {obligation} more is known."] if obligation is not None else []),
        layout=layout,
        modes=tuple([i for i, _s, _d in modes]),
        steps=0,
        obligation=obligation,
    )


def _overlaps(modes: Numbered) -> Iterator[tuple[Place, Place]]:
    """Pairs of coordinates that are known to share an offset: a step of one mode is steps of another."""
    moving = [mode for mode in modes if known_lt(1, mode[1])]
    for i, _s, d in moving:
        if known_eq(d, 0):
            yield {}, {i: 1}
    for i, s, d in modes:
        for j, _n, e in moving:
            if i != j and known_lt(0, d) and known_divides(d, e):
                q = e // d
                if known_lt(-1, q) and known_lt(q, s):
                    yield {i: q}, {j: 1}


def _tangled(modes: Numbered, end: Any) -> tuple[Modes, Any]:
    """Nest modes as far as known; return the modes that are left, and what the nested ones span.

    A mode nests where its stride is known to span all that is below it. ``end`` spans what is below the
    first mode. Negative strides are reversed.
    """
    left = [(s, -d if known_lt(d, 0) else d) for _i, s, d in modes]
    while left:
        spans = [k for k, (_s, d) in enumerate(left) if known_eq(d, end)] or [
            k
            for k, (_s, d) in enumerate(left)
            if known_lt(d, end) is False and all(known_lt(e, d) is False for _n, e in left)
        ]
        if not spans:
            break
        s, d = left.pop(spans[0])
        # below d is at most d - 1, so below d and with it at most d - 1 + (s-1)*d == s*d - 1
        end = d * s
    return left, end


def _what_nests(modes: Numbered) -> object:
    """A condition under which some stride is known to span more of what is below it; None for none."""
    for _i, s, d in modes:
        if known_eq(d, 0) is True and known_lt(1, s) is None:  # it repeats its one offset
            return comparison(s, "==", 1)
    left, end = _tangled(modes, 1)
    for _s, d in left:
        for other in (end, *[e for _n, e in left]):
            answer = known_lt(d, other)
            if answer:
                break
            if answer is None:
                return comparison(d, ">=", other)
    return None
