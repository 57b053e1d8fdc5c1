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

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from .expr import Condition, Conditions

__all__ = ["carried", "carrying", "given"]

_P = ParamSpec("_P")
_R = TypeVar("_R")


def carrying(operation: Callable[_P, _R]) -> Callable[_P, _R]:
    """Let the layouts that an operation returns carry what they stand on; it may take ``assume=``."""

    @wraps(operation)
    def wrapper(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        if not EVER_ASSUMED:
            if not kwargs:
                return operation(*args)  # type: ignore[call-arg]  # ty: ignore[missing-argument]
            if "assume" not in kwargs:
                return operation(*args, **kwargs)  # ty: ignore[invalid-argument-type]
        conditions: Any = kwargs.pop("assume", None)
        return given(conditions, operation, *args, **kwargs)

    return wrapper


def given(assume: Conditions | None, operation: Callable[..., _R], /, *args: Any, **kwargs: Any) -> _R:
    """Return the result of an operation under some conditions, with what it stands on.

    What its arguments stand on is taken for granted too, and carried on.
    """
    from .context import recorded
    from .expr.assumptions import assume as assuming

    arguments = (args, *kwargs.values())
    carried_in = dict.fromkeys(_assumptions(arguments))
    with assuming(*(() if assume is None else (assume,)), carried_in), recorded() as used:
        result = operation(*args, **kwargs)
    conditions = dict.fromkeys((*carried_in, *sorted(used - carried_in.keys(), key=str)))
    conditional: _R = carried(conditions, result) if conditions else result
    return conditional


def carried(conditions: Iterable[Condition], result: Any) -> Any:
    """Return a result, or a tuple of them, whose layouts carry some conditions."""
    if is_tuple(result):
        return tuple([carried(conditions, x) for x in result])
    return result.standing_on(conditions) if hasattr(result, "standing_on") else result


def _assumptions(arguments: tuple[Any, ...]) -> Iterator[Condition]:
    """What layouts among some arguments, and in tuples of them, stand on."""
    todo = [*arguments]
    while todo:
        x = todo.pop()
        if is_tuple(x):
            todo += x
        else:
            yield from getattr(x, "assumptions", ())
