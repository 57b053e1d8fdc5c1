"""Shardings: XLA's texts, Shardy's, and the slices that jax gives to each device."""

from __future__ import annotations

import json
from itertools import product
from math import prod
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from tla.errors import CoordinateError, LayoutError, ParseError, UnsupportedError
from tla.xla_bridge import Iota, Sharding, parse_sharding

ROWS = Path(__file__).parent.parent / "data" / "shardings.jsonl"


def test_the_texts_and_slices_of_jax() -> None:
    rows = [json.loads(line) for line in ROWS.read_text("utf-8").splitlines()]
    for row in rows:
        if row["v1"] is None:  # XLA's own reader ends the process
            with pytest.raises(ParseError):
                parse_sharding(row["text"])
            continue
        sharding = parse_sharding(row["text"], row.get("mesh"))
        assert str(sharding) == row["v1"], row
        assert str(parse_sharding(row["v1"])) == row["v1"]
        if row.get("devices"):
            assert list(sharding.device_list) == row["devices"]
        for device, slices in enumerate(row.get("slices", ())):
            assert [[*each] for each in sharding.slices(device, row["shape"])] == slices, row
    assert len(rows) == 192


@st.composite
def iotas(draw: st.DrawFn) -> Iota:
    dims = tuple(draw(st.lists(st.integers(1, 4), min_size=1, max_size=4)))
    return Iota(dims, tuple(draw(st.permutations(range(len(dims))))))


@given(iotas())
def test_an_iota_is_a_transposed_array_of_devices(iota: Iota) -> None:
    turned = [iota.dims[d] for d in iota.order]
    for tile, index in enumerate(product(*map(range, turned))):
        at = dict(zip(iota.order, index, strict=True))
        device = 0
        for d, n in enumerate(iota.dims):
            device = device * n + at[d]
        assert (iota.device(tile), iota.tile(device)) == (device, tile)
        assert iota.canonical.device(tile) == device
    assert iota.canonical.canonical == iota.canonical


@given(iotas(), st.data())
def test_the_slices_of_all_devices_are_the_array(iota: Iota, data: st.DataObject) -> None:
    """Each element is on as many devices as a tile has, and the layout numbers the slices."""
    turned = [iota.dims[d] for d in iota.order]
    cut = data.draw(st.integers(0, len(turned)))
    same = prod(turned[cut:])
    tiles = turned[:cut]
    groups = ("replicated",) if same > 1 else ()
    sharding = Sharding("tiled", (*tiles, *([same] if same > 1 else [])), groups, iota)
    shape = [data.draw(st.integers(1, 7)) for _ in tiles]
    counts = dict.fromkeys(product(*map(range, shape)), 0)
    layout = sharding.layout
    for device in range(iota.size):
        slices = sharding.slices(device, shape)
        for index in product(*(range(*each) for each in slices)):
            counts[index] += 1
        number = 0
        for i, n in zip(sharding.tile(device), tiles, strict=True):
            number = number * n + i
        assert int(layout(device)) == number
        local = sharding.shard_shape(shape)
        assert all(b - a <= n for (a, b), n in zip(slices, local, strict=True))
    assert set(counts.values()) == {same}
    padded = zip(sharding.padding(shape), sharding.shard_shape(shape), tiles, shape, strict=True)
    assert all(more == m * n - extent and more < m * n + 1 for more, m, n, extent in padded)


def test_thousands_of_devices_are_arithmetic() -> None:
    sharding = parse_sharding("{devices=[4096,8192]<=[64,128,64,64]T(2,0,3,1)}")
    assert sharding.slices(33554431, (1 << 20, 1 << 20)) == (
        ((1 << 20) - 256, 1 << 20),
        ((1 << 20) - 128, 1 << 20),
    )
    assert str(sharding.layout) == "(64,64,128,64):(128,524288,1,8192)"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "expected a sharding in braces"),
        ("{devices=[2,2]}", "expected a sharding such as"),
        ("{devices=[2,3]<=[4]}", "6 tiles for 4 devices"),
        ("{devices=[2,2]0,1,2}", "4 tiles for 3 devices"),
        ("{devices=[4]<=[2,2]T(0,0)}", "T(0,0) is no order of 2 dims"),
        ("{devices=[4]<=[2,2]T(0)}", "is no order of 2 dims"),
        ("{devices=[0]<=[0]}", "0 tiles for 0 devices"),
        ("{devices=[4]<=[4] last_tile_dims={odd}}", "expected a type for each of the last tile dims"),
        ("{{replicated}, x}", "expected the shardings of a tuple"),
        ("{{replicated}", "a brace is not closed"),
        ("#sdy.sharding<@mesh, [{}]>", "the text names a mesh and does not hold it"),
        ("#sdy.sharding<[{}]>", "expected #sdy.sharding"),
    ],
)
def test_texts_that_are_no_sharding(text: str, says: str) -> None:
    with pytest.raises(ParseError) as error:
        parse_sharding(text)
    assert says in str(error.value)


@pytest.mark.parametrize(
    ("dims", "mesh", "says"),
    [
        ('{"z"}', '<["x"=4]>', 'the mesh has no axis "z"'),
        ('{"x":(3)2}', '<["x"=4]>', 'axis "x" of 4 has no part (3)2'),
        ('{"x"}, {"x"}', '<["x"=4]>', "an axis of the mesh divides two dims"),
        ('{"x":(1)2}, {"x"}', '<["x"=4]>', "an axis of the mesh divides two dims"),
        ('{"x":(1)2}, {"x":(2)3}', '<["x"=12]>', None),
        ('{"x":(1)4}, {"x":(1)6}', '<["x"=24]>', "the parts of axis"),
        ("{}", '<["x"=4], device_ids=[0, 1]>', "the mesh has 4 devices, and 2 ids"),
        ("{}", "x=4", "expected a mesh such as"),
    ],
)
def test_axes_that_do_not_fit_the_mesh(dims: str, mesh: str, says: str | None) -> None:
    text = f"#sdy.sharding<@mesh, [{dims}]>"
    if says is None:
        assert str(parse_sharding(text, mesh)) == "{devices=[2,3,2]<=[12] last_tile_dim_replicate}"
        return
    with pytest.raises(ParseError) as error:
        parse_sharding(text, mesh)
    assert says in str(error.value)


def test_questions_without_an_answer() -> None:
    tiled = parse_sharding("{devices=[2,2]<=[4]}")
    with pytest.raises(CoordinateError, match="device 4 has no slice in"):
        tiled.slices(4, (8, 8))
    with pytest.raises(LayoutError, match="divides 2 dims, and the array has 1"):
        tiled.slices(0, (8,))
    with pytest.raises(UnsupportedError, match="does not say what a device has"):
        parse_sharding("{manual}").shard_shape((8,))
    with pytest.raises(UnsupportedError, match="its devices are not an iota"):
        _ = parse_sharding("{devices=[4]0,2,1,3}").layout
    with pytest.raises(CoordinateError, match="device 0 has nothing"):
        parse_sharding("{maximal device=3}").slices(0, (8,))
    assert parse_sharding("{maximal device=3}").slices(3, (8,)) == ((0, 8),)
    both = parse_sharding("{{replicated}, {devices=[2]<=[2]}}")
    assert [each.kind for each in both.elements] == ["replicated", "tiled"]
    assert str(both) == "{{replicated}, {devices=[2]<=[2]}}"
