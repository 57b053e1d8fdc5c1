"""The types pass a short fuzz against the run, and the fuzz sees planted differences."""

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mypy")
import fuzz_types
from fuzz_types import Run, Told, compare, faults, is_instance, is_whole, notation, told_of

from tla import Int, Layout, _2, _4, parse
from tla.testing import Program, Statement

SEED, COUNT = 20, 150


def test_short_static_fuzz(mypy_cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """All results and all messages are those of the run."""
    report = compare(COUNT, SEED, cache=mypy_cache)
    with capsys.disabled():
        print(f"\n{COUNT} static programs, seed {SEED}")
    assert not report.faults, "\n".join(map(str, report.faults))
    assert report.share == 1
    assert report.errors.total() > COUNT


def test_short_dynamic_fuzz(mypy_cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No wrong type and no false error, and most types are known."""
    report = compare(COUNT, SEED, dynamic=0.2, cache=mypy_cache)
    with capsys.disabled():
        print(f"\n{COUNT} programs with dynamic ints, seed {SEED}: {report.share:.0%} of results known")
    assert not report.faults, "\n".join(map(str, report.faults))
    assert report.share >= 0.8, str(report)


# --- planted differences ---

STATIC, DYNAMIC = parse("(_2,_4):(_4,_1)"), parse("(_2,4):(4,_1)")
NOT_STATIC: Any = ValueError("no such layout")
BROKEN = "tile (_3) does not divide the shape (_4)"


def fault(
    outcome: Any, *, note: str = "", error: str = "", code: str = "tla", static: bool = True
) -> str:
    """The first fault of a statement of which mypy says so much."""
    here = Told([], [(code, error)] if error else [])
    after = Told([note] if note else [], [])
    return next(faults(Run(outcome, outcome), here, after, static), "")


def test_agreement_is_no_fault() -> None:
    error = ZeroDivisionError("division by zero")
    assert not fault(STATIC, note="(_2,_4):(_4,_1)")
    assert not fault(DYNAMIC, note="(_2,int):(int,_1)", static=False)
    assert not fault(DYNAMIC, note="tla.layouts.layout.Layout[Any, Any]", static=False)
    assert not fault(_4, note="int", static=False)
    assert not fault(error, error="division by zero")
    assert not fault(error, static=False)


@pytest.mark.parametrize(
    ("said", "what"),
    [
        ({"outcome": STATIC, "note": "(_2,_4):(int,_1)"}, "mypy reveals"),
        ({"outcome": STATIC, "note": "(_2,_4):(_4,_1)", "error": BROKEN}, "false error"),
        ({"outcome": ZeroDivisionError("no"), "error": "yes"}, "mypy says"),
        ({"outcome": ZeroDivisionError("no")}, "mypy says"),
        ({"outcome": NOT_STATIC, "error": "no such layout"}, "the run raises"),
        ({"outcome": STATIC, "note": "(_2,_4):(_4,_1)", "error": "no", "code": "arg-type"}, "mypy says"),
        ({"outcome": DYNAMIC, "note": "(_2,_4):(int,_1)", "static": False}, "wrong type"),
        ({"outcome": DYNAMIC, "note": "(_2,(int,int)):(int,_1)", "static": False}, "wrong type"),
        ({"outcome": 4, "note": "_4", "static": False}, "wrong type"),
        ({"outcome": 4, "note": "int", "error": BROKEN, "static": False}, "false error"),
    ],
)
def test_differences_are_faults(said: dict[str, Any], what: str) -> None:
    assert fault(**said).startswith(what)


def test_types_as_text() -> None:
    told = told_of("((_2,int),Any,_-3):((),(_4),7)")
    assert told == [((Int(2), "int"), "Any", Int(-3)), ((), (Int(4),), 7)]
    assert not is_whole(told)
    assert is_whole(told_of("(_2,int)"))
    assert told_of("builtins.bool") == "Any"
    assert notation((Layout((_2, 3), (_4, 1), (1, 2)), 5)) == "((_2,int):(_4,int),int)"
    assert is_instance((_2, 5), told_of("(int,int)"))
    assert not is_instance((2, 5), told_of("(_2,int)"))


def test_each_statement_is_run_on_the_results_before() -> None:
    statements = ("Layout(4, n0)", "x0.size", "x9", "x1 + 1")
    made = [Statement(f"x{i}", "", call, None) for i, call in enumerate(statements)]
    outcomes = [run.outcome for run in fuzz_types.executed(Program((("n0", 3),), tuple(made)))]
    assert outcomes[:2] == [Layout(4, 3), 4]
    assert isinstance(outcomes[2], NameError)
    assert outcomes[3] == 5
