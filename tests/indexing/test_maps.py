"""Maps as values: what they say of a point, and of what is none."""

from __future__ import annotations

from typing import Any

import pytest

from tla.errors import CoordinateError, KindError
from tla.indexing import input_to_output, output_to_input, parse_map

M = parse_map("(d0)[s0]{rt0} -> (d0 + s0 + rt0), domain: d0 in [0, 1], s0 in [0, 1], rt0 in [3, 4]")


def test_a_point_has_one_int_for_each_variable() -> None:
    assert M.evaluate((1,), (0,), (4,)) == (5,)
    assert M.evaluate((9,), (0,), (4,)) == (13,)  # in the domain or not
    for point in [((1,),), ((1,), (0,)), ((1, 2), (0,), (4,)), ((1,), (0,), ()), ()]:
        with pytest.raises(CoordinateError, match=r"the map has \(1, 1, 1\) dims, ranges and runtime"):
            M.evaluate(*point)
        assert not M.contains(*point)


@pytest.mark.parametrize("way", [output_to_input, input_to_output])
def test_what_is_no_instruction(way: Any) -> None:
    with pytest.raises(KindError, match="expected an instruction, got str") as caught:
        way("n = f32[2] negate(f32[2] x)")
    assert "read_instruction reads the text of one" in str(caught.value)
    with pytest.raises(KindError, match="expected an instruction, got int"):
        way(3)
