"""How values are shown where they are looked at: by what stands above them, found when it is needed.

A notebook asks a value for its ``_repr_html_``. What draws knows the values, and not the other way
round: a value asks here, and the drawing is imported when the first one is shown.

>>> html_of(Layout((2, 3), (3, 1)))[:4], html_of(3) is None
('<div', True)
>>> figure_of(Layout((2, 3), (3, 1))).size
6

Source: IPython, "Integrating your objects with IPython", Rich display.
"""

from __future__ import annotations

from typing import Any

__all__ = ["figure_of", "html_of", "register", "steps_of"]

_SHOWN_BY: list[str] = []
"""The names of the modules that show and that explain values, once there are any."""


def register(module: str, explains: str = "tla.explain") -> None:
    """Have values shown by the functions ``html_of`` and ``figure_of`` of a module, by its name.

    Args:
        explains: The module whose ``explain_coordinate`` explains them.
    """
    _SHOWN_BY[:] = [module, explains]


def html_of(value: object) -> str | None:
    """Return what a notebook shows of a value, a part of a page; None for its text, as of a number.

    A cell that has computed something is not to fail because a picture of it does: whatever goes wrong
    here, the text is shown.
    """
    if not _SHOWN_BY:
        return None
    try:
        found: str | None = _module().html_of(value)
    except Exception:  # the text says what there is
        return None
    return found


def figure_of(value: object, **limits: Any) -> Any:
    """Return the figure of a value.

    Args:
        limits: How much is shown of it, as the ``figure`` of the value takes it.

    Raises:
        TlaError: there is none; the error says why.
    """
    return _module().figure_of(value, **limits)


def steps_of(layout: object, *coord: Any) -> Any:
    """Return how the offset of a coordinate of a layout comes about.

    Raises:
        CoordinateError: it is no coordinate of the layout.
    """
    return _module(1).explain_coordinate(layout, *coord)


def _module(which: int = 0) -> Any:
    from importlib import import_module

    return import_module(_SHOWN_BY[which])
