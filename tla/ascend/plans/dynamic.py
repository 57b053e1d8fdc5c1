# SPDX-License-Identifier: Apache-2.0
"""The kernel, tile and padding that CATLASS's generalised matmul chooses for a 16-bit product.

>>> print(choose_kernel((1024, 1024, 1024), ("RowMajor", "ColumnMajor")))
CommonMatmul, tile GemmShape<128,176,256>, GemmIdentityBlockSwizzle<3,1>, 48 blocks on 24 cores
>>> choose_kernel((128, 256, 8192)).splitk
16

CATLASS fitted the rules to A2 and A3. Two stages of a tile fit into L1, and its sums into L0C.

Source: CATLASS examples/102_dynamic_optimized_matmul, include/do_tiling_b16.h, select_kernel_b16.h.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from ...errors import UnsupportedError
from ...numbers import ceil_div, round_up
from ..arch import arch as arch_of
from ..decisions import balance_workload, judge_space, max_k1
from ..shapes import GemmShape, gemm_shape

if TYPE_CHECKING:
    from ..arch import Arch
    from ..shapes import ShapeLike

_NONE: Final = "PADDING_NONE"
_BYTES: Final = 2
_LONG: Final = 65536
"""If rows lie this many elements apart or more, a copy moves one row."""
_L2: Final = 192 << 20
_NARROW: Final = (128, 256, 256)
_TALL: Final = (256, 128, 256)


class Choice(NamedTuple):
    """A choice of CATLASS's generalised matmul: the kernel, its tile, and the padding before it."""

    kernel: str
    problem: GemmShape
    tile: GemmShape
    """The tile in L1. AivMatmul, which runs on the vector cores for k = 1, has k = 0."""
    padding: tuple[str, str, str]
    """The paddings of A, B and C: PADDING_NONE, PADDING_ND or PADDING_NZ."""
    splitk: int
    block_dim: int
    """The number of cores; for AivMatmul, of vector cores."""
    swizzle: str

    def __str__(self) -> str:
        pads = [f"{what} {of}" for what, of in zip(self.padding, "ABC", strict=True) if what != _NONE]
        parts = [self.kernel, f"tile {self.tile}", *pads]
        if self.splitk > 1:
            parts.append(f"k in {self.splitk} slices")
        blocks = _blocks(self.problem, self.tile.m, self.tile.n) * self.splitk
        return f"{', '.join(parts)}, {self.swizzle}, {blocks} blocks on {self.block_dim} cores"


def choose_kernel(
    problem: ShapeLike,
    tags: tuple[str, str] = ("RowMajor", "RowMajor"),
    arch: str | Arch = "AtlasA2",
) -> Choice:
    """Return the choice of CATLASS's generalised matmul for A and B of half or bfloat16_t, C row major.

    >>> choice = choose_kernel((1024, 576, 6144))
    >>> print(choice.kernel, choice.tile, choice.swizzle)
    PaddingCommonMatmul GemmShape<128,256,256> GemmIdentityBlockSwizzle<3,0>

    Args:
        tags: The tags of A and B, RowMajor or ColumnMajor. Neither has gaps between its lines.

    Raises:
        UnsupportedError: a tag is another one, or the rules are not for the architecture.
    """
    size, here = gemm_shape(problem, "problem"), arch_of(arch)
    for tag in tags:
        if tag not in ("RowMajor", "ColumnMajor"):
            raise UnsupportedError(f"the generalised matmul takes no {tag}", tag=tag)
    if here.code != 2201:
        raise UnsupportedError(f"the generalised matmul is fitted to AtlasA2 and AtlasA3, not {here}")
    tile = dynamic_tile(size, tags, here)
    # A single row has the same bytes in both tags, and a core reads it faster as a row.
    a = "RowMajor" if size.m == 1 else tags[0]
    b = "ColumnMajor" if size.n == 1 else tags[1]
    swizzle = f"GemmIdentityBlockSwizzle<3,{0 if size.m > size.n else 1}>"
    choice = (
        _on_vector_cores(size, here)
        or _split(size, tile, (a, b), here.cores)
        or _local_c(size, tile, (a, b), here.cores)
        or _common(size, tile, (a, b), here.cores)
    )
    return choice._replace(swizzle=swizzle)


# --- the tile ---


def dynamic_tile(problem: ShapeLike, tags: tuple[str, str], arch: str | Arch = "AtlasA2") -> GemmShape:
    """Return the tile in L1 for a problem.

    Its rows are long enough to read fast. Then it balances the blocks over the cores, in few rounds.

    >>> dynamic_tile((1024, 4096, 4096), ("RowMajor", "RowMajor"))
    GemmShape(m=128, n=256, k=256)
    """
    size, here = gemm_shape(problem, "problem"), arch_of(arch)
    a, b = tags
    if a == b:  # the long side is n for rows, and m for columns
        by_row = a == "RowMajor"
        short, long = _short_and_long((size.m, size.n) if by_row else (size.n, size.m), size.k, here)
        m1, n1 = (short, long) if by_row else (long, short)
        if not by_row and _ratio(size) < 0.1 and size.n >= 256:  # writing C takes the most time
            m1, n1, _ = _NARROW
    elif a == "RowMajor":
        m1, n1 = _either_side(size, here)
    else:
        m1, n1 = _both_sides(size, here.cores)
    return GemmShape(m1, n1, max_k1(m1, n1, "half", here) or 256)


def _ratio(size: GemmShape) -> float:
    return (size.m * size.k + size.k * size.n) / (size.m * size.n)


def _short_and_long(sides: tuple[int, int], k: int, arch: Arch) -> tuple[int, int]:
    """The short and the long side of a tile, if the lines of one matrix run along the long side."""
    m, n = sides
    m1, n1, cores = 128, 256, arch.cores
    if n >= 256:
        rounds = round_up(ceil_div(m, m1) * ceil_div(n, n1), cores)
        m1, n1 = balance_workload(m, n, m1, n1, cores=cores)
        if ceil_div(m, 64) * ceil_div(n, 512) <= rounds - cores and k <= 128:
            m1, n1 = 64, 512
    else:
        n1 = round_up(n, 16)
        m1 = _grow(m, m1, n, n1, arch)
        m1, n1 = balance_workload(m, n, m1, n1, cores=cores)
    return (128, 256) if k >= _LONG or n >= _LONG else (m1, n1)


def _grow(m: int, m1: int, n: int, n1: int, arch: Arch) -> int:
    """The largest side that saves whole rounds over `m1` and, with k1 = 256, still fits."""
    across, rounds = ceil_div(n, n1), round_up(ceil_div(m, m1) * ceil_div(n, n1), arch.cores)
    side = m1 + 16
    while judge_space(side, n1, 256, "half", arch):
        if ceil_div(m, side) * across <= rounds - arch.cores:
            m1 = side
        side += 16
    return m1


def _either_side(size: GemmShape, arch: Arch) -> tuple[int, int]:
    """The tile if both matrices have lines along k: every size reads as fast, so balance decides."""
    m, n, k = size
    ratio = _ratio(size)

    def rows(m1: int, n1: int) -> tuple[int, int]:
        return balance_workload(m, n, m1, n1, cores=arch.cores, threshold=64)

    def cols(m1: int, n1: int) -> tuple[int, int]:
        n1, m1 = balance_workload(n, m, n1, m1, cores=arch.cores, threshold=64)
        return m1, n1

    if m > n and (ratio > 0.1 or n < 256):
        m1, n1 = cols(*rows(256, 128))
    else:
        m1, n1 = rows(*cols(128, 256))
    if m < n:
        m1, n1 = cols(*rows(m1, _grow(n, n1, m, m1, arch)))
    else:
        m1, n1 = rows(*cols(_grow(m, m1, n, n1, arch), n1))
    if k >= _LONG:
        return _wide(size, ratio)
    return m1, n1


def _wide(size: GemmShape, ratio: float) -> tuple[int, int]:
    narrow = size.m < size.n or (ratio < 0.1 and size.n >= 256)
    m1, n1, _ = _NARROW if narrow else _TALL
    return m1, n1


def _both_sides(size: GemmShape, cores: int) -> tuple[int, int]:
    """The tile if A has lines along m and B along n; it is halved if half of the cores are idle."""
    m, n, _ = size
    ratio = _ratio(size)
    m1, n1, _ = _TALL if m > n and (ratio > 0.1 or n < 256) else _NARROW
    m1, n1 = min(m1, round_up(m, 16)), min(n1, round_up(n, 16))
    blocks = ceil_div(m, m1) * ceil_div(n, n1)
    if blocks <= cores // 4:
        m1, n1 = (m1 // 2 if m1 > 16 else m1), (n1 // 2 if n1 > 16 else n1)
    elif blocks <= cores // 2:
        if m1 > n1:
            m1 //= 2
        elif n1 > 16:
            n1 //= 2
    if m >= _LONG or n >= _LONG:
        m1, n1 = _wide(size, ratio)
    return m1 // 16 * 16, n1 // 16 * 16


# --- the kernel ---


def _on_vector_cores(size: GemmShape, arch: Arch) -> Choice | None:
    """The choice for k = 1: the vector cores multiply a column by a row."""
    if size.k != 1:
        return None
    cores = arch.cores * 2
    m, n, _ = size
    scalars = 256 * _BYTES
    if m <= n or n > 64:
        n1 = min(max(round_up(n, 16), 64), 16384)
        m1 = ceil_div(m, ceil_div(cores, ceil_div(n, n1)))
        most = min(64, (arch.ub - scalars - n1 * _BYTES) // (n1 * _BYTES))
        if m1 > most:
            m1 = most * 4 if n1 >= 8192 else most
        m1, n1 = _least(m, n, m1, n1, cores)
    else:
        n1 = round_up(n, 16)
        most = (arch.ub - scalars) // 2 // (1 + n1 * 2) // 16 * 16
        m1 = min(round_up(128 if m <= 4096 else ceil_div(m, cores), 16), most)
        rounds = ceil_div(_blocks(size, m1, n1), cores)
        while m1 - 16 > 112 and ceil_div(_blocks(size, m1 - 16, n1), cores) == rounds:
            m1 -= 16
    tile = GemmShape(m1, n1, 0)
    return Choice(
        "AivMatmul", size, tile, (_NONE, _NONE, _NONE), 1, min(_blocks(size, m1, n1), cores), ""
    )


def _least(m: int, n: int, m1: int, n1: int, cores: int) -> tuple[int, int]:
    """The tile with the fewest rows, then the fewest columns in steps of 16, in as many rounds."""
    rounds = ceil_div(ceil_div(m, m1) * ceil_div(n, n1), cores)
    while m1 > 2 and ceil_div(ceil_div(m, m1 - 1) * ceil_div(n, n1), cores) == rounds:
        m1 -= 1
    while n1 - 16 > 64 and ceil_div(ceil_div(m, m1) * ceil_div(n, n1 - 16), cores) == rounds:
        n1 -= 16
    return m1, n1


def _common(size: GemmShape, tile: GemmShape, tags: tuple[str, str], cores: int) -> Choice:
    """The kernels that compute each block on one core."""
    padding, block_dim = _padding(size, tile, 1, tags, cores)
    blocks = _blocks(size, tile.m, tile.n)
    if any(what != _NONE for what in padding):
        return Choice("PaddingCommonMatmul", size, tile, padding, 1, block_dim, "")
    small = blocks <= cores and size.k <= tile.k
    name = "SmallMatmul" if small else "CommonMatmul"
    return Choice(name, size, tile, padding, 1, min(blocks, cores), "")


def _split(size: GemmShape, tile: GemmShape, tags: tuple[str, str], cores: int) -> Choice | None:
    """The kernels whose cores share blocks along k, for few blocks or a half empty last round."""
    m, n, k = size
    if _common(size, tile, tags, cores).kernel == "SmallMatmul":
        return None
    columns = tags[0] == "ColumnMajor" and (tags[1] == "ColumnMajor" or m > n)
    fast = GemmShape(*(_TALL if columns else _NARROW))
    blocks = _blocks(size, fast.m, fast.n)
    if (blocks <= cores // 2 and k > 5120) or (blocks <= 2 and k > 1024):
        limits = ((12288, cores), (4097, 16), (2049, 8), (1025, 4))
        factor = min(cores // blocks, next(most for least, most in limits if k >= least))
        padding, block_dim = _padding(size, fast, factor, tags, cores)
        padding = (*padding[:2], _NONE)
        return Choice("PaddingMultiCoreSplitkMatmul", size, fast, padding, factor, block_dim, "")
    if cores < blocks < 8 * cores and 0 < blocks % cores < 0.8 * cores and k > 3072:
        padding, _ = _padding(size, fast, 1, tags, cores)
        padding = (*padding[:2], _NONE)
        return Choice("PaddingStreamkMatmul", size, fast, padding, 1, cores, "")
    return None


def _local_c(size: GemmShape, tile: GemmShape, tags: tuple[str, str], cores: int) -> Choice | None:
    """The kernel that pads C block by block, if all data together exceed L2."""
    m, n, k = size
    if not (m * n > 2048 * 2048 and n > 256 and n % 256):
        return None
    read = m * k * ceil_div(n, 256) + k * n * ceil_div(m, 128)
    if (read + m * n) * _BYTES < _L2 or read / (m * n) >= 16:
        return None
    padding, block_dim = _padding(size, tile, 1, tags, cores)
    fast = GemmShape(*_NARROW)
    name = "LocalPaddingCPaddingCommonMatmul"
    return Choice(name, size, fast, (*padding[:2], "PADDING_ND"), 1, block_dim, "")


# --- whether to pad ---


def bandwidth(n_value: int, d_value: int, src_d_value: int) -> float:
    """Return the GB/s at which one core reads n rows of d elements, which start src_d elements apart.

    >>> round(bandwidth(128, 256, 4096), 1), round(bandwidth(128, 256, 4095), 1)
    (80.0, 25.0)

    The formula is CATLASS's fit to measurements on A2 with 16-bit elements.
    Source: CATLASS examples/102_dynamic_optimized_matmul/include/select_kernel_b16.h GetBandwidth.
    """
    d = float(d_value)
    rate = _polynomial(_BY_WIDTH, d)
    if d_value == src_d_value and d_value <= 128 and d_value % 16 == 0:
        rate = 60.0
    if src_d_value >= _LONG:
        rate = 1.0
    gain = next((g for by, g in _BY_STRIDE if src_d_value % by == 0), None)
    rate = min(rate if gain is None else gain / 30 * rate, 80.0)
    for by, least, fit in _BY_ROWS:
        if d_value % by == 0:
            return rate * _polynomial(fit, float(n_value)) if n_value < least else rate
    raise AssertionError("the last width divides every other")


def _polynomial(coefficients: tuple[float, ...], x: float) -> float:
    top = len(coefficients) - 1
    total = 0.0  # term by term: `sum` rounds differently since Python 3.12
    for i, c in enumerate(coefficients):
        total += c * x ** (top - i)
    return total


_BY_WIDTH: Final = (
    0.000000000000020146121020, -0.000000000012456944162142, -0.000000006738536427145036,
    0.000007301215580838747961, -0.002146456956750821074703, 0.312849910814454512664184, 0.1,
)  # fmt: skip
_BY_STRIDE: Final = ((256, 100.0), (128, 80.0), (64, 50.0), (16, 40.0))
_BY_ROWS: Final = (
    (256, 16, (-0.003332381309698882569659, 0.113578920178116271610946, 0.016102868630357251855667)),
    (32, 32, (-0.000298086120946179481978, 0.045309519479127147167929, 0.035130178145161221336945)),
    (1, 64, (0.000001809180573350345869, -0.000469676727179688081274,
             0.038963259596073690493867, 0.003942641759904389614499)),
)  # fmt: skip


class _Operand(NamedTuple):
    """A or B as the cores read it: its lines, their length, and the part in a tile."""

    outer: int
    inner: int
    n_value: int
    d_value: int
    bytes: int
    """The bytes that the busiest cube core reads."""
    across: int
    """The number of blocks along the side of C that it shares."""


def _padding(
    size: GemmShape, tile: GemmShape, splitk: int, tags: tuple[str, str], cores: int
) -> tuple[tuple[str, str, str], int]:
    """The paddings of A, B and C by the times of the model, and the number of cores that then work."""
    m, n, k = size
    down, across = ceil_div(m, tile.m), ceil_div(n, tile.n)
    block_dim = min(down * across * splitk, cores)
    rounds = ceil_div(down * across * splitk, cores)
    share = rounds * ceil_div(k, splitk) * _BYTES
    a = _operand((m, k), (tile.m, tile.k), tags[0], share * min(m, tile.m), down)
    b = _operand((k, n), (tile.k, tile.n), tags[1], share * min(n, tile.n), across)
    head = 1.0 if splitk > 1 else 1 + 7 * block_dim / cores
    plain = [_time_plain(x, block_dim, k <= tile.k) for x in (a, b)]
    after = [_time_after(x) for x in (a, b)]
    before = [_time_padding(x, cores) for x in (a, b)]
    times = (
        (plain[0] + plain[1], ()),
        (plain[0] + after[1] + before[1] + head, (1,)),
        (after[0] + plain[1] + before[0] + head, (0,)),
        (after[0] + after[1] + before[0] + before[1] + head + 2, (0, 1)),
    )
    best = min(times, key=lambda entry: entry[0])[1]  # the first of equals
    pads = [i in best or _hard_to_read(x) for i, x in enumerate((a, b))]
    tasks = [_tasks(x)[0] for x, pad in zip((a, b), pads, strict=True) if pad and x.inner > 192]
    if any(pads):
        block_dim = max(block_dim, min(ceil_div(max(tasks, default=0), 2), cores))
    c_read = (m * k * across + k * n * down + m * n) * _BYTES
    pad_c = m * n > 2048 * 2048 and n > 256 and n % 128 != 0 and c_read < _L2
    names = ["PADDING_NZ" if pad else _NONE for pad in pads]
    return (names[0], names[1], "PADDING_ND" if pad_c else _NONE), block_dim


def _operand(
    extents: tuple[int, int], tile: tuple[int, int], tag: str, read: int, across: int
) -> _Operand:
    (rows, cols), (by_row, by_col) = extents, tile
    if tag == "ColumnMajor":
        rows, cols, by_row, by_col = cols, rows, by_col, by_row
    return _Operand(rows, cols, min(rows, by_row), min(cols, by_col), read, across)


def _time_plain(x: _Operand, block_dim: int, short: bool) -> float:
    """The microseconds to read a matrix without padding."""
    rate = bandwidth(x.n_value, x.d_value, x.inner)
    if x.across < block_dim // 2 and short and x.across <= 2:  # many cores read the same lines
        rate = rate / (block_dim // x.across) * 1.5
    return x.bytes / rate / 1000


def _time_after(x: _Operand) -> float:
    """The microseconds to read a matrix after padding."""
    rate = 80.0 * (x.n_value / 16) if x.n_value < 16 else 80.0
    return x.bytes / rate / 1000


def _time_padding(x: _Operand, cores: int) -> float:
    """The microseconds in which the vector cores pad a matrix."""
    tasks, rows, cols = _tasks(x)
    rate = 10.0 if x.outer * x.inner * _BYTES > _L2 else 30.0
    return ceil_div(tasks, cores * 2) * cols * rows * _BYTES / rate / 1000


def _tasks(x: _Operand) -> tuple[int, int, int]:
    """The number of pieces in which the vector cores pad a matrix, and the rows and columns of each."""
    rows, cols = min(16, x.outer), min(48 * 1024 // _BYTES // 16, x.inner)
    cols = round_up(x.inner // ceil_div(x.inner, cols), 16)
    return ceil_div(x.outer, rows) * ceil_div(x.inner, cols), rows, cols


def _hard_to_read(x: _Operand) -> bool:
    """Whether a matrix needs padding at any cost: lines are too short, or so long that they clash."""
    short = (x.inner < 8 or (x.inner < 32 and x.inner % 16 != 0)) and x.outer > 512
    return short or (x.outer >= 2048 and x.inner > 8192 and x.inner % 8192 == 0)


def _blocks(size: GemmShape, m1: int, n1: int) -> int:
    return ceil_div(size.m, m1) * ceil_div(size.n, n1)
