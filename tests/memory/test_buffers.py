"""Which values of a module are buffers."""

from __future__ import annotations

import tracemalloc
from typing import TYPE_CHECKING

import pytest

from tla.hlo import ModuleError, read_module, read_stream
from tla.memory import (
    RULES,
    ComputationBuffers,
    Tally,
    module_buffers,
    stream_buffers,
    stream_outline,
)
from tla.memory.aliasing import arrays

from .modules import NAMES, module_of, text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def streamed(text: str, pieces: int = 1000) -> tuple[ComputationBuffers, ...]:
    cut = [text[i : i + pieces] for i in range(0, len(text), pieces)]
    found: list[ComputationBuffers] = []
    for part in stream_buffers(read_stream(cut), stream_outline(read_stream(cut))):
        if found and found[-1].name == part.name:
            before = found.pop()
            assert before.root is None
            part = part._replace(
                buffers=before.buffers + part.buffers, aliases=before.aliases + part.aliases
            )
        found.append(part)
    return tuple(found)


def kinds(text: str) -> dict[str, str]:
    """The kind of each buffer, by name and index."""
    found = [buffer for each in module_buffers(read_module(text)) for buffer in each.buffers]
    return {each.name + "".join(f".{i}" for i in each.shape_index): each.kind for each in found}


def aliases(text: str) -> dict[str, tuple[object, str]]:
    found = [alias for each in module_buffers(read_module(text)) for alias in each.aliases]
    return {
        each.name + "".join(f".{i}" for i in each.shape_index): (each.of, each.rule) for each in found
    }


@pytest.mark.parametrize("name", NAMES)
def test_a_stream_gives_the_same(name: str) -> None:
    assert streamed(text_of(name)) == module_buffers(module_of(name))


@pytest.mark.parametrize("name", NAMES)
def test_a_stream_in_parts_gives_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tla.memory.buffers._PART", 3)
    assert streamed(text_of(name)) == module_buffers(module_of(name))


def test_a_long_computation_comes_in_parts() -> None:
    lines = [f"v{n} = f32[8] negate(v{n - 1})" for n in range(1, 3000)]
    text = "HloModule m\nENTRY e {\nv0 = f32[8] parameter(0)\n" + "\n".join(lines) + "\n}\n"
    parts = list(stream_buffers(read_stream([text]), stream_outline(read_stream([text]))))
    assert len(parts) == 3
    assert [part.root is None for part in parts] == [True, True, False]
    assert sum(len(part.buffers) for part in parts) == 3000
    assert streamed(text) == module_buffers(read_module(text))


def one_computation(count: int) -> Iterator[str]:
    yield "HloModule m\nENTRY e {\n  v.0 = f32[8] parameter(0)\n"
    for n in range(1, count):
        yield f'  v.{n} = f32[8] negate(v.{n - 1}), metadata={{op_name="a/b/c{n}"}}\n'
    yield "}\n"


def many_computations(count: int) -> Iterator[str]:
    head, *rest = one_computation(2)
    yield "HloModule m\n"
    for n in range(count):
        yield f"f.{n} {{\n  x = f32[8] parameter(0)\n  ROOT y = f32[8] negate(x)\n}}\n"
    yield head.removeprefix("HloModule m\n")
    yield from rest


def peak_bytes(pieces: Callable[[int], Iterator[str]], count: int) -> int:
    tracemalloc.start()
    try:
        tally = Tally(top=5)
        outline = stream_outline(read_stream(pieces(count)))
        for each in stream_buffers(read_stream(pieces(count)), outline):
            tally.add(each)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("pieces", [one_computation, many_computations])
def test_memory_grows_by_names_alone(pieces: Callable[[int], Iterator[str]]) -> None:
    few, many = peak_bytes(pieces, 700), peak_bytes(pieces, 2800)
    assert (many - few) / 2100 < 400  # some 300, and what is left to collect


@pytest.mark.parametrize("name", NAMES)
def test_each_array_is_a_buffer_or_lies_in_another(name: str) -> None:
    module = module_of(name)
    for computation, found in zip(module.computations, module_buffers(module), strict=True):
        listed = [(each.name, each.shape_index) for each in found.buffers]
        listed += [(each.name, each.shape_index) for each in found.aliases]
        wanted = [(i.name, index) for i in computation.instructions for index, _ in arrays(i.shape)]
        assert sorted(listed) == sorted(wanted)
        assert all(alias.rule in RULES for alias in found.aliases)
        homes = {key for alias in found.aliases for key in alias.of}
        assert homes <= set(wanted)


@pytest.mark.parametrize("name", NAMES)
def test_fusions_hold_no_buffers(name: str) -> None:
    for found in module_buffers(module_of(name)):
        if found.role == "fused":
            assert found.buffers == ()
        if found.role == "applied":
            assert {buffer.kind for buffer in found.buffers} <= {"constant"}
        assert ("argument" in {buffer.kind for buffer in found.buffers}) <= (found.role == "entry")


# The arrays in all results, and those of them that have memory of their own.
@pytest.mark.parametrize(
    ("name", "values", "buffers"),
    [
        ("v5e_attention_block", 274, 55),
        ("v5e_attention_train", 675, 100),
        ("v5e_int8_matmul", 16, 5),
        ("v5e_scan_rnn", 88, 17),
        ("v5e_x4_reduce_scatter", 5, 2),
    ],
)
def test_counts(name: str, values: int, buffers: int) -> None:
    found = module_buffers(module_of(name))
    assert sum(len(each.buffers) for each in found) == buffers
    assert sum(len(each.aliases) for each in found) == values - buffers


def test_a_copy_to_vmem_is_one_buffer() -> None:
    found = module_buffers(module_of("v5e_int8_matmul"))[-1]
    assert [(b.name, b.shape_index, b.kind) for b in found.buffers] == [
        ("b.1", (), "argument"),
        ("copy-start", (0,), "temporary"),
        ("copy-start", (2,), "temporary"),
        ("a.1", (), "argument"),
        ("fusion", (), "result"),
    ]
    assert [(a.name, a.of, a.rule) for a in found.aliases] == [
        ("copy-start", (("b.1", ()),), "start"),
        ("copy-done", (("copy-start", (0,)),), "done"),
    ]


def test_a_loop_keeps_its_state_where_it_begins() -> None:
    """The result of the scan is the buffer that is allocated before it, and updated in place."""
    module = module_of("v5e_scan_rnn")
    found = {each.name: each for each in module_buffers(module)}
    body = found["wide.region_0.4.clone.sunk"]
    assert ("dynamic_update_slice.4", "declared") in {(a.name, a.rule) for a in body.aliases}
    assert ("fusion.12", "loop") in {(a.name, a.rule) for a in body.aliases}
    entry = found["main.6"]
    assert [(b.name, b.kind) for b in entry.buffers if b.kind == "result"] == [
        ("custom-call.1", "result")
    ]


LOOP = """
HloModule m

c { x = (f32[8], f32[8]) parameter(0)
  k = f32[8] constant({0,0,0,0,0,0,0,0})
  ROOT r = pred[] constant(false) }
b { x.1 = (f32[8], f32[8]) parameter(0)
  a.1 = f32[8] get-tuple-element(x.1), index=0
  b.1 = f32[8] get-tuple-element(x.1), index=1
  n.1 = f32[8] negate(a.1)
  ROOT t.1 = (f32[8], f32[8]) tuple(n.1, b.1) }
ENTRY e { p = f32[8] parameter(0)
  q = f32[8] negate(p)
  t = (f32[8], f32[8]) tuple(q, p)
  w = (f32[8], f32[8]) while(t), condition=c, body=b
  ROOT z = f32[8] get-tuple-element(w), index=0 }
"""


def test_a_loop() -> None:
    assert kinds(LOOP) == {"k": "constant", "r": "constant", "p": "argument", "q": "result"}
    found = aliases(LOOP)
    assert found["x.0"] == found["x.1.0"] == ((), "parameter")
    assert found["n.1"] == ((), "loop")
    assert found["w.0"] == ((("q", ()),), "loop")
    assert found["w.1"] == ((("p", ()),), "loop")
    assert found["z"] == ((("q", ()),), "forward")


def test_branches_and_calls() -> None:
    text = """
    HloModule m

    f { x = f32[8] parameter(0)
      ROOT n = f32[8] negate(x) }
    g { ROOT y = f32[8] parameter(0) }
    h { v = f32[8] parameter(0)
      o = f32[8] exponential(v)
      ROOT s = f32[8] sine(o) }
    ENTRY e { p = f32[8] parameter(0)
      q = s32[] parameter(1)
      c = f32[8] conditional(q, p, p), branch_computations={f, h}
      d = f32[8] call(p), to_apply=g
      ROOT t = (f32[8], f32[8]) tuple(c, d) }
    """
    assert kinds(text) == {"o": "temporary", "p": "argument", "q": "argument", "c": "result"}
    found = aliases(text)
    assert found["n"] == found["s"] == ((), "callee")
    assert found["d"] == ((("p", ()),), "callee")


def test_a_branch_that_hands_on_its_parameter() -> None:
    """What the conditional gives lies where the operand of that branch does."""
    text = """
    HloModule m

    f { x = (f32[8]) parameter(0)
      n = f32[8] get-tuple-element(x), index=0
      ROOT t.1 = (f32[8]) tuple(n) }
    g { y = (f32[8]) parameter(0)
      m = f32[8] get-tuple-element(y), index=0
      s = f32[8] negate(m)
      ROOT t.2 = (f32[8]) tuple(s) }
    ENTRY e { p = f32[8] parameter(0)
      q = s32[] parameter(1)
      a = f32[8] negate(p)
      b = (f32[8]) tuple(a)
      c = (f32[8]) conditional(q, b, b), branch_computations={g, f}
      d = f32[8] get-tuple-element(c), index=0
      ROOT r = f32[8] exponential(d) }
    """
    assert kinds(text) == {"p": "argument", "q": "argument", "a": "temporary", "r": "result"}
    found = aliases(text)
    assert found["c.0"] == ((("a", ()),), "callee")
    assert found["d"] == ((("a", ()),), "forward")
    assert found["s"] == ((), "callee")


def test_a_fusion_that_writes_in_place() -> None:
    text = """
    HloModule m

    f { x = f32[8] parameter(0)
      u = f32[2] parameter(1)
      i = s32[] parameter(2)
      y = f32[4,2] bitcast(x)
      b = f32[8] bitcast(y)
      d = f32[8] dynamic-update-slice(b, u, i)
      n = f32[8] negate(x)
      ROOT t = (f32[8], f32[8]) tuple(d, n) }
    ENTRY e { p = f32[8] parameter(0)
      u.1 = f32[2] parameter(1)
      i.1 = s32[] parameter(2)
      c = f32[8] negate(p)
      ROOT r = (f32[8], f32[8]) fusion(c, u.1, i.1), kind=kLoop, calls=f }
    """
    assert kinds(text) == {
        "p": "argument",
        "u.1": "argument",
        "i.1": "argument",
        "c": "result",
        "r.1": "result",
    }
    assert aliases(text)["r.0"] == ((("c", ()),), "in place")


def test_a_donated_parameter() -> None:
    text = """
    HloModule m, input_output_alias={ {0}: (1, {}, may-alias) }

    ENTRY e { p = f32[8] parameter(0)
      q = f32[8] parameter(1)
      n = f32[8] add(p, q)
      s = f32[8] negate(n)
      ROOT t = (f32[8], f32[8]) tuple(n, s) }
    """
    assert kinds(text) == {"p": "argument", "q": "argument", "s": "result"}
    assert aliases(text)["n"] == ((("q", ()),), "donated")


def test_a_fragment() -> None:
    """A line alone: its operands are unknown, and it is what the entry gives."""
    (found,) = module_buffers(read_module("b.2 = f32[8] bitcast(f32[2,4] a.1)"))
    assert [(b.name, b.kind) for b in found.buffers] == [("a.1", "argument")]
    assert [(a.name, a.of) for a in found.aliases] == [("b.2", (("a.1", ()),))]
    (found,) = streamed("b.2 = f32[8] negate(a.1)")
    assert [(b.name, b.kind) for b in found.buffers] == [("b.2", "result")]


def test_a_computation_that_nothing_calls() -> None:
    text = "f { ROOT x = f32[2] parameter(0) }\nENTRY e { ROOT y = f32[2] parameter(0) }\n"
    for found in (module_buffers(read_module(text)), streamed(text)):
        assert [(each.name, each.role, len(each.buffers)) for each in found] == [
            ("f", None, 0),
            ("e", "entry", 1),
        ]


def test_a_last_computation_is_the_entry() -> None:
    text = "HloModule m\nf { ROOT x = f32[2] parameter(0) }\n"
    for found in (module_buffers(read_module(text)), streamed(text)):
        assert [(each.role, len(each.buffers)) for each in found] == [("entry", 1)]


def test_a_broken_text_gives_what_was_read() -> None:
    text = text_of("v5e_scan_rnn")
    cut = text.index("%custom-call.1 = ")
    found: list[ComputationBuffers] = []

    outline = stream_outline(read_stream([text[:cut]]))
    stream = stream_buffers(read_stream([text[:cut]]), outline)
    with pytest.raises(ModuleError) as caught:
        found.extend(stream)
    assert caught.value.line == text.count("\n", 0, cut) + 1
    *_, entry = found
    assert entry.role == "entry"
    assert entry.root is None
    assert [b.name for b in entry.buffers][-1] == "convert.3"
    assert {b.kind for b in entry.buffers} <= {"argument", "constant", "temporary"}
    # Who calls the body and the condition was not read: what they are for is not known.
    assert [each.name for each in found if each.role is None] == [
        "wide.region_0.4.clone.sunk",
        "wide.region_1.5.clone",
    ]


def test_the_rules_are_stated() -> None:
    assert all(sentence.endswith(".") for sentence in RULES.values())
