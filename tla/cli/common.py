"""What the commands share: their parsers, the text they are given, and sizes in words."""

from __future__ import annotations

import argparse
import sys

from ..errors import TlaError

__all__ = ["InputError", "argument_parser", "bytes_in_words", "read_file", "text_argument"]


class InputError(TlaError):
    """A file or stream that cannot be read."""


def argument_parser(name: str, description: str, epilog: str) -> argparse.ArgumentParser:
    """Return the parser of a subcommand."""
    return argparse.ArgumentParser(
        prog=f"tla {name}",
        description=description,
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def text_argument(text: str) -> str:
    """Return a text argument; ``-`` stands for what standard input holds."""
    return read_file("-").strip() if text == "-" else text


def read_file(path: str) -> str:
    """Return the text of a file; ``-`` stands for standard input.

    Raises:
        InputError: it is missing, cannot be read, or is not UTF-8 text.
    """
    name = "standard input" if path == "-" else path
    try:
        if path == "-":
            data = sys.stdin.buffer.read()
        else:
            with open(path, "rb") as file:
                data = file.read()
    except OSError as error:
        raise InputError(f"cannot read {name}: {error.strerror or error}", path=path) from None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{name} is not text: byte {error.start} is not UTF-8", path=path) from None
    if "\0" in text:
        raise InputError(f"{name} is not text: it holds a zero byte", path=path)
    return text


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
    if count < 1024:
        return f"{count} B"
    value, unit = float(count), "B"
    for larger in ("KiB", "MiB", "GiB", "TiB", "PiB", "EiB"):
        if value < 1024:
            break
        value, unit = value / 1024, larger
    return f"{value:.2f} {unit}"
