# SPDX-License-Identifier: Apache-2.0
"""The VMEM that a Pallas kernel takes: its blocks, their buffers and its scratch.

>>> from ..xla_bridge import parse_array
>>> tall = KernelBlock(parse_array("f32[16384,640,4]"), (16, 640, 4))
>>> report = block_report([tall, tall])
>>> report.blocks[0].data_bytes, report.blocks[0].padded_bytes, report.bytes, report.verdict
(163840, 5242880, 20971520, 'out of memory')
>>> report.nearest
(8, 640, 4)

A block in VMEM has rows of 128 elements, and tiles of up to 8 rows of 32-bit words. While the kernel
works on one block, the next one arrives. So each operand has two buffers, except one whose block never
changes.

Source: kernels compiled by libtpu 0.0.42.1. The rule meets their ``used_scoped_memory_configs``, except
where the body needs memory of its own, as a matrix product or a softmax does: from 4 KiB to 5 MiB were
seen. So `BlockReport.bytes` is a lower bound. jax's own rules of blocks are those of jax 0.10.2,
``jax/_src/pallas/mosaic/lowering.py``.
"""

from __future__ import annotations

from math import isqrt, prod
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from ..errors import LayoutError, UnsupportedError
from ..ground import guarded
from ..numbers import round_up
from ..xla_bridge import XlaShape, chip_named, tilings_of_order
from .sizes import printed_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..xla_bridge import Chip

__all__ = ["BlockBytes", "BlockReport", "KernelBlock", "block_report"]

_LANES: Final = 128
_SUBLANES: Final = 8
_WORD: Final = 32
_UNIT: Final = 1024
"""The buffers of an operand are rounded up to so many bytes."""

_LIMIT: Final = 16 << 20
_OTHER_LIMITS: Final = {"v6e": 32 << 20, "tpu7x": 32 << 20}

Space = Literal["vmem", "smem", "any"]


class KernelBlock(NamedTuple):
    """An operand or result of a Pallas kernel, and the block of it that one step works on.

    >>> from tla.memory import KernelBlock
    >>> from tla.xla_bridge import parse_array
    >>> KernelBlock(parse_array("f32[4,512,256]"), (None, 64, 256)).dims
    (1, 64, 256)
    """

    shape: XlaShape
    """The whole array; its layout does not matter."""
    block: tuple[int | None, ...] | None = None
    """The block, where None is a squeezed dim; None for the whole array."""
    buffers: int | None = None
    """The number of buffers, as ``pl.Buffered(n)`` sets it. By default 2, or 1 if there is one block. An
    index map that depends on no grid axis longer than 1 has 1 too: give it."""
    space: Space = "vmem"
    """The memory space of the block. Only blocks in VMEM count."""
    is_resident: bool = False
    """Whether the compiler has put the whole array into VMEM, ``S(1)`` in the module. Then it takes no
    scoped memory."""

    @property
    def dims(self) -> tuple[int, ...]:
        """The dims of the block; a squeezed one is 1."""
        dims = self.shape.dimensions
        return dims if self.block is None else tuple(1 if n is None else n for n in self.block)


class BlockBytes(NamedTuple):
    """The bytes of a block in VMEM.

    >>> from tla.memory import KernelBlock, block_report
    >>> from tla.xla_bridge import parse_array
    >>> (block,) = block_report([KernelBlock(parse_array("bf16[512,200]"), (16, 200))]).blocks
    >>> block.dims, block.padded_dims, block.data_bytes, block.padded_bytes, block.buffers, block.bytes
    ((16, 200), (16, 256), 6400, 8192, 2, 16384)
    """

    dims: tuple[int, ...]
    padded_dims: tuple[int, ...]
    data_bytes: int
    padded_bytes: int
    """The bytes of one buffer."""
    buffers: int
    bytes: int
    """The bytes of all buffers; 0 outside VMEM, and for an array that lies in VMEM as a whole."""
    problem: str
    """Why the kernel is refused; empty if this block is accepted."""


class BlockReport(NamedTuple):
    """The VMEM of a kernel, and whether it fits.

    >>> from tla.memory import KernelBlock, block_report
    >>> from tla.xla_bridge import parse_array
    >>> report = block_report([KernelBlock(parse_array("s8[64,4096]"), (8, 1024))])
    >>> report.verdict, report.reason
    ('refused', "block 8 of dim 0 is neither a multiple of the tiles' 32 rows nor the whole 64")
    >>> report.nearest
    (32, 1024)
    """

    chip: str
    blocks: tuple[BlockBytes, ...]
    scratch_bytes: int
    bytes: int
    """The scoped VMEM: blocks and scratch. The body may need more."""
    limit_bytes: int
    verdict: Literal["fits", "out of memory", "refused"]
    reason: str
    """The rule that is broken, with its numbers; empty if the kernel fits."""
    nearest: tuple[int, ...] | None
    """A block that fits, in place of the largest one and of all that are equal to it: it divides the
    array evenly, and its first dims shrink first. None if the present one fits, or if none does."""


@guarded
def block_report(
    blocks: Iterable[KernelBlock],
    chip: str | Chip = "v5e",
    scratch: Iterable[XlaShape] = (),
    limit: int | None = None,
) -> BlockReport:
    """Return the VMEM that a Pallas kernel takes, and whether the compiler accepts it.

    >>> from tla.xla_bridge import parse_array
    >>> x = KernelBlock(parse_array("bf16[2048,2048]"), (512, 512))
    >>> report = block_report([x, x, x], scratch=[parse_array("f32[512,512]")])
    >>> report.bytes, report.limit_bytes, report.verdict
    (4194304, 16777216, 'fits')

    Args:
        blocks: The operands and results.
        chip: The chip.
        scratch: The shapes of scratch in VMEM.
        limit: The limit in bytes, as ``vmem_limit_bytes`` of the compiler's parameters. By default it is
            32 MiB on v6e and tpu7x, and 16 MiB elsewhere.

    Raises:
        LayoutError: a block has another rank than its array, or a dim below 1.
        UnsupportedError: a dim is unknown, or there is no such chip.
    """
    chip = chip_named(chip)
    blocks = list(blocks)
    for each in blocks:
        _check(each)
    room = _OTHER_LIMITS.get(chip.name, _LIMIT) if limit is None else limit
    extra = sum(_padded_bytes(shape, shape.dimensions) for shape in scratch)
    report = _report(blocks, chip, extra, room)
    if report.verdict == "fits":
        return report
    return report._replace(nearest=_nearest(blocks, chip, extra, room))


def _check(block: KernelBlock) -> None:
    shape = block.shape
    if not shape.is_static or shape.element_type.bits is None:
        raise UnsupportedError(f"{shape} has no known size: blocks of it cannot be counted")
    if len(block.dims) != shape.rank or any(n < 1 for n in block.dims):
        text = "x".join(str(n) for n in block.dims)
        raise LayoutError(
            f"block {text} does not fit {shape}",
            f"Give {shape.rank} dims, each at least 1.",
            block=block.dims,
        )


def _report(blocks: Sequence[KernelBlock], chip: Chip, extra: int, room: int) -> BlockReport:
    counted = tuple(_bytes(each, chip) for each in blocks)
    total = extra + sum(each.bytes for each in counted)
    problem = next((each.problem for each in counted if each.problem), "")
    largest = max((each.bytes for each in counted), default=0)
    if not problem and largest > chip.vmem_bytes:
        reason = f"one block needs {printed_bytes(largest)}, and the VMEM of a {chip.name} has"
        reason += f" {printed_bytes(chip.vmem_bytes)}"
    elif not problem and total > room:
        reason = f"{printed_bytes(total)} are more than the limit of {printed_bytes(room)}"
    else:
        reason = problem
    verdict: Literal["fits", "out of memory", "refused"] = (
        "refused" if problem else "out of memory" if reason else "fits"
    )
    return BlockReport(chip.name, counted, extra, total, room, verdict, reason, None)


def _bytes(block: KernelBlock, chip: Chip) -> BlockBytes:
    shape, dims = block.shape, block.dims
    buffers = block.buffers or (1 if dims == shape.dimensions else 2)
    padded = _padded_bytes(shape, dims)
    counts = block.space == "vmem" and not block.is_resident
    data = prod(dims) * _bits(shape) // 8
    total = round_up(buffers * padded, _UNIT) if counts else 0
    return BlockBytes(
        dims, _padded_dims(shape, dims), data, padded, buffers, total, _problem(block, buffers, chip)
    )


def _bits(shape: XlaShape) -> int:
    """The bits of an element in VMEM: a truth value takes a word."""
    return _WORD if shape.element_type.name == "pred" else shape.element_type.bits or 0


def _padded_dims(shape: XlaShape, dims: Sequence[int]) -> tuple[int, ...]:
    packing = max(1, _WORD // _bits(shape))
    if len(dims) < 2:
        return tuple(round_up(n, _LANES * packing) for n in dims)
    rows = packing
    while rows < min(dims[-2], _SUBLANES):
        rows *= 2
    return (*dims[:-2], round_up(dims[-2], rows), round_up(dims[-1], _LANES))


def _padded_bytes(shape: XlaShape, dims: Sequence[int]) -> int:
    return prod(_padded_dims(shape, dims)) * _bits(shape) // 8


# --- what is refused --------------------------------------------------------------------------


def _problem(block: KernelBlock, buffers: int, chip: Chip) -> str:
    if block.space != "vmem" or block.block is None:
        return ""
    if buffers > 2:
        return f"{buffers} buffers: the compiler has one or two"
    dims, whole = block.dims, block.shape.dimensions
    if not dims:
        return "a scalar has no blocks"
    if len(dims) == 1:
        return _problem_of_line(block.shape, dims[0], whole[0])
    steps = _steps(block.shape, chip)
    for at, (step, what) in enumerate(zip(steps, ("{} rows", "{} lanes"), strict=True), -2):
        if dims[at] != whole[at] and dims[at] % step:
            dim = len(dims) + at
            unit = what.format(step)
            return (
                f"block {dims[at]} of dim {dim} is neither a multiple of the tiles' {unit}"
                f" nor the whole {whole[at]}"
            )
    return ""


def _problem_of_line(shape: XlaShape, n: int, whole: int) -> str:
    least, chunk = _LANES * max(1, _WORD // _bits(shape)), _LANES * _SUBLANES
    if n == whole or n % chunk == 0 or (n >= least and n & (n - 1) == 0):
        return ""
    return (
        f"block {n} of a vector is neither the whole {whole}, nor a multiple of {chunk},"
        f" nor a power of two of at least {least}"
    )


def _steps(shape: XlaShape, chip: Chip) -> tuple[int, int]:
    """The rows and lanes of which a block of a matrix is a multiple, unless it has all of them."""
    word = XlaShape("s32", shape.dimensions) if shape.element_type.name == "pred" else shape
    order = range(shape.rank)[::-1]
    try:
        rows = tilings_of_order(word, tuple(order), chip)[0][0][0]
    except UnsupportedError:
        rows = _SUBLANES
    return max(_SUBLANES, int(rows)), _LANES


# --- what would fit ---------------------------------------------------------------------------


def _nearest(blocks: Sequence[KernelBlock], chip: Chip, extra: int, room: int) -> tuple[int, ...] | None:
    """The first block that fits in place of the worst one and its equals, as its dims shrink in turn."""
    if not blocks:
        return None
    counted = [_bytes(each, chip) for each in blocks]
    worst = max(
        zip(counted, blocks, strict=True), key=lambda pair: (bool(pair[0].problem), pair[0].bytes)
    )[1]
    block = list(worst.dims)
    sizes = [_sizes(worst.shape, dim, chip) for dim in range(worst.shape.rank)]
    for dim, choices in enumerate(sizes):
        block[dim] = max((n for n in choices if n <= block[dim]), default=choices[0])
    for dim, choices in enumerate(sizes):
        for n in [n for n in choices if n <= block[dim]][::-1]:
            block[dim] = n
            tried = [
                each._replace(block=tuple(block), buffers=min(each.buffers or 2, 2))
                if each.dims == worst.dims and each.shape.rank == worst.shape.rank
                else each
                for each in blocks
            ]
            if _report(tried, chip, extra, room).verdict == "fits":
                return tuple(block)
    return None


def _sizes(shape: XlaShape, dim: int, chip: Chip) -> list[int]:
    """The sizes of a dim of a block that are accepted and divide the array, the smallest first."""
    whole = shape.dimensions[dim]
    if shape.rank == 1:
        return [n for n in _divisors(whole) if not _problem_of_line(shape, n, whole)]
    steps = (1,) * (shape.rank - 2) + _steps(shape, chip)
    return [n for n in _divisors(whole) if n == whole or n % steps[dim] == 0]


def _divisors(n: int) -> list[int]:
    small = [d for d in range(1, isqrt(n) + 1) if n % d == 0]
    return sorted({*small, *(n // d for d in small)})
