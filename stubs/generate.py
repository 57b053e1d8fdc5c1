#!/usr/bin/env python3
"""Write `tla-stubs/numbers/ints.pyi`: the signatures of `tla/numbers/ints.py`, with `Int`'s arithmetic.

A checker without a plugin knows that ``_2 * _12`` is 24 only where a stub says so. The stub of a module
replaces the module, so all of it is repeated: the signatures are read from its source, and each operator
is a table over the usual values, whose results the library's own `Int` computes. Beyond the table a
result is what the source declares.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import operator
import re
import sys
from collections import defaultdict
from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

STUBS = Path(__file__).resolve().parent
OVERLAY = STUBS / "tla-stubs" / "numbers" / "ints.pyi"
sys.path.insert(0, str(STUBS.parent))

from tla.numbers import ints  # noqa: E402
from tla.numbers.ints import Int  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

OPERANDS = (0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128, 256, 512, 1024)
"""What the tables take. pyright's time grows with the square of their number; see `compare_time.py`."""

NAMED = tuple(sorted(int(value) for value in vars(ints).values() if type(value) is Int))
"""The values that have a name, such as ``_4``."""

BINARY: dict[str, Callable[[Any, Any], object]] = {
    "__add__": operator.add,
    "__sub__": operator.sub,
    "__mul__": operator.mul,
    "__floordiv__": operator.floordiv,
    "__mod__": operator.mod,
}
UNARY: dict[str, Callable[[Any], object]] = {
    "__neg__": operator.neg,
    "__pos__": operator.pos,
    "__abs__": operator.abs,
}

SAME_TYPE = ("bounded", "constexpr", "typed_by")
"""Decorators that return what they take: nothing to a checker that reads signatures."""

HEADER = """\
# Written by stubs/generate.py from tla/numbers/ints.py: change those and run it again.
# ruff: noqa
# fmt: off
"""


def overlay(operands: Iterable[int] = OPERANDS) -> str:
    """The text of the stub."""
    source = ast.parse(Path(ints.__file__).read_text("utf-8"))
    statements = needed(list(signatures(source.body, tables(list(map(Int, operands))))))
    text = "\n".join(map(ast.unparse, statements))
    return HEADER + re.sub(r":\n +\.\.\.$", ": ...", text, flags=re.M) + "\n"


# --- the tables -------------------------------------------------------------------------------


Tables: TypeAlias = "dict[str, list[ast.stmt]]"


def tables(operands: list[Int[int]]) -> Tables:
    """The overloads of each operator, without the last, which the source declares."""
    binary = {name: list(binary_table(name, operate, operands)) for name, operate in BINARY.items()}
    unary = {name: list(unary_table(name, operate, operands)) for name, operate in UNARY.items()}
    return binary | unary


def binary_table(
    name: str, operate: Callable[[Any, Any], object], operands: list[Int[int]]
) -> Iterator[ast.stmt]:
    """One overload for each result that a left operand has, over all right ones that give it.

    ``Int`` is covariant, so an ``Int[Literal[3]]`` is an ``Int[Literal[2, 3]]``.
    """
    rows: dict[tuple[tuple[Int[int], ...], object], list[Int[int]]] = defaultdict(list)
    for left in operands:
        results: dict[object, list[Int[int]]] = defaultdict(list)
        for right in operands:
            if right or name not in ("__floordiv__", "__mod__"):
                results[operate(left, right)].append(right)
        for result, rights in results.items():
            rows[tuple(rights), result].append(left)
    for (others, result), lefts in rows.items():
        yield overload(f"{name}(self: {typed(*lefts)}, other: {typed(*others)}, /) -> {typed(result)}")


def unary_table(
    name: str, operate: Callable[[Any], object], operands: list[Int[int]]
) -> Iterator[ast.stmt]:
    """One overload for each operand."""
    for operand in operands:
        yield overload(f"{name}(self: {typed(operand)}) -> {typed(operate(operand))}")


def typed(*values: object) -> str:
    """The type of static ints: any of these values."""
    if not all(type(value) is Int for value in values):
        raise TypeError(f"not all static: {values}")
    return f"Int[Literal[{', '.join(f'{value:d}' for value in values)}]]"


def overload(signature: str) -> ast.stmt:
    """One overload, without a body."""
    return ast.parse(f"@overload\ndef {signature}: ...").body[0]


# --- the source, without its bodies -----------------------------------------------------------


def signatures(body: list[ast.stmt], tables: Tables) -> Iterator[ast.stmt]:
    """What a checker reads of a module or a class."""
    overloaded: set[str] = set()
    declared: dict[str, ast.FunctionDef] = {
        s.name: deepcopy(s) for s in body if isinstance(s, ast.FunctionDef)
    }
    for statement in body:
        match statement:
            case ast.Assign(value=ast.Name(id=name)) if name in declared:  # more names of a function
                for target in statement.targets:
                    copy = deepcopy(declared[name])
                    copy.name = ast.unparse(target)
                    yield from signatures([copy], tables)
            case ast.If(test=ast.Name(id="TYPE_CHECKING")):
                yield from signatures(statement.body, tables)
            case ast.If(test=ast.UnaryOp(op=ast.Not(), operand=ast.Name(id="TYPE_CHECKING"))):
                yield from signatures(statement.orelse, tables)
            case ast.ImportFrom(module="__future__") | ast.Expr(value=ast.Constant()):
                pass
            case ast.ClassDef():
                own = tables if statement.name == "Int" else {}
                statement.decorator_list = typing_decorators(statement)
                statement.body = list(signatures(statement.body, own)) or [ast.parse("...").body[0]]
                yield statement
            case ast.FunctionDef():
                statement.decorator_list = typing_decorators(statement)
                is_overload = any(ast.unparse(d) == "overload" for d in statement.decorator_list)
                if is_overload:
                    overloaded.add(statement.name)
                if statement.name in tables:
                    yield from tables[statement.name]
                    statement.decorator_list.insert(0, ast.Name("overload"))
                if is_overload or statement.name not in overloaded:  # else its implementation
                    statement.body = [ast.parse("...").body[0]]
                    yield statement
            case ast.AnnAssign():
                if ast.unparse(statement.annotation) != "TypeAlias":
                    statement.value = None
                yield statement
            case ast.Assign():
                yield from assignment(statement)
            case _:
                yield statement


def typing_decorators(statement: ast.ClassDef | ast.FunctionDef) -> list[ast.expr]:
    """The decorators that change the type."""
    return [d for d in statement.decorator_list if ast.unparse(d).partition("(")[0] not in SAME_TYPE]


def assignment(statement: ast.Assign) -> Iterator[ast.stmt]:
    """The type of each name that is an int; type variables, ``__all__``, ``__slots__`` as they stand."""
    names = [node.id for t in statement.targets for node in ast.walk(t) if isinstance(node, ast.Name)]
    values = {name: vars(ints)[name] for name in names if type(vars(ints).get(name)) in (int, Int)}
    for name, value in values.items():
        yield ast.parse(f"{name}: {typed(value) if type(value) is Int else 'int'}").body[0]
    if not values:
        yield statement


def needed(statements: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The public statements, and the private ones and imports that these name, directly or not."""
    own = [s for s in statements if not isinstance(s, ast.Import | ast.ImportFrom)]
    wanted = {*ints.__all__, "__all__"}
    wanted |= {name for s in own for name in defined(s) if not name.startswith("_")}
    while more := {word for s in own if defined(s) & wanted for word in words(s)} - wanted:
        wanted |= more
    for statement in statements:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            statement.names = [a for a in statement.names if (a.asname or a.name) in wanted]
            if statement.names:
                yield statement
        elif defined(statement) & wanted:
            yield statement


def defined(statement: ast.stmt) -> set[str]:
    """The names that a definition or an assignment binds."""
    if isinstance(statement, ast.ClassDef | ast.FunctionDef):
        return {statement.name}
    names = (node for node in ast.walk(statement) if isinstance(node, ast.Name))
    return {name.id for name in names if isinstance(name.ctx, ast.Store)}


def words(statement: ast.stmt) -> set[str]:
    """The names in a statement, those in its strings included: an annotation may be one."""
    return set(re.findall(r"\w+", ast.unparse(statement)))


# --- the command ------------------------------------------------------------------------------


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing: print a diff, exit with 1")
    parser.add_argument("file", nargs="?", type=Path, default=OVERLAY, help="default: %(default)s")
    options = parser.parse_args(arguments)
    path: Path = options.file
    written = overlay()
    if not options.check:
        path.write_text(written, "utf-8")
        return 0
    found = path.read_text("utf-8") if path.exists() else ""
    lines = difflib.unified_diff(
        found.splitlines(), written.splitlines(), str(path), "generated", lineterm="", n=1
    )
    difference = "\n".join(lines)
    if difference:
        print(difference)
    return 1 if difference else 0


if __name__ == "__main__":
    sys.exit(main())
