# SPDX-License-Identifier: Apache-2.0
"""Layout tags: the layouts that CATLASS names, for every width of element.

>>> print(make_layout("half", "zN", 20, 48))
((_16,2),(_16,3)):((_16,_256),(_1,512)):(20,48)
>>> print(make_layout("int8_t", "zN", 20, 48))
((_16,2),(_32,2)):((_32,_512),(_1,1024)):(20,48)

A fractal is 16 rows of 32 bytes. The shape has whole fractals, and the origin shape has the extents of
the matrix. So ``size`` is the padded footprint in elements, and ``valid_size`` the data.

Source: CATLASS ``tla::MakeLayout<Element, Tag>``, tla/layout.hpp; layout/matrix.hpp, layout/vector.hpp.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from ...errors import CongruenceError, DivisibilityError, KindError, LayoutError, UnsupportedError
from ...ground import constexpr, described, did_you_mean, near_words, shortened
from ...layouts import (
    AnyLayout,
    Layout,
    as_int_tuple,
    batch_of,
    congruent,
    nN,
    nZ,
    padded,
    text_of,
    zN,
    zZ,
)
from ...numbers import (
    Int,
    IntLike,
    IntTuple,
    _1,
    _2,
    at_least,
    divides,
    is_tuple,
    keeps_assumptions,
    known_eq,
    leaf,
    round_up,
)
from ..cube import FP4
from ..elements import element as element_named, is_element
from .conv import CHANNELS, FILTER, FMAP, channels_last, make_layout_filter, make_layout_fmap
from .mx import MX_SCALES, SCALE
from .sizes import size_of, sizes_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ...numbers import Conditions
    from ..elements import Element, ElementLike

Maker: TypeAlias = "Callable[..., AnyLayout]"
"""A function of an element type, checked sizes and the options of its tag, which returns the layout."""


class Tag(NamedTuple):
    """A layout tag: its CATLASS name, a line about it, and its arguments.

    >>> tag = TAGS["zN"]
    >>> tag.name, tag.about, tag.sizes
    ('zN', 'rows in a fractal, columns of fractals', ('rows', 'cols'))
    """

    name: str
    about: str
    make: Maker
    sizes: tuple[str, ...] = ("rows", "cols")
    """The names of its sizes, in order."""
    options: tuple[str, ...] = ()
    """The names of its other arguments, such as ``ld`` and ``block``. Every tag also takes ``batch``."""
    elements: tuple[str, ...] | None = None
    """The element types that the tag is for; None for all."""

    def __str__(self) -> str:
        return self.name


@constexpr
@keeps_assumptions
def make_layout(
    element: ElementLike,
    tag: str | Tag,
    *sizes: IntLike,
    ld: IntLike | None = None,
    block: IntTuple | None = None,
    c0: IntLike | None = None,
    position: str | None = None,
    batch: IntTuple | None = None,
    assume: Conditions | None = None,
) -> AnyLayout:
    """Return the layout that a tag names, by its element type and sizes.

    >>> print(make_layout("float", "RowMajor", 5, 7, ld=8))
    (5,7):(8,_1)
    >>> print(make_layout("half", "zN", 20, 48, batch=4))
    (4,(_16,2),(_16,3)):(1536,(_16,_256),(_1,512)):(4,20,48)

    Args:
        sizes: Rows and columns, or the sizes that `Tag.sizes` names. A vector takes its length, or 1
            row.
        ld: The leading dimension of RowMajor and ColumnMajor: the elements from one row, or one
            column, to the next. The default is the shortest, which is even for a type of fp4.
        block: The rows and columns of a block of PaddingRowMajor and PaddingColumnMajor.
        c0: The number of channels in a row of NC1HWC0 and its kin; by default 32 bytes of them.
        position: The memory of a Filter, ``GM`` or ``L1``.
        batch: The number of such layouts, each a padded footprint after the last. It is one extent or
            several; each becomes a mode before those of the layout, and the last of them is fastest.

    Raises:
        UnsupportedError: there is no such tag or element, or the tag does not take the element or an
            option.
        CongruenceError: there are more or fewer sizes than the tag takes, or a vector has several rows.
        LeafError: a size is no int.
        LayoutError: a size is negative, the leading dimension is too short, or a block is empty.
        DivisibilityError: two elements of fp4 share a byte, and the leading dimension is odd.
    Source: CATLASS ``MakeLayout<Element, Tag>``, tla/layout.hpp.
    """
    kind, of = tag_named(tag), element_named(element)
    arguments = {"ld": ld, "block": block, "c0": c0, "position": position}
    options = {name: x for name, x in arguments.items() if x is not None}
    _require_options(kind, of, options)
    if kind.name == "VectorLayout" and len(sizes) == 2:
        sizes = _length_of_row(of, *sizes)
    layout = kind.make(of, *sizes_of(kind.name, kind.sizes, sizes), **options)
    return layout if batch is None else _repeat_batch(kind, layout, batch)


def tag_named(name: str | Tag) -> Tag:
    """Return the tag of a name; a tag stays as it is.

    >>> tag_named("Catlass::layout::nZ").about
    'columns in a fractal, rows of fractals'

    Raises:
        UnsupportedError: no tag has the name; the text suggests near names.
    """
    if isinstance(name, Tag):
        return name
    if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise KindError(f"expected the name of a layout tag, got {described(name)}", value=name)
    key = name.strip().rpartition("::")[2]
    if key not in TAGS:
        names = {names.lower(): names for names in TAGS}
        cutoff = 0.5 if len(key) < 4 else 0.6  # one right letter of two is half of the name
        similar = near_words(key.lower(), names, cutoff)
        near = [names[x] for x in ([key.lower()] if key.lower() in names else similar)]
        hint = did_you_mean(near, TAGS)
        cann = key.upper().removeprefix("ACL_FORMAT_").removeprefix("FRACTAL_")
        if cann in ("NZ", "ZN", "ZZ", "NN"):
            ours = f"{cann[1].lower()}{cann[0]}"
            theirs = f"{cann} of CANN, which names the order of the fractals first, is {ours}."
            hint = f"{hint} {theirs}" if key.islower() else theirs
        if is_element(key):
            hint = f"It is an element type, and comes before the tag: {key!r}, 'zN'."
        raise UnsupportedError(f"{shortened(name)!r} is not a layout tag", hint, name=name)
    return TAGS[key]


def _require_options(tag: Tag, element: Element, options: Mapping[str, object]) -> None:
    if tag.elements is not None and element.name not in tag.elements:
        raise UnsupportedError(
            f"{tag} is a layout of {' or '.join(tag.elements)}, not of {element}",
            tag=tag.name,
            element=element,
        )
    for name in options:
        if name not in tag.options:
            raise UnsupportedError(
                f"{tag} takes no {name}",
                f"It takes {' and '.join((*tag.options, 'batch'))}.",
                tag=tag.name,
                option=name,
            )


def _repeat_batch(tag: Tag, layout: AnyLayout, batch: IntTuple) -> AnyLayout:
    """The layout with modes in front that count copies, one footprint apart."""
    extents = batch if is_tuple(batch) else (batch,)
    many = tuple([size_of(tag.name, "batch", x) for x in extents])
    return batch_of(layout, many, _footprint(tag, layout))


def _footprint(tag: Tag, layout: AnyLayout) -> Any:
    """The elements from one copy of a layout to the next: its size, with the gap after each line."""
    line = _LINES.get(tag.name)
    return layout.size if line is None else layout.shape[line] * layout.stride[line]


# --- matrices and vectors ---------------------------------------------------------------------

_LINES: Final = {"RowMajor": 0, "ColumnMajor": 1}
"""The mode that steps by the leading dimension."""


def _matrix(tag: str) -> Maker:
    """The maker of contiguous lines, rows or columns, a leading dimension apart."""
    line = _LINES[tag]

    def matrix(element: Element, rows: Any, cols: Any, ld: IntLike | None = None) -> AnyLayout:
        least: Any = cols if line == 0 else rows
        if element.name in FP4:  # two elements share a byte, and a line starts at a whole byte
            least = round_up(least, _2)
        step = least if ld is None else _leading(tag, element, (rows, cols), ld, least)
        return Layout((rows, cols), (step, _1) if line == 0 else (_1, step))

    return matrix


def _leading(tag: str, element: Element, sizes: tuple[Any, Any], ld: IntLike, least: Any) -> Any:
    """The leading dimension of the caller, checked."""
    step = size_of(tag, "ld", ld)
    which, length = ("row", sizes[1]) if _LINES[tag] == 0 else ("column", sizes[0])
    what = f"{tag} of {sizes[0]} by {sizes[1]}"
    if not at_least(step, length):
        raise LayoutError(
            f"{what} has ld = {step}: it must be at least {least}",
            f"A {which} holds {length} elements.",
            ld=step,
            least=least,
        )
    if element.name in FP4 and not divides(2, step):
        raise DivisibilityError(
            f"{tag} of {element} has ld = {step}: it must be even",
            f"Two elements share a byte, and each {which} starts at one. The least is {least}.",
            ld=step,
            least=least,
        )
    return step


def _length_of_row(element: Element, rows: IntLike, cols: IntLike) -> tuple[IntLike]:
    """The length of a vector that the caller wrote as a row of a matrix."""
    if known_eq(leaf(rows), 1) is not True:
        raise CongruenceError(
            f"VectorLayout holds one row of {cols} elements, not {rows} rows",
            f"CATLASS takes no note of the rows. Write VectorLayout<{element}>({cols}) for one row, or"
            f" RowMajor<{element}>({rows},{cols}) for all of them.",
            names=("length",),
            sizes=(rows, cols),
        )
    return (cols,)


def _vector(element: Element, length: Any) -> AnyLayout:
    return Layout((length,), (_1,))


# --- fractals ---------------------------------------------------------------------------------


def _fractals(make: Maker, high: int, wide: int) -> Maker:
    """The maker of fractals `high` by `wide`; 0 means as many elements as 32 bytes hold."""

    def fractals(element: Element, rows: Any, cols: Any) -> AnyLayout:
        block = Int(high or element.c0), Int(wide or element.c0)
        return make(rows, cols, block)

    return fractals


def _padded_blocks(make: Maker, tag: str) -> Maker:
    """The maker of blocks with the extents of the caller."""

    def blocks(element: Element, rows: Any, cols: Any, block: IntTuple | None = None) -> AnyLayout:
        if block is None:
            raise LayoutError(f"{tag} needs block=(rows, cols): how the matrix is cut", tag=tag)
        extents = as_int_tuple(block)
        if not congruent(extents, (0, 0)):
            raise LayoutError(f"the block of {tag} is two extents, not {text_of(extents)}", block=block)
        high, wide = extents
        what = f"the block of {tag}"
        return make(rows, cols, (size_of(what, "rows", high, 1), size_of(what, "cols", wide, 1)))

    return blocks


def _channels(tag: str) -> Maker:
    def channels(element: Element, *sizes: Any, c0: IntLike | None = None) -> AnyLayout:
        return channels_last(tag, element, sizes, c0)

    return channels


def _scales(tag: str) -> Maker:
    def scales(element: Element, rows: Any, cols: Any) -> AnyLayout:
        return MX_SCALES[tag](rows, cols)

    return scales


# --- the table --------------------------------------------------------------------------------

_ALL: Final = (
    Tag("RowMajor", "each row contiguous", _matrix("RowMajor"), options=("ld",)),
    Tag("ColumnMajor", "each column contiguous", _matrix("ColumnMajor"), options=("ld",)),
    Tag("VectorLayout", "contiguous", _vector, ("length",)),
    Tag("zN", "rows in a fractal, columns of fractals", _fractals(zN, 16, 0)),
    Tag("nZ", "columns in a fractal, rows of fractals", _fractals(nZ, 0, 16)),
    Tag("zZ", "rows in a fractal, rows of fractals", _fractals(zZ, 16, 0)),
    Tag("nN", "columns in a fractal, columns of fractals", _fractals(nN, 0, 16)),
    Tag("L0C", "accumulators: zN of 16 by 16 at every width", _fractals(zN, 16, 16)),
    Tag("Weight4BitnZ", "weights of four bits: nZ of 32 by 16 at every width", _fractals(nZ, 32, 16)),
    Tag(
        "PaddingRowMajor",
        "rows in a block, rows of blocks",
        _padded_blocks(zZ, "PaddingRowMajor"),
        options=("block",),
    ),
    Tag(
        "PaddingColumnMajor",
        "columns in a block, columns of blocks",
        _padded_blocks(nN, "PaddingColumnMajor"),
        options=("block",),
    ),
    Tag("Fmap", "feature maps: (batch, cin1, h, w, C0), the last fastest", make_layout_fmap, FMAP),
    Tag(
        "Filter",
        "filters: (cin1, kh, kw, cout, C0), the last fastest",
        make_layout_filter,
        FILTER,
        ("position",),
    ),
    *[
        Tag(name, f"({', '.join(axes)}, C0), the last fastest", _channels(name), axes, ("c0",))
        for name, axes in CHANNELS.items()
    ],
    *[
        Tag(name, "scales of 32 elements along K, in pairs", _scales(name), elements=(SCALE,))
        for name in MX_SCALES
    ],
)

TAGS: Final[Mapping[str, Tag]] = {tag.name: tag for tag in _ALL}
"""Every layout tag by its CATLASS name."""


@constexpr
def make_layout_in_ub(element: ElementLike, tag: str | Tag, *sizes: IntLike) -> AnyLayout:
    """Return the layout in the unified buffer, where each row takes a multiple of 32 bytes.

    >>> print(make_layout_in_ub("half", "RowMajor", 5, 20))
    (5,20):(32,_1)
    >>> print(make_layout_in_ub("half", "VectorLayout", 20))
    (32):(_1):(20)

    Raises:
        UnsupportedError: the tag is not RowMajor, ColumnMajor or VectorLayout.
    Source: CATLASS ``MakeLayoutInUb``, layout/matrix.hpp. The one for vectors, in layout/vector.hpp,
        compares where it should round, and so answers a length of 0 or 1.
    """
    kind, of = tag_named(tag), element_named(element)
    if kind.name != "VectorLayout" and kind.name not in _LINES:
        raise UnsupportedError(
            f"no matrix lies as {kind} in the unified buffer",
            f"Layouts there are {', '.join(_LINES)} and VectorLayout.",
            tag=kind.name,
        )
    layout = make_layout(of, kind, *sizes)
    row = Int(of.c0)
    if kind.name == "VectorLayout":
        return padded(Layout((round_up(layout.shape[0], row),), (_1,)), layout.shape)
    return make_layout(of, kind, *sizes, ld=round_up(layout.shape[1 - _LINES[kind.name]], row))
