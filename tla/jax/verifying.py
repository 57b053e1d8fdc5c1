# SPDX-License-Identifier: Apache-2.0
"""A function compiled again with advice: what changed, and whether the advice held."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import ArgumentError
from ..memory import alias_bytes, compare
from .compiling import compiled, jax_module
from .formats import shardings
from .reporting import Report, report_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..memory import Advice, Comparison
    from ..xla_bridge import Chip


class Verification(NamedTuple):
    """A function as it was compiled first, and with advice.

    >>> found = verify(step, arguments, chip="v5e")  # doctest: +SKIP
    >>> found.holds, found.saved_cycles  # doctest: +SKIP
    (True, 72096)
    """

    advice: tuple[Advice, ...]
    before: Report
    after: Report
    comparison: Comparison
    """What changed from one module to the other."""
    in_shardings: Any
    out_shardings: Any
    donate_argnums: tuple[int, ...]
    """The arguments of `jax.jit` that take the advice."""

    @property
    def saved_cycles(self) -> int:
        """The compiler's estimate of the whole, before less after, over all turns of loops."""
        return self.before.cycles - self.after.cycles

    @property
    def lost_alias_bytes(self) -> int:
        """The bytes of donated memory that results no longer share."""
        return max(0, int(alias_bytes(self.before.module)) - int(alias_bytes(self.after.module)))

    @property
    def problems(self) -> tuple[str, ...]:
        """Why the advice does not hold, in words; empty if it does."""
        found: list[str] = []
        if self.lost_alias_bytes:
            found.append(f"{self.lost_alias_bytes} bytes of donated memory are no longer shared")
        if self.saved_cycles < 0:
            found.append(f"the whole takes {-self.saved_cycles} cycles more by the compiler's estimate")
        if self.saved_cycles == 0 and self.advice:
            found.append("the compiler's estimate of the whole stays the same")
        return tuple(found)

    @property
    def holds(self) -> bool:
        """Whether the whole got faster by the compiler's estimate, and no donation was lost."""
        return not self.problems

    def __str__(self) -> str:
        if not self.advice:
            return f"{self.before.module.name}: no advice"
        totals = [each for each in self.comparison.totals if each.change and each.unit != "cycles"]
        return "\n".join(
            [
                *map(str, self.advice),
                f"estimated cycles of all turns: {self.before.cycles} -> {self.after.cycles}",
                *map(str, totals),
                *(self.problems or ("the advice holds",)),
            ]
        )


def verify(
    function: Any,
    args: Sequence[Any],
    advice: Iterable[Advice] | None = None,
    *,
    chip: str | Chip | None = None,
    donate_argnums: int | Sequence[int] = (),
) -> Verification:
    """Compile a function as it is and with advice, and return both.

    Where advice is to donate an array, its whole argument is donated.

    >>> print(verify(jax.jit(step, donate_argnums=0), (state, batch), chip="v5e"))  # doctest: +SKIP

    Args:
        function: A function of jax, jitted or not. Of a jitted one its donated arguments are taken over,
            its shardings and static arguments are not.
        args: Its arguments: arrays or ``jax.ShapeDtypeStruct``.
        advice: The advice to take; by default all that `report` gives.
        chip: A chip to compile for, as for `report`.
        donate_argnums: Those of `jax.jit`, for a function that is not jitted.

    Raises:
        ArgumentError: the function is none, or is compiled already.
        UnsupportedError: jax is not installed, or nothing here compiles for the chip.
    """
    jax = jax_module("verify")
    if hasattr(function, "as_text"):
        raise ArgumentError("verify compiles a function again: it takes the function, not a program")
    options = {"donate_argnums": donate_argnums} if donate_argnums != () else {}
    program = compiled(function, args, chip, "verify", **options)
    before = report_of(program, chip)
    chosen = tuple(before.advice if advice is None else advice)
    ins, outs = shardings(program, chosen)
    donated = _donated(jax, program, chosen)
    again = jax.jit(
        getattr(function, "__wrapped__", function),
        in_shardings=ins,
        out_shardings=outs,
        donate_argnums=donated,
    )

    def placed(leaf: Any, sharding: Any) -> Any:
        return jax.ShapeDtypeStruct(leaf.shape, leaf.dtype, sharding=sharding)

    described = jax.tree.map(placed, program.args_info[0], ins)
    after = report_of(again.lower(*described).compile(), chip)
    changes = compare(before.module, after.module, chip)
    return Verification(chosen, before, after, changes, ins, outs, donated)


def _donated(jax: Any, program: Any, advice: Iterable[Advice]) -> tuple[int, ...]:
    """The arguments that a program donates, and those of which advice donates an array."""
    advised = {each.for_parameter for each in advice if each.what == "donation"}
    numbers = count()  # an array that the function does not use is no parameter
    found: list[int] = []
    for i, (arg, formats) in enumerate(zip(program.args_info[0], program.input_formats[0], strict=True)):
        leaves = jax.tree.leaves(arg)
        own = {next(numbers) for each in jax.tree.leaves(formats) if each.sharding is not None}
        if (leaves and all(leaf.donated for leaf in leaves)) or own & advised:
            found.append(i)
    return tuple(found)
