"""What layouts stand on: operations whose results carry the conditions that were assumed for them.

>>> M = sym("M")
>>> tiled = zipped_divide(Layout((M, 8), (8, 1)), (48, 8), exact=True, assume=M % 48 == 0)
>>> print(tiled, tiled.assumptions)
((48,8),(M//48,1)):((8,1),(384,0)) (M % 48 == 0,)
>>> tiled.bind(M=100)
Traceback (most recent call last):
    ...
tla.errors.BindingError: M = 100 breaks M % 48 == 0

An operation takes conditions as ``assume=``, or those of the `assume` around it, and records which of
them it has used; its layouts carry these, with those that its arguments carry. Where nothing has ever
been assumed none of it costs more than a look.
"""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from .ints import EVER_ASSUMED, is_tuple
from .layout import is_layout, under

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .expr import Condition

__all__ = ["carried", "carrying", "given"]

_P = ParamSpec("_P")
_R = TypeVar("_R")


def carrying(operation: Callable[_P, _R]) -> Callable[_P, _R]:
    """Let the layouts that an operation returns carry what they stand on; it may take ``assume=``."""

    @wraps(operation)
    def wrapper(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        if not EVER_ASSUMED and "assume" not in kwargs:
            return operation(*args, **kwargs)
        return given(kwargs.pop("assume", None), operation, *args, **kwargs)

    return wrapper


def given(assume: Any, operation: Callable[..., _R], /, *args: Any, **kwargs: Any) -> _R:
    """Return the result of an operation under some conditions, with what it stands on."""
    from .expr.conditions import assume as assuming
    from .expr.conditions import recorded

    with assuming(*(() if assume is None else (assume,))), recorded() as used:
        result = operation(*args, **kwargs)
    conditional: _R = carried(result, used, *args, *kwargs.values())
    return conditional


def carried(result: Any, used: Iterable[Condition], *arguments: Any) -> Any:
    """Return a result, or a tuple of them, whose layouts carry conditions and those of the arguments."""
    conditions = dict.fromkeys(c for x in arguments for c in _assumptions(x))
    conditions.update(dict.fromkeys(sorted(used, key=str)))
    return _under(conditions, result) if conditions else result


def _assumptions(x: Any) -> Iterable[Condition]:
    if is_layout(x):
        return x.assumptions
    return [c for item in x for c in _assumptions(item)] if is_tuple(x) else ()


def _under(conditions: Iterable[Condition], result: Any) -> Any:
    if is_layout(result):
        return under(conditions, result)
    return tuple([_under(conditions, x) for x in result]) if is_tuple(result) else result
