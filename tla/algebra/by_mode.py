# SPDX-License-Identifier: Apache-2.0
"""Operations by mode: a tuple of tilers, each for the mode at its place.

A tiler is a layout, an int, `_` or None for "leave this mode alone", or a tuple of tilers for the
modes of a mode.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, Union

from ..errors import CongruenceError, LayoutError
from ..layouts import AnyLayout, Layout, Underscore, _, as_layout, is_layout, product, text_of, wrap
from ..numbers import IntLike, is_tuple, limit_nesting
from .modes import modes_of, row

if TYPE_CHECKING:
    from collections.abc import Callable

Tiler: TypeAlias = Union[AnyLayout, IntLike, Underscore, "tuple[Tiler, ...]", None]
"""What composes with, divides or multiplies a layout, or one of its modes."""


def is_left_alone(tiler: object) -> bool:
    """Whether a tiler leaves its mode as it is."""
    return tiler is None or tiler is _


def require_modes(whole: Any, rank: int, tilers: tuple[Any, ...]) -> None:
    """Raise `CongruenceError` if there are fewer modes than tilers; it says so of ``whole``."""
    if len(tilers) > rank:
        raise CongruenceError(
            f"{tiler_text(tilers)} has {len(tilers)} parts, {tiler_text(whole)} has {rank}"
            f" mode{'' if rank == 1 else 's'}",
            "A tuple by mode has at most one part for each mode.",
            tilers=tilers,
            value=whole,
        )


def by_mode(
    run: Callable[[AnyLayout, Any], AnyLayout],
    layout: AnyLayout,
    tiler: Any,
    keep: bool = True,
    same: bool = False,
) -> AnyLayout:
    """Return ``run(layout, tiler)``; of a tuple the layout of ``run(mode i, tiler[i])``.

    Modes that are left alone, at the top, keep their origin.

    Args:
        keep: Keep the modes past the tilers; else they are dropped.
        same: The function of a mode stays as it is, and so does its origin.
    """
    as_layout(layout)
    if not is_tuple(tiler):
        return layout if is_left_alone(tiler) else run(layout, tiler)
    modes = modes_of(layout)
    require_modes(layout, len(modes), tiler)
    results: list[AnyLayout] = []
    try:
        for at in zip(modes, tiler):  # noqa: B905 (the first ones)
            results.append(by_mode(run, *at, keep))
    except LayoutError as error:
        i = len(results)
        error.with_hint(lambda: f"It is mode {i} of {layout}.")
        raise
    result = row([*results, *(modes[len(tiler) :] if keep else ())])
    if not layout.is_padded:
        return result
    origin = [
        n if same or i >= len(tiler) or is_left_alone(tiler[i]) else product(mode)
        for i, (n, mode) in enumerate(zip(wrap(layout.origin_shape), result.shape))  # noqa: B905
    ]
    return Layout(result.shape, result.stride, tuple(origin))


@limit_nesting
def tiler_text(tiler: Any) -> str:
    """Return a tiler in notation: ``(2:1,4,_)``."""
    if is_tuple(tiler):
        return f"({','.join(map(tiler_text, tiler))})"
    return "_" if is_left_alone(tiler) else str(tiler) if is_layout(tiler) else text_of(tiler)
