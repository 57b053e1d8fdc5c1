"""``tla show``: the offsets of a layout as a picture."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from html import unescape
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest

from tla.cli import COMMANDS

from .running import COMMAND, ENVIRONMENT, process

if TYPE_CHECKING:
    from pathlib import Path

    from .running import Run


# --- the pictures ---


def test_row_major(run: Run) -> None:
    """The TLA document: a 2x3 matrix, row major."""
    assert run("show", "(2,3):(3,1)") == (
        0,
        """\
(2,3):(3,1)
      0   1   2
    +---+---+---+
  0 | 0 | 1 | 2 |
    +---+---+---+
  1 | 3 | 4 | 5 |
    +---+---+---+
""",
        "",
    )


def cells(out: str) -> list[list[str]]:
    """The cells of each row drawn."""
    rows = [line.split("|")[1:-1] for line in out.splitlines() if "|" in line]
    return [re.findall(r"\(?-?\d+\)?", " ".join(row)) for row in rows]


def test_column_major(run: Run) -> None:
    assert cells(run("show", "(2,3):(1,2)").out) == [["0", "2", "4"], ["1", "3", "5"]]


def test_zn(run: Run) -> None:
    """The TLA document: zN, 8 x 12 in blocks of 4 x 4: rows inside, columns of blocks outside."""
    rows = cells(run("show", "((4,2),(4,3)):((4,16),(1,32))").out)
    assert rows == [
        [str(i % 4 * 4 + i // 4 * 16 + j % 4 + j // 4 * 32) for j in range(12)] for i in range(8)
    ]
    assert rows[1][:6] == ["4", "5", "6", "7", "36", "37"]


def test_padding_stands_in_brackets(run: Run) -> None:
    code, out, _err = run("show", "f32[3,5]{1,0:T(2,2)}")
    assert code == 0
    assert out.startswith("f32[3,5]{1,0:T(2,2)} = ((_2,_2),(_2,_3)):((_2,_12),(_1,_4)):(_3,_5)\n")
    assert cells(out)[0] == ["0", "1", "4", "5", "8", "(9)"]
    assert cells(out)[3] == ["(14)", "(15)", "(18)", "(19)", "(22)", "(23)"]
    assert out.endswith("(n) is padding: 15 of 24 hold data\n")


def test_a_vector_is_one_row(run: Run) -> None:
    assert cells(run("show", "(4):(2)").out) == [["0", "2", "4", "6"]]
    assert cells(run("show", "4:2").out) == [["0", "2", "4", "6"]]
    assert cells(run("show", "():()").out) == [["0"]]


def test_higher_ranks_are_slices(run: Run) -> None:
    out = run("show", "(2,2,2):(4,2,1)").out
    assert [line for line in out.splitlines() if line.startswith("[")] == ["[0,_,_]", "[1,_,_]"]
    assert cells(out) == [["0", "1"], ["2", "3"], ["4", "5"], ["6", "7"]]


def test_an_empty_layout_has_no_cells(run: Run) -> None:
    assert run("show", "(0,3):(3,1)") == (0, "(0,3):(3,1)\n(no elements)\n", "")


def test_a_corner_of_a_large_layout(run: Run) -> None:
    code, out, _err = run("show", "(1000000,1000000):(1000000,1)")
    assert code == 0
    assert len(out) < 50_000
    assert (len(cells(out)), len(cells(out)[0])) == (16, 64)
    assert "a corner of 1000000 x 1000000: 1000000000000 coordinates" in out


def test_the_corner_asked_for(run: Run) -> None:
    arguments = ("--rows", "2", "--columns", "3", "--slices", "1")
    out = run("show", "(2,9,9):(81,9,1)", *arguments).out
    assert "[0,_,_]" in out
    assert "[1,_,_]" not in out
    assert [row[:3] for row in cells(out)] == [["0", "1", "2"], ["9", "10", "11"]]
    assert "162 coordinates, offsets that span 162" in out.splitlines()[-1]


# --- what is beside the picture ---


@pytest.mark.parametrize(
    ("text", "head"),
    [
        ("f32[3,5]{1,0}", "f32[3,5]{1,0} = (_3,_5):(_5,_1)"),
        ("zN< half >(20,48)", "zN< half >(20,48) = ((_16,2),(_16,3)):((_16,_256),(_1,512)):(20,48)"),
        ("cute::Layout<cute::C<8>, cute::C<2>>", "_8:_2"),
    ],
)
def test_both_notations_stand_above(run: Run, text: str, head: str) -> None:
    assert run("show", text).out.splitlines()[0] == head


def test_the_borders_of_tiles_are_drawn(run: Run) -> None:
    """Tiles of 2 by 2 in an array of 4 by 4: the rows and the columns in two parts each."""
    lines = run("show", "f32[4,4]{1,0:T(2,2)}").out.splitlines()
    assert [line.count("|") for line in lines if "|" in line] == [3] * 4
    assert sum(line.lstrip().startswith("+-") for line in lines) == 3


def test_memory_stands_beside_the_grid(run: Run) -> None:
    out = run("show", "(2,2):(3,1)", "--strip").out
    top = out.splitlines()[0]
    assert top.startswith("(2,2):(3,1)")
    assert "in memory" in top
    (line,) = [line for line in out.splitlines() if "(0,1)" in line]
    assert [part.strip() for part in line.split("|")[-6:-1]] == ["(0,0)", "(0,1)", "", "(1,0)", "(1,1)"]


def test_so_many_places_of_memory(run: Run) -> None:
    out = run("show", "100:1", "--places", "3").out
    assert "the first 3 of 100 places" in out
    assert "in memory" in out


def test_layouts_side_by_side(run: Run) -> None:
    """All offsets of both, in the order given, whether there is room beside each other or not."""
    code, out, err = run("show", "(2,3):(3,1)", "(2,3):(1,2)")
    assert (code, err) == (0, "")
    first, second = out.index("(2,3):(3,1)"), out.index("(2,3):(1,2)")
    assert first < second
    beside = [re.findall(r"\| *(\d+) +\| *(\d+) +\| *(\d+) +\|", line) for line in out.splitlines()]
    rows = [row for line in beside for row in line]
    assert sorted(rows) == [("0", "1", "2"), ("0", "2", "4"), ("1", "3", "5"), ("3", "4", "5")]


def test_a_summary_of_a_thousand_million_elements(run: Run) -> None:
    for format_ in ((), ("--svg",), ("--html",), ("--strip",)):
        code, out, _err = run("show", "(100000,10000):(1,100000)", *format_)
        assert code == 0
        assert "1000000000" in out
        assert len(out) < 1_000_000


# --- files ---


def test_a_picture_in_one_command(run: Run, tmp_path: Path) -> None:
    """The name of the file says the format."""
    for name, start in {
        "a.svg": "<svg ",
        "a.HTML": "<!doctype html>",
        "a.tex": "\\documentclass",
    }.items():
        path = tmp_path / name
        assert run("show", "(2,3):(3,1)", "-o", str(path)) == (0, "", "")
        assert path.read_text("utf-8").startswith(start)
    path = tmp_path / "a.txt"
    assert run("show", "(2,3):(3,1)", "-o", str(path)) == (0, "", "")
    assert path.read_text("utf-8") == run("show", "(2,3):(3,1)").out


def test_the_format_asked_for_needs_no_name(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.page"
    assert run("show", "(2,3):(3,1)", "--html", "-o", str(path)).code == 0
    assert path.read_text("utf-8").startswith("<!doctype html>")
    assert run("show", "(2,3):(3,1)", "--html").out == path.read_text("utf-8")
    assert run("show", "(2,3):(3,1)", "--html", "-o", "-").out == path.read_text("utf-8")


@pytest.mark.parametrize(
    ("texts", "call"),
    [
        (("zN<half>(3,4)",), 'tla.pack(array, "zN<half>(3,4)")'),
        (
            ("Sw<1,0,1> o 0 o (2,2):(2,1)", "--columns=1"),
            'tla.pack(array, "Sw<1,0,1> o 0 o (2,2):(2,1)")',
        ),
        (("4:1", "4:2"), "tla.pack(array, layout)"),
        (("(4,4):(0,1)",), None),  # two elements would share an offset
        (("(4,4):(1@0,1@1)",), None),
    ],
)
def test_a_page_says_how_to_get_the_bytes(run: Run, texts: tuple[str, ...], call: str | None) -> None:
    page = unescape(run("show", *texts, "--html").out)
    said = [] if call is None else [call]
    assert re.findall(r"tla\.pack\(.*\)(?= gives the bytes)", page) == said
    title = re.search("<title>(.*)</title>", page)
    assert title
    assert title[1].startswith(texts[0])


def test_a_file_that_cannot_be_written(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "no" / "a.svg"
    code, out, err = run("show", "(2,3):(3,1)", "-o", str(path))
    assert (code, out) == (1, "")
    assert err == f"tla: error: cannot write {path}: No such file or directory\n"


def test_a_layout_seen_through_a_swizzle(run: Run) -> None:
    swizzled = "Sw<1,0,3> o 0 o (4,4):(4,1)"
    out = run("show", swizzled, "--rows", "4").out
    assert out.splitlines()[0] == swizzled
    found = json.loads(run("show", swizzled, "--json").out)
    assert found["layout"] == swizzled
    assert found["grids"][0]["offsets"][2:] == [[9, 8, 11, 10], [13, 12, 15, 14]]
    assert "leave --strip and --places out" in run("show", swizzled, "--strip").err
    assert "Sw<1,0,3> is no layout" in run("show", "Sw<1,0,3>").err
    assert run("show", "Sw<1,0").err.startswith("tla: error: expected ")


def test_png_without_its_package_is_one_sentence(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    path = tmp_path / "a.png"
    assert run("show", "(2,3):(3,1)", "-o", str(path)) == (
        1,
        "",
        "tla: error: a picture as PNG needs the package resvg-py, which is not installed\n"
        "  pip install 'tla-layouts[png]'; --svg needs no package.\n",
    )
    assert not path.exists()


def test_png_is_twice_as_large_as_svg(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("resvg_py")
    path = tmp_path / "a.png"
    assert run("show", "(2,3):(3,1)", "-o", str(path)) == (0, "", "")
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    size = re.match(
        r'<svg [^>]*width="([\d.]+)" height="([\d.]+)"', run("show", "(2,3):(3,1)", "--svg").out
    )
    assert size
    wide, high = (int.from_bytes(data[at : at + 4], "big") for at in (16, 20))
    assert (wide, high) == pytest.approx([2 * float(n) for n in size.groups()], abs=2)


def test_text_is_not_written_under_the_name_of_another_picture(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.GIF"
    code, out, err = run("show", "(2,3):(3,1)", "-o", str(path))
    assert (code, out, path.exists()) == (1, "", False)
    assert err.endswith("a.GIF: a picture is written as .svg, .png, .html, .htm, .tex, not .gif\n")
    assert run("show", "(2,3):(3,1)", "--svg", "-o", str(path)).code == 0


def test_one_format_at_a_time(run: Run, tmp_path: Path) -> None:
    assert run("show", "(2,3):(3,1)", "--svg", "--html").code == 2
    assert run("show", "(2,3):(3,1)", "--svg", "--json").code == 2
    code, out, err = run("show", "(2,3):(3,1)", "--json", "-o", str(tmp_path / "a"))
    assert (code, out) == (2, "")
    assert "--output takes the picture, not JSON" in err


def drawn(text: str) -> list[str]:
    """The texts in the cells of an SVG picture."""
    groups = ElementTree.fromstring(text).iter("{http://www.w3.org/2000/svg}g")
    (cells_of,) = [group for group in groups if group.get("class") == "c"]
    return [text.text or "" for text in cells_of.iter("{http://www.w3.org/2000/svg}text")]


def test_cells_of_a_file_have_text_up_to_64(run: Run) -> None:
    assert drawn(run("show", "(64,64):(64,1)", "--svg").out) == [str(n) for n in range(64 * 64)]
    assert "data:image/png" in run("show", "(65,65):(65,1)", "--svg").out


def test_the_corner_of_a_file(run: Run) -> None:
    assert drawn(run("show", "(9,9):(9,1)", "--svg", "--rows", "2", "--columns", "3").out) == [
        "0", "1", "2", "9", "10", "11",
    ]  # fmt: skip


def test_colours_are_those_asked_for(run: Run) -> None:
    def colours(*options: str) -> set[str]:
        return set(
            re.findall(r'fill="(#\w+)"', run("show", "(4,(2,2)):(4,(1,2))", "--svg", *options).out)
        )

    assert len(colours("--colour-by", "none")) == 1
    assert colours() == colours("--colour-by", "tile") == colours("--color-by", "tile")
    assert colours("--colour-by", "offset") != colours()
    assert run("show", "(2,3):(3,1)", "--colour-by", "word").code == 2


# --- data, standard input, what is wrong ---


def test_json(run: Run) -> None:
    code, out, err = run("show", "(2,2):(2,1):(2,1)", "--json")
    assert (code, err) == (0, "")
    assert json.loads(out) == {
        "layout": "(2,2):(2,1):(2,1)",
        "size": 4,
        "valid_size": 2,
        "cosize": 4,
        "slices": 1,
        "grids": [
            {
                "title": "",
                "rows": 2,
                "columns": 2,
                "offsets": [[0, 1], [2, 3]],
                "valid": [[True, False], [True, False]],
            }
        ],
    }


def test_json_of_several_and_of_memory(run: Run) -> None:
    facts = json.loads(run("show", "(2):(2)", "(3):(1)", "--strip", "--json").out)["layouts"]
    assert [each["layout"] for each in facts] == ["(2):(2)", "(3):(1)"]
    assert facts[0]["strip"] == {
        "start": 0,
        "end": 3,
        "places": [
            {"offset": 0, "coordinates": ["(0)"], "hits": 1, "valid": True},
            {"offset": 1, "coordinates": [], "hits": 0, "valid": False},
            {"offset": 2, "coordinates": ["(1)"], "hits": 1, "valid": True},
        ],
    }


def test_what_is_wrong_with_the_second_text(run: Run) -> None:
    code, out, err = run("show", "(2,3):(3,1)", "(2,3):(1)")
    assert (code, out) == (1, "")
    assert err.startswith("tla: error: shape (2,3) and stride (1) are not congruent")


def test_standard_input(run: Run) -> None:
    assert run("show", "-", stdin=b"(2,3):(3,1)\n") == run("show", "(2,3):(3,1)")


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", "expected a layout such as (2,3):(3,1)"),
        (
            "(2,3)",
            "(2,3) is no layout: a layout is a shape, ':' and a stride\n  Compact, it would be (2,3):",
        ),
        ("(2,3):(1)", "shape (2,3) and stride (1) are not congruent"),
        ("(-2):(1)", "shape (-2) has the negative extent -2"),
        ("_", "'_' alone keeps a mode"),
        (
            "(f32[2], f32[3])",
            "(f32[2]{0}, f32[3]{0}) is a tuple of shapes, and has no layout of its own",
        ),
        ("token[]", "token[] carries no data"),
        ("f32[3,5]{1,0:T(3,4)(2,3)}", "f32[3,5]{1,0:T(3,4)(2,3)} has no nested layout"),
        (
            "f32[<=5,3]",
            "there is no picture of (_5,_3):(_3,_1):(d0{min=0,max=5},_3) without numbers for d0\n"
            "  Write them into the layout: with d0 = 3 it is (_5,_3):(_3,_1):(3,_3)",
        ),
        (
            "(M{div=16,min=40},K):(K,1)",
            "there is no picture of (M{div=16,min=40},K):(K,1) without numbers for K, M\n"
            "  Write them into the layout: with K = 2, M = 48 it is (48,2):(2,1)",
        ),
        (
            "f32[?,9]{0,1:T(*,2)}",
            "cannot decide whether d0 % 2 == 0, as a nested layout of f32[?,9]{0,1:T(*,2)} needs\n"
            "  A tile of 2 cuts dim 1, which counts by d0{min=0} there.\n"
            "  Write a number in place of '?', or a bound, '<=N'.\n",
        ),
        ("(" * 10**5, "nested deeper than"),
    ],
    ids=lambda x: str(x)[:20],
)
def test_wrong_input(run: Run, text: str, error: str) -> None:
    code, out, err = run("show", text)
    assert (code, out) == (1, "")
    assert err.startswith(f"tla: error: {error}")


@pytest.mark.parametrize("text", ["f32[<=5,3]", "f32[?,3]{0,1:T(2,2)}", "(M{max=1},N):(N,1)"])
def test_the_layout_that_an_unknown_one_could_be_is_drawn(run: Run, text: str) -> None:
    example = run("show", text).err.split()[-1]
    assert run("show", example).code == 0


def test_a_buffer_is_its_array(run: Run) -> None:
    buffer, array = run("show", "b(f32[3]{0})"), run("show", "f32[3]{0}")
    assert buffer.out == f"b({array.out.split(' ')[0]}){array.out[len('f32[3]{0}') :]}"


@pytest.mark.parametrize(
    ("option", "count"), [("--rows", "0"), ("--columns", "-3"), ("--slices", "many"), ("--rows", "1.5")]
)
def test_a_count_is_a_positive_int(run: Run, option: str, count: str) -> None:
    code, out, err = run("show", "(2,3):(3,1)", f"{option}={count}")
    assert (code, out) == (2, "")
    assert f"tla show: error: argument {option}: " in err
    assert f"'{count}'" in err
    assert "positive" in err
    assert "_count" not in err  # a name of the program's inside


# --- colour ---


def on_a_terminal(*arguments: str, **environment: str) -> str:
    """What a command writes to a terminal."""
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    environment = {**ENVIRONMENT, "TERM": "xterm-256color", "COLUMNS": "80", **environment}
    with subprocess.Popen([*COMMAND, *arguments], stdout=theirs, env=environment) as command:
        os.close(theirs)
        out = b""
        try:
            while part := os.read(ours, 65536):
                out += part
        except OSError:  # Linux says so where the other end is closed
            pass
        assert command.wait(60) == 0
    os.close(ours)
    return out.decode().replace("\r\n", "\n")


def test_a_terminal_has_colour() -> None:
    pytest.importorskip("rich")
    assert "\x1b[" in on_a_terminal("show", "f32[3,5]{1,0:T(2,2)}")


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_colour_is_turned_off(environment: dict[str, str]) -> None:
    out = on_a_terminal("show", "f32[3,5]{1,0:T(2,2)}", **environment)
    assert out == process("show", "f32[3,5]{1,0:T(2,2)}").out


def test_a_pipe_has_no_colour_unless_it_is_asked_for() -> None:
    for environment, options, is_coloured in (
        ({}, [], False),
        ({"FORCE_COLOR": "1"}, [], True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, [], False),
        ({"FORCE_COLOR": "1"}, ["--color=never"], False),
        ({"NO_COLOR": "1", "TERM": "dumb"}, ["--colour=always"], True),
    ):
        done = process("show", "(2,3):(3,1)", *options, environment=environment)
        assert (done.code, "\x1b[" in done.out) == (0, is_coloured)


def test_every_command_is_told_when_to_colour(run: Run) -> None:
    """One that writes no figure has no colour, and takes the option all the same."""
    for name in COMMANDS:
        words = [name, "show"] if name == "ascend" else [name]
        assert "--color" in run(*words, "--help").out
    steps = ("compose", "(6,2):(8,2)", "(4,3):(3,1)", "--steps")
    assert "\x1b[" not in run(*steps).out
    assert "\x1b[" in run(*steps, "--color=always").out
    assert "\x1b[" in run("eval", "coalesce((2,3):(1,2))", "--steps", "--color=always").out
    assert run("eval", "size((2,3):(1,2))", "--color=always") == (0, "6\n", "")
    assert run("eval", "size((2,3):(1,2))", "--color=blue").code == 2


def test_a_picture_fits_the_terminal() -> None:
    out = on_a_terminal("show", "(2,100):(100,1)", NO_COLOR="1", COLUMNS="40")
    assert max(len(line) for line in out.splitlines() if "|" in line or "+" in line) <= 40
    assert len(cells(out)[0]) > 3
    assert "a corner of 2 x 100" in out


@pytest.mark.parametrize(
    "arguments",
    [
        ("f32[3,5]{1,0:T(2,2)}",),
        ("((4,2),(4,3)):((4,16),(1,32))", "--strip"),
        ("(2,3):(3,1)", "(100,100):(100,1)"),
        ("zN<half>(20,48)", "--rows", "3"),
        ("(100000,10000):(1,100000)", "--rows", "2"),
        ("(2,2,9):(18,9,1)", "--places", "5"),
    ],
)
def test_forty_columns_read(arguments: tuple[str, ...]) -> None:
    """No line is longer, and the first offsets are there."""
    out = on_a_terminal("show", *arguments, NO_COLOR="1", COLUMNS="40")
    assert max(map(len, out.splitlines())) <= 40
    assert len(cells(out)[0]) >= 2


def test_dims_that_a_star_combines(run: Run) -> None:
    """The picture of F32[112,110], which they become."""
    drawn = run("show", "F32[2, 7,8,11,10]{4,3,2,1,0:T(∗,∗,2,∗,3)}")
    combined = run("show", "((_2,_56),(_3,_37)):((_3,_222),(_1,_6)):(_112,_110)")
    assert drawn.code == combined.code == 0
    assert "over dims (0,1,2) and (3,4)" in drawn.out
    assert drawn.out.split("\n", 1)[1] == combined.out.split("\n", 1)[1]
