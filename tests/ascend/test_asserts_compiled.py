"""Slow: the static assertions of every policy's block, against a compiler and CATLASS's own headers.

``CATLASS`` names the folder of CATLASS.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from random import Random
from typing import Any, Literal

import pytest
from cases import share

from tla.ascend import FAMILIES, Ascend950, AtlasA2, GemmShape, Tile, element
from tla.ascend.plans import failures_of_block
from tla.ascend.plans.asserts import ASSERTS
from tla.ascend.plans.families import WITHOUT_BLOCK

from .asserts_compiled import GXX, verdicts

CATLASS = Path(os.environ.get("CATLASS", Path(__file__).parents[2].parent / "catlass"))
INCLUDE = CATLASS / "include" / "catlass"
needs_catlass = pytest.mark.skipif(not INCLUDE.exists() or GXX is None, reason="no CATLASS, no g++")

PRODUCTS = {f.name: f for f in FAMILIES.values() if f.codes and f.kind == "product"}
PRODUCTS.pop("MmadAtlasA2PingpongSliceKWithPrologue")  # of its own tile copy, with prologues
COUNT = int(os.environ.get("TILES_OF_A_POLICY", "60"))
NOT_OF_A_BLOCK = ("bias BT", "bias L1", "scale L1", "MX bias L1", "split-K unit flag")
"""Assertions of a block's call, which asking for its size does not reach, and of a policy alone."""


@pytest.mark.slow
@needs_catlass
def test_every_policy_of_the_headers_is_known() -> None:
    headers = [INCLUDE / "gemm" / "dispatch_policy.hpp", INCLUDE / "conv" / "dispatch_policy.hpp"]
    headers += sorted((INCLUDE / "gemm" / "block").glob("*.hpp"))
    texts = (header.read_text("utf-8") for header in headers)
    names = {name for text in texts for name in re.findall(r"^struct (\w+)\s*(?::|\{)", text, re.M)}
    policies = {
        n
        for n in names
        if re.match("Mmad|Gemm|Gemv|Sparse|Conv|Mx", n) and not re.search("Params|Swizzle|Checker", n)
    }
    assert policies <= FAMILIES.keys() | WITHOUT_BLOCK.keys()
    assert len(policies) >= 66


def random_tile(rng: Random, name: str, code: int) -> Tile:
    """A tile of a policy, of which about half break an assertion."""
    family = PRODUCTS[name]
    if name == "MmadAtlasA2W4A4MatmulPerTokenPerChannelDequant":
        a = c = "int4b_t"
    elif family.mx:
        a = "float4_e2m1x2_t" if name == "MmadSvd3" or rng.random() < 0.5 else "float8_e4m3_t"
        a = "float8_e4m3_t" if name == "MmadA8W4Mx" else a
    elif family.sparse or name == "MmadPingpongPertile":
        a = "int8_t"
    else:
        a = rng.choice(("half", "bfloat16_t", "float", "int8_t"))
    of = element(a)
    c = {"int8_t": "int32_t", "int4b_t": "half"}.get(a, "float" if family.mx else a)
    unit = 64 if family.mx else of.c0
    m, n = (rng.choice((8 * rng.randint(1, 40), 64 * rng.randint(1, 4))) for _ in range(2))
    k = rng.choice((unit, 2 * unit, 4 * unit, 8 * unit, 6 * unit))
    l1, l0 = (
        GemmShape(m, n, k),
        GemmShape(m, n, rng.choice((k, max(unit, k // 2), max(unit, k // 4), 2 * k))),
    )
    if rng.random() < 0.2:
        l0 = l0._replace(m=rng.choice((16, 32)), n=rng.choice((32, 64)))
    values: dict[str, Any] = {
        p.name: rng.random() < 0.4 if p.is_flag else rng.choice((1, 2, 2, 2, 3, 4))
        for p in family.parameters
        if p.name != "hf32" and p.name != "scalar_elements"
    }
    if name == "MmadPingpongPertile":
        l0 = l1 if rng.random() < 0.6 else l0
    tags = ("RowMajor", "ColumnMajor" if family.mx or family.sparse else "RowMajor", "RowMajor")
    arch = AtlasA2 if code == 2201 else Ascend950
    scale: Literal["channel"] | None = (
        "channel" if name == "MmadAtlasA2W4A4MatmulPerTokenPerChannelDequant" else None
    )
    bias = element("float") if name == "MmadAtlasA2PingpongBias" and a != "int8_t" else None
    bias = element("int32_t") if name == "MmadAtlasA2PingpongBias" and a == "int8_t" else bias
    return Tile(arch, of, of, l1, l0, family(**values), bias, tags, c=element(c), scale=scale)


@pytest.mark.slow
@needs_catlass
@pytest.mark.parametrize("code", [2201, 3510])
def test_verdicts_equal_the_compilers(code: int, tmp_path: Path) -> None:
    rng = Random(code)
    names = [name for name, family in PRODUCTS.items() if code in family.codes]
    drawn = [random_tile(rng, name, code) for name in names for _ in range(share(COUNT))]
    # a type has its errors once, and so has the class that checks the alignment of a shape
    tiles = [*{(tile.l1, tile.l0, tile.a): tile for tile in drawn}.values()]
    said = verdicts(tiles, CATLASS, tmp_path)
    texts = {a.text for name, group in ASSERTS.items() if name not in NOT_OF_A_BLOCK for a in group}
    wrong = [
        (str(tile.policy), tile.l1, tile.l0, tile.a.name, found, ours)
        for tile, found in zip(tiles, said, strict=True)
        if [t for t in found if t in texts]
        != (
            ours := sorted({t for t in failures_of_block(tile._replace(scale=tile.scale)) if t in texts})
        )
    ]
    assert not wrong, f"{len(wrong)} of {len(tiles)}: {wrong[:4]}"
    clean = sum(not found for found in said)
    assert clean > len(tiles) // 10, f"{clean} of {len(tiles)} without an error"
