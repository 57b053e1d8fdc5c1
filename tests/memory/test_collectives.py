"""The collectives of modules: their bytes are those of the sharding that changes."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from tla.errors import UnsupportedError
from tla.hlo import Module, read_module
from tla.memory import collectives
from tla.xla_bridge import moved_elements, parse_sharding

from .modules import module_of


def of(line: str, header: str = "", shape: str = "f32[8,64]") -> Module:
    return read_module(f"HloModule m{header}\nENTRY e {{ p = {shape} parameter(0)\n ROOT c = {line} }}")


@given(st.integers(1, 9), st.integers(1, 5), st.integers(1, 5))
def test_bytes_are_those_of_the_sharding_that_changes(n: int, rows: int, columns: int) -> None:
    """A shard of ``rows`` times ``n * columns`` elements on each of ``n`` devices."""
    by_rows, by_columns = f"{{devices=[{n},1]<=[{n}]}}", f"{{devices=[1,{n}]<=[{n}]}}"
    turned = f"{{devices=[{3 * n},1]<=[{n},3]T(1,0)}}"
    dims, shard = (n * rows, n * columns), f"f32[{rows},{n * columns}]"
    groups = f"replica_groups=[1,{n}]<=[{n}]"
    pairs = [(device, after) for tile, device in enumerate(range(3 * n))
             for after in parse_sharding(turned).holders((tile, 0))]  # fmt: skip
    cases = [
        (f"f32[{n * rows},{n * columns}] all-gather(p), {groups}, dimensions={{0}}",
         shard, by_rows, "{replicated}", dims),
        (f"f32[{n * rows},{columns}] all-to-all(p), {groups}, dimensions={{0}}",
         f"f32[{n * rows},{columns}]", by_columns, by_rows, dims),
        (f"{shard} collective-permute(p), source_target_pairs="
         f"{{{','.join(f'{{{a},{b}}}' for a, b in pairs)}}}",
         shard, f"{{devices=[{3 * n},1]<=[{3 * n}]}}", turned, (3 * n * rows, n * columns)),
    ]  # fmt: skip
    for line, operand, before, after, shape in cases:
        (found,) = collectives(of(line, shape=operand))
        moved = moved_elements(parse_sharding(before), parse_sharding(after), shape)
        assert found.moved_bytes == 4 * moved


@pytest.mark.parametrize(
    ("line", "received", "moved"),
    [
        ("f32[2,64] reduce-scatter(p), replica_groups={{0,1,2,3}}, dimensions={0}", 1536, 6144),
        ("f32[8,64] all-reduce(p), replica_groups={{0,1},{2,3}}", 2048, 8192),
        ("f32[8,64] all-reduce(p), replica_groups={{0,1,2},{3}}", 2731, 8192),
        ("f32[8,64] collective-broadcast(p), replica_groups={{1,0,2}}", 2048, 4096),
        ("(f32[8,64], f32[16,64]) all-gather-start(p), replica_groups={{0,1}}", 2048, 4096),
        ("f32[8,64] all-reduce-start(p), replica_groups={}", 3072, 12288),
        ("f32[8,64] ragged-all-to-all(p), replica_groups={{0,1}}", None, None),
    ],
)  # fmt: skip
def test_what_a_device_receives(line: str, received: int | None, moved: int | None) -> None:
    (found,) = collectives(of(line, ", num_partitions=4"))
    assert (found.received_bytes, found.moved_bytes) == (received, moved)


def test_all_devices_of_a_text_without_their_number() -> None:
    (found,) = collectives(of("f32[8,64] all-reduce(p), replica_groups={}"))
    assert (found.groups, found.received_bytes, found.operand_bytes) == ((), None, 2048)


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("v5e_x4_all_gather", [("all-gather", 4)]),
        ("v5e_x4_tensor_parallel_mlp", [("all-reduce", 4)]),
        ("v5e_x4_ring_permute", [("collective-permute", 2)]),
    ],
)
def test_real_modules(name: str, wanted: list[tuple[str, int]]) -> None:
    found = collectives(module_of(name))
    assert [(each.opcode, len(each.groups[0])) for each in found] == wanted
    assert all(each.moved_bytes for each in found)


def test_a_mesh_with_ids() -> None:
    mesh = "mesh['a'=2,'b'=2], device_ids=([2,2]T(1,0)) {'a'}"
    (found,) = collectives(of(f"f32[8,64] all-reduce(p), replica_groups={mesh}"))
    assert found.groups == ((0, 1), (2, 3))


def test_groups_that_cannot_be_read_are_refused() -> None:
    with pytest.raises(UnsupportedError, match=r"the all-reduce c of line 3: .* name a device twice"):
        collectives(of("f32[8,64] all-reduce(p), replica_groups={{0,1},{1,2}}"))
