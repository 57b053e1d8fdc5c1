# SPDX-License-Identifier: Apache-2.0
"""Tiles in the buffers of a core, each checked by the rules of its buffer.

>>> tile = make_layout("half", "zZ", 128, 64)
>>> allocate("AtlasA2", "L0A", tile, "half", start=16384)
<Tensor 'L0A'[8192:] in L0A at (_0,_0): ((_16,8),(_16,4)):((_16,1024),(_1,_256))>
>>> allocate("Ascend950", "L0A", tile, "half")
Traceback (most recent call last):
    ...
tla.errors.LayoutError: 128 x 64 of half is zZ, L0A of Ascend950 takes zN
  make_layout('half', 'zN', 128, 64) gives that.
  The stride of the row blocks is 1024; zN of 16 bits has 256: (16,0) lies at 1024, not at 256.
  The stride of the column blocks is _256; zN of 16 bits has a multiple of 256, at least 2048.

`tla.ascend.buffers` has the rules. They read the shape and the stride of a layout, not its origin shape:
a tile takes all of its shape, padding included.

Source: CATLASS arch/resource.hpp, arch/local_tensor_buffer.hpp, where no offset is checked.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from ..errors import CapacityError, DivisibilityError, LayoutError, UnsupportedError
from ..ground import constexpr, plural
from ..layouts import Layout, Tensor, as_layout, leaves, product
from ..numbers import (
    SymbolicInt,
    comparison,
    decide,
    division,
    is_tuple,
    keeps_assumptions,
    known_eq,
    known_int,
    known_lt,
    leaf,
    round_down,
    round_up,
)
from .buffers import buffer_of, l1_tag
from .elements import element as element_named
from .tags import TAGS, make_layout, recognition, tag_of

if TYPE_CHECKING:
    from ..layouts import AnyLayout
    from ..numbers import Conditions, IntLike
    from .arch import Arch, Position
    from .buffers import Buffer
    from .elements import Element, ElementLike
    from .tags import Recognition

_L = TypeVar("_L", bound="AnyLayout")


@constexpr
@keeps_assumptions
def allocate(
    arch: str | Arch,
    position: Position,
    layout: _L,
    element: ElementLike,
    *,
    start: IntLike = 0,
    assume: Conditions | None = None,
) -> Tensor[str, _L]:
    """Return the tile of a layout in a buffer, starting at a byte.

    The tensor is a view of the buffer: its offsets count elements from the first byte of it.

    >>> bias = allocate("Ascend950", "BT", make_layout("float", "VectorLayout", 128), "float", start=64)
    >>> bias.position, bias(0), bias(127)
    ('BT', 16, 143)
    >>> allocate("AtlasA2", "L0A", make_layout("half", "zZ", 128, 512), "half")
    Traceback (most recent call last):
        ...
    tla.errors.CapacityError: 128 x 512 of half takes 131072 bytes, L0A of AtlasA2 has 65536
      128 x 256 would fit, or 64 x 512.

    It takes the bytes from its first element to its last, padding included, of four bits two to a byte.
    Other tiles in the buffer are not checked: see `allocate_stages`, and `Plan.check`.

    Args:
        arch: An architecture or a chip, or its name.
        position: The buffer: ``L1``, ``L0A``, ``L0B``, ``L0C``, ``UB``, ``BT`` or ``FB``.
        layout: The layout of the tile: ``make_layout`` of one of the buffer's tags, or a tile of such a
            layout; in UB any layout without negative strides.
        start: The first byte of the tile.

    Raises:
        CapacityError: the tile ends behind the buffer. The error has the bytes ``needed`` and
            ``available``.
        DivisibilityError: the start is no multiple of the buffer's alignment.
        LayoutError: the layout is in none of the tags of the buffer, or starts before it.
        UnsupportedError: there is no such architecture, buffer or element type; or the buffer does not
            hold the element type.
        UndecidedError: the answer to one of these depends on unknowns.
    """
    return _allocate(arch, position, layout, element, start, None)[0]


@constexpr
@keeps_assumptions
def allocate_stages(
    arch: str | Arch,
    position: Position,
    layout: _L,
    element: ElementLike,
    stages: IntLike,
    *,
    start: IntLike = 0,
    assume: Conditions | None = None,
) -> tuple[Tensor[str, _L], ...]:
    """Return several tiles of a layout in a buffer, one behind the other, each at an allowed start.

    >>> tile = make_layout("half", "zZ", 128, 128)
    >>> ping, pong = allocate_stages("AtlasA2", "L0A", tile, "half", 2)
    >>> ping(0, 0), pong(0, 0)
    (0, 16384)
    >>> allocate_stages("AtlasA2", "L0A", tile, "half", 3)
    Traceback (most recent call last):
        ...
    tla.errors.CapacityError: 3 stages of 128 x 128 of half take 98304 bytes, L0A of AtlasA2 has 65536
      128 x 80 would fit, or 80 x 128, or 2 stages.

    Args:
        stages: The number of tiles, 1 or more.

    Raises:
        LayoutError: there are less than 1 stages.
        TlaError: as `allocate`.
        UndecidedError: the number of stages is unknown.
    """
    return _allocate(arch, position, layout, element, start, stages)


class _Request(NamedTuple):
    """The arguments of `allocate`, checked one by one."""

    buffer: Buffer
    layout: AnyLayout
    of: Element
    start: Any
    stages: Any
    """The number of tiles; None for a single tile, which is not called a stage."""

    @property
    def what(self) -> str:
        """The tile in words: the extents of its modes, padding included, and its elements."""
        return f"{_by(_extents(self.layout))} of {self.of}"

    @property
    def is_plain(self) -> bool:
        """Whether the values of all ints of the layout are known."""
        layout = self.layout
        return not any(isinstance(x, SymbolicInt) for x in leaves((layout.shape, layout.stride)))

    def step(self, layout: AnyLayout) -> Any:
        """From one stage of a layout to the next, in bytes."""
        return round_up(self.of.bytes_of(layout.cosize), self.buffer.unit)

    def bytes(self, layout: AnyLayout, stages: Any) -> Any:
        """The bytes of all stages of a layout; None for a single tile, which is not called a stage."""
        alone = self.of.bytes_of(layout.cosize)
        return alone if stages is None else self.step(layout) * (stages - 1) + alone


def _allocate(
    arch: str | Arch,
    position: Position,
    layout: _L,
    element: ElementLike,
    start: IntLike,
    stages: IntLike | None,
) -> tuple[Tensor[str, _L], ...]:
    buffer, of = buffer_of(arch, position), element_named(element)
    _require_element(buffer, of)
    number = None if stages is None else leaf(stages)
    if number is not None and known_lt(number, 1) is True:
        raise LayoutError(f"a tile has 1 stage or more, not {_digits(number)}", stages=number)
    whole = Layout(as_layout(layout).shape, layout.stride)  # the whole shape needs room, data or not
    request = _Request(buffer, whole, of, leaf(start), number)
    # A fault at all values of the unknowns is reported before a fault at some values.
    obligations = (_require_start(request), _require_layout(request), _require_room(request))
    for obligation in obligations:
        if obligation is not None:
            decide(None, obligation)
    first = request.start * 8 // of.bits
    if number is None:
        return (Tensor(position, layout, position=position, data_offset=first),)
    step = request.step(whole) * 8 // of.bits
    return tuple(
        [
            Tensor(position, layout, position=position, data_offset=first + i * step)
            for i in range(known_int(number))
        ]
    )


def _require_element(buffer: Buffer, of: Element) -> None:
    if buffer.elements is not None and of.name not in buffer.elements:
        raise UnsupportedError(
            f"{buffer} holds no {of}",
            f"It holds {', '.join(buffer.elements)}.",
            position=buffer.position,
            element=of,
        )


# Each rule raises if it is broken, and returns the condition if unknowns decide.


def _require_start(request: _Request) -> object:
    buffer, start = request.buffer, request.start
    is_before = known_lt(start, 0)
    if is_before is True:
        raise LayoutError(f"start {_digits(start)} lies before {buffer}", start=start)
    if buffer.starts(start) is False:
        nearest: tuple[int, ...] = ()
        if isinstance(start, int):
            nearest = round_down(int(start), buffer.unit), round_up(int(start), buffer.unit)
        raise DivisibilityError(
            f"start {_digits(start)} in {buffer} is not a multiple of {buffer.unit} bytes",
            *([f"The nearest are {nearest[0]} and {nearest[1]}."] if nearest else ()),
            start=start,
            unit=buffer.unit,
            nearest=nearest,
        )
    if is_before is None:
        return comparison(start, ">=", 0)
    return division(buffer.unit, start)[1]


def _require_layout(request: _Request) -> object:
    layout = request.layout
    if not request.buffer.tags:
        return _require_upward(request)
    rank = len(layout.shape) if is_tuple(layout.shape) else 0
    recognitions: list[Recognition] = []
    for tag in request.buffer.tags_of(request.of, rank):
        recognitions.append(recognition(layout, tag, request.of))
        if recognitions[-1].answer:
            return None
    for each in recognitions:
        if each.answer is None:
            return next(reason.obligation for reason in each.reasons if reason.is_open)
    raise _other_tag(request, recognitions)


def _require_upward(request: _Request) -> object:
    """The start of a tile is the least of its offsets."""
    layout, obligation = request.layout, None
    for extent, step in zip(leaves(layout.shape), leaves(layout.stride), strict=True):
        is_down, is_single = known_lt(step, 0), known_lt(extent, 2)
        if is_down is True and is_single is False:
            by = f"by the stride {_digits(step)}"
            raise LayoutError(
                f"{request.what} reaches before its start in {request.buffer}, {by}",
                "Give it strides of 0 or more.",
                layout=layout,
                stride=step,
            )
        if is_down is not False and is_single is not True:
            obligation = comparison(step, ">=", 0) if is_down is None else comparison(extent, "<", 2)
    return obligation


def _require_room(request: _Request) -> object:
    buffer = request.buffer
    needed = request.bytes(request.layout, request.stages)
    end = request.start + needed
    fits = buffer.holds(end)
    if fits is None:
        return comparison(end, "<=", buffer.capacity)
    if fits:
        return None
    room: Any = buffer.capacity - request.start
    if known_lt(room, 0) is True:
        room = 0
    is_one = request.stages is None or known_eq(request.stages, 1) is True
    takes = (
        f"{request.what} takes" if is_one else f"{_digits(request.stages)} stages of {request.what} take"
    )
    behind = "" if known_lt(0, request.start) is False else f" from byte {_digits(request.start)} on"
    smaller = _smaller(request, room)
    raise CapacityError(
        f"{takes} {_digits(needed)} bytes, {buffer} has {_digits(room)}{behind}",
        *([_advice(request, smaller)] if smaller else ()),
        position=buffer.position,
        needed=needed,
        available=room,
        smaller=smaller,
    )


# --- ways out -----------------------------------------------------------------------------------


def _other_tag(request: _Request, recognitions: list[Recognition]) -> LayoutError:
    buffer, of, tags = request.buffer, request.of, tuple([each.tag for each in recognitions])
    takes = " or ".join(filter(None, (", ".join(tags[:-1]), tags[-1])))
    own = tag_of(request.layout, of) if request.is_plain else None
    if not request.is_plain:
        summary = f"{request.what} is not {takes}, which {buffer} takes"
    elif own is not None and "block" not in TAGS[own].options:
        summary = f"{request.what} is {own}, {buffer} takes {takes}"
    elif wide := [x.name for x in (recognition(request.layout, tag) for tag in tags) if x.answer]:
        summary = f"{request.what} is {wide[0]}, {buffer} takes {takes} of {of.bits} bits"
    else:
        summary = f"{request.what} is {own or 'in no layout tag'}, {buffer} takes {takes}"
    extents = _extents(request.layout)
    tag = l1_tag(own or "") if "nZ" in tags[1:] else tags[0]
    if len(extents) == 1 and "VectorLayout" in tags:
        tag = "VectorLayout"
    nearest = next(each for each in recognitions if each.tag == tag)
    details = [f"T{str(reason)[1:]}." for reason in nearest.reasons]
    if request.is_plain and len(extents) == len(TAGS[tag].sizes):
        details.insert(0, f"{_call(of, tag, extents)} gives that.")
    return LayoutError(
        summary, *details, position=buffer.position, layout=request.layout, tag=own, takes=tags
    )


def _smaller(request: _Request, room: Any) -> tuple[Any, ...]:
    """The tiles that fit instead: the same extents packed closer, or with one extent reduced, the most
    elements first; then a smaller number of stages.
    """
    if not request.is_plain or not isinstance(room, int) or isinstance(request.stages, SymbolicInt):
        return ()
    layout, of, smaller = request.layout, request.of, list[Any]()
    tag = tag_of(layout, of)
    extents = tuple([int(x) for x in _extents(layout)])
    if tag is not None and "block" not in TAGS[tag].options and len(TAGS[tag].sizes) == len(extents):
        for mode, extent in enumerate(extents):

            def cut(to: int, mode: int = mode) -> tuple[int, ...]:
                return (*extents[:mode], to, *extents[mode + 1 :])

            def is_too_large(to: int) -> bool:
                layout = make_layout(of, tag, *cut(to))
                return bool(request.bytes(layout, request.stages) > room)

            most = bisect_left(range(extent + 1), True, key=is_too_large) - 1
            smaller += [cut(most)] if most > 0 else []
    smaller = sorted(set(smaller), key=lambda sizes: (-product(sizes), max(sizes)))
    if request.stages is not None:
        fewer = 1 + (room - request.bytes(layout, None)) // request.step(layout)
        smaller += [fewer] if fewer > 0 else []
    return tuple(smaller)


def _advice(request: _Request, smaller: tuple[Any, ...]) -> str:
    """The sentence that names the tiles that fit."""
    extents = _extents(request.layout)
    if smaller[0] == extents:
        call = _call(request.of, str(tag_of(request.layout, request.of)), extents)
        return f"Its strides leave room between its parts; {call} would fit."
    words = [_by(x) if is_tuple(x) else plural(x, "stage") for x in smaller]
    return f"{', or '.join([f'{words[0]} would fit', *words[1:]])}."


def _call(of: Element, tag: str, extents: tuple[Any, ...]) -> str:
    return f"make_layout({', '.join([repr(of.name), repr(tag), *map(_digits, extents)])})"


def _extents(layout: AnyLayout) -> tuple[Any, ...]:
    """The sizes of the modes."""
    shape = layout.shape
    return tuple([product(mode) for mode in shape]) if is_tuple(shape) else (shape,)


def _by(extents: tuple[Any, ...]) -> str:
    """The extents of a tile, or the length of a vector, in words."""
    return " x ".join(map(_digits, extents)) if len(extents) != 1 else f"{_digits(extents[0])} elements"


def _digits(x: Any) -> str:
    """An int in a sentence, static or not."""
    return f"{x:d}" if isinstance(x, int) else str(x)
