"""Fuzz of data that moves: random layouts, tiled shapes and tags, random elements, and laws of each.

Run: python tests/fuzz_arrays.py [--count 1000000] [--seed N] [--minutes M] [--only LAW] [--case K]
     [--small]

A case is two places for one array: nested layouts with tails, gaps, negative strides and strides of 0,
swizzled and composed ones, XLA's tiled shapes, and Ascend's tags, the last two as text. Elements have 1
bit to 16 bytes. Where each element lies is known from digits, by `naive_at`, or by pad, reshape and
transpose, by `memory_of`; neither knows the loops of a plan. A fault is a law that does not hold, or any
exception; it is printed with its seed and number, and ``--case`` runs that one again.

A law is a function of a `Case` that returns what is wrong, or nothing: add one to `LAWS`.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property, reduce
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from fuzz_xla import MANY, MOST, random_shape
from xla_bridge.naive import memory_of

import tla
from tla import ComposedLayout, CoordinateError, Layout, OverlapError, Swizzle, UnsupportedError
from tla.arrays import dtype_of, moving, packing
from tla.ascend import ELEMENTS, TAGS
from tla.ground import ELEMENT_TYPES
from tla.layouts import leaves
from tla.moves import layout_of
from tla.xla_bridge import XlaShape

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from numpy.typing import NDArray

# --- where elements lie, from the definitions ------------------------------------------------------


def naive_at(indices: Sequence[int], shape: Any, stride: Any) -> list[int]:
    """The offsets of indices of a mode: their digits, the first one fastest, times the strides."""
    extents, steps = [int(n) for n in leaves(shape)], [int(d) for d in leaves(stride)]
    offsets = []
    for index in indices:
        offset, rest = 0, index
        for extent, step in zip(extents[:-1], steps[:-1], strict=True):
            rest, digit = divmod(rest, extent)
            offset += digit * step
        offsets.append(offset + rest * steps[-1])
    return offsets


def naive_offsets(layout: Any, sizes: Sequence[int]) -> NDArray[np.int64]:
    """The offset of each coordinate, mode by mode; what stands outside is applied to every offset."""
    if isinstance(layout, ComposedLayout):
        inner = naive_offsets(layout.inner, sizes) + int(layout.offset)
        return np.array([naive_outer(layout.outer, int(x)) for x in inner.flat], int).reshape(
            inner.shape
        )
    modes = zip(sizes, layout.shape, layout.stride, strict=True)
    axes = [np.array(naive_at(range(n), shape, stride), int) for n, shape, stride in modes]
    return reduce(np.add.outer, axes, np.zeros((), int))


def naive_outer(outer: Any, x: int) -> int:
    if x < 0:
        raise CoordinateError("what is outside has no offsets below 0")
    if not isinstance(outer, Swizzle):
        return naive_at([x], outer.shape, outer.stride)[0]
    bits, base, shift = int(outer.bits), int(outer.base), int(outer.shift)
    read = x >> base + max(0, shift) & (1 << bits) - 1
    return x ^ read << base + max(0, -shift)


class Place(NamedTuple):
    """A layout or the text of one, and where it has each element of an array."""

    given: Any
    offsets: NDArray[np.int64]
    low: int
    """The offset at which memory begins."""
    entries: int
    """The elements of memory."""
    packed: int = 0
    """The bits of an element that shares its bytes with others."""
    has_type: bool = False

    @property
    def places(self) -> NDArray[np.int64]:
        return self.offsets - self.low

    @property
    def is_injective(self) -> bool:
        return len(np.unique(self.offsets)) == self.offsets.size


def place_of(layout: Any, sizes: Sequence[int], given: Any = None, **more: Any) -> Place:
    """The place of a layout, whose memory spans its padding too."""
    inner = layout
    while isinstance(inner, ComposedLayout):
        inner = inner.inner
    everything = naive_offsets(layout, [prod(int(n) for n in leaves(shape)) for shape in inner.shape])
    low, last = (min(0, everything.min()), everything.max()) if everything.size else (0, -1)
    offsets = naive_offsets(layout, sizes)
    return Place(layout if given is None else given, offsets, int(low), int(last + 1 - low), **more)


# --- random places ---------------------------------------------------------------------------------


def nested_layout(rng: Random, sizes: Sequence[int], zeros: bool = False) -> Any:
    """Nested, with tails and gaps, backwards, broadcast, or behind functions."""
    shape = []
    for n in sizes:
        below = [rng.choice([1, 2, 3, 4, 8]) for _i in range(rng.randint(0, 2))]
        shape.append((*below, -(-n // prod(below)) + rng.choice([0, 0, 1])))
    extents = list(leaves(tuple(shape)))
    steps, count = [0] * len(extents), 1
    forward = rng.random() < 0.6
    for i in rng.sample(range(len(extents)), len(extents)):
        steps[i] = count * (1 if forward else rng.choice([1, 1, -1]))
        count *= extents[i] + (rng.random() < 0.2)
    for i in range(len(steps)):
        if zeros and rng.random() < 0.3:
            steps[i] = 0
    if rng.random() < 0.1 and steps:
        steps[rng.randrange(len(steps))] = 1
    layout = Layout(tuple(shape), tla.unflatten(tuple(steps), tuple(shape)), tuple(sizes))
    chance = rng.random()
    if chance < 0.6:
        return layout
    reach = sum(-step * (extent - 1) for step, extent in zip(steps, extents, strict=True) if step < 0)
    offset = rng.choice([0, 3, 16]) + reach * (rng.random() < 0.95)
    if chance < 0.65:
        return ComposedLayout(Layout((4, 8), (8, 1)), offset, layout)
    made = ComposedLayout(random_swizzle(rng), offset, layout)
    return made if chance < 0.9 else ComposedLayout(random_swizzle(rng), rng.choice([0, 8]), made)


def random_swizzle(rng: Random) -> Swizzle:
    bits = rng.randint(0, 3)
    return Swizzle(bits, rng.randint(0, 3), rng.choice([1, -1]) * rng.randint(bits, 4))


TPU_TILES = ([(8, 128)], [(8, 128), (2, 1)], [(8, 128), (4, 1)], [(2, 128), (8, 1)], [(256,)])


def tiled_shape(rng: Random, name: str, sizes: Sequence[int] | None = None) -> XlaShape:
    """A shape with little memory: small tiles of any kind, of elements that pack, and those of TPUs."""
    while True:
        drawn = random_shape(rng)
        if len(drawn.dimensions) and prod(drawn.dimensions) > MOST:
            continue
        dims = drawn.dimensions if sizes is None else tuple(sizes)
        order, tiles = rng.sample(range(len(dims)), len(dims)), list[Any](drawn.tiles)
        if len(dims) > 1 and rng.random() < 0.3:
            tiles = [(rng.choice([2, 4, 8]), rng.choice([2, 3, 8])), (rng.choice([2, 4]), 1)]
        if len(dims) > 1 and rng.random() < 0.04:
            tiles = rng.choice(TPU_TILES)
        bits = ELEMENT_TYPES[name].bits or 8
        packs = bits < 8 and rng.random() < 0.6
        tail = drawn.tail_padding_alignment_in_elements
        try:
            shape = XlaShape(name, dims, order, tiles, tail, element_size_in_bits=bits if packs else 0)
            layout_of(shape)
        except tla.TlaError:  # tiles that do not fit the rank, or with '*' no one layout
            continue
        return shape


def tiled_place(shape: XlaShape) -> Place:
    memory = memory_of(shape)
    offsets = np.empty(shape.elements, int)
    held = np.flatnonzero(memory >= 0)
    offsets[memory[held]] = held
    bits = shape.element_size_in_bits
    return Place(
        str(shape), offsets.reshape(shape.dimensions), 0, len(memory), bits if bits < 8 else 0, True
    )


MATRICES = tuple(tag.name for tag in TAGS.values() if tag.sizes == ("rows", "cols") and not tag.elements)


def tagged_text(rng: Random, element: str, sizes: Sequence[int] | None) -> str:
    """The text of a tag; for sizes, one that holds data of these."""
    if sizes is not None:
        name = rng.choice(MATRICES)
        *batch, rows, cols = sizes
    else:
        fits = [tag for tag in TAGS.values() if tag.elements in (None, (element,))]
        tag = rng.choice(fits)
        name, batch = tag.name, [rng.randint(1, 2)] if rng.random() < 0.1 else []
        if name not in MATRICES:
            most = 40 if tag.elements else 3
            numbers = ",".join([str(rng.randint(1, most)) for _size in tag.sizes])
            return f"{name}<{element}>({numbers})"
        rows, cols = rng.randint(1, 20), rng.randint(1, 20)
    more = f",batch={batch[0]}" if batch else ""
    if name.startswith("Padding"):
        more += f",block=({rng.randint(1, 5)},{rng.randint(1, 5)})"
    elif name in ("RowMajor", "ColumnMajor") and rng.random() < 0.5:
        least = cols if name == "RowMajor" else rows
        more += f",ld={least + least % 2 + rng.choice([0, 2])}"
    return f"{name}<{element}>({rows},{cols}{more})"


def tagged_place(text: str, bits: int) -> Place:
    layout = layout_of(text)
    sizes = [int(n) for n in leaves(layout.origin_shape)]
    return place_of(layout, sizes, text, packed=bits if bits < 8 else 0, has_type=True)


# --- random elements -------------------------------------------------------------------------------


class Kind(NamedTuple):
    """A type of elements, by its names."""

    dtype: np.dtype[Any]
    xla: str | None = None
    ascend: str | None = None
    bits: int = 0
    """Those that count."""


def _kinds() -> list[Kind]:
    kinds = [Kind(np.dtype(name)) for name in ("V3", "V16", "V70", "S5", "i2,u1", "M8[s]", "<u2")]
    ours = {e.xla: e for e in ELEMENTS.values() if e.xla}
    for name, type_ in ELEMENT_TYPES.items():
        if type_.bits:
            ascend = ours[name].name if name in ours else None
            raw = np.dtype(f"u{type_.bytes}") if type_.bytes in (1, 2, 4, 8) else None
            with suppress(UnsupportedError):  # there is no ml_dtypes
                kinds += [Kind(dtype_of(name), name, ascend, type_.bits)]
                kinds += [Kind(raw, name, ascend, type_.bits)] if raw and name[0] != "c" else []
    bare = [e for e in ELEMENTS.values() if not e.xla]
    kinds += [Kind(np.dtype(f"u{e.sizeof}"), None, e.name, e.bits) for e in bare]
    return kinds


KINDS = _kinds()


def random_elements(rng: Random, kind: Kind, count: int) -> Any:
    """Elements of any bits that their type may have."""
    raw = np.frombuffer(rng.randbytes(count * kind.dtype.itemsize), np.uint8)
    if kind.dtype == bool:
        return (raw & 1).astype(bool)
    if kind.bits and kind.bits < 8:
        is_signed = kind.dtype.kind != "u" and str(kind.xla)[0] == "s"
        low = raw & (1 << kind.bits) - 1
        top = 1 << kind.bits - 1
        held: NDArray[Any] = (low.astype(np.int8) ^ top) - top if is_signed else low
        return held.view(kind.dtype) if not is_signed else held.astype(kind.dtype)
    return raw.view(kind.dtype)


# --- cases -----------------------------------------------------------------------------------------


class Case:
    """An array, two places for it, and what memory is then, made by the definitions."""

    def __init__(self, seed: int, number: int) -> None:
        self.rng = rng = random.Random(f"{seed} {number}")
        self.kind = kind = rng.choice(KINDS)
        self.a = self._place(None)
        self.sizes = self.a.offsets.shape
        self.b = self._place(self.sizes)
        elements = random_elements(rng, kind, prod(self.sizes) + 1)
        self.fill = rng.choice([0, elements[-1]])
        order: Any = rng.choice("CF")
        array = elements[:-1].reshape(self.sizes, order=order)
        if self.sizes and rng.random() < 0.3:
            array = np.repeat(array, 2, axis=-1)[..., ::-2]
        self.array = array
        self.longer, self.as_bytes, self.keeps = (
            rng.choice([0, 0, 3]),
            rng.random() < 0.3,
            rng.random() < 0.3,
        )

    def _place(self, sizes: Sequence[int] | None) -> Place:
        rng, kind = self.rng, self.kind
        chance = rng.random()
        is_rank = sizes is None or (len(sizes) in (2, 3) and max(sizes) < 41 and min(sizes) > 0)
        for _try in range(3 if kind.ascend and chance < 0.3 and is_rank else 0):
            place = tagged_place(tagged_text(rng, str(kind.ascend), sizes), kind.bits)
            if place.entries <= MANY:
                return place
        if kind.xla and chance < 0.7:
            return tiled_place(tiled_shape(rng, kind.xla, sizes))
        if sizes is None:
            sizes = [
                rng.randint(rng.random() > 0.02, rng.choice([3, 6, 12]))
                for _i in range(rng.choice([0, 1, 2, 2, 3]))
            ]
        zeros = rng.random() < 0.05
        for _try in range(20):
            layout = nested_layout(rng, sizes, zeros)
            if layout.size <= max(4 * MOST, 2 * prod(sizes)):
                with suppress(CoordinateError):  # a swizzle of what is below 0
                    return place_of(layout, sizes)
        return place_of(tla.row_major(*sizes), sizes)

    @cached_property
    def plan(self) -> Any:
        return tla.copy_plan(self.a.given, self.b.given)

    def __str__(self) -> str:
        kind = self.kind.xla or self.kind.ascend or "elements"
        return f"{self.a.given} to {self.b.given}, {kind} as {self.array.dtype}"

    def memory(self, place: Place, longer: int = 0, fill: Any = None) -> NDArray[Any]:
        """The elements of memory, each where the definition says."""
        memory = np.zeros(place.entries + longer, self.array.dtype)
        fill = self.fill if fill is None else fill
        if not isinstance(fill, int):
            memory[...] = fill
        memory[place.places] = self.array
        return memory

    def same(self, got: NDArray[Any], elements: NDArray[Any], packed: int = 0) -> bool:
        """Whether memory, or an array, has these elements, bit by bit."""
        expected: NDArray[Any] = raw_of(elements)
        if packed:
            return got.dtype == np.uint8 and got.tobytes() == packed_bytes(expected, packed).tobytes()
        if got.shape != elements.shape:
            return False
        found: NDArray[Any] = raw_of(got)
        if self.kind.bits and self.kind.bits < 8:
            mask = (1 << self.kind.bits) - 1
            found, expected = found & mask, expected & mask
        return found.tobytes() == expected.tobytes()

    def given(self, place: Place) -> Any:
        """Memory as a caller has it: an array of elements, or of bytes; bytes."""
        memory = self.memory(place, self.longer)
        if place.packed:
            memory = packed_bytes(raw_of(memory), place.packed)
        return memory.tobytes() if self.as_bytes and place.has_type else memory


def packed_bytes(raw: NDArray[np.uint8], bits: int) -> NDArray[np.uint8]:
    """Elements of some bits in a row, the low bit of each byte first."""
    return np.packbits(
        (raw.reshape(-1, 1) >> np.arange(bits) & 1).astype(bool).reshape(-1), bitorder="little"
    )


def raw_of(elements: NDArray[Any]) -> NDArray[np.uint8]:
    """The bytes of elements; of signed ones of less than a byte their ints."""
    made = np.ascontiguousarray(elements).reshape(-1)
    if made.dtype.itemsize == 1 and made.dtype.name in ("int2", "int4", "int1"):
        made = made.astype(np.int8)
    return made.view(np.uint8)


# --- laws ------------------------------------------------------------------------------------------


def packs(case: Case) -> str:
    """``pack`` puts each element where the layout says, and the fill everywhere else; or refuses."""
    for place in (case.a, case.b):
        try:
            got = tla.pack(case.array, place.given, case.fill)
        except OverlapError as error:
            named: Any = vars(error)["coordinates"]
            if place.is_injective or len({int(place.offsets[c]) for c in named}) > 1:
                return f"{place.given} is refused"
            continue
        if not place.is_injective:
            return f"{place.given} is packed, and two elements share an offset"
        if not case.same(got, case.memory(place), place.packed):
            return f"other memory by {place.given}"
    return ""


def packs_in_place(case: Case) -> str:
    """``pack`` writes to the memory of the caller, and leaves the padding without a fill."""
    place = case.a
    if not place.is_injective or isinstance(case.fill, int):
        return ""
    expected = case.memory(place, case.longer)
    if place.packed:
        out = packed_bytes(raw_of(expected), place.packed)
        out[...] = ~out if not case.keeps else out
        expected = expected[: place.entries]
    else:
        out = np.zeros(len(expected), case.array.dtype)
        out[...] = case.fill if case.keeps else out
    got = tla.pack(case.array, place.given, None if case.keeps else case.fill, out)
    if got is not out:
        return "the memory given is not returned"
    got = got[: -(-place.entries * place.packed // 8)] if place.packed else got
    return "" if case.same(got, expected, place.packed) else f"other memory by {place.given}"


def unpacks(case: Case) -> str:
    """``unpack`` is the array of what memory holds, also into an array of any strides."""
    for place in (case.a, case.b):
        if not place.is_injective:
            continue
        array = tla.unpack(case.given(place), place.given)
        if not case.same(array, case.array):
            return f"another array by {place.given}"
    place, out = case.b, np.empty_like(case.array.T).T
    if not place.is_injective or place.packed or case.as_bytes:
        return ""
    made = tla.unpack(case.given(place), place.given, out)
    is_same = made is out and case.same(out, case.array)
    return "" if is_same else f"another array in place by {place.given}"


def relays(case: Case) -> str:
    """``relayout`` is memory by the second layout, also from a layout that has elements twice."""
    a, b = case.a, case.b
    memory = case.given(a)
    array = case.array if a.is_injective else tla.unpack(memory, a.given)
    fill = case.fill if array.dtype == case.array.dtype and not (a.packed or case.as_bytes) else 0
    try:
        got = tla.relayout(memory, a.given, b.given, fill)
    except OverlapError:
        return f"{b.given} is refused" if b.is_injective else ""
    if not b.is_injective:
        return f"{b.given} is packed, and two elements share an offset"
    if not a.is_injective:
        expected = tla.pack(array, b.given, fill)
        return (
            ""
            if got.tobytes() == expected.tobytes()
            else "other memory of elements that are there twice"
        )
    return "" if case.same(got, case.memory(b, fill=fill), b.packed) else "other memory"


def views(case: Case) -> str:
    """``view`` shows each element in place, or there is no stride for an axis."""
    place = case.a
    memory = case.given(place)
    offsets = place.offsets
    steps = [np.diff(offsets, axis=i).reshape(-1) for i in range(offsets.ndim)]
    is_strided = all(len(np.unique(step)) < 2 for step in steps)
    try:
        got = tla.view(memory, place.given)
    except UnsupportedError:
        hopeless = place.packed or isinstance(place.given, ComposedLayout)
        return "no view of what has strides" if is_strided and not hopeless else ""
    if not is_strided:
        return "a view of what has no strides"
    raw: Any = np.frombuffer(memory, np.uint8) if isinstance(memory, bytes) else memory
    if got.size and not np.shares_memory(got, raw):
        return "the view is a copy"
    if any(len(step) and not step.any() for step in steps) and got.flags.writeable:
        return "elements that are one may be written"
    expected = np.asarray(case.memory(place)[place.places], case.array.dtype)  # of rank 0 too
    return "" if case.same(got, expected) else "the view shows other elements"


def masks(case: Case) -> str:
    """``mask`` marks the places of data alone."""
    place = case.a
    if not place.is_injective:
        return ""
    expected = np.zeros(place.entries, bool)
    expected[place.places] = True
    got = tla.mask(place.given)
    if len(got) > len(expected) or expected[len(got) :].any():
        return f"{len(got)} elements instead of {len(expected)}"
    return "" if np.array_equal(got, expected[: len(got)]) else "other places"


def plans(case: Case) -> str:
    """The boxes of a plan reach each pair of offsets once; the runs are not fewer than there are."""
    a, b = case.a, case.b
    plan = case.plan
    if plan.size != a.offsets.size:
        return f"the plan moves {plan.size} elements"
    if plan.boxes is None:
        return ""
    pairs = [np.zeros((0, 2), int)]
    for box in plan.boxes:
        made = np.array([box.starts])
        for loop in box.loops:
            made = (made[:, None] + np.outer(np.arange(loop.extent), loop.steps)).reshape(-1, 2)
        pairs.append(made)
    found = np.concatenate(pairs)
    expected = np.stack([a.offsets.reshape(-1), b.offsets.reshape(-1)], axis=1)
    found, expected = (x[np.lexsort((x[:, 0], x[:, 1]))] for x in (found, expected))
    if not np.array_equal(found, expected):
        return "the boxes move other elements"
    least = int((np.diff(expected, axis=0) != 1).any(axis=1).sum()) + (len(expected) > 0)
    is_one_to_one = a.is_injective and b.is_injective
    if not least <= plan.runs <= plan.size and is_one_to_one:
        return f"{plan.runs} runs: there are {least} at least, and {plan.size} elements"
    return "" if bool(plan.explain()) == bool(plan.boxes) else "no sentence"


def sources(case: Case) -> str:
    """The function of Python that a plan prints does the copy."""
    a, b = case.a, case.b
    plan = case.plan
    if plan.boxes is None or a.low or b.low or not b.is_injective or not a.is_injective:
        return ""
    source, target = case.memory(a), case.memory(b)
    target[b.places] = np.zeros((), target.dtype)
    names: dict[str, Any] = {}
    exec(plan.numpy(), names)
    names["copy"](source, target)
    return "" if case.same(target, case.memory(b)) else "the source moves other elements"


Law = Callable[[Case], str]

LAWS: dict[str, Law] = {
    "pack": packs,
    "pack in place": packs_in_place,
    "unpack": unpacks,
    "relayout": relays,
    "view": views,
    "mask": masks,
    "plan": plans,
    "source": sources,
}

# --- the command -----------------------------------------------------------------------------------


class Report(NamedTuple):
    """How many cases were looked at, what they were, and the faults found."""

    seed: int
    seconds: float
    cases: int
    elements: int
    faults: Counter[str]
    found: list[str]

    def __str__(self) -> str:
        head = (
            f"seed {self.seed}: {self.cases} cases, {self.elements} elements,"
            f" {sum(self.faults.values())} faults, {self.seconds:.0f} s"
        )
        return "\n".join([head, *self.found])


SMALL = {"_PART": 256, "_TABLE": 7, "_LARGE": 0, "_THREADED": 64, "_PIECE": 128}
"""From which sizes work is cut, shared out among threads, streamed past the cache: of any array then."""


def cut_small() -> list[str]:
    """Move every array as large ones are moved; return what was set."""
    found = [(module, name) for module in (packing, moving) for name in SMALL if name in vars(module)]
    for module, name in found:
        setattr(module, name, SMALL[name])
    return [name for _module, name in found]


SHOWN = 4
"""Faults of one law that are shown; all are counted."""


def fault_of(law: Law, case: Case) -> str:
    """What is wrong with a law on a case; any exception is."""
    try:
        return law(case)
    except Exception as error:  # (whatever it is, it is to be reported)
        return f"{type(error).__name__}: {error}".splitlines()[0]


def run(
    count: int | None,
    seed: int,
    laws: dict[str, Law] | None = None,
    minutes: float | None = None,
    first: int = 0,
) -> Report:
    """Judge random cases by all laws, so many or so long."""
    start = time.monotonic()
    faults: Counter[str] = Counter()
    found: list[str] = []
    done = elements = 0
    while count is None or done < count:
        if minutes is not None and time.monotonic() - start > minutes * 60:
            break
        case = Case(seed, first + done)
        for name, law in (LAWS if laws is None else laws).items():
            note = fault_of(law, case)
            if note:
                faults[name] += 1
                if faults[name] <= SHOWN:
                    found.append(f"{name}: --seed {seed} --case {first + done}: {case}: {note}")
        done += 1
        elements += case.array.size
    return Report(seed, time.monotonic() - start, done, elements, faults, found)


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description="Fuzz data that moves against naive offsets.", epilog="laws: " + ", ".join(LAWS)
    )
    add = parser.add_argument
    add("--count", type=int, help="how many cases (default 1000000, or no end with --minutes)")
    add("--seed", type=int, help="the seed of the random cases (default: a new one)")
    add("--minutes", type=float, help="stop after so many minutes")
    add("--case", type=int, metavar="K", help="the case of this number alone")
    add("--small", action="store_true", help="cut small arrays into parts, as large ones are")
    add("--only", action="append", metavar="LAW", help="only the laws whose name contains this")
    args = parser.parse_args(argv)
    laws = {
        name: law for name, law in LAWS.items() if not args.only or any(x in name for x in args.only)
    }
    if not laws:
        parser.error(f"no law is called {' or '.join(args.only)}; there are {', '.join(LAWS)}")
    if args.small and len(cut_small()) < 2:
        parser.error("there is nothing to make small")
    count = 1_000_000 if args.count is None and args.minutes is None else args.count
    seed = random.randrange(2**32) if args.seed is None else args.seed
    report = run(1 if args.case is not None else count, seed, laws, args.minutes, args.case or 0)
    print(report)
    return 1 if report.faults else 0


if __name__ == "__main__":
    sys.exit(main())
