"""``tla banks``: conflicts told, cured and drawn."""

import json
from pathlib import Path

from .running import Run

ROWS = ("(32,32):(32,1)", "(32,1):(1,0)")


def test_conflicts_and_their_cure(run: Run) -> None:
    assert run("banks", *ROWS).out.splitlines() == [
        "(32,1):(1,0): 32-way conflict: 32 wavefronts for 1 phase",
        "  lanes 0 to 31 reach 32 words of bank 0, at bytes 0, 128, 256, ...",
    ]
    cured = run("banks", *ROWS, "(32,1):(32,0)", "--cure").out
    assert "(32,1):(32,0): no conflict: 1 wavefront for 1 phase" in cured
    assert "Sw<5,0,5> o 0 o (32,32):(32,1) has the fewest wavefronts" in cured
    assert "2 in place of 33, at best 2" in cured
    again = run("banks", "Sw<5,0,5> o 0 o (32,32):(32,1)", ROWS[1]).out
    assert "no conflict" in again
    assert "no swizzle is better" in run("banks", *ROWS[:1], "(32,1):(32,0)", "--cure").out


def test_lines_and_data(run: Run) -> None:
    assert run("banks", *ROWS, "--lines").out == (
        "(32,1):(1,0): 32 lines of 128 bytes, by warp and instruction\n"
    )
    facts = json.loads(run("banks", *ROWS, "--cure", "--json").out)
    assert facts["accesses"][0]["ways"] == 32
    assert facts["best"]["wavefronts"] == 1


def test_the_banks_before_and_after(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "banks.svg"
    assert run("banks", *ROWS, "--cure", "-o", str(file)).code == 0
    text = file.read_text()
    assert "(32,32):(32,1)" in text
    assert "Sw&lt;5,0,5&gt;" in text
    # the column that conflicts has one colour before, and the cured one 32 in the whole
    assert len({part.split('"')[1] for part in text.split("fill=")[1:] if "#" in part[:3]}) >= 32
    half = run("show", "(2,64):(64,1)", "--colour-by", "bank16", "--json")
    assert half.code == 0


def test_what_cannot_be_answered(run: Run) -> None:
    for arguments, words in (
        ((ROWS[0], "x"), "ACCESS: expected a layout"),
        ((ROWS[0], "(64,1):(32,0)"), "which (32,32):(32,1) does not have"),
        (("Sw<1,0,3> o 0 o (8,8):(8,1)", "(8,1):(1,0)", "--cure"), "has one already"),
        ((*ROWS, "--lines", "-o", "x.svg"), "lines are not"),
        ((*ROWS, "--element-bits", "6", "-o", "x.svg"), "banks of elements of 6 bits are not drawn"),
        (("(8,M):(M,1)", "(8,1):(1,0)"), "the value of M is not known"),
    ):
        done = run("banks", *arguments)
        assert done.code
        assert words in done.err
