# SPDX-License-Identifier: Apache-2.0
"""Whether values fit annotations: what a guarded call asks once it has failed.

The annotations are texts, and what they name is imported for type checkers alone; it is found here.
"""

from __future__ import annotations

import builtins
import collections.abc
import inspect
import re
import sys
import types
import typing
from functools import cache
from importlib import import_module
from itertools import islice
from operator import index
from typing import Any

from ..errors import KindError, LayoutError, TlaError
from .limits import limit_of
from .text import refused_digits
from .words import described, did_you_mean, near_words

_LOOKED_AT = 1000
"""How many elements of a sequence are held against its annotation."""


def refuse_arguments(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], error: Exception
) -> None:
    """Raise a `KindError` if an argument is missing or unknown, does not fit its annotation, or is too
    deep or too long."""
    if isinstance(error, TlaError) and "argument" not in vars(error):
        return
    called = re.sub(r"^.*<locals>\.|\.__(init|new|call)__$", "", function.__qualname__)
    try:
        bound = inspect.signature(function).bind(*args, **kwargs)
    except ValueError:  # of no function of Python's
        return
    except TypeError:
        if not str(error).startswith(f"{function.__qualname__}() "):
            return  # a fault inside
        summary = str(error).replace(function.__qualname__, called, 1)
        raise misused(function, kwargs, summary) from None
    names = _Names(sys.modules[function.__module__])
    for name, given in bound.arguments.items():
        parameter = bound.signature.parameters[name]
        annotation = parameter.annotation
        hint = names.hint(annotation)
        many = parameter.kind
        values = given.values() if many is parameter.VAR_KEYWORD else given
        for value in values if many in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL) else (given,):
            if not _fits_safely(value, hint, names):
                raise KindError(
                    f"{called}() takes {annotation} as {name!r}, not {described(value)}",
                    *_alias(annotation, hint),
                    *(MAKERS[word] for word in re.findall(r"\w+", str(annotation)) if word in MAKERS),
                    function=function.__qualname__,
                    argument=name,
                    value=value,
                ) from None
    if isinstance(error, RecursionError):
        raise LayoutError(
            f"{function.__name__}(): an argument is nested deeper than Python follows",
            f"At most {limit_of('nesting')} levels are read.",
            "sys.setrecursionlimit raises Python's own limit.",
        ) from None
    if isinstance(error, ValueError) and refused_digits(error) is not error:
        raise refused_digits(error) from None


def misused(function: Any, kwargs: dict[str, Any], summary: str) -> KindError:
    """The error of a call with a missing or unknown argument: the near name, and how it is called."""
    parameters = dict(inspect.signature(function).parameters)
    parameters.pop(UNKNOWN, None)
    wrong = next((name for name in kwargs if name not in parameters), "")
    left = [name for name in parameters if wrong and name not in kwargs]
    near = [name for name in left if name.startswith(wrong)] or near_words(wrong, left)
    words = [
        f"[{word}]" if parameter.default is not parameter.empty else word
        for name, parameter in parameters.items()
        for word in (_FORMS.get(parameter.kind.name, "{}").format(name),)
        if name not in ("self", "cls")
    ]
    return KindError(
        summary,
        *([did_you_mean(near, ())] if near else ()),
        f"It is called as {summary.partition('(')[0]}({', '.join(words)}).",
        function=function.__qualname__,
    )


_FORMS = {"VAR_POSITIONAL": "*{}", "VAR_KEYWORD": "**{}", "KEYWORD_ONLY": "{}=..."}
"""How a kind of parameter is written."""

UNKNOWN = "unknown"
"""The ``**unknown`` of a function that no guard stands around; see `unknown_argument`."""

MAKERS = {
    "AnyFigure": "tla.layout_figure(layout) is the figure of a layout; other values have `figure()`.",
    "AnyLayout": "tla.make_layout(shape, stride) and tla.read(text) give a layout.",
    "Computation": "tla.hlo.read_module(text).entry is a computation.",
    "Instruction": "tla.hlo.read_instruction(text) gives an instruction.",
    "IndexingMap": "tla.indexing.parse_map(text) gives a map.",
    "LinearLayout": "tla.gpu.to_linear(layout) gives one.",
    "Module": "tla.hlo.read_module(text) gives a module.",
    "Plan": "tla.ascend.gemm(arch, problem) gives a plan.",
    "TiledMma": "tla.gpu.tiled_mma(atom) gives one.",
    "Tile": "tla.ascend.gemm(arch, problem).tile is a tile.",
    **dict.fromkeys(("AnyShape", "XlaShape"), "tla.xla_bridge.parse_shape(text) gives a shape."),
}
"""How to get a value of a type, by the name that annotations have for it."""


def _alias(annotation: Any, hint: Any) -> list[str]:
    """What a name of several types stands for."""
    parts = getattr(hint, "__args__", ())
    parts = parts if isinstance(annotation, str) and annotation.isidentifier() else ()
    if isinstance(hint, str):
        return [f"{annotation} is {hint}."]
    words = [getattr(part, "__forward_arg__", getattr(part, "__name__", str(part))) for part in parts]
    return [f"{annotation} is {' | '.join(words)}."] if words else []


def _fits_safely(value: Any, hint: Any, names: _Names) -> bool:
    try:
        return fits(value, hint, names)
    except Exception:  # nested too deeply, or it raises when it is looked at
        return False


def fits(value: Any, hint: Any, names: Any) -> bool:
    """Whether a value is of the type of an annotation, as far as can be seen."""
    if isinstance(hint, str):
        hint = names.hint(hint)
    if isinstance(hint, typing.ForwardRef):
        hint = names.hint(hint.__forward_arg__)
    if isinstance(hint, typing.TypeVar):
        return hint.__bound__ is None or fits(value, hint.__bound__, names)
    if hint is None or hint is types.NoneType:
        return value is None
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Union or origin is types.UnionType:
        return any(fits(value, part, names) for part in parts)
    if origin is typing.Literal:
        return any(type(value) is type(part) and value == part for part in parts)
    kind = origin or hint
    if not isinstance(kind, type) or kind in (object, Any):
        return True
    if kind is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if kind is typing.SupportsIndex:
        return not isinstance(value, bool) and type(index(value)) is int
    if getattr(kind, "_is_protocol", False) and kind.__module__ != "typing":
        return all(hasattr(value, name) for name in vars(kind) if not name.startswith("_"))
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        return False
    return _parts_fit(value, kind, parts, names)


def _parts_fit(value: Any, kind: type, parts: tuple[Any, ...], names: _Names) -> bool:
    """Whether what a value holds fits."""
    if kind is tuple and parts and parts[-1] is not ...:
        return len(value) == len(parts) and all(
            fits(x, part, names) for x, part in zip(value, parts, strict=True)
        )
    if parts and issubclass(kind, collections.abc.Iterable):
        if issubclass(type(value), collections.abc.Iterator):
            return False  # what it gave is gone
        held: Any = value
        first: list[Any] = list(islice(held, _LOOKED_AT))
        if issubclass(type(value), collections.abc.Mapping) and len(parts) == 2:
            return all(fits(x, parts[0], names) and fits(held[x], parts[1], names) for x in first)
        return all(fits(x, parts[0], names) for x in first)
    if hasattr(kind, "_fields") and kind.__module__.startswith("tla"):  # a record of any values
        own = _Names(sys.modules[kind.__module__])
        return all(fits(getattr(value, name), hint, own) for name, hint in kind.__annotations__.items())
    return True


class _Names(dict[str, Any]):
    """What the names of a module's annotations mean."""

    def __init__(self, module: types.ModuleType) -> None:
        super().__init__(vars(module))
        self.module: str = module.__name__

    def hint(self, annotation: Any) -> Any:
        """The type of an annotation; Any if it cannot be known."""
        if not isinstance(annotation, str):
            return Any if annotation is inspect.Parameter.empty else annotation
        try:
            return eval(annotation, {}, self)
        except Exception:
            return Any

    def __missing__(self, name: str) -> Any:
        imports = _checked_imports(self.module)
        if name in imports:
            home, own = imports[name]
            module = import_module(home)
            value = getattr(module, own)
            if isinstance(value, str):  # an alias, in the names of its module
                value = _Names(module).hint(value)
        elif hasattr(builtins, name):
            value = getattr(builtins, name)
        else:  # a name inside an alias of another module
            value = next(
                vars(module)[name]
                for path, module in list(sys.modules.items())
                if path.startswith("tla.") and name in vars(module)
            )
        self[name] = value
        return value


@cache
def _checked_imports(module: str) -> dict[str, tuple[str, str]]:
    """The module and the name of each import that type checkers alone read."""
    found: dict[str, tuple[str, str]] = {}
    source = inspect.getsource(sys.modules[module])
    package = sys.modules[module].__package__ or ""
    for home, names in _IMPORT.findall(source):
        above = len(home) - len(home.lstrip("."))
        base = package.split(".")[: len(package.split(".")) - above + 1] if above else []
        path = ".".join([*base, *filter(None, home.lstrip(".").split("."))])
        for own, other in _NAME.findall(names):
            found[other or own] = path, own
    return found


_IMPORT = re.compile(r"^    from ([\w.]+) import (\([^)]*\)|.*)$", re.MULTILINE)
_NAME = re.compile(r"(\w+)(?: as (\w+))?")
