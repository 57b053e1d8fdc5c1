"""The command line as a whole: help, exit codes, and the ways a process is cut short."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest
from playground.packages import fake_package

import tla
from tla.cli import COMMANDS, main

from .running import COMMAND, ENVIRONMENT, MODULES, process

if TYPE_CHECKING:
    from pathlib import Path

    from .running import Run

SHAPE = "f32[3,5]{1,0:T(2,2)}"


# --- help ---


def test_help(run: Run) -> None:
    code, out, err = run("--help")
    assert (code, err) == (0, "")
    assert out.startswith("usage: tla [-h] [--version] COMMAND ...\n")
    for name, text in COMMANDS.items():
        assert f"  {name:10} {text}" in out


def test_without_a_command_there_are_three_to_try(run: Run) -> None:
    code, out, err = run()
    lines = [line for line in out.splitlines() if line.startswith("  tla ")]
    assert (code, err, len(lines)) == (2, "", 3)
    for line in lines:
        assert run(*shlex.split(line)[1:]).code == 0


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command(run: Run, command: str) -> None:
    code, out, err = run(command, "--help")
    assert (code, err) == (0, "")
    assert out.startswith(f"usage: tla {command} ")
    assert COMMANDS[command] in out
    assert "\nexamples:\n" in out
    assert run(command, "-h").out == out


def test_version(run: Run) -> None:
    assert run("--version") == (0, f"tla {tla.__version__}\n", "")


@pytest.mark.parametrize("command", [None, *COMMANDS])
def test_the_examples_of_the_help_run(
    run: Run, tmp_path: Path, command: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As they stand; the files that they name are there, as error.log, dump.bin and the folder DUMP.

    A shell runs those that need one.
    """
    out = run(*([command] if command else []), "--help").out
    examples = re.findall(r"^  ((?:echo .*\| )?tla .*)$", out, re.M)
    assert len(examples) >= 3
    for name, module in (("module", "v5e_pad_window"), ("before", "v5e_narrow_int")):
        (tmp_path / f"{name}.hlo").write_bytes((MODULES / f"{module}.hlo").read_bytes())
    report = MODULES.parent / "oom" / "hbm_program.txt"
    (tmp_path / "error.log").write_bytes(report.read_bytes())
    np.save(tmp_path / "weights.npy", np.zeros((20, 48), np.float16))
    (tmp_path / "dump.bin").write_bytes(bytes(6144))
    (tmp_path / "DUMP").mkdir()
    for file in (MODULES.parent / "tpu_dumps").iterdir():
        (tmp_path / "DUMP" / file.name.replace("mlp", "step")).write_bytes(file.read_bytes())
    trace = MODULES.parent / "kernels" / "batched.jsonl.gz"
    (tmp_path / "trace.jsonl.gz").write_bytes(trace.read_bytes())
    fake_package(tmp_path / "package")
    (tmp_path / "site").mkdir()
    (tmp_path / "answers.json").write_text('{"strides/1/1/1": "(5,2):(2,1)"}')
    monkeypatch.setenv("TLA_PROGRESS", str(tmp_path / "learn.json"))
    monkeypatch.chdir(tmp_path)
    everything = ""
    for line in examples:
        if re.search(r"[|&;<>]", re.sub(r"'[^']*'", "", line)):
            script = f'set -e; tla() {{ {shlex.join(COMMAND)} "$@"; }}; {line}'
            shell = subprocess.run(
                ["sh", "-c", script], env=ENVIRONMENT, capture_output=True, text=True, check=False
            )
            code, shown, err = shell.returncode, shell.stdout, shell.stderr
        else:
            code, shown, err = run(*shlex.split(line)[1:])
        assert (code, err) == (0, ""), line
        everything += shown
    assert everything


@pytest.mark.parametrize("words", [[], ["show"], ["ascend"], ["ascend", "copy"], ["completion"]])
def test_help_as_a_command(run: Run, words: list[str]) -> None:
    assert run("help", *words) == run(*words, "--help")
    assert run("help", *words).code == 0


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["shwo"], "there is no command 'shwo'. Did you mean show?"),
        (["Explian"], "there is no command 'Explian'. Did you mean explain?"),
        (["hepl"], "Did you mean help?"),
        (["help", "shwo"], "Did you mean show?"),
        (["ascend", "serach"], "there is no subcommand 'serach'. Did you mean search?"),
        (
            ["show", "4:1", "--stripe"],
            "there is no option --stripe. Did you mean --strip?\n",
        ),
        (["show", "4:1", "--rwos=3"], "Did you mean --rows"),
        (["ascend", "check", "AtlasA2", "half", "4,4,4", "--tile", "1,1,1"], "Did you mean --l1?"),
        ([""], "there is no command ''. Known: convert, show,"),
        (["help", "foo"], "there is no command 'foo'. Known: convert, show,"),
        (["convert", "f32[3,5]1", "f32[3,5]0"], "quote it, 'f32[3,5]{1,0}'\n"),
        (["where", "f32[2,3,5]2", "f32[2,3,5]0", "f32[2,3,5]1", "1,1"], "quote it, 'f32[2,3,5]{2,0,1}'"),
        (["explain"], "required: WHAT. WHAT is a layout; or an operation"),
        (["eval", "4:1", "more"], "this command takes 1 argument, EXPRESSION; it got 2: 4:1 and more\n"),
    ],
)
def test_a_mistyped_word(run: Run, words: list[str], meant: str) -> None:
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert meant in err


def test_options_of_every_command_may_come_first(run: Run) -> None:
    """A command behind `help` may have them too, and `help` has a help."""
    shown = run("show", "(2,3):(3,1)", "--color", "always")
    assert "\x1b[" in shown.out
    for first in (["--color", "always"], ["--colour=always"]):
        assert run(*first, "show", "(2,3):(3,1)") == shown
    assert run("--limit", "cells=3", "show", "(2,3):(3,1)").err == (
        run("show", "(2,3):(3,1)", "--limit=cells=3").err
    )
    helped = run("ascend", "show", "--help")
    assert run("--color=never", "ascend", "show", "--help") == helped
    assert run("ascend", "--color", "never", "show", "--help") == helped
    for words in (["help", "help"], ["help", "--color", "never"], ["--color", "never", "--help"]):
        assert run(*words) == run("--help")
    assert run("help", "--color", "never", "show") == run("show", "--help")


# --- exit codes ---


def test_main_returns_the_exit_code() -> None:
    assert main(["show", "(2,3):(3,1)"]) == 0
    assert main(["show", "(2,3):(1)"]) == 1


def test_exit_codes_of_the_process() -> None:
    assert process("convert", SHAPE).code == 0
    assert process("convert", "bad").code == 1
    assert process("convert").code == 2
    assert process("--version").out == f"tla {tla.__version__}\n"


@pytest.mark.parametrize("arguments", [["bogus"], ["--bogus"], ["CONVERT", SHAPE]])
def test_an_unknown_command(run: Run, arguments: list[str]) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("usage: tla ")
    assert "\ntla: error: " in err


def test_an_unknown_command_is_met_with_the_known_ones(run: Run) -> None:
    err = run("bogus").err
    assert "'bogus'" in err
    assert all(name in err for name in COMMANDS)


@pytest.mark.parametrize(
    "arguments",
    [
        ["convert", "bad"],
        ["convert", "(2,3):(1)"],
        ["show", "(2,3)"],
        ["show", "f32[3"],
        ["compose", "8:1", "(2"],
        ["complement", "4:2", "-5"],
        ["inverse", "(2,3)"],
        ["divide", "8:1", "(f32[2)"],
        ["eval", "size(8:1"],
        ["hlo", "/no/such/file"],
        ["hlo", "/"],
    ],
)
def test_every_error_starts_alike(run: Run, arguments: list[str]) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (1, "")
    assert err.startswith("tla: error: ")
    assert err.count("tla: error: ") == 1


def test_arguments_that_are_no_text() -> None:
    """A byte that is not UTF-8 reaches Python as a lone surrogate."""
    done = process("convert", b"f32[3\xff]")
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("tla: error: expected ']' or ',' after a dim")


HUGE = "9" * 1000  # the longest int that is read


@pytest.mark.parametrize("command", ["show", "convert"])
@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"(2,2):({HUGE},1)", id="stride"),
        pytest.param(f"(2):({HUGE})", id="one-stride"),
        pytest.param(f"({','.join([HUGE] * 5)}):(1,1,1,1,1)", id="size-of-5000-digits"),
        pytest.param("f32[2]{0:T(2)" + "(9223372036854775807)" * 20 + "}", id="tiles"),
    ],
)
def test_numbers_beyond_all_memory(run: Run, command: str, text: str) -> None:
    """Ints are exact at any length: either there is an answer, or an error that says what is wrong."""
    code, out, err = run(command, text)
    if code:
        assert "none: " in out or err.startswith("tla: error: ")
    else:
        assert out


# --- cut short ---


def test_an_interrupt_leaves_no_traceback(tmp_path: Path) -> None:
    """Ctrl-C while standard input is read: what was written fills the pipe, so it is being read."""
    with subprocess.Popen(
        [*COMMAND, "convert", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as command:
        assert command.stdin is not None
        command.stdin.write(b" " * 2**20)
        command.stdin.flush()
        command.send_signal(signal.SIGINT)
        out, err = command.communicate(timeout=60)
    assert (command.returncode, out, err) == (130, b"", b"tla: interrupted\n")


INTERRUPTING = """\
import os, signal, sys

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == os.environ["INTERRUPTED"]:
            os.environ["INTERRUPTED"] = ""
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Finder())
"""


@pytest.mark.parametrize("module", ["ground", "cli", "cli.main", "errors", "evaluation"])
@pytest.mark.parametrize("command", ["module", "script"])
def test_an_interrupt_while_it_is_imported(tmp_path: Path, command: str, module: str) -> None:
    """No traceback from the first line of the library on: the process ends, or says that it does."""
    (tmp_path / "sitecustomize.py").write_text(INTERRUPTING)
    script = tmp_path / "tla"
    script.write_text("import sys\nfrom tla.cli import main\nsys.exit(main())\n")
    path = os.pathsep.join([str(tmp_path), ENVIRONMENT["PYTHONPATH"]])
    done = subprocess.run(
        [
            sys.executable,
            *(["-m", "tla"] if command == "module" else [str(script)]),
            "eval",
            "size(4:1)",
        ],
        env={**ENVIRONMENT, "PYTHONPATH": path, "INTERRUPTED": f"tla.{module}"},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) in (
        (-signal.SIGINT, b"", b""),
        (130, b"", b"tla: interrupted\n"),
    )


def test_an_interrupt_is_an_exception_for_other_programs() -> None:
    """Only the command changes what a signal does, and gives it back."""
    script = "import signal, tla.cli; tla.cli.main(['eval', '4:1']); print(signal.getsignal(2).__name__)"
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=ENVIRONMENT,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        capture_output=True,
        check=False,
    )
    assert done.stdout == b"4:1\ndefault_int_handler\n"


def test_a_reader_that_leaves_is_no_error() -> None:
    """`tla show ... | head -1`, with more output than a pipe holds."""
    text = ("show", "(160,160):(160,1)", "--rows", "160", "--columns", "160")
    with subprocess.Popen(
        [*COMMAND, *text], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT
    ) as command:
        assert command.stdout is not None
        assert command.stderr is not None
        assert command.stdout.readline() == b"(160,160):(160,1)\n"
        command.stdout.close()
        assert (command.stderr.read(), command.wait(60)) == (b"", 0)


@pytest.mark.parametrize(
    "arguments", [("convert", SHAPE), ("show", SHAPE), ("--help",), ("convert", "--help")]
)
def test_a_reader_that_was_never_there(arguments: tuple[str, ...]) -> None:
    ours, theirs = os.pipe()
    os.close(ours)
    done = subprocess.run(
        [*COMMAND, *arguments], stdout=theirs, stderr=subprocess.PIPE, env=ENVIRONMENT, check=False
    )
    os.close(theirs)
    assert (done.returncode, done.stderr) == (0, b"")


def in_a_shell(redirected: str) -> tuple[int, str]:
    """The exit code and the errors of a command with redirections."""
    done = subprocess.run(
        ["sh", "-c", f"{shlex.join(COMMAND)} {redirected}"],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stderr


def test_without_standard_output() -> None:
    _code, err = in_a_shell(f"convert '{SHAPE}' >&-")
    assert "Traceback" not in err


def test_without_standard_input() -> None:
    code, err = in_a_shell("convert - <&-")
    assert code == 1
    assert err.startswith("tla: error: cannot read standard input")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")
def test_a_full_disk() -> None:
    code, err = in_a_shell(f"convert '{SHAPE}' > /dev/full")
    assert code == 1
    assert err.startswith("tla: error: ")
    assert "No space left" in err
    assert in_a_shell("diff 4:1 4:1 > /dev/full")[0] == 2  # 1 says that they differ
    assert "Traceback" not in err


def test_a_failure_is_told_though_nobody_reads_the_output() -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    done = subprocess.run(
        [sys.executable, "-m", "tla", "convert", "(2,3):(3,1)", "--size", "4"],
        stdout=write_end,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        env={k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"},
    )
    os.close(write_end)
    assert done.returncode == 1
    assert done.stderr.startswith("tla: error: ")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_a_question_mark_is_an_argument_like_others(run: Run, command: str) -> None:
    done = run(command, "?")
    assert done.code in (1, 2) or (command, done.out) == ("eval", "s0{min=0}\n")  # an unknown int
    assert done.err or command == "eval"
