# SPDX-License-Identifier: Apache-2.0
"""A progress bar on standard error, for long work on a terminal; it disappears at the end."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from rich.progress import Progress


@contextmanager
def progress_bar(
    what: str, of_bytes: bool = False, whole: int | None = None
) -> Generator[Callable[[int, int], None] | None]:
    """Yield a function that takes the work done and the whole work; None without a terminal.

    Args:
        whole: The whole work, where it is known: the bar shows it at once.
    """
    progress = _progress(what, of_bytes)
    if progress is None:
        yield None
        return
    with progress:
        bar = progress.add_task(what, total=whole)
        yield lambda done, total: progress.update(bar, completed=done, total=total)


def _progress(what: str, of_bytes: bool) -> Progress | None:
    if sys.stderr is None or not sys.stderr.isatty():  # pyright: ignore[reportUnnecessaryComparison]
        return None
    try:
        from rich import progress
        from rich.console import Console
    except ImportError:
        return None
    count = progress.DownloadColumn(binary_units=True) if of_bytes else progress.MofNCompleteColumn()
    shown = (progress.TextColumn(what), progress.BarColumn(), count, progress.TimeRemainingColumn())
    return progress.Progress(*shown, console=Console(stderr=True, no_color=True), transient=True)
