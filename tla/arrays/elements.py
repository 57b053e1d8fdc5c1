# SPDX-License-Identifier: Apache-2.0
"""Elements of numpy arrays: their types by XLA's names, and values converted to arrays of them.

>>> type_of(dtype_of("f32")), as_array([[1, 2], [3, 4]]).shape
('f32', (2, 2))
"""

from __future__ import annotations

import sys
from importlib import import_module
from mmap import mmap
from typing import TYPE_CHECKING, Any, Final

from ..errors import LayoutError, UnsupportedError
from ..ground import ELEMENT_TYPES, described, element_type

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from ..ground import ElementType

_NAMES: Final = {"bool": "pred", "complex64": "c64", "complex128": "c128"}
"""XLA's names of the types whose names numpy does not begin alike."""


def dtype_of(type_: ElementType | str) -> np.dtype[Any]:
    """Return the type that numpy has for elements of XLA's name: its own, or that of ml_dtypes.

    >>> dtype_of("f32"), dtype_of("pred")
    (dtype('float32'), dtype('bool'))

    Raises:
        UnsupportedError: it is a type of ml_dtypes, which is not installed.
    """
    import numpy as np

    name = element_type(type_).name
    known = {short: long for long, short in _NAMES.items()}
    if name not in known:
        long = {"s": "int", "u": "uint", "f": "float", "b": "bfloat"}[name[0]]
        known[name] = long + name.removeprefix("bf").lstrip("suf").replace("e", "_e", 1)
    full = known[name]
    if name in _NAMES.values() or name[1:] in ("16", "32", "64") or name in ("s8", "u8"):
        return np.dtype(full)
    try:
        ml_dtypes: Any = import_module("ml_dtypes")
    except ImportError:
        raise UnsupportedError(
            f"elements of {name} need ml_dtypes, which is not installed",
            "pip install ml_dtypes; or move their bits, as an array of unsigned ints of their width.",
            type=name,
        ) from None
    found: np.dtype[Any] = np.dtype(getattr(ml_dtypes, full))
    return found


def type_of(dtype: Any) -> str | None:
    """Return XLA's name for elements of a type of numpy, ml_dtypes or torch; None if it has none.

    >>> import numpy as np
    >>> type_of(np.dtype("float32")), type_of(np.dtype(bool)), type_of(np.dtype("U3"))
    ('f32', 'pred', None)
    """
    name: str = getattr(dtype, "name", "") or str(dtype).rpartition(".")[2]
    for long, short in (("uint", "u"), ("int", "s"), ("bfloat", "bf"), ("float", "f")):
        if name.startswith(long):
            name = short + name.removeprefix(long).replace("_", "")
            break
    name = _NAMES.get(name, name)
    return name if name in ELEMENT_TYPES else None


def bits_of(dtype: np.dtype[Any]) -> int | None:
    """Return the bits of a type of less than a byte; None for any other."""
    name = type_of(dtype)
    bits = None if name is None else ELEMENT_TYPES[name].bits
    return bits if bits is not None and bits < 8 else None


def is_bytes(memory: Any) -> bool:
    """Whether memory is plain bytes, without elements of a type: a memoryview may be either.

    >>> import numpy as np
    >>> is_bytes(b"ab"), is_bytes(memoryview(b"ab")), is_bytes(memoryview(np.zeros(2)))
    (True, True, False)
    """
    if isinstance(memory, memoryview):
        return memory.format in ("B", "b", "c")
    return isinstance(memory, (bytes, bytearray, mmap))


def bytes_in(memory: Any) -> NDArray[np.uint8]:
    """Return bytes as an array of one axis, in place.

    >>> bytes_in(memoryview(b"abcdef")[::2]).tobytes()
    b'ace'
    """
    import numpy as np

    return np.asarray(memoryview(memory)).view(np.uint8).reshape(-1)


def as_array(given: Any) -> NDArray[Any]:
    """Return a value as an array whose elements are bytes.

    A tensor of torch whose type numpy lacks becomes unsigned ints of its width.

    >>> as_array([[1, 2], [3, 4]]).shape
    (2, 2)

    Raises:
        LayoutError: it is no array, or its elements are Python objects: pointers are no bytes to copy.
        UnsupportedError: it is in the memory of another device.
    """
    import numpy as np

    torch: Any = sys.modules.get("torch")
    is_tensor = torch is not None and isinstance(given, torch.Tensor)
    if hasattr(given, "__cuda_array_interface__") or (is_tensor and given.device.type != "cpu"):
        raise elsewhere(given)
    try:
        array = np.asarray(_of_torch(given, torch) if is_tensor else given)
    except (RuntimeError, TypeError, ValueError) as error:  # lists of several lengths, a deleted array
        raise LayoutError(f"this is no array: {str(error).splitlines()[0]}", value=given) from None
    what = f"an array of {array.dtype}" if hasattr(given, "dtype") else described(given)
    if array.dtype.hasobject:
        for value in [x for x in array.flat if isinstance(x, int) and not -(1 << 63) <= x < 1 << 64][:1]:
            bits = f"{value.bit_length()} bits, and an element has 64 at most"
            raise LayoutError(f"{described(value)} has {bits}", value=given)
        raise LayoutError(f"{what} has no bytes to move: its elements are Python objects", value=given)
    if not array.itemsize:
        raise LayoutError(f"{what} has no bytes to move: its elements are empty", value=given)
    return array


def elsewhere(array: Any) -> UnsupportedError:
    """Return the error of an array that is not in memory which a processor reads."""
    if str(getattr(array, "device", None)) == "meta":
        way = "torch.empty_like(tensor, device='cpu') has memory."
        return UnsupportedError("a tensor on the device meta has no memory", way)
    return UnsupportedError("numpy sees no memory of other devices", "Copy it to the host first.")


def require_native(dtype: np.dtype[Any], what: str) -> None:
    """Raise LayoutError if the bytes of elements are in the order of other machines.

    >>> import numpy as np
    >>> require_native(np.dtype("float32").newbyteorder(), "memory")
    Traceback (most recent call last):
        ...
    tla.errors.LayoutError: memory has elements of >f4: their bytes are in the other order
      astype(dtype.newbyteorder('=')) reorders them.
    """
    if not dtype.isnative:
        way = "astype(dtype.newbyteorder('=')) reorders them."
        raise LayoutError(f"{what} has elements of {dtype.str}: their bytes are in the other order", way)


def _of_torch(tensor: Any, torch: Any) -> Any:
    tensor = tensor.detach()
    try:
        return tensor.numpy()
    except TypeError:  # a type that numpy lacks; of what has no memory here the next line says so
        return tensor.view(getattr(torch, f"uint{8 * tensor.element_size()}")).numpy()


def as_type(values: ArrayLike, dtype: np.dtype[Any], what: str) -> NDArray[Any]:
    """Return numbers as elements of a type.

    >>> import numpy as np
    >>> as_type([1, 2], np.dtype("float32"), "the array")
    array([1., 2.], dtype=float32)

    Elements of ints hold ints alone, those of their range. Elements of floats round to the nearest.
    A number that rounds past the greatest of them is refused, also where a conversion of ml_dtypes
    would give the greatest one, as for float4_e2m1fn; so are infinity and NaN where the type has none.

    Raises:
        LayoutError: no element of the type holds one of them; or they are complex, and the type is not.
    """
    import numpy as np

    given = as_array(values)
    if given.dtype.kind == "c" and dtype.kind != "c":
        summary = f"{what} has numbers of type {given.dtype}, and {dtype} holds no imaginary part"
        raise LayoutError(summary, "Take the real part, .real, or the other, .imag.", value=values)
    wrong: NDArray[Any] = np.ones(given.shape, bool)
    made: NDArray[Any] = given
    try:
        made = np.empty(given.shape, dtype)
        with np.errstate(all="ignore"):
            made[...] = given
            if type_of(made.dtype) is None:
                return made
            if dtype.kind in "iub" or "int" in dtype.name:
                held = made if dtype.kind in "iub" else made.astype(np.int16)
                wrong = (held != given) | (made.astype(given.dtype) != given)  # one may round
            else:
                held = made if dtype.kind in "fc" else made.astype(np.float64)
                wrong = np.isfinite(given) != np.isfinite(held)
                wrong |= (np.isnan(given) != np.isnan(held)) | (abs(given) >= _saturated(dtype))
    except (OverflowError, TypeError, ValueError):
        pass  # so no element of the type holds them
    if wrong.any():
        value = given.reshape(-1)[wrong.reshape(-1).argmax()]
        raise LayoutError(f"{what} has {value}, which no element of type {dtype} holds", value=values)
    return made


def _saturated(dtype: np.dtype[Any]) -> float:
    """The least number that rounds past a type whose conversion saturates; NaN for other types."""
    import numpy as np

    top = np.array([np.inf]).astype(dtype)
    greatest = float(top.astype(np.float64)[0]) if dtype.itemsize == 1 else np.inf
    if not np.isfinite(greatest):
        return np.nan
    below = (top.view(np.uint8) - 1).view(dtype).astype(np.float64)[0]
    return greatest + (greatest - float(below)) / 2
