"""Layouts seen through a function: the rows of CuTe, and each operation against naive evaluation.

An operation that changes coordinates alone gives ``result(i) == layout(g(i))``, and ``g`` is what it makes
of the layout of the indices themselves. The others have their own laws.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from cases import over
from oracle import cute_layout, rows, value

import tla
from tla import (
    ComposedLayout,
    DivisibilityError,
    Layout,
    LayoutError,
    Swizzle,
    TlaError,
    UnsupportedError,
    _,
    coalesce,
    composition,
    downcast,
    flatten,
    get,
    group,
    is_composed,
    left_inverse,
    logical_divide,
    offset_lists,
    offsets,
    parse,
    right_inverse,
    slice_and_offset,
    upcast,
    zipped_divide,
)
from tla.algebra import (
    domain_offset,
    filter_zeros,
    flat_divide,
    is_injective,
    select,
    tiled_divide,
    to_linear,
)
from tla.algebra.linear import run_of

if TYPE_CHECKING:
    from collections.abc import Callable


def random_outer(rng: Random) -> Any:
    """A swizzle mostly, at times a layout."""
    if rng.random() < 0.15:
        return Layout((rng.randint(1, 4), rng.randint(1, 6)), (rng.randint(0, 5), rng.randint(1, 9)))
    bits = rng.randint(0, 3)
    shift = rng.randint(bits, 4)
    return Swizzle(bits, rng.randint(0, 3), rng.choice([shift, -shift]))


def random_seen(rng: Random) -> Any:
    """A layout behind one function, at times behind two."""
    shape = tuple(rng.choice([1, 2, 3, 4, 8, (2, 2), (4, 2)]) for _i in range(rng.randint(1, 3)))
    inner: Any = Layout(shape)
    if rng.random() < 0.6:  # some stride that is not compact
        flat = tla.layouts.leaves(shape)
        steps = tuple(rng.choice([0, 1, 2, 3, 4, 8, 16]) for _n in flat)
        inner = Layout(shape, tla.unflatten(steps, shape))
    seen = ComposedLayout(random_outer(rng), rng.choice([0, 0, 1, 8, 13]), inner)
    return ComposedLayout(random_outer(rng), rng.choice([0, 4]), seen) if rng.random() < 0.2 else seen


def table(f: Any) -> list[int]:
    return [int(f(i)) for i in range(int(f.size))]


def tiler_of(rng: Random, layout: Any) -> Any:
    """A tile that divides: an int for each mode."""
    sizes = [int(mode.size) for mode in layout]
    return tuple(rng.choice([d for d in range(1, n + 1) if n % d == 0]) for n in sizes)


OF_DOMAIN: dict[str, Callable[[Random, Any], Callable[[Any], Any]]] = {
    "coalesce": lambda _rng, _a: coalesce,
    "flatten": lambda _rng, _a: flatten,
    "group": lambda _rng, a: lambda x: group(x, 0, int(a.rank)),
    "select": lambda rng, a: lambda x, i=rng.randrange(int(a.rank)): select(x, i),
    "get": lambda rng, a: lambda x, i=rng.randrange(int(a.rank)): get(x, i),
    "zipped_divide": lambda rng, a: lambda x, t=tiler_of(rng, a): zipped_divide(x, t),
    "tiled_divide": lambda rng, a: lambda x, t=tiler_of(rng, a): tiled_divide(x, t),
    "flat_divide": lambda rng, a: lambda x, t=tiler_of(rng, a): flat_divide(x, t),
    "logical_divide": lambda rng, a: lambda x, t=tiler_of(rng, a): logical_divide(x, t),
    "composition": lambda rng, a: lambda x, t=tiler_of(rng, a): composition(x, t),
    "slice": lambda rng, a: lambda x, c=(_, *[rng.randrange(int(m.size)) for m in [*a][1:]]): x[c],
    "domain_offset": lambda rng, a: lambda x, c=tuple(0 for _m in a): domain_offset(c, x)[0],
}  # fmt: skip


@pytest.mark.parametrize("name", OF_DOMAIN)
def test_an_operation_of_coordinates_keeps_what_is_outside(name: str) -> None:
    rng, answered = Random(name), 0
    for _i in range(120):
        a = random_seen(rng)
        inmost = a.inner.inner if is_composed(a.inner) else a.inner
        run = OF_DOMAIN[name](rng, a)
        try:
            wanted = run(inmost)
        except TlaError as refusal:  # the same, where it has no answer
            with pytest.raises(type(refusal)):
                run(a)
            continue
        found = run(a)
        answered += 1
        start = int(slice_and_offset(_start(run, inmost), inmost)[1]) if name == "slice" else 0
        inside = [start + int(wanted(i)) for i in range(int(wanted.size))]
        assert table(found) == [int(_outside(a, x)) for x in inside]
        assert found.shape == wanted.shape
    assert answered > 80


def _start(run: Any, _layout: Any) -> Any:
    return run.__defaults__[0]


def _outside(a: Any, x: int) -> Any:
    """Where an offset of the inmost layout goes."""
    return a.through(_outside(a.inner, x)) if is_composed(a.inner) else a.through(x)


def test_tables_texts_and_equality() -> None:
    rng = Random(2)
    for _i in range(200):
        a = random_seen(rng)
        assert (
            parse(str(a)) == a
            and tla.read(str(a)) == a
            and eval(repr(a), dict(vars(tla), **{"_0": tla.Int(0), "_1": tla.Int(1)})) == a
        )
        assert offsets(a).flatten(order="F").tolist() == table(a)
        assert offset_lists(a) == offsets(a).tolist()
        assert hash(parse(str(a))) == hash(a)
        assert (a.rank, a.depth, a.size) == (len([*a]), tla.depth(a), tla.size(a))
        assert a.cosize == max(table(a)) - min(table(a)) + 1 == tla.cosize(a)
        assert [table(mode) for mode in a] == [table(get(a, i)) for i in range(int(a.rank))]


def test_casts() -> None:
    rng, answered = Random(3), 0
    for _i in range(600):
        a = random_seen(rng)
        n = rng.choice([1, 2, 4, 8])
        down = _attempt(downcast, a, n)
        if not isinstance(down, TlaError):
            assert [int(down(_grown(a, down, i))) for i in range(int(a.size))] == [
                n * x for x in table(a)
            ]
        try:
            up = upcast(a, n)
        except (LayoutError, UnsupportedError):
            continue
        answered += 1
        shrunk = _shrunk(a.shape, up.shape)
        for i in range(int(a.size)):
            c = tla.flatten_to_tuple(tla.idx2crd(i, a.shape))
            at = tla.unflatten(tuple(x // k for x, k in zip(c, shrunk, strict=True)), up.shape)
            assert int(up(at)) == int(a(i)) // n
    assert answered > 150


def _attempt(run: Any, *arguments: Any) -> Any:
    try:
        return run(*arguments)
    except TlaError as error:
        return error


def _grown(a: Any, down: Any, i: int) -> Any:
    """The coordinate of a downcast layout that is the first part of an element."""
    factors = _shrunk(down.shape, a.shape)
    c = tla.flatten_to_tuple(tla.idx2crd(i, a.shape))
    return tla.unflatten(tuple(x * k for x, k in zip(c, factors, strict=True)), down.shape)


def _shrunk(wide: Any, narrow: Any) -> list[int]:
    pairs = zip(tla.layouts.leaves(wide), tla.layouts.leaves(narrow), strict=True)
    return [int(n) // int(m) for n, m in pairs]


def test_inverses() -> None:
    rng, answered = Random(4), {"left": 0, "right": 0}
    for _i in range(400):
        a = random_seen(rng)
        places = table(a)
        right = _attempt(right_inverse, a)
        if not isinstance(right, TlaError):
            answered["right"] += 1
            assert [int(a(int(right(j)))) for j in range(int(right.size))] == list(
                range(int(right.size))
            )
        left = _attempt(left_inverse, a)
        if not isinstance(left, TlaError) and len(set(places)) == len(places):
            answered["left"] += 1
            assert [int(left(x)) for x in places] == list(range(len(places)))
    assert min(answered.values()) > 30


def test_the_run_of_a_swizzle() -> None:
    rng = Random(5)
    for _i in range(300):
        bits = rng.randint(0, 2)
        shift = rng.randint(bits, 3)
        swizzle, size = Swizzle(bits, rng.randint(0, 2), rng.choice([shift, -shift])), rng.randrange(150)
        run = run_of(swizzle, size)
        assert all(swizzle(x) < size for x in range(run)) and swizzle(run) >= size


def test_layouts_of_what_is_seen() -> None:
    rng, single = Random(6), 0
    for _i in range(300):
        a, b = random_outer(rng), random_seen(rng)
        found = composition(a, b)
        wanted = [int(a.extended(x) if isinstance(a, Layout) else a(x)) for x in table(b)]
        assert table(found) == wanted
        single += not is_composed(found.inner)
    assert single > 60
    swizzles = [Swizzle(b, m, s) for b in range(3) for m in range(2) for s in (-3, -2, 2, 3)]
    for a in swizzles:
        for b in swizzles:
            both: Any = composition(a, b)
            assert all(both(x) == a(b(x)) for x in range(int(both.size)))


def test_what_is_refused_says_why() -> None:
    with pytest.raises(DivisibilityError, match="does not give whole vectors") as error:
        upcast(parse("Sw<1,0,-2> o 0 o 8:1"), 2)
    assert "The swizzle reads bit 0 of an offset, inside a vector, and writes bit 2." in str(error.value)
    with pytest.raises(DivisibilityError, match="does not give whole vectors") as error:
        upcast(parse("Sw<1,1,2> o 3 o 8:1"), 2)
    assert "Its offset 3 is no multiple of 2." in str(error.value)
    with pytest.raises(LayoutError, match="offset 0 is not reached"):
        right_inverse(parse("Sw<1,0,2> o 4 o 8:1"))
    assert is_injective(Layout(8)) and filter_zeros(parse("Sw<1,0,2> o 0 o 8:0")).shape == 1
    assert to_linear(parse("Sw<1,0,2> o 0 o 8:1")).rank == 3


_TYPES = {
    "int4_t": 4,
    "uint8_t": 8,
    "int8_t": 8,
    "half_t": 16,
    "float": 32,
    "double": 64,
    "uint128_t": 128,
}
