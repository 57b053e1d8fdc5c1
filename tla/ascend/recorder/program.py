# SPDX-License-Identifier: Apache-2.0
"""A program for the cores of one type: compiled for the host, run, and what can go wrong with both."""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING, Final, NamedTuple

from ...errors import UnsupportedError
from ...ground import plural
from .places import Places
from .tools import compiler_errors

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from .places import Facts
    from .sources import Tree

_OPTIONS: Final = (
    *("-O0", "-g1", "-w", "-no-pie", "-fno-omit-frame-pointer"),
    "-ftrivial-auto-var-init=pattern",  # so that the recorder sees an event id that nobody set
    *("-include", "kernel_operator.h"),
)
_ARGUMENTS: Final = (
    "The arguments of the program stand behind --: tla ascend record SOURCE -- 300 300 600"
)


class Limits(NamedTuple):
    """Where a kernel is stopped."""

    seconds: int
    lines: int


class Program(NamedTuple):
    """A program for the cores of one type, ``"AIC"`` or ``"AIV"``."""

    side: str
    room: Path
    tree: Tree
    compiler: str
    macros: tuple[str, ...]
    catlass: Path | None

    def compile(self) -> None:
        """Compile it.

        Raises:
            UnsupportedError: the compiler refuses it; the error has the first errors with their places.
        """
        name = os.path.basename(self.compiler)
        options = [f"-D{macro}" for macro in (*self.macros, f"TLA_RECORD_{self.side}")]
        options += [f"-I{folder}" for folder in self.tree.includes]
        files = [*map(str, self.tree.mains), "-o", str(self.room / self.side)]
        said: list[str] = []
        # g++ takes some constructors of CATLASS as constexpr by the rules of C++20 alone
        for standard in ("c++17",) if "clang" in name else ("c++17", "c++20"):
            done = subprocess.run(
                [self.compiler, f"-std={standard}", *_OPTIONS, *options, *files],
                capture_output=True,
                text=True,
                errors="replace",
                check=False,
            )
            if not done.returncode:
                return
            said.append(done.stderr)
        details = compiler_errors(said[0]) or said[0].splitlines()[-3:]
        if len(said) > 1 and self.catlass is not None:
            details.append("CATLASS is made for clang++, which takes more of it than g++ does.")
        raise UnsupportedError(f"{name} refuses the program for {self.side}", *details, side=self.side)

    def run(
        self, arguments: Sequence[str], settings: dict[str, str], limits: Limits
    ) -> tuple[Facts, Places]:
        """Run it, and return what it left beside the trace.

        Raises:
            UnsupportedError: it launched no kernel, or did not end by itself.
        """
        own = {
            "TLA_TRACE": str(self._trace),
            "TLA_SECONDS": str(limits.seconds),
            "TLA_LINES": str(limits.lines),
        }
        done = subprocess.run(
            [str(self.room / self.side), *arguments],
            env={**os.environ, **settings, **own},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        try:
            text = (self.room / f"{self.side}.trace.facts").read_text("utf-8", "replace")
        except OSError:
            raise _idle(done) from None
        facts: Facts = json.loads(text, strict=False)  # a name of a file may hold anything
        places = Places(str(self.room / self.side), facts, self.catlass)
        if facts["end"] != "ran":
            raise _stopped(facts, places.calls[-1], limits)
        return facts, places

    def lines(self, places: Places) -> Iterator[str]:
        """Return the lines of the trace, with places and names."""
        with open(self._trace, encoding="utf-8") as file:
            for line in file:
                text, _, stack = line.rpartition("\t")
                yield places.named(text) + places.ends[int(stack)]

    @property
    def _trace(self) -> Path:
        return self.room / f"{self.side}.trace"


def _idle(done: subprocess.CompletedProcess[str]) -> UnsupportedError:
    """The error of a program that launched no kernel."""
    said = [line.strip() for line in (done.stdout + done.stderr).splitlines() if line.strip()]
    code = done.returncode
    ended = f"It ended with signal {-code}" if code < 0 else f"It ended with exit code {code}"
    how = f"{ended}, and said:" if said else f"{ended}, without a word."
    return UnsupportedError("the program launched no kernel", how, *said[-5:], _ARGUMENTS)


def _stopped(facts: Facts, calls: list[str], limits: Limits) -> UnsupportedError:
    """The error of a program that did not end by itself."""
    core, end = facts["core"], facts["end"]
    at = f" at {calls[0]}" if calls else ""
    via = [f"called from {place}" for place in calls[1:4]]
    if core == "?":
        if missing := facts["missing_files"]:
            files = plural(len(missing), "file")
            via.append(f"{files} of data not there, read as zeros: {', '.join(missing)}")
        how = "failed" if end == "fault" else f"took {plural(limits.seconds, 'second')}"
        return UnsupportedError(f"the program {how} before it launched a kernel{at}", *via, _ARGUMENTS)
    smaller = ", or take a smaller problem."
    if end == "time":
        text = f"the kernel did not end in {plural(limits.seconds, 'second')}: {core} was{at}"
        return UnsupportedError(text, *via, f"Raise the time by --seconds N{smaller}")
    if end == "limit":
        text = f"the kernel issued more than {plural(limits.lines, 'call')}: {core} went on{at}"
        return UnsupportedError(text, *via, f"Raise their number by --lines N{smaller}")
    text = f"{core} touched memory that it must not{at}"
    return UnsupportedError(
        text, *via, "A pointer leaves its tensor, or an assertion of the program failed."
    )
