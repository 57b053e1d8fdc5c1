"""Symbolic ints beside plain ones, in one run, on fresh objects. Prints tables, asserts nothing.

Run: python tests/benchmarks/compare_symbolic.py

The first table is the offset of a two-level tile at symbolic coordinates, built and simplified. The
second compares each operation on symbolic ints with itself on plain ints of the same layouts. The
library keeps no results; the parts of an expression that is alive are found again rather than made.
"Cold" calls have symbols of their own, so that nothing is found; "warm" calls share theirs, and a result
is kept alive. Layouts are built for each call alone, before the clock starts. Rounds are short and
interleaved, so that all suffer the same noise, and the medians compared.
"""

from __future__ import annotations

from itertools import count
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import tla
from tla import Layout
from tla.numbers import simplify, sym

if TYPE_CHECKING:
    from collections.abc import Callable

ROUNDS = 101
CALLS = 10
PLAIN_OFFSET: Any = (1024, 512, 3, 2, 5, 7)

_names = count()


class Row(NamedTuple):
    """An operation, and how its arguments are made of M, N and K."""

    what: str
    operation: Callable[..., Any]
    arguments: Callable[[Any, Any, Any], tuple[Any, ...]]


def plain_sizes() -> tuple[Any, ...]:
    return 1024, 512, 768


def own_sizes() -> tuple[Any, ...]:
    """M, N and K that nothing else is made of."""
    i = next(_names)
    return tuple(sym(f"{name}{i}", divisible_by=128) for name in "MNK")


def transposed(m: Any, n: Any, _k: Any) -> tuple[Any, ...]:
    return tla.row_major(m, n), Layout((n, m), (m, 1))


def thread_values(m: Any, n: Any, k: Any) -> tuple[Any, ...]:
    tile = tla.get(tla.zipped_divide(tla.row_major(m, k), (64, 32)), 0)
    return tile, Layout(((8, 16), (4, 4)), ((256, 1), (64, 16)))


ROWS = (
    Row("composition row major o transposed", tla.composition, transposed),
    Row(
        "composition column major o every other row",
        tla.composition,
        lambda m, n, _k: (Layout((m, n)), Layout((m // 2, n), (2, m))),
    ),
    Row(
        "composition zN o column major",
        tla.composition,
        lambda m, n, _k: (tla.zN(m, n), Layout((m, n))),
    ),
    Row("composition tile o thread-values", tla.composition, thread_values),
    Row(
        "composition by mode `(16:1, 32:2)`",
        tla.composition,
        lambda m, n, _k: (Layout((m, n), (n, 1)), (Layout(16), Layout(32, 2))),
    ),
    Row(
        "zipped_divide by ints `(128,64)`",
        tla.zipped_divide,
        lambda m, n, _k: (tla.row_major(m, n), (128, 64)),
    ),
    Row(
        "zipped_divide zN by ints `(32,16)`",
        tla.zipped_divide,
        lambda m, n, _k: (tla.zN(m, n), (32, 16)),
    ),
    Row(
        "logical_divide by a layout `4:2`",
        tla.logical_divide,
        lambda m, _n, _k: (Layout(m), Layout(4, 2)),
    ),
    Row(
        "logical_product `256:1` by `(M,N)`",
        tla.logical_product,
        lambda m, n, _k: (Layout(256), Layout((m, n))),
    ),
    Row(
        "blocked_product zN by `(M,N)`",
        tla.blocked_product,
        lambda m, n, _k: (tla.zN(16, 16), Layout((m, n))),
    ),
    Row(
        "tile_to_shape `(8,64):(64,1)`",
        tla.tile_to_shape,
        lambda m, n, _k: (Layout((8, 64), (64, 1)), (m, n)),
    ),
    Row("complement `128:1, N`", tla.complement, lambda _m, n, _k: (Layout(128), n)),
    Row(
        "complement of a padded column",
        tla.complement,
        lambda m, n, k: (Layout((128, 4), (1, m)), 8 * m),
    ),
    Row("coalesce zN", tla.coalesce, lambda m, n, _k: (tla.zN(m, n),)),
    Row("right_inverse row major", tla.right_inverse, lambda m, n, _k: (tla.row_major(m, n),)),
    Row("zN `M` by `N`", tla.zN, lambda m, n, _k: (m, n)),
    Row(
        "get_tile_layout zN `(128,256)`",
        tla.get_tile_layout,
        lambda m, n, _k: (tla.zN(m, n), (128, 256), (128, 0)),
    ),
)


def offset_parts(symbolic: bool = True) -> tuple[Any, Any]:
    """A matrix of blocks of 16 by 16, and the coordinate of an element of a tile of 128 by 64."""
    if symbolic:
        i = next(_names)
        m, n = sym(f"M{i}", divisible_by=16), sym(f"N{i}", divisible_by=16)
        bi, bj = sym(f"bi{i}", min=0), sym(f"bj{i}", min=0)
        ti, tj = sym(f"ti{i}", min=0, max=127), sym(f"tj{i}", min=0, max=63)
    else:
        m, n, bi, bj, ti, tj = PLAIN_OFFSET
    a = Layout(((16, m // 16), (16, n // 16)), ((16, 256), (1, 16 * m)))
    return a, (bi * 128 + ti, bj * 64 + tj)


def offset(a: Any, coord: Any) -> Any:
    return a.extended(*coord)


def simplified(a: Any, coord: Any) -> Any:
    return simplify(a.extended(*coord))


def timed(work: Callable[..., Any], calls: list[tuple[Any, ...]]) -> float:
    """Microseconds of a call."""
    start = perf_counter()
    for arguments in calls:
        work(*arguments)
    return (perf_counter() - start) / len(calls) * 1e6


def medians(rounds: list[dict[str, float]]) -> dict[str, float]:
    return {key: median(at[key] for at in rounds) for key in rounds[0]}


def offset_times() -> dict[str, float]:
    shared = offset_parts()
    alive = offset(*shared)
    plain = offset_parts(symbolic=False)

    def one_round() -> dict[str, float]:
        cold = [offset_parts() for _i in range(CALLS)]
        values = [(offset(*parts),) for parts in (offset_parts() for _i in range(CALLS))]
        return {
            "with plain ints": timed(offset, [plain] * CALLS),
            "build, cold": timed(offset, cold),
            "build, warm": timed(offset, [shared] * CALLS),
            "simplify what is built, cold": timed(simplify, values),
            "simplify what is built, warm": timed(simplify, [(alive,)] * CALLS),
            "build and simplify, cold": timed(simplified, [offset_parts() for _i in range(CALLS)]),
            "build and simplify, warm": timed(simplified, [shared] * CALLS),
            "symbols, layout and coordinates alone, cold": timed(offset_parts, [()] * CALLS),
        }

    return medians([one_round() for _i in range(ROUNDS)])


def times(row: Row) -> dict[str, float]:
    shared = own_sizes()
    alive = row.operation(*row.arguments(*shared))

    def one_round() -> dict[str, float]:
        sizes = {"plain": plain_sizes, "warm": lambda: shared, "cold": own_sizes}
        return {
            kind: timed(row.operation, [row.arguments(*size()) for _i in range(CALLS)])
            for kind, size in sizes.items()
        }

    found = medians([one_round() for _i in range(ROUNDS)])
    del alive
    return found


def main() -> None:
    print("| offset of a two-level tile | us |")
    print("| --- | --- |")
    for what, at in offset_times().items():
        print(f"| {what} | {at:.1f} |")
    print("\n| operation | plain, us | symbolic, of plain: cold | warm |")
    print("| --- | --- | --- | --- |")
    for row in ROWS:
        found = times(row)
        cold, warm = (f"{found[kind] / found['plain']:.1f}x" for kind in ("cold", "warm"))
        print(f"| {row.what} | {found['plain']:.2f} | {cold} | {warm} |")


if __name__ == "__main__":
    main()
