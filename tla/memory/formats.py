# SPDX-License-Identifier: Apache-2.0
"""The layouts of parameters and results that make copies of a module needless.

A relayout may read a parameter of the module, perhaps renamed. It does nothing if the caller gives the
parameter in the layout that the copy makes. A relayout may also make a result of the module. It does
nothing if the caller takes the result in the layout before the copy.

>>> from ..hlo import read_module
>>> from .copies import module_copies
>>> module = read_module('''
...     HloModule m
...     ENTRY e {
...       p = f32[640,256]{1,0:T(8,128)} parameter(0), metadata={op_name="table"}
...       b = f32[256,640]{0,1:T(8,128)} bitcast(p)
...       c = f32[256,640]{1,0:T(8,128)} copy(b)
...       ROOT d = f32[256,640]{1,0:T(8,128)} negate(c)
...     }''')
>>> (copy,) = (copy for copy in module_copies(module) if copy.is_relayout)
>>> for advice in Formats(module).of(copy):
...     print(advice)
parameter 0 (table) as f32[640,256]{0,1:T(8,128)}

Source: our own derivation. We tried it on libtpu 0.0.42: with the advised layouts, the copies of the
modules of ``tests/data/copies`` are gone. The compiler decides, and other uses of a parameter may need
its old layout.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from ..errors import LayoutError, UndecidedError, UnsupportedError
from ..xla_bridge import (
    XlaShape,
    equivalent,
    from_layout,
    jax_format,
    layout_of_digits,
    physical_bytes,
    remade,
    view_of,
)
from .aliasing import arrays
from .origins import Index, Origins, Value, permutation_of
from .renaming import reshaping, transposing

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..hlo import Instruction, Module
    from ..xla_bridge import AnyShape
    from .copies import Copy
    from .renaming import Renaming


class Advice(NamedTuple):
    """A change in the caller of a module after which a copy does nothing.

    >>> from tla.hlo import read_module
    >>> from tla.memory import Formats, module_copies
    >>> module = read_module('''ENTRY e {
    ...   p = f32[5,100]{1,0:T(8,128)} parameter(0)
    ...   ROOT c = f32[5,100]{0,1:T(8,128)} copy(p)
    ... }''')
    >>> advice, _other = Formats(module).of(module_copies(module)[0])
    >>> print(advice, advice.saved_bytes)
    parameter 0 as f32[5,100]{0,1:T(8,128)} 57344
    >>> print(advice.jax)
    Format(Layout(major_to_minor=(1, 0), tiling=((8, 128),)), sharding)

    Attributes:
        what: ``"parameter"`` or ``"result"`` for a change of its layout. ``"donation"`` means to give
            the parameter away, so that a result may lie in it without a duplicate.
        number: The number of the parameter; None for a result.
        result: The index of the array in the module's result; empty if the result is no tuple.
        name: The program's name of the parameter.
        present, advised: Its shape now, and its new shape.
        jax: The advised layout for an argument of `jax.jit`; empty if jax has no words for it, with the
            ``reason``.
        stays: The work that the copy still has: ``"space move"``, or empty.
        saved_bytes: The bytes that a run no longer reads and writes, padding included. Negative if the
            space move that stays moves more bytes than the copy.
        saved_cycles: The compiler's estimate of the copy; None without an estimate. If a space move
            stays, it is an upper bound.
        other_users: The other instructions that read the parameter. A layout that helps one of them may
            slow down another.
    """

    what: Literal["parameter", "result", "donation"]
    number: int | None
    result: Index
    name: str
    present: XlaShape
    advised: XlaShape
    jax: str
    reason: str
    stays: str
    saved_bytes: int
    saved_cycles: int | None
    other_users: tuple[str, ...]

    @property
    def extra_bytes(self) -> int:
        """The bytes of padding that the parameter or result gains; negative if it loses some."""
        return physical_bytes(self.advised) - physical_bytes(self.present)

    @property
    def is_costly(self) -> bool:
        """Whether the parameter or result grows to more than twice its memory."""
        return self.extra_bytes > physical_bytes(self.present)

    @property
    def place(self) -> str:
        """The parameter or result in words: ``parameter 0 (table)``, ``result 1``."""
        if self.what == "result":
            return " ".join(["result", *(f"{i}" for i in self.result)])
        return f"parameter {self.number}" + (f" ({self.name})" if self.name else "")

    def __str__(self) -> str:
        return f"donate {self.place}" if self.what == "donation" else f"{self.place} as {self.advised}"


class Formats:
    """Advice on the copies of a module.

    >>> from tla.hlo import read_module
    >>> module = read_module('''ENTRY e {
    ...   p = f32[5,100]{1,0:T(8,128)} parameter(0)
    ...   ROOT c = f32[5,100]{0,1:T(8,128)} copy(p)
    ... }''')
    >>> from tla.memory import module_copies
    >>> formats = Formats(module)
    >>> for copy in module_copies(module):
    ...     for advice in formats.of(copy):
    ...         print(advice, advice.saved_bytes)
    parameter 0 as f32[5,100]{0,1:T(8,128)} 57344
    result as f32[5,100]{1,0:T(8,128)} 57344

    Args:
        module: A module with an entry computation.

    Raises:
        NoSuchNameError: the module has no entry computation.
    """

    __slots__ = ("_donated", "_module", "_origins", "_results")

    def __init__(self, module: Module) -> None:
        self._module = module
        self._origins = Origins(module)
        self._donated = {alias.parameter_number for alias in module.input_output_alias}
        entry = module.entry
        self._results: dict[Value, list[tuple[Index, tuple[Renaming, ...], XlaShape]]] = {}
        for index, shape in arrays(entry.root.shape):
            origin = self._origins.of(Value(entry.name, entry.root.name, index))
            results = self._results.setdefault(origin.value, [])
            results.append((index, origin.renamings, shape))

    def of(self, copy: Copy) -> tuple[Advice, ...]:
        """Return the changes that make a copy needless; empty if no parameter or result can."""
        if copy.kind == "duplicate":
            return self._donation(copy)
        if not copy.is_relayout:
            return ()
        own = _own_renaming(self._instruction(copy), copy)
        if own is None:
            return ()
        return (*self._of_parameter(copy, own), *self._of_results(copy, own))

    def _instruction(self, copy: Copy) -> Instruction:
        return self._module.computation(copy.computation).instruction(copy.name)

    def _of_parameter(self, copy: Copy, own: Sequence[Renaming]) -> list[Advice]:
        source = self._parameter(copy)
        if source is None:
            return []
        parameter, renamings, users = source
        advised = _carry(copy.after, parameter.shape, [*renamings, *own])
        if advised is None or not isinstance(parameter.shape, XlaShape):
            return []
        name, number = parameter.op_name, parameter.parameter_number
        return [_advice(copy, "parameter", number, (), name, parameter.shape, advised, users)]

    def _of_results(self, copy: Copy, own: Sequence[Renaming]) -> list[Advice]:
        value = Value(copy.computation, copy.name, (0,) if copy.opcode == "copy-start" else ())
        advices: list[Advice] = []
        for index, renamings, shape in self._results.get(value, ()):
            back = [each.inverse for each in reversed([*own, *renamings])]
            advised = _carry(copy.before, shape, back)
            if advised is not None:
                advices.append(_advice(copy, "result", None, index, "", shape, advised, ()))
        return advices

    def _donation(self, copy: Copy) -> tuple[Advice, ...]:
        """Advice to donate a parameter: a copy keeps it alive while a result takes its memory."""
        source = self._parameter(copy)
        if source is None or source[0].parameter_number in self._donated:
            return ()
        parameter, _renamings, users = source
        shape = parameter.shape
        if not isinstance(shape, XlaShape) or shape not in self._module.entry.root.shape.arrays():
            return ()
        number, name = parameter.parameter_number, parameter.op_name
        saved = copy.read_bytes + copy.written_bytes, copy.estimated_cycles
        return (Advice("donation", number, (), name, shape, shape, "", "", "", *saved, users),)

    def _parameter(self, copy: Copy) -> tuple[Instruction, tuple[Renaming, ...], tuple[str, ...]] | None:
        """The parameter that a copy reads, its renamings on the way there, and its other readers."""
        operand = Value(copy.computation, self._instruction(copy).operands[0].name)
        origin = self._origins.of(operand)
        entry = self._module.entry
        if origin.value.computation != entry.name or origin.value.shape_index:
            return None
        parameter = entry.instruction(origin.value.instruction)
        if parameter.opcode != "parameter":
            return None
        on_the_way = {copy.name, *origin.through}
        others = [
            each.name
            for each in entry.instructions
            if each.name not in on_the_way
            and not on_the_way.intersection(self._inside(each))
            and any(operand.name == parameter.name for operand in each.operands)
        ]
        return parameter, origin.renamings, tuple(others)

    def _inside(self, instruction: Instruction) -> set[str]:
        """The names of all instructions in the computations that an instruction of the entry calls."""
        names: set[str] = set()
        for name in instruction.called:
            names.update(each.name for each in self._module.computation(name).instructions)
        return names


def _advice(
    copy: Copy,
    what: Literal["parameter", "result"],
    number: int | None,
    result: Index,
    name: str,
    present: XlaShape,
    advised: XlaShape,
    users: tuple[str, ...],
) -> Advice:
    try:
        jax, reason = jax_format(advised), ""
    except UnsupportedError as error:
        jax, reason = "", error.summary
    stays = "space move" if copy.is_space_move else ""
    # A space move that stays reads and writes the same layout.
    left = copy.written_bytes if what == "parameter" else copy.read_bytes
    saved = copy.read_bytes + copy.written_bytes - (2 * left if stays else 0)
    cycles = copy.estimated_cycles
    return Advice(what, number, result, name, present, advised, jax, reason, stays, saved, cycles, users)


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
