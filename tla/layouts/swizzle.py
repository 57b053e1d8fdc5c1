# SPDX-License-Identifier: Apache-2.0
"""Swizzles: offsets permuted by an xor of their bits, and layouts seen through such a permutation.

>>> swizzle = Swizzle(2, 0, 3)
>>> [swizzle(i) for i in (0, 7, 8, 9, 31)]
[0, 7, 9, 8, 28]
>>> composed = ComposedLayout(swizzle, 0, Layout((8, 8), (8, 1)))
>>> print(composed, composed(1, 3), composed[_, 3])
Sw<2,0,3> o 0 o (8,8):(8,1) 10 Sw<2,0,3> o 3 o (8):(8)
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic

from ..errors import CoordinateError, LayoutError, UndecidedError
from ..ground import Record, Shown, constexpr, guarded, typed_by
from ..numbers import INT, STATIC, Int, _0, known_int, leaf, static_int
from .int_tuple import as_static, has_basis, leaves, text_of
from .layout import Layout, OfCoordinates, depth, get, is_layout, is_static, slice_and_offset

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from typing_extensions import TypeIs, TypeVar

    from ..numbers import Condition, IntLike, IntTuple
    from .layout import AnyLayout
    from .slicing import Coord

    _Bits = TypeVar("_Bits", bound=Int[int], default=Int[int], covariant=True)
    _Base = TypeVar("_Base", bound=Int[int], default=Int[int], covariant=True)
    _Shift = TypeVar("_Shift", bound=Int[int], default=Int[int], covariant=True)
    _Outer = TypeVar(
        "_Outer", bound="Swizzle | AnyLayout", default="Swizzle | AnyLayout", covariant=True
    )
    _Offset = TypeVar("_Offset", default=Any, covariant=True)
    _Inner = TypeVar("_Inner", bound="AnyLayout | ComposedLayout", default=Any, covariant=True)
else:
    from typing import TypeVar

    _Bits, _Base, _Shift = TypeVar("_Bits"), TypeVar("_Base"), TypeVar("_Shift")
    _Outer, _Offset, _Inner = TypeVar("_Outer"), TypeVar("_Offset"), TypeVar("_Inner")

MAX_BITS: Final = 1024
"""The most bits of an offset that a swizzle may read or write."""


class _OpenSwizzle:
    """A swizzle before its parts are set. It then becomes a `Swizzle`, as a layout does a `Layout`."""

    __slots__ = ("_down", "_mask", "_size", "_text", "base", "bits", "shift")


@constexpr
@typed_by(bits=0, base=0, shift=None)
class Swizzle(Record, Generic[_Bits, _Base, _Shift], _OpenSwizzle):
    """The function that xors ``bits`` bits of an offset with as many that stand ``shift`` above.

    ``swizzle(x) == x ^ (yyy << low)``, where ``yyy`` are the ``bits`` bits of ``x`` from ``high`` on::

        0b....YYY...ZZZ....        high = base + max(0, shift)
                |     |            low  = base + max(0, -shift)
               high  low

    The bits read and the bits written are apart, so ``swizzle(swizzle(x)) == x``, and ``range(size)``
    is mapped onto itself. A negative ``shift`` reads below and writes above.

    >>> f"{0b10_000:05b} -> {Swizzle(2, 0, 3)(0b10_000):05b}"
    '10000 -> 10010'
    >>> print(Swizzle(2, 0, 3), Swizzle(3, 4, -3), Swizzle(2, 0, 3).size)
    Sw<2,0,3> Sw<3,4,-3> _32

    Args:
        bits: How many bits are written; 0 makes the identity. This and the others are static, as in C++.
        base: How many of the lowest bits are neither read nor written.
        shift: How far above, at least ``bits`` in absolute value.

    Raises:
        LayoutError: a number is out of its range.
        LeafError: a number is not an int.
    Source: CuTe ``Swizzle<BBits, MBase, SShift>``, swizzle.hpp.
    """

    if TYPE_CHECKING:  # slots at run time; read-only to checkers

        @property
        def bits(self) -> _Bits: ...
        @property
        def base(self) -> _Base: ...
        @property
        def shift(self) -> _Shift: ...

        _mask: int
        _down: int
        _size: Int[int]
        _text: str
    else:
        __slots__ = ()
    parts_in_order: ClassVar[tuple[str, ...]] = ("bits", "base", "shift")

    @guarded
    def __new__(cls, bits: IntLike, base: IntLike, shift: IntLike) -> Swizzle:
        numbers: Any = bits, base, shift
        if not type(bits) is type(base) is type(shift) is INT:
            numbers = [known_int(leaf(x)) for x in numbers]
        made = _swizzle(*numbers)
        return made if cls is Swizzle else cls._like(made)

    @classmethod
    def from_masks(cls, read: int, written: int) -> Swizzle:
        """Return the swizzle that reads the bits of one mask and writes those of the other.

        >>> Swizzle.from_masks(0b11_1000_0000, 0b111_0000)
        Swizzle(3, 4, 3)

        Raises:
            LayoutError: the bits of a mask are not next to each other, or the masks overlap or have
                different numbers of bits.
        Source: CuTe ``make_swizzle<Y, Z>()``, swizzle.hpp.
        """
        bits = known_int(leaf(read)).bit_count()
        run = (1 << bits) - 1
        high, low = (known_int(leaf(mask)).bit_length() - bits for mask in (read, written))
        if min(high, low, read, written) < 0 or (run << high, run << low) != (read, written):
            raise LayoutError(
                f"the masks {read:#b} and {written:#b} make no swizzle",
                "Each is one run of bits, and both have as many.",
                read=read,
                written=written,
            )
        return cls(bits, min(high, low), high - low)

    @property
    @constexpr
    def size(self: Swizzle) -> Int[int]:
        """The number of offsets in the smallest range that is mapped onto itself, static."""
        return self._size

    @property
    @constexpr
    def cosize(self: Swizzle) -> Int[int]:
        """The `size`: a swizzle is a permutation."""
        return self.size

    @constexpr
    def __call__(self: Swizzle, offset: IntLike) -> int:
        """Return where an offset goes, static where the offset is.

        Raises:
            CoordinateError: the offset is negative.
            UndecidedError: the offset is symbolic.
        """
        x: Any = offset
        if type(x) is INT and x >= 0:
            down = self._down
            if down > 0:
                return x ^ (x & self._mask) >> down  # type: ignore[no-any-return]
            return x ^ (x & self._mask) << -down  # type: ignore[no-any-return]
        if type(x) is STATIC:
            return static_int(self(x.real))  # type: ignore[no-any-return]
        plain = known_int(leaf(x))
        if plain < 0:
            raise CoordinateError(
                f"{self} has no value at {text_of(plain)}",
                "It permutes the offsets from 0 on.",
                offset=plain,
            )
        return self(plain)

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"Swizzle({self.bits:d}, {self.base:d}, {self.shift:d})"


@lru_cache(1024)
def _swizzle(bits: int, base: int, shift: int) -> Swizzle:
    """The swizzle of three plain ints, whose texts are in digits."""
    for name, value in (("bits", bits), ("base", base)):
        if value < 0:
            raise LayoutError(f"a swizzle has no negative {name}, got {text_of(value)}", **{name: value})
    if abs(shift) < bits:
        raise LayoutError(
            f"a swizzle of {text_of(bits)} bits needs a shift of at least {text_of(bits)},"
            f" got {text_of(shift)}",
            "The bits read and the bits written would overlap.",
            bits=bits,
            shift=shift,
        )
    if bits + base + abs(shift) > MAX_BITS:
        raise LayoutError(f"a swizzle reaches above bit {MAX_BITS}", base=base, shift=shift)
    made: Any = _OpenSwizzle()
    made.bits, made.base, made.shift = static_int(bits), static_int(base), static_int(shift)
    # the bits that are read, and how far down they go: what each call needs
    made._mask = ((1 << bits) - 1) << (base + max(0, shift))
    made._down = shift
    made._size = static_int(1 << (bits + base + abs(shift)))
    made._text = f"Sw<{bits},{base},{shift}>"
    made.__class__ = Swizzle
    swizzle: Swizzle = made
    return swizzle


def is_swizzle(x: object) -> TypeIs[Swizzle]:
    """Return whether ``x`` is a swizzle; a checker knows it for one of any numbers.

    >>> is_swizzle(Swizzle(1, 0, 2)), is_swizzle(Layout(8))
    (True, False)
    """
    return isinstance(x, Swizzle)


class _Open:
    """A composed layout before its parts are set, in the same way."""

    __slots__ = ("inner", "offset", "outer")


@constexpr
@typed_by(outer=None, offset=None, inner=None)
class ComposedLayout(Shown, Record, OfCoordinates, Generic[_Outer, _Offset, _Inner], _Open):
    """The function ``composed(c) == outer(offset + inner(c))`` on the coordinates of ``inner``.

    An ``outer`` that is a layout is extended, as in a composition: its last mode grows as needed.

    >>> composed = ComposedLayout(Swizzle(1, 0, 2), 0, Layout((4, 2)))
    >>> [composed(i) for i in range(8)]
    [0, 1, 2, 3, 5, 4, 7, 6]
    >>> print(ComposedLayout(Layout((4, 2), (2, 1)), 3, Layout(2, 4)))
    (4,2):(2,1) o 3 o 2:4

    Args:
        outer: A swizzle or a layout, of offsets.
        offset: What is added before ``outer``.
        inner: A layout, of coordinates.

    Raises:
        LayoutError: ``outer`` is neither a swizzle nor a layout, or ``inner`` is no layout.
        LeafError: ``offset`` is not an int.
    Source: CuTe ``ComposedLayout``, layout_composed.hpp.
    """

    if TYPE_CHECKING:  # slots at run time; read-only to checkers

        @property
        def outer(self) -> _Outer: ...
        @property
        def offset(self) -> _Offset: ...
        @property
        def inner(self) -> _Inner: ...
    else:
        __slots__ = ()
    parts_in_order: ClassVar[tuple[str, ...]] = ("outer", "offset", "inner")

    @guarded
    def __new__(
        cls, outer: Swizzle | AnyLayout, offset: IntLike, inner: AnyLayout | ComposedLayout
    ) -> ComposedLayout:
        if not isinstance(outer, Swizzle) and not is_layout(outer):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise LayoutError(f"the outer part is a swizzle or a layout, not {type(outer).__name__}")
        if not isinstance(inner, OfCoordinates):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise LayoutError(f"the inner part is a layout, not {type(inner).__name__}")
        if type(inner) is Layout and has_basis(inner.stride) and isinstance(outer, Swizzle):
            raise LayoutError(
                f"the swizzle {outer} permutes offsets, and {inner} gives coordinates",
                "composition(layout, coordinates) gives the offsets of a layout there.",
                outer=outer,
                inner=inner,
            )
        made = seen_through(outer, leaf(offset), inner)
        return made if cls is ComposedLayout else cls._like(made)

    @property
    @constexpr
    def shape(self: ComposedLayout) -> Any:
        """The shape of the inner layout, whose coordinates these are."""
        return self.inner.shape

    @property
    @constexpr
    def rank(self: ComposedLayout) -> Int[int]:
        """The number of top-level modes, static."""
        found: Int[int] = self.inner.rank
        return found

    @property
    @constexpr
    def depth(self: ComposedLayout) -> Int[int]:
        """The levels of nesting, static."""
        return depth(self.inner)

    @property
    @constexpr
    def size(self: ComposedLayout) -> Any:
        """The number of coordinates, padding included."""
        return self.inner.size

    @property
    def origin_shape(self: ComposedLayout) -> Any:
        """How many coordinates of each top-level mode hold data."""
        return self.inner.origin_shape

    @property
    def assumptions(self: ComposedLayout) -> tuple[Condition, ...]:
        """What was assumed to make its layouts."""
        return tuple(dict.fromkeys((*getattr(self.outer, "assumptions", ()), *self.inner.assumptions)))

    def with_assumptions(self: ComposedLayout, conditions: Iterable[Condition]) -> ComposedLayout:
        """Return the layout that stands on some conditions, known to be consistent, beside its own."""
        return seen_through(self.outer, self.offset, self.inner.with_assumptions(conditions))

    def bind(self: ComposedLayout, /, **values: Any) -> ComposedLayout:
        """Return the layout with ints, or other symbolic ints, for some of its unknowns.

        >>> print(parse("Sw<1,0,2> o 4*i o (M,8):(8,1)").bind(M=4, i=2))
        Sw<1,0,2> o 8 o (4,8):(8,1)

        Raises:
            BindingError: a value breaks a range, a divisor, or one of the `assumptions`.
        """
        from ..numbers import substitute

        outer: Any = self.outer
        outer = outer.bind(**values) if is_layout(outer) else outer
        return ComposedLayout(outer, substitute(self.offset, values, True), self.inner.bind(**values))

    def is_valid(self: ComposedLayout, *coord: IntTuple) -> bool:
        """Whether a coordinate holds data: inside the shape, and inside the origin of every mode.

        Raises:
            CoordinateError: the coordinate does not have the profile of the shape.
        """
        valid: bool = self.inner.is_valid(*coord)
        return valid

    def trimmed(self: ComposedLayout) -> ComposedLayout:
        """Return the layout with each padded mode cut to the leaves that its data reach."""
        return seen_through(self.outer, self.offset, self.inner.trimmed())

    @property
    @constexpr
    def is_static(self: ComposedLayout) -> bool:
        """Whether every int of it is static."""
        whole: Any = self
        return is_static(whole)

    @property
    def cosize(self: ComposedLayout) -> int:
        """The length of the span of offsets from the least to the greatest; 0 of an empty layout.

        >>> parse("Sw<1,0,2> o 0 o 6:1").cosize, parse("Sw<2,1,3> o 24 o 8:1").cosize
        (6, 8)

        CuTe gives that of the inner layout.

        Raises:
            UndecidedError: an int is symbolic, or there are too many offsets to try.
        """
        least, greatest = ends_of(self)
        span: int = static_as(self, greatest - least + 1)
        return span

    @constexpr
    def with_inner(
        self: ComposedLayout,
        inner: AnyLayout | ComposedLayout | tuple[AnyLayout | ComposedLayout, IntLike],
    ) -> Any:
        """Return the same function outside of another layout; of a pair with an offset, moved by it.

        >>> composed = ComposedLayout(Swizzle(1, 0, 2), 1, Layout((4, 2)))
        >>> print(composed.with_inner(Layout(8)))
        Sw<1,0,2> o 1 o 8:_1
        """
        if type(inner) is Layout:
            return seen_through(self.outer, self.offset, inner)
        if isinstance(inner, tuple) and len(inner) == 2:
            layout, moved = inner
            return ComposedLayout(self.outer, self.offset + leaf(moved), layout), _0
        return ComposedLayout(self.outer, self.offset, inner)  # pyright: ignore[reportArgumentType]

    @constexpr
    def __call__(self: ComposedLayout, *coord: IntTuple) -> Any:
        """Return the offset of a coordinate: ``composed(c)``, or ``composed(i, j)`` for ``(i, j)``.

        Raises:
            CoordinateError: the coordinate does not fit, or what reaches ``outer`` is negative.
        """
        outer, at = self.outer, self.offset + self.inner(*coord)
        return outer(at) if type(outer) is Swizzle else self._outside(at)

    @constexpr
    def extended(self: ComposedLayout, *coord: IntTuple) -> Any:
        """Return the offset with the last leaf of each mode of the inner layout grown as needed.

        >>> composition(Swizzle(1, 0, 2), Layout((4, 2))).extended(12)
        13

        Raises:
            CoordinateError: the coordinate is negative or of another profile.
        """
        return self._outside(self.offset + self.inner.extended(*coord))

    @constexpr
    @guarded
    def through(self: ComposedLayout, offset: IntLike) -> Any:
        """Return ``outer(self.offset + offset)``: where an offset of the inner layout goes."""
        return self._outside(self.offset + offset)

    def _outside(self: ComposedLayout, at: Any) -> Any:
        outer = self.outer
        return outer.extended(at) if is_layout(outer) else outer(at)

    @constexpr
    def __getitem__(self: ComposedLayout, coord: Coord) -> ComposedLayout:
        """Return the composed layout of the modes at which ``coord`` has `_`; the offset moves.

        ``composed[_, 3](i) == composed(i, 3)``.

        Raises:
            CoordinateError: ``coord`` has no `_`, lies outside the shape, or has another profile.
        """
        inner, moved = slice_and_offset(coord, self.inner)
        return seen_through(self.outer, self.offset + moved, inner)

    def __iter__(self: ComposedLayout) -> Iterator[ComposedLayout]:
        """Yield the top-level modes, each at coordinate 0 of the others."""
        for i in range(self.rank):
            yield ComposedLayout(self.outer, self.offset, get(self.inner, i))

    def __str__(self) -> str:
        return f"{self.outer} o {self.offset} o {self.inner}"

    def __repr__(self) -> str:
        return "ComposedLayout({!r}, {!r}, {!r})".format(*self._key())


def seen_through(outer: Any, offset: Any, inner: Any) -> ComposedLayout:
    """Return the composed layout of parts that have been checked."""
    layout: Any = _Open()
    layout.outer = outer
    layout.offset = offset
    layout.inner = inner
    layout.__class__ = ComposedLayout
    made: ComposedLayout = layout
    return made


def is_composed(x: object) -> TypeIs[ComposedLayout]:
    """Return whether ``x`` is a composed layout; a checker knows it for one of any parts.

    >>> is_composed(composition(Swizzle(1, 0, 2), Layout(8))), is_composed(Layout(8))
    (True, False)
    """
    return isinstance(x, ComposedLayout)


def static_as(given: Any, x: Any) -> Any:
    """Return an int or a layout, with static ints if all of those of what is given are static."""
    if not is_static(given):
        return x
    if is_composed(x):
        return ComposedLayout(static_as(given, x.outer), as_static(x.offset), static_as(given, x.inner))
    if is_layout(x):
        return Layout(as_static(x.shape), as_static(x.stride))
    return x if is_swizzle(x) else as_static(x)


_MOST: Final = 2**18
"""The offsets among which the least and the greatest are looked for."""


def ends_of(layout: AnyLayout | ComposedLayout) -> tuple[int, int]:
    """Return the least and the greatest offset; 0 and -1 if there is no coordinate.

    >>> ends_of(Layout((4, 3), (-1, 5))), ends_of(parse("Sw<1,0,2> o 5 o 4:1"))
    ((-3, 10), (4, 8))

    Raises:
        UndecidedError: an int is symbolic, or there are too many offsets to try.
    """
    if is_composed(layout):
        candidates = _ends(layout.outer, known_int(layout.offset), layout.inner)
        seen = [known_int(layout.through(x)) for x in candidates]
        return (min(seen), max(seen)) if seen else (0, -1)
    modes = _known_modes(layout)
    return _reach(modes) if all(n for n, _d in modes) else (0, -1)


def _known_modes(layout: AnyLayout) -> list[tuple[int, int]]:
    return [
        (known_int(n), known_int(d))
        for n, d in zip(leaves(layout.shape), leaves(layout.stride), strict=True)
    ]


def _reach(modes: list[tuple[int, int]]) -> tuple[int, int]:
    """How far some modes, none of them empty, lead down and up."""
    reaches = [(n - 1) * d for n, d in modes]
    return sum(x for x in reaches if x < 0), sum(x for x in reaches if x > 0)


def _ends(outer: Any, offset: int, inner: Any) -> set[int]:
    """The offsets of a layout that may become the least or the greatest behind a function.

    A swizzle moves an offset within its aligned block of ``outer.size``. So those of the first and of
    the last block are enough. Elsewhere all are needed.
    """
    if not is_layout(inner):
        return {known_int(inner.through(x)) for x in _ends(None, 0, inner.inner)}
    modes = _known_modes(inner)
    if any(n == 0 for n, _d in modes):
        return set()
    low, high = _reach(modes)
    if not isinstance(outer, Swizzle):
        return _offsets_between(modes, low, high)
    block = int(outer.size)
    first, last = ((offset + x) // block * block - offset for x in (low, high))
    return _offsets_between(modes, low, first + block - 1) | _offsets_between(modes, last, high)


def _offsets_between(modes: list[tuple[int, int]], low: int, high: int) -> set[int]:
    """The offsets of some modes from ``low`` to ``high``, the long strides first."""
    found, rest = {0}, sorted(modes, key=lambda mode: abs(mode[1]))
    while rest:
        n, d = rest.pop()
        down, up = _reach(rest)
        found = {
            y
            for x in found
            for i in range(n if d else 1)
            if low <= (y := x + i * d) + up and y + down <= high
        }
        if len(found) > _MOST:
            raise UndecidedError(
                f"there are more than {_MOST} offsets to try for the least and the greatest",
                "The cosize of the inner layout is known: layout.inner.cosize.",
            )
    return found
