# SPDX-License-Identifier: Apache-2.0
"""A layout as the list of its modes, whatever its ints are.

The algebra is written on lists of ``(extent, stride)``. A walk asks `tla.numbers.questions` of any ints;
the fast ones beside it compare with Python's operators, on ints that answer all questions: dynamic ones,
and static ones, which are made plain, and the result static again. Where static and dynamic ints meet,
a constant of an algorithm is static, so that what comes of static ints alone is static.
"""

from __future__ import annotations

from itertools import chain, islice
from math import prod
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, ParamSpec, TypeAlias, TypeVar

from ..ground import constexpr
from ..layouts import (
    AnyLayout,
    Layout,
    OfCoordinates,
    as_layout,
    as_static,
    is_composed,
    is_layout,
    is_swizzle,
    offset_lists,
    static_as,
    text_of,
    trusted,
)
from ..numbers import (
    INT,
    STATIC,
    TUPLE,
    _1,
    asking,
    is_open,
    is_tuple,
    keeps_assumptions,
    known_eq,
    known_int,
    known_lt,
    less,
    static_int,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ..numbers import IntTuple, Questions

_M = TypeVar("_M", bound="tuple[Any, ...]")
_P = ParamSpec("_P")
_R = TypeVar("_R")

Mode: TypeAlias = "tuple[Any, Any]"
Modes: TypeAlias = "list[Mode]"
"""The leaves of a layout from left to right, each with its stride."""

stride_of: Final[Callable[[Any], Any]] = itemgetter(1)
"""The stride of a mode: its second part."""


def read_modes(layout: AnyLayout) -> tuple[Modes, bool] | None:
    """Return the leaves with their strides, and whether all are static; None if one is symbolic.

    Static ints are made plain, for speed: what is computed from them is made `as_static` again. Among
    dynamic ones they stay as they are, and what is made of static ints alone comes out static.
    """
    if type(layout) is not Layout or (layout.beside is not None and layout.assumptions):
        if not isinstance(layout, OfCoordinates):  # pyright: ignore[reportUnnecessaryIsInstance]
            as_layout(layout)
        return None  # it carries assumptions, as will the result; or it is seen through a function
    out: Modes = []
    if collect(layout.shape, layout.stride, out):
        return out, not out
    plain: Modes = []
    for s, d in out:
        if type(s) is not STATIC or type(d) is not STATIC:
            return None if any(map(is_open, chain.from_iterable(out))) else (out, False)
        plain.append((s.real, d.real))  # plain ints
    return plain, True


def raw_modes(layout: AnyLayout) -> Modes:
    """Return the leaves of a layout with their strides, as they are."""
    out: Modes = []
    collect(as_layout(layout).shape, layout.stride, out)
    return out


def collect(shape: Any, stride: Any, out: Modes) -> bool:
    """Collect the modes; return whether all extents are dynamic ints, and all strides ints."""
    if type(shape) is not TUPLE:
        out.append((shape, stride))
        return type(shape) is INT and (type(stride) is INT or type(stride) is STATIC)
    are_dynamic = True
    i = 0
    for s in shape:
        d = stride[i]  # counted, which takes half the time of zip
        i += 1
        if type(s) is TUPLE:
            are_dynamic = collect(s, d, out) and are_dynamic
            continue
        out.append((s, d))
        if type(s) is not INT or (type(d) is not INT and type(d) is not STATIC):
            are_dynamic = False
    return are_dynamic


def read_both(a: AnyLayout, b: AnyLayout) -> tuple[Modes, Modes, bool] | None:
    """Return the modes of two layouts, and whether all are static; None where the two differ in that.

    A layout without ints is of either kind. None also where one is symbolic.
    """
    left, right = read_modes(a), read_modes(b)
    if left is None or right is None or (left[1] is not right[1] and left[0] and right[0]):
        return None
    return left[0], right[0], left[1] and right[1]


def of_modes(modes: Modes, are_static: bool = False) -> AnyLayout:
    """Return the layout of a list of modes: an int shape for one, ``1:0`` for none."""
    modes = modes or [(1, 0)]
    if are_static:
        modes = [(static_int(s), static_int(d)) for s, d in modes]
    shape, stride = modes[0] if len(modes) == 1 else zip(*modes)  # noqa: B905 (pairs)
    return trusted(shape, stride)


def row(layouts: Iterable[AnyLayout]) -> AnyLayout:
    """Return the layout whose top-level modes are the layouts given."""
    parts = list(layouts)
    return trusted(tuple([x.shape for x in parts]), tuple([x.stride for x in parts]))


def modes_of(layout: AnyLayout) -> tuple[AnyLayout, ...]:
    """Return the top-level modes, each a layout; an int shape is its only mode."""
    if not is_tuple(layout.shape):
        return (layout,)
    return tuple([trusted(s, d) for s, d in zip(layout.shape, layout.stride, strict=True)])


def in_shape(parts: Sequence[Any], shape: Any, are_static: bool = False) -> tuple[Any, Any]:
    """Return shape and stride in the profile of ``shape``, of parts that stand for its ints."""
    if are_static:
        parts = [as_static(p) for p in parts]
    if type(shape) is not TUPLE:
        return parts[0]  # type: ignore[no-any-return]
    if not parts:
        return shape, shape
    shapes, strides = zip(*parts)  # noqa: B905 (pairs)
    if tuple in map(type, shape):
        return in_profile(shapes, shape), in_profile(strides, shape)
    return shapes, strides


def one_mode(modes: Modes) -> Mode:
    """Return the shape and stride of the one mode that some modes make."""
    if len(modes) == 1:
        return modes[0]
    shape, stride = zip(*modes)  # noqa: B905 (pairs)
    return shape, stride


def in_profile(parts: Iterable[Any], profile: Any) -> Any:
    """Return the parts in the profile of an int tuple whose ints they stand for."""
    rest = iter(parts)

    def build(p: Any) -> Any:
        return tuple([build(i) for i in p]) if is_tuple(p) else next(rest)

    return build(profile)


def leaf_names(x: IntTuple) -> list[str]:
    """Return how errors name each int: by the modes that lead to it, ``1.0`` for ``get(x, 1, 0)``.

    >>> leaf_names((4, (2, 3))), leaf_names(5)
    (['0', '1.0', '1.1'], ['0'])
    """

    def names(x: Any, prefix: str) -> Iterator[str]:
        for i, item in enumerate(x):
            yield from names(item, f"{prefix}{i}.") if is_tuple(item) else [f"{prefix}{i}"]

    return list(names(x if is_tuple(x) else (x,), ""))


def nearest(size: int, works: Callable[[int], bool]) -> list[int]:
    """Return the nearest sizes that work, one below and one above, of the 64 on either side but 1."""
    near = (range(size - 1, max(1, size - 65), -1), range(size + 1, size + 65))
    return [n for sizes in near for n in islice(filter(works, sizes), 1)]


def grown_to(layout: AnyLayout, end: int) -> AnyLayout:
    """Return a layout, whose ints are known, with its last mode as long as ``end`` indices take.

    >>> print(grown_to(Layout((4, 2), (1, 8)), 20))
    (4,5):(1,8)
    """
    *first, (size, step) = raw_modes(layout) or [(1, 0)]
    below = prod([s for s, _d in first])
    if not below:
        return layout
    longer: AnyLayout = static_as(layout, of_modes([*first, (max(size, -(-end // below)), step)]))
    return longer


def end_of(layout: Any) -> int:
    """Return a number above all that a layout gives, behind functions too; its ints are known.

    >>> end_of(Layout((4, 2), (1, 8))), end_of(ComposedLayout(Swizzle(1, 0, 2), 1, Layout(8)))
    (12, 16)
    """
    if not is_composed(layout):
        return known_int(layout.cosize)  # it gives 0 at least
    outer, end = layout.outer, known_int(layout.offset) + end_of(layout.inner)
    if is_swizzle(outer):  # it maps each block onto itself
        return -(-end // outer.size.real) * outer.size.real
    return known_int(grown_to(outer, end).cosize)


def listed(layout: Any) -> Iterator[int]:
    """Return the offsets of a layout, behind functions too, one by one in the order of the indices."""
    if is_composed(layout):
        return (known_int(layout.through(x)) for x in listed(layout.inner))
    return iter(offset_lists(trusted((layout.shape,), (layout.stride,))))


def can_grow(shape: Any) -> bool:
    """Return whether a shape has a last leaf, one that may grow."""
    while type(shape) is TUPLE:
        if not shape:
            return False
        shape = shape[-1]
    return True


# --- unknown ints -----------------------------------------------------------------------------


def is_symbolic(*values: Any) -> bool:
    """Return whether an int among tuples and ints is unknown."""
    return any(is_symbolic(*x) if isinstance(x, tuple) else is_open(x) for x in values)


def first_of(layout: AnyLayout) -> tuple[Modes, Any]:
    """Return the `raw_modes`, and the 1 to start from: dynamic beside ints that are not all static."""
    read = read_modes(layout)
    return raw_modes(layout), _1 if read is None or read[1] else 1


def is_one(size: Any) -> bool:
    """Whether a size is known to be 1. A mode whose size is open stays, which breaks no law."""
    return size == 1 if type(size) is INT else known_eq(size, 1) is True


# --- operations --------------------------------------------------------------------------------


def operation(run: Callable[_P, _R]) -> Callable[_P, _R]:
    """Mark an operation: its layouts carry what is assumed for them, and a checker may run it."""
    return constexpr(keeps_assumptions(run))


@keeps_assumptions
def named(name: str, run: Callable[..., _R], *arguments: Any, inner: bool = False) -> _R:
    """Return the result of an operation on layouts and ints; its open questions bear its name."""

    def what() -> str:
        return f"{name} of {' and '.join(str(x) if is_layout(x) else text_of(x) for x in arguments)}"

    return asking(what, run, *arguments, inner=inner)


def moving_modes(modes: Modes, ask: Questions) -> Modes:
    """Return the modes that move, unless their size is 1; a mode that may be empty is refused."""
    real = [mode for mode in modes if known_eq(mode[0], _1) is not True]
    return [mode for mode in real if not ask.positive(mode[0]) or ask.moves(mode[1])]


def by_stride(modes: list[_M], ask: Questions) -> list[_M]:
    """Return modes sorted by their strides. Where two strides may be equal either mode may be first."""
    out: list[_M] = []
    for mode in modes:
        i = len(out)
        while i and known_lt(mode[1], out[i - 1][1]) is not False:
            if known_lt(out[i - 1][1], mode[1]) is None and known_lt(mode[1], out[i - 1][1]) is None:
                ask.refuse(mode[1], ">=", out[i - 1][1])
            i -= 1
        out.insert(i, mode)
    return out


def magnitude(d: Any) -> Any:
    """Return the absolute value of a stride."""
    return -d if less(d, 0) else d
