# SPDX-License-Identifier: Apache-2.0
"""An operation with its steps, as data and as a figure."""

from __future__ import annotations

from ..ground import Steps, html_of
from .derivation import Derivation
from .pictures import pictures_of, unknowns_of
from .sentences import law_of, sentences_of
from .tables import table


class Explanation(Derivation):
    """An operation with its arguments, its result and its steps, which has a figure."""

    __slots__ = ()

    def figure(self, pictures: bool = True) -> Steps:
        """Return the steps as a table of texts, as sentences, and as pictures of before and after.

        >>> from tla.explain import explain
        >>> print(*explain("complement", Layout((2, 2), (1, 6)), 24).figure().sentences, sep="\\n")
        2:1 begins at 1, where the offsets filled so far end: no gap. Filled up to 2 * 1 = 2.
        2:6 begins at 6; below it fit 6 / 2 = 3 blocks of 2: it takes 3:2. Filled up to 2 * 6 = 12.
        The range of 24 holds 24 / 12 = 2 blocks of 12: it takes 2:12.

        Args:
            pictures: Whether to draw too. A picture needs numbers, and a note says if there are none.
                The parts have no pictures of their own.
        """
        steps = _steps(self)
        if not pictures:
            return steps
        unknown = unknowns_of(self)
        missing = f"no picture: {', '.join(unknown)} has no number" if unknown else ""
        notes = [text for text in (law_of(self), *self.notes, missing) if text]
        return steps._replace(notes=tuple(notes), pictures=pictures_of(self))

    def _repr_html_(self) -> str | None:
        return html_of(self)


def _steps(derivation: Derivation) -> Steps:
    """The steps of an operation and of its parts, without pictures."""
    columns, rows = table(derivation.steps)
    return Steps(
        derivation.title,
        derivation.notes,
        columns,
        rows,
        tuple(map(_steps, derivation.parts)),
        str(derivation.result),
        sentences_of(derivation),
    )
