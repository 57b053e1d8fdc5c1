# SPDX-License-Identifier: Apache-2.0
"""Recorded kernels: a trace's lines as instructions.

A trace has a JSON object a line: the core, AscendC's name of the call, the pipe, the operands, every
parameter, and the line of source. Lines of one core are in the order in which its scalar unit made the
calls. Files that end in ``.gz`` are compressed.

>>> line = '{"core": "AIC0", "op": "SetFlag", "pipe": "M", "params": {"event": "M_FIX", "id": 0}}'
>>> print(parse_trace([line])[0])
AIC0 SetFlag M_FIX id 0
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ...errors import ParseError
from ..arch import arch as arch_named
from .instructions import PIPES, SPACES, Instruction, Operand, group_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from os import PathLike

    from ..arch import Arch

OPERANDS: Final[tuple[str, ...]] = ("dst", "dst1", "src", "src1", "bias", "quant", "work", "sel")


def read_trace(path: str | PathLike[str]) -> list[Instruction]:
    """Return the instructions of a trace's file.

    Raises:
        ParseError: a line is no JSON object of a call; the error names the line. Or the file is no text.
        OSError: the file cannot be read.
    """
    file = Path(path)
    data = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise ParseError(f"{file.name} is no trace: byte {error.start} is not UTF-8", "", 0) from None
    return parse_trace(text.split("\n"))


def parse_trace(lines: Iterable[str]) -> list[Instruction]:
    """Return the instructions of a trace's lines; empty lines are skipped.

    Raises:
        ParseError: a line is no JSON object of a call; the error names the line.
    """
    found: list[Instruction] = []
    for number, line in enumerate(lines, 1):
        if line.strip():
            found.append(_instruction(line, number))
    return found


def _instruction(line: str, number: int) -> Instruction:
    try:
        row: dict[str, Any] = json.loads(line)
        core = row["core"]
        if core[:3] not in ("AIC", "AIV") or not core[3:].isdecimal():
            raise ValueError(f"there is no core {core!r}; cores are AIC0, AIV0 and so on")
        pipe = row.get("pipe") or "S"
        if pipe not in PIPES and pipe != "ALL":
            raise ValueError(f"there is no pipe {pipe!r}; pipes are {', '.join(PIPES)} and ALL")
        operands = {name: _operand(row[name], core) for name in OPERANDS if name in row}
        params: dict[str, Any] = row.get("params") or {}
        for name, kind in _NEEDED.get(row["op"], {}).items():
            if type(params[name]) is not kind:
                raise ValueError(f"its {name} is {params[name]!r}")
        if "dstList" in params and not operands:  # addresses in place of tensors
            whole: dict[str, Any] = {"space": "UB", "addr": 0, "dtype": params["dtype"]}
            operands = {"dst": _operand(whole, core), "src": _operand(whole, core)}
        return Instruction(
            core, row["op"], pipe, operands, params, row.get("site") or "", row.get("via") or "", number
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        what = f"it has no {error}" if isinstance(error, KeyError) else str(error)
        raise ParseError(f"line {number} of the trace is no call: {what}", line.rstrip(), 0) from None


_NEEDED: Final[dict[str, dict[str, type]]] = {
    "SetFlag": {"event": str, "id": int},
    "WaitFlag": {"event": str, "id": int},
    "CrossCoreSetFlag": {"mode": int, "flag": int},
    "CrossCoreWaitFlag": {"flag": int},
    "MutexLock": {"id": int},
    "MutexUnlock": {"id": int},
}
"""The parameters without which an instruction cannot be put in order."""


def _operand(given: dict[str, Any], core: str) -> Operand:
    space, dtype = given["space"], str(given["dtype"])
    if space not in SPACES:
        raise ValueError(f"there is no space {space!r}; spaces are {', '.join(SPACES)}")
    if space == "GM":
        return Operand(space, str(given["tensor"]), int(given["offset"]), dtype)
    return Operand(space, _owner(space, core), int(given["addr"]), dtype)


def _owner(space: str, core: str) -> str:
    """The core that has a buffer: a vector core reaches its cube core's L1, and the reverse."""
    if (space == "UB") == core.startswith("AIV"):
        return core
    return f"AIC{group_of(core)}" if core.startswith("AIV") else f"AIV{2 * group_of(core)}"


_ONLY_950: Final = (
    "SetFixpipeNz2ndFlag", "MutexLock", "MutexUnlock", "VectorFunction", "LoadDataWithStride",
)  # fmt: skip


def arch_of(instructions: Sequence[Instruction]) -> Arch:
    """Return the architecture that a trace is for, by the calls that only one of them has.

    >>> arch_of([Instruction("AIC0", "MutexLock", "M", {}, {"id": 0})]).name
    'Ascend950'
    """
    for i in instructions:
        p = i.params
        if (
            i.op in _ONLY_950
            or p.get("form") in ("2dv2", "2dv2mx", "co12dst", "dn2nz")
            or "dualDstCtl" in p
            or p.get("mode") == 4
            or "ascend950" in i.site
        ):
            return arch_named("Ascend950")
    return arch_named("AtlasA2")
