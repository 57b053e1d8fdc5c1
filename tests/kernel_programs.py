"""What kernels do with layouts, each a function of its sizes, written once for any kind of int.

A program returns what a kernel wants to know: layouts, offsets, counts, sizes of buffers. Its sizes are
declared as the host knows them: by what they are divided, and between which ends they lie.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import tla
from tla import ComposedLayout, Layout, Swizzle, _, _1, _16, ceil_div, max_, min_, round_up
from tla.numbers import sym

if TYPE_CHECKING:
    from collections.abc import Callable


class Size(NamedTuple):
    """What is known of a size; its ends may depend on the sizes that are declared before it."""

    divisor: int
    least: Callable[[dict[str, Any]], Any]
    greatest: Callable[[dict[str, Any]], Any] | None
    spread: int
    """How many multiples of the divisor above the least value are tried where there is no greatest."""

    def symbol(self, name: str, known: dict[str, Any]) -> Any:
        greatest = None if self.greatest is None else self.greatest(known)
        return sym(name, divisible_by=self.divisor, min=self.least(known), max=greatest)

    def ends(self, known: dict[str, int]) -> tuple[int, int]:
        """The least and the greatest value to try, in divisors."""
        least = ceil_div(self.least(known), self.divisor)
        if self.greatest is None:
            return least, least + self.spread
        return least, self.greatest(known) // self.divisor


def size(divisor: int = 1, least: Any = 1, greatest: Any = None, spread: int = 40) -> Size:
    """A size; an end is an int, or a function of the sizes before."""
    return Size(divisor, _end(least), None if greatest is None else _end(greatest), spread)


def _end(end: Any) -> Callable[[dict[str, Any]], Any]:
    return end if callable(end) else lambda _known: end


def index(count: Callable[[dict[str, Any]], Any]) -> Size:
    """A coordinate below a count."""
    return size(least=0, greatest=lambda known: count(known) - 1)


def of(name: str) -> Callable[[dict[str, Any]], Any]:
    """The size of a name."""
    return lambda known: known[name]


def tiles(name: str, tile: int) -> Callable[[dict[str, Any]], Any]:
    """How many tiles a size has."""
    return lambda known: ceil_div(known[name], tile)


class Program(NamedTuple):
    """A function of sizes, with what is known of them."""

    name: str
    run: Callable[..., Any]
    sizes: dict[str, Size]

    def symbols(self) -> dict[str, Any]:
        """Each size as a symbolic int."""
        known: dict[str, Any] = {}
        for name, declared in self.sizes.items():
            known[name] = declared.symbol(name, known)
        return known

    def values(self, count: int, seed: int = 0) -> list[dict[str, int]]:
        """Values for the sizes: the least of all, of each alone, then random ones, no two alike."""
        random = Random(f"{self.name} {seed}")
        found: dict[tuple[int, ...], dict[str, int]] = {}
        names = list(self.sizes)
        for i in range(4 * count):
            least = set(names) if i == 0 else {names[i - 1]} if i <= len(names) else set()
            known: dict[str, int] = {}
            for name, declared in self.sizes.items():
                low, high = declared.ends(known)
                n = low if name in least else random.randint(low, high)
                known[name] = n * declared.divisor
            found.setdefault(tuple(known.values()), known)
            if len(found) == count:
                break
        return list(found.values())


PROGRAMS: Final[list[Program]] = []


def program(**sizes: Size) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Take a function in as a program."""

    def take(run: Callable[..., Any]) -> Callable[..., Any]:
        PROGRAMS.append(Program(run.__name__, run, sizes))  # ty: ignore[missing-attribute]
        return run

    return take


# --- operands of a matrix product -------------------------------------------------------------


@program(m=size(), k=size(), ld=size(least=of("k")), i=index(of("m")), j=index(of("k")))
def row_major_operand(m: Any, k: Any, ld: Any, i: Any, j: Any) -> Any:
    a = Layout((m, k), (ld, 1))
    return a, a.size, a.cosize, a(i, j), tla.is_injective(a), tla.get(a, 0), tla.get(a, 1)


@program(k=size(), n=size(), ld=size(8, least=of("k")), i=index(of("k")), j=index(of("n")))
def col_major_operand(k: Any, n: Any, ld: Any, i: Any, j: Any) -> Any:
    b = Layout((k, n), (1, ld))
    transposed = tla.select(b, 1, 0)
    return b, b.cosize, b(i, j), transposed, transposed(j, i), tla.is_injective(b)


@program(
    m=size(),
    n=size(),
    ld=size(8, least=of("n")),
    bi=index(tiles("m", 128)),
    bj=index(tiles("n", 256)),
)
def tile_of_an_output_with_tails(m: Any, n: Any, ld: Any, bi: Any, bj: Any) -> Any:
    c = Layout((m, n), (ld, 1))
    tile = tla.get_tile_layout(c, (128, 256), (bi * 128, bj * 256))
    rows, cols = tile.origin_shape
    return tile, tile.valid_size, rows, cols, c(bi * 128, bj * 256)


@program(m=size(128, spread=6), k=size(64, spread=6), ld=size(least=of("k")))
def operand_in_tiles(m: Any, k: Any, ld: Any) -> Any:
    a = Layout((m, k), (ld, 1))
    return (
        tla.zipped_divide(a, (128, 64)),
        tla.tiled_divide(a, (128, 64)),
        tla.flat_divide(a, (128, 64)),
        tla.logical_divide(a, (128, 64)),
        tla.zipped_divide(a, (128, 64), exact=True),
    )


@program(
    m=size(128, spread=6), k=size(64, spread=6), bi=index(tiles("m", 128)), bk=index(tiles("k", 64))
)
def local_tile(m: Any, k: Any, bi: Any, bk: Any) -> Any:
    """CuTe's ``local_tile``: the tiles of an operand, one of them taken out."""
    tiled = tla.zipped_divide(tla.row_major(m, k), (128, 64))
    tile, offset = tla.slice_and_offset(((_, _), (bi, bk)), tiled)
    along_k, start = tla.slice_and_offset(((_, _), (bi, _)), tiled)
    return tile, offset, along_k, start


@program(m=size(), k=size())
def operand_rounded_up_to_tiles(m: Any, k: Any) -> Any:
    """A tile that does not divide: the last mode grows, as in CuTe."""
    return tla.zipped_divide(tla.row_major(m, k), (32, 16)), ceil_div(m, 32) * ceil_div(k, 16)


@program(
    tm=size(16, spread=4),
    tn=size(16, spread=4),
    gm=size(spread=6),
    gn=size(spread=6),
    bi=index(of("gm")),
    bj=index(of("gn")),
)
def tile_of_symbolic_extents(tm: Any, tn: Any, gm: Any, gn: Any, bi: Any, bj: Any) -> Any:
    """The tile itself is chosen by the host at run time."""
    c = tla.row_major(tm * gm, tn * gn)
    tile = tla.make_layout_tile(c, (tm, tn))
    tiled = tla.zipped_divide(c, (tm, tn))
    at, offset = tla.slice_and_offset(((_, _), (bi, bj)), tiled)
    return tile, tiled, at, offset, tla.get_tile_layout(c, (tm, tn), (bi * tm, bj * tn))


@program(m=size(), n=size(), tm=size(16, spread=4), tn=size(16, spread=4))
def last_tile_of_symbolic_extents(m: Any, n: Any, tm: Any, tn: Any) -> Any:
    c = tla.row_major(m, n)
    at = ((ceil_div(m, tm) - 1) * tm, (ceil_div(n, tn) - 1) * tn)
    tile = tla.get_tile_layout(c, (tm, tn), at)
    return tile, c(*at), tile.valid_size


@program(m=size(), k=size(), tm=size(spread=20), tk=size(spread=20))
def tiles_of_any_extents(m: Any, k: Any, tm: Any, tk: Any) -> Any:
    """Neither divides the other; the last tiles grow past the matrix."""
    a = tla.row_major(m, k)
    tiled = tla.zipped_divide(a, (tm, tk))
    return tiled, tla.logical_divide(a, (None, tk)), tla.complement(Layout(tm), m)


@program(m=size(), k=size())
def tail_rows(m: Any, k: Any) -> Any:
    """Whole tiles first, then what is left, which may be nothing."""
    a = tla.row_major(m, k)
    whole, rest = m // 128 * 128, m % 128
    tail = tla.get_tile_layout(a, (128, k), (whole, 0))
    return tail, rest, whole + rest, a.extended(whole, 0), tail.origin_shape, max_(rest, 1)


@program(k=size(), t=index(tiles("k", 64)))
def k_loop(k: Any, t: Any) -> Any:
    """The actual depth of each step, and the stage of a double buffer that it uses."""
    actual = min_(64, k - t * 64)
    stage = t % 2 * (128 * 64 * 2)
    return actual, round_up(actual, 16), stage, ceil_div(k, 64), ceil_div(actual, 16)


# --- fractal formats --------------------------------------------------------------------------


@program(m=size(), k=size(), bi=index(tiles("m", 128)), bk=index(tiles("k", 256)))
def tile_of_zn(m: Any, k: Any, bi: Any, bk: Any) -> Any:
    a = tla.zN(m, k)
    tile = tla.get_tile_layout(a, (128, 256), (bi * 128, bk * 256))
    return a, a.size, a.cosize, a.valid_size, tile, a(bi * 128, bk * 256)


@program(m=size(), k=size(), bi=index(tiles("m", 64)), bk=index(tiles("k", 128)))
def tile_of_nz(m: Any, k: Any, bi: Any, bk: Any) -> Any:
    a = tla.nZ(m, k)
    tile = tla.get_tile_layout(a, (64, 128), (bi * 64, bk * 128))
    return a, a.cosize, tile, a(bi * 64, bk * 128), tla.is_injective(a)


@program(m=size(), k=size(), i=index(of("m")), j=index(of("k")))
def elements_of_zz_and_nn(m: Any, k: Any, i: Any, j: Any) -> Any:
    a, b = tla.zZ(m, k, (16, 32)), tla.nN(m, k)
    return a, b, a.cosize, b.cosize, a(i, j), b(i, j)


@program(m=size(16), n=size(16))
def aligned_fractals(m: Any, n: Any) -> Any:
    """No padding: every format is a permutation of the same memory."""
    all_of_them = [make(m, n) for make in (tla.zN, tla.nZ, tla.zZ, tla.nN)]
    return (
        *all_of_them,
        *(tla.coalesce(x) for x in all_of_them),
        *(x.cosize for x in all_of_them),
        *(tla.is_bijective(x) for x in all_of_them),
    )


@program(m=size(16), n=size(16), i=index(tiles("m", 16)), j=index(tiles("n", 16)))
def slices_of_zn(m: Any, n: Any, i: Any, j: Any) -> Any:
    a = tla.zN(m, n)
    block, start = tla.slice_and_offset(((_, i), (_, j)), a)
    column, at = tla.slice_and_offset(((_, i), (3, _)), a)
    return block, start, column, at, a[_, (_, j)], tla.group(tla.flat_divide(a, (16, 16)), 0, 2)


@program(m=size(), n=size(), c0=size(8, greatest=64))
def fractals_of_any_width(m: Any, n: Any, c0: Any) -> Any:
    """The width of a block follows from the element type, which the host may leave open."""
    a = tla.zN(m, n, (_16, c0))
    return a, a.cosize, tla.nZ(m, n, (c0, _16))


@program(m=size(128, spread=4), k=size(64, spread=4))
def exact_tile_of_zn(m: Any, k: Any) -> Any:
    a = tla.zN(m, k)
    return tla.make_layout_tile(a, (128, 64)), tla.zipped_divide(a, (128, 64))


@program(
    m=size(),
    k=size(),
    bi=index(tiles("m", 128)),
    bk=index(tiles("k", 256)),
    ki=size(least=0, greatest=3),
)
def gm_to_l1_to_l0(m: Any, k: Any, bi: Any, bk: Any, ki: Any) -> Any:
    """A row-major operand, its tile in L1 as zN with rows rounded up, a slice of that for L0 as zZ."""
    a = tla.row_major(m, k)
    rows, depth = min_(128, m - bi * 128), min_(256, k - bk * 256)
    l1 = tla.zN(rows, depth)
    slice_of_l1 = tla.get_tile_layout(l1, (128, 64), (0, ki * 64))
    l0 = tla.zZ(rows, 64)
    return l1, l1.cosize, slice_of_l1, l0, l0.cosize, a(bi * 128, bk * 256), l1.extended(0, ki * 64)


@program(m1=size(16, greatest=256), n1=size(16, greatest=256), ld=size(least=of("n1")))
def l0c_to_gm(m1: Any, n1: Any, ld: Any) -> Any:
    """The accumulator, 16 by 16 in column order of blocks, written to a row-major output."""
    l0c = tla.zN(m1, n1)
    gm = Layout((m1, n1), (ld, 1))
    return l0c, tla.composition(l0c, Layout((m1, n1))), gm, l0c.cosize * 4, gm.cosize


@program(m=size(32), n=size(32))
def two_levels_of_tiles(m: Any, n: Any) -> Any:
    """Blocks of 32 by 32 made of 16 by 16, as a layout with modes of three levels."""
    c = tla.row_major(m, n)
    outer = tla.logical_divide(c, (32, 32))
    inner = tla.logical_divide(outer, ((16, None), (16, None)))
    return outer, inner, inner.size, inner.cosize


@program(
    m=size(16),
    n=size(16),
    bi=index(tiles("m", 128)),
    bj=index(tiles("n", 64)),
    ti=size(least=0, greatest=127),
    tj=size(least=0, greatest=63),
)
def offset_in_two_levels(m: Any, n: Any, bi: Any, bj: Any, ti: Any, tj: Any) -> Any:
    a = Layout(((16, m // 16), (16, n // 16)), ((16, 256), (1, 16 * m)))
    return a.extended(bi * 128 + ti, bj * 64 + tj)


# --- batches, split K, workspaces -------------------------------------------------------------


@program(
    b=size(spread=8),
    m=size(),
    k=size(),
    gap=size(8, least=0),
    bi=index(of("b")),
    i=index(of("m")),
)
def batch(b: Any, m: Any, k: Any, gap: Any, bi: Any, i: Any) -> Any:
    a = Layout((b, m, k), (m * k + gap, k, 1))
    one, start = tla.slice_and_offset((bi, _, _), a)
    row, at = tla.slice_and_offset((bi, i, _), a)
    return a, one, start, row, at, a.cosize, tla.is_injective(a)


@program(b=size(spread=8), m=size(), n=size(), bi=index(of("b")), i=index(tiles("m", 64)))
def tile_of_a_batch(b: Any, m: Any, n: Any, bi: Any, i: Any) -> Any:
    a = tla.row_major(b, m, n)
    tile = tla.get_tile_layout(a, (1, 64, 32), (bi, i * 64, 0))
    return tile, a(bi, i * 64, 0), tile.valid_size, tile[0, _, _]


@program(b=size(spread=8), m=size(64, spread=5), n=size(32, spread=5))
def batch_in_tiles(b: Any, m: Any, n: Any) -> Any:
    a = tla.row_major(b, m, n)
    return (
        tla.zipped_divide(a, (1, 64, 32)),
        tla.logical_divide(a, (_, 64, 32)),
        tla.tiled_divide(a, (_, 64, 32)),
        tla.coalesce(a),
        tla.coalesce(a, (1, 1, 1)),
    )


@program(m=size(), s=size(greatest=16), ks=size(16, spread=8), si=index(of("s")))
def split_k(m: Any, s: Any, ks: Any, si: Any) -> Any:
    """K in as many slices as the host asks for, each a matrix of its own."""
    a = tla.row_major(m, s * ks)
    split = tla.logical_divide(a, (None, ks))
    part, start = tla.slice_and_offset((_, (_, si)), split)
    return split, part, start, tla.get_tile_layout(a, (m, ks), (0, si * ks))


@program(m=size(), n=size(), s=size(greatest=16), si=index(of("s")))
def split_k_workspace(m: Any, n: Any, s: Any, si: Any) -> Any:
    """A partial sum for each slice, rows padded to 512 bytes, in a buffer of whole 512 bytes."""
    ld = round_up(n, 128)
    partial = Layout((m, n, s), (ld, 1, m * ld))
    return partial, partial.cosize, round_up(partial.cosize * 4, 512), partial[_, _, si]


@program(m=size(), k=size(), align=size(16, greatest=512))
def padded_rows(m: Any, k: Any, align: Any) -> Any:
    """PaddingRowMajor: the leading dimension rounded up; each row is then aligned."""
    ld = round_up(k, align)
    a = Layout((m, ld), (ld, 1), (m, k))
    return a, a.valid_size, a.cosize, ld % align, ld - k, tla.coalesce(a), a(m - 1, 0) % align


@program(m=size(), k=size(), bi=index(tiles("m", 128)), bk=index(tiles("k", 64)))
def padded_blocks(m: Any, k: Any, bi: Any, bk: Any) -> Any:
    """PADDING_BLOCK_ND: blocks of 128 by 64, each in one piece, blocks by rows."""
    row = ceil_div(k, 64) * (128 * 64)
    shape = ((128, ceil_div(m, 128)), (64, ceil_div(k, 64)))
    a = Layout(shape, ((64, row), (1, 128 * 64)), (m, k))
    block, start = tla.slice_and_offset(((_, bi), (_, bk)), a)
    tile = tla.get_tile_layout(a, (128, 64), (bi * 128, bk * 64))
    return a, a.cosize, block, start, tile, tla.coalesce(block)


@program(m=size(), n=size(), cores=size(greatest=24), core=index(of("cores")))
def rows_over_cores(m: Any, n: Any, cores: Any, core: Any) -> Any:
    """Each core takes as many rows as the others; the last ones may get less, or none."""
    a = tla.row_major(m, n)
    per = ceil_div(m, cores)
    tile = tla.get_tile_layout(a, (per, n), (core * per, 0))
    return tile, a.extended(core * per, 0), max_(0, min_(per, m - core * per))


@program(m=size(), n=size(), t=index(lambda s: ceil_div(s["m"], 128) * ceil_div(s["n"], 256)))
def block_schedule(m: Any, n: Any, t: Any) -> Any:
    """The number of a task as the coordinate of a block, rows of blocks first."""
    grid = (ceil_div(m, 128), ceil_div(n, 256))
    bi, bj = tla.idx2crd(t, grid)
    c = tla.row_major(m, n)
    again = tla.crd2idx((bi, bj), grid)
    return grid, bi, bj, again, tla.get_tile_layout(c, (128, 256), (bi * 128, bj * 256)), bi * 128 * n


@program(m=size(), n=size(), t=index(lambda s: ceil_div(s["m"], 128) * ceil_div(s["n"], 256)))
def swizzled_schedule(m: Any, n: Any, t: Any) -> Any:
    """Blocks in groups of three rows of blocks, the last group smaller; every other one backwards."""
    rows, cols = ceil_div(m, 128), ceil_div(n, 256)
    group, rest = t // (3 * cols), t % (3 * cols)
    height = min_(3, rows - 3 * group)
    row, col = 3 * group + rest % height, rest // height
    backwards = group % 2
    return row, col + backwards * (cols - 1 - 2 * col)


# --- convolution and attention ----------------------------------------------------------------


@program(n=size(spread=4), c1=size(spread=4), h=size(spread=30), w=size(spread=30))
def fmap(n: Any, c1: Any, h: Any, w: Any) -> Any:
    x = tla.row_major(n, c1, h, w, _16)
    pixels = tla.group(tla.select(x, 2, 3), 0, 2)
    return x, x.cosize, tla.coalesce(x), pixels, tla.coalesce(tla.select(x, 4, 3, 2)), x[0, _, 0, 0, _]


@program(c1=size(spread=4), h=size(least=3, spread=20), w=size(least=3, spread=20), s=size(greatest=3))
def im2col(c1: Any, h: Any, w: Any, s: Any) -> Any:
    """A 3 by 3 window over a feature map of one image, in steps of s, as a matrix."""
    ho, wo = (h - 3) // s + 1, (w - 3) // s + 1
    matrix = Layout(
        ((wo, ho), (16, 3, 3, c1)), ((s * 16, s * w * 16), (1, 16, w * 16, h * w * 16)), None
    )
    return matrix, matrix.cosize, matrix.size, c1 * h * w * 16 - matrix.cosize, matrix[(_, 0), _]


@program(c1=size(spread=4), h=size(least=3, spread=20), w=size(least=3, spread=20), s=size(greatest=2))
def tile_of_im2col(c1: Any, h: Any, w: Any, s: Any) -> Any:
    """Sixteen output pixels by one channel block of the window, with its tail."""
    ho, wo = (h - 3) // s + 1, (w - 3) // s + 1
    rows = Layout(((wo, ho), (16, 3 * 3 * c1)), ((s * 16, s * w * 16), (1, 16)))
    return tla.get_tile_layout(rows, (wo * ho, 16), (0, 0)), rows.extended((0, 0), (0, 9 * c1 - 1))


@program(n=size(spread=4), c=size(16, spread=6), hw=size())
def nchw_to_nc1hwc0(n: Any, c: Any, hw: Any) -> Any:
    x = tla.row_major(n, c, hw)
    blocked = tla.logical_divide(x, (None, 16, None))
    target = Layout((n, (16, c // 16), hw), (c * hw, (1, hw * 16), 16))
    return blocked, target, target.cosize, tla.is_bijective(target), blocked.size


@program(c1=size(spread=4), n1=size(spread=4), t=index(lambda s: s["c1"] * 9))
def fractal_weights(c1: Any, n1: Any, t: Any) -> Any:
    """FRACTAL_Z: (C1*KH*KW, N1, 16, C0), a slice of one window position."""
    x = tla.row_major(c1 * 9, n1, 16, _16)
    part, start = tla.slice_and_offset((t, _, _, _), x)
    return x, part, start, tla.coalesce(part), tla.coalesce(x)


@program(
    b=size(spread=4),
    s=size(spread=60),
    h=size(spread=8),
    d=size(16, greatest=256),
    bi=index(of("b")),
    hi=index(of("h")),
)
def attention_head(b: Any, s: Any, h: Any, d: Any, bi: Any, hi: Any) -> Any:
    """A head of queries in BSHD, as BHSD and transposed."""
    q = tla.row_major(b, s, h, d)
    bhsd = tla.select(q, 0, 2, 1, 3)
    head, start = tla.slice_and_offset((bi, hi, _, _), bhsd)
    tile = tla.get_tile_layout(head, (64, d), (0, 0))
    return bhsd, head, start, tla.select(head, 1, 0), tile, bhsd.cosize


@program(
    b=size(spread=4), s=size(spread=60), h=size(spread=8), d=size(16, greatest=128), hi=index(of("h"))
)
def packed_qkv(b: Any, s: Any, h: Any, d: Any, hi: Any) -> Any:
    qkv = tla.row_major(b, s, 3, h, d)
    parts = [tla.slice_and_offset((_, _, i, hi, _), qkv) for i in range(3)]
    return qkv, parts, parts[0][0].cosize, tla.coalesce(parts[1][0])


@program(
    pages=size(spread=6),
    page=size(16, greatest=128),
    h=size(spread=6),
    d=size(16, greatest=128),
    t=index(lambda s: s["pages"] * s["page"]),
)
def paged_cache(pages: Any, page: Any, h: Any, d: Any, t: Any) -> Any:
    """A token of a cache of keys in pages, each (heads, tokens, depth)."""
    cache = Layout(((page, pages), h, d), ((d, h * page * d), page * d, 1))
    token, at = tla.slice_and_offset(((t % page, t // page), _, _), cache)
    return cache, cache.cosize, token, at, tla.is_bijective(cache)


@program(s=size(), d=size(32, greatest=256), i=index(of("s")))
def rotary_halves(s: Any, d: Any, i: Any) -> Any:
    """Each row as two halves, and as pairs of neighbours."""
    x = tla.row_major(s, d)
    halves = tla.logical_divide(x, (None, d // 2))
    return halves, halves[i, (_, 1)], tla.logical_divide(x, (None, 2)), x(i, d // 2)


@program(g=size(spread=6), q=size(greatest=8), s=size(), d=size(16, greatest=128))
def grouped_queries(g: Any, q: Any, s: Any, d: Any) -> Any:
    """Keys of g groups seen by g*q heads: q of them share one by a stride of 0."""
    keys = Layout(((q, g), s, d), ((0, s * d), d, 1))
    return keys, keys.cosize, tla.filter_zeros(keys), tla.coalesce(keys), keys.size


@program(e=size(spread=6), k=size(), n=size(16), ei=index(of("e")))
def expert_weights(e: Any, k: Any, n: Any, ei: Any) -> Any:
    w = Layout((e, tla.zN(k, n).shape[0], tla.zN(k, n).shape[1]))
    one, start = tla.slice_and_offset((ei, _, _), w)
    return w, one, start


# --- the algebra ------------------------------------------------------------------------------


@program(m=size(), n=size())
def transposed_by_composition(m: Any, n: Any) -> Any:
    """Index i of the transposed matrix as an index of the matrix itself."""
    transposed = Layout((n, m), (m, 1))
    return tla.composition(tla.row_major(m, n), transposed), tla.composition(Layout((m, n)), transposed)


@program(m=size(16), n=size(16))
def fractal_read_by_columns(m: Any, n: Any) -> Any:
    """The offsets of zN in the order of a column-major, and of a row-major walk."""
    return tla.composition(tla.zN(m, n), Layout(m * n)), tla.coalesce(tla.zN(m, n), (1, 1))


@program(m=size(2), n=size(4))
def every_other_row(m: Any, n: Any) -> Any:
    x = tla.row_major(m, n)
    return tla.composition(x, (Layout(m // 2, 2), _)), tla.composition(x, (_, Layout(n // 4, 4)))


@program(m=size(), s=size(), d=size())
def dilated(m: Any, s: Any, d: Any) -> Any:
    return tla.composition(Layout(m * s, d), Layout(m, s)), tla.composition(Layout(m, d), Layout(m, 1))


@program(n=size(1024, spread=10), ld=size(1024, least=of("n"), spread=8))
def vectors_of_threads(n: Any, ld: Any) -> Any:
    """Blocks of 256 threads with 4 neighbours each over the rows of a matrix."""
    threads = Layout((256, 4), (4, 1))
    x = Layout((8, n), (ld, 1))
    row = x[3, _]
    return (
        tla.zipped_divide(Layout(n), 1024),
        tla.composition(tla.get(tla.zipped_divide(Layout(n), 1024), 0), threads),
        tla.zipped_divide(row, (1024,)),
        tla.logical_divide(Layout(n), threads),
    )


@program(m=size(64, spread=6), k=size(32, spread=6), bi=index(tiles("m", 64)), bk=index(tiles("k", 32)))
def thread_values(m: Any, k: Any, bi: Any, bk: Any) -> Any:
    """The elements of each thread of a tile of 64 by 32 in a matrix of unknown size."""
    tiler, tv = tla.make_layout_tv(Layout((16, 8), (8, 1)), Layout((4, 4), (4, 1)))
    tiled = tla.zipped_divide(tla.row_major(m, k), tiler)
    tile, start = tla.slice_and_offset((_, (bi, bk)), tiled)
    of_threads = tla.composition(tla.get(tile, 0), tv)
    return of_threads, start, of_threads[5, _], tla.composition(tiled, (tv, _))


@program(t=size(32, greatest=512), v=size(4, greatest=16))
def thread_values_of_symbolic_size(t: Any, v: Any) -> Any:
    tiler, tv = tla.make_layout_tv(Layout((t, 2), (2, 1)), Layout((1, v), (v, 1)))
    return tiler, tv


@program(m=size(16), n=size(16), p=size(), q=size())
def right_inverses(m: Any, n: Any, p: Any, q: Any) -> Any:
    """From an offset back to the index, of what is compact."""
    return (
        tla.right_inverse(Layout((p, q))),
        tla.right_inverse(tla.row_major(p, q)),
        tla.right_inverse(tla.zN(m, n)),
    )


@program(m=size(16), n=size(16), p=size(), q=size())
def left_inverses(m: Any, n: Any, p: Any, q: Any) -> Any:
    return tla.left_inverse(tla.row_major(p, q)), tla.left_inverse(tla.zN(m, n))


@program(m=size(least=2), n=size(least=2), pad=size())
def left_inverse_of_padded_rows(m: Any, n: Any, pad: Any) -> Any:
    return (tla.left_inverse(Layout((m, n), (n + pad, 1))),)


@program(m=size(), n=size(), k=size())
def complements(m: Any, n: Any, k: Any) -> Any:
    """What a block, a column, a row leaves free of a buffer."""
    return (
        tla.complement(Layout(128), n * 128),
        tla.complement(Layout(m, n), m * n),
        tla.complement(Layout(n), m * n),
        tla.complement(Layout((16, m), (1, 16 * k)), 16 * k * m),
        tla.complement(Layout(16, 4), n),
    )


@program(m=size(), n=size())
def products(m: Any, n: Any) -> Any:
    """A fractal repeated over a grid."""
    block = tla.zN(16, 16)
    grid = Layout((m, n))
    return (
        tla.blocked_product(block, grid),
        tla.raked_product(Layout((4, 4), (4, 1)), grid),
        tla.logical_product(Layout(256), m * n),
        tla.zipped_product(Layout((8, 4)), grid),
        tla.tiled_product(Layout((2, 2)), grid),
        tla.flat_product(Layout((2, 2)), grid),
    )


@program(m=size(), n=size(), c=size())
def products_of_symbolic_blocks(m: Any, n: Any, c: Any) -> Any:
    block = tla.row_major(m, n)
    return (
        tla.logical_product(block, c),
        tla.blocked_product(Layout((m, n)), Layout((c, 3))),
        tla.logical_product(Layout(m), Layout((c, n))),
    )


@program(m=size(16), n=size(64, spread=8))
def shape_of_atoms(m: Any, n: Any) -> Any:
    atom = Layout((8, 64), (64, 1))
    return (
        tla.tile_to_shape(atom, (m, n)),
        tla.tile_to_shape(atom, (m, n), (1, 0)),
        tla.tile_to_shape(tla.zN(16, 16), (m, n)),
        tla.tile_to_shape(atom, (m, n, _1 * 3)),
    )


@program(m=size(8), n=size(64, spread=8), i=size(least=0, greatest=7), stage=size(least=0, greatest=3))
def swizzled_buffer(m: Any, n: Any, i: Any, stage: Any) -> Any:
    """Atoms of 8 rows of 64 halves, permuted within 128 bytes, in four stages."""
    inner = tla.tile_to_shape(Layout((8, 64), (64, 1)), (m, n, 4))
    buffer = tla.composition(Swizzle(3, 3, 3), inner)
    return buffer, buffer.size, buffer[_, _, stage], ComposedLayout(Swizzle(3, 3, 3), 0, inner)[i, _, _]


@program(m=size(), k=size(8))
def casts(m: Any, k: Any) -> Any:
    a = tla.row_major(m, k)
    return (
        tla.upcast(a, 8),
        tla.downcast(a, 2),
        tla.recast_layout(a, "f16", "f32"),
        tla.recast_layout(a, "f16", "s8"),
        tla.recast_layout(a, 4, 32),
        tla.upcast(Layout((k, m)), 4),
    )


@program(n=size(64, spread=8), k=size(32, spread=8))
def interleaved_weights(n: Any, k: Any) -> Any:
    """Four-bit weights: pairs of rows interleaved, eight to a word."""
    w = Layout(((2, n // 2), (8, k // 8)), ((8, 2 * k), (1, 16)))
    return w, w.cosize, tla.upcast(w, 8), tla.coalesce(w), tla.is_bijective(w)


@program(m=size(), g=size(spread=8), i=index(of("m")), j=index(lambda s: s["g"] * 32))
def scales_of_groups(m: Any, g: Any, i: Any, j: Any) -> Any:
    """One scale for 32 neighbours, a bias for each column, a scalar for all."""
    scales = Layout((m, (32, g)), (g, (0, 1)))
    bias = Layout((m, g * 32), (0, 1))
    return (
        scales,
        scales(i, j),
        scales.cosize,
        tla.filter_zeros(scales),
        tla.filter(scales),
        bias,
        tla.make_layout_like(bias),
        tla.coalesce(Layout((m, g), (0, 0))),
    )


@program(b=size(), m=size(), k=size())
def ordered(b: Any, m: Any, k: Any) -> Any:
    return (
        tla.make_ordered_layout((b, m, k), (2, 1, 0)),
        tla.make_ordered_layout((b, (m, 4), k), (1, (0, 3), 2)),
        tla.make_layout_like(tla.row_major(m, k)),
        tla.product_each(((b, m), k)),
    )


@program(m=size(), n=size(), r=size(greatest=8), ri=index(of("r")))
def shards(m: Any, n: Any, r: Any, ri: Any) -> Any:
    """Rows over ranks, columns over ranks."""
    x = tla.row_major(r * m, r * n)
    rows = tla.zipped_divide(x, (m, r * n))
    cols = tla.zipped_divide(x, (_, n))
    return rows, cols, rows[_, (ri, 0)], x(ri * m, ri * n)


@program(m=size(), n=size(), i=index(of("m")), j=index(of("n")))
def moved_views(m: Any, n: Any, i: Any, j: Any) -> Any:
    """A view that begins at an element, and what is left of the matrix from there on."""
    x = tla.row_major(m, n)
    moved, offset = tla.domain_offset((i, j), x)
    return moved, offset, tla.get_tile_layout(x, (m - i, n - j), (i, j)), (m - i) * (n - j)


@program(h=size(2), w=size(2), c=size())
def space_to_depth(h: Any, w: Any, c: Any) -> Any:
    x = tla.row_major(h, w, c)
    blocks = tla.zipped_divide(x, (2, 2, c))
    image = tla.logical_divide(x, (2, 2, None))
    moved = Layout(
        (image.shape[0][1], image.shape[1][1], (c, 2, 2)),
        (image.stride[0][1], image.stride[1][1], (1, image.stride[1][0], image.stride[0][0])),
    )
    return blocks, image, moved, tla.coalesce(moved, (1, 1, 1)), moved.cosize


@program(m=size(), n=size(16), x=index(lambda s: s["m"] * s["n"]))
def index_and_coordinate(m: Any, n: Any, x: Any) -> Any:
    i, j = tla.idx2crd(x, (m, n))
    deep = tla.idx2crd(x, (m, (16, n // 16)))
    return (
        i,
        j,
        deep,
        tla.crd2idx((i, j), (m, n)),
        tla.crd2idx(deep, (m, (16, n // 16))),
        tla.row_major(m, n)(x),
        tla.row_major(m, n)(i, j),
    )


@program(m=size(), n=size(), k=size())
def facts(m: Any, n: Any, k: Any) -> Any:
    return (
        tla.is_injective(tla.zN(m, n)),
        tla.is_bijective(tla.row_major(m, n, k)),
        tla.is_contiguous(Layout((m, n))),
        tla.compatible(m * n, (m, n)),
        tla.congruent((m, (n, k)), (1, (2, 3))),
        tla.same_function(Layout((m, n)), Layout(m * n)),
        tla.evenly_divides((m * 16, n * 4), (16, 4)),
        tla.shape_div(m * 16, 16),
        tla.size(tla.row_major(m, (n, k))),
    )


# --- programs that need more than is declared -------------------------------------------------


class Lacking(NamedTuple):
    """A program whose sizes lack a fact, what it needs in turn, and values that break that."""

    name: str
    run: Callable[..., Any]
    sizes: dict[str, Size]
    needs: tuple[str, ...]
    kept: dict[str, Size]
    """The sizes as they are where the obligations are kept."""
    broken: dict[str, int]
    declarable: bool
    """Whether these sizes, as symbols, say all that is needed."""


LACKING: Final[list[Lacking]] = []


def lacking(
    *needs: str,
    kept: dict[str, Size],
    broken: dict[str, int],
    declarable: bool = True,
    **sizes: Size,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Take a function in as a program that lacks facts."""

    def take(run: Callable[..., Any]) -> Callable[..., Any]:
        LACKING.append(Lacking(run.__name__, run, sizes, needs, kept, broken, declarable))  # ty: ignore[missing-attribute]
        return run

    return take


@lacking("m % 48 == 0", m=size(), n=size(), kept={"m": size(48, spread=8)}, broken={"m": 100})
def whole_tiles_of_48_rows(m: Any, n: Any) -> Any:
    return tla.zipped_divide(tla.row_major(m, n), (48, n), exact=True)


@lacking("m % 48 == 0", m=size(16), n=size(16), kept={"m": size(48, spread=8)}, broken={"m": 64})
def whole_tiles_of_fractals(m: Any, n: Any) -> Any:
    """Three blocks of 16, where only that rows are whole blocks is declared."""
    return tla.zipped_divide(tla.zN(m, n), (48, 16), exact=True)


@lacking(
    "m % 128 == 0",
    "k % 64 == 0",
    m=size(),
    k=size(),
    kept={"m": size(128, spread=5), "k": size(64, spread=5)},
    broken={"k": 32},
)
def exact_tile(m: Any, k: Any) -> Any:
    return tla.make_layout_tile(tla.row_major(m, k), (128, 64))


@lacking("m % 128 == 0", m=size(16), k=size(16), kept={"m": size(128, spread=5)}, broken={"m": 192})
def exact_tile_of_fractals(m: Any, k: Any) -> Any:
    return tla.make_layout_tile(tla.zN(m, k), (128, 16))


@lacking("t % 16 == 0", m=size(), t=size(least=16), kept={"t": size(16, spread=4)}, broken={"t": 24})
def exact_tile_of_symbolic_rows(m: Any, t: Any) -> Any:
    """Rows of blocks of 16, cut into tiles of t rows."""
    return tla.make_layout_tile(tla.zN(16 * m * t, 64), (t, 16))


@lacking("k % 512 == 0", m=size(), k=size(), kept={"k": size(512, spread=5)}, broken={"k": 768})
def whole_slices_of_k(m: Any, k: Any) -> Any:
    return tla.logical_divide(tla.row_major(m, k), (None, 512), exact=True)


@lacking(
    "m % t == 0",
    m=size(),
    n=size(),
    t=size(16),
    kept={"t": size(16, spread=4), "m": size(16 * 60, spread=4)},
    broken={"t": 32, "m": 80},
    declarable=False,
)
def whole_tiles_of_symbolic_rows(m: Any, n: Any, t: Any) -> Any:
    return tla.zipped_divide(tla.row_major(m, n), (t, n), exact=True)


@lacking("e % 64 == 0", s=size(), e=size(), kept={"e": size(64, spread=8)}, broken={"e": 96})
def whole_heads(s: Any, e: Any) -> Any:
    return tla.tiled_divide(tla.row_major(s, e), (s, 64), exact=True)


@lacking("m % 8 == 0", m=size(), kept={"m": size(8)}, broken={"m": 12})
def every_other_of_eight(m: Any) -> Any:
    return tla.logical_divide(Layout(m), Layout(4, 2), exact=True)


@lacking("k % 4 == 0", m=size(), k=size(), kept={"k": size(4)}, broken={"k": 6})
def rows_in_vectors(m: Any, k: Any) -> Any:
    return tla.upcast(tla.row_major(m, k), 4)


@lacking("k % 2 == 0", m=size(), k=size(), kept={"k": size(2)}, broken={"k": 5})
def halves_as_floats(m: Any, k: Any) -> Any:
    return tla.recast_layout(tla.row_major(m, k), "f16", "f32")


@lacking("ld % 4 == 0", ld=size(), kept={"ld": size(4)}, broken={"ld": 10})
def vectors_along_a_leading_dimension(ld: Any) -> Any:
    return tla.upcast(Layout((8, 4), (ld, 1)), 4)


@lacking("ld >= 8", ld=size(), kept={"ld": size(least=8)}, broken={"ld": 7})
def rest_of_a_padded_column(ld: Any) -> Any:
    return tla.complement(Layout((8, 4), (1, ld)), ld * 8)


@lacking("n % 2 == 0", n=size(), c=size(), ld=size(), kept={"n": size(2)}, broken={"n": 3})
def columns_in_halves(n: Any, c: Any, ld: Any) -> Any:
    """Stages of 64 rows of a matrix of 128: an odd number of them ends within a column."""
    return tla.composition(Layout((128, c), (1, ld)), Layout((64, n), (1, 64)))


@lacking("m % 4 == 0", m=size(), n=size(), kept={"m": size(4)}, broken={"m": 6})
def neighbours_down_a_column(m: Any, n: Any) -> Any:
    return tla.logical_divide(tla.row_major(m, n), Layout(4))


@lacking("m > 47", m=size(), n=size(), ld=size(), kept={"m": size(least=48)}, broken={"m": 40})
def first_rows_as_one_mode(m: Any, n: Any, ld: Any) -> Any:
    return tla.composition(Layout((m, n), (ld, 1)), Layout(48))


@lacking("m > 47", m=size(), n=size(), kept={"m": size(least=48)}, broken={"m": 40})
def first_rows_of_all(m: Any, n: Any) -> Any:
    return tla.composition(tla.row_major(m, n), (48, _), extend=False)


@lacking("m > 3", m=size(), n=size(), kept={"m": size(least=4)}, broken={"m": 3})
def fourth_row(m: Any, n: Any) -> Any:
    return tla.row_major(m, n)[3, _]


@lacking(
    "m % 16 == 0",
    "n % 16 == 0",
    m=size(),
    n=size(),
    kept={"m": size(16), "n": size(16)},
    broken={"m": 24},
)
def fractals_of_a_shape(m: Any, n: Any) -> Any:
    return tla.tile_to_shape(tla.zN(16, 16), (m, n))


@lacking(
    "n < m",
    m=size(),
    n=size(),
    kept={"n": size(greatest=40), "m": size(least=41)},
    broken={"m": 2, "n": 3},
)
def packed_in_order_of_strides(m: Any, n: Any) -> Any:
    return tla.make_layout_like(Layout((4, 3), (m, n)))
