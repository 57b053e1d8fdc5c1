"""Whole modules: those of the TPU compiler, the styles XLA prints, the rules between instructions."""

from __future__ import annotations

import copy
import json
import pickle
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tla.hlo import (
    Alias,
    Computation,
    FileLocation,
    Instruction,
    Module,
    ModuleError,
    NoSuchNameError,
    SourceLine,
    SourceTables,
    StackFrame,
    read_instruction,
    read_module,
)
from tla.xla_bridge import parse_shape

if TYPE_CHECKING:
    from collections.abc import Callable

DATA = Path(__file__).parent.parent / "data"
MODULES = sorted((DATA / "tpu_hlo").glob("*.hlo"))
PRINTS = [json.loads(line) for line in (DATA / "hlo_prints.jsonl").read_text().splitlines()]
SMALL = """HloModule m

c {
  p = f32[2] parameter(0)
  ROOT n = f32[2] negate(p)
}

ENTRY e {
  x = f32[2] parameter(0)
  y = f32[2] call(x), to_apply=c
}
"""


def read(name: str) -> Module:
    return read_module((DATA / "tpu_hlo" / f"{name}.hlo").read_text())


def module(*lines: str, header: str = "HloModule m") -> Module:
    """A module with an entry computation of lines, after a parameter x."""
    body = "\n".join(f"  {line}" for line in ("x = f32[2] parameter(0)", *lines))
    return read_module(f"{header}\n\nENTRY e {{\n{body}\n}}\n")


# --- the modules of the TPU compiler ---


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_a_module_prints_back(path: Path) -> None:
    text = path.read_text()
    found = read_module(text)
    assert str(found).rstrip() == text.rstrip()
    again = read_module(str(found))
    assert again == found
    assert hash(again) == hash(found)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_the_parts_of_a_module_fit_each_other(path: Path) -> None:
    found = read_module(path.read_text())
    layout = found.entry_computation_layout
    assert layout is not None
    assert [p.shape for p in found.entry.parameters] == list(layout.parameters)
    assert found.entry.root.shape == layout.result
    assert found.is_scheduled
    names: set[str] = set()
    for computation in found.computations:
        assert found.computation(computation.name) is computation
        assert [p.parameter_number for p in computation.parameters] == [
            *range(len(computation.parameters))
        ]
        defined: set[str] = set()
        for instruction in computation.instructions:
            assert {operand.name for operand in instruction.operands} <= defined
            assert all(
                operand.shape == computation.instruction(operand.name).shape
                for operand in instruction.operands
            )
            assert set(instruction.called) <= names
            defined.add(instruction.name)
            assert instruction.backend_config is None or isinstance(instruction.backend_config, dict)
        names.add(computation.name)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_instructions_know_their_lines(path: Path) -> None:
    text = path.read_text()
    lines = text.splitlines()
    found = read_module(text)
    for computation in found.computations:
        assert f"%{computation.name} (" in lines[computation.line - 1]
        for instruction in computation.instructions:
            assert lines[instruction.line - 1] == f"  {instruction}"


def test_one_module_in_full() -> None:
    found = read("v5e_x4_ring_permute")
    assert found.name == "jit__lambda"
    assert found.attributes["num_partitions"] == "4"
    assert [c.name for c in found.computations] == ["main.0_spmd"]
    entry = found.entry
    assert entry.is_entry
    assert [i.opcode for i in entry.instructions] == [
        "parameter",
        "collective-permute-start",
        "collective-permute-done",
        "add",
    ]
    start = entry.instruction("%collective-permute-start")
    assert start.attributes["source_target_pairs"] == "{{0,1},{1,2},{2,3},{3,0}}"
    assert str(start.shape).startswith(
        "(f32[10,257]{1,0:T(8,128)}, f32[10,257]{1,0:T(8,128)S(1)}, u32[]"
    )
    config: Any = start.backend_config
    assert config["barrier_config"] == {"barrier_type": "CUSTOM", "id": "0"}
    assert entry.root.name == "add.3"
    assert [operand.name for operand in entry.root.operands] == ["param.1", "collective-permute-done"]
    assert repr(found) == "<Module jit__lambda of 1 computations>"
    assert repr(entry) == "<Computation main.0_spmd of 4 instructions>"


def test_sources() -> None:
    found = read("v5e_x4_ring_permute")
    assert found.file_names == {1: "gen.py", 2: "model.py"}
    assert found.function_names == {1: "<module>", 2: "build.<locals>.<lambda>"}
    assert found.file_locations[2] == FileLocation(2, 2, 16, 16, 42, 42)
    assert found.stack_frames[3] == StackFrame(3, 2)
    assert [found.stack_frames[i].parent for i in (1, 2, 3)] == [0, 1, 1]
    caller = SourceLine("<module>", "gen.py", 12)
    function = "build.<locals>.<lambda>"
    assert found.source(found.entry.root) == (SourceLine(function, "model.py", 16), caller)
    assert found.source(found.entry.parameters[0]) == ()


def test_sources_without_tables() -> None:
    found = module(
        'a = f32[2] negate(x), metadata={source_file="f.py" source_line=3}',
        'b = f32[2] negate(x), metadata={source_file="g.py"}',
        'c = f32[2] negate(x), metadata={op_name="c" stack_frame_id=9}',
    )
    sources = [found.source(found.entry.instruction(name)) for name in "abcx"]
    assert sources == [(SourceLine("", "f.py", 3),), (SourceLine("", "g.py", 0),), (), ()]


def test_frames_in_a_circle_end() -> None:
    tables = SourceTables(
        {1: "a.py"},
        {1: "f"},
        {1: FileLocation(1, 1, 5, 5, 1, 2)},
        {1: StackFrame(1, 3), 2: StackFrame(7, 2)},
    )
    assert tables.trace(1) == (SourceLine("f", "a.py", 5),)
    assert tables.trace(0) == tables.trace(99) == ()


# --- the styles of XLA's printer ---


def style(module_name: str, name: str) -> Module:
    (row,) = (row for row in PRINTS if (row["module"], row["style"]) == (module_name, name))
    return read_module(row["text"])


NAMES = sorted({row["module"] for row in PRINTS})


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("other", ["operand_shapes", "no_percent", "no_signature", "indented", "old"])
def test_what_drops_nothing_reads_the_same(name: str, other: str) -> None:
    assert style(name, other) == style(name, "default") == read(name)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("other", "dropped"),
    [
        ("no_metadata", {"metadata"}),
        ("no_backend_config", {"backend_config"}),
        ("short_parsable", {"metadata"}),
    ],
)
def test_what_drops_attributes_reads_the_same_but_for_them(
    name: str, other: str, dropped: set[str]
) -> None:
    def without(instruction: Instruction) -> tuple[object, ...]:
        kept = {
            k: text.replace("%", "") for k, text in instruction.attributes.items() if k not in dropped
        }
        return instruction.name, instruction.shape, instruction.opcode, instruction.operands, kept

    ours, whole = style(name, other), read(name)
    for one, two in zip(ours.computations, whole.computations, strict=True):
        assert [*map(without, one.instructions)] == [*map(without, two.instructions)]
    assert ours != whole


@pytest.mark.parametrize("name", NAMES)
def test_layouts_may_be_left_out(name: str) -> None:
    bare, whole = style(name, "no_layouts"), read(name)
    for one, two in zip(bare.entry.instructions, whole.entry.instructions, strict=True):
        for a, b in zip(one.shape.arrays(), two.shape.arrays(), strict=True):
            assert (a.element_type, a.dimensions, a.tiles) == (b.element_type, b.dimensions, ())


def test_canonical_print_writes_computations_inside_instructions() -> None:
    found = style("v5e_pad_window", "canonical")
    assert [c.name for c in found.computations] == ["region_0.2", "_", "main.3"]
    assert found.entry.root.called == ("_",)
    one, two = found.computations[:2]
    assert [i.opcode for i in one.instructions] == [i.opcode for i in two.instructions]
    assert read_module(str(found)) == found


# --- the header ---


def test_a_header_without_attributes() -> None:
    found = module(header="HloModule %jit_f.1-a")
    assert (found.name, found.attributes, found.is_scheduled) == ("jit_f.1-a", {}, False)
    assert found.entry_computation_layout is None
    assert found.input_output_alias == ()


def test_aliases() -> None:
    aliases = "{ {0}: (0, {}, may-alias), {1, 0}:(2,{2,1},must-alias), {}: (3, {}), }"
    found = module(header=f"HloModule m, input_output_alias={aliases}, buffer_donor={{ (4, {{}}) }}")
    assert found.input_output_alias == (
        Alias((0,), 0, (), "may-alias"),
        Alias((1, 0), 2, (2, 1), "must-alias"),
        Alias((), 3, (), "may-alias"),
    )
    assert found.attributes["buffer_donor"] == "{ (4, {}) }"
    assert module(header="HloModule m, input_output_alias={ }").input_output_alias == ()


def test_entry_computation_layout() -> None:
    layout = "{(f32[2]{0:T(2)}, (s32[], /*index=1*/u8[3]{0}))->(f32[2,3]{0,1})}"
    found = module(header=f"HloModule m, is_scheduled=true, entry_computation_layout={layout}")
    assert found.entry_computation_layout is not None
    assert found.entry_computation_layout.parameters == (
        parse_shape("f32[2]{0:T(2)}"),
        parse_shape("(s32[], u8[3])"),
    )
    assert found.entry_computation_layout.result == parse_shape("(f32[2,3]{0,1})")


def test_tables_may_be_one_line_each_or_lie_anyhow() -> None:
    found = module(
        header='HloModule m FileNames 1 "a" 7 "b\\n" FunctionNames FileLocations 1 {file_name_id=7, '
        "function_name_id=1,line=2 end_line=3 column=4 end_column=5}\nStackFrames\n2\n"
        "{parent_frame_id=1\n file_location_id=1}"
    )
    assert found.file_names == {1: "a", 7: "b\n"}
    assert found.function_names == {}
    assert found.tables.trace(2) == (SourceLine("", "b\n", 2),)
    assert read_module(str(found)) == found


# --- computations ---


def test_computations_and_their_parts() -> None:
    found = read_module(SMALL)
    assert [c.name for c in found.computations] == ["c", "e"]
    assert [c.is_entry for c in found.computations] == [False, True]
    assert (found.entry.root.name, found.computation("c").root.name) == ("y", "n")
    assert found.entry.root.is_root
    assert (found.entry.line, found.entry.root.line) == (8, 10)
    assert str(found.computation("%c")) == (
        "%c (p: f32[2]) -> f32[2] {\n  %p = f32[2]{0} parameter(0)\n  ROOT %n = f32[2]{0} negate(%p)\n}"
    )


def test_the_last_computation_is_the_entry_where_none_says_so() -> None:
    found = read_module(SMALL.replace("ENTRY ", ""))
    assert found == read_module(SMALL)
    assert [c.is_entry for c in found.computations] == [False, True]


def test_parameters_come_by_number() -> None:
    found = module("b = f32[3] parameter(2)", "a = f32[4] parameter(1)", "y = f32[2] negate(x)")
    assert [p.name for p in found.entry.parameters] == ["x", "a", "b"]
    assert "(x: f32[2], a: f32[4], b: f32[3]) -> f32[2] {" in str(found)


@pytest.mark.parametrize("thread", ["", "sparsecore", 'a "b"'])
def test_threads(thread: str) -> None:
    made = Computation("c", read_module(SMALL).computation("c").instructions, True, thread)
    again = read_module(f"HloModule m\n{made}\n").entry
    assert (again, again.execution_thread) == (made, thread)


def test_asynchronous_operations() -> None:
    found = read_module("""HloModule m
c { x = f32[4] parameter(0) ROOT y = f32[2] slice(x), slice={[0:2]} }, execution_thread="t"
ENTRY e {
  x = f32[4] parameter(0)
  s = ((f32[4]), f32[2], s32[]) async-start(x), calls=c, async_execution_thread="t"
  u = ((f32[4]), f32[2], s32[]) async-update(s)
  ROOT d = f32[2] async-done(u)
}""")
    assert found.computation("c").execution_thread == "t"
    assert found.entry.instruction("s").called == ("c",)


def test_instructions_nested_in_operands_come_before() -> None:
    found = module("y = f32[2] add(f32[2] negate(x), f32[2] negate(f32[2] constant({1, 2})))")
    assert [str(i) for i in found.entry.instructions[1:]] == [
        "%negate.anon = f32[2]{0} negate(%x)",
        "%constant.anon = f32[2]{0} constant({1, 2})",
        "%negate.anon.1 = f32[2]{0} negate(%constant.anon)",
        "ROOT %y = f32[2]{0} add(%negate.anon, %negate.anon.1)",
    ]


def test_computations_written_inside_instructions() -> None:
    found = module(
        "y = f32[2] call(x), to_apply={\n x = f32[2] parameter(0)\n ROOT z = f32[2] negate(x) }, a=1",
        "i = s32[] constant(0)",
        "w = f32[2] conditional(i, x, x), branch_computations={ {q = f32[2] parameter(0)}, {"
        "q = f32[2] parameter(0) r = f32[2] call(q), to_apply={ v = f32[2] parameter(0) } } }",
    )
    assert [c.name for c in found.computations] == ["_", "_.1", "_.2", "_.3", "e"]
    assert found.entry.instruction("y").attributes == {"to_apply": "%_", "a": "1"}
    assert found.entry.instruction("w").attributes == {"branch_computations": "{%_.1, %_.3}"}
    assert found.computation("_.3").root.called == ("_.2",)
    assert read_module(str(found)) == found


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_instructions_have_the_computations_they_call(path: Path) -> None:
    found = read_module(path.read_text())
    for computation in found.computations:
        for instruction in computation.instructions:
            assert [each.name for each in instruction.computations] == list(instruction.called)
            for each in instruction.computations:
                assert each is found.computation(each.name)


def test_computations_that_are_called_are_no_part_of_a_value() -> None:
    found = read_module(
        "HloModule m\nc { a = f32[2] parameter(0) }\nENTRY e { x = f32[2] parameter(0)\n"
        "y = f32[2] call(x), to_apply=c\nROOT z = f32[2] negate(y) }\n"
    )
    y = found.entry.instruction("y")
    assert y.computations == (found.computation("c"),)
    assert y.as_root().computations == y.computations
    bare = y.calling(())
    assert bare.computations == ()
    assert (bare, hash(bare), str(bare)) == (y, hash(y), str(y))
    assert read_instruction(str(y)).computations == ()
    for copied in (copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
        (called,) = copied.entry.instruction("y").computations
        assert called is copied.computation("c")


def test_in_a_fragment_what_stands_behind_its_caller_is_not_known() -> None:
    callee = "c { a = f32[2] parameter(0) }\n"
    caller = "d { x = f32[2] parameter(0)  ROOT y = f32[2] call(x), to_apply=c }\n"
    before, behind = read_module(callee + caller), read_module(caller + callee)
    assert [c.name for c in before.computation("d").root.computations] == ["c"]
    assert behind.computation("d").root.computations == ()


def test_a_branch_for_true_comes_first() -> None:
    found = read_module(
        "HloModule m\n"
        "a { x = f32[2] parameter(0) }\n"
        "b { x = f32[2] parameter(0) }\n"
        "ENTRY e { p = pred[] parameter(0)  x = f32[2] parameter(1)\n"
        "ROOT c = f32[2] conditional(p, x, x), false_computation=a, true_computation=b }\n"
    )
    assert [each.name for each in found.entry.root.computations] == ["b", "a"]


def test_a_module_of_many_calls_can_be_sent() -> None:
    calls = "".join(
        f"c{i + 1} {{ x = f32[2] parameter(0)  ROOT y = f32[2] call(x), to_apply=c{i} }}\n"
        for i in range(2000)
    )
    found = read_module(f"HloModule m\nc0 {{ x = f32[2] parameter(0) }}\n{calls}")
    copied = pickle.loads(pickle.dumps(found))
    assert copied == found
    assert copied.entry.root.computations == (copied.computation("c1999"),)


def test_layouts_of_operands_are_those_of_what_they_name() -> None:
    found = module("a = f32[2,3]{0,1} custom-call()", "b = f32[2,3] negate(f32[2,3]{1,0} a)")
    assert found.entry.root.operands[0].shape == parse_shape("f32[2,3]{0,1}")


def test_line_ends_and_the_mark_of_the_byte_order_do_not_count() -> None:
    assert (
        read_module(SMALL.replace("\n", "\r\n")) == read_module("\ufeff" + SMALL) == read_module(SMALL)
    )


def test_no_line_ends_are_needed() -> None:
    assert read_module(" ".join(SMALL.split())) == read_module(SMALL)


# --- fragments ---


def test_a_fragment_of_lines() -> None:
    found = read_module("a = f32[2] negate(f32[2] y)\nb = f32[2] add(a, f32[2] z), calls=%c\n")
    assert (found.name, found.entry.name) == ("", "_")
    assert [str(p) for p in found.entry.parameters] == [
        "%y = f32[2]{0} parameter(0)",
        "%z = f32[2]{0} parameter(1)",
    ]
    assert found.entry.root.name == "b"
    assert read_module(str(found)) == found


def test_a_fragment_of_a_computation() -> None:
    found = read_module("%c (a: f32[2]) -> f32[2] { ROOT %b = f32[2] call(%a), to_apply=%d }")
    assert found.entry.name == "c"
    assert found.entry.parameters == ()
    assert read_module(str(found)) == found


def test_a_fragment_of_lines_and_computations() -> None:
    found = read_module("c { a = f32[2] parameter(0) }\nb = f32[2] call(f32[2] x), to_apply=c\n")
    assert [c.name for c in found.computations] == ["c", "_"]
    assert found.entry.name == "_"


# --- what is refused ---

LONG = "9" * 5000

REFUSED: list[tuple[str, str, tuple[int, int]]] = [
    ("", "expected a computation or an instruction, found the end of text", (1, 1)),
    ("\n // nothing\n", "expected a computation or an instruction, found the end of text", (3, 1)),
    ("HloModule m", "expected a computation or an instruction, found the end of text", (1, 12)),
    ("HloModule", "expected the name of the module, found the end of text", (1, 10)),
    ("HloModule\nENTRY e {}", "expected the name of the module, found 'ENTRY'", (2, 1)),
    ("HloModule m\nENTRY {\n}", "expected the name of the computation after ENTRY, found '{'", (2, 7)),
    ("HloModule m\nx = f32[2] parameter(0)", "expected '{' and the instructions of x", (2, 3)),
    ("HloModule m\ne {\n}", "computation e of line 2 has no instructions", (3, 1)),
    ("HloModule m\ne {\n x = f32[2] parameter(0)\n", "expected an instruction such as", (4, 1)),
    ("HloModule m\ne {\n x = f32[2] para", "expected '(' after the opcode para, found the end", (3, 17)),
    ("\x7fELF\x02\x01", "expected a computation such as", (1, 1)),
    ('{"a": 1}', "expected a computation such as", (1, 1)),
    ("HloModule m, a={\n", "'{' is not closed", (1, 16)),
    ("HloModule m, a=1,\n", "expected an attribute such as kind=kLoop after ','", (2, 1)),
    ("HloModule m, a=1, a=2", "attribute a is given twice", (1, 19)),
    (
        "HloModule m, input_output_alias={ {0} (0, {}) }\ne {",
        "expected an alias such as {0}: (1, {}, may-alias), found '{'",
        (1, 35),
    ),
    (
        f"HloModule m, input_output_alias={{ {{}}: ({'9' * 5000}, {{}}) }}",
        "expected an alias such as",
        (1, 35),
    ),
    ("HloModule m, entry_computation_layout=3 e", "expected '{(' and the shapes of the param", (1, 39)),
    ("HloModule m, entry_computation_layout={(f32[2])}", "expected '->' and the shape of the", (1, 48)),
    ("HloModule m, entry_computation_layout={()->f32[2] x}", "expected '}' after the shape", (1, 51)),
    ("HloModule m\nFileNames\n1 a\n", "expected a text in quotes, found 'a'", (3, 3)),
    ('HloModule m\nFileNames\n1 "a" 1 "b"', "row 1 of FileNames is given twice", (3, 7)),
    ('HloModule m\nFileNames 1 "a" FileNames 2 "b"', "the table FileNames is given twice", (2, 17)),
    (
        "HloModule m\nStackFrames 1 {file_location_id=1}",
        "expected {file_location_id=... parent",
        (2, 15),
    ),
    ("HloModule m\nStackFrames 1 {a=1 b=2}", "expected {file_location_id=... parent_frame_id=", (2, 15)),
    ("HloModule m\ne (x) -> f32[2] {", "expected a parameter such as 'x: f32[2]' or ')'", (2, 4)),
    ("HloModule m\ne (x: f32[2]) {", "expected '->' and the shape of the result, found '{'", (2, 15)),
    ("HloModule m\ne (x: f32[2]) -> f32[2] x", "expected '{' and the instructions of e", (2, 25)),
]


@pytest.mark.parametrize(
    ("text", "summary", "place"), REFUSED, ids=[repr(row[0])[:60] for row in REFUSED]
)
def test_texts_that_are_refused(text: str, summary: str, place: tuple[int, int]) -> None:
    with pytest.raises(ModuleError) as caught:
        read_module(text)
    assert caught.value.summary.startswith(summary)
    assert (caught.value.line, caught.value.column) == place


BROKEN: list[tuple[list[str], str, tuple[int, int]]] = [
    (["y = f32[2] negate(z)"], "no instruction z stands before this one", (5, 21)),
    (["y = f32[2] negate(y)"], "no instruction y stands before this one", (5, 21)),
    (["y = f32[2] negate(f32[2] z)"], "no instruction z stands before this one", (5, 21)),
    (["y = f32[2] negate(z)", "z = f32[2] negate(x)"], "no instruction z stands before", (5, 21)),
    (["x = f32[2] negate(x)"], "there is an instruction x already", (5, 3)),
    (["ROOT a = f32[2] negate(x)", "ROOT b = f32[2] negate(x)"], "a computation has one ROOT", (6, 8)),
    (["y = f32[2] parameter(0)"], "there is a parameter(0) already", (5, 3)),
    (
        ["y = f32[2] parameter(2)"],
        "computation e of line 3 has 2 parameters but no parameter(1)",
        (6, 1),
    ),
    (["y = f32[2] call(x), to_apply=d"], "no computation d stands before this one", (5, 32)),
    (["y = f32[2] call(x), to_apply=e"], "no computation e stands before this one", (5, 32)),
    (["y = f32[2] negate(x), control-predecessors={x, z}"], "no instruction z stands before", (5, 50)),
    (["y = f32[2] negate(x), control-predecessors={}"], "expected the name of an instruction", (5, 47)),
    (["y = f32[2] negate(f32[3] x)"], "operand x is f32[3]{0} here, f32[2]{0} where it is", (5, 21)),
    (["y = f32[2] frob(x)"], "unknown opcode frob", (5, 14)),
    (
        ["y = f32[2] negate(x) }, foo=1"],
        'expected execution_thread="..." or the next computation',
        (5, 31),
    ),
    (["y = f32[2] negate(x) }, execution_thread=t"], "expected the name of a thread in quotes", (5, 44)),
    (
        ["y = f32[2] negate(x)", "}", "ENTRY f {", "x = f32[2] parameter(0)"],
        "a module has one ENTRY",
        (7, 9),
    ),
    (["}", "e {", "x = f32[2] parameter(0)"], "there is a computation e already", (6, 3)),
]


@pytest.mark.parametrize(("lines", "summary", "place"), BROKEN, ids=[str(row[0]) for row in BROKEN])
def test_rules_that_are_broken(lines: list[str], summary: str, place: tuple[int, int]) -> None:
    with pytest.raises(ModuleError) as caught:
        module(*lines)
    assert caught.value.summary.startswith(summary)
    assert (caught.value.line, caught.value.column) == place
    assert str(caught.value).rstrip().endswith("^")


def test_a_signature_that_says_another_result() -> None:
    text = SMALL.replace("c {", "c (p: f32[2]) -> f32[3] {")
    with pytest.raises(ModuleError, match="computation c of line 3 says that it returns f32") as caught:
        read_module(text)
    assert caught.value.line == 6
    assert read_module(SMALL.replace("c {", "c (p: f32[9]) -> f32[2]{0:T(2)} {")) == read_module(SMALL)


def test_near_names_are_given() -> None:
    with pytest.raises(ModuleError, match=r"Near names: fusion\.1"):
        module("fusion.1 = f32[2] negate(x)", "y = f32[2] negate(fusion.2)")
    found = read_module(SMALL)
    with pytest.raises(NoSuchNameError) as caught:
        found.computation("cc")
    assert caught.value.near == ("c",)
    assert str(caught.value) == "module m has no computation cc\n  Near names: c."
    with pytest.raises(NoSuchNameError, match="computation e has no instruction zzz"):
        found.entry.instruction("%zzz")


# --- values ---


def test_modules_are_values() -> None:
    found = read_module(SMALL)
    assert found == read_module("\n\n" + SMALL)
    assert found != read_module(SMALL.replace("negate", "abs"))
    assert found != read_module(SMALL.replace("HloModule m", "HloModule n"))
    assert len({found, read_module(SMALL)}) == 1
    changes: list[Callable[[], None]] = [
        lambda: setattr(found, "name", "n"),
        lambda: setattr(found.entry, "name", "n"),
        lambda: delattr(found, "name"),
    ]
    for change in changes:
        with pytest.raises(AttributeError, match="is immutable"):
            change()
    for table in (found.attributes, found.file_names, found.entry.root.attributes):
        with pytest.raises(TypeError):
            table[1] = "x"  # type: ignore[index]  # ty: ignore[invalid-assignment]


def test_values_can_be_copied_and_sent() -> None:
    found = read("v5e_x4_ring_permute")
    for copied in (copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
        assert copied == found
        assert copied.source(copied.entry.root) == found.source(found.entry.root)
        assert copied.entry.line == found.entry.line
        assert copied.entry.root.line == found.entry.root.line
    with pytest.raises(ModuleError) as caught:
        read_module(SMALL[:-10])
    error = pickle.loads(pickle.dumps(caught.value))
    assert (str(error), error.module, error.instructions) == (
        str(caught.value),
        caught.value.module,
        caught.value.instructions,
    )


def test_a_module_without_computations_has_no_entry() -> None:
    with pytest.raises(NoSuchNameError, match="module m has no entry computation"):
        _ = Module("m").entry


@pytest.mark.parametrize(
    ("text", "summary", "at"),
    [
        ("x = f32[2] negate(y), a=/* b", "a comment that is not closed", "/*"),
        ('x = f32[2] negate(y), a="b', "a string that is not closed", '"'),
    ],
)
def test_what_is_not_closed(text: str, summary: str, at: str) -> None:
    with pytest.raises(ModuleError) as caught:
        read_module(text)
    assert (caught.value.summary, caught.value.start) == (summary, text.index(at))


def test_a_computation_of_another_result_points_at_its_brace() -> None:
    text = "HloModule m ENTRY e () -> f32[3] { x = f32[2] constant({1, 2}) }"
    with pytest.raises(ModuleError, match="says that it returns") as caught:
        read_module(text)
    assert (caught.value.start, caught.value.end) == (len(text) - 1, len(text))


def test_an_instruction_made_by_hand_has_no_line() -> None:
    assert Instruction("p", parse_shape("f32[2]"), "parameter").line == 0


def test_an_empty_computation_points_at_its_brace() -> None:
    text = "HloModule m e { }"
    with pytest.raises(ModuleError, match="has no instructions") as caught:
        read_module(text)
    assert (caught.value.start, caught.value.end) == (len(text) - 1, len(text))
