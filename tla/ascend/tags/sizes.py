# SPDX-License-Identifier: Apache-2.0
"""The checks of the sizes of a layout: each is one int, static, dynamic or symbolic, and 0 or more.

>>> sizes_of("zN", ("rows", "cols"), (20, 48))
(20, 48)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...errors import CongruenceError, LayoutError, LeafError
from ...numbers import at_least, leaf

if TYPE_CHECKING:
    from collections.abc import Sequence


def sizes_of(what: str, names: Sequence[str], sizes: Sequence[object]) -> tuple[Any, ...]:
    """Return the sizes as leaves, one for each name.

    Args:
        what: The layout in words, for an error.

    Raises:
        CongruenceError: there are more or fewer sizes than names.
        LeafError: a size is no int.
        LayoutError: a size is negative.
    """
    if len(sizes) != len(names):
        raise CongruenceError(
            f"{what} takes {_count_words(len(names))}, not {_count_words(len(sizes))}",
            f"Its sizes are ({', '.join(names)}).",
            names=tuple(names),
            sizes=tuple(sizes),
        )
    return tuple([size_of(what, name, x) for name, x in zip(names, sizes, strict=True)])


def size_of(what: str, name: str, x: object, least: int = 0) -> Any:
    """Return one size as a leaf that is at least ``least``.

    Raises:
        LeafError: the size is no int.
        LayoutError: the size is below ``least``.
    """
    try:
        size = leaf(x)
    except LeafError as error:
        raise LeafError(
            f"the {name} of {what}: {error.summary}", *error.details, name=name, value=x
        ) from None
    if not at_least(size, least):
        reason = "a size is 0 or more" if not least else f"it must be at least {least}"
        raise LayoutError(f"{what} has {name} = {size}: {reason}", name=name, value=size)
    return size


def _count_words(n: int) -> str:
    return {0: "none", 1: "one size"}.get(n, f"{n} sizes")
