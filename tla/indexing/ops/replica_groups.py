# SPDX-License-Identifier: Apache-2.0
"""The devices that take part in a collective together, as expressions.

`pieces` turns a table of groups into few exact expressions. A regular group is a mixed radix number, a
*progression*; an irregular group is cut into several.
"""

from __future__ import annotations

from itertools import accumulate
from math import prod
from operator import mul
from typing import TYPE_CHECKING, Any, NamedTuple

from ...numbers import Interval
from ...xla_bridge import Break, read_digits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ...numbers import Value

Constraints = tuple[tuple[Any, Interval], ...]
"""Expressions and the bounds of their values."""

# --- progressions -----------------------------------------------------------------------------


class Digit(NamedTuple):
    """A digit: the count of its values, and what 1 of it adds to the value and to the number."""

    size: int
    stride: int
    place: int


class Progression(NamedTuple):
    """The values ``first + sum of digit * stride``; the digits write a number in mixed radix.

    >>> p = progression([0, 4, 1, 5, 2, 6])
    >>> p, [p.value(k) for k in range(p.size)], p.number(5)
    (Progression(first=0, digits=(Digit(size=2, stride=4, place=1), Digit(size=3, stride=1, place=2))), \
[0, 4, 1, 5, 2, 6], (3, ((5, Interval(0, 6)), (1, Interval(0, 2)))))

    Its values are all different: in order of size, each stride exceeds the largest sum of the smaller
    digits.
    """

    first: int
    digits: tuple[Digit, ...] = ()

    @property
    def size(self) -> int:
        """The number of its values."""
        return prod(digit.size for digit in self.digits)

    def value(self, number: Any) -> Any:
        """Return the value at a number below `size`, an int or an expression."""
        out: Any = self.first
        for i, (size, stride, place) in enumerate(self.digits):
            digit = number // place
            out = out + (digit if i == len(self.digits) - 1 else digit % size) * stride
        return out

    def number(self, value: Any) -> tuple[Any, Constraints]:
        """Return the number of a value, and constraints that hold just for values with a number."""
        digits = sorted(self.digits, key=lambda digit: abs(digit.stride))
        widths = [(digit.size - 1) * abs(digit.stride) for digit in digits]
        low = self.first + sum((size - 1) * min(stride, 0) for size, stride, _place in digits)
        constraints: list[tuple[Any, Interval]] = [(value, Interval(low, low + sum(widths)))]
        rest, number = value - low, 0
        for i in reversed(range(len(digits))):
            size, stride, place = digits[i]
            digit, rest = rest // abs(stride), rest % abs(stride)
            number = number + (digit if stride > 0 else size - 1 - digit) * place
            below = sum(widths[:i])
            if below < abs(stride) - 1:
                constraints.append((rest, Interval(0, below)))
        return number, tuple(constraints)

    @property
    def has_numbers(self) -> bool:
        """Whether a value decides its number: a stride exceeds the largest sum of the smaller digits."""
        width = 0
        for digit in sorted(self.digits, key=lambda digit: abs(digit.stride)):
            if abs(digit.stride) <= width:
                return False
            width += (digit.size - 1) * abs(digit.stride)
        return True


def progression(values: Sequence[int]) -> Progression | None:
    """Return the progression of some different values in their order; None if there is none."""
    digits = read_digits([value - values[0] for value in values])
    if isinstance(digits, Break) or prod(size for size, _stride in digits) != len(values):
        return None
    places = accumulate((size for size, _stride in digits), mul, initial=1)
    each = zip(digits, places, strict=False)
    found = Progression(values[0], tuple(Digit(*digit, place) for digit, place in each))
    return found if found.has_numbers else None


def _progressions(values: Sequence[int]) -> list[tuple[int, Progression]]:
    """Progressions that together give some values in order, each with the place of its first value."""
    whole = progression(values)
    if whole is not None:
        return [(0, whole)]
    parts = [Progression(value) for value in values]
    while len(joined := _join(parts)) < len(parts):
        parts = joined
    starts = accumulate((part.size for part in parts), initial=0)
    return list(zip(starts, parts, strict=False))


def _join(parts: list[Progression]) -> list[Progression]:
    """Neighbours that differ only by equal steps become one progression with one more digit."""
    out: list[Progression] = []
    i = 0
    while i < len(parts):
        first, digits = parts[i]
        count, best, size = parts[i].size, parts[i], 1
        while i + size < len(parts) and parts[i + size].digits == digits:
            stride = parts[i + 1].first - first
            more = Progression(first, (*digits, Digit(size + 1, stride, count)))
            if parts[i + size].first != first + size * stride or not more.has_numbers:
                break
            best, size = more, size + 1
        out.append(best)
        i += size
    return out


# --- groups as expressions --------------------------------------------------------------------


class Run(NamedTuple):
    """Neighbours in a group: their positions, and the device at a position."""

    positions: Interval
    device: Callable[[Any], Any]


class Piece(NamedTuple):
    """Devices whose groups have one form.

    Attributes:
        constraints: Constraints that hold exactly for these devices.
        size: The number of devices in a group.
        position: The place of the device in its group.
        runs: The devices of its group; their positions are 0 to ``size - 1``.
    """

    constraints: Constraints
    size: int
    position: Any
    runs: tuple[Run, ...]


def pieces(
    groups: Iterable[Sequence[int]], device: Value, placed: bool = True, ordered: bool = True
) -> list[Piece]:
    """Return the group of each device in a table, as expressions of the device.

    The constraints of exactly one piece hold for a device in a group, and of no piece for any other.

    >>> (piece,) = pieces([[0, 4], [1, 5], [2, 6], [3, 7]], 5)
    >>> piece.size, piece.position, [run.device(s) for run in piece.runs for s in run.positions]
    (2, 1, [1, 5])

    Args:
        placed: Whether the caller uses the place of the device in its group. If not, the pieces may give
            it another place, and may be fewer.
        ordered: Whether the caller uses the places of the others.
    """
    sizes: dict[int, list[Sequence[int]]] = {}
    for group in groups:
        sizes.setdefault(len(group), []).append(group)
    out: list[Piece] = []
    for size, alike in sorted(sizes.items()):
        whole = progression([x for group in alike for x in group])
        if whole is not None:
            out.append(_regular(whole, size, device))
            continue
        regular: list[Progression] = []
        for group in alike:
            members = _progressions(group if ordered else sorted(group))
            askers = members if placed == ordered else _progressions(group if placed else sorted(group))
            exact = askers if placed else members
            if len(exact) == 1:
                regular.append(exact[0][1])
            else:
                out += _irregular(askers, members, size, device)
        while len(joined := _join(regular)) < len(regular):
            regular = joined
        out += [_regular(each, size, device) for each in regular]
    return out


def _regular(table: Progression, size: int, device: Value) -> Piece:
    """The groups of ``size`` devices each that follow one another in one progression."""
    number, constraints = table.number(device)
    begin = 0 if table.size == size else number // size * size

    def member(position: Any) -> Any:
        return table.value(begin + position)

    return Piece(constraints, size, number % size, (Run(Interval(0, size - 1), member),))


def _irregular(
    askers: list[tuple[int, Progression]],
    members: list[tuple[int, Progression]],
    size: int,
    device: Value,
) -> list[Piece]:
    """The pieces of one group, which is several progressions for the device and for the others."""
    runs = tuple(
        Run(Interval(start, start + part.size - 1), _from(start, part)) for start, part in members
    )
    out: list[Piece] = []
    for start, part in askers:
        number, constraints = part.number(device)
        out.append(Piece(constraints, size, number + start, runs))
    return out


def _from(start: int, part: Progression) -> Callable[[Any], Any]:
    return lambda position: part.value(position - start)


def pairings(sources: Mapping[int, int], device: Any) -> list[tuple[Constraints, Any]]:
    """Return the function of a table on devices as expressions, each with its domain.

    >>> from tla.numbers import sym
    >>> ((_, source),) = pairings({0: 3, 1: 0, 2: 1, 3: 2}, sym("x", min=0, max=3))
    >>> print(source)
    (x{min=0,max=3}+3)%4
    """
    targets = sorted(sources)
    if not targets:
        return []
    turned = _rotation(sources, device)
    if turned is not None:
        return [turned]
    at, of = progression(targets), progression([sources[x] for x in targets])
    if at is not None and of is not None:
        number, constraints = at.number(device)
        return [(constraints, of.value(number))]
    shifts: dict[int, list[int]] = {}
    for target in targets:
        shifts.setdefault(sources[target] - target, []).append(target)
    return [
        (part.number(device)[1], device + shift)
        for shift, shifted in sorted(shifts.items())
        for _start, part in _progressions(shifted)
    ]


def _rotation(sources: Mapping[int, int], device: Any) -> tuple[Constraints, Any] | None:
    """A cyclic shift along one digit of all devices."""
    count = len(sources)
    if sorted(sources) != list(range(count)):
        return None
    for low in range(1, count):
        for size in range(2, count // low + 1):
            by, odd = divmod(sources[0], low)
            if count % (low * size) or odd or not 0 < by < size:
                continue
            if all(
                y == x + ((x // low + by) % size - x // low % size) * low for x, y in sources.items()
            ):
                above, below = device // (low * size) * (low * size), device % low
                turned = above + (device // low + by) % size * low + below
                return ((device, Interval(0, count - 1)),), turned
    return None
