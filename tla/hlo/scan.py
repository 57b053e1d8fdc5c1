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

_NAME = re.compile(r"^[ \t]*(?:ROOT[ \t]+)?%?[A-Za-z_][\w.-]*[ \t]*=[ \t]*(?=\(|[a-z][a-z0-9]*\[)", re.M)
_OPCODE = re.compile(r"\s*[a-z][\w-]*\(")


class NotHloError(TlaError, ValueError):
    """A text without one HLO instruction."""


class ShapeUse(NamedTuple):
    """A distinct array shape and how many results have it; or a text that was not read, and why."""

    shape: XlaShape | None
    text: str
    times: int
    refusal: str


def scan_shapes(text: str) -> list[ShapeUse]:
    """Return the distinct array shapes of a module's instructions, in order of first use.

    >>> [(use.text, use.times) for use in scan_shapes("x = f32[2] a()\\ny = (f32[2], u8[]) b(x)")]
    [('f32[2]{0}', 2), ('u8[]', 1)]

    Shapes that are not read (dynamic dims, rare attributes) come last, with the reason.

    Raises:
        NotHloError: there is no instruction in the text.
    """
    times: dict[str, int] = {}
    shapes: dict[str, XlaShape] = {}
    refused: dict[str, str] = {}
    found = False
    for match in _NAME.finditer(text):
        try:
            shape, end = parse_shape_at(text, match.end())
        except ParseError as error:
            line = text[match.end() : text.find("\n", match.end()) % (len(text) + 1)]
            opcode = re.search(r" [a-z][\w-]*\(", line)
            if opcode is not None:  # an instruction, but of a shape that is not read
                found = True
                key = line[: opcode.start()]
                times[key] = times.get(key, 0) + 1
                refused[key] = error.summary
            continue
        if not _OPCODE.match(text, end):
            continue
        found = True
        for array in shape.arrays() if isinstance(shape, XlaTuple) else [shape]:
            if array.element.bits is None:
                continue
            key = str(array)
            shapes.setdefault(key, array)
            times[key] = times.get(key, 0) + 1
    if not found:
        raise NotHloError(
            "this is no HLO module",
            "It has no instruction such as '%x = f32[2]{0} negate(%y)'.",
        )
    read = [ShapeUse(shape, key, times[key], "") for key, shape in shapes.items()]
    return read + [ShapeUse(None, key, times[key], why) for key, why in refused.items()]
