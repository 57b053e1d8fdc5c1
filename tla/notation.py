"""The notation of layouts, ``shape:stride``, read and written.

========== ======================================== =====================
text       value                                    Python
========== ======================================== =====================
``_4``     a static int, ``_-2`` a negative one     ``Int(4)``
``4``      a dynamic int                            ``4``
``(3)``    a 1-tuple; ``(3,)`` is read too          ``(3,)``
``()``     the empty tuple                          ``()``
``s:d``    a layout                                 ``Layout(s, d)``
``s:d:o``  a layout with an origin shape            ``Layout(s, d, o)``
========== ======================================== =====================

`parse` reads what ``str`` of a `Layout`, and `to_text` of an int tuple, write: exactly round trip.

>>> parse("(_2,4):(_12,_1)")
Layout((_2, 4), (_12, _1))
>>> parse("((4,2),(4,3))"), parse("5"), parse("(3)")
(((4, 2), (4, 3)), 5, (3,))
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .errors import LayoutError, ParseError
from .int_tuple import MAX_DEPTH, as_int_tuple, text_of
from .ints import Int
from .layout import AnyLayout, Layout, is_layout
from .text import Scanner, shortened

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "items_at",
    "layout_at",
    "leaf_at",
    "parse",
    "parse_int_tuple",
    "parse_layout",
    "to_text",
]


def to_text(x: Any) -> str:
    """Return the notation of a layout or an int tuple.

    >>> to_text((_2, (4, 3))), to_text(Layout((_2, 4), (_12, _1)))
    ('(_2,(4,3))', '(_2,4):(_12,_1)')
    """
    return str(x) if is_layout(x) else text_of(as_int_tuple(x))


def parse(text: str) -> Any:
    """Return the layout, shape, coordinate or int that a text writes.

    Raises:
        ParseError: the text does not follow the notation; the error points at the character.
    """
    scan = Scanner(text)
    start = scan.at
    first = _int_tuple(scan, MAX_DEPTH, "a shape")
    if not scan.accept(":"):
        scan.expect_end()
        return first
    stride = _int_tuple(scan, MAX_DEPTH, "a stride")
    origin = _int_tuple(scan, MAX_DEPTH, "an origin shape") if scan.accept(":") else None
    scan.expect_end()
    return layout_at(scan, start, first, stride, origin)


def parse_layout(text: str) -> AnyLayout:
    """Return the layout that a text writes; a lone shape is no layout.

    Raises:
        ParseError: the text writes something else.
    """
    value = parse(text)
    if not is_layout(value):
        raise ParseError("expected ':' and a stride after the shape", text, len(text.rstrip()))
    return value


def parse_int_tuple(text: str) -> Any:
    """Return the shape, stride, coordinate or tile that a text writes.

    Raises:
        ParseError: the text writes something else.
    """
    value = parse(text)
    if is_layout(value):
        raise ParseError("expected one tuple, found a layout", text, text.index(":"))
    return value


def _int_tuple(scan: Scanner, room: int, what: str) -> Any:
    if scan.peek() != "(":
        return leaf_at(scan, what)
    items: list[Any] = []
    for _place in items_at(scan, room):
        items.append(_int_tuple(scan, room - 1, "an int or '('"))
    return tuple(items)


# --- the parts of the grammar, for a grammar that contains it ---------------------------------


def items_at(scan: Scanner, room: int) -> Iterator[int]:
    """Pass the parentheses and commas of a tuple; yield the index of each item, for the caller to read.

    Args:
        room: How many levels of nesting are left; the caller reads an item with one less.
    """
    if not room:
        scan.fail(f"nested deeper than {MAX_DEPTH} levels")
    opened = scan.at
    scan.expect("(")
    count = 0
    while not scan.accept(")"):
        if count:
            if not scan.accept(","):
                _unclosed(scan, opened)
            if count == 1 and scan.accept(")"):  # (3,) as Python writes a 1-tuple
                return
        if scan.done:
            _unclosed(scan, opened)
        yield count
        count += 1


def _unclosed(scan: Scanner, opened: int) -> None:
    column = opened - scan.text.rfind("\n", 0, opened)
    line = scan.text.count("\n", 0, opened) + 1
    where = f"column {column}" if line == scan.text.count("\n", 0, scan.at) + 1 else f"line {line}"
    scan.fail(f"expected ',' or ')' of the '(' in {where}, found {scan.found()}")


def leaf_at(scan: Scanner, what: str) -> int:
    """Pass a static or dynamic int, which must come next; ``what`` names it in the error."""
    start = scan.at
    static = scan.peek() == "_"
    word = scan.word("_-.")
    digits = word.removeprefix("_").removeprefix("-")
    if not word:
        scan.fail(f"expected {what}, found {scan.found()}")
    if word == "_":
        scan.fail("'_' alone keeps a mode when slicing; a static int is '_' and digits, as _4", start)
    if not (digits.isascii() and digits.isdigit()):
        scan.fail(
            f"expected {what}, found {shortened(word)!r}; a leaf is an int such as 4 or _4",
            start,
            start + len(word),
        )
    scan.at = start + static
    value = scan.integer(what)
    return Int(value) if static else value


def layout_at(scan: Scanner, start: int, shape: Any, stride: Any, origin: Any) -> AnyLayout:
    """Return the layout of parts whose text began at ``start`` and has just been passed.

    Raises:
        ParseError: it reads well but is no layout.
    """
    try:
        return Layout(shape, stride, origin)
    except LayoutError as error:
        end = scan.last
        if "extent" in vars(error):  # a negative one: the first such number of the shape
            sign = scan.text.find(f"{error.extent:d}", start, end)
            if sign >= 0:
                start, end = sign, sign + len(f"{error.extent:d}")
        raise ParseError(error.summary, scan.text, start, end, *error.details) from None
