"""What computations are for, from a module and from a stream of its text."""

from __future__ import annotations

import pytest

from tla.hlo import read_instruction, read_module, read_stream
from tla.memory import module_buffers, module_outline, module_roles, stream_buffers, stream_outline
from tla.memory.aliasing import Summary
from tla.memory.outline import Homes
from tla.memory.roles import called_in_order

from .modules import NAMES, text_of

ALL = """
HloModule m

%f { ROOT %x = f32[2] parameter(0) }
%s { %x.1 = f32[] parameter(0)
  %y.1 = f32[] parameter(1)
  ROOT %z.1 = f32[] add(%x.1, %y.1) }
%c { %x.2 = (f32[2]) parameter(0)
  ROOT %k = pred[] constant(false) }
%b { ROOT %x.3 = (f32[2]) parameter(0) }
%g { ROOT %x.4 = f32[2] parameter(0) }
%h { ROOT %x.5 = f32[2] parameter(0) }
%u { ROOT %x.6 = f32[2] parameter(0) }

ENTRY %e {
  %p = f32[2] parameter(0)
  %q = s32[] parameter(1)
  %i = f32[] constant(0)
  %a = f32[2] fusion(%p), kind=kLoop, calls=%f, metadata={op_name="x) call(y), body=%q"}
  %d = f32[] reduce(%p, %i), dimensions={0}, to_apply=%s
  %t = (f32[2]) tuple(%a)
  %w = (f32[2]) while(%t), condition=%c,
    body=%b
  %v = f32[2] conditional(%q, %p, %p), branch_computations={%g, %h}
  ROOT %r = (f32[2], f32[2], f32[]) tuple(%v, %a, %d)
}
"""

ROLES = {
    "f": "fused",
    "s": "applied",
    "c": "condition",
    "b": "body",
    "g": "callee",
    "h": "callee",
}


def test_all_roles() -> None:
    assert module_roles(read_module(ALL)) == {**ROLES, "e": "entry"}


def roles_of_stream(text: str, piece: int = 50) -> dict[str, str]:
    cut = [text[i : i + piece] for i in range(0, len(text), piece)]
    return dict(stream_outline(read_stream(cut)).roles)


def test_all_roles_of_a_stream() -> None:
    assert roles_of_stream(ALL) == {**ROLES, "e": "entry"}


@pytest.mark.parametrize("name", NAMES)
def test_both_agree(name: str) -> None:
    text = text_of(name)
    module = read_module(text)
    roles = module_roles(module)
    assert roles[module.entry.name] == "entry"
    assert len(roles) == len(module.computations)
    assert roles_of_stream(text, 1000) == roles
    assert stream_outline(read_stream([text])) == module_outline(module)


def test_calls_and_the_asynchronous() -> None:
    text = """
      a = f32[2] call(p), to_apply=f
      b = ((f32[2]), f32[2], u32[]) call-start(p), to_apply=g
      c = ((f32[2]), f32[2], u32[]) async-start(p), calls=h
      d = f32[2] map(p), to_apply=i
      e = f32[2] custom-call(p), custom_call_target="x", called_computations={j, k}
      f = f32[2] conditional(p, q, r), true_computation=l, false_computation=m
      g = f32[2] select-and-scatter(p, q, r), select=n, scatter=o
    """
    callees, applied = ("f", "g", "h", "l", "m"), ("i", "j", "k", "n", "o")
    expected = {**dict.fromkeys(callees, "callee"), **dict.fromkeys(applied, "applied")}
    assert roles_of_stream(text) == {**expected, "_": "entry"}


CALLS = """HloModule m
f { x = f32[8] parameter(0)
  y = f32[8] negate(x)
  ROOT z = f32[8] negate(y) }
g { x = f32[8] parameter(0)
  ROOT z = f32[8] negate(x) }
ENTRY e { p = f32[8] parameter(0)
  i = s32[] parameter(1)
  q = f32[8] call(p), to_apply=f
  r = f32[8] fusion(q), kind=kLoop, calls=g
  ROOT t = f32[8] negate(r) }
"""


@pytest.mark.parametrize(
    "text",
    [
        CALLS,
        CALLS.replace("to_apply=f", "to_apply= f"),
        CALLS.replace("to_apply=f", "to_apply=/*calls=g*/f"),
        CALLS.replace("to_apply=f", "to_apply=/*calls\n=g*/f"),
        CALLS.replace("to_apply=f", "to_apply={/*\ng,*/ f}"),
        CALLS.replace("to_apply=f", "to_apply\n =\n  %f"),
        CALLS.replace("call(p)", "call(/*fusion(*/p)"),
        CALLS.replace("calls=g", 'calls=g, metadata={op_name="a) call(b), to_apply=g"}'),
        CALLS.replace("\n  r =", " r ="),
        CALLS.replace("\n", "\r"),
        CALLS.replace("\n", " ").replace("  ", " "),
        CALLS.replace("call(p), to_apply=f", "conditional(i, p, p), branch_computations={\n f\n, f }"),
    ],
)
def test_one_reading_of_the_grammar(text: str) -> None:
    """However a text is laid out, a stream of it gives what the module does."""
    outline = stream_outline(read_stream([text]))
    assert outline.roles == {"f": "callee", "g": "fused", "e": "entry"}
    streamed = tuple(stream_buffers(read_stream([text]), outline))
    assert streamed == module_buffers(read_module(text))
    assert next(buffer.name for each in streamed for buffer in each.buffers) == "y"


def test_a_computation_written_in_an_instruction() -> None:
    text = "ENTRY e { p = f32[8] parameter(0)\n ROOT q = f32[8] fusion(p), kind=kLoop, calls={ x = f32[8] parameter(0) ROOT y = f32[8] negate(x) } }"  # noqa: E501
    outline = stream_outline(read_stream([text]))
    assert outline.roles == {"_": "fused", "e": "entry"}
    (inside, entry) = stream_buffers(read_stream([text]), outline)
    assert (inside.buffers, [each.name for each in entry.buffers]) == ((), ["p", "q"])


def test_an_outline_ends_where_the_text_does() -> None:
    cut = CALLS[: CALLS.index("ROOT t")]
    outline = stream_outline(read_stream([cut]))
    assert outline.roles == {"f": "callee", "g": "fused", "e": "entry"}
    cut = CALLS[: CALLS.index("ENTRY")] + "h { broken"
    assert stream_outline(read_stream([cut])).roles == {}


def test_a_loop_tests_before_it_runs_however_it_is_written() -> None:
    loop = read_instruction("w = f32[] while(x), body=b, condition=c")
    assert called_in_order(loop) == [("c", "condition"), ("b", "body")]


def test_pieces_of_which_one_is_written_are_written() -> None:
    module = read_module(
        """
        ENTRY f {
          p = f32[8] parameter(0)
          u = f32[2] parameter(1)
          i = s32[] parameter(2)
          d = f32[8] dynamic-update-slice(p, u, i)
          ROOT c = f32[16] custom-call(p, d), custom_call_target="ConcatBitcast"
        }
        """
    )
    homes = Homes({})
    for instruction in module.entry.instructions:
        homes.add(instruction)
    assert homes.summary() == Summary({(): (0, ())}, frozenset({()}))
