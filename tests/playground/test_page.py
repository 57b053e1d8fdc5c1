"""The page: one file, from a package that the user has, and a sentence where there is none."""

from __future__ import annotations

import base64
import gzip
import json
import re
from io import BytesIO
from typing import TYPE_CHECKING
from zipfile import ZipFile

import pytest

from playground.packages import fake_package
from tla.cli import main
from tla.playground import page
from tla.playground.building import PageError

if TYPE_CHECKING:
    from pathlib import Path


def part(text: str, name: str) -> bytes:
    found = re.search(f'data-part="{re.escape(name)}">([^<]*)<', text)
    assert found is not None
    return gzip.decompress(base64.b64decode(found[1]))


def test_the_page_is_one_file(tmp_path: Path) -> None:
    text = page(str(fake_package(tmp_path / "package")))
    assert text == page(str(tmp_path / "package"))
    assert not re.search(r'(src|href)="(?!data:,)', text)
    assert part(text, "pyodide.asm.wasm") == b"// pyodide.asm.wasm"
    assert ZipFile(BytesIO(part(text, "python_stdlib.zip"))).namelist() == ["os.py", "json/__init__.py"]
    sources = ZipFile(BytesIO(part(text, "tla.zip"))).namelist()
    assert "tla/playground/answers.py" in sources
    assert not any(name.startswith(("tla/cli/", "tla/memory/")) for name in sources)
    assert json.loads(part(text, "pyodide-lock.json")) == {"info": {"version": "0"}, "packages": {}}
    assert "<!--" not in text


def test_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TLA_PYODIDE", raising=False)
    out = tmp_path / "playground.html"
    assert main(["playground", "-o", str(out)]) == 1
    assert "tla: error: the page needs the npm package pyodide" in capsys.readouterr().err
    assert not out.exists()
    package = fake_package(tmp_path / "package")
    assert main(["playground", "-o", str(out), "--pyodide", str(package)]) == 0
    assert capsys.readouterr().out.startswith(f"{out}: {out.stat().st_size} bytes")
    (package / "pyodide.mjs").unlink()
    assert main(["playground", "-o", str(out), "--pyodide", str(package)]) == 1
    assert "pyodide.mjs is missing" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "said"), [("python_stdlib.zip", "no zip"), ("pyodide-lock.json", "'info'")]
)
def test_a_broken_package(tmp_path: Path, name: str, said: str) -> None:
    package = fake_package(tmp_path / "package")
    (package / name).write_text("[]")
    with pytest.raises(PageError, match=said):
        page(str(package))
