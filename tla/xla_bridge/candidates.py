# SPDX-License-Identifier: Apache-2.0
"""Tilings with given digits and size, the one that a person would choose first, and their check.

Only the digits and the size decide the candidates, so shapes of one function and size have the same
ones. If the digits are a chain that fits the size, these are: no tiles, if none are needed; the tilings
known on TPUs; the tilings of the peel. If not, they are tiles with ``*``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import UndecidedError, UnsupportedError
from ..numbers import SymbolicInt, known_eq
from .chain import Digit, gives_room, is_chain, layout_digits, same_digits, spaced
from .hints import known_tilings
from .peel import Tiling, tilings
from .starred import starred_tilings
from .tiling import physical_elements
from .to_layout import to_layout

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..ground import ElementType
    from .shape import XlaShape


class Request(NamedTuple):
    """The digits and the size that tiles must have.

    Attributes:
        digits: The digits, the greatest stride first, without overlaps.
        dims: The sizes of the dims.
        size: The elements of memory, before ``L``: at least those of the digits.
    """

    digits: list[Digit]
    dims: tuple[int, ...]
    size: int


def has_unknowns(digits: Sequence[Digit], *others: object) -> bool:
    """Return whether an int is symbolic."""
    ints = [n for digit in digits for n in digit]
    return any(isinstance(n, SymbolicInt) for n in (*ints, *others))


def candidates(request: Request, dtype: str | ElementType) -> Iterator[Tiling]:
    """Yield candidate tilings for a request, the best first. A hint may have other digits."""
    digits, dims, size = request
    if not (is_chain(digits) and gives_room(digits, size)):
        yield from starred_tilings(digits, dims, size)
        return
    chain = spaced(digits, size, len(dims))
    made = sorted(
        (tiling for tiling in tilings(chain, dims) if tiling.unknown_entry is None),
        key=lambda tiling: tiling.cost,
    )
    yield from (tiling for tiling in made if not tiling.tiles)
    if not has_unknowns(chain, *dims):
        yield from known_tilings(chain, dims, dtype)
    yield from (tiling for tiling in made if tiling.tiles)


def is_verified(shape: XlaShape, digits: Sequence[Digit], dims: Sequence[int], size: int) -> bool:
    """Return whether the shape, read back, has the digits and the size: then it is the same function.

    Args:
        digits: The digits of the function, dim by dim, minor first.
        dims: The sizes of the dims; an unknown one may have another symbol than in the shape.
        size: The elements of memory, ``L`` included.
    """
    unknown = {i: n for i, n in enumerate(dims) if isinstance(shape.dimensions[i], SymbolicInt)}
    try:
        back = layout_digits(to_layout(shape, unknown), dims)
    except (UnsupportedError, UndecidedError):
        return False
    taken: Any = physical_elements(shape)
    if unknown:
        from ..numbers import substitute

        taken = substitute(taken, {f"d{i}": n for i, n in unknown.items()})
    return same_digits(back, digits) is True and known_eq(taken, size) is True
