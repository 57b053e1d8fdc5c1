"""Every worked example of the documents that the library is after, as a picture with their numbers.

The documents are XLA's pages on tiled layout, on shapes and layout (of today and of 2018) and on
indexing analysis, and CATLASS's page on layouts of TLA. Their tables stand here as numbers, and their
maps in ``data/indexing_seed.jsonl``; where a page is wrong the right ones do. `COVERED` lists the
examples page by page.
"""

from __future__ import annotations

import re
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from indexing.test_seed import CORRECTED, DRAWN, FUSED, SIMPLIFIED, entry_of, key, name_of, texts_of
from test_founding_documents import ZN_ROWS as ZN

from tla import (
    AnyLayout,
    CoordinateError,
    Layout,
    _1,
    _2,
    _4,
    _12,
    crd2offset,
    layout_figure,
    make_coord,
    make_layout,
    make_layout_tile,
    make_shape,
    make_stride,
    parse,
    strip_figure,
    to_text,
    zN,
)
from tla.hlo import read_instruction, read_module
from tla.indexing import parse_map, simplify
from tla.indexing.figures import map_figure
from tla.indexing.fusion import computation_maps
from tla.show import html, latex, render, svg
from tla.xla_bridge import (
    OldLayout,
    PaddingValue,
    XlaShape,
    XlaTuple,
    combined_layout,
    equivalent,
    from_layout,
    linear_index,
    linear_index_with_tile,
    parse_array,
    physical_bytes,
    tiling_steps,
    to_layout,
)

if TYPE_CHECKING:
    from tla.ground.figure import Figure, Strip

COVERED: dict[str, dict[str, str]] = {
    "XLA, tiled layout": {
        "figure 1, F32[3,5]{1,0:T(2,2)}": "test_figure_1",
        "linear_index_with_tile((2,3), (3,5), (2,2))": "test_the_formula_of_the_linear_index",
        "pad, reshape, transpose": "test_pad_reshape_transpose",
        "figure 2, 4 x 8 in (2,4)(2,1)": "test_figure_2",
        "bf16 in (8,128)(2,1)": "test_two_halves_of_a_word",
        "F32[2,7,8,11,10] as F32[112,110] in (*,*,2,*,3)": "test_combined_dims",
    },
    "XLA, shapes and layout": {
        "add.936 = bf16[8,1,1280,16384]{3,2,0,1:T(8,128)(2,1)}": "test_the_instruction_that_adds",
        "fusion.3 = bf16[32,32,4096]{2,1,0:T(8,128)(2,1)S(1)}": "test_the_fusion_in_vmem",
        "[2 x 3] with minor_to_major [0,1]: a d b e c f": "test_linear_memory",
        "[2 x 3] with minor_to_major [1,0]: a b c d e f": "test_linear_memory",
        "the default order of dims": "test_linear_memory",
        "tail_padding_alignment_in_elements, in words": "test_the_tail_is_padded",
    },
    "XLA, shapes and layout of 2018": {
        "[2 x 3] with minor_to_major [0,1] and [1,0]": "test_linear_memory",
        "padded_dimensions [3,5]: a d 0 b e 0 c f 0 ...": "test_padded_dimensions",
        "the same as an array of 3 rows of 5": "test_padded_dimensions",
    },
    "CATLASS, layouts of TLA": {
        "w2xh4, (_2,4):(_12,_1)": "test_matrices",
        "w32xh48, ((16,2),(16,3)):((16,256),(1,512))": "test_zn_of_16_by_16",
        "2 x 3 by rows": "test_matrices",
        "2 x 3 by columns": "test_matrices",
        "zN, ((4,2),(4,3)):((4,16),(1,32))": "test_zn",
        "crd2offset of (1,5)": "test_crd2offset",
        "MakeLayoutTile": "test_a_tile",
    },
    "XLA, indexing analysis": {
        "the maps of instructions and of fusions": "test_a_map",
        "what the simplifier rewrites": "test_a_map_simplified",
        "two reshapes that cancel": "test_reshapes_that_cancel",
    },
}

NO_PICTURE: dict[str, tuple[str, ...]] = {
    "XLA, tiled layout": (),
    "XLA, shapes and layout": ("the names of dims, y x and z y x", "memory spaces S(0) to S(5)"),
    "XLA, shapes and layout of 2018": ("the names of dims, y x and z y x",),
    "CATLASS, layouts of TLA": ("tuples, rank, get, depth: their examples give no number of a layout",),
    "XLA, indexing analysis": ("iota and constant, which read nothing", "bitcast, in words"),
}
"""Examples without numbers to draw; `tests/xla_bridge`, `tests/layouts/test_int_tuple.py` and
`tests/indexing` have them."""


def test_each_example_has_its_test() -> None:
    named = {test for examples in COVERED.values() for test in examples.values()}
    assert named <= {*globals()}
    assert {*NO_PICTURE} == {*COVERED}
    assert (len(DRAWN), len(SIMPLIFIED)) == (48, 7)


# --- what a picture says ---


def numbers(figure: Figure, slice_: int = 0) -> list[list[int]]:
    """The offsets of the cells of a grid."""
    return [[cell.offset for cell in row] for row in figure.grids[slice_].cells]


def drawn(figure: Figure | Strip) -> Any:
    """The figure itself; it can be drawn in each way, and the numbers stand in the text."""
    for written in (render(figure), svg(figure), html(figure), latex(figure)):
        assert written
    return figure


def printed(figure: Figure) -> list[list[int]]:
    """The numbers of a grid as the text has them, without brackets of padding."""
    rows = [line.partition("|")[2] for line in render(figure).splitlines() if "|" in line]
    return [[int(number) for number in re.findall(r"\d+", row)] for row in rows]


def pointed_at(figure: Figure) -> list[int]:
    """The offsets that the cells of the SVG have where one points at them, row by row."""
    return [int(offset) for offset in re.findall(r"<title>\S+ -> (\d+)", svg(figure))]


def in_order(table: list[list[int]]) -> list[int]:
    return [number for row in table for number in row]


def memory(strip: Strip, letters: dict[str, str], nothing: str = ".") -> str:
    """What lies in memory, one letter for each place."""
    names = [place.coordinates[0] if place.hits else "" for place in strip.places]
    return " ".join(letters.get(name, nothing) for name in names)


def letters_of(layout: AnyLayout, text: str) -> dict[str, str]:
    """The letters of a matrix, by rows, at its coordinates as they are written."""
    (grid,) = layout_figure(layout).grids
    rows, columns = layout.origin_shape
    assert grid.row_axis is not None
    places = product(grid.row_axis.names[:rows], grid.column_axis.names[:columns])
    return {f"({i},{j})": letter for (i, j), letter in zip(places, text, strict=True)}


# --- XLA: tiled layout ---

FIGURE_1 = [
    [0, 1, 4, 5, 8, 9],
    [2, 3, 6, 7, 10, 11],
    [12, 13, 16, 17, 20, 21],
    [14, 15, 18, 19, 22, 23],
]
"""Tiles of 2 by 2, those of a row beside one another; the last row and the last column are padding."""

FIGURE_2 = [
    [0, 2, 4, 6, 8, 10, 12, 14],
    [1, 3, 5, 7, 9, 11, 13, 15],
    [16, 18, 20, 22, 24, 26, 28, 30],
    [17, 19, 21, 23, 25, 27, 29, 31],
]
"""Tiles of 2 by 4, in each of them tiles of 2 by 1."""


def test_figure_1() -> None:
    layout = to_layout(parse_array("F32[3,5]{1,0:T(2,2)}"))
    figure = drawn(layout_figure(layout))
    assert numbers(figure) == printed(figure) == FIGURE_1
    assert pointed_at(figure) == in_order(FIGURE_1)
    assert (figure.size, figure.valid_size, figure.scheme) == (24, 15, "tile")
    (grid,) = figure.grids
    valid = [[cell.valid for cell in row] for row in grid.cells]
    assert valid == [[True] * 5 + [False]] * 3 + [[False] * 6]
    # one colour for each tile, 2 by 3 of them
    tiles = {(i // 2, j // 2, grid.cells[i][j].colour) for i, j in product(range(4), range(6))}
    assert len(tiles) == 6
    # the right half of the figure: memory, tile after tile, with the padding in its place
    strip = drawn(strip_figure(layout))
    assert memory(strip, letters_of(layout, "abcdefghijklmno")) == (
        "a b f g c d h i e . j . k l . . m n . . o . . ."
    )
    assert (len(strip.places), strip.holes) == (24, 0)
    padding = [place.offset for place in strip.places if not place.valid]
    assert padding == [9, 11, 14, 15, 18, 19, 21, 22, 23]


def test_the_formula_of_the_linear_index() -> None:
    """The page of 2024 in German ends in "= 1"; it is (1*3 + 1)*4 + (0*2 + 1) = 17."""
    assert linear_index_with_tile((2, 3), (3, 5), (2, 2)) == 17
    assert linear_index((1, 1, 0, 1), (2, 3, 2, 2)) == 17
    assert linear_index((1, 1), (2, 3)) * 2 * 2 + linear_index((0, 1), (2, 2)) == 17
    figure = layout_figure(to_layout(parse_array("F32[3,5]{1,0:T(2,2)}")))
    assert figure.grids[0].cells[2][3].offset == 17
    assert figure.grids[0].row_axis is not None
    # the tile (1,1), and (0,1) in it: the digits that the axes have beside row 2 and column 3
    digits = [level[2] for level in figure.grids[0].row_axis.levels]
    digits += [level[3] for level in figure.grids[0].column_axis.levels]
    assert digits == [1, 0, 1, 1]


def test_pad_reshape_transpose() -> None:
    steps = tiling_steps(parse_array("F32[3,5]{1,0:T(2,2)}"), (2, 3)).figure()
    text = render(steps)
    rows = [(row[1].split()[0], row[2], row[3]) for row in steps.rows]
    assert rows == [
        ("transpose", "(3,5)", "(2,3)"),
        ("pad", "(4,6)", "(2,3)"),
        ("reshape", "(2,2,3,2)", "(1,0,1,1)"),
        ("transpose", "(2,3,2,2)", "(1,1,0,1)"),  # the page's combined vectors
        ("reshape", "(24)", "(17)"),
    ]
    assert all(part in text for row in rows for part in row)
    assert "offset 17 of 24 elements" in text


def test_figure_2() -> None:
    shape = parse_array("F32[4,8]{1,0:T(2,4)(2,1)}")
    figure = drawn(layout_figure(to_layout(shape)))
    assert numbers(figure) == printed(figure) == FIGURE_2
    assert pointed_at(figure) == in_order(FIGURE_2)
    # the colours of the figure, tiles of 2 by 4, and the red frames in them, of 2 by 1
    for i, j in product(range(2), range(8)):
        assert FIGURE_2[2 * i + 1][j] == FIGURE_2[2 * i][j] + 1
    for i, j in product(range(2), range(2)):
        tile = [FIGURE_2[2 * i + r][4 * j + c] for r, c in product(range(2), range(4))]
        assert sorted(tile) == list(range(16 * i + 8 * j, 16 * i + 8 * j + 8))


def test_two_halves_of_a_word() -> None:
    """Two rows of a column lie side by side: two 16-bit values in a 32-bit word."""
    figure = drawn(layout_figure(to_layout(parse_array("bf16[16,256]{1,0:T(8,128)(2,1)}")), 4, 6))
    assert numbers(figure) == [
        [0, 2, 4, 6, 8, 10],
        [1, 3, 5, 7, 9, 11],
        [256, 258, 260, 262, 264, 266],
        [257, 259, 261, 263, 265, 267],
    ]


def test_combined_dims() -> None:
    """Dims merged by `*`: the picture is that of the two dims that they become."""
    five = parse_array("F32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}")
    two = parse_array("F32[112,110]{1,0:T(2,3)}")
    combined = combined_layout(five)
    figure = drawn(layout_figure(combined.layout, 8, 12))
    assert numbers(figure) == numbers(layout_figure(to_layout(two), 8, 12))
    assert numbers(figure)[:3] == [
        [0, 1, 2, 6, 7, 8, 12, 13, 14, 18, 19, 20],
        [3, 4, 5, 9, 10, 11, 15, 16, 17, 21, 22, 23],
        [222, 223, 224, 228, 229, 230, 234, 235, 236, 240, 241, 242],
    ]
    assert (figure.valid_size, figure.size) == (112 * 110, 112 * 111)
    steps = tiling_steps(five).figure()
    assert [row[2] for row in steps.rows][:3] == ["(2,7,8,11,10)", "(112,110)", "(112,111)"]
    assert steps.result == "12432 elements"


# --- XLA: shapes and layout ---


def test_the_instruction_that_adds() -> None:
    line = read_instruction(
        "add.936 = bf16[8,1,1280,16384]{3,2,0,1:T(8,128)(2,1)} add(exponential.183, broadcast.3115)"
    )
    assert (line.name, line.opcode, [x.name for x in line.operands]) == (
        "add.936", "add", ["exponential.183", "broadcast.3115"],
    )  # fmt: skip
    layout = to_layout(line.shape)
    figure = drawn(layout_figure(layout, 4, 4, 2))
    assert [grid.title for grid in figure.grids] == ["[0,0,_,_]", "[1,0,_,_]"]
    assert numbers(figure) == [[0, 2, 4, 6], [1, 3, 5, 7], [256, 258, 260, 262], [257, 259, 261, 263]]
    # dim 0 is slower than dims 2 and 3, which fill their tiles: no padding
    assert numbers(figure, 1)[0][0] == 1280 * 16384
    assert figure.slices == 8
    assert figure.size == figure.valid_size == figure.cosize == 8 * 1280 * 16384


def test_the_fusion_in_vmem() -> None:
    line = read_instruction(
        "%fusion.3 = bf16[32,32,4096]{2,1,0:T(8,128)(2,1)S(1)} "
        "fusion(bf16[32,32,8192]{2,1,0:T(8,128)(2,1)S(1)} %fusion.32), kind=kCustom, "
        "calls=%all-reduce-scatter.3"
    )
    result, operand = line.shape, line.operands[0].shape
    for shape, columns in ((result, 4096), (operand, 8192)):
        array = parse_array(str(shape))
        assert array.memory_space == 1
        assert physical_bytes(array) == 2 * 32 * 32 * columns
        figure = drawn(layout_figure(to_layout(array), 9, 2, 2))
        assert [row[0] for row in numbers(figure)] == [0, 1, 256, 257, 512, 513, 768, 769, 8 * columns]
        assert numbers(figure, 1)[0][0] == 32 * columns


@pytest.mark.parametrize(
    ("order", "expected"),
    [("{0,1}", "a d b e c f"), ("{1,0}", "a b c d e f"), ("", "a b c d e f")],
)
def test_linear_memory(order: str, expected: str) -> None:
    layout = to_layout(parse_array(f"f32[2,3]{order}"))
    assert memory(drawn(strip_figure(layout)), letters_of(layout, "abcdef")) == expected


def test_the_tail_is_padded() -> None:
    """The elements after the tiles, until their number is a multiple."""
    steps = tiling_steps(parse_array("f32[3,5]{1,0:T(2,2)L(32)}")).figure()
    assert steps.rows[-1][1:] == ("pad", "(32)")
    assert steps.result == "32 elements"


# --- XLA: shapes and layout of 2018 ---


def test_padded_dimensions() -> None:
    old = OldLayout(minor_to_major=(0, 1), padded_dimensions=(3, 5), padding_value=PaddingValue.ZERO_PAD)
    layout = to_layout(old.to_xla("f32", (2, 3)).shape)
    strip = drawn(strip_figure(layout))
    assert memory(strip, letters_of(layout, "abcdef"), nothing="0") == "a d 0 b e 0 c f 0 0 0 0 0 0 0"
    (grid,) = drawn(layout_figure(layout)).grids
    letters = letters_of(layout, "abcdef")
    shown = [
        " ".join(letters[f"({i},{j})"] if cell.valid else "0" for j, cell in enumerate(row))
        for i, row in enumerate(grid.cells)
    ]
    assert shown == ["a b c 0 0", "d e f 0 0", "0 0 0 0 0"]


# --- CATLASS: layouts of TLA ---


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(2,3):(3,1)", [[0, 1, 2], [3, 4, 5]]),
        ("(2,3):(1,2)", [[0, 2, 4], [1, 3, 5]]),
        ("(_2,4):(_12,_1)", [[0, 1, 2, 3], [12, 13, 14, 15]]),
    ],
)
def test_matrices(text: str, expected: list[list[int]]) -> None:
    figure = drawn(layout_figure(parse(text)))
    assert numbers(figure) == printed(figure) == expected
    assert figure.title == text


def test_the_constructors_of_the_page() -> None:
    assert to_text(make_layout(make_shape(_2, 4), make_stride(_12, _1))) == "(_2,4):(_12,_1)"
    blocks = make_shape(make_shape(16, 2), make_shape(16, 3))
    strides = make_stride(make_stride(16, 256), make_stride(1, 512))
    assert to_text(make_layout(blocks, strides)) == "((16,2),(16,3)):((16,256),(1,512))"


def test_zn() -> None:
    for layout in (parse("((4,2),(4,3)):((4,16),(1,32))"), zN(8, 12, block=(4, 4))):
        figure = drawn(layout_figure(layout))
        assert numbers(figure) == printed(figure) == ZN
        assert pointed_at(figure) == in_order(ZN)
        assert len({cell.colour for row in figure.grids[0].cells for cell in row}) == 6
    # its memory has each place once, block after block
    strip = drawn(strip_figure(zN(8, 12, block=(4, 4)), 96))
    assert (strip.holes, strip.shared, len(strip.places)) == (0, 0, 96)
    assert strip.places[37].coordinates == ("((1,0),(1,1))",)


def test_zn_of_16_by_16() -> None:
    """By the page's words: rows 16 apart, 2 blocks of them 256; columns side by side, 3 blocks 512."""
    figure = drawn(layout_figure(parse("((16,2),(16,3)):((16,256),(1,512))"), 32, 48))
    assert numbers(figure) == [
        [i % 16 * 16 + i // 16 * 256 + j % 16 + j // 16 * 512 for j in range(48)] for i in range(32)
    ]
    assert sorted(x for row in numbers(figure) for x in row) == list(range(32 * 48))


def test_crd2offset() -> None:
    layout = Layout(((_4, _2), (_4, 3)), ((_4, 16), (_1, 32)))
    assert crd2offset(make_coord(1, 5), layout.shape, layout.stride) == 37
    assert layout_figure(layout).grids[0].cells[1][5].offset == 37 == ZN[1][5]


def test_a_tile() -> None:
    """The shape changes, the strides stay: the first block, with its numbers."""
    tile: AnyLayout = make_layout_tile(parse("((4,2),(4,3)):((4,16),(1,32))"), (4, 4))
    assert str(tile) == "((4,1),(4,1)):((4,16),(1,32))"
    assert numbers(drawn(layout_figure(tile))) == [row[:4] for row in ZN[:4]]


def test_the_layouts_have_the_texts_of_the_other_notation() -> None:
    """The pages meet: the picture of a layout is the same in XLA's words and in TLA's."""
    for text, table in (("f32[3,5]{1,0:T(2,2)}", FIGURE_1), ("f32[4,8]{1,0:T(2,4)(2,1)}", FIGURE_2)):
        layout = to_layout(parse_array(text))
        assert equivalent(parse_array(text), from_layout(layout, dtype="f32"))
        assert numbers(layout_figure(parse(str(layout)))) == table


# --- XLA: indexing analysis ---


class Page:
    """A map as its page writes it, evaluated by Python: nothing of `tla.indexing` is asked."""

    def __init__(self, text: str) -> None:
        head, _domain, facts = text.partition(", domain: ")
        variables, _arrow, results = head.partition(" -> ")
        self.results = compiled("()" if results == "()" else f"({results[1:-1]},)")
        found = re.findall(r"(.+?) in \[(-?\d+), (-?\d+)\](?:, )?", facts)
        bounds = {
            name: range(int(low), int(high) + 1) for name, low, high in found if name.isidentifier()
        }
        self.facts = [
            (compiled(expr), int(low), int(high)) for expr, low, high in found if not expr.isidentifier()
        ]
        names = re.findall(r"\w+", variables)
        self.dims = [bounds[name] for name in names if name[0] == "d"]
        self.ranges = [bounds[name] for name in names if name[0] == "s"]
        self.first = tuple(bounds[name][0] for name in names if name[:2] == "rt")
        order = sorted(names, key=lambda name: ("d", "s", "r").index(name[0]))
        self.names = order

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(dim[-1] + 1 for dim in self.dims)

    def reads(self, number: int) -> set[tuple[int, ...]]:
        """What is read for an element of the result, which is numbered row by row."""
        at = numbered(number, self.sizes)
        if any(x not in dim for x, dim in zip(at, self.dims, strict=True)):
            return set()
        found: set[tuple[int, ...]] = set()
        for taken in product(*self.ranges):
            values = dict(zip(self.names, (*at, *taken, *self.first), strict=True))
            if all(low <= eval(fact, None, values) <= high for fact, low, high in self.facts):
                found.add(eval(self.results, None, values))
        return found


def compiled(expr: str) -> Any:
    return compile(expr.replace("floordiv", "//").replace("mod", "%"), "page", "eval")


def numbered(number: int, sizes: tuple[int, ...]) -> tuple[int, ...]:
    """The coordinate of a number, the last dim fastest."""
    at: list[int] = []
    for size in reversed(sizes):
        at.append(number % size)
        number //= size
    return tuple(reversed(at))


def cells_of(figure: Any) -> dict[int, Any]:
    return {cell.offset: cell for grid in figure.grids for row in grid.cells for cell in row}


def target(row: dict[str, Any]) -> tuple[int, ...]:
    """The dims of the array that an example's map leads to."""
    root, operand = entry_of(row).root, row["operand"]
    if row["name"] in FUSED:
        (shape,) = [line.shape for line in entry_of(row).instructions if line.opcode == "parameter"]
    else:
        shape = root.operands[operand].shape if row["direction"] == "output_to_input" else root.shape
    if isinstance(shape, XlaTuple):
        shape = shape.elements[0]
    assert isinstance(shape, XlaShape)
    return shape.dimensions


def compare(text: str, bounds: tuple[int, ...]) -> None:
    """The picture of a map has, at each cell shown, what the page's formula gives."""
    page, figure = Page(text), map_figure(parse_map(text), bounds, rows=4, columns=6, slices=2)
    for written in (render(figure), svg(figure), html(figure), latex(figure)):
        assert written
    made, read = figure.figures
    results, elements = cells_of(made), cells_of(read)
    readers: dict[int, list[int]] = {}
    for number, cell in results.items():
        found = page.reads(number)
        assert (cell.text == "-") == (not found)
        assert cell.text in ("-", str(number))
        for at in found:
            readers.setdefault(number_of(at, bounds), []).append(number)
    assert results
    assert elements
    for number, cell in elements.items():
        first, *more = readers.get(number, [-1])
        if len(page.dims) > 3:  # more slices are followed than are shown
            told = re.match(r"\d+", cell.text)
            assert first < 0 or told is not None
            assert told is None or numbered(number, bounds) in page.reads(int(told[0]))
        else:
            assert cell.text == ("" if first < 0 else f"{first} +{len(more)}" if more else str(first))
    active = [number for number, cell in results.items() if cell.text != "-"]
    if active:
        marked = {number_of(at, bounds) for at in page.reads(min(active))}
        assert {n for n, cell in elements.items() if cell.is_marked} == marked & {*elements}


def number_of(at: tuple[int, ...], sizes: tuple[int, ...]) -> int:
    number = 0
    for x, size in zip(at, sizes, strict=True):
        number = number * size + x
    return number


@pytest.mark.parametrize("row", DRAWN, ids=name_of)
def test_a_map(row: dict[str, Any]) -> None:
    for text in CORRECTED.get(key(row), texts_of(row)):
        compare(text, target(row))


@pytest.mark.parametrize("row", SIMPLIFIED, ids=name_of)
def test_a_map_simplified(row: dict[str, Any]) -> None:
    """The picture stays as it is.

    The last rewrite of the page has its minus under the ``floordiv``; read so, the map leaves the array.
    """
    before = parse_map(row["before"])
    if row["name"] == "simp_4_minus_tight":
        with pytest.raises(CoordinateError, match="reads index -1 of dim 0"):
            map_figure(before)
        return
    assert map_figure(simplify(before))._replace(title="") == map_figure(before)._replace(title="")


def test_reshapes_that_cancel() -> None:
    entry = read_module("""ENTRY e {
  p0 = f32[10,10,10] parameter(0)
  reshape1 = f32[50,20] reshape(p0)
  ROOT reshape2 = f32[10,10,10] reshape(reshape1)
}""").entry
    ((found,),) = computation_maps(entry)
    made, read = map_figure(simplify(found), (10, 10, 10)).figures
    assert [cell.text for cell in cells_of(made).values()] == [
        cell.text for cell in cells_of(read).values()
    ]
