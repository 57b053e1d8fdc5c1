"""When buffers are live: by definition on small programs, and the order of steps."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from cases import shapes_as_written, share
from hypothesis import given, settings, strategies as st

from tla.errors import UnsupportedError
from tla.hlo import read_module
from tla.memory import Span, lifetimes, live, schedule_of
from tla.memory.schedule import called_once

from .modules import NAMES, module_of
from .test_buffers import LOOP


class Line(NamedTuple):
    """An instruction on single arrays: its operands by number of line."""

    opcode: str
    operands: tuple[int, ...]
    size: int
    space: int


@st.composite
def programs(draw: st.DrawFn) -> list[Line]:
    lines = [Line("parameter", (), draw(st.integers(1, 9)), 0)]
    for n in range(1, draw(st.integers(2, 12))):
        opcode = draw(st.sampled_from(["convert", "rng", "rng", "bitcast", "all-gather", "constant"]))
        count = {"rng": 2, "constant": 0}.get(opcode, 1)
        operands = tuple(draw(st.integers(0, n - 1)) for _ in range(count))
        size, space = draw(st.integers(1, 9)), draw(st.sampled_from([0, 0, 1]))
        lines.append(Line(opcode, operands, size, 0 if opcode == "constant" else space))
    return lines


def text_of_lines(lines: list[Line]) -> str:
    out = []
    for n, (opcode, operands, size, space) in enumerate(lines):
        inside = ", ".join(f"v{i}" for i in operands)
        inside = "0" if opcode == "parameter" else "{...}" if opcode == "constant" else inside
        layout = "{0:S(1)}" if space else "{0}"
        out.append(f"  v{n} = f32[{size}]{layout} {opcode}({inside})")
    return "ENTRY e {\n" + "\n".join(out) + "\n}"


def naive(lines: list[Line]) -> dict[int, tuple[int, int]]:
    """The first and last step of each value that is no bitcast."""

    def source(n: int) -> int:
        return source(lines[n].operands[0]) if lines[n].opcode == "bitcast" else n

    found: dict[int, tuple[int, int]] = {}
    for n, line in enumerate(lines):
        if line.opcode != "bitcast":
            needed = [k for k in range(n, len(lines)) if n in map(source, (k, *lines[k].operands))]
            found[n] = n, max(needed)
    return found


@given(programs())
def test_straight_programs_by_definition(lines: list[Line]) -> None:
    found = lifetimes(read_module(text_of_lines(lines)))
    expected = naive(lines)
    assert {int(each.buffer.name[1:]): each.held for each in found.buffers} == {
        n: (span,) for n, span in expected.items()
    }


@settings(max_examples=share(200))
@given(programs())
def test_peaks_by_definition(lines: list[Line]) -> None:
    """In a memory without results each step is the sum of what is live there."""
    module = read_module(text_of_lines(lines))
    spans = naive(lines)
    root = len(lines) - 1
    while lines[root].opcode == "bitcast":
        root = lines[root].operands[0]
    for peak in live(module).peaks:
        if peak.memory_space != 1 or lines[root].space == 1:
            continue
        there = {n: span for n, span in spans.items() if lines[n].space == 1}
        usage = [
            sum(4 * lines[n].size for n, (first, last) in there.items() if first <= t <= last)
            for t in range(len(lines))
        ]
        assert (peak.bytes, peak.at) == (max(usage), usage.index(max(usage)))
        names = [n for n, (first, last) in there.items() if first <= peak.at <= last]
        assert sorted(int(buffer.name[1:]) for buffer in peak.buffers) == names


def test_a_loop() -> None:
    found = lifetimes(read_module(LOOP))
    steps = [step.instruction.name for step in found.schedule.steps]
    assert steps == ["p", "q", "t", *["x", "k", "r"], *["x.1", "a.1", "b.1", "n.1", "t.1"], "w", "z"]
    spans = {each.buffer.name: each.spans for each in found.buffers}
    assert spans["q"] == (
        Span(1, 3, True),  # the operand, until the condition begins
        Span(3, 6, False),  # the state while the condition runs, which does not read it
        Span(6, 9, True),  # the state in the body
        Span(9, 10, True),  # its new value
        Span(11, 12, True),  # what the loop gives
    )
    assert spans["p"] == (Span(0, 11, True),)  # the body does not touch it


def test_in_place() -> None:
    module = read_module(
        """
        ENTRY e { p = f32[8] parameter(0)
          u = f32[2] parameter(1)
          i = s32[] parameter(2)
          c = f32[8] copy(p)
          d = f32[8] dynamic-update-slice(c, u, i)
          ROOT n = f32[8] negate(d) }
        """
    )
    spans = {each.buffer.name: each.spans for each in lifetimes(module).buffers}
    assert "d" not in spans
    assert spans["c"] == (Span(3, 4, True), Span(4, 5, True))


def test_pieces_that_become_one_array_stay_buffers() -> None:
    module = read_module(
        """
        ENTRY e { p = f32[8] parameter(0)
          a = f32[4] slice(p), slice={[0:4]}
          b = f32[4] slice(p), slice={[4:8]}
          c = f32[8] custom-call(a, b), custom_call_target="ConcatBitcast"
          d = f32[8] negate(c)
          ROOT n = f32[8] negate(d) }
        """
    )
    held = {each.buffer.name: each.held for each in lifetimes(module).buffers}
    assert held == {"p": ((0, 2),), "a": ((1, 4),), "b": ((2, 4),), "d": ((4, 5),), "n": ((5, 5),)}


def test_pieces_are_written_together() -> None:
    module = read_module(
        """
        ENTRY e { p = f32[8] parameter(0)
          u = f32[2] parameter(1)
          i = s32[] parameter(2)
          a = f32[4] slice(p), slice={[0:4]}
          b = f32[4] slice(p), slice={[4:8]}
          c = f32[8] custom-call(a, b), custom_call_target="ConcatBitcast"
          d = f32[8] dynamic-update-slice(c, u, i)
          ROOT n = f32[8] negate(d) }
        """
    )
    spans = {each.buffer.name: each.spans for each in lifetimes(module).buffers}
    assert spans["a"] == (Span(3, 6, True), Span(6, 7, True))
    assert spans["b"] == (Span(4, 6, True), Span(6, 7, True))
    assert "d" not in spans


def test_pieces_that_a_loop_changes() -> None:
    """Two halves are its state as one array; the body puts a new array there."""
    module = read_module(
        """
        HloModule m

        c { x = (f32[8]) parameter(0)
          ROOT r = pred[] constant(false) }
        b { y = (f32[8]) parameter(0)
          g = f32[8] get-tuple-element(y), index=0
          n = f32[8] negate(g)
          ROOT t = (f32[8]) tuple(n) }
        ENTRY e { p = f32[8] parameter(0)
          h = f32[4] slice(p), slice={[0:4]}
          k = f32[4] slice(p), slice={[4:8]}
          l = f32[8] custom-call(h, k), custom_call_target="ConcatBitcast"
          z = (f32[8]) tuple(l)
          w = (f32[8]) while(z), condition=c, body=b
          ROOT o = f32[8] get-tuple-element(w), index=0 }
        """
    )
    held = {each.buffer.name: each.held for each in lifetimes(module).buffers}
    assert held == {"r": ((6, 6),), "p": ((0, 2),), "h": ((1, 12),), "k": ((2, 12),)}


@pytest.mark.parametrize("name", NAMES)
def test_each_value_lies_in_one_buffer(name: str) -> None:
    """Every value of the schedule is counted once: their sum is that over buffers."""
    module = module_of(name)
    found = lifetimes(module)
    run = {step.computation for step in found.schedule.steps}
    for each in found.buffers:
        assert (each.spans == ()) == (each.buffer.computation not in run)
        for first, last, _ in each.spans:
            assert 0 <= first <= last < len(found.schedule.steps)
        for (_, last), (first, _) in zip(each.held, each.held[1:], strict=False):
            assert last < first


def test_steps_of_branches() -> None:
    module = read_module(
        """
        HloModule m

        f { ROOT x = f32[8] parameter(0) }
        g { ROOT y = f32[8] parameter(0) }
        ENTRY e { p = f32[8] parameter(0)
          q = s32[] parameter(1)
          ROOT c = f32[8] conditional(q, p, p), branch_computations={f, g} }
        """
    )
    schedule = schedule_of(module)
    assert [step.instruction.name for step in schedule.steps] == ["p", "q", "x", "y", "c"]
    assert schedule.spans == {"f": (2, 2), "g": (3, 3), "e": (0, 4)}
    assert {name: (caller.operand, caller.role) for name, caller in schedule.callers.items()} == {
        "f": (1, "callee"),
        "g": (2, "callee"),
    }


def test_a_computation_that_runs_twice_has_no_known_schedule() -> None:
    module = read_module(
        """
        HloModule m

        f { ROOT x = f32[8] parameter(0) }
        ENTRY e { p = f32[8] parameter(0)
          q = f32[8] call(p), to_apply=f
          ROOT c = f32[8] call(q), to_apply=f }
        """
    )
    with pytest.raises(
        UnsupportedError, match="computation f is run from two places: by q of e and by c of e"
    ):
        schedule_of(module)


def test_each_call_of_a_computation_has_steps_of_its_own() -> None:
    """As in the text that calls a copy: the same peaks, and steps for each call."""
    text = """
    f { x = f32[8] parameter(0)
      n = f32[2] slice(x), slice={[0:2]}
      ROOT y = f32[8] concatenate(n, n, n, n), dimensions={0} }
    g { x.1 = f32[8] parameter(0)
      ROOT y.1 = f32[8] call(x.1), to_apply=f }
    f.2 { ROOT x.2 = f32[8] parameter(0) }
    ENTRY e { p = f32[8] parameter(0)
      i = s32[] parameter(1)
      q = f32[8] conditional(i, p, p, p), branch_computations={f, %g, f}
      ROOT c = f32[8] call(q), to_apply=g }
    """
    once = called_once(read_module(text))
    assert [each.name for each in once.computations] == [
        *("f.2", "f", "f.3", "g", "f.4", "f.5", "g.2", "e"),
    ]  # fmt: skip
    assert once.entry.instruction("q").called == ("f", "g", "f.4")
    assert once.computation("g").instruction("y.1").called == ("f.3",)
    assert called_once(once) is once
    assert len(schedule_of(once).steps) == 4 * 3 + 2 * 2 + 4
    found, again = (live(each).peaks for each in (read_module(text), read_module(str(once))))
    assert [(p.bytes, p.at) for p in found] == [(p.bytes, p.at) for p in again]


def test_copies_of_computations_have_an_end() -> None:
    lines = ["f0 { ROOT x0 = f32[8] parameter(0) }"]
    for n in range(1, 40):
        calls = [f"{a}{n} = f32[8] call({b}{n}), to_apply=f{n - 1}" for a, b in ("qx", "rq")]
        lines.append(f"f{n} {{ x{n} = f32[8] parameter(0) {' '.join(calls)} }}")
    with pytest.raises(UnsupportedError, match=r"computation f\d+ runs too often"):
        called_once(read_module("\n".join(lines)))


def test_deep_calls() -> None:
    """A thousand computations, each calling the one before."""
    lines = ["HloModule m", "", "f0 { ROOT x0 = f32[8] parameter(0) }"]
    for n in range(1, 1000):
        lines.append(f"f{n} {{ x{n} = f32[8] parameter(0)")
        lines.append(f"  ROOT c{n} = f32[8] call(x{n}), to_apply=f{n - 1} }}")
    lines.append("ENTRY e { p = f32[8] parameter(0)\n  ROOT c = f32[8] call(p), to_apply=f999 }")
    found = lifetimes(read_module("\n".join(lines)))
    assert [(each.buffer.name, each.held) for each in found.buffers] == [("p", ((0, 2000),))]


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (
            "call(p), to_apply=f",
            "the call c of line 6 has no operand for parameter 1 of .*: 2 are needed",
        ),
        ("conditional(p), branch_computations={f}", "the conditional c of line 6 .* it has 1"),
    ],
)
def test_too_few_operands(call: str, why: str) -> None:
    module = read_module(
        f"""HloModule m
        f {{ x = f32[8] parameter(0)
          y = f32[8] parameter(1)
          ROOT z = f32[8] add(x, y) }}
        ENTRY e {{ p = f32[8] parameter(0)
          ROOT c = f32[8] {call} }}"""
    )
    with pytest.raises(UnsupportedError, match=why):
        lifetimes(module)


def test_a_piece_lasts_as_long_as_what_it_writes_over() -> None:
    """``a`` is read behind the loop: what is written over it until then lies in memory in use."""
    module = read_module(
        """
        HloModule m

        c { ROOT r = pred[] constant(false) }
        b { y = f32[8]{0:S(1)} parameter(0)
          ROOT n = f32[8]{0:S(1)} negate(y) }
        ENTRY e { p = f32[8]{0} parameter(0)
          u = f32[2]{0} parameter(1)
          i = s32[] parameter(2)
          a = f32[8]{0:S(1)} negate(p)
          d = f32[8]{0:S(1)} dynamic-update-slice(a, u, i)
          k = f32[8]{0} negate(d)
          w = f32[8]{0:S(1)} while(d), condition=c, body=b
          ROOT z = f32[8]{0} add(a, w) }
        """
    )
    (pieces,) = (each.simulated for each in lifetimes(module).buffers if each.buffer.name == "a")
    # The loop takes d at step 6, and d counts until the body begins with y at step 7.
    assert pieces == ((3, 4), (4, 7), (7, 8), (8, 8), (9, 10))


def test_a_root_ends_behind_its_computation() -> None:
    """The new state ``n`` begins with the body, as the old one ``y`` does, and outlives it."""
    module = read_module(
        """
        HloModule m

        c { x = f32[8]{0:S(1)} parameter(0)
          ROOT r = pred[] constant(false) }
        b { ROOT n = f32[8]{0:S(1)} constant({...})
          y = f32[8]{0:S(1)} parameter(0) }
        ENTRY e { p = f32[8]{0} parameter(0)
          a = f32[8]{0:S(1)} negate(p)
          w = f32[8]{0:S(1)} while(a), condition=c, body=b
          ROOT z = f32[8]{0} negate(w) }
        """
    )
    (pieces,) = (each.simulated for each in lifetimes(module).buffers if each.buffer.name == "a")
    assert pieces == ((1, 2), (4, 5), (6, 7))


@shapes_as_written
def test_a_call_of_another_shape_than_its_root_has_a_buffer_of_its_own() -> None:
    module = read_module(
        """
        HloModule m

        f { x = f32[8] parameter(0)
          ROOT y = f32[8] negate(x) }
        ENTRY e { p = f32[8] parameter(0)
          c = (f32[8], f32[4]) call(p), to_apply=f
          ROOT o = f32[8] get-tuple-element(c), index=0 }
        """
    )
    held = {each.buffer.name: each.held for each in lifetimes(module).buffers}
    assert (held["p"], held["c"]) == (((0, 3),), ((3, 3),))
