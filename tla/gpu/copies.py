"""Copy atoms: which bits each thread of a copy instruction reads, and which it gets.

The layouts of an atom take (thread, bit of the thread) to a bit of the whole. The two agree on what
moves: what one thread holds at a bit of ``src``, the thread that holds that bit of ``dst`` gets.

>>> atom = copy_atoms["SM75_U32x4_LDSM_N"]
>>> print(atom)
SM75_U32x4_LDSM_N
  thr  _32:_1
  src  (_32,_128):(_128,_1)
  dst  (_32,(_32,_4)):(_32,(_1,_1024))
  ref  dst

Source: CUTLASS 7107b055, ``cute/atom/copy_traits*.hpp``; PTX ISA, "Data Movement".
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from ..layouts import AnyLayout, as_static, make_layout, parse
from .catalogue import Catalogue, Family


class CopyAtom(NamedTuple):
    """A copy instruction: the layouts of its threads and of their bits.

    >>> copy_atoms["SM80_CP_ASYNC_CACHEGLOBAL<cute::uint128_t>"].src.size
    _128

    Attributes:
        name: CuTe's name, without blanks.
        thr: From the threads of the atom to the threads of the warp, or to the blocks of a cluster.
        src, dst: From (thread, bit) to the bit of the whole, at the source and at the destination.
        ref: The one of the two by which the tile is counted.
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


def _static(text: str) -> AnyLayout:
    layout = parse(text)
    return make_layout(as_static(layout.shape), stride=as_static(layout.stride))


def _copy(thr: str, src: str, dst: str, ref: str) -> dict[str, Any]:
    layouts = {"thr": _static(thr), "src": _static(src), "dst": _static(dst)}
    return {**layouts, "ref": layouts[ref]}


def _moved(bits: int, threads: int = 1) -> dict[str, Any]:
    """Each thread moves its own bits."""
    text = f"({threads},{bits}):({bits if threads > 1 else 0},1)"
    return _copy(f"{threads}:{int(threads > 1)}", text, text, "src")


def _bits(name: str, S: str = "", B: str = "", D: str = "") -> dict[str, Any]:
    """A copy of so many bits by one thread, or by each of two blocks."""
    bits = int(B) if B else _WIDTHS[S]
    if D and _WIDTHS[D] != bits:
        text = f"(1,{_WIDTHS[D]}):(0,1)"
        return _copy("1:0", f"(1,{bits}):(0,1)", text, "src")
    return _moved(bits, 2 if "_2SM_" in name else 1)


def _table(name: str, row: str) -> dict[str, Any]:
    """The atom of a row in ``_ROWS``, the other way round for a store."""
    registers, memory, *other = _ROWS[row].split()
    if other:
        return _copy(other[0], registers, memory, other[1])
    return _copy("32:1", *((registers, memory, "src") if "STSM" in name else (memory, registers, "dst")))


def _tensor_memory(name: str, W: str, N: str) -> dict[str, Any]:
    """A warp reads 16 or 32 lanes of tensor memory, W bits of each, N times side by side."""
    n, width = int(N), int(W.partition("dp")[2])
    row = n * (64 if W == "16dp32" else width)  # the bits of a lane
    times = f",{n}" if n > 1 else ""
    registers = {
        "16dp256": f"((4,8),(64,2{times})):((64,{row}),(1,{8 * row}{',256' if times else ''}))",
        "16dp128": f"((4,8),(32,2{times})):((32,{row}),(1,{8 * row}{',128' if times else ''}))",
        "16dp64": f"((2,2,8),{f'(32{times})' if times else 32}):"
                  f"(({8 * row},32,{row}),{'(1,64)' if times else 1})",
        "16dp32": f"((16,2),{row // 2}):(({row},{row // 2}),1)",
        "32dp32": f"(32,{row}):({row},1)",
    }[W]  # fmt: skip
    memory = f"(32,{row * (32 if W == '32dp32' else 16)}):(0,1)"
    if "STORE" in name:
        return _copy("32:1", registers, memory, "dst")
    return _copy("32:1", memory, registers, "src")


def _shared_to_tensor(_name: str, C: str, row: str) -> dict[str, Any]:
    """A block, or two, refresh tensor memory from shared memory."""
    src, dst = _TO_TENSOR[row]
    source, destination = (f"({C},{shape}):(0,{stride})" for shape, stride in (src, dst))
    return _copy(f"{C}:{int(C) - 1}", source, destination, "dst")


# --- tables ---------------------------------------------------------------------------------------

_WIDTHS: Final = {
    "uint8_t": 8, "uint16_t": 16, "uint32_t": 32, "uint64_t": 64, "uint128_t": 128, "uint256_t": 256,
    "int8_t": 8, "int16_t": 16, "int32_t": 32, "int64_t": 64, "int": 32, "float": 32, "double": 64,
    "half_t": 16, "bfloat16_t": 16, "tfloat32_t": 32, "float_e4m3_t": 8, "float_e5m2_t": 8,
    "complex<float>": 64, "complex<double>": 128,
}  # fmt: skip
_MATRICES: Final = ("((8,4),128):((128,0),1)", "((16,2),128):((128,0),1)", "(32,128):(128,1)")
"""The rows of one, two and four 8 x 8 matrices, by the threads that point to them."""
_SU4: Final = "SM100_SU{4,6}_DU8x16_x"

# registers and memory; or source, destination, threads and reference
_ROWS: Final = {
    "1N": f"(32,32):(32,1) {_MATRICES[0]}",
    "2N": f"(32,(32,2)):(32,(1,1024)) {_MATRICES[1]}",
    "4N": f"(32,(32,4)):(32,(1,1024)) {_MATRICES[2]}",
    "1T": f"((4,8),(16,2)):((256,16),(1,128)) {_MATRICES[0]}",
    "2T": f"((4,8),(16,2,2)):((256,16),(1,128,1024)) {_MATRICES[1]}",
    "4T": f"((4,8),(16,2,4)):((256,16),(1,128,1024)) {_MATRICES[2]}",
    "8x8": "((4,8),(8,2,2,2)):((256,8),(1,128,64,1024)) ((2,2,4,2),128):((128,1024,256,0),1)",
    "8x16": "((4,8),(8,2,2,4)):((256,8),(1,128,64,1024)) ((2,2,4,2),128):((128,1024,256,2048),1)",
    "st8x4": f"((4,8),(8,2,2)):((256,8),(1,128,64)) {_MATRICES[0]}",
    "st8x8": f"((4,8),(8,2,2,2)):((256,8),(1,128,64,1024)) {_MATRICES[1]}",
    "st8x16": f"((4,8),(8,2,2,4)):((256,8),(1,128,64,1024)) {_MATRICES[2]}",
    "movm": "(32,32):(32,1) (32,32):(32,1) 32:1 dst",
    "xor1": "(32,64):(64,1) ((2,16),(32,2)):((32,128),(1,64)) 32:1 src",
    "xor4": "(32,64):(64,1) ((4,2,4),(32,2)):((64,32,512),(1,256)) 32:1 src",
}
_TO_TENSOR: Final = {
    "128dp256bit": (("32768", "1"), ("32768", "1")),
    "128dp128bit": (("16384", "1"), ("16384", "1")),
    "4dp256bit": (("(4,256)", "(32,128)"), ("(4,256)", "(32,128)")),
    "4x32dp128bit": (("(32,128,4)", "(1,32,0)"), ("16384", "1")),
    "2x64dp128bitlw0213": (("(64,128,2)", "(1,64,0)"), ("16384", "1")),
    "2x64dp128bitlw0123": (("(32,128,2,2)", "(1,32,4096,0)"), ("16384", "1")),
}
_NAMES: Final = {  # names of the rows, by header
    "sm50": {"SM50_Shuffle_U32_2x2Trans_XOR1": "xor1", "SM50_Shuffle_U32_2x2Trans_XOR4": "xor4"},
    "sm75": {
        **{f"SM75_U32x{n}_LDSM_N": f"{n}N" for n in (1, 2, 4)},
        **{f"SM75_U16x{2 * n}_LDSM_T": f"{n}T" for n in (1, 2, 4)},
        "SM75_U32x1_MOVM_T": "movm",
    },
    "sm90": {
        **{f"SM90_U32x{n}_STSM_N": f"{n}N" for n in (1, 2, 4)},
        **{f"SM90_U16x{2 * n}_STSM_T": f"{n}T" for n in (1, 2, 4)},
    },
    "sm100": {
        "SM100_U8x8_LDSM_T": "8x8", "SM100_U8x16_LDSM_T": "8x16",
        **{f"{_SU4}{n}_LDSM_N": f"{n}N" for n in (1, 2, 4)},
        **{f"SM100_U8x{n}_STSM_T": f"st8x{n}" for n in (4, 8, 16)},
    },
}  # fmt: skip
_CUTE: Final = "CUTLASS 7107b055, include/cute/atom/copy_traits"


def _rows() -> list[Family]:
    families: list[Family] = []
    for header, names in _NAMES.items():
        for pattern, row in names.items():

            def rule(name: str, row: str = row) -> dict[str, Any]:
                return _table(name, row)

            families.append(Family(pattern, rule, f"{_CUTE}_{header}.hpp"))
    for stem in _TO_TENSOR:

        def refresh(name: str, C: str, row: str = stem) -> dict[str, Any]:
            return _shared_to_tensor(name, C, row)

        families.append(Family(f"SM100_UTCCP_{stem}_{{C:1,2}}cta", refresh, f"{_CUTE}_sm100.hpp"))
    return families


def _tensor_memory_rows() -> list[Family]:
    counts = {"16dp256": 32, "16dp128": 64, "16dp64": 128, "16dp32": 128, "32dp32": 128}
    source = f"{_CUTE}_sm100.hpp"
    families = [
        Family(
            f"SM100_TMEM_{{LOAD,STORE}}_{{W:{shape}}}b{{N:{','.join(str(1 << k) for k in range(most.bit_length()))}}}x{{,_16b}}",
            _tensor_memory,
            source,
        )
        for shape, most in counts.items()
    ]
    return [*families, Family("SM100_TMEM_LOAD_STAT_{W:32dp32}b{N:32,128}x", _tensor_memory, source)]


_ANY: Final = ",".join(_WIDTHS)
_AGAIN: Final = f"[,{{D:;{_ANY}}}]"
_BULK: Final = (  # of a number of bits that the program chooses
    "SM90_TMA_{LOAD,LOAD_OP,LOAD_MULTICAST,LOAD_MULTICAST_OP,STORE,STORE_PTR,REDUCE_ADD,"
    "LOAD_IM2COL,LOAD_IM2COL_OP,LOAD_IM2COL_MULTICAST,LOAD_IM2COL_MULTICAST_OP,STORE_IM2COL,"
    "LOAD::PREFETCH,LOAD_IM2COL::PREFETCH}",
    "SM90_BULK_COPY_{G2S,S2G,G2S::PREFETCH}",
    "SM100_TMA_2SM_LOAD{,_OP,_MULTICAST,_MULTICAST_OP,_IM2COL,_IM2COL_OP,_IM2COL_MULTICAST,_IM2COL_MULTICAST_OP}",
    "SM100_TMA_{LOAD,LOAD_MULTICAST}_2D_GATHER4{,_OP}",
    "SM100_TMA_{STORE_2D_SCATTER4,LOAD_2D_GATHER4_OP::PREFETCH}",
)

copy_atoms: Final = Catalogue(
    "copy",
    CopyAtom,
    (
        Family(f"UniversalCopy<{{S:{_ANY}}}{_AGAIN}>", _bits, f"{_CUTE}.hpp"),
        Family("AutoVectorizingCopyWithAssumedAlignment<{8,16,32,64,128,256}>",
               lambda _name: _copy("1:0", "(1,1):(0,0)", "(1,1):(0,0)", "src"), f"{_CUTE}.hpp"),
        Family(f"SM80_CP_ASYNC_CACHE{{ALWAYS,GLOBAL}}{{,_ZFILL}}<{{S:{_ANY}}}{_AGAIN}>", _bits,
               f"{_CUTE}_sm80.hpp"),
        Family("SM100_{LOAD,STORE}_{B:256}bit_CACHE_NOALLOCATION", _bits, f"{_CUTE}_sm100.hpp"),
        *_rows(),
        *_tensor_memory_rows(),
        *(Family(f"{names},Int<{{B:128,1024,16384;#}}>", _bits, f"{_CUTE}_sm90_tma.hpp, ..._sm100_tma.hpp")
          for names in _BULK),
    ),
)  # fmt: skip
"""The copy atoms by name, as `CopyAtom`."""
