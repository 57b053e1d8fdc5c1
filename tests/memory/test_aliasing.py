"""Which arrays of a result lie in an operand's memory."""

from __future__ import annotations

import pytest
from cases import shapes_as_written

from tla.errors import ParseError, UnsupportedError
from tla.hlo import read_instruction, read_module
from tla.memory import RULES
from tla.memory.aliasing import Summary, arrays, results, summary
from tla.xla_bridge import XlaShape, XlaTuple

SHARED = (
    'backend_config={"flag_configs":[],"aliasing_operands":{"lists":[{"indices":["0","5"]},'
    '{"indices":["3","4"]}]},"x":[]}'
)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("r = f32[2] add(a, b)", {(): ((), "own")}),
        ("r = f32[4] bitcast(a)", {(): (((0, ()),), "forward")}),
        ("r = (f32[2], (u8[3], f32[])) tuple(a, b)", {
            (0,): (((0, ()),), "forward"),
            (1, 0): (((1, (0,)),), "forward"),
            (1, 1): (((1, (1,)),), "forward"),
        }),
        ("r = (u8[3], f32[]) get-tuple-element(a), index=1", {
            (0,): (((0, (1, 0)),), "forward"),
            (1,): (((0, (1, 1)),), "forward"),
        }),
        ("r = (f32[2]) opt-barrier(a)", {(0,): (((0, (0,)),), "forward")}),
        ('r = f32[4] custom-call(a, b), custom_call_target="ConcatBitcast"', {
            (): (((0, ()), (1, ())), "forward"),
        }),
        ('r = f32[4] custom-call(), custom_call_target="AllocateBuffer"', {(): ((), "own")}),
        ("r = (f32[2]{0:S(1)}, f32[2], u32[]{:S(2)}) copy-start(a)", {
            (0,): ((), "own"),
            (1,): (((0, ()),), "start"),
            (2,): ((), "own"),
        }),
        ("r = f32[2]{0:S(1)} copy-done(a)", {(): (((0, (0,)),), "done")}),
        ("r = ((f32[4], s32[]), f32[2], s32[]{:S(2)}) slice-start(a, b), slice={[0:2]}", {
            (0, 0): (((0, ()),), "start"),
            (0, 1): (((1, ()),), "start"),
            (1,): ((), "own"),
            (2,): ((), "own"),
        }),
        ("r = f32[2] slice-done(a)", {(): (((0, (1,)),), "done")}),
        ("r = (f32[2], f32[8]) all-gather-start(a), dimensions={0}", {
            (0,): (((0, ()),), "start"),
            (1,): ((), "own"),
        }),
        ("r = ((f32[2], u8[2]), (f32[8], u8[8])) all-gather-start(a, b), dimensions={0}", {
            (0, 0): (((0, ()),), "start"),
            (0, 1): (((1, ()),), "start"),
            (1, 0): ((), "own"),
            (1, 1): ((), "own"),
        }),
        ("r = (f32[8], u8[8]) all-gather-done(a)", {
            (0,): (((0, (1, 0)),), "done"),
            (1,): (((0, (1, 1)),), "done"),
        }),
        ("r = f32[2] all-reduce-start(a), to_apply=f", {(): ((), "own")}),
        ("r = f32[2] all-reduce-done(a)", {(): (((0, ()),), "done")}),
        ("r = (f32[2], f32[2], u32[]{:S(2)}) collective-permute-start(a)", {
            (0,): (((0, ()),), "start"),
            (1,): ((), "own"),
            (2,): ((), "own"),
        }),
        ("r = (f32[2], u32[], token[]) send(a, b)", {(0,): (((0, ()),), "start"), (1,): ((), "own")}),
        ("r = (f32[2], u32[], token[]) recv(a)", {(0,): ((), "own"), (1,): ((), "own")}),
        ("r = (f32[2], token[]) recv-done(a)", {(0,): (((0, (0,)),), "done")}),
        ("r = (f32[2], s32[]) while(a), condition=c, body=b", {
            (0,): (((0, (0,)),), "loop"),
            (1,): (((0, (1,)),), "loop"),
        }),
        ("r = f32[8] dynamic-update-slice(a, b, c)", {(): (((0, ()),), "in place")}),
        ("r = (f32[8], f32[4]) scatter(a, b, c, d, e), to_apply=f", {
            (0,): (((0, ()),), "in place"),
            (1,): (((1, ()),), "in place"),
        }),
        (f"r = f32[8] select(a, b, c, d, e), {SHARED}", {(): (((0, ()),), "declared")}),
        ("r = (f32[8], f32[4]) custom-call(a, b), output_to_operand_aliasing={{1}: (0, {2})}", {
            (0,): ((), "own"),
            (1,): (((0, (2,)),), "declared"),
        }),
        ("r = token[] after-all()", {}),
        ("r = (f32[2]) conditional(p, a, b), branch_computations={f, g}", {(0,): ((), "own")}),
        ("r = f32[2] call(a), to_apply=unknown", {(): ((), "own")}),
        ("r = f32[2] fusion(a), kind=kLoop, calls=unknown", {(): ((), "own")}),
    ],
)  # fmt: skip
def test_single_instructions(line: str, expected: dict[tuple[int, ...], object]) -> None:
    found = results(read_instruction(line))
    assert {r.shape_index: (r.of, r.rule) for r in found} == expected
    assert all(r.rule in RULES for r in found)
    assert all(r.is_written == (r.rule not in ("forward", "start", "done")) for r in found)


@pytest.mark.parametrize(
    "line",
    [
        "r = f32[2] bitcast()",
        "r = (f32[2], f32[2]) tuple()",
        "r = f32[2] get-tuple-element()",
        "r = f32[2] fusion(a)",
        "r = f32[2] call(a)",
        "r = (f32[2]) while()",
        "r = f32[2] copy-done()",
        "r = f32[2] dynamic-update-slice()",
    ],
)
def test_operands_and_callees_that_are_left_out(line: str) -> None:
    try:
        instruction = read_instruction(line)
    except ParseError:
        return  # it is refused before
    assert [(r.of, r.rule) for r in results(instruction)] == [((), "own")] * len(results(instruction))


def test_a_callee_that_hands_on_and_writes() -> None:
    called = {"f": Summary({(0,): (1, ()), (1,): (0, (2,))}, frozenset({(1,)}))}
    line = "r = (f32[2], f32[2], f32[2]) {}(a, b), {}=f"
    of_call = results(read_instruction(line.format("call", "to_apply")), called)
    assert [(r.of, r.rule) for r in of_call] == [
        (((1, ()),), "callee"),
        (((0, (2,)),), "callee"),
        ((), "own"),
    ]
    both = line.format("fusion", "kind=kLoop, calls") + (
        ', backend_config={"aliasing_operands":{"lists":[{"indices":["1","4"]}]}}'
    )
    assert [(r.of, r.rule) for r in results(read_instruction(both), called)] == [
        ((), "own"),
        (((0, (2,)),), "in place"),
        (((1, ()),), "declared"),
    ]
    of_fusion = results(read_instruction(line.format("fusion", "kind=kLoop, calls")), called)
    assert [(r.of, r.rule) for r in of_fusion] == [((), "own"), (((0, (2,)),), "in place"), ((), "own")]


def test_the_summary_of_a_computation() -> None:
    module = read_module(
        """
        ENTRY f {
          p = (f32[8], f32[8]) parameter(0)
          u = f32[2] parameter(1)
          i = s32[] parameter(2)
          a = f32[8] get-tuple-element(p), index=0
          b = f32[8] get-tuple-element(p), index=1
          c = f32[2,4] bitcast(a)
          d = f32[8] bitcast(c)
          e = f32[8] dynamic-update-slice(d, u, i)
          g = f32[8] negate(b)
          ROOT r = (f32[8], f32[8], f32[8], f32[8]) tuple(b, e, g, e)
        }
        """
    )
    found = summary(module.entry.instructions, {})
    assert found == Summary({(0,): (0, (1,)), (1,): (0, (0,)), (3,): (0, (0,))}, frozenset({(1,), (3,)}))
    assert not found.hands_on((0,))  # it comes from another place
    assert not found.hands_on((1,))


def test_a_body_that_hands_on() -> None:
    module = read_module(
        """
        ENTRY f {
          p = (f32[8], f32[8]) parameter(0)
          a = f32[8] get-tuple-element(p), index=0
          b = f32[8] get-tuple-element(p), index=1
          n = f32[8] negate(b)
          ROOT r = (f32[8], f32[8]) tuple(a, n)
        }
        """
    )
    found = summary(module.entry.instructions, {})
    assert [found.hands_on((i,)) for i in range(3)] == [True, False, False]


def test_arrays_of_deep_tuples() -> None:
    shape: XlaTuple = XlaTuple([XlaShape("f32", [2]), XlaShape("token", [])])
    for _ in range(90):
        shape = XlaTuple([shape])
    ((index, array),) = arrays(shape)
    assert index == (0,) * 91
    assert str(array) == "f32[2]{0}"


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("q = f32[2] tuple(f32[2] p)", "the tuple q of line 1 breaks a rule: it gives no tuple"),
        (
            "q = f32[2] get-tuple-element((f32[2]) p), index=1",
            r"q of line 1 breaks a rule: its operand \(f32\[2\]\{0\}\) has no element 1",
        ),
        ("q = f32[2] get-tuple-element(f32[2] p), index=0", "has no element 0"),
    ],
)
@shapes_as_written
def test_what_is_no_tuple(line: str, why: str) -> None:
    with pytest.raises(UnsupportedError, match=why):
        results(read_instruction(line))
