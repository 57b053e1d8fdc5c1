"""``tla cpp``: a compiler's errors with layouts in notation, and the C++ of a layout."""

from __future__ import annotations

import os
import signal
import subprocess
from typing import TYPE_CHECKING

import pytest

from tla import parse, to_cpp

from .running import COMMAND, ENVIRONMENT, process

if TYPE_CHECKING:
    from pathlib import Path

    from .running import Run

TYPE = "tla::Layout<tla::tuple<tla::C<16>, unsigned int>, tla::tuple<tla::C<1>, long> >"
NOTATION = "tla::Layout[(_16,unsigned):(_1,long)]"


def test_standard_input(run: Run) -> None:
    text = f"a.cpp:3: error: no match for ‘{TYPE}’\n   3 | {TYPE} x;\n     | ^\nend"
    expected = f"a.cpp:3: error: no match for ‘{NOTATION}’\n   3 | {TYPE} x;\n     | ^\nend"
    assert run("cpp", stdin=text.encode()) == (0, expected, "")
    assert run("cpp", "-", stdin=text.encode()) == (0, expected, "")


def test_static_ints_of_other_libraries(run: Run) -> None:
    text = TYPE.replace("tla::C<16>", "std::integral_constant<int, 16>")
    out = NOTATION.replace("_16", "_16(std)")
    assert run("cpp", stdin=f"‘{text}’ std::integral_constant<int, 4>\n".encode()) == (
        0,
        f"‘{out}’ std::integral_constant<int, 4>\n",
        "",
    )
    text = TYPE.replace("tla::C<1>", "cuda::std::__4::integral_constant<int, 1>")
    assert run("cpp", stdin=text.encode()).out == NOTATION.replace("_1,", "_1(cuda::std),")


def test_a_file(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "errors.txt"
    path.write_text(f"{TYPE}\n", "utf-8")
    assert run("cpp", str(path)) == (0, f"{NOTATION}\n", "")


def passed(text: bytes) -> bytes:
    """What the command writes of a text."""
    done = subprocess.run(
        [*COMMAND, "cpp"], input=text, env=ENVIRONMENT, capture_output=True, check=True, timeout=60
    )
    assert done.stderr == b""
    return done.stdout


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"\n",
        b"\r\n\t",
        b"\xff\xfe  \x1b[01;31m\x1b[Ka\x1b[m\x1b[K\n\n",
        b"\x1b[38;5;8mgrey\x1b[0;48;2;8;8;8;1mbold\x1b[m\n",
        "é‘’".encode(),
    ],
)
def test_other_text_passes_byte_for_byte(text: bytes) -> None:
    assert passed(text) == text


def test_no_other_text_commands_a_terminal() -> None:
    hostile = "\x1b]0;title\x07 \x1b[2J \r \0 \x9b \u202e".encode() + b"\x9b\n"
    seen = rb"\x1b]0;title\x07 \x1b[2J \r \x00 \x9b \u202e\x9b" + b"\n"
    assert passed(hostile) == seen


def test_no_text_is_hidden() -> None:
    """Nor erased; nor does a long sequence of colours take long."""
    for code in (b"8m", b"0;08m", b"38;5;1;8m", b"48;2;1;2;8;8m", b"1K", b"2K", b"38;5;" * 9999):
        assert passed(b"\x1b[" + code + b"a\n") == rb"\x1b[" + code + b"a\n"


def test_each_line_is_out_before_the_next_is_read() -> None:
    with subprocess.Popen(
        [*COMMAND, "cpp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=ENVIRONMENT
    ) as command:
        assert command.stdin is not None
        assert command.stdout is not None
        for _time in range(3):
            command.stdin.write(f"{TYPE}\n".encode())
            command.stdin.flush()
            assert command.stdout.readline() == f"{NOTATION}\n".encode()
        command.stdin.close()
        assert command.wait(60) == 0


def test_an_interrupt_leaves_no_traceback() -> None:
    with subprocess.Popen(
        [*COMMAND, "cpp"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as command:
        assert command.stdin is not None
        assert command.stdout is not None
        command.stdin.write(b"x\n")
        command.stdin.flush()
        assert command.stdout.readline() == b"x\n"
        command.send_signal(signal.SIGINT)
        out, err = command.communicate(timeout=60)
    assert (command.returncode, out, err) == (130, b"", b"tla: interrupted\n")


def test_a_reader_that_leaves_is_no_error() -> None:
    with subprocess.Popen(
        [*COMMAND, "cpp"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
    ) as command:
        assert command.stdin is not None
        assert command.stdout is not None
        assert command.stderr is not None
        command.stdout.close()
        try:
            command.stdin.write(f"{TYPE}\n".encode() * 10_000)
            command.stdin.close()
        except BrokenPipeError:
            pass
        assert (command.stderr.read(), command.wait(60)) == (b"", 0)


def test_without_standard_input_or_output() -> None:
    for redirected in ("<&-", ">&-"):
        done = subprocess.run(
            ["sh", "-c", f'"$@" cpp {redirected}', "sh", *COMMAND],
            env=ENVIRONMENT,
            capture_output=True,
            input=b"x\n" if redirected == ">&-" else None,
            check=False,
        )
        assert b"Traceback" not in done.stderr
    assert process("cpp", os.devnull) == (0, "", "")


# --- the C++ of a layout ---


@pytest.mark.parametrize("kind", ["type", "value"])
@pytest.mark.parametrize("dialect", ["catlass", "cute"])
def test_emit(run: Run, kind: str, dialect: str) -> None:
    text = "((_16,2),(_16,3)):((_16,_256),(_1,512))"
    expected = to_cpp(parse(text), dialect, kind)
    assert run("cpp", "--emit", kind, "--dialect", dialect, text) == (0, f"{expected}\n", "")
    if dialect == "catlass":
        assert run("cpp", text, "--emit", kind) == (0, f"{expected}\n", "")
        assert run("cpp", "--emit", kind, stdin=text.encode()) == (0, f"{expected}\n", "")


def test_emit_of_other_notations(run: Run) -> None:
    assert run("cpp", "--emit", "value", "(_64,3)").out == "tla::MakeTuple(tla::_64{}, 3u)\n"
    code, out, err = run("cpp", "--emit", "type", "f32[2,3]{1,0}")
    assert (code, err) == (0, "")
    assert out.startswith(
        "tla::Layout<tla::tuple<tla::C<2>, tla::C<3> >, tla::tuple<tla::C<3>, tla::C<1> >"
    )
    assert run("cpp", "--emit", "type", "(f32[2]{0}, u8[4]{0})").out.count("\n") == 2


@pytest.mark.parametrize(
    ("arguments", "code", "error"),
    [
        (["/no/such/file"], 1, "tla: error: cannot read /no/such/file: No such file or directory"),
        (["/"], 1, "tla: error: cannot read /: Is a directory"),
        (["--emit", "type", "(2,3"], 1, "tla: error: expected ',' or ')'"),
        (["--emit", "type", "--dialect", "cute", "(4):(1):(3)"], 1, "tla: error: CuTe has no place"),
        (["--dialect", "cute"], 2, "tla cpp: error: --dialect goes with --emit"),
        (["--emit", "name", "4:1"], 2, "tla cpp: error: argument --emit: invalid choice: 'name'"),
        (["a", "b"], 2, "tla: error: this command takes 1 argument, FILE; it got 2: a and b"),
    ],
)
def test_what_is_wrong(run: Run, arguments: list[str], code: int, error: str) -> None:
    done = run("cpp", *arguments)
    assert (done.code, done.out) == (code, "")
    assert error.removeprefix("tla: " if code == 2 else "") in done.err
