# SPDX-License-Identifier: Apache-2.0
"""The error family: what was asked, the offending part, the condition, one way out.

Every error of the library is a `TlaError` and, where one fits, the builtin a reader would expect.
``error.summary`` is the one line that names the fault; ``str(error)`` adds the details below it.
The data of the fault (a coordinate, a mode, two sizes) are attributes of the error.

>>> try:
...     raise CoordinateError("coordinate 4 is out of range", "The shape is (4,8).", coord=4)
... except TlaError as error:
...     print(error.summary, error.coord)
coordinate 4 is out of range 4
"""

from __future__ import annotations

from contextvars import copy_context
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

__all__ = [
    "ArgumentError",
    "BindingError",
    "CapacityError",
    "CongruenceError",
    "ContradictionError",
    "CoordinateError",
    "DivisibilityError",
    "KindError",
    "LayoutError",
    "LeafError",
    "LimitError",
    "NotALayoutError",
    "OverlapError",
    "ParseError",
    "StaticIntError",
    "TlaError",
    "UndecidedError",
    "UnsupportedError",
    "ZeroDivisorError",
]


_PLAIN_ARGS: Any = vars(BaseException)["args"]


class TlaError(Exception):
    """Base of all errors of the library.

    Args:
        summary: One line, without a full stop, that names the fault.
        details: Sentences below it: the numbers, the condition, one way out.
        data: The same facts as attributes of the error.
    """

    __slots__ = ("_hint",)
    summary: str
    _hint: Callable[[], str] | None

    def __init__(self, summary: str, *details: str, **data: object) -> None:
        super().__init__(summary, *details)
        self.summary = summary
        self._hint = None
        self.__dict__.update(data)

    def with_hint(self, hint: Callable[[], str]) -> Self:
        """Return the error; ``hint`` makes its last detail, or an empty text, when somebody reads it.
        A second hint comes behind the first.

        It is for a way out that takes a search, since many errors are caught and never read. It runs
        under the assumptions of now.
        """
        if not callable(hint):  # pyright: ignore[reportUnnecessaryComparison]
            raise KindError(f"a hint is a function, not a {type(hint).__name__}")
        before = self._hint
        run: Callable[[], str] = partial(copy_context().run, hint)
        self._hint = run if before is None else lambda: "\n  ".join(filter(None, (before(), run())))
        return self

    def _complete(self) -> None:
        """Work out the hint; the arguments of the error then have it."""
        hint, self._hint = self._hint, None
        text = hint() if hint is not None else ""
        if text:
            _PLAIN_ARGS.__set__(self, (*self.args, text))

    def _with_hint(self) -> tuple[Any, ...]:
        """The arguments, with the hint."""
        if self._hint is not None:
            self._complete()
        args: tuple[Any, ...] = _PLAIN_ARGS.__get__(self)
        return args

    def __repr__(self) -> str:
        self._complete()
        return super().__repr__()

    def _render_traceback_(self) -> list[str]:
        """The lines that IPython shows of the error, without the frames of the library."""
        lines: list[str] = import_module(f"{__package__}.ground.display").traceback_of(self)
        return lines

    def __reduce__(self) -> str | tuple[Any, ...]:  # for pickle and copy
        self._complete()
        return super().__reduce__()

    @property
    def details(self) -> tuple[str, ...]:
        """The sentences below the summary."""
        return self.args[1:]

    @property
    def data(self) -> dict[str, Any]:
        """The facts that are attributes."""
        return {name: value for name, value in vars(self).items() if name != "summary"}

    def __str__(self) -> str:
        return "\n  ".join([self.summary, *self.details])

    if TYPE_CHECKING:  # the data of an error are attributes; each raiser documents its own

        def __getattr__(self, name: str) -> object: ...


# Checkers know what the arguments of an exception are: this only adds the hint.
setattr(TlaError, "args", property(vars(TlaError)["_with_hint"], _PLAIN_ARGS.__set__))  # noqa: B010


class LeafError(TlaError, TypeError):
    """A leaf is not an int: a bool, a float, a list, a string, `None`."""


class StaticIntError(LeafError):
    """A static int was requested from a value that is not an int."""


class KindError(TlaError, TypeError):
    """An argument is of a kind that the function does not take."""


class ArgumentError(TlaError, ValueError):
    """An argument is of the right kind, and has a value that the function does not take."""


class ZeroDivisorError(TlaError, ZeroDivisionError):
    """A number is divided by 0."""


class NotALayoutError(TlaError, TypeError):
    """An argument that must be a layout is none."""


class LayoutError(TlaError, ValueError):
    """A shape, stride or layout breaks a rule of layouts."""


class CongruenceError(LayoutError):
    """Two tuples that must have the same profile have different ones."""


class DivisibilityError(LayoutError):
    """A size or stride does not divide another that it must divide."""


class OverlapError(LayoutError):
    """Two modes reach the same offset where each offset must be reached once."""


class CapacityError(LayoutError):
    """A layout does not fit into the room that is left in its memory."""


class CoordinateError(TlaError, IndexError):
    """A coordinate lies outside its shape, or does not have its profile."""


class UnsupportedError(TlaError):
    """A well-formed request has no answer of the requested kind; the text says why."""


class UndecidedError(TlaError):
    """The answer depends on a symbolic int, and the text names the obligation. Or a search used up its
    steps, and the text names the modes that were too hard."""


class LimitError(UndecidedError):
    """A request is beyond a limit of `tla.limits`; the text names the limit and what raises it.

    Attributes:
        limit: The name of the limit.
        most: What it is.
    """

    limit: str
    most: int


class ContradictionError(TlaError, ValueError):
    """Conditions that cannot hold together are assumed; the text names them."""


class BindingError(TlaError, ValueError):
    """A symbol has no value, or a value that breaks its declaration or an assumption."""


class ParseError(TlaError, ValueError):
    """A text does not follow its notation. Prints the line and a caret below the fault.

    Attributes:
        text: The whole text.
        start, end: The span of the fault, as indices into the text.
        line, column: The place of ``start``, both counted from 1.
    """

    args: tuple[Any, ...]
    text: str
    start: int
    end: int

    def __init__(
        self, summary: str, text: str, start: int, end: int | None = None, *details: str
    ) -> None:
        is_span = isinstance(start, int) and isinstance(end, int | None)  # pyright: ignore[reportUnnecessaryIsInstance]
        if not is_span:
            raise KindError("a ParseError takes the start and the end of a span as ints")
        super().__init__(summary, *details, text=text, start=start)
        self.end = start + 1 if end is None or end < start else end
        self.args = (summary, text, start, self.end, *details)

    @property
    def details(self) -> tuple[str, ...]:
        return self.args[4:]

    def named(self, name: str) -> ParseError:
        """Return the same error with the name of the source before its summary."""
        if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise KindError(f"the name of a source is a text, not a {type(name).__name__}")
        return ParseError(f"{name}: {self.summary}", self.text, self.start, self.end, *self.details)

    @property
    def line(self) -> int:
        return self.text.count("\n", 0, self.start) + 1

    @property
    def column(self) -> int:
        return self.start - (self.text.rfind("\n", 0, self.start) + 1) + 1

    def __str__(self) -> str:
        begin = self.start - (self.column - 1)
        stop = self.text.find("\n", begin)
        shown = self.text[begin : stop if stop >= 0 else len(self.text)]
        first, width = self.column - 1, max(1, self.end - self.start)
        if len(shown) > _SHOWN:  # only a window of a long line, so that the caret stays in view
            cut = min(max(0, first - _SHOWN // 2), len(shown) - _SHOWN)
            shown, first = shown[cut : cut + _SHOWN], first - cut
        # a caret under every character of the span that is on view; at least one, also past the end
        width = max(1, min(width, len(shown) - first))
        # every control character would move the caret: each is shown as one blank
        visible = "".join(c if c.isprintable() else " " for c in shown)
        where = f"line {self.line}, column {self.column}"
        lines = [
            self.summary,
            *self.args[4:],
            where,
            f"  {visible}",
            f"  {' ' * first}{'^' * width}",
        ]
        return "\n  ".join(lines)


_SHOWN = 100
