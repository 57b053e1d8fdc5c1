"""One layout against the form of one tag: each part that differs, with a coordinate that shows it.

>>> from tla.ascend.tags.forms import FORMS
>>> layout = parse("((16,2),(16,3)):((16,256),(1,300))")
>>> for reason in Fitting(layout, "zN", FORMS["zN"], 16).reasons():
...     print(reason)
the stride of the column blocks is 300; zN of 16 bits has a multiple of 256, at least 512

The leaves are walked in the order of memory. Below each lies a step of the tag; above a count of blocks,
which a tile cuts while the stride stays, the layout's own stride is the step, if it leaves room.
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
from .forms import Form, Leaf, called, plural, where_it_lies

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...layouts import AnyLayout
    from ..elements import Element


class Reason(NamedTuple):
    """A part in which a layout differs from a tag, for all values of unknowns or for some.

    >>> from tla.ascend import why_not
    >>> for reason in why_not(parse("(32,32):(32,1)"), "zN", "half"):
    ...     print(reason)
    the shape of the rows is 32; zN of 16 bits has (16,count): (0,16) lies at 16, not at 512
    the shape of the columns is 32; zN of 16 bits has (16,count): (0,16) lies at 16, not at 512
    """

    tag: str
    """The tag, with the width of its elements where it shows."""
    part: str
    """Such as ``size of the row block``, ``stride of the column blocks``."""
    found: Any
    wanted: Any
    """The tag's int, or what it takes in words."""
    obligation: object = None
    """What must hold of unknowns for it to be the tag's; None where it never is."""
    at: tuple[Any, ...] | None = None
    """A coordinate, one index for each mode, that the tag places elsewhere."""
    offset: Any = None
    instead: Any = None
    """Its offset, and the one that the tag gives it; or the coordinate that has that offset already."""

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
        """The coordinate and its offsets in words; "" where there is none."""
        if self.at is None:
            return ""
        if is_tuple(self.instead):
            return f"{text_of(self.at)} and {text_of(self.instead)} both lie at {self.offset}"
        return f"{text_of(self.at)} lies at {self.offset}, not at {self.instead}"


def words_of(x: Any) -> str:
    """Return what is found or wanted as text: the notation of ints, or words as they are."""
    return x if isinstance(x, str) else text_of(x)


def name_of(tag: str, bits: int | None) -> str:
    """Return a tag with the width of its elements, where that is known."""
    return tag if bits is None else f"{tag} of {bits} bits"


def misfits(
    layout: AnyLayout, tag: str, form: Form, bits: int | None, of: Element | None
) -> Iterator[Reason]:
    """Yield what is wrong before any number is looked at: the element type, the modes, their leaves."""
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
            wanted = ",".join(str(leaf.fixed(bits) or leaf.size) for leaf in _by_level(form, mode))
            wanted = f"({wanted})" if form.is_nested(mode) else "one int"
            witness = (_elsewhere(layout, form, bits) if _shows(layout) else None) or ()
            part = f"shape of the {name}s" if name in ("row", "column") else f"shape of {name}"
            yield Reason(tag, part, s, wanted, None, *witness)


def _elsewhere(layout: AnyLayout, form: Form, bits: int | None) -> tuple[Any, Any, Any] | None:
    """The first coordinate that the tag, of the same sizes, places elsewhere, and both offsets."""
    rank = len(form.modes)
    steps: list[dict[int, Any]] = [{} for _mode in range(rank)]  # of an index of a mode, by what it is
    step: Any = 1
    for leaf in form.leaves():
        fixed, inside = leaf.fixed(bits), form.sizes[leaf.mode][: leaf.level]
        if leaf.size == "block" or "block" in inside:
            return None
        before = Leaf(leaf.mode, 0, inside[0]).fixed(bits) if inside else 1
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
    """Whether a coordinate may be looked for: of an int that is taken case by case it tells nothing."""
    parts = leaves((layout.shape, layout.stride, layout.origin_shape))
    return not any(map(is_asked, parts))


def _by_level(form: Form, mode: int) -> list[Leaf]:
    return sorted([leaf for leaf in form.leaves() if leaf.mode == mode], key=lambda leaf: leaf.level)


def _at_most(x: Any) -> Iterator[Any]:
    """An int, and what it is the least of: it exceeds none of them."""
    yield x
    if isinstance(x, SymbolicInt):
        from ...numbers import Expr, Least

        if type(x) is Expr and not x.constant and len(x.terms) == 1:
            ((atoms, factor),) = x.terms.items()
            if factor == 1 and len(atoms) == 1 and isinstance(atoms[0], Least):
                yield from atoms[0].parts


def _holds(d: Any, step: Any, counts: list[Any]) -> bool:
    """Whether a stride, a multiple of a step, is known to reach over one of some counts of them."""
    times = d // step if known_lt(0, step) is True else None
    return any(
        known_lt(d, step * n) is False or (times is not None and known_lt(times, n) is False)
        for n in counts
    )


def _is_one(x: Any) -> object:
    """What must hold for an unknown size to be 1; None where there is none."""
    return None if x is None else equality(x, 1)[1]


def _plain(x: Any) -> Any:
    """An int without being static: coordinates in sentences are plain."""
    return int(x) if isinstance(x, int) else x


class Fitting:
    """The leaves of a layout that has the modes of a form, walked from the fastest on."""

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
        """The steps that the tag gives to the leaves; the layout's own where it leaves them open."""
        self.open: list[Leaf] = []
        """The leaves whose steps it leaves open."""

    def reasons(self) -> Iterator[Reason]:
        """Yield each size and stride that is not the tag's; to be asked once, and before `sizes`."""
        step: Any = 1  # of all that lies below, or of the last leaf below a count
        counts: list[Any] | None = None  # how many such steps hold data; None where all that is below
        below: Leaf | None = None  # the last leaf of more than one coordinate
        undecided: Any = None  # a count below that may be 1, so that its stride is convention
        for leaf in self.form.leaves():
            n, d = self._at(self.layout.shape, leaf), self._at(self.layout.stride, leaf)
            fixed = leaf.fixed(self.bits)
            if fixed is not None or leaf.size == "block":
                yield from self._size_reasons(leaf, n, fixed)
            size: Any = n if fixed is None else fixed
            is_one = known_eq(size, 1)
            self.steps[leaf.mode, leaf.level] = step if counts is None else d
            if is_one is True:
                if leaf.size == "count":  # of which none may hold data
                    counts = [n * self._data(leaf)[0] for n in counts or [1]]
                continue
            maybe = size if is_one is None else undecided
            if counts is None:
                yield from self._stepping(leaf, d, step, maybe)
            else:
                self.open.append(leaf)
                yield from self._stepping_over(leaf, d, step, counts, maybe, below)
            below = leaf
            if counts is None and leaf.size != "count":
                step = step * size
            else:
                step = step if counts is None else d
                counts = self._data(leaf)
                undecided = size if is_one is None else undecided

    def _size_reasons(self, leaf: Leaf, n: Any, fixed: int | None) -> Iterator[Reason]:
        wanted: Any
        if fixed is None:
            smaller, obligation = order(0, n)
            answer, wanted = smaller, "1 or more"
        else:
            (answer, obligation), wanted = equality(n, fixed), fixed
        if answer is not True:
            is_count = leaf.level > 0  # a number of blocks, which the tag fixes
            part = f"{'count' if is_count else 'size'} of {called(self.form, leaf, many=is_count)}"
            yield Reason(self.tag, part, n, wanted, obligation, *(self._witness(leaf, n, fixed) or ()))

    def _stepping(self, leaf: Leaf, d: Any, step: Any, maybe_one: Any) -> Iterator[Reason]:
        """The reason that a stride which the tag fixes gives, if it does.

        Args:
            maybe_one: A size that unknowns may make 1, upon which the stride, or the step below it, is
                convention; None where there is none.
        """
        answer, obligation = equality(d, step)
        if answer is not True:
            if answer is False:
                obligation = _is_one(maybe_one)
            witness = self._witness(leaf, None, None) or ()
            yield Reason(self.tag, self._stride(leaf), d, step, obligation, *witness)

    def _stepping_over(
        self, leaf: Leaf, d: Any, step: Any, counts: list[Any], maybe_one: Any, below: Leaf | None
    ) -> Iterator[Reason]:
        """The reason that a stride over a count of steps gives, if it does.

        Args:
            counts: Upper bounds of that count, the first of them exact.
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
        where = where_it_lies(self.form, leaf)
        return f"stride {where}" if where.startswith("inside") else f"stride of {where}"

    # --- parts ---

    def _at(self, x: Any, leaf: Leaf) -> Any:
        mode = x[leaf.mode]
        return mode[leaf.level] if self.form.is_nested(leaf.mode) else mode

    def _inside(self, leaf: Leaf) -> Any:
        """How many coordinates of its mode a leaf steps over: of two leaves the size of the first."""
        return _plain(self.layout.shape[leaf.mode][0]) if leaf.level else 1

    def _data(self, leaf: Leaf) -> list[Any]:
        """Upper bounds of how many coordinates of a leaf hold data, the first of them exact.

        A tile may count past those of its matrix. Of unknowns, a bound may be known to fit where the
        number itself is not.
        """
        inside: Any = 1
        if leaf.level:
            inside = Leaf(leaf.mode, 0, self.form.sizes[leaf.mode][0]).fixed(self.bits)
            inside = self._inside(leaf) if inside is None else inside
        if known_lt(0, inside) is not True:
            return [self._at(self.layout.shape, leaf)]
        return [ceil_div(n, inside) for n in _at_most(self.layout.origin_shape[leaf.mode])]

    def sizes(self) -> Iterator[tuple[str, Any]]:
        """Yield what the layout was made of, once it has no reasons."""
        for name, n in zip(self.form.modes, self.layout.origin_shape, strict=True):
            yield plural(name), n
        for leaf in self.form.leaves():
            if leaf.size == "block" and self.form.is_nested(leaf.mode):
                yield f"size of {called(self.form, leaf)}", self._at(self.layout.shape, leaf)
        for leaf in self.open:
            yield f"stride of {where_it_lies(self.form, leaf)}", self._at(self.layout.stride, leaf)

    # --- witnesses ---

    def _witness(self, leaf: Leaf, found: Any, fixed: int | None) -> tuple[Any, Any, Any] | None:
        """A coordinate of the leaf's mode where the offset is not the tag's, and both offsets."""
        if not self.shows:
            return None
        inside = self._inside(leaf)
        if fixed is not None:  # the first index that a block of another size has elsewhere
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
            size = leaf.fixed(self.bits) or self._at(self.layout.shape, leaf)
            is_last = leaf.level == len(self.form.sizes[mode]) - 1
            step = self.steps.get((mode, leaf.level), self._at(self.layout.stride, leaf))
            offset = offset + (index if is_last else index % size) * step
            index = index // size
        return offset

    def _clash(self, leaf: Leaf, d: Any, room: Any, below: Leaf | None) -> tuple[Any, Any, Any] | None:
        """Two coordinates with one offset, where a leaf steps into what lies below it."""
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
