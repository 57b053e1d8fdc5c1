"""The buffers of a module: which values have memory of their own, and where the others lie.

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

A module is taken one computation at a time, so that a stream of its text needs little memory. What
decides is in `RULES`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from ..hlo import ComputationHead, Instruction, ModuleError
from .aliasing import Summary, results
from .roles import module_roles

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ..hlo import Alias, Module, ModuleStream
    from ..xla_bridge import AnyShape, XlaShape
    from .aliasing import Index, Place, Result
    from .roles import Role

__all__ = ["AliasedValue", "Buffer", "ComputationBuffers", "Kind", "module_buffers", "stream_buffers"]

Kind: TypeAlias = Literal["argument", "constant", "result", "temporary"]

_Key: TypeAlias = "tuple[str, Index]"
"""An array of an instruction's result: its name and the way through the tuples."""

_Places: TypeAlias = "Mapping[Index, tuple[tuple[_Key, ...], bool]]"


class Buffer(NamedTuple):
    """An array with memory of its own, and the instruction that makes it."""

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
    """``FILE:LINE`` where the metadata names it itself; else the stack frame may."""


class AliasedValue(NamedTuple):
    """An array without memory of its own: whose it has, by which of the `RULES`."""

    name: str
    shape_index: Index
    shape: XlaShape
    of: tuple[_Key, ...]
    """The arrays of the same computation whose memory it has; none where those of the caller."""
    rule: str
    computation: str
    opcode: str
    line: int


class ComputationBuffers(NamedTuple):
    """The arrays of one computation, with memory of their own and without."""

    name: str
    role: Role | None
    """What it is for; None where nothing calls it, and it is not known whether it runs."""
    buffers: tuple[Buffer, ...]
    aliases: tuple[AliasedValue, ...]
    root: AnyShape | None
    """The shape it gives; None where none of it was read."""


def module_buffers(module: Module) -> tuple[ComputationBuffers, ...]:
    """Return the buffers of each computation of a module, in the order of its text."""
    roles = module_roles(module)
    called: dict[str, Summary] = {}
    found: list[ComputationBuffers] = []
    for computation in module.computations:
        scope = _Scope(computation.name, roles.get(computation.name), called)
        for instruction in computation.instructions:
            scope.add(instruction)
        found.append(scope.end(module.input_output_alias))
    return tuple(found)


def stream_buffers(stream: ModuleStream, roles: Mapping[str, Role]) -> Iterator[ComputationBuffers]:
    """Yield the buffers of each computation as its text ends.

    A last computation that nothing calls is the entry, if no other is, as it is to XLA.

    Args:
        roles: Those that `roles_in_text` gives for the text.

    Raises:
        ModuleError: the text breaks off; what was read of the last computation has been yielded, if
            it is known what it is for.
    """
    called: dict[str, Summary] = {}
    donated = stream.header.input_output_alias
    open_scopes: list[_Scope] = []
    waiting: _Scope | None = None  # nothing calls it so far, and it may be the last
    has_entry = False
    try:
        for event in stream.events():
            if isinstance(event, ComputationHead):
                if waiting is not None:
                    yield waiting.end(donated)
                    waiting = None
                has_entry |= event.is_entry
                role = "entry" if event.is_entry else roles.get(event.name)
                open_scopes.append(_Scope(event.name, role, called))
            elif isinstance(event, Instruction):
                open_scopes[-1].add(event)
            else:
                scope = open_scopes.pop()
                if scope.role is None and not open_scopes:
                    waiting = scope
                else:
                    yield scope.end(donated)
    except ModuleError:
        for scope in [*([waiting] if waiting else []), *reversed(open_scopes)]:
            yield scope.end(donated)
        raise
    if waiting is not None:
        waiting.role = None if has_entry else "entry"
        yield waiting.end(donated)


class _Scope:
    """A computation that is being read."""

    __slots__ = ("_buffers", "_called", "_known", "_name", "_numbers", "_root", "_unowned", "role")

    def __init__(self, name: str, role: Role | None, called: dict[str, Summary]) -> None:
        self._name, self._called = name, called
        self.role: Role | None = role
        self._buffers: dict[_Key, Buffer] = {}
        self._unowned: list[AliasedValue] = []
        # For each array, in whose memory it lies, and whether that was written over since.
        self._known: dict[str, dict[Index, tuple[tuple[_Key, ...], bool]]] = {}
        self._numbers: dict[str, int] = {}
        self._root: Instruction | None = None

    def add(self, instruction: Instruction) -> None:
        """Take in an instruction, whose operands were taken in before."""
        found: dict[Index, tuple[tuple[_Key, ...], bool]] = {}
        for result in results(instruction, self._called):
            owners: dict[_Key, None] = {}
            was_written = result.is_written
            for number, index in result.of:
                name = instruction.operands[number].name if number < len(instruction.operands) else ""
                keys, written = self._known.get(name, {}).get(index, (((name, index),), False))
                owners |= dict.fromkeys(keys)
                was_written |= written
            if owners:
                found[result.shape_index] = tuple(owners), was_written
                self._unowned.append(self._without(instruction, result, tuple(owners)))
            else:
                found[result.shape_index] = ((instruction.name, result.shape_index),), False
                self._own(instruction, result)
        self._known[instruction.name] = found
        if instruction.parameter_number is not None:
            self._numbers[instruction.name] = instruction.parameter_number
        if self._root is None or instruction.is_root or not self._root.is_root:
            self._root = instruction  # the last one, where none is marked

    def _own(self, instruction: Instruction, result: Result) -> None:
        number = instruction.parameter_number
        if number is not None and self.role not in ("entry", None):
            rule = "inside" if self.role in ("fused", "applied") else "parameter"
            self._unowned.append(self._without(instruction, result._replace(rule=rule), ()))
            return
        is_constant = instruction.opcode == "constant"
        if self.role == "fused" or (self.role == "applied" and not is_constant):
            self._unowned.append(self._without(instruction, result._replace(rule="inside"), ()))
            return
        kind: Kind = "argument" if number is not None else "constant" if is_constant else "temporary"
        metadata = instruction.metadata
        frame, file = metadata.get("stack_frame_id", 0), metadata.get("source_file", "")
        self._buffers[instruction.name, result.shape_index] = Buffer(
            instruction.name,
            result.shape_index,
            result.shape,
            kind,
            self._name,
            instruction.opcode,
            instruction.line,
            str(metadata.get("op_name", "")),
            frame if isinstance(frame, int) else 0,
            f"{file}:{metadata.get('source_line', 0)}" if file else "",
        )

    def _without(
        self, instruction: Instruction, result: Result, owners: tuple[_Key, ...]
    ) -> AliasedValue:
        rule = "inside" if self.role in ("fused", "applied") else result.rule
        return AliasedValue(
            instruction.name,
            result.shape_index,
            result.shape,
            owners,
            rule,
            self._name,
            instruction.opcode,
            instruction.line,
        )

    def end(self, donated: Iterable[Alias]) -> ComputationBuffers:
        """Return what was found, and keep the summary that callers need."""
        root = self._root
        at = self._known[root.name] if root is not None else {}
        places: dict[Index, Place] = {}
        for index, (owners, _) in at.items():
            for name, way in owners[:1] if len(owners) == 1 else ():
                if name in self._numbers:
                    places[index] = self._numbers[name], way
        written = frozenset(index for index in places if at[index][1])
        if written or self.role in ("body", "callee"):  # nothing is asked of the others
            self._called[self._name] = Summary(places, written)
        if self.role is None:
            return ComputationBuffers(self._name, None, (), (), None if root is None else root.shape)
        if self.role in ("body", "callee"):
            self._give_to_caller(at, "loop" if self.role == "body" else "callee")
        if self.role == "entry":
            self._mark_results(at, donated)
        return ComputationBuffers(
            self._name,
            self.role,
            tuple(self._buffers.values()),
            tuple(self._unowned),
            None if root is None else root.shape,
        )

    def _give_to_caller(self, root: _Places, rule: str) -> None:
        """What the root gives lies where the caller wants it."""
        for owners, _ in root.values():
            for key in owners:
                if key in self._buffers and self._buffers[key].kind == "temporary":
                    self._unowned.append(_aliased(self._buffers.pop(key), (), rule))

    def _mark_results(self, root: _Places, donated: Iterable[Alias]) -> None:
        parameters = {number: name for name, number in self._numbers.items()}
        homes = {
            each.output_index: (parameters.get(each.parameter_number), each.parameter_index)
            for each in donated
        }
        for index, (owners, _) in root.items():
            name, way = homes.get(index, (None, ()))
            for key in owners:
                buffer = self._buffers.get(key)
                if buffer is None or buffer.kind != "temporary":
                    continue
                if name is None:
                    self._buffers[key] = buffer._replace(kind="result")
                else:
                    del self._buffers[key]
                    self._unowned.append(_aliased(buffer, ((name, way),), "donated"))


def _aliased(buffer: Buffer, of: tuple[_Key, ...], rule: str) -> AliasedValue:
    """A buffer that turned out to be another's."""
    return AliasedValue(
        buffer.name,
        buffer.shape_index,
        buffer.shape,
        of,
        rule,
        buffer.computation,
        buffer.opcode,
        buffer.line,
    )
