# SPDX-License-Identifier: Apache-2.0
"""Layouts as those of pycute, tensor-layouts, CuTe's DSL and MLIR: objects, or the text of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import UnsupportedError
from ..layouts import is_composed, is_swizzle
from ..moves import format_of, layout_of
from ..numbers import Basis, Expr, is_tuple, known_eq, to_python
from ..objects import memref_of, peer

if TYPE_CHECKING:
    from ..moves import LayoutLike


def to_pycute(layout: LayoutLike) -> Any:
    """Return the layout, or composed layout, of pycute.

    >>> to_pycute("((2,3),4):((1,8),2)")  # doctest: +SKIP
    Layout(((2, 3), 4),((1, 8), 2))

    Raises:
        UnsupportedError: the layout has padding or unknown sizes, or pycute is not installed.
    """
    place = _plain("pycute", layout)
    pycute = peer("pycute.layout", "to_pycute", "pip install --no-deps nvidia-cutlass")
    swizzles = peer("pycute.swizzle", "to_pycute", "pip install --no-deps nvidia-cutlass")
    return _rebuilt(place, _ints, pycute.Layout, swizzles.Swizzle, swizzles.ComposedLayout)


def to_tensor_layouts(layout: LayoutLike) -> Any:
    """Return the layout, or composed layout, of tensor-layouts.

    >>> to_tensor_layouts("((2,3),4):((1,8),2)")  # doctest: +SKIP
    Layout(((2, 3), 4), ((1, 8), 2))

    Raises:
        UnsupportedError: the layout has padding or unknown sizes, or tensor-layouts is not installed.
    """
    place = _plain("tensor-layouts", layout)
    theirs = peer("tensor_layouts", "to_tensor_layouts", "pip install tensor-layouts")

    def composed(outer: Any, offset: int, inner: Any) -> Any:
        return theirs.ComposedLayout(outer, inner, offset=offset)

    return _rebuilt(place, _ints, theirs.Layout, theirs.Swizzle, composed)


def _plain(library: str, layout: LayoutLike, symbols: bool = False) -> Any:
    """The layout, if a library without origin shapes, and perhaps without unknowns, has it."""
    place = layout_of(layout)
    inner = place
    while is_composed(inner):
        inner = inner.inner
    if inner.is_padded:
        summary = f"{library} has no origin shapes, so no word for the padding of {place}"
        raise UnsupportedError(summary, "Layout(x.shape, x.stride) leaves it out.", layout=place)
    if not symbols and inner.symbols:
        name = inner.symbols[0].name
        raise UnsupportedError(
            f"{library} has no unknown ints, as {name} in {place}", f"Bind it: layout.bind({name}=...)."
        )
    return place


def _rebuilt(value: Any, ints: Any, layout: Any, swizzle: Any, composed: Any) -> Any:
    """A value made anew by the constructors of another library, of ints that ``ints`` makes."""
    if is_composed(value):
        outer, inner = [_rebuilt(x, ints, layout, swizzle, composed) for x in (value.outer, value.inner)]
        return composed(outer, ints(value.offset), inner)
    if is_swizzle(value):
        return swizzle(*map(ints, (value.bits, value.base, value.shift)))
    return layout(ints(value.shape), ints(value.stride))


def _ints(x: Any) -> Any:
    return tuple([_ints(i) for i in x]) if is_tuple(x) else int(x)


def to_cute_dsl(layout: LayoutLike) -> str:
    """Return the Python text that makes a layout in CuTe's DSL, whose objects live in a traced function.

    An unknown is the variable of its name.

    >>> print(to_cute_dsl("((2,M),8):((1,16),2)"))
    cute.make_layout(((2, M), 8), stride=((1, 16), 2))
    >>> print(to_cute_dsl("Sw<2,0,3> o 0 o (8,8):(8,1)"))
    cute.make_composed_layout(cute.make_swizzle(2, 0, 3), 0, cute.make_layout((8, 8), stride=(8, 1)))

    Raises:
        UnsupportedError: the layout has padding.
    """
    place = _plain("CuTe's DSL", layout, symbols=True)
    texts = "make_layout({}, stride={})", "make_swizzle({}, {}, {})", "make_composed_layout({}, {}, {})"
    return str(_rebuilt(place, _python, *[f"cute.{text}".format for text in texts]))


def _python(x: Any) -> str:
    if is_tuple(x):
        return f"({', '.join(map(_python, x))}{',' if len(x) == 1 else ''})"
    if isinstance(x, Basis):
        if len(x.terms) > 1:
            raise UnsupportedError(f"a stride of CuTe's DSL goes along one mode, not along {x}")
        ((path, n),) = x.terms.items()
        unit = f"cute.E({path[0] if len(path) == 1 else list(path)})"
        return unit if known_eq(n, 1) else f"{unit} * {_python(n)}"
    return to_python(x) if type(x) is Expr else f"{x:d}"


def to_memref(layout: LayoutLike, element: str | None = None) -> str:
    """Return MLIR's type of memory of a layout: with strides, or with a map where modes are nested.

    >>> print(to_memref("(4,M):(1,4)", "bf16"))
    memref<4x?xbf16, strided<[1, 4]>>
    >>> print(to_memref("((2,2),4):((1,8),2)"))
    memref<4x4xf32, affine_map<(d0, d1) -> ((d0 floordiv 2) * 8 + d1 * 2 + d0 mod 2)>>

    Raises:
        UnsupportedError: the layout has padding or a swizzle, nested modes with unknown ints, or
            coordinates as strides.

    Args:
        element: MLIR's type of an element; None for that of an XLA shape or a tag, or f32.
    """
    place = format_of(layout)
    return memref_of(
        place.layout, element or _mlir_type("f32" if place.type is None else place.type.name)
    )


def _mlir_type(name: str) -> str:
    """MLIR's name for elements of XLA's; its ints have no sign.

    >>> [_mlir_type(name) for name in ("bf16", "u4", "pred", "c64", "f8e4m3fn")]
    ['bf16', 'i4', 'i1', 'complex<f32>', 'f8E4M3FN']
    """
    if name[0] in "su":
        return f"i{name[1:]}"
    if name[0] == "c":
        return f"complex<f{int(name[1:]) // 2}>"
    return "i1" if name == "pred" else name[:2] + name[2:].upper()
