"""isl, loaded on demand, and the limit of its work.

All relations share one isl context. isl counts its steps there. A question with too many steps ends in
`UndecidedError`, never in a wrong answer.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import cache
from importlib import import_module
from threading import RLock
from typing import TYPE_CHECKING, Any, Final

from ...errors import UnsupportedError
from ...ground import limit_error

if TYPE_CHECKING:
    from collections.abc import Generator

BITS: Final = 512
"""The most bits of a number of a map."""

_lock: Final = RLock()
"""An isl context serves one thread at a time."""


def isl() -> Any:
    """Return the module islpy.

    Raises:
        UnsupportedError: islpy is not installed.
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
    """Limit isl to ``limit`` steps, or to the rest of an outer budget.

    Args:
        what: The question in words, for the error.

    Raises:
        UndecidedError: isl needs more steps.
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
            except (module.Error, TypeError):  # an invalid value cannot be converted
                if not _is_exceeded(module, ctx):
                    raise
            if _is_exceeded(module, ctx):  # isl returns too small counts, without an error
                raise limit_error(
                    "operations",
                    f"{what} takes isl more than {limit} operations",
                    "A greater limit of one relation may do too: relation(map, limit=...).",
                    budget="operations",
                )
        finally:
            ctx.set_max_operations(0)
            ctx.reset_operations()


def _is_exceeded(module: Any, ctx: Any) -> bool:
    """Whether isl refuses further steps; it needs one to print a number."""
    try:
        return not str(module.Val.int_from_si(ctx, 1))
    except module.Error:
        return True
