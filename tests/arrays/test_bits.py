"""Bits against the definition: element ``k`` has those from ``k * bits`` on, or from the top down."""

from __future__ import annotations

from mmap import mmap
from random import Random
from typing import Any

import numpy as np
import pytest

import tla
from tla import pack_bits, unpack_bits
from tla.arrays import as_type, bits as packing, dtype_of, type_of
from tla.errors import LayoutError, UnsupportedError
from tla.ground import ELEMENT_TYPES
from tla.moves import format_of

NUMPYS = [
    name
    for name in ELEMENT_TYPES
    if name in ("pred", "c64", "c128") or name[1:] in ("8", "16", "32", "64")
]
OTHERS = [name for name, type_ in ELEMENT_TYPES.items() if type_.bits and name not in NUMPYS]


@pytest.mark.parametrize("high_first", [False, True])
@pytest.mark.parametrize("bits", range(1, 9))
def test_each_element_has_its_bits(bits: int, high_first: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = Random(bits)
    for block, counts in ((packing._BLOCK, [0, 1, 2, 7, 9]), (16, [15, 16, 17, 33, 1000])):
        monkeypatch.setattr(packing, "_BLOCK", block)
        for count in counts:
            values = [rng.randrange(1 << bits) for _i in range(count)]
            texts = [f"{n:0{bits}b}" for n in values]
            digits = "".join(text if high_first else text[::-1] for text in texts)
            digits += "0" * (-len(digits) % 8)
            pieces = [digits[i : i + 8] for i in range(0, len(digits), 8)]
            expected = [int(piece if high_first else piece[::-1], 2) for piece in pieces]
            packed = pack_bits(np.array(values, np.int64), bits, high_first)
            assert list(packed) == expected
            assert list(unpack_bits(packed, np.uint8, count, bits, high_first)) == values
            signed = [n - (1 << bits) if n >> bits - 1 else n for n in values]
            made = unpack_bits(bytes(expected), np.int8, count, bits, high_first)
            assert list(made) == signed
            assert list(pack_bits(made, bits, high_first)) == expected


@pytest.mark.parametrize("name", OTHERS)
def test_types_of_ml_dtypes(name: str) -> None:
    pytest.importorskip("ml_dtypes")
    dtype, type_ = dtype_of(name), ELEMENT_TYPES[name]
    assert (type_of(dtype), dtype.itemsize) == (name, type_.bytes)
    raw = np.arange(24, dtype=np.uint8) & (1 << min(8, type_.bits or 8)) - 1
    array: Any = np.repeat(raw, dtype.itemsize).view(dtype).reshape(4, 6)
    for text in (f"{name}[4,6]{{0,1:T(4,4)}}", f"{name}[4,6]{{0,1:T(4,4)E({type_.bits})}}"):
        place = format_of(text)
        memory = tla.pack(array, text)
        assert memory.nbytes == place.bytes_of(32)
        assert memory.dtype == (np.uint8 if place.packed_bits else dtype)
        same = tla.unpack(memory, text), tla.unpack(memory.tobytes(), text)
        assert all(got.dtype == dtype and got.tobytes() == array.tobytes() for got in same)
        moved = tla.relayout(memory, text, f"{name}[4,6]{{1,0}}")
        assert moved.tobytes() == array.tobytes()


@pytest.mark.parametrize("name", ["f16", *(name for name in OTHERS if "f" in name)])
def test_floats_round_and_are_never_cut(name: str) -> None:
    """Each element stays; what rounds past the greatest is refused, as is infinity where none is."""
    pytest.importorskip("ml_dtypes")
    dtype = dtype_of(name)
    every: Any = np.arange(1 << (ELEMENT_TYPES[name].bits or 0), dtype=f"u{dtype.itemsize}").view(dtype)
    with np.errstate(invalid="ignore"):  # NaN
        values = every.astype(float)
    held = as_type(values, dtype, "x").astype(float)
    assert np.array_equal(held, values, equal_nan=True)
    below, top = np.unique(values[np.isfinite(values)])[-2:]
    half = (top - below) / 2 if "e8m0" not in name else top / 2  # its next step is twice as long
    assert as_type([top + 0.99 * half], dtype, "x").astype(float) == [top]
    beyond = {"inf": np.inf, "nan": np.nan, "more": top + 1.01 * half}
    refused = {word for word, value in beyond.items() if _is_refused(value, dtype)}
    has = {"inf": np.isinf(values).any(), "nan": np.isnan(values).any(), "more": False}
    assert refused == {word for word, there in has.items() if not there}


def _is_refused(value: float, dtype: Any) -> bool:
    try:
        as_type([value], dtype, "x")
    except LayoutError:
        return True
    return False


@pytest.mark.parametrize("bits", range(1, 9))
@pytest.mark.parametrize("name", ["s1", "s2", "s4"])
def test_negative_ints_are_twos_complements_of_any_width(name: str, bits: int) -> None:
    pytest.importorskip("ml_dtypes")
    numbers = [n for n in range(-(1 << int(name[1]) - 1), 0) if n >= -1 << bits - 1]
    packed = pack_bits(np.array(numbers).astype(dtype_of(name)), bits)
    assert list(unpack_bits(packed, np.int8, len(numbers), bits)) == numbers
    same: Any = unpack_bits(packed, dtype_of(name), len(numbers), bits)
    assert list(same.astype(int)) == numbers


def test_types_of_numpy() -> None:
    for name in NUMPYS:
        assert type_of(dtype_of(name)) == name
        assert tla.pack([[1, 0]], f"{name}[1,2]{{0,1}}").dtype == dtype_of(name)


def test_memory_of_less_than_a_byte() -> None:
    """As jaxlib 0.10 has it on the CPU: int4 values 1, 2, 3 are the bytes 21 03."""
    pytest.importorskip("ml_dtypes")
    assert tla.pack([1, 2, 3], "s4[3]{0:E(4)}").tobytes() == b"\x21\x03"
    array = np.arange(-8, 7).reshape(3, 5).astype(np.int8)
    for text in ("s4[3,5]{1,0:T(8,128)(8,1)E(4)}", "zN<int4b_t>(3,5)"):
        memory = tla.pack(array, text, fill=-1)
        layout = format_of(text).layout
        for (i, j), value in np.ndenumerate(array):
            at = layout(i, j)
            assert memory[at // 2] >> at % 2 * 4 & 15 == int(value) & 15
        assert int(np.unpackbits(memory[-1:]).sum()) == 8  # padding
        assert np.array_equal(tla.unpack(memory, text).astype(np.int8), array)
    assert tla.pack([[True, False]], "pred[1,2]{1,0:E(1)}").tolist() == [1]
    kept = np.full(2, 0xFF, np.uint8)
    assert tla.pack([1, 2, 3], "s4[3]{0:T(4)E(4)}", None, kept) is kept
    assert kept.tobytes() == b"\x21\xf3"


def test_memory_that_is_bytes() -> None:
    mapped = mmap(-1, 8)
    mapped[:] = b"\0\0\x80\x3f\0\0\0\x40"
    for memory in (
        mapped,
        mapped[:],
        bytearray(mapped),
        memoryview(mapped),
        np.frombuffer(mapped, "f4"),
    ):
        assert tla.unpack(memory, "f32[2]{0}").tolist() == [1, 2]
        assert tla.view(memory, "f32[2]{0}").tolist() == [1, 2]


def test_memory_behind_the_layout() -> None:
    assert tla.pack([1, 2], "s32[2]{0:L(4)}", fill=7).tolist() == [1, 2, 7, 7]
    assert tla.relayout([1, 2], "s32[2]{0}", "s32[2]{0:L(4)}").tolist() == [1, 2, 0, 0]


def test_without_ml_dtypes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "ml_dtypes", None)
    with pytest.raises(
        UnsupportedError, match="elements of bf16 need ml_dtypes, which is not installed"
    ):
        tla.pack([1.5], "bf16[1]{0}")
    bits = np.array([16320], np.uint16)  # 1.5
    assert tla.unpack(tla.pack(bits, "bf16[1]{0:T(8)}"), "bf16[1]{0:T(8)}").tolist() == [16320]


STRANGE: Any = {"x": 1}


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: pack_bits([1, 16], 4), "16 does not fit in 4 bits: -8 to 15 do"),
        (lambda: pack_bits(np.array([-9], np.int8), 4), "-9 does not fit"),
        (lambda: pack_bits([1.0], 4), "elements of float64 cannot be packed"),
        (lambda: pack_bits([1, 2]), "int64 does not say how many bits"),
        (lambda: pack_bits([1], 9), "bits is 1 to 8, not 9"),
        (lambda: pack_bits([1, 2, 3], 4, out=np.zeros(1, np.uint8)), "1 bytes, and 3 elements take 2"),
        (lambda: pack_bits([1], 4, out=np.zeros(4, np.uint8)[::2]), "uint8, in one piece"),
        (
            lambda: unpack_bits(b"ab", np.int8, 5, 4),
            "5 elements of 4 bits take 3 bytes, and memory has 2",
        ),
        (lambda: unpack_bits(b"ab", np.int16, bits=4), "int16 has 2"),
        (lambda: unpack_bits(b"ab", "s4"), "'s4' is no type of numpy"),
        (lambda: unpack_bits([1], np.int8, bits=4), "not list [1]"),
        (lambda: unpack_bits(b"a", np.int8, 2, 4, out=np.zeros(3, np.int8)), "2 elements of int8"),
        (
            lambda: tla.pack(np.zeros(2, "f4"), "bf16[2]"),
            "float32, 32 bits, and bf16[2] those of bf16, 16",
        ),
        (lambda: tla.pack(np.zeros(2, ">f4"), "f32[2]"), "their bytes are in the other order"),
        (lambda: tla.pack([1, 300], "u8[2]"), "300, which no element of type uint8 holds"),
        (lambda: pack_bits(np.array([16], np.uint8), 4), "16 does not fit in 4 bits: 0 to 15 do"),
        (
            lambda: tla.pack([1j], "f32[1]"),
            "numbers of type complex128, and float32 holds no imaginary part",
        ),
        (lambda: tla.pack([1], "s8[1]{0:T(2)}", fill=2j), "fill has numbers of type complex128"),
        (
            lambda: tla.pack([1], "1:1", fill=10**400),
            "int 1000000000000000000000000000000000000... has 1329 bits, and an element has 64",
        ),
        (lambda: tla.pack(np.array([16], np.uint8), "u4[1]"), "4 bits hold 0 to 15"),
        (lambda: tla.pack([1e9], "f16[1]"), "which no element of type float16 holds"),
        (lambda: tla.pack([1], "u8[1]", fill=300), "fill has 300"),
        (
            lambda: tla.pack([1], "s8[1]", fill=np.uint8(200)),
            "fill has 200, which no element of type int8",
        ),
        (lambda: tla.pack([1], "s8[1]{0:T(2)}", fill=[1, 2]), "fill is one element, not list [1, 2]"),
        (lambda: tla.pack([1], "u8[1]", fill=None), "there is no out"),
        (lambda: tla.pack(np.zeros(2, "V0"), "2:1"), "its elements are empty"),
        (lambda: tla.mask("(1000000):(1000000000000)"), "more than there is memory for"),
        (lambda: unpack_bits(b"ab", STRANGE), "no type of numpy"),
        (lambda: unpack_bits(b"ab", "i1", -1, 4), "count is 0 or more, not -1"),
        (lambda: tla.pack(np.array([object()]), "1:1"), "elements are Python objects"),
        (lambda: tla.pack([[1], [2, 3]], "(2,2):(1,2)"), "this is no array"),
        (lambda: tla.unpack(None, "1:1"), "elements are Python objects"),
        (lambda: tla.unpack(b"abc", "f16[2]"), "memory of 3 bytes holds no whole number of float16"),
        (lambda: tla.view(b"ab", "s4[4]{0:E(4)}"), "elements of 4 bits have no address"),
        (lambda: tla.relayout(b"abcd", "f32[1]", "s32[1]"), "has elements of f32, s32[1] of s32"),
        (
            lambda: tla.pack([[1.0]], "zN<hifloat8_t>(1,1)"),
            "numpy has no type hifloat8_t for the numbers of the array",
        ),
        (lambda: tla.mask("(2,3):(1@0,1@1)"), "are coordinates, and memory has offsets"),
        (
            lambda: tla.mask("u8[14,11]{0,1:T(4,*,*,4,2)(*,3,4,1)(1,*,*,1,2)L(4)}"),
            "has padding past its memory of 1440 elements",  # seed 1001 of the fuzz
        ),
        (
            lambda: tla.mask("pred[1,2,3,3]{2,0,1,3:T(2,1)(*,2,*,3,1)(1,1)L(4)}"),
            "has padding past its memory of 36 elements",  # seed 1002
        ),
        (lambda: tla.pack([1], "f32[1]{0:E(16)}"), "f32 cannot be moved as 16 bits"),
    ],
)
def test_what_does_not_fit_is_named(call: Any, text: str) -> None:
    with pytest.raises((LayoutError, UnsupportedError)) as caught:
        call()
    assert text in str(caught.value)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: tla.pack([1], "s4[1]{0:E(4)}", out=STRANGE), "out must be an array of uint8"),
        (lambda: tla.unpack(b"ab", "s4[6]{0:E(4)}"), "memory of 2 bytes is too short"),
        (lambda: tla.unpack(np.zeros(3, "u2"), "s4[6]{0:E(4)}"), "has elements of uint16"),
    ],
)
def test_what_does_not_fit_into_less_than_a_byte(call: Any, text: str) -> None:
    pytest.importorskip("ml_dtypes")
    test_what_does_not_fit_is_named(call, text)
