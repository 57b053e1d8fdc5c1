# SPDX-License-Identifier: Apache-2.0
"""Which call of the user's an error comes from: its traceback tells, once somebody reads the error.

The rooms of numbers, layouts and the algebra are called in every inner loop, and no guard stands around
their functions (`arguments`). An int or a layout is checked where it is read. There nobody knows which
argument of which function it was; the frames between the caller and the check do.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any
from weakref import ref

from .words import shown

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

    from ..errors import TlaError


def name_argument(error: TlaError) -> None:
    """Let an error about its ``value`` name the argument that holds the value, once it is read."""
    itself = ref(error)  # a weak one: the error holds the hint
    error.with_hint(lambda: _argument_sentence(itself()))


def name_call(error: TlaError, form: str) -> None:
    """Let an error name the call that it comes from, at the ``{}`` of a form, once it is read."""
    itself = ref(error)
    error.with_hint(lambda: next((form.format(_call_in(f)) for f in _public_frames(itself())), ""))


def _argument_sentence(error: TlaError | None) -> str:
    value = None if error is None else error.data["value"]
    for frame in _public_frames(error):
        for name, given, _text in _arguments(frame):
            if given is value:
                return f"It is {name!r} in {_call_in(frame)}."
            if isinstance(given, tuple | list) and _holds(given, value):
                return f"It stands in {name!r} in {_call_in(frame)}."
    return ""


def _public_frames(error: TlaError | None) -> Iterator[FrameType]:
    """The calls of public functions and methods that an error has come through, the outermost first."""
    step = None if error is None else error.__traceback__
    while step is not None:
        path = step.tb_frame.f_globals.get("__name__", "")
        first, _dot, method = step.tb_frame.f_code.co_qualname.partition(".")
        room = ".".join(path.split(".")[:2])
        doors = ("tla", room) if path.startswith("tla.") and room not in _READERS else ()
        is_public = not method or method in _SPELLED or method[0] not in "_<"
        if is_public and any(first in getattr(sys.modules.get(d), "__all__", ()) for d in doors):
            yield step.tb_frame
        step = step.tb_next


_READERS = ("tla.cli", "tla.evaluation", "tla.explain", "tla.playground", "tla.read")
"""They call what a text or a name says, and no user has written that call in Python."""

_SPELLED = {"__new__": "{}({})", "__init__": "{}({})", "__call__": "{}({})", "__getitem__": "{}[{}]"}
"""How a method of Python's own is called."""


def _arguments(frame: FrameType) -> Iterator[tuple[str, Any, str]]:
    """The arguments of a call: the name of its parameter, the value, and how the call writes it."""
    code, values = frame.f_code, frame.f_locals
    method = code.co_qualname.rpartition(".")[2]
    count = code.co_argcount + code.co_kwonlyargcount
    in_place = code.co_argcount if method in _SPELLED or code.co_flags & _VARIADIC else 0
    for i, name in enumerate(code.co_varnames[:count]):
        if name not in ("self", "cls") and not any(values.get(name) is x for x in (None, False)):
            yield name, values[name], f"{name}=" * (i >= in_place) + shown(values[name])
    if code.co_flags & _VARIADIC:
        for value in values.get(code.co_varnames[count], ()):
            yield code.co_varnames[count], value, shown(value)
        count += 1
    if code.co_flags & _OPTIONS:
        for name, value in values.get(code.co_varnames[count], {}).items():
            yield name, value, f"{name}={shown(value)}"


_VARIADIC, _OPTIONS = 0x04, 0x08
"""The flags of code that takes ``*name``, and ``**name``."""


def _call_in(frame: FrameType) -> str:
    """The call as a user writes it: ``complement(layout=24, cotarget=Layout(4, 2))``."""
    called = frame.f_code.co_qualname
    owner, _dot, method = called.rpartition(".")
    if method in _SPELLED:
        called = owner if method in ("__new__", "__init__") else owner.lower()
    written = ", ".join(text for _name, _value, text in _arguments(frame))
    return _SPELLED.get(method, "{}({})").format(called, written)


def _holds(values: Any, value: object) -> bool:
    """Whether a tuple or a list holds a value, at any depth."""
    todo, seen = [values], 0
    while todo and seen < _LOOKED_AT:
        for x in todo.pop():
            if x is value:
                return True
            seen += 1
            if isinstance(x, tuple | list):
                todo.append(x)
    return False


_LOOKED_AT = 10_000
"""How many parts of an argument are looked at."""
