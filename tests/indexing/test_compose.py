"""Composition is composition of relations, by enumeration, for whatever the program reads."""

from __future__ import annotations

import itertools
import random
from typing import TYPE_CHECKING

import pytest
from cases import share

from tla.errors import CongruenceError
from tla.indexing import (
    REPLICA,
    IndexingMap,
    Interval,
    Source,
    compose,
    dim,
    inverse,
    parse_map,
    rt,
)

from .readings import reached, reading_map

if TYPE_CHECKING:
    from random import Random

    from .readings import Dependences

# --- against the definition -------------------------------------------------------------------


def reached_after(first: IndexingMap, second: IndexingMap, asks: int = 0) -> Dependences:
    """By definition: what ``second`` reaches from what ``first`` reaches."""
    behind: dict[int, Dependences] = {}
    out: Dependences = set()
    for x, on, y in reached(first, asks):
        if on not in behind:
            behind[on] = reached(second, on)
        out |= {(x, there, z) for at, there, z in behind[on] if at == y}
    return out


def met(rand: Random, first: IndexingMap, second: IndexingMap) -> IndexingMap:
    """The second map, with dims about an element that the first one may lead to."""
    elements = [y for _point, y in itertools.islice(first.points(), 20)]
    if second.is_known_empty or not elements:
        return second
    about = rand.choice(elements)
    bounds = [Interval(y - rand.randint(0, 2), y + rand.randint(0, 2)) for y in about]
    return second.with_parts(
        dims=[v._replace(bounds=each) for v, each in zip(second.dims, bounds, strict=True)]
    )


@pytest.mark.parametrize("count", [200, pytest.param(1000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("replica", [False, True])
def test_composition(replica: bool, count: int) -> None:
    rand = random.Random(11 + replica)
    lead_somewhere = 0
    for _ in range(count):
        between = rand.choice([0, 1, 1, 1, 2])
        first = reading_map(rand, None, between, replica)
        second = met(rand, first, reading_map(rand, between, rand.randint(1, 2), replica))
        both = compose(first, second)
        truths = [reached_after(first, second, asks) for asks in range(3 if replica else 1)]
        lead_somewhere += any(truths)
        for asks, truth in enumerate(truths):
            assert reached(both, asks) == truth, "\n".join(
                m.text(sources=True) for m in (first, second, both)
            )
        names = [v.name for v in both.variables]
        assert len(set(names)) == len(names), names
    assert lead_somewhere > count * 0.15


def test_three_in_either_order() -> None:
    rand = random.Random(13)
    for _ in range(share(150)):
        ranks = [rand.choice([0, 1, 1, 2]) for _ in range(3)]
        a = reading_map(rand, None, ranks[0], replica=True)
        b = reading_map(rand, ranks[0], ranks[1], replica=True)
        c = reading_map(rand, ranks[1], ranks[2], replica=True)
        left, right = compose(compose(a, b), c), compose(a, compose(b, c))
        for asks in range(3):
            assert reached(left, asks) == reached(right, asks)


@pytest.mark.parametrize("count", [100, pytest.param(300, marks=pytest.mark.slow)])
def test_the_inverse_reads_where_the_map_does(count: int) -> None:
    """What the map reads on the replica that asks, the inverse reads on the one it leads to."""
    rand = random.Random(14)
    seen = 0
    for _ in range(count):
        m = reading_map(rand, None, rand.randint(1, 2), replica=True)
        forth = {(x, asks, on, y) for asks in range(4) for x, on, y in reached(m, asks)}
        back = inverse(m)
        others = {on for _x, _asks, on, _y in forth} | set(range(-1, 5))
        found = {
            (x, asks, on, y) for on in others for y, asks, x in reached(back, on) if asks in range(4)
        }
        assert found == forth, (m.text(sources=True), back.text(sources=True))
        seen += bool(forth)
    assert seen > count / 3


# --- order, labels, names ---------------------------------------------------------------------


def test_order_of_variables_is_that_of_xla() -> None:
    first = parse_map("(d0)[a]{p} -> (d0 + a + p), domain: d0 in [0, 1], a in [0, 2], p in [0, 3]")
    second = parse_map("(d0)[b]{q} -> (d0 + b + q), domain: d0 in [0, 9], b in [0, 4], q in [0, 5]")
    both = compose(first, second)
    assert [v.name for v in both.variables] == ["d0", "b", "a", "q", "p"]
    assert [v.bounds.upper for v in both.variables] == [1, 4, 2, 5, 3]


def test_labels_do_not_rotate() -> None:
    """A slice of a slice: each start keeps what it is read from."""
    first = IndexingMap([dim(0) + rt(0)], [4], (), [("rt0", 3, Source("outer"))])
    second = IndexingMap([dim(0) + rt(0)], [7], (), [("rt0", 5, Source("inner"))])
    both = compose(first, second)
    assert [(v.source.instruction, v.bounds.upper) for v in both.runtime if v.source] == [
        ("inner", 4),
        ("outer", 2),
    ]


def test_one_source_is_one_variable() -> None:
    """Reads of equal elements are one, and then the reads at these."""
    a, b = Source("a", (), Interval(0, 3)), Source("b", (rt(0),))
    first = IndexingMap([dim(0) + rt(1)], [4], (), [("x", 4, a), ("y", 5, b)])
    second = IndexingMap([dim(0) + rt(1)], [9], (), [("x", 3, a), ("y", 6, b)])
    both = compose(first, second)
    assert [(v.source.instruction, v.bounds.upper) for v in both.runtime if v.source] == [
        ("a", 2),
        ("b", 4),
    ]
    assert both.results == (dim(0) + rt(1) * 2,)


def test_what_another_replica_reads_is_another_number() -> None:
    start = Source("start")
    slice_ = IndexingMap([dim(0) + rt(0)], [4], (), [("rt0", 5, start)])
    other = IndexingMap([dim(0)], [4], (), [("replica", 8, Source(REPLICA))], replica=(rt(0) + 1) % 8)
    here = IndexingMap([dim(0) + rt(0)], [4], (), [("rt0", 5, start)])
    both = compose(compose(here, other), slice_)
    found = [v.source for v in both.runtime if v.source and v.source.instruction == "start"]
    assert [source.elsewhere for source in found] == [True, False]
    assert found[0].place == ()
    there_and_back = compose(
        other, other.with_parts(replica=(rt(0) + 7) % 8)
    )  # the replica is (replica + 1) % 8, seven on
    again = compose(there_and_back.with_parts(replica=rt(0)), slice_)
    assert [v.source.elsewhere for v in again.runtime if v.source] == [False, False]


def test_an_instruction_may_be_called_replica_id() -> None:
    """It is read like any other, and moved into its clamp."""
    read = Source("replica-id", (), Interval(0, 2))
    second = IndexingMap([dim(0) + rt(0)], [4], (), [("rt0", 3, read)])
    first = IndexingMap([dim(0)], [4], (), [("replica", 8, Source(REPLICA))], replica=(rt(0) + 1) % 8)
    both = compose(first, second)
    assert [v.source.clamp for v in both.runtime if v.source] == [Interval(0, 2), None]
    assert both.results == (dim(0) + rt(0),)


def test_names_differ() -> None:
    first = parse_map(
        "(s1, b)[a, s0] -> (s1 + b + a + s0), "
        "domain: s1 in [0, 1], b in [0, 1], a in [0, 1], s0 in [0, 1]"
    )
    second = parse_map(
        "(d0)[b]{a, s1} -> (d0 + b + a + s1), "
        "domain: d0 in [0, 9], b in [0, 2], a in [0, 1], s1 in [0, 1]"
    )
    both = compose(first, second)
    names = [v.name for v in both.variables]
    assert len(set(names)) == len(names)
    assert parse_map(str(both)) == both


def test_undefined_and_empty() -> None:
    m = parse_map("(d0) -> (d0), domain: d0 in [0, 3]")
    undefined = IndexingMap.undefined("no one knows")
    assert compose(m, undefined).reason == compose(undefined, m).reason == "no one knows"
    empty = IndexingMap([0], [4], is_known_empty=True)
    assert compose(m, empty).is_known_empty
    assert compose(empty, m).is_known_empty
    beyond = parse_map("(d0) -> (d0 + 9), domain: d0 in [0, 3]")
    assert reached(compose(beyond, m)) == set()
    seven = parse_map("() -> (7)")
    assert compose(seven, m).is_known_empty


def test_ranks_that_do_not_fit() -> None:
    m = parse_map("(d0, d1) -> (d0, d1), domain: d0 in [0, 3], d1 in [0, 3]")
    scalar = parse_map("() -> ()")
    with pytest.raises(CongruenceError, match="0 results cannot go before one with 2 dims"):
        compose(scalar, m)
