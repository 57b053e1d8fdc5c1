# SPDX-License-Identifier: Apache-2.0
"""How the library computes a result: steps as data, sentences with the numbers, pictures.

>>> from tla.explain import explain
>>> found = explain("composition", Layout((6, 2), (8, 2)), Layout((4, 3), (3, 1)))
>>> print(found.result)
((2,2),3):((24,2),8)
>>> for step in found.steps:
...     print(step.mode, f"{step.shape}:{step.stride}", step.action, step.taken)
0 4:3 split 2:24
0 2:1 fit 2:2
1 3:1 fit 3:8
>>> print(found.figure().sentences[2])
Mode 1 of B, 3:1, takes every index. The last one, 2 * 1 = 2, is inside A's mode 0, 6:8, so all 3 fit, \
1 * 8 = 8 apart: 3:8.

- `explain`: an operation step by step. Its steps and texts are made in ``operations``, ``explanation``,
  ``derivation``, ``tables`` and ``sentences``, its pictures in ``pictures``, ``painting`` and ``tiles``;
- `explain_coordinate`: the arithmetic of one coordinate; `explain_offset`: the way back from an offset;
- `divide_table`: the four forms of a division side by side; `explain_tile`: the first tile of a layout;
- `tv_figure`: the thread of each cell of a tile; `explain_error`: the cells that cause a refusal.
"""

from typing import TYPE_CHECKING

from ..ground import lazy

if TYPE_CHECKING:
    from ..algebra import (
        CoalesceStep as CoalesceStep,
        ComplementStep as ComplementStep,
        CompositionStep as CompositionStep,
        InverseStep as InverseStep,
    )
    from .coordinate import explain_coordinate as explain_coordinate, explain_offset as explain_offset
    from .explanation import Explanation as Explanation
    from .first_tile import explain_tile as explain_tile
    from .forms import divide_table as divide_table
    from .operations import EXPLAINED as EXPLAINED, explain as explain
    from .refusals import explain_error as explain_error
    from .threads import tv_figure as tv_figure

if TYPE_CHECKING:
    # for the rooms above
    from .coordinate import memory_around as memory_around
    from .painting import (
        digits_of as digits_of,
        has_picture as has_picture,
        paint_layout as paint_layout,
        paint_strip as paint_strip,
        sizes_of as sizes_of,
    )
    from .sentences import number as number

lazy(__name__, guard=True)
