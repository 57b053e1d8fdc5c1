# SPDX-License-Identifier: Apache-2.0
"""The copies of a module, with the layouts of parameters and results that make them needless.

A relayout may read a parameter of the module, perhaps renamed. It does nothing if the caller gives the
parameter in the layout that the copy makes. A relayout may also make a result of the module. It does
nothing if the caller takes the result in the layout before the copy.

>>> from ..hlo import read_module
>>> module = read_module('''
...     HloModule m
...     ENTRY e {
...       p = f32[640,256]{1,0:T(8,128)} parameter(0), metadata={op_name="table"}
...       b = f32[256,640]{0,1:T(8,128)} bitcast(p)
...       c = f32[256,640]{1,0:T(8,128)} copy(b)
...       ROOT d = f32[256,640]{1,0:T(8,128)} negate(c)
...     }''')
>>> for advice in copies(module).advice:
...     print(advice)
parameter 0 (table) as f32[640,256]{0,1:T(8,128)}

Which advice holds is a matter of the compiler. These rules come from programs that we compiled with
libtpu 0.0.42, as they are and with each piece of advice:

- A parameter and the result that lies in its memory change together. If only one of them changes, the
  compiler keeps the alias only where both have the same padded size.
- A copy that also converts the type leaves the conversion behind. One reader takes it over, and it costs
  nothing more. Several readers do not: then the conversion can be slower than the copy was. So can a
  conversion to a wider type, which stays an instruction of its own.
- Other instructions that read the parameter get it in the new layout too. Matrix products work in any
  layout. Sums, sorts and products of vectors do not: 14 of 15 such programs got slower.
- A copy within a fusion moves nothing by itself, so its absence saves nothing.
- A parameter may reach the copy through elementwise instructions, which then work in the new layout. If
  they convert it, they can become slower than the copy was.
- A loop whose state a copy moves into VMEM keeps it in HBM without the copy. Relayouts of the state in
  the loop, also within its fusions, then read HBM in each turn: up to 28 times slower. So there is no
  advice for such a loop.
- If several parameters are copied, the compiler fetches some ahead of time. Their copies are cheap, and
  only all changes together save what all copies cost.
"""

from __future__ import annotations

from itertools import chain, takewhile
from typing import TYPE_CHECKING, Final, NamedTuple

from ..errors import LayoutError, UndecidedError, UnsupportedError
from ..hlo import ELEMENTWISE
from ..xla_bridge import (
    XlaShape,
    equivalent,
    from_layout,
    jax_format,
    laid_out,
    layout_of_digits,
    packed_bits,
    physical_bytes,
    remade,
    tilings_of_order,
    view_of,
)
from .aliasing import arrays
from .by import source_text
from .copy_advice import Advice
from .copying import Copy, module_copies, whole
from .origins import Index, Origins, Value, callee, is_joined, permutation_of, same_layout
from .renaming import reshaping, transposing
from .updates import SharedMemory

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..hlo import Instruction, Module, Operand
    from ..xla_bridge import AnyShape, Chip
    from .renaming import Renaming


class Copies(tuple[Copy, ...]):
    """The copies of a module, each with its advice.

    >>> from tla.hlo import read_module
    >>> from tla.memory import copies
    >>> found = copies(read_module("ENTRY e { ROOT p = f32[8] parameter(0) }"))
    >>> len(found), found.advice
    (0, ())
    """

    __slots__ = ()

    @property
    def advice(self) -> tuple[Advice, ...]:
        """All advice, each piece once, that of the most cycles first. It is meant to be taken together.

        If only some is taken, the compiler may move the cost to the copies that are left: it chooses
        anew what it fetches ahead of time.
        """
        found = dict.fromkeys(advice for copy in self for advice in copy.advice)
        return tuple(sorted(found, key=_gain, reverse=True))


def _gain(advice: Advice) -> tuple[int, int]:
    return advice.saves_cycles or 0, advice.saves_bytes


def copies(module: Module, chip: str | Chip = "v5e") -> Copies:
    """Return the copies, transposes, reshapes and bitcasts of a module, in the order of its text.

    >>> from tla.hlo import read_module
    >>> module = read_module('''ENTRY e {
    ...   p = f32[5,100]{1,0:T(8,128)} parameter(0)
    ...   c = f32[5,100]{0,1:T(8,128)} copy(p)
    ...   ROOT d = f32[5,100]{0,1:T(8,128)} negate(c)
    ... }''')
    >>> (copy,) = copies(module)
    >>> copy.name, copy.kind, str(copy.before), str(copy.after)
    ('c', 'relayout', 'f32[5,100]{1,0:T(8,128)}', 'f32[5,100]{0,1:T(8,128)}')
    >>> for advice in copy.advice:
    ...     print(advice)
    parameter 0 as f32[5,100]{0,1:T(8,128)}

    The ``-start`` of an asynchronous copy stands for it. A ``slice-start`` copies a part of an array and
    counts too. An instruction whose operand has an unknown shape, or is no array, does not count.

    Args:
        module: A module with an entry computation.
        chip: The chip whose tiles the advice takes; from v4 on they are the same.

    Raises:
        NoSuchNameError: the module has no entry computation.
    """
    formats = _Formats(module, chip)
    found = module_copies(module)
    advised: dict[tuple[str, str], list[Advice]] = {}
    gains = [each for each in formats.of(found) if max(_gain(each[0])) > 0]
    for advice, made in _in_turn(gains):
        for copy in made:
            advised.setdefault((copy.computation, copy.name), []).append(advice)
    return Copies(
        copy._replace(
            array=formats.array(copy), advice=tuple(advised.get((copy.computation, copy.name), ()))
        )
        for copy in found
    )


class _End(NamedTuple):
    """A parameter, or an array of the result, by its number or index."""

    parameter: int | None
    result: Index | None


class _Change(NamedTuple):
    """The layout of an end that makes a copy needless."""

    end: _End
    present: XlaShape
    layout: XlaShape
    copy: Copy
    is_of_loop: bool
    """Whether the copy moves the state of a loop into another memory."""
    name: str = ""
    users: tuple[str, ...] = ()
    more_bytes: int = 0
    """The bytes by which a fusion between parameter and copy reads and writes more."""

    @property
    def is_fetched(self) -> bool:
        """Whether the copy reads its parameter in the memory into which it was fetched."""
        return self.end.parameter is not None and self.copy.before.memory_space != 0

    @property
    def growth(self) -> int:
        return physical_bytes(self.layout) - physical_bytes(self.present)


class _Source(NamedTuple):
    """The parameter that a copy reads."""

    parameter: Instruction
    renamings: tuple[Renaming, ...]
    users: tuple[str, ...]
    """The other instructions that read it."""
    worked_on: XlaShape | None
    """The operand of the first elementwise instruction between parameter and copy, if there is one."""


class _Formats:
    """The advice on the copies of a module."""

    __slots__ = ("_chip", "_memory", "_module", "_moved", "_origins", "_pairs", "_results")

    def __init__(self, module: Module, chip: str | Chip) -> None:
        self._module = module
        self._chip = chip
        self._origins = Origins(module)
        self._memory = SharedMemory(module)
        entry = module.entry
        self._moved: set[Value] = set()  # what relayouts in loops read and make
        self._pairs = {
            alias.parameter_number: alias.output_index
            for alias in module.input_output_alias
            if not alias.parameter_index
        }
        self._results: dict[Value, list[tuple[Index, tuple[Renaming, ...], XlaShape]]] = {}
        for index, shape in arrays(entry.root.shape):
            origin = self._origins.of(Value(entry.name, entry.root.name, index))
            results = self._results.setdefault(origin.value, [])
            results.append((index, origin.renamings, shape))

    def of(self, found: Sequence[Copy]) -> Iterator[tuple[Advice, list[Copy]]]:
        """Yield all advice on the copies of the module, with the copies it is for."""
        self._moved = {
            value
            for copy in found
            if copy.is_relayout and copy.role != "applied" and copy.runs != 1  # also within fusions
            for value in (self._origins.of(self._operand(copy)).value, _value(copy))
        }
        wishes: dict[_End, list[_Change]] = {}
        for copy in found:
            if copy.kind == "duplicate":
                yield from self._donation(copy)
            elif copy.is_relayout and copy.moves:
                for change in self._changes(copy):
                    wishes.setdefault(change.end, []).append(change)
        chosen = {end: _most_wanted(changes) for end, changes in wishes.items()}
        for number, index in self._pairs.items():
            one, other = chosen.get(_End(number, None)), chosen.get(_End(None, index))
            if one and other and one[0].layout == other[0].layout:
                del chosen[_End(number, None)], chosen[_End(None, index)]
                yield _advised(_End(number, index), [*one, *other])
            else:  # a change of one end
                for changes in (one, other):
                    if changes and changes[0].growth:  # the alias would be lost
                        del chosen[changes[0].end]
        for end, changes in chosen.items():
            yield _advised(end, changes)

    def array(self, copy: Copy) -> str:
        """The array that a copy moves: its name, the line that makes it, or the instruction."""
        if not copy.moves:
            return ""
        value = self._operand(copy)
        while True:
            value = self._origins.of(value).value
            made = self._module.computation(value.computation).instruction(value.instruction)
            if made.opcode != "bitcast" or not made.operands:  # a bitcast to another type
                break
            value = Value(value.computation, made.operands[0].name)
        line = "" if made.opcode == "parameter" else source_text(self._module.source(made))
        return line or made.op_name or f"%{made.name}"

    def _changes(self, copy: Copy) -> list[_Change]:
        """The changes that make a copy needless: of its parameter, or of all of its results."""
        own = _own_renaming(self._instruction(copy), copy)
        if own is None:
            return []
        try:
            at_results = self._of_results(copy, own)
            at_parameter = self._of_parameter(copy, own)
        except UnsupportedError:  # a type whose tiles nobody has observed
            return []
        # from a parameter to a result a copy stays, in whatever layout
        return [] if at_parameter and at_results else at_parameter or at_results

    def _instruction(self, copy: Copy) -> Instruction:
        return self._module.computation(copy.computation).instruction(copy.name)

    def _operand(self, copy: Copy) -> Value:
        return Value(copy.computation, self._instruction(copy).operands[0].name)

    def _of_parameter(self, copy: Copy, own: Sequence[Renaming]) -> list[_Change]:
        source = self._parameter(copy)
        if source is None or _widens(copy) or (_converts(copy) and self._readers(copy) > 1):
            return []
        if not all(self._is_multiplied(name) for name in source.users):
            return []
        parameter = source.parameter
        is_donated = parameter.parameter_number in self._pairs
        if not (is_donated or copy.is_space_move) and self._memory.is_overwritten(_value(copy)):
            return []  # the parameter has to stay as it is, so a copy stays
        wanted = self._of_type(copy.after, source.worked_on or copy.before)
        end = _End(parameter.parameter_number, None)
        found = self._change(end, copy, wanted, parameter.shape, [*source.renamings, *own])
        return [
            each._replace(
                name=parameter.op_name,
                users=source.users,
                more_bytes=each.growth + copy.written_bytes - copy.read_bytes if source.worked_on else 0,
            )
            for each in found
        ]

    def _of_results(self, copy: Copy, own: Sequence[Renaming]) -> list[_Change]:
        places = self._results.get(_value(copy), [])
        if self._readers(copy) > 1 or self._is_update_of_parameter(copy):
            return []
        wanted = self._of_type(copy.before, copy.after)
        changes: list[_Change] = []
        for index, renamings, shape in places:
            back = [each.inverse for each in reversed([*own, *renamings])]
            changes += self._change(_End(None, index), copy, wanted, shape, back)
        return changes if len(changes) == len(places) else []

    def _is_update_of_parameter(self, copy: Copy) -> bool:
        """Whether a copy's operand lies in the copy of a parameter that is not given away.

        Without the relayout at the end, the one at the beginning is the slower: it reaches the result.
        """
        first = self._memory.first(self._operand(copy))
        made = self._module.computation(first.computation).instruction(first.instruction)
        if made.opcode not in ("copy", "copy-start"):
            return False
        origin = self._origins.of(Value(first.computation, made.operands[0].name)).value
        source = self._module.computation(origin.computation).instruction(origin.instruction)
        return source.opcode == "parameter" and source.parameter_number not in self._pairs

    def _change(
        self, end: _End, copy: Copy, wanted: XlaShape, present: AnyShape, renamings: Sequence[Renaming]
    ) -> list[_Change]:
        """The change of an end to the wanted layout, behind renamings, if the compiler takes it."""
        layout = _carry(wanted, present, renamings)
        if layout is None or not isinstance(present, XlaShape) or same_layout(layout, present):
            return []
        if self._is_usual(present) and not self._is_usual(layout):
            return []
        is_near = copy.before.memory_space or copy.after.memory_space
        states = self._states(copy) if is_near else []
        if any(self._origins.of(value).value in self._moved for value in states):
            return []
        return [_Change(end, present, layout, copy, bool(states))]

    def _is_usual(self, shape: XlaShape) -> bool:
        """Whether the compiler of a TPU takes a parameter in such tiles."""
        return shape.tiles in tilings_of_order(shape, shape.minor_to_major, self._chip)

    def _states(self, copy: Copy) -> list[Value]:
        """The states of loops that a copy moves in or out: at the beginning of a turn and at its end."""
        states: list[Value] = []
        for value in (_value(copy), self._operand(copy)):
            for loop, index in self._memory.loops(value):
                body = self._module.computation(callee(loop, "body") or "")
                names = [each.name for each in body.parameters[:1]]
                states += [Value(body.name, name, index) for name in (*names, body.root.name)]
        return states

    def _of_type(self, wanted: XlaShape, other: XlaShape) -> XlaShape:
        """The wanted layout for elements of the type of another shape, in the tiles of that type."""
        if wanted.element_type == other.element_type:
            return whole(wanted)
        kind, order = other.element_type, wanted.minor_to_major
        plain = remade(whole(wanted), element_type=kind, tiles=(), element_size_in_bits=0)
        if not wanted.tiles:
            return plain
        return laid_out(
            plain, order, tilings_of_order(plain, order, self._chip)[0], packed_bits(kind, self._chip)
        )

    def _readers(self, copy: Copy) -> int:
        """The number of instructions that read the result of a copy."""
        return self._readers_of(Value(copy.computation, copy.name))

    def _readers_of(self, value: Value) -> int:
        names, readers = {value.instruction}, 0
        for each in self._module.computation(value.computation).instructions:
            if any(operand.name in names for operand in each.operands):
                if each.opcode in _HANDED_ON:
                    names.add(each.name)
                else:
                    readers += 1
        return readers

    def _donation(self, copy: Copy) -> Iterator[tuple[Advice, list[Copy]]]:
        """Advice to donate a parameter: a copy keeps it alive while a result takes its memory."""
        source = self._parameter(copy)
        if source is None or source.worked_on or source.parameter.parameter_number in self._pairs:
            return
        parameter, users = source.parameter, source.users
        shape, number = parameter.shape, parameter.parameter_number
        if isinstance(shape, XlaShape) and shape in self._module.entry.root.shape.arrays():
            end = _End(number, None)
            advice = _advice(end, [_Change(end, shape, shape, copy, False, parameter.op_name, users)])
            shared = -physical_bytes(shape)
            risk = _FETCHED_MEANWHILE if self._hides_fetches(copy) else ""
            yield advice._replace(what="donation", jax="", memory_change=shared, risk=risk), [copy]

    def _hides_fetches(self, copy: Copy) -> bool:
        """Whether other arrays are on their way to another memory while a copy runs."""
        lines = iter(self._module.computation(copy.computation).instructions)
        before = {each.name for each in takewhile(lambda each: each.name != copy.name, lines)}
        done = (each for each in lines if each.opcode in ("copy-done", "slice-done"))
        return any(each.operands[0].name in before for each in done)

    def _parameter(self, copy: Copy) -> _Source | None:
        """The parameter that a copy reads, by itself or through elementwise instructions."""
        origin = self._origins.of(self._operand(copy))
        on_the_way, renamings = {copy.name, *origin.through}, origin.renamings
        worked_on: XlaShape | None = None
        while (operand := self._only_operand(origin.value)) is not None:
            on_the_way.add(origin.value.instruction)
            origin = self._origins.of(Value(origin.value.computation, operand.name))
            on_the_way.update(origin.through)
            renamings = (*origin.renamings, *renamings)
            worked_on = origin.shape
        entry = self._module.entry
        if origin.value.computation != entry.name or origin.value.shape_index:
            return None
        parameter = entry.instruction(origin.value.instruction)
        if parameter.opcode != "parameter":
            return None
        others = tuple(
            each.name
            for each in entry.instructions
            if each.name not in on_the_way
            and not on_the_way.intersection(self._inside(each))
            and any(operand.name == parameter.name for operand in each.operands)
        )
        if worked_on is not None:
            own = [Value(entry.name, e.name) for e in entry.instructions if e.name in on_the_way]
            if others or any(self._readers_of(value) > 1 for value in own):
                return None
        return _Source(parameter, renamings, others, worked_on)

    def _only_operand(self, value: Value) -> Operand | None:
        """The only array that an elementwise instruction works on, in the layout of its result."""
        computation = self._module.computation(value.computation)
        made = computation.instruction(value.instruction)
        if made.opcode not in ELEMENTWISE:
            return None
        operands = [
            each
            for each in made.operands
            if computation.instruction(each.name).opcode not in ("broadcast", "constant", "iota")
        ]
        return operands[0] if len(operands) == 1 and _is_like(operands[0].shape, made.shape) else None

    def _is_multiplied(self, name: str) -> bool:
        """Whether what an instruction of the entry reads is only an operand of matrix products."""
        entry = self._module.entry
        instruction = entry.instruction(name)
        if instruction.opcode not in _FETCHES and not is_joined(instruction):
            return self._has_product(instruction)
        readers = [e.name for e in entry.instructions if any(o.name == name for o in e.operands)]
        return bool(readers) and all(self._is_multiplied(reader) for reader in readers)

    def _has_product(self, instruction: Instruction) -> bool:
        inner = (self._module.computation(name).instructions for name in instruction.called)
        return instruction.opcode in _PRODUCTS or any(map(self._has_product, chain(*inner)))

    def _inside(self, instruction: Instruction) -> set[str]:
        """The names of all instructions in the computations that an instruction of the entry calls."""
        names: set[str] = set()
        for name in instruction.called:
            names.update(each.name for each in self._module.computation(name).instructions)
        return names


def _value(copy: Copy) -> Value:
    return Value(copy.computation, copy.name, (0,) if copy.opcode == "copy-start" else ())


def _is_like(shape: AnyShape | None, other: AnyShape) -> bool:
    """Whether two arrays have the same dims in the same order, and elements of one type."""
    if not (isinstance(shape, XlaShape) and isinstance(other, XlaShape)):
        return False
    names = ("element_type", "dimensions", "minor_to_major")
    return all(getattr(shape, name) == getattr(other, name) for name in names)


_HANDED_ON: Final = frozenset({"bitcast", "copy-done", "get-tuple-element"})
_FETCHES: Final = frozenset({"bitcast", "copy-start", "copy-done", "slice-start", "slice-done"})
_FETCHED_MEANWHILE: Final = (
    "other arrays are fetched while it runs; their copies may cost more without it"
)
_PRODUCTS: Final = frozenset({"convolution", "dot"})


def _in_turn(found: list[tuple[Advice, list[Copy]]]) -> list[tuple[Advice, list[Copy]]]:
    """The advice, where the last of several parameters saves what the others leave to it.

    Of equal parameters the compiler may fetch any ahead of time, so each alone saves the least of them.
    """
    places = [i for i, (advice, _) in enumerate(found) if advice.what == "parameter"]
    if len(places) < 2:
        return found
    equal: dict[tuple[XlaShape, XlaShape], list[int]] = {}
    for i in places:
        equal.setdefault((found[i][0].present, found[i][0].layout), []).append(i)
    turned = list(found)
    for same in equal.values():
        savings = sorted((found[i][0] for i in same), key=_gain)
        for i, each in zip(same, savings, strict=True):
            saved = {name: getattr(each, name) for name in ("stays", "saves_cycles", "saves_bytes")}
            turned[i] = (found[i][0]._replace(**saved), found[i][1])
    last = max(places, key=lambda i: _gain(turned[i][0]))
    others = tuple(turned[i][0].place for i in places if i != last)
    turned[last] = (turned[last][0]._replace(together=others), turned[last][1])
    return turned


def _most_wanted(changes: Sequence[_Change]) -> list[_Change]:
    """The changes of an end to the layout that saves the most."""
    by_layout: dict[XlaShape, list[_Change]] = {}
    for change in changes:
        by_layout.setdefault(change.layout, []).append(change)
    return max(by_layout.values(), key=lambda each: sum(change.copy.cycles or 0 for change in each))


def _converts(copy: Copy) -> bool:
    return copy.before.element_type != copy.after.element_type


def _widens(copy: Copy) -> bool:
    return (copy.after.element_type.bits or 0) > (copy.before.element_type.bits or 0)


def _advised(end: _End, changes: Sequence[_Change]) -> tuple[Advice, list[Copy]]:
    return _advice(end, changes), [change.copy for change in changes]


def _advice(end: _End, changes: Sequence[_Change]) -> Advice:
    first, made = changes[0], [change.copy for change in changes]
    try:
        jax, reason = jax_format(first.layout), ""
    except UnsupportedError as error:
        jax, reason = "", error.summary
    cycles = [copy.cycles for copy in made if copy.cycles is not None]
    both = end.parameter is not None and end.result is not None
    return Advice(
        "pair" if both else "result" if end.parameter is None else "parameter",
        end.parameter,
        end.result,
        first.name,
        first.present,
        first.layout,
        jax,
        reason,
        tuple(dict.fromkeys(copy.name for copy in made)),
        "space move" if any(copy.is_space_move for copy in made) else "",
        sum(cycles) if cycles else None,
        sum(_saved_bytes(change) for change in changes),
        first.growth,
        first.users,
        (),
        _risk(changes),
    )


def _risk(changes: Sequence[_Change]) -> str:
    """Why the whole may get slower, or gain less, although the copies go."""
    reasons: list[str] = []
    if any(change.is_of_loop for change in changes):
        reasons.append("the loop around may read and write slower memory, where a copy moved its state")
    if changes[0].users:
        reasons.append("other instructions read the parameter as it is now")
    if any(change.is_fetched for change in changes):
        reasons.append(
            "the copy is cheap, as its operand was fetched before; the fetch may be lost with it"
        )
    if changes[0].end.parameter is None and any(change.copy.is_space_move for change in changes):
        reasons.append("the instruction that makes the result then writes slower memory itself")
    return "; ".join(reasons)


def _saved_bytes(change: _Change) -> int:
    """The bytes that no longer move; a space move that stays reads and writes the same layout."""
    copy = change.copy
    left = copy.written_bytes if change.end.result is None else copy.read_bytes
    stays = change.more_bytes + (2 * left if copy.is_space_move else 0)
    return (copy.read_bytes + copy.written_bytes - stays) * copy.times


def _own_renaming(instruction: Instruction, copy: Copy) -> tuple[Renaming, ...] | None:
    """The renaming from a copy's operand to its result; None if it is no renaming by digits."""
    if instruction.opcode == "transpose":
        order = permutation_of(instruction, copy.before.rank)
        return None if order is None else (transposing(copy.before.dimensions, order),)
    if instruction.opcode == "reshape":
        change = reshaping(copy.before.dimensions, copy.after.dimensions)
        return None if change is None else (change,)
    return () if instruction.opcode in ("copy", "copy-start") else None


def _carry(wanted: XlaShape, onto: AnyShape, renamings: Sequence[Renaming]) -> XlaShape | None:
    """The shape of an array whose elements, after the renamings, lie as in the wanted one, or None."""
    if not isinstance(onto, XlaShape) or not (onto.is_static and wanted.is_static):
        return None
    try:
        view = view_of(wanted, None)
        digits = view.digits
        for renaming in reversed(renamings):
            digits = None if digits is None else renaming.carry(digits)
        if digits is None:
            return None
        layout = layout_of_digits(digits, onto.dimensions)
        shape = from_layout(layout, onto.element_type, view.size)
    except (LayoutError, UndecidedError, UnsupportedError):
        return None
    return _with_tiles_of(wanted, remade(shape, element_size_in_bits=wanted.element_size_in_bits))


def _with_tiles_of(wanted: XlaShape, plain: XlaShape) -> XlaShape | None:
    """The same layout in the tiles of the wanted shape; None if these tiles do not have it.

    A TPU's compiler accepts a parameter in other tiles, but converts it to its own tiles before use:
    ``f32[5120,256]{1,0:T(640,256)(8,1,1,128)}`` saves no copy to ``f32[8,640,256]{2,0,1:T(8,128)}``.
    """
    for order in _orders(plain, wanted):
        shape = remade(
            plain, minor_to_major=order, tiles=wanted.tiles, tail_padding_alignment_in_elements=1
        )
        if equivalent(shape, plain):
            return shape
    return None


def _orders(plain: XlaShape, wanted: XlaShape) -> Iterator[tuple[int, ...]]:
    """Orders of the dims that the same layout may have under other tiles.

    Dims of size 1 may have any place: they stand in front, or keep their place.
    """
    yield plain.minor_to_major
    if plain.rank == wanted.rank:
        yield wanted.minor_to_major
    digits = view_of(plain, None).digits or ()
    moving = [d for d in range(plain.rank) if plain.dimensions[d] > 1]
    still = [d for d in reversed(range(plain.rank)) if plain.dimensions[d] == 1]
    by_stride = sorted(moving, key=lambda d: digits[d][-1][1])
    yield (*by_stride, *still)
    yield tuple(sorted(range(plain.rank), key=lambda d: digits[d][-1][1] if digits[d] else 0))
