# SPDX-License-Identifier: Apache-2.0
"""The steps of each operation, recorded by the code that computes the result."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from .. import algebra
from ..algebra import (
    coalesce_steps,
    coalesced,
    composed,
    extended_modes,
    free,
    is_left_alone,
    is_one,
    left_inverted,
    modes_of,
    of_modes,
    read_modes,
    right_inverted,
    row,
    same_rank,
    tiler_layout,
)
from ..errors import UnsupportedError
from ..ground import guarded, shown
from ..layouts import AnyLayout, is_layout
from ..numbers import is_tuple
from .explanation import Explanation

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..algebra import ComplementStep, CompositionStep, InverseStep


def explain(operation: str | Callable[..., Any], *arguments: Any, **options: Any) -> Explanation:
    """Return the explanation of an operation, by its name or by the function itself.

    >>> print(explain("complement", Layout((2, 2), (1, 6)), 24).steps[1])
    ComplementStep(shape=2, stride=6, end=2, gap=3, taken=Layout(3, 2))

    Raises:
        UnsupportedError: the operation has no steps to show; the text names those that have.
        TlaError: the operation itself raises it.
    """
    name = (
        operation
        if isinstance(operation, str)
        else getattr(operation, "__name__", None) or shown(operation)
    )
    name = "composition" if name == "compose" else name
    if name not in EXPLAINED:
        raise UnsupportedError(
            f"there are no steps of {name!r} to show",
            f"Known: {', '.join(sorted(EXPLAINED))}.",
            *(["layout.explain(1, 5) shows the steps of an offset."] if is_layout(operation) else ()),
            name=name,
        )
    from inspect import signature

    function = getattr(algebra, name)
    result = guarded(function)(*arguments, **options)
    call = signature(function).bind(*arguments, **options)  # puts keywords in their order
    whole = Explanation(name, call.args, result, options=tuple(call.kwargs.items()))
    return EXPLAINED[name](whole, *call.args, **call.kwargs)


def _coalesce(whole: Explanation, layout: AnyLayout, profile: Any = None) -> Explanation:
    if is_tuple(profile):
        return _by_mode(whole, layout, profile, partial(explain, "coalesce"))
    return whole._replace(arguments=(layout,), steps=tuple(coalesce_steps(layout)))


def _composition(whole: Explanation, a: AnyLayout, b: Any, *, extend: bool = True) -> Explanation:
    if is_left_alone(b) or not is_layout(a):  # a swizzle has no modes
        return whole
    if is_tuple(b):
        options = {} if extend else {"extend": False}
        return _by_mode(whole, a, b, partial(explain, "composition", **options))
    right = tiler_layout(b)
    steps: list[CompositionStep] = []
    composed(a, right, extend, steps)
    notes = _coalesces("A", a, extended_modes)
    if any(step.action == "run" for step in steps):
        notes = (*notes, "B cuts modes of A: on these stretches A is linear, and no carry is left over")
    return whole._replace(arguments=(a, right), steps=tuple(steps), notes=notes)


def _coalesces(name: str, layout: AnyLayout, modes: Callable[[Any], Any]) -> tuple[str, ...]:
    """A note on the coalesced layout that the steps use, if it differs from the argument."""
    read = read_modes(layout)
    flat = of_modes(modes(read[0]), read[1]) if read is not None and read[0] else layout
    return () if flat == layout else (f"{name} coalesces to {flat}",)


def _complement(
    whole: Explanation, layout: Any, cotarget: Any = None, *, grows: bool = False
) -> Explanation:
    of = tiler_layout(layout)
    steps: list[ComplementStep] = []
    free(of, cotarget, steps, grows)
    arguments = (of,) if cotarget is None else (of, cotarget)
    goes_on = grows and is_one(steps[-1].gap)
    notes = ("its last mode stays, to go on from there",) if goes_on else ()
    return whole._replace(arguments=arguments, steps=tuple(steps), notes=notes)


def _right_inverse(whole: Explanation, layout: Any) -> Explanation:
    return _inverse(whole, tiler_layout(layout), right_inverted)


def _left_inverse(whole: Explanation, layout: Any) -> Explanation:
    return _inverse(whole, tiler_layout(layout), left_inverted)


def _inverse(whole: Explanation, of: AnyLayout, compute: Callable[..., AnyLayout]) -> Explanation:
    steps: list[InverseStep] = []
    result = compute(of, steps)
    notes = _coalesces("it", of, coalesced)
    if not steps and not is_one(result.size):
        notes = (*notes, "its strides do not divide each other: a search found these extents")
    return whole._replace(arguments=(of,), steps=tuple(steps), notes=notes)


def _logical_divide(
    whole: Explanation, layout: AnyLayout, tiler: Any, *, exact: bool = False
) -> Explanation:
    if is_tuple(tiler):
        options = {"exact": True} if exact else {}
        return _by_mode(whole, layout, tiler, partial(explain, "logical_divide", **options))
    if is_left_alone(tiler):
        return whole
    by = tiler_layout(tiler)
    rest = explain("complement", by, layout.size)
    return whole._replace(
        arguments=(layout, by),
        parts=(rest, explain("composition", layout, row((by, rest.result)))),
        notes=(f"the tile {by}, and the complement that runs over the tiles",),
    )


def _logical_product(whole: Explanation, block: AnyLayout, tiler: Any) -> Explanation:
    if is_tuple(tiler):
        return _by_mode(whole, block, tiler, partial(explain, "logical_product"))
    if is_left_alone(tiler):
        return whole
    over = tiler_layout(tiler)
    target = block.size * over.cosize
    rest = Explanation("complement", (block, target), free(block, target, grows=True))
    return whole._replace(
        arguments=(block, over),
        parts=(
            _complement(rest, block, target, grows=True),
            explain("composition", rest.result, over),
        ),
        notes=("the block, and the copies in the offsets that it leaves free",),
    )


def _by_mode(
    whole: Explanation, layout: AnyLayout, tilers: tuple[Any, ...], one: Callable[..., Explanation]
) -> Explanation:
    pairs = zip(modes_of(layout), tilers)  # noqa: B905 (modes past the tilers stay or go)
    parts = [one(mode, tiler) for mode, tiler in pairs if not is_left_alone(tiler)]
    return whole._replace(parts=tuple(parts))


def _by_logical_form(whole: Explanation, layout: AnyLayout, tiler: Any, **options: Any) -> Explanation:
    if is_left_alone(tiler):
        return whole
    logical = f"logical_{whole.operation.partition('_')[2]}"
    part = explain(logical, layout, tiler, **options)
    return whole._replace(parts=(part,), notes=("the modes of the logical form, gathered",))


def _by_pairs(whole: Explanation, block: AnyLayout, tiler: Any) -> Explanation:
    part = explain("logical_product", *same_rank(block, tiler))
    return whole._replace(parts=(part,), notes=("mode by mode, the block and its copies together",))


# The operations with steps to show, by name.
EXPLAINED: dict[str, Callable[..., Explanation]] = {
    "coalesce": _coalesce,
    "complement": _complement,
    "composition": _composition,
    "left_inverse": _left_inverse,
    "logical_divide": _logical_divide,
    "logical_product": _logical_product,
    "blocked_product": _by_pairs,
    "raked_product": _by_pairs,
    "right_inverse": _right_inverse,
    **dict.fromkeys(
        [f"{form}_{what}" for form in ("zipped", "tiled", "flat") for what in ("divide", "product")],
        _by_logical_form,
    ),
}
