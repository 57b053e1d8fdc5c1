"""Whole computations: against what running their definitions depends on, and the known cases of XLA."""

from __future__ import annotations

import json
import re
from itertools import permutations
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from cases import share

from tla import CoordinateError, UnsupportedError
from tla.hlo import read_instruction, read_module
from tla.indexing import inverse, maps_to, output_to_input, parse_map, union
from tla.indexing.fusion import computation_maps

from .programs import program
from .truth import pairs

if TYPE_CHECKING:
    from tla.hlo import Module
    from tla.indexing import IndexingMap

SEED = {
    row["name"]: row
    for row in map(
        json.loads,
        (Path(__file__).parent.parent / "data" / "indexing_seed.jsonl").read_text().splitlines(),
    )
}
ADD = "add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }"


def module(body: str, before: str = ADD) -> Module:
    return read_module(f"HloModule m\n{before}\nENTRY e {{\n{body}\n}}\n")


def texts(maps: list[IndexingMap]) -> set[str]:
    return {str(m) for m in maps}


# --- against the definition -------------------------------------------------------------------


@pytest.mark.parametrize("begin", range(0, 400, 50))
def test_random_computations(begin: int) -> None:
    for number in range(begin, begin + 50):
        made = program(Random(number), 2 + number % 11)
        computation = read_module(made.text()).entry
        maps = computation_maps(computation)
        assert len(maps) == len(made.parameters)
        for k, found in enumerate(maps):
            true = made.truth(made.values[-1], k)

            def read(name: str, _at: tuple[int, ...], starts: dict[str, int] = made.starts) -> int:
                return starts[name]

            assert pairs(found, read) == true, (number, k)
            assert {(a, b) for b, a in pairs(map(inverse, found), read)} == true, (number, k)


@pytest.mark.parametrize("number", range(40))
def test_a_fusion_is_its_computation(number: int) -> None:
    made = program(Random(1000 + number), 6)
    text = made.text().replace("HloModule m", "").replace("ENTRY e", "inside")
    formals = [line for line in made.lines if " parameter(" in line]
    names = ", ".join(line.split(" ")[0] for line in formals)
    call = f"ROOT f = {made.values[-1].shape} fusion({names}), kind=kLoop, calls=inside"
    entry = module("\n".join([*formals, call]), text).entry
    assert output_to_input(entry.root) == computation_maps(entry.root.computations[0])
    assert computation_maps(entry) == computation_maps(entry.root.computations[0])


def test_union_keeps_all_pairs() -> None:
    """It has the pairs of all maps, and none of its maps lies inside another, by enumeration."""
    pytest.importorskip("islpy")
    gone = 0
    for number in range(share(100)):
        made = program(Random(number), 14)
        for found in computation_maps(read_module(made.text()).entry):
            kept = union(found)

            def read(name: str, _at: tuple[int, ...], starts: dict[str, int] = made.starts) -> int:
                return starts[name]

            sets = [pairs([m], read) for m in kept]
            assert set().union(*sets) == pairs(found, read)
            assert [m for m in found if m in kept] == kept
            if not any(m.runtime for m in kept):
                assert not any(a <= b for a, b in permutations(sets, 2)), number
            gone += len(found) - len(kept)
    assert gone > share(10)


def test_maps_to_an_instruction_are_those_of_a_parameter_in_its_place() -> None:
    for number in range(share(60)):
        made = program(Random(number), 7)
        before, text = made.text().split("ENTRY")
        entry = read_module(made.text()).entry
        for each in entry.instructions:
            if each is entry.root or each.opcode in ("parameter", "constant"):
                continue
            count = len(entry.parameters)
            cut = re.sub(rf"(?m)^(\s*{re.escape(each.name)} = \S+) .*$", rf"\1 parameter({count})", text)
            assert (
                maps_to(entry, each)[0]
                == computation_maps(read_module(f"{before}ENTRY{cut}").entry)[count]
            )
        for i, each in enumerate(entry.parameters):
            assert maps_to(entry, f"%{each.name}") == [computation_maps(entry)[i]]


def test_maps_to_an_instruction_that_is_not_there() -> None:
    entry = module("p = f32[3] parameter(0)\nROOT near = f32[3] negate(p)").entry
    with pytest.raises(LookupError, match="no instruction naer") as caught:
        maps_to(entry, "naer")
    assert "Near names: near." in str(caught.value)
    with pytest.raises(CoordinateError, match="no output 1"):
        maps_to(entry, "p", 1)
    assert maps_to(entry, "near") == [[parse_map("(d0) -> (d0), domain: d0 in [0, 2]")]]


# --- the worked examples ----------------------------------------------------------------------


def expected(name: str) -> set[str]:
    maps = SEED[name]["seed_map"]
    return {str(parse_map(text)) for text in ([maps] if isinstance(maps, str) else maps)}


@pytest.mark.parametrize("name", ["fusion_p0_plus_transpose", "fusion_dedup"])
def test_fusions_of_the_document(name: str) -> None:
    ((*maps,),) = computation_maps(module(SEED[name]["hlo"]).entry)
    assert texts(maps) == expected(name)


SOFTMAX = """
  p0 = f32[2,65,125]{2,1,0} parameter(0)
  low = f32[] constant(-inf)
  top = f32[2,65]{1,0} reduce(p0, low), dimensions={2}, to_apply=add
  flat = f32[130]{0} bitcast(top)
  wide = f32[130,125]{1,0} broadcast(flat), dimensions={0}
  tops = f32[2,65,125]{2,1,0} bitcast(wide)
  less = f32[2,65,125]{2,1,0} subtract(p0, tops)
  power = f32[2,65,125]{2,1,0} exponential(less)
  zero = f32[] constant(0)
  sum = f32[2,65]{1,0} reduce(power, zero), dimensions={2}, to_apply=add
  sums = f32[2,65,125]{2,1,0} broadcast(sum), dimensions={0,1}
  ROOT share = f32[2,65,125]{2,1,0} divide(power, sums)
"""


def test_softmax() -> None:
    ((*maps,),) = computation_maps(module(SOFTMAX).entry)
    assert texts(maps) == expected("softmax")


def test_a_slice_of_a_slice_bears_the_right_labels() -> None:
    """XLA labels the variables of the first slice with the starts of the second, openxla/xla 49119."""
    inside = """f {
      src = s32[150,64] parameter(0)
      of11 = s32[] parameter(1)
      of12 = s32[] parameter(2)
      of21 = s32[] parameter(3)
      of22 = s32[] parameter(4)
      ds1 = s32[50,32] dynamic-slice(src, of11, of12), dynamic_slice_sizes={50,32}
      ROOT ds2 = s32[25,16] dynamic-slice(ds1, of21, of22), dynamic_slice_sizes={25,16}
    }"""
    formals = "\n".join(f"p{i} = s32[{'150,64' if not i else ''}] parameter({i})" for i in range(5))
    call = "ROOT f1 = s32[25,16] fusion(p0, p1, p2, p3, p4), kind=kLoop, calls=f"
    entry = module(f"{formals}\n{call}", inside).entry
    (m,), *starts = computation_maps(entry.root.computations[0])
    assert str(m) == (
        "(d0, d1){rt0, rt1, rt2, rt3} -> (d0 + rt0 + rt2, d1 + rt1 + rt3), domain: d0 in [0, 24], "
        "d1 in [0, 15], rt0 in [0, 100], rt1 in [0, 32], rt2 in [0, 25], rt3 in [0, 16]"
    )
    sources = [v.source for v in m.runtime]
    assert [s and s.instruction for s in sources] == ["of11", "of12", "of21", "of22"]
    assert [s and s.clamp for s in sources] == [v.bounds for v in m.runtime]
    assert all(
        texts(each) == {"(d0, d1) -> (), domain: d0 in [0, 24], d1 in [0, 15]"} for each in starts
    )
    (outside,), *_ = output_to_input(entry.root)
    assert [v.source and v.source.instruction for v in outside.runtime] == ["p1", "p2", "p3", "p4"]


def test_a_number_of_a_call_is_that_call_s() -> None:
    inside = """f {
      x = f32[9] parameter(0)
      i = s32[] parameter(1)
      j = s32[] negate(i)
      ROOT y = f32[6] dynamic-slice(x, j), dynamic_slice_sizes={6}
    }
    g {
      x = f32[6] parameter(0)
      i = s32[] parameter(1)
      j = s32[] negate(i)
      ROOT y = f32[3] dynamic-slice(x, j), dynamic_slice_sizes={3}
    }"""
    body = """x = f32[9] parameter(0)
    i = s32[] parameter(1)
    k = s32[] parameter(2)
    c = f32[6] call(x, i), to_apply=f
    ROOT d = f32[3] call(c, k), to_apply=g"""
    (m,), *_ = computation_maps(module(body, inside).entry)
    assert [v.source and v.source.instruction for v in m.runtime] == ["c/j", "d/j"]


def test_a_number_that_is_read_twice_is_one() -> None:
    body = """x = f32[9] parameter(0)
    i = s32[] parameter(1)
    y = f32[6] dynamic-slice(x, i), dynamic_slice_sizes={6}
    z = f32[6] dynamic-slice(x, i), dynamic_slice_sizes={6}
    ROOT r = f32[6] add(y, z)"""
    (m,), _ = computation_maps(module(body).entry)
    assert str(m) == "(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 5], rt0 in [0, 3]"


# --- tuples -----------------------------------------------------------------------------------


def test_several_outputs_and_tuples_inside() -> None:
    body = """p = (f32[4], (f32[5], f32[6])) parameter(0)
    q = f32[7] parameter(1)
    a = f32[4] get-tuple-element(p), index=0
    inner = (f32[5], f32[6]) get-tuple-element(p), index=1
    b = f32[6] get-tuple-element(inner), index=1
    t = ((f32[5], f32[6]), f32[7]) tuple(inner, q)
    u = (f32[5], f32[6]) get-tuple-element(t), index=0
    v = f32[5] get-tuple-element(u), index=0
    w = f32[6] reverse(b), dimensions={0}
    ROOT r = (f32[4], (f32[6], f32[5])) tuple(a, s)"""
    body = body.replace("ROOT", "s = (f32[6], f32[5]) tuple(w, v)\n    ROOT")
    entry = module(body).entry
    found = [[texts(maps) for maps in computation_maps(entry, output)] for output in range(3)]
    same = [{f"(d0) -> (d0), domain: d0 in [0, {n - 1}]"} for n in (4, 5, 6)]
    assert found == [
        [same[0], set(), set(), set()],
        [set(), set(), {"(d0) -> (-d0 + 5), domain: d0 in [0, 5]"}, set()],
        [set(), same[1], set(), set()],
    ]
    for output in (-1, 3):
        with pytest.raises(CoordinateError, match=rf"computation e has no output {output}"):
            computation_maps(entry, output)


@pytest.mark.parametrize("index", ["x", "-1", "2"])
def test_an_element_that_a_tuple_does_not_have(index: str) -> None:
    body = f"""p = (f32[4], f32[4]) parameter(0)
    ROOT r = f32[4] get-tuple-element(p), index={index}"""
    first, second = computation_maps(module(body).entry)
    for (m,) in (first, second):
        assert m.is_undefined
        assert f"its operand has no such element {index}" in m.reason


def test_a_root_that_is_a_parameter_or_a_constant() -> None:
    assert [texts(maps) for maps in computation_maps(module("ROOT p = f32[2] parameter(0)").entry)] == [
        {"(d0) -> (d0), domain: d0 in [0, 1]"}
    ]
    body = "p = f32[2] parameter(0)\nROOT c = f32[2] constant({1, 2})"
    assert computation_maps(module(body).entry) == [[]]


def test_an_array_without_elements_reads_none() -> None:
    body = 'p = f32[2] parameter(0)\nROOT c = f32[0] custom-call(p), custom_call_target="x"'
    assert computation_maps(module(body).entry) == [[]]


# --- what has no maps -------------------------------------------------------------------------


def test_behind_what_has_no_maps_is_why() -> None:
    body = """p = f32[4] parameter(0)
    q = f32[4] parameter(1)
    s = f32[4] parameter(2)
    n = f32[4] negate(p)
    c = f32[4] custom-call(n, q), custom_call_target="mine"
    ROOT r = f32[4] add(c, p)"""
    first, second, third = computation_maps(module(body).entry)
    why = (
        "instruction c: op custom-call is not supported because what its target mine reads is not known"
    )
    assert [m.reason for m in first if m.is_undefined] == [why]
    assert [str(m) for m in first if not m.is_undefined] == ["(d0) -> (d0), domain: d0 in [0, 3]"]
    assert [m.reason for m in second] == [why]
    assert third == []


def test_what_is_not_reached_does_not_count() -> None:
    body = """p = f32[4] parameter(0)
    c = f32[4] custom-call(p), custom_call_target="mine"
    z = f32[] constant(0)
    a = f32[8] pad(c, z), padding=4_0
    ROOT r = f32[4] slice(a), slice={[0:4]}"""
    assert computation_maps(module(body).entry) == [[]]


def test_a_fragment() -> None:
    """Of an operand without a shape nothing is known, nor of what stands beside it."""
    text = "a = f32[2] add(other, f32[2] x)\nb = f32[2] reverse(a), dimensions={0}\n"
    ((m,),) = computation_maps(read_module(text).entry)
    assert m.reason == (
        "instruction a: op add is not supported because the shape of operand other is not known"
    )


@pytest.mark.parametrize("sizes", ["?", "?,3"])
def test_sizes_that_are_not_known(sizes: str) -> None:
    body = f"p = f32[{sizes}] parameter(0)\nq = f32[3] parameter(1)\nROOT n = f32[{sizes}] negate(p)"
    (m,), none = computation_maps(module(body).entry)
    assert m.reason.endswith("has a dim of unknown size")
    assert none == []
    body = f"p = f32[{sizes}] parameter(0)\nn = f32[{sizes}] negate(p)\n"
    body += 'ROOT c = f32[3] custom-call(n), custom_call_target="x"'
    ((m,),) = computation_maps(module(body).entry)
    assert m.is_undefined


def test_a_bounded_dim_is_as_long_as_its_bound() -> None:
    body = "p = f32[<=5] parameter(0)\nROOT n = f32[<=5] negate(p)"
    ((m,),) = computation_maps(module(body).entry)
    assert str(m) == "(d0) -> (d0), domain: d0 in [0, 4]"


def test_the_number_of_maps_is_bounded() -> None:
    lines = ["p = f32[4096] parameter(0)", "z = f32[] constant(0)", "x0 = f32[4096] negate(p)"]
    for k in range(11):  # each way through moves by another number: 2**11 in all
        lines.append(f"y{k} = f32[4096] pad(x{k}, z), padding={2**k}_-{2**k}")
        lines.append(f"x{k + 1} = f32[4096] add(x{k}, y{k})")
    entry = module("\n".join([*lines[:-1], f"ROOT {lines[-1]}"])).entry
    ((m,),) = computation_maps(entry)
    assert m.reason.startswith("more than 1000 maps lead to x")
    ((m,),) = computation_maps(entry, most=5)
    assert m.reason.startswith("more than 5 maps lead to x")
    ((*maps,),) = computation_maps(entry, most=2048)
    assert len(maps) == 2048


def test_calls_that_call_twice_take_no_time_that_doubles() -> None:
    computations = ["f0 { x = f32[4] parameter(0)  ROOT r = f32[4] reverse(x), dimensions={0} }"]
    for k in range(25):
        computations.append(
            f"f{k + 1} {{ x = f32[4] parameter(0)  y = f32[4] call(x), to_apply=f{k}  "
            f"ROOT r = f32[4] call(y), to_apply=f{k} }}"
        )
    text = "\n".join(computations)
    ((m,),) = computation_maps(module("ROOT p = f32[4] parameter(0)", text).computation("f25"))
    assert str(m) == "(d0) -> (d0), domain: d0 in [0, 3]"
    call = "p = f32[4] parameter(0)\nROOT c = f32[4] call(p), to_apply=f25"
    assert computation_maps(module(call, text).entry) == [[m]]


def test_calls_that_are_nested_too_deep() -> None:
    computations = ["f0 { x = f32[4] parameter(0)  ROOT r = f32[4] negate(x) }"]
    for k in range(60):
        computations.append(
            f"f{k + 1} {{ x = f32[4] parameter(0)  ROOT r = f32[4] call(x), to_apply=f{k} }}"
        )
    body = "p = f32[4] parameter(0)\nROOT c = f32[4] call(p), to_apply=f60"
    ((m,),) = computation_maps(module(body, "\n".join(computations)).entry)
    assert m.reason.endswith(" is called through more than 30 computations, the limit 'calls'")


# --- speed ------------------------------------------------------------------------------------


def test_rank_12_does_not_blow_up() -> None:
    """Arrays of many small dims, as of openxla/xla 41173: an expression is about as long as they are."""
    rank = 12
    dims = ",".join(["2"] * rank)
    lines = [f"p = f32[{dims}] parameter(0)", f"q = f32[{dims}] parameter(1)", "z = f32[] constant(0)"]
    last = "p"
    for k in range(6):
        order = ",".join(str((5 * i + k) % rank) for i in range(rank))
        lines += [
            f"t{k} = f32[{dims}] transpose({last}), dimensions={{{order}}}",
            f"m{k} = f32[{dims}] multiply(t{k}, q)",
            f"h{k} = f32[64,64] reshape(m{k})",
            f"s{k} = f32[64,64] transpose(h{k}), dimensions={{1,0}}",
            f"r{k} = f32[{dims}] reshape(s{k})",
        ]
        last = f"r{k}"
    kept = ",".join(map(str, range(1, rank, 2)))
    lines.append(f"ROOT sum = f32[2,2,2,2,2,2] reduce({last}, z), dimensions={{{kept}}}, to_apply=add")
    first, second = computation_maps(module("\n".join(lines)).entry)
    assert (len(first), len(second)) == (1, 6)
    assert not any(m.constraints for m in (*first, *second))
    assert max(len(str(m)) for m in (*first, *second)) < 600


def test_a_chain_of_contractions_of_many_dims() -> None:
    rank, last = 4, "p0"
    lines = ["p0 = f32[2,2,2,2] parameter(0)"]
    for k in range(1, 6):
        dims = ",".join(["2"] * (rank + 2))
        lines += [
            f"p{k} = f32[2,2,2,2] parameter({k})",
            f"d{k} = f32[{dims}] dot({last}, p{k}), "
            f"lhs_contracting_dims={{{k % rank}}}, rhs_contracting_dims={{0}}",
        ]
        rank, last = rank + 2, f"d{k}"
        order = ",".join(map(str, [*range(1, rank, 2), *range(0, rank, 2)]))
        lines.append(f"t{k} = f32[{dims}] transpose({last}), dimensions={{{order}}}")
        last = f"t{k}"
    lines.append(f"ROOT flat = f32[{2**rank}] reshape({last})")
    found = computation_maps(module("\n".join(lines)).entry)
    assert [len(maps) for maps in found] == [1] * 6
    assert all(len(m.ranges) <= 2 and not m.constraints for (m,) in found)
    assert max(len(str(m)) for (m,) in found) < 200


def _steps(count: int) -> Any:
    """A computation of so many instructions, of all kinds, of which each is read."""
    lines = ["p = f32[8,16] parameter(0)", "z = f32[] constant(0)"]
    last = "p"
    for k in range(count // 5):
        lines += [
            f"a{k} = f32[16,8] transpose({last}), dimensions={{1,0}}",
            f"b{k} = f32[128] reshape(a{k})",
            f"c{k} = f32[128] reverse(b{k}), dimensions={{0}}",
            f"d{k} = f32[16,8] reshape(c{k})",
            f"e{k} = f32[8,16] transpose(d{k}), dimensions={{1,0}}",
        ]
        last = f"e{k}"
    return module("\n".join([*lines[:-1], f"ROOT {lines[-1]}"]))


def test_a_long_chain_is_one_map() -> None:
    ((m,),) = computation_maps(_steps(1000).entry)
    assert str(m) == "(d0, d1) -> (d0, d1), domain: d0 in [0, 7], d1 in [0, 15]"


def test_an_output_of_an_instruction_that_calls_nothing_known() -> None:
    line = read_instruction("f = f32[2] fusion(f32[2] x), kind=kLoop, calls=%c")
    with pytest.raises(UnsupportedError) as caught:
        output_to_input(line)
    assert caught.value.summary == (
        "instruction f: op fusion is not supported because the computation it calls is not known: c"
    )
