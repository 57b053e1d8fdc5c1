# SPDX-License-Identifier: Apache-2.0
"""The bytes of a machine: global tensors and every core's buffers, and the steps that change them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ...errors import LayoutError
from ...ground import limit_error, limit_of
from .lazy_numpy import np
from .numbers import code_of, decoded, encoded, size_of
from .programs import ATOMICS

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from numpy.typing import NDArray

    from .programs import Operation, Program
    from .works import Step

    Memory = tuple[str, str]

UNWRITTEN: Final = 0xFF
"""What a buffer holds before it is written: a float that is no number, an int of -1."""
_SHOWN: Final = 4
"""How many ranges of bytes are named."""


class Unwritten(NamedTuple):
    """The bytes of a tensor that no instruction writes, where others of it are written.

    >>> print(Unwritten(((512, 1024), (2048, 4096)), 512, "rows"))
    rows 1, 4 to 7
    """

    bytes: tuple[tuple[int, int], ...]
    """The first byte of each range, and the first behind it."""
    unit: int = 1
    word: str = "bytes"
    """What the ranges are counted in, and its bytes."""

    def __str__(self) -> str:
        ranges = [(low // self.unit, high // self.unit - 1) for low, high in self.bytes]
        words = [f"{a} to {b}" if a < b else str(a) for a, b in ranges[:_SHOWN]]
        more = f" and {len(ranges) - _SHOWN} other ranges" if len(ranges) > _SHOWN else ""
        return f"{self.word} {', '.join(words)}{more}"


def unwritten(program: Program, ran: Collection[int], name: str, array: NDArray[Any]) -> Unwritten:
    """Return which bytes of a global tensor no instruction that ran writes; of a matrix, which rows."""
    missing = np.ones(array.nbytes + 1, bool)
    missing[-1] = False
    for number in ran:
        op = program.operations[number]
        for operand, box in op.work.writes:
            written = op.instruction.operands[operand]
            low, high = written.address + box.ends[0], written.address + box.ends[1]
            if written.memory == ("GM", name) and low >= 0 and high <= array.nbytes:
                box.bytes_view(missing, written.address)[...] = False
    edges = np.flatnonzero(np.diff(missing, prepend=False)).tolist()
    ranges = tuple(zip(edges[::2], edges[1::2], strict=True))
    if array.ndim == 2:
        axis, word = (0, "rows") if array.flags.c_contiguous else (1, "columns")
        unit = array.nbytes // array.shape[axis]
        if not any(byte % unit for byte in edges):
            return Unwritten(ranges, unit, word)
    return Unwritten(ranges)


class Memories:
    """Every memory that a program touches, as bytes.

    A tensor of global memory that is not given is zero; a buffer has bytes that no kernel may use.
    """

    def __init__(self, program: Program, tensors: Mapping[str, Any] | None = None) -> None:
        self.bytes: dict[Memory, NDArray[np.uint8]] = {}
        self.origins: dict[Memory, int] = {}
        """Where byte 0 of each memory is in its array; bytes before it are touched by mistake."""
        self.given: dict[str, NDArray[Any]] = {
            name: np.asarray(x) for name, x in (tensors or {}).items()
        }
        for name, array in self.given.items():
            if array.dtype.hasobject:
                raise LayoutError(
                    f"tensor {name!r} has no bytes: its elements are Python objects", name=name
                )
        most = limit_of("offsets")
        for memory, (low, high) in program.memories.items():
            space, owner = memory
            if high - low > most:
                what = f"the kernel touches {high - low} bytes of {owner if space == 'GM' else space}"
                raise limit_error("offsets", what, f"At most {most} are kept.", needed=high - low)
            if space == "GM":
                known = self.given.get(owner)
                content = b"" if known is None else known.tobytes()
                array = np.zeros(max(high, len(content)) - low, np.uint8)
                array[-low : len(content) - low] = np.frombuffer(content, np.uint8)
            else:
                array = np.full(max(high, 1) - low, UNWRITTEN, np.uint8)
            self.bytes[memory], self.origins[memory] = array, -low

    def run(self, op: Operation) -> None:
        """Perform the steps of an instruction."""
        for step in op.work.steps:
            self._step(step, op)

    def _step(self, step: Step, op: Operation) -> None:
        operands = op.instruction.operands
        compute, out = step.compute, step.out
        if compute is None:
            written = operands[out.operand]
            target = self._items(out.operand, out.box, f"V{out.box.item}", op)
            if not step.ins:
                target[...] = np.zeros((), target.dtype)
            elif op.atomic and written.space == "GM":
                ref = step.ins[0]
                size = size_of(written.dtype)
                values = self._items(ref.operand, ref.box.split(size), code_of(written.dtype), op)
                self._store(
                    out.box.split(size), out.operand, written.dtype, decoded(values, written.dtype), op
                )
            else:
                ref = step.ins[0]
                target[...] = self._items(ref.operand, ref.box, target.dtype, op)
            return
        ins: list[Any] = []
        for ref in step.ins:
            dtype = ref.dtype or operands[ref.operand].dtype
            ins.append(decoded(self._items(ref.operand, ref.box, code_of(dtype), op), dtype))
        with np.errstate(all="ignore"):
            values = compute(*ins)
            if out.operand:
                self._store(out.box, out.operand, out.dtype or operands[out.operand].dtype, values, op)

    def _store(self, box: Any, name: str, dtype: str, values: Any, op: Operation) -> None:
        operand = op.instruction.operands[name]
        target = self._items(name, box, code_of(dtype), op)
        if op.atomic and operand.space == "GM":
            values = getattr(np, ATOMICS[op.atomic.op])(decoded(target, dtype), values)
        stored = encoded(values, dtype)
        target[...] = stored.reshape(target.shape) if stored.size == target.size else stored

    def _items(self, name: str, box: Any, dtype: Any, op: Operation) -> NDArray[Any]:
        operand = op.instruction.operands[name]
        memory = operand.space, operand.owner
        return box.view(self.bytes[memory], self.origins[memory] + operand.address, dtype)  # type: ignore[no-any-return]

    def tensors(self) -> dict[str, NDArray[Any]]:
        """Return the global tensors: given ones in their types and shapes, others as bytes."""
        found: dict[str, NDArray[Any]] = {}
        for (space, owner), array in self.bytes.items():
            if space == "GM":
                content = array[self.origins[space, owner] :]
                known = self.given.get(owner)
                if known is not None:
                    content = content[: known.nbytes].copy().view(known.dtype).reshape(known.shape)
                found[owner] = content
        for name, known in self.given.items():
            found.setdefault(name, known)
        return found
