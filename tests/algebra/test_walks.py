"""The fast walks of plain ints give what the walks of any ints give, mode for mode."""

from contextlib import suppress
from typing import Any

from cases import share
from hypothesis import given, settings, strategies as st

from tla import LayoutError
from tla.algebra.complement import gaps, gaps_between
from tla.algebra.composition import extended_modes, walk, walk_ints
from tla.algebra.modes import of_modes, raw_modes
from tla.numbers.questions import Questions

ASK = Questions(lambda: "a walk of numbers")
EXTENTS = st.sampled_from([0, 1, 1, 2, 2, 3, 4, 6, 8, 12])
STRIDES = st.sampled_from([-1, 0, 1, 1, 2, 3, 4, 6, 8, 12, 16, 24])
MANY = settings(max_examples=share(600), derandomize=True, database=None, deadline=None)


def modes(most: int = 4) -> Any:
    return st.lists(st.tuples(EXTENTS, STRIDES), min_size=1, max_size=most)


@st.composite
def compact(draw: Any) -> Any:
    """Modes in steps of the extents below them, some of them with a gap."""
    out = []
    below = 1
    for n in draw(st.lists(EXTENTS, min_size=1, max_size=4)):
        below *= draw(st.sampled_from([1, 1, 2, 3]))
        out.append((n, below))
        below *= n
    return draw(st.permutations(out))


def kinds(x: Any) -> Any:
    return [kinds(i) for i in x] if isinstance(x, (tuple, list)) else type(x)


@MANY
@given(modes() | compact(), modes() | compact())
def test_compositions(a: Any, b: Any) -> None:
    left = extended_modes(a)
    fast = walk_ints(left, b)
    if any(size == 0 for size, _d in left[:-1]):
        assert fast is None
        return
    found = walk(left, b, ASK, one=1)
    assert found == fast
    assert fast is None or kinds(found) == kinds(fast)


@MANY
@given(modes() | compact(), st.none() | st.integers(0, 100), st.booleans())
def test_complements(a: Any, cotarget: Any, grows: bool) -> None:
    layout = of_modes(a)
    fast: Any = None
    found: Any = None
    with suppress(LayoutError):
        fast = raw_modes(of_modes(gaps(a, cotarget, layout, grows)))
    with suppress(LayoutError):
        found = raw_modes(gaps_between(layout, cotarget, grows, None, 1))
    assert found == fast
    assert kinds(found) == kinds(fast)
