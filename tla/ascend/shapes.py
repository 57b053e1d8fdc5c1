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
from typing import TYPE_CHECKING, NamedTuple, SupportsIndex, TypeAlias

from ..errors import LayoutError, ParseError
from ..ints import ceil_div
from ..text import shortened

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["GemmCoord", "GemmShape", "ShapeLike", "gemm_shape"]


class GemmCoord(NamedTuple):
    """A place in the iteration space of a product, or its extents: in elements or tiles, as is said."""

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
        """How many tiles a problem takes in each direction, the last ones cut.

        >>> print(GemmShape(128, 256, 256).tiles_of(GemmCoord(300, 300, 300)))
        (3,2,2)
        """
        return GemmCoord(*(int(ceil_div(p, t)) for p, t in zip(problem, self, strict=True)))


ShapeLike: TypeAlias = "str | Sequence[SupportsIndex]"
"""Three extents m, n and k: a sequence, or a text such as ``128,256,64``, ``128x256x64``."""

_NAME = r"(?:(?:\w+::)*(?:GemmShape|GemmCoord|Shape)\s*(?=[<({]))?"
_TEXT = re.compile(rf"\s*{_NAME}[<({{]?(.*?)[>)}}]?\s*", re.S)
_EXTENT = re.compile(r"\s*(?:_|(?:\w+::)*Int\s*<\s*)?([0-9]+)\s*>?\s*")


def gemm_shape(what: ShapeLike, name: str = "tile") -> GemmShape:
    """Return three positive extents as a shape.

    >>> gemm_shape("Shape<_128, _256, Int<64>>") == gemm_shape((128, 256, 64))
    True

    Args:
        name: What an error calls it.

    Raises:
        LayoutError: an extent is not positive.
        ParseError: a text is not three extents.
    """
    if isinstance(what, str):
        extents = _read(what, name)
    else:
        extents = [_index(x, name) for x in what]
        if len(extents) != 3:
            raise LayoutError(f"the {name} has {len(extents)} extents, not three: m, n, k", shape=what)
    shape = GemmShape(*extents)
    for axis, extent in zip("mnk", shape, strict=True):
        if extent < 1:
            raise LayoutError(
                f"the {name} has {axis} = {extent}: an extent is at least 1", axis=axis, shape=shape
            )
    return shape


def _read(text: str, name: str) -> list[int]:
    """The extents that a text writes; the error points at the first that is none."""
    inside = _TEXT.fullmatch(text)
    assert inside is not None  # whatever stands between brackets, or nothing
    parts = list(re.finditer("[^,x]+", inside[1]))
    found = [_EXTENT.fullmatch(part[0]) for part in parts]
    extents = [int(match[1]) for match in found if match]
    if len(extents) == len(parts) == 3 and len(re.findall("[,x]", inside[1])) == 2:
        return extents
    wrong = next((p for p, match in zip(parts, found, strict=True) if match is None), None)
    start, end = (inside.start(1) + x for x in wrong.span()) if wrong else (0, max(1, len(text)))
    raise ParseError(
        f"expected three extents m,n,k of the {name}, found {shortened(text)!r}",
        text,
        start,
        end,
        "Write 128,256,64, or GemmShape<128,256,64>.",
    )


def _index(x: SupportsIndex, name: str) -> int:
    if isinstance(x, bool) or not hasattr(x, "__index__"):
        raise TypeError(f"an extent of the {name} is an int, not {type(x).__name__} {x!r}")
    return x.__index__()
