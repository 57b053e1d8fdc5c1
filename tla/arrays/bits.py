# SPDX-License-Identifier: Apache-2.0
"""Elements of less than a byte, packed to bytes.

>>> import numpy as np
>>> pack_bits([1, 2, 3], 4).tobytes().hex()
'2103'
>>> unpack_bits(b"\\x21\\x03", np.uint8, bits=4, count=3)
array([1, 2, 3], dtype=uint8)

Element ``k`` has the bits from ``k * bits`` on, and bit 0 of a byte is its least: of 4 bits, element 0
is the low half of byte 0. So XLA packs for TPUs, GPUs and CPUs, and CANN for Ascend. With ``high_first``
element 0 is the top of byte 0, as XLA had it until 2023.

Source: XLA ``PackIntN``; op-plugin ``convert_to_int4_pack``, which packs 8 to an int32.
"""

from __future__ import annotations

from threading import local
from typing import TYPE_CHECKING, Any, Final

from ..errors import LayoutError
from ..ground import described, guarded, shown
from ..numbers import known_int, leaf
from .elements import as_array, bits_of, bytes_in, is_bytes, type_of
from .moving import compiled

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, DTypeLike, NDArray

_BLOCK: Final = 1 << 18
"""How many elements are packed at once: they stay in the cache."""

_kept = local()
"""Of each thread its `_scratch`."""


@guarded
def pack_bits(
    values: ArrayLike,
    bits: int | None = None,
    high_first: bool = False,
    out: NDArray[np.uint8] | None = None,
) -> NDArray[np.uint8]:
    """Return the bytes of elements of 1 to 8 bits: element ``k`` has those from ``k * bits`` on.

    >>> pack_bits([1, -1, 7, -8, 2], 4), pack_bits([1, 2, 3], 4, high_first=True)
    (array([241, 135,   2], dtype=uint8), array([18, 48], dtype=uint8))

    The ints ``-2**(bits - 1) .. 2**bits - 1`` fit. A negative one is its two's complement of that many
    bits, whatever type it has.

    Args:
        values: Ints, or elements of a type of ml_dtypes, in the order of memory.
        bits: The bits of an element; None for those of its type, as 4 of ml_dtypes.int4.
        high_first: Element 0 is the top of byte 0.
        out: The bytes to write, ``ceil(len(values) * bits / 8)`` or more.

    Raises:
        LayoutError: an int needs more bits, ``out`` is too short, or the type does not say its bits.
    """
    import numpy as np

    held: NDArray[Any] = np.ascontiguousarray(as_array(values)).reshape(-1)
    own = bits_of(held.dtype)
    bits = _width(bits, own, held.dtype)
    if held.dtype.kind not in "iubV" or (held.itemsize > 1 and held.dtype.kind == "V"):
        raise LayoutError(
            f"elements of {held.dtype} cannot be packed to {bits} bits: only ints can", value=held
        )
    needed = -(-len(held) * bits // 8)
    if out is not None and not _is_run_of(out, np.dtype(np.uint8)):
        raise LayoutError("out must be an array of uint8, in one piece, that can be written", value=out)
    packed = np.empty(needed, np.uint8) if out is None else out.reshape(-1)
    held = held.copy() if np.may_share_memory(held, packed) else held
    if len(packed) < needed:
        raise LayoutError(f"out has {len(packed)} bytes, and {len(held)} elements take {needed}")
    for start in range(0, len(held), _BLOCK):
        block = held[start : start + _BLOCK]
        if own not in (None, bits) and _has_sign(held.dtype):
            block = block.astype(np.int8)  # the sign in all bits
        if own is None or own > bits:
            _require_bits(block, bits)
        at = start * bits // 8
        fields = block.view(np.uint8) if held.itemsize == 1 else block.astype(np.uint8)
        _fold(fields, packed[at : at - (-len(block) * bits // 8)], bits, high_first)
    return packed if out is None else out


@guarded
def unpack_bits(
    memory: Any,
    dtype: DTypeLike,
    count: int | None = None,
    bits: int | None = None,
    high_first: bool = False,
    out: NDArray[Any] | None = None,
) -> NDArray[Any]:
    """Return the elements that `pack_bits` put into bytes.

    >>> unpack_bits(pack_bits([1, -1, 7, -8, 2], 4), "int8", 5, bits=4)
    array([ 1, -1,  7, -8,  2], dtype=int8)

    Args:
        memory: Bytes, or an array in one piece.
        dtype: A type of ml_dtypes such as int4, or int8 or uint8; in int8 the top bit is the sign.
        count: How many elements to take; None takes all that the bytes have.
        bits: The bits of an element; None for those of its type.
        high_first: Element 0 is the top of byte 0.
        out: The elements to write, ``count`` of them.

    Raises:
        LayoutError: there are too few bytes, ``out`` does not fit, or the type does not say its bits.
    """
    import numpy as np

    try:
        type_: np.dtype[Any] = np.dtype(dtype)
    except (TypeError, ValueError, SyntaxError):
        way = "Give one of ml_dtypes, as ml_dtypes.int4, or int8 or uint8 and bits."
        raise LayoutError(f"{described(dtype)} is no type of numpy", way, value=dtype) from None
    own = bits_of(type_)
    bits = _width(bits, own, type_)
    if type_.itemsize != 1:
        raise LayoutError(
            f"elements of {bits} bits unpack to a byte each, and {type_} has {type_.itemsize}"
        )
    held = _as_bytes(memory)
    count = len(held) * 8 // bits if count is None else known_int(leaf(count))
    if count < 0:
        raise LayoutError(f"count is 0 or more, not {shown(count)}", count=count)
    if len(held) * 8 < count * bits:
        needed = -(-count * bits // 8)
        what = f"{shown(count)} elements of {bits} bits take {shown(needed)} bytes"
        raise LayoutError(f"{what}, and memory has {len(held)}")
    if out is not None and (not _is_run_of(out, type_) or out.shape != (count,)):
        what = f"out must be an array of {count} elements of {type_}, in one piece, that can be written"
        raise LayoutError(what, value=out)
    made: NDArray[Any] = np.empty(count, type_) if out is None else out
    found = made.view(np.uint8)
    held = held.copy() if np.may_share_memory(held, found) else held
    for start in range(0, count, _BLOCK):
        ours = found[start : start + _BLOCK]
        at = start * bits // 8
        _unfold(ours, held[at : at - (-len(ours) * bits // 8)], bits, high_first)
        if bits < (own or 8) and _has_sign(type_):
            sign = np.uint8(1 << bits - 1)
            ours ^= sign
            ours -= sign
    return made


def _width(bits: int | None, own: int | None, dtype: np.dtype[Any]) -> int:
    wanted = own if bits is None else bits
    if wanted is None:
        raise LayoutError(f"{dtype} does not say how many bits an element has: give bits", type=dtype)
    if not 1 <= wanted <= 8:
        raise LayoutError(f"bits is 1 to 8, not {wanted}", bits=wanted)
    return wanted


def _has_sign(dtype: np.dtype[Any]) -> bool:
    return (type_of(dtype) or "")[:1] == "s"


def _is_run_of(array: Any, dtype: Any) -> bool:
    """Whether it is an array of a type, in one piece, that can be written."""
    import numpy as np

    given: Any = array
    return isinstance(array, np.ndarray) and given.dtype == dtype and bool(given.flags.carray)


def _as_bytes(memory: Any) -> NDArray[np.uint8]:
    import numpy as np

    if type(memory) in (list, tuple):
        raise LayoutError(f"memory is bytes, or an array of them, not {described(memory)}")
    held: NDArray[Any] = bytes_in(memory) if is_bytes(memory) else as_array(memory)
    return np.ascontiguousarray(held).reshape(-1).view(np.uint8)


def _require_bits(block: NDArray[Any], bits: int) -> None:
    """Raise LayoutError if an int is none of so many bits, with a sign or without."""
    raw = block if block.dtype.kind in "iu" else block.view("u1")
    low, high = int(raw.min()), int(raw.max())
    least, most = 0 if raw.dtype.kind == "u" else -1 << bits - 1, (1 << bits) - 1
    if not least <= low <= high <= most:
        wrong = low if low < least else high
        raise LayoutError(f"{wrong} does not fit in {bits} bits: {least} to {most} do", value=wrong)


def _word(bits: int) -> tuple[str, int]:
    """The unsigned int of the fields of a byte, a byte for each, and the bits of those fields."""
    fields = 8 // bits
    return f"<u{fields}", sum(((1 << bits) - 1) << 8 * i for i in range(fields))


def _fold(fields: NDArray[np.uint8], packed: NDArray[np.uint8], bits: int, high_first: bool) -> None:
    """Write the bytes of some elements that begin with a byte."""
    import numpy as np

    if 8 % bits:
        order: Any = "big" if high_first else "little"
        digits = np.unpackbits(fields[:, None], axis=1, bitorder=order)
        digits = digits[:, 8 - bits :] if high_first else digits[:, :bits]
        packed[...] = np.packbits(digits, bitorder=order)
        return
    if bits == 8:
        packed[...] = fields
        return
    short = -len(fields) % (8 // bits)
    if short:
        fields = np.concatenate([fields, np.zeros(short, np.uint8)])
    if fast := compiled():
        fast.fold(fields.ctypes.data, packed.ctypes.data, len(packed), bits, high_first)
        return
    word, mask = _word(bits)
    words, _moved = _scratch(len(packed), word)
    np.bitwise_and(fields.view(word), mask, out=words)
    top = 8 * (8 // bits - 1)  # the byte into which a product brings every field
    places = range(top, -1, -8) if high_first else range(0, top + 1, 8)
    words *= sum(1 << top + bits * i - at for i, at in enumerate(places))
    np.right_shift(words, top, out=packed, casting="unsafe")


def _scratch(count: int, word: str) -> NDArray[Any]:
    """Two rows of words; they are kept, since fresh memory takes longer than what is done in it."""
    import numpy as np

    size = count * int(word[2:])
    kept: NDArray[np.uint8] | None = getattr(_kept, "rows", None)
    if kept is None or kept.shape[1] < size:
        kept = _kept.rows = np.empty((2, max(size, _BLOCK)), np.uint8)
    return kept[:, :size].view(word)


def _unfold(found: NDArray[np.uint8], packed: NDArray[np.uint8], bits: int, high_first: bool) -> None:
    """Write the elements of some bytes, a byte for each."""
    import numpy as np

    count = len(found)
    if 8 % bits:
        order: Any = "big" if high_first else "little"
        digits = np.unpackbits(packed, count=count * bits, bitorder=order).reshape(count, bits)
        fields = np.packbits(digits, axis=1, bitorder=order).reshape(count)
        found[...] = fields >> (8 - bits) if high_first else fields
        return
    if bits == 8:
        found[...] = packed[:count]
        return
    if fast := compiled():
        whole = found if count * bits == 8 * len(packed) else np.empty(len(packed) * 8 // bits, np.uint8)
        fast.unfold(packed.ctypes.data, whole.ctypes.data, len(packed), bits, high_first)
        if whole is not found:
            found[...] = whole[:count]
        return
    word, mask = _word(bits)
    words, moved = _scratch(len(packed), word)
    words[...] = packed
    for step in {4: (4,), 2: (12, 6), 1: (28, 14, 7)}[bits]:
        np.left_shift(words, step, out=moved)
        words |= moved
    words &= mask
    if high_first:
        words.byteswap(inplace=True)
    found[...] = words.view(np.uint8)[:count]
