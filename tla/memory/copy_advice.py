# SPDX-License-Identifier: Apache-2.0
"""A change in the caller of a module after which copies do nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from ..xla_bridge import XlaShape, physical_bytes

if TYPE_CHECKING:
    from .origins import Index


class Advice(NamedTuple):
    """A change in the caller of a module after which copies do nothing.

    >>> from tla.hlo import read_module
    >>> from tla.memory import copies
    >>> module = read_module('''ENTRY e {
    ...   p = f32[5,100]{1,0:T(8,128)} parameter(0)
    ...   c = f32[5,100]{0,1:T(8,128)} copy(p)
    ...   ROOT d = f32[5,100]{0,1:T(8,128)} negate(c)
    ... }''')
    >>> (advice,) = copies(module).advice
    >>> print(advice, advice.saves_bytes, advice.memory_change)
    parameter 0 as f32[5,100]{0,1:T(8,128)} 57344 49152
    >>> print(advice.jax)
    Format(Layout(major_to_minor=(1, 0), tiling=((8, 128),)), sharding)

    Attributes:
        what: ``"parameter"`` or ``"result"`` for a change of its layout, ``"pair"`` for the same change
            of a donated parameter and the result in its memory. ``"donation"`` means to give the
            parameter away, so that a result may lie in it without a duplicate.
        for_parameter: The number of the parameter; None for a result alone.
        for_result: The index of the array in the module's result, empty if the result is no tuple; None
            for a parameter alone.
        name: The program's name of the parameter.
        present, layout: The shape now, and the advised one.
        jax: The advised layout for an argument of `jax.jit`; empty if jax has no words for it, with the
            ``reason``.
        copies: The names of the copies that do nothing any more.
        stays: The work that they still have: ``"space move"``, or empty.
        saves_cycles: The compiler's estimate of the copies, over all turns of loops; None without one.
            If a space move stays, it is an upper bound.
        saves_bytes: The bytes that a run no longer reads and writes, padding included. Negative if the
            space move that stays moves more bytes than the copy.
        memory_change: The bytes by which parameters and results grow, padding included. A pair shares
            its memory and counts once.
        other_users: The other instructions that read the parameter.
        together: The places of other advice without which it saves less. The compiler fetches some
            parameters ahead of time, so that their copies are cheap. If one of these needs no copy, its
            turn goes to the next. So the last of them saves the most.
        risk: Why the whole may get slower although the copies go; empty if no reason is known.
    """

    what: Literal["parameter", "result", "pair", "donation"]
    for_parameter: int | None
    for_result: Index | None
    name: str
    present: XlaShape
    layout: XlaShape
    jax: str
    reason: str
    copies: tuple[str, ...]
    stays: str
    saves_cycles: int | None
    saves_bytes: int
    memory_change: int
    other_users: tuple[str, ...]
    together: tuple[str, ...]
    risk: str

    @property
    def is_costly(self) -> bool:
        """Whether the parameter or result grows to more than twice its memory."""
        return self.memory_change > physical_bytes(self.present)

    @property
    def place(self) -> str:
        """The parameter and result in words: ``parameter 0 (table)``, ``parameter 0 and result 1``."""
        words: list[str] = []
        if self.for_parameter is not None:
            words.append(f"parameter {self.for_parameter}" + (f" ({self.name})" if self.name else ""))
        if self.for_result is not None:
            words.append(" ".join(["result", *(f"{i}" for i in self.for_result)]))
        return " and ".join(words)

    def __str__(self) -> str:
        return f"donate {self.place}" if self.what == "donation" else f"{self.place} as {self.layout}"
