# SPDX-License-Identifier: Apache-2.0
"""The time of a tile of attention, by the pipes of a core and of its two vector cores.

The model is that of ``pipes``, with other work. A block is some rows of Q for some heads. It goes over K
and V in steps of n columns. In a step:

- MTE2 loads a part of K and one of V, and on 2201 the weights P that the vector cores have written.
- MTE1 loads Q and P into L0A, K and V into L0B.
- The cube multiplies Q by K and P by V. The fixpipe writes S and O in float.
- Each vector core takes half of the rows. On 2201 it loads S and O. It goes over S `S_PASSES` times and
  over O `O_PASSES` times, and writes P. `ROW_STEPS` more instructions have one number for each row.

The pipes run side by side, step behind step, so a step takes as long as its slowest pipe. Nothing hides
the other pipes of one step. All cores share the bandwidth of global memory for Q, K, V and O, each of
which passes once.

The passes are those of the kernel in Python, `flash_attention`. A mask is not counted.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Final, NamedTuple

from ...errors import LayoutError, UnsupportedError
from ..arch import FRACTAL_ROWS
from ..shapes import GemmShape, rounded_up
from .pipes import START, bandwidth_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..plans import AttentionPlan

S_PASSES: Final = 7
"""The passes over a tile of S: scale, greatest of a row, difference, exponential, sum of a row, cast."""
O_PASSES: Final = 2
"""The passes over a tile of O: rescale, and add."""
ROW_STEPS: Final = 12
"""The instructions of a step with a number for each row: maxima, sums, their exponentials."""
_REPEAT: Final = 256
"""The bytes that a vector core writes in a cycle."""


class AttentionEstimate(NamedTuple):
    """The time of a tile of attention.

    >>> from tla.ascend import attention, estimate_attention
    >>> found = estimate_attention(attention("Ascend950", heads=16, q=512, kv=1024, head=128))
    >>> str(found.tile), found.bound, found.rounds
    ('GemmShape<128,128,128>', 'vector', 2)
    """

    tile: GemmShape
    """Rows of Q, columns of K and the size of a head."""
    seconds: float
    bound: str
    """The pipe that works longest on the most loaded core, or GM."""
    blocks: int
    rounds: int
    """The blocks of the most loaded core."""
    pipes: dict[str, float]
    """The seconds of each pipe on that core."""

    @property
    def microseconds(self) -> float:
        return self.seconds * 1e6


def estimate_attention(plan: AttentionPlan) -> AttentionEstimate:
    """Return the time of a plan of attention, whether it is legal or not.

    >>> from tla.ascend import attention
    >>> found = estimate_attention(attention("AtlasA2", heads=16, q=1024, kv=2048, head=128))
    >>> found.bound, found.blocks, found.rounds
    ('fixpipe', 128, 6)
    """
    cycle = 1 / plan.arch.frequency
    loads: defaultdict[int, Counter[int]] = defaultdict(Counter)
    for task in plan.schedule().tasks:
        loads[task.core][task.shape.m * task.shape.n] += 1
    blocks = {rows: _block(plan, rows) for load in loads.values() for rows in load}
    times = [
        (sum(n * max(blocks[rows].values()) for rows, n in load.items()), load)
        for load in loads.values()
    ]
    longest, worst = max(times, key=lambda pair: pair[0])
    seconds = {pipe: cycle * sum(n * blocks[rows][pipe] for rows, n in worst.items()) for pipe in _PIPES}
    first = blocks[max(worst)].values()
    fill = (sum(first) - max(first)) / -(-plan.kv // plan.tile.n)
    numbers = (
        plan.batch * (plan.kv_heads * plan.kv + plan.heads * plan.q) * (plan.head + plan.value_head)
    )
    seconds["GM"] = plan.element.bytes_of(numbers) / bandwidth_of(plan.arch)
    return AttentionEstimate(
        plan.tile, max((longest + fill) * cycle, seconds["GM"]), max(seconds, key=lambda x: seconds[x]),
        sum(load.total() for load in loads.values()), worst.total(), seconds,
    )  # fmt: skip


_PIPES: Final = ("MTE2", "MTE1", "cube", "fixpipe", "vector", "vector MTE2", "vector MTE3")


def _block(plan: AttentionPlan, rows: int) -> dict[str, float]:
    """The cycles of each pipe for some rows of Q and all of K and V."""
    arch, of, (n, head, wide) = plan.arch, plan.element, (plan.tile.n, plan.head, plan.value_head)
    columns, steps, size = plan.kv, -(-plan.kv // n), of.bytes_of(1)
    tall, across, half = rounded_up(rows, FRACTAL_ROWS), rounded_up(columns, FRACTAL_ROWS), -(-rows // 2)
    by_gm = arch.code == 2201  # S, P and O go through global memory
    s, o = 4 * columns, 4 * wide * steps
    loaded = rows * head + columns * (head + wide) + by_gm * rows * columns
    into_a, into_b = tall * (head * steps + across), across * (head + wide)
    # to zZ a load takes a row of fractals, and a load that transposes a column
    parts = (
        tall // FRACTAL_ROWS * (-(-head // 128) + -(-n // 128)) + 1 + -(-n // FRACTAL_ROWS)
        if by_gm
        else 4
    )
    cycles = (
        size * loaded / arch.l2_rate + (2 + by_gm) * steps * START,
        size * (into_a / arch.l1_to_l0a_rate + into_b / arch.l1_to_l0b_rate) + parts * steps * START,
        tall * into_b / arch.macs_per_cycle(of, of) + 2 * steps * START,
        rows * (s + o) / arch.l2_write_rate + 2 * steps * START,
        half * (S_PASSES * s + O_PASSES * o) / _REPEAT
        + (S_PASSES + O_PASSES + ROW_STEPS) * steps * START,
        by_gm * (half * (s + o) / arch.l2_rate + 2 * steps * START),
        half * (size * columns + 4 * wide) / arch.l2_write_rate + steps * START,
    )
    return dict(zip(_PIPES, cycles, strict=True))


def search_attention(
    plan: AttentionPlan, top: int = 10, step: int = 16
) -> tuple[AttentionEstimate, ...]:
    """Return the ``top`` fastest legal tiles of a plan of attention.

    >>> from tla.ascend import attention
    >>> plan = attention("AtlasA2", heads=16, q=1024, kv=2048, head=128)
    >>> for found in search_attention(plan, top=2):
    ...     print(found.tile, found.blocks, found.rounds, found.bound)
    GemmShape<96,128,128> 176 8 vector
    GemmShape<128,128,128> 128 6 fixpipe

    Args:
        plan: The heads, the lengths and the kind; its tile's k stays.
        step: The unit of the columns of K, a multiple of 16; rows of Q are multiples of 32.

    Raises:
        LayoutError: ``top`` is below 1, or ``step`` no multiple of 16.
        UnsupportedError: no tile is legal; the text has the rules that the smallest breaks.
    """
    if top < 1 or step < FRACTAL_ROWS or step % FRACTAL_ROWS:
        words = f"top is {top} and step {step}: top is at least 1, step a multiple of {FRACTAL_ROWS}"
        raise LayoutError(words, top=top, step=step)
    found = [estimate_attention(each) for each in _legal(plan, step)]
    if not found:
        least = plan._replace(tile=plan.tile._replace(m=2 * FRACTAL_ROWS, n=step))
        broken = [f"{error.rule}: {error.text}." for error in least.check().errors]
        words = f"no tile of {plan.kind.about} is legal on {plan.arch}"
        raise UnsupportedError(
            words, f"The smallest, {least.tile}, is excluded.", *broken, tile=least.tile
        )
    return tuple(sorted(found, key=lambda x: (x.seconds, sum(x.pipes.values()), x.tile)))[:top]


def _legal(plan: AttentionPlan, step: int) -> Iterator[AttentionPlan]:
    """The plan with each tile that it may have: until no wider one, and no taller one, is legal."""
    for m in range(2 * FRACTAL_ROWS, plan.arch.l0c // 4, 2 * FRACTAL_ROWS):
        any_fits = False
        for n in range(step, rounded_up(plan.kv, step) + 1, step):
            each = plan._replace(tile=GemmShape(m, n, plan.tile.k))
            if not each.check().ok:
                break
            any_fits = True
            yield each
        if not any_fits:
            return
