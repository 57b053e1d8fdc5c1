# SPDX-License-Identifier: Apache-2.0
"""``tla cpp``: a compiler's errors with layouts in notation, and the C++ text of a layout."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any, Final

from ..cpp import rewritten, to_cpp
from ..ground import put, put_bytes, say, visible
from ..read import read
from ..xla_bridge import XlaShape, XlaTuple
from .common import InputError, text_argument
from .parser import argument_parser
from .show import layout_of

if TYPE_CHECKING:
    from collections.abc import Iterator

_EPILOG = """\
examples:
  g++ -c kernel.cpp 2>&1 | tla cpp
  echo "no match for f(tla::Layout<tla::tuple<tla::C<16>, int>, tla::tuple<tla::C<1>, long> >)" | tla cpp
  tla cpp --emit type '((_16,2),(_16,3)):((_16,_256),(_1,512))'
  tla cpp --emit value '((_16,2),(_16,3)):((_16,_256),(_1,512)):(20,48)'
  tla cpp --emit value --dialect cute '(_8,4):(_1,8)'

Without --emit every type tla::Layout<...>, cute::Layout<...>, tuple<...> and C<...> of the text is
written in notation, line by line, and the rest stays as it is: (_16,unsigned):(_1,long) has a static
int _16 and dynamic ones, of which a type tells only their own types. Colours pass; any other character
that a terminal could take for a command is written as an escape such as \\x07.
"""


def run(arguments: list[str]) -> int:
    parser = argument_parser("cpp", _EPILOG)
    parser.add_argument(
        "text",
        metavar="FILE",
        nargs="?",
        default="-",
        help="a compiler's output (default: standard input); with --emit a layout, TLA, tag or XLA",
    )
    parser.add_argument(
        "--emit", choices=("type", "value"), help="print the C++ type of a layout, or what makes it"
    )
    parser.add_argument("--dialect", choices=("catlass", "cute"), help="whose C++ (default catlass)")
    options = parser.parse_args(arguments)
    if options.emit is None:
        if options.dialect is not None:
            parser.error("--dialect goes with --emit; types to rewrite say themselves whose they are")
        _rewrite(options.text)
        return 0
    value = read(text_argument(options.text))
    for item in value.arrays() if isinstance(value, XlaTuple) else [value]:
        given: Any = layout_of(item) if isinstance(item, XlaShape) else item
        say(to_cpp(given, options.dialect or "catlass", options.emit))
    return 0


def _rewrite(path: str) -> None:
    """Copy a file to standard output, rewritten; each piece is written before the next is read."""
    out = getattr(sys.stdout, "buffer", None)
    for lines in _lines(path):
        # bytes that are not UTF-8 pass unchanged
        text = rewritten(lines.decode("utf-8", "surrogateescape"))
        text = _FOR_A_TERMINAL.sub(lambda match: match[1] or visible(match[0]), text)
        if out is not None:
            put_bytes(text.encode("utf-8", "surrogateescape"), out)
            out.flush()
        elif sys.stdout is not None:  # pyright: ignore[reportUnnecessaryComparison]
            put(text, sys.stdout)  # a stand-in that holds text


def _lines(path: str) -> Iterator[bytes]:
    """The lines of a file, or of standard input, in groups as they arrive.

    Raises:
        InputError: it is missing or cannot be read.
    """
    try:
        if path != "-":
            with open(path, "rb") as file:
                yield from _whole_lines(file)
        elif sys.stdin is None:  # pyright: ignore[reportUnnecessaryComparison]
            raise InputError("cannot read standard input: it is closed", path=path)
        elif hasattr(sys.stdin, "buffer"):
            yield from _whole_lines(sys.stdin.buffer)
        else:  # a stand-in that holds text
            yield sys.stdin.read().encode("utf-8", "surrogateescape")
    except (OSError, ValueError) as error:
        raise InputError.cannot("read", path, error) from None


def _whole_lines(file: Any) -> Iterator[bytes]:
    """The lines of a buffered file in groups as they arrive; the last line may lack its end."""
    held: list[bytes] = []  # the pieces of a line that has not ended
    while chunk := file.read1(_CHUNK):
        whole, newline, rest = chunk.rpartition(b"\n")
        if newline:
            yield b"".join([*held, whole, newline])
            held.clear()
        if rest:
            held.append(rest)
    yield b"".join(held)


_CHUNK: Final = 1 << 16

_FOR_A_TERMINAL: Final = re.compile(
    r"(\x1b\[0*K"
    r"|\x1b\[(?:(?>[34]8;5;\d+|[34]8;2;\d+;\d+;\d+|(?!0*8(?!\d))\d*)(?:;|(?=m)))*+m"
    r"|\r?\n|\t|[\udca0-\udcff])|[^ -~]",
)
"""What is no plain letter; first what passes: the cut end of a line, colours, letters of Latin-1.

No text is hidden: 8 hides it, but as a part of a colour; 1K and 2K erase what stands before.
"""
