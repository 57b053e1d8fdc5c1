"""``tla what``: the element at a place in memory."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from xla_bridge.rows import TILED, array

from tla.xla_bridge import logical_index, padding_offsets, physical_elements

if TYPE_CHECKING:
    from .running import Run

SHAPE = "f32[3,5]{1,0:T(2,2)}"


def facts(run: Run, *arguments: str) -> dict[str, Any]:
    done = run("what", *arguments, "--json")
    assert (done.code, done.err) == (0, "")
    found: dict[str, Any] = json.loads(done.out)
    return found


# --- XLA shapes ---


ROWS = [row for row in TILED if row["samples"]][::9]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row["text"]))
def test_oracle_rows(run: Run, row: dict[str, Any]) -> None:
    index, at = row["samples"][-1]
    found = facts(run, row["text"], str(at))
    assert found["places"] == [{"offset": at, "index": index, "padding": None}]


def test_every_offset_of_a_shape(run: Run) -> None:
    shape = array(SHAPE)
    padding = set(padding_offsets(shape))
    for offset in range(physical_elements(shape)):
        (place,) = facts(run, SHAPE, str(offset))["places"]
        index = logical_index(shape, offset)
        assert place["index"] == (None if index is None else list(index))
        assert (place["padding"] is not None) == (offset in padding)


def test_an_element_and_padding_are_both_answers(run: Run) -> None:
    assert run("what", SHAPE, "17") == (0, "offset 17: (2,3), y=2, x=3\n", "")
    line = "offset 18: padding: tile (2,2) pads dim 0 from 3 to 4, this is 3\n"
    assert run("what", SHAPE, "18") == (0, line, "")


def test_bytes(run: Run) -> None:
    assert run("what", "s4[5]{0:E(4)}", "1", "--bytes").out == "offset 2: (2)\noffset 3: (3)\n"
    assert run("what", SHAPE, "70", "--bytes").out == "offset 17: (2,3), y=2, x=3\n"
    found = facts(run, "s4[5]{0:E(4)}", "2", "--bytes")
    assert (found["byte"], [place["offset"] for place in found["places"]]) == (2, [4])


def test_a_warning_where_xla_counts_otherwise(run: Run) -> None:
    lines = run("what", "f32[3,5]{1,0:T(3,4)(2,3)}", "7").out.splitlines()
    assert lines[0] == "offset 7: padding: tile (2,3) pads a part of dim 1 from 4 to 6, this is 4"
    assert lines[1].startswith("warning: XLA counts 96 bytes, the tiles take 192: ")


def test_standard_input(run: Run) -> None:
    assert run("what", "-", "17", stdin=SHAPE.encode()).out == "offset 17: (2,3), y=2, x=3\n"


# --- layouts ---


@pytest.mark.parametrize(
    ("layout", "offset", "lines"),
    [
        ("((4,2),(4,3)):((4,16),(1,32))", "37", ["offset 37: (1,5), digits ((1,0),(1,1))"]),
        ("(2,3):(0,2)", "2", ["offset 2: (0,1)", "offset 2: (1,1)"]),
        ("(3,5):(128,1)", "5", ["offset 5: a gap, no coordinate has it"]),
        ("(4,8):(8,1):(3,5)", "29", ["offset 29: (3,5), padding: outside the origin shape"]),
        ("(3,2):(-2,1)", "-4", ["offset -4: (2,0)"]),
        ("4:2", "6", ["offset 6: 3"]),
    ],
)
def test_layouts(run: Run, layout: str, offset: str, lines: list[str]) -> None:
    code, out, err = run("what", layout, offset)
    assert (code, out.splitlines(), err) == (0, lines, "")


def test_a_long_broadcast_is_cut(run: Run) -> None:
    found = facts(run, "(1000000000000,3):(0,1)", "2")
    assert (len(found["coordinates"]), found["more"]) == (16, True)
    assert found["coordinates"][1] == {"index": "(1,2)", "coordinate": "(1,2)", "valid": True}
    assert run("what", "(100,3):(0,1)", "2").out.splitlines()[-1] == "and more: 16 are listed"


# --- bad input ---


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((SHAPE, "24"), "It has the offsets from 0 to 23."),
        ((SHAPE, "-1"), "the offset -1 lies outside"),
        ((SHAPE, "96", "--bytes"), "It has the bytes from 0 to 95."),
        (("f32[0]", "0"), "no offset at all"),
        (("f32[3,?]{1,0}", "0"), "depends on the size of dim 1"),
        (("(f32[3], f32[2])", "0"), "one by one"),
        (("(2,3):(3,1)", "6"), "Its offsets lie from 0 to 5."),
        (("(0,3):(3,1)", "0"), "has no coordinate"),
        (("(M,3):(3,1)", "4"), "depend on unknowns"),
        (("f32[3", "0"), "column 6"),
    ],
)
def test_bad_input(run: Run, arguments: tuple[str, ...], message: str) -> None:
    code, out, err = run("what", *arguments)
    assert (code, out) == (1, "")
    assert err.startswith("tla: error: ")
    assert message in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((SHAPE, "x"), "needs a number, not 'x'"),
        ((SHAPE, "1.5"), "needs a number, not '1.5'"),
        ((SHAPE, "-5,1"), "needs a number, not '-5,1'"),
        ((SHAPE,), "OFFSET"),
        (("(2,3):(3,1)", "1", "--bytes"), "--bytes goes with an XLA shape"),
    ],
)
def test_a_wrong_command_line(run: Run, arguments: tuple[str, ...], message: str) -> None:
    code, out, err = run("what", *arguments)
    assert (code, out) == (2, "")
    assert message in err


def test_the_elements_of_a_byte_by_a_tag(run: Run) -> None:
    found = [
        json.loads(run("what", "zN<half>(20,48)", str(n), "--bytes", "--json").out) for n in (2, 3, 9)
    ]
    assert [(facts["offset"], facts["byte"]) for facts in found] == [(1, 2), (1, 3), (4, 9)]
