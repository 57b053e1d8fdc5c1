# SPDX-License-Identifier: Apache-2.0
"""The context of an operation on unknown ints: what is assumed there, and which conditions it has used.

`tla.assume` sets what is assumed. A proof that needs a condition reports it with `use`. Every
`used_conditions` block around it collects the report: a layout can name the conditions it depends on.
This module knows nothing of expressions: without symbolic ints it costs nothing.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

assumed: Final[ContextVar[Any]] = ContextVar("assumed", default=None)
"""What is assumed here, a state of `tla.numbers.assumptions`; None where nothing is."""

_records: Final[ContextVar[tuple[set[Any], ...]]] = ContextVar("records", default=())


class nothing_assumed:  # noqa: N801 (a context manager, used as a word)
    """Assume nothing meanwhile: for values that are kept longer than the assumptions hold."""

    __slots__ = ("_token",)

    def __enter__(self) -> None:
        self._token = assumed.set(None)

    def __exit__(self, *_error: object) -> None:
        assumed.reset(self._token)


class used_conditions:  # noqa: N801 (a context manager, used as a word)
    """Collect the conditions that are used meanwhile: ``with used_conditions() as used: ...``."""

    __slots__ = ("_token",)

    def __enter__(self) -> set[Any]:
        used: set[Any] = set()
        self._token = _records.set((*_records.get(), used))
        return used

    def __exit__(self, *_error: object) -> None:
        _records.reset(self._token)


def use(*conditions: Any) -> None:
    """Record that an answer depends on some conditions."""
    for record in _records.get():
        record.update(conditions)
    state = assumed.get()
    if state is not None:
        state.used.update(dict.fromkeys(conditions))


def used_here() -> Iterable[Any]:
    """Return the conditions used by the running operation; outside of one, in the `assume` block."""
    records = _records.get()
    if records:
        return records[-1]
    state = assumed.get()
    return () if state is None else state.used
