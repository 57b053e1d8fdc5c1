# SPDX-License-Identifier: Apache-2.0
"""The topics of the course, each a maker of questions, in the order of the tutorial.

A maker draws its numbers from a `Draw`; a higher level has more modes, deeper ones, larger numbers.
"""

from __future__ import annotations

from math import prod
from random import Random
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from ..algebra import (
    blocked_product,
    coalesce,
    complement,
    composition,
    logical_divide,
    logical_product,
    make_layout_tv,
    max_common_vector,
    raked_product,
    right_inverse,
    tiled_divide,
    zipped_divide,
)
from ..ascend import parse_tagged
from ..errors import LayoutError
from ..figures import layout_figure
from ..ground import plural
from ..layouts import (
    Layout,
    Swizzle,
    coords,
    crd2crd,
    crd2idx,
    flatten_to_tuple,
    idx2crd,
    product_each,
    text_of,
    unflatten,
)
from ..numbers import ceil_div
from ..xla_bridge import parse_array, to_layout
from .questions import Question, function, values

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..ground import Figure
    from ..layouts import AnyLayout

T = TypeVar("T")


class Draw(Random):
    """Random numbers of one exercise, at a level from 1 to 3."""

    def __init__(self, level: int, seed: str) -> None:
        super().__init__(seed)
        self.level = level

    def some(self, items: Sequence[T], count: int = 3) -> list[T]:
        """Draw different items, in their order."""
        return [items[i] for i in sorted(self.sample(range(len(items)), min(count, len(items))))]

    def shape(self, rank: int, extents: Sequence[int] = (2, 3, 4, 5, 6)) -> tuple[int, ...]:
        """Draw a flat shape."""
        return tuple(self.choice(extents) for _mode in range(rank))

    def nested(self) -> Any:
        """Draw a shape of two modes, of which one has two parts, and from level 2 on both."""
        a, b, c, d = self.shape(4, (2, 3, 4))
        return self.choice([((a, b), c), (c, (a, b))]) if self.level == 1 else ((a, b), (c, d))

    def compact(self, shape: Any, gaps: bool = False) -> AnyLayout:
        """Draw a layout of a shape whose offsets are 0, 1, 2, ..., or with gaps between them."""
        extents = flatten_to_tuple(shape)
        strides, step = [0] * len(extents), 1
        for mode in self.sample(range(len(extents)), len(extents)):
            strides[mode] = step
            step *= extents[mode] + (self.choice((0, 1, 2)) if gaps else 0)
        return Layout(shape, unflatten(tuple(strides), shape))

    def until(self, make: Callable[[], T | None]) -> T:
        """Draw until there is a value: what is not defined, or too plain, is drawn again."""
        while True:
            try:
                found = make()
            except LayoutError:
                continue
            if found is not None:
                return found


def _picture(layout: AnyLayout, title: str = "") -> Figure:
    """The offsets of a layout, without its text."""
    return layout_figure(layout, colour="")._replace(title=title)


def _terms(layout: AnyLayout, coord: Any) -> str:
    """The offset of a coordinate, down to its leaves, before it is added up: ``1 * 4 + 2 * 16``."""
    leaves = flatten_to_tuple(coord), flatten_to_tuple(layout.stride)
    return " + ".join(f"{int(c)} * {int(d)}" for c, d in zip(*leaves, strict=True))


def _sum_at(layout: AnyLayout, at: Any) -> str:
    """What to calculate for the offset of a coordinate of the modes, without the origin shape."""
    coord = crd2crd(at, layout.shape, layout.shape)
    plain = Layout(layout.shape, layout.stride)
    return f"The layout is {plain}, the coordinate {text_of(coord)}: calculate {_terms(layout, coord)}."


# --- layouts as functions ---------------------------------------------------------------------


def _function(draw: Draw) -> Question:
    a = draw.compact(
        draw.nested() if draw.level == 3 else draw.shape(1 + draw.level), gaps=draw.level > 1
    )
    places = draw.some([*coords(a.shape)][1:])
    return values(
        f"A = {a}. What are the offsets of {_and(places)}?",
        {at: int(a(at)) for at in places},
        "An offset is coordinate times stride, added up over the modes.",
        lambda at: f"Calculate {_terms(a, at)}.",
    )


def _strides(draw: Draw) -> Question:
    def make() -> AnyLayout:
        a = draw.compact(draw.shape(2), gaps=draw.level > 1)
        return Layout(a.shape, (a.stride[0], 0)) if draw.level == 3 and draw.random() < 0.3 else a

    a = make()
    return function(
        "Which layout has these offsets? Write it as shape:stride.",
        a,
        "The stride of a mode is what one step along it adds to the offset; 0 where it adds nothing.",
        _picture(a),
    )


def _integers(draw: Draw) -> Question:
    shape = draw.nested() if draw.level == 3 else draw.shape(1 + draw.level)
    count = Layout(shape).size
    numbers = draw.some(range(1, count))

    def work(i: int) -> str:
        extents = flatten_to_tuple(shape)
        steps = [f"{i} // {prod(extents[:k])} % {extent}" for k, extent in enumerate(extents)]
        return f"Calculate {', '.join(steps)}."

    return values(
        f"The shape is {text_of(shape)}. Which coordinates have the indices {_and(numbers)}?",
        {i: idx2crd(i, shape) for i in numbers},
        "The first mode counts fastest: what is left of the index by its extent is its coordinate,"
        " and the"
        " quotient goes on to the next mode.",
        work,
    )


def _nesting(draw: Draw) -> Question:
    a = draw.compact(draw.nested(), gaps=draw.level == 3)
    return function(
        "Which nested layout has these offsets? Write it as shape:stride.",
        a,
        "Walk along one side: where the step changes, a new part of the mode begins.",
        _picture(a),
    )


def _coalesce(draw: Draw) -> Question:
    def make() -> tuple[AnyLayout, AnyLayout] | None:
        shape = draw.shape(2 + draw.level, (1, 2, 3, 4))
        steps = [extent * draw.choice((1, 1, 2)) for extent in shape]
        a = Layout(shape, tuple(prod(steps[:k]) for k in range(len(steps))))
        short = coalesce(a)
        return (a, short) if 1 < _modes(short) < len(shape) else None

    a, short = draw.until(make)
    most = _modes(short)

    def demand(value: Any, _calls: Any) -> str:
        return (
            ""
            if _modes(value) <= most
            else f"It is the same function, but fewer modes than {_modes(value)} do."
        )

    return function(
        f"A = {a}. Write the same function of the index with as few modes as there can be.",
        short,
        "Two neighbours are one mode where the stride of the second is extent times stride of the"
        " first;"
        " a mode of extent 1 goes.",
        demand=demand,
        by_mode=False,
    )


def _modes(layout: Any) -> int:
    return len(flatten_to_tuple(layout.shape))


def _copies(draw: Draw) -> Question:
    def make() -> tuple[AnyLayout, AnyLayout] | None:
        shape = draw.shape(1 + draw.level, (2, 4, 8))
        a, b = draw.compact(shape), draw.compact(shape)
        return (a, b) if int(max_common_vector(a, b)) > 1 or draw.random() < 0.2 else None

    a, b = draw.until(make)
    return values(
        f"An array lies in memory by A = {a} and is copied to B = {b}. How many elements, from offset"
        f" 0 on,"
        " lie in the same order in both, so that one instruction may move them?",
        {"offset 0": int(max_common_vector(a, b))},
        "Begin with the mode of stride 1. If it is the same mode in both, go on with the mode that"
        " follows it"
        " in memory, as long as both have the same.",
        lambda _at: f"By stride the modes of A are {_in_memory(a)}, those of B {_in_memory(b)}.",
    )


def _in_memory(layout: AnyLayout) -> str:
    modes = zip(flatten_to_tuple(layout.stride), flatten_to_tuple(layout.shape), range(9), strict=False)
    return ", ".join(f"mode {i} ({extent}:{stride})" for stride, extent, i in sorted(modes))


# --- the algebra ------------------------------------------------------------------------------


def _composition(draw: Draw) -> Question:
    def make() -> tuple[AnyLayout, AnyLayout, AnyLayout] | None:
        a = draw.compact(draw.shape(2, (2, 3, 4, 6)), gaps=draw.level > 1)
        shape = draw.shape(1 if draw.level == 1 else 2, (2, 3, 4, 6))
        stride = tuple(draw.choice((1, 2, 3, 4, 6)) for _mode in shape)
        b: AnyLayout = Layout(shape[0], stride[0]) if draw.level == 1 else Layout(shape, stride)
        c = composition(a, b)
        return (a, b, c) if b(b.size - 1) < a.size and c.size < 65 else None

    a, b, c = draw.until(make)
    return function(
        f"A = {a} and B = {b}. What is the composition of A with B?",
        c,
        "The composition at a coordinate is A at the index that B gives.",
        by_mode=draw.level > 1,
    )


def _inverse(draw: Draw) -> Question:
    a = draw.compact(draw.nested() if draw.level == 3 else draw.shape(2, (2, 3, 4, 5)))
    inverse = right_inverse(a)
    if draw.level == 1:
        places = draw.some(range(1, a.size))
        return values(
            f"A = {a}. Which indices have the offsets {_and(places)}?",
            {k: int(inverse(k)) for k in places},
            "Take the modes from the largest stride down: the quotient of the offset by the stride is"
            " the"
            " coordinate, and the rest goes on. The index then counts the first mode fastest.",
            lambda k: f"Divide {k} by {_and(sorted(flatten_to_tuple(a.stride), reverse=True))} in turn.",
        )
    return function(
        f"A = {a}. Which layout takes each offset of A back to its index?",
        inverse,
        "Sort the modes of A by their stride. The stride of each in the inverse is the index that one"
        " step along it"
        " is in A: the product of the extents before it.",
        by_mode=False,
    )


def _complement(draw: Draw) -> Question:
    def make() -> tuple[AnyLayout, int, AnyLayout] | None:
        n, step, times = draw.choice((2, 3, 4)), draw.choice((1, 2, 3, 4)), draw.choice((1, 2, 3))
        a: AnyLayout = Layout(n, step)
        end = n * step
        if draw.level > 1:
            m, far = draw.choice((2, 3)), end * draw.choice((1, 2, 3))
            a, end = Layout((n, m), (step, far)), far * m
        found = complement(a, end * times)
        return (a, end * times, found) if 1 < found.size < 65 else None

    a, most, found = draw.until(make)
    return function(
        f"A = {a}. What is its complement up to {most}: the layout, in the order of its offsets, that"
        f" repeats A over"
        f" the offsets below {most}?",
        found,
        "Sort the modes of A by stride. A gap before a mode is a mode of the complement: its stride"
        " is the end of what"
        " lies below, its extent how often that fits. What lies above the last mode is repeated too.",
        by_mode=False,
    )


def _divide(draw: Draw) -> Question:
    name, divide = draw.choice(
        [
            ("zipped_divide", zipped_divide),
            ("logical_divide", logical_divide),
            ("tiled_divide", tiled_divide),
        ]
        if draw.level > 1
        else [("zipped_divide", zipped_divide)]
    )
    tile = draw.shape(2, (2, 3))
    times = draw.shape(2, (2, 3) if draw.level > 1 else (1, 2, 3))
    a = draw.compact(tuple(t * n for t, n in zip(tile, times, strict=True)), gaps=draw.level == 3)
    found = divide(a, tile)
    return function(
        f"A = {a}. What is {name} of A by the tile {text_of(tile)}?",
        found,
        f"{name} splits each mode into the tile, with the strides of A, and the rest, with the"
        f" strides times the"
        f" extents of the tile; its modes are {_FORMS[name]}.",
    )


_FORMS: Final = {
    "zipped_divide": "the tile and the rest",
    "logical_divide": "those of A, each a tile and its rest",
    "tiled_divide": "the tile, and the rest of each mode of A",
}


def _product(draw: Draw) -> Question:
    block = draw.compact(draw.shape(2, (2, 3)))
    tiler = draw.compact(draw.shape(2, (2, 3) if draw.level > 1 else (1, 2)))
    names = {"blocked_product": blocked_product, "raked_product": raked_product}
    name = draw.choice([*names, "logical_product"] if draw.level == 3 else [*names][: draw.level])
    found = {**names, "logical_product": logical_product}[name](block, tiler)
    return function(
        f"The block is {block}, repeated by the tiler {tiler}. What is their {name}?",
        found,
        {
            "blocked_product": "Along each mode the block comes first, then its copies; a copy is as"
            " far away as the"
            " stride of the tiler times the size of the block.",
            "raked_product": "Along each mode the copies come first, then the block: neighbours are"
            " of different copies.",
            "logical_product": "Mode 0 is the block, mode 1 its copies: as far apart as the stride of"
            " the tiler times"
            " the size of the block.",
        }[name],
    )


# --- hardware and compilers -------------------------------------------------------------------


def _tails(draw: Draw) -> Question:
    tile = draw.shape(2, (4, 8, 16) if draw.level > 1 else (2, 3, 4))
    shape = tuple(t * draw.randrange(1, 4) + draw.randrange(1, t) for t in tile)
    counts = tuple(ceil_div(n, t) for n, t in zip(shape, tile, strict=True))
    places = draw.some([*coords(counts)][-1 - draw.level :], 2)
    return values(
        f"A matrix of {text_of(shape)} is cut into tiles of {text_of(tile)}. How many rows and"
        f" columns are there in"
        f" the tiles {_and(places)}?",
        {at: tuple(min(t, n - c * t) for c, n, t in zip(at, shape, tile, strict=True)) for at in places},
        "A tile has its whole extent, or what is left of the matrix where it begins.",
        lambda at: (
            "Take the lesser: "
            + ", and ".join(f"{t} or {n} - {c} * {t}" for c, n, t in zip(at, shape, tile, strict=True))
            + "."
        ),
    )


def _xla(draw: Draw) -> Question:
    tile = draw.choice([(2, 2), (2, 3), (2, 4)] if draw.level == 1 else [(8, 128), (2, 128), (4, 8)])
    dims = tuple(t * draw.randrange(1, 3) + draw.randrange(1, t) for t in tile)
    minor = "1,0" if draw.level == 1 else draw.choice(("1,0", "0,1"))
    element, packed = ("bf16", "(2,1)") if draw.level == 3 else ("f32", "")
    text = f"{element}[{dims[0]},{dims[1]}]{{{minor}:T({tile[0]},{tile[1]}){packed}}}"
    layout = to_layout(parse_array(text))
    places = [(draw.randrange(dims[0]), draw.randrange(dims[1])) for _place in range(2)]
    return values(
        f"{text}. At which place in memory, in elements, are {_and(places)}?",
        {at: int(layout(at)) for at in places},
        "The tiles lie one after another, the whole of each, with its padding; the last dim of the"
        " list is the slowest. Inside a tile the elements are in row-major order, or again in tiles.",
        lambda at: _sum_at(layout, at),
    )


def _fractals(draw: Draw) -> Question:
    tag = draw.choice(("zN", "nZ") if draw.level == 1 else ("zN", "nZ", "zZ", "nN"))
    element = draw.choice(("half",) if draw.level < 3 else ("int8_t", "float"))
    rows, columns = (16 * draw.randrange(2, 5) for _side in range(2))
    text = f"{tag}<{element}>({rows},{columns})"
    layout = parse_tagged(text).layout
    places = [(draw.randrange(rows), draw.randrange(columns)) for _place in range(2)]
    return values(
        f"A tile lies in L1 by {text}. What are the offsets of {_and(places)}, in elements?",
        {at: int(layout(at)) for at in places},
        "The tile is cut into fractals of 16 times 32 bytes, which lie one after another.",
        lambda at: _sum_at(layout, at),
    )


def _gemm(draw: Draw) -> Question:
    m, n, k = (16 * draw.randrange(2, 9 + 4 * draw.level) for _side in range(3))
    stages = draw.choice((1, 2)) if draw.level > 1 else 1
    width, kind = draw.choice([(2, "half"), (4, "float")]) if draw.level == 3 else (2, "half")
    return values(
        f"A block of C takes {m} x {k} of A and {k} x {n} of B, of {kind}, in"
        f" {plural(stages, 'stage')} of L1, and {m} x {n} of float in L0C. How many bytes"
        " are that in L1, and in L0C?",
        {"L1": stages * width * k * (m + n), "L0C": 4 * m * n},
        "A buffer takes rows times columns times the bytes of an element, for each of its stages.",
        lambda at: (
            f"Calculate {stages} * {width} * ({m} * {k} + {k} * {n})."
            if at == "L1"
            else f"Calculate 4 * {m} * {n}."
        ),
    )


def _threads(draw: Draw) -> Question:
    threads = draw.compact(draw.shape(2, (2, 3, 4)))
    each = draw.compact(draw.shape(2, (1, 2) if draw.level == 1 else (2, 3)))
    tile, tv = make_layout_tv(threads, each)
    cell = {int(tv(owner)): owner for owner in coords(product_each(tv.shape))}
    places = draw.some([*coords(tile)][1:], 2)
    return values(
        f"{tv} takes (thread, value) to the index of a cell in a tile of {text_of(tile)}, counted"
        f" column by column."
        f" Which thread and value are at {_and(places)}?",
        {at: cell[int(crd2idx(at, tile))] for at in places},
        "Count the index of the cell. Take the modes of the layout from the largest stride down: the"
        " quotient is the"
        " coordinate, and the rest goes on. Threads and values count their first mode fastest.",
        lambda at: f"The index of {text_of(at)} is {at[0]} + {at[1]} * {tile[0]}.",
    )


def _swizzles(draw: Draw) -> Question:
    bits, base, shift = draw.choice(
        [(1, 0, 2), (2, 0, 2), (1, 1, 2)] if draw.level == 1 else [(2, 0, 3), (2, 1, 3), (3, 0, 3)]
    )
    swizzle = Swizzle(bits, base, shift)
    places = draw.some(range(1 << (base + shift), 1 << (base + shift + bits + (draw.level == 3))))

    def work(x: int) -> str:
        mask = (1 << bits) - 1
        return f"In bits {x} is {x:b}. Calculate {x} ^ (({x} >> {base + shift} & {mask}) << {base})."

    return values(
        f"What does {swizzle} make of {_and(places)}?",
        {x: int(swizzle(x)) for x in places},
        f"{swizzle} takes {plural(bits, 'bit')} from bit {base + shift} on, and xors them into the bits"
        f" from bit {base} on.",
        work,
    )


def _expressions(draw: Draw) -> Question:
    def make() -> tuple[AnyLayout, str, AnyLayout] | None:
        tile, times = draw.shape(2, (2, 3)), draw.shape(2, (2, 3))
        a = draw.compact(tuple(t * n for t, n in zip(tile, times, strict=True)))
        name, operation, other = draw.choice(_PUZZLES[: 1 + 2 * draw.level])
        argument = tile if other else draw.compact(times)
        return a, f"{name}({a}, {text_of(argument) if other else argument})", operation(a, argument)

    a, reference, found = draw.until(make)

    def demand(_value: Any, calls: list[Any]) -> str:
        uses = any(isinstance(x, Layout) and x == a for _name, given, _named in calls for x in given)
        return "" if uses else "The offsets are right. Now get them by an operation on A."

    return function(
        f"A = {a}. Find an expression with an operation on A that has these offsets.",
        found,
        "Compare the picture with A: are its cells grouped, repeated, or taken in another order?",
        _picture(a, "A"),
        _picture(found, "the value of the expression"),
        reference=reference,
        demand=demand,
    )


_PUZZLES: Final[list[tuple[str, Any, bool]]] = [
    ("zipped_divide", zipped_divide, True),
    ("logical_divide", logical_divide, True),
    ("blocked_product", blocked_product, False),
    ("tiled_divide", tiled_divide, True),
    ("raked_product", raked_product, False),
    ("logical_product", logical_product, False),
]
"""Operations, and whether their second argument is a tile; the others take a layout."""


def _and(items: Sequence[Any]) -> str:
    *first, last = (x if isinstance(x, str) else text_of(x) for x in items)
    return f"{', '.join(first)} and {last}" if first else last


class Topic(NamedTuple):
    """A topic: its title, the page of the tutorial that teaches it, and its maker of questions."""

    title: str
    page: str
    make: Callable[[Draw], Question]


TOPICS: Final = {
    "function": Topic("A layout is a function", "01_a_layout_is_a_function", _function),
    "strides": Topic("Strides, padding, broadcast", "02_strides_padding_broadcast", _strides),
    "integers": Topic("One integer for a whole coordinate", "03_integer_coordinates", _integers),
    "nesting": Topic("Nested modes", "04_nesting_and_zn", _nesting),
    "coalesce": Topic("Coalesce", "05_coalesce", _coalesce),
    "copies": Topic("What one copy can move", "06_one_copy_loop", _copies),
    "composition": Topic("Composition", "07_composition", _composition),
    "inverse": Topic("Inverse", "08_inverse", _inverse),
    "complement": Topic("Complement", "09_complement", _complement),
    "divide": Topic("Divide", "10_divide_and_product", _divide),
    "product": Topic("Product", "10_divide_and_product", _product),
    "tails": Topic("Tails", "11_origin_and_tails", _tails),
    "xla": Topic("XLA's tiles", "12_xla_tiles", _xla),
    "fractals": Topic("Ascend's fractals", "04_nesting_and_zn", _fractals),
    "gemm": Topic("Buffers of a matrix product", "13_a_gemm_end_to_end", _gemm),
    "threads": Topic("Threads and values", "14_threads_and_values", _threads),
    "swizzles": Topic("Swizzles", "15_swizzles", _swizzles),
    "expressions": Topic("Find the expression", "10_divide_and_product", _expressions),
}
"""The topics by name, in the order of the tutorial."""
