"""``tla explain``: steps of tilings and of the operations of the algebra."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING, Any

import pytest

from tla.explain import EXPLAINED

if TYPE_CHECKING:
    from pathlib import Path

    from .running import Run

SHAPE = "f32[3,5]{1,0:T(2,2)}"


# --- tilings ---


def test_the_worked_example_of_the_tiling_document(run: Run) -> None:
    code, out, err = run("explain", "tiling", SHAPE, "2,3", "--table")
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "tiling f32[3,5]{1,0:T(2,2)} (2,3)",
        "  tile   step                 dims       (2,3) is at",
        "         transpose (0,1)      (3,5)      (2,3)",
        "  (2,2)  pad                  (4,6)      (2,3)",
        "         reshape              (2,2,3,2)  (1,0,1,1)",
        "         transpose (0,2,1,3)  (2,3,2,2)  (1,1,0,1)",
        "         reshape              (24)       (17)",
        "  = offset 17 of 24 elements",
    ]


def test_it_is_told_and_drawn(run: Run) -> None:
    lines = run("explain", "tiling", SHAPE, "2,3").out.splitlines()
    assert lines[0] == "tiling f32[3,5]{1,0:T(2,2)} (2,3)"
    assert lines[5].endswith("(2,3) is at 1*12 + 1*4 + 0*2 + 1*1 = 17.")
    assert lines[6] == "  = offset 17 of 24 elements"
    assert any("[17]" in line for line in lines[7:])
    assert "  in memory, around 17" in lines


def test_without_an_index_and_from_standard_input(run: Run) -> None:
    out = run("explain", "tiling", "-", stdin=SHAPE.encode()).out
    assert out == run("explain", "tiling", SHAPE).out
    assert "\n  = 24 elements\n" in out


def test_a_warning_where_xla_counts_otherwise(run: Run) -> None:
    lines = run("explain", "tiling", "f32[3,5]{1,0:T(3,4)(2,3)}").out.splitlines()
    assert lines[1].startswith("  warning: XLA counts 96 bytes, the tiles take 192: ")


def test_json(run: Run) -> None:
    found: dict[str, Any] = json.loads(run("explain", "tiling", SHAPE, "2,3", "--json").out)
    assert found["result"] == "offset 17 of 24 elements"
    assert found["columns"] == ["tile", "step", "dims", "(2,3) is at"]
    assert found["rows"][1] == ["(2,2)", "pad", "(4,6)", "(2,3)"]
    assert found["parts"] == []
    assert len(found["sentences"]) == len(found["rows"])


# --- operations ---


@pytest.mark.parametrize(
    ("explained", "command"),
    [
        ("composition '(6,2):(8,2)' '(4,3):(3,1)'", "compose '(6,2):(8,2)' '(4,3):(3,1)'"),
        ("compose '(6,2):(8,2)' '(4,3):(3,1)'", "compose '(6,2):(8,2)' '(4,3):(3,1)'"),
        ("complement '(2,2):(1,6)' 24", "complement '(2,2):(1,6)' 24"),
        ("coalesce '(2,(1,6)):(1,(7,2))'", "coalesce '(2,(1,6)):(1,(7,2))'"),
        ("logical_divide '(4,2,3):(2,1,8)' 4:2", "divide '(4,2,3):(2,1,8)' 4:2"),
    ],
)
def test_its_table_is_what_the_option_steps_shows(run: Run, explained: str, command: str) -> None:
    out = run("explain", *shlex.split(explained), "--table").out
    assert out == run(*shlex.split(command), "--steps").out
    assert out


ARGUMENTS = {"coalesce": 1, "left_inverse": 1, "right_inverse": 1}


@pytest.mark.parametrize("name", sorted(EXPLAINED))
def test_every_operation_with_steps(run: Run, name: str) -> None:
    second = "16" if name == "complement" else "2:1"
    texts = ["(4,2):(1,4)", second][: ARGUMENTS.get(name, 2)]
    found: dict[str, Any] = json.loads(run("explain", name, *texts, "--json").out)
    assert found["title"].startswith(f"{name}(")
    assert found["result"]
    assert found["rows"] or found["parts"]


def test_options_and_unknowns(run: Run) -> None:
    exact = run("explain", "zipped_divide", "(8,6):(1,8)", "(4,3)", "exact=true")
    assert "exact=true" in exact.out.splitlines()[0]
    assert run("explain", "zipped_divide", "(8,6):(1,8)", "(4,3)", "exact=True").out == exact.out
    refused = run("explain", "zipped_divide", "(8,6):(1,8)", "(3,3)", "exact=true")
    assert refused.code == 1
    assumed = ["explain", "logical_divide", "M:1", "48", "exact=true"]
    assert run(*assumed, "--assume", "M % 48 == 0").code == 0
    undecided = run(*assumed)
    assert undecided.code == 1
    assert "--assume" in undecided.err


def test_an_operation_is_told_and_drawn_or_listed(run: Run) -> None:
    command = ("explain", "composition", "(6,2):(8,2)", "(4,3):(3,1)")
    lines = run(*command).out.splitlines()
    assert lines[1] == "  C = A o B: C(i) = A(B(i)) for each coordinate i of B"
    assert lines[2].startswith("  1. Mode 0 of B, 4:3, takes every 3rd index. A's mode 0, 6:8, has ")
    assert lines[5] == "  = ((2,2),3):((24,2),8)"
    assert lines[7].split("  ")[1] == "A = (6,2):(8,2)"
    listed = run(*command, "--table").out.splitlines()
    assert listed[1].split() == ["mode", "of", "B", "rest", "of", "it", "mode", "of", "A", "gives"]
    assert listed[-1] == "  = ((2,2),3):((24,2),8)"


# --- a coordinate, an offset ---

ZN = "((4,2),(4,3)):((4,16),(1,32))"
WAY = "(1,5) -> ((1,0),(1,1)) -> 1*4 + 0*16 + 1*1 + 1*32 = 37"


@pytest.mark.parametrize("coord", ["1,5", "(1,5)", "((1,0),(1,1))", "41"])
def test_a_coordinate(run: Run, coord: str) -> None:
    code, out, err = run("explain", ZN, coord)
    assert (code, err) == (0, "")
    assert out.startswith(f"{ZN} at ")
    assert "1*4 + 0*16 + 1*1 + 1*32 = 37\n  = offset 37\n" in out
    assert "[37]" in out


def test_a_tag_is_listed_and_drawn(run: Run) -> None:
    lines = run("explain", "zN<half>(20,48)").out.splitlines()
    assert "  the row blocks           2     _256    20 rows, 12 of padding" in lines
    assert lines[8] == "  = ((_16,2),(_16,3)):((_16,_256),(_1,512)):(20,48)"
    assert "  (n) is padding: 960 of 1536 hold data" in lines
    listed = run("explain", "zN<half>(20,48)", "--table").out.splitlines()
    assert listed == lines[:9]
    assert run("explain", "zN<half>(M,48)").out.splitlines()[-1].startswith("  = ")


def test_an_offset(run: Run) -> None:
    out = run("explain", ZN, "--offset", "37").out
    assert f"\n  1. {WAY}\n  = coordinate (1,5)\n" in out
    assert "= no coordinate: a hole" in run("explain", "(2,2):(1,3)", "--offset", "2").out
    assert "= 2 coordinates" in run("explain", "(2,3):(1,1)", "--offset", "2").out
    assert "= coordinate 3" in run("explain", "4:-1", "--offset", "-3").out


def test_layouts_of_every_notation(run: Run) -> None:
    assert "= offset 17\n" in run("explain", SHAPE, "2,3").out
    assert "= offset 788\n" in run("explain", "zN<half>(20,48)", "17,20").out
    assert "= coordinate (2,3)\n" in run("explain", SHAPE, "--offset", "17").out


def test_a_coordinate_as_json(run: Run) -> None:
    found: dict[str, Any] = json.loads(run("explain", ZN, "1,5", "--json").out)
    assert found["result"] == "offset 37"
    assert found["sentences"][-1] == WAY
    assert found["rows"][0] == ["0", "1", "4", "4", "4"]


# --- divide, tv ---


def test_the_forms_of_a_division(run: Run) -> None:
    out = run("explain", "divide", "(12,32):(1,12)", "(4,8)").out
    assert "  by mode: (4,8)\n" in out
    assert "  by a layout: (4,8):(1,4)\n" in out
    assert "zipped   (tiles), (rests)                  ((4,8),(3,4)):((1,12),(4,96))" in out
    found: dict[str, Any] = json.loads(run("explain", "divide", "8:1", "4", "exact=true", "--json").out)
    assert [row[0] for row in found["rows"]] == ["logical", "zipped", "tiled", "flat"]


def test_threads_and_values(run: Run) -> None:
    out = run("explain", "tv", "((2,2),2):((1,4),2)", "--tile", "(4,2)").out
    assert out.startswith("((2,2),2):((1,4),2) on a tile of (4,2)\n")
    assert "| T1 V0 | T3 V0 |" in out
    found: dict[str, Any] = json.loads(run("explain", "tv", "(2,2):(2,1)", "--json").out)
    assert found["grids"][0]["texts"] == [["T0 V0", "T0 V1", "T1 V0", "T1 V1"]]
    assert (found["size"], found["held"]) == (4, 4)


# --- pictures as files ---


@pytest.mark.parametrize(
    "command",
    [
        ("composition", "(6,2):(8,2)", "(4,3):(3,1)"),
        ("divide", "(8,6):(1,8)", "(4,3)"),
        ("tiling", SHAPE),
        ("tv", "((2,2),2):((1,4),2)", "--tile", "(4,2)"),
        (ZN, "1,5"),
        (ZN, "--offset", "37"),
        ("zN<half>(20,48)",),
    ],
)
def test_each_is_a_picture_too(run: Run, command: tuple[str, ...], tmp_path: Path) -> None:
    assert run("explain", *command, "--svg").out.startswith("<svg")
    assert "tikzpicture" in run("explain", *command, "--latex").out
    path = tmp_path / "picture.html"
    assert run("explain", *command, "-o", str(path)) == (0, "", "")
    assert "<html" in path.read_text("utf-8")


# --- refusals ---


def test_a_refusal_is_drawn_below_its_error(run: Run) -> None:
    code, out, err = run("explain", "composition", "(6,2):(1,7)", "(3,2):(2,3)")
    assert code == 1
    assert err.startswith(
        "tla: error: the composition of (6,2):(1,7) with (3,2):(2,3) is not a layout\n"
    )
    assert out.splitlines()[0].split("  ")[0] == "A = (6,2):(1,7)"
    assert "[ 8]" in out.replace("[8]", "[ 8]")
    assert out.endswith("at (2,1) B is 7, and A(7) = 8; a layout would give 7\n")


@pytest.mark.parametrize(
    ("command", "note"),
    [
        (("complement", "(4,4):(1,2)", "30"), "(2,0) and (0,1) lie at one offset, 2"),
        (("make_layout_tile", "10:1", "4"), "tiles of 4 do not fit mode 0, 10, at 8 to 9"),
        (("left_inverse", "4:-1"), "offsets from -3 to -1 lie below 0"),
        (("logical_divide", "10:1", "4", "exact=true"), "3 tiles of 4 take 12, the layout has 10"),
        (("divide", "10:1", "4", "exact=true"), "3 tiles of 4 take 12, the layout has 10"),
    ],
)
def test_other_refusals(run: Run, command: tuple[str, ...], note: str) -> None:
    code, out, err = run("explain", *command)
    assert code == 1
    assert err.startswith("tla: error: ")
    assert note in out


def test_a_refusal_as_a_file_and_as_json(run: Run) -> None:
    command = ("explain", "composition", "(6,2):(1,7)", "(3,2):(2,3)")
    code, out, err = run(*command, "--svg")
    assert (code, out[:4]) == (1, "<svg")
    assert err.startswith("tla: error: ")
    code, out, err = run(*command, "--json")
    assert (code, out) == (1, "")
    assert err.startswith("tla: error: ")


# --- bad input ---


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("tiling", "f32[3,5]", "3,0"), "Dim 0 has no index 3"),
        (("tiling", SHAPE, "-1,1"), "Dim 0 has no index -1"),
        (("tiling", "(2,3):(3,1)"), "(2,3):(3,1) is no XLA shape"),
        (("tiling", "(2,3)"), "(2,3) is no XLA shape"),
        (("tiling", "(f32[3], f32[2])"), "one by one"),
        (("tiling", "f32[3"), "column 6"),
        (("coalesce", "(2,3):(3"), "argument 1: "),
        (("(2,3):(3,1)", "2,0"), "coordinate (2,0) lies outside the shape (2,3)"),
        (("(2,3):(3,1)", "1,("), "ARGUMENT: "),
        (("(2,3):(3", "1,2"), "WHAT: "),
        (("(M,3):(3,1)", "1,2"), "Write a number for each unknown"),
        (("(M,3):(3,1)", "--offset", "2"), "depend on unknowns"),
        (("tv", "8:1"), "mode 0 is the thread, mode 1 the value"),
        (("tv", "(4,2):(1,4)", "--tile", "(2,2)"), "value 1 of thread 3 lies outside the tile"),
        (("tv", "(4,2):(1,4)", "--tile", "(2,"), "--tile: "),
    ],
)
def test_bad_input(run: Run, arguments: tuple[str, ...], message: str) -> None:
    code, out, err = run("explain", *arguments)
    assert (code, out) == (1, "")
    assert err.startswith("tla: error: ")
    assert message in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("rotation", "4:1"),
            "no steps are known of 'rotation'; of tiling, divide, make_layout_tile, tv, ",
        ),
        (("compositon", "4:1", "2:1"), "'compositon'; did you mean composition?\n"),
        (("tiling",), "ARGUMENT"),
        (("tiling", SHAPE, "1,2", "3"), "tiling takes a shape, and the index of one element"),
        (("zipped_divide", "4:1", "2", "exact=1"), "exact is true or false, not '1'"),
        (("composition", "4:1"), "composition takes A B [extend=true|false]\n"),
        (("composition", "a=true", "4:1"), "composition takes A B [extend=true|false]\n"),
        (("composition", "4:1", "2:1", "assume=true"), "composition takes A B [extend=true|false]\n"),
        (
            ("zipped_divide", "4:1", "2", "exat=true"),
            "zipped_divide takes LAYOUT TILER [exact=true|false]",
        ),
        (("coalesce", "4:1", "2", "3"), "coalesce takes LAYOUT [PROFILE]\n"),
        (("left_inverse", "4:1", "2:1"), "left_inverse takes LAYOUT\n"),
        (("divide", "4:1"), "divide takes a layout and a tiler"),
        (("divide", "4:1", "2", "extend=true"), "divide takes a layout and a tiler"),
        (("tv", "(4,2):(1,4)", "(4,2)"), "tv takes one layout"),
        (("4:1", "--tile", "4"), "--tile goes with 'tv'"),
        (("4:1", "2", "--offset", "2"), "one layout takes a coordinate or --offset, not both"),
        (("composition", "4:1", "2", "--offset", "2"), "--offset goes with one layout"),
        (("4:1", "--offset", "x"), "needs a number, not 'x'"),
        (("4:1", "1", "2"), "a layout takes one coordinate"),
    ],
)
def test_a_wrong_command_line(run: Run, arguments: tuple[str, ...], message: str) -> None:
    code, out, err = run("explain", *arguments)
    assert (code, out) == (2, "")
    assert message in err
