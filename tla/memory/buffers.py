# SPDX-License-Identifier: Apache-2.0
"""The buffers of a module: the values with memory of their own, and the places of the other values.

>>> from ..hlo import read_module
>>> module = read_module('''
... ENTRY e {
...   a = f32[8] parameter(0)
...   b = f32[2,4] bitcast(a)
...   ROOT c = f32[2,4] negate(b)
... }''')
>>> (entry,) = module_buffers(module)
>>> [(buffer.name, buffer.kind) for buffer in entry.buffers]
[('a', 'argument'), ('c', 'result')]
>>> [(alias.name, alias.of, alias.rule) for alias in entry.aliases]
[('b', (('a', ()),), 'forward')]

`RULES` has the rules that decide.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from ..ground import html_of
from ..hlo import ComputationHead, Instruction, ModuleError
from .outline import Homes, module_outline
from .waste import array_waste

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..ground import Bars
    from ..hlo import Module, ModuleStream
    from ..xla_bridge import AnyShape, XlaShape
    from .aliasing import Index, Result
    from .outline import Key, Outline
    from .roles import Role

Kind: TypeAlias = Literal["argument", "constant", "result", "temporary"]

_COPYING: Final = frozenset(
    ("copy", "copy-start", "copy-done", "slice-start", "slice-done", "bitcast", "get-tuple-element")
)
_PART: Final = 1024
"""The most arrays in one part of a computation."""


class Buffer(NamedTuple):
    """An array with memory of its own, and the instruction that makes it.

    >>> from tla.hlo import read_module
    >>> module = read_module('''ENTRY e {
    ...   p = f32[5,100]{1,0:T(8,128)} parameter(0)
    ...   ROOT c = f32[5,100]{0,1:T(8,128)} copy(p)
    ... }''')
    >>> buffer = module_buffers(module)[0].buffers[0]
    >>> buffer.name, buffer.kind, buffer.computation, buffer.opcode, buffer.line
    ('p', 'argument', 'e', 'parameter', 2)
    """

    name: str
    shape_index: Index
    shape: XlaShape
    kind: Kind
    computation: str
    opcode: str
    line: int
    op_name: str
    stack_frame_id: int
    source: str
    """``FILE:LINE`` if the metadata has it; if not, the stack frame may have it."""
    copied: str = ""
    """The program's name of the parameter that it is a copy of, if the copy has none itself."""

    @property
    def label(self) -> str:
        """Its name in XLA's text: ``%sort.3{1}``."""
        return label_of(self.name, self.shape_index)

    def figure(self) -> Bars:
        """Return the picture of its memory, as data; `UnsupportedError` if a dim is unknown."""
        return array_waste(self.shape).figure(self.label)

    def _repr_html_(self) -> str | None:
        return html_of(self)


class AliasedValue(NamedTuple):
    """An array without memory of its own: the arrays whose memory it has, and the rule of `RULES`.

    >>> from tla.hlo import read_module
    >>> module = read_module('''ENTRY e {
    ...   p = f32[8] parameter(0)
    ...   ROOT b = f32[2,4] bitcast(p)
    ... }''')
    >>> alias = module_buffers(module)[0].aliases[0]
    >>> alias.name, alias.rule, alias.of
    ('b', 'forward', (('p', ()),))
    """

    name: str
    shape_index: Index
    shape: XlaShape
    of: tuple[Key, ...]
    """The arrays of the same computation whose memory it has; empty if the caller's arrays have it."""
    rule: str
    computation: str
    opcode: str
    line: int

    @property
    def label(self) -> str:
        """Its name in XLA's text: ``%sort.3{1}``."""
        return label_of(self.name, self.shape_index)


def label_of(name: str, index: Index) -> str:
    """Return the name of an array of a result, such as ``%sort.3{1}``."""
    return f"%{name}" + (f"{{{','.join(map(str, index))}}}" if index else "")


class ComputationBuffers(NamedTuple):
    """The arrays of one computation, with memory of their own and without, in the order of the text.

    >>> from tla.hlo import read_module
    >>> from tla.memory import module_buffers
    >>> module = read_module('''ENTRY e {
    ...   p = f32[5,100]{1,0:T(8,128)} parameter(0)
    ...   ROOT c = f32[5,100]{0,1:T(8,128)} copy(p)
    ... }''')
    >>> found = module_buffers(module)[0]
    >>> found.name, found.role, len(found.buffers), len(found.aliases), str(found.root)
    ('e', 'entry', 2, 0, 'f32[5,100]{0,1:T(8,128)}')

    A long computation in a stream comes in parts; the last part has the root.
    """

    name: str
    role: Role | None
    """Its role in the module; None if nothing calls it, so that it may never run."""
    buffers: tuple[Buffer, ...]
    aliases: tuple[AliasedValue, ...]
    root: AnyShape | None
    """The shape of its result; None if the text up to here does not have its end."""


def module_buffers(module: Module) -> tuple[ComputationBuffers, ...]:
    """Return the buffers of each computation of a module, in the order of its text.

    >>> from tla.hlo import read_module
    >>> module = read_module('''ENTRY e {
    ...   p = f32[5,100]{1,0:T(8,128)} parameter(0)
    ...   ROOT c = f32[5,100]{0,1:T(8,128)} copy(p)
    ... }''')
    >>> for buffer in module_buffers(module)[0].buffers:
    ...     buffer.name, buffer.kind, str(buffer.shape)
    ('p', 'argument', 'f32[5,100]{1,0:T(8,128)}')
    ('c', 'result', 'f32[5,100]{0,1:T(8,128)}')
    """
    outline = module_outline(module)
    parts: list[ComputationBuffers] = []
    for computation in module.computations:
        scope = _Scope(computation.name, outline)
        for instruction in computation.instructions:
            scope.add(instruction)
        parts.append(scope.part(computation.root.shape))
    return tuple(parts)


def stream_buffers(stream: ModuleStream, outline: Outline) -> Iterator[ComputationBuffers]:
    """Yield the buffers of each computation in the order of the text, a long computation in parts.

    >>> import io
    >>> from tla.hlo import read_stream
    >>> from tla.memory import stream_outline
    >>> text = '''ENTRY e {
    ...   ROOT p = f32[8]{0:T(128)} parameter(0)
    ... }'''
    >>> outline = stream_outline(read_stream(io.StringIO(text)))
    >>> for found in stream_buffers(read_stream(io.StringIO(text)), outline):
    ...     found.name, [buffer.name for buffer in found.buffers]
    ('e', ['p'])

    Memory holds the names of all computations. For one computation at a time it also holds the names of
    the instructions, and the arrays without memory of their own.

    Args:
        outline: The `stream_outline` of the same text.

    Raises:
        ModuleError: the text breaks off. Before that comes the first part of the last computation, if
            its role is known. It has no root, because its result is unknown.
    """
    scopes: list[_Scope] = []
    try:
        for event in stream.events():
            if isinstance(event, ComputationHead):
                scopes.append(_Scope(event.name, outline))
            elif isinstance(event, Instruction):
                scope = scopes[-1]
                scope.add(event)
                if scope.pending >= _PART:
                    yield scope.part(None)
            else:
                yield scopes.pop().end()
    except ModuleError:
        while scopes:
            yield scopes.pop().part(None)
        raise


class _Scope:
    """The arrays of one computation so far."""

    __slots__ = ("_aliases", "_buffers", "_donated", "_given", "_homes", "_name", "_named", "_role")

    def __init__(self, name: str, outline: Outline) -> None:
        self._name = name
        self._role: Role | None = outline.roles.get(name)
        self._given = outline.given.get(name, frozenset())
        self._donated = outline.donated
        self._homes = Homes(outline.summaries)
        self._buffers: list[Buffer] = []
        self._aliases: list[AliasedValue] = []
        self._named: dict[str, str] = {}

    @property
    def pending(self) -> int:
        """The number of arrays for the next part."""
        return len(self._buffers) + len(self._aliases)

    def add(self, instruction: Instruction) -> None:
        """Add an instruction; its operands must have been added before."""
        copied = ""
        if not instruction.op_name and instruction.opcode in _COPYING and instruction.operands:
            copied = self._named.get(instruction.operands[0].name, "")
        if copied or instruction.parameter_number is not None:
            self._named[instruction.name] = copied or instruction.op_name
        for result, owners in self._homes.add(instruction):
            if self._role is None:
                continue
            if owners:
                self._lie(instruction, result, result.rule, owners)
            else:
                self._own(instruction, result, copied)

    def _own(self, instruction: Instruction, result: Result, copied: str) -> None:
        """Add an array that lies in no operand: a buffer, or an array in the memory of a caller."""
        key, role = (instruction.name, result.shape_index), self._role
        kind: Kind = "temporary"
        if instruction.parameter_number is not None:
            kind = "argument"
        elif instruction.opcode == "constant":
            kind = "constant"
        is_given = kind == "temporary" and (instruction.is_root or key in self._given)
        if role == "fused" or (role == "applied" and kind != "constant"):
            self._lie(instruction, result, "inside", ())
        elif kind == "argument" and role != "entry":
            self._lie(instruction, result, "parameter", ())
        elif is_given and role in ("body", "callee"):
            self._lie(instruction, result, "loop" if role == "body" else "callee", ())
        elif is_given and role == "entry" and key in self._donated:
            self._lie(instruction, result, "donated", (self._donated[key],))
        else:
            is_result = is_given and role == "entry"
            self._buffers.append(
                _buffer(instruction, result, "result" if is_result else kind, self._name, copied)
            )

    def _lie(self, instruction: Instruction, result: Result, rule: str, owners: tuple[Key, ...]) -> None:
        self._aliases.append(
            AliasedValue(
                instruction.name,
                result.shape_index,
                result.shape,
                owners,
                "inside" if self._role in ("fused", "applied") else rule,
                self._name,
                instruction.opcode,
                instruction.line,
            )
        )

    def end(self) -> ComputationBuffers:
        """Return the last part."""
        root = self._homes.root
        return self.part(None if root is None else root.shape)

    def part(self, root: AnyShape | None) -> ComputationBuffers:
        """Return the arrays that no part has yet."""
        buffers, aliases = tuple(self._buffers), tuple(self._aliases)
        self._buffers, self._aliases = [], []
        return ComputationBuffers(self._name, self._role, buffers, aliases, root)


def _buffer(
    instruction: Instruction, result: Result, kind: Kind, computation: str, copied: str
) -> Buffer:
    metadata = instruction.metadata
    frame, file = metadata.get("stack_frame_id", 0), metadata.get("source_file", "")
    return Buffer(
        instruction.name,
        result.shape_index,
        result.shape,
        kind,
        computation,
        instruction.opcode,
        instruction.line,
        instruction.op_name,
        frame if isinstance(frame, int) else 0,
        f"{file}:{metadata.get('source_line', 0)}" if file else "",
        copied,
    )
