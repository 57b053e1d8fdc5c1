"""``tla hlo``: the buffers of a module, and what is live at its peak."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tla.cli import hlo
from tla.hlo import read_module
from tla.memory import RULES, array_waste, live, module_buffers
from tla.xla_bridge import XlaShape, logical_bytes, parse_shape, physical_bytes, to_layout

from .running import COMMAND, ENVIRONMENT, MODULES, process

if TYPE_CHECKING:
    from .running import Run

NAMES = sorted(path.stem for path in MODULES.glob("*.hlo"))


def path_of(name: str) -> str:
    return str(MODULES / f"{name}.hlo")


def facts_of(run: Run, *arguments: str, **options: bytes) -> dict[str, Any]:
    """What ``--json`` prints."""
    done = run("hlo", *arguments, "--json", **options)
    assert (done.code, done.err) == (0, "")
    facts: dict[str, Any] = json.loads(done.out)
    return facts


def counted(name: str) -> dict[str, int]:
    numbers: dict[str, int] = json.loads((MODULES / f"{name}.json").read_text("utf-8"))
    return numbers


OTHERS = {
    "all", "by", "chip", "executor", "file", "format", "help", "json", "layouts", "limit", "module",
    "opcode", "output", "results", "top", "verify", "width",
}  # fmt: skip
"""The options that are no report on a whole module."""


def test_every_option_is_a_report_or_is_known_to_be_none() -> None:
    parser = hlo._parser()
    assert {action.dest for action in parser._actions} == {"colour", "limit"} | OTHERS | set(hlo._WHOLE)
    assert all(hlo._report_of(name) for name in hlo._WHOLE)


# --- the buffers ---


@pytest.mark.parametrize("name", NAMES)
def test_the_facts_of_each_buffer(run: Run, name: str) -> None:
    facts = facts_of(run, path_of(name), "--chip", name.split("_")[0])
    assert (facts["not_counted"], facts["stopped"], facts["uncalled_computations"]) == ([], None, [])
    for entry in facts["buffers"]:
        shape = parse_shape(entry["xla"], "strict")
        assert isinstance(shape, XlaShape)
        assert entry["xla"] == str(shape)
        assert (entry["tla"], entry["reason"]) == (str(to_layout(shape)), None)
        assert entry["bytes"] == logical_bytes(shape)
        assert entry["physical_bytes"] == physical_bytes(shape)
        assert entry["waste_bytes"] == entry["physical_bytes"] - entry["bytes"]
        assert entry["memory_space"] == shape.memory_space
        factors = [factor._asdict() for factor in array_waste(shape).factors]
        assert entry["factors"] == json.loads(json.dumps(factors))
    assert facts["argument_bytes"] == counted(name)["argument_size_in_bytes"]
    assert facts["output_bytes"] == counted(name)["output_size_in_bytes"]


@pytest.mark.parametrize("name", NAMES)
def test_the_buffers_are_those_of_the_library(run: Run, name: str) -> None:
    module = read_module((MODULES / f"{name}.hlo").read_text("utf-8"))
    buffers = [buffer for each in module_buffers(module) for buffer in each.buffers]
    listed = facts_of(run, path_of(name))["buffers"]
    assert sorted((e["computation"], e["line"], e["opcode"], e["kind"]) for e in listed) == sorted(
        (b.computation, b.line, b.opcode, b.kind) for b in buffers
    )
    order = [(-e["waste_bytes"], -e["physical_bytes"]) for e in listed]
    assert order == sorted(order)


def test_the_table(run: Run) -> None:
    code, out, err = run("hlo", path_of("v5e_int8_matmul"), "--top", "2", "--chip", "v5e")
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "     waste     padded       data  space  kind      buffer   "
        "shape                            why",
        "281.25 KiB  11.72 MiB  11.44 MiB  HBM    result    %fusion  s32[1000,3000]{1,0:T(8,128)}     "
        "dim 1: 3000 -> 3072 (1.02x)",
        "       0 B   2.20 MiB   2.20 MiB  HBM    argument  %b.1     s8[768,3000]{0,1:T(8,128)(4,1)}",
        "",
        "HBM: 3 buffers, 14.65 MiB, of it 281.25 KiB waste",
        "VMEM: 1 buffer, 2.20 MiB, of it 0 B waste",
        "sync flags: 1 buffer, 4 B, of it 0 B waste",
        "arguments 3072000 bytes (2.93 MiB), results 12288000 bytes (11.72 MiB)",
        "5 buffers, 2 listed; 11 arrays have no memory of their own (--all lists them)",
    ]


def test_memory_spaces_have_numbers_without_a_chip(run: Run) -> None:
    out = run("hlo", path_of("v5e_int8_matmul")).out
    assert "S(1): 1 buffer, 2.20 MiB" in out
    assert "VMEM" not in out


def test_thirty_buffers_are_listed_by_default(run: Run) -> None:
    lines = run("hlo", path_of("v5e_attention_train")).out.splitlines()
    assert lines.index("") == 31
    assert lines[-1].startswith("100 buffers, 30 listed; 575 arrays")
    assert len(facts_of(run, path_of("v5e_attention_train"))["buffers"]) == 100
    assert len(facts_of(run, path_of("v5e_attention_train"), "--top", "7")["buffers"]) == 7


def test_nested_layouts_are_shown_on_request(run: Run) -> None:
    out = run("hlo", path_of("v5e_int8_matmul"), "--layouts").out
    head, first, *_ = out.splitlines()
    assert head.split()[-1] == "layout"
    assert first.endswith("  ((_8,_125),(_128,_24)):((_128,_24576),(_1,_1024)):(_1000,_3000)")
    assert first.index("((_8") == head.index("layout")


def test_all_lists_what_has_no_memory(run: Run) -> None:
    out = run("hlo", path_of("v5e_int8_matmul"), "--all").out
    lines = [line.split() for line in out.splitlines()]
    assert ["%copy-done", "s8[768,3000]{0,1:T(8,128)(4,1)S(1)}", "%copy-start{0}", "done"] in lines
    assert ["%param_0", "s8[1000,768]{1,0:T(8,128)(4,1)}", "-", "inside"] in lines
    assert f"done: {RULES['done']}\n" in out
    assert "--all lists them" not in out
    aliases = facts_of(run, path_of("v5e_int8_matmul"), "--all")["aliases"]
    assert len(aliases) == 11
    assert {
        "array": "%copy-done",
        "computation": "main.1",
        "xla": "s8[768,3000]{0,1:T(8,128)(4,1)S(1)}",
        "lies_in": ["%copy-start{0}"],
        "rule": "done",
    } in aliases


def test_packed_elements_are_packed_data(run: Run) -> None:
    """Four bits each: 512 x 1000 take 250 KiB and no padding."""
    listed = facts_of(run, path_of("v5e_int4_dequant"))["buffers"]
    packed = next(e for e in listed if e["xla"].startswith("s4["))
    assert packed["bytes"] == packed["physical_bytes"] == 256000


def test_by_source_and_by_name(run: Run) -> None:
    out = run("hlo", path_of("v5e_attention_train"), "--by", "source", "--top", "2").out
    assert out.splitlines()[:3] == [
        "   padded      waste  buffers  source",
        "72.38 MiB  96.00 KiB        5  model.py:10 (attention_block)",
        "37.25 MiB  32.00 KiB        7  model.py:11 (attention_block)",
    ]
    groups = facts_of(run, path_of("v5e_sort"), "--by", "op_name")["groups"]
    assert [group["name"] for group in groups][:1] == ["jit(sorter)/jit(argsort)/sort"]
    assert sum(group["buffers"] for group in groups) == 17
    copied = facts_of(run, path_of("v5e_attention_train"), "--by", "source")["groups"]
    assert {"p['w1']", "of p['w1']"} <= {group["name"] for group in copied}
    assert "" not in {group["name"] for group in copied}


def test_standard_input(run: Run) -> None:
    path = MODULES / "v5e_pad_window.hlo"
    assert run("hlo", "-", stdin=path.read_bytes()) == run("hlo", str(path))


def test_a_module_of_the_document(run: Run) -> None:
    """shapes.md: an instruction without header, its operands without shapes."""
    text = (
        b"add.936 = bf16[8,1,1280,16384]{3,2,0,1:T(8,128)(2,1)}\n add(exponential.183, broadcast.3115)"
    )
    code, out, _err = run("hlo", "-", "--layouts", stdin=text)
    assert code == 0
    assert "(_8,_1,(_2,_4,_160),(_128,_128)):(_20971520,_0,(_1,_256,_131072),(_2,_1024))" in out


def test_a_shape_without_nested_layout_is_listed_with_the_reason(run: Run) -> None:
    text = b"x = u8[6]{0:T(5)(3,2)} negate(y)"
    (entry,) = facts_of(run, "-", stdin=text)["buffers"]
    layout, reason = entry["tla"], entry["reason"]
    out = run("hlo", "-", "--layouts", stdin=text).out
    assert (f"none ({reason})" if layout is None else layout) in out
    assert (layout is None) != (reason is None)
    assert entry["physical_bytes"] == 18


def test_buffer_shapes_are_arrays(run: Run) -> None:
    (entry,) = facts_of(run, "-", stdin=b"x = b(f32[3]{0:S(1)}) custom-call()")["buffers"]
    assert (entry["xla"], entry["memory_space"], entry["bytes"]) == ("f32[3]{0:S(1)}", 1, 12)


def test_a_bounded_dim_counts_as_its_bound_and_an_unknown_one_not_at_all(run: Run) -> None:
    text = b"x = f32[<=3]{0:T(4)} negate(a)\ny = f32[?] negate(b)"
    code, out, err = run("hlo", "-", stdin=text)
    assert code == 0
    assert out.splitlines()[1].split()[:6] == ["4", "B", "16", "B", "12", "B"]
    assert err == "tla: not counted: y: the size of f32[?]{0} is not known: it has a dim '?'\n"
    facts = facts_of(run, "-", stdin=text)
    assert [(e["bytes"], e["physical_bytes"]) for e in facts["buffers"]] == [(12, 16)]
    assert [each["buffer"] for each in facts["not_counted"]] == ["%y"]


def test_computations_that_nothing_calls_are_told(run: Run) -> None:
    text = b"f { ROOT x = f32[2] parameter(0) }\nENTRY e { ROOT y = f32[2] parameter(0) }\n"
    assert run("hlo", "-", stdin=text).out.endswith(
        "not counted: 1 computation that nothing read here calls\n"
    )
    assert facts_of(run, "-", stdin=text)["uncalled_computations"] == ["f"]


def test_an_opcode_of_a_newer_compiler(run: Run) -> None:
    text = b"x = f32[3] brand-new(y)"
    assert run("hlo", "-", stdin=text).code == 1
    assert run("hlo", "-", "--opcode", "brand-new", stdin=text).code == 0


# --- what is live ---


@pytest.mark.parametrize("name", NAMES)
def test_the_peak_is_the_compilers(run: Run, name: str) -> None:
    chip = name.split("_")[0]
    facts = facts_of(run, path_of(name), "--live", "--chip", chip)
    numbers = counted(name)
    assert facts["compiler_peak_bytes"] == numbers["peak_memory_in_bytes"]
    assert facts["compiler_peak_bytes"] == facts["reserved_bytes"] + facts["simulated_bytes"]
    assert facts["argument_bytes"] == numbers["argument_size_in_bytes"]
    assert facts["output_bytes"] == numbers["output_size_in_bytes"]
    assert facts["alias_bytes"] == numbers["alias_size_in_bytes"]
    found = live(read_module((MODULES / f"{name}.hlo").read_text("utf-8")), chip)
    assert [(p["memory_space"], p["bytes"], p["live"]) for p in facts["peaks"]] == [
        (peak.memory_space, peak.bytes, len(peak.buffers)) for peak in found.peaks
    ]
    assert all(len(p["buffers"]) == p["live"] for p in facts["peaks"])


def test_the_live_tables(run: Run) -> None:
    code, out, err = run("hlo", path_of("v5e_int8_matmul"), "--live", "--chip", "v5e", "--top", "1")
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "HBM: 15360000 bytes (14.65 MiB) at step 1 of 5, %b.1 of main.1",
        "  15360000 bytes (14.65 MiB) of it are live for the whole run",
        "  a v5e has 16911433728 bytes (15.75 GiB): 16896073728 bytes (15.74 GiB) are left",
        "   padded       waste  kind    buffer   shape                         op_name",
        "11.72 MiB  281.25 KiB  result  %fusion  s32[1000,3000]{1,0:T(8,128)}  jit(int8_mm)/dot_general",
        "3 buffers, 1 listed",
        "",
        "VMEM: 2304000 bytes (2.20 MiB) at step 2 of 5, %copy-start of main.1",
        "  padded  waste  kind       buffer          shape                                op_name",
        "2.20 MiB    0 B  temporary  %copy-start{0}  s8[768,3000]{0,1:T(8,128)(4,1)S(1)}",
        "1 buffer",
        "",
        "sync flags: 4 bytes at step 2 of 5, %copy-start of main.1",
        "padded  waste  kind       buffer          shape         op_name",
        "   4 B    0 B  temporary  %copy-start{2}  u32[]{:S(2)}",
        "1 buffer",
        "",
        "VMEM in use: 12050432 bytes (11.49 MiB) at step 5 of 5, %fusion of main.1",
        "  9746432 bytes (9.29 MiB) of it are scoped: the instruction takes them for itself",
        "  a v5e has 134217728 bytes (128.00 MiB): 122167296 bytes (116.51 MiB) are left",
        "",
        "peak_memory_in_bytes as the TPU compiler counts it: 17664000 bytes (16.85 MiB)",
        "  15360000 bytes (14.65 MiB) of arguments, constants and results,",
        "  2304000 bytes (2.20 MiB) of temporaries in the space with most, VMEM",
    ]


def test_a_module_without_tiles_is_not_a_tpus(run: Run) -> None:
    text = b"ENTRY e { p = f32[5,100] parameter(0) ROOT t = (f32[5,100], f32[5,100]) tuple(p, p) }"
    out = run("hlo", "-", "--live", stdin=text).out
    assert "TPU compiler" not in out
    assert "; no array has tiles: it is not a TPU's\n  2016 bytes (1.97 KiB) of" in out
    assert run("hlo", "-", stdin=text).err == ""
    err = run("hlo", "-", "--chip", "v5e", stdin=text).err
    assert err == "tla: no array has tiles: a v5e adds padding that is not in these sizes\n"


def test_what_is_live_by_origin(run: Run) -> None:
    out = run("hlo", path_of("v5e_attention_train"), "--live", "--by", "source").out
    assert " 48.25 MiB  64.00 KiB        3  model.py:10 (attention_block)\n" in out
    facts = facts_of(run, path_of("v5e_attention_train"), "--live", "--by", "op_name", "--top", "2")
    assert [len(peak["groups"]) for peak in facts["peaks"]] == [2, 2, 2]


@pytest.mark.parametrize(("mode", "above"), [([], 1), (["--live"], 3), (["--copies"], 1)])
def test_groups_that_are_left_out_are_counted(run: Run, mode: list[str], above: int) -> None:
    """Above the groups of the first table there are its head, and a peak in two lines."""
    arguments = "hlo", path_of("v5e_embedding"), *mode, "--by", "source"
    whole = run(*arguments, "--top", "1000").out.splitlines()
    groups = whole.index("") - above
    assert groups > 1
    assert f"{groups} groups, 1 listed" in run(*arguments, "--top", "1").out.splitlines()
    assert not any("groups" in line for line in whole)


AGAINST_ITSELF = ["--all", "--against", path_of("v4_scan_rnn")]


@pytest.mark.parametrize("mode", [[], ["--live"], ["--copies"], AGAINST_ITSELF])
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_chip_without_such_a_memory(run: Run, mode: list[str], form: list[str]) -> None:
    code, out, err = run("hlo", path_of("v4_scan_rnn"), *mode, *form, "--chip", "v5e")
    assert (code, err) == (0, "tla: v5e has no known S(3): it is CMEM on v4\n")
    assert "S(3)" in out
    assert run("hlo", path_of("v4_scan_rnn"), *mode, *form, "--chip", "v4").err == ""
    assert run("hlo", path_of("v4_scan_rnn"), *mode, *form).err == ""


def test_the_help_is_no_wider_than_a_terminal(run: Run) -> None:
    for command in ("hlo", "oom"):
        lines = run(command, "--help").out.splitlines()
        assert "examples:" in lines
        assert max(map(len, lines)) <= 100


def test_a_module_that_is_not_scheduled(run: Run) -> None:
    out = run("hlo", "-", "--live", stdin=b"x = f32[3] negate(y)").out
    assert out.startswith("The module is not scheduled: the order of its text is taken.\n")


def test_a_computation_that_runs_twice(run: Run) -> None:
    text = b"""HloModule m

f { ROOT x = f32[8] parameter(0) }
ENTRY e { p = f32[8] parameter(0)
  q = f32[8] call(p), to_apply=f
  ROOT c = f32[8] call(q), to_apply=f }
"""
    assert run("hlo", "-", stdin=text).code == 0
    code, out, err = run("hlo", "-", "--live", stdin=text)
    assert (code, err) == (0, "")
    assert "at step 1 of 5, %p of e" in out


def test_the_memory_over_the_program_order(run: Run) -> None:
    path = path_of("v5e_attention_train")
    out = run("hlo", path, "--live", "--by", "step").out.splitlines()
    assert out[2].split() == ["steps", "most", "at"]
    assert out[3].split() == ["1-7", "30.00", "MiB", "#" * 28, "1"]
    assert out[12].split() == ["64-70", "42.00", "MiB", "#" * 40, "70"]
    for peak in facts_of(run, path, "--live", "--by", "step")["peaks"]:
        parts = peak["parts"]
        assert max(part["bytes"] for part in parts) == peak["bytes"]
        assert [part["first"] for part in parts[1:]] == [part["last"] + 1 for part in parts[:-1]]
        assert (parts[0]["first"], parts[-1]["last"]) == (0, 111)
    assert "--by step is for --live" in run("hlo", path, "--by", "step").err


def test_collectives(run: Run) -> None:
    path = path_of("v5e_x4_tensor_parallel_mlp")
    code, out, err = run("hlo", path, "--collectives")
    assert (code, err) == (0, "")
    assert out.splitlines()[1].split()[:7] == [
        *("6.00", "MiB", "1.50", "MiB", "1", "all-reduce", "%all-reduce"),
    ]  # fmt: skip
    assert out.endswith("all devices together receive 6291456 bytes (6.00 MiB)\n")
    (fact,) = facts_of(run, path, "--collectives")["collectives"]
    assert (fact["groups"], fact["received_bytes"], fact["runs"]) == ([[0, 1, 2, 3]], 1572864, 1)
    assert run("hlo", path_of("v5e_sort"), "--collectives").out == "no collectives\n"
    assert run("hlo", path, "--collectives", "--svg").code == 2
    assert run("hlo", path, "--collectives", "--all").code == 2


# --- what is wrong ---


def refused(run: Run, path: Path | str, *arguments: str) -> str:
    """The error of a file that is no module."""
    code, out, err = run("hlo", str(path), *arguments)
    assert (code, out) == (1, "")
    return err


def test_a_missing_file(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "none.hlo"
    assert refused(run, path) == f"tla: error: cannot read {path}: No such file or directory\n"


def test_a_directory(run: Run, tmp_path: Path) -> None:
    assert f"tla: error: {tmp_path} has no text of a compiled module\n" in refused(run, tmp_path)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"\x7fELF\xff\xfe", "is not text: byte 4 is not UTF-8"),
        (b"\0\0\0\0", "is not text: it holds a zero byte"),
        (b"abc\xe2\x82", "is not text: byte 3 is not UTF-8"),
    ],
)
@pytest.mark.parametrize("mode", [(), ("--live",), ("--json",)])
def test_a_file_that_is_no_text(
    run: Run, tmp_path: Path, data: bytes, why: str, mode: tuple[str, ...]
) -> None:
    path = tmp_path / "binary"
    path.write_bytes(data)
    assert refused(run, path, *mode) == f"tla: error: {path} {why}\n"


@pytest.mark.parametrize("text", ["a text about shapes\n", "def f(x):\n    return x[0]\n"])
@pytest.mark.parametrize("mode", [(), ("--live",)])
def test_a_file_that_is_no_module(run: Run, tmp_path: Path, text: str, mode: tuple[str, ...]) -> None:
    path = tmp_path / "text"
    path.write_text(text, "utf-8")
    assert refused(run, path, *mode).startswith(f"tla: error: {path} is no HLO module\n")


@pytest.mark.parametrize("name", ["hlo", "index", "convert"])
def test_an_empty_file(run: Run, tmp_path: Path, name: str) -> None:
    path = tmp_path / "text"
    for text in ("", "\n \n"):
        path.write_text(text, "utf-8")
        given = f"{path}:%x" if name == "convert" else str(path)
        assert run(name, given).err == f"tla: error: {path} is empty\n"
        assert run(name, "-", stdin=text.encode()).err.startswith(
            "tla: error: standard input is empty\n"
        )


def test_standard_input_that_is_no_text(run: Run) -> None:
    code, _out, err = run("hlo", "-", stdin=b"\xff")
    assert (code, err) == (1, "tla: error: standard input is not text: byte 0 is not UTF-8\n")


def cut(name: str, before: str, rest: bytes = b"") -> tuple[bytes, int]:
    """A module up to a text in it, and the line of that."""
    text = (MODULES / f"{name}.hlo").read_bytes()
    at = text.index(before.encode())
    return text[:at] + rest, text.count(b"\n", 0, at) + 1


def test_a_truncated_module(run: Run) -> None:
    data, line = cut("v5e_scan_rnn", "custom-call(), custom_call_target=")
    code, out, err = run("hlo", "-", stdin=data)
    assert code == 1
    assert "%copy.15" in out
    assert out.endswith("not counted: 2 computations that nothing read here calls\n")
    first, *_ = err.splitlines()
    assert first == f"tla: error: standard input ends in line {line}, inside its module: it is cut short"
    assert f"line {line}, column" in err
    done = run("hlo", "-", "--json", stdin=data)
    assert done.code == 1
    facts = json.loads(done.out)
    assert facts["stopped"]["line"] == line
    assert [e["buffer"] for e in facts["buffers"] if e["opcode"] == "copy"] == ["%copy.15"]


def test_a_module_that_turns_binary(run: Run) -> None:
    data, _line = cut("v5e_scan_rnn", "custom-call(), custom_call_target=", b"\xff\xfe\0")
    code, out, err = run("hlo", "-", stdin=data)
    assert code == 1
    assert "%copy.15" in out
    at = data.index(b"\xff")
    assert err.startswith(f"tla: error: standard input is not text: byte {at} is not UTF-8\n")
    assert "instructions before were read." in err


def test_bytes_behind_a_module(run: Run) -> None:
    data = (MODULES / "v5e_scan_rnn.hlo").read_bytes()
    code, out, err = run("hlo", "-", stdin=data + b"\0")
    assert code == 1
    assert out == run("hlo", path_of("v5e_scan_rnn")).out
    assert err == "tla: error: standard input is not text: it holds a zero byte\n"


@pytest.mark.parametrize("mode", [["--live"], ["--copies"], ["--against", path_of("v5e_scan_rnn")]])
@pytest.mark.parametrize("form", [[], ["--json"], ["--top", "3"]])
def test_what_needs_the_whole_module_says_so(run: Run, mode: list[str], form: list[str]) -> None:
    """And prints no other report in its place."""
    data, line = cut("v5e_scan_rnn", "ROOT %while.9")
    code, out, err = run("hlo", "-", *mode, *form, stdin=data)
    assert (code, out) == (1, "")
    assert err.startswith(f"tla: error: standard input ends in line {line}, inside its module")
    assert err.endswith(
        f"  {mode[0]} needs the whole module; without it the buffers of what was read are listed.\n"
    )
    assert "instructions before were read." in err


def test_nothing_to_list_is_no_table(run: Run) -> None:
    """Only fusions were read: their values are no buffers before something calls them."""
    data, _line = cut("v5e_conv_net", "ENTRY", b"ENTRY %main")
    for form in ([], ["--by", "source"], ["--all"]):
        code, out, err = run("hlo", "-", *form, stdin=data)
        assert code == 1
        assert (out == "") == (form != ["--all"])
        assert "waste" not in out
        assert err.startswith("tla: error: ")


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ([], "the following arguments are required: FILE"),
        (["a", "b", "--live"], "--live is for one module, without --executor and --results"),
        (["a", "--executor", "dask", "-o", "x.svg"], "--output does not go with --file"),
        (["a", "--top", "0"], "argument --top: needs a positive number"),
        (["a", "--top", "-1"], "argument --top: needs a positive number"),
        (["a", "--top", "x"], "argument --top: needs a positive number, not 'x'"),
        (["a", "--live", "--all"], "--all changes nothing with --live: leave it out"),
        (["a", "--by", "source", "--layouts"], "--layouts changes nothing with --by"),
        (["a", "--opcode", "foo bar"], "argument --opcode: takes the name of one opcode, not 'foo bar'"),
        (["a", "-o", ""], "argument -o/--output: takes the name of a file, or - for standard output"),
        (["a", "--by", "x"], "argument --by: invalid choice: 'x'"),
    ],
)
def test_wrong_command_line(run: Run, arguments: list[str], error: str) -> None:
    code, out, err = run("hlo", *arguments)
    assert (code, out) == (2, "")
    assert f"tla hlo: error: {error}" in err


def test_an_unknown_chip(run: Run) -> None:
    code, out, err = run("hlo", path_of("v5e_sort"), "--chip", "v0")
    assert (code, out) == (1, "")
    assert err.startswith("tla: error: there is no TPU 'v0'\n")


# --- as a process ---


def test_as_a_process() -> None:
    path = MODULES / "v5e_attention_block.hlo"
    done = process("hlo", str(path))
    assert (done.code, done.err) == (0, "")
    assert "55 buffers, 30 listed; 219 arrays have no memory of their own" in done.out
    assert process("hlo", "-", stdin=path.read_bytes()) == done


def test_a_pipe_with_a_name(tmp_path: Path) -> None:
    pipe, path = tmp_path / "pipe", MODULES / "v5e_sort.hlo"
    os.mkfifo(pipe)
    with subprocess.Popen(
        [*COMMAND, "hlo", str(pipe)], stdout=subprocess.PIPE, env=ENVIRONMENT, text=True
    ) as command:
        pipe.write_bytes(path.read_bytes())
        out, _ = command.communicate(timeout=60)
    assert out == process("hlo", str(path)).out


LARGE = """\
import sys
from pathlib import Path
from tla.cli import main
def peak():
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
main(["hlo", sys.argv[1], "--live"])
before = peak()
main(["hlo", sys.argv[2], "--top", "1"])
print(before, peak(), file=sys.stderr)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="asks Linux for the peak")
def test_a_large_module_takes_little_memory(tmp_path: Path) -> None:
    """Two thousand fusions, 24 MB: reading them takes less memory than their text."""
    path = tmp_path / "large.hlo"
    shape, signature = "f32[1000,1000]{1,0:T(8,128)}", "f32[1000,1000]) -> f32[1000,1000] {\n"
    note = f'metadata={{op_name="{"x" * 6000}"}}'
    with path.open("w") as file:
        file.write("HloModule large, is_scheduled=true\n\n")
        for n in range(2000):
            file.write(f"%f{n} (p{n}: {signature}")
            file.write(f"  %p{n} = {shape} parameter(0)\n")
            file.write(f"  ROOT %r{n} = {shape} negate(%p{n}), {note}\n}}\n\n")
        file.write(f"ENTRY %main (x0: {signature}")
        file.write(f"  %x0 = {shape} parameter(0)\n")
        for n in range(2000):
            root = "ROOT " * (n == 1999)
            fusion = f'fusion(%x{n}), kind=kLoop, calls=%f{n}, backend_config={{"y":"{"y" * 2000}"}}'
            file.write(f"  {root}%x{n + 1} = {shape} {fusion}\n")
        file.write("}\n")
    done = subprocess.run(
        [sys.executable, "-c", LARGE, path_of("v5e_sort"), str(path)],
        capture_output=True,
        env=ENVIRONMENT,
        check=True,
        text=True,
        timeout=300,
    )
    assert "2001 buffers, 1 listed; 4000 arrays have no memory of their own" in done.stdout
    before, after = map(int, done.stderr.split())
    assert 1024 * (after - before) < path.stat().st_size


def test_a_stand_in_for_standard_input(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that holds text, as some tests and notebooks have."""
    from tla.cli.module_text import ModuleText

    monkeypatch.setattr("sys.stdin", io.StringIO("x = f32[2] negate(y)"))
    text = ModuleText("-")
    assert "".join(text.pieces()) == "x = f32[2] negate(y)"
    assert "".join(text.pieces()) == "x = f32[2] negate(y)"
    text.close()
    assert run("hlo", "-", stdin="\ufeffx = f32[2] negate(y)".encode()).code == 0


def test_of_stablehlo_the_parameters_and_results_are_listed(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "lowered.mlir"
    path.write_text(
        "module @jit_f {\n  func.func public @main(%arg0: tensor<5000x3xf32>) -> tensor<3xf32> {\n"
    )
    code, out, err = run("hlo", str(path), "--chip", "v5e", "--json")
    facts = json.loads(out)
    assert (code, [each["buffer"] for each in facts["buffers"]]) == (0, ["%arg0", "%result"])
    assert facts["buffers"][0]["xla"] == "f32[5000,3]{0,1:T(4,128)}"
    assert err == (
        f"tla: {path} is not compiled yet: these are its parameters and results in the default layouts"
        " of a v5e; compiled.as_text() has the rest\n"
    )
    assert run("hlo", "-", "--chip", "v5e", "--json", stdin=path.read_bytes()).out == out
    for option in ("--live", "--copies"):
        code, _out, err = run("hlo", str(path), option)
        assert (code, err.splitlines()[1]) == (1, "  It is of what is compiled: compiled.as_text().")
    path.write_bytes(b"ML\xefR\x00\x01")
    assert "is bytecode of MLIR\n  Print it: lowered.as_text()" in run("hlo", str(path)).err
