"""What is seen through swizzles, and coordinates, pass a short fuzz; the fuzz sees planted errors."""

from types import SimpleNamespace
from typing import Any

import fuzz
import fuzz_seen
import pytest
from fuzz import Outcome
from fuzz_seen import OPS, Seen

import tla
from tla import ComposedLayout, Layout, LayoutError, Swizzle


def run(count: int, seed: int, names: Any = (), algebra: Any = tla) -> fuzz.Report:
    return fuzz.run(count, seed, names, algebra=algebra, table=OPS, drawing=Seen)


@pytest.mark.parametrize("count", [100, pytest.param(10_000, marks=pytest.mark.slow)])
def test_short_fuzz(count: int) -> None:
    report = run(count, 20)
    assert report.is_clean, str(report)


def wrong(*_args: object, **_options: object) -> Any:
    return ComposedLayout(Swizzle(1, 0, 2), 3, Layout(7, 3))


def refused(*_args: object, **_options: object) -> Any:
    raise LayoutError("no")


@pytest.mark.parametrize(
    ("function", "outcome"), [(wrong, Outcome.WRONG), (refused, Outcome.WRONG_REFUSAL)]
)
def test_planted_errors_are_seen(function: Any, outcome: Outcome) -> None:
    names = ["composition of what is seen", "zipped_divide", "left_inverse"]
    algebra = SimpleNamespace(**{OPS[name].calls: function for name in names})
    report = run(15, 1, names, algebra)
    assert all(count[outcome] for count in report.counts.values())


def test_the_command_reports(capsys: pytest.CaptureFixture[str]) -> None:
    assert fuzz_seen.main(["--count", "3", "--seed", "7", "--only", "cosize"]) == 0
    assert capsys.readouterr().out.startswith("seed 7: 3 cases in ")
