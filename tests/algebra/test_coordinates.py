"""Coordinates as strides: the rows of CuTe, each operation against naive evaluation, bad input."""

from __future__ import annotations

import pickle
from copy import deepcopy
from random import Random
from typing import Any

import pytest
from cases import check_all
from oracle import printed, rows

import tla
from tla import (
    CoordinateError,
    E,
    Layout,
    LayoutError,
    LeafError,
    ParseError,
    TlaError,
    _,
    coalesce,
    composition,
    elem_less,
    is_injective,
    left_inverse,
    make_identity_layout,
    make_tensor,
    parse,
    right_inverse,
    sym,
    zipped_divide,
)
from tla.numbers import ArithmeticTuple, Basis

from .test_seen import OF_DOMAIN


def basis(x: Any) -> Any:
    """A value of the rows: ``{"E": path, "v": k}`` is ``k * E(*path)``, a list a tuple."""
    if isinstance(x, dict):
        return x["v"] * E(*x["E"]) if x["E"] else x["v"]
    return tuple(map(basis, x)) if isinstance(x, list) else _ if x == "_" else x


def coordinate(x: Any) -> Any:
    """A value as nested tuples without the zeros at their ends, which CuTe leaves out at times."""
    if isinstance(x, Basis):
        x = x.coordinate()
    if not isinstance(x, tuple):
        return int(x)
    parts = [coordinate(i) for i in x]
    while parts and parts[-1] in (0, ()):
        parts.pop()
    return tuple(parts)


def layout_of(x: Any) -> Any:
    return Layout(*basis(x))


def table(x: Any, offset: Any = 0) -> list[Any]:
    """The values of a layout or a tensor at its indices."""
    size = int(tla.size(x.layout if isinstance(x, tla.Tensor) else x))
    return [coordinate(offset + x(i)) for i in range(size)]


def identity_tensor(given: dict[str, Any]) -> Any:
    return make_tensor(None, make_identity_layout(basis(given["shape"])))


def tiler(x: Any) -> Any:
    """A tiler of the rows: a layout, an int, or a tuple of them."""
    if isinstance(x, dict):
        return tuple([layout_of(part) if isinstance(part, list) else part for part in x["tiler"]])
    return layout_of(x) if isinstance(x, list) else x


def slice_of(given: dict[str, Any]) -> Any:
    return tla.slice_and_offset(basis(given["coord"]), layout_of(given["A"]))


OPERATIONS: dict[str, Any] = {
    "abs": lambda g: abs(basis(g["e"])),
    "as_arithmetic_tuple": lambda g: basis(g["e"]),
    "atuple_add": lambda g: ArithmeticTuple(basis(g["a"])) + ArithmeticTuple(basis(g["b"])),
    "atuple_add_tuple": lambda g: ArithmeticTuple(basis(g["a"])) + basis(g["b"]),
    "atuple_neg": lambda g: -ArithmeticTuple(basis(g["a"])),
    "atuple_sub": lambda g: ArithmeticTuple(basis(g["a"])) - basis(g["b"]),
    "basis_add": lambda g: basis(g["a"]) + basis(g["b"]),
    "basis_add_zero": lambda g: basis(g["a"]) + tla.Int(0),
    "basis_eq": lambda g: basis(g["a"]) == basis(g["b"]),
    "basis_get": lambda g: tla.get(basis(g["t"]), *g["e"]["E"]),
    "basis_mul": lambda g: g["k"] * basis(g["e"]),
    "basis_mul_right": lambda g: basis(g["e"]) * g["k"],
    "basis_value": lambda g: getattr(basis(g["e"]), "terms", {(): g["e"]["v"]})[tuple(g["e"]["E"])],
    "call": lambda g: layout_of(g["A"]),
    "call_crd": lambda g: layout_of(g["A"]).extended(basis(g["coord"])),
    "call_int": lambda g: layout_of(g["A"]).extended(g["i"]),
    "ceil_div": lambda g: tla.ceil_div(basis(g["e"]), g["k"]),
    "coalesce": lambda g: coalesce(layout_of(g["A"])),
    "composition": lambda g: composition(layout_of(g["A"]), tiler(g["B"])),
    "composition_over_basis": lambda g: composition(layout_of(g["A"]), tiler(g["B"])),
    "composition_with_basis_rhs": lambda g: composition(layout_of(g["A"]), tiler(g["B"])),
    "cosize": lambda g: tla.cosize(layout_of(g["A"])),
    "domain_offset": lambda g: tla.domain_offset(basis(g["coord"]), identity_tensor(g).layout),
    "filter": lambda g: tla.algebra.filter(layout_of(g["A"])),
    "filter_zeros": lambda g: tla.filter_zeros(layout_of(g["A"])),
    "flat_divide": lambda g: tla.flat_divide(layout_of(g["A"]), tiler(g["tiler"])),
    "flatten": lambda g: tla.flatten(layout_of(g["A"])),
    "get": lambda g: tla.get(layout_of(g["A"]), g["mode"]),
    "local_partition": lambda g: tla.local_partition(
        identity_tensor(g), Layout(*basis(g["tile"])), g["index"]
    ),
    "local_tile": lambda g: tla.local_tile(identity_tensor(g), tiler(g["tiler"]), basis(g["coord"])),
    "logical_divide": lambda g: tla.logical_divide(layout_of(g["A"]), tiler(g["tiler"])),
    "make_basis_like": lambda g: tla.layouts.make_basis_like(basis(g["shape"])),
    "make_identity_layout": lambda g: make_identity_layout(basis(g["shape"])),
    "make_identity_tensor": identity_tensor,
    "safe_div": lambda g: basis(g["e"]) // g["k"],
    "select": lambda g: tla.select(layout_of(g["A"]), *g["modes"]),
    "size": lambda g: tla.size(layout_of(g["A"])),
    "slice_and_offset": slice_of,
    "tensor_slice": lambda g: identity_tensor(g)[basis(g["coord"])],
    "tiled_divide": lambda g: tla.tiled_divide(layout_of(g["A"]), tiler(g["tiler"])),
    "zipped_divide": lambda g: zipped_divide(layout_of(g["A"]), tiler(g["tiler"])),
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_rows_of_cute(name: str) -> None:
    def check(row: Any) -> None:
        if row["result"] == {"error": 1}:
            with pytest.raises(TlaError):
                OPERATIONS[name](row["inputs"])
            return
        found, wanted = OPERATIONS[name](row["inputs"]), row["result"]
        offset: Any = 0
        if isinstance(found, tuple) and found and tla.is_layout(found[0]):
            found, offset = found
        if not tla.is_layout(found) and not isinstance(found, tla.Tensor):
            assert coordinate(found) == coordinate(basis(wanted))
            return
        if "table" in row:
            assert table(found, offset) == [coordinate(basis(x)) for x in row["table"]]
        if isinstance(wanted, list) and name != "flat_divide":  # of (8) by (8) CuTe gives ((8),(1))
            assert printed(found) == printed(layout_of(wanted))

    check_all(check, rows("cute_basis.jsonl", name))


# --- against naive evaluation -----------------------------------------------------------------

WEIGHTS = {(0,): 1_000_003, (1, 0): 1_009 << 20, (1, 1): 1_013 << 40}
"""What each step is worth in ints: so far apart that no sum of few steps is another."""


def weighed(x: Any) -> Any:
    """A coordinate as an int; the strides of a layout so too."""
    if tla.is_layout(x):
        return Layout(x.shape, tla.transform_leaf(weighed, x.stride))
    if isinstance(x, tuple):
        i, j = (*x, 0, 0)[:2]
        return weighed(sum([n * E(*p) for n, p in zip((i, *(j or ())), WEIGHTS, strict=False)], 0))
    return sum(n * WEIGHTS[path] for path, n in x.terms.items()) if isinstance(x, Basis) else x


def random_layout(rng: Random) -> Any:
    shape: Any = tuple(rng.choice([1, 2, 3, 4, 8, (2, 2), (4, 2)]) for _i in range(rng.randint(1, 3)))
    if rng.random() < 0.4:
        steps = tla.layouts.leaves(tla.make_layout_like(Layout(shape)).stride)
        paths = [rng.choice([*WEIGHTS]) for _n in tla.layouts.leaves(shape)]
        stride = [int(d) * E(*p) for d, p in zip(steps, paths, strict=True)]
    else:
        stride = [
            sum(
                [rng.choice([1, 2, 3, 4, 8]) * E(*p) for p in rng.sample([*WEIGHTS], rng.randint(0, 2))],
                0,
            )
            for _n in tla.layouts.leaves(shape)
        ]
    return Layout(shape, tla.unflatten(tuple(stride), shape))


@pytest.mark.parametrize("name", OF_DOMAIN)
def test_an_operation_treats_coordinates_as_ints_far_apart(name: str) -> None:
    """It gives the same layout for both, or refuses both."""
    rng, answered = Random(name), 0
    run, draw = OF_DOMAIN[name]
    for _i in range(40):
        a = random_layout(rng)
        arguments = draw(rng, a)
        try:
            wanted = run(weighed(a), *arguments)
        except TlaError as refusal:
            with pytest.raises(type(refusal)):
                run(a, *arguments)
            continue
        answered += 1
        assert weighed(run(a, *arguments)) == wanted
    assert answered > 25


def test_compositions_and_facts() -> None:
    rng, seen = Random(7), {True: 0, False: 0}
    for _i in range(150):
        a = random_layout(rng)
        b = Layout((rng.choice([1, 2, 3, 4, 6]), 2), (rng.choice([0, 1, 2, 4]), rng.choice([1, 3, 8])))
        try:
            wanted = composition(weighed(a), b)
        except TlaError as refusal:
            with pytest.raises(type(refusal)):
                composition(a, b)
            seen[False] += 1
        else:
            assert weighed(composition(a, b)) == wanted
            seen[True] += 1
        values = table(a)
        assert is_injective(a) is (len({*values}) == len(values))
        pair = tla.collision(a)
        assert pair is None or a(pair[0]) == a(pair[1])
        assert tla.same_function(a, coalesce(a))
    assert min(seen.values()) > 20


def test_values_and_texts() -> None:
    rng = Random(8)
    for _i in range(60):
        a = random_layout(rng)
        for again in (
            parse(str(a)),
            tla.read(str(a)),
            eval(repr(a), {name: getattr(tla, name) for name in tla.__all__}),
            pickle.loads(pickle.dumps(a)),
            deepcopy(a),
        ):
            assert again == a
            assert hash(again) == hash(a)
        flat = list(zip(tla.layouts.leaves(a.shape), tla.layouts.leaves(a.stride), strict=True))
        for i in range(int(a.size)):
            digits = tla.flatten_to_tuple(tla.idx2crd(i, a.shape))
            total: Any = sum([c * d for c, (_n, d) in zip(digits, flat, strict=True)], 0)
            assert coordinate(a(i)) == coordinate(total)
            assert weighed(a(i)) == weighed(a)(i)
        at: Any = (_, *[rng.randrange(int(mode.size)) for mode in [*a][1:]])
        part, offset = tla.slice_and_offset(at, a)
        assert all(
            coordinate(offset + part((i,))) == coordinate(a((i, *at[1:])))
            for i in range(int(tla.get(a, 0).size))
        )
        base: Any = tuple([rng.randrange(int(mode.size)) for mode in a])
        rest = tuple(
            [
                c if c is _ else rng.randrange(int(m.size) - b)
                for c, b, m in zip(at, base, a, strict=True)
            ]
        )
        part, offset = tla.slice_and_offset(rest, a, base)
        whole = tuple([b if c is _ else b + c for c, b in zip(rest, base, strict=True)])
        assert coordinate(offset + part(0)) == coordinate(a(whole))


def test_inverses() -> None:
    """Of distinct modes of a coordinate; a left inverse takes coordinates, a right one gives indices."""
    rng, answered = Random(9), 0
    for _i in range(80):
        shape = tuple(rng.choice([1, 2, 3, 4]) for _n in range(rng.randint(1, 4)))
        order = rng.sample(range(len(shape)), len(shape))
        cuts = [E(k % 2) * (2 if k > 1 else 1) if rng.random() < 0.3 else E(k) for k in order]
        a = Layout(shape, tuple(cuts))
        try:
            back = left_inverse(a)
        except TlaError:
            assert len({next(iter(d.terms)) for d in cuts}) < len(cuts)  # two along one mode
            continue
        answered += 1
        for i in range(int(a.size)):
            found = back.extended(_fitted(a(i), back.shape))
            assert found == i
        forth = right_inverse(a)
        for c in tla.coords(forth.shape):
            along = tuple(map(tla.crd2idx, c, forth.shape)) if isinstance(forth.shape, tuple) else c
            assert coordinate(a(forth(c))) == coordinate(along)
    assert answered > 45


def test_inverses_of_what_does_not_move() -> None:
    assert left_inverse(parse("1:2@0+3@1"))((0, 0)) == 0
    assert left_inverse(parse("(1,4):(1@0,0@0)"))((0,)) == 0
    assert left_inverse(parse("(4,1):(1@1,2@0+3@2)"))((0, 3, 0)) == 3


def test_a_mode_without_parts() -> None:
    whole = Layout((4, (), ((), 2)), (1, (), ((), 4)))
    assert composition(whole, Layout((1, 2), (E(1), E(2))))(0, 1) == 4


def test_one_function_of_coordinates() -> None:
    texts = [("(2,2):(1@0,2@0)", "4:1@0"), ("4:0@1", "4:0"), ("(2,2):(1@0,3@1@1)", "1:0")]
    found = [tla.same_function(parse(a), parse(b)) for a, b in [*texts, ("2:-1@0", "2:0")]]
    assert found == [True, True, False, False]


def _fitted(c: Any, shape: Any) -> Any:
    """A coordinate with the modes of a shape, 0 where it has none."""
    return tuple([*c, *[0] * len(shape)][: len(shape)]) if isinstance(shape, tuple) else c


def test_a_ragged_tile_is_predicated() -> None:
    m, k = 100, 60
    tiles = zipped_divide(make_identity_layout((m, k)), (48, 32))
    inside = [elem_less(tiles(i, j), (m, k)) for j in range(6) for i in range(48 * 32)]
    assert sum(inside) == m * k
    size = sym("M")
    assert make_identity_layout((size, 8)).bind(M=3) == make_identity_layout((3, 8))


def test_wrong_uses() -> None:
    wrong: Any = 1.5
    cases: list[tuple[Any, Any, str]] = [
        (lambda: Layout((4, 8), (1, E(0))), LayoutError, "1@0 and 1 do not add up: one is a coordinate"),
        (lambda: Layout((4, 8), (E(0), E(0, 1))), LayoutError, "one is a mode of the other"),
        (lambda: Layout((E(0), 4)), LayoutError, "coordinates have no order: cannot compare _1@0 and 0"),
        (lambda: E(-1), LayoutError, "a mode counts from 0, not -1"),
        (lambda: E(wrong), LeafError, "expected an int, got float"),
        (lambda: E(10**9), tla.LimitError, "rank"),
        (lambda: E(0) * E(1), LayoutError, "have no product"),
        (lambda: E(0) + 1, LayoutError, "one is a coordinate, the other an int"),
        (lambda: make_identity_layout((4, 8))(0, 0) + 1, LayoutError, "one is a tuple"),
        (lambda: composition(Layout((4, 8)), Layout(5, E(0))), CoordinateError, "leads out"),
        (lambda: composition(Layout((4, 8)), Layout(2, -E(0))), CoordinateError, "go below 0 in mode 0"),
        (lambda: composition(Layout((4, 8)), Layout(2, E(2))), CoordinateError, "counts along mode 2"),
        (lambda: tla.complement(make_identity_layout((4, 8))), LayoutError, "no order"),
        (lambda: left_inverse(Layout(4, E(0) + E(1))), LayoutError, "counts along 2 modes at once"),
        (lambda: parse("(4,8):(1@,1@1)"), ParseError, "expected a mode"),
        (lambda: parse("(4,8):(1@-1,1@1)"), ParseError, "counts from 0"),
        (lambda: parse("4:E<0"), ParseError, "expected '>'"),
    ]  # fmt: skip
    for call, kind, words in cases:
        with pytest.raises(kind) as error:
            call()
        assert words in str(error.value), str(error.value)


@pytest.mark.parametrize(
    "call",
    [
        lambda: E(0) - (1, 2),
        lambda: E(0) + 10**5000,
        lambda: E(0) // E(1),
        lambda: E(0) % E(1),
        lambda: E(0).known_lt(10**5000),
        lambda: E(0).known_lt([[]]),
        lambda: type(E(0))([1]),
    ],
)
def test_hostile_operands_are_refused(call: Any) -> None:
    with pytest.raises(tla.TlaError):
        call()
