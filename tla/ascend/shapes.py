# SPDX-License-Identifier: Apache-2.0
"""Sizes and places of a matrix product, in CATLASS's words: C[m,n] is the sum of A[m,k] B[k,n].

>>> tile = GemmShape(128, 256, 256)
>>> print(tile)
GemmShape<128,256,256>
>>> gemm_shape("128,256,64")
GemmShape(m=128, n=256, k=64)

Source: CATLASS gemm_coord.hpp.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sized
from itertools import islice
from operator import index
from typing import TYPE_CHECKING, NamedTuple, SupportsIndex, TypeAlias

from ..errors import KindError, LayoutError, LeafError, ParseError
from ..ground import (
    constexpr,
    described,
    is_too_long,
    most_digits,
    shortened,
    shown,
    too_long_in,
)
from ..numbers import ceil_div

if TYPE_CHECKING:
    from collections.abc import Sequence


class GemmCoord(NamedTuple):
    """A place in the iteration space of a product, or its extents, in elements or in tiles.

    >>> from tla.ascend import GemmShape
    >>> place, tile = GemmCoord(1, 2, 0), GemmShape(128, 256, 64)
    >>> print(place, tile, place.m * tile.m)
    (1,2,0) GemmShape<128,256,64> 128
    """

    m: int
    n: int
    k: int

    def __str__(self) -> str:
        return f"({self.m},{self.n},{self.k})"


class GemmShape(NamedTuple):
    """The extents of a tile, in elements."""

    m: int
    n: int
    k: int

    def __str__(self) -> str:
        return f"GemmShape<{self.m},{self.n},{self.k}>"

    def tiles_of(self, problem: GemmCoord) -> GemmCoord:
        """The number of tiles along each extent of a problem, a cut last tile included.

        >>> print(GemmShape(128, 256, 256).tiles_of(GemmCoord(300, 300, 300)))
        (3,2,2)
        """
        return GemmCoord(*(int(ceil_div(p, t)) for p, t in zip(problem, self, strict=True)))


ShapeLike: TypeAlias = "str | Sequence[SupportsIndex]"
"""Three extents m, n and k: a sequence, or a text such as ``128,256,64``, ``128x256x64``."""

_NAME = r"(?:(?:\w+::)*(?:GemmShape|GemmCoord|Shape)\s*(?=[<({]))?"
_TEXT = re.compile(rf"\s*{_NAME}(?:<(?P<a>.*)>|\((?P<b>.*)\)|\{{(?P<c>.*)\}}|(?P<d>.*?))\s*", re.S)
_EXTENT = re.compile(r"\s*(?:_?(-?[0-9]+)|(?:\w+::)*Int\s*<\s*(-?[0-9]+)\s*>)\s*")


@constexpr
def gemm_shape(what: ShapeLike, name: str = "tile") -> GemmShape:
    """Return three positive extents as a shape.

    >>> gemm_shape("Shape<_128, _256, Int<64>>") == gemm_shape((128, 256, 64))
    True

    Args:
        name: The name of the shape in an error.

    Raises:
        LayoutError: an extent is not positive.
        ParseError: a text is not three positive extents; the error points at the wrong one.
    """
    if isinstance(what, str):
        extents = _read(what, name)
    elif not isinstance(what, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance]
        kind = type(what).__name__
        raise KindError(f"expected three extents m, n, k of the {name}, got {kind} {what!r}", value=what)
    else:
        extents = [index_of(f"an extent of the {name}", x) for x in islice(what, 4)]
        if len(extents) != 3:
            sized = isinstance(what, Sized)  # pyright: ignore[reportUnnecessaryIsInstance]
            count = len(what) if sized else len(extents)
            raise LayoutError(f"the {name} has {count} extents, not three: m, n, k", shape=what)
    shape = GemmShape(*extents)
    for axis, extent in zip("mnk", shape, strict=True):
        if extent < 1:
            raise LayoutError(
                f"the {name} has {axis} = {extent}: an extent is at least 1", axis=axis, shape=shape
            )
    return shape


def _read(text: str, name: str) -> list[int]:
    """The three extents in a text; an error points at the first part that is no extent."""
    inside = _TEXT.fullmatch(text)
    assert inside is not None  # the last alternative matches any text
    group = inside.lastgroup or "d"
    parts = list(re.finditer("[^,x]+", inside[group]))
    matches = [_EXTENT.fullmatch(part[0]) for part in parts]
    digits = [match[1] or match[2] for match in matches if match]
    if len(digits) == len(parts) == 3 and len(re.findall("[,x]", inside[group])) == 2:
        for part, each in zip(parts, digits, strict=True):
            if len(each) > most_digits():
                start, end = (inside.start(group) + x for x in part.span())
                raise too_long_in(text, start, end, len(each))
        extents = [int(each) for each in digits]
        for axis, part, extent in zip("mnk", parts, extents, strict=True):
            if extent < 1:
                start, end = (inside.start(group) + x for x in part.span())
                least = f"the {name} has {axis} = {extent}: an extent is at least 1"
                raise ParseError(
                    least, text, start, end, f"Write {axis} as a number of elements, from 1."
                )
        return extents
    wrong_parts = [part for part, match in zip(parts, matches, strict=True) if match is None]
    start, end = 0, max(1, len(text))
    if wrong_parts:
        start, end = (inside.start(group) + x for x in wrong_parts[0].span())
    raise ParseError(
        f"expected three extents m,n,k of the {name}, found {shortened(text)!r}",
        text,
        start,
        end,
        "Attention is planned by 'tla ascend search', or in Python by tla.ascend.attention."
        if "heads=" in text
        else "Write 128,256,64, or GemmShape<128,256,64>.",
    )


def rounded_up(extent: int, unit: int) -> int:
    """Return the least multiple of a unit that is at least an extent; both are plain ints.

    >>> rounded_up(100, 16)
    112

    It is fast enough for loops over thousands of tiles. `tla.round_up` takes static and symbolic ints.
    """
    return -(-extent // unit) * unit


def index_of(name: str, x: SupportsIndex) -> int:
    """Return a value as a plain int.

    >>> index_of("cores", 24)
    24

    Raises:
        LeafError: the value is no int, or is a bool; the error has the name.
        LayoutError: it has more digits than are written.
    """
    try:
        if isinstance(x, bool):
            raise TypeError
        value = index(x)
    except TypeError:
        raise LeafError(f"{name} is an int, not {described(x)}", value=x) from None
    if value.bit_length() > 64 and is_too_long(value):
        raise LayoutError(f"{name} has more than {most_digits()} digits", "No core counts that far.")
    return value


def indices_of(name: str, given: Sequence[SupportsIndex], count: int, least: int = 1) -> tuple[int, ...]:
    """Return values as plain ints.

    >>> indices_of("stride", (2, 1), 2)
    (2, 1)

    Raises:
        LayoutError: there are more or fewer than ``count``, or one is below ``least``.
    """
    found = tuple(index_of(f"a number of {name}", x) for x in given)
    if len(found) != count or min(found) < least:
        text = f"{name} is {count} numbers of at least {least}, not {found}"
        raise LayoutError(text, **{name: found})
    return found


def flag(name: str, x: object) -> bool:
    """Return a flag as a plain bool; 0 and 1 are flags too.

    >>> flag("split", 1)
    True

    Raises:
        LayoutError: the value is neither true nor false; the error has the name.
    """
    try:
        if x == 0 or x == 1:
            return bool(x)
    except ValueError:  # an array
        pass
    raise LayoutError(f"{name} = {shown(x)}, a flag is true or false", value=x)
