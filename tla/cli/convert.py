"""``tla convert``: one layout in every notation, with what it takes in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..dtypes import element_type
from ..errors import TlaError, UndecidedError, UnsupportedError
from ..figure import layout_figure
from ..ints import SymbolicInt, known_eq
from ..read import read
from ..xla_bridge import (
    XlaShape,
    XlaTuple,
    from_layout,
    logical_bytes,
    physical_bytes,
    physical_elements,
    size_of,
    to_layout,
)
from . import complain
from .common import argument_parser, bytes_in_words, in_tenths, positive, text_argument
from .show import layout_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..layout import AnyLayout

__all__ = ["run"]

_EPILOG = """\
examples:
  tla convert 'bf16[8,1,1280,16384]{3,2,0,1:T(8,128)(2,1)}'
  tla convert '((2,2),(2,3)):((2,12),(1,4)):(3,5)' --dtype bf16
  tla convert '(3,5):(128,1)' --size 1024
  tla convert 'f32[<=5,?]{1,0:T(2,2)}'
  echo 'f32[3,5]{1,0:T(2,2)}' | tla convert -

Static ints print as _N. The third part of a TLA layout is the origin shape: how much of each mode
holds data. An XLA shape keeps that as its dims; the layout's own shape is the padded box.
A dynamic dim is a symbolic int, d0 of dim 0: <=5 takes the memory of 5, ? that of its unknown size.
"""

_PICTURE = 256
"""The most coordinates that `tla convert` draws; `tla show` draws more."""


def run(arguments: list[str]) -> int:
    parser = argument_parser("convert", _EPILOG)
    parser.add_argument("text", metavar="TEXT", help="a layout, TLA or XLA; - is standard input")
    parser.add_argument("--dtype", help="element type for a TLA layout, as bf16 (default f32, and said)")
    parser.add_argument(
        "--size", type=positive, metavar="N", help="elements that a TLA layout is to take in memory"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object, or a list")
    options = parser.parse_args(arguments)
    if options.dtype is not None:
        try:
            element_type(options.dtype)
        except UnsupportedError as error:
            parser.error(". ".join(error.args))
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
            entry.write()
    failed = [entry.reason for entry in entries if entry.failed]
    for reason in failed:
        complain(f"tla: error: {reason}")
    return 1 if failed else 0


class _Entry:
    """One layout: what was given, what it converts to, or why it does not."""

    def __init__(self, value: Any, dtype: str | None, size: int | None) -> None:
        self.layout: AnyLayout | None = None
        self.shape: XlaShape | None = None
        self.reason = ""
        self.from_xla = isinstance(value, XlaShape)
        self.assumed = dtype is None and not self.from_xla
        if isinstance(value, XlaShape):
            self.shape = value
        else:
            self.layout = layout_of(value)
        try:
            if self.layout is None:
                self.layout = to_layout(value)
            else:
                self.shape = from_layout(self.layout, dtype or "f32", size)
        except TlaError as error:
            self.reason = str(error)

    @property
    def sized(self) -> XlaShape | None:
        """The shape, where it has one that carries data."""
        return self.shape if self.shape is not None and self.shape.element_type.bits else None

    @property
    def failed(self) -> bool:
        """Whether the layout has no other notation; a token has no layout to begin with."""
        return bool(self.reason) and (self.shape is None or self.sized is not None)

    def facts(self) -> dict[str, Any]:
        """The conversion as plain data."""
        layout, shape = self.layout, self.sized
        facts: dict[str, Any] = {
            "tla": None if layout is None else str(layout),
            "xla": None if self.shape is None else str(self.shape),
            "dtype_assumed": self.assumed,
            "reason": self.reason or None,
        }
        if layout is not None:
            trimmed = _settled(layout.trimmed)
            facts["trimmed"] = None if trimmed is None else str(trimmed)
            facts["cosize"] = _plain(_settled(lambda: layout.cosize))
            facts["elements"] = _plain(layout.valid_size)
        if shape is not None:
            facts["elements"] = _plain(shape.elements)
            facts["physical_elements"] = _plain(physical_elements(shape))
            facts["bytes"] = _plain(logical_bytes(shape))
            facts["physical_bytes"] = _plain(physical_bytes(shape))
        return facts

    def write(self) -> None:
        for name, text in self._rows():
            print(f"{name:9} {text}")
        if self.layout is not None and not self.layout.symbols and 0 < self.layout.size <= _PICTURE:
            from ..show.terminal import write

            print()
            write(layout_figure(self.layout))

    def _rows(self) -> Iterator[tuple[str, str]]:
        layout = [("tla", "none" if self.layout is None else str(self.layout))]
        if self.layout is not None:
            trimmed = _settled(self.layout.trimmed) or self.layout
            if (trimmed.shape, trimmed.stride) != (self.layout.shape, self.layout.stride):
                layout.append(("trimmed", str(trimmed)))
        shape = [("xla", "none")]
        if self.shape is not None:
            shape = [("xla", f"{self.shape}{'  (f32 assumed)' if self.assumed else ''}")]
        yield from shape + layout if self.from_xla else layout + shape
        if self.sized is not None:
            yield from _memory(self.sized)
        elif self.layout is not None:
            layout_ = self.layout
            room = _plain(_settled(lambda: layout_.cosize))
            span = "" if room is None else f", offsets that span {room}"
            yield "elements", f"{_plain(layout_.valid_size)} of data{span}"
        elif self.shape is not None:
            yield "note", "it carries no data"
        if self.from_xla and self.sized is not None and self.layout is not None:
            yield from _way_back(self.sized, self.layout)
        if self.layout is not None and self.layout.symbols:
            names = dict.fromkeys(s.name for s in self.layout.symbols)
            yield "note", f"for a picture, give a layout with numbers for {', '.join(names)}"


def _settled(find: Callable[[], Any]) -> Any:
    """What a function finds, or None where that depends on unknown sizes."""
    try:
        return find()
    except UndecidedError:
        return None


def _plain(n: Any) -> int | str | None:
    """An int as JSON has it: a symbolic one as text."""
    return None if n is None else str(n) if isinstance(n, SymbolicInt) else int(n)


def _memory(shape: XlaShape) -> Iterator[tuple[str, str]]:
    """What a shape takes in memory, beside its data and what XLA itself counts."""
    data, room = shape.elements, physical_elements(shape)
    most = "" if shape.is_static or shape.is_unbounded_dynamic else " at most"
    full = shape.is_static and known_eq(data, room) is True
    yield "elements", f"{data}" if full else f"{data} of data{most}, {room} in memory"
    logical, physical = logical_bytes(shape), physical_bytes(shape)
    full = shape.is_static and known_eq(logical, physical) is True
    note = "no padding" if full else f"{_in_words(logical)} of data{most}"
    if shape.is_static and 0 < logical < physical:
        note += f", {in_tenths(physical, logical)}x"
    yield "memory", f"{_in_words(physical)}, {note}"
    warning = size_of(shape).warning
    if warning:
        yield "warning", warning


def _in_words(count: int) -> str:
    return f"{count} bytes" if isinstance(count, SymbolicInt) else bytes_in_words(count)


def _way_back(shape: XlaShape, layout: AnyLayout) -> Iterator[tuple[str, str]]:
    """What it takes to convert the layout back to a shape of the same size."""
    room = physical_elements(shape)
    try:
        if known_eq(physical_elements(from_layout(layout, shape.element_type)), room) is not True:
            from_layout(layout, shape.element_type, size=room)
            if not isinstance(room, SymbolicInt):
                yield "note", f"to convert the layout back, give --size {room}"
    except TlaError as error:
        yield "note", f"the layout does not convert back: {error.summary}"
