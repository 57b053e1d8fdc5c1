# SPDX-License-Identifier: Apache-2.0
"""The counts of the buffers of a module, one by one, in memory that grows with its distinct shapes.

>>> from ..hlo import read_module
>>> from .buffers import module_buffers
>>> tally = Tally(top=1)
>>> for computation in module_buffers(read_module("a = f32[3]{0:T(4)} parameter(0)")):
...     tally.add(computation)
>>> [(row.buffer.name, row.waste.waste_bytes) for row in tally.rows]
[('a', 4)]
>>> tally.spaces
[SpaceTotal(memory_space=0, buffers=1, data_bytes=12, padded_bytes=16)]
"""

from __future__ import annotations

from heapq import heappush, heappushpop
from typing import TYPE_CHECKING, NamedTuple

from ..errors import UnsupportedError
from ..ground import html_of
from .aliasing import arrays
from .by import Group, group_of
from .entry import HOST, index_tables_bytes, shape_bytes
from .picture import MOST_DRAWN, one_below_the_other
from .waste import Waste, array_waste

if TYPE_CHECKING:
    from ..ground import Bars
    from ..hlo import SourceTables
    from ..xla_bridge import AnyShape, Chip, XlaShape
    from .buffers import AliasedValue, Buffer, ComputationBuffers
    from .by import Key


class Row(NamedTuple):
    """A buffer and its waste.

    >>> from tla.hlo import read_module
    >>> from tla.memory import Tally, module_buffers
    >>> module = read_module('''ENTRY e {
    ...   p = f32[5,100]{1,0:T(8,128)} parameter(0)
    ...   ROOT c = f32[5,100]{0,1:T(8,128)} copy(p)
    ... }''')
    >>> tally = Tally()
    >>> tally.add(module_buffers(module)[0])
    >>> row = tally.rows[0]
    >>> row.buffer.name, row.waste.padded_bytes
    ('c', 53248)
    """

    buffer: Buffer
    waste: Waste


class Unsized(NamedTuple):
    """A buffer of unknown size, which does not count, and the reason.

    >>> from tla.hlo import read_module
    >>> from tla.memory import module_buffers
    >>> module = read_module('''ENTRY e {
    ...   ROOT p = f32[?] parameter(0)
    ... }''')
    >>> tally = Tally()
    >>> tally.add(module_buffers(module)[0])
    >>> tally.unsized[0].buffer.name, tally.unsized[0].reason
    ('p', "the size of f32[?]{0} is not known: it has a dim '?'")
    """

    buffer: Buffer
    reason: str


class SpaceTotal(NamedTuple):
    """The sum of all buffers of one memory space, live at the same time or not.

    >>> from tla.hlo import read_module
    >>> from tla.memory import Tally, module_buffers
    >>> module = read_module('''ENTRY e {
    ...   p = f32[5,100]{1,0:T(8,128)} parameter(0)
    ...   ROOT c = f32[5,100]{0,1:T(8,128)} copy(p)
    ... }''')
    >>> tally = Tally()
    >>> tally.add(module_buffers(module)[0])
    >>> tally.spaces[0], tally.spaces[0].waste_bytes
    (SpaceTotal(memory_space=0, buffers=2, data_bytes=4000, padded_bytes=57344), 53344)
    """

    memory_space: int
    buffers: int
    data_bytes: int
    padded_bytes: int

    @property
    def waste_bytes(self) -> int:
        return self.padded_bytes - self.data_bytes


class Tally:
    """The counts so far.

    >>> from tla.hlo import read_module
    >>> module = read_module('''ENTRY e {
    ...   p = f32[5,100]{1,0:T(8,128)} parameter(0)
    ...   ROOT c = f32[5,100]{0,1:T(8,128)} copy(p)
    ... }''')
    >>> from tla.memory import module_buffers
    >>> tally = Tally(top=1)
    >>> for found in module_buffers(module):
    ...     tally.add(found)
    >>> tally.spaces
    [SpaceTotal(memory_space=0, buffers=2, data_bytes=4000, padded_bytes=57344)]
    >>> row = tally.rows[0]
    >>> type(row).__name__, row.buffer.name, row.waste.padded_bytes
    ('Row', 'c', 53248)

    Args:
        top: The number of rows to keep, those with the most waste; by default all.
        by: The key of groups, if it counts groups too.
        tables: The source tables of the module, for groups by source.
        keep_aliases: Whether to keep all values without memory of their own too.

    Attributes:
        unsized: The buffers with a dim of unknown size, which count nowhere else.
        aliases: The values without memory of their own, if it keeps them.
        by_rule: The number of values without memory of their own, by rule.
        uncalled: The computations that nothing calls, whose values count nowhere.
        argument_bytes: The bytes of the entry computation's parameters, without unsized ones.
        root: The shape of the entry computation's result; None if the text does not have its end.
    """

    def __init__(
        self,
        top: int | None = None,
        by: Key | None = None,
        tables: SourceTables | None = None,
        keep_aliases: bool = False,
    ) -> None:
        self._top, self._tables, self._keep = top, tables, keep_aliases
        self._by: Key | None = by
        self._kept: list[tuple[int, int, int, Row]] = []
        self._wastes: dict[XlaShape, Waste] = {}
        self._spaces: dict[int, SpaceTotal] = {}
        self._groups: dict[str, Group] = {}
        self.buffers: int = 0
        self.unsized: list[Unsized] = []
        self.aliases: list[AliasedValue] = []
        self.by_rule: dict[str, int] = {}
        self.uncalled: list[str] = []
        self.argument_bytes: int = 0
        self.root: AnyShape | None = None

    def add(self, computation: ComputationBuffers) -> None:
        """Count a computation, or a part of one."""
        if computation.role is None:
            self.uncalled.append(computation.name)
        if computation.role == "entry" and computation.root is not None:
            self.root = computation.root
        for alias in computation.aliases:
            self.by_rule[alias.rule] = self.by_rule.get(alias.rule, 0) + 1
        if self._keep:
            self.aliases += computation.aliases
        for buffer in computation.buffers:
            self._count(buffer)

    def _count(self, buffer: Buffer) -> None:
        shape = buffer.shape
        waste = self._wastes.get(shape)
        if waste is None:
            try:
                waste = self._wastes[shape] = array_waste(shape)
            except UnsupportedError as error:
                self.unsized.append(Unsized(buffer, error.summary))
                return
        data, padded = waste.data_bytes, waste.padded_bytes
        space = shape.memory_space
        _, n, d, p = self._spaces.get(space, (0, 0, 0, 0))
        self._spaces[space] = SpaceTotal(space, n + 1, d + data, p + padded)
        if buffer.kind == "argument" and space != HOST:
            self.argument_bytes += padded
        if self._by is not None and self._tables is not None:
            name = group_of(buffer, self._by, self._tables)
            self._groups[name] = self._groups.get(name, Group(name, 0, 0, 0)).plus(data, padded)
        self.buffers += 1
        # Among rows of equal waste and size, the first in the text comes first.
        entry = (waste.waste_bytes, padded, -self.buffers, Row(buffer, waste))
        if self._top is None or len(self._kept) < self._top:
            heappush(self._kept, entry)
        else:
            heappushpop(self._kept, entry)

    @property
    def rows(self) -> list[Row]:
        """The rows, the most waste first."""
        return [entry[3] for entry in sorted(self._kept, key=lambda entry: entry[:3], reverse=True)]

    @property
    def is_tiled(self) -> bool:
        """Whether any buffer has tiles, as buffers on a TPU have."""
        return any(shape.tiles for shape in self._wastes)

    @property
    def spaces(self) -> list[SpaceTotal]:
        """The totals of the memory spaces, by number."""
        return [self._spaces[space] for space in sorted(self._spaces)]

    @property
    def groups(self) -> list[Group]:
        """The groups, the most memory first."""
        return sorted(self._groups.values(), key=lambda group: (-group.padded_bytes, group.name))

    def figure(self, most: int = MOST_DRAWN, chip: str | Chip | None = None) -> Bars:
        """Return the picture of the rows, as data: the data and the padding of each.

        Args:
            most: The most rows in the picture.
            chip: The chip, for the names of the memories if there are several.
        """
        rows = self.rows[:most]
        what = "buffers"
        if len(rows) < self.buffers:
            what = f"the {len(rows)} of {self.buffers} buffers with the most waste"
        blocks = [waste.block(buffer.label, buffer.shape.memory_space) for buffer, waste in rows]
        return one_below_the_other(what, blocks, chip)

    def _repr_html_(self) -> str | None:
        return html_of(self)

    def output_bytes(self, chip: str | Chip | None = None) -> int | None:
        """The bytes of the entry computation's result, with tables of pointers; None if unknown."""
        if self.root is None or any(array.is_unbounded_dynamic for _, array in arrays(self.root)):
            return None
        return shape_bytes(self.root) + index_tables_bytes(self.root, chip)
