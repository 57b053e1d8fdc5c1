# SPDX-License-Identifier: Apache-2.0
"""The sources of instructions: the tables of file names, functions, locations and stack frames.

A frame is a location and its calling frame. ``parent_frame_id`` in the text is the number of that frame
plus one, and 1 means no frame.

Source: hlo_module.cc and hlo_parser.cc, ``ParseStackFrameIndex``; checked against the module's proto.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

TABLES = ("FileNames", "FunctionNames", "FileLocations", "StackFrames")
"""The names of the tables in the text, in their order."""


class FileLocation(NamedTuple):
    """A span of a file. The first two fields are the numbers of its file and function in the tables.

    >>> FileLocation(1, 2, line=9, end_line=9, column=4, end_column=21).line
    9
    """

    file_name_id: int
    function_name_id: int
    line: int
    end_line: int
    column: int
    end_column: int


class StackFrame(NamedTuple):
    """A location, and the number of its calling frame plus one, as in the text.

    >>> StackFrame(file_location_id=2, parent_frame_id=2).parent
    1
    """

    file_location_id: int
    parent_frame_id: int

    @property
    def parent(self) -> int:
        """The number of the calling frame, 0 for none."""
        return self.parent_frame_id - 1


class SourceLine(NamedTuple):
    """A line of a program; the function is "" if the module does not name it.

    >>> SourceLine(function="main", file="train.py", line=12)
    SourceLine(function='main', file='train.py', line=12)
    """

    function: str
    file: str
    line: int


class SourceTables(NamedTuple):
    """The four tables, each from the numbers in the text to their values."""

    file_names: Mapping[int, str] = MappingProxyType({})
    function_names: Mapping[int, str] = MappingProxyType({})
    file_locations: Mapping[int, FileLocation] = MappingProxyType({})
    stack_frames: Mapping[int, StackFrame] = MappingProxyType({})

    def frozen(self) -> SourceTables:
        """Return an immutable copy of the tables."""
        return SourceTables(
            MappingProxyType(dict(self.file_names)),
            MappingProxyType(dict(self.function_names)),
            MappingProxyType(dict(self.file_locations)),
            MappingProxyType(dict(self.stack_frames)),
        )

    def to_dicts(self) -> SourceTables:
        """Return a copy of the tables as plain dicts."""
        return SourceTables(
            dict(self.file_names),
            dict(self.function_names),
            dict(self.file_locations),
            dict(self.stack_frames),
        )

    def trace(self, frame_id: int) -> tuple[SourceLine, ...]:
        """Return the lines that led to a frame, the innermost first; empty if there is no such frame.

        >>> tables = SourceTables(
        ...     {1: "a.py"}, {1: "main", 2: "f"},
        ...     {1: FileLocation(1, 1, 9, 9, 1, 2), 2: FileLocation(1, 2, 4, 4, 1, 2)},
        ...     {1: StackFrame(1, 1), 2: StackFrame(2, 2)},
        ... )
        >>> [(line.function, line.line) for line in tables.trace(2)]
        [('f', 4), ('main', 9)]

        A circle of frames ends the trace.
        """
        lines: list[SourceLine] = []
        visited: set[int] = set()
        while frame_id in self.stack_frames and frame_id not in visited:
            visited.add(frame_id)
            frame = self.stack_frames[frame_id]
            at = self.file_locations.get(frame.file_location_id)
            if at is not None:
                file = self.file_names.get(at.file_name_id, "")
                lines.append(SourceLine(self.function_names.get(at.function_name_id, ""), file, at.line))
            frame_id = frame.parent
        return tuple(lines)
