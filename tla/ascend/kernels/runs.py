# SPDX-License-Identifier: Apache-2.0
"""Runs: a program executed, checked, and what came out.

>>> from tla.ascend.kernels import Instruction
>>> lines = [Instruction("AIC0", "WaitFlag", "M", {}, {"event": "MTE1_M", "id": 0}, line=1)]
>>> run = run_program(lines)
>>> [finding.kind for finding in run.findings]
['deadlock']
"""

from __future__ import annotations

import random
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypedDict

from ...errors import ArgumentError, KindError, TlaError
from ...ground import described, did_you_mean, near_words
from ..arch import arch as arch_named
from .bounds import memory_findings
from .conflicts import conflicts_of
from .findings import CHECKS, Finding, Findings
from .instructions import SPACES
from .lazy_numpy import np
from .memories import Memories, Unwritten, unwritten
from .numbers import is_memory_of
from .origins import FACTORS, Element, Origins
from .programs import ALL, BARRIER, CROSS_SET, CROSS_WAIT, LOCK, SET, SYNC_ALL, UNLOCK, WAIT, Program
from .queues import Course
from .races import Pairs, race_findings
from .shadows import Shadow
from .syncs import double_sets, sync_findings
from .timing import Timing
from .traces import arch_of, read_trace

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from os import PathLike
    from typing import Unpack

    from numpy.typing import NDArray

    from ..arch import Arch, Position
    from .conflicts import Pair
    from .findings import Check
    from .instructions import Instruction

_STARVED: Final = ("M", "MTE1", "MTE2", "FIX", "V", "MTE3")
_STEP: Final = 256
_SYNCS: Final = (SET, WAIT, BARRIER, ALL, CROSS_SET, CROSS_WAIT, LOCK, UNLOCK, SYNC_ALL)


class FindingsError(TlaError):
    """A kernel has findings; `findings` has them."""

    findings: tuple[Finding, ...]


class Drop(NamedTuple):
    """What becomes of a program without one of its sets, waits or barriers."""

    instruction: Instruction
    findings: tuple[Finding, ...]

    @property
    def redundant(self) -> bool:
        """Whether every order holds without the instruction."""
        return not self.findings


class RunOptions(TypedDict, total=False):
    """How a kernel is run: what `replay`, `run_program` and `simulate` take by name."""

    checks: Collection[str] | str | None
    """Of ``memcheck``, ``racecheck``, ``initcheck``, ``synccheck``, or ``mem``; all if None."""
    seed: int
    """The order in which pipes that are ready run. Findings do not depend on it."""
    orders: int
    """How many orders are run; a finding tells of two whose tensors differ."""
    arch: str | Arch | None
    """The architecture; by default the one whose instructions a trace has."""
    drop: int | str | Collection[int | str]
    """What is left out: lines of the trace, or of source, as ``matmul.py:41``."""
    strict: bool
    """Whether to report what AscendC forbids and CATLASS relies on."""
    progress: Callable[[int, int], object] | None
    """Called now and then with the instructions that have run, and how many will."""


class Run:
    """A program that was run: its findings, and its tensors afterwards.

    A tensor is ``run["C"]``, or ``run.c`` where no other name is in its way.
    """

    def __init__(
        self, instructions: Sequence[Instruction], tensors: Mapping[str, Any] | None = None, *,
        checks: Collection[str] | str | None = None, seed: int = 0, orders: int = 1,
        arch: str | Arch | None = None, drop: int | str | Collection[int | str] = (),
        strict: bool = False, progress: Callable[[int, int], object] | None = None,
        cores: Sequence[str] = (), workspaces: Collection[str] = (),
    ) -> None:  # fmt: skip
        if orders < 1:
            raise ArgumentError(f"orders = {orders}: a kernel runs in at least one", orders=orders)
        self.arch: Arch = arch_of(instructions) if arch is None else arch_named(arch)
        self.program: Program = Program(instructions, self.arch, cores)
        self.checks: tuple[Check, ...] = _checks(checks)
        self.strict = strict
        self.seed = seed
        self._progress = progress
        self._ran = 0
        passes = 1 + ("initcheck" in self.checks) + ("memcheck" in self.checks)
        self._whole = len(instructions) * (passes + orders - 1)
        self.drop: frozenset[int] = frozenset(_dropped(instructions, drop))
        self.course: Course = Course(self.program, None, self.drop)
        self._memories = Memories(self.program, tensors)
        self._given = tensors
        self._workspaces = workspaces
        self.tensors: dict[str, NDArray[Any]] = {}
        """The memory of each global tensor afterwards: as it was given, or as bytes."""
        self._pairs: list[Pair] | None = None
        self._shadow: Shadow | None = None
        self._origins_at: dict[int | None, Origins] = {}
        self.findings: tuple[Finding, ...] = ()
        self._run()
        differing = self.differing(orders)
        if differing is not None:
            text = f"the tensors of order {differing} differ from those of order {seed}"
            self.findings += (Finding("racecheck", "orders", text, ()),)

    def _each(self, order: Sequence[int]) -> Iterator[int]:
        """The instructions of an order, counted."""
        for number in order:
            yield number
            self._ran += 1
            if self._progress is not None and self._ran % _STEP == 0:
                self._progress(self._ran, max(self._ran, self._whole))

    def _run(self) -> None:
        order = (self.course_of(self.seed) if self.seed else self.course).order
        if "initcheck" in self.checks:
            self._shadow = Shadow(self.program, self._memories, self._read_again(), self.strict)
            for number in self._each(self.course.order):
                self._shadow.run(number)
        for number in self._each(order):
            self._memories.run(self.program.operations[number])
        self.tensors = self._memories.tensors()
        unknown = Findings("unknown")
        for i, text in self.program.notes:
            unknown.at("not modelled", f"{text}; what it writes is not checked", i)
        found = unknown.all
        if "synccheck" in self.checks:
            found += sync_findings(self.program, self.course, self.drop, self.strict)
        if "racecheck" in self.checks:
            bad = Pairs(self.program, self.pairs, self.strict).unordered(self.course)
            found += race_findings(self.program, self.course, bad)
        if "memcheck" in self.checks:
            sizes = {name: array.nbytes for name, array in self._memories.given.items()}
            found += memory_findings(self.program, sizes, self.course.order)
            found += self._origins(FACTORS).found.all
        if self._shadow is not None:
            found += self._shadow.found.all
        self.findings = tuple(found)

    def __getitem__(self, name: str) -> NDArray[Any]:
        """A global tensor afterwards, by its name."""
        if name not in self.tensors:
            known = ", ".join(self.tensors)
            raise ArgumentError(f"the kernel has no tensor {name!r}", f"It has {known}.", name=name)
        return self.tensors[name]

    def __getattr__(self, name: str) -> NDArray[Any]:
        """A global tensor afterwards, by its name in small letters."""
        tensors: dict[str, NDArray[Any]] = self.__dict__.get("tensors", {})
        found = [key for key in tensors if name in (key, key.lower())]
        if not found:
            raise AttributeError(f"a run has no {name!r}, and the kernel no such tensor")
        return tensors[found[0]]

    def _origins(self, spaces: Collection[str], until: int | None = None) -> Origins:
        """The marks of buffers at the end, or before an instruction."""
        origins = Origins(self.program, self._memories, spaces)
        for number in self._each(self.course.order):
            if number == until:
                break
            origins.run(number)
        return origins

    def element_at(
        self, core: str, space: Position, byte: int, before: int | str | None = None
    ) -> Element | None:
        """Return which element of which tensor a byte of a buffer is of; None if it is of none.

        Copies from global memory are followed through all buffers. What is computed is of no element,
        nor is what fills a block.

        >>> import numpy as np
        >>> from tla.ascend.kernels.blocks import matmul
        >>> a, b, c = np.ones((32, 48), np.half), np.ones((48, 64), np.half), np.zeros((32, 64), np.half)
        >>> tile = {"l1": (32, 64, 48), "l0": (32, 64, 48)}
        >>> from tla.ascend.kernels import simulate
        >>> simulate(matmul, a, b, c, **tile).element_at("AIC0", "L0A", 512)
        Element(tensor='A', byte=32, coord=(0, 16))

        Args:
            core: ``AIC0`` and the like.
            space: ``L1``, ``L0A``, ``UB`` and the like.
            byte: From the start of the buffer.
            before: A line of the trace, or of source as ``matmul.py:41``: the moment before the core's
                first instruction of it, in one order of the pipes. By default the end of the run.

        Raises:
            ArgumentError: the kernel has no such core or line, or the buffer no such byte.
            UnsupportedError: there is no such buffer.
        """
        size = self.arch.capacity(space)
        if core not in self.program.cores:
            known = f"It has {', '.join(self.program.cores)}."
            raise ArgumentError(f"the kernel has no core {core!r}", known, core=core)
        if type(byte) is not int or not 0 <= byte < size:
            raise ArgumentError(f"{space} has no byte {byte!r}", f"It has {size} bytes.", byte=byte)
        until = None
        if before is not None:
            numbers = _numbers_at(self.program.instructions, before, "to look at")
            until = next((n for n in numbers if self.program.at(n).core == core), None)
            if until is None:
                raise ArgumentError(f"{core} has no instruction {before!r}", before=before)
        if until not in self._origins_at:
            self._origins_at[until] = self._origins(SPACES[1:], until)
        found = self._origins_at[until].element_at(core, space, byte)
        if found is None:
            return None
        return found._replace(coord=_coord_at(self.tensors[found.tensor], found.byte))

    def types_of(self, name: str) -> list[str]:
        """Return the element types with which instructions read and write a global tensor."""
        return list(_types(self.program.instructions).get(name, ()))

    @cached_property
    def unwritten(self) -> dict[str, Unwritten]:
        """What is never written of each global tensor that is written in part, workspaces apart."""
        written = {
            op.instruction.operands[name].owner
            for op in self.program.operations
            for name, _ in op.work.writes
            if op.instruction.operands[name].space == "GM"
        }
        ran = self.course.positions
        found = {
            name: unwritten(self.program, ran, name, self.tensors[name])
            for name in self.tensors
            if name in written - self._read_again()
        }
        return {name: rest for name, rest in found.items() if rest.bytes}

    @cached_property
    def timeline(self) -> Timing:
        """When each instruction starts and ends, by a model of the architecture's rates."""
        return Timing(self.program, self.course)

    @property
    def sync_count(self) -> int:
        """How many sets, waits and barriers the program has."""
        return sum(op.kind in _SYNCS for op in self.program.operations)

    @property
    def pairs(self) -> list[Pair]:
        """The instructions that touch the same bytes."""
        if self._pairs is None:
            self._pairs = conflicts_of(self.program, self.course.order)
        return self._pairs

    def _read_again(self) -> set[str]:
        again = [pair.memory for pair in self.pairs if pair.kind == "RAW"]
        return {name for space, name in again if space == "GM"}.union(self._workspaces)

    def course_of(self, seed: int) -> Course:
        """Return another run of the queues: what is ready goes on in the order of a seed."""
        return Course(self.program, _pick(self.program, seed), self.drop)

    @property
    def pending_sets(self) -> int:
        """How many sets may run before the wait for the set before them."""
        return len(double_sets(self.program, self.course))

    def differing(self, orders: int) -> int | None:
        """Return the first seed below `orders` whose tensors differ from this run's; None if none."""
        for seed in range(1, orders):
            memories = Memories(self.program, self._given)
            for number in self._each(self.course_of(seed).order):
                memories.run(self.program.operations[number])
            for name, array in memories.tensors().items():
                if array.tobytes() != self.tensors[name].tobytes():
                    return seed
        return None

    def drops(self) -> Iterator[Drop]:
        """Yield what becomes of the program without each set, wait and barrier in turn.

        Bytes are not moved again: the pairs of instructions that touch the same bytes stay, and only
        their order is judged.
        """
        pairs = Pairs(self.program, self.pairs, self.strict)
        for number, op in enumerate(self.program.operations):
            if op.kind in _SYNCS and number not in self.drop:
                yield Drop(op.instruction, tuple(self._without(number, pairs)))

    def _without(self, number: int, pairs: Pairs) -> list[Finding]:
        drop = {*self.drop, number}
        course = Course(self.program, None, drop)
        found = [
            f
            for f in sync_findings(self.program, course, drop, self.strict)
            if f.kind not in ("event id", "event")
        ]
        return [*race_findings(self.program, course, pairs.unordered(course)), *found]

    def raise_findings(self) -> None:
        """Raise an error if there are findings.

        Raises:
            FindingsError: with the first ones in its text.
        """
        if self.findings:
            first = [str(finding) for finding in self.findings[:5]]
            more = len(self.findings) - len(first)
            rest = [f"and {more} more"] if more else []
            raise FindingsError(
                f"the kernel has {len(self.findings)} findings", *first, *rest, findings=self.findings
            )


def _pick(program: Program, seed: int) -> Callable[[list[int]], int]:
    """Return how an order chooses what goes on: at random, or with one pipe last."""
    rng = random.Random(seed)
    pipe = _STARVED[seed // 4 % len(_STARVED)] if seed % 4 == 0 else None
    issue_first = seed % 8 == 1
    cores = len(program.cores)
    late = {cores + n for n, (_, name) in enumerate(program.pipes) if name == pipe}

    def pick(ready: list[int]) -> int:
        at = rng.randrange(len(ready))
        if issue_first:
            return next((n for n, agent in enumerate(ready) if agent < cores), at)
        if ready[at] in late:
            return next((n for n, agent in enumerate(ready) if agent not in late), at)
        return at

    return pick


def _dropped(
    instructions: Sequence[Instruction], drop: int | str | Collection[int | str]
) -> Iterator[int]:
    """The numbers of the instructions to leave out, from lines of the trace or of source."""
    for one in [drop] if isinstance(drop, int | str) else drop:
        yield from _numbers_at(instructions, one, "to leave out")


def _numbers_at(instructions: Sequence[Instruction], line: int | str, purpose: str) -> list[int]:
    """The numbers of the instructions of a line of the trace, or of source."""
    places = [(i.line, i.site, i.site.rpartition("/")[2]) for i in instructions]
    found = [n for n, place in enumerate(places) if line in place] if line else []
    if not found:
        last = max([i.line for i in instructions], default=0)
        raise ArgumentError(
            f"the kernel has no instruction {line!r} {purpose}",
            f"Its last is {last}; a line of source is FILE:LINE.",
            line=line,
        )
    return found


def _coord_at(array: NDArray[Any], byte: int) -> tuple[int, ...]:
    """The place in an array of the element at a byte of its memory."""
    order: Literal["C", "F"] = "C" if array.flags.c_contiguous else "F"
    at = np.unravel_index(byte // array.itemsize, array.shape, order=order)
    return tuple([int(n) for n in at])


def _checks(checks: Collection[str] | str | None) -> tuple[Check, ...]:
    """The checks by their names, with or without the ending `check`."""
    if checks is None:
        return CHECKS
    names = checks.split(",") if isinstance(checks, str) else list(checks)
    found: list[Check] = []
    for name in names:
        full: list[Check] = [
            check for check in CHECKS if name.strip() in (check, check.removesuffix("check"))
        ]
        if not full:
            words = f"There are {', '.join(CHECKS)}."
            raise ArgumentError(f"there is no check {name!r}", words, name=name)
        found += full
    return tuple(found)


def run_program(
    instructions: Sequence[Instruction],
    tensors: Mapping[str, Any] | None = None,
    **options: Unpack[RunOptions],
) -> Run:
    """Return the run of some instructions; `replay` says what the arguments mean."""
    return Run(instructions, tensors, **options)


def _types(instructions: Sequence[Instruction]) -> dict[str, dict[str, None]]:
    """The element types of each global tensor, as instructions name them."""
    types: dict[str, dict[str, None]] = {}
    for operand in [operand for i in instructions for operand in i.operands.values()]:
        if operand.space == "GM":
            types.setdefault(operand.owner, {})[operand.dtype] = None
    return types


def _expect_tensors(instructions: Sequence[Instruction], tensors: Mapping[str, Any]) -> None:
    """Require arrays of the names and types that a program's global tensors have.

    A kernel may have tensors that no instruction touches. So an unknown name is refused if it is like a
    known one, or if all names are unknown.

    Raises:
        ArgumentError: the program has no tensor of a name, or not of the array's type.
        KindError: it is no array.
    """
    types = _types(instructions)
    for name, x in tensors.items():
        if name not in types:
            near = near_words(name, types) or [word for word in types if word.lower() == name.lower()]
            if near or not types.keys() & tensors.keys():
                words = did_you_mean(near, types)
                raise ArgumentError(f"the kernel has no tensor {name!r}", words, name=name)
        if not hasattr(x, "dtype"):
            raise KindError(f"tensor {name!r} is no array of numpy: {described(x)}", value=x)
        if name in types and not any(is_memory_of(x.dtype, dtype) for dtype in types[name]):
            raise ArgumentError(
                f"tensor {name!r} is of {', '.join(types[name])}, and the array of {x.dtype}",
                "An array of uint8 is memory of any type.",
                name=name,
            )


def replay(
    trace_path: str | PathLike[str],
    tensors: Mapping[str, Any] | None = None,
    **options: Unpack[RunOptions],
) -> Run:
    """Return the run of a recorded kernel: every instruction executed on bytes, and checked.

    Args:
        trace_path: A trace, as `tla ascend record` writes it; it may be compressed.
        tensors: The memory of global tensors by name; those that are missing are zero, and those that no
            instruction touches stay as they are. Each is an array
            of the tensor's type, or of uint8. Its elements lie in memory row by row, in the order of
            ``array.tobytes()``, also where numpy holds it by columns; `simulate` takes such an array
            as ColumnMajor.
        options: Those of `RunOptions`: checks, seed, orders, arch, drop, strict, progress.

    Raises:
        ParseError: a line of the trace is no call, or it has none.
        ArgumentError: the trace has no tensor of a name, or not of the array's type; no line of `drop`.
        OSError: the trace cannot be read.
    """
    instructions = read_trace(trace_path)
    _expect_tensors(instructions, tensors or {})
    return Run(instructions, tensors, **options)
