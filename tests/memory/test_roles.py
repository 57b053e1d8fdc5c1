"""What computations are for, from a module and from the lines of its text."""

from __future__ import annotations

import pytest

from tla.hlo import read_module
from tla.memory import module_roles, roles_in_text

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


def test_all_roles_in_text() -> None:
    assert roles_in_text(ALL.splitlines()) == ROLES


@pytest.mark.parametrize("name", NAMES)
def test_both_agree(name: str) -> None:
    text = text_of(name)
    module = read_module(text)
    roles = module_roles(module)
    assert roles[module.entry.name] == "entry"
    assert len(roles) == len(module.computations)
    assert {**roles_in_text(text.splitlines()), module.entry.name: "entry"} == roles


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
    assert roles_in_text(text.splitlines()) == expected
