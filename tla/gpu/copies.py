# SPDX-License-Identifier: Apache-2.0
"""Copy atoms: which bits each thread of a copy instruction reads, and which it gets.

The layouts of an atom take (thread, bit of the thread) to a bit of the whole. The thread that holds a
bit in ``dst`` gets it from where ``src`` has the same bit.

>>> atom = copy_atoms["SM75_U32x4_LDSM_N"]
>>> print(atom)
SM75_U32x4_LDSM_N
  thr  _32:_1
  src  (_32,_128):(_128,_1)
  dst  (_32,(_32,_4)):(_32,(_1,_1024))
  ref  dst

Source: CUTLASS 7107b055, ``cute/atom/copy_traits*.hpp``; PTX ISA, "Data Movement and Conversion".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from .catalogue import Catalogue, Family
from .fields import BITS, Modes, static

if TYPE_CHECKING:
    from ..layouts import AnyLayout


class CopyAtom(NamedTuple):
    """A copy instruction: the layouts of its threads and of their bits.

    >>> copy_atoms["SM80_CP_ASYNC_CACHEGLOBAL<cute::uint128_t>"].src.size
    _128

    Attributes:
        name: CuTe's name, without blanks.
        thr: From the threads of the atom to the threads of the warp, or to the blocks of a cluster.
        src, dst: From (thread, bit) to the bit of the whole, at the source and at the destination.
        ref: The one of the two by which a tile is counted.
        source: Where the facts are from.
    """

    name: str
    thr: AnyLayout
    src: AnyLayout
    dst: AnyLayout
    ref: AnyLayout
    source: str

    def __str__(self) -> str:
        ref = "src" if self.ref == self.src else "dst"
        rows = [f"  {field}  {getattr(self, field)}" for field in ("thr", "src", "dst")]
        return "\n".join([self.name, *rows, f"  ref  {ref}"])


def _copy(threads: int, src: AnyLayout, dst: AnyLayout, ref: AnyLayout) -> dict[str, Any]:
    return {"thr": static([(threads, 1)]), "src": src, "dst": dst, "ref": ref}


def _own(name: str, bits: int = 0, s: str = "", d: str = "") -> dict[str, Any]:
    """A thread moves its own bits; a copy into two blocks has two threads."""
    size, threads = bits or BITS[s], 2 if "_2SM_" in name else 1
    src = static([(threads, size)], [(size, 1)])
    return _copy(threads, src, static([], [(BITS[d], 1)]) if d else src, src)


def _matrices(name: str, n: int, kind: str) -> dict[str, Any]:
    """``ldmatrix`` and ``stmatrix``: a thread points to 128 bits, one of 8 rows of a matrix."""
    number = n // {"N": 1, "T": 2, "T8": 4}[kind]
    registers = {
        "N": static([(32, 32)], [(32, 1), (number, 1024)]),
        "T": static([(4, 256), (8, 16)], [(16, 1), (2, 128), (number, 1024)]),
        "T8": static([(4, 256), (8, 8)], [(8, 1), (2, 128), (2, 64), (number, 1024)]),
    }[kind]
    if kind == "T8" and "LDSM" in name:  # the rows of two matrices take turns
        rows = [(2, 128), (2, 1024), (4, 256), (2, 2048 * (number // 4))]
    else:
        rows = [(8 * number, 128), (4 // number, 0)]
    memory = static(rows, [(128, 1)])
    src, dst = (registers, memory) if "STSM" in name else (memory, registers)
    return _copy(32, src, dst, registers)


def _bytes(name: str, n: int) -> dict[str, Any]:
    return _matrices(name, n, "T8")


def _tensor_memory(name: str, w: str, n: int) -> dict[str, Any]:
    """A warp moves 16 or 32 lanes of tensor memory: ``w`` bits of each, ``n`` times side by side."""
    lanes, width = map(int, w.split("dp"))
    row = n * (64 if w == "16dp32" else width)
    pieces: dict[str, tuple[Modes, Modes]] = {
        "16dp256": ([(4, 64), (8, row)], [(64, 1), (2, 8 * row), (n, 256)]),
        "16dp128": ([(4, 32), (8, row)], [(32, 1), (2, 8 * row), (n, 128)]),
        "16dp64": ([(2, 8 * row), (2, 32), (8, row)], [(32, 1), (n, 64)]),
        "16dp32": ([(16, row), (2, row // 2)], [(row // 2, 1)]),
        "32dp32": ([(32, row)], [(row, 1)]),
    }
    registers, memory = static(*pieces[w]), static([(32, 0)], [(lanes * row, 1)])
    src, dst = (registers, memory) if "STORE" in name else (memory, registers)
    return _copy(32, src, dst, memory)


def _shared_to_tensor(_name: str, shape: str, blocks: int) -> dict[str, Any]:
    """One block, or two, refresh tensor memory from shared memory; some bits go to several lanes."""
    src, dst = _TO_TENSOR[shape]
    threads = [(blocks, 0)]
    written = static(threads, dst)
    return _copy(blocks, static(threads, src), written, written)


def _shuffle(_name: str, x: int) -> dict[str, Any]:
    """Threads whose numbers differ in one bit swap a word."""
    src = static([(32, 64)], [(64, 1)])
    dst = {
        1: static([(2, 32), (16, 128)], [(32, 1), (2, 64)]),
        4: static([(4, 64), (2, 32), (4, 512)], [(32, 1), (2, 256)]),
    }[x]
    return _copy(32, src, dst, src)


def _transpose(_name: str) -> dict[str, Any]:
    words = static([(32, 32)], [(32, 1)])
    return _copy(32, words, words, words)


def _assumed(_name: str) -> dict[str, Any]:
    """A copy whose width the compiler picks."""
    none = static([], [])
    return _copy(1, none, none, none)


# --- names ------------------------------------------------------------------------------------

_TO_TENSOR: Final[dict[str, tuple[Modes, Modes]]] = {
    "128dp256bit": ([(32768, 1)], [(32768, 1)]),
    "128dp128bit": ([(16384, 1)], [(16384, 1)]),
    "4dp256bit": ([(4, 32), (256, 128)], [(4, 32), (256, 128)]),
    "4x32dp128bit": ([(32, 1), (128, 32), (4, 0)], [(16384, 1)]),
    "2x64dp128bitlw0213": ([(64, 1), (128, 64), (2, 0)], [(16384, 1)]),
    "2x64dp128bitlw0123": ([(32, 1), (128, 32), (2, 4096), (2, 0)], [(16384, 1)]),
}
_HEADER: Final = "CUTLASS 7107b055, include/cute/atom/copy_traits"
_SM50, _SM75, _SM80, _SM90, _SM100 = (f"{_HEADER}_sm{n}.hpp" for n in (50, 75, 80, 90, 100))
_ANY: Final = ",".join(BITS)
_ENDS: Final = f"<{{s:{_ANY}}}[,{{d:{_ANY}}}]>"
_COUNTS: Final = "1,2,4,8,16,32"
_SHAPES: Final = ",".join(_TO_TENSOR)
_ASSUMED: Final = "AutoVectorizingCopyWithAssumedAlignment<{8,16,32,64,128,256}>"
_BULK: Final = {  # the bits of a tile, which the program chooses
    f"{_HEADER}_sm90_tma.hpp, ..._sm90_im2col.hpp": (
        "SM90_TMA_{LOAD,LOAD_MULTICAST,LOAD_IM2COL,LOAD_IM2COL_MULTICAST}{,_OP}",
        "SM90_TMA_{LOAD,LOAD_IM2COL}::PREFETCH",
        "SM90_TMA_{STORE,STORE_PTR,STORE_IM2COL,REDUCE_ADD}",
        "SM90_BULK_COPY_{G2S,S2G,G2S::PREFETCH}",
    ),
    f"{_HEADER}_sm100_tma.hpp, ..._sm100_im2col.hpp": (
        "SM100_TMA_2SM_{LOAD,LOAD_MULTICAST,LOAD_IM2COL,LOAD_IM2COL_MULTICAST}{,_OP}",
        "SM100_TMA_{LOAD,LOAD_MULTICAST}_2D_GATHER4{,_OP}",
        "SM100_TMA_{LOAD_2D_GATHER4_OP::PREFETCH,STORE_2D_SCATTER4}",
    ),
}

copy_atoms: Final = Catalogue(
    "copy",
    CopyAtom,
    (
        Family(f"UniversalCopy{_ENDS}", _own, f"{_HEADER}.hpp"),
        Family(_ASSUMED, _assumed, f"{_HEADER}.hpp"),
        Family("{AutoVectorizingCopy,DefaultCopy}", _assumed, f"{_HEADER}.hpp"),
        Family("SM90_BULK_COPY_AUTO", _assumed, f"{_HEADER}_sm90_tma.hpp"),
        Family("SM50_Shuffle_U32_2x2Trans_XOR{x:1,4}", _shuffle, _SM50),
        Family("SM75_U32x{n:1,2,4}_LDSM_{kind:N}", _matrices, _SM75),
        Family("SM75_U16x{n:2,4,8}_LDSM_{kind:T}", _matrices, _SM75),
        Family("SM75_U32x1_MOVM_T", _transpose, _SM75),
        Family(f"SM80_CP_ASYNC_CACHE{{ALWAYS,GLOBAL}}{{,_ZFILL}}{_ENDS}", _own, _SM80),
        Family("SM90_U32x{n:1,2,4}_STSM_{kind:N}", _matrices, _SM90),
        Family("SM90_U16x{n:2,4,8}_STSM_{kind:T}", _matrices, _SM90),
        Family("SM100_U8x{n:8,16}_LDSM_T", _bytes, _SM100),
        Family("SM100_U8x{n:4,8,16}_STSM_T", _bytes, _SM100),
        Family("SM100_SU{4,6}_DU8x16_x{n:1,2,4}_LDSM_{kind:N}", _matrices, _SM100),
        Family("SM100_{LOAD,STORE}_{bits:256}bit_CACHE_NOALLOCATION", _own, _SM100),
        *(
            Family(f"SM100_TMEM_{{LOAD,STORE}}_{{w:{w}}}b{{n:{n}}}x{{,_16b}}", _tensor_memory, _SM100)
            for w, n in (
                ("16dp256", _COUNTS),
                ("16dp128", f"{_COUNTS},64"),
                ("16dp64,16dp32,32dp32", f"{_COUNTS},64,128"),
            )
        ),
        Family("SM100_TMEM_LOAD_STAT_{w:32dp32}b{n:32,128}x", _tensor_memory, _SM100),
        Family(f"SM100_UTCCP_{{shape:{_SHAPES}}}_{{blocks:1,2}}cta", _shared_to_tensor, _SM100),
        *(
            Family(f"{name},Int<{{bits:128,1024,16384;#}}>", _own, source)
            for source, names in _BULK.items()
            for name in names
        ),
    ),
)  # fmt: skip
"""The copy atoms by name, as `CopyAtom`."""
