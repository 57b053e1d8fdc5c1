"""An operation with its steps, as data and as a figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..algebra.by_mode import tiler_text
from ..display import html_of
from ..figure import Steps
from .pictures import pictures_of, unknowns_of
from .sentences import law_of, sentences_of
from .tables import table

if TYPE_CHECKING:
    from ..layout import AnyLayout

__all__ = ["Explanation"]


class Explanation(NamedTuple):
    """An operation, its arguments, its result and how that came about."""

    operation: str
    arguments: tuple[Any, ...]
    result: AnyLayout
    steps: tuple[Any, ...] = ()
    parts: tuple[Explanation, ...] = ()
    notes: tuple[str, ...] = ()
    options: tuple[tuple[str, Any], ...] = ()

    def figure(self, pictures: bool = True) -> Steps:
        """Return the steps as a table of texts, as sentences, and as pictures of before and after.

        >>> from tla.explain import explain
        >>> print(*explain("complement", Layout((2, 2), (1, 6)), 24).figure().sentences, sep="\\n")
        2:1 begins at 1, where the offsets filled so far end: no gap. Filled up to 2 * 1 = 2.
        2:6 begins at 6; below it fit 6 / 2 = 3 blocks of 2: it takes 3:2. Filled up to 2 * 6 = 12.
        The range of 24 holds 24 / 12 = 2 blocks of 12: it takes 2:12.

        Args:
            pictures: Whether to draw too, which takes numbers; a note says where there are none. The
                parts have no pictures of their own.
        """
        columns, rows = table(self.steps)
        notes = self.notes
        drawn = pictures_of(self) if pictures else ()
        if pictures:
            unknown = unknowns_of(self)
            said = f"no picture: {', '.join(unknown)} has no number" if unknown else ""
            notes = tuple([text for text in (law_of(self), *notes, said) if text])
        return Steps(
            self.title,
            notes,
            columns,
            rows,
            tuple([part.figure(pictures=False) for part in self.parts]),
            str(self.result),
            sentences_of(self),
            drawn,
        )

    @property
    def title(self) -> str:
        """The call, as it would be written."""
        texts = [
            *map(tiler_text, self.arguments),
            *(f"{name}={str(value).lower()}" for name, value in self.options),
        ]
        return f"{self.operation}({', '.join(texts)})"

    def _repr_html_(self) -> str | None:
        return html_of(self)
