"""`simplify` keeps the points of every map, is idempotent, and writes maps that are read back."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import TYPE_CHECKING

import fuzz_maps
import pytest
from cases import share
from fuzz_maps import LAWS, changed, random_map

from tla import UnsupportedError
from tla.indexing import IndexingMap, Interval, dim, parse_map, simplify
from tla.numbers.nodes import Least, Quotient, Remainder, atoms_of

if TYPE_CHECKING:
    from collections.abc import Callable

SEED = 20
OF_TEXTS = {
    name: LAWS[name]
    for name in ("same points", "same points, single values replaced", "idempotent", "read back")
}


@pytest.mark.parametrize("count", [80, pytest.param(2000, marks=pytest.mark.slow)])
def test_short_fuzz(capsys: pytest.CaptureFixture[str], count: int) -> None:
    report = fuzz_maps.run(count, SEED, OF_TEXTS)
    with capsys.disabled():
        print(f"\n{report.maps} maps of the fuzz, seed {SEED}")
    assert report.is_clean, str(report)


@pytest.mark.parametrize("count", [40, pytest.param(200, marks=pytest.mark.slow)])
def test_all_laws(count: int) -> None:
    report = fuzz_maps.run(count, SEED + 1)
    assert report.is_clean, str(report)


def test_a_choice_of_two_ranges_does_not_depend_on_their_order() -> None:
    m = parse_map("""()[s0, s1]{rt0} -> (max(s0, s1)), domain: s0 in [0, 0], s1 in [0, 0], rt0 in [0, 0]
      runtime variables:
        rt0: %of; ()[s0, s1] -> (s1)""")
    assert LAWS["any order"](m) == ""


def test_integer_sets_agree() -> None:
    pytest.importorskip("islpy")
    report = fuzz_maps.run(150, SEED + 2, {}, prove=150)
    assert report.is_clean, str(report)
    assert report.proved >= 140


# --- rules ---


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # a bound of a sum is one of its part only where the rest fits below the part's step
        (
            "(d0, d1) -> (d0), domain: d0 in [0, 9], d1 in [5, 6], d0 * 10 + d1 in [0, 20]",
            "(d0, d1) -> (d0), domain: d0 in [0, 9], d1 in [5, 6], d0 * 10 + d1 in [0, 20]",
        ),
        (
            "(d0, d1) -> (d0), domain: d0 in [0, 4], d1 in [0, 3], d0 * 8 - d1 in [0, 20]",
            "(d0, d1) -> (d0), domain: d0 in [0, 4], d1 in [0, 3], d0 * 8 - d1 in [0, 20]",
        ),
        (
            "(d0, d1) -> (d0), domain: d0 in [0, 5], d1 in [2, 3], d1 + d0 * 2 in [0, 3]",
            "(d0, d1) -> (d0), domain: d0 in [0, 5], d1 in [2, 3], d0 * 2 + d1 in [0, 3]",
        ),
        (
            "(d0, d1) -> (d0), domain: d0 in [0, 9], d1 in [5, 6], d0 * 10 + d1 in [0, 29]",
            "(d0, d1) -> (d0), domain: d0 in [0, 2], d1 in [5, 6]",
        ),
        # a negative divisor turns both ends around, and the rest is on the other side
        (
            "(d0) -> (d0), domain: d0 in [-99, 99], d0 floordiv -3 in [-11, -5]",
            "(d0) -> (d0), domain: d0 in [13, 33]",
        ),
        # residues below 0
        (
            "(d0) -> (d0), domain: d0 in [-5, 5], d0 mod 3 in [1, 1]",
            "(d0) -> (d0), domain: d0 in [-5, 4], d0 mod 3 in [1, 1]",
        ),
        # several congruences are one
        (
            "(d0) -> (d0), domain: d0 in [-50, 50], d0 mod 6 in [3, 3], d0 mod 7 in [5, 5]",
            "(d0) -> (d0), domain: d0 in [-9, 33], d0 mod 42 in [33, 33]",
        ),
        ("(d0) -> (d0), domain: d0 in [0, 50], d0 mod 6 in [3, 3], d0 mod 4 in [0, 0]", "KNOWN EMPTY"),
        # what no value of a remainder is
        ("(d0) -> (d0), domain: d0 in [0, 99], d0 mod 8 in [45, 49]", "KNOWN EMPTY"),
        # a constraint says what its expression is elsewhere
        (
            "(d0, d1) -> ((d0 + d1) mod 16), domain: d0 in [0, 20], d1 in [0, 20], d0 + d1 in [3, 15]",
            "(d0, d1) -> (d0 + d1), domain: d0 in [0, 20], d1 in [0, 20], d0 + d1 in [3, 15]",
        ),
        (
            "(d0, d1) -> (min(d0, d1) + max(d0, d1)), domain: d0 in [0, 3], d1 in [3, 9]",
            "(d0, d1) -> (d0 + d1), domain: d0 in [0, 3], d1 in [3, 9]",
        ),
    ],
)
def test_rules(before: str, after: str) -> None:
    m = parse_map(before)
    assert str(simplify(m, exact=False)) == after
    assert not changed(m, simplify(m, exact=False))


def test_single_values() -> None:
    m = parse_map("(d0)[s0] -> (d0 + s0), domain: d0 in [5, 5], s0 in [0, 3]")
    assert str(simplify(m)) == "(d0)[s0] -> (d0 + s0), domain: d0 in [5, 5], s0 in [0, 3]"
    assert str(simplify(m, "replace")) == "(d0)[s0] -> (s0 + 5), domain: d0 in [5, 5], s0 in [0, 3]"
    with pytest.raises(UnsupportedError, match="single values are kept or replaced, not 'drop'"):
        simplify(m, "drop")


def test_what_is_not_known_and_what_is_empty_stays() -> None:
    undefined = IndexingMap.undefined("nobody knows")
    assert simplify(undefined) is undefined
    empty = IndexingMap([dim(0)], [Interval(3, 2)])
    assert simplify(empty) is empty


def test_contradictions_of_several_variables_are_proved() -> None:
    pytest.importorskip("islpy")
    text = "(d0, d1) -> (d0), domain: d0 in [0, 9], d1 in [0, 9], d0 * 2 + d1 * 4 in [7, 7]"
    odd = parse_map(text + ", d0 + d1 in [3, 8]")
    assert simplify(odd, exact=True).is_known_empty
    assert simplify(odd).is_known_empty
    assert not simplify(parse_map(text.replace("[7, 7]", "[8, 8]")), exact=True).is_known_empty


# --- the fuzz itself ---


def test_what_is_drawn() -> None:
    """All kinds of variables, bounds, expressions and constraints; whole maps and empty ones."""
    random = Random(SEED)
    maps = [random_map(random) for _ in range(share(1500))]
    seen: Counter[str] = Counter()
    for m in maps:
        kinds = {type(atom) for x in m.expressions for atom in atoms_of(x)}
        bounds = [v.bounds for v in m.variables]
        seen += Counter(
            {
                "dims": bool(m.dims),
                "ranges": bool(m.ranges),
                "runtime": bool(m.runtime),
                "sources": any(v.source for v in m.runtime),
                "replica": m.replica is not None,
                "empty": m.is_known_empty,
                "negative": any(b.lower < 0 for b in bounds),
                "single": any(b.is_point for b in bounds),
                "large": m.box > 1000,
                "constraints": len(m.constraints) > 1,
                "quotients": Quotient in kinds,
                "remainders": Remainder in kinds,
                "minima": Least in kinds,
            }
        )
    assert min(seen.values()) >= share(20), seen
    assert len(seen) == 13


def without_constraints(m: IndexingMap) -> str:
    return changed(m, m.with_parts(constraints=()))


def with_negative_floor(m: IndexingMap) -> str:
    """Bounds of a constraint pulled through a division as if it were exact."""
    for x, bounds in m.constraints:
        for atom in atoms_of(x):
            if type(atom) is Quotient and type(atom.divisor) is int:
                c = atom.divisor
                others = [c for c in m.constraints if c[0] is not x]
                pulled = (atom.dividend, Interval(bounds.lower * c, bounds.upper * c))
                return changed(m, m.with_parts(constraints=[*others, pulled]))
    return ""


@pytest.mark.parametrize("law", [without_constraints, with_negative_floor])
def test_a_planted_error_is_found_and_made_small(law: Callable[[IndexingMap], str]) -> None:
    report = fuzz_maps.run(120, SEED, {"planted": law})
    assert report.faults["planted"] > 4
    assert "before" in report.found[0]
    assert len(report.found[0]) < 500


def test_an_exception_is_a_fault() -> None:
    def law(m: IndexingMap) -> str:
        raise ZeroDivisionError("no")

    report = fuzz_maps.run(2, SEED, {"planted": law})
    assert report.faults == {"planted": 2}
    assert "ZeroDivisionError: no" in str(report)


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert fuzz_maps.main(["--count", "20", "--seed", "7", "--only", "idempotent"]) == 0
    assert "20 maps" in capsys.readouterr().out


def test_the_command_fails_on_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(LAWS, "idempotent", without_constraints)
    assert fuzz_maps.main(["--count", "40", "--only", "idempotent"]) == 1


def test_the_greatest_common_divisor_leaves_a_constraint() -> None:
    domain = "domain: d0 in [0, 5], s0 in [0, 3]"
    m = simplify(parse_map(f"(d0)[s0] -> (d0, s0), {domain}, (d0 + s0) * 3 in [3, 16]"))
    assert str(m) == f"(d0)[s0] -> (d0, s0), {domain}, d0 + s0 in [1, 5]"
