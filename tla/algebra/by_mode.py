"""Operations by mode: a tuple of tilers, each for the mode at its place.

A tiler is a layout, an int, `_` or None for "leave this mode alone", or a tuple of tilers for the
modes of a mode.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, Union

from ..errors import CongruenceError
from ..int_tuple import text_of
from ..ints import IntLike, is_tuple
from ..layout import AnyLayout, as_layout, is_layout
from ..slicing import Underscore, _
from .modes import modes_of, row

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Tiler", "by_mode", "is_left_alone", "matched", "tiler_text"]

Tiler: TypeAlias = Union[AnyLayout, IntLike, Underscore, None, "tuple[Tiler, ...]"]
"""What composes with, divides or multiplies a layout, or one of its modes."""


def is_left_alone(tiler: object) -> bool:
    """Whether a tiler leaves its mode as it is."""
    return tiler is None or tiler is _


def matched(modes: Any, profile: tuple[Any, ...]) -> tuple[list[tuple[Any, Any]], tuple[Any, ...]]:
    """Return each part of ``profile`` with the mode at its place, and the modes past them.

    Raises:
        CongruenceError: there are fewer modes.
    """
    parts = modes if is_tuple(modes) else (modes,)
    if len(profile) > len(parts):
        raise CongruenceError(
            f"{tiler_text(profile)} has {len(profile)} modes, {tiler_text(modes)} has {len(parts)}",
            "A tuple has at most one tiler for each mode.",
            profile=profile,
            value=modes,
        )
    return list(zip(parts, profile)), parts[len(profile) :]  # noqa: B905 (the first ones)


def by_mode(
    operation: Callable[[AnyLayout, Any], AnyLayout],
    layout: AnyLayout,
    tilers: tuple[Any, ...],
    keep: bool = True,
) -> AnyLayout:
    """Return the layout whose mode ``i`` is ``operation(mode i, tilers[i])``, at any depth of tuples.

    Args:
        keep: Keep the modes past the tilers; else they are dropped.
    """
    as_layout(layout)
    pairs, rest = matched(modes_of(layout), tilers)

    def one(mode: AnyLayout, tiler: Any) -> AnyLayout:
        if is_tuple(tiler):
            return by_mode(operation, mode, tiler, keep)
        return mode if is_left_alone(tiler) else operation(mode, tiler)

    return row([*(one(mode, tiler) for mode, tiler in pairs), *(rest if keep else ())])


def tiler_text(tiler: Any) -> str:
    """Return a tiler in notation: ``(2:1,4,_)``."""
    if is_tuple(tiler):
        return f"({','.join(map(tiler_text, tiler))})"
    return "_" if is_left_alone(tiler) else str(tiler) if is_layout(tiler) else text_of(tiler)
