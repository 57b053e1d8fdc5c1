# SPDX-License-Identifier: Apache-2.0
"""Simplification: the same points in XLA's canonical text.

>>> from . import parse_map
>>> m = parse_map("(d0, d1) -> (d0 + d1 floordiv 16, d1 mod 16), domain: d0 in [0, 6], d1 in [0, 14]")
>>> print(simplify(m))
(d0, d1) -> (d0, d1), domain: d0 in [0, 6], d1 in [0, 14]

The rules are in `tla.indexing.rewriting`. Integer sets may prove more.

Source: XLA ``indexing_map.cc``, IndexingMap::Simplify, without what is unsound in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import UndecidedError, UnsupportedError
from .deciding import is_empty
from .maps import require_map
from .rewriting import rewritten, with_ranges_in_order
from .tables import with_tables

if TYPE_CHECKING:
    from .maps import IndexingMap

SINGLE_VALUES = ("keep", "replace")


def simplify(map: IndexingMap, single_values: str = "keep", exact: bool | None = None) -> IndexingMap:
    """Return a map of the same points in normal form.

    >>> from tla.indexing import parse_map
    >>> m = parse_map("(d0) -> ((d0 * 4 + 3) floordiv 4, d0 mod 8), domain: d0 in [0, 7]")
    >>> print(simplify(m))
    (d0) -> (d0, d0), domain: d0 in [0, 7]

    The variables stay, and constraints may narrow their bounds. Constraints that always hold disappear.
    Ranges are numbered in the order of their first use, so maps that differ in the order of their ranges
    alone become equal. ``simplify(simplify(m)) == simplify(m)``.

    Args:
        single_values: Whether to ``"keep"`` a variable with a single value, as XLA does for reshapes and
            tiles, or to ``"replace"`` it by the value.
        exact: Whether to prove by integer sets that constraints which contradict each other leave no
            point; None does so if islpy is installed.

    Raises:
        UnsupportedError: ``single_values`` is another text, or ``exact`` is true without islpy.
    """
    require_map(map)
    if single_values not in SINGLE_VALUES:
        raise UnsupportedError(f"single values are kept or replaced, not {single_values!r}")
    map = with_ranges_in_order(map)  # a rule that may choose one of two ranges chooses the same one
    map = with_ranges_in_order(with_tables(rewritten(map, single_values == "replace")))
    if map.constraints and exact is not False:
        try:
            if is_empty(map):
                return map.with_parts(is_known_empty=True)
        except (UnsupportedError, UndecidedError):
            if exact:
                raise
    return map
