# SPDX-License-Identifier: Apache-2.0
"""The arguments of a copy, checked: layouts with their tags, the tile, the fields of a parameter.

Every copy begins here: its two layouts are read as tags. It also ends here: its calls are checked
against the widths of the fields. A number that does not fit is an error; a struct would silently keep
its low bits.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, Union

from ...errors import (
    CongruenceError,
    CoordinateError,
    DivisibilityError,
    LayoutError,
    UndecidedError,
    UnsupportedError,
)
from ...layouts import (
    AnyLayout,
    as_int_tuple,
    as_layout,
    congruent,
    flatten_to_tuple,
    product,
    text_of,
    wrap,
)
from ...numbers import SymbolicInt, is_tuple, round_down, round_up
from ..arch import Arch, arch as arch_named
from ..cube import FP4, FP8
from ..elements import element as element_named
from ..tags import Tag, TaggedLayout, make_layout, tags_of, why_not
from .calls import Call, Calls
from .matrix import Matrix
from .records import LoadData2DMxParams, widths
from .transfer import Transfer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...numbers import IntTuple
    from ..elements import Element, ElementLike

Source: TypeAlias = Union[AnyLayout, TaggedLayout]
"""A layout; one with a tag and element type, as of `parse_tagged`, sets those of the copy."""

Destination: TypeAlias = Union[AnyLayout, TaggedLayout, str, Tag]
"""A `Source`, or a tag that makes a layout of the tile."""

_ABSENT: Final = {
    2201: (*FP4, *FP8, "float8_e8m0_t", "hifloat8_t"),
    3510: ("int4b_t",),
}
"""What an instruction set does not have. Source: CATLASS catlass.hpp; migration hazards for int4b_t."""


class Copy(NamedTuple):
    """A copy with checked arguments: the matrices that it reads and writes, and the shapes it needs."""

    route: str
    arch: Arch
    element: Element
    src: Matrix
    dst: Matrix
    cut: tuple[int, ...]
    """The origin shape of the source tile: its data."""
    room: tuple[int, ...]
    """The origin shape of the destination tile."""
    is_made: bool = False
    """Whether the destination's layout was made from the tile and a tag."""

    def step(self, matrix: Matrix, axis: int, level: int) -> int:
        """The stride of an axis within blocks (0) or between them (1).

        The stride of a single block is convention; it is rounded to a whole number of fractals.
        """
        shape, strides = matrix.layout.shape, matrix.layout.stride
        stride = int(flatten_to_tuple(strides[axis])[level])
        if level and all(map(is_tuple, shape)) and int(shape[axis][1]) == 1:
            return round_up(stride, int(shape[0][0] * shape[1][0]))
        return stride

    def blocks_apart(self, matrix: Matrix, axis: int) -> int:
        """From one row (0) or column (1) of blocks of 32 bytes to the next, in blocks."""
        what = f"from one {LINES[axis]} of blocks of {matrix} to the next"
        return whole(self.step(matrix, axis, 1), self.element.c0, what)

    def fractals_apart(self, matrix: Matrix, axis: int) -> int:
        """From one row (0) or column (1) of fractals to the next, in fractals."""
        what = f"from one {LINES[axis]} of fractals of {matrix} to the next"
        return whole(self.step(matrix, axis, 1), self.element.fractal, what)


LINES: Final = ("row", "column")
"""What each axis counts."""


class Request(NamedTuple):
    """The arguments of a copy besides its layouts."""

    arch: str | Arch
    element: ElementLike | None
    tile: IntTuple | None = None
    at: IntTuple | None = None
    src_tag: str | Tag | None = None
    dst_tag: str | Tag | None = None


def element_of(element: ElementLike | None, *operands: object, what: str = "element") -> Element:
    """Return the element type of a copy, by the argument and by its tagged layouts.

    Args:
        what: The name of the argument for the element type, in an error.

    Raises:
        LayoutError: there is no element type, or two differ.
    """
    of = None if element is None else element_named(element)
    for operand in operands:
        if not isinstance(operand, TaggedLayout):
            continue
        if of is not None and of != operand.element:
            raise LayoutError(
                f"the elements of {operand} are {operand.element}, and those of the copy are {of}",
                f"Leave {what} out where a layout says it.",
                element=of,
                layout=operand.layout,
            )
        of = operand.element
    if of is None:
        raise LayoutError(
            "the element type of a copy is not said",
            f"Give {what}=, as 'half', or a layout that says it: parse_tagged('zN<half>(32,48)').",
        )
    return of


def untagged(layout: Source, tag: str | Tag | None) -> tuple[AnyLayout, str | Tag | None]:
    """Return a layout and its tag: the argument, else the layout's own."""
    if isinstance(layout, TaggedLayout):
        return layout.layout, layout.tag if tag is None else tag
    return layout, tag


def copy_of(
    route: str,
    pairs: Mapping[str, tuple[str, ...]],
    src: Source,
    dst: Destination,
    request: Request,
) -> Copy:
    """Return a copy out of a matrix, checked, with its tags and its tile.

    Args:
        pairs: For each tag of a destination the tags of sources that CATLASS copies to it.

    Raises:
        TlaError: an argument is wrong; see `gm_to_l1`.
    """
    core, of = arch_named(request.arch), element_of(request.element, src, dst)
    _require_element(route, core, of)
    src, src_tag = untagged(src, request.src_tag)
    tag = request.dst_tag
    if not isinstance(dst, (str, Tag)):
        dst, tag = untagged(dst, tag)
    require_numbers(as_layout(src), "source")
    start = _ints(request.at, src, "coordinate", 0)
    small = None if isinstance(dst, (str, Tag)) else as_layout(dst)
    extents = _extents(request.tile, src, start, small)
    cut = _cut(src, extents, start)
    if isinstance(dst, (str, Tag)):
        tag, small = dst, make_layout(of, dst, *extents)
    assert small is not None
    require_numbers(small, "destination")
    tags = _match_tags(route, pairs, (src, src_tag), (small, tag), of)
    zero = (0,) * len(start)
    _require_room(small, cut, "destination")
    room = tuple(min(e, int(n)) for e, n in zip(extents, small.origin_shape, strict=True))
    from_, to = Matrix(src, tags[0], of, start), Matrix(small, tags[1], of, zero)
    return Copy(route, core, of, from_, to, cut, room, small is not dst)


def store_of(
    route: str,
    pairs: Mapping[str, tuple[str, ...]],
    src: Source,
    dst: Source,
    request: Request,
) -> Copy:
    """Return a copy into a matrix: the coordinate is a place in it, the tile is the whole source.

    Raises:
        TlaError: as `copy_of`.
    """
    core, of = arch_named(request.arch), element_of(request.element, dst)
    _require_element(route, core, of)
    (src, src_tag), (dst, dst_tag) = untagged(src, request.src_tag), untagged(dst, request.dst_tag)
    require_numbers(as_layout(src), "source")
    require_numbers(as_layout(dst), "destination")
    start = _ints(request.at, dst, "coordinate", 0)
    cut = _cut(dst, _extents(request.tile, dst, start, src), start)
    tags = _match_tags(route, pairs, (src, src_tag), (dst, dst_tag), of)
    _require_room(src, cut, "source")
    from_, to = Matrix(src, tags[0], of, (0,) * len(start)), Matrix(dst, tags[1], of, start)
    return Copy(route, core, of, from_, to, cut, cut)


def transfer_of(
    copy: Copy,
    first: Call,
    count: int = 1,
    dst_step: int = 0,
    src_step: int = 0,
    m_step: int = 0,
    why_many: str | None = None,
    scales: LoadData2DMxParams | None = None,
    tail: Call | None = None,
) -> Transfer:
    """Return the transfer of calls in steps: its tiles fit their buffers, its numbers their fields.

    Args:
        first: The first of ``count`` calls; each call writes and reads one step further.
        m_step: The step of the start position of a LoadData2DV2.
        tail: One more call at the end.

    Raises:
        LayoutError: a layout is larger than its buffer; a number is negative, or has more bits than its
            field.
    """
    for place, matrix in zip(copy.route.split("->"), (copy.src, copy.dst), strict=True):
        if place != "GM":
            _require_buffer(copy.arch, place, matrix)
    calls = Calls(first, count, dst_step, src_step, m_step, tail)
    for params in (first.params, calls[count - 1].params, tail and tail.params, scales):
        if params is not None:
            _require_widths(copy, first.name, params)
    why = why_many if len(calls) > 1 else None
    return Transfer(copy.route, calls, why, copy.src, copy.dst, copy.cut, scales)


def _require_buffer(arch: Arch, buffer: Any, matrix: Matrix) -> None:
    """Require a layout to lie within its buffer, up to the end of its last fractal."""
    needed, available = matrix.bytes, arch.capacity(buffer)
    if needed <= available:
        return
    extents = tuple(map(int, matrix.layout.origin_shape))
    tile = _fitting(matrix, extents, available)
    raise LayoutError(
        f"{matrix} of {_by(extents)} takes {needed} bytes, and {buffer} of {arch} has {available}",
        *([f"A tile of {_by(tile)} fits."] if tile else ()),
        buffer=buffer,
        needed=needed,
        available=available,
        tile=tile,
    )


def _fitting(matrix: Matrix, extents: tuple[int, ...], available: int) -> tuple[int, ...] | None:
    """A tile that fits: the longest extent falls to the next lower power of two until it does."""
    while max(extents) > 1:
        axis = extents.index(max(extents))
        less = 1 << (extents[axis] - 1).bit_length() - 1
        extents = (*extents[:axis], less, *extents[axis + 1 :])
        if matrix._replace(layout=make_layout(matrix.element, matrix.tag, *extents)).bytes <= available:
            return extents
    return None


def _by(extents: tuple[int, ...]) -> str:
    return " by ".join(map(str, extents))


def _require_widths(copy: Copy, name: str, params: Any) -> None:
    for field, bits in widths(params, copy.arch.code).items():
        value = getattr(params, field)
        if not 0 <= value < 1 << bits:
            raise LayoutError(
                f"{field} of {name} is {value}, and has {bits} bits on {copy.arch}",
                f"{copy.route} of {copy.src} to {copy.dst}: it is 0 to {(1 << bits) - 1}; the"
                f" struct would keep {value % (1 << bits)}. Copy a smaller tile.",
                field=field,
                value=value,
                bits=bits,
                params=params,
            )


def whole(number: int, unit: int, what: str) -> int:
    """Return a stride in units.

    Raises:
        DivisibilityError: the stride is no whole number of units.
    """
    if number % unit:
        raise DivisibilityError(
            f"{what} is {number} elements, no whole number of {unit}",
            "The instruction counts in that unit, and the rest would be lost.",
            stride=number,
            unit=unit,
        )
    return number // unit


def whole_blocks(copy: Copy, matrix: Matrix, block: tuple[int, ...], what: str) -> None:
    """Require a tile to start on whole blocks.

    Raises:
        DivisibilityError: the tile starts inside a block; ``nearest`` has the nearest allowed
            coordinates.
    """
    if not any(c % b for c, b in zip(matrix.at, block, strict=True)):
        return
    ends = tuple(map(int, matrix.layout.origin_shape))
    below = tuple(map(round_down, matrix.at, block))
    above = tuple(map(round_up, matrix.at, block))
    nearest = (below, above) if all(a < n for a, n in zip(above, ends, strict=True)) else (below,)
    start = matrix.start
    raise DivisibilityError(
        f"{copy.route} cannot start at {text_of(matrix.at)}: {what} of {_by(block)}",
        f"Element {start} of {matrix}, byte {copy.element.bytes_of(start)}, lies within one.",
        f"The nearest coordinates that start one: {' and '.join(text_of(n) for n in nearest)}.",
        coord=matrix.at,
        block=block,
        nearest=nearest,
    )


# --- the arguments ----------------------------------------------------------------------------


def _require_element(route: str, arch: Arch, element: Element) -> None:
    if element.name in _ABSENT[arch.code]:
        raise UnsupportedError(
            f"{arch} has no {element}",
            f"{route} moves elements that its instruction set, {arch.code}, knows.",
            arch=arch,
            element=element,
        )
    if element.bits > 32:
        raise UnsupportedError(
            f"{route} moves no elements of {element.bits} bits",
            "Its instructions move those of 4, 8, 16 and 32 bits.",
            element=element,
        )
    if route.startswith("L1->L0"):
        sides = [p.a if route.endswith("A") else p.b for p in arch.products]
        if element.name not in sides:
            raise UnsupportedError(
                f"the cube core of {arch} multiplies no {element}, so none goes to {route[4:]}",
                f"It takes {', '.join(dict.fromkeys(sides))}.",
                arch=arch,
                element=element,
            )


def require_numbers(layout: AnyLayout, what: str) -> None:
    """Require a layout of numbers, static or dynamic.

    Raises:
        UndecidedError: the layout has an unknown.
    """
    leaves = flatten_to_tuple((layout.shape, layout.stride, layout.origin_shape))
    unknown = [x for x in leaves if isinstance(x, SymbolicInt)]
    if unknown:
        raise UndecidedError(
            f"the parameters of a copy are numbers, and the {what} {layout} depends on {unknown[0]}",
            "Give every unknown a value first.",
            layout=layout,
        )


def _ints(x: Any, layout: AnyLayout, what: str, least: int) -> tuple[int, ...]:
    """A tile or coordinate: one int for each mode of a layout, by default zeros."""
    profile = (0,) * len(wrap(layout.origin_shape))
    if x is None:
        return profile
    x = as_int_tuple(x)
    x = x if is_tuple(x) else (x,)
    if not congruent(x, profile):
        raise CongruenceError(
            f"{what} {text_of(x)} does not fit the layout {layout}",
            f"It needs {len(profile)} ints, one for each mode.",
            layout=layout,
        )
    if any(isinstance(c, SymbolicInt) for c in x):
        raise UndecidedError(f"the parameters of a copy are numbers, and the {what} is {text_of(x)}")
    if any(c < least for c in x):
        raise CoordinateError(f"{what} {text_of(x)}: each int is at least {least}", coord=x)
    return tuple(map(int, x))


def _extents(
    tile: IntTuple | None, big: AnyLayout, start: tuple[int, ...], small: AnyLayout | None
) -> tuple[int, ...]:
    """The tile: the argument, the whole smaller layout, or the rest of the matrix."""
    if tile is None and small is not None:
        require_numbers(small, "tile's layout")
        tile = small.origin_shape
    if tile is not None:
        return _ints(tile, big, "tile", 1)
    return tuple(max(1, int(n) - c) for n, c in zip(big.origin_shape, start, strict=True))


def _cut(big: AnyLayout, extents: tuple[int, ...], start: tuple[int, ...]) -> tuple[int, ...]:
    """The part of a tile that is data of the matrix."""
    data = [max(0, int(n) - c) for n, c in zip(big.origin_shape, start, strict=True)]
    cut = tuple(map(min, extents, data))
    if not all(cut):
        raise CoordinateError(
            f"the tile {text_of(extents)} at {text_of(start)} holds no data of the layout {big}",
            f"Its sizes are {text_of(big.origin_shape)}; there is nothing to copy.",
            coord=start,
            tile=extents,
            layout=big,
        )
    return cut


def _require_room(layout: AnyLayout, cut: tuple[int, ...], what: str) -> None:
    room = tuple(int(product(s)) for s in layout.shape)
    if len(room) != len(cut) or any(n < c for n, c in zip(room, cut, strict=True)):
        raise LayoutError(
            f"the {what} {layout} is smaller than the tile {text_of(cut)}",
            f"It holds {text_of(room)}.",
            layout=layout,
            tile=cut,
        )


def _match_tags(
    route: str,
    pairs: Mapping[str, tuple[str, ...]],
    src: tuple[AnyLayout, str | Tag | None],
    dst: tuple[AnyLayout, str | Tag | None],
    element: Element,
) -> tuple[str, str]:
    """The first pair of tags of the two layouts that an instruction copies."""
    own_tags = _tag_of(*src, element, "source"), _tag_of(*dst, element, "destination")
    for target, readable in pairs.items():
        if _is_in(dst[0], own_tags[1], target, element):
            for source in readable:
                if _is_in(src[0], own_tags[0], source, element):
                    return source, target
    sources, targets = [
        tags_of(layout, element) if tag is None else (tag,)
        for (layout, _), tag in zip((src, dst), own_tags, strict=True)
    ]
    reads = dict.fromkeys(source for target in targets for source in pairs.get(target, ()))
    names = " or ".join(sources) or str(src[0]), " or ".join(targets) or str(dst[0])
    takes = f"{names[1]} takes {', '.join(reads)}."
    raise UnsupportedError(
        f"no instruction of {route} moves {names[0]} to {names[1]}",
        takes if reads else f"The destinations of {route} are {', '.join(pairs)}.",
        route=route,
        src_tags=sources,
        dst_tags=targets,
        takes=tuple(reads),
    )


def _is_in(layout: AnyLayout, name: str | None, tag: str, element: Element) -> bool:
    """Whether a layout is in a tag; a layout with a tag of its own is in that one alone."""
    return name == tag if name is not None else _lies_in(layout, tag, element)


@lru_cache(maxsize=1024)
def _lies_in(layout: AnyLayout, tag: str, element: Element) -> bool:
    """Whether a layout of numbers is in a tag; static numbers and others have the same answer."""
    return not why_not(layout, tag, element)


def _tag_of(layout: AnyLayout, tag: str | Tag | None, element: Element, what: str) -> str | None:
    """The name of the tag that the caller gives a layout, checked against the layout."""
    if tag is None:
        return None
    name = str(tag).rpartition("::")[2]
    if not _lies_in(layout, name, element):
        reasons = map(str, why_not(layout, name, element))
        raise LayoutError(
            f"the {what} {layout} is no {name} of {element}", *reasons, layout=layout, tag=name
        )
    return name
