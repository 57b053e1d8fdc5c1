# SPDX-License-Identifier: Apache-2.0
"""The buffers that are live at the peak of each memory space, and the compiler's own figure for it.

>>> from ..hlo import read_module
>>> module = read_module('''
... ENTRY e {
...   a = f32[1024] parameter(0)
...   b = f32[1024] negate(a)
...   c = f32[2048] concatenate(a, b), dimensions={0}
...   ROOT d = f32[1024] slice(c), slice={[0:1024]}
... }''')
>>> (peak,) = live(module).peaks
>>> peak.bytes, peak.step.instruction.name, [each.name for each in peak.buffers]
(16384, 'c', ['c', 'a', 'd'])

Arguments, constants and results keep their memory for the whole run. A temporary may lie in the memory
of a result that is still to come, if it fits, as ``b`` in the memory of ``d``. If a parameter donates
its memory to a result, a temporary may lie there between the two. That is so up to libtpu 0.0.42;
libtpu 0.0.52 puts no temporary into a result, so its peak can be larger by these temporaries.

The TPU compiler's ``peak_memory_in_bytes`` is another number. It is the sum of

- the arguments, constants and results of all memories, with the table of pointers of a tuple;
- the largest peak of the temporaries in any one memory space. If VMEM has the larger peak, the
  temporaries of main memory do not count.

There the values of a temporary outside main memory count one by one, by `simulated`. The source is the
heap simulations that the compiler writes under ``xla_dump_to``. `Liveness.compiler_peak_bytes` is the
compiler's figure to the byte for all 25 modules of ``tests/data/tpu_hlo``, and for 144 of 147 other
programs on v4 to tpu7x. The other three have conditionals, and there it is too small by
`Liveness.left_over_bytes`. The compiler takes pieces without an end over into the memory spaces that it
simulates next, and the text does not say which ones these are.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from itertools import accumulate, islice
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from ..errors import UnsupportedError
from ..ground import Panels, html_of
from ..numbers import SymbolicInt, ceil_div
from ..xla_bridge import largest_piece, memory_space_name, physical_bytes
from .entry import index_tables_bytes
from .lifetimes import lifetimes
from .origins import Value
from .picture import MOST_DRAWN, in_one_row
from .schedule import called_once
from .scoped import VMEM, scoped_vmem
from .updates import SharedMemory
from .waste import array_waste

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence

    from ..ground import Bars
    from ..hlo import Module
    from ..xla_bridge import Chip
    from .buffers import Buffer
    from .lifetimes import Lifetime
    from .schedule import Schedule, Step
    from .scoped import ScopedVmem


class Peak(NamedTuple):
    """The most bytes that are live at once in a memory space, the first such step, and the buffers.

    >>> from tla.hlo import read_module
    >>> from tla.memory import live
    >>> module = read_module('''ENTRY e {
    ...   p = f32[5,100]{1,0:T(8,128)} parameter(0)
    ...   ROOT c = f32[5,100]{0,1:T(8,128)} copy(p)
    ... }''')
    >>> peak = live(module).peaks[0]
    >>> peak.memory_space, peak.bytes, [buffer.name for buffer in peak.buffers]
    (0, 57344, ['c', 'p'])
    """

    memory_space: int
    bytes: int
    reserved_bytes: int
    """The bytes that stay for the whole run: arguments, constants, results, and their table."""
    at: int
    """The step, counted from 0."""
    step: Step
    buffers: tuple[Buffer, ...]
    """The buffers that are live there, the largest first."""
    readers: tuple[tuple[Step, ...], ...]
    """The steps that read each of these buffers, also before and after the peak."""
    usage: tuple[int, ...]
    """The bytes that are live at each step."""

    def parts(self, most: int = 16) -> tuple[tuple[int, int, int], ...]:
        """Return the program order in parts: the first and last step of each, and that with most bytes.

        >>> from tla.hlo import read_module
        >>> from tla.memory import live
        >>> (peak,) = live(read_module('''ENTRY e { p = f32[8] parameter(0)
        ...   q = f32[8] negate(p)
        ...   r = f32[16] concatenate(q, q), dimensions={0}
        ...   ROOT s = f32[2] slice(r), slice={[0:2]} }''')).peaks
        >>> peak.usage, peak.parts(2)
        ((40, 72, 136, 104), ((0, 1, 1), (2, 3, 2)))

        Args:
            most: The most parts; all but the last are equally long.
        """
        length = ceil_div(len(self.usage), most)
        starts = range(0, len(self.usage), length)
        parts = [range(a, min(a + length, len(self.usage))) for a in starts]
        return tuple((part[0], part[-1], max(part, key=self.usage.__getitem__)) for part in parts)

    def figure(self, chip: str | Chip | None = None, most: int = MOST_DRAWN) -> Bars:
        """Return the picture of the live buffers, as data: one after another, the largest first.

        Their places in the picture are not their addresses.

        Args:
            chip: The chip, for the name of the memory.
            most: The most buffers with a bar of their own; the others are one bar.
        """
        blocks = [
            array_waste(largest_piece(each.shape)).block(each.label, self.memory_space)
            for each in self.buffers  # each core holds one piece
        ]
        name = memory_space_name(self.memory_space, chip)
        title = f"{name}: live at step {self.at + 1}, %{self.step.instruction.name}"
        return in_one_row(title, self.bytes, blocks, most)

    def _repr_html_(self) -> str | None:
        return html_of(self)


class VmemPeak(NamedTuple):
    """The most VMEM in use at once: buffers, and the scoped VMEM of the instruction that runs.

    >>> from tla.hlo import read_module
    >>> from tla.memory import live
    >>> module = read_module('''ENTRY e {
    ...   p = f32[8,128]{1,0:T(8,128)S(1)} parameter(0)
    ...   ROOT n = f32[8,128]{1,0:T(8,128)S(1)} negate(p),
    ...     backend_config={"used_scoped_memory_configs":[{"memory_space":"1","size":"8192"}]}
    ... }''')
    >>> peak = live(module).vmem
    >>> peak.bytes, peak.scoped_bytes, peak.step.instruction.name
    (16384, 8192, 'n')
    """

    bytes: int
    scoped_bytes: int
    """The bytes of it that the instruction takes for itself; see `scoped_vmem`."""
    at: int
    """The step, counted from 0."""
    step: Step


class Liveness(NamedTuple):
    """The peaks of the memory spaces that a module uses, and the compiler's figure.

    >>> from tla.hlo import read_module
    >>> from tla.memory import live
    >>> module = read_module('''ENTRY e {
    ...   p = f32[5,100]{1,0:T(8,128)} parameter(0)
    ...   ROOT c = f32[5,100]{0,1:T(8,128)} copy(p)
    ... }''')
    >>> found = live(module)
    >>> found.steps, len(found.peaks), found.reserved_bytes
    (2, 1, 57344)
    """

    steps: int
    peaks: tuple[Peak, ...]
    """The peaks, by number of the memory space."""
    reserved_bytes: int
    """The first part of the compiler's figure."""
    simulated_bytes: int
    """The second part of the compiler's figure."""
    simulated_space: int
    """The memory space of the second part."""
    left_over_bytes: int
    """The bytes by which the compiler's figure may be larger; 0 for a module without conditionals."""
    vmem: VmemPeak | None
    """The most VMEM in use, scoped VMEM included; None if nothing lies in ``S(1)``."""

    @property
    def compiler_peak_bytes(self) -> int:
        """The ``peak_memory_in_bytes`` of jax's ``memory_analysis()``."""
        return self.reserved_bytes + self.simulated_bytes

    def figure(self, chip: str | Chip | None = None, most: int = MOST_DRAWN) -> Panels:
        """Return the pictures of the peaks, as data; see `Peak.figure`."""
        return Panels("", tuple(peak.figure(chip, most) for peak in self.peaks))

    def _repr_html_(self) -> str | None:
        return html_of(self)


def live(module: Module, chip: str | Chip | None = None) -> Liveness:
    """Return the buffers live at the peak of each memory space, over the schedule of a module.

    >>> from tla.hlo import read_module
    >>> module = read_module('''ENTRY e {
    ...   p = f32[5,100]{1,0:T(8,128)} parameter(0)
    ...   ROOT c = f32[5,100]{0,1:T(8,128)} copy(p)
    ... }''')
    >>> for peak in live(module).peaks:
    ...     print(peak.memory_space, peak.bytes, [buffer.name for buffer in peak.buffers])
    0 57344 ['c', 'p']

    Args:
        chip: The chip, for the alignment of the table of pointers of the result.

    Raises:
        UnsupportedError: a computation runs itself, or a dim of a buffer is unknown.
    """
    module = called_once(module)
    program = lifetimes(module)
    steps = program.schedule.steps
    count = len(steps)
    table = index_tables_bytes(module.entry.root.shape, chip)
    sized = [_SizedLifetime(each, _bytes(each.buffer)) for each in program.buffers]
    reserved = [each for each in sized if each.lifetime.buffer.kind != "temporary"]
    numbers = {alias.parameter_number for alias in module.input_output_alias}
    donated = {each.name for each in module.entry.parameters if each.parameter_number in numbers}
    temporary = _outside_results(sized, donated, SharedMemory(module), steps)
    peaks: list[Peak] = []
    in_vmem = [0] * count
    for space in sorted({each.space for each in sized}):
        always = [each for each in reserved if each.space == space]
        others = [each for each in temporary if each.space == space]
        whole = sum(each.bytes for each in always) + (0 if space else table)
        usage = _usage(count, ((*pair, each.bytes) for each in others for pair in each.lifetime.held))
        at = max(range(count), key=usage.__getitem__)
        there = always + [each for each in others if any(a <= at <= b for a, b in each.lifetime.held)]
        there.sort(key=lambda each: -each.bytes)
        buffers = tuple(each.lifetime.buffer for each in there)
        readers = tuple(tuple(steps[read] for read in each.lifetime.reads) for each in there)
        used = tuple(whole + each for each in usage)
        if space == VMEM:
            in_vmem = list(used)
        peaks.append(Peak(space, used[at], whole, at, steps[at], buffers, readers, used))
    simulated = {
        space: _simulated_peak(space, count, [each for each in temporary if each.space == space])
        for space in sorted({each.space for each in temporary})
    }
    space = max(simulated, key=lambda space: simulated[space][0], default=0)
    most = simulated[space][0] if simulated else 0
    left = sum(each for _, each in simulated.values())
    more = max((peak + left - own - most for peak, own in simulated.values()), default=0)
    whole = sum(each.bytes for each in reserved) + table
    vmem = _vmem_peak(program.schedule, in_vmem, scoped_vmem(module))
    return Liveness(count, tuple(peaks), whole, most, space, max(more, 0), vmem)


def _vmem_peak(schedule: Schedule, buffers: Sequence[int], scoped: ScopedVmem) -> VmemPeak | None:
    used = {(use.computation, use.name): use.used_bytes for use in scoped}
    own = [used.get((step.computation, step.instruction.name), 0) for step in schedule.steps]
    together = [a + b for a, b in zip(buffers, own, strict=True)]
    if not any(together):
        return None
    at = max(range(len(together)), key=together.__getitem__)
    return VmemPeak(together[at], own[at], at, schedule.steps[at])


class _SizedLifetime(NamedTuple):
    """A lifetime, and the bytes of its buffer."""

    lifetime: Lifetime
    bytes: int

    @property
    def space(self) -> int:
        return self.lifetime.buffer.shape.memory_space


def _bytes(buffer: Buffer) -> int:
    size = physical_bytes(largest_piece(buffer.shape))  # each core holds one piece
    if isinstance(size, SymbolicInt):
        raise UnsupportedError(
            f"the size of {buffer.name} is not known: {buffer.shape} has a dim '?'", shape=buffer.shape
        )
    return size


def _usage(count: int, spans: Iterable[tuple[int, int, int]]) -> list[int]:
    """The live bytes of each step, from spans of (first, last, bytes)."""
    change = [0] * (count + 1)
    for first, last, size in spans:
        change[first] += size
        change[last + 1] -= size
    return list(accumulate(change))[:-1]


def _simulated_peak(space: int, count: int, there: Sequence[_SizedLifetime]) -> tuple[int, int]:
    """The peak of the temporaries as the compiler counts them, and the bytes without an end."""
    if space == 0:
        held = ((*pair, each.bytes) for each in there for pair in each.lifetime.held)
        return max(_usage(count, held)), 0
    pieces = [
        (first, count if last is None else last, each.bytes, last is None)
        for each in there
        for first, last in each.lifetime.simulated
    ]
    left = sum(size for _, _, size, is_left in pieces if is_left)
    return max(_usage(count + 1, (piece[:3] for piece in pieces))), left


def _outside_results(
    sized: Sequence[_SizedLifetime],
    donated: Container[str],
    memory: SharedMemory,
    steps: Sequence[Step],
) -> list[_SizedLifetime]:
    """The temporaries that need memory of their own, not that of a result that is not live yet.

    The largest come first, each in the result with one of its operands, or in the smallest with room for
    it. Among equals the first temporary in the text comes first, and the last result. Another device
    writes the result of a collective-permute, so a buffer that ever holds one never lies in a result.
    """
    largest_first = sorted(sized, key=lambda each: (-each.bytes, each.lifetime.position))
    hosts: list[tuple[int, BusySteps]] = []
    home: dict[Value, BusySteps] = {}
    for each in reversed(largest_first):
        buffer, held = each.lifetime.buffer, each.lifetime.held
        if each.space == 0 and buffer.kind == "argument" and buffer.name in donated and held:
            held = ((0, held[0][1]), *held[1:])
        elif each.space != 0 or buffer.kind != "result":
            continue
        home[_value(buffer)] = host = BusySteps(memory)
        host.take(held, buffer)
        hosts.append((each.bytes, host))
    outside: list[_SizedLifetime] = []
    for each in largest_first:
        buffer = each.lifetime.buffer
        if buffer.kind != "temporary":
            continue
        fitting: list[BusySteps] = []
        makers = (steps[span.first].instruction.opcode for span in each.lifetime.spans)
        if each.space == 0 and not any(opcode.startswith("collective-permute") for opcode in makers):
            first = bisect_left(hosts, each.bytes, key=itemgetter(0))
            fitting = [host for _, host in islice(hosts, first, None)]
        if fitting:
            near = [home[value] for value in memory.operands(_value(buffer)) if value in home]
            fitting.sort(key=lambda host: host not in near)
        for host in fitting:
            if host.take(each.lifetime.held, buffer):
                home[_value(buffer)] = host
                break
        else:
            outside.append(each)
    return outside


class BusySteps:
    """The steps at which the memory of a result is in use, as ordered spans with the buffers there.

    Two spans may share a step if its instruction can write its result over its operand.
    """

    __slots__ = ("_memory", "_spans")

    def __init__(self, memory: SharedMemory) -> None:
        self._memory = memory
        self._spans: list[tuple[int, int, Buffer]] = []

    def take(self, spans: Sequence[tuple[int, int]], buffer: Buffer) -> bool:
        """Take steps for a buffer if all of them are free; return whether they were."""
        for first, last in spans:
            at = bisect_left(self._spans, first, key=itemgetter(0))
            if at and not self._follows(self._spans[at - 1], (first, last, buffer)):
                return False
            if at < len(self._spans) and not self._follows((first, last, buffer), self._spans[at]):
                return False
        for first, last in spans:
            insort(self._spans, (first, last, buffer), key=itemgetter(0))
        return True

    def _follows(self, one: tuple[int, int, Buffer], other: tuple[int, int, Buffer]) -> bool:
        if one[1] == other[0] > one[0]:
            return self._memory.may_overwrite(_value(other[2]), _value(one[2]))
        return one[1] < other[0]


def _value(buffer: Buffer) -> Value:
    return Value(buffer.computation, buffer.name, buffer.shape_index)
