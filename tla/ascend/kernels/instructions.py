# SPDX-License-Identifier: Apache-2.0
"""Instructions as values: what a kernel issues, whoever wrote it down.

A trace's reader and a kernel written in Python make the same stream of instructions, so one machine runs
both and one sanitizer checks both.

>>> src = Operand("GM", "A", 0, "float16")
>>> copy = Instruction("AIC0", "DataCopy", "MTE2", {"src": src}, {"form": "count", "count": 16})
>>> copy.form, copy.operands["src"].place
('count', 'A[0]')
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..arch import Position

SPACES: Final = ("GM", "L1", "L0A", "L0B", "L0C", "UB", "BT", "FB")
PIPES: Final = ("S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX")
"""The queues of a core; S is the scalar unit, which issues the instructions of all others."""


class Operand(NamedTuple):
    """A tensor that an instruction reads or writes: its memory and its first byte.

    >>> Operand("L1", "AIC0", 512, "float16").place
    'L1[512]'
    """

    space: Position
    owner: str
    """The tensor of global memory, or the core that has the buffer."""
    address: int
    """The first byte, from the start of the tensor or of the buffer."""
    dtype: str
    buffer: tuple[int, int] | None = None
    """The first byte of the tile that was allocated, and the first behind it, if they are known."""

    @property
    def memory(self) -> tuple[str, str]:
        """The memory: its space, and its tensor or core."""
        return self.space, self.owner

    @property
    def name(self) -> str:
        """The tensor of global memory, or the buffer, as findings print it."""
        return self.owner if self.space == "GM" else self.space

    @property
    def place(self) -> str:
        """The memory and the first byte."""
        return f"{self.name}[{self.address}]"


class Instruction(NamedTuple):
    """One call that a core's scalar unit makes, with every parameter."""

    core: str
    """``AIC0`` for a cube core, ``AIV0`` for a vector core; AIC i has the AIVs 2i and 2i + 1."""
    op: str
    """The name of AscendC."""
    pipe: str
    """One of `PIPES`, or ALL."""
    operands: Mapping[str, Operand]
    params: Mapping[str, Any]
    site: str = ""
    """The line of source that made the call."""
    via: str = ""
    """The line that called the function of `site`."""
    line: int = 0
    """The line of the trace, or the number of the call."""

    @property
    def form(self) -> str | None:
        """The overload of the call, if it has several."""
        return self.params.get("form")

    @property
    def is_product(self) -> bool:
        """Whether it multiplies matrices."""
        return self.op in ("Mmad", "MmadWithSparse")

    @property
    def flag(self) -> str:
        """The flag that it sets or waits for, as findings print it; empty if there is none."""
        p = self.params
        if "event" in p:
            return f"{p['event']} id {p['id']}"
        return f"flag {p['flag']}" if "flag" in p else ""

    @property
    def words(self) -> str:
        """The call as C++ writes it, if it is a synchronisation; else its name."""
        p = self.params
        given = f"<{p['event']}>" if "event" in p else ""
        if self.op == "PipeBarrier":
            given = f"<PIPE_{self.pipe}>"
        number = p.get("id", p.get("flag"))
        return f"{self.op}{given}" + ("" if number is None else f"({number})")

    def __str__(self) -> str:
        return f"{self.core} {self.words}"


def group_of(core: str) -> int:
    """Return the number of the cube core that a core belongs to.

    >>> group_of("AIC3"), group_of("AIV7")
    (3, 3)
    """
    number = int(core[3:])
    return number if core.startswith("AIC") else number // 2
