# SPDX-License-Identifier: Apache-2.0
"""Windows that move over an array: ``window={size=3x2 stride=2x1 pad=1_1x0_1}`` as a value.

In each dim, window ``d`` covers places ``d*stride + s*rhs_dilate`` of the padded array, for ``s`` from 0
to ``size-1``. The array begins at place ``low``, with its elements ``lhs_dilate`` apart. Negative
padding cuts elements off.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from ...numbers import Interval

if TYPE_CHECKING:
    from ...numbers import Value
    from .op import Op


class WindowDim(NamedTuple):
    """The window in one dim.

    Attributes:
        low: The number of padding places before the array; negative if it cuts elements off.
        high: The same after it.
        base_dilation: The distance between elements of the array: ``lhs_dilate``.
        window_dilation: The distance between places in the window: ``rhs_dilate``.
        reversal: Whether the window reverses its kernel: 0 or 1.
    """

    size: int = 1
    stride: int = 1
    low: int = 0
    high: int = 0
    base_dilation: int = 1
    window_dilation: int = 1
    reversal: int = 0

    def extent(self, size: int) -> int:
        """Return the number of places of an array's elements, with the gaps between them."""
        return (size - 1) * self.base_dilation + 1 if size else 0

    def count(self, size: int) -> int:
        """Return the number of windows over an array.

        >>> WindowDim(size=3, stride=2, low=1, high=1).count(13)
        7
        """
        room = self.low + self.extent(size) + self.high - (self.size - 1) * self.window_dilation - 1
        return room // self.stride + 1 if room >= 0 else 0

    def element(self, size: int, d: Value, s: Value) -> tuple[Value, list[tuple[Value, Interval]]]:
        """Return the element at place ``s`` of window ``d``, and the constraints for its existence.

        Args:
            size: The size of the array.
        """
        place = d * self.stride + s * self.window_dilation
        end = self.low + self.extent(size)
        constraints = [(place, Interval(max(0, self.low), min(end, end + self.high) - 1))]
        offset = place - self.low
        if self.base_dilation > 1:
            constraints.append((offset % self.base_dilation, Interval(0, 0)))
        return (0 if size == 1 else offset // self.base_dilation), constraints


_PART: Final = re.compile(r"(\w+)=([-\w]+)")
_FIELDS: Final = {
    "size": "size",
    "stride": "stride",
    "lhs_dilate": "base_dilation",
    "rhs_dilate": "window_dilation",
    "rhs_reversal": "reversal",
}


def read_window(op: Op, rank: int) -> tuple[WindowDim, ...]:
    """Return the window of an instruction, with one part for each dim in which it moves.

    >>> from tla.hlo import read_instruction
    >>> from .op import Op
    >>> op = Op(read_instruction("%w = f32[7] reduce-window(f32[13] %x, f32[] %c), "
    ...                          "window={size=3 stride=2 pad=1_1}, to_apply=%max"))
    >>> read_window(op, 1)[0][:4]
    (3, 2, 1, 1)

    Its sizes and strides are known to fit, by `Op.expect_shape`.

    Args:
        rank: The number of those dims.

    Raises:
        UnsupportedError: a part has no meaning.
    """
    text = op.attribute("window", "{}")
    parts: list[dict[str, int]] = [{} for _ in range(rank)]
    for key, value in _PART.findall(text):
        for part, word in zip(parts, value.split("x"), strict=False):
            try:
                if key == "pad":
                    part["low"], part["high"] = map(int, word.split("_"))
                else:
                    part[_FIELDS[key]] = int(word)
            except (KeyError, ValueError):
                op.fail(f"its window {text} has no meaning at {key}={value}")
    return tuple(WindowDim(**part) for part in parts)
