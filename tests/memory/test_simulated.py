"""The pieces in which the compiler counts a value outside main memory."""

from __future__ import annotations

from tla.memory.simulated import Use, ValueSteps, counted_pieces

SPANS = {"e": (0, 20), "f": (5, 8), "g": (9, 15), "h": (10, 11), "k": (12, 13)}


def test_a_value_that_nothing_reads() -> None:
    assert counted_pieces(ValueSteps(1, 5, []), SPANS) == []


def test_the_last_that_reads_it_counts() -> None:
    assert counted_pieces(ValueSteps(1, 9, [Use(9, "e"), Use(4, "e")]), SPANS) == [(1, 9)]
    assert counted_pieces(ValueSteps(1, 6, [Use(9, "e"), Use(4, "e")]), SPANS) == [
        (1, 6)
    ]  # written over


def test_the_branches_of_a_conditional() -> None:
    branches = Use(16, "e", ("f", "g"))
    assert counted_pieces(ValueSteps(1, 16, [branches]), SPANS) == [(1, 4)]  # no branch reads it
    assert counted_pieces(ValueSteps(1, 16, [branches, Use(6, "f")]), SPANS) == [(1, 4), (5, 6)]
    both = [branches, Use(6, "f"), Use(14, "g")]
    assert counted_pieces(ValueSteps(1, 16, both), SPANS) == [(1, 4), (5, 6), (9, 14)]


def test_a_conditional_that_is_not_the_last_to_read_it() -> None:
    uses = [Use(16, "e", ("f", "g")), Use(6, "f"), Use(18, "e")]
    assert counted_pieces(ValueSteps(1, 18, uses), SPANS) == [(1, 18)]


def test_a_conditional_in_a_branch() -> None:
    uses = [Use(16, "e", ("f", "g")), Use(15, "g", ("h", "k")), Use(11, "h"), Use(12, "k")]
    assert counted_pieces(ValueSteps(1, 16, uses), SPANS) == [(1, 4), (9, 9), (10, 11), (12, 12)]


def test_two_pieces_with_one_end() -> None:
    """The value is written over in step 7, so its piece in the second branch ends there too."""
    uses = [Use(16, "e", ("f", "g")), Use(8, "f"), Use(14, "g")]
    assert counted_pieces(ValueSteps(1, 7, uses), SPANS) == [(1, 4), (5, 7), (9, None)]
