"""Layouts by their tag, as text: ``zN<half>(20,48)``.

============================================== ====================================================
text                                           layout
============================================== ====================================================
``zN<half>(20,48)``                            of 20 by 48 elements of two bytes
``zN<half>(_20,_48)``, ``zN<half>(M,K)``       of static sizes, of unknown ones: ``M{div=16}``
``RowMajor<half>(20,48,ld=64)``                with an option that the tag takes: ``ld``, ``c0``
``PaddingRowMajor<half>(9,9,block=(4,2))``     in blocks of 4 rows and 2 columns
``zN<half>(20,48,batch=4)``                    four of them, one after another; ``batch=(2,4)`` eight
``Catlass::layout::zN<AscendC::int4b_t>(8,8)`` with the names of C++
============================================== ====================================================

>>> found = parse_tagged("zN<half>(20,48)")
>>> print(found.layout)
((_16,2),(_16,3)):((_16,_256),(_1,512)):(20,48)
>>> found.element.bits, found.tag, found.sizes, str(found)
(16, 'zN', (20, 48), 'zN<half>(20,48)')
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from ...errors import ParseError, TlaError, UndecidedError
from ...ground import constexpr, is_too_long, most_digits, shortened, way_out
from ...layouts import NamingScanner, as_int_tuple, items_at, leaf_at, leaves
from ...numbers import MAX_DEPTH, SymbolicInt, is_tuple, leaf
from ..elements import Element, element as element_named
from .forms import UNALIGNED
from .table import TAGS, Tag, make_layout, tag_named

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

    from ...layouts import AnyLayout
    from ...numbers import Names
    from ..elements import ElementLike


class TaggedLayout(NamedTuple):
    """A layout with its tag, element type and sizes. `parse_tagged` reads its ``str``.

    >>> found = parse_tagged("zN<half>(20,48)")
    >>> print(found, found.layout)
    zN<half>(20,48) ((_16,2),(_16,3)):((_16,_256),(_1,512)):(20,48)
    >>> found.element.bits, found.sizes
    (16, (20, 48))
    """

    element: Element
    tag: str
    sizes: tuple[Any, ...]
    options: tuple[tuple[str, Any], ...]
    """The arguments with a name, in the order of the tag."""
    layout: AnyLayout

    def __str__(self) -> str:
        values = [*self.sizes, *(x for _name, x in self.options if not isinstance(x, str))]
        write = _writer(values)
        words = [write(size) for size in self.sizes]
        for name, x in self.options:
            words.append(f"{name}={x if isinstance(x, str) else write(x)}")
        return f"{self.tag}<{self.element}>({','.join(words)})"


def _writer(values: list[Any]) -> Any:
    """A function that writes ints and tuples of ints; an unknown has its facts at its first place."""
    flat = list(leaves(tuple(values)))
    one: Any = str
    if any(isinstance(x, SymbolicInt) for x in flat):
        from ...numbers import Notation

        one = Notation(flat).text

    def write(x: Any) -> str:
        return f"({','.join(map(write, x))})" if is_tuple(x) else one(x)

    return write


def tagged(element: ElementLike, tag: str | Tag, *sizes: Any, **options: Any) -> TaggedLayout:
    """Return the layout that `make_layout` makes, with its tag, element type and sizes.

    >>> print(tagged("f16", "RowMajor", 5, 7, ld=8))
    RowMajor<half>(5,7,ld=8)

    Raises:
        TlaError: as `make_layout`.
    """
    kind, of = tag_named(tag), element_named(element)
    layout = make_layout(of, kind, *sizes, **options)
    arguments = [
        (name, options[name] if isinstance(options[name], str) else as_int_tuple(options[name]))
        for name in (*kind.options, "batch")
        if options.get(name) is not None
    ]
    return TaggedLayout(of, kind.name, tuple(map(leaf, sizes)), tuple(arguments), layout)


@constexpr
def parse_tagged(text: str, symbols: Mapping[str, Any] | Names | None = None) -> TaggedLayout:
    """Return the layout that a tag with its element type and sizes writes.

    >>> print(parse_tagged("zN<half>(M{div=16},48)").layout)
    ((_16,M/16),(_16,3)):((_16,_256),(_1,16*M))

    Args:
        symbols: The values of names. Other names are unknowns, with the facts that the text states.

    Raises:
        ParseError: the text does not follow the notation, or there is no such tag, element type or
            layout. The error points at the place.
        UndecidedError: an argument is not known to fit: ``RowMajor<half>(5,M,ld=N)``.
    """
    scan = NamingScanner(text, symbols)
    layout = tagged_at(scan)
    scan.expect_end()
    return layout


def parse_tag(text: str) -> tuple[str, Element | None]:
    """Return the name of a tag and the element type, or None without one: ``zN<half>``, ``zN``.

    The tag may also be ``zNUnAlign``, which a layout can be in although no tag makes it.

    >>> parse_tag("zN<half>")[1].bits, parse_tag("zN")
    (16, ('zN', None))

    Raises:
        ParseError: there is no such tag or element type; the error points at it.
    """
    scan = NamingScanner(text)
    tag = _tag_at(scan, UNALIGNED)
    element = _element_at(scan, tag) if scan.peek() == "<" else None
    if scan.peek() == "(":
        scan.fail(f"expected no sizes after the tag: {tag} is asked for in any", end=len(text))
    scan.expect_end()
    return tag, element


# --- the grammar ------------------------------------------------------------------------------


def tagged_at(scan: NamingScanner) -> TaggedLayout:
    """Return the layout whose tag, element type and sizes come next, and go past them.

    Raises:
        ParseError: something else comes next, or there is no such layout.
    """
    tag = TAGS[_tag_at(scan)]
    if scan.peek() != "<":
        scan.fail(f"expected '<' and the element type, as {tag}<half>, found {scan.found()}")
    element = _element_at(scan, tag.name)
    if scan.peek() != "(":
        names = ",".join(tag.sizes)
        scan.fail(f"expected '(' and the sizes, as {tag}<{element}>({names}), found {scan.found()}")
    begin = scan.at
    sizes: list[Any] = []
    options: dict[str, Any] = {}
    spans: dict[str, tuple[int, int]] = {}
    for _place in items_at(scan, MAX_DEPTH):
        start, name = scan.at, _name_of_option(scan)
        if name:
            _require_option(scan, tag, name, start, options)
            options[name] = _option(scan, name)
        elif options:
            _refuse(scan, "a size stands after an argument with a name", start, start + 1)
        else:
            name = _size_name(tag, len(sizes))
            sizes.append(leaf_at(scan, f"the {name} of {tag}"))
        spans[name] = start, scan.last
    try:
        result = tagged(element, tag, *sizes, **options)
    except UndecidedError:
        raise
    except TlaError as error:
        suspects = [error.data.get("name"), *error.data]
        span = next((spans[name] for name in suspects if name in spans), (begin, scan.last))
        _refuse(scan, error.summary, *span, *error.details)
    if any(isinstance(x, int) and is_too_long(x) for x in _ints(result.layout)):
        summary = f"the layout has an int of more than {most_digits()} digits"
        _refuse(scan, summary, begin, scan.last, way_out("digits"))
    return result


def _ints(layout: AnyLayout) -> list[Any]:
    return list(leaves((layout.shape, layout.stride, layout.origin_shape)))


def _tag_at(scan: NamingScanner, others: Container[str] = ()) -> str:
    """The name of a tag or one of the `others`, which may have a namespace before it."""
    scan.accept("::")
    while True:
        start = scan.at
        name = scan.word()
        if not scan.accept("::"):
            break
    if not name:
        scan.fail(f"expected a layout tag such as zN, found {scan.found()}")
    try:
        return name if name in others else tag_named(name).name
    except TlaError as error:
        _refuse(scan, error.summary, start, start + len(name), *error.details)


def _element_at(scan: NamingScanner, tag: str) -> Element:
    """The element type between ``<`` and ``>``."""
    opening = scan.at
    scan.expect("<")
    start, stop = scan.at, scan.text.find(">", scan.at)
    if stop < 0:
        _refuse(scan, f"expected '>' after the element type of {tag}", opening, len(scan.text))
    name = scan.text[start:stop].rstrip()
    if not name:
        scan.fail(f"expected an element type such as half, found {scan.found()}")
    try:
        element = element_named(name)
    except TlaError as error:
        _refuse(scan, error.summary, start, start + len(name), *error.details)
    scan.at = stop
    scan.expect(">")
    return element


def _name_of_option(scan: NamingScanner) -> str:
    """The ``name`` of an argument ``name=value``, or "" if it has none."""
    start, last = scan.at, scan.last
    if scan.peek().isalpha():
        name = scan.word()
        if scan.peek() == "=" and scan.accept("="):
            return name
        scan.at, scan.last = start, last
    return ""


def _require_option(
    scan: NamingScanner, tag: Tag, name: str, start: int, options: Mapping[str, Any]
) -> None:
    takes = (*tag.options, "batch")
    end = start + len(name)
    if name in options:
        _refuse(scan, f"{name} is given twice", start, end)
    if name not in takes:
        of = next((other.name for other in TAGS.values() if name in other.options), "")
        hint = f"{of} takes it. " if of else ""
        _refuse(scan, f"{tag} takes no {shortened(name)!r}", start, end, f"{hint}{_takes(tag, takes)}")


def _takes(tag: Tag, options: tuple[str, ...]) -> str:
    return f"{tag} takes {' and '.join(options)}."


def _option(scan: NamingScanner, name: str) -> Any:
    """The value of an option: a memory, a tuple of ints, or an int."""
    if name == "position":
        return scan.word()
    if name not in ("block", "batch") or (name == "batch" and scan.peek() != "("):
        return leaf_at(scan, name)
    if scan.peek() != "(":
        scan.fail(f"expected '(' and the rows and columns of a block, found {scan.found()}")
    return tuple([leaf_at(scan, f"an extent of the {name}") for _place in items_at(scan, MAX_DEPTH)])


def _size_name(tag: Tag, place: int) -> str:
    return tag.sizes[place] if place < len(tag.sizes) else f"size {place + 1}"


def _refuse(scan: NamingScanner, summary: str, start: int, end: int, *details: str) -> NoReturn:
    raise ParseError(summary, scan.text, start, end, *details)
