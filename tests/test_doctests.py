"""Every example in the library runs and prints what it says. Of the documents: `test_documents.py`."""

from __future__ import annotations

import doctest
import pkgutil
from importlib import import_module
from typing import Any

import pytest

import tla

MODULES = ["tla", *(m.name for m in pkgutil.walk_packages(tla.__path__, "tla."))]

PUBLIC: dict[str, Any] = {
    **{name: getattr(tla, name) for name in (*vars(tla.layouts)["__all__"], *tla.__all__)},
    **{name: getattr(tla.xla_bridge, name) for name in vars(tla.xla_bridge)["__all__"]},
}


def failures(example: doctest.DocTest) -> str:
    """What an example printed otherwise than it says."""
    out: list[str] = []
    doctest.DocTestRunner().run(example, out=out.append, clear_globs=False)
    return "".join(out)


@pytest.mark.parametrize("name", [name for name in MODULES if name != "tla.__main__"])
def test_examples_of_a_module(name: str) -> None:
    """The public names are there without an import, and the module's own."""
    rooms = {"tla.testing": "hypothesis", "tla.mypy_plugin": "mypy", "tla.indexing.exact": "islpy"}
    for room, needs in rooms.items():
        if name.startswith(room):
            pytest.importorskip(needs)
    module = import_module(name)
    own = {word: getattr(module, word) for word in vars(module).get("__all__", ())}
    names = {**PUBLIC, **own, **vars(module)}
    examples = doctest.DocTestFinder(exclude_empty=True).find(module, name, globs=names)
    assert "".join(map(failures, examples)) == ""


def test_modules_have_examples() -> None:
    finder = doctest.DocTestFinder(exclude_empty=True)
    for name in ("tla.layouts.layout", "tla.layouts.coord", "tla.xla_bridge.tiling", "tla.read"):
        assert any(test.examples for test in finder.find(import_module(name), name)), name
