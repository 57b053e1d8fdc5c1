# SPDX-License-Identifier: Apache-2.0
"""``tla ascend check``: whether a plan is legal, what each buffer needs, what would fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ..ascend import ARCHES, arch, batched, gemm, grouped
from ..errors import ParseError
from ..ground import plural, say
from .columns import columns, line_width
from .commands import SUBCOMMANDS
from .common import numbers, positive
from .messages import complain, say_json
from .parser import argument_parser
from .pictures import add_formats, is_asked_for, refuse_formats, write_figure

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator

    from ..ascend import Finding, Footprint, Plan, Report
    from ..ground import Bars

_EPILOG: Final = f"""\
examples:
  tla ascend check AtlasA2 half 4096,4096,4096
  tla ascend check Ascend950 half 4096,4096,4096 --l1 100,256,256
  tla ascend check AtlasA2 int8_t 4096,4096,70000 --tags RowMajor,ColumnMajor --bias int32_t
  tla ascend check AtlasA2 half,half,float 512,512,16384 --policy 'MmadAtlasA2Preload<true,true>'
  tla ascend check AtlasA2 half 4096,4096,4096 --policy 'MmadPingpong(unit_flag, l1a_stages=3)' --emit
  tla ascend check AtlasA2 half 4096,4096,4096 --l1 128,256,256 -o buffers.svg
  tla ascend check AtlasA2 int8_t,int8_t,half 256,512,1024 --scale token
  tla ascend check AtlasA2 half 1024,512,1024 --tags RowMajor,ColumnMajor --rows 300,0,500,224

ARCH is one of {", ".join(ARCHES)}, or a chip such as 910B3. What is
left out is as CATLASS's examples have it: MmadPingpong with the unit flag, the tile of the architecture,
in L0 the longest half, quarter ... of its k that fits, bands of 3.

'needed' is what is written, with the padding of a tile to whole fractals, stage by stage where CATLASS
places them. CATLASS's own assertions count without padding; where one fails, what the compiler would
say is given. The nearest tile is the one with the least sum of |log2| of the ratios of m, n and k to
those asked for; they are multiples of 16 and of C0 with at most three significant binary digits, where
they are not the ones asked for.

Exit code 0: the plan is legal, warnings or not. 1: a rule is broken, or a value is wrong.
"""


def run(arguments: list[str]) -> int:
    parser = _parser()
    options = parser.parse_args(arguments)
    refuse_formats(parser, options, ["emit"], "there is one output")
    if options.emit and options.json:
        parser.error("argument --json: not allowed with argument --emit")
    plan = plan_of(options)
    if plan.cores > plan.arch.cores:  # no rule: the plan is legal on a chip with more
        has = plural(plan.arch.cores, "core")
        complain(f"tla: {plan.arch} has {has}, and the plan is for {plan.cores}")
    report = plan.check()
    if is_asked_for(options):
        write_figure(report.figure(), options)
        return 0 if report.ok else 1
    if options.emit and report.ok:
        say(*plan.emit_cpp().splitlines())
        return 0
    if options.json:
        say_json(_facts(report))
    else:
        _write(report, options.all)
    if options.emit:
        complain("tla: no C++ is written of a plan that is illegal")
    return 0 if report.ok else 1


def _parser() -> argparse.ArgumentParser:
    parser = argument_parser("ascend check", _EPILOG, SUBCOMMANDS["check"])
    add_plan(parser)
    parser.add_argument("--all", action="store_true", help="list the rules that hold too, each in full")
    parser.add_argument("--emit", action="store_true", help="print the C++ of the plan if it is legal")
    add_formats(parser, json="print one JSON object")
    return parser


def add_plan(parser: argparse.ArgumentParser) -> None:
    """Give a parser the arguments of a plan, for `plan_of`."""
    parser.add_argument("arch", metavar="ARCH", type=arch, help="the architecture")
    parser.add_argument(
        "elements", metavar="ELEMENT", help="the type of A, B and C; or two or three, with commas"
    )
    parser.add_argument("problem", metavar="M,N,K", help="the extents of the product, in elements")
    parser.add_argument("--l1", metavar="m,n,k", help="the tile in L1")
    parser.add_argument("--l0", metavar="m,n,k", help="the part of it in L0")
    parser.add_argument(
        "--tags", default="RowMajor", metavar="A,B,C", help="the layouts in global memory (RowMajor)"
    )
    parser.add_argument(
        "--ld", metavar="A,B,C", help="the leading dimensions; 0, or left out, is the shortest"
    )
    parser.add_argument(
        "--policy", metavar="POLICY", help="a dispatch policy, with parameters in < > or ( )"
    )
    parser.add_argument("--swizzle", metavar="SWIZZLE", help="what orders the blocks")
    parser.add_argument("--bias", metavar="ELEMENT", help="add a bias of this type")
    parser.add_argument("--scale", metavar="KIND", help="scale C by tensor, channel or token")
    parser.add_argument("--epilogue", metavar="NAME", help="what the vector cores do, as gelu or add")
    several = parser.add_mutually_exclusive_group()
    several.add_argument("--rows", metavar="R,R,..", help="the rows of each group of a grouped product")
    several.add_argument("--batch", type=positive, metavar="N", help="a batch of N equal products")
    parser.add_argument(
        "--cores", type=positive, metavar="N", help="not as many cores as ARCH has but N"
    )


def plan_of(options: argparse.Namespace) -> Plan:
    """Return the plan that the arguments of a command give."""
    make, several = _maker(options)
    return make(
        options.arch,
        options.problem,
        *several,
        options.elements,
        options.tags,
        options.l1,
        options.l0,
        options.policy,
        options.swizzle,
        bias=options.bias,
        cores=options.cores,
        ld=leading_dimensions(options.ld) if options.ld else None,
        scale=options.scale,
        epilogue=options.epilogue,
    )


def _maker(options: argparse.Namespace) -> tuple[Callable[..., Plan], tuple[object, ...]]:
    """The function of a plan, and what it takes behind the problem."""
    if options.rows is not None:
        return grouped, (numbers(options.rows, "rows of groups"),)
    return (gemm, ()) if options.batch is None else (batched, (options.batch,))


def leading_dimensions(text: str) -> list[int | None]:
    """Return the leading dimensions of A, B and C that a text has, None for the shortest.

    >>> leading_dimensions("4096,0")
    [4096, None]

    Raises:
        ParseError: it is not up to three numbers with commas.
    """
    extents = numbers(text, "leading dimensions")
    if len(extents) > 3:
        raise ParseError(
            f"--ld takes up to three numbers, of A, B and C, 0 for the shortest; found {len(extents)}",
            text, 0, len(text),
        )  # fmt: skip
    return [ld or None for ld in extents]


# --- text ---


def _write(report: Report, everything: bool) -> None:
    from ..show import write

    say(*str(report.plan).splitlines())
    say("")
    rows = [f for f in report.checks if everything or _is_shown(f)]
    say(*_table(rows, everything))
    hidden = len(report.checks) - len(rows)
    if hidden:
        say(f"{plural(hidden, 'rule')} more hold; --all lists them")
    for bars, footprint in zip(report.figures(), report.buffers, strict=True):
        if footprint.buffer == "L1" or not footprint.sound:
            say("")
            write(bars)
    texts = [f for f in report.findings if f.text]
    if texts:
        say("")
        for finding in texts:
            _write_finding(finding)
    say("")
    for line in _verdict(report):
        say(line)


def _is_shown(finding: Finding) -> bool:
    return finding.severity != "holds" or finding.rule.endswith(("capacity", "events"))


def _table(findings: list[Finding], everything: bool) -> list[str]:
    head = ("needed", "available", "margin", "unit", "buffer", "rule", "verdict")
    rows = [
        (
            *("-" if n is None else str(n) for n in (f.needed, f.available, f.margin)),
            f.unit if f.needed is not None else "-",
            f.buffer or "-",
            f.title,
            _VERDICTS.get(f.severity, f.severity) + _why(f) * everything,
        )
        for f in findings
    ]
    return columns(head, rows, 3)


_VERDICTS: Final = {"error": "BROKEN"}


def _why(finding: Finding) -> str:
    """The text of a rule that holds; the other rules have theirs below the table."""
    return f": {finding.text}" if finding.severity == "holds" and finding.text else ""


def _write_finding(finding: Finding) -> None:
    from textwrap import wrap

    width = line_width()
    say(*wrap(f"{finding.title}: {finding.text.rstrip('.')}.", width, subsequent_indent="  "))
    for text in finding.catlass:
        say(f"  the compiler says: {text}")
    if finding.fix:
        say(*wrap(finding.fix, width, initial_indent="  ", subsequent_indent="  "))


def _verdict(report: Report) -> Iterator[str]:
    warnings = f", with {plural(len(report.warnings), 'warning')}" if report.warnings else ""
    if report.ok:
        yield f"legal{warnings}"
        return
    kinds = {finding.rule.rpartition(" ")[2] for finding in report.errors}
    compiles = not report.catlass and kinds <= {"overlap", "capacity", "alignment", "events"}
    silent = "; CATLASS compiles it all the same" if compiles else ""
    yield f"illegal: {plural(len(report.errors), 'rule')} broken{warnings}{silent}"
    near = report.nearest
    if near is not None:
        l1, l0 = (",".join(map(str, shape)) for shape in (near.l1, near.l0))
        broken = f"; still broken: {', '.join(report.left)}" if report.left else ""
        yield f"the nearest tile that fits: --l1 {l1} --l0 {l0}{broken}"


# --- JSON ---


def _facts(report: Report) -> dict[str, Any]:
    plan, near = report.plan, report.nearest
    return {
        "plan": {
            "arch": plan.arch.name,
            "problem": list(plan.problem),
            "elements": [plan.a.name, plan.b.name, plan.c.name],
            "bias": plan.bias.name if plan.bias else None,
            "tags": list(plan.tags),
            "ld": [plan.leading(x) or None for x in ("A", "B", "C")],
            "l1": list(plan.l1),
            "l0": list(plan.l0),
            "policy": str(plan.policy),
            "swizzle": str(plan.swizzle),
            "cores": plan.cores,
        },
        "ok": report.ok,
        "checks": [{**f._asdict(), "margin": f.margin} for f in report.checks],
        "catlass": list(report.catlass),
        "buffers": [
            _buffer(footprint, bars)
            for footprint, bars in zip(report.buffers, report.figures(), strict=True)
        ],
        "nearest": near
        and {
            "l1": list(near.l1),
            "l0": list(near.l0),
            "distance": near.distance,
            "still_broken": list(report.left),
        },
    }


def _buffer(footprint: Footprint, bars: Bars) -> dict[str, Any]:
    return {
        "buffer": footprint.buffer,
        "capacity": footprint.capacity,
        "needed": footprint.needed,
        "counted": footprint.counted,
        "margin": footprint.margin,
        "stages": [
            {**stage._asdict(), "clashes": list(bar.clashes)}
            for stage, bar in zip(footprint.stages, bars.bars, strict=True)
        ],
    }
