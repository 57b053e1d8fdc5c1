# SPDX-License-Identifier: Apache-2.0
"""The steps of an operation as a table of texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..algebra import CoalesceStep, ComplementStep, CompositionStep, InverseStep
from ..numbers import known_lt

if TYPE_CHECKING:
    from collections.abc import Callable


def table(steps: tuple[Any, ...]) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Return the columns and rows of some steps, all of one kind."""
    if not steps:
        return (), ()
    columns, cells = _TABLES[type(steps[0])]
    return columns, tuple([tuple(cells(step)) for step in steps])


def _text(x: Any) -> str:
    return "-" if x is None else str(x)


def _coalesce_cells(step: CoalesceStep) -> list[str]:
    return [f"{step.shape}:{step.stride}", step.action, str(step.so_far)]


def _composition_cells(step: CompositionStep) -> list[str]:
    size = "..." if step.left_shape is None else step.left_shape
    of = "-" if step.left is None else f"{size}:{step.left_stride}"
    what = {
        "pass": f"{step.stride} is a multiple of {size}: on to the next mode",
        "split": f"takes {_text(step.taken and step.taken.shape)} of {step.shape}, to the end of {of}",
        "fit": "stays at 0" if step.left is None else "fits",
        "run": "linear",
    }[step.action]
    return [str(step.mode), f"{step.shape}:{step.stride}", of, what, _text(step.taken)]


def _complement_cells(step: ComplementStep) -> list[str]:
    of = "the rest" if step.shape is None else f"{step.shape}:{step.stride}"
    room = "none" if step.stride in (None, step.end) else f"none, {step.stride} // {step.end} = 1"
    return [of, str(step.end), room if step.taken is None else str(step.taken)]


def _inverse_cells(step: InverseStep) -> list[str]:
    if step.shape is None:
        return ["below them", "-", _text(step.taken)]
    if step.taken is not None:
        cut = known_lt(step.taken.shape, step.shape) is True
        gives = f"{step.taken}{', cut where the next begins' if cut else ''}"
    elif step.end is not None and known_lt(step.end, step.stride) is True:
        gives = f"left out: it begins at {step.stride}, those before end at {step.end}"
    elif known_lt(step.stride, 0) is True:
        gives = "left out: its stride is negative"
    else:
        gives = "left out: others reach its offsets"
    return [f"{step.shape}:{step.stride}", str(step.index), gives]


_TABLES: dict[type, tuple[tuple[str, ...], Callable[[Any], list[str]]]] = {
    CoalesceStep: (("mode", "", "so far"), _coalesce_cells),
    CompositionStep: (("mode of B", "rest of it", "mode of A", "", "gives"), _composition_cells),
    ComplementStep: (("mode by stride", "from", "free below it"), _complement_cells),
    InverseStep: (("mode by stride", "index", "gives"), _inverse_cells),
}
