"""MMA atoms: which elements of A, B and C each thread of a matrix instruction holds.

An atom multiplies an M x K tile A by an N x K tile B and adds to an M x N tile C. Its layouts take
(thread, value) to the index of an element in the tile, columns first: ``m + M * k``, ``n + N * k``,
``m + M * n``.

>>> atom = atoms["SM80_16x8x16_F32F16F16F32_TN"]
>>> print(atom)
SM80_16x8x16_F32F16F16F32_TN
  shape  (_16,_8,_16)
  thr    _32:_1
  a      ((_4,_8),(_2,_2,_2)):((_32,_1),(_16,_8,_128))  half_t
  b      ((_4,_8),(_2,_2)):((_16,_1),(_8,_64))          half_t
  c      ((_4,_8),(_2,_2)):((_32,_1),(_16,_8))          float
>>> divmod(atom.c(5, 1), 16)[::-1]  # the row and the column of value 1 of thread 5
(1, 3)

Almost all layouts follow three rules: fragments in registers (`_fragment`), operands that all threads
read from shared or tensor memory (`_shared`), and lanes side by side (`_matrix_core`).

Source: CUTLASS 7107b055, ``cute/atom/mma_traits_*.hpp``; PTX ISA, "Matrix multiply-accumulate".
"""

from __future__ import annotations

import re
from typing import Any, Final, NamedTuple

from ..layouts import AnyLayout, as_static, make_layout, to_text
from .catalogue import Catalogue, Family


class ValueTypes(NamedTuple):
    """The element types of an atom, in CuTe's words.

    >>> atoms["SM80_16x8x16_F32BF16BF16F32_TN"].types
    ValueTypes(d='float', a='bfloat16_t', b='bfloat16_t', c='float', e='', sf='')

    Attributes:
        d, a, b, c: Of the result, of the two factors, and of the tile that is added.
        e: Of the metadata of a sparse A; empty where A is dense.
        sf: Of the scale factors; empty without them.
    """

    d: str
    a: str
    b: str
    c: str
    e: str = ""
    sf: str = ""


class MmaAtom(NamedTuple):
    """A matrix instruction: its tile and the layouts of its threads and values.

    >>> atom = atoms["SM90_64x128x16_F32F16F16_SS<GMMA::Major::K, GMMA::Major::MN>"]
    >>> atom.shape_mnk, atom.thr.size
    ((_64, _128, _16), _128)
    >>> print(atom.b)  # in shared memory, read by all threads
    (_128,(_128,_16)):(_0,(_1,_128))

    Attributes:
        name: CuTe's name, without blanks.
        shape_mnk: The extents of the tile.
        thr: From the threads of the atom to the threads of the warp, warp group or cluster.
        a, b, c: From (thread, value) to the index in the M x K, N x K, M x N tile.
        types: The element types.
        source: Where the facts are from.
        sfa, sfb: The scale factors of A and B, where the instruction takes them from registers.
        e: The metadata of a sparse A, in registers: from (thread, value) to the index in the M x K tile.
    """

    name: str
    shape_mnk: tuple[int, int, int]
    thr: AnyLayout
    a: AnyLayout
    b: AnyLayout
    c: AnyLayout
    types: ValueTypes
    source: str
    sfa: AnyLayout | None = None
    sfb: AnyLayout | None = None
    e: AnyLayout | None = None

    def __str__(self) -> str:
        rows = [("shape", to_text(self.shape_mnk), "")]
        for field in ("thr", "a", "b", "c", "sfa", "sfb", "e"):
            layout = getattr(self, field)
            if layout is not None:
                of = "sf" if field in ("sfa", "sfb") else field
                rows.append((field, str(layout), getattr(self.types, of, "")))
        width = max(len(text) for field, text, _type in rows if field != "shape")
        return "\n".join([self.name, *(f"  {f:<6} {t:<{width}}  {of}".rstrip() for f, t, of in rows)])


def _static(shape: Any, stride: Any) -> AnyLayout:
    return make_layout(as_static(shape), stride=as_static(stride))


def _compact(*modes: tuple[int, int], keep: int = 0) -> tuple[Any, Any]:
    """Shape and stride of modes, without those of extent 1 past the first ``keep``."""
    kept = [mode for n, mode in enumerate(modes) if mode[0] > 1 or n < keep] or [(1, 0)]
    if len(kept) == 1:
        return kept[0]
    return tuple(extent for extent, _ in kept), tuple(step for _, step in kept)


def _atom(
    mnk: tuple[int, int, int], threads: Any, a: Any, b: Any, c: Any, **more: Any
) -> dict[str, Any]:
    """The fields of a record; each layout is a shape and a stride."""
    layouts = {"thr": threads, "a": a, "b": b, "c": c}
    layouts |= {key: more.pop(key) for key in ("sfa", "sfb", "e") if key in more}
    fields = {key: _static(*pair) for key, pair in layouts.items()}
    return {"shape_mnk": as_static(mnk), **fields, **more}


# --- the words of names -----------------------------------------------------------------------

_LETTERS: Final = {
    "GC64": ("GaussComplex", 128), "C64": ("complex<double>", 128), "F64": ("double", 64),
    "TF32": ("tfloat32_t", 32), "XF32": ("tfloat32_t", 32), "BF16": ("bfloat16_t", 16),
    "F32": ("float", 32), "F16": ("half_t", 16), "S32": ("int32_t", 32), "I32": ("int32_t", 32),
    "S16": ("int16_t", 16), "E4M3": ("float_e4m3_t", 8), "E5M2": ("float_e5m2_t", 8),
    "BF8": ("float_e5m2_t", 8), "F8": ("float_e4m3_t", 8), "S8": ("int8_t", 8), "I8": ("int8_t", 8),
    "U8": ("uint8_t", 8), "S4": ("int4b_t", 4), "I4": ("int4b_t", 4), "U4": ("uint4b_t", 4),
    "U1": ("uint1b_t", 1),
}  # fmt: skip
_LETTER: Final = re.compile("|".join(_LETTERS))
_WIDTHS: Final = dict(_LETTERS.values()) | {"complex<half_t>": 32, "complex<bfloat16_t>": 32}


def _types_of(letters: str) -> tuple[ValueTypes, int]:
    """The types that letters such as F32F16F16F32 name, and the bits of an element of A."""
    words = _LETTER.findall(letters)
    d, a, b = (_LETTERS[word][0] for word in words[:3])
    c = _LETTERS[words[3]][0] if len(words) > 3 else d
    if words[1] == "C64" and words[0] == "GC64":
        a = b = "complex<double>"
    return ValueTypes(d, a, b, c), _LETTERS[words[1]][1]


def _ints(*texts: str) -> Any:
    return tuple(map(int, texts))


# --- NVIDIA: fragments in registers -----------------------------------------------------------


def _fragment(rows: int, columns: int, vector: int) -> tuple[Any, Any]:
    """Threads in rows of four, each with ``vector`` columns; then 8 rows below, then the next columns.

    Four warps, where there are 64 rows, take 16 rows each.
    """
    warps = rows // 16 if rows == 64 else 1
    threads = _compact((4, vector * rows), (8, 1), (warps, 16))
    values = [(vector, rows), (rows // warps // 8, 8), (columns // (4 * vector), 4 * vector * rows)]
    if warps > 1 and columns == 4 * vector:  # CuTe writes this mode for every size
        return _beside(threads, ((*_extents(values),), (*_steps(values),)))
    shape, stride = _compact(*values)
    if vector == 8 and isinstance(shape, int):  # as CuTe: a tuple of one
        shape, stride = (shape,), (stride,)
    return _beside(threads, (shape, stride))


def _extents(modes: list[tuple[int, int]]) -> list[int]:
    return [extent for extent, _ in modes]


def _steps(modes: list[tuple[int, int]]) -> list[int]:
    return [step for _, step in modes]


def _beside(threads: tuple[Any, Any], values: tuple[Any, Any]) -> tuple[Any, Any]:
    return (threads[0], values[0]), (threads[1], values[1])


def _vector(bits: int) -> int:
    """The elements of a register of 32 bits, at least one."""
    return max(1, 32 // bits)


def _warp(_name: str, M: str, N: str, K: str, T: str) -> dict[str, Any]:
    """``mma.sync`` of a warp."""
    m, n, k = _ints(M, N, K)
    types, bits = _types_of(T)
    a, b = _fragment(m, k, _vector(bits)), _fragment(n, k, _vector(bits))
    return _atom((m, n, k), (32, 1), a, b, _fragment(m, n, 2), types=types)


def _quad_pair(_name: str, T: str, A: str, B: str) -> dict[str, Any]:
    """``mma.sync`` of Volta, by four threads and the four that are 16 further."""
    row, column = ((8, 4), (1, 8)), (((4, 2), 4), ((8, 4), 1))
    half = ((8, 8), (1, 8))
    single = (((2, 2, 2), (2, 2, 2)), ((1, 16, 4), (8, 2, 32)))
    types, _bits = _types_of(T)
    c = half if types.c == "half_t" else single
    a, b = row if A == "T" else column, row if B == "N" else column
    return _atom((8, 8, 4), ((4, 2), (1, 16)), a, b, c, types=types)


def _dot(_name: str, K: str) -> dict[str, Any]:
    k = int(K)
    types = ValueTypes("int32_t", *["int8_t" if k == 4 else "int16_t"] * 2, "int32_t")
    factor = ((1, k), (0, 1))
    return _atom((1, 1, k), (1, 0), factor, factor, ((1, 1), (0, 0)), types=types)


def _pair(_name: str, M: str, N: str) -> dict[str, Any]:
    m, n = _ints(M, N)
    a, b, c = (((1, size), (0, int(size > 1))) for size in (m, n, m * n))
    return _atom((m, n, 1), (1, 0), a, b, c, types=ValueTypes(*["float"] * 4))


def _fma(_name: str, D: str, A: str, B: str, C: str) -> dict[str, Any]:
    one = ((1, 1), (0, 0))
    return _atom((1, 1, 1), (1, 0), one, one, one, types=ValueTypes(D, A or D, B or D, C or D))


# SM120: the instruction takes elements of 8 bits, or of 4, whatever the types say


def _sm120(_name: str, K: str, A: str, C: str, SF: str = "", sparse: str = "") -> dict[str, Any]:
    k = int(K)
    wide = k == (64 if sparse else 32)  # elements in bytes; otherwise of 4 bits
    vector = 4 if wide else 8
    element = "uint8_t" if wide else "uint4_t"
    more: dict[str, Any] = {}
    a, e = element, ""
    if sparse:
        a, e = (
            (f"sparse_elem<2,{A}>", "sparse_elem<8,uint8_t>") if wide else ("sparse_elem<4,uint8_t>", "")
        )
        e = e or "sparse_elem<16,uint8_t>"
        more["e"] = _metadata(16, k, vector)
    if SF:
        more["sfa"] = ((2, 2, 8), k), ((8, 0, 1), 16)
        more["sfb"] = ((4, 8), k), ((0, 1), 8)
    return _atom(
        (16, 8, k), (32, 1), _fragment(16, k, vector * (2 if sparse else 1)), _fragment(8, k, vector),
        _fragment(16, 8, 2), types=ValueTypes(C, a, element, C, e, SF), **more,
    )  # fmt: skip


def _metadata(rows: int, columns: int, vector: int) -> tuple[Any, Any]:
    """Two threads of each four hold half the columns of a row each; of narrow elements all four do."""
    half, warps = columns // 2, rows // 16
    if vector >= 4:
        threads, values = _compact((2, 8), (2, half * rows), (8, 1), (warps, 16)), (half, rows)
        if warps > 1 or vector > 4:  # as CuTe: a tuple of one
            values = (half,), (rows,)  # type: ignore[assignment]
    else:
        threads, values = (
            _compact((2, half * rows), (2, 0), (8, 1), (warps, 16)),
            _compact((half, rows), (2, 8)),
        )
    return _beside(threads, values)


# --- NVIDIA: operands in shared and tensor memory ---------------------------------------------


def _shared(threads: int, rows: int, columns: int, parts: int = 1) -> tuple[Any, Any]:
    """All threads read the whole tile, or each of the two blocks its half of the rows."""
    rows_of_part = rows // parts
    return (threads, (rows_of_part, columns)), (rows_of_part if parts > 1 else 0, (1, rows))


def _gmma(_name: str, N: str, K: str, T: str, R: str, sparse: str = "") -> dict[str, Any]:
    """``wgmma`` of four warps: B, and A unless it is in registers, lie in shared memory."""
    n, k = _ints(N, K)
    types, bits = _types_of(T)
    vector = _vector(bits) * (2 if sparse else 1)
    more: dict[str, Any] = {}
    if sparse:
        elements = 4 if bits == 32 else 8
        types = types._replace(a=f"sparse_elem<2,{types.a}>", e=f"sparse_elem<{elements},uint8_t>")
        more["e"] = _metadata(64, k, _vector(bits))
    a = _fragment(64, k, vector) if R == "R" else _shared(128, 64, k)
    b, c = _shared(128, n, k), _fragment(64, n, 2)
    return _atom((64, n, k), (128, 1), a, b, c, types=types, **more)


def _umma(
    name: str, M: str, N: str, A: str = "", B: str = "", C: str = "float", SF: str = ""
) -> dict[str, Any]:
    """``tcgen05.mma`` of one block, or of two that share the tile."""
    m, n = _ints(M, N)
    parts, sparse = 1 + ("_2x1SM_" in name), "_SPARSE<" in name
    A, B = A or "complex<tfloat32_t>", B or "complex<tfloat32_t>"
    k, e = (256 // _WIDTHS[A] if A in _WIDTHS else 32), ""
    for word, columns in (("F8F6F4", 32), ("MXF4", 64), ("ULTRA", 96), ("INTERLEAVED", 4)):
        if word in name:
            k = columns
    if sparse:
        a = "sparse_elem<4,uint8_t>" if "MXF4NVF4" in name else f"sparse_elem<2,{A}>"
        A, e, k = a, f"sparse_elem<{ {'4': 16}.get(a[12], 4 if 'TF32' in name else 8) },uint8_t>", 2 * k
    return _atom(
        (m, n, k), (parts, parts - 1), _shared(parts, m, k, parts), _shared(parts, n, k, parts),
        _shared(parts, m, n, parts), types=ValueTypes(C, A, B, C, e, SF),
    )  # fmt: skip


# --- tables ---------------------------------------------------------------------------------------

_CUTE: Final = "CUTLASS 7107b055, include/cute/atom/mma_traits"
_ANY_N: Final = "{N:8..256..8}"
_BYTE_N: Final = "{N:8,16,24,32,48,64,80,96,112,128,144,160,176,192,208,224,240,256}"
_MIXED: Final = "{A:S8,U8}{B:S8,U8}"
_INTS: Final = "S32S8S8{D},S32S8U8{D},S32U8S8{D},S32U8U8{D}"
_NIBBLES: Final = _INTS.replace("8", "4")
_WIDE: Final = "{T:F16F16F16,F32F16F16,F32BF16BF16}"
_BYTES: Final = "{T:" + ",".join(f"{d}{a}{b}" for d in ("F16", "F32") for a in ("E4M3", "E5M2")
                                 for b in ("E4M3", "E5M2")) + "}"  # fmt: skip
_SCALE: Final = "GMMA::ScaleIn::{One;Neg}"
_SPARSE: Final = "GMMA::SparseSel::{Zero;One}"


def _warp_families() -> list[Family]:
    table = {
        "sm75": "16x8x8 F16F16F16F16,F32F16F16F32; 8x8x16 S32S8S8S32",
        "sm80": "16x8x8,16x8x16 F16F16F16F16,F32F16F16F32,F32BF16BF16F32; 16x8x4,16x8x8 F32TF32TF32F32; "
                "8x8x4 F64F64F64F64,C64C64C64C64,GC64C64C64GC64; "
                f"8x8x16,16x8x16,16x8x32 {_INTS} *; 8x8x32,16x8x32,16x8x64 {_NIBBLES} *; "
                "8x8x128,16x8x128,16x8x256 S32U1U1S32 +",
        "sm89": "16x8x32 " + ",".join(f"{d}{a}{b}{d}" for d in ("F16", "F32") for a in ("E4M3", "E5M2")
                                      for b in ("E4M3", "E5M2")),
        "sm90": "16x8x4,16x8x8,16x8x16 F64F64F64F64,C64C64C64C64",
    }  # fmt: skip
    endings = {"": "", "*": "{,_SATURATE}", "+": "_{XORPOPC,ANDPOPC}"}
    families: list[Family] = []
    for arch, rows in table.items():
        for row in rows.split("; "):
            shapes, letters, *ending = row.split()
            for shape in shapes.split(","):
                m, n, k = shape.split("x")
                mnk = f"{{M:{m}}}x{{N:{n}}}x{{K:{k}}}"
                types = "{T:" + letters.replace("{D}", "S32") + "}"
                pattern = f"{arch.upper()}_{mnk}_{types}_TN{endings[''.join(ending)]}"
                families.append(Family(pattern, _warp, f"{_CUTE}_{arch}.hpp"))
    return families


def _gmma_families() -> list[Family]:
    families: list[Family] = []
    majors = {"S": "GMMA::Major::{K;MN},GMMA::Major::{K;MN}", "R": "GMMA::Major::K,GMMA::Major::{K;MN}"}
    for sparse in ("", "sparse"):
        stem = "SM90::GMMA::SPARSE::GMMA_64x" if sparse else "{SM90_;SM90::GMMA::MMA_}64x"
        last = f"[,{_SPARSE}]" if sparse else ""
        source = f"{_CUTE}_sm90_gmma{'_sparse' if sparse else ''}.hpp and ..._ext.hpp"
        scales = f"[,{_SCALE}[,{_SCALE}{last}]]"
        tn_scales = f"[<[{_SCALE}[,{_SCALE}{last}]]>]"
        selection = f"[<[{_SPARSE}]>]" if sparse else ""

        def rule(name: str, sparse: str = sparse, **choices: str) -> dict[str, Any]:
            return _gmma(name, sparse=sparse, **choices)

        def add(pattern: str, stem: str = stem, source: str = source, rule: Any = rule) -> None:
            families.append(Family(stem + pattern, rule, source))

        k = 2 if sparse else 1
        for register in "SR":
            add(f"{_ANY_N}x{{K:{16 * k}}}_{_WIDE}_{{R:{register}}}S[<{majors[register]}{scales}>]")
            add(f"{_ANY_N}x{{K:{8 * k}}}_{{T:F32TF32TF32}}_{{R:{register}}}S_TN{tn_scales}")
            add(f"{_ANY_N}x{{K:{32 * k}}}_{_BYTES}_{{R:{register}}}S_TN{tn_scales}")
            letters = _INTS.replace("{D}", "")
            add(
                f"{_BYTE_N}x{{K:{32 * k}}}_{{T:{letters}}}_{{R:{register}}}S_TN{{,_SATURATE}}{selection}"
            )
    return families


_FLOATS: Final = "float_e4m3_t,float_e5m2_t,float_e2m3_t,float_e3m2_t,float_e2m1_t"
_ERASED: Final = (
    "type_erased_dynamic_float8_t,type_erased_dynamic_float6_t,type_erased_dynamic_float4_t,"
    "detail::float_e2m1_unpacksmem_t,detail::float_e2m3_unpacksmem_t,detail::float_e3m2_unpacksmem_t"
)
_NARROW: Final = f"{{A:{_FLOATS};{_ERASED}}},{{B:float_e4m3_t;{_FLOATS.split(',', 1)[1]},{_ERASED}}},{{C:float;half_t}}"
_HALVES: Final = "half_t,bfloat16_t"
_UMMA_TYPES: Final = {
    "TF32": "{A:tfloat32_t;float},{B:tfloat32_t;float},{C:float}",
    "F16BF16": f"{{A:{_HALVES}}},{{B:{_HALVES}}},{{C:float;half_t}}",
    "S8": "{A:int8_t,uint8_t},{B:int8_t,uint8_t},{C:int32_t}",
    "F8F6F4": _NARROW,
    "MXF8F6F4": f"{_NARROW},{{SF:float_ue8m0_t}}",
    "MXF4": "{A:float_e2m1_t;type_erased_dynamic_float4_t},{B:float_e2m1_t;type_erased_dynamic_float4_t},"
            "{C:float;half_t},{SF:float_ue8m0_t,float_ue4m3_t}",
}  # fmt: skip
_UMMA_TYPES_SCALED: Final = {
    kind: types.replace(_HALVES, f"{_HALVES};complex<half_t>,complex<bfloat16_t>")
    for kind, types in _UMMA_TYPES.items()
}


def _umma_families() -> list[Family]:
    sign, clamp = "UMMA::ScaleIn::{One;Neg}", "UMMA::Saturate::{False;True}"
    signs, major = f"[,{sign}[,{sign}]]", "UMMA::Major::{K;MN}"
    families: list[Family] = []

    def add(name: str, types: str, tile: str, *, before: str = "", a: str = major, b: str = major,
            factor: str = "", after: str = signs) -> None:  # fmt: skip
        inside = ",".join(filter(None, (types, tile, before, a, b, factor)))
        families.append(Family(f"{name}<{inside}{after}>", _umma, f"{_CUTE}_sm100.hpp"))

    for sm, m, n in (("", "64,128", "{N:8..256..8}"), ("_2x1SM", "128,256", "{N:16..256..16}")):
        tile = f"{{M:{m}}},{n}"
        # the instruction takes only the larger M with scale factors; CuTe's traits take both
        scaled = f"{{M:{m.split(',')[1]};{m.split(',')[0]}}},{n}"
        ends = f"[,{sign}[,{sign}[,{clamp}]]]"
        for kind in ("TF32", "F16BF16", "S8", "F8F6F4"):
            types, name = _UMMA_TYPES[kind], f"SM100_MMA_{kind}{sm}"
            plain = f"[,{clamp}]" if kind == "S8" else signs
            add(f"{name}_SS", types, tile, after=plain)
            add(f"{name}_SS_SPARSE", types, tile, after=plain)
            add(f"{name}_TS", types, tile, a="UMMA::Major::K", after=ends)
            types = _UMMA_TYPES_SCALED[kind]
            if kind == "F16BF16":
                add(f"{name}_SS_SCALED", types, tile, factor="{0;1..15}")
            if kind in ("TF32", "F16BF16"):
                add(f"{name}_TS_SCALED", types, tile, a="UMMA::Major::K", factor="{0;1..15}", after=ends)
        k_major = {"a": "UMMA::Major::K", "b": "UMMA::Major::K"}
        interleaved = f"SM100_MMA_TF32{sm}_TS_INTERLEAVED_CF32CTF32CTF32CF32_TN"
        add(interleaved, "", tile, **k_major, after=ends)
        for sparse in ("", "_SPARSE"):
            add(f"SM100_MMA_MXF8F6F4{sm}_SS{sparse}", _UMMA_TYPES["MXF8F6F4"], scaled)
        add(f"SM100_MMA_MXF4{sm}_SS", _UMMA_TYPES["MXF4"], scaled, before="{32,16}")
        add(f"SM100_MMA_MXF4NVF4{sm}_SS_SPARSE", _UMMA_TYPES["MXF4"], scaled, before="{64,32}")
        ultra = f"SM103::SM103_MXF4_ULTRA{sm}_SS_VS"
        add(ultra, _UMMA_TYPES["MXF4"], scaled, before="{32,16}", **k_major)
    return families


def _sm120_families() -> list[Family]:
    both = f"<{{A:{_FLOATS}}},{{{_FLOATS}}}"
    fours = "<{A:float_e2m1_t},float_e2m1_t,{C:float},{SF:float_ue8m0_t,float_ue4m3_t}"
    source = f"{_CUTE}_sm120.hpp"
    sparse_source = f"{_CUTE}_sm120_sparse.hpp"

    def sparse(name: str, **choices: str) -> dict[str, Any]:
        return _sm120(name, sparse="sparse", **choices)

    scaled = f"{both},{{C:float}},{{SF:float_ue8m0_t}}"
    blocks, sparse_blocks = (
        "SM120::BLOCKSCALED::SM120_16x8x",
        "SM120::BLOCKSCALED::SPARSE::SM120_SPARSE_16x8x",
    )
    return [
        Family(f"{{SM120_;SM120::SM120_}}16x8x{{K:32}}_TN{both},{{C:float,half_t}}>", _sm120, source),
        Family(f"{blocks}{{K:32}}_TN_VS{scaled},{{32;16,64}}>", _sm120, source),
        Family(f"{blocks}{{K:64}}_TN_VS{fours},{{32,16}}>", _sm120, source),
        Family(
            f"SM120::SPARSE::SM120_SPARSE_16x8x{{K:64}}_TN{both},{{C:float,half_t}}>",
            sparse,
            sparse_source,
        ),
        Family(f"{sparse_blocks}{{K:64}}_TN_VS{scaled},{{64;32}}>", sparse, sparse_source),
        Family(f"{sparse_blocks}{{K:128}}_TN_VS{fours},{{64,32}}>", sparse, sparse_source),
    ]


_NUMBER: Final = "float;double,half_t,bfloat16_t,tfloat32_t,int,int8_t,uint8_t,int16_t,int32_t,int64_t"
_NVIDIA: Final = [
    Family(f"UniversalFMA<{{D:{_NUMBER}}}[,{{A:{_NUMBER}}}[,{{B:{_NUMBER}}}[,{{C:{_NUMBER}}}]]]>", _fma,
           f"{_CUTE}.hpp"),
    Family("SM61_DP{K:4,2}A", _dot, f"{_CUTE}_sm61.hpp"),
    Family("SM70_8x8x4_{T:F16F16F16F16,F32F16F16F32}_{A:T,N}{B:N,T}", _quad_pair, f"{_CUTE}_sm70.hpp"),
    *_warp_families(),
    *_gmma_families(),
    *_umma_families(),
    Family("SM100_{M:2}x{N:1}x1_F32F32F32F32", _pair, f"{_CUTE}_sm100.hpp"),
    Family("SM100_{M:1}x{N:2}x1_F32F32F32F32", _pair, f"{_CUTE}_sm100.hpp"),
    *_sm120_families(),
]  # fmt: skip

atoms: Final = Catalogue("MMA", MmaAtom, tuple(_NVIDIA))
"""The MMA atoms by name, as `MmaAtom`."""
