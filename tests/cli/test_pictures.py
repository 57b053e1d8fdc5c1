"""``--svg``, ``--html``, ``--latex`` and ``-o`` of the commands that have a figure."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest

from .running import MODULES

if TYPE_CHECKING:
    from pathlib import Path

    from .running import Run

MODULE = str(MODULES / "v5e_pad_window.hlo")
BROADCAST = "b = f32[2,3] broadcast(f32[3] x), dimensions={1}"
PLAN = ("ascend", "check", "AtlasA2", "half", "4096,4096,4096")
SCHEDULE = ("ascend", "schedule", "2048,2048,2048", "--tile", "128,256,256")
COPY = ("ascend", "copy", "gm-l1", "RowMajor<half>(100,100)", "--to", "zN", "--tile", "20,24")

COMMANDS = {
    "show": ("show", "(2,3):(3,1)"),
    "convert": ("convert", "f32[3,5]{1,0:T(2,2)}"),
    "convert back": ("convert", "(2,3):(3,1)"),
    "buffers": ("hlo", MODULE),
    "live": ("hlo", MODULE, "--live", "--top", "2"),
    "architecture": ("ascend", "show", "AtlasA2"),
    "architectures": ("ascend", "show"),
    "check": PLAN,
    "schedule": SCHEDULE,
    "two schedules": (*SCHEDULE, "--versus", "identity<4,1>"),
    "copy": COPY,
    "reads": ("index", BROADCAST),
    "module": ("index", MODULE),
    "through": ("index", MODULE, "--through"),
    "map": ("index", "(d0, d1) -> (d1, d0), domain: d0 in [0, 6], d1 in [0, 14]"),
    "map of a layout": ("index", "f32[3,5]{1,0:T(2,2)}"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_writes_each_format(run: Run, name: str, tmp_path: Path) -> None:
    command = COMMANDS[name]
    code, out, err = run(*command, "--svg")
    assert (code, err) == (0, "")
    assert ElementTree.fromstring(out).tag == "{http://www.w3.org/2000/svg}svg"
    assert run(*command, "--html").out.startswith("<!doctype html>")
    assert run(*command, "--latex").out.startswith("\\documentclass")
    path = tmp_path / "picture.svg"
    assert run(*command, "-o", str(path)) == (0, "", "")
    assert path.read_text("utf-8") == out
    text = tmp_path / "picture.txt"
    assert run(*command, "-o", str(text)) == (0, "", "")
    assert "<svg" not in text.read_text("utf-8")


@pytest.mark.parametrize(
    ("command", "option"),
    [
        (("hlo", MODULE), "--copies"),
        (("hlo", MODULE), "--all"),
        (("hlo", MODULE), "--layouts"),
        (("ascend", "show"), "--elements"),
        (PLAN, "--emit"),
        (SCHEDULE, "--blocks"),
        (COPY, "--all"),
        (COPY, "--prove"),
        (("index", BROADCAST), "--all"),
        (("index", BROADCAST), "--to-output"),
        (("index", BROADCAST), "--physical"),
    ],
)
def test_what_has_no_picture_says_so(run: Run, command: tuple[str, ...], option: str) -> None:
    code, out, err = run(*command, option, "--svg")
    assert (code, out) == (2, "")
    assert f"--svg does not go with {option}: " in err
    code, out, err = run(*command, option, "-o", "-")
    assert f"--output does not go with {option}: " in err


@pytest.mark.parametrize("name", COMMANDS)
def test_json_is_no_picture(run: Run, name: str, tmp_path: Path) -> None:
    assert run(*COMMANDS[name], "--json").out.startswith("{")
    assert run(*COMMANDS[name], "--json", "--svg").code == 2
    code, _out, err = run(*COMMANDS[name], "--json", "-o", str(tmp_path / "a"))
    assert code == 2
    assert "--output takes the picture, not JSON" in err
    assert not (tmp_path / "a").exists()


def test_one_format_for_each_picture(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "x.tex"
    assert run("show", "(2,3):(3,1)", "--svg", "-o", str(path)) == (
        1,
        "",
        f"tla: error: cannot write {path}: --svg is asked for, and the name says latex\n",
    )
    assert not path.exists()
    assert run("show", "(2,3):(3,1)", "--latex", "-o", str(path)).code == 0


def test_an_illegal_plan_is_drawn_and_is_an_error(run: Run) -> None:
    code, out, _err = run(
        "ascend", "check", "Ascend950", "half", "4096,4096,4096", "--l1", "100,256,256", "--html"
    )
    assert code == 1
    assert "illegal" in out
    assert "written over by another" in out


def test_the_peak_names_the_memory_of_the_chip(run: Run) -> None:
    plain, named = (
        run("hlo", MODULE, "--live", "--svg"),
        run("hlo", MODULE, "--live", "--svg", "--chip", "v5e"),
    )
    assert "S(1): live at" in plain.out
    assert "VMEM: live at" in named.out


def test_the_most_that_are_drawn(run: Run) -> None:
    out = run("hlo", MODULE, "--html", "--top", "2").out
    assert "the 2 of 5 buffers with the most waste" in out


def test_an_instruction_without_a_map_says_why(run: Run) -> None:
    text = 'c = f32[8] custom-call(f32[8] x), custom_call_target="f"'
    code, out, err = run("index", text, "--svg")
    assert (code, out) == (1, "")
    assert err == run("index", text).err
    assert "custom-call is not supported" in err


@pytest.mark.parametrize(
    "command",
    ["show", "convert", "hlo", "index", "ascend show", "ascend check", "ascend schedule", "ascend copy"],
)
def test_help_tells_of_the_formats(run: Run, command: str) -> None:
    out = run(*command.split(), "--help").out
    for option in ("--svg", "--html", "--latex", "--output", "-o "):
        assert option in out


def test_a_conversion_is_drawn_under_both_notations(run: Run) -> None:
    layout = "((_2,_2),(_2,_3)):((_2,_12),(_1,_4)):(_3,_5)"
    assert f"f32[3,5]{{1,0:T(2,2)}} = {layout}" in run("convert", "f32[3,5]{1,0:T(2,2)}", "--svg").out
    assert "(2,3):(3,1) = f32[2,3]{1,0}" in run("convert", "(2,3):(3,1)", "-o", "-").out
    both = run("convert", "(f32[2], s32[3])", "--svg").out
    assert "f32[2]{0} = (_2):(_1)" in both
    assert "s32[3]{0} = (_3):(_1)" in both


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("f32[<=5,3]", "there is no picture of (_5,_3):(_3,_1):(d0{min=0,max=5},_3) without numbers"),
        ("f32[3,5]{1,0:T(3,4)(2,3)}", "f32[3,5]{1,0:T(3,4)(2,3)} has no nested layout"),
        ("token[]", "token[] carries no data"),
        ("(token[], token[])", "token[] carries no data"),
    ],
)
def test_a_conversion_without_a_picture(run: Run, text: str, error: str) -> None:
    code, out, err = run("convert", text, "--svg")
    assert (code, out) == (1, "")
    assert err.startswith(f"tla: error: {error}")


@pytest.mark.parametrize("name", COMMANDS)
def test_a_picture_is_as_wide_as_asked(run: Run, name: str) -> None:
    for width in (500, 700):
        picture = ElementTree.fromstring(run(*COMMANDS[name], "--svg", "--width", str(width)).out)
        assert float(picture.attrib["width"]) <= width
    assert run(*COMMANDS[name], "--svg", "--width", "0").code == 2
