"""``tla ascend``: architectures, and copies, plans, schedules and tiles of a matrix product on them."""

from __future__ import annotations

import argparse
from importlib import import_module
from typing import Final

from .commands import COMMANDS

# Each is a module `ascend_NAME` here with `run(arguments) -> exit code`.
SUBCOMMANDS: Final = {
    "show": "Show an architecture: buffers, cores, alignments, limits, and where each is stated.",
    "check": "Check a plan: whether each rule holds, what each buffer needs and has, what would fit.",
    "schedule": "Show which core computes which block when, and prove that every tile is computed once.",
    "search": "Rank the legal tiles of a problem by a cost model.",
    "copy": "Give the instructions that move a tile from one layout to another, with their parameters.",
}

_DESCRIPTION = """\
{about}

subcommands:
{subcommands}

examples:
  tla ascend show AtlasA2
  tla ascend check AtlasA2 half 4096,4096,4096 --l1 128,256,256 --l0 128,256,64
  tla ascend schedule 4096,4096,4096 --tile 128,256,256 --swizzle 'GemmIdentityBlockSwizzle<3,0>'
  tla ascend search AtlasA2 half 1024,576,6144 --top 5
  tla ascend copy gm-l1 'RowMajor<half>(100,100)' --tile 32,48 --at 96,96
"""


def run(arguments: list[str]) -> int:
    """Run a subcommand and return its exit code."""
    if arguments and arguments[0] in SUBCOMMANDS:
        code = import_module(f".ascend_{arguments[0]}", __package__).run(arguments[1:])
        return int(code)
    lines = "\n".join(f"  {name:10} {text}" for name, text in SUBCOMMANDS.items())
    parser = argparse.ArgumentParser(
        prog="tla ascend",
        description=_DESCRIPTION.format(about=COMMANDS["ascend"], subcommands=lines),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="tla ascend [-h] SUBCOMMAND ...",
    )
    parser.add_argument("command", metavar="SUBCOMMAND", choices=SUBCOMMANDS, help=argparse.SUPPRESS)
    if not arguments:
        parser.print_help()
        return 2
    parser.parse_args(arguments[:1])
    raise AssertionError("a known subcommand is dispatched above")
