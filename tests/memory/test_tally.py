"""Counting buffers as they come, and by origin."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, get_args

import pytest

from tla.errors import UnsupportedError
from tla.hlo import ModuleError, read_module, read_stream
from tla.memory import (
    Key,
    Tally,
    array_waste,
    group_of,
    grouped,
    module_buffers,
    output_bytes,
    source_of,
    stream_buffers,
    stream_outline,
)

from .modules import NAMES, chip_of, counted, module_of, text_of

if TYPE_CHECKING:
    from tla.hlo import Module
    from tla.memory import Buffer


def buffers_of(module: Module) -> list[Buffer]:
    return [buffer for each in module_buffers(module) for buffer in each.buffers]


def tally_of(module: Module, **options: int) -> Tally:
    tally = Tally(**options)  # type: ignore[arg-type]  # ty: ignore[invalid-argument-type]
    for each in module_buffers(module):
        tally.add(each)
    return tally


@pytest.mark.parametrize("name", NAMES)
def test_the_sums_are_those_of_the_buffers(name: str) -> None:
    module = module_of(name)
    tally, buffers = tally_of(module), buffers_of(module)
    assert tally.buffers == len(tally.rows) == len(buffers)
    for total in tally.spaces:
        there = [array_waste(b.shape) for b in buffers if b.shape.memory_space == total.memory_space]
        assert total.buffers == len(there)
        assert total.data_bytes == sum(waste.data_bytes for waste in there)
        assert total.padded_bytes == sum(waste.padded_bytes for waste in there)
        assert total.waste_bytes == sum(waste.waste_bytes for waste in there)
    assert sum(total.buffers for total in tally.spaces) == len(buffers)
    assert tally.argument_bytes == counted(name)["argument_size_in_bytes"]
    assert tally.output_bytes(chip_of(name)) == output_bytes(module, chip_of(name))
    assert tally.uncalled == []
    assert sum(tally.by_rule.values()) == sum(len(each.aliases) for each in module_buffers(module))


@pytest.mark.parametrize("top", [1, 3, 10, 1000])
def test_the_top_rows_are_those_with_most_waste(top: int) -> None:
    module = module_of("v5e_attention_train")
    everything = tally_of(module).rows
    wasted = [(-row.waste.waste_bytes, -row.waste.padded_bytes) for row in everything]
    assert wasted == sorted(wasted)
    assert tally_of(module, top=top).rows == everything[:top]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("key", get_args(Key))
def test_groups_hold_every_buffer_once(name: str, key: Key) -> None:
    module = module_of(name)
    buffers = buffers_of(module)
    groups = grouped(buffers, key, module.tables)
    assert sum(group.buffers for group in groups) == len(buffers)
    assert [-group.padded_bytes for group in groups] == sorted(-group.padded_bytes for group in groups)
    for group in groups:
        there = [array_waste(b.shape) for b in buffers if group_of(b, key, module.tables) == group.name]
        assert group.padded_bytes == sum(waste.padded_bytes for waste in there)
        assert group.waste_bytes == sum(waste.waste_bytes for waste in there)
    tally = Tally(0 or None, key, module.tables)
    for each in module_buffers(module):
        tally.add(each)
    assert tally.groups == groups


def test_the_source_of_a_buffer() -> None:
    module = module_of("v5e_int8_matmul")
    sources = {buffer.name: source_of(buffer, module.tables) for buffer in buffers_of(module)}
    assert sources["fusion"] == "model.py:24 (int8_mm)"
    assert sources["a.1"] == ""
    names = {buffer.name: group_of(buffer, "source", module.tables) for buffer in buffers_of(module)}
    assert names["fusion"] == sources["fusion"]
    assert names["a.1"] == "a"  # of what has no line the name


def test_a_source_without_tables() -> None:
    module = read_module('a = f32[2] iota(), metadata={source_file="f.py" source_line=7}')
    (buffer,) = buffers_of(module)
    assert source_of(buffer, module.tables) == "f.py:7"


def test_unknown_sizes_are_told_apart() -> None:
    module = read_module("ENTRY e {\n a = f32[?] parameter(0)\n b = f32[<=3]{0:T(4)} negate(a)\n}")
    tally = tally_of(module)
    assert [(each.buffer.name, each.reason) for each in tally.unsized] == [
        ("a", "the size of f32[?]{0} is not known: it has a dim '?'")
    ]
    assert [(row.buffer.name, row.waste.padded_bytes) for row in tally.rows] == [("b", 16)]
    with pytest.raises(UnsupportedError, match="not known"):
        grouped(buffers_of(module), "source", module.tables)


def test_values_without_memory_are_kept_on_request() -> None:
    module = module_of("v5e_int8_matmul")
    assert tally_of(module).aliases == []
    kept = tally_of(module, keep_aliases=True).aliases
    assert kept == [alias for each in module_buffers(module) for alias in each.aliases]


def test_what_a_broken_text_gives_is_not_known() -> None:
    """The last instruction before the break is not taken for the root."""
    text = text_of("v5e_attention_block")[:40000]
    tally = Tally()
    outline = stream_outline(read_stream([text]))
    with pytest.raises(ModuleError):
        deque(map(tally.add, stream_buffers(read_stream([text]), outline)), 0)
    assert tally.buffers > 0
    assert (tally.root, tally.output_bytes("v5e")) == (None, None)
    assert "result" not in {row.buffer.kind for row in tally.rows}
