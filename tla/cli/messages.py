"""Messages on standard error, and the handling of a closed output."""

from __future__ import annotations

import os
import sys
from contextlib import suppress


def complain(text: str) -> None:
    """Print a line to standard error, after all output so far; print nothing if it is closed."""
    try:
        if sys.stdout is not None:  # pyright: ignore[reportUnnecessaryComparison]
            sys.stdout.flush()
    except OSError:
        discard_output()
    with suppress(OSError):
        if sys.stderr is not None:  # pyright: ignore[reportUnnecessaryComparison]
            print(text, file=sys.stderr)


def discard_output() -> None:
    """Python flushes standard output once more at exit: give it somewhere to go."""
    with suppress(OSError):  # a stand-in for standard output may have no file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
