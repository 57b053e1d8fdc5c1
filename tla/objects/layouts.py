# SPDX-License-Identifier: Apache-2.0
"""Layouts of the other libraries of layouts: pycute, tensor-layouts, and CuTe's Python DSL."""

from __future__ import annotations

from typing import Any

from ..layouts import ComposedLayout, Layout, Swizzle, as_static, is_composed, is_layout, parse
from ..numbers import INT, is_tuple


def read_layout(value: Any) -> Any:
    """Return a layout, a swizzle, a composed layout or the layout of a tensor, by the name of its class.

    A tensor whose first element has an offset gives a composed layout.
    """
    kind = type(value).__name__
    if kind == "Layout":
        return Layout(value.shape, value.stride)
    if kind == "Swizzle":
        return Swizzle(value.bits, value.base, value.shift)
    if kind == "Tensor":
        layout = read_layout(value.layout)
        return placed(layout, value.offset) if value.offset else layout
    names = ("outer", "inner") if hasattr(value, "outer") else ("layoutB", "layoutA")  # pycute's
    outer, inner = [read_layout(getattr(value, name)) for name in names]
    return ComposedLayout(outer, value.offset, inner)


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
