# SPDX-License-Identifier: Apache-2.0
"""The parsers of command lines."""

from __future__ import annotations

import argparse
import os
import re
import sys
from typing import TYPE_CHECKING, Any, Final, NoReturn

from ..errors import KindError
from ..ground import LIMITS, did_you_mean, limits, near_words, plural, say, shortened, terminal_width
from .commands import COMMANDS
from .messages import complain

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Parser(argparse.ArgumentParser):
    """A parser that writes as the commands do; its errors suggest words that may be meant."""

    def __init__(self, prog: str, description: str, epilog: str = "", usage: str | None = None) -> None:
        super().__init__(prog, usage, description, epilog, formatter_class=_help_formatter)
        self.color = False  # the help of Python 3.14 has escape codes of its own
        # so that -1,512,1024 is no option: its reader says what is wrong
        self._negative_number_matcher = re.compile(r"-[\d_(]")

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
        words = [*(args or ())]
        if any(isinstance(word, _Question) for word in words):
            raise ParserAsked(self)
        self._expect_quotes(words)
        options, others = self.parse_known_args(words, namespace)
        for word in others:
            if word.startswith("-") and word != "-":
                self._refuse_option(word.partition("=")[0])
        if others:
            places = [action for action in self._actions if not action.option_strings]
            names = " and ".join(str(action.metavar) for action in places)
            words = [str(getattr(options, action.dest)).strip() for action in places] + others
            words = [shortened(word) for word in words]
            takes = f"{plural(len(places), 'argument')}, {names}"
            self.error(f"this command takes {takes}; it got {len(words)}: {' and '.join(words)}")
        return options

    def _refuse_option(self, word: str) -> NoReturn:
        """Refuse an option that is not known; suggest those of a near name, or of that matter."""
        bare = word.lstrip("-")
        known = {name.lstrip("-"): name for action in self._actions for name in action.option_strings}
        near = [known[name] for name in near_words(bare, known)] or [
            action.option_strings[-1]
            for action in self._actions
            if action.option_strings and len(bare) > 3 and bare in (action.help or "").split()
        ]
        hint = did_you_mean(near, []) if near else f"'{self.prog} --help' lists the options."
        self.error(f"there is no option {word}. {hint}")

    def _expect_quotes(self, words: list[str]) -> None:
        """Refuse what a shell makes of a shape without quotes: of ``f32[3,5]{1,0}`` two words."""
        if len(words) < 2:
            return
        expanded = [match for word in words if (match := re.fullmatch(_EXPANDED, word, re.I))]
        order = [match[2] for match in expanded if match[1] == expanded[0][1]]
        if len(order) > 1:
            whole = f"{expanded[0][1]}{{{','.join(order)}}}"
            self.error(f"the shell has read the braces of {whole}: quote it, '{whole}'")

    def error(self, message: str) -> NoReturn:
        """End with a message; of arguments that are missing it says what the first one is."""
        start, _, names = message.partition("required: ")
        for action in self._actions if start == "the following arguments are " else ():
            if action.help and not action.option_strings and action.metavar == names.partition(", ")[0]:
                message += f". {action.metavar} is {action.help.replace('%%', '%')}"
        super().error(message)

    def choose(self, words: list[str], what: str, known: Sequence[str]) -> int:
        """Show the help for no word, and obey an option; any other word is an error."""
        if not words:
            self.print_help()
            return 2
        if words[0].startswith("-"):
            self.parse_args(words[:1])
        word = words[0].lower()
        near = near_words(word, [name for name in known if name[0] == word[:1]])
        self.error(f"there is no {what} {shortened(words[0])!r}. {did_you_mean(near, known)}")


class _Help(argparse.RawDescriptionHelpFormatter):
    """Descriptions with their lines; on a terminal paragraphs are as wide as that."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if terminal_width() is not None:
            from textwrap import fill

            paragraphs = re.sub(r"^(\S.*)\n(?=\S)", r"\1 ", text, flags=re.M).split("\n")
            text = "\n".join(
                fill(p, width, break_on_hyphens=False) if p[:1].strip() else p for p in paragraphs
            )
        return super()._fill_text(text, width, indent)


def _help_formatter(prog: str) -> argparse.HelpFormatter:
    """Help as wide as a terminal; elsewhere without `shutil`, which takes long to load."""
    is_fitted = "COLUMNS" in os.environ or terminal_width() is not None
    return _Help(prog, width=None if is_fitted else 78)


def command_first(words: list[str]) -> list[str]:
    """Return the words with the options of every command, as ``--color never``, behind the command.

    >>> command_first(["--color", "never", "show", "2:1"]), command_first(["--limit=cells=9"])
    (['show', '--color', 'never', '2:1'], [])
    """
    start = 0
    while words[start:] and words[start].partition("=")[0] in ("--color", "--colour", "--limit"):
        start += 1 if "=" in words[start] else 2
    if not words[start:] or words[start].startswith("-"):
        return words[start:]
    return [words[start], *words[:start], *words[start + 1 :]]


_EXPANDED: Final = r"([a-z]\w*\[[\d,<=?]*\])(\d+)"
"""A word that a shell made of ``f32[3,5]{1,0}``."""


class _Question(str):
    """A word that no command line has: `Parser.parse_args` knows it by its type."""

    __slots__ = ()


ASK: Final = [_Question("?")]
"""The command line that asks a command for its parser."""


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
        type=_set_limit,
        metavar="NAME=N",
        default=argparse.SUPPRESS,
        help="raise a limit, as cells=10000000; may be repeated; docs/limits.md lists the names",
    )
    return parser


def _set_limit(text: str) -> str:
    """Set a limit, given as ``cells=10000000``, until the command ends."""
    name, sign, number = text.partition("=")
    if not sign or not number.isdigit() or not number.isascii():
        raise argparse.ArgumentTypeError(f"takes NAME=N, as cells=10000000, not {shortened(text)!r}")
    try:
        limits(**{name: int(number)}).set()
    except KindError as error:
        table = "\n".join(f"  {known:12} {n:>11}  {what}" for known, (n, what) in LIMITS.items())
        about = "the limits, their defaults, and what they count:"
        raise argparse.ArgumentTypeError(f"{error}\n{about}\n{table}") from None
    return text
