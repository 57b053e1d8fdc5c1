# SPDX-License-Identifier: Apache-2.0
"""Bank conflicts of shared memory: what the lanes of a warp wait for when they read or write together.

Shared memory has 32 banks of 4 bytes; word ``w`` lies in bank ``w % 32``. Lanes that reach different
words of one bank wait for each other. Lanes that reach the same word do not. A warp of 32 lanes is
served in one phase if a lane takes at most 4 bytes, in two phases of 16 lanes with 8 bytes, in four of 8
with 16 bytes.
The *ways* of a phase are the words that its busiest bank gives. The *wavefronts* of an access are the
ways of its phases together.

>>> column = Layout((32, 1), (1, 0))  # lane t takes row t of column 0
>>> row_major = Layout((32, 32), (32, 1))
>>> print(bank_conflicts(row_major, column, element_bits=32))
32-way conflict: 32 wavefronts for 1 phase
  lanes 0 to 31 reach 32 words of bank 0, at bytes 0, 128, 256, ...
>>> best = best_swizzle(row_major, [column], [Layout((32, 1), (32, 0))], element_bits=32)
>>> print(best.swizzle, best.wavefronts)
Sw<5,0,5> 2

Source: CUDA C++ Programming Guide, "Shared Memory", and Nsight Compute on the phases of wide accesses.
It is a model: hardware may serve two phases of 8 bytes at once.
"""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, Union

from ..algebra import swizzles
from ..errors import CoordinateError, LayoutError
from ..ground import limit_error, limit_of, plural, written
from ..layouts import AnyLayout, ComposedLayout, Swizzle, get, is_layout, make_layout, offset_lists
from ..numbers import known_int, leaf

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

WARP: Final = 32
"""The lanes of a warp."""


class Access(NamedTuple):
    """What the threads of a block take: ``tv(thread, value)`` is an index of the layout.

    >>> bank_conflicts(Layout((32, 4)), Access(Layout((32, 4), (4, 1)), 4), element_bits=32).wavefronts
    4

    Attributes:
        tv: A layout of threads by values, or an index for each thread.
        vector: How many values, next to each other, a thread takes with one instruction.
    """

    tv: AnyLayout | Sequence[int]
    vector: int = 1


AnyAccess: TypeAlias = Union["Access", AnyLayout, "Sequence[int]"]


class Phase(NamedTuple):
    """The lanes that are served together, and the busiest bank.

    >>> (phase,) = bank_conflicts(Layout(64), [0, 1, 32, 33, 32], element_bits=32).phases
    >>> phase.threads, phase.ways, phase.bank, phase.witness
    (range(0, 5), 2, 0, ((0, 0), (2, 128)))

    Attributes:
        instruction: Which of a thread's instructions it is.
        threads: The threads, the first and the one past the last.
        ways: How many words the busiest bank gives, one after the other.
        bank: That bank.
        witness: A thread for each word of that bank, with the byte address where its access begins.
    """

    instruction: int
    threads: range
    ways: int
    bank: int
    witness: tuple[tuple[int, int], ...]


class BankConflicts(NamedTuple):
    """The phases of an access.

    >>> found = bank_conflicts(Layout(128), range(0, 128, 4), element_bits=32)
    >>> found.ways, found.wavefronts, found.ideal, found.extra
    (4, 4, 1, 3)

    Attributes:
        phases: In the order of instructions, then of threads.
    """

    phases: tuple[Phase, ...]

    @property
    def ways(self) -> int:
        """The most ways of a phase; 1 is free of conflicts."""
        return max([phase.ways for phase in self.phases], default=0)

    @property
    def wavefronts(self) -> int:
        """The ways of all phases."""
        return sum([phase.ways for phase in self.phases])

    @property
    def ideal(self) -> int:
        """The wavefronts without a conflict: one for each phase."""
        return len(self.phases)

    @property
    def extra(self) -> int:
        """The wavefronts that conflicts add."""
        return self.wavefronts - self.ideal

    def __str__(self) -> str:
        words = zip((self.wavefronts, self.ideal), ("wavefront", "phase"), strict=True)
        count = " for ".join([f"{n} {word}{'s' if n != 1 else ''}" for n, word in words])
        if not self.extra:
            return f"no conflict: {count}"
        worst = max(self.phases, key=lambda phase: phase.ways)
        threads = [*dict.fromkeys([thread for thread, _address in worst.witness])]
        who = f"lane {threads[0]} reaches" if len(threads) == 1 else f"lanes {_listed(threads)} reach"
        addresses = [*dict.fromkeys([str(address) for _thread, address in worst.witness])]
        where = ", ".join(addresses[:3]) + (", ..." if len(addresses) > 3 else "")
        return (
            f"{self.ways}-way conflict: {count}\n"
            f"  {who} {worst.ways} words of bank {worst.bank},"
            f" at byte{'s' if len(addresses) > 1 else ''} {where}"
        )


def _listed(threads: Sequence[int]) -> str:
    """Numbers as text, those that follow each other as a range."""
    if len(threads) > 2 and threads[-1] - threads[0] == len(threads) - 1:
        return f"{threads[0]} to {threads[-1]}"
    shown = ", ".join(map(str, threads[:4]))
    return f"{shown}, ..." if len(threads) > 4 else shown


def bank_conflicts(
    layout: AnyLayout | ComposedLayout,
    tv: AnyAccess,
    *,
    element_bits: int,
    vector: int = 1,
    banks: int = 32,
    bank_bytes: int = 4,
) -> BankConflicts:
    """Return the phases in which shared memory serves an access, each with its ways and a witness.

    >>> bank_conflicts(Layout((32, 33), (33, 1)), Layout((32, 1), (1, 0)), element_bits=32).ways
    1

    Args:
        layout: Where the elements lie, in elements.
        tv: A layout of threads by values, whose offsets are indices of ``layout``; an index for each
            thread; or an `Access`.
        element_bits: The bits of an element.
        vector: How many values a thread takes with one instruction. They lie next to each other.
        banks, bank_bytes: The banks, and the bytes of a word.

    Raises:
        LayoutError: the values of one instruction do not lie next to each other, or not at a multiple of
            their bytes; or a thread's values are no multiple of ``vector``.
        CoordinateError: an index is outside ``layout``.
    Source: CUDA C++ Programming Guide, "Shared Memory".
    """
    access = _checked(tv, vector, element_bits=element_bits, banks=banks, bank_bytes=bank_bytes)
    begins = _begins(_offsets(layout, access), access.vector, element_bits)
    return _phases(begins, access.vector * element_bits, banks, bank_bytes)


def memory_lines(
    layout: AnyLayout | ComposedLayout,
    tv: AnyAccess,
    *,
    element_bits: int,
    vector: int = 1,
    line_bytes: int = 128,
) -> tuple[int, ...]:
    """Return how many lines of global memory each warp reaches with each instruction; 1 is coalesced.

    >>> row = Layout((32, 1), (1, 0))
    >>> [memory_lines(Layout((32, 32), d), row, element_bits=32) for d in ((1, 32), (32, 1))]
    [(1,), (32,)]

    The order and the arguments are those of `bank_conflicts`.
    """
    access = _checked(tv, vector, element_bits=element_bits, line_bytes=line_bytes)
    width, line = access.vector * element_bits, 8 * line_bytes
    return tuple(
        [
            len({n for t in warp for n in _touched(begins[t], width, line)})
            for begins in _begins(_offsets(layout, access), access.vector, element_bits)
            for warp in _together(len(begins), WARP)
        ]
    )


def _checked(tv: AnyAccess, vector: int = 1, **numbers: int) -> Access:
    """An access, of numbers that are positive."""
    access = tv if isinstance(tv, Access) else Access(tv, vector)
    for name, n in {"vector": access.vector, **numbers}.items():
        if n < 1:
            raise LayoutError(f"{name} is {n}: it must be at least 1", **{name: n})
    width = access.vector * numbers["element_bits"]
    if width > limit_of("coordinates"):
        raise limit_error("coordinates", f"an access of {written(width)} bits at once", needed=width)
    return access


def _together(threads: int, lanes: int) -> list[range]:
    """The threads of each warp, so many lanes at a time."""
    warps = [range(threads)[first : first + WARP] for first in range(0, threads, WARP)]
    return [warp[first : first + lanes] for warp in warps for first in range(0, len(warp), lanes)]


def _touched(begin: int, width: int, unit: int) -> range:
    """The units of memory that an access of so many bits reaches; all three are in bits."""
    return range(begin // unit, (begin + width - 1) // unit + 1)


def _offsets(layout: Any, access: Access) -> list[list[int]]:
    """The offsets of the values of each thread."""
    tv, most = access.tv, limit_of("coordinates")
    if not is_layout(tv):
        vector = access.vector  # an index is where the thread begins
        if next(iter(tv[most // vector :]), None) is None:
            begins = [_reached(layout, thread, leaf(i)) for thread, i in enumerate(tv)]
            return [[begin + k for k in range(vector)] for begin in begins]
        raise limit_error("coordinates", f"an access of more than {most} threads")
    count, threads = known_int(tv.size), known_int(get(tv, 0).size)
    if count > most:
        raise limit_error("coordinates", f"an access of {count} values", needed=count)
    return [[_reached(layout, t, tv(i)) for i in range(t, count, threads)] for t in range(threads)]


def _reached(layout: Any, thread: int, index: Any) -> int:
    """The offset of an index that a thread has."""
    try:
        return known_int(layout(index))
    except CoordinateError as error:
        raise CoordinateError(
            f"thread {thread} reaches index {index}, which {layout} does not have",
            *error.details,
            **{**error.data, "thread": thread},
        ) from None


def _begins(offsets: list[list[int]], vector: int, element_bits: int) -> list[list[int]]:
    """For each instruction the bits at which the threads begin, checked."""
    values = len(offsets[0]) if offsets else 0
    if values % vector:
        raise LayoutError(
            f"a thread takes {plural(values, 'value')}, which vectors of {vector} do not divide",
            vector=vector,
        )
    width = vector * element_bits
    for thread, of_thread in enumerate(offsets):
        for value, offset in enumerate(of_thread):
            first = value - value % vector
            if offset != of_thread[first] + value - first:
                raise LayoutError(
                    f"thread {thread} does not find its {vector} values next to each other",
                    f"Value {first} is at offset {of_thread[first]}, value {value} at {offset}.",
                    thread=thread,
                    value=value,
                )
            begin = offset * element_bits
            if value == first and begin % width:
                raise LayoutError(
                    f"thread {thread} reaches {width} bits at bit {begin}, which is no multiple of them",
                    "A vector access is aligned to its own width.",
                    thread=thread,
                )
    return [
        [of_thread[first] * element_bits for of_thread in offsets] for first in range(0, values, vector)
    ]


def _phases(instructions: list[list[int]], width: int, banks: int, bank_bytes: int) -> BankConflicts:
    """The phases of instructions of so many bits for each thread."""
    phases: list[Phase] = []
    word_bits = 8 * bank_bytes
    lanes = max(1, banks * word_bits // max(width, word_bits))
    for instruction, begins in enumerate(instructions):
        for threads in _together(len(begins), lanes):
            words: defaultdict[int, dict[int, int]] = defaultdict(dict)
            for thread in threads:
                for word in _touched(begins[thread], width, word_bits):
                    words[word % banks].setdefault(word, thread)
            bank, busiest = max(words.items(), key=lambda item: len(item[1]))
            witness = [(thread, begins[thread] // 8) for thread in busiest.values()]
            phases.append(Phase(instruction, threads, len(busiest), bank, tuple(witness)))
    return BankConflicts(tuple(phases))


# --- cure ------------------------------------------------------------------------------------


class Best(NamedTuple):
    """A swizzle that no other beats: the fewest wavefronts over all reads and writes.

    >>> best = best_swizzle(Layout((4, 32), (32, 1)), [[0, 1, 2, 3]], element_bits=32)
    >>> best.swizzle, best.before, best.wavefronts, best.ideal
    (Swizzle(2, 3, 2), 4, 1, 1)

    Attributes:
        swizzle: The one with the fewest bits; `Swizzle(0, 0, 0)` where none is better than no swizzle.
        layout: The layout seen through it.
        wavefronts, before: With the swizzle, and without.
        ideal: One wavefront for each phase.
        tried: How many swizzles were tried: all of the layout's offsets, or those up to an ideal one.
    """

    swizzle: Swizzle
    layout: ComposedLayout
    wavefronts: int
    before: int
    ideal: int
    tried: int


def best_swizzle(
    layout: AnyLayout,
    reads: Iterable[AnyAccess],
    writes: Iterable[AnyAccess] = (),
    *,
    element_bits: int,
    banks: int = 32,
    bank_bytes: int = 4,
) -> Best:
    """Return the swizzle with the fewest wavefronts over all reads and writes of a tile.

    Every swizzle that permutes the offsets of the tile is tried, so no other has fewer. A swizzle that
    tears the values of a vector apart, or leads out of the memory of the tile, is left out.

    >>> tile = Layout((8, 64), (64, 1))
    >>> rows = Access(Layout(((8, 4), 8), ((1, 64), 8)), 8)  # 8 values of 16 bits at a time
    >>> best = best_swizzle(tile, [rows], element_bits=16)
    >>> best.before, best.wavefronts, best.layout
    (32, 4, ComposedLayout(Swizzle(3, 3, 3), 0, Layout((8, 64), (64, 1))))

    Raises:
        LayoutError: as `bank_conflicts`, without a swizzle.
    """
    accesses = [
        _checked(x, element_bits=element_bits, banks=banks, bank_bytes=bank_bytes)
        for x in (*reads, *writes)
    ]
    seen = [(access.vector, _offsets(layout, access)) for access in accesses]
    size = known_int(layout.cosize)
    offsets = {*offset_lists(make_layout((layout.shape,), (layout.stride,)))}

    def wavefronts(swizzle: Swizzle) -> tuple[int, int]:
        total = ideal = 0
        for vector, of_threads in seen:
            swizzled = [[swizzle(offset) for offset in of_thread] for of_thread in of_threads]
            begins = _begins(swizzled, vector, element_bits)
            found = _phases(begins, vector * element_bits, banks, bank_bytes)
            total += found.wavefronts
            ideal += found.ideal
        return total, ideal

    identity = Swizzle(0, 0, 0)
    before, ideal = wavefronts(identity)
    best, fewest, tried = identity, before, 1
    for swizzle in swizzles((size - 1).bit_length()):
        if fewest == ideal:
            break
        tried += 1
        if any(swizzle(offset) >= size for offset in offsets):
            continue
        with suppress(LayoutError):
            total, _ideal = wavefronts(swizzle)
            if total < fewest:
                best, fewest = swizzle, total
    return Best(best, ComposedLayout(best, 0, layout), fewest, before, ideal, tried)
