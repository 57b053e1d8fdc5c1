"""Ops that run a computation or wrap an op, and those that the program only names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tla import UnsupportedError
from tla.hlo import OPCODES, read_instruction, read_module, wrapped_opcode
from tla.indexing import inverse, output_to_input
from tla.indexing.fusion import computation_maps
from tla.indexing.ops import RULES, Op
from tla.indexing.ops.custom_calls import REFUSED, TRANSPARENT

from .truth import pairs

if TYPE_CHECKING:
    from tla.hlo import Instruction, Module
    from tla.indexing import IndexingMap


def module(body: str, before: str = "") -> Module:
    return read_module(f"HloModule m\n{before}\nENTRY e {{\n{body}\n}}\n")


def texts(maps: list[IndexingMap]) -> list[str]:
    return [str(m) for m in maps]


def all_texts(instruction: Instruction, output: int = 0) -> list[list[str]]:
    return [texts(maps) for maps in output_to_input(instruction, output)]


def refusal(instruction: Instruction, output: int = 0) -> str:
    with pytest.raises(UnsupportedError) as caught:
        output_to_input(instruction, output)
    return caught.value.summary


def same(n: int) -> str:
    return f"(d0) -> (d0), domain: d0 in [0, {n - 1}]"


# --- calls ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["kLoop", "kInput", "kOutput", "kCustom"])
def test_a_fusion_of_several_outputs(kind: str) -> None:
    inside = """f {
      x = f32[3,4] parameter(0)
      y = f32[3,4] parameter(1)
      t = f32[4,3] transpose(x), dimensions={1,0}
      a = f32[3,4] add(x, y)
      ROOT r = (f32[4,3], f32[3,4]) tuple(t, a)
    }"""
    body = f"""x = f32[3,4] parameter(0)
    y = f32[3,4] parameter(1)
    ROOT f1 = (f32[4,3], f32[3,4]) fusion(x, y), kind={kind}, calls=f"""
    root = module(body, inside).entry.root
    assert all_texts(root, 0) == [["(d0, d1) -> (d1, d0), domain: d0 in [0, 3], d1 in [0, 2]"], []]
    assert all_texts(root, 1) == [["(d0, d1) -> (d0, d1), domain: d0 in [0, 2], d1 in [0, 3]"]] * 2


def test_a_call_of_another_number_of_operands() -> None:
    inside = "f { x = f32[3] parameter(0)  ROOT n = f32[3] negate(x) }"
    body = "x = f32[3] parameter(0)\nROOT c = f32[3] call(x, x), to_apply=f"
    assert refusal(module(body, inside).entry.root) == (
        "call c is wrong: computation f has 1 parameter, the call 2 operands"
    )


def test_one_operand_for_two_parameters_is_one_number() -> None:
    inside = """f {
      x = f32[9] parameter(0)
      i = s32[] parameter(1)
      j = s32[] parameter(2)
      y = f32[6] dynamic-slice(x, i), dynamic_slice_sizes={6}
      ROOT z = f32[3] dynamic-slice(y, j), dynamic_slice_sizes={3}
    }"""
    body = """x = f32[9] parameter(0)
    k = s32[] parameter(1)
    ROOT c = f32[3] call(x, k, k), to_apply=f"""
    ((m,), *_) = output_to_input(module(body, inside).entry.root)
    assert str(m) == "(d0){rt0} -> (d0 + rt0 * 2), domain: d0 in [0, 2], rt0 in [0, 3]"
    assert [v.source and v.source.instruction for v in m.runtime] == ["k"]


# --- conditionals -----------------------------------------------------------------------------

BRANCHES = """
same { p = f32[4] parameter(0)  ROOT n = f32[4] negate(p) }
back { p = f32[4] parameter(0)  ROOT r = f32[4] reverse(p), dimensions={0} }
none { p = f32[4] parameter(0)  ROOT r = f32[4] constant({1, 2, 3, 4}) }
"""
MOVED = {"same": {(i, i) for i in range(4)}, "back": {(i, 3 - i) for i in range(4)}, "none": set()}


@pytest.mark.parametrize("index", range(-3, 6))
@pytest.mark.parametrize(
    "names", [["same"], ["back", "same"], ["same", "none", "back"], ["back", "none", "back", "same"]]
)
def test_a_conditional_takes_the_last_branch_where_none_has_the_number(
    names: list[str], index: int
) -> None:
    operands = ", ".join(["i", *["x"] * len(names)])
    body = f"""x = f32[4] parameter(0)
    i = s32[] parameter(1)
    ROOT c = f32[4] conditional({operands}), branch_computations={{{", ".join(names)}}}"""
    root = module(body, BRANCHES).entry.root
    taken = index if 0 <= index < len(names) else len(names) - 1

    def read(name: str, at: tuple[int, ...]) -> int:
        assert (name, at) == ("i", ())
        return index

    chooses, *branches = output_to_input(root)
    assert pairs(chooses) == {((i,), ()) for i in range(4)}
    for i, (name, maps) in enumerate(zip(names, branches, strict=True)):
        true = {((a,), (b,)) for a, b in MOVED[name]} if i == taken else set()
        assert pairs(maps, read) == true
        assert {(a, b) for b, a in pairs(map(inverse, maps), read)} == true
    # both operands are one array of the computation around it
    through, _ = computation_maps(module(body, BRANCHES).entry)
    assert pairs(through, read) == {((a,), (b,)) for a, b in MOVED[names[taken]]}


@pytest.mark.parametrize("pred", [False, True])
@pytest.mark.parametrize("swapped", [False, True])
def test_of_a_pred_the_first_operand_is_for_true(pred: bool, swapped: bool) -> None:
    attributes = ["true_computation=same", "false_computation=back"]
    body = f"""x = f32[4] parameter(0)
    y = f32[4] parameter(1)
    q = pred[] parameter(2)
    ROOT c = f32[4] conditional(q, x, y), {", ".join(attributes[::-1] if swapped else attributes)}"""
    _, yes, no = output_to_input(module(body, BRANCHES).entry.root)
    read: Any = lambda _name, _at: int(pred)  # noqa: E731
    assert pairs(yes, read) == {((a,), (b,)) for a, b in MOVED["same"] if pred}
    assert pairs(no, read) == {((a,), (b,)) for a, b in MOVED["back"] if not pred}


def test_numbers_of_branches_are_told_apart() -> None:
    branch = """{} {{
      s = (f32[9], s32[]) parameter(0)
      x = f32[9] get-tuple-element(s), index=0
      i = s32[] get-tuple-element(s), index=1
      ROOT r = f32[4] dynamic-slice(x, i), dynamic_slice_sizes={{4}}
    }}
    """
    body = """s = (f32[9], s32[]) parameter(0)
    p = pred[] parameter(1)
    ROOT c = f32[4] conditional(p, s, s), true_computation=a, false_computation=b"""
    root = module(body, branch.format("a") + branch.format("b")).entry.root
    _, (yes,), index, (no,), _ = output_to_input(root)
    assert [[v.source and v.source.instruction for v in m.runtime] for m in (yes, no)] == [
        ["c/a/i", "p"],
        ["c/b/i", "p"],
    ]
    assert texts(index) == ["(d0){rt0} -> (), domain: d0 in [0, 3], rt0 in [1, 1]"]


def test_a_branch_without_maps() -> None:
    branches = """
    known { p = f32[4] parameter(0)  ROOT n = f32[4] negate(p) }
    not_known { p = f32[4] parameter(0)  ROOT r = f32[4] custom-call(p), custom_call_target="x" }"""
    body = """x = f32[4] parameter(0)
    i = s32[] parameter(1)
    ROOT c = f32[4] conditional(i, x, x), branch_computations={known, not_known}"""
    _, known, not_known = output_to_input(module(body, branches).entry.root)
    assert texts(known) == ["(d0){rt0} -> (d0), domain: d0 in [0, 3], rt0 in [0, 0]"]
    assert [m.is_undefined for m in not_known] == [True]
    line = "c = f32[4] conditional(s32[] i, f32[4] x, f32[4] y), branch_computations={a, b}"
    assert refusal(read_instruction(line)).endswith(
        " because the computation it calls is not known: a, b"
    )
    assert refusal(module(body.replace("i, x, x", "i, x"), branches).entry.root).endswith(
        " is wrong: it does not have one operand for each of its branches: known, not_known"
    )


# --- loops ------------------------------------------------------------------------------------

LOOP = """
body {
  s = (s32[], f32[8], f32[4,8], f32[8]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[8] get-tuple-element(s), index=1
  rows = f32[4,8] get-tuple-element(s), index=2
  kept = f32[8] get-tuple-element(s), index=3
  one = s32[] constant(1)
  zero = s32[] constant(0)
  next = s32[] add(i, one)
  row = f32[1,8] dynamic-slice(rows, i, zero), dynamic_slice_sizes={1,8}
  flat = f32[8] reshape(row)
  back = f32[8] reverse(x), dimensions={0}
  sum = f32[8] add(back, flat)
  ROOT t = (s32[], f32[8], f32[4,8], f32[8]) tuple(next, sum, rows, kept)
}
while_true { s = (s32[], f32[8], f32[4,8], f32[8]) parameter(0)  ROOT p = pred[] constant(true) }
"""
LOOPED = """
  i = s32[] parameter(0)
  x = f32[8] parameter(1)
  rows = f32[4,8] parameter(2)
  kept = f32[8] parameter(3)
  s = (s32[], f32[8], f32[4,8], f32[8]) tuple(i, x, rows, kept)
  ROOT w = (s32[], f32[8], f32[4,8], f32[8]) while(s), condition=while_true, body=body
"""


def test_of_a_loop_one_iteration_has_maps() -> None:
    root = module(LOOPED, LOOP).entry.root
    assert all_texts(root, 0) == [["() -> ()"], [], [], []]
    number, x, rows, kept = output_to_input(root, 1)
    assert texts(number) == ["(d0) -> (), domain: d0 in [0, 7]"]
    assert texts(x) == ["(d0) -> (-d0 + 7), domain: d0 in [0, 7]"]
    assert texts(rows) == ["(d0){rt0} -> (rt0, d0), domain: d0 in [0, 7], rt0 in [0, 3]"]
    assert rows[0].runtime[0].source is not None
    assert rows[0].runtime[0].source.instruction == "w/body/i"
    assert kept == []
    assert all_texts(root, 3) == [[], [], [], [same(8)]]


def test_through_a_loop_only_what_it_carries_along_is_followed() -> None:
    entry = module(LOOPED, LOOP).entry
    assert [texts(maps) for maps in computation_maps(entry, 3)] == [[], [], [], [same(8)]]
    why = "instruction w is a loop: how often it changes its state is not known"
    assert [[m.reason for m in maps] for maps in computation_maps(entry, 1)] == [[why]] * 4


COPIED = """
go_on { s = (f32[8], f32[8]) parameter(0)  ROOT p = pred[] constant(true) }
inner {
  s = (f32[8], f32[8]) parameter(0)
  a = f32[8] get-tuple-element(s), index=0
  b = f32[8] get-tuple-element(s), index=1
  c = f32[8] copy(a)
  n = f32[8] negate(b)
  ROOT t = (f32[8], f32[8]) tuple(c, n)
}
outer {
  s = (f32[8], f32[8]) parameter(0)
  ROOT w = (f32[8], f32[8]) while(s), condition=go_on, body=inner
}
"""


def test_what_a_loop_within_a_loop_carries_along() -> None:
    """A number that changes at its place is no such: how often it does depends on the condition."""
    body = """x = f32[8] parameter(0)
    y = f32[8] parameter(1)
    s = (f32[8], f32[8]) tuple(x, y)
    ROOT w = (f32[8], f32[8]) while(s), condition=go_on, body=outer"""
    entry = module(body, COPIED).entry
    assert [texts(maps) for maps in computation_maps(entry, 0)] == [[same(8)], []]
    assert [[m.is_undefined for m in maps] for maps in computation_maps(entry, 1)] == [[True]] * 2


# --- asynchronous ops -------------------------------------------------------------------------


def test_a_slice_in_two_parts() -> None:
    body = """x = f32[8,4] parameter(0)
    s = ((f32[8,4]), f32[2,4], s32[]) slice-start(x), slice={[2:6:2], [0:4]}
    ROOT d = f32[2,4] slice-done(s)"""
    entry = module(body).entry
    start = entry.instruction("s")
    whole = "(d0, d1) -> (d0, d1), domain: d0 in [0, {}], d1 in [0, 3]"
    part = "(d0, d1) -> (d0 * 2 + 2, d1), domain: d0 in [0, 1], d1 in [0, 3]"
    assert all_texts(start, 0) == [[whole.format(7)]]
    assert all_texts(start, 1) == [[part]]
    assert all_texts(start, 2) == [[]]
    assert all_texts(entry.root) == [[], [whole.format(1)], []]
    assert [texts(maps) for maps in computation_maps(entry)] == [[part]]


def test_a_copy_in_two_parts() -> None:
    """The copy comes first, what is copied second: here they differ by their layouts alone."""
    body = """x = f32[8] parameter(0)
    s = (f32[8]{0:S(1)}, f32[8], u32[]) copy-start(x)
    ROOT d = f32[8]{0:S(1)} copy-done(s)"""
    entry = module(body).entry
    assert [all_texts(entry.instruction("s"), i) for i in range(3)] == [[[same(8)]], [[same(8)]], [[]]]
    assert all_texts(entry.root) == [[same(8)], [], []]


def test_the_long_form_runs_a_computation() -> None:
    inside = """wrapped {
      x = f32[8] parameter(0)
      y = f32[8] parameter(1)
      r = f32[8] reverse(x), dimensions={0}
      ROOT t = (f32[8], f32[8]) tuple(r, y)
    }"""
    result = "((f32[8], f32[8]), (f32[8], f32[8]), s32[])"
    body = f"""x = f32[8] parameter(0)
    y = f32[8] parameter(1)
    s = {result} async-start(x, y), calls=wrapped
    u = {result} async-update(s)
    ROOT d = (f32[8], f32[8]) async-done(u)"""
    entry = module(body, inside).entry
    back = "(d0) -> (-d0 + 7), domain: d0 in [0, 7]"
    start = entry.instruction("s")
    assert [all_texts(start, i) for i in range(5)] == [
        [[same(8)], []],
        [[], [same(8)]],
        [[back], []],
        [[], [same(8)]],
        [[], []],
    ]
    for output in range(5):
        update = all_texts(entry.instruction("u"), output)
        moved = same(8) if output < 4 else "() -> ()"
        assert update == [[moved] if i == output else [] for i in range(5)]
    assert [texts(maps) for maps in computation_maps(entry, 0)] == [[back], []]
    assert [texts(maps) for maps in computation_maps(entry, 1)] == [[], [same(8)]]


def test_the_short_form_of_a_call() -> None:
    inside = "f { x = f32[4] parameter(0)  ROOT r = f32[4] reverse(x), dimensions={0} }"
    body = """x = f32[4] parameter(0)
    s = ((f32[4]), f32[4], s32[]) fusion-start(x), kind=kLoop, calls=f
    ROOT d = f32[4] fusion-done(s)"""
    ((m,),) = computation_maps(module(body, inside).entry)
    assert str(m) == "(d0) -> (-d0 + 3), domain: d0 in [0, 3]"


def test_collectives_in_two_parts() -> None:
    body = """x = f32[4] parameter(0)
    a = (f32[4], f32[8]) all-gather-start(x), replica_groups={{0,1}}, dimensions={0}
    b = f32[8] all-gather-done(a)
    c = f32[8] all-reduce-start(b), replica_groups={{0,1}}, to_apply=add
    d = f32[8] all-reduce-done(c)
    e = (f32[8], f32[8], u32[], u32[]) collective-permute-start(d), source_target_pairs={{0,1},{1,0}}
    ROOT f = f32[8] collective-permute-done(e)"""
    add = "add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }"
    parts = module(body, add).entry
    whole = parts.instruction
    lines = [
        ("a", 1, "g = f32[8] all-gather(f32[4] x), replica_groups={{0,1}}, dimensions={0}"),
        ("c", 0, "g = f32[8] all-reduce(f32[8] b), replica_groups={{0,1}}, to_apply=add"),
        ("e", 1, "g = f32[8] collective-permute(f32[8] d), source_target_pairs={{0,1},{1,0}}"),
    ]
    for name, output, line in lines:
        assert output_to_input(whole(name), output) == output_to_input(read_instruction(line))
    assert all_texts(whole("b")) == [[], [same(8)]]
    assert all_texts(whole("d")) == [[same(8)]]
    assert all_texts(whole("f")) == [[], [same(8)], [], []]


def test_results_of_other_forms_are_refused() -> None:
    for line, why in (
        ("slice-start(f32[4] x), slice={[0:2]}", "its result f32[2]{0} is no tuple"),
        ("slice-done((f32[4], f32[3]) x)", "f32[2]{0} is no array of its operands"),
        ("slice-done(f32[2] x)", "its operand has no result number 0"),
    ):
        error = refusal(read_instruction(f"s = f32[2] {line}"))
        assert error == f"{line.partition('(')[0]} s is wrong: {why}"


# --- what the program only names --------------------------------------------------------------


def test_custom_calls() -> None:
    def call(operands: str, target: str) -> Instruction:
        return read_instruction(f'c = f32[4] custom-call({operands}), custom_call_target="{target}"')

    assert output_to_input(call("", "AllocateBuffer")) == []
    for target in TRANSPARENT:
        assert all_texts(call("f32[4] x, f32[4] y", target)) == [[same(4)]] * 2
    for operands, target in [("f32[4] x", "mine"), ("f32[5] x", "Sharding")]:
        assert refusal(call(operands, target)) == (
            f"instruction c: op custom-call is not supported because "
            f"what its target {target} reads is not known"
        )
    assert refusal(read_instruction("c = f32[4] custom-call(f32[4] x)")).endswith("it has no target")


def test_arrays_behind_each_other() -> None:
    line = (
        "c = f32[4,6]{0,1} custom-call(f32[4,2] x, f32[4,1] y, f32[4,3] z), "
        'custom_call_target="ConcatBitcast"'
    )
    domain = "domain: d0 in [0, 3], d1 in"
    assert all_texts(read_instruction(line)) == [
        [f"(d0, d1) -> (d0, d1), {domain} [0, 1]"],
        [f"(d0, d1) -> (d0, d1 - 2), {domain} [2, 2]"],
        [f"(d0, d1) -> (d0, d1 - 3), {domain} [3, 5]"],
    ]
    for wrong in ("f32[4,6]{1,0}", "f32[4,7]{0,1}", "f32[5,6]{0,1}", "f32[24]", "f32[]"):
        with pytest.raises(UnsupportedError, match="op custom-call is not supported because"):
            output_to_input(read_instruction(line.replace("f32[4,6]{0,1}", wrong)))


@pytest.mark.parametrize("opcode", REFUSED)
def test_what_goes_between_devices(opcode: str) -> None:
    line = read_instruction(f"x = f32[4] {opcode}(f32[4] y, token[] t)")
    assert refusal(line) == f"instruction x: op {opcode} is not supported because {REFUSED[opcode]}"


@pytest.mark.parametrize("opcode", ["get-tuple-element", "custom-call", "call", "while", "async-done"])
def test_opcodes_at_which_xla_ends(opcode: str) -> None:
    """XLA's analysis aborts the program at them, openxla/xla 47387."""
    assert opcode in RULES


def test_every_short_form_has_a_rule() -> None:
    short = [f"{each}{part}" for each in OPCODES for part in ("-start", "-update", "-done")]
    assert {each for each in short if wrapped_opcode(each)} <= RULES.keys()


def test_every_opcode_that_calls_has_a_rule() -> None:
    lines = ["f = f32[2] fusion(f32[2] x), kind=kLoop, calls=c", "f = f32[2] call(f32[2] x), to_apply=c"]
    for line in lines:
        assert Op(read_instruction(line)).opcode in RULES
        assert "the computation it calls is not known: c" in refusal(read_instruction(line))
