"""Partitions: the rows of CuTe, and each against the divided layout at every coordinate."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from cases import over
from oracle import cute_layout, rows, value

import tla
from tla import (
    CongruenceError,
    CoordinateError,
    Layout,
    LayoutError,
    Tensor,
    _,
    inner_partition,
    local_partition,
    local_tile,
    make_tensor,
    outer_partition,
    sym,
    zipped_divide,
)

OPERATIONS = (
    "local_tile", "local_tile_proj", "local_partition", "local_partition_proj", "inner_partition",
    "outer_partition", "zipped_divide_chain", "tiled_divide_slice", "zipped_divide_tensor",
    "flat_divide_tensor",
)  # fmt: skip


def kept(x: Any) -> Any:
    """``"_"`` and ``"X"`` as `_`, ``"1"`` as 1."""
    if isinstance(x, list):
        return tuple(kept(i) for i in x)
    return {"_": _, "X": _, "1": 1}.get(x, x) if isinstance(x, str) else x


def parted(op: str, given: dict[str, Any], x: Any) -> Any:
    proj = (kept(given["proj"]),) if "proj" in given else ()
    if op.startswith("local_partition"):
        return local_partition(x, Layout(*value(given["tile"])), given["index"], *proj)
    tiler, coord = value(given["tiler"]), kept(given.get("coord"))
    if op.endswith("_tensor"):
        return {"zipped": zipped_divide, "flat": tla.flat_divide}[op.partition("_")[0]](x, tiler)
    if op == "tiled_divide_slice":
        return tla.tiled_divide(x, tiler)[coord]
    if op == "zipped_divide_chain":
        return zipped_divide(local_tile(x, tiler, coord), value(given["tiler2"]))
    calls: dict[str, Any] = {"inner_partition": inner_partition, "outer_partition": outer_partition}
    call = calls.get(op, local_tile)
    return call(x, tiler, coord, *proj)


def offsets_of(tensor: Any) -> list[int]:
    return [int(tensor(i)) for i in range(tensor.layout.size)]


@over("row", [row for op in OPERATIONS for row in rows("cute_partition.jsonl", op)])
def test_rows_of_cute(row: Any) -> None:
    given, wanted = row["inputs"], row["result"]
    whole = cute_layout(given["A"])
    part = parted(row["op"], given, make_tensor(None, whole))
    if row["op"].endswith("partition") or row["op"] == "local_tile":
        layout, offset = parted(row["op"], given, whole)
        assert [int(layout(i)) + offset for i in range(layout.size)] == offsets_of(part)
    if "function_ok" in row:  # CuTe's answer is another function: it drops a carry into swizzled bits
        assert {*offsets_of(part)} < {int(whole(i)) for i in range(whole.size)}
        return
    layout = cute_layout(wanted["layout"])
    assert tla.product_each(part.shape) == tla.product_each(layout.shape)
    assert offsets_of(part) == [int(layout(i)) + wanted["base"] for i in range(layout.size)]


def random_tiles(rng: Random) -> tuple[Any, Any]:
    shape: Any = tuple(rng.choice([4, 6, 8, (2, 4), 9]) for _mode in range(rng.randint(1, 3)))
    flat = tla.layouts.leaves(shape)
    steps = tla.unflatten(tuple(rng.choice([1, 2, 5, 8, 40]) for _n in flat), shape)
    sizes = [int(tla.size(n)) for n in shape]
    tile = tuple(rng.choice([d for d in range(1, n + 1) if n % d == 0]) for n in sizes)
    return Layout(shape, steps), tile


def test_partitions_against_the_divided_layout() -> None:
    rng = Random(11)
    for _i in range(80):
        layout, tile = random_tiles(rng)
        divided = zipped_divide(layout, tile)
        inside, outside = (int(tla.size(part)) for part in divided.shape)
        i, j = rng.randrange(inside), rng.randrange(outside)
        part, offset = inner_partition(layout, tile, j)
        assert [part(k) + offset for k in range(inside)] == [divided(k, j) for k in range(inside)]
        part, offset = outer_partition(layout, tile, i)
        assert [part(k) + offset for k in range(outside)] == [divided(i, k) for k in range(outside)]
        tensor = make_tensor(list(range(int(layout.cosize))), layout)
        view: Tensor[Any, Any] = outer_partition(tensor, tile, i)
        assert [view(k) for k in range(outside)] == [divided(i, k) for k in range(outside)]
        threads = (
            Layout(tile)
            if rng.random() < 0.5
            else tla.make_ordered_layout(tile, tuple(range(len(tile)))[::-1])
        )
        held = [local_partition(layout, threads, t) for t in range(inside)]
        every, _offset = local_partition(layout, threads, _)
        for t, (part, offset) in enumerate(held):
            assert all(every(t + inside * k) == part(k) + offset for k in range(outside))
        found = sorted(part(k) + offset for part, offset in held for k in range(outside))
        assert found == sorted(int(layout(k)) for k in range(layout.size))


def test_a_block_of_unknown_place() -> None:
    m, k = sym("M"), sym("K", divisible_by=8)
    bx = sym("bx", min=0, max=tla.ceil_div(m, 128) - 1)
    tile, offset = local_tile(Layout((m, k), (k, 1)), (128, 8), (bx, _))
    bound = {"M": 200, "K": 16, "bx": 1}
    assert tile.bind(**bound) == local_tile(Layout((200, 16), (16, 1)), (128, 8), (1, _))[0]
    assert tla.numbers.substitute(offset, bound) == 2048


def test_what_is_not_there() -> None:
    a = Layout((8, 6), (6, 1))
    with pytest.raises(CoordinateError, match=r"there is no thread 6 in \(2,3\)"):
        local_partition(a, Layout((2, 3)), 6)
    with pytest.raises(LayoutError, match=r"not numbered 0 to 3, each once"):
        local_partition(a, Layout((2, 2), (1, 3)), _)
    strange: Any = [1, 2]
    with pytest.raises(tla.NotALayoutError):
        local_partition(strange, Layout(2), _)
    with pytest.raises(CoordinateError, match=r"there is no thread 2 in \(2,2\):\(1,3\)"):
        local_partition(a, Layout((2, 2), (1, 3)), 2)
    for there in (local_partition(a, Layout((2, 2), (1, 3)), n)[1] for n in (0, 1, 3, 4)):
        assert there in (0, 6, 1, 7)  # threads whose strides do not nest
    with pytest.raises(CoordinateError, match=r"no tile \(2,0\): the tiles have the shape \(2,3\)"):
        inner_partition(a, (4, 2), (2, 0))
    with pytest.raises(CoordinateError, match=r"no tile \(2,0,1\): the tiles .*\n.* takes 2 modes"):
        local_tile(a, (4, 2), (2, 0, 1))
    with pytest.raises(CoordinateError, match=r"no element \(4,_\): a tile has the shape \(4,2\)"):
        outer_partition(a, (4, 2), (4, _))
    wrong: Any = 7
    for proj in (wrong, (1, _, 1)):
        with pytest.raises(CongruenceError, match=r"the projection .* does not fit"):
            local_tile(a, (4, 2), (0, 0), proj)
    with pytest.raises(CoordinateError):
        outer_partition(a, (4, 2), (0, 2))
