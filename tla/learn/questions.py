# SPDX-License-Identifier: Apache-2.0
"""An exercise: what is asked, at which places an answer is judged, and what a wrong one is told.

An answer is values, such as offsets, or a layout. It is judged place by place: a layout by its offsets,
so that it may be spelt in any way. No text that is given for an answer holds what was asked.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import TlaError
from ..evaluation import evaluate
from ..ground import Steps, html_of, plural
from ..layouts import idx2crd, is_composed, is_layout, product_each, size, text_of
from ..numbers import is_tuple
from ..read import layout_of_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..evaluation import Call
    from ..ground import AnyFigure
    from ..layouts import AnyLayout


class Question(NamedTuple):
    """What a topic asks: a task in words, and the value that an answer must have at each place."""

    task: str
    places: tuple[Any, ...]
    wanted: tuple[Any, ...]
    rule: str
    """The sentence that says how the values come about."""
    work: Callable[[int], str]
    """What to calculate at a place, by its number; it ends before the result."""
    reference: str
    """An answer that is right."""
    sizes: tuple[int, ...] | None = None
    """The sizes of the modes of the layout that is asked for; None where values are asked for."""
    demand: Callable[[Any, list[Call]], str] = lambda _value, _calls: ""
    """What else is asked of a layout: the sentence of what is missing, or nothing."""
    pictures: tuple[AnyFigure, ...] = ()


def values(
    task: str, found: dict[Any, Any], rule: str, work: Callable[[Any], str], *pictures: AnyFigure
) -> Question:
    """Return the question for a value at each place."""
    places, wanted = tuple(found), tuple(found.values())

    def work_at(i: int) -> str:
        return work(places[i])

    reference = ", ".join(map(text_of, wanted))
    return Question(task, places, wanted, rule, work_at, reference, pictures=pictures)


def function(
    task: str,
    wanted: AnyLayout,
    rule: str,
    *pictures: AnyFigure,
    reference: str = "",
    demand: Callable[[Any, list[Call]], str] = lambda _value, _calls: "",
    by_mode: bool = True,
) -> Question:
    """Return the question for a layout with the same offsets, by mode or by index."""
    sizes = product_each(wanted.shape) if by_mode else (int(wanted.size),)
    places: tuple[Any, ...] = tuple(range(wanted.size))
    if len(sizes) > 1:
        places = tuple(idx2crd(i, sizes) for i in places)
    offsets = tuple(int(wanted(at)) for at in places)

    def work(i: int) -> str:
        return f"At {text_of(places[i])} the offset is to be {offsets[i]}."

    return Question(task, places, offsets, rule, work, reference or str(wanted), sizes, demand, pictures)


class Verdict(NamedTuple):
    """What an answer is: ``state`` is right, wrong, blank, or unread where it breaks the notation.

    ``at`` is the first place where it is wrong; None where no place shows it.

    >>> from tla.learn import exercise
    >>> exercise("swizzles/1/3/1").check("5, 4, 7")
    Verdict(state='wrong', text='At 7 the answer is 7, and that is wrong.', at=7)
    """

    state: str
    text: str
    at: Any = None

    @property
    def passed(self) -> bool:
        """Whether the answer is right."""
        return self.state == "right"


@dataclass(frozen=True, eq=False)
class Exercise:
    """One exercise of a topic. The same topic, level, seed and number are always the same exercise.

    >>> from tla.learn import exercise
    >>> print(exercise("swizzles/1/3/1").task)
    What does Sw<1,0,2> make of 4, 5 and 7?
    >>> exercise("swizzles/1/3/1")  # without the answer
    exercise('swizzles/1/3/1')
    """

    topic: str
    level: int
    seed: int
    number: int
    question: Question

    def __repr__(self) -> str:
        return f"exercise({self.name!r})"

    @property
    def name(self) -> str:
        """``topic/level/seed/number``, by which `tla.learn.exercise` finds it again."""
        return f"{self.topic}/{self.level}/{self.seed}/{self.number}"

    @property
    def task(self) -> str:
        """What is asked, in words."""
        return self.question.task

    @property
    def reference(self) -> str:
        """An answer that is right, for the sheet of a lecturer."""
        return self.question.reference

    @property
    def form(self) -> str:
        """How an answer is written, with zeros for its values."""
        if self.question.sizes is not None:
            return "(4,2):(2,1)"
        return re.sub(r"-?\d+", "0", self.reference)

    def check(self, answer: str) -> Verdict:
        """Judge an answer: by its values, or as a function if a layout is asked for."""
        if not answer.strip():
            return Verdict("blank", "There is no answer yet.")
        try:
            return self._judged(answer)
        except TlaError as error:
            return Verdict("unread", str(error))

    def _judged(self, answer: str) -> Verdict:
        value: Any
        asked, calls = self.question, list[Any]()
        if asked.sizes is None:
            try:
                value = evaluate(f"({answer})")
            except TlaError:  # its columns are those of a text in parentheses
                return self._compared([])
            return self._compared(_aligned(value, asked.wanted))
        value = evaluate(answer, calls, None, layout_of_name)
        if not _is_function(value):
            return Verdict(
                "unread", f"A layout is asked for, such as (4,2):(2,1), not {answer.strip()}."
            )
        is_flat = len(asked.sizes) == 1  # any layout of that size: it is judged by its index
        sizes = (int(size(value)),) if is_flat else product_each(value.shape)
        if not is_flat and sizes != asked.sizes:
            has, wants = (_modes_in_words(x) for x in (sizes, asked.sizes))
            return Verdict("wrong", f"The layout has {has}; asked for is one with {wants}.")
        verdict = self._compared([value(at) for at in asked.places[: sizes[0] if is_flat else None]])
        if verdict.passed and sizes != asked.sizes:
            return Verdict(
                "wrong", f"The layout has {sizes[0]} coordinates; {asked.sizes[0]} are asked for."
            )
        missing = asked.demand(value, calls) if verdict.passed else ""
        return Verdict("wrong", missing) if missing else verdict

    def _compared(self, found: list[Any]) -> Verdict:
        asked = self.question
        places = zip(asked.places, found, asked.wanted, strict=False)
        at, given = next(((at, value) for at, value, wanted in places if value != wanted), (None, None))
        if asked.sizes is None and len(found) != len(asked.wanted):
            has = f"The answer has {plural(len(found), 'value')}; " if found else ""
            wants = plural(len(asked.wanted), "value") + (" is" if len(asked.wanted) == 1 else " are")
            text = f"{has}{wants} asked for, written as {self.form}."
            if at is None and 0 < len(found) < len(asked.wanted):
                at = asked.places[len(found)]
            return Verdict("wrong" if found else "unread", text, at)
        if at is None:
            return Verdict("right", "That is right.")
        what = "the layout gives" if asked.sizes else "the answer is"
        return Verdict("wrong", f"At {_name(at)} {what} {text_of(given)}, and that is wrong.", at)

    def hint(self, answer: str, number: int) -> str:
        """Return hint 1, 2 or 3 for an answer: the place to look at, the rule, the arithmetic there."""
        verdict = self.check(answer)
        if verdict.passed:
            return verdict.text
        asked = self.question
        place = asked.places.index(verdict.at) if verdict.at is not None else -1
        where = f"Look at {_name(asked.places[place])}."
        if number <= 1:
            between = "\n" if "\n" in verdict.text else " "
            return where if verdict.state == "blank" else f"{verdict.text}{between}{where}"
        return f"{where} {asked.rule if number == 2 else asked.work(place)}"

    def figure(self, answers: bool = False) -> Steps:
        """Return the exercise as a figure, with a line for the answer, or with an answer."""
        result = self.reference if answers else "_" * 24
        return Steps(self.name, (self.task,), (), (), (), result, (), self.question.pictures)

    def _repr_html_(self) -> str | None:
        return html_of(self)


def _is_function(value: object) -> bool:
    return is_layout(value) or is_composed(value)


def _aligned(value: Any, wanted: tuple[Any, ...]) -> list[Any]:
    """The values of an answer ``5, 6`` or ``(5,6)``; of one place they may be a coordinate, ``1,2``."""
    whole = value if is_tuple(value) else (value,)
    if len(whole) == 1 and is_tuple(whole[0]) and not (len(wanted) == 1 and is_tuple(wanted[0])):
        return [*whole[0]]
    if len(wanted) == 1 and is_tuple(wanted[0]) and not is_tuple(whole[0]):
        return [whole]
    return [*whole]


def _name(at: Any) -> str:
    return at if isinstance(at, str) else text_of(at)


def _modes_in_words(sizes: tuple[int, ...]) -> str:
    return f"{plural(len(sizes), 'mode')} of {', '.join(map(str, sizes))}"
