"""Slow: the static assertions of every policy's block, against a compiler and CATLASS's own headers.

``CATLASS`` names the folder of CATLASS.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from cases import share
from fuzz_asserts import CODES, GXX, compare, compare_plans

from tla.ascend import EPILOGUES, FAMILIES
from tla.ascend.plans.attention import KINDS
from tla.ascend.plans.families import WITHOUT_BLOCK

CATLASS = Path(os.environ.get("CATLASS", Path(__file__).parents[2].parent / "catlass"))
INCLUDE = CATLASS / "include" / "catlass"
needs_catlass = pytest.mark.skipif(not INCLUDE.exists() or GXX is None, reason="no CATLASS, no g++")


@pytest.mark.slow
@needs_catlass
def test_every_policy_of_the_headers_is_known() -> None:
    """Each has a row, or a reason in the table of those without; no name has both."""
    headers = [INCLUDE / room / "dispatch_policy.hpp" for room in ("gemm", "conv", "epilogue")]
    texts = "".join(header.read_text("utf-8") for header in headers)
    names = set(re.findall(r"^(?:struct|using) (\w+) *(?:[:={]|$)", texts, re.M))
    names.add("MmadMxPreload")  # in the header of its block
    rows = {name for family in EPILOGUES.values() for _, name in family.policies}
    rows |= FAMILIES.keys() | {name for kind in KINDS.values() for name in kind.blocks}
    assert names == rows | WITHOUT_BLOCK.keys()
    assert not rows & WITHOUT_BLOCK.keys()
    assert len(names) == 105


@pytest.mark.slow
@needs_catlass
@pytest.mark.parametrize("code", CODES)
def test_verdicts_equal_the_compilers(code: int) -> None:
    """And a tile that compiles and is refused has a byte of two stages, or another witness."""
    found = compare(code, share(1500), code, CATLASS)
    assert not found.wrong, f"{len(found.wrong)} of {found.tiles}: {found.wrong[:4]}"
    assert found.clean > found.tiles // 10
    assert found.witnesses["a byte of two stages"] > 0
    others = compare_plans(code, share(150), code, CATLASS)
    assert not others.wrong, f"{len(others.wrong)} of {others.tiles}: {others.wrong[:4]}"
    assert 0 < others.clean < others.tiles
