# SPDX-License-Identifier: Apache-2.0
"""The boxes of a copy as a program: in Python with numpy, in C++, and in words.

>>> from tla.arrays import Box, Loop
>>> print(cpp_source([Box(0, 0, (Loop(6, 1, 4), Loop(4, 6, 1)))]))
template <class T>
void copy(T const* source, T* target) {
  for (long i0 = 0; i0 < 6; ++i0)
    for (long i1 = 0; i1 < 4; ++i1)
      target[4 * i0 + i1] = source[i0 + 6 * i1];
}
"""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING

from ..ground import plural

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .loops import Box, Loop

_Nests = dict["tuple[Loop, ...]", list[tuple[int, int]]]


def nests_of(boxes: Iterable[Box]) -> _Nests:
    """Return the loops of some boxes, each with the starts of the boxes that run them."""
    nests: _Nests = {}
    for box in boxes:
        nests.setdefault(box.loops, []).append(box.starts)
    return nests


def cpp_source(boxes: Iterable[Box]) -> str:
    """Return a function of C++ that runs some boxes; the pointers are to offset 0."""
    lines = ["template <class T>", "void copy(T const* source, T* target) {"]
    for n, (loops, starts) in enumerate(nests_of(boxes).items()):
        indent = "  "
        bases = ["", ""] if starts == [(0, 0)] else [f"{start} + " for start in starts[0]]
        if len(starts) > 1:
            lines.append(f"  static constexpr long starts{n}[][2] = {{")
            lines += _listed([f"{{{source},{target}}}" for source, target in starts])
            lines.append("  };")
            lines.append(f"  for (auto const& start : starts{n})")
            bases = ["start[0] + ", "start[1] + "]
            indent += "  "
        for i, loop in enumerate(loops):
            lines.append(f"{indent}for (long i{i} = 0; i{i} < {loop.extent}; ++i{i})")
            indent += "  "
        source, target = (_index(base, loops, side) for side, base in enumerate(bases))
        lines.append(f"{indent}target[{target}] = source[{source}];")
    return "\n".join([*lines, "}"])


def _index(base: str, loops: tuple[Loop, ...], side: int) -> str:
    terms = [(loop.steps[side], f"i{i}") for i, loop in enumerate(loops)]
    text = base + " + ".join(name if d == 1 else f"{d} * {name}" for d, name in terms if d)
    return (text.removesuffix(" + ") or "0").replace("+ -", "- ")


def numpy_source(boxes: Iterable[Box], places: tuple[int, int]) -> str:
    """Return a function of Python that runs some boxes; ``places`` are the elements of offset 0."""
    lines = [
        "from numpy.lib.stride_tricks import as_strided",
        "",
        "def copy(source, target):",
        "    n = source.itemsize",
        "    source, target = source.view(f'V{n}'), target.view(f'V{n}')",
    ]
    for loops, starts in nests_of(boxes).items():
        extents = _tuple([str(loop.extent) for loop in loops])
        strides = [_tuple([f"{loop.steps[side]} * n" for loop in loops]) for side in (0, 1)]
        lines += [
            "    for i, j in (",
            *_listed([f"({source + places[0]},{target + places[1]})" for source, target in starts]),
            "    ):",
            f"        from_ = as_strided(source[i:], {extents}, {strides[0]})",
            f"        as_strided(target[j:], {extents}, {strides[1]})[...] = from_",
        ]
    return "\n".join(lines)


def _listed(items: list[str]) -> list[str]:
    """The lines of a long list."""
    return wrap(", ".join(items) + ",", 96, initial_indent=" " * 8, subsequent_indent=" " * 8)


def _tuple(items: list[str]) -> str:
    return f"({', '.join(items)}{',' if len(items) == 1 else ''})"


def sentences_of(boxes: Iterable[Box]) -> list[str]:
    """Return what some boxes do, in sentences.

    >>> from tla.arrays import Box, Loop
    >>> for sentence in sentences_of([Box(0, 0, (Loop(3, 16, 512), Loop(16, 1, 1)))]):
    ...     print(sentence)
    1 nest of 2 loops.
    A step of the loop of 3 is 16 in the source and 512 in the target.
    Its 16 innermost elements lie side by side on both sides.
    """
    lines: list[str] = []
    for loops, starts in nests_of(boxes).items():
        if not loops:
            lines.append(f"{plural(len(starts), 'element')} one by one.")
            continue
        lines.append(f"{plural(len(starts), 'nest')} of {plural(len(loops), 'loop')}.")
        for i, loop in enumerate(loops):
            if i == len(loops) - 1 and loop.steps == (1, 1):
                lines.append(f"Its {loop.extent} innermost elements lie side by side on both sides.")
            else:
                step = f"{loop.source} in the source and {loop.target} in the target"
                lines.append(f"A step of the loop of {loop.extent} is {step}.")
    return lines
