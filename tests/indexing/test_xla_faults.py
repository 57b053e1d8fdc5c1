"""What XLA's indexing analysis gets wrong: each case by enumeration, as docs/xla_indexing.md tells it.

The answers called XLA's are those of its sources of autumn 2025 and 2026 (``indexing_map.cc``,
``indexing_analysis.cc``) and of its own tests, as they were read or run.
"""

from __future__ import annotations

import pytest

from tla.indexing import parse_map, simplify

from .truth import pairs

SIMPLIFIER = {
    "C3, a digit that reaches over its weight": (
        "(d0, d1) -> (d0, d1), domain: d0 in [0, 9], d1 in [5, 6], d0 * 10 + d1 in [0, 20]",
        "(d0, d1) -> (d0, d1), domain: d0 in [0, 2], d1 in [5, 6]",
        {(2, 5), (2, 6)},
    ),
    "C3, a digit past its weight": (
        "(d0, d1) -> (d0, d1), domain: d0 in [0, 5], d1 in [2, 3], d1 + d0 * 2 in [0, 3]",
        "(d0, d1) -> (d0, d1), domain: d0 in [0, 1], d1 in [2, 3]",
        {(1, 2), (1, 3)},
    ),
    "C2, a negative divisor": (
        "(d0) -> (d0), domain: d0 in [0, 40], d0 floordiv -3 in [-11, -5]",
        "(d0) -> (d0), domain: d0 in [15, 35]",
        {(13,), (14,), (34,), (35,)},
    ),
    "C4, bounds below 0": (
        "(d0) -> (d0), domain: d0 in [-5, 5], d0 mod 3 in [1, 1]",
        "(d0) -> (d0), domain: d0 in [-2, 4], d0 mod 3 in [1, 1]",
        {(-5,)},
    ),
}


@pytest.mark.parametrize("name", SIMPLIFIER)
def test_the_simplifier(name: str) -> None:
    text, xla, apart = SIMPLIFIER[name]
    m = parse_map(text)
    truth = pairs([m])
    assert {x for x, _ in truth ^ pairs([parse_map(xla)])} == apart
    assert pairs([simplify(m, exact=False)]) == truth
