"""What operations ask of unknown sizes, in turn, and that what they then give is right."""

from collections.abc import Callable, Mapping
from itertools import product as tuples_of
from typing import Any

import pytest

import tla
from tla import (
    CoordinateError,
    DivisibilityError,
    Layout,
    LayoutError,
    OverlapError,
    TlaError,
    UndecidedError,
    _,
    assume,
)
from tla.algebra.coalesce import filter as without_zeros
from tla.algebra.modes import by_stride
from tla.numbers import Condition, evaluate, sym
from tla.numbers.questions import Questions

M, N, K, A, B = (sym(name) for name in "MNKAB")
Z = sym("Z", min=0)
FEW = sym("F", min=2, max=6)
THREES = sym("T", divisible_by=3, max=18)

Case = tuple[Callable[..., Any], tuple[Any, ...], tuple[str, ...]]
ZN = Layout(((16, (M + 15) // 16), (16, (N + 15) // 16)), ((16, 256), (1, (M + 15) // 16 * 256)))


def exactly(layout: Any, tiler: Any) -> Any:
    return tla.zipped_divide(layout, tiler, exact=True)


def trimmed(layout: Any) -> Any:
    return layout.trimmed()


CASES: list[Case] = [
    # complement: what may be of size 1, or of stride 0
    (tla.complement, (Layout(M, 8),), ("M > 1",)),
    (tla.complement, (Layout(M, A * 2),), ("M > 1",)),
    (tla.complement, (Layout((4, M), (1, 4)),), ()),
    (tla.complement, (Layout((4, M), (1, 8)),), ("M > 1",)),
    (tla.complement, (Layout((M, 4), (8, M * 16)),), ()),
    (tla.complement, (Layout((Z, 4), (0, 1)), 8), ("Z > 0",)),
    (tla.complement, (Layout((3, 4), (Z, 1)), 64), ("Z > 0", "Z >= 4")),
    (tla.complement, (Layout(K), M), ()),
    (tla.complement, (Layout((M, N), (N * B, 1)), M * N * B * A), ()),
    (tla.complement, (Layout((M, N), (K, 1)), 64), ("K >= N", "M > 1")),
    (tla.logical_divide, (tla.row_major(M, N), (None, K)), ()),
    (tla.logical_product, (tla.row_major(M, N), K), ()),
    (tla.logical_product, (tla.row_major(M, N), Layout(Z)), ("Z > 0",)),
    # filters
    (tla.filter_zeros, (Layout((2, 3), (Z, 1)),), ("Z > 0",)),
    (tla.filter_zeros, (Layout((1, 3), (Z, 1)),), ()),
    (tla.filter_zeros, (Layout((4, Z), (1, 0)),), ()),
    (without_zeros, (Layout((2, 3), (Z, 1)),), ("Z > 0",)),
    (without_zeros, (Layout((Z, 3), (1, 8)),), ()),
    (without_zeros, (Layout((Z, 3), (0, 1)),), ("Z > 0",)),
    (tla.make_layout_like, (Layout((9, 8), (Z, Z)),), ("Z > 0",)),
    (tla.make_layout_like, (tla.row_major(M, K),), ()),
    (tla.make_layout_like, (tla.row_major(M, N, K),), ()),
    # inverses
    *[
        (inverse, (layout,), ())
        for inverse in (tla.right_inverse, tla.left_inverse)
        for layout in (
            Layout((M, N)),
            tla.row_major(M, N),
            tla.row_major(M, N, K),
            ZN,
        )
    ],
    (tla.left_inverse, (Layout((A * B, B), (1, A * B)),), ()),
    (tla.left_inverse, (Layout((M, N), (K, 1)),), ("K >= N", "M > 1", "N > 1")),
    (tla.left_inverse, (Layout(M, 4),), ("M > 1",)),
    (tla.left_inverse, (Layout((4, M), (1, 8)),), ("M > 1",)),
    (tla.right_inverse, (Layout((M, N), (K, 1)),), ("K >= N", "K == N")),
    (tla.right_inverse, (Layout((4, M), (1, Z)),), ("Z > 0", "Z >= 4", "Z == 4")),
    (tla.make_layout_tv, (tla.row_major(M, N), tla.row_major(A, B)), ()),
    (tla.max_common_layout, (tla.row_major(M, N), tla.row_major(M, N)), ()),
    (tla.max_common_layout, (tla.row_major(M, N), Layout((M, N))), ("M > 1", "N > 1")),
    (tla.max_common_layout, (Layout((4, THREES), (THREES, 1)), Layout(THREES * 2)), ("T % 2 == 0",)),
    (tla.max_alignment, (tla.row_major(M, N),), ("M > 1", "N > 1")),
    # exact tiles
    (exactly, (tla.row_major(M, N), (K, N)), ("M % K == 0",)),
    (exactly, (Layout(A * 6), (A * A,)), ("6 % A == 0",)),
    (exactly, (ZN, (48, _)), ("((M + 15) // 16) % 3 == 0",)),
    (exactly, (Layout(M), (Layout(4, 2),)), ("M % 8 == 0",)),
    (tla.make_layout_tile, (Layout(((16, M * K), (16, 4))), (K, 16)), ("K % 16 == 0",)),
    (tla.make_layout_tile, (Layout(64), K), ("64 % K == 0",)),
    (tla.tile_to_shape, (Layout((16, 16)), (M, N)), ("M % 16 == 0", "N % 16 == 0")),
    # casts
    (tla.upcast, (Layout((A, 2), (4, 24 * B)), 3), ("A == 1",)),
    (tla.upcast, (Layout((M, N)), K), ("M % K == 0",)),
    (tla.recast_layout, (Layout((A, 6), (3, 1)), 16, 32), ("A == 1",)),
    # int tuples
    (tla.shape_div, (M, N), ("M % N == 0",)),
    (tla.shape_div, (M, 16), ("M % 16 == 0",)),
    (tla.evenly_divides, (M, N), ("M % N == 0",)),
    (tla.compatible, ((M, 4), (N, 4)), ("M == N",)),
    (tla.elem_less, ((M, 4), (N, 5)), ("M < N",)),
    # facts
    (tla.is_injective, (Layout((M, N), (K, 1)),), ("K >= N",)),
    (tla.is_bijective, (Layout((M, N), (K, 1)),), ("K == N",)),
    (tla.same_function, (Layout((M, N)), Layout((M, N), (1, K))), ("M == K",)),
    (tla.same_function, (Layout((M, 3), (3, 1)), Layout(A)), ("M > 1", "3 * M == A")),
    (tla.domain_distribute, ((M, N), 6), ("M % 6 == 0",)),
    (tla.nullspace, (Layout((M, 3), (1, Z)),), ("Z > 0",)),
    # origins and coordinates
    (Layout, ((M, 64), (64, 1), (N, 64)), ("M >= N",)),
    (tla.get_tile_layout, (tla.row_major(M, N), (16, 16), (Z - 1, 0)), ("Z >= 1",)),
    (trimmed, (Layout(((16, 8), 16), ((16, 256), 1), (sym("M", max=128), 16)),), ()),
    (trimmed, (Layout(((M, N), 16), ((16, 256), 1), (tla.min_(M, N), 16)),), ()),
]
NAMED = [f"{call.__name__}-{'-'.join(map(str, args))}" for call, args, _needs in CASES]  # ty: ignore[missing-attribute]


def asked(call: Any, args: tuple[Any, ...]) -> tuple[list[Condition], Any]:
    """What a call asks for in turn, each assumed as it is said, and what it then gives."""
    needs: list[Condition] = []
    while True:
        try:
            with assume(*needs):
                return needs, call(*args)
        except UndecidedError as error:
            need, text = error.obligation, str(error)
        assert isinstance(need, Condition)
        assert str(need) in text
        assert need not in needs
        needs.append(need)


def bound(x: Any, values: Mapping[str, int]) -> Any:
    if tla.is_layout(x):
        return x.bind(**values)
    if isinstance(x, tuple):
        return tuple(bound(i, values) for i in x)
    return evaluate(x, values) if isinstance(x, tla.SymbolicInt) else x  # type: ignore[arg-type]


def agree(found: Any, expected: Any) -> bool:
    """Whether results are the same as functions, on the coordinates that hold data."""
    if isinstance(expected, tuple):
        return all(agree(x, y) for x, y in zip(found, expected, strict=True))
    if not tla.is_layout(expected):
        return bool(found == expected)
    if expected.is_padded:
        data = tuples_of(*map(range, expected.origin_shape))
        return found.origin_shape == expected.origin_shape and all(found(c) == expected(c) for c in data)
    return tla.same_function(found, expected)


@pytest.mark.parametrize(("call", "args", "needs"), CASES, ids=NAMED)
def test_what_is_asked_of_unknowns(call: Any, args: Any, needs: tuple[str, ...]) -> None:
    found_needs, result = asked(call, args)
    assert tuple(map(str, found_needs)) == needs
    names = sorted({s.name for x in args for s in symbols_of(x)})
    hits = 0
    for numbers in tuples_of((0, 1, 2, 3, 4, 6, 16, 48), repeat=len(names)):
        values = dict(zip(names, numbers, strict=True))
        try:
            arguments = bound(args, values)
        except TlaError:  # out of the range of an unknown
            continue
        if all(need.holds(**values) for need in found_needs):
            hits += 1
            if hits % 7 in (1, 2, 4):
                assert agree(bound(result, values), call(*arguments)), values
    assert hits


def symbols_of(x: Any) -> tuple[Any, ...]:
    if isinstance(x, tuple):
        return tuple(s for i in x for s in symbols_of(i))
    return getattr(x, "symbols", ())


def test_what_no_value_of_an_unknown_gives() -> None:
    """An error is right for all values; where one of them would do it is asked for."""
    with pytest.raises(LayoutError, match="has no coordinate"):
        tla.complement(Layout((3, Z), (Z, 1)), 5, assume=3 * Z == 0)
    with pytest.raises(UndecidedError):
        tla.make_layout_tile(Layout(((FEW, 8 * FEW),), ((1, FEW),)), (8,))
    with pytest.raises(DivisibilityError):
        tla.make_layout_tile(Layout(((Z, 4),), ((1, Z),)), (8,), assume=Z == 0)
    with pytest.raises(DivisibilityError):
        tla.upcast(Layout((FEW, 2), (4, 24 * B)), 3)
    with pytest.raises(OverlapError):
        tla.complement(Layout((FEW, N), (1, 1)), 64, assume=N > 1)
    with pytest.raises(CoordinateError):
        tla.get_tile_layout(tla.row_major(M, N), (16, 16), (-M, 0))


def test_a_tile_of_sizes_that_share_a_divisor() -> None:
    needs, tile = asked(tla.make_layout_tile, (Layout(((FEW, 8 * FEW),), ((1, FEW),)), (8,)))
    assert str(needs[0]) == "8 % F == 0"
    for few in (2, 4):
        plain = tla.make_layout_tile(Layout(((few, 8 * few),), ((1, few),)), (8,))
        assert tla.same_function(tile.bind(F=few), plain)


@pytest.mark.parametrize(
    ("a", "b", "first"),
    [
        ((M, 6), (2, M * 3), "M % 2 == 0"),
        ((M,), (N,), "N % M == 0"),
        ((Z, 4), (4, Z), "Z % 4 == 0"),
    ],
)
def test_refinements(a: Any, b: Any, first: str) -> None:
    needs, found = asked(tla.mutual_refinement, (a, b))
    assert str(needs[0]) == first
    hits = 0
    for numbers in tuples_of((0, 1, 2, 4, 6, 8), repeat=3):
        values = dict(zip("MNZ", numbers, strict=True))
        if values["M"] and values["N"] and all(need.holds(**values) for need in needs):
            hits += 1
            plain = tuple(bound(x, values) for x in (a, b))
            left, right = bound(found, values)
            assert tla.compatible(plain[0], left)
            assert tla.compatible(plain[1], right)
            short, long = sorted((tla.flatten_to_tuple(left), tla.flatten_to_tuple(right)), key=len)
            assert long[: len(short)] == short
    assert hits


def test_operations_go_by_their_public_names() -> None:
    for call, args in [
        (tla.upcast, (Layout((M, N)), K)),
        (tla.max_alignment, (Layout((M, N), (1, K)),)),
        (tla.nullspace, (Layout((M, N), (1, Z)),)),
        (tla.domain_distribute, ((M, N), 6)),
    ]:
        with pytest.raises(UndecidedError, match=r"^[a-z]"):
            call(*args)  # type: ignore[operator]  # ty: ignore[invalid-argument-type, missing-argument, too-many-positional-arguments]


def test_strides_that_are_not_ordered() -> None:
    ask = Questions(lambda: "it")
    assert by_stride([(M, N), (N, 1)], ask) == [(N, 1), (M, N)]
    with pytest.raises(UndecidedError, match=r"^it needs M >= N\n"):
        by_stride([(4, N), (2, M)], ask)
