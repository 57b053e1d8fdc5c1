# SPDX-License-Identifier: Apache-2.0
"""Pictures of atoms and tiles: the thread and the value of each element, coloured by thread."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..explain import tv_figure
from ..layouts import text_of

if TYPE_CHECKING:
    from ..ground import Figure
    from .mma import MmaAtom
    from .tiles import TiledCopy, TiledMma


def held_figure(value: MmaAtom | TiledMma | TiledCopy, part: str = "", **limits: int) -> Figure:
    """The figure of an operand of a matrix instruction, or of a side of a copy."""
    holder: Any = value
    shown = part or next(name for name in ("c", "src") if hasattr(holder, name))
    extents = holder.extents(shown)
    figure = tv_figure(getattr(holder, shown), extents, **limits)
    name = holder.name if hasattr(holder, "name") else f"tiled {holder.atom.name}"
    return figure._replace(title=f"{name}, {shown} of {text_of(extents)}")
