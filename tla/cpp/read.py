# SPDX-License-Identifier: Apache-2.0
"""The reader of C++: of the types that compilers print, and the expressions that people write.

Types and expressions have one grammar here, as in ``tla::Int<4>`` and ``tla::Int<4>{}``. The name
decides its arguments. It is in a namespace of CATLASS or CuTe, or in none.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, Literal

from ..algebra import composition
from ..errors import (
    CoordinateError,
    LayoutError,
    LeafError,
    LimitError,
    NotALayoutError,
    ParseError,
    TlaError,
    UndecidedError,
    UnsupportedError,
)
from ..ground import MAX_DEPTH, is_too_deep, limit_of, way_out
from ..layouts import (
    ComposedLayout,
    Layout,
    Swizzle,
    _,
    compact_row_major,
    default_origin,
    is_composed,
    is_layout,
    make_layout,
)
from ..numbers import Expr, Int, Symbol, call_assuming, is_tuple, known_lt, leaf, sym
from .names import KEYWORDS, LAYOUTS, NAMESPACES, STATIC_INTS, STATIC_SPACES, TUPLES, is_unsigned
from .numbers import FACTS, QUALIFIERS, IntReader, Operand

if TYPE_CHECKING:
    from collections.abc import Mapping


def from_cpp(text: str, symbols: Mapping[str, Any] | None = None) -> Any:
    """Return the value of a C++ type or expression.

    >>> from_cpp("tla::MakeCoord(tla::_64{}, (int64_t)16, tla::_)")
    (_64, 16, _)
    >>> layout = from_cpp("cute::Layout<cute::tuple<cute::C<16>, int>, cute::tuple<cute::C<1>, int> >")
    >>> print(layout.shape[0], layout.shape[1].symbols[0].cpp_type, layout.bind(s0=4, d0=16))
    _16 int (_16,4):(_1,16)
    >>> M = sym("M", divisible_by=16)
    >>> from_cpp("(M / 16 < 64 ? M / 16 : 64)", symbols={"M": M})
    min(64, M // 16)

    A dynamic int in a type is an unknown of that C++ type: ``s0``, ``s1`` in a shape, ``d0`` in a
    stride, ``o0`` in an origin shape, ``x0`` elsewhere. It is 0 or more if it is an extent or its type
    is unsigned. In an origin shape it is at most the size of the mode. If the sizes do not imply that,
    it is one of the layout's ``assumptions``. `to_cpp` returns the type as g++ prints it.

    ``tla::Layout<Shape, Stride>`` has a third argument by default, an origin shape of unknowns. CuTe's
    ``Layout<Shape>`` has a compact stride by default, as ``LayoutLeft``.

    A name in an expression has its value in ``symbols``. A name that is not there is an unknown size, 1
    or more. C++ text does not have the range and divisor of a symbol. With the symbols of ``x``,
    ``from_cpp(to_cpp(x, kind="value"), symbols)`` is ``x``.

    Ints have their C++ types. The reader refuses arithmetic whose result in C++ differs from that of
    unbounded ints: ``2u - 3u``, and ``/`` of an int that may be negative. It accepts the forms of
    `to_cpp`, ``(a / b - (a % b < 0))`` and ``(a % b + b) % b``, which round down. It assumes that
    arithmetic on unknowns fits its type.

    Args:
        text: The text from g++, clang or nvcc, or from a program; namespaces may be missing.
        symbols: The values of names: ints and symbolic ints, as for `tla.parse`.

    Raises:
        ParseError: the text is no type or expression of a layout, or its meaning depends on the values
            of its names; the error points at the character.
        UnsupportedError: the value has no form here, such as strides of scaled bases.
        LeafError: a value in ``symbols`` is no int.
    """
    reader = _Reader(text, symbols or {})
    try:
        return reader.all()
    except UndecidedError as error:
        reason = error
    facts = [] if isinstance(reason, LimitError) else [FACTS]
    raise ParseError(reason.summary, text, 0, reader.scan.last, *reason.details, *facts)


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


_OPERATOR: Final = re.compile(r"[=!<>]=|<(?!<)|>(?!>)|[-+*/%]")
_BINDS: Final = {
    **dict.fromkeys(("==", "!="), 1),
    **dict.fromkeys(("<", "<=", ">", ">="), 2),
    **dict.fromkeys("+-", 3),
    **dict.fromkeys("*/%", 4),
}
"""The precedence of the operators; a higher number binds more tightly."""


_TEMPLATES: Final = frozenset(
    (
        *(*STATIC_INTS, *TUPLES, *LAYOUTS, *_LAYOUT_MAKERS),
        *("integral_constant", "constant", "Swizzle", "ComposedLayout", "Tensor"),
    )
)
"""The names without a namespace after which ``<`` begins arguments; after others it compares."""


class _Reader(IntReader):
    """The reader of one text."""

    def __init__(self, text: str, symbols: Mapping[str, Any]) -> None:
        super().__init__(text)
        self.symbols = {name: leaf(x) for name, x in symbols.items()}
        self._unknowns: dict[str, int] = {}

    def all(self) -> Any:
        scan = self.scan
        value = self.value_of(self.operation("x", MAX_DEPTH))
        scan.accept(";")
        scan.expect_end()
        return value

    # --- arithmetic ---

    def expression(self, place: _Place, room: int) -> Any:
        """The value of an expression."""
        return self.ready(self.operation(place, room))

    def operation(self, place: _Place, room: int, binds: int = 0) -> Operand:
        """One item, or several with operators that bind at least as tightly as ``binds``."""
        scan, start = self.scan, self.scan.at
        left = self.item(place, room)
        while (match := _OPERATOR.match(scan.text, scan.at)) and _BINDS[match[0]] >= binds:
            sign = match[0]
            if not left.type and sign in "<>":
                break
            scan.accept(sign)
            right = self.operation(place, room, _BINDS[sign] + 1)
            left = self.compute(sign, left, right, start)
        if binds == 0 and left.type and scan.accept("?"):
            first = self.operation(place, room - 1)
            scan.expect(":")
            left = self.choose(left, first, self.operation(place, room - 1))
        return left

    # --- one item ---

    def item(self, place: _Place, room: int, argument: bool = True) -> Operand:
        """A number, a cast, an expression in parentheses, a type, or a call.

        Args:
            argument: Whether it stands in an expression, not in the arguments of a template.
        """
        scan, start = self.scan, self.scan.at
        if is_too_deep(room):
            scan.fail(f"nested deeper than {limit_of('nesting')} levels", None, None, way_out("nesting"))
        if scan.accept("-"):
            operand = self.item(place, room - 1, argument)
            zero = Int(0) if type(operand.value) is Int else 0
            return self.compute("-", Operand(zero, "int", start, start), operand, start)
        if scan.accept("+"):
            return self.item(place, room - 1, argument)
        if scan.peek().isdigit():
            value = self.number()
            return Operand(value, self.literal_type, start, scan.last)
        if scan.accept("("):
            cast = self.integer_type()
            if cast is not None:
                scan.expect(")", "after the type")
                return self.cast(self.item(place, room - 1), cast, start)
            operand = self.operation(place, room - 1)
            scan.expect(")")
            if operand.in_parentheses:
                operand = operand._replace(order="")
            return operand._replace(start=start, end=scan.last, in_parentheses=True)
        operand = self.by_name(place, room, argument)
        while scan.peek() == "&" or self.next_word() in ("const", "volatile"):
            if not scan.accept("&"):
                scan.word()
        return operand

    # --- names ---

    def by_name(self, place: _Place, room: int, argument: bool) -> Operand:
        """A type, a value of a type, a call, or a variable."""
        scan = self.scan
        if argument and (name := self.next_word()) in self.symbols:
            start = scan.at
            scan.accept(name)
            return self.variable(name, start)
        while self.next_word() in QUALIFIERS:
            scan.accept(self.next_word())
        start = scan.at
        integer = self.integer_type()
        if integer is not None:
            return self.of_integer_type(integer, place, room, start)
        name = self.next_word()
        if not name:
            scan.fail(f"expected a type or an expression of a layout, found {self.next_text()}")
        scan.accept(name)
        space, _colons, short = name.removeprefix("::").rpartition("::")
        if short == "static_cast":
            return self.static_cast(place, room, start)
        if short == "integral_constant" and STATIC_SPACES.fullmatch(space):
            return self.int_of(self.value_of_type(self.integral_constant(self._place), start), start)
        if space not in NAMESPACES:
            scan.fail(f"{name!r} is no name of a layout", start, scan.last)
        alias = _ALIAS.fullmatch(short)
        if alias:
            return self.int_of(
                self.value_of_type(Int(int(("-" if alias[1] else "") + alias[2])), start), start
            )
        bare = argument and not space and not scan.text.startswith("::", start)
        if short in ("_", "Underscore") or (short == "X" and (not bare or scan.peek() in ("{", "("))):
            return self.int_of(self.value_of_type(_, start), start)
        for order in (_COL_MAJOR, _ROW_MAJOR):
            if short in order and scan.accept("{"):
                scan.expect("}")
                return self.int_of(order, start)
        if short in _BASES or (short == "E" and (not bare or scan.peek() == "<")):
            raise UnsupportedError(
                f"{name} is a coordinate, no int: strides of scaled bases are not read",
                "They belong to CuTe's layouts of coordinates.",
                text=scan.text,
            )
        if scan.peek() == "<" and (short in _TEMPLATES or not bare):
            value = self.value_of_type(self.template(short, name, start, room), start)
            operand = self.int_of(value, start)
            return operand._replace(type=self.literal_type) if isinstance(value, Int) else operand
        if scan.peek() == "(":
            return self.int_of(self.call(short, name, place, room, start), start)
        if bare and name not in KEYWORDS:
            return self.variable(name, start)
        return scan.fail(f"{name!r} alone is no layout", start, start + len(name))

    def value_of_type(self, value: Any, start: int) -> Any:
        """The value of a type that ends here, perhaps with ``{}`` or ``()`` after it."""
        scan = self.scan
        for opening, closing in (("{", "}"), ("(", ")")):
            if scan.accept(opening):
                scan.expect(closing)
                if value is not _ and not _is_known(value):
                    scan.fail("a type with dynamic ints says nothing of their values", start, scan.last)
        return value

    def of_integer_type(self, name: str, place: _Place, room: int, start: int) -> Operand:
        """``int64_t{4}`` and ``int64_t(4)``, or the type alone, which is an unknown."""
        for opening, closing in (("{", "}"), ("(", ")")):
            if self.scan.accept(opening):
                if self.scan.accept(closing):
                    return Operand(0, name, start, self.scan.last)
                operand = self.operation(place, room - 1)
                self.scan.expect(closing)
                return self.cast(operand, name, start)
        return Operand(self.unknown(name, place), "", start, self.scan.last)

    def unknown(self, name: str, place: _Place) -> Any:
        """A new unknown of a C++ type."""
        count = self._unknowns[place] = self._unknowns.get(place, -1) + 1
        least = 0 if is_unsigned(name) or place in "so" else None
        return sym(f"{place}{count}", min=least, cpp_type=name)

    def static_cast(self, place: _Place, room: int, start: int) -> Operand:
        self.scan.expect("<")
        name = self.integer_type()
        if name is None:
            self.scan.fail(f"expected an integer type, found {self.scan.found()}")
        self.scan.expect(">")
        self.scan.expect("(")
        operand = self.operation(place, room - 1)
        self.scan.expect(")")
        return self.cast(operand, name, start)

    def variable(self, name: str, start: int) -> Operand:
        """The operand of a name that ends here."""
        if name in self.symbols:
            return self.int_of(self.symbols[name], start)._replace(end=start + len(name))
        try:
            return Operand(sym(name), "long", start, start + len(name))
        except LayoutError as error:  # a word of the notation
            return self.scan.fail(error.summary, start, start + len(name))

    # --- templates ---

    def template(self, short: str, name: str, start: int, room: int) -> Any:
        """The value of a name with template arguments."""
        scan = self.scan
        if short in STATIC_INTS:
            scan.expect("<")
            began = scan.at
            value = self.constant()
            self.require_extent(value, self._place, began)
            scan.expect(">")
            return Int(value)
        if short in ("integral_constant", "constant"):
            return self.integral_constant(self._place)
        if short in TUPLES:
            place: _Place = "s" if short == "Shape" else "d" if short == "Stride" else "x"
            return tuple(self.types(room, self.place_of(place)))
        if short in LAYOUTS:
            return self.layout_type(name, start, room)
        if short == "Swizzle":
            return self.swizzle(start)
        if short == "ComposedLayout":
            outer, offset, inner = self.exactly(3, list(self.types(room, "x")), name, start)
            return self.composed_layout(outer, offset, inner, start)
        if short in _LAYOUT_MAKERS:
            raise UnsupportedError(
                f"{name}<Element, Tag> is not read: its layout depends on the element type",
                "The result is tla.zN, tla.nZ and so on, or tla.row_major and tla.col_major.",
                text=scan.text,
            )
        return scan.fail(f"{name!r} is no template of a layout", start, start + len(name))

    _place: _Place = "x"

    def place_of(self, place: _Place) -> _Place:
        """The place in the layout that surrounds a tuple, or else the place of the tuple's own name."""
        return place if self._place == "x" else self._place

    def types(self, room: int, *places: _Place) -> Any:
        """Yield the template arguments; the last place is also that of all further arguments."""
        scan = self.scan
        opening = scan.at
        scan.expect("<")
        count = 0
        while not scan.accept(">"):
            if count and not scan.accept(","):
                scan.fail_unclosed(opening, ">", self.next_text())
            before, began = self._place, scan.at
            self._place = places[min(count, len(places) - 1)]
            try:
                value = self.ready(self.item(self._place, room - 1, False))
            finally:
                self._place = before
            self.require_extent(value, places[min(count, len(places) - 1)], began)
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
            is_tla = "cute" not in name and "tla" in name
            if len(parts) == 1 and not is_tla:  # CuTe's stride is compact by default
                parts.append(None)
            shape, stride = self.exactly(2, parts, name, start)
            origin = None
            if is_tla:  # the third argument has a default
                rank = len(stride) if is_tuple(stride) else 1
                origin = tuple(self.unknown("unsigned int", "o") for _i in range(rank))
        else:
            shape, stride, origin = parts
        return self.layout(shape, stride, origin, start)

    def layout(self, shape: Any, stride: Any, origin: Any, start: int) -> Any:
        """The layout of some parts that end here."""
        if origin is not None and is_tuple(origin) and not is_tuple(shape) and len(origin) == 1:
            origin = origin[0]  # in CATLASS the origin of a layout of one int has one mode
        try:
            if origin is None:
                return Layout(shape, stride)
            origin = self.inside(origin, shape, stride)
            return call_assuming(_obligations(origin, shape), Layout, shape, stride, origin)
        except TlaError as error:
            is_open = isinstance(error, UndecidedError) and not isinstance(error, LimitError)
            facts = [FACTS] if is_open else []
            summary, details = error.summary, [*error.details, *facts]
        return self.fail_with(summary, start, self.scan.last, *details)

    def inside(self, origin: Any, shape: Any, stride: Any) -> Any:
        """An origin shape whose unknowns are at most the sizes of their modes."""
        bound_names = {symbol.name for part in (shape, stride) for symbol in _symbols(part)}

        def limit(o: Any, size: Any) -> Any:
            if not isinstance(o, Expr) or len(o.symbols) != 1:
                return o
            (symbol,) = o.symbols
            if symbol.name in bound_names or symbol.name in self.symbols or _is_other(o, symbol):
                return o
            return sym(symbol.name, min=symbol.least, max=size, cpp_type=symbol.cpp_type)

        sizes = default_origin(shape)
        if not is_tuple(origin) or not is_tuple(sizes):
            return origin if is_tuple(origin) or is_tuple(sizes) else limit(origin, sizes)
        return tuple(map(limit, origin, sizes)) if len(origin) == len(sizes) else origin

    def composed_layout(self, outer: Any, offset: Any, inner: Any, start: int) -> ComposedLayout:
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
            return self.layout_of_call(name, room, start)
        if short == "make_composed_layout":
            outer, offset, inner = self.exactly(3, list(self.arguments(room, "x")), name, start)
            return self.composed_layout(outer, offset, inner, start)
        if short == "composition":
            outer, inner = self.exactly(2, list(self.arguments(room, "x")), name, start)
            try:
                return composition(outer, inner)
            except (LayoutError, CoordinateError, NotALayoutError) as error:
                return scan.fail(error.summary, start, scan.last)
        return scan.fail(f"{name!r} makes no layout", start, start + len(name))

    def arguments(self, room: int, *places: _Place) -> Any:
        """Yield the arguments of a call; the last place is also that of all further arguments."""
        scan = self.scan
        opening = scan.at
        scan.expect("(")
        count = 0
        while not scan.accept(")"):
            if count and not scan.accept(","):
                scan.fail_unclosed(opening, ")", self.next_text())
            own, began = places[min(count, len(places) - 1)], scan.at
            value = self.expression(own, room - 1)
            self.require_extent(value, own, began)
            yield value
            count += 1

    def layout_of_call(self, name: str, room: int, start: int) -> Any:
        parts = list(self.arguments(room, "s", "d", "o"))
        if parts and all(map(is_layout, parts)) and "Make" not in name:
            return make_layout(*parts)
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


def _obligations(origin: Any, shape: Any) -> list[Any] | None:
    """The conditions that an origin shape puts on the unknowns, without those that they imply."""
    sizes = default_origin(shape)
    if is_tuple(origin) is not is_tuple(sizes):
        return None  # the layout refuses it
    if not is_tuple(origin):
        origin, sizes = (origin,), (sizes,)
    conditions = [
        least <= greatest
        for o, size in zip(origin, sizes, strict=False)
        for least, greatest in ((0, o), (o, size))
        if (isinstance(least, Expr) or isinstance(greatest, Expr)) and known_lt(greatest, least) is None
    ]
    return conditions or None


def _is_other(o: Expr, symbol: Symbol) -> bool:
    """Whether an expression is more than a single symbol."""
    return bool(o.constant) or list(o.terms.items()) != [((symbol,), symbol.divisor)]


def _symbols(x: Any) -> tuple[Symbol, ...]:
    if is_tuple(x):
        return tuple(symbol for i in x for symbol in _symbols(i))
    return x.symbols if isinstance(x, Expr) else ()


def _is_known(x: Any) -> bool:
    """Whether every int of a value is static."""
    if is_layout(x):
        return x.is_static
    if is_composed(x):
        return _is_known((x.outer, x.offset, x.inner))
    if is_tuple(x):
        return all(map(_is_known, x))
    return isinstance(x, (Int, Swizzle)) or x is _
