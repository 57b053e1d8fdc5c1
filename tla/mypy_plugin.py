# SPDX-License-Identifier: Apache-2.0
"""A mypy plugin that runs the algebra on types: ``plugins = tla.mypy_plugin``.

The plugin follows each call of a function marked `tla.ground.constexpr.constexpr`. It lifts the types of
the arguments to terms, runs the function on them (`tla.types.terms`), and lowers the result to the type
of the call. An error of the library becomes an error of mypy, with its one-line summary and the code
``tla``.

=========================================  ==========================================================
type                                       value
=========================================  ==========================================================
``Int[Literal[4]]``                        the static int ``Int(4)``
a literal: ``4``, ``Literal[4]``, ``"zN"`` the dynamic int 4, the text: known at this call alone
``int``, ``Int[int]``, numpy ints          an int of which nothing is known
``tuple[A, B]``, ``Layout[S, D]``          the tuple, the layout of the values of ``A, B``, ``S, D``
=========================================  ==========================================================

A type that cannot be lifted or lowered stays as mypy has it. The plugin catches only the errors that the
library raises on purpose: a defect is a crash.
"""

# The interface of mypy is typed in part.
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false

from __future__ import annotations

import hashlib
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mypy.constant_fold import constant_fold_expr
from mypy.errorcodes import ErrorCode
from mypy.messages import format_type_bare
from mypy.nodes import ARG_NAMED, ARG_POS, ARG_STAR, OpExpr, TupleExpr, TypeInfo, UnaryExpr
from mypy.plugin import AttributeContext, Plugin
from mypy.types import (
    AnyType,
    Instance,
    LiteralType,
    NoneType,
    TupleType,
    TypeOfAny,
    UnboundType,
    UnionType,
    get_proper_type,
)

import tla

from .ground import beyond_types_of, opaques_of, types_of
from .layouts import _
from .types import (
    BITS,
    NO_VALUE,
    OPAQUE,
    OPEN,
    STATIC,
    Items,
    Known,
    OpenError,
    Record,
    Reflected,
    defined,
    getter,
    marked,
    run,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mypy.nodes import Expression
    from mypy.plugin import (
        AnalyzeTypeContext,
        CheckerPluginInterface,
        FunctionContext,
        MethodContext,
        ReportConfigContext,
    )
    from mypy.types import Type

    from .types import Result, Term

CODE: Final = ErrorCode("tla", "A rule of layouts is broken", "Layouts")
MYPY: Final = (1, 20), (3, 0)
"""The versions of mypy that the plugin is made for, from the first to below the second."""

_INT: Final = "tla.numbers.ints.Int"
_REVEAL: Final = "tla.ground.constexpr.reveal"


# --- types to terms -------------------------------------------------------------------------------


def lift(t: Type) -> Term:
    """Return the term of a type; raise `OpenError` if the type states nothing of its values."""
    reader = _READERS.get(type(t))
    if reader is None:
        proper = get_proper_type(t)
        reader = _READERS.get(type(proper))
        if reader is None:
            raise OpenError
        return reader(proper)
    return reader(t)


def _of_instance(t: Instance) -> Term:
    name = t.type.fullname
    if name == _INT:
        value = t.args[0] if t.args else None
        return (
            STATIC[value.value] if isinstance(value, LiteralType) and type(value.value) is int else OPEN
        )
    if t.last_known_value is not None:
        return _of_literal(t.last_known_value)
    if name == "builtins.int":
        return OPEN
    if name not in _CLASSES:
        _CLASSES[name] = _class_of(t.type)
    reader = _CLASSES[name]
    if isinstance(reader, type):
        return _record(reader, t)
    if reader is None:
        raise OpenError
    return reader


_CLASSES: Final[dict[str, type | Term | None]] = {"tla.layouts.slicing.Underscore": Known(_)}
"""For each class: itself if it is `typed_by` its attributes, one term for all instances, or None."""


def _class_of(info: TypeInfo) -> type | Term | None:
    if any(base.fullname in ("builtins.int", "numpy.integer") for base in info.mro):
        return None if info.fullname == "builtins.bool" else OPEN
    cls = defined(info.fullname)
    return cls if isinstance(cls, type) and types_of(cls) is not None else None


def _record(cls: type, t: Instance) -> Term:
    hidden = opaques_of(cls)
    if not hidden:
        return Record(cls, tuple([lift(arg) for arg in t.args]))
    parts = zip(types_of(cls) or (), t.args, strict=True)
    return Record(cls, tuple([OPAQUE if name in hidden else lift(arg) for name, arg in parts]))


def _of_literal(t: LiteralType) -> Term:
    if t.fallback.type.is_enum or isinstance(t.value, (bytes, float)):
        raise OpenError
    if isinstance(t.value, int) and t.value.bit_length() > BITS:
        return OPEN
    return Known(t.value)


def _of_tuple(t: TupleType) -> Term:
    name = t.partial_fallback.type.fullname
    cls = tuple if name == "builtins.tuple" else defined(name)
    if not isinstance(cls, type):
        raise OpenError
    if types_of(cls) is not None:
        return _record(cls, t.partial_fallback)
    return Items(cls, tuple([lift(item) for item in t.items]))


def _of_none(t: NoneType) -> Term:
    return Known(None)


_READERS: Final[dict[type, Callable[[Any], Term]]] = {
    Instance: _of_instance,
    LiteralType: _of_literal,
    NoneType: _of_none,
    TupleType: _of_tuple,
}


# --- the plugin -----------------------------------------------------------------------------------


class TlaPlugin(Plugin):
    """The hooks; each of them lifts, runs and lowers."""

    def __init__(self, options: Any) -> None:
        super().__init__(options)
        self._calls: dict[str, Callable[[FunctionContext], Type] | None] = {
            _REVEAL: _note,
            "builtins.sum": _of_dynamic_start,
            "math.prod": _of_dynamic_start,
        }
        self._methods: dict[str, Callable[[MethodContext], Type] | None] = {}
        self._attributes: dict[str, Callable[[AttributeContext], Type] | None] = {}
        self._results: dict[Any, Result] = {}
        self._lifted: dict[int, tuple[Type, Term]] = {}
        self._lowered: dict[Term, Type] = {}
        self._api: CheckerPluginInterface | None = None
        self._digest = ""
        self._is_analyzing = False

    def report_config_data(self, ctx: ReportConfigContext) -> str:
        """The algebra decides the types, so mypy drops its cache if this text changes."""
        if not self._digest:
            self._digest = sources_digest()
        return self._digest

    # mypy asks for a hook at least twice for each call: that is a look into a table

    def get_function_hook(self, fullname: str) -> Callable[[FunctionContext], Type] | None:
        if fullname not in self._calls:
            function = marked(fullname)
            mark = opaques_of(function), beyond_types_of(function)
            self._calls[fullname] = function and (
                lambda ctx: self._called(function, mark, (), ctx, ctx.default_return_type)
            )
        return self._calls[fullname]

    def get_method_hook(self, fullname: str) -> Callable[[MethodContext], Type] | None:
        if fullname not in self._methods:
            function = _reflected(fullname) or marked(fullname)
            mark = opaques_of(function), beyond_types_of(function)
            self._methods[fullname] = function and (
                lambda ctx: self._called(function, mark, (ctx.type,), ctx, ctx.default_return_type)
            )
        return self._methods[fullname]

    def get_attribute_hook(self, fullname: str) -> Callable[[AttributeContext], Type] | None:
        if fullname not in self._attributes:
            function = getter(fullname)
            self._attributes[fullname] = function and (
                lambda ctx: self._called(function, ((), ()), (ctx.type,), ctx, ctx.default_attr_type)
            )
        return self._attributes[fullname]

    def get_type_analyze_hook(self, fullname: str) -> Callable[[AnalyzeTypeContext], Type] | None:
        return self._analyzed if fullname == _INT and not self._is_analyzing else None

    def _analyzed(self, ctx: AnalyzeTypeContext) -> Type:
        """Read ``Int[4]`` and ``Int[_4]`` as ``Int[Literal[4]]``; mypy reports the errors of that."""
        integer = ctx.api.named_type("builtins.int", [])
        values = [
            int(arg.name.rpartition("_")[2])
            if isinstance(arg, UnboundType) and re.fullmatch(r"(\w+\.)*_[0-9]{1,9}", arg.name)
            else getattr(arg, "literal_value", None)
            for arg in ctx.type.args
        ]
        args = [
            LiteralType(value, integer) if type(value) is int else arg
            for arg, value in zip(ctx.type.args, values, strict=True)
        ]
        self._is_analyzing = True
        try:
            return ctx.api.analyze_type(ctx.type.copy_modified(args=args))
        finally:
            self._is_analyzing = False

    def _called(
        self,
        function: Callable[..., Any],
        mark: tuple[tuple[str, ...], tuple[str, ...]],
        first: tuple[Type, ...],
        ctx: FunctionContext | MethodContext | AttributeContext,
        default: Type,
    ) -> Type:
        """Return the type of a call, or of an attribute, and report its error."""
        if ctx.api is not self._api:  # another file: types have an identity within one file alone
            self._api, self._lifted, self._lowered = ctx.api, {}, {}
        try:
            args, names = self._arguments(first, ctx, mark)
        except OpenError:
            return default
        key = function, args, names
        result = self._results.get(key)
        if result is None:
            result = self._results[key] = run(function, args, names)
        if result.error is not None:
            ctx.api.fail(result.error, ctx.context, code=CODE)
        if result.term is None:
            return default
        type_ = self._lower(result.term, default, ctx.api)
        return type_ if type(default) is AnyType else _narrowed(type_, default)

    # --- types to terms ---

    def _lift(self, t: Type) -> Term:
        """Return `lift` of a type; a variable has one type object wherever it is read."""
        entry = self._lifted.get(id(t))
        if entry is None or entry[0] is not t:
            entry = self._lifted[id(t)] = t, lift(t)
        return entry[1]

    def _arguments(
        self,
        first: tuple[Type, ...],
        ctx: FunctionContext | MethodContext | AttributeContext,
        mark: tuple[tuple[str, ...], tuple[str, ...]],
    ) -> tuple[tuple[Term, ...], tuple[str, ...]]:
        """Return the terms of the arguments of a call, and the names of the last ones."""
        args = [self._lift(t) for t in first]
        if isinstance(ctx, AttributeContext):
            return tuple(args), ()
        hidden, unread = mark
        named: dict[str, Term] = {}
        spread: list[Type] = []  # a tuple with a star stands here once for each of its items
        rows = zip(  # noqa: B905 (one of each for a parameter, and for what is given for it)
            ctx.callee_arg_names, ctx.arg_types, ctx.arg_kinds, ctx.arg_names, ctx.args
        )
        for parameter, types, kinds, names, expressions in rows:
            is_hidden = parameter in hidden
            if types and parameter in unread:
                raise OpenError
            for t, kind, name, expression in zip(types, kinds, names, expressions):  # noqa: B905
                term = OPAQUE if is_hidden else self._lift(t)
                if term.value is NO_VALUE:
                    term = _folded(term, expression, ctx.api)
                if kind is ARG_POS:
                    args.append(term)
                elif kind is ARG_NAMED and name is not None:
                    named[name] = term
                elif kind is ARG_STAR and isinstance(term, Items):
                    args.append(term.items[sum(t is other for other in spread) % len(term.items)])
                    spread.append(t)
                else:
                    raise OpenError
        return (*args, *named.values()), tuple(named)

    # --- terms to types ---

    def _lower(self, term: Term, default: Type, api: CheckerPluginInterface) -> Type:
        """Return the type of a term; one object for one term while a file is checked.

        Opaque parts have the type of the default.
        """
        type_ = self._lowered.get(term)
        if type_ is None:
            type_ = self._type_of(term, default, api)
            if not term.is_opaque:
                self._lowered[term] = type_
        return type_

    def _type_of(self, term: Term, default: Type, api: CheckerPluginInterface) -> Type:
        integer = api.named_generic_type("builtins.int", [])
        if isinstance(term, Known):
            return Instance(self._info(_INT), [LiteralType(int(term.value), integer)])
        if term is OPEN:
            return integer
        if term is OPAQUE:
            return default
        if isinstance(term, (Items, Record)):
            defaults = _parts(default, len(term.items))
            items = [self._lower(item, t, api) for item, t in zip(term.items, defaults, strict=True)]
            if isinstance(term, Items):
                anything = AnyType(TypeOfAny.special_form)
                return TupleType(items, api.named_generic_type("builtins.tuple", [anything]))
            return Instance(self._info(f"{term.cls.__module__}.{term.cls.__qualname__}"), items)
        return AnyType(TypeOfAny.special_form)

    def _info(self, fullname: str) -> TypeInfo:
        symbol = self.lookup_fully_qualified(fullname)
        assert symbol is not None, fullname
        assert isinstance(symbol.node, TypeInfo), fullname
        return symbol.node


def sources_digest() -> str:
    """Return a text that changes with the sources of the library."""
    digest = hashlib.sha256()
    folders = [str(Path(tla.__file__).parent)]
    for folder in folders:
        for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
            if entry.is_dir():
                folders.append(entry.path)
            elif entry.name.endswith(".py"):
                stat = entry.stat()
                digest.update(f"{entry.path} {stat.st_mtime_ns} {stat.st_size}\n".encode())
    return digest.hexdigest()


def _folded(term: Term, expression: Expression, api: CheckerPluginInterface) -> Term:
    """Return the term of an expression, beyond its type: the value of ``4 * 16``, or of a final name."""
    if term is OPEN and isinstance(expression, (OpExpr, UnaryExpr)):
        checker: Any = api
        value = constant_fold_expr(expression, checker.tree.fullname)
        return Known(value) if type(value) is int and value.bit_length() <= BITS else term
    if not isinstance(term, Items) or not isinstance(expression, TupleExpr):
        return term
    if len(term.items) != len(expression.items):  # some part is starred
        return term
    pairs = zip(term.items, expression.items, strict=True)
    return Items(term.cls, tuple([_folded(item, part, api) for item, part in pairs]))


def _reflected(fullname: str) -> Callable[..., Any] | None:
    """Return the function to run if mypy asks the int on the right of an operator.

    If the left one is an `Int` that refused, as in ``_2 % 0``, this refuses too; else mypy would be
    content.
    """
    owner, _dot, name = fullname.rpartition(".")
    function = marked(f"{_INT}.{name}") if owner == "builtins.int" else None
    return function if isinstance(function, Reflected) else None


def _of_dynamic_start(ctx: FunctionContext) -> Type:
    """Return the type of a sum or product of static ints: it starts from a dynamic 0 or 1."""
    t = get_proper_type(ctx.default_return_type)
    parts = [get_proper_type(item) for item in t.items] if isinstance(t, UnionType) else []
    static = [isinstance(p, Instance) and p.type.fullname == _INT for p in parts]
    literal = [isinstance(p, LiteralType) for p in parts]
    if any(static) and any(literal) and sum(static) + sum(literal) == len(parts):
        return ctx.api.named_generic_type("builtins.int", [])
    return ctx.default_return_type


def _narrowed(t: Type, default: Type) -> Type:
    """Return a type with static ints of no known value, or ints of numpy, where the default has them."""
    d = get_proper_type(default)
    p = get_proper_type(t)
    if isinstance(p, Instance) and isinstance(d, Instance):
        # and numpy's: in the context of an int mypy refuses the argument that it was made from
        if d.type.fullname == _INT or d.type.has_base("numpy.integer"):
            return d if p.type.fullname == "builtins.int" else t
        if p.args and p.type is d.type:
            args = list(map(_narrowed, p.args, d.args))
            return t if args == list(p.args) else p.copy_modified(args=args)
    if isinstance(p, TupleType) and isinstance(d, TupleType) and len(p.items) == len(d.items):
        items = list(map(_narrowed, p.items, d.items))
        return t if items == p.items else p.copy_modified(items=items)
    return t


def _parts(t: Type, number: int) -> Sequence[Type]:
    """Return the types of the parts of a type, of so many."""
    p = get_proper_type(t)
    if isinstance(p, TupleType) and len(p.items) == number:
        return p.items
    if isinstance(p, Instance) and p.type.fullname == "builtins.tuple":
        return p.args * number
    if isinstance(p, Instance) and len(p.args) == number:
        return p.args
    return [AnyType(TypeOfAny.special_form)] * number


def _note(ctx: FunctionContext) -> Type:
    """Note the facts known of the argument of `tla.reveal`."""
    if list(map(len, ctx.arg_types)) != [1]:
        return ctx.default_return_type  # mypy says so itself
    [[t]] = ctx.arg_types
    try:
        text = str(lift(t))
    except OpenError:
        text = f"not known: {format_type_bare(t, ctx.api.options)}"
    ctx.api.msg.note(text, ctx.context)
    return ctx.default_return_type


def plugin(version: str) -> type[Plugin]:
    """Return the plugin, as mypy asks for it. Warn if it was not tested with this version of mypy."""
    numbers = tuple(int(part) for part in re.findall(r"\d+", version)[:2])
    first, last = MYPY
    if not first <= numbers < last:
        known = "mypy >={}.{},<{}.{}".format(*first, *last)
        print(f"tla.mypy_plugin is tested with {known}; this is mypy {version}", file=sys.stderr)
    return TlaPlugin
