# SPDX-License-Identifier: Apache-2.0
"""Indexing maps: from a point to the elements that are read for it.

A map leads from the values of its dims to those of its results, for all values of its ranges for which
its constraints hold::

    (d0, d1)[s0]{rt0} -> (d0 + rt0, s0), domain: d0 in [0, 3], d1 in [0, 7], s0 in [0, 4], rt0 in [0, 2]

It is the relation of all ``(dims, runtime) -> results``; the ranges have every value that fits.

Source: XLA ``hlo/analysis/indexing_map.h``.
"""

from __future__ import annotations

from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, Union, final

from ..errors import CoordinateError, KindError, UndecidedError, UnsupportedError
from ..ground import described, did_you_mean, drawn_by, figure_of, html_of, limit_error, limit_of
from ..numbers import Interval, compute, key_of, leaf, required
from .making import Constraint, Fields, constraint_from, listed, runtime_from, variable_from
from .text import FORMS, MapWriter
from .variables import RuntimeVariable, Variable, bounded, dim, rng, rt

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ..ground import Panels
    from ..numbers import Expr, Symbol, Value
    from .variables import Kinds

IntervalLike: TypeAlias = Union[Interval, "tuple[int, int]", int]
"""An interval, its two ends, or a size."""


class Point(NamedTuple):
    """Values for the variables of a map.

    >>> from tla.indexing import parse_map
    >>> m = parse_map("(d0)[s0] -> (d0 + s0), domain: d0 in [0, 1], s0 in [0, 1]")
    >>> [(point.dims, point.ranges, results) for point, results in m.points()][:3]
    [((0,), (0,), (0,)), ((0,), (1,), (1,)), ((1,), (0,), (1,))]
    """

    dims: tuple[int, ...] = ()
    ranges: tuple[int, ...] = ()
    runtime: tuple[int, ...] = ()


@final
@drawn_by("tla.indexing.figures", "map_figure")
class IndexingMap:
    """An indexing map, immutable.

    >>> m = IndexingMap([dim(0) + rt(0), rng(0)], [4, 8], [5], [("of", Interval(0, 2))])
    >>> print(m)
    (d0, d1)[s0]{of} -> (d0 + of, s0), domain: d0 in [0, 3], d1 in [0, 7], s0 in [0, 4], of in [0, 2]
    >>> m.evaluate((3, 0), (4,), (1,))
    (4, 4)

    Args:
        results: Expressions of ``dim(i)``, ``rng(i)``, ``rt(i)``.
        dims, ranges: A `Variable`, a pair of name and bounds, or bounds alone, for each; bounds are an
            `Interval`, its two ends, or a size.
        runtime: For each a `RuntimeVariable`, or bounds as for a dim.
        constraints: Expressions, and the bounds of their values.
        replica: The replica that has the elements, as an expression; None for the one that asks. The
            one that asks is a runtime variable with the source `REPLICA`.
        is_known_empty: Whether the map has no points, whatever the bounds say.

    A constraint on a variable alone becomes its bounds; one on a number is dropped, or makes the map
    *known empty*: results 0, no value for any variable, as XLA writes it. Two maps are equal if all but
    their names are: the elements may be the same though the maps are not (`relation` tells).

    An *undefined* map is an access that is not known; its `reason` says why.

    Raises:
        LayoutError: an expression is made of anything else, or of a variable the map has not.
    """

    __slots__ = (
        "_key",
        "constraints",
        "dims",
        "is_known_empty",
        "ranges",
        "reason",
        "replica",
        "results",
        "runtime",
    )

    results: tuple[Value, ...]
    dims: tuple[Variable, ...]
    ranges: tuple[Variable, ...]
    runtime: tuple[RuntimeVariable, ...]
    constraints: tuple[Constraint, ...]
    replica: Value | None
    is_known_empty: bool
    """Whether bounds or constraints show that it has no point; False proves nothing."""
    reason: str
    _key: Any

    def __init__(
        self,
        results: Iterable[Value],
        dims: Iterable[Any] = (),
        ranges: Iterable[Any] = (),
        runtime: Iterable[Any] = (),
        constraints: Mapping[Any, IntervalLike] | Iterable[tuple[Value, IntervalLike]] = (),
        replica: Value | None = None,
        is_known_empty: bool = False,
    ) -> None:
        fields = Fields(
            [required(x) for x in listed(results)],
            [variable_from(v, f"d{i}") for i, v in enumerate(listed(dims))],
            [variable_from(v, f"s{i}") for i, v in enumerate(listed(ranges))],
            [runtime_from(v, f"rt{i}") for i, v in enumerate(listed(runtime))],
            None if replica is None else required(replica),
            is_known_empty,
        )
        items: Any = getattr(constraints, "items", None)
        pairs: Iterable[tuple[Value, IntervalLike]] = items() if items is not None else constraints
        fields.constrain([constraint_from(pair) for pair in pairs])
        fields.check()
        fields.bring_home()
        _fill(self, fields, "")

    @staticmethod
    def undefined(reason: str) -> IndexingMap:
        """Return the map of an unknown access, with the reason."""
        if not isinstance(reason, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise KindError(f"the reason is a text, not {described(reason)}", value=reason)
        made = object.__new__(IndexingMap)
        _fill(made, Fields([], [], [], [], None, False), reason or "unknown")
        return made

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"an IndexingMap is immutable: cannot set {name!r}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"an IndexingMap is immutable: cannot delete {name!r}")

    def __reduce__(self) -> tuple[object, ...]:
        if self.is_undefined:
            return IndexingMap.undefined, (self.reason,)
        return IndexingMap, tuple(getattr(self, name) for name in _PARTS)

    def with_parts(self, **parts: Any) -> IndexingMap:
        """Return the map with other ``results``, ``dims``, ``ranges``, ``runtime``, ``constraints`` or
        ``replica``."""
        if self.is_undefined:
            return self
        return IndexingMap(**{**{name: getattr(self, name) for name in _PARTS}, **parts})

    # --- facts ---

    @property
    def is_undefined(self) -> bool:
        """Whether the access is unknown."""
        return bool(self.reason)

    @property
    def kinds(self) -> Kinds:
        """Dims, ranges, runtime variables, each kind by itself."""
        return self.dims, self.ranges, self.runtime

    @property
    def variables(self) -> tuple[Variable | RuntimeVariable, ...]:
        """Dims, ranges, runtime variables, all together."""
        return (*self.dims, *self.ranges, *self.runtime)

    @property
    def box(self) -> int:
        """The number of points within the bounds of its variables, without the constraints."""
        return prod(v.bounds.size for v in self.variables)

    @property
    def expressions(self) -> tuple[Value, ...]:
        """Its results, constraints, replica and the indices of its sources."""
        out = [*self.results, *(c.expr for c in self.constraints)]
        if self.replica is not None:
            out.append(self.replica)
        for variable in self.runtime:
            if variable.source is not None:
                out += variable.source.indices
        return tuple(out)

    @property
    def key(self) -> Any:
        """The hashable key that only equal maps share."""
        try:
            return self._key
        except AttributeError:
            runtime = [(v.bounds, v.source and v.source.key) for v in self.runtime]
            key = (
                tuple(map(key_of, self.results)),
                tuple(v.bounds for v in self.dims),
                tuple(v.bounds for v in self.ranges),
                tuple(runtime),
                frozenset((key_of(c.expr), c.bounds) for c in self.constraints),
                key_of(self.replica),
                self.is_known_empty,
                self.reason,
            )
            object.__setattr__(self, "_key", key)
            return key

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, IndexingMap):
            return NotImplemented
        return self is other or self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    # --- values ---

    def values(self, point: Point) -> dict[Any, int]:
        """Return the values of the variables' places at a point, for `compute`."""
        kinds = zip((dim, rng, rt), point, strict=True)
        return {of(i).symbols[0]: v for of, values in kinds for i, v in enumerate(values)}

    def evaluate(
        self, dims: Sequence[int] = (), ranges: Sequence[int] = (), runtime: Sequence[int] = ()
    ) -> tuple[int, ...]:
        """Return the results at a point, inside or outside the domain.

        Raises:
            CoordinateError: there is not one int for each variable.
        """
        point = Point(*(tuple(map(leaf, part)) for part in (dims, ranges, runtime)))
        given = tuple(map(len, point))
        counts = len(self.dims), len(self.ranges), len(self.runtime)
        if given != counts:
            raise CoordinateError(
                f"the map has {counts} dims, ranges and runtime variables, and {given} are given",
                f"map: {self}",
            )
        known = self.values(point)
        return tuple(compute(x, {}, known) for x in self.results)

    def contains(
        self, dims: Sequence[int] = (), ranges: Sequence[int] = (), runtime: Sequence[int] = ()
    ) -> bool:
        """Return whether a point lies in the domain."""
        point = Point(*(tuple(map(leaf, part)) for part in (dims, ranges, runtime)))
        flat = [x for part in point for x in part]
        if self.is_undefined or self.is_known_empty or len(flat) != len(self.variables):
            return False
        if any(x not in v.bounds for x, v in zip(flat, self.variables, strict=True)):
            return False
        known = self.values(point)
        return all(compute(c.expr, {}, known) in c.bounds for c in self.constraints)

    def points(self, limit: int | None = None) -> Iterator[tuple[Point, tuple[int, ...]]]:
        """Yield each point of the domain, in lexicographic order, and the results there.

        >>> m = IndexingMap([dim(0) * 2 + rng(0)], [2], [2])
        >>> [(point.dims, point.ranges, results) for point, results in m.points()]
        [((0,), (0,), (0,)), ((0,), (1,), (1,)), ((1,), (0,), (2,)), ((1,), (1,), (3,))]

        Args:
            limit: The most points within the bounds; by default the ``coordinates`` of `tla.limits`.

        Raises:
            LimitError: the bounds have more.
            UndecidedError: the map is undefined.
        """
        if self.is_undefined:
            raise UndecidedError(f"an undefined map has no points: {self.reason}")
        most = limit_of("coordinates") if limit is None else limit
        if self.box > most:
            raise limit_error(
                "coordinates",
                f"the map has {self.box} points within its bounds; at most {most} are enumerated",
                "relation(map) counts and compares without enumerating.",
                needed=self.box,
                argument=limit,
                box=self.box,
            )
        return iter(()) if self.is_known_empty else self._every_point()

    def _every_point(self) -> Iterator[tuple[Point, tuple[int, ...]]]:
        places = list(self.within())
        ends = len(self.dims), len(self.dims) + len(self.ranges)
        for flat in product(*(v.bounds for v in self.variables)):
            at: dict[Any, Any] = dict(zip(places, flat, strict=True))
            if all(compute(c.expr, {}, at) in c.bounds for c in self.constraints):
                point = Point(flat[: ends[0]], flat[ends[0] : ends[1]], flat[ends[1] :])
                yield point, tuple(compute(x, {}, at) for x in self.results)

    # --- expressions within the bounds ---

    def within(self) -> dict[Symbol, Expr]:
        """Return for each variable the unknown within its bounds: see `bounded`."""
        kinds: tuple[Sequence[Variable | RuntimeVariable], ...] = self.kinds
        return {
            of(i).symbols[0]: bounded(kind, i, v.bounds.lower, v.bounds.upper)
            for kind, (of, variables) in enumerate(zip((dim, rng, rt), kinds, strict=True))
            for i, v in enumerate(variables)
        }

    # --- texts ---

    def text(self, form: str = "2025", sources: bool = False) -> str:
        """Return the map in XLA's text: see `to_text`."""
        if form not in FORMS:
            raise UnsupportedError(f"no form {form!r} of maps", did_you_mean([], FORMS), form=form)
        if self.is_undefined:
            return "UNDEFINED"
        if self.is_known_empty:
            return "KNOWN EMPTY"
        writer = MapWriter(form, self.kinds, self.within(), self.expressions)
        text = writer.text(self.results, self.constraints)
        return text + writer.sources(self.replica) if sources else text

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<IndexingMap {self.text()}>"

    def _repr_html_(self) -> str | None:
        return html_of(self)

    def figure(self, rows: int = 16, columns: int = 32, slices: int = 4) -> Panels:
        """Return the picture of the map, as data: its result, and the elements that are read for it.

        >>> made, read = IndexingMap([dim(0) * 2], [3]).figure().figures
        >>> [cell.text for cell in read.grids[0].cells[0]]
        ['0', '', '1', '', '2']

        Raises:
            UndecidedError: the map is undefined, or a single element reads too many.
        """
        found: Panels = figure_of(self, rows=rows, columns=columns, slices=slices)
        return found


def require_map(x: object) -> None:
    """Raise `KindError` if a value is no indexing map."""
    if not isinstance(x, IndexingMap):
        hint = ["parse_map reads the text of a map."] if isinstance(x, str) else []
        raise KindError(f"expected an indexing map, got {type(x).__name__}", *hint, value=x)


def to_text(map: IndexingMap, form: str = "2025", sources: bool = False) -> str:
    """Return a map in XLA's text; `parse_map` reads it back.

    >>> from . import parse_map
    >>> m = parse_map("(d0, d1) -> (d0 / 8 * 2 + d1), domain: d0 in [0, 63], d1 in [0, 1]")
    >>> print(to_text(m), to_text(m, "2026"), sep="\\n")
    (d0, d1) -> ((d0 floordiv 8) * 2 + d1), domain: d0 in [0, 63], d1 in [0, 1]
    (d0, d1) -> ((d0 / 8) * 2 + d1), domain: d0 in [0, 63], d1 in [0, 1]

    The text of a map that is known to be empty is ``KNOWN EMPTY``, as in XLA. It has no variables, so it
    reads back as the empty map without variables.

    Args:
        form: ``"2025"``, ``"2026"`` or ``"old"``; see the head of `tla.indexing.text`.
        sources: Whether to include the sources of the runtime variables, and the replica; the old form
            always has the sources.

    Raises:
        UnsupportedError: there is no such form.
    """
    require_map(map)
    return map.text(form, sources)


_PARTS: Final = ("results", "dims", "ranges", "runtime", "constraints", "replica", "is_known_empty")


def _fill(made: IndexingMap, fields: Fields, reason: str) -> None:
    set_ = object.__setattr__
    set_(made, "results", tuple(fields.results))
    set_(made, "dims", tuple(fields.kinds[0]))
    set_(made, "ranges", tuple(fields.kinds[1]))
    set_(made, "runtime", tuple(fields.kinds[2]))
    set_(made, "constraints", tuple(fields.constraints.values()))
    set_(made, "replica", fields.replica)
    set_(made, "is_known_empty", fields.is_empty)
    set_(made, "reason", reason)
