# SPDX-License-Identifier: Apache-2.0
"""Tensors: some data, the layout of a view of it, and the coordinate at which the view starts.

A tile of a tensor is a tensor on the same data: only its coordinate grows, and an element's offset is
that of the coordinates added up, as in CATLASS. Walking a matrix in tiles, the last ones cut short:

>>> a = make_tensor("A", row_major(100, 60))
>>> for i in range(ceil_div(100, 48)):
...     for j in range(ceil_div(60, 32)):
...         tile = tile_view(a, (i, j), (48, 32))
...         l1 = make_tensor_like("A1", tile, zN, "L1")
...         print(tile.coord, tile(0, 0), tile.origin_shape, l1.layout)
(0, 0) 0 (48, 32) ((_16,3),(_16,2)):((_16,_256),(_1,768))
(0, 32) 32 (48, 28) ((_16,3),(_16,2)):((_16,_256),(_1,768)):(48,28)
(48, 0) 2880 (48, 32) ((_16,3),(_16,2)):((_16,_256),(_1,768))
(48, 32) 2912 (48, 28) ((_16,3),(_16,2)):((_16,_256),(_1,768)):(48,28)
(96, 0) 5760 (4, 32) ((_16,1),(_16,2)):((_16,_256),(_1,256)):(4,32)
(96, 32) 5792 (4, 28) ((_16,1),(_16,2)):((_16,_256),(_1,256)):(4,28)

One tile serves for all where its place is unknown, and the matrix's size too:

>>> M, i = sym("M"), sym("i", min=0)
>>> tile = tile_view(make_tensor("A", row_major(M, 60)), (i, 0), (48, 60))
>>> print(tile(1, 2))
2880*i{min=0}+62
>>> tile.bind(M=100, i=2)
<Tensor 'A' in GM at (96,0): (48,60):(60,_1):(4,60)>

Source: CATLASS ``tla::Tensor``, tensor.hpp.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, TypeVar, overload

from ..errors import (
    CongruenceError,
    CoordinateError,
    DivisibilityError,
    KindError,
    LayoutError,
    UnsupportedError,
)
from ..ground import (
    Record,
    Shown,
    beyond_types,
    constexpr,
    described,
    guarded,
    naming_argument,
    opaque,
    shortened,
    shown,
    typed_by,
)
from ..numbers import (
    ArithmeticTuple,
    IntLike,
    IntTuple,
    _0,
    add,
    decide,
    is_tuple,
    keeps_assumptions,
    known_eq,
    known_int,
    known_lt,
    leaf,
    max_,
)
from .coord import default_origin, mode_indices
from .int_tuple import elem_scale, flatten_to_tuple, leaves, map_parts, repeat_like, text_of
from .layout import AnyLayout, Layout, as_layout, of_coordinates
from .slicing import Coord, has_underscore, is_underscore, no_mode_kept, no_single_offset, slice_
from .swizzle import is_composed
from .tile import blocks_kept, get_tile_layout, per_mode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from typing_extensions import TypeIs

    from ..numbers import Condition, Conditions

T = TypeVar("T")
L = TypeVar("L", bound=AnyLayout)
T_co = TypeVar("T_co", covariant=True)
L_co = TypeVar("L_co", bound=AnyLayout, covariant=True)

POSITIONS: Final = ("GM", "L1", "L0A", "L0B", "L0C", "UB", "BT", "FB")
"""Where data may lie: global memory, then the buffers of a core, the bias and fixpipe tables last."""


def _any_tensor(unknown: Callable[..., Any], data: Any, layout: AnyLayout) -> Tensor[Any, AnyLayout]:
    """A tensor that starts anywhere. How much of it holds data is open: no mark here depends on that."""

    modes = default_origin(layout.shape)
    coord = tuple([unknown(0) for _mode in modes]) if is_tuple(modes) else unknown(0)
    return _view(data, layout, coord, "GM", unknown())


@constexpr
@opaque("data")
@beyond_types("coord")
@typed_by(_any_tensor, data=None, layout=None)
class Tensor(Shown, Record, Generic[T_co, L_co]):
    """A view of data: ``tensor(c) == data_offset + root.extended(coord + c)`` for each ``c`` in it.

    ``root`` is the layout that ``coord`` counts in. ``tensor.layout`` is that of the view alone, from
    its first element on; its origin shape is what of the view holds data. Immutable. A layout seen
    through a swizzle still counts from coordinate 0 of the root; `inner` counts from the first element.

    An operation of the algebra that changes coordinates alone takes a tensor as it takes a layout.

    >>> t = Tensor("A", Layout((8, 16), (16, 1)))
    >>> sub = Tensor("A", Layout((8, 16), (16, 1)), coord=(1, 5))
    >>> print(t(1, 5), sub(0, 0), sub.coord, sub.layout)
    21 21 (1, 5) (7,11):(16,1)
    >>> get_tile(sub, (2, 4), (4, 8))
    <Tensor 'A' in GM at (3,9): (4,8):(16,1):(4,7)>
    >>> zipped_divide(t, (4, 8))
    <Tensor 'A' in GM at (_0,_0): ((4,8),(2,2)):((16,1),(64,8))>

    Args:
        data: Anything: an array or list, a name, None. It is kept, and read by `element` alone.
        layout: The layout of the whole data.
        coord: Where the view starts, one int for each mode; it reaches to the end.
        position: One of `POSITIONS`.
        data_offset: The offset of coordinate 0 in the data.

    Raises:
        CoordinateError: the coordinate lies outside the shape.
        DivisibilityError: it does not lie on the blocks of its mode; see `get_tile`.
        UnsupportedError: there is no such position.
    Source: CATLASS ``Tensor`` and ``MakeTensor``, tensor.hpp. There a tensor made at a coordinate keeps
        the origin shape of the whole, and its tiles and slices run past the end by as much.
    """

    if TYPE_CHECKING:  # slots at run time; read-only to checkers

        @property
        def data(self) -> T_co:
            """What the offsets count in."""
            ...

        @property
        def layout(self) -> L_co:
            """The layout of the view, relative to its first element."""
            ...

        @property
        def coord(self) -> Any:
            """Where the view starts, one int for each mode."""
            ...

        @property
        def position(self) -> str:
            """The memory that the data lie in."""
            ...

        @property
        def data_offset(self) -> Any:
            """The offset of coordinate 0: 0 unless given, or after a slice, which fixes coordinates."""
            ...
    else:
        __slots__ = ("coord", "data", "data_offset", "layout", "position")
    parts_in_order: ClassVar[tuple[str, ...]] = ("data", "layout", "coord", "position", "data_offset")

    @overload
    def __new__(
        cls, data: T, layout: L, coord: None = None, position: str = "GM", *, data_offset: IntLike = _0
    ) -> Tensor[T, L]: ...
    @overload
    def __new__(
        cls,
        data: T,
        layout: AnyLayout,
        coord: IntTuple,
        position: str = "GM",
        *,
        data_offset: IntLike = _0,
    ) -> Tensor[T, AnyLayout]: ...
    def __new__(
        cls,
        data: T,
        layout: AnyLayout,
        coord: IntTuple | None = None,
        position: str = "GM",
        *,
        data_offset: IntLike = _0,
    ) -> Tensor[T, AnyLayout]:
        if not isinstance(position, str) or position not in POSITIONS:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise UnsupportedError(
                f"there is no position {shown(position)}",
                f"Data lie in one of {', '.join(POSITIONS)}.",
                position=position,
            )
        modes = default_origin(of_coordinates(layout).shape)
        whole = _view(data, layout, repeat_like(modes, _0), position, _as_offset(data_offset))
        if coord is None:
            return whole
        start = per_mode("coordinate", coord, layout)
        return _tile(whole, start, map_parts(_rest, modes, start))

    # --- what it is ---

    @property
    @constexpr
    def shape(self) -> Any:
        """The shape of the view, rounded up to blocks."""
        return self.layout.shape

    @property
    @constexpr
    def stride(self) -> Any:
        """The stride, that of the whole."""
        return as_layout(self.layout).stride

    @property
    def origin_shape(self) -> Any:
        """How many coordinates of each mode hold data."""
        return self.layout.origin_shape

    @property
    @keeps_assumptions
    def is_aligned(self) -> bool | None:
        """Whether the view leaves the blocks of its modes whole; None where that depends on an unknown.

        It starts on an edge of an innermost block, and of each block of blocks that it does not lie in.
        Then ``tensor(c) == tensor(0, ...) + layout(c)`` for each valid ``c``.

        >>> a = Tensor("A1", zN(100, 100), position="L1")
        >>> [get_tile(a, (i, 0), (16, 16), aligned=False).is_aligned for i in (16, 5)]
        [True, False]
        """
        kept = blocks_kept(self.layout, self.coord, self.origin_shape)
        answers = [answer for _mode, _block, (answer, _obligation) in kept]
        return False if False in answers else None if None in answers else True

    @property
    def assumptions(self) -> tuple[Condition, ...]:
        """What was assumed to make it; see `tla.assume`."""
        return self.layout.assumptions

    def with_assumptions(self, conditions: Iterable[Condition]) -> Tensor[T_co, AnyLayout]:
        """Return the tensor that stands on some conditions, known to be consistent, beside its own."""
        layout = self.layout.with_assumptions(conditions)
        return _view(self.data, layout, self.coord, self.position, self.data_offset)

    def bind(self, /, **values: Any) -> Tensor[T_co, AnyLayout]:
        """Return the tensor with ints, or other symbolic ints, for some of its unknowns.

        >>> t = get_tile(Tensor("A", row_major(sym("M"), 60)), (96, 0), (48, 60))
        >>> print(t.layout, t.bind(M=100).layout)
        (48,60):(60,_1):(min(48,max(0,M-96)),60) (48,60):(60,_1):(4,60)

        Raises:
            BindingError: a value breaks a range, a divisor, or one of the `assumptions`.
        """
        from ..numbers import substitute

        def value(x: Any) -> Any:
            return substitute(x, values)

        layout, coord = self.layout.bind(**values), map_parts(value, self.coord)
        return _view(self.data, layout, coord, self.position, value(self.data_offset))

    @property
    def inner(self) -> AnyLayout:
        """The layout of the view from its first element on; see `with_inner`.

        >>> tile = get_tile(Tensor("A", parse("Sw<1,0,2> o 0 o (4,4):(4,1)")), (2, 0), (2, 4))
        >>> print(tile.layout, "|", tile.inner)
        Sw<1,0,2> o 0 o (2,4):(4,1) | Sw<1,0,2> o 8 o (2,4):(4,1)
        """
        first: AnyLayout = self._from_first()[0]
        return first

    def _from_first(self) -> tuple[Any, Any]:
        """The layout from the first element on, and where that lies, but for what is in the layout.

        Raises:
            DivisibilityError: the view does not start on the blocks of its modes.
        """
        _require_blocks(self, self, self.coord)
        return _fixed(self.layout, None, self.coord)

    def with_inner(self, inner: Any) -> Tensor[T_co, AnyLayout]:
        """Return the tensor with another layout of its elements from the first on.

        Of a pair with an offset, it is moved by it.

        >>> tile = get_tile(Tensor("A", row_major(8, 16)), (2, 4), (4, 8))
        >>> tile.with_inner((coalesce(tile.inner), 3))
        <Tensor 'A'[39:] in GM at (_0,_0): (4,8):(16,_1)>
        """
        layout: Any
        layout, moved = inner if is_tuple(inner) and len(inner) == 2 else (inner, _0)
        start = self._from_first()[1] + self.data_offset + leaf(moved)
        return Tensor(self.data, layout, position=self.position, data_offset=start)

    # --- its elements ---

    @constexpr
    @keeps_assumptions
    def offset(self, *coord: IntTuple) -> Any:
        """Return the offset of an element in the data: ``tensor.offset(i, j)``, or ``tensor(i, j)``.

        >>> get_tile(Tensor("A", row_major(8, 16)), (6, 10), (4, 8)).offset(1, 2)
        124

        Raises:
            CoordinateError: the coordinate is negative, outside the shape of the view, or of another
                profile.
        """
        at: Any = coord[0] if len(coord) == 1 else coord
        if has_underscore(at):
            raise no_single_offset(at, "tensor[...] for the view")
        layout = self.layout
        index: Any = mode_indices(at, layout.shape)
        # beyond the shape of the view its layout goes on as that of the whole: only last leaves differ
        return self._at(add(self.coord, index if is_tuple(layout.shape) else index[0]))

    __call__ = offset

    def _at(self, coord: Any) -> Any:
        """The offset of a coordinate of the whole."""
        return self.layout.extended(coord) + self.data_offset

    def is_valid(self, *coord: IntTuple) -> bool:
        """Whether a coordinate holds data: inside the shape of the view, and inside its origin shape.

        Raises:
            CoordinateError: the coordinate does not have the profile of the shape.
        """
        return self.layout.is_valid(*coord)

    def element(self, *coord: IntTuple) -> object:
        """Return the element at a coordinate, read from the data.

        >>> get_tile(Tensor("abcdefgh".encode(), row_major(2, 4)), (1, 1), (1, 2)).element(0, 1)
        103

        Raises:
            CoordinateError: the coordinate holds no data, or its offset lies outside the data.
            UnsupportedError: the data are a name, or no flat sequence.
        """
        data: Any = self.data
        dimensions = getattr(data, "ndim", 1)
        is_indexable = hasattr(data, "__getitem__") and hasattr(data, "__len__")
        if isinstance(data, str) or dimensions != 1 or not is_indexable:
            what = _named(data) if dimensions == 1 else f"{dimensions}-D"
            is_name = isinstance(data, str)
            raise UnsupportedError(
                f"offsets count in a flat sequence; the data are {what}{', a name' * is_name}",
                "Pass data.reshape(-1) of an array in C order, a list, or anything flat to index.",
                data=data,
            )
        at: Any = coord[0] if len(coord) == 1 else coord
        offset = known_int(self.offset(at))
        if not self.is_valid(at):
            raise CoordinateError(
                f"coordinate {text_of(at)} holds no data",
                f"The data reach to {text_of(self.origin_shape)} in a view of the shape"
                f" {text_of(self.shape)}.",
                coord=at,
            )
        if not 0 <= offset < len(data):
            raise CoordinateError(
                f"coordinate {text_of(at)} has the offset {offset}, outside the {len(data)} elements"
                " of the data",
                coord=at,
                offset=offset,
            )
        return data[offset]

    @constexpr
    @keeps_assumptions
    def __getitem__(self, coord: Coord) -> Tensor[T_co, AnyLayout]:
        """Return the view of the modes at which ``coord`` has `_`, the others fixed.

        ``tensor[_, 3](i) == tensor(i, 3)``. The modes kept keep their place in the coordinate.

        >>> t = Tensor("A", row_major(8, 16))
        >>> t[_, 3], get_tile(t, (6, 10), (4, 8))[1, _]
        (<Tensor 'A'[3:] in GM at (_0): (8):(16)>, <Tensor 'A'[112:] in GM at (10): (8):(_1):(6)>)

        Raises:
            CoordinateError: ``coord`` is not one int or `_` for each mode, has no `_`, or an int lies
                outside the shape.
        Source: CATLASS ``Tensor::operator()`` with ``_``; there the coordinate starts from 0 again, and
            with it the place in a block.
        """
        if is_underscore(coord):
            return self
        if not has_underscore(coord):
            raise no_mode_kept(coord, "tensor", "tensor.element(...) for its value")
        parts: Any = coord
        if any(map(is_tuple, parts)):
            raise CoordinateError(
                f"a tensor is cut by whole modes, not by {text_of(coord)}",
                "Write one int or `_` for each mode.",
                coord=coord,
            )
        at = [_0 if is_underscore(c) else start + c for c, start in zip(parts, self.coord, strict=False)]
        layout, moved = _fixed(self.layout, coord, tuple(at))
        kept = slice_(coord, self.coord)
        return _view(self.data, layout, kept, self.position, moved + self.data_offset)

    __iter__ = None
    """A tensor is no sequence: without this, Python would iterate by ``tensor[0]`` and find it empty."""
    __contains__ = None

    # --- the value ---

    def _key(self) -> tuple[Any, ...]:
        """Its parts; data that are no name are known by their identity."""
        data = self.data if isinstance(self.data, str) else id(self.data)
        return data, self.layout, self.coord, self.position, self.data_offset

    def __repr__(self) -> str:
        start = "" if known_eq(self.data_offset, 0) is True else f"[{self.data_offset}:]"
        at = text_of(self.coord)
        return f"<Tensor {_named(self.data)}{start} in {self.position} at {at}: {self.layout}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _view, (self.data, self.layout, self.coord, self.position, self.data_offset)


def _as_tensor(x: Tensor[T, L]) -> Tensor[T, L]:
    if not is_tensor(x):
        refusal = KindError(f"expected a tensor, got {described(x)}", value=x)
        raise naming_argument(refusal)
    return x


def is_tensor(x: object) -> TypeIs[Tensor[object, AnyLayout]]:
    """Whether ``x`` is a tensor."""
    return isinstance(x, Tensor)


_tensor: type[Any] = Tensor


def _view(data: T, layout: L, coord: Any, position: str, data_offset: Any) -> Tensor[T, L]:
    """The tensor of parts that have been checked; ``layout`` is relative to ``coord``."""
    view: Tensor[T, L] = _tensor._of(data, layout, coord, position, data_offset)
    return view


def _fixed(layout: Any, coord: Coord | None, at: Any) -> tuple[Any, Any]:
    """The modes of a layout that ``coord`` keeps, and what the offset at ``at`` adds.

    A swizzle keeps what it adds inside.
    """
    if is_composed(layout):
        found: tuple[Any, Any] = layout.with_inner(_fixed(layout.inner, coord, at))
        return found
    return layout if coord is None else layout[coord], layout.extended(at)


def _as_offset(x: Any) -> Any:
    return x if isinstance(x, ArithmeticTuple) else leaf(x)


def _named(data: object) -> str:
    return shortened(repr(data)) if data is None or isinstance(data, str) else type(data).__name__


def _rest(size: Any, start: Any) -> Any:
    return max_(_0, size - start)


# --- tiles ------------------------------------------------------------------------------------


@constexpr
@keeps_assumptions
def get_tile(
    tensor: Tensor[T, L],
    coord: IntTuple,
    shape: IntTuple,
    aligned: bool = True,
    *,
    assume: Conditions | None = None,
) -> Tensor[T, AnyLayout]:
    """Return the tile that starts at ``coord``: ``tile(c) == tensor(coord + c)`` for each ``c``.

    Its shape is ``shape`` rounded up to blocks, its origin shape what of it holds data in ``tensor``.

    >>> get_tile(Tensor("A1", zN(100, 100), position="L1"), (32, 96), (16, 32))
    <Tensor 'A1' in L1 at (32,96): ((_16,1),(_16,2)):((_16,_256),(_1,1792)):(16,4)>

    Args:
        coord: The first element, one int for each mode, relative to ``tensor``.
        shape: One extent for each mode, in elements; it need not divide the mode.
        aligned: Demand that the tile `is_aligned`: that it starts on the edge of a block. Where it does
            not its offsets are right, but its layout need not be that of its elements.

    Raises:
        CoordinateError: ``coord`` is known to be negative or outside the shape. Where unknowns decide,
            a tile outside has an origin shape of 0, which is seen once it has ints for them.
        CongruenceError: ``coord`` or ``shape`` is not one int for each mode.
        LayoutError: an extent is not positive.
        DivisibilityError: ``aligned``, and it is not. The error holds the mode, the block, and the
            nearest coordinates on an edge.
        UndecidedError: ``aligned``, and whether it is depends on an unknown.
    Source: CATLASS ``GetTile``, tensor.hpp, where alignment is not asked for: a load
        of such a tile is rounded up to the next block on the 950, and off the block's address on the A2.
    """
    extents = _extents(tensor, shape)
    return _tile(tensor, per_mode("coordinate", coord, tensor.layout), extents, aligned)


@constexpr
@keeps_assumptions
def tile_view(
    tensor: Tensor[T, L],
    tile_coord: IntTuple,
    tile_shape: IntTuple,
    aligned: bool = True,
    *,
    assume: Conditions | None = None,
) -> Tensor[T, AnyLayout]:
    """Return the tile of a grid of tiles: `get_tile` at the coordinate times the tile, mode by mode.

    >>> tile_view(Tensor("A", row_major(8, 16)), (1, 2), (4, 6))
    <Tensor 'A' in GM at (4,12): (4,6):(16,_1):(4,4)>

    Raises:
        TlaError: as `get_tile`.
    Source: CATLASS ``TileView``, tensor.hpp.
    """
    extents = _extents(tensor, tile_shape)
    place = per_mode("tile coordinate", tile_coord, tensor.layout)
    return _tile(tensor, elem_scale(place, extents), extents, aligned)


def _extents(tensor: Tensor[T, L], tile: IntTuple) -> Any:
    """The extents of a tile checked: one for each mode of the tensor, none of them known to be 0."""
    extents = per_mode("tile", tile, _as_tensor(tensor).layout)
    for extent in leaves(extents):
        if known_lt(extent, 1) is True:
            raise LayoutError(
                f"tile {text_of(extents)} has the extent {extent}",
                "A tile has at least one coordinate of each mode.",
                tile=extents,
            )
    return extents


def _tile(tensor: Tensor[T, L], start: Any, extents: Any, aligned: bool = True) -> Tensor[T, AnyLayout]:
    layout = _tile_layout(tensor.layout, extents, start)
    sizes = default_origin(tensor.layout.shape)
    for mode, (at, size) in enumerate(zip(leaves(start), leaves(sizes), strict=True)):
        if known_lt(at, size) is False and known_eq(at, 0) is not True:
            raise CoordinateError(
                f"a tile at {text_of(start)} lies outside the shape {text_of(sizes)}",
                f"Mode {mode} has no coordinate {at}.",
                "get_tile_layout crops such a tile to nothing instead.",
                coord=start,
                mode=mode,
            )
    coord = add(tensor.coord, start)
    tile = _view(tensor.data, layout, coord, tensor.position, tensor.data_offset)
    if aligned:
        _require_blocks(tensor, tile, start)
    return tile


def _require_blocks(tensor: Tensor[T, Any], tile: Tensor[T, Any], start: Any) -> None:
    """Raise an error if a tile that starts somewhere in a tensor cuts blocks of its modes."""
    for mode, block, question in blocks_kept(tile.layout, tile.coord, tile.origin_shape):
        if not decide(*question):
            raise _off_the_blocks(tensor, tile, start, mode, block)


def _tile_layout(layout: Any, extents: Any, start: Any) -> Any:
    """The layout of a tile; behind a swizzle it counts from where the whole does."""
    if is_composed(layout):
        return layout.with_inner(_tile_layout(layout.inner, extents, start))
    return get_tile_layout(layout, extents, start)


def _off_the_blocks(
    tensor: Tensor[T, L], tile: Tensor[T, AnyLayout], start: Any, mode: int, block: Any
) -> DivisibilityError:
    counted = (start, tile.coord, tile.origin_shape)
    first, at, extent = (flatten_to_tuple(x)[mode] for x in counted)
    past = at % block
    below, above = first - past, first - past + block
    nearest: tuple[Any, ...] = (above,) if known_lt(below, 0) is True else (below, above)
    return DivisibilityError(
        f"a tile at {text_of(start)} does not lie on the blocks of {text_of(tensor.shape)}",
        f"In mode {mode} the {extent} coordinates from {first} on start {past} past the edge of a block"
        f" of {block}; {' and '.join(map(str, nearest))} lie on an edge.",
        "With get_tile(..., aligned=False) its offsets are right; its layout need not be.",
        coord=start,
        mode=mode,
        block=block,
        nearest=nearest,
    )


# --- makers -----------------------------------------------------------------------------------


@overload
def make_tensor(data: T, layout: L, coord: None = None, position: str = "GM") -> Tensor[T, L]: ...
@overload
def make_tensor(
    data: T, layout: AnyLayout, coord: IntTuple, position: str = "GM"
) -> Tensor[T, AnyLayout]: ...
@constexpr
@opaque("data")
@beyond_types("coord")
@guarded
def make_tensor(
    data: T, layout: AnyLayout, coord: IntTuple | None = None, position: str = "GM"
) -> Tensor[T, AnyLayout]:
    """Return the `Tensor` of some data and its layout, from a coordinate on.

    >>> make_tensor("A", row_major(8, 16))
    <Tensor 'A' in GM at (_0,_0): (8,16):(16,_1)>

    Source: CATLASS ``MakeTensor``, tensor.hpp.
    """
    return Tensor(data, layout, coord, position)


def make_tensor_like(
    data: T,
    like: Tensor[object, AnyLayout],
    make: Callable[..., L] | None = None,
    position: str | None = None,
    *,
    base: L | None = None,
) -> Tensor[T, L]:
    """Return a tensor of other data with room for the valid elements of ``like``.

    >>> tail = get_tile(make_tensor("A", row_major(8, 16)), (6, 10), (4, 8))
    >>> make_tensor_like("A1", tail, zN, "L1")
    <Tensor 'A1' in L1 at (_0,_0): ((_16,1),(_16,1)):((_16,_256),(_1,256)):(2,6)>
    >>> make_tensor_like("A1", tail, base=zN(128, 64), position="L1")
    <Tensor 'A1' in L1 at (_0,_0): ((_16,8),(_16,4)):((_16,_256),(_1,2048)):(2,6)>

    Args:
        make: What makes a layout of the origin shape of ``like``, one argument for each mode: `zN`,
            `row_major`, or any other function.
        base: The layout of a buffer in place of ``make``: its shape and stride are taken, and the
            origin shape of ``like``.
        position: Where the data lie; as ``like`` where left out.

    Raises:
        LayoutError: neither or both of ``make`` and ``base`` are given, or ``like`` has no room in
            ``base``.
    Source: CATLASS ``MakeTensorLike``, tensor.hpp, whose form for one mode does not compile.
    """
    origin = _as_tensor(like).origin_shape
    layout: AnyLayout
    if base is not None and make is None:
        layout = Layout(as_layout(base).shape, base.stride, origin)
    elif make is not None and base is None:
        if not callable(make):  # pyright: ignore[reportUnnecessaryComparison]
            raise KindError(
                f"expected a function that makes a layout, such as tla.zN, got {described(make)}",
                value=make,
            )
        layout = _call_maker(make, origin if is_tuple(origin) else (origin,))
    else:
        raise LayoutError("a tensor like another takes one of make= and base=", make=make, base=base)
    room: Any = layout
    return Tensor(data, room, position=like.position if position is None else position)


def _call_maker(make: Callable[..., AnyLayout], sizes: tuple[Any, ...]) -> AnyLayout:
    try:
        return make(*sizes)
    except TypeError:
        from inspect import signature

        try:
            signature(make).bind(*sizes)
        except (TypeError, ValueError):  # some classes tell no signature
            name = getattr(make, "__name__", repr(make))
            raise CongruenceError(
                f"{shortened(name)} does not take the {len(sizes)} extents {text_of(sizes)}", make=make
            ) from None
        raise
