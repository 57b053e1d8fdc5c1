"""Reading XLA shape text: ``f32[3,5]{1,0:T(2,2)}``.

Three modes. ``document`` reads what the documents and people write: types in either case, ``;`` as
well as ``,`` in tiles, ``<>`` as well as ``{}``, -1 as well as ``*``. ``strict`` reads what XLA
prints. ``xla`` reads with the leniencies of XLA's own parser, which drops an attribute it cannot
finish. In every mode the result is a layout: XLA's validator rules hold of it.

>>> print(parse_shape("F32[3,5]{1,0:T(2;2)}"), parse_shape("f32[<=5,?]"))
f32[3,5]{1,0:T(2,2)} f32[<=5,?]{1,0}

Source: hlo_parser.cc ``ParseShape`` and ``ParseLayout``, hlo_lexer.cc.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NoReturn, TypeAlias

from ..dtypes import ELEMENT_TYPES, element_type
from ..errors import LayoutError, ParseError, TlaError, UnsupportedError
from ..text import Scanner, shortened
from .shape import (
    COMBINE,
    AnyShape,
    XlaShape,
    XlaTuple,
    check_attribute,
    check_order,
    check_tile,
)

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["MODES", "Mode", "parse_array", "parse_shape", "parse_shape_at"]

Mode: TypeAlias = Literal["document", "strict", "xla"]

MODES: tuple[Mode, ...] = ("document", "strict", "xla")

_INT64 = 2**63
_MAX_NESTING = 100

# The attributes in the order XLA demands, and what those are that this reader refuses.
_ORDER = ("T", "L", "E", "S")
_UNREAD = {
    "D": "dim level types D(...), a relic of sparse layouts",
    "#": "an index type #(...), a relic of sparse layouts",
    "*": "a pointer type *(...), a relic of sparse layouts",
    "SC": "split configs SC(...)",
    "P": "a physical shape P(...), a relic of sparse layouts",
    "M": "a metadata prefix M(...)",
}


def parse_shape(text: str, mode: Mode = "document") -> AnyShape:
    """Return the shape that a text writes; the text is kept beside the value.

    Raises:
        ParseError: the text is no shape, or uses what is not read yet; the error points at it.
    """
    reader = _Reader(text, mode)
    shape = reader.shape(_MAX_NESTING)
    reader.scan.expect_end()
    return shape


def parse_array(text: str, mode: Mode = "document") -> XlaShape:
    """Return the array shape that a text writes: `parse_shape` where a tuple would be a mistake.

    >>> parse_array("f32[3,5]{1,0}").dimensions
    (3, 5)

    Raises:
        ParseError: the text is no shape, or a tuple of shapes.
    """
    shape = parse_shape(text, mode)
    if isinstance(shape, XlaTuple):
        start = len(text) - len(text.lstrip())
        raise ParseError("expected one array shape, found a tuple", text, start, len(text.rstrip()))
    return shape


def parse_shape_at(text: str, start: int, mode: Mode = "strict") -> tuple[AnyShape, int]:
    """Return the shape that starts at ``start`` of a longer text, and where it ends.

    >>> parse_shape_at("x = f32[2]{0} negate(y)", 4)
    (XlaShape('f32', (2,), minor_to_major=(0,)), 13)
    """
    reader = _Reader(text, mode, start)
    return reader.shape(_MAX_NESTING), reader.scan.last


class _Reader:
    """The grammar of one text in one mode."""

    def __init__(self, text: str, mode: Mode, start: int = 0) -> None:
        if mode not in MODES:
            raise ValueError(f"mode is one of {', '.join(MODES)}; got {mode!r}")
        self.scan = Scanner(text, comments=True, start=start)
        self.documents = mode == "document"
        self.lenient = mode == "xla"

    def shape(self, room: int) -> AnyShape:
        start = self.scan.at
        if self.scan.peek() == "(":
            return self._tuple(room)
        name = self.scan.word()
        if not name:
            self.scan.fail(f"expected an element type such as f32, found {self.scan.found()}")
        if name == "b" and self.scan.peek() == "(":
            self.scan.fail("buffer shapes b(...) are not read", start)
        known = name.lower() if self.documents else name
        if known not in ELEMENT_TYPES:
            self._unknown_type(name, start)
        dims = self._dims()
        try:
            return self._with_layout(known, dims, start)
        except LayoutError as error:  # reads well, but is no layout
            self._blame(error, start)

    def _tuple(self, room: int) -> XlaTuple:
        start = self.scan.at
        if not room:
            self.scan.fail(f"tuples nested deeper than {_MAX_NESTING} levels")
        self.scan.expect("(")
        elements: list[AnyShape] = []
        if not self.scan.accept(")"):
            elements.append(self.shape(room - 1))
            while self.scan.accept(","):
                elements.append(self.shape(room - 1))
            self.scan.expect(")", "or ',' in the tuple of shapes")
        return XlaTuple(elements, self.scan.text[start : self.scan.last])

    def _unknown_type(self, name: str, start: int) -> None:
        if name.lower() in ELEMENT_TYPES:
            self.scan.fail(
                f"XLA writes the type in lower case, {name.lower()}; mode 'document' reads {name} too",
                start,
                start + len(name),
            )
        try:
            element_type(name)
        except UnsupportedError as error:
            raise ParseError(
                error.summary, self.scan.text, start, start + len(name), *error.details
            ) from None

    def _dims(self) -> list[int | str]:
        self.scan.expect("[", "and the dims after the element type")
        dims: list[int | str] = []
        if self.scan.accept("]"):
            return dims
        dims.append(self._dim())
        while self.scan.accept(","):
            dims.append(self._dim())
        self.scan.expect("]", "or ',' after a dim")
        return dims

    def _dim(self) -> int | str:
        """Read a dim: a size, ``<=`` and a bound, or ``?``."""
        if self.scan.accept("?"):
            return "?"
        start = self.scan.at
        what = "bound" if self.scan.accept("<=") else "dim"
        value = self._int(f"a {what}")
        if what == "bound" and value == -_INT64 and self.lenient:
            return "?"  # XLA keeps an unknown size as this int
        if value < 0:
            self.scan.fail(f"{what} {value} is negative", start, self.scan.last)
        return f"<={value}" if what == "bound" else value

    def _int(self, what: str) -> int:
        start = self.scan.at
        value = self.scan.integer(what)
        if not -_INT64 <= value < _INT64:
            self.scan.fail(f"{what} does not fit in 64 bits", start, self.scan.last)
        return value

    # --- the layout ---

    def _with_layout(self, element: str, dims: list[int | str], start: int) -> XlaShape:
        order: list[int] | None = None
        tiles: list[list[int | str]] = []
        values = {"L": 1, "E": 0, "S": 0}
        close = "}" if self.scan.accept("{") else ""
        if not close and self.documents and self.scan.accept("<"):
            close = ">"
        if close:
            order = self._order(len(dims), close)
            if self.scan.accept(":"):
                if self.scan.peek() == close and not self.lenient:
                    self.scan.fail(f"expected a layout attribute after ':', found {close!r}")
                self._attributes(tiles, values, close)
            self.scan.expect(close, "at the end of the layout")
        text = self.scan.text[start : self.scan.last]
        return XlaShape(element, dims, order, tiles, values["L"], values["E"], values["S"], text)

    def _order(self, rank: int, close: str) -> list[int]:
        start = self.scan.at
        if self.scan.peek() == close:
            self.scan.fail(f"an empty layout {'{}' if close == '}' else '<>'}: leave it out")
        order: list[int] = []
        if self.scan.peek() != ":":
            order.append(self._int("a dim number"))
            while self.scan.accept(","):
                order.append(self._int("a dim number"))
            if self.scan.peek() not in (":", close):
                self.scan.fail(
                    f"expected ',', ':' or {close!r} after a dim number, found {self.scan.found()}"
                )
        self._pointing(start, lambda: check_order(tuple(order), rank))
        return order

    def _pointing(self, start: int, check: Callable[[], object]) -> None:
        """Run a check of a part just read; what it raises points at the part."""
        try:
            check()
        except LayoutError as error:
            self._blame(error, start)

    def _blame(self, error: TlaError, start: int) -> NoReturn:
        raise ParseError(error.summary, self.scan.text, start, self.scan.last, *error.details) from None

    def _attributes(self, tiles: list[list[int | str]], values: dict[str, int], close: str) -> None:
        done = -1
        while self.scan.peek() not in (close, ""):
            start = self.scan.at
            if self.scan.peek() == "," and done >= 0:
                self.scan.fail("no ',' stands between layout attributes")
            # to XLA a letter and what follows it is one word: S1 is no S
            name = self.scan.word("_.-") or self.scan.peek()
            if name in _UNREAD:
                self.scan.fail(f"{_UNREAD[name]}, not read", start, start + len(name))
            if name not in _ORDER:
                expected = f"expected a layout attribute (T, L, E or S) or {close!r}"
                self.scan.fail(f"{expected}, found {shortened(name)!r}", start, start + len(name))
            if _ORDER.index(name) <= done:
                again = _ORDER.index(name) == done
                order = f"must stand before {_ORDER[done]}: the order is {' '.join(_ORDER)}"
                self.scan.fail(f"{name} {'is given twice' if again else order}", start)
            done = _ORDER.index(name)
            if name == "T":
                self._tiles(tiles)
            else:
                self._value(name, values)

    def _tiles(self, tiles: list[list[int | str]]) -> None:
        if self.lenient and self.scan.peek() != "(":
            # XLA reads a tile without entries here, which places nothing
            self.scan.fail("T without a tile: XLA reads T(), which is no layout")
        self.scan.expect("(", "of a tile after T")
        while self._tile(tiles) and self.scan.accept("("):
            pass

    def _tile(self, tiles: list[list[int | str]]) -> bool:
        """Read a tile behind its '('; False where it is unfinished, which ends XLA's tiles."""
        start = self.scan.last - 1
        entries: list[int | str] = [self._tile_entry()]
        tiles.append(entries)
        finished = self.scan.accept(")")
        while not finished:
            if not (self.documents and self.scan.accept(";")):
                if self.lenient and self.scan.peek() != ",":
                    break  # XLA keeps what it has read of the tile
                self.scan.expect(",", "or ')' in a tile")
            if self.lenient and not self.scan.peek().isdigit() and self.scan.peek() != COMBINE:
                break
            entries.append(self._tile_entry())
            finished = self.scan.accept(")")
        self._pointing(start, lambda: check_tile(entries))
        return finished

    def _tile_entry(self) -> int | str:
        if self.scan.accept(COMBINE):
            return COMBINE
        start = self.scan.at
        size = self._int("a tile size or '*'")
        if size < 1 and not (size == -1 and self.documents):
            self.scan.fail(f"tile size {size} is not positive", start, self.scan.last)
        return size

    def _value(self, name: str, values: dict[str, int]) -> None:
        start = self.scan.last - len(name)
        if self.lenient and not self.scan.accept("("):
            return  # XLA drops an attribute without a value
        if not self.lenient:
            self.scan.expect("(", f"after {name}")
        if self.lenient and not (self.scan.peek().isdigit() or self.scan.peek() == "-"):
            return
        value = self._int(f"the value of {name}")
        if not self.scan.accept(")") and not self.lenient:
            self.scan.expect(")", f"after the value of {name}")
        if self.lenient and name == "S":
            value = (value + 128) % 256 - 128  # XLA keeps it in an int8
        self._pointing(start, lambda: check_attribute(name, value))
        values[name] = value
