# SPDX-License-Identifier: Apache-2.0
"""The matrix instructions of NVIDIA's GPUs: for each family the names and one rule.

A warp holds fragments in registers: four threads share a row, each with the elements of one register
of 32 bits. Warp groups (`wgmma`) and blocks (`tcgen05.mma`) read operands from shared or tensor memory;
there every thread has the whole tile.

Source: CUTLASS 7107b055, ``cute/atom/mma_traits_*.hpp`` and ``cute/arch/mma_*.hpp``; PTX ISA, "Warp
Level Matrix Instructions", "Asynchronous Warpgroup Level Matrix Instructions", "TensorCore 5th
Generation Family Instructions".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from .catalogue import Family
from .fields import BITS, ValueTypes, atom, static, types_of

if TYPE_CHECKING:
    from ..layouts import AnyLayout

# --- fragments in registers -------------------------------------------------------------------


def _fragment(rows: int, columns: int, vector: int) -> AnyLayout:
    """Four threads share a row, each with ``vector`` columns; then 8 rows below, then the next columns.

    Of 64 rows, each of four warps takes 16.
    """
    warps = 4 if rows == 64 else 1
    values = [(vector, rows), (rows // warps // 8, 8), (columns // (4 * vector), 4 * vector * rows)]
    threads = [(4, vector * rows), (8, 1), (warps, 16)]
    if warps > 1 and columns == 4 * vector:
        return static(threads, tuple(values))  # as CuTe, for 8 columns of C
    if vector == 8 and columns == 32 and rows == 8:
        return static(threads, tuple(values[:1]))  # as CuTe: a tuple of one
    return static(threads, values)


def _vector(element: str) -> int:
    """The elements in a register of 32 bits, at least one."""
    return max(1, 32 // BITS[element])


def _warp(_name: str, m: int, n: int, k: int, t: str) -> dict[str, Any]:
    """``mma.sync`` of a warp."""
    types = types_of(t)
    a, b = (_fragment(rows, k, _vector(types.a)) for rows in (m, n))
    return atom(m, n, k, static([(32, 1)]), a=a, b=b, c=_fragment(m, n, 2), types=types)


def _quad_pair(_name: str, t: str, a: str, b: str) -> dict[str, Any]:
    """``mma.sync`` of Volta: four threads, and the four that are 16 further."""
    row, column = static([(8, 1)], [(4, 8)]), static([(4, 8), (2, 4)], [(4, 1)])
    half = static([(8, 1)], [(8, 8)])
    single = static([(2, 1), (2, 16), (2, 4)], [(2, 8), (2, 2), (2, 32)])
    types = types_of(t)
    return atom(
        8, 8, 4, static([(4, 1), (2, 16)]), a=row if a == "T" else column, b=row if b == "N" else column,
        c=half if types.c == "half_t" else single, types=types,
    )  # fmt: skip


def _thread(_name: str, types: ValueTypes, m: int = 1, n: int = 1, k: int = 1) -> dict[str, Any]:
    """An instruction of one thread, which holds all."""
    a, b, c = (static([], [(size, 1)]) for size in (m * k, n * k, m * n))
    return atom(m, n, k, static([]), a=a, b=b, c=c, types=types)


def _dot(name: str, k: int) -> dict[str, Any]:
    factor = "int8_t" if k == 4 else "int16_t"
    return _thread(name, ValueTypes("int32_t", factor, factor, "int32_t"), k=k)


def _pair(name: str, m: int, n: int) -> dict[str, Any]:
    return _thread(name, types_of("F32F32F32"), m, n)


def _fma(name: str, d: str, a: str, b: str, c: str) -> dict[str, Any]:
    return _thread(name, ValueTypes(d, a or d, b or d, c or d))


def _metadata(rows: int, columns: int, narrow: bool) -> AnyLayout:
    """Which columns of A are kept: each thread has half the columns of a row.

    Of elements of 8 bits and less, the four threads of a row have two rows. Otherwise two threads have
    the same.
    """
    half, warps = columns // 2, rows // 16
    if not narrow:
        return static([(2, half * rows), (2, 0), (8, 1), (warps, 16)], [(half, rows), (2, 8)])
    values = [(half, rows)] if rows == 16 and columns == 64 else ((half, rows),)  # as CuTe
    return static([(2, 8), (2, half * rows), (8, 1), (warps, 16)], values)


def _sm120(_name: str, k: int, a: str, c: str, sf: str = "", sparse: str = "") -> dict[str, Any]:
    """``mma.sync`` of narrow floats: elements in bytes, or all of 4 bits, whatever the types say."""
    times = 2 if sparse else 1
    in_bytes = k == 32 * times
    vector, element = (4, "uint8_t") if in_bytes else (8, "uint4b_t")
    types = ValueTypes(c, element, element, c, sf=sf)
    more: dict[str, Any] = {}
    if sparse:
        pairs = (f"sparse_elem<2,{a}>", "sparse_elem<8,uint8_t>")
        kept, e = pairs if in_bytes else ("sparse_elem<4,uint8_t>", "sparse_elem<16,uint8_t>")
        types = types._replace(a=kept, e=e)
        more["e"] = _metadata(16, k, narrow=True)
    if sf:
        more["sfa"] = static([(2, 8), (2, 0), (8, 1)], [(k, 16)])
        more["sfb"] = static([(4, 0), (8, 1)], [(k, 8)])
    return atom(
        16, 8, k, static([(32, 1)]), a=_fragment(16, k, vector * times), b=_fragment(8, k, vector),
        c=_fragment(16, 8, 2), types=types, **more,
    )  # fmt: skip


# --- operands in shared and tensor memory -----------------------------------------------------


def _shared(threads: int, rows: int, columns: int) -> AnyLayout:
    """All threads read the whole tile; each of two blocks has half of the rows."""
    if threads == 2:
        return static([(2, rows // 2)], ((rows // 2, 1), (columns, rows)))
    return static([(threads, 0)], ((rows, 1), (columns, rows)))


def _gmma(_name: str, n: int, k: int, t: str, r: str, sparse: str = "") -> dict[str, Any]:
    """``wgmma`` of four warps: B, and A unless it is in registers, lie in shared memory."""
    types = types_of(t)
    more: dict[str, Any] = {}
    vector = _vector(types.a)
    if sparse:
        more["e"] = _metadata(64, k, narrow=vector == 4)
        e = f"sparse_elem<{4 if vector == 1 else 8},uint8_t>"
        vector, types = 2 * vector, types._replace(a=f"sparse_elem<2,{types.a}>", e=e)
    a = _fragment(64, k, vector) if r == "R" else _shared(128, 64, k)
    b, c = _shared(128, n, k), _fragment(64, n, 2)
    return atom(64, n, k, static([(128, 1)]), a=a, b=b, c=c, types=types, **more)


_UMMA_K: Final = {
    "TF32": 8, "F16BF16": 16, "S8": 32, "F8F6F4": 32, "MXF8F6F4": 32, "MXF4": 64, "MXF4NVF4": 64,
    "MXF4_ULTRA": 96,
}  # fmt: skip


def _umma(
    name: str, kind: str, m: int, n: int, a: str = "complex<tfloat32_t>", b: str = "complex<tfloat32_t>",
    c: str = "float", sf: str = "", sparse: str = "",
) -> dict[str, Any]:  # fmt: skip
    """``tcgen05.mma`` of one block, or of two that share the tile."""
    k = 256 // BITS[a] if a.startswith("complex") else _UMMA_K[kind]
    e = ""
    if sparse:
        k, fours = 2 * k, kind == "MXF4NVF4"
        a = "sparse_elem<4,uint8_t>" if fours else f"sparse_elem<2,{a}>"
        e = f"sparse_elem<{16 if fours else 4 if kind == 'TF32' else 8},uint8_t>"
    blocks = 2 if "_2x1SM_" in name else 1
    return atom(
        m, n, k, static([(blocks, 1)]), a=_shared(blocks, m, k), b=_shared(blocks, n, k),
        c=_shared(blocks, m, n), types=ValueTypes(c, a, b, c, e, sf),
    )  # fmt: skip


# --- names ------------------------------------------------------------------------------------

_HEADER: Final = "CUTLASS 7107b055, include/cute/atom/mma_traits"
_E8: Final = tuple(a + b for a in ("E4M3", "E5M2") for b in ("E4M3", "E5M2"))
_I8: Final = "S32S8S8S32,S32S8U8S32,S32U8S8S32,S32U8U8S32"
_WARP: Final = {  # shapes, types and what follows TN, by architecture
    "sm75": (("8 16x8", "F16F16F16F16,F32F16F16F32", ""), ("16 8x8", "S32S8S8S32", "")),
    "sm80": (
        ("8,16 16x8", "F16F16F16F16,F32F16F16F32,F32BF16BF16F32", ""),
        ("4,8 16x8", "F32TF32TF32F32", ""),
        ("4 8x8", "F64F64F64F64,C64C64C64C64,GC64C64C64GC64", ""),
        ("16 8x8", _I8, "{,_SATURATE}"),
        ("16,32 16x8", _I8, "{,_SATURATE}"),
        ("32 8x8", _I8.replace("8", "4"), "{,_SATURATE}"),
        ("32,64 16x8", _I8.replace("8", "4"), "{,_SATURATE}"),
        ("128 8x8", "S32U1U1S32", "_{XORPOPC,ANDPOPC}"),
        ("128,256 16x8", "S32U1U1S32", "_{XORPOPC,ANDPOPC}"),
    ),
    "sm89": (("32 16x8", ",".join(d + ab + d for d in ("F16", "F32") for ab in _E8), ""),),
    "sm90": (("4,8,16 16x8", "F64F64F64F64,C64C64C64C64", ""),),
}


def _warp_families() -> list[Family]:
    families: list[Family] = []
    for arch, rows in _WARP.items():
        for shapes, types, ending in rows:
            k, m, n = shapes.replace("x", " ").split()
            stem = "{SM90_;SM90::MMA_}" if arch == "sm90" else f"{arch.upper()}_"
            pattern = f"{stem}{{m:{m}}}x{{n:{n}}}x{{k:{k}}}_{{t:{types}}}_TN{ending}"
            families.append(Family(pattern, _warp, f"{_HEADER}_{arch}.hpp"))
    return families


_K_MAJOR: Final = "GMMA::Major::K"
_EITHER: Final = "GMMA::Major::{K;MN}"


def _gmma_families() -> list[Family]:
    families: list[Family] = []
    scale, selection = "GMMA::ScaleIn::{One;Neg}", "GMMA::SparseSel::{Zero;One}"
    every = "{n:8..256..8}"
    some = "{n:8,16,24,32,48,64,80,96,112,128,144,160,176,192,208,224,240,256}"
    for times, stem, source in (
        (1, "{SM90_;SM90::GMMA::MMA_}", f"{_HEADER}_sm90_gmma.hpp, ..._gmma_ext.hpp"),
        (2, "SM90::GMMA::{sparse:SPARSE}::GMMA_", f"{_HEADER}_sm90_gmma_sparse.hpp, ..._sparse_ext.hpp"),
    ):
        last = f"[,{selection}]" if times == 2 else ""
        scales, of_ints = f"{scale}[,{scale}{last}]", f"[<[{selection}]>]" if times == 2 else ""
        for r, majors in (("S", f"{_EITHER},{_EITHER}"), ("R", f"{_K_MAJOR},{_EITHER}")):
            for n, k, types, ending in (
                (every, 16, "F16F16F16,F32F16F16,F32BF16BF16", f"[<{majors}[,{scales}]>]"),
                (every, 8, "F32TF32TF32", f"_TN[<[{scales}]>]"),
                (
                    every,
                    32,
                    ",".join(d + ab for d in ("F16", "F32") for ab in _E8),
                    f"_TN[<[{scales}]>]",
                ),
                (some, 32, _I8.replace("S32,", ",").removesuffix("S32"), f"_TN{{,_SATURATE}}{of_ints}"),
            ):
                pattern = f"{stem}64x{n}x{{k:{k * times}}}_{{t:{types}}}_{{r:{r}}}S{ending}"
                families.append(Family(pattern, _gmma, source))
    return families


_FLOATS: Final = "float_e4m3_t,float_e5m2_t,float_e2m3_t,float_e3m2_t,float_e2m1_t"
_CONTAINERS: Final = (
    "type_erased_dynamic_float8_t,type_erased_dynamic_float6_t,type_erased_dynamic_float4_t,"
    "detail::float_e2m1_unpacksmem_t,detail::float_e2m3_unpacksmem_t,detail::float_e3m2_unpacksmem_t"
)
_SECOND: Final = _FLOATS.replace(",", ";", 1)
_NARROW: Final = f"{{a:{_FLOATS};{_CONTAINERS}}},{{b:{_SECOND},{_CONTAINERS}}},{{c:float;half_t}}"
_FOURS: Final = "float_e2m1_t;type_erased_dynamic_float4_t"
_UMMA_TYPES: Final = {
    "TF32": "{a:tfloat32_t;float},{b:tfloat32_t;float},{c:float}",
    "F16BF16": "{a:half_t,bfloat16_t},{b:half_t,bfloat16_t},{c:float;half_t}",
    "S8": "{a:int8_t,uint8_t},{b:int8_t,uint8_t},{c:int32_t}",
    "F8F6F4": _NARROW,
    "MXF8F6F4": f"{_NARROW},{{sf:float_ue8m0_t}}",
    "MXF4": f"{{a:{_FOURS}}},{{b:{_FOURS}}},{{c:float;half_t}},{{sf:float_ue8m0_t,float_ue4m3_t}}",
}


def _umma_families() -> list[Family]:
    families: list[Family] = []
    sign, clamp = "UMMA::ScaleIn::{One;Neg}", "UMMA::Saturate::{False;True}"
    k_major, major = "UMMA::Major::K", "UMMA::Major::{K;MN}"
    signs, signs_clamp = f"[,{sign}[,{sign}]]", f"[,{sign}[,{sign}[,{clamp}]]]"
    complexes = "half_t,bfloat16_t;complex<half_t>,complex<bfloat16_t>"

    def add(name: str, *arguments: str, after: str = signs) -> None:
        inside = ",".join(filter(None, arguments))
        families.append(Family(f"{name}<{inside}{after}>", _umma, f"{_HEADER}_sm100.hpp"))

    for sm, small, large, n in (
        ("", 64, 128, "{n:8..256..8}"),
        ("_2x1SM", 128, 256, "{n:16..256..16}"),
    ):
        tile = f"{{m:{small},{large}}},{n}"
        # with scale factors, CuTe's traits take the smaller tile too, which the instruction refuses
        scaled = f"{{m:{large};{small}}},{n}"
        for kind in ("TF32", "F16BF16", "S8", "F8F6F4"):
            types, name = _UMMA_TYPES[kind], f"SM100_MMA_{{kind:{kind}}}{sm}"
            for sparse in ("", "{sparse:_SPARSE}"):
                after = f"[,{clamp}]" if kind == "S8" else signs
                add(f"{name}_SS{sparse}", types, tile, major, major, after=after)
            add(f"{name}_TS", types, tile, k_major, major, after=signs_clamp)
            types = types.replace("half_t,bfloat16_t", complexes)
            if kind == "F16BF16":
                add(f"{name}_SS_SCALED", types, tile, major, major, "{0;1..15}")
            if kind in ("TF32", "F16BF16"):
                add(f"{name}_TS_SCALED", types, tile, k_major, major, "{0;1..15}", after=signs_clamp)
        interleaved = f"SM100_MMA_{{kind:TF32}}{sm}_TS_INTERLEAVED_CF32CTF32CTF32CF32_TN"
        add(interleaved, tile, k_major, k_major, after=signs_clamp)
        for sparse in ("", "{sparse:_SPARSE}"):
            name = f"SM100_MMA_{{kind:MXF8F6F4}}{sm}_SS{sparse}"
            add(name, _UMMA_TYPES["MXF8F6F4"], scaled, major, major)
        fours = _UMMA_TYPES["MXF4"]
        add(f"SM100_MMA_{{kind:MXF4}}{sm}_SS", fours, scaled, "{32,16}", major, major)
        name = f"SM100_MMA_{{kind:MXF4NVF4}}{sm}_SS{{sparse:_SPARSE}}"
        add(name, fours, scaled, "{64,32}", major, major)
        add(f"SM103::SM103_{{kind:MXF4_ULTRA}}{sm}_SS_VS", fours, scaled, "{32,16}", k_major, k_major)
    return families


def _sm120_families() -> list[Family]:
    plain, sparse = f"{_HEADER}_sm120.hpp", f"{_HEADER}_sm120_sparse.hpp"
    blocks, sparse_blocks = (
        "SM120::BLOCKSCALED::SM120_",
        "SM120::BLOCKSCALED::{sparse:SPARSE}::SM120_SPARSE_",
    )
    floats = f"{{a:{_FLOATS}}},{{{_FLOATS}}},{{c:float,half_t}}"
    scaled = f"{{a:{_FLOATS}}},{{{_FLOATS}}},{{c:float}},{{sf:float_ue8m0_t}}"
    fours = "{a:float_e2m1_t},float_e2m1_t,{c:float},{sf:float_ue8m0_t,float_ue4m3_t}"
    return [
        Family(f"{{SM120_;SM120::SM120_}}16x8x{{k:32}}_TN<{floats}>", _sm120, plain),
        Family(f"{blocks}16x8x{{k:32}}_TN_VS<{scaled},{{32;16,64}}>", _sm120, plain),
        Family(f"{blocks}16x8x{{k:64}}_TN_VS<{fours},{{32,16}}>", _sm120, plain),
        Family(f"SM120::{{sparse:SPARSE}}::SM120_SPARSE_16x8x{{k:64}}_TN<{floats}>", _sm120, sparse),
        Family(f"{sparse_blocks}16x8x{{k:64}}_TN_VS<{scaled},{{64;32}}>", _sm120, sparse),
        Family(f"{sparse_blocks}16x8x{{k:128}}_TN_VS<{fours},{{64,32}}>", _sm120, sparse),
    ]


_NUMBER: Final = "float;" + ",".join(BITS)
_NUMBERS: Final = f"{{d:{_NUMBER}}}[,{{a:{_NUMBER}}}[,{{b:{_NUMBER}}}[,{{c:{_NUMBER}}}]]]"

FAMILIES: Final = (
    Family(f"UniversalFMA<{_NUMBERS}>", _fma, f"{_HEADER}.hpp"),
    Family("SM61_DP{k:4,2}A", _dot, f"{_HEADER}_sm61.hpp"),
    Family("SM70_8x8x4_{t:F16F16F16F16,F32F16F16F32}_{a:T,N}{b:N,T}", _quad_pair, f"{_HEADER}_sm70.hpp"),
    *_warp_families(),
    *_gmma_families(),
    *_umma_families(),
    Family("SM100_{m:2}x{n:1}x1_F32F32F32F32", _pair, f"{_HEADER}_sm100.hpp"),
    Family("SM100_{m:1}x{n:2}x1_F32F32F32F32", _pair, f"{_HEADER}_sm100.hpp"),
    *_sm120_families(),
)
