"""Wrong changes on purpose: make one small wrong change at a time, and see whether the tests fail.

Run: python tests/mutate.py [--files tla/algebra ...] [--count N] [--seed N] [--jobs N]

A change is made in a copy of the repository, never in the working tree. The own tests of the changed
module run first: `test_<module>*.py` of its room, or what `OWN` names, and its doctests. If they pass,
the other tests of its room run. A run that takes too long counts as killed. One line is printed for
each change: where, what, and the test that kills it, or `ALIVE`. The exit status is 1 if a change is
alive. Changes that no test can see are listed with their reasons in `EQUIVALENT`; they are left out.
"""

from __future__ import annotations

import argparse
import ast
import json
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
from itertools import count, pairwise
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROOT = Path(__file__).resolve().parent.parent

EQUIVALENT = ROOT / "tests" / "data" / "equivalent_changes.jsonl"
"""Changes that no test can see: the file, the function, the change `old -> new`; and the reason.

A row is found by its text, so it stays true when lines shift. `--list` names the rows that fit nothing.
"""

OWN = {
    "algebra/by_mode": "algebra/test_modes algebra/test_composition algebra/test_divide",
    "algebra/cancelling": "algebra/test_facts",
    "algebra/existence": "algebra/test_composition algebra/test_symbolic*",
    "gpu/catalogue": "gpu/test_atoms",
    "gpu/copies": "gpu/test_atoms gpu/test_tiles",
    "gpu/fields": "gpu/test_atoms",
    "gpu/figures": "gpu/test_tiles show/test_notebook",
    "gpu/matrix_cores": "gpu/test_atoms",
    "gpu/mma": "gpu/test_atoms",
    "gpu/nvidia": "gpu/test_atoms",
    "indexing/exact": "indexing/test_exact indexing/test_proofs",
    "indexing/recognition": "indexing/test_layouts",
    "layouts/layout": "layouts/test_layout* layouts/test_origin",
    "mypy_plugin": "types/test_types types/test_marks",
    "numbers/assumptions": "numbers/test_conditions numbers/test_keeping",
    "numbers/context": "numbers/test_keeping numbers/test_conditions",
    "numbers/facts": "numbers/test_proof numbers/test_conditions numbers/test_evaluation*",
    "numbers/reading": "numbers/test_symbols numbers/test_conditions",
    "types/terms": "types/test_types types/test_marks",
}
"""The own tests of a module, or of a package's modules, where no file has its name."""

ROOMS = {"errors": "ground", "mypy_plugin": "types"}
"""Where the tests of a loose module lie, if not at the top."""

ABOVE = {"algebra": "explain/test_operations.py", "numbers": "algebra/test_symbolic*.py"}
"""Tests of a room above that look at this one: the steps of operations, expressions in layouts."""

PROFILE = """

from hypothesis import Phase

phases = Phase.explicit, Phase.generate
for profile in ("quick", "tla"):
    settings.register_profile(
        profile, deadline=None, derandomize=True, database=None, phases=phases, max_examples=50
    )
    settings.load_profile(profile)
"""
"""What the copies add to `conftest.py`: a failure is not shrunk."""

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

NOT_SWAPPED = {
    "_product",
    "congruent",
    "gcd",
    "isinstance",
    "known_eq",
    "lcm",
    "max",
    "min",
    "same_static",
}
"""Functions that are symmetric, or that refuse the swapped arguments in each call."""

Edit = tuple[int, int, str]
"""Bytes from a start to an end, and the text that replaces them."""


class Mutant(NamedTuple):
    """One wrong change of one file."""

    file: str
    line: int
    function: str
    change: str  # `old -> new`, of the smallest expression around it that is long enough to read
    edits: tuple[Edit, ...]

    @property
    def key(self) -> tuple[str, str, str]:
        return self.file.removeprefix("tla/"), self.function, self.change

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.function}: {self.change}"


class Source:
    """A parsed file, with positions in bytes, as `ast` counts columns."""

    def __init__(self, file: str, root: Path = ROOT) -> None:
        self.file = file
        self.bytes = (root / file).read_bytes()
        self.starts = [0]
        for line in self.bytes.splitlines(keepends=True):
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
    is_changed = isinstance(test, ast.Compare) or (
        isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
    )
    if not is_changed and ast.unparse(test) != "TYPE_CHECKING":
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
    if isinstance(node, ast.keyword):
        return node.arg == "strict"
    return isinstance(node, (ast.JoinedStr, ast.arg))


def mutants(file: str) -> list[Mutant]:
    """Every wrong change of a file of the package, from top to bottom."""
    source = Source(file)
    found: list[Mutant] = []

    def visit(node: ast.AST, around: list[ast.expr], function: str) -> None:
        found.extend(mutant(source, node, around, function, edits) for edits in changes(source, node))
        if isinstance(node, ast.FunctionDef):
            function = node.name
        is_part = isinstance(node, (ast.expr, ast.keyword))
        around = [*around, node] if isinstance(node, ast.expr) else around
        unread = {"annotation", "returns", "decorator_list", "type_params"}
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            unread = {"test", "body"}
        for name, value in ast.iter_fields(node):
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST) and name not in unread and not is_left_out(child):
                    visit(child, around if is_part else [], function)

    visit(ast.parse(source.bytes), [], "")
    return found


def mutant(
    source: Source, node: ast.AST, around: list[ast.expr], function: str, edits: list[Edit]
) -> Mutant:
    shown = [x for x in (node, *reversed(around)) if isinstance(x, (ast.expr, ast.AugAssign))]
    spans = [source.span(x) for x in shown] or [edits[0][:2]]
    start, end = next((s for s in spans if s[1] - s[0] >= 12), spans[-1])
    if end - start > 120:
        start, end = spans[0]
    line = source.bytes.count(b"\n", 0, edits[0][0]) + 1
    old, new = source.bytes[start:end].decode(), source.edited(edits, start, end).decode()
    return Mutant(source.file, line, function, " ".join(f"{old} -> {new}".split()), tuple(edits))


# --- the tests of a file ----------------------------------------------------------------------


def tests_of(file: str) -> list[list[str]]:
    """The own tests of a module, its doctests, then the others of its room and those that ask for it."""
    path = Path(file)
    dotted = ".".join(path.with_suffix("").parts).removesuffix(".__init__")
    module = path.relative_to("tla").with_suffix("")
    top, room = ROOT / "tests", module.parts[0] if len(module.parts) > 1 else ""
    folder = top / ROOMS.get(room or module.stem, room)
    tests = {*top.glob("test_*.py"), *folder.glob("test_*.py"), *top.glob(ABOVE.get(room, "-"))}
    named = f"{folder.name}/test_{module.stem} {folder.name}/test_{module.stem}_*"
    names = OWN.get(str(module)) or OWN.get(str(module.parent)) or named
    own = {test for name in names.split() for test in top.glob(f"{name}.py")}
    own |= {test for test in tests if not room and test.name == f"test_{module.stem}.py"}
    asks = re.compile(rf"(from|import) {re.escape('.'.join(dotted.split('.')[:2]))}\b")
    rest = {test for test in tests - own if test.parent != top or asks.search(test.read_text("utf-8"))}
    files = [sorted(str(test.relative_to(ROOT)) for test in those) for those in (own, rest)]
    return [files[0], [f"tests/test_doctests.py::test_examples_of_a_module[{dotted}]"], files[1]]


class Copy:
    """A copy of the repository in which one file at a time is changed."""

    def __init__(self, where: Path) -> None:
        self.root = where
        self.times = count(1)
        self.limits: dict[str, float] = {}
        where.mkdir()
        for path in ROOT.iterdir():
            if path.name in ("tla", "tests"):
                shutil.copytree(path, where / path.name, ignore=shutil.ignore_patterns("__pycache__"))
            elif not path.name.startswith(".") and path.name not in ("build", "dist", "site"):
                (where / path.name).symlink_to(path)
        with (where / "tests" / "conftest.py").open("a", encoding="utf-8") as conftest:
            conftest.write(PROFILE)

    def failure(self, tests: Sequence[str], limit: float) -> str | None:
        """The first test that does not pass within so many seconds, or None."""
        options = ["-x", "-q", "--tb=no", "-p", "no:cacheprovider"]
        command = [sys.executable, "-m", "pytest", *options, *tests]
        environment = {**os.environ, "PYTHONPATH": str(self.root)}
        with tempfile.TemporaryFile("w+") as out:
            with subprocess.Popen(
                command, cwd=self.root, env=environment, stdout=out, stderr=out, start_new_session=True
            ) as process:
                try:
                    status = process.wait(limit)
                except subprocess.TimeoutExpired:
                    os.killpg(process.pid, signal.SIGKILL)
                    return "timeout"
            out.seek(0)
            text = out.read()
        if status not in (0, 1, 2, 3, 4):
            raise SystemExit(f"{' '.join(command)} ends with {status}:\n{text}")
        failed = re.search(r"^(?:FAILED|ERROR) (.*?)(?: - .*)?$", text, re.MULTILINE)
        return None if status == 0 else failed[1] if failed else text.strip()[-200:]

    def limit(self, tests: Sequence[str]) -> float:
        """A generous time for these tests, which must pass while nothing is changed."""
        key = " ".join(tests)
        if key not in self.limits:
            start = time.monotonic()
            if test := self.failure(tests, 3600):
                raise SystemExit(f"the tests fail without a change: {test}")
            self.limits[key] = 4 * (time.monotonic() - start) + 10
        return self.limits[key]

    def write(self, file: str, text: bytes) -> None:
        """Write a file, with a time of its own: Python goes by it, and finds old byte code by it."""
        (self.root / file).write_bytes(text)
        os.utime(self.root / file, (at := next(self.times), at))

    def killer(self, mutant: Mutant, stages: Sequence[Sequence[str]]) -> str | None:
        """The first test that sees the change, or None."""
        source = Source(mutant.file)
        for tests in filter(None, stages):
            limit = self.limit(tests)
            self.write(mutant.file, source.edited(mutant.edits))
            test = self.failure(tests, limit)
            self.write(mutant.file, source.bytes)
            if test:
                return test
        return None


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
    rows = map(json.loads, EQUIVALENT.read_text("utf-8").splitlines())
    equivalent = {(row["file"], row["function"], row["change"]) for row in rows}
    open_ = [m for m in every if m.key not in equivalent]
    drawn = open_
    if 0 < options.count < len(open_):
        drawn = random.Random(options.seed).sample(open_, options.count)
        drawn.sort(key=lambda m: (m.file, m.line))
    print(f"{len(drawn)} of {len(open_)} changes, seed {options.seed}; ", end="")
    print(f"{len(every) - len(open_)} equivalent ones left out", flush=True)
    if options.list:
        print(*drawn, sep="\n")
        keys, files = {m.key for m in every}, {m.key[0] for m in every}
        print(*(f"fits nothing: {row}" for row in equivalent - keys if row[0] in files), sep="\n")
        return 0

    with tempfile.TemporaryDirectory() as where:
        copies: SimpleQueue[Copy] = SimpleQueue()
        for job in range(options.jobs):
            copies.put(Copy(Path(where) / str(job)))

        def run(mutant: Mutant) -> bool:
            copy = copies.get()
            stages = [options.tests] if options.tests else tests_of(mutant.file)
            test = copy.killer(mutant, stages[:2] if options.own else stages)
            copies.put(copy)
            print(f"{mutant}: {f'killed by {test}' if test else 'ALIVE'}", flush=True)
            return test is None

        with ThreadPoolExecutor(options.jobs) as pool:
            alive = sum(pool.map(run, drawn))
    print(f"{len(drawn) - alive} killed, {alive} alive")
    return int(alive > 0)


if __name__ == "__main__":
    try:
        status = main()
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has left, content
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 0
    sys.exit(status)
