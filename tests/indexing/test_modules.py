"""Real modules of the TPU compiler: every instruction has maps, or a reason why not."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tla.hlo import read_module
from tla.indexing import compose, output_to_input
from tla.indexing.fusion import computation_maps
from tla.indexing.ops import Op

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tla.hlo import Instruction, Module
    from tla.indexing import IndexingMap

DATA = Path(__file__).parent.parent / "data"
MODULES = sorted([*DATA.glob("tpu_hlo/*.hlo"), *DATA.glob("tpu_conditionals/*.hlo")])

NOT_KNOWN = {
    ("v5e_condloop", "conditional"): 1,
    ("v5e_condloop2", "conditional"): 1,
    ("v5e_loopcond", "conditional"): 1,
    ("v5e_loopcond", "while"): 1,
    ("v5e_mapcond", "conditional"): 1,
    ("v5e_mapcond", "while"): 1,
    ("v5e_scancond", "conditional"): 1,
    ("v5e_scancond", "while"): 1,
    ("v6e_callback_free", "conditional"): 1,
    ("v6e_callback_free", "while"): 1,
}
"""How many results have maps that are not known, by module and opcode; no other instruction has such.

They stand where a loop is within a branch or a loop: how often it changes its state is not known.
"""


def outputs(module: Module) -> Iterator[tuple[Instruction, int]]:
    for computation in module.computations:
        for instruction in computation.instructions:
            for output in range(len(Op(instruction).outputs)):
                yield instruction, output


def check(instruction: Instruction, output: int, maps: list[list[IndexingMap]]) -> None:
    """The maps lead from the output's box into the operands' arrays."""
    op = Op(instruction)
    sizes = op.dims(output)
    assert len(maps) == len(op.inputs)
    for leaf, found in zip(op.inputs, maps, strict=True):
        assert len(set(found)) == len(found)
        for m in found:
            if m.is_undefined:
                continue
            assert len(m.results) == len(op.sizes(leaf.shape)), (instruction, str(m))
            assert len(m.dims) == len(sizes)
            for v, n in zip(m.dims, sizes, strict=True):
                assert v.bounds.size <= n
                assert v.bounds.lower >= 0 or not v.bounds
                assert v.bounds.upper < n
            assert all(v.source is not None for v in m.runtime)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_every_instruction_has_maps_or_a_reason(path: Path) -> None:
    unknown: Counter[tuple[str, str]] = Counter()
    for instruction, output in outputs(read_module(path.read_text())):
        maps = output_to_input(instruction, output)
        check(instruction, output, maps)
        reasons = {m.reason for found in maps for m in found if m.is_undefined}
        if reasons:
            (why,) = reasons
            assert why.endswith(" is a loop: how often it changes its state is not known")
            unknown[path.stem, instruction.opcode] += 1
    assert unknown == {key: n for key, n in NOT_KNOWN.items() if key[0] == path.stem}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_every_computation_can_be_walked(path: Path) -> None:
    for computation in read_module(path.read_text()).computations:
        leaves = [leaf for p in computation.parameters for leaf in Op(p).outputs]
        maps = computation_maps(computation, len(Op(computation.root).outputs) - 1)
        assert len(maps) == len(leaves)
        for leaf, found in zip(leaves, maps, strict=True):
            assert all(m.is_undefined or len(m.results) == leaf.shape.rank for m in found)


def test_parts_that_are_laid_behind_each_other_are_the_parts_they_were() -> None:
    """What slices take out and a custom call puts together is the array it was."""
    count = 0
    for path in MODULES:
        for computation in read_module(path.read_text()).computations:
            for instruction in computation.instructions:
                if instruction.attributes.get("custom_call_target") != '"ConcatBitcast"':
                    continue
                count += 1
                starts = [
                    computation.instruction(computation.instruction(operand.name).operands[0].name)
                    for operand in instruction.operands
                ]
                for (m,), start in zip(output_to_input(instruction), starts, strict=True):
                    ((taken,),) = output_to_input(start, 1)
                    lows = [v.bounds.lower for v in m.dims]
                    assert taken.evaluate(m.evaluate(lows)) == tuple(lows)
                assert Op(starts[0]).inputs[0].shape.dimensions == Op(instruction).dims()
    assert count == 14


# --- time -------------------------------------------------------------------------------------


def chain(count: int) -> Module:
    """A module of so many instructions, of several kinds."""
    lines = ["p = f32[8,16] parameter(0)"]
    last = "p"
    for k in range(count // 5):
        lines += [
            f"a{k} = f32[16,8] transpose({last}), dimensions={{1,0}}",
            f"b{k} = f32[128] reshape(a{k})",
            f"c{k} = f32[128] reverse(b{k}), dimensions={{0}}",
            f"d{k} = f32[16,8] reshape(c{k})",
            f"e{k} = f32[8,16] transpose(d{k}), dimensions={{1,0}}",
        ]
        last = f"e{k}"
    body = "\n".join([*lines[:-1], f"ROOT {lines[-1]}"])
    return read_module(f"HloModule m\nENTRY e {{\n{body}\n}}\n")


def test_work_grows_with_the_number_of_instructions(
    monkeypatch: pytest.MonkeyPatch, record_property: Callable[[str, object], None]
) -> None:
    """The maps that are composed are counted; the time is written down, as a ratio, and not asserted."""
    composed: list[int] = []
    seconds: list[float] = []

    def counted(first: IndexingMap, second: IndexingMap) -> IndexingMap:
        composed[-1] += 1
        return compose(first, second)

    monkeypatch.setattr("tla.indexing.fusion.compose", counted)
    for count in (1000, 2000):
        module = chain(count)
        composed.append(0)
        begin = time.perf_counter()
        ((m,),) = computation_maps(module.entry)
        found = [output_to_input(instruction, output) for instruction, output in outputs(module)]
        seconds.append(time.perf_counter() - begin)
        assert not m.is_undefined
        assert sum(len(maps) for each in found for maps in each) == count
    assert composed == [1000, 2000]
    record_property("ratio", seconds[1] / seconds[0])
