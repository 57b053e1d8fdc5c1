"""Random layouts made from their digits, and what the naive definition says of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st

from tla import Layout

if TYPE_CHECKING:
    from random import Random

    from tla.layouts.layout import AnyLayout

    Digits = list[tuple[int, int, int]]


def random_chain(rng: Random, digits: int = 10, torn: bool = False) -> tuple[AnyLayout, int]:
    """A layout whose digits form a chain, in any order in the dims, and a size of memory for it.

    Digits are padded, start above stride 1, and reach past the dims. If ``torn``, they are no chain
    any more where a stride is no multiple, and the size is any; they do not overlap.
    """
    rank = rng.randint(1, 4)
    stride = rng.choice([1, 1, 1, 2, 3, 4])
    parts: Digits = []
    for _digit in range(rng.randint(0, digits)):
        n = rng.choice([1, 2, 2, 2, 3, 4, 5])
        parts.append((rng.randrange(rank), n, stride))
        stride *= n * rng.choice([1, 1, 1, 1, 2, 3])
        stride += rng.choice([0, 0, 1, 2, 5]) if torn else 0
    return _laid_out(rng, rank, parts), stride * rng.choice([1, 1, 2, 3]) + (rng.randint(0, 7) * torn)


def _laid_out(rng: Random, rank: int, parts: Digits) -> AnyLayout:
    rng.shuffle(parts)
    modes = [[(n, d) for dim, n, d in parts if dim == i] for i in range(rank)]
    shape = tuple(tuple(n for n, _d in mode) or 1 for mode in modes)
    strides = tuple(tuple(d for _n, d in mode) or rng.randint(-3, 9) for mode in modes)
    layout: AnyLayout = Layout(shape, strides)
    if rng.random() < 0.5:
        return Layout(shape, strides, tuple(rng.randint(1, int(mode.size)) for mode in layout))
    return layout


def chains(digits: int = 7, torn: bool = False) -> st.SearchStrategy[tuple[AnyLayout, int]]:
    """Layouts and sizes of `random_chain`."""
    return st.randoms(use_true_random=False).map(lambda rng: random_chain(rng, digits, torn))
