"""The house: rooms on floors, doors between them, no circle anywhere.

`pyproject.toml` lists the floors, and import-linter holds them; here is what it cannot say.
"""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest
from test_public_names import ROOMS

import tla

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOM = Path(tla.__file__).parent
SETTINGS = Path(__file__).parent.parent / "pyproject.toml"
PAGE = Path(__file__).parent.parent / "docs" / "house.md"

PAST_A_DOOR = {
    (
        "tla",
        "tla.numbers.ints",
    ): "mypy knows `_64` only from a literal `__all__`",
    ("tla.ints", "tla.numbers.ints"): "it is the door that was there before the room",
}
"""Imports past the ``__init__`` of another room, each with its reason."""

BY_NAME = {
    "tla.arrays.elements": "ml_dtypes, which is no part of the house",
    "tla.arrays.moving": "the compiled executor, a distribution of its own",
    "tla.cli.executors": "dask.distributed, which is no part of the house",
    "tla.hlo.schema": "protobuf, which is no part of the house",
    "tla.show.raster": "resvg, which is no part of the house",
    "tla.indexing.exact.budget": "islpy, which is no part of the house",
    "tla.objects.libraries": "a library of others, when an object of it is asked for",
    "tla.testing.operations": "it looks up the function of each operation by the name that users write",
    "tla.errors": "the display of its errors in notebooks, which stands above them",
    "tla.ground.annotations": "it finds what the annotations of a failed call name",
    "tla.ground.lazy": "the one helper of lazy packages",
    "tla.ground.display": "the registry of displays",
    "tla.types.terms": "it finds what a checked program names; nothing imports the plugin",
}
"""Modules that may load other modules by a name that they compute."""


class Import(NamedTuple):
    """Who imports which name of which module of `tla`, and whether checkers alone see it."""

    importer: str
    module: str
    name: str
    is_type: bool


def path_of_module(path: Path) -> str:
    parts = ("tla", *path.relative_to(ROOM).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


PATHS = {path_of_module(path): path for path in sorted(ROOM.rglob("*.py"))}
TREES = {module: ast.parse(path.read_text("utf-8")) for module, path in PATHS.items()}
PACKAGES = {module for module, path in PATHS.items() if path.name == "__init__.py"}


def package_of(module: str) -> str:
    return module if module in PACKAGES else module.rpartition(".")[0]


def imports_of(importer: str) -> Iterator[Import]:
    """Every import of a module, those inside functions too."""
    types = {
        id(node)
        for block in ast.walk(TREES[importer])
        if isinstance(block, ast.If) and "TYPE_CHECKING" in ast.unparse(block.test)
        for line in block.body
        for node in ast.walk(line)
    }
    for node in ast.walk(TREES[importer]):
        is_type = id(node) in types
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "tla":
                    yield Import(importer, alias.name, "", is_type)
        elif isinstance(node, ast.ImportFrom):
            above = package_of(importer).split(".")
            above = above[: len(above) - node.level + 1] if node.level else []
            module = ".".join([*above, *([node.module] if node.module else [])])
            if module.split(".")[0] == "tla":
                for alias in node.names:
                    yield Import(importer, module, alias.name, is_type)


IMPORTS = [found for module in PATHS for found in imports_of(module)]
HOMES = {(i.importer, i.name): i.module for i in IMPORTS if i.importer in PACKAGES and i.is_type}
"""Of each door and each of its names the module, or the door inside, that it comes from."""


def loaded_by(found: Import) -> str:
    """The module that an import loads: what a door leads to, not the door."""
    module, name = found.module, found.name
    while (module, name) in HOMES and HOMES[module, name] != module:
        module = HOMES[module, name]
    return f"{module}.{name}" if f"{module}.{name}" in PATHS else module


def test_no_circle() -> None:
    """Modules that import nothing, or that nothing imports, are left out until none is left."""
    edges = {(i.importer, loaded_by(i)) for i in IMPORTS if not i.is_type}
    edges -= {(module, module) for module in PATHS}
    while True:
        both = {a for a, _b in edges} & {b for _a, b in edges}
        left = {(a, b) for a, b in edges if a in both and b in both}
        if left == edges:
            break
        edges = left
    assert sorted(edges) == []


def test_modules_are_loaded_by_name_in_few_places() -> None:
    by_name = {
        module
        for module, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and getattr(node.func, "id", getattr(node.func, "attr", ""))
        in ("import_module", "__import__", "resolve_name")
    }
    assert by_name == {*BY_NAME}


def door_passed(found: Import) -> str | None:
    """The package whose ``__init__`` an import passes by, if there is one."""
    parts = found.module.split(".")
    for i in range(2, len(parts) + 1):
        door = ".".join(parts[:i])
        if door in PACKAGES and not f"{found.importer}.".startswith(f"{door}."):
            return None if door == found.module else door
    return None


def test_a_room_is_entered_by_its_door() -> None:
    assert {(i.importer, i.module) for i in IMPORTS if door_passed(i)} == {*PAST_A_DOOR}
    assert len(PAST_A_DOOR) <= 10


def test_the_top_is_small() -> None:
    folders = [path for path in ROOM.iterdir() if (path / "__init__.py").exists()]
    loose = [path for path in ROOM.iterdir() if path.suffix == ".py"]
    assert len(folders) <= 24
    assert len(loose) <= 8


def test_doors_hold_nothing_but_their_map() -> None:
    for package in PACKAGES - {"tla"}:
        kinds = [type(line).__name__ for line in TREES[package].body]
        assert {*kinds} <= {"Expr", "ImportFrom", "If", "Assign"}, package


def layers_of(container: str) -> list[list[str]]:
    contracts = tomllib.loads(SETTINGS.read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    (found,) = [x["layers"] for x in contracts if x["type"] == "layers" and container in x["containers"]]
    return [floor.split(" | ") for floor in found]


@pytest.mark.skipif(not PAGE.exists(), reason="the wheel has no documents")
def test_the_page_draws_the_floors_as_they_are() -> None:
    _before, _fence, rest = PAGE.read_text("utf-8").partition("```text\n")
    drawn = [line.split(" | ") for line in rest.partition("```")[0].splitlines()]
    assert drawn == layers_of("tla")


def test_each_large_package_lists_its_floors() -> None:
    contracts = tomllib.loads(SETTINGS.read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    listed = {
        c for contract in contracts if contract["type"] == "layers" for c in contract["containers"]
    }
    large = {p for p in PACKAGES if sum(package_of(m) == p and m != p for m in PATHS) > 5}
    assert large <= listed


def test_the_renderers_know_no_room_but_those_of_figures() -> None:
    contracts = tomllib.loads(SETTINGS.read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    (forbidden,) = [set(c["forbidden_modules"]) for c in contracts if c["type"] == "forbidden"]
    rooms = {f"tla.{room}" for floor in layers_of("tla") for room in floor}
    known = {"tla.__main__", "tla.ground", "tla.ints", "tla.mypy_plugin", "tla.show", "tla.types"}
    assert rooms == forbidden | known


def test_every_room_has_its_public_names_checked() -> None:
    rooms = {package for package in PACKAGES if package.count(".") == 1}
    assert rooms - {"tla.cli", "tla.types"} <= {*ROOMS}
