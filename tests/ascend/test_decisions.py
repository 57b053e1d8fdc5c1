"""Padding, split-K factors, workspace, balance, bytes moved: as CATLASS's host code has them, and laws.

The rows of ``catlass_decisions.jsonl`` are what the functions of CATLASS's own headers return.
"""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, strategies as st
from oracle import rows

from tla import LayoutError, UnsupportedError, sym
from tla.ascend import (
    AtlasA2,
    GemmShape,
    balance_workload,
    data_read,
    data_written,
    element,
    judge_space,
    make_layout,
    max_k1,
    multi_core_splitk_factor,
    needs_padding,
    padded,
    splitk_factor,
    workspace,
)
from tla.numbers import evaluate

FILE = "catlass_decisions.jsonl"
KINDS: Any = ("PADDING_ND", "PADDING_BLOCK_ND", "PADDING_NZ")
ELEMENTS = st.sampled_from(["int8_t", "half", "bfloat16_t", "float"])
LINES = st.sampled_from(["RowMajor", "ColumnMajor"])
SIDE = st.integers(1, 5000)
PROBLEM = st.tuples(SIDE, SIDE, st.integers(1, 80000))
TILE = st.tuples(*[st.integers(1, 40).map(lambda x: 16 * x)] * 3)
CORES = st.integers(1, 40)


def ceil(a: int, b: int) -> int:
    return len(range(0, a, b))


# --- as recorded ---


def test_splitk_factors_as_recorded() -> None:
    for row in rows(FILE, "splitk_factor"):
        assert splitk_factor(row["problem"], row["tile"], row["cores"]) == row["factor"], row


def test_workspace_of_padding_as_recorded() -> None:
    for row in rows(FILE, "padding"):
        given_ = (row["tag"], row["rows"], row["cols"], row["element"])
        found = [padded(k, *given_, block=row["block"] if "BLOCK" in k else None).bytes for k in KINDS]
        assert found == row["bytes"], row


def test_balance_as_recorded() -> None:
    for row in rows(FILE, "balance_workload"):
        sizes = (row["m"], row["n"], row["m1"], row["n1"])
        found = balance_workload(*sizes, cores=row["cores"], threshold=row["threshold"])
        assert list(found) == row["tile"], row


def test_space_as_recorded() -> None:
    """CATLASS answers 512 bytes of k where no k fits; here there is none."""
    none = {"half": 256, "float": 128}
    for row in rows(FILE, "judge_space"):
        m1, n1, k1 = row["tile"]
        for of in none:
            assert judge_space(m1, n1, k1, of) == row[of], row
            assert (max_k1(m1, n1, of) or none[of]) == row[f"k1_{of}"], row


# --- padding ---


@given(LINES, SIDE, SIDE, ELEMENTS)
def test_padding_is_needed_where_lines_do_not_start_at_512_bytes(
    tag: str, m: int, n: int, of: str
) -> None:
    layout = make_layout(of, tag, m, n)
    step = max(layout.stride) if min(m, n) > 1 else n if tag == "RowMajor" else m
    starts = [i * step * element(of).sizeof % 512 for i in range(4)]
    assert needs_padding(tag, m, n, of) is any(starts)


@pytest.mark.parametrize(
    ("tag", "shape", "of", "ld", "answer"),
    [
        ("RowMajor", (4096, 256), "half", None, False),
        ("RowMajor", (4096, 255), "half", None, True),
        ("RowMajor", (4096, 255), "half", 512, False),
        ("RowMajor", (256, 4095), "half", None, True),
        ("ColumnMajor", (256, 4095), "half", None, False),
        ("RowMajor", (16, 65536), "half", None, True),
        ("RowMajor", (16, 65280), "half", None, False),
        ("RowMajor", (16, 128), "float", None, False),
        ("RowMajor", (16, 512), "int4b_t", None, True),
        ("RowMajor", (16, 1024), "int4b_t", None, False),
        ("zN", (100, 100), "half", None, False),
        ("nZ", (100, 100), "half", None, False),
    ],
)
def test_when_padding_is_needed(
    tag: str, shape: tuple[int, int], of: str, ld: int | None, answer: bool
) -> None:
    assert needs_padding(tag, *shape, of, ld=ld) is answer


def pad(kind: Any, tag: str, rows: int = 1, of: str = "half", block: Any = None) -> object:
    return padded(kind, tag, rows, 1, of, block=block)


def test_padding_of_unknown_sizes() -> None:
    free: Any = sym("N")
    lines: Any = sym("L", divisible_by=256, max=60000)
    odd: Any = 256 * free + 1
    assert needs_padding("RowMajor", 16, free, "half") is None
    assert needs_padding("RowMajor", 16, lines, "half") is False
    assert needs_padding("RowMajor", 16, odd, "half") is True
    assert needs_padding("RowMajor", free, 256, "half") is False


@given(st.sampled_from(KINDS), LINES, SIDE, SIDE, ELEMENTS)
def test_padded_holds_the_matrix_and_needs_no_more(kind: Any, tag: str, m: int, n: int, of: str) -> None:
    found = padded(kind, tag, m, n, of, block=(128, 256))
    assert found.rows >= m
    assert found.cols >= n
    assert found.bytes == found.rows * found.cols * element(of).sizeof
    if kind == "PADDING_ND":
        ld = found.cols if tag == "RowMajor" else found.rows
        assert needs_padding(found.tag, m, n, of, ld=ld) is False
    else:
        block = {"block": (128, 256)} if kind == "PADDING_BLOCK_ND" else {}
        layout = make_layout(of, found.tag, m, n, **block)  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
        assert layout.cosize == found.rows * found.cols


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (lambda: needs_padding("zZ", 1, 1, "half"), UnsupportedError, "pads no matrix of tag zZ"),
        (lambda: needs_padding("RowMajor", 4, 100, "half", ld=64), LayoutError, "64 of RowMajor"),
        (lambda: needs_padding("RowMajor", 0, 100, "half"), LayoutError, "the 0 x 100 matrix is"),
        (lambda: pad("PAD", "RowMajor"), UnsupportedError, "'PAD' is no padding"),
        (lambda: pad("PADDING_NZ", "zN"), UnsupportedError, "takes RowMajor or ColumnMajor, not zN"),
        (lambda: pad("PADDING_NZ", "RowMajor", of="int4b_t"), UnsupportedError, "int4b_t has 4 bits"),
        (lambda: pad("PADDING_BLOCK_ND", "RowMajor"), LayoutError, "needs the rows and columns"),
        (lambda: pad("PADDING_ND", "RowMajor", rows=0), LayoutError, "the 0 x 1 matrix is below 1"),
        (
            lambda: pad("PADDING_BLOCK_ND", "RowMajor", block=(16, 0)),
            LayoutError, r"its block \(16,0\) is below 1",
        ),
    ],
)  # fmt: skip
def test_bad_padding(call: Callable[[], object], kind: type[Exception], text: str) -> None:
    with pytest.raises(kind, match=text):
        call()


# --- split-K ---


@given(PROBLEM, TILE, CORES)
def test_splitk_factor_keeps_its_bounds(
    problem: tuple[int, int, int], tile: tuple[int, int, int], cores: int
) -> None:
    m, n, k = problem
    factor = splitk_factor(problem, tile, cores)
    most = 2 if k <= 1024 else 4 if k <= 2048 else 8 if k <= 4096 else 16
    least = 4 if k > 32768 else 2 if k > 8192 else 1
    assert least <= factor <= max(most, least)
    assert factor <= max(least, ceil(k, tile[2]))
    if ceil(m, tile[0]) * ceil(n, tile[1]) >= cores:
        assert factor == least if ceil(k, tile[2]) >= least else factor >= 1


@given(PROBLEM, TILE, CORES)
def test_multi_core_splitk_factor(
    problem: tuple[int, int, int], tile: tuple[int, int, int], cores: int
) -> None:
    blocks = ceil(problem[0], tile[0]) * ceil(problem[1], tile[1])
    idle = cores // blocks
    assert multi_core_splitk_factor(problem, tile, cores) == min(
        idle if idle else 2, ceil(problem[2], tile[2])
    )


@given(PROBLEM, TILE, CORES)
def test_workspace_is_for_partial_sums(
    problem: tuple[int, int, int], tile: tuple[int, int, int], cores: int
) -> None:
    m, n, _ = problem
    mib = 2**20
    sums = m * n * 4
    assert workspace("SplitkMatmul", problem, tile, cores) == sums * splitk_factor(problem, tile, cores)
    multi = sums * multi_core_splitk_factor(problem, tile, cores)
    assert workspace("MultiCoreSplitkMatmulTla", problem, tile, cores) == max(2 * mib, multi)
    block = tile[0] * tile[1] * 4 * cores
    assert workspace("TailMultiCoreSplitkMatmulTla", problem, tile, cores) == max(10 * mib, block)
    assert workspace("StreamkMatmul", problem, tile, cores) == max(2 * mib, 2 * block)
    assert workspace("StreamkMatmulTla", problem, tile, cores, ("int8_t", "int8_t")) == max(
        2 * mib, 2 * block
    )


def test_factors_of_no_width_of_int() -> None:
    """Where 32 bits wrap, the count of tiles does not."""
    huge = (2**31, 2**31, 4096)
    assert splitk_factor(huge, (16, 16, 16), 24) == 1
    assert workspace("SplitkMatmul", huge, (16, 16, 16), 24) == 2**64


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: splitk_factor((1, 1, 0), (16, 16, 16), 24), "the problem has k = 0"),
        (lambda: splitk_factor((1, 1, 1), (16, 0, 16), 24), "the tile has n = 0"),
        (lambda: splitk_factor((1, 1, 1), (16, 16, 16), 0), "at least 1 core, not 0"),
        (lambda: multi_core_splitk_factor((1, 1, 1), (16, 16, 16), -1), "at least 1 core"),
        (lambda: balance_workload(1, 1, 16, 16, cores=0), "at least 1 core"),
        (
            lambda: balance_workload(1, 1, 16, 16, cores=1, threshold=15),
            "the threshold 15 is below 16 rows",
        ),
        (lambda: balance_workload(0, 1, 16, 16, cores=1), "the problem has m = 0"),
        (lambda: judge_space(16, 0, 16), "the tile has n = 0"),
        (lambda: max_k1(-16, 16), "the tile has m = -16"),
        (lambda: data_written((1, 1, 1), (1, 1, 1), factor=0), "at least 1 slice, not 0"),
    ],
)
def test_bad_numbers(call: Callable[[], object], text: str) -> None:
    with pytest.raises(LayoutError, match=text):
        call()


def test_unknown_words() -> None:
    with pytest.raises(UnsupportedError, match="'Basic' keeps no partial sums"):
        workspace("Basic", (1, 1, 1), (16, 16, 16), 1)  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    with pytest.raises(UnsupportedError, match="'x' is no way to divide k"):
        data_read((1, 1, 1), (1, 1, 1), scheme="x")  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    with pytest.raises(UnsupportedError, match="no cube core multiplies half by float"):
        workspace("SplitkMatmul", (1, 1, 1), (16, 16, 16), 1, ("half", "float"))


# --- tiles ---


@given(SIDE, SIDE, TILE, CORES, st.sampled_from([16, 32, 64]))
def test_balance_costs_no_round(
    m: int, n: int, tile: tuple[int, int, int], cores: int, threshold: int
) -> None:
    m1, n1, _ = tile
    a, b = balance_workload(m, n, m1, n1, cores=cores, threshold=threshold)
    assert (a % 16, b % 16) == (0, 0)
    assert a <= m1
    assert b <= n1
    rounds = ceil(ceil(m, m1) * ceil(n, n1), cores)
    assert ceil(ceil(m, a) * ceil(n, b), cores) == rounds
    if a > threshold and a < m:
        assert ceil(ceil(m, a - 16) * ceil(n, n1), cores) > rounds


@given(TILE, ELEMENTS)
def test_space_is_two_stages_and_the_sums(tile: tuple[int, int, int], of: str) -> None:
    m1, n1, k1 = tile
    size = element(of).sizeof
    fits = 2 * size * (m1 * k1 + k1 * n1) <= 512 * 1024 and 4 * m1 * n1 <= 128 * 1024
    assert judge_space(m1, n1, k1, of) is fits
    found = max_k1(m1, n1, of)
    fitting = [k for k in (1024, 512, 256, 128) if judge_space(m1, n1, k, of)]
    assert found == (fitting[0] if fitting else None)


def test_space_is_that_of_the_architecture() -> None:
    assert (judge_space(256, 256, 128), judge_space(256, 256, 128, arch="Ascend950")) == (False, True)
    assert max_k1(256, 256, arch=AtlasA2.replaced(l0c=256 * 1024)) == 256


# --- bytes moved ---


@given(PROBLEM, TILE, ELEMENTS)
def test_bytes_read_and_written_tile_by_tile(
    problem: tuple[int, int, int], tile: tuple[int, int, int], of: str
) -> None:
    m, n, k = problem
    m1, n1, k1 = tile
    size = element(of).sizeof
    a = sum(min(m1, m - i) * k for i in range(0, m, m1))
    b = sum(k * min(n1, n - j) for j in range(0, n, n1))
    read = size * (a * ceil(n, n1) + b * ceil(m, m1))
    assert data_read(problem, tile, (of, of)) == data_read(problem, tile, (of, of), "splitk") == read
    assert data_read(problem, tile, (of, of), "single_core_splitk") == size * (a + b * ceil(m, m1))
    assert data_written(problem, tile, of) == m * n * size
    assert data_written(problem, tile, "float", "splitk", factor=3) == 12 * m * n
    assert data_written(problem, tile, "float", "single_core_splitk") == 4 * m * n * ceil(k, k1)


@given(TILE, TILE)
def test_the_formulas_of_the_design_page(
    counts: tuple[int, int, int], tile: tuple[int, int, int]
) -> None:
    """2 MNK (1/m1 + 1/n1), and 2 MNK (1/m1 + 1/N) with k outermost, where tiles divide."""
    m1, n1, k1 = tile
    m, n, k = (x // 16 * t for x, t in zip(counts, tile, strict=True))
    problem, shape = (m, n, k), GemmShape(*tile)
    assert data_read(problem, shape) * m1 * n1 == 2 * m * n * k * (m1 + n1)
    assert data_read(problem, shape, scheme="single_core_splitk") * m1 * n == 2 * m * n * k * (m1 + n)
    assert data_written(problem, shape, scheme="single_core_splitk") * k1 == 2 * m * n * k


def test_numbers_that_are_no_ints() -> None:
    with pytest.raises(TypeError, match="cores is an int, not float"):
        splitk_factor((1, 1, 1), (16, 16, 16), 24.0)  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    with pytest.raises(TypeError, match="an extent of the tile is an int"):
        judge_space(16.0, 16, 16)  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]


def test_one_element_type_is_that_of_both() -> None:
    sizes = ((300, 400, 500), (128, 256, 256))
    assert data_read(*sizes, "float") == data_read(*sizes, ("float", "float"))
    assert data_read(*sizes, element("int8_t")) * 2 == data_read(*sizes)
    assert workspace("SplitkMatmul", *sizes, 24, "int8_t") == workspace("SplitkMatmul", *sizes, 24)


def test_elements_of_four_bits_are_packed() -> None:
    assert data_read((16, 16, 64), (16, 16, 64), ("int4b_t", "int4b_t")) == 1024


@pytest.mark.parametrize(
    "ask",
    [
        lambda: padded("PADDING_ND", "RowMajor", 5.5, 5, "half"),  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
        lambda: padded("PADDING_ND", "RowMajor", True, 5, "half"),
        lambda: padded("PADDING_BLOCK_ND", "RowMajor", 5, 5, "half", block=(16, 2.0)),  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
        lambda: needs_padding("RowMajor", 5, 5.5, "half"),  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
        lambda: needs_padding("RowMajor", 5, 5, "half", ld=8.0),  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
        lambda: balance_workload(5, 5, 16, 16, cores=2, threshold=16.5),  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
        lambda: data_written((5, 5, 5), (16, 16, 16), "half", "splitk", factor=True),
    ],
)
def test_floats_and_bools_are_no_extents(ask: Callable[[], object]) -> None:
    with pytest.raises(TypeError, match=r"int, (got|not) (float|bool)"):
        ask()


def test_padding_of_unknown_extents() -> None:
    m: Any = sym("M")
    found = padded("PADDING_NZ", "RowMajor", m, 20, "half")
    for value in (1, 16, 17, 100):
        want = padded("PADDING_NZ", "RowMajor", value, 20, "half")
        assert evaluate(found.rows, {"M": value}) == want.rows
        assert evaluate(found.bytes, {"M": value}) == want.bytes
