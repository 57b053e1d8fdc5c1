# SPDX-License-Identifier: Apache-2.0
"""Hypothesis strategies of the library's arguments: int tuples, shapes, layouts, coordinates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from ..errors import LayoutError
from ..ground import MAX_DEPTH
from ..layouts import AnyLayout, Layout, flatten_to_tuple, unflatten
from ..numbers import Int, is_tuple
from .truths import naive_size

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy


def int_tuples(
    leaves: SearchStrategy[int] | None = None,
    *,
    min_rank: int = 0,
    max_rank: int = 3,
    max_depth: int = 2,
    static: bool | None = None,
) -> SearchStrategy[Any]:
    """Draw int tuples: ints, and tuples of int tuples, which may be empty.

    >>> from hypothesis import given
    >>> @given(int_tuples(max_depth=1))
    ... def test(x):
    ...     assert depth(x) <= 1
    >>> test()

    Args:
        leaves: The values of the ints; by default -100 to 100.
        min_rank, max_rank: The fewest and the most modes of a tuple; 1 leaves out the empty tuple.
        max_depth: The most levels of nesting; 0 draws only ints.
        static: Whether every int is an `Int`, or none; None for some of them.
    """
    if max_depth > MAX_DEPTH:
        raise LayoutError(f"int tuples are nested up to {MAX_DEPTH} levels, not {max_depth}")
    values = st.integers(-100, 100) if leaves is None else leaves
    leaf = values.flatmap(lambda n: _leaf(n, static))
    level: SearchStrategy[Any] = leaf
    for _depth in range(max_depth):
        tuples: SearchStrategy[Any] = st.lists(level, min_size=min_rank, max_size=max_rank).map(tuple)
        level = leaf | tuples | tuples  # twice as often as a bare int
    return level


def _leaf(n: int, static: bool | None) -> SearchStrategy[int]:
    if static is None:
        return st.sampled_from([n, Int(n)])
    return st.just(Int(n) if static else n)


@st.composite
def _shapes(
    draw: DrawFn,
    max_size: int,
    min_extent: int,
    min_rank: int,
    max_rank: int,
    max_depth: int,
    static: bool | None,
) -> Any:
    profiles = int_tuples(st.just(0), min_rank=min_rank, max_rank=max_rank, max_depth=max_depth)
    profile = draw(profiles.filter(lambda p: min_extent ** len(flatten_to_tuple(p)) <= max_size))
    missing, room = len(flatten_to_tuple(profile)), max_size
    extents: list[int] = []
    while missing:
        missing -= 1
        most = room // max(1, min_extent) ** missing  # leaves room for the missing extents
        n = draw(st.integers(min_extent, most) | st.integers(min_extent, min(most, 4)))
        room //= max(1, n)
        extents.append(draw(_leaf(n, static)))
    return unflatten(tuple(draw(st.permutations(extents))), profile)  # not always the largest first


def shapes(
    *,
    max_size: int = 64,
    min_extent: int = 1,
    min_rank: int = 0,
    max_rank: int = 3,
    max_depth: int = 2,
    static: bool | None = None,
) -> SearchStrategy[Any]:
    """Draw shapes of at most ``max_size`` coordinates, from ``5`` and ``()`` to ``((2,3),(1,(4)))``.

    >>> from hypothesis import given
    >>> @given(shapes(max_size=12))
    ... def test(shape):
    ...     assert size(shape) <= 12
    >>> test()

    Args:
        min_extent: The least extent: 0 draws empty shapes too, 2 leaves out modes of size 1.
        min_rank, max_rank: The fewest and the most modes of a tuple; 1 leaves out the empty tuple.
        max_depth: The most levels of nesting; 0 draws only ints.
        static: Whether every extent is an `Int`, or none; None for some of them.
    """
    return _shapes(max_size, min_extent, min_rank, max_rank, max_depth, static)


def layouts(
    of: SearchStrategy[Any] | None = None,
    *,
    compact: bool = False,
    min_stride: int = 0,
    max_stride: int = 64,
    padded: bool = False,
    static: bool | None = None,
) -> SearchStrategy[AnyLayout]:
    """Draw layouts of some shapes, with strides of every kind.

    >>> from hypothesis import given
    >>> @given(layouts(compact=True))
    ... def test(layout):
    ...     assert layout.cosize == layout.size
    >>> test()

    Args:
        of: The strategy of the shapes; by default `shapes`.
        compact: Whether the strides leave no gap and no overlap, with the leaves in any order. The
            layout is then a bijection onto ``range(size)``.
        min_stride, max_stride: The range of strides that are not compact. A negative least stride draws
            layouts that run backwards, and 1 leaves out broadcasts.
        padded: Whether layouts have an origin shape, with any size up to that of each mode.
        static: Whether every int is an `Int`, or none; None for some of them.
    """
    strategy = shapes(static=static) if of is None else of
    return _layouts(strategy, compact, min_stride, max_stride, padded, static)


@st.composite
def _layouts(
    draw: DrawFn,
    of: SearchStrategy[Any],
    compact: bool,
    min_stride: int,
    max_stride: int,
    padded: bool,
    static: bool | None,
) -> AnyLayout:
    shape: Any = draw(of)
    extents = flatten_to_tuple(shape)
    if compact or draw(st.booleans()):
        steps = _compact(extents, draw(st.permutations(range(len(extents)))))
    else:
        count = len(extents)
        steps = draw(st.lists(st.integers(min_stride, max_stride), min_size=count, max_size=count))
    stride = unflatten(tuple(draw(_leaf(d, static)) for d in steps), shape)
    if not padded:
        return Layout(shape, stride)
    sizes = [naive_size(s) for s in shape] if is_tuple(shape) else [naive_size(shape)]
    data = [draw(st.integers(0, n).flatmap(lambda n: _leaf(n, static))) for n in sizes]
    return Layout(shape, stride, tuple(data) if is_tuple(shape) else data[0])


def _compact(extents: tuple[int, ...], order: list[int]) -> list[int]:
    """The strides of leaves without gaps, leaf ``order[0]`` fastest."""
    steps, step = [0] * len(extents), 1
    for i in order:
        steps[i], step = step, step * int(extents[i])
    return steps


def coords_of(shape: Any, *, static: bool | None = False) -> SearchStrategy[Any]:
    """Draw coordinates inside a shape, of every form: an int, natural, or partly flat.

    >>> from hypothesis import given
    >>> @given(coords_of((2, (3, 4))))
    ... def test(coord):
    ...     assert 0 <= crd2idx(coord, (2, (3, 4))) < 24
    >>> test()

    ``((4,2),(4,3))`` has ``37``, ``(5, 4)``, ``((1, 1), 4)`` and ``((1, 1), (0, 1))``. A shape of
    size 0 has no coordinate, and the strategy draws nothing.

    Args:
        static: Whether every int is an `Int`, or none; None for some of them.
    """
    size = naive_size(shape)
    if not size:
        return st.nothing()
    flat = st.integers(0, size - 1).flatmap(lambda n: _leaf(n, static))
    if not is_tuple(shape):
        return flat
    return flat | st.tuples(*(coords_of(s, static=static) for s in shape))
