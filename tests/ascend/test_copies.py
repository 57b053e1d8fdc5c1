"""Copies: the calls move each element to its place, and nothing else; what cannot be copied says why."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from hypothesis import given, strategies as st

import tla.ascend as ascend
from tla import (
    CongruenceError,
    CoordinateError,
    DivisibilityError,
    LayoutError,
    NotALayoutError,
    UndecidedError,
    UnsupportedError,
    parse,
    sym,
)
from tla.ascend import ELEMENTS, Arch, Ascend950, AtlasA2, element, make_layout, parse_tagged
from tla.ascend.copies import (
    Call,
    Calls,
    DataCopyCO12DstParams,
    FixpipeParamsV220,
    LoadData2DMxParams,
    LoadData2DParams,
    LoadData2DParamsV2,
    LoadData2dTransposeParams,
    LoadData3DParamsV2,
    Nd2NzParams,
    gm_to_l1,
    l0c_to_gm,
    l1_to_bt,
    l1_to_l0a,
    l1_to_l0b,
)
from tla.ascend.copies.records import widths
from tla.ascend.cube import BIASES
from tla.ascend.tags.mx import make_mx_scale_layout
from tla.cli import ascend_copy

from .copies_recorded import ROUTES

ON = {
    "AtlasA2": ("half", "bfloat16_t", "float", "int8_t", "int4b_t"),
    "Ascend950": ("half", "float", "int8_t", "float8_e4m3_t", "float4_e2m1x2_t"),
}
ARCHES = st.sampled_from([(a, e) for a, elements in ON.items() for e in elements])
SIZES = st.integers(1, 70)
ROOMY = AtlasA2.replaced(name="roomy", l1=1 << 24, l0b=1 << 20)
"""A core whose buffers hold more than the fields of its instructions count."""


@st.composite
def places(draw: st.DrawFn, block: tuple[int, int]) -> tuple[Any, Any, Any]:
    """A matrix's sizes, a tile, and a start on whole blocks within the matrix."""
    sizes = draw(SIZES), draw(SIZES)
    at = tuple(draw(st.integers(0, (n - 1) // b)) * b for n, b in zip(sizes, block, strict=True))
    return sizes, (draw(SIZES), draw(SIZES)), at


# --- the law: each element of the tile arrives, nothing else of the matrix is written ---


@given(ARCHES, st.sampled_from(["RowMajor", "ColumnMajor", "zN", "nZ"]), st.data())
def test_global_memory_to_l1(on: tuple[str, str], tag: str, data: st.DataObject) -> None:
    arch, of = on
    c0 = element(of).c0
    pair = 2 if element(of).bits == 4 else 1
    blocks = {"RowMajor": (1, pair), "ColumnMajor": (pair, 1), "zN": (1, c0), "nZ": (c0, 1)}
    sizes, tile, at = data.draw(places(blocks[tag]))
    lead = {"RowMajor": 1, "ColumnMajor": 0}.get(tag)
    more = data.draw(st.integers(0, 9))
    options = {} if lead is None else {"ld": -(-(sizes[lead] + more) // pair) * pair}
    src = make_layout(of, tag, *sizes, **options)
    to = "zN" if tag in ("RowMajor", "zN") else "nZ"
    moved = gm_to_l1(src, to, arch=arch, element=of, tile=tile, at=at, src_tag=tag)
    proof = moved.proof()
    assert (proof.elements, proof.spill) == (moved.elements, 0)
    assert moved.bytes == element(of).bytes_of(moved.elements)
    assert (moved.why_many is None) == (moved.count == 1)


@given(ARCHES, st.booleans(), st.sampled_from([(16, 16), (32, 48), (64, 20)]), st.data())
def test_padded_to_l1(
    on: tuple[str, str], rows: bool, block: tuple[int, int], data: st.DataObject
) -> None:
    arch, of = on
    sizes, _, at = data.draw(places(block))
    tile = tuple(data.draw(st.integers(1, b)) for b in block)
    tag, to = ("PaddingRowMajor", "zN") if rows else ("PaddingColumnMajor", "nZ")
    src = make_layout(of, tag, *sizes, block=block)
    moved = gm_to_l1(src, to, arch=arch, element=of, tile=tile, at=at, src_tag=tag)
    assert (moved.count, moved.proof().spill) == (1, 0)


@given(ARCHES, st.booleans(), st.sampled_from(["zN", "nZ"]), st.data())
def test_l1_to_l0(on: tuple[str, str], is_a: bool, tag: str, data: st.DataObject) -> None:
    arch, of = on
    c0 = element(of).c0
    sizes, tile, at = data.draw(places((16, c0) if tag == "zN" else (c0, 16)))
    src = make_layout(of, tag, *sizes)
    load = l1_to_l0a if is_a else l1_to_l0b
    try:
        moved = load(src, arch=arch, element=of, tile=tile, at=at, src_tag=tag)
    except (LayoutError, UnsupportedError):
        if arch == "AtlasA2" and of in ("int8_t", "int4b_t"):
            return  # what does not fit their squares, below
        raise
    assert moved.proof().elements == moved.elements
    fractal = element(of).fractal
    assert all(call.dst % fractal == 0 and call.src % fractal == 0 for call in moved.calls)


@given(ARCHES, st.booleans(), st.booleans(), st.sampled_from(["zN", "nZ"]), st.data())
def test_into_a_layout_larger_than_the_tile(
    on: tuple[str, str], to_l1: bool, is_a: bool, tag: str, data: st.DataObject
) -> None:
    arch, of = on
    c0 = element(of).c0
    block = (16, c0) if tag == "zN" else (c0, 16)
    sizes, tile, at = data.draw(places(block))
    room = [t + data.draw(st.integers(0, 40)) for t in tile]
    src = make_layout(of, tag, *sizes)
    told: dict[str, Any] = {"arch": arch, "element": of, "tile": tile, "at": at, "src_tag": tag}
    if to_l1:
        moved = gm_to_l1(src, make_layout(of, tag, *room), dst_tag=tag, **told)
        assert moved.proof().elements == moved.elements
        return
    to = ("zZ" if arch == "AtlasA2" else "zN") if is_a else "nZ"
    load, dst = l1_to_l0a if is_a else l1_to_l0b, make_layout(of, to, *room)
    try:
        moved = load(src, dst, dst_tag=to, **told)
    except (LayoutError, UnsupportedError):
        if arch == "AtlasA2" and of in ("int8_t", "int4b_t", "float"):
            return
        raise
    assert moved.proof().elements == moved.elements


@given(
    st.sampled_from(["AtlasA2", "Ascend950"]),
    st.sampled_from(["half", "bfloat16_t", "float", "int32_t"]),
    st.booleans(),
    st.data(),
)
def test_l0c_to_global_memory(arch: str, of: str, rows: bool, data: st.DataObject) -> None:
    c0 = element(of).c0
    if not rows and of == "int32_t":
        of = "float"
    sizes, tile, at = data.draw(places((1, 1) if rows else (1, c0)))
    cut = [min(t, n - c) for t, n, c in zip(tile, sizes, at, strict=True)]
    if not rows and at[1] + cut[1] < sizes[1]:
        cut[1] = max(c0, cut[1] // c0 * c0) if at[1] + c0 <= sizes[1] else sizes[1] - at[1]
    dst = make_layout(of, "RowMajor" if rows else "zN", *sizes)
    tag = "RowMajor" if rows else "zN"
    moved = l0c_to_gm(make_layout("float", "L0C", *cut), dst, arch=arch, element=of, at=at, dst_tag=tag)
    proof = moved.proof()
    assert (proof.zeros, proof.spill) == (0, 0)
    assert not rows or proof.padding == 0


@given(st.booleans(), st.sampled_from(["RowMajor", "ColumnMajor"]), st.data())
def test_scales_to_l1(is_b: bool, tag: str, data: st.DataObject) -> None:
    sizes, tile, at = data.draw(places((2, 1) if is_b else (1, 2)))
    src = make_mx_scale_layout("e8m0", tag, sizes[0], sizes[1], is_b)
    dst = make_mx_scale_layout("e8m0", "nN" if is_b else "zZ", tile[0], tile[1], is_b)
    side = "B" if is_b else "A"
    moved = gm_to_l1(
        src, dst, arch="Ascend950", element="e8m0", tile=tile, at=at,
        src_tag=f"MxScale{tag}{side}", dst_tag="MxScalenN" if is_b else "MxScalezZ",
    )  # fmt: skip
    assert moved.proof().elements == moved.elements


def test_a_wrong_call_is_no_proof() -> None:
    moved = gm_to_l1(make_layout("half", "RowMajor", 9, 9), "zN", arch="AtlasA2", element="half")
    first = moved.calls[0]
    assert isinstance(first.params, Nd2NzParams)
    wrong = first._replace(params=first.params._replace(srcDValue=10))
    with pytest.raises(LayoutError, match=r"element \(1, 0\) of the tile does not arrive at 16"):
        moved._replace(calls=Calls(wrong)).proof()
    past = l0c_to_gm(
        make_layout("float", "L0C", 4, 4),
        make_layout("half", "RowMajor", 8, 8),
        arch="AtlasA2",
        element="half",
    )
    params = past.calls[0].params
    assert isinstance(params, FixpipeParamsV220)
    wide = past.calls[0]._replace(params=params._replace(nSize=5))
    with pytest.raises(LayoutError, match="offset 4 of RowMajor<half> is written"):
        past._replace(calls=Calls(wide)).proof()


# --- each instruction ---


def test_rows_too_long_for_one_call() -> None:
    src = make_layout("half", "RowMajor", 64, 70000)
    moved = gm_to_l1(src, "zN", arch="AtlasA2", element="half", tile=(64, 128), at=(0, 256))
    assert moved.count == len(moved.calls) == 64
    assert moved.why_many == "leading dimension 70000 >= 65536: one call per row"
    assert [(c.dst, c.src) for c in moved.calls[:2]] == [(0, 256), (16, 70256)]
    one = gm_to_l1(src, "zN", arch="Ascend950", element="half", tile=(64, 128))
    assert (one.count, one.why_many) == (1, None)
    column = gm_to_l1(
        make_layout("half", "ColumnMajor", 70000, 8), "nZ", arch="AtlasA3", element="half", tile=(16, 8)
    )
    assert column.why_many == "leading dimension 70000 >= 65536: one call per column"
    limited = AtlasA2.replaced(name="mine", stride_limit=100)
    assert gm_to_l1(src, "zN", arch=limited, element="half", tile=(3, 3)).count == 3


def test_calls_are_a_lazy_sequence() -> None:
    src = make_layout("half", "RowMajor", 60000, 100000)
    moved = gm_to_l1(src, "zN", arch=ROOMY, element="half", tile=(60000, 64))
    assert moved.count == 60000
    assert moved.calls[-1] == moved.calls[59999]
    assert moved.calls[-1].src == 59999 * 100000
    assert [c.dst for c in moved.calls[10:30:10]] == [160, 320]
    with pytest.raises(IndexError):
        moved.calls[60000]
    assert pickle.loads(pickle.dumps(moved.calls)) == moved.calls
    assert hash(moved.calls) == hash(pickle.loads(pickle.dumps(moved.calls)))
    with pytest.raises(AttributeError, match="immutable"):
        moved.calls.length = 3
    assert repr(moved.calls).startswith("Calls(first=Call(name='DataCopy'")


def test_int8_is_transposed_in_squares() -> None:
    moved = l1_to_l0a(make_layout("int8_t", "nZ", 64, 64), arch="AtlasA2", element="int8_t")
    assert moved.calls[0].name == "LoadDataWithTranspose"
    assert moved.calls[0].params == LoadData2dTransposeParams(0, 2, 1, 0, 1)
    assert (moved.count, moved.why_many) == (2, "2 rows of squares: one call each")
    b = l1_to_l0b(make_layout("int4b_t", "zN", 128, 128), arch="AtlasA2", element="int4b_t")
    assert b.calls[0].params == LoadData2dTransposeParams(0, 2, 2, 3, 0)
    assert b.proof().elements == 128 * 128


@given(ARCHES, st.sampled_from(["zZ", "nN"]), st.booleans(), st.data())
def test_blocks_in_the_order_of_lines(
    on: tuple[str, str], tag: str, to_l1: bool, data: st.DataObject
) -> None:
    arch, of = on
    c0, pair = element(of).c0, 2 if element(of).bits == 4 else 1
    if to_l1:
        sizes, tile, at = data.draw(places((pair, pair)))
        source = "RowMajor" if tag == "zZ" else "ColumnMajor"
        ld = sizes[1 if tag == "zZ" else 0] + data.draw(st.sampled_from([1, 3001]))
        src = make_layout(of, source, *sizes, ld=ld + ld % pair)
        moved = gm_to_l1(src, tag, arch=arch, element=of, tile=tile, at=at, src_tag=source)
        assert moved.proof().spill == 0
        return
    sizes, tile, at = data.draw(places((16, c0) if tag == "zZ" else (c0, 16)))
    load = l1_to_l0a if tag == "nN" else l1_to_l0b
    src = make_layout(of, tag, *sizes)
    if element(of).bits < 16:
        with pytest.raises(UnsupportedError, match=r"no instruction of L1->L0. moves"):
            load(src, arch=arch, element=of, tile=tile, at=at, src_tag=tag)
        return
    try:
        moved = load(src, arch=arch, element=of, tile=tile, at=at, src_tag=tag)
    except LayoutError as error:
        assert "fractals down each column, and squares take 2" in str(error)  # noqa: PT017
        return
    assert moved.proof().elements == moved.elements


def test_sixteen_lines_are_a_matrix_of_their_own() -> None:
    told: dict[str, Any] = {"arch": "AtlasA2", "element": "half"}
    moved = gm_to_l1(make_layout("half", "RowMajor", 40, 64), "zZ", **told)
    assert [c.params for c in moved.calls] == [
        Nd2NzParams(16, 64, 64, 16, 1, 2, 1024, 1024),
        Nd2NzParams(8, 64, 64, 16, 1, 1, 1024, 0),
    ]
    assert (moved.count, moved.why_many) == (2, "8 rows are left over")
    assert moved.calls[-1] == moved.calls[1] == moved.calls[:][1]
    wide = gm_to_l1(make_layout("half", "ColumnMajor", 5000, 40), "nN", tile=(32, 40), **told)
    assert (wide.count, wide.why_many) == (
        3,
        "16 columns span 80000 elements >= 65536: one call each 16",
    )
    one = gm_to_l1(make_layout("half", "RowMajor", 9, 70000), "zZ", tile=(9, 32), **told)
    assert (one.count, one.calls[8].dst, one.calls[8].src) == (9, 128, 560000)
    with pytest.raises(LayoutError, match="40 are more than 16"):
        gm_to_l1(make_layout("half", "RowMajor", 40, 70000), "zZ", tile=(40, 32), **told)


def test_scales_are_made_of_their_element_type_and_of_two_sizes() -> None:
    vector = make_layout("float8_e8m0_t", "VectorLayout", 64)
    with pytest.raises(CongruenceError, match="MxScalenN takes 2 sizes, not one size"):
        gm_to_l1(vector, "MxScalenN", arch="Ascend950", element="float8_e8m0_t")
    rows = make_layout("half", "RowMajor", 64, 64)
    with pytest.raises(UnsupportedError, match="MxScalezZ is a layout of float8_e8m0_t, not of half"):
        gm_to_l1(rows, "MxScalezZ", arch="Ascend950", element="half")


def test_float_is_transposed_as_an_image() -> None:
    moved = l1_to_l0a(make_layout("float", "nZ", 40, 32), arch="AtlasA2", element="float")
    assert moved.calls[0].params == LoadData3DParamsV2(48, 32, 48, enTranspose=True)
    assert str(moved.setting) == "SetFmatrix(1, 32, {0,0,0,0}, FMATRIX_LEFT)"
    b = l1_to_l0b(make_layout("float", "zN", 40, 32), arch="AtlasA2", element="float")
    assert b.calls[0].params == LoadData3DParamsV2(32, 48, 32, fMatrixCtrl=True)
    assert "FMATRIX_RIGHT" in str(b.setting)


def test_nz_to_nz_in_one_call_where_rows_of_fractals_are_as_long() -> None:
    src = make_layout("half", "nZ", 64, 64)
    one = l1_to_l0b(src, arch="AtlasA2", element="half")
    assert [c.params for c in one.calls] == [LoadData2DParams(0, 16, 1, 0, False)]
    assert l1_to_l0b(src, arch="AtlasA2", element="half", tile=(64, 32)).count == 4


def test_boxes_of_3510() -> None:
    src = make_layout("half", "zN", 128, 256)
    moved = l1_to_l0a(src, arch="Ascend950", element="half", tile=(64, 64), at=(64, 128))
    assert moved.calls[0].params == LoadData2DParamsV2(4, 8, 4, 4, 8, 4, False)
    assert moved.calls[0].src == 0
    rows = l1_to_l0a(make_layout("int8_t", "nZ", 48, 64), arch="Ascend950", element="int8_t")
    assert [c.params.mStartPosition for c in rows.calls if isinstance(c.params, LoadData2DParamsV2)] == [
        0,
        2,
    ]
    assert rows.why_many == "48 is no multiple of 32: one call per row of squares"
    assert rows.proof().spill == 512


def test_scales_go_along() -> None:
    a = make_layout("float4_e2m1x2_t", "zN", 64, 256)
    scales = make_mx_scale_layout("e8m0", "zZ", 64, 8, is_b=False)
    moved = l1_to_l0a(
        a, arch="Ascend950", element="float4_e2m1x2_t", tile=(32, 128), at=(16, 128), scales=scales
    )
    assert moved.scales == LoadData2DMxParams(1, 2, 2, 2, 4, 2)
    assert moved.scales is not None
    assert widths(moved.scales, 3510)["xStep"] == 8
    b = make_layout("float8_e4m3_t", "nZ", 128, 32)
    of_b = make_mx_scale_layout("e8m0", "nN", 4, 32, is_b=True)
    with pytest.raises(DivisibilityError, match="K is no multiple of 64"):
        l1_to_l0b(b, arch="Ascend950", element="float8_e4m3_t", at=(32, 0), scales=of_b)
    half = make_layout("half", "zN", 64, 64)
    with pytest.raises(UnsupportedError, match="half has no MX scales on Ascend950"):
        l1_to_l0a(half, arch="Ascend950", element="half", scales=scales)
    with pytest.raises(LayoutError, match="are no MxScalezZ"):
        l1_to_l0a(a, arch="Ascend950", element="float4_e2m1x2_t", scales=parse("(64,8):(8,1)"))
    few = make_mx_scale_layout("e8m0", "zZ", 64, 4, is_b=False)
    with pytest.raises(LayoutError, match="fewer than the tile needs"):
        l1_to_l0a(a, arch="Ascend950", element="float4_e2m1x2_t", scales=few)


def test_the_fixpipe() -> None:
    sums = make_layout("float", "L0C", 32, 48)
    zn = l0c_to_gm(sums, make_layout("float", "zN", 64, 96), arch="AtlasA2", element="float")
    assert zn.calls[0].params == FixpipeParamsV220(48, 32, 32, 64, "NoQuant", True, False)
    to_rows = l0c_to_gm(
        sums, make_layout("bf16", "RowMajor", 64, 96), arch="Ascend950", element="bf16", at=(32, 1)
    )
    assert (to_rows.calls[0].name, to_rows.calls[0].dst) == ("DataCopy", 32 * 96 + 1)
    assert to_rows.calls[0].params == DataCopyCO12DstParams(48, 32, 32, 96, "F322BF16", False, True)
    assert str(to_rows.setting) == "SetFixpipeNz2ndFlag(1, 1, 1)"
    assert (to_rows.src.element.name, to_rows.dst.element.name) == ("float", "bfloat16_t")
    assert to_rows.bytes == 32 * 48 * 4


def test_bias() -> None:
    bias = make_layout("float", "VectorLayout", 40)
    assert l1_to_bt(bias, arch="AtlasA2", element="float").calls[0].params == (1, 3, 0, 0)
    assert l1_to_bt(bias, arch="Ascend950", element="float").calls[0].params == (1, 6, 0, 0)
    loaded = gm_to_l1(bias, "VectorLayout", arch="AtlasA2", element="float", tile=20, at=16)
    assert (loaded.calls[0].params, loaded.calls[0].src) == ((1, 3, 0, 0), 16)
    with pytest.raises(DivisibilityError, match=r"L1->BT cannot start at \(3\): .* of 8"):
        l1_to_bt(bias, arch="AtlasA2", element="float", at=3)
    many = make_layout("float", "VectorLayout", 257)
    with pytest.raises(LayoutError, match=r"of 257 takes 1028 bytes, and BT of AtlasA2 has 1024"):
        l1_to_bt(many, arch="AtlasA2", element="float")
    assert l1_to_bt(many, arch="Ascend950", element="float").calls[0].params == (1, 34, 0, 0)


def test_biases_become_sums() -> None:
    bias = make_layout("half", "VectorLayout", 256)
    moved = l1_to_bt(bias, arch="AtlasA2", element="half", accumulator="float")
    assert (moved.src.element.name, moved.dst.element.name) == ("half", "float")
    assert (moved.bytes, moved.dst.bytes, moved.proof().elements) == (512, 1024, 256)
    # 500 halves are 1000 bytes, and 500 sums twice as many
    with pytest.raises(LayoutError) as caught:
        l1_to_bt(make_layout("half", "VectorLayout", 500), arch="AtlasA2", element="half")
    assert str(caught.value) == (
        "VectorLayout<float> of 500 takes 2000 bytes, and BT of AtlasA2 has 1024\n  A tile of 256 fits."
    )


@given(st.sampled_from([AtlasA2, Ascend950]), st.data())
def test_each_bias_arrives(core: Arch, data: st.DataObject) -> None:
    _sums, of = data.draw(st.sampled_from(BIASES[core.code]))
    n, tile = data.draw(st.integers(1, 256)), data.draw(st.integers(1, 256))
    at = data.draw(st.integers(0, (n - 1) // element(of).c0)) * element(of).c0
    told: dict[str, Any] = {"arch": core, "element": of, "tile": tile, "at": at}
    moved = l1_to_bt(make_layout(of, "VectorLayout", n), **told)
    assert moved.proof().elements == moved.elements == min(tile, n - at)


@pytest.mark.parametrize("core", [AtlasA2, Ascend950])
def test_the_biases_that_a_core_adds(core: Arch) -> None:
    added: set[tuple[str, str]] = set()
    for of in ELEMENTS.values():
        for sums in (None, "float", "int32_t", "half"):
            try:
                moved = l1_to_bt(
                    make_layout("half", "VectorLayout", 64), arch=core, element=of, accumulator=sums
                )
            except UnsupportedError as error:
                assert f"{core} adds no bias of {of}" in error.summary  # noqa: PT017
            else:
                added.add((moved.dst.element.name, of.name))
                assert sums in (None, moved.dst.element.name)
    assert added == {*BIASES[core.code]}
    assert {s for s, _ in added} == {p.accumulator for p in core.products}
    with pytest.raises(UnsupportedError, match="adds no bias of half to sums of int32_t") as caught:
        l1_to_bt(
            make_layout("half", "VectorLayout", 64), arch=core, element="half", accumulator="int32_t"
        )
    assert caught.value.details[0].startswith("It adds float to float; half to float; ")


def test_a_layout_may_be_given_or_recognised() -> None:
    src, dst = parse("(100,100):(100,1)"), parse("((16,2),(16,3)):((16,256),(1,512))")
    moved = gm_to_l1(src, dst, arch="AtlasA2", element="half", at=(96, 96))
    assert (moved.src.tag, moved.dst.tag, moved.tile) == ("RowMajor", "zN", (4, 4))
    assert str(moved.src) == "RowMajor<half>"
    a_row = parse("(1,48):(1,1)")  # RowMajor and ColumnMajor: the destination tells which
    assert gm_to_l1(a_row, "nZ", arch="AtlasA2", element="half").src.tag == "ColumnMajor"


def test_the_stride_of_a_single_block_is_convention() -> None:
    src = parse("((16,2),(16,1)):((16,256),(1,3)):(20,9)")
    moved = gm_to_l1(src, "zN", arch="AtlasA2", element="half", src_tag="zN")
    assert moved.calls[0].params == (1, 20, 0, 12)
    assert moved.proof().elements == 180
    assert l1_to_l0a(src, arch="AtlasA2", element="half").proof().elements == 180
    assert l1_to_l0a(src, arch="Ascend950", element="half").proof().elements == 180


# --- what cannot be copied ---


@pytest.mark.parametrize("arch", [AtlasA2, Ascend950])
def test_a_start_within_a_fractal(arch: Any) -> None:
    with pytest.raises(DivisibilityError) as caught:
        l1_to_l0a(make_layout("half", "zN", 96, 64), arch=arch, element="half", at=(5, 3))
    assert str(caught.value) == (
        "L1->L0A cannot start at (5,3): it loads fractals of 16 by 16\n"
        "  Element 83 of zN<half>, byte 166, lies within one.\n"
        "  The nearest coordinates that start one: (0,0) and (16,16)."
    )
    assert caught.value.nearest == ((0, 0), (16, 16))
    assert (caught.value.coord, caught.value.block) == ((5, 3), (16, 16))
    with pytest.raises(DivisibilityError) as caught:
        l1_to_l0b(make_layout("int8_t", "nZ", 64, 64), arch=arch, element="int8_t", at=(33, 48))
    assert caught.value.nearest == ((32, 48),)  # (64,48) lies outside


def test_pairs_that_no_instruction_takes() -> None:
    src = make_layout("half", "RowMajor", 32, 32)
    with pytest.raises(UnsupportedError) as caught:
        gm_to_l1(src, "nZ", arch="AtlasA2", element="half")
    assert str(caught.value) == (
        "no instruction of GM->L1 moves RowMajor to nZ\n  nZ takes ColumnMajor, nZ, PaddingColumnMajor."
    )
    assert caught.value.takes == ("ColumnMajor", "nZ", "PaddingColumnMajor")
    with pytest.raises(UnsupportedError, match="moves zN or L0C to zN") as caught:
        l1_to_l0a(make_layout("half", "zN", 32, 32), "zN", arch="AtlasA2", element="half")
    assert caught.value.details == ("The destinations of L1->L0A are zZ.",)
    with pytest.raises(UnsupportedError, match=r"moves \(4,4\):\(4,2\) to zN"):
        gm_to_l1(parse("(4,4):(4,2)"), "zN", arch="AtlasA2", element="half")
    with pytest.raises(UnsupportedError, match="nZ to zZ of int4b_t"):
        l1_to_l0a(make_layout("int4b_t", "nZ", 64, 64), arch="AtlasA2", element="int4b_t")


@pytest.mark.parametrize(
    ("arch", "of", "match"),
    [
        ("Ascend950", "int4b_t", "Ascend950 has no int4b_t"),
        ("AtlasA2", "float8_e4m3_t", "AtlasA2 has no float8_e4m3_t"),
        ("AtlasA3", "float4_e2m1x2_t", "AtlasA3 has no float4_e2m1x2_t"),
        ("AtlasA2", "double", "moves no elements of 64 bits"),
        ("AtlasA4", "half", "there is no architecture 'AtlasA4'"),
        ("AtlasA2", "haif", "'haif' is not an element type"),
    ],
)
def test_elements_that_an_architecture_lacks(arch: str, of: str, match: str) -> None:
    src = make_layout(of if of in ELEMENTS else "half", "RowMajor", 32, 32)
    with pytest.raises(UnsupportedError, match=match):
        gm_to_l1(src, "zN", arch=arch, element=of)


def test_elements_that_the_cube_does_not_take() -> None:
    src = make_layout("int32_t", "zN", 32, 32)
    with pytest.raises(UnsupportedError, match="multiplies no int32_t, so none goes to L0A"):
        l1_to_l0a(src, arch="AtlasA2", element="int32_t")
    assert gm_to_l1(src, "zN", arch="AtlasA2", element="int32_t").count == 1


def test_sums_that_need_a_scale() -> None:
    sums, c = make_layout("float", "L0C", 32, 32), make_layout("int8_t", "RowMajor", 32, 32)
    with pytest.raises(UnsupportedError, match="makes no int8_t of int32_t without a scale"):
        l0c_to_gm(sums, c, arch="AtlasA2", element="int8_t")
    half = make_layout("half", "RowMajor", 32, 32)
    with pytest.raises(UnsupportedError, match="makes no half of int32_t"):
        l0c_to_gm(sums, half, arch="AtlasA2", element="half", accumulator="int32_t")
    blocks = make_layout("int32_t", "zN", 32, 32)
    with pytest.raises(UnsupportedError, match="writes no zN of int32_t"):
        l0c_to_gm(sums, blocks, arch="AtlasA2", element="int32_t", dst_tag="zN")


def test_the_end_of_a_store_within_a_block() -> None:
    sums, c = make_layout("float", "L0C", 32, 20), make_layout("half", "zN", 32, 48)
    with pytest.raises(DivisibilityError, match="ends at column 20 of 48, within a block of 16"):
        l0c_to_gm(sums, c, arch="AtlasA2", element="half")
    with pytest.raises(DivisibilityError, match=r"cannot start at \(0,4\)"):
        l0c_to_gm(sums, c, arch="AtlasA2", element="half", at=(0, 4))


def test_squares_and_rows_that_do_not_fit() -> None:
    with pytest.raises(LayoutError, match="has 3 fractals down each column, and squares take 2"):
        l1_to_l0b(make_layout("int8_t", "zN", 48, 64), arch="AtlasA2", element="int8_t")
    src, narrow = make_layout("float", "nZ", 64, 24), make_layout("float", "zZ", 64, 24)
    with pytest.raises(LayoutError, match="rows of 32 by 16 elements, and those of zZ<float> are 384"):
        l1_to_l0a(src, narrow, arch="AtlasA2", element="float")
    made = l1_to_l0a(src, arch="AtlasA2", element="float")
    assert (made.dst.layout, made.tile) == (make_layout("float", "zZ", 64, 32), (64, 24))
    assert made.proof().elements == 64 * 24
    wide = make_layout("float", "zZ", 64, 32)
    moved = l1_to_l0a(src, wide, arch="AtlasA2", element="float", tile=(64, 24))
    assert moved.proof().elements == 64 * 24


def filled(buffer: str, core: Arch, of: str, sizes: tuple[int, ...]) -> tuple[Any, Any]:
    """What a buffer holds of a matrix of such sizes, and the copy that brings it there or away."""
    told: dict[str, Any] = {"arch": core, "element": of}
    if buffer == "L1":
        to = make_layout(of, "zN", *sizes)
        return to, lambda: gm_to_l1(make_layout(of, "RowMajor", *sizes), to, dst_tag="zN", **told)
    if buffer == "L0C":
        sums, c = make_layout("float", "L0C", *sizes), make_layout(of, "RowMajor", *sizes)
        return sums, lambda: l0c_to_gm(sums, c, dst_tag="RowMajor", **told)
    roomy = core.replaced(name="roomy", l1=1 << 30)
    load, tag = (l1_to_l0a, core.l0a_tag) if buffer == "L0A" else (l1_to_l0b, "nZ")
    of_l1, to = (
        make_layout(of, "zN" if load is l1_to_l0a else "nZ", *sizes),
        make_layout(of, tag, *sizes),
    )
    told.update(arch=roomy, src_tag="zN" if load is l1_to_l0a else "nZ", dst_tag=tag)
    return to, lambda: load(of_l1, to, **told)


@pytest.mark.parametrize("core", [AtlasA2, Ascend950])
@pytest.mark.parametrize("buffer", ["L1", "L0A", "L0B", "L0C"])
@given(
    of=st.sampled_from(["half", "float", "bfloat16_t"]),
    rows=st.integers(1, 1500),
    cols=st.integers(1, 1500),
)
def test_what_lies_in_a_buffer_fits_it(buffer: Any, core: Arch, of: str, rows: int, cols: int) -> None:
    layout, copy = filled(buffer, core, of, (rows, cols))
    needed, available = (
        layout.cosize * (4 if buffer == "L0C" else element(of).sizeof),
        core.capacity(buffer),
    )
    if needed <= available:
        assert "buffer" not in refusal(copy)
        return
    told = refusal(copy)
    assert (told["buffer"], told["needed"], told["available"]) == (buffer, needed, available)
    assert "buffer" not in refusal(filled(buffer, core, of, told["tile"])[1])


def refusal(copy: Any) -> dict[str, Any]:
    """Why a copy is refused: nothing where it is not, or where a field is too narrow for it."""
    try:
        copy()
    except LayoutError as error:
        return error.data
    return {}


def test_larger_than_a_buffer() -> None:
    told: dict[str, Any] = {"arch": "AtlasA2", "element": "half"}
    with pytest.raises(LayoutError) as caught:
        gm_to_l1(make_layout("half", "RowMajor", 60000, 60000), "zN", **told)
    assert str(caught.value) == (
        "zN<half> of 60000 by 60000 takes 7200000000 bytes, and L1 of AtlasA2 has 524288\n"
        "  A tile of 512 by 512 fits."
    )
    assert (caught.value.buffer, caught.value.needed, caught.value.available, caught.value.tile) == (
        "L1", 7200000000, 524288, (512, 512),
    )  # fmt: skip
    with pytest.raises(LayoutError, match=r"zZ<half> of 256 by 256 takes 131072 bytes, and L0A"):
        l1_to_l0a(make_layout("half", "zN", 256, 256), **told)
    with pytest.raises(LayoutError, match=r"zN<half> of 1024 by 512 takes 1048576 bytes, and L1"):
        l1_to_l0a(make_layout("half", "zN", 1024, 512), tile=(16, 16), **told)
    # sums are counted, not what they are rounded to
    sums, c = make_layout("float", "L0C", 256, 256), make_layout("half", "RowMajor", 256, 256)
    with pytest.raises(LayoutError, match=r"L0C<float> of 256 by 256 takes 262144 bytes, and L0C"):
        l0c_to_gm(sums, c, **told)
    assert l0c_to_gm(sums, c, arch="Ascend950", element="half").count == 1
    # the layout in the buffer counts, not the tile that is moved into it
    with pytest.raises(LayoutError, match="of 2048 by 256 takes 1048576 bytes"):
        gm_to_l1(
            make_layout("half", "RowMajor", 64, 64), make_layout("half", "zN", 2048, 256),
            tile=(64, 64), **told,
        )  # fmt: skip
    tiny = AtlasA2.replaced(name="tiny", l1=100)
    with pytest.raises(LayoutError, match="takes 512 bytes, and L1 of tiny has 100") as caught:
        gm_to_l1(make_layout("half", "RowMajor", 2, 2), "zN", arch=tiny, element="half")
    assert (caught.value.tile, caught.value.details) == (None, ())


def test_fields_that_do_not_fit() -> None:
    src = make_layout("half", "RowMajor", 70000, 16)
    with pytest.raises(LayoutError) as caught:
        gm_to_l1(src, "zN", arch=ROOMY, element="half")
    assert str(caught.value) == (
        "nValue of DataCopy is 70000, and has 16 bits on roomy\n"
        "  GM->L1 of RowMajor<half> to zN<half>: it is 0 to 65535; the struct would keep 4464. Copy a"
        " smaller tile."
    )
    assert (caught.value.field, caught.value.value, caught.value.bits) == ("nValue", 70000, 16)
    with pytest.raises(LayoutError, match="dValue of DataCopy is 70000"):
        gm_to_l1(make_layout("half", "RowMajor", 4, 70000), "zN", arch=ROOMY, element="half")
    big = Ascend950.replaced(name="big", l1=1 << 24)
    long = gm_to_l1(make_layout("half", "RowMajor", 4, 70000), "zN", arch=big, element="half")
    assert long.calls[0].params == Nd2NzParams(4, 70000, 70000, 16, 1)
    with pytest.raises(LayoutError, match="repeatTimes of LoadData is 256, and has 8 bits"):
        l1_to_l0b(make_layout("half", "nZ", 256, 256), arch=ROOMY, element="half")


def test_tiles_and_places() -> None:
    src = make_layout("half", "RowMajor", 32, 32)
    told: dict[str, Any] = {"arch": "AtlasA2", "element": "half"}
    with pytest.raises(CoordinateError, match=r"the tile \(8,8\) at \(32,0\) holds no data"):
        gm_to_l1(src, "zN", tile=(8, 8), at=(32, 0), **told)
    with pytest.raises(CoordinateError, match="each int is at least 1"):
        gm_to_l1(src, "zN", tile=(0, 8), **told)
    with pytest.raises(CoordinateError, match="each int is at least 0"):
        gm_to_l1(src, "zN", at=(-1, 8), **told)
    with pytest.raises(CongruenceError, match="needs 2 ints"):
        gm_to_l1(src, "zN", tile=(4, 4, 4), **told)
    with pytest.raises(LayoutError, match="smaller than the tile"):
        gm_to_l1(src, make_layout("half", "zN", 16, 16), tile=(32, 16), **told)
    with pytest.raises(LayoutError, match="is no zN of half"):
        gm_to_l1(src, "zN", src_tag="zN", **told)
    with pytest.raises(NotALayoutError):
        gm_to_l1("RowMajor", "zN", **told)  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    with pytest.raises(DivisibilityError, match=r"cannot start at \(0,3\)"):
        gm_to_l1(make_layout("half", "zN", 32, 32), "zN", at=(0, 3), **told)
    padded = make_layout("half", "PaddingRowMajor", 96, 64, block=(32, 32))
    tag = {"src_tag": "PaddingRowMajor"}
    with pytest.raises(LayoutError, match=r"32 by 32 at \(16,0\) crosses a block of 32 by 32"):
        gm_to_l1(padded, "zN", tile=(32, 32), at=(16, 0), **tag, **told)
    odd = make_layout("int4b_t", "RowMajor", 8, 9)
    with pytest.raises(DivisibilityError, match=r"two elements share a byte[\s\S]*: both must be even"):
        gm_to_l1(odd, "zN", arch="AtlasA2", element="int4b_t")


def test_an_unknown_size_is_undecided() -> None:
    m = sym("M")
    with pytest.raises(UndecidedError, match="depends on M"):
        gm_to_l1(make_layout("half", "RowMajor", m, 32), "zN", arch="AtlasA2", element="half")
    src = make_layout("half", "RowMajor", 32, 32)
    with pytest.raises(UndecidedError, match="coordinate is"):
        gm_to_l1(src, "zN", arch="AtlasA2", element="half", at=(m, 0))


def test_a_call_prints_as_the_vendor_spells_it() -> None:
    call = Call("LoadData", 0, 512, LoadData2DParams(0, 4, 8, 0, True), element("half"))
    assert str(call) == (
        "LoadData(dst[0], src[512], LoadData2DParams{startIndex=0, repeatTimes=4, srcStride=8,"
        " dstGap=0,\n"
        "    ifTranspose=true})"
    )
    assert call.as_dict()["params"] == {
        "startIndex": 0,
        "repeatTimes": 4,
        "srcStride": 8,
        "dstGap": 0,
        "ifTranspose": True,
    }
    nd2nz = call._replace(params=Nd2NzParams(1, 2, 3, 4, 5)).as_dict()["params"]
    assert isinstance(nd2nz, dict)
    assert [*nd2nz] == [
        "ndNum", "nValue", "dValue", "srcNdMatrixStride", "srcDValue", "dstNzC0Stride", "dstNzNStride",
        "dstNzMatrixStride",
    ]  # fmt: skip


def test_the_room_is_there_when_asked_for() -> None:
    assert ascend.copies.gm_to_l1 is gm_to_l1
    assert "l0c_to_gm" in dir(ascend.copies)
    with pytest.raises(AttributeError, match="no attribute 'gm_to_l0'"):
        ascend.copies.gm_to_l0  # type: ignore[attr-defined]  # noqa: B018  # ty: ignore[missing-attribute]


@pytest.mark.parametrize(
    "core",
    [AtlasA2.replaced(l0a_tag="zN"), AtlasA2.replaced(code=3510), Ascend950.replaced(l0a_tag="zZ")],
)
def test_an_architecture_whose_l0a_is_not_that_of_its_loads(core: Arch) -> None:
    tile = make_layout("half", "zN", 32, 32)
    with pytest.raises(UnsupportedError, match=r"has A as z. in L0A, and loads of .* make it z"):
        l1_to_l0a(tile, arch=core, element="half")
    assert l1_to_l0b(tile, arch=core, element="half").proof().elements == 1024


# --- layouts that say what they are ---------------------------------------------------------------

SAID: list[tuple[Any, str, str, dict[str, Any]]] = [
    (gm_to_l1, "RowMajor<half>(100,100,ld=104)", "zN<half>(32,48)", {"at": (32, 48)}),
    (gm_to_l1, "ColumnMajor<float>(1,100)", "nZ<float>(1,48)", {}),
    (l1_to_l0a, "nZ<half>(96,64)", "zZ<half>(32,64)", {}),
    (l1_to_l0b, "zN<int8_t>(64,48)", "nZ<int8_t>(64,48)", {}),
    (l1_to_bt, "VectorLayout<half>(40)", "VectorLayout<float>(40)", {}),
    (l0c_to_gm, "L0C<float>(32,48)", "RowMajor<half>(100,100)", {"at": (64, 48)}),
    (l0c_to_gm, "L0C<int32_t>(32,48)", "RowMajor<int32_t>(100,100)", {}),
]


@pytest.mark.parametrize(("copy", "src", "dst", "more"), SAID)
def test_a_layout_that_says_its_element_and_tag(copy: Any, src: str, dst: str, more: Any) -> None:
    """Is one with both said beside it, whichever of the two layouts says it."""
    a, b = parse_tagged(src), parse_tagged(dst)
    arch = "Ascend950" if copy is l1_to_bt else "AtlasA2"
    of = a.element if copy is l1_to_bt else b.element
    tags = {} if copy is l1_to_bt else {"dst_tag": b.tag}
    tags |= {} if copy in (l1_to_bt, l0c_to_gm) else {"src_tag": a.tag}
    sums = {"accumulator": a.element if copy is l0c_to_gm else b.element}
    sums = sums if copy in (l1_to_bt, l0c_to_gm) else {}
    plain = copy(a.layout, b.layout, arch=arch, element=of, **tags, **sums, **more)
    assert list(copy(a, b, arch=arch, **more).calls) == list(plain.calls)
    assert copy(a, b, arch=arch, element=of, **more) == plain
    if copy is l0c_to_gm:
        assert copy(a.layout, b, arch=arch, **more) == plain
    else:
        assert list(copy(a, b.layout, arch=arch, **sums, **more).calls) == list(plain.calls)
    if copy not in (l0c_to_gm, l1_to_bt):
        assert list(copy(a, b.tag, arch=arch, tile=b.sizes, **more).calls) == list(plain.calls)


def test_layouts_that_say_different_elements() -> None:
    matrix, tile = parse_tagged("RowMajor<half>(100,100)"), parse_tagged("zN<float>(32,48)")
    with pytest.raises(
        LayoutError, match=r"elements of zN<float>\(32,48\) are float, and those .* half"
    ):
        gm_to_l1(matrix, tile, arch="AtlasA2")
    with pytest.raises(LayoutError, match=r"RowMajor<half>.* are half, and those of the copy are float"):
        gm_to_l1(matrix, "zN", arch="AtlasA2", element="float")
    with pytest.raises(LayoutError, match="Leave accumulator out"):
        l0c_to_gm(parse_tagged("L0C<float>(9,9)"), matrix, arch="AtlasA2", accumulator="int32_t")
    with pytest.raises(UnsupportedError, match="makes no half of half"):
        l0c_to_gm(parse_tagged("L0C<half>(9,9)"), matrix, arch="AtlasA2")


def test_every_copy_is_a_route_of_the_command_and_is_tested() -> None:
    assert {route: copy for route, (copy, *_more) in ascend_copy._ROUTES.items()} == ROUTES
    assert {copy for copy, *_more in SAID} == set(ROUTES.values())
    assert all(f"\n  {route} " in ascend_copy._EPILOG for route in ROUTES)


@pytest.mark.parametrize("copy", ROUTES.values())
def test_an_element_that_nothing_says(copy: Any) -> None:
    layout = make_layout("half", "RowMajor", 9, 9)
    with pytest.raises(LayoutError, match=r"element type of a copy is not said\n.*parse_tagged"):
        copy(layout, layout, arch="AtlasA2")


def test_a_tag_that_a_layout_says_is_the_one_that_it_is_in() -> None:
    """One row of fractals lies as zN and as L0C; what is said of it decides what copies it."""
    one = parse_tagged("L0C<half>(16,48)")
    with pytest.raises(UnsupportedError, match="moves L0C to"):
        l1_to_l0a(one, arch="AtlasA2")
    assert l1_to_l0a(one, arch="AtlasA2", src_tag="zN").src.tag == "zN"
    scales = parse_tagged("MxScalezZ<e8m0>(32,4)")
    data = parse_tagged("zN<float8_e4m3_t>(32,128)")
    told = l1_to_l0a(data, arch="Ascend950", scales=scales)
    assert told == l1_to_l0a(data, arch="Ascend950", scales=scales.layout)
