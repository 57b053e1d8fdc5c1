# SPDX-License-Identifier: Apache-2.0
"""Tiled MMAs and copies: an instruction repeated over threads and values until a tile is full.

>>> mma = tiled_mma("SM80_16x8x16_F32F16F16F32_TN", Layout((2, 2, 1)), (32, 32, 16))
>>> print(mma.threads)
(_32,2,2,1):(_1,_32,64,128)
>>> print(mma.c)  # (thread, value) to m + 32 * n
((4,8,2,2),((_2,_2),(1,2))):((64,1,16,256),((32,8),(0,512)))
>>> mma.holders((17, 9), "c")
((100, 1),)
>>> part, offset = mma.partition(Layout((64, 64), (64, 1)), 100, "c")
>>> print(part, offset)
((_2,_2),2,4):((1,512),2048,16) 1096

Source: CuTe ``TiledMMA``, mma_atom.hpp; ``TiledCopy``, ``make_tiled_copy``, copy_atom.hpp.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar, cast

from ..algebra import (
    coalesce,
    complement,
    composition,
    cut,
    filter_zeros,
    is_injective,
    is_left_alone,
    logical_divide,
    logical_product,
    modes_of,
    preimage,
    raked_product,
    right_inverse,
    row,
    tiled_product,
    upcast,
    zipped_divide,
)
from ..errors import CoordinateError, DivisibilityError, LayoutError
from ..ground import drawn_by, figure_of, html_of, limit_error, limit_of, shown
from ..layouts import (
    AnyLayout,
    ComposedLayout,
    Layout,
    Tensor,
    Underscore,
    _,
    as_layout,
    as_static,
    crd2idx,
    get,
    idx2crd,
    is_composed,
    is_underscore,
    make_layout,
    product,
    product_each,
    text_of,
    wrap,
)
from ..numbers import _0, _1, at_least, known_int, leaf, less
from .copies import CopyAtom, copy_atoms
from .fields import OPERANDS, SIDES, one_of
from .mma import MmaAtom, atoms

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..ground import Figure
    from ..numbers import IntLike, IntTuple
    from .fields import Operand, Side

AnyView: TypeAlias = "AnyLayout | ComposedLayout | Tensor[Any, AnyLayout]"
_L = TypeVar("_L", AnyLayout, ComposedLayout)


def _is_below(number: Any, end: Any) -> bool:
    """Whether a number is from 0 up to an end; of a symbolic one it must be decided."""
    return at_least(number, 0) and less(number, end)


def _inside(x: _L, fragments: Callable[[AnyLayout], AnyLayout]) -> _L:
    """The fragments of a layout, or of what lies behind a swizzle."""
    found: Any = x.with_inner(_inside(x.inner, fragments)) if is_composed(x) else fragments(as_layout(x))
    same: _L = found
    return same


def _holders(tv: AnyLayout, coord: IntTuple, extents: tuple[Any, ...]) -> tuple[tuple[int, int], ...]:
    """Each thread and value at an element of the tile, the first threads first."""
    index = make_layout(extents)(coord)
    thread, value = tv.shape
    return tuple(sorted((crd2idx(t, thread), crd2idx(v, value)) for t, v in preimage(tv, index)))


def times_held(tv: AnyLayout, tile: IntTuple) -> int:
    """Return how often each element of a tile is held; 1 is once.

    It is proved from the modes: those of stride 0 repeat what the others hold, each element once.

    >>> atom = atoms["SM90_64x64x16_F32F16F16_SS"]  # all 128 threads read A and B
    >>> [times_held(getattr(atom, of), atom.extents(of)) for of in ("a", "b", "c")]
    [128, 128, 1]

    Raises:
        LayoutError: some elements are held more often than others, or not at all.
    """
    cells, once = make_layout(tile), filter_zeros(tv)
    if not cells.size:
        return 0
    if once.size == once.cosize == cells.size and is_injective(once):
        return known_int(tv.size) // known_int(cells.size)
    number, most = known_int(tv.size), limit_of("coordinates")
    if number > most:
        raise limit_error("coordinates", f"{tv} has {number} values; at most {most} are counted")
    counts = Counter(known_int(tv(i)) for i in range(number))
    end = known_int(cells.size)
    beyond = next((i for i in counts if not 0 <= i < end), None)
    rare = next((i for i in range(min(end, len(counts) + 1)) if i not in counts), None)
    rare = min(counts, key=counts.__getitem__) if rare is None else rare
    common = max(counts, key=counts.__getitem__, default=rare)
    if beyond is None and counts[rare] == counts[common]:
        return counts[rare]
    reason = f"It holds index {beyond}, which is outside."
    if beyond is None:
        at, there = (idx2crd(i, cells.shape) for i in (rare, common))
        reason = f"It holds {at} {counts[rare]} times and {there} {counts[common]} times."
    summary = f"{tv} does not hold each element of a tile of {text_of(cells.shape)} as often"
    raise LayoutError(summary, reason, layout=tv, tile=tile)


@drawn_by("tla.gpu.figures", "held_figure")
class TiledMma(NamedTuple):
    """An MMA atom, repeated over threads by a layout and then over values until a tile is full.

    >>> mma = tiled_mma("SM80_8x8x4_F64F64F64F64_TN", Layout((2, 1, 1)))
    >>> print(mma.a)
    ((4,16),(_1,(1,_1))):((16,1),(_0,(0,_0)))

    Attributes:
        atom: The instruction.
        threads: From (thread of the atom, M, N, K) to the thread of the block.
        tile: The extents of the tile in M, N and K, or layouts that permute it.
    """

    atom: MmaAtom
    threads: AnyLayout
    tile: tuple[Any, Any, Any]

    @property
    def shape_mnk(self) -> tuple[Any, Any, Any]:
        """The extents of the tile."""
        m, n, k = (x.size if isinstance(x, Layout) else product(x) for x in self.tile)
        return m, n, k

    @property
    def a(self) -> AnyLayout:
        """From (thread, value) to the index in the M x K tile."""
        return self._tv("a")

    @property
    def b(self) -> AnyLayout:
        """From (thread, value) to the index in the N x K tile."""
        return self._tv("b")

    @property
    def c(self) -> AnyLayout:
        """From (thread, value) to the index in the M x N tile."""
        return self._tv("c")

    def extents(self, operand: Operand) -> tuple[Any, Any]:
        """Return the extents of the tile of an operand.

        >>> tiled_mma("SM80_8x8x4_F64F64F64F64_TN", Layout((2, 1, 1))).extents("a")
        (16, 4)
        """
        one_of(operand, OPERANDS, "an operand")
        first, second = OPERANDS[operand]
        shape = self.shape_mnk
        return shape[first], shape[second]

    def fragments(self, x: _L, operand: Operand) -> _L:
        """Return the elements of a layout by thread and value: ``((V, (M, N)), (values, rest))``.

        V counts the threads of an atom, M and N the atoms that have threads of their own (for A of M and
        K, for B of N and K). CuTe ``thrfrg_A``, ``thrfrg_B``, ``thrfrg_C``.

        >>> mma = tiled_mma("SM80_8x8x4_F64F64F64F64_TN", Layout((2, 1, 1)))
        >>> print(mma.fragments(Layout((32, 8)), "a"))
        (((_4,_8),(2,1)),(_1,(2,2))):(((32,1),(8,128)),(_0,(16,128)))
        """
        one_of(operand, OPERANDS, "an operand")
        return _inside(x, lambda of: self._fragments(of, operand))

    def _fragments(self, x: AnyLayout, operand: Operand) -> AnyLayout:
        modes = OPERANDS[operand]
        tiled = logical_divide(x, tuple(self.tile[i] for i in modes))
        atoms_of = zipped_divide(tiled, tuple(make_layout(self.atom.shape_mnk[i]) for i in modes))
        thread, values = modes_of(composition(get(atoms_of, 0), getattr(self.atom, operand)))
        counts = [get(self.threads, 1 + i).size for i in modes]
        rests = modes_of(get(atoms_of, 1))
        divided = [logical_divide(r, make_layout(n)) for r, n in zip(rests, counts)]  # noqa: B905
        rest = [*(get(d, 1) for d in divided), *rests[2:]]
        return row([row([thread, row([get(d, 0) for d in divided])]), row([values, row(rest)])])

    def partition(self, x: AnyView, thread: IntLike | Underscore | None, operand: Operand) -> Any:
        """Return what a thread has of a layout: (values, rest...), and the offset of its first element.

        `_` for the thread keeps all of them, as a mode in front. Of a layout behind a swizzle the offset
        stays inside and is 0; of a tensor it is a tensor. CuTe ``partition_A``, ``partition_B``,
        ``partition_C``.

        >>> mma = tiled_mma("SM80_16x8x16_F32F16F16F32_TN")
        >>> part, offset = mma.partition(Layout((16, 32), (32, 1)), 5, "a")
        >>> print(part, offset)
        ((_2,_2,_2),_1,2):((1,256,8),_0,16) 34
        >>> every, _offset = mma.partition(Layout((16, 32), (32, 1)), _, "a")
        >>> every(5, 1, 0, 1) == offset + part(1, 0, 1)
        True

        Raises:
            CoordinateError: there is no such thread.
        """
        one_of(operand, OPERANDS, "an operand")
        number, kept = cast("Any", thread), (_, (_,) * len(wrap(x.shape)))
        if is_underscore(number):
            return cut(x, lambda of: _inside(of, lambda y: self._by_thread(y, operand)), (_, kept))
        at = self._thread(number)
        coord = (at[0], tuple(at[1 + i] for i in OPERANDS[operand])), kept
        return cut(x, lambda of: self.fragments(of, operand), coord)

    def holders(self, coord: IntTuple, operand: Operand) -> tuple[tuple[int, int], ...]:
        """Return the threads that hold an element of the tile, each with the value that it is.

        >>> tiled_mma("SM80_16x8x16_F32F16F16F32_TN", Layout((1, 2, 1))).holders((9, 3), "a")
        ((5, 3), (37, 3))

        Raises:
            CoordinateError: the coordinate is outside the tile.
        """
        return _holders(self._tv(operand), coord, self.extents(operand))

    def figure(
        self, operand: Operand = "c", rows: int = 16, columns: int = 32, slices: int = 2
    ) -> Figure:
        """Return the picture of the tile of an operand, as data: the thread and value of each element.

        >>> mma = tiled_mma("SM80_8x8x4_F64F64F64F64_TN", Layout((2, 1, 1)))
        >>> mma.figure("a").grids[0].cells[8][0].text
        'T32 V0'
        """
        found: Figure = figure_of(self, part=operand, rows=rows, columns=columns, slices=slices)
        return found

    def _repr_html_(self) -> str | None:
        return html_of(self)

    def _thread(self, thread: IntLike) -> Any:
        """The coordinate (V, M, N, K) of a thread."""
        number, threads = leaf(thread), self.threads
        order = right_inverse(row([threads, complement(threads)]))
        index = order(number) if _is_below(number, order.size) else threads.size
        if not _is_below(index, threads.size):
            raise CoordinateError(
                f"thread {number} takes no part in {self.atom.name}",
                f"The threads are the offsets of {threads}, from 0 to {threads.cosize - 1}.",
                thread=number,
            )
        return idx2crd(index, tuple(mode.size for mode in modes_of(threads)))

    def _tv(self, operand: Operand) -> AnyLayout:
        return self._by_thread(make_layout(self.extents(operand)), operand)

    def _by_thread(self, x: AnyLayout, operand: Operand) -> AnyLayout:
        """The elements of a layout by the number of the thread, and its values."""
        found = self._fragments(x, operand)
        v, m, n, k = (mode.size for mode in modes_of(self.threads))
        # thread -> (V, (M, N, K)) -> the two of them that the operand has
        order = right_inverse(row([self.threads, complement(self.threads)]))
        counts = (v, (m, n, k))
        steps = {"a": (v, _0, v * m), "b": (_0, v, v * n), "c": (v, v * m, _0)}[operand]
        return row(
            [composition(composition(get(found, 0), Layout(counts, (_1, steps))), order), get(found, 1)]
        )


def tiled_mma(
    atom: MmaAtom | str, layout: AnyLayout | None = None, tile: tuple[Any, Any, Any] = (None, None, None)
) -> TiledMma:
    """Return an MMA atom tiled over more threads by a layout of atoms, and over values up to a tile.

    >>> mma = tiled_mma("SM80_16x8x8_F32TF32TF32F32_TN", Layout((4, 1, 1)))
    >>> mma.shape_mnk, mma.threads.size
    ((64, 8, 8), 128)

    Args:
        atom: An atom, or its name.
        layout: From the atoms in M, N and K to their order; one atom by default.
        tile: For each of M, N and K an extent, a layout that permutes it, or None: that of the atoms.

    Raises:
        LayoutError: there is no such atom; the layout or the tile has not three modes.
        DivisibilityError: the tile is no multiple of the atoms.
    Source: CuTe ``make_tiled_mma``, mma_atom.hpp.
    """
    one = atoms[atom] if isinstance(atom, str) else atom
    threads_of = Layout((1, 1, 1)) if layout is None else layout
    if len(modes_of(threads_of)) != 3 or len(tile) != 3:
        raise LayoutError(
            "an MMA is tiled in three modes, M, N and K",
            f"The tile {shown(tile)} has {len(tile)} parts."
            if len(tile) != 3
            else f"The layout of the atoms, {threads_of}, has {len(modes_of(threads_of))};"
            " a mode of 1 repeats nothing, as in (2,1,1).",
            layout=layout,
            tile=tile,
        )
    threads = tiled_product(one.thr, threads_of)
    counts = [mode.size for mode in modes_of(threads)[1:]]
    tilers: list[Any] = []
    for name, extent, count, given in zip("MNK", one.shape_mnk, counts, tile, strict=True):
        least = extent * count
        tiler = least if is_left_alone(given) else given
        whole = tiler.size if isinstance(tiler, Layout) else product(tiler)
        if known_int(whole) % known_int(least):
            raise DivisibilityError(
                f"a tile of {whole} in {name} does not hold whole atoms",
                f"The atoms along {name} are {known_int(count)} of extent {known_int(extent)}:"
                f" a multiple of {known_int(least)} holds whole ones.",
                tile=whole,
                atoms=least,
            )
        tilers.append(tiler)
    m, n, k = tilers
    return TiledMma(one, threads, (m, n, k))


@drawn_by("tla.gpu.figures", "held_figure")
class TiledCopy(NamedTuple):
    """A copy atom, repeated over threads and values until a tile is full.

    >>> copy = tiled_copy("SM75_U32x4_LDSM_N", Layout((16, 2)), Layout((1, 8)))
    >>> print(copy.src, copy.dst)
    ((4,2,_4),((_2,_4),_1)):((4,128,32),((16,1),0)) ((16,2),(_8,_1)):((1,128),(16,0))

    Attributes:
        atom: The instruction.
        tv: From (thread, value) to the index in the tile, as the reference side of the atom counts.
        tile: The tiler of the tile, one extent for each mode.
        element_bits: The bits of an element.
    """

    atom: CopyAtom
    tv: AnyLayout
    tile: tuple[Any, ...]
    element_bits: int

    @property
    def src(self) -> AnyLayout:
        """From (thread, value) to the index in the tile, at the source."""
        return self._side("src")

    @property
    def dst(self) -> AnyLayout:
        """From (thread, value) to the index in the tile, at the destination."""
        return self._side("dst")

    def extents(self, side: Side) -> tuple[Any, ...]:
        """Return the extents of the tile, which are those of both sides."""
        one_of(side, SIDES, "a side")
        return self.tile

    def fragments(self, x: _L, side: Side) -> _L:
        """Return the elements of a layout by thread and value: ``(thread, (values, atoms), (rest...))``.

        CuTe ``tidfrg_S``, ``tidfrg_D``.

        >>> copy = tiled_copy("UniversalCopy<uint128_t>", Layout((16, 8), (8, 1)), Layout((1, 8)))
        >>> print(copy.fragments(Layout((32, 64), (64, 1)), "src"))
        ((8,16),(_8,_1),(2,1)):((8,64),(1,0),(1024,0))
        """
        return _inside(x, lambda of: self._fragments(of, side))

    def _fragments(self, x: AnyLayout, side: Side) -> AnyLayout:
        tiles = zipped_divide(x, self.tile)
        return row([*modes_of(composition(get(tiles, 0), self._tv(side))), get(tiles, 1)])

    def partition(self, x: AnyView, thread: IntLike | Underscore | None, side: Side) -> Any:
        """Return what a thread has of a layout: ((values, atoms), rest...), and its first offset.

        `_` for the thread keeps all of them, as a mode in front. Of a layout behind a swizzle the offset
        stays inside and is 0; of a tensor it is a tensor. CuTe ``partition_S``, ``partition_D``.

        >>> copy = tiled_copy("UniversalCopy<uint128_t>", Layout((16, 8), (8, 1)), Layout((1, 8)))
        >>> part, offset = copy.partition(Layout((32, 64), (64, 1)), 115, "src")
        >>> print(part, offset)
        ((_8,_1),2,1):((1,0),1024,0) 920
        >>> print(*copy.partition(Layout((32, 64), (64, 1)), _, "src"))
        ((8,16),(_8,_1),2,1):((8,64),(1,0),1024,0) _0

        Raises:
            CoordinateError: there is no such thread.
        """
        number: Any = thread if is_underscore(thread) else leaf(thread)
        threads = get(self.tv, 0).size
        if not is_underscore(number) and not _is_below(number, threads):
            raise CoordinateError(
                f"thread {number} takes no part in {self.atom.name}",
                f"The threads are 0 to {threads - 1}.",
                thread=number,
            )
        rest = len(wrap(x.shape))
        return cut(x, lambda of: self.fragments(of, side), (number, _, (_,) * rest))

    def retile(self, x: _L) -> _L:
        """Return the values of a thread, as an MMA has them, in the order in which this copy moves them.

        Of ``(values, rest...)`` it is ``((values of an instruction, instructions), rest...)``.
        CuTe ``retile_S``, ``retile_D``.

        >>> mma = tiled_mma("SM80_16x8x16_F32F16F16F32_TN", Layout((2, 2, 1)))
        >>> copy = tiled_copy_of("SM75_U32x2_LDSM_N", mma, "b")
        >>> part, _offset = mma.partition(Layout((32, 32), (32, 1)), 0, "b")
        >>> print(copy.retile(part))
        (((_2,_2),_1),2,2):(((1,8),_0),512,16)
        """
        return _inside(x, self._retile)

    def _retile(self, x: AnyLayout) -> AnyLayout:
        held, threads = get(x, 0).size, get(self.tv, 0).size
        if not held or known_int(self.tv.size) % known_int(threads * held):
            raise DivisibilityError(
                f"parts of {held} values do not fill the tile of {self.atom.name}",
                f"It has {self.tv.size} elements and {threads} threads; give what an MMA holds of it.",
                values=held,
            )
        order = composition(right_inverse(self.tv), make_layout(self.tile))
        blocks = upcast(order, threads * held)  # from the tile to groups of values
        values = logical_product(make_layout(held), right_inverse(blocks))
        atom_values = get(upcast(self.atom.ref, as_static(self.element_bits)), 1).size
        inside = zipped_divide(values, make_layout(atom_values))
        tiles = zipped_divide(x, (held, *product_each(blocks.shape)))
        rest = modes_of(get(tiles, 1))[1:]
        return row([composition(get(tiles, 0), inside), *rest])

    def holders(self, coord: IntTuple, side: Side) -> tuple[tuple[int, int], ...]:
        """Return the threads that hold an element of the tile, each with the value that it is.

        >>> copy = tiled_copy("SM75_U32x1_LDSM_N", Layout((8, 4), (4, 1)), Layout((1, 2)))
        >>> copy.holders((3, 5), "dst"), copy.holders((3, 5), "src")
        (((14, 1),), ((3, 5), (11, 5), (19, 5), (27, 5)))
        """
        return _holders(self._side(side), coord, self.extents(side))

    def figure(self, side: Side = "src", rows: int = 16, columns: int = 32, slices: int = 2) -> Figure:
        """Return the picture of the tile at a side, as data: the thread and value of each element.

        >>> copy = tiled_copy("SM75_U32x1_LDSM_N", Layout((8, 4), (4, 1)), Layout((1, 2)))
        >>> [cell.text for cell in copy.figure("dst").grids[0].cells[1][:4]]
        ['T4 V0', 'T4 V1', 'T5 V0', 'T5 V1']
        """
        found: Figure = figure_of(self, part=side, rows=rows, columns=columns, slices=slices)
        return found

    def _repr_html_(self) -> str | None:
        return html_of(self)

    def _side(self, side: Side) -> AnyLayout:
        return composition(make_layout(self.tile), self._tv(side))

    def _tv(self, side: Side) -> AnyLayout:
        one_of(side, SIDES, "a side")
        bits = as_static(self.element_bits)
        reference, wanted = (upcast(x, bits) for x in (self.atom.ref, getattr(self.atom, side)))
        whole = zipped_divide(self.tv, tuple(get(reference, i).size for i in (0, 1)))
        inside = composition(get(whole, 0), composition(right_inverse(reference), wanted))
        (t, v), (rest_t, rest_v) = modes_of(inside), modes_of(get(whole, 1))
        return coalesce(row([row([t, rest_t]), row([v, rest_v])]), (1, (1, 1)))


def _copy(
    atom: CopyAtom | str, tv: AnyLayout, tile: tuple[Any, ...], element_bits: int | None
) -> TiledCopy:
    """The tiled copy of a thread-value layout, checked."""
    one = copy_atoms[atom] if isinstance(atom, str) else atom
    threads, values = (known_int(get(tv, i).size) for i in (0, 1))
    atom_threads, bits = (known_int(get(one.ref, i).size) for i in (0, 1))
    width = element_bits or max(1, bits // values)
    # a copy whose width is assumed has one bit, and moves values one by one
    if (bits % width and bits > 1) or values % max(1, bits // width) or threads % atom_threads:
        part = f"{max(1, bits // width)} values of {width} bits of {atom_threads} thread"
        raise DivisibilityError(
            f"{threads} threads of {values} values of {width} bits are no whole number of {one.name}",
            f"It moves {part}{'s' * (atom_threads != 1)}: give multiples of these."
            if bits % width == 0 or bits == 1
            else f"It moves {bits} bits of a thread, which values of {width} bits do not fill.",
            threads=threads,
            values=values,
        )
    return TiledCopy(one, tv, tile, width)


def tiled_copy(
    atom: CopyAtom | str, threads: AnyLayout, values: AnyLayout, *, element_bits: int | None = None
) -> TiledCopy:
    """Return a copy atom tiled over the threads and the values of each thread.

    >>> copy = tiled_copy("UniversalCopy<uint128_t>", Layout((16, 8), (8, 1)), Layout((1, 8)))
    >>> copy.tile, copy.element_bits
    ((16, 64), 16)
    >>> print(copy.src)
    ((8,16),(_8,_1)):((128,1),(16,0))

    Args:
        atom: An atom, or its name.
        threads: From the coordinate of a thread in the tile to its number.
        values: From the coordinate of a value beside that of its thread to its number.
        element_bits: The bits of an element; by default, those with which the values of a thread are
            one instruction.

    Raises:
        LayoutError: there is no such atom.
        DivisibilityError: the threads or the values are no multiple of those of the atom.
    Source: CuTe ``make_tiled_copy``, copy_atom.hpp.
    """
    placed = raked_product(threads, values)
    inverse = right_inverse(placed)
    tv = composition(inverse, make_layout((threads.size, values.size)))
    return _copy(atom, tv, product_each(placed.shape), element_bits)


def tiled_copy_of(
    atom: CopyAtom | str, mma: TiledMma, operand: Operand, *, element_bits: int | None = None
) -> TiledCopy:
    """Return a copy of an operand of a tiled MMA, so that its threads get what they multiply.

    >>> mma = tiled_mma("SM80_16x8x16_F32F16F16F32_TN", Layout((2, 2, 1)), (32, 32, 16))
    >>> copy = tiled_copy_of("SM75_U32x4_LDSM_N", mma, "a", element_bits=16)
    >>> print(copy.src)
    ((_16,_2,2,2),(_8,_1)):((1,256,16,0),(32,0))

    Raises:
        LayoutError: there is no such atom.
        DivisibilityError: the threads or the values are no multiple of those of the atom.
    Source: CuTe ``make_tiled_copy_A``, ``make_tiled_copy_B``, ``make_tiled_copy_C``, copy_atom.hpp.
    """
    return _copy(atom, getattr(mma, operand), mma.extents(operand), element_bits)
