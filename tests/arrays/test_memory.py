"""Memory as users hold it: read-only, shared with what is read, typed, too short."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tla
from tla.arrays import data_shape
from tla.errors import LayoutError, TlaError, UnsupportedError


def test_bytes_that_cannot_be_written_stay() -> None:
    constant = b"constant"
    out = np.frombuffer(constant, np.uint8)
    with pytest.raises(LayoutError, match="can be written"):
        tla.pack(np.array([1, 2, 3, 4], np.int8), "s4[4]{0:E(4)}", out=out)
    for move in (tla.pack_bits, lambda x, **more: tla.unpack_bits(x, "uint8", **more)):
        with pytest.raises(LayoutError, match="can be written"):
            move(np.arange(16, dtype=np.uint8), bits=4, out=out)
    assert constant == b"constant"


@pytest.mark.parametrize("start", range(0, 9, 4))
def test_bits_that_share_memory_with_out(start: int) -> None:
    values = np.arange(16, dtype=np.uint8)
    expected = tla.pack_bits(values[:8].copy(), 4)
    assert np.array_equal(tla.pack_bits(values[:8], 4, out=values[start : start + 4]), expected)
    memory = np.arange(16, dtype=np.uint8)
    wanted = tla.unpack_bits(memory[start : start + 8].copy(), np.uint8, bits=4)
    found = tla.unpack_bits(memory[start : start + 8], np.uint8, bits=4, out=memory)
    assert np.array_equal(found, wanted)


def test_a_memoryview_has_the_type_that_it_says() -> None:
    array: Any = np.arange(6, dtype=np.float32)
    for move in (tla.unpack, tla.view, tla.to_numpy_view):
        assert np.array_equal(move(memoryview(array), "(2,3):(3,1)"), array.reshape(2, 3))
    assert np.array_equal(tla.unpack(memoryview(b"abcdef")[::2], "3:1"), np.frombuffer(b"ace", "u1"))
    with pytest.raises(LayoutError, match="float64"):
        tla.unpack(memoryview(array.astype(float)), "f32[6]{0}")
    assert np.array_equal(tla.to_numpy_view(array.tobytes(), "f32[6]{0}"), array)


def test_views_are_of_the_type_that_the_text_says() -> None:
    with pytest.raises(UnsupportedError, match="4 bits have no address"):
        tla.to_numpy_view(np.array([0x21, 0x43], np.uint8), "s4[3]{0:E(4)}")
    with pytest.raises(LayoutError, match="bf16"):
        tla.to_numpy_view(np.zeros(6), "bf16[2,3]{1,0}")


def test_one_side_says_the_type_of_both() -> None:
    with pytest.raises(LayoutError, match="bf16"):
        tla.relayout(np.arange(6, dtype=np.float32), "6:1", "bf16[6]{0}")
    numbers = np.arange(6, dtype=np.float32)
    found = tla.relayout(numbers.tobytes(), "6:1", "f32[6]{0:T(4)}")
    assert found.tolist() == [*numbers, 0, 0]


def test_signed_ints_fit_in_the_bits_of_an_element() -> None:
    text = "s4[2]{0:E(4)}"
    for wrong in ([8, 15], [-9, 0]):
        with pytest.raises(LayoutError, match="4 bits hold -8 to 7"):
            tla.pack(np.array(wrong, np.int8), text)
    assert tla.pack(np.array([8, 15], np.uint8), text).tolist() == [0xF8]  # bits


def test_memory_of_a_shape_that_is_padded_to_a_multiple() -> None:
    text = "f32[3]{0:L(8)}"
    memory = tla.pack(np.ones(3, np.float32), text, fill=2)
    assert memory[~tla.mask(text)].tolist() == [2] * 5
    with pytest.raises(LayoutError, match="6 elements is too short"):
        tla.pack(np.ones((2, 3), np.float32), "f32[2,3]{1,0:L(64)}", out=np.zeros(6, np.float32))


@pytest.mark.parametrize("texts", [("5:1", "5:-1"), ("5:-1", "5:1"), ("(2,3):(-3,1)", "(2,3):(1,-2)")])
def test_the_source_of_a_plan_runs_on_memory_that_pack_makes(texts: tuple[str, str]) -> None:
    plan = tla.copy_plan(*texts)
    array = np.arange(plan.size).reshape(data_shape(tla.parse(texts[0])))
    source, expected = (tla.pack(array, text) for text in texts)
    names: dict[str, Any] = {}
    exec(plan.numpy(), names)
    target = np.zeros_like(expected)
    names["copy"](source, target)
    assert np.array_equal(target, expected)


@pytest.mark.parametrize("threads", [0, -1, 2.5, "two"])
def test_threads_are_one_or_more(threads: Any) -> None:
    with pytest.raises(TlaError, match="threads"):
        tla.pack([1, 2], "2:1", threads=threads)


def test_types_of_memory_in_mlir() -> None:
    assert tla.to_memref("bf16[4,8]{1,0}").endswith("xbf16, strided<[8, 1]>>")
    for text in ("Sw<0,4,3> o M o ((2,2),8):((8,32),1)", "(8,8):(1@0,1@1)"):
        with pytest.raises(UnsupportedError):
            tla.to_memref(text)
    with pytest.raises(TlaError):
        tla.read("memref<4x-8xf32>")
