"""What a call may take of CPU time and memory, for the fuzzers."""

from __future__ import annotations

import signal
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Generator


class OutOfTimeError(BaseException):
    """A call took more CPU time than it may. No ``except Exception`` of the library hides it."""


@contextmanager
def limited_time(seconds: float) -> Generator[None]:
    """Raise `OutOfTimeError` in the block after so much CPU time, where the system has a timer."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def stop(_signal: int, _frame: object) -> NoReturn:
        raise OutOfTimeError(f"no answer in {seconds:g} s of CPU time")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


@contextmanager
def limited_memory(megabytes: int) -> Generator[None]:
    """Let Python raise MemoryError in the block when it takes so much beside what it has, on Linux."""
    if sys.platform != "linux":
        yield
        return
    import resource

    taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (taken + megabytes * 2**20, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
