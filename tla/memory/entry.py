# SPDX-License-Identifier: Apache-2.0
"""The bytes of a module's parameters and results, as the TPU compiler counts them.

>>> from ..hlo import read_module
>>> module = read_module('''
... ENTRY e {
...   a = f32[8]{0:T(1024)} parameter(0)
...   b = f32[8]{0:T(1024)} negate(a)
...   ROOT c = (f32[8]{0:T(1024)}, f32[8]{0:T(1024)}) tuple(b, a)
... }''')
>>> argument_bytes(module), output_bytes(module)
(4096, 8704)

The numbers are ``argument_size_in_bytes`` and ``output_size_in_bytes`` of jax's ``memory_analysis()``.
Neither contains arrays in host memory, ``S(5)``, which the compiler counts elsewhere.

A result that is a tuple has a table of pointers too, which counts as output: 4 bytes for each element,
rounded up to the alignment of the chip. Measured with libtpu 0.0.42 on v5e::

    results  2    5    64   65   128  129   200   300
    bytes    512  512  512  512  512  1024  1024  1536

v4 has the same numbers. On v2 and v3 the alignment is 1024 bytes: 2 results have 1024 bytes, and so have
129. On v5p, v6e and tpu7x it is 32: 2 results have 32 bytes, 129 have 544. A jax program with one result
has no tuple and no table. Modules without tiles, of CPUs and GPUs, have 8 bytes for each element, as
measured with jaxlib 0.10.2 for CPUs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ..numbers import round_up
from ..xla_bridge import XlaTuple, chip_named, physical_bytes
from .aliasing import arrays

if TYPE_CHECKING:
    from ..hlo import Module
    from ..xla_bridge import AnyShape, Chip

HOST: Final = 5
"""The memory space of the host."""

_POINTER: Final = 4
_HOST_POINTER: Final = 8
_ALIGNMENT: Final = 512
_OTHER_ALIGNMENT: Final = {"v2": 1024, "v3": 1024, "v5p": 32, "v6e": 32, "tpu7x": 32}


def shape_bytes(shape: AnyShape) -> int:
    """Return the bytes of all arrays in a shape that lie in the chip's memories."""
    return sum(physical_bytes(array) for _, array in arrays(shape) if array.memory_space != HOST)


def has_tiles(shape: AnyShape) -> bool:
    """Return whether any array in a shape has tiles."""
    return any(array.tiles for _, array in arrays(shape))


def is_tiled(module: Module) -> bool:
    """Return whether a parameter or result of a module has tiles, as on every TPU."""
    entry = module.entry
    return any(has_tiles(each.shape) for each in (*entry.parameters, entry.root))


def index_tables_bytes(shape: AnyShape, chip: str | Chip | None = None) -> int:
    """Return the bytes of the tables of pointers of a shape, one for each tuple in it.

    >>> from ..xla_bridge import parse_shape
    >>> tiled = parse_shape("(f32[2]{0:T(128)}, f32[3]{0:T(128)})")
    >>> index_tables_bytes(tiled), index_tables_bytes(tiled, "v6e")
    (512, 32)
    >>> index_tables_bytes(parse_shape("(f32[2], f32[3])"))
    16

    Args:
        chip: The chip; by default the alignment is that of v4 and v5e, if any array has tiles.
    """
    is_tpu = chip is not None or has_tiles(shape)
    pointer, alignment = (_POINTER, _ALIGNMENT) if is_tpu else (_HOST_POINTER, 1)
    if chip is not None:
        alignment = _OTHER_ALIGNMENT.get(chip_named(chip).name, _ALIGNMENT)
    total, todo = 0, [shape]
    while todo:
        each = todo.pop()
        if isinstance(each, XlaTuple):
            total += round_up(pointer * len(each.elements), alignment)
            todo += each.elements
    return total


def argument_bytes(module: Module) -> int:
    """Return the bytes of the parameters of the entry computation.

    >>> from tla.hlo import read_module
    >>> module = read_module('''ENTRY e {
    ...   p = f32[5,100]{1,0:T(8,128)} parameter(0)
    ...   ROOT c = f32[5,100]{0,1:T(8,128)} copy(p)
    ... }''')
    >>> argument_bytes(module)
    4096
    """
    return sum(shape_bytes(parameter.shape) for parameter in module.entry.parameters)


def output_bytes(module: Module, chip: str | Chip | None = None) -> int:
    """Return the bytes of the results of the entry computation, tables of pointers included.

    >>> from tla.hlo import read_module
    >>> module = read_module('''ENTRY e {
    ...   p = f32[5,100]{1,0:T(8,128)} parameter(0)
    ...   ROOT c = f32[5,100]{0,1:T(8,128)} copy(p)
    ... }''')
    >>> output_bytes(module)
    53248
    """
    shape = module.entry.root.shape
    return shape_bytes(shape) + index_tables_bytes(shape, chip)


def alias_bytes(module: Module) -> int:
    """Return the bytes of the results that lie in parameters, by ``input_output_alias``.

    >>> from tla.hlo import read_module
    >>> module = read_module('''HloModule m, input_output_alias={ {}: (0, {}, may-alias) }
    ... ENTRY e {
    ...   p = f32[5,100]{1,0:T(8,128)} parameter(0)
    ...   ROOT n = f32[5,100]{1,0:T(8,128)} negate(p)
    ... }''')
    >>> alias_bytes(module)
    4096
    """
    sizes = {index: physical_bytes(array) for index, array in arrays(module.entry.root.shape)}
    donated = {alias.output_index for alias in module.input_output_alias}
    return sum(sizes.get(index, 0) for index in donated)
