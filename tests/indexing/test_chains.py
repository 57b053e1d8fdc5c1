"""Chains of reshapes and transposes that do not fold: their maps are right, and short."""

from __future__ import annotations

from math import prod
from random import Random
from typing import TYPE_CHECKING, Any

import fuzz_maps
import numpy as np
import pytest
from cases import share

from tla import ParseError
from tla.hlo import read_module
from tla.indexing import computation_maps, parse_map, tables, text as texts, to_text

if TYPE_CHECKING:
    from tla.hlo import Computation


def chain(random: Random, length: int, primes: list[int]) -> tuple[Computation, Any]:
    """Reshapes and transposes in turns, and which element of the parameter each of the result is."""
    array: Any = np.arange(prod(primes))
    lines = [f"p = f32[{array.size}] parameter(0)"]
    for i in range(length):
        if i % 2:
            order = random.sample(range(array.ndim), array.ndim)
            array = array.transpose(order)
            op = f"transpose(x{i - 1}), dimensions={{{','.join(map(str, order))}}}"
        else:
            sizes = [1] * random.randint(2, 3)
            for p in primes:
                sizes[random.randrange(len(sizes))] *= p
            array = array.reshape(sizes)
            op = f"reshape({f'x{i - 1}' if i else 'p'})"
        lines.append(f"x{i} = f32[{','.join(map(str, array.shape))}] {op}")
    body = "\n".join([*lines[:-1], f"ROOT {lines[-1]}"])
    return read_module(f"HloModule m\nENTRY e {{\n{body}\n}}\n").entry, array


def test_a_chain_has_the_elements_of_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where each map is made from its values."""
    for number in range(share(25)):
        random = Random(number)
        monkeypatch.setattr(tables, "_MORE", -1000 if number % 3 == 0 else 256)
        primes = random.choice([[2, 3, 5, 7], [2, 2, 3, 3, 5], [4, 9, 8], [11, 3, 2]])
        entry, array = chain(random, random.randint(2, 24), primes)
        ((m,),) = computation_maps(entry)
        assert not m.constraints
        for point in random.sample(list(np.ndindex(array.shape)), 12):
            assert m.evaluate(point) == (array[point],), number
        for form in ("2025", "2026", "old"):
            assert parse_map(to_text(m, form)) == m, number


def test_a_long_chain_is_short() -> None:
    """Each op adds a bounded number of parts, until the values of the array make the shorter map."""
    for length, primes in ((129, [2, 3, 5, 7]), (500, [2, 3, 11])):
        entry, array = chain(Random(5), length, primes)
        ((m,),) = computation_maps(entry)
        text = str(m)
        assert len(text) < min(129, 2 * array.size) * 200
        assert parse_map(text) == m
        corner = tuple(n - 1 for n in array.shape)
        assert m.evaluate(corner) == (array[corner],)


def test_a_sum_over_a_long_chain_has_its_ranges_in_order() -> None:
    entry, array = chain(Random(5), 65, [2, 3, 5, 7])
    zero, add = "zero = f32[] constant(0)", "add { a = f32[] parameter(0)  b = f32[] parameter(1)"
    before = "ENTRY e {" + str(entry).replace("ROOT ", "").split("{", 1)[1].rstrip().removesuffix("}")
    over = ",".join(map(str, range(array.ndim)))
    root = f"ROOT sum = f32[] reduce(x64, zero), dimensions={{{over}}}, to_apply=add"
    head = f"HloModule m\n{add}  ROOT r = f32[] add(a, b) }}\n"
    entry = read_module(f"{head}{before}{zero}\n{root}\n}}").entry
    ((m,),) = computation_maps(entry)
    sizes = sorted(v.bounds.size for v in m.ranges)
    assert sizes == sorted(array.shape)
    assert [v.bounds.size for v in m.ranges] == sizes
    assert parse_map(str(m)) == m


def test_every_map_is_read_back_with_parts_written_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts, "_MOST_PARTS", 0)
    report = fuzz_maps.run(share(200), 3, {"read back": fuzz_maps.LAWS["read back"]})
    assert report.is_clean, str(report)


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("t0 = d1 mod 2", "the map has no variable 'd1'"),
        ("t1 = d0 mod 2", "the map has no variable 't0'"),
        ("t0 = d0 mod 2, t0 = 1", "there is a variable t0 already"),
        ("d0 = 1", "there is a variable d0 already"),
        ("t0 = t1, t1 = d0", "the map has no variable 't1'"),
        ("t0 = ", "expected a part"),
        ("t0 = d0 mod 2, runtime", "expected '=' and the part of that name"),
    ],
)
def test_wrong_parts(where: str, message: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse_map(f"(d0) -> (t0 + d0), domain: d0 in [0, 3], where {where}")
    assert message in str(caught.value)


def test_parts_have_names_of_their_own() -> None:
    m = parse_map("(t0) -> (t0 + t1), domain: t0 in [0, 9], where t1 = t0 floordiv 2 mod 3")
    assert str(m) == "(t0) -> ((t0 floordiv 2) mod 3 + t0), domain: t0 in [0, 9]"
