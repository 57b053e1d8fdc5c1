"""Reshapes of all kinds."""

from __future__ import annotations

from itertools import product
from math import prod
from random import Random

import pytest
from cases import share

from tla.hlo import read_instruction
from tla.indexing import inverse, output_to_input
from tla.indexing.ops.reshape import runs

from .arrays import checked, indices, moved, numbered, refused, shape
from .truth import pairs


def factors(random: Random, count: int) -> list[int]:
    """Random dims of so many elements, those of size 1 among them."""
    sizes: list[int] = []
    while count > 1:
        n = random.choice([n for n in range(2, count + 1) if count % n == 0])
        sizes.append(n)
        count //= n
    for _ in range(random.choice([0, 0, 1, 2])):
        sizes.insert(random.randint(0, len(sizes)), 1)
    random.shuffle(sizes)
    return sizes


COUNTS = [1, 2, 4, 6, 8, 12, 24, 30, 36, 48, 60, 64, 72]


def test_random_reshapes() -> None:
    random = Random(1)
    for _ in range(share(400)):
        count = random.choice(COUNTS)
        x = numbered(factors(random, count))
        result = x.reshape(factors(random, count))
        checked(f"%r = {shape(result.shape)} reshape({shape(x.shape)} %x)", *moved(result, x))


def test_reshapes_of_nothing() -> None:
    random = Random(2)
    for _ in range(50):
        a, b = ([*(random.randint(0, 3) for _ in range(random.randint(0, 2))), 0] for _ in "ab")
        random.shuffle(a)
        random.shuffle(b)
        checked(f"%r = {shape(b)} reshape({shape(a)} %x)", set())


def test_runs_are_as_short_as_can_be() -> None:
    random = Random(3)
    for _ in range(300):
        count = random.choice(COUNTS)
        a, b = factors(random, count), factors(random, count)
        found = list(runs(a, b))
        assert [i for run in found for i in run.a] == list(range(len(a)))
        assert [j for run in found for j in run.b] == list(range(len(b)))
        for run in found:
            assert prod(a[i] for i in run.a) == prod(b[j] for j in run.b)
        cuts = {prod(a[: i + 1]) for i in range(len(a))} & {prod(b[: j + 1]) for j in range(len(b))}
        assert len([run for run in found if run.a or run.b]) <= max(1, len(cuts))
        assert len(found) >= len(cuts - {1})


# Examples of the document, and of the tests of XLA's indexing analysis.
TEXTS = [
    ([4, 8], [32], "(d0) -> (d0 floordiv 8, d0 mod 8)", "(d0, d1) -> (d0 * 8 + d1)"),
    ([32], [4, 8], "(d0, d1) -> (d0 * 8 + d1)", "(d0) -> (d0 floordiv 8, d0 mod 8)"),
    (
        [4, 8],
        [2, 4, 4],
        "(d0, d1, d2) -> (d0 * 2 + d1 floordiv 2, (d1 mod 2) * 4 + d2)",
        "(d0, d1) -> (d0 floordiv 2, (d0 mod 2) * 2 + d1 floordiv 4, d1 mod 4)",
    ),
    (
        [4, 8, 12],
        [32, 3, 4],
        "(d0, d1, d2) -> (d0 floordiv 8, d0 mod 8, d1 * 4 + d2)",
        "(d0, d1, d2) -> (d0 * 8 + d1, d2 floordiv 4, d2 mod 4)",
    ),
    ([4, 32], [4, 8, 4], "(d0, d1, d2) -> (d0, d1 * 4 + d2)", None),
    ([2, 4, 6], [8, 3, 2], "(d0, d1, d2) -> (d0 floordiv 4, d0 mod 4, d1 * 2 + d2)", None),
    ([1], [], "() -> (0)", None),
    ([], [1, 1], "(d0, d1) -> ()", None),
]


@pytest.mark.parametrize(("a", "b", "there", "back"), TEXTS)
def test_texts(a: list[int], b: list[int], there: str, back: str | None) -> None:
    ((m,),) = output_to_input(read_instruction(f"%r = {shape(b)} reshape({shape(a)} %x)"))
    assert str(m).split(", domain")[0] == there
    if back is not None:
        assert str(inverse(m)).split(", domain")[0] == back
        assert [v.bounds.size for v in inverse(m).dims] == a


def test_rank_twelve() -> None:
    a, b = [2, 3] * 6, [6, 1] * 6
    ((m,),) = output_to_input(read_instruction(f"%r = {shape(b)} reshape({shape(a)} %x)"))
    pairs_of = [f"(d{k} + d{k + 1}) floordiv 3, (d{k} + d{k + 1}) mod 3" for k in range(0, 12, 2)]
    assert f"-> ({', '.join(pairs_of)})" in str(m)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (["<=5", 3], ["<=15"]),
        (["<=6", 2], ["<=3", 4]),
        ([2, "<=4", 3], [2, "<=12"]),
        ([2, "<=4"], [2, "<=4"]),
        ([1, "<=4"], ["<=4", 1]),
        (["<=4", "<=3", 2], ["<=4", "<=6"]),
    ],
)
def test_dims_of_dynamic_size_go_by_their_bounds(a: list[int | str], b: list[int | str]) -> None:
    """Where that is so whatever the sizes are."""
    ((m,),) = output_to_input(read_instruction(f"%r = {shape(b)} reshape({shape(a)} %x)"))
    bounds = [[int(str(n).strip("<=")) for n in sizes] for sizes in (a, b)]
    assert pairs([m]) == moved(numbered(bounds[0]).reshape(bounds[1]), numbered(bounds[0]))[0]
    dynamic = [k for k, n in enumerate(a) if isinstance(n, str)]
    others = [j for j, n in enumerate(b) if isinstance(n, str)]
    for sizes in product(*(range(1, bounds[0][k] + 1) for k in dynamic)):
        now, then = list(bounds[0]), list(bounds[1])
        for k, n in zip(dynamic, sizes, strict=True):
            now[k] = n
        for j in others:  # dims without a change keep their size; the last takes what is left
            then[j] = now[j] if j != others[-1] else 1
        left, rest = divmod(prod(now), prod(then))
        if rest:
            continue
        then[others[-1]] = left
        x = numbered(now)
        assert pairs([m]) >= moved(x.reshape(then), x)[0]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("%r = f32[3] reshape(f32[2] %x)", "the operand has 2 elements, the result 3"),
        ("%r = f32[<=15] reshape(f32[3,<=5] %x)", "where an element goes depends on sizes at run time"),
        ("%r = f32[4,<=3] reshape(f32[<=4,3] %x)", "where an element goes depends on sizes at run time"),
        (
            "%r = f32[<=15] reshape(f32[<=3,<=5] %x)",
            "where an element goes depends on sizes at run time",
        ),
        (
            "%r = f32[<=15] dynamic-reshape(f32[3,<=5] %x, s32[] %n)",
            "where an element goes depends on the size of dim 1 of f32[3,<=5]{1,0} at run time",
        ),
        (
            "%r = f32[<=15] dynamic-reshape(f32[3,5] %x)",
            "it takes an array, and a size for each dim of its result",
        ),
    ],
)
def test_refusals(text: str, why: str) -> None:
    assert refused(text) == why


def test_random_dynamic_reshapes() -> None:
    random = Random(4)
    for _ in range(200):
        count = random.choice([4, 6, 8, 12, 24])
        source = factors(random, count)
        now = factors(random, count)[:4]
        now.append(count // prod(now))
        bounds = [n + random.choice([0, 0, 2]) for n in now]
        dynamic = [bound != n or random.random() < 0.5 for bound, n in zip(bounds, now, strict=True)]
        made = [f"<={n}" if d else n for n, d in zip(bounds, dynamic, strict=True)]
        operands = "".join(f", s32[] %n{j}" for j in range(len(now)))
        text = f"%r = {shape(made)} dynamic-reshape({shape(source)} %x{operands})"
        ((m,), *sizes) = output_to_input(read_instruction(text))
        (truth,) = moved(numbered(source).reshape(now), numbered(source))

        def read(name: str, index: tuple[int, ...], now: list[int] = now) -> int:
            assert not index
            return now[int(name[1:])]

        found = pairs([m], read)
        inside = set(indices(now))
        assert {(at, to) for at, to in found if at in inside} == truth, text
        # one and the same element is read once, but for what lies beyond the size of the major dim
        assert len({to for _at, to in found}) == len(found)
        for j, each in enumerate(sizes):
            stride = any(v.source and v.source.instruction == f"n{j}" for v in m.runtime)
            assert pairs(each) == ({(at, ()) for at in indices(bounds)} if stride else set())
