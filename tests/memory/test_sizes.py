"""Sizes as XLA prints them."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from tla.errors import ParseError
from tla.memory.sizes import bytes_printed_as, printed_bytes, printed_expansion

counts = st.integers(0, 2**63 - 1) | st.integers(0, 60).map(lambda n: 2**n) | st.integers(0, 2**21)


def naive(count: int) -> str:
    """``HumanReadableNumBytes`` line by line; its float is a multiple of 1/1024 and so exact."""
    if count < 1024:
        return f"{count}B"
    unit = 0
    while count >= 1024 * 1024 and unit < 5:
        count //= 1024
        unit += 1
    return f"{count / 1024:.{2 if unit else 1}f}{'KMGTPE'[unit]}"


@given(counts)
def test_the_printing(count: int) -> None:
    assert printed_bytes(count) == naive(count)


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0B"), (1023, "1023B"), (1024, "1.0K"), (483328, "472.0K"), (2**20 - 1, "1024.0K"),
        (2**20, "1.00M"), (34359738368, "32.00G"), (2**40, "1.00T"), (2**50, "1.00P"),
        (2**63 - 1, "8.00E"),
    ],
)  # fmt: skip
def test_sizes(count: int, text: str) -> None:
    assert printed_bytes(count) == text


def test_halves_go_to_the_even_digit() -> None:
    """78.125 MiB is printed as 78.12M by the compiler, see ``data/oom/v5e_scoped_vmem.txt``."""
    assert printed_bytes(81920000) == "78.12M"
    assert printed_bytes(int(Fraction("16.375") * 2**20)) == "16.38M"


@given(counts)
def test_the_inverse_holds_the_count_and_nothing_else(count: int) -> None:
    text = printed_bytes(count)
    found = bytes_printed_as(text)
    assert count in found
    assert printed_bytes(found[0]) == printed_bytes(found[-1]) == text
    assert found[0] == 0 or printed_bytes(found[0] - 1) != text
    assert printed_bytes(found[-1] + 1) != text


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("512B", 512, 512),
        ("32.00G", 34354495488, 34366029823),
        ("16G", 15 * 2**30 + 2**29, 16 * 2**30 + 2**29 + 2**20 - 1),
        ("1.0KiB", 1024, 1075),
        ("1024.0K", 1048525, 1048575),
    ],
)
def test_intervals(text: str, first: int, last: int) -> None:
    found = bytes_printed_as(text)
    assert (found[0], found[-1]) == (first, last)


@pytest.mark.parametrize("text", ["", "B", "12", "1.0", "-1B", "1,0K", "1.0Q", " 1B", "1B ", "no size"])
def test_no_size(text: str) -> None:
    with pytest.raises(ParseError, match="is not a size such as 512B"):
        bytes_printed_as(text)


def test_texts_that_no_count_prints_as() -> None:
    for text in ("1.5B", "1024B", "0.5K", "0.00G", "1025.00G", "2000.0K"):
        assert not bytes_printed_as(text)
    assert list(bytes_printed_as("2.0B")) == [2]


def test_a_negative_count() -> None:
    with pytest.raises(ValueError, match="a size is not negative: -1"):
        printed_bytes(-1)


def test_expansions() -> None:
    assert [printed_expansion(*pair) for pair in ((32, 1), (3, 2), (135, 128), (5, 0))] == [
        "32.0x", "1.5x", "1.1x", "-",
    ]  # fmt: skip


def test_what_exceeds_the_greatest_unit_is_printed_in_it() -> None:
    assert [printed_bytes(2**n) for n in (69, 70, 81)] == ["512.00E", "1024.00E", "2097152.00E"]
