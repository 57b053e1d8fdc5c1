# SPDX-License-Identifier: Apache-2.0
"""What leaves the program: lines of text that no terminal takes for a command.

Texts of files and arguments reach tables, titles and errors. A control character in them could move the
cursor or set the title of a window, and a mark of direction could reorder a line. So each character that
is not printable is shown as its escape, and so is one that the encoding of the output lacks.
"""

from __future__ import annotations

import os
import sys
from errno import EAGAIN
from io import RawIOBase
from typing import TYPE_CHECKING, BinaryIO, TextIO

if TYPE_CHECKING:
    from collections.abc import Sequence


def visible(text: str) -> str:
    r"""Return a text with the escapes of Python in place of characters that are not printable.

    >>> print(visible("a\x1b[31mb\u202ec\nd e"))
    a\x1b[31mb\u202ec\nd e

    A byte of a name that is not UTF-8 is shown as such.

    >>> print(visible(b"a\xffb".decode("utf-8", "surrogateescape")))
    a\xffb
    """
    if text.isprintable():
        return text
    return "".join([c if c.isprintable() else _escape(c) for c in text])


def _escape(letter: str) -> str:
    code = ord(letter)
    return f"\\x{code - 0xDC00:x}" if 0xDC80 <= code <= 0xDCFF else repr(letter)[1:-1]


def say(*lines: object, file: TextIO | None = None) -> None:
    """Write lines to standard output, or another stream; write nothing if it is closed.

    >>> say("one", "two")
    one
    two

    A line end within a line is an escape too: no text can pretend to be a line of its own. On a terminal
    a line that is wider goes on in the next one.
    """
    stream = sys.stdout if file is None else file
    if stream is None:  # pyright: ignore[reportUnnecessaryComparison]
        return
    texts = [visible(str(line)) for line in lines]
    width = terminal_width(stream)
    put("".join([f"{text}\n" for text in (texts if width is None else fitted(texts, width))]), stream)


def terminal_width(stream: TextIO | None = None) -> int | None:
    """Return how many columns a terminal has; None where standard output, or a stream given, is none."""
    stream = sys.stdout if stream is None else stream
    if stream is None or not stream.isatty():  # pyright: ignore[reportUnnecessaryComparison]
        return None
    from shutil import get_terminal_size  # takes longer to load than a line to write

    return get_terminal_size().columns


def fitted(lines: Sequence[str], width: int) -> list[str]:
    """Return lines of at most ``width`` characters.

    A longer one breaks at a blank, and goes on two further in than it began, or below the last of its
    columns that begins in the first half.

    >>> fitted(["  it is (100,200,300)", "sum  2 of 3 are known"], 18)
    ['  it is', '    (100,200,300)', 'sum  2 of 3 are', '     known']

    Marks below a line stay below what they mark.

    >>> fitted(["    f32[30,50]", "           ^^^"], 12)
    ['    f32[30,', '      50]', '      ^^^']
    """
    out: list[str] = []
    above = None
    for line in lines:
        pieces = above if above is not None and line.strip() and not line.strip(" ^") else None
        if pieces is None:
            above = _pieces(line, width)
            out += [" " * indent + line[start:end].rstrip(" ") for indent, start, end in above]
            continue
        first = len(out) - len(pieces)
        ends = [*(end for _indent, _start, end in pieces[:-1]), None]  # a mark may stand behind the end
        below = [" " * p[0] + line[p[1] : end] for p, end in zip(pieces, ends, strict=True)]
        out[first:] = [
            text for pair in zip(out[first:], below, strict=True) for text in pair if text.strip()
        ]
        above = None
    return out


def _pieces(line: str, width: int) -> list[tuple[int, int, int]]:
    """The indentation, the start and the end of each piece of a line.

    A word that no line holds breaks behind a comma.
    """
    blanks = _next_word(line, 0)
    column = line.rfind("  ", blanks, width // 2)
    below = min(_next_word(line, column) if column > blanks else blanks + 2, width // 2)
    pieces: list[tuple[int, int, int]] = []
    indent = start = 0
    while len(line) - start > width - indent:
        end = start + width - indent
        first = max(start, blanks)
        cut = line.rfind(" ", first + 1, end + 1)
        word = _next_word(line, max(cut, first))
        if len(line[word:].partition(" ")[0]) > width - below:
            cut = max(line.rfind(",", word, end) + 1, cut)
        if cut <= first:
            cut = end
        pieces.append((indent, start, cut))
        start, indent = _next_word(line, cut), below
    return [*pieces, (indent, start, len(line))]


def _next_word(line: str, start: int) -> int:
    """Where the first letter stands that is no blank, from a place on."""
    return len(line) - len(line[start:].lstrip(" "))


def put(text: str, stream: TextIO) -> None:
    r"""Write a text as it is; a letter that the encoding of the stream lacks is an escape.

    >>> import io
    >>> stream = io.TextIOWrapper(io.BytesIO(), "cp1252")
    >>> put("5 \u2264 6", stream)
    >>> stream.seek(0), stream.read()
    (0, '5 \\u2264 6')
    """
    encoding = stream.encoding or "utf-8"  # a stand-in may have none
    data = text.encode(encoding, "backslashreplace")
    out = getattr(stream, "buffer", None)
    if isinstance(out, RawIOBase) and "\n".encode(encoding) == b"\n":
        stream.flush()
        put_bytes(data.replace(b"\n", os.linesep.encode()), out)
    else:
        stream.write(text if text.isascii() else data.decode(encoding))


def put_bytes(data: bytes, out: BinaryIO | RawIOBase) -> None:
    """Write all bytes: of an unbuffered stream a full disk may take a part, and no error says so."""
    rest = memoryview(data)
    while rest:
        count = out.write(rest)
        if count is None:
            raise BlockingIOError(EAGAIN, os.strerror(EAGAIN))
        rest = rest[count:]
