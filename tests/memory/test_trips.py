"""How often computations run: the turns of loops."""

from __future__ import annotations

import operator
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from tla.hlo import read_module
from tla.memory.trips import module_runs, trips

TESTS = {
    "LT": operator.lt,
    "LE": operator.le,
    "GT": operator.gt,
    "GE": operator.ge,
    "NE": operator.ne,
}
SMALL = st.integers(-12, 12)
DATA = Path(__file__).parent.parent / "data"


@given(SMALL, st.integers(-4, 4), st.sampled_from(sorted(TESTS)), SMALL)
def test_trips_are_those_of_the_loop_itself(first: int, step: int, direction: str, bound: int) -> None:
    count, i = 0, first
    while TESTS[direction](i, bound) and count < 100:
        count, i = count + 1, i + step
    assert trips(first, step, direction, bound) == (count if count < 100 else None)


LOOPS = """
inner { s = (s32[], s32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=1
  k = s32[] constant(-2)
  next = s32[] add(k, i)
  o = s32[] get-tuple-element(s), index=0
  ROOT t = (s32[], s32[]) tuple(o, next) }
more { s = (s32[], s32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=1
  n = s32[] constant(1)
  ROOT c = pred[] compare(n, i), direction=LT }
outer { s = (s32[], s32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  one = s32[] constant(1)
  next = s32[] subtract(i, STEP)
  from = s32[] constant(6)
  t = (s32[], s32[]) tuple(next, from)
  w = (s32[], s32[]) while(t), condition=more, body=inner
  j = s32[] get-tuple-element(w), index=1
  ROOT r = (s32[], s32[]) tuple(next, j) }
test { s = (s32[], s32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(0)
  ROOT c = pred[] compare(i, n), direction=NE }
ENTRY e { p = s32[] parameter(0)
  a = s32[] constant(5)
  t = (s32[], s32[]) tuple(START, p)
  ROOT w = (s32[], s32[]) while(t), condition=test, body=outer }
"""


@pytest.mark.parametrize(
    ("start", "step", "runs"),
    [
        ("a", "one", {"e": 1, "outer": 5, "test": 6, "inner": 15, "more": 20}),
        ("p", "one", {"e": 1, "outer": None, "test": None, "inner": None, "more": None}),
        ("a", "i", {"e": 1, "outer": None, "test": None, "inner": None, "more": None}),
    ],
)
def test_loops_in_loops(start: str, step: str, runs: dict[str, int | None]) -> None:
    assert module_runs(read_module(LOOPS.replace("START", start).replace("STEP", step))) == runs


def test_the_count_that_a_compiler_states() -> None:
    config = ', backend_config={"known_trip_count":{"n":"7"}}'
    text = LOOPS.replace("START", "p").replace("STEP", "i").replace("body=outer", "body=outer" + config)
    assert module_runs(read_module(text))["outer"] == 7


def test_the_loops_of_real_modules() -> None:
    """The turns of a loop that ends by its data are unknown."""
    module = read_module((DATA / "tpu_hlo" / "v5e_scan_rnn.hlo").read_text("utf-8"))
    assert 50 in module_runs(module).values()
    module = read_module((DATA / "tpu_conditionals" / "v5e_scancond.hlo").read_text("utf-8"))
    assert {None, 9} <= set(module_runs(module).values())
