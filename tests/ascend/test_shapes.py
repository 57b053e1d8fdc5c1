"""Shapes: texts, extents, tiles of a problem, bad input."""

import pytest
from hypothesis import given, strategies as st

from tla import Int, LayoutError, ParseError
from tla.ascend import GemmCoord, GemmShape, gemm_shape

EXTENT = st.integers(1, 10**9)


@given(EXTENT, EXTENT, EXTENT)
def test_texts(m: int, n: int, k: int) -> None:
    shape = GemmShape(m, n, k)
    for text in (
        str(shape), f"{m},{n},{k}", f"{m}x{n}x{k}", f"({m}, {n}, {k})", f"{{{m},{n},{k}}}",
        f"Shape<_{m}, _{n}, _{k}>", f"tla::Shape<tla::Int<{m}>, Int<{n}>, {k}>",
        f" Catlass::GemmShape< {m} , {n},{k} > ", f"GemmCoord({m},{n},{k})",
    ):  # fmt: skip
        assert gemm_shape(text) == shape
    assert gemm_shape([m, n, k]) == gemm_shape((Int(m), n, k)) == gemm_shape(shape) == shape


@given(st.tuples(*[st.integers(1, 5000)] * 3), st.tuples(*[st.integers(1, 300)] * 3))
def test_tiles_of(problem: tuple[int, int, int], tile: tuple[int, int, int]) -> None:
    counts = GemmShape(*tile).tiles_of(GemmCoord(*problem))
    for count, extent, step in zip(counts, problem, tile, strict=True):
        assert len(range(0, extent, step)) == count


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1,2",
        "1,2,3,4",
        "a,b,c",
        "1,2,x",
        "1 2 3",
        "1.0,2,3",
        "GemmShape<1,2,3",
        "1,2,3>",
        "(1,2,3",
        "(1,2,3>",
        "1,2,Int<3",
        "1,2,_Int<3>",
        "_,2,3",
    ],
)
def test_texts_that_are_no_shape(text: str) -> None:
    with pytest.raises(ParseError, match="expected three extents m,n,k of the problem") as error:
        gemm_shape(text, "problem")
    assert error.value.text == text


def test_the_caret_is_under_the_wrong_extent() -> None:
    with pytest.raises(ParseError) as error:
        gemm_shape("GemmShape<128,two,64>")
    assert (error.value.start, error.value.end) == (14, 17)
    assert str(error.value).splitlines()[-1] == " " * 4 + " " * 14 + "^^^"


@pytest.mark.parametrize("text", ["0,1,1", "1,0,1", "1,1,0"])
def test_extents_of_nothing(text: str) -> None:
    extents = [int(x) for x in text.split(",")]
    with pytest.raises(ParseError, match="= 0: an extent is at least 1") as error:
        gemm_shape(text)
    assert error.value.start == text.index("0")
    with pytest.raises(LayoutError, match="= 0: an extent is at least 1") as refused:
        gemm_shape(extents)
    assert refused.value.axis == "mnk"[extents.index(0)]


def test_an_int_that_is_too_long() -> None:
    with pytest.raises(ParseError, match="an int of 5000 digits; at most 4300 are read") as error:
        gemm_shape("1,2," + "9" * 5000)
    assert error.value.start == 4
    assert gemm_shape("1,2," + "9" * 4300).k == 10**4300 - 1


def test_other_values() -> None:
    with pytest.raises(TypeError, match="expected three extents m, n, k of the tile, got NoneType None"):
        gemm_shape(None)  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    with pytest.raises(LayoutError, match="the tile has 2 extents, not three"):
        gemm_shape((1, 2))
    with pytest.raises(TypeError, match="an extent of the tile is an int, not float"):
        gemm_shape((1, 2.0, 3))  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    with pytest.raises(TypeError, match="not bool True"):
        gemm_shape((1, True, 3))
    with pytest.raises(LayoutError):
        gemm_shape((-5, 1, 1))
    assert str(GemmCoord(1, 2, 3)) == "(1,2,3)"
