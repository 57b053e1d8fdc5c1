"""A folder like the npm package ``pyodide``, small: what makes the page, without what runs in it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from zipfile import ZipFile

if TYPE_CHECKING:
    from pathlib import Path


def fake_package(folder: Path) -> Path:
    """Write the files of the package with contents that no browser runs."""
    folder.mkdir(parents=True)
    for name in ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm"):
        (folder / name).write_text(f"// {name}")
    (folder / "pyodide-lock.json").write_text(
        json.dumps({"info": {"version": "0"}, "packages": {"numpy": 1}})
    )
    with ZipFile(folder / "python_stdlib.zip", "w") as archive:
        for name in ("os.py", "json/__init__.py", "unittest/case.py", "pdb.py"):
            archive.writestr(name, f"# {name}")
    return folder
