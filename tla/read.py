# SPDX-License-Identifier: Apache-2.0
"""One reader for every notation: it recognises a text by its first characters.

>>> read("(2,3):(3,1)"), read("f32[2,3]{1,0}")
(Layout((2, 3), (3, 1)), XlaShape('f32', (2, 3), minor_to_major=(1, 0)))
>>> print(read("zN<half>(20,48)"))
((_16,2),(_16,3)):((_16,_256),(_1,512)):(20,48)

A shape may also be pointed at: ``module.hlo:%fusion.3`` is the result of that instruction in that file,
and ``module.hlo:%fusion.3{1}`` or ``module.hlo:%fusion.3#1`` the element 1 of it where it is a tuple.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any, NoReturn

from .errors import ParseError, TlaError
from .ground import ELEMENT_TYPES, guarded, read_typed, shortened, visible
from .layouts import blame_brackets, parse

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .ascend import TaggedLayout
    from .layouts import NamingScanner
    from .numbers import Names
    from .xla_bridge import AnyShape

__all__ = ["FileError", "read", "tagged"]

_CPP = re.compile(
    r"(const\s+)?(\w+::)*(Layout\s*<|MakeLayout\s*[(<]|(make_|make_composed_)layout\s*\(|composition\s*\()"
)
"""The beginning of a C++ type or expression of a layout."""

_DECLARED = re.compile(r"^\s*(const\s+)?(auto|(\w+::)*Layout)\s+\w+\s*=|;\s*$")
"""What is around an expression of C++ that defines a layout."""

_TAGGED = re.compile(r"(::\s*)?(\w+\s*::\s*)*(?!\d)\w+\s*<\s*[A-Za-z>]")
"""The beginning of a layout by its tag and element type."""

_INSTRUCTION = re.compile(r"\s*(ROOT\s+)?(%?[A-Za-z_][\w.-]*\s*=|[a-z][a-z-]+\(.*\[)", re.S)
"""The beginning of an instruction of HLO."""

_MEMREF = re.compile(r"memref\s*<")
"""The beginning of MLIR's type of memory."""

_TILELANG = re.compile(r"Layout\([^>]*->")
"""The beginning of a layout as TileLang prints it."""

_INDEX_MAP = re.compile(r"(T\.)?index_map\(")
"""The beginning of an index map as TVM prints it."""

_TENSOR = re.compile(r"\s*tensor\s*<\s*(?P<dims>(?:[0-9?]+\s*x\s*)*)(?P<element>[a-z]\w*)\s*>\s*", re.I)
"""MLIR's type of an array, without an attribute."""

_MAKE_SHAPE = re.compile(
    r"\s*(?:\w+::)*ShapeUtil::MakeShape\(\s*(?P<element>\w+)\s*,\s*\{(?P<dims>[^{}]*)\}\s*\)\s*;?\s*"
)
"""XLA's call that makes a shape."""

_TRITON = re.compile(r"#\s*\w|!?(ttg?\.|triton_gpu\.)?(tensor|memdesc)\s*<")
"""The beginning of a layout of Triton: an attribute, its name, or a type that has one."""

_SWIZZLED = re.compile(r"Sw?\s*<|([gst]mem_)?ptr\[")
"""The beginning of a swizzle, of a layout seen through one, and of a tensor as CuTe prints it."""

_MAP = re.compile(r"\s*\([\w\s,]*\)\s*(\[[\w\s,]*\]\s*)?[-−–]>|\s*domain\s*:|[\w\s+*()-]*\bin\s*\[")
"""The beginning of an indexing map, or of the bounds of its variables."""

_NAME = r"[A-Za-z_][\w.-]*"
_WAY = r"(?:#[0-9]+)*|\{\s*(?:[0-9]+\s*(?:,\s*[0-9]+\s*)*)?\}"
_POINTER = rf"\s*(\S.*?):(?:%({_NAME})/)?%({_NAME})({_WAY})\s*"
"""An instruction of a file: the file, a computation, the instruction, the way into its tuple."""
_BARE = rf"\s*(\S.*?):%?({_NAME}/)?({_NAME}(?:{_WAY}))\s*"
"""A pointer that lacks the ``%`` of the instruction."""
_BROKEN = rf"\s*\S.*?:%(?:{_NAME}/%)?({_NAME})?"
"""The part of a text that looks like a pointer."""


class FileError(TlaError):
    """The file of a pointer cannot be read; ``path`` names it."""


@guarded
def read(text: Any) -> Any:
    """Return the value that a text writes: a `Layout` or int tuple, an `XlaShape` or `XlaTuple`.

    An object of another library is read too: an array, a layout, ..., as `tla.objects` says.

    ``Sw<2,0,3> o 0 o (8,8):(8,1)`` is a `ComposedLayout`, and its first part a `Swizzle`.
    A C++ type or expression of a layout is read as by `from_cpp`; a tag with its element type and sizes,
    ``zN<half>(20,48)``, gives the layout that `tla.ascend.make_layout` does. A name is an unknown size.
    A type of Triton, ``tensor<8x4xf16, #ttg.blocked<{...}>>``, gives the `LinearLayout` that
    `tla.gpu.from_triton` does.
    A type of MLIR, ``tensor<4x8xf32>``, and ``ShapeUtil::MakeShape(F32, {4, 8})`` give an `XlaShape`.
    An instruction of HLO, ``add.936 = f32[2,3] add(a, b)``, gives the shape of its result.
    ``FILE:%name`` is the shape of an instruction's result in a file of HLO; ``FILE:%name{i,j}``, as XLA
    writes the way into a tuple, or ``FILE:%name#i#j`` is an element of it. A name that several
    computations use needs one of them: ``FILE:%computation/%name``.

    >>> print(read("((_16,M/16),K):((1,16),M)"), read("cute::Layout<cute::C<8>, cute::C<2>>"))
    ((_16,M/16),K):((1,16),M) _8:_2

    Raises:
        ParseError: the text is in no notation known, or there is no such instruction or element; the
            error points at the character.
        FileError: there is no such file, or it is no text.
        KindError: it is an object of a library that is not known; the error lists those that are.
    """
    if not isinstance(text, str):
        from .objects import read_object

        return read_object(text)
    if ":%" in text and (pointer := re.fullmatch(_POINTER, text, re.S)):
        return _pointed_at(pointer)
    try:
        return read_typed(_value, text)
    except ParseError as error:
        _blame_pointer(text)
        if _MAP.match(text):
            way = "Write (d0)[s0] -> (d0), domain: d0 in [0, 9], s0 in [0, 9] to tla index or parse_map."
            raise ParseError(
                "this is an indexing map, or its bounds, and no layout", text, 0, len(text), way
            ) from None
        blame_brackets(text, error)
        raise


def _value(text: str) -> Any:
    """The value that a text writes without a file."""
    # behind its opening parentheses a layout has an int, a shape the name of its element type
    start = len(text) - len(text.lstrip())
    inside = text[start:].lstrip("( \t\r\n")
    looks_like_a_layout = inside[:1] in tuple("_-0123456789):?")
    if _INSTRUCTION.match(text) and "(" in text:
        from .hlo import read_instruction

        return read_instruction(text).shape
    if _MEMREF.match(text, start):
        from .objects import read_memref

        return read_memref(text)
    if _TILELANG.match(text, start):
        from .objects import read_tilelang

        return read_tilelang(text)
    if _INDEX_MAP.match(text, start):
        from .objects import refuse_index_map

        refuse_index_map(text)
    if spelled := _TENSOR.fullmatch(text) or _MAKE_SHAPE.fullmatch(text):
        return _spelled(text, spelled)
    if _TRITON.match(text, start):
        from .gpu import from_triton

        return from_triton(text)
    if _SWIZZLED.match(text, start):
        return parse(text)
    if "[" in text and not looks_like_a_layout:
        from .xla_bridge import parse_shape

        return parse_shape(text)
    by_tag = tagged(text)
    if by_tag is not None:
        return by_tag.layout
    if looks_like_a_layout or text.startswith("(", start):
        return parse(text)
    text = _DECLARED.sub(lambda m: " " * len(m[0]), text)  # its places stay
    start = len(text) - len(text.lstrip())
    if _CPP.match(text, start):
        from .cpp import from_cpp

        return from_cpp(text)
    if ":" in text and inside[:1].isalpha():  # a layout that begins with an unknown
        return parse(text)
    word = inside.split(maxsplit=1)[0] if inside else ""
    actual = repr(shortened(word)) if word else "an empty text"
    hints = (
        [f"A shape has dims: {word}[2,3], or {word}[] for a scalar."] if word in ELEMENT_TYPES else []
    )
    tag, bracket, _sizes = text[start:].partition("(")
    if bracket and tag.isidentifier():
        from .ascend import TAGS

        if tag in TAGS:
            way = f"Write {tag}<half>{shortened(text[start + len(tag) :].rstrip())}."
            raise ParseError(f"{tag} needs an element type", text, start, start + len(tag), way)
    raise ParseError(
        "expected a layout such as (2,3):(3,1) or zN<half>(20,48), or an XLA shape such as"
        f" f32[2,3]{{1,0}}, found {actual}",
        text,
        start,
        start + max(1, len(word)),
        *hints,
    )


def _spelled(text: str, found: re.Match[str]) -> AnyShape:
    """The shape of dims and an element type, which MLIR calls i32 and i1 and XLA s32 and pred."""
    from .xla_bridge import parse_shape

    name = found["element"].lower()
    element = "pred" if name == "i1" else re.sub(r"^([su]?)i(?=[0-9])", lambda m: m[1] or "s", name)
    if element not in ELEMENT_TYPES:
        raise ParseError(f"{shortened(name)!r} is no element type", text, *found.span("element"))
    if letter := re.search("[A-WYZ]", found["dims"], re.I):
        start = found.start("dims") + letter.start()
        raise ParseError(f"the size of a dim is a number, not {letter[0]!r}", text, start)
    return parse_shape(f"{element}[{','.join(re.findall('[0-9]+|[?]', found['dims']))}]")


@guarded
def tagged(text: str, symbols: Mapping[str, Any] | Names | None = None) -> TaggedLayout | None:
    """Return the layout that a tag writes, with its element type; None where a text writes no tag.

    >>> tagged("zN<half>(20,48)").element.xla, tagged("(2,3):(3,1)")
    ('f16', None)

    Raises:
        ParseError: the text begins with a tag, but breaks the notation of tags.
    """
    start = len(text) - len(text.lstrip())
    if (
        not _TAGGED.match(text, start)
        or _CPP.match(text, start)
        or "[" in text
        or _TENSOR.fullmatch(text)
    ):
        return None
    from .ascend import parse_tagged

    return parse_tagged(text, symbols)


def layout_of_name(scan: NamingScanner) -> Any:
    """Return the layout that stands in an expression by its tag, or as an XLA shape."""
    if not re.match(r"\w+\s*\[", scan.text[scan.at :]):
        from .ascend import tagged_at

        return tagged_at(scan).layout
    from .xla_bridge import parse_shape_at, to_layout

    shape, end = parse_shape_at(scan.text, scan.at, "document")
    scan.expect(scan.text[scan.at : end])
    return to_layout(shape)


def _blame_pointer(text: str) -> None:
    """Raise the error of a text in no notation, if the text looks like a pointer into a file."""
    path, percent, name = text.strip().partition("%")
    if path and os.path.isfile(path):
        path = visible(path)
        way = f"Write {path}:%name for the shape of an instruction in it; 'tla hlo {path}' lists them."
        way = f"Write {path}:%{shortened(name)}." if percent else way
        raise ParseError(f"{path} is a file, not the text of a layout", text, 0, len(text), way)
    bare = re.fullmatch(_BARE, text, re.S)
    if bare is not None and os.path.isfile(bare[1]):
        write = f"Write {bare[1]}:{f'%{bare[2]}' if bare[2] else ''}%{bare[3]}."
        summary = f"the name of an instruction begins with '%', found {shortened(bare[3])!r}"
        raise ParseError(summary, text, *bare.span(3), write)
    broken = re.match(_BROKEN, text, re.S)
    if broken is not None:
        start = broken.end()
        rest = text[start:].rstrip()
        actual = repr(shortened(rest)) if rest else "the end of text"
        wanted = (
            "an element as {i} or #i, or nothing more" if broken[1] else "the name of an instruction"
        )
        raise ParseError(f"expected {wanted}, found {actual}", text, start, start + max(1, len(rest)))


def _pointed_at(pointer: re.Match[str]) -> AnyShape:
    """The shape of the instruction that a text points at."""
    from .hlo import ModuleError, read_stream

    path, computation, name, way = pointer.groups()
    shapes: dict[str, AnyShape] = {}
    names: set[str] = set()
    try:
        for head, instruction in read_stream(_lines(path)):
            if computation in (None, head.name):
                names.add(instruction.name)
                if instruction.name == name:
                    shapes[head.name] = instruction.shape
    except FileError:
        if not shapes:
            raise
    except ModuleError as error:
        if not shapes:
            named = error.of_file(visible(path))
            if named.summary.endswith(" is empty"):  # there is no character to point at
                raise FileError(named.summary, path=path) from None
            raise named from None
    path = visible(path)
    if not shapes:
        _blame(pointer, 3, f"{path} has no instruction %{name}{_in(computation)}", *_near(name, names))
    if len(shapes) > 1:
        first = next(iter(shapes))
        uses = f"{path} has %{name} in {len(shapes)} computations"
        _blame(pointer, 3, uses, f"Say in which one, as {path}:%{first}/%{name}.")
    (shape,) = shapes.values()
    return _element(shape, pointer, way)


def _in(computation: str | None) -> str:
    return f" in %{computation}" if computation else ""


def _near(name: str, names: set[str]) -> list[str]:
    from difflib import get_close_matches

    near = get_close_matches(name, sorted(names), 3)
    return [f"Near names: {', '.join(f'%{each}' for each in near)}."] if near else []


def _element(shape: AnyShape, pointer: re.Match[str], way: str) -> AnyShape:
    from .xla_bridge import XlaTuple

    for word in re.findall("[0-9]+", way):
        index = int(word[:18])  # no tuple is that long
        if not isinstance(shape, XlaTuple):
            _blame(pointer, 4, f"{shortened(str(shape))} has no elements: it is no tuple")
        if index >= len(shape.elements):
            count = len(shape.elements)
            what = f"the tuple has {count} element{'' if count == 1 else 's'}, no element {index}"
            _blame(pointer, 4, what, "They are counted from 0.")
        shape = shape.elements[index]
    return shape


def _blame(pointer: re.Match[str], group: int, summary: str, *details: str) -> NoReturn:
    raise ParseError(summary, pointer.string, *pointer.span(group), *details)


def _lines(path: str) -> Iterator[str]:
    if path.endswith(".pb"):
        yield _text_of_proto(path)
        return
    try:
        file = open(path, "rb")  # noqa: SIM115 - closed below
    except (OSError, ValueError) as error:  # a text may hold characters that no path can have
        why = error.strerror if isinstance(error, OSError) else error
        raise FileError(f"cannot read {visible(path)}: {why}", path=path) from None
    size = 0
    with file:
        for line in file:
            try:
                text = line.decode()
            except UnicodeDecodeError as error:
                why = f"{visible(path)} is not text: byte {size + error.start} is not UTF-8"
                raise FileError(why, path=path) from None
            yield text if size else text.removeprefix("\ufeff")
            size += len(line)


def _text_of_proto(path: str) -> str:
    from .hlo import ProtoError, hlo_of_proto

    try:
        with open(path, "rb") as file:
            return hlo_of_proto(file.read())
    except OSError as error:
        raise FileError(f"cannot read {visible(path)}: {error.strerror}", path=path) from None
    except ProtoError as error:
        raise FileError(f"{visible(path)}: {error.summary}", *error.details, path=path) from None
