# SPDX-License-Identifier: Apache-2.0
"""What is said of a compiled function: its memory, its copies, and the layouts that save them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..ground import html_of
from ..hlo import read_module
from ..memory import (
    alias_bytes,
    argument_bytes,
    copies,
    copy_totals,
    live,
    output_bytes,
    printed_bytes,
    run_cycles,
)
from ..xla_bridge import chip_named, memory_space_name
from .compiling import compiled
from .formats import shardings

if TYPE_CHECKING:
    from ..ground import Panels
    from ..hlo import Module
    from ..memory import Advice, Copies, Liveness
    from ..xla_bridge import Chip

_LISTED = 5


class Report(NamedTuple):
    """The module of a compiled function, with its memory and copies.

    A notebook shows what is live at the peaks.

    >>> import jax, jax.numpy as jnp, tla.jax  # doctest: +SKIP
    >>> table = jax.ShapeDtypeStruct((50000, 100), jnp.float32)  # doctest: +SKIP
    >>> print(tla.jax.report(lambda t: t.T @ t, table, chip="v5e").advice)  # doctest: +SKIP
    ()
    """

    module: Module
    copies: Copies
    live: Liveness
    chip: str | None
    compiled: Any
    """The ``jax.stages.Compiled``."""

    @property
    def advice(self) -> tuple[Advice, ...]:
        """The layouts of parameters and results that make copies needless, the best first."""
        return self.copies.advice

    @property
    def cycles(self) -> int:
        """The sum of the compiler's estimates, over all turns of loops with a known number of them."""
        return run_cycles(self.module)

    @property
    def shardings(self) -> tuple[Any, Any]:
        """The advice as ``in_shardings`` and ``out_shardings`` of `jax.jit`; see `tla.jax.shardings`."""
        return shardings(self.compiled, self.advice)

    def figure(self, **limits: Any) -> Panels:
        """Return the picture of what is live at the peaks, as data."""
        return self.live.figure(self.chip)

    def _repr_html_(self) -> str | None:
        return html_of(self)

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> list[str]:
        module = self.module
        sizes = [
            f"{what} {printed_bytes(int(size))}"
            for what, size in (
                ("arguments", argument_bytes(module)),
                ("results", output_bytes(module, self.chip)),
                ("of them in donated memory", alias_bytes(module)),
            )
        ]
        lines = [f"{module.name}: {', '.join(sizes)}; {self.cycles} cycles estimated"]
        for peak in self.live.peaks:
            name = memory_space_name(peak.memory_space, self.chip)
            where = peak.step.instruction.name
            lines.append(f"{name}: {printed_bytes(peak.bytes)} at the peak, %{where}")
            largest = peak.buffers[:_LISTED]
            lines += [f"    {each.kind} {each.label} {each.shape}" for each in largest]
        lines += [
            f"{total.kind}: {total.copies} copies, {printed_bytes(total.written_bytes)} written"
            for total in copy_totals(self.copies)
            if total.copies
        ]
        for advice in self.advice:
            saves = "" if advice.saves_cycles is None else f", up to {advice.saves_cycles} cycles saved"
            lines.append(f"advice: {advice}{saves}, {advice.memory_change:+} bytes")
            lines += [f"    risk: {advice.risk}"] if advice.risk else []
        return lines


def report(function: Any, *args: Any, chip: str | Chip | None = None, **options: Any) -> Report:
    """Return what the compiler made of a function: memory, copies, and advice on layouts.

    >>> print(report(step, jax.ShapeDtypeStruct((64, 77), "bfloat16"), chip="v5e"))  # doctest: +SKIP

    Args:
        function: A function of jax, jitted or not, or a ``Lowered`` or ``Compiled`` of `jax.stages`.
        args: Its arguments, for the shapes and shardings: arrays or ``jax.ShapeDtypeStruct``.
        chip: A chip to compile for on one core, which need not be there: ``"v4"``, ``"v5e"``, ``"v5p"``,
            ``"v6e"`` or ``"tpu7x"``, with libtpu. By default where the arguments are.
        options: Arguments of `jax.jit`, as ``donate_argnums``, for a function that is not jitted.

    Raises:
        ArgumentError: the function is none, or is compiled already and has arguments.
        UnsupportedError: jax is not installed, or nothing here compiles for the chip.
    """
    return report_of(compiled(function, args, chip, **options), chip)


def report_of(program: Any, chip: str | Chip | None) -> Report:
    """Return the report on a ``jax.stages.Compiled``."""
    module = read_module(program.as_text())
    name = None if chip is None else chip_named(chip).name
    return Report(module, copies(module, chip or "v5e"), live(module, chip), name, program)
