"""Symbolic ints as text: the notation of layouts, Python, MLIR and C++.

>>> M, i = sym("M", divisible_by=16), sym("i", min=0)
>>> x = M // 16 * (i % 3) + i // 3
>>> print(to_notation(x), to_python(x), to_mlir(x), to_cpp(x), sep="\\n")
M/16*(i{min=0}%3)+i//3
M // 16 * (i % 3) + i // 3
(M floordiv 16) * (i mod 3) + i floordiv 3
M / 16 * (i % 3) + i / 3

All languages share one walk; a `Style` has the texts of the operators. A symbol that is a multiple of 16
is 16 times its atom, so its atom is written as the exact quotient ``M/16``.
"""

from __future__ import annotations

import re
from math import gcd, lcm, prod
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from ..errors import ArgumentError, UnsupportedError
from ..ground import described, guarded, limit_error, limit_of, refused_digits
from .intervals import is_nonnegative
from .nodes import Expr, Least, Monomial, Quotient, Symbol, Value, bounds_of, required

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .nodes import Atom


class _Text(NamedTuple):
    """A text, and how tightly it binds: as a sum, a division, a product, or without parentheses."""

    text: str
    binds: int


_SUM, _DIVISION, _PRODUCT, _WHOLE = range(4)


class Style(NamedTuple):
    """How operators are written.

    ``floor`` and ``mod`` take both operands and their texts; ``exact`` writes a quotient without rest.
    """

    name: Callable[[Symbol], str]
    gap: str
    exact: str
    floor: Callable[[Style, Value, Value, _Text, _Text], _Text]
    mod: Callable[[Style, Value, Value, _Text, _Text], _Text]
    least: Callable[[list[_Text]], _Text]
    greatest: Callable[[list[_Text]], _Text]
    number_last: bool = False
    left_binds: int = _PRODUCT
    """How tightly the left operand of a division binds at least without parentheses."""
    order: Callable[[Expr], list[tuple[Monomial, int]]] | None = None
    """The terms of a sum as they are written; by their kinds and texts where it is None."""
    negated_binds: int = _SUM
    """How tightly ``-x`` binds as an operand."""


def _operator(sign: str) -> Callable[[Style, Value, Value, _Text, _Text], _Text]:
    def write(style: Style, _a: Value, _b: Value, left: _Text, right: _Text) -> _Text:
        return _Text(_at_least(left, style.left_binds) + sign + _at_least(right, _WHOLE), _DIVISION)

    return write


def _call(name: str, comma: str = ", ") -> Callable[[list[_Text]], _Text]:
    def write(items: list[_Text]) -> _Text:
        return _Text(f"{name}({comma.join(text for text, _binds in items)})", _WHOLE)

    return write


def _at_least(operand: _Text, binds: int) -> str:
    return operand.text if operand.binds >= binds else f"({operand.text})"


# --- walking an expression --------------------------------------------------------------------


def text_in(x: Value, style: Style) -> _Text:
    """Return the text of a value.

    Raises:
        LimitError: it is longer than the ``characters`` of `tla.limits`, or nested too deeply.
    """
    try:
        return _text_in(x, style, {})
    except RecursionError:
        raise limit_error("nesting", "a symbolic int is nested too deeply to be written") from None
    except ValueError as error:
        raise refused_digits(error) from None


_Known: TypeAlias = dict[tuple["Atom", int, bool, bool], _Text]
"""The texts of factors that are written already: a part may stand in many places."""


def _text_in(x: Value, style: Style, known: _Known) -> _Text:
    if type(x) is not Expr:
        return _Text(str(int(x)), _WHOLE if x >= 0 else _SUM)
    gap = style.gap
    out = ""
    single = len(x.terms) == 1 and not x.constant
    most = limit_of("characters")
    for monomial, k, term in _terms(x, style, known):
        if len(out) + len(term.text) > most:
            raise limit_error("characters", f"a symbolic int has a text of more than {most} characters")
        if k < 0 and _has_least(monomial):  # -min(x, y) == max(-x, -y)
            k = -k
        if not out:
            if k > 0 and single:
                return term
            out = _negated(term, style) if k < 0 else term.text
            if single and k == -1:
                return _Text(out, style.negated_binds)
        else:
            out += f"{gap}{'-' if k < 0 else '+'}{gap}{_at_least(term, _DIVISION)}"
    if x.constant:
        out += f"{gap}{'-' if x.constant < 0 else '+'}{gap}{abs(x.constant)}"
    return _Text(out, _SUM)


def _negated(term: _Text, style: Style) -> str:
    """A term with its sign in front; where numbers come last, on its number: ``d0 * -2``."""
    if style.number_last:
        rest, star, number = term.text.rpartition("* ")
        if number.isdigit():
            return f"{rest}{star}-{number}"
    return f"-{_at_least(term, _PRODUCT)}"


def _terms(x: Expr, style: Style, known: _Known) -> list[tuple[Monomial, int, _Text]]:
    """Terms in the order of the text: multiples, remainders, quotients, symbols, minima."""
    terms = list(x.terms.items())
    if style.order is not None:
        terms = style.order(x)
    elif len(terms) > 1:
        texts = {m: _term(m, abs(k), k < 0, _PYTHON, known) for m, k in terms}

        def key(term: tuple[Monomial, int]) -> Any:
            monomial, k = term
            rank = _RANK[monomial[0].kind] if len(monomial) == 1 and abs(k) == 1 else 0
            return rank, texts[monomial].text

        terms.sort(key=key)
        if style is _PYTHON:  # each is written once: they nest
            return [(m, k, texts[m]) for m, k in terms]
    return [(m, k, _term(m, abs(k), k < 0, style, known)) for m, k in terms]


def _has_least(monomial: Monomial) -> bool:
    return any(type(atom) is Least for atom in monomial)


_RANK: Final = {1: 1, 2: 2, 0: 3, 4: 4}


def _term(monomial: Monomial, k: int, negative: bool, style: Style, known: _Known) -> _Text:
    """``k`` times a product of atoms. A minimum that is subtracted is written as a maximum."""
    symbols = [atom for atom in monomial if type(atom) is Symbol]
    under = _under(monomial)
    g = gcd(k, under)
    k, under = k // g, under // g
    others: list[_Text] = []
    for atom in monomial:
        if type(atom) is not Symbol:
            k, text = _factor(atom, k, negative, style, known)
            negative = negative and type(atom) is not Least
            others.append(text)
    texts = sorted([_Text(style.name(s), _WHOLE) for s in symbols]) + sorted(others)
    star = f"{style.gap}*{style.gap}"
    if len(texts) == 1 and k == 1:
        product = texts[0]
    else:
        number = [_Text(str(k), _WHOLE)] if k != 1 else []
        all_texts = texts + number if style.number_last else number + texts
        product = _Text(star.join(_at_least(t, _WHOLE) for t in all_texts), _PRODUCT)
    if under > 1:
        if others and len(symbols) == 1 and k == 1:  # M/16*x rather than M*x/16
            head = _Text(f"{texts[0].text}{style.exact}{under}", _DIVISION)
            first = head.text if style.left_binds == _PRODUCT else f"({head.text})"
            return _Text(star.join([first, *(_at_least(t, _WHOLE) for t in texts[1:])]), _DIVISION)
        return _Text(f"{_at_least(product, style.left_binds)}{style.exact}{under}", _DIVISION)
    return product


def _factor(atom: Atom, k: int, negative: bool, style: Style, known: _Known) -> tuple[int, _Text]:
    """An atom as a factor of ``k``, which it may take up: ``16*(M/16%3)`` is ``M%48``."""
    scale = lcm(*map(denominator, atom.parts if type(atom) is Least else atom.parts[:1]))
    if type(atom) is not Quotient:
        if k % scale:
            scale = 1
        k //= scale
    key = atom, scale, negative, style is _PYTHON
    text = known.get(key)
    if text is None:
        text = known[key] = _factor_text(atom, scale, negative, style, known)
    return k, text


def _factor_text(atom: Atom, scale: int, negative: bool, style: Style, known: _Known) -> _Text:
    """The text of an atom that takes up a scale."""
    if type(atom) is Least:
        parts = [x * (-scale if negative else scale) for x in atom.parts]
        items = sorted(_text_in(x, style, known) for x in parts)
        return (style.greatest if negative else style.least)(items)
    x, c = (part * scale for part in atom.parts)
    write = style.floor if type(atom) is Quotient else style.mod
    return write(style, x, c, _text_in(x, style, known), _text_in(c, style, known))


def denominator(x: Value) -> int:
    """What to multiply with for symbols to stand without quotients."""
    if type(x) is not Expr:
        return 1
    return lcm(*[_under(m) // gcd(_under(m), k) for m, k in x.terms.items()])


def _under(monomial: Monomial) -> int:
    """What the symbols of a product are divided by."""
    return prod([atom.divisor for atom in monomial if type(atom) is Symbol])


# --- Python and MLIR --------------------------------------------------------------------------


def _name(symbol: Symbol) -> str:
    return symbol.name


_PYTHON: Final = Style(
    _name, " ", " // ", _operator(" // "), _operator(" % "), _call("min"), _call("max")
)


def to_python(x: Value) -> str:
    """Return a value as a Python expression, which evaluates to it.

    >>> to_python(sym("M") % 16 + sym("i", min=0) // 4)
    'M % 16 + i // 4'
    """
    return text_in(required(x), _PYTHON).text


@guarded
def to_mlir(x: Value, division: str = "floordiv") -> str:
    """Return a value as MLIR writes it: division as ``floordiv``, or as ``/`` like XLA since 2026.

    >>> i = sym("d0", min=0)
    >>> print(to_mlir(i // 8 * 4 + i % 8), to_mlir(i // 8, division="/"))
    (d0 floordiv 8) * 4 + d0 mod 8 d0 / 8
    """
    return text_in(required(x), mlir_style(division)).text


def mlir_style(
    division: str = "floordiv",
    name: Callable[[Symbol], str] = _name,
    order: Callable[[Expr], list[tuple[Monomial, int]]] | None = None,
) -> Style:
    """Return the style of `to_mlir`, with other names for the symbols and another order of summands."""
    if division not in ("floordiv", "/"):
        raise ArgumentError(f"division is 'floordiv' or '/', not {division!r}")
    sign = f" {division} "
    least, greatest = _call("min"), _call("max")
    floor, mod = _operator(sign), _operator(" mod ")
    negated = _WHOLE if division == "/" else _SUM  # -x mod 2 is (-x) mod 2, as a sign binds first
    return Style(name, " ", sign, floor, mod, least, greatest, True, _WHOLE, order, negated)


# --- C++ --------------------------------------------------------------------------------------


def _cpp_floor(style: Style, x: Value, c: Value, left: _Text, right: _Text) -> _Text:
    a, b = _at_least(left, _PRODUCT), _at_least(right, _WHOLE)
    if is_nonnegative(bounds_of(x)):
        return _Text(f"{a} / {b}", _DIVISION)
    # C++ rounds towards zero: one less where the remainder is negative
    return _Text(f"({a} / {b} - ({a} % {b} < 0))", _WHOLE)


def _cpp_mod(style: Style, x: Value, c: Value, left: _Text, right: _Text) -> _Text:
    a, b = _at_least(left, _PRODUCT), _at_least(right, _WHOLE)
    if is_nonnegative(bounds_of(x)):
        return _Text(f"{a} % {b}", _DIVISION)
    return _Text(f"({a} % {b} + {b}) % {b}", _DIVISION)


def _ternary(sign: str) -> Callable[[list[_Text]], _Text]:
    def write(items: list[_Text]) -> _Text:
        best = items[0]
        if " ? " in best.text and best.binds == _WHOLE:  # one item, not some of these
            best = _Text(f"({best.text})", _WHOLE)
        for item in items[1:]:
            a, b = _at_least(best, _DIVISION), _at_least(item, _DIVISION)
            best = _Text(f"({a} {sign} {b} ? {a} : {b})", _WHOLE)
        return best

    return write


_WIDE: Final = frozenset(
    (
        *("", "int64_t", "ptrdiff_t", "intptr_t", "intmax_t"),
        *("long", "long int", "long long", "long long int", "signed long", "signed long long"),
    )
)
"""The types that are signed and of 64 bits."""


def _cpp_name(symbol: Symbol) -> str:
    # a product of 32-bit numbers is one of 32 bits, and one of unsigned numbers is never negative
    wide = symbol.cpp_type.removeprefix("::").removeprefix("std::") in _WIDE
    return symbol.name if wide else f"(int64_t){symbol.name}"


_CPP: Final = Style(_cpp_name, " ", " / ", _cpp_floor, _cpp_mod, _ternary("<"), _ternary(">"))


def to_cpp(x: Value) -> str:
    """Return a value as a C++ expression of 64-bit signed ints.

    Division and remainder are C++'s own where the dividend is known not to be negative, and round down
    in any case. The names are variables of type ``int64_t``, or are made such where they are known to
    have another type.

    >>> i, j = sym("i", min=0), sym("j", min=None)
    >>> print(to_cpp(i // 4 + j // 4), to_cpp(j % 4), to_cpp(min_(i, 7)), sep="\\n")
    i / 4 + (j / 4 - (j % 4 < 0))
    (j % 4 + 4) % 4
    (7 < i ? 7 : i)

    Raises:
        UnsupportedError: a number in it takes more than 64 bits.
    """
    text = text_in(required(x), _CPP).text
    for digits in _LONG_NUMBER.findall(text):
        if int(digits) >= 1 << 63:
            raise UnsupportedError(
                f"C++ has no int of more than 64 bits: {digits}",
                "Its longest is int64_t, whose literals end at 2**63 - 1, of either sign.",
                value=x,
            )
    return text


_LONG_NUMBER: Final = re.compile(r"\b[0-9]{19,}")


# --- notation ---------------------------------------------------------------------------------


class Notation:
    """The writer of several values together: the facts of a symbol follow its first mention.

    A fact that the text implies is left out: ``M/16`` says that 16 divides ``M``.
    """

    def __init__(self, values: Iterable[Value], facts: bool = True) -> None:
        self._facts: dict[str, str] = {}
        """The facts not yet written, by the marks of their symbols."""
        symbols: dict[str, Symbol] = {}
        implied: dict[str, int] = {}
        for x in values if facts else ():
            if type(x) is Expr:
                divisors = implied_divisors(text_in(x, _NOTATION).text)
                for symbol in x.symbols:
                    mark = _marked(symbol)
                    symbols[mark] = symbol
                    implied[mark] = lcm(implied.get(mark, 1), divisors.get(mark, 1))
        for mark, symbol in symbols.items():
            self._facts[mark] = facts_text(symbol, implied[mark])

    def text(self, x: Value) -> str:
        """Return the text of the next value."""
        if type(x) is not Expr:
            return _text_of_other(x)
        # terms are sorted and written more than once: the facts go where the name stands first
        return _MARK.sub(lambda mark: mark[1] + self._facts.pop(mark[0], ""), text_in(x, _NOTATION).text)


def _text_of_other(x: object) -> str:
    """The text of what is no int: ``_`` in a coordinate, or a wrong leaf."""
    try:
        return str(x)
    except RecursionError:
        return described(x)


def _marked(symbol: Symbol) -> str:
    return f"{symbol.name}\0{symbol.order}\0"


_MARK: Final = re.compile("(\\w+)\0\\d+\0")
_NOTATION: Final = Style(
    _marked, "", "/", _operator("//"), _operator("%"), _call("min", ","), _call("max", ",")
)


_QUOTIENT: Final = re.compile(
    r"(?:(?<![\w*/%.])(\d+)\s*\*\s*|(?<![\w*/%.]))([A-Za-z_]\w*+(?:\0\d+\0)?)"
    r"(?:\s*\{(?:[^{}]|\{[^{}]*\})*\})?\s*/\s*(\d+)(?![\d/])"
)


def implied_divisors(text: str) -> dict[str, int]:
    """Return the divisor of each name that a text implies: 16 in ``M/16``, and in ``3*M/48``."""
    found: dict[str, int] = {}
    for k, name, n in _QUOTIENT.findall(text) if "/" in text else ():
        found[name] = lcm(found.get(name, 1), int(n) // gcd(int(n), int(k or 1)))
    return found


def facts_text(symbol: Symbol, implied: int = 1) -> str:
    """Return the facts of a symbol in notation, without defaults and the implied divisor."""
    facts: list[str] = []
    if symbol.divisor != implied:
        facts.append(f"div={symbol.divisor}")
    if symbol.least != 1 or type(symbol.least) is Expr:
        facts.append(f"min={_bound_text(symbol.least)}")
    if symbol.greatest is not None:
        facts.append(f"max={_bound_text(symbol.greatest)}")
    if symbol.cpp_type:
        facts.append(f"type={symbol.cpp_type}")
    return f"{{{','.join(facts)}}}" if facts else ""


def _bound_text(x: Value | None) -> str:
    return "none" if x is None else to_notation(x)


def to_notation(x: Value) -> str:
    """Return a value in the notation of layouts, which `tla.parse` reads back.

    >>> print(to_notation(sym("M", divisible_by=16) // 16), to_notation(sym("i", min=0, max=7) + 1))
    M/16 i{min=0,max=7}+1
    """
    return Notation([required(x)]).text(x)
