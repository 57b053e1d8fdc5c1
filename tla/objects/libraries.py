# SPDX-License-Identifier: Apache-2.0
"""The table of libraries: how an object is recognised, how it is read, and what gives one back.

>>> [row.name for row in LIBRARIES if "to_torch" in row.writers]
['torch']
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..arrays import read_strided
from ..errors import KindError, UnsupportedError
from ..ground import described
from . import arrays, layouts, pallas
from .mapped import read_memref, read_tilelang, refuse_index_map

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class Library(NamedTuple):
    """A library whose objects are known.

    >>> numpy = LIBRARIES[0]
    >>> numpy.name, list(numpy.readers), numpy.writers
    ('numpy', ['ndarray'], ('to_numpy_view',))

    Attributes:
        name: Its name in prose.
        roots: The first parts of the modules that its classes are in.
        readers: The function that reads an object, by the name of its class, or of a protocol.
        writers: The functions of `tla` that give an object of it, or a text for it.
    """

    name: str
    roots: tuple[str, ...]
    readers: Mapping[str, Callable[[Any], Any]]
    writers: tuple[str, ...] = ()


def _read_text(read: Callable[[str], Any]) -> Callable[[Any], Any]:
    """The reader of an object that prints what a reader of texts takes."""
    return lambda value: read(str(value))


_STRIDED: Final = {"ndarray": read_strided}
_INTERFACES: Final = ("__cuda_array_interface__", "__array_interface__")
_COMPOSED: Final = ("Layout", "Swizzle", "ComposedLayout")

LIBRARIES: Final = (
    Library("numpy", ("numpy",), _STRIDED, ("to_numpy_view",)),
    Library("cupy", ("cupy",), _STRIDED),
    Library("the array interface", (), dict.fromkeys(_INTERFACES, arrays.read_interface)),
    Library("Python's buffers", ("builtins",), {"memoryview": read_strided}),
    Library("torch", ("torch",), {"Tensor": arrays.read_torch}, ("to_torch",)),
    Library(
        "jax",
        ("jax", "jaxlib"),
        {
            "ArrayImpl": arrays.read_jax,
            "ShapeDtypeStruct": arrays.read_jax,
            "NamedSharding": arrays.read_sharding,
            "Compiled": arrays.read_compiled,
            "Lowered": arrays.read_compiled,
            "BlockSpec": pallas.read_block,
            "GridSpec": pallas.read_grid,
            "Format": arrays.refuse_format,
            "Layout": arrays.refuse_format,
        },
        ("to_jax_format",),
    ),
    Library("pycute", ("pycute",), dict.fromkeys(_COMPOSED, layouts.read_layout), ("to_pycute",)),
    Library(
        "CuTe DSL",
        ("cutlass",),
        dict.fromkeys(("_Layout", "_ComposedLayout", "Swizzle"), layouts.read_dsl)
        | {"_Tensor": layouts.read_dsl_tensor},
        ("to_cute_dsl",),
    ),
    Library(
        "tensor-layouts",
        ("tensor_layouts",),
        dict.fromkeys((*_COMPOSED, "Tensor"), layouts.read_layout),
        ("to_tensor_layouts",),
    ),
    Library(
        "MLIR",
        ("mlir", "iree", "jaxlib", "torch_mlir"),
        {"MemRefType": _read_text(read_memref)},
        ("to_memref",),
    ),
    Library("TileLang", ("tilelang",), {"Layout": _read_text(read_tilelang)}),
    Library("TVM", ("tvm",), {"IndexMap": refuse_index_map}),
    Library("zarr", ("zarr",), {"Array": arrays.read_chunks}, ("to_zarr",)),
    Library("N5", ("z5py",), {"Dataset": arrays.read_chunks}),
    Library("h5py", ("h5py",), {"Dataset": arrays.read_chunks}),
)
"""Every library whose objects are known."""

KNOWN: Final = f"Known libraries: {', '.join([row.name for row in LIBRARIES])}."
"""What an error says of an object that is not known."""

_READERS: Final = {
    (root, name): read for row in LIBRARIES for root in row.roots for name, read in row.readers.items()
}


def _reader_of(value: object) -> Callable[[Any], Any] | None:
    for cls in type(value).__mro__:
        reader = _READERS.get((str(cls.__module__).partition(".")[0], cls.__name__))
        if reader is not None:
            return reader
    is_number = isinstance(value, type) or type(value).__module__ == "numpy"  # or the type of one
    has_interface = not is_number and any(hasattr(value, name) for name in _INTERFACES)
    return arrays.read_interface if has_interface else None


def is_known(value: object) -> bool:
    """Return whether `read_object` reads an object.

    >>> is_known(memoryview(b"abc")), is_known({})
    (True, False)
    """
    return _reader_of(value) is not None


def read_object(value: object) -> Any:
    """Return what an object of another library says of memory.

    An array, a layout, a swizzle and a memref type give a layout of `tla`. An array of jax gives its
    `XlaShape`, and a compiled function its HLO `Module`. A sharding and a Pallas block give layouts of
    devices and of coordinates. A chunked array gives the layout of its chunks in a row.

    >>> print(read_object(memoryview(b"abcdef")[::2]))
    (3):(2)

    Raises:
        KindError: the library is not known; the error lists those that are.
        LayoutError: a stride in bytes is no multiple of the element, ...: the object has no layout.
        UnsupportedError: the object has a part for which layouts have no word.
    """
    reader = _reader_of(value)
    if reader is None:
        raise KindError(
            f"expected a text or an object of a known library, got {described(value)}",
            KNOWN,
            value=value,
        )
    return reader(value)


def peer(module: str, function: str, way: str) -> Any:
    """Return a module of another library, for a function that makes its objects.

    Args:
        way: What installs the library.

    Raises:
        UnsupportedError: it is not installed.
    """
    try:
        return sys.modules.get(module) or import_module(module)
    except ImportError:
        library = module.partition(".")[0]
        raise UnsupportedError(
            f"{function} needs {library}, which is not installed", f"Install it: {way}", module=module
        ) from None
