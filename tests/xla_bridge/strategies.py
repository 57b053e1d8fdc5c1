"""Random shapes: few enough elements to look at each one."""

from __future__ import annotations

from math import prod

from hypothesis import strategies as st

from tla.xla_bridge import COMBINE, XlaShape, physical_elements

EXTENTS = st.sampled_from([1, 1, 2, 3, 4, 5, 6, 8, 9, 12])
TILE_SIZES = st.sampled_from([1, 2, 2, 3, 4, 4, 5, 6, 8])


@st.composite
def tiles(draw: st.DrawFn, combine: bool) -> tuple[int | str, ...]:
    """A tile of one to four entries; with ``combine`` some but the last are ``*``."""
    entries: list[int | str] = list(draw(st.lists(TILE_SIZES, min_size=1, max_size=4)))
    for i in range(len(entries) - 1):
        if combine and draw(st.booleans()):
            entries[i] = COMBINE
    return tuple(entries)


@st.composite
def xla_shapes(draw: st.DrawFn, combine: bool | None = None) -> XlaShape:
    """A shape of rank 0 to 4 under up to three tiles; ``combine`` forbids or allows ``*``."""
    dims = draw(st.lists(EXTENTS, max_size=4).filter(lambda dims: prod(dims) <= 1000))
    order = draw(st.permutations(range(len(dims))))
    stars = draw(st.booleans()) if combine is None else combine
    shape = XlaShape("f32", dims, order, draw(st.lists(tiles(stars), max_size=3)))
    return shape if physical_elements(shape) <= 20_000 else XlaShape("f32", dims, order)
