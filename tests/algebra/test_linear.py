"""Linear layouts: the rows of the oracle, the laws, and what is not linear."""

from random import Random
from typing import Any

import pytest
from cases import over
from oracle import cute_layout, rows

from tla import (
    ComposedLayout,
    Layout,
    LayoutError,
    Swizzle,
    UndecidedError,
    is_composed,
    is_injective,
    is_swizzle,
    sym,
)
from tla.algebra import LinearLayout, from_linear, to_linear
from tla.algebra.linear import conjugate, eliminated, image, swizzles

FILE = "cute_linear.jsonl"


def span(vectors: Any) -> set[int]:
    out = {0}
    for vector in vectors:
        out |= {x ^ vector for x in out}
    return out


@over("row", rows(FILE, "f2_matrix"))
def test_matrices_of_the_oracle(row: Any) -> None:
    layout, wanted = cute_layout(row["inputs"]["A"]), row["result"]
    if not wanted["affine"]:
        with pytest.raises(LayoutError, match="carry into each other") as error:
            to_linear(layout)
        index: Any = error.value.index
        assert int(layout(index)) != layout(0) ^ xor_of_bits(layout, index)
        return
    f = to_linear(layout)
    assert (list(f.columns), f.constant, len(f.columns)) == (
        wanted["columns"],
        wanted["constant"],
        wanted["in_bits"],
    )
    assert (f.rank, f.is_injective) == (wanted["rank"], wanted["injective"])
    assert span(f.kernel) == span(wanted["kernel"])
    if not f.constant:
        assert f.is_surjective == wanted["surjective"]
        if wanted["inverse_columns"] is not None:
            assert list(f.inverse().columns) == wanted["inverse_columns"]
    g, back = f.pseudo_inverse(), from_linear(f)
    for x in range(f.size):
        assert f(x) == layout(x) == back(x)
        assert f(g(f(x))) == f(x)


def xor_of_bits(layout: Any, x: int) -> int:
    return image([int(layout(1 << i)) ^ int(layout(0)) for i in range(x.bit_length())], x)


@over("row", rows(FILE, "f2_compose"))
def test_compositions_of_the_oracle(row: Any) -> None:
    a, b = (to_linear(cute_layout(row["inputs"][name])) for name in "AB")
    assert list(a.compose(b).columns) == row["result"]["columns"]
    assert all(a.compose(b)(x) == a(b(x)) for x in range(b.size))


def random_layout(rng: Random) -> Any:
    """A layout of powers of 2, of which some carry; at times with an offset, or seen through another."""
    extents = [1 << rng.randint(0, 2) for _ in range(rng.randint(1, 3))]
    strides = [rng.choice([0, 1, 2, 4, 8, 16, 3, 5, 12, -4]) for _ in extents]
    layout = Layout(tuple(extents), tuple(strides))
    offset = rng.choice([0, 0, 64, 65, 72]) if min(strides) >= 0 else 64
    outer: Any = rng.choice(
        [
            Swizzle(0, 0, 0),
            Swizzle(2, 1, 3),
            Swizzle(1, 3, -2),
            Layout((4, 32), (32, 1)),
            Layout((2, 96), (3, 5)),
        ]
    )
    return layout if offset == 0 else ComposedLayout(outer, offset, layout)


def test_linear_is_decided_exactly() -> None:
    rng, count = Random(11), {True: 0, False: 0}
    for _ in range(3000):
        layout = random_layout(rng)
        table = [int(layout(i)) for i in range(int(layout.size))]
        bits = len(table).bit_length() - 1
        columns = [table[1 << i] ^ table[0] for i in range(bits)]
        affine = all(y == table[0] ^ image(columns, x) for x, y in enumerate(table)) and min(table) >= 0
        count[affine] += 1
        if not affine:
            with pytest.raises(LayoutError):
                to_linear(layout)
            continue
        f = to_linear(layout)
        assert [f(x) for x in range(f.size)] == table
        assert f.is_injective == (len(set(table)) == len(table))
        assert f.rank == len(set(table)).bit_length() - 1
        through_swizzle = not is_composed(layout) or is_swizzle(layout.outer)
        try:
            back = from_linear(f)
        except LayoutError:
            assert not through_swizzle
            continue
        assert [int(back(x)) for x in range(f.size)] == table
        assert layout.rank == 1 or back.rank == layout.rank
    assert min(count.values()) > 500


def test_inverses_of_random_matrices() -> None:
    rng = Random(4)
    for _ in range(300):
        n, m = rng.randint(0, 5), rng.randint(0, 5)
        f = LinearLayout(
            {"x": n}, {"y": m}, [rng.randrange(1 << m) for _ in range(n)], rng.randrange(1 << m)
        )
        table = [f(x) for x in range(f.size)]
        g = f.pseudo_inverse()
        assert all(f(g(y)) == y for y in table)
        assert span(f.kernel) == {x for x in range(f.size) if f(x) == f(0)}
        assert f.is_surjective == (set(table) == set(range(1 << m)))
        if sorted(table) == list(range(1 << m)):
            assert all(f.inverse()(y) == table.index(y) for y in table)
        else:
            with pytest.raises(LayoutError) as error:
                f.inverse()
            data = error.value.data
            assert f(data["index"]) == f(0) if "index" in data else data["offset"] not in table


def test_elimination_spans_what_it_was_given() -> None:
    assert span(row for row, _x in eliminated([6, 3, 5])[0].values()) == span([6, 3, 5])


def test_dims_by_name() -> None:
    f = LinearLayout({"register": 1, "lane": 2}, {"dim0": 2, "dim1": 1}, (4, 1, 2))
    assert f.at(lane=3) == {"dim0": 3, "dim1": 0}
    assert f.at(register=1) == {"dim0": 0, "dim1": 1}
    with pytest.raises(LayoutError, match="3 bits go in, so there are 3 columns, not 2"):
        LinearLayout({"register": 1, "lane": 2}, {"dim0": 3}, (1, 2))
    with pytest.raises(LayoutError, match="a column is 8, and what comes out has 3 bits"):
        LinearLayout({"x": 1}, {"y": 3}, (8,))
    with pytest.raises(IndexError, match="no in dim has the name 'warp'"):
        f.at(warp=1)
    with pytest.raises(IndexError, match="lane=4 is outside the 4 of its dim"):
        f.at(lane=4)
    with pytest.raises(IndexError, match="index 8 is outside the 8"):
        f(8)


def test_what_is_not_linear_says_where() -> None:
    with pytest.raises(LayoutError) as error:
        to_linear(Layout((2, 6), (6, 1)))
    assert (
        str(error.value).splitlines()[1].strip() == "4 and 2 are coordinates of it, 4 ^ 2 = 6 is none."
    )
    with pytest.raises(LayoutError, match="an offset is negative"):
        to_linear(Layout(2, -1))
    with pytest.raises(UndecidedError):
        to_linear(Layout(sym("N")))
    with pytest.raises(LayoutError, match="neither by itself nor through one swizzle") as error:
        from_linear(LinearLayout({"x": 3}, {"y": 2}, (1, 3, 2)))
    assert error.value.index == 0b011


def test_a_swizzle_behind_a_layout_is_one_in_front_of_it() -> None:
    """Where the bits stay in order in one mode, in two that follow each other, or elsewhere."""
    rng, answered = Random(14), 0
    for _i in range(300):
        bits, order = [rng.randint(0, 4) for _n in range(3)], rng.sample(range(3), 3)
        steps = [1 << sum(bits[j] for j in order[: order.index(i)]) for i in range(3)]
        steps = [rng.choice([*[d] * 8, 0, 3 * d, -d]) for d in steps]
        layout = Layout(tuple(1 << n for n in bits), tuple(steps))
        swizzle = Swizzle(n := rng.randint(1, 2), rng.randint(0, 3), rng.choice([-n - 1, n, n + 1]))
        found = conjugate(layout, swizzle)
        inside = int(swizzle.size) <= int(layout.size)
        if found is not None and inside:
            answered += 1
            assert all(layout(swizzle(x)) == found(layout(x)) for x in range(int(layout.size)))
        elif inside and steps == [abs(d) for d in steps] and is_injective(layout):
            assert any(d % 3 == 0 for d in steps) or not _is_one_swizzle(layout, swizzle)
    assert answered > 50


def _is_one_swizzle(layout: Any, swizzle: Any) -> bool:
    width = int(layout.cosize).bit_length()
    indices = range(int(layout.size))
    return any(
        all(layout(swizzle(x)) == t(layout(x)) for x in indices)
        for t in swizzles(width)
        if t.bits == swizzle.bits
    )
