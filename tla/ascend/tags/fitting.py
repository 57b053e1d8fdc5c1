# SPDX-License-Identifier: Apache-2.0
"""One layout against the form of one tag: each part that differs, with a coordinate that shows it.

>>> from tla.ascend.tags.forms import FORMS
>>> layout = parse("((16,2),(16,3)):((16,256),(1,300))")
>>> for reason in Fitting(layout, "zN", FORMS["zN"], 16).reasons():
...     print(reason)
the stride of the column blocks is 300; zN of 16 bits has a multiple of 256, at least 512

`Fitting` goes over the leaves in the order of memory, the fastest first. The tag fixes the stride of a
leaf: it steps over all leaves before it. A tile has fewer blocks than its matrix but the same strides.
So after a count of blocks the layout's own stride is right, if it leaves room for the leaves before it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ...layouts import congruent, leaves, product, text_of
from ...numbers import (
    SymbolicInt,
    ceil_div,
    comparison,
    division,
    equality,
    is_asked,
    is_tuple,
    known_eq,
    known_lt,
    order,
)
from ..cube import FP4
from .forms import Form, Leaf, leaf_name, leaf_place, plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...layouts import AnyLayout
    from ..elements import Element


class Reason(NamedTuple):
    """A part in which a layout differs from a tag, for all values of its unknowns or for some.

    >>> from tla.ascend import why_not
    >>> for reason in why_not(parse("(32,32):(32,1)"), "zN", "half"):
    ...     print(reason)
    the shape of the rows is 32; zN of 16 bits has (16,count): (0,16) lies at 16, not at 512
    the shape of the columns is 32; zN of 16 bits has (16,count): (0,16) lies at 16, not at 512
    """

    tag: str
    """The tag, with the width of its elements if the layout shows it."""
    part: str
    """The part in words: ``size of the row block``, ``stride of the column blocks``."""
    found: Any
    """The layout's int."""
    wanted: Any
    """The tag's int, or the allowed ints in words."""
    obligation: object = None
    """The condition on the unknowns under which the part is right; None if it is always wrong."""
    at: tuple[Any, ...] | None = None
    """A coordinate, one index for each mode, at which the tag has another offset."""
    offset: Any = None
    """The layout's offset at that coordinate."""
    instead: Any = None
    """The tag's offset there; or another coordinate that has the layout's offset already."""

    @property
    def is_open(self) -> bool:
        """Whether unknowns decide."""
        return self.obligation is not None

    def __str__(self) -> str:
        text = f"the {self.part} is {words_of(self.found)}; {self.tag} has {words_of(self.wanted)}"
        if self.obligation is not None:
            return f"{text}, which needs {self.obligation}"
        return f"{text}: {self.witness}" if self.witness else text

    @property
    def witness(self) -> str:
        """The coordinate and its offsets in words; "" if there is none."""
        if self.at is None:
            return ""
        if is_tuple(self.instead):
            return f"{text_of(self.at)} and {text_of(self.instead)} both lie at {self.offset}"
        return f"{text_of(self.at)} lies at {self.offset}, not at {self.instead}"


def words_of(x: Any) -> str:
    """Return the found or wanted value of a reason as text."""
    return x if isinstance(x, str) else text_of(x)


def name_of(tag: str, bits: int | None) -> str:
    """Return a tag with the width of its elements, if that is known."""
    return tag if bits is None else f"{tag} of {bits} bits"


def misfits(
    layout: AnyLayout, tag: str, form: Form, bits: int | None, of: Element | None
) -> Iterator[Reason]:
    """Yield the differences that show without numbers: the element type, the modes, their leaves."""
    tag = name_of(tag, bits)
    rank = len(layout.shape) if is_tuple(layout.shape) else 0
    if of is not None and form.elements is not None and of.name not in form.elements:
        yield Reason(tag, "element type", of.name, " or ".join(form.elements))
    if rank != len(form.modes):
        found = f"{rank}" if rank else "0, as the shape is one int"
        yield Reason(tag, "number of modes", found, f"{len(form.modes)}: {', '.join(form.modes)}")
        return
    for mode, (name, s) in enumerate(zip(form.modes, layout.shape, strict=True)):
        if not congruent(s, (0,) * len(form.sizes[mode]) if form.is_nested(mode) else 0):
            wanted = ",".join(str(leaf.fixed_size(bits) or leaf.size) for leaf in _by_level(form, mode))
            wanted = f"({wanted})" if form.is_nested(mode) else "one int"
            witness = (_elsewhere(layout, form, bits) if _shows(layout) else None) or ()
            part = f"shape of the {name}s" if name in ("row", "column") else f"shape of {name}"
            yield Reason(tag, part, s, wanted, None, *witness)


def _elsewhere(layout: AnyLayout, form: Form, bits: int | None) -> tuple[Any, Any, Any] | None:
    """The first coordinate with another offset in the tag of the same sizes, and both offsets."""
    rank = len(form.modes)
    steps: list[dict[int, Any]] = [{} for _mode in range(rank)]  # the offset of each index, by mode
    step: Any = 1
    for leaf in form.leaves():
        fixed, inside = leaf.fixed_size(bits), form.sizes[leaf.mode][: leaf.level]
        if leaf.size == "block" or "block" in inside:
            return None
        before = Leaf(leaf.mode, 0, inside[0]).fixed_size(bits) if inside else 1
        steps[leaf.mode][before or 1] = step
        of_mode = layout.origin_shape[leaf.mode]
        step = step * (fixed or ceil_div(of_mode, before or 1))
    for mode in reversed(range(rank)):
        for index, instead in steps[mode].items():
            at = tuple([index if i == mode else 0 for i in range(rank)])
            if known_lt(index, product(layout.shape[mode])) and known_lt(0, layout.size):
                offset = layout(at)
                if known_eq(offset, instead) is False:
                    return at, offset, instead
    return None


def _shows(layout: AnyLayout) -> bool:
    """Whether a coordinate can be a witness: it proves nothing about an int that has several cases."""
    parts = leaves((layout.shape, layout.stride, layout.origin_shape))
    return not any(map(is_asked, parts))


def _by_level(form: Form, mode: int) -> list[Leaf]:
    return sorted([leaf for leaf in form.leaves() if leaf.mode == mode], key=lambda leaf: leaf.level)


def _at_most(x: Any) -> Iterator[Any]:
    """Upper bounds of an int: the int itself, and the items of which it is the least."""
    yield x
    if isinstance(x, SymbolicInt):
        from ...numbers import Expr, Least

        if type(x) is Expr and not x.constant and len(x.terms) == 1:
            ((atoms, factor),) = x.terms.items()
            if factor == 1 and len(atoms) == 1 and isinstance(atoms[0], Least):
                yield from atoms[0].parts


def _holds(d: Any, step: Any, counts: list[Any]) -> bool:
    """Whether a stride, a multiple of a step, is known to be at least one of the counts of steps."""
    times = d // step if known_lt(0, step) is True else None
    return any(
        known_lt(d, step * n) is False or (times is not None and known_lt(times, n) is False)
        for n in counts
    )


def _is_one(x: Any) -> object:
    """The condition under which an unknown size is 1; None without a size."""
    return None if x is None else equality(x, 1)[1]


def _plain(x: Any) -> Any:
    """A static int as a plain int, as sentences write coordinates."""
    return int(x) if isinstance(x, int) else x


class Fitting:
    """The leaves of a layout against those of a form with the same modes, the fastest first."""

    layout: AnyLayout
    tag: str
    form: Form
    bits: int | None

    def __init__(
        self,
        layout: AnyLayout,
        tag: str,
        form: Form,
        bits: int | None,
        of: Element | None = None,
    ) -> None:
        self.layout, self.tag, self.form, self.bits = layout, name_of(tag, bits), form, bits
        self.shows: bool = _shows(layout)
        self.is_paired: bool = form.pairs and of is not None and of.name in FP4
        self.steps: dict[tuple[int, int], Any] = {}
        """The stride of each leaf by (mode, level): the tag's, or the layout's if the tag allows any."""
        self.open: list[Leaf] = []
        """The leaves whose strides the tag leaves open."""

    def reasons(self) -> Iterator[Reason]:
        """Yield each size and stride that is not the tag's. Call it once, and before `sizes`."""
        step: Any = 1  # the room of all leaves so far, or the stride of the last leaf before a count
        counts: list[Any] | None = None  # the numbers of such steps with data; None before a count
        below: Leaf | None = None  # the last leaf of more than one coordinate
        maybe_one: Any = None  # the size of an earlier leaf that may be 1, so that its stride may be any
        for leaf in self.form.leaves():
            n, d = self._at(self.layout.shape, leaf), self._at(self.layout.stride, leaf)
            fixed = leaf.fixed_size(self.bits)
            if fixed is not None or leaf.size == "block":
                yield from self._size_reasons(leaf, n, fixed)
            size: Any = n if fixed is None else fixed
            is_one = known_eq(size, 1)
            self.steps[leaf.mode, leaf.level] = step if counts is None else d
            if is_one is True:
                if leaf.size == "count":  # perhaps no block holds data
                    counts = [n * self._data(leaf)[0] for n in counts or [1]]
                continue
            maybe = size if is_one is None else maybe_one
            if counts is None:
                yield from self._stride_reasons(leaf, d, step, maybe)
            else:
                self.open.append(leaf)
                yield from self._outer_stride_reasons(leaf, d, step, counts, maybe, below)
            below = leaf
            if counts is None and leaf.size != "count":
                step = step * size
            else:
                step = step if counts is None else d
                counts = self._data(leaf)
                maybe_one = size if is_one is None else maybe_one

    def _size_reasons(self, leaf: Leaf, n: Any, fixed: int | None) -> Iterator[Reason]:
        wanted: Any
        if fixed is None:
            smaller, obligation = order(0, n)
            answer, wanted = smaller, "1 or more"
        else:
            (answer, obligation), wanted = equality(n, fixed), fixed
        if answer is not True:
            is_count = leaf.level > 0  # a number of blocks, which the tag fixes
            part = f"{'count' if is_count else 'size'} of {leaf_name(self.form, leaf, many=is_count)}"
            yield Reason(self.tag, part, n, wanted, obligation, *(self._witness(leaf, n, fixed) or ()))

    def _stride_reasons(self, leaf: Leaf, d: Any, step: Any, maybe_one: Any) -> Iterator[Reason]:
        """Yield the reason if a stride that the tag fixes is wrong.

        Args:
            maybe_one: The unknown size that may be 1, of this leaf or of an earlier one. If it is 1, any
                stride is right. None if there is no such size.
        """
        answer, obligation = equality(d, step)
        if answer is not True:
            if answer is False:
                obligation = _is_one(maybe_one)
            witness = self._witness(leaf, None, None) or ()
            yield Reason(self.tag, self._stride(leaf), d, step, obligation, *witness)

    def _outer_stride_reasons(
        self, leaf: Leaf, d: Any, step: Any, counts: list[Any], maybe_one: Any, below: Leaf | None
    ) -> Iterator[Reason]:
        """Yield the reason if a stride over a count of steps is wrong.

        Args:
            counts: Upper bounds of that count; the first is exact.
        """
        unit = 2 if self.is_paired and known_eq(step, 1) is True else step
        answer, obligation = division(unit, d)
        room = step * counts[0]
        if answer is True and not _holds(d, step, counts):
            is_short = known_lt(d, room)
            answer = None if is_short is None else False
            obligation = comparison(d, ">=", room) if is_short is None else None
        if answer is not True:
            whole = "" if known_eq(unit, 1) is True else f"a multiple of {unit}, "
            wanted = f"{whole}at least {room}"
            clash = self._clash(leaf, d, room, below) or ()
            if answer is False:
                obligation = _is_one(maybe_one)
            yield Reason(self.tag, self._stride(leaf), d, wanted, obligation, *clash)

    def _stride(self, leaf: Leaf) -> str:
        where = leaf_place(self.form, leaf)
        return f"stride {where}" if where.startswith("inside") else f"stride of {where}"

    # --- parts ---

    def _at(self, x: Any, leaf: Leaf) -> Any:
        mode = x[leaf.mode]
        return mode[leaf.level] if self.form.is_nested(leaf.mode) else mode

    def _inside(self, leaf: Leaf) -> Any:
        """The number of coordinates of its mode from one index of a leaf to the next."""
        return _plain(self.layout.shape[leaf.mode][0]) if leaf.level else 1

    def _data(self, leaf: Leaf) -> list[Any]:
        """Upper bounds of the number of coordinates of a leaf that hold data; the first is exact.

        A tile may have more coordinates than its matrix. If a number is unknown, a bound may be known to
        fit where the number itself is not.
        """
        inside: Any = 1
        if leaf.level:
            inside = Leaf(leaf.mode, 0, self.form.sizes[leaf.mode][0]).fixed_size(self.bits)
            inside = self._inside(leaf) if inside is None else inside
        if known_lt(0, inside) is not True:
            return [self._at(self.layout.shape, leaf)]
        return [ceil_div(n, inside) for n in _at_most(self.layout.origin_shape[leaf.mode])]

    def sizes(self) -> Iterator[tuple[str, Any]]:
        """Yield the sizes from which the tag makes the layout. Call it if there are no reasons."""
        for name, n in zip(self.form.modes, self.layout.origin_shape, strict=True):
            yield plural(name), n
        for leaf in self.form.leaves():
            if leaf.size == "block" and self.form.is_nested(leaf.mode):
                yield f"size of {leaf_name(self.form, leaf)}", self._at(self.layout.shape, leaf)
        for leaf in self.open:
            yield f"stride of {leaf_place(self.form, leaf)}", self._at(self.layout.stride, leaf)

    # --- witnesses ---

    def _witness(self, leaf: Leaf, found: Any, fixed: int | None) -> tuple[Any, Any, Any] | None:
        """A coordinate along the leaf's mode with another offset in the tag, and both offsets."""
        if not self.shows:
            return None
        inside = self._inside(leaf)
        if fixed is not None:  # the first index that a block of another size puts elsewhere
            inside = fixed if known_lt(fixed, found) is True else found
        has_it = known_lt(inside, product(self.layout.shape[leaf.mode]))
        if has_it is not True or known_lt(0, self.layout.size) is not True:
            return None
        inside = _plain(inside)
        at = self._index({leaf.mode: inside})
        offset, instead = self.layout(at), self._tag_offset(leaf.mode, inside)
        return (at, offset, instead) if known_eq(offset, instead) is False else None

    def _tag_offset(self, mode: int, index: Any) -> Any:
        """The offset that the tag gives to an index of one mode."""
        offset: Any = 0
        for leaf in _by_level(self.form, mode):
            size = leaf.fixed_size(self.bits) or self._at(self.layout.shape, leaf)
            is_last = leaf.level == len(self.form.sizes[mode]) - 1
            step = self.steps.get((mode, leaf.level), self._at(self.layout.stride, leaf))
            offset = offset + (index if is_last else index % size) * step
            index = index // size
        return offset

    def _clash(self, leaf: Leaf, d: Any, room: Any, below: Leaf | None) -> tuple[Any, Any, Any] | None:
        """Two coordinates with one offset, if the stride of a leaf is too short for the leaf below."""
        if not self.shows:
            return None
        is_short = known_lt(d, room) is True and known_lt(-1, d) is True
        if below is None or not is_short or known_lt(0, self.layout.size) is not True:
            return None
        under = self._at(self.layout.stride, below)
        if known_lt(0, under) is not True or (d % under) != 0:
            return None
        first = {below.mode: d // under * self._inside(below)}
        second = {leaf.mode: self._inside(leaf)}
        pair = [self._index(first), self._index(second)]
        shape = self.layout.shape
        for at in (first, second):
            for mode, index in at.items():
                if known_lt(index, product(shape[mode])) is not True:
                    return None
        if first == second or known_eq(self.layout(pair[0]), self.layout(pair[1])) is not True:
            return None
        return pair[0], d, pair[1]

    def _index(self, at: dict[int, Any]) -> tuple[Any, ...]:
        return tuple([at.get(mode, 0) for mode in range(len(self.form.modes))])
