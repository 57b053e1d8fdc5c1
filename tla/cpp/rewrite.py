"""Compiler output with its layout types in notation.

One pass over a line, from left to right, keeps a stack of the open templates. A template that closes as
a layout, a tuple of ints or a static int is replaced by its notation. Everything else stays as it is.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from ..ground import limit_of
from .names import INTEGER_WORDS, LAYOUTS, NAMESPACES, STATIC_INTS, STATIC_SPACES, TUPLES, canonical_type


def rewritten(text: str) -> str:
    """Return a compiler's output with the types of layouts, tuples and static ints in notation.

    >>> shape, steps = "tla::tuple<tla::C<16>, unsigned int>", "tla::tuple<tla::C<1>, long>"
    >>> print(rewritten(f"note: f({shape}&) [with T = tla::Layout<{shape}, {steps} >]"))
    note: f((_16,unsigned)&) [with T = tla::Layout[(_16,unsigned):(_1,long)]]

    The notation has the type of a dynamic int, so that different types stay different: ``unsigned`` for
    ``unsigned int``, and C++'s word for others. A static int of another type than ``int`` keeps its
    suffix, as in ``_16u``. A ``std::integral_constant<int, 16>`` in a layout or a tuple is ``_16(std)``.
    The notation leaves out the origin shape of a ``tla::Layout`` if it is the template's default,
    ``unsigned int`` for each mode. The ``[...]`` of a compiler is ``...``.

    Everything else stays as it is: text that is none of these types, colours, quotes of any kind, and
    the lines of source that a compiler quotes. The time is proportional to the length of the text.
    """
    return "\n".join(map(_line, text.split("\n")))


_TOKEN: Final = re.compile(
    r"(?P<colour>\x1b(?:\[[0-9;:]*[A-Za-z]|\]8;[^\x07\x1b]*(?:\x07|\x1b\\)))"
    r"|(?P<name>(?:::)?[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*)(?P<opened><)?"
    r"|(?P<number>(?:\((?P<cast>[a-z_0-9 ]+)\))?-?[0-9]++(?P<suffix>[uUlL]*+)(?!\w))"
    r"|(?P<elided>\[\.\.\.\])"
    r"|(?P<blank>[ \t]+)"
    r"|(?P<other>[0-9]+|[^\x1b\w:(\[<>,\s-]+|.)",
    re.S,
)
_QUOTED_SOURCE: Final = re.compile(r"(?:\x1b\[[0-9;]*[A-Za-z]|\s)*[0-9]+(?:\x1b\[[0-9;]*[A-Za-z]|\s)*\|")
_CONSTANT: Final = "integral_constant"
_HEADS: Final = STATIC_INTS | TUPLES | LAYOUTS | {_CONSTANT, "Swizzle", "ComposedLayout", "ScaledBasis"}
_SUFFIXES: Final = {
    "int": "",
    "unsigned int": "u",
    "long": "l",
    "unsigned long": "ul",
    "long long": "ll",
    "unsigned long long": "ull",
}


class _Type(NamedTuple):
    """A type, or a number, in the text.

    Attributes:
        text: Its notation as a part of another type.
        kind: ``"int"``, ``"tuple"``, ``"layout"``, ``"composed"``, ``"swizzle"``, ``"elided"``, or
            ``"number"``, which is a number and no type.
        modes: The length of a tuple that has only ``unsigned int``; -1 if it has other items.
        rank, depth: The rank and depth of a tuple; 1 and 0 for an int.
    """

    text: str
    kind: str
    modes: int = -1
    rank: int = 1
    depth: int = 0


class _Template:
    """A template whose ``>`` is still to come.

    Attributes:
        name: The text before its ``<``.
        begin: The place of its text among the pieces of output.
        items: The finished arguments.
        current: The unfinished argument, if it is a type.
        words: The words of an integer type in the unfinished argument.
        colours: The escape codes since the last item, before and after the unfinished argument.
        is_foreign: Whether it has a part that no layout has.
        notation_at: The place of the last piece in it that is notation; -1 without one.
    """

    __slots__ = ("begin", "colours", "current", "is_foreign", "items", "name", "notation_at", "words")

    def __init__(self, name: str, begin: int) -> None:
        self.name, self.begin = name, begin
        self.items: list[_Type] = []
        self.current: _Type | None = None
        self.words: list[str] = []
        self.colours = ""
        self.notation_at = -1
        self.is_foreign = _head(name)[1] not in _HEADS

    def take(self, type_: _Type) -> None:
        """Take a type as the current argument."""
        if self.current is not None or self.words:
            self.is_foreign = True
            return
        self.current = type_._replace(text=self.colours + type_.text) if self.colours else type_
        self.colours = ""

    def end_argument(self) -> None:
        """End the current argument."""
        if self.words:
            name = canonical_type(" ".join(self.words))
            self.words = []
            if name is None:
                self.is_foreign = True
            else:
                plain = name == "unsigned int"
                self.take(_Type("unsigned" if plain else name, "int", 1 if plain else -1))
        if self.current is None:
            self.is_foreign = True
        else:
            self.items.append(self.current._replace(text=self.current.text + self.colours))
        self.current, self.colours = None, ""


def _line(line: str) -> str:
    """A line with its types in notation."""
    if "<" not in line or _QUOTED_SOURCE.match(line):
        return line
    pieces: list[str] = []
    stack: list[_Template] = []
    for token in _TOKEN.finditer(line):
        kind, text = token.lastgroup, token[0]
        if kind == "opened":
            stack.append(_Template(token["name"], len(pieces)))
            pieces.append(text)
            continue
        if not stack:
            pieces.append(text)
            continue
        template = stack[-1]
        if text == ">":
            stack.pop()
            _close(template, pieces, stack)
            continue
        pieces.append(text)
        if template.is_foreign or kind == "blank":
            continue
        if text == ",":
            template.end_argument()
        elif kind == "colour":
            template.colours += text
        elif kind == "name":
            _take_name(template, text)
        elif kind == "elided":
            template.take(_Type("...", "elided"))
        elif kind in ("number", "suffix", "cast"):
            template.take(_Type(_number(token), "number"))
        else:
            template.is_foreign = True
    return "".join(pieces)


def _take_name(template: _Template, text: str) -> None:
    """Take a name without template arguments as the current argument, or as a word of it."""
    space, short = _head(text)
    if text in ("class", "struct"):  # some compilers put these before each name
        return
    if text in INTEGER_WORDS or canonical_type(text):
        template.words.append(text)
    elif short == "Underscore" and space in NAMESPACES:
        template.take(_Type("_", "int"))
    elif short[:1] == "_" and short[1:].isdigit() and space in NAMESPACES:
        template.take(_Type(short, "int"))
    else:
        template.is_foreign = True


def _number(token: re.Match[str]) -> str:
    """A number, with the suffix of its type."""
    digits = token[0].rpartition(")")[2].rstrip("uUlL")
    if token["cast"]:
        name = canonical_type(token["cast"])
        return digits + _SUFFIXES.get(name or "", f"({name})")
    return digits + token["suffix"].lower().replace("lu", "ul")


def _head(name: str) -> tuple[str, str]:
    """The namespace of a name, and the rest of the name."""
    space, _colons, short = name.removeprefix("::").rpartition("::")
    return space, short


def _close(template: _Template, pieces: list[str], stack: list[_Template]) -> None:
    """End a template: replace its pieces by its notation, or keep them."""
    outer = stack[-1] if stack else None
    layout = None
    if not template.is_foreign:
        if template.items or template.current is not None or template.words:
            template.end_argument()
        if not template.is_foreign:
            layout = _notation(template)
    if layout is None:
        if template.notation_at == len(pieces) - 2 and pieces[-1] == " ":
            pieces.pop()  # this blank kept two ">" apart
        pieces.append(">")
        if outer is not None:
            outer.is_foreign = True
        return
    space, short = _head(template.name)
    # a tuple or C without a namespace may be of any library; so may an integral_constant alone
    if (space or short in LAYOUTS) and short != _CONSTANT:
        del pieces[template.begin :]
        if outer is not None:
            outer.notation_at = len(pieces)
        pieces.append(layout.text)
    else:
        pieces.append(">")
    if outer is not None and not outer.is_foreign:
        outer.take(layout)


def _notation(template: _Template) -> _Type | None:
    """The notation of a finished template; None if it is none of these types."""
    space, short = _head(template.name)
    items = template.items
    kinds = [item.kind for item in items]
    if short == _CONSTANT:
        return _constant(space, items, kinds)
    if space not in NAMESPACES:
        return None
    if short in STATIC_INTS:
        return _Type(f"_{items[0].text}", "int") if kinds == ["number"] else None
    if short in ("Swizzle", "ScaledBasis"):
        return _special(short, items, kinds)
    if "number" in kinds:
        return None
    texts = [item.text for item in items]
    if short in TUPLES:
        depth = 1 + max((item.depth for item in items), default=0)
        if depth > limit_of("nesting"):
            return None
        modes = len(items) if all(item.modes == 1 and item.kind == "int" for item in items) else -1
        return _Type(f"({','.join(texts)})", "tuple", modes, len(items), depth)
    if short == "ComposedLayout":
        return _Type(" o ".join(texts), "composed") if len(items) == 3 else None
    ints_only = all(kind in ("int", "tuple", "elided") for kind in kinds)
    if not ints_only or len(items) not in ((2,) if space == "cute" else (2, 3)):
        return None
    if len(items) == 3 and items[2].modes == items[1].rank:  # the default of the third argument
        texts.pop()
    return _Type(f"{template.name}[{':'.join(texts)}]", "layout")


def _constant(space: str, items: list[_Type], kinds: list[str]) -> _Type | None:
    """The notation of a static int of another library: ``_16(std)``."""
    if kinds != ["int", "number"] or not (space in NAMESPACES or STATIC_SPACES.fullmatch(space)):
        return None
    name = canonical_type("unsigned int" if items[0].text == "unsigned" else items[0].text)
    if name is None:
        return None
    whose = space.partition("::__")[0] or _CONSTANT
    digits = items[1].text.partition("(")[0].rstrip("ul")
    return _Type(f"_{digits}{_SUFFIXES.get(name, f'({name})')}({whose})", "int")


def _special(short: str, items: list[_Type], kinds: list[str]) -> _Type | None:
    texts = [item.text for item in items]
    if short == "Swizzle":
        numbers = texts + texts[:1] if len(texts) == 2 else texts
        if len(numbers) != 3 or set(kinds) != {"number"}:
            return None
        return _Type(f"Sw<{','.join(numbers)}>", "swizzle")
    if len(items) < 2 or kinds[0] != "int" or set(kinds[1:]) != {"number"}:
        return None
    return _Type("@".join(texts), "int")  # CuTe's notation
