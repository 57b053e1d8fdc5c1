# SPDX-License-Identifier: Apache-2.0
"""Linear layouts: functions of an index in which no bit carries into another, as matrices over F2.

A function ``f`` of the numbers below ``2**n`` is *affine* over F2 if ``f(x ^ y ^ z)`` is the xor of
``f(x)``, ``f(y)`` and ``f(z)``. It is *linear* if also ``f(0) == 0``. The images of the single bits
determine it: ``f(x) == constant ^ columns[i] ^ columns[j] ...`` for the bits ``i, j, ...`` of ``x``.
Swizzles, transposes and most layouts whose extents and strides are powers of 2 are such functions. So
are Triton's layouts.

>>> f = to_linear(composition(Swizzle(1, 0, 2), Layout((2, 4), (4, 1))))
>>> [f"{column:03b}" for column in f.columns]
['101', '001', '010']
>>> f(5) == f(1) ^ f(4), f.is_injective, f.inverse()(f(6))
(True, True, 6)
"""

from __future__ import annotations

from itertools import accumulate, combinations
from typing import TYPE_CHECKING, ClassVar, Final, TypeAlias

from ..errors import CoordinateError, LayoutError, UndecidedError
from ..ground import Record, drawn_by, figure_of, guarded, html_of, written
from ..layouts import AnyLayout, ComposedLayout, Swizzle, as_layout, is_composed, is_swizzle
from ..numbers import PLAIN_INTS, known_int, known_lt, leaf
from .coalesce import coalesced
from .coordinates import has_coordinates
from .modes import modes_of, of_modes, raw_modes, row

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ..ground import Figure

MOST_WIDTH: Final = 2048
"""The bits up to which a function is widened: twice those of a swizzle."""

Dims: TypeAlias = tuple[tuple[str, int], ...]
"""Named dims, the fastest first, each with its number of bits."""


@drawn_by("tla.figures.linear", "linear_figure")
class LinearLayout(Record):
    """The function ``f(x) == constant ^ columns[i] ^ columns[j] ...`` of the bits ``i, j...`` of ``x``.

    The bits of ``x`` and of the result are those of named dims, the fastest first, as Triton names them.

    >>> f = LinearLayout({"register": 1, "lane": 2}, {"dim0": 1, "dim1": 2}, (0b010, 0b001, 0b100))
    >>> f(0b011), f.at(register=1, lane=2)
    (3, {'dim0': 0, 'dim1': 3})
    >>> print(f)
     - register=1 -> (0, 1)
     - lane=1 -> (1, 0)
       lane=2 -> (0, 2)
    where out dims are: [dim0 (size 2), dim1 (size 4)]

    Args:
        ins, outs: The bits of each dim, by its name, the fastest first.
        columns: The images of the single bits, the lowest first; the bits of `outs` together.
        constant: The image of 0; 0 makes the function linear.

    Raises:
        LayoutError: the columns are not as many as the bits of `ins`, or one has more bits than `outs`.
    Source: Triton ``LinearLayout``, LinearLayout.h; Zhou et al., Linear Layouts, 2025.
    """

    __slots__ = ("columns", "constant", "ins", "outs")
    parts_in_order: ClassVar[tuple[str, ...]] = ("ins", "outs", "columns", "constant")

    ins: Dims
    outs: Dims
    columns: tuple[int, ...]
    constant: int

    @guarded
    def __new__(
        cls,
        ins: Mapping[str, int] | Dims,
        outs: Mapping[str, int] | Dims,
        columns: Iterable[int],
        constant: int = 0,
    ) -> LinearLayout:
        dims = [
            tuple((name, known_int(leaf(bits))) for name, bits in dict(x).items()) for x in (ins, outs)
        ]
        images = tuple([known_int(leaf(column)) for column in columns])
        n, m = (bits_of(x) for x in dims)
        if len(images) != n:
            raise LayoutError(
                f"{n} bits go in, so there are {n} columns, not {len(images)}", columns=images
            )
        start = known_int(leaf(constant))
        for x in (*images, start):
            if not 0 <= x < 1 << m:
                raise LayoutError(
                    f"a column is {written(x)}, and what comes out has {m} bit{'' if m == 1 else 's'}:"
                    f" it is below {written(1 << m)}",
                    column=x,
                    bits=m,
                )
        return cls._of(*dims, images, start)

    @property
    def size(self) -> int:
        """The number of arguments: 2 to the bits that go in."""
        return 1 << len(self.columns)

    @guarded
    def __call__(self, index: int) -> int:
        """Return the image of an index, a number of all the bits that go in.

        Raises:
            CoordinateError: the index is negative, or is ``size`` or more.
        """
        x = known_int(leaf(index))
        if not 0 <= x < self.size:
            raise CoordinateError(
                f"index {x} is outside the {self.size} indices of a linear layout", index=x
            )
        return self.constant ^ image(self.columns, x)

    @guarded
    def at(self, **places: int) -> dict[str, int]:
        """Return the coordinate in each out dim of a coordinate in each in dim; one left out is 0.

        Raises:
            CoordinateError: a coordinate is outside its dim, or there is no dim of a name.
        """
        known = dict(self.ins)
        x = 0
        for (name, bits), low in zip(self.ins, _starts(self.ins), strict=True):
            place = known_int(leaf(places.get(name, 0)))
            if not 0 <= place < 1 << bits:
                raise CoordinateError(
                    f"{name}={place} is outside the {1 << bits} of its dim", index=place
                )
            x |= place << low
        for name in places:
            if name not in known:
                raise CoordinateError(
                    f"no in dim has the name {name!r}: there are {', '.join(known)}", name=name
                )
        return dict(zip(dict(self.outs), split(self(x), self.outs), strict=True))

    # --- facts ---

    @property
    def rank(self) -> int:
        """The rank of the matrix: the image has ``2**rank`` numbers."""
        return len(eliminated(self.columns)[0])

    @property
    def is_injective(self) -> bool:
        """Whether no two indices have one image."""
        return self.rank == len(self.columns)

    @property
    def is_surjective(self) -> bool:
        """Whether every number of the bits that come out is an image."""
        return self.rank == bits_of(self.outs)

    @property
    def kernel(self) -> tuple[int, ...]:
        """A basis of the indices that move nothing: ``f(x ^ k) == f(x)``.

        >>> to_linear(Layout((2, 4, 2), (1, 0, 2))).kernel
        (2, 4)
        """
        return tuple(eliminated(self.columns)[1])

    @guarded
    def figure(self, rows: int = 64, columns: int = 64) -> Figure:
        """Return the matrix over F2 as a figure: a column for each bit that goes in.

        >>> [cell.offset for cell in to_linear(Swizzle(1, 0, 2)).figure().grids[0].cells[0]]
        [1, 0, 1]
        """
        found: Figure = figure_of(self, rows=rows, columns=columns)
        return found

    def _repr_html_(self) -> str | None:
        return html_of(self)

    # --- operations ---

    @guarded
    def widened(self, bits: int) -> LinearLayout:
        """Return the function that does the same below, and leaves further bits as they are.

        >>> to_linear(Swizzle(1, 0, 1)).widened(3).columns
        (1, 3, 4)
        """
        if bits > MOST_WIDTH:
            raise LayoutError(f"a linear layout has at most {MOST_WIDTH} bits, not {bits}", bits=bits)
        more = range(len(self.columns), bits)
        ins, outs = ((*dims, ("above", len(more))) for dims in (self.ins, self.outs))
        return LinearLayout(ins, outs, (*self.columns, *[1 << i for i in more]), self.constant)

    @guarded
    def compose(self, inner: LinearLayout) -> LinearLayout:
        """Return ``x -> self(inner(x))``.

        Raises:
            LayoutError: ``inner`` gives more bits than this takes.
        """
        if bits_of(inner.outs) > len(self.columns):
            raise LayoutError(
                f"the inner function gives {bits_of(inner.outs)} bits,"
                f" the outer one takes {len(self.columns)}"
            )
        columns = [image(self.columns, column) for column in inner.columns]
        return LinearLayout._of(inner.ins, self.outs, tuple(columns), self(inner.constant))

    def inverse(self) -> LinearLayout:
        """Return ``g`` with ``g(f(x)) == x`` and ``f(g(y)) == y``.

        Raises:
            LayoutError: the function is not bijective; the error holds an index that has the image of
                index 0, or a number that is no image.
        """
        pivots, kernel = eliminated(self.columns)
        if kernel:
            raise LayoutError(
                "a linear layout that is not injective has no inverse",
                f"Indices 0 and {kernel[0]} both go to {self.constant}; `pseudo_inverse` chooses one.",
                index=kernel[0],
            )
        if not self.is_surjective:
            missing = next(1 << i for i in range(bits_of(self.outs)) if preimage(pivots, 1 << i)[1])
            raise LayoutError(
                "a linear layout that is not surjective has no inverse",
                f"No index goes to {missing ^ self.constant}; `pseudo_inverse` answers for the images.",
                offset=missing ^ self.constant,
            )
        return self.pseudo_inverse()

    def pseudo_inverse(self) -> LinearLayout:
        """Return a linear layout ``g`` with ``f(g(y)) == y`` wherever ``y`` is an image of ``f``.

        >>> f = to_linear(Layout((2, 4), (8, 1)))
        >>> g = f.pseudo_inverse()
        >>> [g(f(x)) for x in range(8)]
        [0, 1, 2, 3, 4, 5, 6, 7]

        Source: Triton ``LinearLayout::pseudoinvert``.
        """
        pivots, _kernel = eliminated(self.columns)
        columns = tuple([preimage(pivots, 1 << i)[0] for i in range(bits_of(self.outs))])
        return LinearLayout._of(self.outs, self.ins, columns, image(columns, self.constant))

    # --- texts ---

    def __str__(self) -> str:
        """The text of Triton's ``LinearLayout::toString``; an image of 0 that is not 0 in front."""
        lines: list[str] = []
        for (name, bits), low in zip(self.ins, _starts(self.ins), strict=True):
            rows = [
                f"{name}={1 << i} -> ({', '.join(map(str, split(self.columns[low + i], self.outs)))})"
                for i in range(bits)
            ]
            lines.append(" - " + ("\n   ".join(rows) if rows else f"{name} is a size 1 dimension"))
        outs = ", ".join(f"{name} (size {1 << bits})" for name, bits in self.outs)
        if self.constant:
            lines.insert(0, f" - 0 -> ({', '.join(map(str, split(self.constant, self.outs)))})")
        return "\n".join([*lines, f"where out dims are: [{outs}]"])

    def __repr__(self) -> str:
        start = f", {self.constant}" if self.constant else ""
        return f"LinearLayout({dict(self.ins)}, {dict(self.outs)}, {self.columns}{start})"


# --- matrices ----------------------------------------------------------------------------------


def bits_of(dims: Dims) -> int:
    """Return the bits of all dims together."""
    return sum([bits for _name, bits in dims])


def _starts(dims: Dims) -> Iterator[int]:
    """The lowest bit of each dim."""
    return accumulate([bits for _name, bits in dims[:-1]], initial=0)


def split(number: int, dims: Dims) -> tuple[int, ...]:
    """Return the coordinate in each dim of a number of all bits."""
    return tuple(
        [
            (number >> low) & ((1 << bits) - 1)
            for (_name, bits), low in zip(dims, _starts(dims), strict=True)
        ]
    )


def image(columns: Iterable[int], x: int) -> int:
    """Return the product of a matrix over F2, by its columns, and the bits of ``x``."""
    out = 0
    for i, column in enumerate(columns):
        if x >> i & 1:
            out ^= column
    return out


Pivots = dict[int, tuple[int, int]]
"""Images with different highest bits, by these, each with its index."""


def eliminated(columns: Iterable[int]) -> tuple[Pivots, list[int]]:
    """Return pivots that span the images, and a basis of the indices whose image is 0."""
    pivots: Pivots = {}
    kernel: list[int] = []
    for i, column in enumerate(columns):
        index, rest = preimage(pivots, column)
        index ^= 1 << i
        if rest:
            pivots[rest.bit_length() - 1] = rest, index
        else:
            kernel.append(index)
    return pivots, kernel


def preimage(pivots: Pivots, number: int) -> tuple[int, int]:
    """Return an index, linear in ``number``, and what its image leaves of ``number``: 0 of an image."""
    index = 0
    for bit in sorted(pivots, reverse=True):
        if number >> bit & 1:
            number ^= pivots[bit][0]
            index ^= pivots[bit][1]
    return index, number


# --- layouts and back --------------------------------------------------------------------------


@guarded
def to_linear(layout: AnyLayout | ComposedLayout | Swizzle) -> LinearLayout:
    """Return a layout as a function of bits: ``to_linear(a)(i) == a(i)`` for every index ``i``.

    The in dims are the top-level modes, ``dim0`` the fastest; the out dim is ``offset``.

    >>> print(to_linear(Layout((4, 2), (2, 1))))
     - dim0=1 -> (2)
       dim0=2 -> (4)
     - dim1=1 -> (1)
    where out dims are: [offset (size 8)]

    Raises:
        LayoutError: the layout is not affine over F2. The error holds an ``index`` whose bits carry into
            each other, or an ``extent`` that is no power of 2.
        UndecidedError: an int is symbolic.
    """
    if is_swizzle(layout):
        n = int(layout.size).bit_length() - 1
        return LinearLayout({"offset": n}, {"offset": n}, [layout(1 << i) for i in range(n)])
    inner = layout.inner if is_composed(layout) else as_layout(layout)
    ins = tuple([(f"dim{i}", _index_bits(layout, mode)) for i, mode in enumerate(modes_of(inner))])
    n = bits_of(ins)
    start = known_int(layout(0))
    columns = tuple([known_int(layout(1 << i)) ^ start for i in range(n)])
    # A sum of ints is the xor of them if it is for each two: where the carries of two differ, a third
    # one cannot bring them together. A swizzle, which is linear itself, changes nothing of that.
    if not is_composed(layout) or is_swizzle(layout.outer):
        suspects: Iterable[int] = [1 << i | 1 << j for i, j in combinations(range(n), 2)]
    elif n > MOST_BITS:
        raise UndecidedError(f"{layout} has more indices than 2**{MOST_BITS}, which are all tried")
    else:
        suspects = range(1 << n)
    for x in suspects:
        offset, of_bits = known_int(layout(x)), start ^ image(columns, x)
        if offset != of_bits:
            raise LayoutError(
                f"{layout} is not linear over F2: bits of its index carry into each other",
                f"At index {x} the offset is {offset}, and the xor of what its bits move is {of_bits}.",
                index=x,
            )
    if min([start, *columns]) < 0:
        raise LayoutError(f"{layout} is not linear over F2: an offset is negative")
    width = max([start, *columns]).bit_length()
    return LinearLayout(ins, {"offset": width}, columns, start)


MOST_BITS = 16
"""The bits of an index up to which a layout behind a layout is tried at every index."""


def _index_bits(layout: object, mode: AnyLayout) -> int:
    """The bits of the coordinates of a mode, if each of its extents is a power of 2."""
    return sum([bits_of_extent(known_int(extent), layout) for extent, _stride in raw_modes(mode)])


def bits_of_extent(n: int, whose: object) -> int:
    """Return the bits of the coordinates of an extent, which must be a power of 2."""
    if n < 1 or n & (n - 1):
        top = 1 << n.bit_length() - 1 if n > 0 else 0
        ways = [f"{top} and {n - top} are coordinates of it, {top} ^ {n - top} = {n} is none."]
        summary = f"{whose} is not linear over F2: its extent {n} is not a power of 2"
        raise LayoutError(summary, *ways[: n > 0], extent=n)
    return n.bit_length() - 1


@guarded
def from_linear(f: LinearLayout) -> AnyLayout | ComposedLayout:
    """Return the layout of a function of bits, a mode for each in dim, through a swizzle if need be.

    >>> print(from_linear(LinearLayout({"x": 2, "y": 1}, {"offset": 3}, (2, 4, 1))))
    (4,2):(2,1)
    >>> print(from_linear(to_linear(composition(Swizzle(1, 0, 2), Layout((2, 4), (4, 1))))))
    Sw<1,0,2> o 0 o (2,4):(4,1)

    Raises:
        LayoutError: no layout is this function, neither by itself nor through one swizzle. The error
            holds two bits of the index that move the same bit of the offset.
    """
    identity = Swizzle(0, 0, 0)
    carry: tuple[int, int] | None = None
    for swizzle in (identity, *swizzles(bits_of(f.outs))):
        offset = swizzle(f.constant)
        strides = [swizzle(f.constant ^ column) - offset for column in f.columns]
        pairs = combinations(range(len(strides)), 2)
        torn = [
            (i, j) for i, j in pairs if swizzle(f(1 << i | 1 << j)) != offset + strides[i] + strides[j]
        ]
        if not torn:
            break
        carry = carry or torn[0]
    else:
        i, j = carry or (0, 0)
        raise LayoutError(
            "no layout is this function, neither by itself nor through one swizzle",
            f"Bits {i} and {j} of the index move the offset from {f.constant} by the xor with"
            f" {f.columns[i]} and {f.columns[j]}, which is no sum.",
            index=1 << i | 1 << j,
        )
    modes = [
        of_modes(coalesced([(2, d) for d in strides[low : low + bits]]))
        for (_name, bits), low in zip(f.ins, _starts(f.ins), strict=True)
    ]
    layout = row(modes) if len(modes) != 1 else modes[0]
    return layout if swizzle is identity and not offset else ComposedLayout(swizzle, offset, layout)


def swizzles(width: int) -> Iterator[Swizzle]:
    """Yield the swizzles that move an offset below ``2**width``, those of the fewest bits first."""
    for bits in range(1, width // 2 + 1):
        for shift in range(bits, width - bits + 1):
            for base in range(width - bits - shift + 1):
                yield Swizzle(bits, base, shift)
                yield Swizzle(bits, base, -shift)


def as_swizzle(f: LinearLayout) -> Swizzle | None:
    """Return the swizzle that a function of bits is, or None.

    >>> a = to_linear(Swizzle(1, 0, 2))
    >>> as_swizzle(a), as_swizzle(a.compose(a)), as_swizzle(to_linear(Layout((2, 2), (2, 1))))
    (Swizzle(1, 0, 2), Swizzle(0, 0, 0), None)
    """
    moved = [column ^ 1 << i for i, column in enumerate(f.columns)]  # what a bit does beside staying
    read = [i for i, x in enumerate(moved) if x]
    if f.constant:
        return None
    if not read:
        return Swizzle(0, 0, 0)
    high, shift = read[0], read[0] - (moved[read[0]].bit_length() - 1)
    if [(i, 1 << i - shift) for i in range(high, high + len(read)) if i >= shift] != [
        (i, moved[i]) for i in read
    ]:
        return None
    return Swizzle(len(read), min(high, high - shift), shift) if abs(shift) >= len(read) else None


def conjugate(layout: AnyLayout, swizzle: Swizzle) -> Swizzle | None:
    """Return the swizzle ``t`` with ``layout(swizzle(x)) == t(layout(x))`` for every index, or None.

    >>> conjugate(Layout((64, 8), (8, 1)), Swizzle(3, 3, 3))
    Swizzle(3, 0, -6)
    """
    bits, base, shift = swizzle.bits.real, swizzle.base.real, swizzle.shift.real
    modes = raw_modes(layout)
    if has_coordinates(modes):
        return None
    if not bits:
        return None if any(known_lt(d, 0) for _s, d in modes) else swizzle
    high, low = (base + shift, base) if shift > 0 else (base, base - shift)
    first = other = -1
    end = taken = 0
    for s, d in modes:  # powers of 2 that share no bit of the offset: moved as they are
        if type(s) not in PLAIN_INTS or type(d) not in PLAIN_INTS:
            break
        n, step = s.real, d.real
        if n == 1:
            continue
        moved = (n - 1) * step
        if n <= 0 or step <= 0 or n & (n - 1) or step & (step - 1) or moved & taken:
            break
        taken |= moved
        start, end = end, end + n.bit_length() - 1
        if start <= high <= end - bits:
            first = step.bit_length() - 1 + high - start
        if start <= low <= end - bits:
            other = step.bit_length() - 1 + low - start
    else:
        if first >= 0 and other >= 0:
            return Swizzle(bits, min(first, other), first - other)
    try:
        f = to_linear(layout)
    except (LayoutError, UndecidedError):
        return None
    if max(high, low) + bits > len(f.columns) or not f.is_injective:
        return None
    reads, writes = (f.columns[i : i + bits] for i in (high, low))
    first, other = reads[0].bit_length() - 1, writes[0].bit_length() - 1
    if reads != tuple([1 << first + i for i in range(bits)]) or writes != tuple(
        [1 << other + i for i in range(bits)]
    ):
        return None
    return Swizzle(bits, min(first, other), first - other)


def run_of(swizzle: Swizzle, size: int) -> int:
    """Return the greatest ``n`` such that ``swizzle(x) < size`` for every ``x < n``.

    >>> run_of(Swizzle(1, 0, 2), 8), run_of(Swizzle(1, 0, 2), 7), run_of(Swizzle(1, 0, 2), 5)
    (8, 6, 4)
    """
    period = swizzle.size.real
    run, rest = size // period * period, size % period
    if not rest:
        return run
    f = to_linear(swizzle)
    least = period
    x = rest  # the least image of the numbers from rest to the period, by aligned blocks of them
    while x < period:
        low = (x & -x).bit_length() - 1
        pivots, _kernel = eliminated(f.columns[:low])
        least = min(least, preimage(pivots, f(x))[1])
        x += 1 << low
    return run + least
