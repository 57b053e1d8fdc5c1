"""The founding documents as they are typed: each example in order, with the call that answers it.

There are five: XLA's tiled layout, its shapes and layout (and the page of 2018 with
``padded_dimensions``), CATLASS's TLA layouts, and XLA's indexing analysis. An example that differs on
purpose names the sentence of our documents that says so.
"""

# ruff: noqa: E501 - lines are as long as in the documents

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from cases import over

import tla
from tla import (
    Int,
    IntTuple,
    depth,
    get,
    make_layout,
    make_shape,
    make_stride,
    make_tuple,
    rank,
    shape,
    stride,
)
from tla.cli.main import main
from tla.hlo import read_instruction, read_module
from tla.indexing import input_to_output, output_to_input, parse_map, simplify
from tla.show import render
from tla.xla_bridge import OldLayout, XlaShape, parse_shape, physical_offset, to_layout

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

DOCS = Path(__file__).parent.parent / "docs"
PARTS = Path(__file__).parent / "data" / "founding_documents.jsonl"


class Example(NamedTuple):
    """What a document has, what answers it, and the answer."""

    typed: str
    answer: Callable[[], Any]
    expected: Any
    says: str = ""
    """A sentence of our documents, where the answer differs from the document's on purpose."""


# --- XLA: tiled layout ------------------------------------------------------------------------------

FIGURE_1 = "F32[3,5]{1,0:T(2;2)}"
FIGURE_2 = "F32[4,8]{1,0:T(2;4)(2;1)}"
COMBINED = "F32[2, 7,8,11,10]{4,3,2,1,0:T(∗,∗,2,∗,3)}"
STEPS = [
    "(⌈dn/tn⌉∙tn, ... , ⌈d1/t1⌉∙t1)",
    "(⌈dn/tn⌉, tn, ... , ⌈d1/t1⌉, t1)",
    "wird (⌈dn/tn⌉, ... , ⌈d1/t1⌉, tn)",
]
"""Pad, reshape and transpose, as the page has them; the last of them lacks its end."""


def offsets(text: str) -> list[list[int]]:
    s = parse_shape(text)
    assert isinstance(s, XlaShape)
    rows, columns = s.dimensions
    return [[physical_offset(s, (i, j)) for j in range(columns)] for i in range(rows)]


def combined() -> list[tuple[int, int]]:
    """The offsets of combined dims, as they are and as the array of two dims that the document names."""
    whole, flat = parse_shape(COMBINED), parse_shape("F32[112,110]{1,0:T(2,3)}")
    assert isinstance(whole, XlaShape)
    assert isinstance(flat, XlaShape)
    indices = [(0, 0, 0, 0, 0), (1, 6, 7, 10, 9), (0, 3, 5, 7, 2), (1, 0, 4, 0, 3)]
    pairs = [((a * 7 + b) * 8 + c, d * 10 + e) for a, b, c, d, e in indices]
    return [
        (physical_offset(whole, i), physical_offset(flat, p))
        for i, p in zip(indices, pairs, strict=True)
    ]


TILED = [
    Example("F32[3,5]", lambda: str(parse_shape("F32[3,5]")), "f32[3,5]{1,0}"),
    Example("2 x 2- 2x2-", lambda: tla.xla_bridge.tile_boxes(parse_shape(FIGURE_1)), [(2, 2)]),
    Example(FIGURE_1, lambda: str(tla.read(FIGURE_1)), "f32[3,5]{1,0:T(2,2)}"),
    Example(
        "figure 1",
        lambda: offsets(FIGURE_1),
        [[0, 1, 4, 5, 8], [2, 3, 6, 7, 10], [12, 13, 16, 17, 20]],
    ),
    Example(
        "linear_index(e, d)\n= linear_index((en, en-1, ... , e1), (dn, dn-1, ... , d1))\n"
        "= endn-1...d1 + dn-1...d1-1 ... d",
        lambda: tla.linear_index((6, 5, 4), (7, 8, 9)),
        6 * 8 * 9 + 5 * 9 + 4,
    ),
    Example(
        "n/1n/nndnn(1)n\n(⌊en/tn⌋, ... , ⌊e1/t1⌋)\n(⌈dn/tn⌉, ... , ⌋⌉, ... , ⌋⌉, ... , p",
        lambda: tla.linear_index_with_tile((6, 5, 4), (7, 8, 9), (2, 3, 4)),
        ((6 // 2 * 3 + 5 // 3) * 3 + 4 // 4) * 24 + (6 % 2 * 3 + 5 % 3) * 4 + 4 % 4,
    ),
    Example(
        "(2,3) (1,1) (0,1) (1, 1, 0, 1) (2,2) (2,3,2,2)",
        lambda: tla.xla_bridge.physical_index(parse_shape(FIGURE_1), (2, 3)),
        (1, 1, 0, 1),
    ),
    Example("linear_index((0,1), (2,2))", lambda: tla.evaluate("linear_index((0,1), (2,2))"), 1),
    Example(
        "= linear_index((1,1), (2,3)) ∙ 2 ∙ 2 + linear_index((0,1) ∙ 2: (1) ∙ 2 = 1",
        lambda: tla.evaluate("linear_index((1,1), (2,3)) ∙ 2 ∙ 2 + linear_index((0,1), (2,2))"),
        17,
    ),
    Example(
        "= linear_index((1,1,0,1), (2,3,2,2))",
        lambda: tla.evaluate("linear_index((1,1,0,1), (2,3,2,2))"),
        17,
    ),
    Example(
        "linear_index_with_tile((2,3), (3,5), (2,2))",
        lambda: tla.evaluate("linear_index_with_tile((2,3), (3,5), (2,2))"),
        17,
    ),
    Example(
        "\n".join(STEPS),
        lambda: [
            row[2] for row in tla.xla_bridge.tiling_steps(tla.read(FIGURE_1), (2, 3)).figure().rows
        ][1:4],
        ["(4,6)", "(2,2,3,2)", "(2,3,2,2)"],
    ),
    Example(
        "(⌈dn/tn⌉, ... , ⌈d1/t1⌉)\n(⌊en/tn⌋, ... , ⌊e0/t0⌋, en mod tn, ... , e1)",
        lambda: tla.xla_bridge.tiling_steps(tla.read(FIGURE_1), (2, 3)).figure().rows[3][3],
        "(1,1,0,1)",
    ),
    Example(
        "pad, reshape, transpose",
        lambda: str(to_layout(tla.read(FIGURE_1)).shape),
        "((_2, _2), (_2, _3))",
    ),
    Example(
        "figure 2: (2;4)(2;1)",
        lambda: offsets(FIGURE_2),
        [
            [0, 2, 4, 6, 8, 10, 12, 14],
            [1, 3, 5, 7, 9, 11, 13, 15],
            [16, 18, 20, 22, 24, 26, 28, 30],
            [17, 19, 21, 23, 25, 27, 29, 31],
        ],
    ),
    Example(
        "4 x 8: 2x4- 2x1- (2;4)(2;1), first 2 x 4, then 2 x 1)",
        lambda: tla.xla_bridge.tile_boxes(parse_shape(FIGURE_2)),
        [(2, 4), (2, 1)],
    ),
    Example(
        "(8.128)(2,1), (8,128)(2,1), for BF16",
        lambda: [(r[0], r[1]) for r in offsets("BF16[8,128]{1,0:T(8,128)(2,1)}")[:3]],
        [(0, 2), (1, 3), (256, 258)],
    ),
    Example(
        "F32[2, 7,8,11,10]{4,3,2,1,0}",
        lambda: tla.read("F32[2, 7,8,11,10]{4,3,2,1,0}").minor_to_major,
        (4, 3, 2, 1, 0),
    ),
    Example("F32[112,110]{1,0}", lambda: str(tla.read("F32[112,110]{1,0}")), "f32[112,110]{1,0}"),
    Example(COMBINED, lambda: str(tla.read(COMBINED)), "f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}"),
    Example("(∗,∗,2,∗,3) of 5 dims is (2,3) of 2", lambda: {a - b for a, b in combined()}, {0}),
    Example(
        "a tile value of -1", lambda: tla.read(COMBINED.replace("∗", "-1")) == tla.read(COMBINED), True
    ),
]

# --- XLA: shapes and layout -------------------------------------------------------------------------

ADD = """add.936 = bf16[8,1,1280,16384]{3,2,0,1:T(8,128)(2,1)}
          add(exponential.183, broadcast.3115)"""
FUSION = """%fusion.3 = bf16[32,32,4096]{2,1,0:T(8,128)(2,1)S(1)}
            fusion(bf16[32,32,8192]{2,1,0:T(8,128)(2,1)S(1)} %fusion.32),
            kind=kCustom, calls=%all-reduce-scatter.3"""


def memory(order: str) -> str:
    old = OldLayout(map(int, order.split(",")))
    return old.linear_memory((2, 3), [["a", "b", "c"], ["d", "e", "f"]])


def _add(name: str) -> Any:
    line = read_instruction(ADD)
    return (
        [operand.name for operand in line.operands] if name == "operands" else str(getattr(line, name))
    )


SHAPES = [
    Example(ADD, lambda: str(tla.read(ADD)), "bf16[8,1,1280,16384]{3,2,0,1:T(8,128)(2,1)}"),
    Example("add.936", lambda: _add("name"), "add.936"),
    Example("bf16[8,1,1280,16384]", lambda: tla.read(ADD).dimensions, (8, 1, 1280, 16384)),
    Example("3,2,0,1:T(8,128)(2,1)", lambda: tla.read(ADD).minor_to_major, (3, 2, 0, 1)),
    Example("T(8,128)(2,1)", lambda: tla.read(ADD).tiles, ((8, 128), (2, 1))),
    Example("no layout", lambda: tla.read("bf16[8,1,4]") == tla.read("bf16[8,1,4]{2,1,0}"), True),
    Example("add", lambda: _add("opcode"), "add"),
    Example("its operands", lambda: _add("operands"), ["exponential.183", "broadcast.3115"]),
    Example(FUSION, lambda: str(tla.read(FUSION)), "bf16[32,32,4096]{2,1,0:T(8,128)(2,1)S(1)}"),
    Example(
        "kind=kCustom, calls=%all-reduce-scatter.3",
        lambda: dict(read_instruction(FUSION).attributes),
        {"kind": "kCustom", "calls": "%all-reduce-scatter.3"},
    ),
    Example("S(1)", lambda: tla.read(FUSION).memory_space, 1),
    Example(
        "the operand", lambda: str(read_instruction(FUSION).operands[0].shape)[:16], "bf16[32,32,8192]"
    ),
    Example(
        "message LayoutProto {\n  repeated int64 minor_to_major;\n"
        "  int64 tail_padding_alignment_in_elements;",
        lambda: (lambda s: (s.minor_to_major, s.tail_padding_alignment_in_elements))(
            tla.read("f32[3,5]{0,1:L(16)}")
        ),
        ((0, 1), 16),
    ),
    Example(
        "message Layout {\n  repeated int64 minor_to_major = 1;\n"
        "  repeated int64 padded_dimensions = 2;\n  optional PaddingValue padding_value = 3;",
        lambda: (lambda old: (old.minor_to_major, old.padded_dimensions, old.padding_value.name))(
            OldLayout([0, 1], [3, 5], 0)
        ),
        ((0, 1), (3, 5), "ZERO_PAD"),
    ),
    Example("the true rank", lambda: XlaShape("f32", (3, 1, 5)).true_rank, 2),
    Example("size 0 is valid", lambda: XlaShape("f32", (0, 3)).elements, 0),
    Example(
        "dim -1, dim -2", lambda: [XlaShape("f32", (2, 3, 5)).dimension(i) for i in (-1, -2)], [5, 3]
    ),
    Example(
        "[A x B x C], [A, B, C, D] [2 x 3]",
        lambda: [XlaShape("f32", (2, 3, 5)).dimension(i) for i in range(3)],
        [2, 3, 5],
    ),
    Example("0: y\n1: x", lambda: [XlaShape("f32", (2, 3)).dimension(c) for c in "yx"], [2, 3]),
    Example(
        "0: z\n1: y\n2: x", lambda: [XlaShape("f32", (5, 2, 3)).dimension(c) for c in "zyx"], [5, 2, 3]
    ),
    Example(
        "0: p\n1: z\n2: y\n3: x",
        lambda: [XlaShape("f32", (7, 5, 2, 3)).dimension(c) for c in "pzyx"],
        [7, 5, 2, 3],
    ),
    Example(
        "ShapeUtil::MakeShape(F32, {A, B, C, D})",
        lambda: tla.read("ShapeUtil::MakeShape(F32, {2, 3, 4, 5})").dimensions,
        (2, 3, 4, 5),
        says="`ShapeUtil::MakeShape(F32, {A, B, C, D})` | `XlaShape`",
    ),
    Example('minor_to_major [0, 1], "dim 0 is minor"', lambda: memory("0,1"), "a d b e c f"),
    Example('minor_to_major [1, 0], row-major, "dim 0 is major"', lambda: memory("1,0"), "a b c d e f"),
    Example("[N-1, ..., 0] ) by default", lambda: XlaShape("f32", (2, 3, 4)).minor_to_major, (2, 1, 0)),
    Example(
        "tail_padding_alignment_in_elements",
        lambda: tla.xla_bridge.physical_elements(tla.read("f32[3,5]{1,0:T(2,2)L(16)}")),
        32,
    ),
    Example(
        "IndexUtil",
        lambda: [tla.xla_bridge.logical_index(tla.read("f32[2,3]{0,1}"), n) for n in range(3)],
        [(0, 0), (1, 0), (0, 1)],
        says="| `IndexUtil`:",
    ),
    Example("S(0)", lambda: tla.read("f32[2]{0:S(0)}") == tla.read("f32[2]"), True),
    Example("S(1) is VMEM", lambda: tla.xla_bridge.memory_space_name(1, "v5e"), "VMEM"),
    Example(
        "S(2), S(3)", lambda: [tla.read(f"f32[2]{{0:S({n})}}").memory_space for n in (2, 3)], [2, 3]
    ),
    Example("S(5) is the host", lambda: tla.xla_bridge.memory_space_name(5), "host"),
    Example("padded_dimensions [3, 5]", lambda: OldLayout([0, 1], [3, 5]).check((2, 3)), (3, 5)),
    Example(
        "padding value 0, column major",
        lambda: OldLayout([0, 1], [3, 5], 0).linear_memory((2, 3), [["a", "b", "c"], ["d", "e", "f"]]),
        "a d 0 b e 0 c f 0 0 0 0 0 0 0",
    ),
    Example(
        "a b c 0 0 / d e f 0 0 / 0 0 0 0 0",
        lambda: OldLayout([0, 1]).linear_memory((3, 5), [*"abc00", *"def00", *"00000"]),
        "a d 0 b e 0 c f 0 0 0 0 0 0 0",
    ),
]

# --- CATLASS: TLA layouts ---------------------------------------------------------------------------

ZN = "((4,2),(4,3)):((4,16),(1,32))"
W2XH4 = "MakeLayout(MakeShape(Int<2>{}, 4), MakeStride(Int<12>{}, Int<1>{}))"
W32XH48 = """MakeLayout(MakeShape(MakeShape(16,2), MakeShape(16,3)),
MakeStride(MakeStride(16,256), MakeStride(1,512)))"""
A = "Layout<Shape<Shape<_4,_2>,Shape<_4,_3>>, Stride<Stride<_4,_16>,Stride<_1,_32>>>{}"
ROW_MAJOR = """\
      0   1   2
    +---+---+---+
  0 | 0 | 1 | 2 |
    +---+---+---+
  1 | 3 | 4 | 5 |
    +---+---+---+"""
COLUMN_MAJOR = ROW_MAJOR.replace("0 | 1 | 2", "0 | 2 | 4").replace("3 | 4 | 5", "1 | 3 | 5")
ZN_ROWS = [
    [0, 1, 2, 3, 32, 33, 34, 35, 64, 65, 66, 67],
    [4, 5, 6, 7, 36, 37, 38, 39, 68, 69, 70, 71],
    [8, 9, 10, 11, 40, 41, 42, 43, 72, 73, 74, 75],
    [12, 13, 14, 15, 44, 45, 46, 47, 76, 77, 78, 79],
    [16, 17, 18, 19, 48, 49, 50, 51, 80, 81, 82, 83],
    [20, 21, 22, 23, 52, 53, 54, 55, 84, 85, 86, 87],
    [24, 25, 26, 27, 56, 57, 58, 59, 88, 89, 90, 91],
    [28, 29, 30, 31, 60, 61, 62, 63, 92, 93, 94, 95],
]
ZN_TEXT = "\n".join(
    [
        " ".join(map(str, range(12))),
        *(f"{i} | {' | '.join(map(str, row))} |" for i, row in enumerate(ZN_ROWS)),
    ]
)
CRD2OFFSET = """auto shape = Shape<Shape<_4,_2>,Shape<_4,_3>>{};
auto stride = Stride<Stride<_4,_16>,Stride<_1,_32>>{};
print(crd2offset(tla::MakeCoord(1, 5), shape, stride)); // 37"""
TILE = f"""Layout a = {A}; // ((4,2),(4,3)):((4,16),(1,32))
Layout a0 = MakeLayoutTile(a, MakeShape(4, 4)); // ((4,1),(4,1)):((4,16),(1,32))"""
KIND: Any = IntTuple
NESTED = make_tuple(2, make_tuple(Int(3), make_tuple(4, 5)))


def drawn(text: str) -> str:
    return render(tla.layout_figure(tla.parse(text)))


TLA: list[Example] = [
    Example("std::is_integral: int{2} int size_t", lambda: tla.evaluate("size_t(2) + int{2}"), 4),
    Example(
        "tla::C, integral_constant",
        lambda: tla.evaluate("tla::C<3>{} + std::integral_constant<int,4>{}"),
        Int(7),
    ),
    Example("tla::tuple", lambda: make_tuple(2, Int(3)), (2, Int(3))),
    Example(
        "IntTuple", lambda: [isinstance(x, KIND) for x in (2, Int(3), NESTED, 2.5)], [True] * 3 + [False]
    ),
    Example("int{2}", lambda: tla.is_static(2), False),
    Example("Int<3>{}", lambda: str(tla.cpp.from_cpp("tla::Int<3>{}")), "_3"),
    Example("_1, _2, _3", lambda: (tla._1, tla._2, tla._3), (Int(1), Int(2), Int(3))),
    Example("make_tuple(int{2}, Int<3>{})", lambda: tla.evaluate("make_tuple(2, _3)"), (2, Int(3))),
    Example("rank(IntTuple)", lambda: rank(NESTED), 2),
    Example("get<I>(IntTuple)", lambda: get(NESTED, 0), 2),
    Example("depth(IntTuple)", lambda: (depth(NESTED), depth(7)), (3, 0)),
    Example("rank(Layout)", lambda: rank(tla.parse(ZN)), 2),
    Example("get<I>(Layout)", lambda: str(get(tla.parse(ZN), 1)), "(4,3):(1,32)"),
    Example("depth(Layout)", lambda: depth(tla.parse(ZN)), 2),
    Example("shape(Layout)", lambda: shape(tla.parse(ZN)), ((4, 2), (4, 3))),
    Example("stride(Layout)", lambda: stride(tla.parse(ZN)), ((4, 16), (1, 32))),
    Example(
        "get<I0,I1,。..,IN>(x) := get<IN>(...(get<I1>(get<I0>(x)))...)", lambda: get(NESTED, 1, 1, 0), 4
    ),
    Example("rank<I...>(x) := rank(get<I...>(x))", lambda: rank(NESTED, 1), rank(get(NESTED, 1))),
    Example("depth<I...>(x) := depth(get<I...>(x))", lambda: depth(NESTED, 1), depth(get(NESTED, 1))),
    Example("shape<I...>(x) := shape(get<I...>(x))", lambda: shape(tla.parse(ZN), 0), (4, 2)),
    Example(
        "w2xh4",
        lambda: str(make_layout(make_shape(Int(2), 4), make_stride(Int(12), Int(1)))),
        "(_2,4):(_12,_1)",
    ),
    Example(
        f"Layout w2xh4 = {W2XH4};\nw2xh4 : (_2,4):(_12,_1)",
        lambda: [str(reader(f"Layout w2xh4 = {W2XH4};")) for reader in (tla.read, tla.evaluate)],
        ["(_2,4):(_12,_1)"] * 2,
    ),
    Example(
        f"Layout w32xh48 = {W32XH48};\nw32xh48 : ((16,2),(16,3)):((16,256),(1,512))",
        lambda: [str(reader(f"Layout w32xh48 = {W32XH48};")) for reader in (tla.read, tla.evaluate)],
        ["((16,2),(16,3)):((16,256),(1,512))"] * 2,
    ),
    Example("),stride=3 ),stride=1 ),stride=2", lambda: stride(tla.parse("(2,3):(3,1)")), (3, 1)),
    Example(
        "zN nZ zZ nN: zN layout",
        lambda: [f(8, 12, block=(4, 4))(1, 6) for f in (tla.zN, tla.nZ, tla.zZ, tla.nN)],
        [38, 25, 22, 41],
    ),
    Example("(2,3):(3,1)", lambda: drawn("(2,3):(3,1)"), ROW_MAJOR),
    Example("(2,3):(1,2)", lambda: drawn("(2,3):(1,2)"), COLUMN_MAJOR),
    Example(f"{ZN} 4x4\n{ZN_TEXT}", lambda: tla.offset_lists(tla.parse(ZN)), ZN_ROWS),
    Example(
        "16x(32/sizeof(ElemType)) )",
        lambda: str(tla.read("zN<half>(16,16)").shape),
        "((_16, 1), (_16, 1))",
    ),
    Example(CRD2OFFSET, lambda: tla.evaluate(CRD2OFFSET), 37),
    Example(TILE, lambda: str(tla.evaluate(TILE)), "((_4,1),(_4,1)):((_4,_16),(_1,_32))"),
    Example(
        "tla::crd2offset(c, shape, stride)",
        lambda: tla.crd2offset(tla.make_coord(1, 5), shape(tla.read(A)), stride(tla.read(A))),
        37,
    ),
    Example(
        "a coordinate must be two-dimensional",
        lambda: tla.crd2offset((1, 2, 3), (4, 4, 4), (16, 4, 1)),
        27,
        says='a coordinate "must be 2-D"',
    ),
    Example(A, lambda: str(tla.read(A)), "((_4,_2),(_4,_3)):((_4,_16),(_1,_32))"),
    Example(
        "MakeLayoutTile(a, MakeShape(4, 4))",
        lambda: str(tla.make_layout_tile(tla.parse(ZN), make_shape(4, 4))),
        "((4,1),(4,1)):((4,16),(1,32))",
    ),
]


# --- XLA: indexing analysis -------------------------------------------------------------------------


class Maps(NamedTuple):
    """HLO as it is typed, and the maps of its operands as they are typed, both ways.

    A map that the document has otherwise stands here as it is, with the sentence of our documents on it.
    """

    hlo: str
    reads: Sequence[str]
    makes: Sequence[str] = ()
    says: str = ""


SAME = "(d0, d1) -> (d0, d1)\ndomain:\nd0 in [0, 9]\nd1 in [0, 19]"
REVERSED = "(d0, d1, d2, d3) -> (d0, -d1 + 16, -d2 + 8, d3)\ndomain:\nd0 in [0, 0]\nd1 in [0, 16]\nd2 in [0, 8]\nd3 in [0, 8]"
STARTS = "domain:\nd0 in [0, 0]\nd1 in [0, 1]\nd2 in [0, 31]"
MAPS = [
    Maps(
        "p0 = f32[20] parameter(0)\nbc0 = f32[10, 20, 30] broadcast(p0), dimensions={1}",
        ["(d0, d1, d2) -> (d1)\ndomain:\nd0 in [0, 9]\nd1 in [0, 19]\nd2 in [0, 29]"],
        ["(d0)[s0, s1] -> (s0, d0, s1)\ndomain:\nd0 in [0, 19]\ns0 in [0, 9]\ns1 in [0, 29]"],
        says="the introduction of the document writes 0 to 10",
    ),
    Maps(
        "r = reduce(f32[2, 4, 8, 16] x, f32[] c), dimensions={0, 3}",
        [
            "(d0, d1)[s0, s1] -> (s0, d0, d1, s1)\ndomain:\nd0 in [0, 3]\nd1 in [0, 7]\n"
            "s0 in [0, 1]\ns1 in [0, 15]"
        ],
    ),
    Maps(
        "p0 = f32[10, 20] parameter(0)\np1 = f32[10, 20] parameter(1)\nadd = f32[10, 20] add(p0, p1)",
        [SAME, SAME],
        [SAME, SAME],
    ),
    Maps(
        "src = s32[2,2,258] parameter(0)\nof1 = s32[] parameter(1)\nof2 = s32[] parameter(2)\n"
        "of3 = s32[] parameter(3)\nds = dynamic-slice(s32[2,2,258] src, s32[] of1, s32[] of2, s32[] of3),"
        " dynamic_slice_sizes={1, 2, 32}",
        [
            f"(d0, d1, d2)[s0, s1, s2] -> (d0 + s0, d1 + s1, d2 + s2)\n{STARTS}\n"
            "s0 in [0, 1]\nhlo: of1 = s32[] parameter(1)\n(d0, d1, d2) -> ()\n"
            "s1 in [0, 0]\nhlo: of2 = s32[] parameter(2)\n(d0, d1, d2) -> ()\n"
            "s2 in [0, 226]\nhlo: of3 = s32[] parameter(3)\n(d0, d1, d2) -> ()",
            *[f"(d0, d1, d2) -> ()\n{STARTS}"] * 3,
        ],
    ),
    Maps(
        "src = s32[20,30] parameter(0)\nupd = s32[5,10] parameter(1)\nof1 = s32[] parameter(2)\n"
        "of2 = s32[] parameter(3)\ndus = s32[20,30] dynamic-update-slice(\n"
        "s32[20,30] src, s32[5,10] upd, s32[] of1, s32[] of2)",
        [
            "",
            "(d0, d1){rt0, rt1} -> (d0 - rt0, d1 - rt1), domain: d0 in [0, 19], d1 in [0, 29],"
            " rt0 in [0, 15], rt1 in [0, 20], d0 - rt0 in [0, 4], d1 - rt1 in [0, 9]",
            *["(d0, d1) -> ()\ndomain:\nd0 in [0, 19]\nd1 in [0, 29]"] * 2,
        ],
        says="The document has one map for `src`, the identity, and calls it too big",
    ),
    Maps(
        "operand = f32[33,76,70] parameter(0)\nindices = s32[1806,2] parameter(1)\n"
        "gather = f32[1806,7,8,4] gather(operand, indices),\noffset_dims={1,2,3},\n"
        "collapsed_slice_dims={},\nstart_index_map={0,1},\nindex_vector_dim=1,\nslice_sizes={7,8,4}",
        [
            "(d0, d1, d2, d3)[s0, s1] -> (d1 + s0, d2 + s1, d3)\ndomain:\nd0 in [0, 1805]\nd1 in [0, 6]\n"
            "d2 in [0, 7]\nd3 in [0, 3]\ns0 in [0, 26]\nhlo: indices = s32[1806,2]{1,0} parameter(1)\n"
            "(d0, d1, d2, d3) -> (d0, 0)\ns1 in [0, 68]\nhlo: indices = s32[1806,2]{1,0} parameter(1)\n"
            "(d0, d1, d2, d3) -> (d0, 1)",
            "(d0, d1, d2, d3)[s0] -> (d0, s0)\ndomain:\nd0 in [0, 1805]\nd1 in [0, 6]\nd2 in [0, 7]\n"
            "d3 in [0, 3]\ns0 in [0, 1]",
        ],
    ),
    Maps(
        "p0 = f32[3, 12288, 6, 128] parameter(0)\n"
        "transpose = f32[3, 6, 128, 12288] transpose(p0), dimensions={0, 2, 3, 1}",
        [
            "(d0, d1, d2, d3) -> (d0, d3, d1, d2)\ndomain:\nd0 in [0, 2]\nd1 in [0, 5]\nd2 in [0, 127]\n"
            "d3 in [0, 12287]"
        ],
        [
            "(d0, d1, d2, d3) -> (d0, d2, d3, d1)\ndomain:\nd0 in [0, 2]\nd1 in [0, 12287]\n"
            "d2 in [0, 5]\nd3 in [0, 127]"
        ],
    ),
    Maps(
        "p0 = f32[1, 17, 9, 9] parameter(0)\nreverse = f32[1, 17, 9, 9] reverse(p0), dimensions={1, 2}",
        [REVERSED],
        [REVERSED],
    ),
    Maps(
        "p0 = f32[256,10] parameter(0)\np0_init = f32[] constant(-inf)\np1 = s32[256,10] parameter(1)\n"
        "p1_init = s32[] constant(0)\nreduce = (f32[10], s32[10]) reduce(p0, p1, p0_init, p1_init),\n"
        "dimensions={0}, to_apply=max",
        [
            *["(d0)[s0] -> (s0, d0)\ndomain:\nd0 in [0, 9]\ns0 in [0, 255]"] * 2,
            *["(d0) -> ()\ndomain:\nd0 in [0, 9]"] * 2,
        ],
        [
            *["(d0, d1) -> (d1)\ndomain:\nd0 in [0, 255]\nd1 in [0, 9]"] * 2,
            *["()[s0] -> (s0)\ndomain:\ns0 in [0, 9]"] * 2,
        ],
    ),
    Maps(
        "p0 = f32[10, 20, 50] parameter(0)\nslice = f32[5, 3, 25] slice(f32[10, 20, 50] p0),\n"
        "slice={[5:10:1], [3:20:7], [0:50:2]}",
        [
            "(d0, d1, d2) -> (d0 + 5, d1 * 7 + 3, d2 * 2)\ndomain:\nd0 in [0, 4]\nd1 in [0, 2]\n"
            "d2 in [0, 24]"
        ],
        [
            "(d0, d1, d2) -> (d0 - 5, (d1 - 3) floordiv 7, d2 floordiv 2)\ndomain:\nd0 in [5, 9]\n"
            "d1 in [3, 17]\nd2 in [0, 48]\n(d1 - 3) mod 7 in [0, 0]\nd2 mod 2 in [0, 0]"
        ],
    ),
    Maps(
        "p0 = f32[4,8] parameter(0)\nreshape = f32[32] reshape(p0)",
        ["(d0) -> (d0 floordiv 8, d0 mod 8)\ndomain:\nd0 in [0, 31]"],
        ["(d0, d1) -> (d0 * 8 + d1)\ndomain:\nd0 in [0, 3]\nd1 in [0, 7]"],
    ),
    Maps(
        "p0 = f32[32] parameter(0)\nreshape = f32[4, 8] reshape(p0)",
        ["(d0, d1) -> (d0 * 8 + d1)\ndomain:\nd0 in [0, 3]\nd1 in [0, 7]"],
        ["(d0) -> (d0 floordiv 8, d0 mod 8)\ndomain:\nd0 in [0, 31]"],
    ),
    Maps(
        "p0 = f32[4,8] parameter(0)\nreshape = f32[2, 4, 4] reshape(p0)",
        [
            "(d0, d1, d2) -> (d0 * 2 + d1 floordiv 2, d2 + (d1 mod 2) * 4)\ndomain:\nd0 in [0, 1]\n"
            "d1 in [0, 3]\nd2 in [0, 3]"
        ],
        [
            "(d0, d1) -> (d0 floordiv 2, d1 floordiv 4 + (d0 mod 2) * 2, d1 mod 4)\ndomain:\nd0 in [0, 3]\n"
            "d1 in [0, 7]"
        ],
        says="terms stand as a rule made them: `d2 + (d1 mod 2) * 4`",
    ),
    Maps(
        "p0 = f32[4, 8, 12] parameter(0)\nreshape = f32[32, 3, 4] reshape(p0)",
        [
            "(d0, d1, d2) -> (d0 floordiv 8, d0 mod 8, d1 * 4 + d2)\ndomain:\nd0 in [0, 31]\nd1 in [0, 2]\n"
            "d2 in [0, 3]"
        ],
        [
            "(d0, d1, d2) -> (d0 * 8 + d1, d2 floordiv 4, d2 mod 4)\ndomain:\nd0 in [0, 3]\nd1 in [0, 7]\n"
            "d2 in [0, 11]"
        ],
    ),
    Maps(
        "p0 = f32[2, 5, 7] parameter(0)\np1 = f32[2, 11, 7] parameter(1)\np2 = f32[2, 17, 7] parameter(2)\n"
        "ROOT concat = f32[2, 33, 7] concatenate(f32[2, 5, 7] p0, f32[2, 11, 7] p1, f32[2, 17, 7] p2),"
        " dimensions={1}",
        [
            f"(d0, d1, d2) -> (d0, d1{shift}, d2)\ndomain:\nd0 in [0, 1]\nd1 in [{low}, {high}]\nd2 in [0, 6]"
            for shift, low, high in (("", 0, 4), (" - 5", 5, 15), (" - 16", 16, 32))
        ],
        [
            f"(d0, d1, d2) -> (d0, d1{shift}, d2)\ndomain:\nd0 in [0, 1]\nd1 in [0, {high}]\nd2 in [0, 6]"
            for shift, high in (("", 4), (" + 5", 10), (" + 16", 16))
        ],
    ),
    Maps(
        "p0 = f32[4, 128, 256] parameter(0)\np1 = f32[4, 256, 64] parameter(1)\n"
        "dot = f32[4, 128, 64] dot(p0, p1),\nlhs_batch_dims={0}, rhs_batch_dims={0},\n"
        "lhs_contracting_dims={2}, rhs_contracting_dims={1}",
        [
            f"(d0, d1, d2)[s0] -> ({to})\ndomain:\nd0 in [0, 3]\nd1 in [0, 127]\nd2 in [0, 63]\n"
            "s0 in [0, 255]"
            for to in ("d0, d1, s0", "d0, s0, d2")
        ],
        [
            "(d0, d1, d2)[s0] -> (d0, d1, s0)\ndomain:\nd0 in [0, 3]\nd1 in [0, 127]\nd2 in [0, 255]\n"
            "s0 in [0, 63]",
            "(d0, d1, d2)[s0] -> (d0, s0, d2)\ndomain:\nd0 in [0, 3]\nd1 in [0, 255]\nd2 in [0, 63]\n"
            "s0 in [0, 127]",
        ],
        says="(d0, s0, d1)",
    ),
    Maps(
        "p0 = f32[4, 4] parameter(0)\np1 = f32[] parameter(1)\n"
        "pad = f32[12, 16] pad(p0, p1), padding=1_4_1x4_8_0",
        [
            "(d0, d1) -> ((d0 - 1) floordiv 2, d1 - 4)\ndomain:\nd0 in [1, 7]\nd1 in [4, 7]\n"
            "(d0 - 1) mod 2 in [0, 0]",
            "",
        ],
        says="The padding value is read just where there is no data.",
    ),
    Maps(
        "c_inf = f32[] constant(-inf)\np0 = f32[1024, 514] parameter(0)\n"
        "reduce-window = f32[1024, 3] reduce-window(p0, c_inf),\n"
        "window={size=1x512 pad=0_0x0_0}, to_apply=max",
        [
            "(d0, d1)[s0] -> (d0, d1 + s0)\ndomain:\nd0 in [0, 1023]\nd1 in [0, 2]\ns0 in [0, 511]",
            "(d0, d1) -> ()\ndomain:\nd0 in [0, 1023]\nd1 in [0, 2]",
        ],
    ),
]
FUSIONS = {
    """f {
p0 = f32[1000, 1000] parameter(0)
transpose_p0 = f32[1000, 1000]{0, 1} transpose(p0), dimensions={1, 0}
ROOT a0 = f32[1000, 1000] add(p0, transpose_p0)
}""": ["(d0, d1) -> (d0, d1)", "(d0, d1) -> (d1, d0)"],
    """f {
p0 = f32[20, 10, 50] parameter(0)
lhs_transpose_1 = f32[10, 20, 50] transpose(p0), dimensions={1, 0, 2}
lhs_e = f32[10, 20, 50] exponential(lhs_transpose_1)
lhs_transpose_2 = f32[10, 50, 20] transpose(lhs_e), dimensions={0, 2, 1}
rhs_transpose_1 = f32[50, 10, 20] transpose(p0), dimensions={2, 1, 0}
rhs_log = f32[50, 10, 20] exponential(rhs_transpose_1)
rhs_transpose_2 = f32[10, 50, 20] transpose(rhs_log), dimensions={1, 0, 2}
ROOT add = f32[10, 50, 20] add(lhs_transpose_2, rhs_transpose_2)
}""": ["(d0, d1, d2) -> (d2, d0, d1)"],
    """p0 = f32[2, 65, 125] parameter(0)
m = reduce(p0, f32[] c), dimensions={2}, to_apply=max
b = f32[2, 65, 125] broadcast(m), dimensions={0, 1}
ROOT s = subtract(p0, b)""": ["(d0, d1, d2) -> (d0, d1, d2)", "(d0, d1, d2)[s0] -> (d0, d1, s0)"],
    """p0 = f32[10, 10, 10] parameter(0)
reshape1 = f32[50, 20] reshape(p0)
reshape2 = f32[10, 10, 10] reshape(reshape1)""": ["(d0, d1, d2) -> (d0, d1, d2)"],
}
"""HLO as it is typed, and the maps to its parameter 0 through all of it."""

_TENS = "d0 in [0, 9], d1 in [0, 9], d2 in [0, 9]"
SIMPLIFIED = [
    (
        "(d0, d1) -> (d0 + d1 floordiv 16, d1 mod 16)",
        "d0 in [0, 6], d1 in [0, 14]",
        "(d0, d1) -> (d0, d1)",
    ),
    (
        "(d0, d1, d2) -> ((100d0 + 10d1 + d2) floorDiv 100,"
        " ((100d0 + 10d1 + d2) mod 100) floordiv 10, d2 mod 10)",
        _TENS,
        "(d0, d1, d2) -> (d0, d1, d2)",
    ),
    (
        "(d0, d1, d2) -> ((16d0 + 4d1 + d2) floordiv 8, (16d0 + 4d1 + d2) mod 8)",
        _TENS,
        "(d0, d1, d2) -> (d0 * 2 + (d1 * 4 + d2) floordiv 8, (d1 * 4 + d2) mod 8)",
    ),
    (
        "(d0, d1) -> (-((-11d0 - d1 + 109) floordiv 11) + 9)",
        "d0 in [0, 9], d1 in [0, 10]",
        "(d0, d1) -> (d0)",
    ),
]
"""The simplifier's rewritings, by bounds."""
BOUNDS = [
    ("d0 + s0 in [0, 20]", ""),
    ("d0 + s0 + 1 in [4, 6]", "d0 + s0 in [3, 5]"),
    ("d0 + s0 - 1 in [2, 4]", "d0 + s0 in [3, 5]"),
    ("(d0 + s0) * 3 in [9, 16]", "d0 + s0 in [3, 5]"),
    ("(d0 + s0) floordiv 3 in [1, 1]", "d0 + s0 in [3, 5]"),
]
"""Constraints, for d0 in [0, 5] and s0 in [1, 3], and what is left of them."""

DOMAIN = "d0 in [0, 3], d1 in [0, 7]"
STRUCTS = """struct Interval {
int64_t lower;
int64_t upper;
struct DimVar {
struct RangeVar {
struct RTVar {
Interval feasible_values;
const HloInstruction* hlo; HloInstruction*
mlir::AffineMap map;
class IndexingMap {
mlir::AffineMap affine_map_;
std::vector<DimVar> dim_vars_;
std::vector<RangeVar> range_vars_;
std::vector<RTVar> rt_vars_;
llvm::DenseMap<mlir::AffineExpr, Interval> constraints_;
1D HloDynamicSliceInstruction: (d0) -> (), from -0 to tensor_size - slice_size - 1"""


def fields() -> Any:
    """The parts of a map, as the document's class has them, of a dynamic slice of one dim."""
    line = read_instruction("ds = dynamic-slice(f32[9] x, s32[] o), dynamic_slice_sizes={4}")
    (m,) = output_to_input(line)[0]
    (rt,) = m.runtime
    assert rt.source is not None
    found = [*(v.bounds for v in (*m.dims, *m.ranges)), rt.bounds]
    bounds = [(interval.lower, interval.upper) for interval in found]
    return bounds, m.constraints, rt.source.indices


def across(*shapes: str) -> str:
    """The map from the last of some shapes to the first, through reshapes."""
    lines = [f"p0 = {tla.read(shapes[0])} parameter(0)"]
    lines += [f"p{i} = {tla.read(s)} reshape(p{i - 1})" for i, s in enumerate(shapes[1:], 1)]
    (found,) = tla.indexing.fusion.computation_maps(read_module("\n".join(lines)).entry)[0]
    return str(found)


INDEXING = [
    Example(
        "tensor<20xf32> tensor<10x20x30xf32> (i, j, k) -> (j): i in [0, 10], j in [0, 20], k in [0, 30]",
        lambda: (
            [tla.read(t).dimensions for t in ("tensor<20xf32>", "tensor<10x20x30xf32>")]
            + [plain("(i, j, k) -> (j), domain: i in [0, 9], j in [0, 19], k in [0, 29]")]
        ),
        [(20,), (10, 20, 30), "(i, j, k) -> (j), domain: i in [0, 9], j in [0, 19], k in [0, 29]"],
        says="the introduction of the document writes 0 to 10",
    ),
    Example(
        "f(x) = f(d, r, rt) tensor<2x4x8x16xf32> 4D tensor<4x8xf32> 2D (d0, d1) -> (r0, d0, d1, r1)"
        " d_i r_j (r0, d0, d1, r1) r0 in [0, 1] r1 in [0, 15]",
        lambda: plain(
            f"(d0, d1)[r0, r1] -> (r0, d0, d1, r1), domain: {DOMAIN}, r0 in [0, 1], r1 in [0, 15]"
        ),
        f"(d0, d1)[r0, r1] -> (r0, d0, d1, r1), domain: {DOMAIN}, r0 in [0, 1], r1 in [0, 15]",
    ),
    Example(
        "f(x), lb <= g(x) <= ub",
        lambda: [
            parse_map(f"(d0, d1) -> (d0), domain: {DOMAIN}, d0 + d1 in [2, 3]").contains(at)
            for at in ((1, 1), (0, 1), (3, 1))
        ],
        [True, False, False],
    ),
    Example(
        "mlir::AffineMap AffineMap (d0)[s0, s1] -> (s0 + 5, d0 * 2, s1 * 3 + 50)",
        lambda: plain(
            "(d0)[s0, s1] -> (s0 + 5, d0 * 2, s1 * 3 + 50), domain: d0 in [0, 9], s0 in [0, 9], s1 in [0, 9]"
        ).split(", domain")[0],
        "(d0)[s0, s1] -> (s0 + 5, d0 * 2, s1 * 3 + 50)",
    ),
    Example(STRUCTS, fields, ([(0, 3), (0, 5)], (), ())),
    Example(
        "dus: (d0, d1)[s0, s1] -> (d0 - s0, d1 - s1)\ns0 in [0, 15]\nhlo: of1 = s32[] parameter(2)\n"
        "s1 in [0, 20]\nhlo: of2 = s32[] parameter(3)",
        lambda: [(v.name, v.bounds.upper) for v in parse_map(MAPS[4].reads[1]).runtime],
        [("rt0", 15), ("rt1", 20)],
        says="The document has one map for `src`, the identity, and calls it too big",
    ),
    Example(
        "10x1x30",
        lambda: [v.bounds.upper + 1 for v in parse_map(MAPS[0].makes[0]).ranges],
        [10, 30],
    ),
    Example(
        "(d0, *)",
        lambda: plain(MAPS[5].reads[1]).split(", domain")[0],
        "(d0, d1, d2, d3)[s0] -> (d0, s0)",
    ),
    Example(
        "reverse: upper_bound(d_i) - d_i",
        lambda: parse_map(REVERSED).evaluate((0, 0, 8, 3)),
        (0, 16, 0, 3),
    ),
    Example(
        "tensor<4x8xf32> tensor<32xf32> tensor<2x4x4xf32>",
        lambda: across("tensor<4x8xf32>", "tensor<32xf32>", "tensor<2x4x4xf32>"),
        str(simplify(parse_map(MAPS[12].reads[0]))),
    ),
    Example(
        "tensor<4x8x12xf32> tensor<32x12xf32> tensor<32x3x4xf32>",
        lambda: across("tensor<4x8x12xf32>", "tensor<32x12xf32>", "tensor<32x3x4xf32>"),
        str(simplify(parse_map(MAPS[13].reads[0]))),
    ),
    Example(
        "input_2 -> output: (d0, d1, d2)[s0] -> (d0, s0, d1)",
        lambda: MAPS[15].makes[1].split("\n")[0],
        "(d0, d1, d2)[s0] -> (d0, s0, d2)",
        says="(d0, s0, d1)",
    ),
    Example(
        "1_4_1x4_8_0 is lowPad_highPad_interiorPad_dim_0 x lowPad_highPad_interiorPad_dim_1:"
        " d0 in [0, 11] d1 in [0, 15]",
        lambda: tla.read("pad(f32[4,4] p, f32[] c), padding=1_4_1x4_8_0").dimensions,
        (1 + 4 + 3 * 1 + 4, 4 + 4 + 8),
    ),
    Example(
        "p0 + transpose(p0), parameter 0; d1 in [0, 64] d2 in [0, 124] s0 in [0, 124]",
        lambda: sorted(
            str(m) for m in tla.indexing.fusion.computation_maps(read_module([*FUSIONS][2]).entry)[0]
        )[1].split("domain: ")[1],
        "d0 in [0, 1], d1 in [0, 64], d2 in [0, 124], s0 in [0, 124]",
    ),
    Example(
        "[0, 6] x [0, 14] di in [0, 9] d_i in [0, 9] [0, 9] x [0, 10]"
        " (d0, d1, d2) -> (2d0 + (4d1 + d2) floordiv 8,(4d1 + d2) mod 8)",
        lambda: plain(
            f"(d0, d1, d2) -> (2d0 + (4d1 + d2) floordiv 8,(4d1 + d2) mod 8), domain: {_TENS}"
        ),
        f"{SIMPLIFIED[2][2]}, domain: {_TENS}",
    ),
    Example(
        "(d0, d1) -> (-(-11d0 - d1 + 109) floordiv 11 + 9)",
        lambda: plain(
            "(d0, d1) -> (-(-11d0 - d1 + 109) floordiv 11 + 9), domain: d0 in [0, 9], d1 in [0, 10]"
        ).split(", domain")[0],
        "(d0, d1) -> ((d1 + 1) floordiv 11 + d0 - 1)",
        says="The last one the document writes without the outer parentheses",
    ),
    Example(
        "lower_bound <= affine_expr (floordiv, +, -, *) constant <= upper_bound\n"
        "updated_lower_bound <= affine_expr <= updated_upped_bound\nd0 in [0, 5] s0 in [1, 3]",
        lambda: [
            plain(f"(d0)[s0] -> (d0, s0), domain: d0 in [0, 5], s0 in [1, 3], {typed}").partition(
                "s0 in [1, 3], "
            )[2]
            for typed, _left in BOUNDS
        ],
        [left for _typed, left in BOUNDS],
    ),
]


def plain(text: str) -> str:
    """A map without the names of its runtime variables' sources."""
    return str(simplify(parse_map(text)))


# --- all of them ------------------------------------------------------------------------------------


def documented(sentence: str) -> bool:
    pages = (
        DOCS / "differences.md",
        DOCS / "names.md",
        DOCS / "xla_indexing.md",
        *DOCS.glob("howto/*.md"),
    )
    return any(sentence in " ".join(page.read_text().split()) for page in pages)


@over("example", [*TILED, *SHAPES, *TLA, *INDEXING], ids=lambda example: example.typed)
def test_examples(example: Example) -> None:
    found = example.answer()
    assert (tuple(found) if isinstance(found, tuple) else found) == example.expected
    assert documented(example.says)


@over("example", MAPS, ids=lambda example: example.hlo)
def test_maps(example: Maps) -> None:
    root = read_module(example.hlo).entry.root
    for maps, texts in ((output_to_input(root), example.reads), (input_to_output(root), example.makes)):
        for found, text in zip(maps, texts, strict=False):
            if text:
                assert [str(each) for each in found] == [plain(text)]
    assert documented(example.says)


@over("hlo, maps", FUSIONS.items(), ids=str)
def test_fusions(hlo: str, maps: list[str]) -> None:
    entry = read_module(hlo).entry
    (found, *_others) = tla.indexing.fusion.computation_maps(entry)
    assert sorted(str(m).split(", domain")[0] for m in found) == sorted(maps)


@over("text, domain, result", SIMPLIFIED)
def test_simplified(text: str, domain: str, result: str) -> None:
    assert str(simplify(parse_map(f"{text}, domain: {domain}"))) == f"{result}, domain: {domain}"


@over("constraint, left", BOUNDS)
def test_bounds(constraint: str, left: str) -> None:
    text = "(d0)[s0] -> (d0, s0), domain: d0 in [0, 5], s0 in [1, 3]"
    assert str(simplify(parse_map(f"{text}, {constraint}"))) == text + f", {left}" * bool(left)


# --- none is left out ---

SIGNS = "!-~À-ÿ∙∗⌊⌋⌈⌉"
RUN = re.compile(f"[{SIGNS}](?:[ {SIGNS}]*[{SIGNS}])?")
WORD = re.compile(r"""(?<![^\s("-])(?:[A-Za-zÀ-ÿ]*[a-zß-ÿ]{2,}|[a-z]\.[a-z])[.,:]?(?![^\s)"-])""")
EDGES = re.compile(r"^[\s.,:;-]+(?=\D)|^-\s|[\s.,:;(]+$")

NO_EXAMPLE = {
    "tiled layout": "Abbildung 1|Abbildung 2|F32[3,5]{1,0:T(2;2)} geschrieben,wobei 1,0|minor_to_major|e=|d=|"
    "-1, ... , d1) (d1|-1, ... , t1)|(t1|(⌈di/ti⌉|e1). Es|16-|32-|F32[112,110]{1,0} kombinieren,bevor|i-1",
    "shapes and layout": "bf316|): 3,2,0,1:T(8,128)(2,1)|): S(1)|XLA ShapeProto ( xla_data.proto )|"
    'Proto LayoutProto|initializer_list|"0|index_util.h|shape_util.h|layout_util.h|S(n)|(HBM)|(VMEM)',
    "TLA layouts": "TLA(Tensor Layout Abstraction)|std::tuple|rank(Layout):Layout|2x3|tensor,2",
    "indexing analysis": "HloConcatenateInstruction|DynamicUpdateSlice|[gather_simplifier]|"
    "(https://github.com/openxla/xla/blob/main/xla/hlo/transforms/simplifiers/gather_simplifier.h)|"
    "output -> input_i|input_i -> output|> input_j|> init_j|_i -> output_j|init_i -> output_j|"
    "for i, j = 0, ... INPUT_COUNT|1 ->|3 ->|output -> input_1|output -> input_2|_1 ->|padOp|SliceOp|"
    "ReduceWindow|PadOp|indexing_map_test.cc",
    "shapes and layout, 2018": "18 ~ 20|XLA Shape proto(xla_data.proto)|(N| 2D|3D|4D|initializer_list|2D|"
    "padded_dimensionspadding_value|IndexUtilIndexUtil|shape_util.hlayout_util.h",
}
"""What names something, or is broken off by a word of the language, and says no more than the rest."""


def parts(text: str) -> list[str]:
    """The parts of a document that are typed: its lines without words of a language."""
    found: list[str] = []
    for line in text.splitlines():
        is_prose = len(WORD.findall(line)) > 4
        for run in RUN.findall(line):
            for piece in WORD.split(run) if is_prose else [run]:
                if re.search(r"[0-9_=(\[{]|[a-z][A-Z]|::", piece):
                    found.append(EDGES.sub("", " ".join(piece.split())))
    return [part for part in found if re.search("[A-Za-z0-9]", part)]


def squashed(*texts: object) -> str:
    return "".join("\n".join(map(str, texts)).split()).casefold()


def covered() -> dict[str, str]:
    """All that the examples of each document say."""
    said = {
        name: squashed(*(text for e in examples for text in (e.typed, e.expected)))
        for name, examples in (
            ("tiled layout", TILED),
            ("shapes and layout", SHAPES),
            ("TLA layouts", TLA),
        )
    }
    said["shapes and layout, 2018"] = said["shapes and layout"]
    maps = [text for m in MAPS for text in (m.hlo, *m.reads, *m.makes)]
    fused = [text for hlo, found in FUSIONS.items() for text in (hlo, *found)]
    said["indexing analysis"] = squashed(*maps, *fused, *INDEXING, *SIMPLIFIED, *BOUNDS, STRUCTS)
    return said


def test_every_part_of_the_documents_has_an_example() -> None:
    """The parts stand in ``data``; where the documents are, `TLA_DOCUMENTS`, they are read anew."""
    recorded = [json.loads(line) for line in PARTS.read_text("utf-8").splitlines()]
    folder = os.environ.get("TLA_DOCUMENTS")
    if folder:
        texts = [page.read_text("utf-8") for page in sorted(Path(folder).glob("0*.txt"))]
        assert [row["parts"] for row in recorded] == list(map(parts, texts))
    said = covered()
    assert {row["document"] for row in recorded} == {*said} == {*NO_EXAMPLE}
    for row in recorded:
        left = {part for part in row["parts"] if squashed(part) not in said[row["document"]]}
        assert left == set(NO_EXAMPLE[row["document"]].split("|"))


@over("text", [ADD, FUSION, FIGURE_1, "negate(f32[2] y)"])
def test_parse_names_the_reader_of_xla(text: str) -> None:
    with pytest.raises(tla.ParseError, match=r"tla\.read reads it"):
        tla.parse(text)


def test_the_bare_affine_map_says_how_to_give_bounds(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["index", "(d0)[s0, s1] -> (s0 + 5, d0 * 2, s1 * 3 + 50)"]) == 1
    assert (
        "domain: d0 in [0, 9], s0 in [0, 9], s1 in [0, 9], with your bounds." in capsys.readouterr().err
    )


def test_a_deep_tuple_is_an_int_tuple() -> None:
    deep: Any = Int(3)
    for _ in range(5000):
        deep = (deep,)
    assert isinstance(deep, KIND)
    assert not isinstance((deep, "a"), KIND)
