# SPDX-License-Identifier: Apache-2.0
"""``tla banks``: the bank conflicts of shared memory, and a swizzle that cures them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import ParseError
from ..figures import BANK_SCHEMES, composed_figure, layout_figure
from ..gpu import Access, bank_conflicts, best_swizzle, memory_lines
from ..ground import Panels, say
from ..layouts import is_composed
from ..read import read
from .common import InputError, positive, text_argument
from .messages import say_json
from .parser import argument_parser
from .pictures import add_formats, is_asked_for, refuse_formats, write_figure
from .show import layout_of

if TYPE_CHECKING:
    import argparse

    from ..gpu import BankConflicts, Best
    from ..ground import AnyFigure

_EPILOG = """\
examples:
  tla banks '(32,32):(32,1)' '(32,1):(1,0)'
  tla banks '(32,32):(32,1)' '(32,1):(1,0)' '(32,1):(32,0)' --cure
  tla banks '(8,64):(64,1)' '((8,4),8):((1,64),8)' --element-bits 16 --vector 8 --cure
  tla banks 'Sw<3,3,3> o 0 o (8,64):(64,1)' '((8,4),8):((1,64),8)' --element-bits 16 --vector 8
  tla banks '(32,32):(32,1)' '(32,1):(1,0)' --cure -o banks.svg
  tla banks '(1024,64):(64,1)' '(32,4):(4,1)' --lines

An ACCESS is a layout of threads by values: its offset is the index of the element that a thread takes.
Shared memory has 32 banks of 4 bytes. A warp waits for each word that one bank gives after the first.
--cure searches all swizzles that keep the tile in its memory. -o FILE draws the banks, with --cure
before and after; so does 'tla show --colour-by bank'.
"""


def run(arguments: list[str]) -> int:
    parser = _parser()
    options = parser.parse_args(arguments)
    refuse_formats(parser, options, ("lines",), "banks are drawn, lines are not")
    layout = _layout("LAYOUT", options.layout)
    accesses = [Access(_layout("ACCESS", text), options.vector) for text in options.access]
    bits = options.element_bits
    if options.lines:
        lines = [memory_lines(layout, access, element_bits=bits) for access in accesses]
        if options.json:
            say_json({"lines": lines})
            return 0
        for text, counts in zip(options.access, lines, strict=True):
            say(f"{text}: {', '.join(map(str, counts))} lines of 128 bytes, by warp and instruction")
        return 0
    best: Best | None = None
    if options.cure:
        if is_composed(layout):
            raise InputError(
                f"--cure looks for a swizzle of a plain layout, and {layout} has one already"
            )
        best = best_swizzle(layout, accesses, element_bits=bits)
    if is_asked_for(options):
        write_figure(_figure(layout, best, bits), options)
        return 0
    found = [bank_conflicts(layout, access, element_bits=bits) for access in accesses]
    if options.json:
        say_json({"accesses": list(map(_facts, found)), "best": None if best is None else _cure(best)})
        return 0
    for text, conflicts in zip(options.access, found, strict=True):
        for line in f"{text}: {conflicts}".split("\n"):
            say(line)
    if best is not None:
        say(_sentence(best))
    return 0


def _sentence(best: Best) -> str:
    if not best.swizzle.bits:
        return f"no swizzle is better than none: wavefronts {best.before}, at best {best.ideal}"
    return (
        f"{best.layout} has the fewest wavefronts of {best.tried} swizzles:"
        f" {best.wavefronts} in place of {best.before}, at best {best.ideal}"
    )


def _layout(name: str, text: str) -> Any:
    """A layout, or one seen through a swizzle; an error names the argument."""
    try:
        value = read(text_argument(text))
        return value if is_composed(value) else layout_of(value)
    except ParseError as error:
        raise error.named(name) from None


def _figure(layout: Any, best: Best | None, bits: int) -> AnyFigure:
    """The layout, and the cured one beside it, by bank."""
    scheme: Any = "bank" if bits == 32 else f"bank{bits}"
    if scheme not in BANK_SCHEMES:
        raise InputError(
            f"banks of elements of {bits} bits are not drawn; of 4, 8, 16, 32 and 64 they are"
        )
    shown: list[Any] = [layout] if best is None else [layout, best.layout]
    figures = [
        composed_figure(x, 32, 64, 1, scheme) if is_composed(x) else layout_figure(x, 32, 64, 1, scheme)
        for x in shown
    ]
    return figures[0] if best is None else Panels("", tuple(figures))


def _facts(found: BankConflicts) -> dict[str, Any]:
    phases = [
        {**phase._asdict(), "threads": [phase.threads.start, phase.threads.stop]}
        for phase in found.phases
    ]
    return {"ways": found.ways, "wavefronts": found.wavefronts, "ideal": found.ideal, "phases": phases}


def _cure(best: Best) -> dict[str, Any]:
    return {**best._asdict(), "swizzle": str(best.swizzle), "layout": str(best.layout)}


def _parser() -> argparse.ArgumentParser:
    parser = argument_parser("banks", _EPILOG)
    parser.add_argument("layout", metavar="LAYOUT", help="where the elements lie, in elements")
    parser.add_argument("access", metavar="ACCESS", nargs="+", help="what the threads read or write")
    parser.add_argument(
        "--element-bits", type=positive, default=32, metavar="N", help="bits of an element (default 32)"
    )
    parser.add_argument(
        "--vector",
        type=positive,
        default=1,
        metavar="N",
        help="values that a thread takes with one instruction (default 1)",
    )
    parser.add_argument(
        "--cure", action="store_true", help="search the swizzle with the fewest conflicts"
    )
    parser.add_argument(
        "--lines", action="store_true", help="count lines of global memory instead of banks"
    )
    add_formats(parser, json="print the phases as JSON")
    return parser
