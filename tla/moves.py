# SPDX-License-Identifier: Apache-2.0
"""Arrays and memory by any layout, or by the text of one: `tla.arrays` for all that `read` takes.

>>> import numpy as np
>>> pack(np.arange(15, dtype=np.float32).reshape(3, 5), "f32[3,5]{1,0:T(2,2)}")
array([ 0.,  1.,  5.,  6.,  2.,  3.,  7.,  8.,  4.,  0.,  9.,  0., 10.,
       11.,  0.,  0., 12., 13.,  0.,  0., 14.,  0.,  0.,  0.],
      dtype=float32)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, Union

from . import arrays
from .arrays import as_array, as_type, bytes_in, dtype_of, is_bytes, require_native, span_of, type_of
from .errors import KindError, LayoutError, UnsupportedError
from .ground import ELEMENT_TYPES, ElementType, checked_by, described, guarded, opaque, plural
from .layouts import is_composed, is_layout
from .read import read, tagged
from .xla_bridge import (
    COMBINE,
    XlaBuffer,
    XlaShape,
    XlaTuple,
    array_shape,
    physical_elements,
    storage_bits,
    to_layout,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from .algebra import LinearLayout
    from .arrays import CopyPlan
    from .ascend import TaggedLayout
    from .layouts import AnyLayout, ComposedLayout

    LayoutLike: TypeAlias = Union[AnyLayout, ComposedLayout, LinearLayout, XlaShape, TaggedLayout, str]

__all__ = ["copy_plan", "layout_of", "mask", "pack", "relayout", "unpack", "view"]


def _check(*given: Any, **named: Any) -> None:
    """Raise what is wrong with the layouts of a call, whatever their origin shapes: types tell none."""
    found: list[Format] = []
    texts = 0
    for x in (*given, *named.values()):
        if isinstance(x, str) and ":%" not in x:  # a file says what stands there when the program runs
            found.append(format_of(x))
            arrays.data_shape(found[-1].layout)
            texts += 1
        elif is_layout(x):
            found.append(Format(x, str(x)))
    if len(found) == 2:
        found[0].require_type_of(found[1])
        require = arrays.copy_plan if texts == 2 else arrays.require_one_rank
        require(found[0].layout, found[1].layout)


@guarded
@checked_by(_check)
@opaque("array", "fill", "out", "progress")
def pack(
    array: ArrayLike,
    layout: LayoutLike,
    fill: Any = 0,
    out: NDArray[Any] | None = None,
    progress: Callable[[int, int], object] | None = None,
    threads: int | None = None,
) -> NDArray[Any]:
    """Return the memory that holds an array by a layout, `tla.arrays.pack`.

    >>> pack([[0, 1, 2], [3, 4, 5]], "(2,3):(1,3)", fill=9)
    array([0, 3, 9, 1, 4, 9, 2, 5])

    An XLA shape or a tag also says the type of the elements. The array has that type, or unsigned ints
    of its width, which are taken as bits; ints of less than a byte may also be int8. A value beyond the
    type is refused, and numbers without a type are converted. Elements of less than a byte share bytes
    in memory, as `pack_bits` packs them:

    >>> import numpy as np
    >>> pack(np.array([1, -1, 7], np.int8), "s4[3]{0:E(4)}")
    array([241,   7], dtype=uint8)
    """
    place = format_of(layout)
    given = place.typed(array, "the array")
    packed = place.packed_bits
    memory = arrays.pack(
        given, place.layout, fill, place.room(given.dtype, fill, out), progress, threads
    )
    return arrays.pack_bits(memory, packed, out=out) if packed else memory


@guarded
@checked_by(_check)
@opaque("memory", "out", "progress")
def unpack(
    memory: Any,
    layout: LayoutLike,
    out: NDArray[Any] | None = None,
    progress: Callable[[int, int], object] | None = None,
    threads: int | None = None,
) -> NDArray[Any]:
    """Return the array that memory holds by a layout, `tla.arrays.unpack`.

    >>> unpack(range(12), "s8[2,3]{0,1:T(4)}")
    array([[0, 4, 8],
           [1, 5, 9]], dtype=int8)

    Memory that is bytes has elements of the type that the layout says:

    >>> unpack(bytes([0, 0, 128, 63, 0, 0, 0, 64]), "f32[2]{0}")
    array([1., 2.], dtype=float32)
    """
    place = format_of(layout)
    return arrays.unpack(place.elements(memory), place.layout, out, progress, threads)


@guarded
@checked_by(_check)
@opaque("memory")
def view(memory: Any, layout: LayoutLike) -> NDArray[Any]:
    """Return the array that memory holds by a layout, without a copy, `tla.arrays.view`.

    >>> import numpy as np
    >>> view(np.arange(6), "(2,3):(3,1)").tolist()
    [[0, 1, 2], [3, 4, 5]]
    """
    place = format_of(layout)
    place.require_whole()
    return arrays.view(place.elements(memory), place.layout)


@guarded
@checked_by(_check)
@opaque("memory", "fill", "out", "progress")
def relayout(
    memory: Any,
    source: LayoutLike,
    target: LayoutLike,
    fill: Any = 0,
    out: NDArray[Any] | None = None,
    progress: Callable[[int, int], object] | None = None,
    threads: int | None = None,
) -> NDArray[Any]:
    """Return memory by another layout, `tla.arrays.relayout`.

    >>> relayout(range(6), "s8[2,3]{1,0}", "s8[2,3]{0,1}")
    array([0, 3, 1, 4, 2, 5], dtype=int8)
    """
    before, after = format_of(source), format_of(target)
    before.require_type_of(after)
    kind = before.type or after.type
    before, after = before._replace(type=kind), after._replace(type=kind)
    held = before.elements(memory)
    packed = after.packed_bits
    room = after.room(held.dtype, fill, out)
    made = arrays.relayout(held, before.layout, after.layout, fill, room, progress, threads)
    return arrays.pack_bits(made, packed, out=out) if packed else made


@guarded
@checked_by(_check)
def mask(layout: LayoutLike) -> NDArray[Any]:
    """Return which elements of memory hold data, `tla.arrays.mask`.

    >>> mask("f32[3]{0:T(4)}").tolist()
    [True, True, True, False]
    """
    import numpy as np

    place = format_of(layout)
    return np.pad(arrays.mask(place.layout), (0, place.entries - place.span))


@guarded
@checked_by(_check)
def copy_plan(source: LayoutLike, target: LayoutLike) -> CopyPlan:
    """Return the loops that move data from one layout to another, `tla.arrays.copy_plan`.

    >>> len(copy_plan("f32[3,5]{1,0}", "f32[3,5]{1,0:T(2,2)}").boxes)
    4
    """
    before, after = format_of(source), format_of(target)
    before.require_type_of(after)
    return arrays.copy_plan(before.layout, after.layout)


class Format(NamedTuple):
    """A layout, and what its notation says of the elements in memory.

    Args:
        text: How it was written.
        type: Their type, None where a layout does not say it.
        packed_bits: The bits of an element that shares its bytes with others; 0 for whole bytes.
        size: The elements of memory, padding behind the layout included; 0 for those that it spans.

    >>> format_of("s4[5]{0:E(4)}")[2:], format_of("zN<half>(20,48)").type.name, format_of("8:1").type
    ((ElementType(name='s4', bits=4), 4, 5), 'f16', None)
    """

    layout: Any
    text: str
    type: ElementType | None = None
    packed_bits: int = 0
    size: int = 0

    @property
    def dtype(self) -> np.dtype[Any] | None:
        """The type of numpy or ml_dtypes; unsigned ints where XLA has no such type.

        >>> format_of("f16[5]{0}").dtype, format_of("zN<hifloat8_t>(20,48)").dtype
        (dtype('float16'), dtype('uint8'))

        Raises:
            UnsupportedError: it is a type of ml_dtypes, which is not installed.
        """
        import numpy as np

        if self.type is None:
            return None
        return (
            dtype_of(self.type) if self.type.name in ELEMENT_TYPES else np.dtype(f"u{self.type.bytes}")
        )

    @property
    def span(self) -> int:
        """The elements from the first offset of the layout to the last, offset 0 among them."""
        low, last = span_of(self.layout)
        return last + 1 - low

    @property
    def entries(self) -> int:
        """The elements of memory."""
        return max(self.size, self.span)

    def bytes_of(self, count: int) -> int:
        """Return the bytes that elements take, of which the type is known.

        >>> format_of("s4[5]{0:E(4)}").bytes_of(5), format_of("f32[5]").bytes_of(5)
        (3, 20)
        """
        width = 8 * ((self.type.bytes if self.type else None) or 0)
        return -(-count * (self.packed_bits or width) // 8)

    def require_whole(self) -> None:
        """Raise UnsupportedError if elements share bytes, so that no array shows them in place."""
        if self.packed_bits:
            raise UnsupportedError(
                f"no array shows {self.text} in place:"
                f" elements of {self.packed_bits} bits have no address",
                "unpack copies it into an array.",
                layout=self.layout,
            )

    def room(
        self, dtype: np.dtype[Any], fill: Any = 0, out: NDArray[Any] | None = None
    ) -> NDArray[Any] | None:
        """Return the elements to write, or None for as many as the layout spans.

        More where ``L(n)`` wants it; ``out`` itself, or its elements where they are packed and stay.
        """
        import numpy as np

        if out is not None and not self.packed_bits:
            if len(out) < self.entries:
                what = f"memory of {plural(len(out), 'element')} is too short for {self.text}"
                raise LayoutError(f"{what}, which has {self.entries}", layout=self.layout)
            return out
        if out is not None and fill is None:
            return arrays.unpack_bits(out, dtype, self.entries, self.packed_bits)
        return np.empty(self.size, dtype) if self.size > self.span else None

    def typed(self, given: Any, what: str) -> NDArray[Any]:
        """Return an array of the elements; numbers without a type get that of the layout.

        Raises:
            LayoutError: they have another type, or a number does not fit.
        """
        array = as_array(given)
        if hasattr(given, "dtype"):
            self._require(array.dtype, given.dtype, what)
            self._require_bits(array, what)
            return array
        wanted = self.dtype
        if self.type is None or wanted is None:
            return array
        if self.type.name not in ELEMENT_TYPES:
            summary = f"numpy has no type {self.type.name} for the numbers of {what}"
            raise LayoutError(summary, f"Give their bits, as an array of {wanted}.", value=given)
        return as_type(array, wanted, what)

    def elements(
        self,
        memory: Any,
        dtype: np.dtype[Any] | None = None,
        room: Callable[[int, np.dtype[Any]], NDArray[Any]] | None = None,
    ) -> NDArray[Any]:
        """Return memory as an array of elements; bytes are the bytes of elements.

        Args:
            dtype: The type that elements in bytes get; None for that of the layout.
            room: What makes the array for elements that share bytes, of a length and a type.

        Raises:
            LayoutError: it has elements of another type, or bytes that are no whole elements.
        """
        import numpy as np

        are_bytes = is_bytes(memory)
        held: NDArray[Any] = bytes_in(memory) if are_bytes else as_array(memory)
        dtype = (dtype or self.dtype) if are_bytes or self.packed_bits else None
        if self.packed_bits and dtype is not None:
            if held.dtype.name not in ("uint8", "int8"):
                raise LayoutError(
                    f"memory has elements of {held.dtype}, and {self.text} packs those of"
                    f" {self.packed_bits} bits to bytes",
                    "Give the bytes: an array of uint8.",
                )
            needed = self.bytes_of(self.span)
            if held.size < needed:
                what = f"memory of {plural(held.size, 'byte')} is too short for {self.text}"
                raise LayoutError(f"{what}, which spans {needed}", layout=self.layout, needed=needed)
            out = None if room is None else room(self.span, dtype)
            return arrays.unpack_bits(held, dtype, self.span, self.packed_bits, out=out)
        if not are_bytes:
            return self.typed(held if isinstance(memory, memoryview) else memory, "memory")
        if dtype is not None and held.size % dtype.itemsize:
            size = f"{dtype}, {plural(dtype.itemsize, 'byte')}"
            raise LayoutError(f"memory of {plural(held.size, 'byte')} holds no whole number of {size}")
        return held if dtype is None else np.ascontiguousarray(held).view(dtype)

    def require_type_of(self, other: Format) -> None:
        """Raise LayoutError if two that say the type of their elements say different ones."""
        if self.type and other.type and self.type != other.type:
            raise LayoutError(
                f"{self.text} has elements of {self.type.name}, {other.text} of {other.type.name}",
                "A copy does not convert elements; array.astype does.",
            )

    def _require_bits(self, array: NDArray[Any], what: str) -> None:
        """Raise LayoutError if an int is beyond the type; unsigned ones for another type are bits."""
        name, bits = (self.type.name, self.type.bits or 8) if self.type else ("", 8)
        if array.size and bits < 8 and (array.dtype.kind == "i" or name[0] == array.dtype.kind):
            low, high = int(array.min()), int(array.max())
            least, most = (
                (0, (1 << bits) - 1) if name[0] == "u" else (-1 << bits - 1, (1 << bits - 1) - 1)
            )
            if not least <= low <= high <= most:
                wrong = low if low < least else high
                summary = f"{what} has {wrong}, which {self.text} has no element for"
                raise LayoutError(summary, f"{bits} bits hold {least} to {most}.", value=wrong)

    def _require(self, dtype: np.dtype[Any], given: Any, what: str) -> None:
        """Raise LayoutError if elements have another type, and are no unsigned ints of the width.

        Args:
            given: Their type in the library that they come from.
        """
        type_ = self.type
        if type_ is None or type_.bytes is None:
            return
        name = type_of(given)
        is_raw = dtype.itemsize == type_.bytes and (
            (dtype.kind == "u" and (name or "u")[0] == "u") or (dtype.kind == "V" and not name)
        )
        is_wide = dtype == "int8" and type_.name in ("s1", "s2", "s4")
        require_native(dtype, what)
        if name != type_.name and not is_raw and not is_wide:
            raise LayoutError(
                f"{what} has elements of {given}, {8 * dtype.itemsize} bits, and {self.text} those of"
                f" {type_.name}, {8 * type_.bytes} bits",
                f"astype converts values; .view('u{type_.bytes}') of {type_.name} moves their bits.",
            )


@guarded
def format_of(value: LayoutLike) -> Format:
    """Return the layout of a value, or of the text of one, with what it says of the elements.

    A `LinearLayout` that gives coordinates, as Triton's do, is turned round: a layout gives places.

    >>> print(format_of("f32[3,5]{1,0:T(2,2)}").layout)
    ((_2,_2),(_2,_3)):((_2,_12),(_1,_4)):(_3,_5)

    Raises:
        KindError: it is, or names, no layout.
        ParseError: the text is in no notation known.
        UnsupportedError: the elements have neither whole bytes nor at most 8 bits, or tiles with ``*``
            give a layout whose padding ends past the memory of the shape.
        LayoutError: a linear layout has no inverse, or its inverse is no layout.
    """
    given: Any = value
    if isinstance(value, str):
        given = tagged(value) if ":%" not in value else None
        given = read(value) if given is None else given
    if is_layout(given) or is_composed(given):
        return Format(given, str(value))
    element: Any = getattr(given, "element", None)
    bits = getattr(element, "bits", None)
    if bits is not None and is_layout(getattr(given, "layout", None)):  # with a tag
        kind = ElementType(element.xla or element.name, bits)
        return Format(given.layout, str(value), kind, bits if bits < 8 else 0)
    if isinstance(given, (XlaShape, XlaTuple, XlaBuffer)):
        layout = to_layout(given)
        shape = array_shape(given)
        kind, bits = shape.element_type, storage_bits(shape)
        if bits >= 8 and bits != 8 * (kind.bytes or 0):
            raise UnsupportedError(
                f"elements of {kind.name} cannot be moved as {bits} bits", layout=layout
            )
        size = 0 if layout.symbols else int(physical_elements(shape))
        if size and any(COMBINE in tile for tile in shape.tiles) and span_of(layout)[1] >= size:
            raise UnsupportedError(
                f"as a nested layout {shape} has padding past its memory of {size} elements",
                "Only tiles with '*' have that.",
                layout=layout,
            )
        return Format(layout, str(value), kind, bits if bits < 8 else 0, size)
    from .algebra import LinearLayout, from_linear
    from .objects import KNOWN, is_known

    if isinstance(given, LinearLayout):
        gives_offsets = [name for name, _bits in given.outs] == ["offset"]
        return Format(from_linear(given if gives_offsets else given.inverse()), str(value))
    if is_known(given):
        return format_of(read(given))
    is_shape = isinstance(value, (str, tuple))
    raise KindError(
        f"expected a layout, an XLA shape or the text of one, got {described(value)}",
        "A layout is a shape and strides, as (3,4):(4,1)." if is_shape else KNOWN,
        value=value,
    )


def layout_of(value: LayoutLike) -> Any:
    """Return the layout of a value, of the text of one, or of an object of another library.

    >>> print(layout_of("f32[3,5]{1,0:T(2,2)}"), layout_of(Layout(4)))
    ((_2,_2),(_2,_3)):((_2,_12),(_1,_4)):(_3,_5) 4:_1

    Raises:
        KindError: it is, or names, no layout.
        ParseError: the text is in no notation known.
    """
    return format_of(value).layout
