# SPDX-License-Identifier: Apache-2.0
"""Kernels written in Python as kernels in C++: loops and flags stay, words become calls of AscendC.

>>> import numpy as np
>>> from tla.ascend.kernels import kernel
>>> @kernel("AtlasA2", core="AIV")
... def twice(ctx, X, Y):
...     x = ctx.alloc("UB", X, (1, 256))
...     for row in range(ctx.block_idx, X.shape[0], ctx.block_num):
...         ctx.copy_gm_to_ub(x, tla.tile_view(X, (row, 0), (1, 256)))
>>> import tla
>>> x = np.zeros((8, 256), np.float32)
>>> for line in translate(twice, x, x).source.splitlines():
...     if "for (" in line or "CopyGmToUb(ub" in line:
...         print(line)
        for (int64_t row = AscendC::GetBlockIdx(); row < 8; row += AscendC::GetBlockNum()) {
            CopyGmToUb(ub, tile);

What depends on shapes, options and the kind of core alone is computed here, as `simulate` does for each
core. What depends on the core or on a turn of a loop is C++. The subset: names, ints, tuples, ``if``,
``for`` over ranges, tasks and sequences, ``while``, functions, ``with block_mmad(...)``, the words of
`Context`. docs/howto/translate_an_ascend_kernel.md has all of it.
"""
# ruff: noqa: N802 (methods have the names of the nodes of ast)

from __future__ import annotations

import ast
import builtins
import inspect
import operator
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn

from ...errors import KindError, TlaError, UnsupportedError
from ...layouts import Layout, get_tile, is_tensor, tile_view
from ...numbers import ceil_div, round_up
from ..plans import Memory, cpp_text, host_program
from .blocks import block_mmad
from .cpp_words import (
    BlockOfCpp,
    CppWords,
    Number,
    Strided,
    Tasks,
    Turns,
    cpp,
    is_known,
    least,
    number_of,
)
from .places import store_of
from .simulation import given_arrays

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from ..plans import CppProgram
    from .simulation import Kernel

_BLOCK_MMAD: Final = inspect.unwrap(block_mmad)
_BLOCKS: Final = "tla.ascend.kernels.blocks"
_WAY_OUT: Final = "docs/howto/translate_an_ascend_kernel.md has the subset."
_UNROLLED: Final = 64
_OPERATORS: Final[dict[type, str]] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.FloorDiv: "floordiv", ast.Mod: "mod",
    ast.Div: "truediv", ast.Pow: "pow", ast.LShift: "lshift", ast.RShift: "rshift", ast.BitAnd: "and_",
    ast.BitOr: "or_", ast.BitXor: "xor", ast.USub: "neg", ast.UAdd: "pos", ast.Lt: "lt", ast.LtE: "le",
    ast.Gt: "gt", ast.GtE: "ge", ast.Eq: "eq", ast.NotEq: "ne", ast.Is: "is_", ast.IsNot: "is_not",
}  # fmt: skip
_HEADERS: Final = (
    "catlass/arch/arch.hpp", "catlass/arch/resource.hpp", "catlass/catlass.hpp",
    "catlass/gemm/block/block_mmad.hpp", "catlass/gemm/block/block_swizzle.hpp",
    "catlass/gemm/dispatch_policy.hpp", "catlass/gemm/gemm_type.hpp", "catlass/gemm/tile/tile_copy.hpp",
    "catlass/layout/layout.hpp", "tla/layout.hpp", "tla/tensor.hpp", "helper.hpp",
)  # fmt: skip
_KINDS: Final = {"AIC": "cube", "AIV": "vec", "MIX": "mix"}


def translate(kernel: Kernel, *arrays: Any, name: str | None = None, **options: Any) -> CppProgram:
    """Return the C++ program of a kernel: what it issues is what `simulate` issues.

    Args:
        kernel: A function with the mark `kernel`.
        arrays: One for each tensor, as for `simulate`: their shapes and element types are the program's.
        name: The name of the program; by default that of the kernel.
        options: The kernel's parameters with defaults.

    Raises:
        UnsupportedError: the kernel does something that has no C++ here; the error names the line.
        ArgumentError: as `simulate`.
    """
    given = given_arrays(kernel, arrays, options)
    sides = ("AIC", "AIV") if kernel.core == "MIX" else (kernel.core,)
    parts: list[str] = []
    workspaces: dict[str, int] = {}
    for side in sides:
        words = CppWords(kernel.arch, f"{side}0", 1)
        words.indent = 2
        tensors = [words.global_tensor(x.tensor, f"ptr{of}") for of, x in given.items()]
        _Translator(words).called(kernel.function, [words, *tensors], options, None)
        workspaces |= words.memories
        parts += [f"    if ASCEND_IS_{side} {{", *words.lines, "    }"]
    pointers = [*given, *workspaces]
    signature = ", ".join([*(f"GM_ADDR ptr{of}" for of in pointers), "uint64_t hardwareSyncAddr"])
    device = [
        f"// {kernel.name} on {kernel.arch}; with -DCATLASS_ARCH={kernel.arch.code}.",
        "#ifndef K_MAX_SHAPE_DIM", "#define K_MAX_SHAPE_DIM 0", "#endif",
        *(f'#include "{header}"' for header in _HEADERS),
        "", "using namespace Catlass;", f"using ArchTag = Arch::{kernel.arch.tag};",
        "", cpp_text("kernel.hpp"),
        f"CATLASS_GLOBAL void Kernel({signature})",
        "{",
        *(["    AscendC::SetSyncBaseAddr(hardwareSyncAddr);"] if kernel.arch.code == 2201 else []),
        "    Arch::Resource<ArchTag> resource;",
        *parts,
        "}",
        "",
    ]  # fmt: skip
    memories = [Memory(of, x.memory.nbytes, is_written=True) for of, x in given.items()]
    memories += [Memory(of, size, is_read=False) for of, size in workspaces.items()]
    count = "GetCoreNumAiv" if kernel.core == "AIV" else "GetCoreNumAic"
    arguments = ", ".join([*(f"device{of}" for of in pointers), "hardwareSyncAddr"])
    launch = [f"Kernel<<<platform->{count}(), nullptr, stream>>>({arguments});"]
    kind = _KINDS[kernel.core]
    return host_program(name or kernel.name, kind, "\n".join(device), memories, launch)


class _Range(Turns):
    """Ints of which the run knows an end."""

    def __init__(self, start: Number | int, stop: Number | int, step: Number | int) -> None:
        self.ends = start, stop, step


class _Counted(Turns):
    """What `enumerate` gives of turns that the run knows."""

    def __init__(self, inner: Any, start: Any) -> None:
        self.inner = inner
        self.start = start


class _Task(NamedTuple):
    start: tuple[Any, ...]
    shape: tuple[Any, ...]


class _Function(NamedTuple):
    """A function of the kernel's own, with the names around it."""

    node: ast.FunctionDef
    names: dict[str, Any]


class _Ended(Exception):  # noqa: N818  # no error: a function has returned
    def __init__(self, value: Any) -> None:
        self.value = value


class _Frame(NamedTuple):
    """A function that is being translated: its file, the line before its first, its names."""

    file: str
    before: int
    names: dict[str, Any]
    outer: tuple[Mapping[str, Any], ...]


class _Translator:
    def __init__(self, words: CppWords) -> None:
        self.words = words
        self.frame = _Frame("", 0, {}, ())
        self.turns: int = 0
        """How many loops and conditions of the run were around when the function was called."""
        self.variables: set[str] = set()
        """The names in C++ that may be assigned again."""

    # --- functions

    def called(
        self, function: Any, given: list[Any], named: Mapping[str, Any], node: ast.AST | None
    ) -> Any:
        """Translate the body of a function with arguments, and return its value."""
        if isinstance(function, _Function):
            return self._ran(function.node, function.names, given, named, node)
        try:
            lines, first = inspect.getsourcelines(function)
            tree = ast.parse(textwrap.dedent("".join(lines))).body[0]
        except (OSError, TypeError, SyntaxError):
            self.refuse(node, f"{getattr(function, '__name__', function)!r}, whose source is not there,")
        if not isinstance(tree, ast.FunctionDef):
            self.refuse(node, "a lambda that is called on the core")
        cells = inspect.getclosurevars(function).nonlocals
        outer = (cells, function.__globals__, vars(builtins))
        before, self.frame = (
            self.frame,
            _Frame(Path(inspect.getfile(function)).name, first - 1, {}, outer),
        )
        defaults = inspect.signature(function)
        try:
            bound = defaults.bind(*given, **named)
            bound.apply_defaults()
            return self._body(tree, dict(bound.arguments))
        finally:
            self.frame = before

    def _ran(
        self, node: ast.FunctionDef, names: dict[str, Any], given: list[Any], named: Mapping[str, Any],
        at: ast.AST | None,
    ) -> Any:  # fmt: skip
        parameters = [x.arg for x in (*node.args.posonlyargs, *node.args.args)]
        values = dict(
            zip(parameters[::-1], [self.value(x) for x in node.args.defaults][::-1], strict=False)
        )
        values |= dict(zip(parameters, given, strict=False)) | dict(named)
        if len(given) > len(parameters) or {*values} != {*parameters}:
            self.refuse(at, f"{node.name} with these arguments")
        before = self.frame
        self.frame = before._replace(names={}, outer=(names, *before.outer))
        try:
            return self._body(node, values)
        finally:
            self.frame = before

    def _body(self, node: ast.FunctionDef, values: dict[str, Any]) -> Any:
        self.frame.names.update(values)
        turns, self.turns = self.turns, self.words.turns
        try:
            self.block(node.body)
        except _Ended as ended:
            return ended.value
        finally:
            self.turns = turns
        return None

    def refuse(self, node: ast.AST | None, what: str, *details: str) -> NoReturn:
        line = self.frame.before + getattr(node, "lineno", 1)
        raise UnsupportedError(
            f"{self.frame.file}:{line}: {what} has no C++ here", *details, _WAY_OUT, line=line
        )

    # --- statements

    def block(self, body: Iterable[ast.stmt]) -> None:
        for node in body:
            way = getattr(self, f"_{type(node).__name__}", None)
            if way is None:
                self.refuse(node, f"`{ast.unparse(node).splitlines()[0]}`")
            try:
                way(node)
            except UnsupportedError as error:
                if "line" in error.data:
                    raise
                line = self.frame.before + node.lineno
                text = f"{self.frame.file}:{line}: {error.summary}"
                raise UnsupportedError(text, *error.details, _WAY_OUT, line=line) from None
            except _Ended:
                raise
            except KindError as error:
                self.refuse(node, f"`{ast.unparse(node).splitlines()[0]}`", error.summary)
            except (
                TypeError, ValueError, LookupError, AttributeError, ArithmeticError, OSError
            ) as error:  # fmt: skip
                if isinstance(error, TlaError):
                    error.add_note(f"{self.frame.file}:{self.frame.before + node.lineno}")
                    raise
                self.refuse(node, f"`{ast.unparse(node).splitlines()[0]}`", str(error))

    def _Pass(self, node: ast.Pass) -> None: ...

    def _Assert(self, node: ast.Assert) -> None: ...

    def _FunctionDef(self, node: ast.FunctionDef) -> None:
        self.frame.names[node.name] = _Function(node, self.frame.names)

    def _Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):
            self.value(node.value)

    def _Return(self, node: ast.Return) -> None:
        if self.words.turns > self.turns:
            self.refuse(node, "a return inside a loop or a condition of the run")
        raise _Ended(None if node.value is None else self.value(node.value))

    def _Continue(self, node: ast.Continue) -> None:
        if self.words.turns == self.turns:
            self.refuse(node, "continue in a loop that is unrolled")
        self.words.say("continue;")

    def _Break(self, node: ast.Break) -> None:
        if self.words.turns == self.turns:
            self.refuse(node, "break in a loop that is unrolled")
        self.words.say("break;")

    def _Assign(self, node: ast.Assign) -> None:
        value = self.value(node.value)
        for target in node.targets:
            self.assign(target, value)

    def _AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.assign(node.target, self.value(node.value))

    def _AugAssign(self, node: ast.AugAssign) -> None:
        before = self.value(
            ast.copy_location(ast.Name(getattr(node.target, "id", ""), ast.Load()), node)
        )
        self.assign(node.target, _applied(node.op, before, self.value(node.value)))

    def assign(self, target: ast.expr, value: Any) -> None:
        """Give a name a value; a number of the run becomes a variable."""
        if isinstance(target, ast.Tuple | ast.List):
            parts = list(value)
            if len(parts) != len(target.elts) or any(isinstance(x, ast.Starred) for x in target.elts):
                self.refuse(target, f"`{ast.unparse(target)}` of {len(parts)} values")
            for one, part in zip(target.elts, parts, strict=True):
                self.assign(one, part)
            return
        if not isinstance(target, ast.Name):
            self.refuse(target, f"an assignment to `{ast.unparse(target)}`")
        name, names = target.id, self.frame.names
        before = names.get(name)
        if isinstance(before, Number) and before.text in self.variables:
            if not isinstance(value, Number | int):
                self.refuse(target, f"{name}, a number in one turn and none in another,")
            self.words.say(f"{before.text} = {cpp(value)};")
        elif isinstance(value, Number):
            made = self.words.declared(name, value.text, "const int64_t")
            names[name] = Number(made, value.is_natural)
        else:
            names[name] = value

    def _promote(self, nodes: Iterable[ast.AST], at: ast.AST) -> None:
        """Make variables of the names with a value that a loop or a condition assigns."""
        names = self.frame.names
        for name in sorted(_assigned(nodes)):
            value = names.get(name)
            if name not in names or (isinstance(value, Number) and value.text in self.variables):
                continue
            if not isinstance(value, Number | int):
                if not is_tensor(value):
                    self.refuse(at, f"{name}, which is no number and is assigned again inside,")
                continue  # inside, the name is another tensor; behind it has none
            made = self.words.declared(name, cpp(value), "int64_t")
            self.variables.add(made)
            names[name] = Number(made, number_of(value).is_natural)

    def _inside(
        self, head: str, body: list[ast.stmt], begin: Callable[[], object] | None = None
    ) -> None:
        """A block of C++ in braces; what it alone names has no value behind it."""
        names, words = self.frame.names, self.words
        before, taken = dict(names), words.names.copy()
        words.say(f"{head} {{")
        words.indent += 1
        words.turns += 1
        if begin is not None:
            begin()
        self.block(body)
        words.turns -= 1
        words.names = taken
        words.indent -= 1
        words.say("}")
        assigned = _assigned(body)
        kept = {k: x for k, x in before.items() if k not in assigned or isinstance(x, Number | int)}
        names.clear()
        names.update(kept)

    def _If(self, node: ast.If) -> None:
        test = self.value(node.test)
        if not isinstance(test, Number):
            self.block(node.body if test else node.orelse)
            return
        self._promote([*node.body, *node.orelse], node)
        both = _assigned(node.body) & _assigned(node.orelse) - {*self.frame.names}
        for name in sorted(both):
            made = self.words.declared(name, "0", "int64_t")
            self.variables.add(made)
            self.frame.names[name] = Number(made, is_natural=True)
        self._inside(f"if ({test.text})", node.body)
        if node.orelse:
            self._inside("else", node.orelse)

    def _While(self, node: ast.While) -> None:
        self._promote(node.body, node)
        test = self.value(node.test)
        if not isinstance(test, Number) or node.orelse:
            self.refuse(node, "a while loop whose condition is known before the run")
        self._inside(f"while ({test.text})", node.body)

    def _With(self, node: ast.With) -> None:
        if len(node.items) != 1:
            self.refuse(node, "with of several values")
        self.words.say("{")
        self.words.indent += 1
        value = self.value(node.items[0].context_expr)
        if not isinstance(value, BlockOfCpp):
            self.refuse(node, f"with of `{ast.unparse(node.items[0].context_expr)}`")
        if node.items[0].optional_vars is not None:
            self.assign(node.items[0].optional_vars, value)
        self.block(node.body)
        self.words.indent -= 1
        self.words.say("}")

    def _For(self, node: ast.For) -> None:
        turns = self.value(node.iter)
        if node.orelse:
            self.refuse(node, "else behind a loop")
        if isinstance(turns, range) and len(turns) > 1:
            words = self.words
            lines, names, around = [*words.lines], dict(self.frame.names), (words.turns, words.indent)
            try:
                self._loop(node, _Range(turns.start, turns.stop, turns.step))
            except UnsupportedError:
                if len(turns) > _UNROLLED:
                    raise
                words.lines, (words.turns, words.indent) = lines, around
                self.frame.names.clear()
                self.frame.names.update(names)
            else:
                return
        if isinstance(turns, Turns):
            self._loop(node, turns)
            return
        for one in turns:
            self.assign(node.target, one)
            self.block(node.body)

    def _loop(self, node: ast.For, turns: Any) -> None:
        words, target = self.words, node.target
        self._promote(node.body, node)
        values: dict[str, Any] = {}
        more, task = "", None
        if isinstance(turns, _Counted):
            pair = target.elts if isinstance(target, ast.Tuple) else []
            if len(pair) != 2 or not isinstance(pair[0], ast.Name):
                self.refuse(node, "enumerate without two names")
            count = words.declared(pair[0].id, cpp(turns.start), "int64_t")
            values[pair[0].id] = Number(count, number_of(turns.start).is_natural)
            more, target, turns = f", ++{count}", pair[1], turns.inner
        if isinstance(turns, Tasks):
            head, task = self._tasks(turns)
        elif isinstance(turns, _Range) and isinstance(target, ast.Name):
            start, stop, step = turns.ends
            if isinstance(step, Number) and not step.is_natural:
                self.refuse(node, "a step that may be negative")
            made = words.fresh(target.id)
            down = isinstance(step, int) and step < 0
            head = (
                f"for (int64_t {made} = {cpp(start)}; {made} {'>' if down else '<'} {cpp(stop)}; "
                f"{made} += {cpp(step)}"
            )
            values[target.id] = Number(made, number_of(start).is_natural and not down)
        else:
            self.refuse(node, "a loop over this")

        def begin() -> None:
            self.frame.names.update(values)
            if task is not None:
                self.assign(target, task())

        self._inside(f"{head}{more})", node.body, begin)
        for name in _assigned([node.target]):
            self.frame.names.pop(name, None)

    def _tasks(self, turns: Tasks) -> tuple[str, Any]:
        words = self.words
        m, n, k = (f"uint32_t({cpp(x)})" for x in turns.problem)
        tile = turns.tile
        swizzle = words.fresh("swizzle")
        problem, sizes = f"GemmCoord{{{m}, {n}, {k}}}", f"MakeCoord({tile[0]}u, {tile[1]}u)"
        words.say(f"Gemm::Block::{turns.swizzle} {swizzle}({problem}, {sizes});")
        at = words.fresh("task")
        head = (
            f"for (uint32_t {at} = {words.group_idx.text}; {at} < {swizzle}.GetCoreLoops(); "
            f"{at} += AscendC::GetBlockNum()"
        )

        def task() -> _Task:
            coord = words.declared("coord", f"{swizzle}.GetBlockCoord({at})", "GemmCoord")
            shape = words.declared("extents", f"{swizzle}.GetActualBlockShape({coord})", "GemmCoord")
            start = tuple(
                Number(words.declared(x, f"{coord}.{x}() * {size}", "const int64_t"))
                for x, size in zip("mnk", tile, strict=True)
            )
            return _Task(start, tuple(Number(f"int64_t({shape}.{x}())") for x in "mnk"))

        return head, task

    # --- values

    def value(self, node: ast.expr) -> Any:
        """The value of an expression: what is known, a number of the run, or a tensor."""
        way = getattr(self, f"_{type(node).__name__}", None)
        if way is None or isinstance(node, ast.stmt):
            self.refuse(node, f"`{ast.unparse(node)}`")
        return way(node)

    def _Constant(self, node: ast.Constant) -> Any:
        return node.value

    def _Name(self, node: ast.Name) -> Any:
        for names in (self.frame.names, *self.frame.outer):
            if node.id in names:
                return names[node.id]
        self.refuse(node, f"{node.id}, which has no value here or got it inside a loop,")

    def _Tuple(self, node: ast.Tuple | ast.List) -> Any:
        parts: list[Any] = []
        for one in node.elts:
            parts += list(self.value(one.value)) if isinstance(one, ast.Starred) else [self.value(one)]
        return tuple(parts) if isinstance(node, ast.Tuple) else parts

    _List = _Tuple

    def _Dict(self, node: ast.Dict) -> Any:
        return {self.value(k): self.value(x) for k, x in zip(node.keys, node.values, strict=True) if k}

    def _JoinedStr(self, node: ast.JoinedStr) -> Any:
        return "".join(str(self.value(x)) for x in node.values)

    def _FormattedValue(self, node: ast.FormattedValue) -> Any:
        return self.value(node.value)

    def _ListComp(self, node: ast.ListComp | ast.GeneratorExp) -> Any:
        def made(rest: list[ast.comprehension]) -> list[Any]:
            if not rest:
                return [self.value(node.elt)]
            found: list[Any] = []
            turns = self.value(rest[0].iter)
            if isinstance(turns, Turns):
                self.refuse(node, "a list whose length the run knows")
            for one in turns:
                self.assign(rest[0].target, one)
                if all(self.value(test) for test in rest[0].ifs):
                    found += made(rest[1:])
            return found

        before = dict(self.frame.names)
        try:
            return made(node.generators)
        finally:
            self.frame.names.clear()
            self.frame.names.update(before)

    _GeneratorExp = _ListComp

    def _BinOp(self, node: ast.BinOp) -> Any:
        return _applied(node.op, self.value(node.left), self.value(node.right))

    def _UnaryOp(self, node: ast.UnaryOp) -> Any:
        value = self.value(node.operand)
        if isinstance(node.op, ast.Not):
            return Number(f"!({value.text})", binds=6) if isinstance(value, Number) else not value
        return 0 - value if isinstance(value, Number) else _applied(node.op, value)

    def _BoolOp(self, node: ast.BoolOp) -> Any:
        is_and = isinstance(node.op, ast.And)
        open_: list[str] = []
        value: Any = is_and
        for one in node.values:
            value = self.value(one)
            if isinstance(value, Number):
                open_.append(f"({value.text})")
            elif bool(value) != is_and:
                return value if not open_ else Number(str(not is_and).lower())
        sign = " && " if is_and else " || "
        return Number(sign.join(open_), binds=1) if open_ else value

    def _Compare(self, node: ast.Compare) -> Any:
        left, parts = self.value(node.left), list[Any]()
        for op, right in zip(node.ops, node.comparators, strict=True):
            other = self.value(right)
            parts.append(_applied(op, left, other))
            left = other
        known = [x for x in parts if not isinstance(x, Number)]
        if not all(known):
            return False
        texts = [x.text for x in parts if isinstance(x, Number)]
        return Number(" && ".join(texts), binds=2 if len(texts) == 1 else 1) if texts else True

    def _IfExp(self, node: ast.IfExp) -> Any:
        test = self.value(node.test)
        if not isinstance(test, Number):
            return self.value(node.body if test else node.orelse)
        sides = [self.value(x) for x in (node.body, node.orelse)]
        if not all(isinstance(x, Number | int) for x in sides):
            self.refuse(node, f"`{ast.unparse(node)}`, of which a side is no number,")
        numbers = [number_of(x) for x in sides]
        text = f"{test.text} ? int64_t({numbers[0].text}) : int64_t({numbers[1].text})"
        return Number(text, all(x.is_natural for x in numbers), binds=0)

    def _Attribute(self, node: ast.Attribute) -> Any:
        value = self.value(node.value)
        if is_tensor(value) and node.attr in ("shape", "origin_shape"):
            return self.words.extents(value, node.attr)
        return getattr(value, node.attr)

    def _Subscript(self, node: ast.Subscript) -> Any:
        value = self.value(node.value)
        if isinstance(node.slice, ast.Slice):
            ends: list[Any] = [
                None if x is None else self.value(x)
                for x in (node.slice.lower, node.slice.upper, node.slice.step)
            ]
            return value[slice(*ends)]
        at = self.value(node.slice)
        if is_tensor(value):
            index: Any = at if isinstance(at, tuple) else (at,)  # pyright: ignore[reportUnknownVariableType]
            return self.words.sliced(value, index)
        if isinstance(at, Number):
            return self.words.stage(list(value), at)
        return value[at]

    def _Call(self, node: ast.Call) -> Any:
        function = self.value(node.func)
        given: list[Any] = []
        for one in node.args:
            given += list(self.value(one.value)) if isinstance(one, ast.Starred) else [self.value(one)]
        named: dict[str, Any] = {}
        for word in node.keywords:
            value = self.value(word.value)
            named |= {word.arg: value} if word.arg else value
        if isinstance(function, BlockOfCpp):
            return self.words.multiply(function, *given, **named)
        if isinstance(node.func, ast.Attribute) and self.value(node.func.value) is self.words:
            return function(*given, **named)
        plain = inspect.unwrap(function) if inspect.isroutine(function) else function
        known = is_known([*given, *named.values()]) and self.words not in given
        if not known and inspect.isroutine(plain) | isinstance(plain, type) and plain in _SPECIAL:
            return _SPECIAL[plain](self.words, *given, **named)
        inner = getattr(function, "function", plain)  # of a kernel, its function
        if not isinstance(inner, _Function) and (known or not inspect.isfunction(inner)):
            return function(*given, **named)
        module = "" if isinstance(inner, _Function) else inner.__module__
        if module.startswith("tla.") and not module.startswith(_BLOCKS):
            self.refuse(node, f"`{ast.unparse(node.func)}` of what only the run knows")
        return self.called(inner, given, named, node)


def _applied(op: ast.AST, *sides: Any) -> Any:
    """What an operator gives."""
    return getattr(operator, _OPERATORS[type(op)])(*sides)


def _assigned(nodes: Iterable[ast.AST]) -> set[str]:
    """The names that statements assign."""
    found: set[str] = set()
    rest = list(nodes)
    while rest:
        node = rest.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif not isinstance(node, ast.FunctionDef | ast.Lambda | ast.ListComp | ast.GeneratorExp):
            rest += list(ast.iter_child_nodes(node))
    return found


# --- functions of numbers and tiles that have a form in C++


def _tile(words: CppWords, tensor: Any, coord: Any, shape: Any) -> Any:
    return words.tile(tensor, coord, shape)


def _view(words: CppWords, tensor: Any, coord: Any, shape: Any) -> Any:
    return words.tile(tensor, coord, shape, "TileView")


def _block(words: CppWords, *given: Any, **named: Any) -> Any:
    bound = inspect.signature(_BLOCK_MMAD).bind(*given, **named)
    bound.apply_defaults()
    x = bound.arguments
    if x["beside"] is not None:
        raise UnsupportedError("a block beside another one has no C++ here")
    return words.block(x["policy"], (x["a"], x["b"], x["c"]), x["l1"], x["l0"], x["bias"])


def _range(_: CppWords, *ends: Any) -> Any:
    start, stop, step = (0, *ends, 1) if len(ends) == 1 else (*ends, 1)[:3]
    return _Range(start, stop, step)


def _enumerate(_: CppWords, turns: Any, start: Any = 0) -> Any:
    return _Counted(turns, start) if isinstance(turns, Turns) else [*enumerate(turns, start)]


def _least(_: CppWords, *parts: Any) -> Any:
    return least(*(parts[0] if len(parts) == 1 else parts))


def _most(_: CppWords, *parts: Any) -> Any:
    return least(*(parts[0] if len(parts) == 1 else parts), word="Most")


def _number(_: CppWords, number: Any) -> Any:
    return number


def _ceil_div(_: CppWords, a: Any, b: Any) -> Any:
    return (a + (b - 1)) // b


def _round_up(_: CppWords, a: Any, b: Any) -> Any:
    return (a + (b - 1)) // b * b


def _strided(_: CppWords, shape: Any, stride: Any) -> Any:
    return Strided(tuple(shape), tuple(stride))


def _store(_: CppWords, tensor: Any) -> Any:
    return store_of(tensor)


_SPECIAL: Final[dict[Any, Callable[..., Any]]] = {
    range: _range, enumerate: _enumerate, min: _least, max: _most, int: _number, bool: _number,
    inspect.unwrap(ceil_div): _ceil_div, inspect.unwrap(round_up): _round_up, Layout: _strided,
    inspect.unwrap(tile_view): _view, inspect.unwrap(get_tile): _tile, _BLOCK_MMAD: _block,
    inspect.unwrap(store_of): _store,
}  # fmt: skip
