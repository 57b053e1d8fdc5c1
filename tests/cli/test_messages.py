"""Messages that once left a question: what is wrong with what was written, and what to write."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from .running import Run

SHAPE = "f32[3,5]{1,0:T(2,2)}"
MODULE = "HloModule m\nENTRY e {\n  x = f32[4] parameter(0)\n  ROOT y = f32[4] add(x, "


@pytest.mark.parametrize(
    ("words", "says"),
    [
        # a layout that is nearly one
        (("show", "2,3:3,1"), "several modes need parentheses\n  Write (2,3):(3,1).\n"),
        (("show", "2,3"), "several modes need parentheses\n  Write (2,3).\n"),
        (("show", "[2,3]:[3,1]:[2,2]"), "a layout has () and not []\n  Write (2,3):(3,1):(2,2).\n"),
        (("coalesce", "[2,3]:[3,1]"), "A: a layout has () and not []\n  Write (2,3):(3,1).\n"),
        (("convert", "RowMajor(9, 9)"), "RowMajor needs an element type\n  Write RowMajor<half>(9, 9)."),
        (
            ("show", "Sw<2,0,3> o (8,8):(8,1)"),
            "the offset between a swizzle and a layout is missing\n  Write Sw<2,0,3> o 0 o (8,8):(8,1).",
        ),
        (("show", "Sw<2,0,3> o 8:1"), "the offset between a swizzle and a layout is missing\n"),
        (
            ("convert", "Sw<2,0,3> o 0 o 8:1"),
            "Sw<2,0,3> o 0 o 8:1 is a layout behind a swizzle, which this",
        ),
        (
            ("show", "(2,\udcff3):(3,1)"),
            "expected an int or '(', found the byte \\xff, which is not UTF-8",
        ),
        # arguments in another order
        (
            ("where", "2,3", SHAPE),
            f"'2,3' is an index, and the layout comes first\n  Write tla where '{SHAPE}' 2,3.",
        ),
        (("where", "2", "4:1"), "'2' is an index, and the layout comes first"),
        (("explain", "1,5", "(4,8):(8,1)"), "'1,5' is an index, and the layout comes first"),
        (
            ("ascend", "check", "half", "AtlasA2", "4,4,4"),
            "there is no architecture 'half'\n  It is an element type;",
        ),
        # an index that does not fit
        (
            ("where", SHAPE, "2,x"),
            f"whether {SHAPE} has the element (2,x) is open: cannot decide whether x < 5\n"
            "  Write a number for x, from 0 to 4.",
        ),
        (
            ("where", SHAPE, "2"),
            f"index (2) has 1 int, and {SHAPE} has 2 dims\n  The last element is (2,4).",
        ),
        (
            ("ascend", "check", "AtlasA2", "half", "-4,4,4"),
            "the problem has m = -4: an extent is at least 1",
        ),
        (
            ("ascend", "search", "AtlasA2", "half", "9,9,9", "--step", "10"),
            "step is 10: it must be 16 or a multiple of it",
        ),
        (("ascend", "show", "910B9"), "there is no architecture '910B9'\n  Did you mean Ascend910B"),
        (
            ("index", "b = f32[2,3] brodcast(f32[3] x)"),
            "unknown opcode brodcast\n  Near names: broadcast, bitcast.\n"
            "  An opcode of a newer XLA is read with opcodes=['brodcast'], or --opcode brodcast.",
        ),
    ],
)
def test_what_is_wrong_and_what_to_write(run: Run, words: tuple[str, ...], says: str) -> None:
    code, _out, err = run(*words)
    assert (code, err[: len(says) + 12]) == (1, f"tla: error: {says}")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (
            ("what", SHAPE, "2,3"),
            "argument OFFSET: needs a number, not '2,3'; 'tla where' takes an index",
        ),
        (("what", "17", SHAPE), f"needs a number, not '{SHAPE}'; the layout comes first"),
        (
            ("convert", "zN<half>(20,48)", "--dtype", "f32"),
            "--dtype f32 has 32 bits, and the half of the tag has 16",
        ),
    ],
)
def test_what_the_command_line_takes(run: Run, words: tuple[str, ...], says: str) -> None:
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert err.endswith(f"{says}\n")


def test_files(run: Run, tmp_path: Path) -> None:
    """A file in the place of a layout, one that is cut short, and one without such an instruction."""
    path = tmp_path / "a.hlo"
    path.write_text(f"{MODULE}%")
    where = f"{path} is a file, not the text of a layout"
    assert run("convert", str(path)).err.startswith(f"tla: error: {where}\n  Write {path}:%name for")
    assert run("show", f"{path}%x").err.startswith(f"tla: error: {where}\n  Write {path}:%x.\n")
    cut = f"tla: error: {path} ends in line 4, inside its module: it is cut short\n"
    for words in (["hlo", str(path)], ["index", str(path)], ["convert", f"{path}:%y"]):
        assert run(*words).err.startswith(f"{cut}  expected an operand such as %x or ')', found '%'\n")
    path.write_text(f"{MODULE}x)\n}}\n")
    assert run("convert", f"{path}:%y").code == 0
    assert run("index", str(path), "--instruction", "z").err == (
        "tla: error: computation e has no instruction z\n  Known: x, y.\n"
    )
