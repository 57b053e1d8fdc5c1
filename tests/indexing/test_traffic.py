"""Traffic is what an enumeration of all reads counts, through the physical layout."""

from __future__ import annotations

from collections import Counter
from math import prod
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from cases import share

from tla.errors import TlaError
from tla.hlo import read_instruction, read_module
from tla.indexing import parse_map, propagate_tile, traffic
from tla.xla_bridge import parse_array, physical_offset, storage_bits

from .programs import program
from .test_bitcast import layout

if TYPE_CHECKING:
    from tla.xla_bridge import XlaShape

DATA = Path(__file__).parent.parent / "data" / "tpu_hlo"

WIDTHS = (("f32", ""), ("bf16", ""), ("u8", ""), ("f64", ""), ("s4", "E(4)"), ("u2", "E(2)"))


def random_shape(random: Random, sizes: tuple[int, ...]) -> XlaShape:
    name, packed = random.choice(WIDTHS)
    text = layout(random, len(sizes), True)[:-1]
    packed = packed and (packed if "T(" in text else f":{packed}")
    return parse_array(f"{name}[{','.join(map(str, sizes))}]{text}{packed}}}".replace("{}", ""))


def counts(shape: XlaShape, read: list[tuple[int, ...]], line: int) -> tuple[int, int, int, int]:
    """Elements, bytes, lines and tiles, one element at a time."""
    bits = storage_bits(shape)
    places = [physical_offset(shape, at) * bits for at in read]
    bytes_ = {place // 8 + k for place in places for k in range(-(-bits // 8))}
    tiles = 0
    if shape.tiles:
        order, first = ",".join(map(str, shape.minor_to_major)), shape.tiles[0]
        text = f"u8[{','.join(map(str, shape.dimensions))}]{{{order}:T({','.join(map(str, first))})}}"
        size = prod(n for n in first if n != "*")
        tiles = len({physical_offset(parse_array(text), at) // size for at in read})
    return len(read), len(bytes_), len({byte // line for byte in bytes_}), tiles


@pytest.mark.parametrize("count", [300, pytest.param(10_000, marks=pytest.mark.slow)])
def test_random_fusions_with_random_layouts(count: int) -> None:
    exact = 0
    for number in (*range(share(count)), 1343):  # there two maps reach one element from two points
        random = Random(number)
        made = program(random, 1 + number % 8)
        shapes = {f"p{k}": random_shape(random, sizes) for k, sizes in enumerate(made.parameters)}
        line = random.choice([8, 16, 24, 128])
        found = traffic(read_module(made.text()).entry, shapes, line=line)
        for k, array in enumerate(found.reads):
            pairs = made.truth(made.values[-1], k)
            times = Counter(at for _result, at in pairs)
            true = counts(shapes[f"p{k}"], list(times), line)
            where = (number, k, made.text(), shapes)
            assert all(a <= b <= c for a, b, c in zip(array.least, true, array.most, strict=True)), where
            if array.least == array.most:
                assert tuple(array.most) == true, where
            if array.exact:
                exact += 1
                assert array.least == array.most, where
                assert array.reuse == dict(sorted(Counter(times.values()).items())), where
    assert exact > share(count)


@pytest.mark.slow
def test_every_fusion_of_real_modules_has_an_answer() -> None:
    """At least 95 of 100 are exact; the others have their reason."""
    fusions = [
        instruction
        for path in sorted(DATA.glob("*.hlo"))
        for computation in read_module(path.read_text()).computations
        for instruction in computation.instructions
        if instruction.opcode == "fusion"
    ]
    found = [traffic(fusion) for fusion in fusions]
    assert sum(each.exact for each in found) >= 0.95 * len(found)
    assert all(array.exact or array.reason for each in found for array in each.arrays)


def test_each_read_of_a_gather_is_bounded() -> None:
    """Its rows are known when it runs: all may be one, or all different."""
    gather = read_instruction(
        "g = f32[8,128] gather(f32[100,128]{1,0:T(8,128)} x, s32[8] i), offset_dims={1},"
        " collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,128}"
    )
    x, i = traffic(gather).reads
    assert (x.least.elements, x.elements, x.least.tiles, x.tiles) == (128, 1024, 1, 8)
    assert not x.exact
    assert x.reason == "%i is read at run time for each element"
    assert i.exact


def test_a_slice_that_begins_anywhere_touches_one_tile_or_two() -> None:
    line = "d = f32[8,128] dynamic-slice(f32[99,128]{1,0:T(8,128)} x, s32[] i, s32[] j)"
    x, *_ = traffic(read_instruction(line + ", dynamic_slice_sizes={8,128}")).reads
    assert (x.least.elements, x.elements, x.least.tiles, x.tiles) == (1024, 1024, 1, 2)
    assert x.reason == "%i is read at run time"


def test_an_update_that_begins_anywhere_is_read_whole() -> None:
    line = "d = f32[256,512] dynamic-update-slice(f32[256,512] x, f32[8,128] u, s32[] i, s32[] j)"
    x, u, *_ = traffic(read_instruction(line)).reads
    assert u.least == u.most == (1024, 4096, 32, 0)
    assert x.reason == "%i is read at run time, and there are too many points to enumerate"
    rows = "f32[1024,128]{1,0:T(8,128)} x, f32[12,128]{1,0:T(8,128)} u, s32[] i, s32[] j)"
    x, u, *_ = traffic(read_instruction(f"d = f32[1024,128] dynamic-update-slice({rows}")).reads
    assert (x.least[:3], x.least.tiles, x.tiles) == ((1012 * 128, 1012 * 512, 1012 * 4), 127, 128)
    assert u.exact


def test_an_operand_that_stands_there_twice_is_one_array() -> None:
    text = "d = f32[4,4] dot(f32[4,8] x, f32[4,8] x), lhs_contracting_dims={1}, rhs_contracting_dims={1}"
    gram = read_instruction(text)
    (x,) = traffic(gram).reads
    assert (x.elements, x.reuse) == (32, {7: 32})  # row i for (i, *) and (*, i)
    (part,) = propagate_tile(gram, (2, 2)).inputs
    assert (part.computed, part.elements) == (2 * 16 + 2 * 32, 32)


ROW = parse_map("(d0) -> (0, d0), domain: d0 in [0, 7]")

BAD: list[tuple[Any, dict[str, Any], str]] = [
    (ROW, {}, "maps do not say of what array they are"),
    (ROW, {"layouts": "f32[8]"}, "a map with 2 results reads no array of 1 dims"),
    (ROW, {"layouts": "f32[1,8]", "line": 0}, "a line has at least 1 byte, not 0"),
    (
        ROW,
        {"layouts": "f64[1,8]", "line": 12},
        "a line of 12 bytes does not hold a whole number of elements of 64 bits",
    ),
    (
        read_instruction("n = f32[8] negate(f32[8] input)"),
        {"layouts": {"imput": "f32[8]"}},
        "there is no array 'imput'",
    ),
    (
        read_instruction("n = f32[8] negate(f32[8] input)"),
        {"layouts": {"input": "f32[9]"}},
        "the layout of input is for dims [9], and it has [8]",
    ),
]


@pytest.mark.parametrize(("of", "how", "said"), BAD)
def test_bad_input(of: Any, how: dict[str, Any], said: str) -> None:
    with pytest.raises(TlaError) as caught:
        traffic(of, **how)
    assert str(caught.value).splitlines()[0] == said
