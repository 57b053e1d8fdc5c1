# SPDX-License-Identifier: Apache-2.0
"""Work in pieces, by an executor or in this thread, and the file of results that outlives a run.

>>> list(run_pieces(None, abs, [-1, 2]))
[1, 2]
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeVar

from ..errors import ParseError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from concurrent.futures import Executor
    from pathlib import Path

_In = TypeVar("_In")
_Out = TypeVar("_Out")


def run_pieces(
    executor: Executor | None, call: Callable[[_In], _Out], pieces: Sequence[_In]
) -> Iterator[_Out]:
    """Yield the results of a call on each piece as they come, by an executor or in this thread."""
    if executor is None:
        yield from map(call, pieces)
        return
    from concurrent.futures import as_completed  # only work with an executor needs it

    futures = [executor.submit(call, piece) for piece in pieces]
    try:
        for future in as_completed(futures):
            yield future.result()
    finally:  # no further piece begins after an error or an interruption
        for future in futures:
            future.cancel()


def read_results(path: Path, decode: Callable[[dict[str, Any]], _Out | None]) -> Iterator[_Out]:
    """Yield the results in a file of JSON lines; cut off a last line that was not written to its end.

    Args:
        decode: It gives the result of a line, None for a line that does not count.

    Raises:
        ParseError: a line is no result.
    """
    text = path.read_text("utf-8") if path.exists() else ""
    whole = text[: text.rfind("\n") + 1]
    if whole != text:
        path.write_text(whole, "utf-8")
    at = 0
    for number, line in enumerate(whole.splitlines(), 1):
        try:
            result = decode(json.loads(line))
        except (ValueError, LookupError, TypeError) as error:
            way = "It is not a file of results: name another, or delete the line."
            raise ParseError(
                f"line {number} of {path.name} is no result", whole, at, None, way
            ) from error
        if result is not None:
            yield result
        at += len(line) + 1
