"""On a terminal every line is as wide as that at most, and nothing is lost but blanks."""

from __future__ import annotations

import re
import shlex
import sys
from typing import TYPE_CHECKING

import pytest

from tla.cli import COMMANDS
from tla.cli.commands import SUBCOMMANDS

from .test_output import files

if TYPE_CHECKING:
    from pathlib import Path

    from .running import Done, Run

CODE = re.compile(r"\x1b\[[0-9;]*m")

REPORTS = """
eval 'composition((4,4):(16,1), 6:1)'
eval 'left_inverse((4,4,4):(1,2,3))'
eval 'composition(zN<half>(32,48), (8,2):(1,16))'
convert 'bf16[8,1,1280,16384]{3,2,0,1:T(8,128)(2,1)}'
convert 'f32[3,5]{1,0:T(2,2)'
hlo module.hlo
hlo module.hlo --all --layouts
hlo module.hlo --by op_name
hlo module.hlo --live
hlo copies.hlo --copies --all
hlo copies.hlo --copies --by source
hlo module.hlo --against before.hlo --all
oom error.log
index module.hlo --through
index module.hlo
pallas 'f32[16384,640,4]' --block 16,640,4 --chip v5e
sharding '{devices=[4,2]<=[8]}' 'f32[32,64]' --to '{devices=[2,4]<=[8]}'
where 'f32[3,5]{1,0:T(2,2)}' 2,3
what '((_16,2),(_16,3)):((_16,_256),(_1,512))' 37
diff '(4,8):(8,1)' '(4,8):(1,4)'
ascend show 910B3
ascend copy l0c-gm 'L0C<float>(4,4)' --to 'RowMajor<half>(100,100)' --at 96,96
ascend schedule 4096,4096,4096 --tile 128,256,256 --blocks
ascend check A100
learn
learn start divide
show 2:
nothing
"""
"""Commands whose output is sentences and tables: on a terminal the same letters."""

PICTURES = """
show '((4,2),(4,3)):((4,16),(1,32))'
show 'zN<half>(20,48)' --strip
show '(8,8):(8,1)' '((4,2),(4,2)):((1,16),(4,32))' --colour-by bank
explain composition (4,4):(16,1) 6:1
explain tv '(8,4):(4,1)' '(2,2):(1,2)'
explain '((4,2),(4,3)):((4,16),(1,32))' '(1,5)'
compose '(6,2):(8,2)' '(4,3):(3,1)' --steps
divide '(9,(4,8)):(59,(13,1))' '(3:3,(2,4):(1,8))' --steps
banks '(8,8):(8,1)'
ascend check 910B3 half 1024,576,6144 --all
ascend check 910B3 half 1000,570,6140 --l1 512,512,512
ascend schedule 4096,4096,4096 --tile 128,256,256
"""

WORDS = [[], *([name, "--help"] for name in COMMANDS), *(["ascend", n, "--help"] for n in SUBCOMMANDS)]


@pytest.fixture
def at(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """``at(80, "show", "2:1")`` is what a terminal of 80 columns gets; None is a pipe."""
    files(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TLA_PROGRESS", "progress.json")

    def command(width: int | None, *words: str) -> Done:
        with monkeypatch.context() as patch:
            patch.setenv("COLUMNS", "78" if width is None else str(width))
            for stream in (sys.stdout, sys.stderr):
                patch.setattr(stream, "isatty", lambda: width is not None, raising=False)
            return run(*words)

    return command


@pytest.mark.parametrize("width", [60, 80, 120])
def test_every_line_fits_a_terminal(at: Run, width: int) -> None:
    wide = []
    for words in [*WORDS, *map(shlex.split, (REPORTS + PICTURES).strip().splitlines())]:
        done = at(width, *words)
        lines = CODE.sub("", done.out + done.err).splitlines()
        wide += [(words, line) for line in lines if len(line) > width]
    assert wide == []


@pytest.mark.parametrize("width", [60, 80, 120])
def test_nothing_is_lost_but_blanks(at: Run, width: int) -> None:
    """And a layout, a number or a word that half a line holds is in one piece."""
    lost = []
    for words in map(shlex.split, REPORTS.strip().splitlines()):
        piped, done = at(None, *words), at(width, *words)
        assert (piped.code, "Traceback" in piped.err) == (done.code, False)
        for text, fit in ((piped.out, done.out), (piped.err, done.err)):
            assert "".join(fit.split()) == "".join(text.split()), words
            short = {word for word in text.split() if len(word) <= width // 2}
            lost += [(words, word) for word in short - set(fit.split())]
    assert lost == []
