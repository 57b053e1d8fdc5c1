# SPDX-License-Identifier: Apache-2.0
"""The fastest tiles of many problems, on any executor, in a file of JSON lines that outlives a run."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

from ...errors import LayoutError, TlaError
from ...ground import read_results, run_pieces
from ..arch import arch as arch_named
from ..plans import gemm
from ..schedules import swizzle
from ..shapes import GemmCoord, GemmShape, gemm_shape
from .cost import model
from .estimates import Estimate
from .pipes import GM_BANDWIDTH, START
from .tiles import search

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from concurrent.futures import Executor

    from ..arch import Arch
    from ..plans import ElementsLike, Family, Policy
    from ..schedules import BlockSwizzle
    from ..shapes import ShapeLike


class Found(NamedTuple):
    """The fastest tiles of one problem of `search_many`.

    >>> from tla.ascend import search_many
    >>> (found,) = search_many("910B3", ["64,4096,128"], step=64)
    >>> str(found.best.l1), found.legal, found.reason
    ('GemmShape<64,256,48>', 194, '')
    """

    problem: GemmCoord
    tiles: tuple[Estimate, ...]
    """The fastest first; none if `reason` says why."""
    legal: int
    """The number of legal tiles."""
    reason: str = ""
    """Why no tile is legal."""

    @property
    def best(self) -> Estimate | None:
        return self.tiles[0] if self.tiles else None

    def line(self, settings: str) -> str:
        """Return the result as a line of JSON, with the digest of what it depends on."""
        tiles = [{**tile._asdict(), "swizzle": str(tile.swizzle)} for tile in self.tiles]
        return json.dumps({"settings": settings, **self._asdict(), "tiles": tiles})

    @classmethod
    def of_line(cls, facts: dict[str, Any]) -> Found:
        """Return the result that a line of JSON holds."""
        tiles: list[Estimate] = []
        for tile in facts["tiles"]:
            tuples = {name: tuple(tile[name]) for name in ("pipes", "efficiency")}
            shapes = {name: GemmShape(*tile[name]) for name in ("l1", "l0")}
            values: dict[str, Any] = {**tile, **tuples, **shapes, "swizzle": swizzle(tile["swizzle"])}
            tiles.append(Estimate(**values))
        return cls(GemmCoord(*facts["problem"]), tuple(tiles), facts["legal"], facts["reason"])


def search_many(
    arch: str | Arch,
    problems: Iterable[ShapeLike],
    elements: ElementsLike = "half",
    tags: str | Sequence[str] = "RowMajor",
    policy: str | Policy | Family | None = None,
    *,
    cores: int | None = None,
    top: int = 1,
    step: int = 16,
    swizzles: str | Sequence[str | BlockSwizzle] | None = None,
    executor: Executor | None = None,
    results: str | Path | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[Found]:
    """Return the fastest tiles of each of many problems, in their order, each as `search` finds them.

    >>> for found in search_many("910B3", ["512,512,512", (64, 4096, 128)], step=64):
    ...     print(found.problem, found.best.l1, found.legal)
    (512,512,512) GemmShape<64,256,128> 2256
    (64,4096,128) GemmShape<64,256,48> 194

    A problem without a legal tile has a reason in place of tiles. The result does not depend on the
    executor, nor on what the file of results had.

    Args:
        arch, elements, tags, policy, cores, top, step, swizzles: The same as for `search`.
        problems: The extents m, n and k of each.
        executor: The threads, processes or machines that each search one problem at a time, an
            ``Executor`` of ``concurrent.futures`` or another library; by default this thread.
        results: A file of JSON lines. Each result is added when it is there; a problem whose result with
            the same settings is in the file is not searched again.
        progress: A function that gets the number of finished problems, and of all.

    Raises:
        LayoutError: ``top`` or ``step`` is not as `search` takes it, or an extent is not positive.
        ParseError: a line of the file is no result; or a text is no problem.
        UnsupportedError: as `gemm` and the model raise it for the first problem.
    """
    asked = [GemmCoord(*gemm_shape(problem, "problem")) for problem in problems]
    if top < 1 or step < 16 or step % 16:
        raise LayoutError(
            f"top is {top} and step {step}: top is at least 1, step a multiple of 16", top=top, step=step
        )
    here = arch_named(arch)
    orders: Any = [swizzles] if isinstance(swizzles, str) or swizzles is None else list(swizzles)
    common = (here, elements, tags, policy, cores, top, step, orders)
    for order in orders if asked else ():
        model(gemm(here, asked[0], elements, tags, policy=policy, swizzle=order, cores=cores))
    settings = _digest(common)
    found: dict[GemmCoord, Found] = {}
    with ExitStack() as stack:
        file = None
        if results is not None:
            kept = read_results(
                Path(results),
                lambda facts: Found.of_line(facts) if facts["settings"] == settings else None,
            )
            found = {f.problem: f for f in kept}
            file = stack.enter_context(Path(results).open("a", encoding="utf-8"))
        times = Counter(asked)
        finished = sum(n for problem, n in times.items() if problem in found)
        # The longest first, so that the last ones are short and all processes end together.
        missing = sorted(times.keys() - found.keys(), key=lambda p: (-min(p.m * p.n, 1 << 16), -p.k, p))
        for each in run_pieces(executor, _found, [(p, *common) for p in missing]):
            found[each.problem] = each
            finished += times[each.problem]
            if file is not None:
                file.write(each.line(settings) + "\n")
                file.flush()
            if progress is not None:
                progress(finished, len(asked))
    return [found[problem] for problem in asked]


def _digest(common: tuple[Any, ...]) -> str:
    """The digest of all that a result depends on, with the figures of the chip and of the model."""
    return f"{crc32(repr((*common, START, GM_BANDWIDTH)).encode()):08x}"


def _found(piece: tuple[Any, ...]) -> Found:
    problem, arch, elements, tags, policy, cores, top, step, orders = piece
    try:
        ranking = search(
            arch, problem, elements, tags, policy, cores=cores, top=top, step=step, swizzles=orders
        )
    except TlaError as error:
        return Found(problem, (), 0, str(error))
    return Found(problem, ranking.tiles, ranking.legal)
