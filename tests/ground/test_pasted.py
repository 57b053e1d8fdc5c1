"""Signs that pages print: read where they are unambiguous, printed never."""

from __future__ import annotations

import unicodedata

import pytest
from cases import over

import tla
from tla.errors import ParseError
from tla.ground.pasted import _SIGNS, typed
from tla.hlo import read_instruction, read_module
from tla.indexing import parse_map
from tla.xla_bridge import parse_shape

READ = [
    (tla.read, "F32[2, 7,8,11,10]{4,3,2,1,0:T(∗,∗,2,∗,3)}", "f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}"),
    (parse_shape, "F32[3,5]‹1,0:T(2,2)›", "f32[3,5]{1,0:T(2,2)}"),
    (tla.read, "（2，3）：（3，−1）", "(2,3):(3,-1)"),
    (tla.parse, "(2,\u00a03):(3,\u200f1)", "(2,3):(3,1)"),
    (tla.evaluate, "size(4:2) ", "4"),
    (tla.evaluate, "linear_index_with_tile((2，3), (3,5), (2,2))", "17"),
    (
        parse_map,
        "(d0) -> (d0 × 2 − 1), domain: d0 in [0, 3]",
        "(d0) -> (d0 * 2 - 1), domain: d0 in [0, 3]",
    ),
    (
        read_instruction,
        "p = pad(f32[4,4] x, f32[] y), padding=1_4_1×4_8_0, metadata={op_name=“n”}",
        '%p = f32[12,16]{1,0} pad(%x, %y), padding=1_4_1x4_8_0, metadata={op_name="n"}',
    ),
    (
        read_module,
        'n = negate（f32[2] y), metadata={op_name="a−b “c”"}',
        "ENTRY %_ (y: f32[2]) -> f32[2] {\n  %y = f32[2]{0} parameter(0)\n"
        '  ROOT %n = f32[2]{0} negate(%y), metadata={op_name="a−b “c”"}\n}\n\n',
    ),
]


@over("read, text, printed", READ)
def test_what_is_pasted_is_read(read: object, text: str, printed: str) -> None:
    assert callable(read)
    assert str(read(text)) == printed


def test_each_sign_keeps_its_place_and_text_in_quotes_stays() -> None:
    pasted = "".join(_SIGNS)
    assert len(typed(pasted)) == len(pasted)
    assert typed(pasted).isascii()
    assert typed(f'"{pasted}"') == f'"{pasted}"'
    wide = [sign for sign in _SIGNS if 0xFF00 < ord(sign) < 0xFF5F]
    assert all(unicodedata.normalize("NFKC", sign) == _SIGNS[sign] for sign in wide)


def test_an_error_has_the_text_that_was_pasted_and_the_sign_that_is_meant() -> None:
    with pytest.raises(ParseError) as caught:
        parse_shape("F32[2,7]{1,0:T(2,∗)}")
    assert "'∗' is read as '*'." in caught.value.details
    assert caught.value.text == "F32[2,7]{1,0:T(2,∗)}"
    for mode in ("strict", "xla"):
        with pytest.raises(ParseError, match="found '∗'"):
            parse_shape("f32[2,7]{1,0:T(∗,2)}", mode)
    with pytest.raises(ParseError, match="found 'ß'"):
        tla.parse("(2,ß):(1,2)")
