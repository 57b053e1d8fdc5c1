"""The context of an operation on unknown ints: what is assumed there, and which conditions it has used.

`tla.assume` sets what is assumed. An answer that stands on a condition says so with `use`; what it says
goes to every `recorded` block around it, so that a layout can name the conditions that it stands on.
This module speaks of no expression, so that it costs nothing where there are none.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

assumed: Final[ContextVar[Any]] = ContextVar("assumed", default=None)
"""What is assumed here, as `tla.numbers.assumptions` writes it down; None for nothing."""

_records: Final[ContextVar[tuple[set[Any], ...]]] = ContextVar("records", default=())


class nothing_assumed:  # noqa: N801 (a context manager, used as a word)
    """Set what is assumed aside: for what outlives it."""

    __slots__ = ("_token",)

    def __enter__(self) -> None:
        self._token = assumed.set(None)

    def __exit__(self, *_error: object) -> None:
        assumed.reset(self._token)


class recorded:  # noqa: N801 (a context manager, used as a word)
    """Collect the conditions that are used meanwhile: ``with recorded() as used: ...``."""

    __slots__ = ("_token",)

    def __enter__(self) -> set[Any]:
        used: set[Any] = set()
        self._token = _records.set((*_records.get(), used))
        return used

    def __exit__(self, *_error: object) -> None:
        _records.reset(self._token)


def use(*conditions: Any) -> None:
    """Record that an answer stands on some conditions."""
    for record in _records.get():
        record.update(conditions)
    state = assumed.get()
    if state is not None:
        state.used.update(dict.fromkeys(conditions))


def used_here() -> Iterable[Any]:
    """Return what has been used by the operation that runs, or else in the block of `assume`."""
    records = _records.get()
    if records:
        return records[-1]
    state = assumed.get()
    return () if state is None else state.used
