# SPDX-License-Identifier: Apache-2.0
"""Packages that load a name when it is first asked for.

A package writes each of its names once, as an import that type checkers read::

    if TYPE_CHECKING:
        from .composition import composition as composition

    lazy(__name__)

A second such block names what the other rooms of the library need; its names are not public.

At run time a module is loaded when someone asks for ``package.composition``. So a room costs little to
import, and no import has to hide in a function to keep it so.
"""

from __future__ import annotations

import re
import sys
from importlib import import_module
from types import FunctionType, ModuleType
from typing import Any

# a pattern, since `ast` would take longer to load than most rooms
_IMPORT = re.compile(r"^    from (\.[\w.]*) import (\([^)]*\)|.*)$", re.MULTILINE)


class _LazyPackage(ModuleType):
    """A package that knows the module of each of its names."""

    _homes: dict[str, str]
    """The module that defines each name, relative to the package; ``.`` if the name is a module."""
    _rooms: list[str]
    """The packages whose public names are also names of this one."""
    _guarded: frozenset[str]
    """The names whose calls say which argument is of a wrong type."""

    def _value_of(self, name: str) -> Any:
        home = self._homes.get(name) or self._room_of(name)
        if home == ".":
            return import_module(f".{name}", self.__name__)
        module = import_module(home, self.__name__)
        value = getattr(module, name)
        if (
            name in self._guarded
            and isinstance(value, FunctionType)
            and not isinstance(module, _LazyPackage)
        ):
            from .arguments import guarded

            value = guarded(value)
            setattr(module, name, value)  # one function of the name, as pickle wants it
        setattr(self, name, value)
        return value

    def _room_of(self, name: str) -> str:
        if not name.startswith(("__", "_repr_", "_ipython_")):  # what notebooks ask of every object
            for room in self._rooms:
                if name in import_module(room, self.__name__).__all__:
                    return room
        snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
        hint = ""
        if re.fullmatch(r"_[0-9]+", name):
            hint = f": write Int({name[1:]})"
        elif snake != name:  # CATLASS's and XLA's spelling
            words = {each for room in self._rooms for each in import_module(room, self.__name__).__all__}
            known = words & {snake, snake.replace("_to_", "2"), snake.replace("make_", "")}
            hint = f": it is called {min(known)} here" if known else ""
        raise AttributeError(
            f"module {self.__name__!r} has no attribute {name!r}{hint}", name=name, obj=self
        )

    def __setattr__(self, name: str, value: Any) -> None:
        """A loaded module does not replace a function of its name, as in `tla.read`."""
        home = self._homes.get(name, ".")
        if isinstance(value, ModuleType):
            if self._guarded:
                self._guard_classes(value)
            if home != ".":
                value = self._value_of(name)
        super().__setattr__(name, value)

    def _guard_classes(self, module: ModuleType) -> None:
        from .arguments import guard_class

        home = module.__name__.removeprefix(self.__name__)
        for name in self._guarded:
            cls = vars(module).get(name)
            if self._homes[name] == home and isinstance(cls, type):
                guard_class(cls)

    def __reduce__(self) -> tuple[Any, ...]:
        return import_module, (self.__name__,)

    def __dir__(self) -> list[str]:
        return sorted({*vars(self), *self._homes, *self.__all__})


def lazy(package: str, guard: bool = False) -> None:
    """Let a package load each import of its ``if TYPE_CHECKING:`` blocks when the name is asked for.

    The names of the first block become its ``__all__``, with those that it has listed itself: a checker
    takes a name such as ``_0`` for public only if it is listed. A package that uses ``import *`` lists
    all of its own.

    Args:
        guard: Guard the calls of the names of the first block (`arguments`), other than of other rooms.

    Raises:
        ImportError: the source of the package is not there: its names are read from it.
    """
    module: Any = sys.modules[package]
    spec = module.__spec__
    if not spec.origin.endswith(".py"):
        raise ImportError(f"{package} needs its source: the names that it gives are read from it")
    source = spec.loader.get_data(spec.origin).decode()
    homes: dict[str, str] = {}
    rooms: list[str] = []
    module._homes, module._rooms, module._guarded = homes, rooms, frozenset()
    for i, block in enumerate(source.split("\nif TYPE_CHECKING:\n")[1:]):
        for home, names in _IMPORT.findall(block):
            if names == "*":
                rooms.append(home)
                continue
            for name in names.strip("()").split(","):
                if words := name.split():  # of ``offsets as offsets`` the last
                    homes[words[-1]] = home
        if i == 0 and not rooms:
            module.__all__ = sorted({*getattr(module, "__all__", ()), *homes})
            if guard:
                own = [name for name, home in homes.items() if home != "." and home[1] != "."]
                module._guarded = frozenset(own)
    module.__class__ = _LazyPackage
    # in its namespace, not in the class: there it would slow down every name of the package
    module.__getattr__ = module._value_of
