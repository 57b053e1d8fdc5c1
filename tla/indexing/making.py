# SPDX-License-Identifier: Apache-2.0
"""The fields of an indexing map from its arguments: variables and constraints in their normal form.

>>> from .variables import dim
>>> fields = Fields([dim(0)], [variable_from(8, "d0")], [], [], None, False)
>>> fields.constrain([constraint_from((dim(0), (2, 9)))])
>>> fields.kinds[0], fields.constraints
([Variable(name='d0', bounds=Interval(2, 7))], {})
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..errors import KindError, LayoutError
from ..ground import limit_error, limit_of
from ..numbers import Expr, Interval, Symbol, Value, key_of, required, symbols_in
from .variables import RuntimeVariable, Source, Variable, place_of, rt

if TYPE_CHECKING:
    from collections.abc import Iterable

EMPTY: Final = Interval(0, -1)


class Constraint(NamedTuple):
    """The condition that the value of an expression lies in an interval.

    >>> from tla.indexing import parse_map
    >>> m = parse_map("(d0) -> (d0), domain: d0 in [0, 9], d0 mod 4 in [1, 2]")
    >>> [(str(constraint.expr), constraint.bounds) for constraint in m.constraints]
    [('d0{min=none}%4', Interval(1, 2))]
    """

    expr: Value
    bounds: Interval


def constraint_from(pair: Any) -> Constraint:
    """Return the constraint of a pair: an expression and its bounds.

    Raises:
        KindError: the value is no such pair.
    """
    match pair:
        case (x, bounds):
            return Constraint(required(x), Interval.of(bounds))
        case _:
            raise KindError(
                f"a constraint is an expression and its bounds, not {type(pair).__name__}", value=pair
            )


def listed(items: Iterable[Any]) -> list[Any]:
    """Return the variables or the results that a map is to have.

    Raises:
        LimitError: there are more than the limit ``rank``.
    """
    most = limit_of("rank")
    found = list(islice(items, most + 1))
    if len(found) > most:
        raise limit_error("rank", f"an indexing map of more than {most} variables or results")
    return found


def variable_from(value: Any, name: str) -> Variable:
    """Return the dim or the range of a pair of name and bounds, or of bounds alone.

    Args:
        name: Its name if the value has none.

    Raises:
        KindError: the bounds are no `Interval`, pair of ends or size.
    """
    match value:
        case Variable(str(), Interval()):
            return value
        case (str(own), bounds):
            return Variable(own, Interval.of(bounds))
        case _:
            return Variable(name, Interval.of(value))


def runtime_from(value: Any, name: str) -> RuntimeVariable:
    """Return the runtime variable of a value: the same as for a dim, or with a source after the bounds.

    Raises:
        KindError: the bounds are no bounds, or the value after them is no `Source`.
    """
    match value:
        case RuntimeVariable(str(), Interval(), Source() | None):
            return value
        case (str(own), bounds, Source() as source):
            return RuntimeVariable(own, Interval.of(bounds), source)
        case (_, _, other):
            raise KindError(f"a runtime variable is read from a Source, not {other!r}", value=other)
        case _:
            return RuntimeVariable(*variable_from(value, name))


class Fields:
    """The fields of a new map: the arguments, `constrain`, `check`, `bring_home`."""

    def __init__(
        self,
        results: list[Value],
        dims: list[Variable],
        ranges: list[Variable],
        runtime: list[RuntimeVariable],
        replica: Value | None,
        is_known_empty: bool,
    ) -> None:
        self.results: list[Value] = results
        self.replica: Value | None = replica
        self.kinds: list[list[Any]] = [dims, ranges, runtime]
        self.constraints: dict[Any, Constraint] = {}
        self.is_empty: bool = is_known_empty or any(
            not v.bounds.is_feasible for kind in self.kinds for v in kind
        )

    def constrain(self, constraints: Iterable[Constraint]) -> None:
        """Add constraints. One on a single variable becomes its bounds; one on a number holds or never
        does.

        Raises:
            LayoutError: a constraint has a variable that the map does not have.
        """
        for x, bounds in constraints:
            if type(x) is not Expr:
                self.is_empty = self.is_empty or x not in bounds
                continue
            place = _alone(x)
            if place is not None:
                kind, i = place
                self._check_place(kind, i, x)
                tight = self.kinds[kind][i].bounds & bounds
                self.kinds[kind][i] = self.kinds[kind][i]._replace(bounds=tight)
                self.is_empty = self.is_empty or not tight.is_feasible
                continue
            old = self.constraints.get(x.key)
            both = bounds if old is None else old.bounds & bounds
            self.constraints[x.key] = Constraint(x, both)
            self.is_empty = self.is_empty or not both.is_feasible
        if self.is_empty:
            self.results = [0] * len(self.results)
            self.replica = None if self.replica is None else 0
            self.constraints = {}
            self.kinds = [[v._replace(bounds=EMPTY) for v in kind] for kind in self.kinds]

    def check(self) -> None:
        """Check that the expressions have only the map's variables.

        Raises:
            LayoutError: an expression has another one.
        """
        sources = [v.source for v in self.kinds[2] if v.source is not None]
        indices = [x for source in sources for x in source.indices]
        parts = [*self.results, *(c.expr for c in self.constraints.values()), *indices]
        for x in parts if self.replica is None else [*parts, self.replica]:
            for symbol in symbols_in(x):
                self._check_place(*place_of(symbol), x)
                if symbol.bounds != (None, None) or symbol.divisor != 1:
                    raise LayoutError(
                        f"the variable {symbol.name} of {x} has facts of its own",
                        "The bounds of a map's variables are the map's: use dim(i), rng(i), rt(i).",
                    )

    def bring_home(self) -> None:
        """Remove the replica from sources on the replica that asks."""
        runtime = self.kinds[2]
        asks = {key_of(rt(i)) for i, v in enumerate(runtime) if v.is_replica}
        for i, v in enumerate(runtime):
            source = v.source
            if source is not None and source.elsewhere and key_of(source.indices[0]) in asks:
                runtime[i] = v._replace(source=source._replace(indices=source.place, elsewhere=False))

    def _check_place(self, kind: int, i: int, x: Value) -> None:
        if i >= len(self.kinds[kind]):
            what = ("dims", "ranges", "runtime variables")[kind]
            raise LayoutError(f"{x} refers to number {i} of {len(self.kinds[kind])} {what}")


def _alone(x: Expr) -> tuple[int, int] | None:
    """The place of the variable of an expression that is a single variable."""
    if x.constant or len(x.terms) != 1:
        return None
    ((monomial, k),) = x.terms.items()
    if k != 1 or len(monomial) != 1 or type(monomial[0]) is not Symbol:
        return None
    return place_of(monomial[0])
