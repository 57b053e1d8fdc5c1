# SPDX-License-Identifier: Apache-2.0
"""Random operations: calls of public functions on literals and on the values of earlier statements.

Each operation draws its call with the help of `Draw`. That keeps the declared ints and the values of
earlier statements. It makes some mistakes in a call that is to fail.

>>> from random import Random
>>> Draw(Random(5), 0, 0, padded=True).tuple_((4, (2, 70))).text
'(_4, (_2, _70))'
"""

from __future__ import annotations

import operator
from math import prod
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from ..errors import TlaError
from ..layouts import AnyLayout, Layout, _, flatten_to_tuple, is_layout, product_each, unflatten
from ..numbers import Int, ints, is_tuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from random import Random

_T = TypeVar("_T")


class Operand(NamedTuple):
    """An expression and its value."""

    text: str
    value: Any

    def __str__(self) -> str:
        return self.text


class Call(NamedTuple):
    """An expression that may fail."""

    text: str
    function: Callable[..., Any]
    args: tuple[Any, ...]
    keywords: dict[str, Any]

    def outcome(self) -> Any:
        try:
            return self.function(*self.args, **self.keywords)
        except (TlaError, ArithmeticError) as error:
            return error


def _call(name: str, *args: Operand, **keywords: Operand) -> Call:
    """The call of a public function, by its name with or without ``tla.``."""
    texts = [*map(str, args), *(f"{key}={x}" for key, x in keywords.items())]
    function = resolve_name(f"tla:{name.removeprefix('tla.')}")
    values = {key: x.value for key, x in keywords.items()}
    return Call(f"{name}({', '.join(texts)})", function, tuple(x.value for x in args), values)


def _tuple(items: Sequence[Operand]) -> Operand:
    texts = [item.text for item in items]
    text = f"({texts[0]},)" if len(texts) == 1 else f"({', '.join(texts)})"
    return Operand(text, tuple(item.value for item in items))


_EXTENTS: Final = (1, 2, 2, 2, 3, 4, 4, 4, 5, 6, 8, 8, 12, 16)
_STRIDES: Final = (0, 1, 1, 2, 3, 4, 5, 8, 12, 16, 64)
_TRIES: Final = 6
_MOST_LEAVES: Final = 8
_MOST_SIZE: Final = 1 << 14


class Draw:
    """The state of a program: its declared ints, the values of its statements, its random choices."""

    def __init__(self, rng: Random, dynamic: float, literal: float, padded: bool) -> None:
        self.rng = rng
        self.dynamic = dynamic
        self.literal = literal
        self.padded = padded
        self.ints: list[tuple[str, int]] = []
        self.values: list[Operand] = []
        self.is_wrong: bool = False
        """Whether the current statement is to fail."""

    def call(self, failing: float) -> tuple[str, Call, Any]:
        """The name of a random operation, its call, and the outcome."""
        self.is_wrong = self.chance(failing)
        count = len(self.ints)
        name = self.operation()
        call = OPERATIONS[name][1](self)
        outcome = call.outcome()
        for _try in range(_TRIES):
            if isinstance(outcome, Exception) == self.is_wrong:
                break
            del self.ints[count:]
            if self.is_wrong:  # not every operation can fail
                name = self.operation()
            call = OPERATIONS[name][1](self)
            outcome = call.outcome()
        return name, call, outcome

    def operation(self) -> str:
        return self.rng.choices(list(OPERATIONS), [weight for weight, _make in OPERATIONS.values()])[0]

    # --- chance ---

    def chance(self, p: float) -> bool:
        return self.rng.random() < p

    def makes_mistake(self, p: float = 0.4) -> bool:
        """Whether to make a mistake here; False in a statement that is to succeed."""
        return self.is_wrong and self.chance(p)

    def pick(self, choices: Sequence[_T]) -> _T:
        return self.rng.choice(choices)

    # --- ints and tuples ---

    def int_(self, value: int) -> Operand:
        """A static int, a literal or a declared int."""
        kind = self.rng.random()
        if kind < self.dynamic:
            names = [name for name, n in self.ints if n == value]
            if names and self.chance(0.5):
                return Operand(names[0], value)
            self.ints.append((f"n{len(self.ints)}", value))
            return Operand(self.ints[-1][0], value)
        if kind < self.dynamic + self.literal:
            return Operand(str(value), value)
        return self.static(value)

    def static(self, value: int) -> Operand:
        return Operand(f"_{value}" if hasattr(ints, f"_{value}") else f"Int({value})", Int(value))

    def index(self, value: int) -> Operand:
        """The index of a mode."""
        is_static = self.dynamic + self.literal == 0 or self.chance(0.5)
        return self.static(value) if is_static else Operand(str(value), value)

    def tuple_(self, x: Any) -> Operand:
        """A tuple of ints as an operand; each int is static, a literal or declared."""
        return _tuple([self.tuple_(i) for i in x]) if is_tuple(x) else self.int_(int(x))

    def shape(self, most: int = 64, depth: int = 2) -> Any:
        """A shape of plain ints."""
        if depth and self.chance(0.8 if depth == 2 else 0.25):
            rank = self.pick((1, 2, 2, 2, 3)) if not self.chance(0.02) else 0
            parts: list[Any] = []
            for _i in range(rank):
                parts.append(self.shape(most, depth - 1))
                most //= max(1, prod(flatten_to_tuple(parts[-1])))
            return tuple(parts)
        if self.makes_mistake(0.1):
            return -2
        return self.pick([n for n in _EXTENTS if n <= max(1, most)])

    def stride(self, shape: Any) -> Any:
        """The stride of a shape, of plain ints: compact in some order, with gaps, or any."""
        if self.makes_mistake(0.15):
            shape = self.shape()
        extents = flatten_to_tuple(shape)
        if self.chance(0.25):
            return unflatten(tuple(self.pick(_STRIDES) for _n in extents), shape)
        order = list(range(len(extents)))
        if self.chance(0.6):
            self.rng.shuffle(order)
        elif self.chance(0.5):
            order.reverse()
        steps, step = [0] * len(extents), self.pick((1, 1, 1, 2, 4, 16))
        for i in order:
            steps[i] = step if not self.chance(0.06) else 0
            step *= max(1, int(extents[i])) * self.pick((1, 1, 1, 1, 1, 2, 3))
        return unflatten(tuple(steps), shape)

    # --- operands ---

    def fresh(self, most: int = 64) -> Operand:
        """A new layout as a call."""
        while True:
            before = self.is_wrong
            self.is_wrong = False  # no mistake inside an operand
            call = _make(self, most, padded=False)
            self.is_wrong = before
            value = call.outcome()
            if is_layout(value):
                return Operand(call.text, value)

    def layout(self, most: int = _MOST_SIZE, rank: int | None = None) -> Operand:
        """The layout of an earlier statement, or a new one."""
        fitting = [x for x in self.values if is_layout(x.value) and _is_small(x.value, most)]
        if rank is not None:
            fitting = [x for x in fitting if _rank(x.value.shape) == rank]
        if fitting and self.chance(0.8):
            return self.pick(fitting)
        return self.fresh(min(most, 64))

    def number(self) -> Operand:
        """The int of an earlier statement, or a new one."""
        operands = [x for x in self.values if isinstance(x.value, int) and abs(x.value) < 1 << 20]
        if operands and self.chance(0.6):
            return self.pick(operands)
        return self.int_(self.pick((0, 1, 2, 3, 4, 5, 8, 12, 16, 24, 64, 100)))

    def int_tuple(self) -> Operand:
        """The tuple of an earlier statement, the shape or stride of a layout, or a new tuple."""
        operands = [x for x in self.values if is_tuple(x.value) and _is_ints(x.value)]
        if operands and self.chance(0.4):
            return self.pick(operands)
        if self.chance(0.5):
            layout = self.layout()
            name = self.pick(("shape", "stride"))
            return Operand(f"{layout}.{name}", getattr(layout.value, name))
        return self.tuple_(self.shape())

    def coord(self, shape: Any) -> Any:
        """A coordinate of plain ints: of the profile, coarser, or an index."""
        if is_tuple(shape) and not self.chance(0.15):
            modes = [self.coord(s) for s in shape]
            if self.makes_mistake(0.3):
                modes = modes[:-1] if self.chance(0.5) else [*modes, 0]
            return tuple(modes)
        size = prod(map(int, flatten_to_tuple(shape)))
        if self.makes_mistake(0.3):
            return self.pick((-1, size, size + 3))
        return self.rng.randrange(max(1, size))

    def tile(self, shape: Any) -> Any:
        """An extent for each mode, mostly one that divides it."""
        sizes = [int(n) for n in product_each(shape)]
        tile = [self.pick([d for d in range(1, n + 1) if n % d == 0] or [1]) for n in sizes]
        if self.is_wrong:
            tile = [n if self.chance(0.6) else self.pick((2, 3, 5, 7)) for n in tile]
            if self.chance(0.2):
                tile = tile[:-1] if self.chance(0.5) else [*tile, 2]
        return tuple(tile) if is_tuple(shape) or len(tile) != 1 else tile[0]

    def tiler(self, layout: AnyLayout) -> Operand:
        """The tiler of a layout: a tuple of extents, or a layout."""
        if self.chance(0.5):
            return self.tuple_(self.tile(layout.shape))
        size = int(layout.size)
        extent = self.pick([d for d in range(1, size + 1) if size % d == 0][:8] or [1])
        step = self.pick([d for d in range(1, size + 1) if size % (d * extent) == 0][:6] or [1])
        if self.is_wrong and self.chance(0.5):
            extent, step = self.pick((3, 5, 6)), self.pick((2, 3, 7))
        if self.chance(0.7):
            return Operand(
                f"Layout({(e := self.int_(extent))}, {(d := self.int_(step))})", Layout(e.value, d.value)
            )
        return self.layout(64)


def _rank(shape: Any) -> int:
    return len(shape) if is_tuple(shape) else 1


def _is_small(layout: AnyLayout, most: int) -> bool:
    return len(flatten_to_tuple(layout.shape)) <= _MOST_LEAVES and 0 < layout.size <= most


def _is_ints(x: Any) -> bool:
    return all(map(_is_ints, x)) if is_tuple(x) else isinstance(x, int)


# --- operations -----------------------------------------------------------------------------------


def _make(d: Draw, most: int = 64, padded: bool = True) -> Call:
    kind = d.rng.random()
    shape = d.shape(most)
    if padded and d.padded and kind < 0.2:
        sizes = tuple(max(0, int(n) - d.pick((0, 0, 1, 2))) for n in product_each(shape))
        if d.makes_mistake():
            sizes = (*sizes[:-1], d.pick((100, -1)))
        origin = sizes if is_tuple(shape) else sizes[0]
        return _call("Layout", d.tuple_(shape), d.tuple_(d.stride(shape)), d.tuple_(origin))
    if kind < 0.3:
        return _call("make_layout", d.tuple_(shape))
    return _call(d.pick(("make_layout", "Layout")), d.tuple_(shape), d.tuple_(d.stride(shape)))


def _in_order(d: Draw) -> Call:
    shape = d.shape()
    if not is_tuple(shape) or d.chance(0.6):
        name = d.pick(("row_major", "col_major"))
        return _call(name, *[d.tuple_(s) for s in (shape if is_tuple(shape) else (shape,))])
    places = list(range(len(flatten_to_tuple(shape))))
    d.rng.shuffle(places)
    order = unflatten(tuple(places), shape)
    return _call(
        "make_ordered_layout", d.tuple_(shape), d.tuple_(order[1:] if d.makes_mistake() else order)
    )


def _like(d: Draw) -> Call:
    return _call("make_layout_like", d.layout())


def _layout_tile(d: Draw) -> Call:
    layout = d.layout()
    return _call("make_layout_tile", layout, d.tuple_(d.tile(layout.value.shape)))


def _tile_layout(d: Draw) -> Call:
    layout = d.layout()
    tile = d.tile(layout.value.shape)
    many = is_tuple(tile)
    tiles = tile if many else (tile,)
    coord = tuple(d.pick((0, 1, 2, -1 if d.is_wrong else 0)) * n for n in tiles)
    return _call("get_tile_layout", layout, d.tuple_(tile), d.tuple_(coord if many else coord[0]))


def _composition(d: Draw) -> Call:
    a = d.layout()
    return _call("composition", a, d.tiler(a.value))


def _complement(d: Draw) -> Call:
    layout = d.layout(256)
    if d.chance(0.4):
        return _call("complement", layout)
    most = int(layout.value.cosize)
    return _call("complement", layout, d.int_(d.pick((most, 2 * most, 100, 256))))


def _divide(d: Draw) -> Call:
    layout = d.layout()
    name = d.pick(("logical_divide", "logical_divide", "zipped_divide", "tiled_divide", "flat_divide"))
    if d.chance(0.2):
        return _call(name, layout, d.tiler(layout.value), exact=Operand("True", True))
    return _call(name, layout, d.tiler(layout.value))


def _product(d: Draw) -> Call:
    block = d.layout(64)
    name = d.pick(("logical_product", "zipped_product", "tiled_product", "flat_product"))
    if d.chance(0.5):
        return _call(name, block, d.layout(16))
    return _call(name, block, d.tuple_(d.tile(block.value.shape)))


def _by_pairs(d: Draw) -> Call:
    block = d.layout(64)
    rank = None if d.makes_mistake() else _rank(block.value.shape)
    return _call(d.pick(("blocked_product", "raked_product")), block, d.layout(16, rank))


def _tile_to_shape(d: Draw) -> Call:
    block = d.layout(64)
    tile = [int(n) for n in product_each(block.value.shape)]
    shape = tuple(n * d.pick((1, 2, 3)) + d.makes_mistake() for n in tile)
    return _call("tile_to_shape", block, d.tuple_(shape))


def _inverse(d: Draw) -> Call:
    return _call(d.pick(("right_inverse", "left_inverse")), d.layout(256))


def _coalesce(d: Draw) -> Call:
    return _call(d.pick(("coalesce", "coalesce", "filter_zeros", "tla.filter")), d.layout())


def _offset(d: Draw) -> Call:
    layout = d.layout()
    coord = d.coord(layout.value.shape)
    if d.chance(0.4):
        name, value = layout
        parts = Operand(f"{name}.shape", value.shape), Operand(f"{name}.stride", value.stride)
        return _call("crd2offset", d.tuple_(coord), *parts)
    coords = [d.tuple_(c) for c in (coord if is_tuple(coord) and len(coord) > 1 else (coord,))]
    method = d.pick(("", "", ".extended"))
    function = layout.value.extended if method else layout.value
    text = f"{layout}{method}({', '.join(map(str, coords))})"
    return Call(text, function, tuple(c.value for c in coords), {})


def _coordinate(d: Draw) -> Call:
    shape = d.int_tuple()
    if not all(n > 0 for n in flatten_to_tuple(shape.value)):
        shape = d.tuple_(d.shape())
    size = prod(map(int, flatten_to_tuple(shape.value)))
    if d.chance(0.5):
        index = size + 1 if d.makes_mistake(0.6) else d.rng.randrange(max(1, size))
        return _call("idx2crd", d.int_(index), shape)
    return _call("crd2idx", d.tuple_(d.coord(shape.value)), shape)


def _slice(d: Draw) -> Call:
    layout = d.layout()
    shape = layout.value.shape
    modes = list(shape) if is_tuple(shape) else [shape]
    parts = [Operand("_", _) if d.chance(0.5) else d.tuple_(d.coord(s)) for s in modes]
    if d.makes_mistake(0.3):
        parts.append(Operand("_", _))
    coord = _tuple(parts) if is_tuple(shape) or len(parts) > 1 else parts[0]
    if d.chance(0.3):
        return _call("slice_and_offset", coord, layout)
    text = ", ".join(map(str, parts)) if len(parts) > 1 else str(coord)
    return Call(f"{layout}[{text or '()'}]", operator.getitem, (layout.value, coord.value), {})


def _fact(d: Draw) -> Call:
    layout = d.layout()
    name = d.pick(("rank", "size", "depth", "cosize", "shape", "stride", "get"))
    if d.chance(0.4) and name != "get":
        return Call(f"{layout}.{name}", getattr, (layout.value, name), {})
    rank = _rank(layout.value.shape)
    if d.chance(0.4) and name != "get":
        return _call(name, layout)
    return _call(name, layout, d.index(rank if d.makes_mistake(0.8) else d.rng.randrange(max(1, rank))))


_SIGNS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": lambda a, b: a // b,
    "%": operator.mod,
}


def _arithmetic(d: Draw) -> Call:
    a, b = d.number(), d.number()
    if d.makes_mistake():
        b = d.int_(0)
    if d.chance(0.6):
        sign = d.pick(list(_SIGNS))
        return Call(f"{a} {sign} {b}", _SIGNS[sign], (a.value, b.value), {})
    return _call(d.pick(("ceil_div", "round_up", "round_down", "min_", "max_")), a, b)


def _tuples(d: Draw) -> Call:
    x = d.int_tuple()
    strides = ("compact_row_major", "compact_col_major")
    name = d.pick(("product", "product_each", "flatten", "shape_div", *strides))
    if name == "shape_div":
        return _call(name, x, d.int_(d.pick((1, 2, 2, 4, 8, 3))))
    return _call(name, x)


def _edit(d: Draw) -> Call:
    layout = d.layout()
    rank = _rank(layout.value.shape)
    name = d.pick(("select", "take", "group", "append", "prepend", "replace"))
    begin = d.rng.randrange(max(1, rank))
    if name == "select":
        return _call(name, layout, d.index(begin), d.index(rank if d.makes_mistake() else 0))
    if name in ("take", "group"):
        end = d.rng.randint(begin, rank) + 2 * d.makes_mistake()
        return _call(name, layout, d.index(begin), d.index(end))
    if name == "replace":
        return _call(name, layout, d.index(rank if d.makes_mistake() else begin), d.layout(64))
    return _call(name, layout, d.layout(64))


def _cast(d: Draw) -> Call:
    n = d.pick((2, 2, 4, 3, 0 if d.is_wrong else 8))
    return _call(d.pick(("upcast", "downcast")), d.layout(), d.int_(n))


def _tag(d: Draw) -> Call:
    element = d.pick(("half", "float", "int8_t"))
    tag = d.pick(("zN", "nZ", "zZ", "nN", "RowMajor", "ColumnMajor") + ("xY",) * d.makes_mistake(0.3))
    sizes = [d.int_(d.pick((16, 32, 20, 48, 64, 100, -1 if d.is_wrong else 128))) for _i in range(2)]
    if d.makes_mistake(0.2):
        sizes = sizes[:1]
    keywords: dict[str, Operand] = {}
    if tag in ("RowMajor", "ColumnMajor") and d.chance(0.4):
        keywords["ld"] = d.int_(d.pick((128, 256) if not d.is_wrong else (4, 8)))
    texts = [Operand(f'"{text}"', text) for text in (element, tag)]
    return _call("tla.ascend.make_layout", *texts, *sizes, **keywords)


OPERATIONS: Final[dict[str, tuple[int, Callable[[Draw], Call]]]] = {
    "construct": (5, _make),
    "order": (3, _in_order),
    "like": (1, _like),
    "make_layout_tile": (3, _layout_tile),
    "get_tile_layout": (3, _tile_layout),
    "compose": (5, _composition),
    "complement": (3, _complement),
    "divide": (5, _divide),
    "product": (3, _product),
    "blocked": (3, _by_pairs),
    "tile_to_shape": (1, _tile_to_shape),
    "inverse": (3, _inverse),
    "coalesce": (3, _coalesce),
    "crd2offset": (5, _offset),
    "coordinate": (2, _coordinate),
    "slice": (3, _slice),
    "fact": (4, _fact),
    "arithmetic": (3, _arithmetic),
    "tuples": (2, _tuples),
    "edit": (2, _edit),
    "cast": (1, _cast),
    "tag": (4, _tag),
}
"""The operations by kind: the weight of each, and the function that draws its call."""
