# SPDX-License-Identifier: Apache-2.0
"""The VMEM of the blocks of a Pallas kernel, from its ``pl.BlockSpec``."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from ..errors import ArgumentError, UnsupportedError
from ..layouts import leaves
from ..memory import KernelBlock, block_report
from ..numbers import known_eq
from ..objects import read_block, read_jax
from .formats import known_dtype

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..memory import BlockReport
    from ..xla_bridge import Chip, XlaShape

Space: TypeAlias = Literal["vmem", "smem", "any"]

_SPACES: Final[dict[str, Space]] = {
    "vmem": "vmem", "smem": "smem", "any": "any", "hbm": "any", "semaphore_mem": "smem",
}  # fmt: skip


def block_spec_report(
    specs: Sequence[Any],
    arrays: Sequence[Any],
    grid: int | Sequence[int] = (),
    scratch: Iterable[Any] = (),
    chip: str | Chip = "v5e",
    limit: int | None = None,
) -> BlockReport:
    """Return the VMEM that a Pallas kernel takes, and whether the TPU compiler accepts it.

    >>> from types import SimpleNamespace
    >>> spec = SimpleNamespace(block_shape=(16, 640, 4), index_map=lambda i: (i, 0, 0))
    >>> array = SimpleNamespace(shape=(16384, 640, 4), dtype="f32")
    >>> found = block_spec_report([spec, spec], [array, array], grid=(1024,))
    >>> found.bytes, found.verdict, found.nearest
    (20971520, 'out of memory', (8, 640, 4))

    It is `tla.memory.block_report` with what the specs say: an operand has one buffer if its index map
    depends on no axis of the grid longer than 1, as many as ``pl.Buffered(n)`` says, or else two.

    Args:
        specs: The ``pl.BlockSpec`` of each operand, then of each result.
        arrays: The operands and results: arrays, or ``jax.ShapeDtypeStruct``.
        grid: The grid of the kernel.
        scratch: Its scratch, as ``pltpu.VMEM((512, 512), jnp.float32)``; only VMEM counts.
        chip: The chip.
        limit: The limit in bytes, as ``vmem_limit_bytes``; by default that of the chip.

    Raises:
        ArgumentError: there are not as many arrays as specs.
        LayoutError: a block has another rank than its array, or a dim below 1.
        UnsupportedError: a dim is unknown, or there is no such chip.
    """
    specs, arrays = list(specs), list(arrays)
    if len(specs) != len(arrays):
        what = f"{len(specs)} specs for {len(arrays)} arrays"
        raise ArgumentError(what, "Give one spec for each operand, then for each result.")
    steps = (grid,) if isinstance(grid, int) else tuple(grid)
    blocks = [_block(spec, _shape(array), steps) for spec, array in zip(specs, arrays, strict=True)]
    in_vmem = [_shape(each) for each in scratch if _space(each) == "vmem"]
    return block_report(blocks, chip, in_vmem, limit)


def _shape(array: Any) -> XlaShape:
    return read_jax(SimpleNamespace(shape=tuple(array.shape), dtype=known_dtype(array.dtype)))


def _space(spec: Any) -> Space:
    """The memory space of a block or scratch, from jax's name for it."""
    found = getattr(spec, "memory_space", None)
    name = str(getattr(found, "value", found)).lower()
    return "vmem" if found is None else _SPACES.get(name, "any")


def _block(spec: Any, shape: XlaShape, grid: tuple[int, ...]) -> KernelBlock:
    if spec is None:
        return KernelBlock(shape)
    dims = None if spec.block_shape is None else tuple(_size(dim) for dim in spec.block_shape)
    mode = getattr(spec, "pipeline_mode", None)
    buffers = getattr(mode, "buffer_count", None)
    if buffers is None and dims is not None and not _moves(spec, grid):
        buffers = 1
    return KernelBlock(shape, dims, buffers, _space(spec))


def _size(dim: Any) -> int | None:
    """The size of a block along a dim; None for a squeezed one."""
    if dim is None or isinstance(dim, int):
        return dim
    return getattr(dim, "block_size", None)


def _moves(spec: Any, grid: tuple[int, ...]) -> bool:
    """Whether the block depends on an axis of the grid that has more than one step."""
    if spec.index_map is None:
        return False
    try:
        layout = read_block(spec)
    except UnsupportedError:
        return True  # it is no sum of multiples of the steps
    steps = tuple(leaves(layout.stride[1]))
    return any(known_eq(step, 0) is not True for step, n in zip(steps, grid, strict=False) if n > 1)
