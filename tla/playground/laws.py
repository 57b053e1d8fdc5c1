# SPDX-License-Identifier: Apache-2.0
"""The law of an operation, checked coordinate by coordinate.

>>> from tla.explain import explain
>>> check(explain("composition", Layout((6, 2), (8, 2)), Layout((4, 3), (3, 1))))
'checked: C(i) = A(B(i)) at all 12 coordinates'

The check computes offsets alone, and none of the steps by which the algebra found the result.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from ..ground import plural
from ..layouts import Layout, flatten_to_tuple, is_layout
from ..numbers import SymbolicInt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..explain import Explanation

MOST: Final = 4096
"""The most coordinates that are checked."""


def check(found: Explanation) -> str:
    """Return what was checked of a result, in words; empty where nothing can be.

    >>> from tla.explain import explain
    >>> check(explain("complement", Layout((2, 2), (1, 6)), 24))
    'checked: the sums of both are 24 different offsets'
    """
    law = _LAWS.get(found.operation) or _LAWS.get(found.operation.rpartition("_")[2])
    operands = (*found.arguments, found.result)
    layouts = [x for x in operands if is_layout(x)]
    if law is None or not is_layout(found.arguments[0]) or not is_layout(found.result):
        return ""
    if any(x.symbols or isinstance(x.size, SymbolicInt) or x.size > MOST for x in layouts):
        return ""
    needs_layout = law in (_composition, _product)
    if needs_layout and not is_layout(found.arguments[1]):
        return ""
    words, pairs = law(*operands, *([_complement_in(found)] if law is _product else []))
    wrong = next((where for where, one, other in pairs if one != other), None)
    return f"checked: {words}" if wrong is None else f"broken at {wrong}: {words}"


def check_steps(found: Explanation) -> list[str]:
    """Return what was checked after each step of an operation, of what is found so far.

    >>> from tla.explain import explain
    >>> check_steps(explain("composition", Layout((6, 2), (8, 2)), Layout((4, 3), (3, 1))))
    ['checked at 2 coordinates', 'checked at 4 coordinates', 'checked at 3 coordinates']
    """
    law = _STEPS.get(found.operation)
    if law is None or not found.steps or not check(found):
        return []
    return [_said(list(pairs)) for pairs in law(found)]


def _said(pairs: list[tuple[Any, Any, Any]]) -> str:
    wrong = next((where for where, one, other in pairs if one != other), None)
    if wrong is not None:
        return f"broken at {wrong}"
    return f"checked at {plural(len(pairs), 'coordinate')}" if pairs else ""


def _composition(a: Any, b: Any, c: Any) -> tuple[str, Any]:
    words = f"C(i) = A(B(i)) at all {b.size} coordinates"
    return words, ((i, c(i), a.extended(b(i))) for i in range(b.size))


def _coalesce(a: Any, c: Any) -> tuple[str, Any]:
    return f"the same offset at all {a.size} indices", ((i, c(i), a(i)) for i in range(a.size))


def _complement(a: Any, *rest: Any) -> tuple[str, Any]:
    c = rest[-1]
    base = {a(i) for i in range(a.size)}
    sums = Counter(x + c(j) for x in base for j in range(c.size))
    return f"the sums of both are {len(sums)} different offsets", ((x, n, 1) for x, n in sums.items())


def _right_inverse(a: Any, r: Any) -> tuple[str, Any]:
    return f"A(R(x)) = x at all {r.size} offsets", ((x, a(r(x)), x) for x in range(r.size))


def _left_inverse(a: Any, inverse: Any) -> tuple[str, Any]:
    found = [inverse.extended(a(i)) for i in range(a.size)]
    is_beyond = max(found, default=0) >= a.size
    words = f"L(A(i)) is i, or an index with its offset, at all {a.size} indices"
    words += "; some lie past the end of A, where its last mode goes on" if is_beyond else ""
    return words, ((i, a.extended(index), a(i)) for i, index in enumerate(found))


def _divide(a: Any, _tiler: Any, c: Any) -> tuple[str, Any]:
    there = Counter(c(i) for i in range(c.size))
    every = Counter(a(i) for i in range(a.size))
    if c.size != a.size:  # the last mode grows, or tiles leave gaps
        words = f"{sum((there & every).values())} of {c.size} coordinates are in A"
        return words, iter(())
    words = f"each offset of A occurs as often as in A, at all {a.size} coordinates"
    return words, ((x, there[x], n) for x, n in every.items())


def _product(block: Any, tiler: Any, c: Any, free: Any) -> tuple[str, Any]:
    inside = Counter(block(i) for i in range(block.size))
    wanted: Counter[int] = Counter()
    for j in range(tiler.size):
        start = free(tiler(j))
        wanted.update({start + x: n for x, n in inside.items()})
    there = Counter(c(i) for i in range(c.size))
    words = f"copy j is the block at R(T(j)), with its complement R, in all {c.size} coordinates"
    return words, ((x, there[x], wanted[x]) for x in {*there, *wanted})


def _complement_in(found: Explanation) -> Any:
    """The complement that the steps of a product have found."""
    while found.operation != "complement":
        found = found.parts[0]
    return found.result


# --- step by step -----------------------------------------------------------------------------


def _joined(modes: list[Any]) -> Any:
    """The layout of modes one after the other."""
    return Layout(tuple([mode.shape for mode in modes]), tuple([mode.stride for mode in modes]))


def _composition_steps(found: Explanation) -> Iterator[Any]:
    """What a leaf of B has taken so far steps through A as the leaf does."""
    a, b = found.arguments
    strides = flatten_to_tuple(b.stride)
    taken: dict[int, list[Any]] = {}
    for step in found.steps:
        modes = taken.setdefault(step.mode, [])
        if step.taken is None:
            yield ()
            continue
        modes.append(step.taken)
        so_far = _joined(modes)
        yield [(i, so_far(i), a.extended(i * strides[step.mode])) for i in range(so_far.size)]


def _coalesce_steps(found: Explanation) -> Iterator[Any]:
    """The modes so far have the offsets of the first indices."""
    (a,) = found.arguments
    for step in found.steps:
        yield [(i, step.so_far(i), a(i)) for i in range(step.so_far.size)]


def _complement_steps(found: Explanation) -> Iterator[Any]:
    """The modes read so far and those of the complement reach no offset twice."""
    read: list[Any] = []
    taken: list[Any] = []
    for step in found.steps:
        if step.shape is not None:
            read.append(Layout(step.shape, step.stride))
        if step.taken is not None:
            taken.append(step.taken)
        both = _joined([*read, *taken])
        sums = Counter(both(i) for i in range(both.size))
        yield [(x, n, 1) for x, n in sums.items()]


def _right_inverse_steps(found: Explanation) -> Iterator[Any]:
    """The modes so far lead from each offset to an index that has it."""
    (a,) = found.arguments
    taken: list[Any] = []
    for step in found.steps:
        if step.taken is None:
            yield ()
            continue
        taken.append(step.taken)
        so_far = _joined(taken)
        yield [(x, a(so_far(x)), x) for x in range(so_far.size)]


_STEPS: Final[dict[str, Callable[[Explanation], Iterator[Any]]]] = {
    "composition": _composition_steps,
    "coalesce": _coalesce_steps,
    "complement": _complement_steps,
    "right_inverse": _right_inverse_steps,
}

_LAWS: Final[dict[str, Callable[..., tuple[str, Any]]]] = {
    "composition": _composition,
    "coalesce": _coalesce,
    "complement": _complement,
    "right_inverse": _right_inverse,
    "left_inverse": _left_inverse,
    "divide": _divide,
    "product": _product,
}
