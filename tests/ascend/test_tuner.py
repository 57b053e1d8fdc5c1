"""The tuner's search space as text: run beside stand-ins for the tuner, it registers the tiles."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from tla.ascend import Estimate, search
from tla.ascend.tuning.tiles import Ranking
from tla.ascend.tuning.tuner import registration
from tla.errors import LimitError, UnsupportedError


class _Names:
    """An enumeration of the tuner: it has the names that it has."""

    def __init__(self, *names: str) -> None:
        self.__dict__.update({name: name for name in names})


class _Tuner:
    """Stand-ins for ``library``, ``manifest`` and ``gemm_operation``, which keep what is registered."""

    def __init__(self) -> None:
        self.registered: dict[tuple[str, tuple[str, ...]], Any] = {}
        self.operations: list[Any] = []
        library, manifest = ModuleType("library"), ModuleType("manifest")
        operation = ModuleType("gemm_operation")
        facts: dict[str, Any] = {
            "ArchTag": _Names("A2", "ASCEND_950"),
            "DataType": _Names("uint8", "int8", "int32", "fp16", "bf16", "fp32"),
            "LayoutType": _Names("ColumnMajor", "RowMajor", "nZ", "zN", "zZ", "PaddingRowMajor"),
            "GemmTypeDescription": lambda element, layout: (element, layout),
        }
        vars(library).update(facts)
        vars(operation)["GemmOperation"] = lambda **facts: SimpleNamespace(**facts)
        vars(manifest)["OperationRegistry"] = SimpleNamespace(register_high_priority=self._register)
        self.modules = {"library": library, "manifest": manifest, "gemm_operation": operation}

    def _register(self, name: str, archs: list[str]) -> Any:
        def decorator(function: Any) -> Any:
            self.registered[name, tuple(archs)] = function
            return function

        return decorator

    def append(self, operation: Any) -> None:
        self.operations.append(operation)


@pytest.fixture
def tuner(monkeypatch: pytest.MonkeyPatch) -> _Tuner:
    found = _Tuner()
    for name, module in found.modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    return found


def constraint(tile: Estimate, bytes_: tuple[int, int, int], l0c: int) -> bool:
    """What the tuner asks of a tile with two stages."""
    (m, n, k), (m0, n0, k0) = tile.l1, tile.l0
    a, b, c = bytes_
    return (
        (m, n) == (m0, n0)
        and k0 <= k
        and 2 * (m * k * a + n * k * b) <= 512 * 1024
        and 2 * m0 * k0 * a <= 64 * 1024
        and 2 * k0 * n0 * b <= 64 * 1024
        and m0 * n0 * c <= l0c
    )


BASIC, BASIC_950 = "00_basic_matmul", "43_ascend950_basic_matmul"
HALF, BF16, FLOAT = ("fp16", "fp16", "fp16"), ("bf16", "bf16", "fp32"), ("fp32", "fp32", "fp32")


@pytest.mark.parametrize(
    ("arch", "elements", "tags", "kernel", "tag", "types", "widths", "l0c"),
    [
        ("910B3", "half", "RowMajor,ColumnMajor", BASIC, "A2", HALF, (2, 2, 4), 128),
        ("AtlasA3", "bf16,bf16,float", "zN", BASIC, "A2", BF16, (2, 2, 4), 128),
        ("Ascend950", "float", "RowMajor", BASIC_950, "ASCEND_950", FLOAT, (4, 4, 4), 256),
    ],
)
def test_the_same_tiles_are_registered(
    tuner: _Tuner,
    arch: str,
    elements: str,
    tags: str,
    kernel: str,
    tag: str,
    types: tuple[str, ...],
    widths: tuple[int, int, int],
    l0c: int,
) -> None:
    found = search(arch, (500, 700, 300), elements, tags, top=40, step=32)
    exec(compile(registration(found), "search_space_config.py", "exec"), {})
    assert list(tuner.registered) == [(kernel, (tag,))]
    next(iter(tuner.registered.values()))(tuner)
    assert [(one.l1_tile_shape, one.l0_tile_shape) for one in tuner.operations] == [
        (tuple(tile.l1), tuple(tile.l0)) for tile in found.tiles
    ]
    one = tuner.operations[0]
    assert (one.kernel_type, one.arch) == (kernel, tag)
    assert one.block_swizzle == f"Gemm::Block::{found.best.swizzle}"
    assert tuple(x[0] for x in (one.a_type, one.b_type, one.c_type)) == types
    assert tuple(x[1] for x in (one.a_type, one.b_type, one.c_type)) == found.plan.tags
    assert all(constraint(tile, widths, l0c * 1024) for tile in found.tiles)


def test_what_the_tuner_does_not_have() -> None:
    fp8 = search("Ascend950", (64, 64, 64), "float8_e4m3_t", top=1)
    with pytest.raises(UnsupportedError, match="the tuner has no element type float8_e4m3_t"):
        registration(fp8)
    order = search("AtlasA2", (64, 64, 64), top=1, swizzles=["SplitkGemmIdentityBlockSwizzle<1,0>"])
    with pytest.raises(UnsupportedError, match="orders blocks by GemmIdentityBlockSwizzle"):
        registration(order)
    single = "MmadPingpong(l1a_stages=1,l1b_stages=1,l0a_stages=1,l0b_stages=1)"
    large = search("AtlasA2", (2048, 2048, 4096), top=200, step=128, policy=single)
    with pytest.raises(UnsupportedError, match="does not fit 00_basic_matmul of the tuner"):
        registration(large)
    whole = search("AtlasA2", (64, 64, 64), "int8_t", top=1)
    with pytest.raises(UnsupportedError, match="MmadAtlasA2Pingpong<true>, is not legal here") as raised:
        registration(whole)
    assert raised.value.details[0].startswith("unit flag: ")
    assert "int8" in registration(search("Ascend950", (64, 64, 64), "int8_t", top=1))
    many = Ranking(large.tiles[:1] * 10_001, *large[1:])
    with pytest.raises(LimitError, match="takes 10000 tiles at most"):
        registration(many)
