# SPDX-License-Identifier: Apache-2.0
"""``tla sharding``: which device has which slice of an array, and what moves when that changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import UnsupportedError
from ..ground import plural, say
from ..numbers import ceil_div
from ..xla_bridge import (
    CHIPS,
    XlaShape,
    default_layout,
    logical_bytes,
    moved_elements,
    moves_to,
    parse_array,
    parse_sharding,
    physical_bytes,
)
from .columns import columns
from .common import bytes_in_words, short_bytes, text_argument
from .messages import say_json
from .parser import argument_parser
from .pictures import add_formats, is_asked_for, refuse_formats, write_figure

if TYPE_CHECKING:
    from ..xla_bridge import Sharding

_EPILOG = """\
examples:
  tla sharding '{devices=[4,2]<=[8]}' 'f32[10,64]'
  tla sharding '#sdy.sharding<@mesh, [{"y"}, {"x"}]>' 'f32[8,8]' --mesh '<["x"=4, "y"=2]>'
  tla sharding '{devices=[4,1]<=[4]}' 'f32[8,16]' --to '{devices=[1,4]<=[4]}'
  tla sharding '{devices=[64,128]<=[8192]}' 'bf16[65536,16384]' --device 8191
  tla sharding '{devices=[2,2]<=[2,2]T(1,0)}' -o devices.svg

A device is its position in the mesh of the program, row by row, not its id. Each cell of the picture
is a tile of the array with the devices that have it. Where the tiles do not divide a dim, XLA pads the
last ones. The shape on a device has the layout that a TPU gives it by default, with its own padding.

With --to: what each device has to receive for the other sharding; several sources have the same data.
Without --device the first 16 are listed, with --json all.
"""

_LISTED = 16


def run(arguments: list[str]) -> int:
    parser = argument_parser("sharding", _EPILOG)
    add = parser.add_argument
    add("sharding", metavar="SHARDING", help="as XLA or Shardy writes it; - is standard input")
    add("shape", metavar="SHAPE", nargs="?", help="the whole array: f32[10,64]")
    add("--mesh", help='the mesh that Shardy\'s text names: <["x"=4, "y"=2]>')
    add("--to", metavar="OTHER", help="the sharding after a change: what moves between devices")
    add("--device", type=_device, metavar="N", help="this device alone, by its position in the mesh")
    add("--chip", default="v5e", help=f"one of {', '.join(CHIPS)}; by default v5e")
    add_formats(parser, json="print one JSON object")
    options = parser.parse_args(arguments)
    refuse_formats(parser, options, ["to"], "the picture is of one sharding")
    sharding = parse_sharding(text_argument(options.sharding), options.mesh)
    other = None if options.to is None else parse_sharding(options.to, options.mesh)
    shape = None if options.shape is None else parse_array(options.shape)
    if is_asked_for(options):
        write_figure(sharding.figure(), options)
        return 0
    if other is not None and shape is None:
        parser.error("--to needs the SHAPE of the array: how much moves depends on it")
    devices = _devices(sharding, other) if options.device is None else [options.device]
    if options.json:
        say_json(_facts(sharding, other, shape, devices, options.chip))
        return 0
    say(*_head(sharding, shape, options.chip))
    if shape is not None:
        listed = devices[:_LISTED]
        if other is None:
            rows = [[str(device), _text(sharding.slices(device, shape))] for device in listed]
            say("", *columns(["device", "slice"], rows, 1))
        else:
            say("", *_moves(sharding, other, shape, listed, options.device is None))
        if len(listed) < len(devices):
            say(f"{plural(len(devices), 'device')}, {len(listed)} listed")
    elif sharding.devices is not None:
        write_figure(sharding.figure(), options)
    return 0


def _device(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() else -1


def _devices(*shardings: Sharding | None) -> list[int]:
    named = {device for each in shardings if each is not None for device in each.device_list}
    alone = {each.device for each in shardings if each is not None and each.device is not None}
    return sorted(named | alone) or [0]


def _text(slices: tuple[tuple[int, int], ...]) -> str:
    return f"[{', '.join(f'{start}:{stop}' for start, stop in slices)}]"


def _layout_text(sharding: Sharding) -> str | None:
    try:
        return str(sharding.layout)
    except UnsupportedError:
        return None


def _shard(sharding: Sharding, shape: XlaShape, chip: str) -> XlaShape:
    """The shape on a device, with the default layout of the chip."""
    dims = ",".join(map(str, sharding.shard_shape(shape)))
    return default_layout(parse_array(f"{shape.element_type.name}[{dims}]"), chip)


def _head(sharding: Sharding, shape: XlaShape | None, chip: str) -> list[str]:
    lines = [str(sharding)]
    if sharding.devices is not None:
        layout = _layout_text(sharding)
        numbers = "" if layout is None else f"; the number of a device's slice is {layout}"
        lines.append(f"{plural(sharding.size, 'device')}{numbers}")
    if shape is None:
        return lines
    shard = _shard(sharding, shape, chip)
    data, padded = logical_bytes(shard), physical_bytes(shard)
    lines.append(f"on each device {shard}: {bytes_in_words(data)}, on {chip} {short_bytes(padded)}")
    for d, (more, n) in enumerate(zip(sharding.padding(shape), shape.dimensions, strict=True)):
        if more:
            tiles = sharding.dims[d]
            lines.append(f"dim {d}: {tiles} tiles do not divide {n}; XLA pads it to {n + more}")
    return lines


def _moves(
    sharding: Sharding, other: Sharding, shape: XlaShape, devices: list[int], with_total: bool
) -> list[str]:
    rows: list[list[str]] = []
    for device in devices:
        moves = moves_to(device, sharding, other, shape)
        rows += [
            [
                str(device),
                short_bytes(_bytes(move.elements, shape)),
                _sources(move.sources),
                _text(move.slices),
            ]
            for move in moves[:_LISTED]
        ]
        if len(moves) > _LISTED:
            more = sum(_bytes(move.elements, shape) for move in moves[_LISTED:])
            rows.append([str(device), short_bytes(more), f"{len(moves) - _LISTED} more", ""])
    lines = columns(["device", "receives", "from", "slice"], rows, 2) if rows else ["nothing moves"]
    if with_total:
        count = moved_elements(sharding, other, shape)
        total = bytes_in_words(_bytes(count, shape))
        lines.append(f"all devices receive {total}, {count} elements")
    return lines


def _sources(devices: tuple[int, ...]) -> str:
    return " or ".join(map(str, devices[:4])) + (" or ..." if len(devices) > 4 else "")


def _bytes(elements: int, shape: XlaShape) -> int:
    return ceil_div(elements * (shape.element_type.bits or 0), 8)


def _facts(
    sharding: Sharding, other: Sharding | None, shape: XlaShape | None, devices: list[int], chip: str
) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "sharding": str(sharding),
        "kind": sharding.kind,
        "devices": sharding.size,
        "layout": _layout_text(sharding),
    }
    if shape is None:
        return facts
    shard = _shard(sharding, shape, chip)
    facts["shard"] = {
        "shape": str(shard),
        "data_bytes": logical_bytes(shard),
        "padded_bytes": physical_bytes(shard),
        "padding": sharding.padding(shape),
    }
    if other is None:
        facts["slices"] = {device: sharding.slices(device, shape) for device in devices}
        return facts
    facts["to"] = str(other)
    facts["moved_elements"] = moved_elements(sharding, other, shape)
    facts["moves"] = [
        {**move._asdict(), "bytes": _bytes(move.elements, shape)}
        for device in devices
        for move in moves_to(device, sharding, other, shape)
    ]
    return facts
