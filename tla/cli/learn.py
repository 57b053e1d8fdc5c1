# SPDX-License-Identifier: Apache-2.0
"""``tla learn``: a course in layouts, whose exercises are checked."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, Final, cast

from ..ground import plural, say
from ..learn import LEVELS, TOPICS, Exercise, exercise, exercises, grade, sheet
from .common import InputError, file_argument, name_of, positive, read_file, text_argument
from .parser import argument_parser
from .pictures import add_formats, is_asked_for, refuse_formats, write_figure
from .saving import save

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable

    from .parser import Parser

_EPILOG = """\
actions:
  list            the topics, and what is solved of each; the default
  start TOPIC     begin or go on with a topic; 'show' is the same, and without a topic the exercise again
  check ANSWER    judge an answer to the exercise: exit code 0 if it is right, 1 if not
  hint [ANSWER]   a hint for the last answer, or for this one; each says more, and none the answer
  next            the next exercise of the topic
  sheet TOPIC...  exercises as a picture, to hand out: -n of each topic
  grade FILE      judge the answers of a file, {"topic/level/seed/number": "answer", ...}, as JSON

examples:
  tla learn
  tla learn start composition
  tla learn check '(2,2):(6,1)'
  tla learn hint
  tla learn sheet strides coalesce -n 3 --seed 7 --level 2 -o sheet.html
  tla learn sheet strides coalesce -n 3 --seed 7 --level 2 --answers -o answers.tex
  tla learn grade answers.json
  tla learn check '4, 10, 5' --exercise function/1/1/1

An answer is values, '4, 10, 5', or a layout in any notation, or an expression over layouts. A layout is
judged as a function, not by its spelling. What you have solved is kept in one file: --progress FILE, or
the variable TLA_PROGRESS, or tla/learn.json in your folder of state.
"""

_HINTS: Final = 3


def run(arguments: list[str]) -> int:
    parser = _parser()
    options = parser.parse_args(arguments)
    actions: dict[str, Callable[[Parser, argparse.Namespace], int]] = {
        "list": _list,
        "start": _start,
        "show": _start,
        "check": _check,
        "hint": _hint,
        "next": _next,
        "sheet": _sheet,
        "grade": _grade,
    }
    if options.action not in actions:
        parser.choose([options.action], "action", [*actions])
    if options.action not in ("sheet", "start", "show", "next"):
        refuse_formats(parser, options, (), "")
        if is_asked_for(options):
            parser.error(f"'{options.action}' has no picture; 'show' and 'sheet' have")
    return actions[options.action](parser, options)


class _Progress:
    """What is solved, in one file of JSON."""

    def __init__(self, path: str | None) -> None:
        state = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
        default = os.path.join(state, "tla", "learn.json")
        self.path = path or os.environ.get("TLA_PROGRESS") or default
        self.is_own = self.path == default
        try:
            text = read_file(self.path) if os.path.exists(self.path) else ""
            read: Any = json.loads(text) if text else {}
        except ValueError:
            read = None
        found: dict[str, Any] = (
            cast("dict[str, Any]", read) if isinstance(read, dict) else {"solved": None}
        )
        solved: list[Any] = found.get("solved", [])
        if not isinstance(solved, list):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InputError(
                f"{name_of(self.path)} holds no progress of 'tla learn'",
                "Remove it to begin again, or name another file: --progress FILE.",
                path=self.path,
            )
        self.solved: list[str] = list(map(str, solved))
        self.current = str(found.get("current", ""))
        self.answer = str(found.get("answer", ""))
        self.hints = int(found.get("hints", 0)) if isinstance(found.get("hints", 0), int) else 0

    def go_to(self, one: Exercise) -> None:
        """Make an exercise the current one."""
        if one.name != self.current:
            self.current, self.answer, self.hints = one.name, "", 0
        self.keep()

    def keep(self) -> None:
        """Write the file."""
        if self.is_own:
            try:
                os.makedirs(os.path.dirname(self.path), exist_ok=True)
            except OSError as error:
                raise InputError.cannot("write", self.path, error) from None
        names = ("current", "answer", "hints", "solved")
        save(self.path, json.dumps({name: getattr(self, name) for name in names}, indent=1))


def _list(_parser: Parser, options: argparse.Namespace) -> int:
    progress = _Progress(options.progress)
    solved = [name.split("/")[0] for name in progress.solved]
    if options.json:
        topics = {
            name: {"title": topic.title, "solved": solved.count(name)} for name, topic in TOPICS.items()
        }
        say(json.dumps({"current": progress.current, "topics": topics}))
        return 0
    for name, topic in TOPICS.items():
        count = solved.count(name)
        say(f"{name:12} {topic.title}{f': {count} solved' if count else ''}")
    say("", "'tla learn start TOPIC' begins; 'tla learn check ANSWER' judges; 'tla learn hint' helps.")
    return 0


def _start(parser: Parser, options: argparse.Namespace) -> int:
    if options.exercise:
        return _show(exercise(options.exercise), options)
    progress = _Progress(options.progress)
    if not options.words:
        return _show(_current(parser, progress), options)
    topic = _one_word(parser, options, "TOPIC")
    return _show_next(topic, options.level or 1, options.seed or 1, progress, options)


def _next(parser: Parser, options: argparse.Namespace) -> int:
    progress = _Progress(options.progress)
    now = _current(parser, progress)
    level, seed = options.level or now.level, options.seed or now.seed
    follows = now.number if (level, seed) == (now.level, now.seed) else 0
    return _show_next(now.topic, level, seed, progress, options, follows)


def _show_next(
    topic: str, level: int, seed: int, progress: _Progress, options: argparse.Namespace, follows: int = 0
) -> int:
    """Show the first exercise after a number that is not solved."""
    number = follows + 1
    while f"{topic}/{level}/{seed}/{number}" in progress.solved:
        number += 1
    one = exercise(f"{topic}/{level}/{seed}/{number}")
    progress.go_to(one)
    return _show(one, options)


def _show(one: Exercise, options: argparse.Namespace) -> int:
    from ..show import write

    if options.json:
        say(json.dumps({"exercise": one.name, "task": one.task}))
        return 0
    if is_asked_for(options):
        write_figure(one.figure(), options)
        return 0
    topic = TOPICS[one.topic]
    say(f"{one.name}: {topic.title}, page {topic.page} of the tutorial", "", one.task)
    for picture in one.question.pictures:
        say("")
        write(picture, options.colour)
    say("", f"'tla learn check' judges an answer, written as '{one.form}'; 'tla learn hint' helps.")
    return 0


def _check(parser: Parser, options: argparse.Namespace) -> int:
    if not options.words:
        _one_word(parser, options, "ANSWER")
    answer = text_argument(" ".join(options.words))  # '4, 10, 5' without quotes is three words
    if options.exercise:
        one = exercise(options.exercise)
        verdict = one.check(answer)
    else:
        progress = _Progress(options.progress)
        one = _current(parser, progress)
        verdict = one.check(answer)
        progress.answer = answer
        progress.solved += [one.name] if verdict.passed and one.name not in progress.solved else []
        progress.keep()
    if options.json:
        say(json.dumps({"exercise": one.name, "state": verdict.state, "text": verdict.text}))
    else:
        say(*verdict.text.split("\n"))
        say("'tla learn next' goes on." if verdict.passed else "'tla learn hint' helps.")
    return 0 if verdict.passed else 1


def _hint(parser: Parser, options: argparse.Namespace) -> int:
    answer = text_argument(" ".join(options.words))
    if options.exercise:
        return _say_hints(exercise(options.exercise), answer, range(1, _HINTS + 1))
    progress = _Progress(options.progress)
    one = _current(parser, progress)
    if answer and answer != progress.answer:
        progress.answer, progress.hints = answer, 0
    progress.hints = min(progress.hints + 1, _HINTS)
    progress.keep()
    return _say_hints(one, progress.answer, (progress.hints,))


def _say_hints(one: Exercise, answer: str, numbers: Iterable[int]) -> int:
    for number in numbers:
        say(*f"hint {number} of {_HINTS}: {one.hint(answer, number)}".split("\n"))
    return 0


def _sheet(parser: Parser, options: argparse.Namespace) -> int:
    if not options.words:
        parser.error(f"a sheet takes topics: {', '.join(TOPICS)}")
    level, seed = options.level or 1, options.seed or 1
    chosen = [one for topic in options.words for one in exercises(topic, seed, options.count, level)]
    if options.json:
        shown = [{"exercise": one.name, "task": one.task} for one in chosen]
        if options.answers:
            shown = [{**row, "answer": one.reference} for row, one in zip(shown, chosen, strict=True)]
        say(json.dumps(shown))
        return 0
    write_figure(sheet(chosen, options.answers), options)
    return 0


def _grade(parser: Parser, options: argparse.Namespace) -> int:
    path = _one_word(parser, options, "FILE")
    try:
        read: Any = json.loads(read_file(path))
    except ValueError as error:
        raise InputError(f"{name_of(path)} is no JSON: {error}", path=path) from None
    answers: dict[str, Any] = cast("dict[str, Any]", read) if isinstance(read, dict) else {"": read}
    if not all(name and isinstance(answer, str) for name, answer in answers.items()):
        raise InputError(
            f"{name_of(path)} holds no answers: they are texts by the name of their exercise",
            'For example {"function/1/1/1": "4, 10, 5"}.',
            path=path,
        )
    say(grade(answers))
    return 0


def _current(parser: Parser, progress: _Progress) -> Exercise:
    """The exercise that was shown last."""
    if not progress.current:
        parser.error(f"no exercise is begun: 'tla learn start {next(iter(TOPICS))}' begins the first")
    return exercise(progress.current)


def _one_word(parser: Parser, options: argparse.Namespace, what: str) -> str:
    if len(options.words) != 1:
        got = plural(len(options.words), "argument") if options.words else "none"
        parser.error(f"'{options.action}' takes one argument, {what}; it got {got}")
    return str(options.words[0])


def _parser() -> Parser:
    parser = argument_parser("learn", _EPILOG)
    parser.add_argument(
        "action", metavar="ACTION", nargs="?", default="list", help="what to do: see below"
    )
    parser.add_argument("words", metavar="WORD", nargs="*", help="a topic, an answer or a file")
    parser.add_argument(
        "--level", type=int, choices=LEVELS, help="how hard the exercises are (default 1)"
    )
    parser.add_argument("--seed", type=positive, metavar="N", help="which exercises (default 1)")
    parser.add_argument(
        "--exercise", metavar="NAME", help="an exercise by its name; then no file keeps what you do"
    )
    parser.add_argument(
        "-n",
        "--count",
        type=positive,
        default=3,
        metavar="N",
        help="exercises of each topic of a sheet (default 3)",
    )
    parser.add_argument("--answers", action="store_true", help="print the sheet with its answers")
    parser.add_argument(
        "--progress", type=file_argument, metavar="FILE", help="the file that keeps what is solved"
    )
    add_formats(parser, json="print JSON")
    return parser
