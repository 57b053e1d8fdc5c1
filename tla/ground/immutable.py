# SPDX-License-Identifier: Apache-2.0
"""The base of values that never change: a copy is the value itself, and no attribute can be set.

>>> Layout(4).shape = 3
Traceback (most recent call last):
    ...
AttributeError: a Layout is immutable: cannot set 'shape'
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

if TYPE_CHECKING:
    from typing import Self


class Immutable:
    """A value with slots; only its maker fills them, through ``object`` or the slots themselves."""

    __slots__ = ()

    @classmethod
    def _like(cls, value: object) -> Self:
        """The value with the slots of another, of a class that is derived and may have a dict."""
        made = object.__new__(cls)
        for base in type(value).__mro__:
            for name in getattr(base, "__slots__", ()):
                object.__setattr__(made, name, getattr(value, name))
        return made

    def __setattr__(self, name: str, value: object) -> None:
        self._refuse("set", name)

    def __delattr__(self, name: str) -> None:
        self._refuse("delete", name)

    def _refuse(self, change: str, name: str) -> NoReturn:
        kind = type(self).__name__
        article = "an" if kind[0] in "AEIOUX" else "a"
        raise AttributeError(f"{article} {kind} is immutable: cannot {change} {name!r}")

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self


class Record(Immutable):
    """A value that is its parts: equal, hashed and pickled by them, in the order of its arguments."""

    __slots__ = ()

    parts_in_order: ClassVar[tuple[str, ...]]

    @classmethod
    def _of(cls, *parts: object) -> Self:
        """The value of parts that have been checked."""
        made = object.__new__(cls)
        for name, part in zip(cls.parts_in_order, parts, strict=True):
            object.__setattr__(made, name, part)
        return made

    def _key(self) -> tuple[Any, ...]:
        return tuple([getattr(self, name) for name in self.parts_in_order])

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, type(self)) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._key()
