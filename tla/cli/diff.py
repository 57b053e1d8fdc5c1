# SPDX-License-Identifier: Apache-2.0
"""``tla diff``: two layouts of one array side by side, and what a copy between them costs."""

from __future__ import annotations

from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

from ..algebra import gives_coordinates
from ..errors import LayoutError, ParseError, TlaError, UndecidedError, UnsupportedError
from ..ground import say
from ..layouts import is_composed, is_layout, leaves, to_text
from ..numbers import SymbolicInt
from ..read import read, tagged
from ..xla_bridge import (
    Difference,
    XlaShape,
    common_run,
    common_vector,
    differences,
    is_bitcast,
    is_open,
    logical_bytes,
    physical_bytes,
    physical_elements,
    physical_offset,
    storage_bits,
    to_layout,
)
from .common import GIVEN, POINTERS, bytes_in_words, plain, settled, text_argument
from .messages import complain, say_json
from .parser import argument_parser
from .where import place_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TypeAlias

    from ..ascend import Element
    from ..layouts import AnyLayout, ComposedLayout

    Place: TypeAlias = XlaShape | AnyLayout | ComposedLayout

_EPILOG = """\
examples:
  tla diff 'bf16[32,256]{1,0:T(8,128)(2,1)}' '((2,4,4),(128,2)):((1,256,2048),(2,1024))'
  tla diff 'f32[3,5]{1,0:T(2,2)}' 'f32[3,5]{1,0}' || echo 'they differ'
  tla diff 'f32[16,128]{1,0:T(8,128)}' 'f32[2,8,128]{2,1,0:T(8,128)}' || echo 'but a bitcast'
  tla diff 'f32[64]{0}' 'f32[64]{0:T(64)}' --json

A and B are XLA shapes, layouts of TLA, or - for standard input. A layout has no size of its own, and
an element type only by a tag, as zN<half>: what it does not say is not compared. A copy is a bitcast
if every element has one offset in both, and the memory is the same: it moves nothing. Where the dims
differ it is one under a reshape if that is so for elements of the same row-major number.

exit code: 0 nothing differs, 1 something does, 2 the command line or the input is wrong, or the
answer depends on an unknown size.
"""

_PICTURE = 256
"""The most elements that are drawn."""

_WIDEST = 16
"""The longest last dim that is drawn."""

_NO_RUN = {
    "element size": "A and B have elements of different sizes",
    "split": "A and B are split differently",
}
"""Why nothing moves in runs, by the kind of the difference."""


def run(arguments: list[str]) -> int:
    parser = argument_parser("diff", _EPILOG + POINTERS)
    parser.add_argument("a", metavar="A", help=GIVEN)
    parser.add_argument("b", metavar="B", help="another one")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(arguments)
    if options.a == options.b == "-":
        parser.error("standard input, -, can stand for one argument only")
    try:
        (a, of_a), (b, of_b) = _operand("A", options.a), _operand("B", options.b)
        differing = [*_elements_of(a, of_a, b, of_b), *differences(a, b)]
        facts = _facts(a, b, differing, {_bits(a, of_a), _bits(b, of_b)} - {None})
        lines = list(_lines(a, b, differing, facts))
    except TlaError as error:  # as in diff(1), where 1 means that they differ
        complain(f"tla: error: {error}")
        return 2
    if options.json:
        say_json(facts)
    else:
        say(*lines)
    return 1 if differing else 0


def _operand(name: str, text: str) -> tuple[Place, Element | None]:
    """The layout that an argument writes, and the element type of a tag; errors name the argument."""
    try:
        text = text_argument(text)
        by_tag = tagged(text)
        return (place_of(read(text)), None) if by_tag is None else (by_tag.layout, by_tag.element)
    except ParseError as error:
        raise error.named(name) from None


def _elements_of(a: Place, of_a: Element | None, b: Place, of_b: Element | None) -> Iterator[Difference]:
    """The difference of the element types, if a tag names one; two shapes compare theirs themselves."""
    if of_a is None and of_b is None:
        return
    for kind, x, y in (
        ("element type", _type(a, of_a), _type(b, of_b)),
        ("element size", _bits(a, of_a), _bits(b, of_b)),
    ):
        if x is not None and y is not None and x != y:
            yield Difference(kind, x, y)


def _type(x: Place, of: Element | None) -> str | None:
    """The element type by XLA's name; by its own name if XLA has none."""
    if of is not None:
        return of.xla or of.name
    return x.element_type.name if isinstance(x, XlaShape) else None


def _bits(x: Place, of: Element | None) -> int | None:
    if of is not None:
        return of.bits
    return storage_bits(x) if isinstance(x, XlaShape) else None


def _facts(
    a: Place,
    b: Place,
    differing: Sequence[Difference],
    bits: set[int | None],
) -> dict[str, Any]:
    kinds = {each.kind for each in differing}
    run, vector, why = _runs(a, b, kinds)
    return {
        "a": _side(a),
        "b": _side(b),
        "differences": [
            {
                "kind": each.kind,
                "index": None if each.at is None else list(each.at),
                "a": plain(each.a),
                "b": plain(each.b),
                "unknown_sizes": dict(each.unknown),
            }
            for each in differing
        ],
        "bitcast": False if "element size" in kinds else settled(lambda: is_bitcast(a, b)),
        "reshape": "dims" in kinds,
        "run": run,
        "vector": vector,
        "bits": bits.pop() if len(bits) == 1 else None,
        "no_run": why,
    }


def _side(x: Place) -> dict[str, Any]:
    side: dict[str, Any] = {"text": str(x), "tla": str(x), "reason": None}
    if not isinstance(x, XlaShape):
        span = settled(lambda: x.cosize)
        return {**side, "elements": plain(span), "bytes": None, "data": None, "dynamic": None}
    try:
        side["tla"] = str(to_layout(x))
    except (UndecidedError, UnsupportedError) as error:
        side |= {"tla": None, "reason": str(error.data.get("reason", error.summary))}
    return {
        **side,
        "elements": plain(physical_elements(x)),
        "bytes": plain(physical_bytes(x)),
        "data": plain(logical_bytes(x)),
        "dynamic": not x.is_static,
    }


def _runs(a: Place, b: Place, kinds: set[str]) -> tuple[int | None, int | None, str | None]:
    """The common run and vector, or why there are none; ``kinds`` are those of the differences."""
    for kind, why in _NO_RUN.items():
        if kind in kinds:
            return None, None, why
    try:
        return common_run(a, b), common_vector(a, b), None
    except (LayoutError, UndecidedError) as error:
        why = "its runs depend on unknown sizes" if is_open(a) or is_open(b) else error.summary
        return None, None, why


# --- for a person -----------------------------------------------------------------------------


def _lines(
    a: Place,
    b: Place,
    differing: Sequence[Difference],
    facts: dict[str, Any],
) -> Iterator[str]:
    for name in ("a", "b"):
        side = facts[name]
        yield f"{name.upper():8} {side['text']}"
        if side["tla"] is None:
            yield f"{'':8} no nested layout ({side['reason']})"
        elif side["tla"] != side["text"]:
            yield f"{'':8} {side['tla']}"
        yield f"{'':8} {_memory(side)}"
    yield from _digits(facts, a, b)
    if not differing:
        yield f"{'same':8} every element lies at one offset"
    for each in differing:
        yield f"{'differ':8} {each}"
    if not any(is_layout(x) and gives_coordinates(x) for x in (a, b)):
        yield f"{'copy':8} {_copy(differing, facts)}"
    yield from _picture(a, b, differing)


def _memory(side: dict[str, Any]) -> str:
    if side["elements"] is None:
        return "its elements depend on its unknowns"
    elements = f"{side['elements']} element{'' if side['elements'] == 1 else 's'}"
    room, data = side["bytes"], side["data"]
    if not isinstance(room, int):
        return elements
    if side["dynamic"]:
        rest = f"{bytes_in_words(data)} of data at most"
    else:
        rest = f"{bytes_in_words(room - data)} of padding" if room > data else "no padding"
    return f"{elements}, {bytes_in_words(room)}, {rest}"


def _digits(facts: dict[str, Any], a: Place, b: Place) -> Iterator[str]:
    """The modes of both, dim by dim."""
    if facts["a"]["tla"] is None or facts["b"]["tla"] is None or is_composed(a) or is_composed(b):
        return
    ours, theirs = (list(layout.trimmed()) for layout in (_beside(a, b), _beside(b, a)))
    if len(ours) != len(theirs):
        return
    width = max((len(str(mode)) for mode in ours), default=0)
    for i, (m, n) in enumerate(zip(ours, theirs, strict=True)):
        yield f"{f'dim {i}':8} {m!s:{width}}  {'=' if m == n else '|'}  {n}"


def _beside(x: Place, other: Place) -> Any:
    """The layout of a shape for the comparison: at its bounds, with the unknowns of the other layout."""
    if not isinstance(x, XlaShape):
        return x
    theirs = x.dimensions if isinstance(other, XlaShape) else leaves(other.origin_shape)
    pairs = zip(x.dimensions, theirs, x.dynamic_dimensions, strict=False)
    sizes = {
        i: m if isinstance(n, SymbolicInt) and isinstance(m, SymbolicInt) else n
        for i, (n, m, dynamic) in enumerate(pairs)
        if dynamic
    }
    return to_layout(x, sizes)


def _copy(differing: Sequence[Difference], facts: dict[str, Any]) -> str:
    if facts["bitcast"]:
        return f"is a bitcast{' under a reshape' * facts['reshape']}: it moves nothing"
    if differing and all(each.is_placement for each in differing):
        return "moves the array as it is to another place"
    moved = any(each.kind in {"offset", "size", "element size"} for each in differing)
    if facts["bitcast"] is None and not moved:
        return "not decided: it depends on an unknown size, or is too large to look at"
    if facts["run"] is None:
        return f"is no bitcast; {facts['no_run']}"
    run, vector = (_elements(facts[name], facts["bits"]) for name in ("run", "vector"))
    return f"moves in runs of {run}, in aligned vectors of {vector}"


def _elements(count: int, bits: int | None) -> str:
    text = f"{count} element{'' if count == 1 else 's'}"
    if bits is None:
        return text
    return (
        f"{text} ({count * bits // 8} B)" if count * bits % 8 == 0 else f"{text} ({count * bits} bits)"
    )


def _picture(a: Place, b: Place, differing: Sequence[Difference]) -> Iterator[str]:
    """The offset of every element in A, and in B if it differs."""
    dims = _dims(a)
    moved = any(each.kind == "offset" for each in differing)
    if not moved or not dims or dims != _dims(b) or prod(dims) > _PICTURE or dims[-1] > _WIDEST:
        return
    rows: list[tuple[str, list[str]]] = []
    for at in product(*map(range, dims[:-1])):
        pairs = [(_offset(a, (*at, i)), _offset(b, (*at, i))) for i in range(dims[-1])]
        cells = [str(x) if x == y else f"{x}>{y}" for x, y in pairs]
        rows.append((f"({','.join([*map(str, at), '*'])})", cells))
    head = max(len(name) for name, _cells in rows)
    width = max(len(cell) for _name, cells in rows for cell in cells)
    yield ""
    yield "offset of each element in A, or in A>B"
    for name, cells in rows:
        yield f"{name:{head}}  {'  '.join(f'{cell:>{width}}' for cell in cells)}"


def _dims(x: Place) -> list[int]:
    sizes = x.dimensions if isinstance(x, XlaShape) else [*leaves(x.origin_shape)]
    return [] if any(isinstance(n, SymbolicInt) for n in sizes) else [int(n) for n in sizes]


def _offset(x: Place, index: tuple[int, ...]) -> Any:
    if isinstance(x, XlaShape):
        return physical_offset(x, index)
    value = x(*index)
    return plain(value) if isinstance(value, int) else to_text(value)
