# SPDX-License-Identifier: Apache-2.0
"""An operation with its steps, as data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..algebra import tiler_text

if TYPE_CHECKING:
    from ..layouts import AnyLayout
    from .explanation import Explanation


class Derivation(NamedTuple):
    """An operation with its arguments, its result, and the steps from one to the other."""

    operation: str
    arguments: tuple[Any, ...]
    result: AnyLayout
    steps: tuple[Any, ...] = ()
    parts: tuple[Explanation, ...] = ()
    notes: tuple[str, ...] = ()
    options: tuple[tuple[str, Any], ...] = ()

    @property
    def title(self) -> str:
        """The call as text."""
        texts = [
            *map(tiler_text, self.arguments),
            *(f"{name}={str(value).lower()}" for name, value in self.options),
        ]
        return f"{self.operation}({', '.join(texts)})"
