# SPDX-License-Identifier: Apache-2.0
"""``tla pack``: the bytes of memory that hold an array by a layout."""

from __future__ import annotations

from .data_files import (
    array_file,
    elements_to_write,
    expect_numpy,
    fill_of,
    format_argument,
    plain_dtype,
    read_options,
    report,
    stepping,
)
from .progress import progress_bar
from .saving import expect_place, mapped

_EPILOG = """\
examples:
  tla pack weights.npy 'zN<half>(20,48)' -o weights.bin
  tla pack weights.npy 'f16[20,48]{1,0:T(8,128)(2,1)}' -o tiled.bin --json
  tla pack weights.npy '((4,5),48):((1,200),4)' -o rows.bin --fill -1

The array is a .npy file, of the shape of the layout's data. Its type is that of the layout, or unsigned
ints of the same width, taken as bits. 'tla show LAYOUT --strip' draws which element each place holds.
"""


def run(arguments: list[str]) -> int:
    options = read_options(
        "pack", _EPILOG, "an array, a .npy file; - is standard input", arguments, fill=True
    )
    expect_numpy("pack")
    from ..arrays import pack, require_shape

    output: str = options.output
    expect_place(output)
    place = format_argument("LAYOUT", options.layout, options.dtype)
    array = array_file(options.file)
    require_shape(array, place.layout)
    plain = array.dtype if place.type is None else plain_dtype(place)
    size = place.bytes_of(place.entries) or place.entries * plain.itemsize
    with progress_bar("packing", True, array.nbytes) as bar:
        place.typed(array, options.file)
        fill = options.fill or None if place.type is None else fill_of(place, options.fill)
        with mapped(output, size) as memory, elements_to_write(place, plain, memory, output) as out:
            step = stepping(bar, plain.itemsize, memory, array)
            pack(array.view(plain), place.layout, fill, out, step)
    report(options, place, size, array.size)
    return 0
