"""Fuzz every reader of texts, and every command, by coverage: ``tests/fuzz/texts.py --seconds 60``.

A target takes a text. It returns, or raises a `TlaError` that can be printed; anything else is a fault.
So are 5 s of CPU time, 512 MB of memory beside those of the start, a value whose text reads back as
another, and a command that ends with another code than 0, 1 or 2 or prints orders to a terminal.

atheris (extra ``fuzz``) looks for texts that reach new code, in a process for each target; it starts
from the strings of the tests, the data and the documents. ``--folder FOLDER`` keeps what it finds for
the next run. ``--blind`` then changes these texts without measuring what they reach, which is some five
times as fast. ``--keep`` writes the fewest texts that reach the same code, if they are quick, into
`tests/data/fuzz_texts.jsonl`, which `tests/test_fuzz_texts.py` runs.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import importlib.util
import io
import itertools
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Final, NamedTuple

sys.path.append(str(Path(__file__).parents[1]))
from limited import limited_memory, limited_time

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

TESTS: Final = Path(__file__).parent.parent
DATA: Final = TESTS / "data"
DOCUMENTS: Final = [
    *sorted(TESTS.parent.glob("docs/**/*.md")),
    *sorted(TESTS.parent.glob("tla/cli/*.py")),
]
KEPT: Final = DATA / "fuzz_texts.jsonl"
SHORT, LONG = 400, 3000
OF_LONG_TEXTS: Final = ("module", "stream", "live", "oom", "tla hlo", "tla oom", "tla index", "tla cpp")
FILE: Final = re.compile(r"\S+\.(hlo|txt|log)\b")
SECONDS = 5
KEPT_SECONDS = 0.03
MEGABYTES = 512
ORDERS: Final = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""What a terminal takes for an order, or what turns the direction of a text."""
COLOUR: Final = re.compile("\x1b\\[[0-9;]*[mK]|\r(?=\n)")
"""What a compiler prints, and ``tla cpp`` passes on."""


class FaultError(Exception):
    """What a target must not do."""


# --- targets -----------------------------------------------------------------------------------


def same(read: Callable[[str], Any], write: Callable[[Any], str] = str) -> Callable[[str], None]:
    """The law of a reader: what it reads is written as a text that it reads as the same."""

    def target(text: str) -> None:
        value = read(text)
        again = write(value)
        if again != "KNOWN EMPTY" and read(again) != value:  # a map of no element has no variables
            raise FaultError(f"{text!r} is written {again!r}, which is another")

    return target


def notation(value: Any) -> str:
    """The text of what `tla.parse` returns. Python's own text of a tuple has no ranges of unknowns."""
    from tla import to_text

    return to_text(value) if isinstance(value, tuple) else str(value)


def writes_or_forks(word: str) -> bool:
    """Whether an argument may be an option, or its start, that writes a file or starts processes."""
    options = ("--output", "--tuner", "--jobs")
    return word.startswith("-o") or any(
        option.startswith(word.partition("=")[0]) for option in options if word[2:]
    )


def run_command(name: str, text: str) -> None:
    """The first line is what stands behind the command, the rest its input. No file is written."""
    from tla import cli

    line, _newline, rest = text.replace("\0", "").partition("\n")
    try:
        arguments = shlex.split(line)
    except ValueError:
        arguments = line.split()
    first = ["--step", "256"] if name == "ascend search" else []  # else it ranks some 20,000 tiles
    arguments = [*name.split(), *first, *(word for word in arguments if not writes_or_forks(word))]
    printed = io.BytesIO()
    out = io.TextIOWrapper(printed, "utf-8")
    err = io.TextIOWrapper(printed, "utf-8", errors="backslashreplace")
    stdin = io.TextIOWrapper(io.BytesIO(encoded(rest)), "utf-8")
    before = sys.stdin
    sys.stdin = stdin
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = cli.main(arguments)
    finally:
        sys.stdin = before
    if code not in (0, 1, 2):
        raise FaultError(f"exit code {code}")
    out.flush()
    err.flush()
    shown = printed.getvalue().decode(errors="replace")
    if name == "cpp" or "--col" in line:
        shown = COLOUR.sub("", shown)
    if order := ORDERS.search(shown):
        raise FaultError(f"prints {order[0]!r}")


def targets() -> dict[str, Callable[[str], None]]:
    """The readers by name."""
    import tla
    from tla import ascend, cpp, gpu, hlo, indexing, memory, objects, xla_bridge
    from tla.cli.commands import COMMANDS, SUBCOMMANDS
    from tla.layouts import parse_int_tuple
    from tla.memory.sizes import bytes_printed_as

    readers: dict[str, Callable[[str], Any]] = {
        "notation": same(tla.parse, notation),
        "int_tuple": same(parse_int_tuple, tla.to_text),
        "read": tla.read,
        "evaluate": tla.evaluate,
        "shape": same(xla_bridge.parse_shape),
        "strict_shape": same(lambda text: xla_bridge.parse_shape(text, "strict")),
        "xla_shape": same(lambda text: xla_bridge.parse_shape(text, "xla")),
        "map": same(indexing.parse_map),
        "module": same(hlo.read_module),
        "instruction": lambda text: str(hlo.read_instruction(text)),
        "maps": lambda text: indexing.output_to_input(hlo.read_instruction(text)),
        "live": lambda text: memory.live(hlo.read_module(text)),
        "stream": lambda text: list(hlo.read_stream(io.StringIO(text))),
        "from_cpp": tla.from_cpp,
        "from_triton": lambda text: gpu.from_triton(text, (16, 64)),
        "memref": objects.read_memref,
        "tilelang": objects.read_tilelang,
        "rewritten": cpp.rewritten,
        "oom": memory.read_reports,
        "tagged": ascend.parse_tagged,
        "gemm_shape": ascend.gemm_shape,
        "policy": ascend.policy,
        "swizzle": ascend.swizzle,
        "sizes": bytes_printed_as,
    }
    for name in [*COMMANDS, *(f"ascend {name}" for name in SUBCOMMANDS)]:
        if name != "ascend":
            readers[f"tla {name}"] = partial(run_command, name)
    return readers


# --- one target --------------------------------------------------------------------------------


def fault_of(target: Callable[[str], object], text: str, seconds: float = SECONDS) -> str | None:
    """What a target does with a text that it must not do: the exception and its place."""
    from tla import TlaError

    try:
        with limited_time(seconds):
            try:
                target(text)
            except TlaError as error:
                str(error)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        places = [
            frame for frame in traceback.extract_tb(error.__traceback__) if "/tla/" in frame.filename
        ]
        place = f"{Path(places[-1].filename).name}:{places[-1].lineno}" if places else ""
        return " ".join(filter(None, [type(error).__name__, place, str(error)[:200]]))
    return None


def decoded(data: bytes) -> str:
    """The text of some bytes: as a terminal or a file of it gives them."""
    return data.decode(errors="surrogateescape")


def encoded(text: str) -> bytes:
    """The bytes of a text; lone surrogates that no byte gives are left out."""
    return re.sub("[\ud800-\udc7f\udd00-\udfff]", "", text).encode(errors="surrogateescape")


def known_texts() -> list[str]:
    """The strings of the tests and their data, and the commands of the documents, short ones first."""
    found: dict[str, None] = {}
    for path in [*sorted(DATA.rglob("*")), *sorted(TESTS.rglob("*.py")), *DOCUMENTS]:
        if path.suffix == ".jsonl" and path != KEPT:
            rows = path.read_text().splitlines()
            found |= dict.fromkeys(text for row in rows for text in strings_in(json.loads(row)))
        elif path in DOCUMENTS:
            lines = re.findall(r"\btla ([a-z].*)", path.read_text())
            found |= dict.fromkeys(line.removesuffix(" || true") for line in lines)
        elif path.suffix == ".py":
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Call | ast.Tuple | ast.List):
                    found[command_line(node.args if isinstance(node, ast.Call) else node.elts)] = None
                elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                    found[node.value] = None
        elif path.suffix in (".hlo", ".txt"):
            found[path.read_text()] = None
    return sorted((text for text in found if text and len(text) <= LONG), key=len)


def command_line(parts: list[ast.expr]) -> str:
    """``run("show", "4:1")`` and ``["show", "4:1"]`` as ``show 4:1``."""
    words = [x.value for x in parts if isinstance(x, ast.Constant) and isinstance(x.value, str)]
    return shlex.join(words) if len(words) == len(parts) else ""


def seeds(name: str, target: Callable[[str], object], texts: list[str]) -> list[str]:
    """The known texts that a target takes, and those that an earlier run kept.

    Where a command names a file, it reads standard input instead, the rest of the text.
    """
    from tla import TlaError

    if name.startswith("tla "):
        command = name.removeprefix("tla ")
        lines = [text.removeprefix(command).lstrip() for text in texts if text.startswith(f"{command} ")]
        mark = {"oom": "Used", "cpp": "tla::"}.get(command, "HloModule")
        inputs = [text for text in texts if mark in text]
        shown = itertools.cycle(Random(name).sample(inputs, len(inputs)))
        taken = []
        for line in lines:
            words = re.sub(FILE, "-", re.split(" [<|>]", line)[0])
            reads = "-" in words.split()
            taken += [f"{words}\n{next(shown)}" for _input in range(4)] if reads else [words]
    else:
        taken = []
        for text in texts:
            with contextlib.suppress(TlaError, FaultError):
                target(text)
                taken.append(text)
    return [*dict.fromkeys([*taken, *kept().get(name, ())])]


def strings_in(value: Any) -> Iterator[str]:
    """The strings of a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from strings_in(item)


def kept() -> dict[str, list[str]]:
    """The texts that earlier runs kept, by target."""
    if not KEPT.exists():
        return {}
    return {row["target"]: row["texts"] for row in map(json.loads, KEPT.read_text().splitlines())}


def words_of(texts: list[str]) -> list[str]:
    """The words most often in some texts, and the options of commands, for the mutations."""
    words = Counter(
        word
        for text in texts
        for word in set(re.findall(r"-*[A-Za-z_][\w.-]*|[^\w\s]+|\d+", text))
        if len(word) < 40
    )
    return [word for word, _count in words.most_common(1500)]


def run_target(name: str, blind: bool, options: list[str]) -> None:
    """Give the options to libFuzzer for one target; print each new fault as a line of JSON."""
    atheris: Any = importlib.import_module("atheris")
    if not blind:
        atheris.instrument_imports(include=["tla"]).__enter__()  # rooms load when they are asked
    target = targets()[name]
    seen: set[str] = set()

    def one_input(data: bytes) -> None:
        text = decoded(data)
        fault = fault_of(target, text)
        if fault is not None and (key := " ".join(fault.split()[:2])) not in seen:
            seen.add(key)
            print(json.dumps({"target": name, "fault": fault, "text": text}), file=report, flush=True)

    report = os.fdopen(os.dup(1), "w")
    again = shlex.join([sys.executable, __file__, "--target", name])
    atheris.Setup([again, *options], atheris.instrument_func(one_input) if blind else one_input)
    with limited_memory(MEGABYTES):
        atheris.Fuzz()


# --- all targets -------------------------------------------------------------------------------


class Outcome(NamedTuple):
    """What a target did: how many texts it took in how many seconds, and its faults."""

    texts: int
    seconds: float
    faults: list[dict[str, str]]


def run(name: str, folder: Path, *options: str) -> Outcome:
    """Fuzz one target in a process of its own, with options of libFuzzer."""
    begin = time.monotonic()
    done = subprocess.run(
        [sys.executable, __file__, "--target", name, *options],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    seconds = time.monotonic() - begin
    faults = [json.loads(line) for line in done.stdout.splitlines() if line.startswith(b"{")]
    told = done.stderr.decode(errors="replace")
    if not re.search("^Done|^MERGE-OUTER: .* new files", told, re.M):
        crash = max(folder.glob("*-*"), key=os.path.getmtime, default=None)
        last = "\n".join([line for line in told.splitlines() if not line.startswith("INFO")][-5:])
        faults.append(
            {"target": name, "fault": last, "text": decoded(crash.read_bytes()) if crash else ""}
        )
    counts = map(int, re.findall(r"^(?:#|Done )(\d+)", told, re.M))
    return Outcome(max(counts, default=0), seconds, faults)


def folder_of(name: str, folder: Path, texts: list[str]) -> Path:
    """The folder of a target: the texts that it found, those from which it starts, and their words."""
    own = folder / name.replace(" ", "-")
    if not (own / "words").exists():
        for part in ("found", "seeds"):
            (own / part).mkdir(parents=True, exist_ok=True)
        first = seeds(name, targets()[name], texts)
        for i, text in enumerate(first):
            (own / "seeds" / str(i)).write_bytes(encoded(text))
        escaped = ["".join(f"\\x{byte:02x}" for byte in encoded(word)) for word in words_of(first)]
        (own / "words").write_text("# words\n" + "".join(f'"{word}"\n' for word in escaped))
    return own


def fuzz(name: str, own: Path, count: int, seconds: int, seed: int, blind: bool) -> Outcome:
    """Fuzz one target: by coverage, or blind, from the texts that it found by coverage before."""
    return run(
        name,
        own,
        *(["--blind", "-keep_seed=1"] if blind else []),
        f"-runs={count}",
        f"-max_total_time={seconds}",
        f"-seed={seed}",
        f"-timeout={20 * SECONDS}",
        f"-max_len={LONG if name in OF_LONG_TEXTS else SHORT}",
        "-rss_limit_mb=0",
        f"-dict={own / 'words'}",
        str(own / "found"),
        *([] if blind else [str(own / "seeds")]),
    )


def keep(name: str, own: Path) -> list[str]:
    """The fewest of the texts found that reach the same code, the quickest of them, of 30 ms in all."""
    with tempfile.TemporaryDirectory() as at:
        run(
            name, own, "-set_cover_merge=1", "-use_counters=0", "-rss_limit_mb=0", at, str(own / "found")
        )
        texts = [decoded(path.read_bytes()) for path in sorted(Path(at).iterdir())]
    target = targets()[name]

    def seconds(text: str) -> float:
        begin = time.perf_counter()
        fault_of(target, text)
        return time.perf_counter() - begin

    all(map(seconds, texts))  # what is loaded or remembered the first time does not count
    took = sorted((seconds(text), text) for text in texts)
    sums = itertools.accumulate(time for time, _text in took)
    return [text for (_time, text), so_far in zip(took, sums, strict=True) if so_far < KEPT_SECONDS]


def is_slow_by_measuring(fault: dict[str, str]) -> bool:
    """Whether a target is in time for a text where atheris does not measure what it reaches."""
    name, text = fault["target"], fault["text"]
    slow = fault["fault"].startswith("OutOfTimeError")
    return slow and fault_of(targets()[name], text) is None


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=100_000, help="the most texts for each target")
    parser.add_argument("--seconds", type=int, default=0, help="the most time for each target")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="targets at a time")
    parser.add_argument("--only", default="", help="the targets whose name has this pattern in it")
    parser.add_argument("--folder", type=Path, help="where the texts found stay for the next run")
    parser.add_argument(
        "--blind",
        action="store_true",
        help="change the texts that FOLDER has, without measuring what they reach: quicker",
    )
    parser.add_argument(
        "--keep", action="store_true", help="keep the texts found that reach the most, for the tests"
    )
    parser.add_argument("--target", help=argparse.SUPPRESS)
    options, more = parser.parse_known_args()
    if options.target:
        run_target(options.target, options.blind, more)
        return 0
    if importlib.util.find_spec("atheris") is None:
        print("the fuzzer needs atheris: pip install 'tla-layouts[fuzz]'", file=sys.stderr)
        return 1
    print(f"seed {options.seed}")
    wrong = total = 0
    with tempfile.TemporaryDirectory() as at, ThreadPoolExecutor(options.jobs) as pool:
        folder = (options.folder or Path(at)).absolute()
        folder.mkdir(exist_ok=True)
        texts = known_texts()
        names = [name for name in targets() if re.search(options.only, name)]
        given = (options.count, options.seconds, options.seed, options.blind)
        fuzzed = names if options.count else []
        outcomes = pool.map(lambda name: fuzz(name, folder_of(name, folder, texts), *given), fuzzed)
        for name, (count, seconds, faults) in zip(fuzzed, outcomes, strict=True):
            faults = [fault for fault in faults if not is_slow_by_measuring(fault)]
            total += count
            wrong += len(faults)
            speed = f"{seconds:.0f} s, {count / seconds:.0f} a second"
            print(f"{name:20} {count} texts, {speed}, {len(faults)} faults", flush=True)
            for fault in faults:
                print(f"  {fault['fault']}\n    {fault['text']!r}", flush=True)
        if options.keep:
            texts_of = kept() | {name: keep(name, folder_of(name, folder, texts)) for name in names}
            rows = [json.dumps({"target": name, "texts": texts_of[name]}) for name in sorted(texts_of)]
            KEPT.write_text("".join(f"{row}\n" for row in rows))
    print(f"{total} texts, {wrong} faults")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
