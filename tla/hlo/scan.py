"""The array shapes of an HLO module's text, found without reading the module.

An instruction is ``name = shape opcode(...)``. Every array of its result counts, also inside a
tuple; operands are results of other instructions and are not counted again.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ..errors import ParseError, TlaError
from ..xla_bridge import XlaShape, XlaTuple, parse_shape_at

__all__ = ["NotHloError", "ShapeUse", "scan_shapes"]

_START = re.compile(
    r"^[ \t]*(?:ROOT[ \t]+)?%?[A-Za-z_][\w.-]*[ \t]*=[ \t]*(?=\(|b\(|[a-z][a-z0-9]*\[)", re.M
)
_LATER_OPCODE = re.compile(r"\s+[a-z][\w-]*\(")
_OPCODE = re.compile(r"\s*[a-z][\w-]*\(")


class NotHloError(TlaError, ValueError):
    """A text without one HLO instruction."""


class ShapeUse(NamedTuple):
    """A distinct array shape and how many results have it; or a text that was not read, and why."""

    shape: XlaShape | None
    text: str
    times: int
    refusal: str


def scan_shapes(text: str, name: str = "the text") -> list[ShapeUse]:
    """Return the distinct array shapes of a module's instructions, in order of first use.

    >>> [(use.text, use.times) for use in scan_shapes("x = f32[2] a()\\ny = (f32[2], u8[]) b(x)")]
    [('f32[2]{0}', 2), ('u8[]', 1)]

    Shapes that are not read (buffers, rare attributes) come last, with the reason.

    Args:
        name: What an error calls the text.

    Raises:
        NotHloError: there is no instruction in the text.
    """
    times: dict[str, int] = {}
    shapes: dict[str, XlaShape] = {}
    refused: dict[str, str] = {}
    found = False
    for match in _START.finditer(text):
        start = match.end()
        try:
            shape, end = parse_shape_at(text, start)
            arrays = shape.arrays() if isinstance(shape, XlaTuple) else [shape]
            read = {str(a): a for a in arrays if a.element_type.bits is not None}
            keys = [str(a) for a in arrays if str(a) in read]
            unread = {}
        except ParseError as error:
            end = _shape_end(text, start)
            keys = [text[start:end]]
            read, unread = {}, {keys[0]: error.summary}
        if not _OPCODE.match(text, end):
            continue
        found = True
        shapes |= read
        refused |= unread
        for key in keys:
            times[key] = times.get(key, 0) + 1
    if not found:
        raise NotHloError(
            f"{name} is no HLO module",
            "It has no instruction such as '%x = f32[2]{0} negate(%y)'.",
        )
    uses = [ShapeUse(shape, key, times[key], "") for key, shape in shapes.items()]
    return uses + [ShapeUse(None, key, times[key], why) for key, why in refused.items()]


def _shape_end(text: str, start: int) -> int:
    """Where a shape that is not read ends: at the first blank of the line outside all brackets.

    Where its brackets do not close, before the first word that may be an opcode.
    """
    stop = text.find("\n", start)
    line = text[start:] if stop < 0 else text[start:stop]
    depth = 0
    for at, c in enumerate(line):
        depth += (c in "([{") - (c in ")]}")
        if depth <= 0 and c.isspace():
            return start + at
    opcode = _LATER_OPCODE.search(line)
    return start + (opcode.start() if depth > 0 and opcode is not None else len(line))
