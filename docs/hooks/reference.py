"""The reference, made while the site is built: a page for each room, and one for the command line.

The pages of Python are made from each room's ``__all__``, in the order in which the rooms define what is
in it; the page of the commands from their ``--help``. In the navigation, ``reference/*`` and the like
stands for all pages of a folder.
"""

from __future__ import annotations

import contextlib
import io
import os
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

import griffe
from mkdocs.exceptions import BuildError
from mkdocs.structure.files import File

from tla.cli import COMMANDS, main
from tla.cli.commands import SUBCOMMANDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

ROOT = Path(__file__).parents[2]

ROOMS = (
    "layouts", "numbers", "algebra", "read", "evaluation", "moves", "arrays", "objects", "exports",
    "xla_bridge", "hlo", "memory", "indexing", "indexing.exact", "ascend", "gpu", "cpp", "explain",
    "learn", "playground", "figures", "show", "ground", "testing", "errors",
)  # fmt: skip
"""The rooms that have a page, in the order of the navigation."""

SPLIT = ("layouts", "numbers", "ascend")
"""Rooms with so many names that each module or room of theirs has a page."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are made here, and write out the navigation."""
    pages = {"reference/commands.md": commands(), **dict(room_pages())}
    pages["reference/index.md"] = overview(list(pages))
    shown = {name for room in ROOMS for names in _homes(room).values() for name in names}
    missing = [name for name in _exports(_tla()) if f"tla.{name}" not in shown]
    if missing:
        raise BuildError(f"reference.py: no page of a room has {', '.join(missing)}")
    for uri, text in pages.items():
        files.append(File.generated(config, uri, content=text))
    there = [file.src_uri for file in files.documentation_pages()]
    config.nav = _written_out(config.nav, there, list(pages))
    return files


def _written_out(nav: Any, there: list[str], made: list[str]) -> Any:
    """Return the navigation with the pages of a folder in place of ``folder/*``."""
    if isinstance(nav, dict):
        return {title: _written_out(part, there, made) for title, part in nav.items()}
    if not isinstance(nav, list):
        return nav
    out: list[Any] = []
    for part in nav:
        if isinstance(part, str) and part.endswith("/*"):
            folder = part[:-1]
            found = [uri for uri in made if uri.startswith(folder)] or sorted(
                uri for uri in there if uri.startswith(folder)
            )
            out += [uri for uri in found if not uri.endswith(("/index.md", "/commands.md"))]
        else:
            out.append(_written_out(part, there, made))
    return out


# --- Python -------------------------------------------------------------------------------------


@cache
def _tla() -> griffe.Module:
    ours = griffe.load_extensions(f"{Path(__file__).with_name('docstrings.py')}:OurStyle")
    package = griffe.load("tla", search_paths=[str(ROOT)], extensions=ours)
    assert isinstance(package, griffe.Module)
    return package


def room_pages() -> Iterator[tuple[str, str]]:
    """Yield the address and the text of the page of each room."""
    for room in ROOMS:
        if room not in SPLIT:
            yield _uri(room), _page(room, _homes(room))
            continue
        parts: dict[str, dict[str, list[str]]] = {}
        for home, names in _homes(room).items():
            parts.setdefault(home.removeprefix(f"tla.{room}").split(".")[1], {})[home] = names
        yield _uri(room), _front(room, sorted(parts))
        for part in sorted(parts):
            yield _uri(f"{room}.{part}"), _page(f"{room}.{part}", parts[part])


def _uri(room: str) -> str:
    return f"reference/tla.{room}.md"


def _homes(room: str) -> dict[str, list[str]]:
    """Return the public names of a room, as one writes them, by the module that defines them."""
    path = f"tla.{room}"
    top = {_object(f"tla.{name}").path: f"tla.{name}" for name in _exports(_tla())}
    found = {name for name in top.values() if f"{_home(name)}.".startswith(f"{path}.")}
    if not found or any(_home(name) != path for name in found):  # of a file, what is public is in `tla`
        mine = (f"{path}.{name}" for name in _exports(_tla()[room]))
        found |= {top.get(_object(name).path, name) for name in mine}
    homes: dict[str, list[str]] = {}
    for name in sorted(found, key=_place):
        homes.setdefault(_home(name), []).append(name)
    return homes


def _exports(module: Any) -> list[str]:
    """Return what a module's ``__all__`` lists and that is no module or number."""
    public = import_module(module.path).__all__
    named = [name for name in public if name.strip("_0123456789") or name == "_"]
    named = [name for name in named if name != "__version__"]
    return [name for name in named if not _object(f"{module.path}.{name}").is_module]


def _object(path: str) -> Any:
    found = _tla()[path.removeprefix("tla.")]
    return found.final_target if found.is_alias else found


def _home(path: str) -> str:
    return str(_object(path).module.path)


def _place(path: str) -> tuple[str, int]:
    return _home(path), _object(path).lineno or 0


def _page(room: str, homes: dict[str, list[str]]) -> str:
    """Return a page: what the room says of itself, then its names, each module of it by itself."""
    path = f"tla.{room}"
    parts = [f"# `{path}`\n", _described(path)]
    for home, names in homes.items():
        is_whole = home == path
        if not is_whole:
            parts += [f"## `{home}`\n", _described(home)]
        parts += [_shown(name, 2 if is_whole else 3) for name in names]
    if room == "numbers.ints":
        numbers = [n for n in import_module("tla").__all__ if n.strip("_").isdecimal()]
        parts.append(f"## Static ints by name\n\n{', '.join(f'`{n}`' for n in numbers)}\n")
    return "\n".join(parts)


def _shown(name: str, level: int) -> str:
    """Return what shows a name; one that its module has too, as `tla.read`, is called as the module."""
    *front, module, last = name.split(".")
    heading = f"      heading: {'.'.join([*front, last])}\n" if module == last else ""
    return f"::: {name}\n    options:\n      heading_level: {level}\n{heading}"


def _described(path: str) -> str:
    """Return what shows the docstring of a module, without a heading of its own."""
    hidden = "      show_root_heading: false\n      show_root_toc_entry: false\n"
    return f"::: {path}\n    options:\n      members: false\n{hidden}"


def _front(room: str, parts: list[str]) -> str:
    """Return the page of a room that has a page for each of its own."""
    path = f"tla.{room}"
    rows = [f"- [`{path}.{part}`]({path}.{part}.md): {_first_line(f'{path}.{part}')}" for part in parts]
    return "\n".join([f"# `{path}`\n", _described(path), *rows, ""])


def _first_line(path: str) -> str:
    docstring = _object(path).docstring
    return docstring.value.partition("\n")[0] if docstring else ""


def overview(pages: list[str]) -> str:
    """Return the front page of the reference."""
    lines = ["# Reference\n", "- [The command line](commands.md)"]
    for uri in pages[1:]:
        path = uri.removeprefix("reference/").removesuffix(".md")
        lines.append(f"- [`{path}`]({path}.md): {_first_line(path)}")
    return "\n".join([*lines, ""])


# --- the command line ---------------------------------------------------------------------------


def commands() -> str:
    """Return the page of the command line: what each command says with ``--help``."""
    parts = ["# The command line\n", _help()]
    for name in COMMANDS:
        parts += [f"## `tla {name}`\n", _help(name)]
        if name == "ascend":
            for subcommand in SUBCOMMANDS:
                parts += [f"### `tla ascend {subcommand}`\n", _help(name, subcommand)]
    return "\n".join(parts)


def _help(*command: str) -> str:
    out = io.StringIO()
    plain = mock.patch.dict(os.environ, {"COLUMNS": "88", "NO_COLOR": "1"})
    with plain, contextlib.redirect_stdout(out):
        code = main([*command, "--help"])
    assert code == 0, command
    return f"```text\n{out.getvalue()}```\n"
