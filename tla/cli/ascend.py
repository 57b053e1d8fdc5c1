# SPDX-License-Identifier: Apache-2.0
"""``tla ascend``: architectures, and copies, plans, schedules, tiles and kernels on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .commands import COMMANDS, SUBCOMMANDS
from .parser import Parser, command_first

if TYPE_CHECKING:
    from collections.abc import Callable


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
  tla ascend run trace.jsonl.gz
"""


def run(arguments: list[str]) -> int:
    """Run a subcommand and return its exit code."""
    arguments = command_first(arguments)
    if arguments and arguments[0] in SUBCOMMANDS:
        return _command(arguments[0])(arguments[1:])
    lines = "\n".join(f"  {name:10} {text}" for name, text in SUBCOMMANDS.items())
    description = _DESCRIPTION.format(about=COMMANDS["ascend"], subcommands=lines)
    parser = Parser("tla ascend", description, usage="tla ascend [-h] SUBCOMMAND ...")
    return parser.choose(arguments, "subcommand", [*SUBCOMMANDS])


def _command(name: str) -> Callable[[list[str]], int]:
    """The function that runs a subcommand; the other subcommands are not loaded."""
    if name == "show":
        from .ascend_show import run as command
    elif name == "check":
        from .ascend_check import run as command
    elif name == "emit":
        from .ascend_emit import run as command
    elif name == "schedule":
        from .ascend_schedule import run as command
    elif name == "search":
        from .ascend_search import run as command
    elif name == "record":
        from .ascend_record import run as command
    elif name == "copy":
        from .ascend_copy import run as command
    elif name == "translate":
        from .ascend_translate import run as command
    elif name == "run":
        from .ascend_run import run as command
    else:
        raise AssertionError(f"no module for the subcommand {name}")
    return command
