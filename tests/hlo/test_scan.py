"""The array shapes of an HLO module, found without reading the module."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from tla import TlaError
from tla.hlo import NotHloError, scan_shapes
from tla.xla_bridge import parse_shape

MODULES = sorted((Path(__file__).parent.parent / "data" / "tpu_hlo").glob("*.hlo"))


def counted(text: str) -> dict[str, int]:
    """The shapes that were read, and how often."""
    return {use.text: use.times for use in scan_shapes(text) if use.shape is not None}


def not_read(text: str) -> dict[str, str]:
    """The texts that were not read, and why."""
    return {use.text: use.refusal for use in scan_shapes(text) if use.shape is None}


# --- real modules ---


def test_there_are_modules() -> None:
    assert len(MODULES) == 4


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.stem))
def test_every_result_of_a_module_is_counted(module: Path) -> None:
    """Against a count by line: what stands between `=` and the opcode, arrays of any tuple."""
    text = module.read_text("utf-8")
    by_line: Counter[str] = Counter()
    for line in text.splitlines():
        result = re.match(r"\s+(?:ROOT )?%[\w.-]+ = (.*?) [a-z][a-z-]*\(", line)
        if result:
            arrays = re.findall(r"\w+\[[0-9,]*\](?:\{[^}]*\})?", result[1])
            by_line.update(str(parse_shape(a)) for a in arrays if not a.startswith("token"))
    assert counted(text) == by_line
    assert not not_read(text)


@pytest.mark.parametrize(
    ("module", "distinct", "results"),
    [
        ("v5e_attention_block", 38, 274),
        ("v5e_int4_dequant", 4, 11),
        ("v5e_int8_matmul", 5, 16),
        ("v5e_pad_window", 4, 8),
    ],
)
def test_modules_known(module: str, distinct: int, results: int) -> None:
    text = next(path for path in MODULES if path.stem == module).read_text("utf-8")
    uses = scan_shapes(text)
    assert (len(uses), sum(use.times for use in uses)) == (distinct, results)


def test_a_use_holds_the_shape() -> None:
    (use,) = scan_shapes("%x = bf16[8,128]{1,0:T(8,128)(2,1)} add(%y, %z)")
    assert use.shape == parse_shape("bf16[8,128]{1,0:T(8,128)(2,1)}")
    assert (use.text, use.times, use.refusal) == (str(use.shape), 1, "")


# --- what is an instruction ---


@pytest.mark.parametrize(
    ("text", "shapes"),
    [
        # shapes.md: an instruction over two lines, no % and no shapes of operands
        (
            "add.936 = bf16[8,1,1280,16384]{3,2,0,1:T(8,128)(2,1)}\n"
            "          add(exponential.183, broadcast.3115)",
            {"bf16[8,1,1280,16384]{3,2,0,1:T(8,128)(2,1)}": 1},
        ),
        # shapes.md: a fusion; the shape of its operand belongs to another instruction
        (
            "%fusion.3 = bf16[32,32,4096]{2,1,0:T(8,128)(2,1)S(1)}\n"
            "    fusion(bf16[32,32,8192]{2,1,0:T(8,128)(2,1)S(1)} %fusion.32),\n"
            "    kind=kCustom, calls=%all-reduce-scatter.3",
            {"bf16[32,32,4096]{2,1,0:T(8,128)(2,1)S(1)}": 1},
        ),
        ("  ROOT %a.b-c_1 = f32[2]{0} negate(f32[2]{0} %y)", {"f32[2]{0}": 1}),
        ("x=f32[2]a()", {"f32[2]{0}": 1}),
        ("x = f32[2] a()\r\ny = f32[2]{0} a()\r\n", {"f32[2]{0}": 2}),
        # tuples: every array inside, tokens left out
        (
            "s = ((f32[2], u8[]), token[], /*index=2*/f32[2]) async-start(x)",
            {"f32[2]{0}": 2, "u8[]": 1},
        ),
        ("x = () tuple()", {}),
        # the header and the signatures are no instructions
        (
            "HloModule m, is_scheduled=true, entry_computation_layout={(f32[9]{0})->f32[9]{0}}\n"
            "\n"
            "%c (p: f32[9]) -> f32[9] {\n"
            "  ROOT %p = f32[2]{0} parameter(0)\n"
            "}\n",
            {"f32[2]{0}": 1},
        ),
        # text inside attributes is none either
        ('x = f32[2] a(), metadata={op_name="y = f32[3] b()"}', {"f32[2]{0}": 1}),
        ("// x = f32[2] a()\ny = f32[3] a()", {"f32[3]{0}": 1}),
        # a shape alone, without an opcode, is no instruction
        ("x = f32[2]\ny = f32[3] a()", {"f32[3]{0}": 1}),
    ],
)
def test_instructions(text: str, shapes: dict[str, int]) -> None:
    assert counted(text) == shapes


def test_order_is_that_of_first_use() -> None:
    text = "a = f32[3] p()\nb = f32[1] p()\nc = f32[2] p()\nd = f32[1] p()"
    assert list(counted(text)) == ["f32[3]{0}", "f32[1]{0}", "f32[2]{0}"]


# --- what is not read ---


@pytest.mark.parametrize(
    ("shape", "why"),
    [
        ("f32[4]{0:T(8)SC(0:1)}", "split configs SC(...), not read"),
        ("f99[2]", "'f99' is not an XLA element type"),
        ("b(f32[3]{0})", "buffer shapes b(...) are not read"),
        ("(u8[], b(f32[3]{0}))", "buffer shapes b(...) are not read"),
    ],
)
def test_shapes_not_read_come_with_the_reason(shape: str, why: str) -> None:
    text = f"x = {shape} custom-call()\ny = f32[2] a()\nz = {shape} copy(x)"
    uses = scan_shapes(text)
    assert [(use.text, use.times, use.refusal) for use in uses] == [
        ("f32[2]{0}", 1, ""),
        (shape, 2, why),
    ]


def test_a_shape_not_read_may_end_its_line() -> None:
    text = "x = b(f32[3]{0})\n    add(y, z)\nw = f32[2] a()"
    assert not_read(text) == {"b(f32[3]{0})": "buffer shapes b(...) are not read"}


def test_dynamic_dims_are_read() -> None:
    text = "x = f32[<=3]{0} a()\ny = (u8[], f32[?]{0}) b(x)"
    assert list(counted(text)) == ["f32[<=3]{0}", "u8[]", "f32[?]{0}"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n\n",
        "A module of instructions such as x, y and z.",
        '{"x": "f32[2]{0} a()"}',
        "x = f32[2]",
        "f32[2] a()",
        "def f(x):\n    y = x[2]\n    return g(y)\n",
        "x = " + "(" * 10**5,
        "x = f32[" * 10**4,
    ],
    ids=lambda text: text[:12],
)
def test_what_is_no_module(text: str) -> None:
    with pytest.raises(NotHloError) as caught:
        scan_shapes(text)
    assert isinstance(caught.value, (TlaError, ValueError))
    assert str(caught.value) == (
        "the text is no HLO module\n  It has no instruction such as '%x = f32[2]{0} negate(%y)'."
    )


def test_brackets_that_do_not_close_hide_no_instruction() -> None:
    text = "x = f32[2]{0} a(y)\nw = (f32[2]{0}, f32[3]{0 b(x)\nu = f32[6]{0:T(2} d()\n"
    uses = scan_shapes(text)
    assert [(use.text, use.times) for use in uses if use.shape is not None] == [("f32[2]{0}", 1)]
    assert [use.text for use in uses if use.shape is None] == ["(f32[2]{0}, f32[3]{0", "f32[6]{0:T(2}"]
