"""The parsers of command lines."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any, Final

from ..errors import KindError
from ..ground import LIMITS, did_you_mean, limits, near_words, say, shortened
from .commands import COMMANDS
from .messages import complain

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Parser(argparse.ArgumentParser):
    """A parser that writes as the commands do; its errors suggest words that may be meant."""

    def __init__(self, prog: str, description: str, epilog: str = "", usage: str | None = None) -> None:
        form = argparse.RawDescriptionHelpFormatter
        super().__init__(prog, usage, description, epilog, formatter_class=form)
        self.color = False  # the help of Python 3.14 has escape codes of its own

    def _print_message(self, message: str, file: Any = None) -> None:
        lines = message.removesuffix("\n")
        if file is sys.stdout:
            say(*lines.split("\n"))
        else:
            complain(lines)

    def parse_args(  # type: ignore[override]  # commands need no namespace of their own
        self, args: Iterable[str] | None = None, namespace: None = None
    ) -> argparse.Namespace:
        """Return the options of a command line.

        Raises:
            ParserAsked: the command line is `ASK`.
        """
        if args == ASK:
            raise ParserAsked(self)
        options, others = self.parse_known_args(args, namespace)
        if others:
            known = [name for action in self._actions for name in action.option_strings]
            near = [near for word in others for near in near_words(word.partition("=")[0], known)]
            hint = f". {did_you_mean(dict.fromkeys(near), [])}" if near else ""
            self.error(f"unrecognized arguments: {' '.join(others)}{hint}")
        return options

    def choose(self, words: list[str], what: str, known: Sequence[str]) -> int:
        """Show the help for no word, and obey an option; any other word is an error."""
        if not words:
            self.print_help()
            return 2
        if words[0].startswith("-"):
            self.parse_args(words[:1])
        near = near_words(words[0].lower(), known)
        self.error(f"there is no {what} {shortened(words[0])!r}. {did_you_mean(near, known)}")


ASK: Final = ["?"]
"""The command line that asks a command for its parser; no command has the argument ``?``."""


class ParserAsked(Exception):  # noqa: N818 - no error, but the answer to a question
    """The parser of a command."""

    def __init__(self, parser: Parser) -> None:
        super().__init__()
        self.parser = parser


def argument_parser(name: str, epilog: str, about: str = "") -> Parser:
    """Return the parser of a command or subcommand, with its description."""
    parser = Parser(f"tla {name}", about or COMMANDS[name], epilog)
    parser.add_argument(
        "--color",
        "--colour",
        dest="colour",
        metavar="WHEN",
        choices=("auto", "always", "never"),
        default="auto",
        help="colour figures of text: always, never, or auto, on a terminal (default)",
    )
    parser.add_argument(
        "--limit",
        action=_SetLimit,
        metavar="NAME=N",
        default=argparse.SUPPRESS,
        help="raise a limit, as cells=10000000; may be repeated; docs/limits.md lists the names",
    )
    return parser


class _SetLimit(argparse.Action):
    """Set a limit until the command ends."""

    def __call__(
        self, parser: argparse.ArgumentParser, _to: object, text: Any, _name: object = None
    ) -> None:
        name, sign, number = text.partition("=")
        if not sign or not number.isdigit() or not number.isascii():
            parser.error(f"--limit takes NAME=N, as cells=10000000, not {shortened(text)!r}")
        try:
            limits(**{name: int(number)}).set()
        except KindError as error:
            table = "\n".join(f"  {name:12} {n:>11}  {what}" for name, (n, what) in LIMITS.items())
            parser.error(f"{error}\nthe limits, their defaults, and what they count:\n{table}")
