# SPDX-License-Identifier: Apache-2.0
"""The schedule of a convolution of two dimensions: blocks of rows, columns and channels of the output.

>>> schedule = convolution(batch=2, ho=30, wo=25, cout=200, tile=(8, 12, 96), cores=24)
>>> len(schedule), schedule.proof().points == 2 * 30 * 25 * 200
(72, True)
>>> print(schedule.tasks[13])
task 13 (core 13, round 0): [8:16,12:24,96:192]

M of the product counts rows of the output, batch after batch, N its columns, K its channels.

Source: CATLASS conv/block/block_swizzle.hpp, Conv2dIdentityBlockSwizzle; conv/kernel/basic_conv2d.hpp.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..shapes import GemmCoord
from .order import bands_of
from .schedule import Schedule
from .tasks import CORES, Task, direction_of, positive

if TYPE_CHECKING:
    from collections.abc import Sequence


class _Convolution(Schedule):
    """A task is a block of the output of one batch, in bands of blocks of the image."""

    __slots__ = ("_direction", "_ho", "_of_batch", "_steps", "bands")
    CPP = "Conv2dIdentityBlockSwizzle"
    IS_PRODUCT = False

    def __init__(
        self,
        batch: int,
        ho: int,
        wo: int,
        cout: int,
        tile: Sequence[int],
        offset: int,
        direction: int,
        cores: int,
    ) -> None:
        height = positive("offset", offset, self.CPP)
        self._direction = direction_of(direction)
        super().__init__(
            (positive("batch", batch) * positive("ho", ho), wo, cout), tile, cores,
            f"{self.CPP}<{height},{direction}>",
        )  # fmt: skip
        self._ho = ho
        self._steps = GemmCoord(-(-ho // self.tile.m), self.loops.n, self.loops.k)
        image, channels = self._steps.m * self._steps.n, self._steps.k
        self._of_batch = image * channels
        self.loops = GemmCoord(batch * image, channels, 1)
        sides = (image, channels) if direction == 0 else (channels, image)
        self.bands = bands_of(*sides, height)

    def task(self, number: int) -> Task:
        turn, core = divmod(number, self.cores)
        batch, inside = divmod(number, self._of_batch)
        across, along = self.bands.at(inside)
        image, channel = (across, along) if self._direction == 0 else (along, across)
        row, column = divmod(image, self._steps.n)
        (tall, wide, deep), (_, wo, cout) = self.tile, self.problem
        h, w, c = row * tall, column * wide, channel * deep
        start = GemmCoord(batch * self._ho + h, w, c)
        shape = GemmCoord(min(tall, self._ho - h), min(wide, wo - w), min(deep, cout - c))
        of_batch = self._steps.m * self._steps.n
        return Task(number, core, turn, GemmCoord(batch * of_batch + image, channel, 0), start, shape)


def convolution(
    *,
    batch: int,
    ho: int,
    wo: int,
    cout: int,
    tile: Sequence[int],
    offset: int = 3,
    direction: int = 0,
    cores: int = CORES,
) -> Schedule:
    """Return the schedule of a convolution: task t is on core ``t % cores``.

    >>> convolution(batch=1, ho=8, wo=8, cout=16, tile=(8, 8, 16))[0].shape
    GemmCoord(m=8, n=8, k=16)

    The blocks of a batch go in bands of `offset` blocks of the image, along the channels; with
    `direction` 1 in bands of blocks of channels, along the image.

    Args:
        ho, wo, cout: Rows, columns and channels of the output.
        tile: The same of a block.

    Raises:
        LayoutError: a number is below 1, or the direction is not 0 or 1.
    """
    return _Convolution(batch, ho, wo, cout, tile, offset, direction, cores)
