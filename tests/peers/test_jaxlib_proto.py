"""Protocol buffers that XLA writes, as jaxlib has it: the same value here as from XLA's own text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from cases import check_all

from tla.hlo import Module, read_module, read_proto

hlo: Any = pytest.importorskip("jaxlib._hlo", reason="jaxlib is not installed")
pytest.importorskip("google.protobuf", reason="protobuf is not installed")

DATA = Path(__file__).parent.parent / "data"
MODULES = sorted((DATA / "tpu_hlo").glob("*.hlo"))
LINES = (DATA / "hlo_attributes.txt").read_text().splitlines()
"""Instructions that have each attribute, each element type of a constant, each form of a sharding."""

AROUND = """HloModule m
add { a = f32[] parameter(0)  b = f32[] parameter(1) ROOT c = f32[] add(a,b) }
cond { p = (s32[]) parameter(0) ROOT t = pred[] constant(true) }
body { ROOT p = (s32[]) parameter(0) }
lt { a = f32[] parameter(0)  b = f32[] parameter(1) ROOT c = pred[] compare(a,b), direction=LT }
neg { a = f32[4,4] parameter(0) ROOT c = f32[4,4] negate(a) }
negs { a = f32[] parameter(0) ROOT c = f32[] negate(a) }
ac { a = f32[4,4] parameter(0) n = f32[4,4] copy(a) ROOT c = f32[4,4] negate(n) }, execution_thread="t"
ENTRY e {
 x = f32[4,4] parameter(0)
 s = s32[4,4] parameter(1)
 k = f32[2,2] parameter(2)
 z = f32[] constant(0)
 v = f32[4] broadcast(z), dimensions={}
 tok = token[] after-all()
 i = s32[] constant(0)
 ti = (s32[]) tuple(i)
 bb = f32[2,4,4] broadcast(z), dimensions={}
 LINE
}
"""
OUTSIDE = ("num_partitions", "replica_count", "alias_passthrough_params")


def facts(module: Module) -> tuple[object, ...]:
    """All of a module that XLA keeps in its protocol buffer."""
    attributes = [
        (name, text)
        for name, text in module.attributes.items()
        if name not in OUTSIDE and not name.startswith("allow_spmd")
    ]
    return module.name, attributes, module.tables, module.computations


def same(text: str) -> None:
    module = hlo.hlo_module_from_text(text)
    found = read_proto(module.as_serialized_hlo_module_proto())
    expected = read_module(module.to_string())
    if facts(found) != facts(expected):
        assert str(found) == str(expected)  # shows where
        assert facts(found) == facts(expected)


def test_the_modules_of_the_tpu_compiler() -> None:
    check_all(lambda path: same(path.read_text()), MODULES, lambda path: path.name)


def test_each_attribute_is_printed_as_xla_does() -> None:
    check_all(lambda line: same(AROUND.replace("LINE", line)), LINES)
