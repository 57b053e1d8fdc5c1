"""Shapes that follow from operands: XLA's answers, the lines of compiled modules, what is refused."""

from __future__ import annotations

from pathlib import Path

import fuzz_inference
import pytest
from cases import over, share

from tla.errors import ParseError
from tla.hlo import OPCODES, read_instruction, read_module
from tla.hlo.inference import RULES, ShapeInferenceError, infer_shape
from tla.xla_bridge import parse_shape

DATA = Path(__file__).parent.parent / "data"

SOURCE = "s32[2,2,258] src, s32[] of1, s32[] of2, s32[] of3"


def test_the_fuzz_agrees_with_jaxlib() -> None:
    pytest.importorskip("jaxlib._hlo", reason="jaxlib is not installed")
    tally, different = fuzz_inference.compare(share(1000), seed=1)
    assert different == []
    assert tally["inferred"] > share(1000) // 3


def test_every_op_has_a_rule_or_says_that_it_has_none() -> None:
    assert set(OPCODES) >= RULES.keys()
    for opcode in set(OPCODES) - RULES.keys():
        with pytest.raises(ShapeInferenceError, match="do not determine it"):
            infer_shape(opcode, [parse_shape("f32[2]")])


# fmt: off
LINES = [
    (f"dynamic-slice({SOURCE}), dynamic_slice_sizes={{1, 2, 32}}", "s32[1,2,32]{2,1,0}"),
    ("dynamic-update-slice(s32[20,30] a, s32[5,10] b, s32[] i, s32[] j)", "s32[20,30]{1,0}"),
    ("slice(f32[10,20,50] p0), slice={[5:10:1], [3:20:7], [0:50:2]}", "f32[5,3,25]{2,1,0}"),
    ("negate(f32[2] y)", "f32[2]{0}"),
    ("f32[2] negate(f32[2] y)", "f32[2]{0}"),
    ("y = negate(f32[3,5]{0,1:T(2,2)S(1)} x)", "f32[3,5]{0,1:T(2,2)S(1)}"),
    ("transpose(f32[3,5]{0,1:T(2,2)} x), dimensions={1,0}", "f32[5,3]{1,0:T(2,2)}"),
    ("add(negate(f32[4] x), exponential(f32[4] y))", "f32[4]{0}"),
    ("complex(abs(c64[4] x), f32[4] y)", "c64[4]{0}"),
    ("copy-done((f32[4]{0:S(1)}, f32[4], u32[]) x)", "f32[4]{0:S(1)}"),
    ("all-reduce(f32[4] x, s32[] y), to_apply=sum", "(f32[4]{0}, s32[])"),
    ("reduce(f32[9,10] a, s32[9,10] b, f32[] c, s32[] d), dimensions={0}", "(f32[10]{0}, s32[10]{0})"),
    ("opt-barrier((f32[4], s32[]) x)", "(f32[4]{0}, s32[])"),
    ("scaled-dot(f8e4m3fn[4,8] a, f8e4m3fn[8,5] b, f8e8m0fnu[4,2] c, f8e8m0fnu[2,5] d),"
     " lhs_contracting_dims={1}, rhs_contracting_dims={0}", "f8e4m3fn[4,5]{1,0}"),
]
# fmt: on


@over("line, shape", LINES)
def test_lines(line: str, shape: str) -> None:
    assert str(read_instruction(line).shape) == shape
    module = read_module(line)
    assert str(module.entry.root.shape) == shape
    assert read_module(str(module)) == module


def test_the_shapes_of_compiled_modules_follow() -> None:
    """Reading compares each written shape with what follows; so many do."""
    followed = 0
    for path in sorted((DATA / "tpu_hlo").glob("*.hlo")):
        instructions = [
            each for c in read_module(path.read_text()).computations for each in c.instructions
        ]
        followed += sum(each.opcode in RULES for each in instructions)
    assert followed > 700


def test_a_computation_gives_shapes() -> None:
    module = read_module(
        """
        max { a = f32[] parameter(0) b = f32[] parameter(1) ROOT m = maximum(a, b) }
        f { x = f32[4,8] parameter(0) ROOT y = transpose(x), dimensions={1,0} }
        ENTRY e {
          p = f32[4,8] parameter(0)
          c = call(p), to_apply=f
          z = constant(0)
          r = reduce(c, z), dimensions={1}, to_apply=max
          ROOT t = tuple(r, fusion(p), kind=kLoop, calls=f)
        }""".replace("z = constant", "z = f32[] constant").replace("fusion(p), kind=kLoop, calls=f", "p")
    )
    assert str(module.entry.root.shape) == "(f32[8]{0}, f32[4,8]{1,0})"


WRONG = [
    ("r = f32[4,7] add(f32[4,8] a, f32[4,8] b)", "add is f32[4,7] here, its operands give f32[4,8]", 14),
    ("r = f32[4] compare(f32[4] a, f32[4] b)", "compare is f32[4] here, its operands give pred[4]", 12),
    (
        "r = (f32[4]) tuple(f32[4] a, s32[] b)",
        "tuple is (f32[4]) here, its operands give (f32[4], s32[])",
        14,
    ),
    ("r = reshape(f32[4] a)", "the shape of the result of reshape does not follow: operands and", 5),
    ("r = add(a, f32[4] b)", "the shape of operand a is not known", 5),
    (
        "r = add(f32[3] a, f32[4] b)",
        "the shape of the result of add does not follow: they have the same",
        5,
    ),
    (
        "r = pad(f32[3] a, f32[] b)",
        "the shape of the result of pad does not follow: its attributes have",
        5,
    ),
    ("r = pad(f32[3] a, f32[] b), padding=x_y", "the shape of the result of pad does not follow", 5),
    (
        "r = call(f32[3] a), to_apply=f",
        "the shape of the result of call does not follow: its computation",
        5,
    ),
    (
        "r = slice(f32[3] a), slice={[0:4]}",
        "the shape of the result of slice does not follow: slice= lies",
        5,
    ),
    ("r = abs(f32[?] a)", "the shape of the result of abs does not follow: an operand has a dynamic", 5),
]


@over("line, summary, column", WRONG)
def test_what_is_refused(line: str, summary: str, column: int) -> None:
    for read in (read_instruction, read_module):
        with pytest.raises(ParseError) as caught:
            read(line)
        assert caught.value.summary.startswith(summary), caught.value.summary
        assert caught.value.column == column


def test_products_may_be_wider_and_floats_of_two_precisions_may_mix() -> None:
    dims = "lhs_contracting_dims={1}, rhs_contracting_dims={0}"
    for name in ("s32", "f32"):
        assert read_instruction(f"d = {name}[4,4] dot(s8[4,8] a, s8[8,4] b), {dims}").opcode == "dot"
    assert read_instruction("x = bf16[4] add(f32[4] a, bf16[4] b)").opcode == "add"
    assert read_instruction("x = f32[<=4] add(f32[4] a, f32[4] b)").opcode == "add"
