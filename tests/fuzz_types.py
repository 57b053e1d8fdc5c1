"""Fuzz of the types: random programs, what mypy tells of each statement against what the run gives.

Run: python tests/fuzz_types.py [--count 2000] [--seed N] [--dynamic 0.2] [--literal 0.0] [--show 10]

All programs stand in one file, a function for each, and mypy reads it once, with the plugin. Of a
program whose ints are all static the type is the value, and the message is the summary of the error, on
each line. Where ints are declared (``--dynamic``) a type has the run's value as an instance, and an
error of mypy is one of the run; of how many results the type is told whole is counted.

No type tells an origin shape: of layouts that have one the types tell the rest, and the messages are
those of the run on the layouts without it. A fault is printed with its program, and the exit status is
1.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random, randrange
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

from mypy_runs import said

from tla import Int, Layout, TlaError
from tla.testing import OPERATIONS, Program, Statement, random_program

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

HEADER = ["import tla", "from tla.layouts import *", "from tla import *", ""]


# --- the two readers ------------------------------------------------------------------------------


class Line(NamedTuple):
    """A statement in the file."""

    program: Program
    statement: Statement


class Told(NamedTuple):
    """What mypy says of a statement: the notes of `tla.reveal`, and messages of all other kinds."""

    notes: list[str]
    errors: list[tuple[str, str]]


def written(programs: Sequence[Program]) -> tuple[str, dict[int, Line]]:
    """The file of all programs, and the line on which each statement stands; the next one reveals it."""
    lines, places = list(HEADER), {}
    for i, program in enumerate(programs):
        lines += ["", f"def program{i}() -> None:", *(f"    {line}" for line in program.declarations)]
        for statement in program.statements:
            lines.append(f"    {statement}")
            places[len(lines)] = Line(program, statement)
            lines.append("    pass" if statement.failed else f"    tla.reveal({statement.name})")
    return "\n".join(lines) + "\n", places


def checked(text: str, cache: Path | None = None) -> dict[int, Told]:
    """What mypy says, by line."""
    with TemporaryDirectory() as name:
        path = Path(name, "programs.py")
        path.write_text(text)
        messages = said([path], cache or path.with_name("cache"))[path.name]
    found: dict[int, Told] = {}
    for line, kind, message in messages:
        told = found.setdefault(line, Told([], []))
        if kind == "note":
            told.notes.append(message)
        else:
            told.errors.append((kind, message))
    return found


class Run(NamedTuple):
    """What a statement does: its value or error; and the same on layouts without their origin shapes."""

    outcome: Any
    unpadded: Any


def dynamic_names(program: Program) -> set[str]:
    """What the declared ints of a program come into."""
    names = {name for name, _value in program.ints}
    for statement in program.statements:
        if names & set(re.findall(r"\w+", statement.call)):
            names.add(statement.name)
    return names


def executed(program: Program) -> Iterator[Run]:
    """Run each statement, on what those before gave."""
    names: dict[str, Any] = {}
    exec("\n".join([*HEADER, *program.declarations]), names)
    for statement in program.statements:
        without = {name: unpadded(value) for name, value in names.items()}
        run = Run(outcome(statement, names), outcome(statement, without))
        if not isinstance(run.outcome, Exception):
            names[statement.name] = run.outcome
        yield run


def outcome(statement: Statement, names: dict[str, Any]) -> Any:
    try:
        return eval(statement.call, names)
    except Exception as error:
        return error


def unpadded(x: Any) -> Any:
    """A value without origin shapes, of which no type tells."""
    if isinstance(x, Layout):
        return Layout(x.shape, x.stride)
    return tuple(map(unpadded, x)) if type(x) is tuple else x


# --- types as text --------------------------------------------------------------------------------


def notation(value: Any) -> str:
    """A value as `tla.reveal` tells its type: of a layout its shape and stride alone."""
    if isinstance(value, Layout):
        return f"{notation(value.shape)}:{notation(value.stride)}"
    if isinstance(value, tuple):
        return f"({','.join(map(notation, value))})"
    return str(value) if isinstance(value, Int) else "int"


TOKENS = re.compile(r"_-?\d+|-?\d+|int|Any|[(),:]")


def told_of(text: str) -> Any:
    """The type that a note tells: ``"int"``, ``"Any"``, an `Int`, a tuple, ``[shape, stride]``."""
    if "".join(TOKENS.findall(text)) != text:
        return "Any"  # a type of mypy's own
    return _part(TOKENS.findall(text))


def _part(tokens: list[str]) -> Any:
    found: Any = tokens.pop(0)
    if found == "(":
        items = []
        while tokens[0] != ")":
            items.append(_part(tokens))
            if tokens[0] == ",":
                tokens.pop(0)
        tokens.pop(0)
        found = tuple(items)
    elif found[0] == "_":
        found = Int(int(found[1:]))
    elif found not in ("int", "Any"):
        found = int(found)
    if tokens and tokens[0] == ":":
        tokens.pop(0)
        return [found, _part(tokens)]
    return found


def is_instance(value: Any, told: Any) -> bool:
    """Whether a value is one of a type."""
    if told == "Any":
        return True
    if told == "int":
        return isinstance(value, int)
    if isinstance(told, Int):
        return type(value) is Int and value == told
    if isinstance(told, int):
        return isinstance(value, int) and value == told
    if isinstance(told, list):
        return isinstance(value, Layout) and all(map(is_instance, (value.shape, value.stride), told))
    return isinstance(value, tuple) and len(value) == len(told) and all(map(is_instance, value, told))


def is_whole(told: Any) -> bool:
    """Whether no part of a type is left open."""
    return all(map(is_whole, told)) if isinstance(told, tuple | list) else told != "Any"


def summary(error: Exception) -> str:
    return error.summary if isinstance(error, TlaError) else str(error)


# --- the verdict ----------------------------------------------------------------------------------


class Fault(NamedTuple):
    """A statement on which the two differ."""

    line: Line
    what: str

    def __str__(self) -> str:
        shown = [str(s) + "  # <<" * (s is self.line.statement) for s in self.line.program.statements]
        return "\n".join([self.what, *(f"    {x}" for x in [*self.line.program.declarations, *shown])])


def faults(run: Run, told: Told, told_next: Told, static: bool) -> Iterator[str]:
    """Say how types and run differ on a statement."""
    value, unpadded = run
    for code, message in [*told.errors, *told_next.errors]:
        if code != "tla":
            yield f"mypy says {message} [{code}]"
    errors = [message for _code, message in told.errors]
    if isinstance(value, Exception):
        if not isinstance(value, TlaError | ArithmeticError):
            yield f"the run raises {value!r}"
        elif static:
            expected = [summary(unpadded)] if isinstance(unpadded, Exception) else []
            if errors != expected:
                yield f"mypy says {errors}; the run says {expected}"
        return
    if errors:
        yield f"false error: {' and '.join(errors)}"
        return
    [note] = told_next.notes
    if static and note != notation(value):
        yield f"mypy reveals {note}; the value is {notation(value)}"
    elif not is_instance(value, told_of(note)):
        yield f"wrong type: mypy reveals {note}; the value is {notation(value)}"


class Report(NamedTuple):
    seed: int
    programs: int
    seconds: float
    results: Counter[str]
    known: Counter[str]
    errors: Counter[str]
    found: Counter[str]
    unknown: list[Fault]
    faults: list[Fault]
    dynamic: Counter[bool]
    """The results that declared ints come into, by whether they are known."""

    @property
    def share(self) -> float:
        """The share of results of which mypy knows the whole type."""
        return self.known.total() / max(1, self.results.total())

    def __str__(self) -> str:
        rows = [("operation", "results", "known", "", "errors", "found")]
        for name in [*OPERATIONS, ""]:
            if not name:
                n, k, e, f = (c.total() for c in (self.results, self.known, self.errors, self.found))
            else:
                n, k, e, f = (c[name] for c in (self.results, self.known, self.errors, self.found))
            rows.append((name or "all", str(n), str(k), f"{k / max(1, n):.1%}", str(e), str(f)))
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        table = [
            "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]) for row in rows
        ]
        head = f"seed {self.seed}: {self.programs} programs in {self.seconds:.1f} s,"
        dynamic = self.dynamic.total()
        share = f"{self.dynamic[True]} of {dynamic}, {self.dynamic[True] / max(1, dynamic):.1%}"
        foot = [f"known of the results that declared ints come into: {share}"] if dynamic else []
        return "\n".join([f"{head} {len(self.faults)} faults", *table, *foot])


def compare(
    count: int,
    seed: int,
    dynamic: float = 0.0,
    literal: float = 0.0,
    statements: int = 6,
    cache: Path | None = None,
    progress: bool = False,
) -> Report:
    """Compare random programs."""

    def say(what: str) -> None:
        if progress:
            print(f"\r\033[K{what}", end="", file=sys.stderr)

    start = time.monotonic()
    rng = Random(seed)
    programs: list[Program] = []
    while len(programs) < count:
        if len(programs) % 100 == 0:
            say(f"{len(programs)} programs")
        programs.append(random_program(rng, statements, dynamic=dynamic, literal=literal))
    text, places = written(programs)
    say(f"{count} programs, {text.count(chr(10))} lines: mypy")
    told = checked(text, cache)
    say("run")
    report = Report(seed, count, 0, Counter(), Counter(), Counter(), Counter(), [], [], Counter())
    runs = [run for program in programs for run in executed(program)]
    silent = Told([], [])
    for (number, line), run in zip(places.items(), runs, strict=True):
        here, after = told.pop(number, silent), told.pop(number + 1, silent)
        name = line.statement.operation
        report.faults.extend(
            Fault(line, what) for what in faults(run, here, after, dynamic == literal == 0)
        )
        if isinstance(run.outcome, Exception):
            report.errors[name] += 1
            report.found[name] += bool(here.errors)
            continue
        report.results[name] += 1
        is_known = bool(after.notes) and is_whole(told_of(after.notes[0]))
        report.known[name] += is_known
        report.dynamic[is_known] += line.statement.name in dynamic_names(line.program)
        if not is_known:
            report.unknown.append(Fault(line, f"not known: {after.notes}, {notation(run.outcome)}"))
    for number, rest in told.items():
        raise RuntimeError(f"mypy says on line {number}, where no statement stands: {rest}")
    say("")
    return report._replace(seconds=time.monotonic() - start)


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Fuzz the types that mypy tells against the run.")
    parser.add_argument("--count", type=int, default=2000, help="how many programs (default 2000)")
    parser.add_argument("--seed", type=int, help="the seed of the programs (default: a new one)")
    parser.add_argument("--statements", type=int, default=6, help="of each program (default 6)")
    parser.add_argument(
        "--dynamic", type=float, default=0.0, help="the share of ints that are declared (default 0)"
    )
    parser.add_argument(
        "--literal", type=float, default=0.0, help="the share of ints that are literals (default 0)"
    )
    parser.add_argument("--show", type=int, default=10, help="how many faults to print (default 10)")
    parser.add_argument("--unknown", type=int, default=0, help="how many results not known to print")
    parser.add_argument("--cache", type=Path, help="the cache of mypy (default: none is kept)")
    args = parser.parse_args(argv)
    seed = randrange(2**32) if args.seed is None else args.seed
    report = compare(
        args.count, seed, args.dynamic, args.literal, args.statements, args.cache, sys.stderr.isatty()
    )
    print(report)
    for fault in [*report.faults[: args.show], *report.unknown[: args.unknown]]:
        print(fault)
    return 1 if report.faults else 0


if __name__ == "__main__":
    sys.exit(main())
