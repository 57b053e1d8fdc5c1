"""``tla hlo --copies`` and ``--against``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from .running import MODULES

if TYPE_CHECKING:
    from pathlib import Path

    from .running import Run

PAIRS = MODULES.parent / "copies"
EMBEDDING, ADVISED = str(PAIRS / "embedding.hlo"), str(PAIRS / "embedding.advised.hlo")


def test_the_table_of_copies(run: Run) -> None:
    code, out, err = run("hlo", EMBEDDING, "--copies", "--top", "2", "--chip", "v5e")
    assert (code, err) == (0, "")
    assert [line.split() for line in out.splitlines()[:3]] == [
        ["cycles", "read", "written", "run", "kind", "copy", "from", "to", "source"],
        [
            *(
                "22160",
                "5.94",
                "MiB",
                "7.32",
                "MiB",
                "1",
                "relayout",
                "and",
                "space",
                "move",
                "HBM",
                "to",
                "VMEM",
            ),
            *("%copy.4", "f32[5000,300]{0,1:T(8,128)}", "f32[5000,300]{1,0:T(8,128)S(1)}", "t"),
        ],
        [
            *("5520", "2.25", "MiB", "1.59", "MiB", "128", "relayout", "and", "space", "move"),
            *(
                "VMEM",
                "to",
                "HBM",
                "%copy.5",
                "f32[64,17,300]{2,1,0:T(8,128)S(1)}",
                "f32[64,17,300]{2,0,1:T(8,128)}",
            ),
            *("model.py:14", "(embed)"),
        ],
    ]
    assert (
        "%copy.4 needs no relayout: parameter 0 (t) as f32[5000,300]{1,0:T(8,128)};"
        " its space move stays\n"
        "    Format(Layout(major_to_minor=(0, 1), tiling=((8, 128),)), sharding)\n"
        "    saves up to 22160 estimated cycles\n"
        "    its memory grows by 1.39 MiB to 7.32 MiB, 1.2 times; the space move moves as much more\n"
    ) in out
    assert "%copy.5 needs no relayout: result as f32[64,17,300]{2,1,0:T(8,128)}" in out
    assert "relayout and space move: 2, 8.19 MiB read, 8.92 MiB written" in out
    assert "relayout: 3, 1.64 MiB read" in out
    assert "100 cycles estimated; 2 more in fusions\n" in out
    assert "free: 2 in fusions only\n" in out
    assert out.splitlines()[-2:] == [
        "5 copies, 2 listed",
        "not listed, as nothing is moved: 4 copies (--all lists them)",
    ]


def test_the_price_of_advice_is_said(run: Run) -> None:
    """The parameter would grow from 2.63 to 49 MiB. A copy that is part of a fusion saves nothing."""
    out = run("hlo", str(MODULES / "v5e_conv_net.hlo"), "--copies").out
    assert out.count("no relayout") == 1
    assert out[out.index("%copy needs no") :].splitlines()[2:4] == [
        "    saves up to 117544 estimated cycles",
        "    costly: its memory grows by 46.38 MiB to 49.00 MiB, 18.7 times;"
        " the space move moves as much more",
    ]


def test_costly_advice_is_the_last(run: Run) -> None:
    out = run("hlo", str(PAIRS / "gathers.hlo"), "--copies").out
    places = [out.index(f"%{name} needs no") for name in ("copy.3", "copy.2", "copy.1")]
    assert places == sorted(places)
    assert out.count("costly: ") == 2
    assert out.count("    take it together with parameter 0 (a): alone it saves less\n") == 1


def test_a_donated_parameter_and_its_result_are_one_advice(run: Run) -> None:
    out = run("hlo", str(PAIRS / "donated.hlo"), "--copies").out
    line, _other = (line for line in out.splitlines() if "no relayout" in line)
    assert line == (
        "%copy.1, %copy.3 need no relayout: parameter 0 (t) and result as f32[100000,64]{1,0:T(8,128)};"
        " the space move stays"
    )
    assert "    saves up to 201600 estimated cycles\n" in out
    assert "    set both: " in out


def test_the_risk_of_advice_is_said(run: Run) -> None:
    text = b"""ENTRY e { p = f32[16,256]{1,0:T(8,128)} parameter(0)
  c = f32[16,256]{0,1:T(8,128)} copy(p)
  n = f32[16,16]{1,0:T(8,128)} dot(p, p), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  ROOT t = (f32[16,256]{0,1:T(8,128)}, f32[16,16]{1,0:T(8,128)}) custom-call(c, n) }"""
    out = run("hlo", "-", "--copies", stdin=text).out
    assert "    risk: other instructions read the parameter as it is now\n    also read by %n\n" in out


def test_what_a_fusion_does_inside_has_no_sizes(run: Run) -> None:
    out = run("hlo", str(MODULES / "v5e_conv_net.hlo"), "--copies", "--all").out
    line, *_ = (line for line in out.splitlines() if "relayout (in a fusion)" in line)
    assert line.split()[:3] == ["1", "relayout", "(in"]


def test_a_loop_of_unknown_turns_counts_once(run: Run) -> None:
    text = b"""HloModule m
body { s = (f32[16,256]{1,0:T(8,128)}) parameter(0)
  w = f32[16,256]{1,0:T(8,128)} get-tuple-element(s), index=0
  c = f32[16,256]{0,1:T(8,128)} copy(w)
  ROOT r = (f32[16,256]{1,0:T(8,128)}) tuple(w) }
cond { s.1 = (f32[16,256]{1,0:T(8,128)}) parameter(0)
  ROOT lt = pred[] custom-call(s.1), custom_call_target="x" }
ENTRY e { w.1 = f32[16,256]{1,0:T(8,128)} parameter(0)
  t = (f32[16,256]{1,0:T(8,128)}) tuple(w.1)
  ROOT l = (f32[16,256]{1,0:T(8,128)}) while(t), condition=cond, body=body }
"""
    out = run("hlo", "-", "--copies", stdin=text).out
    assert "relayout (in a loop, turns unknown: counted once)" in out
    assert "    saves 144.00 KiB read and written\n" in out


def test_no_copies(run: Run) -> None:
    done = run("hlo", "-", "--copies", stdin=b"x = f32[2] negate(y)")
    assert done == (0, "no copies\n", "")


def test_what_is_free_is_listed_on_request(run: Run) -> None:
    path = str(MODULES / "v5e_bools.hlo")
    assert "free: part" not in run("hlo", path, "--copies").out
    out = run("hlo", path, "--copies", "--all").out
    assert out.count("free: part") == 2
    assert "free: reshape" in out


def test_a_duplicate_of_a_parameter(run: Run) -> None:
    out = run("hlo", str(PAIRS / "update.hlo"), "--copies").out
    assert "%copy.4 may go: donate parameter 0 (t)" in out
    assert "may go" not in run("hlo", str(PAIRS / "update.advised.hlo"), "--copies").out


def test_a_copy_in_a_loop_and_one_in_a_fusion_say_so(run: Run) -> None:
    out = run("hlo", str(MODULES / "v5e_scan_rnn.hlo"), "--copies", "--all").out
    kinds = {line.split("%")[1].split()[0]: line for line in out.splitlines() if "  %copy" in line}
    assert "duplicate (50 times)" in kinds["copy.25"]
    assert "relayout (in a fusion)" in kinds["copy.12"]
    assert "(in a" not in kinds["copy.15"]


def test_by_source(run: Run) -> None:
    code, out, err = run("hlo", EMBEDDING, "--copies", "--by", "source")
    assert (code, err) == (0, "")
    lines = [line.split() for line in out.splitlines()[:3]]
    assert lines[0] == ["cycles", "written", "copies", "source"]
    assert lines[1] == ["22160", "7.32", "MiB", "1", "t"]  # as in the table of copies
    assert lines[2][-3:] == ["4", "model.py:14", "(embed)"]
    assert "t" in run("hlo", EMBEDDING, "--copies", "--by", "op_name").out.split()


def test_copies_as_data(run: Run) -> None:
    code, out, err = run("hlo", EMBEDDING, "--copies", "--json")
    assert (code, err) == (0, "")
    facts = json.loads(out)
    first = facts["copies"][0]
    assert first == {
        "instruction": "copy.4",
        "computation": "main.1",
        "opcode": "copy",
        "line": first["line"],
        "kind": "relayout and space move",
        "proof": None,
        "from": "f32[5000,300]{0,1:T(8,128)}",
        "to": "f32[5000,300]{1,0:T(8,128)S(1)}",
        "array": "t",
        "in_fusion": False,
        "in_loop": False,
        "runs": 1,
        "read_bytes": 6225920,
        "written_bytes": 7680000,
        "padded_bytes": 1680000,
        "run_elements": 1,
        "estimated_cycles": 22160,
        "op_name": "t",
        "source": "",
        "advice": [
            {
                "what": "parameter",
                "parameter": 0,
                "result": None,
                "name": "t",
                "present": "f32[5000,300]{0,1:T(8,128)}",
                "layout": "f32[5000,300]{1,0:T(8,128)}",
                "jax": "Format(Layout(major_to_minor=(0, 1), tiling=((8, 128),)), sharding)",
                "reason": None,
                "stays": "space move",
                "copies": ["copy.4"],
                "memory_change": 7680000 - 6225920,
                "is_costly": False,
                "saves_bytes": 6225920 - 7680000,
                "saves_cycles": 22160,
                "other_users": [],
                "together": [],
                "risk": None,
            }
        ],
    }
    assert sum(total["copies"] + total["inside"] for total in facts["totals"]) == len(facts["copies"])


@pytest.mark.parametrize("path", sorted(MODULES.glob("*.hlo")), ids=lambda path: str(path.stem))
def test_every_module(run: Run, path: Path) -> None:
    code, out, err = run("hlo", str(path), "--copies", "--json")
    assert (code, err) == (0, "")
    assert all(copy["kind"] != "undecided" for copy in json.loads(out)["copies"])
    code, out, err = run("hlo", str(path), "--against", str(path))
    assert (code, err) == (0, "")
    assert "nothing changed; " in out


def test_what_changed(run: Run) -> None:
    code, out, err = run("hlo", ADVISED, "--against", EMBEDDING)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == f"from {EMBEDDING} to {ADVISED}"
    assert ["31455", "3775", "-27680", "estimated", "cycles"] in [line.split() for line in lines]
    assert "parameter 0 (t) changed from {0,1:T(8,128)} to {1,0:T(8,128)}" in lines
    assert "2 copies (8.92 MiB) are gone: copy.4, copy.5" in lines
    change = "f32[64,17,300]{2,1,0:T(8,128)S(1)} -> f32[64,17,300]{2,1,0:T(8,128)}"
    assert (
        lines[lines.index("1 reshape (2.25 MiB) changed: reshape.1") + 1] == f"    %reshape.1: {change}"
    )
    assert lines[-1] == "21 instructions as before"


def test_what_changed_within_fusions(run: Run) -> None:
    arguments = "hlo", str(PAIRS / "fp8.advised.hlo"), "--against", str(PAIRS / "fp8.hlo")
    out = run(*arguments).out
    assert "within fusions changed (--all lists them)" in out
    assert "2 copies within fusions are gone: copy.1, copy.2" not in out
    assert "2 copies within fusions are gone: copy.1, copy.2" in run(*arguments, "--all").out


def test_what_changed_as_data(run: Run) -> None:
    code, out, err = run("hlo", ADVISED, "--against", EMBEDDING, "--json")
    assert (code, err) == (0, "")
    facts = json.loads(out)
    assert facts["unchanged"] == 21
    assert facts["shapes"][0]["before"] == "f32[5000,300]{0,1:T(8,128)}"
    assert facts["shapes"][0]["differences"]
    gone = facts["groups"][0]
    assert (gone["what"], gone["opcode"], gone["bytes"]) == ("gone", "copy", 9351168)
    assert [each["before"]["name"] for each in gone["instructions"]] == ["copy.4", "copy.5"]
    assert [each["after"] for each in gone["instructions"]] == [None, None]
    totals = {(each["name"], each["unit"]): each for each in facts["totals"]}
    assert totals["instructions", ""] == {
        **{"name": "instructions", "unit": "", "memory_space": None},
        **{"before": 24, "after": 23, "change": -1},
    }
    assert totals["buffers in S(1)", "bytes"]["memory_space"] == 1


def test_what_changed_names_the_memories_of_the_chip(run: Run) -> None:
    lines = run("hlo", ADVISED, "--against", EMBEDDING, "--chip", "v5e").out.splitlines()
    names = [line.split("  ")[-1].strip() for line in lines[2 : lines.index("")]]
    assert names[2:8] == [
        *("compiler's peak", "peak of HBM", "peak of sync flags"),
        *("buffers in HBM", "buffers in VMEM", "buffers in sync flags"),
    ]
    assert "copies, relayout and space move" in names


def test_standard_input_on_either_side(run: Run) -> None:
    text = (PAIRS / "embedding.hlo").read_bytes()
    assert run("hlo", "-", "--copies", stdin=text).out == run("hlo", EMBEDDING, "--copies").out
    out = run("hlo", ADVISED, "--against", "-", stdin=text).out
    assert out.splitlines()[1:] == run("hlo", ADVISED, "--against", EMBEDDING).out.splitlines()[1:]


# --- bad input --------------------------------------------------------------------------------


def test_unknown_sizes(run: Run) -> None:
    text = b"ENTRY e { p = f32[?,4]{1,0} parameter(0)\n ROOT c = f32[?,4]{0,1} copy(p) }"
    code, out, err = run("hlo", "-", "--against", EMBEDDING, "--json", stdin=text)
    assert (code, err) == (0, "")
    totals = {total["name"]: total for total in json.loads(out)["totals"]}
    assert (totals["arguments"]["after"], totals["arguments"]["change"]) == (None, None)
    code, out, err = run("hlo", "-", "--copies", "--json", stdin=text)
    assert (code, err, json.loads(out)["copies"]) == (0, "", [])


def test_the_other_module_is_none(run: Run, tmp_path: Path) -> None:
    other = tmp_path / "other.hlo"
    other.write_text("no module")
    code, out, err = run("hlo", EMBEDDING, "--against", str(other))
    assert (code, out) == (1, "")
    assert err.startswith(f"tla: error: {other} is no whole HLO module")
    code, _out, err = run("hlo", EMBEDDING, "--against", str(tmp_path / "missing.hlo"))
    assert code == 1
    assert "cannot read" in err


def test_one_report_at_a_time(run: Run) -> None:
    code, _out, err = run("hlo", EMBEDDING, "--copies", "--live")
    assert code == 2
    assert "not allowed with" in err


def test_a_line_without_an_entry(run: Run) -> None:
    line = b"c = f32[16,256]{0,1:T(8,128)} copy(f32[16,256]{1,0:T(8,128)} p)"
    code, out, _err = run("hlo", "-", "--copies", stdin=line)
    assert code == 0
    assert "relayout" in out
