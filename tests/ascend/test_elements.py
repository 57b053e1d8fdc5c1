"""Element types: names, widths, what a width fixes, what sums are made in, bad names."""

from typing import Any

import pytest

from tla import LeafError, UnsupportedError
from tla.ascend import ARCHES, ELEMENTS, Element, accumulator, element
from tla.ground.dtypes import ELEMENT_TYPES, element_type

WIDTHS = {4: (64, 1024), 8: (32, 512), 16: (16, 256), 32: (8, 128), 64: (4, 64)}


@pytest.mark.parametrize("of", ELEMENTS.values(), ids=str)
def test_what_a_width_fixes(of: Element) -> None:
    assert (of.c0, of.fractal) == WIDTHS[of.bits]
    assert of.bytes_of(of.c0) == 32
    assert of.bytes_of(of.fractal) == 512
    assert of.sizeof == max(1, of.bits // 8)
    assert [of.bytes_of(n) for n in (0, 1, 2, 3)] == [-(-n * of.bits // 8) for n in (0, 1, 2, 3)]


@pytest.mark.parametrize("of", [e for e in ELEMENTS.values() if e.xla], ids=str)
def test_xla_names(of: Element) -> None:
    assert of.xla is not None
    assert element_type(of.xla).bits == of.bits
    assert element(of.xla) is of
    assert element(element_type(of.xla)) is of


@pytest.mark.parametrize(
    ("text", "name"),
    [("half", "half"), ("bfloat16_t", "bfloat16_t"), ("AscendC::int4b_t", "int4b_t"), ("HALF", "half"),
     ("fp16", "half"), ("float16_t", "half"), ("e8m0", "float8_e8m0_t"),
     ("fp8_e4m3fn_t", "float8_e4m3_t"),
     ("AscendC::mx_fp8_e5m2_t", "float8_e5m2_t"), ("fp4x2_e1m2_t", "float4_e1m2x2_t"),
     ("hif8", "hifloat8_t"), ("int", "int32_t"), (" uint8 ", "uint8_t")],
)  # fmt: skip
def test_other_names(text: str, name: str) -> None:
    assert element(text) is ELEMENTS[name]
    assert str(element(text)) == name
    assert element(ELEMENTS[name]) is ELEMENTS[name]


@pytest.mark.parametrize(
    ("text", "way"),
    [("halff", "Did you mean half?"), ("", "Known: int4b_t"), ("zzzzzz", "Known: "),
     ("fp8", "Did you mean float8_e4m3_t or float8_e5m2_t or float8_e8m0_t?")],
)  # fmt: skip
def test_unknown_names(text: str, way: str) -> None:
    with pytest.raises(UnsupportedError, match="is not an element type") as error:
        element(text)
    assert way in str(error.value)


def test_a_name_that_is_none() -> None:
    with pytest.raises(TypeError, match="expected the name of an element type, got int 16"):
        element(16)  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    with pytest.raises(UnsupportedError):
        element(ELEMENT_TYPES["token"])


def test_sums() -> None:
    pairs = {(p.a, p.b): p.accumulator for a in ARCHES.values() for p in a.products}
    for x in ELEMENTS:
        for y in ELEMENTS:
            if (x, y) in pairs:
                assert accumulator(x, y).name == pairs[x, y]
            else:
                with pytest.raises(UnsupportedError, match=f"no cube core multiplies {x} by {y}"):
                    accumulator(x, y)
    assert accumulator("half") is ELEMENTS["float"]


def test_the_way_out_names_the_partners() -> None:
    with pytest.raises(UnsupportedError) as error:
        accumulator("half", "int8_t")
    assert error.value.details == ("A of half goes with B of half.",)
    with pytest.raises(UnsupportedError, match="Cores multiply half, bfloat16_t"):
        accumulator("double")


@pytest.mark.parametrize("name", ["fp4", "fp8"])
def test_a_name_of_several_types_is_open(name: str) -> None:
    with pytest.raises(UnsupportedError, match="is not an element type") as error:
        element(name)
    assert error.value.details[0].count(name.replace("fp", "float")) > 1


@pytest.mark.parametrize("count", [2.5, True, "2", None])
def test_the_bytes_of_what_is_no_count(count: Any) -> None:
    with pytest.raises(LeafError, match="expected an int, got"):
        element("half").bytes_of(count)
