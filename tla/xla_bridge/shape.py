"""XLA shapes as values: element type, dims, and the layout that places them in memory.

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
from operator import index
from re import compile as compile_pattern
from typing import TYPE_CHECKING, Any, Final, Literal, SupportsIndex, TypeAlias, Union

from .. import dtypes
from ..errors import CoordinateError, LayoutError, LeafError
from ..ints import SymbolicInt

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..dtypes import ElementType

__all__ = ["COMBINE", "AnyShape", "Tile", "TileDim", "XlaShape", "XlaTuple"]

COMBINE: Final = "*"
"""The tile entry that merges its dim into the next more minor one; -1 in the documents."""

TileDim: TypeAlias = Union[int, Literal["*"]]
Tile: TypeAlias = tuple[TileDim, ...]

_INT64 = 2**63 - 1

_FIELDS = (
    "dimensions",
    "minor_to_major",
    "tiles",
    "tail_padding_alignment_in_elements",
    "element_size_in_bits",
    "memory_space",
)


class XlaShape:
    """An array shape with its layout. Immutable, hashable; equality leaves ``text`` out.

    Args:
        element_type: An XLA element type by name, as ``"bf16"``.
        dimensions: Logical dims, in elements; 0 is legal. ``"<=5"`` is a dim of at most 5, ``"?"`` one
            of unknown size.
        minor_to_major: Dim numbers from the one that changes fastest; ``(n-1, ..., 0)`` by default.
        tiles: Tiles, each applied to what the one before it made; entries positive, or `COMBINE`
            (``"*"`` or -1) for a dim merged into the next one.
        tail_padding_alignment_in_elements: The element count is rounded up to a multiple, ``L(n)``.
        element_size_in_bits: Bits that one element takes where elements are packed, ``E(n)``;
            0 for whole bytes.
        memory_space: ``S(n)``; 0 is the device's main memory.
        text: What the shape was read from.

    As an attribute ``dimensions`` are the sizes in memory: of a bounded dim its bound, and of an unknown
    one, number ``i``, the symbolic int ``di{min=0}``. ``dynamic_dimensions`` tells both from fixed dims.

    Raises:
        LayoutError: a dim is negative, ``minor_to_major`` is not a permutation, a tile is empty,
            has an entry that is not positive, or ends in ``*``.
        UnsupportedError: XLA has no such element type.
    """

    __slots__ = ("dynamic_dimensions", "element_type", *_FIELDS, "text")

    element_type: ElementType
    dimensions: tuple[int, ...]
    dynamic_dimensions: tuple[bool, ...]
    minor_to_major: tuple[int, ...]
    tiles: tuple[Tile, ...]
    tail_padding_alignment_in_elements: int
    element_size_in_bits: int
    memory_space: int
    text: str | None

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
    ) -> None:
        given = _sequence("dimensions", dimensions)
        dims = tuple(_dim(i, d) for i, d in enumerate(given))
        order = tuple(range(len(dims)))[::-1]
        set_ = object.__setattr__
        set_(self, "element_type", dtypes.element_type(element_type))
        set_(self, "dimensions", dims)
        set_(self, "dynamic_dimensions", tuple(isinstance(d, str) for d in given))
        set_(
            self,
            "minor_to_major",
            order if minor_to_major is None else _ints("minor_to_major", minor_to_major),
        )
        set_(self, "tiles", tuple(check_tile(tile) for tile in tiles))
        tail = _int("tail padding", tail_padding_alignment_in_elements)
        set_(self, "tail_padding_alignment_in_elements", tail)
        set_(self, "element_size_in_bits", _int("element size", element_size_in_bits))
        set_(self, "memory_space", _int("memory space", memory_space))
        set_(self, "text", text)
        self._check()

    def _check(self) -> None:
        dims, order = self.dimensions, self.minor_to_major
        count = 1
        for d in dims:
            if isinstance(d, SymbolicInt):
                continue
            if d < 0:
                raise LayoutError(f"dimension {d} is negative", dimensions=dims)
            count *= d
            if max(d, count) > _INT64:  # from left to right, as XLA's validator multiplies
                raise LayoutError("the number of elements does not fit in 64 bits", dimensions=dims)
        if count * (self.element_type.bytes or 0) > _INT64:
            raise LayoutError("the size in bytes does not fit in 64 bits", dimensions=dims)
        check_order(order, len(dims))
        for letter, value in (
            ("L", self.tail_padding_alignment_in_elements),
            ("E", self.element_size_in_bits),
            ("S", self.memory_space),
        ):
            check_attribute(letter, value)
        if self.element_type.bits is None and (dims or self.tiles or self._attributes()):
            raise LayoutError(f"{self.element_type.name} carries no data: it has no dims and no layout")

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"an XlaShape is immutable: cannot set {name!r}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"an XlaShape is immutable: cannot delete {name!r}")

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

    def dimension(self, i: int) -> int:
        """Return the size of dim ``i``, or its bound; -1 is the last dim, as in Python.

        Raises:
            CoordinateError: there is no such dim.
        """
        i = _int("dimension", i)
        if not -self.rank <= i < self.rank:
            raise CoordinateError(f"there is no dim {i} in {self}, of rank {self.rank}", dim=i)
        return self.dimensions[i]

    # --- the value ---

    def _key(self) -> tuple[Any, ...]:
        return (self.element_type.name, self._dims(), *(getattr(self, name) for name in _FIELDS[1:]))

    def _dims(self) -> tuple[int | str, ...]:
        """The dims as they are given and written: dynamic ones as texts."""
        return tuple(
            d if not dynamic else "?" if isinstance(d, SymbolicInt) else f"<={d}"
            for d, dynamic in zip(self.dimensions, self.dynamic_dimensions, strict=True)
        )

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, XlaShape) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __str__(self) -> str:
        """The shape as XLA prints it: layout always, except for a scalar without attributes."""
        attributes = self._attributes()
        layout = _commas(self.minor_to_major) + (f":{attributes}" if attributes else "")
        return f"{self.element_type.name}[{_commas(self._dims())}]{f'{{{layout}}}' if layout else ''}"

    def _attributes(self) -> str:
        """The layout's attributes in XLA's fixed order, each left out at its default."""
        out = "T" if self.tiles else ""
        out += "".join(f"({_commas(tile)})" for tile in self.tiles)
        for letter, value, default in (
            ("L", self.tail_padding_alignment_in_elements, 1),
            ("E", self.element_size_in_bits, 0),
            ("S", self.memory_space, 0),
        ):
            out += f"{letter}({value})" if value != default else ""
        return out

    def __repr__(self) -> str:
        tail = self.tail_padding_alignment_in_elements
        options = (
            ("tiles", self.tiles, ()),
            ("tail_padding_alignment_in_elements", tail, 1),
            ("element_size_in_bits", self.element_size_in_bits, 0),
            ("memory_space", self.memory_space, 0),
        )
        named = "".join(f", {name}={value!r}" for name, value, default in options if value != default)
        order = f", minor_to_major={self.minor_to_major!r}" if self.dimensions else ""
        return f"XlaShape({self.element_type.name!r}, {self._dims()!r}{order}{named})"

    def __reduce__(self) -> tuple[Any, ...]:
        return XlaShape, (*self._key(), self.text)


class XlaTuple:
    """A tuple of shapes, which has no layout of its own.

    >>> print(XlaTuple([XlaShape("f32", (3,)), XlaShape("u32", ())]))
    (f32[3]{0}, u32[])
    """

    __slots__ = ("elements", "text")

    elements: tuple[XlaShape | XlaTuple, ...]
    text: str | None

    def __init__(self, elements: Iterable[XlaShape | XlaTuple], text: str | None = None) -> None:
        held = tuple(elements)
        for element in held:
            if not isinstance(element, (XlaShape, XlaTuple)):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise LeafError(f"a tuple of shapes cannot hold {type(element).__name__} {element!r}")
        object.__setattr__(self, "elements", held)
        object.__setattr__(self, "text", text)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"an XlaTuple is immutable: cannot set {name!r}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"an XlaTuple is immutable: cannot delete {name!r}")

    def arrays(self) -> Sequence[XlaShape]:
        """Return the array shapes inside, from left to right, also those of inner tuples."""
        out: list[XlaShape] = []
        for element in self.elements:
            out.extend(element.arrays() if isinstance(element, XlaTuple) else [element])
        return out

    def __eq__(self, other: object) -> bool:
        return self.elements == other.elements if isinstance(other, XlaTuple) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.elements)

    def __str__(self) -> str:
        # XLA numbers every fifth element, so that a reader keeps count
        parts = [f"/*index={i}*/{e}" if i and not i % 5 else f"{e}" for i, e in enumerate(self.elements)]
        return f"({', '.join(parts)})"

    def __repr__(self) -> str:
        return f"XlaTuple({self.elements!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return XlaTuple, (self.elements, self.text)


AnyShape: TypeAlias = Union[XlaShape, XlaTuple]
"""What the text of a shape may write. Functions of one array refuse a tuple with a sentence."""


def _commas(items: Iterable[object]) -> str:
    return ",".join(map(str, items))


def _int(what: str, x: object) -> int:
    if isinstance(x, bool) or not isinstance(x, SupportsIndex):
        raise LeafError(f"{what} needs an int, not {type(x).__name__} {x!r}", value=x)
    return index(x)


def _ints(what: str, xs: Iterable[object]) -> tuple[int, ...]:
    return tuple(_int(what, x) for x in _sequence(what, xs))


def _sequence(what: str, xs: Iterable[object]) -> tuple[object, ...]:
    if isinstance(xs, (int, str)):
        raise LeafError(f"{what} needs a sequence of ints, not {type(xs).__name__} {xs!r}", value=xs)
    return tuple(xs)


_BOUND = compile_pattern("<= *([0-9]{1,19})")


def _dim(i: int, d: object) -> Any:
    """The size in memory of dim ``i``: an int, the bound of ``"<=5"``, or a symbol for ``"?"``."""
    if isinstance(d, SymbolicInt):
        raise LeafError(
            f"dim {i} cannot be {d}: an XLA shape has no names for its dims",
            "Write '?', or '<=5' for a size of at most 5; to_layout(shape, dims=...) takes the names.",
            value=d,
        )
    if not isinstance(d, str):
        return _int("dimensions", d)
    if d == "?":
        from ..expr.symbols import sym  # few shapes need it

        return sym(f"d{i}", min=0)
    bound = _BOUND.fullmatch(d)
    if bound is None:
        raise LeafError(f"dim {i} is an int, '<=' and a bound, or '?'; got {d!r}", value=d)
    return int(bound[1])


def check_order(order: tuple[int, ...], rank: int) -> None:
    """Raise `LayoutError` unless ``order`` has each of the numbers below ``rank`` once."""
    if sorted(order) == list(range(rank)):
        return
    needs = {0: "none: a scalar has no dims", 1: "just the number 0"}
    raise LayoutError(
        f"minor_to_major {{{_commas(order)}}} is not an order of {rank} dim{'' if rank == 1 else 's'}",
        f"It needs {needs.get(rank, f'each of the numbers 0 to {rank - 1} once')}.",
        minor_to_major=order,
    )


_WORDS = {"L": "tail padding", "E": "element size", "S": "memory space"}


def check_attribute(letter: str, value: int) -> None:
    """Raise `LayoutError` unless the value of ``L``, ``E`` or ``S`` is one that XLA can hold."""
    bits = 8 if letter == "S" else 64
    if letter == "L" and value < 1:
        fault = "is not positive"
    elif letter == "E" and value < 0:
        fault = "is negative"
    elif not -(1 << bits - 1) <= value < 1 << bits - 1:
        fault = f"does not fit in {bits} bits"
    else:
        return
    raise LayoutError(f"{_WORDS[letter]} {letter}({value}) {fault}")


def check_tile(entries: Iterable[object]) -> Tile:
    """Return the tile of the entries given, with -1 for ``*`` admitted, or raise `LayoutError`."""
    if isinstance(entries, (int, str)):
        raise LeafError(f"a tile is a tuple, not {entries!r}", "Write tiles=[(8, 128)].")
    tile: list[TileDim] = []
    for entry in entries:
        n = -1 if entry == COMBINE else _int("a tile entry", entry)
        if (n < 1 and n != -1) or n > _INT64:
            fault = "is not positive" if n < 1 else "does not fit in 64 bits"
            raise LayoutError(f"tile entry {n} {fault}")
        tile.append(COMBINE if n == -1 else n)
    if not tile:
        raise LayoutError("a tile needs at least one entry")
    if tile[-1] == COMBINE:
        raise LayoutError(
            f"tile ({_commas(tile)}) ends in '*'",
            "'*' merges its dim into the next more minor one, and there is none.",
        )
    return tuple(tile)
