"""``tla hlo``: the array shapes of a module, what each takes in memory, and what of it is padding."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..errors import UnsupportedError
from ..hlo import ShapeUse, scan_shapes
from ..xla_bridge import XlaShape, logical_bytes, physical_bytes, to_layout
from . import complain
from .common import argument_parser, positive, read_file, short_bytes

__all__ = ["run"]

_EPILOG = """\
examples:
  tla hlo module.hlo
  tla hlo module.hlo --top 10
  tla hlo - --json < module.hlo

'times' counts the results of instructions that have the shape, in all computations; operands are
not counted again. Sizes are those of one array; a dynamic dim <=N counts as N. Waste is what padding
takes.
"""


class _Row(NamedTuple):
    use: ShapeUse
    shape: XlaShape
    layout: str
    reason: str
    logical: int
    padded: int

    @property
    def waste(self) -> int:
        return max(0, self.padded - self.logical)


def run(arguments: list[str]) -> int:
    parser = argument_parser("hlo", _EPILOG)
    parser.add_argument("file", metavar="FILE", help="the text of an HLO module; - is standard input")
    parser.add_argument("--top", type=positive, metavar="N", help="list only the first N shapes")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(arguments)
    name = "standard input" if options.file == "-" else options.file
    uses = scan_shapes(read_file(options.file), name)
    known = [(use, use.shape) for use in uses if not _refusal(use)]
    rows = [_row(use, shape) for use, shape in known if shape is not None]
    rows.sort(key=lambda row: (-row.waste, -row.padded, row.use.text))
    refused = [use._replace(refusal=_refusal(use)) for use in uses if _refusal(use)]
    if options.json:
        import json

        facts = {"shapes": [_facts(row) for row in rows[: options.top]]}
        facts["not_read"] = [
            {"text": use.text, "times": use.times, "reason": use.refusal} for use in refused
        ]
        print(json.dumps(facts))
        return 0
    _write(rows, rows[: options.top], sum(use.times for use in refused))
    for use in refused:
        complain(f"tla: not read: {use.text} ({use.times} times): {use.refusal}")
    return 0


def _refusal(use: ShapeUse) -> str:
    """Why a shape has no place in the table, or nothing."""
    unknown = use.shape is not None and use.shape.is_unbounded_dynamic
    return "its size is not known: it has a dim '?'" if unknown else use.refusal


def _row(use: ShapeUse, shape: XlaShape) -> _Row:
    try:
        layout, reason = str(to_layout(shape)), ""
    except UnsupportedError as error:
        layout, reason = "", f"{error.reason}"
    return _Row(use, shape, layout, reason, logical_bytes(shape), physical_bytes(shape))


def _facts(row: _Row) -> dict[str, Any]:
    return {
        "xla": row.use.text,
        "times": row.use.times,
        "tla": row.layout or None,
        "reason": row.reason or None,
        "bytes": row.logical,
        "physical_bytes": row.padded,
        "waste_bytes": row.waste,
    }


def _write(rows: list[_Row], shown: list[_Row], unread: int) -> None:
    head = ("waste", "padded", "data", "times", "xla", "tla")
    table = [
        (
            short_bytes(row.waste),
            short_bytes(row.padded),
            short_bytes(row.logical),
            str(row.use.times),
            row.use.text,
            row.layout or f"none ({row.reason})",
        )
        for row in shown
    ]
    widths = [max(len(line[i]) for line in [head, *table]) for i in range(5)]
    for line in [head, *table]:
        numbers = "  ".join(f"{cell:>{w}}" for cell, w in zip(line[:4], widths, strict=False))
        print(f"{numbers}  {line[4]:{widths[4]}}  {line[5]}")
    more = f", {len(shown)} listed" if len(shown) < len(rows) else ""
    times = sum(row.use.times for row in rows)
    missed = f"; {unread} results of shapes that are not read" if unread else ""
    print(f"{len(rows)} distinct array shapes of {times} results{more}{missed}")
