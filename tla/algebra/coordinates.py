# SPDX-License-Identifier: Apache-2.0
"""Layouts whose values are coordinates, as layouts of ints: by the box that the coordinates lie in.

A stride that is a basis element counts along one mode of a coordinate. Numbered through the least box
that holds the coordinates, or through the shape that they index, each coordinate is one int.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from ..errors import CoordinateError, LayoutError
from ..layouts import AnyLayout, compact_col_major, leaves, product, text_of, transform_leaf, trusted
from ..numbers import Basis, _0, _1, is_tuple, known_eq, known_int, less
from .modes import in_profile, raw_modes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .modes import Modes


def has_coordinates(modes: Modes) -> bool:
    """Whether the values of some modes are coordinates."""
    return any(isinstance(d, Basis) for _s, d in modes)


def gives_coordinates(layout: AnyLayout) -> bool:
    """Whether the values of a layout are coordinates.

    >>> gives_coordinates(make_identity_layout((4, 8))), gives_coordinates(Layout((4, 8)))
    (True, False)
    """
    return has_coordinates(raw_modes(layout))


def spans(modes: Modes) -> dict[tuple[int, ...], Any]:
    """Return for each mode of the coordinates the length from the least to the greatest."""
    reach: Any = sum([abs(d) * (s - _1) for s, d in modes], _0)
    return {path: _1 + n for path, n in reach.terms.items()}


def numbered(modes: Modes) -> Modes:
    """Return modes of ints that are equal where the coordinates are: their places in the least box."""
    if not has_coordinates(modes):
        return modes
    weights: dict[tuple[int, ...], Any] = {}
    below: Any = _1
    for path, span in spans(modes).items():
        weights[path] = below
        below = below * span
    return [(s, _weighted(weights, d)) for s, d in modes]


def numbered_layout(layout: AnyLayout) -> AnyLayout:
    """Return a layout of coordinates with their places in the least box as offsets; others as they are.

    >>> print(numbered_layout(Layout((4, 8), (E(1), E(0)))))
    (4,8):(8,_1)
    """
    modes = raw_modes(layout)
    places = numbered(modes)
    if places is modes:
        return layout
    return trusted(layout.shape, in_profile([d for _s, d in places], layout.shape))


def place_in_box(layout: AnyLayout, value: Any) -> int | None:
    """Return the place of a coordinate in the least box of those of a layout; None outside.

    >>> identity = make_identity_layout((4, (2, 3)))
    >>> place_in_box(identity, (1, (0, 2))), place_in_box(identity, (9, 0))
    (17, None)

    Raises:
        CoordinateError: the value is an int.
    """
    modes = raw_modes(layout)
    terms = dict(_terms(value)) if is_tuple(value) else getattr(value, "terms", None)
    if terms is None:
        raise CoordinateError(
            f"{value} is no value of {layout}",
            f"Its values are coordinates, such as {text_of(layout(0))}.",
            layout=layout,
        )
    box = spans(modes)
    if any(n for path, n in terms.items() if path not in box):
        return None
    place, below = 0, 1
    for path, span in box.items():
        low = sum([min(0, (s - 1) * d.terms.get(path, 0)) for s, d in modes if isinstance(d, Basis)])
        at, length = known_int(terms.get(path, 0)), known_int(span)
        if not low <= at < low + length:
            return None
        place, below = place + at * below, below * length
    return place


def _terms(value: Any, path: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], Any]]:
    """The ints of a coordinate, by their places in it."""
    for i, part in enumerate(value):
        if is_tuple(part):
            yield from _terms(part, (*path, i))
        else:
            yield (*path, i), part


def _weighted(weights: dict[tuple[int, ...], Any], d: Any) -> Any:
    terms = d.terms if isinstance(d, Basis) else {}
    return sum([n * weights[path] for path, n in terms.items()], _0)


def indexing(b: AnyLayout, shape: Any) -> AnyLayout:
    """Return a layout of coordinates of a shape as one of its indices; other layouts as they are.

    >>> print(indexing(Layout((8, 4), (E(1), E(0))), (4, 8)))
    (8,4):(4,_1)

    Raises:
        CoordinateError: a coordinate lies outside the shape.
    """
    modes = raw_modes(b)
    if not has_coordinates(modes):
        return b
    steps = compact_col_major(shape)
    weights: dict[tuple[int, ...], Any] = {}
    for path, span in spans(modes).items():
        part, step = shape, steps
        for i in path:
            if not is_tuple(part) or i >= len(part):
                raise CoordinateError(
                    f"{b} counts along mode {'.'.join(map(str, path))}, which {text_of(shape)} lacks",
                    shape=shape,
                    mode=path,
                )
            part, step = part[i], step[i]
        place = f"mode {'.'.join(map(str, path))}"
        why = ""
        if any(less(d.terms.get(path, _0), 0) for _s, d in modes if isinstance(d, Basis)):
            why = f"Its coordinates go below 0 in {place}."
        elif less(product(part), span):
            why = f"Its coordinates take {span} places in {place}, of size {product(part)}."
        if why:
            raise CoordinateError(
                f"{b} leads out of the shape {text_of(shape)}",
                why,
                shape=shape,
                mode=path,
            )
        weights[path] = next(iter(leaves(step)), _1)
    return trusted(b.shape, transform_leaf(partial(_weighted, weights), b.stride))


def by_coordinate(modes: Modes) -> dict[tuple[int, ...], list[tuple[Any, Any, Any]]]:
    """Return for each mode of the coordinates the modes that count along it: extent, step, index below.

    Raises:
        LayoutError: a mode counts along several.
    """
    found: dict[tuple[int, ...], list[tuple[Any, Any, Any]]] = {}
    below: Any = _1
    for s, d in modes:
        terms = d.terms if isinstance(d, Basis) else {}
        moving = [path for path, n in terms.items() if known_eq(n, 0) is not True]
        if len(moving) > 1 and known_eq(s, 1) is not True:
            raise LayoutError(
                f"no layout inverts a mode {s}:{d}: it counts along {len(moving)} modes at once",
                stride=d,
            )
        for path in terms:
            found.setdefault(path, [])
        for path in moving:
            found[path].append((s, terms[path], below))
        below = below * s
    return dict(sorted(found.items()))
