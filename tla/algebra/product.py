# SPDX-License-Identifier: Apache-2.0
"""Products: a block repeated over a tiler, in the offsets that the block leaves free."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from ..errors import DivisibilityError, LayoutError, UnsupportedError
from ..layouts import (
    AnyLayout,
    ComposedLayout,
    as_layout,
    as_shape,
    cosize,
    is_composed,
    is_layout,
    is_swizzle,
    make_layout,
    make_ordered_layout,
    product_each,
    text_of,
    trusted,
)
from ..numbers import (
    IntTuple,
    _0,
    _1,
    ceil_div,
    decide_all,
    division,
    is_tuple,
    known_eq,
    known_int,
    of_domain,
)
from .by_mode import Tiler, by_mode
from .complement import free, gaps
from .composition import composed, composition, tiler_layout, walk_ints
from .divide import unzipped
from .facts import is_bijective
from .inverse import right_inverse
from .modes import in_shape, modes_of, operation, raw_modes, read_both, row

if TYPE_CHECKING:
    from ..numbers import Conditions


@operation
@of_domain
def logical_product(block: AnyLayout, tiler: Tiler, *, assume: Conditions | None = None) -> AnyLayout:
    """Return ``(block, copies)``: mode 0 is ``block``, mode 1 moves it as ``tiler`` says.

    The copies step through what the block leaves free: ``complement(block, size(block) *
    cosize(tiler)) o tiler``, where the complement goes on above the block as far as the tiler reaches.
    So the result is injective where block and tiler are.

    >>> print(logical_product(Layout((2, 2), (4, 1)), Layout(6)))
    ((2,2),(2,3)):((4,1),(2,8))

    Args:
        tiler: A layout; an int ``n`` for ``n:1``; a tuple multiplies by mode, `_` and None leave a
            mode as it is.

    Raises:
        OverlapError: the modes of the block overlap or interleave.
        DivisibilityError: the tiler cuts a free stretch of offsets unevenly.
    Source: CuTe ``logical_product``, layout.hpp.
    """
    if is_layout(tiler):
        return multiplied(block, tiler)
    if is_composed(tiler):
        found: AnyLayout = _multiplied_seen(block, tiler)
        return found
    return by_mode(lambda mode, part: multiplied(mode, tiler_layout(part)), block, tiler)


def multiplied(block: AnyLayout, tiler: AnyLayout) -> AnyLayout:
    """`logical_product` by a layout."""
    read = read_both(block, tiler)
    if read is not None:  # in one pass, where the composition needs no search
        modes, over, are_static = read
        span = sum([(s - 1) * abs(d) for s, d in over], 1)
        parts = walk_ints(gaps(modes, prod([s for s, _d in modes]) * span, block, grows=True), over)
        if parts is not None:
            return row((block, trusted(*in_shape(parts, tiler.shape, are_static))))
    rest = free(block, block.size * cosize(tiler), grows=True)
    try:
        return row((block, composed(rest, tiler)))
    except DivisibilityError as error:
        raise DivisibilityError(
            f"the product of {block} with {tiler} is not a layout",
            f"The block leaves {rest} free; it is {error.summary.removesuffix(' is not a layout')}.",
            *error.details,
            **{**error.data, "block": block, "tiler": tiler},
        ) from None


def _multiplied_seen(block: AnyLayout, tiler: Any) -> Any:
    """`logical_product` by a layout behind a swizzle: the copies of the block are swizzled.

    Raises:
        UnsupportedError: the swizzle of the copies would move elements of the block.
    """
    end = max(tiler.cosize, tiler.inner.cosize, tiler.outer.size if is_swizzle(tiler.outer) else 1)
    # up to a power of 2, so that the free offsets are linear in the bits of the copies
    rest = free(block, block.size * (1 << (known_int(end) - 1).bit_length()), grows=True)
    copies: Any = composition(rest, tiler)
    if not is_swizzle(copies.outer) or not _stays_below(block, copies):
        raise UnsupportedError(
            f"the product of {block} with {tiler} has no known form",
            "The swizzle of the copies would move elements of the block too.",
            block=block,
            tiler=tiler,
        )
    return ComposedLayout(copies.outer, copies.offset, row((block, copies.inner)))


def _stays_below(block: AnyLayout, copies: Any) -> bool:
    """Whether no offset of the block carries into the bits that the swizzle of its copies moves."""
    if not copies.outer.bits:
        return True
    modes = [(known_int(s), known_int(d)) for s, d in raw_modes(copies.inner)]
    ends = [1 << i for i in range(int(copies.outer.base) + 1)]
    # below such an end the block and some of its copies add up without a carry
    low = [
        known_int(copies.offset) % end + sum([(s - 1) * d for s, d in modes if d % end]) for end in ends
    ]
    return any(known_int(block.cosize) + x <= end for x, end in zip(low, ends, strict=True))


@operation
@of_domain
def zipped_product(block: AnyLayout, tiler: Tiler, *, assume: Conditions | None = None) -> AnyLayout:
    """Return ``((blocks), (copies))``: `logical_product` by mode, gathered as in `zipped_divide`.

    >>> print(zipped_product(Layout((2, 2), (1, 2)), Layout(6)))
    ((2,2),6):((1,2),4)

    Raises:
        OverlapError, DivisibilityError, CongruenceError: as `logical_product`.
    Source: CuTe ``zipped_product``, layout.hpp.
    """
    return unzipped(_split, block, tiler)


def _split(shape: Any, stride: Any, tiler: Any) -> tuple[Any, Any]:
    whole = multiplied(trusted(shape, stride), tiler_layout(tiler))
    return whole.shape, whole.stride


@operation
@of_domain
def tiled_product(block: AnyLayout, tiler: Tiler, *, assume: Conditions | None = None) -> AnyLayout:
    """Return ``((blocks), copy, copy, ...)``: `zipped_product` with the copies at the top.

    >>> print(tiled_product(Layout((2, 2), (1, 2)), Layout((2, 3), (3, 1))))
    ((2,2),2,3):((1,2),12,4)

    Raises:
        OverlapError, DivisibilityError, CongruenceError: as `logical_product`.
    Source: CuTe ``tiled_product``, layout.hpp.
    """
    blocks, copies = modes_of(zipped_product(block, tiler))
    return row((blocks, *modes_of(copies)))


@operation
@of_domain
def flat_product(block: AnyLayout, tiler: Tiler, *, assume: Conditions | None = None) -> AnyLayout:
    """Return ``(block, block, ..., copy, copy, ...)``: `zipped_product` with all modes at the top.

    >>> print(flat_product(Layout((2, 2), (1, 2)), Layout((2, 3), (3, 1))))
    (2,2,2,3):(1,2,12,4)

    Raises:
        OverlapError, DivisibilityError, CongruenceError: as `logical_product`.
    Source: CuTe ``flat_product``, layout.hpp.
    """
    blocks, copies = modes_of(zipped_product(block, tiler))
    return row((*modes_of(blocks), *modes_of(copies)))


# --- products that keep the modes -------------------------------------------------------------


@operation
@of_domain
def blocked_product(
    block: AnyLayout, tiler: AnyLayout, *, assume: Conditions | None = None
) -> AnyLayout:
    """Return the layout whose mode ``i`` is ``(block mode i, tiler mode i)``: a tiling of whole blocks.

    >>> print(blocked_product(Layout((2, 5), (5, 1)), Layout((3, 4), (1, 3))))
    ((2,3),(5,4)):((5,10),(1,30))

    The shorter of the two gets modes of size 1.

    Raises:
        OverlapError, DivisibilityError, CongruenceError: as `logical_product`.
    Source: CuTe ``blocked_product``, layout.hpp.
    """
    blocks, copies = _paired(block, tiler)
    return row([row((b, c)) for b, c in zip(blocks, copies, strict=True)])


@operation
@of_domain
def raked_product(block: AnyLayout, tiler: AnyLayout, *, assume: Conditions | None = None) -> AnyLayout:
    """Return the layout whose mode ``i`` is ``(tiler mode i, block mode i)``: blocks interleaved.

    >>> print(raked_product(Layout((2, 5), (5, 1)), Layout((3, 4), (1, 3))))
    ((3,2),(4,5)):((10,5),(30,1))

    Raises:
        OverlapError, DivisibilityError, CongruenceError: as `logical_product`.
    Source: CuTe ``raked_product``, layout.hpp.
    """
    blocks, copies = _paired(block, tiler)
    return row([row((c, b)) for b, c in zip(blocks, copies, strict=True)])


def _paired(block: AnyLayout, tiler: AnyLayout) -> tuple[tuple[AnyLayout, ...], tuple[AnyLayout, ...]]:
    """The modes of the block and of its copies, as many of each."""
    first, second = modes_of(multiplied(*same_rank(block, tiler)))
    return modes_of(first), modes_of(second)


def same_rank(block: AnyLayout, tiler: AnyLayout) -> tuple[AnyLayout, AnyLayout]:
    """Return both with modes of size 1 appended to the shorter."""
    over: Any = tiler
    blocks = modes_of(as_layout(block))
    tilers = modes_of(as_layout(over) if is_tuple(over) else tiler_layout(over))
    rank = max(len(blocks), len(tilers))
    one = make_layout(_1, _0)
    first, second = (row([*modes, *[one] * (rank - len(modes))]) for modes in (blocks, tilers))
    return first, second


@operation
@of_domain
def tile_to_shape(
    block: AnyLayout, shape: IntTuple, order: IntTuple | None = None, *, assume: Conditions | None = None
) -> AnyLayout:
    """Return the layout of ``shape`` made of copies of ``block``, in the order of modes given.

    >>> print(tile_to_shape(Layout((2, 4), (4, 1)), (8, 20), (1, 0)))
    ((2,4),(4,5)):((4,40),(1,8))

    Args:
        shape: A size for each mode of the result, a multiple of the block's.
        order: The mode with the least order is tiled first, of equal ones the first; by default the
            first mode.

    Raises:
        DivisibilityError: a size is no multiple of the block's. The error offers the padded shape.
        LayoutError: the block has more modes than the shape, or no coordinate.
        OverlapError: the modes of the block overlap or interleave.
    Source: CuTe ``tile_to_shape``, layout.hpp.
    """
    target = product_each(as_shape(shape))
    sizes = tuple([mode.size for mode in modes_of(as_layout(block))])
    if len(sizes) > len(target):
        raise LayoutError(
            f"cannot tile the shape {text_of(shape)}, of rank {len(target)}, with {block},"
            f" of rank {len(sizes)}",
            block=block,
            shape=shape,
        )
    if any(known_eq(n, 0) is True for n in sizes):
        raise LayoutError(f"{block} has no coordinate, and so tiles no shape", block=block, shape=shape)
    sizes = (*sizes, *[1] * (len(target) - len(sizes)))
    pairs = list(zip(sizes, target, strict=True))
    if not decide_all(division(n, m) for n, m in pairs):
        padded = tuple([ceil_div(m, n) * n for n, m in pairs])
        raise DivisibilityError(
            f"{block} does not tile the shape {text_of(shape)}",
            f"Its modes have the sizes {text_of(sizes)}; the padded shape {text_of(padded)} would do.",
            block=block,
            shape=shape,
            padded_shape=padded,
        )
    counts = tuple([m // n for n, m in pairs])
    copies = make_layout(counts) if order is None else make_ordered_layout(counts, order)
    return blocked_product(block, copies)


@operation
def make_layout_tv(
    threads: AnyLayout, values: AnyLayout, *, assume: Conditions | None = None
) -> tuple[Any, AnyLayout]:
    """Return ``(tiler, layout)``: the tile that threads with values cover, and which elements they hold.

    With ``mn = raked_product(threads, values)``, the tile numbered by thread and value,
    ``mn(layout((t, v))) == t + threads.size * v``: ``layout`` gives the index in the tile.

    >>> tiler, tv = make_layout_tv(Layout((2, 3), (3, 1)), Layout((2, 2), (2, 1)))
    >>> print(tiler, tv)
    (4, 6) ((3,2),(2,2)):((8,2),(4,1))

    Raises:
        LayoutError: the threads, or the values, are not numbered from 0 without gaps.
    Source: CuTe DSL ``make_layout_tv``.
    """
    mn = raked_product(as_layout(threads), as_layout(values))
    for what, layout in (("threads", threads), ("values", values)):
        if not is_bijective(layout):
            raise LayoutError(
                f"threads {threads} with values {values} do not fill a tile",
                f"The {what} must be numbered 0 to {layout.size - _1}, each once.",
                threads=threads,
                values=values,
            )
    shape = make_layout((threads.size, values.size))
    return product_each(mn.shape), composed(right_inverse(mn), shape)
