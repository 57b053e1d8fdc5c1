"""C++ read as values: the types that compilers print, and the expressions that people write.

A type and an expression have one grammar here, as in ``tla::Int<4>`` and ``tla::Int<4>{}``: a name says
what its arguments are. Names are found in the namespaces of CATLASS and CuTe, or without one.
"""

from __future__ import annotations

import re
from typing import Any, Final, Literal

from ..assumed import given
from ..coord import compact_row_major
from ..errors import LayoutError, LeafError, ParseError, UnsupportedError
from ..expr import Expr, Symbol, sym
from ..ints import MAX_DEPTH, Int, is_static, is_tuple, known_lt
from ..layout import Layout, is_layout
from ..origin import default_origin
from ..slicing import _
from ..swizzle import ComposedLayout, Swizzle
from .names import LAYOUTS, NAMESPACES, STATIC_INTS, TUPLES, is_unsigned
from .numbers import QUALIFIERS, IntReader

__all__ = ["from_cpp"]


def from_cpp(text: str) -> Any:
    """Return the value that a C++ type or expression stands for.

    >>> from_cpp("tla::MakeCoord(tla::_64{}, (int64_t)16, tla::_)")
    (_64, 16, _)
    >>> layout = from_cpp("cute::Layout<cute::tuple<cute::C<16>, int>, cute::tuple<cute::C<1>, int> >")
    >>> print(layout.shape[0], layout.shape[1].symbols[0].cpp_type, layout.bind(s0=4, d0=16))
    _16 int (_16,4):(_1,16)

    A dynamic int of a type is an unknown of that C++ type: ``s0``, ``s1`` in a shape, ``d0`` in a
    stride, ``o0`` in an origin shape, ``x0`` elsewhere. It is 0 or more where its type is unsigned and
    where it is an extent, and in an origin shape at most the size of the mode. A size that a static
    origin bounds from below is among the ``assumptions``. `to_cpp` gives the type back as g++ prints it.

    ``tla::Layout<Shape, Stride>`` has a third argument by default, an origin shape of unknowns.

    A name among the arguments of an expression is an unknown of that name, 0 or more in a shape.

    Args:
        text: As g++, clang or nvcc print it, or as it stands in a program; namespaces may be missing.

    Raises:
        ParseError: the text is no type or expression of a layout; the error points at the character.
        UnsupportedError: it is one that has no value here, such as strides of scaled bases.
    """
    first = _Reader(text, frozenset())
    value = first.all()
    if first.extents:  # names that also stand in a shape are 0 or more wherever they stand
        value = _Reader(text, frozenset(first.extents)).all()
    return value


_Place = Literal["s", "d", "o", "x"]

_ALIAS: Final = re.compile(r"_(m?)([0-9]+)")

_MAKERS: Final[dict[str, _Place]] = {
    "MakeShape": "s",
    "make_shape": "s",
    "MakeStride": "d",
    "make_stride": "d",
    "MakeCoord": "x",
    "make_coord": "x",
    "MakeTuple": "x",
    "make_tuple": "x",
    "make_tile": "x",
    "make_step": "x",
}
_LAYOUT_MAKERS: Final = frozenset(("MakeLayout", "make_layout"))
_COL_MAJOR: Final = frozenset(("LayoutLeft", "GenColMajor"))
_ROW_MAJOR: Final = frozenset(("LayoutRight", "GenRowMajor"))
_BASES: Final = frozenset(("ScaledBasis", "ArithmeticTuple"))


class _Reader(IntReader):
    """A reading of one text.

    Attributes:
        extents: The names found in shapes.
    """

    def __init__(self, text: str, nonnegative: frozenset[str]) -> None:
        super().__init__(text)
        self.nonnegative = nonnegative
        self.extents: set[str] = set()
        self._unknowns: dict[str, int] = {}

    def all(self) -> Any:
        scan = self.scan
        value = self.sum("x", MAX_DEPTH, argument=False)
        scan.accept(";")
        scan.expect_end()
        return value

    # --- arithmetic ---

    def sum(self, place: _Place, room: int, argument: bool = True) -> Any:
        """A sum of products, which may be one item."""
        start = self.scan.at
        total = self.product(place, room, argument)
        while (sign := self.scan.peek()) and sign in "+-":
            self.scan.accept(sign)
            other = self.product(place, room, argument)
            total = self.computed(sign, total, other, start)
        return total

    def product(self, place: _Place, room: int, argument: bool) -> Any:
        start = self.scan.at
        result = self.item(place, room, argument)
        while (sign := self.scan.peek()) and sign in "*/%":
            self.scan.accept(sign)
            other = self.item(place, room, argument)
            result = self.computed(sign, result, other, start)
        return result

    # --- one item ---

    def item(self, place: _Place, room: int, argument: bool) -> Any:
        """A number, a cast, something in parentheses, a type, or a call."""
        scan, start = self.scan, self.scan.at
        if not room:
            scan.fail(f"nested deeper than {MAX_DEPTH} levels")
        if scan.accept("-"):
            value = self.item(place, room - 1, argument)
            return self.computed("-", 0 if type(value) is not Int else Int(0), value, start)
        if scan.accept("+"):
            return self.item(place, room - 1, argument)
        if scan.peek().isdigit():
            return self.number()
        if scan.accept("("):
            cast = self.integer_type()
            if cast is not None:
                scan.expect(")", "after the type")
                return self.cast(self.item(place, room - 1, True), cast, start)
            value = self.sum(place, room - 1, argument)
            scan.expect(")")
            return value
        value = self.named(place, room, argument)
        while scan.peek() == "&" or self.next_word() in ("const", "volatile"):
            if not scan.accept("&"):
                scan.word()
        return value

    # --- names ---

    def named(self, place: _Place, room: int, argument: bool) -> Any:
        """A type, a value made of one, a call, or a variable."""
        scan = self.scan
        while self.next_word() in QUALIFIERS:
            scan.accept(self.next_word())
        start = scan.at
        integer = self.integer_type()
        if integer is not None:
            return self.of_integer_type(integer, place, room, start)
        name = self.next_word()
        if not name:
            scan.fail(f"expected a type or an expression of a layout, found {self.shown()}")
        scan.accept(name)
        space, _colons, short = name.removeprefix("::").rpartition("::")
        if short == "static_cast":
            return self.static_cast(place, room, start)
        if space == "std" and short == "integral_constant":
            return self.made(self.integral_constant(), start)
        if space not in NAMESPACES:
            scan.fail(f"{name!r} is no name of a layout", start, scan.last)
        alias = _ALIAS.fullmatch(short)
        if alias:
            return self.made(Int(int(("-" if alias[1] else "") + alias[2])), start)
        if short in ("_", "Underscore", "X"):
            return self.made(_, start)
        for order in (_COL_MAJOR, _ROW_MAJOR):
            if short in order and scan.accept("{"):
                scan.expect("}")
                return order
        if short in _BASES or short == "E":
            raise UnsupportedError(
                f"{name} is a coordinate, no int: strides of scaled bases are not read",
                "They belong to CuTe's layouts of coordinates.",
                text=scan.text,
            )
        if scan.peek() == "<":
            return self.made(self.template(short, name, start, room), start)
        if scan.peek() == "(":
            return self.call(short, name, place, room, start)
        if argument and not space and not scan.text.startswith("::", start):
            return self.variable(name, place)
        return scan.fail(f"{name!r} alone is no layout", start, start + len(name))

    def made(self, value: Any, start: int) -> Any:
        """A value whose type has been passed, with the ``{}`` or ``()`` that may make one of it."""
        scan = self.scan
        for opened, closed in (("{", "}"), ("(", ")")):
            if scan.accept(opened):
                scan.expect(closed)
                if value is not _ and not _is_known(value):
                    scan.fail("a type with dynamic ints says nothing of their values", start, scan.last)
        return value

    def of_integer_type(self, name: str, place: _Place, room: int, start: int) -> Any:
        """``int64_t{4}`` and ``int64_t(4)``, or the type alone: an unknown."""
        for opened, closed in (("{", "}"), ("(", ")")):
            if self.scan.accept(opened):
                if self.scan.accept(closed):
                    return 0
                value = self.sum(place, room - 1)
                self.scan.expect(closed)
                return self.cast(value, name, start)
        return self.unknown(name, place)

    def unknown(self, name: str, place: _Place) -> Any:
        """A new unknown of a C++ type."""
        count = self._unknowns[place] = self._unknowns.get(place, -1) + 1
        least = 0 if is_unsigned(name) or place in "so" else None
        return sym(f"{place}{count}", min=least, cpp_type=name)

    def static_cast(self, place: _Place, room: int, start: int) -> Any:
        self.scan.expect("<")
        name = self.integer_type()
        if name is None:
            self.scan.fail(f"expected an integer type, found {self.scan.found()}")
        self.scan.expect(">")
        self.scan.expect("(")
        value = self.sum(place, room - 1)
        self.scan.expect(")")
        return self.cast(value, name, start)

    def variable(self, name: str, place: _Place) -> Any:
        if place in "so":
            self.extents.add(name)
        try:
            return sym(name, min=0 if name in self.nonnegative | self.extents else None)
        except LayoutError as error:  # a word of the notation
            return self.scan.fail(error.summary, self.scan.last - len(name), self.scan.last)

    # --- templates ---

    def template(self, short: str, name: str, start: int, room: int) -> Any:
        """What a name with template arguments stands for."""
        scan = self.scan
        if short in STATIC_INTS:
            scan.expect("<")
            value = self.constant()
            scan.expect(">")
            return Int(value)
        if short in ("integral_constant", "constant"):
            return self.integral_constant()
        if short in TUPLES:
            place: _Place = "s" if short == "Shape" else "d" if short == "Stride" else "x"
            return tuple(self.types(room, self.inherited(place)))
        if short in LAYOUTS:
            return self.layout_type(name, start, room)
        if short == "Swizzle":
            return self.swizzle(start)
        if short == "ComposedLayout":
            outer, offset, inner = self.exactly(3, list(self.types(room, "x")), name, start)
            return self.composed(outer, offset, inner, start)
        if short in _LAYOUT_MAKERS:
            raise UnsupportedError(
                f"{name}<Element, Tag> is not read: its layout depends on the element type",
                "The result is tla.zN, tla.nZ and so on, or tla.row_major and tla.col_major.",
                text=scan.text,
            )
        return scan.fail(f"{name!r} is no template of a layout", start, start + len(name))

    _place: _Place = "x"

    def inherited(self, place: _Place) -> _Place:
        """The place that a layout gives its parts goes before what a tuple's own name says."""
        return place if self._place == "x" else self._place

    def types(self, room: int, *places: _Place) -> Any:
        """Pass template arguments; the last place is that of all that follow."""
        scan = self.scan
        opened = scan.at
        scan.expect("<")
        count = 0
        while not scan.accept(">"):
            if count and not scan.accept(","):
                column = opened - scan.text.rfind("\n", 0, opened)
                scan.fail(f"expected ',' or '>' of the '<' in column {column}, found {self.shown()}")
            before = self._place
            self._place = places[min(count, len(places) - 1)]
            try:
                value = self.item(self._place, room - 1, False)
            finally:
                self._place = before
            yield value
            count += 1

    def swizzle(self, start: int) -> Swizzle:
        scan = self.scan
        scan.expect("<")
        numbers = [self.constant()]
        while len(numbers) < 3 and scan.accept(","):
            numbers.append(self.constant())
        if len(numbers) == 2:
            numbers.append(numbers[0])  # the shift is the number of bits, by default
        scan.expect(">")
        try:
            return Swizzle(*numbers)
        except (LayoutError, TypeError) as error:
            summary = error.summary if isinstance(error, LayoutError) else "a swizzle has three numbers"
            return scan.fail(summary, start, scan.last)

    # --- layouts ---

    def layout_type(self, name: str, start: int, room: int) -> Any:
        parts = list(self.types(room, "s", "d", "o"))
        if len(parts) == 3 and "cute" in name:
            self.scan.fail("a layout of CuTe has no origin shape", start, self.scan.last)
        if len(parts) != 3:
            shape, stride = self.exactly(2, parts, name, start)
            origin = None
            if "cute" not in name and "tla" in name:  # the third argument has a default
                rank = len(stride) if is_tuple(stride) else 1
                origin = tuple(self.unknown("unsigned int", "o") for _i in range(rank))
        else:
            shape, stride, origin = parts
        return self.layout(shape, stride, origin, start)

    def layout(self, shape: Any, stride: Any, origin: Any, start: int) -> Any:
        """The layout of parts that end here."""
        if origin is not None and is_tuple(origin) and not is_tuple(shape) and len(origin) == 1:
            origin = origin[0]  # CATLASS gives a layout of one int an origin of one mode
        try:
            if origin is None:
                return Layout(shape, stride)
            origin = _inside(origin, shape, stride)
            return given(_obligations(origin, shape), Layout, shape, stride, origin)
        except (LayoutError, LeafError) as error:
            scan = self.scan
            raise ParseError(error.summary, scan.text, start, scan.last, *error.details) from None

    def composed(self, outer: Any, offset: Any, inner: Any, start: int) -> ComposedLayout:
        try:
            return ComposedLayout(outer, offset, inner)
        except (LayoutError, LeafError) as error:
            return self.scan.fail(error.summary, start, self.scan.last)

    def exactly(self, count: int, parts: list[Any], name: str, start: int) -> list[Any]:
        if len(parts) != count:
            self.scan.fail(f"{name} takes {count} arguments, not {len(parts)}", start, self.scan.last)
        return parts

    # --- calls ---

    def call(self, short: str, name: str, place: _Place, room: int, start: int) -> Any:
        scan = self.scan
        if short in _MAKERS:
            own = _MAKERS[short]
            return tuple(self.arguments(room, place if own == "x" else own))
        if short in _LAYOUT_MAKERS:
            return self.made_layout(name, room, start)
        if short == "make_composed_layout":
            outer, offset, inner = self.exactly(3, list(self.arguments(room, "x")), name, start)
            return self.composed(outer, offset, inner, start)
        return scan.fail(f"{name!r} makes no layout", start, start + len(name))

    def arguments(self, room: int, *places: _Place) -> Any:
        """Pass the arguments of a call; the last place is that of all that follow."""
        scan = self.scan
        opened = scan.at
        scan.expect("(")
        count = 0
        while not scan.accept(")"):
            if count and not scan.accept(","):
                column = opened - scan.text.rfind("\n", 0, opened)
                scan.fail(f"expected ',' or ')' of the '(' in column {column}, found {self.shown()}")
            yield self.sum(places[min(count, len(places) - 1)], room - 1)
            count += 1

    def made_layout(self, name: str, room: int, start: int) -> Any:
        parts = list(self.arguments(room, "s", "d", "o"))
        if not 1 <= len(parts) <= 3:
            self.scan.fail(f"{name} takes 1 to 3 arguments, not {len(parts)}", start, self.scan.last)
        shape, stride = parts[0], parts[1] if len(parts) > 1 else None
        if any(map(is_layout, parts)):
            self.scan.fail(f"{name} of layouts is not read", start, self.scan.last)
        if stride is None and "Make" in name:  # tla::MakeLayout(length)
            shape, stride = (shape,), (Int(1),)
        elif stride is _COL_MAJOR or stride is _ROW_MAJOR:
            stride = compact_row_major(shape) if stride is _ROW_MAJOR else None
        return self.layout(shape, stride, parts[2] if len(parts) > 2 else None, start)


def _inside(origin: Any, shape: Any, stride: Any) -> Any:
    """An origin shape with its unknowns at most the sizes of their modes, as those of a layout are."""
    taken = {symbol.name for part in (shape, stride) for symbol in _symbols(part)}

    def bounded(o: Any, size: Any) -> Any:
        if not isinstance(o, Expr) or len(o.symbols) != 1:
            return o
        (symbol,) = o.symbols
        if symbol.name in taken or _is_other(o, symbol):
            return o
        return sym(symbol.name, min=0, max=size, cpp_type=symbol.cpp_type)

    sizes = default_origin(shape)
    if not is_tuple(origin) or not is_tuple(sizes):
        return origin if is_tuple(origin) or is_tuple(sizes) else bounded(origin, sizes)
    return tuple(map(bounded, origin, sizes)) if len(origin) == len(sizes) else origin


def _obligations(origin: Any, shape: Any) -> list[Any] | None:
    """What a layout with a static origin shape says of the unknowns of its shape."""
    sizes = default_origin(shape)
    if not is_tuple(origin) or not is_tuple(sizes):
        origin, sizes = (origin,), (sizes,)
    needed = [
        size >= o
        for o, size in zip(origin, sizes, strict=False)
        if isinstance(size, Expr) and is_static(o) and known_lt(size, o) is None
    ]
    return needed or None


def _is_other(o: Expr, symbol: Symbol) -> bool:
    """Whether an expression is more than its one symbol."""
    return bool(o.constant) or list(o.terms.items()) != [((symbol,), symbol.divisor)]


def _symbols(x: Any) -> tuple[Symbol, ...]:
    if is_tuple(x):
        return tuple(symbol for i in x for symbol in _symbols(i))
    return x.symbols if isinstance(x, Expr) else ()


def _is_known(x: Any) -> bool:
    """Whether every int of a value is static."""
    if is_layout(x):
        return x.is_static
    if isinstance(x, ComposedLayout):
        return _is_known((x.outer, x.offset, x.inner))
    if is_tuple(x):
        return all(map(_is_known, x))
    return isinstance(x, (Int, Swizzle)) or x is _
