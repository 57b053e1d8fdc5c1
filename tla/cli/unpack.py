# SPDX-License-Identifier: Apache-2.0
"""``tla unpack``: the array that memory holds by a layout."""

from __future__ import annotations

from .data_files import (
    array_header,
    elements_read,
    expect_numpy,
    format_argument,
    mapped_file,
    plain_dtype,
    read_options,
    report,
    stepping,
)
from .progress import progress_bar
from .saving import expect_place, mapped

_EPILOG = """\
examples:
  tla unpack dump.bin 'bf16[20,96]{1,0:T(8,128)(2,1)}' -o array.npy
  tla unpack dump.bin 'zN<half>(20,48)' -o array.npy --json
  tla unpack dump.bin '((4,5),48):((1,192),4)' --dtype f16 -o array.npy

The array is written as a .npy file, in C order. Padding is left out, and so are bytes after the memory
of the layout. 'tla where LAYOUT INDEX' says where one element lies.
"""


def run(arguments: list[str]) -> int:
    options = read_options(
        "unpack", _EPILOG, "memory, as it is; - is standard input", arguments, fill=False
    )
    np = expect_numpy("unpack")
    from ..arrays import data_shape, unpack

    output: str = options.output
    expect_place(output)
    place = format_argument("LAYOUT", options.layout, options.dtype)
    plain, shape = plain_dtype(place), data_shape(place.layout)
    data = mapped_file(options.file)
    head = array_header(shape, plain)
    moved = int(np.prod(shape, dtype=object)) * plain.itemsize
    with progress_bar("unpacking", True, moved) as bar:
        held = elements_read(place, plain, data, options.file, output)
        with mapped(output, size := len(head) + moved) as memory:
            memory[: len(head)] = head
            out = np.ndarray(shape, plain, memory, len(head))
            array = unpack(held, place.layout, out, stepping(bar, plain.itemsize, memory, data))
    report(options, place, size, array.size, max(0, len(data) - place.bytes_of(place.entries)))
    return 0
