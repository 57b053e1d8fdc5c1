# SPDX-License-Identifier: Apache-2.0
"""What a kernel says to a vector core: copies between global memory and UB, and vector instructions.

Each vector instruction has two forms: of ``count`` elements that follow one another, and of repeats of
256 bytes, with a mask and strides.

>>> from tla.ascend.kernels import Context
>>> ctx = Context("AtlasA2", "AIV0", 1)
>>> x, y = ctx.alloc("UB", "float", (64, 64), 2)
>>> ctx.add(y, x, y, 4096)
>>> ctx.muls(y, x, 0.5, mask=64, repeat=8)
>>> add, muls = ctx.instructions
>>> add.params
{'count': 4096, 'isSetMask': True}
>>> muls.params["scalar"], muls.params["repeat"], muls.params["dstRepStride"]
(0.5, 8, 8)
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from ...errors import ArgumentError, DivisibilityError, LayoutError
from ...ground import did_you_mean, near_words
from ...layouts import flatten_to_tuple, is_tensor
from .issuing import ScalarUnit
from .numbers import require_round_mode
from .places import require_one_type, require_route, store_of
from .vectors import ELEMENTWISE, WITH_SCALAR

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .places import KernelTensor

    Mask = int | Sequence[int]

_BLOCK: Final = 32
_WORDS: Final = {re.sub("(?<!^)(?=[A-Z])", "_", op).lower(): op for op in ELEMENTWISE}
"""The lane by lane instructions by their names in Python."""
_MIXED: Final = ("Cast", "Axpy", "MulAddDst")
"""The instructions whose operands may have several types."""
_PAD: Final = {"isPad": False, "leftPadding": 0, "rightPadding": 0, "paddingValue": 0}


class VectorWords(ScalarUnit):
    """Copies and vector instructions of one core."""

    # --- copies

    def copy_gm_to_ub(self, dst: KernelTensor, src: KernelTensor) -> None:
        """Copy rows of global memory to UB. CATLASS's ``CopyGm2Ub``, a DataCopyPad.

        >>> from tla import Tensor, row_major
        >>> from tla.ascend import element
        >>> from tla.ascend.kernels import Context, Store
        >>> x = Tensor(Store("GM", "X", element("half")), row_major(10, 300))
        >>> ctx = Context("AtlasA2", "AIV0", 1)
        >>> ctx.copy_gm_to_ub(ctx.alloc("UB", x, (10, 320)), x)
        >>> ctx.instructions[0].params["blockLen"], ctx.instructions[0].params["dstStride"]
        (600, 1)

        Raises:
            LayoutError: the tiles are no rows, or the source is larger.
            DivisibilityError: a row of UB does not start at a multiple of 32 bytes.
        """
        require_route("GM->UB", dst, src)
        require_one_type("DataCopyPad", dst, src)
        rows, length, gap = _rows(src, "source")
        room, width, apart = _rows(dst, "destination")
        if room < rows or width < length:
            raise LayoutError(
                f"rows of {length} bytes, {rows} of them, have no room in {room} of {width} bytes",
                source=src, destination=dst,
            )  # fmt: skip
        fields = {"blockCount": rows, "blockLen": length, "srcStride": gap}
        fields["dstStride"] = _blocks(dst, width + apart, length, rows)
        self.issue("DataCopyPad", "MTE2", {"dst": dst, "src": src}, form="ext", **fields, **_PAD)

    def copy_ub_to_gm(self, dst: KernelTensor, src: KernelTensor) -> None:
        """Copy rows of UB to global memory: as many as the destination has. CATLASS's ``CopyUb2Gm``."""
        require_route("UB->GM", dst, src)
        require_one_type("DataCopyPad", dst, src)
        rows, length, gap = _rows(dst, "destination")
        room, width, apart = _rows(src, "source")
        if room < rows or width < length:
            raise LayoutError(
                f"rows of {length} bytes, {rows} of them, are more than {room} of {width} in UB",
                source=src, destination=dst,
            )  # fmt: skip
        fields = {"blockCount": rows, "blockLen": length}
        fields["srcStride"] = _blocks(src, width + apart, length, rows)
        self.issue("DataCopyPad", "MTE3", {"dst": dst, "src": src}, form="ext", **fields, dstStride=gap)

    def data_copy(self, dst: KernelTensor, src: KernelTensor, count: int) -> None:
        """Copy elements that follow one another, whole blocks. ``DataCopy(dst, src, count)``."""
        pipes = {("GM", "UB"): "MTE2", ("UB", "GM"): "MTE3", ("UB", "UB"): "V"}
        pair = store_of(src).space, store_of(dst).space
        require_one_type("DataCopy", dst, src)
        if pair not in pipes:
            raise ArgumentError(f"DataCopy of a count moves nothing from {pair[0]} to {pair[1]}")
        self.issue("DataCopy", pipes[pair], {"dst": dst, "src": src}, form="count", count=count)

    # --- masks

    def set_vector_mask(self, high: int, low: int) -> None:
        """Choose the lanes of later instructions that say no mask. ``SetVectorMask(high, low)``."""
        self.issue("SetVectorMask", "V", mode="NORMAL", maskHigh=high, maskLow=low)

    def reset_mask(self) -> None:
        """Choose all lanes. ``ResetMask()``."""
        self.issue("ResetMask", "V")

    # --- instructions

    def vector(
        self, op: str, operands: dict[str, KernelTensor], count: int | None = None,
        mask: Mask | None = None, repeat: int = 1, **params: Any,
    ) -> None:  # fmt: skip
        """Issue a vector instruction by its AscendC name.

        Args:
            count: How many elements; without it the instruction has repeats.
            mask: The lanes of each repeat: how many, or a pair of 64 bits, low first; without it those
                of `set_vector_mask`.
            params: Scalars and strides by their AscendC names; strides are 1 and 8 blocks by default.
        """
        if op not in _MIXED:
            require_one_type(op, *operands.values())
        if count is not None:
            fields: dict[str, Any] = {"count": count, "isSetMask": True}
        else:
            names = {"dst": "dst", "src": "src0" if "src1" in operands else "src", "src1": "src1"}
            fields = {
                "mask": 0 if mask is None else mask,
                "repeat": repeat,
                "isSetMask": mask is not None,
            }
            widest = max([store_of(x).element.bits for x in operands.values()])
            for name, x in operands.items():
                fields[f"{names[name]}BlkStride"] = 1
                fields[f"{names[name]}RepStride"] = 8 * store_of(x).element.bits // widest
        self.issue(op, "V", operands, **{**fields, **params})

    def cast(
        self, dst: KernelTensor, src: KernelTensor, round_mode: str = "CAST_NONE",
        count: int | None = None, **lanes: Any,
    ) -> None:  # fmt: skip
        """Convert elements. ``Cast(dst, src, RoundMode::CAST_NONE, count)``.

        Raises:
            UnsupportedError: there is no such rounding mode.
        """
        require_round_mode(round_mode)
        self.vector("Cast", {"dst": dst, "src": src}, count, roundMode=round_mode, **lanes)

    def duplicate(
        self, dst: KernelTensor, scalar: float, count: int | None = None, **lanes: Any
    ) -> None:
        """Fill with a scalar. ``Duplicate(dst, scalar, count)``."""
        self.vector("Duplicate", {"dst": dst}, count, scalar=scalar, **lanes)

    def brcb(
        self, dst: KernelTensor, src: KernelTensor, repeat: int, block: int = 1, step: int = 8
    ) -> None:
        """Fill a block with each of 8 elements of a repeat. ``Brcb(dst, src, repeat, params)``."""
        strides = {"dstBlkStride": block, "dstRepStride": step}
        self.issue("Brcb", "V", {"dst": dst, "src": src}, repeat=repeat, **strides)

    def __getattr__(self, name: str) -> Callable[..., None]:
        """The lane by lane instruction of AscendC's name in small letters: ``ctx.mul_add_dst``.

        It takes the destination, one source or two, a scalar where there is one, and the count or the
        ``mask``, ``repeat`` and strides.
        """
        op = _WORDS.get(name)
        if op is None:
            near = did_you_mean(near_words(name, [*_WORDS, *dir(type(self))]), _WORDS)
            raise AttributeError(f"a core has no word {name!r}. {near or ''}".rstrip())
        return lambda *given, **lanes: self._lanes(op, given, lanes)

    def _lanes(self, op: str, given: tuple[Any, ...], lanes: dict[str, Any]) -> None:
        tensors: list[Any] = [x for x in given if is_tensor(x)]
        rest = list(given[len(tensors) :])
        if op in WITH_SCALAR and rest:
            lanes["scalar"] = rest.pop(0)
        if not 2 <= len(tensors) <= 3 or len(rest) > 1:
            raise ArgumentError(f"{op} takes a destination, one source or two, and a count")
        names = ("dst", "src", "src1")[: len(tensors)]
        self.vector(op, dict(zip(names, tensors, strict=True)), *rest, **lanes)


def _rows(tensor: KernelTensor, what: str) -> tuple[int, int, int]:
    """The rows of a tile, the bytes of each, and the bytes between them."""
    layout = tensor.layout
    shape, strides, extents = (
        tuple([int(x) for x in flatten_to_tuple(x)])
        for x in (layout.shape, layout.stride, layout.origin_shape)
    )
    size = store_of(tensor, what).element.bytes_of
    if len(shape) == 1:
        shape, strides, extents = (1, *shape), (shape[0], *strides), (1, *extents)
    if len(shape) != 2 or len(extents) != 2 or (strides[1] != 1 and extents[1] != 1):
        raise LayoutError(
            f"the {what} {layout} has no rows of elements that follow one another", layout=layout
        )
    return extents[0], size(extents[1]), size(max(strides[0] - extents[1], 0))


def _blocks(tensor: KernelTensor, pitch: int, length: int, rows: int) -> int:
    """The blocks between two rows of UB."""
    if pitch % _BLOCK:
        if rows == 1:
            return 0
        raise DivisibilityError(
            f"a row of UB takes {pitch} bytes, which is no multiple of {_BLOCK}",
            "Give the tile of UB whole blocks of 32 bytes to a row.",
            layout=tensor.layout, unit=_BLOCK,
        )  # fmt: skip
    return pitch // _BLOCK - -(-length // _BLOCK)
