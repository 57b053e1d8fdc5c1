# SPDX-License-Identifier: Apache-2.0
"""Requests to begin with, in the order of the tutorial.

>>> PRESETS[0]
Preset(page=1, title='A layout is a function', view='layout', args=('(2,4):(12,1)',))
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Preset(NamedTuple):
    """A request by its title, and the page of the tutorial that it is from.

    >>> PRESETS[-1].page
    15
    """

    page: int
    title: str
    view: str
    args: tuple[str, ...]


PRESETS: Final = (
    Preset(1, "A layout is a function", "layout", ("(2,4):(12,1)",)),
    Preset(1, "Exercise: a layout is a function", "exercise", ("function", "1", "1", "1")),
    Preset(2, "Padding between rows", "layout", ("(3,4):(6,1)",)),
    Preset(2, "One row for all: a broadcast", "layout", ("(3,4):(0,1)",)),
    Preset(2, "Several coordinates, one offset", "layout", ("(3,4):(1,1)",)),
    Preset(4, "Nested modes: zN", "layout", ("((4,2),(4,3)):((4,16),(1,32))",)),
    Preset(4, "Where is row 1, column 5?", "coordinate", ("((4,2),(4,3)):((4,16),(1,32))", "1,5")),
    Preset(5, "Fewer modes, the same function", "coalesce", ("(2,(1,6)):(1,(6,2))",)),
    Preset(7, "Every third index", "composition", ("(6,2):(8,2)", "(4,3):(3,1)")),
    Preset(7, "A composition that is refused", "composition", ("(6,2):(1,7)", "(3,2):(2,3)")),
    Preset(7, "Exercise: composition", "exercise", ("composition", "1", "1", "1")),
    Preset(8, "Whose offset is this?", "offset", ("(3,4):(1,1)", "3")),
    Preset(8, "From offsets back to indices", "right_inverse", ("(3,4):(4,1)",)),
    Preset(9, "What is left free", "complement", ("(2,2):(1,6)", "24")),
    Preset(10, "Tiles of 4 by 3", "zipped_divide", ("(8,6):(1,8)", "(4,3)")),
    Preset(10, "Four ways to group the same tiles", "divide", ("(8,6):(1,8)", "(4,3)")),
    Preset(10, "Copies of a block", "blocked_product", ("(2,2):(2,1)", "(2,3):(3,1)")),
    Preset(11, "A tail: 20 x 48 in fractals", "layout", ("zN<half>(20,48)",)),
    Preset(11, "The same, leaf by leaf", "tag", ("zN<half>(20,48)",)),
    Preset(11, "Three fractals by hand", "layout", ("((4,2),(4,3)):((4,16),(1,32)):(7,10)",)),
    Preset(12, "XLA's tiles as a layout", "layout", ("f32[3,5]{1,0:T(2,2)}",)),
    Preset(12, "XLA's tiles, step by step", "tiling", ("f32[3,5]{1,0:T(2,2)}", "2,3")),
    Preset(12, "Two levels of tiles: bf16 on a TPU", "layout", ("bf16[16,256]{1,0:T(8,128)(2,1)}",)),
    Preset(14, "Threads and values", "tv", ("((4,8),2):((16,1),8)", "(8,8)")),
    Preset(15, "A swizzle", "layout", ("Sw<2,0,3> o 0 o (8,8):(8,1)",)),
    Preset(
        15, "Banks, and the swizzle that helps", "banks", ("(32,32):(32,1)", "(32,1):(1,0)", "32", "1")
    ),
)
