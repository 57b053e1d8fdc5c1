"""``tla index``: the maps of instructions, maps simplified, layouts as maps."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tla.hlo import read_module
from tla.indexing import input_to_output, inverse, output_to_input, parse_map, simplify
from tla.indexing.layouts import from_layout
from tla.read import read
from tla.xla_bridge import XlaShape, parse_shape, physical_offset

from .running import MODULES, process

if TYPE_CHECKING:
    from pathlib import Path

    from .running import Run

BROADCAST = "b = f32[10,20,30] broadcast(f32[20] x), dimensions={1}"
UNKNOWN = 'u = f32[3] custom-call(f32[4] y), custom_call_target="f"'
MAP = "(d0, d1) -> (d0 + d1 floordiv 16, d1 mod 16), domain: d0 in [0, 6], d1 in [0, 14]"
SIMPLE = "(d0, d1) -> (d0, d1), domain: d0 in [0, 6], d1 in [0, 14]"


def facts(run: Run, *arguments: str, **options: bytes) -> dict[str, Any]:
    """What ``--json`` prints."""
    done = run("index", *arguments, "--json", **options)
    assert (done.code, done.err) == (0, "")
    found: dict[str, Any] = json.loads(done.out)
    return found


def failed(run: Run, *arguments: str, **options: bytes) -> str:
    """The message of a command that ends with 1."""
    done = run("index", *arguments, **options)
    assert (done.code, done.out) == (1, "")
    return done.err


# --- instructions ---


def test_an_instruction(run: Run) -> None:
    assert run("index", BROADCAST) == (
        0,
        "%b = f32[10,20,30]{2,1,0} broadcast\n"
        "  output -> operand 0, %x f32[20]{0}\n"
        "    (d0, d1, d2) -> (d1), domain: d0 in [0, 9], d1 in [0, 19], d2 in [0, 29]\n",
        "",
    )
    assert run("index", BROADCAST, "--to-output") == (
        0,
        "%b = f32[10,20,30]{2,1,0} broadcast\n"
        "  operand 0 -> output, %b f32[10,20,30]{2,1,0}\n"
        "    (d0)[s0, s1] -> (s0, d0, s1), domain: d0 in [0, 19], s0 in [0, 9], s1 in [0, 29]\n",
        "",
    )


def test_what_is_read_while_the_program_runs(run: Run) -> None:
    line = "s = f32[2,3] dynamic-slice(f32[5,3] x, s32[] i, s32[] j), dynamic_slice_sizes={2,3}"
    out = run("index", line).out.splitlines()
    assert out[2:6] == [
        "    (d0, d1){rt0, rt1} -> (d0 + rt0, d1 + rt1), domain: d0 in [0, 1], d1 in [0, 2],"
        " rt0 in [0, 3], rt1 in [0, 0]",
        "    runtime variables:",
        "      rt0: %i; (d0, d1) -> (), clamp [0, 3]",
        "      rt1: %j; (d0, d1) -> (), clamp [0, 0]",
    ]
    (m,) = facts(run, line)["instructions"][0]["accesses"][0]["maps"]
    assert m["runtime"][0] == {
        "name": "rt0",
        "lower": 0,
        "upper": 3,
        "source": {"instruction": "i", "indices": [], "clamp": [0, 3]},
    }
    old = run("index", line, "--form", "old").out
    assert "    s0 in [0, 3]\n    hlo: i\n    (d0, d1) -> ()\n" in old
    assert "runtime variables" not in old


@pytest.mark.parametrize("to_output", [False, True])
@pytest.mark.parametrize("name", ["v5e_pad_window", "v5e_dynamic_slices", "v4_sort", "v5e_conv_net"])
def test_the_maps_of_a_module_are_those_of_the_library(run: Run, name: str, to_output: bool) -> None:
    """And each text reads back to the map."""
    path = MODULES / f"{name}.hlo"
    module = read_module(path.read_text("utf-8"))
    options = ["--all", "--to-output"] if to_output else ["--all"]
    found = facts(run, str(path), *options)
    assert found["not_supported"] == {}
    for each in found["instructions"]:
        instruction = module.computation(each["computation"]).instruction(each["name"])
        for access in each["accesses"]:
            o, i = access["output"], access["operand"]
            maps = (
                input_to_output(instruction, i)[o] if to_output else output_to_input(instruction, o)[i]
            )
            assert [parse_map(m["text"]) for m in access["maps"]] == maps
            for m, shown in zip(maps, access["maps"], strict=True):
                assert len(shown["results"]) == len(m.results)
                assert [(v["lower"], v["upper"]) for v in shown["dims"]] == [
                    (v.bounds.lower, v.bounds.upper) for v in m.dims
                ]
                assert len(shown["constraints"]) == len(m.constraints)


def test_the_root_of_the_entry_and_of_a_tuple_what_makes_its_elements(run: Run) -> None:
    found = facts(run, str(MODULES / "v4_sort.hlo"))["instructions"]
    assert [each["name"] for each in found] == ["sort.8", "sort.1"]
    found = facts(run, "a = f32[3] negate(f32[3] x)\nb = f32[3] negate(a)")["instructions"]
    assert [(each["name"], each["computation"]) for each in found] == [("b", "_")]
    assert run("index", "x = f32[3] parameter(0)").out.endswith("  reads no operand\n")


def test_an_instruction_by_name(run: Run) -> None:
    path = str(MODULES / "v4_sort.hlo")
    for name in ("sort.8", "%sort.8"):
        assert run("index", path, "--instruction", name).out.startswith("%sort.8 = (")
    inner = next(
        (computation.name, each.name)
        for computation in read_module((MODULES / "v4_sort.hlo").read_text("utf-8")).computations
        for each in computation.instructions
        if not computation.is_entry and each.operands
    )
    (found,) = facts(run, path, "--instruction", inner[1])["instructions"]
    assert (found["computation"], found["name"]) == inner
    assert failed(run, path, "--instruction", "sort.9").startswith(
        "tla: error: computation main.5 has no instruction sort.9\n"
    )


def test_all_instructions_and_those_that_have_no_map(run: Run) -> None:
    text = f"{UNKNOWN}\nn = f32[3] negate(u)"
    done = run("index", text, "--all")
    assert done.code == 0
    assert done.out.splitlines() == [
        "%u = f32[3]{0} custom-call",
        "  not supported: what its target f reads is not known",
        "",
        "%n = f32[3]{0} negate",
        "  output -> operand 0, %u f32[3]{0}",
        "    (d0) -> (d0), domain: d0 in [0, 2]",
        "",
        "2 instructions, 1 with maps",
        "1 not supported: custom-call 1",
    ]
    found = facts(run, text, "--all")
    assert found["not_supported"] == {"custom-call": 1}
    assert found["instructions"][0]["reason"] == "what its target f reads is not known"


def test_alone_it_is_an_error(run: Run) -> None:
    assert failed(run, UNKNOWN) == (
        "tla: error: instruction u: op custom-call is not supported because"
        " what its target f reads is not known\n"
    )


def test_through_a_computation(run: Run) -> None:
    transpose = "t = f32[9,9] transpose(p), dimensions={1,0}"
    text = f"f {{ p = f32[9,9] parameter(0) {transpose} ROOT a = f32[9,9] add(p, t) }}"
    domain = "domain: d0 in [0, 8], d1 in [0, 8]"
    assert run("index", text, "--through").out.splitlines()[1:] == [
        "  output -> parameter 0, %p f32[9,9]{1,0}",
        f"    (d0, d1) -> (d0, d1), {domain}",
        f"    (d0, d1) -> (d1, d0), {domain}",
    ]
    back = facts(run, text, "--through", "--to-output")["instructions"][0]["accesses"]
    assert [m["results"] for m in back[0]["maps"]] == [["d0", "d1"], ["d1", "d0"]]
    unknown = f"f {{ {UNKNOWN} ROOT n = f32[3] negate(u) }}"
    assert "not known: " in run("index", unknown, "--through").out


def test_arrays_that_are_not_read(run: Run) -> None:
    line = "t = (f32[2], f32[3]) tuple(f32[2] x, f32[3] y)"
    (found,) = facts(run, line, "--instruction", "t")["instructions"]
    assert [(x["output"], x["operand"], len(x["maps"])) for x in found["accesses"]] == [
        (0, 0, 1), (1, 1, 1),
    ]  # fmt: skip
    line = "s = f32[2] add-dependency(f32[2] x, token[] y)"
    assert "  output -> operand 1, %y token[]\n    not read\n" in run("index", line).out


def test_a_tuple_of_many_arrays_takes_a_step_for_each(run: Run, tmp_path: Path) -> None:
    n = 3000
    file = tmp_path / "many.hlo"
    names = ", ".join(f"p{i}" for i in range(n))
    lines = "".join(f"  p{i} = f32[3] parameter({i})\n" for i in range(n))
    shape = ", ".join(["f32[3]"] * n)
    file.write_text(f"HloModule m\n\nENTRY e {{\n{lines}  ROOT t = ({shape}) tuple({names})\n}}\n")
    for options in ([], ["--to-output"]):
        (found,) = facts(run, str(file), *options)["instructions"]
        assert [(x["output"], x["operand"]) for x in found["accesses"]] == [(i, i) for i in range(n)]


GATHER = "g = f32[8] all-gather(f32[2] x), dimensions={0}, replica_groups={{0,1,2,3}}"


def test_elements_of_other_replicas(run: Run) -> None:
    assert run("index", GATHER).out.splitlines()[2:] == [
        "    (d0){replica} -> (d0 mod 2), domain: d0 in [0, 7], replica in [0, 3]",
        "    runtime variables:",
        "      replica: @replica; (d0) -> ()",
        "    replica id: (d0) -> (d0 floordiv 2)",
    ]
    (m,) = facts(run, GATHER)["instructions"][0]["accesses"][0]["maps"]
    assert m["replica"] == "d0 floordiv 2"


# --- on to memory ---


def test_physical_offsets(run: Run) -> None:
    shape = parse_shape("f32[16,256]{1,0:T(8,128)}")
    assert isinstance(shape, XlaShape)
    line = f"t = f32[256,16] transpose({shape} x), dimensions={{1,0}}"
    (access,) = facts(run, line, "--physical")["instructions"][0]["accesses"]
    (m,) = access["maps"]
    assert (m["layout"], m["offset"]) == ("((_128,_2),(_8,_2)):((_1,_1024),(_128,_2048))", "0")
    offsets = parse_map(m["text"])
    for index in ((0, 0), (5, 9), (200, 3), (255, 15)):
        assert offsets.evaluate(index) == (physical_offset(shape, index[::-1]),)
    out = run("index", line, "--physical").out
    assert "  output -> offset in operand 0, %x f32[16,256]{1,0:T(8,128)}\n" in out
    assert "    layout ((_128,_2),(_8,_2)):((_1,_1024),(_128,_2048))\n" in out
    sliced = "s = f32[5] slice(f32[20] x), slice={[3:18:3]}"
    assert "    layout (_5):(_3), from offset 3\n" in run("index", sliced, "--physical").out


def test_the_map_of_a_layout_and_back(run: Run) -> None:
    for text in ("f32[3,5]{1,0:T(2,2)}", "((4,2),(4,3)):((4,16),(1,32))"):
        m = parse_map(facts(run, text)["map"]["text"])
        assert m == from_layout(read(text))
        assert parse_map(facts(run, text, "--to-output")["map"]["text"]) == inverse(m)
    assert run("index", "-", stdin=b"f32[3]{0}\n").out == "(d0) -> (d0), domain: d0 in [0, 2]\n"
    assert failed(run, "f32[3,?]").startswith("tla: error: the map of f32[3,?]{1,0} depends on the")


# --- maps ---


def test_a_map_is_simplified(run: Run) -> None:
    assert run("index", MAP) == (0, f"before  {MAP}\nafter   {SIMPLE}\n", "")
    found = facts(run, MAP)
    assert found["before"] == MAP
    assert parse_map(found["after"]["text"]) == simplify(parse_map(MAP))


def test_a_map_is_inverted(run: Run) -> None:
    out = run("index", "(d0) -> (d0 * 7 + 3), domain: d0 in [0, 2]", "--to-output").out
    assert out.splitlines()[1] == (
        "inverse (d0) -> ((d0 - 3) floordiv 7), domain: d0 in [3, 17], (d0 - 3) mod 7 in [0, 0]"
    )


def test_the_forms(run: Run) -> None:
    text = "(d0) -> (d0 floordiv 8), domain: d0 in [0, 63]"
    assert run("index", text, "--form", "2026").out.endswith("(d0) -> (d0 / 8), domain: d0 in [0, 63]\n")
    old = run("index", text, "--form", "old").out
    assert old.endswith("after   (d0) -> (d0 floordiv 8)\n        domain:\n        d0 in [0, 63]\n")


def test_the_old_form_is_read(run: Run) -> None:
    text = b"""(d0)[s0] -> (d0 + s0)
domain:
d0 in [0, 3]
s0 in [0, 5]
hlo: of1 = s32[] parameter(1)
(d0) -> ()
"""
    out = run("index", "-", stdin=text).out
    assert "after   (d0){rt0} -> (d0 + rt0), domain: d0 in [0, 3], rt0 in [0, 5]\n" in out
    assert "rt0: %of1 = s32[] parameter(1); (d0) -> ()\n" in out


def test_a_map_into_a_memory(run: Run) -> None:
    text = "(d0, d1) -> (d1, d0), domain: d0 in [0, 3], d1 in [0, 7]"
    out = run("index", text, "--into", "(8,4):(4,1)").out.splitlines()
    assert out[1:] == [
        "after   (d0, d1) -> (d1 * 4 + d0), domain: d0 in [0, 3], d1 in [0, 7]",
        "        layout (_4,_8):(_1,_4)",
    ]
    tiled = facts(run, text, "--into", "f32[8,4]{1,0:T(2,2)}")["after"]
    assert tiled["layout"] == "((_2,_2),(_2,_4)):((_1,_4),(_2,_8))"
    assert "a map with 2 results cannot go before" in failed(run, text, "--into", "(2,3,4):(12,4,1)")


# --- relations ---


def test_relations(run: Run) -> None:
    pytest.importorskip("islpy")
    out = run("index", BROADCAST, "--relation").out.splitlines()
    assert out[3].startswith("    relation { [d0, d1, d2] -> [e0 = d1] : ")
    assert out[4] == "             6000 pairs, 6000 points, 20 elements of 20"
    sliced = "s = f32[2] dynamic-slice(f32[5] x, s32[] i), dynamic_slice_sizes={2}"
    relation = facts(run, sliced, "--relation")["instructions"][0]["accesses"][0]["relation"]
    assert relation["in_some_run"]
    assert (relation["points"], relation["elements"], relation["elements_of"]) == (2, 5, 5)
    assert "8 pairs, 8 points, 8 elements on all replicas" in run("index", GATHER, "--relation").out
    assert "105 pairs, 105 points, 105 elements" in run("index", MAP, "--relation").out
    tiled = run("index", "f32[3,5]{1,0:T(2,2)}", "--relation").out.splitlines()
    assert tiled[-1] == "         15 pairs, 15 points, 15 elements"


def test_without_islpy_a_relation_says_what_is_missing(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "islpy", None)
    assert "tla-layouts[exact]" in failed(run, BROADCAST, "--relation")
    assert "tla-layouts[exact]" in failed(run, BROADCAST, "--relation", "--all")
    assert run("index", BROADCAST).code == 0


# --- input that is wrong ---


def test_mistakes_are_pointed_at(run: Run) -> None:
    assert failed(run, "(d0) -> (d0 flordiv 2), domain: d0 in [0, 9]").splitlines()[1:] == [
        "  line 1, column 13",
        "    (d0) -> (d0 flordiv 2), domain: d0 in [0, 9]",
        "                ^",
    ]
    assert failed(run, "b = f32[10,20] broadcast(f32[20] x, dimensions={1}").endswith("^\n")
    assert failed(run, "f32[3,5]{1,0:T(2").endswith("^\n")
    assert failed(run, "y = add(a, b)").startswith("tla: error: the shape of operand a is not known")
    assert "Write its shape before it, as in add(f32[2,3] a, ...)." in failed(
        run, "y = f32[9] add(a, b)"
    )


def test_files(run: Run, tmp_path: Path) -> None:
    missing = str(tmp_path / "missing.hlo")
    assert failed(run, missing) == f"tla: error: cannot read {missing}: No such file or directory\n"
    path = tmp_path / "a.hlo"
    path.write_text("HloModule m\nENTRY e {\n  ROOT x = f32[3] oops\n}\n", "utf-8")
    assert failed(run, str(path)).startswith(f"tla: error: {path} is no HLO module\n")
    path.write_text("neither a module\nnor a map\n", "utf-8")
    assert failed(run, str(path)).startswith(f"tla: error: {path} is no HLO module\n")
    path.write_bytes(b"\xff\xfe")
    assert "is not text: byte 0 is not UTF-8" in failed(run, str(path))
    path.write_text(MAP, "utf-8")
    assert run("index", str(path)).out.splitlines()[1] == f"after   {SIMPLE}"
    path.write_text(BROADCAST, "utf-8")
    assert run("index", str(path)).code == 0


def test_standard_input(run: Run) -> None:
    assert run("index", "-", stdin=BROADCAST.encode()).out == run("index", BROADCAST).out
    assert run("index", "-", stdin=MAP.encode()).out == run("index", MAP).out
    assert failed(run, "-", stdin=b"").startswith("tla: error: ")


@pytest.mark.parametrize(
    "arguments",
    [
        (MAP, "--all"),
        (MAP, "--instruction", "x"),
        ("f32[3]", "--physical"),
        (BROADCAST, "--into", "f32[20]"),
        (BROADCAST, "--form", "2027"),
        (BROADCAST, "--all", "--through"),
        (),
    ],
)
def test_command_lines_that_are_wrong(run: Run, arguments: tuple[str, ...]) -> None:
    done = run("index", *arguments)
    assert (done.code, done.out) == (2, "")
    assert "tla index: error: " in done.err


def test_help_and_a_process_of_its_own(run: Run) -> None:
    out = run("index", "--help").out
    assert "examples:\n  tla index module.hlo\n" in out
    assert max(map(len, out.splitlines())) <= 105
    assert process("index", "-", stdin=MAP.encode()) == run("index", MAP)


def test_a_chain_says_that_there_is_more(run: Run) -> None:
    chain = "t = transpose(f32[4,8] p), dimensions={1,0}\nROOT n = negate(t)"
    assert run("index", chain).out.endswith(
        "\n%t: made by instructions before; --through goes on to what these read\n"
    )
    assert "--through" not in run("index", chain, "--through").out
    assert "--through" not in run("index", BROADCAST).out


def test_bounds_that_are_missing_are_written_out(run: Run) -> None:
    assert (
        "Write (d0)[s0] -> (s0 + 5, d0), domain: d0 in [0, 9], s0 in [0, 9], with your bounds."
        in failed(run, "(d0)[s0] -> (s0 + 5, d0)")
    )
