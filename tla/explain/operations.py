"""How an operation comes about, noted by the code that makes the result."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from .. import algebra
from ..algebra.by_mode import is_left_alone
from ..algebra.coalesce import coalesced
from ..algebra.complement import free
from ..algebra.composition import composed, extended_modes, tiler_layout, walked
from ..algebra.inverse import left_inverted, right_inverted
from ..algebra.modes import as_static, is_one, modes_of, of_modes, read_modes, row
from ..algebra.product import same_rank
from ..errors import UnsupportedError
from ..ints import is_tuple, known_eq
from ..layout import AnyLayout, is_layout, is_static, trusted
from .explanation import Explanation
from .records import CoalesceStep, ComplementStep, CompositionStep, InverseStep

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["EXPLAINED", "explain"]


def explain(operation: str | Callable[..., Any], *arguments: Any, **options: Any) -> Explanation:
    """Return the explanation of an operation, given by name or as the function itself.

    >>> print(explain("complement", Layout((2, 2), (1, 6)), 24).steps[1])
    ComplementStep(shape=2, stride=6, end=2, gap=3, taken=Layout(3, 2))

    Raises:
        UnsupportedError: the operation has no steps to show; those that have are named.
        TlaError: what the operation itself raises.
    """
    name = operation if isinstance(operation, str) else getattr(operation, "__name__", repr(operation))
    name = "composition" if name == "compose" else name
    if name not in EXPLAINED:
        raise UnsupportedError(
            f"there are no steps of {name!r} to show",
            f"Known: {', '.join(sorted(EXPLAINED))}.",
            name=name,
        )
    from inspect import signature

    function = getattr(algebra, name)
    result = function(*arguments, **options)
    given = signature(function).bind(*arguments, **options)  # in order, also those given by name
    whole = Explanation(name, given.args, result, options=tuple(given.kwargs.items()))
    return EXPLAINED[name](whole, *given.args, **given.kwargs)


def _coalesce(whole: Explanation, layout: AnyLayout, profile: Any = None) -> Explanation:
    if is_tuple(profile):
        return _by_mode(whole, layout, profile, partial(explain, "coalesce"))
    read = read_modes(layout)
    steps: list[CoalesceStep] = []
    count = 0
    modes = [] if read is None else read[0]
    for i, (s, d) in enumerate(modes):
        now = coalesced(modes[: i + 1])  # the modes so far, by the algorithm itself
        moved = len([n for n, _d in now if n != 1])
        action = "skip" if s == 1 else "keep" if moved > count else "merge"
        steps.append(CoalesceStep(s, d, action, of_modes(now)))
        count = moved
    return whole._replace(arguments=(layout,), steps=_written(steps, layout))


def _composition(whole: Explanation, a: AnyLayout, b: Any, *, extend: bool = True) -> Explanation:
    if is_left_alone(b) or not is_layout(a):  # a swizzle has no modes
        return whole
    if is_tuple(b):
        options = {} if extend else {"extend": False}
        return _by_mode(whole, a, b, partial(explain, "composition", **options))
    right = tiler_layout(b)
    events: list[Any] = []
    composed(a, right, extend, events)
    steps: list[CompositionStep] = []
    leaf = 0
    for kind, *event in events:
        if kind == "runs":
            (runs,) = event
            for m, e, t in runs:
                run = of_modes([(m, t)])
                steps.append(CompositionStep(leaf, m, e, None, None, None, "run", run))
        else:
            k, size, d, s, e, n = event
            taken: AnyLayout | None = None if kind == "pass" else of_modes([(n, e * d)])
            steps.append(CompositionStep(leaf, s, e, k, size, d, kind, taken))
        leaf += kind in ("fit", "runs")
    notes = _coalesces("A", a, extended_modes)
    left, over = read_modes(a), read_modes(right)
    if left and over and walked(extended_modes(left[0]), over[0]) is None and steps:
        notes = (*notes, "B cuts modes of A: on these stretches A is linear, and no carry is left over")
    return whole._replace(arguments=(a, right), steps=_written(steps, a, right), notes=notes)


def _coalesces(name: str, layout: AnyLayout, modes: Callable[[Any], Any]) -> tuple[str, ...]:
    """A note on what the steps call a layout, where it is not what was given."""
    read = read_modes(layout)
    flat = of_modes(modes(read[0]), read[1]) if read is not None and read[0] else layout
    return () if flat == layout else (f"{name} coalesces to {flat}",)


def _complement(
    whole: Explanation, layout: Any, cotarget: Any = None, *, grows: bool = False
) -> Explanation:
    of = tiler_layout(layout)
    events: list[Any] = []
    free(of, cotarget, events, grows)
    arguments = (of,) if cotarget is None else (of, cotarget)
    steps = [
        ComplementStep(s, d, end, gap, None if is_one(gap) else of_modes([(gap, end)]))
        for s, d, end, gap in events
    ]
    notes: tuple[str, ...] = ()
    if grows and steps[-1].taken is None:
        steps[-1] = steps[-1]._replace(taken=of_modes([(1, steps[-1].end)]))
        notes = ("its last mode stays, to go on from there",)
    return whole._replace(arguments=arguments, steps=_written(steps, *arguments), notes=notes)


def _right_inverse(whole: Explanation, layout: Any) -> Explanation:
    return _inverse(whole, tiler_layout(layout), right_inverted)


def _left_inverse(whole: Explanation, layout: Any) -> Explanation:
    return _inverse(whole, tiler_layout(layout), left_inverted)


def _inverse(whole: Explanation, of: AnyLayout, inverted: Callable[..., AnyLayout]) -> Explanation:
    events: list[Any] = []
    inverted(of, events)
    moving, digits = (modes for modes in events)
    sizes = {index: size for size, index in digits if known_eq(index, 0) is not True}
    is_left = inverted is left_inverted
    steps: list[InverseStep] = []
    end: Any = 1
    if is_left and not is_one(digits[0][0]):
        steps.append(InverseStep(None, None, 0, None, of_modes([(digits[0][0], 0)])))
    for s, d, p in moving:
        taken = of_modes([(sizes[p], p)]) if p in sizes else None
        steps.append(InverseStep(s, d, p, None if is_left else end, taken))
        end = end if taken is None else sizes[p] * d
    notes = _coalesces("it", of, coalesced)
    return whole._replace(arguments=(of,), steps=_written(steps, of), notes=notes)


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


def _gathered(whole: Explanation, layout: AnyLayout, tiler: Any, **options: Any) -> Explanation:
    if is_left_alone(tiler):
        return whole
    logical = f"logical_{whole.operation.partition('_')[2]}"
    part = explain(logical, layout, tiler, **options)
    return whole._replace(parts=(part,), notes=("the modes of the logical form, gathered",))


def _paired(whole: Explanation, block: AnyLayout, tiler: Any) -> Explanation:
    part = explain("logical_product", *same_rank(block, tiler))
    return whole._replace(parts=(part,), notes=("mode by mode, the block and its copies together",))


def _written(steps: Sequence[Any], *arguments: Any) -> tuple[Any, ...]:
    """The records with the ints as the arguments write them: static where all of those are."""
    if not all(map(is_static, arguments)):
        return tuple(steps)
    return tuple([type(step)(*(_part(f, x) for f, x in step._asdict().items())) for step in steps])


def _part(field: str, x: Any) -> Any:
    if is_layout(x):
        return trusted(as_static(x.shape), as_static(x.stride))
    return x if x is None or isinstance(x, str) or field in ("mode", "left") else as_static(x)


# The operations with steps to show, by name.
EXPLAINED: dict[str, Callable[..., Explanation]] = {
    "coalesce": _coalesce,
    "complement": _complement,
    "composition": _composition,
    "left_inverse": _left_inverse,
    "logical_divide": _logical_divide,
    "logical_product": _logical_product,
    "blocked_product": _paired,
    "raked_product": _paired,
    "right_inverse": _right_inverse,
    **dict.fromkeys(
        [f"{form}_{what}" for form in ("zipped", "tiled", "flat") for what in ("divide", "product")],
        _gathered,
    ),
}
