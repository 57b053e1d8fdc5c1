# SPDX-License-Identifier: Apache-2.0
"""Operations whose results carry the conditions that were assumed for them.

>>> M = sym("M")
>>> tiled = zipped_divide(Layout((M, 8), (8, 1)), (48, 8), exact=True, assume=M % 48 == 0)
>>> print(tiled, tiled.assumptions)
((48,8),(M//48,1)):((8,1),(384,0)) (M % 48 == 0,)
>>> tiled.bind(M=100)
Traceback (most recent call last):
    ...
tla.errors.BindingError: M = 100 breaks M % 48 == 0

An operation takes conditions as ``assume=``, or from the `assume` block around it. Its layouts carry the
conditions that it has used, and those that its arguments carry. Where nothing is assumed, all of this
costs one look at the arguments.
"""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

from ..ground import refuse
from .context import assumed, used_conditions
from .ints import PLAIN_INTS, is_tuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .assumptions import Conditions
    from .nodes import Condition

_P = ParamSpec("_P")
_R = TypeVar("_R")

_NONE: Any = object()
"""The default of an argument that a call may leave out."""

_MANY = 100
"""Of so many parts of tuples none is looked at twice."""


def keeps_assumptions(operation: Callable[_P, _R]) -> Callable[_P, _R]:
    """Let the layouts that an operation returns carry their conditions; let it take ``assume=``."""
    call: Callable[..., _R] = operation
    what_is_assumed = assumed.get  # bound once, since every operation asks
    is_of_domain = hasattr(operation, "is_of_domain")

    @wraps(operation)
    def wrapper(first: Any = _NONE, second: Any = _NONE, /, *rest: Any, **options: Any) -> _R:
        try:
            # every operation waits for this look: it is quick for one or two arguments
            if not options and what_is_assumed() is None:
                if second is _NONE:
                    if getattr(first, "beside", 0) is None:
                        return call(first)
                elif _is_plain(first) and _is_plain(second):
                    if not rest:
                        return call(first, second)
                    if not _assumptions(rest):
                        return call(first, second, *rest)
            others = [x for x in (second, *rest) if x is not _NONE]
            if is_of_domain and hasattr(first, "with_inner"):
                return cast("_R", first.with_inner(wrapper(first.inner, *others, **options)))
            conditions = options.pop("assume", None)
            args = others if first is _NONE else [first, *others]
            return call_assuming(conditions, call, *args, **options)
        except Exception as error:
            given = tuple([x for x in (first, second) if x is not _NONE])
            refuse(call, given + rest, options, error)
            raise

    return cast("Callable[_P, _R]", wrapper)


def of_domain(operation: Callable[_P, _R]) -> Callable[_P, _R]:
    """Mark an operation that changes a layout's coordinates alone: ``result(c) == layout(g(c))``.

    So it takes what has a layout inside, such as one behind a swizzle: what is outside stays.
    """
    vars(operation)["is_of_domain"] = True
    return operation


def call_assuming(
    assume: Conditions | None, operation: Callable[..., _R], /, *args: Any, **kwargs: Any
) -> _R:
    """Return the result of an operation under some conditions; its layouts carry those that were used.

    The conditions of its arguments hold meanwhile too, and the result carries them all.
    """
    assumed_before = dict.fromkeys(_assumptions((args, *kwargs.values())))
    if assume is None and assumed.get() is None and not assumed_before:
        return operation(*args, **kwargs)
    from .assumptions import assume as assuming

    with assuming(*(() if assume is None else (assume,)), assumed_before), used_conditions() as used:
        result = operation(*args, **kwargs)
    conditions = dict.fromkeys((*assumed_before, *sorted(used - assumed_before.keys(), key=str)))
    conditional: _R = attach_assumptions(conditions, result) if conditions else result
    return conditional


def attach_assumptions(conditions: Iterable[Condition], result: Any) -> Any:
    """Return a result, or a tuple of them, whose layouts carry some conditions."""
    if is_tuple(result):
        return tuple([attach_assumptions(conditions, x) for x in result])
    return result.with_assumptions(conditions) if hasattr(result, "with_assumptions") else result


def _is_plain(x: Any) -> bool:
    """Whether a look shows that no conditions are carried, neither by an argument nor by its parts."""
    if not is_tuple(x):
        return type(x) in PLAIN_INTS or getattr(x, "beside", 0) is None
    for part in x:
        if type(part) not in PLAIN_INTS and getattr(part, "beside", 0) is not None:
            return False
    return True


def _assumptions(arguments: tuple[Any, ...]) -> list[Condition]:
    """The conditions that layouts carry, among some arguments and in tuples of them."""
    found: list[Condition] = []
    todo = [*arguments]
    seen: set[int] = set()  # of many parts some may be shared
    for x in todo:
        if is_tuple(x):
            if len(todo) > _MANY:
                if id(x) in seen:
                    continue
                seen.add(id(x))
            todo += x
        # a layout that has nothing beside shape and stride carries none
        elif (
            type(x) not in PLAIN_INTS and not isinstance(x, type) and getattr(x, "beside", x) is not None
        ):
            found += getattr(x, "assumptions", ())
    return found
