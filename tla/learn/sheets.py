# SPDX-License-Identifier: Apache-2.0
"""Exercises by topic and seed, sheets of them, and the grading of answers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from ..errors import ArgumentError
from ..ground import Steps, did_you_mean, near_words, shortened
from .questions import Exercise
from .topics import TOPICS, Draw

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

LEVELS: Final = (1, 2, 3)

_DIGITS: Final = 18
"""The most digits of a seed or number."""


def exercises(topic: str, seed: int = 1, n: int = 1, level: int = 1) -> list[Exercise]:
    """Return exercises 1 to ``n`` of a topic and seed; they are the same in each run.

    >>> [exercise.name for exercise in exercises("coalesce", seed=4, n=2, level=3)]
    ['coalesce/3/4/1', 'coalesce/3/4/2']

    Raises:
        ArgumentError: there is no such topic, level or seed.
    """
    return [_made(topic, level, seed, number) for number in range(1, n + 1)]


def exercise(name: str) -> Exercise:
    """Return the exercise of a name, ``topic/level/seed/number``.

    >>> exercise("strides/1/2/3").name
    'strides/1/2/3'

    Raises:
        ArgumentError: the name is of no exercise.
    """
    topic, *numbers = name.split("/")
    if len(numbers) != 3 or not all(n.isascii() and n.isdigit() and len(n) <= _DIGITS for n in numbers):
        raise ArgumentError(
            f"{shortened(name)!r} is no exercise",
            "An exercise is named topic/level/seed/number, as strides/1/2/3.",
        )
    level, seed, number = map(int, numbers)
    return _made(topic, level, seed, number)


def _made(topic: str, level: int, seed: int, number: int) -> Exercise:
    if topic not in TOPICS:
        near = did_you_mean(near_words(topic, TOPICS), TOPICS)
        raise ArgumentError(f"there is no topic {shortened(topic)!r}. {near}")
    if level not in LEVELS:
        raise ArgumentError(f"the levels are 1, 2 and 3, not {level}")
    if not 0 <= seed < 10**_DIGITS:  # the name must find the exercise again
        raise ArgumentError(f"a seed is 0 or more, of at most {_DIGITS} digits, not {seed}")
    question = TOPICS[topic].make(Draw(level, f"{topic}/{level}/{seed}/{number}"))
    return Exercise(topic, level, seed, number, question)


def sheet(chosen: Sequence[Exercise], answers: bool = False) -> Steps:
    """Return a sheet of exercises as a figure, with lines for the answers or with answers.

    >>> sheet(exercises("tails", n=2)).title
    'Exercises in layouts'

    `tla.show.html` and `tla.show.latex` make a page of it.
    """
    title = "Exercises in layouts" + (", with answers" if answers else "")
    return Steps(title, (), (), (), tuple(one.figure(answers) for one in chosen), "")


def grade(answers: Mapping[str, str]) -> str:
    """Return the grades of answers as JSON: the state of each by the name of its exercise, and the sum.

    >>> print(grade({"gemm/1/1/1": ""})[:60])
    {"right": 0, "of": 1, "answers": [{"exercise": "gemm/1/1/1",

    Args:
        answers: The answer of each exercise, by the name of the exercise.

    Raises:
        ArgumentError: a name is of no exercise.
    """
    found = {name: exercise(name).check(answer) for name, answer in answers.items()}
    rows: list[dict[str, Any]] = [
        {"exercise": name, "state": verdict.state, "text": verdict.text}
        for name, verdict in found.items()
    ]
    right = sum(verdict.passed for verdict in found.values())
    return json.dumps({"right": right, "of": len(rows), "answers": rows})
