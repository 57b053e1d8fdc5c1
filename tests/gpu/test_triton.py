"""Triton's encodings: rows recorded from Triton, forms of older versions, and what does not fit."""

import json
from pathlib import Path
from typing import Any

import pytest
from cases import over

import tla
from tla import LayoutError, ParseError, TlaError
from tla.algebra import split
from tla.gpu import LinearLayout, bank_conflicts, from_linear, from_triton

FILE = Path(__file__).parents[1] / "data" / "triton_layouts.jsonl"
BLOCKED = (
    "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1],"
    " order = [1, 0]}>"
)
MMA = "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>"
SHARED = "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>"


def bases(f: LinearLayout) -> dict[str, list[list[int]]]:
    """The columns of a linear layout, by in dims, as Triton writes them."""
    columns = iter(f.columns)
    return {name: [list(split(next(columns), f.outs)) for _bit in range(n)] for name, n in f.ins}


@over("row", [json.loads(line) for line in FILE.read_text().splitlines()], ids=lambda row: row["text"])
def test_rows_of_triton(row: Any) -> None:
    """Random fields, and shapes smaller and larger than the tile."""
    assert bases(from_triton(row["text"])) == row["bases"]


def with_fields(text: str, more: str) -> str:
    return text.replace("}>", f", {more}}}>")


OLDER = [
    (BLOCKED.replace("ttg", "triton_gpu"), BLOCKED),
    (with_fields(BLOCKED, "CTAsPerCGA = [1, 1], CTASplitNum = [1, 1], CTAOrder = [1, 0]"), BLOCKED),
    (
        with_fields(BLOCKED, "CTAsPerCGA = [2, 4], CTASplitNum = [2, 2], CTAOrder = [1, 0]"),
        with_fields(BLOCKED, "CGALayout = [[0, 1], [0, 0], [1, 0]]"),
    ),
    (
        with_fields(SHARED.replace("ttg.swizzled_", "triton_gpu."), "hasLeadingOffset = false"),
        SHARED,
    ),
    (
        "#ttg.amd_mfma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [32, 32],"
        " isTransposed = true}>",
        "#ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8],"
        " isTransposed = true}>",
    ),
    (
        "#ttg.amd_wmma<{version = 1, isTranspose = false, warpsPerCTA = [2, 4]}>",
        "#ttg.amd_wmma<{version = 1, ctaLayout = {warp = [[0, 1], [0, 2], [1, 0]]}}>",
    ),
]


@over("older, newer", OLDER)
def test_older_forms(older: str, newer: str) -> None:
    assert from_triton(older, (128, 64)) == from_triton(newer, (128, 64))


HEAD = f"""#blocked = {BLOCKED}
#mma = {MMA} // of a product
#loc = loc("kernel.py":3:0)
#operand = #ttg.dot_op<{{opIdx = 0, parent = #mma, kWidth = 2}}>
#smem = #ttg.shared_memory
#shared = {SHARED}
"""


def test_texts() -> None:
    """Names, types and the head of a file mean what the attribute itself means."""
    shape, whole = (128, 64), f'{HEAD}module attributes {{"ttg.num-warps" = 4 : i32}} {{\n}}\n'
    blocked, shared = from_triton(BLOCKED, shape), from_triton(SHARED, shape)
    operand = from_triton(f"#ttg.dot_op<{{opIdx = 0, parent = {MMA}, kWidth = 2}}>", shape)
    assert from_triton(f"#blocked = {BLOCKED}", shape) == blocked
    assert from_triton(f"{HEAD}tensor<128x64x!tt.ptr<f16>, #blocked>") == blocked
    assert from_triton(f"{HEAD}#operand", shape) == operand
    assert from_triton(whole, shape, "#operand") == from_triton(whole, shape, name="operand") == operand
    view = "!ttg.memdesc<128x16xf16, #shared, #smem, mutable, 3x128x64>"
    assert from_triton(HEAD + view) == from_triton(f"{HEAD}!ttg.memdesc<128x64xf16, #shared>") == shared
    own = "#ttg.linear<{register = [[0, 1]], lane = [[1, 0], [2, 0]], warp = [[0, 0]], block = []}>"
    assert from_triton(own) == from_triton(own, (4, 2)) != from_triton(own, (8, 8))


def test_on_from_there() -> None:
    """The inverse of a shared layout is a layout; what a warp holds is an access of it."""
    swizzled, plain = (
        from_linear(from_triton(shared, (64, 64)).inverse())
        for shared in (SHARED, SHARED.replace("maxPhase = 8", "maxPhase = 1"))
    )
    assert str(swizzled) == "Sw<3,3,3> o 0 o (64,64):(64,1)"
    rows = "#ttg.linear<{register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0],"
    held = from_triton(rows + " [16, 0]], warp = [], block = []}>", (64, 64))
    index = [held(lane << 7) for lane in range(32)]
    ways = [bank_conflicts(x, index, element_bits=16, vector=1).ways for x in (plain, swizzled)]
    assert ways == [32, 4]


WRONG = [
    (BLOCKED.replace("warpsPerCTA = [4, 1], ", ""), "#ttg.blocked lacks the field warpsPerCTA"),
    (BLOCKED.replace("warpsPerCTA", "warpPerCTA"), "#ttg.blocked has no field 'warpPerCTA'"),
    (
        BLOCKED.replace("[4, 1]", "[3, 1]"),
        "warpsPerCTA of #ttg.blocked is not linear over F2: its extent 3",
    ),
    (
        BLOCKED.replace("[4, 1]", "[4]"),
        "warpsPerCTA of #ttg.blocked has 1 entry, but the tensor has 2 dims",
    ),
    (BLOCKED.replace("order = [1, 0]", "order = [1, 1]"), "order of #ttg.blocked has each dim once"),
    (with_fields(BLOCKED, "order = [1, 0]"), "#ttg.blocked has order twice"),
    (
        with_fields(BLOCKED, "CGALayout = [[2, 0]]"),
        "the bases of #ttg.blocked must move each dim by 1, 2, 4",
    ),
    (SHARED.replace("vec = 8", "vec = 3"), "vec of #ttg.swizzled_shared is a power of 2, not 3"),
    ("#ttg.blockd<{}>", "#ttg.blockd is no layout that is read"),
    ("#ttng.tensor_memory_encoding<{}>", "#ttng.tensor_memory_encoding is no layout that is read"),
    ("#ttg.slice<{dim = 0, parent = #mma}>", "the text does not say what #mma is"),
    ("#a = #ttg.slice<{dim = 0, parent = #a}>", "nested deeper than"),
    (f"#ttg.slice<{{dim = 3, parent = {BLOCKED}}}>", "dim of #ttg.slice is 0 or 1 or 2, not 3"),
    (f"#ttg.dot_op<{{opIdx = 0, parent = {MMA}}}>", "#ttg.dot_op lacks the field kWidth"),
    (MMA.replace("Major = 2", "Major = 1"), "versionMajor of #ttg.nvidia_mma is 2 or 3, not 1"),
    (MMA.replace("[16, 8]", "[16, 4]"), "instrShape of #ttg.nvidia_mma is 8x8 or more, not 16x4"),
    ("#ttg.padded_shared<[128:+4] {order = [1, 0], shape = [128, 64]}>", "Offset 128 is padding."),
    (HEAD, "the text names 4 layouts: #blocked, #mma, #operand, #shared"),
    ("tensor<128x64xf16>", "expected ',' and an attribute, found '>'"),
    ("(4,8):(8,1)", "expected an attribute of Triton or a type with one"),
    ("", "expected an attribute of Triton or a type with one"),
    (f"{BLOCKED} x", "expected the end of text, found 'x'"),
    (f"#a = {BLOCKED} x", "expected the end of the line, found 'x'"),
    (
        "#ttg.linear<{register = [[0, 1], [0, 1]], lane = [], warp = [], block = []}>",
        "each of these once",
    ),
    (
        "#ttg.shared_linear<{offset = [[0, 1]], block = []}, alignment = 16>",
        "of a tensor of 1x2, not 128x64",
    ),
]


@over("text, said", WRONG)
def test_what_does_not_fit(text: str, said: str) -> None:
    with pytest.raises(ParseError) as caught:
        from_triton(text, (128, 64))
    error = caught.value
    assert said in str(error), str(error)


@pytest.mark.parametrize(
    "text",
    [
        "tensor<8x16xf16, #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [2, 4],"
        " warpsPerCTA = [2, 1], order = [1, 0]}>>",
        "#s = #ttg.swizzled_shared<{vec = 2, perPhase = 1, maxPhase = 4, order = [1, 0]}>\n"
        "!ttg.memdesc<8x16xf16, #s, #ttg.shared_memory>",
        "#ttg.linear<{register = [[0, 1], [0, 8]], lane = [[0, 2], [0, 4], [1, 0]],"
        " warp = [[4, 0], [2, 0]], block = []}>",
    ],
)
def test_read_and_packed(text: str) -> None:
    """`tla.read` reads it, and each element lies where the function of bits says."""
    np: Any = pytest.importorskip("numpy")
    f: LinearLayout = tla.read(text)
    assert f == from_triton(text)
    array = np.arange(f.size).reshape([1 << bits for _name, bits in f.outs])
    for layout in (text, f):
        memory = tla.pack(array, layout)
        assert [*memory] == [array[split(f(i), f.outs)] for i in range(f.size)]
        assert np.array_equal(tla.unpack(memory, layout), array)
    offsets = tla.algebra.to_linear(tla.Layout((8, 16), (16, 1)))
    assert [*tla.pack(np.arange(128).reshape(8, 16), offsets)] == [*range(128)]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            "#ttg.swizzled_shared<{vec = 2, perPhase = 1, maxPhase = 4, order = [1, 0]}>",
            r"tla\.gpu\.from_t",
        ),
        ("#map", "does not say what #map is"),
        ("!ttg.memdesc<4x8xf32>", "expected ',' and an attribute"),
    ],
)
def test_what_read_lacks(text: str, why: str) -> None:
    with pytest.raises(TlaError, match=why):
        tla.read(text)
    twice = "#ttg.linear<{register = [[1], [0]], lane = [], warp = [], block = []}>"
    with pytest.raises(LayoutError, match="not injective has no inverse"):
        tla.mask(twice)


def test_shapes() -> None:
    with pytest.raises(LayoutError, match="depends on the shape"):
        from_triton(BLOCKED)
    with pytest.raises(LayoutError, match="64 and 32 are coordinates of it, 64 \\^ 32 = 96 is none"):
        from_triton(BLOCKED, (96, 64))
    with pytest.raises(LayoutError, match="at most 2048 bits"):
        from_triton(BLOCKED, (1 << 9999, 2))
    line = f"#b = {BLOCKED.replace('[8, 4]', '[8, 5]')}"
    with pytest.raises(ParseError) as caught:
        from_triton(f"#mma = {MMA}\n{line}\n#b", (8, 8))
    assert (caught.value.line, caught.value.column) == (2, line.index("5") + 1)


def test_cut_texts() -> None:
    """A text that is cut anywhere is read, or has an error of the library."""
    for end in range(len(HEAD)):
        try:
            from_triton(HEAD[:end], (128, 64))
        except TlaError:
            continue
