# SPDX-License-Identifier: Apache-2.0
"""The page as one file: Pyodide, the library, its first picture, and the files in ``assets``.

The runtime is what the npm package ``pyodide`` holds. It is packed into the page, so that the page asks
for nothing: the standard library without what the library never loads, and all as gzip in base64.
"""

from __future__ import annotations

import gzip
import json
import os
from base64 import b64encode
from importlib.resources import files
from io import BytesIO
from typing import TYPE_CHECKING, Final
from zipfile import ZIP_STORED, BadZipFile, ZipFile, ZipInfo

import tla

from ..errors import TlaError
from .answers import answer
from .presets import PRESETS
from .views import VIEWS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.resources.abc import Traversable

PARTS: Final = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm")
"""The files of the npm package that go into the page as they are."""

STANDARD_LIBRARY: Final = "python_stdlib.zip"
LOCK: Final = "pyodide-lock.json"

_NEVER: Final = frozenset(
    """
    _pydatetime _pyio _pyrepl antigravity bdb cmd code compileall configparser cProfile csv curses
    dbm doctest email ensurepip filecmp fileinput ftplib getopt http idlelib imaplib ipaddress
    lib2to3 mailbox mimetypes modulefinder multiprocessing netrc nturl2path optparse pdb pickletools
    plistlib poplib pprint profile pstats pyclbr pydoc pydoc_data quopri rlcompleter sched shelve
    smtplib socketserver sqlite3 statistics symtable tabnanny tarfile this timeit tkinter trace
    turtle turtledemo unittest uuid venv wave webbrowser wsgiref xml xmlrpc zipapp zoneinfo
    """.split()  # noqa: SIM905 (a list of words)
)
"""The modules and packages of the standard library that neither the library nor Pyodide loads."""

_ROOMS_OUT: Final = frozenset(
    {"cli", "types", "testing", "memory", "indexing", "mypy_plugin.py", "__main__.py"}
)
"""What of the library the page never asks for."""


class PageError(TlaError):
    """The page cannot be made: a file of Pyodide is missing, or is not what it should be."""


def page(pyodide: str) -> str:
    """Return the page as one text of HTML, which needs no network.

    >>> page("/nowhere")
    Traceback (most recent call last):
        ...
    tla.playground.building.PageError: /nowhere/pyodide.mjs is missing: it is no npm package pyodide
      `npm pack pyodide` gets it; unpacked, its folder is called package.

    Args:
        pyodide: The folder of the unpacked npm package ``pyodide``.

    Raises:
        PageError: the folder lacks a file of the package, or one of them cannot be read.
    """
    parts = {name: _packed(_content(pyodide, name)) for name in PARTS}
    parts[STANDARD_LIBRARY] = _packed(_trimmed(_content(pyodide, STANDARD_LIBRARY)))
    parts[LOCK] = _packed(_lock(_content(pyodide, LOCK)))
    parts["tla.zip"] = _packed(_library())
    first = PRESETS[_FIRST]
    facts = {
        "views": {
            name: {
                "title": view.title,
                "group": view.group,
                "about": view.about,
                "fields": [field._asdict() for field in view.fields],
            }
            for name, view in VIEWS.items()
        },
        "presets": [preset._asdict() for preset in PRESETS],
        "first": json.loads(answer(json.dumps({"view": first.view, "args": first.args}))),
    }
    text = _asset("page.html")
    for name, content in (
        ("style", _asset("page.css")),
        ("facts", json.dumps(facts, separators=(",", ":")).replace("<", "\\u003c")),
        ("worker", _asset("worker.js")),
        ("script", "\n".join(map(_asset, ("draw.js", "page.js")))),
        ("parts", "\n".join(_script(name, data) for name, data in parts.items())),
    ):
        text = text.replace(f"<!-- {name} -->", content)
    return text


_FIRST: Final = 5
"""The number of the preset that the page begins with."""


def _content(folder: str, name: str) -> bytes:
    """A file of the npm package."""
    path = os.path.join(folder, name)
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        raise PageError(
            f"{path} is missing: it is no npm package pyodide",
            "`npm pack pyodide` gets it; unpacked, its folder is called package.",
            path=path,
        ) from None
    except (OSError, ValueError) as error:  # a path with a NUL is a ValueError
        why = error.strerror if isinstance(error, OSError) else error
        raise PageError(f"cannot read {path}: {why}", path=path) from None


def _trimmed(archive: bytes) -> bytes:
    """The standard library without what is never loaded, not compressed by itself."""
    try:
        with ZipFile(BytesIO(archive)) as every:
            return _stored(
                (name, every.read(name))
                for name in every.namelist()
                if not {name.partition("/")[0], name.partition(".")[0]} & _NEVER
            )
    except BadZipFile:
        raise PageError(f"{STANDARD_LIBRARY} is no zip archive") from None


def _lock(text: bytes) -> bytes:
    """The list of Pyodide's packages, with its versions and without the packages."""
    try:
        return json.dumps({"info": json.loads(text)["info"], "packages": {}}).encode()
    except (ValueError, KeyError, TypeError):
        raise PageError(f"{LOCK} has no 'info'") from None


def _library() -> bytes:
    """The sources of the library."""
    root = files(tla)
    return _stored((f"tla/{name}", file.read_bytes()) for name, file in _sources(root, ""))


def _sources(folder: Traversable, inside: str) -> Iterator[tuple[str, Traversable]]:
    for each in sorted(folder.iterdir(), key=lambda file: file.name):
        if each.name in _ROOMS_OUT and not inside:
            continue
        if each.is_dir():
            yield from _sources(each, f"{inside}{each.name}/")
        elif each.name.endswith(".py"):
            yield f"{inside}{each.name}", each


def _stored(entries: Iterator[tuple[str, bytes]]) -> bytes:
    """An archive whose files are not compressed, the same for the same files."""
    out = BytesIO()
    with ZipFile(out, "w", ZIP_STORED) as archive:
        for name, content in entries:
            archive.writestr(ZipInfo(name), content)
    return out.getvalue()


def _packed(content: bytes) -> str:
    return b64encode(gzip.compress(content, 9, mtime=0)).decode()


def _script(name: str, data: str) -> str:
    return f'<script type="text/plain" data-part="{name}">{data}</script>'


def _asset(name: str) -> str:
    return files(tla).joinpath("playground", "assets", name).read_text("utf-8")
