# SPDX-License-Identifier: Apache-2.0
"""A recording: a program compiled once for each type of core, run on the host, its calls as a trace.

Each line is one call of a core, a JSON object, the cores one after the other. The recorder computes
nothing: what a kernel reads from a buffer is zero, and what it reads from global memory is what the host
wrote there.
"""

from __future__ import annotations

import gzip
import os
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final, NamedTuple

from ...errors import ArgumentError, UnsupportedError
from ..arch import arch as find_arch
from .program import Limits, Program
from .sources import architecture_of, files_of, needs_catlass, prepare, target_of
from .tools import find_compiler

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .places import Facts, Places

_SIDES: Final = {"mix": ("AIC", "AIV"), "cube": ("AIC",), "vec": ("AIV",)}


class RecordedTensor(NamedTuple):
    """A tensor in global memory, by the name of the program's pointer.

    >>> RecordedTensor("A", 300 * 600 * 2).bytes
    360000
    """

    name: str
    bytes: int


class Recording(NamedTuple):
    """What a program issued on each core.

    >>> line = b'{"core": "AIC0", "op": "PipeBarrier", "pipe": "ALL"}\\n'
    >>> recording = Recording("AtlasA2", 1, (), line, {"PipeBarrier": 1}, {}, (), 1)
    >>> recording.packed("trace.jsonl") == line, recording.packed("trace.jsonl.gz")[:2]
    (True, b'\\x1f\\x8b')
    """

    arch: str
    blocks: int
    """The blocks of the launch: cube cores, or vector cores of a kernel of the type vec."""
    tensors: tuple[RecordedTensor, ...]
    trace: bytes
    """The lines of the trace."""
    calls: dict[str, int]
    """How often each call occurs, the most frequent first."""
    divisions_by_zero: dict[str, int]
    """How often the kernel divided by zero, by the place in the sources. The result was 0."""
    missing_files: tuple[str, ...]
    """Files of data that were not there: the program read zeros."""
    launches: int

    def packed(self, name: str) -> bytes:
        """Return the bytes of a file of this name: compressed if it ends with ``.gz``."""
        return gzip.compress(self.trace, mtime=0) if name.endswith(".gz") else self.trace


def record(
    source: str | Path,
    arguments: Sequence[object] = (),
    *,
    catlass: str | Path | None = None,
    arch: str | None = None,
    kind: str | None = None,
    cores: int = 2,
    defines: Sequence[str] = (),
    includes: Sequence[str | Path] = (),
    compiler: str | None = None,
    seconds: int = 60,
    lines: int = 1_000_000,
    progress: Callable[[int, int], object] | None = None,
) -> Recording:
    """Compile a CATLASS program for the host, run it, and return what its kernel issued.

    The program runs with the rights of its caller, and may do anything.

    >>> record("no_such_kernel.cpp", [300, 300, 600])
    Traceback (most recent call last):
        ...
    tla.errors.ArgumentError: there is no file no_such_kernel.cpp

    Args:
        source: The C++ file with ``main``; it may launch kernels by ``<<<>>>``.
        arguments: The words of its command line.
        catlass: The folder of CATLASS; by default the one that the source lies in, or else that of the
            environment's ``CATLASS``. A program that does not include it needs none.
        arch: "AtlasA2", "AtlasA3" or "Ascend950"; by default the one that the source names.
        kind: The cores that the kernel is for, "cube", "vec" or "mix"; by default what the
            ``CMakeLists.txt`` beside the source says, or "mix".
        cores: The cube cores of the platform.
        defines: Macros, as ``"L2_CACHE_HINT"`` or ``"N=4"``.
        includes: Further folders of headers.
        compiler: A C++ compiler; by default clang++, or else g++.
        seconds: The time, of the processor, in which a launch must end on all cores of a type.
        lines: The calls of the cores of a type after which the kernel is stopped.
        progress: Called with the steps that are done and all steps.

    Raises:
        ArgumentError: the file, the folder, the architecture or the kind is none.
        UnsupportedError: there is no compiler, it refuses the program, or the kernel does not end.
    """
    if not sys.platform.startswith("linux"):
        raise UnsupportedError(f"kernels are recorded on Linux; this is {sys.platform}")
    path = Path(os.path.abspath(source))
    if not os.path.isfile(path):
        raise ArgumentError(f"there is no file {source}", path=str(source))
    for name, count in {"cores": cores, "seconds": seconds, "lines": lines}.items():
        if count < 1:
            raise ArgumentError(f"{name} is {count}: it must be at least 1", **{name: count})
    words = [*map(str, arguments)]
    for word in (*words, *defines, *map(str, includes)):
        if "\0" in word:
            raise ArgumentError(f"no program takes a word with a zero byte: {word!r}", word=word)
    target = target_of(path)
    sides = _SIDES.get(kind or target.kind)
    if sides is None:
        raise ArgumentError(f"a kernel is for cube, vec or mix, not for {kind!r}", kind=kind)
    sources = [path, *target.others]
    folders = [os.path.abspath(folder) for folder in (*includes, *target.includes)]
    texts = files_of(sources, folders)
    named = architecture_of(texts.values())
    chosen = find_arch(arch or named or "AtlasA2")
    if named not in (None, chosen.tag):
        way_out = f"It names Arch::{named} and no other architecture. Say --arch {named}."
        wrong = f"{path.name} is for {named}, not for {chosen.name}"
        raise UnsupportedError(wrong, way_out, arch=chosen.name)
    root = _catlass(path, catlass, needs_catlass(texts.values()))
    codes = (f"CATLASS_ARCH={chosen.code}", f"__NPU_ARCH__={chosen.code}")
    macros = (*codes, *target.defines, *defines)
    tool = find_compiler(compiler)
    step = _steps(progress, 2 * len(sides))
    with TemporaryDirectory(prefix="tla-record-") as folder:
        room = Path(folder)
        for by_calls in (True, False):
            tree = prepare(sources, texts, root, folders, room, by_calls)
            programs = [Program(side, room, tree, tool, macros, root) for side in sides]
            try:
                with ThreadPoolExecutor(_cpus()) as pool:
                    for _ in pool.map(Program.compile, programs):
                        step()
                break
            except UnsupportedError:
                if not by_calls:
                    raise
        settings = {"TLA_CORES": str(cores), "TLA_KIND": kind or target.kind}
        limits = Limits(seconds, lines)
        parts: list[str] = []
        zeros: dict[str, int] = {}
        left: list[tuple[Facts, Places]] = []
        for program in programs:
            left.append(program.run(words, settings, limits))
            places = left[-1][1]
            parts += program.lines(places)
            zeros |= places.divisions_by_zero
            step()
    facts, places = left[-1]
    calls = Counter(line.split('"op": "', 1)[1].partition('"')[0] for line in parts)
    sizes = zip(places.names, facts["tensors"], strict=True)
    return Recording(
        chosen.name,
        facts["blocks"],
        (*(RecordedTensor(name, one["bytes"]) for name, one in sizes),),
        "".join(parts).encode(),
        dict(calls.most_common()),
        zeros,
        (*dict.fromkeys(facts["missing_files"]),),
        facts["launches"],
    )


def _catlass(source: Path, given: str | Path | None, is_needed: bool) -> Path | None:
    """The folder of CATLASS: as given, around a source, or of the environment."""
    of_environment = os.environ.get("CATLASS")
    around = [*map(str, source.parents), *filter(None, [of_environment])]
    tried = [str(given)] if given else around
    for folder in tried:
        if os.path.isfile(os.path.join(folder, "include", "catlass", "catlass.hpp")):
            return Path(os.path.abspath(folder))
    if given or (is_needed and of_environment):
        what = f"{tried[-1]} is not CATLASS: it has no include/catlass/catlass.hpp"
        raise ArgumentError(what, path=tried[-1])
    if is_needed:
        way_out = "Say --catlass DIR, or set CATLASS in the environment, where DIR/include/catlass lies."
        raise ArgumentError(f"{source.name} includes CATLASS, and there is none around it", way_out)
    return None


def _cpus() -> int:
    """How many compilers run at once."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _steps(progress: Callable[[int, int], object] | None, whole: int) -> Callable[[], None]:
    """A function that counts the steps that are done."""
    done = -1

    def step() -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress(done, whole)

    step()
    return step
