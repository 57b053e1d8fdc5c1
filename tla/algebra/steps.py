# SPDX-License-Identifier: Apache-2.0
"""The steps of an operation as records: numbers, and what was done with them.

A walk that is given a list adds its steps to it; `tla.explain` shows them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from ..layouts import AnyLayout


class CoalesceStep(NamedTuple):
    """One mode read from left to right, and the modes there are after it.

    >>> from tla.explain import explain
    >>> for step in explain("coalesce", parse("(2,4,1):(1,2,9)")).steps:
    ...     print(step.shape, step.stride, step.action, step.so_far)
    2 1 keep 2:1
    4 2 merge 8:1
    1 9 skip 8:1
    """

    shape: Any
    stride: Any
    action: str
    """``skip``: its size is 1; ``merge``: it continues the mode before; ``keep``: it is a new mode."""
    so_far: AnyLayout


class CompositionStep(NamedTuple):
    """What the rest of a mode of the right side takes of a mode of the left side.

    >>> from tla.explain import explain
    >>> step = explain("composition", parse("(6,2):(8,2)"), parse("(4,3):(3,1)")).steps[0]
    >>> step.mode, step.left, step.action, str(step.taken)
    (0, 0, 'split', '2:24')
    """

    mode: int
    """The number of the leaf of the right side."""
    shape: Any
    stride: Any
    """What is left of that leaf; of a ``run`` the stretch."""
    left: int | None
    """The number of the mode of the coalesced left side; None where it takes none."""
    left_shape: Any
    """Its size, or None of the last mode, which grows."""
    left_stride: Any
    action: str
    """``pass``: the stride is a multiple of this mode; ``split``: it takes all there is of the mode;
    ``fit``: it ends in it; ``run``: a stretch on which the left side is linear, found by search."""
    taken: AnyLayout | None


class ComplementStep(NamedTuple):
    """One mode in the order of strides, and the gap below it; of the last step the rest of the range.

    >>> from tla.explain import explain
    >>> for step in explain("complement", parse("(2,2):(1,6)"), 24).steps:
    ...     print(step.shape, step.stride, step.end, step.gap, step.taken)
    2 1 1 1 None
    2 6 2 3 3:2
    None None 12 2 2:12
    """

    shape: Any
    stride: Any
    end: Any
    """Where the mode before it ends: ``shape * stride`` of that one."""
    gap: Any
    """How often ``end`` goes into what is free there, ``stride // end``."""
    taken: AnyLayout | None
    """The mode of the complement, of size ``gap`` and stride ``end``; None where there is no room.

    A complement that goes on above has a last one of size 1 too."""


class InverseStep(NamedTuple):
    """One mode in the order of strides, and what it gives to the inverse.

    >>> from tla.explain import explain
    >>> for step in explain("right_inverse", parse("(2,3):(3,1)")).steps:
    ...     print(step.shape, step.stride, step.index, step.taken)
    3 1 2 3:2
    2 3 1 2:1

    Of a left inverse the first step, without shape and stride, is what lies below all strides.
    """

    shape: Any
    stride: Any
    index: Any
    """How many coordinates lie below it: the stride of its index."""
    end: Any
    """Of a right inverse, where the run of offsets ends that the modes taken before it reach."""
    taken: AnyLayout | None
