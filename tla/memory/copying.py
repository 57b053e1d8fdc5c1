# SPDX-License-Identifier: Apache-2.0
"""The copies of a module: the kind, the bytes, the run length and the cycles of each.

>>> from ..hlo import read_module
>>> module = read_module('''
...     HloModule m
...     ENTRY e {
...       p = f32[64,256]{1,0:T(8,128)} parameter(0)
...       c = f32[64,256]{0,1:T(8,128)} copy(p)
...       b = f32[256,64]{1,0:T(8,128)} bitcast(c)
...       ROOT d = f32[256,64]{1,0:T(8,128)S(1)} copy(b)
...     }''')
>>> for copy in module_copies(module):
...     print(copy.name, copy.kind, copy.written_bytes, copy.run, copy.proof)
c relayout 131072 1 None
b free 0 32768 renamed
d space move 131072 32768 None

A ``relayout`` gives elements other offsets, a ``space move`` another memory space, and a ``relayout and
space move`` both. A ``duplicate`` does neither: it makes a second array like the first. A ``bitcast`` is
``free``. Within a fusion, so is any copy that leaves all elements where they are; ``proof`` says how
that is known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias, get_args

from ..errors import ParseError, UndecidedError, UnsupportedError
from ..xla_bridge import (
    XlaShape,
    XlaTuple,
    common_run,
    equivalent,
    is_bitcast,
    layout_of_digits,
    logical_bytes,
    physical_bytes,
    physical_elements,
    remade,
    view_of,
)
from .by import source_text
from .origins import array_at, permutation_of
from .renaming import renaming, reshaping
from .roles import module_roles
from .trips import module_runs

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ..hlo import Computation, Instruction, Module, SourceLine
    from ..layouts import AnyLayout
    from .copy_advice import Advice
    from .roles import Role

Kind: TypeAlias = Literal[
    "relayout", "relayout and space move", "space move", "duplicate", "undecided", "free"
]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)

Proof: TypeAlias = Literal["same layout", "reshape", "renamed", "part", "none"]
"""Why a bitcast is known to move nothing. Its shapes have the same offsets: as they are, in row-major
order, or under other indices (`tla.memory.renaming`). Or the elements that it keeps stay in place. For a
bitcast of proof ``none``, none of these holds."""

MOVING: Final = frozenset({"copy", "transpose", "reshape", "bitcast-convert"})
STARTS: Final = {"copy-start": 0, "slice-start": 1}
"""The element of an asynchronous copy's tuple that is the copy."""
_UNKNOWN: Final = 2**63 - 1
"""The cycles that the compiler writes where it has no estimate."""
_KEEPS_RANK: Final = frozenset({"copy", "transpose", *STARTS})


class Copy(NamedTuple):
    """An instruction that moves the elements of one array, or gives them new indices.

    >>> from tla.hlo import read_module
    >>> from tla.memory import copies
    >>> module = read_module('''ENTRY e {
    ...   p = f32[5,100]{1,0:T(8,128)} parameter(0)
    ...   ROOT c = f32[5,100]{0,1:T(8,128)} copy(p)
    ... }''')
    >>> copy = copies(module)[0]
    >>> copy.name, copy.opcode, copy.kind, copy.read_bytes, copy.written_bytes
    ('c', 'copy', 'relayout', 4096, 53248)

    Attributes:
        computation, name, opcode, line: The instruction. A ``fusion`` that only copies counts too,
            besides the instructions in it.
        kind: The kind of copy.
        proof: Why it is free, if it is a bitcast.
        before, after: The shapes of its operand and of its result.
        role: The role of its computation. A copy within a fusion does not read or write memory itself.
        read_bytes, written_bytes: The bytes that it moves, padding included; 0 if it moves none itself.
        padded_bytes: The bytes of padding that it writes.
        run: The common run of both layouts, in elements: the copy moves pieces of that many neighbours,
            shorter at the end of a dim. None if it is unknown.
        estimated_cycles: The compiler's own estimate for one time, if it gives one.
        runs: How often it runs when the module runs once, by the turns of the loops around it; None if
            that is unknown.
        op_name: The program's name of it.
        source: The lines of the program that made it, the innermost first.
        array: The array that it copies: its name, the line of the program that makes it, or the
            instruction. It is empty if the copy moves nothing.
        advice: The changes of parameters and results that make it needless.
    """

    computation: str
    name: str
    opcode: str
    line: int
    kind: Kind
    proof: Proof | None
    before: XlaShape
    after: XlaShape
    role: Role | None
    read_bytes: int
    written_bytes: int
    padded_bytes: int
    run: int | None
    estimated_cycles: int | None
    runs: int | None
    op_name: str
    source: tuple[SourceLine, ...]
    array: str = ""
    advice: tuple[Advice, ...] = ()

    @property
    def times(self) -> int:
        """How often it counts: the runs, or once if they are unknown."""
        return 1 if self.runs is None else self.runs

    @property
    def cycles(self) -> int | None:
        """The estimated cycles of all its runs."""
        return None if self.estimated_cycles is None else self.estimated_cycles * self.times

    @property
    def is_relayout(self) -> bool:
        """Whether elements get other offsets."""
        return self.kind in ("relayout", "relayout and space move")

    @property
    def is_space_move(self) -> bool:
        """Whether its result lies in another memory space than its operand."""
        return self.kind in ("space move", "relayout and space move")

    @property
    def is_in_loop(self) -> bool:
        """Whether it runs in each turn of a loop."""
        return self.role in ("body", "condition")

    @property
    def moves(self) -> bool:
        """Whether it reads and writes memory itself."""
        return self.kind != "free" and not self.is_inside

    @property
    def origin(self) -> str:
        """The line of the program that made it, the program's name of it, or the array it copies."""
        own = source_text(self.source) or self.op_name
        return own or (f"of {self.array}" if self.array else "")

    @property
    def is_inside(self) -> bool:
        """Whether it is part of a fusion, or applies to single elements."""
        return self.role in ("fused", "applied")


class CopyTotal(NamedTuple):
    """The totals of the copies of a kind. Copies within fusions have their own total, without bytes.

    >>> from tla.hlo import read_module
    >>> from tla.memory import copies, copy_totals
    >>> module = read_module('''ENTRY e {
    ...   p = f32[5,100]{1,0:T(8,128)} parameter(0)
    ...   ROOT c = f32[5,100]{0,1:T(8,128)} copy(p)
    ... }''')
    >>> total = copy_totals(copies(module))[0]
    >>> total.kind, total.copies, total.written_bytes
    ('relayout', 1, 53248)
    """

    kind: Kind
    copies: int
    inside: int
    read_bytes: int
    written_bytes: int
    padded_bytes: int
    estimated_cycles: int


def copy_totals(copies: Iterable[Copy]) -> tuple[CopyTotal, ...]:
    """Return the totals of each kind of copy, over all turns of loops.

    >>> from tla.hlo import read_module
    >>> module = read_module('''ENTRY e {
    ...   p = f32[5,100]{1,0:T(8,128)} parameter(0)
    ...   ROOT c = f32[5,100]{0,1:T(8,128)} copy(p)
    ... }''')
    >>> for total in copy_totals(module_copies(module)):
    ...     print(total.kind, total.copies, total.read_bytes, total.written_bytes, total.padded_bytes)
    relayout 1 4096 53248 51248
    """
    listed = list(copies)
    totals: list[CopyTotal] = []
    for kind in KINDS:
        own = [copy for copy in listed if copy.kind == kind and not copy.is_inside]
        inside = sum(copy.kind == kind and copy.is_inside for copy in listed)
        if own or inside:
            totals.append(
                CopyTotal(
                    kind,
                    len(own),
                    inside,
                    sum(copy.read_bytes * copy.times for copy in own),
                    sum(copy.written_bytes * copy.times for copy in own),
                    sum(copy.padded_bytes * copy.times for copy in own),
                    sum(copy.cycles or 0 for copy in own),
                )
            )
    return tuple(totals)


def module_copies(module: Module) -> tuple[Copy, ...]:
    """Return the copies, transposes, reshapes and bitcasts of a module, in the order of its text.

    >>> from tla.hlo import read_module
    >>> module = read_module('''ENTRY e {
    ...   p = f32[5,100]{1,0:T(8,128)} parameter(0)
    ...   ROOT c = f32[5,100]{0,1:T(8,128)} copy(p)
    ... }''')
    >>> (copy,) = module_copies(module)
    >>> copy.name, copy.kind, str(copy.before), str(copy.after)
    ('c', 'relayout', 'f32[5,100]{1,0:T(8,128)}', 'f32[5,100]{0,1:T(8,128)}')

    The ``-start`` of an asynchronous copy stands for it. A ``slice-start`` copies a part of an array and
    counts too. An instruction whose operand has an unknown shape, or is no array, does not count.
    """
    roles, runs = module_roles(module), module_runs(module)
    return tuple(
        copy._replace(runs=runs.get(computation.name, 0))
        for computation in module.computations
        for instruction in computation.instructions
        for copy in _copy(module, computation, instruction, roles.get(computation.name))
    )


def _copy(
    module: Module, computation: Computation, instruction: Instruction, role: Role | None
) -> Iterator[Copy]:
    inside = role in ("fused", "applied")
    shapes = None if inside and instruction.opcode == "fusion" else _shapes(module, instruction)
    if shapes is None:
        return
    before, after = shapes
    if inside:
        before, after = _nowhere(before), _nowhere(after)
    kind, proof = _kind_and_proof(module, instruction, before, after, inside)
    before, after = whole(before), whole(after)
    moves = kind != "free" and not inside
    yield Copy(
        computation.name,
        instruction.name,
        instruction.opcode,
        instruction.line,
        kind,
        proof,
        shapes[0],
        shapes[1],
        role,
        physical_bytes(before) if moves else 0,
        physical_bytes(after) if moves else 0,
        max(0, physical_bytes(after) - logical_bytes(after)) if moves else 0,
        _run(module, instruction, before, after, kind),
        estimated_cycles(instruction),
        1,
        instruction.op_name,
        module.source(instruction),
    )


# --- the kinds of copies ---------------------------------------------------------------------------


def _shapes(module: Module, instruction: Instruction) -> tuple[XlaShape, XlaShape] | None:
    """The shapes of the operand and of the copy; None if the instruction is no copy."""
    opcode = instruction.opcode
    known = opcode in MOVING or opcode in STARTS or opcode == "bitcast"
    if not (known or (opcode == "fusion" and _only_copies(module, instruction))):
        return None
    before = instruction.operands[0].shape if instruction.operands else None
    after = instruction.shape
    if opcode in STARTS:
        after = array_at(after, (STARTS[opcode],)) if isinstance(after, XlaTuple) else after
    if not (isinstance(before, XlaShape) and isinstance(after, XlaShape)):
        return None
    if before.is_unbounded_dynamic or after.is_unbounded_dynamic or after.element_type.bits is None:
        return None
    if opcode in _KEEPS_RANK and before.rank != after.rank:
        raise UnsupportedError(
            f"the {opcode} {instruction.name} of line {instruction.line} is no {opcode}:"
            f" {before} and {after} differ in rank",
            instruction=instruction.name,
        )
    return (_cut(before, after) if opcode == "slice-start" else before), after


def _only_copies(module: Module, fusion: Instruction) -> bool:
    """Whether a fusion only copies one array; a fusion that only renames the array is no copy."""
    if len(fusion.operands) != 1 or len(fusion.called) != 1:
        return False
    inner = [each.opcode for each in module.computation(fusion.called[0]).instructions]
    rest = [opcode for opcode in inner if opcode not in ("parameter", "bitcast")]
    return bool(rest) and all(opcode in MOVING for opcode in rest)


def _cut(whole: XlaShape, part: XlaShape) -> XlaShape:
    """The part of an array with the layout of the whole."""
    names = ("memory_space", "minor_to_major", "tiles")
    return remade(part, **{name: getattr(whole, name) for name in names})


def _nowhere(shape: XlaShape) -> XlaShape:
    """The shape without a memory space, as inside a fusion."""
    return remade(shape, memory_space=0, split_configs=())


def whole(shape: XlaShape) -> XlaShape:
    """Return the shape in one piece, not split over the cores of a chip."""
    return remade(shape, split_configs=()) if shape.split_configs else shape


def _transpose(shape: XlaShape, permutation: Sequence[int]) -> XlaShape:
    """The shape of the same memory with its dims in another order."""
    place = {dim: i for i, dim in enumerate(permutation)}
    return remade(
        shape,
        dimensions=tuple(shape.dimensions[d] for d in permutation),
        dynamic_dimensions=tuple(shape.dynamic_dimensions[d] for d in permutation),
        minor_to_major=tuple(place[d] for d in shape.minor_to_major),
    )


def _kind_and_proof(
    module: Module, instruction: Instruction, before: XlaShape, after: XlaShape, inside: bool
) -> tuple[Kind, Proof | None]:
    in_space = before.memory_space == after.memory_space and before.split_configs == after.split_configs
    if instruction.opcode == "bitcast":
        return "free", _proof(before, after) if in_space else "none"
    stays = _stays(module, instruction, whole(before), whole(after))
    if stays is None:
        return "undecided", None
    if stays and in_space:
        return ("free", "same layout") if inside else ("duplicate", None)
    if in_space:
        return "relayout", None
    return "space move" if stays else "relayout and space move", None


def _proof(before: XlaShape, after: XlaShape) -> Proof:
    """The proof that both shapes have the same elements in the same places."""
    try:
        same_bits = before.element_type.bits == after.element_type.bits
        if same_bits and equivalent(_with_type(before, after), after):
            return "same layout"
        if is_bitcast(before, after):
            return "reshape"
    except UndecidedError:
        return "none"
    renamed = renaming(before, after)
    if renamed is None:
        return "none"
    return "renamed" if renamed.is_total and renamed.is_onto else "part"


def _with_type(shape: XlaShape, like: XlaShape) -> XlaShape:
    return remade(shape, element_type=like.element_type)


def _stays(module: Module, instruction: Instruction, before: XlaShape, after: XlaShape) -> bool | None:
    """Whether every element keeps its offset; None if that is undecided."""
    try:
        if instruction.opcode == "fusion":
            inner = list(_inner(module, instruction))
            known = [_stays(module, each, *shapes) for each, shapes in inner]
            return False if False in known else None if None in known else True
        if instruction.opcode == "reshape":
            return is_bitcast(_nowhere(before), _nowhere(after))
        pair = _over_same_dims(instruction, before, after)
        return None if pair is None else equivalent(*pair)
    except UndecidedError:
        return None


def _inner(
    module: Module, fusion: Instruction
) -> Iterator[tuple[Instruction, tuple[XlaShape, XlaShape]]]:
    """The copies within a fusion, with their shapes."""
    for instruction in module.computation(fusion.called[0]).instructions:
        shapes = _shapes(module, instruction) if instruction.opcode in MOVING else None
        if shapes is not None:
            yield instruction, shapes


# --- the runs ----------------------------------------------------------------------


def _over_same_dims(
    instruction: Instruction, before: XlaShape, after: XlaShape
) -> tuple[XlaShape | AnyLayout, XlaShape | AnyLayout] | None:
    """Both layouts as functions of the same indices, if there are such layouts."""
    if instruction.opcode == "transpose":
        order = permutation_of(instruction, before.rank)
        return None if order is None else (_transpose(before, order), after)
    if instruction.opcode == "bitcast-convert":
        same = before.element_type.bits == after.element_type.bits
        return (_with_type(before, after), after) if same else None
    if instruction.opcode == "reshape":
        return _over_dims_before(before, after)
    return before, after


def _over_dims_before(before: XlaShape, after: XlaShape) -> tuple[XlaShape, AnyLayout] | None:
    """The layout after a row-major reshape as a function of the indices before it."""
    reshaped = reshaping(before.dimensions, after.dimensions)
    digits = view_of(after, None).digits if reshaped is not None else None
    if reshaped is not None and digits is not None:
        digits = reshaped.carry(digits)
        return None if digits is None else (before, layout_of_digits(digits, before.dimensions))
    return None


def _run(
    module: Module, instruction: Instruction, before: XlaShape, after: XlaShape, kind: Kind
) -> int | None:
    """The common run of both layouts; for a bitcast the whole array."""
    if kind == "free":
        return physical_elements(after)
    if instruction.opcode == "fusion":
        moving = [
            each for each in _inner(module, instruction) if _stays(module, each[0], *each[1]) is False
        ]
        return _run(module, moving[0][0], *moving[0][1], kind) if len(moving) == 1 else None
    pair = _over_same_dims(instruction, before, after)
    try:
        return None if pair is None else common_run(*pair)
    except UndecidedError:
        return None


# --- the compiler's estimate -------------------------------------------------------------


def estimated_cycles(instruction: Instruction) -> int | None:
    """Return the compiler's estimate of the cycles, from its ``window_config``, or None."""
    try:
        config = instruction.backend_config
    except ParseError:
        return None
    window = config.get("window_config") if isinstance(config, dict) else None
    cycles = window.get("estimated_cycles") if isinstance(window, dict) else None
    number = int(cycles) if isinstance(cycles, (int, str)) and str(cycles).isdigit() else _UNKNOWN
    return number if number < _UNKNOWN else None


def run_cycles(module: Module) -> int:
    """Return the sum of the compiler's estimates of all instructions, over all turns of loops.

    A loop whose turns are not known counts once, and an instruction without an estimate not at all. So
    compare the sums of two modules, and do not take one for a time.

    >>> from ..hlo import read_module
    >>> module = read_module('''ENTRY e { p = f32[8] parameter(0)
    ...   ROOT n = f32[8] negate(p), backend_config={"window_config":{"estimated_cycles":"70"}} }''')
    >>> run_cycles(module)
    70
    """
    runs = module_runs(module)
    return sum(
        (estimated_cycles(line) or 0) * (runs[each.name] or 1)
        for each in module.computations
        if each.name in runs
        for line in each.instructions
    )
