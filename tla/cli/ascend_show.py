# SPDX-License-Identifier: Apache-2.0
"""``tla ascend show``: architectures and element types, with the source of each fact."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ..ascend import ARCHES, C0_BYTES, CHIPS, ELEMENTS, FRACTAL_ROWS, arch
from ..ground import Panels, say
from .columns import columns
from .commands import SUBCOMMANDS
from .common import bytes_in_words, in_hundredths, short_bytes
from .messages import say_json
from .parser import argument_parser
from .pictures import add_formats, is_asked_for, refuse_formats, write_figure

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..ascend import Arch, Position

_EPILOG = """\
examples:
  tla ascend show
  tla ascend show AtlasA2
  tla ascend show 910B3 --json
  tla ascend show --elements
  tla ascend show AtlasA2 -o buffers.svg

Without ARCH all architectures stand side by side, and the chips below. Sizes are bytes; a rate is
bytes in one cycle of one core; bandwidths are those of all cores together. [1] is a source, listed
at the end.
"""

_OF_FRACTAL: Final = "CATLASS include/catlass/catlass.hpp BYTE_PER_C0, C0_NUM_PER_FRACTAL"
_POSITIONS: Final[dict[Position, str]] = {
    "L1": "tiles of A and B", "L0A": "a tile of A", "L0B": "a tile of B", "L0C": "sums",
    "UB": "the vector core's", "BT": "bias", "FB": "parameters of the fixpipe",
}  # fmt: skip


def run(arguments: list[str]) -> int:
    parser = argument_parser("ascend show", _EPILOG, SUBCOMMANDS["show"])
    names = f"{', '.join(ARCHES)}, or a chip such as 910B3"
    parser.add_argument("arch", metavar="ARCH", nargs="?", help=names)
    parser.add_argument("--elements", action="store_true", help="show the element types")
    add_formats(parser, json="print one JSON object")
    options = parser.parse_args(arguments)
    refuse_formats(parser, options, ["elements"], "the picture is of the buffers of a core")
    if options.elements and options.arch is not None:
        parser.error("--elements takes no ARCH: every architecture names the types alike")
    if options.elements:
        facts: dict[str, Any] = {"elements": [_element_facts(name) for name in ELEMENTS]}
        write: Callable[[], list[str]] = _elements
    elif options.arch is None:
        facts = {
            "architectures": [_facts(a) for a in ARCHES.values()],
            "chips": [_facts(chip) for chip in CHIPS.values()],
        }
        write = _all
    else:
        architecture = arch(options.arch)
        facts, write = _facts(architecture), lambda: _one(architecture)
    if is_asked_for(options):
        shown = [*ARCHES.values()] if options.arch is None else [arch(options.arch)]
        figures = tuple(each.figure() for each in shown)
        write_figure(figures[0] if len(figures) == 1 else Panels("", figures), options)
    elif options.json:
        say_json(facts)
    else:
        say(*write())
    return 0


# --- side by side ---


def _all() -> list[str]:
    shown = list(ARCHES.values())
    facts = [_in_short(a) for a in shown]
    rows = [[label, *(one[label] for one in facts)] for label in facts[0]]
    chips = [
        [
            chip.name,
            chip.family,
            str(chip.cores),
            _clock(chip),
            short_bytes(chip.l2),
            _per_second(chip.gm_bandwidth),
            _per_second(chip.l2_bandwidth),
        ]
        for chip in CHIPS.values()
    ]
    head = ["chip", "architecture", "cores", "clock", "L2", "GM", "from L2"]
    about = "'tla ascend show ARCH' gives the element types, the limits and the sources of one."
    return [*columns(["", *map(str, shown)], rows, 0), "", *columns(head, chips, 0), "", about]


def _in_short(a: Arch) -> dict[str, str]:
    """The facts of an architecture that are one number or word."""
    return {
        "instruction set": str(a.code),
        "cube cores": str(a.cores),
        "vector cores": str(a.vector_cores),
        **{position: short_bytes(a.capacity(position)) for position in _POSITIONS},
        "L2": short_bytes(a.l2),
        "A lies in L0A as": a.l0a_tag,
        "Nd2Nz by rows from ld": "-" if a.stride_limit is None else str(a.stride_limit),
        "block to FB": f"{a.fixpipe_block} B",
        "events of two pipes": str(a.events),
        "clock": _clock(a),
        "GM, all cores": _per_second(a.gm_bandwidth),
        "from L2, all cores": _per_second(a.l2_bandwidth),
        "half MACs in a cycle": str(a.macs_per_cycle("half")),
    }


def _clock(a: Arch) -> str:
    return f"{in_hundredths(a.frequency, 10**9)} GHz"


def _per_second(rate: int) -> str:
    return f"{in_hundredths(rate, 10**12)} TB/s"


# --- one ---


class _Sources:
    """Numbers for the sources, in the order in which they are named."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def of(self, text: str) -> str:
        return f"[{self.numbers.setdefault(text, len(self.numbers) + 1)}]"

    def lines(self) -> list[str]:
        width = len(f"[{len(self.numbers)}]")
        return [f"  {f'[{n}]':{width}} {text}" for text, n in self.numbers.items()]


def _one(a: Arch) -> list[str]:
    cited = _Sources()
    of = f", {a.family}" if a.family != a.name else ""
    lines = [f"{a.name}{of}, instruction set {a.code} {cited.of(a.source('code'))}", ""]
    facts = [[label, value, cited.of(a.source(field))] for label, value, field in _of_chip(a)]
    fractal = f"{FRACTAL_ROWS} rows of {C0_BYTES} bytes, C0"
    facts.append(["fractal", fractal, cited.of(_OF_FRACTAL)])
    lines += [
        *_indented(facts),
        "",
        "buffers of a core, and the bytes at whose multiples operands start",
    ]
    lines += _indented(_buffers(a, cited))
    lines += ["", "products of the cube core, and how many of them a core sums in one cycle"]
    lines += _indented(
        [[str(p), str(p.macs), cited.of(p.source)] for p in a.products], ["A * B -> sum", "MACs", ""]
    )
    lines += ["", "parameters of instructions"]
    limits = [
        [m.instruction, m.parameter, f"{m.least} to {m.most}", cited.of(m.source)]
        for m in sorted(a.limits, key=lambda m: m.instruction)
    ]
    lines += [*_indented(limits), "", "sources"]
    return [*lines, *cited.lines()]


def _of_chip(a: Arch) -> list[tuple[str, str, str]]:
    """The facts of the whole chip: their name, value and field."""
    ld = "none" if a.stride_limit is None else f"from {a.stride_limit} elements on, one call per row"
    return [
        ("cube cores", str(a.cores), "cores"),
        ("vector cores", str(a.vector_cores), "vector_cores"),
        ("clock", _clock(a), "frequency"),
        ("L2", bytes_in_words(a.l2), "l2"),
        ("GM", f"{_rate(a.gm_rate)}, {_per_second(a.gm_bandwidth)} in all", "gm_rate"),
        ("L2, read", f"{_rate(a.l2_rate)}, {_per_second(a.l2_bandwidth)} in all", "l2_rate"),
        ("L2, written", _rate(a.l2_write_rate), "l2_write_rate"),
        ("L1 to L0A", _rate(a.l1_to_l0a_rate), "l1_to_l0a_rate"),
        ("L1 to L0B", _rate(a.l1_to_l0b_rate), "l1_to_l0b_rate"),
        ("L0A", f"a tile of A lies as {a.l0a_tag}, one of B in L0B as nZ", "l0a_tag"),
        ("limit of ld", ld, "stride_limit"),
        ("block to FB", f"{a.fixpipe_block} bytes", "fixpipe_block"),
        ("events", f"{a.events} ids of each pair of pipes", "events"),
    ]


def _rate(count: int) -> str:
    return f"{count} bytes a cycle of a core"


def _buffers(a: Arch, cited: _Sources) -> list[list[str]]:
    starts = dict(a.alignments)
    rows = [["GM", "", str(starts["GM"]), "", cited.of(a.source("alignments"))]]
    for position in _POSITIONS:
        start = str(starts.get(position, "-"))
        size = bytes_in_words(a.capacity(position))
        rows.append([position, size, start, _POSITIONS[position], cited.of(a.source(position.lower()))])
    return rows


def _indented(rows: list[list[str]], head: list[str] | None = None) -> list[str]:
    shown = columns(head or [""] * len(rows[0]), rows, 0, "  ")
    return [line for line in shown if head or line]


def _facts(a: Arch) -> dict[str, Any]:
    tables = ("products", "limits", "alignments", "sources")
    plain = [field for field in a._fields if field not in tables]
    return {
        "name": a.name,
        "facts": {f: {"value": getattr(a, f), "source": a.source(f)} for f in plain if f != "name"},
        "alignments": {"value": dict(a.alignments), "source": a.source("alignments")},
        "fractal": {
            "value": {"rows": FRACTAL_ROWS, "bytes_of_row": C0_BYTES},
            "source": _OF_FRACTAL,
        },
        "gm_bandwidth": a.gm_bandwidth,
        "l2_bandwidth": a.l2_bandwidth,
        "products": [p._asdict() for p in a.products],
        "limits": [limit._asdict() for limit in a.limits],
    }


# --- element types ---


def _elements() -> list[str]:
    head = ["bits", "C0", "fractal", "element", "XLA", "sums", "multiplied by"]
    rows = [
        [
            str(facts["bits"]),
            str(facts["c0"]),
            str(facts["fractal"]),
            facts["name"],
            facts["xla"] or "-",
            facts["accumulator"] or "-",
            ", ".join(facts["architectures"]) or "-",
        ]
        for facts in map(_element_facts, ELEMENTS)
    ]
    about = "C0 is a row of a fractal, 32 bytes of elements; a fractal is 16 rows."
    return [*columns(head, rows, 3), "", about]


def _element_facts(name: str) -> dict[str, Any]:
    of = ELEMENTS[name]
    products = {a.name: p for a in ARCHES.values() for p in a.products if p.a == p.b == name}
    return {
        "name": name,
        "bits": of.bits,
        "sizeof": of.sizeof,
        "c0": of.c0,
        "fractal": of.fractal,
        "xla": of.xla,
        "accumulator": next((p.accumulator for p in products.values()), None),
        "architectures": list(products),
    }
