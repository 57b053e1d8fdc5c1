# SPDX-License-Identifier: Apache-2.0
"""The dims of a layout with unknown sizes as an XLA shape, and the sizes at which it is read.

A dim that is a single symbol becomes ``<=N`` if it has a bound and no stride depends on it, otherwise
``?``. A bounded dim then has its bound, and every other unknown is at least 1.

>>> from tla import Layout, sym
>>> reading = read_layout(Layout((sym("M", max=100), sym("K")), (sym("K"), 1)), None)
>>> print(reading.layout, reading.written)
(100,K):(K,1) ('<=100', '?')

Source: shape_util.cc of XLA, which strides over bounds.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import UnsupportedError
from ..layouts import Layout, as_layout, leaves, product, wrap
from ..numbers import SymbolicInt, known_eq, leaf, max_

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from ..layouts import AnyLayout
    from ..numbers import Condition, IntLike, Symbol


class Reading(NamedTuple):
    """A layout whose tiles are to be found.

    Attributes:
        given: The caller's layout, for errors.
        layout: The same layout with bounded dims at their bounds.
        dims: Its dims.
        room: The number of elements of memory that it is to have, or None.
        written: The dims of the shape.
        assumptions: The assumptions of the layout.
    """

    given: AnyLayout
    layout: AnyLayout
    dims: tuple[int, ...]
    room: int | None
    written: tuple[int | str, ...]
    assumptions: tuple[Condition, ...] = ()

    def assumed(self) -> AbstractContextManager[object]:
        """Return a context in which the assumptions hold."""
        if not self.assumptions:
            return nullcontext()
        from ..numbers import assume

        return assume(*self.assumptions)


def read_layout(layout: AnyLayout, size: IntLike | None) -> Reading:
    """Return the reading of a layout with the dims of an XLA shape.

    Raises:
        UnsupportedError: a dim is an expression of unknowns, or an unknown is no dim.
    """
    as_layout(layout)
    room = None if size is None else leaf(size)
    if any(isinstance(n, SymbolicInt) for n in (*leaves(_parts(layout)), room)):
        return _read_symbolic(layout, room)
    dims = tuple(int(n) for n in leaves(layout.origin_shape))
    return Reading(layout, layout, dims, None if room is None else int(room), dims)


def _parts(layout: AnyLayout) -> tuple[Any, Any, Any]:
    return layout.shape, layout.stride, layout.origin_shape


def _read_symbolic(layout: AnyLayout, room: Any) -> Reading:
    """The layout with every bounded dim at its bound, and its other unknowns at least 1.

    A dim of size 0 needs no proof, because the array has no element.
    """
    names, bounds = _symbolic_dims(layout)
    sizes: list[Any] = []  # the sizes of last leaves, on which the function does not depend
    moving: list[Any] = []
    for shape, stride in zip(wrap(layout.shape), wrap(layout.stride), strict=True):
        parts = [
            part
            for part in zip(leaves(shape), leaves(stride), strict=True)
            if known_eq(part[0], 1) is not True
        ]
        sizes += [n for n, _d in parts[-1:]]
        moving += [n for n, _d in parts[:-1]] + [d for _n, d in parts]
    followed = {s.name for x in moving for s in _symbols(x)}
    bounds = {name: n for name, n in bounds.items() if name not in followed or n == 0}
    values: dict[str, Any] = {}
    for x in (*leaves(layout.origin_shape), *sizes, *moving, room):
        for s in _symbols(x):
            if s.name not in names:
                raise UnsupportedError(
                    f"{layout} has no XLA shape: {s.name} is none of its dims",
                    "All that XLA knows of an array follows from its dims and tiles."
                    f" Bind {s.name} to a number, or leave it to the tiles.",
                    layout=layout,
                    symbol=s.name,
                )
            if s.name not in bounds:
                values[s.name] = _at_least_1(s)
    read = layout.bind(**values)
    assumptions = read.assumptions  # an assumption on a bounded dim may be wrong for its bound
    values |= bounds
    read = Layout(*_parts(read)).bind(**bounds)
    written = tuple(
        int(n) if name is None else f"<={bounds[name]}" if name in bounds else "?"
        for name, n in zip(names, leaves(read.origin_shape), strict=True)
    )
    dims = tuple(leaves(read.origin_shape))
    return Reading(layout, read, dims, _bound(room, values), written, assumptions)


def _symbolic_dims(layout: AnyLayout) -> tuple[list[str | None], dict[str, int]]:
    """The names of the dims, None for a fixed dim, and the bounds of the bounded ones."""
    names: list[str | None] = []
    bounds: dict[str, int] = {}
    for i, (n, mode) in enumerate(zip(leaves(layout.origin_shape), wrap(layout.shape), strict=True)):
        if not isinstance(n, SymbolicInt):
            names.append(None)
            continue
        symbol = _lone_symbol(n)
        if symbol is None:
            raise UnsupportedError(
                f"{layout} has no XLA shape: dim {i} is {n}, an expression of unknowns",
                "A dynamic dim of XLA is a size of its own. Give the layout a lone symbol for it:"
                f" layout.bind(...), or an origin shape with sym('d{i}').",
                layout=layout,
                dim=i,
            )
        names.append(symbol.name)
        box: Any = product(mode)
        for limit in (_greatest(n), None if isinstance(box, SymbolicInt) else int(box)):
            if limit is not None:
                limit = limit // symbol.divisor * symbol.divisor
                bounds[symbol.name] = min(limit, bounds.get(symbol.name, limit))
    return names, bounds


def _symbols(x: Any) -> tuple[Symbol, ...]:
    symbols: tuple[Symbol, ...] = getattr(x, "symbols", ())
    return symbols


def _bound(x: Any, values: dict[str, Any]) -> Any:
    """An int with values for some of its unknowns."""
    if not _symbols(x):
        return x
    from ..numbers import substitute

    return substitute(x, values)


def _at_least_1(s: Symbol) -> Any:
    """The symbol with the same facts that is at least 1."""
    from ..numbers import sym

    least = 1 if s.least is None else max_(s.least, 1)
    return sym(s.name, s.divisor, least, s.greatest, cpp_type=s.cpp_type)


def _lone_symbol(n: Any) -> Symbol | None:
    """The symbol of an expression that is a single symbol, or None."""
    if len(n.symbols) != 1:
        return None
    symbol: Symbol = n.symbols[0]
    same = n.terms == {(symbol,): symbol.divisor} and n.constant == 0
    return symbol if same else None


def _greatest(n: Any) -> int | None:
    greatest: int | None = n.bounds[1]
    return greatest
