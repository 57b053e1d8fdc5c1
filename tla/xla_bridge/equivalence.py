# SPDX-License-Identifier: Apache-2.0
"""The comparison of two layouts of an array: whether a copy between them is a bitcast.

>>> a, b = parse_shape("f32[4,8]{1,0:T(2,4)(2,1)}"), parse_shape("f32[4,8]{1,0:T(2,1)}")
>>> equivalent(a, b), equivalent(a, parse_shape("f32[4,8]{1,0:T(2,4)}"))
(True, False)
>>> print(*differences(a, parse_shape("f32[4,8]{1,0:T(2,4)}")))
index (0,1) lies at 2 and at 1

Layouts with one mode for each dim are compared by their digits, for any size. If one has no digits, the
proof of that is an index at which the two differ. If both have none, they are compared over the same
combined coordinates, or index by index up to the ``indices`` of `limits`. Otherwise the answer
is `LimitError`.

Source: our own derivation; ``Shape::Equal`` of XLA compares texts, field by field.
"""

from __future__ import annotations

from itertools import chain, product
from math import prod
from typing import TYPE_CHECKING, NamedTuple

from ..errors import UndecidedError
from ..ground import limit_error, limit_of
from ..layouts import is_composed
from .arguments import commas
from .digits import difference_of, join_digits
from .every_size import are_same, at_bounds, at_some_sizes, is_open, with_common_facts, written_dims
from .tiling import coordinates, row_major
from .views import View, view_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..layouts import AnyLayout, ComposedLayout
    from ..numbers import IntLike
    from .digits import Digits
    from .shape import AnyShape


class Difference(NamedTuple):
    """One way in which two layouts differ.

    >>> for difference in differences(parse_shape("f32[2,3]{1,0}"), parse_shape("f32[2,3]{0,1}")):
    ...     difference.kind, difference.a, difference.b, difference.at
    ('offset', 1, 2, (0, 1))

    Attributes:
        kind: ``"dims"``, ``"element type"``, ``"element size"``, ``"offset"``, ``"size"``, ``"split"``,
            ``"memory space"`` or ``"prefix"``.
        a, b: The values of each: offsets and sizes in elements, an element size in bits, a prefix in
            bytes.
        at: For an offset, an index at which they differ; the first one in row-major order if both have
            digits.
        unknown: The sizes at which they differ, by name, if sizes are unknown: ``(("M", 16),)``.
    """

    kind: str
    a: object
    b: object
    at: tuple[int, ...] | None = None
    unknown: tuple[tuple[str, int], ...] = ()

    @property
    def is_placement(self) -> bool:
        """Whether it is in the place of the array, and not in its layout."""
        return self.kind in {"memory space", "prefix"}

    def __str__(self) -> str:
        if self.at is not None:
            index = ",".join(map(str, self.at))
            text = f"index ({index}) lies at {self.a} and at {self.b}"
        else:
            unit = {"size": ", in elements", "element size": ", in bits", "prefix": ", in bytes"}
            verb = "are" if self.kind == "dims" else "is"
            text = f"the {self.kind} {verb} {self.a} and {self.b}{unit.get(self.kind, '')}"
        sizes = " and ".join(f"{name} is {n}" for name, n in self.unknown)
        return f"{text}, if {sizes}" if sizes else text


def equivalent(
    a: AnyShape | AnyLayout | ComposedLayout,
    b: AnyShape | AnyLayout | ComposedLayout,
    *,
    size: IntLike | None = None,
) -> bool:
    """Whether two layouts have the same element type, dims, offset of each element, and size.

    >>> equivalent(parse_shape("f32[3,5]{1,0:T(2,2)}"), parse("((2,2),(2,3)):((2,12),(1,4)):(3,5)"))
    True
    >>> equivalent(parse_shape("f32[64]"), parse_shape("f32[64]{0:S(1)}"))
    True

    The size is the array's memory, with all padding and ``L``. Another element size (``E``) or another
    split (``SC``) is another layout. The memory space ``S`` and the prefix ``M`` place the whole array
    and do not count here; `is_bitcast` and `differences` compare them too. A nested layout has no
    element type, and no size but ``size``, so these do not count. An unknown dim of a layout is ``?`` in
    XLA, or ``<=N`` if it has a bound and no offset needs it.

    >>> equivalent(parse_shape("f32[?,<=4]"), parse("(M,4):(4,1):(M,N{min=0,max=4})"))
    True

    Args:
        size: The elements of memory of each nested layout; an XLA shape has its own.

    Raises:
        UndecidedError: unknown sizes decide, or neither has digits and they are too large.
        UnsupportedError: one is a tuple, a token or opaque.
        LayoutError: no int has the facts that the two state of an unknown of one name.
    """
    return all(each.is_placement for each in differences(a, b, size=size))


def differences(
    a: AnyShape | AnyLayout | ComposedLayout,
    b: AnyShape | AnyLayout | ComposedLayout,
    *,
    size: IntLike | None = None,
) -> tuple[Difference, ...]:
    """Return every difference of two layouts. If the dims differ, the offsets are not compared.

    >>> for each in differences(parse_shape("f32[3,5]"), parse_shape("f32[3,5]{0,1:T(8)S(1)}")):
    ...     print(each)
    index (0,1) lies at 1 and at 8
    the size is 15 and 40, in elements
    the memory space is 0 and 1

    Args, Raises: as `equivalent`.
    """
    a, b = at_bounds(a), at_bounds(b)
    if (is_open(a) or is_open(b)) and not is_composed(a) and not is_composed(b):
        return _for_every_size(a, b, size)
    one, other = view_of(a, size), view_of(b, size)
    found: list[Difference] = []
    if one.written != other.written:
        found.append(Difference("dims", _dims(one.written), _dims(other.written)))
    else:
        witness = _moved_index(one, other)
        if witness is not None:
            found.append(Difference("offset", one.offset(witness), other.offset(witness), witness))
    for kind, x, y in (
        ("element type", one.type_name, other.type_name),
        ("element size", one.bits, other.bits),
        ("size", one.size, other.size),
        ("split", _splits(one), _splits(other)),
        ("memory space", one.memory_space, other.memory_space),
        ("prefix", one.prefix, other.prefix),
    ):
        if x is not None and y is not None and x != y:
            found.append(Difference(kind, x, y))
    order = ["dims", "element type", "element size", "offset"]
    return tuple(sorted(found, key=lambda d: order.index(d.kind) if d.kind in order else len(order)))


def is_bitcast(
    a: AnyShape | AnyLayout | ComposedLayout, b: AnyShape | AnyLayout | ComposedLayout
) -> bool:
    """Whether the memory of ``a`` is also that of ``b``: the same elements in row-major order, in place.

    The element of row-major number ``k`` has the same offset in both, for every ``k``. The number and
    size of elements, the memory, its space and the prefix agree. So a copy or reshape between them moves
    nothing.

    >>> a = parse_shape("f32[16,128]{1,0:T(8,128)}")
    >>> is_bitcast(a, parse_shape("f32[2,8,128]{2,1,0:T(8,128)}"))
    True
    >>> is_bitcast(a, parse_shape("f32[2048]")), is_bitcast(a, parse_shape("f32[16,128]{0,1}"))
    (True, False)

    Raises:
        UndecidedError, UnsupportedError: the same as for `equivalent`.
    """
    a, b = at_bounds(a), at_bounds(b)
    is_any_size = (is_open(a) or is_open(b)) and not is_composed(a) and not is_composed(b)
    if is_any_size and written_dims(a) == written_dims(b):
        return all(each.kind == "element type" for each in _for_every_size(a, b, None))
    one, other = view_of(a, None), view_of(b, None)
    facts = [
        (one.bits, other.bits),
        (one.size, other.size),
        (one.splits, other.splits),
        (one.memory_space, other.memory_space),
        (one.prefix, other.prefix),
    ]
    if prod(one.dims) != prod(other.dims):
        return False
    if any(x is not None and y is not None and x != y for x, y in facts):
        return False
    if one.dims == other.dims:
        return _moved_index(one, other) is None
    return not prod(one.dims) or _is_reshape(one, other)


def _for_every_size(
    a: AnyShape | AnyLayout | ComposedLayout,
    b: AnyShape | AnyLayout | ComposedLayout,
    size: IntLike | None,
) -> tuple[Difference, ...]:
    """The differences of layouts with unknown sizes, each with sizes at which the two differ."""
    found: tuple[Difference, ...] = ()
    if written_dims(a) != written_dims(b):
        return (Difference("dims", _dims(written_dims(a)), _dims(written_dims(b))),)
    here, there = with_common_facts(a, b)
    same: list[dict[str, int]] = []
    for values, one, other in at_some_sizes(here, there):
        found = differences(one, other, size=size)
        kinds = {each.kind for each in found}
        if kinds & {"offset", "size"}:
            sizes = tuple(values.items())
            return tuple(d._replace(unknown=sizes) if d.kind in {"offset", "size"} else d for d in found)
        if "dims" not in kinds:
            same.append(values)
    if are_same(here, there):
        return found
    raise UndecidedError(
        f"cannot decide whether {a} and {b} are one layout for every unknown size",
        *([f"They are for {_sizes_text(same)}."] if same else []),
        a=a,
        b=b,
    )


def _sizes_text(sizes: Sequence[dict[str, int]]) -> str:
    """Sizes in words: ``M = 1, 2, 3`` or ``(M, K) = (1, 1), (2, 2)``."""
    if len(sizes[0]) == 1:
        (name,) = sizes[0]
        return f"{name} = {', '.join(str(each[name]) for each in sizes)}"
    rows = (", ".join(map(str, each.values())) for each in sizes)
    return f"({', '.join(sizes[0])}) = {', '.join(f'({row})' for row in rows)}"


def _splits(view: View) -> str | None:
    """The split configs in XLA's text; None for a nested layout, which has none."""
    if view.splits is None:
        return None
    return "SC" + "".join(f"({d}:{commas(at)})" for d, at in view.splits) if view.splits else "none"


def _dims(texts: Sequence[str]) -> str:
    return "[" + ",".join(texts) + "]"


# --- the same dims ----------------------------------------------------------------------------


def _moved_index(a: View, b: View) -> tuple[int, ...] | None:
    """An index that has two offsets, or None if there is none."""
    if not prod(a.dims):
        return None
    if a.digits is not None and b.digits is not None:
        return _first_difference(a.digits, b.digits)
    for index in _suspects(a, b):
        if a.offset(index) != b.offset(index):
            return index
    if a.is_known_as(b):
        return None
    if prod(a.dims) > limit_of("indices"):
        raise _undecided_error(a, b)
    every = product(*map(range, a.dims))
    return next((index for index in every if a.offset(index) != b.offset(index)), None)


def _first_difference(a: Sequence[Digits], b: Sequence[Digits]) -> tuple[int, ...] | None:
    """The first index in row-major order at which digits differ; it is on the last such dim."""
    for dim in reversed(range(len(a))):
        at = difference_of(a[dim], b[dim])
        if at is not None:
            return tuple(at if d == dim else 0 for d in range(len(a)))
    return None


def _suspects(a: View, b: View) -> Iterator[tuple[int, ...]]:
    """Indices of which one differs if only one of the two has digits, and other likely ones."""
    for view in (a, b):
        yield from view.proof
    for view in (a, b):
        yield from view.suspects()


def _undecided_error(a: View, b: View) -> UndecidedError:
    count, most = prod(a.dims), limit_of("indices")
    return limit_error(
        "indices",
        f"cannot decide whether {a.given} and {b.given} place every element alike",
        f"They have {count} elements and no digits to compare; at most {most} are looked at.",
        needed=count,
        a=a.given,
        b=b.given,
    )


# --- a row-major reshape ----------------------------------------------------------------------


def _is_reshape(a: View, b: View) -> bool:
    """Whether elements of the same row-major number have the same offset, for other dims."""
    if a.digits is None or b.digits is None:
        return _by_number(a, b, [])
    breaks: list[int] = []
    for ours, theirs in _factors(a.dims, b.dims):
        one, other = _in_a_row(a, ours), _in_a_row(b, theirs)
        if isinstance(one, int) or isinstance(other, int):
            breaks += [n for n in (one, other) if isinstance(n, int)]
        elif difference_of(one, other) is not None:
            return False
    return not breaks or _by_number(a, b, breaks)


def _factors(a: Sequence[int], b: Sequence[int]) -> Iterator[tuple[list[int], list[int]]]:
    """The dims cut into the shortest groups of equal products, by number, major first."""
    ours: list[int] = []
    theirs: list[int] = []
    i = j = 0
    while i < len(a) or j < len(b):
        m, n = prod(a[d] for d in ours), prod(b[d] for d in theirs)
        if (m <= n and i < len(a)) or j == len(b):
            ours.append(i)
            i += 1
        else:
            theirs.append(j)
            j += 1
        if prod(a[d] for d in ours) == prod(b[d] for d in theirs):
            yield ours, theirs
            ours, theirs = [], []
    if ours or theirs:  # dims of size 1
        yield ours, theirs


def _in_a_row(view: View, dims: Sequence[int]) -> Digits | int:
    """The digits of the row-major number of some dims, or the number at which a dim carries into the
    next.

    The number is that of the whole array.
    """
    row: Digits = ()
    extent = 1
    for d in reversed(dims):
        low, extent = extent, extent * view.dims[d]
        longer = join_digits(row, (view.digits or ())[d], low, extent)
        if longer is None:
            return low * prod(view.dims[dims[-1] + 1 :])
        row = longer
    return row


def _by_number(a: View, b: View, breaks: Sequence[int]) -> bool:
    """Whether the elements of each row-major number have the same offset, element by element."""
    count = prod(a.dims)
    suspects = (row_major(index, view.dims) for view in (a, b) for index in view.suspects())
    numbers = chain(breaks, suspects, range(count) if count <= limit_of("indices") else ())
    if any(a.offset(coordinates(k, a.dims)) != b.offset(coordinates(k, b.dims)) for k in numbers):
        return False
    if count > limit_of("indices"):
        raise _undecided_error(a, b)
    return True
