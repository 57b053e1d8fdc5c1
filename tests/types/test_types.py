"""Files that mypy reads with the plugin and Python runs, and on which the two must agree line by line.

An ``ok_*.py`` file has no error, and each ``assert_type`` in it holds of the type and of the value. In
an ``err_*.py`` file each marked line is an error, and no other line is:

- ``# E: summary``: mypy says so, with the code ``tla``, and the line, run, raises an error with this
  summary. Where it says ``int`` the run has a number.
- ``# E[code]: text``: mypy alone says so; three dots at the end stand for the rest of its text.
- ``# N: note``: mypy notes so, in either kind of file.

A function whose parameters all have defaults is run on these, line by line; another one is just defined.
"""

from __future__ import annotations

import ast
import contextlib
import inspect
import io
import re
import sys
import typing
from pathlib import Path
from types import ModuleType, UnionType
from typing import TYPE_CHECKING, Any, Final, Literal, Union, get_args, get_origin
from unittest import mock

import pytest

from tla import Int, TlaError
from tla.ground.constexpr import types_of

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping, Sequence

pytest.importorskip("mypy")
from mypy_runs import Message, said

HERE: Final = Path(__file__).parent
FILES: Final = sorted((*HERE.glob("ok_*.py"), *HERE.glob("err_*.py")))


# --- what is expected, what mypy says, what the run raises -----------------------------------------

_MARK: Final = re.compile(r"# (?:(N)|E(?:\[([\w-]+)\])?): ")


def expected(text: str) -> list[Message]:
    """Return the messages that are marked in a file."""
    found: list[Message] = []
    for number, line in enumerate(text.splitlines(), 1):
        marks = list(_MARK.finditer(line))
        ends = [*(mark.start() for mark in marks[1:]), len(line)]
        for mark, end in zip(marks, ends, strict=False):
            kind = "note" if mark[1] else mark[2] or "tla"
            found.append(Message(number, kind, line[mark.end() : end].strip()))
    return found


def differences(marked: Sequence[Message], reported: Sequence[Message]) -> list[str]:
    """Return where marks and messages differ; a note need not be marked."""
    left = list(reported)
    faults = []
    for mark in marked:
        found = next((message for message in left if _is_marked(message, mark)), None)
        if found is None:
            faults.append(f"line {mark.line}: mypy does not say {mark.kind!r}: {mark.text}")
        else:
            left.remove(found)
    faults += [f"line {m.line}: mypy says {m.kind!r}: {m.text}" for m in left if m.kind != "note"]
    return faults


def _is_marked(message: Message, mark: Message) -> bool:
    """Whether a message is the one that a mark stands for."""
    if mark.kind not in ("note", "tla") and mark.text.endswith("..."):
        return message[:2] == mark[:2] and message.text.startswith(mark.text.removesuffix("..."))
    return message == mark


def ran(path: Path) -> list[str]:
    """Run a file line by line; return where it does not raise what is marked, or a type does not fit."""
    source = path.read_text()
    marks: dict[int, list[str]] = {}
    for line, kind, text in expected(source):
        if kind != "note":
            marks.setdefault(line, []).append(text if kind == "tla" else "")
    faults: list[str] = []
    module = _module(path)

    def asserted(value: Any, kind: Any) -> Any:
        line = inspect.stack()[1].lineno
        if not fits(value, kind):
            faults.append(f"line {line}: {value!r} is no {kind}")
        return value

    with mock.patch.object(typing, "assert_type", asserted), _quiet(module):
        for node, names in _statements(ast.parse(source).body, vars(module)):
            lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
            texts = [text for line in lines if not _is_block(node) for text in marks.get(line, [])]
            error = _raised(node, names, path)
            if texts == [""]:
                continue  # whether the run takes it is no matter
            summary = None if error is None else getattr(error, "summary", None) or str(error)
            if not texts and error is not None:
                faults.append(f"line {node.lineno}: the run raises {type(error).__name__}: {summary}")
            elif texts and error is None:
                faults.append(f"line {node.lineno}: the run does not raise {texts}")
            elif texts and summary is not None and not any(_agrees(text, summary) for text in texts):
                faults.append(f"line {node.lineno}: the run raises {summary!r}, not {texts}")
    return faults


def _module(path: Path) -> ModuleType:
    module = ModuleType(path.stem)
    module.__file__ = str(path)
    return module


@contextlib.contextmanager
def _quiet(module: ModuleType) -> Generator[None]:
    """Have a module be found by its name, as dataclasses need it, and what it reveals not be seen."""
    sys.modules[module.__name__] = module
    try:
        with contextlib.redirect_stderr(io.StringIO()):
            yield
    finally:
        del sys.modules[module.__name__]


def _statements(
    body: Sequence[ast.stmt], space: dict[str, Any]
) -> Iterator[tuple[ast.stmt, dict[str, Any]]]:
    """Yield each statement to run, with the names that it has."""
    for node in body:
        yield node, space
        if isinstance(node, ast.FunctionDef):
            given = _defaults(space.get(node.name))
            if given is not None:
                yield from _statements(node.body, {**space, **given})


def _defaults(function: Any) -> Mapping[str, Any] | None:
    """Return the defaults of a function's parameters; None where one has none."""
    if not inspect.isfunction(function):
        return None
    parameters = inspect.signature(function).parameters
    if any(parameter.default is parameter.empty for parameter in parameters.values()):
        return None
    return {name: parameter.default for name, parameter in parameters.items()}


def _is_block(node: ast.stmt) -> bool:
    return isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))


def _raised(node: ast.stmt, names: dict[str, Any], path: Path) -> Exception | None:
    if isinstance(node, ast.Return):
        return None
    try:
        exec(compile(ast.Module([node], []), str(path), "exec"), names)
    except (TlaError, ArithmeticError, ValueError, TypeError) as error:
        return error
    return None


def _agrees(marked: str, summary: str) -> bool:
    """Whether a summary is the marked one, with a number where that one knows just an int."""
    parts = re.split(r"\bint\b", marked)
    return re.fullmatch(r"(?:int|-?\d+)".join(map(re.escape, parts)), summary) is not None


def fits(value: Any, kind: Any) -> bool:
    """Whether a value is one of a type; a static int is none of ``int``, which would say less."""
    origin, args = get_origin(kind), get_args(kind)
    if kind is Any:
        return True
    if kind is None:
        return value is None
    if kind is int:
        return isinstance(value, int) and type(value) is not Int
    if origin is Int:
        [number] = args
        is_any = number is int or number is Any
        return type(value) is Int and (is_any or get_args(number) == (int(value),))
    if origin in (Union, UnionType):
        return any(fits(value, arg) for arg in args)
    if origin is Literal:
        return value in args
    if origin is tuple and len(args) == 2 and args[1] is Ellipsis:
        return isinstance(value, tuple) and all(fits(item, args[0]) for item in value)
    if origin is tuple:
        same = isinstance(value, tuple) and len(value) == len(args)
        return same and all(map(fits, value, args))
    told = types_of(origin) if isinstance(origin, type) else None
    if told is not None:
        same = isinstance(value, origin)
        return same and all(
            fits(getattr(value, name), arg) for name, arg in zip(told, args, strict=True)
        )
    return isinstance(value, origin or kind)


# --- the tests --------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def messages(mypy_cache: Path) -> dict[str, list[Message]]:
    return said(FILES, mypy_cache)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_mypy_says_what_is_marked(path: Path, messages: dict[str, list[Message]]) -> None:
    assert differences(expected(path.read_text()), messages[path.name]) == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_run_agrees(path: Path) -> None:
    assert ran(path) == []


def test_no_other_file_has_a_message(messages: dict[str, list[Message]]) -> None:
    assert set(messages) == {path.name for path in FILES}


def test_each_error_of_the_library_that_a_type_can_show_is_shown() -> None:
    shown = {type(error).__name__ for path in FILES for error in _errors(path)}
    every = {cls.__name__ for cls in _subclasses(TlaError)}
    # of symbolic ints, of which no type tells anything, and of what mypy refuses itself
    assert every - shown == {
        "BindingError",
        "ContradictionError",
        "LimitError",
        "NotALayoutError",
        "UndecidedError",
    }


def _subclasses(cls: type[Any]) -> set[type[Any]]:
    public: set[type[Any]] = {
        found for found in cls.__subclasses__() if found.__module__ == "tla.errors"
    }
    return public.union(*map(_subclasses, public))


def _errors(path: Path) -> list[Exception]:
    module = _module(path)
    marked = {line for line, kind, _text in expected(path.read_text()) if kind == "tla"}
    with _quiet(module):
        found = [
            (node.lineno in marked, _raised(node, names, path))
            for node, names in _statements(ast.parse(path.read_text()).body, vars(module))
        ]
    return [error for is_marked, error in found if is_marked and error is not None]


_BROKEN: Final = """
from typing import assert_type
from tla import Int, Layout, _2, _3, _4, _8, make_layout, make_layout_tile, reveal

a = make_layout((_4, _8))
make_layout_tile(a, (_4, _3))  # E: tile _3 does not divide
make_layout_tile(a, (_4, _3))
make_layout_tile(a, (_4, _2))  # E: tile _3 does not divide _8 of mode 1 of (_4,_8):(_1,_4)
assert_type(a, Layout[tuple[Int[4], Int[8]], tuple[Int[1], Int[8]]])
reveal(a)  # N: (_4,_8):(_1,_8)
"""


def test_a_broken_expectation_is_found(tmp_path: Path, mypy_cache: Path) -> None:
    path = tmp_path / "err_broken.py"
    path.write_text(_BROKEN)
    reported = said([path], mypy_cache)[path.name]
    faults = differences(expected(_BROKEN), reported)
    assert [fault.split(":")[0] for fault in faults] == [f"line {n}" for n in (6, 8, 10, 6, 7, 9)]
    assert [fault.split(":")[0] for fault in ran(path)] == [f"line {n}" for n in (6, 7, 8, 9)]
