# SPDX-License-Identifier: Apache-2.0
"""The time of a tile of a product on an architecture, by a stated model of the pipes of a core.

The model, in cycles of one core:

- A block of m x n x k loads its rows of A and columns of B from global memory into L1 (MTE2), and from
  there into L0A and L0B (MTE1). It multiplies (cube) and writes its part of C (fixpipe). With two stages
  in a buffer, the pipe that fills it and the pipe that empties it run side by side. So a block takes as
  long as its slowest pipe. With one stage the two pipes alternate. The fixpipe runs beside the cube with
  the unit flag, or with two stages of L0C.
- MTE2 moves `Arch.l2_rate` bytes in a cycle. Reads that are not in L2, and all writes, share the
  bandwidth of global memory among the active cores: all cores in a full round, some in the last one. A
  and B each have their own part that is not in L2, because the efficiency of their copies differs.
- A copy from RowMajor or ColumnMajor has the efficiency of `bandwidth`, by the starts, length and number
  of its rows. A tile in fractals is copied at the full rate.
- The cube multiplies whole fractals, with m and n padded to 16 and k to C0, at `Arch.macs_per_cycle`.
- Each instruction adds `START` cycles.
- A product takes as long as its most loaded core, plus the time that nothing hides. That is, first, one
  L1 tile's load before the first product, or its products after the last load, whichever is shorter.
  Second, with two stages of L0C, the last write. Third, the vector cores' sum of the slices of k.

The times are of peak rates and without a launch, so measured times are longer. The model is for the
order of tiles.

The model puts the pairs of 11_matmul_optimization.md, of the tuner's README and of 05_aswt.md in the
measured order, except two. ASWT on 1024 x 1024 x 1024 halves the blocks, which saves a quarter of the
time here; CATLASS measured no gain. On 2048 x 2048 x 256 both orders have the same blocks; CATLASS
measured a difference of 1 %. On A2 the measured times of the guide are 1.2 to 2.5 times these. Those of
the tuner's README, whose product takes some microseconds, are 3.3 to 3.6 times these. On Ascend950 they
are 0.9 to 1.3 times these, and 1.7 times for ASWT on 1024 x 1024 x 1024.

The model does not cover the bubble between two blocks, which the Preload policies remove. It does not
cover cores that read one address at one time, which ShuffleK avoids, nor bank conflicts, nor other work
of the vector cores.

Sources: the rates are those of `Arch`, each with its source. CATLASS docs/en/1_Practice/evaluation/
bottleneck_analysis_and_optimization.md has pipes side by side, and reads and writes that share the
bandwidth of global memory. docs/en/2_Design/01_kernel_design/04_matmul_summary.md has the bytes read and
written. An assumption says that it is one.
"""

from __future__ import annotations

from collections import Counter
from math import ceil
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from ..arch import FRACTAL_ROWS
from ..elements import accumulator
from ..plans import slices
from ..shapes import rounded_up
from .bandwidth import row_efficiency, write_efficiency
from .estimates import PIPES, Estimate
from .loads import bands_over, loads, loads_by_columns, loads_in_bands, loads_in_groups

if TYPE_CHECKING:
    from ..arch import Arch
    from ..elements import Element
    from ..plans import Policy
    from ..schedules import Bands, BlockSwizzle
    from ..shapes import GemmCoord, GemmShape
    from .loads import Load, Loads

GM_BANDWIDTH: Final[dict[str, float]] = dict.fromkeys(
    (
        "AtlasA2", "Ascend910B1", "Ascend910B2", "Ascend910B3",
        "AtlasA3", "Ascend910_9363", "Ascend910_9382",
    ),
    1.8e12,
)  # fmt: skip
"""Bytes per second of global memory, for chips with more than the sum of the rates of their cores.

Source: CATLASS bottleneck_analysis_and_optimization.md. The platform_config's ``ddr_rate`` sums to
1.38e12 on 24 cores, less than what case 2 of 11_matmul_optimization.md reads: 217 MB in 139.6 us.
Ascend910B4, with half the L2 and slower cores, is left at its own sum, 0.96e12.
"""

START: Final = 16
"""The cycles of an instruction before its first byte or product.

Assumed: a copy of 16 KiB, which Ascend C's hardware constraints call enough for the best bandwidth, then
reaches 90 % of it."""


def bandwidth_of(arch: Arch) -> float:
    """Return the bytes per second of global memory: those of `GM_BANDWIDTH`, or of all cores if more."""
    by_chip = GM_BANDWIDTH.get(arch.name, 0.0) if arch.source("gm_rate") != "given" else 0.0
    return max(arch.gm_bandwidth, by_chip)


_Both: TypeAlias = "tuple[float, float]"
"""A value of A, and one of B."""


class Work(NamedTuple):
    """The work of the cores: their blocks, and the bytes that they do not find in L2."""

    loads: Loads
    from_gm: _Both
    """The bytes of A and of B in memory that are not in L2 when a core loads them."""


class _Block(NamedTuple):
    """The bytes of a block, and the cycles of the pipes that no other core slows down."""

    input: _Both
    """The bytes of A and of B, counted as aligned bytes of the same time."""
    output: float
    """The bytes of C, counted in the same way."""
    mte2: float
    mte1: float
    cube: float
    fixpipe: float
    instructions: int


class _Times(NamedTuple):
    """The cycles of a block."""

    total: float
    hidden: float
    """The cycles of the loads or of the rest, whichever is shorter, if they run side by side."""
    pipes: tuple[float, ...]


class Model(NamedTuple):
    """A product on an architecture; its `estimate` gives the time of a tile."""

    arch: Arch
    cores: int
    problem: GemmCoord
    a: Element
    b: Element
    c: Element
    tags: tuple[str, str, str]
    ld: tuple[int, int, int]
    """The elements from one row or column of A, B and C to the next."""
    policy: Policy
    swizzle: BlockSwizzle
    order: tuple[int, int] | None
    """The offset and direction, if the swizzle has them; or None."""
    groups: tuple[GemmCoord, ...] = ()
    """The products of a plan that computes several; the problem then bounds them all."""

    def estimate(self, l1: GemmShape, l0: GemmShape, work: Work | None = None) -> Estimate:
        """Return the time of a tile, whether it fits or not.

        Args:
            work: The work of the cores, if the caller knows it.
        """
        return self._estimate(l1, l0, work or self.work(l1))

    def work(self, l1: GemmShape) -> Work:
        """Return the work of the cores, in closed form.

        If k is not cut, it does not depend on the k of the tile.
        """
        problem, cores = self.problem, self.cores
        if self.swizzle.name == "ColumnBlockSwizzle":
            return Work(loads_by_columns(problem, l1, cores=cores), self._from_gm_by_columns(l1))
        if self.order is None:
            schedule = self.swizzle.schedule(problem, l1, cores=cores)
            bands, pieces = schedule.bands, schedule.last_blocks or None
            shares = loads_in_bands(problem, l1, bands, cores=cores, pieces=pieces)
            return Work(shares, self._from_gm(l1, bands, 0))
        if self.groups:
            return self._work_in_groups(l1, *self.order)
        (offset, direction), slices = self.order, self.slices(l1)
        lengths = self._lengths(l1.k, slices) if slices > 1 else ()
        shares = loads(problem, l1, cores=cores, offset=offset, direction=direction, slices=lengths)
        bands = bands_over(problem, l1, offset, direction)
        return Work(shares, self._from_gm(l1, bands, direction))

    def _work_in_groups(self, l1: GemmShape, offset: int, direction: int) -> Work:
        """The work of several products; none finds in L2 what another loaded."""
        shares = loads_in_groups(self.groups, l1, cores=self.cores, offset=offset, direction=direction)
        totals = [0.0, 0.0]
        for problem, many in Counter(self.groups).items():
            one = self._replace(problem=problem, groups=())
            from_gm = one._from_gm(l1, bands_over(problem, l1, offset, direction), direction)
            totals = [total + many * size for total, size in zip(totals, from_gm, strict=True)]
        return Work(shares, (totals[0], totals[1]))

    def slices(self, l1: GemmShape) -> int:
        """The number of slices of k in CATLASS's kernel."""
        return slices(self.policy, self.swizzle, self.problem, l1, self.cores)

    def _estimate(self, l1: GemmShape, l0: GemmShape, work: Work) -> Estimate:
        shares, from_gm = work
        blocks = [self._block(shape, l1, l0) for shape in shares.shapes]
        numbers = shares.blocks()
        loaded_bytes = _sums(numbers, [block.input for block in blocks])
        read = _sums(numbers, [self._bytes(shape) for shape in shares.shapes])
        miss = min(1.0, from_gm[0] / read[0]), min(1.0, from_gm[1] / read[1])
        output = sum(n * block.output for n, block in zip(numbers, blocks, strict=True))
        # In the last round only the cores with a block share the bandwidth.
        busy = shares.tasks - self.cores * shares.full_rounds
        full = [self._times(block, miss, self.cores) for block in blocks]
        last = [self._times(block, miss, max(busy, 1)) for block in blocks]
        times = [(_cycles(load, full, last), load) for load in shares.cores]
        longest, worst = max(times, key=lambda item: item[0])
        pipes = _of_pipes(worst, full, last)
        mean = sum(load.times * time for time, load in times) / self.cores
        block_counts = [*worst.counts]
        if worst.last is not None:
            block_counts[worst.last] += 1
        first = next(i for i, n in enumerate(block_counts) if n)
        steps = -(-shares.shapes[first].k // l1.k)
        fill = (full if worst.counts[first] else last)[first].hidden / steps
        fill += blocks[first].fixpipe if self.policy.l0c_stages > 1 else 0
        reduction, cycle = self._reduction(l1), 1 / self.arch.frequency
        return Estimate(
            l1,
            l0,
            self.swizzle,
            (longest + fill) * cycle + reduction,
            PIPES[pipes.index(max(pipes))],
            shares.tasks,
            shares.rounds,
            mean / longest,
            sum(loaded_bytes),
            _weighted_sum(loaded_bytes, miss),
            output,
            tuple(pipe * cycle for pipe in pipes),
            fill * cycle,
            reduction,
            self._efficiency(l1, shares.shapes[0]),
            sum(n * block.instructions for n, block in zip(block_counts, blocks, strict=True)),
        )

    def _lengths(self, k1: int, slices: int) -> tuple[int, ...]:
        """The extents in k of the slices. The first have a tile more; the last ends where k ends."""
        each, more = divmod(-(-self.problem.k // k1), slices)
        lengths = [k1 * (each + (i < more)) for i in range(slices)]
        lengths[-1] = self.problem.k - sum(lengths[:-1])
        return tuple(lengths)

    # --- one block ---

    def _block(self, shape: GemmCoord, l1: GemmShape, l0: GemmShape) -> _Block:
        arch, (m, n, k) = self.arch, shape
        steps = -(-k // l1.k)
        parts = (steps - 1) * -(-l1.k // l0.k) + -(-(k - (steps - 1) * l1.k) // l0.k)
        rows, columns, depth = (
            rounded_up(m, FRACTAL_ROWS),
            rounded_up(n, FRACTAL_ROWS),
            rounded_up(k, max(self.a.c0, self.b.c0)),
        )
        of_a, of_b = self._efficiency(l1, shape)
        a, b = self._input_bytes(shape)
        loads_of_block, output = (a / of_a, b / of_b), self._output_bytes(m, n, l1)
        into_a = rows * depth * self.a.bits / 8 / arch.l1_to_l0a_rate
        into_b = columns * depth * self.b.bits / 8 / arch.l1_to_l0b_rate
        macs = arch.macs_per_cycle(self.a, self.b)
        return _Block(
            loads_of_block,
            output,
            sum(loads_of_block) / arch.l2_rate + 2 * steps * START,
            into_a + into_b + 2 * parts * START,
            rows * columns * depth / macs + parts * START,
            output / arch.l2_write_rate + START,
            2 * steps + 3 * parts + 1,
        )

    def _times(self, block: _Block, miss: _Both, active: int) -> _Times:
        """The cycles of a block, in all and for each pipe, while `active` cores are at work."""
        policy = self.policy.facts
        share = bandwidth_of(self.arch) / active / self.arch.frequency
        gm = (_weighted_sum(block.input, miss) + block.output) / share
        load = max(block.mte2, gm)
        l0_beside = policy.l0a > 1 and policy.l0b > 1
        work = max(block.mte1, block.cube) if l0_beside else block.mte1 + block.cube
        c_beside = policy.unit_flag or policy.l0c > 1
        work = max(work, block.fixpipe) if c_beside else work + block.fixpipe
        l1_beside = policy.l1a > 1 and policy.l1b > 1
        total = max(load, work) if l1_beside else load + work
        pipes = (block.mte2, gm, block.mte1, block.cube, block.fixpipe)
        return _Times(total, load + work - total, pipes)

    # --- bytes ---

    def _bytes(self, shape: GemmCoord) -> _Both:
        """The bytes of a block's rows of A and columns of B."""
        m, n, k = shape
        return m * k * self.a.bits / 8, k * n * self.b.bits / 8

    def _input_bytes(self, shape: GemmCoord) -> _Both:
        """The bytes of A and B that the copies of a block move; in fractals, whole ones."""
        m, n, k = shape
        a = _elements_in(self.tags[0], m, k, self.a.c0) * self.a.bits / 8
        return a, _elements_in(self.tags[1], k, n, self.b.c0) * self.b.bits / 8

    def _efficiency(self, l1: GemmShape, shape: GemmCoord) -> tuple[float, float]:
        """The efficiency of the copies of A and B of a block."""
        m, n, k = shape.m, shape.n, min(l1.k, shape.k)
        ld_a, ld_b, _ = self.ld
        down, across, along = self._steps(l1)
        # The number of rows of the tile in memory, their length, and the steps between rows and tiles.
        a = {"RowMajor": (m, k, ld_a, along), "ColumnMajor": (k, m, ld_a, down)}.get(self.tags[0])
        b = {"RowMajor": (k, n, ld_b, across), "ColumnMajor": (n, k, ld_b, along)}.get(self.tags[1])
        return (
            1.0 if a is None else row_efficiency(self.arch, self.a, *a),
            1.0 if b is None else row_efficiency(self.arch, self.b, *b),
        )

    def _output_bytes(self, m: int, n: int, l1: GemmShape) -> float:
        """The bytes that a block writes, of C or of sums in the workspace, counted as aligned bytes."""
        if self.slices(l1) > 1:
            return float(m * n * accumulator(self.a, self.b).sizeof)
        area = _elements_in(self.tags[2], m, n, self.c.c0) * self.c.bits / 8
        return (
            area / write_efficiency(self.c, n, self.ld[2], self._steps(l1)[1])
            if self.tags[2] == "RowMajor"
            else area
        )

    def _steps(self, l1: GemmShape) -> tuple[int, ...]:
        """The elements from one tile to the next in m, n and k; 0 if there is no next."""
        sizes = zip(l1, self.problem, strict=True)
        return tuple(tile if tile < extent else 0 for tile, extent in sizes)

    def _reduction(self, l1: GemmShape) -> float:
        """The seconds in which the vector cores add up the slices: they read all sums and write C."""
        slices = self.slices(l1)
        if slices == 1:
            return 0.0
        area = self.problem.m * self.problem.n
        sums = slices * area * accumulator(self.a, self.b).sizeof
        bandwidth = bandwidth_of(self.arch) if sums > self.arch.l2 else self.arch.l2_bandwidth
        return sums / bandwidth + area * self.c.bits / 8 / bandwidth_of(self.arch)

    def _from_gm(self, l1: GemmShape, bands: Bands, direction: int) -> _Both:
        """The bytes of A and of B that are not in L2 when a core loads them.

        If A and B fit L2 together, the cores read both once. If not, the order of the blocks decides.
        The cores go through bands of some tiles, and read the operand across the bands again for each
        band. At the turn from one band to the next they find a part of it in L2: the capacity without
        two bands, in whole tiles. If all bands run forth, they find all of it or nothing.

        The model is that of `facts.l2_reuse`, which makes a pass over the tasks. C takes no room in L2.
        """
        slices, l2 = self.slices(l1), self.arch.l2
        once = self._bytes(self.problem)
        sizes = [size / slices for size in once]  # the slices of k run one after another
        if sum(sizes) <= l2:
            return once
        along, across = (1, 0) if direction else (0, 1)  # the operand of the band, and the other one
        rows, columns = bands.rows, bands.columns
        band = min(rows, max(bands.height, -(-self.cores // columns)))
        panel, one = sizes[along] * band / rows, sizes[across] / columns
        missing = min(columns, max(0, ceil((sizes[across] + 2 * panel - l2) / one)))
        if bands.forth and columns > self.cores:  # each column is used as late as can be
            missing = columns if sizes[across] + panel > l2 else 0
        turns = bands.full if band == bands.height else -(-rows // band) - 1
        reads = [*once]
        reads[across] += turns * missing * one * slices
        if panel > l2:
            reads[along] *= -(-columns // -(-self.cores // band))
        return reads[0], reads[1]

    def _from_gm_by_columns(self, l1: GemmShape) -> _Both:
        """The bytes of A and of B that are not in L2, if each core goes down its own columns of blocks.

        All cores read one row of tiles of A at a time. They read all rows again for each column of a
        core, and find none of them in L2 unless all fit there, beside the columns of B that the cores
        are at and those before. B is read once, but for columns at which the cores are together and
        that do not fit L2: those they read again at each row.
        """
        l2, once = self.arch.l2, self._bytes(self.problem)
        if sum(once) <= l2:
            return once
        rows, columns = -(-self.problem.m // l1.m), -(-self.problem.n // (self.cores * l1.n))
        panel = once[1] * min(1.0, l1.n / self.problem.n)
        at_once = min(self.cores * panel, once[1])
        a = once[0] if once[0] + 2 * at_once <= l2 else once[0] * columns
        missing = min(at_once, panel * max(0, ceil((at_once - l2) / panel)))
        return a, once[1] + columns * (rows - 1) * missing


def _sums(numbers: list[int], parts: list[_Both]) -> _Both:
    a, b = (sum(n * part[i] for n, part in zip(numbers, parts, strict=True)) for i in (0, 1))
    return a, b


def _weighted_sum(parts: _Both, weights: _Both) -> float:
    return parts[0] * weights[0] + parts[1] * weights[1]


def _elements_in(tag: str, rows: int, columns: int, c0: int) -> int:
    """The elements that a copy of a tile moves; in fractals, whole ones."""
    if tag == "zN":
        return rounded_up(rows, FRACTAL_ROWS) * rounded_up(columns, c0)
    if tag == "nZ":
        return rounded_up(rows, c0) * rounded_up(columns, FRACTAL_ROWS)
    return rows * columns


def _cycles(load: Load, full: list[_Times], last: list[_Times]) -> float:
    """The cycles of a core."""
    time = sum(n * block.total for n, block in zip(load.counts, full, strict=True) if n)
    return time if load.last is None else time + last[load.last].total


def _of_pipes(load: Load, full: list[_Times], last: list[_Times]) -> list[float]:
    """The cycles of each pipe of a core."""
    terms = [(n, block.pipes) for n, block in zip(load.counts, full, strict=True) if n]
    if load.last is not None:
        terms.append((1, last[load.last].pipes))
    return [sum(n * pipes[i] for n, pipes in terms) for i in range(len(PIPES))]
