# SPDX-License-Identifier: Apache-2.0
"""The reader of XLA shape text: ``f32[3,5]{1,0:T(2,2)}``.

It has three modes. ``document`` reads the texts of documents and people: types in either case, ``;`` or
``,`` in tiles, ``<>`` or ``{}``, -1 or ``*``. ``strict`` reads the texts that XLA prints and its
validator accepts. ``xla`` reads the texts of XLA's own parser. There an unfinished attribute counts as
far as it goes, and a shape outside a tuple may be no layout. `XlaShape.validate` refuses such a shape,
and so does every function that places elements.

>>> print(parse_shape("F32[3,5]{1,0:T(2;2)}"), parse_shape("f32[<=5,?]"))
f32[3,5]{1,0:T(2,2)} f32[<=5,?]{1,0}
>>> print(parse_shape("f32[3]{0:T(8,}", "xla"), parse_shape("f32[3,5]{1,1}", "xla"))
f32[3]{0:T(8)} f32[3,5]{1,1}

Source: hlo_parser.cc ``ParseShape`` and ``ParseLayout``, hlo_lexer.cc.
"""

from __future__ import annotations

from functools import cache
from math import prod
from re import VERBOSE, compile as compile_pattern
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from ..errors import ArgumentError, LayoutError, ParseError, UnsupportedError
from ..ground import (
    ELEMENT_TYPES,
    MAX_DEPTH,
    element_type,
    is_too_deep,
    limit_of,
    read_typed,
    shown,
    way_out,
)
from .arguments import range_down, unknown_size
from .attributes import ShapeScanner, read_attributes
from .rules import INT64, Fields, check, check_data, check_order, check_splits
from .shape import AnyShape, XlaBuffer, XlaShape, XlaTuple, fields_of, trusted_shape

if TYPE_CHECKING:
    from ..ground import ElementType
    from .rules import Split, Tile

Mode: TypeAlias = Literal["document", "strict", "xla"]

MODES: tuple[Mode, ...] = ("document", "strict", "xla")


def parse_shape(text: str, mode: Mode = "document") -> AnyShape:
    """Return the shape of a text; the shape keeps the text.

    >>> shape = parse_shape("F32[3,5]{1,0:T(2;2)}")
    >>> print(shape)
    f32[3,5]{1,0:T(2,2)}
    >>> shape.dimensions, shape.minor_to_major, shape.tiles
    ((3, 5), (1, 0), ((2, 2),))

    Raises:
        ParseError: the text is no shape, or breaks a rule; the error points at the place.
    """
    common = _common_form(text, 0) if mode in MODES else None
    if common is not None and common[1] == len(text):
        return common[0]
    return read_typed(_whole, text, mode) if mode == "document" else _whole(text, mode)


def _whole(text: str, mode: Mode) -> AnyShape:
    reader = _Reader(text, mode, whole=True)
    shape = reader.shape(MAX_DEPTH)
    reader.scan.expect_end()
    return shape


def parse_array(text: str, mode: Mode = "document") -> XlaShape:
    """Return the array shape of a text: `parse_shape` for texts without tuples.

    >>> parse_array("f32[3,5]{1,0}").dimensions
    (3, 5)

    Raises:
        ParseError: the text is no shape, or a tuple or a buffer.
    """
    shape = parse_shape(text, mode)
    if isinstance(shape, XlaShape):
        return shape
    kind = "tuple" if isinstance(shape, XlaTuple) else "buffer"
    start = len(text) - len(text.lstrip())
    raise ParseError(f"expected one array shape, found a {kind}", text, start, len(text.rstrip()))


def parse_shape_at(text: str, start: int, mode: Mode = "strict") -> tuple[AnyShape, int]:
    """Return the shape that starts at ``start`` of a longer text, and the place where it ends.

    A ``{`` without a number or a ``:`` after it is not part of the shape: it opens a computation.

    >>> parse_shape_at("x = f32[2]{0} negate(y)", 4)
    (XlaShape('f32', (2,), minor_to_major=(0,)), 13)
    """
    if start < 0:
        raise ArgumentError(f"a shape starts at 0 or later, not at {shown(start)}")
    if start > len(text):
        raise ArgumentError(
            f"a shape starts in the text, of {len(text)} characters, not at {shown(start)}"
        )
    common = _common_form(text, start) if mode in MODES else None
    if common is not None:
        return common
    reader = _Reader(text, mode, start)
    return reader.shape(MAX_DEPTH), reader.scan.last


# --- the most common form of XLA's printer, in one step ---

_COMMON: Final = compile_pattern(
    r"""
    ([a-z][a-z0-9]*)                                    # element type
    \[ ((?: (?:<=)? [0-9]{1,18} (?: , (?:<=)? [0-9]{1,18} ){0,31} )?) \]
    (?: \{ (?=[0-9:])
        ((?: [0-9]{1,2} (?: , [0-9]{1,2} )* )?)            # minor_to_major
        (?: : (?=[A-Z])
            (?: T ((?: \( [1-9][0-9]{0,17} (?: , [1-9][0-9]{0,17} )* \) )+) )?
            (?: L \( ([1-9][0-9]{0,17}) \) )?
            (?: E \( ([0-9]{1,18}) \) )?
            (?: S \( (-?[0-9]{1,2}) \) )?
            (?: SC ((?: \( [0-9]{1,2} : (?: [0-9]{1,18} (?: , [0-9]{1,18} )* )? \) )+) )?
            (?: M \( ([0-9]{1,18}) \) )?
        )?
        \}
    |   (?! [ \t\r\n]* [{</] )                          # no layout, also none after blanks
    )
    """,
    VERBOSE,
)
_DESCENDING: Final = [range_down(rank) for rank in range(33)]
_BYTES: Final = {name: type_.bytes for name, type_ in ELEMENT_TYPES.items() if type_.bytes}


def _common_form(text: str, start: int) -> tuple[XlaShape, int] | None:
    """The shape at ``start`` and its end, if it is of the common form and follows all rules.

    It means the same in every mode. The reader handles other texts: sizes near 2^63, or against a rule.
    """
    found = _COMMON.match(text, start) if isinstance(text, str) else None  # pyright: ignore[reportUnnecessaryIsInstance]
    if found is None:
        return None
    name, dims, order, tiled, tail, bits, space, cuts, prefix = found.groups()
    if not dims and order is None and name in _BYTES:
        return _scalar(name), found.end()
    size = _BYTES.get(name)
    sizes = tuple(map(int, dims.replace("<=", "").split(","))) if dims else ()
    if size is None or not 0 < prod(sizes) * size <= INT64:
        return None
    places = descending = _DESCENDING[len(sizes)]
    if order is not None:
        places = tuple(map(int, order.split(","))) if order else ()
        if places != descending and sorted(places, reverse=True) != list(descending):
            return None
    tiles: tuple[Tile, ...] = ()
    if tiled:
        tiles = tuple([tuple(map(int, tile.split(","))) for tile in tiled[1:-1].split(")(")])
    splits: tuple[Split, ...] = ()
    if cuts:
        parts = [cut.partition(":") for cut in cuts[1:-1].split(")(")]
        splits = tuple([(int(d), tuple(map(int, at.split(",") if at else ()))) for d, _, at in parts])
        try:
            check_splits(splits, places, sizes)
        except LayoutError:
            return None
    fields = Fields(
        ELEMENT_TYPES[name],
        sizes,
        tuple([dim[0] == "<" for dim in dims.split(",")]) if "<" in dims else (False,) * len(sizes),
        places,
        tiles,
        int(tail) if tail else 1,
        None,
        None,
        int(bits) if bits else 0,
        int(space) if space else 0,
        splits,
        int(prefix) if prefix else 0,
    )
    return trusted_shape(fields, found[0]), found.end()


@cache
def _scalar(name: str) -> XlaShape:
    """The scalar of an element type without a layout, one value for each type."""
    fields = Fields(ELEMENT_TYPES[name], (), (), (), (), 1, None, None, 0, 0, (), 0)
    return trusted_shape(fields, f"{name}[]")


# --- the grammar ---


class _Reader:
    """The grammar of one text in one mode.

    Args:
        whole: The text is nothing but a shape, so that every ``{`` belongs to it.
    """

    def __init__(self, text: str, mode: Mode, start: int = 0, whole: bool = False) -> None:
        if mode not in MODES:
            raise ArgumentError(f"mode is one of {', '.join(MODES)}; got {shown(mode)}")
        self.scan = ShapeScanner(text, mode, start)
        self.whole = whole

    def shape(self, room: int) -> AnyShape:
        common = _common_form(self.scan.text, self.scan.at)
        if common is not None:
            self.scan.go(common[1])
            return common[0]
        if self.scan.peek() == "(":
            return self._tuple(room)
        start = self.scan.at
        name = self.scan.word()
        if name == "b" and self.scan.peek() == "(":
            return self._buffer(start)
        return self._array(name, start)

    def _text(self, start: int) -> str:
        """The text from ``start`` up to here, without the blanks at its end."""
        return self.scan.text[start : self.scan.last]

    def _tuple(self, room: int) -> XlaTuple:
        start = self.scan.at
        if is_too_deep(room):
            summary = f"tuples nested deeper than {limit_of('nesting')} levels"
            self.scan.fail(summary, None, None, way_out("nesting"))
        self.scan.expect("(")
        elements: list[AnyShape] = []
        if not self.scan.accept(")"):
            elements.append(self._element(room))
            while self.scan.accept(","):
                elements.append(self._element(room))
            self.scan.expect(")", "or ',' in the tuple of shapes")
        return XlaTuple(elements, self._text(start))

    def _element(self, room: int) -> AnyShape:
        """Read an element of a tuple. XLA's parser validates only these shapes."""
        start = self.scan.at
        element = self.shape(room - 1)
        if self.scan.lenient and not isinstance(element, XlaTuple):
            for array in element.arrays():
                self.scan.pointing(start, check, fields_of(array), False)
        return element

    def _buffer(self, start: int) -> XlaBuffer:
        self.scan.expect("(")
        inside = self.scan.at
        array = self._array(self.scan.word(), inside)
        if array.element_type.bits is None:
            self.scan.fail(f"{array} carries no data: it has no buffer", inside, self.scan.last)
        self.scan.expect(")", "at the end of the buffer")
        return XlaBuffer(array, self._text(start))

    # --- arrays ---

    def _array(self, name: str, start: int) -> XlaShape:
        element = self._element_type(name, start)
        fields = self._dims(Fields(element, (), (), ()))
        close = self._opening()
        if close:
            if element.bits is None:
                self.scan.fail(f"{element.name} carries no data: it has no layout", self.scan.last - 1)
            fields = self._layout(fields, close)
        valid = True
        try:
            check(fields)
        except LayoutError as error:  # the text is well formed, but no layout
            if not self.scan.lenient:
                self.scan.blame(error, start)
            valid = False
        self.scan.pointing(start, check_data, fields)  # XLA dies of it
        return trusted_shape(fields, self._text(start), valid)

    def _element_type(self, name: str, start: int) -> ElementType:
        if not name:
            self.scan.fail(f"expected an element type such as f32, found {self.scan.found()}")
        known = ELEMENT_TYPES.get(name.lower() if self.scan.documents else name)
        if known is not None:
            return known
        end = start + len(name)
        if name.lower() in ELEMENT_TYPES:
            lower = f"XLA writes the type in lower case, {name.lower()}"
            self.scan.fail(f"{lower}; mode 'document' reads {name} too", start, end)
        try:
            return element_type(name)
        except UnsupportedError as error:
            raise ParseError(error.summary, self.scan.text, start, end, *error.details) from None

    def _dims(self, fields: Fields) -> Fields:
        self.scan.expect("[", "and the dims after the element type")
        dims: list[int] = []
        dynamic: list[bool] = []
        if not self.scan.accept("]"):
            self._dim(dims, dynamic)
            while self.scan.accept(","):
                self._dim(dims, dynamic)
            self.scan.expect("]", "or ',' after a dim")
        return fields._replace(
            dimensions=tuple(dims),
            dynamic_dimensions=tuple(dynamic),
            minor_to_major=range_down(len(dims)),
        )

    def _dim(self, dims: list[int], dynamic: list[bool]) -> None:
        """Read a dim: a size, ``<=`` and a bound, or ``?``."""
        start = self.scan.at
        unknown = self.scan.accept("?")
        bounded = not unknown and self.scan.accept("<=")
        what = "bound" if bounded else "dim"
        value = 0 if unknown else self.scan.int64(f"a {what}")
        if bounded and self.scan.lenient and value == -INT64 - 1:
            unknown = True  # XLA's int for an unknown size
        if value < 0 and not unknown:
            self.scan.fail(f"{what} {value} is negative", start, self.scan.last)
        dims.append(unknown_size(len(dims)) if unknown else value)
        dynamic.append(unknown or bounded)

    # --- the layout ---

    def _opening(self) -> str:
        """Go past the bracket that opens a layout, and return the one that closes it, or ""."""
        at, last = self.scan.at, self.scan.last
        close = "}" if self.scan.accept("{") else ""
        if not close and self.scan.documents and self.scan.accept("<"):
            close = ">"
        if close and not self.whole and self.scan.peek() not in tuple("0123456789-:"):
            self.scan.at, self.scan.last = at, last  # it opens something else, such as a computation
            return ""
        return close

    def _layout(self, fields: Fields, close: str) -> Fields:
        start = self.scan.at
        fields = fields._replace(minor_to_major=tuple(self._order(close)))
        order, rank = fields.minor_to_major, len(fields.dimensions)
        if not self.scan.lenient or len(order) != rank:
            self.scan.pointing(start, check_order, order, rank)
        if self.scan.accept(":"):
            if self.scan.peek() == close and not self.scan.lenient:
                self.scan.fail(f"expected a layout attribute after ':', found {close!r}")
            fields = read_attributes(self.scan, close, fields)
        self.scan.expect(close, "at the end of the layout")
        return fields

    def _order(self, close: str) -> list[int]:
        order: list[int] = []
        if self.scan.peek() == close:
            self.scan.fail(f"an empty layout {'{}' if close == '}' else '<>'}: leave it out")
        if self.scan.peek() != ":":
            order.append(self.scan.int64("a dim number"))
            while self.scan.accept(","):
                order.append(self.scan.int64("a dim number"))
            if self.scan.peek() not in (":", close):
                expected = f"expected ',', ':' or {close!r} after a dim number"
                self.scan.fail(f"{expected}, found {self.scan.found()}")
        return order
