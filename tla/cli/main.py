# SPDX-License-Identifier: Apache-2.0
"""The command line: ``tla COMMAND ...``. A subcommand's module is imported when it is asked for.

Exit codes: 0 done, 1 the input is wrong or the output cannot be written, 2 the command line is wrong,
130 interrupted.

What a command needs is imported where an interrupt is heard: inside the functions.
"""

from __future__ import annotations

import signal
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .parser import Parser


_DESCRIPTION = """\
Layouts: functions from coordinates to memory offsets, in the notations of TLA, CuTe and XLA.

commands:
{commands}

examples:
  tla convert 'bf16[8,1,1280,16384]{{3,2,0,1:T(8,128)(2,1)}}'
  tla convert '((4,2),(4,3)):((4,16),(1,32))' --dtype bf16
  tla show '((4,2),(4,3)):((4,16),(1,32))'
  tla show '((4,2),(4,3)):((4,16),(1,32))' -o picture.svg
  tla hlo module.hlo
  tla index 'b = f32[10,20,30] broadcast(f32[20] x), dimensions={{1}}'
  tla where 'f32[3,5]{{1,0:T(2,2)}}' 2,3
  tla compose '(6,2):(8,2)' '(4,3):(3,1)' --steps
  tla cpp --emit type '((_16,2),(_16,3)):((_16,_256),(_1,512))'
  tla eval 'zipped_divide((8,6):(1,8), (4,3))'
  tla ascend check 910B3 half 1024,576,6144

Quote a layout: shells read brackets, braces and parentheses. 'tla help COMMAND' tells more.
"""


_FIRST: Final = """\
Layouts: functions from coordinates to memory offsets, in the notations of TLA, CuTe and XLA.

Three things to try:

  # a layout, drawn
  tla show '((4,2),(4,3)):((4,16),(1,32))'
  # an XLA shape, with what its tiles and padding cost
  tla convert 'bf16[8,1,1280,16384]{3,2,0,1:T(8,128)(2,1)}'
  # the tiles of a matmul on an Ascend core, checked
  tla ascend check 910B3 half 1024,576,6144

'tla learn' is the course, and 'tla help' lists the commands.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    The process of the command ends at an interrupt without a word while nothing runs that must end well:
    `tla` sets that when its import begins, and here it is so again at the end.
    """
    before = signal.getsignal(signal.SIGINT)
    try:
        if before is signal.SIG_DFL:
            _on_interrupt(signal.default_int_handler)
        return _run(list(sys.argv[1:] if arguments is None else arguments))
    except KeyboardInterrupt as interrupt:
        _on_interrupt(before)  # a second interrupt needs no message
        from .messages import complain

        complain("\n  ".join(["tla: interrupted", *getattr(interrupt, "__notes__", [])]))
        return 130
    finally:
        _on_interrupt(before)


def _on_interrupt(action: Any) -> None:
    with suppress(ValueError, TypeError):  # a thread sets no handler; one of C is no value here
        signal.signal(signal.SIGINT, action)


def _run(arguments: list[str]) -> int:
    """Run a command; an error of the library or of the output is a message."""
    from ..errors import TlaError
    from ..ground import limits
    from .messages import complain, discard_output

    digits = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)  # sizes are exact, however long
    try:
        try:
            with limits():  # --limit sets them
                code = _dispatch(arguments)
        except SystemExit as end:  # argparse has said what there was to say
            code = end.code if isinstance(end.code, int) else 2
        except TlaError as error:
            complain("\n  ".join([f"tla: error: {error}", *getattr(error, "__notes__", [])]))
            code = 1
        except MemoryError:
            complain("tla: error: the memory is not enough; a lower --limit refuses before it is full")
            code = 1
        if sys.stdout is not None:  # pyright: ignore[reportUnnecessaryComparison]
            sys.stdout.flush()
    except BrokenPipeError:  # the reader has left, content
        discard_output()
        return 0
    except OSError as error:
        discard_output()
        complain(f"tla: error: cannot write: {error.strerror or error}")
        return 2 if arguments[:1] == ["diff"] else 1  # there 1 is an answer
    finally:
        sys.set_int_max_str_digits(digits)
    return code


def _dispatch(argv: list[str]) -> int:
    from .. import __version__, cli
    from ..ground import say
    from .commands import COMMANDS
    from .parser import Parser, command_first

    argv = command_first(argv)
    if not argv:
        say(*_FIRST.splitlines())
        return 2
    if argv[:1] == ["help"]:  # `tla help ascend copy` is `tla ascend copy --help`
        argv = [*command_first(argv[argv[1:2] == ["help"] :][1:]), "--help"]
    if argv[:1] == ["completion"]:
        return cli.completion.run(argv[1:], _parser_of)
    if argv and argv[0] in COMMANDS:
        return int(getattr(cli, argv[0]).run(argv[1:]))
    commands = "\n".join(f"  {name:10} {text}" for name, text in COMMANDS.items())
    description = _DESCRIPTION.format(commands=commands)
    parser = Parser("tla", description, usage="tla [-h] [--version] COMMAND ...")
    parser.add_argument("--version", action="version", version=f"tla {__version__}")
    return parser.choose(argv, "command", [*COMMANDS, "help"])


def _parser_of(words: list[str]) -> Parser:
    """The parser of a command or subcommand."""
    from .parser import ASK, ParserAsked

    try:
        _dispatch([*words, *ASK])
    except ParserAsked as answer:
        return answer.parser
    raise AssertionError(f"no parser reads the arguments of {words}")
