# SPDX-License-Identifier: Apache-2.0
"""Arrays of other libraries as layouts, and memory as their arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ..arrays import as_array, elsewhere, is_bytes, require_native, span_of, view_strides
from ..errors import ArgumentError, LayoutError, UnsupportedError
from ..layouts import is_layout, leaves
from ..moves import format_of, layout_of, view
from ..numbers import is_tuple
from ..objects import chunked, is_known, peer
from ..read import read
from ..xla_bridge import XlaShape, from_layout, jax_fields

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..layouts import AnyLayout, ComposedLayout
    from ..moves import LayoutLike


_ON_HOST: Final = (1, 3)
"""The devices of DLPack whose memory a processor addresses: its own, and that pinned for a GPU."""


def from_array(array: Any) -> AnyLayout | ComposedLayout:
    """Return the layout of an array of numpy, torch, jax, ...: where its elements lie.

    ``layout(c)`` is the distance of element ``c`` from element 0, in elements. So a view of memory is
    the array, ``tla.view(memory, from_array(a))``, if the memory begins at the lowest element of ``a``.
    `tla.read` also reads what is no array; of a jax array it gives the `XlaShape`.

    >>> import numpy as np
    >>> print(from_array(np.zeros((4, 6))[::-1, ::2]))
    (4,3):(-6,2)

    Raises:
        KindError: the library is not known; the error lists those that are.
        LayoutError: a stride in bytes is no multiple of the element.
        UnsupportedError: the array is sparse.
    """
    # the error of `read` says which libraries are known
    layout: AnyLayout | ComposedLayout = layout_of(array if is_known(array) else read(array))
    return layout


def to_numpy_view(memory: Any, layout: LayoutLike) -> NDArray[Any]:
    """Return the numpy array that memory of any library holds by a layout, without a copy.

    A type that numpy lacks, as torch's bfloat16, is seen as unsigned ints of its width.

    >>> to_numpy_view(memoryview(b"abcdef"), "(2,3):(1,2)")[:, 0].tobytes()
    b'ab'

    Raises:
        UnsupportedError: a mode has no single stride, or the memory is that of another device.
        LayoutError: memory is too short, or a tensor with gaps.
    """
    try:
        device = memory.__dlpack_device__()[0] if hasattr(memory, "__dlpack_device__") else 1
    except (BufferError, ValueError):
        device = None  # several, or none
    if device not in _ON_HOST:
        raise elsewhere(memory)
    if not is_bytes(memory):
        memory = as_array(memory)
        if not memory.flags.c_contiguous:
            raise LayoutError(
                f"memory must be in one piece, and this has strides {memory.strides} in bytes"
            )
    return view(memory, layout)


def to_torch(memory: Any, layout: LayoutLike) -> Any:
    """Return the torch tensor that memory holds by a layout, ``memory.as_strided(...)``: no copy.

    >>> import torch  # doctest: +SKIP
    >>> to_torch(torch.arange(6), "(2,3):(1,2)")  # doctest: +SKIP
    tensor([[0, 2, 4],
            [1, 3, 5]])

    Args:
        memory: A tensor of torch without gaps, on any device, or an array of numpy.

    Raises:
        UnsupportedError: a mode has no single stride, or a negative one; torch is not installed.
        LayoutError: memory is too short, has gaps, cannot be written, or has elements whose bytes are in
            the other order.
    """
    torch = peer("torch", "to_torch", "pip install torch")
    form = format_of(layout)
    form.require_whole()
    place = form.layout
    sizes, strides = view_strides(place)
    if any(d < 0 for d in strides):
        raise UnsupportedError(f"torch has no negative strides, as {place} has", layout=place)
    if not isinstance(memory, torch.Tensor):
        memory = _torch_tensor(form.elements(memory), torch)
    needed = span_of(place)[1] + 1
    if not memory.is_contiguous() or memory.numel() < needed:
        raise LayoutError(
            f"{place} needs memory of {needed} elements without gaps; this has {memory.numel()},"
            f" with strides {tuple(memory.stride())}",
            needed=needed,
        )
    return memory.as_strided(sizes, strides)


def _torch_tensor(array: NDArray[Any], torch: Any) -> Any:
    """The tensor of an array, without a copy; its elements may be of a type of ml_dtypes."""
    require_native(array.dtype, "memory")
    if not array.flags.writeable:
        way = "Give a copy, as bytearray(memory), or a file mapped by numpy.memmap(path, mode='c')."
        raise LayoutError("torch has no read-only tensors, and memory cannot be written", way)
    try:
        return torch.as_tensor(array)
    except TypeError:
        kind = getattr(torch, array.dtype.name, None)
        if kind is None:
            raise UnsupportedError(f"torch has no elements of {array.dtype}", type=array.dtype) from None
        return torch.as_tensor(array.view(f"u{array.itemsize}")).view(kind)


def to_jax_format(layout: LayoutLike, sharding: Any = None) -> Any:
    """Return jax's ``Format(Layout(major_to_minor, tiling), sharding)`` of an XLA shape or a layout.

    >>> to_jax_format("bf16[16,256]{0,1:T(8,128)(2,1)}").layout  # doctest: +SKIP
    Layout(major_to_minor=(1, 0), tiling=((8, 128), (2, 1)), sub_byte_element_size_in_bits=0)

    Args:
        sharding: The sharding of jax; by default that of its first device.

    Raises:
        UnsupportedError: jax is not installed, or has no word for a part of the layout.
        NotALayoutError, OverlapError: XLA has no such layout, see `tla.xla_bridge.from_layout`.
        ArgumentError: the sharding is none of jax's.
    """
    given: Any = read(layout) if isinstance(layout, str) or is_known(layout) else layout
    shape = given if isinstance(given, XlaShape) else from_layout(layout_of(given))
    fields = jax_fields(shape)
    jax = peer("jax", "to_jax_format", "pip install jax")
    formats = peer("jax.experimental.layout", "to_jax_format", "pip install jax")
    if sharding is None:
        sharding = jax.sharding.SingleDeviceSharding(jax.devices()[0])
    elif not isinstance(sharding, jax.sharding.Sharding):
        what = f"a Format takes a sharding of jax, not a {type(sharding).__name__}"
        raise ArgumentError(what, "jax.sharding.NamedSharding(mesh, spec) is one.")
    return formats.Format(formats.Layout(**fields), sharding)


def to_zarr(layout: LayoutLike) -> dict[str, tuple[int, ...]]:
    """Return the arguments of ``zarr.create_array`` that store chunks as a layout places them.

    >>> to_zarr("((30,4),(20,3)):((20,1800),(1,600)):(100,60)")
    {'shape': (100, 60), 'chunks': (30, 20)}

    Raises:
        UnsupportedError: the layout is no row-major grid of row-major chunks.
    """
    place = layout_of(layout)
    if is_layout(place) and is_tuple(place.shape) and not place.symbols:
        sizes, chunks = (
            tuple(map(int, place.origin_shape)),
            tuple([int(next(leaves(m))) for m in place.shape]),
        )
        if all(chunks) and place == chunked(sizes, chunks):
            return {"shape": sizes, "chunks": chunks}
    raise UnsupportedError(f"{place} is no row-major grid of row-major chunks", layout=place)
