"""A layout as the list of its modes, whatever its ints are.

The algebra is written once, with Python's operators, on lists of ``(extent, stride)``. Plain ints go
straight in. `lifted` brings the others: static ints are made plain and the result static again;
dynamic and static together, and symbolic ones, are wrapped as `Guarded`, whose comparisons decide or
raise `UndecidedError`. So no algorithm branches on an unknown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from ..assumed import keeps_assumptions
from ..errors import TlaError, UndecidedError
from ..int_tuple import text_of
from ..ints import (
    Int,
    compared,
    decided,
    equal,
    is_open,
    is_static,
    is_tuple,
    known_divides,
    known_eq,
    known_lt,
    static_int,
)
from ..layout import AnyLayout, Layout, as_layout, is_layout, trusted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ..ints import IntTuple

__all__ = [
    "INT",
    "STATIC",
    "TUPLE",
    "WORK",
    "Guarded",
    "Known",
    "Mode",
    "Modes",
    "as_plain",
    "as_static",
    "both_static",
    "can_grow",
    "flat",
    "flat_modes",
    "in_profile",
    "is_one",
    "leaf_names",
    "lifted",
    "modes_of",
    "nearest",
    "of_modes",
    "read_modes",
    "row",
    "unguarded",
]

Mode: TypeAlias = "tuple[Any, Any]"
Modes: TypeAlias = "list[Mode]"
"""The leaves of a layout from left to right, each with its stride."""

# The types to compare with on a hot path, as values that tell a checker nothing.
TUPLE: Any = tuple
INT: Any = int
STATIC: Any = Int

WORK = 100_000
"""The steps that an exact search may take before it gives up with `UndecidedError`."""


def read_modes(layout: AnyLayout) -> tuple[Modes, bool] | None:
    """Return the leaves with their strides, and whether all are static; None if one is symbolic.

    Static ints are made plain, for speed: what is computed from them is made `as_static` again. Among
    dynamic ones they stay as they are, and what is made of static ints alone comes out static.
    """
    if type(layout) is not Layout or layout.assumptions:
        as_layout(layout)
        return None  # it carries assumptions, as will the result
    shape, stride = layout.shape, layout.stride
    if type(shape) is INT and type(stride) is INT:
        return [(shape, stride)], False
    out: Modes = []
    if type(shape) is TUPLE:
        for mode in zip(shape, stride):  # noqa: B905 (congruent; this path is hot)
            s, d = mode
            if type(s) is INT and (type(d) is INT or type(d) is STATIC):
                out.append(mode)
            elif type(s) is not TUPLE or not _dynamic(s, d, out):
                break
        else:
            return out, not out
    out = []
    if _static(shape, stride, out):
        return out, True
    out = []
    return (out, False) if _ready(shape, stride, out) else None


def _dynamic(shape: tuple[Any, ...], stride: tuple[Any, ...], out: Modes) -> bool:
    """Collect the modes as long as all extents are dynamic ints, and all strides are ints."""
    for mode in zip(shape, stride):  # noqa: B905 (congruent; this path is hot)
        s, d = mode
        if type(s) is INT and (type(d) is INT or type(d) is STATIC):
            out.append(mode)
        elif type(s) is not TUPLE or not _dynamic(s, d, out):
            return False
    return True


def _static(shape: Any, stride: Any, out: Modes) -> bool:
    """Collect the modes, as plain ints, as long as all are static."""
    if type(shape) is STATIC and type(stride) is STATIC:
        out.append((int(shape), int(stride)))
        return True
    if type(shape) is not TUPLE:
        return False
    for s, d in zip(shape, stride):  # noqa: B905 (congruent; this path is hot)
        if type(s) is STATIC and type(d) is STATIC:
            out.append((int(s), int(d)))
        elif not _static(s, d, out):
            return False
    return True


def _ready(shape: Any, stride: Any, out: Modes) -> bool:
    """Collect the modes as long as the algorithms take their ints as they are."""
    if is_tuple(shape):
        return all(_ready(s, d, out) for s, d in zip(shape, stride, strict=True))
    out.append((shape, stride))
    return not is_open(shape) and not is_open(stride)


def both_static(a: tuple[list[Any], bool] | None, b: tuple[list[Any], bool] | None) -> bool | None:
    """Whether both layouts read are static; None where they differ, or one is symbolic.

    A layout without ints is of either kind.
    """
    if a is None or b is None:
        return None
    if a[1] is b[1] or not b[0]:
        return a[1]
    return None if a[0] else b[1]


def flat_modes(layout: AnyLayout) -> Modes | None:
    """Return the leaves with their strides; None where static or symbolic, to be `lifted`."""
    read = read_modes(layout)
    return None if read is None or read[1] else read[0]


def as_plain(x: Any) -> Any:
    """Return an int, or a tuple of them, dynamic; None stays."""
    return tuple([as_plain(i) for i in x]) if type(x) is TUPLE else x if x is None else int(x)


def as_static(x: Any) -> Any:
    """Return an int, or a tuple of them, static."""
    if type(x) is TUPLE:
        return tuple([as_static(i) for i in x])
    return static_int(x)


def of_modes(modes: Modes, are_static: bool = False) -> AnyLayout:
    """Return the layout of a list of modes: an int shape for one, ``1:0`` for none."""
    if are_static:
        modes = [(static_int(s), static_int(d)) for s, d in modes or [(1, 0)]]
    if len(modes) == 1:
        return trusted(*modes[0])
    if not modes:
        return trusted(1, 0)
    shape, stride = zip(*modes)  # noqa: B905 (pairs)
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


def in_profile(parts: Iterable[Any], profile: Any) -> Any:
    """Return the parts in the profile of an int tuple whose ints they stand for."""
    rest = iter(parts)

    def build(p: Any) -> Any:
        return tuple([build(i) for i in p]) if is_tuple(p) else next(rest)

    return build(profile)


def flat(x: Any) -> Iterator[Any]:
    """Yield the ints of an int tuple as they are, guarded ones too, which `leaves` would convert."""
    if is_tuple(x):
        for i in x:
            yield from flat(i)
    else:
        yield x


def leaf_names(x: IntTuple) -> list[str]:
    """Return how errors name each int: by the modes that lead to it, ``1.0`` for ``get(x, 1, 0)``.

    >>> leaf_names((4, (2, 3))), leaf_names(5)
    (['0', '1.0', '1.1'], ['0'])
    """

    def named(x: Any, prefix: str) -> Iterator[str]:
        for i, item in enumerate(x):
            name = f"{prefix}{i}"
            if is_tuple(item):
                yield from named(item, f"{name}.")
            else:
                yield name

    return list(named(x if is_tuple(x) else (x,), ""))


def nearest(size: int, works: Callable[[int], bool]) -> list[int]:
    """Return the nearest sizes that work, one below and one above, of the 64 on either side but 1."""
    near = (range(size - 1, max(1, size - 65), -1), range(size + 1, size + 65))
    found = [next(filter(works, sizes), None) for sizes in near]
    return [n for n in found if n is not None]


def can_grow(shape: Any) -> bool:
    """Return whether a shape has a last leaf, one that may grow."""
    while type(shape) is TUPLE:
        if not shape:
            return False
        shape = shape[-1]
    return True


# --- other ints -------------------------------------------------------------------------------


class Guarded:
    """A leaf in an algorithm: every comparison decides, or raises `UndecidedError`."""

    __slots__ = ("leaf",)
    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    leaf: Any

    def __init__(self, leaf: Any) -> None:
        self.leaf = leaf

    def __str__(self) -> str:
        return str(self.leaf)

    __repr__ = __str__

    # --- questions ---

    def __eq__(self, other: object) -> bool:
        x = _bare(other)
        answer = known_eq(self.leaf, x)
        if answer is not None:
            return answer
        # a least value is the odd one: an extent of 1, a stride of 0
        is_least = isinstance(x, int) and known_lt(self.leaf, x) is False
        return _undecided(self.leaf, ">" if is_least else "==", x)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __lt__(self, other: Any) -> bool:
        x = _bare(other)
        answer = known_lt(self.leaf, x)
        return _undecided(self.leaf, "<", x) if answer is None else answer

    def __gt__(self, other: Any) -> bool:
        x = _bare(other)
        answer = known_lt(x, self.leaf)
        return _undecided(x, "<", self.leaf) if answer is None else answer

    def __le__(self, other: Any) -> bool:
        return not self > other

    def __ge__(self, other: Any) -> bool:
        return not self < other

    def __bool__(self) -> bool:
        return self != 0

    def __index__(self) -> int:
        if isinstance(self.leaf, int):
            return int(self.leaf)
        raise UndecidedError(f"the value of {self.leaf} is not known", leaf=self.leaf)

    # --- arithmetic ---

    def __add__(self, other: Any) -> Any:
        return type(self)(self.leaf + _bare(other))

    def __radd__(self, other: Any) -> Any:
        return type(self)(_bare(other) + self.leaf)

    def __sub__(self, other: Any) -> Any:
        return type(self)(self.leaf - _bare(other))

    def __rsub__(self, other: Any) -> Any:
        return type(self)(_bare(other) - self.leaf)

    def __mul__(self, other: Any) -> Any:
        return type(self)(self.leaf * _bare(other))

    def __rmul__(self, other: Any) -> Any:
        return type(self)(_bare(other) * self.leaf)

    def __floordiv__(self, other: Any) -> Any:
        return type(self)(self.leaf // _bare(other))

    def __rfloordiv__(self, other: Any) -> Any:
        return type(self)(_bare(other) // self.leaf)

    def __mod__(self, other: Any) -> Any:
        return _remainder(self.leaf, _bare(other))

    def __rmod__(self, other: Any) -> Any:
        return _remainder(_bare(other), self.leaf)

    def __divmod__(self, other: Any) -> tuple[Any, Any]:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> tuple[Any, Any]:
        return other // self, other % self

    def __neg__(self) -> Any:
        return type(self)(-self.leaf)

    def __abs__(self) -> Any:
        return -self if self < 0 else self


class Known(Guarded):
    """A leaf of which only what is known counts as equal: for steps that may be left out."""

    __slots__ = ()
    __hash__: ClassVar[None] = None

    def __eq__(self, other: object) -> bool:
        return known_eq(self.leaf, _bare(other)) is True


def _bare(x: Any) -> Any:
    """The leaf; a bare int among guarded leaves is a constant of the algorithm, and so static."""
    return x.leaf if isinstance(x, Guarded) else static_int(x) if type(x) is int else x


def _undecided(left: Any, sign: str, right: Any) -> bool:
    """Raise `UndecidedError` of a comparison of two leaves."""
    return decided(None, compared(left, sign, right))


def unguarded(x: Any) -> Any:
    """Return the leaf that an algorithm worked with, or ``x`` itself."""
    return x.leaf if isinstance(x, Guarded) else x


def is_one(size: Any) -> bool:
    """Whether a size is known to be 1; where that is open the mode stays, which no law minds."""
    return size == 1 if type(size) is INT else known_eq(unguarded(size), 1) is True


class _Remainder(Guarded):
    """A remainder, which had best be 0."""

    __slots__ = ()
    __hash__: ClassVar[None] = None

    def __eq__(self, other: object) -> bool:
        return equal(self.leaf, _bare(other))


def _remainder(a: Any, b: Any) -> Any:
    return 0 if known_divides(b, a) else _Remainder(a % b)


@keeps_assumptions
def lifted(operation: Callable[..., Any], *arguments: Any, guard: type[Guarded] = Guarded) -> Any:
    """Return the result of an operation on layouts whose ints are not all plain."""
    if all(is_static((x.shape, x.stride) if is_layout(x) else x) for x in arguments):
        try:
            result = operation(*(_mapped(int, x) for x in arguments))
        except TlaError:
            pass  # below it is raised again, with the ints as they were written
        else:
            return _mapped(Int, result)
    try:
        return _mapped(_bare, operation(*(_mapped(guard, x) for x in arguments)))
    except UndecidedError as error:
        raise _of_operation(error, operation, arguments) from None
    except TlaError as error:
        vars(error).update({name: _mapped(unguarded, x) for name, x in vars(error).items()})
        raise


_NAMES = {
    "_broadcast": "the nullspace",
    "_distributed": "domain_distribute",
    "_downcast": "downcast",
    "_searched": "composition",
    "_upcast": "upcast",
    "_widest": "the widest vector",
    "composed": "composition",
    "free": "the complement",
    "left_inverted": "the left inverse",
    "right_inverted": "the right inverse",
}


def _of_operation(error: UndecidedError, operation: Any, arguments: tuple[Any, ...]) -> UndecidedError:
    """The error of a comparison as that of the operation that needs it."""
    obligation = error.data.get("obligation")
    if obligation is None or not error.summary.startswith("cannot decide"):
        return error
    name = getattr(operation, "func", operation).__name__
    of = " and ".join(str(x) if is_layout(x) else text_of(x) for x in arguments)
    return UndecidedError(
        f"{_NAMES.get(name, name)} of {of} depends on whether {obligation}",
        *error.details,
        **error.data,
    )


def _mapped(f: Callable[[Any], Any], x: Any) -> Any:
    """A layout, or a tuple of layouts and ints, with every int replaced."""
    if isinstance(x, bool):
        return x
    if is_layout(x):
        return trusted(_mapped(f, x.shape), _mapped(f, x.stride))
    if is_tuple(x):
        return tuple([_mapped(f, i) for i in x])
    return f(x)
