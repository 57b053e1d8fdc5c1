"""``tla where``: the place of an element."""

from __future__ import annotations

import json
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from xla_bridge.rows import TILED, array

from tla import parse
from tla.ascend import element, make_layout
from tla.xla_bridge import bit_address, byte_address, physical_elements, physical_offset, split_piece

from .running import MODULES

if TYPE_CHECKING:
    from .running import Run


def facts(run: Run, shape: str, index: str) -> dict[str, Any]:
    done = run("where", shape, index, "--json")
    assert (done.code, done.err) == (0, "")
    found: dict[str, Any] = json.loads(done.out)
    return found


# --- XLA shapes ---


ROWS = [row for row in TILED if row["samples"]][::9]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row["text"]))
def test_oracle_rows(run: Run, row: dict[str, Any]) -> None:
    shape = array(row["text"])
    index, at = row["samples"][-1]
    found = facts(run, row["text"], f"({','.join(map(str, index))})")
    assert (found["xla"], found["index"], found["offset"]) == (str(shape), index, at)
    assert found["byte"] == byte_address(shape, index)
    assert found["bit"] == bit_address(shape, index)
    assert found["elements"] == physical_elements(shape)


def test_the_table(run: Run) -> None:
    code, out, err = run("where", "f32[3,5]{1,0:T(2,2)}", "2,3")
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "element   (2,3) of f32[3,5]{1,0:T(2,2)}",
        "letters   y=2, x=3",
        "offset    17 of 24",
        "byte      68 of 96",
        "tile      (2,2): number (1,1) of (2,3) in dims (0,1), inside at (0,1)",
    ]


def test_an_index_by_letters(run: Run) -> None:
    shape = "f32[7,3,5]{2,1,0:T(2,2)}"
    wanted = run("where", shape, "6,2,3")
    for index in ("z=6,y=2,x=3", "(x=3, z=6, y=2)", "{z: 6, y: 2, x: 3}"):
        assert run("where", shape, index) == wanted
    for other, index, known in (
        (shape, "y=2,x=3", "its dims are z, y, x"),
        (shape, "z=6,y=2,y=3", "its dims are z, y, x"),
        ("f32[3]", "x=2", "its dims have no letters"),
        ("(4,2):(2,1)", "y=1,x=0", "its dims have no letters"),
    ):
        assert f"the index {index!r} does not fit the shape: {known}" in run("where", other, index).err


@pytest.mark.parametrize(
    ("shape", "index", "dims", "text"),
    [
        (
            "bf16[8,4,20,256]{3,2,0,1:T(8,128)(2,1)}",
            "5,2,13,200",
            [[[1], [0], [2], [3]], [[1], [0], [2], [3], [2], [3]]],
            "(1,0,2,3,2,3)",
        ),
        ("f32[5]{0:T(8,128)}", "3", [[[], [0]]], "(-,0)"),
        ("f32[2,7,8]{1,2,0:T(*,*,2)}", "1,2,3", [[[0, 2, 1]]], "(0+2+1)"),
        ("f32[8,8]{1,0:T(2,4)(2,1,1,1)}", "6,5", [[[0], [1]], [[0], [1], [0], [1]]], "(0,1,0,1)"),
    ],
)
def test_the_dims_of_tile_numbers(
    run: Run, shape: str, index: str, dims: list[list[list[int]]], text: str
) -> None:
    tiles = facts(run, shape, index)["tiles"]
    assert [tile["dims"] for tile in tiles] == dims
    assert all(len(tile["number"]) == len(tile["of"]) == len(tile["dims"]) for tile in tiles)
    assert f" in dims {text}, inside at " in run("where", shape, index).out


def test_an_axis_of_one_dim_counts_that_dim(run: Run) -> None:
    """Tiles that cut evenly: the number of the tile on an axis and the place inside give the index."""
    shape = "f32[4,6,16,24]{2,3,0,1:T(8,4)}"
    for index in product((0, 3), (0, 5), (0, 7, 15), (0, 11, 23)):
        (tile,) = facts(run, shape, ",".join(map(str, index)))["tiles"]
        sizes = [1, 1, *tile["tile"]]
        inside = [0, 0, *tile["inside"]]
        for (dim,), number, size, at in zip(tile["dims"], tile["number"], sizes, inside, strict=True):
            assert index[dim] == number * size + at


def test_tile_by_tile(run: Run) -> None:
    found = facts(run, "bf16[8,1,1280,16384]{3,2,0,1:T(8,128)(2,1)}", "7,0,1279,16383")
    assert found["offset"] == 167_772_159
    assert [tile["tile"] for tile in found["tiles"]] == [[8, 128], [2, 1]]
    assert [tile["inside"] for tile in found["tiles"]] == [[7, 127], [1, 0]]
    assert found["tiles"][0]["number"] == [0, 7, 159, 127]
    assert found["tiles"][0]["of"] == [1, 8, 160, 128]


def test_packed_elements(run: Run) -> None:
    out = run("where", "s4[5]{0:E(4)}", "3").out
    assert "byte      1 of 3\nbits      12 to 15, from bit 4 of the byte on\n" in out
    assert "bits" not in run("where", "f32[5]{0}", "3").out


def test_split_arrays(run: Run) -> None:
    text = "s4[100,5]{1,0:T(2,4)E(4)SC(0:30)M(16)}"
    piece = facts(run, text, "31,3")["piece"]
    found = split_piece(array(text), (31, 3))
    assert piece == {
        "numbers": [1],
        "xla": str(found.shape),
        "index": [1, 3],
        "offset": physical_offset(found.shape, (1, 3)),
        "byte": byte_address(found.shape, (1, 3)),
    }
    out = run("where", text, "31,3").out
    assert "piece     1: (1,3) of s4[70,5]{1,0:T(2,4)E(4)M(16)}\n" in out
    assert "note      16 bytes of metadata, M, lie in front of byte 0\n" in out


def test_a_warning_where_xla_counts_otherwise(run: Run) -> None:
    out = run("where", "f32[3,5]{1,0:T(3,4)(2,3)}", "2,4").out
    assert "\nwarning   XLA counts 96 bytes, the tiles take 192: " in out
    assert "warning" not in run("where", "f32[3,5]{1,0:T(2,2)}", "2,3").out


@pytest.mark.parametrize("index", ["2,3", "(2,3)", " ( 2 , 3 ) ", "_2,3"])
def test_ways_to_write_an_index(run: Run, index: str) -> None:
    assert facts(run, "f32[3,5]{1,0:T(2,2)}", index)["offset"] == 17


def test_scalars_and_buffers(run: Run) -> None:
    assert facts(run, "f32[]{:T(128)}", "()")["offset"] == 0
    assert facts(run, "b(f32[3,5]{1,0:T(2,2)})", "2,3")["offset"] == 17


def test_unknown_dims_that_do_not_matter(run: Run) -> None:
    found = facts(run, "f32[<=3,5]{1,0:T(2,2)}", "2,3")
    assert found["offset"] == 17


def test_an_instruction_of_a_file(run: Run) -> None:
    text = f"{MODULES}/v5e_attention_block.hlo:%fusion.54#1"
    assert facts(run, text, "7,15,1023,0")["xla"] == "f32[8,16,1024,1024]{2,3,1,0:T(8,128)}"


def test_standard_input(run: Run) -> None:
    done = run("where", "-", "2,3", stdin=b"f32[3,5]{1,0:T(2,2)}\n")
    assert (done.code, done.out.splitlines()[2]) == (0, "offset    17 of 24")


# --- layouts ---


@pytest.mark.parametrize(
    ("layout", "index", "coordinate"),
    [
        ("((4,2),(4,3)):((4,16),(1,32))", "1,5", "((1,0),(1,1))"),
        ("((4,2),(4,3)):((4,16),(1,32))", "((1,0),(1,1))", "((1,0),(1,1))"),
        ("((4,2),(4,3)):((4,16),(1,32))", "41", "((1,0),(1,1))"),
        ("(3):(2)", "2", "(2)"),
        ("4:2", "3", "3"),
    ],
)
def test_layouts(run: Run, layout: str, index: str, coordinate: str) -> None:
    found = facts(run, layout, index)
    assert found["coordinate"] == coordinate
    assert found["offset"] == parse(layout)(parse(coordinate))
    assert found["valid"]


def test_a_coordinate_in_the_padding_of_a_layout(run: Run) -> None:
    assert not facts(run, "(4,8):(8,1):(3,5)", "3,5")["valid"]
    out = run("where", "(4,8):(8,1):(3,5)", "3,5").out
    assert out.endswith("offset    29\nnote      padding: it lies outside the origin shape\n")


@pytest.mark.parametrize("index", [(0, 0), (17, 20), (19, 47), (31, 33)])
@pytest.mark.parametrize("of", ["half", "float", "int4b_t", "double"])
def test_a_layout_by_its_tag_says_where_in_bytes(run: Run, of: str, index: tuple[int, int]) -> None:
    text, layout = f"zN<{of}>(20,48)", make_layout(of, "zN", 20, 48)
    found = facts(run, text, f"{index[0]},{index[1]}")
    bits = element(of).bits
    assert (found["tagged"], found["tla"], found["valid"]) == (text, str(layout), index[0] < 20)
    assert (found["offset"], found["elements"]) == (layout(index), layout.cosize)
    assert (found["bit"], found["element_bits"]) == (layout(index) * bits, bits)
    assert (found["byte"], found["bytes"]) == (layout(index) * bits // 8, layout.cosize * bits // 8)
    by_numbers = facts(run, str(layout), f"{index[0]},{index[1]}")
    assert {name: found[name] for name in by_numbers} == by_numbers
    assert "byte" not in by_numbers


def test_the_table_of_a_layout_by_its_tag(run: Run) -> None:
    assert run("where", "zN<half>(20,48)", "21,20").out.splitlines() == [
        "element   (21,20) of zN<half>(20,48)",
        "layout    ((_16,2),(_16,3)):((_16,_256),(_1,512)):(20,48)",
        "digits    ((5,1),(4,1))",
        "offset    852 of 1536",
        "byte      1704 of 3072",
        "note      padding: it lies outside the origin shape",
    ]
    out = run("where", "-", "17,21", stdin=b"zN<int4b_t>(20,48)\n").out
    assert "byte      554 of 1024\nbits      4436 to 4439, from bit 4 of the byte on\n" in out
    unknown = run("where", "RowMajor<int4b_t>(5,M{min=9})", "4,8")
    assert unknown.out.splitlines()[-2:] == [
        "offset    4*M{min=9}+8 of 5*M{min=9}",
        "byte      2*M{min=9}+4 of (5*M{min=9}+1)//2",
    ]


# --- bad input ---


@pytest.mark.parametrize(
    ("shape", "index", "message"),
    [
        (
            "f32[3,5]{1,0}",
            "3,5",
            "Dim 0 has no index 3: it has those from 0 to 2.\n  Dim 1 has no index 5",
        ),
        ("f32[3,5]{1,0}", "(-1,0)", "Dim 0 has no index -1"),
        ("f32[3,5]{1,0}", "-1,1", "index (-1,1) is not an element of"),
        ("f32[3]{0}", "-1", "index (-1) is not an element of"),
        (
            "(M,3):(3,1)",
            "2,1",
            "as the coordinate (2,1) of the shape (M,3) needs\n  Write a number for each",
        ),
        ("f32[3,0]{1,0}", "2,0", "Dim 1 has no index 0: it has none."),
        (
            "f32[3,5]{1,0}",
            "1",
            "and f32[3,5]{1,0} has 2 dims\n  The last element is (2,4).",
        ),
        ("f32[3,5]{1,0}", "1,2,3", "has 3 ints, and"),
        ("f32[3,5]{1,0}", "((1,2),3)", "expected an int, got tuple (1, 2)"),
        ("f32[3,5]{1,0}", "1;2", "INDEX: "),
        ("f32[3,5]{1,0}", "one", "has 1 int, and"),
        ("f32[3,5]{1,0:T(2,2", "1,2", "column 19"),
        (
            "(f32[3], f32[2])",
            "1",
            "(f32[3]{0}, f32[2]{0}) is a tuple of shapes, and has no layout of its own",
        ),
        ("token[]", "()", "no size and no layout"),
        ("(3,5):(5,1)", "3,0", "coordinate"),
        ("(3,5)", "1,0", "is no layout"),
        ("f32[?,3]{1,0}", "5,0", "is open: cannot decide whether d0 > 5\n  Write a number"),
        ("f32[3,5]{0,0}", "1,0", "is not an order of 2 dims"),
    ],
)
def test_bad_input(run: Run, shape: str, index: str, message: str) -> None:
    code, out, err = run("where", shape, index)
    assert (code, out) == (1, "")
    assert err.startswith("tla: error: ")
    assert message in err


def test_a_missing_index_is_the_command_line_s_fault(run: Run) -> None:
    assert run("where", "f32[3]").code == 2
