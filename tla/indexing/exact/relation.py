"""The set of pairs of some maps, `Relation`, and its algebra.

>>> from .. import parse_map
>>> tiles = relation(parse_map("(d0) -> (d0 floordiv 8, d0 mod 8), domain: d0 in [0, 31]"))
>>> lines = relation(parse_map("(d0, d1) -> (d0 * 8 + d1), domain: d0 in [0, 3], d1 in [0, 7]"))
>>> tiles == lines.inverse(), tiles.count(), tiles.at((13,)).pairs()
(True, 32, [((), (1, 5))])
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import index
from typing import TYPE_CHECKING, Any, Final, NamedTuple, final

from ...errors import CongruenceError, CoordinateError, KindError, UndecidedError, UnsupportedError
from ...ground import described, limit_error, limit_of
from ...numbers import Interval
from ..maps import IndexingMap, require_map
from .budget import context, isl, within_budget
from .building import isl_text, tuple_text
from .counting import bounds_at, count_of
from .parts import (
    Part,
    condition,
    difference,
    flat,
    intersection,
    is_function,
    is_inside,
    require_one_way,
    together,
    with_facts,
    with_parameters,
    without_parameters,
)
from .pieces import maps_of
from .reads import Read, reads_of, renumbered, same_names
from .replicas import ASKS, replica_as_dim, replica_as_parameter, with_replica

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


class Pair(NamedTuple):
    """A point, one of its results, and the numbers that are read, by the names of their parameters.

    >>> from tla.indexing import parse_map
    >>> m = parse_map("(d0)[s0] -> (d0 + s0), domain: d0 in [2, 2], s0 in [1, 1]")
    >>> relation(m).sample()
    Pair(dims=(2,), results=(3,), runtime={})
    """

    dims: tuple[int, ...]
    results: tuple[int, ...]
    runtime: dict[str, int]


def relation(maps: IndexingMap | Iterable[IndexingMap], limit: int | None = None) -> Relation:
    """Return the pairs ``(dims, results)`` of one or several maps.

    >>> from .. import parse_map
    >>> m = parse_map("(d0)[s0] -> (d0 + s0), domain: d0 in [0, 3], s0 in [0, 1]")
    >>> print(relation(m))
    { [d0] -> [e0] : 0 <= d0 <= 3 and d0 <= e0 <= 1 + d0 }

    Ranges have all their values. A runtime variable is a parameter: one for each `Source`, under any
    name in the map; without a source, one for each name. If a map leads to another replica, the replica
    is one more result, the last.

    Args:
        limit: The most operations of isl for this, and for each question about the relation; by default
            those of `tla.limits`.

    Raises:
        UnsupportedError: islpy is not installed; or a map multiplies two of its variables.
        UndecidedError: a map is undefined; or the limit is too low.
        CongruenceError: the maps differ in the number of dims or results.
    """
    most = limit_of("operations") if limit is None else limit
    several: Any = maps
    given: list[IndexingMap] = [*several] if isinstance(several, Iterable) else [several]
    for each in given:
        require_map(each)
    if not given:
        raise KindError("a relation of no maps has no dims", "Relation.empty(dims, results) makes one.")
    for each in given:
        if each.is_undefined:
            raise UndecidedError(f"an undefined map is no relation: {each.reason}")
    has_replica = any(each.replica is not None for each in given)
    out = _relation_of(given[0], has_replica, most)
    for each in given[1:]:
        out = out | _relation_of(each, has_replica, most)
    return out


def _relation_of(map: IndexingMap, has_replica: bool, limit: int) -> Relation:
    with within_budget(limit, "the relation of a map") as isl:
        variables = list(map.runtime)
        if has_replica and not any(v.is_replica for v in variables):
            variables.append(ASKS)
        reads = reads_of(variables)
        pairs = isl.Map.read_from_str(context(), isl_text(map, reads, has_replica))
        distinct = tuple(dict.fromkeys(read for read, _indices in reads))
        return Relation(Part(pairs, distinct, has_replica), limit)


_MOST_DIMS: Final = 1000


@final
class Relation:
    """A set of pairs ``(dims, results)``, for all values of the runtime variables; immutable.

    A relation without dims is a set of results. Relations are equal if and only if they have the same
    pairs, for all numbers that the program reads.

    ===========================  =================================================================
    ``a == b``, ``a <= b``       the same pairs; no pair but those of b
    ``a | b``, ``a & b``         pairs of either, of both
    ``a - b``                    pairs of a alone
    ``a.inverse()``              each pair turned round
    ``b.after(a)``               from x to z if a leads from x to some y, and b from there to z
    ``domain()``, ``image()``    what has a result, what is one: sets
    ``at(point)``                the results of a point: a set
    ``given(values)``            the pairs for values of the runtime variables
    ===========================  =================================================================

    `relation` makes it. If a range decides which element is read, a pair may hold in several ways. A
    question that is open then raises `UndecidedError`.

    Attributes:
        n_dims, n_results: The numbers of dims and of results of a pair, without the replica.
        has_replica: Whether the replica that is read is one more result, the last.
        runtime: The names of the parameters.
        limit: The most operations of isl for a question.
    """

    __slots__ = ("limit", "part")

    part: Part
    limit: int

    def __init__(self, part: Part, limit: int) -> None:
        with within_budget(limit, "a relation") as isl:
            pairs = with_facts(part.pairs, part.reads)
            if pairs.n_basic_map() > 1:
                pairs = pairs.coalesce()
            if pairs.n_basic_map() > limit_of("pieces"):
                count = pairs.n_basic_map()
                raise limit_error(
                    "pieces",
                    f"the relation has {count} pieces; at most {limit_of('pieces')} are kept",
                    needed=count,
                    budget="pieces",
                )
            object.__setattr__(self, "part", part._replace(pairs=_with_plain_names(isl, pairs)))
        object.__setattr__(self, "limit", limit)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Relation is immutable: cannot set {name!r}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Relation is immutable: cannot delete {name!r}")

    def __reduce__(self) -> tuple[object, ...]:
        return _read, (self.part.pairs.to_str(), self.part.reads, self.has_replica, self.limit)

    @staticmethod
    def empty(dims: int, results: int, limit: int | None = None) -> Relation:
        """Return the relation without any pair."""
        limit = limit_of("operations") if limit is None else limit
        if not (0 <= dims <= _MOST_DIMS and 0 <= results <= _MOST_DIMS):
            raise UnsupportedError(f"a relation has 0 to {_MOST_DIMS} dims and results")
        with within_budget(limit, "the empty relation") as isl:
            text = f"{{ {tuple_text('d', dims)} -> {tuple_text('e', results)} : false }}"
            return Relation(Part(isl.Map.read_from_str(context(), text), ()), limit)

    # --- parts ---

    @property
    def n_dims(self) -> int:
        return self.part.n_dims

    @property
    def n_results(self) -> int:
        return self.part.n_results

    @property
    def has_replica(self) -> bool:
        return self.part.has_replica

    @property
    def runtime(self) -> tuple[str, ...]:
        return tuple(name for read in self.part.reads for name in read.parameters)

    @property
    def pieces(self) -> int:
        """The number of its conjunctions."""
        count: int = self.part.pairs.n_basic_map()
        return count

    def __str__(self) -> str:
        if self.n_dims:
            text: str = self.part.pairs.to_str()
            return text
        return str(self.part.pairs.range().to_str())

    def __repr__(self) -> str:
        return f"<Relation {self}>"

    def to_maps(self) -> list[IndexingMap]:
        """Return maps that together have the same pairs: one for each piece, none if it is empty.

        >>> from .. import parse_map
        >>> box = parse_map("(d0, d1) -> (d0, d1), domain: d0 in [0, 5], d1 in [0, 6]")
        >>> window = parse_map("(d0, d1) -> (d0, d1), domain: d0 in [2, 3], d1 in [0, 6]")
        >>> for m in (relation(box) - relation(window)).to_maps():
        ...     print(m)
        (d0, d1) -> (d0, d1), domain: d0 in [0, 1], d1 in [0, 6]
        (d0, d1) -> (d0, d1), domain: d0 in [4, 5], d1 in [0, 6]

        Raises:
            UnsupportedError: a dim or a runtime variable has no bounds.
        """
        with within_budget(self.limit, "the maps of a relation") as isl:
            return maps_of(isl, self.part)

    # --- comparison ---

    def is_equal(self, other: Relation) -> bool:
        """Return whether both have the same pairs, for all numbers that the program reads.

        Raises:
            UndecidedError: isl needs more than the limit; or a pair may depend on several elements that
                are read, in different ways.
        """
        with within_budget(_limit(self, other), "the comparison of two relations"):
            a, b, reads = together(*_parts_of(self, other))
            return bool(a.is_equal(b)) or (is_inside(a, b, reads) and is_inside(b, a, reads))

    def is_subset(self, other: Relation) -> bool:
        """Return whether the other has all its pairs, for all numbers that the program reads."""
        with within_budget(_limit(self, other), "the comparison of two relations"):
            return is_inside(*together(*_parts_of(self, other)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Relation):
            return NotImplemented
        if (self.n_dims, self.n_results) != (other.n_dims, other.n_results):
            return False
        return self is other or self.is_equal(other)

    def __hash__(self) -> int:
        return hash((Relation, self.n_dims, self.n_results))

    def __le__(self, other: Relation) -> bool:
        return self.is_subset(other)

    def __ge__(self, other: Relation) -> bool:
        return other.is_subset(self)

    def is_empty(self) -> bool:
        """Return whether it has no pair, for all numbers that the program reads."""
        with within_budget(self.limit, "the search for a pair"):
            empty: bool = self.part.pairs.is_empty()
            return empty

    def __bool__(self) -> bool:
        return not self.is_empty()

    def is_single_valued(self) -> bool:
        """Return whether no point has two results, for all numbers that the program reads."""
        with within_budget(self.limit, "the search for a second result"):
            return is_function(self.part.pairs, self.part.reads)

    def is_injective(self) -> bool:
        """Return whether no two points share a result, for all numbers that the program reads."""
        with within_budget(self.limit, "the search for a second point"):
            part = replica_as_dim(self.part) if self.has_replica else self.part
            return is_function(part.pairs.reverse(), part.reads)

    # --- algebra ---

    def __or__(self, other: Relation) -> Relation:
        return self._with(other, "union", lambda a, b, _reads: a.union(b))

    def __and__(self, other: Relation) -> Relation:
        return self._with(other, "intersection", intersection)

    def __sub__(self, other: Relation) -> Relation:
        return self._with(other, "difference", difference)

    def _with(self, other: Relation, what: str, join: Callable[[Any, Any, Any], Any]) -> Relation:
        """The relation that an operation makes of the pairs of two relations."""
        limit = _limit(self, other)
        with within_budget(limit, f"the {what} of two relations"):
            a, b, reads = together(*_parts_of(self, other))
            has_replica = self.has_replica or other.has_replica
            return Relation(Part(join(a, b, reads), reads, has_replica), limit)

    def inverse(self) -> Relation:
        """Return the relation with both sides of each pair exchanged.

        If it leads to another replica, the inverse leads back from there: the replica that asks and the
            one
        that is read change places.
        """
        with within_budget(self.limit, "the inverse of a relation"):
            if not self.has_replica:
                return self._same(self.part.pairs.reverse())
            part = replica_as_dim(self.part)
            return Relation(replica_as_parameter(part.pairs.reverse(), part.reads), self.limit)

    def after(self, first: Relation) -> Relation:
        """Return the relation from x to z if ``first`` leads from x to some y, and this from y to z.

        After a set it is the image of the set.

        >>> from .. import parse_map
        >>> line = relation(parse_map("(d0) -> (d0 floordiv 128), domain: d0 in [0, 9999]"))
        >>> warp = relation(parse_map("()[s0] -> (s0 * 8 + 1000), domain: s0 in [0, 31]"))
        >>> print(line.after(warp))
        { [e0] : 7 <= e0 <= 9 }
        """
        limit = _limit(self, first)
        if first.n_results != self.n_dims:
            raise CongruenceError(
                f"a relation with {first.n_results} results cannot go before one with {self.n_dims} dims"
            )
        with within_budget(limit, "the composition of two relations"):
            has_replica = self.has_replica or first.has_replica
            parts = (self.part, first.part)
            mine, theirs = map(replica_as_dim, parts) if has_replica else parts
            names = same_names(mine.reads, renumbered(mine.reads, theirs.reads))
            pairs = theirs.with_reads(names).pairs.apply_range(mine.pairs)
            reads = tuple(dict.fromkeys([*mine.reads, *names]))
            return Relation(
                replica_as_parameter(pairs, reads) if has_replica else Part(pairs, reads), limit
            )

    def domain(self) -> Relation:
        """Return the set of the points that have a result."""
        with within_budget(self.limit, "the domain of a relation") as isl:
            return self._same(isl.Map.from_range(self.part.pairs.domain()))

    def image(self) -> Relation:
        """Return the set of all results, with the replica if that is one of them."""
        with within_budget(self.limit, "the image of a relation") as isl:
            return self._same(isl.Map.from_range(self.part.pairs.range()), self.has_replica)

    def at(self, point: Sequence[int]) -> Relation:
        """Return the set of a point's results."""
        if len(point) != self.n_dims:
            raise CoordinateError(
                f"the point {described(point)} has {len(point)} numbers, the relation {self.n_dims} dims"
            )
        values = [index(x) for x in point]
        with within_budget(self.limit, "the results of a point") as isl:
            text = f"{{ [{', '.join(map(str, values))}] }}"
            here = self.part.pairs.intersect_domain(isl.Set.read_from_str(context(), text))
            return self._same(isl.Map.from_range(here.range()), self.has_replica)

    def _same(self, pairs: Any, has_replica: bool = False) -> Relation:
        return Relation(Part(pairs, self.part.reads, has_replica), self.limit)

    def given(self, values: Mapping[str, int]) -> Relation:
        """Return the pairs for values of some runtime variables, by the names in ``runtime``.

        >>> from .. import parse_map
        >>> m = parse_map("(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 3], rt0 in [0, 6]")
        >>> print(relation(m).given({"rt0": 4}))
        { [d0] -> [e0 = 4 + d0] : 0 <= d0 <= 3 }
        """
        for name in values:
            if name not in self.runtime:
                raise KindError(
                    f"the relation has no runtime variable {name}", f"It has {', '.join(self.runtime)}."
                )
        with within_budget(self.limit, "the pairs for given values"):
            facts = " and ".join(f"{name} = {index(value)}" for name, value in values.items())
            pairs = self.part.pairs.intersect_params(condition(list(values), facts))
            reads = tuple(
                r
                for r in self.part.reads
                if not {*r.parameters} <= {*values} or (r.is_replica and self.has_replica)
            )
            left = {name for read in reads for name in read.parameters}
            pairs = without_parameters(pairs, [name for name in values if name not in left])
            return Relation(Part(pairs, reads, self.has_replica), self.limit)

    def in_some_run(self) -> Relation:
        """Return the pairs that exist for some values of the runtime variables."""
        with within_budget(self.limit, "the pairs of some run"):
            return Relation(Part(self._in_some_run(), (), self.has_replica), self.limit)

    def lexmin(self) -> Relation:
        """Return for each point its first result, in lexicographic order, in each run."""
        with within_budget(self.limit, "the first results"):
            return self._extreme(self.part.pairs.lexmin(), "first")

    def lexmax(self) -> Relation:
        """Return for each point its last result, in lexicographic order, in each run."""
        with within_budget(self.limit, "the last results"):
            return self._extreme(self.part.pairs.lexmax(), "last")

    def _extreme(self, pairs: Any, what: str) -> Relation:
        part, kind = self.part, isl().dim_type
        points = part.pairs.project_out(kind.out, 0, part.pairs.dim(kind.out))
        require_one_way(points, part.reads, f"{what} result")
        return self._same(pairs, self.has_replica)

    # --- numbers ---

    def count(self) -> int:
        """Return the number of pairs that exist in some run, over all values of the runtime variables.

        ``given(values).count()`` counts for one run. ``image().count()`` and ``domain().count()`` count
        the elements that are read, and the points for which they are read.

        Raises:
            UndecidedError: there are infinitely many; or isl needs more than the limit.
        """
        with within_budget(self.limit, "the count of pairs") as isl:
            return count_of(isl, flat(self._in_some_run()).domain())

    def pairs(self, limit: int | None = None) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
        """Return all ``(dims, results)`` in some run, in lexicographic order.

        Args:
            limit: The most pairs; by default the ``coordinates`` of `tla.limits`.

        Raises:
            LimitError: there are more.
        """
        count = self.count()
        most = limit_of("coordinates") if limit is None else limit
        if count > most:
            summary = f"the relation has {count} pairs; at most {most} are listed"
            raise limit_error("coordinates", summary, needed=count, argument=limit, count=count)
        found: list[tuple[tuple[int, ...], tuple[int, ...]]] = []
        n = self.n_dims
        with within_budget(self.limit + 1000 * count, "the list of pairs") as isl:
            points = flat(self._in_some_run()).domain()
            places = range(points.dim(isl.dim_type.set))

            def note(point: Any) -> None:
                values = [point.get_coordinate_val(isl.dim_type.set, i).to_python() for i in places]
                found.append((tuple(values[:n]), tuple(values[n:])))

            points.foreach_point(note)
        return sorted(found)

    def sample(self) -> Pair | None:
        """Return a pair, with values of the runtime variables; None if there is none.

        >>> from .. import parse_map
        >>> whole = relation(parse_map("(d0) -> (d0), domain: d0 in [0, 9]"))
        >>> most = relation(parse_map("(d0) -> (d0), domain: d0 in [0, 8]"))
        >>> (whole - most).sample()
        Pair(dims=(9,), results=(9,), runtime={})
        """
        with within_budget(self.limit, "the search for a pair") as isl:
            if self.part.pairs.is_empty():
                return None
            kind, runtime = isl.dim_type, self.runtime
            points = flat(with_parameters(self.part.pairs, runtime)).domain()
            points = points.move_dims(kind.set, 0, kind.param, 0, len(runtime))
            point = points.sample_point()
            values = [
                point.get_coordinate_val(kind.set, i).to_python() for i in range(points.dim(kind.set))
            ]
            ends = len(runtime), len(runtime) + self.n_dims
            return Pair(
                tuple(values[ends[0] : ends[1]]),
                tuple(values[ends[1] :]),
                dict(zip(runtime, values, strict=False)),
            )

    def _in_some_run(self) -> Any:
        return self.part.pairs.project_out_all_params()

    @property
    def dim_bounds(self) -> tuple[Interval, ...]:
        """The least interval of each dim, over all runs; empty intervals if there is no pair.

        Raises:
            UndecidedError: an interval has no end.
        """
        with within_budget(self.limit, "the bounds of the dims") as isl:
            return _bounds(isl, self._in_some_run().domain())

    @property
    def result_bounds(self) -> tuple[Interval, ...]:
        """The least interval of each result, over all runs; empty intervals if there is no pair."""
        with within_budget(self.limit, "the bounds of the results") as isl:
            return _bounds(isl, self._in_some_run().range())


def _limit(a: Relation, b: object) -> int:
    if not isinstance(b, Relation):
        hint = ["relation(map) makes one."] if isinstance(b, IndexingMap) else []
        raise KindError(f"expected a relation, got {type(b).__name__}", *hint, value=b)
    return max(a.limit, b.limit)


def _parts_of(a: Relation, b: Relation) -> tuple[Part, Part]:
    """The parts of two relations of the same kind of pairs."""
    if (a.n_dims, a.n_results) != (b.n_dims, b.n_results):
        raise CongruenceError(
            f"a relation of {a.n_dims} dims and {a.n_results} results meets one of "
            f"{b.n_dims} dims and {b.n_results} results"
        )
    if a.has_replica or b.has_replica:
        return with_replica(a.part), with_replica(b.part)
    return a.part, b.part


def _read(text: str, reads: tuple[Read, ...], has_replica: bool, limit: int) -> Relation:
    with within_budget(limit, "reading a relation") as isl:
        return Relation(Part(isl.Map.read_from_str(context(), text), reads, has_replica), limit)


def _with_plain_names(isl: Any, pairs: Any) -> Any:
    """The pairs with the names d0, d1 and e0, e1 of their places."""
    kind = isl.dim_type
    for of, letter in ((kind.in_, "d"), (kind.out, "e")):
        for i in range(pairs.dim(of)):
            if pairs.get_dim_name(of, i) != f"{letter}{i}":
                pairs = pairs.set_dim_name(of, i, f"{letter}{i}")
    return pairs


def _bounds(isl: Any, points: Any) -> tuple[Interval, ...]:
    out: list[Interval] = []
    for i in range(points.dim(isl.dim_type.set)):
        if points.is_empty():
            out.append(Interval(0, -1))
            continue
        bounds = bounds_at(points, i)
        if bounds is None:
            raise UndecidedError(f"number {i} has no least or no greatest value", place=i)
        out.append(bounds)
    return tuple(out)
