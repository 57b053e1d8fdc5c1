# SPDX-License-Identifier: Apache-2.0
"""The reader of the attributes after the ``:`` of a layout: ``D T L # * E S SC P M``, in this order.

XLA's parser does not check that an attribute is whole. It keeps the part that it has read, and goes on
where it stopped. Mode "xla" does the same. The other modes need each attribute whole, and follow the
rules of `rules`.

Source: hlo_parser.cc ``ParseLayout``, ``ParseTiles``, ``ParseSplitConfigs``; hlo_lexer.cc.
"""

from __future__ import annotations

from re import compile as compile_pattern
from typing import TYPE_CHECKING, Any, Final, NoReturn

from ..errors import LayoutError, ParseError, TlaError
from ..ground import ELEMENT_TYPES, Scanner, shortened
from .rules import COMBINE, INT64, check_attribute, check_dense, check_splits, check_tile

if TYPE_CHECKING:
    from collections.abc import Callable, Container

    from .rules import Fields, TileDim


class ShapeScanner(Scanner):
    """The tokens of XLA's lexer, in one of the modes.

    Attributes:
        documents, lenient: Whether the mode is "document", or "xla".
    """

    __slots__ = ("documents", "lenient")

    at: int

    documents: bool
    lenient: bool

    def __init__(self, text: str, mode: str, start: int = 0) -> None:
        self.documents = mode == "document"
        self.lenient = mode == "xla"
        super().__init__(text, comments=True, start=start)

    def pass_to(self, at: int) -> None:
        self.last = at
        blanks = _BLANKS.match(self.text, at)
        self.at = blanks.end() if blanks else at

    def go(self, end: int) -> None:
        """Go to ``end``, and past the blanks after it."""
        self.pass_to(end)

    def int64(self, what: str) -> int:
        """Go past an integer of XLA's range and return it; fail before any other text."""
        start = self.at
        value = self.integer(what)
        if self.lenient and INT64 < value < 2**64:
            value -= 2**64  # XLA's lexer keeps the bits
        if not -INT64 - 1 <= value <= INT64:
            self.at = start
            self.fail(f"{what} does not fit in 64 bits", start, self.last)
        return value

    def known(self, names: Container[str], what: str) -> str:
        """Go past a word that is one of ``names`` and return it; fail before any other text."""
        start = self.at
        word = self.word("_.-")
        if word not in names:
            self.at = start
            self.fail(f"expected {what}, found {self.found()}", start)
        return word

    def found(self) -> str:
        if self.text.startswith("/*", self.at) and "*/" not in self.text[self.at + 2 :]:
            return "a comment without its '*/'"
        return super().found()

    def blame(self, error: TlaError, start: int) -> NoReturn:
        """Raise an error that points at the text from ``start`` to the last token."""
        raise ParseError(error.summary, self.text, start, self.last, *error.details) from None

    def pointing(self, start: int, check: Callable[..., object], *parts: object) -> None:
        """Run a check of some parts; its error points at the text from ``start`` on."""
        try:
            check(*parts)
        except LayoutError as error:
            self.blame(error, start)


# A character 0 ends XLA's text, also inside a comment.
_BLANKS: Final = compile_pattern(r"(?:[ \t\r\n]+|/\*[^\0]*?\*/|//[^\r\n\0]*(?=[\r\n]|\Z))*")

_ORDER: Final = ("D", "T", "L", "#", "*", "E", "S", "SC", "P", "M")
_NUMBERS: Final = {
    "L": "tail_padding_alignment_in_elements",
    "E": "element_size_in_bits",
    "S": "memory_space",
    "M": "dynamic_shape_metadata_prefix_bytes",
}
_TYPES: Final = {"#": "index_primitive_type", "*": "pointer_primitive_type"}
_INTEGRAL: Final = compile_pattern("[su][0-9]+")


def read_attributes(scan: ShapeScanner, close: str, fields: Fields) -> Fields:
    """Return the fields of a shape with the attributes that stand before ``close``."""
    return _Attributes(scan, fields).read(close)


class _Attributes:
    def __init__(self, scan: ShapeScanner, fields: Fields) -> None:
        self.scan = scan
        self.fields = fields

    def read(self, close: str) -> Fields:
        done = -1
        while self.scan.peek() not in (close, ""):
            start = self.scan.at
            if self.scan.peek() == "," and done >= 0:
                self.scan.fail("no ',' stands between layout attributes")
            # XLA reads a letter and the characters after it as one word: S1 is not S
            name = self.scan.word("_.-") or self.scan.peek()
            if name not in _ORDER:
                expected = f"expected a layout attribute ({' '.join(_ORDER)}) or {close!r}"
                self.scan.fail(f"{expected}, found {shortened(name)!r}", start, start + len(name))
            place = _ORDER.index(name)
            if place <= done:
                order = f"must stand before {_ORDER[done]}: the order is {' '.join(_ORDER)}"
                self.scan.fail(f"{name} {'is given twice' if place == done else order}", start)
            done = place
            self._attribute(name, start)
        return self.fields

    def _attribute(self, name: str, start: int) -> None:
        if name == "D":
            self._level_types(start)
        elif name == "T":
            self._tiles(start)
        elif name in _TYPES:
            self._type(name, start)
        elif name == "SC":
            self._splits(start)
        elif name == "P":
            self.scan.fail("a physical shape P(...) is of a sparse array: XLA refuses it", start)
        else:
            self._number(name, start)

    def _set(self, field: str, value: Any) -> None:
        self.fields = self.fields._replace(**{field: value})

    def _ignoring(self, read: Callable[[], object]) -> None:
        """Read as XLA does: without a check that the text is whole."""
        try:
            read()
        except ParseError:
            if not self.scan.lenient:
                raise

    def _number(self, name: str, start: int) -> None:
        found: list[int] = []

        def read() -> None:
            self.scan.expect("(", f"after {name}")
            found.append(self.scan.int64(f"the value of {name}"))
            self.scan.expect(")", f"after the value of {name}")

        self._ignoring(read)
        for value in found:
            if self.scan.lenient and name == "S":
                value = (value + 128) % 256 - 128  # XLA stores an int8
            elif self.scan.lenient and name == "M":
                value = max(value, 0)
            if name == "L" or not self.scan.lenient:  # XLA crashes on L(0)
                self.scan.pointing(start, check_attribute, name, value)
            self._set(_NUMBERS[name], value)

    # --- tiles ---

    def _tiles(self, start: int) -> None:
        tiles: list[list[TileDim]] = []
        self._ignoring(lambda: self._read_tiles(tiles))
        for n in (n for tile in tiles for n in tile if n != COMBINE and n < 0):  # XLA crashes on it
            self.scan.fail(f"tile size {n} is negative", start, self.scan.last)
        self._set("tiles", tuple(map(tuple, tiles)))

    def _read_tiles(self, tiles: list[list[TileDim]]) -> None:
        more = True
        while more:
            start = self.scan.at
            tile: list[TileDim] = []
            tiles.append(tile)
            self.scan.expect("(", "of a tile after T")
            if not (self.scan.lenient and self.scan.peek() == ")"):
                tile.append(self._tile_entry())
                while self.scan.accept(",") or (self.scan.documents and self.scan.accept(";")):
                    tile.append(self._tile_entry())
            self.scan.expect(")", "or ',' in a tile")
            if not self.scan.lenient:
                self.scan.pointing(start, check_tile, tile)
            more = self.scan.peek() == "("

    def _tile_entry(self) -> TileDim:
        if self.scan.accept(COMBINE):
            return COMBINE
        start = self.scan.at
        size = self.scan.int64("a tile size or '*'")
        if self.scan.lenient:
            return COMBINE if size == -INT64 - 1 else size  # XLA's own int for '*'
        if size == -1 and self.scan.documents:
            return COMBINE
        if size < 1:
            self.scan.fail(f"tile size {size} is not positive", start, self.scan.last)
        return size

    # --- splits ---

    def _splits(self, start: int) -> None:
        read: list[tuple[int, list[int]]] = []
        self._ignoring(lambda: self._read_splits(read))
        splits = tuple((number, tuple(indices)) for number, indices in read)
        if not self.scan.lenient:
            order, dims = self.fields.minor_to_major, self.fields.dimensions
            self.scan.pointing(start, check_splits, splits, order, dims)
        self._set("split_configs", splits)

    def _read_splits(self, splits: list[tuple[int, list[int]]]) -> None:
        more = True
        while more:
            self.scan.expect("(", "of a split after SC")
            indices: list[int] = []
            splits.append((self.scan.int64("the physical dim of a split"), indices))
            self.scan.expect(":", "after the physical dim of a split")
            if self.scan.peek() != ")":
                indices.append(self.scan.int64("a split index"))
                while self.scan.accept(","):
                    indices.append(self.scan.int64("a split index"))
            self.scan.expect(")", "or ',' in a split")
            more = self.scan.peek() == "("

    # --- the rest of sparse arrays ---

    def _type(self, name: str, start: int) -> None:
        self.scan.go(start + 1)
        found: list[str] = []
        self._ignoring(lambda: self.scan.expect("(", f"after {name}"))
        self._ignoring(lambda: found.append(self.scan.known(ELEMENT_TYPES, "an integer type")))
        self._ignoring(lambda: self.scan.expect(")", f"after the type of {name}"))
        for word in found:
            # XLA's text of a type that is not integral
            kept = word if _INTEGRAL.fullmatch(word) else "invalid"
            self._set(_TYPES[name], kept)
        if not self.scan.lenient:
            types = self.fields.index_primitive_type, self.fields.pointer_primitive_type
            self.scan.pointing(start, check_dense, *types)

    def _level_types(self, start: int) -> None:
        levels: list[str] = []
        self._ignoring(lambda: self._read_levels(levels))
        # XLA drops all levels; a dense level has no information
        if not self.scan.lenient and set(levels) - {"D"}:
            fault = f"dim level types D({','.join(levels)}) are of a sparse array"
            self.scan.fail(f"{fault}: all that is read is D", start, self.scan.last)

    def _read_levels(self, levels: list[str]) -> None:
        self.scan.expect("(", "after D")
        if self.scan.peek() != ")":
            levels.append(self._level())
            while self.scan.accept(","):
                levels.append(self._level())
        self.scan.expect(")", "or ',' after a dim level type")

    def _level(self) -> str:
        level = self.scan.known(("D", "C", "S", "H"), "a dim level type (D, C, S or H)")
        return level + "".join(mark for mark in "+~" if self.scan.accept(mark))
