# SPDX-License-Identifier: Apache-2.0
"""Arguments of the wrong type: a call that fails says which one it was.

A room's door (`lazy`) guards the functions and methods that it gives. Nothing is checked before a call,
so a call that works costs what it did. If one fails with an error of Python's own, each argument is held
against the annotation of its parameter (`annotations`). The first that does not fit becomes the error:

>>> @guarded
... def doubled(sizes: list[int]) -> list[int]:
...     return [2 * n for n in sizes]
>>> doubled(None)
Traceback (most recent call last):
    ...
tla.errors.KindError: doubled() takes list[int] as 'sizes', not NoneType None

If all of them fit, the error goes on as it is: it is one of the library, or of a function of the caller.
"""

from __future__ import annotations

from types import FunctionType
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..errors import TlaError

_E = TypeVar("_E", bound="TlaError")
_F = TypeVar("_F", bound="Callable[..., Any]")


def guarded(function: _F) -> _F:
    """Return the function with errors that name an argument of the wrong type.

    >>> guarded(len).__wrapped__
    <built-in function len>
    """

    call: Any = function
    refuse_call = refuse  # the functions below have the names of their module, not of this one

    def calling(*args: Any, **kwargs: Any) -> Any:
        try:
            return call(*args, **kwargs)
        except Exception as error:
            refuse_call(function, args, kwargs, error)
            raise

    def yielding(*args: Any, **kwargs: Any) -> Any:
        try:
            yield from call(*args, **kwargs)
        except Exception as error:
            refuse_call(function, args, kwargs, error)
            raise

    code = getattr(function, "__code__", calling.__code__)
    caller = yielding if code.co_flags & _GENERATOR else calling
    # a function of its own module, as doctest and pickle see it
    home = getattr(function, "__globals__", globals())
    made: Any = FunctionType(caller.__code__, home, call.__name__, None, caller.__closure__)
    made.__dict__.update(getattr(function, "__dict__", {}))
    for name in ("__module__", "__qualname__", "__doc__", "__annotations__"):
        setattr(made, name, getattr(function, name, None))
    made.__wrapped__ = function
    return made  # type: ignore[no-any-return]


def guard_class(cls: type) -> None:
    """Guard the methods of a class and of its bases in the same room that take arguments, in place."""
    room = cls.__module__.split(".")[:2]
    for base in cls.__mro__:
        if base.__module__.split(".")[:2] == room and base not in _classes:
            _classes.add(base)
            _guard_methods(base)


def _guard_methods(cls: type) -> None:
    for name, member in list(vars(cls).items()):
        function = getattr(member, "__func__", member)
        if isinstance(function, FunctionType) and function.__module__ == cls.__module__:
            code = function.__code__
            takes_arguments = code.co_argcount > 1 or code.co_kwonlyargcount or code.co_flags & _VARIADIC
            if takes_arguments and (name in _OPERATORS or not name.startswith("_")):
                wrapped = guarded(function)
                setattr(cls, name, wrapped if member is function else type(member)(wrapped))


_NAMES = (
    "new init call getitem contains add radd sub rsub mul rmul floordiv rfloordiv mod rmod divmod "
    "rdivmod pow rpow lt le gt ge and or xor matmul"
)
_OPERATORS = frozenset(f"__{name}__" for name in _NAMES.split(" "))
_classes: set[type] = set()
_VARIADIC = 0x0C
_GENERATOR = 0x20
"""The flag of code that yields: ``inspect`` has it too, and takes long to load."""


def unknown_argument(function: Any, unknown: dict[str, Any]) -> TlaError:
    """Return the error of a call with keywords that are none, of a function without a guard.

    The function takes them as ``**unknown``: in an inner loop that costs less than a guard.
    """
    from .annotations import misused

    summary = f"{function.__name__}() got an unexpected keyword argument {next(iter(unknown))!r}"
    return misused(function, unknown, summary)


def naming_argument(error: _E) -> _E:
    """Return an error about its ``value``, which will name the argument that holds the value.

    >>> complement(24, Layout(4, 2))
    Traceback (most recent call last):
        ...
    tla.errors.LeafError: expected an int, got Layout Layout(4, 2)
      It is 'cotarget' in complement(layout=24, cotarget=Layout(4, 2)).
    """
    from .calls import name_argument

    name_argument(error)
    return error


def naming_call(error: _E, form: str = "Asked by {}.") -> _E:
    """Return an error that will name the call that it comes from, in the place of ``{}`` in a form.

    >>> ceil_div(7, 0)
    Traceback (most recent call last):
        ...
    tla.errors.DivisibilityError: cannot round to multiples of 0: it is not positive
      Asked by ceil_div(a=7, b=0).
    """
    from .calls import name_call

    name_call(error, form)
    return error


def refuse(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], error: Exception) -> None:
    """Raise the error of a failed call whose arguments are wrong; return if they are not."""
    if isinstance(error, ModuleNotFoundError) and error.name == "numpy":
        from ..errors import UnsupportedError

        raise UnsupportedError(
            "numpy is needed here, and is not installed", "pip install numpy"
        ) from None
    from .annotations import refuse_arguments

    refuse_arguments(function, args, kwargs, error)
