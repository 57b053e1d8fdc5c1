# SPDX-License-Identifier: Apache-2.0
"""The four forms of a division side by side: the same cells in other groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from .. import algebra
from ..algebra import is_left_alone, modes_of, preimage, tiler_layout, tiler_text
from ..errors import TlaError, UndecidedError
from ..ground import Steps
from ..layouts import Layout, as_layout, crd2idx, idx2crd, is_layout, text_of, transform_leaf
from ..numbers import is_static, is_tuple, known_int
from .painting import has_picture
from .pictures import divided_figure, tiled_figure
from .sentences import number
from .tiles import Tiles, is_inside

if TYPE_CHECKING:
    from ..algebra import Tiler
    from ..ground import AnyFigure
    from ..layouts import AnyLayout

_FORMS: Final = {
    "logical_divide": "(tile, rest) in each mode",
    "zipped_divide": "(tiles), (rests)",
    "tiled_divide": "(tiles), rest, rest, ...",
    "flat_divide": "tile, tile, ..., rest, rest, ...",
}


def divide_table(layout: AnyLayout, tiler: Tiler, *, exact: bool = False) -> Steps:
    """Return the four forms of a division of a layout, with the place of one element in each.

    >>> steps = divide_table(Layout((8, 6), (1, 8)), (4, 3))
    >>> for row in steps.parts[0].rows:
    ...     print(row[0], row[2], row[3])
    logical ((4,2),(3,2)):((1,4),(8,24)) ((3,1),(2,1))
    zipped ((4,3),(2,2)):((1,8),(4,24)) ((3,2),(1,1))
    tiled ((4,3),2,2):((1,8),4,24) ((3,2),1,1)
    flat (4,3,2,2):(1,8,4,24) (3,2,1,1)

    A tuple of ints divides mode by mode. A layout of the same shape counts through all modes. If the two
    differ, the result has both:

    >>> [part.title for part in divide_table(Layout((12, 32)), (4, 8)).parts]
    ['by mode: (4,8)', 'by a layout: (4,8):(1,4)']

    Raises:
        TlaError: the division itself raises it.
    """
    as_layout(layout)
    title = f"divide({layout}, {tiler_text(tiler)}{', exact=true' if exact else ''})"
    first = _reading(layout, tiler, exact)
    other = _other(layout, tiler)
    second: Steps | None = None
    note = ""
    if other is not None:
        try:
            other_result = algebra.zipped_divide(layout, other)
            if not _is_same(other_result, algebra.zipped_divide(layout, tiler)):
                second = _reading(layout, other, exact)
        except TlaError as error:
            note = f"{_name(other)} there is none: {error.summary}"
    if second is None:
        return first._replace(title=title, notes=tuple([note] if note else []))
    readings = (first, second)
    return Steps(
        title,
        ("two readings: a shape divides mode by mode, a layout counts through all modes",),
        (),
        (),
        tuple([reading._replace(pictures=()) for reading in readings]),
        "; ".join([f"{reading.title}: {reading.result}" for reading in readings]),
        (),
        (*first.pictures, *second.pictures[:2]),
    )


def _is_same(a: AnyLayout, b: AnyLayout) -> bool:
    """Whether two divisions are known to have the same offsets in the same order."""
    try:
        return algebra.same_function(a, b)
    except UndecidedError:
        return False


def _other(layout: AnyLayout, tiler: Any) -> Any:
    """The layout with the shape of a tuple tiler, or the shape of a layout tiler; None without one."""
    if is_layout(tiler):
        fits = is_tuple(tiler.shape) and 0 < len(tiler.shape) <= len(modes_of(layout))
        return tiler.shape if fits and is_tuple(layout.shape) else None
    if not (is_tuple(tiler) and tiler and _is_shape(tiler)):
        return None
    compact = Layout(tiler)
    return compact if compact.is_static else Layout(tiler, transform_leaf(_plain, compact.stride))


def _plain(d: Any) -> Any:
    """A static stride as a dynamic int."""
    return known_int(d) if is_static(d) else d


def _is_shape(tiler: Any) -> bool:
    return all(map(_is_shape, tiler)) if is_tuple(tiler) else isinstance(tiler, int)


def _name(tiler: Any) -> str:
    if is_tuple(tiler):
        return f"by mode: {tiler_text(tiler)}"
    return f"by a layout: {tiler_text(tiler)}"


def _reading(layout: AnyLayout, tiler: Any, exact: bool) -> Steps:
    """The four forms of the division by one tiler."""
    results = {name: getattr(algebra, name)(layout, tiler, exact=exact) for name in _FORMS}
    is_drawn = has_picture(layout, *results.values()) and not _unknown(tiler)
    tiles = Tiles(layout, tiler) if is_drawn and not is_left_alone(tiler) else None
    columns = ["form", "modes", "result"]
    at = None if tiles is None else _last_in_tile(tiles)
    rows: list[tuple[str, ...]] = []
    for name, result in results.items():
        row = [_form(name), _FORMS[name], str(result)]
        if tiles is not None and at is not None:
            row.append(text_of(_coordinate(tiles.indices(name), at, result)))
        rows.append(tuple(row))
    if tiles is not None and at is not None:
        where = text_of(idx2crd(at, tiles.whole.shape))
        columns.append(f"{where}, offset {number(tiles.whole(at))}, is at")
    pictures: list[AnyFigure] = []
    if tiles is not None:
        pictures.append(
            tiled_figure(tiles, f"{layout}, one colour for each tile of {tiler_text(tiler)}")
        )
        pictures += [
            divided_figure(tiles, next(iter(names)), result, f"{', '.join(map(_form, names))}: {result}")
            for result, names in _alike(results)
        ]
    return Steps(
        _name(tiler),
        (),
        tuple(columns),
        tuple(rows),
        (),
        str(results["logical_divide"]),
        _sentences(layout, tiler, results["zipped_divide"]),
        tuple(pictures),
    )


def _coordinate(indices: AnyLayout, at: int, result: AnyLayout) -> Any:
    """The coordinate of a division at an index, for any nesting of the division."""
    coord = next(preimage(indices, at))
    return idx2crd(crd2idx(coord, indices.shape), result.shape)


def _form(operation: str) -> str:
    return operation.partition("_")[0]


def _alike(results: dict[str, AnyLayout]) -> list[tuple[AnyLayout, list[str]]]:
    """The different results, each with all its names."""
    groups: list[tuple[AnyLayout, list[str]]] = []
    for name, result in results.items():
        same = next((names for other, names in groups if other == result), None)
        if same is None:
            groups.append((result, [name]))
        else:
            same.append(name)
    return groups


def _unknown(tiler: Any) -> bool:
    if is_tuple(tiler):
        return any(map(_unknown, tiler))
    return not is_left_alone(tiler) and bool(tiler_layout(tiler).symbols)


def _last_in_tile(tiles: Tiles) -> int | None:
    """The last index that lies in a tile, or None."""
    last = known_int(tiles.whole.size)
    for index in range(last - 1, max(-1, last - 1 - 4096), -1):
        if is_inside(index, tiles.whole, tiles.layout) and tiles.number(index) is not None:
            return index
    return None


def _sentences(layout: AnyLayout, tiler: Any, zipped: AnyLayout) -> tuple[str, ...]:
    if is_left_alone(tiler):
        return ()
    tile, rest = modes_of(zipped)
    count = f"{number(rest.size)} tiles of {number(tile.size)}"
    if not is_tuple(tiler):
        by = tiler_layout(tiler)
        return (
            f"{by} picks {number(by.size)} of the {number(layout.size)} indices of A, counted through"
            f" all modes: {count}.",
        )
    lines: list[str] = []
    for i, mode in enumerate(modes_of(layout)):
        if i >= len(tiler) or is_left_alone(tiler[i]):
            lines.append(f"Mode {i}, {mode}, is not divided.")
            continue
        logical = algebra.logical_divide(mode, tiler[i])
        if is_tuple(tiler[i]):
            lines.append(f"Mode {i}, {mode}, is divided mode by mode: {logical}.")
            continue
        inside, over = modes_of(logical)
        lines.append(
            f"Mode {i}, {mode}: {number(inside.size)} at a time, {number(over.size)} times"
            f" ({number(inside.size)} * {number(over.size)} = {number(inside.size * over.size)})."
        )
    return (*lines, f"In all {count}.")
