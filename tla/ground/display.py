# SPDX-License-Identifier: Apache-2.0
"""How values are shown in notebooks: by modules above them, which are loaded when the first is shown.

A notebook asks a value for its ``_repr_html_``. The drawing modules know the values, and not the other
way round. So a value asks here, and the drawing is imported when the first value is shown.

>>> html_of(Layout((2, 3), (3, 1)))[:4], html_of(3) is None
('<div', True)
>>> figure_of(Layout((2, 3), (3, 1))).size
6

Source: IPython, "Integrating your objects with IPython", Rich display.
"""

from __future__ import annotations

import sys
from importlib import import_module
from os import sep
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

_SHOWN_BY: list[str] = []
"""The names of the modules that show and that explain values, once registered."""

_DRAWN_BY: dict[type, tuple[str, str]] = {}
"""The module and the function that draw the values of a class."""


def register(module: str, explains: str = "tla.explain") -> None:
    """Register a module, by its name, whose ``html_of`` and ``figure_of`` show values.

    Args:
        explains: The module whose ``explain_coordinate`` explains them.
    """
    _SHOWN_BY[:] = [module, explains]


def drawn_by(module: str, function: str) -> Callable[[type[T]], type[T]]:
    """Return a decorator for a class: `figure_of` draws its values by a function of a module above it.

    Args:
        function: It takes the value, and as keywords the limits of `figure_of`.
    """

    def enter(kind: type[T]) -> type[T]:
        _DRAWN_BY[kind] = module, function
        return kind

    return enter


def html_of(value: object) -> str | None:
    """Return the part of a page that a notebook shows of a value; None to show its text, as for a
    number.

    A cell that has computed a value must not fail because its picture does. After any error here, the
    notebook shows the text.
    """
    if not _SHOWN_BY:
        return None
    try:
        page: str | None = _loaded(_SHOWN_BY[0]).html_of(value)
    except Exception:  # the notebook shows the text
        return None
    return page


def traceback_of(error: BaseException) -> list[str]:
    """Return the lines of a traceback without the frames of the library and of IPython.

    A notebook has the picture of the error above them, where there is one.

    Source: IPython, ``InteractiveShell.showtraceback``, which asks an error for them.
    """
    from traceback import StackSummary, TracebackException

    rooms = str(Path(__file__).parent.parent) + sep, f"{sep}IPython{sep}"
    whole = TracebackException.from_exception(error)
    part: TracebackException | None = whole
    while part is not None:
        frames = [f for f in part.stack if not any(room in f.filename for room in rooms)]
        part.stack = StackSummary.from_list(frames)
        part = part.__cause__ or part.__context__
    page = html_of(error)
    if page is not None and "IPython" in sys.modules:
        shown_by = import_module("IPython.display")
        shown_by.display(shown_by.HTML(page))
    return "".join(whole.format()).splitlines()


def figure_of(value: object, **limits: Any) -> Any:
    """Return the figure of a value.

    Args:
        limits: The size of the corner, as the ``figure`` of the value takes it.

    Raises:
        TlaError: there is none; the error says why.
    """
    module, function = _DRAWN_BY.get(type(value)) or (_SHOWN_BY[0], "figure_of")
    return getattr(_loaded(module), function)(value, **limits)


def steps_of(layout: object, *coord: Any) -> Any:
    """Return the steps from a coordinate of a layout to its offset.

    Raises:
        CoordinateError: it is no coordinate of the layout.
    """
    return _loaded(_SHOWN_BY[1]).explain_coordinate(layout, *coord)


def _loaded(module: str) -> Any:
    return import_module(module)
