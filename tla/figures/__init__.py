# SPDX-License-Identifier: Apache-2.0
"""Figures of layouts and of their views: plain data, for `tla.show` to draw."""

from typing import TYPE_CHECKING

from ..ground import lazy

if TYPE_CHECKING:
    from .layouts import (
        BANK_SCHEMES as BANK_SCHEMES,
        COLOURS as COLOURS,
        axis_of as axis_of,
        layout_figure as layout_figure,
        strip_figure as strip_figure,
        tile_colour as tile_colour,
    )
    from .views import composed_figure as composed_figure, tensor_figure as tensor_figure

if TYPE_CHECKING:
    # for the rooms above
    from .cells import drawable as drawable

lazy(__name__, guard=True)
