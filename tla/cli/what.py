# SPDX-License-Identifier: Apache-2.0
"""``tla what``: the element that lies at a place in memory."""

from __future__ import annotations

import re
from argparse import ArgumentTypeError
from itertools import islice
from typing import TYPE_CHECKING, Any

from ..algebra import gives_coordinates, preimage
from ..errors import CoordinateError
from ..ground import say, shortened
from ..layouts import crd2idx, is_layout, leaves, to_text
from ..numbers import is_tuple
from ..read import read, tagged
from ..xla_bridge import Padding, XlaShape, element_at, offsets_in_byte, size_of
from .common import GIVEN, POINTERS, number_argument, text_argument
from .messages import say_json
from .parser import argument_parser
from .where import by_letter, index_argument, place_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..layouts import AnyLayout, ComposedLayout

_EPILOG = """\
examples:
  tla what 'f32[3,5]{1,0:T(2,2)}' 17
  tla what 'f32[3,5]{1,0:T(2,2)}' 18
  tla what 's4[5]{0:E(4)}' 1 --bytes
  tla what '((4,2),(4,3)):((4,16),(1,32))' 37
  tla what 'zN<half>(20,48)' 601 --bytes
  tla what 'module.hlo:%pad.0' 4096
  tla what 'Sw<3,3,3> o 0 o (8,64):(64,1)' 213
  tla what '(4,8):(1@0,1@1)' '(1,5)'

The answer is an index, or what pads that place. Padding is an answer like any other: the exit code is
0. Of a layout of TLA it is every coordinate that has the offset, or none: a gap. If the values of the
layout are coordinates, OFFSET is one of them.
"""

_SHOWN = 16
"""The most coordinates of a layout that are listed for one offset."""


def run(arguments: list[str]) -> int:
    parser = argument_parser("what", _EPILOG + POINTERS)
    parser.add_argument("shape", metavar="SHAPE", help=GIVEN)
    parser.add_argument("offset", metavar="OFFSET", type=_offset, help="an offset, in elements")
    parser.add_argument("--bytes", action="store_true", help="the offset is a byte address")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(arguments)
    text = text_argument(options.shape)
    by_tag = tagged(text)
    place = place_of(read(text)) if by_tag is None else by_tag.layout
    if isinstance(options.offset, str) and not (is_layout(place) and gives_coordinates(place)):
        parser.error(
            f"argument OFFSET: needs a number, not {options.offset!r}; 'tla where' takes an index"
        )
    offset = _value_of(options.offset)
    if isinstance(place, XlaShape):
        answers = [_in_shape(place, offset, options.bytes)]
    elif not options.bytes:
        answers = [_in_layout(place, offset)]
    elif by_tag is not None:
        bits, byte = by_tag.element.bits, offset
        offsets = range(8 * byte // bits, (8 * byte + 7) // bits + 1)
        answers = [{**_in_layout(place, at), "byte": byte} for at in offsets]
    else:
        parser.error(
            "--bytes goes with an XLA shape or a tag: a layout does not say how large an element is"
        )
    if options.json:
        say_json(answers if len(answers) > 1 else answers[0])
        return 0
    for facts in answers:
        for line in _lines(facts):
            say(line)
    return 0


def _offset(text: str) -> int | str:
    """One number, or the text of a coordinate; a layout in its place has its own message."""
    if re.search(r"[\[:<]", text):
        raise ArgumentTypeError(f"needs a number, not {shortened(text)!r}; the layout comes first")
    is_index = re.fullmatch(r"[\s\d,()-]*,[\s\d,()-]*", text)
    return text.strip() if is_index else number_argument(text)


def _value_of(offset: Any) -> Any:
    """The value of a layout that is meant."""
    return index_argument(offset, "OFFSET") if isinstance(offset, str) else offset


def _in_shape(shape: XlaShape, offset: int, is_byte: bool) -> dict[str, Any]:
    places: list[dict[str, Any]] = []
    for at in offsets_in_byte(shape, offset) if is_byte else [offset]:
        element = element_at(shape, at)
        if isinstance(element, Padding):
            places.append({"offset": at, "index": None, "padding": str(element)})
        else:
            places.append({"offset": at, "index": list(element), "padding": None})
    facts: dict[str, Any] = {
        "xla": str(shape),
        "letters": shape.letters or None,
        "byte": offset if is_byte else None,
        "places": places,
    }
    return {**facts, "warning": size_of(shape).warning or None}


def _in_layout(layout: AnyLayout | ComposedLayout, offset: Any) -> dict[str, Any]:
    coords = list(islice(preimage(layout, offset), _SHOWN + 1))
    is_index = is_tuple(offset)
    if not coords and is_layout(layout) and not is_index:
        _refuse_outside(layout, offset)
    return {
        "tla": str(layout),
        "offset": to_text(offset) if is_index else offset,
        "coordinates": [
            {
                "index": to_text(_by_mode(c, layout.shape)),
                "coordinate": to_text(c),
                "valid": bool(layout.is_valid(c)),
            }
            for c in coords[:_SHOWN]
        ],
        "more": len(coords) > _SHOWN,
    }


def _by_mode(coord: Any, shape: Any) -> Any:
    """One index for each mode of a coordinate of digits."""
    if not is_tuple(shape):
        return coord
    return tuple(crd2idx(c, s) for c, s in zip(coord, shape, strict=True))


def _refuse_outside(layout: AnyLayout, offset: int) -> None:
    """Raise `CoordinateError` if an offset lies outside the span of a layout."""
    ends = [
        (int(n) - 1) * int(d) for n, d in zip(leaves(layout.shape), leaves(layout.stride), strict=True)
    ]
    low, high = sum(min(0, end) for end in ends), sum(max(0, end) for end in ends)
    if not layout.size:
        raise CoordinateError(f"the layout {layout} has no coordinate, and no memory", offset=offset)
    if not low <= offset <= high:
        raise CoordinateError(
            f"the offset {offset} lies outside the memory of {layout}",
            f"Its offsets lie from {low} to {high}.",
            offset=offset,
        )


def _lines(facts: dict[str, Any]) -> Iterator[str]:
    what_is = "value" if isinstance(facts.get("offset"), str) else "offset"
    for place in facts.get("places", ()):
        index = place["index"]
        what = place["padding"] if index is None else f"({','.join(map(str, index))})"
        letters = facts["letters"] if index else None
        yield f"offset {place['offset']}: {what}" + (
            f", {by_letter(letters, index or ())}" if letters else ""
        )
    if facts.get("warning"):
        yield f"warning: {facts['warning']}"
    for at in facts.get("coordinates", ()):
        digits = "" if at["index"] == at["coordinate"] else f", digits {at['coordinate']}"
        outside = "" if at["valid"] else ", padding: outside the origin shape"
        yield f"{what_is} {facts['offset']}: {at['index']}{digits}{outside}"
    if facts.get("more"):
        yield f"and more: {len(facts['coordinates'])} are listed"
    if facts.get("coordinates") == []:
        yield f"{what_is} {facts['offset']}: a gap, no coordinate has it"
