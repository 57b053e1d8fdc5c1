"""Every example of the indexing document: its texts, and its maps from real HLO, both ways.

``data/indexing_seed.jsonl``: HLO, direction, operand and map of each example, and whether brute force
found the map exact. Where it did not, the right map stands here.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from fuzz_maps import changed

from tla.hlo import Computation, read_module
from tla.indexing import IndexingMap, input_to_output, output_to_input, parse_map, relation, simplify
from tla.indexing.fusion import computation_maps

DATA = Path(__file__).parents[1] / "data" / "indexing_seed.jsonl"
ROWS: list[dict[str, Any]] = [json.loads(line) for line in DATA.read_text().splitlines()]
SIMPLIFIED = [row for row in ROWS if row.get("kind") == "simplify"]
DRAWN = [row for row in ROWS if row.get("kind") != "simplify"]
FUSED = ("fusion_p0_plus_transpose", "fusion_dedup", "softmax")
"""Examples of whole computations."""

OTHER_ORDER = {
    ("reshape_generic_1", "output_to_input"): (
        "(d0, d1, d2) -> (d0 * 2 + d1 floordiv 2, (d1 mod 2) * 4 + d2),"
        " domain: d0 in [0, 1], d1 in [0, 3], d2 in [0, 3]"
    ),
    ("reshape_generic_1", "input_to_output"): (
        "(d0, d1) -> (d0 floordiv 2, (d0 mod 2) * 2 + d1 floordiv 4, d1 mod 4),"
        " domain: d0 in [0, 3], d1 in [0, 7]"
    ),
}
"""The document's order of summands is older than the simplifier's."""

CORRECTED = {
    ("intro_broadcast", "output_to_input"): [
        "(d0, d1, d2) -> (d1), domain: d0 in [0, 9], d1 in [0, 19], d2 in [0, 29]"
    ],
    ("dot.rhs", "input_to_output"): [
        "(d0, d1, d2)[s0] -> (d0, s0, d2),"
        " domain: d0 in [0, 3], d1 in [0, 255], d2 in [0, 63], s0 in [0, 127]"
    ],
    ("dynamic_update_slice.upd", "output_to_input"): [
        "(d0, d1){rt0, rt1} -> (d0 - rt0, d1 - rt1), domain: d0 in [0, 19], d1 in [0, 29],"
        " rt0 in [0, 15], rt1 in [0, 20], d0 - rt0 in [0, 4], d1 - rt1 in [0, 9]"
    ],
    ("pad.init", "output_to_input"): [
        "(d0, d1) -> (), domain: d0 in [0, 0], d1 in [0, 15]",
        "(d0, d1) -> (), domain: d0 in [8, 11], d1 in [0, 15]",
        "(d0, d1) -> (), domain: d0 in [0, 11], d1 in [0, 3]",
        "(d0, d1) -> (), domain: d0 in [0, 11], d1 in [8, 15]",
        "(d0, d1) -> (), domain: d0 in [0, 11], d1 in [0, 15], d0 mod 2 in [0, 0]",
    ],
}
"""The right maps where the document's are not exact."""

REDUCE = "reduce = f32[4,8] reduce(p0, c), dimensions={0,3}, to_apply=max"
SOFTMAX = """p0 = f32[2,65,125] parameter(0)
low = f32[] constant(-inf)
zero = f32[] constant(0)
top = f32[2,65] reduce(p0, low), dimensions={2}, to_apply=max
tops = f32[2,65,125] broadcast(top), dimensions={0,1}
rest = f32[2,65,125] subtract(p0, tops)
power = f32[2,65,125] exponential(rest)
total = f32[2,65] reduce(power, zero), dimensions={2}, to_apply=max
totals = f32[2,65,125] broadcast(total), dimensions={0,1}
ROOT softmax = f32[2,65,125] divide(power, totals)"""
HLO = {
    "softmax": SOFTMAX,
    "concept_reduce": f"p0 = f32[2,4,8,16] parameter(0)\nc = f32[] constant(0)\n{REDUCE}",
}
"""HLO for examples that are prose."""
APPLIED = """HloModule m
max {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT m = f32[] maximum(a, b)
}
both {
  a = f32[] parameter(0)
  c = s32[] parameter(1)
  b = f32[] parameter(2)
  d = s32[] parameter(3)
  m = f32[] maximum(a, b)
  n = s32[] maximum(c, d)
  ROOT t = (f32[], s32[]) tuple(m, n)
}
ENTRY e {
"""


def key(row: dict[str, Any]) -> tuple[str, str]:
    return row["name"], row["direction"]


def name_of(row: dict[str, Any]) -> str:
    return "-".join(key(row)) if "direction" in row else str(row["name"])


def texts_of(row: dict[str, Any]) -> list[str]:
    maps = row["seed_map"]
    return [maps] if isinstance(maps, str) else list(maps)


def entry_of(row: dict[str, Any]) -> Computation:
    """The example's instructions."""
    body = HLO.get(row["name"], row["hlo"])
    assert body is not None
    body = body.replace("to_apply=max", "to_apply=both") if "variadic" in row["name"] else body
    lines = [line if "ROOT " in line else f"  {line}" for line in body.splitlines()]
    if "ROOT" not in body:
        lines[-1] = f"  ROOT {lines[-1].strip()}"
    return read_module(APPLIED + "\n".join(lines) + "\n}\n").entry


def maps_of(row: dict[str, Any]) -> list[IndexingMap]:
    """What our rule says of the example's instruction."""
    entry = entry_of(row)
    operand: int = row["operand"]
    if row["name"] in FUSED:
        return computation_maps(entry)[operand]
    if row["direction"] == "output_to_input":
        return output_to_input(entry.root)[operand]
    return [m for maps in input_to_output(entry.root, operand)[:1] for m in maps]


# --- texts ---


@pytest.mark.parametrize("row", SIMPLIFIED, ids=name_of)
def test_simplified(row: dict[str, Any]) -> None:
    m = parse_map(row["before"])
    after = simplify(m)
    assert not changed(m, after)
    if row["name"] == "simp_4_minus_tight":  # the document reads its own minus otherwise
        assert changed(m, parse_map(row["after"]))
    else:
        assert str(after) == row["after"]


def test_maps_print_as_the_document_has_them() -> None:
    for row in DRAWN:
        for text in texts_of(row):
            assert str(simplify(parse_map(text))) == OTHER_ORDER.get(key(row), text)
            assert not changed(parse_map(text), simplify(parse_map(text))) if small(text) else True


def small(text: str) -> bool:
    return parse_map(text).box < 100_000


def test_the_tables_name_what_is_there() -> None:
    assert len(ROWS) == 55
    inexact = {key(row) for row in DRAWN if row["verdict"] != "EXACT"}
    assert inexact == set(CORRECTED)
    assert {key(row) for row in DRAWN} > set(OTHER_ORDER)


# --- real instructions ---


@pytest.mark.parametrize("row", DRAWN, ids=name_of)
def test_instructions_have_these_maps(row: dict[str, Any]) -> None:
    texts = CORRECTED.get(key(row), texts_of(row))
    found = maps_of(row)
    expected = OTHER_ORDER.get(key(row))
    if len(texts) == 1 and len(found) == 1:
        assert str(simplify(found[0])) == (expected or texts[0])
        return
    pytest.importorskip("islpy")
    ours, theirs = relation(found), relation([parse_map(text) for text in texts])
    assert (ours if row["rt_operands"] else ours.in_some_run()) == theirs
    if row["name"] in FUSED:
        assert {str(simplify(m)) for m in found} == set(texts)
