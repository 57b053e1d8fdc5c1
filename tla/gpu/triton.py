# SPDX-License-Identifier: Apache-2.0
"""Triton's layouts as functions of bits: the texts of its encodings, read.

An encoding of Triton says which element of a tensor a ``register`` of a ``lane`` of a ``warp`` of a
``block`` holds, or which element lies at an ``offset`` of the shared memory of a ``block``. With the
shape of the tensor it is a linear layout: each bit of these numbers moves the coordinate by an xor.

>>> shared = "#ttg.swizzled_shared<{vec = 2, perPhase = 1, maxPhase = 4, order = [1, 0]}>"
>>> print(from_triton(shared, (4, 8)))
 - offset=1 -> (0, 1)
   offset=2 -> (0, 2)
   offset=4 -> (0, 4)
   offset=8 -> (1, 2)
   offset=16 -> (2, 4)
 - block is a size 1 dimension
where out dims are: [dim0 (size 4), dim1 (size 8)]

Source: Triton 3.9, LinearLayoutConversions.cpp, LayoutUtils.cpp and TritonGPUAttrDefs.td.
"""

from __future__ import annotations

from itertools import accumulate, chain
from re import MULTILINE, compile as compile_pattern
from typing import TYPE_CHECKING, Any, Final

from ..algebra import MOST_WIDTH, LinearLayout, bits_of_extent
from ..errors import LayoutError
from ..ground import MAX_DEPTH, Scanner, did_you_mean, is_too_deep, limit_of, near_words, shortened
from ..layouts import value_at
from ..numbers import known_int, leaf
from .encodings import BASES, EXTENTS, KINDS, ORDERS, Encoding, times

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


def from_triton(text: str, shape: Sequence[int] | None = None, name: str | None = None) -> LinearLayout:
    """Return the linear layout of a tensor of Triton: its ``toLinearLayout(shape, encoding)``.

    >>> mma = "#ttg.nvidia_mma<{versionMajor = 2, warpsPerCTA = [2, 1], instrShape = [16, 8]}>"
    >>> f = from_triton(f"tensor<32x8xf32, {mma}>")
    >>> f.ins, f.at(register=2, lane=5, warp=1)
    ((('register', 2), ('lane', 5), ('warp', 1), ('block', 0)), {'dim0': 25, 'dim1': 2})

    The in dims are ``register``, ``lane``, ``warp`` and ``block``, or ``offset`` and ``block`` of shared
    memory. The out dims are those of the tensor, ``dim0`` first.

    Args:
        text: An attribute such as ``#ttg.blocked<{...}>``; a type that has one, ``tensor<8x4xf16, #b>``
            or ``!ttg.memdesc<...>``; or lines ``#b = #ttg.blocked<{...}>`` that name attributes, alone
            or above one of these. A line that begins with ``module`` ends the text.
        shape: The sizes of the tensor, instead of those of a type. A ``linear`` attribute has its own.
        name: The name of the attribute, where the text names several.

    Raises:
        ParseError: the text is none of these, or a field of the attribute is missing, unknown or wrong;
            the error points at it.
        LayoutError: there is no shape; or an extent is no power of 2, so that the layout is not linear.
            Then the error says two coordinates whose xor is no coordinate.
    Source: Triton 3.9, LinearLayoutConversions.cpp.
    """
    encoding, sizes = _Scanner(text).chosen(name)
    if shape is not None:
        sizes = [known_int(leaf(size)) for size in shape]
    sizes = sizes or encoding.own_shape()
    if not sizes:
        raise LayoutError(
            f"the layout of {encoding} depends on the shape of the tensor",
            "Give a type, as tensor<128x64xf16, #blocked>,"
            " or the sizes: tla.gpu.from_triton(text, (128, 64)).",
        )
    bits = sum([bits_of_extent(size, f"a tensor of {times(sizes)}") for size in sizes])
    if bits > MOST_WIDTH:
        raise LayoutError(f"a linear layout has at most {MOST_WIDTH} bits, not {bits}", bits=bits)
    cover = encoding.cover(sizes)
    lows = [*accumulate(cover.bits, initial=0)]
    return LinearLayout(
        {name: len(bases) for name, bases in cover.bases.items()},
        {f"dim{dim}": bits for dim, bits in enumerate(cover.bits)},
        [
            sum([x << lows[dim] for dim, x in basis.items()])
            for bases in cover.bases.values()
            for basis in bases
        ],
    )


# --- the texts ---------------------------------------------------------------------------------

_NAMED: Final = compile_pattern(r"^[ \t]*#([\w.$-]+)[ \t]*=[ \t]*", MULTILINE)
_HEAD: Final = compile_pattern(r"(?:[ \t\r]*(?:#[\w.$-]+[ \t]*=.*|//.*)?(?:\n|\Z))*")
_LAYOUT: Final = compile_pattern(r"#(?:ttg|triton_gpu)\.(?!shared_memory)\w+")
_ELEMENT: Final = compile_pattern(r"[^\s,<>]+(?:<[^<>]*>)?")


class _Scanner(Scanner):
    """A scanner of a text that names attributes. An attribute is read where its name is used.

    Attributes:
        named: Where the attribute of a name begins.
        room: How many levels of attributes may follow.
    """

    __slots__ = ("named", "room")

    def __init__(self, text: str, start: int = 0, room: int = MAX_DEPTH) -> None:
        super().__init__(text, True, start)
        self.named = {found[1]: found.end() for found in _NAMED.finditer(text)}
        self.room = room

    def chosen(self, name: str | None) -> tuple[Encoding, list[int] | None]:
        """Return the attribute that is asked for, and the shape if a type has it."""
        layouts = [word for word, at in self.named.items() if _LAYOUT.match(self.text, at)]
        if name is not None:
            return self.line_of(name.removeprefix("#"), 0), None
        if head := _HEAD.match(self.text):
            self.pass_to(head.end())
        if layouts and (self.done or self.text.startswith("module", self.at)):
            if len(layouts) > 1:
                names = ", ".join(f"#{word}" for word in layouts)
                way = f'Say which one: from_triton(text, shape, "#{layouts[0]}").'
                self.fail(f"the text names {len(layouts)} layouts: {shortened(names)}", 0, None, way)
            return self.line_of(layouts[0], 0), None
        found, sizes = (self.attribute(), None) if self.peek() == "#" else self.type()
        self.expect_end()
        return found, sizes

    def type(self) -> tuple[Encoding, list[int]]:
        """Pass a type; the shape of a view of memory is that of all of the memory."""
        start = self.at
        if self.word("!._").rpartition(".")[2] not in ("tensor", "memdesc"):
            way = "#ttg.blocked<{...}> and tensor<128x64xf16, #blocked> are such texts."
            self.fail("expected an attribute of Triton or a type with one", start, None, way)
        self.expect("<")
        sizes = self.sizes()
        if element := _ELEMENT.match(self.text, self.at):
            self.expect(element[0])
        self.expect(",", "and an attribute")
        found = self.attribute()
        while self.accept(","):
            if self.peek().isdigit():
                sizes = self.sizes()[-len(sizes) :]
            elif not self.word("#._"):
                self.fail(f"expected a memory space, 'mutable' or a shape, found {self.found()}")
        self.expect(">")
        return found, sizes

    def sizes(self) -> list[int]:
        sizes = [self.integer("a size")]
        while self.accept("x") and self.peek().isdigit():
            sizes.append(self.integer("a size"))
        return sizes

    def line_of(self, name: str, start: int) -> Encoding:
        """Return the attribute of a name, which stands in its line alone."""
        if name not in self.named:
            near = [did_you_mean(near_words(name, self.named), self.named)] if self.named else []
            self.fail(f"the text does not say what #{shortened(name)} is", start, self.last, *near)
        line = _Scanner(self.text, self.named[name], self.room - 1)
        found = line.attribute()
        if not line.done and "\n" not in self.text[line.last : line.at]:
            line.fail(f"expected the end of the line, found {line.found()}")
        return found

    def attribute(self, _whose: str = "") -> Encoding:
        """Pass an attribute, or the name of one."""
        start = self.at
        if is_too_deep(self.room):
            self.fail(f"nested deeper than {limit_of('nesting')} levels")
        if not self.accept("#"):
            self.fail(f"expected an attribute, such as #ttg.blocked<{{...}}>, found {self.found()}")
        word = self.word("._-$")
        dialect, _dot, kind = word.rpartition(".")
        if not dialect:
            return self.line_of(word, start)
        if kind == "padded_shared":  # not in KINDS, which are linear
            self.expect("<")
            self.expect("[")
            at = self.integer("an interval")
            summary = f"#{word} is not linear over F2: some offsets have no coordinate"
            self.fail(summary, start, self.last, f"Offset {at} is padding.")
        if kind not in KINDS or dialect not in ("ttg", "triton_gpu"):
            near = did_you_mean(near_words(kind, KINDS), KINDS)
            self.fail(f"#{shortened(word)} is no layout that is read", start, self.last, near)
        found = Encoding(kind, {}, {"": (start, self.last)}, self)
        self.room -= 1
        for _part in self.between("<", ">"):
            for _field in self.between("{", "}") if self.peek() == "{" else [None]:
                self.field(found)
        self.room += 1
        for key in KINDS[kind].required.split():
            found.get(key)
        return found

    def field(self, found: Encoding) -> None:
        """Pass a field of an attribute, and keep it."""
        start, key = self.at, self.word()
        known = " ".join(KINDS[found.kind][1:]).split()
        if key not in known or key in found.fields:
            near = did_you_mean(near_words(key, known), known)
            wrong = f"has {key} twice" if key in found.fields else f"has no field {shortened(key)!r}"
            self.fail(f"{found} {wrong}", start, max(self.last, start + 1), near)
        self.expect("=")
        start = self.at
        found.fields[key] = _FIELDS.get(key, _Scanner.number)(self, f"{key} of {found}")
        found.places[key] = start, self.last

    # --- the values of fields ---

    def between(self, opened: str, closed: str) -> Iterator[None]:
        """Pass a bracket and the commas in it; the caller reads what they part."""
        start, later = self.at, False
        self.expect(opened)
        while not self.accept(closed):
            if later and not self.accept(","):
                self.fail_unclosed(start, closed)
            yield
            later = True

    def number(self, whose: str) -> int:
        return self.integer(f"an int in {whose}")

    def power(self, whose: str) -> int:
        start, n = self.at, self.number(whose)
        if n < 1 or n & (n - 1):
            self.fail(f"{whose} is a power of 2, not {n}", start, self.last)
        return n

    def extents(self, whose: str) -> list[int]:
        sizes: list[int] = []
        for _item in self.between("[", "]"):
            start = self.at
            sizes.append(self.number(whose))
            value_at(self, start, bits_of_extent, sizes[-1], whose)
        return sizes

    def order(self, whose: str) -> list[int]:
        start, dims = self.at, [self.number(whose) for _item in self.between("[", "]")]
        if sorted(dims) != [*range(len(dims))]:
            self.fail(f"{whose} has each dim once, from 0 on", start, self.last)
        return dims

    def bases(self, whose: str) -> list[list[int]]:
        start = self.at
        rows = [[self.number(whose) for _ in self.between("[", "]")] for _row in self.between("[", "]")]
        if min(chain(*rows), default=0) < 0:
            self.fail(f"{whose} has an int below 0", start, self.last)
        return rows

    def flag(self, whose: str) -> bool:
        start, word = self.at, self.word()
        if word not in ("true", "false"):
            self.fail(f"{whose} is true or false", start, max(self.last, start + 1))
        return word == "true"

    def warps(self, whose: str) -> dict[str, list[list[int]]]:
        found: dict[str, list[list[int]]] = {}
        for _item in self.between("{", "}"):
            start, name = self.at, self.word()
            if name not in ("register", "warp"):
                self.fail(f"{whose} is of register and warp", start, max(self.last, start + 1))
            self.expect("=")
            found[name] = self.bases(whose)
        return found


_FIELDS: Final[dict[str, Callable[[_Scanner, str], Any]]] = {
    **dict.fromkeys(BASES, _Scanner.bases),
    **dict.fromkeys((*EXTENTS, "instrShape"), _Scanner.extents),
    **dict.fromkeys(ORDERS, _Scanner.order),
    **dict.fromkeys(("vec", "perPhase", "maxPhase", "kWidth"), _Scanner.power),
    **dict.fromkeys(("transposed", "isTransposed", "isTranspose", "fp4Padded"), _Scanner.flag),
    "hasLeadingOffset": _Scanner.flag,
    "ctaLayout": _Scanner.warps,
    "parent": _Scanner.attribute,
}
"""How each field is read; the other fields are ints."""
