"""Hostile arguments: every public callable is called with values that nobody should pass.

Run: python tests/fuzz/arguments.py [--count 200000] [--seed N] [--only PART_OF_A_NAME]

Callables are the functions and classes of the public rooms, and the methods, properties and operators of
their values; each is called equally often. Good arguments come from the examples of the docstrings: what
each callable was given there. In a call some of them are replaced by hostile values, or by good ones of
another place.

A call may return, or raise a `TlaError`, or a `TypeError` for a wrong number or name of arguments. What
an argument itself raised, or a function among the arguments, passes through. Anything else is a fault,
and so are more than 5 s of CPU time, or more than 1 GiB beside what was there at the start. Each fault
is printed once, with a call for it:

    PYTHONPATH=tests/fuzz python -c 'from arguments import *; CALL'
"""

from __future__ import annotations

import argparse
import contextlib
import doctest
import functools
import inspect
import io
import json
import mmap
import os
import re
import resource
import sys
import tempfile
import time
from collections import namedtuple
from enum import Enum
from functools import cache
from importlib import import_module
from itertools import zip_longest
from pathlib import Path
from random import Random
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

import tla  # noqa: F401
from tla import ComposedLayout, Int, Layout, Swizzle, Tensor, TlaError, _, sym  # noqa: F401 (for the texts)

sys.path.append(str(Path(__file__).parents[1]))
from limited import OutOfTimeError, limited_memory, limited_time
from test_doctests import PUBLIC
from test_public_names import ROOMS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

try:
    import numpy as np
except ImportError:
    np = None  # type: ignore[assignment]

SECONDS = 5
MEGABYTES = 1024
"""What one call may take; of memory, more than the library and its examples have taken already."""


# --- hostile values ---------------------------------------------------------------------------


class FromTheArgument(Exception):  # noqa: N818
    """What a hostile object raises; it passes through."""


def _raising(*names: str) -> type:
    def refuse(*_args: object, **_more: object) -> Any:
        raise FromTheArgument

    return type("Raising", (), dict.fromkeys(names, refuse))


RaisingEq = _raising("__eq__", "__hash__", "__lt__", "__gt__")
RaisingIndex = _raising("__index__", "__int__")
RaisingIter = _raising("__iter__", "__len__", "__getitem__")
RaisingRepr = _raising("__repr__", "__str__")
RaisingBool = _raising("__bool__", "__call__")
RaisingGetattr = _raising("__getattr__")


class IntSubclass(int):
    """An int of another type."""


class StrSubclass(str):
    """A text of another type."""

    __slots__ = ()


class TupleSubclass(tuple):  # type: ignore[type-arg]
    """A tuple of another type."""

    __slots__ = ()


Pair = namedtuple("Pair", "first second")


def deep(levels: int, leaf: Any = 1) -> Any:
    """A leaf inside so many 1-tuples."""
    for _level in range(levels):
        leaf = (leaf,)
    return leaf


def deep_list(levels: int) -> Any:
    """A list inside so many lists."""
    x: Any = []
    for _level in range(levels):
        x = [x]
    return x


def endless() -> Any:
    """A list that holds itself."""
    x: list[Any] = []
    x.append(x)
    return x


HOSTILE = """
    None True False 0 1 -1 7 2**31 2**63 2**64 -2**70 10**30 10**5000 -10**5000 1.5 float('nan')
    float('inf') -0.0 1j '' 'x' '8:1' '0' '-1' 'M' '\\0' '\\x1b[31m' '\\u202e' '\\ud800' '('*2000
    '9'*5000 '(4,2):(1,4)' 'f32[2,3]' b'' b'\\xff' bytearray(b'1') [] [1,2] [None] {} {1:2} {'M':4}
    {'x':None} set() {1} frozenset({2}) () (1,) (4,2) (0,) (-1,2) (4,(2,3)) ((),) (None,) (1.5,)
    ('x',) (True,2) ([1],) deep(2000) deep(99) deep(101) deep(2000,None) deep_list(2000) endless()
    range(3) range(0) slice(None) slice(0,2) ... NotImplemented object() int Layout print len tla
    lambda*a:None lambda*a:a (lambda:1) (i\\sfor\\si\\sin(1,2)) iter([]) iter('x') zip() {}.keys()
    RaisingEq() RaisingIndex() RaisingIter() RaisingRepr() RaisingBool() RaisingGetattr()
    IntSubclass(5) StrSubclass('8:1') TupleSubclass((2,3)) Pair(2,3) sym('M') sym('M')//3
    sym('K',divisible_by=8) sym('M')+sym('N')*2 sym('M')%4==0 Int(4) Int(0) Int(-1) (Int(2),4)
    Layout(4) Layout((4,2),(1,4)) Layout((4,2),(0,-1)) Layout(()) Layout((0,3)) Layout(sym('M'),2)
    Layout(10**6,10**12) Layout((4,(2,2)),(2,(1,8))) Swizzle(1,0,2) Tensor(0,Layout(4))
    ComposedLayout(Swizzle(1,0,2),0,Layout(8)) TlaError('x') TlaError ValueError('x') _ Path('x')
    io.StringIO('x') complex memoryview(b'ab') (Layout(4),Layout(2)) [Layout(4)] (2**64,2**64) [4,2]
    range(10**6)
""".replace("\n", " ")
NUMPY = """
    np.int8(5) np.uint8(200) np.int16(-1) np.int32(4) np.int64(2) np.uint64(2**63) np.bool_(True)
    np.float32(2) np.float64('nan') np.array(3) np.array([4,2]) np.array(1.5) np.array([])
    np.zeros((2,2),int) np.array(['x']) (np.int32(4),np.uint8(2)) np.array(None) np.int64 np
"""
HOSTILES: list[str] = [
    text.replace("\\s", " ") for text in f"{HOSTILE} {NUMPY if np is not None else ''}".split()
]


# --- what is called ---------------------------------------------------------------------------


class Entry(NamedTuple):
    """A public callable: how it is written, and the function that runs."""

    path: str
    """``tla.hlo.read_module``, ``tla.hlo.Module.computation``"""
    kind: str
    """function, class, method, property or bound: a method of a class"""
    function: Any
    """its function; of a class the class"""
    owner: type | None


NOT_CALLED = {
    "__setattr__", "__delattr__", "__getattr__", "__getattribute__", "__hash__",
    "__init_subclass__", "__class_getitem__", "__reduce__", "__reduce_ex__", "__getnewargs__",
    "__dir__", "__new__", "__init__",
    "__post_init__", "__copy__", "__replace__", "__getstate__", "__setstate__", "__sizeof__",
    "__subclasshook__", "__format__",
    "__made_by__", "__exit__", "__deepcopy__", "__match_args__",
}  # fmt: skip
"""What Python itself defines, where its own errors are expected, or what a class runs for its maker."""

NOT_HARVESTED = ("tla.testing",)
"""Rooms whose examples run properties, which take long."""


def is_ours(x: Any) -> bool:
    return (getattr(x, "__module__", None) or "").split(".")[0] == "tla"


@cache
def entries() -> list[Entry]:
    """Every public callable once, by the first room that gives it."""
    found: dict[int, Entry] = {}
    for room in sorted(ROOMS, key=lambda room: (room.count("."), room)):
        module = import_module(room)
        for name in sorted(module.__all__):
            value = getattr(module, name)
            if isinstance(value, ModuleType) or not is_ours(value):
                continue
            path = f"{room}.{name}"
            if inspect.isclass(value) and issubclass(value, Enum):
                continue  # its call is Python's own
            if inspect.isclass(value):
                found.setdefault(id(value), Entry(path, "class", value, None))
                for entry in _members(path, value):
                    found.setdefault(id(entry.function), entry)
            elif inspect.isfunction(value):
                found.setdefault(id(value), Entry(path, "function", value, None))
    return list(found.values())


def _members(path: str, cls: type) -> Iterator[Entry]:
    seen: set[str] = set()
    for owner in cls.__mro__:
        if not is_ours(owner):
            continue
        for name, member in vars(owner).items():
            if name in seen:  # a subclass has its own
                continue
            seen.add(name)
            if name in NOT_CALLED or (name.startswith("_") and not name.endswith("__")):
                continue
            at = f"{path}.{name}"
            if isinstance(member, property):
                if is_ours(member.fget):
                    yield Entry(at, "property", member, cls)
            elif isinstance(member, classmethod | staticmethod):
                if is_ours(member.__func__):
                    yield Entry(at, "bound", member, cls)
            elif inspect.isfunction(member):
                if is_ours(member):
                    yield Entry(at, "method", member, cls)
            elif hasattr(member, "__get__") and is_ours(type(member)):  # a property kept by its value
                yield Entry(at, "property", member, cls)


def plain(function: Any) -> Any:
    """The function whose code runs, without its wrappers."""
    function = getattr(function, "fget", None) or getattr(function, "__func__", function)
    if inspect.isclass(function):
        made = vars(function).get("__new__") or vars(function).get("__init__")
        function = getattr(made, "__func__", made)
    return inspect.unwrap(function) if callable(function) else function


@cache
def signature(function: Any) -> inspect.Signature | None:
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return None


# --- good values: what the examples of the docstrings pass -----------------------------------------

MOST_RECORDED = 6
MOST_INSTANCES = 12

_recorded: dict[Any, list[dict[str, Any]]] = {}
_instances: dict[type, list[Any]] = {}
_paths: dict[str, Entry] = {}


def harvest() -> None:
    """Run the examples once; note the arguments of public callables, and the public values."""
    if _paths:
        return
    for entry in entries():
        _paths[entry.path] = entry
        code = getattr(plain(entry.function), "__code__", None)
        if code is not None:
            _recorded.setdefault(code, [])
    classes = {e.function for e in entries() if e.kind == "class"}

    def note(x: Any) -> None:
        if type(x) in classes and len(known := _instances.setdefault(type(x), [])) < MOST_INSTANCES:
            known.append(x)

    def on_event(frame: Any, event: str, _arg: object) -> None:
        if event == "call" and (calls := _recorded.get(frame.f_code)) is not None:
            code = frame.f_code
            if len(calls) < MOST_RECORDED and not code.co_flags & inspect.CO_GENERATOR:
                n = code.co_argcount + code.co_kwonlyargcount
                n += bool(code.co_flags & inspect.CO_VARARGS) + bool(
                    code.co_flags & inspect.CO_VARKEYWORDS
                )
                given = {name: frame.f_locals.get(name) for name in code.co_varnames[:n]}
                calls.append(given)
                for value in given.values():
                    note(value)

    parser = doctest.DocTestParser()
    done: set[str] = set()
    for entry in entries():
        if entry.path.startswith(NOT_HARVESTED):
            continue
        target = entry.function.fget if isinstance(entry.function, property) else entry.function
        doc = getattr(target, "__doc__", None) or ""
        if doc in done or ">>>" not in doc:
            continue
        done.add(doc)
        room = sys.modules[entry.path.rpartition(".")[0]] if entry.owner is None else None
        home = sys.modules[(entry.owner or target).__module__]
        names = {**PUBLIC, **(vars(room) if room else {}), **vars(home)}
        sys.setprofile(on_event)
        try:
            for example in parser.get_examples(doc):
                with contextlib.suppress(Exception), contextlib.redirect_stdout(io.StringIO()):
                    exec(compile(example.source, "example", "single"), names)
        finally:
            sys.setprofile(None)
        for value in list(names.values()):
            note(value)
            if isinstance(value, tuple | list) and len(value) < 100:
                for part in value:
                    note(part)


def recorded(path: str, i: int) -> dict[str, Any]:
    """The arguments of the i-th call of a public callable in the examples."""
    harvest()
    return _recorded[plain(_paths[path].function).__code__][i]


def instance(path: str, i: int) -> Any:
    """The i-th value of a public class in the examples."""
    harvest()
    return _instances[_paths[path].function][i]


# --- draws ------------------------------------------------------------------------------------


class Call(NamedTuple):
    """What is called, and the texts of the arguments."""

    entry: Entry
    receiver: str | None
    args: list[str]
    kwargs: dict[str, str]

    def __str__(self) -> str:
        given = ", ".join([*self.args, *(f"{name}={text}" for name, text in self.kwargs.items())])
        if self.entry.kind in ("function", "class"):
            return f"{self.entry.path}({given})"
        name = self.entry.path.rpartition(".")[2]
        if self.entry.kind == "property":
            return f"{self.receiver}.{name}"
        return f"{self.receiver}.{name}({given})"


_texts: dict[int, str] = {}


def text_of(value: Any, otherwise: str) -> str:
    """A text that gives a good value again: short where its repr is Python."""
    known = _texts.get(id(value))
    if known is None:
        known = otherwise
        with contextlib.suppress(Exception):
            text = repr(value)
            if (
                len(text) < 60
                and (again := eval(text, globals())) == value
                and type(again) is type(value)
            ):
                known = text
        _texts[id(value)] = known  # the values are kept, so an id is not used again
    return known


@cache
def goods() -> list[str]:
    """The texts of good values of every class."""
    harvest()
    return [
        text_of(value, f"instance({entry.path!r}, {i})")
        for entry in entries()
        if entry.kind == "class"
        for i, value in enumerate(_instances.get(entry.function, ()))
    ]


@cache
def by_word() -> dict[str, list[str]]:
    """Texts of good values by the word of an annotation."""
    harvest()
    words: dict[str, list[str]] = {
        "int": ["4", "0", "1", "16", "64"], "SupportsIndex": ["1", "0"], "str": ["'x'", "'M'", "'8:1'"],
        "bool": ["True", "False"], "float": ["1.5", "0.5"], "None": ["None"], "Any": ["4", "(4, 2)"],
        "object": ["4"], "IntTuple": ["4", "(4, 2)", "(4, (2, 3))"], "IntLike": ["4", "sym('M')"],
        "ShapeLike": ["(4, 2)", "8"], "AnyLayout": ["Layout((4, 2), (1, 4))", "Layout(8)"],
        "Coord": ["1", "(1, 0)"], "Tiler": ["2", "(2, 2)"], "Callable": ["(lambda *a: None)"],
    }  # fmt: skip
    for entry in entries():
        if entry.kind == "class" and (known := _instances.get(entry.function)):
            words.setdefault(entry.path.rpartition(".")[2], []).extend(
                text_of(value, f"instance({entry.path!r}, {i})") for i, value in enumerate(known)
            )
    return words


class Draws:
    """The draws of one call, from its own seed."""

    def __init__(self, seed: str) -> None:
        self.rng = Random(seed)

    def any_value(self) -> str:
        """A hostile value, or a good one of another place; at times inside a tuple or a list."""
        rng = self.rng
        text = rng.choice(HOSTILES) if rng.random() < 0.75 else rng.choice(goods())
        shape = rng.random()
        if shape < 0.08:
            return f"({text}, {rng.choice(HOSTILES)})"
        if shape < 0.11:
            return f"[{text}]"
        if shape < 0.13:
            return f"{{'x': {text}}}"
        return f"({text},)" if shape < 0.17 else text

    def good(self, parameter: inspect.Parameter) -> str:
        """A value that the annotation names, if it is one of a known class."""
        words = [w for w in _words(str(parameter.annotation)) if w in by_word()]
        if not words:
            return self.any_value()
        text = self.rng.choice(by_word()[self.rng.choice(words)])
        if any(
            c in str(parameter.annotation) for c in ("Sequence[", "Iterable[", "tuple[", "Collection[")
        ):
            return f"({text}, {text})" if self.rng.random() < 0.5 else f"({text},)"
        return text

    def call(self, entry: Entry) -> Call:
        """A call of a public callable: usually one argument is wrong, at times all, or none."""
        rng = self.rng
        receiver = self._receiver(entry) if entry.owner else None
        if entry.kind == "property":
            return Call(entry, receiver, [], {})
        code = getattr(plain(entry.function), "__code__", None)
        calls = _recorded.get(code, []) if code else []
        known: dict[str, str] = {}
        if calls and rng.random() < 0.8:
            i = rng.randrange(len(calls))
            known = {
                name: text_of(value, f"recorded({entry.path!r}, {i})[{name!r}]")
                for name, value in calls[i].items()
            }
        described = signature(entry.function if entry.kind != "bound" else entry.function.__func__)
        if described is None:
            return Call(entry, receiver, [self.any_value() for _i in range(rng.randrange(4))], {})
        parameters = list(described.parameters.values())
        if entry.owner and not isinstance(entry.function, staticmethod):
            parameters = parameters[1:]
        required = [p for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
        style = rng.random()
        wrong = {p.name for p in parameters if (style < 0.15) or (style < 0.3 and rng.random() < 0.5)}
        if 0.3 <= style < 0.95 and required:
            wrong.add(rng.choice(required).name)
        args: list[str] = []
        kwargs: dict[str, str] = {}
        by_name = False
        for p in parameters:
            if p.kind is p.VAR_POSITIONAL:
                if not by_name:
                    if p.name in known and p.name not in wrong and rng.random() < 0.7:
                        args.append(f"*{known[p.name]}")
                    else:
                        args += [self.any_value() for _i in range(rng.randrange(3))]
            elif p.kind is p.VAR_KEYWORD:
                if rng.random() < 0.3:
                    kwargs["M"] = self.any_value()
            else:
                optional = p.default is not p.empty
                if optional and p.name not in wrong and (p.name not in known or rng.random() < 0.5):
                    by_name = True
                    continue
                text = self.any_value() if p.name in wrong else known.get(p.name) or self.good(p)
                if p.kind is p.POSITIONAL_ONLY and not by_name:
                    args.append(text)
                elif p.kind is p.KEYWORD_ONLY or by_name or rng.random() < 0.1:
                    by_name = True
                    if p.kind is not p.POSITIONAL_ONLY:
                        kwargs[p.name] = text
                else:
                    args.append(text)
        if rng.random() < 0.02:
            args.append("1")
        return Call(entry, receiver, args, kwargs)

    def can_receive(self, entry: Entry) -> bool:
        """Whether the examples have a value of the class of a method."""
        return bool(self._receiver(entry))

    def _receiver(self, entry: Entry) -> str:
        path = entry.path.rpartition(".")[0]
        if entry.kind == "bound":
            return path
        code = getattr(plain(entry.function), "__code__", None)
        calls = [i for i, given in enumerate(_recorded.get(code, ())) if "self" in given] if code else []
        known = _instances.get(entry.owner or object, [])
        if calls and (not known or self.rng.random() < 0.5):
            i = self.rng.choice(calls)
            return text_of(_recorded[code][i]["self"], f"recorded({entry.path!r}, {i})['self']")
        if known:
            i = self.rng.randrange(len(known))
            return text_of(known[i], f"instance({path!r}, {i})")
        return ""


@cache
def _words(annotation: str) -> tuple[str, ...]:
    return tuple(
        dict.fromkeys("".join(c if c.isalnum() or c == "_" else " " for c in annotation).split())
    )


# --- the call ---------------------------------------------------------------------------------


def judge(call: Call) -> str | None:
    """Make a call; what is wrong with how it ended, or None."""
    receiver: Any = None
    try:
        if call.receiver is not None:
            receiver = eval(call.receiver, globals())
        args = eval(f"({''.join(f'{text}, ' for text in call.args)})", globals())
        kwargs = {word: eval(text, globals()) for word, text in call.kwargs.items()}
    except (TypeError, ValueError, OverflowError) as error:
        if "*" in "".join(call.args):
            return None
        raise AssertionError(f"cannot make the arguments of {call}: {error}") from error
    try:
        return _ending(call, receiver, args, kwargs)
    except OutOfTimeError as error:
        return _described(error)


@limited_time(SECONDS)
def _ending(call: Call, receiver: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
    """Make a call of values, and print the error that it raises; what is wrong with it, or None."""
    target: Any = call.entry.function
    try:
        if call.receiver is not None:
            name = call.entry.path.rpartition(".")[2]
            if call.entry.kind == "property":
                getattr(receiver, name)
                return None
            target = getattr(receiver, name)
        args, kwargs = _with_own_functions(call.entry, args, kwargs)
        result = target(*args, **kwargs)
        if inspect.isgenerator(result):
            for _value, _n in zip(result, range(100), strict=False):
                pass
    except TlaError as error:
        try:
            return None if str(error) and error.summary else "an error that says nothing"
        except Exception as other:
            return f"an error that cannot be printed: {_described(other)}"
    except FromTheArgument:
        return None
    except Exception as error:
        if _is_from_own_function(error):
            return None
        if not isinstance(error, TypeError):
            return _described(error)
        if _ARITY.search(str(error)):  # of a function that passes its arguments on
            return None
        try:
            inspect.signature(target).bind(*args, **kwargs)
        except TypeError:
            return None
        return _described(error)
    except BaseException as error:
        return _described(error)
    return None


def own_function(function: Any) -> Any:
    """A function of the caller, which stands in the traceback of all that it raises."""

    def own(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    with contextlib.suppress(Exception):
        functools.update_wrapper(own, function)
    return own


_OWN_CODE = own_function(len).__code__


def _with_own_functions(
    entry: Entry, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments, with every callable that is passed for a function as one of the caller."""
    function = entry.function.__func__ if entry.kind == "bound" else entry.function
    known = signature(function)
    if known is None:
        return args, kwargs
    parameters = list(known.parameters.values())
    if entry.owner and not isinstance(entry.function, staticmethod):
        parameters = parameters[1:]
    taken = {p.name: p for p in parameters}

    def owned(x: Any, p: inspect.Parameter | None) -> Any:
        is_function = callable(x) and p is not None and _takes_function(str(p.annotation))
        return own_function(x) if is_function else x

    places = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    places += [p for p in parameters if p.kind is p.VAR_POSITIONAL] * max(0, len(args) - len(places))
    held = [owned(x, p) for x, p in zip_longest(args, places[: len(args)])]
    return tuple(held), {name: owned(x, taken.get(name)) for name, x in kwargs.items()}


@cache
def _takes_function(annotation: str) -> bool:
    """Whether an annotation, or an alias of the library in it, names a function."""
    rooms = [module for name, module in list(sys.modules.items()) if name.split(".")[0] == "tla"]
    meant = (str(vars(room).get(word, "")) for word in _words(annotation) for room in rooms)
    return any("Callable" in text for text in (annotation, *meant))


def _is_from_own_function(error: BaseException) -> bool:
    """Whether a function of the caller raised an error."""
    at = error.__traceback__
    while at is not None and at.tb_frame.f_code is not _OWN_CODE:
        at = at.tb_next
    return at is not None


_ARITY = re.compile(
    r"got an unexpected keyword|required (positional|keyword)|takes \S+ (positional )?arg"
)


def _described(error: BaseException) -> str:
    at = error.__traceback__
    place = ""
    while at is not None:
        file = Path(at.tb_frame.f_code.co_filename)
        if "tla" in file.parts:
            place = f"{file.name}:{at.tb_lineno} {at.tb_frame.f_code.co_name}"
        at = at.tb_next
    try:
        said = " ".join(str(error)[:90].split())
    except BaseException as other:
        said = f"cannot be printed: {type(other).__name__}"
    return f"{type(error).__name__}: {said} [{place}]"


# --- the run ----------------------------------------------------------------------------------


class Report(NamedTuple):
    """How many calls were made, and each fault with the call that shows it."""

    calls: int
    faults: dict[str, str]


def run(count: int, seed: int, only: str = "", progress: bool = False) -> Report:
    """Call each public callable equally often, in processes that may die."""
    harvest()
    goods()
    chosen = [e for e in entries() if only in e.path and (e.owner is None or Draws("").can_receive(e))]
    rounds = max(1, count // len(chosen))
    faults: dict[str, str] = {}
    todo = [(entry, i) for i in range(rounds) for entry in chosen]
    note = mmap.mmap(-1, 1 << 16)
    start = 0
    began = time.monotonic()
    while start < len(todo):
        stop = min(start + 4000, len(todo))
        read, write = os.pipe()
        child = os.fork()
        if not child:
            os.close(read)
            _work(todo, start, stop, seed, note, write)
        os.close(write)
        with os.fdopen(read) as lines:
            for line in lines:
                fault, call = json.loads(line)
                _add(faults, fault, call)
        _pid, status = os.waitpid(child, 0)
        at = int.from_bytes(note[:8], "little")
        if status:
            length = int.from_bytes(note[8:16], "little")
            _add(faults, f"the process ended, status {status}", note[16 : 16 + length].decode())
            start = at + 1
        else:
            start = stop
        if progress:
            rate = start / (time.monotonic() - began)
            print(
                f"{start} of {len(todo)} calls, {len(faults)} faults, {rate:.0f} each second",
                file=sys.stderr,
            )
    return Report(len(todo), faults)


def _add(faults: dict[str, str], fault: str, call: str) -> None:
    if fault not in faults or len(call) < len(faults[fault]):
        faults[fault] = call


def _work(
    todo: Sequence[tuple[Entry, int]], start: int, stop: int, seed: int, note: mmap.mmap, write: int
) -> None:
    """Make the calls of one batch, in a child, and end it."""
    code = 1
    try:
        os.chdir(tempfile.mkdtemp())
        null = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(null, stream)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with limited_memory(MEGABYTES), os.fdopen(write, "w", buffering=1) as out:
            for at in range(start, stop):
                entry, i = todo[at]
                call = Draws(f"{seed} {i} {entry.path}").call(entry)
                text = str(call).encode()[: len(note) - 16]
                note[:8] = at.to_bytes(8, "little")
                note[8:16] = len(text).to_bytes(8, "little")
                note[16 : 16 + len(text)] = text
                fault = judge(call)
                if fault:
                    out.write(json.dumps([f"{entry.path}: {fault}", str(call)]) + "\n")
        code = 0
    finally:
        os._exit(code)


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--count", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--only", default="", metavar="PART_OF_A_NAME")
    options = parser.parse_args(argv)
    print(f"seed {options.seed}", flush=True)
    report = run(
        options.count, options.seed, options.only, progress=sys.stderr.isatty() or options.count > 9999
    )
    for fault, call in sorted(report.faults.items()):
        print(f"{fault}\n    {call}")
    print(f"{report.calls} calls, {len(report.faults)} faults")
    return 1 if report.faults else 0


if __name__ == "__main__":
    sys.exit(main())
