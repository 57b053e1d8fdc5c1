"""The static assertions of every policy's block; slow: against a compiler and CATLASS's own headers.

``CATLASS`` names the folder of CATLASS.
"""

from __future__ import annotations

import contextlib
import os
import re
from pathlib import Path
from random import Random

import pytest
from cases import share
from fuzz_asserts import (
    CODES,
    GXX,
    PRODUCTS,
    compare,
    compare_emitted,
    compare_plans,
    random_product,
)

from tla import TlaError
from tla.ascend import EPILOGUES, FAMILIES
from tla.ascend.plans import failures_of_block
from tla.ascend.plans.attention import KINDS
from tla.ascend.plans.families import WITHOUT_BLOCK

CATLASS = Path(os.environ.get("CATLASS", Path(__file__).parents[2].parent / "catlass"))
INCLUDE = CATLASS / "include" / "catlass"
needs_catlass = pytest.mark.skipif(not INCLUDE.exists() or GXX is None, reason="no CATLASS, no g++")


def test_the_report_names_every_assertion_that_fails() -> None:
    rng, failing = Random(7), 0
    for code in CODES:
        for name in (x for x, family in PRODUCTS.items() if code in family.codes):
            with contextlib.suppress(TlaError):  # of no plan
                plan = random_product(rng, name, code)
                fails = {*failures_of_block(plan.tile)}
                assert fails <= {*plan.check().catlass}, plan
                failing += bool(fails)
    assert failing > 10


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


@pytest.mark.slow
@needs_catlass
@pytest.mark.parametrize("code", CODES)
def test_emitted_texts_have_the_errors_that_the_report_names(code: int) -> None:
    """Of one product or several, with a bias, scales or an epilogue; with a kernel or none."""
    found = compare_emitted(code, share(400), code, CATLASS)
    assert not found.wrong, f"{len(found.wrong)} of {found.tiles}: {found.wrong[:3]}"
    assert found.tiles // 10 < found.clean < found.tiles
