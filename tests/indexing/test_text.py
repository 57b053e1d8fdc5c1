"""Texts of maps: what is written reads back, what is no map gets a caret."""

from __future__ import annotations

import random
from itertools import product

import pytest
from cases import share

from tla.errors import ParseError, UnsupportedError
from tla.indexing import (
    REPLICA,
    IndexingMap,
    Interval,
    Source,
    dim,
    inverse,
    parse_map,
    remove_unused_symbols,
    rng,
    rt,
    simplify,
)

from .readings import reading_map

# --- there and back ---------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["2025", "2026", "old"])
def test_what_is_written_reads_back(form: str) -> None:
    rand = random.Random(form)
    seen = 0
    for _ in range(share(600)):
        m = reading_map(rand, None, rand.randint(0, 3), replica=rand.random() < 0.5)
        if m.is_known_empty:
            continue
        text = m.text(form, sources=True)
        back = parse_map(text)
        assert back == m, text
        assert back.text("2025", sources=True) == m.text("2025", sources=True) or form == "old"
        seen += 1
    assert seen > share(400)


def test_without_sources() -> None:
    rand = random.Random(1)
    for _ in range(300):
        m = reading_map(rand, None, rand.randint(0, 3), replica=False)
        if not m.is_known_empty:
            bare = m.with_parts(runtime=[v._replace(source=None) for v in m.runtime])
            for form in ("2025", "2026"):
                assert parse_map(m.text(form)) == bare


def test_old_form_leaves_names_but_says_the_same() -> None:
    """There runtime variables are ranges, each with the instruction it is read from."""
    source = Source("of1", (dim(0),), None, "of1 = s32[4] parameter(1)")
    m = IndexingMap([dim(0) + rt(0), rng(0)], [4], [5], [("rt0", 3, source)], {dim(0) + rng(0): (0, 6)})
    text = m.text("old")
    assert text == (
        "(d0)[s0, s1] -> (d0 + s1, s0)\n"
        "domain:\n"
        "d0 in [0, 3]\n"
        "s0 in [0, 4]\n"
        "s1 in [0, 2]\n"
        "hlo: of1 = s32[4] parameter(1)\n"
        "(d0) -> (d0)\n"
        "d0 + s0 in [0, 6]"
    )
    back = parse_map(text)
    assert back == m
    assert back.runtime[0].source == source


def test_old_and_new_in_one() -> None:
    m = parse_map(
        "(d0)[s0, s1]{p} -> (d0 + s1 + p, s0)\n"
        "domain: d0 in [0, 3], s0 in [0, 4], s1 in [0, 2] hlo: %of = s32[] parameter(1)\n"
        "(d0) -> () p in [0, 1]\n"
        "runtime variables: p: %start; (d0)[s0, s1]{p} -> (s0)"
    )
    assert str(m) == (
        "(d0)[s0]{rt0, p} -> (d0 + rt0 + p, s0), domain: d0 in [0, 3], s0 in [0, 4], rt0 in [0, 2], "
        "p in [0, 1]"
    )
    assert [v.source and v.source.indices for v in m.runtime] == [(), (rng(0),)]


def test_sources() -> None:
    text = (
        "(d0){on, clamp, replica} -> (d0 + on + clamp), domain: d0 in [0, 3], on in [0, 2], "
        "clamp in [0, 9], replica in [0, 7]\n"
        "runtime variables:\n"
        "  on: %a = s32[] parameter(1); (d0) -> (), clamp [0, 2]\n"
        "  clamp: %b; (d0) -> (d0), clamp [-1, 9], "
        "on (d0){on, clamp, replica} -> (replica floordiv 4)\n"
        "  replica: @replica; (d0) -> ()\n"
        "replica id: (d0){on, clamp, replica} -> (replica mod 4)"
    )
    m = parse_map(text)
    assert m.text(sources=True) == text
    a, b, asks = (v.source for v in m.runtime)
    assert a == Source("a", (), Interval(0, 2), "a = s32[] parameter(1)")
    assert b == Source("b", (rt(2) // 4, dim(0)), Interval(-1, 9), "", elsewhere=True)
    assert b is not None
    assert b.place == (dim(0),)
    assert asks == Source(REPLICA)
    assert m.replica == rt(2) % 4


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("(d0) -> (d0 floordiv 2), domain: d0 in [0, 9]", "(d0) -> (d0 / 2), domain: d0 in [0, 9]"),
        ("(d0) -> (-d0 mod 2), domain: d0 in [0, 9]", "(d0) -> ((-d0) mod 2), domain: d0 in [0, 9]"),
        ("(d0) -> (d0 ceildiv 2), domain: d0 in [0, 9]", "(d0)->(-(-d0 floordiv 2))domain:d0 in[0,9]"),
        ("(d0) -> (d0), domain: d0 in [0, 9], d0 in [2, 12]", "(d0) -> (d0), domain: d0 in [2, 9]"),
        ("(a)[b] -> (a + b), domain: a in [0, 9], b in [0,1]", "(d)[e]->(e+d)domain:d in[0,9]e in[0,1]"),
        ("()[s0] -> (s0 + s0), domain: s0 in [-5, -1]", "()[s0] -> (s0 * 2), domain: s0 in [-5, -1]"),
        ("(x) -> (max(x, 3)), domain: x in [0, 9]", "(x) -> (-min(-3, -x)), domain: x in [0, 9]"),
    ],
)  # fmt: skip
def test_two_ways_to_write_it(one: str, other: str) -> None:
    assert parse_map(one) == parse_map(other)


def test_words_for_maps() -> None:
    assert parse_map("KNOWN EMPTY").is_known_empty
    assert parse_map(" UNDEFINED\n").is_undefined
    assert str(parse_map("KNOWN EMPTY\n")) == "KNOWN EMPTY"
    assert str(parse_map("UNDEFINED")) == "UNDEFINED"
    assert str(parse_map("() -> (5)")) == "() -> (5)"
    with pytest.raises(UnsupportedError, match="no form '2024' of maps"):
        parse_map("() -> ()").text("2024")


# --- what is no map ---------------------------------------------------------------------------

D0 = "domain: d0 in [0, 3]"
RT = "(d0){rt0} -> (rt0), domain: d0 in [0, 1], rt0 in [0, 2]\nruntime variables:\n  "


@pytest.mark.parametrize(
    ("text", "line", "column", "width", "says"),
    [
        ("", 1, 1, 1, "expected '(' and the dims of a map"),
        ("(", 1, 2, 1, "expected the name of a variable, found the end of text"),
        ("(d0", 1, 4, 1, "expected ',' or ')' after a variable"),
        ("(0) -> ()", 1, 2, 1, "expected the name of a variable, found 0"),
        ("(d0)\ndomain:", 2, 1, 1, "expected '->' and the results, found 'd'"),
        ("(d0) ->", 1, 8, 1, "expected '(' and the results of the map"),
        ("(d0, d0) -> (d0), " + D0, 1, 6, 2, "there is a variable d0 already"),
        ("(d0)[d0] -> (d0), " + D0, 1, 6, 2, "there is a variable d0 already"),
        ("(d0) -> (d1), " + D0, 1, 10, 2, "the map has no variable 'd1'"),
        ("(d0) -> (d0 +), " + D0, 1, 14, 1, "expected a summand, found ')'"),
        ("(d0) -> (d0 d0), " + D0, 1, 13, 1, "expected ',' or ')' after a result"),
        ("(d0) -> (d0 floordiv 0), " + D0, 1, 13, 10, "a division by 0"),
        ("(d0) -> (d0)", 1, 2, 2, "d0 has no bounds"),
        ("(d0) -> (d0), d0 in [0, 3]", 1, 15, 1, "expected 'domain:' and the bounds of the variables"),
        ("(d0) -> (d0)\ndomain\nd0 in [0, 3]", 2, 1, 1, "expected 'domain:' and the bounds"),
        ("(d0)[s0] -> (d0 + s0), " + D0, 1, 6, 2, "s0 has no bounds"),
        ("(d0) -> (d0), domain: d1 in [0, 3]", 1, 23, 2, "the map has no variable 'd1'"),
        ("(d0) -> (d0), domain: d0 [0, 3]", 1, 26, 1, "expected 'in' and an interval"),
        ("(d0) -> (d0), domain: d0 in [a, 3]", 1, 30, 1, "expected the least value, found 'a'"),
        ("(d0) -> (d0), domain: d0 in [0; 3]", 1, 31, 1, "expected ',' between the ends"),
        ("(d0) -> (d0), domain: d0 in [0, 3", 1, 34, 1, "expected ']' after an interval"),
        ("(d0) -> (d0), " + D0 + " xyz", 1, 36, 3, "the map has no variable 'xyz'"),
        ("(d0) -> (d0)\ndomain:\nd0 in [0, 3]\nhlo: x\n(d0) -> ()", 4, 1, 4, "'hlo:' follows"),
        (RT + "rt1: %x; (d0){rt0} -> ()", 3, 3, 3, "expected a runtime variable of the map"),
        (RT + "rt0: %x (d0){rt0} -> ()", 3, 8, 1, "expected an instruction, ';' and a map"),
        (RT + "rt0: %x; (d0, d1){rt0} -> ()", 3, 12, 13, "2 dims here, 1 in the map"),
        (RT + "rt0: %x; (d0)[s0]{rt0} -> ()", 3, 12, 13, "more symbols here than the map has"),
        (RT + "rt0: %x; (d0){rt0} -> (), clamp 3", 3, 35, 1, "expected '[' and the least value"),
        (RT + "rt0: %x; (d0){rt0} -> (), on (d0){rt0} -> (1, 2)", 3, 32, 19, "expected 1 result"),
        ("(d0) -> (d0), " + D0 + "\nreplica id: (d0) -> ()", 2, 13, 10, "expected 1 result, found 0"),
        ("KNOWN EMPTY x", 1, 13, 1, "expected the end of text, found 'x'"),
    ],
)  # fmt: skip
def test_carets(text: str, line: int, column: int, width: int, says: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse_map(text)
    error = caught.value
    start_of_line = text.rfind("\n", 0, error.start) + 1
    where = (error.line, error.start - start_of_line + 1, error.end - error.start)
    assert (where, says in str(error)) == ((line, column, width), True), str(error)
    assert "^" * width in str(error)


def test_any_text_is_a_map_or_gets_a_caret() -> None:
    rand = random.Random(3)
    signs = "()[]{},->:; dsrt0123456789+-*/modfl\nclampon"
    maps, starts = 0, [(0, 0)]
    for _ in range(share(2000)):
        m = reading_map(rand, None, rand.randint(0, 2), replica=rand.random() < 0.5)
        text = m.text(rand.choice(("2025", "2026", "old")), sources=rand.random() < 0.6)
        for _edit in range(rand.randint(1, 3)):
            at, other = rand.randrange(len(text) + 1), rand.randrange(len(text) + 1)
            low, high = sorted((at, other))
            text = rand.choice(
                [
                    text[:at] + text[at + 1 :],
                    text[:at] + rand.choice(signs) + text[at:],
                    text[:at] + rand.choice(signs) + text[at + 1 :],
                    text[:low] + text[high:],
                    text[:high] + text[low:],
                ]
            )
        try:
            found = parse_map(text)
        except ParseError as error:
            starts.append((error.start, len(text)))
        else:
            maps += 1
            if not found.is_known_empty and not found.is_undefined:
                assert parse_map(found.text(sources=True)) == found, text
    assert maps > share(50)
    assert all(0 <= start <= end for start, end in starts)


def test_old_names_differ() -> None:
    m = IndexingMap([dim(0), rng(0) + rt(0)], [("s1", 3)], [("s0", 2)], [("of", 2)])
    assert m.text("old").startswith("(s1)[s0, s2] -> (s1, s0 + s2)")


def test_divisors_that_are_variables() -> None:
    """Every edit keeps the points, where the divisor is positive; isl has no such divisors."""
    for number in range(share(60)):
        chosen = random.Random(number)
        sign = chosen.choice(["floordiv", "mod", "ceildiv"])
        divisor = chosen.choice(["s1", "(s1 + d0)", "(s1 * 2 - d0)", "(s0 floordiv s1)"])
        low = chosen.randint(-2, 2)
        bounds = f"d0 in [0, 3], s0 in [-2, 9], s1 in [{low}, {low + chosen.randint(0, 4)}]"
        text = f"(d0)[s0, s1] -> ((s0 * 3 + d0) {sign} {divisor} + s1, s0), domain: {bounds}"
        m = parse_map(text)
        true = {}
        for d0, s0, s1 in product(range(4), range(-2, 10), range(low, m.ranges[1].bounds.upper + 1)):
            name = divisor.replace("floordiv", "//")
            if ("//" in name and s1 < 1) or (c := eval(name, {"d0": d0, "s0": s0, "s1": s1})) < 1:
                continue
            x = s0 * 3 + d0
            y = x // c if sign == "floordiv" else x % c if sign == "mod" else -(-x // c)
            true[d0, s0, s1] = (y + s1, s0)
        found = {(*p.dims, *p.ranges): r for p, r in m.points()}
        assert found == true, text
        assert m.is_known_empty or parse_map(str(m)) == m
        simpler = simplify(m)
        assert sorted(r for _p, r in simpler.points()) == sorted(true.values()), text
        assert {(p.dims, r) for p, r in remove_unused_symbols(m).points()} == {
            ((d0,), r) for (d0, _s0, _s1), r in true.items()
        }
        back = {(r, p.dims) for p, r in inverse(m).points()}
        assert back == {((d0,), r) for (d0, _s0, _s1), r in true.items()}, text
