# SPDX-License-Identifier: Apache-2.0
"""``tla pallas``: the VMEM that the blocks of a Pallas kernel take, and whether they fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..ground import say
from ..memory import KernelBlock, block_report
from ..xla_bridge import CHIPS, parse_array
from .columns import columns
from .common import InputError, bytes_in_words, positive, short_bytes
from .messages import say_json
from .parser import argument_parser

if TYPE_CHECKING:
    from ..memory import BlockBytes, BlockReport
    from ..xla_bridge import XlaShape

_EPILOG = """\
examples:
  tla pallas 'f32[16384,640,4]' --block 16,640,4 --chip v5e
  tla pallas 'bf16[2048,2048]' 'bf16[2048,2048]' --block 512,512 --scratch 'f32[512,512]'
  tla pallas 'f32[4096,1024]' 'f32[512,1024]' --block 512,1024 --block 512,1024 --buffers 2,1

Each SHAPE is an operand or a result. A block in VMEM has rows of 128 elements and tiles of up to 8
rows of 32-bit words. An operand has two buffers, or one if its block is the whole array; --buffers
gives those of pl.Buffered(n), and 1 for an index map that does not depend on the grid. '_' in a block
is a squeezed dim. What the body needs, as a matrix product does, comes on top.
Exit code 1: the kernel does not fit.
"""


def run(arguments: list[str]) -> int:
    parser = argument_parser("pallas", _EPILOG)
    add = parser.add_argument
    add("shapes", nargs="+", metavar="SHAPE", help="an operand or result: f32[4096,512]")
    add("--block", action="append", type=_block, help="the block of each SHAPE in order; one for all")
    add(
        "--buffers",
        type=_buffers,
        metavar="N,...",
        help="the buffers of each SHAPE in order; one for all",
    )
    add("--scratch", action="append", metavar="SHAPE", help="scratch in VMEM")
    add(
        "--vmem-limit",
        type=positive,
        metavar="BYTES",
        help="vmem_limit_bytes; by default that of the chip",
    )
    add("--chip", default="v5e", help=f"one of {', '.join(CHIPS)}; by default v5e")
    add("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(arguments)
    shapes = [parse_array(text) for text in options.shapes]
    scratch = [parse_array(text) for text in options.scratch or ()]
    blocks = _for_each("--block", options.block or [None], shapes)
    buffers = _for_each("--buffers", options.buffers or [None], shapes)
    specs = [
        KernelBlock(shape, block, count)
        for shape, block, count in zip(shapes, blocks, buffers, strict=True)
    ]
    report = block_report(specs, options.chip, scratch, options.vmem_limit)
    if options.json:
        say_json(_facts(report, specs))
    else:
        _write(report, specs)
    return int(report.verdict != "fits")


def _block(text: str) -> tuple[int | None, ...]:
    parts = text.strip("()").split(",")
    return tuple(None if part.strip() == "_" else positive(part.strip()) for part in parts)


def _buffers(text: str) -> list[int]:
    return [positive(part.strip()) for part in text.split(",")]


def _for_each(name: str, given: list[Any], shapes: list[XlaShape]) -> list[Any]:
    if len(given) == 1:
        return given * len(shapes)
    if len(given) != len(shapes):
        raise InputError(
            f"{name} is given for {len(given)} of {len(shapes)} shapes",
            "Give one for each SHAPE, in order, or one for all.",
        )
    return given


def _write(report: BlockReport, specs: list[KernelBlock]) -> None:
    table = [
        [
            short_bytes(block.bytes),
            str(block.buffers),
            short_bytes(block.padded_bytes),
            short_bytes(block.data_bytes),
            _dims(block.dims),
            str(spec.shape),
            _padding(block),
        ]
        for block, spec in zip(report.blocks, specs, strict=True)
    ]
    say(*columns(["bytes", "buffers", "padded", "data", "block", "of", "padding"], table, 4), "")
    if report.scratch_bytes:
        say(f"scratch: {bytes_in_words(report.scratch_bytes)}")
    say(f"scoped VMEM: {bytes_in_words(report.bytes)} of {bytes_in_words(report.limit_bytes)}")
    say(f"{report.verdict} on {report.chip}" + (f": {report.reason}" if report.reason else ""))
    if report.nearest is not None:
        say(f"nearest block that fits: {_dims(report.nearest)}")


def _dims(dims: tuple[int, ...]) -> str:
    return ",".join(map(str, dims))


def _padding(block: BlockBytes) -> str:
    pairs = enumerate(zip(block.dims, block.padded_dims, strict=True))
    return "; ".join(f"dim {d}: {n} -> {padded}" for d, (n, padded) in pairs if padded > n)


def _facts(report: BlockReport, specs: list[KernelBlock]) -> dict[str, Any]:
    facts = report._asdict()
    facts["blocks"] = [
        {"shape": str(spec.shape), **block._asdict()}
        for block, spec in zip(report.blocks, specs, strict=True)
    ]
    return facts
