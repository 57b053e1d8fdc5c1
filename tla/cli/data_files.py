# SPDX-License-Identifier: Apache-2.0
"""Files of arrays and of memory. They are mapped, so they may be larger than this machine's memory."""

from __future__ import annotations

import mmap as maps_of_files
import os
from argparse import ArgumentTypeError
from contextlib import contextmanager, suppress
from functools import partial
from io import BytesIO
from math import prod
from mmap import ACCESS_READ, mmap
from typing import IO, TYPE_CHECKING, Any

from ..errors import LayoutError, ParseError, UnsupportedError
from ..ground import ELEMENT_TYPES, element_type, plural, say, shortened
from ..layouts import text_of
from ..moves import Format, format_of
from .common import (
    GIVEN,
    InputError,
    bytes_in_words,
    file_argument,
    name_of,
    read_bytes,
    text_argument,
)
from .messages import say_json
from .parser import argument_parser
from .saving import is_standard_output, reserved

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Generator

    import numpy as np
    from numpy.typing import NDArray

MEMORY = """
Memory is the bytes of a buffer, as a debugger or profiler dumps them. Files are mapped, not read: they
may be larger than the memory of this machine. A new file replaces an old one only when it is complete.
If numpy lacks the element type, the array has unsigned ints of its width: .view(ml_dtypes.bfloat16)
gives them the type. An array of s4 or s2 has int8. Elements of E(4), or of a tag such as zN<int4b_t>,
are packed two to a byte, the first in the low half.
"""
"""The end of the help of the commands that move data."""


def add_data_options(parser: argparse.ArgumentParser, fill: bool, is_required: bool = True) -> None:
    """Give a parser the options of a command that moves data."""
    add = parser.add_argument
    add(
        "-o",
        "--output",
        metavar="OUTPUT",
        type=file_argument,
        required=is_required,
        help="the file to write; - is standard output",
    )
    add("--dtype", metavar="TYPE", help="the element type, as bf16, where the layout does not say it")
    if fill:
        add("--fill", metavar="N", type=_number, default=0, help="what padding holds (0)")
    add("--json", action="store_true", help="print one JSON object")


def read_options(
    command: str, examples: str, what: str, arguments: list[str], fill: bool
) -> argparse.Namespace:
    """Return the options of a command that moves one file by one layout; ``what`` says what FILE is."""
    parser = argument_parser(command, examples + MEMORY)
    parser.add_argument("file", metavar="FILE", help=what)
    parser.add_argument("layout", metavar="LAYOUT", help=GIVEN)
    add_data_options(parser, fill=fill)
    options = parser.parse_args(arguments)
    if options.file == options.layout == "-":
        parser.error("standard input, -, can stand for one argument only")
    return options


def _number(text: str) -> float:
    for number in (int, float):
        with suppress(ValueError):
            return number(text)
    raise ArgumentTypeError(f"needs a number, not {shortened(text)!r}")


def expect_numpy(command: str) -> Any:
    """Return numpy, or raise UnsupportedError in one sentence if it is not installed."""
    try:
        import numpy as np
    except ImportError:
        raise UnsupportedError(f"tla {command} needs numpy, which is not installed") from None
    return np


def format_argument(name: str, text: str, dtype: str | None = None) -> Format:
    """Return the layout that an argument writes, with its elements; an error names the argument.

    Raises:
        LayoutError: the layout has unknowns, or another element type than ``dtype``.
    """
    try:
        text = text_argument(text)
        place = format_of(text)
    except ParseError as error:
        raise error.named(name) from None
    if place.layout.symbols:
        unknown = ", ".join(s.name for s in place.layout.symbols)
        what = f"{place.text} has no place in memory while {unknown} has no value"
        raise LayoutError(what, "Write a number in its place.", layout=place.layout)
    kind = place.type if dtype is None else element_type(dtype)
    if place.type is not None and kind != place.type:
        raise LayoutError(f"{place.text} has elements of {place.type.name}, and --dtype is {dtype}")
    return place._replace(type=kind)


def plain_dtype(place: Format) -> np.dtype[Any]:
    """The type of numpy's own in which elements travel."""
    import numpy as np

    kind = place.type
    if kind is None or kind.bytes is None:
        raise InputError(
            f"{place.text} does not say how large an element is", "Add its type, such as --dtype bf16."
        )
    if kind.name in ELEMENT_TYPES and kind.bits in (8, 16, 32, 64, 128) and kind.name[1:].isdigit():
        return place.dtype or np.dtype(np.uint8)
    if kind.name == "pred":
        return np.dtype(bool)
    return np.dtype("int8" if kind.name in ("s1", "s2", "s4") else f"u{kind.bytes}")


def fill_of(place: Format, fill: float) -> Any:
    """What padding holds, as an element travels; None for the zeros that a new file has."""
    if not fill:
        return None
    plain = plain_dtype(place)
    held = place.typed([fill], "--fill")
    return held.astype(plain)[0] if place.type and place.type.name[0] in "su" else held.view(plain)[0]


def mapped_file(path: str) -> Any:
    """Return the bytes of a file, mapped; of standard input or a pipe they are read.

    Raises:
        InputError: it is missing, cannot be read, or is an array of numpy's: memory has no header.
    """
    if path == "-" or not os.path.isfile(path):
        return read_bytes(path)
    try:
        with open(path, "rb") as file:
            data = mmap(file.fileno(), 0, access=ACCESS_READ) if os.path.getsize(path) else b""
    except (OSError, ValueError) as error:
        raise InputError.cannot("read", path, error) from None
    if data[:6] == b"\x93NUMPY":
        what = f"{name_of(path)} is an array of numpy's, a .npy file: memory is bytes without a header"
        raise InputError(what, "numpy.load(path).tofile(other) writes them.", path=path)
    return data


def array_file(path: str) -> NDArray[Any]:
    """Return the array of a file of numpy's, mapped.

    Raises:
        InputError: it is missing, cannot be read, is no array or not all of one, or has Python objects.
    """
    import numpy as np

    try:
        if path == "-" or not os.path.isfile(path):
            file = BytesIO(read_bytes(path))
            _require_array(path, file)
            array: NDArray[Any] = np.lib.format.read_array(file)
            return array
        with open(path, "rb") as there:
            _require_array(path, there)
        return np.lib.format.open_memmap(path, mode="r")
    except OSError as error:
        raise InputError.cannot("read", path, error) from None
    except (OverflowError, ValueError) as error:
        raise InputError(f"{name_of(path)} is a .npy file that numpy cannot read: {error}") from None


def _require_array(path: str, file: IO[bytes]) -> None:
    """Raise InputError if a file has not all bytes of an array of numpy's; the file is at its start."""
    import numpy as np

    name, formats = name_of(path), np.lib.format
    if file.read(6) != b"\x93NUMPY":
        way = "numpy.save(path, array) writes one."
        raise InputError(f"{name} is no array of numpy's, a .npy file", way, path=path)
    file.seek(0)
    headers = {(1, 0): formats.read_array_header_1_0, (2, 0): formats.read_array_header_2_0}
    if read_header := headers.get(formats.read_magic(file)):
        shape, _is_fortran, dtype = read_header(file)
        if dtype.hasobject:
            raise InputError(f"{name} has no bytes to move: its elements are Python objects", path=path)
        needed, size = file.tell() + prod(shape) * dtype.itemsize, file.seek(0, os.SEEK_END)
        if size < needed:
            array = f"its array of shape {text_of(shape)} and type {dtype} needs {needed}"
            raise InputError(f"{name} is cut off: it has {plural(size, 'byte')}, and {array}", path=path)
    file.seek(0)


def array_header(shape: tuple[int, ...], dtype: np.dtype[Any]) -> bytes:
    """Return the head of a file of numpy's."""
    import numpy as np

    head = BytesIO()
    about = {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(head, about)
    return head.getvalue()


def scratch(beside: str, count: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return zeros in a file without a name, in the folder of the output; they need no other memory."""
    from tempfile import TemporaryFile

    import numpy as np

    folder = None if beside == "-" else os.path.dirname(os.path.realpath(beside))
    try:
        with TemporaryFile(dir=folder) as file:
            return np.ndarray((count,), dtype, reserved(file, count * dtype.itemsize))
    except OSError as error:
        raise InputError.cannot("write", folder or "a temporary file", error) from None


def elements_read(
    place: Format, plain: np.dtype[Any], memory: Any, name: str, beside: str
) -> NDArray[Any]:
    """Return the elements of memory, as they travel; those of less than a byte are unpacked.

    Raises:
        LayoutError: the memory has too few bytes.
    """
    needed = place.bytes_of(place.span)
    if len(memory) < needed:
        what = f"{name_of(name)} has {plural(len(memory), 'byte')}, and {place.text} takes {needed}"
        raise LayoutError(what, layout=place.layout)
    return place.elements(memoryview(memory)[:needed], plain, partial(scratch, beside))


@contextmanager
def elements_to_write(
    place: Format, plain: np.dtype[Any], memory: Any, beside: str
) -> Generator[NDArray[Any]]:
    """Yield the elements of memory to write, as they travel; those of less than a byte are packed."""
    import numpy as np

    from ..arrays import pack_bits

    if not place.packed_bits:
        yield np.ndarray((place.entries,), plain, memory)
        return
    elements = scratch(beside, place.entries, plain)
    yield elements
    pack_bits(elements, place.packed_bits, out=np.ndarray((len(memory),), np.uint8, memory))


def stepping(
    bar: Callable[[int, int], None] | None, width: int, *maps: Any
) -> Callable[[int, int], None]:
    """Return a function to call between the parts of the work: it draws the bar, and lets go of pages.

    Args:
        width: The bytes of an element.
        maps: The files that are mapped. What was read or written of them is left to the system.
    """

    def step(done: int, whole: int) -> None:
        for each in maps:
            held = getattr(each, "_mmap", each)
            if isinstance(held, mmap) and hasattr(maps_of_files, "MADV_DONTNEED"):
                held.madvise(maps_of_files.MADV_DONTNEED)
        if bar is not None:
            bar(done * width, whole * width)

    return step


def report(options: argparse.Namespace, place: Format, size: int, data: int, unread: int = 0) -> None:
    """Say what was written; nothing if that went to standard output.

    Args:
        place: Where the memory is, or was.
        size: The bytes of the file.
        data: How many elements hold data.
        unread: The bytes of the input behind what the layout spans.
    """
    if is_standard_output(options.output):
        return
    kind = None if place.type is None else place.type.name
    if options.json:
        facts = {"file": options.output, "bytes": size, "type": kind, "data": data}
        say_json(
            {**facts, "padding": place.entries - data, "layout": str(place.layout), "unread": unread}
        )
        return
    of = "" if kind is None else f" of {kind}"
    elements = f"{plural(data, 'element')}{of}, {place.entries - data} of padding"
    say(f"{name_of(options.output)}: {bytes_in_words(size)}, {elements}")
    if unread:
        say(f"{plural(unread, 'byte')} behind the layout were not read")
