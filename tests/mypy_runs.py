"""Runs of mypy, strict and with the plugin: what it says of files, message by message."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from mypy import api

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT: Final = Path(__file__).parents[1]
CONFIG: Final = "[mypy]\nplugins = tla.mypy_plugin\nstrict = true\n"
_OPTIONS: Final = ("--hide-error-context", "--no-color-output", "--no-error-summary", "--show-traceback")
_LINE: Final = re.compile(r"(.*?\.py):(\d+): (error|note): (.*?)(?:  \[([\w-]+)\])?")


class Message(NamedTuple):
    """A message of a line: an error by its code, or a note."""

    line: int
    kind: str
    text: str


def said(files: Sequence[Path], cache: Path, *options: str) -> dict[str, list[Message]]:
    """Return what mypy says of files, in one run, by the name of the file."""
    cache.mkdir(parents=True, exist_ok=True)
    config = cache / "mypy.ini"
    config.write_text(f"{CONFIG}mypy_path = {ROOT}\n")
    places = ["--config-file", str(config), "--cache-dir", str(cache)]
    out, err, status = api.run([*places, *_OPTIONS, *options, *map(str, files)])
    if err or status not in (0, 1):
        raise RuntimeError(f"mypy ends with {status}:\n{err}\n{out[-8000:]}")
    found: dict[str, list[Message]] = {path.name: [] for path in files}
    for line in out.splitlines():
        match = _LINE.fullmatch(line)
        if match is None:
            raise RuntimeError(f"mypy says: {line}")
        message = Message(int(match[2]), match[5] or match[3], match[4])
        found.setdefault(Path(match[1]).name, []).append(message)
    return found
