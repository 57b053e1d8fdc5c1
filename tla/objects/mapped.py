# SPDX-License-Identifier: Apache-2.0
"""Layouts that are written as maps: MLIR's types of memory, read and written, and TileLang's layouts.

>>> from ..layouts import parse
>>> print(read_memref("memref<4x?xf32, strided<[?, 1]>>"))
(_4,s0{min=0}):(d0{min=none},_1)
>>> memref_of(parse("((2,4),8):((1,16),2)"), "f32")
'memref<8x8xf32, affine_map<(d0, d1) -> ((d0 floordiv 2) * 16 + d1 * 2 + d0 mod 2)>>'

Source: MLIR's built-in dialect, ``MemRefType``, ``StridedLayoutAttr``, and its normalization of maps;
TileLang 0.1.15, ``Layout.__repr__``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NoReturn

from ..errors import ParseError, UnsupportedError
from ..layouts import Layout, compact_row_major, is_composed, is_swizzle, parse
from ..numbers import Basis, Expr, Int, bounds_of, is_tuple, known_eq, known_int, leaf, substitute, sym
from .layouts import placed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..layouts import AnyLayout, ComposedLayout

_TYPE = re.compile(r"\s*memref\s*<\s*((?:(?:\?|[0-9]{1,18})\s*x\s*)*)(?![-0-9?])(.*)>\s*", re.S)
_STRIDED = re.compile(r"strided\s*<\s*\[([^\]]*)\]\s*(?:,\s*offset\s*:\s*(\?|-?[0-9]{1,18})\s*)?>", re.S)
_TILELANG = re.compile(
    r"\s*Layout\(\(([0-9, ]*)\) -> \(([0-9, ]*)\), transform: \(([\w, ]*)\) -> (\(.*\))\)\s*", re.S
)
_INDEX_MAP = re.compile(
    r"\s*(?:T\.)?index_map\(\s*lambda ([\w, ]*):\s*(\(.*?\))\s*(?:,\s*\w+=.*)?\)\s*", re.S
)
_MAP = re.compile(r"affine_map\s*<\s*(\(([^)]*)\)\s*(?:\[[^\]]*\]\s*)?->.*)>", re.S)


def read_memref(text: str) -> AnyLayout | ComposedLayout:
    """Return the layout of a type of memory; its sizes are static, and each ``?`` is an unknown.

    The element type and the memory space are left out. An offset that is not 0 stands in a composed
    layout behind ``Sw<0,4,3>``, the swizzle that moves nothing.

    >>> print(read_memref("memref<4x8xf32, strided<[1, 4], offset: 3>, 1>"))
    Sw<0,4,3> o _3 o (_4,_8):(_1,_4)
    >>> print(read_memref("memref<4x8xf32, affine_map<(i, j) -> (i floordiv 2, j, i mod 2)>>"))
    ((_2,_2),_8):((_1,_16),_2)

    A map with several results is row-major over their ranges, as MLIR's normalization makes it.

    Raises:
        ParseError: the text is no type of memory.
        UnsupportedError: its map has symbols or unknown sizes, or values that no layout has, or the type
            has no rank.
    """
    found = _TYPE.fullmatch(text)
    if found is None:
        _refuse(text, 0)
    sizes = re.findall(r"\?|[0-9]+", found[1])
    _element, *rest = _split(found[2])
    if _element.startswith("*"):
        raise UnsupportedError("memory without a rank has no layout", text=text)
    way = rest[0] if rest else ""
    if strided := _STRIDED.fullmatch(way):
        strides = [d.strip() for d in strided[1].split(",")] if strided[1].strip() else []
        odd = next((d for d in strides if not re.fullmatch(r"\?|-?[0-9]{1,18}", d)), None)
        if odd is not None:
            _refuse(text, text.index(way), f"a stride is an int or '?', not {odd!r}")
        if len(strides) != len(sizes):
            _refuse(text, text.index(way), f"{len(strides)} strides for {len(sizes)} dims")
        layout = _layout(sizes, strides)
        offset = strided[2] or "0"
        at = parse("x0{min=none}") if offset == "?" else Int(int(offset))
        return layout if offset == "0" else placed(layout, at)
    if mapped := _MAP.fullmatch(way):
        return _mapped(text, mapped, sizes)
    if way.startswith(("strided", "affine_map", "#map")):
        _refuse(text, text.index(way))
    return _row_major(sizes)


def _split(text: str) -> list[str]:
    """The parts of a text between commas outside of brackets."""
    parts, depth, before = [""], 0, ""
    for char in text:
        depth += (char in "<[({") - (char in "])}" or (char == ">" and before != "-"))
        if char == "," and not depth:
            parts.append("")
        else:
            parts[-1] += char
        before = char
    return [part.strip() for part in parts]


def _row_major(sizes: list[str]) -> AnyLayout:
    shape = _layout(sizes, ["0"] * len(sizes)).shape
    return Layout(shape, compact_row_major(shape))


def _layout(sizes: list[str], strides: list[str]) -> AnyLayout:
    sides = [[n if n == "?" else f"_{n}" for n in side] for side in (sizes, strides)]
    layout: AnyLayout = parse(":".join(f"({','.join(side)})" for side in sides))
    return layout


def _mapped(text: str, mapped: re.Match[str], sizes: list[str]) -> AnyLayout | ComposedLayout:
    if "?" in sizes or "[" in mapped[1].partition("->")[0]:
        raise UnsupportedError(
            "a map of memory needs known sizes and no symbols", "Write numbers for them.", text=text
        )
    return _placed_by(text, mapped[1], mapped[2], [int(n) for n in sizes])


def read_tilelang(text: str) -> AnyLayout | ComposedLayout:
    """Return the layout that TileLang prints; its values are row-major over the shape behind the arrow.

    >>> print(read_tilelang("Layout((8, 6) -> (2, 6, 4), transform: (_i, _j) -> (_i // 4, _j, _i % 4))"))
    ((_4,_2),_6):((_1,_24),_4)

    Raises:
        ParseError: the text is no layout of TileLang.
        UnsupportedError: its transform has more than arithmetic, such as ``T.bitwise_xor``, or values
            that no layout has.
    """
    found = _TILELANG.fullmatch(text)
    if found is None:
        _refuse(text, 0, "expected a layout as TileLang prints it: Layout((4,) -> (4,), transform: ...)")
    if any(len(n) > 18 for n in re.findall("[0-9]+", text)):
        _refuse(text, 0, "an int of a layout of TileLang has at most 18 digits")
    sizes, ends = [[int(n) for n in re.findall("[0-9]+", part)] for part in found.group(1, 2)]
    return _in_python(text, found[3], found[4], sizes, ends)


def read_index_map(
    index_map: Any, sizes: Sequence[int], ends: Sequence[int] | None = None
) -> AnyLayout | ComposedLayout:
    """Return the layout of a buffer of TVM whose indices go through an ``IndexMap``, or its print.

    >>> print(read_index_map("T.index_map(lambda i, j: (i // 4, j, i % 4))", (8, 6)))
    ((_4,_2),_6):((_1,_24),_4)

    Args:
        sizes: The shape of the buffer, which the map does not say.
        ends: The shape of the buffer that is made; None for the greatest index of each, and one.

    Raises:
        ParseError: the text is no index map, or has another number of variables.
        UnsupportedError: the map has more than arithmetic, or values that no layout has.
    Source: TVM ``tir::IndexMap``, printed by TVMScript.
    """
    text = str(index_map)
    found = _INDEX_MAP.fullmatch(text)
    if found is None or any(len(n) > 18 for n in re.findall("[0-9]+", text)):
        _refuse(text, 0, "expected what TVM prints, as T.index_map(lambda i: (i // 4, i % 4))")
    shapes = [None if side is None else [known_int(leaf(n)) for n in side] for side in (sizes, ends)]
    return _in_python(text, found[1], found[2], shapes[0] or [], shapes[1])


def refuse_index_map(index_map: Any) -> NoReturn:
    """Raise the error of an index map, which has no sizes."""
    way = "tla.objects.read_index_map(map, sizes) takes those of the buffer."
    raise UnsupportedError("an IndexMap of TVM has no sizes", way, value=index_map)


def _in_python(
    text: str, names: str, results: str, sizes: list[int], ends: list[int] | None
) -> AnyLayout | ComposedLayout:
    """The layout of a map that is written as a tuple of Python."""
    if call := re.search(r"[A-Za-z_][\w.]*(?=\s*\()", results):
        raise UnsupportedError(
            f"a transform that calls {call[0]} has no layout: only + - * // % are read", text=text
        )
    names = re.sub(r",\s*$", "", names)
    plain = re.sub(r",\s*\)\s*$", ")", f"({names}) -> {results}")
    return _placed_by(text, re.sub(r"\b_", "v_", plain), re.sub(r"\b_", "v_", names), sizes, ends)


def _placed_by(
    text: str, arrow: str, variables: str, sizes: list[int], ends: list[int] | None = None
) -> AnyLayout | ComposedLayout:
    """The layout of a map on a box, row-major over the sizes of its results."""
    names = [name.strip() for name in variables.split(",") if name.strip()]
    if len(names) != len(sizes):
        _refuse(text, max(0, text.find("->")), f"a map of {len(names)} dims for {len(sizes)}")
    if 0 in sizes:
        return _row_major([str(n) for n in sizes])  # there is no element to place
    from ..indexing import compose, from_layout, layout_and_offset, parse_map

    domain = ", ".join([f"{name} in [0, {n - 1}]" for name, n in zip(names, sizes, strict=True)])
    m = parse_map(f"{arrow}, domain: {domain}" if domain else arrow)
    if ends is None:
        at = {f"d{i}": sym(f"d{i}", min=0, max=n - 1) for i, n in enumerate(sizes)}
        ends = [int(bounds_of(substitute(result, at))[1] or 0) + 1 for result in m.results]
    m = compose(m, from_layout(ends)) if len(m.results) > 1 else m
    layout, offset = layout_and_offset(m)
    return layout if known_eq(offset, 0) else placed(layout, offset)


def memref_of(layout: AnyLayout | ComposedLayout, element: str) -> str:
    """Return the type of memory of a layout, with strides, or with a map where a mode has several.

    >>> memref_of(parse("(M,8):(8,1)"), "f32")
    'memref<?x8xf32, strided<[8, 1]>>'

    Raises:
        UnsupportedError: the layout has padding or a swizzle, or nested modes with unknown sizes.
    """
    offset: Any = 0
    if is_composed(layout) and is_swizzle(layout.outer) and layout.outer.bits == 0:
        offset, layout = layout.offset, layout.inner
    if is_composed(layout):
        raise UnsupportedError(f"a type of memory has no swizzle: {layout}", layout=layout)
    if layout.is_padded:
        raise UnsupportedError(f"a type of memory has no padding: {layout}", layout=layout)
    shape, stride = layout.shape, layout.stride
    if not is_tuple(shape):
        shape, stride = (shape,), (stride,)
    sizes = [_digits(n) for n in Layout(shape, stride).origin_shape]
    head = f"memref<{''.join(f'{n}x' for n in sizes)}{element}"
    if any(map(is_tuple, shape)):
        if _digits(offset) == "?":
            raise UnsupportedError("a map of memory needs known ints", "Write numbers for them.")
        from ..indexing import from_layout

        m, _comma, _domain = str(from_layout(layout)).partition(", domain:")
        plus = "" if known_eq(offset, 0) else f" + {_digits(offset)}"
        return f"{head}, affine_map<{m.removesuffix(')')}{plus})>>"
    end = "" if known_eq(offset, 0) else f", offset: {_digits(offset)}"
    return f"{head}, strided<[{', '.join(map(_digits, stride))}]{end}>>"


def _digits(n: Any) -> str:
    if isinstance(n, Basis):
        raise UnsupportedError(f"a type of memory has offsets, and {n} is a coordinate")
    return "?" if type(n) is Expr else f"{n:d}"


def _refuse(text: str, at: int, why: str = "") -> NoReturn:
    summary = why or "expected a type of memory such as memref<4x8xf32, strided<[8, 1], offset: 0>>"
    raise ParseError(summary, text, at, len(text))
