# SPDX-License-Identifier: Apache-2.0
"""Collectives: ops that read elements of other replicas.

Such a map has a runtime variable ``replica``, the one that asks; `IndexingMap.replica` is the one that
has the elements. Both count the devices that run the program, whatever an instruction's groups count:
device ``r * partitions + p`` is partition ``p`` of replica ``r``. So all these maps compose.

====================  ============  =======================  ==========================================
mode                  channel_id    use_global_device_ids    its groups are of
====================  ============  =======================  ==========================================
cross replica         no            false, or none           replicas, in each partition alike
cross partition       yes           none                     partitions, in each replica alike
both                  yes           false                    replicas, each with all of its partitions
flattened             yes           true                     devices
====================  ============  =======================  ==========================================

For the ops of `WITH_GLOBAL_IDS` a missing ``use_global_device_ids`` means false; the others have no such
attribute. `Op` gives the number of devices, and the number that a replica has. Without it there is one
replica, or in mode cross replica one partition. ``replica_groups={}`` does not give the number of
members; the shapes give it, or `Op`.

The parts that start and end an asynchronous one are ops of `asynchronous`.

On a device in no group, or one that is no target, the output depends on nothing: it is 0, or undefined.

Source: XLA ``service/collective_ops_utils.cc``, GetCollectiveOpGroupMode; the operation semantics.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ...ground import limit_of, way_out
from ...hlo import in_order, read_groups
from ...numbers import Interval, key_of
from ..maps import IndexingMap
from ..rewriting import rewritten
from ..variables import REPLICA, RuntimeVariable, Source, dim, rng, rt
from .building import number
from .movement import expect_fixed
from .replica_groups import pairings, pieces
from .rules import rule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ...numbers import Value
    from .op import Op
    from .rules import Maps

    Access = Callable[[list[Any], Any], Any]
    """The element that is read, the place of the member that has it (None for all), and constraints; by
    the element of the output, and the place of the device in its group."""

WITH_GLOBAL_IDS: Final = frozenset(("all-gather", "all-reduce", "reduce-scatter"))
"""The ops whose ``use_global_device_ids`` is false where it is not written."""

# --- the groups of an instruction -------------------------------------------------------------


def _groups(op: Op, size: int | None = None) -> list[list[int]]:
    """The groups of devices; ``size`` is the number of devices in a group, if the shapes give it."""
    try:
        named = read_groups(op.attribute("replica_groups", "{}"), op.attribute("device_ids"))
        groups = _of_devices(op, named, size)
    except ValueError as error:
        op.refuse(f"{error}")
    for group in groups:
        if size is not None and len(group) != size:
            op.refuse(f"a group has {len(group)} devices, by the shapes it has {size}")
    return groups


def _of_devices(op: Op, named: list[list[int]] | None, size: int | None) -> list[list[int]]:
    """The groups of an instruction as groups of devices; see the head of this module."""
    mode, devices, partitions = _mode(op), op.device_count, op.partitions
    if mode == "flattened" or (mode == "both" and named is None):
        return named or [list(in_order(_first_known(op, size, devices)))]
    count = None if named is None else 1 + max(map(max, named))
    if mode == "partition":
        inner = _first_known(op, partitions, count, size, devices)
        outer = in_order(_over(op, devices, inner))
        in_order(len(outer) * inner)
        groups = named or [list(range(inner))]
        return [[r * inner + p for p in group] for r in outer for group in groups]
    if mode == "both" and named is not None:
        over = None if size is None else size // len(named[0])
        inner = _first_known(
            op, partitions, over, devices and _over(op, devices, _first_known(op, count))
        )
        return [[r * inner + p for r in group for p in range(inner)] for group in named]
    replicas = _first_known(op, count, size, devices and _over(op, devices, partitions or 1))
    inner = partitions or _over(op, devices, replicas)
    in_order(replicas * inner)
    groups = named or [list(range(replicas))]
    return [[r * inner + p for r in group] for group in groups for p in range(inner)]


def _mode(op: Op) -> str:
    """The mode of an instruction's groups; see the head of this module."""
    default = "false" if op.opcode in WITH_GLOBAL_IDS else "none"
    asks = op.attribute("use_global_device_ids", default)
    modes = {
        (False, "none"): "replica",
        (False, "false"): "replica",
        (True, "none"): "partition",
        (True, "false"): "both",
        (True, "true"): "flattened",
    }
    mode = modes.get(("channel_id" in op.instruction.attributes, asks))
    if mode is None:
        op.fail(f"use_global_device_ids={asks} needs a channel_id")
    return mode


def _first_known(op: Op, *counts: int | None) -> int:
    """The first count that is known."""
    for count in counts:
        if count:
            return count
    op.refuse("it is not known how many devices take part: give devices")


def _over(op: Op, devices: int | None, part: int) -> int:
    """The number of devices divided by the size of a part; 1 if the number is not known."""
    if devices is None:
        return 1
    if devices % part:
        op.refuse(f"{devices} devices are not made of parts of {part}")
    return devices // part


def _count(groups: Iterable[Iterable[int]]) -> int:
    """The number of devices up to the last in a group: the output of later ones has no source."""
    return max((1 + max(group) for group in groups), default=1)


# --- maps -------------------------------------------------------------------------------------


def _map_on(
    dims: Sequence[int],
    devices: int,
    results: Sequence[Value],
    replica: Value,
    constraints: Iterable[tuple[Value, Interval]],
    members: Sequence[Interval] = (),
) -> IndexingMap:
    """The map to some elements of a replica, simple, with ranges over members of a group."""
    asks = RuntimeVariable("replica", Interval(0, devices - 1), Source(REPLICA))
    m = rewritten(IndexingMap(results, dims, members, [asks], constraints, replica))
    return m.with_parts(replica=None) if key_of(m.replica) == key_of(rt(0)) else m


def _asking(devices: int) -> Value:
    """The device that asks."""
    return rt(0) if devices > 1 else 0


def _per_piece(
    op: Op, output: int, size: int | None, access: Access, placed: bool = False, ordered: bool = False
) -> list[IndexingMap]:
    """The maps of each piece of the groups; `pieces` explains the two flags."""
    groups, dims = _groups(op, size), op.dims(output)
    devices = _count(groups)
    cut = pieces(groups, _asking(devices), placed, ordered)
    count = sum(len(piece.runs) for piece in cut)
    if count > limit_of("runs"):
        summary = f"its groups are so irregular that it needs {count} maps"
        op.refuse(f"{summary}. {way_out('runs', count)}".removesuffix("."))
    maps: list[IndexingMap] = []
    for piece in cut:
        results, member, *others = access([dim(k) for k in range(len(dims))], piece.position)
        for run in piece.runs:
            every = [run.positions] if member is None and not run.positions.is_point else []
            position = (rng(0) if every else run.positions.lower) if member is None else member
            where = [(position, run.positions), *piece.constraints, *others]
            maps.append(_map_on(dims, devices, results, run.device(position), where, every))
    return [m for m in maps if not m.is_known_empty]


def _split(op: Op, whole: int, part: int) -> int:
    """The number of parts of a dim; refuse an instruction whose sizes do not fit."""
    if not part and not whole:
        return 0
    if not part or whole % part:
        op.fail(f"a dim of {whole} is not made of parts of {part}")
    return whole // part


def _along(op: Op, operand: int, output: int) -> tuple[int, int]:
    """The dim along which parts lie, and its size in the operand; the others have one size in both."""
    sizes, out = op.sizes(op.inputs[operand].shape), op.dims(output)
    k = number(op, "dimensions", below=len(out))
    if len(sizes) != len(out) or (*sizes[:k], out[k], *sizes[k + 1 :]) != out:
        op.fail(_differ(op, operand, output, f" in more than dim {k}"))
    expect_fixed(op, operand, (k,))
    return k, sizes[k]


def _expect_same(op: Op, operand: int, output: int) -> None:
    """Refuse an operand whose dims are not those of the output."""
    if op.sizes(op.inputs[operand].shape) != op.dims(output):
        op.fail(_differ(op, operand, output))


def _differ(op: Op, operand: int, output: int, where: str = "") -> str:
    leaf = op.inputs[operand]
    return f"operand {leaf} is {leaf.shape}, the result {op.outputs[output].shape}: they differ{where}"


def _all_gather(op: Op, operand: int, output: int) -> list[IndexingMap]:
    """Along a dim the output has the parts of the group's members, in their order."""
    (k, part), out = _along(op, operand, output), op.dims(output)
    count = _split(op, out[k], part)

    def access(d: list[Any], _own: Value) -> Any:
        return [*d[:k], d[k] % part, *d[k + 1 :]], d[k] // part

    return _per_piece(op, output, count, access, ordered=True) if count else []


def _all_reduce(op: Op, operand: int, output: int) -> list[IndexingMap]:
    """An element depends on the elements at its place of all members of the group."""
    _expect_same(op, operand, output)
    return _per_piece(op, output, None, lambda d, _own: (d, None))


def _reduce_scatter(op: Op, operand: int, output: int) -> list[IndexingMap]:
    """Along a dim the output depends on the parts, of all members, that have the device's place."""
    (k, whole), out = _along(op, operand, output), op.dims(output)
    count = _split(op, whole, out[k])

    def access(d: list[Any], own: Any) -> Any:
        return [*d[:k], d[k] + own * out[k], *d[k + 1 :]], None

    return _per_piece(op, output, count, access, placed=True) if count else []


def _all_to_all(op: Op, operand: int, output: int) -> list[IndexingMap]:
    """Along a dim the output has from each member the part with the device's place in the group."""
    _expect_same(op, operand, output)
    (k, _whole), out = _along(op, operand, output), op.dims(output)
    groups = _groups(op)
    if len({len(group) for group in groups}) > 1:
        op.refuse("its groups differ in size")
    part = out[k] // len(groups[0])
    if part * len(groups[0]) != out[k]:
        op.fail(f"a dim of {out[k]} has not {len(groups[0])} parts")

    def access(d: list[Any], own: Any) -> Any:
        return [*d[:k], d[k] % part + own * part, *d[k + 1 :]], d[k] // part

    return _per_piece(op, output, None, access, placed=True, ordered=True) if part else []


def _exchange(op: Op, operand: int, output: int) -> list[IndexingMap]:
    """For a tuple, output ``i`` is the operand of member ``i`` that has the device's place."""
    _expect_same(op, operand, output)

    def access(d: list[Any], own: Value) -> Any:
        return d, output, (own, Interval(operand, operand))

    return _per_piece(op, output, len(op.inputs), access, placed=True, ordered=True)


def _broadcast(op: Op, operand: int, output: int) -> list[IndexingMap]:
    """The output is the operand of the group's first member."""
    _expect_same(op, operand, output)
    return _per_piece(op, output, None, lambda d, _own: (d, 0), ordered=True)


def _permute(op: Op, operand: int, output: int) -> list[IndexingMap]:
    """The output is the operand of the device's source."""
    _expect_same(op, operand, output)
    if "slice_sizes" in op.instruction.attributes:
        op.refuse("slices written into an operand in place are not described")
    flat = op.ints("source_target_pairs", None)
    named = list(zip(flat[::2], flat[1::2], strict=False))
    if len(flat) % 2 or len({target for _source, target in named}) < len(named):
        op.fail(f"source_target_pairs={op.attribute('source_target_pairs')} is no list of pairs")
    most = 1 + max(flat, default=0)
    partitions = op.partitions
    if _mode(op) == "replica":
        inner = partitions or 1
        sources = {t * inner + p: s * inner + p for s, t in named for p in range(inner)}
    else:
        inner = partitions or op.device_count or most
        outer = _over(op, op.device_count, inner)
        sources = {r * inner + t: r * inner + s for s, t in named for r in range(outer)}
    dims, devices = op.dims(output), _count([*sources.items()])
    return [
        _map_on(dims, devices, op.identity(output).results, source, constraints)
        for constraints, source in pairings(sources, _asking(devices))
    ]


# --- the rules --------------------------------------------------------------------------------

_ACCESS: Final[dict[str, Callable[[Op, int, int], list[IndexingMap]]]] = {
    "all-gather": _all_gather,
    "all-reduce": _all_reduce,
    "reduce-scatter": _reduce_scatter,
    "collective-broadcast": _broadcast,
    "collective-permute": _permute,
}


def _only(op: Op, operand: int, maps: list[IndexingMap]) -> Maps:
    """The maps of one operand; no other operand is read."""
    found: Maps = [[] for _leaf in op.inputs]
    found[operand] = maps
    return found


def _expect_pairs(op: Op) -> None:
    """Refuse an op unless it has one operand for each output."""
    if len(op.inputs) != len(op.outputs):
        op.fail(f"it has {len(op.inputs)} operands and {len(op.outputs)} outputs")


@rule(*_ACCESS)
def _pairwise(op: Op, output: int) -> Maps:
    _expect_pairs(op)
    return _only(op, output, _ACCESS[op.opcode](op, output, output))


@rule("all-to-all")
def _all_to_all_rule(op: Op, output: int) -> Maps:
    _expect_pairs(op)
    if "dimensions" in op.instruction.attributes:
        return _only(op, output, _all_to_all(op, output, output))
    return [_exchange(op, operand, output) for operand in range(len(op.inputs))]


@rule("ragged-all-to-all")
def _ragged_all_to_all(op: Op, _output: int) -> Maps:
    op.refuse("its offsets and sizes are read on the replicas that send, each its own")
