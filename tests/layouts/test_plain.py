"""The walks of plain ints beside the general ones: equal in value, in what is static, and in errors."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

import tla
from tla import Int, Layout, TlaError, _, _2, _4
from tla.layouts import static_mask

if TYPE_CHECKING:
    from collections.abc import Callable

coords, layouts = sys.modules["tla.layouts.coord"], sys.modules["tla.layouts.layout"]

kinds = st.sampled_from(["dynamic", "static", "mixed", "numpy"])
extents = st.recursive(
    st.integers(-1, 5), lambda inner: st.lists(inner, max_size=3).map(tuple), max_leaves=5
)


def like(draw: st.DrawFn, profile: Any, kind: str, leaf: st.SearchStrategy[int]) -> Any:
    if isinstance(profile, tuple):
        return tuple([like(draw, p, kind, leaf) for p in profile])
    n = draw(leaf)
    if kind == "numpy":
        return np.int64(n)
    return Int(n) if kind == "static" or (kind == "mixed" and draw(st.booleans())) else n


@st.composite
def calls(draw: st.DrawFn) -> tuple[Any, Any, Any]:
    """A shape, a stride, and a coordinate that often fits."""
    profile = draw(extents)
    shape = like(draw, profile, draw(kinds), st.integers(-1, 5) if draw(st.booleans()) else st.just(4))
    stride = like(draw, profile, draw(kinds), st.integers(-3, 40))
    if not draw(st.integers(0, 9)):
        stride = like(draw, draw(extents), draw(kinds), st.integers(0, 9))

    def cut(p: Any) -> Any:
        """A profile that is weakly congruent."""
        if not isinstance(p, tuple) or draw(st.integers(0, 3)) == 0:
            return 0
        return tuple([cut(i) for i in p])

    kind = draw(kinds)
    at = like(draw, cut(shape), kind, st.integers(-1, 9) if draw(st.booleans()) else st.integers(0, 3))
    return shape, stride, at


def outcome(run: Callable[..., Any], *arguments: Any) -> tuple[Any, ...]:
    try:
        found = run(*arguments)
    except TlaError as error:
        return type(error), str(error)
    if tla.is_layout(found):
        return str(found), static_mask(found)
    return (found, static_mask(found)) if not isinstance(found, tuple) or found else (found,)


def general(monkeypatch: pytest.MonkeyPatch, run: Callable[..., Any], *arguments: Any) -> Any:
    """The outcome without the walks of plain ints."""

    def none(*_arguments: Any) -> None:
        return None

    with monkeypatch.context() as patch:
        for module, names in (
            (coords, ("_plain_coord", "_plain_index", "plain_offset", "of_static")),
            (layouts, ("_plain_span", "_kept", "of_static")),
        ):
            for name in names:
                patch.setattr(module, name, none)
        return outcome(run, *arguments)


@given(calls())
@example(((2, (3, 4)), (1, (2, 6)), 23))
@example(((_2, (3, _4)), (1, (_2, 6)), (1, Int(11))))
@example((((-2, -3), 2), ((1, 1), 1), (1, 0)))
@example((((), 4), ((), 1), ((), 3)))
def test_coordinates_and_offsets(call: tuple[Any, Any, Any]) -> None:
    shape, stride, at = call
    with pytest.MonkeyPatch.context() as patch:
        for run, arguments in (
            (tla.idx2crd, (at, shape)),
            (tla.crd2idx, (at, shape)),
            (tla.crd2idx, (at, shape, stride)),
            (tla.crd2offset, (at, shape, stride)),
        ):
            assert outcome(run, *arguments) == general(patch, run, *arguments), (run, arguments)


@given(calls(), st.data())
def test_facts_and_slices_of_layouts(call: tuple[Any, Any, Any], data: st.DataObject) -> None:
    shape, stride, at = call
    try:
        layout = Layout(shape, stride)
    except TlaError:
        return

    def keep(c: Any) -> Any:
        if isinstance(c, tuple) and data.draw(st.integers(0, 3)):
            return tuple([keep(i) for i in c])
        return _ if data.draw(st.booleans()) else c

    coord = keep(at)
    with pytest.MonkeyPatch.context() as patch:
        for run, arguments in (
            (tla.cosize, (layout,)),
            (lambda x, c: tla.slice_and_offset(c, x)[0], (layout, coord)),
            (lambda x, c: tla.slice_and_offset(c, x)[1], (layout, coord)),
        ):
            assert outcome(run, *arguments) == general(patch, run, *arguments), (run, arguments)


@given(calls(), st.data())
def test_coalesce_by_mode(call: tuple[Any, Any, Any], data: st.DataObject) -> None:
    """The walk over plain ints is coalescing of one mode after another."""
    try:
        layout = Layout(*call[:2])
    except TlaError:
        return
    if not isinstance(layout.shape, tuple):
        return
    number = data.draw(st.integers(0, len(layout.shape)))
    found = tla.coalesce(layout, (1,) * number)
    modes = [tla.get(layout, i) for i in range(len(layout.shape))]
    for i, mode in enumerate(modes):
        expected = tla.coalesce(mode) if i < number else mode
        assert tla.same_static(tla.get(found, i), expected)


def test_a_literal_is_one_layout() -> None:
    shape, stride = ((4, 2), (4, 3)), ((4, 16), (1, 32))
    layout = Layout(shape, stride)
    assert Layout(shape, stride) == layout
    assert Layout(shape, stride, (5, 10)) != layout
    assert Layout(shape, ((1, 4), (8, 32))) != layout
    assert Layout(tuple(shape), ((4, 16), (1, 32))) == layout
    with pytest.raises(tla.CongruenceError):
        Layout(shape, (4, 1))

    class Own(Layout[Any, Any]):
        """Has a dict, as a class without slots has."""

    assert (type(Own(shape, stride)), Own(shape, stride)) == (Own, layout)


def test_what_looks_like_a_literal_is_checked() -> None:
    """Equal tuples of other types are no ints, or static ones."""
    assert Layout(((4, 2), 3)).is_static is False
    assert not Layout(((4, 2), 3), ((1, 4), 8)).is_static
    assert Layout(((_4, _2), Int(3)), ((Int(1), _4), Int(8))).is_static
    for bad in (((4.0, 2), 3), ((True, 2), 3), (("4", 2), 3)):
        with pytest.raises(tla.LeafError):
            Layout(bad, ((1, 4), 8))
