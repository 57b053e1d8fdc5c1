# SPDX-License-Identifier: Apache-2.0
"""The tools of the host: a C++ compiler, and the source line of an address."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from typing import TYPE_CHECKING, Final

from ...errors import UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Iterable

    Place = tuple[str, int]
    """A file and a line."""

_COMPILERS: Final = ("clang++", *(f"clang++-{version}" for version in range(22, 10, -1)), "g++")


def find_compiler(name: str | None = None) -> str:
    """Return the path of a C++ compiler: the one of a name, or the first that is there.

    Raises:
        UnsupportedError: there is none.
    """
    found = next(
        (path for word in (_COMPILERS if name is None else [name]) if (path := shutil.which(word))), None
    )
    if found is None:
        what = "no clang++ and no g++" if name is None else f"no compiler {name}"
        way_out = (
            "Install clang: on Debian and Ubuntu `apt-get install clang`. Or name one: --compiler PATH."
        )
        raise UnsupportedError(f"there is {what} on this machine", way_out, compiler=name)
    return found


def compiler_errors(text: str, most: int = 3) -> list[str]:
    """Return the first errors of a compiler, each with the place that asked for its templates."""
    lines = text.splitlines()
    starts = [
        i for i, line in enumerate(lines) if re.search(r": (?:fatal )?error: |undefined reference", line)
    ]
    found: list[str] = []
    for start in starts[:most]:
        found.append(lines[start])
        asked = [line for line in lines[start + 1 : _next(starts, start)] if "requested here" in line]
        found += [f"  asked for at {line.partition(': note:')[0]}" for line in asked[-1:]]
    return found + ([f"and {len(starts) - most} more"] if len(starts) > most else [])


def _next(starts: list[int], start: int) -> int | None:
    return next((other for other in starts if other > start), None)


def places_of(program: str, addresses: Iterable[int]) -> dict[int, Place]:
    """Return the file and line of each return address of a program; unknown ones are left out."""
    asked = sorted({*addresses})
    tool = next(
        (path for word in ("addr2line", "llvm-symbolizer") if (path := shutil.which(word))), None
    )
    if tool is None:
        versions = (f"llvm-symbolizer-{version}" for version in range(22, 10, -1))
        tool = next((path for word in versions if (path := shutil.which(word))), None)
    if tool is None or not asked:
        return {}
    as_gnu = [] if tool.endswith("addr2line") else ["--output-style=GNU", "--no-inlines"]
    text = "".join(f"{address - 1:#x}\n" for address in asked)
    done = subprocess.run(
        [tool, *as_gnu, "-e", program], input=text, capture_output=True, text=True, check=False
    )
    found: dict[int, Place] = {}
    for address, line in zip(asked, done.stdout.splitlines(), strict=False):
        match = re.match(r"(.+):(\d+)", line)
        if match and match[1] != "??":
            found[address] = (os.path.normpath(match[1]), int(match[2]))
    return found
