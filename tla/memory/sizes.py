"""Sizes in XLA's text, ``512B``, ``4.0K``, ``31.00G``, and the numbers of bytes with that text.

>>> printed_bytes(33285996544), bytes_printed_as("4.0K")
('31.00G', range(4045, 4148))
"""

from __future__ import annotations

import re
from typing import Final

from ..errors import ArgumentError, ParseError
from ..ground import int_in

_UNITS: Final = "BKMGTPE"
_DECIMALS: Final = {"B": 0, "K": 1}

SIZE: Final = r"\d+(?:\.\d+)?[BKMGTPE](?:iB)?"
"""The regular expression of a printed size."""

_PARTS = re.compile(r"(\d{1,19})(?:\.(\d{1,9}))?([BKMGTPE])(?:iB)?")


def printed_bytes(count: int) -> str:
    """Return a number of bytes in XLA's text: a power of 1024 as unit, two decimals, or one for ``K``.

    >>> [printed_bytes(n) for n in (1023, 1024, 81920000, 2818572288)]
    ['1023B', '1.0K', '78.12M', '2.62G']

    The count is first cut to whole multiples of the next smaller unit. Then its decimals are rounded,
    with halves to even.

    Raises:
        ArgumentError: the count is negative.

    Source: ``HumanReadableNumBytes``, tsl/platform/numbers.cc.
    """
    if count < 0:
        raise ArgumentError(f"a size is not negative: {count}")
    if count < 1024:
        return f"{count}B"
    unit = 1
    while count >= 1 << 20 and unit < len(_UNITS) - 1:
        count >>= 10
        unit += 1
    decimals = _DECIMALS.get(_UNITS[unit], 2)
    scaled = _in_parts(count, decimals)
    whole, part = divmod(scaled, _power(decimals))
    return f"{whole}.{part:0{decimals}}{_UNITS[unit]}"


def _in_parts(count: int, decimals: int) -> int:
    """``count / 1024`` in units of the last decimal, rounded half to even."""
    quotient, rest = divmod(count * _power(decimals), 1024)
    return quotient + int(rest > 512 or (rest == 512 and quotient % 2 == 1))


def _power(decimals: int) -> int:
    return int(10**decimals)


def bytes_printed_as(text: str) -> range:
    """Return all numbers of bytes with this text, as an interval.

    >>> n = bytes_printed_as("31.00G")
    >>> n.start, n[-1], printed_bytes(n.start), printed_bytes(n.start - 1)
    (33280753664, 33292287999, '31.00G', '30.99G')

    The text may have other decimals than XLA's, such as ``16G``. Then it is rounded to these decimals.

    Raises:
        ParseError: the text is no size.
    """
    match = _PARTS.fullmatch(text)
    if match is None:
        raise ParseError(f"{text!r} is not a size such as 512B, 4.0K or 31.00G", text, 0, len(text))
    whole, part, letter = match[1], match[2] or "", match[3]
    target, decimals = int_in(whole + part), len(part)
    if letter == "B":
        count, rest = divmod(target, _power(decimals))
        return range(count, count + 1) if not rest and count < 1024 else range(0)
    unit = _UNITS.index(letter)
    shift = 10 * (unit - 1)  # the count is cut to multiples of the unit before it
    low = max(1024, _first(target, decimals))
    high = _first(target + 1, decimals)
    if unit < len(_UNITS) - 1:
        high = min(high, 1 << 20)  # a greater number has the next unit
    return range(low << shift, max(low, high) << shift)


def _first(target: int, decimals: int) -> int:
    """The least count whose `_in_parts` is at least ``target``."""
    low = max(0, target * 1024 // _power(decimals) - 1024)
    high = target * 1024 // _power(decimals) + 1
    while low < high:
        middle = (low + high) // 2
        if _in_parts(middle, decimals) >= target:
            high = middle
        else:
            low = middle + 1
    return low


def printed_expansion(padded: int, data: int) -> str:
    """Return the ratio of an array's memory to its data in XLA's text; ``-`` without data.

    >>> printed_expansion(34359738368, 1073741824), printed_expansion(1024, 0)
    ('32.0x', '-')
    """
    return f"{padded / data:.1f}x" if data else "-"
