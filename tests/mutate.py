"""Wrong changes on purpose: make one small wrong change at a time, and see whether the tests fail.

Run: python tests/mutate.py [--files tla/swizzle.py ...] [--count N] [--seed N] [--jobs N]

A change is made in a copy of the repository, never in the working tree. The own tests of the changed
module run first: its doctests and `test_<module>*.py` of the mirrored folder. If they pass, the other
tests of its room run. A run that takes too long counts as killed. One line is printed for each change:
where, what, and the test that kills it, or `ALIVE`. The exit status is 1 if a change is alive. Changes
that no test can see are listed with their reasons in `EQUIVALENT`; they are left out.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROOT = Path(__file__).resolve().parent.parent

PAIR = "if not congruent(block, (0, 0)) or less(block[0], 1) or less(block[1], 1):"
PLAIN = "elif type(shape) in PLAIN_INTS and type(stride) in PLAIN_INTS and shape >= 0:"
VECTOR = "vector = np.add.outer(np.arange(extent) * step, vector).reshape(-1)"
EQUIVALENT: list[tuple[str, str, str, str]] = [
    *[
        (
            "fractal.py",
            PAIR,
            f"congruent(block, (0, 0)) -> congruent(block, {pair})",
            "a profile has no ints",
        )
        for pair in ("(0, 1)", "(1, 0)")
    ],
    (
        "table.py",
        VECTOR,
        f"{VECTOR[9:]} -> {VECTOR[9:-4]}(-2)",
        "numpy finds the extent for any negative int",
    ),
    ("layout.py", PLAIN, f"{PLAIN[5:-1]} -> {PLAIN[5:-6]} > 0", "an extent of 0 takes the slower way"),
]
"""Changes that no test can see: name of the file, text of the line, `old -> new`, the reason.

A row is found by its text, so it stays true when files move and lines shift.
"""

PROFILE = """

from hypothesis import Phase

phases = Phase.explicit, Phase.generate
settings.register_profile("mutants", deadline=None, derandomize=True, database=None, phases=phases)
settings.load_profile("mutants")
"""
"""What the copies add to `conftest.py`: the same examples in each run, and a failure is not shrunk."""

OPERATORS: dict[type[ast.AST], tuple[str, str]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "//"),
    ast.FloorDiv: ("//", "*"),
    ast.Mod: ("%", "//"),
    ast.LShift: ("<<", ">>"),
    ast.RShift: (">>", "<<"),
    ast.BitAnd: ("&", "|"),
    ast.BitXor: ("^", "|"),
    ast.And: ("and", "or"),
    ast.Or: ("or", "and"),
}
"""Each operator, as it is written, and the wrong one."""

NOT_SWAPPED = {"congruent", "gcd", "isinstance", "known_eq", "lcm", "max", "min", "same_static"}
"""Functions that are symmetric, or that refuse the swapped arguments in each call."""

Edit = tuple[int, int, str]
"""Bytes from a start to an end, and the text that replaces them."""


class Mutant(NamedTuple):
    """One wrong change of one file."""

    file: str
    line: int
    text: str  # of the line, stripped
    change: str  # `old -> new`, of the smallest expression around it that is long enough to read
    edits: tuple[Edit, ...]

    @property
    def is_equivalent(self) -> bool:
        key = (Path(self.file).name, self.text, self.change)
        return any(row[:3] == key for row in EQUIVALENT)

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.change}"


class Source:
    """A parsed file, with positions in bytes, as `ast` counts columns."""

    def __init__(self, file: str, root: Path = ROOT) -> None:
        self.file = file
        self.bytes = (root / file).read_bytes()
        self.lines = self.bytes.splitlines(keepends=True)
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line))

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start = self.starts[node.lineno - 1] + node.col_offset
        return start, self.starts[node.end_lineno - 1] + node.end_col_offset

    def text(self, node: ast.expr) -> str:
        start, end = self.span(node)
        return self.bytes[start:end].decode()

    def edited(self, edits: Sequence[Edit], start: int = 0, end: int | None = None) -> bytes:
        """The bytes from ``start`` to ``end``, with the edits, which are in order."""
        parts, at = b"", start
        for low, high, new in edits:
            parts += self.bytes[at:low] + new.encode()
            at = high
        return parts + self.bytes[at:end]

    def operator(self, left: ast.expr, right: ast.expr, op: ast.AST) -> Edit:
        """The wrong operator between two operands; parentheses between them stay."""
        old, new = OPERATORS[type(op)]
        start, end = self.span(left)[1], self.span(right)[0]
        gap = self.bytes[start:end].decode()
        word = rf"\b{old}\b".replace(" ", r"\s+") if old.isalpha() or " " in old else re.escape(old)
        return start, end, re.sub(word, new, gap, count=1)


def negated(source: Source, test: ast.expr) -> Iterator[list[Edit]]:
    """The condition turned round; a comparison and a `not` have changes of their own."""
    if not isinstance(test, ast.Compare) and not (
        isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
    ):
        yield [(*source.span(test), f"(not ({source.text(test)}))")]


def changes(source: Source, node: ast.AST) -> Iterator[list[Edit]]:
    """Every wrong change of this node alone."""
    match node:
        case ast.Compare(left, ops, comparators):
            for op, a, b in zip(ops, [left, *comparators[:-1]], comparators, strict=True):
                yield [source.operator(a, b, op)]
        case ast.BinOp(left, op, right) if type(op) in OPERATORS:
            texts = (ast.Tuple, ast.List, ast.JoinedStr)
            if not any(isinstance(x, texts) or is_text(x) for x in (left, right)):
                yield [source.operator(left, right, op)]
        case ast.AugAssign(target, op, value) if type(op) in OPERATORS:
            yield [source.operator(target, value, op)]
        case ast.BoolOp(op, values):
            start, end = source.span(node)
            gaps = [source.operator(a, b, op) for a, b in pairwise(values)]
            yield [(start, start, "("), *gaps, (end, end, ")")]
        case ast.UnaryOp(ast.Not(), operand):
            start, low = source.span(node)[0], source.span(operand)[0]
            yield [(start, low, source.bytes[start:low].decode().replace("not", "", 1).lstrip())]
        case ast.Constant(bool() as value):
            yield [(*source.span(node), str(not value))]
        case ast.Constant(int() as value):
            yield [(*source.span(node), str(value + 1))]
        case ast.Call(ast.Name("abs"), [x]):
            yield [(*source.span(node), f"({source.text(x)})")]
        case ast.Call(ast.Name("max" | "min"), [_, _, *_] as kept, []):
            for x in kept:
                if not isinstance(x, ast.Starred):
                    yield [(*source.span(node), f"({source.text(x)})")]
        case ast.Call(f, [ast.Name(a) as first, ast.Name(b) as second]) if a != b:
            if ast.unparse(f) not in NOT_SWAPPED:
                yield [(*source.span(first), b), (*source.span(second), a)]
        case ast.If(test) | ast.While(test) | ast.IfExp(test):
            yield from negated(source, test)
        case ast.comprehension(ifs=ifs):
            for test in ifs:
                yield from negated(source, test)
        case ast.Return(ast.BoolOp() as value):
            yield from negated(source, value)
        case _:
            pass


def is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes))


def is_left_out(node: ast.AST) -> bool:
    """Whether a node says nothing at run time, words an f-string, or checks the program (`strict=`)."""
    if isinstance(node, ast.If):
        return isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
    if isinstance(node, ast.keyword):
        return node.arg == "strict"
    return isinstance(node, (ast.JoinedStr, ast.arg))


def mutants(file: str) -> list[Mutant]:
    """Every wrong change of a file of the package, from top to bottom."""
    source = Source(file)
    found: list[Mutant] = []

    def visit(node: ast.AST, around: list[ast.expr]) -> None:
        for edits in changes(source, node):
            found.append(mutant(source, node, around, edits))
        if isinstance(node, ast.expr):
            around = [*around, node]
        unread = {"annotation", "returns", "decorator_list", "type_params"}
        for name, value in ast.iter_fields(node):
            for child in value if isinstance(value, list) else [value]:
                if not isinstance(child, ast.AST) or name in unread:
                    continue
                if is_left_out(child):
                    for other in getattr(child, "orelse", ()):
                        visit(other, [])
                else:
                    visit(child, around if isinstance(node, (ast.expr, ast.keyword)) else [])

    visit(ast.parse(source.bytes), [])
    return found


def mutant(source: Source, node: ast.AST, around: list[ast.expr], edits: list[Edit]) -> Mutant:
    shown = [x for x in (node, *reversed(around)) if isinstance(x, (ast.expr, ast.AugAssign))]
    spans = [source.span(x) for x in shown] or [edits[0][:2]]
    start, end = next((s for s in spans if s[1] - s[0] >= 12), spans[-1])
    if end - start > 120:
        start, end = spans[0]
    line = source.bytes.count(b"\n", 0, edits[0][0]) + 1
    old, new = source.bytes[start:end].decode(), source.edited(edits, start, end).decode()
    return Mutant(
        source.file,
        line,
        source.lines[line - 1].decode().strip(),
        " ".join(f"{old} -> {new}".split()),
        tuple(edits),
    )


# --- the tests of a file ----------------------------------------------------------------------


def tests_of(file: str) -> list[list[str]]:
    """The own tests of a module, its doctests, then the others of its room and those that import it."""
    path = Path(file)
    dotted = ".".join(path.with_suffix("").parts).removesuffix(".__init__")
    top = ROOT / "tests"
    folder = top / path.relative_to("tla").parent
    name = re.compile(rf"test_{path.stem}(_\w+)?\.py")
    imports = re.compile(rf"(from|import) {re.escape('.'.join(dotted.split('.')[:2]))}\b")
    own, rest = [], []
    for test in sorted({*folder.glob("test_*.py"), *top.glob("test_*.py")}):
        if name.fullmatch(test.name):
            own.append(str(test.relative_to(ROOT)))
        elif test.parent != top or imports.search(test.read_text("utf-8")):
            rest.append(str(test.relative_to(ROOT)))
    return [own, [f"tests/test_doctests.py::test_examples_of_a_module[{dotted}]"], rest]


class Copy:
    """A copy of the repository in which one file at a time is changed."""

    def __init__(self, where: Path) -> None:
        self.root = where
        where.mkdir()
        for path in ROOT.iterdir():
            if path.name.startswith(".") or path.name in ("build", "dist", "site"):
                continue
            if path.name in ("tla", "tests"):
                shutil.copytree(path, where / path.name, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                (where / path.name).symlink_to(path)
        with (where / "tests" / "conftest.py").open("a", encoding="utf-8") as conftest:
            conftest.write(PROFILE)

    def passes(self, tests: Sequence[str], limit: float, *, cached: bool = False) -> tuple[bool, str]:
        """Whether the tests pass within so many seconds, and the first that does not.

        Without ``cached`` no byte code is written, since a changed file may be as long and as old as
        the one before.
        """
        environment = {**os.environ, "PYTHONPATH": str(self.root)}
        if not cached:
            environment["PYTHONDONTWRITEBYTECODE"] = "1"
        options = ["-x", "-q", "--tb=no", "-p", "no:cacheprovider"]
        command = [sys.executable, "-m", "pytest", *options, *tests]
        with tempfile.TemporaryFile("w+") as out:
            with subprocess.Popen(
                command, cwd=self.root, env=environment, stdout=out, stderr=out, start_new_session=True
            ) as process:
                try:
                    status = process.wait(limit)
                except subprocess.TimeoutExpired:
                    os.killpg(process.pid, signal.SIGKILL)
                    return False, "timeout"
            out.seek(0)
            text = out.read()
        if status not in (0, 1, 2, 3):
            raise SystemExit(f"{' '.join(command)} ends with {status}:\n{text}")
        failed = re.search(r"^(?:FAILED|ERROR) (.*?)(?: - .*)?$", text, re.MULTILINE)
        return status == 0, failed[1] if failed else text.strip()[-200:]

    def limit(self, tests: Sequence[str]) -> float:
        """A generous time for these tests, which must pass while nothing is changed."""
        start = time.monotonic()
        passed, test = self.passes(tests, 3600, cached=True)
        if not passed:
            raise SystemExit(f"the tests fail without a change: {test}")
        return 4 * (time.monotonic() - start) + 10

    def failure(self, mutant: Mutant, tests: Sequence[str], limit: float) -> str | None:
        """The first test that sees the change, or None."""
        path = self.root / mutant.file
        before = path.read_bytes()
        for compiled in path.parent.glob(f"__pycache__/{path.stem}.*.pyc"):
            compiled.unlink()
        path.write_bytes(Source(mutant.file, self.root).edited(mutant.edits))
        try:
            passed, test = self.passes(tests, limit)
            return None if passed else test
        finally:
            path.write_bytes(before)


def files_of(names: Sequence[str]) -> list[str]:
    paths = [ROOT / name for name in names]
    found = [p for path in paths for p in (sorted(path.rglob("*.py")) if path.is_dir() else [path])]
    return [str(path.resolve().relative_to(ROOT)) for path in found]


def main() -> int:
    description = (__doc__ or "").split("Run:")[0] + (__doc__ or "").split("\n\n", 2)[2]
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=description, formatter_class=form)
    add = parser.add_argument
    add("--files", nargs="+", default=["tla"], help="files and folders to change (default: the package)")
    add("--count", type=int, default=20, help="how many changes, drawn at random; 0: all (default: 20)")
    add("--seed", type=int, default=0, help="seed of the draw (default: 0)")
    add("--jobs", type=int, default=1, help="how many test runs at a time (default: 1)")
    add("--tests", nargs="+", help="the tests to run (default: by the mirrored folders)")
    add("--own", action="store_true", help="run the own tests alone, not those of the room")
    add("--only", default="", help="only changes whose printed line has this text")
    add("--list", action="store_true", help="print the changes, run nothing")
    options = parser.parse_args()

    every = [m for file in files_of(options.files) for m in mutants(file) if options.only in str(m)]
    open_ = [m for m in every if not m.is_equivalent]
    drawn = open_
    if 0 < options.count < len(open_):
        drawn = random.Random(options.seed).sample(open_, options.count)
        drawn.sort(key=lambda m: (m.file, m.line))
    print(f"{len(drawn)} of {len(open_)} changes, seed {options.seed}; ", end="")
    print(f"{len(every) - len(open_)} equivalent ones left out", flush=True)
    if options.list:
        print(*drawn, sep="\n")
        return 0

    with tempfile.TemporaryDirectory() as where:
        copies: SimpleQueue[Copy] = SimpleQueue()
        for job in range(options.jobs):
            copies.put(Copy(Path(where) / str(job)))
        limits: dict[str, float] = {}

        def run(mutant: Mutant) -> bool:
            copy, test = copies.get(), None
            stages = [options.tests] if options.tests else tests_of(mutant.file)
            for tests in stages[:2] if options.own else stages:
                if tests and test is None:
                    key = " ".join(tests)
                    limits[key] = limits.get(key) or copy.limit(tests)
                    test = copy.failure(mutant, tests, limits[key])
            copies.put(copy)
            print(f"{mutant}: {f'killed by {test}' if test else 'ALIVE'}", flush=True)
            return test is None

        with ThreadPoolExecutor(options.jobs) as pool:
            alive = sum(pool.map(run, drawn))
    print(f"{len(drawn) - alive} killed, {alive} alive")
    return int(alive > 0)


if __name__ == "__main__":
    sys.exit(main())
