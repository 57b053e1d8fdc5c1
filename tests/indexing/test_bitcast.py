"""Bitcasts: by the bits of memory, and by the definition of bitcast-convert."""

from __future__ import annotations

from math import prod
from random import Random
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tla.hlo import read_instruction
from tla.indexing import dim, inverse, output_to_input
from tla.indexing.ops.bitcast import MemoryAxes
from tla.indexing.ops.reshape import place
from tla.xla_bridge import (
    XlaShape,
    logical_bytes,
    logical_index,
    parse_array,
    physical_bytes,
    physical_dimensions,
    physical_elements,
    physical_index,
    physical_offset,
    storage_bits,
)

from .arrays import checked, indices, moved, numbered, refused, shape
from .test_reshape import factors
from .truth import pairs

if TYPE_CHECKING:
    from .truth import Pairs


def bits(array: XlaShape) -> dict[int, tuple[int, ...]]:
    """The element of each bit of memory that belongs to one."""
    width = storage_bits(array)
    return {
        physical_offset(array, at) * width + bit: at
        for at in indices(array.dimensions)
        for bit in range(width)
    }


def fit(*shapes: str) -> bool:
    """Whether arrays have as many bytes of memory, or of data."""
    a, b = map(parse_array, shapes)
    return physical_bytes(a) == physical_bytes(b) or logical_bytes(a) == logical_bytes(b)


def overlapping(operand: XlaShape, result: XlaShape) -> Pairs:
    held = bits(operand)
    return {(at, held[bit]) for bit, at in bits(result).items() if bit in held}


def layout(random: Random, rank: int, tiles: bool = False) -> str:
    order = ",".join(map(str, random.sample(range(rank), rank)))
    if not tiles or random.random() < 0.3:
        return f"{{{order}}}"
    rank = max(rank, 1)
    first = [random.choice([1, 2, 3, 4]) for _ in range(random.randint(1, min(rank + 1, 3)))]
    texts: list[int | str] = list(first)
    if len(texts) > 1 and random.random() < 0.2:
        texts[0] = "*"
    second = random.choice(["", "", "(2,1)", "(2)"])
    return f"{{{order}:T({','.join(map(str, texts))}){second}}}"


@pytest.mark.parametrize("count", [80, pytest.param(300, marks=pytest.mark.slow)])
def test_random_layouts(count: int) -> None:
    random = Random(1)
    for _ in range(count):
        count = random.choice([1, 2, 4, 6, 12, 24, 30, 48])
        a, b = factors(random, count)[:5], factors(random, count)[:5]
        a.append(count // prod(a))
        b.append(count // prod(b))
        la, lb = layout(random, len(a)), layout(random, len(b))
        # the definition for arrays without tiles: the elements as they lie in memory
        x = numbered(a)
        order = [int(k) for k in la[1:-1].split(",")][::-1]
        memory = x.transpose(order).ravel()
        backwards = [int(k) for k in lb[1:-1].split(",")][::-1]
        result = memory.reshape([b[k] for k in backwards]).transpose(np.argsort(backwards))
        text = f"%r = {shape(b, layout=lb)} bitcast({shape(a, layout=la)} %x)"
        checked(text, *moved(result, x))


def small(random: Random) -> list[int]:
    return [random.randint(1, 5) for _ in range(random.randint(0, 3))]


@pytest.mark.parametrize("count", [60, pytest.param(250, marks=pytest.mark.slow)])
def test_random_tiles(count: int) -> None:
    """Also where the memories are not equally long, by what pads the end: their common part counts."""
    random = Random(2)
    for _ in range(count):
        a, b = small(random), small(random)
        if random.random() < 0.7:
            b = random.sample(a, len(a))
        operand = shape(a, layout=layout(random, len(a), True))
        result = shape(b, layout=layout(random, len(b), True))
        if not fit(operand, result):
            assert "bytes of memory" in refused(f"%r = {result} bitcast({operand} %x)")
            continue
        truth = overlapping(parse_array(operand), parse_array(result))
        checked(f"%r = {result} bitcast({operand} %x)", truth)


WIDTHS = [*((name, "") for name in ("f32", "u8", "bf16", "f64", "c128")), ("s4", "E(4)"), ("u2", "E(2)")]
ODD = [("f6e2m3fn", "E(6)"), ("s4", "E(4)"), ("u8", ""), ("s4", "")]


@pytest.mark.parametrize("types", [WIDTHS, ODD])
def test_random_widths(types: list[tuple[str, str]]) -> None:
    random = Random(3)
    for _ in range(1000):
        texts: list[str] = []
        for _side in range(2):
            name, packed = random.choice(types)
            sizes = [random.randint(1, 4) for _ in range(random.randint(0, 2))]
            text = layout(random, len(sizes), random.random() < 0.4)
            if packed:
                text = text[:-1] + ("" if ":" in text else ":") + packed + "}"
            texts.append(shape(sizes, name, text))
        operand, result = texts
        if not fit(operand, result):
            continue
        truth = overlapping(parse_array(operand), parse_array(result))
        instruction = read_instruction(f"%r = {result} bitcast({operand} %x)")
        ((m,),) = output_to_input(instruction)
        assert pairs([m]) == truth, (str(instruction), str(m))
        assert pairs([inverse(m)]) == {(b, a) for a, b in truth}, (str(instruction), str(m))


def test_bytes_as_numpy_has_them() -> None:
    wide = np.arange(6, dtype=np.uint32).reshape(2, 3) * 0x01010101 + 0x03020100
    narrow = wide.view(np.uint8).reshape(2, 3, 4)
    assert wide[1, 2] == int.from_bytes(narrow[1, 2].tobytes(), "little")
    parts: Pairs = {((i, j, b), (i, j)) for i in range(2) for j in range(3) for b in range(4)}
    checked("%r = u8[2,3,4] bitcast(u32[2,3] %x)", parts)
    checked("%r = u8[2,3,4] bitcast-convert(u32[2,3] %x)", parts)
    checked("%r = u32[2,3] bitcast(u8[2,3,4] %x)", {(b, a) for a, b in parts})
    checked("%r = u32[2,3] bitcast-convert(u8[2,3,4] %x)", {(b, a) for a, b in parts})


def test_random_bitcast_converts() -> None:
    random = Random(4)
    types = {"s2": 2, "s4": 4, "u8": 8, "bf16": 16, "f32": 32, "s64": 64, "c128": 128}
    for _ in range(200):
        (a, wide), (b, width) = (random.choice(list(types.items())) for _ in "ab")
        sizes = [random.randint(0, 4) for _ in range(random.randint(0, 3))]
        many = max(wide, width) // min(wide, width)
        longer = [*sizes, many] if many > 1 else sizes
        truth: Pairs = {(at, at[: len(sizes)]) for at in indices(longer)}
        if wide < width:
            a_text, b_text = shape(longer, a), shape(sizes, b)
            truth = {(to, at) for at, to in truth}
        else:
            a_text, b_text = shape(sizes, a), shape(longer, b)
        checked(f"%r = {b_text} bitcast-convert({a_text} %x)", truth)


def test_the_axes_are_those_of_the_bridge() -> None:
    random = Random(5)
    for _ in range(200):
        sizes = small(random)
        array = parse_array(shape(sizes, layout=layout(random, len(sizes), True)))
        axes = MemoryAxes(array)
        assert tuple(axes.sizes) == physical_dimensions(array)
        for at in indices(sizes):
            assert tuple(axes.of(at)) == physical_index(array, at)
        for offset, coordinate in enumerate(indices(axes.sizes)):
            index, bounds = axes.index(coordinate)
            is_data = all(x in allowed for x, allowed in bounds)
            assert logical_index(array, offset) == (tuple(index) if is_data else None)
        assert physical_elements(array) == prod(axes.sizes)
        assert place(axes.of([dim(k) for k in range(len(sizes))]), axes.sizes) is not None


# What compilers for TPUs write, and examples of XLA's tests of its indexing analysis.
TEXTS = [
    (
        "f32[3,12288,6,128]{3,2,1,0}",
        "f32[3,6,128,12288]{2,1,3,0}",
        "(d0, d1, d2, d3) -> (d0, d3, d1, d2),"
        " domain: d0 in [0, 2], d1 in [0, 5], d2 in [0, 127], d3 in [0, 12287]",
    ),
    ("f32[16,17,3]{2,1,0}", "f32[51,16]{0,1}", "(d0, d1) -> (d1, d0 floordiv 3, d0 mod 3)"),
    ("f32[4,32]", "f32[4,8,4]", "(d0, d1, d2) -> (d0, d1 * 4 + d2)"),
    (
        "bf16[4,512,768]{2,1,0:T(8,128)(2,1)}",
        "bf16[4,512,768,1]{2,1,3,0:T(8,128)(2,1)S(1)}",
        "(d0, d1, d2, d3) -> (d0, d1, d2 + d3)",
    ),
    (
        "bf16[8,4,16,9]{2,0,1,3:T(8,128)(2,1)S(1)}",
        "bf16[32,16,9]{1,0,2:T(8,128)(2,1)S(1)}",
        "(d0, d1, d2) -> (d0 mod 8, d0 floordiv 8, d1, d2)",
    ),
    (
        "s32[17,8,5,128]{3,1,2,0:T(8,128)}",
        "s32[129,513]{1,0:T(8,128)}",
        "(d0, d1) -> (d0 floordiv 8, d0 mod 8, d1 floordiv 128, d1 mod 128)",
    ),
    (
        "f32[20,300]{1,0:T(8,128)S(1)}",
        "f32[1,20,300]{2,1,0:T(8,128)S(1)}",
        "(d0, d1, d2) -> (d0 * 20 + d1, d2)",
    ),
    ("f32[4,1,8]{2,0,1}", "f32[1,4,8]", "(d0, d1, d2) -> (d0 * 4 + d1, 0, d2)"),
    ("f32[4,8]", "f32[8,1,4]{0,2,1}", "(d0, d1, d2) -> (d1 * 4 + d2, d0)"),
    ("s32[129,6]{0,1:T(8,128)}", "s32[129,5]{0,1:T(8,128)}", "(d0, d1) -> (d0, d1)"),
    ("f32[1,1]{1,0:T(8,128)}", "f32[]{:T(128)}", "() -> (0, 0)"),
    ("f32[2]", "u8[8]", "(d0) -> (d0 floordiv 4), domain: d0 in [0, 7]"),
    ("u8[8]", "f32[2]", "(d0)[s0] -> (d0 * 4 + s0), domain: d0 in [0, 1], s0 in [0, 3]"),
    (
        "s32[129,5]{0,1:T(8,128)}",
        "s32[129,6]{0,1:T(8,128)}",
        "(d0, d1) -> (d0, d1), domain: d0 in [0, 128], d1 in [0, 4]",
    ),
]


@pytest.mark.parametrize(("operand", "result", "text"), TEXTS)
def test_texts(operand: str, result: str, text: str) -> None:
    ((m,),) = output_to_input(read_instruction(f"%b = {result} bitcast({operand} %x)"))
    assert (str(m) if "domain" in text else str(m).split(", domain")[0]) == text


def test_a_result_that_lies_in_padding_alone_reads_nothing() -> None:
    text = "%r = f32[1,4]{1,0} bitcast(f32[2]{0:T(4)} %x)"
    assert pairs(output_to_input(read_instruction(text))[0]) == {((0, 0), (0,)), ((0, 1), (1,))}
    ((m,),) = output_to_input(read_instruction("%r = f32[0] bitcast(u8[2,0] %x)"))
    assert m.is_known_empty


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("%r = f32[?] bitcast(f32[?] %x)", "f32[?]{0} has a dim of unknown size"),
        ("%r = token[] bitcast(token[] %x)", "a token has no bits"),
        ("%r = f32[8] bitcast(f32[9] %x)", "the operand has 36 bytes of memory, the result 32"),
        (
            "%r = u8[2,3] bitcast-convert(f32[2] %x)",
            "its operands make [2,4], and its result is u8[2,3]{1,0}",
        ),
        (
            "%r = f32[2] bitcast-convert(u8[2,3] %x)",
            "it cannot make f32[2]{0} of u8[2,3]{1,0}",
        ),
        (
            "%r = f32[2] bitcast-convert(f32[3] %x)",
            "its operands make [3], and its result is f32[2]{0}",
        ),
    ],
)
def test_refusals(text: str, why: str) -> None:
    assert refused(text) == why
