"""What leaves the program: no text of a file or an argument is a command to a terminal."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest

import tla
from tla.cli import COMMANDS
from tla.cli.commands import SUBCOMMANDS

from .running import MODULES, process

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .running import Done, Run

# a title, a cleared screen, a colour, a reordered line, ends of lines, a letter of no encoding
HOSTILE = "\x1b]0;p\x07\x1b[2J\x9b1m\u202e\u2066\r\n\t\x7f\u2028\udcff\xa0é≤"

DATA = MODULES.parent

COMMAND_LINES = [[name] for name in COMMANDS] + [["ascend", name] for name in SUBCOMMANDS]


def harmless(done: Done) -> Done:
    """What a command wrote, if a terminal only prints it."""
    for text in (done.out, done.err):
        assert text.replace("\n", "").isprintable(), [c for c in text if not c.isprintable()]
    assert "Traceback" not in done.err
    return done


def examples(run: Run, words: list[str]) -> Iterator[list[str]]:
    """The command lines of a help text; a search that takes seconds gets a small problem."""
    for line in re.findall(r"^  tla (.*?)\\?$", run(*words, "--help").out, re.M):
        if "search" in line:
            line = re.sub(
                r"\b\d{3,}\b|--jobs 2", lambda size: "--step=64" if " " in size[0] else "64", line
            )
        yield shlex.split(line.partition(" < ")[0].partition(" | ")[0])


def files(folder: Path) -> None:
    """The files of the examples, each with hostile texts wherever a file may hold any text."""
    modules = {"module": "tpu_hlo/v5e_pad_window", "before": "tpu_hlo/v5e_narrow_int"}
    for name, module in {**modules, "copies": "copies/transposed"}.items():
        text = (DATA / f"{module}.hlo").read_text("utf-8")
        hostile = HOSTILE.replace("\udcff", "\\n")
        fields = r'(op_name="|source_file="|^\d+ "|custom_call_target=")'
        text = re.sub(fields, rf"\1{hostile}", text, flags=re.M)
        (folder / f"{name}.hlo").write_text(text, "utf-8", newline="")
    report = (DATA / "oom" / "hbm_program.txt").read_text("utf-8")
    hostile = HOSTILE.translate(dict.fromkeys(map(ord, "\r\n\u2028\udcff")))
    report = re.sub(r"(jit\(|op_name=\"|Operator: |Shape: )", rf"\1{hostile}", report)
    (folder / "error.log").write_text(report, "utf-8", newline="")


@pytest.mark.parametrize("words", COMMAND_LINES, ids=" ".join)
def test_no_argument_commands_a_terminal(
    run: Run, words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each example of each command, with the text in the middle and in place of each argument."""
    files(tmp_path)
    monkeypatch.chdir(tmp_path)
    for line in examples(run, words):
        harmless(run(*line))
        for i, word in enumerate(line):
            for new in (word[: len(word) // 2] + HOSTILE + word[len(word) // 2 :], f"{HOSTILE}\0"):
                harmless(run(*line[:i], new, *line[i + 1 :]))


@pytest.mark.parametrize(
    "line",
    [
        ("hlo", "{}"),
        ("convert", "{}:%p"),
        ("show", "2:1", "-o", "{}/a.svg"),
        ("cpp", "{}"),
        ("oom", "{}"),
    ],
)
def test_no_name_of_a_file_pretends_to_be_a_line(run: Run, line: tuple[str, ...]) -> None:
    name = "no\ntla: error: nothing is wrong"
    code, out, err = run(*(word.format(name) for word in line))
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert r"no\ntla: error" in err


def test_lines_and_files_have_one_way_out() -> None:
    """What prints or opens a file to write it is a hole in the two."""
    ways = r"^ *(?:print\(|.*sys\.std(?:out|err)\.write\(|.*\bopen\([^()]*, \"[^r\"]*[wax+])"
    found = {
        f"{path.parent.name}/{path.name}"
        for path in Path(tla.__file__).parent.rglob("*.py")
        if re.search(ways, path.read_text("utf-8"), re.M)
    }
    # `reveal` and the plugin write for those who check types
    assert found == {"cli/saving.py", "ground/constexpr.py", "tla/mypy_plugin.py"}


REPORTS = {
    "buffers": ("hlo", "module.hlo"),
    "all": ("hlo", "module.hlo", "--all", "--layouts"),
    "op_name": ("hlo", "module.hlo", "--by", "op_name"),
    "source": ("hlo", "module.hlo", "--by", "source"),
    "live": ("hlo", "module.hlo", "--live"),
    "live by": ("hlo", "module.hlo", "--live", "--by", "source"),
    "copies": ("hlo", "copies.hlo", "--copies", "--all"),
    "copies by": ("hlo", "copies.hlo", "--copies", "--by", "op_name"),
    "against": ("hlo", "module.hlo", "--against", "before.hlo", "--all"),
    "broken": ("hlo", "broken.hlo", "--live"),
    "no module": ("hlo", "error.log"),
    "index": ("index", "module.hlo", "--through"),
    "oom": ("oom", "error.log"),
    "no report": ("oom", "module.hlo"),
    "pointer": ("convert", "module.hlo:%nothing"),
}


@pytest.mark.parametrize("name", REPORTS)
def test_no_file_commands_a_terminal(
    run: Run, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files(tmp_path)
    monkeypatch.chdir(tmp_path)
    text = (tmp_path / "module.hlo").read_text("utf-8")
    (tmp_path / "broken.hlo").write_text(text.replace("ROOT", f'"{HOSTILE[:20]}" ROOT'), "utf-8")
    line = REPORTS[name]
    done = harmless(run(*line))
    if name in ("op_name", "source", "live by", "copies by"):
        assert r"\x1b]0;p\x07" in done.out  # the text is there, and in one line
    if "module.hlo" not in line or name in ("against", "pointer", "no report"):
        return
    assert json.loads(harmless(run(*line, "--json")).out)
    for option in ("--svg", "--html", "--latex"):
        drawn = harmless(run(*line, option))
        if option == "--svg" and drawn.code == 0:
            ElementTree.fromstring(drawn.out)


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "latin-1", "utf-8", "utf-16", "cp932"])
def test_an_encoding_that_lacks_letters(encoding: str, tmp_path: Path) -> None:
    """In tables, pictures and errors: a letter that the output lacks is an escape."""
    files(tmp_path)
    environment = {"PYTHONIOENCODING": encoding}
    path = str(tmp_path / "module.hlo")
    for line in (
        ("hlo", path, "--by", "op_name"),
        ("hlo", path, "--live"),
        ("eval", "≤"),
        ("show", "é≤"),
    ):
        done = process(*line, environment=environment, encoding=encoding)
        assert "Traceback" not in harmless(done).err
        if line[-1] == "op_name":
            assert done.code == 0
            assert ("é≤" if encoding.startswith("utf") else r"\u2264") in done.out
