"""``tla completion``: what a shell offers, asked of the shells that are here."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from tla.cli import COMMANDS
from tla.cli.commands import SUBCOMMANDS
from tla.figures import BANK_SCHEMES

if TYPE_CHECKING:
    from pathlib import Path

    from .running import Run

_BASH = """\
source "$0"
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_tla
printf "%s\\n" "${COMPREPLY[@]}"
"""

# a stand-in for what zsh has only while a key is pressed
_ZSH = """\
compdef() { : }
compset() { : }
_files() { : }
compadd() { shift; for w; do [[ $w == "${words[CURRENT]##*=}"* ]] && print -r -- "$w"; done; true }
"""

ASK = {
    "bash": _BASH,
    "zsh": f'{_ZSH}source "$0"; words=("$@"); CURRENT=$#; _tla',
    "fish": 'source $argv[1]; complete -C (string join " " -- $argv[2..])',
}

CASES = {
    ("",): {*COMMANDS, "help"},
    ("sho",): {"show"},
    ("help", "c"): {name for name in COMMANDS if name[0] == "c"},
    ("ascend", ""): {*SUBCOMMANDS},
    ("ascend", "copy", "--a"): {"--at", "--arch", "--all"},
    ("show", "--colour-by", ""): {"tile", "offset", *BANK_SCHEMES, "none"},
    ("show", "2:1", "--co"): {"--color", "--colour", "--colour-by", "--color-by", "--columns"},
    ("hlo", "m.hlo", "--by", "s"): {"source", "step"},
    ("compose", "4:1", "--color", "n"): {"never"},
    ("show", "2:1", "--limit", "ce"): {"cells="},
    ("completion", ""): {"bash", "zsh", "fish"},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("empty")


@pytest.mark.parametrize("shell", ASK)
def test_what_a_shell_offers(run: Run, shell: str, folder: Path, tmp_path: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not here")
    code, out, err = run("completion", shell)
    assert (code, err) == (0, "")
    script = tmp_path / "script"
    script.write_text(out)

    def offered(*words: str) -> set[str]:
        plain = {"bash": ["--norc"], "zsh": ["-f"], "fish": ["--no-config"]}[shell]
        line = [shell, *plain, "-c", ASK[shell], str(script), "tla", *words]
        done = subprocess.run(line, capture_output=True, text=True, check=False, cwd=folder)
        assert done.stderr == ""
        return {each.partition("\t")[0] for each in done.stdout.split("\n")} - {""}

    for words, expected in CASES.items():
        assert offered(*words) == expected, words
    assert offered("show", "") == offered("show", "2") == set()  # files
    split = ("=",) if shell == "bash" else ()
    values = offered("show", "--color", *split, "al") if split else offered("show", "--color=al")
    assert values in ({"always"}, {"--color=always"})


def test_every_option_is_known_to_each_shell(run: Run) -> None:
    scripts = {shell: run("completion", shell).out for shell in ASK}
    for command in [*({*COMMANDS} - {"ascend"}), *(f"ascend {name}" for name in SUBCOMMANDS)]:
        usage = run(*command.split(), "--help").out.partition("\n\n")[0]
        for word in usage.replace("[", " ").replace("]", " ").split():
            if word.startswith("--"):
                assert f"-l {word[2:]} " in scripts["fish"]
                for shell in ("bash", "zsh"):
                    (line,) = (x for x in scripts[shell].split("\n") if f"'{command}':-*)" in x)
                    assert f" {word}" in line
