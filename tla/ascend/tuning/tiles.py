"""Every legal tile of a product, ranked by how long it takes.

>>> found = search("910B3", (1024, 576, 6144), "half", "RowMajor,ColumnMajor", top=3)
>>> found.legal > found.ranked > 10_000
True
>>> print(found.best.l1, found.best.l0)
GemmShape<208,144,256> GemmShape<208,144,64>

The space has all tiles whose m and n are multiples of a step, and whose k in L1 and in L0 are multiples
of C0, that `fits` lets pass. What is left out of it, and why nothing is lost:

- a tile that reaches beyond the problem: blocks are cut at the edge, so it does the same as the smallest
  one of whole fractals that covers the problem, in more of the buffers;
- extents of which one stage without padding is already more than a buffer: every policy needs that
  much, and a larger extent needs more, so the loop over it ends there;
- for m, n and k of L1, all k of L0 but one: time falls with the number of steps from L1 to L0 alone, so
  the largest that fits is as fast as any. Of those with as few steps the smallest that is even is
  named. `Ranking.legal` counts all.

Ranks are of closed forms; the best tiles are then estimated again by walking through their schedules,
which know better what is in L2. See `pipes` for the model, and what it does not know.
"""

from __future__ import annotations

from bisect import bisect_right
from heapq import nsmallest
from math import lcm
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from ...errors import LayoutError, UnsupportedError
from ..plans.asserts import failed
from ..plans.footprint import fits, footprints
from ..plans.plan import gemm
from ..shapes import GemmShape
from .cost import model

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from concurrent.futures import Executor

    from ..arch import Arch
    from ..plans.footprint import Footprint
    from ..plans.plan import ElementsLike, Plan
    from ..plans.policies import Family, Policy
    from ..schedules import Swizzle
    from ..shapes import ShapeLike
    from .estimates import Estimate
    from .pipes import Model

__all__ = ["Ranking", "search", "tiles"]

_CHUNK: Final = 16
"""How many pairs of m and n are one piece of work."""

_WALK: Final = 20_000
"""The most tasks of a schedule that is walked through."""

_UNIT: Final = 16
"""The rows of a fractal, of which m and n are multiples."""


class Ranking(NamedTuple):
    """The best tiles of a product."""

    tiles: tuple[Estimate, ...]
    """The best first; of equals the one with fewer instructions, then the smaller."""
    plan: Plan
    """The product, with the tile that CATLASS's examples have, and the first of the swizzles."""
    legal: int
    """How many tiles are legal."""
    ranked: int
    """How many are ranked: of those that differ in k of L0 alone one."""
    default: Estimate | None
    """Of the tile that CATLASS's examples have, where it fits."""

    @property
    def best(self) -> Estimate:
        return self.tiles[0]

    def plan_of(self, estimate: Estimate) -> Plan:
        """The plan of the product with a tile of the ranking."""
        return self.plan._replace(l1=estimate.l1, l0=estimate.l0, swizzle=estimate.swizzle)


def search(
    arch: str | Arch,
    problem: ShapeLike,
    elements: ElementsLike = "half",
    tags: str | Sequence[str] = "RowMajor",
    policy: str | Policy | Family | None = None,
    *,
    cores: int | None = None,
    ld: Sequence[int | None] | None = None,
    top: int = 10,
    step: int = 16,
    swizzles: Sequence[str | Swizzle] | None = None,
    executor: Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Ranking:
    """Return the ``top`` fastest legal tiles of a product, by the model of `pipes`.

    The result does not depend on the executor.

    Args:
        elements, tags, policy, cores, ld: As `gemm` takes them.
        top: How many tiles are returned, if there are so many.
        step: What m and n are multiples of, itself a multiple of 16.
        swizzles: The orders to try; the one that `gemm` takes, where nothing is said.
        executor: What runs pieces of the work, threads or processes; else this thread does.
        progress: Called with how much is done, and of how much, in pairs of m and n.

    Raises:
        LayoutError: ``top`` is below 1, ``step`` is no multiple of 16, an extent is zero.
        UnsupportedError: no tile at all is legal, and the text says by which rule; or `gemm` or `model`
        raise it.
    """
    if top < 1:
        raise LayoutError(f"top is {top}: at least one tile is ranked", top=top)
    plans = [
        gemm(arch, problem, elements, tags, policy=policy, swizzle=s, cores=cores, ld=ld)
        for s in swizzles or (None,)
    ]
    models = list({plan.swizzle: model(plan) for plan in plans}.values())
    pairs = list(_pairs(models[0], step))
    pieces = [(m, pairs[i : i + _CHUNK], 2 * top) for m in models for i in range(0, len(pairs), _CHUNK)]
    legal = ranked = done = 0
    best: list[Estimate] = []
    for size, (piece_legal, piece_ranked, found) in _run(executor, pieces):
        legal, ranked, done = legal + piece_legal, ranked + piece_ranked, done + size
        best = nsmallest(2 * top, best + found, key=_key)
        if progress is not None:
            progress(done, len(pairs) * len(models))
    if not best:
        raise _nothing_fits(models[0], step)
    refined = [_refined(models, estimate) for estimate in best]
    first, each = plans[0], len(models)
    own = (first.l1, first.l0)
    fit = own[0].m == own[1].m and _fits(models[0], *first.l1, first.l0.k)
    return Ranking(
        tuple(sorted(refined, key=_key)[:top]),
        first,
        legal // each,
        ranked // each,
        _refined(models, models[0].estimate(*own)) if fit else None,
    )


def tiles(plan: Plan, step: int = 16) -> Iterator[tuple[GemmShape, GemmShape]]:
    """Yield the tiles in L1 and in L0 that `search` ranks, in the order of m, n and k.

    >>> for l1, l0 in tiles(gemm("AtlasA2", (16, 16, 40))):
    ...     print(l1, l0)
    GemmShape<16,16,16> GemmShape<16,16,16>
    GemmShape<16,16,32> GemmShape<16,16,32>
    GemmShape<16,16,48> GemmShape<16,16,48>
    """
    found = model(plan)
    for m, n in _pairs(found, step):
        for l1, l0, _ in _of_pair(found, m, n):
            yield l1, l0


# --- the space ---


def _pairs(found: Model, step: int) -> Iterator[tuple[int, int]]:
    """The m and n of which L0C has room for one block."""
    if step < 1 or step % _UNIT:
        raise LayoutError(f"step is {step}: m and n are multiples of {_UNIT}", step=step)
    arch, c = found.arch, found.arch.accumulator(found.a, found.b)
    most = arch.l0c // found.policy.facts.l0c // c.sizeof
    rows, columns = (lcm(step, max(_UNIT, element.c0)) for element in (found.a, found.b))
    for m in range(step, min(_cover(found.problem.m, rows), most // step) + 1, step):
        for n in range(step, min(_cover(found.problem.n, columns), most // m) + 1, step):
            yield m, n


def _of_pair(found: Model, m: int, n: int) -> Iterator[tuple[GemmShape, GemmShape, int]]:
    """The tiles of an m and n, each with the number of k of L0 that it stands for.

    What L0 holds does not depend on k of L1, nor the other way round, so each is asked once.
    """
    parts = list(_parts(found, m, n))
    if not parts:
        return
    arch, stages, a, b = found.arch, found.policy.facts, found.a, found.b
    unit, depth = max(a.c0, b.c0), found.problem.k
    most = arch.l1 * 8 // (m * a.bits * stages.l1a + n * b.bits * stages.l1b)
    for k1 in range(parts[0], min(_cover(depth, max(unit, _UNIT)), most) + 1, unit):
        within = bisect_right(parts, k1)
        if _fits(found, m, n, k1, parts[within - 1]):
            k0 = _even(parts[:within], k1, depth)
            yield GemmShape(m, n, k1), GemmShape(m, n, k0), within


def _parts(found: Model, m: int, n: int) -> Iterator[int]:
    """The k of L0 that fit beside some k of L1."""
    arch, stages, a, b = found.arch, found.policy.facts, found.a, found.b
    unit = max(a.c0, b.c0)
    most = min(arch.l0a * 8 // (m * a.bits * stages.l0a), arch.l0b * 8 // (n * b.bits * stages.l0b))
    for k0 in range(unit, min(_cover(found.problem.k, max(unit, _UNIT)), most) + 1, unit):
        # A k1 of whole fractals takes no more than a longer one that fits; k0 alone is shorter.
        if _fits(found, m, n, _cover(k0, max(unit, _UNIT)), k0) or _fits(found, m, n, k0, k0):
            yield k0


def _even(parts: list[int], k1: int, depth: int) -> int:
    """Of the k of L0 with as few steps as the largest has, the smallest."""
    whole, rest = divmod(depth, k1)

    def steps(k0: int) -> int:
        return whole * -(-k1 // k0) + -(-rest // k0)

    least = steps(parts[-1])
    return next(k0 for k0 in parts if steps(k0) == least)


def _fits(found: Model, m: int, n: int, k1: int, k0: int) -> bool:
    l1, l0 = GemmShape(m, n, k1), GemmShape(m, n, k0)
    tile = found.arch, found.a, found.b, l1, l0, found.policy
    return fits(*tile, tags=found.tags, k=found.problem.k)


def _cover(extent: int, unit: int) -> int:
    """The smallest multiple of a unit that is not below an extent."""
    return -(-extent // unit) * unit


def _nothing_fits(found: Model, step: int) -> UnsupportedError:
    unit = max(_UNIT, found.a.c0, found.b.c0)
    l1 = l0 = GemmShape(lcm(step, unit), lcm(step, unit), unit)
    rules = list(failed(found.arch, found.a, found.b, l1, l0, found.policy))
    if not rules:
        parts = footprints(found.arch, found.a, found.b, l1, l0, found.policy, tags=found.tags)
        rules = [_fault(part) for part in parts if not part.sound]
    why = f"The smallest, {l1}, is excluded: {' '.join(rules)}"
    return UnsupportedError(
        f"no tile of {found.a} by {found.b} is legal on {found.arch} with {found.policy}",
        why,
        rules=tuple(rules),
        tile=l1,
    )


def _fault(part: Footprint) -> str:
    if part.margin < 0:
        return f"{part.buffer} has {part.capacity} bytes, and it takes {part.needed}."
    one, other = part.overlaps[0]
    return f"In {part.buffer} {one} and {other} overlap."


# --- the work ---


def _key(estimate: Estimate) -> tuple[object, ...]:
    swizzle = str(estimate.swizzle)
    return (estimate.seconds, estimate.instructions, estimate.l1, estimate.l0, swizzle)


_Piece: TypeAlias = "tuple[Model, list[tuple[int, int]], int]"
_Found: TypeAlias = "tuple[int, int, list[Estimate]]"


def _rank(piece: _Piece) -> _Found:
    """Rank the tiles of some pairs: how many are legal, how many ranked, the best of them."""
    found, pairs, keep = piece
    legal = ranked = 0
    best: list[Estimate] = []
    for m, n in pairs:
        loads = None
        estimates: list[Estimate] = []
        for l1, l0, stands_for in _of_pair(found, m, n):
            if found.order is not None and (loads is None or found.swizzle.splits):
                loads = found.loads(l1)
            estimates.append(found.estimate(l1, l0, loads))
            legal += stands_for
        ranked += len(estimates)
        best = nsmallest(keep, best + estimates, key=_key)
    return legal, ranked, best


def _run(executor: Executor | None, pieces: list[_Piece]) -> Iterator[tuple[int, _Found]]:
    if executor is None:
        for piece in pieces:
            yield len(piece[1]), _rank(piece)
        return
    from concurrent.futures import as_completed  # only who has an executor needs it

    futures = {executor.submit(_rank, piece): len(piece[1]) for piece in pieces}
    try:
        for future in as_completed(futures):
            yield futures[future], future.result()
    finally:  # what is left after an error, or an interruption, is not begun
        for future in futures:
            future.cancel()


def _refined(models: list[Model], estimate: Estimate) -> Estimate:
    found = next(m for m in models if m.swizzle == estimate.swizzle)
    if found.order is None or found.swizzle.splits or estimate.blocks > _WALK:
        return estimate
    return found.walked(estimate.l1, estimate.l0)
