# SPDX-License-Identifier: Apache-2.0
"""The notation of layouts, ``shape:stride``, read and written.

========== ======================================== =====================
text       value                                    Python
========== ======================================== =====================
``_4``     a static int, ``_-2`` a negative one     ``Int(4)``
``4``      a dynamic int                            ``4``
``(3)``    a 1-tuple; ``(3,)`` is read too          ``(3,)``
``()``     the empty tuple                          ``()``
``s:d``    a layout                                 ``Layout(s, d)``
``s:d:o``  a layout with an origin shape            ``Layout(s, d, o)``
``Sw<1,0,2>`` a swizzle                             ``Swizzle(1, 0, 2)``
``Sw<3,4,3> o smem_ptr[16b](unset) o s:d`` as CuTe prints it ``ComposedLayout(Swizzle(3, 3, 3), ...)``
``gmem_ptr[32b](0x7f00) o s:d`` as CuTe prints a tensor ``Layout(s, d)``
``f o 0 o s:d`` a layout seen through ``f``         ``ComposedLayout(f, 0, Layout(s, d))``
``2@0``    a coordinate: 2 along mode 0       ``2 * E(0)``
``3@1@0+_1@1`` a sum of them; ``E<0,1>`` is ``_1@1@0`` ``3 * E(0, 1) + E(1)``
``M/16``   a symbolic int, see `tla.numbers.reading`   ``M // 16``
``?{div=16}`` an unknown int, as CuTe's DSL and MLIR print one ``sym("s0", 16, min=0)``
========== ======================================== =====================

``str`` writes a `Layout`, `to_text` an int tuple; `parse` reads both back exactly.

>>> parse("(_2,4):(_12,_1)")
Layout((_2, 4), (_12, _1))
>>> parse("((4,2),(4,3))"), parse("5"), parse("(3)")
(((4, 2), (4, 3)), 5, (3,))
"""

from __future__ import annotations

from itertools import accumulate
from re import compile as compile_pattern, match as match_pattern
from typing import TYPE_CHECKING, Any, Final, NoReturn

from ..errors import LayoutError, ParseError, TlaError
from ..ground import (
    ELEMENT_TYPES,
    MAX_DEPTH,
    Scanner,
    constexpr,
    guarded,
    is_too_deep,
    limit_of,
    read_typed,
    shortened,
    way_out,
)
from ..numbers import E, Int, SymbolicInt, add, is_tuple
from .int_tuple import as_int_tuple, text_of
from .layout import Layout, OfCoordinates, is_layout
from .swizzle import ComposedLayout, Swizzle, is_swizzle

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from ..numbers import Names


def to_text(x: Any) -> str:
    """Return the notation of a layout or an int tuple.

    >>> to_text((_2, (4, 3))), to_text(Layout((_2, 4), (_12, _1)))
    ('(_2,(4,3))', '(_2,4):(_12,_1)')
    """
    return str(x) if is_layout(x) else text_of(as_int_tuple(x))


@constexpr
@guarded
def parse(text: str, symbols: Mapping[str, Any] | None = None) -> Any:
    """Return the layout, shape, coordinate or int that a text writes.

    >>> print(parse("((_16,M/16),K):((K,16*K),_1)").bind(M=96, K=8))
    ((_16,6),8):((8,128),_1)

    Args:
        symbols: The values of names; other names are unknowns with the facts that the text gives. A
            name that the text does not have is ignored: one mapping serves several texts.

    Raises:
        ParseError: the text does not follow the notation; the error points at the character.
    """
    try:
        return read_typed(_whole, text, symbols)
    except ParseError as error:
        blame_brackets(text, error)
        raise


def blame_brackets(text: str, error: ParseError) -> None:
    """Raise the error of a layout with other brackets, or without them."""
    sides = text.strip().split(":")
    if "<" in text or not all(sides) or len(sides) > 3 or not {":", ","} & set(text):
        return
    bare = [side.replace("[", "(").replace("]", ")") for side in sides]
    plain = [f"({side})" if "," in side and "(" not in side else side for side in bare]
    better = ":".join(plain)
    if better == text.strip():
        return
    try:
        read_typed(_whole, better, None)
    except TlaError:
        return
    why = "a layout has () and not []" if "[" in text else "several modes need parentheses"
    raise ParseError(why, text, error.start, error.end, f"Write {better}.") from None


def _whole(text: str, symbols: Mapping[str, Any] | None) -> Any:
    scan = NamingScanner(text, symbols)
    word = text.partition("[")[0].replace("(", " ").strip().rpartition(" ")[2]
    if "[" in text and word.lower() in ELEMENT_TYPES:  # in a line of HLO too
        summary = "tla.parse reads layouts, and this is an XLA shape"
        scan.fail(summary, None, len(text), "tla.read reads it.")
    value = _seen(scan, MAX_DEPTH)
    scan.expect_end()
    return value


def _seen(scan: NamingScanner, room: int) -> Any:
    """``part ['o' offset 'o' seen]``"""
    if pointer := _POINTER.match(scan.text, scan.at):
        scan.expect(pointer[0])
    start = scan.at
    value = swizzle_at(scan) if swizzle_follows(scan) else _part(scan)
    joined = is_swizzle(value) and scan.text.startswith("_smem_ptr", scan.at)  # as CuTe prints pointers
    if joined:
        scan.expect("_")
    elif not accept_o(scan):
        return value
    if not room:
        scan.fail(f"nested deeper than {MAX_DEPTH} levels")
    inner = scan.at
    offset: Any = Int(0)
    printed = match_pattern(_PRINTED, scan.text[inner:]) if is_swizzle(value) else None
    is_tuple = scan.peek() == "("
    if printed and printed[3]:  # as CuTe prints an offset of which it knows some bits
        scan.expect(printed[0])
        offset = int(printed[3])
    elif printed:  # as it prints a swizzle of addresses in bytes
        scan.expect(printed[0])
        bits, address = int(printed[1] or 8), int(printed[2] or "0", 16)
        down = bits.bit_length() - 4  # from bytes to elements
        value = value_at(scan, start, Swizzle, value.bits, value.base - down, value.shift)
        if address := 8 * address // bits % int(value.size):
            offset = address  # the bits above are neither read nor written
    else:
        offset = _part(scan) if is_tuple else leaf_at(scan, "an offset")
    if is_tuple or not accept_o(scan):
        rest = shortened(scan.text[inner:].strip())
        way = f"Write {shortened(scan.text[:inner].strip())} 0 o {rest}."
        scan.fail("the offset between a swizzle and a layout is missing", inner, None, way)
    return value_at(scan, start, ComposedLayout, value, offset, _seen(scan, room - 1))


def _part(scan: NamingScanner) -> Any:
    """``shape [':' stride [':' origin]]``"""
    start = scan.at
    scan.place = "s"
    first = _int_tuple(scan, MAX_DEPTH, "a shape")
    if scan.accept(":"):
        scan.place = "d"
    else:
        scan.place = "x"
        return first
    stride = _int_tuple(scan, MAX_DEPTH, "a stride")
    scan.place = "o"
    origin = _int_tuple(scan, MAX_DEPTH, "an origin shape") if scan.accept(":") else None
    scan.place = "x"
    return value_at(scan, start, Layout, first, stride, origin)


@constexpr
def parse_int_tuple(text: str, symbols: Mapping[str, Any] | None = None) -> Any:
    """Return the shape, stride, coordinate or tile that a text writes.

    Raises:
        ParseError: the text writes something else.
    """
    value: Any = parse(text, symbols)
    if isinstance(value, (OfCoordinates, Swizzle)):
        at = text.index(":") if isinstance(value, Layout) else 0
        raise ParseError("expected one tuple, found a layout", text, at)
    return value


def _int_tuple(scan: NamingScanner, room: int, what: str) -> Any:
    if scan.peek() != "(":
        return leaf_at(scan, what)
    items = [_int_tuple(scan, room - 1, "an int or '('") for _place in items_at(scan, room)]
    return tuple_or_expr(scan, tuple(items), what)


# --- the parts of the grammar, for a grammar that contains it ---------------------------------


class NamingScanner(Scanner):
    """A scanner of a text in which names may stand for unknowns.

    Args:
        given: What names stand for, or the `Names` of all the texts that this is one of.

    Its ``place`` is the letter of unknowns without names: s in a shape, d in a stride, o in an origin
    shape, x elsewhere.
    """

    __slots__ = ("_names", "place")

    def __init__(
        self,
        text: str,
        given: Mapping[str, Any] | Names | None = None,
        comments: bool = False,
        start: int = 0,
    ) -> None:
        super().__init__(text, comments, start)
        self._names = given
        self.place: str = "x"

    @property
    def names(self) -> Names:
        """What the names of the text stand for."""
        from ..numbers import Names

        if not isinstance(self._names, Names):
            self._names = Names(self.text, self._names)
        return self._names


def swizzle_follows(scan: Scanner) -> bool:
    """Return whether a swizzle follows: ``Sw<2,0,3>``, or ``S<2,0,3>`` of CuTe's Python."""
    scan.peek()
    return _SWIZZLE.match(scan.text, scan.at) is not None


def swizzle_at(scan: Scanner) -> Swizzle:
    """Pass a swizzle, which must come next."""
    start = scan.at
    scan.word()
    scan.expect("<")
    sizes: list[int] = []
    for end in ",,>":
        sizes.append(scan.integer("an int"))
        scan.expect(end)
    return value_at(scan, start, Swizzle, *sizes)  # type: ignore[no-any-return]


def accept_o(scan: Scanner) -> bool:
    """Return whether the word ``o`` of a composed layout came next, and pass it."""
    start = scan.at
    if scan.peek() == "o" and scan.word() == "o":
        return True
    scan.at = start
    return False


_PRINTED: Final = (
    r"smem_ptr(?:\[(1|2|4|8|16|32|64|128)b\])?(?:\((?:0x([0-9a-f]+)|[^()]*)\))?(?!\w)"
    r"|M_\d+\|\(\d+&\d+\)=(\d{1,18})(?!\w)"
)
_POINTER: Final = compile_pattern(r"(?:[gst]mem_)?ptr\[[0-9]+b\](?:\([^()]*\))?\s*o(?!\w)")
"""Where a tensor lies, as CuTe prints it before its layout."""
_SWIZZLE: Final = compile_pattern(r"Sw?\s*<")

_OPERATORS: Final = frozenset("+-*/%fcm")
"""What an operator begins with."""


def tuple_or_expr(scan: NamingScanner, items: Any, what: str) -> Any:
    """Return the items of a tuple, or the expression that its parentheses begin: ``(M+1)//2``."""
    if scan.peek() == "@" and len(items) == 1:
        return _coordinate_at(scan, items[0], what)
    if scan.peek() in _OPERATORS:
        from ..numbers import expr_at, goes_on

        if goes_on(scan):
            left = items
            while is_tuple(left) and len(left) == 1:
                (left,) = left
            if isinstance(left, (int, SymbolicInt)):
                return expr_at(scan, scan.names, MAX_DEPTH, what, left)
            scan.fail(f"{scan.found()} takes ints, not a tuple or a layout")
    return items


def items_at(scan: Scanner, room: int) -> Iterator[int]:
    """Pass the parentheses and commas of a tuple; yield the index of each item, for the caller to read.

    Args:
        room: How many levels of nesting are left; the caller reads an item with one less.
    """
    if is_too_deep(room):
        deepest = _nesting(scan.text)
        summary, way = f"nested deeper than {limit_of('nesting')} levels", way_out("nesting", deepest)
        scan.fail(summary, None, None, f"Its parentheses go {deepest} deep.", way)
    opened = scan.at
    scan.expect("(")
    count = 0
    while not scan.accept(")"):
        if count:
            if not scan.accept(","):
                scan.fail_unclosed(opened, ")")
            if count == 1 and scan.accept(")"):  # (3,) as Python writes a 1-tuple
                return
        if scan.done:
            scan.fail_unclosed(opened, ")")
        yield count
        count += 1


def _nesting(text: str) -> int:
    """The levels of the parentheses of a text."""
    return max(accumulate((c == "(") - (c == ")") for c in text))


_INT: Final = compile_pattern(r"_?-?[0-9]+(?![A-Za-z0-9_.])")


def leaf_at(scan: NamingScanner, what: str) -> Any:
    """Pass a leaf, which must come next: an int of any kind, or a coordinate of basis elements.

    Args:
        what: Its name in an error.
    """
    start = scan.at
    if _UNIT.match(scan.text, start):
        scan.word()
        scan.expect("<")
        path = [scan.integer("a mode")]
        while scan.accept(","):
            path.append(scan.integer("a mode"))
        scan.expect(">")
        return _sum_at(scan, value_at(scan, start, E, *path), what)
    n = _int_at(scan, what)
    return _coordinate_at(scan, n, what) if scan.peek() == "@" else n


def _coordinate_at(scan: NamingScanner, n: Any, what: str) -> Any:
    """Pass the modes of a basis element, of which the int has been passed, and what is added to it."""
    path: list[int] = []
    start = scan.at
    while scan.accept("@"):
        path.append(scan.integer("a mode"))
    return _sum_at(scan, n * value_at(scan, start, E, *reversed(path)), what)


def _sum_at(scan: NamingScanner, first: Any, what: str) -> Any:
    start = scan.at
    return value_at(scan, start, add, first, leaf_at(scan, what)) if scan.accept("+") else first


def _int_at(scan: NamingScanner, what: str) -> Any:
    """Pass an int, static, dynamic or symbolic, which must come next."""
    start, value = scan.at, None
    if _INT.match(scan.text, start):
        static = scan.peek() == "_"
        scan.at = start + static
        value = scan.integer(what)
        if static:
            return Int(value)
        if scan.peek() not in _OPERATORS:
            return value
    elif unknown := _UNKNOWN.match(scan.text, start):
        return _unknown_at(scan, unknown)
    elif not (_NAMED.match(scan.text, start) or _NEGATED.match(scan.text, start)):
        _refuse_leaf(scan, what)
    from ..numbers import expr_at, goes_on

    if value is not None and not goes_on(scan):
        return value
    scan.at = start
    return expr_at(scan, scan.names, MAX_DEPTH, what)


def _unknown_at(scan: NamingScanner, unknown: Any) -> Any:
    """Pass a ``?``, which has its own name: ``s0`` in a shape, ``d0`` in a stride, ``x0`` elsewhere."""
    start = scan.at
    scan.expect(unknown[0])
    facts: dict[str, int | str] = {}
    for fact in (unknown[1] or "").split():
        if fact in _TYPES:
            facts["cpp_type"] = _TYPES[fact]
        elif match_pattern(r"div=[1-9][0-9]{0,17}$", fact):
            facts["divisible_by"] = int(fact[4:])
        else:
            scan.fail(
                f"{fact!r} is no fact of '?'; write ?{{div=16}} or ?{{i64 div=16}}", start, scan.last
            )
    least = None if scan.place in "dx" else 0
    return scan.names.fresh(scan.place, min=least, **facts)


_UNIT: Final = compile_pattern(r"E\s*<")
_UNKNOWN: Final = compile_pattern(r"\?(?:\{([^{}]*)\})?")
_TYPES: Final = {"i32": "int", "i64": "long"}
"""The types that CuTe's DSL prints in a ``?``."""
_NAMED: Final = compile_pattern(r"(?!([Tt]rue|[Ff]alse|[Nn]one)\b)[A-Za-z]")
_NEGATED: Final = compile_pattern(r"-[\s-]*[A-Za-z(]")


def _refuse_leaf(scan: Scanner, what: str) -> NoReturn:
    """Raise the error of a text that is no int."""
    start = scan.at
    word = scan.word("_-.")
    if not word:
        scan.fail(f"expected {what}, found {scan.found()}")
    if word == "_":
        scan.fail("'_' alone keeps a mode when slicing; a static int is '_' and digits, as _4", start)
    scan.fail(
        f"expected {what}, found {shortened(word)!r}; a leaf is an int such as 4 or _4",
        start,
        start + len(word),
    )


def value_at(scan: Scanner, start: int, make: Callable[..., Any], *parts: Any) -> Any:
    """Return ``make(*parts)``, where the text of the parts began at ``start`` and has just been passed.

    Raises:
        ParseError: the parts read well but have no such value.
    """
    try:
        return make(*parts)
    except LayoutError as error:
        end = scan.last
        if "extent" in vars(error):  # a negative one: the first such number of the shape
            extent = f"{error.extent:d}" if isinstance(error.extent, int) else str(error.extent)
            sign = scan.text.find(extent, start, end)
            if sign >= 0:
                start, end = sign, sign + len(extent)
        raise ParseError(error.summary, scan.text, start, end, *error.details) from None
