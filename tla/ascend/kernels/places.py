# SPDX-License-Identifier: Apache-2.0
"""Tensors of a kernel: layouts in global memory and in the buffers of a core.

A kernel's tensors are `tla.Tensor`s, so `tla.tile_view` and `tla.get_tile` make their tiles. Their data
is a `Store`: the memory, its element type and its tag.

>>> from tla import get_tile, row_major
>>> from tla.ascend import element
>>> a = Tensor(Store("GM", "A", element("half"), "RowMajor"), row_major(100, 60))
>>> operand_of(get_tile(a, (48, 32), (16, 16))).place
'A[5824]'
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from ...errors import DivisibilityError, KindError, UnsupportedError
from ...ground import described
from ...layouts import AnyLayout, Tensor, get_tile, is_tensor
from ...numbers import is_tuple
from .instructions import Operand
from .numbers import type_name

if TYPE_CHECKING:
    from ..arch import Position
    from ..elements import Element


part_of: Final = lru_cache(maxsize=1 << 14)(get_tile)
"""`get_tile` of buffers, whose tiles come again and again."""


class Store(NamedTuple):
    """What a tensor of a kernel lies in."""

    space: Position
    owner: str
    """The tensor of global memory, or the core that has the buffer."""
    element: Element
    tag: str | None = None
    """The layout tag; None if it has no name."""
    whole: AnyLayout | None = None
    """The layout of a buffer's tile, which tiles of it are part of."""
    buffer: tuple[int, int] | None = None
    """The first byte of the tile that was allocated, and the first behind it."""

    @property
    def dtype(self) -> str:
        """The element type, as instructions name it."""
        return type_name(self.element.name)


KernelTensor: TypeAlias = "Tensor[Store, AnyLayout]"


def store_of(tensor: object, what: str = "tensor") -> Store:
    """Return what a kernel's tensor lies in.

    Raises:
        KindError: it is no tensor of a kernel.
    """
    store = tensor.data if is_tensor(tensor) else None
    if not isinstance(store, Store):
        raise KindError(
            f"the {what} is no tensor of a kernel: {described(tensor)}",
            "Take an argument of the kernel, a tile of it, or a buffer of ctx.alloc.",
            value=tensor,
        )
    return store


def require_one_type(op: str, *tensors: KernelTensor) -> None:
    """Require tensors of one element type, as a template of AscendC does.

    Raises:
        UnsupportedError: the types differ.
    """
    types = list(dict.fromkeys([store_of(x).element.name for x in tensors]))
    if len(types) > 1:
        raise UnsupportedError(
            f"{op} takes tensors of one element type, not of {' and '.join(types)}",
            "Cast converts, and Fixpipe on the way out of L0C.",
            elements=tuple(types),
        )


@lru_cache(maxsize=1 << 14)
def require_route(route: str, dst: KernelTensor, src: KernelTensor) -> None:
    """Require that a copy goes from one memory to another, as ``GM->L1``.

    Raises:
        KindError: its tensors lie elsewhere.
    """
    given = f"{store_of(src, 'source').space}->{store_of(dst, 'destination').space}"
    if given != route:
        raise KindError(f"a copy {route} is given {given}", "The destination is first.")


def byte_of(tensor: KernelTensor, index: int = 0) -> int:
    """Return the first byte of a view, or of an element behind its first in memory.

    Raises:
        DivisibilityError: it starts within a byte.
    """
    coord: Any = tensor.coord
    zero: Any = (0,) * len(coord) if is_tuple(coord) else 0
    at, bits = int(tensor.offset(zero)) + index, store_of(tensor).element.bits
    if at * bits % 8:
        raise DivisibilityError(
            f"element {at} of {tensor!r} starts within a byte", start=at, unit=8 // bits
        )
    return at * bits // 8


def operand_of(tensor: KernelTensor, byte: int = 0) -> Operand:
    """Return a tensor as the operand of an instruction, from a byte behind its first on."""
    store = store_of(tensor)
    return Operand(store.space, store.owner, byte_of(tensor) + byte, store.dtype, store.buffer)
