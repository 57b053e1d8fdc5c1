# SPDX-License-Identifier: Apache-2.0
"""The VMEM that single instructions of a TPU module take while they run.

The compiler keeps this memory apart from the buffers: it holds the blocks of operands and results that
an instruction works on. After it has made the code it writes the size into the ``backend_config``, as
``used_scoped_memory_configs``. What it had set aside before is ``scoped_memory_configs``.

>>> from ..hlo import read_module
>>> config = '{"used_scoped_memory_configs":[{"memory_space":"1","offset":"0","size":"4096"}]}'
>>> found = scoped_vmem(read_module("ROOT n = f32[8] negate(p), backend_config=" + config))
>>> [(use.name, use.used_bytes, use.reserved_bytes) for use in found], found.peak_bytes
([('n', 4096, 0)], 4096)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from ..errors import ParseError
from .by import source_text

if TYPE_CHECKING:
    from ..hlo import Instruction, Json, Module

VMEM: Final = 1
"""The memory space of VMEM."""

_USED, _RESERVED = "used_scoped_memory_configs", "scoped_memory_configs"


class ScopedUse(NamedTuple):
    """The VMEM that an instruction takes while it runs.

    >>> from tla.hlo import read_module
    >>> from tla.memory import scoped_vmem
    >>> config = '{"used_scoped_memory_configs":[{"memory_space":"1","offset":"0","size":"4096"}]}'
    >>> (use,) = scoped_vmem(read_module("ROOT n = f32[8] negate(p), backend_config=" + config))
    >>> use.computation, use.name, use.opcode, use.used_bytes
    ('_', 'n', 'negate', 4096)
    """

    computation: str
    name: str
    opcode: str
    line: int
    used_bytes: int
    """The bytes that its code uses."""
    reserved_bytes: int
    """The bytes that the compiler had set aside for it; 0 if none are stated."""
    origin: str
    """The line of the program that made it, or the program's name of it."""


class ScopedVmem(tuple[ScopedUse, ...]):
    """The instructions that state their scoped VMEM, in the order of the text.

    >>> from tla.hlo import read_module
    >>> from tla.memory import scoped_vmem
    >>> found = scoped_vmem(read_module("ROOT n = f32[8] negate(p)"))
    >>> len(found), found.peak, found.peak_bytes
    (0, None, 0)
    """

    __slots__ = ()

    @property
    def peak(self) -> ScopedUse | None:
        """The instruction that uses the most; None if none states it."""
        return max(self, key=_used_bytes, default=None)

    @property
    def peak_bytes(self) -> int:
        """The most bytes that one instruction uses. Instructions run one after another."""
        return max((use.used_bytes for use in self), default=0)


def _used_bytes(use: ScopedUse) -> int:
    return use.used_bytes


def scoped_vmem(module: Module) -> ScopedVmem:
    """Return the VMEM that each instruction of a TPU module takes while it runs.

    >>> from tla.hlo import read_module
    >>> config = '{"scoped_memory_configs":[{"memory_space":"1","offset":"0","size":"8192"}]}'
    >>> (use,) = scoped_vmem(read_module("ROOT n = f32[8] negate(p), backend_config=" + config))
    >>> use.used_bytes, use.reserved_bytes
    (0, 8192)

    An instruction that states neither is absent. So are all instructions of a module that was written
    before its code was made, as ``*after_optimizations.txt`` of a dump: take ``compiled.as_text()``, or
    ``*after_codegen.txt``.
    """
    return ScopedVmem(
        ScopedUse(
            computation.name,
            instruction.name,
            instruction.opcode,
            instruction.line,
            used,
            reserved,
            source_text(module.source(instruction)) or instruction.op_name,
        )
        for computation in module.computations
        for instruction in computation.instructions
        for used, reserved in _stated(instruction)
    )


def _stated(instruction: Instruction) -> list[tuple[int, int]]:
    """The used and the reserved bytes of an instruction, if it states any."""
    if _RESERVED not in instruction.attributes.get("backend_config", ""):
        return []
    try:
        config = instruction.backend_config
    except ParseError:
        return []
    if not isinstance(config, dict) or not (config.get(_USED) or config.get(_RESERVED)):
        return []
    return [(_end(config.get(_USED)), _end(config.get(_RESERVED)))]


def _end(configs: Json) -> int:
    """The end of the last piece of VMEM; XLA writes 64-bit ints as texts."""
    ends = [0]
    for piece in configs if isinstance(configs, list) else ():
        if isinstance(piece, dict) and str(piece.get("memory_space", 0)) == str(VMEM):
            sizes = [str(piece.get(name, 0)) for name in ("offset", "size")]
            ends.append(sum(int(size) for size in sizes if size.isdecimal()))
    return max(ends)
