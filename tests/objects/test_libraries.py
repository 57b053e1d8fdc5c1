"""Objects of other libraries: numpy's, and stand-ins of those that may not be installed.

A stand-in has the class name, the module and the attributes that the library's own object has. The round
trips with the libraries themselves are in `tests/peers/test_round_trips.py`.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from cases import over

import tla
from tla import KindError, Layout, LayoutError, ParseError, Swizzle, UnsupportedError, parse
from tla.objects import LIBRARIES, is_known, read_index_map

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "go_between_libraries.md"


def foreign(module: str, name: str, **attributes: Any) -> Any:
    """An object whose class has a name and a module; ``text`` is what it prints."""
    text = attributes.pop("text", None)
    members = {"__module__": module, "__str__": lambda _self: text} if text else {"__module__": module}
    made = type(name, (), members)()
    vars(made).update(attributes)
    return made


def mlir(text: str) -> Any:
    return foreign("jaxlib.mlir._mlir_libs._mlir.ir", "MemRefType", text=text)


def dsl(name: str, text: str) -> Any:
    return foreign("cutlass.cute.core", name, text=text)


def tilelang(text: str) -> Any:
    return foreign("tilelang.layout.layout", "Layout", text=text)


def jax_array(dtype: str, order: tuple[int, ...], tiling: Any = (), bits: int = 0) -> Any:
    layout = SimpleNamespace(major_to_minor=order, tiling=tiling, sub_byte_element_size_in_bits=bits)
    sharding = SimpleNamespace(shard_shape=lambda shape: (shape[0] // 2, *shape[1:]))
    return foreign(
        "jaxlib._jax",
        "ArrayImpl",
        shape=(32, 256),
        dtype=SimpleNamespace(name=dtype),
        format=SimpleNamespace(layout=layout),
        sharding=sharding,
    )


def on_a_gpu(type_: str, shape: tuple[int, ...], strides: tuple[int, ...] | None) -> Any:
    about = {"typestr": type_, "shape": shape, "strides": strides, "data": (1, False), "version": 3}
    return foreign("numba", "DeviceNDArray", __cuda_array_interface__=about)


def sharding(axes: dict[str, int], *spec: Any) -> Any:
    mesh = SimpleNamespace(shape=axes)
    return foreign("jax.sharding", "NamedSharding", mesh=mesh, spec=spec)


def block(shape: Any, index_map: Any) -> Any:
    return foreign("jax._src.pallas.core", "BlockSpec", block_shape=shape, index_map=index_map)


def torch_tensor(sizes: tuple[Any, ...], strides: tuple[Any, ...], layout: str = "torch.strided") -> Any:
    return foreign("torch", "Tensor", shape=sizes, stride=lambda: strides, layout=layout)


class Symbolic:
    """A ``SymInt`` of torch."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __str__(self) -> str:
        return self.text


XY = {"x": 2, "y": 4}
SQUEEZED = foreign("jax._src.pallas.core", "Squeezed")
ELEMENT = foreign("jax._src.pallas.core", "Element", block_size=8, padding=(0, 0))
TL = "tensor_layouts.layouts.core"
PYCUTE_SWIZZLE = foreign("pycute.swizzle", "Swizzle", bits=2, base=0, shift=3)
PYCUTE_LAYOUT = foreign("pycute.layout", "Layout", shape=(8, (2, 4)), stride=(8, (1, 2)))
PYCUTE_COMPOSED = foreign(
    "pycute.swizzle", "ComposedLayout", layoutB=PYCUTE_SWIZZLE, offset=5, layoutA=PYCUTE_LAYOUT
)
TL_LAYOUT = foreign(TL, "Layout", shape=(8, 8), stride=(8, 1))
TL_SWIZZLE = foreign(TL, "Swizzle", bits=2, base=0, shift=3)

READ = [
    # numpy 2.4 and Python
    (np.zeros((3, 4), "f4").T, "(4,3):(1,4)"),
    (np.zeros((6, 4), "u1")[::-2, 1::3], "(3,1):(-8,3)"),
    (np.broadcast_to(np.zeros(3), (2, 3)), "(2,3):(0,1)"),
    (np.zeros(()), "():()"),
    (np.zeros(4, "i4,i4")["f1"], "(4):(2)"),
    (np.zeros(3, "V0"), "(3):(0)"),
    (memoryview(b"abcdef")[::-2], "(3):(-2)"),
    # torch 2.15
    (torch_tensor((2, 3, 4, 5), (60, 1, 15, 3)), "(2,3,4,5):(60,1,15,3)"),
    (torch_tensor((Symbolic("s0"), 8), (Symbolic("4*s0"), 1)), "(s0,8):(4*s0,1)"),
    # jax 0.10.2
    (jax_array("bfloat16", (0, 1), ((8, 128), (2, 1))), "bf16[16,256]{1,0:T(8,128)(2,1)}"),
    (jax_array("int4", (1, 0), ((8, 128),), 4), "s4[16,256]{0,1:T(8,128)E(4)}"),
    (jax_array("float8_e4m3fn", (0, 1)), "f8e4m3fn[16,256]{1,0}"),
    (jax_array("bool", (0, 1)), "pred[16,256]{1,0}"),
    (jax_array("uint32", (0, 1)), "u32[16,256]{1,0}"),
    (jax_array("complex64", (0, 1)), "c64[16,256]{1,0}"),
    (sharding(XY, "x", "y"), "(2,4):(4,1)"),
    (sharding(XY, ("y", "x"), None), "((2,4),1):((4,1),0)"),  # {devices=[8,1]<=[2,4]T(1,0)}
    (
        sharding(XY, "y", None),
        "(4,1,2):(1,0,4)",
    ),  # {devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}
    (sharding(XY), "((4,2)):((1,4))"),
    # its Pallas
    (block((128, None), lambda i, j: (i, j)), "((128,1),(g0,g1)):((1@0,1@1),(128@0,1@1))"),
    (block((8, 128), lambda i, j, k: (i, k)), "((8,128),(g0,g1,g2)):((1@0,1@1),(8@0,0,128@1))"),
    (
        block((ELEMENT, SQUEEZED, 4), lambda i, j: (8 * i, 0, j + i)),
        "((8,1,4),(g0,g1)):((1@0,1@1,1@2),(8@0+4@2,4@2))",
    ),
    # pycute of nvidia-cutlass 4.2.0, tensor-layouts 0.3.2
    (PYCUTE_LAYOUT, "(8,(2,4)):(8,(1,2))"),
    (PYCUTE_SWIZZLE, "Sw<2,0,3>"),
    (PYCUTE_COMPOSED, "Sw<2,0,3> o 5 o (8,(2,4)):(8,(1,2))"),
    (TL_LAYOUT, "(8,8):(8,1)"),
    (TL_SWIZZLE, "Sw<2,0,3>"),
    (
        foreign(TL, "ComposedLayout", outer=TL_SWIZZLE, offset=5, inner=TL_LAYOUT),
        "Sw<2,0,3> o 5 o (8,8):(8,1)",
    ),
    (
        foreign("tensor_layouts.tensor", "Tensor", layout=TL_LAYOUT, offset=3),
        "Sw<0,4,3> o 3 o (8,8):(8,1)",
    ),
    # nvidia-cutlass-dsl 4.8.1
    (dsl("_Layout", "(?{div=16},8):(8,1)"), "(s0{div=16,min=0},_8):(_8,_1)"),
    (
        dsl("_Layout", "((?,4),?):((1,?),?{i64 div=8})"),
        "((s0{min=0},_4),s1{min=0}):((_1,d0{min=none}),d1{div=8,min=none,type=long})",
    ),
    (dsl("_Layout", "((4,8),(4,4)):((1@0,1@1),(4@0,8@1))"), "((_4,_8),(_4,_4)):((1@0,1@1),(4@0,8@1))"),
    (
        dsl("_ComposedLayout", "S<2,0,3> o ?{div=16} o (8,8):(1,8)"),
        "Sw<2,0,3> o x0{div=16,min=none} o (_8,_8):(_1,_8)",
    ),
    (dsl("Swizzle", "S<2,0,3>"), "Sw<2,0,3>"),
    (foreign("cutlass.cute.tensor", "_Tensor", layout=dsl("_Layout", "(4):(1)")), "(_4):(_1)"),
    # MLIR of jaxlib 0.10.2
    (mlir("memref<4x8xf32>"), "(_4,_8):(_8,_1)"),
    (mlir("memref<4x8xf32, strided<[1, 4], offset: 3>, 1>"), "Sw<0,4,3> o _3 o (_4,_8):(_1,_4)"),
    (
        mlir("memref<4x?xvector<4xf32>, strided<[?, 1], offset: ?>>"),
        "Sw<0,4,3> o x0{min=none} o (_4,s0{min=0}):(d0{min=none},_1)",
    ),
    (
        mlir("memref<16x16xf32, affine_map<(d0, d1) -> (d0 floordiv 4, d1, d0 mod 4)>>"),
        "((_4,_4),_16):((_1,_64),_4)",
    ),
    (mlir("memref<4xf32, affine_map<(d0) -> (d0 + 3)>>"), "Sw<0,4,3> o 3 o (_4):(_1)"),
    (mlir("memref<0x3xf32, affine_map<(d0, d1) -> (d1, d0)>>"), "(_0,_3):(_3,_1)"),
    (mlir("memref<f32>"), "():()"),
    # TileLang 0.1.15
    (
        tilelang("Layout((16, 16) -> (256,), transform: (_i, _j) -> (_i * 16 + _j,))"),
        "(_16,_16):(_16,_1)",
    ),
    (
        tilelang("Layout((8, 4, 6) -> (6, 32), transform: (_i, _j, _k) -> (_k, _j * 8 + _i))"),
        "(_8,_4,_6):(_1,_8,_32)",
    ),
    (tilelang("Layout((16,) -> (4, 4), transform: (_i,) -> (_i % 4, _i // 4))"), "((_4,_4)):((_4,_1))"),
    # zarr 3.1.6, h5py
    (
        foreign("zarr.core.array", "Array", shape=(100, 60), chunks=(30, 20), order="C"),
        "((30,4),(20,3)):((20,1800),(1,600)):(100,60)",
    ),
    (
        foreign("zarr.core.array", "Array", shape=(4, 6), chunks=(2, 3), order="F"),
        "((2,2),(3,2)):((1,12),(2,6))",
    ),
    (foreign("h5py._hl.dataset", "Dataset", shape=(5,), chunks=(2,)), "((2,3)):((1,2)):(5)"),
    (
        foreign("z5py.dataset", "Dataset", shape=(5, 4), chunks=(2, 4)),
        "((2,3),(4,1)):((4,8),(1,8)):(5,4)",
    ),
    # cupy 13, numba and any other array of a GPU, which need none to be read
    (foreign("cupy", "ndarray", shape=(3, 4), strides=(8, 24), itemsize=8), "(3,4):(1,3)"),
    (on_a_gpu("<c16", (3, 4), (16, 48)), "(3,4):(1,3)"),
    (on_a_gpu("|V3", (2, 3), None), "(2,3):(3,1)"),
    (foreign("PIL", "Image", __array_interface__={"typestr": "<U2", "shape": (3,)}), "(3):(1)"),
]


@over("value, text", READ)
def test_objects_are_read(value: Any, text: str) -> None:
    found = str(tla.read(value))
    assert text in (found, found.replace("_1@", "1@"))


def test_each_library_has_a_row() -> None:
    """Each kind of object of each row is read above, or refused below."""
    seen = {(type(v).__module__.split(".")[0], type(v).__name__) for v, *_rest in READ}
    seen |= {(type(v).__module__.split(".")[0], type(v).__name__) for v, *_rest in REFUSED}
    elsewhere = {"ShapeDtypeStruct", "Compiled", "Lowered", "GridSpec"}  # below, or with jax
    for row in LIBRARIES:
        if row.name == "cupy" or not row.roots:  # read as numpy is; any class
            continue
        kinds = {name for root, name in seen if root in row.roots}
        assert kinds | elsewhere >= {*row.readers}, row.name


REFUSED = [
    (
        np.zeros(3, "i4,i2")["f0"],
        LayoutError,
        "axis 0 steps by 6 bytes, which is no multiple of an element of 4",
    ),
    (np.zeros((3, 2), "i2,u1")["f0"], LayoutError, "axis 0 steps by 6 bytes|axis 1 steps by 3 bytes"),
    (
        torch_tensor((3,), (1,), "torch.sparse_coo"),
        UnsupportedError,
        "layout torch.sparse_coo has no strides",
    ),
    (
        foreign("PIL", "Image", __array_interface__={"shape": (3,)}),
        LayoutError,
        "no type and shape can be read from the array interface",
    ),
    (foreign("numba", "DeviceNDArray", __cuda_array_interface__=3), LayoutError, "interface int 3"),
    (on_a_gpu("<f4", (3,), (6,)), LayoutError, "axis 0 steps by 6 bytes, which is no multiple"),
    (np.float32(3), KindError, "Known libraries: numpy"),
    (np.float32, KindError, "Known libraries: numpy"),
    (foreign("jax._src.layout", "Format"), UnsupportedError, "a Format of jax has no sizes"),
    (
        foreign("tvm.tir", "IndexMap", text="T.index_map(lambda i: (i,))"),
        UnsupportedError,
        "has no sizes",
    ),
    (foreign("jax._src.layout", "Layout"), UnsupportedError, "a Layout of jax has no sizes"),
    (
        sharding(XY, foreign("jax", "UnconstrainedSingleton")),
        UnsupportedError,
        "leaves a dim to the compiler",
    ),
    (block((8,), lambda i: i // 2), UnsupportedError, "is no sum of multiples"),
    (block((8,), lambda i: i + 1), UnsupportedError, "is no sum of multiples"),
    (block((8,), lambda i: i * i), UnsupportedError, "is no sum of multiples"),
    (block((8,), lambda i: min(i, 3)), UnsupportedError, "is no arithmetic of ints"),
    (block((8, 8), lambda i: i), UnsupportedError, "gives 1 indices for 2 dims"),
    (block(None, None), UnsupportedError, "is the whole array"),
    (block((foreign("jax", "BoundedSlice"),), lambda i: i), UnsupportedError, "has no layout"),
    (mlir("memref<*xf32>"), UnsupportedError, "without a rank"),
    (
        mlir("memref<?xf32, affine_map<(i) -> (i)>>"),
        UnsupportedError,
        "needs known sizes and no symbols",
    ),
    (
        mlir("memref<4xf32, affine_map<(i)[s] -> (i)>>"),
        UnsupportedError,
        "needs known sizes and no symbols",
    ),
    (mlir("memref<4x8xf32, affine_map<(i) -> (i)>>"), ParseError, "a map of 1 dims for 2"),
    (mlir("memref<4x8xf32, strided<[8]>>"), ParseError, "1 strides for 2 dims"),
    (mlir("memref<4xf32, strided<[a]>>"), ParseError, "a stride is an int or '.', not 'a'"),
    (mlir("memref<4xf32, #map>"), ParseError, "expected a type of memory"),
    (mlir("memref<" + "9" * 5000 + "xf32>"), ParseError, "expected a type of memory"),
    (mlir("memref<8xf32, affine_map<(i) -> (i * i)>>"), UnsupportedError, "the map is no layout"),
    (
        tilelang("Layout((8,) -> (8,), transform: (_i,) -> (T.bitwise_xor(_i, 1),))"),
        UnsupportedError,
        "a transform that calls T.bitwise_xor has no layout",
    ),
    (tilelang("Fragment((8, 8) -> (2,), ...)"), ParseError, "as TileLang prints it"),
    (
        tilelang("Layout((" + "9" * 5000 + ",) -> (1,), transform: (_i,) -> (_i,))"),
        ParseError,
        "18 digits",
    ),
    (foreign("h5py._hl.dataset", "Dataset", shape=(5,), chunks=None), UnsupportedError, "has no chunks"),
    (
        foreign("zarr.core.array", "Array", shape=(5,), chunks=((2, 3),)),
        UnsupportedError,
        "of different sizes",
    ),
    (dsl("_Layout", "(?{odd},8):(8,1)"), ParseError, "'odd' is no fact of '?'"),
    ({}, KindError, "expected a text or an object of a known library, got dict"),
    (foreign("mynumpy", "ndarray"), KindError, "Known libraries: numpy, cupy, .* zarr, N5, h5py"),
    (None, KindError, "got NoneType"),
]


@over("value, error, text", REFUSED)
def test_what_has_no_layout_is_refused(value: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error) as caught:
        tla.read(value)
    assert re.search(text, str(caught.value))
    assert is_known(value) == (error is not KindError)


def test_a_subclass_is_known() -> None:
    assert str(tla.from_array(np.ma.zeros((2, 3)))) == "(2,3):(3,1)"


def test_memory_by_the_layout_of_an_array_is_that_array() -> None:
    """The law of `from_array`, on views of numpy: backwards, with steps, transposed, broadcast."""
    rng, seen = Random(21), 0
    for _i in range(150):
        base = np.arange(3 * 5 * 7 * 4, dtype=rng.choice(["u1", "f4", "c16", "i2"])).reshape(3, 5, 7, 4)
        steps = [slice(rng.choice([None, 0, 1]), None, rng.choice([1, 2, -1, -2, 3])) for _ in range(4)]
        array = base.transpose(rng.sample(range(4), 4))[tuple(steps)]
        if rng.random() < 0.3:
            array = np.broadcast_to(array, (2, *array.shape))
        if not array.size:
            continue
        layout: Any = tla.from_array(array)
        first = [slice(-1, None) if d < 0 else slice(0, 1) for d in array.strides]
        low, high = (sum(f(0, d * (n - 1)) for n, d in zip(layout.shape, layout.stride, strict=True))
                     for f in (min, max))  # fmt: skip
        lowest = array[tuple(first)]
        memory = np.lib.stride_tricks.as_strided(lowest, (high - low + 1,), (array.itemsize,))
        again = tla.to_numpy_view(memory, layout)
        assert np.array_equal(again, array)
        assert np.shares_memory(again, base)
        seen += 1
    assert seen > 100


def test_every_function_takes_objects() -> None:
    memory = tla.pack(np.arange(64).reshape(8, 8), PYCUTE_COMPOSED)
    assert memory[tla.read(PYCUTE_COMPOSED)(3, 5)] == 29
    assert tla.from_array(jax_array("bfloat16", (0, 1), ((8, 128),)))(9, 3) == 2 * 8 * 128 + 128 + 3


def test_a_grid_binds_the_steps_of_its_blocks() -> None:
    at = block((8, 16), lambda i, j: (j, i))
    spec = foreign("jax._src.pallas.core", "GridSpec", grid=(4, 2), in_specs=(at, [at]), out_specs=at)
    found = tla.read(spec)
    assert [str(x) for x in found] == ["((8,16),(4,2)):((_1@0,_1@1),(16@1,8@0))"] * 3
    assert found[0]((1, 2), (3, 1)) == (9, 50)


def test_a_program_is_read_as_its_module() -> None:
    text = "HloModule m\nENTRY e { ROOT p = f32[2]{0} parameter(0) }"
    compiled = foreign("jax._src.stages", "Compiled", as_text=lambda: text)
    lowered = foreign("jax._src.stages", "Lowered", as_text=lambda dialect: text)
    assert tla.read(compiled).name == tla.read(lowered).name == "m"
    with pytest.raises(
        KindError, match="expected a layout, an XLA shape or the text of one, got Module"
    ):
        tla.from_array(compiled)


def test_what_is_no_layout_is_told_what_is() -> None:
    values: list[Any] = [(3, 4), "(3,4)", {}]
    for value in values:
        said = "Known libraries: numpy, cupy" if value == {} else "and strides, as (3,4):(4,1)"
        with pytest.raises(KindError, match=re.escape(said)):
            tla.pack([1, 2], value)


def test_a_plan_has_one_type() -> None:
    with pytest.raises(LayoutError, match=re.escape("f32[3] has elements of f32, f16[3] of f16")):
        tla.copy_plan("f32[3]", "f16[3]")


def test_a_shape_without_a_format_is_row_major() -> None:
    value = foreign("jax", "ShapeDtypeStruct", shape=(3, 4), dtype=np.dtype("f4"), sharding=None)
    assert str(tla.read(value)) == "f32[3,4]{1,0}"


def test_question_marks_are_unknowns_with_names_of_their_own() -> None:
    assert str(parse("(?,s0,?):(1,?,?)")) == "(s1{min=0},s0,s2{min=0}):(1,d0{min=none},d1{min=none})"
    assert parse("(?,8):(?,1)", {"s0": 4, "d0": 8}) == Layout((4, 8), (8, 1))
    assert parse("(?{div=16},?{i64}):(1,2)").shape[0].divisor == 16
    assert str(tla.evaluate("coalesce((8,?):(?,?))")) == "(8,s0{min=0}):(d0{min=none},d1{min=none})"


@over("text", ["(4,8):(8,1)", "((2,4),8):((1,16),2)", "4:2", "(2,3,4):(0,1,3)", "((2,2),3):((1,0),7)"])
def test_memory_types_are_written_back(text: str) -> None:
    layout = parse(text)
    for value in (layout, tla.ComposedLayout(Swizzle(0, 4, 3), 5, layout)):
        again = tla.read(tla.to_memref(value))
        assert np.array_equal(tla.offsets(again), tla.offsets(value))


def test_a_memory_type_has_no_word_for_all() -> None:
    assert tla.to_memref("(4,M):(1,4)", "bf16") == "memref<4x?xbf16, strided<[1, 4]>>"
    for text, why in (("(4,8):(8,1):(3,5)", "no padding"), ("Sw<1,0,2> o 0 o 8:1", "no swizzle")):
        with pytest.raises(UnsupportedError, match=why):
            tla.to_memref(text)


DSL = [
    ("((2,M),8):((1,16),2)", "cute.make_layout(((2, M), 8), stride=((1, 16), 2))"),
    ("(4):(1)", "cute.make_layout((4,), stride=(1,))"),
    ("(M,8):(1,M//16*2)", "cute.make_layout((M, 8), stride=(1, 2 * (M // 16)))"),
    (
        "Sw<2,0,3> o M o (8,8):(8,1)",
        "cute.make_composed_layout("
        "cute.make_swizzle(2, 0, 3), M, cute.make_layout((8, 8), stride=(8, 1)))",
    ),
    (
        "((4,2),8):((1@0@0,4@1@0),2@1)",
        "cute.make_layout(((4, 2), 8), stride=((cute.E([0, 0]), cute.E([0, 1]) * 4), cute.E(1) * 2))",
    ),
]
"""Layouts, and the texts that nvidia-cutlass-dsl 4.8.1 made them from."""


@over("text, code", DSL)
def test_texts_for_the_dsl(text: str, code: str) -> None:
    assert tla.to_cute_dsl(text) == code


def test_a_stride_of_the_dsl_goes_along_one_mode() -> None:
    with pytest.raises(UnsupportedError, match="goes along one mode"):
        tla.to_cute_dsl("(2,2):(1@0+1@1,0)")


def test_chunks_are_written_back() -> None:
    assert tla.to_zarr("((30,4),(20,3)):((20,1800),(1,600)):(100,60)") == {
        "shape": (100, 60),
        "chunks": (30, 20),
    }
    for text in ("(4,4):(4,1)", "((2,2),(2,2)):((1,8),(2,4))", "4:1", "((2,M)):((1,2))"):
        with pytest.raises(UnsupportedError, match="is no row-major grid"):
            tla.to_zarr(text)


# printed by TVM's script printer
INDEX_MAPS = [
    ("T.index_map(lambda i, j: (i // 4, j, i % 4))", (8, 6), None, "((_4,_2),_6):((_1,_24),_4)"),
    ("T.index_map(lambda a, b, c: (a, c, b // 3, b % 3))", (4, 6, 5), None, "(_4,_6,_5):(_30,_1,_6)"),
    ("T.index_map(lambda i0, i1: (i1, i0), inverse_index_map=lambda i, j: (j, i))", (2, 3), None,
        "(_2,_3):(_1,_2)"),
    ("T.index_map(lambda i: (i % 4, i // 4))", (14,), (4, 5), "((_4,_4)):((_5,_1)):(_14)"),
    ("T.index_map(lambda i, _j: (_j, i % 16))", (14, 2), (2, 16), "(_14,_2):(_1,_16)"),
]  # fmt: skip


@over("text, sizes, ends, layout", INDEX_MAPS)
def test_an_index_map_with_its_sizes(text: str, sizes: Any, ends: Any, layout: str) -> None:
    assert str(read_index_map(text, sizes, ends)) == layout
    assert str(read_index_map(foreign("tvm.tir", "IndexMap", text=text), sizes, ends)) == layout


def test_an_index_map_that_cannot_be_read() -> None:
    with pytest.raises(UnsupportedError, match="an IndexMap of TVM has no sizes"):
        tla.read("T.index_map(lambda i: (i // 16, i % 16))")
    with pytest.raises(ParseError, match="a map of 1 dims for 2"):
        read_index_map("T.index_map(lambda i: (i,))", (2, 3))
    with pytest.raises(ParseError, match=re.escape("as T.index_map(lambda i:")):
        read_index_map("lambda i: (i,)", (2,))
    with pytest.raises(UnsupportedError, match="a transform that calls"):
        read_index_map("T.index_map(lambda i: (T.bitwise_xor(i, 3),))", (8,))


def test_memory_of_a_gpu_is_not_seen() -> None:
    memory = on_a_gpu("<f4", (4,), None)
    for call in (tla.to_numpy_view, tla.view, tla.unpack, lambda m, by: tla.pack(m, by)):
        with pytest.raises(UnsupportedError, match="numpy sees no memory of other devices"):
            call(memory, "4:1")


ABSENT = [
    ("pack", ([1, 2], "2:1"), "numpy is needed here, and is not installed", "pip install numpy"),
    ("unpack", ([1, 2], "2:1"), "numpy is needed here, and is not installed", "pip install numpy"),
    ("mask", ("2:1",), "numpy is needed here, and is not installed", "pip install numpy"),
    ("pack_bits", ([1, 2], 4), "numpy is needed here, and is not installed", "pip install numpy"),
    ("to_numpy_view", (b"ab", "2:1"), "numpy is needed here, and is not installed", "pip install numpy"),
    (
        "to_torch",
        ([1, 2], "(2):(1)"),
        "to_torch needs torch, which is not installed",
        "pip install torch",
    ),
    (
        "to_jax_format",
        ("f32[2]{0}",),
        "to_jax_format needs jax, which is not installed",
        "pip install jax",
    ),
    (
        "to_pycute",
        ("2:1",),
        "to_pycute needs pycute, which is not installed",
        "--no-deps nvidia-cutlass",
    ),
    (
        "to_tensor_layouts",
        ("2:1",),
        "to_tensor_layouts needs tensor_layouts,",
        "pip install tensor-layouts",
    ),
]


def test_a_library_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("numpy", "torch", "jax", "pycute", "pycute.layout", "tensor_layouts"):
        monkeypatch.setitem(sys.modules, name, None)
    for function, arguments, why, way in ABSENT:
        with pytest.raises(UnsupportedError) as caught:
            getattr(tla, function)(*arguments)
        assert why in caught.value.summary
        assert way in str(caught.value)


def test_what_a_library_has_no_word_for() -> None:
    for function in (tla.to_pycute, tla.to_tensor_layouts, tla.to_cute_dsl):
        with pytest.raises(UnsupportedError, match="no word for the padding of 4:1:3"):
            function("4:1:3")
    with pytest.raises(UnsupportedError, match="pycute has no unknown ints, as M in"):
        tla.to_pycute("(M,3):(1,M)")


def test_nothing_is_imported_to_read() -> None:
    code = (
        "import sys, tla, tla.exports, tla.objects.libraries; tla.read(memoryview(b'abc'))\n"
        "print([m for m in ('jax', 'torch', 'pycute', 'numpy', 'zarr') if m in sys.modules])"
    )
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert child.stdout == "[]\n"


@pytest.mark.skipif(not PAGE.exists(), reason="the wheel has no documents")
def test_the_page_has_a_row_for_each_library() -> None:
    page = PAGE.read_text("utf-8")
    for row in LIBRARIES:
        (line,) = [x for x in page.splitlines() if x.startswith(f"| {row.name} |")]
        assert all(f"`{name}`" in line for name in row.writers)
        assert all(hasattr(tla, name) for name in row.writers)
