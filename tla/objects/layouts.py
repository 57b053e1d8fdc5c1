# SPDX-License-Identifier: Apache-2.0
"""Layouts of the other libraries of layouts: pycute, tensor-layouts, and CuTe's Python DSL."""

from __future__ import annotations

from typing import Any

from ..layouts import ComposedLayout, Layout, Swizzle, as_static, is_composed, is_layout, parse
from ..numbers import INT, is_tuple


def read_layout(layout: Any) -> Any:
    """Return a layout with the same shape and stride; a composed one is read as it is."""
    kind = type(layout).__name__
    if kind == "Layout":
        return Layout(layout.shape, layout.stride)
    return read_swizzle(layout) if kind == "Swizzle" else read_composed(layout)


def read_swizzle(swizzle: Any) -> Swizzle:
    """Return the swizzle of the same bits, base and shift."""
    return Swizzle(swizzle.bits, swizzle.base, swizzle.shift)


def read_composed(composed: Any) -> ComposedLayout:
    """Return the composed layout of the same outer, offset and inner part."""
    return ComposedLayout(read_layout(composed.outer), composed.offset, read_layout(composed.inner))


def read_pycute_composed(composed: Any) -> ComposedLayout:
    """Return the composed layout of pycute's ``layoutB``, offset and ``layoutA``."""
    outer, inner = composed.layoutB, composed.layoutA
    nested = type(inner).__name__ == "ComposedLayout"
    return ComposedLayout(
        read_layout(outer),
        composed.offset,
        read_pycute_composed(inner) if nested else read_layout(inner),
    )


def read_tensor(tensor: Any) -> Any:
    """Return the layout of a tensor, and the offset of its first element where that is not 0."""
    layout = read_layout(tensor.layout)
    return placed(layout, tensor.offset) if tensor.offset else layout


def read_dsl(value: Any) -> Any:
    """Return the layout or swizzle that an object of the DSL prints; its ints are static, ``?`` unknown.

    >>> print(read_dsl("(?{div=16},8):(8,1)"))
    (s0{div=16,min=0},_8):(_8,_1)
    """
    return _static(parse(str(value)))


def read_dsl_tensor(tensor: Any) -> Any:
    """Return the layout of a tensor of the DSL."""
    return read_dsl(tensor.layout)


def _static(value: Any) -> Any:
    if is_layout(value):
        return Layout(_static(value.shape), _static(value.stride))
    if is_composed(value):
        return ComposedLayout(_static(value.outer), _static(value.offset), _static(value.inner))
    if is_tuple(value):
        return tuple([_static(x) for x in value])
    return as_static(value) if type(value) is INT else value


def placed(layout: Any, offset: Any) -> ComposedLayout:
    """Return the layout whose offsets are some ints higher, behind CuTe's swizzle of no bits.

    >>> print(placed(Layout(4), 3), placed(Layout(4), 3)(1))
    Sw<0,4,3> o 3 o 4:_1 4
    """
    return ComposedLayout(Swizzle(0, 4, 3), offset, layout)
