"""Running the command line: as a process here, in this process by the fixture ``run``."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple, TypeAlias

import tla

COMMAND = [sys.executable, "-m", "tla"]

# The library under test, wherever the process starts; no colour or width from outside.
_SET_BY_USERS = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "TERM")
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in _SET_BY_USERS}
ENVIRONMENT["PYTHONPATH"] = str(Path(tla.__file__).parent.parent)

MODULES = Path(__file__).parent.parent / "data" / "tpu_hlo"


class Done(NamedTuple):
    """What a command left."""

    code: int
    out: str
    err: str


Run: TypeAlias = Callable[..., Done]


def process(
    *arguments: str | bytes,
    stdin: bytes = b"",
    environment: Mapping[str, str] | None = None,
    encoding: str = "utf-8",
) -> Done:
    """Run ``python -m tla`` to its end; the encoding is that of what it writes."""
    done = subprocess.run(
        [*COMMAND, *arguments],
        input=stdin,
        capture_output=True,
        env={**ENVIRONMENT, **(environment or {})},
        check=False,
        timeout=60,
    )
    return Done(done.returncode, done.stdout.decode(encoding), done.stderr.decode(encoding))
