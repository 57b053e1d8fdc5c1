# SPDX-License-Identifier: Apache-2.0
"""Layouts with unknown sizes, compared at some sizes and then for all of them.

>>> a, b = parse_shape("f32[?,3]"), parse_shape("f32[?,3]{0,1}")
>>> is_open(a), is_open(parse_shape("f32[<=4,3]")), written_dims(a)
(True, False, ('?', '3'))
>>> pairs = list(at_some_sizes(a, b))
>>> print(len(pairs), *pairs[1])
7 {'dim 0': 2} f32[2,3]{1,0} f32[2,3]{0,1}
"""

from __future__ import annotations

from contextlib import suppress
from math import lcm
from typing import TYPE_CHECKING, Any

from ..errors import BindingError, LayoutError, UndecidedError, UnsupportedError
from ..layouts import Layout, is_composed, is_layout, leaves
from ..numbers import SymbolicInt, known_eq, max_, min_, round_up
from .dynamic import read_layout
from .shape import remade
from .tiling import array_shape, physical_elements
from .to_layout import to_layout

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..layouts import AnyLayout, ComposedLayout
    from ..numbers import Symbol
    from .shape import AnyShape

SIZES = (1, 2, 3, 5, 8, 129, 1000)
"""The values of an unknown size that are tried before layouts are compared for every size."""


def is_open(given: AnyShape | AnyLayout | ComposedLayout) -> bool:
    """Return whether the memory depends on unknown sizes; a bounded dim has the memory of its bound."""
    if is_composed(given):
        return bool(given.symbols)
    if not is_layout(given):
        return array_shape(given).is_unbounded_dynamic
    return bool(_open_symbols(given))


def bound_of(n: Any) -> int | None:
    """Return the greatest value of the size of a dim; None if it has none."""
    return n.bounds[1] if isinstance(n, SymbolicInt) else int(n)  # type: ignore[attr-defined]


def written_dims(given: AnyShape | AnyLayout | ComposedLayout) -> tuple[str, ...]:
    """Return the dims in the text of a shape: ``5``, ``<=5`` or ``?``."""
    if is_layout(given) or is_composed(given):
        dims = [(isinstance(n, SymbolicInt), bound_of(n)) for n in leaves(given.origin_shape)]
    else:
        array = array_shape(given)
        pairs = zip(array.dynamic_dimensions, array.dimensions, strict=True)
        dims = [(dynamic, None if isinstance(n, SymbolicInt) else n) for dynamic, n in pairs]
    return tuple("?" if n is None else f"<={n}" if dynamic else str(n) for dynamic, n in dims)


def at_bounds(given: Any) -> Any:
    """Return a layout whose only unknowns are bounded dims with the memory of their bounds.

    >>> print(at_bounds(parse("(M{max=4},8):(8,1)")))
    (4,8):(8,1):(M{max=4},8)

    Any other value stays as it is: a shape, and a layout in which an unknown has no bound or is no dim.
    """
    if not is_layout(given) or not given.symbols or is_open(given):
        return given
    try:
        layout = read_layout(given, None).layout
    except (UnsupportedError, UndecidedError):
        return given
    return given if layout.symbols else Layout(layout.shape, layout.stride, given.origin_shape)


def with_common_facts(a: Any, b: Any) -> tuple[Any, Any]:
    """Return both layouts with one symbol for each name, which has the facts of both.

    >>> print(*with_common_facts(parse("(M{div=4}):(1)"), parse("(M{div=6,min=30}):(1)")))
    (M{div=12,min=30}):(1) (M{div=12,min=30}):(1)

    Raises:
        LayoutError: no int has the facts of both.
    """
    found: dict[str, list[Symbol]] = {}
    for symbol in [s for x in (a, b) if is_layout(x) for s in x.symbols]:
        found.setdefault(symbol.name, []).append(symbol)
    merged = {name: _merge(symbols) for name, symbols in found.items() if len(set(symbols)) > 1}
    one, other = (x.bind(**merged) if merged and is_layout(x) else x for x in (a, b))
    return one, other


def _merge(symbols: Sequence[Symbol]) -> Any:
    from ..numbers import sym

    least = [s.least for s in symbols if s.least is not None]
    greatest = [s.greatest for s in symbols if s.greatest is not None]
    name = symbols[0].name
    try:
        return sym(
            name,
            lcm(*(s.divisor for s in symbols)),
            max_(*least) if least else None,
            min_(*greatest) if greatest else None,
            cpp_type=next((s.cpp_type for s in symbols if s.cpp_type), ""),
        )
    except LayoutError as error:
        raise LayoutError(f"no {name} fits both: {error.summary}", name=name) from None


def at_some_sizes(
    a: AnyShape | AnyLayout | ComposedLayout, b: AnyShape | AnyLayout | ComposedLayout
) -> Iterator[
    tuple[dict[str, int], AnyShape | AnyLayout | ComposedLayout, AnyShape | AnyLayout | ComposedLayout]
]:
    """Yield sizes by the names of unknowns, and both layouts with them; their dims must have equal text.

    The facts of a name must be the same in both: see `with_common_facts`. The unknowns of two shapes are
    ``dim 0`` and so on.

    The unknowns get one size, and then sizes that follow each other. An unknown of a layout gets the
    next size in its range and divisor. A dim ``?`` of a shape gets the size of the same dim in the
    layout.
    """
    symbols = {s.name: s for x in (a, b) if is_layout(x) for s in _open_symbols(x)}
    dims = [i for i, n in enumerate(written_dims(a)) if n == "?"]
    tried: list[dict[str, int]] = []
    for n, step in [(n, step) for step in (0, 1) for n in SIZES]:
        values = {name: _near(s, n + step * i) for i, (name, s) in enumerate(symbols.items())}
        given = values if symbols else {f"dim {i}": n + step * i for i in dims}
        if given in tried:
            continue
        tried.append(given)
        with suppress(BindingError):  # ranges may depend on each other
            one, other = at_bounds(_bound(a, values)), at_bounds(_bound(b, values))
            yield given, _sized(one, other, n, step), _sized(other, one, n, step)


def _bound(given: Any, values: dict[str, int]) -> Any:
    """A layout with values for its unknowns; a shape as it is."""
    if not is_layout(given):
        return given
    return given.bind(**{s.name: values[s.name] for s in given.symbols if s.name in values})


def _open_symbols(layout: AnyLayout) -> list[Symbol]:
    """The unknowns on which the memory of a layout depends, without those of bounded dims alone."""
    parts = [*(n for n in leaves(layout.origin_shape) if bound_of(n) is None), *leaves(layout.stride)]
    return list(dict.fromkeys(s for n in parts if isinstance(n, SymbolicInt) for s in n.symbols))  # type: ignore[attr-defined]


def _near(symbol: Symbol, n: int) -> int:
    low, high = (end if isinstance(end, int) else None for end in (symbol.least, symbol.greatest))
    value = int(round_up(max(n, low or 0), symbol.divisor))
    return value if high is None else min(value, high // symbol.divisor * symbol.divisor)


def _sized(given: Any, other: Any, n: int, step: int) -> Any:
    """A shape with numbers in place of its unknown sizes; a layout as it is."""
    if is_layout(given):
        return given
    free = [n + step * i for i in range(given.rank)]
    others = leaves(other.origin_shape) if is_layout(other) else free
    unknown = [isinstance(d, SymbolicInt) for d in given.dimensions]
    sizes = [int(m) if u else d for d, m, u in zip(given.dimensions, others, unknown, strict=True)]
    dynamic = [d and not u for d, u in zip(given.dynamic_dimensions, unknown, strict=True)]
    return remade(given, dimensions=tuple(sizes), dynamic_dimensions=tuple(dynamic))


def are_same(a: AnyShape | AnyLayout | ComposedLayout, b: AnyShape | AnyLayout | ComposedLayout) -> bool:
    """Return whether both are proven to be one layout, of one size, for every unknown size."""
    sizes = [physical_elements(x) for x in (a, b) if not is_layout(x) and not is_composed(x)]
    if len(sizes) == 2 and known_eq(*sizes) is not True:
        return False
    with suppress(UndecidedError, UnsupportedError):
        one, other = _nested(a, b), _nested(b, a)
        return one == other or one.trimmed() == other.trimmed()
    return False


def _nested(given: Any, other: Any) -> AnyLayout:
    """The nested layout; the dims ``?`` of a shape have the unknowns of the other layout."""
    if is_layout(given):
        return given
    named = enumerate(leaves(other.origin_shape)) if is_layout(other) else ()
    return to_layout(given, {i: n for i, n in named if given.dynamic_dimensions[i]})
