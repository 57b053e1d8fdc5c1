"""Relations agree with enumeration; the facts where exact answers are stronger; what is refused."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import threading
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest

import tla
from tla.errors import CongruenceError, CoordinateError, KindError, UndecidedError, UnsupportedError
from tla.indexing import (
    REPLICA,
    IndexingMap,
    Interval,
    Source,
    compose,
    dim,
    parse_map,
    rng,
    rt,
)
from tla.numbers import greatest, least

from .random_maps import pairs_of, random_map, random_maps, reading_map

islpy: Any = pytest.importorskip("islpy")

from tla.indexing import Relation, relation  # noqa: E402  (islpy is there)
from tla.indexing.exact.counting import bounds_at  # noqa: E402

Index = tuple[int, ...]
Pairs = set[tuple[Index, Index]]


def set_of(r: Relation) -> Pairs:
    return set(r.pairs())


# --- random maps, by enumeration ------------------------------------------------------------------


@pytest.mark.parametrize(
    "seed", [*range(4), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(4, 8))]
)
def test_it_has_the_pairs_of_the_map(seed: int) -> None:
    """2,000 maps in all: pairs, counts, bounds; and back to maps, proved equal."""
    for m in random_maps(Random(seed), 250, most=400):
        want = {(dims, results) for dims, results, _runtime in pairs_of(m)}
        r = relation(m)
        assert set_of(r) == want, m
        assert r.count() == len(want), m
        assert r.domain().count() == len({dims for dims, _ in want}), m
        assert r.image().count() == len({results for _, results in want}), m
        assert r.is_empty() == (not want), m
        back = r.to_maps()
        assert (relation(back) == r) if back else not want, m
        if want:
            for side, bounds in enumerate((r.dim_bounds, r.result_bounds)):
                columns = zip(*(pair[side] for pair in want), strict=True)
                assert [*bounds] == [Interval(min(c), max(c)) for c in columns], m


def test_it_has_the_pairs_of_each_run() -> None:
    random, tried = Random(11), 0
    while tried < 150:
        (m,) = random_maps(random, 1, most=300)
        if not m.runtime or m.is_known_empty:
            continue
        tried += 1
        r = relation(m)
        names = [name for name in r.runtime if r.runtime.count(name) == 1]
        assert len(names) == len(m.runtime)
        found = pairs_of(m)
        for values in product(*(v.bounds for v in m.runtime)):
            want = {(dims, results) for dims, results, runtime in found if runtime == values}
            one = r.given(dict(zip(names, values, strict=True)))
            assert one.runtime == ()
            assert set_of(one) == want, (m, values)


@pytest.mark.parametrize("seed", range(3))
def test_the_algebra_is_that_of_sets(seed: int) -> None:
    random = Random(100 + seed)
    for _time in range(100):
        n, k = random.randint(1, 2), random.randint(1, 2)
        ma, mb = (random_map(random, dims=n, results=k, runtime=False, most=150) for _ in range(2))
        if random.random() < 0.4:  # much in common
            x = random.choice([*map(dim, range(n))])
            mb = ma.with_parts(constraints=[*ma.constraints, (x % 3, Interval(0, random.randint(0, 2)))])
        a, b = relation(ma), relation(mb)
        sa, sb = set_of(a), set_of(b)
        assert set_of(a | b) == sa | sb
        assert set_of(a & b) == sa & sb
        assert set_of(a - b) == sa - sb
        assert (a == b) == (sa == sb)
        assert (a <= b) == (sa <= sb)
        assert (a >= b) == (sa >= sb)
        assert set_of(a.inverse()) == {(y, x) for x, y in sa}
        assert a.inverse().inverse() == a
        assert a.is_single_valued() == (len({x for x, _ in sa}) == len(sa))
        assert a.is_injective() == (len({y for _, y in sa}) == len(sa))
        first = {x: min(y for z, y in sa if z == x) for x, _ in sa}
        last = {x: max(y for z, y in sa if z == x) for x, _ in sa}
        assert set_of(a.lexmin()) == set(first.items())
        assert set_of(a.lexmax()) == set(last.items())
        c = b.inverse()
        assert set_of(c.after(a)) == {(x, z) for x, y in sa for z, other in sb if y == other}
        for m in (a - b).to_maps():
            assert {(d, e) for d, e, _ in pairs_of(m)} <= sa - sb
        found = (a - b).sample()
        assert (found is None) == (sa <= sb)
        if found is not None:
            assert (found.dims, found.results) in sa - sb
        for point, _ in list(sa)[:3]:
            assert set_of(a.at(point)) == {((), y) for z, y in sa if z == point}
        union = relation([ma, mb])
        assert union == a | b
        assert union.count() == len(sa | sb)
        assert relation(union.to_maps()) == union if sa | sb else not union.to_maps()


def test_after_is_what_compose_is() -> None:
    random = Random(5)
    for _time in range(150):
        k = random.randint(1, 2)
        first = random_map(random, results=k, most=200)
        second = random_map(random, dims=k, most=200)
        composed = relation(compose(first, second))
        assert relation(second).after(relation(first)) == composed, (first, second)


# --- where exact answers are stronger -------------------------------------------------------------


def test_the_elements_that_a_reduce_window_reads() -> None:
    """The box of the variables has three times as many."""
    m = parse_map("(d0, d1)[s0] -> (d0, d1 + s0), domain: d0 in [0, 1023], d1 in [0, 2], s0 in [0, 511]")
    assert m.box == 1572864
    assert relation(m).image().count() == 526336


def test_reshapes_that_are_one_map() -> None:
    left = parse_map(
        "(d0, d1, d2) -> ((d0 * 32 + d1 * 4 + d2) floordiv 16, (d0 * 32 + d1 * 4 + d2) mod 16), "
        "domain: d0 in [0, 9], d1 in [0, 7], d2 in [0, 3]"
    )
    right = parse_map(
        "(d0, d1, d2) -> (d0 * 2 + d1 floordiv 4, (d1 mod 4) * 4 + d2), "
        "domain: d0 in [0, 9], d1 in [0, 7], d2 in [0, 3]"
    )
    assert relation(left) == relation(right)


def test_the_inverse_of_a_slice() -> None:
    slice_ = parse_map(
        "(d0, d1, d2) -> (d0 + 5, d1 * 7 + 3, d2 * 2), domain: d0 in [0, 4], d1 in [0, 2], d2 in [0, 24]"
    )
    back = parse_map(
        "(d0, d1, d2) -> (d0 - 5, (d1 - 3) floordiv 7, d2 floordiv 2), domain: d0 in [5, 9], "
        "d1 in [3, 17], d2 in [0, 48], (d1 - 3) mod 7 in [0, 0], d2 mod 2 in [0, 0]"
    )
    assert relation(slice_).inverse() == relation(back)
    (made,) = relation(slice_).inverse().to_maps()
    assert str(made) == str(back)


def test_remainders_that_contradict_each_other() -> None:
    empty = parse_map("(d0) -> (d0), domain: d0 in [0, 999], d0 mod 8 in [45, 49]")
    assert relation(empty).is_empty()
    six = {dim(0) % 6: (1, 1), dim(0) % 4: (2, 2)}
    assert relation(IndexingMap([dim(0)], [100000], constraints=six)).is_empty()


def test_remainders_that_meet_in_one() -> None:
    """d0 = 0 mod 7 and d0 = 3 mod 11 is d0 = 14 mod 77."""
    r = relation(IndexingMap([dim(0)], [1000], constraints={dim(0) % 7: (0, 0), dim(0) % 11: (3, 3)}))
    assert r == relation(IndexingMap([dim(0)], [1000], constraints={dim(0) % 77: (14, 14)}))
    assert r.domain().pairs()[:2] == [((), (14,)), ((), (91,))]


def test_a_triangular_scan() -> None:
    scan = IndexingMap([rng(0)], [100], [100], constraints={dim(0) - rng(0): (0, 99)})
    assert relation(scan).count() == 5050
    assert relation(scan).at((41,)).count() == 42


def test_bounds_over_several_variables() -> None:
    m = IndexingMap(
        [dim(0)], [1000], [3, 3], constraints={dim(0) * 6 + rng(0) * 3 + rng(1): Interval(0, 598)}
    )
    assert relation(m).dim_bounds == (Interval(0, 99),)


def test_the_operand_of_an_update_is_the_box_without_the_window() -> None:
    box = parse_map("(d0, d1) -> (d0, d1), domain: d0 in [0, 5], d1 in [0, 6]")
    start = [("i", (0, 4), Source("i")), ("j", (0, 4), Source("j"))]
    window = IndexingMap(
        [dim(0), dim(1)], [6, 7], [], start, {dim(0) - rt(0): (0, 1), dim(1) - rt(1): (0, 2)}
    )
    rest = relation(box) - relation(window)
    for i, j in product(range(5), repeat=2):
        assert rest.given({"i": i, "j": j}).count() == 6 * 7 - 2 * 3
    assert rest.in_some_run() == relation(box)
    maps = rest.given({"i": 2, "j": 3}).to_maps()
    assert [str(m) for m in maps] == [
        "(d0, d1) -> (d0, d1), domain: d0 in [0, 1], d1 in [0, 6]",
        "(d0, d1) -> (d0, d1), domain: d0 in [2, 3], d1 in [0, 2]",
        "(d0, d1) -> (d0, 6), domain: d0 in [2, 3], d1 in [6, 6]",
        "(d0, d1) -> (d0, d1), domain: d0 in [4, 5], d1 in [0, 6]",
    ]


def test_large_numbers() -> None:
    n = 10**30
    m = IndexingMap([dim(0) // 7, dim(0) % 7], [n], [], [], {dim(0) % 12: (-3, 5)})
    r = relation(m)
    assert r.count() == n // 12 * 6 + min(n % 12, 6)
    assert r.is_injective()
    box = relation(IndexingMap([dim(0) + rng(0), dim(1), dim(2)], [10**9] * 3, [10]))
    assert box.image().count() == (10**9 + 9) * 10**18
    assert box.domain().count() == 10**27


def test_minima_and_maxima() -> None:
    m = IndexingMap([least(greatest(dim(0) - 4, 0), 7) - least(dim(1), dim(0))], [20, 9])
    assert set_of(relation(m)) == {(d, e) for d, e, _ in pairs_of(m)}


# --- what is read while the program runs ----------------------------------------------------------


def scalar(name: str, clamp: tuple[int, int] | None = None) -> Source:
    return Source(name, (), None if clamp is None else Interval(*clamp))


def test_equal_sources_are_one_parameter_whatever_they_are_called() -> None:
    a = IndexingMap([dim(0) + rt(0)], [4], [], [("x", 5, scalar("of1"))])
    b = IndexingMap([dim(0) + rt(0)], [4], [], [("y", 5, scalar("of1"))])
    other = IndexingMap([dim(0) + rt(0)], [4], [], [("x", 5, scalar("of2"))])
    assert relation(a) == relation(b)
    assert relation(a) != relation(other)
    assert relation(a).runtime == ("of1",)
    assert set((relation(a) | relation(other)).runtime) == {"of1", "of2"}
    twice = IndexingMap([rt(0) - rt(1)], [4], [], [("x", 5, scalar("of1")), ("y", 9, scalar("of1"))])
    assert set_of(relation(twice).image()) == {((), (0,))}


def test_labels_cannot_rotate() -> None:
    """A slice of a slice, at starts with other bounds: openxla/xla issue 49119."""
    inner = IndexingMap([dim(0) + rt(0)], [4], [], [("a", (0, 10), scalar("of1"))])
    outer = IndexingMap([dim(0) + rt(0)], [30], [], [("a", (0, 70), scalar("of2"))])
    r = relation(compose(inner, outer))
    assert r == relation(outer).after(relation(inner))
    rotated = IndexingMap(
        [dim(0) + rt(0) + rt(1)], [4], [], [("a", (0, 10), scalar("of2")), ("b", (0, 70), scalar("of1"))]
    )
    assert r != relation(rotated)
    pair = (relation(rotated) - r).sample()
    assert pair is not None
    assert pair.runtime["of1"] > 10


def test_a_variable_without_a_source_is_its_name() -> None:
    x, y = (IndexingMap([dim(0) + rt(0)], [4], [], [(name, 5)]) for name in "xy")
    assert relation(x) == relation(x)
    assert relation(x) != relation(y)


def test_names_that_isl_holds_or_cannot_write() -> None:
    names = ["d0", "floor", "a.b", "a_b", "7", "x-y", "min", "e1"]
    m = IndexingMap([sum(map(rt, range(8)), dim(0))], [2], [], [(n, 2, scalar(n)) for n in names])
    r = relation(m)
    assert len({*r.runtime}) == 8
    assert set_of(r) == {((d,), (d + n,)) for d in range(2) for n in range(9)}
    (again,) = r.to_maps()
    assert [v.source and v.source.instruction for v in again.runtime] == names
    assert relation(again) == r


def test_elements_of_one_array_that_two_variables_read() -> None:
    """What is read at two elements may differ, at one it may not."""
    at = [("x", 5, Source("of", (0, dim(0)))), ("y", 5, Source("of", (0, 2)))]
    r = relation(IndexingMap([rt(0) - rt(1)], [3], [], at))
    assert set_of(r.at((2,)).in_some_run()) == {((), (0,))}
    assert set_of(r.at((1,)).in_some_run()) == {((), (n,)) for n in range(-4, 5)}


def test_one_number_in_two_clamps() -> None:
    for name in ("of", "x"):
        reads = [("x", (0, 3), scalar(name, (0, 3))), ("y", (2, 9), scalar(name, (2, 9)))]
        r = relation(IndexingMap([rt(0), rt(1)], [], [], reads))
        truth = {((), (min(max(n, 0), 3), min(max(n, 2), 9))) for n in range(-5, 20)}
        assert set_of(r.in_some_run()) == truth


def test_what_is_read_here_and_on_this_replica_is_one_number() -> None:
    """A read on replica rt0 + d0 is one of this replica where d0 is 0."""
    reads: list[Any] = [
        ("replica", 3, Source(REPLICA)),
        ("x", 5, scalar("of")),
        ("y", 5, Source("of", (rt(0) + dim(0),), elsewhere=True)),
    ]
    r = relation(IndexingMap([rt(1) - rt(2)], [2], [], reads))
    assert set_of(r.at((0,))) == {((), (0,))}
    assert set_of(r.at((1,))) == {((), (n,)) for n in range(-4, 5)}


def test_rows_that_a_gather_takes() -> None:
    """The index is read at an element that depends on the point: so does what it is called."""
    rows = [("row", 33, Source("indices", (dim(0), 0), Interval(0, 32)))]
    gather = IndexingMap([rt(0), dim(1)], [10, 8], [], rows)
    r = relation(gather)
    assert r.runtime == ("indices_0", "indices_0_i0")
    assert r.is_single_valued()
    assert not r.is_injective()
    assert r.at((4, 7)).given({"indices_0": 9, "indices_0_i0": 4}).pairs() == [((), (9, 7))]
    (again,) = r.to_maps()
    assert again == gather
    assert relation(r.inverse().to_maps()) == r.inverse()
    assert r.inverse().inverse() == r
    turned = compose(parse_map("(d0, d1) -> (d1, d0), domain: d0 in [0, 7], d1 in [0, 9]"), gather)
    swap = relation(parse_map("(d0, d1) -> (d1, d0), domain: d0 in [0, 7], d1 in [0, 9]"))
    assert relation(turned) == r.after(swap)
    assert relation(turned) != r
    assert (r - r).is_empty()
    assert (r & r) == r
    box = relation(IndexingMap([dim(0) + rng(0), dim(1)], [10, 8], [33]))
    assert (box & r).given({"indices_0": 9, "indices_0_i0": 4}).pairs() == [
        ((4, i), (9, i)) for i in range(8)
    ]
    assert (box - r).at((4, 7)).given({"indices_0": 9, "indices_0_i0": 4}).count() == 32


def test_a_gather_of_a_gather() -> None:
    one = IndexingMap([rt(0)], [4], [], [("a", 5, Source("p", (dim(0),), Interval(0, 4)))])
    two = IndexingMap([rt(0)], [5], [], [("b", 6, Source("q", (dim(0),), Interval(0, 5)))])
    same = IndexingMap([rt(0)], [5], [], [("b", 6, Source("p", (dim(0),), Interval(0, 5)))])
    for second in (two, same):
        both = relation(compose(one, second))
        assert both == relation(second).after(relation(one))
        assert both.is_single_valued()


def test_ranges_that_tell_what_is_read_are_not_lost() -> None:
    """Each goes to 0 and 1 with what is read for them, the one the other way round."""
    read = [("x", 5, Source("of", (rng(0),)))]
    a = IndexingMap([rng(0), rt(0)], [], [2], read)
    b = IndexingMap([1 - rng(0), rt(0)], [], [2], read)
    assert relation(a) == relation(a)
    assert relation(a) != relation(b)
    assert relation(a) != relation(a.with_parts(results=[rng(0) + 1, rt(0)]))
    assert not relation(a).is_single_valued()
    assert relation(a).is_injective()


def in_run(r: Relation, read: tuple[int, ...]) -> Pairs:
    """The pairs of a relation in the run that reads these elements of ``of``, by their definition."""
    found: Pairs = set()
    ways = [[(i, read[i]) for i in range(len(read))] if each.holes else [None] for each in r.part.reads]
    for way in product(*ways):
        values: dict[str, int] = {}
        for each, at in zip(r.part.reads, way, strict=True):
            assert each.source is not None
            place = each.source.indices[0] if at is None else at[0]
            assert isinstance(place, int)
            values.update(zip(each.parameters, [read[place], place], strict=False))
        found |= set(r.given(values).pairs())
    return found


def map_in_run(m: IndexingMap, read: tuple[int, ...]) -> Pairs:
    """The pairs of a map in that run."""
    found: Pairs = set()
    for point, results in m.points():
        places = [m.with_parts(results=v.source.indices).evaluate(*point) for v in m.runtime if v.source]
        if point.runtime == tuple(read[place[0]] for place in places):
            found.add((point.dims, results))
    return found


def test_runs_by_enumeration() -> None:
    """Whatever is answered holds in all 27 runs; what is not decided is an error, and seldom."""
    random, asked, undecided = Random(3), 0, 0
    runs = list(product(range(3), repeat=3))
    for _time in range(30):
        ma = reading_map(random, 1, 1)
        mb = reading_map(random, 1, 1)
        if random.random() < 0.5:
            mb = ma.with_parts(constraints=[*ma.constraints, (dim(0), (0, 1))])
        a, b = relation(ma), relation(mb)
        ta, tb = ([map_in_run(m, run) for run in runs] for m in (ma, mb))
        assert [in_run(a, run) for run in runs[::5]] == ta[::5], ma
        questions: list[tuple[Any, Any]] = [
            (lambda a=a, b=b: a == b, ta == tb),
            (lambda a=a, b=b: a <= b, all(x <= y for x, y in zip(ta, tb, strict=True))),
            (lambda a=a, b=b: b <= a, all(y <= x for x, y in zip(ta, tb, strict=True))),
            (a.is_empty, not any(ta)),
            (a.is_single_valued, all(len({x for x, _ in t}) == len(t) for t in ta)),
            (a.is_injective, all(len({y for _, y in t}) == len(t) for t in ta)),
            (a.in_some_run().pairs, sorted(set[Any]().union(*ta))),
        ]
        some = random.choice(runs)
        x, y = (t[runs.index(some)] for t in (ta, tb))
        questions += [
            (lambda a=a, b=b, r=some: in_run(a | b, r), x | y),
            (lambda a=a, b=b, r=some: in_run(a & b, r), x & y),
            (lambda a=a, b=b, r=some: in_run(a - b, r), x - y),
            (lambda a=a, r=some: in_run(a.inverse(), r), {(q, p) for p, q in x}),
            (
                lambda a=a, b=b, r=some: in_run(b.after(a), r),
                {(p, s) for p, q in x for r, s in y if q == r},
            ),
        ]
        for number, (question, want) in enumerate(questions):
            asked += 1
            try:
                found = question()
            except UndecidedError:
                undecided += 1
                continue
            assert found == want, (number, ma, mb)
    assert undecided < asked // 5


def test_what_depends_on_several_elements_is_not_decided() -> None:
    """A pair that holds if element 0 or element 1 is what it should be."""
    a = relation(IndexingMap([rt(0)], [], [2], [("x", 5, Source("of", (rng(0),)))]))
    b = relation(IndexingMap([rt(0)], [], [3], [("x", 5, Source("of", (rng(0),)))]))
    assert a <= b
    assert not a.is_single_valued()
    for undecided in (lambda: a == b, lambda: b <= a, lambda: b - a, lambda: b & a, a.lexmin):
        with pytest.raises(UndecidedError, match="several elements of what is read"):
            undecided()
    assert (a | b) == b


def test_the_clamp_is_known() -> None:
    """A variable that holds all of its clamp says nothing."""
    whole = IndexingMap([dim(0)], [4], [], [("x", (0, 6), scalar("of", (0, 6)))])
    assert relation(whole) == relation(IndexingMap([dim(0)], [4]))
    low, high = (
        IndexingMap([dim(0)], [4], [], [("x", ends, scalar("of", (0, 6)))]) for ends in ((0, 2), (3, 6))
    )
    assert relation([low, high]) == relation(whole)
    (made,) = relation([low, high]).to_maps()
    assert str(made) == "(d0) -> (d0), domain: d0 in [0, 3]"


# --- other replicas -------------------------------------------------------------------------------


def replica_map(results: list[Any], sizes: list[int], to: Any, devices: int = 4) -> IndexingMap:
    return IndexingMap(results, sizes, [], [("replica", devices, Source(REPLICA))], replica=to)


def test_the_replica_that_is_read_is_a_result() -> None:
    gather = relation(replica_map([dim(0) % 3], [12], dim(0) // 3))
    assert gather.has_replica
    assert (gather.n_dims, gather.n_results) == (1, 1)
    assert gather.given({"replica": 2}).at((7,)).pairs() == [((), (1, 2))]
    assert gather.image().count() == 12
    (again,) = gather.to_maps()
    assert again.replica is not None
    assert relation(again) == gather


def test_the_inverse_leads_back_to_the_replica_that_asked() -> None:
    shift = relation(replica_map([dim(0)], [5], (rt(0) + 1) % 4))
    back = shift.inverse()
    assert back == relation(replica_map([dim(0)], [5], (rt(0) + 3) % 4))
    assert shift.is_injective()
    assert not relation(replica_map([dim(0)], [5], 0 * rt(0))).is_injective()
    twice = relation(replica_map([dim(0)], [5], (rt(0) + 2) % 4))
    assert shift.after(shift) == twice
    assert back.after(shift) == relation(replica_map([dim(0)], [5], rt(0)))


def test_maps_of_this_replica_and_of_others() -> None:
    here = IndexingMap([dim(0)], [5])
    away = replica_map([dim(0)], [5], (rt(0) + 1) % 4)
    both = relation([here, away])
    assert both.given({"replica": 3}).at((4,)).pairs() == [((), (4, 0)), ((), (4, 3))]
    assert both == relation(away) | relation(here)
    assert relation(here).after(relation(away)) == relation(away) == relation(away).after(relation(here))


def test_what_is_read_elsewhere_is_another_number() -> None:
    """What a replica reads is read on that replica, not on the one that asks for the elements there."""
    slice_ = IndexingMap([dim(0) + rt(0)], [4], [], [("start", (0, 2), scalar("of"))])
    shift = replica_map([dim(0)], [4], (rt(0) + 1) % 4)
    there = relation(compose(shift, slice_))
    assert relation(slice_).after(relation(shift)) == there
    here = relation(compose(slice_, replica_map([dim(0)], [6], (rt(0) + 1) % 4)))
    assert relation(replica_map([dim(0)], [6], (rt(0) + 1) % 4)).after(relation(slice_)) == here
    assert here != there
    assert "of" in here.runtime
    assert relation(there.to_maps()) == there
    assert there.inverse().inverse() == there
    assert here.inverse().inverse() == here
    round_trip = replica_map([dim(0)], [6], (rt(0) + 3) % 4)
    assert relation(round_trip).after(there) == relation(compose(compose(shift, slice_), round_trip))


def test_random_maps_to_other_replicas() -> None:
    random = Random(77)
    for _time in range(60):
        m = random_map(random, runtime=False, most=100, replica=True)
        if m.replica is None or m.is_known_empty:
            continue
        r = relation(m)
        assert relation(r.to_maps()) == r if r else True
        assert r.inverse().inverse() == r
        n = random_map(random, dims=len(m.results), runtime=False, most=100, replica=True)
        assert relation(compose(m, n)) == relation(n).after(r), (m, n)


# --- values ---------------------------------------------------------------------------------------


def test_a_relation_is_a_value() -> None:
    r = relation(IndexingMap([dim(0) + rt(0)], [4], [], [("x", 5, scalar("of1"))]))
    for again in (pickle.loads(pickle.dumps(r)), copy.deepcopy(r)):
        assert again == r
        assert again.runtime == r.runtime
        assert hash(again) == hash(r)
    with pytest.raises(AttributeError, match="immutable"):
        r.limit = 3
    assert r != 3
    assert r != relation(IndexingMap([dim(0), dim(1)], [4, 4]))
    text = "[of1] -> { [a] -> [a + of1] : 0 <= a <= 3 and 0 <= of1 <= 4 }"
    assert islpy.Map(str(r)).is_equal(islpy.Map(text))


def test_texts() -> None:
    m = parse_map("(d0)[s0] -> (d0 + s0), domain: d0 in [0, 3], s0 in [0, 1]")
    assert str(relation(m)) == "{ [d0] -> [e0] : 0 <= d0 <= 3 and d0 <= e0 <= 1 + d0 }"
    assert repr(relation(m).image()) == "<Relation { [e0] : 0 <= e0 <= 4 }>"
    assert relation(m).pieces == 1


def test_relations_without_dims_or_results() -> None:
    point = relation(IndexingMap([3, 4], []))
    assert point.count() == 1
    assert point.at(()) == point
    nothing = relation(IndexingMap([], [5, 6]))
    assert nothing.count() == 30
    assert nothing.image().count() == 1
    assert Relation.empty(2, 1).count() == 0
    assert Relation.empty(2, 1).to_maps() == []
    assert Relation.empty(1, 1).dim_bounds == (Interval(0, -1),)
    assert Relation.empty(1, 1).sample() is None
    known = IndexingMap([dim(0)], [0])
    assert known.is_known_empty
    assert relation(known) == Relation.empty(1, 1)


def test_threads_take_turns() -> None:
    maps = list(random_maps(Random(9), 40, most=100))
    counts: dict[int, list[int]] = {}

    def work(number: int) -> None:
        counts[number] = [relation(m).count() for m in maps]

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(found == counts[0] for found in counts.values())
    assert len(counts) == 4


# --- what is refused ------------------------------------------------------------------------------


def test_products_of_variables_are_refused() -> None:
    with pytest.raises(UnsupportedError, match="product of two variables"):
        relation(IndexingMap([dim(0) * rng(0)], [4], [5]))
    with pytest.raises(UnsupportedError, match="divides by positive numbers"):
        relation(IndexingMap([dim(0) // greatest(rng(0), 1)], [4], [5]))
    fixed = IndexingMap([dim(0) * rng(0)], [4], [(3, 3)])
    assert relation(fixed) == relation(IndexingMap([dim(0) * 3], [4]))


def test_undefined_maps_and_no_maps_are_refused() -> None:
    with pytest.raises(UndecidedError, match="custom"):
        relation(IndexingMap.undefined("a custom call"))
    with pytest.raises(KindError, match="no dims"):
        relation([])


def test_relations_of_other_ranks_are_refused() -> None:
    a, b = relation(IndexingMap([dim(0)], [4])), relation(IndexingMap([dim(0), 0], [4]))
    for wrong in (lambda: a | b, lambda: a & b, lambda: a - b, lambda: a <= b, lambda: a.after(b)):
        with pytest.raises(CongruenceError):
            wrong()
    with pytest.raises(CoordinateError, match="1 dims"):
        a.at((1, 2))
    with pytest.raises(KindError, match="no runtime variable x"):
        a.given({"x": 3})


HARD = IndexingMap(
    [(dim(0) * 17 + dim(1) * 31 + rng(0)) // 29 + (dim(0) * 3 + dim(1)) % 13],
    [3000, 7000],
    [50],
    constraints={(dim(0) * 5 + dim(1) * 7) % 11 + dim(0) % 3: (2, 4)},
)


def test_the_work_has_a_limit() -> None:
    with pytest.raises(UndecidedError, match="more than 20 operations") as caught:
        relation(HARD, limit=20)
    assert caught.value.data["budget"] == "operations"
    r = relation(HARD, limit=20_000)
    with pytest.raises(UndecidedError, match="the count of pairs takes isl more than 20000 operations"):
        r.count()
    assert not r.is_empty()  # and isl works on
    with pytest.raises(UndecidedError, match="30 pairs; at most 10"):
        relation(IndexingMap([], [5, 6])).pairs(limit=10)


def test_counts_that_are_cut_short_are_no_counts() -> None:
    """isl's own count comes back with what it has by then, without an error."""
    whole = relation(HARD).domain()
    count = whole.count()
    for limit in (10, 100, 1000, 3000, 10_000, 100_000):
        short = Relation(whole.part, limit)
        try:
            found = short.count()
        except UndecidedError:
            continue
        assert found == count


def test_pieces_and_bits_have_a_limit() -> None:
    with pytest.raises(UndecidedError, match="601 bits") as caught:
        relation(IndexingMap([dim(0) * 2**600], [4]))
    assert caught.value.data["budget"] == "bits"
    many: Any = 0
    for i in range(14):
        many = many * 3 + least(dim(i), (dim((i + 1) % 14) * 5) % 3)
    with pytest.raises(UndecidedError):
        relation(IndexingMap([many], [4] * 14), limit=200_000).count()


def test_what_has_no_end_is_not_counted() -> None:
    here = relation(IndexingMap([dim(0)], [5]))
    free = here.after(relation(replica_map([dim(0)], [5], rt(0)))) | (
        relation([IndexingMap([dim(0)], [5]), replica_map([dim(0)], [5], rt(0))])
    )
    with pytest.raises(UndecidedError, match="infinitely many"):
        free.image().count()
    with pytest.raises(UndecidedError, match="no least or no greatest"):
        print(free.result_bounds)
    with pytest.raises(UnsupportedError, match="has no bounds"):
        free.to_maps()


@pytest.mark.parametrize(
    ("text", "bounds"),
    [("2 <= x <= 5", Interval(2, 5)), ("x >= 2", None), ("x <= 5", None), ("x mod 2 = 1", None)],
)
def test_bounds_have_two_ends(text: str, bounds: Interval | None) -> None:
    assert bounds_at(islpy.Set(f"{{ [y, x] : {text} }}"), 1) == bounds


# --- islpy is loaded when it is needed ------------------------------------------------------------

ROOT = str(Path(tla.__file__).parent.parent)


def run(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\nsys.path.insert(0, {ROOT!r})\n{code}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_islpy_is_not_loaded_before_it_is_needed() -> None:
    code = "import tla.indexing as t\nt.relation, t.Relation\nprint('islpy' in sys.modules)"
    assert run(code) == "False"


def test_where_islpy_is_missing_the_error_says_how_to_get_it() -> None:
    code = (
        "sys.modules['islpy'] = None\nimport tla\nimport tla.indexing as t\n"
        "try:\n    t.relation(t.parse_map('(d0) -> (d0), domain: d0 in [0, 3]'))\n"
        "except tla.UnsupportedError as error:\n    print(error)"
    )
    assert run(code) == (
        "exact relations of maps need islpy, which is not installed\n"
        "  It comes with the extra: pip install 'tla-layouts[exact]'"
    )


@pytest.mark.parametrize(
    ("most", "text"),
    [
        (2, "(d0) -> (d0, (d0 + 2) floordiv 3), domain: d0 in [0, 9]"),
        (
            3,
            "(d0)[s0] -> (d0, s0), domain: d0 in [0, 9], s0 in [0, 4], d0 - s0 * 3 in [-3, 0]",
        ),
    ],
)
def test_a_gap_below_the_divisor_is_a_quotient(most: int, text: str) -> None:
    """``0 <= 3*e - d0 <= most`` has one ``e`` for each ``d0`` where the gap is below 3."""
    box = "domain: d0 in [0, 9], s0 in [0, 9]"
    m = parse_map(f"(d0)[s0] -> (d0, s0), {box}, s0 * 3 - d0 in [0, {most}]")
    assert [str(found) for found in relation(m).to_maps()] == [text]


@pytest.mark.parametrize(
    "where",
    [
        "d0 + d1 in [2, 7]",
        "(d0 + d1) mod 4 in [1, 2]",
        "(d0 floordiv 3 + d2) mod 2 in [0, 0], d1 - d2 in [0, 3]",
        "d0 mod 3 in [1, 1], d1 mod 2 in [0, 0]",
    ],
)
def test_places_that_constraints_tie_are_counted_together(where: str) -> None:
    box = "d0 in [0, 9], d1 in [0, 5], d2 in [0, 4]"
    m = parse_map(f"(d0, d1, d2) -> (d0), domain: {box}, {where}")
    assert relation(m).count() == sum(1 for _point in m.points())
