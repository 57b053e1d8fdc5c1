# SPDX-License-Identifier: Apache-2.0
"""The layout of a shape as Python text for jax.

>>> from .parse import parse_array
>>> print(jax_format(parse_array("s32[8388608,8,4]{0,2,1:T(4,128)}")))
Format(Layout(major_to_minor=(1, 2, 0), tiling=((4, 128),)), sharding)

``Format`` and ``Layout`` are those of ``jax.experimental.layout``. The text is one of the
``in_shardings`` or ``out_shardings`` of a jitted function, or the second argument of ``jax.device_put``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import UnsupportedError
from .rules import COMBINE
from .tiling import array_shape

if TYPE_CHECKING:
    from .shape import AnyShape, XlaShape


def jax_format(shape: AnyShape, sharding: str = "sharding") -> str:
    """Return ``Format(Layout(...), sharding)``, with which a jax function uses this layout.

    Args:
        sharding: The Python text of the sharding, such as the name of a variable.

    Raises:
        UnsupportedError: the same as for `jax_layout`.
    """
    return f"Format({jax_layout(shape)}, {sharding})"


def jax_layout(shape: AnyShape) -> str:
    """Return ``Layout(...)`` of jax, which evaluates to the layout of this shape.

    >>> from .parse import parse_array
    >>> print(jax_layout(parse_array("s4[64,300]{1,0:T(8,128)(8,1)E(4)}")))
    Layout(major_to_minor=(0, 1), tiling=((8, 128), (8, 1)), sub_byte_element_size_in_bits=4)

    A shape without tiles has no ``tiling``. Then a TPU's compiler chooses its own tiles for the order.

    Raises:
        UnsupportedError: the shape is no array, or jax has no word for a part of the layout: a memory
            space, a tail padding, a split, a prefix, or a ``*`` in a tile.
    """
    return f"Layout({', '.join(f'{name}={value!r}' for name, value in jax_fields(shape).items())})"


def jax_fields(shape: AnyShape) -> dict[str, Any]:
    """Return the arguments of jax's ``Layout`` for the layout of this shape.

    Raises:
        UnsupportedError: the same as for `jax_layout`.
    """
    shape = array_shape(shape)
    cannot = _beyond_jax(shape)
    if cannot:
        raise UnsupportedError(
            f"a layout of jax cannot say {cannot} of {shape}",
            "It holds the order of the dims, the tiles, and the bits of a packed element.",
            shape=shape,
        )
    fields: dict[str, Any] = {"major_to_minor": shape.major_to_minor}
    if shape.tiles:
        fields["tiling"] = shape.tiles
    if shape.element_size_in_bits:
        fields["sub_byte_element_size_in_bits"] = shape.element_size_in_bits
    return fields


def _beyond_jax(shape: XlaShape) -> str:
    """The first part of a layout that jax has no word for, or nothing."""
    if shape.memory_space:
        return f"the memory space S({shape.memory_space})"
    if shape.tail_padding_alignment_in_elements != 1:
        return f"the tail padding L({shape.tail_padding_alignment_in_elements})"
    if shape.split_configs:
        return "the split SC"
    if shape.dynamic_shape_metadata_prefix_bytes:
        return f"the prefix M({shape.dynamic_shape_metadata_prefix_bytes})"
    if any(COMBINE in tile for tile in shape.tiles):
        return "the '*' in a tile"
    return ""
