# SPDX-License-Identifier: Apache-2.0
"""The parts that commands share: parsers, input text, and sizes in words."""

from __future__ import annotations

import argparse
import re
import sys
from io import BytesIO
from typing import IO, TYPE_CHECKING, Any, TypeVar

from ..errors import ParseError, TlaError, UndecidedError
from ..ground import shortened, visible
from ..numbers import SymbolicInt

if TYPE_CHECKING:
    from collections.abc import Callable

GIVEN = "a layout, TLA, zN<half>(20,48) or XLA, or FILE:%%name#i; - is standard input"
"""The help of an argument that is a layout in any notation."""

POINTERS = """
FILE:%name is the shape of that instruction in a file of HLO; of a tuple FILE:%name#i is element i.
"""
"""The end of the help of a command that takes `GIVEN`."""

NUMBER_OR_BOUND = "Write a number in place of '?', or a bound, '<=N'."
"""The way out if the answer depends on a dim of unknown size."""

SAY_MORE = "Write a number for each unknown, or say more of it where it comes first: M{div=16,min=1}."
"""The way out if the answer depends on the unknowns of a layout."""


class InputError(TlaError):
    """A file or stream that cannot be read or written."""

    @classmethod
    def cannot(cls, verb: str, path: str, error: OSError | ValueError) -> InputError:
        """Return the error of a file; an argument may hold characters that no path can have."""
        why = (isinstance(error, OSError) and error.strerror) or error
        return cls(f"cannot {verb} {name_of(path)}: {why}", path=path)


_Found = TypeVar("_Found")


def settled(find: Callable[[], _Found]) -> _Found | None:
    """Return the result of a function, or None if it depends on unknown sizes."""
    try:
        return find()
    except UndecidedError:
        return None


_Error = TypeVar("_Error", bound=TlaError)


def on_command_line(error: _Error, way_out: str) -> _Error:
    """Return the error with a way out for the command line, in place of one for Python."""
    details = [way_out if _assumes(error) in detail else detail for detail in error.details]
    return error if details == [*error.details] else type(error)(error.summary, *details, **error.data)


def as_option(error: UndecidedError) -> UndecidedError:
    """Return the error with the option ``--assume`` as its way out, not Python."""
    python, option = f"write `{_assumes(error)}`", f"add --assume '{error.data.get('obligation')}'"
    details = [detail.replace(python, option) for detail in error.details]
    return UndecidedError(error.summary, *details, **error.data)


def _assumes(error: TlaError) -> str:
    """The Python that assumes the obligation of an error."""
    return f"with assume({error.data.get('obligation')}):"


def text_argument(text: str) -> str:
    """Return a text argument; for ``-`` the text of standard input.

    Raises:
        InputError: standard input cannot be read, or is empty.
    """
    if text != "-":
        return text
    text = read_file("-").strip()
    if not text:
        where = "It is read where an argument is '-', or where the text is left out."
        raise InputError("standard input is empty", where, path="-")
    return text


def read_file(path: str) -> str:
    """Return the text of a file; for ``-`` that of standard input; of an ``.hlo.pb`` its module's.

    Raises:
        InputError: it is missing, cannot be read, or is not UTF-8 text.
    """
    if is_proto(path):
        return text_of_proto(path)
    name = name_of(path)
    try:
        text = read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{name} is not text: byte {error.start} is not UTF-8", path=path) from None
    if "\0" in text:
        raise InputError(f"{name} is not text: it holds a zero byte", path=path)
    return text


def is_proto(path: str) -> bool:
    """Whether a file is a protocol buffer, by its name."""
    return path.endswith(".pb")


def text_of_proto(path: str) -> str:
    """Return the text of the module in a protocol buffer.

    Raises:
        InputError: the file cannot be read, or has no module.
    """
    from ..hlo import hlo_of_proto  # most commands read no module

    return of_proto(path, hlo_of_proto)


def of_proto(path: str, read: Callable[[bytes], _Found]) -> _Found:
    """Return what is read from a protocol buffer.

    Raises:
        InputError: the file cannot be read, or has no module.
    """
    from ..hlo import ProtoError

    try:
        return read(read_bytes(path))
    except ProtoError as error:
        raise InputError(f"{name_of(path)}: {error.summary}", *error.details, path=path) from None


def read_bytes(path: str) -> bytes:
    """Return the bytes of a file; for ``-`` those of standard input.

    Raises:
        InputError: it is missing, or cannot be read.
    """
    try:
        if path != "-":
            with open(path, "rb") as file:
                return file.read()
        return standard_input().read()
    except (OSError, ValueError) as error:
        raise InputError.cannot("read", path, error) from None


def standard_input() -> IO[bytes]:
    """Return standard input, or raise `InputError` where it is closed."""
    if sys.stdin is None:  # pyright: ignore[reportUnnecessaryComparison]
        raise InputError("cannot read standard input: it is closed", path="-")
    if not hasattr(sys.stdin, "buffer"):  # a stand-in that holds text
        return BytesIO(sys.stdin.read().encode())
    return sys.stdin.buffer


def name_of(path: str) -> str:
    """Return the name of a file in messages, in one line."""
    return "standard input" if path == "-" else visible(path)


def bytes_in_words(count: int) -> str:
    """Return a number of bytes as a person reads it.

    >>> bytes_in_words(96), bytes_in_words(1536), bytes_in_words(335544320)
    ('96 bytes', '1536 bytes (1.50 KiB)', '335544320 bytes (320.00 MiB)')
    """
    plain = f"{count} byte{'' if count == 1 else 's'}"
    return plain if count < 1024 else f"{plain} ({short_bytes(count)})"


def short_bytes(count: int) -> str:
    """Return a number of bytes in the largest unit that it fills.

    >>> short_bytes(96), short_bytes(1536)
    ('96 B', '1.50 KiB')
    """
    power = min((max(count, 1).bit_length() - 1) // 10, len(_UNITS) - 1)
    if not power:
        return f"{count} B"
    return f"{in_hundredths(count, 1 << 10 * power)} {_UNITS[power]}"


_UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")


def in_hundredths(part: int, whole: int) -> str:
    """Return ``part / whole`` to two decimals, in ints: a size may exceed every float.

    >>> in_hundredths(3, 2), in_hundredths(10**400, 10**400)
    ('1.50', '1.00')
    """
    return _decimal(part, whole, 2)


def in_tenths(part: int, whole: int) -> str:
    """Return ``part / whole`` to one decimal, in ints."""
    return _decimal(part, whole, 1)


def _decimal(part: int, whole: int, places: int) -> str:
    unit = 10**places
    rounded = (2 * unit * part + whole) // (2 * whole)  # half up
    return f"{rounded // unit}.{rounded % unit:0{places}}"


def plain(n: Any) -> Any:
    """Return a value for JSON: an int or None as it is, a symbolic int or anything else as text."""
    if n is None:
        return None
    return int(n) if isinstance(n, int) and not isinstance(n, SymbolicInt) else str(n)


def numbers(text: str, what: str) -> list[int]:
    """Return the numbers of a text with commas between them.

    >>> numbers("300, 0,600", "rows")
    [300, 0, 600]

    Raises:
        ParseError: the text is anything else; the error says what was expected.
    """
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdigit() for part in parts):
        word = shortened(text.strip())
        raise ParseError(f"expected {what} with commas, found {word!r}", text, 0, len(text))
    return [int(part) for part in parts]


def number_argument(text: str) -> int:
    """Return an int as it is written in layouts, ASCII digits and a sign, given as an argument."""
    text = text.strip()
    if not text.removeprefix("-").isdigit() or not text.isascii():
        raise argparse.ArgumentTypeError(f"needs a number, not {text!r}")
    return int(text)


def add_opcode(parser: argparse.ArgumentParser) -> None:
    """Give a parser the option ``--opcode``."""
    what = "take an opcode that a newer XLA has"
    parser.add_argument("--opcode", type=_opcode, action="append", default=[], help=what)


def _opcode(text: str) -> str:
    """An opcode of HLO given as an option."""
    if not re.fullmatch(r"[A-Za-z][\w.-]*", text):
        raise argparse.ArgumentTypeError(f"takes the name of one opcode, not {shortened(text)!r}")
    return text


def file_argument(text: str) -> str:
    """Return the name of a file to write, given as an option."""
    if not text:
        raise argparse.ArgumentTypeError(
            "takes the name of a file, or - for standard output; it got an empty text"
        )
    return text


def positive(text: str) -> int:
    """Return a positive number given as an option."""
    if not text.isascii() or not text.isdigit() or not int(text):
        raise argparse.ArgumentTypeError(f"needs a positive number, not {text.strip()!r}")
    return int(text)
