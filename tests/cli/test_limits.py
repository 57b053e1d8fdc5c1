"""The limits on the command line: what a command refuses, and ``--limit``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tla.ground import LIMITS
from tla.ground.limits import limit_of

if TYPE_CHECKING:
    from .running import Run

PRODUCT = "*".join(f"(A{i}+B{i})" for i in range(30))
REMAINDERS = "*".join(f"(d0 + d1 mod {k + 2})" for k in range(24))
HUGE: list[tuple[list[str], str]] = [
    (["eval", f"size(({PRODUCT}):1)"], "terms"),
    (["eval", "size(8:1)", "--assume", f"{PRODUCT} > 4"], "terms"),
    (["index", f"(d0, d1) -> ({REMAINDERS}), domain: d0 in [0, 9], d1 in [0, 9]"], "terms"),
    (["show", "--rows", "1000000000", "(1000000000,2):(2,1)"], "rows"),
    (["show", "--columns", "1000000000", "(2,1000000000):(2,1)"], "columns"),
    (["show", "--slices", "1000000000", "(1000000000,2,2):(4,2,1)"], "slices"),
    (["show", "--strip", "--places", "1000000000", "(1000000000,2):(2,1)"], "places"),
    (["show", "--rows", "3000", "--columns", "3000", "(3000,3000):(1,3000)", "--svg"], "cells"),
    (["eval", "9" * 5000], "digits"),
    (["eval", "(" * 101 + "4" + ")" * 101], "nesting"),
]


@pytest.mark.parametrize(("arguments", "name"), HUGE)
def test_a_command_refuses_before_it_suffers(run: Run, arguments: list[str], name: str) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (1, "")
    assert f"The limit '{name}' is {LIMITS[name].default}." in err
    assert f"--limit {name}=" in err


def test_the_option_of_every_command(run: Run) -> None:
    deep = "(" * 120 + "4" + ")" * 120
    assert (
        run("eval", deep, "--limit", "nesting=120").out
        == f"{deep[:119]}(4){deep[121:]}\n"[0:0] + f"{deep}\n"
    )
    assert run("eval", deep).code == 1  # it holds for one command
    assert limit_of("nesting") == LIMITS["nesting"].default
    two = ("--limit", "rows=3", "--limit", "cells=5")
    assert "at most 5 are drawn" in run("show", "(3,2):(2,1)", *two).err
    for wrong in ("cells", "cells=", "cells=x", "cells=-1", "cells=٣"):
        code, _out, err = run("show", "8:1", "--limit", wrong)
        assert (code, f"--limit: takes NAME=N, as cells=10000000, not {wrong!r}" in err) == (2, True)
    code, _out, err = run("show", "8:1", "--limit", "cels=5")
    assert code == 2
    assert "there is no limit 'cels'" in err
    assert "Did you mean cells" in err
    assert all(
        re.search(rf"^  {name} +{n}  {re.escape(what)}$", err, re.M)
        for name, (n, what) in LIMITS.items()
    )
