# SPDX-License-Identifier: Apache-2.0
"""The door of the page: a request in JSON, an answer in JSON.

A request names a view and its arguments: ``{"view": "complement", "args": ["4:2", "8"]}``. The
answer has the result, its figure, facts, and the command that prints the same; with ``"form":
"svg"`` the picture as a file. What is refused has the error, the characters that it speaks of, a
picture of the witness, and repairs that are known to work.
"""

from __future__ import annotations

import json
from shlex import join
from typing import TYPE_CHECKING, Any

from ..errors import ParseError, TlaError
from ..explain import explain_error
from ..show import svg, words_of
from .data import figure_data
from .laws import check, check_steps
from .repairs import repairs
from .views import VIEWS, ReadingError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..explain import Explanation
    from .views import Shown, View


def answer(request: str) -> str:
    """Return the answer to a request of the page.

    >>> found = json.loads(answer('{"view": "layout", "args": ["(2,3):(3,1)"]}'))
    >>> found["command"], found["figure"]["figures"][0]["grids"][0]["offsets"]
    ("tla show '(2,3):(3,1)'", [[0, 1, 2], [3, 4, 5]])
    >>> found = json.loads(answer('{"view": "layout", "args": ["(2,3:(3,1)"]}'))
    >>> found["error"]["summary"], found["error"]["start"]
    ("expected ',' or ')' of the '(' in column 1, found ':'", 4)

    Raises:
        ParseError: the request is no JSON object with a view that is known, and texts as arguments.
    """
    name, texts, form = _read(request)
    view = VIEWS[name]
    found: dict[str, Any] = {"view": name, "args": texts, "command": _written(view.command(texts))}
    try:
        _check_choices(view, texts)
        shown = view.show(texts)
        if shown.command:
            found["command"] = _written(shown.command)
        found |= {"svg": svg(shown.figure)} if form == "svg" else _shown(shown)
    except ReadingError as fault:
        found |= _refused(fault.error, view, texts, fault.number)
    except TlaError as error:
        found |= _refused(error, view, texts, None)
    return json.dumps(found, separators=(",", ":"))


def _written(arguments: Sequence[str]) -> str:
    return join(["tla", *arguments])


def _read(request: str) -> tuple[str, list[str], str]:
    """The view, arguments and form; arguments that are left out are empty, or the default."""
    try:
        asked: Any = json.loads(request)
        name, given, form = asked["view"], asked["args"], asked.get("form", "")
        fields = VIEWS[name].fields
        if not all(isinstance(text, str) for text in given) or len(given) > len(fields):
            raise TypeError
    except (ValueError, TypeError, KeyError, RecursionError):
        raise ParseError(
            'expected a request such as {"view": "layout", "args": ["4:1"]}', str(request), 0
        ) from None
    return (
        name,
        [*given, *("" if field.is_optional else field.default for field in fields[len(given) :])],
        form,
    )


def _check_choices(view: View, texts: list[str]) -> None:
    """Raise where a text, as of an edited address, is none of the choices of its field."""
    for number, (text, field) in enumerate(zip(texts, view.fields, strict=True)):
        if field.choices and text not in field.choices:
            choices = ", ".join(filter(None, field.choices))
            raise ReadingError(
                number, ParseError(f"{field.name} is one of {choices}", text, 0, len(text))
            )


def _shown(shown: Shown) -> dict[str, Any]:
    found: dict[str, Any] = {"result": shown.result, "figure": figure_data(shown.figure)}
    if shown.value is not None:
        facts, signs = words_of(shown.value)
        found |= {"facts": [list(fact) for fact in facts], "signs": list(signs)}
    if shown.state:
        found["state"] = shown.state
    if shown.explanation is not None:
        _add_checks(found["figure"], shown.explanation)
    return found


def _add_checks(steps: dict[str, Any], of: Explanation) -> None:
    """Write below the steps of each operation what was checked of its result."""
    steps["check"] = check(of)
    steps["checks"] = check_steps(of)
    for part, each in zip(steps["parts"], of.parts, strict=True):
        _add_checks(part, each)


def _refused(error: TlaError, view: View, texts: list[str], number: int | None) -> dict[str, Any]:
    picture = explain_error(error)
    said: dict[str, Any] = {"summary": error.summary, "details": list(error.details), "argument": number}
    if isinstance(error, ParseError) and number is not None:
        before = max(0, error.text.find(texts[number]))  # parentheses around a coordinate
        start = min(max(0, error.start - before), len(texts[number]) - (before > 0))
        said |= {"start": start, "end": max(start + 1, error.end - before)}
    return {
        "error": said,
        "figure": None if picture is None else figure_data(picture),
        "repairs": [list(repair) for repair in repairs(error, view, texts, number)],
    }
