"""What the generalised matmul runs: as CATLASS's host code chooses, and what any choice keeps."""

from typing import Any

import pytest
from hypothesis import given, strategies as st
from oracle import rows

from tla import LayoutError, UnsupportedError
from tla.ascend import AtlasA2, choose_kernel, dynamic_tile, judge_space
from tla.ascend.plans.dynamic import bandwidth

FILE = "catlass_decisions.jsonl"
SIDE = st.one_of(st.integers(1, 300), st.integers(1, 12000), st.integers(1, 500).map(lambda x: 16 * x))
PROBLEM = st.tuples(SIDE, SIDE, SIDE)
TAGS: Any = st.tuples(*[st.sampled_from(["RowMajor", "ColumnMajor"])] * 2)


def test_choices_as_recorded() -> None:
    kernels: set[str] = set()
    for row in rows(FILE, "choose_kernel"):
        arch, tags = AtlasA2.replaced(cores=row["cores"]), tuple(row["tags"])
        assert list(dynamic_tile(row["problem"], tags, arch)) == row["dynamic_tile"], row
        found = choose_kernel(row["problem"], tags, arch)
        for field in ("kernel", "splitk", "block_dim", "swizzle"):
            assert getattr(found, field) == row[field], row
        assert [list(found.tile), list(found.padding)] == [row["tile"], row["padding"]], row
        kernels.add(row["kernel"])
    assert len(kernels) == 7


def test_bandwidths_as_recorded() -> None:
    for row in rows(FILE, "bandwidth"):
        assert bandwidth(row["n"], row["d"], row["ld"]) == pytest.approx(row["rate"], rel=1e-12), row


@given(PROBLEM, TAGS, st.sampled_from([20, 24]))
def test_what_every_choice_keeps(
    problem: tuple[int, int, int], tags: tuple[str, str], cores: int
) -> None:
    found = choose_kernel(problem, tags, AtlasA2.replaced(cores=cores))
    most = cores * 2 if found.kernel == "AivMatmul" else cores
    assert 1 <= found.block_dim <= most
    assert found.splitk <= cores
    assert (found.kernel == "AivMatmul") is (problem[2] == 1)
    if found.tile.k:
        assert found.tile.m % 16 == found.tile.n % 16 == 0
        assert judge_space(*found.tile)
    if "Padding" not in found.kernel:
        assert set(found.padding) == {"PADDING_NONE"}
    if found.kernel == "PaddingCommonMatmul":
        assert set(found.padding) != {"PADDING_NONE"}
    assert found.kernel in str(found)


def test_a_single_row_lies_either_way() -> None:
    a, b = (choose_kernel((1, 4096, 4096), (tag, "RowMajor")) for tag in ("RowMajor", "ColumnMajor"))
    assert a.padding == b.padding


@pytest.mark.parametrize(
    ("arguments", "kind", "text"),
    [
        (((16, 16, 16), ("zN", "RowMajor")), UnsupportedError, "takes no zN"),
        (((16, 16, 16), ("RowMajor", "RowMajor"), "Ascend950"), UnsupportedError, "not Ascend950"),
        (((16, 0, 16),), LayoutError, "the problem has n = 0"),
    ],
)
def test_bad_questions(arguments: Any, kind: type[Exception], text: str) -> None:
    with pytest.raises(kind, match=text):
        choose_kernel(*arguments)


def test_text() -> None:
    assert str(choose_kernel((512, 300, 10000))) == (
        "PaddingMultiCoreSplitkMatmul, tile GemmShape<128,256,256>, PADDING_NZ A, PADDING_NZ B,"
        " k in 3 slices, GemmIdentityBlockSwizzle<3,0>, 24 blocks on 24 cores"
    )


def test_of_equal_times_the_first_in_the_source_wins() -> None:
    """A and B mirror each other, so to pad one or the other takes as long: the host names B first."""
    choice = choose_kernel((128, 128, 15443), ("RowMajor", "ColumnMajor"))
    assert choice.padding == ("PADDING_NONE", "PADDING_NZ", "PADDING_NONE")
