"""Messages on standard error, data on standard output, and the handling of a closed output."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import Any

from ..ground import say


def complain(text: str) -> None:
    """Print a message to standard error, after all output so far; print nothing if it is closed."""
    try:
        if sys.stdout is not None:  # pyright: ignore[reportUnnecessaryComparison]
            sys.stdout.flush()
    except OSError:
        discard_output()
    with suppress(OSError):
        say(*text.split("\n"), file=sys.stderr)


def say_json(value: Any) -> None:
    """Write a value as a line of JSON, in ASCII: what is not printable has the escapes of JSON."""
    import json

    say(json.dumps(value))


def discard_output() -> None:
    """Python flushes standard output once more at exit: give it somewhere to go."""
    with suppress(OSError):  # a stand-in for standard output may have no file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
