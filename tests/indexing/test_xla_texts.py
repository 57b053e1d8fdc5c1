"""XLA's own tests of maps: the texts that they ask for are ours, but for those in a table here.

``data/xla_indexing_map_tests.jsonl`` has, from openxla/xla ``hlo/analysis/indexing_map_test.cc`` at
41df019e, the name of each test that turns a map into another one, what it does, and both texts.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tla.indexing import compose, parse_map, relation, to_text
from tla.indexing.rescale import ranges_to_dims, rescale_symbols, symbols_to_dims
from tla.indexing.rewriting import rewritten
from tla.indexing.unused import remove_unused_symbols, remove_unused_vars

if TYPE_CHECKING:
    from collections.abc import Callable

    from tla.indexing import IndexingMap

DATA = Path(__file__).parents[1] / "data" / "xla_indexing_map_tests.jsonl"
ROWS: list[dict[str, Any]] = [json.loads(line) for line in DATA.read_text().splitlines()]

EDITS: dict[str, Callable[[IndexingMap], IndexingMap]] = {
    "read": lambda m: m,
    "simplify": lambda m: rewritten(m, replace=True),  # with the ranges in the order of XLA
    "remove_unused_vars": remove_unused_vars,
    "remove_unused_symbols": remove_unused_symbols,
    "symbols_to_dims": symbols_to_dims,
    "ranges_to_dims 0 2": lambda m: ranges_to_dims(m, [0, 2]),
    "rescale_symbols": rescale_symbols,
}

SORTED = "XLA writes summands as they came where nothing is simplified; here equal sums are one value"
UNSOUND = "XLA's bounds leave out 13 and 14 and have 34 and 35: -3 turns the rest around with the ends"
SHORTER = "XLA divides what it adds by 3 alone; (s0*6 + 9) // 18 is (s0 + 9 // 6) // 3"
POSITIVE = "XLA keeps negative divisors; here x // -c is (-x) // c, which is flattened and negated"
MULTIPLIED = "XLA keeps a product of two variables as it came; here it is multiplied out"
UNIQUE = "XLA puts the first congruence that a hash table yields; here both are one"
PROVED = "XLA keeps what speaks of used and unused variables; here it goes if some value always fits"

DIFFERENCES = {
    "Composition_OnlyRTVars": SORTED,
    "ConvertSymbolsToDimensions": SORTED,
    "ConvertRangeVariablesToDimensions": SORTED,
    "ConvertRangeVariablesToDimensionsWithRuntimeVars": SORTED,
    "ConstraintIntervalSimplification_FloorDivNegativeDivisorNegativeBounds": UNSOUND,
    "SymbolicMapSimplification_DivSumConstant": SHORTER,
    "SymbolicMapSimplification_NegativeDiv": POSITIVE,
    "RescaleSymbols_RescaledSymbolInOtherNonModConstraint": MULTIPLIED,
    "RescaleSymbols_TwoModConstraintsForTheSameSymbolWhichCannotBeMerged": UNIQUE,
    "RemoveUnusedVars_ConstraintUsesDim": PROVED,
    "RemoveUnusedVars_ConstraintsWithManyDims": PROVED,
    "RemoveUnusedSymbols_ConstraintUsesSymbol": PROVED,
}
"""Why we answer otherwise."""


def edited(row: dict[str, Any]) -> IndexingMap:
    if row["op"] == "compose":
        first, second = map(parse_map, row["before"])
        return compose(first, second)
    m = parse_map(row["before"])
    for name in row["op"].split(", "):
        m = EDITS[name](m)
    return m


def test_the_texts_are_those_of_xla_but_where_the_table_says_so() -> None:
    others = {
        row["test"] for row in ROWS if row["after"] and to_text(edited(row), "2026") != row["after"]
    }
    assert others == set(DIFFERENCES)
    assert len(ROWS) == 79


def differing(*reasons: str) -> pytest.MarkDecorator:
    """The rows where we answer otherwise for one of some reasons."""
    found = [row for row in ROWS if row["after"] and DIFFERENCES.get(row["test"]) in reasons]
    return pytest.mark.parametrize("row", found, ids=lambda row: row["test"])


@differing(SORTED, POSITIVE, MULTIPLIED, SHORTER)
def test_a_text_in_another_form_is_the_same_map(row: dict[str, Any]) -> None:
    assert parse_map(row["after"]) == edited(row)


@differing(UNIQUE, PROVED)
def test_a_shorter_text_says_the_same(row: dict[str, Any]) -> None:
    pytest.importorskip("islpy")
    ours, theirs = edited(row), parse_map(row["after"])
    assert len(str(ours)) < len(str(theirs))
    assert relation(ours).image() == relation(theirs).image()


def test_xla_is_wrong_by_two_values_at_either_end() -> None:
    (row,) = [row for row in ROWS if DIFFERENCES.get(row["test"]) is UNSOUND]
    true = [s0 for s0 in range(-99, 100) if -11 <= s0 // -3 <= -5]
    assert list(edited(row).ranges[0].bounds) == true == list(range(13, 34))
    assert list(parse_map(row["after"]).ranges[0].bounds) == list(range(15, 36))


def test_simplified_again_nothing_changes() -> None:
    for row in ROWS:
        if row["op"] == "simplify":
            m = edited(row)
            assert to_text(rewritten(m, replace=True)) == to_text(m), row["test"]
