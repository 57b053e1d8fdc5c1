# SPDX-License-Identifier: Apache-2.0
"""``tla convert``: one layout in every notation, with its size in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import TlaError, UnsupportedError
from ..figures import drawable, layout_figure
from ..ground import ELEMENT_TYPES, Figure, Panels, element_type, say
from ..layouts import leaves
from ..memory import array_waste
from ..numbers import SymbolicInt, known_eq
from ..read import read, tagged
from ..xla_bridge import (
    XlaBuffer,
    XlaShape,
    XlaTuple,
    chip_named,
    from_layout,
    logical_bytes,
    memory_space_name,
    physical_bytes,
    physical_elements,
    remade,
    size_of,
)
from .common import (
    GIVEN,
    POINTERS,
    SAY_MORE,
    bytes_in_words,
    in_tenths,
    on_command_line,
    plain,
    positive,
    settled,
    text_argument,
)
from .messages import complain, say_json
from .parser import argument_parser
from .pictures import add_formats, is_asked_for, is_file_format, refuse_formats, write_figure
from .show import layout_of
from .spaces import complain_of_spaces

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..ascend import Element
    from ..ground import AnyFigure
    from ..layouts import AnyLayout
    from ..numbers import IntLike
    from ..xla_bridge import CombinedLayout

_EPILOG = """\
examples:
  tla convert 'bf16[8,1,1280,16384]{3,2,0,1:T(8,128)(2,1)}'
  tla convert '((2,2),(2,3)):((2,12),(1,4)):(3,5)' --dtype bf16
  tla convert '(3,5):(128,1)' --size 1024
  tla convert 'RowMajor<half>(20,48,ld=64)'
  tla convert 'f32[<=5,?]{1,0:T(2,2)}'
  tla convert 'module.hlo:%pad.0'
  tla convert 'bf16[32,32,4096]{2,1,0:T(8,128)(2,1)S(1)}' --chip v5e
  tla convert 'f32[3,5]{1,0:T(2,2)}' -o both.svg
  echo 'f32[3,5]{1,0:T(2,2)}' | tla convert -

Static ints print as _N. The third part of a TLA layout is the origin shape: how much of each mode
holds data. An XLA shape keeps that as its dims; the layout's own shape is the padded box.
A dynamic dim is a symbolic int, d0 of dim 0: <=5 takes the memory of 5, ? that of its unknown size.
Where tiles leave no layout with one mode for each dim, 'combined' is the one over merged dims.
"""

_PICTURE = 256
"""The most coordinates that `tla convert` draws; `tla show` draws more."""


def run(arguments: list[str]) -> int:
    parser = argument_parser("convert", _EPILOG + POINTERS)
    parser.add_argument("text", metavar="TEXT", help=GIVEN)
    parser.add_argument(
        "--dtype",
        help="element type for a TLA layout, as bf16 (default that of a tag, or f32, and said); of"
        " as many bits as the tag's",
    )
    parser.add_argument(
        "--size", type=positive, metavar="N", help="elements that a TLA layout is to take in memory"
    )
    parser.add_argument("--chip", help="name the memory space of a shape, S(n), as on this TPU")
    add_formats(parser, json="print one JSON object, or a list")
    options = parser.parse_args(arguments)
    refuse_formats(parser, options)
    if options.dtype is not None:
        try:
            element_type(options.dtype)
        except UnsupportedError as error:
            parser.error(". ".join(error.args))
    if options.chip is not None:
        options.chip = chip_named(options.chip).name
    text = text_argument(options.text)
    by_tag = tagged(text)
    value: Any = read(text) if by_tag is None else by_tag.layout
    is_xla = isinstance(value, (XlaShape, XlaTuple, XlaBuffer))
    if is_xla and (options.dtype or options.size is not None):
        parser.error("--dtype and --size go with a TLA layout; an XLA shape says both itself")
    element = by_tag and by_tag.element
    if element and options.dtype and element_type(options.dtype).bits != element.bits:
        bits = element_type(options.dtype).bits
        parser.error(
            f"--dtype {options.dtype} has {bits} bits, and the {element} of the tag has {element.bits}"
        )
    arrays = value.arrays() if is_xla else [value]
    entries = [_entry(v, options.dtype, options.size, element) for v in arrays]
    if is_asked_for(options):
        write_figure(_figure(entries, is_file_format(options)), options)
    elif options.json:
        facts = [_facts(entry) for entry in entries]
        say_json(facts if isinstance(value, XlaTuple) else facts[0])
    else:
        for i, entry in enumerate(entries):
            if i:
                say("")
            _write(entry, options.chip)
    if is_xla:
        complain_of_spaces((each.memory_space for each in arrays), options.chip)
    failed = [entry.reason for entry in entries if entry.failed]
    for reason in failed:
        complain(f"tla: error: {reason}")
    return 1 if failed else 0


def _figure(entries: list[_Entry], is_file: bool) -> AnyFigure:
    """The pictures of the layouts, under both notations.

    Raises:
        TlaError: there is no picture: the layout has unknowns, or the shape has no layout.
    """
    rows, columns = (512, 512) if is_file else (16, 64)
    figures: list[Figure] = []
    for entry in entries:
        if entry.layout is None:
            continue
        drawable(entry.layout)
        figure = layout_figure(entry.layout, rows, columns)
        both = [str(each) for each in (entry.shape, entry.layout) if each is not None]
        figures.append(figure._replace(title=" = ".join(both if entry.from_xla else both[::-1])))
    if not figures:
        raise next(entry.reason for entry in entries if entry.reason is not None)
    return figures[0] if len(figures) == 1 and is_file else Panels("", tuple(figures))


class _Entry(NamedTuple):
    """One array in both notations, or in one, with the reason why the other is missing.

    Attributes:
        reason: Why one notation is missing; None if both are there.
        from_xla: Whether the input is the shape, and the layout is computed.
        assumed: Whether the element type is an assumption.
        element: The element type of a tag.
    """

    layout: AnyLayout | None
    shape: XlaShape | None
    reason: TlaError | None
    from_xla: bool
    assumed: bool = False
    element: Element | None = None

    @property
    def sized(self) -> XlaShape | None:
        """The shape, if there is one and it carries data."""
        return self.shape if self.shape is not None and self.shape.element_type.bits else None

    @property
    def failed(self) -> bool:
        """Whether the other notation is missing; a token has no layout to begin with."""
        return self.reason is not None and (self.shape is None or self.sized is not None)

    @property
    def combined(self) -> CombinedLayout | None:
        """The layout over combined coordinates, if no other exists."""
        return None if self.reason is None else self.reason.data.get("combined")

    def named(self, n: Any) -> int | str:
        """A size of the shape for JSON; unknowns have the names that the layout gives them."""
        if self.layout is not None and not self.from_xla and isinstance(n, SymbolicInt):
            from ..numbers import substitute

            size: Any = n
            names = {f"d{i}": dim for i, dim in enumerate(leaves(self.layout.origin_shape))}
            n = substitute(size, names)
        name: int | str = plain(n)
        return name


def _entry(value: Any, dtype: str | None, size: int | None, element: Element | None) -> _Entry:
    if isinstance(value, XlaShape):
        try:
            return _Entry(layout_of(value), value, None, True)
        except TlaError as error:
            return _Entry(None, value, error, True)
    layout, assumed = layout_of(value), dtype is None and element is None
    try:
        shape = from_layout(layout, dtype or _xla_type(element), size)
    except TlaError as error:
        return _Entry(layout, None, on_command_line(error, SAY_MORE), False, assumed, element)
    if element is not None and element.bits % 8:  # a tag packs its elements, XLA where E says so
        shape = remade(shape, element_size_in_bits=element.bits)
    return _Entry(layout, shape, None, False, assumed, element)


def _xla_type(element: Element | None) -> str:
    """XLA's name of the element type of a tag; f32 without one."""
    if element is None:
        return "f32"
    if element.xla is None:
        alike = ", ".join(e.name for e in ELEMENT_TYPES.values() if e.bits == element.bits)
        raise UnsupportedError(
            f"XLA has no type {element}",
            f"Give one of {element.bits} bits in its place with --dtype: {alike}.",
            element=element,
        )
    return element.xla


def _facts(entry: _Entry) -> dict[str, Any]:
    """The conversion as plain data."""
    layout, shape, combined, named = entry.layout, entry.sized, entry.combined, entry.named
    facts: dict[str, Any] = {
        "tla": None if layout is None else str(layout),
        "xla": None if entry.shape is None else str(entry.shape),
        "dtype_assumed": entry.assumed,
        "reason": None if entry.reason is None else str(entry.reason),
        "combined": None,
        "warning": None,
    }
    if combined is not None:
        facts["combined"] = {
            "tla": str(combined.layout),
            "dims": combined.dims,
            "tiles": combined.tiles,
            "groups": combined.groups,
            "extents": combined.extents,
        }
    if layout is not None:
        facts["trimmed"] = settled(lambda: str(layout.trimmed()))
        facts["cosize"] = settled(lambda: plain(layout.cosize))
        facts["elements"] = plain(layout.valid_size)
    if shape is not None:
        facts["elements"] = named(shape.elements)
        facts["physical_elements"] = named(physical_elements(shape))
        facts["bytes"] = named(logical_bytes(shape))
        facts["physical_bytes"] = named(physical_bytes(shape))
        facts["warning"] = size_of(shape).warning or None
    elif layout is not None and entry.element is not None:
        sizes = _bytes_by_tag(layout, entry.element)
        facts["bytes"], facts["physical_bytes"] = (None if n is None else plain(n) for n in sizes)
    return facts


def _bytes_by_tag(layout: AnyLayout, element: Element) -> tuple[IntLike, IntLike | None]:
    """The bytes of the data, and of the whole span of the offsets; None if unknowns decide."""
    span = settled(lambda: layout.cosize)
    return element.bytes_of(layout.valid_size), None if span is None else element.bytes_of(span)


# --- for a person -----------------------------------------------------------------------------


def _write(entry: _Entry, chip: str | None) -> None:
    for name, text in _rows(entry):
        say(f"{name:9} {text}")
    if chip is not None and entry.shape is not None:
        space = entry.shape.memory_space
        say(f"{'space':9} S({space}), {memory_space_name(space, chip)} of {chip}")
    if entry.layout is not None and not entry.layout.symbols and 0 < entry.layout.size <= _PICTURE:
        from ..show import write

        say("")
        write(layout_figure(entry.layout))


def _rows(entry: _Entry) -> Iterator[tuple[str, str]]:
    layout, shape = entry.layout, entry.sized
    halves = [[("tla", "none")] if layout is None else _of_layout(layout), [("xla", "none")]]
    if entry.shape is not None:
        halves[1] = [("xla", f"{entry.shape}{'  (f32 assumed)' if entry.assumed else ''}")]
    for half in halves[::-1] if entry.from_xla else halves:
        yield from half
    if entry.reason is not None:
        yield "reason", entry.reason.summary
    if entry.combined is not None:
        yield "combined", str(entry.combined)
    if shape is not None:
        yield from _memory(entry, shape)
    elif layout is not None:
        room = settled(lambda: layout.cosize)
        span = "" if room is None else f", offsets that span {room}"
        yield "elements", f"{layout.valid_size} of data{span}"
        if entry.element is not None:
            data, memory = _bytes_by_tag(layout, entry.element)
            if memory is not None:
                yield "memory", f"{_in_words(plain(memory))}, {_in_words(plain(data))} of data"
    if entry.from_xla and shape is not None and layout is not None:
        yield from _way_back(shape, layout)
    if layout is not None and layout.symbols:
        names = dict.fromkeys(s.name for s in layout.symbols)
        yield "note", f"for a picture, give a layout with numbers for {', '.join(names)}"


def _of_layout(layout: AnyLayout) -> list[tuple[str, str]]:
    """The layout; and the layout without the padding behind its modes, if it differs."""
    trimmed = settled(layout.trimmed) or layout
    is_cut = (trimmed.shape, trimmed.stride) != (layout.shape, layout.stride)
    return [("tla", str(layout)), *([("trimmed", str(trimmed))] if is_cut else [])]


def _memory(entry: _Entry, shape: XlaShape) -> Iterator[tuple[str, str]]:
    """The bytes of a shape in memory, beside its data and the bytes that XLA itself counts."""
    pairs = zip(shape.dimensions, shape.dynamic_dimensions, strict=True)
    is_bounded = any(dynamic and not isinstance(n, SymbolicInt) for n, dynamic in pairs)
    most = " at most" if is_bounded else ""
    data, room = entry.named(shape.elements), entry.named(physical_elements(shape))
    is_full = shape.is_static and data == room
    yield "elements", f"{data}" if is_full else f"{data} of data{most}, {room} in memory"
    logical, physical = entry.named(logical_bytes(shape)), entry.named(physical_bytes(shape))
    is_full = shape.is_static and logical == physical
    note = "no padding" if is_full else f"{_in_words(logical)} of data{most}"
    factors = ""
    if shape.is_static and isinstance(logical, int) and isinstance(physical, int) and logical < physical:
        note += f", {in_tenths(physical, logical)}x" if logical else ""
        factors = "; ".join(map(str, array_waste(shape).factors))
    yield "memory", f"{_in_words(physical)}, {note}"
    if factors:
        yield "padding", factors
    warning = size_of(shape).warning
    if warning:
        yield "warning", warning


def _in_words(count: int | str) -> str:
    return bytes_in_words(count) if isinstance(count, int) else f"{count} bytes"


def _way_back(shape: XlaShape, layout: AnyLayout) -> Iterator[tuple[str, str]]:
    """The options that convert the layout back to a shape of the same size."""
    room = physical_elements(shape)
    try:
        if known_eq(physical_elements(from_layout(layout, shape.element_type)), room) is not True:
            from_layout(layout, shape.element_type, size=room)
            if not isinstance(room, SymbolicInt):
                yield "note", f"to convert the layout back, give --size {room}"
    except TlaError as error:
        yield "note", f"the layout does not convert back: {error.summary}"
