# SPDX-License-Identifier: Apache-2.0
"""Groups of buffers by source line, or by operation of the program.

>>> from ..hlo import read_module
>>> from .buffers import module_buffers
>>> module = read_module('''
... ENTRY e {
...   a = f32[8] parameter(0), metadata={op_name="x"}
...   ROOT b = f32[8] negate(a), metadata={op_name="jit(f)/neg" source_file="f.py" source_line=3}
... }''')
>>> (entry,) = module_buffers(module)
>>> [(group.name, group.padded_bytes) for group in grouped(entry.buffers, "source", module.tables)]
[('f.py:3', 32), ('x', 32)]
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from .waste import array_waste

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..hlo import SourceLine, SourceTables
    from .buffers import Buffer

Key: TypeAlias = Literal["source", "op_name"]


class Group(NamedTuple):
    """The buffers of one origin together.

    >>> group = Group("f.py:3", 1, 32, 64).plus(32, 32)
    >>> group.buffers, group.data_bytes, group.waste_bytes
    (2, 64, 32)
    """

    name: str
    buffers: int
    data_bytes: int
    padded_bytes: int

    @property
    def waste_bytes(self) -> int:
        return self.padded_bytes - self.data_bytes

    def plus(self, data_bytes: int, padded_bytes: int) -> Group:
        """The group with one more buffer."""
        return Group(
            self.name, self.buffers + 1, self.data_bytes + data_bytes, self.padded_bytes + padded_bytes
        )


def source_of(buffer: Buffer, tables: SourceTables) -> str:
    """Return the line of the program that made a buffer, as ``FILE:LINE (FUNCTION)``; "" if unknown.

    >>> from tla.hlo import read_module
    >>> from tla.memory import module_buffers
    >>> module = read_module('''ENTRY e {
    ...   a = f32[8] parameter(0), metadata={op_name="x"}
    ...   ROOT b = f32[8] negate(a), metadata={op_name="neg" source_file="f.py" source_line=3}
    ... }''')
    >>> [source_of(buffer, module.tables) for buffer in module_buffers(module)[0].buffers]
    ['', 'f.py:3']

    It is the innermost line of the stack frame in the metadata, or else the line in the metadata.
    """
    return source_text(tables.trace(buffer.stack_frame_id)) or buffer.source


def source_text(lines: Sequence[SourceLine]) -> str:
    """Return the innermost of some lines of a program, as ``FILE:LINE (FUNCTION)``; "" without lines."""
    if not lines:
        return ""
    line = lines[0]
    return f"{line.file}:{line.line}" + (f" ({line.function})" if line.function else "")


def group_of(buffer: Buffer, key: Key, tables: SourceTables) -> str:
    """Return the name of the group of a buffer; "" if the module does not have it.

    >>> from tla.hlo import read_module
    >>> from tla.memory import module_buffers
    >>> module = read_module('''ENTRY e {
    ...   a = f32[8] parameter(0), metadata={op_name="x"}
    ...   ROOT b = f32[8] negate(a), metadata={op_name="neg" source_file="f.py" source_line=3}
    ... }''')
    >>> _a, buffer = module_buffers(module)[0].buffers
    >>> group_of(buffer, "source", module.tables), group_of(buffer, "op_name", module.tables)
    ('f.py:3', 'neg')

    The name by source is a line of the program. If no line is known, it is the program's name for the
    operation; a parameter has only that. A copy that the compiler adds of a parameter has its name:
    ``of x``.
    """
    own = (source_of(buffer, tables) if key == "source" else "") or buffer.op_name
    return own or (f"of {buffer.copied}" if buffer.copied else "")


def grouped(buffers: Iterable[Buffer], key: Key, tables: SourceTables) -> list[Group]:
    """Return the groups of buffers, the most memory first.

    >>> from tla.hlo import read_module
    >>> from tla.memory import module_buffers
    >>> module = read_module('''ENTRY e {
    ...   a = f32[8] parameter(0), metadata={op_name="x"}
    ...   ROOT b = f32[8] negate(a), metadata={op_name="neg"}
    ... }''')
    >>> grouped(module_buffers(module)[0].buffers, "op_name", module.tables)[0]
    Group(name='neg', buffers=1, data_bytes=32, padded_bytes=32)

    Raises:
        UnsupportedError: a dim of a buffer is unknown.
    """
    groups: dict[str, Group] = {}
    for buffer in buffers:
        name = group_of(buffer, key, tables)
        waste = array_waste(buffer.shape)
        group = groups.get(name, Group(name, 0, 0, 0))
        groups[name] = group.plus(waste.data_bytes, waste.padded_bytes)
    return sorted(groups.values(), key=lambda group: (-group.padded_bytes, group.name))
