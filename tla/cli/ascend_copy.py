# SPDX-License-Identifier: Apache-2.0
"""``tla ascend copy``: the instructions that move a tile from one layout to another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ..ascend import (
    ARCHES,
    SCALE,
    arch,
    cpp_text,
    element,
    fields_of,
    gm_to_l1,
    l0c_to_gm,
    l1_to_bt,
    l1_to_l0a,
    l1_to_l0b,
    tags_of,
)
from ..ground import plural, say
from ..layouts import text_of
from ..read import read, tagged
from .columns import columns
from .commands import SUBCOMMANDS
from .common import InputError, bytes_in_words, text_argument
from .messages import say_json
from .parser import argument_parser
from .pictures import add_formats, is_asked_for, is_file_format, refuse_formats, write_figure
from .show import layout_of
from .where import index_argument

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator

    from ..ascend import Call, Element, Matrix, Transfer
    from ..layouts import AnyLayout

_EPILOG = """\
routes:
  gm-l1    a tile of a matrix in global memory to L1
  l1-l0a   a tile of A from L1 to L0A
  l1-l0b   a tile of B from L1 to L0B
  l0c-gm   sums in L0C to a matrix in global memory, --to the matrix; --at is the tile's place in it
  l1-bt    a vector of biases from L1 to the bias table

examples:
  tla ascend copy gm-l1 'RowMajor<half>(100,100)' --to zN --tile 32,48 --at 96,96
  tla ascend copy gm-l1 'RowMajor<half>(64,70000)' --to zN --tile 64,128 --all
  tla ascend copy l1-l0a 'nZ<half>(96,64)' --arch Ascend950
  tla ascend copy l1-l0b 'zN<int8_t>(64,48)' --prove
  tla ascend copy l0c-gm 'L0C<float>(4,4)' --to 'RowMajor<half>(100,100)' --at 96,96 --json
  tla ascend copy gm-l1 'RowMajor<half>(100,100)' --to zN --tile 32,48 -o copy.svg

Offsets are elements, from the first of each tensor. --to is a tag, whose layout is made of the tile, or
a whole layout: 'zN<half>(32,48)'. Where it is left out it is the one that the route has. A copy keeps
the element type; l0c-gm rounds sums to that of the output, l1-bt makes sums of biases.
"""

_ROUTES: Final[dict[str, tuple[Callable[..., Transfer], str | None, tuple[str, ...]]]] = {
    "gm-l1": (gm_to_l1, None, ("src_tag", "dst_tag")),
    "l1-l0a": (l1_to_l0a, None, ("src_tag", "dst_tag")),
    "l1-l0b": (l1_to_l0b, "nZ", ("src_tag", "dst_tag")),
    "l0c-gm": (l0c_to_gm, None, ("dst_tag",)),
    "l1-bt": (l1_to_bt, "VectorLayout", ()),
}
"""The function of each route, its default destination, and the tags that it takes."""

_SHOWN: Final = 4
"""How many calls are listed without --all."""


def run(arguments: list[str]) -> int:
    options = _options(arguments)
    transfer = _transfer(options)
    proof = transfer.proof() if options.prove else None
    if is_asked_for(options):
        side = 64 if is_file_format(options) else 16
        write_figure(transfer.figure(side, side), options)
        return 0
    if options.json:
        facts = _facts(transfer, options.all)
        say_json(facts if proof is None else {**facts, "proof": proof._asdict()})
        return 0
    for line in _report(transfer, options.all):
        say(line)
    if proof is not None:
        say(f"{'proof':10} {proof}")
    return 0


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argument_parser("ascend copy", _EPILOG, SUBCOMMANDS["copy"])
    parser.add_argument("route", metavar="ROUTE", choices=_ROUTES, help=", ".join(_ROUTES))
    parser.add_argument(
        "source", metavar="SOURCE", help="a layout by its tag, as 'RowMajor<half>(100,100)'; - is stdin"
    )
    parser.add_argument("--to", metavar="TAG", help="the destination: a tag, or a layout")
    parser.add_argument("--tile", metavar="R,C", help="rows and columns of the tile; else all there are")
    parser.add_argument("--at", metavar="R,C", help="the tile's first element; else the first of all")
    parser.add_argument(
        "--arch", default="AtlasA2", help=f"{', '.join(ARCHES)}, or a chip; AtlasA2 where left out"
    )
    parser.add_argument("--element", help="the element type, where the layouts do not say it")
    parser.add_argument("--all", action="store_true", help=f"list every call, not the first {_SHOWN}")
    parser.add_argument("--prove", action="store_true", help="expand the calls element by element")
    add_formats(parser, json="print one JSON object")
    options = parser.parse_args(arguments)
    refuse_formats(parser, options, ["all", "prove"], "the picture is of the tile")
    return options


def _transfer(options: argparse.Namespace) -> Transfer:
    route = options.route
    copy, usual, tags = _ROUTES[route]
    core = arch(options.arch)
    src, src_of, src_tag = _layout(text_argument(options.source))
    to: Any = options.to or (core.l0a_tag if route == "l1-l0a" else usual)
    dst_of = dst_tag = None
    if to is not None and "(" in to:
        to, dst_of, dst_tag = _layout(to)
    elif route == "l0c-gm":
        raise InputError(
            "l0c-gm needs --to: the matrix that the sums go to",
            "Give the whole layout, as --to 'RowMajor<half>(100,100)'.",
        )
    keywords = _elements(route, element(options.element) if options.element else None, src_of, dst_of)
    if to is None:
        to = _l1_tag(src, src_tag, keywords["element"])
    for name, tag in (("src_tag", src_tag), ("dst_tag", dst_tag)):
        if name in tags:
            keywords[name] = tag
    for name, text in (("tile", options.tile), ("at", options.at)):
        if text is not None:
            keywords[name] = index_argument(text, f"--{name}")
    return copy(src, to, arch=core, **keywords)


def _elements(
    route: str, option: Element | None, src: Element | None, dst: Element | None
) -> dict[str, Any]:
    """The element type of a copy, and the type of its sums if the copy converts them."""
    sums = {"l0c-gm": src, "l1-bt": dst}.get(route)
    types = {"l0c-gm": (option, dst), "l1-bt": (option, src)}.get(route, (option, src, dst))
    names = list(dict.fromkeys(of for of in types if of is not None))
    if not names:
        what = "output's layout does" if route == "l0c-gm" else "layouts do"
        raise InputError(
            f"the {what} not say what the elements are",
            "Write the tag, as 'zN<half>(32,48)', or give --element half.",
        )
    if len(names) > 1:
        raise InputError(
            f"{route} moves elements of one type, not of {' and '.join(map(str, names))}",
            "Name the same type in SOURCE, --to and --element."
            if len(types) == 3
            else "Leave --element out: it is for a layout that does not say it.",
        )
    return {"element": names[0]} if sums is None else {"element": names[0], "accumulator": sums}


def _l1_tag(src: AnyLayout, tag: str | None, of: Element) -> str:
    """The tag of a matrix in L1."""
    from ..ascend import PAIRS

    names = tags_of(src, of) if tag is None else (tag,)
    to_tag = next((to for to, sources in PAIRS.items() if not {*names}.isdisjoint(sources)), None)
    if to_tag is None:
        takes = dict.fromkeys(tag for sources in PAIRS.values() for tag in sources)
        raise InputError(
            f"gm-l1 moves no {' or '.join(names) or f'layout such as {src}'}",
            f"It moves {', '.join(takes)}.",
        )
    return to_tag


def _layout(text: str) -> tuple[AnyLayout, Element | None, str | None]:
    """A layout, and its element type and tag where the text names them."""
    by_tag = tagged(text)
    if by_tag is None:
        return layout_of(read(text)), None, None
    return by_tag.layout, by_tag.element, by_tag.tag


# --- text ---


def _facts(transfer: Transfer, every: bool) -> dict[str, Any]:
    calls = transfer.calls if every else transfer.calls[:_SHOWN]
    setting = transfer.setting
    return {
        "route": transfer.route,
        "src": _end(transfer.src),
        "dst": _end(transfer.dst),
        "tile": list(transfer.tile),
        "bytes": transfer.bytes,
        "n_calls": len(transfer.calls),
        "why_many": transfer.why_many,
        "setting": None if setting is None else {"name": setting.name, "arguments": setting.arguments},
        "calls": [call.as_dict() for call in calls],
    }


def _end(matrix: Matrix) -> dict[str, Any]:
    return {
        "tag": matrix.tag,
        "element": matrix.element.name,
        "layout": str(matrix.layout),
        "at": list(matrix.at),
    }


def _report(transfer: Transfer, every: bool) -> Iterator[str]:
    src, dst, setting = transfer.src, transfer.dst, transfer.setting
    yield f"{transfer.route:10} {src} to {dst}"
    for name, matrix in (("source", src), ("to", dst)):
        at = f" at {text_of(matrix.at)}" if any(matrix.at) else ""
        yield f"{name:10} {matrix.layout}{at}"
    extents = " by ".join(map(str, transfer.tile))
    yield f"{'data':10} {extents} elements, {bytes_in_words(transfer.bytes)}"
    why = f": {transfer.why_many}" if transfer.why_many else ""
    yield f"{'calls':10} {len(transfer.calls)}{why}"
    if setting is not None:
        yield f"{'first':10} {setting}"
    first = transfer.calls[0]
    yield ""
    yield from _parameters(first, "column" if dst.tag in ("nZ", "nN", "MxScalenN") else "row")
    if transfer.calls.tail is not None:
        tail, usual = fields_of(transfer.calls.tail.params), fields_of(first.params)
        changed = [f"{name}={cpp_text(x)}" for name, x in tail.items() if x != usual[name]]
        yield f"in the last call {', '.join(changed)}"
    yield ""
    calls = list(transfer.calls if every else transfer.calls[:_SHOWN])
    yield from _table(calls, transfer)
    rest = len(transfer.calls) - len(calls)
    if rest:
        yield f"and {plural(rest, 'call')} more; --all lists every one"


def _parameters(call: Call, line: str) -> Iterator[str]:
    """The fields of a call, one to a line, each with its unit; ``n`` counts lines, rows or columns."""
    struct = type(call.params).__name__
    yield f"{call.name} with {struct}"
    rows = [(name, cpp_text(value)) for name, value in fields_of(call.params).items()]
    wide, numbers = (max(map(len, column)) for column in zip(*rows, strict=True))
    meanings = _MEANING[struct]
    if call.unit == 2:
        meanings = {**meanings, **(_SCALES if call.element.name == SCALE else _DOUBLE)}
    for name, value in rows:
        meaning = meanings[name].replace("line", line)
        yield f"  {name:{wide}}  {value:>{numbers}}  {meaning}"


def _table(calls: list[Call], transfer: Transfer) -> list[str]:
    """The places where each call writes and reads, and the field that changes from call to call."""
    changes = ["mStartPosition"] if transfer.calls.m_step else []
    head = ["call", "dst", "src", *changes]
    rows: list[list[str]] = []
    for i, call in enumerate(calls):
        fields = fields_of(call.params)
        rows.append([str(x) for x in (i, call.dst, call.src, *(fields[name] for name in changes))])
    return columns(head, rows, len(head))


_NZ: Final = {
    "nValue": "lines",
    "dValue": "elements of each",
    "srcDValue": "from one line to the next, in elements",
    "dstNzC0Stride": "from a block of 32 bytes to the next of its line, in blocks",
    "dstNzNStride": "from a block of 32 bytes to that of the next line, in blocks",
    "dstNzMatrixStride": "from one matrix to the next",
}

_DOUBLE: Final = {
    "dValue": "pairs of elements of each",
    "srcDValue": "from one line to the next, in pairs",
    "blockLen": "blocks of a run, of 64 bytes each",
}

_SCALES: Final = {
    "nValue": "pairs of scales along K",
    "dValue": "lines of scales",
    "srcDValue": "leading dimension, in pairs",
    "dstNzC0Stride": "from 16 lines to the next 16, in blocks of 32 bytes",
    "dstNzNStride": "from one pair along K to the next, in blocks of 32 bytes",
}

_OUT: Final = {
    "nSize": "columns",
    "mSize": "rows",
    "srcStride": "from one column of fractals to the next, in 16 elements",
    "dstStride": "from one row to the next, in elements; of blocks, from one column of them to the next",
    "quantPre": "how a sum is rounded",
    "isChannelSplit": "whether 16 columns are split into 8 and 8",
    "channelSplit": "whether 16 columns are split into 8 and 8",
    "nz2nd": "whether rows come out: CFG_ROW_MAJOR, else CFG_NZ",
    "nz2ndEn": "whether rows come out, not blocks",
}

_MEANING: Final[dict[str, dict[str, str]]] = {
    "Nd2NzParams": {
        "ndNum": "matrices",
        "srcNdMatrixStride": "from one matrix to the next",
        **_NZ,
    },
    "Dn2NzParams": {
        "dnNum": "matrices",
        "srcDnMatrixStride": "from one matrix to the next",
        **_NZ,
    },
    "DataCopyParams": {
        "blockCount": "runs",
        "blockLen": "blocks of a run",
        "srcStride": "blocks from the end of a run to the next, read",
        "dstStride": "blocks from the end of a run to the next, written",
    },
    "LoadData2DParams": {
        "startIndex": "the first fractal",
        "repeatTimes": "fractals",
        "srcStride": "from one fractal to the next, in fractals",
        "dstGap": "fractals left between two that are written",
        "ifTranspose": "whether each is transposed",
    },
    "LoadData2dTransposeParams": {
        "startIndex": "the first square",
        "repeatTimes": "squares that are transposed",
        "srcStride": "from one square to the next, in squares",
        "dstGap": "fractals from the end of a square's first to the next square",
        "dstFracGap": "fractals left between those of a square",
    },
    "LoadData2DParamsV2": {
        "mStartPosition": "the first fractal down",
        "kStartPosition": "the first column of fractals",
        "mStep": "fractals down",
        "kStep": "columns of fractals",
        "srcStride": "from one column of fractals to the next, in fractals, read",
        "dstStride": "from one column of fractals to the next, in fractals, written",
        "ifTranspose": "whether the box is transposed",
    },
    "LoadData3DParamsV2": {
        "kExtension": "channels that are read",
        "mExtension": "positions that are read",
        "channelSize": "channels of the image",
        "enTranspose": "whether the image is transposed",
        "fMatrixCtrl": "whether the setting is that of B",
    },
    "FixpipeParamsV220": _OUT,
    "FixpipeParamsC310": _OUT,
    "DataCopyExtParams": {
        "blockCount": "rows",
        "blockLen": "bytes of a row",
        "srcStride": "bytes between rows in global memory, blocks in UB",
        "dstStride": "the same of the destination",
    },
    "DataCopyCO12DstParams": _OUT,
}
"""The unit of each field."""
