"""What CATLASS's host code decides before a kernel runs: padding, split-K factors, workspace, tiles.

>>> needs_padding("RowMajor", 1024, 511, "half")
True
>>> padded("PADDING_ND", "RowMajor", 1024, 511, "half").bytes
1048576
>>> splitk_factor((128, 256, 8192), (128, 256, 256), cores=24)
16

Each function has the arithmetic of the host without its 32-bit wraps. So it is right for problems of any
size.

Source: CATLASS examples/common/helper.hpp, gemm/kernel/padding_matmul.hpp, splitk_matmul.hpp,
multi_core_splitk_matmul_tla.hpp, examples/102_dynamic_optimized_matmul/include/utils.h.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from ..errors import KindError, LayoutError, LeafError, UnsupportedError
from ..ground import constexpr, described, shortened
from ..layouts import text_of
from ..numbers import ceil_div, is_tuple, known_divides, known_lt, leaf, round_up
from .arch import arch as arch_of
from .elements import Element, accumulator, element
from .shapes import gemm_shape, index_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .arch import Arch
    from .shapes import ShapeLike

PaddingKind: TypeAlias = Literal["PADDING_ND", "PADDING_BLOCK_ND", "PADDING_NZ"]
"""The layout of the padded copy: rows at multiples of 512 bytes, blocks of a tile, or fractals."""

_LINE_BITS: Final = 512 * 8
"""The core reads rows at full speed if they start at multiples of 512 bytes."""
_STRIDE_LIMIT: Final = 65536
_ROW: Final = 16
_AFTER: Final = {
    "PADDING_ND": {"RowMajor": "RowMajor", "ColumnMajor": "ColumnMajor"},
    "PADDING_BLOCK_ND": {"RowMajor": "PaddingRowMajor", "ColumnMajor": "PaddingColumnMajor"},
    "PADDING_NZ": {"RowMajor": "zN", "ColumnMajor": "nZ"},
}


# --- padding ---


@constexpr
def needs_padding(
    tag: str, rows: int, cols: int, element_type: str | Element, *, ld: int | None = None
) -> bool | None:
    """Whether a core reads a matrix at full speed only after padding; None if that depends on a symbol.

    The rows of RowMajor, the columns of ColumnMajor, must start at multiples of 512 bytes and less than
    65536 elements apart. A matrix in fractals never needs padding.

    >>> needs_padding("ColumnMajor", 4096, 100, "half"), needs_padding("zN", 20, 48, "half")
    (False, False)

    Raises:
        UnsupportedError: CATLASS pads no matrix of this tag.
        LayoutError: an extent is below 1, or the leading dimension is too short.
        LeafError: an extent is no int.
    Source: CATLASS examples/common/helper.hpp IsNeedPadding, with 512 bytes for its align.
    """
    of = element(element_type)
    if tag in ("zN", "nZ"):
        return False
    rows, cols = _extent("rows", rows), _extent("cols", cols)
    apart = _apart(tag, rows, cols, None if ld is None else _extent("ld", ld))
    is_short = known_lt(apart, _STRIDE_LIMIT)
    is_aligned = known_divides(_LINE_BITS // of.bits, apart)
    if is_short is False or is_aligned is False:
        return True
    return False if is_short and is_aligned else None


def _apart(tag: str, rows: int, cols: int, ld: int | None) -> int:
    """The elements from the start of one row, or column, to the next."""
    if tag not in ("RowMajor", "ColumnMajor"):
        pads = "It pads RowMajor and ColumnMajor; zN and nZ need none."
        raise UnsupportedError(f"CATLASS pads no matrix of tag {tag}", pads, tag=tag)
    least = cols if tag == "RowMajor" else rows
    _require_extents(rows, cols)
    if ld is not None and known_lt(ld, least):
        raise LayoutError(
            f"the leading dimension {ld} of {tag} is below its {least} elements", ld=ld, least=least
        )
    return least if ld is None else ld


def _extent(name: str, x: object) -> int:
    """An extent as a static, dynamic or symbolic int; a float or a bool is an error."""
    try:
        extent: int = leaf(x)
    except LeafError as error:
        raise LeafError(
            f"the {name} of the matrix: {error.summary}", *error.details, name=name
        ) from None
    return extent


def _require_extents(rows: int, cols: int, block: tuple[int, ...] = ()) -> None:
    if any(known_lt(x, 1) for x in (rows, cols, *block)):
        of_block = f" and its block {text_of(block)}" if block else ""
        raise LayoutError(
            f"an extent of the {rows} x {cols} matrix{of_block} is below 1", rows=rows, cols=cols
        )


class Padded(NamedTuple):
    """A matrix after padding: its layout, its extents, and the bytes of workspace for it.

    >>> matrix = padded("PADDING_NZ", "RowMajor", 100, 100, "half")
    >>> matrix.tag, matrix.rows, matrix.cols, matrix.bytes == 2 * 112 * 112
    ('zN', 112, 112, True)
    """

    kind: PaddingKind
    tag: str
    """The layout tag after padding."""
    rows: int
    cols: int
    """The extents with padding, in elements."""
    bytes: int


@constexpr
def padded(
    kind: PaddingKind,
    tag: str,
    rows: int,
    cols: int,
    element_type: str | Element,
    *,
    block: Sequence[int] | None = None,
) -> Padded:
    """Return a matrix after a kind of padding, with the bytes of workspace for it.

    >>> padded("PADDING_NZ", "RowMajor", 100, 100, "half")
    Padded(kind='PADDING_NZ', tag='zN', rows=112, cols=112, bytes=25088)

    Args:
        block: The rows and columns of a block, for PADDING_BLOCK_ND: (m1, k1) of A, (k1, n1) of B.

    Raises:
        UnsupportedError: there is no such kind or tag, or an element has less than a byte.
        LayoutError: an extent is below 1, or the block is missing.
        LeafError: an extent is no int.
    Source: CATLASS gemm/kernel/padding_matmul.hpp, GetWorkspaceSize.
    """
    of = element(element_type)
    if kind not in _AFTER:
        raise UnsupportedError(f"{kind!r} is no padding", f"Known: {', '.join(_AFTER)}.", kind=kind)
    if tag not in _AFTER[kind]:
        raise UnsupportedError(f"{kind} takes RowMajor or ColumnMajor, not {tag}", tag=tag)
    if of.bits % 8:
        raise UnsupportedError(f"padding moves whole bytes, and {of} has {of.bits} bits", element=of)
    rows, cols = _extent("rows", rows), _extent("cols", cols)
    if not isinstance(block, Iterable | None):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise KindError(f"a block is its rows and columns, not {described(block)}")
    extents = tuple([_extent("block", x) for x in block or ()])
    _require_extents(rows, cols, extents)
    if kind == "PADDING_ND":
        by_row, by_col = 1, _LINE_BITS // of.bits
    elif kind == "PADDING_NZ":
        by_row, by_col = _ROW, of.c0
    elif len(extents) != 2:
        raise LayoutError(f"{kind} needs the rows and columns of a block, not {block}", block=block)
    else:
        by_row, by_col = extents
    if tag == "ColumnMajor" and kind != "PADDING_BLOCK_ND":
        by_row, by_col = by_col, by_row
    tall, wide = round_up(rows, by_row), round_up(cols, by_col)
    return Padded(kind, _AFTER[kind][tag], tall, wide, of.bytes_of(tall * wide))


# --- split-K ---


@constexpr
def splitk_factor(problem: ShapeLike, tile: ShapeLike, cores: int) -> int:
    """Return the number of slices into which SplitkMatmul and PaddingSplitkMatmul cut k.

    The slices keep every core busy. There are at most 2, 4, 8 or 16 by the length of k, and at most one
    for each tile of k. There are at least 2 for k above 8192, and at least 4 above 32768.

    >>> splitk_factor((4096, 4096, 4096), (128, 256, 256), cores=24)
    1

    Raises:
        LayoutError: an extent is below 1, or there is no core.
    Source: CATLASS gemm/kernel/splitk_matmul.hpp GetSplitkFactor.
    """
    size, of = gemm_shape(problem, "problem"), gemm_shape(tile)
    _cores(cores)
    most = next((f for f, k in ((2, 1024), (4, 2048), (8, 4096)) if size.k <= k), 16)
    count = ceil_div(size.m, of.m) * ceil_div(size.n, of.n)
    factor = max(1, min(cores // count, most))
    if count < cores:
        # One more slice costs nothing if it shortens the share of each core by as much.
        while factor < most and ceil_div(count * factor, cores) >= ceil_div(count, cores) * factor:
            factor += 1
    factor = min(factor, ceil_div(size.k, of.k))
    least = 4 if size.k > 32768 else 2 if size.k > 8192 else 1
    return max(factor, least)


@constexpr
def multi_core_splitk_factor(problem: ShapeLike, tile: ShapeLike, cores: int) -> int:
    """Return the number of slices into which MultiCoreSplitkMatmulTla cuts k.

    It is the number of cores for each block of C, or two if there are more blocks than cores. There is
    at most one slice for each tile of k.

    >>> multi_core_splitk_factor((128, 256, 8192), (128, 256, 256), cores=24)
    24

    Raises:
        LayoutError: an extent is below 1, or there is no core.
    Source: CATLASS gemm/kernel/multi_core_splitk_matmul_tla.hpp GetSplitkFactor.
    """
    size, of = gemm_shape(problem, "problem"), gemm_shape(tile)
    _cores(cores)
    count = ceil_div(size.m, of.m) * ceil_div(size.n, of.n)
    return min(cores // count or 2, ceil_div(size.k, of.k))


SplitKernel: TypeAlias = Literal[
    "SplitkMatmul",
    "MultiCoreSplitkMatmulTla",
    "TailMultiCoreSplitkMatmulTla",
    "StreamkMatmul",
    "StreamkMatmulTla",
]
"""A kernel whose cores share a block of C, by the name of its class."""

_MIB: Final = 1 << 20


@constexpr
def workspace(
    kernel: SplitKernel,
    problem: ShapeLike,
    tile: ShapeLike,
    cores: int,
    elements: str | Element | tuple[str | Element, str | Element] = "half",
) -> int:
    """Return the bytes of workspace in which a split-K kernel keeps partial sums.

    >>> workspace("SplitkMatmul", (128, 256, 8192), (128, 256, 256), cores=24)
    2097152

    Raises:
        UnsupportedError: the kernel is not one of `SplitKernel`.
        LayoutError: an extent is below 1, or there is no core.
    Source: CATLASS gemm/kernel, GetWorkspaceSize of each.
    """
    size, of = gemm_shape(problem, "problem"), gemm_shape(tile)
    _cores(cores)
    each = accumulator(*_pair(elements)).sizeof
    whole, block = size.m * size.n * each, of.m * of.n * each
    if kernel == "SplitkMatmul":
        return whole * splitk_factor(size, of, cores)
    if kernel == "MultiCoreSplitkMatmulTla":
        return max(2 * _MIB, whole * multi_core_splitk_factor(size, of, cores))
    if kernel == "TailMultiCoreSplitkMatmulTla":
        return max(10 * _MIB, block * cores)
    if kernel in ("StreamkMatmul", "StreamkMatmulTla"):  # a core ends one block and begins another
        return max(2 * _MIB, block * cores * 2)
    known = "Known: SplitkMatmul, MultiCoreSplitkMatmulTla, TailMultiCoreSplitkMatmulTla, StreamkMatmul."
    raise UnsupportedError(f"{kernel!r} keeps no partial sums that are known here", known, kernel=kernel)


# --- tiles ---


@constexpr
def judge_space(
    m1: int, n1: int, k1: int, element_type: str | Element = "half", arch: str | Arch = "AtlasA2"
) -> bool:
    """Whether two stages of a tile of A and of B fit into L1, and their sums into L0C.

    >>> judge_space(128, 256, 256), judge_space(256, 256, 256)
    (True, False)

    Raises:
        LayoutError: an extent is below 1.
    Source: CATLASS examples/102_dynamic_optimized_matmul/include/utils.h JudgeSpace.
    """
    here, of = arch_of(arch), element(element_type)
    m1, n1, k1 = gemm_shape((m1, n1, k1))
    return of.bytes_of(2 * (m1 + n1) * k1) <= here.l1 and m1 * n1 * 4 <= here.l0c


@constexpr
def max_k1(
    m1: int, n1: int, element_type: str | Element = "half", arch: str | Arch = "AtlasA2"
) -> int | None:
    """Return the longest k1 of 1024, 512, 256 and 128 with which a tile fits; None if none fits.

    >>> max_k1(128, 256), max_k1(64, 64), max_k1(256, 256)
    (256, 1024, None)

    CATLASS answers 512 bytes of k if none fits.

    Raises:
        LayoutError: an extent is below 1.
    Source: CATLASS examples/102_dynamic_optimized_matmul/include/utils.h GetMaxK1.
    """
    fitting = (k1 for k1 in (1024, 512, 256, 128) if judge_space(m1, n1, k1, element_type, arch))
    return next(fitting, None)


@constexpr
def balance_workload(
    m: int, n: int, m1: int, n1: int, *, cores: int, threshold: int = 32
) -> tuple[int, int]:
    """Return the tile with the fewest rows, in steps of 16, at which no core gets more blocks.

    The tile is also cut to the matrix. For columns, exchange both pairs.

    >>> balance_workload(1000, 4096, 128, 256, cores=24)
    (112, 256)
    >>> balance_workload(100, 4096, 128, 256, cores=24)
    (112, 256)

    Args:
        threshold: The tile loses no rows once it has this many or fewer; at least 16.

    Raises:
        LayoutError: an extent is below 1, the threshold is below 16, or there is no core.
    Source: CATLASS examples/102_dynamic_optimized_matmul/include/utils.h BalanceWorkload.
    """
    m, n, _ = gemm_shape((m, n, 1), "problem")
    m1, n1, _ = gemm_shape((m1, n1, 1))
    _cores(cores)
    threshold = index_of("threshold", threshold)
    if threshold < _ROW:
        raise LayoutError(f"the threshold {threshold} is below 16 rows", threshold=threshold)
    across = ceil_div(n, n1)
    rounds = round_up(ceil_div(m, m1) * across, cores)
    # ceil_div(m, x) * across <= rounds  just where  x >= ceil_div(m, rounds // across)
    least = max(threshold, ceil_div(m, rounds // across) + _ROW - 1)
    m1 -= _ROW * max(0, ceil_div(m1 - least, _ROW))
    return min(m1, round_up(m, _ROW)), round_up(n, _ROW) if n < n1 else n1


# --- bytes moved ---

Scheme: TypeAlias = Literal["common", "splitk", "single_core_splitk"]
"""Where the slices of k are summed: in L0C alone, between cores, or by one core in global memory."""


@constexpr
def data_read(
    problem: ShapeLike,
    tile: ShapeLike,
    elements: str | Element | tuple[str | Element, str | Element] = "half",
    scheme: Scheme = "common",
) -> int:
    """Return the bytes of A and B that all blocks read from global memory or L2.

    The blocks read A once for each column of blocks, and B once for each row. That is
    MNK (1/m1 + 1/n1) elements if the tile divides the problem. With ``single_core_splitk`` they read A
    once.

    >>> data_read((1024, 1024, 512), (128, 256, 256)) == 2 * 1024 * 1024 * (512 // 128 + 512 // 256)
    True

    Raises:
        LayoutError: an extent is below 1.
        UnsupportedError: there is no such way to divide k.
    Source: CATLASS docs/en/2_Design/01_kernel_design/04_matmul_summary.md.
    """
    size, of = gemm_shape(problem, "problem"), gemm_shape(tile)
    a, b = _pair(elements)
    times = 1 if _scheme(scheme) == "single_core_splitk" else ceil_div(size.n, of.n)
    return a.bytes_of(size.m * size.k * times) + b.bytes_of(size.k * size.n * ceil_div(size.m, of.m))


@constexpr
def data_written(
    problem: ShapeLike,
    tile: ShapeLike,
    element_type: str | Element = "half",
    scheme: Scheme = "common",
    *,
    factor: int = 1,
) -> int:
    """Return the bytes that the cube cores write: C once, or its partial sums once for each slice of k.

    >>> data_written((1024, 1024, 512), (128, 256, 256), "float", "single_core_splitk")
    8388608

    Args:
        element_type: The type of C; with slices, the type of the sums.
        factor: The number of slices of k, with the scheme ``splitk``.

    Raises:
        LayoutError: an extent or the factor is below 1.
        UnsupportedError: there is no such way to divide k.
    Source: CATLASS docs/en/2_Design/01_kernel_design/04_matmul_summary.md.
    """
    size, of = gemm_shape(problem, "problem"), gemm_shape(tile)
    factor = index_of("factor", factor)
    if factor < 1:
        raise LayoutError(f"k is cut into at least 1 slice, not {factor}", factor=factor)
    slices = {"common": 1, "splitk": factor, "single_core_splitk": ceil_div(size.k, of.k)}
    return element(element_type).bytes_of(size.m * size.n * slices[_scheme(scheme)])


def _pair(elements: str | Element | tuple[str | Element, str | Element]) -> tuple[Element, Element]:
    """The element types of A and B; a single type is that of both."""
    if isinstance(elements, (str, Element)):
        return element(elements), element(elements)
    if not is_tuple(elements) or len(elements) != 2:
        raise KindError(f"expected the element types of A and B, got {shortened(repr(elements))}")
    a, b = elements
    return element(a), element(b)


def _scheme(scheme: Scheme) -> Scheme:
    if scheme not in ("common", "splitk", "single_core_splitk"):
        schemes = "Known: common, splitk, single_core_splitk."
        raise UnsupportedError(f"{scheme!r} is no way to divide k", schemes, scheme=scheme)
    return scheme


def _cores(cores: int) -> None:
    if index_of("cores", cores) < 1:
        raise LayoutError(f"there is at least 1 core, not {cores}", cores=cores)
