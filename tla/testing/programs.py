# SPDX-License-Identifier: Apache-2.0
"""Random programs: statements such as ``x3 = composition(x1, Layout((_2, Int(5)), (_1, n0)))``.

Each statement calls a public operation on literals and on the values of earlier statements. A program
has its text, and the outcome of each statement: a value or an error. The text runs after ``import tla``,
``from tla.layouts import *`` and ``from tla import *``. Later statements do not use the name of a
statement that fails.

>>> from random import Random
>>> program = random_program(Random(1), 3)
>>> [statement.name for statement in program.statements]
['x0', 'x1', 'x2']

Our tests compare a type checker with the run on such programs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from hypothesis import strategies as st

from .operations import Draw, Operand

if TYPE_CHECKING:
    from random import Random

    from hypothesis.strategies import SearchStrategy


class Statement(NamedTuple):
    """An assignment: its call and the outcome.

    >>> statement = Statement("x1", "coalesce", "coalesce(x0)", LayoutError("no layout"))
    >>> print(statement, statement.failed)
    x1 = coalesce(x0) True
    """

    name: str
    operation: str
    call: str
    outcome: Any
    """The value, or the error."""

    @property
    def failed(self) -> bool:
        """Whether its outcome is an error."""
        return isinstance(self.outcome, Exception)

    def __str__(self) -> str:
        return f"{self.name} = {self.call}"


class Program(NamedTuple):
    """Declarations ``n0: int = 6`` of dynamic ints, and statements.

    >>> from random import Random
    >>> program = random_program(Random(1), statements=3, dynamic=1.0)
    >>> len(program.statements), len(program.declarations) == len(program.ints)
    (3, True)
    """

    ints: tuple[tuple[str, int], ...]
    statements: tuple[Statement, ...]

    @property
    def declarations(self) -> list[str]:
        """The lines before the statements."""
        return [f"{name}: int = {value}" for name, value in self.ints]

    def __str__(self) -> str:
        return "\n".join([*self.declarations, *map(str, self.statements)])


def programs(
    statements: int = 6,
    *,
    dynamic: float = 0.0,
    literal: float = 0.0,
    failing: float = 0.25,
    padded: bool = True,
) -> SearchStrategy[Program]:
    """Draw programs; see `random_program`.

    >>> from hypothesis import given
    >>> @given(programs())
    ... def law(program):
    ...     for each in program.statements:
    ...         assert each.failed or isinstance(each.outcome, Layout | int | tuple)
    >>> law()
    """
    return st.builds(
        random_program,
        st.randoms(use_true_random=False),
        st.just(statements),
        dynamic=st.just(dynamic),
        literal=st.just(literal),
        failing=st.just(failing),
        padded=st.just(padded),
    )


def random_program(
    rng: Random,
    statements: int = 6,
    *,
    dynamic: float = 0.0,
    literal: float = 0.0,
    failing: float = 0.25,
    padded: bool = True,
) -> Program:
    """Return a program with this number of statements.

    >>> from random import Random
    >>> program = random_program(Random(1), statements=2)
    >>> type(program).__name__, [type(statement).__name__ for statement in program.statements]
    ('Program', ['Statement', 'Statement'])

    Args:
        dynamic: The share of extents, strides, coordinates and sizes that are declared ints. The index
            of a mode, as in ``get(x0, 1)``, is never one.
        literal: The share of them that are literals such as ``6``. The rest is static: `Int`.
        failing: The approximate share of statements that fail.
        padded: Whether some layouts have an origin shape.
    """
    draw = Draw(rng, dynamic, literal, padded)
    lines: list[Statement] = []
    for i in range(statements):
        operation, call, outcome = draw.call(failing)
        lines.append(Statement(f"x{i}", operation, call.text, outcome))
        if not lines[-1].failed:
            draw.values.append(Operand(lines[-1].name, outcome))
    return Program(tuple(draw.ints), tuple(lines))
