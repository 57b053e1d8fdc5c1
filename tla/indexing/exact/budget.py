"""isl, loaded when it is needed, and the work that it may do.

All relations live in one isl context of their own. isl counts its steps there: more than were allowed
end in `UndecidedError`, never in a wrong answer.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import cache
from importlib import import_module
from threading import RLock
from typing import TYPE_CHECKING, Any, Final

from ...errors import UndecidedError, UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Generator

OPERATIONS: Final = 5_000_000
"""How many steps of isl one question may take, unless the caller gives another limit; some seconds."""

PIECES: Final = 4096
"""How many pieces, each a conjunction, a relation may have."""

BITS: Final = 512
"""How long the numbers of a map may be."""

_lock: Final = RLock()
"""An isl context serves one thread at a time."""


def isl() -> Any:
    """Return the module islpy.

    Raises:
        UnsupportedError: it is not installed.
    """
    try:
        return import_module("islpy")
    except ImportError:
        raise UnsupportedError(
            "exact relations of maps need islpy, which is not installed",
            "It comes with the extra: pip install 'tla-layouts[exact]'",
            extra="exact",
        ) from None


@cache
def context() -> Any:
    """Return the isl context of all relations."""
    return isl().Context()


@contextmanager
def within_budget(limit: int, what: str) -> Generator[Any]:
    """Let isl do at most ``limit`` steps; within another such budget, what is left of that.

    Args:
        what: What is done, for the error.

    Raises:
        UndecidedError: it took more.
    """
    module = isl()
    with _lock:
        ctx = context()
        if ctx.get_max_operations():
            yield module
            return
        ctx.reset_operations()
        ctx.set_max_operations(max(1, limit))
        try:
            try:
                yield module
            except (module.Error, TypeError):  # a value that is none cannot be converted
                if not _is_exceeded(module, ctx):
                    raise
            if _is_exceeded(module, ctx):  # isl's counts come back short, without an error
                raise UndecidedError(
                    f"{what} takes isl more than {limit} operations",
                    "A greater limit may do: relation(map, limit=...).",
                    limit=limit,
                    budget="operations",
                )
        finally:
            ctx.set_max_operations(0)
            ctx.reset_operations()


def _is_exceeded(module: Any, ctx: Any) -> bool:
    """Whether isl refuses further steps; printing a number takes one."""
    try:
        return not str(module.Val.int_from_si(ctx, 1))
    except module.Error:
        return True
