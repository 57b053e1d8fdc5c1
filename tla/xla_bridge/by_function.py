"""The nested layout of a shape whose digits a tile cuts unevenly, or the proof that there is none.

It takes the offset as a function of the dims, because cut digits may merge again, such as the 3 and 1 of
``f32[6]{0:T(4)(3)}``.

>>> print(to_layout(parse_shape("f32[6]{0:T(4)(3)}")))
((_4,_2)):((_1,_6)):(_6)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import UnsupportedError
from ..ground import limit_error, limit_of
from .functions import NoDigits, OpenDims, TiledFunction
from .groups import combined_of, function_of, layout_of_digits

if TYPE_CHECKING:
    from ..layouts import AnyLayout
    from .shape import XlaShape


def layout_by_function(
    shape: XlaShape, sizes: list[Any], origin: list[Any], refusal: UnsupportedError
) -> AnyLayout:
    """Return the layout of the offset as a function, for a shape whose digits alone have none.

    Args:
        sizes: The size of each dim in memory.
        origin: The size of the data in each dim.
        refusal: The error of the digits.

    Raises:
        UnsupportedError: there is no layout; the error is that of `to_layout`.
        UndecidedError: whether there is one is open.
    """
    function = function_of(shape, sizes)
    found = function.digits()
    if isinstance(found, NoDigits):
        raise _no_layout(shape, function, found, refusal)
    if isinstance(found, OpenDims):
        dims = " and ".join(map(str, found.dims))
        most = limit_of("indices")
        raise limit_error(
            "indices",
            f"cannot decide whether {shape} has a nested layout with one mode for each dim",
            f"'*' merges its dims {dims}, of {found.elements} elements; at most {most} are looked at.",
            "combined_layout gives its layout over combined coordinates.",
            needed=found.elements,
            shape=shape,
            dims=found.dims,
            combined=combined_of(shape, function),
        )
    return layout_of_digits(found, origin)


def _no_layout(
    shape: XlaShape, function: TiledFunction, found: NoDigits, refusal: UnsupportedError
) -> UnsupportedError:
    """The error of a shape that has no layout, with the index that no layout can place."""
    combined = combined_of(shape, function)
    if found.tile is None and found.reason == refusal.reason:
        data = {name: getattr(refusal, name) for name in ("dim", "digit", "tile")}
        cut = refusal.details[0]
    elif found.tile is None:
        data = {"dim": found.dim, "digit": None, "tile": None}
        cut = f"Tiles cut dim {found.dim}, which '*' merges, unevenly."
    else:
        data = {"dim": found.dim, "digit": found.digit, "tile": found.tile}
        cut = (
            f"A tile of {found.tile} cuts the digit of size {found.digit} of dim {found.dim} unevenly,"
            " and carries into the digits above it."
        )
    one, other = map(function.offset, found.parts)
    where = "({})".format(",".join(map(str, found.at)))
    return UnsupportedError(
        f"{shape} has no nested layout with one mode for each dim",
        cut,
        f"Index {where} lies at {function.offset(found.at)}; a layout would place it at"
        f" {one} + {other} = {one + other}.",
        f"There is {combined}.",
        shape=shape,
        reason=found.reason,
        **data,
        index=found.at,
        parts=found.parts,
        combined=combined,
    )
