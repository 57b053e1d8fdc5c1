# SPDX-License-Identifier: Apache-2.0
"""The devices that take part in a collective together, as a table.

=============================  =================================================================
text                           groups
=============================  =================================================================
``{{0,1},{2,3}}``              as written; they may differ in size
``{}``                         one, of all
``[2,4]<=[8]``                 2 groups of 4, of the ints in order
``[4,2]<=[2,4]T(1,0)``         of the ints of a 2x4 array, transposed
``mesh['a'=2,'b'=4] {'b'}``    of the devices of a mesh that differ along an axis, or along a part of it,
                               ``'b':(2)2``
=============================  =================================================================

Source: XLA ``hlo/ir/replica_group.cc``, ``tile_assignment.cc``, ``mesh_and_axis.cc``.
"""

from __future__ import annotations

import re
from math import prod

from ..ground import int_in, limit_of, way_out
from ..xla_bridge import Iota, parse_sharding

Groups = list[list[int]]

# --- texts ------------------------------------------------------------------------------------

_NUMBER = re.compile(r"-?\d+")
_LISTS = re.compile(r"\{(?:\{[\d,]*\},?)*\}")
_IOTA = re.compile(r"\[([\d,]+)\](?:<=\[([\d,]+)\])?(?:T\(([\d,]+)\))?")
_MESH = re.compile(r"mesh\[([^\]]*)\](?:,device_ids=\((.*?)\))?\{(.*)\}")
_AXIS = re.compile(r"'?([^,:=']+)'?(?:=(\d+)|(:\(\d+\)\d+)|)(?=,|$)")


def read_groups(text: str, device_ids: str = "") -> Groups | None:
    """Return the groups of a ``replica_groups`` attribute; None if all devices are in one group.

    The reader of instructions cuts the attribute of a mesh with ids in two: ``device_ids`` is the rest.

    >>> read_groups("[4,2]<=[2,4]T(1,0)")
    [[0, 4], [1, 5], [2, 6], [3, 7]]
    >>> read_groups("mesh['a'=2,'b'=4] {'a','b':(2)2}")
    [[0, 1, 4, 5], [2, 3, 6, 7]]

    Raises:
        ValueError: the text does not describe groups, or names a device twice.
    """
    text = re.sub(r"\s+", "", text + (f",device_ids={device_ids}" if device_ids else ""))
    groups: Groups
    if _LISTS.fullmatch(text):
        groups = [_numbers(part) for part in re.findall(r"\{([\d,]*)\}", text[1:-1])]
        groups = [group for group in groups if group]
    elif iota := _IOTA.fullmatch(text):
        groups = _iota_groups(*iota.groups())
    elif mesh := _MESH.fullmatch(text):
        groups = _mesh_groups(*mesh.groups(default=""))
    else:
        raise ValueError(f"{text} is not a text of replica groups")
    named = [device for group in groups for device in group]
    if len(set(named)) < len(named):
        raise ValueError(f"its groups {text} name a device twice")
    return groups or None


def _numbers(text: str | None) -> list[int]:
    return list(map(int, _NUMBER.findall(text or "")))


def in_order(count: int) -> range:
    """Return the devices from 0 on; raise ValueError for more than the limit."""
    if count > limit_of("devices"):
        summary = f"its groups are of {count} devices, more than {limit_of('devices')}"
        raise ValueError(f"{summary}. {way_out('devices', count)}".removesuffix("."))
    return range(count)


def _iota(sizes: str, order: str | None) -> list[int]:
    dims = tuple(_numbers(sizes))
    by = tuple(_numbers(order)) if order else tuple(range(len(dims)))
    if sorted(by) != [*range(len(dims))]:
        raise ValueError(f"T({order}) is no order of the dims [{sizes}]")
    return list(map(Iota(dims, by).device, in_order(prod(dims))))


def _iota_groups(shape: str, sizes: str | None, order: str | None) -> Groups:
    dims = _numbers(shape)
    devices = _iota(sizes or shape, order)
    if len(dims) != 2 or prod(dims) != len(devices):
        raise ValueError(f"[{shape}] is not a number of groups and a size for {len(devices)} devices")
    return [devices[i : i + dims[1]] for i in range(0, len(devices), dims[1] or 1)]


def _mesh_groups(axes: str, devices: str, along: str) -> Groups:
    """Groups whose devices differ along some axes, in the order of these, or along a part of an axis.

    They are the devices with the same place in the tiles of an array that these axes divide.
    """
    sizes = {name: int_in(size) for name, size, _part in _AXIS.findall(axes) if size}
    count = prod(sizes.values())
    if len(sizes) < axes.count("=") or not count:
        raise ValueError(f"mesh[{axes}] has no axes of different names and sizes")
    iota = _IOTA.fullmatch(devices)
    ids = _iota(iota[2] or iota[1], iota[3]) if iota else _numbers(devices) or in_order(count)
    if len(ids) != count:
        raise ValueError(f"the mesh has {count} devices, and {len(ids)} ids")
    mesh = ",".join(f'"{name}"={size}' for name, size in sizes.items())
    parts = ",".join(f'"{name}"{part}' for name, _size, part in _AXIS.findall(along))
    found = parse_sharding(f"#sdy.sharding<mesh<[{mesh}]>, [{{{parts}}}]>")
    if found.kind == "replicated":
        return [[device] for device in ids]
    groups = count // found.dims[0]
    return [[ids[device] for device in found.device_list[i::groups]] for i in range(groups)]
