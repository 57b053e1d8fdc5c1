"""Compiler output with its layout types in notation.

A line is read once, from left to right, with a stack of the templates that are open. What closes as a
layout, a tuple of ints or a static int is written in notation; everything else stays as it was.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from ..numbers import MAX_DEPTH
from .names import INTEGER_WORDS, LAYOUTS, NAMESPACES, STATIC_INTS, STATIC_SPACES, TUPLES, canonical_type


def rewritten(text: str) -> str:
    """Return a compiler's output with the types of layouts, tuples and static ints in notation.

    >>> shape, steps = "tla::tuple<tla::C<16>, unsigned int>", "tla::tuple<tla::C<1>, long>"
    >>> print(rewritten(f"note: f({shape}&) [with T = tla::Layout<{shape}, {steps} >]"))
    note: f((_16,unsigned)&) [with T = tla::Layout[(_16,unsigned):(_1,long)]]

    A dynamic int is written as its type, so that different types stay different: ``unsigned`` for
    ``unsigned int``, else C++'s word. A static int of another type than ``int`` keeps its suffix, as in
    ``_16u``; a ``std::integral_constant<int, 16>`` in a layout or a tuple is ``_16(std)``. The origin
    shape of a ``tla::Layout`` is left out where it is the template's default, ``unsigned int`` for each
    mode. What a compiler elides, ``[...]``, is ``...``.

    Everything else stays as it is: text that is none of these types, colours, quotes of any kind, and
    the lines of source that a compiler quotes. It takes time in proportion to the length of the text.
    """
    return "\n".join(map(_line, text.split("\n")))


_TOKEN: Final = re.compile(
    r"(?P<colour>\x1b(?:\[[0-9;:]*[A-Za-z]|\]8;[^\x07\x1b]*(?:\x07|\x1b\\)))"
    r"|(?P<name>(?:::)?[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*)(?P<opened><)?"
    r"|(?P<number>(?:\((?P<cast>[a-z_0-9 ]+)\))?-?[0-9]+(?P<suffix>[uUlL]*)(?!\w))"
    r"|(?P<elided>\[\.\.\.\])"
    r"|(?P<blank>[ \t]+)"
    r"|(?P<other>[^\x1b\w:(\[<>,\s-]+|.)",
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
    """A type, or a number, that has been read.

    Attributes:
        text: What it is as a part of another, in notation.
        kind: ``"int"``, ``"tuple"``, ``"layout"``, ``"composed"``, ``"swizzle"``, ``"elided"``, or
            ``"number"``, which is a number and no type.
        modes: How many ints ``unsigned int``, and nothing else, a tuple has; -1 if it has others.
        rank, depth: Of a tuple; 1 and 0 of an int.
    """

    text: str
    kind: str
    modes: int = -1
    rank: int = 1
    depth: int = 0


class _Template:
    """A template that is open.

    Attributes:
        name: The text before its ``<``.
        begin: Where its text begins among the pieces of output.
        items: The arguments that have ended.
        current: The argument that has not, if it is a type.
        words: The words of an integer type in it.
        colours: The escape codes since its last item, before its current argument and after it.
        broken: Whether there is something in it that no layout has.
        rewritten: The last piece in it that is notation.
    """

    __slots__ = ("begin", "broken", "colours", "current", "items", "name", "rewritten", "words")

    def __init__(self, name: str, begin: int) -> None:
        self.name, self.begin = name, begin
        self.items: list[_Type] = []
        self.current: _Type | None = None
        self.words: list[str] = []
        self.colours = ""
        self.rewritten = -1
        self.broken = _head(name)[1] not in _HEADS

    def take(self, type_: _Type) -> None:
        """Let a type be the current argument."""
        if self.current is not None or self.words:
            self.broken = True
            return
        self.current = type_._replace(text=self.colours + type_.text) if self.colours else type_
        self.colours = ""

    def end_argument(self) -> None:
        """End the current argument."""
        if self.words:
            name = canonical_type(" ".join(self.words))
            self.words = []
            if name is None:
                self.broken = True
            else:
                plain = name == "unsigned int"
                self.take(_Type("unsigned" if plain else name, "int", 1 if plain else -1))
        if self.current is None:
            self.broken = True
        else:
            self.items.append(self.current._replace(text=self.current.text + self.colours))
        self.current, self.colours = None, ""


def _line(line: str) -> str:
    """A line rewritten."""
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
        if template.broken or kind == "blank":
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
            template.broken = True
    return "".join(pieces)


def _take_name(template: _Template, text: str) -> None:
    """Let a name without template arguments be the current argument, or a word of it."""
    space, short = _head(text)
    if text in ("class", "struct"):  # as another compiler puts before each name
        return
    if text in INTEGER_WORDS or canonical_type(text):
        template.words.append(text)
    elif short == "Underscore" and space in NAMESPACES:
        template.take(_Type("_", "int"))
    elif short[:1] == "_" and short[1:].isdigit() and space in NAMESPACES:
        template.take(_Type(short, "int"))
    else:
        template.broken = True


def _number(token: re.Match[str]) -> str:
    """A number, with the suffix that its type has."""
    digits = token[0].rpartition(")")[2].rstrip("uUlL")
    if token["cast"]:
        name = canonical_type(token["cast"])
        return digits + _SUFFIXES.get(name or "", f"({name})")
    return digits + token["suffix"].lower().replace("lu", "ul")


def _head(name: str) -> tuple[str, str]:
    """The namespace of a name, and the name in it."""
    space, _colons, short = name.removeprefix("::").rpartition("::")
    return space, short


def _close(template: _Template, pieces: list[str], stack: list[_Template]) -> None:
    """End a template: put what it is in notation in place of its pieces, or let them stand."""
    outer = stack[-1] if stack else None
    layout = None
    if not template.broken:
        if template.items or template.current is not None or template.words:
            template.end_argument()
        if not template.broken:
            layout = _notation(template)
    if layout is None:
        if template.rewritten == len(pieces) - 2 and pieces[-1] == " ":
            pieces.pop()  # it kept two ">" apart
        pieces.append(">")
        if outer is not None:
            outer.broken = True
        return
    space, short = _head(template.name)
    # a bare tuple or C may be anybody's, and so may an integral_constant outside of a layout
    if (space or short in LAYOUTS) and short != _CONSTANT:
        del pieces[template.begin :]
        if outer is not None:
            outer.rewritten = len(pieces)
        pieces.append(layout.text)
    else:
        pieces.append(">")
    if outer is not None and not outer.broken:
        outer.take(layout)


def _notation(template: _Template) -> _Type | None:
    """What a template with all its arguments is in notation, None if it is none of ours."""
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
        if depth > MAX_DEPTH:
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
    """A static int that is not of the library's own type: ``_16(std)``."""
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
    return _Type("@".join(texts), "int")  # as CuTe prints it
