# SPDX-License-Identifier: Apache-2.0
"""The products of a plan that computes several: groups of M or of K, batches, lists.

>>> groups = groups_of("m", (512, 256, 64), (300, 0, 212))
>>> [str(problem) for problem in groups.problems]
['(300,256,64)', '(0,256,64)', '(212,256,64)']

- ``m``: one A and one C, whose rows are dealt out to the groups; each group has its own B.
- ``k``: one A and one B, of which each group has a slice of K; each group has its own C.
- ``batch``: each product has its own A, B and C; all have the same extents.
- ``list``: each product has its own A, B and C, and extents.

Source: CATLASS examples 01, 02, 05 and 08, and the kernels that they name.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from ...errors import KindError, LayoutError
from ...ground import described, limit_error, limit_of
from ..shapes import GemmCoord, gemm_shape, index_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import SupportsIndex

    from ..schedules import Axis
    from ..shapes import ShapeLike
    from .tile import Operand


_Item = TypeVar("_Item")


class Groups(NamedTuple):
    """How several products lie in A, B and C, and the extents of each.

    >>> from tla.ascend import grouped
    >>> grouped("AtlasA2", (512, 256, 64), (300, 212)).groups.sizes
    (300, 212)
    """

    axis: Axis
    problems: tuple[GemmCoord, ...]

    @property
    def sizes(self) -> tuple[int, ...]:
        """The rows of each group, or its part of K; of batches and lists the rows of each product."""
        return tuple(problem.k if self.axis == "k" else problem.m for problem in self.problems)

    @property
    def ends(self) -> tuple[int, ...]:
        """Where each group ends: the group list that CATLASS's kernels read."""
        return tuple(accumulate(self.sizes))

    def apart(self, operand: Operand) -> bool:
        """Whether each product has an operand of its own; otherwise they share one, slice by slice."""
        return operand not in SLICED[self.axis]

    def __str__(self) -> str:
        count, axis = len(self.problems), self.axis
        if axis == "batch":
            return f"{count} batches"
        if axis == "list":
            return f"a list of {count} products"
        shown = ", ".join(map(str, self.sizes[:8])) + (", ..." if count > 8 else "")
        return f"{count} groups of {axis.upper()}: {shown}"


SLICED: Final[dict[Axis, tuple[Operand, ...]]] = {
    "m": ("A", "C"), "k": ("A", "B"), "batch": (), "list": (),
}  # fmt: skip
"""The operands that the groups share, each with its own slice."""


def groups_of(axis: Axis, problem: GemmCoord, sizes: Sequence[SupportsIndex]) -> Groups:
    """Return the groups of a product along M or K.

    Raises:
        LayoutError: a size is negative, or the sizes do not add up to the product's extent.
        LimitError: there are more groups than a plan has tasks.
    """
    if axis not in ("m", "k"):
        raise LayoutError(f"groups are along m or k, not {described(axis)}", axis=axis)
    extents = tuple(index_of("the size of a group", size) for size in _items(sizes, "ints"))
    _require_few(len(extents))
    whole = getattr(GemmCoord(*problem), axis)
    if not extents or min(extents) < 0 or sum(extents) != whole:
        raise _not_whole(axis, whole, extents)
    return Groups(axis, tuple(GemmCoord(*problem)._replace(**{axis: size}) for size in extents))


def _not_whole(axis: str, whole: int, extents: tuple[int, ...]) -> LayoutError:
    """The error of a group list that does not add up."""
    shown = ", ".join(map(str, extents[:8])) + (", ..." if len(extents) > 8 else "")
    ways = ["Every row is in one group." if axis == "m" else "All of K is in groups."]
    if extents and extents[-1] == whole and list(extents) == sorted(extents) and extents[0] >= 0:
        sizes = [end - start for start, end in zip((0, *extents), extents, strict=False)]
        ways.append(f"These are ends of groups, as CATLASS has them; the sizes are {sizes[:8]}.")
    negative = f", of which {min(extents)} is negative" if extents and min(extents) < 0 else ""
    return LayoutError(
        f"the groups, {shown or 'none'}, sum to {sum(extents)}{negative}: {axis.upper()} is {whole}",
        *ways,
        groups=extents, extent=whole,
    )  # fmt: skip


def batches_of(problem: GemmCoord, count: SupportsIndex) -> Groups:
    """Return the products of a batch, all alike.

    Raises:
        LayoutError: there is none.
    """
    number = index_of("batch", count)
    if number < 1:
        raise LayoutError(f"a batch has at least 1 product, not {number}", batch=number)
    _require_few(number)
    return Groups("batch", (GemmCoord(*problem),) * number)


def list_of(problems: Iterable[ShapeLike]) -> tuple[GemmCoord, Groups]:
    """Return the products of a list, and an extent of each axis that bounds them all.

    Raises:
        LayoutError: the list is empty, or an extent is below 1.
    """
    shapes = _items(problems, "problems")
    found = tuple(GemmCoord(*gemm_shape(problem, "problem")) for problem in shapes)
    if not found:
        raise LayoutError("a list of products has at least one", problems=found)
    _require_few(len(found))
    return GemmCoord(*map(max, zip(*found, strict=True))), Groups("list", found)


def _items(what: Iterable[_Item], of: str) -> list[_Item]:
    try:
        if not isinstance(what, str):
            return list(what)
    except TypeError:
        pass
    raise KindError(f"groups are a sequence of {of}, not {described(what)}", value=what)


def _require_few(count: int) -> None:
    most = limit_of("tasks")
    if count > most:
        summary = f"a plan of {count} products; at most {most} are planned for"
        raise limit_error("tasks", summary, needed=count, count=count)
