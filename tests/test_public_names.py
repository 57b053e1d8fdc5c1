"""Every public name says what it is, and shows it: a docstring with an example that runs.

`test_doctests.py` runs the examples; here is looked at whether there is one.
"""

from __future__ import annotations

import doctest
import inspect
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

import tla

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOMS = (
    "tla",
    "tla.algebra",
    "tla.arrays",
    "tla.ascend",
    "tla.ascend.copies",
    "tla.ascend.schedules",
    "tla.ascend.tuning.tuner",
    "tla.cpp",
    "tla.errors",
    "tla.evaluation",
    "tla.explain",
    "tla.exports",
    "tla.figures",
    "tla.gpu",
    "tla.ground",
    "tla.hlo",
    "tla.indexing",
    "tla.indexing.exact",
    "tla.jax",
    "tla.layouts",
    "tla.learn",
    "tla.memory",
    "tla.memory.advice",
    "tla.memory.oom",
    "tla.memory.oom_check",
    "tla.moves",
    "tla.numbers",
    "tla.objects",
    "tla.playground",
    "tla.read",
    "tla.show",
    "tla.testing",
    "tla.xla_bridge",
)
"""The modules whose ``__all__`` is public."""

EXCEPT: dict[str, str] = {}
"""Names without an example, and why."""

ERROR_SAYS = 20
"""The fewest characters in which a docstring can say when an error is raised."""

PARSER = doctest.DocTestParser()


def examples(doc: str | None) -> str:
    """The examples of a docstring, and what they print."""
    return "\n".join(e.source + e.want for e in PARSER.get_examples(doc or ""))


def public(room: str) -> Iterator[tuple[str, Any]]:
    """The functions and classes that a room gives, and the callables: not constants, types, modules."""
    module = import_module(room)
    for name in module.__all__:
        value = getattr(module, name)
        if isinstance(value, ModuleType) or not is_ours(value):
            continue
        if inspect.isclass(value) or inspect.isroutine(value) or is_callable_value(value):
            yield name, value


def is_ours(value: Any) -> bool:
    origin = value if inspect.isclass(value) or inspect.isroutine(value) else type(value)
    return (getattr(origin, "__module__", None) or "").split(".")[0] == "tla"


def is_callable_value(value: Any) -> bool:
    """Whether it is called as a function is, without being one; its class says what it does."""
    return "__call__" in vars(type(value))


def own_examples(value: Any) -> str:
    """Those of its docstring, of a class those of its members too."""
    docs = [getattr(value, "__doc__", None)]
    if not inspect.isroutine(value):
        owner = value if inspect.isclass(value) else type(value)
        for member in vars(owner).values():
            plain = member.fget if isinstance(member, property) else member
            function = getattr(plain, "__func__", plain)  # of a class method or a static one
            docs.append(getattr(function, "__doc__", None) if callable(function) else None)
    return "\n".join(filter(None, map(examples, docs)))


@pytest.mark.parametrize("room", ROOMS)
def test_public_names_show_what_they_are(room: str) -> None:
    silent = [name for name, value in public(room) if not getattr(value, "__doc__", None)]
    assert silent == []
    bare = [
        name
        for name, value in public(room)
        if not (inspect.isclass(value) and issubclass(value, BaseException))
        and not own_examples(value)
        and f"{room}.{name}" not in EXCEPT
    ]
    assert bare == []


@pytest.mark.parametrize("room", ROOMS)
def test_errors_say_when_they_are_raised(room: str) -> None:
    for name, value in public(room):
        if inspect.isclass(value) and issubclass(value, BaseException):
            doc = inspect.getdoc(value) or ""
            assert "__doc__" in vars(value), name
            assert len(doc) >= ERROR_SAYS, name
            assert doc.endswith("."), name


def test_no_exception_is_stale() -> None:
    for path in EXCEPT:
        room, _dot, name = path.rpartition(".")
        assert not own_examples(getattr(import_module(room), name)), path


def test_every_public_name_exists_once() -> None:
    for room in ROOMS:
        module = import_module(room)
        assert len({*module.__all__}) == len(module.__all__)
        assert all(hasattr(module, name) for name in module.__all__)
        assert {*module.__all__} <= {*dir(module)}


def test_names_of_catlass_and_large_ints_say_what_is_meant() -> None:
    for name, word in (
        ("MakeLayout", "make_layout"),
        ("MakeShape", "make_shape"),
        ("CrdToOffset", "crd2offset"),
    ):
        with pytest.raises(AttributeError, match=f"{name}': it is called {word} here"):
            getattr(tla, name)
    with pytest.raises(AttributeError, match=r"'_300': write Int\(300\)"):
        getattr(tla, "_300")  # noqa: B009
    assert tla._17 == tla.Int(17)
