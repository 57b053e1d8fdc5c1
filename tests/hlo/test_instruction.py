"""One instruction: the lines that XLA's own parser was asked about, and every part of a line."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from cases import over

from tla import ParseError
from tla.hlo import Instruction, Operand, read_instruction, read_module
from tla.xla_bridge import XlaTuple, parse_shape

LINES = [
    json.loads(line)
    for line in (Path(__file__).parent.parent / "data" / "xla_hlo_lines.jsonl").read_text().splitlines()
]
SHAPELESS = "add(exponential.183, broadcast.3115)"


@pytest.mark.parametrize("row", [row for row in LINES if "ok" in row], ids=lambda row: row["line"][:40])
def test_a_line_and_its_module_are_the_same(row: Any) -> None:
    """The header that XLA makes up for a line resets the layouts, and is left out."""
    ours, theirs = read_module(row["line"]), read_module(row["ok"])
    assert ours.entry.instructions == theirs.entry.instructions
    assert ours.entry.parameters == theirs.entry.parameters
    assert ours.entry.root == theirs.entry.root
    assert str(theirs) == row["ok"]
    line = read_instruction(row["line"])
    assert line.as_root() == theirs.entry.root


@pytest.mark.parametrize(
    "row",
    [row for row in LINES if "err" in row and SHAPELESS not in row["line"]],
    ids=lambda r: r["line"],
)
def test_a_line_that_xla_refuses_is_refused(row: Any) -> None:
    for read in (read_module, read_instruction):
        with pytest.raises(ParseError) as caught:
            read(row["line"])
        assert str(caught.value).rstrip().endswith("^")


def test_operands_without_shapes_are_read_all_the_same() -> None:
    (row,) = (row for row in LINES if SHAPELESS in row["line"] and "err" in row)
    line = read_instruction(row["line"])
    assert line.operands == (Operand("exponential.183"), Operand("broadcast.3115"))
    module = read_module(row["line"])
    assert module.entry.instructions == (line.as_root(),)
    assert module.entry.parameters == ()
    assert read_module(str(module)) == module


def test_the_fusion_of_the_documents() -> None:
    line = read_instruction("""%fusion.3 = bf16[32,32,4096]{2,1,0:T(8,128)(2,1)S(1)}
            fusion(bf16[32,32,8192]{2,1,0:T(8,128)(2,1)S(1)} %fusion.32),
            kind=kCustom, calls=%all-reduce-scatter.3""")
    assert (line.name, line.opcode, line.called) == ("fusion.3", "fusion", ("all-reduce-scatter.3",))
    assert line.shape == parse_shape("bf16[32,32,4096]{2,1,0:T(8,128)(2,1)S(1)}")
    assert line.operands[0].shape == parse_shape("bf16[32,32,8192]{2,1,0:T(8,128)(2,1)S(1)}")


ATTRIBUTES = [
    "kind=kLoop",
    "dimensions={}",
    "slice={[0:8], [1:9:2]}",
    "padding=0_0x3_5x1_2",
    "dim_labels=0bf1_i1o0->0b1f",
    "window={size=1x12 pad=0_0x11_11 rhs_reversal=0x1}",
    "sharding={devices=[4,1]<=[4]}",
    "sharding={{replicated}, {devices=[2,2]<=[2,2]T(1,0) last_tile_dim_replicate}}",
    "replica_groups=[2,4]<=[8]",
    "replica_groups={{0,1},{2,3}}",
    "source_target_pairs={{0,1},{1,2}}",
    'frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{}, {}]>"}',
    'frontend_attributes={a="b",c={"d":1}}',
    "output_to_operand_aliasing={{}: (0, {}), {1}: (1, {0})}",
    'custom_call_target="a, b) {"',
    "literal=s32[] 3",
    "literal=f32[2]{0} {1, 2}",
    "literal=(f32[2]{0} {1, -2}, s32[] 3)",
    'backend_config="{\\"a\\":1}"',
    "metadata={op_name=\"p[\\'q\\']\" stack_frame_id=3}",
    "operand_layout_constraints={f32[2]{0}, s32[]}",
    "is_host_transfer=true",
    "custom_call_has_side_effect=true",
    "comment={/* } */ a // }\n}",
    "channel_id=1",
    "statistics={visualizing_index=0,a=1}",
    "path=a/b",
]


@over("written", ATTRIBUTES)
@over("behind", ["", ", last=1", "  ", "\n  , last={1}\n"])
def test_an_attribute_is_its_text(written: str, behind: str) -> None:
    name, _, value = written.partition("=")
    line = read_instruction(f"x = f32[2] negate(y), first={{0}}, {written}{behind}")
    assert line.attributes[name] == value
    assert list(line.attributes) == ["first", name, *(["last"] if "last" in behind else [])]
    assert read_instruction(str(line)) == line


@pytest.mark.parametrize(
    ("text", "operands"),
    [
        ("negate(y)", ["y"]),
        ("negate(%y)", ["y"]),
        ("add(%y, z)", ["y", "z"]),
        ("add(f32[2] %y,f32[2]{0:S(1)}z)", ["y", "z"]),
        ("add( /*index=0*/ y , // first\n z )", ["y", "z"]),
        ("add(y, z,)", ["y", "z"]),
        ("rng((f32[2], s32[]) y, ((f32[2]{0:T(8)}, s32[]), token[]) z)", ["y", "z"]),
        ("iota()", []),
        ("tuple(f32, s32, b, ROOT)", ["f32", "s32", "b", "ROOT"]),
        ("tuple(a-b, a.1, _, a-)", ["a-b", "a.1", "_", "a-"]),
        ("add-start(y)", ["y"]),
        ("copy-start(f32 [2] {0} %y)", ["y"]),
    ],
)
def test_operands(text: str, operands: list[str]) -> None:
    line = read_instruction(f"x = f32[2] {text}")
    assert [operand.name for operand in line.operands] == operands


def test_operands_have_the_shapes_written_with_them() -> None:
    line = read_instruction("x = f32[2] tuple(f32[2]{0:T(8)} a, b, (s32[], token[]) c)")
    shapes = [operand.shape for operand in line.operands]
    assert shapes == [parse_shape("f32[2]{0:T(8)}"), None, parse_shape("(s32[], token[])")]


@pytest.mark.parametrize(
    "literal",
    [
        "3",
        "-inf",
        "nan",
        "true",
        "(1, -2)",
        "{...}",
        "{ { 1, 2 }, { 3, 4 } }",
        "{ { /*i0=0*/ 1 }, { 2 } }",
        "f32[2] {1, 2}",
        '"text)"',
        "{\n{1},\n{2}\n}",
    ],
)
def test_a_constant_keeps_its_literal(literal: str) -> None:
    line = read_instruction(f'x = f32[2] constant( {literal} ), metadata={{op_name="c"}}')
    assert line.literal == literal
    assert line.operands == ()
    assert line.metadata == {"op_name": "c"}
    assert read_instruction(str(line)) == line


def test_a_parameter_keeps_its_number() -> None:
    line = read_instruction("ROOT %p = f32[2] parameter( 7 ), sharding={replicated}")
    assert (line.parameter_number, line.literal, line.is_root) == (7, None, True)
    assert str(line) == "ROOT %p = f32[2]{0} parameter(7), sharding={replicated}"


@pytest.mark.parametrize(
    ("attributes", "called"),
    [
        ("calls=%c", ("c",)),
        ("to_apply=c", ("c",)),
        ("condition=%c, body=%b", ("c", "b")),
        ("body=b, condition=c", ("b", "c")),
        ("branch_computations={%a, /*index=1*/b}", ("a", "b")),
        ("true_computation=%t, false_computation=%f", ("t", "f")),
        ("called_computations={%c.1}", ("c.1",)),
        ("false_computation=%f, true_computation=%t", ("t", "f")),
        ("select=%ge, scatter=%add", ("ge", "add")),
        ("kind=kLoop, dimensions={0}", ()),
        ('custom_call_target="calls=%x"', ()),
    ],
)
def test_called_computations(attributes: str, called: tuple[str, ...]) -> None:
    assert read_instruction(f"x = f32[2] call(y), {attributes}").called == called


def test_control_predecessors() -> None:
    line = read_instruction("x = f32[2] negate(y), control-predecessors={%a, b.1}")
    assert line.control_predecessors == ("a", "b.1")
    assert read_instruction("x = f32[2] negate(y)").control_predecessors == ()


def test_metadata() -> None:
    line = read_instruction(
        'x = f32[2] negate(y), metadata={op_type="t" op_name="p[\\\'q\\\']", source_file="a b.py" '
        "source_line=12 profile_type={1} stack_frame_id=3 word=w}"
    )
    assert line.metadata == {
        "op_type": "t",
        "op_name": "p['q']",
        "source_file": "a b.py",
        "source_line": 12,
        "profile_type": "{1}",
        "stack_frame_id": 3,
        "word": "w",
    }
    assert read_instruction("x = f32[2] negate(y)").metadata == {}


def test_backend_config() -> None:
    def config(text: str) -> object:
        return read_instruction(f"x = f32[2] negate(y), backend_config={text}").backend_config

    assert config('{"a":[1,{"b":"}"}],"c":null}') == {"a": [1, {"b": "}"}], "c": None}
    assert config(r'"{\"a\":1}"') == '{"a":1}'
    assert read_instruction("x = f32[2] negate(y)").backend_config is None
    for bad in ("{foo}", "word", '{"a":1,}'):
        with pytest.raises(ParseError, match="the backend_config of x is no JSON"):
            config(bad)
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(4300)  # the commands lift it
    try:
        with pytest.raises(ParseError, match="the backend_config of x is no JSON: Exceeds the limit"):
            config(f'{{"a": {"9" * 5000}}}')
    finally:
        sys.set_int_max_str_digits(before)
    made = Instruction("x", parse_shape("f32[2]"), "add", [], {"backend_config": "[" * 10**5})
    with pytest.raises(ParseError, match="the backend_config of x is nested too deep"):
        _ = made.backend_config


def test_it_is_a_value() -> None:
    one = read_instruction("x = f32[2] negate(f32[2] y), calls=%c, control-predecessors={%a}")
    same = read_instruction("\n%x = f32[2]{0} negate(f32[2] %y), calls=c, control-predecessors={a}")
    assert one == same
    assert hash(one) == hash(same)
    assert (one.line, same.line) == (1, 2)
    for other in ("z = f32[2] negate(f32[2] y)", "x = f16[2] negate(f32[2] y)", "x = f32[2] negate(y)"):
        assert one != read_instruction(f"{other}, calls=%c, control-predecessors={{%a}}")
    assert one != "x"
    with pytest.raises(AttributeError, match="Instruction is immutable: cannot set 'name'"):
        one.name = "z"
    with pytest.raises(AttributeError, match="Instruction is immutable: cannot delete 'name'"):
        del one.name
    with pytest.raises(TypeError):
        one.attributes["calls"] = "d"  # type: ignore[index]  # ty: ignore[invalid-assignment]
    assert repr(one) == f"Instruction({str(one)!r})"


def test_it_can_be_made() -> None:
    made = Instruction("x", parse_shape("f32[2]"), "negate", [Operand("y")], {"a": "1"})
    assert made == read_instruction("x = f32[2] negate(y), a=1")
    assert str(made.as_root()) == "ROOT %x = f32[2]{0} negate(%y), a=1"


def test_document_forms_of_shapes_are_read() -> None:
    line = read_instruction("x = F32[3,5]{1,0:T(2;2)} copy(F32[3,5] y)")
    assert str(line) == "%x = f32[3,5]{1,0:T(2,2)} copy(%y)"
    shape = read_instruction("x = (f32[2], (u8[], token[])) custom-call()").shape
    assert isinstance(shape, XlaTuple)
    assert str(shape) == "(f32[2]{0}, (u8[], token[]))"


REFUSED = [
    ("x f32[2] negate(y)", "expected '=' after the name x of an instruction, found 'f32'", 3),
    ("", "expected an instruction such as '%x = f32[2] negate(%y)' or '}', found the end of text", 1),
    ("ROOT = f32[2] negate(y)", "expected a name after ROOT, found '='", 6),
    ("x = negate(y)", "the shape of operand y is not known", 5),
    ("x = f32[2]", "expected an opcode such as negate, found the end of text", 11),
    ("x = f32[2] negate", "expected '(' after the opcode negate, found the end of text", 18),
    ("x = f32[2] negate y", "expected '(' after the opcode negate, found 'y'", 19),
    ("x = f32[2] negate(y", "expected ',' or ')' after an operand, found the end of text", 20),
    ("x = f32[2] negate(y z)", "expected ',' or ')' after an operand, found 'z'", 21),
    ("x = f32[2] negate(,y)", "expected an operand such as %x or ')', found ','", 19),
    ("x = f32[2] negate(f32[2])", "expected an operand such as %x or ')', found ')'", 25),
    ("x = f32[2] add(f32[2] f32[2] y)", "expected ',' or ')' after an operand, found '['", 26),
    (
        "x = f32[2] add(reshape(f32[2] y))",
        "the shape of the result of reshape does not follow: operands and attributes do not",
        16,
    ),
    (
        "x = f32[2] parameter(-1)",
        "expected the number of the parameter, of at most 9 digits, and ')'",
        22,
    ),
    ("x = f32[2] parameter(9999999999)", "expected the number of the parameter, of at most", 22),
    (
        "x = f32[2] parameter(p)",
        "expected the number of the parameter, of at most 9 digits, and ')'",
        22,
    ),
    ("x = f32[2] constant()", "expected the value of a constant, found ')'", 21),
    ("x = f32[2] constant({1, 2)", "expected '}', found ')'", 26),
    ("x = f32[2] constant({1, 2}", "'(' is not closed", 20),
    (
        "x = f32[2] negate(y),",
        "expected an attribute such as kind=kLoop after ',', found the end of",
        22,
    ),
    (
        "x = f32[2] negate(y), kind",
        "expected an attribute such as kind=kLoop after ',', found 'kind'",
        23,
    ),
    ("x = f32[2] negate(y), kind=", "expected a value, found the end of text", 28),
    ("x = f32[2] negate(y), kind=,a=1", "expected a value, found ','", 28),
    ("x = f32[2] negate(y), a=1, a=2", "attribute a is given twice", 28),
    ('x = f32[2] negate(y), a="b', "a string that is not closed", 25),
    ("x = f32[2] negate(y), a={b", "'{' is not closed", 25),
    ("x = f32[2] negate(y), a={b]", "expected '}', found ']'", 27),
    ("x = f32[2] negate(y) a=1", "expected the end of the instruction, found 'a=1'", 22),
    ("x = f32[2] negate(y); z", "expected the end of the instruction, found ';'", 21),
    ("x = f32[2]{0,0} negate(y)", "minor_to_major {0,0} is not an order of 1 dim", 12),
    ("x = f99[2] negate(y)", "'f99' is not an XLA element type", 5),
    ("x = f32[2] negate(f32[2]{1} y)", "minor_to_major {1} is not an order of 1 dim", 26),
    ("x = f32[2] negate(y) /* open", "a comment that is not closed", 22),
    ("x = f32[2] Negate(y)", "unknown opcode Negate", 12),
    ("x = f32[2] negate(y), calls=%x\0", "expected a value, found '\\x00'", 31),
]


@pytest.mark.parametrize(("text", "summary", "column"), REFUSED, ids=[text for text, _, _ in REFUSED])
def test_what_is_refused(text: str, summary: str, column: int) -> None:
    with pytest.raises(ParseError) as caught:
        read_instruction(text)
    assert caught.value.summary.startswith(summary)
    assert (caught.value.line, caught.value.column) == (1, column)


def test_nesting_has_no_depth_that_is_too_deep() -> None:
    depth = 10**4
    line = read_instruction("x = f32[2] " + "negate(f32[2] " * depth + "y" + ")" * depth)
    assert [operand.name for operand in line.operands] == [f"negate.anon.{depth - 2}"]
    for open_ in ("negate(f32[2] ", "constant({", "tuple((f32[2],", "add(f32[", "a(/*", 'b(a="'):
        with pytest.raises(ParseError):
            read_instruction("x = f32[2] " + open_ * depth)
