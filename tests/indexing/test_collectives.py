"""Collectives against a simulation of all devices: each element is the set of those it is made of."""

from __future__ import annotations

import random
from itertools import pairwise, product
from math import prod
from typing import TYPE_CHECKING, Any

import pytest
from cases import shapes_as_written

from tla.errors import UnsupportedError
from tla.hlo import read_groups, read_instruction
from tla.indexing import compose, inverse, output_to_input
from tla.indexing.ops import RULES, Op
from tla.indexing.ops.replica_groups import pairings, pieces, progression
from tla.indexing.variables import bounded

from .truth import replica_pairs

np = pytest.importorskip("numpy")

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tla.indexing import IndexingMap

    Arrays = list[Any]
    Groups = list[list[int]]
    Devices = list[Arrays]

INSTANCES = pytest.mark.parametrize("instances", [25, pytest.param(200, marks=pytest.mark.slow)])

# --- what collectives do, to the arrays of all devices ----------------------------------------


def operands(devices: int, count: int, shape: Sequence[int]) -> Devices:
    """For each device, arrays whose elements are the names of themselves."""
    out: Devices = []
    for device in range(devices):
        arrays = [np.empty(shape, object) for _ in range(count)]
        for number, array in enumerate(arrays):
            for at in np.ndindex(*shape):
                array[at] = frozenset({(device, number, at)})
        out.append(arrays)
    return out


def nothing(like: Any) -> Any:
    out = np.empty(like.shape, object)
    for at in np.ndindex(*like.shape):
        out[at] = frozenset()
    return out


def united(arrays: Sequence[Any]) -> Any:
    out = nothing(arrays[0])
    for at in np.ndindex(*out.shape):
        out[at] = frozenset().union(*(array[at] for array in arrays))
    return out


def run(
    groups: Groups, xs: Devices, result: Callable[[list[Arrays], int], Arrays], empty: Arrays
) -> Devices:
    """What each device gets: ``result`` of the members of its group, and its place among them."""
    out: Devices = [[nothing(array) for array in empty] for _ in xs]
    for group in groups:
        for place, device in enumerate(group):
            out[device] = result([xs[member] for member in group], place)
    return out


def all_gather(groups: Groups, xs: Devices, axis: int) -> Devices:
    def gathered(members: list[Arrays], _place: int) -> Arrays:
        return [np.concatenate(parts, axis) for parts in zip(*members, strict=True)]

    some = gathered([xs[device] for device in groups[0]], 0)
    return run(groups, xs, gathered, some)


def all_reduce(groups: Groups, xs: Devices) -> Devices:
    return run(
        groups, xs, lambda members, _place: [united(each) for each in zip(*members, strict=True)], xs[0]
    )


def reduce_scatter(groups: Groups, xs: Devices, axis: int) -> Devices:
    def scattered(members: list[Arrays], place: int) -> Arrays:
        return [np.split(united(each), len(members), axis)[place] for each in zip(*members, strict=True)]

    return run(groups, xs, scattered, scattered([xs[device] for device in groups[0]], 0))


def all_to_all(groups: Groups, xs: Devices, axis: int) -> Devices:
    def exchanged(members: list[Arrays], place: int) -> Arrays:
        return [
            np.concatenate([np.split(part, len(members), axis)[place] for part in each], axis)
            for each in zip(*members, strict=True)
        ]

    return run(groups, xs, exchanged, xs[0])


def exchange(groups: Groups, xs: Devices) -> Devices:
    return run(groups, xs, lambda members, place: [member[place] for member in members], xs[0])


def broadcast(groups: Groups, xs: Devices) -> Devices:
    return run(groups, xs, lambda members, _place: members[0], xs[0])


def permute(pairs: Sequence[tuple[int, int]], xs: Devices) -> Devices:
    out = [[nothing(array) for array in arrays] for arrays in xs]
    for source, target in pairs:
        out[target] = xs[source]
    return out


# --- instances --------------------------------------------------------------------------------


def listed(groups: Groups) -> str:
    return "{" + ",".join("{" + ",".join(map(str, group)) + "}" for group in groups) + "}"


def factors(rand: random.Random, n: int) -> list[int]:
    out: list[int] = []
    while n > 1:
        part = rand.choice([x for x in range(2, n + 1) if n % x == 0])
        out.append(part)
        n //= part
    return out or [1]


def even_groups(rand: random.Random, size: int, count: int) -> tuple[str, Groups]:
    """A text of groups of one size, and the groups: listed, shuffled, with gaps, or in iota form."""
    n = size * count
    kind = rand.randrange(5)
    if kind == 0:
        devices = list(range(n))
        if count == 1 and rand.random() < 0.5:
            return "{}", [devices]
    elif kind == 1:
        devices = rand.sample(range(n), n)
    elif kind == 2:
        devices = rand.sample(range(n + rand.randrange(3)), n)
    else:
        dims = factors(rand, n)
        order = rand.sample(range(len(dims)), len(dims))
        devices = list(map(int, np.arange(n).reshape(dims).transpose(order).ravel()))
        if kind == 3:
            text = f"[{count},{size}]<=[{','.join(map(str, dims))}]T({','.join(map(str, order))})"
            return text, [devices[i : i + size] for i in range(0, n, size)]
    groups = [devices[i : i + size] for i in range(0, n, size)]
    return listed(groups), groups


def any_groups(rand: random.Random) -> tuple[str, Groups]:
    if rand.random() < 0.6:
        text, groups = even_groups(rand, rand.randint(1, 4), rand.randint(1, 3))
        return (listed(groups) if text == "{}" else text), groups
    n = rand.randint(1, 8)
    devices = rand.sample(range(n + rand.randrange(2)), n)
    groups = []
    while devices:
        size = rand.randint(1, len(devices))
        groups.append(devices[:size])
        devices = devices[size:]
    return listed(groups), groups


def shape_of(rand: random.Random) -> list[int]:
    return [rand.choice([1, 1, 2, 2, 3]) for _ in range(rand.randint(1, 3))]


def array(shape: Sequence[int]) -> str:
    return f"f32[{','.join(map(str, shape))}]"


def line(
    opcode: str, results: Sequence[Sequence[int]], xs: Sequence[Sequence[int]], attributes: str
) -> str:
    """An instruction; one result is an array, several are a tuple."""
    shapes = [array(shape) for shape in results]
    made = shapes[0] if len(shapes) == 1 and len(xs) == 1 else f"({', '.join(shapes)})"
    read = ", ".join(f"{array(shape)} %x{i}" for i, shape in enumerate(xs))
    return f"%y = {made} {opcode}({read}), {attributes}"


def maps_of(text: str, output: int = 0, **counts: Any) -> list[list[IndexingMap]]:
    op = Op(read_instruction(text), **counts)
    return RULES[op.opcode](op, output)


def dependences(shape: Sequence[int], per_operand: list[list[IndexingMap]], device: int) -> Any:
    """What some maps say of an output of one device, as the simulation says it."""
    found: dict[Any, set[Any]] = {at: set() for at in np.ndindex(*shape)}
    for number, maps in enumerate(per_operand):
        for at, (source, index) in replica_pairs(maps, device):
            found[at].add((source, number, index))
    return found


def check(text: str, truth: Devices, **counts: Any) -> None:
    """The maps are the truth on each device, and their inverses are that of the truth."""
    for output in range(len(truth[0])):
        maps = maps_of(text, output, **counts)
        assert Op(read_instruction(text)).dims(output) == truth[0][output].shape, text
        for device, arrays in enumerate(truth):
            expected = arrays[output]
            found = dependences(expected.shape, maps, device)
            for at in np.ndindex(*expected.shape):
                assert found[at] == expected[at], (text, device, at)
        for m in (m for each in maps for m in each):
            check_inverse(m, len(truth))


def check_inverse(m: IndexingMap, devices: int) -> None:
    back = inverse(m)
    forth = {
        (device, at, *there) for device in range(devices) for at, there in replica_pairs([m], device)
    }
    found = {
        (there[0], there[1], device, at)
        for device in range(devices)
        for at, there in replica_pairs([back], device)
    }
    assert forth == found, (m.text(sources=True), back.text(sources=True))


def count_of(groups: Groups) -> int:
    return 1 + max(map(max, groups))


# --- each op ----------------------------------------------------------------------------------


@INSTANCES
def test_all_gather(instances: int) -> None:
    rand = random.Random(1)
    for _ in range(instances):
        size = rand.randint(1, 4)
        text, groups = even_groups(rand, size, rand.randint(1, 3))
        shape = shape_of(rand)
        axis = rand.randrange(len(shape))
        whole = [n * size if i == axis else n for i, n in enumerate(shape)]
        count = rand.choice([1, 1, 2])
        xs = operands(count_of(groups), count, shape)
        attributes = f"replica_groups={text}, dimensions={{{axis}}}"
        check(
            line("all-gather", [whole] * count, [shape] * count, attributes),
            all_gather(groups, xs, axis),
        )


@INSTANCES
def test_all_reduce(instances: int) -> None:
    rand = random.Random(2)
    for _ in range(instances):
        text, groups = any_groups(rand)
        shape = shape_of(rand)[: rand.randint(0, 2)]
        count = rand.choice([1, 1, 2])
        xs = operands(count_of(groups), count, shape)
        attributes = f"replica_groups={text}, to_apply=add"
        check(line("all-reduce", [shape] * count, [shape] * count, attributes), all_reduce(groups, xs))


@INSTANCES
def test_reduce_scatter(instances: int) -> None:
    rand = random.Random(3)
    for _ in range(instances):
        size = rand.randint(1, 4)
        text, groups = even_groups(rand, size, rand.randint(1, 2))
        part = shape_of(rand)[:2]
        axis = rand.randrange(len(part))
        whole = [n * size if i == axis else n for i, n in enumerate(part)]
        xs = operands(count_of(groups), 1, whole)
        attributes = f"replica_groups={text}, dimensions={{{axis}}}, to_apply=add"
        check(line("reduce-scatter", [part], [whole], attributes), reduce_scatter(groups, xs, axis))


@INSTANCES
def test_all_to_all_of_an_array(instances: int) -> None:
    rand = random.Random(4)
    for _ in range(instances):
        size = rand.randint(1, 4)
        text, groups = even_groups(rand, size, rand.randint(1, 3))
        text = listed(groups) if text == "{}" else text
        shape = shape_of(rand)[:2]
        axis = rand.randrange(len(shape))
        shape[axis] *= size
        xs = operands(count_of(groups), 1, shape)
        attributes = f"replica_groups={text}, dimensions={{{axis}}}"
        check(line("all-to-all", [shape], [shape], attributes), all_to_all(groups, xs, axis))


@INSTANCES
def test_all_to_all_of_a_tuple(instances: int) -> None:
    rand = random.Random(5)
    for _ in range(instances):
        size = rand.randint(2, 4)
        text, groups = even_groups(rand, size, rand.randint(1, 2))
        shape = shape_of(rand)[:2]
        xs = operands(count_of(groups), size, shape)
        check(
            line("all-to-all", [shape] * size, [shape] * size, f"replica_groups={text}"),
            exchange(groups, xs),
        )


@INSTANCES
def test_collective_broadcast(instances: int) -> None:
    rand = random.Random(6)
    for _ in range(instances):
        text, groups = any_groups(rand)
        shape = shape_of(rand)[: rand.randint(0, 3)]
        xs = operands(count_of(groups), 1, shape)
        check(
            line("collective-broadcast", [shape], [shape], f"replica_groups={text}"),
            broadcast(groups, xs),
        )


def some_pairs(rand: random.Random) -> tuple[int, list[tuple[int, int]]]:
    n = rand.randint(1, 9)
    kind = rand.randrange(4)
    if kind == 0:
        sources, targets = rand.sample(range(n), n), list(range(n))
    elif kind == 1:
        count = rand.randint(0, n)
        sources, targets = rand.sample(range(n), count), rand.sample(range(n), count)
    elif kind == 2:
        by = rand.randrange(n)
        sources, targets = list(range(n)), [(x + by) % n for x in range(n)]
    else:
        by = rand.randrange(n)
        sources, targets = list(range(n - by)), list(range(by, n))
    return n, list(zip(sources, targets, strict=True))


@INSTANCES
def test_collective_permute(instances: int) -> None:
    rand = random.Random(7)
    for _ in range(instances):
        n, pairs = some_pairs(rand)
        shape = shape_of(rand)[: rand.randint(0, 3)]
        attributes = f"source_target_pairs={listed([list(pair) for pair in pairs])}"
        check(
            line("collective-permute", [shape], [shape], attributes),
            permute(pairs, operands(n, 1, shape)),
        )


@pytest.mark.parametrize(
    ("text", "truth"),
    [
        (
            "%y = f32[0,4] all-gather(f32[0,2] %x), replica_groups={{0,1}}, dimensions={1}",
            [[np.empty((0, 4), object)]],
        ),
        (
            "%y = f32[0] all-gather(f32[0] %x), replica_groups={{0,1}}, dimensions={0}",
            [[np.empty((0,), object)]],
        ),
        (
            "%y = f32[0] all-reduce(f32[0] %x), replica_groups={{0,1}}, to_apply=add",
            [[np.empty((0,), object)]],
        ),
    ],
)
def test_no_elements(text: str, truth: Devices) -> None:
    check(text, truth)


# --- the parts of asynchronous ones -----------------------------------------------------------


def chained(*steps: list[IndexingMap]) -> list[IndexingMap]:
    """The maps of the last of some instructions, back through all of them."""
    maps, *others = reversed(steps)
    for back in others:
        maps = [compose(first, second) for first in maps for second in back]
    return maps


def everywhere(maps: list[IndexingMap], devices: int) -> set[Any]:
    return {(device, pair) for device in range(devices) for pair in replica_pairs(maps, device)}


GATHER = "replica_groups=[2,2]<=[2,2]T(1,0), dimensions={0}"
REDUCE = "replica_groups={{0,2,3},{1}}, to_apply=add"
PAIRS = "source_target_pairs={{0,1},{1,2},{2,0}}"


@pytest.mark.parametrize(
    ("start", "done", "at_once"),
    [
        (
            f"%s = (f32[3], f32[6]) all-gather-start(f32[3] %x), {GATHER}",
            "%y = f32[6] all-gather-done((f32[3], f32[6]) %s)",
            f"%y = f32[6] all-gather(f32[3] %x), {GATHER}",
        ),
        (
            f"%s = f32[3] all-reduce-start(f32[3] %x), {REDUCE}",
            "%y = f32[3] all-reduce-done(f32[3] %s)",
            f"%y = f32[3] all-reduce(f32[3] %x), {REDUCE}",
        ),
        (
            f"%s = (f32[3], f32[3], u32[], u32[]) collective-permute-start(f32[3] %x), {PAIRS}",
            "%y = f32[3] collective-permute-done((f32[3], f32[3], u32[], u32[]) %s)",
            f"%y = f32[3] collective-permute(f32[3] %x), {PAIRS}",
        ),
    ],
)
def test_start_and_done(start: str, done: str, at_once: str) -> None:
    outputs = len(Op(read_instruction(start)).outputs)
    found: list[IndexingMap] = []
    for i, maps in enumerate(maps_of(done)):
        if maps:
            assert i < outputs
            (back,) = maps_of(start, i)
            found += chained(back, maps)
    (truth,) = maps_of(at_once)
    assert everywhere(found, 4) == everywhere(truth, 4)


def test_start_of_several() -> None:
    text = (
        "%s = ((f32[3], f32[2]), (f32[6], f32[4])) all-gather-start(f32[3] %x, f32[2] %y),"
        " replica_groups={{0,1}}, dimensions={0}"
    )
    _none, (m,) = maps_of(text, 3)
    assert str(m) == "(d0){replica} -> (d0 mod 2), domain: d0 in [0, 3], replica in [0, 1]"
    (same,), none = maps_of(text, 0)
    assert none == []
    assert str(same) == "(d0) -> (d0), domain: d0 in [0, 2]"
    text = (
        "%s = (f32[3], f32[2]) all-reduce-start(f32[3] %x, f32[2] %y), replica_groups={{0,1}},"
        " to_apply=add"
    )
    none, (m,) = maps_of(text, 1)
    assert none == []
    assert len(m.ranges) == 1
    none, (m,) = maps_of("%d = (f32[3], f32[2]) all-reduce-done((f32[3], f32[2]) %s)", 1)
    assert none == []
    assert str(m) == "(d0) -> (d0), domain: d0 in [0, 1]"


# --- chains -----------------------------------------------------------------------------------


def random_step(rand: random.Random, n: int, shape: list[int]) -> tuple[str, list[int], Any]:
    """An op of one operand of a shape on ``n`` devices, its result's shape, and what it does."""
    sizes = [size for size in range(1, n + 1) if n % size == 0]
    size = rand.choice(sizes)
    devices = rand.sample(range(n), n) if rand.random() < 0.4 else list(range(n))
    if rand.random() < 0.5:
        devices = list(map(int, np.array(devices).reshape(size, -1).T.ravel()))
    groups = [devices[i : i + size] for i in range(0, n, size)]
    text = listed(groups)
    kind = rand.choice(["gather", "reduce", "scatter", "all", "broadcast", "permute"])
    if kind == "gather" and prod(shape) * size > 24:
        kind = "scatter"
    if kind in ("scatter", "all") and shape[0] % size:
        kind = "permute"
    if kind == "gather":
        whole = [shape[0] * size, *shape[1:]]
        attributes = f"replica_groups={text}, dimensions={{0}}"
        return (
            line("all-gather", [whole], [shape], attributes),
            whole,
            lambda x: all_gather(groups, x, 0),
        )
    if kind == "reduce":
        attributes = f"replica_groups={text}, to_apply=add"
        return line("all-reduce", [shape], [shape], attributes), shape, lambda x: all_reduce(groups, x)
    if kind == "scatter":
        part = [shape[0] // size, *shape[1:]]
        attributes = f"replica_groups={text}, dimensions={{0}}, to_apply=add"
        made = line("reduce-scatter", [part], [shape], attributes)
        return made, part, lambda x: reduce_scatter(groups, x, 0)
    if kind == "all":
        attributes = f"replica_groups={text}, dimensions={{0}}"
        return (
            line("all-to-all", [shape], [shape], attributes),
            shape,
            lambda x: all_to_all(groups, x, 0),
        )
    if kind == "broadcast":
        made = line("collective-broadcast", [shape], [shape], f"replica_groups={text}")
        return made, shape, lambda x: broadcast(groups, x)
    count = rand.randint(1, n)
    pairs = list(zip(rand.sample(range(n), count), rand.sample(range(n), count), strict=True))
    attributes = f"source_target_pairs={listed([list(pair) for pair in pairs])}"
    return line("collective-permute", [shape], [shape], attributes), shape, lambda x: permute(pairs, x)


@pytest.mark.parametrize(("length", "count"), [(2, 200), (3, 100)])
def test_chains(length: int, count: int) -> None:
    rand = random.Random(length)
    for _ in range(count):
        n = rand.choice([2, 3, 4, 4, 6])
        shape = [rand.choice([1, 2, 4, 6])]
        xs = operands(n, 1, shape)
        texts: list[str] = []
        for _step in range(length):
            text, shape, does = random_step(rand, n, shape)
            texts.append(text)
            xs = does(xs)
        maps = chained(*(maps_of(text, devices=n)[0] for text in texts))
        for device, (expected,) in enumerate(xs):
            found = dependences(expected.shape, [maps], device)
            for at in np.ndindex(*expected.shape):
                assert found[at] == expected[at], (texts, device, at)


def test_a_ring_of_all_steps_is_the_identity() -> None:
    """Four turns of a ring of four."""
    text = "%y = f32[5] collective-permute(f32[5] %x), source_target_pairs={{0,1},{1,2},{2,3},{3,0}}"
    step = maps_of(text)[0]
    for device in range(4):
        pairs = replica_pairs(chained(step, step, step, step), device)
        assert pairs == {((i,), (device, (i,))) for i in range(5)}


# --- modes ------------------------------------------------------------------------------------

MODES = ["replica", "partition", "both", "flattened"]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("told", [True, False])
def test_modes(mode: str, told: bool) -> None:
    """On r replicas of p partitions each; where that is not told, one of them is 1."""
    rand = random.Random(mode)
    for _ in range(40):
        r, p = rand.choice([(2, 3), (3, 2), (2, 2), (1, 4), (4, 1)])
        if not told:
            r, p = (r * p, 1) if mode in ("replica", "both") else (1, r * p)
        ids = {"replica": r, "partition": p, "both": r, "flattened": r * p}[mode]
        size = rand.choice([size for size in range(1, ids + 1) if ids % size == 0])
        devices = rand.sample(range(ids), ids)
        named = [devices[i : i + size] for i in range(0, ids, size)]
        groups: Groups = []
        for group in named:
            if mode == "replica":
                groups += [[x * p + y for x in group] for y in range(p)]
            elif mode == "partition":
                groups += [[x * p + y for y in group] for x in range(r)]
            elif mode == "both":
                groups.append([x * p + y for x in group for y in range(p)])
            else:
                groups.append(group)
        written = {
            "replica": "",
            "partition": ", channel_id=1",
            "both": ", channel_id=1",
            "flattened": ", channel_id=1, use_global_device_ids=true",
        }[mode]
        counts: dict[str, Any] = {"devices": (r, p)} if told else {}
        if mode == "both" and not told:
            counts = {"devices": r * p}
        xs = operands(r * p, 1, [2])
        if mode == "partition":
            text = line("collective-broadcast", [[2]], [[2]], f"replica_groups={listed(named)}{written}")
            check(text, broadcast(groups, xs), **counts)
            attributes = f"source_target_pairs={listed([list(x) for x in pairwise(devices)])}{written}"
            pairs = [(x * p + s, x * p + t) for s, t in pairwise(devices) for x in range(r)]
            check(
                line("collective-permute", [[2]], [[2]], attributes),
                permute(pairs, xs),
                **(counts or {"devices": p}),
            )
        else:
            attributes = f"replica_groups={listed(named)}{written}, to_apply=add"
            check(line("all-reduce", [[2]], [[2]], attributes), all_reduce(groups, xs), **counts)


def test_one_replica_reduces_nothing_across_replicas() -> None:
    text = "%y = f32[2] all-reduce(f32[2] %x), replica_groups={}, to_apply=add"
    check(text, operands(4, 1, [2]), devices=(1, 4))
    check(text, all_reduce([[0, 1, 2, 3]], operands(4, 1, [2])), devices=(4, 1))


def test_all_in_one_group() -> None:
    text = "%y = f32[2] all-reduce(f32[2] %x), replica_groups={}, to_apply=add"
    check(text, all_reduce([[0, 1, 2]], operands(3, 1, [2])), devices=3)
    check(text, all_reduce([[0, 2], [1, 3]], operands(4, 1, [2])), devices=(2, 2))
    text = "%y = f32[2] all-reduce(f32[2] %x), channel_id=1, replica_groups={}, to_apply=add"
    check(text, all_reduce([[0, 1, 2, 3]], operands(4, 1, [2])), devices=(2, 2))
    text = "%y = f32[6] all-gather(f32[2] %x), channel_id=1, replica_groups={{0}}, dimensions={0}"
    check(text, all_gather([[0, 1, 2]], operands(3, 1, [2]), 0))


# --- texts and expressions of groups ----------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "groups"),
    [
        ("{}", None),
        ("{{}}", None),
        ("{{0,1},{2,3}}", [[0, 1], [2, 3]]),
        ("{ {0, 3}, {2} }", [[0, 3], [2]]),
        ("[2,4]<=[8]", [[0, 1, 2, 3], [4, 5, 6, 7]]),
        ("[4,2]<=[2,4]T(1,0)", [[0, 4], [1, 5], [2, 6], [3, 7]]),
        ("[3,4]<=[6,2]T(1,0)", [[0, 2, 4, 6], [8, 10, 1, 3], [5, 7, 9, 11]]),
        ("mesh['axis_0'=4,'axis_1'=1] {'axis_0'}", [[0, 1, 2, 3]]),
        ("mesh['axis_0'=4,'axis_1'=1] {'axis_1'}", [[0], [1], [2], [3]]),
        ("mesh['a'=2,'b'=2] {'b','a'}", [[0, 2, 1, 3]]),
        ("mesh['a'=2,'b'=2] {}", [[0], [1], [2], [3]]),
        ("mesh['a'=8] {'a':(1)2}", [[0, 4], [1, 5], [2, 6], [3, 7]]),
        ("mesh['a'=8] {'a':(2)2}", [[0, 2], [1, 3], [4, 6], [5, 7]]),
        ("mesh['a'=8] {'a':(4)2,'a':(1)2}", [[0, 4, 1, 5], [2, 6, 3, 7]]),
        ("mesh['a'=2,'b'=2], device_ids=(0,2,1,3) {'b'}", [[0, 2], [1, 3]]),
        ("mesh['a'=2,'b'=2], device_ids=([2,2]T(1,0)) {'b'}", [[0, 2], [1, 3]]),
        ("mesh[a=2,b=2] {b}", [[0, 1], [2, 3]]),
    ],
)
def test_texts(text: str, groups: Groups | None) -> None:
    assert read_groups(text) == groups


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{0,1}",
        "{{0,1},{1,2}}",
        "[2,4]<=[6]",
        "[8]<=[8]",
        "[2,4]<=[2,4]T(0,0)",
        "mesh['a'=4] {'b'}",
        "mesh['a'=4] {'a','a':(1)2}",
        "mesh['a'=4] {'a':(3)2}",
        "mesh['a'=4] {'a':(0)2}",
        "mesh['a'=0,'b'=2] {'b'}",
        "mesh['a'=4000000000,'b'=2] {'b'}",
        "[2,4000000000]<=[8000000000]",
        "mesh['a'=4,'a'=2] {'a'}",
        "mesh['a'=2,'b'=2], device_ids=(0,2) {'b'}",
    ],
)
def test_texts_that_are_none(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        read_groups(text)


def test_regular_groups_are_one_piece() -> None:
    rand = random.Random(8)
    for _ in range(500):
        n = rand.choice([1, 2, 4, 6, 8, 12, 16, 24])
        dims = factors(rand, n)
        order = rand.sample(range(len(dims)), len(dims))
        size = rand.choice([size for size in range(1, n + 1) if n % size == 0])
        iota = f"[{','.join(map(str, dims))}]T({','.join(map(str, order))})"
        groups = read_groups(f"[{n // size},{size}]<={iota}")
        assert groups is not None
        device = bounded(2, 0, 0, n - 1) if n > 1 else 0
        assert len(pieces(groups, device)) == 1, (dims, order, size)


def test_pieces_are_few() -> None:
    device = bounded(2, 0, 0, 63)
    tables: list[tuple[Groups, int]] = [
        ([[2 * i, 2 * i + 1] for i in range(8)], 1),
        ([[i + 8, i] for i in range(8)], 1),
        ([list(range(4 * i, 4 * i + 3)) for i in range(4)], 1),
        ([[3, 2, 1, 0], [7, 6, 5, 4]], 1),
        ([[0, 1, 3]], 2),
        ([[0, 1], [2, 3], [8, 9, 10, 11]], 2),
        ([[0, 1], [4, 5], [8, 9], [20, 21]], 2),
    ]
    for groups, count in tables:
        assert len(pieces(groups, device)) == count, groups


def test_order_counts_only_where_it_does() -> None:
    """In what order a group is written changes nothing of its sum."""
    rand = random.Random(10)
    groups = [rand.sample(range(64), 64)]
    text = f"replica_groups={listed(groups)}"
    counts = {
        f"all-reduce(f32[64] %x), {text}, to_apply=add": (1, 1),
        f"collective-broadcast(f32[64] %x), {text}": (1, 1),
        f"all-gather(f32[1] %x), {text}, dimensions={{0}}": (20, 64),
        f"reduce-scatter(f32[4096] %x), {text}, dimensions={{0}}, to_apply=add": (20, 64),
        f"all-to-all(f32[64] %x), {text}, dimensions={{0}}": (400, 4096),
    }
    for line_, (least, most) in counts.items():
        (maps,) = maps_of(f"%y = f32[64] {line_}")
        assert least <= len(maps) <= most, line_
    text = f"replica_groups={listed([rand.sample(range(512), 512)])}"
    with pytest.raises(UnsupportedError, match=r"so irregular that it needs \d+ maps"):
        maps_of(f"%y = f32[512] all-to-all(f32[512] %x), {text}, dimensions={{0}}")


@pytest.mark.parametrize(
    ("sources", "count"),
    [
        ({x: (x + 3) % 16 for x in range(16)}, 1),
        ({x: x // 4 * 4 + (x + 1) % 4 for x in range(16)}, 1),
        ({x: (x + 4) % 16 for x in range(16)}, 1),
        ({x: x % 4 * 4 + x // 4 for x in range(16)}, 1),
        ({x: 15 - x for x in range(16)}, 1),
        ({x: x - 1 for x in range(1, 16)}, 1),
        ({x: x - 1 for x in range(16) if x % 4}, 1),
        ({x: x for x in range(16)}, 1),
        ({0: 5, 3: 1}, 1),
        ({0: 0, 1: 1, 2: 3, 3: 2}, 3),
    ],
)
def test_pairings_are_few(sources: dict[int, int], count: int) -> None:
    assert len(pairings(sources, bounded(2, 0, 0, 15))) == count


def test_progressions() -> None:
    rand = random.Random(9)
    found = 0
    for _ in range(2000):
        values = rand.sample(range(12), rand.randint(1, 4))
        table = progression(values)
        if table is not None:
            found += 1
            assert [table.value(k) for k in range(table.size)] == values
            for x in range(-3, 15):
                number, constraints = table.number(x)
                assert all(y in bounds for y, bounds in constraints) == (x in values)
                assert x not in values or values[number] == x
    assert found > 500
    for first, strides in product([0, 3], [(1, 4, 8), (8, -1, 2), (-4, 2, -1)]):
        values = [
            first + 20 + i * strides[0] + j * strides[1] + k * strides[2]
            for k in range(2)
            for j in range(2)
            for i in range(2)
        ]
        assert progression(values) is not None


# --- the texts of the maps --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "maps"),
    [
        (
            "%y = f32[8,4] all-gather(f32[2,4] %x), replica_groups=[2,4]<=[8], dimensions={0}",
            [
                "(d0, d1){replica} -> (d0 mod 2, d1), domain: d0 in [0, 7], d1 in [0, 3], "
                "replica in [0, 7]\n"
                "runtime variables:\n"
                "  replica: @replica; (d0, d1) -> ()\n"
                "replica id: (d0, d1){replica} -> (d0 floordiv 2 + (replica floordiv 4) * 4)"
            ],
        ),
        (
            "%y = f32[4] collective-permute(f32[4] %x), source_target_pairs={{0,1},{1,2},{2,3}}",
            [
                "(d0){replica} -> (d0), domain: d0 in [0, 3], replica in [1, 3]\n"
                "runtime variables:\n"
                "  replica: @replica; (d0) -> ()\n"
                "replica id: (d0){replica} -> (replica - 1)"
            ],
        ),
    ],
)
def test_map_texts(text: str, maps: list[str]) -> None:
    assert [m.text(sources=True) for m in maps_of(text)[0]] == maps


# --- what has no map --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            "%y = f32[2] all-reduce(f32[2] %x), replica_groups={}, to_apply=add",
            "it is not known how many devices take part",
        ),
        (
            "%y = f32[2] all-reduce(f32[2] %x), replica_groups={{0}}, use_global_device_ids=true",
            "use_global_device_ids=true needs a channel_id",
        ),
        (
            "%y = f32[4] all-gather(f32[2] %x), replica_groups={{0,1,2}}, dimensions={0}",
            "a group has 3 devices, by the shapes it has 2",
        ),
        (
            "%y = f32[5] all-gather(f32[2] %x), replica_groups={{0,1}}, dimensions={0}",
            "a dim of 5 is not made of parts of 2",
        ),
        (
            "%y = f32[8] all-gather(f32[2,4] %x), replica_groups={{0,1}}, dimensions={0}",
            "operand x is f32[2,4]{1,0}, the result f32[8]{0}: they differ in more than dim 0",
        ),
        (
            "%y = f32[2,5] reduce-scatter(f32[4,6] %x), replica_groups={{0,1}}, dimensions={0}",
            "operand x is f32[4,6]{1,0}, the result f32[2,5]{1,0}: they differ in more than dim 0",
        ),
        (
            "%y = f32[4] all-gather(f32[2] %x), replica_groups={{0,1}}, dimensions={1}",
            "dimensions={1} is no int from 0 to 0",
        ),
        (
            "%y = f32[4] all-to-all(f32[4] %x), replica_groups={{0,1}}, dimensions={2}",
            "dimensions={2} is no int from 0 to 0",
        ),
        (
            "%y = f32[<=4] all-gather(f32[<=2] %x), replica_groups={{0,1}}, dimensions={0}",
            "where an element goes depends on the size of dim 0",
        ),
        (
            "%y = f32[3] all-reduce(f32[2] %x), replica_groups={{0,1}}, to_apply=add",
            "operand x is f32[2]{0}, the result f32[3]{0}: they differ",
        ),
        (
            "%y = f32[3] collective-permute(f32[2] %x), source_target_pairs={{0,1}}",
            "operand x is f32[2]{0}, the result f32[3]{0}: they differ",
        ),
        (
            "%y = f32[2] all-reduce(f32[2] %x), replica_groups=[2,4000000000]<=[8000000000]",
            "its groups are of 8000000000 devices, more than 1048576",
        ),
        (
            "%y = f32[4] all-to-all(f32[4] %x), replica_groups={{0,1},{2}}, dimensions={0}",
            "its groups differ in size",
        ),
        (
            "%y = f32[4] all-to-all(f32[4] %x), replica_groups={{0,1,2}}, dimensions={0}",
            "a dim of 4 has not 3 parts",
        ),
        (
            "%y = f32[2] all-reduce(f32[2] %x), replica_groups={{0,1},{1}}, to_apply=add",
            "its groups {{0,1},{1}} name a device twice",
        ),
        (
            "%y = f32[2] collective-permute(f32[2] %x), source_target_pairs={{0,1},{2,1}}",
            "is no list of pairs",
        ),
        (
            "%y = f32[4] ragged-all-to-all(f32[4] %x, f32[4] %o, s32[2] %a, s32[2] %b, s32[2] %c,"
            " s32[2] %d), replica_groups={{0,1}}",
            "its offsets and sizes are read on the replicas that send",
        ),
    ],
)
@shapes_as_written
def test_no_map(text: str, why: str) -> None:
    with pytest.raises(UnsupportedError) as caught:
        maps_of(text)
    opcode, error = read_instruction(text).opcode, str(caught.value)
    start = f"instruction y: op {opcode} is not supported because ", f"{opcode} y is wrong: "
    assert error.startswith(start)
    assert why in error


def test_devices_that_do_not_fit() -> None:
    text = "%y = f32[2] collective-broadcast(f32[2] %x), channel_id=1, replica_groups={{0,1,2}}"
    with pytest.raises(UnsupportedError, match="4 devices are not made of parts of 3"):
        maps_of(text, devices=4)


def test_a_device_in_no_pair_gets_nothing() -> None:
    text = "%y = f32[2] collective-permute(f32[2] %x), source_target_pairs={{0,1},{1,0}}"
    ((m,),) = maps_of(text, devices=8)
    assert [m.contains((0,), runtime=[device]) for device in range(8)] == [True] * 2 + [False] * 6


def test_device_ids_behind_a_mesh() -> None:
    """The compiler writes them behind a comma, where an attribute of another name would stand."""
    line = (
        "g = f32[8,2] all-gather(f32[2,2] p), channel_id=5, dimensions={0}, use_global_device_ids=true"
    )
    mesh = "mesh['a'=2,'b'=2], device_ids=([2,2]T(1,0)) {'a','b'}"
    first, second = (
        str(output_to_input(read_instruction(f"{line}, replica_groups={groups}")))
        for groups in (mesh, "{{0,2,1,3}}")
    )
    assert first == second
