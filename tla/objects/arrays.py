# SPDX-License-Identifier: Apache-2.0
"""Arrays: of strides in bytes or elements, of jax with its shardings and programs, and in chunks."""

from __future__ import annotations

from math import prod
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NoReturn

from ..arrays import read_strided, type_of
from ..errors import LayoutError, TlaError, UnsupportedError
from ..ground import described
from ..layouts import Layout, compact_col_major, compact_row_major, parse
from ..numbers import ceil_div
from ..xla_bridge import XlaShape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..hlo import Module
    from ..layouts import AnyLayout


def read_interface(array: Any) -> AnyLayout:
    """Return the layout of an array of any library that has the array interface of numpy or of CUDA.

    Raises:
        LayoutError: the interface has no type or shape, or a stride is no multiple of an element.
    Source: the array interface protocol of numpy, version 3, and that of Numba for CUDA.
    """
    about = getattr(array, "__cuda_array_interface__", None) or array.__array_interface__
    try:
        kind, size = about["typestr"][1], int(about["typestr"][2:])
        size *= 4 if kind == "U" else 1  # it counts characters
        shape, strides = about["shape"], about.get("strides")
        if strides is None:
            strides = [size * int(step) for step in compact_row_major(tuple(shape))]
        return read_strided(SimpleNamespace(shape=shape, strides=strides, itemsize=size))
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        if isinstance(error, TlaError):
            raise
        raise LayoutError(
            f"no type and shape can be read from the array interface {described(about)}", value=array
        ) from None


def read_torch(tensor: Any) -> AnyLayout:
    """Return the layout of a torch tensor, from its element 0 on; sizes may be symbolic.

    Raises:
        UnsupportedError: the tensor is sparse, or of another kind without strides.
    """
    if str(tensor.layout) != "torch.strided":
        raise UnsupportedError(f"a tensor of layout {tensor.layout} has no strides")
    parts = [tuple([n if type(n) is int else parse(str(n)) for n in p]) for p in _sides(tensor)]
    return Layout(*parts)


def _sides(tensor: Any) -> tuple[Sequence[Any], Sequence[Any]]:
    return tensor.shape, tensor.stride()


def read_jax(array: Any) -> XlaShape:
    """Return the XLA shape of a jax array; of a sharded one the part that each device holds.

    A ``ShapeDtypeStruct`` may have a ``Format`` in place of its sharding. Without one it is row-major.
    """
    format_ = getattr(array, "format", None)
    layout = getattr(format_, "layout", None)
    sharding = getattr(array, "sharding", None)
    dims = array.shape if sharding is None else sharding.shard_shape(array.shape)
    element = type_of(array.dtype) or array.dtype.name
    if layout is None:
        return XlaShape(element, dims)
    return XlaShape(
        element,
        dims,
        layout.major_to_minor[::-1],
        layout.tiling or (),
        element_size_in_bits=layout.sub_byte_element_size_in_bits,
    )


def refuse_format(format_: Any) -> NoReturn:
    """Raise the error of a ``Format`` or ``Layout`` of jax, which has neither sizes nor element type."""
    raise UnsupportedError(
        f"a {type(format_).__name__} of jax has no sizes and no element type",
        "Read the array, or jax.ShapeDtypeStruct(shape, dtype, sharding=format); or give both:",
        "tla.jax.from_format(format, dims, dtype).",
        value=format_,
    )


def read_compiled(program: Any) -> Module:
    """Return the HLO module of a function that jax has lowered or compiled."""
    from ..hlo import read_module

    lowered = type(program).__name__ == "Lowered"
    return read_module(program.as_text("hlo") if lowered else program.as_text())


def read_sharding(sharding: Any) -> AnyLayout:
    """Return the layout from the number of a shard, along each dim, to its device.

    Devices count in the order of the mesh. If it has axes that the spec does not name, a last mode
    counts the devices that hold the same shard, as ``last_tile_dim_replicate`` does in HLO.
    """
    axes = dict(sharding.mesh.shape)
    names, sizes = list(axes), tuple(axes.values())
    steps = dict(zip(names, map(int, compact_row_major(sizes)), strict=True))
    modes: list[tuple[str, ...]] = []
    for entry in sharding.spec:
        kind = type(entry).__name__
        if kind not in ("NoneType", "str", "tuple"):
            raise UnsupportedError(f"{entry} in {sharding.spec} leaves a dim to the compiler")
        modes.append((entry,) if kind == "str" else entry or ())
    used = {name for mode in modes for name in mode}
    rest = tuple([name for name in names if name not in used])
    modes += [rest] if rest else []
    # the first axis of a dim is its most major one, the first leaf of a mode its most minor
    shape = [tuple([axes[name] for name in reversed(mode)]) or (1,) for mode in modes]
    stride = [tuple([steps[name] for name in reversed(mode)]) or (0,) for mode in modes]
    return Layout(*[tuple([m[0] if len(m) == 1 else m for m in part]) for part in (shape, stride)])


def chunked(sizes: Sequence[int], chunks: Sequence[int], order: str = "C") -> AnyLayout:
    """Return the layout of whole chunks in a row: the grid is row-major, a chunk in its own order.

    >>> print(chunked((100, 60), (30, 20)))
    ((30,4),(20,3)):((20,1800),(1,600)):(100,60)
    """
    compact: Any = compact_row_major if order == "C" else compact_col_major
    grid = tuple([ceil_div(n, c) for n, c in zip(sizes, chunks, strict=True)])
    steps = zip(compact(tuple(chunks)), compact_row_major(grid), strict=True)
    return Layout(
        tuple(zip(chunks, grid, strict=True)),
        tuple([(int(near), prod(chunks) * int(far)) for near, far in steps]),
        tuple(sizes),
    )


def read_chunks(array: Any) -> AnyLayout:
    """Return the layout of the decoded chunks of a chunked array, one after another, edges filled up.

    Raises:
        UnsupportedError: the array has no regular chunks.
    """
    chunks = getattr(array, "chunks", None)
    if chunks is None:
        raise UnsupportedError("an array that is stored in one piece has no chunks")
    if any(not isinstance(c, int) for c in chunks):
        raise UnsupportedError(f"chunks of different sizes, {chunks}, have no layout")
    return chunked(array.shape, chunks, getattr(array, "order", "C"))
