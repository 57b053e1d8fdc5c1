"""Broadcast, transpose, reverse, slice, concatenate."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import numpy as np
import pytest
from cases import shapes_as_written, share

from tla.hlo import read_instruction
from tla.indexing import MalformedError, inverse, output_to_input

from .arrays import checked, moved, numbered, refused, shape, sizes_of

if TYPE_CHECKING:
    from collections.abc import Iterable

COUNT = share(200)


def braces(xs: Iterable[int]) -> str:
    return f"{{{','.join(map(str, xs))}}}"


def test_random_broadcasts() -> None:
    random = Random(1)
    for _ in range(COUNT):
        made = sizes_of(random, largest=4)
        dims = random.sample(range(len(made)), random.randint(0, len(made)))
        x = numbered([made[j] for j in dims])
        # the operand's dims in the order of the result's, and a 1 for each dim that it has not
        ordered = np.transpose(x, sorted(range(len(dims)), key=dims.__getitem__))
        spread = ordered.reshape([n if j in dims else 1 for j, n in enumerate(made)])
        result = np.broadcast_to(spread, made)
        text = f"%r = {shape(made)} broadcast({shape(x.shape)} %x), dimensions={braces(dims)}"
        checked(text, *moved(result, x))


def test_random_transposes() -> None:
    random = Random(2)
    for _ in range(COUNT):
        x = numbered(sizes_of(random))
        dims = random.sample(range(x.ndim), x.ndim)
        result = np.transpose(x, dims)
        text = f"%r = {shape(result.shape)} transpose({shape(x.shape)} %x), dimensions={braces(dims)}"
        checked(text, *moved(result, x))


def test_random_reverses() -> None:
    random = Random(3)
    for _ in range(COUNT):
        x = numbered(sizes_of(random))
        dims = random.sample(range(x.ndim), random.randint(0, x.ndim))
        text = f"%r = {shape(x.shape)} reverse({shape(x.shape)} %x), dimensions={braces(dims)}"
        checked(text, *moved(np.flip(x, tuple(dims)), x))


def test_random_slices() -> None:
    random = Random(4)
    for _ in range(COUNT):
        x = numbered(sizes_of(random, largest=7, high=3))
        ranges: list[tuple[int, int, int]] = []
        for n in x.shape:
            start, limit = sorted([random.randint(0, n), random.randint(0, n)])
            ranges.append((start, limit, random.randint(1, 4)))
        result = x[tuple(slice(*each) for each in ranges)]
        written = ", ".join(
            f"[{a}:{b}:{c}]" if c > 1 or random.random() < 0.5 else f"[{a}:{b}]" for a, b, c in ranges
        )
        text = f"%r = {shape(result.shape)} slice({shape(x.shape)} %x), slice={{{written}}}"
        checked(text, *moved(result, x))


def test_random_concatenations() -> None:
    random = Random(5)
    for _ in range(COUNT):
        sizes = sizes_of(random, low=1, largest=4)
        c = random.randrange(len(sizes))
        operands = []
        first = 0
        for _operand in range(random.randint(1, 4)):
            sizes[c] = random.randint(0, 3)
            operands.append(numbered(sizes, first))
            first += operands[-1].size
        result = np.concatenate(operands, axis=c)
        listed = ", ".join(f"{shape(x.shape)} %x{i}" for i, x in enumerate(operands))
        text = f"%r = {shape(result.shape)} concatenate({listed}), dimensions={{{c}}}"
        checked(text, *moved(result, *operands))


def test_an_operand_twice() -> None:
    x = numbered((2, 3))
    result = np.concatenate([x, x + 100, x + 200], axis=1)
    text = "%r = f32[2,9] concatenate(f32[2,3] %x, f32[2,3] %y, f32[2,3] %x), dimensions={1}"
    checked(text, *moved(result, x, x + 100, x + 200))


# The document's examples, each with the texts of its maps, there and back.
SEED = [
    (
        "%r = f32[10,20,30] broadcast(f32[20] %x), dimensions={1}",
        "(d0, d1, d2) -> (d1), domain: d0 in [0, 9], d1 in [0, 19], d2 in [0, 29]",
        "(d0)[s0, s1] -> (s0, d0, s1), domain: d0 in [0, 19], s0 in [0, 9], s1 in [0, 29]",
    ),
    (
        "%r = f32[3,6,128,12288] transpose(f32[3,12288,6,128] %x), dimensions={0,2,3,1}",
        "(d0, d1, d2, d3) -> (d0, d3, d1, d2),"
        " domain: d0 in [0, 2], d1 in [0, 5], d2 in [0, 127], d3 in [0, 12287]",
        "(d0, d1, d2, d3) -> (d0, d2, d3, d1),"
        " domain: d0 in [0, 2], d1 in [0, 12287], d2 in [0, 5], d3 in [0, 127]",
    ),
    (
        "%r = f32[1,17,9,9] reverse(f32[1,17,9,9] %x), dimensions={1,2}",
        "(d0, d1, d2, d3) -> (d0, -d1 + 16, -d2 + 8, d3),"
        " domain: d0 in [0, 0], d1 in [0, 16], d2 in [0, 8], d3 in [0, 8]",
        "(d0, d1, d2, d3) -> (d0, -d1 + 16, -d2 + 8, d3),"
        " domain: d0 in [0, 0], d1 in [0, 16], d2 in [0, 8], d3 in [0, 8]",
    ),
    (
        "%r = f32[5,3,25] slice(f32[10,20,50] %x), slice={[5:10:1], [3:20:7], [0:50:2]}",
        "(d0, d1, d2) -> (d0 + 5, d1 * 7 + 3, d2 * 2),"
        " domain: d0 in [0, 4], d1 in [0, 2], d2 in [0, 24]",
        "(d0, d1, d2) -> (d0 - 5, (d1 - 3) floordiv 7, d2 floordiv 2), domain: d0 in [5, 9],"
        " d1 in [3, 17], d2 in [0, 48], (d1 - 3) mod 7 in [0, 0], d2 mod 2 in [0, 0]",
    ),
    (
        "%r = f32[2,33,7] concatenate(f32[2,5,7] %x, f32[2,11,7] %y, f32[2,17,7] %z), dimensions={1}",
        "(d0, d1, d2) -> (d0, d1, d2), domain: d0 in [0, 1], d1 in [0, 4], d2 in [0, 6]\n"
        "(d0, d1, d2) -> (d0, d1 - 5, d2), domain: d0 in [0, 1], d1 in [5, 15], d2 in [0, 6]\n"
        "(d0, d1, d2) -> (d0, d1 - 16, d2), domain: d0 in [0, 1], d1 in [16, 32], d2 in [0, 6]",
        "(d0, d1, d2) -> (d0, d1, d2), domain: d0 in [0, 1], d1 in [0, 4], d2 in [0, 6]\n"
        "(d0, d1, d2) -> (d0, d1 + 5, d2), domain: d0 in [0, 1], d1 in [0, 10], d2 in [0, 6]\n"
        "(d0, d1, d2) -> (d0, d1 + 16, d2), domain: d0 in [0, 1], d1 in [0, 16], d2 in [0, 6]",
    ),
]


@pytest.mark.parametrize(("text", "maps", "back"), SEED)
def test_texts(text: str, maps: str, back: str) -> None:
    found = [m for each in output_to_input(read_instruction(text)) for m in each]
    assert "\n".join(map(str, found)) == maps
    assert "\n".join(str(inverse(m)) for m in found) == back


def test_a_dynamic_dim_goes_by_its_bound() -> None:
    for text in (
        "%r = f32[2,<=3] broadcast(f32[<=3] %x), dimensions={1}",
        "%r = f32[<=3,2] transpose(f32[2,<=3] %x), dimensions={1,0}",
        "%r = f32[<=3,2] reverse(f32[<=3,2] %x), dimensions={1}",
        "%r = f32[<=2,2] slice(f32[<=3,2] %x), slice={[1:3], [0:2]}",
        "%r = f32[<=5] concatenate(f32[2] %x, f32[<=3] %y), dimensions={0}",
    ):
        fixed = text.replace("<=", "")
        assert output_to_input(read_instruction(text)) == output_to_input(read_instruction(fixed))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            "%r = f32[<=3] reverse(f32[<=3] %x), dimensions={0}",
            "where an element goes depends on the size of dim 0 of f32[<=3]{0} at run time",
        ),
        (
            "%r = f32[<=5] concatenate(f32[<=3] %y, f32[2] %x), dimensions={0}",
            "where an element goes depends on the size of dim 0 of f32[<=3]{0} at run time",
        ),
        (
            "%r = f32[2] broadcast(f32[3] %x), dimensions={0}",
            "dim 0 of the operand has 3, dim 0 of the result has 2",
        ),
        (
            "%r = f32[2,3] broadcast(f32[3] %x), dimensions={2}",
            "dimensions={2} names dim 2, and the array has 2 dims, from 0 on",
        ),
        (
            "%r = f32[2,3] transpose(f32[2,3] %x), dimensions={1,0}",
            "its operands make [3,2], and its result is f32[2,3]{1,0}",
        ),
        (
            "%r = f32[2] transpose(f32[2,1] %x), dimensions={0}",
            "dimensions={0} leaves out 1: a transpose needs each dim once",
        ),
        (
            "%r = f32[2] reverse(f32[2] %x), dimensions={0,0}",
            "dimensions={0,0} has 0 twice",
        ),
        (
            "%r = f32[2] slice(f32[3] %x), slice={[2:4]}",
            "slice={[2:4]} does not fit f32[3]{0}",
        ),
        (
            "%r = f32[2] slice(f32[3] %x), slice={[0:3]}",
            "its operands make [3], and its result is f32[2]{0}",
        ),
        (
            "%r = f32[5,2] concatenate(f32[2,2] %x, f32[3,3] %y), dimensions={0}",
            "operand y is f32[3,3]{1,0}, its result f32[5,2]{1,0}",
        ),
        (
            "%r = f32[5] concatenate(f32[2] %x, f32[2] %y), dimensions={0}",
            "its operands make [4], and its result is f32[5]{0}",
        ),
        (
            "%r = f32[5] concatenate(f32[2] %x, f32[3] %y), dimensions={}",
            "its dimensions do not name the one dim along which arrays are joined",
        ),
        ("%r = f32[?] reverse(f32[?] %x), dimensions={0}", "f32[?]{0} has a dim of unknown size"),
        ("%r = f32[2] reverse(f32[2] %x, f32[2] %y), dimensions={0}", "it has 2 operands, and takes 1"),
    ],
)
@shapes_as_written
def test_refusals(text: str, why: str) -> None:
    assert refused(text) == why


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("t = f32[64,8] transpose(f32[8,64] x), dimensions={0,0}", "dimensions={0,0} has 0 twice"),
        (
            "b = f32[10,20,30] broadcast(f32[21] x), dimensions={1}",
            "dim 0 of the operand has 21, dim 1 of the result has 20",
        ),
        (
            "b = f32[10,20,30] broadcast(f32[20] x)",
            "it has no dimensions={...}, the dim of the result for each dim of the operand",
        ),
        (
            "b = f32[2,3] broadcast(f32[3] x), dimensions={0,1}",
            "dimensions={0,1} name 2 dims, the operand has 1",
        ),
        ("r = f32[2] reverse(f32[2] x), dimension={0}", "its attribute 'dimension' is not known"),
        ("s = f32[2] slice(f32[2] x), slices={[0:2]}", "it has no slice={[start:limit], ...}"),
    ],
)
def test_an_instruction_that_contradicts_itself(text: str, why: str) -> None:
    """Numbers in the first line, and no word of what is not supported; no attribute is overlooked."""
    with pytest.raises(MalformedError) as caught:
        output_to_input(read_instruction(text))
    error = str(caught.value)
    name, _, rest = text.partition(" = ")
    opcode = rest.split("(")[0].split()[1]
    assert error.startswith(f"{opcode} {name} is wrong: {why}")
    known = {"dimension": "dimensions", "slices": "slice"}
    assert all(f"did you mean {y!r}?" in error for x, y in known.items() if f" {x}=" in text)
