"""What griffe does not know of our code: examples that stand in no section, and how values are made.

A paragraph of a docstring that begins with ``>>>`` becomes a block of code. A class that is a NamedTuple
shows its fields as parameters, and one that has ``__new__`` those of it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import griffe

if TYPE_CHECKING:
    from collections.abc import Iterator

_EXAMPLE = re.compile(r"^( *)>>>[^\n]*(?:\n(?! *$)[^\n]*)*", re.M)


class OurStyle(griffe.Extension):
    """Makes of what is read what mkdocstrings is to show."""

    def on_instance(self, *, obj: griffe.Object, **_more: Any) -> None:
        """Called for each of them before its members: what only one branch has there is given too."""
        obj.runtime = True

    def on_object(self, *, obj: griffe.Object, **_more: Any) -> None:
        """Called for each module, class, function and attribute once it is read."""
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)

    def on_alias_instance(self, *, alias: griffe.Alias, **_more: Any) -> None:
        """Called for each import: what a package imports for checkers alone it gives at run time too."""
        alias.runtime = True

    def on_class(self, *, cls: griffe.Class, **_more: Any) -> None:
        """Called for each class once it is read with its members."""
        made = cls.members.get("__new__")
        if any(str(base).endswith("NamedTuple") for base in cls.bases):
            parameters = [griffe.Parameter("self", kind=_KIND), *_fields(cls)]
        elif "__init__" not in cls.members and isinstance(made, griffe.Function):
            parameters = list(made.parameters)
        else:
            return
        init = griffe.Function("__init__", parameters=griffe.Parameters(*parameters), parent=cls)
        cls.set_member("__init__", init)


_KIND = griffe.ParameterKind.positional_or_keyword


def _fields(cls: griffe.Class) -> Iterator[griffe.Parameter]:
    for name, member in cls.members.items():
        if isinstance(member, griffe.Attribute) and "property" not in member.labels:
            yield griffe.Parameter(name, annotation=member.annotation, kind=_KIND, default=member.value)


def fenced(text: str) -> str:
    """Return a docstring with its examples in fences, and empty lines where they are printed."""
    text = _EXAMPLE.sub(lambda m: f"{m[1]}```pycon\n{m[0]}\n{m[1]}```", text)
    return re.sub(r"^( *)<BLANKLINE>$", r"\1", text, flags=re.M)
