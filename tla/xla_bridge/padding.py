"""The padding of a shape, as an array over all of its memory.

>>> print(padding_mask(parse_shape("f32[3,5]{1,0:T(2,2)}")).astype(int).reshape(6, 4))
[[0 0 0 0]
 [0 0 0 0]
 [0 1 0 1]
 [0 0 1 1]
 [0 0 1 1]
 [0 1 1 1]]

`padding_offsets` yields the same places one by one, without numpy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import UnsupportedError
from ..ground import limit_error, limit_of
from ..numbers import SymbolicInt
from .steps import tiling_steps
from .tiling import array_shape, physical_elements

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .shape import AnyShape


def padding_mask(shape: AnyShape, limit: int | None = None) -> NDArray[np.bool_]:
    """Return for each offset whether it is padding: True if and only if `logical_index` is None there.

    >>> padding_mask(parse_array("f32[3]{0:T(4)}")).tolist()
    [False, False, False, True]

    Args:
        limit: The largest memory, in elements; by default the ``offsets`` of `tla.limits`.

    Returns:
        One bool for each of the ``physical_elements(shape)``, in the order of memory.

    Raises:
        UnsupportedError: the shape is no array, or the size of a dim is unknown.
        LimitError: the memory exceeds the limit.
    """
    array = array_shape(shape)
    room = physical_elements(array)
    if isinstance(room, SymbolicInt):
        raise UnsupportedError(
            f"the padding of {array} depends on unknown sizes",
            "Write a number in place of '?', or a bound, '<=N'.",
            shape=array,
        )
    most = limit_of("offsets") if limit is None else limit
    if room > most:
        raise limit_error(
            "offsets",
            f"the memory of {array} has {room} elements, too many for a table",
            f"At most {most} are tabulated; `element_at` tells what lies at one offset.",
            needed=room,
            argument=limit,
            shape=array,
        )
    import numpy as np

    mask: NDArray[Any] = np.zeros(array.dimensions, np.bool_)
    for step in tiling_steps(array).steps:
        if step.action == "transpose":
            mask = mask.transpose(step.argument)
        elif step.action == "reshape":
            mask = mask.reshape(step.argument)
        else:
            added = [(0, padded - size) for size, padded in zip(mask.shape, step.argument, strict=True)]
            mask = np.pad(mask, added, constant_values=True)
    return mask
