"""What a tile takes of each buffer: CATLASS's verdict, its holes, the bytes that copies write.

The rows of ``catlass_asserts.jsonl`` are what g++ says of CATLASS's own blocks for random tiles.
"""

from itertools import combinations, product
from typing import Any

import pytest
from cases import share
from hypothesis import given, settings, strategies as st
from oracle import rows

from tla import TlaError
from tla.ascend import (
    ARCHES,
    FAMILIES,
    Arch,
    Ascend950,
    AtlasA2,
    GemmShape,
    MmadAscend950FullLoadA,
    MmadAtlasA2FullLoadA,
    MmadAtlasA2SingleCoreSplitk,
    MmadPingpong,
    MmadPreloadAsyncWithCallback,
    MmadPreloadAsyncWithCallbackL0CToUB,
    Tile,
    element,
    fits,
    footprints,
    gemm,
    nearest,
    policy,
)
from tla.ascend.copies import gm_to_l1, l1_to_l0a, l1_to_l0b
from tla.ascend.plans.asserts import failures_of_block
from tla.ascend.plans.footprint import Footprint, Stage

BY_CODE = {2201: AtlasA2, 3510: Ascend950}
ELEMENTS = {
    2201: ("half", "bfloat16_t", "float", "int8_t", "int4b_t"),
    3510: ("half", "float", "int8_t", "float8_e4m3_t"),
}
TRANSPOSED = ("RowMajor", "ColumnMajor", "RowMajor")
half, single, byte = element("half"), element("float"), element("int8_t")


def shapes(values: list[int]) -> GemmShape:
    return GemmShape(*values)


# --- CATLASS's own verdict ---


def test_the_recorded_verdicts_of_pingpong() -> None:
    found = list(rows("catlass_tla.jsonl", "block_mmad_tla_legal"))
    assert len(found) == 30
    for row in found:
        of, how = element(row["element"]), MmadPingpong(unit_flag=row["unit_flag"])
        tile = (shapes(row["l1"]), shapes(row["l0"]))
        assert list(failures_of_block(Tile(BY_CODE[row["arch"]], of, of, *tile, how))) == sorted(
            row["static_asserts"]
        ), row


def test_the_recorded_verdicts_of_every_block() -> None:
    seen: set[str] = set()
    for row in rows("catlass_asserts.jsonl", "block_asserts"):
        of, how = element(row["element"]), policy(row["policy"])
        bias = element(row["bias"]) if row["bias"] else None
        tile = (shapes(row["l1"]), shapes(row["l0"]))
        c = element(row["c"])
        tags = ("RowMajor", row.get("b_tag", "RowMajor"), row["c_tag"])
        scale = row.get("scale")
        said = failures_of_block(
            Tile(BY_CODE[row["arch"]], of, of, *tile, how, bias, tags, c=c, scale=scale)
        )
        assert list(said) == row["says"], row
        seen.add(how.name)
    products = {name for name, family in FAMILIES.items() if family.kind == "product"}
    assert seen == {name for name in products if FAMILIES[name].codes}


def test_sizes_wrap_as_those_of_the_compiler() -> None:
    # 65536 * 65536 elements are 0 of them in 32 bits, so the assertion holds; the footprint does not
    tile = GemmShape(65536, 65536, 65536)
    said = failures_of_block(Tile(Ascend950, half, half, tile, tile._replace(k=16), MmadPingpong()))
    assert "L1TileShape exceeding the L1 space!" not in said
    assert footprints(Tile(Ascend950, half, half, tile, tile, MmadPingpong()))[0].margin < 0


# --- the holes ---


def ranges(footprint: Footprint) -> list[tuple[str, int, int]]:
    return [(f"{s.operand}{s.number}", s.start, s.end) for s in footprint.stages]


def test_the_overlap_on_950() -> None:
    tile = GemmShape(100, 256, 256), GemmShape(100, 256, 64)
    assert failures_of_block(Tile(Ascend950, half, half, *tile, MmadPingpong())) == ()
    l1 = footprints(Tile(Ascend950, half, half, *tile, MmadPingpong()))[0]
    assert ranges(l1) == [
        ("A0", 0, 56960),
        ("A1", 51200, 108160),
        ("B0", 102400, 233472),
        ("B1", 233472, 364544),
    ]
    assert [(x.operand + str(x.number), y.operand + str(y.number)) for x, y in l1.overlaps] == [
        ("A0", "A1"),
        ("A1", "B0"),
    ]
    assert not fits(Tile(Ascend950, half, half, *tile, MmadPingpong()))


def test_the_overlap_on_a2() -> None:
    tile = GemmShape(24, 128, 256), GemmShape(24, 128, 64)
    assert failures_of_block(Tile(AtlasA2, single, single, *tile, MmadPingpong())) == ()
    l1 = footprints(Tile(AtlasA2, single, single, *tile, MmadPingpong()))[0]
    assert ranges(l1)[:2] == [("A0", 0, 32512), ("A1", 24576, 57088)]
    assert not fits(Tile(AtlasA2, single, single, *tile, MmadPingpong()))


def test_a_transposed_load_writes_squares() -> None:
    # of float 16 by 16: a k of 8 is aligned to CATLASS, and each stage of B is twice as long
    tile = GemmShape(64, 64, 64), GemmShape(64, 64, 8)
    assert failures_of_block(Tile(AtlasA2, single, single, *tile, MmadPingpong())) == ()
    l0b = footprints(Tile(AtlasA2, single, single, *tile, MmadPingpong()))[2]
    assert ranges(l0b) == [("B0", 0, 4096), ("B1", 2048, 6144)]
    whole = footprints(Tile(AtlasA2, single, single, *tile, MmadPingpong(), tags=TRANSPOSED))
    assert ranges(whole[2]) == [("B0", 0, 2048), ("B1", 2048, 4096)]


def test_four_bits_are_counted_as_bytes_and_written_as_they_are() -> None:
    int4 = element("int4b_t")
    shape = GemmShape(256, 256, 1024)
    tile = Tile(AtlasA2, int4, int4, shape, shape._replace(k=128), MmadPingpong())
    l1 = footprints(tile)[0]
    assert l1.counted == 2 * l1.padded == 1048576
    assert "L1TileShape exceeding the L1 space!" in failures_of_block(tile)


# --- where stages lie ---


def test_all_rows_of_a_lie_in_half_of_l1() -> None:
    tile = GemmShape(128, 256, 128), GemmShape(128, 256, 64)
    l1 = footprints(Tile(AtlasA2, half, half, *tile, MmadAtlasA2FullLoadA(), k=1000))[0]
    assert ranges(l1) == [("A0", 0, 258048), ("B0", 262144, 327680), ("B1", 327680, 393216)]
    assert fits(Tile(AtlasA2, half, half, *tile, MmadAtlasA2FullLoadA(), k=1024))
    assert not fits(Tile(AtlasA2, half, half, *tile, MmadAtlasA2FullLoadA(), k=1025))


def test_on_950_b_lies_before_a() -> None:
    tile = GemmShape(128, 256, 128), GemmShape(128, 256, 64)
    how, bias = MmadAscend950FullLoadA(), element("float")
    l1 = footprints(Tile(Ascend950, half, half, *tile, how, bias, k=512))[0]
    assert ranges(l1) == [
        ("B0", 0, 65536),
        ("B1", 65536, 131072),
        ("bias0", 131072, 132096),
        ("A0", 132096, 263168),
    ]


def test_l0_is_shared_out_by_legacy_blocks() -> None:
    tile = GemmShape(32, 64, 128), GemmShape(32, 64, 32)
    how = MmadAtlasA2SingleCoreSplitk(l0c_stages=2)
    _, l0a, l0b, l0c = footprints(Tile(AtlasA2, half, half, *tile, how))
    assert [s.start for s in (*l0a.stages, *l0b.stages, *l0c.stages)] == [0, 32768, 0, 32768, 0, 65536]


def test_a_bias_has_a_stage_for_each_of_the_fewer() -> None:
    tile = GemmShape(128, 256, 64), GemmShape(128, 256, 64)
    how = MmadPreloadAsyncWithCallback(l1a_stages=3)
    l1, *_, bt = footprints(Tile(AtlasA2, half, half, *tile, how, element("float")))
    assert [s.start for s in l1.stages if s.operand == "bias"] == [114688, 115712]
    assert (bt.buffer, bt.needed, bt.capacity) == ("BT", 1024, 1024)


def test_tiles_at_run_time_share_l1() -> None:
    tile = GemmShape(64, 64, 64), GemmShape(64, 64, 64)
    l1 = footprints(Tile(Ascend950, half, half, *tile, MmadPreloadAsyncWithCallbackL0CToUB()))[0]
    assert [s.start for s in l1.stages] == [0, 131072, 262144, 393216]


# --- laws ---

SIDE = st.sampled_from([7, 8, 16, 24, 31, 32, 40, 48, 64, 96, 100, 112, 128, 192, 250, 256, 512])
TAGS = st.sampled_from(["RowMajor", "ColumnMajor", "zN", "nZ"])


@st.composite
def tiles(draw: Any) -> Tile:
    """Everything that `fits` takes."""
    family = draw(st.sampled_from([f for f in FAMILIES.values() if f.codes and f.kind == "product"]))
    code = draw(st.sampled_from(family.codes))
    of = element(draw(st.sampled_from(ELEMENTS[code])))
    values = {
        p.name: draw(st.booleans() if p.is_flag else st.integers(1, 3))
        for p in family.parameters
        if draw(st.booleans())
    }
    l1 = GemmShape(draw(SIDE), draw(SIDE), draw(SIDE))
    l0 = l1._replace(k=min(l1.k, draw(SIDE)))
    bias = draw(st.sampled_from([None, element("float")]))
    tags = (draw(TAGS), draw(TAGS), "RowMajor")
    return Tile(BY_CODE[code], of, of, l1, l0, family(**values), bias, tags)


@given(tiles())
def test_it_fits_where_nothing_is_asserted_against_it_and_all_footprints_are_sound(tile: Tile) -> None:
    """Of each stage: it starts where it may, ends within the buffer, and overlaps no other."""
    said = failures_of_block(tile)
    sound = True
    for footprint in footprints(tile):
        stages = footprint.stages
        one = all(s.start % footprint.unit == 0 and s.reach <= footprint.capacity for s in stages)
        assert footprint.sound == (one and not footprint.overlaps)
        sound = sound and footprint.sound
    assert fits(tile) == (not said and sound)


@given(tiles())
def test_overlaps_are_bytes_of_two_stages(tile: Tile) -> None:
    """Byte sets, compared pair by pair, as the naive truth; bytes are counted in units of 32."""

    def bytes_of(stage: Stage) -> set[int]:
        return set(range(stage.start // 32, -(-stage.end // 32)))

    for footprint in footprints(tile):
        if footprint.capacity < footprint.needed or footprint.buffer == "BT":
            continue
        if any(s.start % 32 for s in footprint.stages):
            continue
        pairs = combinations(sorted(footprint.stages, key=lambda s: (s.start, s.end)), 2)
        assert list(footprint.overlaps) == [(x, y) for x, y in pairs if bytes_of(x) & bytes_of(y)]


@given(tiles())
def test_a_stage_is_written_within_what_it_reaches(tile: Tile) -> None:
    for footprint in footprints(tile):
        for stage in footprint.stages:
            assert stage.start < stage.end <= stage.reach
        assert footprint.needed <= max(s.reach for s in footprint.stages)
        assert footprint.margin == footprint.capacity - footprint.needed


SMALL = st.sampled_from([7, 8, 16, 24, 31, 32, 40, 48])


@settings(max_examples=40)
@given(st.sampled_from([AtlasA2, Ascend950]), st.data())
def test_copies_write_the_bytes_that_a_stage_holds(arch: Arch, data: Any) -> None:
    """The last byte that the instructions write, element by element."""
    of = element(data.draw(st.sampled_from(ELEMENTS[arch.code])))
    tags = [data.draw(TAGS), data.draw(TAGS), "RowMajor"]
    even = 2 if of.bits < 8 else 1
    m, n, k, k0 = (-(-data.draw(SMALL) // even) * even for _ in range(4))
    plan = gemm(arch, (100, 100, 100), (of, of), tags, (m, n, k), (m, n, min(k, k0)))
    by_buffer = {footprint.buffer: footprint.stages for footprint in plan.footprints}

    def written(copy: Any, src: Any, dst: Any, tile: tuple[int, ...]) -> int | None:
        try:
            transfer = copy(src, dst, arch=arch, element=of, tile=tile)
        except TlaError:
            return None  # no instruction does it
        last = max(int(move.dst) for move in transfer.moves())
        return (int(of.bits) * (last + 1) + 7) // 8

    routes: Any = (("A", "L0A", l1_to_l0a), ("B", "L0B", l1_to_l0b))
    for operand, buffer, load in routes:
        whole, part = plan.extents(operand, plan.l1), plan.extents(operand, plan.l0)
        there = plan.layout(operand, "L1")
        steps: Any = (
            ("L1", written(gm_to_l1, plan.layout(operand), there, whole)),
            (buffer, written(load, there, plan.layout(operand, buffer), part)),
        )
        for where, end in steps:
            stage = next(s for s in by_buffer[where] if s.operand == operand)
            assert end in (None, stage.end - stage.start), (plan, operand, where)


# --- the nearest tile ---


@settings(max_examples=share(60))
@given(tiles())
def test_the_nearest_tile_fits(tile: Tile) -> None:
    found = nearest(tile)
    if found is not None:
        assert fits(tile._replace(l1=found.l1, l0=found.l0))
        assert found.distance >= 0
    else:
        unit = max(16, tile.a.c0, tile.b.c0)
        for m, n, k in product((1, 2, 3), repeat=3):
            small = GemmShape(m * unit, n * unit, k * unit)
            assert not fits(tile._replace(l1=small, l0=small._replace(k=unit)))


def test_a_long_extent_is_not_stepped_over() -> None:
    asked = GemmShape(16, 16, 100000)
    found = nearest(Tile(AtlasA2, half, half, asked, asked._replace(k=1024), MmadPingpong()))
    assert found is not None
    assert (found.l1, found.l0) == ((16, 16, 4096), (16, 16, 1024))


def test_event_ids_are_asked_for() -> None:
    tile = GemmShape(32, 32, 32)
    for stages, fitting in ((4, True), (5, False)):
        how = FAMILIES["MmadAtlasA2PreloadAsync"](l1_stages=stages)
        assert fits(Tile(AtlasA2, half, half, tile, tile, how)) == fitting


@pytest.mark.parametrize(
    ("arch", "of", "tags", "asked", "near"),
    [
        (AtlasA2, "half", ("RowMajor", "RowMajor"), (200, 240, 160), (160, 192, 160)),
        (AtlasA2, "half", ("RowMajor", "ColumnMajor"), (256, 256, 512), (128, 256, 320)),
        (AtlasA2, "float", ("ColumnMajor", "RowMajor"), (136, 264, 96), (128, 256, 96)),
        (Ascend950, "int8_t", ("ColumnMajor", "RowMajor"), (250, 300, 600), (224, 288, 512)),
        (Ascend950, "float8_e4m3_t", ("RowMajor", "ColumnMajor"), (50, 500, 700), (48, 448, 512)),
    ],
)
def test_no_smaller_change_fits(
    arch: Arch, of: str, tags: tuple[str, str], asked: Any, near: tuple[int, int, int]
) -> None:
    """Every tile that is nearer, tried one by one."""
    from math import log2

    kind, how, asked = element(of), MmadPingpong(), GemmShape(*asked)
    found = nearest(Tile(arch, kind, kind, asked, asked._replace(k=64), how, tags=(*tags, "RowMajor")))
    assert found is not None
    unit = max(16, kind.c0)

    def extents(extent: int) -> list[int]:
        """Those asked for, rounded, and those of three binary digits."""
        digits = {d << i for d in (1, 3, 5, 7) for i in range(13)}
        rounded = {extent // u * u for u in (16, unit)} | {-(-extent // u) * u for u in (16, unit)}
        return sorted(x for x in digits | rounded if 16 <= x <= max(rounded) and x % 16 == 0)

    for m, n, k in product(*map(extents, asked)):
        far = sum(abs(log2(x / y)) for x, y in zip((m, n, k), asked, strict=True))
        if far < found.distance - 1e-9 and k % unit == 0:
            tile = GemmShape(m, n, k)
            fitting = [
                x
                for x in range(unit, k + 1, unit)
                if fits(Tile(arch, kind, kind, tile, tile._replace(k=x), how, tags=(*tags, "RowMajor")))
            ]
            assert not fitting, (tile, fitting)
    assert found.l1 == near


@pytest.mark.parametrize(
    "tags", [("RowMajor", "RowMajor"), ("ColumnMajor", "ColumnMajor"), ("nZ", "zN")]
)
@pytest.mark.parametrize("of", ["int8_t", "float8_e4m3_t", "half", "float"])
def test_a_tile_whose_loads_transpose_has_a_nearest(of: str, tags: tuple[str, str]) -> None:
    kind = element(of)
    asked = GemmShape(250, 256, 16 * kind.c0)
    part = asked._replace(k=4 * kind.c0)
    found = nearest(Tile(Ascend950, kind, kind, asked, part, MmadPingpong(), tags=(*tags, "RowMajor")))
    assert found is not None
    assert (found.l1, found.l0) == ((256, 256, asked.k), (256, 256, part.k))


def test_where_no_tile_fits() -> None:
    tile = GemmShape(64, 64, 64)
    assert nearest(Tile(AtlasA2, half, half, tile, tile, MmadPingpong(hf32=True))) is None
    assert nearest(Tile(ARCHES["AtlasA3"], half, half, tile, tile, MmadAscend950FullLoadA())) is None
