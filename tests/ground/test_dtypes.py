"""Element types and their bits."""

from __future__ import annotations

import pytest

from tla import UnsupportedError
from tla.ground.dtypes import ELEMENT_TYPES, element_type


@pytest.mark.parametrize(
    ("name", "bits", "size"),
    [
        ("pred", 8, 1),
        ("s1", 1, 1),
        ("u2", 2, 1),
        ("s4", 4, 1),
        ("f4e2m1fn", 4, 1),
        ("f6e3m2fn", 6, 1),
        ("f8e4m3b11fnuz", 8, 1),
        ("f8e8m0fnu", 8, 1),
        ("u8", 8, 1),
        ("f16", 16, 2),
        ("bf16", 16, 2),
        ("f32", 32, 4),
        ("s64", 64, 8),
        ("c64", 64, 8),
        ("c128", 128, 16),
        ("token", None, None),
        ("opaque", None, None),
    ],
)
def test_bits_and_bytes(name: str, bits: int | None, size: int | None) -> None:
    """xla_data.proto, and ByteSizeOfPrimitiveType: below a byte a value takes a whole one."""
    found = element_type(name)
    assert (found.name, found.bits, found.bytes) == (name, bits, size)
    assert element_type(name.upper()) is found


def test_every_type_of_xla_is_known() -> None:
    """xla_data.proto PrimitiveType, without the tuple and the buffer, which are shapes here."""
    names = (
        "pred s1 s2 s4 s8 s16 s32 s64 u1 u2 u4 u8 u16 u32 u64 f4e2m1fn f6e2m3fn f6e3m2fn f8e3m4 f8e4m3"
        " f8e4m3fn f8e4m3b11fnuz f8e4m3fnuz f8e5m2 f8e5m2fnuz f8e8m0fnu f16 bf16 f32 f64 c64 c128"
        " token opaque"
    )
    assert set(ELEMENT_TYPES) == set(names.split())


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("bf61", "Did you mean bf16?"),
        ("float32", "Did you mean f32?"),
        ("half", "Did you mean f16?"),
        ("quite_unlike", "Known: "),
        ("", "Known: "),
    ],
)
def test_an_unknown_type_is_met_with_the_nearest(name: str, advice: str) -> None:
    with pytest.raises(UnsupportedError) as caught:
        element_type(name)
    assert caught.value.summary == f"{name!r} is not an XLA element type"
    assert advice in str(caught.value)
    assert caught.value.name == name


@pytest.mark.parametrize(
    ("family", "letter", "bits"),
    [("float", "f", (16, 32, 64)), ("int", "s", (4, 8, 16, 32, 64)), ("uint", "u", (4, 8, 16, 32, 64))],
)
def test_numpy_and_c_names_are_answered_with_the_type_of_xla(
    family: str, letter: str, bits: tuple[int, ...]
) -> None:
    for n in bits:
        for name in (f"{family}{n}", f"{family}{n}_t"):
            with pytest.raises(UnsupportedError, match=rf"Did you mean {letter}{n}\?"):
                element_type(name)
