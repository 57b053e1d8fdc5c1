"""Fuzz every reader of texts, and every command, by coverage: ``tests/fuzz/texts.py --count 100000``.

A target takes a text. It returns, or raises a `TlaError`; anything else is a fault, and so are 5 s of
CPU time, 512 MB of memory beside those of the start, and a command that ends otherwise than by 0, 1 or 2
or prints what a terminal takes for an order. atheris (extra ``fuzz``) looks for texts that reach new
code, in a process for each target; it starts from the texts of `tests/data`, and from those kept.

``--keep`` writes the short texts that reach the most into `tests/data/fuzz_texts.jsonl`, which
`tests/test_fuzz_texts.py` runs.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import io
import json
import os
import re
import resource
import shlex
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

TESTS: Final = Path(__file__).parent.parent
DATA: Final = TESTS / "data"
KEPT: Final = DATA / "fuzz_texts.jsonl"
SECONDS = 5
MEGABYTES = 512
ORDERS: Final = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""What a terminal takes for an order, or what turns the direction of a text."""


class HangError(BaseException):
    """A target took more CPU time than it may."""


class FaultError(Exception):
    """What a target must not do."""


# --- targets -----------------------------------------------------------------------------------


def same(read: Callable[[str], Any], write: Callable[[Any], str] = str) -> Callable[[str], None]:
    """The law of a reader: what it reads is written as a text that it reads as the same."""

    def target(text: str) -> None:
        value = read(text)
        again = write(value)
        if read(again) != value:
            raise FaultError(f"{text!r} is written {again!r}, which is another")

    return target


def run_command(name: str, text: str) -> None:
    """The first line is what stands behind the command, the rest its input. No file is written."""
    from tla import cli

    line, _newline, rest = text.partition("\n")
    try:
        arguments = shlex.split(line)
    except ValueError:
        arguments = line.split()
    arguments = [
        name,
        *(word.replace("\0", "") for word in arguments if not re.match("-o|--o|--t", word)),
    ]
    printed = io.BytesIO()
    out = io.TextIOWrapper(printed, "utf-8")
    err = io.TextIOWrapper(printed, "utf-8", errors="backslashreplace")
    stdin = io.TextIOWrapper(io.BytesIO(rest.encode(errors="surrogateescape")), "utf-8")
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
    order = ORDERS.search(printed.getvalue().decode())
    if order and "--color" not in line:
        raise FaultError(f"prints {order[0]!r}")


def targets() -> dict[str, Callable[[str], None]]:
    """The readers by name."""
    import tla
    from tla import ascend, cpp, hlo, indexing, memory, xla_bridge
    from tla.cli.commands import COMMANDS
    from tla.layouts import parse_int_tuple
    from tla.memory.sizes import bytes_printed_as

    readers: dict[str, Callable[[str], Any]] = {
        "notation": same(tla.parse),
        "int_tuple": same(parse_int_tuple, tla.to_text),
        "read": tla.read,
        "evaluate": tla.evaluate,
        "shape": same(xla_bridge.parse_shape),
        "strict_shape": same(lambda text: xla_bridge.parse_shape(text, "strict")),
        "map": same(indexing.parse_map),
        "module": same(hlo.read_module),
        "instruction": hlo.read_instruction,
        "stream": lambda text: list(hlo.read_stream(io.StringIO(text))),
        "from_cpp": tla.from_cpp,
        "rewritten": cpp.rewritten,
        "oom": memory.read_reports,
        "tagged": ascend.parse_tagged,
        "policy": ascend.policy,
        "swizzle": ascend.swizzle,
        "sizes": bytes_printed_as,
    }
    for name in COMMANDS:
        readers[f"tla {name}"] = partial(run_command, name)
    return readers


# --- one target --------------------------------------------------------------------------------


@contextlib.contextmanager
def limited() -> Generator[None]:
    """Raise `HangError` past the CPU time, MemoryError past the memory."""

    def stop(_signal: int, _frame: object) -> NoReturn:
        raise HangError(f"more than {SECONDS} s of CPU time")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def fault_of(target: Callable[[str], object], text: str) -> str | None:
    """What a target does with a text that it must not do: the exception and its place."""
    from tla import TlaError

    try:
        with limited():
            target(text)
    except TlaError:
        return None
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        places = [
            frame for frame in traceback.extract_tb(error.__traceback__) if "/tla/" in frame.filename
        ]
        place = f"{Path(places[-1].filename).name}:{places[-1].lineno}" if places else ""
        return f"{type(error).__name__} {place} {str(error)[:200]}"
    return None


def decoded(data: bytes) -> str:
    """The text of some bytes: as a terminal or a file of it gives them."""
    return data.decode(errors="surrogateescape")


def seeds(name: str, target: Callable[[str], object], most: int = 400) -> list[str]:
    """Texts of the data of the tests that a target takes, and those that an earlier run kept."""
    from tla import TlaError

    texts: dict[str, None] = {}
    for path in [
        *sorted(DATA.glob("*.jsonl")),
        *sorted((DATA / "tpu_hlo").iterdir()),
        *sorted((DATA / "oom").iterdir()),
    ]:
        content = path.read_text()
        rows = (
            [json.loads(line) for line in content.splitlines()] if path.suffix == ".jsonl" else [content]
        )
        texts |= dict.fromkeys(text for row in rows[::7] for text in strings_in(row) if len(text) < 3000)
    if name.startswith("tla "):
        documents = [*TESTS.parent.glob("docs/**/*.md"), TESTS.parent / "README.md"]
        lines = re.findall(rf"^\$ {name} (.*)$", "\n".join(path.read_text() for path in documents), re.M)
        return [*lines, *kept().get(name, ())]
    taken = []
    for text in texts:
        with contextlib.suppress(TlaError, FaultError):
            target(text)
            taken.append(text)
    return [*taken[:: max(1, len(taken) // most)], *kept().get(name, ())]


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
    """The words of some texts, for the dictionary of the mutations."""
    words = {
        word
        for text in texts
        for word in re.findall(r"[A-Za-z_][\w.-]*|[^\w\s]+|\d+", text)
        if len(word) < 40
    }
    return sorted(words)[:2000]


def run_target(name: str, count: int, seed: int, folder: Path) -> None:
    """Fuzz one target in this process; print each new fault as a line of JSON."""
    atheris: Any = importlib.import_module("atheris")
    atheris.instrument_imports(include=["tla"]).__enter__()  # rooms load when they are asked
    target = targets()[name]
    first = seeds(name, target)
    corpus = folder / "corpus"
    corpus.mkdir()
    for i, text in enumerate(first):
        (corpus / f"seed{i}").write_bytes(text.encode(errors="surrogateescape"))
    escaped = ["".join(f"\\x{byte:02x}" for byte in word.encode()) for word in words_of(first)]
    (folder / "words").write_text("# words\n" + "".join(f'"{word}"\n' for word in escaped))
    seen: set[str] = set()

    def one_input(data: bytes) -> None:
        text = decoded(data)
        fault = fault_of(target, text)
        if fault is not None and (key := " ".join(fault.split()[:2])) not in seen:
            seen.add(key)
            print(json.dumps({"target": name, "fault": fault, "text": text}), file=report, flush=True)

    report = os.fdopen(os.dup(1), "w")
    memory = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    most = memory + MEGABYTES * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    arguments = [
        f"-runs={count}",
        f"-seed={seed}",
        f"-timeout={4 * SECONDS}",
        "-max_len=400",
        "-rss_limit_mb=0",
    ]
    atheris.Setup([sys.argv[0], *arguments, f"-dict={folder / 'words'}", str(corpus)], one_input)
    atheris.Fuzz()


# --- all targets -------------------------------------------------------------------------------


def run(name: str, count: int, seed: int, most_kept: int) -> tuple[list[dict[str, str]], list[str], str]:
    """Fuzz one target in a process of its own: its faults, the texts worth keeping, its last line."""
    with tempfile.TemporaryDirectory() as at:
        folder = Path(at)
        command = [
            sys.executable,
            __file__,
            "--target",
            name,
            "--count",
            str(count),
            "--seed",
            str(seed),
        ]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        done = subprocess.run(
            [*command, "--folder", at], cwd=at, env=environment, capture_output=True, check=False,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
        faults = [json.loads(line) for line in done.stdout.splitlines() if line.startswith(b"{")]
        lines = done.stderr.decode(errors="replace").splitlines()
        ended = [line for line in lines if re.match(r"#\d+\s+DONE|SUMMARY|Done \d+ runs", line)]
        if not any(line.startswith("Done") for line in ended):
            crash = [path.read_bytes() for path in folder.glob("*-*") if path.is_file()]
            told = {
                "target": name,
                "fault": "\n".join([line for line in lines if not line.startswith("INFO")][-5:]),
                "text": decoded(crash[0]) if crash else "",
            }
            faults.append(told)
        found = sorted(
            (
                path.read_bytes()
                for path in (folder / "corpus").glob("*")
                if not path.name.startswith("seed")
            ),
            key=len,
        )
        return faults, [decoded(data) for data in found[:most_kept]], ended[-1] if ended else "no end"


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=100_000, help="texts for each target")
    parser.add_argument(
        "--commands", type=int, help="texts for each command (default: a tenth of COUNT)"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="targets at a time")
    parser.add_argument("--only", default="", help="the targets whose name has this in it")
    parser.add_argument(
        "--keep", type=int, default=0, metavar="N", help="keep N texts of each target for the tests"
    )
    parser.add_argument("--target", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.target:
        run_target(options.target, options.count, options.seed, options.folder)
        return 0
    if importlib.util.find_spec("atheris") is None:
        print("the fuzzer needs atheris: pip install 'tla-layouts[fuzz]'", file=sys.stderr)
        return 1
    print(f"seed {options.seed}")
    corpora, wrong, total = kept(), 0, 0
    names = [name for name in targets() if options.only in name]

    def timed(name: str) -> tuple[str, int, float, tuple[list[dict[str, str]], list[str], str]]:
        count = options.count
        if name.startswith("tla "):
            count = options.commands if options.commands is not None else count // 10
        begin = time.monotonic()
        done = run(name, count, options.seed, options.keep)
        return name, count, time.monotonic() - begin, done

    with ThreadPoolExecutor(options.jobs) as pool:
        for name, count, seconds, (faults, found, end) in pool.map(timed, names):
            total += count
            wrong += len(faults)
            print(f"{name:16} {count} texts, {seconds:.0f} s, {len(faults)} faults; {end}", flush=True)
            for fault in faults:
                print(f"  {fault['fault']}\n    {fault['text']!r}", flush=True)
            if options.keep:
                corpora[name] = found
                rows = [
                    json.dumps({"target": key, "texts": texts}) for key, texts in sorted(corpora.items())
                ]
                KEPT.write_text("".join(f"{row}\n" for row in rows))
    print(f"{total} texts, {wrong} faults")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
