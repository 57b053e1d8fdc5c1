"""The sentences of steps: worked examples, and every number in them is true."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest
from seeing import all_steps, equations

from tla import TlaError, composition, parse
from tla.explain import EXPLAINED, explain
from tla.explain.sentences import every, factor
from tla.layouts.notation import parse_int_tuple
from tla.layouts.swizzle import Swizzle
from tla.numbers import sym
from tla.testing import naive_extended

from .test_operations import arguments_of


def told(operation: str, *texts: str) -> list[str]:
    return list(explain(operation, *map(parse, texts)).figure().sentences)


def test_a_composition_is_told_step_by_step() -> None:
    """CuTe 02_layout_algebra.md, "Composition", the first example."""
    assert told("composition", "(6,2):(8,2)", "(4,3):(3,1)") == [
        "Mode 0 of B, 4:3, takes every 3rd index. A's mode 0, 6:8, has 6 / 3 = 2 of them, 3 * 8 = 24"
        " apart: 2:24. The next mode of A repeats them 4 / 2 = 2 times.",
        "The rest of mode 0 of B, 2:1, takes every index. A's last mode, of stride 2, has no end, so all"
        " 2 fit, 1 * 2 = 2 apart: 2:2.",
        "Mode 1 of B, 3:1, takes every index. The last one, 2 * 1 = 2, is inside A's mode 0, 6:8, so all"
        " 3 fit, 1 * 8 = 8 apart: 3:8.",
    ]


def test_a_mode_that_passes_over_another_and_one_that_stays() -> None:
    assert told("composition", "(4,2,3):(2,1,8)", "(3,2):(8,0)") == [
        "Mode 0 of B, 3:8, takes every 8th index. It steps over the whole of A's mode 0, 4:2. Along the"
        " next mode of A it takes every 2nd index, as 8 / 4 = 2.",
        "The rest of mode 0 of B, 3:2, takes every 2nd index. It steps over the whole of A's mode 1,"
        " 2:1. Along the next mode of A it takes every index, as 2 / 2 = 1.",
        "The rest of mode 0 of B, 3:1, takes every index. A's last mode, of stride 8, has no end, so all"
        " 3 fit, 1 * 8 = 8 apart: 3:8.",
        "Mode 1 of B, 2:0, does not move. It stays at offset 0: 2:0.",
    ]


def test_a_stretch_found_by_search() -> None:
    assert told("composition", "(2,2,2):(1,3,5)", "(2,2):(1,3)") == [
        "Mode 0 of B, 2:1, takes every index. A is linear there, and A(1) = 1: 2:1.",
        "Mode 1 of B, 2:3, takes every 3rd index. A is linear there, and A(3) = 4: 2:4.",
    ]


@pytest.mark.parametrize(
    ("stride", "text"),
    [("1", "every index"), ("2", "every 2nd index"), ("3", "every 3rd index"),
     ("11", "every 11th index"), ("21", "every 21st index"), ("112", "every 112th index"),
     ("M", "one index in M")],
)  # fmt: skip
def test_a_stride_in_words(stride: str, text: str) -> None:
    assert every(parse_int_tuple(stride)) == text


def test_a_coalescing() -> None:
    assert told("coalesce", "(2,(1,6),3):(1,(7,2),5)") == [
        "2:1 is the first that moves. So far 2:1.",
        "1:7 has one coordinate and never moves: it is left out. So far 2:1.",
        "6:2 goes on where 2:1 ends, at 2 * 1 = 2: the two are one, 12:1. So far 12:1.",
        "3:5 does not go on where 12:1 ends, at 12 * 1 = 12: it stays a mode. So far (12,3):(1,5).",
    ]


def test_complements() -> None:
    assert told("complement", "(4,2):(1,5)", "24") == [
        "4:1 begins at 1, where the offsets filled so far end: no gap. Filled up to 4 * 1 = 4.",
        "2:5 begins at 5, those before end at 4: 5 // 4 = 1, no other whole block fits. Filled up to"
        " 2 * 5 = 10.",
        "The range of 24 takes 3 blocks of 10 to cover, the last of them not whole: it takes 3:10.",
    ]
    assert told("complement", "4:2")[-1] == "Nothing is asked for above 8: no mode."
    assert (
        told("complement", "4:2", "8")[-1] == "The range of 8 holds 8 / 8 = 1 blocks of 8: it is filled."
    )
    assert told("complement", "4:1", "M")[-1] == (
        "The range of M takes (M+3)//4 blocks of 4 to cover, the last of them perhaps not whole: it"
        " takes (M+3)//4:4."
    )
    assert told("complement", "4:2", "(6,4)")[-1] == (
        "The range of (6,4) holds 2 blocks of 8, in each mode rounded up: it takes 2:8."
    )


def test_inverses() -> None:
    assert told("right_inverse", "(4,8):(1,5)") == [
        "4:1 adds 1 to the offset where it adds 1 to the index. The inverse has 4:1.",
        "8:5 is left out. It begins at offset 5, the modes before it end at 4, and no index has the"
        " offset 4.",
    ]
    assert told("right_inverse", "4:-1") == [
        "4:-1 is left out. Its stride is negative, and the interval begins at 0."
    ]
    assert told("right_inverse", "(4,4):(1,2)")[0] == (
        "4:1 adds 1 to the offset where it adds 1 to the index, for 2 of its 4 steps until the next mode"
        " begins. The inverse has 2:1."
    )
    assert told("left_inverse", "(4,2):(6,59)") == [
        "Offsets below 6, the least stride, add nothing to the index: 6:0.",
        "4:6 adds 6 to the offset where it adds 1 to the index, up to 9 steps, where the next mode"
        " begins. The inverse has 9:1.",
        "2:59 adds 59 to the offset where it adds 4 to the index. The inverse has 2:4.",
    ]


def test_divisions_and_products() -> None:
    """CuTe 02_layout_algebra.md, "Logical divide 1-D example" and "Logical product 1-D example"."""
    assert told("logical_divide", "(4,2,3):(2,1,8)", "4:2") == [
        "The tile 4:2 picks 4 of the 24 indices of A.",
        "Its complement in 24 is (2,3):(1,8): it runs over 6 tiles.",
        "A o (tile, complement): (2,2):(4,1) inside a tile, (2,3):(2,8) from tile to tile.",
    ]
    assert told("logical_product", "(2,2):(4,1)", "6:1") == [
        "The block (2,2):(4,1) holds 4 elements.",
        "In a range of 4 * 6 = 24 it leaves (2,3):(2,8) free: its complement.",
        "The 6 copies are taken from what is free as 6:1 says: (2,3):(2,8) o 6:1 = (2,3):(2,8).",
    ]


def test_by_mode_each_mode_has_its_sentence() -> None:
    layout: Any = parse("(8,6,5):(1,8,48)")
    assert explain("logical_divide", layout, (4, None)).figure().sentences == (
        "Mode 0, 8:1, by 4: (4,2):(1,4).",
        "Mode 1, 6:8, stays as it is.",
        "Mode 2 stays: there is no tiler for it.",
    )
    assert explain("composition", layout, (4,)).figure().sentences[1] == (
        "Modes 1 and 2 drop out: there is no tiler for them."
    )


def test_what_is_no_layout_stays_outside() -> None:
    figure = explain("composition", Swizzle(2, 0, 2), parse("(4,4):(4,1)")).figure()
    assert figure.sentences[0].endswith("is no layout: it stays, applied to each offset of B.")
    assert figure.pictures == ()


def test_a_static_layout_is_told_in_plain_numbers() -> None:
    sentence = told("composition", "(_6,_2):(_8,_2)", "(_4,_3):(_3,_1)")[2]
    assert "2 * 1 = 2" in sentence
    assert sentence.endswith(": _3:_8.")


def test_what_is_symbolic_is_told_too() -> None:
    """Without pictures, which take numbers; a note says so."""
    m = sym("M")
    layout: Any = parse("(M,8):(8,1)")
    figure = explain("logical_divide", layout, (m, 4)).figure()
    assert figure.pictures == ()
    assert figure.notes[-1] == "no picture: M has no number"
    assert figure.sentences[1] == "Mode 1, 8:1, by 4: (4,2):(1,4)."
    every = [s for steps in all_steps(figure) for s in steps.sentences]
    assert any("M" in sentence for sentence in every)


@pytest.mark.parametrize("operation", sorted({*EXPLAINED} - {"left_inverse", "right_inverse"}))
def test_every_number_is_true(operation: str) -> None:
    """Random layouts: each equation of a sentence holds, and there are hundreds of them."""
    rng = random.Random(f"sentences of {operation}")
    held = 0
    for _case in range(150):
        arguments = arguments_of(rng, operation)
        try:
            figure = explain(operation, *arguments).figure(pictures=False)
        except TlaError:
            continue
        for steps in all_steps(figure):
            assert not steps.rows or len(steps.sentences) == len(steps.rows)
            for sentence in steps.sentences:
                found = equations(sentence)
                assert found == len(re.findall(r"[*/+-] \(?-?\d+\)? = ", sentence)), sentence
                held += found
    assert held > 80


def test_the_offsets_of_stretches_are_those_of_the_left_side() -> None:
    rng = random.Random(7)
    seen = 0
    while seen < 20:
        a: Any = parse(f"(2,2,2):({','.join(str(rng.randint(1, 6)) for _i in range(3))})")
        b: Any = parse(f"(2,2):({rng.randint(1, 3)},{rng.randint(1, 7)})")
        try:
            composition(a, b)
        except TlaError:
            continue
        for sentence in explain("composition", a, b).figure(pictures=False).sentences:
            for x, offset in re.findall(r"A\((\d+)\) = (-?\d+)", sentence):
                assert naive_extended(a, int(x)) == int(offset)
                seen += 1


@pytest.mark.parametrize("operation", ["left_inverse", "right_inverse"])
def test_what_an_inverse_says_of_an_offset_holds(operation: str) -> None:
    """The layout at the index m is n, where a mode adds n to the offset and m to the index."""
    rng = random.Random(operation)
    seen = 0
    for _case in range(300):
        (layout,) = arguments_of(rng, operation)
        try:
            found = explain(operation, layout)
        except TlaError:
            continue
        for sentence in found.figure(pictures=False).sentences:
            for x, index in re.findall(r"(-?\d+) to the offset where it adds (\d+) to", sentence):
                assert naive_extended(found.arguments[0], int(index)) == int(x)
                seen += 1
    assert seen > 100


@pytest.mark.parametrize(
    ("x", "text"), [("6", "6"), ("M", "M"), ("4*M", "(4*M)"), ("M-1", "(M-1)"), ("-3", "(-3)")]
)
def test_a_factor_that_is_no_number_or_name_stands_in_brackets(x: Any, text: str) -> None:
    assert factor(parse_int_tuple(x)) == text
