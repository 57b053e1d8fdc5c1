# SPDX-License-Identifier: Apache-2.0
"""The compiler's own buffer assignment: allocations, and the address of each value in them.

A dump folder has it as ``*buffer-assignment.txt``, and the steps at which values live as
``*live-range.txt``.

>>> found = read_assignment('''BufferAssignment:
... allocation 0: size 4096, parameter 0, shape |f32[1024]| at ShapeIndex {}:
...  value: <1 p @0> (size=4096,offset=0): f32[1024]{0:T(1024)}
... allocation 1: size 12288, color 1, preallocated-temp:
...  value: <2 a @1> (size=4096,offset=0): f32[1024]{0:T(1024)S(1)}
...  value: <3 b @1> (size=4096,offset=8192): f32[1024]{0:T(1024)S(1)}
... ''')
>>> [(each.number, each.bytes, each.kind) for each in found.allocations]
[(0, 4096, 'parameter 0'), (1, 12288, 'preallocated-temp')]
>>> found.totals, found.allocations[1].values[1].offset
({0: 4096, 1: 12288}, 8192)

Source: the texts that libtpu 0.0.42 writes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from ..errors import ParseError, UnsupportedError
from ..xla_bridge import parse_shape

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..xla_bridge import AnyShape

_HEAD: Final = re.compile(r"allocation (\d{1,18}): size (\d{1,18}), (.*):\s*")
_VALUE: Final = re.compile(
    r"\s+value: <\d+ ([^\s{}]+)(?:\{([\d,]*)\})?(?: \(phi\))? @\d+>"
    r" \(size=(\d{1,18}),offset=(\d{1,18})\): (.*)"
)
_COLOR: Final = re.compile(r"color (\d{1,9})(?:, |$)")
_RANGE: Final = re.compile(r"\s+([^\s{}]+)\{([\d,]*)\}:(\d{1,18})-(\d{1,18})\s*")
_KINDS: Final = ("thread-local", "constant", "preallocated-temp", "maybe-live-out")


class PlacedValue(NamedTuple):
    """A value, and its place in an allocation.

    >>> from tla.memory import read_assignment
    >>> text = "BufferAssignment:\\nallocation 0: size 64, thread-local:\\n"
    >>> text += " value: <3 b{1} @0> (size=16,offset=48): f32[4]{0}"
    >>> value = read_assignment(text).allocations[0].values[0]
    >>> value.label, value.bytes, value.offset, str(value.shape)
    ('%b{1}', 16, 48, 'f32[4]{0}')
    """

    name: str
    """The instruction that makes it."""
    shape_index: tuple[int, ...]
    bytes: int
    offset: int
    """The first byte, counted from the allocation's."""
    shape: AnyShape | None
    """Its shape; None for a text that is no shape."""

    @property
    def label(self) -> str:
        """The name with the index, as in `tla hlo`."""
        return f"%{self.name}" + (
            f"{{{','.join(map(str, self.shape_index))}}}" if self.shape_index else ""
        )


class Allocation(NamedTuple):
    """A piece of memory, and the values that lie in it, at one time or another.

    >>> from tla.memory import read_assignment
    >>> text = "BufferAssignment:\\nallocation 3: size 512, color 6, constant:\\n"
    >>> read_assignment(text).allocations[0]
    Allocation(number=3, bytes=512, memory_space=6, kind='constant', values=())
    """

    number: int
    bytes: int
    memory_space: int
    kind: str
    """``"parameter N"``, ``"maybe-live-out"`` for a result, ``"preallocated-temp"``, ``"constant"``,
    ``"thread-local"``, or ``"temp"``."""
    values: tuple[PlacedValue, ...]

    def most_live_bytes(self, ranges: LiveRanges) -> int | None:
        """Return the most bytes that hold values at one step; None if a value has no live range.

        A byte that two values share, one updated in place of the other, counts once.
        """
        events: list[tuple[int, int, PlacedValue]] = []
        for value in self.values:
            span = ranges.get((value.name, value.shape_index))
            if span is None:
                return None
            events += [(span[0], 1, value), (span[1] + 1, 0, value)]
        ends = sorted({at for each in self.values for at in (each.offset, each.offset + each.bytes)})
        place = {at: i for i, at in enumerate(ends)}
        users = [0] * len(ends)
        covered = most = 0
        for _step, begins, value in sorted(events, key=lambda event: event[:2]):
            for i in range(place[value.offset], place[value.offset + value.bytes]):
                users[i] += 1 if begins else -1
                if users[i] == begins:
                    size = ends[i + 1] - ends[i]
                    covered += size if begins else -size
            most = max(most, covered)
        return most


LiveRanges = dict[tuple[str, tuple[int, ...]], tuple[int, int]]
"""The first and last step of each value, by its instruction and index."""


class Assignment(NamedTuple):
    """The allocations of a module.

    >>> from tla.memory import read_assignment
    >>> read_assignment("BufferAssignment:\\n").totals
    {}
    """

    allocations: tuple[Allocation, ...]

    @property
    def totals(self) -> Mapping[int, int]:
        """The bytes of all allocations of each memory space, as in ``*memory-usage-report.txt``."""
        found: dict[int, int] = {}
        for each in self.allocations:
            found[each.memory_space] = found.get(each.memory_space, 0) + each.bytes
        return dict(sorted(found.items()))


def read_assignment(text: str) -> Assignment:
    """Return the allocations in the text of a buffer assignment.

    >>> read_assignment("BufferAssignment:\\nallocation 0: size 512, thread-local:\\n").totals
    {0: 512}

    Raises:
        ParseError: the text is no buffer assignment, or a line of it is not understood.
    """
    lines = text.splitlines()
    first = lines[0] if lines else ""
    if first.strip() != "BufferAssignment:":
        raise ParseError("not a buffer assignment, which begins with 'BufferAssignment:'", first, 0)
    found: list[tuple[Allocation, list[PlacedValue]]] = []
    for number, line in enumerate(lines[1:], 2):
        if not line.strip():
            break
        head, value = _HEAD.fullmatch(line), _VALUE.fullmatch(line)
        if head is not None:
            color = _COLOR.search(head[3])
            space = int(color[1]) if color else 0
            found.append((Allocation(int(head[1]), int(head[2]), space, _kind(head[3]), ()), []))
        elif value is not None and found:
            index = tuple(int(i) for i in (value[2] or "").split(",") if i)
            found[-1][1].append(
                PlacedValue(value[1], index, int(value[3]), int(value[4]), _shape(value[5]))
            )
        else:
            raise ParseError(
                f"line {number} of the buffer assignment is not understood", line.strip(), 0
            )
    return Assignment(tuple(each._replace(values=tuple(values)) for each, values in found))


def _kind(text: str) -> str:
    parameter = re.search(r"parameter \d+", text)
    if parameter is not None:
        return parameter[0]
    return next((kind for kind in _KINDS if kind in text), "temp")


def _shape(text: str) -> AnyShape | None:
    try:
        return parse_shape(text)
    except (ParseError, UnsupportedError):
        return None


def read_live_ranges(text: str) -> LiveRanges:
    """Return the steps at which each value lives, from the text of live ranges.

    >>> read_live_ranges("HloLiveRange (max 6):\\n  BufferLiveRange:\\n    a.1{}:0-6\\n    b{0}:1-5\\n")
    {('a.1', ()): (0, 6), ('b', (0,)): (1, 5)}

    Raises:
        ParseError: the text has no live ranges.
    """
    lines: Sequence[str] = text.splitlines()
    start = next((i for i, line in enumerate(lines) if line.strip() == "BufferLiveRange:"), None)
    if start is None:
        first = lines[0] if lines else ""
        raise ParseError("not a text of live ranges, which has 'BufferLiveRange:'", first, 0)
    ranges: LiveRanges = {}
    for line in lines[start + 1 :]:
        entry = _RANGE.fullmatch(line)
        if entry is None:
            break
        index = tuple(int(i) for i in entry[2].split(",") if i)
        ranges[entry[1], index] = int(entry[3]), int(entry[4])
    return ranges
