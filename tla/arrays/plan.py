# SPDX-License-Identifier: Apache-2.0
"""Plans of copies: the loops that move the data of one layout to where another has it.

>>> plan = copy_plan(row_major(32, 48), zN(32, 48))
>>> plan.boxes
(Box(source=0, target=0, loops=(Loop(3, 16, 512), Loop(32, 48, 16), Loop(16, 1, 1))),)
"""

from __future__ import annotations

from itertools import chain, pairwise, product as cartesian
from math import gcd, lcm, prod
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..algebra import collect, raw_modes
from ..errors import CongruenceError, LayoutError, UnsupportedError
from ..ground import Panels, drawn_by, figure_of, guarded, html_of, plural
from ..layouts import as_layout, ends_of, is_composed, leaves, text_of
from ..numbers import is_open, is_tuple, known_int
from .loops import Box, Loop
from .sources import cpp_source, numpy_source, sentences_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..layouts import AnyLayout, ComposedLayout, Swizzle

_MOST_BOXES: Final = 4096
"""The most boxes of a plan: moving one at a time takes as long then as a table of all offsets."""


@drawn_by("tla.arrays.picture", "plan_figure")
class CopyPlan(NamedTuple):
    """What moves every element that two layouts hold, at one coordinate of both.

    ``boxes`` are loops that together reach each coordinate once; None where they would be more than
    tables of the offsets are worth, as for modes whose extents have few common divisors.

    >>> plan = copy_plan(row_major(3, 4), col_major(3, 4))
    >>> plan.size, plan.boxes
    (12, (Box(source=0, target=0, loops=(Loop(4, 1, 3), Loop(3, 4, 1))),))
    """

    source: AnyLayout | ComposedLayout
    target: AnyLayout | ComposedLayout
    boxes: tuple[Box, ...] | None

    @property
    def size(self) -> int:
        """The elements that it moves."""
        return prod(data_shape(self.target))

    @property
    def runs(self) -> int:
        """The pieces, each side by side in source and target, that it moves.

        >>> copy_plan(row_major(32, 48), zN(32, 48)).runs
        96
        """
        runs = 0
        for box in self._loops():
            sizes = [loop.extent for loop in box.loops]
            is_run = box.loops and box.loops[-1].steps == (1, 1)
            runs += prod(sizes[:-1] if is_run else sizes)
        return runs

    def bytes(self, width: int) -> int:
        """Return how many bytes it reads, and writes, of elements of so many bytes.

        >>> copy_plan(row_major(32, 48), zN(32, 48)).bytes(2)
        3072
        """
        return self.size * width

    def explain(self) -> list[str]:
        """Return what it does, in sentences.

        >>> for sentence in copy_plan(row_major(32, 48), zN(32, 48)).explain():
        ...     print(sentence)
        1 nest of 3 loops.
        A step of the loop of 3 is 16 in the source and 512 in the target.
        A step of the loop of 32 is 48 in the source and 16 in the target.
        Its 16 innermost elements lie side by side on both sides.
        """
        return sentences_of(self._loops())

    def cpp(self) -> str:
        """Return a function of C++ that does it, of pointers to offset 0 of either side.

        >>> print(copy_plan(col_major(4, 6), row_major(4, 6)).cpp())
        template <class T>
        void copy(T const* source, T* target) {
          for (long i0 = 0; i0 < 4; ++i0)
            for (long i1 = 0; i1 < 6; ++i1)
              target[6 * i0 + i1] = source[i0 + 4 * i1];
        }

        Raises:
            UnsupportedError: the plan has no boxes.
        """
        return cpp_source(self._loops())

    def numpy(self) -> str:
        """Return a function of Python that does it with numpy, of memory that begins as `pack`'s does.

        Element 0 is offset 0, or the least one where there are negative ones.

        >>> import numpy as np
        >>> names = {}
        >>> exec(copy_plan(col_major(2, 3), row_major(2, 3)).numpy(), names)
        >>> source, target = np.arange(6), np.zeros(6, int)
        >>> names["copy"](source, target)
        >>> target
        array([0, 2, 4, 1, 3, 5])

        Raises:
            UnsupportedError: the plan has no boxes.
        """
        return numpy_source(self._loops(), (-span_of(self.source)[0], -span_of(self.target)[0]))

    def figure(self, places: int = 64) -> Panels:
        """Return the picture of it: both memories, and which run goes where.

        >>> figure = copy_plan(row_major(2, 2), Layout((2, 2), (3, 1))).figure()
        >>> [place.coordinates for place in figure.figures[1].places]
        [('0.0',), ('0.1',), (), ('1.0',), ('1.1',)]

        Args:
            places: The most places of memory on each side.
        """
        found: Panels = figure_of(self, places=places)
        return found

    def _repr_html_(self) -> str | None:
        return html_of(self.figure())

    def _loops(self) -> tuple[Box, ...]:
        if self.boxes is None:
            raise UnsupportedError(
                f"the copy from {self.source} to {self.target} has more than {_MOST_BOXES} boxes",
                "tla.relayout moves it by tables of the offsets.",
            )
        return self.boxes


@guarded
def copy_plan(source: AnyLayout | ComposedLayout, target: AnyLayout | ComposedLayout) -> CopyPlan:
    """Return the plan of a copy: for each coordinate ``c``, from ``source(c)`` to ``target(c)``.

    Coordinates are those that hold data, counted by the top-level modes; what is padding in a layout
    is neither read nor written.

    >>> copy_plan(col_major(4, 6), row_major(4, 6)).boxes
    (Box(source=0, target=0, loops=(Loop(4, 1, 6), Loop(6, 4, 1))),)
    >>> copy_plan(row_major(4, 6), row_major(4, 6)).boxes
    (Box(source=0, target=0, loops=(Loop(24, 1, 1),)),)

    Loops stand by falling stride of the target, and neighbours that step alike are one. A mode whose
    data do not fill its last block is cut into boxes; a swizzle fixes, in each box, the bits it reads.

    Raises:
        CongruenceError: the two hold data of different shapes.
        LayoutError: a layout has symbolic ints; `Layout.bind` gives them values.
    """
    sizes = data_shape(source)
    others = data_shape(target)
    if sizes != others:
        require_one_rank(source, target)
        raise CongruenceError(
            f"{source} holds data of shape {text_of(sizes)}, {target} of shape {text_of(others)}",
            "A copy needs one shape on both sides.",
            source=source,
            target=target,
        )
    return CopyPlan(source, target, _boxes(source, target, sizes))


def require_one_rank(source: AnyLayout | ComposedLayout, target: AnyLayout | ComposedLayout) -> None:
    """Raise CongruenceError if two layouts have different numbers of modes."""
    ranks = int(source.rank), int(target.rank)
    if ranks[0] != ranks[1]:
        raise CongruenceError(
            f"{source} has {plural(ranks[0], 'mode')}, {target} has {plural(ranks[1], 'mode')}",
            "A copy needs one shape on both sides.",
            source=source,
            target=target,
        )


def data_shape(layout: AnyLayout | ComposedLayout) -> tuple[int, ...]:
    """Return how many coordinates of each top-level mode hold data.

    >>> data_shape(parse("((2,2),8):((1,16),2):(3,8)"))
    (3, 8)
    """
    inner, _outers = opened(layout)
    as_layout(inner)
    sizes = tuple(leaves(inner.origin_shape))
    if any(map(is_open, chain(sizes, *raw_modes(inner)))):
        if not inner.symbols:
            summary = f"the values of {layout} are coordinates, and memory has offsets"
            raise LayoutError(summary, layout=layout)
        name = inner.symbols[0].name
        raise LayoutError(
            f"{layout} has no place in memory while {name} has no value",
            f"layout.bind({name}=...) gives it one.",
            layout=layout,
        )
    return tuple([known_int(n) for n in sizes])


def span_of(layout: AnyLayout | ComposedLayout) -> tuple[int, int]:
    """Return where the memory of a layout begins and ends: 0 or its least offset, and its greatest.

    >>> span_of(Layout((3, 4), (-2, 10))), span_of(parse("Sw<1,0,2> o 5 o 4:1")), span_of(Layout(0))
    ((-4, 30), (0, 8), (0, -1))
    """
    data_shape(layout)  # refuses symbolic ints
    low, high = ends_of(layout)
    return min(low, 0), high


def opened(layout: Any) -> tuple[Any, list[tuple[Any, int]]]:
    """Return the innermost layout, and what happens to its offsets: a function, behind an int added."""
    outers: list[tuple[Any, int]] = []
    while is_composed(layout):
        outers.insert(0, (layout.outer, known_int(layout.offset)))
        layout = layout.inner
    return layout, outers


def _boxes(source: Any, target: Any, sizes: tuple[int, ...]) -> tuple[Box, ...] | None:
    if not all(sizes):
        return ()
    sides = [opened(source), opened(target)]
    if any(not hasattr(outer, "bits") for _inner, outers in sides for outer, _offset in outers):
        return None
    axes: list[list[Box]] = []
    for i, n in enumerate(sizes):
        modes = [
            (inner.shape[i], inner.stride[i]) if is_tuple(inner.shape) else (inner.shape, inner.stride)
            for inner, _outers in sides
        ]
        axes.append(axis_boxes(n, modes))
    if prod(map(len, axes)) > _MOST_BOXES:
        return None
    boxes = [
        Box(
            sum(box.source for box in parts),
            sum(box.target for box in parts),
            tuple([loop for box in parts for loop in box.loops if loop.extent > 1]),
        )
        for parts in cartesian(*axes)
    ]
    for side, (_inner, outers) in enumerate(sides):
        for swizzle, offset in outers:
            moved = [_moved(box, side, offset) for box in boxes]
            boxes = [part for box in moved for part in _swizzled(box, side, swizzle)]
            if len(boxes) > _MOST_BOXES:
                return None
    return tuple([box._replace(loops=joined(box.loops)) for box in boxes])


def joined(loops: Iterable[Loop]) -> tuple[Loop, ...]:
    """Return loops by falling stride of the target, with those joined that step as one."""
    kept: list[Loop] = []
    for loop in sorted(loops, key=lambda loop: (abs(loop.target), abs(loop.source)), reverse=True):
        outer = kept[-1] if kept else None
        if outer and outer[1:] == (loop.extent * loop.source, loop.extent * loop.target):
            kept[-1] = Loop(outer.extent * loop.extent, loop.source, loop.target)
        else:
            kept.append(loop)
    return tuple(kept)


# --- one mode ---------------------------------------------------------------------------------


_Digits = list[tuple[int, int]]  # extents, and the indices or offsets that a step of each passes


def axis_boxes(n: int, modes: list[tuple[Any, Any]]) -> list[Box]:
    """Return the boxes of the first ``n`` indices of a mode: a shape and a stride on each side."""

    blocks: set[int] = set()
    sides: list[_Digits] = []
    for shape, stride in modes:
        leaves: list[tuple[Any, Any]] = []
        collect(shape, stride, leaves)
        digits: _Digits = []
        below = 1
        for extent, step in leaves:
            if extent == 1:
                continue
            if digits and step == prod(digits[-1]):  # it goes on as the last one did
                digits[-1] = (int(extent) * digits[-1][0], digits[-1][1])
            else:
                digits.append((int(extent), int(step)))
                blocks.add(below)
            below *= int(extent)
        sides.append(digits)

    def at(index: int) -> list[int]:
        offsets: list[int] = []
        for side in sides:
            rest, offset = index, 0
            for extent, step in side[:-1]:
                rest, digit = divmod(rest, extent)
                offset += digit * step
            offsets.append(offset + rest * (side[-1][1] if side else 0))
        return offsets

    found: list[Box] = []
    for start, digits in _index_boxes(n, sorted([b for b in blocks if 1 < b < n])):
        first = at(start)
        steps = [(extent, at(start + step)) for extent, step in digits if extent > 1]
        loops = [Loop(e, there[0] - first[0], there[1] - first[1]) for e, there in steps]
        found.append(Box(first[0], first[1], tuple(loops)))
    return found


def _index_boxes(n: int, blocks: list[int]) -> Iterator[tuple[int, _Digits]]:
    """The boxes, each a first index and digits, that ``0 .. n - 1`` has between the ends of blocks.

    Blocks that divide each other are digits. Where others end, a box ends, up to the common multiple
    of all; from there on everything is again as it was.

    >>> list(_index_boxes(20, [4, 8]))
    [(0, [(2, 8), (2, 4), (4, 1)]), (16, [(1, 4), (4, 1)])]
    >>> [start for start, _digits in _index_boxes(12, [2, 3])]
    [0, 2, 3, 4]
    """
    chain, others = [1], list[int]()
    for block in blocks:
        (others if others or block % chain[-1] else chain).append(block)
    period = lcm(*chain, *others) if others else n
    times = n // period
    for first, last, repeated in ((0, period if times else 0, times), (times * period, n, 1)):
        cuts = {first, last, *(i for block in others for i in range(first, last, block))}
        for low, high in pairwise(sorted(cuts)):
            for start, digits in _aligned(low, high, chain):
                yield start, [(repeated, period), *digits] if repeated > 1 else digits


def _aligned(low: int, high: int, chain: list[int]) -> Iterator[tuple[int, _Digits]]:
    """The boxes of ``low .. high - 1`` between multiples of a chain of blocks."""
    *lower, block = chain
    first, last = -(-low // block) * block, high // block * block
    if not lower or first < last:
        digits = [(above // below, below) for below, above in pairwise(chain)]
        middle = [(first, [((last - first) // block, block), *digits[::-1]])]
    elif first > last:
        yield from _aligned(low, high, lower)
        return
    else:
        middle = []
    if low < first:
        yield from _aligned(low, first, lower)
    yield from middle
    if last < high:
        yield from _aligned(last, high, lower)


# --- swizzles ---------------------------------------------------------------------------------


def _swizzled(box: Box, side: int, swizzle: Swizzle) -> Iterator[Box]:
    """The boxes of one whose offsets on a side go through a swizzle.

    In each, the bits that the swizzle reads or writes are fixed, so all of it moves by one distance.
    """
    swizzle(box.span(side)[0])  # refuses an offset below 0
    low = known_int(swizzle.base)
    high = low + known_int(swizzle.bits) + abs(known_int(swizzle.shift))
    unit, top = 1 << low, 1 << high
    kept: list[Loop] = []
    fixed: list[Loop] = []
    small: list[Loop] = []  # those that may stay below the bits
    todo = sorted(box.loops, key=lambda loop: abs(loop.steps[side]))
    while todo:
        loop = todo.pop(0)
        step = loop.steps[side]
        if step % top == 0:
            kept.append(loop)
            continue
        below = 0 < step < unit and unit % step == 0
        most = unit // step if below else top // gcd(step, top)
        if loop.extent > most:
            whole, rest = divmod(loop.extent, most)
            if rest:
                yield from _swizzled(_cut(box, loop, whole * most), side, swizzle)
                yield from _swizzled(_cut(box, loop, rest, whole * most), side, swizzle)
                return
            outer = Loop(whole, loop.source * most, loop.target * most)
            inner = loop._replace(extent=most)
            others = [each for each in box.loops if each is not loop]
            box, loop = box._replace(loops=(outer, inner, *others)), inner
            todo.insert(0, outer)
        (small if below else fixed).append(loop)
    reach = sum((loop.extent - 1) * loop.steps[side] for loop in small)
    carries = box.starts[side] % unit + reach >= unit or any(loop.steps[side] % unit for loop in fixed)
    (fixed if carries else kept).extend(small)
    for at in cartesian(*(range(loop.extent) for loop in fixed)):
        starts = [
            box.starts[i] + sum(n * loop.steps[i] for n, loop in zip(at, fixed, strict=True))
            for i in (0, 1)
        ]
        starts[side] = int(swizzle(starts[side]))
        yield Box(starts[0], starts[1], tuple(kept))


def _moved(box: Box, side: int, by: int) -> Box:
    return (
        Box(box.source + by, box.target, box.loops)
        if side == 0
        else box._replace(target=box.target + by)
    )


def _cut(box: Box, loop: Loop, extent: int, start: int = 0) -> Box:
    """A box with one loop cut: from a start, so many times."""
    loops = tuple([each._replace(extent=extent) if each is loop else each for each in box.loops])
    return Box(box.source + start * loop.source, box.target + start * loop.target, loops)
