# SPDX-License-Identifier: Apache-2.0
"""Recorded CATLASS kernels: right numbers in every order, no finding that their entry does not name."""

from __future__ import annotations

import contextlib
import gzip
import json
import random
from functools import cache
from typing import Any

import pytest

from tla.ascend.kernels import Run, parse_trace, replay, run_program
from tla.errors import ArgumentError, ParseError, TlaError

from .kernels_oracle import HERE, SHARED, difference, entries, inputs_of, output_of

ENTRIES = {entry["name"]: entry for entry in entries(HERE)}
NAMES = sorted(ENTRIES.keys() - {"single_core_splitk"})


def any_(x: object) -> Any:
    """A value that the checkers know nothing of."""
    return x


@cache
def inputs(name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    return inputs_of(ENTRIES[name])


@cache
def run_of(name: str) -> Run:
    return replay(ENTRIES[name]["path"], inputs(name)[1])


def unexpected(entry: dict[str, Any], run: Run) -> list[str]:
    """The findings that an entry does not name."""
    named = "event id" if entry["uninitialised_event_ids"] else ""
    return [str(finding) for finding in run.findings if finding.kind != named]


@pytest.mark.parametrize("name", NAMES)
def test_a_recorded_kernel_is_right_and_clean(name: str) -> None:
    entry, run = ENTRIES[name], run_of(name)
    assert run.arch.name == entry["arch"]
    assert difference(entry, run.tensors[output_of(entry)], inputs(name)[0]) is None
    assert not unexpected(entry, run)
    assert not run.program.notes
    assert bool(run.findings) == bool(entry["uninitialised_event_ids"])


@pytest.mark.parametrize("name", ["matmul_add", "splitk", "a950_fixpipe_opti"])
def test_no_order_changes_the_result(name: str) -> None:
    assert run_of(name).differing(8) is None


@pytest.mark.parametrize("name", ["batched", "matmul_add", "a950_evg_add"])
def test_a_byte_in_a_buffer_is_that_of_its_element(name: str) -> None:
    run, rng, met = run_of(name), random.Random(0), set()
    written = {
        op.instruction.operands[operand].owner
        for op in run.program.operations
        for operand, _ in op.work.writes
    }
    for (space, core), data in run._memories.bytes.items():
        for byte in rng.sample(range(data.size), 40) if space != "GM" else ():
            found = run.element_at(core, any_(space), byte)
            if found is not None and found.tensor not in written:
                array = run[found.tensor]
                met.add(space)
                assert data[byte] == array.tobytes()[found.byte]
                assert array[found.coord].tobytes()[found.byte % array.itemsize] == data[byte]
    assert met >= {"L1", "L0A", "L0B"}
    ends = 1 << 20, -1
    for where in (("AIC9", "L1", 0), *[("AIC0", "L1", at) for at in ends], ("AIC0", "L1", 0, "x:1")):
        with pytest.raises(ArgumentError):
            run.element_at(*any_(where))
    first = next(
        i
        for i in run.program.instructions
        if i.core == "AIC0" and i.op == "DataCopy" and i.pipe == "MTE2"
    )
    place = first.operands["dst"].address
    assert run.element_at("AIC0", "L1", place, before=first.line) is None


def test_without_a_flag_something_is_found() -> None:
    drops = list(run_of("batched").drops())
    assert {drop.instruction.op for drop in drops} >= {"SetFlag", "WaitFlag", "PipeBarrier"}
    # only the barriers at the end of a core order nothing
    assert {(d.instruction.op, d.instruction.pipe) for d in drops if d.redundant} == {
        ("PipeBarrier", "ALL")
    }


@pytest.mark.slow
@pytest.mark.skipif(SHARED is None, reason="the recorded traces are not beside this checkout")
@pytest.mark.parametrize("entry", entries(SHARED), ids=lambda entry: entry["name"])
def test_every_recorded_kernel(entry: dict[str, Any]) -> None:
    values, memory = inputs_of(entry)
    run = replay(entry["path"], memory)
    assert difference(entry, run.tensors[output_of(entry)], values) is None
    assert not unexpected(entry, run)
    assert not replay(entry["path"]).program.notes
    assert run.differing(100) is None


def test_a_line_that_is_no_call_is_named(tmp_path: Any) -> None:
    path = tmp_path / "trace.jsonl"
    path.write_text('{"core": "AIC0", "op": "PipeBarrier", "pipe": "ALL"}\n{"core": "X"}\n')
    with pytest.raises(ParseError, match="line 2 of the trace is no call"):
        replay(path)


def test_an_unknown_instruction_is_named_and_the_rest_runs(tmp_path: Any) -> None:
    path = tmp_path / "trace.jsonl"
    text = gzip.decompress(ENTRIES["batched"]["path"].read_bytes()).decode()
    unknown = '{"core": "AIC0", "op": "Twist", "pipe": "V", "params": {"count": 3}, "site": "x.hpp:7"}\n'
    path.write_text(unknown + text)
    run = replay(path, inputs("batched")[1])
    assert [f.check for f in run.findings] == ["unknown"]
    assert "Twist" in run.findings[0].text
    assert run.findings[0].at[0].site == "x.hpp:7"
    assert difference(ENTRIES["batched"], run.tensors["C"], inputs("batched")[0]) is None


def test_a_trace_of_anything_is_run_or_refused() -> None:
    rng = random.Random(6)
    lines = gzip.decompress(ENTRIES["matmul_add"]["path"].read_bytes()).decode().splitlines()
    values: list[Any] = [0, -1, 3, 255, 65535, 1 << 31, 1 << 70, None, "x", [], {}, 1.5, True]
    ops = ["Mmad", "Fixpipe", "SyncAll", "MutexLock", "Cast", "And", "Relu", "Add"]
    for _ in range(40):
        start = rng.randrange(len(lines) - 60)
        rows = [json.loads(line) for line in lines[start : start + 60]]
        for row in rng.sample(rows, 4):
            name = rng.choice([key for key in row if isinstance(row[key], dict)] or ["op"])
            part, way = row[name], rng.randrange(5)
            if not isinstance(part, dict) or not part or way == 0:
                row["op"], row["pipe"] = rng.choice(ops), rng.choice([row["pipe"], "V"])
            elif "dtype" in part and way == 1:
                part["dtype"] = rng.choice(["float32", "int8", "int4", "uint64"])
            elif "dtype" in part and way == 2:
                row[rng.choice(["src1", "bias", "sel"])] = row.pop(name)
            else:
                part[rng.choice([*part])] = rng.choice(values)
        with contextlib.suppress(TlaError):
            run_program(parse_trace(map(json.dumps, rows)))
