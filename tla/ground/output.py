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
from typing import BinaryIO, TextIO


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

    A line end within a line is an escape too: no text can pretend to be a line of its own.
    """
    stream = sys.stdout if file is None else file
    if stream is not None:  # pyright: ignore[reportUnnecessaryComparison]
        put("".join([f"{visible(str(line))}\n" for line in lines]), stream)


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
