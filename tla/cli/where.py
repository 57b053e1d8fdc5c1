# SPDX-License-Identifier: Apache-2.0
"""``tla where``: the place of an element in memory."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ..errors import ParseError, UndecidedError
from ..ground import say, shortened
from ..layouts import idx2crd, is_composed, is_layout, parse_int_tuple, to_text
from ..numbers import SymbolicInt, is_tuple
from ..read import read, tagged
from ..xla_bridge import (
    COMBINE,
    XlaBuffer,
    XlaShape,
    XlaTuple,
    array_shape,
    bit_address,
    byte_address,
    physical_bytes,
    physical_offset,
    size_of,
    split_piece,
    storage_bits,
    tiling_steps,
)
from .common import (
    GIVEN,
    NUMBER_OR_BOUND,
    POINTERS,
    SAY_MORE,
    InputError,
    on_command_line,
    plain,
    text_argument,
)
from .messages import say_json
from .parser import argument_parser
from .show import layout_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..ascend import TaggedLayout
    from ..layouts import AnyLayout, ComposedLayout
    from ..xla_bridge import Tile, TilingExplanation

_EPILOG = """\
examples:
  tla where 'f32[3,5]{1,0:T(2,2)}' 2,3
  tla where 'f32[3,5]{1,0:T(2,2)}' y=2,x=3
  tla where 'bf16[8,1,1280,16384]{3,2,0,1:T(8,128)(2,1)}' '(7,0,1279,16383)' --json
  tla where '((4,2),(4,3)):((4,16),(1,32))' 1,5
  tla where 'zN<half>(20,48)' 17,20
  tla where 'module.hlo:%pad.0' 1,107,79
  echo 's4[5]{0:E(4)}' | tla where - 3

The offset counts elements. Bytes and bits count from the first byte of the data, which metadata, M(n),
lies in front of; packed elements, E(n), stand little-endian in their bytes. An index of a scalar is ().
The numbers of a tile are in the order of memory, the slowest axis first, and 'dims' says which dim each
is of: one that an earlier tile has cut has several, 1+2 are merged by '*', - is an axis of no dim.
A layout of TLA takes any of its coordinates; one by its tag also says how large its elements are.
'tla explain tiling SHAPE INDEX' shows how the place in a shape comes about.
"""


def run(arguments: list[str]) -> int:
    parser = argument_parser("where", _EPILOG + POINTERS)
    parser.add_argument("shape", metavar="SHAPE", help=GIVEN)
    parser.add_argument(
        "index", metavar="INDEX", help="the index of an element, as 2,3, '(2,3)' or y=2,x=3"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(arguments)
    text = text_argument(options.shape)
    expect_order("where", text, options.index)
    by_tag = tagged(text)
    place = place_of(read(text)) if by_tag is None else by_tag.layout
    letters = place.letters if isinstance(place, XlaShape) else ""
    index = index_argument(index_text(options.index, letters))
    if isinstance(place, XlaShape):
        facts, rows = _in_shape(place, index), _shape_rows
    else:
        facts, rows = _in_layout(place, index, by_tag), _layout_rows
    if options.json:
        say_json(facts)
        return 0
    for name, text in rows(facts):
        say(f"{name:9} {text}")
    return 0


_AN_INDEX = re.compile(r"[\s\d,()_-]+")


def expect_order(command: str, text: str, index: str) -> None:
    """Refuse an index in the place of a layout, before what may be that layout.

    Raises:
        InputError: the two are swapped.
    """
    if _AN_INDEX.fullmatch(text) and not _AN_INDEX.fullmatch(index):
        raise InputError(
            f"{text.strip()!r} is an index, and the layout comes first",
            f"Write tla {command} '{shortened(index.strip())}' {text.strip()}.",
        )


def place_of(value: Any) -> XlaShape | AnyLayout | ComposedLayout:
    """Return the array or the layout of a value that was read, perhaps one behind a swizzle.

    Raises:
        UnsupportedError: the value is a tuple of shapes, a token or opaque.
        InputError: the value is no layout.
    """
    if isinstance(value, (XlaShape, XlaTuple, XlaBuffer)):
        return array_shape(value)
    return value if is_composed(value) else layout_of(value)


def shape_of(value: Any) -> XlaShape:
    """Return the array of a value that was read; a layout of TLA is refused.

    Raises:
        UnsupportedError: it is a tuple of shapes, a token or opaque.
        InputError: it is no XLA shape.
    """
    if isinstance(value, (XlaShape, XlaTuple, XlaBuffer)):
        return array_shape(value)
    raise InputError(
        f"{value if is_layout(value) else to_text(value)} is no XLA shape",
        "A shape with tiles is written such as f32[3,5]{1,0:T(2,2)}; 'tla convert' finds the one of a"
        " layout.",
    )


def index_argument(text: str, name: str = "INDEX") -> tuple[Any, ...]:
    """Return the index that an argument writes, with or without parentheses.

    Raises:
        ParseError: it writes none; the error says of which argument.
    """
    text = text.strip()
    try:
        index = parse_int_tuple(text if text.startswith("(") else f"({text})")
    except ParseError as error:
        raise error.named(name) from None
    return index if is_tuple(index) else (index,)


def index_text(text: str, letters: str) -> str:
    """Return the index that an argument such as ``y=2,x=3`` writes; another text is returned as it is.

    Raises:
        InputError: it has other letters than those of the dims.
    """
    if not re.fullmatch(r"[({\s]*[a-z]\s*[=:][^=:]*(,\s*[a-z]\s*[=:][^=:]*)*[)}\s]*", text):
        return text
    parts = re.findall(r"([a-z])\s*[=:]\s*([^,(){}]*)", text)
    if sorted(letter for letter, _value in parts) != sorted(letters):
        known = f"its dims are {', '.join(letters)}" if letters else "its dims have no letters"
        raise InputError(f"the index {shortened(text)!r} does not fit the shape: {known}")
    return ",".join(dict(parts)[letter] for letter in letters)


def by_letter(letters: str, index: Iterable[Any]) -> str:
    """Return an index with the letters of its dims, as ``y=2, x=3``."""
    return ", ".join(f"{letter}={i}" for letter, i in zip(letters, index, strict=True))


def steps_to(shape: XlaShape, index: tuple[Any, ...] | None) -> TilingExplanation:
    """Return the steps to the memory of a shape, and to the place of an element in it."""
    try:
        return tiling_steps(shape, index)
    except UndecidedError as error:
        faults = [
            f"Write a number for {x}, from 0 to {n - 1}."
            for x, n in zip([] if index is None else index, shape.dimensions, strict=False)
            if isinstance(x, SymbolicInt) and type(n) is int
        ]
        raise UndecidedError(
            f"whether {shape} has the element {to_text(index)} is open: {error.summary}",
            *(faults or [NUMBER_OR_BOUND]),
            **error.data,
        ) from None


# --- an XLA shape ---


def _in_shape(shape: XlaShape, at: tuple[Any, ...]) -> dict[str, Any]:
    explained = steps_to(shape, at)
    use = size_of(shape)
    return {
        "xla": str(shape),
        "index": [plain(x) for x in at],
        "letters": shape.letters or None,
        "offset": plain(explained.offset),
        "elements": plain(explained.elements),
        "byte": plain(byte_address(shape, at)),
        "bytes": plain(physical_bytes(shape)),
        "bit": plain(bit_address(shape, at)),
        "element_bits": storage_bits(shape),
        "tiles": list(_tiles(explained)),
        "piece": _piece(shape, at) if shape.split_configs else None,
        "prefix_bytes": shape.dynamic_shape_metadata_prefix_bytes,
        "warning": use.warning or None,
    }


def _tiles(explained: TilingExplanation) -> Iterator[dict[str, Any]]:
    """The place of the element in each tile, and the dims of each axis."""
    axes: list[list[int]] = [[dim] for dim in explained.shape.major_to_minor]
    for step in explained.steps:
        if step.action != "transpose" or step.tile is None or step.coordinate is None:
            continue
        axes = _under(step.tile, axes)
        count = len(axes) - len([t for t in step.tile if t != COMBINE])
        yield {
            "tile": ["*" if t == COMBINE else int(t) for t in step.tile],
            "number": [plain(x) for x in step.coordinate[:count]],
            "of": [plain(n) for n in step.dimensions[:count]],
            "dims": axes[:count],
            "inside": [plain(x) for x in step.coordinate[count:]],
        }


def _under(tile: Tile, axes: list[list[int]]) -> list[list[int]]:
    """The dims of each axis behind a tile: those of the counts, then those inside."""
    missing: list[list[int]] = [[]] * (len(tile) - len(axes))
    axes = missing + axes
    kept = axes[: len(axes) - len(tile)]
    merged: list[list[int]] = []
    together: list[int] = []
    for t, dims in zip(tile, axes[len(kept) :], strict=True):
        together = list(dict.fromkeys((*together, *dims)))
        if t != COMBINE:
            merged.append(together)
            together = []
    return kept + merged + merged


def _piece(shape: XlaShape, at: tuple[Any, ...]) -> dict[str, Any]:
    piece = split_piece(shape, at)
    return {
        "numbers": list(piece.numbers),
        "xla": str(piece.shape),
        "index": [plain(x) for x in piece.element],
        "offset": plain(physical_offset(piece.shape, piece.element)),
        "byte": plain(byte_address(piece.shape, piece.element)),
    }


def _shape_rows(facts: dict[str, Any]) -> Iterator[tuple[str, str]]:
    yield "element", f"{_tuple(facts['index'])} of {facts['xla']}"
    if facts["letters"]:
        yield "letters", by_letter(facts["letters"], facts["index"])
    yield "offset", f"{facts['offset']} of {facts['elements']}"
    yield from _byte_rows(facts)
    for tile in facts["tiles"]:
        where = f"number {_tuple(tile['number'])} of {_tuple(tile['of'])}"
        dims = _tuple("+".join(map(str, dims)) or "-" for dims in tile["dims"])
        inside = _tuple(tile["inside"])
        yield "tile", f"{_tuple(tile['tile'])}: {where} in dims {dims}, inside at {inside}"
    piece = facts["piece"]
    if piece is not None:
        numbers = ",".join(map(str, piece["numbers"]))
        yield "piece", f"{numbers}: {_tuple(piece['index'])} of {piece['xla']}"
        yield "", f"offset {piece['offset']}, byte {piece['byte']} in the memory of the piece"
    if facts["prefix_bytes"]:
        yield "note", f"{facts['prefix_bytes']} bytes of metadata, M, lie in front of byte 0"
    if facts["warning"]:
        yield "warning", facts["warning"]


def _tuple(items: Any) -> str:
    return f"({','.join(map(str, items))})"


# --- a layout ---


def _in_layout(
    layout: AnyLayout | ComposedLayout, index: tuple[Any, ...], by_tag: TaggedLayout | None
) -> dict[str, Any]:
    at = index[0] if len(index) == 1 else index  # one int is a flat index
    try:
        offset = layout(at)
        facts = {
            "tla": str(layout),
            "index": to_text(at),
            "coordinate": to_text(idx2crd(at, layout.shape)),
            "offset": to_text(offset) if is_tuple(offset) else plain(offset),
            "valid": bool(layout.is_valid(at)),
        }
    except UndecidedError as error:
        raise on_command_line(error, SAY_MORE) from None
    return facts if by_tag is None else {**facts, **_in_bytes(by_tag, offset)}


def _in_bytes(by_tag: TaggedLayout, offset: Any) -> dict[str, Any]:
    """The first byte of an element, and the bytes in all, to the end of the last fractal."""
    bits, elements = by_tag.element.bits, by_tag.layout.cosize
    return {
        "tagged": str(by_tag),
        "elements": plain(elements),
        "byte": plain(offset * bits // 8),
        "bytes": plain(by_tag.element.bytes_of(elements)),
        "bit": plain(offset * bits),
        "element_bits": bits,
    }


def _layout_rows(facts: dict[str, Any]) -> Iterator[tuple[str, str]]:
    by_tag = facts.get("tagged")
    yield "element", f"{facts['index']} of {by_tag or facts['tla']}"
    if by_tag:
        yield "layout", facts["tla"]
    if facts["coordinate"] != facts["index"]:
        yield "digits", facts["coordinate"]
    yield "offset", f"{facts['offset']} of {facts['elements']}" if by_tag else str(facts["offset"])
    if by_tag:
        yield from _byte_rows(facts)
    if not facts["valid"]:
        yield "note", "padding: it lies outside the origin shape"


def _byte_rows(facts: dict[str, Any]) -> Iterator[tuple[str, str]]:
    yield "byte", f"{facts['byte']} of {facts['bytes']}"
    bits, first = facts["element_bits"], facts["bit"]
    if bits % 8 and isinstance(first, int):
        yield "bits", f"{first} to {first + bits - 1}, from bit {first % 8} of the byte on"
