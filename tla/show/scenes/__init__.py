"""Figures as scenes: where every cell, axis and note of a figure goes, for `tla.show` to write.

>>> scene = scene_of(layout_figure(Layout((2, 3), (3, 1))))
>>> [box.text for box in scene.boxes]
['0', '1', '2', '3', '4', '5']

Cells are as wide as the longest number and of one height, whatever the size of the figure.
"""

from typing import TYPE_CHECKING

from ...ground import lazy

if TYPE_CHECKING:
    from .drawing import draw as draw, scene_of as scene_of

lazy(__name__, guard=True)
