"""What TPU compilers do with arrays: tiles, default layouts, memories."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from tla.errors import UnsupportedError
from tla.ground.dtypes import ELEMENT_TYPES
from tla.xla_bridge import XlaShape, XlaTuple, parse_array, physical_bytes
from tla.xla_bridge.tpu import (
    CHIPS,
    chip_named,
    default_layout,
    default_tiling,
    memory_space_name,
    packed_bits,
    tilings_of_order,
    tpu_tilings,
)

DATA = Path(__file__).parent.parent / "data"
ROWS = [json.loads(line) for line in (DATA / "tpu_default_layouts.jsonl").read_text().splitlines()]
CHIP_NAMES = ["v2", "v3", "v4", "v5e", "v5p", "v6e", "tpu7x"]
DATA_TYPES = [name for name, kind in ELEMENT_TYPES.items() if kind.bits]
OBSERVED_TYPES = [name for name in DATA_TYPES if ELEMENT_TYPES[name].bits not in (1, 6)]

shapes = st.builds(
    XlaShape,
    st.sampled_from(OBSERVED_TYPES),
    st.lists(st.sampled_from([0, 1, 2, 3, 4, 7, 8, 9, 16, 33, 128, 130, 256]), max_size=5),
)
chips = st.sampled_from(CHIP_NAMES)


def test_the_compilers_choices() -> None:
    """Each row is an entry parameter of a compiled module whose layout was left to the compiler."""
    wrong = [
        (row, str(layout))
        for row in ROWS
        if str(layout := default_layout(parse_array(row["shape"]), row["chip"])) != row["layout"]
    ]
    assert not wrong
    assert len(ROWS) == 744
    assert sorted(Counter(row["chip"] for row in ROWS)) == sorted(CHIP_NAMES)


def test_the_tiles_of_an_observed_order() -> None:
    for row in ROWS:
        observed = parse_array(row["layout"])
        assert tilings_of_order(observed, observed.minor_to_major, row["chip"])[0] == observed.tiles
        assert default_tiling(observed, row["chip"]) == observed.tiles


def test_every_observed_tiling_is_in_the_table() -> None:
    for row in ROWS:
        observed = parse_array(row["layout"])
        if observed.tiles:
            assert observed.tiles in tpu_tilings(observed.element_type, observed.rank)


@given(shapes, chips)
def test_a_default_tiling_is_in_the_table(shape: XlaShape, chip: str) -> None:
    layout = default_layout(shape, chip)
    assert not layout.tiles or layout.tiles in tpu_tilings(shape.element_type, shape.rank)
    assert bool(layout.tiles) == (shape.elements > 0 or not shape.rank)
    assert (layout.element_type, layout.dimensions) == (shape.element_type, shape.dimensions)
    assert default_layout(layout, chip) == layout


@given(shapes, chips)
def test_the_default_order_costs_no_more_than_row_major(shape: XlaShape, chip: str) -> None:
    if shape.element_type.bits == 2:  # orders are compared with 8 rows in a tile, which has 16
        return
    layout = default_layout(shape, chip)
    rows = XlaShape(
        shape.element_type,
        shape.dimensions,
        tiles=tilings_of_order(shape, shape.minor_to_major, chip)[0],
        element_size_in_bits=layout.element_size_in_bits,
    )
    assert physical_bytes(layout) <= physical_bytes(rows)


def test_a_bounded_dim_counts_by_its_bound_and_stays() -> None:
    assert str(default_layout(parse_array("f32[<=300,3]"))) == "f32[<=300,3]{0,1:T(4,128)}"


@pytest.mark.parametrize(
    ("name", "rank", "first"),
    [
        ("f32", 2, [((8, 128),), ((4, 128),), ((2, 128),), ((1, 128),)]),
        ("bf16", 3, [((8, 128), (2, 1)), ((4, 128), (2, 1)), ((2, 128), (2, 1)), ((16, 128), (2, 1))]),
        ("bf16", 1, [((1024,), (128,), (2, 1)), ((512,), (128,), (2, 1)), ((256,), (128,), (2, 1))]),
        ("pred", 2, [((8, 128), (4, 1)), ((4, 128), (4, 1)), ((32, 128), (4, 1))]),
        ("s4", 2, [((8, 128), (8, 1)), ((64, 128), (8, 1)), ((8, 128), (4, 1))]),
        ("s32", 0, [((128,),), ((256,),)]),
        ("c64", 1, [((1024,),), ((512,),), ((256,),), ((128,),)]),
    ],
)
def test_the_table(name: str, rank: int, first: list[tuple[tuple[int, ...], ...]]) -> None:
    assert list(tpu_tilings(name, rank))[: len(first)] == first


def test_the_documents_pairing_of_tiles() -> None:
    assert ((8, 128), (2, 1, 1, 1)) in tpu_tilings("bf16", 2)


def test_accepted_tilings_of_an_order() -> None:
    """Tiles of a parameter that the compiler takes; every other tiling of the table it refuses."""
    small, large = ((8, 128), (2, 1)), ((16, 128), (2, 1))
    assert tilings_of_order(parse_array("bf16[64,300]"), (1, 0)) == (small, large)
    assert tilings_of_order(parse_array("bf16[64,300]"), (0, 1)) == (small,)
    assert tilings_of_order(parse_array("bf16[64,300]"), (1, 0), "v3") == (small,)
    assert tilings_of_order(parse_array("s8[64,300]"), (1, 0)) == (
        ((32, 128), (4, 1)),
        ((8, 128), (4, 1)),
    )
    assert tilings_of_order(parse_array("s4[64,300]"), (1, 0))[0] == ((64, 128), (8, 1))
    assert tilings_of_order(parse_array("f32[7,300]"), (1, 0)) == (((8, 128),),)
    assert tilings_of_order(parse_array("f32[0,300]"), (1, 0)) == ((),)


def test_packed_bits() -> None:
    for row in ROWS:
        observed = parse_array(row["layout"])
        assert packed_bits(observed.element_type, row["chip"]) == observed.element_size_in_bits


def test_a_table_has_no_entry_twice() -> None:
    for name in DATA_TYPES:
        for rank in range(4):
            table = tpu_tilings(name, rank)
            assert len(set(table)) == len(table) > 0


# --- chips ---


def test_memory_spaces() -> None:
    assert (memory_space_name(1, "v5e"), memory_space_name(3, "v4")) == ("VMEM", "CMEM")
    assert memory_space_name(3, "v5e") == "S(3)"
    assert memory_space_name(1, "v4") == "S(1)"
    assert [memory_space_name(n) for n in (0, 1, 5, 6, -1)] == ["HBM", "S(1)", "host", "SMEM", "S(-1)"]


@pytest.mark.parametrize("path", sorted((DATA / "tpu_hlo").glob("*.hlo")), ids=lambda path: path.stem)
def test_the_memory_spaces_of_a_module_have_names(path: Path) -> None:
    chip = path.stem.split("_")[0]
    for number in {int(n) for n in re.findall(r"\bS\((\d+)\)\}", path.read_text())}:
        assert memory_space_name(number, chip) != f"S({number})"


@pytest.mark.parametrize(
    ("name", "chip"),
    [("v5e", "v5e"), ("TPU v5 lite", "v5e"), ("v5litepod", "v5e"), ("TPU v6 lite", "v6e"),
     ("TPU7x", "tpu7x"), ("TPU v4", "v4"), ("TPU v5", "v5p"), ("ironwood", "tpu7x")],
)  # fmt: skip
def test_the_names_of_a_chip(name: str, chip: str) -> None:
    assert chip_named(name) is CHIPS[chip]
    assert chip_named(CHIPS[chip]) is CHIPS[chip]


# --- what is wrong ---


def test_an_unknown_chip() -> None:
    with pytest.raises(UnsupportedError, match="there is no TPU 'h100'") as caught:
        default_layout(XlaShape("f32", (3,)), "h100")
    assert "Known: v2, v3, v4, v5e, v5p, v6e, tpu7x." in str(caught.value)
    with pytest.raises(UnsupportedError, match="there is no TPU ''"):
        memory_space_name(1, "")


def test_shapes_without_a_default() -> None:
    with pytest.raises(UnsupportedError, match="a dim of unknown size"):
        default_layout(XlaShape("f32", ("?", 3)))
    with pytest.raises(UnsupportedError, match="a tuple of shapes"):
        default_layout(XlaTuple([XlaShape("f32", (3,))]))
    with pytest.raises(UnsupportedError, match="carries no data"):
        default_layout(XlaShape("token", ()))
    with pytest.raises(UnsupportedError, match="what TPU compilers choose for u1 is not known"):
        default_layout(XlaShape("u1", (3,)))
    with pytest.raises(UnsupportedError, match="what TPU compilers choose for f6e2m3fn is not known"):
        tilings_of_order(XlaShape("f6e2m3fn", (3, 4)), (1, 0))
    with pytest.raises(UnsupportedError, match="token carries no data: it has no tiles"):
        tpu_tilings("token", 0)
