# SPDX-License-Identifier: Apache-2.0
"""Layouts as objects of other libraries, and arrays of theirs as layouts.

A library is imported when one of these functions is called for it; `tla.read` imports none.

>>> import numpy as np
>>> print(from_array(np.zeros((3, 4)).T))
(4,3):(1,4)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .arrays import span_of, view, view_strides
from .errors import LayoutError, UnsupportedError
from .ground import guarded
from .layouts import is_composed, is_layout, is_swizzle, leaves
from .moves import layout_of
from .numbers import Basis, Expr, is_tuple, known_eq, to_python
from .objects import chunked, is_known, memref_of, peer
from .read import read
from .xla_bridge import XlaShape, from_layout, jax_fields

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .layouts import AnyLayout, ComposedLayout
    from .moves import LayoutLike

__all__ = [
    "from_array", "to_cute_dsl", "to_jax_format", "to_memref", "to_numpy_view", "to_pycute",
    "to_tensor_layouts", "to_torch", "to_zarr",
]  # fmt: skip


@guarded
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
    return layout_of(array if is_known(array) else read(array))  # the error of `read` says what is known


@guarded
def to_numpy_view(memory: Any, layout: LayoutLike) -> NDArray[Any]:
    """Return the numpy array that memory of any library holds by a layout, without a copy.

    A type that numpy lacks, as torch's bfloat16, is seen as unsigned ints of its width.

    >>> to_numpy_view(memoryview(b"abcdef"), "(2,3):(1,2)")[:, 0].tobytes()
    b'ab'

    Raises:
        UnsupportedError: a mode has no one stride, or the memory is not in the host's reach.
        LayoutError: memory is too short.
    """
    import numpy as np

    if not any(cls.__module__.startswith("torch") for cls in type(memory).__mro__):
        return view(np.asarray(memory), layout_of(layout))
    if memory.device.type != "cpu" or not memory.is_contiguous():
        where = f"a tensor on {memory.device}" if memory.is_contiguous() else "a tensor with gaps"
        raise UnsupportedError(f"numpy cannot see the memory of {where}", "to_torch views it in place.")
    memory = memory.detach()
    try:
        held = memory.numpy()
    except TypeError:
        torch = peer("torch", "to_numpy_view", "pip install torch")
        held = memory.view(getattr(torch, f"uint{8 * memory.element_size()}")).numpy()
    return view(held, layout_of(layout))


@guarded
def to_torch(memory: Any, layout: LayoutLike) -> Any:
    """Return the torch tensor that memory holds by a layout, ``memory.as_strided(...)``: no copy.

    >>> import torch  # doctest: +SKIP
    >>> to_torch(torch.arange(6), "(2,3):(1,2)")  # doctest: +SKIP
    tensor([[0, 2, 4],
            [1, 3, 5]])

    Args:
        memory: A tensor of torch without gaps, on any device, or an array of numpy.

    Raises:
        UnsupportedError: a mode has no one stride, or a negative one; torch is not installed.
        LayoutError: memory is too short, or has gaps.
    """
    torch = peer("torch", "to_torch", "pip install torch")
    place = layout_of(layout)
    sizes, strides = view_strides(place)
    if any(d < 0 for d in strides):
        raise UnsupportedError(f"torch has no negative strides, as {place} has", layout=place)
    memory = torch.as_tensor(memory)
    needed = span_of(place)[1] + 1
    if not memory.is_contiguous() or memory.numel() < needed:
        raise LayoutError(
            f"{place} takes {needed} elements without gaps, not memory of {memory.numel()}"
            f" with strides {tuple(memory.stride())}",
            needed=needed,
        )
    return memory.as_strided(sizes, strides)


@guarded
def to_jax_format(layout: LayoutLike, sharding: Any = None) -> Any:
    """Return jax's ``Format(Layout(major_to_minor, tiling), sharding)`` of an XLA shape or a layout.

    >>> to_jax_format("bf16[16,256]{0,1:T(8,128)(2,1)}").layout  # doctest: +SKIP
    Layout(major_to_minor=(1, 0), tiling=((8, 128), (2, 1)), sub_byte_element_size_in_bits=0)

    Args:
        sharding: The sharding of jax; by default that of its first device.

    Raises:
        UnsupportedError: jax is not installed, or has no word for a part of the layout.
        NotALayoutError, OverlapError: XLA has no such layout, see `tla.xla_bridge.from_layout`.
    """
    given: Any = read(layout) if isinstance(layout, str) or is_known(layout) else layout
    shape = given if isinstance(given, XlaShape) else from_layout(layout_of(given))
    fields = jax_fields(shape)
    jax = peer("jax", "to_jax_format", "pip install jax")
    formats = peer("jax.experimental.layout", "to_jax_format", "pip install jax")
    if sharding is None:
        sharding = jax.sharding.SingleDeviceSharding(jax.devices()[0])
    return formats.Format(formats.Layout(**fields), sharding)


@guarded
def to_pycute(layout: LayoutLike) -> Any:
    """Return the layout, or composed layout, of pycute.

    >>> to_pycute("((2,3),4):((1,8),2)")  # doctest: +SKIP
    Layout(((2, 3), 4),((1, 8), 2))

    Raises:
        UnsupportedError: the layout has padding or unknown sizes, or pycute is not installed.
    """
    place = _plain("pycute", layout)
    pycute = peer("pycute.layout", "to_pycute", "pip install --no-deps nvidia-cutlass")
    swizzles = peer("pycute.swizzle", "to_pycute", "pip install --no-deps nvidia-cutlass")
    return _rebuilt(place, pycute.Layout, swizzles.Swizzle, swizzles.ComposedLayout)


@guarded
def to_tensor_layouts(layout: LayoutLike) -> Any:
    """Return the layout, or composed layout, of tensor-layouts.

    >>> to_tensor_layouts("((2,3),4):((1,8),2)")  # doctest: +SKIP
    Layout(((2, 3), 4), ((1, 8), 2))

    Raises:
        UnsupportedError: the layout has padding or unknown sizes, or tensor-layouts is not installed.
    """
    place = _plain("tensor-layouts", layout)
    theirs = peer("tensor_layouts", "to_tensor_layouts", "pip install tensor-layouts")
    return _rebuilt(
        place,
        theirs.Layout,
        theirs.Swizzle,
        lambda outer, offset, inner: theirs.ComposedLayout(outer, inner, offset=offset),
    )


def _plain(library: str, layout: LayoutLike, symbols: bool = False) -> Any:
    """The layout, if a library without origin shapes, and perhaps without unknowns, has it."""
    place = layout_of(layout)
    inner = place
    while is_composed(inner):
        inner = inner.inner
    if inner.is_padded:
        summary = f"{library} has no origin shapes, so no word for the padding of {place}"
        raise UnsupportedError(summary, "Layout(x.shape, x.stride) leaves it out.", layout=place)
    if not symbols and inner.symbols:
        name = inner.symbols[0].name
        raise UnsupportedError(
            f"{library} has no unknown ints, as {name} in {place}", f"Bind it: layout.bind({name}=...)."
        )
    return place


def _rebuilt(value: Any, layout: Any, swizzle: Any, composed: Any) -> Any:
    """A value made anew by the constructors of another library."""
    if is_composed(value):
        inner = _rebuilt(value.inner, layout, swizzle, composed)
        return composed(_rebuilt(value.outer, layout, swizzle, composed), int(value.offset), inner)
    if is_swizzle(value):
        return swizzle(int(value.bits), int(value.base), int(value.shift))
    return layout(*[_ints(side) for side in (value.shape, value.stride)])


def _ints(x: Any) -> Any:
    return tuple([_ints(i) for i in x]) if is_tuple(x) else int(x)


@guarded
def to_cute_dsl(layout: LayoutLike) -> str:
    """Return the Python text that makes a layout in CuTe's DSL, whose objects live in a traced function.

    An unknown is the variable of its name.

    >>> print(to_cute_dsl("((2,M),8):((1,16),2)"))
    cute.make_layout(((2, M), 8), stride=((1, 16), 2))
    >>> print(to_cute_dsl("Sw<2,0,3> o 0 o (8,8):(8,1)"))
    cute.make_composed_layout(cute.make_swizzle(2, 0, 3), 0, cute.make_layout((8, 8), stride=(8, 1)))

    Raises:
        UnsupportedError: the layout has padding.
    """
    return str(_rebuilt_text(_plain("CuTe's DSL", layout, symbols=True)))


def _rebuilt_text(value: Any) -> str:
    if is_composed(value):
        parts = _rebuilt_text(value.outer), _python(value.offset), _rebuilt_text(value.inner)
        return f"cute.make_composed_layout({', '.join(parts)})"
    if is_swizzle(value):
        return f"cute.make_swizzle({value.bits:d}, {value.base:d}, {value.shift:d})"
    return f"cute.make_layout({_python(value.shape)}, stride={_python(value.stride)})"


def _python(x: Any) -> str:
    if is_tuple(x):
        return f"({', '.join(map(_python, x))}{',' if len(x) == 1 else ''})"
    if isinstance(x, Basis):
        if len(x.terms) > 1:
            raise UnsupportedError(f"a stride of CuTe's DSL goes along one mode, not along {x}")
        ((path, n),) = x.terms.items()
        unit = f"cute.E({path[0] if len(path) == 1 else list(path)})"
        return unit if known_eq(n, 1) else f"{unit} * {_python(n)}"
    return to_python(x) if type(x) is Expr else f"{x:d}"


@guarded
def to_memref(layout: LayoutLike, element: str = "f32") -> str:
    """Return MLIR's type of memory of a layout: with strides, or with a map where modes are nested.

    >>> print(to_memref("(4,M):(1,4)", "bf16"))
    memref<4x?xbf16, strided<[1, 4]>>
    >>> print(to_memref("((2,2),4):((1,8),2)"))
    memref<4x4xf32, affine_map<(d0, d1) -> ((d0 floordiv 2) * 8 + d1 * 2 + d0 mod 2)>>

    Raises:
        UnsupportedError: the layout has padding or a swizzle, or nested modes with unknown sizes.
    """
    return memref_of(layout_of(layout), element)


@guarded
def to_zarr(layout: LayoutLike) -> dict[str, tuple[int, ...]]:
    """Return the arguments of ``zarr.create_array`` that store chunks as a layout places them.

    >>> to_zarr("((30,4),(20,3)):((20,1800),(1,600)):(100,60)")
    {'shape': (100, 60), 'chunks': (30, 20)}

    Raises:
        UnsupportedError: the layout is no row-major grid of row-major chunks.
    """
    place = layout_of(layout)
    if is_layout(place) and is_tuple(place.shape) and not place.symbols:
        sizes, chunks = _ints(place.origin_shape), tuple([int(next(leaves(m))) for m in place.shape])
        if all(chunks) and place == chunked(sizes, chunks):
            return {"shape": sizes, "chunks": chunks}
    raise UnsupportedError(f"{place} is no row-major grid of row-major chunks", layout=place)
