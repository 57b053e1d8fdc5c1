# SPDX-License-Identifier: Apache-2.0
"""The facts of a layout, an XLA shape or a nested layout, for comparisons.

>>> view = view_of(parse_shape("f32[3,5]{1,0:T(2,2)}"), None)
>>> view.dims, view.digits, view.size
((3, 5), (((2, 2), (2, 12)), ((2, 1), (3, 4))), 24)
"""

from __future__ import annotations

from itertools import combinations, product
from typing import TYPE_CHECKING, Any, NamedTuple

from ..algebra import gives_coordinates
from ..errors import UndecidedError
from ..layouts import AnyLayout, ComposedLayout, as_layout, is_composed, is_layout, leaves, wrap
from ..numbers import IntLike, SymbolicInt, leaf
from .addresses import storage_bits
from .digits import Digits, digits_of, top_weight, value_at
from .every_size import bound_of, is_open, written_dims
from .functions import NoDigits, OpenDims, TiledFunction
from .groups import function_of
from .tiling import array_shape, physical_elements

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .rules import Split
    from .shape import AnyShape, XlaShape


class View(NamedTuple):
    """The facts of a layout that comparisons need.

    Attributes:
        given: The layout itself.
        dims: The sizes of its dims in memory; a bounded dim has its bound.
        written: The dims in the text of a shape.
        digits: The digits of each dim; None if a dim has none or that is open.
        function: The offset of an XLA shape.
        proof: Indices of which one differs from every layout that has digits, if this has none.
        size: The elements of its memory, or None.
        type_name, bits, splits, memory_space, prefix: The element type, the bits of an element, the
            split configs, the memory space and the bytes in front of an XLA shape; None for a nested
            layout.
    """

    given: AnyShape | AnyLayout | ComposedLayout
    dims: tuple[int, ...]
    written: tuple[str, ...]
    digits: tuple[Digits, ...] | None
    function: TiledFunction | None = None
    proof: tuple[tuple[int, ...], ...] = ()
    size: int | None = None
    type_name: str | None = None
    bits: int | None = None
    splits: tuple[Split, ...] | None = None
    memory_space: int | None = None
    prefix: int | None = None

    def offset(self, index: Sequence[int]) -> Any:
        """Return the offset of an element, or what else a layout gives; the index is not checked."""
        if self.function is not None:
            return self.function.offset(index)
        if self.digits is None:
            value = self.layout(*index)
            return int(value) if isinstance(value, int) else value
        return sum(value_at(mode, x) for mode, x in zip(self.digits or (), index, strict=True))

    @property
    def layout(self) -> Any:
        """What was given, if it is a layout that is compared by its values."""
        return self.given if self.function is None and self.digits is None else None

    def is_known_as(self, other: View) -> bool:
        """Whether both are known to be one function without digits, over the same coordinates."""
        if self.layout is not None and other.layout is not None:
            return bool(self.layout == other.layout)
        if self.function is None or other.function is None:
            return False
        return self.function.over_combined() == other.function.over_combined()

    def suspects(self) -> Iterator[tuple[int, ...]]:
        """Indices at the ends of dims, of tiles and of digits."""
        dims = [d for d, n in enumerate(self.dims) if n > 1]
        if self.function is not None:
            yield from self.function.suspects(dims)
            return
        if self.digits is None:
            return
        ends = {d: sorted({1, self.dims[d] - 1, top_weight((self.digits or ())[d])}) for d in dims}
        zero = (0,) * len(self.dims)
        for d, e in combinations(dims, 2):
            for x, y in product(ends[d], ends[e]):
                yield tuple(x if i == d else y if i == e else z for i, z in enumerate(zero))


def view_of(given: AnyShape | AnyLayout | ComposedLayout, size: IntLike | None) -> View:
    """Return the view of a shape or layout; ``size`` is the memory of a layout.

    Raises:
        NotALayoutError: the value is neither.
        UndecidedError: a size or stride is unknown.
        UnsupportedError: the value is a tuple of shapes, a token or opaque.
    """
    if is_composed(given) or (is_layout(given) and gives_coordinates(given)):
        return _of_values(given, size)
    return _of_layout(given, size) if is_layout(given) else _of_shape(array_shape(given))


def _of_values(layout: AnyLayout | ComposedLayout, size: IntLike | None) -> View:
    """The view of a layout that is compared by its values alone."""
    if layout.symbols:
        raise _unknown(layout)
    dims = tuple([int(n) for n in leaves(layout.origin_shape)])
    memory = None if size is None else int(leaf(size))
    return View(layout, dims, written_dims(layout), None, size=memory)


def _of_layout(layout: AnyLayout, size: IntLike | None) -> View:
    as_layout(layout)
    parts = (*leaves(layout.shape), *leaves(layout.stride), size)
    if is_open(layout) or any(isinstance(n, SymbolicInt) for n in parts):
        raise _unknown(layout)
    dims = tuple(bound_of(n) or 0 for n in leaves(layout.origin_shape))
    modes = zip(wrap(layout.shape), wrap(layout.stride), dims, strict=True)
    digits = tuple(
        digits_of([(int(n), int(d)) for n, d in zip(leaves(s), leaves(t), strict=True)], extent)
        for s, t, extent in modes
    )
    memory = None if size is None else int(leaf(size))
    return View(layout, dims, written_dims(layout), digits, size=memory)


def _of_shape(shape: XlaShape) -> View:
    if is_open(shape):
        raise _unknown(shape)
    function = function_of(shape)
    found = function.digits() if all(shape.dimensions) else ((),) * shape.rank
    digits: tuple[Digits, ...] | None = None
    proof: tuple[tuple[int, ...], ...] = ()
    if isinstance(found, NoDigits):
        proof = (found.at, *found.parts)
    elif not isinstance(found, OpenDims):
        digits = found
    return View(
        shape,
        shape.dimensions,
        written_dims(shape),
        digits,
        function,
        proof,
        physical_elements(shape),
        shape.element_type.name,
        storage_bits(shape),
        tuple(shape.split_configs),
        shape.memory_space,
        shape.dynamic_shape_metadata_prefix_bytes,
    )


def _unknown(given: AnyShape | AnyLayout | ComposedLayout) -> UndecidedError:
    return UndecidedError(
        f"cannot compare {given}: it has unknown sizes",
        "Write numbers in their place, or in a shape a bound, '<=N'.",
        given=given,
    )
