"""The steps of an operation as data: what the algorithm did, from the run that made the result.

>>> found = explain("composition", Layout((6, 2), (8, 2)), Layout((4, 3), (3, 1)))
>>> print(found.result)
((2,2),3):((24,2),8)
>>> for step in found.steps:
...     print(step.mode, f"{step.shape}:{step.stride}", step.action, step.taken)
0 4:3 split 2:24
0 2:1 fit 2:2
1 3:1 fit 3:8

An `Explanation` holds the arguments, the records of the steps, and the explanations of the operations
that this one is made of: a division is a complement and a composition. Its ``figure()`` is the same as
a table of texts.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from . import algebra
from .algebra.by_mode import is_left_alone, tiler_text
from .algebra.coalesce import coalesced
from .algebra.complement import free
from .algebra.composition import composed, extended_modes, tiler_layout
from .algebra.inverse import left_inverted, right_inverted
from .algebra.modes import as_static, modes_of, of_modes, read_modes, row
from .algebra.product import same_rank
from .errors import UnsupportedError
from .figure import Steps
from .ints import is_tuple
from .layout import AnyLayout, as_layout, is_layout, is_static, trusted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = [
    "EXPLAINED",
    "CoalesceStep",
    "ComplementStep",
    "CompositionStep",
    "Explanation",
    "InverseStep",
    "explain",
]


# --- records ----------------------------------------------------------------------------------


class CoalesceStep(NamedTuple):
    """One mode read from left to right, and the modes there are after it."""

    shape: Any
    stride: Any
    action: str
    """``skip``: its size is 1; ``merge``: it continues the mode before; ``keep``: it is a new mode."""
    so_far: AnyLayout


class CompositionStep(NamedTuple):
    """What the rest of a mode of the right side takes of a mode of the left side."""

    mode: int
    """The number of the leaf of the right side."""
    shape: Any
    stride: Any
    """What is left of that leaf."""
    left: int | None
    """The number of the mode of the coalesced left side; None where it takes none."""
    left_shape: Any
    """Its size, or None of the last mode, which grows."""
    left_stride: Any
    action: str
    """``pass``: the stride is a multiple of this mode; ``split``: it takes all there is of the mode;
    ``fit``: it ends in it; ``run``: a stretch on which the left side is linear, found by search."""
    taken: AnyLayout | None


class ComplementStep(NamedTuple):
    """One mode in the order of strides, and the gap below it; of the last step the rest of the range."""

    shape: Any
    stride: Any
    end: Any
    """Where the mode before it ends: ``shape * stride`` of that one."""
    gap: Any
    """The size of the mode of the complement with stride ``end``; 1 for none."""


class InverseStep(NamedTuple):
    """One mode in the order of strides, and what it gives to the inverse."""

    shape: Any
    stride: Any
    index: Any
    """How many coordinates lie below it: the stride of its index."""
    taken: AnyLayout | None


class Explanation(NamedTuple):
    """An operation, its arguments, its result and how that came about."""

    operation: str
    arguments: tuple[Any, ...]
    result: AnyLayout
    steps: tuple[Any, ...] = ()
    parts: tuple[Explanation, ...] = ()
    notes: tuple[str, ...] = ()

    def figure(self) -> Steps:
        """Return the steps as a table of texts."""
        arguments = ", ".join(map(tiler_text, self.arguments))
        columns, rows = _table(self.steps)
        return Steps(
            f"{self.operation}({arguments})",
            self.notes,
            columns,
            rows,
            tuple([part.figure() for part in self.parts]),
            str(self.result),
        )


# --- the operations ---------------------------------------------------------------------------


def explain(operation: str | Callable[..., Any], *arguments: Any, **options: Any) -> Explanation:
    """Return the explanation of an operation, given by name or as the function itself.

    >>> print(explain("complement", Layout((2, 2), (1, 6)), 24).steps[1])
    ComplementStep(shape=2, stride=6, end=2, gap=3)

    Raises:
        UnsupportedError: the operation has no steps to show; those that have are named.
        TlaError: what the operation itself raises.
    """
    name = operation if isinstance(operation, str) else getattr(operation, "__name__", repr(operation))
    if name not in EXPLAINED:
        raise UnsupportedError(
            f"there are no steps of {name!r} to show",
            f"Known: {', '.join(sorted(EXPLAINED))}.",
            name=name,
        )
    return EXPLAINED[name](*arguments, **options)


def _coalesce(layout: AnyLayout, profile: Any = None) -> Explanation:
    if is_tuple(profile):
        result = algebra.coalesce(layout, profile)
        pairs = zip(modes_of(layout), profile)  # noqa: B905 (modes past the profile stay)
        return Explanation(
            "coalesce", (layout, profile), result, parts=tuple([_coalesce(*pair) for pair in pairs])
        )
    result = algebra.coalesce(layout)
    read = read_modes(layout)
    steps: list[CoalesceStep] = []
    before = coalesced([])
    modes = [] if read is None else read[0]
    for i, (s, d) in enumerate(modes):
        now = coalesced(modes[: i + 1])  # the modes so far, by the algorithm itself
        grown = len(now) > len(before) or before == [(1, 0)]
        action = "skip" if now == before else "keep" if grown else "merge"
        steps.append(CoalesceStep(s, d, action, of_modes(now)))
        before = now
    return Explanation("coalesce", (layout,), result, _written(steps, layout))


def _composition(a: AnyLayout, b: Any, *, extend: bool = True) -> Explanation:
    if is_tuple(b):
        return _by_mode("composition", partial(_composition, extend=extend), a, b)
    right = tiler_layout(b)
    events: list[Any] = []
    result = composed(as_layout(a), right, extend, events)
    steps: list[CompositionStep] = []
    leaf = 0
    for kind, *event in events:
        if kind == "runs":
            (runs,) = event
            for m, e, t in runs:
                steps.append(CompositionStep(leaf, m, e, None, None, None, "run", of_modes([(m, t)])))
        else:
            k, size, d, s, e, n = event
            taken = None if kind == "pass" else of_modes([(n, e * d)])
            steps.append(CompositionStep(leaf, s, e, k, size, d, kind, taken))
        leaf += kind in ("fit", "runs")
    read = read_modes(a)
    flat = a if read is None else of_modes(extended_modes(read[0]), read[1])
    notes = () if flat == a else (f"the left side coalesces to {flat}",)
    return Explanation("composition", (a, right), result, _written(steps, a, right), notes=notes)


def _complement(layout: Any, cotarget: Any = None) -> Explanation:
    of = tiler_layout(layout)
    events: list[Any] = []
    result = free(of, cotarget, events)
    arguments = (of,) if cotarget is None else (of, cotarget)
    steps = [ComplementStep(*event) for event in events]
    return Explanation("complement", arguments, result, _written(steps, *arguments))


def _right_inverse(layout: Any) -> Explanation:
    of = tiler_layout(layout)
    events: list[Any] = []
    result = right_inverted(of, events)
    moving, chosen = events
    sizes = {p: s for s, _d, p in chosen}
    steps = [
        InverseStep(s, d, p, of_modes([(sizes[p], p)]) if p in sizes else None) for s, d, p in moving
    ]
    return Explanation("right_inverse", (of,), result, _written(steps, of))


def _left_inverse(layout: Any) -> Explanation:
    of = tiler_layout(layout)
    events: list[Any] = []
    result = left_inverted(of, events)
    moving, digits = events
    strides = {d: s for s, d in digits}
    steps = [
        InverseStep(s, d, p, of_modes([(strides[p], p)]) if p in strides else None) for s, d, p in moving
    ]
    return Explanation("left_inverse", (of,), result, _written(steps, of))


def _logical_divide(layout: AnyLayout, tiler: Any, *, exact: bool = False) -> Explanation:
    if is_tuple(tiler):
        return _by_mode("logical_divide", partial(_logical_divide, exact=exact), layout, tiler)
    result = algebra.logical_divide(layout, tiler, exact=exact)
    by = tiler_layout(tiler)
    rest = _complement(by, layout.size)
    both = row((by, rest.result))
    return Explanation(
        "logical_divide",
        (layout, by),
        result,
        parts=(rest, _composition(layout, both)),
        notes=(f"the tile {by}, and the complement that runs over the tiles",),
    )


def _logical_product(block: AnyLayout, tiler: Any) -> Explanation:
    if is_tuple(tiler):
        return _by_mode("logical_product", _logical_product, block, tiler)
    result = algebra.logical_product(block, tiler)
    over = tiler_layout(tiler)
    rest = _complement(block, block.size * over.cosize)
    return Explanation(
        "logical_product",
        (block, over),
        result,
        parts=(rest, _composition(rest.result, over)),
        notes=("the block, and the copies in the offsets that it leaves free",),
    )


def _written(steps: Sequence[Any], *arguments: Any) -> tuple[Any, ...]:
    """The records with the ints as the arguments write them: static where all of those are."""
    if not all(map(is_static, arguments)):
        return tuple(steps)
    return tuple(
        [type(step)(*(_static_part(f, x) for f, x in step._asdict().items())) for step in steps]
    )


def _static_part(field: str, x: Any) -> Any:
    if is_layout(x):
        return trusted(as_static(x.shape), as_static(x.stride))
    return as_static(x) if isinstance(x, int) and field not in ("mode", "left") else x


def _by_mode(
    name: str, one: Callable[[AnyLayout, Any], Explanation], layout: AnyLayout, tilers: tuple[Any, ...]
) -> Explanation:
    result = getattr(algebra, name)(layout, tilers)
    pairs = zip(modes_of(as_layout(layout)), tilers)  # noqa: B905 (modes past the tilers stay or go)
    parts = [one(mode, tiler) for mode, tiler in pairs if not is_left_alone(tiler)]
    return Explanation(name, (layout, tilers), result, parts=tuple(parts))


def _gathered(name: str, logical: Callable[..., Explanation]) -> Callable[..., Explanation]:
    """The explanation of a division or product that gathers the modes of the logical one."""

    def explained(layout: AnyLayout, tiler: Any, **options: Any) -> Explanation:
        result = getattr(algebra, name)(layout, tiler, **options)
        return Explanation(
            name,
            (layout, tiler),
            result,
            parts=(logical(layout, tiler, **options),),
            notes=("the modes of the logical form, gathered",),
        )

    return explained


def _interleaved(name: str) -> Callable[..., Explanation]:
    """The explanation of a product that pairs the modes of block and tiler."""

    def explained(block: AnyLayout, tiler: Any) -> Explanation:
        result = getattr(algebra, name)(block, tiler)
        part = _logical_product(*same_rank(block, tiler))
        notes = ("mode by mode, the block and its copies together",)
        return Explanation(name, (block, tiler), result, parts=(part,), notes=notes)

    return explained


# The operations with steps to show, by name.
EXPLAINED: dict[str, Callable[..., Explanation]] = {
    "coalesce": _coalesce,
    "complement": _complement,
    "compose": _composition,
    "composition": _composition,
    "left_inverse": _left_inverse,
    "logical_divide": _logical_divide,
    "logical_product": _logical_product,
    "blocked_product": _interleaved("blocked_product"),
    "raked_product": _interleaved("raked_product"),
    "right_inverse": _right_inverse,
    **{
        f"{kind}_divide": _gathered(f"{kind}_divide", _logical_divide)
        for kind in ("zipped", "tiled", "flat")
    },
    **{
        f"{kind}_product": _gathered(f"{kind}_product", _logical_product)
        for kind in ("zipped", "tiled", "flat")
    },
}

# --- as tables --------------------------------------------------------------------------------


def _table(steps: tuple[Any, ...]) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    if not steps:
        return (), ()
    columns, cells = _TABLES[type(steps[0])]
    return columns, tuple([tuple(cells(step)) for step in steps])


def _text(x: Any) -> str:
    return "-" if x is None else str(x)


def _coalesce_cells(step: CoalesceStep) -> list[str]:
    return [f"{step.shape}:{step.stride}", step.action, str(step.so_far)]


def _composition_cells(step: CompositionStep) -> list[str]:
    if step.action == "run":
        return [str(step.mode), f"{step.shape}:{step.stride}", "-", "linear", _text(step.taken)]
    size = "..." if step.left_shape is None else step.left_shape
    of = "-" if step.left is None else f"{size}:{step.left_stride}"
    what = {
        "pass": f"{step.stride} is a multiple of {size}: on to the next",
        "split": f"takes {_text(step.taken and step.taken.shape)} of {step.shape}, to its end",
        "fit": "stays" if step.left is None else "fits",
    }[step.action]
    return [str(step.mode), f"{step.shape}:{step.stride}", of, what, _text(step.taken)]


def _complement_cells(step: ComplementStep) -> list[str]:
    of = "the rest" if step.shape is None else f"{step.shape}:{step.stride}"
    return [of, str(step.end), f"{step.gap}:{step.end}" if step.gap != 1 else "none"]


def _inverse_cells(step: InverseStep) -> list[str]:
    return [f"{step.shape}:{step.stride}", str(step.index), _text(step.taken)]


_TABLES: dict[type, tuple[tuple[str, ...], Callable[[Any], list[str]]]] = {
    CoalesceStep: (("mode", "", "so far"), _coalesce_cells),
    CompositionStep: (("mode", "left of it", "over", "", "gives"), _composition_cells),
    ComplementStep: (("mode by stride", "from", "free below it"), _complement_cells),
    InverseStep: (("mode by stride", "index", "gives"), _inverse_cells),
}
