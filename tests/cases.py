"""One test for many cases: every case is checked, and the failures are reported together.

A row of an oracle needs no test id: an id is collected, set up and reported, a row is only checked.
"""

from __future__ import annotations

import inspect
import traceback
from functools import wraps
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast
from unittest.mock import patch

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

F = TypeVar("F", bound="Callable[..., Any]")

_SHOWN: Final = 20
"""How many failures are printed; all of them are counted."""


def shapes_as_written(test: F) -> F:
    """Let lines of HLO have results whose shapes contradict their operands, while a test runs."""
    decorate: Any = patch("tla.hlo.body.differs", new=lambda *_: False)
    return cast("F", decorate(test))


def share(count: int) -> int:
    """Return how many of so many random cases this run draws: in CI all, otherwise two fifths."""
    return max(1, count * settings().max_examples // 100)


def check_all(
    check: Callable[[Any], None], cases: Iterable[Any], ids: Callable[[Any], str] = repr
) -> None:
    """Check every case, and fail with the list of those that fail. No cases at all is a failure too."""
    rows = tuple(cases)
    assert rows, "no cases"
    failures: list[tuple[str, BaseException]] = []
    for row in rows:
        try:
            check(row)
        except (Exception, pytest.fail.Exception, pytest.skip.Exception) as error:
            failures.append((ids(row), error))
    if failures:
        raise AssertionError(_report(failures, len(rows)))


def over(
    names: str, cases: Iterable[Any], ids: Callable[[Any], str] = repr
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator like ``pytest.mark.parametrize`` that makes one test of all cases.

    The other arguments of the test stay fixtures, which all cases of a run share.
    """
    rows = tuple(cases)
    keys = [name.strip() for name in names.split(",")]

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(test)
        if not set(keys) <= signature.parameters.keys():
            raise TypeError(f"{test} has no argument for each of {names}")

        @wraps(test)
        def of_all(**fixtures: Any) -> None:
            def check(row: Any) -> None:
                values = (row,) if len(keys) == 1 else row
                test(**dict(zip(keys, values, strict=True)), **fixtures)

            check_all(check, rows, ids)

        kept = [p for name, p in signature.parameters.items() if name not in keys]
        vars(of_all)["__signature__"] = signature.replace(parameters=kept)
        return of_all

    return decorate


def _report(failures: list[tuple[str, BaseException]], count: int) -> str:
    """The failures, one below the other, with the traceback of the first."""
    parts = [f"{len(failures)} of {count} cases fail"]
    parts += [f"--- {name}\n{type(error).__name__}: {error}" for name, error in failures[:_SHOWN]]
    parts += [f"--- and {len(failures) - _SHOWN} more"] * (len(failures) > _SHOWN)
    first, error = failures[0]
    return "\n".join([*parts, f"--- {first}, in full", *traceback.format_exception(error)])
