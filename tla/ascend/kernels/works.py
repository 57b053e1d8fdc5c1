# SPDX-License-Identifier: Apache-2.0
"""What an instruction does to memories: steps, each with the boxes it reads and the box it writes.

One definition serves the values, the footprints of racecheck and memcheck, and the shadow of initcheck.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from .boxes import Box
from .lazy_numpy import np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Compute = Callable[..., Any]
    Spread = str | Callable[..., Any]


class Ref(NamedTuple):
    """A box of an operand, with the type of its items."""

    operand: str
    box: Box
    dtype: str = ""
    """Empty if the bytes are moved as they are."""


class Step(NamedTuple):
    """One box written from boxes that are read.

    A step without `compute` moves the bytes of its only input.
    """

    out: Ref
    ins: tuple[Ref, ...] = ()
    compute: Compute | None = None
    spread: Spread = "elements"
    """How bytes that were never written spread: by ``elements`` that correspond, as in a ``product``
    from a row or column to its sums, from any to ``all``, not at all (``clean``), or by a function."""
    extents: tuple[int, int, int] = (0, 0, 0)
    """M, N and K of a product."""
    extra: tuple[Ref, ...] = ()
    """Boxes that the hardware writes besides the values, with anything."""


class _Work(NamedTuple):
    steps: tuple[Step, ...]
    unit_flag: int
    marks: tuple[Any, ...]


class Work(_Work):
    """The steps of an instruction, from its parameters alone; one for all that have these parameters."""

    def __new__(
        cls, steps: Sequence[Step] = (), unit_flag: int = 0, marks: tuple[Any, ...] = ()
    ) -> Work:
        kept = [step for step in steps if not (step.out.operand and step.out.box.empty)]
        kept = [step for step in kept if not any(ref.box.empty for ref in step.ins)]
        return super().__new__(cls, tuple(kept), unit_flag, marks)

    @cached_property
    def reads(self) -> tuple[tuple[str, Box], ...]:
        """The boxes that are read, each once."""
        refs = [ref for step in self.steps for ref in step.ins]
        return tuple(dict.fromkeys([(ref.operand, ref.box) for ref in refs if not ref.box.empty]))

    @cached_property
    def writes(self) -> tuple[tuple[str, Box], ...]:
        """The boxes that are written, each once."""
        refs = [ref for step in self.steps for ref in (step.out, *step.extra)]
        return tuple(dict.fromkeys([(ref.operand, ref.box) for ref in refs if not ref.box.empty]))


NOTHING: Final = Work()


def line_box(start: int, count: int, size: int) -> Box:
    """Return a box of items that follow one another."""
    return Box(start, ((count, size),), size)


def copied(src: Box, dst: Box, source: str = "src", target: str = "dst") -> Step:
    """Return the step that moves the items of one box to the places of another."""
    return Step(Ref(target, dst), (Ref(source, src),))


def filled(dst: Box, target: str = "dst") -> Step:
    """Return the step that writes zeros."""
    return Step(Ref(target, dst), (), None, "clean")


def constant(value: float | str) -> Compute:
    """Return the function of no input that gives a number; a text is one that JSON has no word for.

    >>> float(constant("-inf")())
    -inf
    """

    def compute() -> Any:
        return np.asarray(float(value) if isinstance(value, str) else value)

    return compute
