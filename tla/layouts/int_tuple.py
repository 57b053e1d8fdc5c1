# SPDX-License-Identifier: Apache-2.0
"""Int tuples: an int, or a tuple of int tuples. Shapes, strides, coordinates and tiles are these.

The profile of an int tuple is its nesting; its leaves are its ints, read left to right.
Every function here is pure, checks its leaves (`tla.numbers.ints.leaf`) and keeps static ints static.
Names and results are those of CuTe C++, ``int_tuple.hpp`` and ``tuple_algorithms.hpp``.

>>> x = make_tuple(4, (_2, 3))
>>> rank(x), depth(x), get(x, 1, 0), product(x), flatten(x)
(_2, _2, _2, 24, (4, _2, 3))
"""

from __future__ import annotations

from functools import reduce
from operator import mul
from typing import TYPE_CHECKING, Any, SupportsIndex, TypeVarTuple

from ..errors import CongruenceError, CoordinateError, DivisibilityError, LayoutError
from ..ground import (
    LEVELS,
    MAX_DEPTH,
    SMALL,
    WIDE,
    constexpr,
    guarded,
    is_too_deep,
    limit_error,
    limit_of,
    naming_call,
    refused_digits,
    shortened,
    shown,
    way_out,
)
from ..numbers import (
    INT,
    PLAIN_INTS,
    STATIC,
    TUPLE,
    Basis,
    Int,
    IntLike,
    IntTuple,
    ManyLeavesError,
    _1,
    at_least,
    decide_all,
    division,
    equality,
    is_tuple,
    known_divides,
    known_eq,
    leaf,
    limit_leaves,
    limit_nesting,
    neither_divides,
    static_int,
    too_deep,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ..numbers import Notation, Question

_Items = TypeVarTuple("_Items")


# --- construction and access ------------------------------------------------------------------


@constexpr
def make_tuple(*items: *_Items) -> tuple[*_Items]:
    """Return the int tuple of the arguments, checked; numpy ints become ints.

    >>> make_tuple(2, (_3, 4))
    (2, (_3, 4))

    Raises:
        LeafError: a leaf is not an int.
        LayoutError: the nesting is deeper than `tla.limits` allows.
    Source: CuTe and TLA ``make_tuple``, ``MakeTuple``.
    """
    checked: tuple[*_Items] = as_int_tuple(items)
    return checked


def as_int_tuple(x: object) -> Any:
    """Return ``x`` with every leaf checked and numpy ints converted; the profile is kept."""
    if not is_tuple(x):
        return leaf(x)
    if len(x) >= WIDE:
        limit_leaves(x)
    try:  # a list is quicker than a generator
        return tuple([i if type(i) is INT else _small_tuple(i, SMALL) for i in x])
    except ManyLeavesError:
        limit_leaves(x)
        return _deep_tuple(x, MAX_DEPTH)


def _small_tuple(x: object, room: int) -> Any:
    """`as_int_tuple` where no more than ``room`` leaves are met."""
    if not is_tuple(x):
        return leaf(x)
    room //= len(x) + 1
    if not room:
        raise ManyLeavesError
    return tuple([i if type(i) is INT else _small_tuple(i, room) for i in x])


def _deep_tuple(x: object, room: int) -> Any:
    """`as_int_tuple` with ``room`` levels of nesting left of `MAX_DEPTH`."""
    if not is_tuple(x):
        return leaf(x)
    if room <= 0 and is_too_deep(room):
        summary = f"an int tuple is nested deeper than {limit_of('nesting')} levels"
        raise LayoutError(summary, way_out("nesting"))
    return tuple([i if type(i) is INT else _deep_tuple(i, room - 1) for i in x])


def require_addable(stride: Any) -> None:
    """Raise `LayoutError` where a stride mixes ints and coordinates, or a mode and a mode of it."""
    if has_basis(stride):
        sum(leaves(stride))


def has_basis(stride: Any) -> bool:
    for d in stride if type(stride) is TUPLE else (stride,):
        if type(d) is Basis or (type(d) is TUPLE and has_basis(d)):
            return True
    return False


def as_shape(x: object) -> Any:
    """Return ``x`` checked as a shape: an int tuple without negative extents.

    Raises:
        LayoutError: an extent is negative.
        UndecidedError: a symbolic one may be.
    """
    shape = as_int_tuple(x)
    for extent in leaves(shape):
        if not at_least(extent, 0):
            raise LayoutError(
                f"shape {text_of(shape)} has the negative extent {extent}", shape=shape, extent=extent
            )
    return shape


@constexpr
def get(x: IntTuple, *path: SupportsIndex) -> Any:
    """Return mode ``path[0]`` of ``x``, of that mode ``path[1]``, and so on. An int is its own mode 0.

    >>> get((4, (2, 3)), 1, 0), get(5, 0)
    (2, 5)

    Raises:
        CoordinateError: an index is not a mode: negative, or not below the rank.
    """
    at: Any = as_int_tuple(x)
    for i in path:
        i = leaf(i)
        modes: tuple[Any, ...] = at if is_tuple(at) else (at,)
        if not 0 <= i < len(modes):
            refusal = CoordinateError(
                f"there is no mode {_plain_text(i)} in {text_of(at)}, of rank {len(modes)}",
                value=x,
                path=path,
            )
            raise naming_call(refusal, "Asked by {}; modes count from 0.")
        at = modes[i]
    return at


def _plain_text(i: Any) -> str:
    """The digits of an int, static or not; the text of an unknown."""
    return text_of(int(i) if isinstance(i, int) else i)


def leaves(x: IntTuple) -> Iterator[Any]:
    """Yield the leaves from left to right, each checked."""
    return map(leaf, _profile_leaves(x))


def text_of(x: Any, *more: Any) -> str:
    """Return the notation of an int tuple: no spaces, static ints as ``_N``, a 1-tuple as ``(3)``.

    Several are joined by ``:``; the facts of an unknown stand where it comes first. A coordinate may
    have `_` among its parts.

    >>> text_of((_2, (4, (5,)))), text_of(Int(-2)), text_of(()), text_of((1, (_, _2)))
    ('(_2,(4,(5)))', '_-2', '()', '(1,(_,_2))')
    """
    parts = (x, *more)
    limit_leaves(parts)
    notation: list[Notation] = []

    def other_text(leaf: Any) -> str:  # of a leaf that is no plain int
        if leaf is None:  # which stands for `_`
            return "_"
        if isinstance(leaf, Basis):
            return leaf.text(lambda n: _text(n, 0, other_text))
        if not notation:
            from ..numbers import Notation

            notation.append(Notation(_ints_in(parts)))
        return notation[0].text(leaf)

    try:
        return ":".join([_text(x, MAX_DEPTH, other_text) for x in parts])
    except ValueError as error:
        raise refused_digits(error) from None


def _ints_in(x: Any) -> Iterator[Any]:
    """The ints of a tuple's leaves, those of coordinates too."""
    for n in _profile_leaves(x):
        yield from n.terms.values() if isinstance(n, Basis) else (n,)


def _text(x: Any, room: int, leaf_text: Callable[[Any], str]) -> str:
    if not is_tuple(x):
        return plain_text(x) if type(x) in PLAIN_INTS else leaf_text(x)
    if room <= 0 and is_too_deep(room):
        return "(...)"
    return f"({','.join([_text(i, room - 1, leaf_text) for i in x])})"


class NotPlainError(Exception):
    """A leaf is neither a dynamic nor a static int."""


def plain_text(x: Any) -> str:
    """`text_of` plain ints, nested no deeper than a layout is.

    Raises:
        NotPlainError: a leaf is no plain int.
    """
    if type(x) is TUPLE:
        if len(x) == 2:  # as most are; a join takes twice as long
            a, b = x
            return f"({a if type(a) is INT else plain_text(a)},{b if type(b) is INT else plain_text(b)})"
        if len(x) == 3:
            a, b, c = x
            first = f"({a if type(a) is INT else plain_text(a)},{b if type(b) is INT else plain_text(b)}"
            return f"{first},{c if type(c) is INT else plain_text(c)})"
        if len(x) == 4:
            a, b, c, d = x
            first = f"({a if type(a) is INT else plain_text(a)},{b if type(b) is INT else plain_text(b)}"
            last = f"{c if type(c) is INT else plain_text(c)},{d if type(d) is INT else plain_text(d)})"
            return f"{first},{last}"
        return f"({','.join([f'{i}' if type(i) is INT else plain_text(i) for i in x])})"
    if type(x) is STATIC:
        return f"_{x.real}"
    if type(x) is INT:
        return str(x)
    raise NotPlainError


# --- profile ----------------------------------------------------------------------------------


@constexpr
def flatten_to_tuple(x: IntTuple) -> tuple[Any, ...]:
    """Return the leaves as a flat tuple; an int becomes a 1-tuple.

    >>> flatten_to_tuple(((4, 2), 3)), flatten_to_tuple(7)
    ((4, 2, 3), (7,))
    """
    return tuple(leaves(x))


@constexpr
@limit_nesting
def unflatten(flat: IntTuple, profile: IntTuple) -> Any:
    """Return the leaves of ``flat`` in the profile of ``profile``: the inverse of `flatten`.

    >>> unflatten((1, 2, 3), (0, (0, 0)))
    (1, (2, 3))

    Raises:
        CongruenceError: the two have different numbers of leaves.
    """
    items = flatten_to_tuple(flat)
    wanted = sum(1 for _ in _profile_leaves(profile))
    if len(items) != wanted:
        raise CongruenceError(
            f"{text_of(flat)} has {len(items)} leaves, the profile {text_of(profile)} has {wanted}",
            flat=flat,
            profile=profile,
        )
    rest = iter(items)

    def build(p: Any) -> Any:
        return tuple(build(i) for i in p) if is_tuple(p) else next(rest)

    return build(profile)


def _profile_leaves(profile: Any) -> Iterator[Any]:
    """The leaves of a profile, which need not be ints; it may be nested to any depth."""
    if not is_tuple(profile):
        yield profile
        return
    todo = [iter(profile)]
    is_counted = False
    while todo:
        for part in todo[-1]:
            if is_tuple(part):
                if not is_counted and (len(todo) > LEVELS or len(part) >= WIDE):
                    limit_leaves(profile)
                    is_counted = True
                todo.append(iter(part))
                break
            yield part
        else:
            todo.pop()


def congruent(a: IntTuple, b: IntTuple) -> bool:
    """Whether ``a`` and ``b`` have the same profile.

    >>> congruent((4, (2, 3)), (1, (7, 7))), congruent((4,), 4)
    (True, False)
    """
    try:
        return _congruent(a, b, LEVELS)
    except ManyLeavesError:
        limit_leaves((a, b))
    try:
        return _congruent(a, b, -1)
    except RecursionError:
        raise too_deep() from None


def _congruent(a: Any, b: Any, room: int) -> bool:
    """`congruent` of at most ``room`` levels, as of `_product`."""
    if not is_tuple(a):
        if is_tuple(b):
            return False
        leaf(a)
        leaf(b)
        return True
    if not is_tuple(b) or len(a) != len(b):
        return False
    if not room or (len(a) >= WIDE and LEVELS > room > 0):
        raise ManyLeavesError
    i = 0
    for x in a:
        y = b[i]
        i += 1  # noqa: SIM113 (counted in half the time of zip)
        if not (type(x) is INT is type(y) or _congruent(x, y, room - 1)):
            return False
    return True


def require_congruent(shape: Any, stride: Any) -> None:
    """Raise `CongruenceError` unless the two have one profile; the text says where they part."""
    if congruent(shape, stride):
        return
    path: list[str] = []
    s, d = shape, stride
    while is_tuple(s) and is_tuple(d) and len(s) == len(d):
        i = next(i for i in range(len(s)) if not congruent(s[i], d[i]))
        path.append(f"{i}")
        s, d = s[i], d[i]
    place = f"In mode {'.'.join(path)} the" if path else "The"
    raise CongruenceError(
        f"shape {in_short(shape)} and stride {in_short(stride)} are not congruent",
        f"{place} shape {in_short(s)} has {arity(s)}, the stride {in_short(d)} has {arity(d)}.",
        shape=shape,
        stride=stride,
    )


def in_short(x: Any) -> str:
    """Return the notation of an int tuple, cut to a length that an error can carry."""
    return shortened(text_of(x), 1000)


def arity(x: Any) -> str:
    """Return how an error counts the modes of an int tuple."""
    if not is_tuple(x):
        return "one int"
    return f"{len(x)} mode{'' if len(x) == 1 else 's'}"


@limit_nesting
def weakly_congruent(a: IntTuple, b: IntTuple) -> bool:
    """Whether ``b`` has the profile of ``a`` after replacing some leaves of ``a`` by tuples.

    >>> weakly_congruent((4, 6), (1, (7, 7))), weakly_congruent((1, (7, 7)), (4, 6))
    (True, False)
    """
    return _weakly_congruent(a, b)


def _weakly_congruent(a: Any, b: Any) -> bool:
    if is_tuple(a):
        return is_tuple(b) and len(a) == len(b) and all(map(_weakly_congruent, a, b))
    leaf(a)
    if not is_tuple(b):
        leaf(b)
    return True


@limit_nesting
def compatible(a: IntTuple, b: IntTuple) -> bool:
    """Whether ``b`` refines ``a``: each leaf of ``a`` is the size of the part of ``b`` at its place.

    Every coordinate of ``a`` is then a coordinate of ``b``.

    >>> compatible(24, (4, 6)), compatible((4, 6), (4, (2, 3))), compatible((5, 8), ((5, 8),))
    (True, True, False)

    Raises:
        UndecidedError: two sizes are symbolic and not known to be equal.
    """
    return decide_all(_asked(equality, a, b))


def _asked(question: Callable[[Any, Any], Question], a: Any, b: Any) -> Iterator[Question]:
    """Ask of each leaf of ``a`` and the size of the part of ``b`` at its place."""
    if not is_tuple(a):
        yield question(leaf(a), product(b))
    elif not is_tuple(b) or len(a) != len(b):
        yield False, None
    else:
        for x, y in zip(a, b, strict=True):
            yield from _asked(question, x, y)


# --- maps and folds over leaves ---------------------------------------------------------------


@guarded
def transform_leaf(f: Callable[..., Any], x: IntTuple, *others: IntTuple) -> Any:
    """Return ``x`` with every leaf replaced by ``f`` of it and of the leaves at its place.

    >>> transform_leaf(lambda a, b: a * b, (4, (2, 3)), (1, (10, 100)))
    (4, (20, 300))

    Raises:
        CongruenceError: the tuples have different profiles.
    """
    profile, *same = map(as_int_tuple, (x, *others))
    for other in same:
        if not congruent(profile, other):
            raise not_congruent(profile, other)
    return map_parts(f, profile, *same)


def map_parts(f: Callable[..., Any], profile: Any, *others: Any) -> Any:
    """Return ``profile`` with every leaf replaced by ``f`` of it and of the parts at its place.

    Raises:
        CongruenceError: a tuple has no part at the place of a leaf.
    """
    if not is_tuple(profile):
        return f(profile, *others)
    for other in others:
        if not is_tuple(other) or len(other) != len(profile):
            raise not_congruent(profile, other)
    return tuple([map_parts(f, *at) for at in zip(profile, *others, strict=True)])


@guarded
def fold_leaf(f: Callable[[Any, Any], Any], start: Any, x: IntTuple) -> Any:
    """Return ``f(... f(f(start, x0), x1) ..., xn)`` over the leaves from left to right.

    >>> fold_leaf(lambda total, leaf: total + leaf, 0, (4, (2, 3)))
    9
    """
    return reduce(f, leaves(as_int_tuple(x)), start)


@guarded
def transform_apply(x: Any, /, *others: Any, f: Callable[..., Any], g: Callable[..., Any]) -> Any:
    """Return ``g(f(x0, y0), f(x1, y1), ...)`` over the modes of ``x`` and of the other tuples.

    >>> transform_apply((4, 2, 3), (1, 4, 8), f=lambda s, d: (s - 1) * d, g=lambda *r: 1 + sum(r))
    24

    What is no tuple is its only mode. A mode may be anything: a tuple, a layout.

    Raises:
        CongruenceError: the tuples differ in the number of their modes.
    Source: CuTe ``transform_apply``, tuple_algorithms.hpp.
    """
    if not is_tuple(x):
        return g(f(x, *others))
    if not all(is_tuple(other) and len(other) == len(x) for other in others):
        raise CongruenceError(f"{', '.join(map(shown, (x, *others)))} differ in the number of modes")
    return g(*[f(*modes) for modes in zip(x, *others, strict=True)])


@guarded
def filter_tuple(x: Any, /, *others: Any, f: Callable[..., Any]) -> tuple[Any, ...]:
    """Return the tuples that ``f`` gives for the modes of ``x`` and of the other tuples, joined.

    >>> filter_tuple((4, 1, (2, 3)), f=lambda mode: () if mode == 1 else (mode,))
    (4, (2, 3))
    >>> filter_tuple((4, 2, 3), (1, 0, 8), f=lambda s, d: (s,) if d else ())
    (4, 3)

    Raises:
        CongruenceError: the tuples differ in the number of their modes.
    Source: CuTe ``filter_tuple``, tuple_algorithms.hpp.
    """
    parts = transform_apply(x, *others, f=f, g=lambda *parts: parts)
    return tuple([i for part in parts for i in (part if is_tuple(part) else (part,))])


def not_congruent(a: Any, b: Any) -> CongruenceError:
    return CongruenceError(f"{text_of(a)} and {text_of(b)} have different profiles", a=a, b=b)


# --- search -----------------------------------------------------------------------------------


def _places(x: Any, path: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], Any]]:
    """The path to each leaf, and the leaf; an int is its own mode 0."""
    for i, part in enumerate(x if is_tuple(x) else (x,)):
        if is_tuple(part):
            yield from _places(part, (*path, i))
        else:
            yield (*path, i), leaf(part)


def _mode_at(path: tuple[int, ...]) -> int | tuple[int, ...]:
    return path[0] if len(path) == 1 else path


@constexpr
@limit_nesting
def find(t: IntTuple, x: IntLike) -> int | tuple[int, ...] | None:
    """Return the first mode of ``t`` that is ``x``: an int, or the path to it if it is nested.

    None if there is none. A symbolic int that only may be ``x`` is passed over.

    >>> find((4, 2, 3), 2), find((4, (2, 3)), 3), find((4, (2, 3)), 5)
    (1, (1, 1), None)

    Source: CuTe's Python DSL ``find``; C++ has the number of modes where this is None.
    """
    wanted = leaf(x)
    return next((_mode_at(path) for path, n in _places(t) if known_eq(n, wanted) is True), None)


@constexpr
@limit_nesting
def leading_dim(shape: IntTuple, stride: IntTuple) -> int | tuple[int, ...] | None:
    """Return the first mode, from left to right, with stride 1: an int, or the path if it is nested.

    None if there is none. A mode of size 1 does not count, nor a symbolic stride that only may be 1.

    >>> leading_dim((8, 4), (4, 1)), leading_dim((8, (2, 2)), (4, (2, 1))), leading_dim((8, 4), (8, 2))
    (1, (1, 1), None)

    Raises:
        CongruenceError: shape and stride have different profiles.
    Source: CuTe's Python DSL ``leading_dim``.
    """
    require_congruent(shape, stride)
    modes = zip(leaves(shape), _places(stride), strict=True)
    ones = (at for n, (at, d) in modes if known_eq(d, 1) is True and known_eq(n, 1) is not True)
    return next(map(_mode_at, ones), None)


def is_major(mode: SupportsIndex, stride: IntTuple) -> bool:
    """Whether the first stride of a mode is 1; False of a symbolic stride that only may be.

    >>> is_major(0, ((1, 16), 4)), is_major(1, ((1, 16), 4))
    (True, False)

    Raises:
        CoordinateError: there is no such mode.
    Source: CuTe's Python DSL ``is_major``.
    """
    first = next(leaves(get(stride, mode)), 0)
    return known_eq(first, 1) is True


# --- arithmetic -------------------------------------------------------------------------------


@constexpr
def product(x: IntTuple) -> Any:
    """Return the product of the leaves; ``_1`` for the empty tuple.

    >>> product((4, (2, 3))), product((_4, _2)), product(())
    (24, _8, _1)
    """
    if not is_tuple(x):
        return leaf(x)
    total: Any = _1
    try:
        for i in x:
            n: Any = i if type(i) is INT or type(i) is STATIC else _product(i, LEVELS)
            total = n if total is _1 else total * n  # _1 * n == n, static or not
    except ManyLeavesError:
        limit_leaves(x)
    else:
        return total
    try:
        return _product(x, -1)
    except RecursionError:
        raise too_deep() from None


def _product(x: Any, room: int) -> Any:
    """`product` of at most ``room`` levels; of any number from -1 on down."""
    if type(x) is not TUPLE and not is_tuple(x):
        return leaf(x)
    if not room or (len(x) >= WIDE and room > 0):
        raise ManyLeavesError
    total: Any = _1
    for i in x:
        n: Any = i if type(i) is INT or type(i) is STATIC else _product(i, room - 1)
        total = n if total is _1 else total * n
    return total


def plain_size(shape: Any, room: int = LEVELS) -> int | None:
    """The `product` of a shape of dynamic ints; None of others, and of one that is too deep."""
    if type(shape) is not TUPLE:
        return shape if type(shape) is INT and shape >= 0 else None
    if not shape or not room:
        return None
    size = 1
    for s in shape:
        n = s if type(s) is INT and s >= 0 else plain_size(s, room - 1)
        if n is None:
            return None
        size *= n
    return size


def of_static(run: Callable[..., Any], *parts: Any) -> Any:
    """Return ``run(*parts)`` of static ints, by way of plain ints; None if some are not static.

    ``run`` takes dynamic ints, and returns an int, a tuple or None. No operator of `Int` slows it down.
    """
    plain = [_plain(x, LEVELS) for x in parts]
    found = None if None in plain else run(*plain)
    return None if found is None else as_static(found)


def _plain(x: Any, room: int) -> Any:
    """Static ints as plain ones; None of others."""
    if type(x) is STATIC:
        return x.real
    if type(x) is not TUPLE or not room:
        return None
    out: list[Any] = []
    for i in x:
        n = i.real if type(i) is STATIC else _plain(i, room - 1)
        if n is None:
            return None
        out.append(n)
    return tuple(out)


def as_static(x: Any) -> Any:
    """Return an int, or a tuple of them, static."""
    if type(x) is TUPLE:
        return tuple([as_static(i) for i in x])
    return static_int(x)


@constexpr
def product_each(x: IntTuple) -> tuple[Any, ...]:
    """Return the product of each mode.

    >>> product_each(((4, 2), 3))
    (8, 3)
    """
    if not is_tuple(x):
        return (leaf(x),)
    if len(x) >= WIDE:  # of fewer, each looks for itself
        limit_leaves(x)
    return tuple([product(i) for i in x])


@constexpr
@limit_nesting
def product_like(x: IntTuple, profile: IntTuple) -> Any:
    """Return the products of the parts of ``x`` at the places of the leaves of ``profile``.

    >>> product_like(((4, 2), (3, (5, 7))), (0, (0, 0)))
    (8, (3, 35))

    Raises:
        CongruenceError: ``profile`` is not weakly congruent to ``x``.
    """
    return _product_like(x, profile)


def _product_like(x: Any, profile: Any) -> Any:
    if is_tuple(profile):
        if not is_tuple(x) or len(x) != len(profile):
            raise not_congruent(x, profile)
        return tuple(map(_product_like, x, profile))
    leaf(profile)
    return product(x)


@constexpr
@limit_nesting
def inner_product(a: IntTuple, b: IntTuple) -> Any:
    """Return the sum of the products of the leaves of ``a`` and ``b``, which are congruent.

    >>> inner_product((1, (2, 3)), (100, (10, 1)))
    123
    """
    terms = list(leaves(transform_leaf(mul, a, b)))
    # the first term starts the sum, so that static terms give a static one
    return sum(terms[1:], terms[0]) if terms else Int(0)


@constexpr
@limit_nesting
def elem_scale(a: IntTuple, b: IntTuple) -> Any:
    """Return ``a`` with each leaf multiplied by the product of the part of ``b`` at its place.

    >>> elem_scale((2, 3), ((4, 5), 6))
    (40, 18)
    """

    def scaled(n: Any, part: Any) -> Any:
        return leaf(n) * product(part)

    return map_parts(scaled, a, b)


@constexpr
def shape_div(a: IntTuple, b: IntTuple) -> Any:
    """Return the shape that is left of ``a`` when ``b`` of its elements are taken off the front.

    For ints: ``a / b`` where ``b`` divides ``a``, 1 where ``a`` divides ``b``. An int ``b`` divides the
    leaves of a tuple ``a`` one after the other; of a tuple ``b`` over an int ``a`` the product counts.

    >>> shape_div((4, 2, 2), 8), shape_div((8, 6), (2, 3)), shape_div(12, (2, 3))
    ((1, 1, 2), (4, 2), 2)

    Raises:
        DivisibilityError: neither of two ints divides the other.
    Source: CuTe ``shape_div``, int_tuple.hpp.
    """
    n: Any = a
    m: Any = b
    is_dynamic = type(n) is INT
    if type(n) is type(m) and (is_dynamic or type(n) is STATIC) and n > 0 and m > 0:
        whole, part = n.real, m.real  # plain, which no operator of `Int` slows down
        if not whole % part:
            return whole // part if is_dynamic else static_int(whole // part)
        if not part % whole:
            return 1 if is_dynamic else _1
    if is_tuple(n):
        divide = shape_div
        for i in n:
            if type(i) is TUPLE and TUPLE in map(type, i):
                limit_leaves(n)
                divide = _shape_div
                break
        try:
            return _divided(divide, n, m)
        except RecursionError:
            raise too_deep() from None
    x, y = leaf(a), product(b)
    if known_eq(y, 0) is not True:
        if known_divides(y, x):
            return x // y
        if known_divides(x, y):  # a static 1 only where both are static
            return x // x * (y // y)
        neither_divides(y, x)
    raise DivisibilityError(f"neither of {text_of(a)} and {text_of(b)} divides the other", a=a, b=b)


def _shape_div(a: Any, b: Any) -> Any:
    """`shape_div` of a tuple whose leaves have been counted."""
    return _divided(_shape_div, a, b) if is_tuple(a) else shape_div(a, b)


def _divided(divide: Callable[[Any, Any], Any], modes: tuple[Any, ...], b: Any) -> tuple[Any, ...]:
    """`shape_div` of modes: by those of a tuple, or by an int, one after the other."""
    if is_tuple(b):
        if len(modes) != len(b):
            raise not_congruent(modes, b)
        return tuple(map(divide, modes, b))
    rest = leaf(b)
    out: list[Any] = []
    for i in modes:
        out.append(divide(i, rest))
        rest = shape_div(rest, i if type(i) is INT else product(i))
    return tuple(out)


@limit_nesting
def evenly_divides(a: IntTuple, b: IntTuple) -> bool:
    """Whether ``b`` divides ``a`` leaf by leaf; ``b`` is weakly congruent to ``a``.

    >>> evenly_divides((8, 6), (2, 3)), evenly_divides((8, 6), (3, 3)), evenly_divides((4, 6), 8)
    (True, False, True)
    """
    return decide_all(_asked(division, b, a))


# --- editing the top level --------------------------------------------------------------------


@constexpr
def wrap(x: IntTuple) -> tuple[Any, ...]:
    """Return ``x`` as a tuple: an int becomes a 1-tuple.

    >>> wrap(7), wrap((7, 2))
    ((7,), (7, 2))
    """
    checked = as_int_tuple(x)
    return checked if is_tuple(checked) else (checked,)


@constexpr
def unwrap(x: IntTuple) -> Any:
    """Return ``x`` without the 1-tuples around it.

    >>> unwrap(((5,),)), unwrap((5, 6))
    (5, (5, 6))
    """
    checked = as_int_tuple(x)
    while is_tuple(checked) and len(checked) == 1:
        checked = checked[0]
    return checked


@constexpr
def select(x: IntTuple, *modes: SupportsIndex) -> tuple[Any, ...]:
    """Return the modes named, in the order named.

    >>> select((4, (2, 3), 8), 2, 0)
    (8, 4)
    """
    return tuple(get(x, i) for i in modes)


@constexpr
def take(x: IntTuple, begin: SupportsIndex, end: SupportsIndex) -> tuple[Any, ...]:
    """Return the modes ``begin`` up to but not including ``end``.

    >>> take((4, (2, 3), 8), 1, 3)
    ((2, 3), 8)
    """
    modes = wrap(x)
    return modes[_between(modes, begin, end)]


@constexpr
def reverse(x: IntTuple) -> Any:
    """Return the modes in reverse; an int stays.

    >>> reverse((4, (2, 3), 8)), reverse(7)
    ((8, (2, 3), 4), 7)
    """
    checked = as_int_tuple(x)
    return checked[::-1] if is_tuple(checked) else checked


@constexpr
def group(x: IntTuple, begin: SupportsIndex, end: SupportsIndex | None = None) -> tuple[Any, ...]:
    """Return ``x`` with the modes ``begin`` to ``end``, or to the last, as one mode.

    >>> group((4, 2, 3, 8), 1, 3)
    (4, (2, 3), 8)
    """
    modes = wrap(x)
    at = _between(modes, begin, len(modes) if end is None else end)
    return (*modes[: at.start], modes[at], *modes[at.stop :])


@constexpr
def append(x: IntTuple, item: IntTuple, upto: SupportsIndex | None = None) -> tuple[Any, ...]:
    """Return ``x`` with ``item`` after its last mode; with ``upto``, as often as gives that rank.

    >>> append((4, 2), 3), append(4, 1, upto=3)
    ((4, 2, 3), (4, 1, 1))
    """
    modes = wrap(x)
    return (*modes, *repeat(item, _missing(modes, upto)))


@constexpr
def prepend(x: IntTuple, item: IntTuple, upto: SupportsIndex | None = None) -> tuple[Any, ...]:
    """Return ``x`` with ``item`` before its first mode; with ``upto``, as often as gives that rank.

    >>> prepend((4, 2), 3), prepend(4, 1, upto=3)
    ((3, 4, 2), (1, 1, 4))
    """
    modes = wrap(x)
    return (*repeat(item, _missing(modes, upto)), *modes)


@constexpr
def replace(x: IntTuple, mode: SupportsIndex, item: IntTuple) -> tuple[Any, ...]:
    """Return ``x`` with one mode replaced.

    >>> replace((4, 2, 3), 1, (5, 6))
    (4, (5, 6), 3)
    """
    return insert(remove(x, mode), mode, item)


@constexpr
def insert(x: IntTuple, mode: SupportsIndex, item: IntTuple) -> tuple[Any, ...]:
    """Return ``x`` with ``item`` put before mode ``mode``.

    >>> insert((4, 2), 1, 7)
    (4, 7, 2)
    """
    modes = wrap(x)
    at = _between(modes, mode, mode).start
    return (*modes[:at], as_int_tuple(item), *modes[at:])


@constexpr
def remove(x: IntTuple, mode: SupportsIndex) -> tuple[Any, ...]:
    """Return ``x`` without one mode.

    >>> remove((4, 2, 3), 1)
    (4, 3)
    """
    get(x, mode)
    modes = wrap(x)
    at: int = leaf(mode)
    return (*modes[:at], *modes[at + 1 :])


@constexpr
def repeat(x: IntTuple, times: SupportsIndex) -> tuple[Any, ...]:
    """Return the tuple of ``times`` copies of ``x``.

    >>> repeat((4, 2), 2)
    ((4, 2), (4, 2))
    """
    count: int = leaf(times)
    if count < 0:
        raise LayoutError(
            f"cannot repeat a mode {text_of(count)} times", "From 0 times on are supported."
        )
    if count > limit_of("modes"):
        raise limit_error("modes", f"cannot repeat a mode {text_of(count)} times", needed=count)
    return (as_int_tuple(x),) * count


@constexpr
@limit_nesting
def repeat_like(profile: IntTuple, x: IntTuple) -> Any:
    """Return ``profile`` with ``x`` at every leaf.

    >>> repeat_like((4, (2, 3)), 0)
    (0, (0, 0))
    """
    item = as_int_tuple(x)

    def repeated(p: Any) -> Any:
        if is_tuple(p):
            return tuple(map(repeated, p))
        leaf(p)
        return item

    return repeated(profile)


def _missing(modes: Sequence[Any], upto: SupportsIndex | None) -> int:
    return 1 if upto is None else max(0, leaf(upto) - len(modes))


def _between(modes: tuple[Any, ...], begin: SupportsIndex, end: SupportsIndex) -> slice:
    first, last = leaf(begin), leaf(end)
    if not 0 <= first <= last <= len(modes):
        raise CoordinateError(
            f"modes {text_of(first)} to {text_of(last)} are not a range of {text_of(modes)},"
            f" of rank {len(modes)}",
            f"A range begins at 'begin' and stops before 'end': 0 <= begin <= end <= {len(modes)}.",
            begin=first,
            end=last,
        )
    return slice(first, last)
