"""Operations by mode: a tuple of tilers, each for the mode at its place.

A tiler is a layout, an int, `_` or None for "leave this mode alone", or a tuple of tilers for the
modes of a mode.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, Union

from ..errors import CongruenceError
from ..layouts import AnyLayout, Layout, Underscore, _, as_layout, is_layout, product, text_of, wrap
from ..numbers import IntLike, is_tuple, keeps_assumptions, limit_nesting
from .modes import modes_of, row

if TYPE_CHECKING:
    from collections.abc import Callable

Tiler: TypeAlias = Union[AnyLayout, IntLike, Underscore, "tuple[Tiler, ...]", None]
"""What composes with, divides or multiplies a layout, or one of its modes."""


def is_left_alone(tiler: object) -> bool:
    """Whether a tiler leaves its mode as it is."""
    return tiler is None or tiler is _


def matched(
    whole: Any, modes: tuple[Any, ...], tilers: tuple[Any, ...]
) -> tuple[list[tuple[Any, Any]], tuple[Any, ...]]:
    """Return each mode with the tiler at its place, and the modes past the tilers.

    Raises:
        CongruenceError: there are fewer modes than tilers; it says so of ``whole``.
    """
    if len(tilers) > len(modes):
        raise CongruenceError(
            f"{tiler_text(tilers)} has {len(tilers)} parts, {tiler_text(whole)} has {len(modes)}"
            f" mode{'' if len(modes) == 1 else 's'}",
            "A tuple by mode has at most one part for each mode.",
            tilers=tilers,
            value=whole,
        )
    return list(zip(modes, tilers)), modes[len(tilers) :]  # noqa: B905 (the first ones)


@keeps_assumptions
def by_mode(
    operation: Callable[[AnyLayout, Any], AnyLayout],
    layout: AnyLayout,
    tiler: Any,
    keep: bool = True,
    same: bool = False,
) -> AnyLayout:
    """Return ``operation(layout, tiler)``; of a tuple the layout of ``operation(mode i, tiler[i])``.

    Modes that are left alone, at the top, keep their origin.

    Args:
        keep: Keep the modes past the tilers; else they are dropped.
        same: The operation leaves the function of a mode as it is, and so its origin.
    """
    return _by_mode(operation, as_layout(layout), tiler, keep, same)


def _by_mode(
    operation: Callable[[AnyLayout, Any], AnyLayout],
    layout: AnyLayout,
    tiler: Any,
    keep: bool,
    same: bool = False,
) -> AnyLayout:
    if not is_tuple(tiler):
        return layout if is_left_alone(tiler) else operation(layout, tiler)
    pairs, rest = matched(layout, modes_of(layout), tiler)
    changed = [_by_mode(operation, mode, part, keep) for mode, part in pairs]
    result = row([*changed, *(rest if keep else ())])
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
