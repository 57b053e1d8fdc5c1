"""Layouts through the objects of other libraries and back, for each library that is installed.

What the libraries answered is recorded in `tests/objects/test_libraries.py`, for machines without them.
"""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from itertools import product
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import tla
from tla import UnsupportedError, parse

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LAYOUTS = [
    "(2,3):(3,1)",
    "((2,3),4):((1,8),2)",
    "4:1",
    "():()",
    "(4,(2,(2,2))):(0,(-1,(4,16)))",
    "Sw<2,0,3> o 5 o (8,8):(8,1)",
    "Sw<1,0,2> o 0 o (4,(2,4)):(8,(1,2))",
]


def _comes_back(given: Callable[[str], Any]) -> None:
    for text in LAYOUTS:
        theirs = given(text)
        ours: Any = tla.read(theirs)
        assert ours == parse(text)
        indices = range(ours.size if ours.shape else 0)
        assert [theirs(i) for i in indices] == [ours(i) for i in indices], text


def test_pycute() -> None:
    pytest.importorskip("pycute.layout", reason="pycute comes with nvidia-cutlass, and is not installed")
    pytest.importorskip("pycute.swizzle")
    _comes_back(tla.to_pycute)


def test_tensor_layouts() -> None:
    pytest.importorskip("tensor_layouts")
    _comes_back(tla.to_tensor_layouts)


MEMORY = [
    "memref<4x8xf32>",
    "memref<4x8xf32, strided<[1, 4], offset: 3>, 1>",
    "memref<16x16xf32, affine_map<(d0, d1) -> (d0 floordiv 4, d1, d0 mod 4)>>",
    "memref<0x3xf32, affine_map<(d0, d1) -> (d1, d0)>>",
    "memref<4xf32, affine_map<(d0) -> (d0 + 3)>>",
    "memref<f32>",
]


def test_mlir() -> None:
    ir: Any = pytest.importorskip("jaxlib.mlir.ir")
    with ir.Context():
        for text in MEMORY:
            layout = tla.read(ir.Type.parse(text))
            written = tla.to_memref(layout)
            assert str(ir.Type.parse(written)) == written
            assert tla.read(ir.Type.parse(written)) == layout


def test_torch() -> None:
    torch: Any = pytest.importorskip("torch")
    rng = Random(7)
    for _i in range(100):
        whole = torch.arange(3 * 5 * 7 * 4).reshape(3, 5, 7, 4).permute(rng.sample(range(4), 4))
        steps = [slice(rng.choice([None, 0, 1]), None, rng.choice([1, 2, 3])) for _axis in range(4)]
        tensor = whole[tuple(steps)]
        layout: Any = tla.from_array(tensor)
        span = sum(int((n - 1) * d) for n, d in zip(layout.shape, layout.stride, strict=True)) + 1
        memory = torch.as_strided(tensor, [span], [1], tensor.storage_offset())
        again = tla.to_torch(memory, layout)
        assert torch.equal(again, tensor)
        assert again.data_ptr() == tensor.data_ptr()
        assert np.array_equal(tla.to_numpy_view(memory, layout), tensor.numpy())
    last = torch.empty(2, 3, 4, 5).contiguous(memory_format=torch.channels_last)
    assert str(tla.from_array(last)) == "(2,3,4,5):(60,1,15,3)"
    halves = tla.to_numpy_view(torch.arange(6, dtype=torch.bfloat16), "(2,3):(1,2)")
    assert halves.dtype == np.uint16
    assert halves[1].tolist() == [0x3F80, 0x4040, 0x40A0]
    tensor = torch.arange(12.0).reshape(3, 4).requires_grad_().to(torch.bfloat16)
    for text in ("(3,4):(1,3)", "bf16[3,4]{0,1:T(2,2)}", "zN<bfloat16_t>(3,4)"):
        memory = tla.pack(tensor, text)
        again = tla.unpack(torch.from_numpy(memory), text)
        assert np.array_equal(again, tensor.detach().view(torch.uint16))
    halves = np.array([1.5, 2], "f4").astype(pytest.importorskip("ml_dtypes").bfloat16)
    assert torch.equal(tla.to_torch(halves, "2:1"), torch.tensor([1.5, 2], dtype=torch.bfloat16))
    for bad, why in (
        (lambda: tla.pack(tensor, "f16[3,4]"), "has elements of torch.bfloat16, 16 bits"),
        (lambda: tla.pack(tensor.to("meta"), "3:1"), "a tensor on the device meta has no memory"),
        (
            lambda: tla.to_numpy_view(tensor.to("meta"), "3:1"),
            "a tensor on the device meta has no memory",
        ),
        (lambda: tla.to_torch(np.arange(6, dtype=">f4"), "6:1"), "of >f4: their bytes are in the other"),
        (lambda: tla.to_torch(b"abc", "3:1"), "torch has no read-only tensors"),
        (lambda: tla.to_torch(np.array(["a"]), "1:1"), "torch has no elements of"),
        (lambda: tla.read(torch.eye(3).to_sparse()), "torch.sparse_coo has no strides"),
        (
            lambda: tla.to_torch(torch.arange(5), "(2,3):(3,1)"),
            "needs memory of 6 elements without gaps; this has 5",
        ),
        (lambda: tla.to_torch(torch.arange(6), "(2,3):(-3,1)"), "no negative strides"),
        (
            lambda: tla.to_torch(torch.arange(99), "((2,2),3):((1,5),12)"),
            "mode 0 .* has no single stride",
        ),
        (lambda: tla.to_numpy_view(torch.arange(9)[::2], "4:1"), "memory must be in one piece"),
    ):
        with pytest.raises(tla.TlaError, match=why):
            bad()


_JAX = """
import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
import jax, jax.numpy as jnp, numpy as np, tla
from jax.experimental import pallas as pl
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

for text, dtype in (
    ("bf16[16,256]{0,1:T(8,128)(2,1)}", jnp.bfloat16),
    ("s4[64,300]{1,0:T(8,128)(8,1)E(4)}", jnp.int4),
    ("f32[3,5,7]{0,2,1}", jnp.float32),
    ("f8e4m3fn[8]{0}", jnp.float8_e4m3fn),
    ("pred[3]{0}", bool),
    ("f32[]", jnp.float32),
):
    shape = tla.read(text)
    like = jax.ShapeDtypeStruct(shape.dimensions, dtype, sharding=tla.to_jax_format(text))
    assert tla.read(like) == shape, text
array = jax.device_put(jnp.arange(12.0).reshape(3, 4), tla.to_jax_format("(3,4):(1,3)"))
assert str(tla.read(array)) == "f32[3,4]{0,1}"
assert tla.to_jax_format(array).layout.major_to_minor == array.format.layout.major_to_minor
assert (tla.to_numpy_view(jnp.arange(6), "(2,3):(1,2)") == [[0, 2, 4], [1, 3, 5]]).all()

mesh = Mesh(np.array(jax.devices()).reshape(2, 4), ("x", "y"))
for spec in (P("x", "y"), P(("y", "x"), None), P("y", None), P(None, "x"), P("x", None, "y")):
    sharding = NamedSharding(mesh, spec)
    devices = sharding._to_xla_hlo_sharding(len(spec)).tile_assignment_devices()
    assert tla.offsets(tla.read(sharding)).reshape(-1).tolist() == list(devices), spec
parts = jax.device_put(jnp.zeros((16, 8)), NamedSharding(mesh, P("x", "y")))
assert str(tla.read(parts)) == "f32[8,2]{1,0}"
try:
    tla.to_numpy_view(parts, "4:1")
except tla.UnsupportedError as error:
    assert "other devices" in str(error)

lowered = jax.jit(lambda x: x.T @ x).lower(array)
for program in (lowered, lowered.compile()):
    assert str(tla.read(program).entry.root.shape).startswith("f32[4,4]")

block = pl.BlockSpec((8, None, pl.Element(4), pl.Squeezed()), lambda i, j: (j, i, 4 * i, 0))
(layout,) = tla.read(pl.GridSpec(grid=(3, 2), in_specs=[block], out_specs=[]))
for i in range(3):
    for j in range(2):
        assert layout((2, 0, 1, 0), (i, j)) == (8 * j + 2, i, 4 * i + 1, 0)
print("as expected")
"""


def test_jax() -> None:
    if find_spec("jax") is None:
        pytest.skip("jax is not installed")
    child = subprocess.run([sys.executable, "-c", _JAX], capture_output=True, text=True, check=False)
    assert child.stdout == "as expected\n", child.stderr


def test_zarr() -> None:
    zarr: Any = pytest.importorskip("zarr")
    layout = parse("((30,4),(20,3)):((20,1800),(1,600)):(100,60)")
    store: dict[str, Any] = {}
    plain: Any = {"compressors": None, "filters": None}
    array = zarr.create_array(store=store, **tla.to_zarr(layout), dtype="i4", fill_value=-1, **plain)
    data = np.arange(6000, dtype="i4").reshape(100, 60)
    array[:] = data
    chunks = [store[f"c/{i}/{j}"].to_bytes() for i, j in product(range(4), range(3))]
    assert tla.read(array) == layout
    assert np.frombuffer(b"".join(chunks), "i4").tolist() == tla.pack(data, array, fill=-1).tolist()


def test_h5py(tmp_path: Path) -> None:
    h5py: Any = pytest.importorskip("h5py")
    data = np.arange(6000, dtype="i4").reshape(100, 60)
    with h5py.File(tmp_path / "chunks.h5", "w") as file:
        array = file.create_dataset("data", data=data, chunks=(30, 20), fillvalue=-1)
        starts = product(range(0, 100, 30), range(0, 60, 20))
        chunks = [np.frombuffer(array.id.read_direct_chunk(at)[1], "i4") for at in starts]
        memory = tla.pack(data, array)
        mask = tla.mask(tla.read(array))
    assert np.concatenate(chunks)[mask].tolist() == memory[mask].tolist()


def test_tilelang() -> None:
    layouts: Any = pytest.importorskip("tilelang.layout")
    for sizes, at in (
        ((16, 16), lambda i, j: i * 16 + j),
        ((8, 4, 6), lambda i, j, k: (k, j * 8 + i)),
        ((16, 16), lambda i, j: (i // 4, j // 8, i % 4, j % 8)),
    ):
        theirs = layouts.Layout(sizes, at)
        ends = [int(n) for n in theirs.get_output_shape()]
        for coord in product(*map(range, sizes)):
            found = at(*coord)
            index = np.ravel_multi_index(found if isinstance(found, tuple) else (found,), ends)
            assert tla.read(theirs)(*coord) == index
    with pytest.raises(UnsupportedError, match="bitwise_xor has no layout"):
        tla.read(layouts.Layout((8, 8), lambda i, j: (i, j ^ i)))


_KERNEL = """
import cutlass, cutlass.cute as cute, tla

@cute.jit
def traced(n: cutlass.Int32):
    M = cute.assume(n, divby=16)
"""


def test_cute_dsl(tmp_path: Path) -> None:
    if find_spec("cutlass") is None or find_spec("nvidia_cutlass_dsl") is None:
        pytest.skip("nvidia-cutlass-dsl is not installed")
    expected = {
        "(4,8):(8,1)": "(_4,_8):(_8,_1)",
        "(4):(1)": "(_4):(_1)",
        "((2,M),8):((1,16),2)": "((_2,s0{div=16,min=0}),_8):((_1,_16),_2)",
        "(M,8):(1,M//16*2)": "(s0{div=16,min=0},_8):(_1,d0{div=2,min=none})",
        "((4,2),8):((1@0@0,4@1@0),2@1)": "((_4,_2),_8):((1@0@0,4@1@0),2@1)",
        "Sw<2,0,3> o M o (8,8):(8,1)": "Sw<2,0,3> o x0{div=16,min=none} o (_8,_8):(_8,_1)",
    }
    lines = [f"    print(tla.read({tla.to_cute_dsl(text)}))\n" for text in expected]
    lines += ["    print(tla.read(cute.make_swizzle(2, 0, 3)))\n"]
    lines += ["    print(tla.read(cute.make_identity_tensor((4, 8))))\n", "\ntraced(4)\n"]
    path = tmp_path / "kernel.py"
    path.write_text(_KERNEL + "".join(lines))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    child = subprocess.run(
        [sys.executable, str(path)], capture_output=True, text=True, check=False, env=environment
    )
    assert child.stdout.splitlines() == [*expected.values(), "Sw<2,0,3>", "(_4,_8):(1@0,1@1)"], (
        child.stderr
    )
