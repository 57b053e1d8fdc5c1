# SPDX-License-Identifier: Apache-2.0
"""XLA shapes as values: the element type, the dims, and the layout in memory.

>>> shape = XlaShape("f32", (3, 5), tiles=[(2, 2)])
>>> print(shape, shape.minor_to_major, shape.dimension(-1))
f32[3,5]{1,0:T(2,2)} (1, 0) 5

A dim may be dynamic: ``<=5`` is a size from 0 to 5, placed in memory as 5; ``?`` is an unknown size.

>>> shape = XlaShape("f32", ("<=5", 3))
>>> print(shape, shape.dimensions, shape.dynamic_dimensions)
f32[<=5,3]{1,0} (5, 3) (True, False)

Source: XLA ``ShapeProto`` and ``LayoutProto``, xla_data.proto; printing as ``ShapeUtil`` does.
"""

from __future__ import annotations

from math import prod
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, SupportsIndex, TypeAlias, Union

from ..errors import CoordinateError, LayoutError, LeafError
from ..ground import described, drawn_by, dtypes, figure_of, html_of, limit_of, shortened, way_out
from ..numbers import SymbolicInt
from .arguments import commas, dim, integer, ints, numbered, range_down, sequence, splits
from .rules import Fields, Split, Tile, check, tile_entries

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..ground import ElementType, Figure, Panels, Scheme

_values_of: Final = attrgetter(*Fields._fields)

# XLA's text of each field that has a default.
_LETTERS: Final = dict(
    zip(Fields._field_defaults, ("T", "L", "#", "*", "E", "S", "SC", "M"), strict=True)
)


class Immutable:
    """A value whose slots are set once."""

    __slots__ = ()

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"an {type(self).__name__} is immutable: cannot set {name!r}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"an {type(self).__name__} is immutable: cannot delete {name!r}")


@drawn_by("tla.xla_bridge.picture", "shape_figure")
class XlaShape(Immutable):
    """An array shape with its layout. It is immutable and hashable; equality ignores ``text``.

    Equality compares every other field, so equal shapes have the same text. XLA's own ``==`` ignores the
    metadata prefix.

    Args:
        element_type: An XLA element type by name, such as ``"bf16"``.
        dimensions: Logical dims, in elements; 0 is legal. ``"<=5"`` is a dim of at most 5, and ``"?"`` a
            dim of unknown size.
        minor_to_major: Dim numbers from the one that changes fastest; ``(n-1, ..., 0)`` by default.
        tiles: Tiles, each on the axes of the tile before it. An entry is positive, or `COMBINE` (``"*"``
            or -1) to merge a dim into the next one.
        tail_padding_alignment_in_elements: The unit ``L(n)`` to which the number of elements is rounded
            up.
        element_size_in_bits: The bits of a packed element, ``E(n)``; 0 for whole bytes.
        memory_space: ``S(n)``; 0 is the device's main memory.
        text: The text of the shape, if it comes from one.
        index_primitive_type, pointer_primitive_type: ``#(t)`` and ``*(t)``, the types of a sparse array.
            XLA has none any more: its parser reads them, and its validator refuses them.
        split_configs: Pairs of a physical dim, 0 for the most major, and the indices at which it is
            split over memories, ``SC(d:i,j)``.
        dynamic_shape_metadata_prefix_bytes: Bytes in front of the data, ``M(n)``.

    The attribute ``dimensions`` has the sizes in memory: the bound of a bounded dim, and the symbolic
    int ``di{min=0}`` for unknown dim ``i``. ``dynamic_dimensions`` marks both kinds.

    Raises:
        LayoutError: a dim is negative, ``minor_to_major`` is not a permutation, a tile is empty,
            has an entry that is not positive, or ends in ``*``, a split is out of place, or the type of
            a sparse array is set.
        UnsupportedError: XLA has no such element type.
    """

    __slots__ = (*Fields._fields, "_valid", "text")

    element_type: ElementType
    dimensions: tuple[int, ...]
    dynamic_dimensions: tuple[bool, ...]
    minor_to_major: tuple[int, ...]
    tiles: tuple[Tile, ...]
    tail_padding_alignment_in_elements: int
    element_size_in_bits: int
    memory_space: int
    text: str | None
    index_primitive_type: str | None
    pointer_primitive_type: str | None
    split_configs: tuple[Split, ...]
    dynamic_shape_metadata_prefix_bytes: int
    _valid: bool

    def __init__(
        self,
        element_type: str | ElementType,
        dimensions: Iterable[SupportsIndex | str],
        minor_to_major: Iterable[SupportsIndex] | None = None,
        tiles: Iterable[Iterable[SupportsIndex | str]] = (),
        tail_padding_alignment_in_elements: int = 1,
        element_size_in_bits: int = 0,
        memory_space: int = 0,
        text: str | None = None,
        *,
        index_primitive_type: str | None = None,
        pointer_primitive_type: str | None = None,
        split_configs: Iterable[tuple[SupportsIndex, Iterable[SupportsIndex]]] = (),
        dynamic_shape_metadata_prefix_bytes: int = 0,
    ) -> None:
        given = sequence("dimensions", dimensions)
        fields = Fields(
            dtypes.element_type(element_type),
            tuple(dim(i, d) for i, d in enumerate(given)),
            tuple(isinstance(d, str) for d in given),
            range_down(len(given)) if minor_to_major is None else ints("minor_to_major", minor_to_major),
            tuple(tile_entries(tile) for tile in tiles),
            integer("tail padding", tail_padding_alignment_in_elements),
            index_primitive_type,
            pointer_primitive_type,
            integer("element size", element_size_in_bits),
            integer("memory space", memory_space),
            splits(split_configs),
            integer("metadata prefix", dynamic_shape_metadata_prefix_bytes),
        )
        check(fields)
        _fill(self, fields, text, valid=True)

    # --- queries ---

    @property
    def rank(self) -> int:
        """The number of dims."""
        return len(self.dimensions)

    @property
    def true_rank(self) -> int:
        """The number of dims larger than 1, by their bounds; an unknown dim counts."""
        return sum(isinstance(d, SymbolicInt) or d > 1 for d in self.dimensions)

    @property
    def elements(self) -> int:
        """The number of logical elements: the product of the dims, or of their bounds.

        >>> print(XlaShape("f32", ("<=5", 3)).elements, XlaShape("f32", ("?", 3)).elements)
        15 3*d0{min=0}
        """
        return prod(self.dimensions)

    @property
    def is_static(self) -> bool:
        """Whether no dim is dynamic."""
        return not any(self.dynamic_dimensions)

    @property
    def is_unbounded_dynamic(self) -> bool:
        """Whether the size of a dim is unknown, ``?``."""
        return any(isinstance(d, SymbolicInt) for d in self.dimensions)

    @property
    def major_to_minor(self) -> tuple[int, ...]:
        """Dim numbers from the one that changes slowest: the physical order of the dims."""
        return self.minor_to_major[::-1]

    @property
    def letters(self) -> str:
        """The letters of its dims in XLA's documents: ``yx``, ``zyx``, ``pzyx``; "" of other ranks."""
        return {2: "yx", 3: "zyx", 4: "pzyx"}.get(self.rank, "")

    def dimension(self, i: int | str) -> int:
        """Return the size of dim ``i``, or its bound; -1 is the last dim, as in Python.

        >>> shape = XlaShape("f32", (5, 2, 3))
        >>> shape.dimension(-1), shape.dimension("x"), shape.dimension("z")
        (3, 3, 5)

        Args:
            i: The number of the dim, or its letter of `letters`.

        Raises:
            CoordinateError: there is no such dim.
        """
        if isinstance(i, str):
            if len(i) != 1 or i not in self.letters:
                known = f"They are {', '.join(self.letters)}." if self.letters else ""
                summary = f"no dim of {self} has the letter {shortened(i)!r}"
                raise CoordinateError(summary, *filter(None, [known]), dim=i)
            i = self.letters.index(i)
        i = integer("dimension", i)
        if not -self.rank <= i < self.rank:
            raise CoordinateError(f"there is no dim {i} in {self}, of rank {self.rank}", dim=i)
        return self.dimensions[i]

    def arrays(self) -> Sequence[XlaShape]:
        """Return the shape itself as the only array in it."""
        return (self,)

    def validate(self) -> None:
        """Raise an error if the shape is no layout; only mode "xla" reads such shapes.

        Raises:
            LayoutError: the shape breaks a rule, which the error names.
        """
        if not self._valid:
            check(fields_of(self))

    # --- the value ---

    def _dims(self) -> tuple[int | str, ...]:
        """The dims as arguments of the class: dynamic ones as texts."""
        if self.is_static:
            return self.dimensions
        return tuple(
            d if not dynamic else "?" if isinstance(d, SymbolicInt) else f"<={d}"
            for d, dynamic in zip(self.dimensions, self.dynamic_dimensions, strict=True)
        )

    def _options(self) -> list[tuple[str, Any]]:
        """The fields that are not at their default, by name."""
        defaults = Fields._field_defaults.items()
        return [(name, value) for name, other in defaults if (value := getattr(self, name)) != other]

    def __eq__(self, other: object) -> bool:
        return _values_of(self) == _values_of(other) if isinstance(other, XlaShape) else NotImplemented

    def __hash__(self) -> int:
        return hash(_values_of(self))

    def __str__(self) -> str:
        """The shape in XLA's text: always with its layout, except for a scalar without attributes."""
        attributes = self._attributes()
        layout = commas(self.minor_to_major) + (f":{attributes}" if attributes else "")
        return f"{self.element_type.name}[{commas(self._dims())}]{f'{{{layout}}}' if layout else ''}"

    def _attributes(self) -> str:
        """The layout's attributes in XLA's fixed order, without those at their default."""
        out = ""
        for name, value in self._options():
            if name == "tiles":
                value = ")(".join(map(commas, self.tiles))
            elif name == "split_configs":
                value = ")(".join(f"{d}:{commas(at)}" for d, at in self.split_configs)
            out += f"{_LETTERS[name]}({value})"
        return out

    def __repr__(self) -> str:
        if not self._valid:
            return f"parse_shape({self.text!r}, 'xla')"
        order = f", minor_to_major={self.minor_to_major!r}" if self.dimensions else ""
        named = "".join(f", {name}={value!r}" for name, value in self._options())
        return f"XlaShape({self.element_type.name!r}, {self._dims()!r}{order}{named})"

    def _repr_html_(self) -> str | None:
        return html_of(self)

    def figure(
        self, rows: int = 16, columns: int = 64, slices: int = 4, colour: Scheme | None = None
    ) -> Figure:
        """Return the picture of its layout, as data: the place of each element, with padding.

        >>> XlaShape("f32", (3, 5), tiles=[(2, 2)]).figure().size
        24

        Raises:
            UnsupportedError: the shape has no data, or no nested layout.
            UndecidedError: the size of a dim is unknown.
        """
        found: Figure = figure_of(self, rows=rows, columns=columns, slices=slices, colour=colour)
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        return trusted_shape, (fields_of(self), self.text, self._valid)


def _fill(shape: XlaShape, fields: Fields, text: str | None, valid: bool) -> None:
    for set_, value in zip(_SETTERS, (*fields, text, valid), strict=True):
        set_(shape, value)


# the setters of the slots are the fastest way around `__setattr__`
_SETTERS: Final = [getattr(XlaShape, name).__set__ for name in (*Fields._fields, "text", "_valid")]


def trusted_shape(fields: Fields, text: str | None, valid: bool = True) -> XlaShape:
    """Return the shape of some fields without a check.

    Args:
        valid: Whether `check` passes. If not, `XlaShape.validate` raises its error.
    """
    shape = object.__new__(XlaShape)
    _fill(shape, fields, text, valid)
    return shape


def fields_of(shape: XlaShape) -> Fields:
    """Return the fields of a shape: all of it except the text."""
    return Fields._make(_values_of(shape))


def replaced(shape: XlaShape, **changes: Any) -> XlaShape:
    """Return the shape with new values of some fields; raise `LayoutError` as `XlaShape` does."""
    check(fields_of(shape)._replace(**changes))
    return remade(shape, **changes)


def remade(shape: XlaShape, **changes: Any) -> XlaShape:
    """Return the shape with new values of some fields, without a check."""
    return trusted_shape(fields_of(shape)._replace(**changes), None)


@drawn_by("tla.xla_bridge.picture", "tuple_figure")
class XlaTuple(Immutable):
    """A tuple of shapes, which has no layout of its own.

    >>> print(XlaTuple([XlaShape("f32", (3,)), XlaShape("u32", ())]))
    (f32[3]{0}, u32[])

    Raises:
        LayoutError: tuples nest deeper than 100 levels.
    """

    __slots__ = ("_depth", "elements", "text")

    elements: tuple[AnyShape, ...]
    text: str | None
    _depth: int

    def __init__(self, elements: Iterable[AnyShape], text: str | None = None) -> None:
        held = tuple(elements)
        for element in held:
            if not isinstance(element, (XlaShape, XlaTuple, XlaBuffer)):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise LeafError(f"a tuple of shapes cannot hold {described(element)}")
        depth = 1 + max((e._depth for e in held if isinstance(e, XlaTuple)), default=0)
        if depth > limit_of("nesting"):
            summary = f"tuples nested deeper than {limit_of('nesting')} levels"
            raise LayoutError(summary, way_out("nesting", depth), depth=depth)
        object.__setattr__(self, "elements", held)
        object.__setattr__(self, "text", text)
        object.__setattr__(self, "_depth", depth)

    def arrays(self) -> Sequence[XlaShape]:
        """Return the array shapes inside, from left to right, also those of inner tuples and buffers."""
        return [array for element in self.elements for array in element.arrays()]

    def validate(self) -> None:
        """Raise the error of `XlaShape.validate` if an array inside is no layout."""
        for array in self.arrays():
            array.validate()

    def __eq__(self, other: object) -> bool:
        return self.elements == other.elements if isinstance(other, XlaTuple) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.elements)

    def __str__(self) -> str:
        return f"({numbered(map(str, self.elements))})"

    def __repr__(self) -> str:
        return f"XlaTuple({self.elements!r})"

    def _repr_html_(self) -> str | None:
        return html_of(self)

    def figure(self) -> Panels:
        """Return the pictures of its arrays, as data; `UnsupportedError` if no array has one."""
        found: Panels = figure_of(self)
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        return XlaTuple, (self.elements, self.text)


class XlaBuffer(Immutable):
    """A buffer: the memory of an array, as a place and not as a value.

    >>> print(XlaBuffer(XlaShape("f32", (3,), memory_space=1)))
    b(f32[3]{0:S(1)})

    Raises:
        LayoutError: the shape has no data.
    """

    __slots__ = ("array", "text")

    array: XlaShape
    text: str | None

    def __init__(self, array: XlaShape, text: str | None = None) -> None:
        if not isinstance(array, XlaShape):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise LeafError(f"a buffer holds an array shape, not {described(array)}")
        if array.element_type.bits is None:
            raise LayoutError(f"a buffer holds an array, and {array} carries no data")
        object.__setattr__(self, "array", array)
        object.__setattr__(self, "text", text)

    def arrays(self) -> Sequence[XlaShape]:
        """Return the array shape inside."""
        return (self.array,)

    def validate(self) -> None:
        """Raise the error of `XlaShape.validate` if the array is no layout."""
        self.array.validate()

    def __eq__(self, other: object) -> bool:
        return self.array == other.array if isinstance(other, XlaBuffer) else NotImplemented

    def __hash__(self) -> int:
        return hash((XlaBuffer, self.array))

    def __str__(self) -> str:
        return f"b({self.array})"

    def __repr__(self) -> str:
        return f"XlaBuffer({self.array!r})"

    def _repr_html_(self) -> str | None:
        return html_of(self)

    def figure(
        self, rows: int = 16, columns: int = 64, slices: int = 4, colour: Scheme | None = None
    ) -> Figure:
        """Return the picture of its array, as data; see `XlaShape.figure`."""
        return self.array.figure(rows, columns, slices, colour)

    def __reduce__(self) -> tuple[Any, ...]:
        return XlaBuffer, (self.array, self.text)


AnyShape: TypeAlias = Union[XlaShape, XlaTuple, XlaBuffer]
"""Any shape of a text. Functions of one array refuse a tuple with a sentence."""
