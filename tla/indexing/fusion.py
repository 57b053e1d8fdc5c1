# SPDX-License-Identifier: Apache-2.0
"""Indexing through a whole computation: from its root to its parameters.

>>> from tla.hlo import read_module
>>> softmax = read_module('''HloModule m
... add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }
... ENTRY e {
...   p = f32[2,5] parameter(0)
...   zero = f32[] constant(0)
...   sum = f32[2] reduce(p, zero), dimensions={1}, to_apply=add
...   sums = f32[2,5] broadcast(sum), dimensions={0}
...   ROOT r = f32[2,5] divide(p, sums)
... }''')
>>> (maps,) = computation_maps(softmax.entry)
>>> for m in maps:
...     print(m)
(d0, d1) -> (d0, d1), domain: d0 in [0, 1], d1 in [0, 4]
(d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 1], d1 in [0, 4], s0 in [0, 4]

The walk visits users before their operands. For each array it keeps the maps that lead there from the
root. After an instruction it composes them with the instruction's maps, simplifies, and keeps equal ones
once.

Source: XLA ``ComputeGroupedOutputToInputIndexing``.
"""

from __future__ import annotations

from contextvars import ContextVar
from functools import lru_cache, partial
from heapq import heappop, heappush
from itertools import accumulate, takewhile
from typing import TYPE_CHECKING, Final

from ..errors import CoordinateError, UnsupportedError
from ..ground import limit_of, way_out
from ..xla_bridge import XlaTuple
from .compose import compose
from .maps import IndexingMap
from .ops import Op, called, maps_of
from .runtime import fold
from .simplify import simplify
from .unused import remove_unused_symbols

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ..hlo import Computation, Instruction
    from ..xla_bridge import AnyShape
    from .ops import Devices

    Found = dict[IndexingMap, None]
    Place = tuple[str, int]

_COPIES: Final = ("copy", "copy-done", "copy-start", "domain", "opt-barrier")
"""Ops whose result is their operand."""

_MOST_KNOWN: Final = 512
"""The number of computations whose maps are cached."""

_depth: ContextVar[int] = ContextVar("_depth", default=0)


def computation_maps(
    computation: Computation, output: int = 0, *, devices: Devices = None, most: int | None = None
) -> list[list[IndexingMap]]:
    """Return for each parameter the maps from an output of the root to the elements it depends on.

    >>> from tla.hlo import read_module
    >>> fused = read_module('''ENTRY e {
    ...   p = f32[3,3] parameter(0)
    ...   t = f32[3,3] transpose(p), dimensions={1,0}
    ...   ROOT sum = f32[3,3] add(p, t)
    ... }''').entry
    >>> for of_p in computation_maps(fused)[0]:
    ...     print(of_p)
    (d0, d1) -> (d0, d1), domain: d0 in [0, 2], d1 in [0, 2]
    (d0, d1) -> (d1, d0), domain: d0 in [0, 2], d1 in [0, 2]

    An element of the output depends on exactly the elements that the maps reach. If an instruction on
    the way has no maps, the parameters after it have an undefined map, which has the reason.

    Args:
        output: The number of an array of the root, counted from 0 through all of a tuple's elements.
        devices: The number of devices, if an instruction leaves it open; or the numbers of replicas and
            of partitions of each.
        most: The most maps of an array; with more of them it counts as an array without maps. By default
            the ``maps`` of `tla.limits`.

    A tuple among the parameters counts as its elements. Runtime variables are read from instructions of
    the computation, under their names there; a constant there is no variable. Through a loop the maps
    follow only the arrays of its state that it leaves unchanged, because the number of its turns is
    unknown.

    Raises:
        CoordinateError: the root has no such output.
        UnsupportedError: the calls of computations are too deep.
    """
    most = limit_of("maps") if most is None else most
    of = _Same(computation)
    known = _known_maps(of, output, devices, most, limit_of("calls"))
    return [[*known.get(i, ())] for i in range(_places(of, devices).count)]


def maps_to(
    computation: Computation,
    instruction: Instruction | str,
    output: int = 0,
    *,
    devices: Devices = None,
    most: int | None = None,
) -> list[list[IndexingMap]]:
    """Return the maps from an output of the root to each array of an instruction of the computation.

    >>> from tla.hlo import read_module
    >>> fused = read_module('''ENTRY e {
    ...   p = f32[3,4] parameter(0)
    ...   n = f32[3,4] negate(p)
    ...   t = f32[4,3] transpose(n), dimensions={1,0}
    ...   ROOT half = f32[2,3] slice(t), slice={[2:4],[0:3]}
    ... }''').entry
    >>> print(*maps_to(fused, "n")[0])
    (d0, d1) -> (d1, d0 + 2), domain: d0 in [0, 1], d1 in [0, 2]

    An instruction that the output does not depend on has no maps.

    Args:
        instruction: An instruction of the computation, or its name with ``%`` or without.
        output, devices, most: As of `computation_maps`.

    Raises:
        NoSuchNameError: the computation has no such instruction; the error has near names.
        CoordinateError: the root has no such output.
    """
    goal = computation.instruction(instruction if isinstance(instruction, str) else instruction.name)
    places = _places(_Same(computation), devices)
    found = _Walk(places, limit_of("maps") if most is None else most).maps_at(output, goal)
    return [found.get(i, []) for i in range(places.size(goal.shape))]


def reached_maps(
    computation: Computation, output: int, devices: Devices
) -> Iterator[tuple[int, list[IndexingMap]]]:
    """Yield the arrays of the parameters that an output reads: the number of each, and its maps."""
    known = _known_maps(_Same(computation), output, devices, limit_of("maps"), limit_of("calls"))
    return ((i, [*known[i]]) for i in sorted(known))


def op_of(instruction: Instruction, devices: Devices = None) -> Op:
    """Return the op of an instruction for the rules, which follows the computations that it calls."""
    return Op(instruction, devices, partial(computation_maps, devices=devices))


class _Same:
    """A computation compared by identity, because a comparison of large ones by value is slow."""

    __slots__ = ("computation",)

    def __init__(self, computation: Computation) -> None:
        self.computation = computation

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.computation is other.computation

    def __hash__(self) -> int:
        return id(self.computation)


@lru_cache(maxsize=_MOST_KNOWN)
def _known_maps(
    of: _Same, output: int, devices: Devices, most: int, deepest: int
) -> dict[int, list[IndexingMap]]:
    """The result of `computation_maps` by the number of each array that is reached, cached.

    Without the cache, computations that each call the next one twice would need a time that doubles with
    each.
    """
    computation = of.computation
    depth = _depth.get()
    if depth >= deepest:
        raise UnsupportedError(
            f"computation {computation.name} is called through more than {deepest} computations, the"
            " limit 'calls'",
            way_out("calls"),
            computation=computation.name,
        )
    token = _depth.set(depth + 1)
    try:
        return _Walk(_places(of, devices), most).maps(output)
    finally:
        _depth.reset(token)


@lru_cache(maxsize=16)
def _places(of: _Same, devices: Devices) -> _Places:
    """The arrays of a computation, which the walks from all of its outputs share."""
    return _Places(of.computation, devices)


class _Places:
    """The arrays of a computation: each is named by an instruction and a number within its result."""

    def __init__(self, computation: Computation, devices: Devices) -> None:
        self.computation = computation
        self.devices = devices
        self.instructions = {each.name: each for each in computation.instructions}
        self.order = {each.name: i for i, each in enumerate(computation.instructions)}
        self.shapes = {each.name: each.shape for each in computation.instructions}
        self.ops: dict[str, Op] = {}
        self.behind: dict[str, list[Place]] = {}
        self.elements: dict[str, list[Place]] = {}
        self.firsts: dict[int, list[int]] = {}  # by the ids of the shapes, which the instructions keep
        parameters = computation.parameters
        *numbers, self.count = accumulate([self.size(each.shape) for each in parameters], initial=0)
        self.numbers = dict(zip([each.name for each in parameters], numbers, strict=True))
        """The number of the first array of each parameter, among those of all; ``count`` of them."""

    def size(self, shape: AnyShape) -> int:
        """The number of arrays of a shape."""
        return self.first(shape, len(shape.elements)) if isinstance(shape, XlaTuple) else 1

    def first(self, shape: XlaTuple, index: int) -> int:
        """The number of the first array of an element of a tuple."""
        if id(shape) not in self.firsts:
            self.firsts[id(shape)] = list(accumulate(map(self.size, shape.elements), initial=0))
        return self.firsts[id(shape)][index]

    def operands(self, instruction: Instruction) -> list[Place]:
        """The arrays of the operands; an operand of unknown shape counts as one array."""
        if instruction.name not in self.behind:
            out = self.behind[instruction.name] = []
            for operand in instruction.operands:
                shape = self.shapes.get(operand.name, operand.shape)
                out += [(operand.name, i) for i in range(1 if shape is None else self.size(shape))]
        return self.behind[instruction.name]

    def op(self, instruction: Instruction) -> Op:
        """The op of an instruction, for the rules."""
        if instruction.name not in self.ops:
            self.ops[instruction.name] = op_of(instruction, self.devices)
        return self.ops[instruction.name]

    def identity(self, instruction: Instruction, output: int) -> IndexingMap:
        """The map from each element of an output to itself."""
        try:
            return self.op(instruction).identity(output)
        except UnsupportedError as error:
            return IndexingMap.undefined(error.summary)

    def passed_on(self, instruction: Instruction, leaf: int) -> Place | None:
        """The array that an array of a tuple, or of an element of one, equals."""
        if instruction.opcode == "tuple":
            if instruction.name not in self.elements:
                known = takewhile(lambda place: place[0] in self.shapes, self.operands(instruction))
                self.elements[instruction.name] = list(known)
            places = self.elements[instruction.name]
            return places[leaf] if leaf < len(places) else None
        if instruction.opcode == "get-tuple-element":
            name = instruction.operands[0].name
            shape = self.shapes.get(name)
            index = instruction.attributes.get("index", "")
            if isinstance(shape, XlaTuple) and index.isdecimal() and int(index) < len(shape.elements):
                return name, self.first(shape, int(index)) + leaf
        return None

    def maps_behind(self, instruction: Instruction, leaf: int) -> list[list[IndexingMap]]:
        """The maps of an instruction, for a loop from after it to before it."""
        if instruction.opcode != "while":
            return maps_of(self.op(instruction), leaf)
        places = self.operands(instruction)
        if self.is_kept_by_loop(instruction, leaf):
            return [[self.identity(instruction, leaf)] if i == leaf else [] for i in range(len(places))]
        why = f"instruction {instruction.name} is a loop: how often it changes its state is not known"
        return [[IndexingMap.undefined(why)] for _ in places]

    # --- arrays that are other arrays, unchanged ---

    def is_kept_by_loop(self, loop: Instruction, leaf: int, room: int | None = None) -> bool:
        """Whether a loop leaves an array of its state unchanged."""
        body = called(loop, "body")
        room = limit_of("calls") if room is None else room
        if body is None or len(body.parameters) != 1 or not room:
            return False
        inside = _places(_Same(body), self.devices)
        return inside.origin((body.root.name, leaf), room - 1) == (body.parameters[0].name, leaf)

    def origin(self, place: Place, room: int) -> Place:
        """The array of which an array is a copy, through any number of copies; or the array itself."""
        while place[0] in self.instructions:
            instruction, leaf = self.instructions[place[0]], place[1]
            before = self.passed_on(instruction, leaf)
            if instruction.opcode in _COPIES:
                maps = self.maps_behind(instruction, leaf)
                found = [at for at, each in zip(self.operands(instruction), maps, strict=True) if each]
                before = found[0] if len(found) == 1 else None
            elif instruction.opcode == "while" and self.is_kept_by_loop(instruction, leaf, room):
                before = instruction.operands[0].name, leaf
            if before is None:
                break
            place = before
        return place

    # --- known runtime variables ---

    def folded(self, m: IndexingMap) -> IndexingMap:
        """A map without the runtime variables whose values are known in the computation."""
        return fold(m, self.instructions.get) if m.runtime else m

    def with_fewer_elements(self, m: IndexingMap) -> IndexingMap:
        folded = self.folded(m)
        return m if folded is m else _simpler(folded)


class _Walk:
    """A walk through a computation, with the maps that lead to each array."""

    def __init__(self, places: _Places, most: int) -> None:
        self.places = places
        self.most = most
        self.found: dict[str, dict[int, Found]] = {}
        self.full: set[Place] = set()
        self.ahead: list[int] = []
        """The instructions whose arrays are in ``found``, the last first: a heap of numbers below 0."""

    def maps(self, output: int) -> dict[int, list[IndexingMap]]:
        """The maps to the arrays of the parameters, by their numbers among those of all."""
        self.walk(output)
        out: dict[int, list[IndexingMap]] = {}
        for name in self.found.keys() & self.places.numbers.keys():  # not all parameters one by one
            for leaf, maps in self.at_end(name).items():
                out[self.places.numbers[name] + leaf] = maps
        return out

    def maps_at(self, output: int, goal: Instruction) -> dict[int, list[IndexingMap]]:
        """The maps to the arrays of an instruction."""
        self.walk(output, goal.name)
        return self.at_end(goal.name)

    def at_end(self, name: str) -> dict[int, list[IndexingMap]]:
        """The maps that lead to each array of an instruction, with known numbers for what is read."""
        return {
            leaf: [
                m
                for m in dict.fromkeys(map(self.places.with_fewer_elements, maps))
                if not m.is_known_empty
            ]
            for leaf, maps in self.found.get(name, {}).items()
        }

    def walk(self, output: int, goal: str = "") -> None:
        """Find the maps that lead to each array of a parameter, or of the goal."""
        places = self.places
        root = places.computation.root
        count = places.size(root.shape)
        if not 0 <= output < count:
            raise CoordinateError(
                f"computation {places.computation.name} has no output {output}",
                f"Its root {root.name} has {count}.",
                output=output,
            )
        start = places.identity(root, output)
        if not start.is_known_empty:
            self.at((root.name, output))[start] = None
        last = len(places.computation.instructions)
        while self.ahead:
            number = -heappop(self.ahead)
            instruction = places.computation.instructions[number]
            if instruction.name == goal:
                break
            if number < last and instruction.parameter_number is None:  # else it stands behind its use
                last = number
                for leaf, maps in sorted(self.found.pop(instruction.name).items()):
                    if maps:
                        self.go(instruction, leaf, list(maps))

    def at(self, place: Place) -> Found:
        """The maps that lead to an array."""
        name, leaf = place
        if name not in self.found:
            self.found[name] = {}
            heappush(self.ahead, -self.places.order[name])
        return self.found[name].setdefault(leaf, {})

    def go(self, instruction: Instruction, leaf: int, maps: list[IndexingMap]) -> None:
        """Extend the maps that reach an array of an instruction to the arrays on which it depends."""
        inside = self.places.passed_on(instruction, leaf)
        if inside is not None:
            self.add(inside, maps, [None])
            return
        places = self.places.operands(instruction)
        try:
            behind = [
                [self.places.folded(m) for m in maps]
                for maps in self.places.maps_behind(instruction, leaf)
            ]
        except UnsupportedError as error:
            behind = [[IndexingMap.undefined(error.summary)]] * len(places)
        same = self.places.identity(instruction, leaf)
        for place, onwards in zip(places, behind, strict=True):
            if (
                onwards and place[0] in self.places.shapes
            ):  # what a fragment does not define leads nowhere
                self.add(place, maps, [None if m == same and not m.is_undefined else m for m in onwards])

    def add(
        self, place: Place, maps: Iterable[IndexingMap], onwards: Sequence[IndexingMap | None]
    ) -> None:
        """Add maps to an array, each composed with those that lead to it; None changes nothing."""
        here = self.at(place)
        for first in maps:
            for second in onwards:
                if place in self.full:
                    return
                both = first if second is None else self.composed(first, second)
                if not both.is_known_empty:
                    here[both] = None
                if len(here) > self.most:
                    self.full.add(place)
                    here.clear()
                    why = f"more than {self.most} maps lead to {place[0]}, the limit 'maps'"
                    here[IndexingMap.undefined(why)] = None

    def composed(self, first: IndexingMap, second: IndexingMap) -> IndexingMap:
        if first.is_undefined:
            return first
        if second.is_undefined:
            return second
        return _simpler(compose(first, second))


def _simpler(m: IndexingMap) -> IndexingMap:
    return remove_unused_symbols(simplify(m, single_values="replace"))
