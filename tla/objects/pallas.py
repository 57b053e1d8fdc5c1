# SPDX-License-Identifier: Apache-2.0
"""The blocks of Pallas kernels: which coordinate of an array each place of each block is."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from ..errors import UnsupportedError
from ..layouts import Layout
from ..numbers import E, known_eq, known_int, leaf, substitute, sym

if TYPE_CHECKING:
    from ..layouts import AnyLayout


def read_block(spec: Any) -> AnyLayout:
    """Return the layout from a place in a block, and a step of the grid, to a coordinate of the array.

    The grid has the unknown sizes ``g0``, ``g1``, ...: a `BlockSpec` does not say them. A dim that the
    kernel does not see has size 1.

    >>> from types import SimpleNamespace
    >>> spec = SimpleNamespace(block_shape=(8, 128), index_map=lambda i, j, k: (i, k))
    >>> print(read_block(spec))
    ((8,128),(g0,g1,g2)):((_1@0,_1@1),(8@0,0,128@1))

    Raises:
        UnsupportedError: the index map is not linear in the steps of the grid, or has no layout for
            another reason.
    """
    if spec.block_shape is None or spec.index_map is None:
        raise UnsupportedError(
            "a block without a shape or an index map is the whole array, whose sizes it does not say"
        )
    sizes, units = (
        zip(*[_size(d) for d in spec.block_shape], strict=True) if spec.block_shape else ((), ())
    )
    names = [f"i{k}" for k in range(len(inspect.signature(_function(spec.index_map)).parameters))]
    found = _block_index(spec.index_map, names)
    if len(found) != len(sizes):
        raise UnsupportedError(f"the index map gives {len(found)} indices for {len(sizes)} dims")
    steps: list[Any] = [0] * len(names)
    for d, (index, unit) in enumerate(zip(found, units, strict=True)):
        for k, factor in enumerate(_factors(index, names)):
            if factor:
                steps[k] = factor * unit * E(d) + steps[k] if steps[k] else factor * unit * E(d)
    grid = tuple([sym(f"g{k}") for k in range(len(names))])
    return Layout((sizes, grid), (tuple([E(d) for d in range(len(sizes))]), tuple(steps)))


def read_grid(spec: Any) -> list[AnyLayout]:
    """Return the layouts of the inputs and then the outputs of a kernel, with the sizes of its grid."""
    sizes = {f"g{k}": n for k, n in enumerate(spec.grid)}
    blocks = [b for side in (spec.in_specs, spec.out_specs) for b in _listed(side)]
    return [layout.bind(**sizes) for layout in map(read_block, blocks)]


def _listed(side: Any) -> list[Any]:
    if not isinstance(side, (list, tuple)):
        return [side]
    parts: tuple[Any, ...] = (*side,)  # pyright: ignore[reportUnknownVariableType]
    return [block for part in parts for block in _listed(part)]


def _function(index_map: Any) -> Any:
    return getattr(index_map, "index_map", index_map)


def _size(dim: Any) -> tuple[int, int]:
    """The size of a block along a dim, and how far one step of its index goes."""
    if isinstance(dim, int):
        return dim, dim
    kind = type(dim).__name__
    if dim is None or kind == "Squeezed":
        return 1, 1
    if kind == "Blocked":
        return dim.block_size, dim.block_size
    if kind == "Element" and not any(dim.padding):
        return dim.block_size, 1  # indexed by elements
    raise UnsupportedError(f"{dim} in the shape of a block has no layout")


def _block_index(index_map: Any, names: list[str]) -> tuple[Any, ...]:
    try:
        found = index_map(*[sym(name, min=0) for name in names])
    except Exception as error:
        raise UnsupportedError(f"the index map of the block is no arithmetic of ints: {error}") from None
    parts: tuple[Any, ...] = (*found,) if isinstance(found, (tuple, list)) else (found,)  # pyright: ignore[reportUnknownVariableType]
    return parts


def _factors(index: Any, names: list[str]) -> list[int]:
    """The factors of a linear index, by the steps of the grid."""
    zero = dict.fromkeys(names, 0)
    first, *others = [substitute(index, zero | at) for at in ({}, *({name: 1} for name in names))]
    linear: Any = sum((c * sym(name, min=0) for c, name in zip(others, names, strict=True)), start=0)
    if first != 0 or known_eq(index, linear) is not True:
        raise UnsupportedError(
            f"the index map gives the block {index}, which is no sum of multiples of the grid's steps",
            "A layout starts at 0, and each step of the grid adds the same.",
        )
    return [known_int(leaf(c)) for c in others]
