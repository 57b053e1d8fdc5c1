"""Each name that docs/names.md gives as ours exists, and each that it gives as pycute's."""

import ast
import builtins
import inspect
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from cases import over

import tla

PAGE = Path(__file__).parents[1] / "docs" / "names.md"

pytestmark = pytest.mark.skipif(not PAGE.exists(), reason="the wheel has no documents")

ROOMS = [
    "tla",
    "tla.ascend",
    "tla.ascend.copies",
    "tla.ascend.kernels",
    "tla.ascend.kernels.blocks",
    "tla.ascend.schedules",
    "tla.gpu",
    "tla.ground.constexpr",
    "tla.hlo",
    "tla.indexing",
    "tla.indexing.fusion",
    "tla.jax",
    "tla.memory",
    "tla.show",
    "tla.xla_bridge",
    "tla.xla_bridge.jax_text",
]
VALUES = {"layout", "tensor", "schedule", "arch", "map", "ctx"}
"""What an example calls a value: ``schedule[t].coord``."""
FIELDS = {"bits", "c0", "fractal", "inner", "minor_to_major", "origin_shape", "outer", "position"}
"""What a row says of a value that it has named, or of the word for it."""


def rows() -> list[list[str]]:
    """The fields of each row of each table; only the last two where a table has no more."""
    lines = re.findall(r"^\|(.*)\|$", PAGE.read_text("utf-8"), re.M) if PAGE.exists() else []
    fields = [[field.strip() for field in line.split("|")] for line in lines]
    return [row for row in fields if row[-1] not in ("tla", "---")]


def named(text: str) -> list[str]:
    """The names that are code there: of a call its function, of a list of names all of them."""
    found: list[str] = []
    for code in re.findall(r"`([^`]*)`", text):
        words = code.split()
        if all(re.fullmatch(r"[A-Za-z_]\w*", word) for word in words):
            found += words if words[0] != "tla" else []  # a command
        elif (first := re.match(r"[A-Za-z_][\w.]*(?!\w*=)", code)) and not code.endswith("="):
            found.append(first[0])
    return found


def ours(row: list[str]) -> list[str]:
    """The names of the last column; where it says so, those of the first."""
    same = re.match(r"the same\b", row[-1])
    first = next(field for field in row if field)
    return named(row[-1]) + (named(first) if same and first == row[0] else [])


@over("row", rows(), ids=lambda row: row[-1][:40])
def test_our_names_exist(row: list[str]) -> None:
    modules: list[Any] = [import_module(room) for room in ROOMS]
    for name in ours(row):
        base = name.split(".")[0]
        if base in VALUES | FIELDS | vars(builtins).keys():
            continue
        if name.startswith("tla."):
            room, _dot, last = name.rpartition(".")
            found = name in ROOMS or name == "tla.mypy_plugin" or hasattr(import_module(room), last)
        else:
            found = any(hasattr(module, base) for module in modules)
        assert found, name


def takes(function: Any, call: ast.Call) -> bool:
    """Whether a function takes as many arguments as a call has, and options of its names."""
    options = {option.arg: ... for option in call.keywords if option.arg}
    places = [... for part in call.args if not isinstance(part, ast.Starred)]
    try:
        return bool(inspect.signature(function).bind_partial(*places, **options))
    except TypeError:
        return False


def test_our_calls_are_taken() -> None:
    modules: list[Any] = [import_module(room) for room in ROOMS]
    found = 0
    for row in rows():
        for code in re.findall(r"`(\w[\w.]*\([^`]*\))`", row[-1]):
            call = ast.parse(re.sub(r"=(?=[,)])", "=...", code), mode="eval").body
            assert isinstance(call, ast.Call)
            name = ast.unparse(call.func).removeprefix("tla.")
            functions = [getattr(module, name) for module in modules if hasattr(module, name)]
            found += len(functions) > 0
            assert not functions or any(takes(function, call) for function in functions), code
    assert found > 20


def test_what_a_call_on_the_page_gives() -> None:
    layout = tla.Layout((4, 8), (8, 1))
    assert str(tla.make_layout(layout, layout)) == "((4,8),(4,8)):((8,1),(8,1))"
    assert tla.make_tile(layout, 4, tla._) == (layout, 4, tla._)
    assert tla.slice_((tla._, 1), layout) == layout[None, 1] == tla.dice((1, None), layout)
    assert tla.leading_dim(layout.shape, layout.stride) == tla.find(layout.stride, 1) == 1
    assert tla.is_major(1, layout.stride)
    assert tla.size_in_bytes("bf16", layout) == 64
    assert [getattr(tla, f"_{n}") for n in range(129)] == [tla.Int(n) for n in range(129)]


def test_the_page_has_names() -> None:
    assert sum(len(ours(row)) for row in rows()) > 150
    assert len(rows()) > 80


def test_names_of_pycute_exist() -> None:
    pytest.importorskip("pycute.layout", reason="pycute comes with nvidia-cutlass, and is not installed")
    pycute: Any = pytest.importorskip("pycute")
    wide = [row for row in rows() if len(row) == 5]
    parts = [part for row in wide for part in row[1].split(";") if "DSL" not in part]
    names = {name for part in parts for name in named(part) if "." not in name} - {"layout", "None"}
    assert len(names) > 20
    assert {name for name in names if not hasattr(pycute, name)} == set()
