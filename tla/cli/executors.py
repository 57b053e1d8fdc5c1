# SPDX-License-Identifier: Apache-2.0
"""The processes and machines that work for a command."""

from __future__ import annotations

from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Final

from ..errors import UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Generator
    from concurrent.futures import Executor

EXECUTORS: Final = ("processes", "dask")
"""The names of executors."""


@contextmanager
def executor_named(name: str | None) -> Generator[Executor | None]:
    """Yield an executor by its name; None for none. Dask's is the cluster that its settings name.

    Raises:
        UnsupportedError: dask.distributed is not installed.
    """
    if name == "dask":
        with _dask() as executor:
            yield executor
        return
    from os import cpu_count

    with processes(1 if name is None else max(2, cpu_count() or 1)) as executor:
        yield executor


@contextmanager
def _dask() -> Generator[Executor]:
    try:
        distributed = import_module("distributed")
    except ImportError:
        summary = "--executor dask needs dask.distributed, which is not installed"
        raise UnsupportedError(summary, "pip install 'tla-layouts[dask]'") from None
    with distributed.Client() as client:
        yield client.get_executor()


@contextmanager
def processes(jobs: int) -> Generator[Executor | None]:
    """Yield the processes for the work, which end with it; None for one job."""
    if jobs == 1:
        yield None
        return
    from concurrent.futures import ProcessPoolExecutor
    from os import cpu_count

    executor = ProcessPoolExecutor(min(jobs, 2 * (cpu_count() or 1)), initializer=_deaf)
    try:
        # All processes start before the bar has a thread, so that no fork copies a lock.
        executor.submit(int).result()
        yield executor
    except KeyboardInterrupt:
        _end(executor)
        raise
    finally:
        executor.shutdown(cancel_futures=True)


def _end(executor: Executor) -> None:
    """End the processes: their work may take long, and nobody waits for it."""
    import threading
    from multiprocessing import active_children

    # The executor's thread then reports dead processes and cancelled futures, which is no news.
    hook, threading.excepthook = threading.excepthook, _say_nothing
    for process in active_children():
        process.terminate()
    executor.shutdown(cancel_futures=True)
    threading.excepthook = hook


def _say_nothing(_: object) -> None:
    """Of an error in a thread."""


def _deaf() -> None:
    """An interruption is for the process that has begun the others."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
