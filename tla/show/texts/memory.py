# SPDX-License-Identifier: Apache-2.0
"""Memory as lines of text: offsets above, the coordinate that leads to each below.

>>> from tla.show.texts.spans import plain
>>> for line in strip_lines(strip_figure(Layout((2, 2), (3, 1))), None):
...     print(plain(line))
        0       1       2       3       4
  +-------+-------+-------+-------+-------+
  | (0,0) | (0,1) |       | (1,0) | (1,1) |
  +-------+-------+-------+-------+-------+
1 empty: no coordinate leads there
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ..facts import memory_notes, place_text, places_in_row, wrapped
from ..palette import fill
from .spans import Span

if TYPE_CHECKING:
    from ...ground import Place, Scheme, Strip
    from .spans import Line

_WIDTH: Final = 100  # without a limit


def strip_lines(strip: Strip, width: int | None, is_titled: bool = False) -> list[Line]:
    """Return the lines of memory, in as many rows as the width needs."""
    lines: list[Line] = []
    if is_titled and strip.title:
        lines += [(Span(line, "strong"),) for line in wrapped(strip.title, width)]
    all_texts = [_place(place) for place in strip.places]
    wide = max([len(str(strip.end)) + 2, *map(len, all_texts)], default=3)
    row = places_in_row(len(all_texts), ((width or _WIDTH) - 3) // (wide + 1)) or 1
    for first in range(0, len(all_texts), row):
        places, texts = strip.places[first : first + row], all_texts[first : first + row]
        rule: Line = (Span("  "), Span(f"+{'+'.join(['-' * wide] * len(places))}+", "rule"))
        lines.append((Span("   " + "".join(f"{p.offset:>{wide - 1}}  " for p in places)),))
        cells: list[Span] = [Span("  ")]
        for place, text in zip(places, texts, strict=True):
            cells += [Span("|", "rule"), _cell(place, f"{text:<{wide}}", strip.scheme)]
        lines += [rule, (*cells, Span("|", "rule")), rule]
    notes = memory_notes(strip)
    if any(place.hits and not place.valid for place in strip.places):
        notes.insert(0, "~ is padding")
    if any(place.is_marked for place in strip.places):
        notes.insert(0, "[n] is marked")
    return [*lines, *((Span(line),) for note in notes for line in wrapped(note, width))]


def _place(place: Place) -> str:
    text = place_text(place)
    if place.hits and not place.valid:
        text = f"~{text}"
    return f"[{text}]" if place.is_marked else f" {text} "


def _cell(place: Place, text: str, scheme: Scheme) -> Span:
    if place.is_marked:
        return Span(text, "mark")
    if not place.valid or not place.hits:
        return Span(text, "padding")
    return Span(text, "", fill(scheme, place.colour) if scheme and place.colour >= 0 else "")
