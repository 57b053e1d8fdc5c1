# SPDX-License-Identifier: Apache-2.0
"""A recording: a program compiled once for each type of core, run on the host, its calls as a trace.

Each line is one call of a core, a JSON object, the cores one after the other. The recorder computes
nothing: what a kernel reads from a buffer is zero, and what it reads from global memory is what the host
wrote there.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ...errors import ArgumentError, UnsupportedError
from ...ground import plural
from ..arch import arch as find_arch
from .sources import architecture_of, files_of, prepare, target_of
from .tools import compiler_errors, find_compiler, places

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from .sources import Target, Tree
    from .tools import Place

_ARGUMENTS: Final = (
    "The arguments of the program stand behind --: tla ascend record SOURCE -- 300 300 600"
)
_SIDES: Final = {"mix": ("AIC", "AIV"), "cube": ("AIC",), "vec": ("AIV",)}


class RecordedTensor(NamedTuple):
    """A tensor in global memory, by the name of the program's pointer."""

    name: str
    bytes: int


class Recording(NamedTuple):
    """What a program issued on each core."""

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

    Args:
        source: The C++ file with ``main``; it may launch kernels by ``<<<>>>``.
        arguments: The words of its command line.
        catlass: The folder of CATLASS; by default that of the environment's ``CATLASS``, or the one
            that the source lies in.
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
    path = Path(os.path.abspath(source))
    if not path.is_file():
        raise ArgumentError(f"there is no file {source}", path=str(source))
    if cores < 1:
        raise ArgumentError(f"a kernel runs on 1 core or more, not on {cores}", cores=cores)
    root = _catlass(path, catlass)
    target = target_of(path)
    folders = [os.path.abspath(folder) for folder in (*includes, *target.includes)]
    target = target._replace(kind=kind or target.kind, defines=(*target.defines, *defines))
    if target.kind not in _SIDES:
        raise ArgumentError(f"a kernel is for cube, vec or mix, not {target.kind!r}", kind=target.kind)
    sources = [path, *target.others]
    texts = files_of(sources, folders)
    named = architecture_of(texts.values())
    chosen = find_arch(arch or named or "AtlasA2")
    if named not in (None, chosen.tag):
        way_out = f"It names Arch::{named} and no other architecture. Say --arch {named}."
        raise UnsupportedError(
            f"{path.name} is for {named}, not for {chosen.name}", way_out, arch=chosen.name
        )
    with TemporaryDirectory(prefix="tla-record-") as room:
        tree = prepare(sources, texts, root, folders, Path(room))
        run = _Run(Path(room), tree, target, chosen.code, root, find_compiler(compiler), progress)
        environment = {
            "TLA_CORES": cores,
            "TLA_SECONDS": seconds,
            "TLA_LINES": lines,
            "TLA_KIND": target.kind,
        }
        return run.recording(chosen.name, [*map(str, arguments)], environment)


def _catlass(source: Path, given: str | Path | None) -> Path:
    """The folder of CATLASS: as given, of the environment, or around a source."""
    above = [str(folder) for folder in source.parents]
    tried = [str(given)] if given else [*filter(None, [os.environ.get("CATLASS")]), *above]
    for folder in tried:
        if os.path.isfile(os.path.join(folder, "include", "catlass", "catlass.hpp")):
            return Path(os.path.abspath(folder))
    if given or os.environ.get("CATLASS"):
        raise ArgumentError(
            f"{tried[0]} is no CATLASS: it has no include/catlass/catlass.hpp", path=tried[0]
        )
    way_out = "Say --catlass DIR, or set the environment's CATLASS; DIR/include/catlass/catlass.hpp is looked for."
    raise ArgumentError(f"no CATLASS around {source}", way_out, path=str(source))


class _Run:
    """One recording: the program of each side, and what it left."""

    def __init__(
        self,
        room: Path,
        tree: Tree,
        target: Target,
        code: int,
        catlass: Path,
        compiler: str,
        progress: Callable[[int, int], object] | None,
    ) -> None:
        self.room, self.tree, self.target, self.code = room, tree, target, code
        self.catlass, self.compiler = catlass, compiler
        self.sides = _SIDES[target.kind]
        self._progress, self._done = progress, 0

    def recording(self, arch: str, arguments: list[str], environment: dict[str, object]) -> Recording:
        self._step(0)
        with ThreadPoolExecutor(
            len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
        ) as pool:
            for _ in pool.map(self._compile, self.sides):
                self._step()
        facts: dict[str, Any] = {}
        parts: list[bytes] = []
        calls: Counter[str] = Counter()
        zeros: dict[str, int] = {}
        for side in self.sides:
            facts = self._execute(side, arguments, environment)
            known = _Places(str(self.room / side), facts, self.catlass)
            if facts["end"] != "ran":
                raise self._stopped(facts, known, environment)
            parts += self._lines(side, known, calls)
            zeros |= {known.short(place): times for place, times in facts["divisions_by_zero"]}
            self._step()
        sizes = zip(known.names, facts["tensors"], strict=True)
        return Recording(
            arch,
            facts["blocks"],
            (*(RecordedTensor(name, one["bytes"]) for name, one in sizes),),
            b"".join(parts),
            dict(calls.most_common()),
            zeros,
            (*dict.fromkeys(facts["missing_files"]),),
            facts["launches"],
        )

    def _step(self, more: int = 1) -> None:
        self._done += more
        if self._progress is not None:
            self._progress(self._done, 2 * len(self.sides))

    def _compile(self, side: str) -> None:
        codes = {"CATLASS_ARCH": self.code, "__NPU_ARCH__": self.code}
        macros = [f"{name}={value}" for name, value in codes.items()] + [
            f"TLA_RECORD_{side}",
            *self.target.defines,
        ]
        options = ["-std=c++17", "-O0", "-g1", "-w", "-no-pie", "-fno-omit-frame-pointer"]
        options += ["-ftrivial-auto-var-init=pattern", "-include", "kernel_operator.h"]
        options += [f"-D{macro}" for macro in macros]
        options += [f"-I{folder}" for folder in self.tree.includes]
        command = [self.compiler, *options, *map(str, self.tree.mains), "-o", str(self.room / side)]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
        if done.returncode:
            raise self._refused(side, done.stderr)

    def _refused(self, side: str, said: str) -> UnsupportedError:
        """The error of a program that does not compile."""
        details = compiler_errors(said) or said.splitlines()[-3:]
        if "explicit specialization in non-namespace scope" in said:
            details.append(
                "g++ does not take these specializations. Install clang++, or say --compiler clang++."
            )
        return UnsupportedError(
            f"{Path(self.compiler).name} refuses the program for {side}", *details, side=side
        )

    def _execute(
        self, side: str, arguments: list[str], environment: dict[str, object]
    ) -> dict[str, Any]:
        trace = self.room / f"{side}.trace"
        settings = {
            **os.environ,
            **{name: str(value) for name, value in environment.items()},
            "TLA_TRACE": str(trace),
        }
        done = subprocess.run(
            [str(self.room / side), *arguments],
            env=settings,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        try:
            return json.loads((self.room / f"{side}.trace.facts").read_text())  # type: ignore[no-any-return]
        except OSError:
            said = [*filter(None, [line.strip() for line in (done.stdout + done.stderr).splitlines()])]
            ended = (
                f"signal {-done.returncode}" if done.returncode < 0 else f"exit code {done.returncode}"
            )
            details = [
                f"It ended with {ended}" + (", and said:" if said else ", without a word."),
                *said[-5:],
            ]
            way_out = _ARGUMENTS
            raise UnsupportedError(
                "the program launched no kernel", *details, way_out, arguments=arguments
            ) from None

    def _stopped(
        self, facts: dict[str, Any], known: _Places, environment: dict[str, object]
    ) -> UnsupportedError:
        """The error of a kernel that did not end by itself."""
        where = known.calls[-1]
        if facts["core"] == "?":
            first, *rest = [*where, "a place without a source"]
            way_out = _ARGUMENTS
            called = [f"called from {place}" for place in rest[:-1][:3]]
            if missing := facts["missing_files"]:
                called.append(
                    f"{plural(len(missing), 'file')} of data not there, read as zeros: {', '.join(missing)}"
                )
            return UnsupportedError(
                f"the program failed before it launched a kernel, at {first}", *called, way_out
            )
        at = f" at {where[0]}" if where else ""
        via = [f"called from {place}" for place in where[1:4]]
        if facts["end"] == "fault":
            text = f"{facts['core']} touched memory that it must not{at}"
            return UnsupportedError(
                text, *via, "A pointer leaves its tensor, or an assertion of the program failed."
            )
        if facts["end"] == "time":
            text = f"the kernel did not end in {plural(int(str(environment['TLA_SECONDS'])), 'second')}: {facts['core']} was{at}"
            return UnsupportedError(
                text, *via, "Raise the time by --seconds N, or take a smaller problem."
            )
        text = (
            f"the kernel issued more than {environment['TLA_LINES']} calls: {facts['core']} went on{at}"
        )
        return UnsupportedError(
            text, *via, "Raise their number by --lines N, or take a smaller problem."
        )

    def _lines(self, side: str, known: _Places, calls: Counter[str]) -> Iterable[bytes]:
        """The lines of a side, with places and names."""
        with open(self.room / f"{side}.trace", encoding="utf-8") as file:
            for line in file:
                text, _, stack = line.rpartition("\t")
                text = re.sub(r'"tensor": @(\d+)', known.tensor, text)
                calls[text.split('"op": "', 1)[1].split('"', 1)[0]] += 1
                yield f"{text}{known.ends[int(stack)]}}}\n".encode()


class _Places:
    """The places of the calls of a program, and the names of its tensors."""

    def __init__(self, program: str, facts: dict[str, Any], catlass: Path) -> None:
        stacks: list[list[int]] = facts["stacks"]
        zeros = {place for place, _ in facts["divisions_by_zero"]}
        self._found = places(program, {*zeros, *(call for stack in stacks for call in stack)})
        self._catlass = catlass
        self.calls = [self._sources(stack) for stack in stacks]
        self.ends = [self._end(calls) for calls in self.calls]
        taken: Counter[str] = Counter()
        self.names: list[str] = []
        for one in facts["tensors"]:
            name = self._name(one["expression"], stacks[one["stack"]])
            self.names.append(f"{name}#{taken[name]}" if taken[name] else name)
            taken[name] += 1

    def tensor(self, match: re.Match[str]) -> str:
        return f'"tensor": "{self.names[int(match[1])]}"'

    def short(self, place: int) -> str:
        return _place(self._found.get(place), self._catlass) or "?"

    def _sources(self, stack: list[int]) -> list[str]:
        """The calls of a stack in CATLASS and in the program, without the way into the kernel."""
        found = (_place(self._found.get(call), self._catlass) for call in stack)
        return [
            place for place in found if place and not re.match(r"catlass/(?:detail|\w+/device)/", place)
        ]

    @staticmethod
    def _end(calls: list[str]) -> str:
        """The end of a line: the innermost call, and the next one in another file that is no tile's."""
        if not calls:
            return ""
        file = calls[0].rpartition(":")[0]
        via = next(
            (one for one in calls[1:] if "/tile/" not in one and one.rpartition(":")[0] != file), None
        )
        return f', "site": {json.dumps(calls[0])}' + (f', "via": {json.dumps(via)}' if via else "")

    def _name(self, expression: str, stack: list[int]) -> str:
        """The name of a tensor: of ``&deviceA`` A, also in the call of a function that allocates."""
        texts = [expression]
        for call in stack[:4]:
            if place := self._found.get(call):
                texts.append(_line(place))
        for text in texts:
            pointers: list[str] = re.findall(r"&\s*(\w+)", text)
            own = [name for name in pointers if "device" in name.lower()] or pointers[-1:]
            if own:
                return re.sub(r"^device(?=.)|(?<=.)Device$", "", own[0])
        return "T"


def _line(place: Place) -> str:
    """A line of a source."""
    try:
        with open(place[0], encoding="utf-8", errors="replace") as file:
            return next((text for number, text in enumerate(file, 1) if number == place[1]), "")
    except OSError:
        return ""


def _place(place: Place | None, catlass: Path) -> str | None:
    """A place as the trace has it: in CATLASS from its folder on; None outside of the sources."""
    if place is None or place[0].startswith((str(Path(__file__).parent), "/usr/", "/build/")):
        return None
    return f"{_within(place[0], catlass)}:{place[1]}"


def _within(path: str, catlass: Path) -> str:
    for folder in (catlass / "include", catlass, Path.cwd()):
        if path.startswith(f"{folder}{os.sep}"):
            return os.path.relpath(path, folder)
    return path
