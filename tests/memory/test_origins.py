"""Where values of a module were made: through calls, asynchronous pieces, and other indices."""

from __future__ import annotations

import pytest

from tla.hlo import read_module
from tla.memory.origins import Origins, Value

MODULE = """
HloModule m

f { x = f32[6,4]{1,0} parameter(0)
  ROOT y = f32[6,4]{1,0} domain(x) }
g { v = f32[6,4]{1,0} parameter(0)
  ROOT w = f32[6,4]{1,0} negate(v) }
ENTRY e { p = f32[6,4]{1,0} parameter(0)
  c = f32[6,4]{1,0} call(p), to_apply=f
  s = ((f32[6,4]{1,0}), f32[6,4]{1,0}, u32[]) async-start(p), calls=g
  d = f32[6,4]{1,0} async-done(s)
  r = f32[2,12]{0,1} reshape(p)
  t = f32[4,6]{1,0} transpose(p), dimensions={1,0}
  q = f32[5,4]{1,0} bitcast(p)
  ROOT n = f32[6,4]{1,0} add(c, d) }
"""


@pytest.mark.parametrize(
    ("name", "index", "origin", "through"),
    [
        ("c", (), ("e", "p", ()), ("f.x", "f.y", "e.c")),
        ("d", (), ("g", "w", ()), ("s", "d")),
        ("s", (1,), ("g", "w", ()), ("s",)),
        ("s", (0, 0), ("e", "s", (0, 0)), ()),
        ("t", (), ("e", "t", ()), ()),  # it moves elements
        ("q", (), ("e", "q", ()), ()),  # it names a part of them
    ],
)
def test_where_a_value_was_made(
    name: str, index: tuple[int, ...], origin: tuple[object, ...], through: tuple[str, ...]
) -> None:
    found = Origins(read_module(MODULE)).of(Value("e", name, index))
    assert (*found.value,) == origin
    assert found.through == tuple(each.rpartition(".")[2] for each in through)
    assert found.renamings == ()


def test_a_reshape_renames_by_the_row_major_number() -> None:
    found = Origins(read_module(MODULE)).of(Value("e", "r"))
    assert (found.value, found.through) == (Value("e", "p"), ("r",))
    (renaming,) = found.renamings
    assert [renaming.renamed(index) for index in ((0, 3), (2, 3), (3, 0), (5, 3))] == [
        (0, 3), (0, 11), (1, 0), (1, 11),
    ]  # fmt: skip
