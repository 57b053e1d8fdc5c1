# SPDX-License-Identifier: Apache-2.0
"""Layouts: functions from coordinates to offsets, written ``shape:stride``.

A layout maps a coordinate of its shape to the sum over the leaves of coordinate times stride.

>>> zN = Layout(((4, 2), (4, 3)), ((4, 16), (1, 32)))
>>> zN(1, 5), zN(41), zN.size, zN.cosize
(37, 37, 96, 96)
>>> print(zN, get(zN, 1))
((4,2),(4,3)):((4,16),(1,32)) (4,3):(1,32)

A shape may be rounded up to blocks. A third part, the origin shape, then says how many coordinates of
each mode hold data. ``size`` and ``cosize`` are those of the shape, ``valid_size`` counts the data.

>>> padded = Layout(((4, 2), (4, 3)), ((4, 16), (1, 32)), (5, 10))
>>> print(padded, padded.valid_size, padded.is_valid((5, 0)))
((4,2),(4,3)):((4,16),(1,32)):(5,10) 50 False
"""

from __future__ import annotations

from itertools import combinations
from typing import (
    TYPE_CHECKING,
    Any,
    Generic,
    SupportsIndex,
    TypeAlias,
    TypeVar,
    TypeVarTuple,
    overload,
)

from ..errors import CoordinateError, LeafError, NotALayoutError, TlaError
from ..ground import (
    LEVELS,
    WIDE,
    Immutable,
    Shown,
    constexpr,
    described,
    naming_argument,
    refused_digits,
    shown,
    steps_of,
    typed_by,
    unknown_argument,
)
from ..numbers import (
    INT,
    PLAIN_INTS,
    TUPLE,
    Basis,
    Int,
    IntTuple,
    _0,
    _1,
    assumed,
    call_assuming,
    comparison,
    decide,
    evaluated,
    ints,
    is_tuple,
    keeps_assumptions,
    known_eq,
    known_lt,
    leaf,
    less,
    limit_nesting,
    of_domain,
    used_here,
)
from . import int_tuple, slicing
from .coord import (
    checked_origin,
    compact_col_major,
    compact_order,
    default_origin,
    make_basis_like,
    mode_indices,
    offset_at,
    plain_col_major,
    plain_offset,
    says_more,
    trim_parts,
)
from .int_tuple import (
    NotPlainError,
    as_int_tuple,
    as_shape,
    flatten_to_tuple,
    leaves,
    make_tuple,
    of_static,
    plain_text,
    product,
    product_each,
    require_addable,
    require_congruent,
    text_of,
    transform_leaf,
    unflatten,
    weakly_congruent,
    wrap,
)
from .slicing import (
    Coord,
    _,
    as_coord,
    data_of_one,
    diced,
    has_underscore,
    is_underscore,
    kept_origin,
    no_mode_kept,
    no_single_offset,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from typing_extensions import TypeIs

    from ..ground import Steps
    from ..numbers import Condition, Symbol

S = TypeVar("S")
D = TypeVar("D")
S_co = TypeVar("S_co", covariant=True)
D_co = TypeVar("D_co", covariant=True)
_Items = TypeVarTuple("_Items")


class OfCoordinates:
    """What takes the coordinates of a ``shape``: a layout, by itself or seen through a function."""

    __slots__ = ()

    if TYPE_CHECKING:

        @property
        def shape(self) -> Any: ...
        @property
        def origin_shape(self) -> Any: ...
        @property
        def assumptions(self) -> tuple[Condition, ...]: ...
        def with_assumptions(self: Any, conditions: Iterable[Condition]) -> Any: ...

    @property
    def valid_size(self) -> Any:
        """The number of coordinates that hold data."""
        return product(self.origin_shape)

    @property
    def is_static(self) -> bool:
        """Whether every int of the layout is static."""
        return ints.is_static(_ints_of(self))

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """The unknowns of its ints, by name.

        >>> [s.name for s in parse("((_16,M/16),K):((K,16*K),_1)").symbols]
        ['K', 'M']
        """
        found = {s for x in leaves(_ints_of(self)) for s in getattr(x, "symbols", ())}
        return tuple(sorted(found, key=lambda s: (s.name, s.order)))

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """All that must hold of its unknowns: the facts of each, and the `assumptions`.

        >>> parse("((_16,M/16),K):((K,16*K),_1)").conditions
        (K >= 1, M % 16 == 0, M >= 1)

        As texts they are asserts of Python; `to_cpp` makes those of C++.
        """
        from ..numbers import facts_of

        facts = [fact for symbol in self.symbols for fact in facts_of(symbol)]
        return tuple(dict.fromkeys((*facts, *self.assumptions)))

    def assuming(self, *conditions: Condition | bool) -> Any:
        """Return the layout that stands on some conditions, beside those that it stands on already.

        Raises:
            ContradictionError: they cannot hold together.
        """
        from ..numbers import consistent

        return self.with_assumptions(consistent((*self.assumptions, *conditions)))

    def explain(self, *coord: IntTuple) -> Steps:
        """Return how the offset of a coordinate comes about: its digits, times their strides, added up.

        >>> print(Layout(((4, 2), (4, 3)), ((4, 16), (1, 32))).explain((1, 5)).sentences[-1])
        (1,5) -> ((1,0),(1,1)) -> 1*4 + 0*16 + 1*1 + 1*32 = 37

        Raises:
            CoordinateError: it is no coordinate of the layout.
        """
        found: Steps = steps_of(self, *coord)
        return found


class _Open:
    """A layout before its parts are set. It then becomes a `Layout`, which lets nobody set them."""

    __slots__ = ("beside", "shape", "stride")


@constexpr
@typed_by(shape=0, stride=None)
class Layout(Shown, Immutable, OfCoordinates, Generic[S_co, D_co], _Open):
    """The function ``layout(c) == sum over leaves of c_i * stride_i`` on the coordinates of a shape.

    Immutable and hashable; ``==`` compares shape, stride and origin shape by value, `same_static`
    compares what is static too.

    Args:
        shape: Extents, an int tuple; 0 is legal and makes the layout empty.
        stride: Steps in elements, congruent to ``shape``; any sign. Compact, the first mode
            fastest, where left out.
        origin_shape: For each top-level mode how many of its coordinates hold data, at most its
            size; the sizes themselves where left out.

    Raises:
        LeafError: a leaf is not an int.
        CongruenceError: shape and stride have different profiles.
        LayoutError: an extent is negative, an origin exceeds its mode, the nesting is too deep.
    Source: CuTe ``Layout``; CATLASS ``tla::Layout`` for the origin shape.
    """

    if TYPE_CHECKING:  # slots at run time, the fastest read; read-only to checkers

        @property
        def shape(self) -> S_co: ...
        @property
        def stride(self) -> D_co: ...

        @property
        def beside(self) -> tuple[Any, tuple[Condition, ...]] | None:
            """Its origin shape, if one was given, and its assumptions; None for neither."""
            ...
    else:
        __slots__ = ()

    # __new__ and no __init__: a layout cannot be initialised a second time
    @overload
    def __new__(
        cls, shape: S, stride: None = None, origin_shape: IntTuple | None = None
    ) -> Layout[S, Any]: ...
    @overload
    def __new__(cls, shape: S, stride: D, origin_shape: IntTuple | None = None) -> Layout[S, D]: ...
    def __new__(cls, shape: Any, stride: Any = None, origin_shape: Any = None) -> AnyLayout:
        is_plain = origin_shape is None
        if stride is None:
            stride = plain_col_major(shape, _1, LEVELS)
            if stride is None:
                is_plain, shape = False, as_shape(shape)
                stride = compact_col_major(shape)
        elif not _well_formed(shape, stride, LEVELS):
            is_plain = False
            shape, stride = as_shape(shape), as_int_tuple(stride)
            require_congruent(shape, stride)
            require_addable(stride)
        layout: Any = _Open()
        layout.shape = shape
        layout.stride = stride
        layout.beside = None if origin_shape is None else (checked_origin(shape, origin_shape), ())
        layout.__class__ = Layout
        made: AnyLayout = layout if cls is Layout else cls._like(layout)
        if not is_plain and assumed.get() is not None and made.symbols:
            return made.with_assumptions(used_here())  # its ints may have come from them
        return made

    # --- what it is ---

    @property
    def assumptions(self) -> tuple[Condition, ...]:
        """What was assumed to make it, beside the facts of its unknowns; see `tla.assume`.

        >>> M = sym("M")
        >>> with assume(M % 48 == 0):
        ...     tiled = zipped_divide(Layout((M, 8), (8, 1)), (48, 8), exact=True)
        >>> tiled.assumptions
        (M % 48 == 0,)
        """
        return () if self.beside is None else self.beside[1]

    @property
    def _origin(self) -> Any:
        return None if self.beside is None else self.beside[0]

    @property
    def origin_shape(self: AnyLayout) -> Any:
        """How many coordinates of each top-level mode hold data; by default the sizes of the modes."""
        return default_origin(self.shape) if self._origin is None else self._origin

    @property
    @constexpr
    def rank(self: AnyLayout) -> Int[int]:
        """The number of top-level modes, static."""
        return rank(self)

    @property
    @constexpr
    def depth(self: AnyLayout) -> Int[int]:
        """The levels of nesting, static."""
        return depth(self)

    @property
    @constexpr
    def size(self: AnyLayout) -> Any:
        """The number of coordinates, padding included."""
        return product(self.shape)

    @property
    @constexpr
    @keeps_assumptions
    def cosize(self: AnyLayout) -> Any:
        """The length of the span of offsets from the least to the greatest; 0 of an empty layout.

        >>> Layout((4, 3), (1, 8)).cosize, Layout(4, -2).cosize, Layout((4, 0), (1, 8)).cosize
        (20, 7, 0)
        """
        return cosize(self)

    @property
    def is_padded(self: AnyLayout) -> bool:
        """Whether some coordinate holds no data."""
        return self._origin is not None and bool(self.origin_shape != default_origin(self.shape))

    def with_assumptions(self: AnyLayout, conditions: Iterable[Condition]) -> AnyLayout:
        """Return `assuming` of conditions that are known to be consistent."""
        from ..numbers import conditions_in

        given: list[Any] = [c for c in conditions_in((conditions,)) if c is not True]
        every = tuple(dict.fromkeys((*self.assumptions, *given)))
        if len(every) == len(self.assumptions):
            return self
        return _restored(self.shape, self.stride, self._origin, *every)

    def bind(self: AnyLayout, /, **values: Any) -> AnyLayout:
        """Return the layout with ints, or other symbolic ints, for some of its unknowns.

        >>> print(parse("((_16,M/16),K):((K,16*K),_1)").bind(M=96))
        ((_16,6),K):((K,16*K),_1)

        A name that the layout does not have is ignored: an operation may have cancelled it.

        Raises:
            BindingError: a value breaks a range, a divisor, or one of the `assumptions`.
        """
        from ..numbers import open_conditions, substitute

        def value(x: Any) -> Any:
            return substitute(x, values, True)

        conditions = open_conditions(self.assumptions, self.symbols, values)
        shape, stride = transform_leaf(value, self.shape), transform_leaf(value, self.stride)
        origin = None if self._origin is None else transform_leaf(value, self._origin)
        origin = None if origin == default_origin(shape) else origin
        return _restored(as_shape(shape), stride, origin, *conditions)

    @keeps_assumptions
    def is_valid(self: AnyLayout, *coord: IntTuple) -> bool:
        """Whether a coordinate holds data: inside the shape, and inside the origin of every mode.

        >>> padded = Layout((4, 8), (8, 1), (3, 5))
        >>> padded.is_valid(2, 4), padded.is_valid(3, 0), padded.is_valid(9, 9)
        (True, False, False)

        Raises:
            CoordinateError: the coordinate does not have the profile of the shape.
        """
        at: Any = coord[0] if len(coord) == 1 else coord
        try:
            index = mode_indices(at, self.shape)
        except CoordinateError:
            if weakly_congruent(at, self.shape):
                return False
            raise
        return all(less(i, n) for i, n in zip(index, leaves(self.origin_shape), strict=True))

    # --- the function ---

    @constexpr
    def __call__(self: AnyLayout, *coord: IntTuple) -> Any:
        """Return the offset of a coordinate: ``layout(c)``, or ``layout(i, j)`` for ``(i, j)``.

        Raises:
            CoordinateError: the coordinate is negative, outside the shape, or of another profile.
        """
        at: Any = coord[0] if len(coord) == 1 else coord
        try:
            if self.beside is not None and self.assumptions:
                return call_assuming(self.assumptions, offset_at, at, self.shape, self.stride, False)
            return offset_at(at, self.shape, self.stride, False)
        except LeafError:
            if not has_underscore(at):
                raise
            raise no_single_offset(at, "layout[...] for the layout") from None

    @constexpr
    def extended(self: AnyLayout, *coord: IntTuple) -> Any:
        """Return the offset with the last leaf of each mode grown as far as needed.

        Equals the layout inside the shape; outside, it is what TLA and CuTe compute.

        >>> Layout((4, 2), (1, 4)).extended(11)
        11

        Raises:
            CoordinateError: the coordinate is negative or of another profile.
        """
        at: Any = coord[0] if len(coord) == 1 else coord
        if self.beside is not None and self.assumptions:
            return call_assuming(self.assumptions, offset_at, at, self.shape, self.stride, True)
        return offset_at(at, self.shape, self.stride, True)

    @constexpr
    def __getitem__(self: AnyLayout, coord: Coord) -> AnyLayout:
        """Return the layout of the modes at which ``coord`` has `_`; see `slice_and_offset`.

        >>> zN = Layout(((4, 2), (4, 3)), ((4, 16), (1, 32)))
        >>> print(zN[_, 5], zN[(1, _), _])
        ((4,2)):((4,16)) (2,(4,3)):(16,(1,32))
        """
        return slice_and_offset(coord, self)[0]

    def __iter__(self: AnyLayout) -> Iterator[AnyLayout]:
        """Yield the top-level modes, each a layout."""
        return (get(self, i) for i in range(self.rank))

    @keeps_assumptions
    def trimmed(self: AnyLayout) -> AnyLayout:
        """Return the layout with each padded mode cut to the leaves that its data reach.

        The last leaf that the data reach keeps ``ceil(origin / product of the leaves below)``;
        leaves above it go. The origin shape stays, and so does the offset of every valid element.

        >>> print(Layout(((2, 4), (4, 2)), ((4, 16), (1, 32)), (5, 3)).trimmed())
        ((2,3),3):((4,16),1):(5,3)
        """
        if self._origin is None:
            return self
        return padded(trusted(*trim_parts(self.shape, self.stride, self._origin)), self._origin)

    # --- the value ---

    def __eq__(self, other: object) -> bool:
        if not is_layout(other):
            return NotImplemented
        same = bool(self.shape == other.shape and self.stride == other.stride)
        return same and (self.beside is other.beside or bool(self.origin_shape == other.origin_shape))

    def __hash__(self) -> int:
        return hash((self.shape, self.stride))

    def __str__(self: AnyLayout) -> str:  # ty: ignore[incompatible-method-override]
        if self.beside is not None and self.beside[0] is not None:
            return text_of(self.shape, self.stride, self.beside[0])
        try:
            return f"{plain_text(self.shape)}:{plain_text(self.stride)}"
        except (NotPlainError, ValueError):  # other ints, or one of too many digits
            return text_of(self.shape, self.stride)

    def __repr__(self) -> str:
        origin = "" if self._origin is None else f", {self._origin!r}"
        try:
            return f"Layout({self.shape!r}, {self.stride!r}{origin})"
        except ValueError as error:
            raise refused_digits(error) from None

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.shape, self.stride, self._origin, *self.assumptions)


AnyLayout: TypeAlias = Layout[Any, Any]
"""A layout of which nothing is known to the type checker."""


def _restored(shape: Any, stride: Any, origin: Any, *conditions: Condition) -> AnyLayout:
    """The layout of parts that have been checked, and the conditions that it stands on."""
    return trusted(shape, stride, (origin, conditions) if origin is not None or conditions else None)


def is_layout(x: object) -> TypeIs[AnyLayout]:
    """Whether ``x`` is a layout.

    >>> is_layout(parse("4:1")), is_layout((4, 1))
    (True, False)
    """
    return isinstance(x, Layout)


def trusted(shape: Any, stride: Any, beside: Any = None) -> AnyLayout:
    """Return the layout of parts known to be well formed: what an operation makes of checked layouts."""
    layout: Any = _Open()
    layout.shape = shape
    layout.stride = stride
    layout.beside = beside
    layout.__class__ = Layout
    made: AnyLayout = layout
    return made


_new_layout: Callable[..., AnyLayout] = Layout.__new__
"""``Layout(...)`` without what Python does around it."""


def padded(layout: AnyLayout, origin: Any) -> AnyLayout:
    """Return a layout with the origin shape given, which is known to lie in its shape."""
    if not says_more(layout.shape, origin):
        return layout
    return trusted(layout.shape, layout.stride, (origin, layout.assumptions))


def _kept(coord: Any, shape: Any, stride: Any, kept: list[Any], steps: list[Any]) -> Any:
    """Collect the modes at which a coordinate of plain ints has `_`; return the offset of the others.

    None where the general walk of `slice_and_offset` must look.
    """
    offset: Any = _0
    i = 0
    for c in coord:
        s, d = shape[i], stride[i]
        i += 1
        if c is _:
            kept.append(s)
            steps.append(d)
            continue
        if type(c) is INT and type(s) is INT and 0 <= c < s:
            term: Any = c * d
        elif type(c) is TUPLE:
            is_like = type(s) is TUPLE and len(c) == len(s)
            term = _kept(c, s, d, kept, steps) if is_like else None
        else:
            term = plain_offset(c, s, d)
        if term is None:
            return None
        offset = term if offset is _0 else offset + term
    return offset


# --- checks of the constructor ----------------------------------------------------------------


def _well_formed(shape: Any, stride: Any, room: int) -> bool:
    """Whether the parts are congruent, not too deep, of plain ints, with no negative extent.

    The common case in one pass; other parts are converted, or refused by name.
    """
    if type(shape) is not TUPLE:
        return type(shape) in PLAIN_INTS and type(stride) in PLAIN_INTS and bool(shape >= 0)
    if type(stride) is not TUPLE or len(shape) != len(stride) or room < 2:
        return False
    i = 0
    for s in shape:
        d = stride[i]  # counted, which takes half the time of zip
        i += 1
        if type(s) is INT and type(d) is INT:
            if s < 0:
                return False
        elif type(s) is TUPLE:
            if type(d) is not TUPLE or not len(d) == len(s) < WIDE:
                return False
            j = 0
            for n in s:  # again in place: a call would take as long as two modes
                m = d[j]
                j += 1
                if type(n) is not INT or type(m) is not INT or n < 0:
                    if _well_formed(n, m, room - 2):
                        continue
                    return False
        elif type(s) not in PLAIN_INTS or type(d) not in PLAIN_INTS or s < 0:
            return False
    return True


# --- parts of a layout, or of an int tuple ----------------------------------------------------


@overload
def get(x: IntTuple, *path: SupportsIndex) -> Any: ...
@overload
def get(x: AnyLayout, *path: SupportsIndex) -> AnyLayout: ...
@overload
def get(x: Any, *path: SupportsIndex) -> Any: ...
@constexpr
def get(x: Any, *path: SupportsIndex) -> Any:
    """Return mode ``path[0]`` of ``x``, of that mode ``path[1]``, and so on; a layout for a layout.

    >>> zN = Layout(((4, 2), (4, 3)), ((4, 16), (1, 32)))
    >>> print(get(zN, 0), get(zN, 0, 1), get((4, (2, 3)), 1, 0))
    (4,2):(4,16) 2:16 2

    The layout of a mode has no origin shape; ``layout[_, 0]`` keeps that of the mode.

    Raises:
        CoordinateError: an index is not a mode.
    """
    if not is_layout(x):
        seen: Any = x
        is_outer = isinstance(x, OfCoordinates)
        return seen.with_inner(get(seen.inner, *path)) if is_outer else int_tuple.get(x, *path)
    if not path:
        return x
    s: Any = x.shape
    d: Any = x.stride
    for step in path:
        i: Any = step
        if type(i) is not INT or type(s) is not TUPLE or not 0 <= i < len(s):
            s, d = int_tuple.get(x.shape, *path), int_tuple.get(x.stride, *path)
            break
        s, d = s[i], d[i]
    conditions = x.assumptions if x.beside is not None else ()
    return trusted(s, d, (None, conditions) if conditions else None)


@constexpr
@keeps_assumptions
@of_domain
def flatten(x: Any) -> Any:
    """Return the leaves of an int tuple, or of a layout, as a flat tuple; an int stays an int.

    ``flatten(layout)(i) == layout(i)`` for every index ``i``. The origin shape is dropped.

    >>> flatten(((4, 2), (8, (3,)))), flatten(7)
    ((4, 2, 8, 3), 7)
    >>> print(flatten(Layout(((4, 2), 3), ((3, 12), 1))))
    (4,2,3):(3,12,1)

    Source: CuTe ``flatten``, layout.hpp.
    """
    if is_layout(x):
        return trusted(flatten(x.shape), flatten(x.stride))
    return flatten_to_tuple(x) if is_tuple(x) else leaf(x)


@constexpr
def shape(x: AnyLayout, *path: SupportsIndex) -> Any:
    """Return the shape of ``get(x, *path)``. TLA ``shape<I...>(layout)``.

    >>> shape(Layout(((4, 2), 3), ((3, 12), 1)), 0, 1)
    2
    """
    return int_tuple.get(of_coordinates(x).shape, *path)


@constexpr
def stride(x: AnyLayout, *path: SupportsIndex) -> Any:
    """Return the stride of ``get(x, *path)``. TLA ``stride<I...>(layout)``.

    >>> stride(Layout(((4, 2), 3), ((3, 12), 1)), 0)
    (3, 12)
    """
    return int_tuple.get(as_layout(x).stride, *path)


@constexpr
def rank(x: IntTuple | AnyLayout, *path: SupportsIndex) -> Int[int]:
    """Return the number of modes of ``get(x, *path)``, static; an int has one.

    >>> rank(parse("((4,2),3):((3,12),1)")), rank(((4, 2), 3), 0), rank(7)
    (_2, _2, _1)
    """
    part = int_tuple.get(_shape_of(x), *path)
    return Int(len(part)) if is_tuple(part) else _1


@constexpr
@limit_nesting
def depth(x: IntTuple | AnyLayout, *path: SupportsIndex) -> Int[int]:
    """Return the levels of nesting of ``get(x, *path)``, static; 0 for an int.

    >>> depth(7), depth(parse("((4,2),3):((3,12),1)"))
    (_0, _2)
    """
    return Int(_levels(int_tuple.get(_shape_of(x), *path)))


def _levels(x: Any) -> int:
    return 1 + max(map(_levels, x), default=0) if is_tuple(x) else 0


@constexpr
def size(x: IntTuple | AnyLayout, *path: SupportsIndex) -> Any:
    """Return the number of coordinates of ``get(x, *path)``, padding included.

    >>> size(parse("((4,2),3):((3,12),1)")), size(((4, 2), 3), 0)
    (24, 8)
    """
    if isinstance(x, Layout) and not path:
        return product(x.shape)
    return product(int_tuple.get(_shape_of(x), *path))


@constexpr
def cosize(x: AnyLayout, *path: SupportsIndex) -> Any:
    """Return the length of the span of offsets of ``get(x, *path)``; 0 where it is empty.

    >>> cosize(parse("(2,3):(4,1)")), cosize(parse("(2,3):(0,1)"))
    (7, 3)

    The span runs from the least offset to the greatest, so negative strides count by their length.
    That of coordinates is the size of the least box that holds them.
    Source: CuTe ``cosize``, which takes absolute strides.
    """
    part = get(of_coordinates(x), *path)
    if _is_outer(part):
        return part.cosize
    s, d = part.shape, part.stride
    span = _plain_span(s, d)
    if span is None:
        span = of_static(_plain_span, s, d)
    if span is not None:
        return span
    if not less(_0, product(s)):
        return _0 if ints.is_static((s, d)) else 0
    reach = _0
    for extent, step in zip(leaves(s), leaves(d), strict=True):
        reach = (extent - _1) * abs(step) + reach
    return (
        product(tuple([_1 + n for n in reach.terms.values()]))
        if isinstance(reach, Basis)
        else _1 + reach
    )


def _plain_span(shape: Any, stride: Any) -> int | None:
    """`cosize` of dynamic extents and plain strides; None of others."""
    reach = _reach(shape, stride)
    return None if reach is None else reach + 1


def _reach(shape: Any, stride: Any) -> int | None:
    """From the least offset to the greatest, of dynamic extents and plain strides; None of others."""
    if type(shape) is not TUPLE:
        is_plain = type(shape) is INT and type(stride) in PLAIN_INTS and shape > 0
        return (shape - 1) * abs(stride) if is_plain else None
    reach: int | None = None
    i = 0
    for s in shape:
        d = stride[i]
        i += 1  # noqa: SIM113
        if type(s) is INT and type(d) is INT and s > 0:
            part: Any = (s - 1) * (d if d >= 0 else -d)
        else:
            part = _reach(s, d)
            if part is None:
                return None
        reach = part if reach is None else reach + part
    return reach


def is_static(x: IntTuple | AnyLayout) -> bool:
    """Whether every int of a layout or int tuple is static.

    >>> is_static((_4, _2)), is_static((_4, 2))
    (True, False)
    """
    return ints.is_static(_ints_of(x))


def same_static(a: IntTuple | AnyLayout, b: IntTuple | AnyLayout) -> bool:
    """Whether ``a == b`` and the same ints are static, for layouts and int tuples.

    >>> same_static(Layout(_4, 1), Layout(4, 1)), Layout(_4, 1) == Layout(4, 1)
    (False, True)
    """
    return is_layout(a) is is_layout(b) and ints.same_static(_ints_of(a), _ints_of(b))


def static_mask(x: IntTuple | AnyLayout) -> Any:
    """Return True at static ints in the profile of ``x``. A cache needs it in its key, beside ``x``.

    >>> static_mask(Layout((_4, 8), (1, _4)))
    ((True, False), (False, True), (True, False))
    """
    return ints.static_mask(_ints_of(x))


def as_layout(x: object) -> AnyLayout:
    """Return ``x``, which must be a layout."""
    if isinstance(x, Layout):
        return x  # pyright: ignore[reportUnknownVariableType]
    ways = {"str": "tla.read reads a text.", "Swizzle": ints.OF_SWIZZLE}
    hints = [way for name, way in ways.items() if type(x).__name__ == name]
    if issubclass(type(x), int | tuple):
        hints = [f"make_layout({shown(x)}) is the layout of a shape."]
    if isinstance(x, OfCoordinates):
        hints = ["It is seen through a function; x.inner is the layout inside."]
    raise naming_argument(NotALayoutError(f"expected a layout, got {described(x)}", *hints, value=x))


def of_coordinates(x: Any) -> Any:
    """Return ``x``, which must be a layout, by itself or seen through a function."""
    return x if isinstance(x, OfCoordinates) else as_layout(x)


def _ints_of(x: Any) -> Any:
    """An int tuple; the three of a layout; those of the parts of a composed layout and of a swizzle."""
    if is_layout(x):
        return x.shape, x.stride, x.origin_shape
    if ints.is_tuple(x):
        return x
    return tuple([_ints_of(getattr(x, name)) for name in getattr(x, "parts_in_order", ())]) or x


def _shape_of(x: Any) -> Any:
    return x.shape if isinstance(x, OfCoordinates) else x


def _is_outer(x: object) -> bool:
    """Whether ``x`` is a layout seen through another function, which has an ``inner`` layout."""
    return isinstance(x, OfCoordinates) and not isinstance(x, Layout)


# --- makers -----------------------------------------------------------------------------------


@constexpr
def make_shape(*extents: *_Items) -> tuple[*_Items]:
    """Return the shape of the arguments, checked. TLA ``MakeShape``.

    >>> print(to_text(make_shape(_2, (4, 3))))
    (_2,(4,3))
    """
    shape: tuple[*_Items] = as_shape(extents)
    return shape


@constexpr
def make_stride(*steps: *_Items) -> tuple[*_Items]:
    """Return the stride of the arguments, checked. TLA ``MakeStride``.

    >>> print(to_text(make_stride(_12, (1, 4))))
    (_12,(1,4))
    """
    return make_tuple(*steps)


@constexpr
def make_coord(*parts: *_Items) -> tuple[*_Items]:
    """Return the coordinate of the arguments, checked; `_` or None may stand in it. TLA ``MakeCoord``.

    >>> make_coord(1, (0, _))
    (1, (0, _))
    """
    coord: tuple[*_Items] = as_coord(parts)
    return coord


@constexpr
def make_tile(*parts: *_Items) -> tuple[*_Items]:
    """Return the tile of the arguments, checked: ints, layouts, and `_` for a mode that stays.

    >>> print(zipped_divide(parse("(4,6):(6,1)"), make_tile(2, 3)))
    ((2,3),(2,2)):((6,1),(12,3))
    >>> print(composition(parse("(4,6):(6,1)"), make_tile(Layout(2, 2), _)))
    (2,6):(12,1)

    Source: CuTe ``make_tile``, layout.hpp.
    """
    tile: tuple[*_Items]
    try:
        tile = as_shape(parts)
    except LeafError:
        tile = _as_tile(parts)
    return tile


@limit_nesting
def _as_tile(x: Any) -> Any:
    def as_tile(x: Any) -> Any:
        if is_tuple(x):
            return tuple(map(as_tile, x))
        return x if is_layout(x) or is_underscore(x) else as_shape(x)

    return as_tile(x)


@overload
def make_layout(layout: AnyLayout, /, *layouts: AnyLayout) -> AnyLayout: ...
@overload
def make_layout(
    shape: S, stride: None = None, origin_shape: IntTuple | None = None
) -> Layout[S, Any]: ...
@overload
def make_layout(shape: S, stride: D, origin_shape: IntTuple | None = None) -> Layout[S, D]: ...
@constexpr
def make_layout(
    shape: Any, stride: Any = None, origin_shape: Any = None, *layouts: Any, **unknown: Any
) -> AnyLayout:
    """Return the layout of a shape and a stride; compact, the first mode fastest, without one.

    >>> print(make_layout((_2, 4), (_12, _1)), make_layout((2, (3, 4))))
    (_2,4):(_12,_1) (2,(3,4)):(_1,(2,6))

    Of layouts it is the layout whose modes they are: ``make_layout(a, b)(i, j) == a(i) + b(j)``.

    >>> print(make_layout(Layout(4, 2), Layout((2, 3), (1, 8))))
    (4,(2,3)):(2,(1,8))

    Raises:
        NotALayoutError: layouts stand among other arguments.
        UnsupportedError: the data of a layout are not its first coordinates, as one mode.
    Source: TLA and CuTe ``MakeLayout``, ``make_layout``.
    """
    if unknown:
        raise unknown_argument(make_layout, unknown)
    if not layouts:
        try:
            return _new_layout(Layout, shape, stride, origin_shape)
        except LeafError:  # as of layouts, which so cost the others nothing
            if not is_layout(shape):
                raise
    modes = [shape, stride, origin_shape, *layouts]
    while modes[-1] is None:
        modes.pop()
    return _of_layouts(*modes)


@keeps_assumptions
def _of_layouts(*layouts: AnyLayout) -> AnyLayout:
    """The layout of some modes."""
    modes = [as_layout(x) for x in layouts]
    shape, stride = tuple([x.shape for x in modes]), tuple([x.stride for x in modes])
    if not any(x.is_padded for x in modes):
        return Layout(shape, stride)
    data = [data_of_one(product_each(x.shape), wrap(x.origin_shape), "the modes of", x) for x in modes]
    return Layout(shape, stride, tuple(data))


@constexpr
def make_identity_layout(shape: S) -> Layout[S, Any]:
    """Return the layout whose value at a coordinate is the coordinate itself; its strides are `E`.

    >>> identity = make_identity_layout((4, (2, 3)))
    >>> print(identity, identity(1, 5), identity(21))
    (4,(2,3)):(_1@0,(_1@0@1,_1@1@1)) (1, (1, 2)) (1, (1, 2))

    A tile of it says which coordinates the tile has; `elem_less` says which of them lie in a shape.

    >>> tiles = zipped_divide(make_identity_layout((8, 8)), (4, 4))
    >>> [elem_less(tiles(i, 3), (5, 6)) for i in (0, 1, 8)]
    [True, False, False]

    Source: CuTe ``make_identity_layout``, arithmetic_tuple.hpp.
    """
    extents: Any = shape
    return Layout(extents, make_basis_like(extents))


@constexpr
@keeps_assumptions
def make_ordered_layout(shape: S, order: IntTuple) -> Layout[S, Any]:
    """Return the compact layout whose leaves grow in the order given, the least order fastest.

    >>> print(make_ordered_layout((2, 3, 4), (2, 0, 1)))
    (2,3,4):(12,_1,3)

    Source: CuTe ``make_ordered_layout``, layout.hpp.
    """
    return Layout(shape, compact_order(as_int_tuple(shape), as_int_tuple(order)))


@constexpr
@keeps_assumptions
def make_layout_like(layout: Layout[S, Any]) -> Layout[S, Any]:
    """Return the compact layout of the same shape, its leaves in the order of their strides.

    A stride of 0 stays 0: a broadcast mode stays one.

    >>> print(make_layout_like(Layout((4, 3, 2), (30, 7, 0))))
    (4,3,2):(3,_1,0)

    Source: CuTe ``make_layout_like``, layout.hpp.
    """
    shape: Any = as_layout(layout).shape
    flat = list(zip(leaves(shape), leaves(layout.stride), strict=True))
    stays = [_is_zero(d, s) for s, d in flat]
    # a leaf that is broadcast takes no room
    room = tuple([_1 if zero else s for (s, _d), zero in zip(flat, stays, strict=True)])
    order = tuple([abs(d) for _s, d in flat])
    if any(ints.is_open(x) for x in order):
        order = _places(flat, order)
    packed = flatten_to_tuple(compact_order(room, order))
    steps = [d if zero else step for (_s, d), zero, step in zip(flat, stays, packed, strict=True)]
    return Layout(shape, unflatten(tuple(steps), shape))


def _is_zero(d: Any, size: Any) -> bool:
    """Whether a stride is 0, which makes no difference to a leaf of size 1."""
    answer = known_eq(d, 0)
    if answer is None and known_eq(size, 1) is not True:
        decide(None, comparison(d, ">" if known_lt(d, 0) is False else "!=", 0))
    return answer is True


def _places(flat: list[tuple[Any, Any]], steps: tuple[Any, ...]) -> tuple[int, ...]:
    """The place of each leaf in the order of the steps, of which some are unknown."""

    def precedes(i: int, j: int) -> bool:
        if i < j and known_lt(steps[j], steps[i]) is False:
            return True
        # where the steps are equal, a leaf that ends at the next one is of size 1
        return (
            known_lt(steps[i], steps[j]) is True
            or known_eq(flat[i][0], 1) is True
            or (known_lt(0, steps[i]) is True and known_lt(steps[j], flat[i][0] * steps[i]) is False)
        )

    places = [0] * len(flat)
    left = list(range(len(flat)))
    while left:
        first = next((i for i in left if all(i == j or precedes(i, j) for j in left)), None)
        if first is None:
            i, j = next((i, j) for i, j in combinations(left, 2) if not precedes(i, j))
            less(steps[j], steps[i])  # which is open
            first = i
        places[first] = len(flat) - len(left)
        left.remove(first)
    return tuple(places)


# --- slicing ----------------------------------------------------------------------------------


@overload
def slice_(coord: Coord, x: AnyLayout) -> AnyLayout: ...
@overload
def slice_(coord: Coord, x: IntTuple) -> tuple[Any, ...]: ...
@overload
def slice_(coord: Coord, x: Any) -> Any: ...
@constexpr
def slice_(coord: Coord, x: Any) -> Any:
    """Return the modes of ``x`` at which ``coord`` has `_`: a layout of a layout, else a flat tuple.

    ``slice_(coord, layout)`` is ``layout[coord]``; where ``coord`` has no `_`, the layout of no mode.

    >>> slice_((_, 0), ((2, 3), 4)), slice_((1, (_, _)), (8, ((2, 3), 5)))
    (((2, 3),), ((2, 3), 5))
    >>> print(slice_((_, 0), Layout(((2, 3), 4))))
    ((2,3)):((_1,2))

    Raises:
        CongruenceError: the profiles of int tuples do not fit.
        CoordinateError: ``coord`` is no coordinate of the layout.
        UnsupportedError: see `slice_and_offset`.
    Source: CuTe ``slice``, layout.hpp and int_tuple.hpp; its Python DSL has ``coord`` last.
    """
    if not isinstance(x, OfCoordinates):
        return slicing.slice_(coord, x)
    layout: Any = x
    if has_underscore(coord):
        return slice_and_offset(coord, layout)[0]
    if _is_outer(x):
        return layout.with_inner((slice_(coord, layout.inner), layout.inner(coord)))[0]
    layout(coord)  # which must be a coordinate
    return trusted((), ())


@overload
def dice(coord: Coord, x: AnyLayout) -> AnyLayout: ...
@overload
def dice(coord: Coord, x: IntTuple) -> tuple[Any, ...]: ...
@overload
def dice(coord: Coord, x: Any) -> Any: ...
@constexpr
@keeps_assumptions
def dice(coord: Coord, x: Any) -> Any:
    """Return the modes of ``x`` at which ``coord`` has an int: what `slice_` leaves out.

    The ints select modes alone. The modes left out stand at 0.

    >>> dice((_, 0), ((2, 3), 4)), dice((1, (_, 0)), (8, ((2, 3), 5)))
    ((4,), (8, 5))
    >>> print(dice((_, 0), Layout(((2, 3), 4))))
    (4):(6)

    Raises:
        CongruenceError: the profiles do not fit.
        UnsupportedError: see `slice_and_offset`.
    Source: CuTe ``dice``, layout.hpp and int_tuple.hpp.
    """
    if not is_layout(x):
        return x.with_inner(dice(coord, x.inner)) if _is_outer(x) else slicing.dice(coord, x)
    if not is_tuple(coord):
        return trusted((), ()) if is_underscore(coord) else x
    kept = trusted(slicing.dice(coord, x.shape), slicing.dice(coord, x.stride))
    return padded(kept, kept_origin(diced(coord), x.shape, x.origin_shape)) if x.is_padded else kept


@constexpr
def slice_and_offset(
    coord: Coord, layout: AnyLayout, base: Coord | None = None
) -> tuple[AnyLayout, Any]:
    """Return the layout of the modes at which ``coord`` has `_`, and the offset of its first element.

    ``layout(c) == offset + sliced(d)``, where ``d`` are the coordinates put at the underscores.

    >>> sliced, offset = slice_and_offset((2, _), Layout((4, 3), (3, 1)))
    >>> print(sliced, offset)
    (3):(1) 6

    The origin shape of the modes kept follows; it is 0 where ``coord`` stands in the padding. A layout
    seen through a function keeps the offset inside, and 0 is left.

    From a base, ``layout(base + c) == offset + sliced(d)``: the modes kept start there.

    >>> print(slice_and_offset((2, _), Layout((4, 3), (3, 1)), (1, 2))[1])  # of (3, 2)
    11

    Args:
        base: The place from which ``coord`` counts, an int for each mode; by default the first.

    Raises:
        CoordinateError: ``coord`` has no `_`, lies outside the shape, or has another profile; or with
            ``base`` it is not an int or `_` for each mode.
        UnsupportedError: the valid elements kept are not a box.
    Source: CuTe and CATLASS ``slice_and_offset``.
    """
    if base is not None:
        return _slice_from(base, coord, layout)
    at: Any = coord
    if type(layout) is Layout and layout.beside is None:
        shape: Any = layout.shape
        if type(at) is TUPLE is type(shape) and len(at) == len(shape):
            kept: list[Any] = []
            steps: list[Any] = []
            offset = _kept(at, shape, layout.stride, kept, steps)
            if kept and offset is not None:
                if type(offset) not in PLAIN_INTS:
                    offset = evaluated(offset, leaves(layout.stride))
                return trusted(tuple(kept), tuple(steps)), offset
    if _is_outer(layout):
        return layout[coord], _0
    return _slice_and_offset(coord, as_layout(layout))


def _slice_from(base: Coord, coord: Coord, layout: AnyLayout) -> tuple[AnyLayout, Any]:
    """`slice_and_offset` of a coordinate that counts from a base."""
    whole: Any = layout
    if _is_outer(layout):
        seen: tuple[Any, Any] = whole.with_inner(_slice_from(base, coord, whole.inner))
        return seen
    both: Any = (base, coord)
    if any(not is_tuple(x) or len(x) != rank(layout) or any(map(is_tuple, x)) for x in both):
        raise CoordinateError(
            f"a coordinate with a base has {int(rank(layout))} entries, as the base, an int or _ each;"
            f" it is {text_of(coord)}, and the base {text_of(base)}",
            "Give both an entry for each mode.",
            base=base, coord=coord,
        )  # fmt: skip
    pairs = [(leaf(b), c if is_underscore(c) else leaf(c)) for b, c in zip(*both, strict=True)]
    kept, offset = slice_and_offset(tuple([c if is_underscore(c) else b + c for b, c in pairs]), layout)
    return kept, offset + layout(tuple([b if is_underscore(c) else 0 for b, c in pairs]))


@keeps_assumptions
def _slice_and_offset(coord: Coord, layout: AnyLayout) -> tuple[AnyLayout, Any]:
    """`slice_and_offset` of any ints."""
    if is_underscore(coord):
        return layout, _0
    modes: list[tuple[Any, Any]] = []
    offset: Any = _0
    try:
        offset = offset_at(coord, layout.shape, layout.stride, False, modes)
    except TlaError:
        if has_underscore(coord):
            raise
    if not modes:
        raise no_mode_kept(coord, "layout", "get(layout, i) for mode i")
    kept = trusted(*zip(*modes, strict=True))
    if layout.is_padded:
        return padded(kept, kept_origin(coord, layout.shape, layout.origin_shape)), offset
    return kept, offset
