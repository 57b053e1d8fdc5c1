# SPDX-License-Identifier: Apache-2.0
"""Every legal tile of a product, in the order of their times.

>>> ranking = search("910B3", (1024, 576, 6144), "half", "RowMajor,ColumnMajor", top=3)
>>> ranking.legal > ranking.ranked > 10_000
True
>>> print(ranking.best.l1, ranking.best.l0)
GemmShape<208,144,256> GemmShape<208,144,64>

The space has all tiles whose m and n are multiples of a step, and whose k in L1 and in L0 are multiples
of C0. `fits` must accept a tile, and it must start between fractals of global memory. A transposed A
must fill whole squares of fractals in L0A. The search leaves out these tiles, and loses nothing:

- A tile that reaches past the problem. Blocks are cut at the edge. So it does the same as the smallest
  tile of whole fractals that covers the problem, but needs more of the buffers.
- An extent with which one stage without padding exceeds a buffer. Every policy needs that room, and a
  larger extent needs more, so the loop over the extent ends there.
- For m, n and k of L1, all k of L0 but one. The time depends only on the number of steps from L1 to L0,
  so the largest k that fits is as fast as any. The ranking has the smallest k with as few steps.
  `Ranking.legal` counts all of them.

A tile's time is its `estimate`. So a rank depends neither on `top` nor on the other tiles. `pipes`
states the model and its limits.
"""

from __future__ import annotations

from bisect import bisect_right
from heapq import nsmallest
from math import lcm
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias, cast

from ...errors import LayoutError, UnsupportedError
from ...ground import run_pieces
from ..arch import FRACTAL_ROWS
from ..buffers import l1_tag
from ..plans import Tile, fits, gemm, grouped
from ..shapes import GemmShape, gemm_shape, rounded_up
from .cost import model

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from concurrent.futures import Executor

    from ..arch import Arch
    from ..plans import ElementsLike, Family, Plan, Policy
    from ..schedules import BlockSwizzle
    from ..shapes import ShapeLike
    from .estimates import Estimate
    from .pipes import Model

_CHUNK: Final = 16
"""The number of pairs of m and n in one piece of work."""


class Query(NamedTuple):
    """The place of one tile among those that `search` ranks."""

    plan: Plan
    """The product with this tile."""
    estimate: Estimate | None
    """Its estimate with the fastest of the swizzles; None if the tile is not legal."""
    rank: int | None
    """One more than the number of faster tiles."""
    among: int
    """The number of ranked tiles, for all swizzles together."""
    reasons: tuple[str, ...]
    """Why the tile is not legal; empty if it is."""


class Ranking(NamedTuple):
    """The best tiles of a product.

    >>> from tla.ascend import search
    >>> ranking = search("910B3", (512, 512, 512), "half", top=2, step=128)
    >>> len(ranking.tiles), ranking.legal, str(ranking.best.l1)
    (2, 384, 'GemmShape<128,128,256>')
    """

    tiles: tuple[Estimate, ...]
    """The fastest first; among equals fewer instructions, then the smaller tile."""
    plan: Plan
    """The product, with the tile of CATLASS's examples and the first of the swizzles."""
    legal: int
    """The number of legal tiles."""
    ranked: int
    """The number of ranked tiles: one of those that differ only in k of L0."""
    default: Estimate | None
    """The estimate of the tile of CATLASS's examples; None if it does not fit."""
    asked: Query | None = None
    """The place of the argument `tile` of `search`."""

    @property
    def best(self) -> Estimate:
        return self.tiles[0]

    def plan_of(self, estimate: Estimate) -> Plan:
        """The plan of the product with the tile and swizzle of an estimate."""
        return self.plan._replace(l1=estimate.l1, l0=estimate.l0, swizzle=estimate.swizzle)


def search(
    arch: str | Arch,
    problem: ShapeLike | None,
    elements: ElementsLike = "half",
    tags: str | Sequence[str] = "RowMajor",
    policy: str | Policy | Family | None = None,
    *,
    cores: int | None = None,
    ld: Sequence[int | None] | None = None,
    top: int = 10,
    step: int = 16,
    swizzles: str | Sequence[str | BlockSwizzle] | None = None,
    tile: str | Sequence[int] | None = None,
    groups: Sequence[int] | Sequence[ShapeLike] | None = None,
    axis: Literal["m", "k"] = "m",
    executor: Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Ranking:
    """Return the ``top`` fastest legal tiles of a product, by the model of `pipes`.

    >>> ranking = search("910B3", (512, 512, 512), "half", top=2, step=128)
    >>> for tile in ranking.tiles:
    ...     print(tile.l1, tile.l0, tile.blocks)
    GemmShape<128,128,256> GemmShape<128,128,128> 16
    GemmShape<128,128,384> GemmShape<128,128,128> 16
    >>> ranking.legal
    384

    Groups go through one schedule, so a tile is good if it cuts few of them:

    >>> found = search("910B3", (1024, 512, 512), top=1, step=64, groups=[64, 300, 660])
    >>> str(found.best.l1), found.best.blocks
    ('GemmShape<128,256,128>', 20)

    The result does not depend on the executor.

    Args:
        elements, tags, policy, cores, ld: The same as for `gemm`.
        top: The greatest number of tiles in the result.
        step: The unit of m and n, a multiple of 16.
        swizzles: The swizzle, or the swizzles, to try; by default that of `gemm`.
        tile: A tile to compare: m, n and k in L1, and k in L0; by default the best k in L0.
        groups, axis: The groups of several products, the same as for `grouped`; ``problem`` bounds them,
            or is None with a list of products. A batch is a list of equal ones.
        executor: The threads or processes for pieces of the work; by default this thread.
        progress: A function that gets the number of finished pairs of m and n, and of all pairs.

    Raises:
        LayoutError: ``top`` is below 1, ``step`` is no multiple of 16, an extent is zero, or ``tile`` is
            neither three nor four extents.
        UnsupportedError: no tile is legal, and the text names the broken rule of `Plan.check`; or `gemm`
            or `model` raises it.
    """
    if top < 1:
        raise LayoutError(f"top is {top}: at least one tile is ranked", top=top)
    given: dict[str, Any] = {"policy": policy, "cores": cores, "ld": ld}
    plans = [
        gemm(arch, cast("ShapeLike", problem), elements, tags, swizzle=s, **given)
        if groups is None
        else grouped(arch, problem, groups, elements, tags, swizzle=s, axis=axis, **given)
        for s in ([swizzles] if isinstance(swizzles, str) else swizzles or (None,))
    ]
    models = list({plan.swizzle: model(plan) for plan in plans}.values())
    pairs = list(_pairs(models[0], step))
    _check_rules(plans[0], models[0], pairs, step)
    query = None if tile is None else _query(plans[0], models, tile)
    than = query and query.estimate and _key(query.estimate)
    pieces = [
        (m, pairs[i : i + _CHUNK], top, than) for m in models for i in range(0, len(pairs), _CHUNK)
    ]
    legal = ranked = faster = finished = 0
    best: list[Estimate] = []
    for size, piece_legal, piece_ranked, piece_faster, fastest in run_pieces(executor, _rank, pieces):
        legal, ranked, finished = legal + piece_legal, ranked + piece_ranked, finished + size
        faster += piece_faster
        best = nsmallest(top, best + fastest, key=_key)
        if progress is not None:
            progress(finished, len(pairs) * len(models))
    first, each = plans[0], len(models)
    own = (first.l1, first.l0)
    fit = own[0].m == own[1].m and _fits(models[0], *first.l1, first.l0.k)
    return Ranking(
        tuple(best),
        first,
        legal // each,
        ranked // each,
        models[0].estimate(*own) if fit else None,
        query and query._replace(rank=faster + 1 if than else None, among=ranked),
    )


def tiles(plan: Plan, step: int = 16) -> Iterator[tuple[GemmShape, GemmShape]]:
    """Yield the tiles in L1 and in L0 that `search` ranks, in the order of m, n and k.

    >>> for l1, l0 in tiles(gemm("AtlasA2", (16, 16, 40))):
    ...     print(l1, l0)
    GemmShape<16,16,16> GemmShape<16,16,16>
    GemmShape<16,16,32> GemmShape<16,16,32>
    GemmShape<16,16,48> GemmShape<16,16,48>
    """
    product = model(plan)
    for m, n in _pairs(product, step):
        for l1, l0, _ in _of_pair(product, m, n):
            yield l1, l0


# --- the space ---


def _pairs(product: Model, step: int) -> Iterator[tuple[int, int]]:
    """The pairs of m and n for which L0C has room for one block."""
    if step < 1 or step % FRACTAL_ROWS:
        raise LayoutError(f"step is {step}: it must be {FRACTAL_ROWS} or a multiple of it", step=step)
    arch, c = product.arch, product.arch.accumulator(product.a, product.b)
    most = arch.l0c // product.policy.facts.l0c // c.sizeof
    rows, columns = (lcm(step, max(FRACTAL_ROWS, element.c0)) for element in (product.a, product.b))
    for m in range(step, min(rounded_up(product.problem.m, rows), most // step) + 1, step):
        for n in range(step, min(rounded_up(product.problem.n, columns), most // m) + 1, step):
            yield m, n


def _of_pair(product: Model, m: int, n: int) -> Iterator[tuple[GemmShape, GemmShape, int]]:
    """The tiles of an m and n, each with the number of its legal k of L0.

    The room in L0 does not depend on k of L1, and the room in L1 not on k of L0. So each is tested once.
    """
    parts = list(_parts(product, m, n))
    if not parts:
        return
    arch, stages, a, b = product.arch, product.policy.facts, product.a, product.b
    unit, depth = max(a.c0, b.c0), product.problem.k
    most = arch.l1 * 8 // (m * a.bits * stages.l1a + n * b.bits * stages.l1b)
    for k1 in range(parts[0], min(rounded_up(depth, max(unit, FRACTAL_ROWS)), most) + 1, unit):
        within = bisect_right(parts, k1)
        if _fits(product, m, n, k1, parts[within - 1]):
            k0 = _even(parts[:within], k1, depth)
            yield GemmShape(m, n, k1), GemmShape(m, n, k0), within


def _parts(product: Model, m: int, n: int) -> Iterator[int]:
    """The k of L0 that fit together with some k of L1."""
    arch, stages, a, b = product.arch, product.policy.facts, product.a, product.b
    unit = max(a.c0, b.c0)
    most = min(arch.l0a * 8 // (m * a.bits * stages.l0a), arch.l0b * 8 // (n * b.bits * stages.l0b))
    for k0 in range(unit, min(rounded_up(product.problem.k, max(unit, FRACTAL_ROWS)), most) + 1, unit):
        # A k1 of whole fractals needs no more room than a longer one that fits; k0 alone is shorter.
        if _fits(product, m, n, rounded_up(k0, max(unit, FRACTAL_ROWS)), k0) or _fits(
            product, m, n, k0, k0
        ):
            yield k0


def _even(parts: list[int], k1: int, depth: int) -> int:
    """The smallest k of L0 that has as few steps as the largest."""
    whole, rest = divmod(depth, k1)

    def steps(k0: int) -> int:
        return whole * -(-k1 // k0) + -(-rest // k0)

    least = steps(parts[-1])
    return next(k0 for k0 in parts if steps(k0) == least)


def _fits(product: Model, m: int, n: int, k1: int, k0: int) -> bool:
    l1, l0 = GemmShape(m, n, k1), GemmShape(m, n, k0)
    if not _between_fractals(product, l1) or not _in_whole_rows(product, l0):
        return False
    tags, k = product.tags, product.problem.k
    return fits(Tile(product.arch, product.a, product.b, l1, l0, product.policy, tags=tags, k=k))


def _in_whole_rows(product: Model, l0: GemmShape) -> bool:
    """Whether the copy of A to L0A fills whole rows of fractals; a transposing copy writes squares."""
    if product.arch.l0a_tag != "zZ" or l1_tag(product.tags[0]) == "zN" or l0.m <= FRACTAL_ROWS:
        return True
    return l0.k % max(FRACTAL_ROWS, product.a.c0) == 0


def _between_fractals(product: Model, l1: GemmShape) -> bool:
    """Whether all tiles start at fractals of global memory."""
    (m, n, k), (rows, columns, depth) = l1, product.problem
    m_next, n_next, k_next = (m, rows), (n, columns), (k, depth)
    for tag, element, across, along in (
        (product.tags[0], product.a, m_next, k_next),
        (product.tags[1], product.b, k_next, n_next),
        (product.tags[2], product.c, m_next, n_next),
    ):
        units = {"zN": (FRACTAL_ROWS, element.c0), "nZ": (element.c0, FRACTAL_ROWS)}.get(tag, (1, 1))
        for (step, extent), unit in zip((across, along), units, strict=True):
            if step < extent and step % unit:
                return False
    return True


def _check_rules(plan: Plan, product: Model, pairs: list[tuple[int, int]], step: int) -> None:
    """Raise UnsupportedError if no tile fits, or if every tile breaks another rule.

    It tests small and large tiles: the first and the last k of the first m and n, and of the last.
    """
    none: list[tuple[GemmShape, GemmShape, int]] = []
    small = next(filter(None, ([*_of_pair(product, m, n)] for m, n in pairs)), none)
    large = next(filter(None, ([*_of_pair(product, m, n)] for m, n in reversed(pairs))), none)
    unit = max(FRACTAL_ROWS, plan.a.c0, plan.b.c0)
    least = GemmShape(lcm(step, unit), lcm(step, unit), unit)
    l1, l0 = small[0][:2] if small else (least, least)
    rules = _broken_rules(plan.replaced(l1=l1, l0=l0))
    for other_l1, other_l0, _ in (*small[-1:], *large[-1:]):
        if rules:
            also = _broken_rules(plan.replaced(l1=other_l1, l0=other_l0))
            rules = {rule: text for rule, text in rules.items() if rule in also}
    if rules or not small:
        raise UnsupportedError(
            f"no tile of {plan.a} by {plan.b} is legal on {plan.arch} with {plan.policy}",
            f"The smallest, {l1}, is excluded. {' '.join(_sentences(rules))}",
            rules=_sentences(rules),
            tile=l1,
        )


def _broken_rules(plan: Plan) -> dict[str, str]:
    """The rules that a plan breaks, each with the text of its first fault."""
    errors = reversed(plan.check().errors)  # so that the first of a rule remains
    return {error.rule: "; ".join((error.text, *error.catlass)) for error in errors}


def _sentences(rules: dict[str, str]) -> tuple[str, ...]:
    return tuple(f"{rule}: {text.rstrip('.')}." for rule, text in reversed(rules.items()))


# --- one tile ---


def _query(plan: Plan, models: list[Model], tile: str | Sequence[int]) -> Query:
    """The query of a tile, still without its rank."""
    l1, k0 = _extents(tile)
    if k0 is None:
        parts = [k for k in _parts(models[0], l1.m, l1.n) if k <= l1.k]
        k0 = _even(parts, l1.k, plan.problem.k) if parts else None
    own = plan.replaced(l1=l1, l0=None if k0 is None else GemmShape(l1.m, l1.n, k0))
    if k0 is None or not _fits(models[0], *l1, k0):
        return Query(own, None, None, 0, _sentences(_broken_rules(own)))
    best = min((product.estimate(own.l1, own.l0) for product in models), key=_key)
    return Query(own.replaced(swizzle=best.swizzle), best, None, 0, ())


def _extents(tile: str | Sequence[int]) -> tuple[GemmShape, int | None]:
    """The tile in L1, and the k of L0 or None."""
    parts: Any = tile.split(",") if isinstance(tile, str) else [*tile]
    joined: Any = ",".join if isinstance(tile, str) else tuple
    if len(parts) != 4:
        return gemm_shape(joined(parts), "tile in L1"), None
    l1 = gemm_shape(joined(parts[:3]), "tile in L1")
    return l1, gemm_shape(joined([*parts[:2], parts[3]]), "tile in L0").k


# --- the work ---


def _key(estimate: Estimate) -> _Key:
    swizzle = str(estimate.swizzle)
    return (estimate.seconds, estimate.instructions, estimate.l1, estimate.l0, swizzle)


_Key: TypeAlias = "tuple[float, int, GemmShape, GemmShape, str]"
_Piece: TypeAlias = "tuple[Model, list[tuple[int, int]], int, _Key | None]"
_Result: TypeAlias = "tuple[int, int, int, int, list[Estimate]]"


def _rank(piece: _Piece) -> _Result:
    """Rank the tiles of some pairs: how many pairs, legal, ranked and faster tiles; and the best."""
    product, pairs, keep, than = piece
    legal = ranked = faster = 0
    best: list[Estimate] = []
    for m, n in pairs:
        work = None
        estimates: list[Estimate] = []
        for l1, l0, k0_count in _of_pair(product, m, n):
            if work is None or product.swizzle.splits:  # k of L1 changes the work only if k is cut
                work = product.work(l1)
            estimates.append(product.estimate(l1, l0, work))
            legal += k0_count
        ranked += len(estimates)
        faster += 0 if than is None else sum(_key(estimate) < than for estimate in estimates)
        best = nsmallest(keep, best + estimates, key=_key)
    return len(pairs), legal, ranked, faster, best
