# SPDX-License-Identifier: Apache-2.0
"""Bytes moved by the boxes of a plan: in parts, by some threads, by the executor that is there.

One executor is numpy. The other is compiled, the distribution ``tla-layouts-fast``: where it is
installed it moves everything, large memory past the cache.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib import import_module
from math import prod
from typing import TYPE_CHECKING, Any, Final

from ..errors import KindError
from ..ground import described
from ..numbers import known_int, leaf
from .loops import Box
from .strided import Memory, move_box as numpy_box
from .tables import move_by_tables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from .plan import CopyPlan

_PART: Final = 1 << 26
"""The bytes that move between two calls of ``progress``."""
_LARGE: Final = 1 << 22
"""From how many bytes on a copy goes past the cache."""
_THREADED: Final = 1 << 23
"""From how many bytes on several threads move them."""
_MOST_THREADS: Final = 4
"""More threads than this wait for one memory."""
_PIECE: Final = 1 << 20
"""The least bytes that a thread moves at a time."""


def move(
    plan: CopyPlan,
    source: Memory,
    target: Memory,
    progress: Callable[[int, int], object] | None = None,
    threads: int | None = None,
) -> None:
    """Move the elements of a plan; both memories must hold all offsets that its layouts give.

    Args:
        progress: Called after each part, with the elements moved so far and all of them.
        threads: How many move large memory; None for those of this machine, 4 at most.
    """
    wanted = None if threads is None else known_int(leaf(threads))
    if wanted is not None and wanted < 1:
        raise KindError(f"threads is 1 or more, or None, not {described(threads)}", value=threads)
    done = 0
    if plan.boxes is None:
        counts = move_by_tables(plan, source, target)
    else:
        most = max(1, _PART // source.bytes) if progress else plan.size
        move_box = _executor(source, target, plan.size * source.bytes)
        counts = _by_loops(_parts(plan.boxes, most), move_box, source.bytes, wanted)
    for count in counts:
        done += count
        if progress:
            progress(done, plan.size)


def _by_loops(
    parts: Iterable[tuple[Box, ...]], move_box: Callable[[Box], None], width: int, threads: int | None
) -> Iterator[int]:
    """Move boxes part by part, and yield after each how many elements it had."""
    for boxes in parts:
        count = sum(map(_size, boxes))
        workers = _threads_for(count * width, threads)
        if workers == 1:
            for box in boxes:
                move_box(box)
        else:
            most = max(_PIECE // width, count // (4 * workers))
            with ThreadPoolExecutor(workers) as pool:
                for _moved in pool.map(
                    move_box, [piece for box in boxes for piece in _pieces(box, most)]
                ):
                    pass
        yield count


@cache
def compiled() -> Any:
    """Return the compiled executor, None where it is not installed."""
    try:
        return import_module("tla_layouts_fast")
    except ImportError:
        return None


def _executor(source: Memory, target: Memory, size: int) -> Callable[[Box], None]:
    """What moves a box between two memories."""
    fast = compiled()
    if fast is None:
        return lambda box: numpy_box(box, source, target)
    past_cache = 0 if size < _LARGE else 1 if target.is_new else 2  # nothing, transposed lines, all
    return lambda box: fast.move(
        source.at(box.source), target.at(box.target), source.bytes, box.loops, past_cache
    )


def _threads_for(size: int, wanted: int | None) -> int:
    """How many threads move so many bytes."""
    if wanted is None:
        there = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        wanted = min(there, _MOST_THREADS)
    return wanted if size >= _THREADED else 1


def _parts(boxes: Iterable[Box], most: int) -> Iterator[tuple[Box, ...]]:
    """Boxes in parts of some elements each, in their order; a large one is cut."""
    part: list[Box] = []
    count = 0
    for box in (piece for whole in boxes for piece in _pieces(whole, most)):
        part.append(box)
        count += _size(box)
        if count >= most:
            yield tuple(part)
            part, count = [], 0
    if part:
        yield tuple(part)


def _pieces(box: Box, most: int) -> Iterator[Box]:
    """A box cut along the loop that leaves the longest runs on both sides, until pieces are small."""
    size = _size(box)
    if size <= most:
        yield box
        return
    cut = max(box.loops, key=lambda loop: (loop.extent - 1) * min(abs(loop.source), abs(loop.target)))
    step = max(1, most * cut.extent // size)
    for start in range(0, cut.extent, step):
        part = cut._replace(extent=min(step, cut.extent - start))
        loops = [part if loop is cut else loop for loop in box.loops]
        first = box.source + start * cut.source, box.target + start * cut.target
        yield from _pieces(Box(*first, tuple([loop for loop in loops if loop.extent > 1])), most)


def _size(box: Box) -> int:
    return prod([loop.extent for loop in box.loops])
