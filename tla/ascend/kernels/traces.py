# SPDX-License-Identifier: Apache-2.0
"""Recorded kernels: a trace's lines as instructions.

A trace has a JSON object a line: the core, AscendC's name of the call, the pipe, the operands, every
parameter, and the line of source. Lines of one core are in the order in which its scalar unit made the
calls. Files that end in ``.gz`` are compressed.

>>> line = '{"core": "AIC0", "op": "SetFlag", "pipe": "M", "params": {"event": "M_FIX", "id": 0}}'
>>> print(parse_trace([line])[0])
AIC0 SetFlag<M_FIX>(0)
"""

from __future__ import annotations

import errno
import gzip
import json
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from ...errors import ParseError
from ...ground import described
from ..arch import arch as arch_named
from .instructions import PIPES, SPACES, Instruction, Operand, group_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from os import PathLike

    from ..arch import Arch

OPERANDS: Final[tuple[str, ...]] = ("dst", "dst1", "src", "src1", "bias", "quant", "work", "sel")


def read_trace(path: str | PathLike[str]) -> list[Instruction]:
    """Return the instructions of a trace's file.

    Raises:
        ParseError: a line is no JSON object of a call; the error names the line. Or the file is no text,
            is damaged, or has no call.
        OSError: the file cannot be read.
    """
    file = Path(path)
    try:
        data = file.read_bytes()
    except ValueError as error:  # a character that no path can have
        raise OSError(errno.EINVAL, str(error)) from None
    try:
        text = (gzip.decompress(data) if file.suffix == ".gz" else data).decode()
    except UnicodeDecodeError as error:
        raise ParseError(f"{file.name} is no trace: byte {error.start} is not UTF-8", "", 0) from None
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ParseError(f"{file.name} is damaged, or no gzip file: {error}", "", 0) from None
    found = parse_trace(text.split("\n"))
    if not found:
        raise ParseError(f"{file.name} is no trace: it has no calls", "", 0)
    return found


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
        core, op, pipe = _of(row, "core", str), _of(row, "op", str), _of(row, "pipe", str, "S") or "S"
        if core[:3] not in ("AIC", "AIV") or not core[3:].isdecimal():
            raise ValueError(f"there is no core {core!r}; cores are AIC0, AIV0 and so on")
        if pipe not in PIPES and pipe != "ALL":
            raise ValueError(f"there is no pipe {pipe!r}; pipes are {', '.join(PIPES)} and ALL")
        operands = {name: _operand(_of(row, name, dict), core) for name in OPERANDS if name in row}
        params: dict[str, Any] = _of(row, "params", dict, {})
        for name, kind in _NEEDED.get(op, {}).items():
            _of(params, name, kind)
        if "dstList" in params and not operands:  # addresses in place of tensors
            whole: dict[str, Any] = {"space": "UB", "addr": 0, "dtype": params["dtype"]}
            operands = {"dst": _operand(whole, core), "src": _operand(whole, core)}
        site, via = (_of(row, name, str, "") for name in ("site", "via"))
        return Instruction(core, op, pipe, operands, params, site, via, number)
    except (ValueError, KeyError, RecursionError) as error:
        what = f"it has no {error}" if isinstance(error, KeyError) else str(error)
        raise ParseError(f"line {number} of the trace is no call: {what}", line.rstrip(), 0) from None


_KINDS: Final[Mapping[type, str]] = {str: "a text", int: "an int", dict: "an object"}


def _of(row: Any, name: str, kind: type, default: Any = None) -> Any:
    """A field of an object, of a kind; the default if it is missing or null."""
    if type(row) is not dict:
        raise ValueError(f"{described(row)} is no object")
    fields = cast("dict[str, Any]", row)
    value = fields[name] if default is None else fields.get(name)
    value = default if value is None else value
    if type(value) is not kind:
        raise ValueError(f"its {name} is {described(value)}, not {_KINDS[kind]}")
    return value


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
    space, dtype = _of(given, "space", str), _of(given, "dtype", str)
    if space not in SPACES:
        raise ValueError(f"there is no space {space!r}; spaces are {', '.join(SPACES)}")
    if space == "GM":
        return Operand(space, _of(given, "tensor", str), _of(given, "offset", int), dtype)
    return Operand(space, _owner(space, core), _of(given, "addr", int), dtype)


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
