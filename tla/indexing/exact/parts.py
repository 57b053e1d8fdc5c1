# SPDX-License-Identifier: Apache-2.0
"""isl's maps with the sources of their parameters: `Part`, and operations on two of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ...errors import UndecidedError
from .budget import context, isl
from .reads import Read, facts_of, same_names

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Part(NamedTuple):
    """An isl map and the reads of all its parameters.

    Attributes:
        has_replica: Whether the last result is a replica.
    """

    pairs: Any
    reads: tuple[Read, ...]
    has_replica: bool = False

    @property
    def n_dims(self) -> int:
        count: int = self.pairs.dim(isl().dim_type.in_)
        return count

    @property
    def n_results(self) -> int:
        """The number of results, without the replica."""
        count: int = self.pairs.dim(isl().dim_type.out)
        return count - self.has_replica

    def with_reads(self, fresh: Sequence[Read]) -> Part:
        """Return the part with other names for its reads."""
        each = zip(self.reads, fresh, strict=True)
        names = {a: b for r, f in each for a, b in zip(r.parameters, f.parameters, strict=True)}
        return self._replace(pairs=with_names(self.pairs, names), reads=tuple(fresh))


# --- parameters -------------------------------------------------------------------------------


def condition(names: Sequence[str], text: str) -> Any:
    """Return a condition on parameters."""
    return isl().Set.read_from_str(context(), f"[{', '.join(names)}] -> {{ : {text} }}")


def with_parameters(pairs: Any, names: Sequence[str]) -> Any:
    """Return the pairs with these parameters in this order, which must include their own."""
    return pairs.align_params(condition(names, "").get_space()) if names else pairs


def with_names(pairs: Any, names: Mapping[str, str]) -> Any:
    """Return the pairs with new names for some parameters."""
    kind = isl().dim_type
    places = {pairs.find_dim_by_name(kind.param, a): b for a, b in names.items() if a != b}
    places.pop(-1, None)
    for place in places:  # first out of each other's way: isl alters a name that is there already
        pairs = pairs.set_dim_name(kind.param, place, f"moved__{place}")
    for place, new in places.items():
        pairs = pairs.set_dim_name(kind.param, place, new)
    return pairs


def without_parameters(pairs: Any, names: Sequence[str]) -> Any:
    """Return the pairs that exist for some values of these parameters."""
    kind = isl().dim_type
    for name in names:
        place = pairs.find_dim_by_name(kind.param, name)
        if place >= 0:
            pairs = pairs.project_out(kind.param, place, 1)
    return pairs


def with_facts(pairs: Any, reads: Sequence[Read]) -> Any:
    """Return the pairs that exist in some run."""
    always = _always(reads)
    return pairs if always is None else pairs.intersect_params(always)


def _always(reads: Sequence[Read]) -> Any:
    facts = facts_of(reads)
    names = [name for read in reads for name in read.parameters]
    return condition(names, " and ".join(facts)) if facts else None


def together(a: Part, b: Part) -> tuple[Any, Any, tuple[Read, ...]]:
    """Return the pairs of both parts, with one name for each read, and all reads."""
    names = same_names(a.reads, b.reads)
    reads = tuple(dict.fromkeys([*a.reads, *names]))
    return with_facts(a.pairs, reads), with_facts(b.with_reads(names).pairs, reads), reads


# --- elements that depend on the point --------------------------------------------------------
#
# A parameter may be read at an element that is a parameter too. Then a pair holds in a run if it holds
# for some element and its value in the run. If the pair decides the element, isl's operations are right.
# If not, they do not know the other ways in which the pair may hold.


def flat(pairs: Any) -> Any:
    """Return the pairs as points, with no results."""
    kind = isl().dim_type
    return pairs.move_dims(kind.in_, pairs.dim(kind.in_), kind.out, 0, pairs.dim(kind.out))


def is_function(pairs: Any, reads: Sequence[Read]) -> bool:
    """Return whether no point has two results in one run. Without results, return whether no point holds
    in two ways, by two elements that are read."""
    kind = isl().dim_type
    several = [read for read in reads if read.holes]
    if not several:
        answer: bool = pairs.is_single_valued()
        return answer
    n = pairs.dim(kind.out)
    moved = [name for read in several for name in read.parameters]
    fixed = [name for read in reads if not read.holes for name in read.parameters]
    pairs = with_parameters(pairs, [*fixed, *moved])
    pairs = pairs.move_dims(kind.out, n, kind.param, len(fixed), len(moved))
    count = n + len(moved)
    different = [f"x{i} != y{i}" for i in range(n)]
    same_run: list[str] = []
    at = n
    for read in several:
        places = range(at + 1, at + len(read.parameters))
        apart = [f"x{i} != y{i}" for i in places]
        same_run.append(f"({' or '.join([*apart, f'x{at} = y{at}'])})")
        different += [] if n else apart
        at = places.stop
    names = [*(f"x{i}" for i in range(count)), *(f"y{i}" for i in range(count))]
    text = f"{{ [{', '.join(names)}] : {' and '.join(same_run)} and ({' or '.join(different)}) }}"
    twice = pairs.flat_range_product(pairs)
    empty: bool = twice.intersect_range(isl().Set.read_from_str(context(), text)).is_empty()
    return empty


def is_inside(a: Any, b: Any, reads: Sequence[Read]) -> bool:
    """Return whether all pairs of the first are pairs of the second, in every run.

    Raises:
        UndecidedError: a pair of the second may hold in several ways.
    """
    if a.is_subset(b):
        return True
    theirs = _read_by(b, reads)
    if not theirs:
        return False
    names = [name for read in theirs for name in read.parameters]
    if not a.is_subset(without_parameters(b, names)):
        return False  # no run of the second has the pair
    copies = [read._replace(name=f"{read.name}_there") for read in theirs]
    copies = same_names(reads, [c._replace(number=-1 - i) for i, c in enumerate(copies)])
    other = Part(b, tuple(theirs)).with_reads(copies).pairs
    # the second may read any number, except where the first decides it
    mine = with_facts(a.intersect(_places(other, copies, "inclusion")), [*reads, *copies])
    inside: bool = mine.is_subset(other)
    return inside


def intersection(a: Any, b: Any, reads: Sequence[Read]) -> Any:
    """Return the pairs of both, in each run.

    Raises:
        UndecidedError: a pair of both may hold in several ways.
    """
    if _is_shared(a, b, reads):
        require_one_way(a.union(b), reads, "intersection")
    return a.intersect(b)


def difference(a: Any, b: Any, reads: Sequence[Read]) -> Any:
    """Return the pairs of the first that are none of the second, in each run.

    Raises:
        UndecidedError: a pair of both may hold in several ways.
    """
    theirs = _read_by(b, reads)
    if _is_shared(a, b, reads):
        require_one_way(a.union(b), reads, "difference")
    elif theirs:
        names = [name for read in theirs for name in read.parameters]
        never = a.subtract(without_parameters(b, names))
        return never.union(a.intersect(_places(b, theirs, "difference")).subtract(b))
    return a.subtract(b)


def require_one_way(pairs: Any, reads: Sequence[Read], what: str) -> None:
    """Raise UndecidedError unless a pair decides the elements that the program reads."""
    if any(read.holes for read in reads) and not is_function(flat(pairs), reads):
        raise _several(what)


def _is_shared(a: Any, b: Any, reads: Sequence[Read]) -> bool:
    """Whether both depend on one read at elements that depend on the point."""
    return not {*_read_by(a, reads)}.isdisjoint(_read_by(b, reads))


def _read_by(pairs: Any, reads: Sequence[Read]) -> list[Read]:
    """The reads at elements that depend on the point, if the pairs depend on them."""
    if not any(read.holes for read in reads):
        return []
    kind, always = isl().dim_type, _always(reads)
    if always is not None:
        pairs = pairs.gist_params(always)
    out: list[Read] = []
    for read in reads:
        places = [pairs.find_dim_by_name(kind.param, name) for name in read.parameters]
        if read.holes and any(i >= 0 and pairs.involves_dims(kind.param, i, 1) for i in places):
            out.append(read)
    return out


def _places(pairs: Any, reads: Sequence[Read], what: str) -> Any:
    """The pairs with any number that is read, so that only the places remain."""
    kind = isl().dim_type
    holes = [name for read in reads for name in read.parameters[1:]]
    places = without_parameters(pairs, [read.name for read in reads])
    points = flat(places)
    for name in holes:
        place = points.find_dim_by_name(kind.param, name)
        points = points.move_dims(kind.out, points.dim(kind.out), kind.param, place, 1)
    if not points.is_single_valued():
        raise _several(what)
    return places


def _several(what: str) -> UndecidedError:
    return UndecidedError(
        f"the {what} of relations is not decided where one pair depends on several elements of what "
        "is read",
        "Ranges tell which element is read; a relation keeps no ranges.",
    )
