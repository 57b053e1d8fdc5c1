"""Memory spaces that a chip does not have."""

from __future__ import annotations

import pytest

from tla.cli.spaces import unknown_spaces
from tla.xla_bridge.tpu import CHIPS, memory_space_name


@pytest.mark.parametrize("chip", CHIPS)
def test_each_number_without_a_name_is_said_and_no_other(chip: str) -> None:
    said = unknown_spaces(range(12), chip)
    nameless = [n for n in range(12) if memory_space_name(n, chip) == f"S({n})"]
    assert [sentence.partition(":")[0] for sentence in said] == [
        f"{chip} has no known S({n})" for n in nameless
    ]


def test_the_chips_that_have_it_are_said() -> None:
    assert unknown_spaces([3, 0, 3], "v5e") == ["v5e has no known S(3): it is CMEM on v4"]
    assert unknown_spaces([2, 1], "v3") == [
        "v3 has no known S(1): it is VMEM on v5e, v5p, v6e, tpu7x",
        "v3 has no known S(2): it is sync flags on v4, v5e, v5p, v6e, tpu7x",
    ]
    assert unknown_spaces([4], "v4") == ["v4 has no known S(4)"]


def test_without_a_chip_numbers_are_what_was_asked_for() -> None:
    assert unknown_spaces([1, 2, 3, 9], None) == []
