"""``tla convert``: one layout in every notation, with what it takes in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..dtypes import element_type
from ..errors import TlaError, UnsupportedError
from ..figure import layout_figure
from ..read import read
from ..xla_bridge import (
    XlaShape,
    XlaTuple,
    from_layout,
    logical_bytes,
    physical_bytes,
    physical_elements,
    to_layout,
    xla_array_size_bytes,
)
from .common import argument_parser, bytes_in_words, text_argument
from .show import layout_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..layout import AnyLayout

__all__ = ["run"]

_EPILOG = """\
examples:
  tla convert 'bf16[8,1,1280,16384]{3,2,0,1:T(8,128)(2,1)}'
  tla convert '((2,2),(2,3)):((2,12),(1,4)):(3,5)' --dtype bf16
  tla convert '(3,5):(128,1)' --size 1024
  echo 'f32[3,5]{1,0:T(2,2)}' | tla convert -

Static ints print as _N. The third part of a TLA layout is the origin shape: how much of each mode
holds data. An XLA shape keeps that as its dims; the layout's own shape is the padded box.
"""

_PICTURE = 256
"""The most coordinates that `tla convert` draws; `tla show` draws more."""


def run(arguments: list[str]) -> int:
    parser = argument_parser(
        "convert", "Convert a layout between the notations of TLA and XLA.", _EPILOG
    )
    parser.add_argument("text", metavar="TEXT", help="a layout, TLA or XLA; - is standard input")
    parser.add_argument("--dtype", help="element type for a TLA layout, as bf16 (default f32, and said)")
    parser.add_argument(
        "--size", type=int, metavar="N", help="elements that a TLA layout is to take in memory"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object, or a list")
    options = parser.parse_args(arguments)
    if options.dtype is not None:
        element_type(options.dtype)
    value = read(text_argument(options.text))
    if isinstance(value, (XlaShape, XlaTuple)) and (options.dtype or options.size is not None):
        parser.error("--dtype and --size go with a TLA layout; an XLA shape says both itself")
    several = isinstance(value, XlaTuple)
    entries = [_Entry(v, options.dtype, options.size) for v in (value.arrays() if several else [value])]
    if options.json:
        import json

        facts = [entry.facts() for entry in entries]
        print(json.dumps(facts if several else facts[0]))
    else:
        for i, entry in enumerate(entries):
            if i:
                print()
            entry.write(f"{options.dtype or 'f32'} assumed" if not options.dtype else "")
    return 1 if any(entry.failed for entry in entries) else 0


class _Entry:
    """One layout: what was given, what it converts to, or why it does not."""

    def __init__(self, value: Any, dtype: str | None, size: int | None) -> None:
        self.from_xla = isinstance(value, XlaShape)
        self.layout: AnyLayout | None = None
        self.shape: XlaShape | None = None
        self.reason = ""
        try:
            if isinstance(value, XlaShape):
                self.shape = value
                self.layout = to_layout(value)
            else:
                self.layout = layout_of(value)
                self.dtype = element_type(dtype or "f32")
                self.shape = from_layout(self.layout, self.dtype.name, size)
        except TlaError as error:
            if self.layout is None and self.shape is None:
                raise
            self.reason = str(error)

    @property
    def has_data(self) -> bool:
        return self.shape is None or self.shape.element.bits is not None

    @property
    def failed(self) -> bool:
        """Whether the layout has no other notation; a token has none to begin with."""
        return bool(self.reason) and self.has_data

    def facts(self) -> dict[str, Any]:
        """The conversion as plain data."""
        layout, shape = self.layout, self.shape
        facts: dict[str, Any] = {"tla": None if layout is None else str(layout)}
        if layout is not None:
            facts["trimmed"] = str(layout.trimmed())
            facts["cosize"] = int(layout.cosize)
        facts["xla"] = None if shape is None else str(shape)
        facts["reason"] = self.reason or None
        if shape is not None and self.has_data:
            facts["elements"] = shape.elements
            facts["physical_elements"] = physical_elements(shape)
            facts["bytes"] = logical_bytes(shape)
            facts["physical_bytes"] = physical_bytes(shape)
        elif layout is not None:
            facts["elements"] = int(layout.valid_size)
        return facts

    def write(self, assumed: str) -> None:
        for name, text in self._rows("" if self.from_xla else assumed):
            first, *rest = text.split("\n")
            print(f"{name:9} {first}")
            for line in rest:
                print(f"{'':9} {line}")
        if self.layout is not None and 0 < self.layout.size <= _PICTURE:
            from ..show.terminal import write

            print()
            write(layout_figure(self.layout))

    def _rows(self, assumed: str) -> Iterator[tuple[str, str]]:
        tla = [("tla", f"none: {self.reason}" if self.layout is None else str(self.layout))]
        if self.layout is not None:
            trimmed = self.layout.trimmed()
            if (trimmed.shape, trimmed.stride) != (self.layout.shape, self.layout.stride):
                tla.append(("trimmed", str(trimmed)))
        shown = f"none: {self.reason}" if self.shape is None else str(self.shape)
        xla = [("xla", f"{shown}  ({assumed})" if assumed and self.shape else shown)]
        yield from xla + tla if self.from_xla else tla + xla
        if self.shape is None or not self.has_data:
            if self.layout is not None:
                data, room = int(self.layout.valid_size), int(self.layout.cosize)
                yield "elements", f"{data} of data, offsets over {room}"
            return
        shape = self.shape
        data, room = shape.elements, physical_elements(shape)
        yield "elements", f"{data}" if data == room else f"{data} of data, {room} in memory"
        logical, physical = logical_bytes(shape), physical_bytes(shape)
        note = "no padding" if logical == physical else f"{bytes_in_words(logical)} of data"
        if logical and physical > logical:
            note += f", {physical / logical:.1f}x"
        yield "memory", f"{bytes_in_words(physical)}, {note}"
        yield from self._notes(shape, physical)

    def _notes(self, shape: XlaShape, physical: int) -> Iterator[tuple[str, str]]:
        if not self.from_xla:
            return
        try:
            if xla_array_size_bytes(shape) != physical:
                size = bytes_in_words(xla_array_size_bytes(shape))
                yield "note", f"XLA itself counts the first tile only: {size}"
        except UnsupportedError as error:
            yield "note", error.summary
        if self.layout is not None:
            try:
                back = physical_elements(from_layout(self.layout))
            except TlaError as error:
                yield "note", f"the layout does not convert back: {error.summary}"
                return
            if back != physical_elements(shape):
                yield "note", f"to convert the layout back, give --size {physical_elements(shape)}"
