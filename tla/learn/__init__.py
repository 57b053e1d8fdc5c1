# SPDX-License-Identifier: Apache-2.0
"""A course that checks itself: exercises made from seeds, judged by what an answer does.

>>> from tla.learn import exercises
>>> exercise = exercises("composition")[0]
>>> print(exercise.task)
A = (4,3):(3,1) and B = 4:2. What is the composition of A with B?
>>> print(exercise.check("(2,2):(6,2)").text)
At 2 the layout gives 2, and that is wrong.
>>> exercise.check("composition((4,3):(3,1), 4:2)").passed
True

- `exercises`: some of a topic, the same for a seed; `TOPICS`: the topics, in the order of the tutorial;
- `Exercise`: a task with its picture, `Exercise.check` and three hints; `Verdict`: what an answer is;
- `grade`: the answers of a sheet, as JSON; `sheet`: a sheet with or without the answers, as a figure.

The tasks of a topic are made in ``topics``, and answers read and judged in ``questions``.
"""

from typing import TYPE_CHECKING

from ..ground import lazy

if TYPE_CHECKING:
    from .questions import Exercise as Exercise, Verdict as Verdict
    from .sheets import (
        LEVELS as LEVELS,
        exercise as exercise,
        exercises as exercises,
        grade as grade,
        sheet as sheet,
    )
    from .topics import TOPICS as TOPICS

lazy(__name__, guard=True)
