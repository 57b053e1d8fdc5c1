"""Random programs: statements such as ``x3 = composition(x1, Layout((_2, Int(5)), (_1, n0)))``.

Each calls a public operation on literals and on what earlier statements gave. A program has its text,
and what each statement does when it is run: its value, or its error. The text runs after ``import tla``,
``from tla.layouts import *`` and ``from tla import *``. A statement that fails binds no name for those
after it.

>>> from random import Random
>>> program = random_program(Random(1), 3)
>>> [statement.name for statement in program.statements]
['x0', 'x1', 'x2']

By such programs a type checker is compared with the run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from hypothesis import strategies as st

from .operations import Draw, Operand

if TYPE_CHECKING:
    from random import Random

    from hypothesis.strategies import SearchStrategy


class Statement(NamedTuple):
    """An assignment: what is called, and what comes of it.

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
        """Whether it raises an error when it is run."""
        return isinstance(self.outcome, Exception)

    def __str__(self) -> str:
        return f"{self.name} = {self.call}"


class Program(NamedTuple):
    """Declarations ``n0: int = 6`` of ints that only the run knows, and statements.

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
    ...     for made in program.statements:
    ...         assert made.failed or isinstance(made.outcome, Layout | int | tuple)
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
    """Return a program of so many statements.

    >>> from random import Random
    >>> program = random_program(Random(1), statements=2)
    >>> type(program).__name__, [type(statement).__name__ for statement in program.statements]
    ('Program', ['Statement', 'Statement'])

    Args:
        dynamic: The share of extents, strides, coordinates and sizes that are declared ints. What
            chooses a mode, as in ``get(x0, 1)``, never is one.
        literal: The share of them that are dynamic but written out, ``6``. The rest is static: `Int`.
        failing: About the share of statements that are not to succeed.
        padded: Whether layouts have an origin shape now and then.
    """
    draw = Draw(rng, dynamic, literal, padded)
    made: list[Statement] = []
    for i in range(statements):
        operation, call, outcome = draw.call(failing)
        made.append(Statement(f"x{i}", operation, call.text, outcome))
        if not made[-1].failed:
            draw.bound.append(Operand(made[-1].name, outcome))
    return Program(tuple(draw.ints), tuple(made))
