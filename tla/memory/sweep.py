# SPDX-License-Identifier: Apache-2.0
"""The memory of many modules: one summary for each file, on any executor, the largest peak first."""

from __future__ import annotations

import json
from contextlib import ExitStack
from os import fspath, stat
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import TlaError, UnsupportedError
from ..ground import read_results, run_pieces
from ..hlo import read_module, read_proto
from ..xla_bridge import largest_piece
from .entry import alias_bytes, argument_bytes, is_tiled, output_bytes
from .live import live
from .scoped import scoped_vmem
from .waste import array_waste

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from concurrent.futures import Executor
    from os import PathLike

    from .live import Peak


class ModuleSummary(NamedTuple):
    """The memory of one module of `sweep`, in bytes.

    >>> ModuleSummary("a.hlo", reason="a.hlo is empty").peak_bytes
    0
    """

    path: str
    module: str = ""
    instructions: int = 0
    argument_bytes: int = 0
    output_bytes: int = 0
    alias_bytes: int = 0
    peaks: tuple[tuple[int, int], ...] = ()
    """The peak of each memory space, by its number."""
    compiler_peak_bytes: int | None = None
    """The ``peak_memory_in_bytes`` of the TPU compiler; None for a module of another compiler."""
    waste_bytes: int = 0
    """The padding in what is live at the peaks."""
    scoped_bytes: int = 0
    """The most scoped VMEM that an instruction uses."""
    reason: str = ""
    """Why the file was not read."""

    @property
    def peak_bytes(self) -> int:
        """The compiler's figure, or the largest peak of a memory space if there is none."""
        if self.compiler_peak_bytes is not None:
            return self.compiler_peak_bytes
        return max((size for _space, size in self.peaks), default=0)


def sweep(
    paths: Iterable[str | PathLike[str]],
    executor: Executor | None = None,
    *,
    results: str | Path | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[ModuleSummary]:
    """Return the memory of many modules, the largest peak first; files that are no module come last.

    >>> from tempfile import TemporaryDirectory
    >>> text = "ENTRY e { a = f32[SIZE]{0} parameter(0) ROOT b = f32[SIZE]{0} negate(a) }"
    >>> with TemporaryDirectory() as folder:
    ...     paths = [Path(folder, f"{size}.hlo") for size in (8, 32)]
    ...     _ = [path.write_text(text.replace("SIZE", path.stem)) for path in paths]
    ...     [(Path(each.path).name, each.peak_bytes) for each in sweep(paths)]
    [('32.hlo', 256), ('8.hlo', 64)]

    The result does not depend on the executor, nor on what the file of results had.

    Args:
        paths: Files with the text of a module, or ``.hlo.pb``. A path that comes twice counts once.
        executor: The threads, processes or machines that each read one file at a time, an ``Executor``
            of ``concurrent.futures`` or another library; by default this thread.
        results: A file of JSON lines. Each summary is added when it is there. A file with a summary is
            not read again as long as its size and its time of change stay the same.
        progress: A function that gets the number of finished files, and of all.

    Raises:
        ParseError: a line of the file of results is none.
    """
    asked = list(dict.fromkeys(fspath(path) for path in paths))
    stamps = {path: _stamp(path) for path in asked}
    found: dict[str, ModuleSummary] = {}
    with ExitStack() as stack:
        file = None
        if results is not None:

            def kept(facts: dict[str, Any]) -> ModuleSummary | None:
                if facts.pop("stamp") != stamps.get(facts["path"], ""):
                    return None
                peaks = tuple((space, size) for space, size in facts.pop("peaks"))
                return ModuleSummary(**facts, peaks=peaks)

            found = {each.path: each for each in read_results(Path(results), kept)}
            file = stack.enter_context(Path(results).open("a", encoding="utf-8"))
        missing = [path for path in asked if path not in found]
        for each in run_pieces(executor, _summary, missing):
            found[each.path] = each
            if file is not None:
                file.write(json.dumps({"stamp": stamps[each.path], **each._asdict()}) + "\n")
                file.flush()
            if progress is not None:
                progress(len(found), len(asked))
    return sorted(found.values(), key=lambda each: (bool(each.reason), -each.peak_bytes, each.path))


def _stamp(path: str) -> str:
    """The size of a file and the time of its last change; "absent" if there is none."""
    try:
        facts = stat(path)
    except OSError:
        return "absent"
    return f"{facts.st_size} {facts.st_mtime_ns}"


def _summary(path: str) -> ModuleSummary:
    try:
        module = (
            read_proto(Path(path).read_bytes())
            if path.endswith(".pb")
            else read_module(Path(path).read_text("utf-8"))
        )
        found = live(module)
        return ModuleSummary(
            path,
            module.name,
            sum(len(each.instructions) for each in module.computations),
            argument_bytes(module),
            output_bytes(module),
            alias_bytes(module),
            tuple((peak.memory_space, peak.bytes) for peak in found.peaks),
            found.compiler_peak_bytes if is_tiled(module) else None,
            sum(map(_waste, found.peaks)),
            scoped_vmem(module).peak_bytes,
        )
    except TlaError as error:
        return ModuleSummary(path, reason=error.summary)
    except OSError as error:
        return ModuleSummary(path, reason=f"cannot be read: {error.strerror or error}")
    except UnicodeDecodeError as error:
        return ModuleSummary(path, reason=f"no text: byte {error.start} is not UTF-8")


def _waste(peak: Peak) -> int:
    total = 0
    for buffer in peak.buffers:
        try:
            total += array_waste(largest_piece(buffer.shape)).waste_bytes
        except UnsupportedError:  # a token
            continue
    return total
