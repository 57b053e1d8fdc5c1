# SPDX-License-Identifier: Apache-2.0
"""``tla hlo FILE.py:NAME``: a function of jax, compiled; with ``--verify`` again with its advice."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, TypeVar

from ..errors import ArgumentError, TlaError
from ..ground import say
from .hlo_against import total_facts, write_totals
from .hlo_copies import advice_facts, advice_lines
from .messages import say_json
from .python_files import complain_of, names_of_file

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from ..jax import Verification

_T = TypeVar("_T")

_SOURCE: Final = re.compile(r"(?P<file>.+\.py):(?P<name>[A-Za-z_]\w*)")
_HOW: Final = "It takes no arguments and returns a function of jax and a tuple of its arguments."


def is_program(text: str) -> bool:
    """Whether an argument names a function of a Python file."""
    return _SOURCE.fullmatch(text) is not None


def compiled_text(source: str, options: argparse.Namespace) -> str | None:
    """Return the text of the module of a program; None if it raised an error, which is printed.

    Raises:
        TlaError: there is no such file or function, or jax or a compiler is missing.
    """
    return _of_program(source, lambda function, args: _compiled(function, args, options.chip))


def _compiled(function: Any, args: tuple[Any, ...], chip: str | None) -> str:
    from ..jax import compiled

    text: str = compiled(function, args, chip).as_text()
    return text


def report_verified(source: str, options: argparse.Namespace) -> int:
    """Print what advice changes in a program that is compiled again; 1 if it does not hold."""
    from ..jax import verify

    found = _of_program(source, lambda function, args: verify(function, args, chip=options.chip))
    if found is None:
        return 1
    if options.json:
        say_json(_facts(found))
    else:
        _write(found, options)
    return int(not found.holds)


def _of_program(source: str, call: Callable[[Any, tuple[Any, ...]], _T]) -> _T | None:
    match = _SOURCE.fullmatch(source)
    if match is None:
        raise ArgumentError(f"a program is FILE.py:NAME, not {source!r}", _HOW)
    try:
        names = names_of_file(match["file"], "tla_program")
        made = names.get(match["name"])
        if not callable(made):
            raise ArgumentError(f"{match['file']} has no function {match['name']}", _HOW)
        found: Any = made()
        try:
            function, args = found[0], tuple(*found[1:])
        except (TypeError, IndexError):
            what = f"{match['name']}() of {match['file']} returns something else"
            raise ArgumentError(what, _HOW) from None
        return call(function, args)
    except TlaError:
        raise
    except Exception as error:
        complain_of(error)
        return None


def _write(found: Verification, options: argparse.Namespace) -> None:
    for each in found.advice:
        say(*advice_lines(each), "")
    if not found.advice:
        say("no advice")
        return
    say(f"estimated cycles of all turns: {found.before.cycles} -> {found.after.cycles}")
    write_totals(found.comparison.totals, options)
    say(*(found.problems or ("the advice holds",)))


def _facts(found: Verification) -> dict[str, Any]:
    return {
        "module": found.before.module.name,
        "advice": [advice_facts(each) for each in found.advice],
        "cycles_before": found.before.cycles,
        "cycles_after": found.after.cycles,
        "lost_alias_bytes": found.lost_alias_bytes,
        "totals": [total_facts(each) for each in found.comparison.totals],
        "problems": list(found.problems),
        "holds": found.holds,
    }
